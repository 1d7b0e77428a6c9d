/* skin_wide.h: the one source of the wide skinning kernels.
 *
 * A file defines MRWI_BASE_LANES and MRWI_SKIN_KERNELS (the name of the table) and includes this. A
 * vertex takes four lanes, so a register has 1, 2 or 4 of them. Matrices are blended a vertex at a
 * time, so that a palette's are loaded whole. Then the columns of several vertices are put side by
 * side, and what follows is the code for one vertex with more lanes. See skin_scalar.c for the
 * order of operations.
 */
#ifndef MRWI_SKIN_SKIN_WIDE_H
#define MRWI_SKIN_SKIN_WIDE_H

#include "base/simd/rows.h"
#include "skin/kernels.h"

#define VERTICES (MRWI_BASE_LANES / 4)

/* Stands before loops over the influences of a vertex, which may be many: unrolled as far as
 * LANE_UNROLL does, the kernels are a quarter longer. */
#if defined(__clang__)
#define UNROLL_INFLUENCES
#else
#define UNROLL_INFLUENCES _Pragma("GCC unroll 8")
#endif

/* SHUFFLE: each vertex' lanes in another order, the same for all vertices. */
#if VERTICES == 1
/* Shuffles as integers: SSE2 can shuffle those into another register, but floats only in place. */
#define SHUFFLE(v, a, b, c, d) ((vf)__builtin_shufflevector((vi)(v), (vi)(v), a, b, c, d))
#define EACH_VERTEX(a, b, c, d)                                                                    \
    {                                                                                              \
        a, b, c, d                                                                                 \
    }
#elif VERTICES == 2
#define SHUFFLE(v, a, b, c, d) __builtin_shufflevector(v, v, a, b, c, d, 4 + a, 4 + b, 4 + c, 4 + d)
#define EACH_VERTEX(a, b, c, d)                                                                    \
    {                                                                                              \
        a, b, c, d, a, b, c, d                                                                     \
    }
#else
#define SHUFFLE(v, a, b, c, d)                                                                     \
    __builtin_shufflevector(v, v, a, b, c, d, 4 + a, 4 + b, 4 + c, 4 + d, 8 + a, 8 + b, 8 + c,     \
                            8 + d, 12 + a, 12 + b, 12 + c, 12 + d)
#define EACH_VERTEX(a, b, c, d)                                                                    \
    {                                                                                              \
        a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d                                             \
    }
#endif

static const vf wide_zero;

