/* vec3_lanes.h: vectors of three, one vector per lane. */
#ifndef MRWI_SHADE_VEC3_LANES_H
#define MRWI_SHADE_VEC3_LANES_H

#include "base/simd/lanes.h"

typedef struct vec3 {
    vf x, y, z;
} vec3;

LANE_INLINE vf dot(vec3 a, vec3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

LANE_INLINE vf dot_with(vec3 a, const float b[3])
{
    return (a.x * b[0] + a.y * b[1]) + a.z * b[2];
}

/* Returns a + b f. */
LANE_INLINE vec3 add_scaled(vec3 a, vec3 b, vf f)
{
    return (vec3){a.x + b.x * f, a.y + b.y * f, a.z + b.z * f};
}

LANE_INLINE vec3 scaled(vec3 a, vf f)
{
    return (vec3){a.x * f, a.y * f, a.z * f};
}

LANE_INLINE vec3 times(vec3 a, vec3 b)
{
    return (vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

LANE_INLINE vec3 cross_of(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Returns v at unit length; the zero vector stays zero. */
LANE_INLINE vec3 normalize(vec3 v)
{
    return scaled(v, 1.0f / vf_sqrt(vf_max(dot(v, v), vf_set(1e-30f))));
}

#endif
