/* png_rows.h: the filters of PNG (third edition, clause 9), a row at a time: what each would cost,
 * and the filtered bytes. */
#ifndef MRWI_IMAGE_PNG_ROWS_H
#define MRWI_IMAGE_PNG_ROWS_H

#include "marrow/base.h"

typedef enum mrwi_image_png_filter {
    MRWI_IMAGE_PNG_NONE,
    MRWI_IMAGE_PNG_SUB,
    MRWI_IMAGE_PNG_UP,
    MRWI_IMAGE_PNG_AVERAGE, /* not used: it makes no rendered picture smaller by 0.1 % */
    MRWI_IMAGE_PNG_PAETH,
    MRWI_IMAGE_PNG_FILTERS
} mrwi_image_png_filter;

#define MRWI_IMAGE_PNG_BLOCK 64

/* Bytes of a row from a multiple of MRWI_IMAGE_PNG_BLOCK to another or the row's end; none: 0, 0.
 */
typedef struct mrwi_image_png_range {
    size_t first;
    size_t end;
} mrwi_image_png_range;

/* Rows are count bytes of `pixel` bytes a pixel, with `pixel` readable bytes before (zeros, or the
 * pixel to the left) and 64 behind; `above` is alike. All kernels give the same numbers; the scalar
 * one is the specification. */
typedef struct mrwi_image_png_rows_kernels {
    /* What is left of a row without the plain blocks at its start and end: those whose bytes all
     * equal the ones to their left and above. All filters but NONE make zeros of these. */
    mrwi_image_png_range (*busy)(const uint8_t *row, const uint8_t *above, size_t count,
                                 size_t pixel);
    /* Adds to costs[f], f SUB, UP and PAETH, the magnitudes of the filtered bytes, each taken as
     * -128 ... 127. */
    void (*costs)(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
                  uint64_t costs[MRWI_IMAGE_PNG_FILTERS]);
    /* Writes the filtered bytes and a map of them: bit i of the little-endian numbers is set when
     * byte i is 0. Up to 63 bytes and bits behind count get any value. */
    void (*filter)(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
                   mrwi_image_png_filter filter, uint8_t *out, uint64_t *zeros);
    /* Marks the bits of which MRWI_IMAGE_PNG_LEAST_RUN - 1 more follow, all set: where runs begin.
     * There are count numbers, and room for four more on both sides; the one behind is read. */
    void (*runs)(const uint64_t *zeros, size_t count, uint64_t *starts);
} mrwi_image_png_rows_kernels;

/* Zeros in a row that become a match. With 8 pictures are 0.3 % smaller and take 10 % longer: each
 * match is a few branches that no CPU foresees. With 16 they are 0.5 % larger and as fast. */
#define MRWI_IMAGE_PNG_LEAST_RUN 12

extern const mrwi_image_png_rows_kernels mrwi_image_png_rows_kernels_scalar;
extern const mrwi_image_png_rows_kernels mrwi_image_png_rows_kernels_sse2;
extern const mrwi_image_png_rows_kernels mrwi_image_png_rows_kernels_avx2;
extern const mrwi_image_png_rows_kernels mrwi_image_png_rows_kernels_neon;

/* png_pack.c: the kernels of an instruction set. */
const mrwi_image_png_rows_kernels *mrwi_image_png_rows_kernels_for(mrw_isa isa);

#endif
