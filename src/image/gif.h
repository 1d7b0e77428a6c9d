/* gif.h: a writer of animated GIF, whose frames are the rectangles that change. */
#ifndef MRWI_IMAGE_GIF_H
#define MRWI_IMAGE_GIF_H

#include "image/gif_palette.h"

/* The longest duration of a picture, in hundredths of a second. */
#define MRWI_IMAGE_GIF_LONGEST 65535

#define MRWI_IMAGE_GIF_MAX_SIDE 65535

typedef struct mrwi_image_gif mrwi_image_gif;

/* A picture. The first one is drawn on a clear canvas. */
typedef struct mrwi_image_gif_frame {
    const uint8_t *indices; /* palette index of each pixel; 0 is clear */
    const uint8_t *next;    /* indices of the next frame, which may need this one's pixels cleared;
                               NULL: there is no next frame */
    uint32_t delay;         /* duration in hundredths of a second, up to MRWI_IMAGE_GIF_LONGEST */
} mrwi_image_gif_frame;

/* Begins a file. plays: loop without end; set it if there are several frames. */
mrw_status mrwi_image_gif_begin(uint32_t width, uint32_t height,
                                const mrwi_image_gif_palette *palette, bool plays,
                                mrwi_image_gif **out, mrw_error *error);
mrw_status mrwi_image_gif_put(mrwi_image_gif *gif, const mrwi_image_gif_frame *frame,
                              mrw_error *error);
/* Completes the file. The caller frees *out. */
mrw_status mrwi_image_gif_finish(mrwi_image_gif *gif, mrw_bytes *out, mrw_error *error);
/* Frees the writer, finished or not. NULL is allowed. */
void mrwi_image_gif_free(mrwi_image_gif *gif);

#endif
