/* test_cover_kernels.c: the coverage kernel of each instruction set, and what chooses triangles for
 * it, against a slow evaluator, which asks each sample of the band about each triangle: ids and
 * depths, bit for bit.
 */
#include "cover_fixture.h"

static band_memory expected, seen;
static band_scene the_scene;

/* ---- the evaluator --------------------------------------------------------------------------- */

/* The depth plane of internal.h's mrwi_raster_setup, and its box's corner. */
typedef struct plane {
    float z0, zx, zy, lowest, highest;
    int32_t x0, y0;
} plane;

/* The first pixel, from below, with a sample at or above the coordinate, if it is in the picture.
 */
static int32_t first_pixel(const int8_t (*samples)[2], int count, int axis, int32_t coordinate)
{
    int32_t furthest = 0;
    for (int k = 0; k < count; k++) {
        furthest = abs(samples[k][axis]) > furthest ? abs(samples[k][axis]) : furthest;
    }
    int32_t pixel = 0;
    while (pixel * 256 + 128 + furthest * 16 < coordinate) {
        pixel++;
    }
    return pixel;
}

static plane plane_of(const band_scene *s, uint32_t n)
{
    const mrwi_raster_screen_vertex *a = &s->vertices[3 * n], *b = a + 1, *c = a + 2;
    if (mrwi_raster_signed_area(a, b, c) < 0) {
        b = a + 2;
        c = a + 1;
    }
    const int8_t(*samples)[2] = standard[s->pattern];
    const int count = 1 << s->pattern;
    plane p = {.x0 = first_pixel(samples, count, 0, mrwi_raster_min3(a->x, b->x, c->x)),
               .y0 = first_pixel(samples, count, 1, mrwi_raster_min3(a->y, b->y, c->y))};
    const double bx = b->x - a->x, by = b->y - a->y, cx = c->x - a->x, cy = c->y - a->y;
    const double bz = (double)b->z - (double)a->z, cz = (double)c->z - (double)a->z;
    const double scale = 256.0 / (bx * cy - cx * by);
    const double zx = (bz * cy - cz * by) * scale, zy = (cz * bx - bz * cx) * scale;
    const double dx = p.x0 - a->x / 256.0, dy = p.y0 - a->y / 256.0;
    p.z0 = (float)((double)a->z + (dx * zx + dy * zy));
    p.zx = (float)zx;
    p.zy = (float)zy;
    p.lowest = a->z < b->z ? a->z : b->z;
    p.lowest = p.lowest < c->z ? p.lowest : c->z;
    p.highest = a->z > b->z ? a->z : b->z;
    p.highest = p.highest > c->z ? p.highest : c->z;
    return p;
}

static float depth_at(const plane *p, float x, float y)
{
    float z = p->z0 + (y - (float)p->y0) * p->zy;
    z += (x - (float)p->x0) * p->zx;
    z = z < p->lowest ? p->lowest : z;
    return z > p->highest ? p->highest : z;
}

static void evaluate(const band_scene *s, uint32_t n)
{
    const plane depth = plane_of(s, n);
    int32_t p[3][2];
    for (uint32_t i = 0; i < 3; i++) {
        p[i][0] = s->vertices[3 * n + i].x;
        p[i][1] = s->vertices[3 * n + i].y;
    }
    for (int32_t y = s->band.box.y0; y < s->band.box.y1; y++) {
        for (uint32_t k = 0; k < s->job.samples; k++) {
            const int32_t sy = y * 256 + 128 + standard[s->pattern][k][1] * 16;
            for (int32_t x = 0; x < s->band.box.x1; x++) {
                const int32_t sx = x * 256 + 128 + standard[s->pattern][k][0] * 16;
                if (!covers((const int32_t(*)[2])p, sx, sy)) {
                    continue;
                }
                const float z = depth_at(&depth, (float)sx / 256.0f, (float)sy / 256.0f);
                const size_t at = GUARD + mrwi_raster_sample_index(&s->band.seen, y, k) + (size_t)x;
                float *old_z = &expected.z[at];
                int32_t *old_id = &expected.id[at];
                if (z < *old_z || (z == *old_z && (int32_t)n < *old_id)) {
                    *old_z = z;
                    *old_id = (int32_t)n;
                }
            }
        }
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* With room for the farthest depths of blocks, and no more. */
static void cover_nearest_first(band_scene *s, mrw_isa isa)
{
    static float farthest[MAX_WIDTH * MAX_ROWS + 2];
    static mrwi_raster_scratch scratch;
    const size_t blocks =
        mrwi_raster_block_count((size_t)s->band.box.x1, (size_t)(s->band.box.y1 - s->band.box.y0));
    farthest[0] = farthest[1 + blocks] = GUARD_Z;
    s->frame.isa = isa;
    scratch.farthest = farthest + 1;
    s->band.scratch = &scratch;
    mrwi_raster_cover_opaque(&s->band, s->ids, s->id_count);
    REQUIRE(farthest[0] == GUARD_Z && farthest[1 + blocks] == GUARD_Z);
}

/* Every `step`-th triangle shows its back; 0: none does. */
static void turn_some(band_scene *s, uint32_t step)
{
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        s->triangles[i].draw_flags = step > 0 && i % step == 0;
    }
}

static void check_kernels(band_scene *s)
{
    static const char *const ways[] = {"by depth", "few are turned", "by sides"};
    static const uint32_t steps[] = {0, 5, 2};
    uint32_t ids[MAX_TRIANGLES];
    memcpy(ids, s->ids, sizeof ids);
    use_samples(s, &expected);
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        evaluate(s, i);
    }
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (!mrw_isa_available((mrw_isa)isa)) {
            continue;
        }
        use_samples(s, &seen);
        mrwi_raster_cover_kernels_for((mrw_isa)isa)
            ->cover(&s->geometry, &s->band.seen, s->ids, s->id_count);
        compare_samples(s, &seen, &expected, mrw_isa_name((mrw_isa)isa));
        for (uint32_t way = 0; way < 3; way++) {
            turn_some(s, steps[way]);
            use_samples(s, &seen);
            cover_nearest_first(s, (mrw_isa)isa);
            compare_samples(s, &seen, &expected, ways[way]);
            REQUIRE(memcmp(ids, s->ids, sizeof ids) == 0);
        }
    }
}

