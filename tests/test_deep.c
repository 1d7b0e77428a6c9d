/* test_deep.c: pictures of 16 bits a channel: the encoding against the formula in double, the
 * background, and pictures beside those of 8 bits. Their PNGs are read by libpng in
 * test_png_libpng.c. */
#include "cli_fixture.h"

#include "shade/shade.h"

#include <marrow/raster.h>
#include <math.h>

static const mrwi_shade_tone srgb = {.curve = MRWI_SHADE_CURVE_SRGB};
static const mrwi_shade_tone raw = {.curve = MRWI_SHADE_CURVE_RAW};

static mrwi_shade_deep_background ground_of(uint8_t r, uint8_t g, uint8_t b, uint8_t a, bool is_raw)
{
    const uint8_t bytes[4] = {r, g, b, a};
    mrwi_shade_deep_background ground;
    mrwi_shade_deep_background_of(bytes, is_raw, &ground);
    return ground;
}

/* Every value is the nearest of IEC 61966-2-1, but for ties that no double tells. */
START_TEST(values_are_the_nearest)
{
    const mrwi_shade_deep_background none = ground_of(0, 0, 0, 0, false);
    for (int i = 0; i <= 20000; i++) {
        const float x = (float)i / 20000.0f, dark = x * 0.01f;
        const float rgba[1][4] = {{x, dark, x * x, 1.0f}};
        uint16_t got[4];
        mrwi_shade_encode_deep(rgba, 1, &none, 3, srgb, got);
        for (int k = 0; k < 3; k++) {
            const double c = (double)rgba[0][k];
            const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
            ck_assert_msg(fabs(got[k] - s * 65535.0) <= 0.5 + 1e-6, "%.9g is %u, not %.3f", c,
                          got[k], s * 65535.0);
        }
        mrwi_shade_encode_deep(rgba, 1, &none, 3, raw, got);
        ck_assert_double_le(fabs(got[0] - (double)x * 65535.0), 0.5);
    }
}
END_TEST

/* The floats around every border between two values, where an approximation would differ. */
START_TEST(values_change_at_the_borders)
{
    const mrwi_shade_deep_background none = ground_of(0, 0, 0, 0, false);
    for (uint32_t value = 0; value < 65535; value++) {
        const double border = (value + 0.5) / 65535.0;
        const double c = border <= 0.04045 ? border / 12.92 : pow((border + 0.055) / 1.055, 2.4);
        float x = nextafterf(nextafterf((float)c, 0.0f), 0.0f);
        for (int i = 0; i < 5; i++, x = nextafterf(x, 1.0f)) {
            const double s = (double)x <= 0.0031308 ? 12.92 * (double)x
                                                    : 1.055 * pow((double)x, 1 / 2.4) - 0.055;
            const float rgba[1][4] = {{x, x, x, 1.0f}};
            uint16_t got[3];
            mrwi_shade_encode_deep(rgba, 1, &none, 3, srgb, got);
            ck_assert_msg(fabs(got[0] - s * 65535.0) <= 0.5 + 1e-9, "%.9g is %u, not %.9f",
                          (double)x, got[0], s * 65535.0);
        }
    }
}
END_TEST

START_TEST(odd_values_are_held)
{
    static const float odd[] = {-1.0f, 2.0f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN, 0.0f, -0.0f};
    const mrwi_shade_deep_background ground = ground_of(200, 100, 50, 255, false);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
            const float rgba[1][4] = {{odd[i], odd[k], 0.5f, odd[k]}};
            uint16_t got[4];
            mrwi_shade_encode_deep(rgba, 1, &ground, 4, srgb, got);
            mrwi_shade_encode_deep(rgba, 1, &ground, 3, raw, got);
        }
    }
    const float bright[1][4] = {{INFINITY, 2.0f, -1.0f, 1.0f}};
    uint16_t got[3];
    mrwi_shade_encode_deep(bright, 1, &ground, 3, srgb, got);
    ck_assert_uint_eq(got[0], 65535);
    ck_assert_uint_eq(got[1], 65535);
    ck_assert_uint_eq(got[2], 0);
}
END_TEST

