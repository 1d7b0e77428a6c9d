/* flip_lanes.h: MRWI_LANES floats at a time, one source for every width.
 *
 * A kernel file defines MRWI_LANES (1, 4 or 8) and includes this. With 1 the types are plain C;
 * wider ones are GCC/clang vectors, so + - * / work on all of them, and each lane has exactly the
 * bits of the plain C version. Comparisons give 0 or -1 a lane.
 */
#ifndef MRWI_COMPARE_FLIP_LANES_H
#define MRWI_COMPARE_FLIP_LANES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if MRWI_LANES > 1
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#endif

#define LANE_INLINE static inline __attribute__((always_inline, unused))

/* Before short loops of constant length: gcc -O2 leaves them rolled. */
#if defined(__clang__)
#define LANE_UNROLL _Pragma("unroll")
#else
#define LANE_UNROLL _Pragma("GCC unroll 8")
#endif

#if MRWI_LANES == 1
typedef float vf;
typedef int32_t vi;
#else
typedef float vf __attribute__((vector_size(4 * MRWI_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * MRWI_LANES)));
#endif

LANE_INLINE vf vf_load(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

LANE_INLINE void vf_store(float *p, vf v)
{
    memcpy(p, &v, sizeof v);
}

LANE_INLINE vi vf_bits(vf v)
{
    vi bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

LANE_INLINE vf vi_as_float(vi bits)
{
    vf v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#if MRWI_LANES == 1

LANE_INLINE vf vf_set(float v)
{
    return v;
}
LANE_INLINE vi vf_less(vf a, vf b)
{
    return -(a < b);
}
LANE_INLINE vf vi_to_float(vi v)
{
    return (float)v;
}
LANE_INLINE vi vf_truncate(vf v)
{
    return (int32_t)v;
}
LANE_INLINE vf vf_sqrt(vf v)
{
    return sqrtf(v);
}

#else

LANE_INLINE vf vf_set(float v)
{
    return v - (vf){0};
}
LANE_INLINE vi vf_less(vf a, vf b)
{
    return (vi)(a < b);
}
LANE_INLINE vf vi_to_float(vi v)
{
    return __builtin_convertvector(v, vf);
}
LANE_INLINE vi vf_truncate(vf v)
{
    return __builtin_convertvector(v, vi);
}
LANE_INLINE vf vf_sqrt(vf v)
{
#if defined(__x86_64__) && MRWI_LANES == 8
    return (vf)_mm256_sqrt_ps((__m256)v);
#elif defined(__x86_64__)
    return (vf)_mm_sqrt_ps((__m128)v);
#elif defined(__aarch64__)
    return (vf)vsqrtq_f32((float32x4_t)v);
#else
    for (int i = 0; i < MRWI_LANES; i++) {
        v[i] = sqrtf(v[i]);
    }
    return v;
#endif
}

#endif

/* Lanes of a where mask is -1, of b where it is 0. */
LANE_INLINE vf vf_select(vi mask, vf a, vf b)
{
    return vi_as_float((mask & vf_bits(a)) | (~mask & vf_bits(b)));
}

LANE_INLINE vf vf_min(vf a, vf b)
{
    return vf_select(vf_less(a, b), a, b);
}

LANE_INLINE vf vf_max(vf a, vf b)
{
    return vf_select(vf_less(b, a), a, b);
}

LANE_INLINE vf vf_abs(vf v)
{
    return vi_as_float(vf_bits(v) & 0x7FFFFFFF);
}

#endif
