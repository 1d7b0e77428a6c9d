/* raw.h: pictures in raw formats, which other programs read from a pipe. The caller frees *out. */
#ifndef MRWI_OUTPUT_RAW_H
#define MRWI_OUTPUT_RAW_H

#include "output/writer.h"

/* Encodes four bytes per pixel, with straight alpha: 255 if the picture has none. */
mrw_status mrwi_output_rgba(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Encodes a frame of YUV4MPEG2, of an opaque picture. The first one begins with the head of the
 * file, which has the target's exact rate. */
mrw_status mrwi_output_y4m(const mrwi_output_target *target, const mrwi_output_item *item,
                           mrw_bytes *out, mrw_error *error);

#endif