/* Stores to p, which is 16-byte aligned. */
LANE_INLINE void vf_store_aligned(float *p, vf v)
{
    memcpy(__builtin_assume_aligned(p, 16), &v, sizeof v);
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* One matrix, column after column. */
#define PARTS (4 / VERTICES)
typedef struct matrix {
    vf part[PARTS];
} matrix;

/* One matrix per vertex: c0 has the first column of each. */
typedef struct columns {
    vf c0, c1, c2, c3;
} columns;

LANE_INLINE matrix load_matrix(const mrw_mat4 *m)
{
    matrix out;
    LANE_UNROLL
    for (int k = 0; k < PARTS; k++) {
        out.part[k] = vf_load(m->m + 4 * VERTICES * k);
    }
    return out;
}

LANE_INLINE columns side_by_side(const matrix m[VERTICES])
{
#if VERTICES == 1
    return (columns){m[0].part[0], m[0].part[1], m[0].part[2], m[0].part[3]};
#elif VERTICES == 2
#define LEFT(a, b)  __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define RIGHT(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
    return (columns){LEFT(m[0].part[0], m[1].part[0]), RIGHT(m[0].part[0], m[1].part[0]),
                     LEFT(m[0].part[1], m[1].part[1]), RIGHT(m[0].part[1], m[1].part[1])};
#else
    const __m512 a = (__m512)m[0].part[0], b = (__m512)m[1].part[0];
    const __m512 c = (__m512)m[2].part[0], d = (__m512)m[3].part[0];
    const __m512 ab01 = _mm512_shuffle_f32x4(a, b, 0x44), ab23 = _mm512_shuffle_f32x4(a, b, 0xEE);
    const __m512 cd01 = _mm512_shuffle_f32x4(c, d, 0x44), cd23 = _mm512_shuffle_f32x4(c, d, 0xEE);
    return (columns){
        (vf)_mm512_shuffle_f32x4(ab01, cd01, 0x88), (vf)_mm512_shuffle_f32x4(ab01, cd01, 0xDD),
        (vf)_mm512_shuffle_f32x4(ab23, cd23, 0x88), (vf)_mm512_shuffle_f32x4(ab23, cd23, 0xDD)};
#endif
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* One vector per vertex, each coordinate in all four lanes. */
typedef struct spread {
    vf x, y, z;
} spread;

LANE_INLINE spread spread_four(vf v)
{
    return (spread){SHUFFLE(v, 0, 0, 0, 0), SHUFFLE(v, 1, 1, 1, 1), SHUFFLE(v, 2, 2, 2, 2)};
}

/* Loads from tight float[3]; reads up to 16 bytes beyond them. */
LANE_INLINE spread spread_three(const float *p)
{
#if VERTICES == 1
    return spread_four(vf_load(p));
#elif VERTICES == 2
    __m256 v = (__m256)vf_load(p);
    __asm__("" : "+x"(v)); /* one load */
    return (spread){(vf)_mm256_permutevar8x32_ps(v, _mm256_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3)),
                    (vf)_mm256_permutevar8x32_ps(v, _mm256_setr_epi32(1, 1, 1, 1, 4, 4, 4, 4)),
                    (vf)_mm256_permutevar8x32_ps(v, _mm256_setr_epi32(2, 2, 2, 2, 5, 5, 5, 5))};
#else
    const __m512i x = _mm512_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3, 6, 6, 6, 6, 9, 9, 9, 9);
    const __m512i y = _mm512_setr_epi32(1, 1, 1, 1, 4, 4, 4, 4, 7, 7, 7, 7, 10, 10, 10, 10);
    const __m512i z = _mm512_setr_epi32(2, 2, 2, 2, 5, 5, 5, 5, 8, 8, 8, 8, 11, 11, 11, 11);
    __m512 v = (__m512)vf_load(p);
    __asm__("" : "+v"(v)); /* one load; gcc would make three, most of them across cache lines */
    return (spread){(vf)_mm512_permutexvar_ps(x, v), (vf)_mm512_permutexvar_ps(y, v),
                    (vf)_mm512_permutexvar_ps(z, v)};
#endif
}

/* Turns NaN into 0 and takes the last lane of each vertex from w. */
LANE_INLINE vf defined_with_w(vf v, vf w)
{
#if VERTICES == 4
    const __mmask16 mask = _mm512_mask_cmp_ps_mask(0x7777, (__m512)v, (__m512)v, _CMP_ORD_Q);
    const __m512 zero_w = _mm512_maskz_mov_ps(0x8888, (__m512)w);
    return (vf)_mm512_mask_mov_ps(zero_w, mask, (__m512)v);
#elif VERTICES == 2
    const __m256 numbers = _mm256_cmp_ps((__m256)v, (__m256)v, _CMP_ORD_Q);
    return (vf)_mm256_blend_ps(_mm256_and_ps((__m256)v, numbers), (__m256)w, 0x88);
#else
    const vi xyz = EACH_VERTEX(-1, -1, -1, 0);
    return (vf)(((vi)v & (vi)(v == v) & xyz) | ((vi)w & ~xyz));
#endif
}

/* Marks the lanes of a or b that are NaN. */
#if VERTICES == 4
typedef __mmask16 odd_lanes;
#else
typedef vi odd_lanes;
#endif

LANE_INLINE odd_lanes unordered(vf a, vf b)
{
#if VERTICES == 4
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q);
#elif VERTICES == 2
    return (vi)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q);
