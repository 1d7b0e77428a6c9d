/* test_abuffer.c: transparent surfaces, sample by sample in the order of their depths there,
 * against an evaluator in double precision; in any order of draws, kernels and threads; and what is
 * done where there are too many.
 */
#include "raster_fixture.h"

#include <marrow/raster.h>

#define MOST 1400 /* draws */

/* Draws of triangles each; pixels are the units of x and y, z is depth. */
typedef struct world {
    uint32_t count, triangles; /* draws, and triangles of each */
    float positions[MOST][6][4];
    mrw_raster_material materials[MOST];
    mrw_raster_draw draws[MOST];
    uint32_t samples;
    mrw_isa isa;
    int threads;
    uint8_t covered[SIDE * SIDE];
    uint8_t pixels[SIDE * SIDE * 3];
    uint32_t sorted_bands;
} world;

static world *make_world(uint32_t samples)
{
    world *w = calloc(1, sizeof *w);
    w->samples = samples;
    w->threads = 1;
    return w;
}

/* A draw of two triangles; alpha 1 is opaque. */
static void add(world *w, const float (*corners)[4], uint32_t triangles, const float rgba[4])
{
    static const float normals[6][4] = {{0, 0, 1, 0}};
    static const uint32_t indices[6] = {0, 1, 2, 3, 4, 5};
    const uint32_t i = w->count++;
    ck_assert_uint_le(w->count, MOST);
    memcpy(w->positions[i], corners, 3 * triangles * sizeof corners[0]);
    w->materials[i] = double_sided;
    memcpy(w->materials[i].base_color, rgba, 4 * sizeof rgba[0]);
    w->materials[i].alpha_mode = rgba[3] == 1.0f ? 0 : 2;
    w->draws[i] = (mrw_raster_draw){.vertex_count = 3 * triangles,
                                    .triangle_count = triangles,
                                    .indices = indices,
                                    .normals = normals[0],
                                    .id = i + 1};
}

/* All of the picture, from depth `left` at its left edge to `right`. */
static void add_sheet(world *w, float left, float right, const float rgba[4])
{
    const float s = SIDE;
    const float corners[6][4] = {{0, 0, left, 1},  {0, s, left, 1}, {s, 0, right, 1},
                                 {s, 0, right, 1}, {0, s, left, 1}, {s, s, right, 1}};
    add(w, corners, 2, rgba);
}

static void draw(world *w)
{
    mrw_raster *raster;
    mrw_target targets[2] = {{.kind = MRW_TARGET_COLOR,
                              .format = MRW_FORMAT_U8,
                              .channels = 3,
                              .data = w->pixels,
                              .stride = SIDE * 3},
                             {.kind = MRW_TARGET_COVERAGE,
                              .format = MRW_FORMAT_U8,
                              .channels = 1,
                              .data = w->covered,
                              .stride = SIDE}};
    for (uint32_t i = 0; i < w->count; i++) { /* they may have been moved */
        w->draws[i].material = &w->materials[i];
        w->draws[i].positions = w->positions[i][0];
    }
    const mrw_raster_job job = {.draws = w->draws,
                                .draw_count = w->count,
                                .view = {pixel_space(SIDE), {0, 0, 1}, true},
                                .shading = MRW_SHADING_RAW,
                                .exposure = 1.0f,
                                .samples = w->samples,
                                .background = {255, 255, 255, 255},
                                .width = SIDE,
                                .height = SIDE,
                                .targets = targets,
                                .target_count = 2,
                                .isa = w->isa,
                                .threads = w->threads};
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &job, NULL), MRW_OK);
    w->sorted_bands = mrw_raster_sorted_bands(raster);
    mrw_raster_free(raster);
}

/* ---- what has to come of it ------------------------------------------------------------------ */

typedef struct layer {
    double z;
    const float *rgba;
} layer;

/* Those of equal depths stay in draw order. */
static void sort_layers(layer *layers, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t k = i; k > 0 && layers[k - 1].z < layers[k].z; k--) {
            const layer other = layers[k];
            layers[k] = layers[k - 1];
            layers[k - 1] = other;
        }
    }
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

