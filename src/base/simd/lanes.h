/* lanes.h: MRWI_BASE_LANES floats or ints at a time, one source for every instruction set.
 *
 * A kernel file defines MRWI_BASE_LANES and includes this, or rows.h, which goes on from here:
 *
 *   MRWI_BASE_LANES   1 plain C    4 SSE2, NEON    8 AVX2    16 AVX-512
 *
 * With 1 the types are numbers of C; wider ones are GCC/Clang vectors, so + - * / & | << >> and
 * comparisons work on all of them. Every operation gives in each lane exactly what the plain C
 * version gives; intrinsics stand only where the generic form is slow, and only exact ones.
 *
 *   vf, vi   a float, an int32_t a lane
 *   vd       a double for each lane of one half: the lower, or the upper
 *   mask     a vi of 0 and -1
 *
 * What only one room needs is on top of this, in its own header. Files that are not built once an
 * instruction set use f4.h, four lanes everywhere.
 */
#ifndef MRWI_BASE_SIMD_LANES_H
#define MRWI_BASE_SIMD_LANES_H

#include "base/simd/f4.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if MRWI_BASE_LANES != 1 && MRWI_BASE_LANES != 4 && MRWI_BASE_LANES != 8 && MRWI_BASE_LANES != 16
#error "define MRWI_BASE_LANES as 1, 4, 8 or 16 before this is included"
#endif

#if MRWI_BASE_LANES > 1
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#endif

#define LANE_INLINE static inline __attribute__((always_inline, unused))

/* Before short loops of constant length: gcc -O2 leaves them rolled, which costs a third. */
#if defined(__clang__)
#define LANE_UNROLL _Pragma("unroll")
#else
#define LANE_UNROLL _Pragma("GCC unroll 16")
#endif

#if MRWI_BASE_LANES == 1
typedef float vf;
typedef int32_t vi;
#else
typedef float vf __attribute__((vector_size(4 * MRWI_BASE_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * MRWI_BASE_LANES)));
#endif

/* ---- memory ---------------------------------------------------------------------------------- */

