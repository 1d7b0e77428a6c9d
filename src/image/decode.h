/* decode.h: sizes in headers, damaged JPEGs and pictures of heights. */
#ifndef MRWI_IMAGE_DECODE_H
#define MRWI_IMAGE_DECODE_H

#include "marrow/image.h"

/* Reads the sides from the header of an image. Fails as mrw_image_decode does if the header is bad.
 */
mrw_status mrwi_image_size(const void *data, size_t size, uint64_t max_pixels, const char *name,
                           uint32_t *width, uint32_t *height, mrw_error *error);

/* Fails if sides read from a header are 0, over MRW_IMAGE_MAX_SIDE, or more than max_pixels
 * together, as in mrw_image_decode. name is escaped. */
mrw_status mrwi_image_check_sides(int width, int height, uint64_t max_pixels, const char *name,
                                  mrw_error *error);

/* Fails with MRW_ERROR_MEMORY if decoding a picture, which takes so many bytes per pixel or more,
 * would exceed the limit of mrw_memory_limit. Decoders ask once they know the sides from the
 * header, before they allocate. name is escaped. */
mrw_status mrwi_image_ask(const char *name, uint32_t width, uint32_t height, uint32_t per_pixel,
                          mrw_error *error);

/* Decodes the readable part of a JPEG that mrw_image_decode has refused because its scans are
 * damaged or truncated. The result has 4 channels; unreadable parts are grey. The bits are the same
 * on every machine. If nothing can be read *found becomes false, *error says why, and
 * there is nothing to free. Fails only without memory. */
mrw_status mrwi_image_rescue(const void *data, size_t size, uint64_t max_pixels, const char *name,
                             mrw_image *out, bool *found, mrw_error *error);

/* Decodes an image whose red channel means heights, to 4 channels. If it's a PNG with 16 bits per
 * channel *deep becomes true, and the low bytes of red follow the pixels, one byte per pixel,
 * padded with zeros to a multiple of 4. The caller frees *out. */
mrw_status mrwi_image_decode_heights(const void *data, size_t size, uint64_t max_pixels,
                                     const char *name, mrw_image *out, bool *deep,
                                     mrw_error *error);

#endif
