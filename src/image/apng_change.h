/* apng_change.h: what of an animation's frame differs from the one before, packed. */
#ifndef MRWI_IMAGE_APNG_CHANGE_H
#define MRWI_IMAGE_APNG_CHANGE_H

#include "marrow/codecs.h"

/* A part of a frame, as its chunk fcTL has it. */
typedef struct mrwi_image_apng_part {
    uint32_t x, y, width, height;
    bool over; /* pixels of alpha 0 leave what is there; else all replace it */
} mrwi_image_apng_part;

/* The part of `image` that differs from `before`, a picture of the same kind, and its pixels as a
 * zlib stream, which the caller frees. before NULL: all of it. Where nothing differs it is the
 * first pixel. The pixels of both alone decide what comes out. */
mrw_status mrwi_image_apng_change(mrw_png_encoder *encoder, const mrw_image *before,
                                  const mrw_image *image, const mrw_png_def *def,
                                  mrwi_image_apng_part *part, mrw_bytes *out, mrw_error *error);

#endif
