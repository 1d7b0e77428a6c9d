/* png_rows.h: kernels for the filters of PNG (third edition, clause 9), a row at a time: the cost
 * of each filter, the filtered bytes, and the way back. */
#ifndef MRWI_IMAGE_PNG_ROWS_H
#define MRWI_IMAGE_PNG_ROWS_H

#include "marrow/base.h"

typedef enum mrwi_image_png_filter {
    MRWI_IMAGE_PNG_NONE,
    MRWI_IMAGE_PNG_SUB,
    MRWI_IMAGE_PNG_UP,
    MRWI_IMAGE_PNG_AVERAGE, /* only read: it makes no rendered picture smaller by 0.1 % */
    MRWI_IMAGE_PNG_PAETH,
    MRWI_IMAGE_PNG_FILTERS
} mrwi_image_png_filter;

#define MRWI_IMAGE_PNG_BLOCK 64

/* A range of bytes in a row. It begins at a multiple of MRWI_IMAGE_PNG_BLOCK and ends at one, or at
 * the row's end. Empty: 0, 0. */
typedef struct mrwi_image_png_range {
    size_t first;
    size_t end;
} mrwi_image_png_range;

/* The kernels. Except in `unfilter`, `row` and `above` have `count` bytes, `pixel` bytes per pixel.
 * Before them are `pixel` readable bytes (zeros, or the pixel to the left), behind them 64. All
 * kernels give the same numbers; the scalar one is the specification. */
typedef struct mrwi_image_png_rows_kernels {
    /* Returns the row without the plain blocks at its start and end. The bytes of a plain block all
     * equal those to their left and above; all filters except NONE turn them into zeros. */
    mrwi_image_png_range (*busy)(const uint8_t *row, const uint8_t *above, size_t count,
                                 size_t pixel);
    /* Adds to costs[f], f SUB, UP and PAETH, the magnitudes of the filtered bytes, each taken as
     * -128 ... 127. */
    void (*costs)(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
                  uint64_t costs[MRWI_IMAGE_PNG_FILTERS]);
    /* Writes the filtered bytes and a map of them: bit i of the little-endian numbers is set when
     * byte i is 0. Up to 63 bytes and bits behind `count` get undefined values. */
    void (*filter)(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
                   mrwi_image_png_filter filter, uint8_t *out, uint64_t *zeros);
    /* Marks the starts of runs: set bits that MRWI_IMAGE_PNG_LEAST_RUN - 1 set bits follow. There
     * are `count` numbers and memory for four more on both sides; the number behind the last is
     * read. */
    void (*runs)(const uint64_t *zeros, size_t count, uint64_t *starts);
    /* Restores a row of whole pixels from its filtered bytes, with 1 to 4 bytes per pixel and any
     * filter. Reads and writes only `count` bytes of each. `row` may overlap `filtered` if it
     * begins there or before; `above` is the restored row above, or zeros. */
    void (*unfilter)(const uint8_t *filtered, const uint8_t *above, size_t count, size_t pixel,
                     mrwi_image_png_filter filter, uint8_t *row);
} mrwi_image_png_rows_kernels;

/* The shortest run of zeros that becomes a match. With 8, pictures are 0.3 % smaller and take 10 %
 * longer: each match has a few branches that CPUs mispredict. With 16 they are 0.5 % larger and
 * take as long. */
#define MRWI_IMAGE_PNG_LEAST_RUN 12

extern const mrwi_image_png_rows_kernels mrwi_image_png_rows_kernels_scalar;
extern const mrwi_image_png_rows_kernels mrwi_image_png_rows_kernels_sse2;
extern const mrwi_image_png_rows_kernels mrwi_image_png_rows_kernels_avx2;
extern const mrwi_image_png_rows_kernels mrwi_image_png_rows_kernels_neon;

/* Returns the kernels for an instruction set. */
const mrwi_image_png_rows_kernels *mrwi_image_png_rows_kernels_for(mrw_isa isa);

#endif
