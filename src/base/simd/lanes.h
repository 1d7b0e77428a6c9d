/* lanes.h: MRWI_LANES floats or ints at a time, one source for every width.
 *
 * A kernel file defines MRWI_LANES (1, 4, 8 or 16) and includes this. With 1 the types are plain C;
 * wider ones are GCC/Clang vectors, so + - * / & | << >> work on all of them. Every operation gives
 * in each lane exactly what the plain C version gives; intrinsics stand only where the generic form
 * is slow, and only exact ones.
 *
 *   vf, vi   a float, an int32_t a lane        mask   a vi of 0 and -1
 */
#ifndef MRWI_BASE_SIMD_LANES_H
#define MRWI_BASE_SIMD_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if MRWI_LANES > 1
#if defined(__x86_64__)
#include <immintrin.h>
#else
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

#if MRWI_LANES == 1
typedef float vf;
typedef int32_t vi;
#else
typedef float vf __attribute__((vector_size(4 * MRWI_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * MRWI_LANES)));
#endif

/* Four values a lane: the columns of MRWI_LANES rows. */
typedef struct vf4 {
    vf x, y, z, w;
} vf4;

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

#if MRWI_LANES == 1
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

#if MRWI_LANES == 1
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
#if MRWI_LANES == 1
    return a == b ? -1 : 0;
#else
    return (vi)(a == b);
#endif
}

LANE_INLINE vi vi_select(vi mask, vi a, vi b)
{
    return (mask & a) | (~mask & b);
}

LANE_INLINE vf vf_select(vi mask, vf a, vf b)
{
#if MRWI_LANES == 16
    return (vf)_mm512_mask_mov_ps((__m512)b, _mm512_movepi32_mask((__m512i)mask), (__m512)a);
#elif MRWI_LANES == 8
    return (vf)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#elif MRWI_LANES == 1
    return mask ? a : b;
#else
    return vf_from_bits(vi_select(mask, vf_bits(a), vf_bits(b)));
#endif
}

/* a < b ? a : b, so b when one is NaN. */
LANE_INLINE vf vf_min(vf a, vf b)
{
#if MRWI_LANES == 16
    return (vf)_mm512_min_ps((__m512)a, (__m512)b);
#elif MRWI_LANES == 8
    return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#elif MRWI_LANES == 4 && defined(__SSE2__)
    return (vf)_mm_min_ps((__m128)a, (__m128)b);
#elif MRWI_LANES == 1
    return a < b ? a : b;
#else
    return vf_select(vf_less(a, b), a, b);
#endif
}

/* a > b ? a : b, so b when one is NaN. */
LANE_INLINE vf vf_max(vf a, vf b)
{
#if MRWI_LANES == 16
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#elif MRWI_LANES == 8
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#elif MRWI_LANES == 4 && defined(__SSE2__)
    return (vf)_mm_max_ps((__m128)a, (__m128)b);
#elif MRWI_LANES == 1
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
    return vi_select(vi_less(a, b), a, b);
}

/* True when a lane of the mask is set. */
LANE_INLINE bool mask_any(vi mask)
{
#if MRWI_LANES == 16
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif MRWI_LANES == 8
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#elif MRWI_LANES == 4 && defined(__SSE2__)
    return _mm_movemask_ps((__m128)mask) != 0;
#else
    int32_t lane[MRWI_LANES], any = 0;
    vi_store(lane, mask);
    LANE_UNROLL
    for (int i = 0; i < MRWI_LANES; i++)
        any |= lane[i];
    return any != 0;
#endif
}

/* Bit i is lane i of the mask. */
LANE_INLINE uint32_t mask_bits(vi mask)
{
#if MRWI_LANES == 16
    return _mm512_movepi32_mask((__m512i)mask);
#elif MRWI_LANES == 8
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif MRWI_LANES == 4 && defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif MRWI_LANES == 4
    typedef uint64_t halves __attribute__((vector_size(16)));
    const halves bits = (halves)(mask & (vi){1, 2, 4, 8});
    const uint64_t both = bits[0] | bits[1];
    return (uint32_t)(both | both >> 32);
#else
    return (uint32_t)mask & 1u;
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
#if MRWI_LANES == 1
    return (int32_t)((uint32_t)x << n);
#else
    return x << n;
#endif
}

/* x >> n, zeros coming in. */
LANE_INLINE vi vi_shift_right(vi x, int n)
{
#if MRWI_LANES == 1
    return (int32_t)((uint32_t)x >> n);
#else
    typedef uint32_t unsigned_lanes __attribute__((vector_size(4 * MRWI_LANES)));
    return (vi)((unsigned_lanes)x >> n);
#endif
}

