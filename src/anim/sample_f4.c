/* sample_f4.c: a clip at a time in four lanes. */
#include "anim/kernels.h"
#include "base/lanes.h"
#include "base/math.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

typedef mrwi_f4 lanes;
typedef mrwi_i4 lanes_bits;

static const lanes_bits lanes_sign_bits = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};

static inline lanes lanes_sqrt(lanes v)
{
#if defined(__x86_64__)
    return (lanes)_mm_sqrt_ps((__m128)v);
#else
    return (lanes){sqrtf(v[0]), sqrtf(v[1]), sqrtf(v[2]), sqrtf(v[3])};
#endif
}

#include "anim/slerp.h"

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

static void slerp_batch(mrwi_slerp_batch *batch)
{
    const uint32_t end = mrwi_slerp_pad(batch, 4);
    for (uint32_t i = 0; i < end; i += 4) {
        const quaternions a = load(batch->keys + i, 0);
        const quaternions b = load(batch->keys + i, 4);
        const quaternions direction = slerp_direction(&a, &b, mrwi_f4_load(batch->t + i));
        const quaternions q = normalise(&direction);
        const quaternions rows = transpose(q.x, q.y, q.z, q.w);
        mrwi_f4_store(batch->out[i], rows.x);
        mrwi_f4_store(batch->out[i + 1], rows.y);
        mrwi_f4_store(batch->out[i + 2], rows.z);
        mrwi_f4_store(batch->out[i + 3], rows.w);
    }
    batch->count = 0;
}

static inline void lerp3(const float *keys, double t, float *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = (float)((double)keys[i] + ((double)keys[3 + i] - (double)keys[i]) * t);
}

#include "anim/sample_clip.h"

void mrwi_sample_f4(const mrw_sample_job *job, const mrw_clip *clip)
{
    sample_clip(job, clip);
}
