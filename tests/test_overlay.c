/* test_overlay.c: strokes, polygons and text over a picture: their areas against many points a
 * pixel, colours by hand. */
#include "base/memory.h"
#include "overlay/overlay.h"
#include "test.h"

#define WIDTH  48
#define HEIGHT 40
#define FINE   48 /* points a side of a pixel that count its area */

typedef struct fixture {
    mrw_image image;
    float *mask;
    mrwi_overlay_canvas canvas;
} fixture;

static void begin_as(fixture *f, mrw_format format, uint32_t channels, const float *depths)
{
    ck_assert_int_eq(mrw_image_create_as(format, WIDTH, HEIGHT, channels, &f->image, NULL), MRW_OK);
    f->mask = mrwi_base_alloc_zero(WIDTH * HEIGHT, sizeof *f->mask);
    ck_assert_ptr_nonnull(f->mask);
    mrwi_overlay_begin(&f->image, depths, f->mask, &f->canvas);
}

static void begin(fixture *f)
{
    begin_as(f, MRW_FORMAT_U8, 3, NULL);
}

static void end(fixture *f)
{
    mrw_image_free(&f->image);
    mrwi_base_free(f->mask);
}

static const mrwi_overlay_color white = {255, 255, 255, 255};

/* ---- areas ----------------------------------------------------------------------------------- */

typedef bool is_inside(const void *shape, double x, double y);

static double area_of_pixel(is_inside *inside, const void *shape, int x, int y)
{
    int count = 0;
    for (int j = 0; j < FINE; j++) {
        for (int i = 0; i < FINE; i++) {
            count += inside(shape, x + (i + 0.5) / FINE, y + (j + 0.5) / FINE);
        }
    }
    return (double)count / (FINE * FINE);
}

/* The largest difference of a mask from what points say. */
static double compare(const fixture *f, is_inside *inside, const void *shape)
{
    double worst = 0.0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const double area = area_of_pixel(inside, shape, x, y);
            const double error = fabs(area - (double)f->mask[y * WIDTH + x]);
            worst = error > worst ? error : worst;
        }
    }
    return worst;
}

static bool is_in_stroke(const void *shape, double x, double y)
{
    const mrwi_overlay_stroke *s = shape;
    const double dx = s->at[1][0] - s->at[0][0], dy = s->at[1][1] - s->at[0][1];
    const double square = dx * dx + dy * dy;
    double t = square > 0.0 ? ((x - s->at[0][0]) * dx + (y - s->at[0][1]) * dy) / square : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return hypot(x - s->at[0][0] - t * dx, y - s->at[0][1] - t * dy) <=
           s->radius[0] + t * (s->radius[1] - s->radius[0]);
}

static double stroke_error(double x0, double y0, double x1, double y1, double radius)
{
    const mrwi_overlay_stroke stroke = {
        .at = {{x0, y0}, {x1, y1}}, .radius = {radius, radius}, .alpha = {1.0, 1.0}};
    fixture f;
    begin(&f);
    mrwi_overlay_add_stroke(&f.canvas, &stroke);
    const double error = compare(&f, is_in_stroke, &stroke);
    end(&f);
    return error;
}

START_TEST(lines_cover_their_area)
{
    /* through the whole picture: no caps, and what points count is off by 1 / FINE */
    static const double lines[][4] = {{-20, 11.3, 90, 11.3}, {7.6, -20, 7.6, 90},
                                      {-20, -10, 70, 60},    {-20, 31, 80, 12.5},
                                      {31, -20, 12, 80},     {-20, 60, 60, -20.3}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        for (double radius = 0.25; radius < 2.0; radius += 0.25) {
            const double *l = lines[i];
            ck_assert_double_le(stroke_error(l[0], l[1], l[2], l[3], radius), 0.022);
        }
    }
}
END_TEST

START_TEST(caps_and_discs_are_near_their_area)
{
    ck_assert_double_le(stroke_error(8.2, 9.7, 30.1, 21.4, 1.0), 0.08);
    ck_assert_double_le(stroke_error(8.2, 9.7, 30.1, 21.4, 3.5), 0.04);
    ck_assert_double_le(stroke_error(20.3, 20.6, 20.3, 20.6, 2.0), 0.05);
    ck_assert_double_le(stroke_error(20.3, 20.6, 20.3, 20.6, 8.0), 0.03);
}
END_TEST

