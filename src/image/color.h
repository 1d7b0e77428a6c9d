/* color.h: sRGB (IEC 61966-2-1) without libm. */
#ifndef MRWI_IMAGE_COLOR_H
#define MRWI_IMAGE_COLOR_H

#include "marrow/base.h"

/* Converts an sRGB byte to linear, 0 ... 65535. Strictly increasing; 0 -> 0, 255 -> 65535. */
extern const uint16_t mrwi_image_srgb_to_linear16[256];

/* Converts sRGB to linear, both 0 ... 1, by the formula in double precision. Linear below 0; NaN
 * gives NaN. */
double mrwi_image_srgb_to_linear(double srgb);

/* Converts linear 0 ... 1 to the nearest sRGB byte: the one whose interval of linear values holds
 * x. Clamps; NaN gives 0. mrwi_image_linear_to_srgb8(mrwi_image_srgb_to_linear16[b] / 65535.0f) ==
 * b for every b. */
uint8_t mrwi_image_linear_to_srgb8(float linear);

/* The thresholds behind it: byte b is the number of thresholds (255 rounded boundaries between
 * neighbouring bytes) that are <= x; thresholds[0] belongs to byte 1, thresholds[255] is infinity.
 * For kernels. */
extern const float mrwi_image_srgb_thresholds[256];

/* A start for the search: 64 buckets an octave over 2^-13 ... 1, each with the byte of its smallest
 * value. Bucket (bits of x - MRWI_IMAGE_SRGB_FIRST_BITS) >> MRWI_IMAGE_SRGB_BUCKET_SHIFT; none
 * holds more than two thresholds, so two comparisons finish the search. Below 2^-13 the byte is 0.
 */
#define MRWI_IMAGE_SRGB_FIRST_BITS   0x39000000u /* the float 2^-13 */
#define MRWI_IMAGE_SRGB_BUCKET_SHIFT 17
#define MRWI_IMAGE_SRGB_BUCKETS      832
extern const uint8_t mrwi_image_srgb_buckets[MRWI_IMAGE_SRGB_BUCKETS];

#endif