/* ---- fragments of triangles whose alpha counts ----------------------------------------------- */

#define LIST_WIDTH     100
#define LIST_ROWS      40
#define LIST_TRIANGLES 40

/* A fragment: where it is shaded, the samples it would win, and their depths. */
typedef struct record {
    uint32_t triangle, pixel, mask;
    float x, y, z[MRWI_SHADE_MAX_SAMPLES];
} record;

static record records[LIST_TRIANGLES * LIST_WIDTH * LIST_ROWS];
static size_t record_count;
static record wanted[LIST_WIDTH * LIST_ROWS];

/* The band's flush. */
static void keep_records(const mrwi_raster_band *band)
{
    mrwi_shade_fragments *f = &band->scratch->fragments;
    const mrwi_raster_candidates *c = &band->scratch->candidates;
    REQUIRE(f->count <= MRWI_SHADE_LIST_MAX);
    for (uint32_t i = 0; i < f->count; i++) {
        record *r = &records[record_count++];
        *r = (record){f->triangle[i], c->pixel[i], c->mask[i], f->x[i], f->y[i], {0}};
        for (uint32_t k = 0; k < band->frame->job->samples; k++) {
            r->z[k] = (r->mask >> k & 1u) != 0 ? c->z[k][i] : 0.0f;
        }
    }
    f->count = 0;
}

/* A pixel of triangle n, by asking each sample. */
static record evaluate_pixel(const band_scene *s, uint32_t n, const plane *depth, int32_t x,
                             int32_t y)
{
    int32_t p[3][2];
    for (uint32_t i = 0; i < 3; i++) {
        p[i][0] = s->vertices[3 * n + i].x;
        p[i][1] = s->vertices[3 * n + i].y;
    }
    record r = {.triangle = n, .pixel = (uint32_t)((y - s->band.box.y0) * 1000 + x)};
    for (uint32_t k = s->job.samples; k-- > 0;) {
        const int32_t sx = x * 256 + 128 + standard[s->pattern][k][0] * 16;
        const int32_t sy = y * 256 + 128 + standard[s->pattern][k][1] * 16;
        if (!covers((const int32_t(*)[2])p, sx, sy)) {
            continue;
        }
        r.x = (float)sx / 256.0f; /* the lowest stays */
        r.y = (float)sy / 256.0f;
        const float z = depth_at(depth, r.x, r.y);
        const size_t at = mrwi_raster_sample_index(&s->band.seen, y, k) + (size_t)x;
        if (z < s->band.seen.z[at] ||
            (z == s->band.seen.z[at] && (int32_t)n < s->band.seen.id[at])) {
            r.mask |= 1u << k;
            r.z[k] = z;
        }
    }
    if (covers((const int32_t(*)[2])p, x * 256 + 128, y * 256 + 128)) {
        r.x = (float)x + 0.5f;
        r.y = (float)y + 0.5f;
    }
    return r;
}