/* What a sample of pixel (x, y) shows; false where two depths are too near to tell. */
static bool sample_of(const world *w, int x, int y, const int8_t offset[2], double out[3])
{
    static layer layers[2 * MOST];
    uint32_t count = 0;
    const int64_t sx = x * 256 + 128 + offset[0] * 16, sy = y * 256 + 128 + offset[1] * 16;
    for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t t = 0; t < w->draws[i].triangle_count; t++) {
            const float(*p)[4] = &w->positions[i][3 * t];
            int32_t corner[3][2];
            for (int c = 0; c < 3; c++) {
                corner[c][0] = (int32_t)(p[c][0] * 256.0f);
                corner[c][1] = (int32_t)(p[c][1] * 256.0f);
            }
            if (covers((const int32_t(*)[2])corner, sx, sy)) {
                layers[count++] = (layer){depth_at(p, (double)sx / 256, (double)sy / 256),
                                          w->materials[i].base_color};
            }
        }
    }
    sort_layers(layers, count);
    out[0] = out[1] = out[2] = 1.0;
    for (uint32_t i = 0; i < count; i++) {
        const double gap = i > 0 ? layers[i - 1].z - layers[i].z : 1.0;
        if (gap > 0.0 && gap < 1e-5) {
            return false;
        }
        for (int c = 0; c < 3; c++) {
            out[c] = layers[i].rgba[c] * (double)layers[i].rgba[3] +
                     out[c] * (1.0 - (double)layers[i].rgba[3]);
        }
    }
    return true;
}

/* Whether any sample of a pixel is. */
static bool is_covered(const world *w, int x, int y)
{
    const int row = w->samples == 1 ? 0 : w->samples == 2 ? 1 : w->samples == 4 ? 2 : 3;
    bool any = false;
    for (uint32_t i = 0; i < w->count * w->samples && !any; i++) {
        const int8_t *offset = standard[row][i % w->samples];
        for (uint32_t t = 0; t < w->draws[i / w->samples].triangle_count; t++) {
            const float(*p)[4] = &w->positions[i / w->samples][3 * t];
            int32_t corner[3][2];
            for (int c = 0; c < 3; c++) {
                corner[c][0] = (int32_t)(p[c][0] * 256.0f);
                corner[c][1] = (int32_t)(p[c][1] * 256.0f);
            }
            any = any || covers((const int32_t(*)[2])corner, x * 256 + 128 + offset[0] * 16,
                                y * 256 + 128 + offset[1] * 16);
        }
    }
    return any;
}

static void check_pixels(const world *w)
{
    const int row = w->samples == 1 ? 0 : w->samples == 2 ? 1 : w->samples == 4 ? 2 : 3;
    uint32_t checked = 0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            double sum[3] = {0}, one[3];
            bool clear = true;
            REQUIRE(w->covered[y * SIDE + x] == is_covered(w, x, y));
            for (uint32_t s = 0; s < w->samples; s++) {
                clear = sample_of(w, x, y, standard[row][s], one) && clear;
                for (int c = 0; c < 3; c++) {
                    sum[c] += one[c];
                }
            }
            for (int c = 0; c < 3 && clear; c++) {
                const double expected = sum[c] / w->samples * 255.0;
                REQUIRE(fabs(w->pixels[(y * SIDE + x) * 3 + c] - expected) <= 0.501);
            }
            checked += clear;
        }
    }
    ck_assert_uint_ge(checked, SIDE * SIDE * 9 / 10);
}

