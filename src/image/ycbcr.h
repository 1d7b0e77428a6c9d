/* ycbcr.h: pictures as luma and colour differences, for video. */
#ifndef MRWI_IMAGE_YCBCR_H
#define MRWI_IMAGE_YCBCR_H

#include "marrow/image.h"

/* Converts a picture of 3 channels to Y', Cb and Cr of ITU-R BT.709 in 8 bits, limited range (Y'
 * 16 ... 235, the others 16 ... 240): three planes of width * height bytes, one behind the other.
 */
void mrwi_image_to_ycbcr(const mrw_image *image, uint8_t *planes);

#endif
