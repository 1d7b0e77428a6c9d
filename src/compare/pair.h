/* pair.h: two pictures whose common region is compared, and their differences. */
#ifndef MRWI_COMPARE_PAIR_H
#define MRWI_COMPARE_PAIR_H

#include "marrow/compare.h"

#include <string.h>

typedef struct mrwi_compare_pair {
    const mrw_image *expected, *actual;
    uint32_t width, height; /* The common region, from the top left. */
    const uint8_t *mask;    /* width * height bytes; NULL if there is no mask. */
    mrw_subject subject;    /* MRW_SUBJECT_FRAME until mrwi_compare_find_subject sets it. */
    uint32_t max_delta;     /* A pixel counts if a channel differs by more; 0..255. */
    bool ignore_antialiasing;
    mrw_isa isa; /* An available instruction set. */
} mrwi_compare_pair;

/* Flags of the pixels of a row are bits in words; the lowest bit is the first pixel. */
#define MRWI_COMPARE_WORD       64
#define MRWI_COMPARE_EDGE_BLOCK 128 /* pixels of a row that are tested for edges together */

/* Returns the words of a row, rounded up to whole blocks. */
static inline size_t mrwi_compare_row_words(const mrwi_compare_pair *pair)
{
    return ((size_t)pair->width + MRWI_COMPARE_EDGE_BLOCK - 1) / MRWI_COMPARE_EDGE_BLOCK *
           (MRWI_COMPARE_EDGE_BLOCK / MRWI_COMPARE_WORD);
}

/* Makes a pair that is compared as `def` says: only the pixel mode tolerates differences, and the
 * mask is for pictures of equal size. */
mrwi_compare_pair mrwi_compare_make_pair(const mrw_image *expected, const mrw_image *actual,
                                         const mrw_compare_def *def);

/* Returns true if the mask leaves the pixel out. */
static inline bool mrwi_compare_masked(const mrwi_compare_pair *pair, uint32_t x, uint32_t y)
{
    return pair->mask && pair->mask[(size_t)y * pair->width + x] != 0;
}

/* Regions with separate sums: the pixels of the subject and those of the rest. */
enum { MRWI_COMPARE_IN_SUBJECT, MRWI_COMPARE_IN_REST, MRWI_COMPARE_REGIONS };

/* Returns R, G, B, A from the lowest byte up; A is 255 in a picture of 3 channels. Reads 4 bytes in
 * any case, so readable bytes must follow the pixels. */
static inline uint32_t mrwi_compare_pixel(const mrw_image *image, uint32_t x, uint32_t y)
{
    uint32_t value;
    memcpy(&value, image->pixels + ((size_t)y * image->width + x) * image->channels, 4);
    return image->channels == 4 ? value : value | 0xFF000000u;
}

static inline uint32_t mrwi_compare_channel(uint32_t pixel, int channel)
{
    return pixel >> (8 * channel) & 255;
}

/* Returns the region that a pixel belongs to. */
static inline int mrwi_compare_region_of(const mrwi_compare_pair *pair, uint32_t x, uint32_t y)
{
    const mrw_image *a = pair->expected, *b = pair->actual;
    size_t at = (size_t)y * pair->width + x;
    bool inside = true;
    if (pair->subject == MRW_SUBJECT_DRAWN) {
        inside = (a->subject[at] | b->subject[at]) != 0;
    } else if (pair->subject == MRW_SUBJECT_ALPHA) {
        inside =
            mrwi_compare_channel(mrwi_compare_pixel(a, x, y) | mrwi_compare_pixel(b, x, y), 3) != 0;
    }
    return inside ? MRWI_COMPARE_IN_SUBJECT : MRWI_COMPARE_IN_REST;
}

/* Returns the largest difference of a channel. */
static inline uint32_t mrwi_compare_pixel_delta(uint32_t a, uint32_t b)
{
    uint32_t largest = 0;
    for (int c = 0; c < 4; c++) {
        uint32_t p = mrwi_compare_channel(a, c), q = mrwi_compare_channel(b, c),
                 d = p > q ? p - q : q - p;
        largest = d > largest ? d : largest;
    }
    return largest;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* Pixels of a row from the first to the last that differs: first ... end - 1. */
typedef struct mrwi_compare_span {
    uint32_t first, end;
} mrwi_compare_span;

typedef struct mrwi_compare_differences {
    uint64_t differing, antialiased; /* The counts of mrw_compare_result. */
    uint32_t largest[4];
    uint32_t left, top, right, bottom; /* Box of all pixels that differ at all; right and bottom are
                                        * excluded. */
    uint64_t sum[MRWI_COMPARE_REGIONS],
        squares[MRWI_COMPARE_REGIONS]; /* Sums of the channels' differences, and of their squares.
                                        */
} mrwi_compare_differences;

/* Finds the differences outside the mask; the sums only if `sums`. `differing` takes one bit per
 * pixel, height rows of mrwi_compare_row_words, set where any channel differs; NULL if not wanted.
 */
mrw_status mrwi_compare_find_differences(const mrwi_compare_pair *pair, int threads, bool sums,
                                         uint64_t *differing, mrwi_compare_differences *out,
                                         mrw_error *error);

/* ---- subject --------------------------------------------------------------------------------- */

typedef struct mrwi_compare_counts {
    uint64_t regions[MRWI_COMPARE_REGIONS], masked; /* Numbers of pixels. */
} mrwi_compare_counts;

/* Finds the subject of pictures of equal size and sets pair->subject. */
mrwi_compare_counts mrwi_compare_find_subject(mrwi_compare_pair *pair);

/* Returns true if the picture has an alpha channel that is not 255 everywhere outside the mask. */
bool mrwi_compare_has_alpha(const mrw_image *image, const uint8_t *mask);

#endif
