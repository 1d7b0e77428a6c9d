/* fragments_fixture.h: rows of ids to gather fragments from, colours to write as pixels, and what
 * has to come of them: pixel-by-pixel searches, and the encoding of single pixels. */
#ifndef MARROW_FRAGMENTS_FIXTURE_H
#define MARROW_FRAGMENTS_FIXTURE_H

#include "tone_fixture.h"

#include "raster/internal.h"

#define ROW_WIDTH 160u /* a multiple of 16, as rows of bands are */

/* ---- gathering ------------------------------------------------------------------------------- */

typedef struct id_row {
    _Alignas(64) int32_t ids[MRWI_SHADE_MAX_SAMPLES * ROW_WIDTH];
    mrwi_shade_gather gather;
} id_row;

/* Runs of triangles and of nothing, `edges` in a hundred samples another one. */
static void fill_row(id_row *row, uint32_t samples, uint32_t edges)
{
    const uint32_t stay = 1 + random_below(20);
    int32_t id = 0;
    for (uint32_t x = 0; x < ROW_WIDTH; x++) {
        if (x == 0 || random_below(stay) == 0) {
            id = random_below(3) ? (int32_t)random_below(1000) : MRWI_SHADE_NO_TRIANGLE;
        }
        for (uint32_t s = 0; s < samples; s++) {
            int32_t other = random_below(3) ? (int32_t)random_below(3) : MRWI_SHADE_NO_TRIANGLE;
            row->ids[s * ROW_WIDTH + x] = random_below(100) < edges ? other : id;
        }
    }
    int32_t x0 = (int32_t)random_below(ROW_WIDTH), x1 = (int32_t)random_below(ROW_WIDTH + 1);
    row->gather = (mrwi_shade_gather){.pattern = mrwi_raster_samples(samples),
                                      .ids = row->ids,
                                      .stride = ROW_WIDTH,
                                      .x0 = random_below(2) ? 0 : x0,
                                      .x1 = x1 > x0 ? x1 : (int32_t)ROW_WIDTH,
                                      .y = (int32_t)random_below(16384),
                                      .first_pixel = random_below(1u << 27)};
}

static bool seen_at(const id_row *row, int32_t x)
{
    for (uint32_t s = 0; s < row->gather.pattern->count; s++) {
        if (row->ids[s * ROW_WIDTH + (uint32_t)x] != MRWI_SHADE_NO_TRIANGLE) {
            return true;
        }
    }
    return false;
}

static bool same_everywhere(const id_row *row, int32_t x)
{
    for (uint32_t s = 1; s < row->gather.pattern->count; s++) {
        if (row->ids[s * ROW_WIDTH + (uint32_t)x] != row->ids[x]) {
            return false;
        }
    }
    return true;
}

/* Fragment n stands for triangle id at pixel x, where sample s is the lowest that it won. */
static void check_fragment(const id_row *row, const mrwi_raster_scratch *f, uint32_t n, int32_t x,
                           uint32_t s, bool *known)
{
    const mrwi_shade_sample_pattern *pattern = row->gather.pattern;
    ck_assert_uint_lt(n, f->fragments.count);
    ck_assert(!known[n]);
    known[n] = true;
    ck_assert_uint_eq(f->fragments.triangle[n], (uint32_t)row->ids[s * ROW_WIDTH + (uint32_t)x]);
    ck_assert(f->fragments.x[n] == (float)x + 0.5f &&
              f->fragments.y[n] == (float)row->gather.y + 0.5f);
    if (!same_everywhere(row, x)) {
        ck_assert(f->fragments.other_x[n] == (float)x + 0.5f + (float)pattern->x[s] / 16.0f);
        ck_assert(f->fragments.other_y[n] ==
                  (float)row->gather.y + 0.5f + (float)pattern->y[s] / 16.0f);
    }
}

/* Pixel number p of the list is x, whose samples differ: edge number e. */
static void check_edge(const id_row *row, const mrwi_raster_scratch *f, uint32_t p, uint32_t e,
                       int32_t x, bool *known)
{
    ck_assert_uint_lt(e, f->pixels.edge_count);
    ck_assert_uint_eq(f->pixels.edge[e], p);
    bool first_seen = false;
    for (uint32_t s = 0; s < row->gather.pattern->count; s++) {
        const int32_t id = row->ids[s * ROW_WIDTH + (uint32_t)x];
        const uint32_t owner = f->pixels.owner[s][e];
        uint32_t lowest = 0;
        while (row->ids[lowest * ROW_WIDTH + (uint32_t)x] != id) {
            lowest++;
        }
        if (id == MRWI_SHADE_NO_TRIANGLE) {
            ck_assert_uint_eq(owner, MRWI_SHADE_NO_FRAGMENT);
        } else if (lowest < s) {
            ck_assert_uint_eq(owner, f->pixels.owner[lowest][e]);
        } else {
            check_fragment(row, f, owner, x, s, known);
            ck_assert(first_seen || f->pixels.slot[p] == owner);
            first_seen = true;
        }
    }
}