#elif defined(__x86_64__)
    return (vi)_mm_cmpunord_ps((__m128)a, (__m128)b);
#else
    return ~((a == a) & (b == b));
#endif
}

/* Tests the first three lanes of each vertex; the last one has no meaning. */
LANE_INLINE bool any_odd(odd_lanes odd)
{
#if VERTICES == 4
    return (odd & 0x7777) != 0;
#elif VERTICES == 2
    return (_mm256_movemask_ps((__m256)odd) & 0x77) != 0;
#elif defined(__x86_64__)
    return (_mm_movemask_ps((__m128)odd) & 7) != 0;
#else
    return (odd[0] | odd[1] | odd[2]) != 0;
#endif
}

/* Stores a + b, and w as the last lane of each vertex. p is 16-byte aligned. */
LANE_INLINE vf store_sum(float *p, vf a, vf b, vf w)
{
#if VERTICES == 4
    const vf sum = (vf)_mm512_mask_add_ps((__m512)w, 0x7777, (__m512)a, (__m512)b);
    vf_store_aligned(p, sum);
#elif VERTICES == 2
    const vf sum = a + b;
    vf_store_aligned(p, (vf)_mm256_blend_ps((__m256)sum, (__m256)w, 0x88));
#else
    const vf sum = a + b;
    /* CPUs do more stores than shuffles at a time, so lanes are not joined first */
    vf_store_aligned(p, sum);
    p[3] = w[3];
#endif
    return sum;
}

LANE_INLINE vf transform(const columns *m, spread v, vf translation)
{
    return (m->c0 * v.x + m->c2 * v.z) + (m->c1 * v.y + translation);
}

LANE_INLINE vf yzx(vf v)
{
    return SHUFFLE(v, 1, 2, 0, 3);
}

/* Computes the cross product with its lanes rotated: z, x, y; yzx() puts them right. */
LANE_INLINE vf cross_zxy(vf a, vf b)
{
    return a * yzx(b) - yzx(a) * b;
}

/* Transforms the normal by the cofactor matrix, which stays rotated until the end. */
LANE_INLINE vf transform_normal(const columns *m, spread v)
{
    const vi sign_bit = EACH_VERTEX(INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN);
    const columns cofactors = {cross_zxy(m->c1, m->c2), cross_zxy(m->c2, m->c0),
                               cross_zxy(m->c0, m->c1), wide_zero};
    /* z, x, y of the terms of the determinant */
    const vf products = SHUFFLE(m->c0, 2, 0, 1, 3) * cofactors.c0;
    const vf determinant = (SHUFFLE(products, 2, 2, 2, 2) + SHUFFLE(products, 0, 0, 0, 0)) +
                           SHUFFLE(products, 1, 1, 1, 1);
    const vi flip = (vi)(determinant < wide_zero) & sign_bit;
    const spread signed_v = {(vf)((vi)v.x ^ flip), (vf)((vi)v.y ^ flip), (vf)((vi)v.z ^ flip)};
    return yzx(transform(&cofactors, signed_v, wide_zero));
}

/* ---- blocks of vertices ---------------------------------------------------------------------- */

/* The streams of a job, in registers. */
typedef struct streams {
    const float *positions, *normals, *tangents;
    float *out_positions, *out_normals, *out_tangents;
    bool cofactor_normals;
} streams;

/* Opens the streams at vertex `first`. */
LANE_INLINE streams open_streams(const mrw_skin_job *job, size_t first)
{
    return (streams){job->positions + 3 * first,
                     job->normals ? job->normals + 3 * first : NULL,
                     job->tangents ? job->tangents + 4 * first : NULL,
                     job->out_positions + 4 * first,
                     job->normals ? job->out_normals + 4 * first : NULL,
                     job->tangents ? job->out_tangents + 4 * first : NULL,
                     job->cofactor_normals};
}

