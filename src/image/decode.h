/* decode.h: what a picture file says of itself. */
#ifndef MRWI_IMAGE_DECODE_H
#define MRWI_IMAGE_DECODE_H

#include "marrow/base.h"

/* The sides that the header of an image claims. Fails as mrw_image_decode does for what the header
 * alone tells. */
mrw_status mrwi_image_size(const void *data, size_t size, uint64_t max_pixels, const char *name,
                           uint32_t *width, uint32_t *height, mrw_error *error);

#endif