/* #rrggbb comes out as 257 times its bytes; half covered by black it is half of its light. */
START_TEST(backgrounds_come_out_as_written)
{
    static const float clear[1][4], half[1][4] = {{0, 0, 0, 0.5f}};
    for (int b = 0; b < 256; b++) {
        const double c = b / 255.0;
        const double linear = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
        const double dim = linear / 2;
        const double s = dim <= 0.0031308 ? 12.92 * dim : 1.055 * pow(dim, 1 / 2.4) - 0.055;
        mrwi_shade_deep_background ground = ground_of((uint8_t)b, 7, 9, 255, false);
        uint16_t got[4];
        mrwi_shade_encode_deep(clear, 1, &ground, 3, srgb, got);
        ck_assert_uint_eq(got[0], (uint32_t)b * 257);
        ck_assert_uint_eq(got[1], 7 * 257);
        mrwi_shade_encode_deep(half, 1, &ground, 4, srgb, got);
        ck_assert_double_le(fabs(got[0] - s * 65535.0), 0.51);
        ck_assert_uint_eq(got[3], 65535);
        ground = ground_of((uint8_t)b, 7, 9, 255, true);
        mrwi_shade_encode_deep(clear, 1, &ground, 3, raw, got);
        ck_assert_uint_eq(got[0], (uint32_t)b * 257);
        ground = ground_of((uint8_t)b, 7, 9, 0, false);
        mrwi_shade_encode_deep(half, 1, &ground, 4, srgb, got);
        ck_assert_uint_eq(got[3], 32768);
        ck_assert_uint_eq(got[0], 0);
    }
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------- */

#define WIDE 1000
#define HIGH 16

/* A slope of linear light from left to right, its right half see-through over the background. */
static void draw_slope(mrw_format format, uint32_t channels, uint32_t samples, void *data)
{
    static const uint32_t indices[12] = {0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7};
    static const mrw_mat4 unmoved = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    float positions[8][4], normals[8][4] = {{0}}, colors[8][4];
    mrw_raster *raster;
    for (int i = 0; i < 8; i++) {
        const float x = (float)(i % 4 / 2) + (float)(i / 4), y = i % 2 ? -1.0f : 0.97f;
        const float at[4] = {x - 1.0f, y, 0.5f, 1.0f}, color[4] = {x / 2, x / 4, 0.01f * x, 1.0f};
        memcpy(positions[i], at, sizeof at);
        memcpy(colors[i], color, sizeof color);
        normals[i][2] = 1.0f;
    }
    mrw_raster_material materials[2] = {{.base_color = {1, 1, 1, 0.6f},
                                         .double_sided = true,
                                         .unlit = true,
                                         .uv_transform = {1, 0, 0, 0, 1, 0}}};
    materials[1] = materials[0];
    materials[1].alpha_mode = 2;
    mrw_raster_draw draws[2] = {{.vertex_count = 8,
                                 .triangle_count = 2,
                                 .indices = indices,
                                 .positions = positions[0],
                                 .normals = normals[0],
                                 .colors = colors[0],
                                 .id = 1,
                                 .material = &materials[0]}};
    draws[1] = draws[0];
    draws[1].indices = indices + 6;
    draws[1].material = &materials[1];
    const size_t value = mrw_format_size(format);
    const mrw_target target = {MRW_TARGET_COLOR, format, channels, data, WIDE * channels * value};
    const mrw_raster_job job = {.draws = draws,
                                .draw_count = 2,
                                .view = {.world_to_clip = unmoved, .orthographic = true},
                                .shading = MRW_SHADING_LIT,
                                .filter = MRW_FILTER_TRILINEAR,
                                .exposure = 1.3f,
                                .tonemap = MRW_TONEMAP_NEUTRAL,
                                .samples = samples,
                                .background = {30, 60, 90, 255},
                                .width = WIDE,
                                .height = HIGH,
                                .targets = &target,
                                .target_count = 1,
                                .threads = 1};
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &job, NULL), MRW_OK);
    mrw_raster_free(raster);
}

/* The byte is the value rounded: half a byte's step is 128.5. */
START_TEST(slopes_have_more_levels_and_the_same_bytes)
{
    static uint8_t bytes[WIDE * HIGH * 4];
    static uint16_t values[WIDE * HIGH * 4];
    static bool seen[65536];
    for (uint32_t way = 0; way < 4; way++) {
        const uint32_t channels = 3 + way % 2, samples = way / 2 ? 4 : 1;
        uint32_t levels = 0;
        memset(seen, 0, sizeof seen);
        draw_slope(MRW_FORMAT_U8, channels, samples, bytes);
        draw_slope(MRW_FORMAT_U16, channels, samples, values);
        for (size_t i = 0; i < WIDE * HIGH * channels; i++) {
            ck_assert_int_le(abs(bytes[i] * 257 - values[i]), 130);
            levels += !seen[values[i]];
            seen[values[i]] = true;
        }
        ck_assert_uint_gt(levels, 1500);
    }
}
END_TEST

/* ---- the command ----------------------------------------------------------------------------- */

START_TEST(render_writes_them)
{
    shell("marrow render demo:figure --size 40x30 --bits 16 -o deep.png && marrow render "
          "demo:figure --size 40x30 -o plain.png");
    assert_status(0);
    shell("od -An -tu1 -j24 -N2 deep.png"); /* IHDR: depth, colour type */
    ck_assert_msg(strstr(out, "16   2"), "%s", out);
    shell("marrow render demo:figure --size 40x30 --bits 16 --background none -o - | od -An -tu1 "
          "-j24 -N2");
    ck_assert_msg(strstr(out, "16   6"), "%s", out);
    shell(
        "marrow render demo:figure --clip Walk --count 3 --size 40x30 --bits 16 -o 'w_{frame}.png' "
        "--json");
    assert_status(0);
    shell("marrow render demo:figure --clip Walk --count 3 --bits 16 -o walk.apng");
    assert_refused(2, "--bits 16: only .png");
    shell("marrow render demo:figure --clip Walk --count 3 --bits 16 --sheet 3 -o walk.png");
    assert_refused(2, "--sheet");
    shell("marrow render demo:figure --bits 12 -o a.png");
    assert_refused(2, "8 or 16");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("deep");
    TCase *tc = tcase_create("deep");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, values_are_the_nearest);
    tcase_add_test(tc, values_change_at_the_borders);
    tcase_add_test(tc, odd_values_are_held);
    tcase_add_test(tc, backgrounds_come_out_as_written);
    tcase_add_test(tc, slopes_have_more_levels_and_the_same_bytes);
    tcase_add_test(tc, render_writes_them);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
