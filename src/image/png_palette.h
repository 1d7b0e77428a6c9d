/* png_palette.h: completes the palette of an indexed PNG before stb_image reads it. */
#ifndef MRWI_IMAGE_PNG_PALETTE_H
#define MRWI_IMAGE_PNG_PALETTE_H

#include "marrow/base.h"

/* The number of bytes that mrwi_image_png_palette_fill adds to a file. */
#define MRWI_IMAGE_PNG_PALETTE_ADDED (12 + 3 * 256)

/* Completes a short palette. A PLTE chunk may have fewer entries than pixels can have values. A
 * pixel with a value beyond them is an error (PNG third edition, 11.2.2), for which stb_image shows
 * whatever was on the stack. Such a file is copied to *out, which the caller frees, with a palette
 * that makes those pixels opaque black, as libpng does. *out is empty for all other files, also for
 * those that are not a PNG or that the decoder refuses as damaged. */
mrw_status mrwi_image_png_palette_fill(const uint8_t *file, size_t size, mrw_bytes *out,
                                       mrw_error *error);

#endif