/* Triangle n's records begin at `at`, in any order; returns where they end. */
static size_t check_records(const band_scene *s, uint32_t n, size_t at)
{
    const plane depth = plane_of(s, n);
    size_t left = 0;
    for (int32_t y = s->band.box.y0; y < s->band.box.y1; y++) {
        for (int32_t x = 0; x < s->band.box.x1; x++) {
            record *w = &wanted[(y - s->band.box.y0) * LIST_WIDTH + x];
            *w = evaluate_pixel(s, n, &depth, x, y);
            left += w->mask != 0;
        }
    }
    for (; left > 0; left--, at++) {
        REQUIRE(at < record_count);
        record *w = &wanted[records[at].pixel / 1000 * LIST_WIDTH + records[at].pixel % 1000];
        REQUIRE(w->mask != 0 && memcmp(w, &records[at], sizeof *w) == 0);
        w->mask = 0; /* once */
    }
    return at;
}

/* Half of the triangles are there already. */
START_TEST(fragments_match_the_evaluator)
{
    static mrwi_raster_scratch scratch;
    random_state = 77 + (uint64_t)_i;
    for (int n = 0; n < TEST_ROUNDS(60); n++) {
        const int32_t width = random_between(1, LIST_WIDTH), height = random_between(1, 60);
        const int32_t y0 = random_between(0, height - 1);
        begin(&the_scene, _i, width, height, y0, height < y0 + LIST_ROWS ? height : y0 + LIST_ROWS);
        const enum kind only = (enum kind)(n % (2 * KINDS));
        for (int tries = 0; tries < 400 && the_scene.triangle_count < LIST_TRIANGLES - 1; tries++) {
            add_random(&the_scene, only < KINDS ? only : (enum kind)random_between(0, KINDS - 1));
        }
        const mrwi_raster_collector to = collect_to(&the_scene, &scratch, keep_records);
        use_samples(&the_scene, &seen);
        mrwi_raster_cover_kernels_for(MRW_ISA_SCALAR)
            ->cover(&the_scene.geometry, &the_scene.band.seen, the_scene.ids,
                    the_scene.id_count / 2);
        for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
            if (!mrw_isa_available((mrw_isa)isa)) {
                continue;
            }
            size_t at = 0;
            record_count = 0;
            scratch.fragments.count = 0;
            mrwi_raster_cover_kernels_for((mrw_isa)isa)
                ->collect(&the_scene.geometry, &to, the_scene.ids, the_scene.id_count);
            keep_records(&the_scene.band);
            for (uint32_t i = 0; i < the_scene.id_count; i++) {
                at = check_records(&the_scene, the_scene.ids[i], at);
            }
            ck_assert_uint_eq(at, record_count);
        }
    }
}
END_TEST

/* ---- tests ----------------------------------------------------------------------------------- */

START_TEST(kernels_match_the_evaluator)
{
    random_state = 41 + (uint64_t)_i;
    for (int n = 0; n < TEST_ROUNDS(160); n++) {
        make_scene(&the_scene, _i, n);
        check_kernels(&the_scene);
    }
}
END_TEST

/* Boxes of each size about the limits between the ways through a triangle, from each column on. */
START_TEST(sizes_and_alignments)
{
    for (int32_t size = 1; size <= 40; size += size < 28 ? 1 : 4) {
        begin(&the_scene, _i, 96, 44, 3, 41);
        for (int32_t x = 0; x < 18; x++) {
            const int32_t left = x * 256 + 8, right = left + size * 256 - 16;
            const int32_t p[3][2] = {{left, 500 + x}, {right, 520 + size * 200}, {left + 9, 12000}};
            const float z[3] = {0.01f * (float)x, 0.9f, 0.5f};
            add_triangle(&the_scene, p, z);
            const int32_t flat[3][2] = {
                {left, 2000}, {right, 2000 + 7 * x}, {left + size * 100, 2000 + size * 256}};
            add_triangle(&the_scene, flat, z);
            /* level edges, through every sample position in turn */
            const int32_t level = 20 * 256 + 16 * x;
            const int32_t above[3][2] = {{left, 2000}, {right, level}, {left, level}};
            const int32_t below[3][2] = {{left, level}, {right, level}, {left, level + 3000}};
            add_triangle(&the_scene, above, z);
            const float behind[3] = {0.6f, 0.95f, 0.6f};
            add_triangle(&the_scene, below, behind);
        }
        check_kernels(&the_scene);
    }
}
END_TEST