LANE_INLINE vf vf_load(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

LANE_INLINE vi vi_load(const void *p)
{
    vi v;
    memcpy(&v, p, sizeof v);
    return v;
}

LANE_INLINE void vf_store(float *p, vf v)
{
    memcpy(p, &v, sizeof v);
}

LANE_INLINE void vi_store(int32_t *p, vi v)
{
    memcpy(p, &v, sizeof v);
}

LANE_INLINE vi vf_bits(vf v)
{
    vi bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

LANE_INLINE vf vf_from_bits(vi bits)
{
    vf v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#if MRWI_BASE_LANES == 1
LANE_INLINE vf vf_set(float x)
{
    return x;
}
LANE_INLINE vi vi_set(int32_t x)
{
    return x;
}
#else
/* x - 0 is x for every float, -0 included. */
LANE_INLINE vf vf_set(float x)
{
    return x - (vf){0};
}
LANE_INLINE vi vi_set(int32_t x)
{
    return x - (vi){0};
}
#endif

/* ---- comparisons and choice ------------------------------------------------------------------ */

#if MRWI_BASE_LANES == 1
LANE_INLINE vi vf_less(vf a, vf b)
{
    return a < b ? -1 : 0;
}
LANE_INLINE vi vi_less(vi a, vi b)
{
    return a < b ? -1 : 0;
}
#else
LANE_INLINE vi vf_less(vf a, vf b)
{
    return (vi)(a < b);
}
LANE_INLINE vi vi_less(vi a, vi b)
{
    return (vi)(a < b);
}
#endif

LANE_INLINE vi vf_equal(vf a, vf b)
{
#if MRWI_BASE_LANES == 1
    return a == b ? -1 : 0;
#else
    return (vi)(a == b);
#endif
}

LANE_INLINE vi vi_equal(vi a, vi b)
{
#if MRWI_BASE_LANES == 1
    return a == b ? -1 : 0;
#else
    return (vi)(a == b);
#endif
}

/* -1 where a >= b; 0 where one is NaN. */
LANE_INLINE vi vf_at_least(vf a, vf b)
{
#if MRWI_BASE_LANES == 1
    return a >= b ? -1 : 0;
#else
    return (vi)(a >= b);
#endif
}

/* Lanes of a where the mask is -1, of b where it is 0. */
LANE_INLINE vi vi_select(vi mask, vi a, vi b)
{
    return (mask & a) | (~mask & b);
}

LANE_INLINE vf vf_select(vi mask, vf a, vf b)
{
#if MRWI_BASE_LANES == 16
    return (vf)_mm512_mask_mov_ps((__m512)b, _mm512_movepi32_mask((__m512i)mask), (__m512)a);
#elif MRWI_BASE_LANES == 8
    return (vf)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#elif MRWI_BASE_LANES == 1
    return mask ? a : b;
#else
    return vf_from_bits(vi_select(mask, vf_bits(a), vf_bits(b)));
#endif
}

/* v where the mask is -1, else +0. */
LANE_INLINE vf vf_keep(vi mask, vf v)
{
#if MRWI_BASE_LANES == 16
    return (vf)_mm512_maskz_mov_ps(_mm512_movepi32_mask((__m512i)mask), (__m512)v);
#else
    return vf_from_bits(mask & vf_bits(v));
#endif
}

/* a < b ? a : b, so b when one is NaN. */
LANE_INLINE vf vf_min(vf a, vf b)
{
#if MRWI_BASE_LANES == 16
    return (vf)_mm512_min_ps((__m512)a, (__m512)b);
#elif MRWI_BASE_LANES == 8
    return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#elif MRWI_BASE_LANES == 4 && defined(__SSE2__)
    return (vf)_mm_min_ps((__m128)a, (__m128)b);
#elif MRWI_BASE_LANES == 1
    return a < b ? a : b;
#else
    return vf_select(vf_less(a, b), a, b);
#endif
}

/* a > b ? a : b, so b when one is NaN. */
LANE_INLINE vf vf_max(vf a, vf b)
{
#if MRWI_BASE_LANES == 16
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#elif MRWI_BASE_LANES == 8
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#elif MRWI_BASE_LANES == 4 && defined(__SSE2__)
    return (vf)_mm_max_ps((__m128)a, (__m128)b);
#elif MRWI_BASE_LANES == 1
    return a > b ? a : b;
#else
    return vf_select(vf_less(b, a), a, b);
#endif
}

/* NaN gives lo. */
LANE_INLINE vf vf_clamp(vf x, float lo, float hi)
{
    return vf_min(vf_max(x, vf_set(lo)), vf_set(hi));
}

LANE_INLINE vi vi_min(vi a, vi b)
{
#if MRWI_BASE_LANES == 16
    return (vi)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif MRWI_BASE_LANES == 8
    return (vi)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    return vi_select(vi_less(a, b), a, b);
#endif
}

LANE_INLINE vi vi_max(vi a, vi b)
{
#if MRWI_BASE_LANES == 16
    return (vi)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif MRWI_BASE_LANES == 8
    return (vi)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
    return vi_select(vi_less(b, a), a, b);
#endif
}

/* True when a lane of the mask is set. */
LANE_INLINE bool mask_any(vi mask)
{
#if MRWI_BASE_LANES == 16
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif MRWI_BASE_LANES == 8
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#elif MRWI_BASE_LANES == 4 && defined(__SSE2__)
    return _mm_movemask_ps((__m128)mask) != 0;
#else
    int32_t lane[MRWI_BASE_LANES], any = 0;
    vi_store(lane, mask);
    LANE_UNROLL
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        any |= lane[i];
    }
    return any != 0;
#endif
}

/* Bit i is lane i of the mask. */
LANE_INLINE uint32_t mask_bits(vi mask)
{
#if MRWI_BASE_LANES == 16
    return _mm512_movepi32_mask((__m512i)mask);
#elif MRWI_BASE_LANES == 8
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif MRWI_BASE_LANES == 4 && defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif MRWI_BASE_LANES == 4
    typedef uint64_t halves __attribute__((vector_size(16)));
    const halves bits = (halves)(mask & (vi){1, 2, 4, 8});
    const uint64_t both = bits[0] | bits[1];
    return (uint32_t)(both | both >> 32);
#else
    return (uint32_t)mask & 1u;
#endif
}

/* Bits set, of MRWI_BASE_LANES: not all of these instruction sets can count. */
LANE_INLINE uint32_t bit_count(uint32_t bits)
{
#if MRWI_BASE_LANES >= 8
    return (uint32_t)__builtin_popcount(bits);
#else
    return (uint32_t)(0x4332322132212110ull >> 4 * bits) & 15u;
#endif
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* 0, 1, 2, ... */
LANE_INLINE vi lane_numbers(void)
{
    static const int32_t numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return vi_load(numbers);
}

/* x << n, for results beyond the sign, too. */
LANE_INLINE vi vi_shift_left(vi x, int n)
{
#if MRWI_BASE_LANES == 1
    return (int32_t)((uint32_t)x << n);
#else
    return x << n;
#endif
}

/* x >> n, zeros coming in. */
LANE_INLINE vi vi_shift_right(vi x, int n)
{
#if MRWI_BASE_LANES == 1
    return (int32_t)((uint32_t)x >> n);
#else
    typedef uint32_t unsigned_lanes __attribute__((vector_size(4 * MRWI_BASE_LANES)));
    return (vi)((unsigned_lanes)x >> n);
#endif
}

/* The same as floats. */
LANE_INLINE vf lane_floats(void)
{
    static const float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return vf_load(numbers);
}

LANE_INLINE vf vf_abs(vf v)
{
    return vf_from_bits(vf_bits(v) & INT32_MAX);
}

/* Towards zero; callers clamp to the range of int32_t first. */
LANE_INLINE vi vf_truncate(vf x)
{
#if MRWI_BASE_LANES == 1
    return (int32_t)x;
#else
    return __builtin_convertvector(x, vi);
#endif
}

LANE_INLINE vf vi_to_float(vi x)
{
#if MRWI_BASE_LANES == 1
    return (float)x;
#else
    return __builtin_convertvector(x, vf);
#endif
}

/* For |x| < 2^31. A zero may come out with either sign. */
LANE_INLINE vf vf_floor(vf x)
{
#if MRWI_BASE_LANES == 16
    return (vf)_mm512_floor_ps((__m512)x);
#elif MRWI_BASE_LANES == 8
    return (vf)_mm256_floor_ps((__m256)x);
#elif MRWI_BASE_LANES == 4 && defined(__aarch64__)
    return (vf)vrndmq_f32((float32x4_t)x);
#else
    vf whole = vi_to_float(vf_truncate(x));
    return whole + vi_to_float(vf_less(x, whole));
#endif
}

LANE_INLINE vf vf_sqrt(vf x)
{
#if MRWI_BASE_LANES == 1
    return sqrtf(x);
#elif MRWI_BASE_LANES == 16
    return (vf)_mm512_sqrt_ps((__m512)x);
#elif MRWI_BASE_LANES == 8
    return (vf)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__)
    return (vf)_mm_sqrt_ps((__m128)x);
#elif defined(__aarch64__)
    return (vf)vsqrtq_f32((float32x4_t)x);
#else
    return (vf){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])};
#endif
}

