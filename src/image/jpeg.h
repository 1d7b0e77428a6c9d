/* jpeg.h: the loops of a JPEG decoder that take its time, for kernels that give stb_image's bytes.
 */
#ifndef MRWI_IMAGE_JPEG_H
#define MRWI_IMAGE_JPEG_H

#include "marrow/base.h"

/* The signatures are those of stb_image; its own scalar functions are the specification. */
typedef struct mrwi_jpeg_kernels {
    /* The inverse DCT of 8 x 8 dequantized coefficients to 8 rows of 8 bytes. Sums wrap. */
    void (*idct)(uint8_t *out, int stride, short coefficients[64]);
    /* Two rows of w half-resolution samples to the row of 2 w between them, nearer to the first. */
    uint8_t *(*resample)(uint8_t *out, uint8_t *nearer, uint8_t *farther, int w, int factor);
    /* YCbCr to RGB, step 3, or RGBA, step 4. */
    void (*to_rgb)(uint8_t *out, const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int count,
                   int step);
} mrwi_jpeg_kernels;

extern const mrwi_jpeg_kernels mrwi_jpeg_avx2;

#endif
