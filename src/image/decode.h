/* decode.h: what a picture file says of itself. */
#ifndef MRWI_IMAGE_DECODE_H
#define MRWI_IMAGE_DECODE_H

#include "marrow/base.h"

/* The pixels that the header of a PNG, JPEG, BMP or TGA claims; 0 when it cannot be read. */
uint64_t mrwi_image_pixels(const void *data, size_t size);

#endif
