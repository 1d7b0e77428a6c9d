/* subject.c: finds the subject of two pictures, and recognises empty pictures. */
#include "compare/pair.h"

#include "base/simd/f4.h"
#include "image/image.h"

#include <assert.h>

/* ---- counting bytes -------------------------------------------------------------------------- */

#define HIGH_BITS UINT64_C(0x8080808080808080)

/* Returns the high bit of each byte that is not 0. */
static uint64_t nonzero_bytes(uint64_t v)
{
    return (((v & ~HIGH_BITS) + ~HIGH_BITS) | v) & HIGH_BITS;
}

static uint64_t eight_bytes(const uint8_t *bytes)
{
    uint64_t v;
    memcpy(&v, bytes, sizeof v);
    return v;
}

/* Counts the i with a[i] or b[i], and not mask[i]; NULL is all zeros. */
static uint64_t count_bytes(const uint8_t *a, const uint8_t *b, const uint8_t *mask, size_t count)
{
    uint64_t found = 0;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t hit = (a ? eight_bytes(a + i) : 0) | (b ? eight_bytes(b + i) : 0);
        hit = nonzero_bytes(hit);
        hit &= ~nonzero_bytes(mask ? eight_bytes(mask + i) : 0);
        found += (hit >> 7) * UINT64_C(0x0101010101010101) >> 56;
    }
    for (; i < count; i++) {
        bool hit = (a && a[i] != 0) || (b && b[i] != 0);
        found += hit && (!mask || mask[i] == 0);
    }
    return found;
}

/* ---- alpha ----------------------------------------------------------------------------------- */

/* Returns the bits that all alphas have in common with 255: 255 if all are 255. */
static uint32_t common_alpha(const uint8_t *pixels, const uint8_t *mask, uint32_t count)
{
    mrwi_base_i4 all = mrwi_base_i4_set(-1);
    uint32_t i = 0, common = 255;
    for (; !mask && i + 4 <= count; i += 4) {
        all &= mrwi_base_i4_load(pixels + (size_t)4 * i);
    }
    for (; i < count; i++) {
        common &= mask && mask[i] != 0 ? 255 : pixels[(size_t)4 * i + 3];
    }
    return common & (uint32_t)((all[0] & all[1]) & (all[2] & all[3])) >> 24;
}

bool mrwi_compare_has_alpha(const mrw_image *image, const uint8_t *mask)
{
    for (uint32_t y = 0; image->channels == 4 && y < image->height; y++) {
        const size_t at = (size_t)y * image->width;
        if (common_alpha(image->pixels + 4 * at, mask ? mask + at : NULL, image->width) != 255) {
            return true;
        }
    }
    return false;
}

static uint64_t count_alpha(const mrwi_compare_pair *pair)
{
    size_t count = (size_t)pair->width * pair->height, i = 0;
    const mrw_image *images[2] = {pair->expected, pair->actual};
    if (images[0]->channels != 4 || images[1]->channels != 4) {
        return count - count_bytes(pair->mask, NULL, NULL, count);
    }
    const uint8_t *a = images[0]->pixels, *b = images[1]->pixels;
    mrwi_base_i4 four = {0}; /* a lane counts at most a quarter of MRW_IMAGE_MAX_SIDE squared */
    for (; !pair->mask && i + 4 <= count; i += 4) {
        mrwi_base_i4 both = mrwi_base_i4_load(a + 4 * i) | mrwi_base_i4_load(b + 4 * i);
        four -= (mrwi_base_i4)((both >> 24) != 0);
    }
    uint64_t found = (uint64_t)four[0] + (uint64_t)four[1] + (uint64_t)four[2] + (uint64_t)four[3];
    for (; i < count; i++) {
        found += (a[4 * i + 3] | b[4 * i + 3]) != 0 && (!pair->mask || pair->mask[i] == 0);
    }
    return found;
}

/* ---- subject --------------------------------------------------------------------------------- */

mrwi_compare_counts mrwi_compare_find_subject(mrwi_compare_pair *pair)
{
    const mrw_image *a = pair->expected, *b = pair->actual;
    const uint8_t *mask = pair->mask;
    size_t count = (size_t)pair->width * pair->height;
    mrwi_compare_counts counts = {.masked = mask ? count_bytes(mask, NULL, NULL, count) : 0};
    uint64_t all = count - counts.masked, found = all;
    if (a->subject && b->subject) {
        pair->subject = MRW_SUBJECT_DRAWN;
        found = count_bytes(a->subject, b->subject, mask, count);
    } else if (mrwi_compare_has_alpha(a, mask) || mrwi_compare_has_alpha(b, mask)) {
        pair->subject = MRW_SUBJECT_ALPHA;
        found = count_alpha(pair);
    }
    counts.regions[MRWI_COMPARE_IN_SUBJECT] = found;
    counts.regions[MRWI_COMPARE_IN_REST] = all - found;
    return counts;
}

/* ---- empty pictures -------------------------------------------------------------------------- */

/* The rule for which pixels of a picture show something. */
typedef struct shown {
    const mrw_image *image;
    bool by_alpha;
    uint32_t ground; /* background colour, if there is neither a subject nor alpha */
} shown;

static bool is_shown(const shown *s, uint32_t x, uint32_t y)
{
    if (s->image->subject) {
        return s->image->subject[(size_t)y * s->image->width + x] != 0;
    }
    uint32_t pixel = mrwi_compare_pixel(s->image, x, y);
    return s->by_alpha ? mrwi_compare_channel(pixel, 3) != 0 : pixel != s->ground;
}

static bool shown_in(const shown *s, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    for (uint32_t v = y; v < y + height; v++) {
        for (uint32_t u = x; u < x + width; u++) {
            if (is_shown(s, u, v)) {
                return true;
            }
        }
    }
    return false;
}

static bool one_color(const mrw_image *image)
{
    uint32_t first = mrwi_compare_pixel(image, 0, 0);
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            if (mrwi_compare_pixel(image, x, y) != first) {
                return false;
            }
        }
    }
    return true;
}

static bool all_transparent(const mrw_image *image)
{
    for (size_t i = 0; i < (size_t)image->width * image->height; i++) {
        if (image->channels != 4 || image->pixels[4 * i + 3] != 0) {
            return false;
        }
    }
    return true;
}

mrw_emptiness mrw_image_emptiness(const mrw_image *image)
{
    assert(mrwi_image_is_picture(image));
    uint32_t width = image->width, height = image->height;
    shown s = {image, mrwi_compare_has_alpha(image, NULL), mrwi_compare_pixel(image, 0, 0)};
    if (all_transparent(image) || (image->subject && !shown_in(&s, 0, 0, width, height))) {
        return MRW_EMPTY_BLANK;
    }
    if (one_color(image)) {
        return MRW_EMPTY_COLOUR;
    }
    bool cut = shown_in(&s, 0, 0, width, 1) && shown_in(&s, 0, height - 1, width, 1) &&
               shown_in(&s, 0, 0, 1, height) && shown_in(&s, width - 1, 0, 1, height);
    return cut ? MRW_EMPTY_CUT : MRW_NOT_EMPTY;
}
