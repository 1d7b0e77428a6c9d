/* jpeg_idct.h: blocks of a JPEG on which kernels of libjpeg-turbo differ. */
#ifndef MRWI_IMAGE_JPEG_IDCT_H
#define MRWI_IMAGE_JPEG_IDCT_H

#include "marrow/base.h"

/* Quantisers over this make every block immoderate. */
#define MRWI_IMAGE_JPEG_QUANT_MAX 1023

/* Returns true if the coefficients of a block are so small that all kernels of libjpeg-turbo give
 * the same samples. Both are in natural order, and quantisers are 0 ... MRWI_IMAGE_JPEG_QUANT_MAX.
 */
bool mrwi_image_jpeg_is_moderate(const int16_t coefficients[64], const int16_t quantisers[64]);

/* Computes the samples of any block, the same ones as libjpeg-turbo of a moderate block: 8 bytes
 * of each row from `column` on. */
void mrwi_image_jpeg_transform(const int16_t coefficients[64], const uint16_t quantisers[64],
                               uint8_t *const rows[8], size_t column);

#endif
