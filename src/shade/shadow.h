/* shadow.h: shadow maps as shading reads them. shadow_spec.h is the specification of their effect
 * on a fragment; shadow_kernel.h does the same in lanes. */
#ifndef MRWI_SHADE_SHADOW_H
#define MRWI_SHADE_SHADOW_H

#include "marrow/raster.h"
#include "shade/shade_numbers.h"

typedef mrw_raster_shadow mrwi_shade_shadow;

/* Prepares the shadow maps of the first lights that have one. Returns their number, at most
 * MRW_SHADOW_LIGHTS. */
uint32_t mrwi_shade_prepare_shadows(const mrw_lighting *lighting,
                                    mrwi_shade_shadow out[MRW_SHADOW_LIGHTS]);

/* Returns how quickly a ground's shadows fade towards the border of a picture: the reciprocal of
 * the width in pixels of the area in which they do. */
float mrwi_shade_ground_border(uint32_t width, uint32_t height);

#endif