/* More covered samples than the kernels' lists hold at once. */
START_TEST(long_lists)
{
    begin(&the_scene, _i, 12, 12, 0, 12);
    for (int32_t n = 0; n < MAX_TRIANGLES; n++) {
        const int32_t p[3][2] = {{256 * (n % 5), 0}, {256 * (n % 5) + 1400, 0}, {256, 1500}};
        const float depth = 0.01f * (float)(n * 37 % 80);
        const float z[3] = {depth, depth + 0.1f, depth};
        add_triangle(&the_scene, p, z);
    }
    ck_assert_uint_eq(the_scene.id_count, MAX_TRIANGLES);
    check_kernels(&the_scene);
}
END_TEST

/* Layers that hide one another, level or steep, in any order, some at the same depth. */
START_TEST(many_behind_one_another)
{
    random_state = 7 + (uint64_t)_i;
    for (int n = 0; n < TEST_ROUNDS(60); n++) {
        const int32_t width = random_between(14, MAX_WIDTH), height = random_between(1, 40);
        const int32_t band_y0 = random_between(0, height / 2);
        begin(&the_scene, _i, width, height, band_y0, height);
        const int32_t size = 256 * (n % 3 == 0 ? 300 : random_between(10, 60));
        for (int tries = 0; tries < 400 && the_scene.triangle_count < MAX_TRIANGLES; tries++) {
            const int32_t x = random_between(-size / 2, width * 256);
            const int32_t y = random_between(-size / 2, height * 256);
            const int32_t p[3][2] = {{x, y}, {x + size, y + random_between(0, 999)}, {x, y + size}};
            const float near_z = 0.05f * (float)random_between(1, 15);
            const float slope = n % 2 == 0 ? 0.0f : random_float(0.0f, 0.1f);
            const float z[3] = {near_z + slope, near_z, near_z + slope};
            add_triangle(&the_scene, p, z);
        }
        check_kernels(&the_scene);
    }
}
END_TEST

/* Blocks of depths, each of which is somewhere the farthest. */
START_TEST(farthest_of_blocks)
{
    enum { STRIDE = 80, ROWS = 9, COLUMNS = 4 };
    static float z[ROWS * STRIDE];
    random_state = 3;
    for (size_t rows = 1; rows <= ROWS; rows++) {
        for (size_t at = 0; at < rows * COLUMNS * MRWI_RASTER_BLOCK_WIDTH; at++) {
            const size_t x = at % (COLUMNS * MRWI_RASTER_BLOCK_WIDTH), start = random_bits() % 16;
            for (size_t i = 0; i < ROWS * STRIDE; i++) {
                z[i] = random_float(0.0f, 0.9f);
            }
            z[at / (COLUMNS * MRWI_RASTER_BLOCK_WIDTH) * STRIDE + x + start] = 0.95f;
            float most[COLUMNS] = {0};
            for (size_t i = 0; i < rows * COLUMNS * MRWI_RASTER_BLOCK_WIDTH; i++) {
                const size_t column = i / MRWI_RASTER_BLOCK_WIDTH % COLUMNS;
                const float here = z[i / (COLUMNS * MRWI_RASTER_BLOCK_WIDTH) * STRIDE + start +
                                     i % (COLUMNS * MRWI_RASTER_BLOCK_WIDTH)];
                most[column] = here > most[column] ? here : most[column];
            }
            for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
                float most_seen[COLUMNS + 2] = {GUARD_Z, [COLUMNS + 1] = GUARD_Z};
                if (!mrw_isa_available((mrw_isa)isa)) {
                    continue;
                }
                mrwi_raster_cover_kernels_for((mrw_isa)isa)
                    ->farthest(z + start, STRIDE, rows, COLUMNS, most_seen + 1);
                REQUIRE(memcmp(most_seen + 1, most, sizeof most) == 0);
                REQUIRE(most_seen[0] == GUARD_Z && most_seen[COLUMNS + 1] == GUARD_Z);
            }
        }
    }
}
END_TEST

START_TEST(nothing_to_draw)
{
    begin(&the_scene, 0, 20, 20, 0, 20);
    check_kernels(&the_scene);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cover_kernels");
    TCase *kernels = tcase_create("kernels");
    tcase_set_timeout(kernels, 120);
    tcase_add_loop_test(kernels, kernels_match_the_evaluator, 0, 4);
    tcase_add_loop_test(kernels, sizes_and_alignments, 0, 4);
    tcase_add_loop_test(kernels, long_lists, 0, 4);
    tcase_add_loop_test(kernels, many_behind_one_another, 0, 4);
    tcase_add_test(kernels, farthest_of_blocks);
    tcase_add_loop_test(kernels, fragments_match_the_evaluator, 0, 4);
    tcase_add_test(kernels, nothing_to_draw);
    suite_add_tcase(s, kernels);
    return s;
}

TEST_MAIN(suite())
