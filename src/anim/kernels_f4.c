/* kernels_f4.c: a clip at a time, and nodes to world, in four lanes. */
#include "anim/kernels.h"
#include "base/math.h"
#include "base/simd/f4.h"

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

/* Written out: gcc -O2 leaves short loops rolled, and puts lanes together in memory, which stalls.
 */
static inline quaternions direction_lanes(const mrwi_curve curves[LANES], const float *key_values,
                                          const mrwi_spans *at)
{
    const uint32_t track[LANES] = {curves[0].track, curves[1].track, curves[2].track,
                                   curves[3].track};
    const float *k0 = key_values + curves[0].source + (size_t)at->key[track[0]] * 4;
    const float *k1 = key_values + curves[1].source + (size_t)at->key[track[1]] * 4;
    const float *k2 = key_values + curves[2].source + (size_t)at->key[track[2]] * 4;
    const float *k3 = key_values + curves[3].source + (size_t)at->key[track[3]] * 4;
    const quaternions a =
        transpose(mrwi_f4_load(k0), mrwi_f4_load(k1), mrwi_f4_load(k2), mrwi_f4_load(k3));
    const quaternions b = transpose(mrwi_f4_load(k0 + 4), mrwi_f4_load(k1 + 4),
                                    mrwi_f4_load(k2 + 4), mrwi_f4_load(k3 + 4));
    const mrwi_f4 t = {at->t32[track[0]], at->t32[track[1]], at->t32[track[2]], at->t32[track[3]]};
    return slerp_direction(&a, &b, t);
}

static inline void store_lanes(const mrwi_curve curves[LANES], const quaternions *q,
                               mrw_transform *locals)
{
    const quaternions rows = transpose(q->x, q->y, q->z, q->w);
    mrwi_f4_store(mrwi_anim_part(locals, curves[0].out), rows.x);
    mrwi_f4_store(mrwi_anim_part(locals, curves[1].out), rows.y);
    mrwi_f4_store(mrwi_anim_part(locals, curves[2].out), rows.z);
    mrwi_f4_store(mrwi_anim_part(locals, curves[3].out), rows.w);
}

typedef double d2 __attribute__((vector_size(16)));
typedef int64_t l2 __attribute__((vector_size(16)));

static inline d2 load_d2(const double *p)
{
    d2 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline d2 select_d2(l2 mask, d2 a, d2 b)
{
    return (d2)((mask & (l2)a) | (~mask & (l2)b));
}

/* Bit i: lane i of the mask. */
static inline uint32_t bits_of(l2 mask)
{
#if defined(__x86_64__)
    return (uint32_t)_mm_movemask_pd((__m128d)mask);
#else
    return (uint32_t)(mask[0] & 1) | (uint32_t)(mask[1] & 2);
#endif
}

/* gcc makes of a conversion of vectors one of each number. */
static inline d2 widen(const float *p)
{
#if defined(__x86_64__)
    return (d2)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)p)));
#else
    return (d2){(double)p[0], (double)p[1]};
#endif
}

static inline void store_narrow(float *p, d2 v)
{
#if defined(__x86_64__)
    _mm_storel_epi64((__m128i *)(void *)p, _mm_castps_si128(_mm_cvtpd_ps((__m128d)v)));
#else
    p[0] = (float)v[0];
    p[1] = (float)v[1];
#endif
}

static inline void lerp3(const float *keys, double t, float *out)
{
    const d2 a = widen(keys), b = widen(keys + 3);
    store_narrow(out, a + (b - a) * (d2){t, t});
    out[2] = (float)((double)keys[2] + ((double)keys[5] - (double)keys[2]) * t);
}

#define FOLLOWED 2

typedef struct guesses {
    uint32_t key[FOLLOWED];
} guesses;

static inline guesses load_guesses(const uint32_t *cursors)
{
    return (guesses){{cursors[0], cursors[1]}};
}

static inline guesses make_guesses(const float *rates, const float *offsets, float time)
{
    return (guesses){
        {mrwi_guess_key(rates[0], offsets[0], time), mrwi_guess_key(rates[1], offsets[1], time)}};
}

static inline bool follow_lanes(const double *key_times, const uint32_t *firsts,
                                const uint32_t *counts, double time, guesses guess, uint32_t *key,
                                double *t, float *t32)
{
    const double *p[FOLLOWED];
    uint32_t keys[FOLLOWED];
    for (int i = 0; i < FOLLOWED; i++) {
        keys[i] = guess.key[i] < counts[i] - 3 ? guess.key[i] : counts[i] - 3;
        p[i] = key_times + firsts[i] + keys[i];
    }
    const d2 a01 = load_d2(p[0]), b01 = load_d2(p[1]);
    const d2 a12 = load_d2(p[0] + 1), b12 = load_d2(p[1] + 1);
    const d2 second = __builtin_shufflevector(a01, b01, 1, 3), now = {time, time};
    const l2 passed = second <= now;
    const d2 from = select_d2(passed, second, __builtin_shufflevector(a01, b01, 0, 2));
    const d2 to = select_d2(passed, __builtin_shufflevector(a12, b12, 1, 3), second);
    const d2 part = (now - from) / (to - from);
    memcpy(t, &part, sizeof part);
    store_narrow(t32, part);
    const uint32_t steps = bits_of(passed);
    key[0] = keys[0] + (steps & 1);
    key[1] = keys[1] + (steps >> 1);
    return (bits_of(from < now) & bits_of(now < to)) == 3;
}

#include "anim/sample_clip.h"

void mrwi_sample_f4(const mrw_sample_job *job)
{
    sample_clip(job);
}

static inline quaternions load_rotations(const mrwi_link links[LANES], const mrw_transform *locals)
{
    return transpose(mrwi_f4_load(mrwi_anim_rotation(locals, &links[0])),
                     mrwi_f4_load(mrwi_anim_rotation(locals, &links[1])),
                     mrwi_f4_load(mrwi_anim_rotation(locals, &links[2])),
                     mrwi_f4_load(mrwi_anim_rotation(locals, &links[3])));
}

#include "anim/world_nodes.h"

void mrwi_world_f4(const mrw_world_job *job)
{
    world_nodes(job);
}