static bool is_in_polygon(const void *shape, double x, double y)
{
    const mrwi_overlay_polygon *p = shape;
    int left = 0, right = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const double *a = p->at[i], *b = p->at[(i + 1) % p->count];
        const double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        left += side >= 0.0;
        right += side <= 0.0;
    }
    return left == (int)p->count || right == (int)p->count;
}

START_TEST(polygons_cover_their_area)
{
    static const mrwi_overlay_polygon polygons[] = {
        {.count = 3, .at = {{3.2, 4.1}, {40.7, 12.9}, {17.3, 37.2}}, .alpha = 1.0},
        {.count = 3, .at = {{10.2, 10.1}, {10.6, 10.3}, {10.4, 10.8}}, .alpha = 1.0},
        {.count = 4, .at = {{5, 5}, {5, 20}, {30.5, 20}, {30.5, 5}}, .alpha = 1.0},
        {.count = 4, .at = {{-30, 20}, {24, -30}, {90, 20}, {24, 90}}, .alpha = 1.0},
        {.count = 6,
         .at = {{10, 20.5}, {15, 11}, {26, 11}, {31.3, 20.5}, {26, 30}, {15, 30}},
         .alpha = 1.0}};
    for (size_t i = 0; i < sizeof polygons / sizeof polygons[0]; i++) {
        fixture f;
        begin(&f);
        mrwi_overlay_add_polygon(&f.canvas, &polygons[i]);
        ck_assert_double_le(compare(&f, is_in_polygon, &polygons[i]), 0.022);
        end(&f);
    }
}
END_TEST

START_TEST(what_lies_outside_is_left_out)
{
    const mrwi_overlay_stroke strokes[] = {
        {.at = {{-1e7, -1e7}, {-5, -5}}, .radius = {2, 2}, .alpha = {1, 1}},
        {.at = {{WIDTH + 4, 3}, {1e9, 3}}, .radius = {2, 2}, .alpha = {1, 1}},
        {.at = {{3, HEIGHT + 4}, {3, 1e300}}, .radius = {2, 2}, .alpha = {1, 1}}};
    const mrwi_overlay_polygon polygon = {
        .count = 3, .at = {{-9, -9}, {1e6, -9}, {0, -1}}, .alpha = 1.0};
    fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof strokes / sizeof strokes[0]; i++) {
        mrwi_overlay_add_stroke(&f.canvas, &strokes[i]);
    }
    mrwi_overlay_add_polygon(&f.canvas, &polygon);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        ck_assert(f.mask[i] == 0.0f);
    }
    end(&f);
}
END_TEST

START_TEST(a_layer_is_the_most_of_its_shapes)
{
    const mrwi_overlay_stroke a = {
        .at = {{5, 5}, {30, 17}}, .radius = {1.5, 1.5}, .alpha = {0.5, 0.5}};
    const mrwi_overlay_stroke b = {
        .at = {{30, 17}, {5, 33}}, .radius = {1.5, 0.5}, .alpha = {1, 0}};
    fixture once, twice;
    begin(&once);
    begin(&twice);
    mrwi_overlay_add_stroke(&once.canvas, &a);
    mrwi_overlay_add_stroke(&once.canvas, &b);
    mrwi_overlay_add_stroke(&twice.canvas, &b);
    mrwi_overlay_add_stroke(&twice.canvas, &a);
    mrwi_overlay_add_stroke(&twice.canvas, &b);
    ck_assert_mem_eq(once.mask, twice.mask, WIDTH * HEIGHT * sizeof(float));
    mrwi_overlay_blend(&once.canvas, white);
    mrwi_overlay_blend(&twice.canvas, white);
    ck_assert_mem_eq(once.image.pixels, twice.image.pixels, WIDTH * HEIGHT * 3);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        ck_assert(once.mask[i] == 0.0f); /* for the next layer */
    }
    end(&once);
    end(&twice);
}
END_TEST

/* ---- colours --------------------------------------------------------------------------------- */

/* Pixels 0 ... 3 across and 0 ... 3 down. */
static void add_square(fixture *f, double alpha)
{
    const mrwi_overlay_polygon square = {
        .count = 4, .at = {{0, 0}, {4, 0}, {4, 4}, {0, 4}}, .alpha = alpha};
    mrwi_overlay_add_polygon(&f->canvas, &square);
}

