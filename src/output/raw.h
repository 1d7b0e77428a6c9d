/* raw.h: pictures as other programs read them from a pipe. The caller frees *out. */
#ifndef MRWI_OUTPUT_RAW_H
#define MRWI_OUTPUT_RAW_H

#include "output/writer.h"

/* Four bytes a pixel, straight alpha: 255 where pictures have none. */
mrw_status mrwi_output_rgba(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* A frame of YUV4MPEG2, of an opaque picture; the first one has the head of the file before it,
 * with the target's rate as it is. */
mrw_status mrwi_output_y4m(const mrwi_output_target *target, const mrwi_output_item *item,
                           mrw_bytes *out, mrw_error *error);

#endif
