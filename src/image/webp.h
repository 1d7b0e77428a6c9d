/* webp.h: a writer of animated WebP. */
#ifndef MRWI_IMAGE_WEBP_H
#define MRWI_IMAGE_WEBP_H

#include "marrow/image.h"

#define MRWI_IMAGE_WEBP_MAX_SIDE 16383

/* The longest time from one added picture to the next, in milliseconds: a frame has 24 bits for it.
 */
#define MRWI_IMAGE_WEBP_LONGEST 16777215

typedef struct mrwi_image_webp mrwi_image_webp;

/* Begins a file that loops without end. quality: 1 ... 100; 0: lossless. */
mrw_status mrwi_image_webp_begin(uint32_t width, uint32_t height, uint32_t quality,
                                 mrwi_image_webp **out, mrw_error *error);
/* Adds the next picture, which is shown from `start` on, in milliseconds. One that equals the
 * picture before it only extends that one's time. */
mrw_status mrwi_image_webp_add(mrwi_image_webp *webp, const mrw_image *image, uint32_t start,
                               mrw_error *error);
/* Completes the file; its last picture is shown until `end`. The caller frees *out. */
mrw_status mrwi_image_webp_finish(mrwi_image_webp *webp, uint32_t end, mrw_bytes *out,
                                  mrw_error *error);
/* Frees the writer, finished or not. NULL is allowed. */
void mrwi_image_webp_free(mrwi_image_webp *webp);

#endif
