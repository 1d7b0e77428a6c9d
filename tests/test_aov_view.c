/* test_aov_view.c: passes as pictures to look at: colours by hand, and the colour wheel of flow
 * beside a second writing of it. */
#include "test.h"

#include <marrow/aov.h>

static const uint32_t here[6] = {1, 0, 2, 3, 4, 5}; /* nothing at the second pixel */
static const mrw_image seen = {6, 1, 1, MRW_FORMAT_U32, (uint8_t *)(uintptr_t)here, NULL};

static mrw_aov_look look_of(bool transparent)
{
    return (mrw_aov_look){.seen = &seen,
                          .near_plane = 2,
                          .far_plane = 6,
                          .min = {-1, 0, 4},
                          .max = {1, 2, 4},
                          .background = {10, 20, 30, 255},
                          .transparent = transparent};
}

static mrw_image show(mrw_aov aov, mrw_format format, uint32_t channels, void *values,
                      const mrw_aov_look *look)
{
    const mrw_image pass = {6, 1, channels, format, values, NULL};
    mrw_image out = {0};
    ck_assert_int_eq(mrw_aov_show(aov, &pass, look, &out, NULL), MRW_OK);
    ck_assert_uint_eq(out.channels, look->transparent ? 4 : 3);
    return out;
}

static void assert_pixel(const mrw_image *image, uint32_t x, int r, int g, int b)
{
    const uint8_t *p = image->pixels + x * image->channels;
    ck_assert_msg(p[0] == r && p[1] == g && p[2] == b, "pixel %u is %d %d %d, not %d %d %d", x,
                  p[0], p[1], p[2], r, g, b);
}

START_TEST(numbers_by_hand)
{
    mrw_aov_look look = look_of(false);
    float away[6] = {2, INFINITY, 6, 4, 8, 1};
    mrw_image out = show(MRW_AOV_DISTANCE, MRW_FORMAT_F32, 1, away, &look);
    static const int grey[6] = {255, -1, 0, 128, 0, 255};
    for (uint32_t x = 0; x < 6; x++) {
        x == 1 ? assert_pixel(&out, x, 10, 20, 30)
               : assert_pixel(&out, x, grey[x], grey[x], grey[x]);
    }
    mrw_image_free(&out);
    look.far_plane = 0; /* half as bright at twice the distance */
    out = show(MRW_AOV_DISTANCE, MRW_FORMAT_F32, 1, away, &look);
    assert_pixel(&out, 3, 128, 128, 128);
    mrw_image_free(&out);
    float position[18] = {-1, 0, 4, 0, 0, 0, 1, 2, 4, 0, 1, 4, 9, -9, 5, 0.5f, 0.5f, 4};
    out = show(MRW_AOV_POSITION, MRW_FORMAT_F32, 3, position, &look);
    assert_pixel(&out, 0, 0, 0, 0);
    assert_pixel(&out, 2, 255, 255, 0); /* the box is flat in z */
    assert_pixel(&out, 3, 128, 128, 0);
    assert_pixel(&out, 4, 255, 0, 0);
    assert_pixel(&out, 5, 191, 64, 0);
    mrw_image_free(&out);
    float coverage[6] = {0, 0.5f, 1, 0, 0, 0};
    out = show(MRW_AOV_COVERAGE, MRW_FORMAT_F32, 1, coverage, &look);
    assert_pixel(&out, 1, 128, 128, 128); /* no background */
    mrw_image_free(&out);
}
END_TEST

/* Hues a golden section apart: number 3 has value 1 and grey 0.25, as 3 % 3 says. */
START_TEST(numbers_are_colours)
{
    const mrw_aov_look look = look_of(true);
    uint32_t ids[6] = {3, 0, 6, 3, 65539, 1};
    mrw_image out = show(MRW_AOV_ID, MRW_FORMAT_U32, 1, ids, &look);
    const double hue = (3 * 0.6180339887498949 - 1) * 6; /* 5.12: between magenta and red */
    double expected[3];
    for (int k = 0; k < 3; k++) {
        double distance = fabs(hue - 2 * k);
        distance = distance > 3 ? 6 - distance : distance;
        const double share = fmin(1, fmax(0, 2 - distance));
        expected[k] = 0.25 + 0.75 * share;
    }
    for (int k = 0; k < 3; k++) {
        ck_assert_double_le(fabs(out.pixels[k] - expected[k] * 255), 0.51);
        ck_assert_uint_eq(out.pixels[12 + k], out.pixels[k]); /* the same number */
    }
    ck_assert_uint_eq(out.pixels[3], 255);
    for (int k = 4; k < 8; k++) {
        ck_assert_uint_eq(out.pixels[k], 0); /* nothing there: clear */
    }
    ck_assert_mem_ne(out.pixels + 8, out.pixels, 3);
    mrw_image_free(&out);
}
END_TEST

