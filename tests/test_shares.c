/* test_shares.c: which draws a pixel shows how much of, against values worked out by hand and an
 * evaluator in double precision: the layers of each sample by their depths, alpha times what those
 * before it leave; with more of them than a band may keep, too.
 */
#include "raster_fixture.h"

#define MOST 48 /* draws */
#define ALL  MRW_RASTER_SHARE_ALL

/* Draws of triangles; pixels are the units of x and y, z is depth. */
typedef struct world {
    uint32_t count;
    float (*positions[MOST])[4];
    uint32_t *indices[MOST]; /* 0, 1, 2, ... */
    mrw_raster_material materials[MOST];
    mrw_raster_draw draws[MOST];
    uint32_t samples;
    mrw_isa isa;
    int threads;
    uint32_t shares[SIDE * SIDE][MOST];
    uint8_t taken[SIDE * SIDE]; /* how often */
} world;

static world *make_world(uint32_t samples)
{
    world *w = calloc(1, sizeof *w);
    w->samples = samples;
    w->threads = 1;
    return w;
}

static void free_world(world *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        free(w->positions[i]);
        free(w->indices[i]);
    }
    free(w);
}

/* mode: 0 opaque, 1 masked from an alpha of one half on, 2 blended. */
static void begin_draw(world *w, int mode, float alpha, uint32_t triangles)
{
    const uint32_t i = w->count++;
    ck_assert_uint_le(w->count, MOST);
    w->positions[i] = calloc(3 * (size_t)triangles, sizeof **w->positions);
    w->indices[i] = calloc(3 * (size_t)triangles, sizeof **w->indices);
    for (uint32_t v = 0; v < 3 * triangles; v++) {
        w->indices[i][v] = v;
    }
    w->materials[i] = double_sided;
    w->materials[i].alpha_mode = (uint8_t)mode;
    w->materials[i].alpha_cutoff = 0.5f;
    w->materials[i].base_color[3] = alpha;
    w->draws[i] = (mrw_raster_draw){.vertex_count = 3 * triangles,
                                    .triangle_count = triangles,
                                    .indices = w->indices[i],
                                    .positions = w->positions[i][0],
                                    .normals = w->positions[i][0], /* alpha does not read them */
                                    .id = i + 1,
                                    .material = &w->materials[i]};
}

/* Two triangles, as wide as the picture, so many rows high. */
static void put_sheet(float (*p)[4], float rows, float left, float right)
{
    const float s = SIDE;
    const float corners[6][4] = {{0, 0, left, 1},  {0, rows, left, 1}, {s, 0, right, 1},
                                 {s, 0, right, 1}, {0, rows, left, 1}, {s, rows, right, 1}};
    memcpy(p, corners, sizeof corners);
}

static void add_sheet(world *w, int mode, float alpha, float z)
{
    begin_draw(w, mode, alpha, 2);
    put_sheet(w->positions[w->count - 1], SIDE, z, z);
}

static void take(void *user, int worker, uint32_t x, uint32_t y, const mrw_raster_share *shares,
                 uint32_t count)
{
    world *w = user;
    const size_t pixel = (size_t)y * SIDE + x;
    REQUIRE(worker >= 0 && worker < w->threads && x < SIDE && y < SIDE && count > 0);
    w->taken[pixel]++;
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(shares[i].draw < w->count && shares[i].share > 0);
        REQUIRE(w->shares[pixel][shares[i].draw] == 0);
        w->shares[pixel][shares[i].draw] = shares[i].share;
    }
}

static mrw_raster_job job_of(const world *w)
{
    return (mrw_raster_job){.draws = w->draws,
                            .draw_count = w->count,
                            .view = {pixel_space(SIDE), {0, 0, 1}, true},
                            .shading = MRW_SHADING_LIT,
                            .exposure = 1.0f,
                            .samples = w->samples,
                            .width = SIDE,
                            .height = SIDE,
                            .isa = w->isa,
                            .threads = w->threads};
}

static void draw(world *w)
{
    const mrw_raster_shares shares = {take, w};
    mrw_raster *raster;
    mrw_raster_job job = job_of(w);
    job.shares = &shares;
    memset(w->shares, 0, sizeof w->shares);
    memset(w->taken, 0, sizeof w->taken);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &job, NULL), MRW_OK);
    mrw_raster_free(raster);
}

/* The alpha of the picture; returns how many of its bands had too many fragments. */
static uint32_t draw_alpha(const world *w, float *alpha)
{
    const mrw_target target = {MRW_TARGET_ALPHA, MRW_FORMAT_F32, 1, alpha, SIDE * sizeof *alpha};
    mrw_raster *raster;
    mrw_raster_job job = job_of(w);
    job.targets = &target;
    job.target_count = 1;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &job, NULL), MRW_OK);
    const uint32_t sorted = mrw_raster_sorted_bands(raster);
    mrw_raster_free(raster);
    return sorted;
}