/* The same as floats. */
LANE_INLINE vf lane_floats(void)
{
    static const float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return vf_load(numbers);
}

/* Towards zero; callers clamp to the range of int32_t first. */
LANE_INLINE vi vf_truncate(vf x)
{
#if MRWI_LANES == 1
    return (int32_t)x;
#else
    return __builtin_convertvector(x, vi);
#endif
}

LANE_INLINE vf vi_to_float(vi x)
{
#if MRWI_LANES == 1
    return (float)x;
#else
    return __builtin_convertvector(x, vf);
#endif
}

/* For |x| < 2^31. A zero may come out with either sign. */
LANE_INLINE vf vf_floor(vf x)
{
#if MRWI_LANES == 16
    return (vf)_mm512_floor_ps((__m512)x);
#elif MRWI_LANES == 8
    return (vf)_mm256_floor_ps((__m256)x);
#elif MRWI_LANES == 4 && defined(__aarch64__)
    return (vf)vrndmq_f32((float32x4_t)x);
#else
    vf whole = vi_to_float(vf_truncate(x));
    return whole + vi_to_float(vf_less(x, whole));
#endif
}

LANE_INLINE vf vf_sqrt(vf x)
{
#if MRWI_LANES == 1
    return sqrtf(x);
#elif MRWI_LANES == 16
    return (vf)_mm512_sqrt_ps((__m512)x);
#elif MRWI_LANES == 8
    return (vf)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__)
    return (vf)_mm_sqrt_ps((__m128)x);
#else
    return (vf)vsqrtq_f32((float32x4_t)x);
#endif
}

/* ---- rows and columns ------------------------------------------------------------------------ */

#if MRWI_LANES > 1
typedef float row4 __attribute__((vector_size(16)));

LANE_INLINE row4 row_load(const void *p)
{
    row4 v;
    memcpy(&v, p, sizeof v);
    return v;
}
#endif

/* The 4x4 transpose of each 16-byte part, which is its own inverse. */
#if MRWI_LANES == 16
LANE_INLINE vf4 transpose_parts(vf a, vf b, vf c, vf d)
{
    __m512 ab_low = _mm512_unpacklo_ps((__m512)a, (__m512)b);
    __m512 ab_high = _mm512_unpackhi_ps((__m512)a, (__m512)b);
    __m512 cd_low = _mm512_unpacklo_ps((__m512)c, (__m512)d);
    __m512 cd_high = _mm512_unpackhi_ps((__m512)c, (__m512)d);
    return (vf4){(vf)_mm512_shuffle_ps(ab_low, cd_low, _MM_SHUFFLE(1, 0, 1, 0)),
                 (vf)_mm512_shuffle_ps(ab_low, cd_low, _MM_SHUFFLE(3, 2, 3, 2)),
                 (vf)_mm512_shuffle_ps(ab_high, cd_high, _MM_SHUFFLE(1, 0, 1, 0)),
                 (vf)_mm512_shuffle_ps(ab_high, cd_high, _MM_SHUFFLE(3, 2, 3, 2))};
}

/* Four rows, one after another. */
LANE_INLINE vf row_load_four(const void *a, const void *b, const void *c, const void *d)
{
    __m512 v = _mm512_castps128_ps512((__m128)row_load(a));
    v = _mm512_insertf32x4(v, (__m128)row_load(b), 1);
    v = _mm512_insertf32x4(v, (__m128)row_load(c), 2);
    return (vf)_mm512_insertf32x4(v, (__m128)row_load(d), 3);
}

/* Two rows of eight. */
LANE_INLINE vf row_load_eight(const float *a, const float *b)
{
    return (vf)_mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(a)), _mm256_loadu_ps(b),
                                  1);
}

LANE_INLINE vf even_parts(vf a, vf b)
{
    return (vf)_mm512_shuffle_f32x4((__m512)a, (__m512)b, _MM_SHUFFLE(2, 0, 2, 0));
}
LANE_INLINE vf odd_parts(vf a, vf b)
{
    return (vf)_mm512_shuffle_f32x4((__m512)a, (__m512)b, _MM_SHUFFLE(3, 1, 3, 1));
}
#elif MRWI_LANES == 8
LANE_INLINE vf4 transpose_parts(vf a, vf b, vf c, vf d)
{
    vf ab_low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    vf ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    vf cd_low = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    vf cd_high = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    return (vf4){__builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13),
                 __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15),
                 __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13),
                 __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15)};
}

