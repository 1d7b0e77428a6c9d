/* compare_fixture.h: small pictures for the tests of comparing. */
#ifndef MARROW_COMPARE_FIXTURE_H
#define MARROW_COMPARE_FIXTURE_H

#include "test.h"

#include "base/memory.h"
#include "marrow/compare.h"

static uint64_t random_state = 1;

static inline uint32_t random_below(uint32_t count)
{
    return test_random_below(&random_state, count);
}

static inline mrw_image make_image(uint32_t width, uint32_t height, uint32_t channels)
{
    mrw_image image;
    ck_assert_int_eq(mrw_image_create(width, height, channels, &image, NULL), MRW_OK);
    return image;
}

/* A zeroed byte a pixel: a mask, or a subject that the image then owns. */
static inline uint8_t *make_bytes(const mrw_image *image)
{
    return mrwi_base_alloc_zero(image->width, image->height);
}

static inline uint8_t *at(const mrw_image *image, uint32_t x, uint32_t y)
{
    return image->pixels + ((size_t)y * image->width + x) * image->channels;
}

static inline void set(const mrw_image *image, uint32_t x, uint32_t y, uint32_t rgba)
{
    for (uint32_t c = 0; c < image->channels; c++) {
        at(image, x, y)[c] = (uint8_t)(rgba >> (24 - 8 * c));
    }
}

/* One colour, 0xRRGGBBAA. */
static inline mrw_image plain(uint32_t width, uint32_t height, uint32_t channels, uint32_t rgba)
{
    mrw_image image = make_image(width, height, channels);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            set(&image, x, y, rgba);
        }
    }
    return image;
}

static inline mrw_image noise(uint32_t width, uint32_t height, uint32_t channels)
{
    mrw_image image = make_image(width, height, channels);
    for (size_t i = 0; i < (size_t)width * height * channels; i++) {
        image.pixels[i] = (uint8_t)random_below(256);
    }
    return image;
}

static inline mrw_image copy_of(const mrw_image *from)
{
    mrw_image image = make_image(from->width, from->height, from->channels);
    memcpy(image.pixels, from->pixels, (size_t)from->width * from->height * from->channels);
    return image;
}

/* A soft-edged disc on a gradient. */
static inline mrw_image disc(uint32_t width, uint32_t height, double x0, double y0, double radius)
{
    mrw_image image = make_image(width, height, 3);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            double inside = radius + 0.5 - hypot(x - x0, y - y0);
            inside = inside < 0 ? 0 : inside > 1 ? 1 : inside;
            uint8_t *p = at(&image, x, y);
            p[0] = (uint8_t)(40 + x % 80 + inside * 120);
            p[1] = (uint8_t)(90 + y % 80 - inside * 60);
            p[2] = (uint8_t)(120 - inside * 100);
        }
    }
    return image;
}

/* A dark half-plane under a line, with exact coverage of an edge that crosses a column in less than
 * a pixel: at column x it lies at offset + slope * x. */
static inline mrw_image half_plane(uint32_t width, uint32_t height, double offset, double slope)
{
    mrw_image image = make_image(width, height, 3);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            double covered = (double)y + 1.0 - (offset + slope * ((double)x + 0.5));
            covered = covered < 0 ? 0 : covered > 1 ? 1 : covered;
            uint8_t v = (uint8_t)(230.0 - covered * 180.0 + 0.5);
            memset(at(&image, x, y), v, 3);
        }
    }
    return image;
}

static inline mrw_compare_def pixel_def(uint32_t max_delta)
{
    mrw_compare_def def = mrw_compare_def_default();
    def.mode = MRW_COMPARE_PIXEL;
    def.max_delta = max_delta;
    return def;
}

static inline mrw_compare_result compare(const mrw_image *a, const mrw_image *b,
                                         const mrw_compare_def *def, bool all_metrics)
{
    mrw_compare_result result;
    memset(&result, 0xEE, sizeof result);
    ck_assert_int_eq(mrw_compare(a, b, def, all_metrics, &result, NULL), MRW_OK);
    return result;
}

/* Bit for bit. */
static inline void ck_same_result(const mrw_compare_result *a, const mrw_compare_result *b)
{
    ck_assert_int_eq(a->passed, b->passed);
    ck_assert_int_eq(a->same_size, b->same_size);
    ck_assert_int_eq(a->identical, b->identical);
    ck_assert_int_eq(a->all_metrics, b->all_metrics);
    ck_assert_int_eq(a->subject, b->subject);
    ck_assert_uint_eq(a->subject_pixels, b->subject_pixels);
    ck_assert_uint_eq(a->masked_pixels, b->masked_pixels);
    ck_assert_uint_eq(a->differing, b->differing);
    ck_assert_uint_eq(a->antialiased, b->antialiased);
    ck_assert_mem_eq(&a->ratio, &b->ratio, sizeof a->ratio);
    ck_assert_mem_eq(a->largest, b->largest, sizeof a->largest);
    ck_assert_mem_eq(a->box, b->box, sizeof a->box);
    ck_assert_mem_eq(&a->mean, &b->mean, sizeof a->mean);
    ck_assert_mem_eq(&a->psnr, &b->psnr, sizeof a->psnr);
    ck_assert_mem_eq(&a->flip, &b->flip, sizeof a->flip);
    ck_assert_mem_eq(&a->flip_largest, &b->flip_largest, sizeof a->flip_largest);
}

#endif
