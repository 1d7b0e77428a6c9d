/* texels.h: decodes the texels of DDS and KTX2: blocks of BC1 to BC5, and bytes per channel. */
#ifndef MRWI_IMAGE_TEXELS_H
#define MRWI_IMAGE_TEXELS_H

#include "marrow/image.h"

typedef enum mrwi_image_texels_kind {
    MRWI_IMAGE_TEXELS_NONE,
    MRWI_IMAGE_TEXELS_BC1,
    MRWI_IMAGE_TEXELS_BC2,
    MRWI_IMAGE_TEXELS_BC3,
    MRWI_IMAGE_TEXELS_BC4,
    MRWI_IMAGE_TEXELS_BC5,
    MRWI_IMAGE_TEXELS_RGB
} mrwi_image_texels_kind;

typedef struct mrwi_image_texels {
    mrwi_image_texels_kind kind;
    uint32_t bytes;    /* size of a block, or of a texel */
    uint32_t masks[4]; /* MRWI_IMAGE_TEXELS_RGB: the byte of red, green, blue, alpha; 0: 255 */
    bool opaque;       /* the format has no alpha, whatever the blocks say */
} mrwi_image_texels;

/* Returns the layout of a block format. */
mrwi_image_texels mrwi_image_texels_of_blocks(mrwi_image_texels_kind kind);

/* Returns the bytes of a picture. */
uint64_t mrwi_image_texels_size(const mrwi_image_texels *l, uint32_t width, uint32_t height);

/* Decodes a picture; data holds mrwi_image_texels_size bytes, and the sides are within limits.
 * channels 0: RGB for formats without alpha. */
mrw_status mrwi_image_texels_decode(const mrwi_image_texels *l, const uint8_t *data, uint32_t width,
                                    uint32_t height, uint32_t channels, mrw_image *out,
                                    mrw_error *error);

#endif