LANE_INLINE vf row_load_two(const void *low, const void *high)
{
    return __builtin_shufflevector(row_load(low), row_load(high), 0, 1, 2, 3, 4, 5, 6, 7);
}
#elif MRWI_LANES == 4
LANE_INLINE vf4 transpose_parts(vf a, vf b, vf c, vf d)
{
    vf ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    vf ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    vf cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    vf cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return (vf4){__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                 __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                 __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                 __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
}
#endif

/* Loads 16 bytes a lane and transposes: lane i of .x is the first float of row[i]. Faster by a
 * quarter than gathers. */
LANE_INLINE vf4 vf4_load_rows(const void *const row[MRWI_LANES])
{
#if MRWI_LANES == 1
    vf4 v;
    memcpy(&v, row[0], sizeof v);
    return v;
#elif MRWI_LANES == 4
    return transpose_parts(row_load(row[0]), row_load(row[1]), row_load(row[2]), row_load(row[3]));
#elif MRWI_LANES == 16
    return transpose_parts(row_load_four(row[0], row[4], row[8], row[12]),
                           row_load_four(row[1], row[5], row[9], row[13]),
                           row_load_four(row[2], row[6], row[10], row[14]),
                           row_load_four(row[3], row[7], row[11], row[15]));
#else
    return transpose_parts(row_load_two(row[0], row[4]), row_load_two(row[1], row[5]),
                           row_load_two(row[2], row[6]), row_load_two(row[3], row[7]));
#endif
}

/* Loads 32 bytes a lane: lane i of low.x is the first float of row[i], of high.x its fifth. */
LANE_INLINE void vf8_load_rows(const void *const row[MRWI_LANES], vf4 *low, vf4 *high)
{
#if MRWI_LANES == 16
    /* Rows in whole, two a register, four lanes apart: half the loads of the way below. */
    vf4 t[2];
    LANE_UNROLL
    for (int k = 0; k < 2; k++) {
        const void *const *r = row + 8 * k;
        t[k] = transpose_parts(row_load_eight(r[0], r[4]), row_load_eight(r[1], r[5]),
                               row_load_eight(r[2], r[6]), row_load_eight(r[3], r[7]));
    }
    *low = (vf4){even_parts(t[0].x, t[1].x), even_parts(t[0].y, t[1].y), even_parts(t[0].z, t[1].z),
                 even_parts(t[0].w, t[1].w)};
    *high = (vf4){odd_parts(t[0].x, t[1].x), odd_parts(t[0].y, t[1].y), odd_parts(t[0].z, t[1].z),
                  odd_parts(t[0].w, t[1].w)};
#else
    const void *second[MRWI_LANES];
    LANE_UNROLL
    for (int i = 0; i < MRWI_LANES; i++)
        second[i] = (const char *)row[i] + 16;
    *low = vf4_load_rows(row);
    *high = vf4_load_rows(second);
#endif
}

/* The inverse of vf4_load_rows: row[i] gets lane i of x, y, z, w. */
LANE_INLINE void vf4_store_rows(void *const row[MRWI_LANES], vf4 v)
{
#if MRWI_LANES == 1
    memcpy(row[0], &v, sizeof v);
#else
    vf4 t = transpose_parts(v.x, v.y, v.z, v.w);
    const vf column[4] = {t.x, t.y, t.z, t.w};
    LANE_UNROLL
    for (int i = 0; i < 4; i++) {
#if MRWI_LANES == 16
        _mm_storeu_ps(row[i], _mm512_castps512_ps128((__m512)column[i]));
        _mm_storeu_ps(row[i + 4], _mm512_extractf32x4_ps((__m512)column[i], 1));
        _mm_storeu_ps(row[i + 8], _mm512_extractf32x4_ps((__m512)column[i], 2));
        _mm_storeu_ps(row[i + 12], _mm512_extractf32x4_ps((__m512)column[i], 3));
#else
        memcpy(row[i], &column[i], sizeof(row4));
#if MRWI_LANES == 8
        memcpy(row[i + 4], (const char *)&column[i] + sizeof(row4), sizeof(row4));
#endif
#endif
    }
#endif
}

/* ---- edge functions -------------------------------------------------------------------------- */

/* The edge functions of a triangle with the sides a and b at p, all relative to corner 0: the
 * double area a x b, then e0 + e1 + e2 = area. Coordinates are whole sub-pixels below 2^24, so that
 * all is exact but for one rounding, to float, in pixels. In float a sliver's area would be lost to
 * cancellation. */
typedef struct edge_values {
    vf area, e0, e1, e2;
} edge_values;

#define SQUARE_SUBPIXEL 0x1p-16f

#if MRWI_LANES == 1
typedef double vd;
#else
typedef double vd __attribute__((vector_size(4 * MRWI_LANES))); /* half the lanes */
#endif

#if MRWI_LANES == 1
LANE_INLINE edge_values edge_functions(vi ax, vi ay, vi bx, vi by, vi px, vi py)
{
    int64_t area = (int64_t)ax * by - (int64_t)bx * ay;
    int64_t e1 = (int64_t)px * by - (int64_t)bx * py, e2 = (int64_t)ax * py - (int64_t)px * ay;
    return (edge_values){(float)area * SQUARE_SUBPIXEL, (float)(area - e1 - e2) * SQUARE_SUBPIXEL,
                         (float)e1 * SQUARE_SUBPIXEL, (float)e2 * SQUARE_SUBPIXEL};
}
#else
#if MRWI_LANES == 16
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
#elif MRWI_LANES == 8
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
    row4 a = (row4)_mm256_cvtpd_ps((__m256d)low), b = (row4)_mm256_cvtpd_ps((__m256d)high);
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
#else
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

typedef struct edge_doubles {
    vd area, e0, e1, e2;
} edge_doubles;

LANE_INLINE edge_doubles edge_functions_double(vd ax, vd ay, vd bx, vd by, vd px, vd py)
{
    vd area = ax * by - bx * ay, e1 = px * by - bx * py, e2 = ax * py - px * ay;
    return (edge_doubles){area, area - e1 - e2, e1, e2};
}

LANE_INLINE edge_values edge_functions(vi ax, vi ay, vi bx, vi by, vi px, vi py)
{
    edge_doubles low =
        edge_functions_double(vi_low_double(ax), vi_low_double(ay), vi_low_double(bx),
                              vi_low_double(by), vi_low_double(px), vi_low_double(py));
    edge_doubles high =
        edge_functions_double(vi_high_double(ax), vi_high_double(ay), vi_high_double(bx),
                              vi_high_double(by), vi_high_double(px), vi_high_double(py));
    return (edge_values){
        vf_join(low.area, high.area) * SQUARE_SUBPIXEL, vf_join(low.e0, high.e0) * SQUARE_SUBPIXEL,
        vf_join(low.e1, high.e1) * SQUARE_SUBPIXEL, vf_join(low.e2, high.e2) * SQUARE_SUBPIXEL};
}

/* The same for coordinates of -2^14 ... 2^14 - 1, whose results fit 32 bits: two products and their
 * sum are one instruction. Pairs of coordinates share a lane. */
typedef struct near_edges {
    vi edge_1; /* (by, -bx) */
    vi edge_2; /* (-ay, ax) */
    vi area;
} near_edges;

/* Not 0 where a coordinate is farther. */
LANE_INLINE vi beyond_near(vi x)
{
    return (x + (1 << 14)) & ~((1 << 15) - 1);
}

LANE_INLINE vi pair_of(vi x, vi y)
{
    return (x & 0xffff) | vi_shift_left(y, 16);
}

/* a.x * b.x + a.y * b.y */
LANE_INLINE vi pair_dot(vi a, vi b)
{
#if MRWI_LANES == 16
    return (vi)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif MRWI_LANES == 8
    return (vi)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif MRWI_LANES == 4 && defined(__SSE2__)
    return (vi)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif MRWI_LANES == 4
    const int16x8_t s = (int16x8_t)a, t = (int16x8_t)b;
    return (vi)vpaddq_s32(vmull_s16(vget_low_s16(s), vget_low_s16(t)), vmull_high_s16(s, t));
#endif
}

/* Of sides that are farther, anything. */
LANE_INLINE near_edges near_edges_of(vi ax, vi ay, vi bx, vi by)
{
    const vi edge_1 = pair_of(by, -bx), edge_2 = pair_of(-ay, ax);
    return (near_edges){edge_1, edge_2, pair_dot(pair_of(ax, ay), edge_1)};
}

LANE_INLINE edge_values edge_functions_near(const near_edges *e, vi px, vi py)
{
    const vi p = pair_of(px, py), e1 = pair_dot(p, e->edge_1), e2 = pair_dot(p, e->edge_2);
    return (edge_values){vi_to_float(e->area) * SQUARE_SUBPIXEL,
                         vi_to_float(e->area - e1 - e2) * SQUARE_SUBPIXEL,
                         vi_to_float(e1) * SQUARE_SUBPIXEL, vi_to_float(e2) * SQUARE_SUBPIXEL};
}
#endif

#endif
