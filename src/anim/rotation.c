/* rotation.c: four spherical interpolations at once; rotation.h has the method. */
#include "anim/rotation.h"

#include "anim/affine.h"
#include "base/math.h"

/* Four quaternions by component. */
typedef struct quaternions {
    mrwi_f4 x, y, z, w;
} quaternions;

/* Its own inverse. */
static inline quaternions transpose(mrwi_f4 q0, mrwi_f4 q1, mrwi_f4 q2, mrwi_f4 q3)
{
    const mrwi_f4 xy01 = __builtin_shufflevector(q0, q1, 0, 4, 1, 5);
    const mrwi_f4 xy23 = __builtin_shufflevector(q2, q3, 0, 4, 1, 5);
    const mrwi_f4 zw01 = __builtin_shufflevector(q0, q1, 2, 6, 3, 7);
    const mrwi_f4 zw23 = __builtin_shufflevector(q2, q3, 2, 6, 3, 7);
    quaternions q = {__builtin_shufflevector(xy01, xy23, 0, 1, 4, 5),
                     __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7),
                     __builtin_shufflevector(zw01, zw23, 0, 1, 4, 5),
                     __builtin_shufflevector(zw01, zw23, 2, 3, 6, 7)};
    return q;
}

static inline quaternions load(const float *const keys[4], size_t offset)
{
    return transpose(mrwi_f4_load(keys[0] + offset), mrwi_f4_load(keys[1] + offset),
                     mrwi_f4_load(keys[2] + offset), mrwi_f4_load(keys[3] + offset));
}

static inline mrwi_f4 dot(const quaternions *a, const quaternions *b)
{
    return (a->x * b->x + a->z * b->z) + (a->y * b->y + a->w * b->w);
}

static inline mrwi_f4 reciprocal_sqrt(mrwi_f4 v)
{
    const mrwi_f4 root = {sqrtf(v[0]), sqrtf(v[1]), sqrtf(v[2]), sqrtf(v[3])};
    return 1.0f / root;
}

/* Weights of a and b with the right ratio, positive, not normalised. cosine in 0 ... 1. */
static inline void slerp_weights(mrwi_f4 cosine, mrwi_f4 t, mrwi_f4 *of_a, mrwi_f4 *of_b)
{
    const mrwi_f4 a = 1.0f - cosine; /* z = a / b */
    const mrwi_f4 b = 1.0f + cosine;
    const mrwi_f4 s = (t + t) - 1.0f;
    const mrwi_f4 q = s * s;
    const mrwi_f4 n6 = 11.0f * b + (2.31103450449f - 0.0580586895543f * q) * a;
    const mrwi_f4 n5 = 9.0f * n6 + (25.0f - q) * a;
    const mrwi_f4 n4 = (7.0f * b) * n5 + ((16.0f - q) * a) * n6;
    const mrwi_f4 n3 = 5.0f * n4 + ((9.0f - q) * a) * n5;
    const mrwi_f4 n2 = (3.0f * b) * n3 + ((4.0f - q) * a) * n4;
    const mrwi_f4 n1 = n2 + ((1.0f - q) * a) * n3;
    *of_a = n1 - s * n2;
    *of_b = n1 + s * n2;
}

static inline quaternions slerp(const quaternions *a, const quaternions *b, mrwi_f4 t)
{
    const mrwi_i4 sign_bit = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const mrwi_f4 cosine = dot(a, b);
    const mrwi_i4 sign = (mrwi_i4)cosine & sign_bit;
    mrwi_f4 of_a, of_b;
    slerp_weights((mrwi_f4)((mrwi_i4)cosine ^ sign), t, &of_a, &of_b);
    of_b = (mrwi_f4)((mrwi_i4)of_b ^ sign); /* the shorter arc */
    quaternions q = {a->x * of_a + b->x * of_b, a->y * of_a + b->y * of_b,
                     a->z * of_a + b->z * of_b, a->w * of_a + b->w * of_b};
    const mrwi_f4 unit = reciprocal_sqrt(dot(&q, &q));
    q.x = q.x * unit;
    q.y = q.y * unit;
    q.z = q.z * unit;
    q.w = q.w * unit;
    return q;
}

void mrwi_slerp_flush(mrwi_slerp_batch *batch)
{
    /* Lanes left over repeat the last slerp. */
    const uint32_t end = (batch->count + 3u) & ~3u;
    for (uint32_t i = batch->count; i < end; i++) {
        batch->t[i] = batch->t[i - 1];
        batch->keys[i] = batch->keys[i - 1];
        batch->out[i] = batch->out[i - 1];
    }
    for (uint32_t i = 0; i < end; i += 4) {
        const quaternions a = load(batch->keys + i, 0);
        const quaternions b = load(batch->keys + i, 4);
        const quaternions q = slerp(&a, &b, mrwi_f4_load(batch->t + i));
        const quaternions rows = transpose(q.x, q.y, q.z, q.w);
        mrwi_f4_store(batch->out[i], rows.x);
        mrwi_f4_store(batch->out[i + 1], rows.y);
        mrwi_f4_store(batch->out[i + 2], rows.z);
        mrwi_f4_store(batch->out[i + 3], rows.w);
    }
    batch->count = 0;
}
