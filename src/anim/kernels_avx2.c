/* kernels_avx2.c: the pose kernels with eight lanes on x86-64: eight rotations at once, four tracks
 * of key times, and in palettes two columns of a matrix per register (c0 and c1, c2 and c3). The
 * operations and their order are those of the specification, and so are the bits. */
#define MRWI_BASE_LANES 8

#include "anim/affine.h"
#include "anim/kernels.h"
#include "anim/poser.h"
#include "anim/slerp.h"

/* ---- matrices -------------------------------------------------------------------------------- */

typedef struct columns8 {
    __m256 c01, c23;
} columns8;

LANE_INLINE __m256 twice(const float *p)
{
    return _mm256_broadcast_ps((const __m128 *)p);
}

/* Puts -0 below `high`: adding it changes nothing. */
LANE_INLINE __m256 above_nothing(__m128 high)
{
    return _mm256_insertf128_ps(_mm256_set1_ps(-0.0f), high, 1);
}

/* A matrix as a left factor: c0, c1, c2 in both halves, c3 in the upper one above -0. */
typedef struct factor8 {
    __m256 c0, c1, c2, c3;
} factor8;

LANE_INLINE factor8 load_factor(const float *m)
{
    factor8 out = {twice(m), twice(m + 4), twice(m + 8), above_nothing(_mm_loadu_ps(m + 12))};
    return out;
}

/* Computes (c0 x + c1 y) + c2 z for the two columns of v. */
LANE_INLINE __m256 product(const factor8 *a, __m256 v)
{
    const __m256 x = _mm256_permute_ps(v, _MM_SHUFFLE(0, 0, 0, 0));
    const __m256 y = _mm256_permute_ps(v, _MM_SHUFFLE(1, 1, 1, 1));
    const __m256 z = _mm256_permute_ps(v, _MM_SHUFFLE(2, 2, 2, 2));
    const __m256 xy = _mm256_add_ps(_mm256_mul_ps(a->c0, x), _mm256_mul_ps(a->c1, y));
    return _mm256_add_ps(xy, _mm256_mul_ps(a->c2, z));
}

/* Computes a * b, before its last row is set. */
LANE_INLINE columns8 affine_product(const factor8 *a, columns8 b)
{
    columns8 out = {product(a, b.c01), product(a, b.c23)};
    out.c23 = _mm256_add_ps(out.c23, a->c3);
    return out;
}

/* Sets the last row to 0, 0, 0, 1. */
LANE_INLINE columns8 make_affine(columns8 m)
{
    const __m256 w = _mm256_setr_ps(0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f);
    columns8 out = {_mm256_blend_ps(m.c01, _mm256_setzero_ps(), 0x88),
                    _mm256_blend_ps(m.c23, w, 0x88)};
    return out;
}

LANE_INLINE void store_columns(mrw_mat4 *out, columns8 m)
{
    _mm256_storeu_ps(out->m, m.c01);
    _mm256_storeu_ps(out->m + 8, m.c23);
}

/* Turns -0 of the last column into +0, as the four-lane kernels do when they add 0, 0, 0, 1 to it
 * at the end. A sum with +0 does so anyway; only a last column from elsewhere can hold -0. */
LANE_INLINE factor8 without_minus_zero(factor8 a)
{
    a.c3 = _mm256_add_ps(a.c3, _mm256_blend_ps(_mm256_set1_ps(-0.0f), _mm256_setzero_ps(), 0xF0));
    return a;
}

LANE_INLINE columns8 load_columns(const float *m)
{
    columns8 out = {_mm256_loadu_ps(m), _mm256_loadu_ps(m + 8)};
    return out;
}

/* ---- palettes -------------------------------------------------------------------------------- */

static void palette_avx2(const mrw_palette_job *job, const mrw_skin *skin)
{
    const uint32_t *joints = job->scene->joints + skin->first_joint;
    const mrw_mat4 *geometry_to_joint = job->scene->geometry_to_joint + skin->first_joint;
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        const factor8 joint_to_world =
            without_minus_zero(load_factor(job->node_to_world[joints[j]].m));
        const columns8 bind = load_columns(geometry_to_joint[j].m);
        store_columns(&job->geometry_to_world[j],
                      make_affine(affine_product(&joint_to_world, bind)));
    }
}

/* ---- interpolation --------------------------------------------------------------------------- */

/* Two keys each of curves i and i + 4. Pairs keep few pointers alive at a time. */
typedef struct key_pairs {
    vf a, b;
} key_pairs;

LANE_INLINE key_pairs load_keys(const mrwi_anim_curve *curve, const float *key_values,
                                const uint32_t *key)
{
    const float *low = key_values + curve[0].source + (size_t)key[curve[0].track] * 4;
    const float *high = key_values + curve[4].source + (size_t)key[curve[4].track] * 4;
    key_pairs out = {row_load_two(low, high), row_load_two(low + 4, high + 4)};
    return out;
}

