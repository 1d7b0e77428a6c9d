/* vec3_lanes.h: vectors of three, a lane each. */
#ifndef MRWI_RASTER_VEC3_LANES_H
#define MRWI_RASTER_VEC3_LANES_H

#include "base/simd/lanes.h"

typedef struct vec3 {
    vf x, y, z;
} vec3;

#endif