/* What has come to the list holds the pixels x0 ... x1 - 1, each of their fragments once, and
 * nothing else. */
static void check_list(const id_row *row, const mrwi_raster_scratch *before,
                       const mrwi_raster_scratch *f, int32_t x0, int32_t x1)
{
    bool known[MRWI_SHADE_LIST_MAX] = {false};
    uint32_t p = before->pixels.count, e = before->pixels.edge_count,
             found = before->fragments.count;
    for (int32_t x = x0; x < x1; x++) {
        if (!seen_at(row, x)) {
            continue;
        }
        ck_assert_uint_lt(p, f->pixels.count);
        ck_assert_uint_eq(f->pixels.where[p], row->gather.first_pixel + (uint32_t)x);
        if (same_everywhere(row, x)) {
            const uint32_t n = row->gather.pattern->count > 1 ? f->pixels.slot[p] : p;
            check_fragment(row, f, n, x, 0, known);
        } else {
            check_edge(row, f, p, e++, x, known);
        }
        p++;
    }
    ck_assert_uint_eq(p, f->pixels.count);
    ck_assert_uint_eq(e, f->pixels.edge_count);
    for (uint32_t n = before->fragments.count; n < f->fragments.count; n++) {
        found += known[n];
    }
    ck_assert_uint_eq(found, f->fragments.count);
}

static mrwi_raster_scratch lists, lists_before;

/* The list `at` members into the struct, of 4 bytes each: only entries start ... end - 1 and a
 * register's worth behind them may be others than before. */
static void check_kept(size_t at, uint32_t start, uint32_t end, const char *name)
{
    const uint8_t *old = (const uint8_t *)&lists_before + at;
    const uint8_t *new = (const uint8_t *)&lists + at;
    const size_t behind = end > start ? end + MRWI_SHADE_LIST_PAD : start;
    ck_assert_msg(memcmp(old, new, 4 * start) == 0, "%s: what was there is changed", name);
    if (behind < MRWI_SHADE_LIST_ROOM) {
        ck_assert_msg(
            memcmp(old + 4 * behind, new + 4 * behind, 4 * (MRWI_SHADE_LIST_ROOM - behind)) == 0,
            "%s: written behind the end", name);
    }
}

#define CHECK_KEPT(list, counter)                                                                  \
    check_kept(offsetof(mrwi_raster_scratch, list), lists_before.counter, lists.counter, #list)

/* Nothing but the lists of gathered fragments is written, and no more of them. */
static void check_others_kept(uint32_t samples)
{
    const mrwi_raster_scratch *old = &lists_before, *new = &lists;
    CHECK_KEPT(fragments.x, fragments.count);
    CHECK_KEPT(fragments.y, fragments.count);
    CHECK_KEPT(fragments.triangle, fragments.count);
    CHECK_KEPT(fragments.other_x, fragments.count);
    CHECK_KEPT(fragments.other_y, fragments.count);
    CHECK_KEPT(pixels.where, pixels.count);
    CHECK_KEPT(pixels.slot, pixels.count);
    CHECK_KEPT(pixels.edge, pixels.edge_count);
    for (uint32_t s = 0; s < MRWI_SHADE_MAX_SAMPLES; s++) {
        if (s < samples) {
            CHECK_KEPT(pixels.owner[s], pixels.edge_count);
        } else {
            ck_assert(memcmp(old->pixels.owner[s], new->pixels.owner[s],
                             sizeof new->pixels.owner[s]) == 0);
        }
    }
    ck_assert(memcmp(old->rgba, new->rgba, sizeof new->rgba) == 0);
    const size_t rest = offsetof(mrwi_raster_scratch, candidates);
    ck_assert(memcmp((const char *)old + rest, (const char *)new + rest, sizeof *new - rest) == 0);
}

/* Lists that hold something already; with one sample, a fragment a pixel. */
static void begin_list(uint32_t samples, uint32_t most)
{
    memset(&lists, 0xA5, sizeof lists);
    lists.fragments.count = random_below(most + 1);
    lists.pixels.count =
        samples == 1 ? lists.fragments.count : random_below(lists.fragments.count + 1);
    lists.pixels.edge_count = samples == 1 ? 0 : random_below(lists.pixels.count + 1);
}

static void check_gather(const mrwi_shade_kernels *kernels)
{
    static id_row row;
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        for (uint32_t round = 0; round < TEST_ROUNDS(400); round++) {
            fill_row(&row, samples, round % 4 == 0 ? 0 : round % 4 == 1 ? 3 : 40);
            while (row.gather.x0 < row.gather.x1) {
                begin_list(samples, round % 3 == 0 ? 0 : MRWI_SHADE_LIST_MAX - 16 * samples);
                lists_before = lists;
                const int32_t at = row.gather.x0;
                const int32_t next = kernels->gather(&row.gather, &lists.fragments, &lists.pixels);
                ck_assert(next > at && next <= row.gather.x1);
                check_list(&row, &lists_before, &lists, at, next);
                check_others_kept(samples);
                row.gather.x0 = next;
            }
        }
    }
}

