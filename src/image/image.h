/* image.h: tests for kinds of images, for assertions. */
#ifndef MRWI_IMAGE_IMAGE_H
#define MRWI_IMAGE_IMAGE_H

#include "marrow/image.h"

/* Returns true for a picture: an image that can be shown, compared and written. */
static inline bool mrwi_image_is_picture(const mrw_image *image)
{
    return image->format == MRW_FORMAT_U8 && (image->channels == 3 || image->channels == 4);
}

/* Returns true for an image of 16 bits per channel, which only PNG and PAM can store. With one
 * channel it is grey. */
static inline bool mrwi_image_is_deep(const mrw_image *image)
{
    return image->format == MRW_FORMAT_U16 &&
           (image->channels == 1 || image->channels == 3 || image->channels == 4);
}

#endif