LANE_INLINE void skin_block(const streams *s, const columns *m, size_t v)
{
    const vf ones = EACH_VERTEX(1.0f, 1.0f, 1.0f, 1.0f);
    const vf position = transform(m, spread_three(s->positions + 3 * v), m->c3);
    vf_store_aligned(s->out_positions + 4 * v, defined_with_w(position, ones));
    if (s->normals) {
        const spread in = spread_three(s->normals + 3 * v);
        const vf out = s->cofactor_normals ? transform_normal(m, in) : transform(m, in, wide_zero);
        vf_store_aligned(s->out_normals + 4 * v, defined_with_w(out, wide_zero));
    }
    if (s->tangents) {
        const vf in = vf_load(s->tangents + 4 * v);
        const vf out = transform(m, spread_four(in), wide_zero);
        vf_store_aligned(s->out_tangents + 4 * v, defined_with_w(out, in));
    }
}

/* Skins the first `lanes` vertices of a block; reads and writes nothing beyond them. */
static __attribute__((noinline, unused)) void skin_some(const streams *s, const columns *m,
                                                        size_t v, uint32_t lanes)
{
    float in[3][4 * VERTICES + 4] = {{0}}, out[3][4 * VERTICES];
    const streams local = {
        in[0],  s->normals ? in[1] : NULL, s->tangents ? in[2] : NULL, out[0], out[1],
        out[2], s->cofactor_normals};
    const size_t three = 3 * lanes * sizeof(float), four = 4 * lanes * sizeof(float);
    memcpy(in[0], s->positions + 3 * v, three);
    if (s->normals) {
        memcpy(in[1], s->normals + 3 * v, three);
    }
    if (s->tangents) {
        memcpy(in[2], s->tangents + 4 * v, four);
    }
    skin_block(&local, m, 0);
    memcpy(s->out_positions + 4 * v, out[0], four);
    if (s->normals) {
        memcpy(s->out_normals + 4 * v, out[1], four);
    }
    if (s->tangents) {
        memcpy(s->out_tangents + 4 * v, out[2], four);
    }
}

LANE_INLINE void skin_lanes(const streams *s, const columns *m, size_t v, uint32_t lanes)
{
    if (lanes == VERTICES) {
        skin_block(s, m, v);
    } else {
        skin_some(s, m, v, lanes);
    }
}

/* ---- linear skinning ------------------------------------------------------------------------- */

#if VERTICES == 1
/* Blends the matrix of one vertex; count >= 1. With a constant count, this unrolls. */
LANE_INLINE matrix blend_one(const mrw_mat4 *palette, const uint16_t *joints, const float *weights,
                             uint32_t count)
{
    matrix sum = load_matrix(&palette[joints[0]]);
    if (count == 4) { /* one load and four shuffles instead of four each */
        const vf w = vf_load(weights);
        const vf each[4] = {SHUFFLE(w, 0, 0, 0, 0), SHUFFLE(w, 1, 1, 1, 1), SHUFFLE(w, 2, 2, 2, 2),
                            SHUFFLE(w, 3, 3, 3, 3)};
        LANE_UNROLL
        for (int k = 0; k < PARTS; k++) {
            sum.part[k] = sum.part[k] * each[0];
        }
        LANE_UNROLL
        for (uint32_t i = 1; i < 4; i++) {
            const matrix m = load_matrix(&palette[joints[i]]);
            LANE_UNROLL
            for (int k = 0; k < PARTS; k++) {
                sum.part[k] = sum.part[k] + m.part[k] * each[i];
            }
        }
        return sum;
    }
    LANE_UNROLL
    for (int k = 0; k < PARTS; k++) {
        sum.part[k] = sum.part[k] * weights[0];
    }
    UNROLL_INFLUENCES
    for (uint32_t i = 1; i < count; i++) {
        const matrix m = load_matrix(&palette[joints[i]]);
        LANE_UNROLL
        for (int k = 0; k < PARTS; k++) {
            sum.part[k] = sum.part[k] + m.part[k] * weights[i];
        }
    }
    return sum;
}

