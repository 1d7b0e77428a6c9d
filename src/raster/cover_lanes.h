/* cover_lanes.h: additions to lanes.h for coverage: masks that stay in mask registers if there are
 * some, lists without gaps, floors of doubles.
 *
 *   vmask   a choice of lanes; only the functions below use it
 */
#ifndef MRWI_RASTER_COVER_LANES_H
#define MRWI_RASTER_COVER_LANES_H

#include "base/simd/lanes.h"

/* ---- masks: comparisons among the lanes of `in` ---------------------------------------------- */

#if MRWI_BASE_LANES == 16
typedef __mmask16 vmask;

LANE_INLINE vmask vmask_first(int32_t n)
{
    return _mm512_cmplt_epi32_mask((__m512i)lane_numbers(), _mm512_set1_epi32(n));
}
LANE_INLINE vmask vi_is_less(vmask in, vi a, vi b)
{
    return _mm512_mask_cmplt_epi32_mask(in, (__m512i)a, (__m512i)b);
}
LANE_INLINE vmask vf_is_less(vmask in, vf a, vf b)
{
    return _mm512_mask_cmp_ps_mask(in, (__m512)a, (__m512)b, _CMP_LT_OQ);
}
LANE_INLINE vmask vf_is_equal(vmask in, vf a, vf b)
{
    return _mm512_mask_cmp_ps_mask(in, (__m512)a, (__m512)b, _CMP_EQ_OQ);
}
LANE_INLINE vmask vi_is_natural(vmask in, vi v)
{
    return _mm512_mask_testn_epi32_mask(in, (__m512i)v, _mm512_set1_epi32(INT32_MIN));
}
LANE_INLINE vmask vmask_or(vmask a, vmask b)
{
    return _kor_mask16(a, b);
}
LANE_INLINE uint32_t vmask_bits(vmask m)
{
    return _cvtmask16_u32(m);
}
/* Returns v, and 0 where m is not set. */
LANE_INLINE vi vmask_keep(vmask m, vi v)
{
    return (vi)_mm512_maskz_mov_epi32(m, (__m512i)v);
}
/* Returns a where m is set, otherwise b. */
LANE_INLINE vf vf_choose(vmask m, vf a, vf b)
{
    return (vf)_mm512_mask_blend_ps(m, (__m512)b, (__m512)a);
}
LANE_INLINE void vf_store_where(vmask m, float *p, vf v, vf old)
{
    (void)old;
    _mm512_mask_storeu_ps(p, m, (__m512)v);
}
LANE_INLINE void vf_store_less(vmask in, float *p, vf v, vf old)
{
    _mm512_mask_storeu_ps(p, vf_is_less(in, v, old), (__m512)v);
}
LANE_INLINE void vi_store_where(vmask m, int32_t *p, vi v, vi old)
{
    (void)old;
    _mm512_mask_storeu_epi32(p, m, (__m512i)v);
}
#else
typedef vi vmask;

/* Returns a mask of the first n lanes. */
LANE_INLINE vmask vmask_first(int32_t n)
{
    return (vi)(lane_numbers() < n);
}
LANE_INLINE vmask vi_is_less(vmask in, vi a, vi b)
{
    return (vi)(a < b) & in;
}
LANE_INLINE vmask vf_is_less(vmask in, vf a, vf b)
{
    return (vi)(a < b) & in;
}
LANE_INLINE vmask vf_is_equal(vmask in, vf a, vf b)
{
    return (vi)(a == b) & in;
}
/* Returns a mask of lanes with v >= 0. */
LANE_INLINE vmask vi_is_natural(vmask in, vi v)
{
    return ~(v >> 31) & in;
}
LANE_INLINE vmask vmask_or(vmask a, vmask b)
{
    return a | b;
}
LANE_INLINE uint32_t vmask_bits(vmask m)
{
    return mask_bits(m);
}
LANE_INLINE vi vmask_keep(vmask m, vi v)
{
    return m & v;
}
LANE_INLINE vf vf_choose(vmask m, vf a, vf b)
{
    return vf_select(m, a, b);
}
/* Stores v where m is set. old: the current contents of p. */
LANE_INLINE void vf_store_where(vmask m, float *p, vf v, vf old)
{
    vf_store(p, vf_select(m, v, old));
}
/* Stores v where it is less than old, the current contents of p. */
LANE_INLINE void vf_store_less(vmask in, float *p, vf v, vf old)
{
    vf_store(p, vf_select(in, vf_min(v, old), old));
}
LANE_INLINE void vi_store_where(vmask m, int32_t *p, vi v, vi old)
{
    vi_store(p, vi_select(m, v, old));
}
#endif

