/* png_read.h: the PNG files that most textures and all pictures of ours are, read at memory speed.
 */
#ifndef MRWI_IMAGE_PNG_READ_H
#define MRWI_IMAGE_PNG_READ_H

#include "marrow/image.h"

/* Reads an RGB or RGBA PNG of 8 bits a channel without interlace and without a transparent colour,
 * to 3 or 4 channels, 0: as the file has them. Leaves *out without pixels, and returns MRW_OK, for
 * any other file and for a damaged one: those are for a decoder that says what is wrong. What both
 * read gives the same bytes. The size in the header was checked. */
mrw_status mrwi_png_read(const uint8_t *data, size_t size, uint32_t channels, mrw_image *out,
                         mrw_error *error);

#endif
