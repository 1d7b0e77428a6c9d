/* kernels_avx2.c: the pose kernels with eight lanes on x86-64: two columns of a matrix in a
 * register (c0 and c1, c2 and c3), eight rotations at once. The operations and their order are
 * those of sample_f4.c, world.c and palette.c, so the bits are, too.
 */
#include "anim/kernels.h"

#include "anim/affine.h"

#include <assert.h>
#include <immintrin.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- matrices -------------------------------------------------------------------------------- */

typedef struct columns8 {
    __m256 c01, c23;
} columns8;

ALWAYS_INLINE __m256 twice(const float *p)
{
    return _mm256_broadcast_ps((const __m128 *)p);
}

/* -0 keeps whatever is added to it. */
ALWAYS_INLINE __m256 above_nothing(__m128 high)
{
    return _mm256_insertf128_ps(_mm256_set1_ps(-0.0f), high, 1);
}

/* A matrix as a left factor: c0, c1, c2 in both halves, c3 in the upper one above -0. */
typedef struct factor8 {
    __m256 c0, c1, c2, c3;
} factor8;

ALWAYS_INLINE factor8 load_factor(const float *m)
{
    factor8 out = {twice(m), twice(m + 4), twice(m + 8), above_nothing(_mm_loadu_ps(m + 12))};
    return out;
}

ALWAYS_INLINE factor8 make_factor(columns8 m)
{
    factor8 out = {_mm256_permute2f128_ps(m.c01, m.c01, 0x00),
                   _mm256_permute2f128_ps(m.c01, m.c01, 0x11),
                   _mm256_permute2f128_ps(m.c23, m.c23, 0x00),
                   _mm256_blend_ps(_mm256_set1_ps(-0.0f), m.c23, 0xF0)};
    return out;
}

/* (c0 x + c1 y) + c2 z for the two columns of v */
ALWAYS_INLINE __m256 product(const factor8 *a, __m256 v)
{
    const __m256 x = _mm256_permute_ps(v, _MM_SHUFFLE(0, 0, 0, 0));
    const __m256 y = _mm256_permute_ps(v, _MM_SHUFFLE(1, 1, 1, 1));
    const __m256 z = _mm256_permute_ps(v, _MM_SHUFFLE(2, 2, 2, 2));
    const __m256 xy = _mm256_add_ps(_mm256_mul_ps(a->c0, x), _mm256_mul_ps(a->c1, y));
    return _mm256_add_ps(xy, _mm256_mul_ps(a->c2, z));
}

/* a * b, before its last row is set. */
ALWAYS_INLINE columns8 affine_product(const factor8 *a, columns8 b)
{
    columns8 out = {product(a, b.c01), product(a, b.c23)};
    out.c23 = _mm256_add_ps(out.c23, a->c3);
    return out;
}

/* The last row becomes 0, 0, 0, 1. */
ALWAYS_INLINE columns8 make_affine(columns8 m)
{
    const __m256 w = _mm256_setr_ps(0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f);
    columns8 out = {_mm256_blend_ps(m.c01, _mm256_setzero_ps(), 0x88),
                    _mm256_blend_ps(m.c23, w, 0x88)};
    return out;
}

ALWAYS_INLINE void store_columns(mrw_mat4 *out, columns8 m)
{
    _mm256_storeu_ps(out->m, m.c01);
    _mm256_storeu_ps(out->m + 8, m.c23);
}

/* The four-lane kernels end by adding 0, 0, 0, 1 to the last column, which makes +0 of -0. A sum
 * with +0 does so by itself; only a last column that comes from elsewhere can hold -0. */
ALWAYS_INLINE factor8 without_minus_zero(factor8 a)
{
    a.c3 = _mm256_add_ps(a.c3, _mm256_blend_ps(_mm256_set1_ps(-0.0f), _mm256_setzero_ps(), 0xF0));
    return a;
}

ALWAYS_INLINE columns8 load_columns(const float *m)
{
    columns8 out = {_mm256_loadu_ps(m), _mm256_loadu_ps(m + 8)};
    return out;
}

/* ---- local to world -------------------------------------------------------------------------- */

