/* test_compare.c: what differs, subjects, masks, anti-aliased edges, limits. */
#include "compare_fixture.h"

#include "base/memory.h"

static const mrw_compare_def exact_def = {.pixels_per_degree = 67.02, .threads = 1};

/* ---- exact ----------------------------------------------------------------------------------- */

START_TEST(defaults)
{
    mrw_compare_def def = mrw_compare_def_default();
    ck_assert_int_eq(def.mode, MRW_COMPARE_EXACT);
    ck_assert_uint_eq(def.max_delta, 0);
    ck_assert_uint_eq(def.max_pixels, 0);
    ck_assert_double_eq(def.max_ratio, 0.0);
    ck_assert_double_eq(def.max_flip, 0.05);
    ck_assert_double_eq(def.pixels_per_degree, 67.02);
    ck_assert(!def.ignore_antialiasing);
    ck_assert_ptr_null(def.mask);
    ck_assert_int_eq(def.isa, MRW_ISA_AUTO);
    ck_assert_int_eq(def.threads, 1);
}
END_TEST

START_TEST(identical_pictures)
{
    mrw_image a = noise(19, 7, 3), b = copy_of(&a);
    for (int all = 0; all < 2; all++) {
        mrw_compare_result r = compare(&a, &b, &exact_def, all != 0);
        mrw_compare_result expected = {.passed = true,
                                       .same_size = true,
                                       .identical = true,
                                       .all_metrics = true,
                                       .subject = MRW_SUBJECT_FRAME,
                                       .subject_pixels = 19 * 7,
                                       .psnr = 999.0};
        ck_same_result(&r, &expected);
    }
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* Two pixels of an 8x6 picture: (2, 1) by 10 in R and 4 in B, (5, 4) by 3 in G. */
START_TEST(every_field_of_a_result)
{
    mrw_image a = plain(8, 6, 3, 0x646464FF), b = copy_of(&a);
    set(&b, 2, 1, 0x6E6460FF);
    set(&b, 5, 4, 0x646764FF);
    mrw_compare_result r = compare(&a, &b, &exact_def, false);
    mrw_compare_result expected = {.same_size = true,
                                   .subject = MRW_SUBJECT_FRAME,
                                   .subject_pixels = 48,
                                   .differing = 2,
                                   .ratio = 2.0 / 48.0,
                                   .largest = {10, 3, 4, 0},
                                   .box = {2, 1, 4, 4}};
    ck_same_result(&r, &expected);
    r = compare(&a, &b, &exact_def, true);
    ck_assert(r.all_metrics && !r.identical && !r.passed);
    ck_assert_uint_eq(r.differing, 2);
    ck_assert_double_eq_tol(r.mean, 17.0 / (48.0 * 3.0), 1e-15);
    ck_assert_double_eq_tol(r.psnr, 10.0 * log10(65025.0 / ((100.0 + 16.0 + 9.0) / 144.0)), 1e-12);
    ck_assert_double_gt(r.flip, 0.0);
    ck_assert_double_lt(r.flip, r.flip_largest);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(different_sizes)
{
    mrw_image a = plain(16, 12, 3, 0), b = plain(16, 13, 3, 0), c = plain(17, 12, 3, 0);
    uint8_t mask[16 * 12] = {0};
    mrw_compare_def def = pixel_def(255);
    def.max_ratio = 1.0;
    def.max_pixels = 1000;
    def.mask = mask;
    mrw_compare_result zeros = {0}, r = compare(&a, &b, &def, true);
    ck_same_result(&r, &zeros);
    r = compare(&c, &a, &def, true);
    ck_same_result(&r, &zeros);
    mrw_image_free(&a);
    mrw_image_free(&b);
    mrw_image_free(&c);
}
END_TEST

START_TEST(a_picture_without_alpha_is_opaque)
{
    mrw_image a = plain(5, 5, 3, 0x102030FF), b = plain(5, 5, 4, 0x102030FF);
    ck_assert(compare(&a, &b, &exact_def, false).identical);
    ck_assert(compare(&b, &a, &exact_def, false).passed);
    at(&b, 4, 4)[3] = 253;
    mrw_compare_result r = compare(&a, &b, &exact_def, true);
    ck_assert(!r.passed && !r.identical);
    ck_assert_uint_eq(r.largest[3], 2);
    ck_assert_uint_eq(r.largest[0] + r.largest[1] + r.largest[2], 0);
    ck_assert_uint_eq(r.differing, 1);
    ck_assert_double_eq_tol(r.mean, 2.0 / (25.0 * 4.0), 1e-15);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* Colour under alpha 0 is not seen, but it is a difference. */
START_TEST(colour_under_alpha_0_differs)
{
    mrw_image a = plain(5, 5, 4, 0x10203000), b = plain(5, 5, 4, 0x11203000);
    mrw_compare_result r = compare(&a, &b, &exact_def, true);
    ck_assert(!r.passed && !r.identical);
    ck_assert_uint_eq(r.subject_pixels, 0);
    ck_assert_double_eq(r.ratio, 1.0);
    ck_assert_double_eq(r.mean, 0.25);
    ck_assert_double_eq(r.flip, 0.0);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* ---- against a slow loop --------------------------------------------------------------------- */

static uint32_t channel_of(const mrw_image *image, uint32_t x, uint32_t y, uint32_t c)
{
    return c < image->channels ? at(image, x, y)[c] : 255;
}

static void check_against_loop(const mrw_image *a, const mrw_image *b, const mrw_compare_def *def)
{
    uint64_t differing = 0, sum = 0, squares = 0, seen = 0;
    uint32_t largest[4] = {0}, left = UINT32_MAX, right = 0, top = UINT32_MAX, bottom = 0;
    for (uint32_t y = 0; y < a->height; y++) {
        for (uint32_t x = 0; x < a->width; x++) {
            if (def->mask && def->mask[y * a->width + x] != 0) {
                continue;
            }
            uint32_t most = 0;
            seen++;
            for (uint32_t c = 0; c < 4; c++) {
                int d = abs((int)channel_of(a, x, y, c) - (int)channel_of(b, x, y, c));
                most = (uint32_t)d > most ? (uint32_t)d : most;
                largest[c] = (uint32_t)d > largest[c] ? (uint32_t)d : largest[c];
                sum += (uint64_t)d;
                squares += (uint64_t)(d * d);
            }
            differing += most > def->max_delta;
            if (most > 0) {
                left = x < left ? x : left;
                right = x + 1 > right ? x + 1 : right;
                top = y < top ? y : top;
                bottom = y + 1;
            }
        }
    }
    mrw_compare_result r = compare(a, b, def, true);
    double values = (double)seen * (a->channels > b->channels ? a->channels : b->channels);
    ck_assert_uint_eq(r.differing, differing);
    ck_assert_uint_eq(r.masked_pixels, (uint64_t)a->width * a->height - seen);
    ck_assert_mem_eq(r.largest, largest, sizeof largest);
    ck_assert_int_eq(r.identical, bottom == 0);
    if (bottom > 0) {
        const uint32_t box[4] = {left, top, right - left, bottom - top};
        ck_assert_mem_eq(r.box, box, sizeof box);
        ck_assert_double_eq_tol(r.mean, (double)sum / values, 1e-12);
        ck_assert_double_eq_tol(r.psnr, 10.0 * log10(65025.0 * values / (double)squares), 1e-11);
    }
}

/* Pictures of every width up to 40, of 3 and 4 channels, where much, little or nothing differs;
 * alpha is at least 1, so that the frame is the subject. */
START_TEST(agrees_with_a_slow_loop)
{
    for (uint32_t width = 1; width <= 40; width++) {
        for (uint32_t kind = 0; kind < 12; kind++) {
            mrw_image a = noise(width, 3 + width % 5, 3 + kind % 2), b = copy_of(&a);
            uint32_t count = a.width * a.height;
            uint8_t *mask = make_bytes(&a);
            for (uint32_t i = 0; i < (kind / 4 == 0 ? 0 : kind / 4 == 1 ? 3 : count); i++) {
                b.pixels[random_below(count * b.channels)] ^= (uint8_t)(1u << random_below(8));
                mask[random_below(count)] = (uint8_t)random_below(3);
            }
            if (kind % 4 == 3) {
                mrw_image_free(&b);
                b = noise(width, a.height, 3);
            }
            for (uint32_t i = 0; i < count; i++) {
                for (uint32_t k = 0; k < 2; k++) {
                    const mrw_image *image = k == 0 ? &a : &b;
                    if (image->channels == 4) {
                        image->pixels[4 * i + 3] |= 1;
                    }
                }
            }
            mrw_compare_def def = pixel_def(random_below(2) * random_below(256));
            for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
                def.isa = (mrw_isa)isa;
                def.mask = NULL;
                if (mrw_isa_available(def.isa)) {
                    check_against_loop(&a, &b, &def);
                    def.mask = mask;
                    check_against_loop(&a, &b, &def);
                }
            }
            mrwi_base_free(mask);
            mrw_image_free(&a);
            mrw_image_free(&b);
        }
    }
}
END_TEST

/* ---- limits ---------------------------------------------------------------------------------- */

START_TEST(max_delta_is_the_most_that_may_differ)
{
    mrw_image a = plain(9, 5, 3, 0x646464FF), b = plain(9, 5, 3, 0x646E64FF);
    static const struct {
        uint32_t max_delta;
        uint64_t differing;
    } cases[] = {{0, 45}, {9, 45}, {10, 0}, {11, 0}, {255, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_compare_def def = pixel_def(cases[i].max_delta);
        mrw_compare_result r = compare(&a, &b, &def, false);
        ck_assert_uint_eq(r.differing, cases[i].differing);
        ck_assert_int_eq(r.passed, cases[i].differing == 0);
        ck_assert_uint_eq(r.largest[1], 10);
        ck_assert_uint_eq(r.box[2], 9);
        ck_assert(!r.identical);
        def.mode = MRW_COMPARE_EXACT; /* takes none of it */
        def.max_pixels = 45;
        def.max_ratio = 1.0;
        r = compare(&a, &b, &def, false);
        ck_assert(!r.passed);
        ck_assert_uint_eq(r.differing, 45);
    }
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

static mrw_image with_pixels_changed(const mrw_image *image, uint32_t count)
{
    mrw_image changed = copy_of(image);
    for (uint32_t i = 0; i < count; i++) {
        at(&changed, i % image->width, i / image->width)[0] ^= 255;
    }
    return changed;
}

START_TEST(max_pixels_or_max_ratio)
{
    mrw_image a = plain(10, 10, 3, 0x008080FF), b = with_pixels_changed(&a, 25);
    static const struct {
        uint64_t pixels;
        double ratio;
        bool passes;
    } cases[] = {{24, 0.0, false},   {25, 0.0, true}, {26, 0.0, true},
                 {0, 0.2499, false}, {0, 0.25, true}, {0, 1.0, true},
                 {24, 0.25, true},   {25, 0.1, true}, {24, 0.24, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_compare_def def = pixel_def(3);
        def.max_pixels = cases[i].pixels;
        def.max_ratio = cases[i].ratio;
        mrw_compare_result r = compare(&a, &b, &def, false);
        ck_assert_double_eq(r.ratio, 0.25);
        ck_assert_int_eq(r.passed, cases[i].passes);
    }
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* The mean limit at and beyond the edge, and the limit of a single pixel, which is ten times that.
 */
START_TEST(max_flip_limits_the_mean_and_the_peak)
{
    mrw_image a = plain(64, 64, 3, 0x000000FF), b = plain(64, 64, 3, 0x141414FF), c = copy_of(&a);
    mrw_compare_def def = mrw_compare_def_default();
    def.mode = MRW_COMPARE_PERCEPTUAL;
    mrw_compare_result r = compare(&a, &b, &def, false);
    ck_assert(r.all_metrics);
    ck_assert_double_gt(r.flip, 0.05);
    ck_assert(!r.passed);
    def.max_flip = r.flip;
    ck_assert(compare(&a, &b, &def, false).passed);
    def.max_flip = nextafter(r.flip, 0.0);
    ck_assert(!compare(&a, &b, &def, false).passed);
    set(&c, 30, 30, 0xFFFFFFFF);
    def.max_flip = 0.05;
    r = compare(&a, &c, &def, false);
    ck_assert_double_lt(r.flip, 0.05);
    ck_assert_double_gt(r.flip_largest, 0.5);
    ck_assert(!r.passed);
    def.max_flip = r.flip_largest / MRW_FLIP_PEAK * 1.0001;
    ck_assert(compare(&a, &c, &def, false).passed);
    def.max_flip = r.flip_largest / MRW_FLIP_PEAK * 0.9999;
    ck_assert(!compare(&a, &c, &def, false).passed);
    mrw_image_free(&a);
    mrw_image_free(&b);
    mrw_image_free(&c);
}
END_TEST

/* ---- subjects -------------------------------------------------------------------------------- */

/* One pixel differs; 4 pixels are drawn in a, 5 in b, one of them in both. */
START_TEST(the_subject_is_what_is_drawn_in_either)
{
    mrw_image a = plain(10, 10, 3, 0x808080FF), b = copy_of(&a);
    a.subject = make_bytes(&a);
    memset(a.subject + 20, 1, 4);
    set(&b, 2, 2, 0x828080FF);
    mrw_compare_result r = compare(&a, &b, &exact_def, true);
    ck_assert_int_eq(r.subject, MRW_SUBJECT_FRAME);
    ck_assert_uint_eq(r.subject_pixels, 100);
    ck_assert_double_eq(r.ratio, 0.01);
    b.subject = make_bytes(&b);
    memset(b.subject + 23, 1, 5);
    r = compare(&a, &b, &exact_def, true);
    ck_assert_int_eq(r.subject, MRW_SUBJECT_DRAWN);
    ck_assert_uint_eq(r.subject_pixels, 8);
    ck_assert_double_eq(r.ratio, 0.125);
    ck_assert_double_eq_tol(r.mean, 2.0 / (8.0 * 3.0), 1e-15);
    mrw_compare_result other = compare(&b, &a, &exact_def, true);
    ck_same_result(&r, &other);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(alpha_is_the_subject_where_there_is_some)
{
    mrw_image a = plain(10, 10, 4, 0x808080FF), b = plain(10, 10, 4, 0x808080FF);
    ck_assert_int_eq(compare(&a, &b, &exact_def, false).subject, MRW_SUBJECT_FRAME);
    for (uint32_t i = 0; i < 97; i++) {
        set(&a, i % 10, i / 10, 0);
        set(&b, i % 10, i / 10, 0);
    }
    set(&b, 0, 0, 0x10101001);
    mrw_compare_result r = compare(&a, &b, &exact_def, false);
    ck_assert_int_eq(r.subject, MRW_SUBJECT_ALPHA);
    ck_assert_uint_eq(r.subject_pixels, 4);
    ck_assert_double_eq(r.ratio, 0.25);
    mrw_image opaque = plain(10, 10, 3, 0x808080FF);
    r = compare(&opaque, &b, &exact_def, false);
    ck_assert_int_eq(r.subject, MRW_SUBJECT_ALPHA);
    ck_assert_uint_eq(r.subject_pixels, 100);
    a.subject = make_bytes(&a);
    a.subject[7] = 1;
    ck_assert_int_eq(compare(&a, &b, &exact_def, false).subject, MRW_SUBJECT_ALPHA);
    b.subject = make_bytes(&b);
    ck_assert_int_eq(compare(&a, &b, &exact_def, false).subject, MRW_SUBJECT_DRAWN);
    mrw_image_free(&opaque);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* A ground of another colour counts in full, though the subject is small; a difference in a small
 * subject is not watered down by the ground. */
START_TEST(means_are_over_the_worse_part)
{
    mrw_image a = plain(10, 10, 3, 0x646464FF), b = plain(10, 10, 3, 0x6E6464FF);
    a.subject = make_bytes(&a);
    b.subject = make_bytes(&b);
    memset(a.subject, 1, 5);
    memcpy(b.pixels, a.pixels, 15); /* the subject is the same */
    mrw_compare_result r = compare(&a, &b, &exact_def, true);
    ck_assert_uint_eq(r.differing, 95);
    ck_assert_double_eq(r.ratio, 1.0);
    ck_assert_double_eq_tol(r.mean, 10.0 / 3.0, 1e-15);
    ck_assert_double_eq_tol(r.psnr, 10.0 * log10(65025.0 * 3.0 / 100.0), 1e-12);
    ck_assert_double_gt(r.flip, 0.05);
    memcpy(b.pixels, a.pixels, 300);
    memset(b.pixels, 0x6E, 3 * 5);
    r = compare(&a, &b, &exact_def, true);
    ck_assert_double_eq(r.ratio, 1.0);
    ck_assert_double_eq_tol(r.mean, 10.0, 1e-15);
    memset(a.subject, 0, 5);
    r = compare(&a, &b, &exact_def, true);
    ck_assert_uint_eq(r.subject_pixels, 0);
    ck_assert_double_eq(r.ratio, 1.0);
    ck_assert_double_eq_tol(r.mean, 0.5, 1e-15);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* ---- masks ----------------------------------------------------------------------------------- */

START_TEST(masked_pixels_are_left_out)
{
    mrw_image a = plain(12, 8, 3, 0x406080FF), b = copy_of(&a);
    uint8_t *mask = make_bytes(&a);
    mrw_compare_def def = exact_def;
    def.mask = mask;
    for (uint32_t x = 3; x < 8; x++) {
        set(&b, x, 5, 0xFFFFFFFF);
        mask[5 * 12 + x] = (uint8_t)(x * 40);
    }
    mrw_compare_result r = compare(&a, &b, &def, true);
    ck_assert(r.identical && r.passed);
    ck_assert_uint_eq(r.masked_pixels, 5);
    ck_assert_uint_eq(r.subject_pixels, 91);
    ck_assert_double_eq(r.flip, 0.0);
    mask[5 * 12 + 4] = 0;
    r = compare(&a, &b, &def, false);
    ck_assert_uint_eq(r.differing, 1);
    ck_assert_double_eq(r.ratio, 1.0 / 92.0);
    const uint32_t box[4] = {4, 5, 1, 1};
    ck_assert_mem_eq(r.box, box, sizeof box);
    a.subject = make_bytes(&a);
    memset(a.subject + 5 * 12, 1, 12);
    b.subject = make_bytes(&b);
    ck_assert_uint_eq(compare(&a, &b, &def, false).subject_pixels, 8);
    mrwi_base_free(mask);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(everything_masked_is_identical)
{
    mrw_image a = noise(20, 9, 4), b = noise(20, 9, 3);
    uint8_t *mask = make_bytes(&a);
    memset(mask, 1, 180);
    mrw_compare_def def = exact_def;
    def.mask = mask;
    mrw_compare_result r = compare(&a, &b, &def, true);
    mrw_compare_result expected = {.passed = true,
                                   .same_size = true,
                                   .identical = true,
                                   .all_metrics = true,
                                   .subject = MRW_SUBJECT_FRAME,
                                   .masked_pixels = 180,
                                   .psnr = 999.0};
    ck_same_result(&r, &expected);
    mrwi_base_free(mask);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* Whatever lies under the mask, alpha included: every number stays, those of neighbours, too. */
START_TEST(what_is_masked_reaches_no_number)
{
    mrw_image a = make_image(60, 40, 4), b = make_image(60, 40, 4);
    for (uint32_t i = 0; i < 60 * 40; i++) {
        uint32_t ground = i % 60 < 30 ? 0x606060FF : 0xC0C0C0FF;
        set(&a, i % 60, i / 60, i % 60 == 30 ? 0x909090FF : ground);
        set(&b, i % 60, i / 60, i % 60 == 30 ? 0x707070FF : ground);
    }
    uint8_t *mask = make_bytes(&a);
    for (uint32_t i = 0; i < 300; i++) {
        mask[random_below(60 * 40)] = 1;
    }
    mrw_compare_def def = pixel_def(4);
    def.mask = mask;
    def.ignore_antialiasing = true;
    mrw_compare_result expected = compare(&a, &b, &def, true);
    ck_assert_uint_gt(expected.antialiased, 0);
    ck_assert_int_eq(expected.subject, MRW_SUBJECT_FRAME);
    for (int round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < 60 * 40; i++) {
            if (mask[i] != 0) {
                set(&b, i % 60, i / 60, random_below(1u << 24) << 8 | random_below(256));
            }
        }
        mrw_compare_result r = compare(&a, &b, &def, true);
        ck_same_result(&expected, &r);
    }
    mrwi_base_free(mask);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* ---- anti-aliased edges ---------------------------------------------------------------------- */

static mrw_image mirrored(const mrw_image *image, bool left_right)
{
    mrw_image out = make_image(image->width, image->height, image->channels);
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            uint32_t u = left_right ? image->width - 1 - x : x;
            uint32_t v = left_right ? y : image->height - 1 - y;
            memcpy(at(&out, u, v), at(image, x, y), image->channels);
        }
    }
    return out;
}

START_TEST(a_moved_edge_is_ignored_and_a_block_is_not)
{
    mrw_image a = half_plane(60, 40, 12.3, 0.23), b = half_plane(60, 40, 12.6, 0.23);
    mrw_compare_def def = pixel_def(8);
    mrw_compare_result strict = compare(&a, &b, &def, false);
    ck_assert_uint_gt(strict.differing, 55);
    ck_assert_uint_eq(strict.antialiased, 0);
    ck_assert(!strict.passed);
    def.ignore_antialiasing = true;
    mrw_compare_result r = compare(&a, &b, &def, false);
    ck_assert_uint_eq(r.differing, 0);
    ck_assert_uint_eq(r.antialiased, strict.differing);
    ck_assert(r.passed && !r.identical);
    ck_assert_mem_eq(r.box, strict.box, sizeof r.box);
    ck_assert_mem_eq(r.largest, strict.largest, sizeof r.largest);
    for (uint32_t i = 0; i < 25; i++) {
        set(&b, 30 + i % 5, 4 + i / 5, 0x203040FF);
    }
    r = compare(&a, &b, &def, false);
    ck_assert_uint_eq(r.differing, 25);
    ck_assert_uint_eq(r.antialiased, strict.differing);
    for (int k = 0; k < 2; k++) {
        mrw_image c = mirrored(&a, k == 0), d = mirrored(&b, k == 0);
        mrw_compare_result m = compare(&c, &d, &def, false), n = compare(&d, &c, &def, false);
        ck_assert_uint_eq(m.differing, r.differing);
        ck_assert_uint_eq(m.antialiased, r.antialiased);
        ck_assert_uint_eq(n.antialiased, r.antialiased);
        mrw_image_free(&c);
        mrw_image_free(&d);
    }
    def.mode = MRW_COMPARE_EXACT;
    ck_assert_uint_eq(compare(&a, &b, &def, false).antialiased, 0);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* By hand, from the rules in antialiased.c. D, L are the plain dark and light areas. */
START_TEST(rules_of_anti_aliased_edges)
{
    mrw_compare_def def = pixel_def(0);
    def.ignore_antialiasing = true;
    mrw_image a = make_image(8, 6, 3);
    for (uint32_t i = 0; i < 48; i++) {
        uint32_t x = i % 8;
        set(&a, x, i / 8,
            x < 4   ? 0x202020FF
            : x > 4 ? 0xE0E0E0FF
                    : 0x50505000 + 0x04040400 * (i / 8));
    }
    /* Column 4 lies between dark and light, each row of another grey: an edge. */
    mrw_image b = copy_of(&a);
    set(&b, 4, 3, 0x7F7F7FFF);
    ck_assert_uint_eq(compare(&a, &b, &def, false).antialiased, 1);
    /* Darker than all: on neither side of an edge, but in a it still lies on one. */
    set(&b, 4, 3, 0x101010FF);
    ck_assert_uint_eq(compare(&a, &b, &def, false).antialiased, 1);
    /* In the plain area nothing is brighter and darker: a change counts. */
    mrw_image_free(&b);
    b = copy_of(&a);
    set(&b, 1, 2, 0x2A2A2AFF);
    ck_assert_uint_eq(compare(&a, &b, &def, false).differing, 1);
    /* Where both neighbouring areas are textured, the edge borders on nothing plain. */
    mrw_image_free(&b);
    for (uint32_t i = 0; i < 48; i++) {
        if (i % 8 != 4) {
            at(&a, i % 8, i / 8)[2] = (uint8_t)(i % 8 < 4 ? i : 200 + i);
        }
    }
    b = copy_of(&a);
    set(&b, 4, 3, 0x7F7F7FFF);
    ck_assert_uint_eq(compare(&a, &b, &def, false).differing, 1);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* The rules once more, a pixel at a time, in double. */
typedef struct slow_pair {
    const mrw_image *images[2];
    const uint8_t *mask;
} slow_pair;

static bool is_seen_slowly(const slow_pair *p, int x, int y)
{
    const int width = (int)p->images[0]->width, height = (int)p->images[0]->height;
    return x >= 0 && y >= 0 && x < width && y < height && (!p->mask || p->mask[y * width + x] == 0);
}

static double grey_of(const mrw_image *image, int x, int y)
{
    const uint32_t u = (uint32_t)x, v = (uint32_t)y;
    double alpha = channel_of(image, u, v, 3) / 255.0;
    double luma = 0.299 * channel_of(image, u, v, 0) + 0.587 * channel_of(image, u, v, 1) +
                  0.114 * channel_of(image, u, v, 2);
    return floor((luma * alpha + 128.0 * (1.0 - alpha)) * 255000.0 + 0.5); /* whole: no rounding */
}

static int equal_neighbours(const slow_pair *p, const mrw_image *image, int x, int y, bool grey)
{
    const int width = (int)image->width, height = (int)image->height;
    int equal = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    for (int k = 0; k < 9; k++) {
        int u = x + k % 3 - 1, v = y + k / 3 - 1;
        if (k == 4 || !is_seen_slowly(p, u, v)) {
            continue;
        }
        bool same = true;
        for (uint32_t c = 0; c < 4 && !grey; c++) {
            same = same && channel_of(image, (uint32_t)u, (uint32_t)v, c) ==
                               channel_of(image, (uint32_t)x, (uint32_t)y, c);
        }
        equal += grey ? grey_of(image, u, v) == grey_of(image, x, y) : same;
    }
    return equal;
}

static bool is_edge_slowly(const slow_pair *p, const mrw_image *image, int x, int y)
{
    double least = 0.0, most = 0.0, own = grey_of(image, x, y);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 9; k++) {
            int u = x + k % 3 - 1, v = y + k / 3 - 1;
            if (!is_seen_slowly(p, u, v)) {
                continue;
            }
            double d = grey_of(image, u, v) - own;
            if (pass == 0) {
                least = fmin(least, d);
                most = fmax(most, d);
            } else if ((d == least || d == most) &&
                       equal_neighbours(p, p->images[0], u, v, false) >= 3 &&
                       equal_neighbours(p, p->images[1], u, v, false) >= 3) {
                return true;
            }
        }
        if (least == 0.0 || most == 0.0 || equal_neighbours(p, image, x, y, true) >= 3) {
            return false;
        }
    }
    return false;
}

static uint64_t count_edges_slowly(const slow_pair *p, uint32_t max_delta)
{
    uint64_t found = 0;
    for (int i = 0; i < (int)(p->images[0]->width * p->images[0]->height); i++) {
        int x = i % (int)p->images[0]->width, y = i / (int)p->images[0]->width, most = 0;
        for (uint32_t c = 0; c < 4; c++) {
            int d = abs((int)channel_of(p->images[0], (uint32_t)x, (uint32_t)y, c) -
                        (int)channel_of(p->images[1], (uint32_t)x, (uint32_t)y, c));
            most = d > most ? d : most;
        }
        found += is_seen_slowly(p, x, y) && most > (int)max_delta &&
                 (is_edge_slowly(p, p->images[0], x, y) || is_edge_slowly(p, p->images[1], x, y));
    }
    return found;
}

/* Patches of few colours with noise of some density: plain areas, edges and texture. */
static mrw_image patches(uint32_t width, uint32_t height, uint32_t channels, uint32_t density)
{
    static const uint32_t colors[] = {0x202020FF, 0xE0E0E0FF, 0x707070FF, 0x80402080};
    mrw_image image = make_image(width, height, channels);
    for (uint32_t i = 0; i < width * height; i++) {
        uint32_t patch = (i % width + i / width / 3) / 5 % 4;
        bool odd = random_below(100) < density;
        set(&image, i % width, i / width,
            odd ? random_below(1u << 24) << 8 | random_below(256) : colors[patch]);
    }
    return image;
}

START_TEST(edges_agree_with_a_slow_loop)
{
    static const uint32_t widths[] = {1, 2, 3, 5, 127, 128, 129, 131, 257, 300};
    uint64_t all = 0;
    for (uint32_t round = 0; round < TEST_ROUNDS(60); round++) {
        uint32_t width = widths[round % 10], height = 1 + random_below(90);
        mrw_image a = patches(width, height, 3 + round % 2, random_below(3) * 20);
        mrw_image b = patches(width, height, 3 + round / 2 % 2, random_below(4) * 20);
        uint8_t *mask = make_bytes(&a);
        for (uint32_t i = 0; i < width * height; i++) {
            mask[i] = random_below(20) == 0;
        }
        for (int masked = 0; masked < 2; masked++) {
            mrw_compare_def def = pixel_def(random_below(2) * random_below(100));
            const slow_pair p = {{&a, &b}, masked == 1 ? mask : NULL};
            def.mask = p.mask;
            mrw_compare_result strict = compare(&a, &b, &def, false);
            def.ignore_antialiasing = true;
            uint64_t expected = count_edges_slowly(&p, def.max_delta);
            for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
                def.isa = (mrw_isa)isa;
                if (!mrw_isa_available(def.isa)) {
                    continue;
                }
                mrw_compare_result r = compare(&a, &b, &def, false);
                ck_assert_uint_eq(r.antialiased, expected);
                ck_assert_uint_eq(r.differing, strict.differing - expected);
            }
            all += expected;
        }
        mrwi_base_free(mask);
        mrw_image_free(&a);
        mrw_image_free(&b);
    }
    ck_assert_uint_gt(all, TEST_ROUNDS(1000));
}
END_TEST

/* ---- sizes ----------------------------------------------------------------------------------- */

START_TEST(slivers)
{
    static const uint32_t sides[][2] = {{1, 1}, {1, 17}, {17, 1}, {2, 2}, {129, 1}, {1, 129}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        uint32_t width = sides[i][0], height = sides[i][1];
        mrw_image a = plain(width, height, 3, 0x000000FF), b = plain(width, height, 3, 0xFFFFFFFF);
        mrw_compare_def def = pixel_def(10);
        def.ignore_antialiasing = true;
        def.threads = 3;
        mrw_compare_result r = compare(&a, &b, &def, true);
        ck_assert_uint_eq(r.differing, width * height);
        ck_assert_double_eq(r.mean, 255.0);
        ck_assert_double_eq(r.psnr, 0.0);
        ck_assert_double_eq_tol(r.flip, 0.96738, 2e-5);
        mrw_image picture;
        ck_assert_int_eq(mrw_compare_picture(&a, &b, &def, &picture, NULL), MRW_OK);
        mrw_image_free(&picture);
        mrw_image_free(&a);
        mrw_image_free(&b);
    }
}
END_TEST

/* ---- out of memory --------------------------------------------------------------------------- */

START_TEST(out_of_memory_is_a_status)
{
    mrw_image a = noise(200, 150, 3), b = noise(200, 150, 4);
    mrw_compare_def def = mrw_compare_def_default();
    def.mode = MRW_COMPARE_PERCEPTUAL;
    def.threads = 2;
    int failures = 0;
    for (uint64_t n = 1;; n++) {
        mrw_compare_result result;
        mrw_error error;
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_compare(&a, &b, &def, true, &result, &error);
        if (mrwi_base_alloc_fail_pending()) {
            ck_assert_int_eq(status, MRW_OK);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        ck_assert(!result.same_size && result.psnr == 0.0);
        failures++;
    }
    ck_assert_int_ge(failures, 6);
    for (uint64_t n = 1;; n++) {
        mrw_image picture;
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_compare_picture(&a, &b, &def, &picture, NULL);
        bool pending = mrwi_base_alloc_fail_pending();
        ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
        ck_assert(pending || !picture.pixels);
        mrw_image_free(&picture);
        if (pending) {
            break;
        }
    }
    mrwi_base_alloc_fail_at(0);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("compare");
    TCase *tc = tcase_create("compare");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, defaults);
    tcase_add_test(tc, identical_pictures);
    tcase_add_test(tc, every_field_of_a_result);
    tcase_add_test(tc, different_sizes);
    tcase_add_test(tc, a_picture_without_alpha_is_opaque);
    tcase_add_test(tc, colour_under_alpha_0_differs);
    tcase_add_test(tc, agrees_with_a_slow_loop);
    tcase_add_test(tc, max_delta_is_the_most_that_may_differ);
    tcase_add_test(tc, max_pixels_or_max_ratio);
    tcase_add_test(tc, max_flip_limits_the_mean_and_the_peak);
    tcase_add_test(tc, the_subject_is_what_is_drawn_in_either);
    tcase_add_test(tc, alpha_is_the_subject_where_there_is_some);
    tcase_add_test(tc, means_are_over_the_worse_part);
    tcase_add_test(tc, masked_pixels_are_left_out);
    tcase_add_test(tc, everything_masked_is_identical);
    tcase_add_test(tc, what_is_masked_reaches_no_number);
    tcase_add_test(tc, a_moved_edge_is_ignored_and_a_block_is_not);
    tcase_add_test(tc, rules_of_anti_aliased_edges);
    tcase_add_test(tc, edges_agree_with_a_slow_loop);
    tcase_add_test(tc, slivers);
    tcase_add_test(tc, out_of_memory_is_a_status);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
