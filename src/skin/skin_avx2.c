/* skin_avx2.c: skinning with eight lanes on x86-64: columns c0 and c1 in one register, c2 and c3 in
 * another, one vertex at a time.
 */
#include "skin/skin_f4.h"

#include <immintrin.h>

typedef struct f8_columns {
    __m256 c01, c23;
} f8_columns;

ALWAYS_INLINE f8_columns load_columns8(const mrw_mat4 *m)
{
    f8_columns a = {_mm256_loadu_ps(m->m), _mm256_loadu_ps(m->m + 8)};
    return a;
}

ALWAYS_INLINE f8_columns scale_columns8(const mrw_mat4 *m, const float *weight)
{
    const __m256 w = _mm256_broadcast_ss(weight);
    const f8_columns a = load_columns8(m);
    f8_columns out = {_mm256_mul_ps(a.c01, w), _mm256_mul_ps(a.c23, w)};
    return out;
}

/* count >= 1 */
ALWAYS_INLINE f8_columns blend8(const mrw_mat4 *palette, const uint16_t *joints,
                                const float *weights, uint32_t count)
{
    f8_columns sum = scale_columns8(&palette[joints[0]], &weights[0]);
    for (uint32_t i = 1; i < count; i++) {
        const f8_columns a = scale_columns8(&palette[joints[i]], &weights[i]);
        sum.c01 = _mm256_add_ps(sum.c01, a.c01);
        sum.c23 = _mm256_add_ps(sum.c23, a.c23);
    }
    return sum;
}

/* (c0 x + c2 z) + (c1 y + c3): x and y are spread over the halves of c01, z and 1 over those of
 * c23. */
ALWAYS_INLINE __m128 transform8(__m256 c01, __m256 c23, const float *p)
{
    const __m256i xy_lanes = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    const __m256 ones = _mm256_set1_ps(1.0f);
    const __m256 v = _mm256_broadcast_ps((const __m128 *)p);
    const __m256 xy = _mm256_permutevar_ps(v, xy_lanes);
    const __m256 z1 = _mm256_blend_ps(_mm256_permute_ps(v, _MM_SHUFFLE(2, 2, 2, 2)), ones, 0xF0);
    const __m256 sum = _mm256_add_ps(_mm256_mul_ps(c01, xy), _mm256_mul_ps(c23, z1));
    return _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
}

/* c2 with a translation of zero */
ALWAYS_INLINE __m256 drop_translation(__m256 c23)
{
    return _mm256_blend_ps(c23, _mm256_setzero_ps(), 0xF0);
}

ALWAYS_INLINE __m128 defined8(__m128 v)
{
    return _mm_and_ps(v, _mm_cmpord_ps(v, v));
}

ALWAYS_INLINE f4_columns split_columns(const f8_columns *m)
{
    f4_columns out = {_mm256_castps256_ps128(m->c01), _mm256_extractf128_ps(m->c01, 1),
                      _mm256_castps256_ps128(m->c23), _mm256_extractf128_ps(m->c23, 1)};
    return out;
}

ALWAYS_INLINE __m128 transform_normal8(const f8_columns *m, const float *p)
{
    const f4_columns columns = split_columns(m);
    return transform_normal(&columns, mrwi_f4_load(p));
}

ALWAYS_INLINE void skin_vertex8(const f4_streams *s, const f8_columns *m, size_t v)
{
    const __m256 c2 = drop_translation(m->c23);
    const __m128 position = defined8(transform8(m->c01, m->c23, s->positions + 3 * v));
    _mm_store_ps(s->out_positions + 4 * v, _mm_blend_ps(position, _mm_set1_ps(1.0f), 8));
    if (s->normals) {
        const float *p = s->normals + 3 * v;
        const __m128 normal =
            defined8(s->cofactor_normals ? transform_normal8(m, p) : transform8(m->c01, c2, p));
        _mm_store_ps(s->out_normals + 4 * v, _mm_blend_ps(normal, _mm_setzero_ps(), 8));
    }
    if (s->tangents) {
        const float *p = s->tangents + 4 * v;
        const __m128 tangent = defined8(transform8(m->c01, c2, p));
        _mm_store_ps(s->out_tangents + 4 * v, _mm_blend_ps(tangent, _mm_loadu_ps(p), 8));
    }
}

ALWAYS_INLINE void skin_group_f8(const mrw_skin_job *job, const mrw_skin_group *group,
                                 uint32_t count)
{
    const f4_streams streams = open_streams(job);
    const uint16_t *joints = group->joints;
    const float *weights = group->weights;
    for (uint32_t v = 0; v < group->vertex_count; v++) {
        const f8_columns m =
            count > 0 ? blend8(job->palette, joints, weights, count) : load_columns8(job->rigid);
        skin_vertex8(&streams, &m, (size_t)group->first_vertex + v);
        if (count > 0) { /* without influences they are NULL */
            joints += count;
            weights += count;
        }
    }
}

MRWI_SKIN_KERNELS(skin_group_f8, mrwi_skin_avx2);
