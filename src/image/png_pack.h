/* png_pack.h: compresses the pixels of a picture to the zlib stream of a PNG. */
#ifndef MRWI_IMAGE_PNG_PACK_H
#define MRWI_IMAGE_PNG_PACK_H

#include "marrow/codecs.h"

/* Compresses the pixels into the encoder's memory, with `before` and `behind` free bytes around the
 * stream. *out becomes the start of the free bytes: encoder->file. *size becomes the size of the
 * stream alone. careful: always search for matches, and longer: fewer bytes in up to twelve times
 * the time. */
mrw_status mrwi_image_png_pack(mrw_png_encoder *encoder, const mrw_image *image,
                               const mrw_png_def *def, bool careful, size_t before, size_t behind,
                               uint8_t **out, size_t *size, mrw_error *error);

#endif
