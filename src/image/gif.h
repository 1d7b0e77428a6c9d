/* gif.h: a GIF in the making: pictures of indices become rectangles of what changes. */
#ifndef MRWI_IMAGE_GIF_H
#define MRWI_IMAGE_GIF_H

#include "image/gif_palette.h"

/* The longest a picture may be shown for, in hundredths of a second. */
#define MRWI_IMAGE_GIF_LONGEST 65535

#define MRWI_IMAGE_GIF_MAX_SIDE 65535

typedef struct mrwi_image_gif mrwi_image_gif;

/* A picture; the first is drawn on a clear ground. */
typedef struct mrwi_image_gif_frame {
    const uint8_t *indices; /* of the palette; 0 is clear */
    const uint8_t *next;    /* of the frame that follows, which may need this one's pixels cleared;
                               NULL: none does */
    uint32_t delay;         /* hundredths of a second, up to MRWI_IMAGE_GIF_LONGEST */
} mrwi_image_gif_frame;

/* plays: without end, where there are several frames. */
mrw_status mrwi_image_gif_begin(uint32_t width, uint32_t height,
                                const mrwi_image_gif_palette *palette, bool plays,
                                mrwi_image_gif **out, mrw_error *error);
mrw_status mrwi_image_gif_put(mrwi_image_gif *gif, const mrwi_image_gif_frame *frame,
                              mrw_error *error);
/* The file, which the caller frees. */
mrw_status mrwi_image_gif_finish(mrwi_image_gif *gif, mrw_bytes *out, mrw_error *error);
/* Finished or not. NULL is allowed. */
void mrwi_image_gif_free(mrwi_image_gif *gif);

#endif