LANE_INLINE columns blend_block(const mrw_mat4 *palette, const uint16_t *joints,
                                const float *weights, uint32_t count, uint32_t lanes)
{
    const matrix m = blend_one(palette, joints, weights, count);
    (void)lanes;
    return side_by_side(&m);
}
#else
/* The matrices of a block grow side by side. Otherwise gcc would finish each before it begins the
 * next, and every sum would wait for the one before (5 % at four influences, 15 % at eight). */
#if VERTICES == 2
#define BARRIER(v) __asm__("" : "+x"(v))
#else
#define BARRIER(v) __asm__("" : "+v"(v))
#endif

/* Blends the matrices of `lanes` vertices; the first stands in for the missing ones. count >= 1.
 * With a constant count, this unrolls. */
LANE_INLINE columns blend_block(const mrw_mat4 *palette, const uint16_t *joints,
                                const float *weights, uint32_t count, uint32_t lanes)
{
    matrix m[VERTICES];
    LANE_UNROLL
    for (uint32_t k = 0; k < VERTICES; k++) {
        const size_t at = (size_t)(k < lanes ? k : 0) * count;
        m[k] = load_matrix(&palette[joints[at]]);
        LANE_UNROLL
        for (int p = 0; p < PARTS; p++) {
            m[k].part[p] = m[k].part[p] * weights[at];
            if (count > 2) {
                BARRIER(m[k].part[p]);
            }
        }
    }
    UNROLL_INFLUENCES
    for (uint32_t i = 1; i < count; i++) {
        LANE_UNROLL
        for (uint32_t k = 0; k < VERTICES; k++) {
            const size_t at = (size_t)(k < lanes ? k : 0) * count + i;
            const matrix next = load_matrix(&palette[joints[at]]);
            LANE_UNROLL
            for (int p = 0; p < PARTS; p++) {
                m[k].part[p] = m[k].part[p] + next.part[p] * weights[at];
                if (count > 2) {
                    BARRIER(m[k].part[p]);
                }
            }
        }
    }
    return side_by_side(m);
}
#endif

/* Prefetches memory PREFETCH_BYTES ahead of reads and writes, in runs of vertices that exceed
 * second-level caches: a million vertices take 15 % less time with AVX-512 and AVX2, 3 % with
 * SSE2; short runs would take 5 % more with AVX2. Addresses beyond the arrays do no harm.
 * (Stores that bypass the caches save as much again, but reading the results next then costs up
 * to twice that.) */
#define PREFETCH_BYTES 2048
#define LONG_RUN       65536

LANE_INLINE void fetch_ahead(const void *read, const void *written)
{
    __builtin_prefetch((const void *)((uintptr_t)read + PREFETCH_BYTES));
    if (written) {
        __builtin_prefetch((const void *)((uintptr_t)written + PREFETCH_BYTES), 1);
    }
}

/* Skins whole blocks of vertices with normals, but without tangents and cofactors, as long as no
 * result is NaN: one comparison tests both vectors of a vertex, and nothing is replaced. Returns
 * false if there was a NaN: then these blocks must be done again. */
LANE_INLINE bool skin_usual(const streams *s, const mrw_mat4 *palette, const mrw_skin_group *group,
                            uint32_t count, bool is_long)
{
    const vf ones = EACH_VERTEX(1.0f, 1.0f, 1.0f, 1.0f);
    const uint16_t *joints = group->joints;
    const float *weights = group->weights;
    const size_t vertex_count = group->vertex_count;
    odd_lanes odd = {0};
    for (size_t v = 0; v + VERTICES <= vertex_count; v += VERTICES) {
        if (is_long) {
            fetch_ahead(s->positions + 3 * v, s->out_positions + 4 * v);
            fetch_ahead(s->normals + 3 * v, s->out_normals + 4 * v);
            fetch_ahead(joints + v * count, NULL);
            fetch_ahead(weights + v * count, NULL);
        }
        const columns m =
            blend_block(palette, joints + v * count, weights + v * count, count, VERTICES);
        const spread p = spread_three(s->positions + 3 * v);
        const spread n = spread_three(s->normals + 3 * v);
        const vf position =
            store_sum(s->out_positions + 4 * v, m.c0 * p.x + m.c2 * p.z, m.c1 * p.y + m.c3, ones);
        const vf normal = store_sum(s->out_normals + 4 * v, m.c0 * n.x + m.c2 * n.z,
                                    m.c1 * n.y + wide_zero, wide_zero);
        odd |= unordered(position, normal);
    }
    return !any_odd(odd);
}

