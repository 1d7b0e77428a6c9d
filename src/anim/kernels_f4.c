/* kernels_f4.c: the pose kernels in the four lanes that every 64-bit CPU has: a clip at a time,
 * nodes to world, and palettes. For the last two they are the specification; sample_spec.c is that
 * of sampling. */
#define MRWI_BASE_LANES 4

#include "anim/affine.h"
#include "anim/kernels.h"
#include "anim/slerp.h"

/* Interpolates four rotations. It is written out: gcc -O2 does not unroll short loops and joins
 * lanes through memory, which stalls. */
static inline quaternions direction_lanes(const mrwi_anim_curve curves[MRWI_BASE_LANES],
                                          const float *key_values, const mrwi_anim_spans *at)
{
    const uint32_t track[MRWI_BASE_LANES] = {curves[0].track, curves[1].track, curves[2].track,
                                             curves[3].track};
    const float *k0 = key_values + curves[0].source + (size_t)at->key[track[0]] * 4;
    const float *k1 = key_values + curves[1].source + (size_t)at->key[track[1]] * 4;
    const float *k2 = key_values + curves[2].source + (size_t)at->key[track[2]] * 4;
    const float *k3 = key_values + curves[3].source + (size_t)at->key[track[3]] * 4;
    const quaternions a = transpose_parts(vf_load(k0), vf_load(k1), vf_load(k2), vf_load(k3));
    const quaternions b =
        transpose_parts(vf_load(k0 + 4), vf_load(k1 + 4), vf_load(k2 + 4), vf_load(k3 + 4));
    const vf t = {at->t32[track[0]], at->t32[track[1]], at->t32[track[2]], at->t32[track[3]]};
    return slerp_direction(&a, &b, t);
}

typedef int64_t double_mask __attribute__((vector_size(16)));

static inline vd load_doubles(const double *p)
{
    vd v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline vd select_doubles(double_mask mask, vd a, vd b)
{
    return (vd)((mask & (double_mask)a) | (~mask & (double_mask)b));
}

/* Returns the mask's lane i as bit i. */
static inline uint32_t bits_of(double_mask mask)
{
#if defined(__x86_64__)
    return (uint32_t)_mm_movemask_pd((__m128d)mask);
#else
    return (uint32_t)(mask[0] & 1) | (uint32_t)(mask[1] & 2);
#endif
}

/* Widens two floats. gcc converts the lanes of vectors one by one, so this uses the instruction. */
static inline vd widen(const float *p)
{
#if defined(__x86_64__)
    return (vd)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)p)));
#else
    return (vd){(double)p[0], (double)p[1]};
#endif
}

static inline void store_narrow(float *p, vd v)
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
    const vd a = widen(keys), b = widen(keys + 3);
    store_narrow(out, a + (b - a) * (vd){t, t});
    out[2] = (float)((double)keys[2] + ((double)keys[5] - (double)keys[2]) * t);
}

#define SPAN_TRACKS 2

typedef struct guesses {
    uint32_t key[SPAN_TRACKS];
} guesses;

static inline guesses load_guesses(const uint32_t *cursors)
{
    return (guesses){{cursors[0], cursors[1]}};
}

static inline guesses make_guesses(const float *rates, const float *offsets, float time)
{
    return (guesses){{mrwi_anim_guess_key(rates[0], offsets[0], time),
                      mrwi_anim_guess_key(rates[1], offsets[1], time)}};
}

static inline bool follow_lanes(const double *key_times, const uint32_t *firsts,
                                const uint32_t *counts, double time, guesses guess, uint32_t *key,
                                double *t, float *t32)
{
    const double *p[SPAN_TRACKS];
    uint32_t keys[SPAN_TRACKS];
    for (int i = 0; i < SPAN_TRACKS; i++) {
        keys[i] = guess.key[i] < counts[i] - 3 ? guess.key[i] : counts[i] - 3;
        p[i] = key_times + firsts[i] + keys[i];
    }
    const vd a01 = load_doubles(p[0]), b01 = load_doubles(p[1]);
    const vd a12 = load_doubles(p[0] + 1), b12 = load_doubles(p[1] + 1);
    const vd second = __builtin_shufflevector(a01, b01, 1, 3), now = {time, time};
    const double_mask passed = second <= now;
    const vd from = select_doubles(passed, second, __builtin_shufflevector(a01, b01, 0, 2));
    const vd to = select_doubles(passed, __builtin_shufflevector(a12, b12, 1, 3), second);
    const vd part = (now - from) / (to - from);
    memcpy(t, &part, sizeof part);
    store_narrow(t32, part);
    const uint32_t steps = bits_of(passed);
    key[0] = keys[0] + (steps & 1);
    key[1] = keys[1] + (steps >> 1);
    return (bits_of(from < now) & bits_of(now < to)) == 3;
}

#include "anim/sample_clip.h"

static void sample_f4(const mrw_sample_job *job)
{
    sample_clip(job);
}

#include "anim/world_nodes.h"

static void world_f4(const mrw_world_job *job)
{
    world_nodes(job);
}

static void palette_f4(const mrw_palette_job *job, const mrw_skin *skin)
{
    const uint32_t *joints = job->scene->joints + skin->first_joint;
    const mrw_mat4 *geometry_to_joint = job->scene->geometry_to_joint + skin->first_joint;
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        mrwi_anim_affine joint_to_world = mrwi_anim_affine_load(&job->node_to_world[joints[j]]);
        mrwi_anim_affine_mul(&joint_to_world, geometry_to_joint[j].m, &job->geometry_to_world[j]);
    }
}

const mrwi_anim_pose_kernels mrwi_anim_pose_kernels_scalar = {mrwi_anim_sample_clip, world_f4,
                                                              palette_f4};
const mrwi_anim_pose_kernels mrwi_anim_pose_kernels_f4 = {sample_f4, world_f4, palette_f4};
