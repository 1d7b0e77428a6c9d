/* apng_change.h: the part of an animation's frame that differs from the frame before. */
#ifndef MRWI_IMAGE_APNG_CHANGE_H
#define MRWI_IMAGE_APNG_CHANGE_H

#include "marrow/codecs.h"

/* A part of a frame, as described by its fcTL chunk. */
typedef struct mrwi_image_apng_part {
    uint32_t x, y, width, height;
    bool over; /* pixels of alpha 0 leave the canvas as it is; false: all pixels replace it */
} mrwi_image_apng_part;

/* Finds the part of `image` that differs from `before`, a picture of the same size and channels,
 * and compresses its pixels to a zlib stream, which the caller frees. before NULL: the whole
 * picture. If nothing differs the part is the first pixel. The result depends only on the pixels of
 * both. */
mrw_status mrwi_image_apng_change(mrw_png_encoder *encoder, const mrw_image *before,
                                  const mrw_image *image, const mrw_png_def *def,
                                  mrwi_image_apng_part *part, mrw_bytes *out, mrw_error *error);

#endif