/* Factors of the rotation matrix's elements p * q2 + r * s2, from q and 2 q. */
#define PICK(v, a0, a1, a2, b0, b1, b2)                                                            \
    _mm256_permutevar_ps(v, _mm256_setr_epi32(a0, a1, a2, 3, b0, b1, b2, 3))

/* The columns of a unit quaternion's matrix (Shoemake 1985), and the translation as the last. */
ALWAYS_INLINE columns8 local_columns(const mrw_transform *t)
{
    enum { X, Y, Z, W };
    const __m256 ones = _mm256_set1_ps(1.0f);
    const __m256 q = twice(t->rotation);
    const __m256 q2 = _mm256_add_ps(q, q);
    const __m256 minus01 = _mm256_setr_ps(0.0f, 0.0f, -0.0f, 0.0f, -0.0f, 0.0f, 0.0f, 0.0f);
    const __m256 first01 = _mm256_mul_ps(PICK(q, Y, X, X, X, X, Y), PICK(q2, Y, Y, Z, Y, X, Z));
    const __m256 second01 = _mm256_mul_ps(PICK(q, Z, W, W, W, Z, W), PICK(q2, Z, Z, Y, Z, Z, X));
    const __m256 sum01 = _mm256_add_ps(first01, _mm256_xor_ps(second01, minus01));
    /* The same for c2, whose upper half is not used. */
    const __m256 minus2 = _mm256_setr_ps(0.0f, -0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f);
    const __m256 first2 = _mm256_mul_ps(PICK(q, X, Y, X, X, Y, X), PICK(q2, Z, Z, X, Z, Z, X));
    const __m256 second2 = _mm256_mul_ps(PICK(q, W, W, Y, W, W, Y), PICK(q2, Y, X, Y, Y, X, Y));
    const __m256 sum2 = _mm256_add_ps(first2, _mm256_xor_ps(second2, minus2));
    const __m256 c2 = _mm256_blend_ps(sum2, _mm256_sub_ps(ones, sum2), 1 << 2);
    columns8 out = {_mm256_blend_ps(sum01, _mm256_sub_ps(ones, sum01), 1 << 0 | 1 << 5),
                    _mm256_insertf128_ps(c2, _mm_loadu_ps(t->translation), 1)};
    return out;
}

ALWAYS_INLINE columns8 transform_product(const factor8 *parent, const mrw_transform *t)
{
    columns8 m = affine_product(parent, local_columns(t));
    const __m256 scale = twice(&t->rotation[3]); /* w and the scale */
    const __m256 s01 = PICK(scale, 1, 1, 1, 2, 2, 2);
    const __m256 s23 = _mm256_blend_ps(_mm256_permute_ps(scale, 0xFF), _mm256_set1_ps(1.0f), 0xF0);
    m.c01 = _mm256_mul_ps(m.c01, s01);
    m.c23 = _mm256_mul_ps(m.c23, s23);
    return m;
}

/* Most nodes follow their parent, whose matrix is then still in registers: a chain of joints does
 * not wait for memory. */
static void world_avx2(const mrw_world_job *job)
{
    const mrw_node *nodes = job->scene->nodes;
    const mrw_mat4 *matrices = job->scene->matrices;
    const mrw_transform *locals = job->locals;
    const uint32_t count = job->scene->nodes_count;
    mrw_mat4 *node_to_world = job->node_to_world;
    const mrwi_affine root_columns = mrwi_affine_root(job->model_to_world);
    const factor8 root = without_minus_zero(load_factor((const float *)&root_columns));
    factor8 last = root; /* the matrix of node i - 1 */
    for (uint32_t i = 0; i < count; i++) {
        const mrw_node *node = &nodes[i];
        assert(node->parent == MRW_NONE || node->parent < i);
        factor8 parent = last;
        if (node->parent == MRW_NONE)
            parent = root;
        else if (node->parent + 1 != i)
            parent = load_factor(node_to_world[node->parent].m);
        columns8 world;
        if (node->matrix != MRW_NONE && !(job->animated[i] & MRW_ANIMATED_LOCAL))
            world = affine_product(&parent, load_columns(matrices[node->matrix].m));
        else
            world = transform_product(&parent, &locals[i]);
        store_columns(&node_to_world[i], make_affine(world));
        last = make_factor(world); /* its last row only reaches last rows, which are set anyway */
    }
}

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

