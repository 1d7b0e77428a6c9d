/* mix.h: quaternions and means in double, for mixing poses. */
#ifndef MRWI_ANIM_MIX_H
#define MRWI_ANIM_MIX_H

#include "marrow/base.h"

#include <math.h>
#include <string.h>

typedef struct mrwi_anim_quat {
    double v[4]; /* x, y, z, w */
} mrwi_anim_quat;

static inline mrwi_anim_quat mrwi_anim_quat_load(const float *q)
{
    return (mrwi_anim_quat){{(double)q[0], (double)q[1], (double)q[2], (double)q[3]}};
}

static inline double mrwi_anim_quat_dot(const mrwi_anim_quat *a, const mrwi_anim_quat *b)
{
    return (a->v[0] * b->v[0] + a->v[2] * b->v[2]) + (a->v[1] * b->v[1] + a->v[3] * b->v[3]);
}

static inline mrwi_anim_quat mrwi_anim_quat_conjugate(const mrwi_anim_quat *q)
{
    return (mrwi_anim_quat){{-q->v[0], -q->v[1], -q->v[2], q->v[3]}};
}

/* Multiplies: the result turns by b first, then by a. */
static inline mrwi_anim_quat mrwi_anim_quat_mul(const mrwi_anim_quat *a, const mrwi_anim_quat *b)
{
    const double *p = a->v, *q = b->v;
    return (mrwi_anim_quat){{
        (p[3] * q[0] + p[0] * q[3]) + (p[1] * q[2] - p[2] * q[1]),
        (p[3] * q[1] + p[1] * q[3]) + (p[2] * q[0] - p[0] * q[2]),
        (p[3] * q[2] + p[2] * q[3]) + (p[0] * q[1] - p[1] * q[0]),
        (p[3] * q[3] - p[0] * q[0]) - (p[1] * q[1] + p[2] * q[2]),
    }};
}

/* Returns the unit quaternion, or the identity if q has no direction. */
static inline mrwi_anim_quat mrwi_anim_quat_unit(const mrwi_anim_quat *q)
{
    const double length = sqrt(mrwi_anim_quat_dot(q, q));
    if (!(length > 1e-12)) {
        return (mrwi_anim_quat){{0.0, 0.0, 0.0, 1.0}};
    }
    return (mrwi_anim_quat){
        {q->v[0] / length, q->v[1] / length, q->v[2] / length, q->v[3] / length}};
}

/* Adds weight * q to the sum, negated where it lies on the sum's other side. */
static inline void mrwi_anim_quat_add(mrwi_anim_quat *sum, const mrwi_anim_quat *q, double weight)
{
    const double w = mrwi_anim_quat_dot(sum, q) < 0.0 ? -weight : weight;
    for (int i = 0; i < 4; i++) {
        sum->v[i] += w * q->v[i];
    }
}

/* Stores q. Quaternions that are unit to rounding stay as they are: floats are unit to 1e-7, and
 * mixing one with itself must give its bits. */
static inline void mrwi_anim_quat_store(const mrwi_anim_quat *q, float *out)
{
    const double off = mrwi_anim_quat_dot(q, q) - 1.0;
    const mrwi_anim_quat unit = off <= 1e-6 && off >= -1e-6 ? *q : mrwi_anim_quat_unit(q);
    for (int i = 0; i < 4; i++) {
        out[i] = (float)unit.v[i];
    }
}

/* Mixes linearly, from a to b by t. */
static inline float mrwi_anim_mix(float a, float b, double t)
{
    return (float)((double)a + ((double)b - (double)a) * t);
}

#endif
