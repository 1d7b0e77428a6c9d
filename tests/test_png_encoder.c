/* test_png_encoder.c: encoders that keep their memory, animations and sheets put together piece by
 * piece: the same bytes as all at once, whatever came before. */
#include "png_pictures.h"
#include "test.h"

#include "base/memory.h"

#include <marrow/codecs.h>

/* A gradient with some noise and a plain part, other for each seed. */
static mrw_image make_image(uint32_t width, uint32_t height, uint32_t channels, uint32_t seed)
{
    mrw_image image = {0};
    uint64_t state = seed;
    ck_assert_int_eq(mrw_image_create(width, height, channels, &image, NULL), MRW_OK);
    for (size_t i = 0; i < (size_t)width * height * channels; i++) {
        const uint32_t any = test_random_below(&state, 16);
        size_t x = i / channels % width;
        image.pixels[i] = (uint8_t)(x < width / 3 ? seed : x + any);
    }
    return image;
}

static void add_subject(mrw_image *image)
{
    const size_t pixels = (size_t)image->width * image->height;
    image->subject = mrwi_base_alloc_zero(pixels, 1);
    for (size_t i = 0; i < pixels; i++) {
        image->subject[i] = i % 5 < 2; /* many runs: its chunk grows */
    }
}

static void assert_fresh(mrw_png_encoder *encoder, const mrw_image *image, const mrw_png_def *def)
{
    mrw_bytes kept, fresh;
    ck_assert_int_eq(mrw_png_encoder_encode(encoder, image, def, &kept, NULL), MRW_OK);
    ck_assert_int_eq(mrw_png_encode_as(image, def, &fresh, NULL), MRW_OK);
    ck_assert_uint_eq(kept.size, fresh.size);
    ck_assert_mem_eq(kept.data, fresh.data, fresh.size);
    mrw_bytes_free(&fresh);
}

START_TEST(what_came_before_changes_nothing)
{
    static const uint32_t sizes[][3] = {{64, 48, 3}, {7, 5, 4},   {200, 150, 4}, {64, 48, 3},
                                        {1, 1, 3},   {640, 9, 3}, {64, 48, 4},   {400, 300, 3}};
    mrw_png_encoder *encoder;
    ck_assert_int_eq(mrw_png_encoder_create(&encoder, NULL), MRW_OK);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            mrw_image image = make_image(sizes[i][0], sizes[i][1], sizes[i][2], i);
            const mrw_png_def best = {MRW_PNG_BEST, MRW_ISA_AUTO, 1};
            if (i % 2 == (uint32_t)round) {
                add_subject(&image);
            }
            assert_fresh(encoder, &image, NULL);
            assert_fresh(encoder, &image, &best);
            assert_fresh(encoder, &image, NULL);
            mrw_image_free(&image);
        }
    }
    mrw_png_encoder_free(encoder);
    mrw_png_encoder_free(NULL);
}
END_TEST

/* Pictures of several bands: noise, which is stored; plain rows; gradients, where matches pay; and
 * some noise. Their bytes are those of one thread, whose promise test_png_encode.c keeps. */
START_TEST(threads_change_no_byte)
{
    static const uint32_t sizes[][2] = {{300, 200}, {1000, 64}, {97, 999}, {4000, 33}, {20, 20}};
    mrw_png_encoder *encoder;
    ck_assert_int_eq(mrw_png_encoder_create(&encoder, NULL), MRW_OK);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int style = 0; style < PICTURE_STYLES; style++) {
            mrw_image image = make_picture(sizes[i][0], sizes[i][1], 3 + i % 2, style);
            for (uint32_t y = 40; y < 60 && y < image.height; y++) { /* rows that are repeated */
                const size_t row = (size_t)image.width * image.channels;
                memcpy(image.pixels + y * row, image.pixels + (y - 1) * row, row);
            }
            for (int threads = 2; threads <= 5; threads++) {
                const mrw_png_def def = {MRW_PNG_FAST, MRW_ISA_AUTO, threads};
                mrw_bytes one, several;
                ck_assert_int_eq(mrw_png_encode(&image, &one, NULL), MRW_OK);
                ck_assert_int_eq(mrw_png_encoder_encode(encoder, &image, &def, &several, NULL),
                                 MRW_OK);
                ck_assert_uint_eq(one.size, several.size);
                ck_assert_mem_eq(one.data, several.data, one.size);
                mrw_bytes_free(&one);
            }
            mrw_image_free(&image);
        }
    }
    mrw_png_encoder_free(encoder);
}
END_TEST

START_TEST(any_allocation_of_bands_may_fail)
{
    mrw_image image = make_image(300, 400, 3, 1);
    const mrw_png_def def = {MRW_PNG_FAST, MRW_ISA_AUTO, 2};
    bool pending = false;
    for (uint64_t n = 1; !pending; n++) {
        mrw_bytes bytes = {0};
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = mrw_png_encode_as(&image, &def, &bytes, NULL);
        pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
        mrw_bytes_free(&bytes);
    }
    mrw_image_free(&image);
}
END_TEST

/* An encoder that ran out of memory works again. */
START_TEST(any_allocation_of_an_encoder_may_fail)
{
    mrw_image image = make_image(300, 200, 3, 1);
    int failures = 0;
    add_subject(&image);
    for (uint64_t n = 1;; n++) {
        const mrw_png_def best = {MRW_PNG_BEST, MRW_ISA_AUTO, 1};
        mrw_png_encoder *encoder;
        mrw_bytes bytes;
        ck_assert_int_eq(mrw_png_encoder_create(&encoder, NULL), MRW_OK);
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_png_encoder_encode(encoder, &image, &best, &bytes, NULL);
        bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert(status == (fired ? MRW_ERROR_MEMORY : MRW_OK));
        failures += fired;
        assert_fresh(encoder, &image, &best);
        mrw_png_encoder_free(encoder);
        if (!fired) {
            break;
        }
    }
    ck_assert_int_ge(failures, 5);
    mrw_image_free(&image);
}
END_TEST

