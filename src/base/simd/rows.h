/* rows.h: rows in memory <-> columns in lanes: 8, 16 or 32 bytes a lane, loaded whole and
 * transposed; for 4 lanes or more. */
#ifndef MRWI_BASE_SIMD_ROWS_H
#define MRWI_BASE_SIMD_ROWS_H

#include "base/simd/f4.h"
#include "base/simd/lanes.h"

/* Four values a lane: the columns of MRWI_BASE_LANES rows. */
typedef struct vf4 {
    vf x, y, z, w;
} vf4;

/* Two values a lane. */
typedef struct vf2 {
    vf x, y;
} vf2;

/* The 4x4 transpose of each 16-byte part, which is its own inverse. */
#if MRWI_BASE_LANES == 16
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

/* Two rows, one after another. */
LANE_INLINE __m256 row_load_two(const void *a, const void *b)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)mrwi_base_f4_load(a)),
                                (__m128)mrwi_base_f4_load(b), 1);
}

/* Four of them: by halves, which wait less for one another than parts do. */
LANE_INLINE vf row_load_four(const void *a, const void *b, const void *c, const void *d)
{
    return (vf)_mm512_insertf32x8(_mm512_castps256_ps512(row_load_two(a, b)), row_load_two(c, d),
                                  1);
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
#elif MRWI_BASE_LANES == 8
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
    return __builtin_shufflevector(mrwi_base_f4_load(low), mrwi_base_f4_load(high), 0, 1, 2, 3, 4,
                                   5, 6, 7);
}
#elif MRWI_BASE_LANES == 4
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
LANE_INLINE vf4 vf4_load_rows(const void *const row[MRWI_BASE_LANES])
{
#if MRWI_BASE_LANES == 4
    return transpose_parts(mrwi_base_f4_load(row[0]), mrwi_base_f4_load(row[1]),
                           mrwi_base_f4_load(row[2]), mrwi_base_f4_load(row[3]));
#elif MRWI_BASE_LANES == 16
    return transpose_parts(row_load_four(row[0], row[4], row[8], row[12]),
                           row_load_four(row[1], row[5], row[9], row[13]),
                           row_load_four(row[2], row[6], row[10], row[14]),
                           row_load_four(row[3], row[7], row[11], row[15]));
#else
    return transpose_parts(row_load_two(row[0], row[4]), row_load_two(row[1], row[5]),
                           row_load_two(row[2], row[6]), row_load_two(row[3], row[7]));
#endif
}

/* Rows of 8 bytes: that of a, then that of b. */
LANE_INLINE mrwi_base_f4 row_load_pair(const void *a, const void *b)
{
    typedef double halves __attribute__((vector_size(16))); /* gcc moves integers twice */
    double low, high;
    memcpy(&low, a, sizeof low);
    memcpy(&high, b, sizeof high);
    return (mrwi_base_f4)(halves){low, high};
}

/* Four times two rows, four lanes apart. */
LANE_INLINE vf row_load_pairs(const void *const *row)
{
    const mrwi_base_f4 first = row_load_pair(row[0], row[1]);
#if MRWI_BASE_LANES == 4
    return first;
#else
    const mrwi_base_f4 second = row_load_pair(row[4], row[5]);
#if MRWI_BASE_LANES == 8
    return __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    const __m128 third = (__m128)row_load_pair(row[8], row[9]);
    const __m128 fourth = (__m128)row_load_pair(row[12], row[13]);
    const __m256 low = _mm256_set_m128((__m128)second, (__m128)first);
    return (vf)_mm512_insertf32x8(_mm512_castps256_ps512(low), _mm256_set_m128(fourth, third), 1);
#endif
#endif
}

/* Loads 8 bytes a lane: lane i of .x is the first float of row[i]. */
LANE_INLINE vf2 vf2_load_rows(const void *const row[MRWI_BASE_LANES])
{
    const vf a = row_load_pairs(row), b = row_load_pairs(row + 2);
#if MRWI_BASE_LANES == 4
    return (vf2){__builtin_shufflevector(a, b, 0, 2, 4, 6),
                 __builtin_shufflevector(a, b, 1, 3, 5, 7)};
#elif MRWI_BASE_LANES == 8
    return (vf2){__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14),
                 __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)};
#else
    return (vf2){(vf)_mm512_shuffle_ps((__m512)a, (__m512)b, _MM_SHUFFLE(2, 0, 2, 0)),
                 (vf)_mm512_shuffle_ps((__m512)a, (__m512)b, _MM_SHUFFLE(3, 1, 3, 1))};
#endif
}

/* Loads 32 bytes a lane: lane i of low.x is the first float of row[i], of high.x its fifth. */
LANE_INLINE void vf8_load_rows(const void *const row[MRWI_BASE_LANES], vf4 *low, vf4 *high)
{
#if MRWI_BASE_LANES == 16
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
    const void *second[MRWI_BASE_LANES];
    LANE_UNROLL
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        second[i] = (const char *)row[i] + 16;
    }
    *low = vf4_load_rows(row);
    *high = vf4_load_rows(second);
#endif
}

/* The inverse of vf4_load_rows: row[i] gets lane i of x, y, z, w. */
LANE_INLINE void vf4_store_rows(void *const row[MRWI_BASE_LANES], vf4 v)
{
    vf4 t = transpose_parts(v.x, v.y, v.z, v.w);
    const vf column[4] = {t.x, t.y, t.z, t.w};
    LANE_UNROLL
    for (int i = 0; i < 4; i++) {
#if MRWI_BASE_LANES == 16
        _mm_storeu_ps(row[i], _mm512_castps512_ps128((__m512)column[i]));
        _mm_storeu_ps(row[i + 4], _mm512_extractf32x4_ps((__m512)column[i], 1));
        _mm_storeu_ps(row[i + 8], _mm512_extractf32x4_ps((__m512)column[i], 2));
        _mm_storeu_ps(row[i + 12], _mm512_extractf32x4_ps((__m512)column[i], 3));
#else
        memcpy(row[i], &column[i], sizeof(mrwi_base_f4));
#if MRWI_BASE_LANES == 8
        memcpy(row[i + 4], (const char *)&column[i] + sizeof(mrwi_base_f4), sizeof(mrwi_base_f4));
#endif
#endif
    }
}

#endif
