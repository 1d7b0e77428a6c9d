/* png_read.h: decodes ordinary PNGs: 8 bits per channel or index, not interlaced. */
#ifndef MRWI_IMAGE_PNG_READ_H
#define MRWI_IMAGE_PNG_READ_H

#include "marrow/image.h"

/* Decodes a PNG whose size was checked, to `channels` as in mrw_image_decode. Returns false, with
 * *out unchanged, if the file is another kind of PNG or damaged, or without memory: limited.h, by
 * which it allocates, tells. */
bool mrwi_image_png_read(const uint8_t *file, size_t size, uint32_t channels, mrw_image *out);

#endif
