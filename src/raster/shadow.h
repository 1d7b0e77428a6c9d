/* shadow.h: shadow maps as shading reads them. shadow_spec.h says what a fragment sees of one,
 * shadow_kernel.h does it in lanes. */
#ifndef MRWI_RASTER_SHADOW_H
#define MRWI_RASTER_SHADOW_H

#include "marrow/light.h"

/* A receiver is taken to be nearer to the light than it is, so that it does not shade itself: by a
 * share of a texel's length, for what its neighbours rise above its plane, and of its slope, for
 * vertices that the map has snapped to 1/256 of a texel. */
#define MRWI_RASTER_SHADOW_BIAS 0.6f
#define MRWI_RASTER_SHADOW_SNAP (1.0f / 64.0f)
/* Slopes, in lengths of a texel a texel, are held at this: 0.45 degrees. */
#define MRWI_RASTER_SHADOW_STEEP 128.0f
/* Receivers are not farther than this, so that where a map shows nothing there is light. */
#define MRWI_RASTER_SHADOW_FAR 0.9999999f

/* A map and what is the same for all that look at it. */
typedef struct mrwi_raster_shadow {
    const float *depths;
    const mrw_shadow_span *spans; /* NULL: not known */
    int32_t face_spans;
    int32_t size, stride, face_texels; /* of a side, from row to row, of a whole face */
    bool cube, perspective;
    float origin[3], right[3], down[3], forward[3];
    float texels, middle; /* half a side */
    float depth_offset, depth_scale;
    float slope;        /* of depth, a texel, where the cosines to both axes are the same */
    float unit;         /* depth that a texel's length is; in a perspective times w */
    float reach, width; /* of the square that is averaged: half, whole */
    float share;        /* of a texel that lies in it */
    float last;         /* the last texel that rows may begin at */
    int32_t rows;       /* that the square may touch; and columns */
} mrwi_raster_shadow;

/* Those of the first lights that have any; returns how many, MRW_SHADOW_LIGHTS at most. */
uint32_t mrwi_raster_prepare_shadows(const mrw_lighting *lighting,
                                     mrwi_raster_shadow out[MRW_SHADOW_LIGHTS]);

#endif
