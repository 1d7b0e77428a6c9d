/* png_pack.h: the pixels of a picture as the zlib stream of a PNG. */
#ifndef MRWI_IMAGE_PNG_PACK_H
#define MRWI_IMAGE_PNG_PACK_H

#include "marrow/codecs.h"

/* Packs the pixels into the encoder's memory, with free bytes before and behind the stream; *size
 * is that of the stream alone. *out is where it begins, the free bytes first: encoder->file.
 * careful: look for matches whatever the bytes are like, and longer: fewer bytes in up to twelve
 * times the time. */
mrw_status mrwi_image_png_pack(mrw_png_encoder *encoder, const mrw_image *image,
                               const mrw_png_def *def, bool careful, size_t before, size_t behind,
                               uint8_t **out, size_t *size, mrw_error *error);

#endif
