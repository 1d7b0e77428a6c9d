/* kernels_f4.c: a clip at a time, and nodes to world, in four lanes. */
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

#define LANES 4

static inline quaternions load_quaternions(const float *const from[LANES], size_t offset)
{
    return transpose(mrwi_f4_load(from[0] + offset), mrwi_f4_load(from[1] + offset),
                     mrwi_f4_load(from[2] + offset), mrwi_f4_load(from[3] + offset));
}

static inline quaternions direction_lanes(const mrwi_curve curves[LANES], const float *key_values,
                                          const mrwi_spans *at)
{
    const float *keys[LANES];
    mrwi_f4 t;
    for (int i = 0; i < LANES; i++) {
        const uint32_t track = curves[i].track;
        keys[i] = key_values + curves[i].source + (size_t)at->key[track] * 4;
        t[i] = at->t32[track];
    }
    const quaternions a = load_quaternions(keys, 0);
    const quaternions b = load_quaternions(keys, 4);
    return slerp_direction(&a, &b, t);
}

static inline void store_lanes(const mrwi_curve curves[LANES], const quaternions *q, float *locals)
{
    const quaternions rows = transpose(q->x, q->y, q->z, q->w);
    mrwi_f4_store(locals + curves[0].out, rows.x);
    mrwi_f4_store(locals + curves[1].out, rows.y);
    mrwi_f4_store(locals + curves[2].out, rows.z);
    mrwi_f4_store(locals + curves[3].out, rows.w);
}

static inline void lerp3(const float *keys, double t, float *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = (float)((double)keys[i] + ((double)keys[3 + i] - (double)keys[i]) * t);
}

/* None at once. */
static inline uint32_t find_tracks(const mrw_poser *poser, const mrwi_block *block, double time,
                                   uint32_t *cursors, mrwi_spans *at)
{
    (void)poser, (void)block, (void)time, (void)cursors, (void)at;
    return 0;
}

#include "anim/sample_clip.h"

void mrwi_sample_f4(const mrw_sample_job *job)
{
    sample_clip(job);
}

static inline quaternions load_rotations(const mrwi_link links[LANES], const float *locals)
{
    const float *from[LANES];
    for (int i = 0; i < LANES; i++)
        from[i] = locals + links[i].floats + 3;
    return load_quaternions(from, 0);
}

#include "anim/world_nodes.h"

void mrwi_world_f4(const mrw_world_job *job)
{
    world_nodes(job);
}