/* All kernels and numbers of threads draw the same. */
static void check_sameness(world *w)
{
    uint8_t pixels[sizeof w->pixels], covered[sizeof w->covered];
    const uint32_t sorted = w->sorted_bands;
    memcpy(pixels, w->pixels, sizeof pixels);
    memcpy(covered, w->covered, sizeof covered);
    for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
        if (mrw_isa_available((mrw_isa)isa)) {
            w->isa = (mrw_isa)isa;
            w->threads = 1 + isa % 3;
            draw(w);
            ck_assert(memcmp(pixels, w->pixels, sizeof pixels) == 0);
            ck_assert(memcmp(covered, w->covered, sizeof covered) == 0);
            ck_assert_uint_eq(w->sorted_bands, sorted);
        }
    }
    w->isa = MRW_ISA_AUTO;
    w->threads = 1;
}

static void random_color(float rgba[4])
{
    for (int c = 0; c < 3; c++) {
        rgba[c] = random_float(0.0f, 1.0f);
    }
    rgba[3] = random_float(0.2f, 0.9f);
}

static void add_random(world *w, uint32_t count, float least, float most)
{
    for (uint32_t i = 0; i < count; i++) {
        float corners[3][4], rgba[4];
        for (int c = 0; c < 3; c++) {
            corners[c][0] = (float)random_between(0, SIDE * 256) / 256.0f;
            corners[c][1] = (float)random_between(0, SIDE * 256) / 256.0f;
            corners[c][2] = random_float(least, most);
            corners[c][3] = 1.0f;
        }
        random_color(rgba);
        add(w, (const float(*)[4])corners, 1, rgba);
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Two sheets that cross in the middle: centroids are equally far, and each is in front on a side.
 */
START_TEST(crossing_sheets)
{
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        world *w = make_world(samples);
        add_sheet(w, 0.1f, 0.905f, (float[4]){1, 0, 0, 0.5f});
        add_sheet(w, 0.9f, 0.1f, (float[4]){0, 0, 1, 0.75f});
        draw(w);
        /* red over blue over white, then blue over red over white */
        static const uint8_t left[3] = {159, 32, 128}, right[3] = {64, 32, 223};
        for (int c = 0; c < 3; c++) {
            ck_assert_int_le(abs(w->pixels[(30 * SIDE + 3) * 3 + c] - left[c]), 1);
            ck_assert_int_le(abs(w->pixels[(30 * SIDE + 60) * 3 + c] - right[c]), 1);
        }
        check_pixels(w);
        check_sameness(w);
        free(w);
    }
}
END_TEST

START_TEST(random_triangles)
{
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        world *w = make_world(samples);
        add_random(w, 30, 0.05f, 0.95f);
        for (int i = 0; i < 3; i++) { /* opaque among them */
            w->materials[10 * i].base_color[3] = 1.0f;
            w->materials[10 * i].alpha_mode = 0;
        }
        draw(w);
        check_pixels(w);
        check_sameness(w);
        free(w);
    }
}
END_TEST

/* Chains of hundreds, which are sorted in another way. */
START_TEST(long_chains)
{
    world *w = make_world(4);
    add_random(w, 400, 0.05f, 0.95f);
    draw(w);
    check_pixels(w);
    check_sameness(w);
    free(w);
}
END_TEST

/* Hundreds of sheets whose order turns round in the middle of the picture, between the samples of a
 * pixel, and whose centroids, nearly all as far, say nothing of it at its edges. */
START_TEST(many_cross_at_once)
{
    const uint32_t count = TEST_ROUNDS(200);
    world *w = make_world(4);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = i * 77 % count; /* has no common divisor: each once */
        const float z = 0.05f + 0.9f * (float)place / (float)count;
        float rgba[4];
        random_color(rgba);
        rgba[3] *= 0.2f;
        add_sheet(w, 0.5f + (z - 0.5f) * (32.5f / 32), 0.5f - (z - 0.5f) * (31.5f / 32), rgba);
    }
    draw(w);
    check_pixels(w);
    check_sameness(w);
    free(w);
}
END_TEST

/* Transparent ones of alpha 1 hide what is behind them, in any order of their drawing; those of
 * nearly 1 among them do not. */
