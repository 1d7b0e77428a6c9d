/* test_fragments.c: from rows of ids to lists of fragments, and from their colours to bytes of the
 * picture, for every instruction set: against pixel-by-pixel searches written here, and against the
 * encoding of single pixels.
 */
#include "test.h"

#include "raster/internal.h"

#define WIDTH  160u /* a multiple of 16, as rows of bands are */
#define STRIDE WIDTH
#define GUARD  64u

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % n;
}

static void for_each_isa(void (*test)(const mrwi_shade_kernels *kernels))
{
    for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (mrw_isa_available(isa)) {
            random_state = 1;
            test(mrwi_shade_kernels_for(isa));
        }
    }
}

/* ---- gathering ------------------------------------------------------------------------------- */

typedef struct id_row {
    _Alignas(64) int32_t ids[MRWI_MAX_SAMPLES * STRIDE];
    mrwi_gather gather;
} id_row;

/* Runs of triangles and of nothing, `edges` in a hundred samples another one. */
static void fill_row(id_row *row, uint32_t samples, uint32_t edges)
{
    const uint32_t stay = 1 + random_below(20);
    int32_t id = 0;
    for (uint32_t x = 0; x < WIDTH; x++) {
        if (x == 0 || random_below(stay) == 0) {
            id = random_below(3) ? (int32_t)random_below(1000) : MRWI_NO_TRIANGLE;
        }
        for (uint32_t s = 0; s < samples; s++) {
            int32_t other = random_below(3) ? (int32_t)random_below(3) : MRWI_NO_TRIANGLE;
            row->ids[s * STRIDE + x] = random_below(100) < edges ? other : id;
        }
    }
    int32_t x0 = (int32_t)random_below(WIDTH), x1 = (int32_t)random_below(WIDTH + 1);
    row->gather = (mrwi_gather){.pattern = mrwi_samples(samples),
                                .ids = row->ids,
                                .stride = STRIDE,
                                .x0 = random_below(2) ? 0 : x0,
                                .x1 = x1 > x0 ? x1 : (int32_t)WIDTH,
                                .y = (int32_t)random_below(16384),
                                .first_pixel = random_below(1u << 27)};
}

static bool seen_at(const id_row *row, int32_t x)
{
    for (uint32_t s = 0; s < row->gather.pattern->count; s++) {
        if (row->ids[s * STRIDE + (uint32_t)x] != MRWI_NO_TRIANGLE) {
            return true;
        }
    }
    return false;
}

static bool same_everywhere(const id_row *row, int32_t x)
{
    for (uint32_t s = 1; s < row->gather.pattern->count; s++) {
        if (row->ids[s * STRIDE + (uint32_t)x] != row->ids[x]) {
            return false;
        }
    }
    return true;
}

/* Fragment n stands for triangle id at pixel x, where sample s is the lowest that it won. */
static void check_fragment(const id_row *row, const mrwi_fragments *f, uint32_t n, int32_t x,
                           uint32_t s, bool *known)
{
    const mrwi_sample_pattern *pattern = row->gather.pattern;
    ck_assert_uint_lt(n, f->count);
    ck_assert(!known[n]);
    known[n] = true;
    ck_assert_uint_eq(f->triangle[n], (uint32_t)row->ids[s * STRIDE + (uint32_t)x]);
    ck_assert(f->x[n] == (float)x + 0.5f && f->y[n] == (float)row->gather.y + 0.5f);
    if (!same_everywhere(row, x)) {
        ck_assert(f->other_x[n] == (float)x + 0.5f + (float)pattern->x[s] / 16.0f);
        ck_assert(f->other_y[n] == (float)row->gather.y + 0.5f + (float)pattern->y[s] / 16.0f);
    }
}

/* Pixel number p of the list is x, whose samples differ: edge number e. */
static void check_edge(const id_row *row, const mrwi_fragments *f, uint32_t p, uint32_t e,
                       int32_t x, bool *known)
{
    ck_assert_uint_lt(e, f->edge_count);
    ck_assert_uint_eq(f->edge[e], p);
    bool first_seen = false;
    for (uint32_t s = 0; s < row->gather.pattern->count; s++) {
        const int32_t id = row->ids[s * STRIDE + (uint32_t)x];
        const uint32_t owner = f->owner[s][e];
        uint32_t lowest = 0;
        while (row->ids[lowest * STRIDE + (uint32_t)x] != id) {
            lowest++;
        }
        if (id == MRWI_NO_TRIANGLE) {
            ck_assert_uint_eq(owner, MRWI_NO_FRAGMENT);
        } else if (lowest < s) {
            ck_assert_uint_eq(owner, f->owner[lowest][e]);
        } else {
            check_fragment(row, f, owner, x, s, known);
            ck_assert(first_seen || f->slot[p] == owner);
            first_seen = true;
        }
    }
}

