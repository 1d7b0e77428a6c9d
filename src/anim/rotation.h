/* rotation.h: spherical linear interpolation without trigonometry.
 *
 * With theta the angle between unit quaternions a and b, slerp (Shoemake 1985) has the direction of
 * (1 - g) a + (1 + g) b, where s = 2t - 1 and
 *
 *     g = tan(s theta/2) / tan(theta/2).
 *
 * tan(s atan T)/T has Gauss's continued fraction in z = T^2 = (1 - cos theta)/(1 + cos theta):
 *
 *     g = s / (1 + (1 - s^2) z / (3 + (4 - s^2) z / (5 + (9 - s^2) z / (7 + ...))))
 *
 * so no arc cosine is needed, g is exactly +-1 at the ends, and swapping a and b swaps the result.
 * Cut at 11 + (b0 + b1 s^2) z, fitted to the rest, the angle is within 7.3e-8 radian for theta up
 * to 90 degrees. Written with numerators and denominators apart, and normalising at the end anyway,
 * the whole costs one square root and one division.
 */
#ifndef MRWI_ANIM_ROTATION_H
#define MRWI_ANIM_ROTATION_H

#include "marrow/base.h"

/* Slerps wait here and are done four at a time, a lane each. Many wait, since a vector load right
 * behind the scalar stores that it covers would stall until they reach the cache. */
#define MRWI_SLERP_BATCH 32

typedef struct mrwi_slerp_batch {
    uint32_t count;
    float t[MRWI_SLERP_BATCH];           /* 0 < t <= 1 */
    const float *keys[MRWI_SLERP_BATCH]; /* two unit quaternions, a and b, one after the other */
    float *out[MRWI_SLERP_BATCH];        /* unit; not to be read before the flush */
} mrwi_slerp_batch;

/* Does the slerps of a batch, along the shorter arcs, and empties it. */
void mrwi_slerp_flush(mrwi_slerp_batch *batch);

/* Adds one slerp; a full batch is done at once. Start from count 0. */
static inline void mrwi_slerp_add(mrwi_slerp_batch *batch, const float *keys, float t, float *out)
{
    if (batch->count == MRWI_SLERP_BATCH)
        mrwi_slerp_flush(batch);
    batch->keys[batch->count] = keys;
    batch->t[batch->count] = t;
    batch->out[batch->count] = out;
    batch->count++;
}

#endif