START_TEST(some_let_nothing_through)
{
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        world *w = make_world(samples);
        add_random(w, 200, 0.05f, 0.95f);
        for (uint32_t i = 0; i < w->count; i += 4) {
            w->materials[i].base_color[3] = 1.0f;
            w->materials[i + 1].base_color[3] = 0.97f;
        }
        draw(w);
        check_pixels(w);
        check_sameness(w);
        free(w);
    }
}
END_TEST

/* Alphas of a hundredth, which no byte shows one by one. */
START_TEST(thin_ones_add_up)
{
    world *w = make_world(4);
    for (uint32_t i = 0; i < 60; i++) {
        const float z = 0.1f + 0.01f * (float)i;
        add_sheet(w, z, z, (float[4]){1, 0, 0, i % 2 ? 0.01f : 0.001f});
    }
    draw(w);
    /* 0.99^30 0.999^30 of the white is left */
    ck_assert_int_eq(w->pixels[(20 * SIDE + 20) * 3 + 1], 183);
    check_pixels(w);
    check_sameness(w);
    free(w);
}
END_TEST

START_TEST(draws_in_any_order)
{
    world *w = make_world(4);
    uint8_t first[sizeof w->pixels];
    add_random(w, 60, 0.05f, 0.95f);
    draw(w);
    memcpy(first, w->pixels, sizeof first);
    for (int round = 0; round < 5; round++) {
        for (uint32_t i = w->count - 1; i > 0; i--) {
            const uint32_t k = random_bits() % (i + 1);
            const mrw_raster_material material = w->materials[i];
            float moved[6][4];
            memcpy(moved, w->positions[i], sizeof moved);
            memcpy(w->positions[i], w->positions[k], sizeof moved);
            memcpy(w->positions[k], moved, sizeof moved);
            w->materials[i] = w->materials[k];
            w->materials[k] = material;
        }
        draw(w);
        ck_assert(memcmp(first, w->pixels, sizeof first) == 0);
    }
    free(w);
}
END_TEST

/* Four glasses in one another, drawn in some order: over white, from the far side of the largest
 * through all eight walls. */
START_TEST(glass_in_glass)
{
    static const uint32_t order[8] = {5, 0, 7, 2, 6, 1, 4, 3};
    static const float tint[4][4] = {
        {1, 0, 0, 0.25f}, {0, 1, 0, 0.5f}, {0, 0, 1, 0.5f}, {1, 1, 0, 0.25f}};
    world *w = make_world(4);
    double expected[3] = {1, 1, 1};
    for (int i = 0; i < 8; i++) {
        const uint32_t wall = order[i]; /* from far to near */
        const float z = 0.9f - 0.1f * (float)wall;
        add_sheet(w, z, z, tint[wall < 4 ? wall : 7 - wall]);
    }
    for (int wall = 0; wall < 8; wall++) {
        const float *rgba = tint[wall < 4 ? wall : 7 - wall];
        for (int c = 0; c < 3; c++) {
            expected[c] = rgba[c] * rgba[3] + expected[c] * (1.0 - rgba[3]);
        }
    }
    draw(w);
    for (int c = 0; c < 3; c++) {
        ck_assert_double_le(fabs(w->pixels[(20 * SIDE + 20) * 3 + c] - expected[c] * 255), 0.501);
    }
    check_pixels(w);
    free(w);
}
END_TEST

/* Of equal depths the later draw lies over the other. */
START_TEST(ties_go_by_draw_order)
{
    static const float red[4] = {1, 0, 0, 0.5f}, green[4] = {0, 1, 0, 0.5f};
    for (int swapped = 0; swapped < 2; swapped++) {
        world *w = make_world(2);
        add_sheet(w, 0.5f, 0.5f, swapped ? green : red);
        add_sheet(w, 0.5f, 0.5f, swapped ? red : green);
        draw(w);
        /* half of the upper one, a quarter of the lower, a quarter of white */
        const uint8_t *pixel = w->pixels + (9 * SIDE + 33) * 3;
        ck_assert_int_le(abs(pixel[swapped ? 0 : 1] - 191), 1);
        ck_assert_int_le(abs(pixel[swapped ? 1 : 0] - 128), 1);
        ck_assert_int_le(abs(pixel[2] - 64), 1);
        free(w);
    }
}
END_TEST

