/* gif_palette.h: the colours of a clip, and the palette that stands for them. */
#ifndef MRWI_IMAGE_GIF_PALETTE_H
#define MRWI_IMAGE_GIF_PALETTE_H

#include "marrow/image.h"

/* Of a palette; the index 0 is no colour but the clear pixel. */
#define MRWI_IMAGE_GIF_COLORS 255

#define MRWI_IMAGE_GIF_CUBES 4096 /* of 4096 colours each, 16 of each channel */

/* How often each colour of a clip was seen; in whatever order pictures come, the same. Later the
 * index of each. Cubes are allocated where there is a colour: 16 KB each, 64 MB at the most.
 * Zero-initialise. */
typedef struct mrwi_image_gif_colors {
    uint32_t *cubes[MRWI_IMAGE_GIF_CUBES];
    uint32_t distinct;
    uint8_t *patterns; /* with dithering: [distinct][16] indices */
} mrwi_image_gif_colors;

typedef struct mrwi_image_gif_palette {
    uint32_t count;
    uint8_t colors[MRWI_IMAGE_GIF_COLORS][3]; /* index 1 is the first, the most frequent one */
} mrwi_image_gif_palette;

/* Counts the pixels of an RGBA picture that are not clear. Not thread-safe. */
mrw_status mrwi_image_gif_count(mrwi_image_gif_colors *colors, const mrw_image *image,
                                mrw_error *error);

/* Chooses the palette and gives each colour its index: with up to 255 of them each its own, else
 * the nearest one. Afterwards nothing more can be counted. dither: neighbours of one colour get
 * different indices whose mean is nearer to it. */
mrw_status mrwi_image_gif_choose(mrwi_image_gif_colors *colors, bool dither,
                                 mrwi_image_gif_palette *out, mrw_error *error);

/* The indices of a picture whose colours were counted: one a pixel, rows from the top. */
void mrwi_image_gif_map(const mrwi_image_gif_colors *colors, const mrw_image *image,
                        uint8_t *indices);

/* Frees what the struct has. */
void mrwi_image_gif_colors_free(mrwi_image_gif_colors *colors);

#endif