/* The list holds the pixels x0 ... x1 - 1, each of their fragments once, and nothing else. */
static void check_list(const id_row *row, const mrwi_fragments *f, int32_t x0, int32_t x1)
{
    bool known[MRWI_SHADE_MAX] = {false};
    uint32_t p = 0, e = 0, fragments = 0;
    for (int32_t x = x0; x < x1; x++) {
        if (!seen_at(row, x)) {
            continue;
        }
        ck_assert_uint_lt(p, f->pixel_count);
        ck_assert_uint_eq(f->where[p], row->gather.first_pixel + (uint32_t)x);
        if (same_everywhere(row, x)) {
            const uint32_t n = row->gather.pattern->count > 1 ? f->slot[p] : p;
            check_fragment(row, f, n, x, 0, known);
        } else {
            check_edge(row, f, p, e++, x, known);
        }
        p++;
    }
    ck_assert_uint_eq(p, f->pixel_count);
    ck_assert_uint_eq(e, f->edge_count);
    for (uint32_t n = 0; n < f->count; n++) {
        fragments += known[n];
    }
    ck_assert_uint_eq(fragments, f->count);
}

static mrwi_fragments fragments;

static void empty_list(uint32_t count)
{
    fragments.count = count;
    fragments.pixel_count = fragments.edge_count = 0;
}

static void check_gather(const mrwi_shade_kernels *kernels)
{
    static id_row row;
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        for (uint32_t round = 0; round < 400; round++) {
            fill_row(&row, samples, round % 4 == 0 ? 0 : round % 4 == 1 ? 3 : 40);
            empty_list(0);
            const int32_t first = row.gather.x0;
            int32_t at = first;
            while (at < row.gather.x1) {
                row.gather.x0 = at;
                int32_t next = kernels->gather(&row.gather, &fragments);
                ck_assert(next > at && next <= row.gather.x1);
                check_list(&row, &fragments, at, next);
                empty_list(0);
                at = next;
            }
        }
    }
}

START_TEST(lists_hold_what_is_seen)
{
    for_each_isa(check_gather);
}
END_TEST

/* A list that has too little room is left as it is, and says where to go on. */
static void check_full(const mrwi_shade_kernels *kernels)
{
    static id_row row;
    fill_row(&row, 8, 50);
    row.gather.x0 = 3;
    row.gather.x1 = WIDTH;
    row.ids[3] = 7;
    empty_list(MRWI_SHADE_MAX);
    ck_assert_int_eq(kernels->gather(&row.gather, &fragments), 3);
    ck_assert_uint_eq(fragments.count, MRWI_SHADE_MAX);
    ck_assert(fragments.pixel_count == 0 && fragments.edge_count == 0);
}

START_TEST(full_lists_stay_as_they_are)
{
    for_each_isa(check_full);
}
END_TEST

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
        fragments.where[i] = at;
        fragments.slot[i] = random_below(2) ? i : random_below(MRWI_SHADE_MAX);
    }
    for (uint32_t i = 0; i < MRWI_SHADE_MAX; i++) {
        for (int c = 0; c < 4; c++) {
            fragments.rgba[i][c] = odd_color();
        }
    }
    fragments.pixel_count = count;
    fragments.edge_count = 1;
}

#define PICTURE (4 * (4 * MRWI_SHADE_MAX + GUARD))

static void check_writing(const mrwi_shade_kernels *kernels)
{
    static uint8_t expected[PICTURE], got[PICTURE];
    static const float grounds[2][4] = {{0.2f, 0.0f, 1.0f, 1.0f}, {0.1f, 0.2f, 0.0f, 0.4f}};
    const mrwi_shade_kernels *scalar = mrwi_shade_kernels_for(MRW_ISA_SCALAR);
    for (uint32_t count = 1; count < 500; count += count < 70 ? 1 : 61) {
        for (uint32_t mode = 0; mode < 8; mode++) {
            const uint32_t channels = 3 + (mode & 1u);
            const bool raw = mode & 2;
            const float *ground = grounds[mode >> 2];
            fill_pixels(count, 1 + random_below(60));
            memset(expected, 0xcd, sizeof expected);
            memset(got, 0xcd, sizeof got);
            for (uint32_t i = 0; i < count; i++) {
                scalar->encode((const float(*)[4])fragments.rgba + fragments.slot[i], 1, ground,
                               channels, raw, expected + (size_t)fragments.where[i] * channels);
            }
            kernels->write_pixels(&fragments, ground, channels, raw, got);
            ck_assert(memcmp(got, expected, sizeof got) == 0);
        }
    }
}

START_TEST(pixels_come_to_their_places)
{
    for_each_isa(check_writing);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("fragments");
    TCase *tc = tcase_create("fragments");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, lists_hold_what_is_seen);
    tcase_add_test(tc, full_lists_stay_as_they_are);
    tcase_add_test(tc, pixels_come_to_their_places);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
