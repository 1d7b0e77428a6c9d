/* slerp.h: spherical linear interpolation, one rotation per lane. slerp in sample_spec.c specifies
 * it and says where the formula comes from; the operations and their order are the same.
 *
 * A kernel file defines MRWI_BASE_LANES. Every width gives the same bits. */
#ifndef MRWI_ANIM_SLERP_H
#define MRWI_ANIM_SLERP_H

#include "base/simd/rows.h"

/* Quaternions by component. */
typedef vf4 quaternions;

LANE_INLINE vf quaternions_dot(const quaternions *a, const quaternions *b)
{
    return (a->x * b->x + a->z * b->z) + (a->y * b->y + a->w * b->w);
}

/* Finds the weights of a and b. They are positive and have the right ratio, but are not normalised.
 * The cosine is 0 ... 1. */
LANE_INLINE void slerp_weights(vf cosine, vf t, vf *of_a, vf *of_b)
{
    const vf a = 1.0f - cosine; /* z = a / b */
    const vf b = 1.0f + cosine;
    const vf s = (t + t) - 1.0f;
    const vf q = s * s;
    const vf n6 = 11.0f * b + (2.31103450449f - 0.0580586895543f * q) * a;
    const vf n5 = 9.0f * n6 + (25.0f - q) * a;
    const vf n4 = (7.0f * b) * n5 + ((16.0f - q) * a) * n6;
    const vf n3 = 5.0f * n4 + ((9.0f - q) * a) * n5;
    const vf n2 = (3.0f * b) * n3 + ((4.0f - q) * a) * n4;
    const vf n1 = n2 + ((1.0f - q) * a) * n3;
    *of_a = n1 - s * n2;
    *of_b = n1 + s * n2;
}

/* Returns the direction of the slerp, not normalised. */
LANE_INLINE quaternions slerp_direction(const quaternions *a, const quaternions *b, vf t)
{
    const vf cosine = quaternions_dot(a, b);
    const vi sign = vf_bits(cosine) & vi_set(INT32_MIN);
    vf of_a, of_b;
    slerp_weights(vf_from_bits(vf_bits(cosine) ^ sign), t, &of_a, &of_b);
    of_b = vf_from_bits(vf_bits(of_b) ^ sign); /* the shorter arc */
    quaternions q = {a->x * of_a + b->x * of_b, a->y * of_a + b->y * of_b,
                     a->z * of_a + b->z * of_b, a->w * of_a + b->w * of_b};
    return q;
}

LANE_INLINE quaternions normalise(const quaternions *q)
{
    const vf unit = 1.0f / vf_sqrt(quaternions_dot(q, q));
    quaternions out = {q->x * unit, q->y * unit, q->z * unit, q->w * unit};
    return out;
}

#endif
