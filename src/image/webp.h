/* webp.h: a writer of animated WebP. Frames are found one after another and encoded by any number
 * of threads; the bytes are the same with each. */
#ifndef MRWI_IMAGE_WEBP_H
#define MRWI_IMAGE_WEBP_H

#include "marrow/image.h"

#define MRWI_IMAGE_WEBP_MAX_SIDE 16383

/* The longest time of a frame, in milliseconds: it has 24 bits. */
#define MRWI_IMAGE_WEBP_LONGEST 16777215

typedef struct mrwi_image_webp_rect {
    uint32_t x, y, width, height;
} mrwi_image_webp_rect;

/* A frame of the file. Zero-initialise. */
typedef struct mrwi_image_webp_frame {
    mrwi_image_webp_rect rect; /* its place; x and y are even */
    bool over;                 /* its clear pixels show the frame before */
    bool cleared;              /* the rectangle of the frame before is cleared first */
    uint32_t start;            /* when it is shown, in milliseconds; the caller's */
    uint32_t *pixels;          /* RGBA, until it is encoded */
    uint8_t *data;             /* the encoded frame, in libwebp's memory */
    size_t size;
} mrwi_image_webp_frame;

typedef struct mrwi_image_webp mrwi_image_webp;

/* Begins a file that loops without end. quality: 1 ... 100; 0: lossless. animated: it gets several
 * pictures; otherwise one, which becomes a still. */
mrw_status mrwi_image_webp_begin(uint32_t width, uint32_t height, uint32_t quality, bool animated,
                                 mrwi_image_webp **out, mrw_error *error);
/* Finds the frame of the next picture. *changed becomes false if it looks like the one before: it
 * then needs no frame, and without `always` it gets none. */
mrw_status mrwi_image_webp_next(mrwi_image_webp *webp, const mrw_image *image, bool always,
                                mrwi_image_webp_frame *out, bool *changed, mrw_error *error);
/* Encodes a frame. Different threads may encode different frames of a file at the same time, also
 * while another one finds the next. */
mrw_status mrwi_image_webp_encode(mrwi_image_webp *webp, mrwi_image_webp_frame *frame,
                                  mrw_error *error);
/* Makes the file of all frames; the last one is shown until `end`. A single frame of the
 * whole picture becomes a still. The caller frees *out. */
mrw_status mrwi_image_webp_finish(const mrwi_image_webp *webp, const mrwi_image_webp_frame *frames,
                                  uint32_t count, uint32_t end, mrw_bytes *out, mrw_error *error);
void mrwi_image_webp_frame_free(mrwi_image_webp_frame *frame);
/* Frees the writer, finished or not. NULL is allowed. */
void mrwi_image_webp_free(mrwi_image_webp *webp);

#endif