/* A list that has too little room is left as it is, and says where to go on. */
static void check_full(const mrwi_shade_kernels *kernels)
{
    static id_row row;
    fill_row(&row, 8, 50);
    row.gather.x0 = 3;
    row.gather.x1 = ROW_WIDTH;
    row.ids[3] = 7;
    begin_list(8, 0);
    lists.fragments.count = MRWI_SHADE_LIST_MAX;
    lists_before = lists;
    ck_assert_int_eq(kernels->gather(&row.gather, &lists.fragments, &lists.pixels), 3);
    ck_assert(memcmp(&lists, &lists_before, sizeof lists) == 0);
}

/* ---- writing --------------------------------------------------------------------------------- */

static float odd_color(void)
{
    static const float odd[] = {0.0f,  -0.0f, 1e-45f,   1e-39f, 1.0f, 0.5f,       65536.0f,
                                1e30f, -1.0f, 0x1p-13f, 3e-4f,  2.0f, 0.99999994f};
    return random_below(4) ? (float)random_below(1u << 24) / 16777216.0f
                           : odd[random_below(sizeof odd / sizeof odd[0])];
}

/* Pixels side by side with gaps between them, their colours in any order. */
static void fill_pixels(uint32_t count, uint32_t stay)
{
    uint32_t at = random_below(5);
    for (uint32_t i = 0; i < count; i++) {
        at += 1 + (random_below(stay) == 0 ? random_below(3) : 0);
        lists.pixels.where[i] = at;
        lists.pixels.slot[i] = random_below(2) ? i : random_below(MRWI_SHADE_LIST_MAX);
    }
    for (uint32_t i = 0; i < MRWI_SHADE_LIST_MAX; i++) {
        for (int c = 0; c < 4; c++) {
            lists.rgba[i][c] = odd_color();
        }
    }
    lists.pixels.count = count;
    lists.pixels.edge_count = 1;
}

#define PICTURE (4 * (4 * MRWI_SHADE_LIST_MAX + 64))

static void check_writing(const mrwi_shade_kernels *kernels)
{
    static uint8_t expected[PICTURE], got[PICTURE];
    static const float grounds[2][4] = {{0.2f, 0.0f, 1.0f, 1.0f}, {0.1f, 0.2f, 0.0f, 0.4f}};
    const mrwi_shade_kernels *scalar = mrwi_shade_kernels_for(MRW_ISA_SCALAR);
    for (uint32_t count = 1; count < 500; count += count < 70 ? 1 : 61) {
        for (uint32_t mode = 0; mode < 8; mode++) {
            const uint32_t channels = 3 + (mode & 1u);
            const mrwi_shade_tone tone = random_tone();
            const float *ground = grounds[mode >> 2];
            fill_pixels(count, 1 + random_below(60));
            memset(expected, 0xcd, sizeof expected);
            memset(got, 0xcd, sizeof got);
            for (uint32_t i = 0; i < count; i++) {
                scalar->encode((const float(*)[4])lists.rgba + lists.pixels.slot[i], 1, ground,
                               channels, tone, expected + (size_t)lists.pixels.where[i] * channels);
            }
            kernels->write_pixels(&lists.pixels, (const float(*)[4])lists.rgba, ground, channels,
                                  tone, got);
            ck_assert(memcmp(got, expected, sizeof got) == 0);
        }
    }
}

#endif
