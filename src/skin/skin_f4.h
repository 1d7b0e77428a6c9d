/* skin_f4.h: the parts of a kernel that keeps one column of a matrix in four lanes.
 *
 * SSE2 or NEON by the flags of the file that includes this. See skin_scalar.c for the order of
 * operations.
 */
#ifndef MRWI_SKIN_SKIN_F4_H
#define MRWI_SKIN_SKIN_F4_H

#include "base/lanes.h"
#include "skin/kernels.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct f4_columns {
    mrwi_f4 c0, c1, c2, c3;
} f4_columns;

/* p is 16-byte aligned */
ALWAYS_INLINE void store4(float *p, mrwi_f4 v)
{
    memcpy(__builtin_assume_aligned(p, 16), &v, sizeof v);
}

ALWAYS_INLINE f4_columns load_columns(const mrw_mat4 *m)
{
    f4_columns a = {mrwi_f4_load(m->m), mrwi_f4_load(m->m + 4), mrwi_f4_load(m->m + 8),
                    mrwi_f4_load(m->m + 12)};
    return a;
}

ALWAYS_INLINE mrwi_f4 splat_x(mrwi_f4 v)
{
    return __builtin_shufflevector(v, v, 0, 0, 0, 0);
}
ALWAYS_INLINE mrwi_f4 splat_y(mrwi_f4 v)
{
    return __builtin_shufflevector(v, v, 1, 1, 1, 1);
}
ALWAYS_INLINE mrwi_f4 splat_z(mrwi_f4 v)
{
    return __builtin_shufflevector(v, v, 2, 2, 2, 2);
}
ALWAYS_INLINE mrwi_f4 yzx(mrwi_f4 v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
ALWAYS_INLINE mrwi_f4 zxy(mrwi_f4 v)
{
    return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}

/* 0 where v is not a number, and the last lane from w, whose others are 0 */
ALWAYS_INLINE mrwi_f4 defined_with_w(mrwi_f4 v, mrwi_f4 w)
{
    const mrwi_i4 xyz = {-1, -1, -1, 0};
    return (mrwi_f4)(((mrwi_i4)v & (v == v) & xyz) | (mrwi_i4)w);
}

/* The last lane alone, the others 0. */
ALWAYS_INLINE mrwi_f4 only_w(mrwi_f4 v)
{
    const mrwi_i4 w = {0, 0, 0, -1};
    return (mrwi_f4)((mrwi_i4)v & w);
}

ALWAYS_INLINE mrwi_f4 transform_point(const f4_columns *m, mrwi_f4 v)
{
    const mrwi_f4 w = {0.0f, 0.0f, 0.0f, 1.0f};
    mrwi_f4 sum = (m->c0 * splat_x(v) + m->c2 * splat_z(v)) + (m->c1 * splat_y(v) + m->c3);
    return defined_with_w(sum, w);
}

ALWAYS_INLINE mrwi_f4 transform_vector(const f4_columns *m, mrwi_f4 v)
{
    const mrwi_f4 zero = {0.0f, 0.0f, 0.0f, 0.0f};
    return (m->c0 * splat_x(v) + m->c2 * splat_z(v)) + (m->c1 * splat_y(v) + zero);
}

/* The cross product with its lanes rotated: z, x, y; yzx() puts them right. */
ALWAYS_INLINE mrwi_f4 cross_zxy(mrwi_f4 a, mrwi_f4 b)
{
    return a * yzx(b) - yzx(a) * b;
}

/* The normal by the cofactor matrix, which stays rotated until the end. */
ALWAYS_INLINE mrwi_f4 transform_normal(const f4_columns *m, mrwi_f4 v)
{
    const mrwi_i4 sign_bit = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const mrwi_f4 zero = {0.0f, 0.0f, 0.0f, 0.0f};
    f4_columns cofactors = {cross_zxy(m->c1, m->c2), cross_zxy(m->c2, m->c0),
                            cross_zxy(m->c0, m->c1), zero};
    mrwi_f4 products = zxy(m->c0) * cofactors.c0; /* z, x, y of the determinant's terms */
    mrwi_f4 determinant = (splat_z(products) + splat_x(products)) + splat_y(products);
    mrwi_f4 signed_v = (mrwi_f4)((mrwi_i4)v ^ ((determinant < zero) & sign_bit));
    return yzx(transform_vector(&cofactors, signed_v));
}

/* Streams of a job, in registers. */
typedef struct f4_streams {
    const float *positions, *normals, *tangents;
    float *out_positions, *out_normals, *out_tangents;
    bool cofactor_normals;
} f4_streams;

ALWAYS_INLINE f4_streams open_streams(const mrw_skin_job *job)
{
    f4_streams s = {job->positions,   job->normals,      job->tangents,        job->out_positions,
                    job->out_normals, job->out_tangents, job->cofactor_normals};
    return s;
}

ALWAYS_INLINE void skin_vertex(const f4_streams *s, const f4_columns *m, size_t v)
{
    const mrwi_f4 zero = {0.0f, 0.0f, 0.0f, 0.0f};
    store4(s->out_positions + 4 * v, transform_point(m, mrwi_f4_load(s->positions + 3 * v)));
    if (s->normals) {
        mrwi_f4 normal = mrwi_f4_load(s->normals + 3 * v);
        normal = s->cofactor_normals ? transform_normal(m, normal) : transform_vector(m, normal);
        store4(s->out_normals + 4 * v, defined_with_w(normal, zero));
    }
    if (s->tangents) {
        mrwi_f4 tangent = mrwi_f4_load(s->tangents + 4 * v);
        store4(s->out_tangents + 4 * v,
               defined_with_w(transform_vector(m, tangent), only_w(tangent)));
    }
}

/* weight of matrix */
ALWAYS_INLINE f4_columns scale_columns(const mrw_mat4 *m, float weight)
{
    f4_columns a = load_columns(m);
    f4_columns out = {a.c0 * weight, a.c1 * weight, a.c2 * weight, a.c3 * weight};
    return out;
}

/* count >= 1 */
ALWAYS_INLINE f4_columns blend(const mrw_mat4 *palette, const uint16_t *joints,
                               const float *weights, uint32_t count)
{
    f4_columns sum = scale_columns(&palette[joints[0]], weights[0]);
    for (uint32_t i = 1; i < count; i++) {
        f4_columns a = scale_columns(&palette[joints[i]], weights[i]);
        sum.c0 = sum.c0 + a.c0;
        sum.c1 = sum.c1 + a.c1;
        sum.c2 = sum.c2 + a.c2;
        sum.c3 = sum.c3 + a.c3;
    }
    return sum;
}

/* Inlined with a constant count, the blend unrolls. */
ALWAYS_INLINE void skin_group_f4(const mrw_skin_job *job, const mrw_skin_group *group,
                                 uint32_t count)
{
    const f4_streams streams = open_streams(job);
    const uint16_t *joints = group->joints;
    const float *weights = group->weights;
    for (uint32_t v = 0; v < group->vertex_count; v++) {
        const f4_columns m =
            count > 0 ? blend(job->palette, joints, weights, count) : load_columns(job->rigid);
        skin_vertex(&streams, &m, (size_t)group->first_vertex + v);
        if (count > 0) { /* without influences they are NULL */
            joints += count;
            weights += count;
        }
    }
}

/* ---- dual quaternions ------------------------------------------------------------------------ */

typedef struct f4_motion {
    mrwi_f4 real, dual;
} f4_motion;

/* a . b in all lanes */
ALWAYS_INLINE mrwi_f4 dot4(mrwi_f4 a, mrwi_f4 b)
{
    const mrwi_f4 products = a * b;
    const mrwi_f4 halves = products + __builtin_shufflevector(products, products, 2, 3, 0, 1);
    return halves + __builtin_shufflevector(halves, halves, 1, 0, 3, 2);
}

/* count >= 1 */
ALWAYS_INLINE f4_motion blend_motions(const mrw_dual_quaternion *motions, const uint16_t *joints,
                                      const float *weights, uint32_t count)
{
    const mrwi_i4 sign_bit = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const mrwi_f4 zero = {0.0f, 0.0f, 0.0f, 0.0f};
    const mrwi_f4 first = mrwi_f4_load(motions[joints[0]].real);
    f4_motion sum = {first * weights[0], mrwi_f4_load(motions[joints[0]].dual) * weights[0]};
    for (uint32_t i = 1; i < count; i++) {
        const mrwi_f4 real = mrwi_f4_load(motions[joints[i]].real);
        const mrwi_i4 flip = (dot4(first, real) < zero) & sign_bit;
        const mrwi_f4 w = (mrwi_f4)((mrwi_i4)mrwi_f4_set(weights[i]) ^ flip);
        sum.real = sum.real + real * w;
        sum.dual = sum.dual + mrwi_f4_load(motions[joints[i]].dual) * w;
    }
    return sum;
}

/* Rows to columns and back. */
ALWAYS_INLINE void transpose(mrwi_f4 v[4])
{
    const mrwi_f4 xy01 = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const mrwi_f4 zw01 = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const mrwi_f4 xy23 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const mrwi_f4 zw23 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(zw01, zw23, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(zw01, zw23, 2, 3, 6, 7);
}

/* Columns of four vertices from their rows: one lane a vertex. */
ALWAYS_INLINE void gather_columns(mrwi_f4 x, mrwi_f4 y, mrwi_f4 z, mrwi_f4 out[4])
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = mrwi_f4_set(0.0f);
    transpose(out);
}

/* The matrices of four motions, one a lane. (One at a time by shuffles: 12 % slower in all.
 * Blending four vertices' motions at a time, too, gained nothing with clang and lost 45 % with
 * gcc 12.) */
ALWAYS_INLINE void motions_to_columns(const f4_motion motions[4], f4_columns out[4])
{
    mrwi_f4 r[4], d[4], c[4][4];
    for (int k = 0; k < 4; k++) {
        r[k] = motions[k].real;
        d[k] = motions[k].dual;
    }
    transpose(r);
    transpose(d);
    const mrwi_f4 x = r[0], y = r[1], z = r[2], w = r[3];
    const mrwi_f4 one = mrwi_f4_set(1.0f), zero = mrwi_f4_set(0.0f);
    const mrwi_f4 xx = x * x, yy = y * y, zz = z * z;
    const mrwi_f4 s = mrwi_f4_set(2.0f) / ((xx + zz) + (yy + w * w));
    const mrwi_f4 xy = x * y, xz = x * z, yz = y * z, wx = w * x, wy = w * y, wz = w * z;
    gather_columns(one + s * (-yy - zz), zero + s * (xy + wz), zero + s * (xz - wy), c[0]);
    gather_columns(zero + s * (xy - wz), one + s * (-xx - zz), zero + s * (yz + wx), c[1]);
    gather_columns(zero + s * (xz + wy), zero + s * (yz - wx), one + s * (-xx - yy), c[2]);
    gather_columns(s * ((w * d[0] - d[3] * x) + (y * d[2] - z * d[1])),
                   s * ((w * d[1] - d[3] * y) + (z * d[0] - x * d[2])),
                   s * ((w * d[2] - d[3] * z) + (x * d[1] - y * d[0])), c[3]);
    for (int k = 0; k < 4; k++)
        out[k] = (f4_columns){c[0][k], c[1][k], c[2][k], c[3][k]};
}

/* a after b */
ALWAYS_INLINE f4_columns compose(const f4_columns *a, const f4_columns *b)
{
    const f4_columns out = {
        transform_vector(a, b->c0), transform_vector(a, b->c1), transform_vector(a, b->c2),
        (a->c0 * splat_x(b->c3) + a->c2 * splat_z(b->c3)) + (a->c1 * splat_y(b->c3) + a->c3)};
    return out;
}

/* count >= 1; four vertices at a time, of which the last repeat where fewer are left */
ALWAYS_INLINE void skin_group_dual(const mrw_skin_job *job, const mrw_skin_group *group,
                                   uint32_t count)
{
    const f4_streams streams = open_streams(job);
    for (uint32_t v = 0; v < group->vertex_count; v += 4) {
        const uint32_t left = group->vertex_count - v, lanes = left < 4 ? left : 4;
        f4_motion motions[4];
        f4_columns m[4];
        for (uint32_t k = 0; k < 4; k++) {
            const size_t first = (size_t)(v + (k < lanes ? k : 0)) * count;
            motions[k] =
                blend_motions(job->motions, group->joints + first, group->weights + first, count);
        }
        motions_to_columns(motions, m);
        for (uint32_t k = 0; k < lanes; k++) {
            const size_t first = (size_t)(v + k) * count;
            if (job->scales) {
                const f4_columns scale =
                    blend(job->scales, group->joints + first, group->weights + first, count);
                m[k] = compose(&m[k], &scale);
            }
            skin_vertex(&streams, &m[k], (size_t)group->first_vertex + v + k);
        }
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

/* One kernel: a group function with its influence count known, so that it unrolls. */
#define MRWI_SKIN_KERNEL(name, group_function, count)                                              \
    static void name(const mrw_skin_job *job, const mrw_skin_group *group)                         \
    {                                                                                              \
        group_function(job, group, count);                                                         \
    }

/* The kernels of an instruction set; group_function is its linear skinning. */
#define MRWI_SKIN_KERNELS(group_function, table)                                                   \
    MRWI_SKIN_KERNEL(skin_0, group_function, 0)                                                    \
    MRWI_SKIN_KERNEL(skin_1, group_function, 1)                                                    \
    MRWI_SKIN_KERNEL(skin_2, group_function, 2)                                                    \
    MRWI_SKIN_KERNEL(skin_3, group_function, 3)                                                    \
    MRWI_SKIN_KERNEL(skin_4, group_function, 4)                                                    \
    MRWI_SKIN_KERNEL(skin_any, group_function, group->influence_count)                             \
    MRWI_SKIN_KERNEL(dual_1, skin_group_dual, 1)                                                   \
    MRWI_SKIN_KERNEL(dual_2, skin_group_dual, 2)                                                   \
    MRWI_SKIN_KERNEL(dual_3, skin_group_dual, 3)                                                   \
    MRWI_SKIN_KERNEL(dual_4, skin_group_dual, 4)                                                   \
    MRWI_SKIN_KERNEL(dual_any, skin_group_dual, group->influence_count)                            \
    const mrwi_skin_kernels table = {{skin_0, skin_1, skin_2, skin_3, skin_4, skin_any},           \
                                     {NULL, dual_1, dual_2, dual_3, dual_4, dual_any}}

#endif
