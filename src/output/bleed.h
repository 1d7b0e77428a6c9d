/* bleed.h: colours for clear pixels, so that games which filter a sprite show no dark edges. */
#ifndef MRWI_OUTPUT_BLEED_H
#define MRWI_OUTPUT_BLEED_H

#include "marrow/base.h"

/* Gives each pixel of alpha 0 in a rectangle of RGBA the colour of the nearest visible pixel, by
 * the distance of their centres. Among equally near pixels the leftmost wins, then the upper one.
 * Alpha stays 0. If all pixels are clear nothing changes. Rows are `stride` bytes apart, sides at
 * most MRW_IMAGE_MAX_SIDE. Fails only without memory. */
mrw_status mrwi_output_bleed(uint8_t *pixels, size_t stride, uint32_t width, uint32_t height,
                             mrw_error *error);

#endif
