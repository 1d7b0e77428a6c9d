/* png_palette.h: what must hold of an indexed PNG before stb_image may see it. */
#ifndef MRWI_IMAGE_PNG_PALETTE_H
#define MRWI_IMAGE_PNG_PALETTE_H

#include "marrow/base.h"

/* What mrwi_image_png_palette_fill adds to a file, in bytes. */
#define MRWI_IMAGE_PNG_PALETTE_ADDED (12 + 3 * 256)

/* A PLTE chunk may have fewer entries than its pixels have values; a pixel that names a further one
 * is an error (PNG third edition, 11.2.2), for which stb_image shows what was on the stack. Such
 * a file is copied to *out, which the caller frees, with a palette that makes those pixels opaque
 * black, as libpng does. *out is empty for files that need no copy: all others, those that are no
 * PNG, and those whose damage the decoder refuses. */
mrw_status mrwi_image_png_palette_fill(const uint8_t *file, size_t size, mrw_bytes *out,
                                       mrw_error *error);

#endif