/* All kernels and numbers of threads find the same. */
static void check_sameness(world *w)
{
    uint32_t(*shares)[MOST] = malloc(sizeof w->shares);
    memcpy(shares, w->shares, sizeof w->shares);
    for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
        if (mrw_isa_available((mrw_isa)isa)) {
            w->isa = (mrw_isa)isa;
            w->threads = 1 + isa % 3;
            draw(w);
            ck_assert(memcmp(shares, w->shares, sizeof w->shares) == 0);
        }
    }
    w->isa = MRW_ISA_AUTO;
    w->threads = 1;
    free(shares);
}

/* Shares add up to the picture's alpha, and pixels without any are not handed out. */
static void check_sums(const world *w)
{
    float *alpha = malloc(SIDE * SIDE * sizeof *alpha);
    draw_alpha(w, alpha);
    for (int p = 0; p < SIDE * SIDE; p++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < w->count; i++) {
            sum += w->shares[p][i];
        }
        REQUIRE(w->taken[p] == (sum > 0) && sum <= ALL);
        REQUIRE(fabs((double)sum / ALL - (double)alpha[p]) < 2e-6);
    }
    free(alpha);
}

/* ---- what has to come of it ------------------------------------------------------------------ */

typedef struct layer {
    double z;
    uint32_t draw;
} layer;

static int nearer_first(const void *a, const void *b)
{
    const double x = ((const layer *)a)->z, y = ((const layer *)b)->z;
    return (x > y) - (x < y);
}

/* Depth of a triangle at a point in pixels. */
static double depth_at(const float (*p)[4], double x, double y)
{
    const double ax = (double)p[1][0] - p[0][0], ay = (double)p[1][1] - p[0][1];
    const double bx = (double)p[2][0] - p[0][0], by = (double)p[2][1] - p[0][1];
    const double area = ax * by - ay * bx, dx = x - p[0][0], dy = y - p[0][1];
    return p[0][2] + ((dx * by - dy * bx) * ((double)p[1][2] - p[0][2]) +
                      (ax * dy - ay * dx) * ((double)p[2][2] - p[0][2])) /
                         area;
}

static uint32_t layers_at(const world *w, int64_t sx, int64_t sy, layer *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t t = 0; t < w->draws[i].triangle_count; t++) {
            const float(*p)[4] = (const float(*)[4])w->positions[i] + 3 * (size_t)t;
            int32_t corner[3][2];
            for (int c = 0; c < 3; c++) {
                corner[c][0] = (int32_t)(p[c][0] * 256.0f);
                corner[c][1] = (int32_t)(p[c][1] * 256.0f);
            }
            if (covers((const int32_t(*)[2])corner, sx, sy)) {
                out[count++] = (layer){depth_at(p, (double)sx / 256, (double)sy / 256), i};
            }
        }
    }
    return count;
}

/* Adds what a sample shows of the draws; false where two depths are too near to tell. */
static bool add_sample(const world *w, int x, int y, const int8_t offset[2], layer *layers,
                       double *sums)
{
    const uint32_t count =
        layers_at(w, x * 256 + 128 + offset[0] * 16, y * 256 + 128 + offset[1] * 16, layers);
    double left = 1.0 / w->samples;
    qsort(layers, count, sizeof *layers, nearer_first);
    for (uint32_t i = 0; i < count; i++) {
        const mrw_raster_material *m = &w->materials[layers[i].draw];
        const double given = (double)m->base_color[3];
        const double alpha = m->alpha_mode == 2 ? given : m->alpha_mode == 1 ? given >= 0.5 : 1.0;
        if (i > 0 && layers[i].z - layers[i - 1].z < 1e-5) {
            return false;
        }
        sums[layers[i].draw] += alpha * left;
        left -= alpha * left;
    }
    return true;
}

/* Of each `step`th pixel of the first rows; nearly all of them have to be clear. */
static void check_pixels(const world *w, int rows, int step)
{
    const int row = w->samples == 1 ? 0 : w->samples == 2 ? 1 : w->samples == 4 ? 2 : 3;
    uint32_t most = 0, looked = 0, clear = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        most += w->draws[i].triangle_count;
    }
    layer *layers = malloc(most * sizeof *layers);
    for (int p = 0; p < rows * SIDE; p += step, looked++) {
        double sums[MOST] = {0};
        bool told = true;
        for (uint32_t s = 0; s < w->samples; s++) {
            told = add_sample(w, p % SIDE, p / SIDE, standard[row][s], layers, sums) && told;
        }
        for (uint32_t i = 0; i < w->count && told; i++) {
            REQUIRE(fabs((double)w->shares[p][i] / ALL - sums[i]) < 2e-6);
        }
        clear += told;
    }
    ck_assert_uint_ge(clear, looked * 9 / 10);
    free(layers);
}

