/* test_aniso.c: anisotropic filtering, seen through the whole rasterizer: pixels by hand, and a
 * chequered plane at a grazing angle against what it shows when every pixel is looked at 4096
 * times. The kernels against scalar, and scalar against a double-precision evaluator, are in
 * test_shade.c; which levels of a texture it can show in test_textures.c. */
#include "test.h"

#include "marrow/raster.h"

#include <math.h>

#define WIDE 64
#define HIGH 64
#define SIDE 64

typedef struct view {
    float positions[4][4], normals[4][4], uvs[4][2];
    mrw_raster_material material;
    mrw_raster_draw draw;
    mrw_raster_texture *texture;
    mrw_raster_job job;
    mrw_target target;
    uint8_t pixels[WIDE * HIGH * 3];
} view;

static const mrw_mat4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

/* A square, not lit, whose texture holds linear numbers: bytes of the picture are the sRGB curve of
 * them. */
static view *begin(const uint8_t *rgba)
{
    static const uint32_t indices[6] = {0, 1, 2, 2, 1, 3};
    view *v = calloc(1, sizeof *v);
    ck_assert_int_eq(
        mrw_raster_texture_create(rgba, SIDE, SIDE, MRW_ENCODING_DATA, &v->texture, NULL), MRW_OK);
    for (int i = 0; i < 4; i++) {
        v->positions[i][3] = v->normals[i][1] = 1.0f;
    }
    v->material = (mrw_raster_material){.base_color = {1, 1, 1, 1},
                                        .maps[0].texture = v->texture,
                                        .double_sided = true,
                                        .unlit = true,
                                        .uv_transform = {1, 0, 0, 0, 1, 0}};
    v->draw = (mrw_raster_draw){.vertex_count = 4,
                                .triangle_count = 2,
                                .indices = indices,
                                .positions = v->positions[0],
                                .normals = v->normals[0],
                                .uvs = v->uvs[0],
                                .id = 1,
                                .material = &v->material};
    v->target = (mrw_target){.kind = MRW_TARGET_COLOR,
                             .format = MRW_FORMAT_U8,
                             .channels = 3,
                             .data = v->pixels,
                             .stride = (size_t)WIDE * 3};
    v->job = (mrw_raster_job){.draws = &v->draw,
                              .draw_count = 1,
                              .view = {.world_to_clip = identity, .orthographic = true},
                              .shading = MRW_SHADING_LIT,
                              .filter = MRW_FILTER_ANISO,
                              .exposure = 1.0f,
                              .samples = 1,
                              .width = WIDE,
                              .height = HIGH,
                              .targets = &v->target,
                              .target_count = 1,
                              .threads = 1};
    return v;
}

static void end(view *v)
{
    mrw_raster_texture_free(v->texture);
    free(v);
}

static void draw(view *v, mrw_filter filter)
{
    mrw_raster *raster;
    v->job.filter = filter;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &v->job, NULL), MRW_OK);
    mrw_raster_free(raster);
}

static double linear_of(uint8_t byte)
{
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double seen(const view *v, int x, int y)
{
    return linear_of(v->pixels[(y * WIDE + x) * 3]);
}

static uint8_t noise(int x, int y)
{
    return (uint8_t)((uint32_t)(x * 73 + y * 151 + x * y * 29) * 2654435761u >> 24);
}

static void fill_noise(uint8_t *rgba)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        memset(rgba + 4 * i, noise(i % SIDE, i / SIDE), 3);
        rgba[4 * i + 3] = 255;
    }
}

/* All over the picture, so many texels a pixel across and down. */
static void put_flat(view *v, float across, float down)
{
    for (int i = 0; i < 4; i++) {
        v->positions[i][0] = i / 2 ? 1.0f : -1.0f;
        v->positions[i][1] = i % 2 ? -1.0f : 1.0f;
        v->positions[i][2] = 0.5f;
        v->uvs[i][0] = i / 2 ? across * WIDE / SIDE : 0.0f;
        v->uvs[i][1] = i % 2 ? down * HIGH / SIDE : 0.0f;
    }
}

/* The mean of the texels of a pixel, which is `wide` x `high` of them. */
static double mean_of_texels(int x, int y, int wide, int high)
{
    double sum = 0;
    for (int i = 0; i < wide * high; i++) {
        sum += noise((x * wide + i % wide) % SIDE, (y * high + i / wide) % SIDE) / 255.0;
    }
    return sum / (wide * high);
}

/* Where axes lie along rows and columns and are powers of two of texels, each texel of the pixel is
 * seen by one probe, and counts once. Bytes and the levels of data are rounded. */