/* ---- doubles --------------------------------------------------------------------------------- */

#if MRWI_BASE_LANES == 1
typedef double vd;
#else
typedef double vd __attribute__((vector_size(4 * MRWI_BASE_LANES))); /* half the lanes */
#endif

#if MRWI_BASE_LANES > 1
/* Both halves of the lanes, widened; and two halves rounded and put together. */
#if MRWI_BASE_LANES == 16
LANE_INLINE vd vi_low_double(vi v)
{
    return (vd)_mm512_cvtepi32_pd(_mm512_castsi512_si256((__m512i)v));
}
LANE_INLINE vd vi_high_double(vi v)
{
    return (vd)_mm512_cvtepi32_pd(_mm512_extracti32x8_epi32((__m512i)v, 1));
}
LANE_INLINE vd vd_low(vf v)
{
    return (vd)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)v));
}
LANE_INLINE vd vd_high(vf v)
{
    return (vd)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)v, 1));
}
LANE_INLINE vf vf_join(vd low, vd high)
{
    __m256 a = _mm512_cvtpd_ps((__m512d)low), b = _mm512_cvtpd_ps((__m512d)high);
    return (vf)_mm512_insertf32x8(_mm512_castps256_ps512(a), b, 1);
}
#elif MRWI_BASE_LANES == 8
LANE_INLINE vd vi_low_double(vi v)
{
    return (vd)_mm256_cvtepi32_pd(_mm256_castsi256_si128((__m256i)v));
}
LANE_INLINE vd vi_high_double(vi v)
{
    return (vd)_mm256_cvtepi32_pd(_mm256_extracti128_si256((__m256i)v, 1));
}
LANE_INLINE vd vd_low(vf v)
{
    return (vd)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)v));
}
LANE_INLINE vd vd_high(vf v)
{
    return (vd)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)v, 1));
}
LANE_INLINE vf vf_join(vd low, vd high)
{
    mrwi_base_f4 a = (mrwi_base_f4)_mm256_cvtpd_ps((__m256d)low),
                 b = (mrwi_base_f4)_mm256_cvtpd_ps((__m256d)high);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
#elif defined(__SSE2__)
LANE_INLINE vd vi_low_double(vi v)
{
    return (vd)_mm_cvtepi32_pd((__m128i)v);
}
LANE_INLINE vd vi_high_double(vi v)
{
    return (vd)_mm_cvtepi32_pd(_mm_unpackhi_epi64((__m128i)v, (__m128i)v));
}
LANE_INLINE vd vd_low(vf v)
{
    return (vd)_mm_cvtps_pd((__m128)v);
}
LANE_INLINE vd vd_high(vf v)
{
    return (vd)_mm_cvtps_pd(_mm_movehl_ps((__m128)v, (__m128)v));
}
LANE_INLINE vf vf_join(vd low, vd high)
{
    return (vf)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)low), _mm_cvtpd_ps((__m128d)high));
}
#elif defined(__aarch64__)
LANE_INLINE vd vi_low_double(vi v)
{
    return (vd)vcvtq_f64_s64(vmovl_s32(vget_low_s32((int32x4_t)v)));
}
LANE_INLINE vd vi_high_double(vi v)
{
    return (vd)vcvtq_f64_s64(vmovl_high_s32((int32x4_t)v));
}
LANE_INLINE vd vd_low(vf v)
{
    return (vd)vcvt_f64_f32(vget_low_f32((float32x4_t)v));
}
LANE_INLINE vd vd_high(vf v)
{
    return (vd)vcvt_high_f64_f32((float32x4_t)v);
}
LANE_INLINE vf vf_join(vd low, vd high)
{
    return (vf)vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)low), (float64x2_t)high);
}
#endif
#endif

#endif