/* ---- layers ---------------------------------------------------------------------------------- */

static void check_all(const world *w, const uint32_t *wanted)
{
    for (int p = 0; p < SIDE * SIDE; p++) {
        REQUIRE(w->taken[p] == 1 && memcmp(w->shares[p], wanted, w->count * sizeof *wanted) == 0);
    }
}

/* One half over one half over something opaque, or nothing: in any order of draws. */
START_TEST(halves_by_hand)
{
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        world *w = make_world(samples);
        add_sheet(w, 0, 1.0f, 0.9f);
        add_sheet(w, 2, 0.5f, 0.3f);
        add_sheet(w, 2, 0.5f, 0.6f);
        draw(w);
        check_all(w, (uint32_t[]){ALL / 4, ALL / 2, ALL / 4});
        w->materials[0].alpha_mode = 2; /* of alpha 1 */
        draw(w);
        check_all(w, (uint32_t[]){ALL / 4, ALL / 2, ALL / 4});
        w->materials[0].base_color[3] = 0.0f;
        draw(w);
        check_all(w, (uint32_t[]){0, ALL / 2, ALL / 4});
        w->materials[0].base_color[3] = 0.25f;
        draw(w);
        check_all(w, (uint32_t[]){ALL / 16, ALL / 2, ALL / 4});
        free_world(w);
    }
}
END_TEST

/* A mask between them is whole, or not at all. */
START_TEST(masks_are_whole_or_not_there)
{
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        world *w = make_world(samples);
        add_sheet(w, 2, 0.5f, 0.3f);
        add_sheet(w, 1, 0.6f, 0.5f);
        add_sheet(w, 2, 0.5f, 0.6f);
        add_sheet(w, 0, 1.0f, 0.9f);
        draw(w);
        check_all(w, (uint32_t[]){ALL / 2, ALL / 2, 0, 0});
        w->materials[1].base_color[3] = 0.4f;
        draw(w);
        check_all(w, (uint32_t[]){ALL / 2, 0, ALL / 4, ALL / 4});
        free_world(w);
    }
}
END_TEST

/* A draw's layers are one share, whatever lies between them. */
START_TEST(a_draw_has_one_share)
{
    world *w = make_world(2);
    begin_draw(w, 2, 0.5f, 4);
    put_sheet(w->positions[0], SIDE, 0.6f, 0.6f);
    put_sheet(w->positions[0] + 6, SIDE, 0.2f, 0.2f);
    add_sheet(w, 2, 0.5f, 0.4f);
    draw(w);
    check_all(w, (uint32_t[]){ALL / 2 + ALL / 8, ALL / 4});
    free_world(w);
}
END_TEST

/* Of equal depths the later draw's lies before the other, as in the picture. */
START_TEST(ties_go_by_draw_order)
{
    world *w = make_world(4);
    add_sheet(w, 2, 0.5f, 0.5f);
    add_sheet(w, 2, 0.25f, 0.5f);
    draw(w);
    check_all(w, (uint32_t[]){ALL / 8 * 3, ALL / 4});
    free_world(w);
}
END_TEST

static void add_random(world *w, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const int mode = i % 8 == 0 ? 0 : i % 4 == 2 ? 1 : 2;
        begin_draw(w, mode, i % 7 == 5 ? 1.0f : random_float(0.05f, 0.95f), 1);
        for (int c = 0; c < 3; c++) {
            float *p = w->positions[w->count - 1][c];
            p[0] = (float)random_between(0, SIDE * 256) / 256.0f;
            p[1] = (float)random_between(0, SIDE * 256) / 256.0f;
            p[2] = random_float(0.05f, 0.95f);
            p[3] = 1.0f;
        }
    }
}

START_TEST(random_triangles)
{
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        world *w = make_world(samples);
        add_random(w, MOST);
        draw(w);
        check_pixels(w, SIDE, 1);
        check_sums(w);
        check_sameness(w);
        free_world(w);
    }
}
END_TEST

START_TEST(nothing_has_no_shares)
{
    world *w = make_world(4);
    draw(w);
    add_sheet(w, 2, 0.0f, 0.5f);
    draw(w);
    for (int p = 0; p < SIDE * SIDE; p++) {
        REQUIRE(w->taken[p] == 0);
    }
    free_world(w);
}
END_TEST

/* ---- too many -------------------------------------------------------------------------------- */

#define GROUPS 8

/* 2 * half sheets. Half of them lie flat, each a step behind the one before it; the others, which
 * begin between two of those, fall back by a step from pixel to pixel. So all depths are half a
 * step apart at pixels' centres, and the middles of triangles tell the order nowhere but in the
 * middle. Sheets belong to draws in turn, and come in any order. */
