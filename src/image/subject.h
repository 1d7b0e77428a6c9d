/* subject.h: the subject of a picture as a chunk of a PNG; image.h describes its content. */
#ifndef MRWI_IMAGE_SUBJECT_H
#define MRWI_IMAGE_SUBJECT_H

#include "image/png_encoder.h"

/* Ancillary, private, not safe to copy to a picture whose pixels were edited (PNG third edition,
 * 5.4). */
#define MRWI_IMAGE_SUBJECT_CHUNK "mrSB"

/* Packs the subject of an image, which has one, as the chunk's data, at least one byte. */
mrw_status mrwi_image_subject_pack(const mrw_image *image, mrwi_image_room *out, size_t *size,
                                   mrw_error *error);

/* Reads the subject from the chunk in a PNG: width * height bytes, or NULL if there is no valid
 * chunk. Fails only without memory. */
mrw_status mrwi_image_subject_read(const uint8_t *png, size_t size, uint32_t width, uint32_t height,
                                   uint8_t **out, mrw_error *error);

#endif
