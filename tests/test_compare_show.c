/* test_compare_show.c: comparisons in words and as pictures; pictures of nothing. */
#include "compare_fixture.h"

/* ---- pictures of the difference -------------------------------------------------------------- */

#define YELLOW  0xFFE200FF
#define MAGENTA 0xFF00FFFF

static uint32_t color_at(const mrw_image *image, uint32_t x, uint32_t y)
{
    const uint8_t *p = at(image, x, y);
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | 255;
}

static bool is_orange_to_red(uint32_t color)
{
    return color >> 24 == 255 && (color >> 16 & 255) <= 150 && (color >> 8 & 255) == 0;
}

static bool is_blue(uint32_t color)
{
    return (color >> 8 & 255) > (color >> 24) && (color >> 8 & 255) > (color >> 16 & 255);
}

static mrw_image picture_of(const mrw_image *a, const mrw_image *b, const mrw_compare_def *def)
{
    mrw_image picture;
    ck_assert_int_eq(mrw_compare_picture(a, b, def, &picture, NULL), MRW_OK);
    ck_assert_uint_eq(picture.channels, 3);
    return picture;
}

START_TEST(colours_of_a_picture)
{
    mrw_image a = plain(20, 10, 3, 0x000000FF), b = copy_of(&a);
    uint8_t *mask = make_bytes(&a);
    mrw_compare_def def = pixel_def(8);
    def.mask = mask;
    set(&b, 1, 1, 0x080000FF); /* within max_delta */
    set(&b, 3, 1, 0x000900FF); /* just beyond */
    set(&b, 5, 1, 0x404000FF); /* by 64 */
    set(&b, 7, 1, 0xFF0000FF); /* by all */
    set(&b, 9, 1, 0xFFFFFFFF); /* masked */
    mask[20 + 9] = 1;
    mrw_image p = picture_of(&a, &b, &def);
    ck_assert_uint_eq(p.width, 20);
    ck_assert_uint_eq(p.height, 10);
    /* Black, three tenths of the way from white: 255 - 255 * 3 / 10 rounded up. */
    ck_assert_uint_eq(color_at(&p, 0, 0), 0xB3B3B3FF);
    ck_assert_uint_eq(color_at(&p, 1, 1), YELLOW);
    ck_assert(is_orange_to_red(color_at(&p, 3, 1)));
    ck_assert_uint_gt(at(&p, 3, 1)[1], 120);
    ck_assert_uint_eq(color_at(&p, 5, 1), 0xFF0000FF);
    ck_assert_uint_eq(color_at(&p, 7, 1), 0xFF0000FF);
    ck_assert(is_blue(color_at(&p, 9, 1)));
    mrw_image_free(&p);
    def.mode = MRW_COMPARE_EXACT;
    p = picture_of(&a, &b, &def);
    ck_assert(is_orange_to_red(color_at(&p, 1, 1)));
    mrw_image_free(&p);
    mrwi_base_free(mask);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(ignored_edges_are_yellow_in_a_picture)
{
    mrw_image a = half_plane(40, 30, 12.3, 0.23), b = half_plane(40, 30, 12.6, 0.23);
    set(&b, 20, 3, 0x000000FF);
    mrw_compare_def def = pixel_def(8);
    def.ignore_antialiasing = true;
    mrw_compare_result r = compare(&a, &b, &def, false);
    mrw_image p = picture_of(&a, &b, &def);
    uint32_t counted = 0, yellow = 0;
    for (uint32_t i = 0; i < 40 * 30; i++) {
        uint32_t color = color_at(&p, i % 40, i / 40);
        counted += is_orange_to_red(color);
        yellow += color == YELLOW;
    }
    ck_assert_uint_eq(counted, r.differing);
    ck_assert_uint_ge(yellow, r.antialiased); /* and those within max_delta */
    mrw_image_free(&p);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* Neighbours of a changed pixel look changed, too, so they are no longer pale. */
START_TEST(a_perceptual_picture_shows_flip_errors)
{
    mrw_image a = plain(60, 40, 3, 0x000000FF), b = copy_of(&a);
    set(&b, 30, 20, 0xFFFFFFFF);
    set(&b, 5, 5, 0x010000FF);
    mrw_compare_def def = mrw_compare_def_default();
    def.mode = MRW_COMPARE_PERCEPTUAL;
    mrw_image p = picture_of(&a, &b, &def);
    ck_assert_uint_eq(color_at(&p, 30, 20), 0xFF0000FF);
    ck_assert(is_orange_to_red(color_at(&p, 31, 20)));
    ck_assert_uint_eq(color_at(&p, 5, 5), YELLOW);
    ck_assert_uint_eq(color_at(&p, 50, 30), 0xB3B3B3FF);
    mrw_image_free(&p);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(a_picture_of_different_sizes)
{
    mrw_image a = plain(10, 4, 3, 0xFFFFFFFF), b = plain(6, 8, 4, 0xFFFFFFFF);
    static const mrw_compare_mode modes[] = {MRW_COMPARE_EXACT, MRW_COMPARE_PIXEL,
                                             MRW_COMPARE_PERCEPTUAL};
    set(&b, 2, 2, 0x000000FF);
    uint8_t mask[40];
    memset(mask, 1, sizeof mask);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        mrw_compare_def def = mrw_compare_def_default();
        def.mode = modes[i];
        def.mask = mask;
        mrw_image p = picture_of(&a, &b, &def);
        ck_assert_uint_eq(p.width, 10);
        ck_assert_uint_eq(p.height, 8);
        for (uint32_t y = 0; y < 8; y++) {
            for (uint32_t x = 0; x < 10; x++) {
                uint32_t expected = x < 6 && y < 4 ? 0xFFFFFFFF : MAGENTA;
                ck_assert_uint_eq(color_at(&p, x, y), x == 2 && y == 2 ? 0xFF0000FF : expected);
            }
        }
        mrw_image_free(&p);
    }
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* ---- words ----------------------------------------------------------------------------------- */

START_TEST(results_in_words)
{
    mrw_image a = plain(160, 120, 3, 0), b = plain(320, 240, 3, 0);
    static const struct {
        mrw_compare_result result;
        const char *text;
    } cases[] = {
        {{.same_size = false}, "160x120 expected, 320x240 got"},
        {{.same_size = true, .identical = true}, "identical"},
        {{.same_size = true, .identical = true, .masked_pixels = 3}, "identical outside the mask"},
        {{.same_size = true,
          .subject = MRW_SUBJECT_DRAWN,
          .subject_pixels = 5210,
          .differing = 132,
          .ratio = 132.0 / 5210.0,
          .largest = {3, 14, 0, 2},
          .box = {80, 12, 40, 31}},
         "132 of 5210 pixels differ (2.5 % of what marrow drew), by at most 14, within 40x31 at "
         "80,12"},
        {{.same_size = true,
          .subject = MRW_SUBJECT_FRAME,
          .subject_pixels = 20000,
          .differing = 1,
          .ratio = 1.0 / 20000.0,
          .largest = {0, 0, 0, 255},
          .box = {1, 2, 1, 1}},
         "1 of 20000 pixels differs (under 0.1 % of the whole frame), by at most 255, within 1x1 "
         "at 1,2"},
        {{.same_size = true,
          .subject = MRW_SUBJECT_ALPHA,
          .subject_pixels = 10,
          .differing = 400,
          .ratio = 1.0,
          .largest = {9, 0, 0, 0},
          .box = {0, 0, 20, 20},
          .all_metrics = true,
          .flip = 0.01234,
          .flip_largest = 0.5},
         "400 pixels differ, more than the 10 of alpha above 0, by at most 9, within 20x20 at 0,0, "
         "FLIP error 0.0123, at most 0.500"},
        {{.same_size = true,
          .passed = true,
          .subject_pixels = 10,
          .antialiased = 7,
          .largest = {90, 0, 0, 0},
          .box = {0, 0, 20, 20}},
         "no pixel counts as different, 7 on anti-aliased edges ignored, by at most 90, within "
         "20x20 at 0,0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256], tiny[8];
        ck_assert_ptr_eq(mrw_compare_text(&cases[i].result, &a, &b, text, sizeof text), text);
        ck_assert_str_eq(text, cases[i].text);
        mrw_compare_text(&cases[i].result, &a, &b, tiny, sizeof tiny);
        ck_assert_uint_eq(strlen(tiny), 7);
    }
    mrw_compare_result most = {.same_size = true,
                               .subject = MRW_SUBJECT_DRAWN,
                               .subject_pixels = 16384ull * 16384,
                               .differing = 16384ull * 16384,
                               .antialiased = 16384ull * 16384,
                               .ratio = 1.0,
                               .all_metrics = true,
                               .box = {16384, 16384, 16384, 16384}};
    char text[1024];
    ck_assert_uint_lt(strlen(mrw_compare_text(&most, &a, &b, text, sizeof text)), 256);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(mrw_subject_name(MRW_SUBJECT_DRAWN), "what marrow drew");
    ck_assert_str_eq(mrw_subject_name(MRW_SUBJECT_ALPHA), "alpha above 0");
    ck_assert_str_eq(mrw_subject_name(MRW_SUBJECT_FRAME), "the whole frame");
    ck_assert_str_eq(mrw_emptiness_name(MRW_NOT_EMPTY), "");
    ck_assert_str_eq(mrw_emptiness_name(MRW_EMPTY_BLANK), "blank");
    ck_assert_str_eq(mrw_emptiness_name(MRW_EMPTY_COLOUR), "one colour");
    ck_assert_str_eq(mrw_emptiness_name(MRW_EMPTY_CUT), "cut by every border");
}
END_TEST

/* ---- pictures of nothing --------------------------------------------------------------------- */

static void fill_subject(mrw_image *image, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    if (!image->subject) {
        image->subject = make_bytes(image);
    }
    for (uint32_t v = y; v < y + height; v++) {
        memset(image->subject + v * image->width + x, 1, width);
    }
}

START_TEST(emptiness_of_what_marrow_drew)
{
    mrw_image a = disc(40, 30, 20, 15, 8);
    fill_subject(&a, 0, 0, 0, 0);
    ck_assert_int_eq(mrw_image_emptiness(&a), MRW_EMPTY_BLANK);
    fill_subject(&a, 12, 7, 17, 17);
    ck_assert_int_eq(mrw_image_emptiness(&a), MRW_NOT_EMPTY);
    fill_subject(&a, 0, 10, 40, 1); /* left and right */
    fill_subject(&a, 20, 0, 1, 20); /* top */
    ck_assert_int_eq(mrw_image_emptiness(&a), MRW_NOT_EMPTY);
    fill_subject(&a, 39, 29, 1, 1);
    ck_assert_int_eq(mrw_image_emptiness(&a), MRW_EMPTY_CUT);
    mrw_image_free(&a);
    a = plain(40, 30, 3, 0x808080FF);
    fill_subject(&a, 12, 7, 17, 17); /* drawn in the colour of the ground */
    ck_assert_int_eq(mrw_image_emptiness(&a), MRW_EMPTY_COLOUR);
    mrw_image_free(&a);
}
END_TEST

START_TEST(emptiness_by_alpha)
{
    mrw_image a = plain(40, 30, 4, 0x80808000);
    set(&a, 3, 3, 0x11111100);
    ck_assert_int_eq(mrw_image_emptiness(&a), MRW_EMPTY_BLANK);
    set(&a, 3, 3, 0x11111101);
    ck_assert_int_eq(mrw_image_emptiness(&a), MRW_NOT_EMPTY);
    set(&a, 0, 3, 0x111111FF);
    set(&a, 39, 20, 0x111111FF);
    set(&a, 7, 0, 0x111111FF);
    ck_assert_int_eq(mrw_image_emptiness(&a), MRW_NOT_EMPTY);
    set(&a, 8, 29, 0x111111FF);
    ck_assert_int_eq(mrw_image_emptiness(&a), MRW_EMPTY_CUT);
    mrw_image_free(&a);
}
END_TEST

START_TEST(emptiness_by_colour)
{
    for (uint32_t channels = 3; channels <= 4; channels++) {
        mrw_image a = plain(40, 30, channels, 0x808080FF);
        ck_assert_int_eq(mrw_image_emptiness(&a), MRW_EMPTY_COLOUR);
        set(&a, 39, 29, 0x808180FF);
        ck_assert_int_eq(mrw_image_emptiness(&a), MRW_NOT_EMPTY);
        mrw_image_free(&a);
        a = noise(40, 30, channels);
        for (uint32_t i = 0; channels == 4 && i < 40 * 30; i++) {
            a.pixels[4 * i + 3] = 255;
        }
        ck_assert_int_eq(mrw_image_emptiness(&a), MRW_EMPTY_CUT);
        mrw_image_free(&a);
    }
    mrw_image one = plain(1, 1, 3, 0x808080FF);
    ck_assert_int_eq(mrw_image_emptiness(&one), MRW_EMPTY_COLOUR);
    mrw_image_free(&one);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("compare_show");
    TCase *tc = tcase_create("show");
    tcase_add_test(tc, colours_of_a_picture);
    tcase_add_test(tc, ignored_edges_are_yellow_in_a_picture);
    tcase_add_test(tc, a_perceptual_picture_shows_flip_errors);
    tcase_add_test(tc, a_picture_of_different_sizes);
    tcase_add_test(tc, results_in_words);
    tcase_add_test(tc, names);
    tcase_add_test(tc, emptiness_of_what_marrow_drew);
    tcase_add_test(tc, emptiness_by_alpha);
    tcase_add_test(tc, emptiness_by_colour);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
