/* shadow.h: shadow maps as shading reads them. shadow_spec.h says what a fragment sees of one,
 * shadow_kernel.h does it in lanes. */
#ifndef MRWI_SHADE_SHADOW_H
#define MRWI_SHADE_SHADOW_H

#include "marrow/raster.h"
#include "shade/shade_numbers.h"

typedef mrw_raster_shadow mrwi_shade_shadow;

/* Those of the first lights that have any; returns how many, MRW_SHADOW_LIGHTS at most. */
uint32_t mrwi_shade_prepare_shadows(const mrw_lighting *lighting,
                                    mrwi_shade_shadow out[MRW_SHADOW_LIGHTS]);

#endif
