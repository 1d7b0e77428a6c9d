/* png_source.h: the rows of a picture to compress: their filters, the filtered bytes, the runs of
 * zeros in them, and the number of times that each byte occurs. */
#ifndef MRWI_IMAGE_PNG_SOURCE_H
#define MRWI_IMAGE_PNG_SOURCE_H

#include "image/deflate.h"
#include "image/png_rows.h"
#include "marrow/image.h"

/* A row's filter if the row equals the one above. */
#define MRWI_IMAGE_PNG_REPEATED MRWI_IMAGE_PNG_FILTERS

typedef struct mrwi_image_png_source {
    const mrw_image *image;
    const mrwi_image_png_rows_kernels *kernels;
    size_t stride;                    /* bytes of a row, without the filter's */
    const uint8_t *nothing;           /* the row above the first one: zeros */
    const uint8_t *filters;           /* one per row, or REPEATED */
    const mrwi_image_png_range *busy; /* one per row, from the second block on */
} mrwi_image_png_source;

typedef struct mrwi_image_png_filtered {
    size_t count;    /* bytes, without the filter's */
    uint8_t *bytes;  /* the filter is at [-1] */
    uint64_t *zeros; /* a bit per byte: the byte is 0 */
    uint64_t *runs;  /* a bit per byte: a run of MRWI_IMAGE_PNG_LEAST_RUN zeros begins there */
} mrwi_image_png_filtered;

/* Returns the row at y, and the one above it. */
const uint8_t *mrwi_image_png_row(const mrwi_image_png_source *source, uint32_t y);

/* Fills one filter and one range for each of the rows first ... end - 1. */
void mrwi_image_png_choose_filters(const mrwi_image_png_source *source, uint32_t first,
                                   uint32_t end, uint8_t *filters, mrwi_image_png_range *busy);

/* Fills bytes, zeros and runs. `filter` may be NONE or the one that was chosen for the row; for a
 * repeated row it may be UP. */
void mrwi_image_png_filter_row(const mrwi_image_png_source *source, uint32_t y,
                               mrwi_image_png_filter filter, mrwi_image_png_filtered *out);

/* ---- literals and runs ----------------------------------------------------------------------- */

/* Returns the first set bit from `at` on of a map whose bits are flipped when `flip` is UINT64_MAX.
 * There must be one. */
static inline size_t mrwi_image_png_next_bit(const uint64_t *map, uint64_t flip, size_t at)
{
    size_t word = at / 64;
    uint64_t bits = (map[word] ^ flip) & UINT64_MAX << (at % 64);
    while (bits == 0) {
        bits = map[++word] ^ flip;
    }
    return word * 64 + (size_t)__builtin_ctzll(bits);
}

/* A part of a filtered row: literals, and the number of times that the last of them, a 0, repeats.
 */
typedef struct mrwi_image_png_span {
    const uint8_t *literals;
    size_t count;
    size_t repeats;
} mrwi_image_png_span;

static inline mrwi_image_png_span mrwi_image_png_next_span(const mrwi_image_png_filtered *row,
                                                           size_t at)
{
    const size_t run = mrwi_image_png_next_bit(row->runs, 0, at);
    if (run >= row->count) {
        return (mrwi_image_png_span){row->bytes + at, row->count - at, 0};
    }
    return (mrwi_image_png_span){row->bytes + at, run + 1 - at,
                                 mrwi_image_png_next_bit(row->zeros, UINT64_MAX, run) - run - 1};
}

/* Returns how much of a long run to take now, so that what is left is nothing or long enough. */
static inline uint32_t mrwi_image_png_next_match(size_t repeats)
{
    if (repeats <= MRWI_IMAGE_MOST_MATCH) {
        return (uint32_t)repeats;
    }
    const bool short_rest = repeats < MRWI_IMAGE_MOST_MATCH + MRWI_IMAGE_LEAST_MATCH;
    return short_rest ? (uint32_t)repeats - MRWI_IMAGE_LEAST_MATCH : MRWI_IMAGE_MOST_MATCH;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Occurrences of symbols. Literals are counted in four tables, because equal bytes in a row would
 * wait for each other in one. */
typedef struct mrwi_image_png_tally {
    uint64_t counts[MRWI_IMAGE_SYMBOLS];
    uint32_t literals[4][256];
} mrwi_image_png_tally;

/* Counts the symbols of a run, each `times` times. */
void mrwi_image_png_count_run(mrwi_image_png_tally *tally, size_t repeats, uint64_t times);

/* Counts a filtered row: its literals once, its runs `times` times. */
void mrwi_image_png_count_row(mrwi_image_png_tally *tally, const mrwi_image_png_filtered *row,
                              uint64_t times);

/* Adds the literals, `times` times, to the counts. */
void mrwi_image_png_count_end(mrwi_image_png_tally *tally, uint64_t times);

#endif
