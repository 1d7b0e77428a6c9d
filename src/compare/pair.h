/* pair.h: two pictures of which the common region is compared, and where they differ. */
#ifndef MRWI_COMPARE_PAIR_H
#define MRWI_COMPARE_PAIR_H

#include "marrow/compare.h"

#include <string.h>

typedef struct mrwi_compare_pair {
    const mrw_image *expected, *actual;
    uint32_t width, height; /* of what both have, from the top left */
    const uint8_t *mask;    /* width * height; NULL: none */
    mrw_subject subject;    /* the frame, until mrwi_compare_find_subject has looked */
    uint32_t max_delta;     /* a pixel counts when a channel differs by more */
    bool ignore_antialiasing;
    mrw_isa isa; /* available */
} mrwi_compare_pair;

/* Of pixels of a row a bit each is kept, in words, the lowest for the first. */
#define MRWI_COMPARE_WORD       64
#define MRWI_COMPARE_EDGE_BLOCK 128 /* pixels of a row that are looked at together for edges */

/* The words of a row: whole blocks. */
static inline size_t mrwi_compare_row_words(const mrwi_compare_pair *pair)
{
    return ((size_t)pair->width + MRWI_COMPARE_EDGE_BLOCK - 1) / MRWI_COMPARE_EDGE_BLOCK *
           (MRWI_COMPARE_EDGE_BLOCK / MRWI_COMPARE_WORD);
}

/* The pair as `def` wants it compared: only the pixel mode allows anything, and the mask is for
 * pictures of equal size. */
mrwi_compare_pair mrwi_compare_make_pair(const mrw_image *expected, const mrw_image *actual,
                                         const mrw_compare_def *def);

/* True where the mask leaves the pixel out. */
static inline bool mrwi_compare_masked(const mrwi_compare_pair *pair, uint32_t x, uint32_t y)
{
    return pair->mask && pair->mask[(size_t)y * pair->width + x] != 0;
}

/* What is summed apart: the pixels of the subject and those of the rest. */
enum { MRWI_COMPARE_IN_SUBJECT, MRWI_COMPARE_IN_REST, MRWI_COMPARE_REGIONS };

/* R, G, B, A from the lowest byte up; A is 255 in a picture of 3 channels. Reads 4 bytes of either:
 * readable bytes follow the pixels. */
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

/* The region of the picture that a pixel belongs to. */
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

/* The largest difference of a channel. */
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

/* The pixels of a row from the first to the last that differs: first ... end - 1. */
typedef struct mrwi_compare_span {
    uint32_t first, end;
} mrwi_compare_span;

typedef struct mrwi_compare_differences {
    uint64_t differing, antialiased; /* as in mrw_compare_result */
    uint32_t largest[4];
    uint32_t left, top, right, bottom; /* of all that differs at all; right and bottom excluded */
    uint64_t sum[MRWI_COMPARE_REGIONS],
        squares[MRWI_COMPARE_REGIONS]; /* of the channels' differences */
} mrwi_compare_differences;

/* Finds what differs, masked pixels left out; the sums only when asked for. `differing` takes a bit
 * a pixel, height rows of mrwi_compare_row_words, set where any channel differs; NULL: not wanted.
 */
mrw_status mrwi_compare_find_differences(const mrwi_compare_pair *pair, int threads, bool sums,
                                         uint64_t *differing, mrwi_compare_differences *out,
                                         mrw_error *error);

/* ---- subject --------------------------------------------------------------------------------- */

typedef struct mrwi_compare_counts {
    uint64_t regions[MRWI_COMPARE_REGIONS], masked; /* pixels */
} mrwi_compare_counts;

/* Finds the subject of pictures of equal size and sets pair->subject. */
mrwi_compare_counts mrwi_compare_find_subject(mrwi_compare_pair *pair);

/* True when the picture has an alpha channel that is not 255 wherever nothing is masked. */
bool mrwi_compare_has_alpha(const mrw_image *image, const uint8_t *mask);

#endif
