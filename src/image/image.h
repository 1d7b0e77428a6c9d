/* image.h: which images are pictures. */
#ifndef MRWI_IMAGE_IMAGE_H
#define MRWI_IMAGE_IMAGE_H

#include "marrow/image.h"

/* For assertions: what is shown, compared and written. */
static inline bool mrwi_image_is_picture(const mrw_image *image)
{
    return image->format == MRW_FORMAT_U8 && (image->channels == 3 || image->channels == 4);
}

/* One of 16 bits a channel, for the writers of PNG and PAM alone; of one channel it is grey. */
static inline bool mrwi_image_is_deep(const mrw_image *image)
{
    return image->format == MRW_FORMAT_U16 &&
           (image->channels == 1 || image->channels == 3 || image->channels == 4);
}

#endif