typedef float lanes __attribute__((vector_size(32)));
typedef int32_t lanes_bits __attribute__((vector_size(32)));

static const lanes_bits lanes_sign_bits = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN,
                                           INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};

ALWAYS_INLINE lanes lanes_sqrt(lanes v)
{
    return (lanes)_mm256_sqrt_ps((__m256)v);
}

#include "anim/slerp.h"

/* Row i and row i + 4 in the halves of one register. Its own inverse. */
ALWAYS_INLINE quaternions transpose(__m256 r0, __m256 r1, __m256 r2, __m256 r3)
{
    const __m256 xy01 = _mm256_unpacklo_ps(r0, r1), xy23 = _mm256_unpacklo_ps(r2, r3);
    const __m256 zw01 = _mm256_unpackhi_ps(r0, r1), zw23 = _mm256_unpackhi_ps(r2, r3);
    quaternions q = {(lanes)_mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(1, 0, 1, 0)),
                     (lanes)_mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 2, 3, 2)),
                     (lanes)_mm256_shuffle_ps(zw01, zw23, _MM_SHUFFLE(1, 0, 1, 0)),
                     (lanes)_mm256_shuffle_ps(zw01, zw23, _MM_SHUFFLE(3, 2, 3, 2))};
    return q;
}

ALWAYS_INLINE __m256 load_pair(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

ALWAYS_INLINE quaternions load_quaternions(const float *const keys[8], size_t offset)
{
    return transpose(load_pair(keys[0] + offset, keys[4] + offset),
                     load_pair(keys[1] + offset, keys[5] + offset),
                     load_pair(keys[2] + offset, keys[6] + offset),
                     load_pair(keys[3] + offset, keys[7] + offset));
}

ALWAYS_INLINE void store_pair(float *low, float *high, lanes v)
{
    _mm_storeu_ps(low, _mm256_castps256_ps128((__m256)v));
    _mm_storeu_ps(high, _mm256_extractf128_ps((__m256)v, 1));
}

/* In two passes: one rotation after another is too long a chain of operations for the CPU to look
 * ahead to the next group. */
static void slerp_batch(mrwi_slerp_batch *batch)
{
    const uint32_t end = mrwi_slerp_pad(batch, 8);
    quaternions directions[MRWI_SLERP_BATCH / 8];
    for (uint32_t i = 0; i < end; i += 8) {
        const quaternions a = load_quaternions(batch->keys + i, 0);
        const quaternions b = load_quaternions(batch->keys + i, 4);
        directions[i / 8] = slerp_direction(&a, &b, (lanes)_mm256_loadu_ps(batch->t + i));
    }
    for (uint32_t i = 0; i < end; i += 8) {
        const quaternions q = normalise(&directions[i / 8]);
        const quaternions rows = transpose((__m256)q.x, (__m256)q.y, (__m256)q.z, (__m256)q.w);
        float *const *out = batch->out + i;
        store_pair(out[0], out[4], rows.x);
        store_pair(out[1], out[5], rows.y);
        store_pair(out[2], out[6], rows.z);
        store_pair(out[3], out[7], rows.w);
    }
    batch->count = 0;
}

/* The first and second value are six floats; two loads of four, so as not to read a seventh. */
ALWAYS_INLINE void lerp3(const float *keys, double t, float *out)
{
    const __m128 last4 = _mm_loadu_ps(keys + 2);
    const __m256d a = _mm256_cvtps_pd(_mm_loadu_ps(keys));
    const __m256d b = _mm256_cvtps_pd(_mm_permute_ps(last4, _MM_SHUFFLE(3, 3, 2, 1)));
    const __m256d v = _mm256_add_pd(a, _mm256_mul_pd(_mm256_sub_pd(b, a), _mm256_set1_pd(t)));
    const __m128 rounded = _mm256_cvtpd_ps(v);
    _mm_storel_pi((__m64 *)out, rounded);
    _mm_store_ss(out + 2, _mm_movehl_ps(rounded, rounded));
}

#include "anim/sample_clip.h"

static void sample_avx2(const mrw_sample_job *job, const mrw_clip *clip)
{
    sample_clip(job, clip);
}

const mrwi_pose_kernels mrwi_pose_avx2 = {sample_avx2, world_avx2, palette_avx2};