LANE_INLINE quaternions direction_lanes(const mrwi_anim_curve curves[MRWI_BASE_LANES],
                                        const float *key_values, const mrwi_anim_spans *at)
{
    const key_pairs k0 = load_keys(curves, key_values, at->key);
    const key_pairs k1 = load_keys(curves + 1, key_values, at->key);
    const key_pairs k2 = load_keys(curves + 2, key_values, at->key);
    const key_pairs k3 = load_keys(curves + 3, key_values, at->key);
    const float *t32 = at->t32;
    const __m256 t = _mm256_setr_ps(
        t32[curves[0].track], t32[curves[1].track], t32[curves[2].track], t32[curves[3].track],
        t32[curves[4].track], t32[curves[5].track], t32[curves[6].track], t32[curves[7].track]);
    const quaternions a = transpose_parts(k0.a, k1.a, k2.a, k3.a);
    const quaternions b = transpose_parts(k0.b, k1.b, k2.b, k3.b);
    return slerp_direction(&a, &b, (vf)t);
}

/* Interpolates the first and second value, which are six floats. Loads four twice, so as not to
 * read a seventh. */
LANE_INLINE void lerp3(const float *keys, double t, float *out)
{
    const __m256d a = _mm256_cvtps_pd(_mm_loadu_ps(keys));
    const __m256d last4 = _mm256_cvtps_pd(_mm_loadu_ps(keys + 2));
    const __m256d b = _mm256_permute4x64_pd(last4, _MM_SHUFFLE(3, 3, 2, 1));
    const __m256d v = _mm256_add_pd(a, _mm256_mul_pd(_mm256_sub_pd(b, a), _mm256_set1_pd(t)));
    const __m128 rounded = _mm256_cvtpd_ps(v);
    _mm_storel_pi((__m64 *)out, rounded);
    _mm_storel_pi((__m64 *)(out + 1), _mm_permute_ps(rounded, _MM_SHUFFLE(3, 3, 2, 1)));
}

/* Two successive times of four tracks: the first of each, and the second. */
typedef struct time_pairs {
    __m256d first, second;
} time_pairs;

LANE_INLINE time_pairs load_times(const double *const p[4], size_t offset)
{
    const __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p[0] + offset)),
                                              _mm_loadu_pd(p[2] + offset), 1);
    const __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p[1] + offset)),
                                             _mm_loadu_pd(p[3] + offset), 1);
    time_pairs out = {_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd)};
    return out;
}

/* Returns b where mask is set, else a. Compilers make two slow instructions from a blend by a
 * comparison. */
LANE_INLINE __m256d choose(__m256d a, __m256d b, __m256d mask)
{
    return _mm256_xor_pd(a, _mm256_and_pd(_mm256_xor_pd(a, b), mask));
}

#define SPAN_TRACKS 4

typedef __m128i guesses;

LANE_INLINE bool follow_lanes(const double *key_times, const uint32_t *firsts,
                              const uint32_t *counts, double time, guesses guess, uint32_t *key,
                              double *t, float *t32)
{
    const __m128i last = _mm_sub_epi32(_mm_loadu_si128((const __m128i *)counts), _mm_set1_epi32(3));
    const __m128i keys = _mm_min_epu32(guess, last);
    const __m128i places = _mm_add_epi32(_mm_loadu_si128((const __m128i *)firsts), keys);
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(places);
    const uint64_t high = (uint64_t)_mm_extract_epi64(places, 1);
    const double *const p[4] = {key_times + (uint32_t)low, key_times + (low >> 32),
                                key_times + (uint32_t)high, key_times + (high >> 32)};
    const time_pairs k01 = load_times(p, 0);
    const time_pairs k12 = load_times(p, 1);
    const __m256d now = _mm256_set1_pd(time);
    const __m256d passed = _mm256_cmp_pd(k01.second, now, _CMP_LE_OQ);
    const __m256d from = choose(k01.first, k01.second, passed);
    const __m256d to = choose(k01.second, k12.second, passed);
    const __m256d part = _mm256_div_pd(_mm256_sub_pd(now, from), _mm256_sub_pd(to, from));
    _mm256_storeu_pd(t, part);
    _mm_storeu_ps(t32, _mm256_cvtpd_ps(part));
    const __m128 steps =
        _mm_shuffle_ps(_mm_castpd_ps(_mm256_castpd256_pd128(passed)),
                       _mm_castpd_ps(_mm256_extractf128_pd(passed, 1)), _MM_SHUFFLE(2, 0, 2, 0));
    _mm_storeu_si128((__m128i *)key, _mm_sub_epi32(keys, _mm_castps_si128(steps)));
    const __m256d between =
        _mm256_and_pd(_mm256_cmp_pd(from, now, _CMP_LT_OQ), _mm256_cmp_pd(now, to, _CMP_LT_OQ));
    return _mm256_movemask_pd(between) == 15;
}

LANE_INLINE guesses load_guesses(const uint32_t *cursors)
{
    return _mm_loadu_si128((const __m128i *)cursors);
}

/* Guesses keys. The maximum turns NaN into 0. */
LANE_INLINE guesses make_guesses(const float *rates, const float *offsets, float time)
{
    const __m128 key =
        _mm_add_ps(_mm_mul_ps(_mm_loadu_ps(rates), _mm_set1_ps(time)), _mm_loadu_ps(offsets));
    return _mm_cvttps_epi32(_mm_min_ps(_mm_max_ps(key, _mm_setzero_ps()), _mm_set1_ps(1e9f)));
}

#include "anim/sample_clip.h"

static void sample_avx2(const mrw_sample_job *job)
{
    sample_clip(job);
}

#include "anim/world_nodes.h"

static void world_avx2(const mrw_world_job *job)
{
    world_nodes(job);
}

const mrwi_anim_pose_kernels mrwi_anim_pose_kernels_avx2 = {sample_avx2, world_avx2, palette_avx2};
