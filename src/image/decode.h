/* decode.h: what a picture file says of itself. */
#ifndef MRWI_IMAGE_DECODE_H
#define MRWI_IMAGE_DECODE_H

#include "marrow/image.h"

/* The sides that the header of an image claims. Fails as mrw_image_decode does for what the header
 * alone tells. */
mrw_status mrwi_image_size(const void *data, size_t size, uint64_t max_pixels, const char *name,
                           uint32_t *width, uint32_t *height, mrw_error *error);

/* What can be read of a JPEG that mrw_image_decode has refused because its scans are damaged or cut
 * off, to 4 channels; the rest is grey. The bits are the same on every machine. *found becomes
 * false, with nothing to free, where there is nothing to draw. Fails only for want of memory. */
mrw_status mrwi_image_rescue(const void *data, size_t size, uint64_t max_pixels, const char *name,
                             mrw_image *out, bool *found, mrw_error *error);

/* mrw_image_decode to 4 channels, for an image whose red is taken for heights. Of a PNG of 16 bits
 * a channel *deep becomes true, and the low bytes of red follow the pixels, a byte each, filled up
 * with zeros to a multiple of 4. The caller frees *out. */
mrw_status mrwi_image_decode_heights(const void *data, size_t size, uint64_t max_pixels,
                                     const char *name, mrw_image *out, bool *deep,
                                     mrw_error *error);

#endif
