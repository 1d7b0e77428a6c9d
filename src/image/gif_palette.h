/* gif_palette.h: the colours of a clip, and the palette that replaces them. */
#ifndef MRWI_IMAGE_GIF_PALETTE_H
#define MRWI_IMAGE_GIF_PALETTE_H

#include "marrow/image.h"

/* The most colours in a palette. Index 0 is not one of them: it is the clear pixel. */
#define MRWI_IMAGE_GIF_COLORS 255

#define MRWI_IMAGE_GIF_CUBES 4096 /* each has 4096 colours: 16 steps per channel */

/* The number of pixels of each colour in a clip, which does not depend on the order of pictures;
 * after the palette is chosen, the index of each colour. Only cubes with a colour are allocated: 16
 * KB each, at most 64 MB. Zero-initialise. */
typedef struct mrwi_image_gif_colors {
    uint32_t *cubes[MRWI_IMAGE_GIF_CUBES];
    uint32_t distinct;
    uint8_t *patterns; /* [distinct][16] indices; only with dithering */
} mrwi_image_gif_colors;

typedef struct mrwi_image_gif_palette {
    uint32_t count;
    uint8_t colors[MRWI_IMAGE_GIF_COLORS][3]; /* [index - 1]; the most frequent colour first */
} mrwi_image_gif_palette;

/* Counts the pixels of an RGBA picture that are not clear. Not thread-safe. */
mrw_status mrwi_image_gif_count(mrwi_image_gif_colors *colors, const mrw_image *image,
                                mrw_error *error);

/* Chooses the palette and gives each colour its index: its own if there are at most 255 colours,
 * else that of the nearest one. Afterwards no more pictures can be counted. dither: neighbouring
 * pixels of a colour get different indices, whose mean is nearer to it. */
mrw_status mrwi_image_gif_choose(mrwi_image_gif_colors *colors, bool dither,
                                 mrwi_image_gif_palette *out, mrw_error *error);

/* Fills in the indices of a picture whose colours were counted: one per pixel, rows from the top.
 */
void mrwi_image_gif_map(const mrwi_image_gif_colors *colors, const mrw_image *image,
                        uint8_t *indices);

/* Frees the memory of the struct. */
void mrwi_image_gif_colors_free(mrwi_image_gif_colors *colors);

#endif