/* Two in one plane, whose depths are exact: of the later draw, which the centroids put behind so
 * many others that it is looked at only when the earlier one, which lets nothing through, has
 * hidden what is behind it. The later draw lies over it all the same. */
START_TEST(ties_with_what_lets_nothing_through)
{
    static const float front[3][4] = {{0, 0, 0.25f, 1}, {0, 64, 0.25f, 1}, {32, 0, 0.375f, 1}};
    static const float speck[3][4] = {
        {60, 60, 0.3125f, 1}, {60, 64, 0.3125f, 1}, {64, 60, 0.3125f, 1}};
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        world *w = make_world(samples);
        add_sheet(w, 0.9f, 0.9f, (float[4]){1, 1, 0, 1});
        add(w, front, 1, (float[4]){0, 1, 0, 1});
        w->materials[1].alpha_mode = 2;
        for (int i = 0; i < 130; i++) {
            add(w, speck, 1, (float[4]){0, 0, 0, 0.01f});
        }
        add_sheet(w, 0.25f, 0.5f, (float[4]){0, 0, 1, 0.5f});
        draw(w);
        const uint8_t *pixel = w->pixels + (9 * SIDE + 9) * 3;
        ck_assert_int_eq(pixel[0], 0);
        ck_assert_int_eq(pixel[1], 128);
        ck_assert_int_eq(pixel[2], 128);
        check_pixels(w);
        check_sameness(w);
        free(w);
    }
}
END_TEST

START_TEST(what_is_hidden_shows_nowhere)
{
    world *w = make_world(4), *alone = make_world(4);
    add_sheet(alone, 0.4f, 0.6f, (float[4]){0, 1, 0, 1});
    add_sheet(w, 0.4f, 0.6f, (float[4]){0, 1, 0, 1});
    add_sheet(w, 0.41f, 0.61f, (float[4]){1, 0, 0, 0.5f});
    draw(alone);
    draw(w);
    ck_assert(memcmp(alone->pixels, w->pixels, sizeof w->pixels) == 0);
    free(w);
    free(alone);
}
END_TEST

/* ---- too many -------------------------------------------------------------------------------- */

#define BAND_LAYERS (MRW_RASTER_FRAGMENTS_MAX / (SIDE * MRWI_RASTER_BLEND_ROWS))

_Static_assert(BAND_LAYERS *SIDE *MRWI_RASTER_BLEND_ROWS == MRW_RASTER_FRAGMENTS_MAX,
               "sheets fill a band to the last fragment");

static void add_layers(world *w, uint32_t count, float alpha)
{
    for (uint32_t i = 0; i < count; i++) {
        float rgba[4];
        random_color(rgba);
        rgba[3] = alpha;
        add_sheet(w, random_float(0.1f, 0.9f), random_float(0.1f, 0.9f), rgba);
    }
}

/* As many as there may be, then a single one more, in the uppermost band. Those without alpha
 * are none. */
START_TEST(one_fragment_too_many)
{
    world *w = make_world(1);
    static const float dot[3][4] = {{3, 3, 0.5f, 1}, {3, 5, 0.5f, 1}, {5, 3, 0.5f, 1}};
    add_layers(w, BAND_LAYERS, 0.1f);
    add_sheet(w, 0.2f, 0.2f, (float[4]){1, 1, 1, 0});
    draw(w);
    ck_assert_uint_eq(w->sorted_bands, 0);
    const uint8_t before = w->pixels[(50 * SIDE + 50) * 3];
    add(w, dot, 1, (float[4]){1, 0, 0, 0.5f});
    draw(w);
    ck_assert_uint_eq(w->sorted_bands, 1);
    ck_assert_uint_eq(w->pixels[(50 * SIDE + 50) * 3], before);
    free(w);
}
END_TEST