/* ---- flow ------------------------------------------------------------------------------------ */

/* colorcode.cpp, with its own names and order; its table of 55 colours in 0 ... 255. */
static int wheel[60][3];
static int columns;

static void make_wheel(void)
{
    static const int sizes[6] = {15, 6, 4, 11, 13, 6}; /* RY YG GC CB BM MR */
    columns = 0;
    for (int arc = 0; arc < 6; arc++) {
        for (int i = 0; i < sizes[arc]; i++, columns++) {
            const int up = 255 * i / sizes[arc], down = 255 - up;
            const int colors[6][3] = {{255, up, 0},   {down, 255, 0}, {0, 255, up},
                                      {0, down, 255}, {up, 0, 255},   {255, 0, down}};
            memcpy(wheel[columns], colors[arc], sizeof *wheel);
        }
    }
}

static void wheel_color(double fx, double fy, double expected[3])
{
    const double rad = sqrt(fx * fx + fy * fy), a = atan2(-fy, -fx) / acos(-1.0);
    const double fk = (a + 1.0) / 2.0 * (columns - 1);
    const int k0 = (int)fk, k1 = (k0 + 1) % columns;
    for (int b = 0; b < 3; b++) {
        const double col =
            (1 - (fk - k0)) * wheel[k0][b] / 255.0 + (fk - k0) * wheel[k1][b] / 255.0;
        expected[b] = 255.0 * (1 - rad * (1 - col));
    }
}

START_TEST(flow_is_the_wheel)
{
    const mrw_aov_look look = look_of(false);
    make_wheel();
    ck_assert_int_eq(columns, 55);
    for (int turn = 0; turn < 720; turn++) {
        const double angle = turn * acos(-1.0) / 360;
        const float x = (float)(2 * cos(angle)), y = (float)(2 * sin(angle));
        /* the fastest is 4 pixels; what is hidden there does not count */
        float flow[18] = {x, y, 1, 0, 0, 0, 0, -4, 1, 0, 0, 1, 50, 50, 0, x, y, 1};
        mrw_image out = show(MRW_AOV_FLOW_FORWARD, MRW_FORMAT_F32, 3, flow, &look);
        double expected[3];
        wheel_color((double)x / 4, (double)y / 4, expected);
        for (int k = 0; k < 3; k++) {
            ck_assert_double_le(fabs(out.pixels[k] - expected[k]), 0.51);
        }
        assert_pixel(&out, 1, 10, 20, 30);
        assert_pixel(&out, 3, 255, 255, 255); /* stands still */
        assert_pixel(&out, 4, 0, 0, 0);       /* not seen there */
        mrw_image_free(&out);
    }
}
END_TEST

/* What rounding leaves of points that stand still is no motion: only from 1/16 pixel on is a colour
 * shown in full. */
START_TEST(hardly_any_flow_is_white)
{
    const mrw_aov_look look = look_of(false);
    const float e = 1e-6f;
    float flow[18] = {e, 0, 1, 0, 0, 0, 0, -e, 1, -e, e, 1, 0, 0, 1, e, e, 0};
    mrw_image out = show(MRW_AOV_FLOW_BACKWARD, MRW_FORMAT_F32, 3, flow, &look);
    for (uint32_t x = 0; x < 6; x++) {
        x == 1   ? assert_pixel(&out, x, 10, 20, 30)
        : x == 5 ? assert_pixel(&out, x, 0, 0, 0)
                 : assert_pixel(&out, x, 255, 255, 255);
    }
    mrw_image_free(&out);
    flow[0] = 0.0625f;
    flow[9] = 0.0f;
    flow[10] = 0.03125f;
    out = show(MRW_AOV_FLOW_BACKWARD, MRW_FORMAT_F32, 3, flow, &look);
    double half[3];
    make_wheel();
    wheel_color(0, 0.5, half);
    for (int k = 0; k < 3; k++) {
        ck_assert_double_le(fabs(out.pixels[9 + k] - half[k]), 0.51);
    }
    mrw_image_free(&out);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("aov_view");
    TCase *tc = tcase_create("aov_view");
    tcase_add_test(tc, numbers_by_hand);
    tcase_add_test(tc, numbers_are_colours);
    tcase_add_test(tc, flow_is_the_wheel);
    tcase_add_test(tc, hardly_any_flow_is_white);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