static void add_levels(world *w, uint32_t half, float rows)
{
    const float step = 1.0f / (float)(half + SIDE + 2);
    for (uint32_t g = 0; g < GROUPS; g++) {
        begin_draw(w, 2, 1.0f / (float)(half / 2 + 40 * g), 2 * (2 * half / GROUPS));
    }
    for (uint32_t i = 0; i < 2 * half; i++) {
        const uint32_t place = (uint32_t)((uint64_t)i * 7919 % (2 * half)); /* each once */
        float(*p)[4] = w->positions[i % GROUPS] + 6 * (size_t)(i / GROUPS);
        if (place < half) {
            const float z = ((float)place + 0.5f) * step;
            put_sheet(p, rows, z, z);
        } else {
            const float left = (float)(place - half) + 0.5f;
            put_sheet(p, rows, left * step, (left + SIDE) * step);
        }
    }
}

/* More than a band may keep: the picture blends triangle by triangle, shares stay exact. */
START_TEST(too_many_for_a_band)
{
    float *alpha = malloc(SIDE * SIDE * sizeof *alpha);
    world *w = make_world(1);
    add_levels(w, 548, SIDE);
    add_sheet(w, 0, 1.0f, 0.99f);
    ck_assert_uint_eq(draw_alpha(w, alpha), SIDE / MRWI_RASTER_BLEND_ROWS);
    draw(w);
    check_pixels(w, SIDE, 37);
    check_sums(w);
    check_sameness(w);
    free_world(w);
    free(alpha);
}
END_TEST

START_TEST(too_many_for_a_row)
{
    world *w = make_world(1);
    add_levels(w, 4112, 2);
    draw(w);
    ck_assert_uint_gt(2 * 4112 * SIDE, MRW_RASTER_FRAGMENTS_MAX);
    check_pixels(w, 2, 5);
    for (int p = 0; p < SIDE * SIDE; p++) {
        REQUIRE(w->taken[p] == (p < 2 * SIDE));
    }
    free_world(w);
}
END_TEST

/* `count` triangles that cover the centre of the first pixel and no other. */
static void add_dots(world *w, uint32_t count, float alpha, float z)
{
    begin_draw(w, 2, alpha, count);
    for (uint32_t v = 0; v < 3 * count; v++) {
        const float x = v % 3 == 2 ? 1.25f : 0.25f, y = v % 3 == 1 ? 1.25f : 0.25f;
        memcpy(w->positions[w->count - 1][v], (float[4]){x, y, z, 1}, 4 * sizeof(float));
    }
}

/* Then the farthest are left out. */
START_TEST(too_many_for_a_pixel)
{
    const float thin = 0x1p-20f;
    for (int i = 0; i < 2; i++) {
        const uint32_t near = MRW_RASTER_FRAGMENTS_MAX - (i == 0 ? 100 : 0);
        const double left = pow(1 - (double)thin, near);
        world *w = make_world(1);
        add_dots(w, 100, 0.5f, 0.6f);
        add_dots(w, near, thin, 0.4f);
        add_sheet(w, 0, 1.0f, 0.9f);
        draw(w);
        ck_assert_double_eq_tol((double)w->shares[0][1] / ALL, 1 - left, 1e-4);
        ck_assert_double_eq_tol((double)w->shares[0][i == 0 ? 0 : 2] / ALL, left, 1e-4);
        ck_assert_uint_eq(w->shares[0][i == 0 ? 2 : 0], 0);
        ck_assert_uint_eq(w->shares[1][2], ALL);
        free_world(w);
    }
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

START_TEST(shares_have_no_targets_beside_them)
{
    static uint32_t ids[4];
    const mrw_raster_shares shares = {take, NULL};
    const mrw_target target = {MRW_TARGET_ID, MRW_FORMAT_U32, 1, ids, 8};
    mrw_raster_job job = {.width = 2, .height = 2, .samples = 1, .shares = &shares};
    ck_assert(mrwi_raster_targets_fit(&job));
    job.targets = &target;
    job.target_count = 1;
    ck_assert(!mrwi_raster_targets_fit(&job));
    job.shares = NULL;
    ck_assert(mrwi_raster_targets_fit(&job));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("shares");
    TCase *tc = tcase_create("shares");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, halves_by_hand);
    tcase_add_test(tc, masks_are_whole_or_not_there);
    tcase_add_test(tc, a_draw_has_one_share);
    tcase_add_test(tc, ties_go_by_draw_order);
    tcase_add_test(tc, random_triangles);
    tcase_add_test(tc, nothing_has_no_shares);
    tcase_add_test(tc, too_many_for_a_band);
    tcase_add_test(tc, too_many_for_a_row);
    tcase_add_test(tc, too_many_for_a_pixel);
    tcase_add_test(tc, shares_have_no_targets_beside_them);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