/* Nor are those behind what lets nothing through. */
START_TEST(hidden_ones_are_not_counted)
{
    world *w = make_world(2);
    add_layers(w, BAND_LAYERS + 80, 0.1f);
    add_sheet(w, 0.05f, 0.05f, (float[4]){0, 1, 0, 1});
    w->materials[w->count - 1].alpha_mode = 2;
    draw(w);
    ck_assert_uint_eq(w->sorted_bands, 0);
    ck_assert_uint_eq(w->pixels[(50 * SIDE + 50) * 3], 0);
    ck_assert_uint_eq(w->pixels[(50 * SIDE + 50) * 3 + 1], 255);
    check_sameness(w);
    free(w);
}
END_TEST

/* Then triangles are blended by the depths of their centroids, where these tell them apart: sheets
 * that lie flat still come out as they should, and all kernels and threads agree. */
START_TEST(too_many_are_sorted_by_triangles)
{
    enum { SHEETS = BAND_LAYERS + 40 };
    world *w = make_world(2);
    for (uint32_t i = 0; i < SHEETS; i++) {
        const float z = 0.1f + 0.8f * (float)(i * 37 % SHEETS) / SHEETS;
        float rgba[4];
        random_color(rgba);
        rgba[3] = 0.05f;
        add_sheet(w, z, z, rgba);
    }
    draw(w);
    ck_assert_uint_eq(w->sorted_bands, SIDE / MRWI_RASTER_BLEND_ROWS);
    const int8_t *const centre = standard[1][0];
    double expected[3];
    ck_assert(sample_of(w, 17, 40, centre, expected));
    for (int c = 0; c < 3; c++) {
        ck_assert_double_le(fabs(w->pixels[(40 * SIDE + 17) * 3 + c] - expected[c] * 255), 0.6);
    }
    check_sameness(w);
    free(w);
}
END_TEST

/* A ground lies behind all that stands on it, however far off that is, and however near
 * the middles of its triangles. */
START_TEST(too_many_stand_on_the_ground)
{
    world *w = make_world(1);
    add_sheet(w, 0.3f, 0.96f, (float[4]){1, 0, 0, 0.5f});
    w->draws[0].ground = MRW_GROUND_COLOR;
    for (uint32_t i = 0; i < BAND_LAYERS + 40; i++) {
        add_sheet(w, 0.9f, 0.9f, (float[4]){0, 1, 0, 0.02f});
    }
    draw(w);
    ck_assert_uint_eq(w->sorted_bands, SIDE / MRWI_RASTER_BLEND_ROWS);
    double expected[3];
    ck_assert(sample_of(w, 61, 40, standard[0][0], expected));
    for (int c = 0; c < 3; c++) {
        ck_assert_double_le(fabs(w->pixels[(40 * SIDE + 61) * 3 + c] - expected[c] * 255), 0.6);
    }
    check_sameness(w);
    free(w);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("abuffer");
    TCase *order = tcase_create("order");
    tcase_set_timeout(order, 60);
    tcase_add_test(order, crossing_sheets);
    tcase_add_test(order, random_triangles);
    tcase_add_test(order, some_let_nothing_through);
    tcase_add_test(order, long_chains);
    tcase_add_test(order, many_cross_at_once);
    tcase_add_test(order, thin_ones_add_up);
    tcase_add_test(order, draws_in_any_order);
    tcase_add_test(order, glass_in_glass);
    tcase_add_test(order, ties_go_by_draw_order);
    tcase_add_test(order, ties_with_what_lets_nothing_through);
    tcase_add_test(order, what_is_hidden_shows_nowhere);
    suite_add_tcase(s, order);
    TCase *many = tcase_create("many");
    tcase_set_timeout(many, 60);
    tcase_add_test(many, one_fragment_too_many);
    tcase_add_test(many, hidden_ones_are_not_counted);
    tcase_add_test(many, too_many_are_sorted_by_triangles);
    tcase_add_test(many, too_many_stand_on_the_ground);
    suite_add_tcase(s, many);
    return s;
}

TEST_MAIN(suite())
