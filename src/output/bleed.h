/* bleed.h: colours for pixels that are clear. */
#ifndef MRWI_OUTPUT_BLEED_H
#define MRWI_OUTPUT_BLEED_H

#include "marrow/base.h"

/* Gives the pixels of alpha 0 in a rectangle of RGBA the colour of the nearest one that has another
 * alpha, by the distance of their centres: of equally near ones the leftmost, of those the upper
 * one. Their alpha stays; where all are clear nothing changes. Rows are `stride` bytes apart, sides
 * at most MRW_IMAGE_MAX_SIDE. Fails for want of memory only. */
mrw_status mrwi_output_bleed(uint8_t *pixels, size_t stride, uint32_t width, uint32_t height,
                             mrw_error *error);

#endif
