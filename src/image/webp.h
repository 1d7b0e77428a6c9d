/* webp.h: an animated WebP in the making. */
#ifndef MRWI_IMAGE_WEBP_H
#define MRWI_IMAGE_WEBP_H

#include "marrow/image.h"

#define MRWI_IMAGE_WEBP_MAX_SIDE 16383

/* The longest from one picture that is given to the next, in milliseconds: 24 bits of a frame. */
#define MRWI_IMAGE_WEBP_LONGEST 16777215

typedef struct mrwi_image_webp mrwi_image_webp;

/* quality: 1 ... 100; 0: every pixel stays what it is. It plays without end. */
mrw_status mrwi_image_webp_begin(uint32_t width, uint32_t height, uint32_t quality,
                                 mrwi_image_webp **out, mrw_error *error);
/* The next picture, shown from a time in milliseconds on. One that is the same as that before it
 * makes that last longer. */
mrw_status mrwi_image_webp_add(mrwi_image_webp *webp, const mrw_image *image, uint32_t start,
                               mrw_error *error);
/* The file, which the caller frees; its last picture is shown until `end`. */
mrw_status mrwi_image_webp_finish(mrwi_image_webp *webp, uint32_t end, mrw_bytes *out,
                                  mrw_error *error);
/* Finished or not. NULL is allowed. */
void mrwi_image_webp_free(mrwi_image_webp *webp);

#endif