START_TEST(colors_are_blended_in_linear_light)
{
    fixture f;
    begin(&f);
    memset(f.image.pixels, 255, 3); /* the first pixel is white, the next black */
    add_square(&f, 0.5);
    mrwi_overlay_blend(&f.canvas, (mrwi_overlay_color){255, 0, 0, 255});
    /* half the light of 255 is 188 in sRGB: 1.055 * 0.5 ^ (1 / 2.4) - 0.055 = 0.7354 */
    ck_assert_mem_eq(f.image.pixels, ((const uint8_t[]){255, 188, 188, 188, 0, 0}), 6);
    add_square(&f, 1.0);
    mrwi_overlay_blend(&f.canvas, (mrwi_overlay_color){10, 20, 30, 255});
    ck_assert_mem_eq(f.image.pixels, ((const uint8_t[]){10, 20, 30, 10, 20, 30}), 6);
    end(&f);
}
END_TEST

START_TEST(alpha_stays_straight)
{
    fixture f;
    begin_as(&f, MRW_FORMAT_U8, 4, NULL);
    memcpy(f.image.pixels + 4, (const uint8_t[]){0, 0, 255, 255}, 4);
    add_square(&f, 0.4);
    mrwi_overlay_blend(&f.canvas, (mrwi_overlay_color){200, 100, 50, 255});
    /* over nothing it is the colour and its alpha, 0.4 * 255 */
    ck_assert_mem_eq(f.image.pixels, ((const uint8_t[]){200, 100, 50, 102}), 4);
    /* linear: red 0.5776 * 0.4 -> 0.2310 -> 132; blue 0.0319 * 0.4 + 0.6 -> 0.6128 -> 205 */
    ck_assert_int_eq(f.image.pixels[4], 132);
    ck_assert_int_eq(f.image.pixels[6], 205);
    ck_assert_int_eq(f.image.pixels[7], 255);
    end(&f);
}
END_TEST

START_TEST(pictures_of_16_bits_are_blended)
{
    fixture f;
    begin_as(&f, MRW_FORMAT_U16, 3, NULL);
    uint16_t *pixels = (uint16_t *)f.image.pixels;
    pixels[0] = pixels[1] = pixels[2] = 65535;
    add_square(&f, 0.5);
    mrwi_overlay_blend(&f.canvas, (mrwi_overlay_color){255, 0, 0, 255});
    /* (1.055 * 0.5 ^ (1 / 2.4) - 0.055) * 65535 */
    ck_assert_int_eq(pixels[0], 65535);
    ck_assert_int_eq(pixels[1], 48192);
    ck_assert_int_eq(pixels[3], 48192);
    ck_assert_int_eq(pixels[4], 0);
    end(&f);
}
END_TEST

START_TEST(the_subject_has_what_is_seen_of_it)
{
    fixture f;
    begin(&f);
    f.image.subject = mrwi_base_alloc_zero(WIDTH * HEIGHT, 1);
    add_square(&f, 0.5);
    mrwi_overlay_blend(&f.canvas, (mrwi_overlay_color){255, 255, 255, 128});
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            ck_assert_int_eq(f.image.subject[y * WIDTH + x], x < 4 && y < 4);
        }
    }
    end(&f);
}
END_TEST

/* ---- depth ----------------------------------------------------------------------------------- */

START_TEST(what_is_nearer_hides)
{
    float depths[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        depths[i] = i % WIDTH < 20 ? 0.5f : 1.0f; /* the left part is near */
    }
    mrwi_overlay_stroke stroke = {.at = {{0, 10.5}, {WIDTH, 10.5}},
                                  .radius = {1, 1},
                                  .alpha = {1, 1},
                                  .depth = {0.2, 0.8}, /* 0.5 halfway: from there on it is behind */
                                  .tested = true};
    /* 0.6 on the left, where it is hidden, 0.4 at x = 10 */
    mrwi_overlay_polygon square = {.count = 4,
                                   .at = {{0, 20}, {40, 20}, {40, 24}, {0, 24}},
                                   .alpha = 1.0,
                                   .depth = {0.6, -0.02, 0.0},
                                   .tested = true};
    fixture f;
    begin_as(&f, MRW_FORMAT_U8, 3, depths);
    stroke.at[1][0] = 30.0;
    mrwi_overlay_add_stroke(&f.canvas, &stroke);
    mrwi_overlay_add_polygon(&f.canvas, &square);
    for (int x = 0; x < 28; x++) {
        const bool seen = x <= 14 || x >= 20; /* 0.2 + 0.02 x against 0.5 */
        ck_assert_msg((f.mask[10 * WIDTH + x] > 0.9f) == seen, "stroke at %d", x);
    }
    for (int x = 0; x < 38; x++) {
        ck_assert_msg((f.mask[22 * WIDTH + x] > 0.9f) == (x >= 5), "polygon at %d", x);
    }
    end(&f);
    begin_as(&f, MRW_FORMAT_U8, 3, depths);
    stroke.on_surface = true;
    mrwi_overlay_add_stroke(&f.canvas, &stroke);
    ck_assert(f.mask[10 * WIDTH + 19] > 0.9f); /* the pixel beside it is far */
    ck_assert(f.mask[10 * WIDTH + 18] == 0.0f);
    stroke.tested = false;
    mrwi_overlay_add_stroke(&f.canvas, &stroke);
    ck_assert(f.mask[10 * WIDTH + 17] > 0.9f);
    end(&f);
}
END_TEST