#define FRAMES 6

/* Frames that come backwards, one of them said to be another again, are the file that all of them
 * in order are. */
START_TEST(an_animation_frame_by_frame)
{
    const mrw_rate rate = {30000, 1001};
    const mrw_apng_def def = {
        .width = 50, .height = 40, .channels = 3, .count = FRAMES, .rate = rate};
    mrw_image images[FRAMES];
    mrw_bytes whole, pieces;
    mrw_png_encoder *encoder;
    mrw_apng *apng;
    for (uint32_t i = 0; i < FRAMES; i++) {
        images[i] = make_image(50, 40, 3, i == 4 || i == 0 ? 2 : i);
    }
    ck_assert_int_eq(mrw_apng_encode(images, FRAMES, rate, &whole, NULL), MRW_OK);
    ck_assert_int_eq(mrw_png_encoder_create(&encoder, NULL), MRW_OK);
    ck_assert_int_eq(mrw_apng_create(&def, &apng, NULL), MRW_OK);
    ck_assert_int_eq(mrw_apng_repeat(apng, 4, 2, &images[4], NULL, NULL), MRW_OK);
    for (uint32_t i = FRAMES; i-- > 0;) {
        if (i == 0) {
            ck_assert_int_eq(mrw_apng_repeat(apng, 0, 2, &images[0], encoder, NULL), MRW_OK);
        } else if (i != 4) {
            ck_assert_int_eq(mrw_apng_put(apng, i, &images[i], i % 2 == 0 ? encoder : NULL, NULL),
                             MRW_OK);
        }
    }
    ck_assert_int_eq(mrw_apng_finish(apng, &pieces, NULL), MRW_OK);
    ck_assert_uint_eq(pieces.size, whole.size);
    ck_assert_mem_eq(pieces.data, whole.data, whole.size);
    mrw_apng_free(apng);
    mrw_apng_free(NULL);
    mrw_png_encoder_free(encoder);
    mrw_bytes_free(&whole);
    mrw_bytes_free(&pieces);
    for (int i = 0; i < FRAMES; i++) {
        mrw_image_free(&images[i]);
    }
}
END_TEST

START_TEST(an_animation_wants_frames_alike)
{
    const mrw_apng_def def = {
        .width = 50, .height = 40, .channels = 3, .count = 2, .rate = {30, 1}};
    mrw_image image = make_image(50, 41, 3, 1);
    mrw_error error = {0};
    mrw_apng *apng;
    ck_assert_int_eq(mrw_apng_create(&def, &apng, NULL), MRW_OK);
    ck_assert_int_eq(mrw_apng_put(apng, 1, &image, NULL, &error), MRW_ERROR_USAGE);
    ck_assert_str_eq(error.text,
                     "all frames of an animation must have the same size and channels: it has 50 x "
                     "40 pixels of 3 channels, but frame 2 has 50 x 41 of 3");
    mrw_apng_free(apng);
    mrw_image_free(&image);
}
END_TEST

START_TEST(any_allocation_of_an_animation_may_fail)
{
    mrw_image images[2] = {make_image(90, 70, 4, 1), make_image(90, 70, 4, 2)};
    int failures = 0;
    for (uint64_t n = 1;; n++) {
        mrw_bytes bytes = {0};
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_apng_encode(images, 2, (mrw_rate){30, 1}, &bytes, NULL);
        bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert(status == (fired ? MRW_ERROR_MEMORY : MRW_OK));
        mrw_bytes_free(&bytes);
        failures += fired;
        if (!fired) {
            break;
        }
    }
    ck_assert_int_ge(failures, 6);
    mrw_image_free(&images[0]);
    mrw_image_free(&images[1]);
}
END_TEST

START_TEST(a_sheet_picture_by_picture)
{
    const mrw_sheet_def def = {20, 10, 4, FRAMES, 4, 3, {1, 2, 3, 4}, 0, 0};
    mrw_image images[FRAMES], whole, pieces;
    for (uint32_t i = 0; i < FRAMES; i++) {
        images[i] = make_image(20, 10, 4, i);
    }
    ck_assert_int_eq(mrw_image_sheet(images, FRAMES, 4, 3, def.background, &whole, NULL), MRW_OK);
    ck_assert_int_eq(mrw_sheet_create(&def, &pieces, NULL), MRW_OK);
    for (uint32_t i = FRAMES; i-- > 0;) {
        mrw_sheet_put(&def, &pieces, i, &images[i]);
        mrw_image_free(&images[i]);
    }
    ck_assert_uint_eq(pieces.width, 4 * 23 + 3);
    ck_assert_uint_eq(pieces.height, 2 * 13 + 3);
    ck_assert_uint_eq(whole.width, pieces.width);
    ck_assert_mem_eq(whole.pixels, pieces.pixels, (size_t)pieces.width * pieces.height * 4);
    mrw_image_free(&whole);
    mrw_image_free(&pieces);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("png_encoder");
    TCase *t = tcase_create("png_encoder");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, what_came_before_changes_nothing);
    tcase_add_test(t, any_allocation_of_an_encoder_may_fail);
    tcase_add_test(t, threads_change_no_byte);
    tcase_add_test(t, any_allocation_of_bands_may_fail);
    tcase_add_test(t, an_animation_frame_by_frame);
    tcase_add_test(t, an_animation_wants_frames_alike);
    tcase_add_test(t, any_allocation_of_an_animation_may_fail);
    tcase_add_test(t, a_sheet_picture_by_picture);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
