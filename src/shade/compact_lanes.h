/* compact_lanes.h: compaction of the lanes that a mask selects; look-ups and bytes. */
#ifndef MRWI_SHADE_COMPACT_LANES_H
#define MRWI_SHADE_COMPACT_LANES_H

#include "base/simd/lanes.h"
#include "shade/shade_isa.h"

/* The order that moves the lanes of a mask to the front and keeps their order. */
#if MRWI_BASE_LANES == 8
typedef vi lane_order;
LANE_INLINE lane_order order_of(vi mask)
{
    const uint8_t *order = mrwi_shade_lane_order[mask_bits(mask)];
    return (vi)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)order));
}
#else
typedef uint32_t lane_order;
LANE_INLINE lane_order order_of(vi mask)
{
    return mask_bits(mask);
}
#endif

/* Stores the selected lanes one behind the other. Up to MRWI_BASE_LANES entries may be written. */
LANE_INLINE void vi_store_ordered(void *out, vi v, lane_order order)
{
#if MRWI_BASE_LANES == 16
    vi front = (vi)_mm512_maskz_compress_epi32((__mmask16)order, (__m512i)v);
    memcpy(out, &front, sizeof front);
#elif MRWI_BASE_LANES == 8
    vi front = (vi)_mm256_permutevar8x32_epi32((__m256i)v, (__m256i)order);
    memcpy(out, &front, sizeof front);
#else
    int32_t *to = out;
    if (order == 15u) {
        memcpy(to, &v, sizeof v);
        return;
    }
    LANE_UNROLL
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        *to = v[i];
        to += order >> i & 1u;
    }
#endif
}

LANE_INLINE void vf_store_ordered(float *out, vf v, lane_order order)
{
    vi_store_ordered(out, vf_bits(v), order);
}

/* Returns, for each selected lane, the number of selected lanes before it. Other lanes may hold
 * anything. */
LANE_INLINE vi rank_of(vi mask)
{
#if MRWI_BASE_LANES == 16
    const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return (vi)_mm512_maskz_expand_epi32((__mmask16)mask_bits(mask), numbers);
#elif MRWI_BASE_LANES == 8
    const uint8_t *rank = mrwi_shade_lane_rank[mask_bits(mask)];
    return (vi)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)rank));
#else
    return (vi){0, -mask[0], -mask[0] - mask[1], -mask[0] - mask[1] - mask[2]};
#endif
}

/* Without optimisation, gathers are macros whose constant mask triggers -Wsign-conversion. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/* Returns table[index], per lane. */
LANE_INLINE vi vi_look_up(const uint32_t *table, vi index)
{
#if MRWI_BASE_LANES == 16
    return (vi)_mm512_i32gather_epi32((__m512i)index, table, 4);
#elif MRWI_BASE_LANES == 8
    return (vi)_mm256_i32gather_epi32((const int *)table, (__m256i)index, 4);
#else
    return (vi){(int32_t)table[index[0]], (int32_t)table[index[1]], (int32_t)table[index[2]],
                (int32_t)table[index[3]]};
#endif
}

/* The index of one of MRWI_BASE_LANES values for each lane: 0 ... MRWI_BASE_LANES - 1. */
#if MRWI_BASE_LANES == 4 && defined(__aarch64__)
typedef uint8x16_t lane_index;
LANE_INLINE lane_index lane_index_of(vi index)
{
    return (uint8x16_t)(index * 0x04040404 + 0x03020100);
}
#else
typedef vi lane_index;
LANE_INLINE lane_index lane_index_of(vi index)
{
    return index;
}
#endif

/* Returns from[index], per lane. All MRWI_BASE_LANES values must be readable. */
LANE_INLINE vf vf_permute(const float *from, lane_index index)
{
#if MRWI_BASE_LANES == 16
    return (vf)_mm512_permutexvar_ps((__m512i)index, _mm512_loadu_ps(from));
#elif MRWI_BASE_LANES == 8
    return (vf)_mm256_permutevar8x32_ps(_mm256_loadu_ps(from), (__m256i)index);
#elif MRWI_BASE_LANES == 4 && defined(__aarch64__)
    return (vf)vqtbl1q_u8(vld1q_u8((const uint8_t *)from), index);
#else
    return (vf){from[index[0]], from[index[1]], from[index[2]], from[index[3]]};
#endif
}

#if MRWI_BASE_LANES == 16
LANE_INLINE vf vf_permute_lanes(vf from, vi index)
{
    return (vf)_mm512_permutexvar_ps((__m512i)index, (__m512)from);
}
#else
LANE_INLINE int32_t vi_first(vi v)
{
    int32_t lane[MRWI_BASE_LANES];
    vi_store(lane, v);
    return lane[0];
}
#endif

/* Stores the three low bytes of each lane one behind the other: 3 * MRWI_BASE_LANES bytes. */
LANE_INLINE void vi_store_3_bytes(uint8_t *out, vi v)
{
#if MRWI_BASE_LANES == 16
    const __m512i front = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    __m512i parts = _mm512_shuffle_epi8((__m512i)v, front);
    _mm512_mask_storeu_epi32(out, 0x0fff, _mm512_maskz_compress_epi32(0x7777, parts));
#elif MRWI_BASE_LANES == 8
    const __m256i front = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    __m256i parts = _mm256_shuffle_epi8((__m256i)v, front);
    parts = _mm256_permutevar8x32_epi32(parts, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7));
    _mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(parts));
    _mm_storel_epi64((__m128i *)(void *)(out + 16), _mm256_extracti128_si256(parts, 1));
#else
    const uint32_t a = (uint32_t)v[0], b = (uint32_t)v[1], c = (uint32_t)v[2], d = (uint32_t)v[3];
    const uint32_t words[3] = {(a & 0xffffffu) | b << 24, (b >> 8 & 0xffffu) | c << 16,
                               (c >> 16 & 0xffu) | d << 8};
    memcpy(out, words, sizeof words);
#endif
}

#endif
