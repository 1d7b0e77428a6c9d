/* webp_read.h: still pictures in WebP. */
#ifndef MRWI_IMAGE_WEBP_READ_H
#define MRWI_IMAGE_WEBP_READ_H

#include "marrow/image.h"

/* Returns true if the bytes begin like a WebP file. */
bool mrwi_image_webp_is(const uint8_t *data, size_t size);

/* Reads the sides from the header. Fails for an animation. name is escaped. */
mrw_status mrwi_image_webp_size(const uint8_t *data, size_t size, const char *name, int *width,
                                int *height, mrw_error *error);

/* Decodes a picture whose sides are within limits. channels 0: RGBA if the file has alpha, else
 * RGB. name is escaped. */
mrw_status mrwi_image_webp_decode(const uint8_t *data, size_t size, uint32_t channels,
                                  const char *name, mrw_image *out, mrw_error *error);

#endif