LANE_INLINE bool vmask_any(vmask m)
{
    return vmask_bits(m) != 0;
}

/* ---- doubles --------------------------------------------------------------------------------- */

/* The largest magnitude that vd_floor_join returns. */
#define FLOOR_LIMIT 65536.0

/* Returns the floor of both halves, clamped to +-FLOOR_LIMIT. */
#if MRWI_BASE_LANES == 16
LANE_INLINE __m256i vd_floor_half(vd v)
{
    __m512d x = _mm512_min_pd(_mm512_max_pd((__m512d)v, _mm512_set1_pd(-FLOOR_LIMIT)),
                              _mm512_set1_pd(FLOOR_LIMIT));
    return _mm512_cvttpd_epi32(_mm512_floor_pd(x));
}
LANE_INLINE vi vd_floor_join(vd low, vd high)
{
    return (vi)_mm512_inserti64x4(_mm512_castsi256_si512(vd_floor_half(low)), vd_floor_half(high),
                                  1);
}
#elif MRWI_BASE_LANES == 8
LANE_INLINE __m128i vd_floor_half(vd v)
{
    __m256d x = _mm256_min_pd(_mm256_max_pd((__m256d)v, _mm256_set1_pd(-FLOOR_LIMIT)),
                              _mm256_set1_pd(FLOOR_LIMIT));
    return _mm256_cvttpd_epi32(_mm256_floor_pd(x));
}
LANE_INLINE vi vd_floor_join(vd low, vd high)
{
    return (vi)_mm256_inserti128_si256(_mm256_castsi128_si256(vd_floor_half(low)),
                                       vd_floor_half(high), 1);
}
#elif defined(__SSE2__)
/* Returns the truncated value, minus one where that is above the value. */
LANE_INLINE __m128i vd_floor_half(vd v)
{
    __m128d x =
        _mm_min_pd(_mm_max_pd((__m128d)v, _mm_set1_pd(-FLOOR_LIMIT)), _mm_set1_pd(FLOOR_LIMIT));
    __m128i whole = _mm_cvttpd_epi32(x);
    __m128d above = _mm_cmpgt_pd(_mm_cvtepi32_pd(whole), x);
    return _mm_add_epi32(whole,
                         _mm_shuffle_epi32(_mm_castpd_si128(above), _MM_SHUFFLE(3, 3, 2, 0)));
}
LANE_INLINE vi vd_floor_join(vd low, vd high)
{
    return (vi)_mm_unpacklo_epi64(vd_floor_half(low), vd_floor_half(high));
}
#else
LANE_INLINE int32x2_t vd_floor_half(vd v)
{
    float64x2_t x = (float64x2_t)v, limit = vdupq_n_f64(FLOOR_LIMIT);
    x = vbslq_f64(vcgtq_f64(x, limit), limit, x);
    x = vbslq_f64(vcltq_f64(x, vnegq_f64(limit)), vnegq_f64(limit), x);
    return vmovn_s64(vcvtq_s64_f64(vrndmq_f64(x)));
}
LANE_INLINE vi vd_floor_join(vd low, vd high)
{
    return (vi)vcombine_s32(vd_floor_half(low), vd_floor_half(high));
}
#endif

#endif