LANE_INLINE void skin_linear(const mrw_skin_job *job, const mrw_skin_group *group, uint32_t count)
{
    const streams s = open_streams(job, group->first_vertex);
    const mrw_mat4 *palette = job->palette;
    const uint16_t *joints = group->joints;
    const float *weights = group->weights;
    const size_t vertex_count = group->vertex_count;
    const bool usual = s.normals && !s.tangents && !s.cofactor_normals;
    size_t v = 0;
    if (usual && (vertex_count < LONG_RUN ? skin_usual(&s, palette, group, count, false)
                                          : skin_usual(&s, palette, group, count, true))) {
        v = vertex_count - vertex_count % VERTICES;
    }
    for (; v + VERTICES <= vertex_count; v += VERTICES) {
        const columns m =
            blend_block(palette, joints + v * count, weights + v * count, count, VERTICES);
        skin_block(&s, &m, v);
    }
    if (v < vertex_count) {
        const uint32_t lanes = (uint32_t)(vertex_count - v);
        const columns m =
            blend_block(palette, joints + v * count, weights + v * count, count, lanes);
        skin_some(&s, &m, v, lanes);
    }
}

static void skin_rigid(const mrw_skin_job *job, const mrw_skin_group *group)
{
    const streams s = open_streams(job, group->first_vertex);
    matrix rigid[VERTICES];
    for (uint32_t k = 0; k < VERTICES; k++) {
        rigid[k] = load_matrix(job->rigid);
    }
    const columns m = side_by_side(rigid);
    for (size_t v = 0; v < group->vertex_count; v += VERTICES) {
        const size_t left = group->vertex_count - v;
        skin_lanes(&s, &m, v, left < VERTICES ? (uint32_t)left : VERTICES);
    }
}

/* ---- dual quaternions ------------------------------------------------------------------------ */

/* Computes a after b. */
LANE_INLINE columns compose(const columns *a, const columns *b)
{
    return (columns){
        transform(a, spread_four(b->c0), wide_zero), transform(a, spread_four(b->c1), wide_zero),
        transform(a, spread_four(b->c2), wide_zero), transform(a, spread_four(b->c3), a->c3)};
}

/* Each variant is fast only with its own registers. */
#if VERTICES == 1
#include "skin/skin_dual_f4.h"
#else
#include "skin/skin_dual_wide.h"
#endif

/* ---- the table ------------------------------------------------------------------------------- */

/* With a constant count, the loops over influences unroll. */
#define KERNEL(name, function, count)                                                              \
    static void name(const mrw_skin_job *job, const mrw_skin_group *group)                         \
    {                                                                                              \
        function(job, group, count);                                                               \
    }
KERNEL(skin_1, skin_linear, 1)
KERNEL(skin_2, skin_linear, 2)
KERNEL(skin_3, skin_linear, 3)
KERNEL(skin_4, skin_linear, 4)
KERNEL(skin_any, skin_linear, group->influence_count)
KERNEL(dual_1, skin_dual, 1)
KERNEL(dual_2, skin_dual, 2)
KERNEL(dual_3, skin_dual, 3)
KERNEL(dual_4, skin_dual, 4)
KERNEL(dual_any, skin_dual, group->influence_count)

const mrwi_skin_kernels MRWI_SKIN_KERNELS = {{skin_rigid, skin_1, skin_2, skin_3, skin_4, skin_any},
                                             {NULL, dual_1, dual_2, dual_3, dual_4, dual_any}};

#endif