START_TEST(a_pixel_is_the_mean_of_its_texels)
{
    static const int sizes[][2] = {{1, 1}, {4, 1}, {1, 4}, {16, 1},
                                   {1, 8}, {2, 2}, {8, 2}, {64, 4}};
    static uint8_t rgba[SIDE * SIDE * 4];
    fill_noise(rgba);
    view *v = begin(rgba);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        put_flat(v, (float)sizes[i][0], (float)sizes[i][1]);
        draw(v, MRW_FILTER_ANISO);
        for (int at = 0; at < WIDE * HIGH; at++) {
            const double expected = mean_of_texels(at % WIDE, at / WIDE, sizes[i][0], sizes[i][1]);
            ck_assert_msg(fabs(seen(v, at % WIDE, at / WIDE) - expected) < 0.006,
                          "%d x %d texels, pixel %d %d: %g, not %g", sizes[i][0], sizes[i][1],
                          at % WIDE, at / WIDE, seen(v, at % WIDE, at / WIDE), expected);
        }
    }
    end(v);
}
END_TEST

/* What is seen head on, or magnified, is what trilinear filtering shows. */
START_TEST(round_footprints_are_trilinear)
{
    static const float steps[] = {0.1f, 0.5f, 1.0f, 1.5f, 2.0f, 3.3f, 8.0f};
    static uint8_t rgba[SIDE * SIDE * 4], trilinear[WIDE * HIGH * 3];
    fill_noise(rgba);
    view *v = begin(rgba);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        put_flat(v, steps[i], -steps[i]);
        draw(v, MRW_FILTER_TRILINEAR);
        memcpy(trilinear, v->pixels, sizeof trilinear);
        draw(v, MRW_FILTER_ANISO);
        for (size_t k = 0; k < sizeof trilinear; k++) {
            ck_assert_int_le(abs(trilinear[k] - v->pixels[k]), 1);
        }
    }
    end(v);
}
END_TEST

/* ---- a plane to the horizon ------------------------------------------------------------------ */

#define NEAR  0.1
#define FAR   60.0
#define SCALE 1.4 /* of the view: 71 degrees */

/* The ground one unit below the eye, which looks along -z; a square of two by two checks a unit,
 * turned by `turn`. */
static void put_ground(view *v, double turn)
{
    for (int i = 0; i < 4; i++) {
        const double x = i / 2 ? 60.0 : -60.0, z = i % 2 ? -0.5 : -59.0;
        v->positions[i][0] = (float)x;
        v->positions[i][2] = (float)z;
        v->uvs[i][0] = (float)(x * cos(turn) - z * sin(turn));
        v->uvs[i][1] = (float)(x * sin(turn) + z * cos(turn));
    }
    v->job.view.orthographic = false;
    v->job.view.world_to_clip = (mrw_mat4){{(float)SCALE, 0, 0, 0, 0, (float)SCALE, 0, 0, 0, 0,
                                            (float)(-FAR / (FAR - NEAR)), -1, 0, (float)-SCALE,
                                            (float)(-FAR * NEAR / (FAR - NEAR)), 0}};
}

/* 64 x 64 looks at a pixel, through a box of its size. */
static double true_ground(int x, int y, double turn)
{
    int white = 0;
    for (int i = 0; i < 64 * 64; i++) {
        const double px = ((x + (i % 64 + 0.5) / 64) / WIDE * 2 - 1) / SCALE;
        const double py = (1 - (y + (i / 64 + 0.5) / 64) / HIGH * 2) / SCALE;
        const double z = 1 / py, wx = -px * z; /* at y = -1 */
        const double u = wx * cos(turn) - z * sin(turn), w = wx * sin(turn) + z * cos(turn);
        white += ((long)floor(2 * u) + (long)floor(2 * w)) % 2 != 0;
    }
    return white / 4096.0;
}

/* How far off a filter is from the truth on average, where the ground is smaller than the checks.
 */
static double error_of(view *v, mrw_filter filter, double turn)
{
    double sum = 0;
    int count = 0;
    draw(v, filter);
    for (int y = HIGH / 2 + 3; y < HIGH - 8; y++) {
        for (int x = 2; x < WIDE - 2; x++, count++) {
            sum += fabs(seen(v, x, y) - true_ground(x, y, turn));
        }
    }
    return sum / count;
}

/* Measured: 6.5 to 8.6 times nearer. */
START_TEST(a_chequered_plane_is_nearer_to_the_truth)
{
    static uint8_t rgba[SIDE * SIDE * 4];
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int odd = (i % SIDE / (SIDE / 2) + i / SIDE / (SIDE / 2)) % 2;
        memset(rgba + 4 * i, odd ? 255 : 0, 3);
        rgba[4 * i + 3] = 255;
    }
    view *v = begin(rgba);
    for (int i = 0; i < 4; i++) {
        const double turn = 0.3 * i;
        put_ground(v, turn);
        const double trilinear = error_of(v, MRW_FILTER_TRILINEAR, turn);
        const double aniso = error_of(v, MRW_FILTER_ANISO, turn);
        ck_assert_msg(aniso < 0.015 && aniso * 5 < trilinear, "turned by %g: %g, trilinear %g",
                      turn, aniso, trilinear);
    }
    end(v);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("aniso");
    TCase *tc = tcase_create("aniso");
    tcase_add_test(tc, a_pixel_is_the_mean_of_its_texels);
    tcase_add_test(tc, round_footprints_are_trilinear);
    tcase_add_test(tc, a_chequered_plane_is_nearer_to_the_truth);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