/* ---- text ------------------------------------------------------------------------------------ */

static void draw_text(fixture *f, const char *text)
{
    begin(f);
    mrwi_overlay_add_text(
        &f->canvas, &(mrwi_overlay_text){.x = 4, .y = 30.5, .size = 18, .radius = 1, .alpha = 1},
        text);
}

START_TEST(every_character_is_drawn_and_differs)
{
    static float masks[96][WIDTH * HEIGHT];
    for (int c = 32; c <= 127; c++) {
        const char text[2] = {(char)c, '\0'};
        fixture f;
        double ink = 0.0;
        draw_text(&f, text);
        memcpy(masks[c - 32], f.mask, sizeof masks[0]);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            ink += (double)f.mask[i];
        }
        ck_assert_msg((ink > 5.0) == (c != 32), "character %d", c);
        for (int other = 32; other < c; other++) {
            double difference = 0.0;
            for (int i = 0; i < WIDTH * HEIGHT; i++) {
                difference += fabs((double)masks[other - 32][i] - (double)f.mask[i]);
            }
            ck_assert_msg(difference > 4.0, "characters %d and %d", other, c);
        }
        end(&f);
    }
}
END_TEST

START_TEST(other_characters_are_boxes)
{
    fixture a, b;
    draw_text(&a, "\xc3\xa4"); /* a character each */
    draw_text(&b, "\xf0\x9f\xa6\xb4");
    ck_assert(a.mask[20 * WIDTH + 4] > 0.9f);
    ck_assert_mem_eq(a.mask, b.mask, WIDTH * HEIGHT * sizeof(float));
    end(&a);
    end(&b);
    ck_assert(mrwi_overlay_text_width("\xe4\xb8\xad-\xc3\xa4", 12) == 6 + 4 + 5 + 4 + 6);
    ck_assert(mrwi_overlay_text_width("\xff\x80", 12) > 0); /* no UTF-8: drawn as something */
    ck_assert(mrwi_overlay_text_width("", 12) == 0);
}
END_TEST

START_TEST(text_is_as_wide_as_it_says)
{
    for (int c = 33; c < 127; c++) {
        const char text[2] = {(char)c, '\0'};
        const double width = mrwi_overlay_text_width(text, 18);
        fixture f;
        draw_text(&f, text);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            const int x = i % WIDTH;
            ck_assert_msg(f.mask[i] == 0.0f || (x >= 2 && x <= 4 + width + 2), "character %d", c);
        }
        end(&f);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("overlay");
    TCase *tc = tcase_create("canvas");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, lines_cover_their_area);
    tcase_add_test(tc, caps_and_discs_are_near_their_area);
    tcase_add_test(tc, polygons_cover_their_area);
    tcase_add_test(tc, what_lies_outside_is_left_out);
    tcase_add_test(tc, a_layer_is_the_most_of_its_shapes);
    tcase_add_test(tc, colors_are_blended_in_linear_light);
    tcase_add_test(tc, alpha_stays_straight);
    tcase_add_test(tc, pictures_of_16_bits_are_blended);
    tcase_add_test(tc, the_subject_has_what_is_seen_of_it);
    tcase_add_test(tc, what_is_nearer_hides);
    tcase_add_test(tc, every_character_is_drawn_and_differs);
    tcase_add_test(tc, other_characters_are_boxes);
    tcase_add_test(tc, text_is_as_wide_as_it_says);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
