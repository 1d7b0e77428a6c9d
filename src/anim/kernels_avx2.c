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

/* (p0 x + p1 y) + p2 z for the two columns of v */
ALWAYS_INLINE __m256 product(const float *parent, __m256 v)
{
    const __m256 x = _mm256_permute_ps(v, _MM_SHUFFLE(0, 0, 0, 0));
    const __m256 y = _mm256_permute_ps(v, _MM_SHUFFLE(1, 1, 1, 1));
    const __m256 z = _mm256_permute_ps(v, _MM_SHUFFLE(2, 2, 2, 2));
    const __m256 xy =
        _mm256_add_ps(_mm256_mul_ps(twice(parent), x), _mm256_mul_ps(twice(parent + 4), y));
    return _mm256_add_ps(xy, _mm256_mul_ps(twice(parent + 8), z));
}

/* parent * b, before its last row is set. */
ALWAYS_INLINE columns8 affine_product(const float *parent, columns8 b)
{
    columns8 out = {product(parent, b.c01), product(parent, b.c23)};
    out.c23 = _mm256_add_ps(out.c23, above_nothing(_mm_loadu_ps(parent + 12)));
    return out;
}

/* The last row becomes 0, 0, 0, 1. */
ALWAYS_INLINE void store_affine(mrw_mat4 *out, columns8 m)
{
    const __m256 xyz = _mm256_castsi256_ps(_mm256_setr_epi32(-1, -1, -1, 0, -1, -1, -1, 0));
    const __m256 unit_w = above_nothing(_mm_setr_ps(0.0f, 0.0f, 0.0f, 1.0f));
    _mm256_storeu_ps(out->m, _mm256_and_ps(m.c01, xyz));
    _mm256_storeu_ps(out->m + 8, _mm256_add_ps(_mm256_and_ps(m.c23, xyz), unit_w));
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

ALWAYS_INLINE void transform_product(const float *parent, const mrw_transform *t, mrw_mat4 *out)
{
    columns8 m = affine_product(parent, local_columns(t));
    const __m256 scale = twice(&t->rotation[3]); /* w and the scale */
    const __m256 s01 = PICK(scale, 1, 1, 1, 2, 2, 2);
    const __m256 s23 = _mm256_blend_ps(_mm256_permute_ps(scale, 0xFF), _mm256_set1_ps(1.0f), 0xF0);
    m.c01 = _mm256_mul_ps(m.c01, s01);
    m.c23 = _mm256_mul_ps(m.c23, s23);
    store_affine(out, m);
}

static void world_avx2(const mrw_world_job *job)
{
    const mrw_scene *scene = job->scene;
    const mrwi_affine root = mrwi_affine_root(job->model_to_world);
    mrw_mat4 *node_to_world = job->node_to_world;
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        const mrw_node *node = &scene->nodes[i];
        assert(node->parent == MRW_NONE || node->parent < i);
        const float *parent =
            node->parent == MRW_NONE ? (const float *)&root : node_to_world[node->parent].m;
        if (node->matrix != MRW_NONE && !(job->animated[i] & MRW_ANIMATED_LOCAL)) {
            const columns8 filed = load_columns(scene->matrices[node->matrix].m);
            store_affine(&node_to_world[i], affine_product(parent, filed));
        } else {
            transform_product(parent, &job->locals[i], &node_to_world[i]);
        }
    }
}

static void palette_avx2(const mrw_palette_job *job, const mrw_skin *skin)
{
    const uint32_t *joints = job->scene->joints + skin->first_joint;
    const mrw_mat4 *geometry_to_joint = job->scene->geometry_to_joint + skin->first_joint;
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        const columns8 bind = load_columns(geometry_to_joint[j].m);
        store_affine(&job->geometry_to_world[j],
                     affine_product(job->node_to_world[joints[j]].m, bind));
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

static void slerp_batch(mrwi_slerp_batch *batch)
{
    const uint32_t end = mrwi_slerp_pad(batch, 8);
    for (uint32_t i = 0; i < end; i += 8) {
        const quaternions a = load_quaternions(batch->keys + i, 0);
        const quaternions b = load_quaternions(batch->keys + i, 4);
        const quaternions q = slerp(&a, &b, (lanes)_mm256_loadu_ps(batch->t + i));
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
