/* skin_scalar.c: the specification of skinning. The other kernels give the same bits.
 *
 * Per vertex: blend the joints' matrices (or motions and scales) in influence order, then
 * transform. The order of every sum is the one that 4- and 8-lane kernels can share: an 8-lane
 * register holds columns c0 and c1 (or c2 and c3) side by side, so c0 meets c2 and c1 meets c3.
 */
#include "skin/kernels.h"

#include <stddef.h>
#include <string.h>

typedef struct columns {
    float c[4][4]; /* an affine matrix; its last row is not used */
} columns;

/* Computes ((w0 M0 + w1 M1) + w2 M2) ..., a matrix at a time: compilers see that its numbers are
 * independent, and compute several at once. */
static void blend(const mrw_mat4 *palette, const uint16_t *joints, const float *weights,
                  uint32_t count, columns *out)
{
    float sum[16];
    for (int k = 0; k < 16; k++) {
        sum[k] = weights[0] * palette[joints[0]].m[k];
    }
    for (uint32_t i = 1; i < count; i++) {
        const float weight = weights[i];
        const float *m = palette[joints[i]].m;
        for (int k = 0; k < 16; k++) {
            sum[k] = sum[k] + weight * m[k];
        }
    }
    memcpy(out->c, sum, sizeof sum);
}

/* Turns NaN (infinity - infinity, after an overflow) into 0: signs and payloads of NaN differ
 * between machines. */
static float defined(float x)
{
    return x == x ? x : 0.0f;
}

static void transform_point(const columns *m, const float *v, float *out)
{
    for (int r = 0; r < 3; r++) {
        out[r] =
            defined((m->c[0][r] * v[0] + m->c[2][r] * v[2]) + (m->c[1][r] * v[1] + m->c[3][r]));
    }
    out[3] = 1.0f;
}

/* Transforms a vector; w is the fourth lane of the result. The + 0.0f stands for the translation,
 * which vectors lack; it decides the sign of zeros. */
static void transform_vector(const columns *m, const float *v, float w, float *out)
{
    for (int r = 0; r < 3; r++) {
        out[r] = defined((m->c[0][r] * v[0] + m->c[2][r] * v[2]) + (m->c[1][r] * v[1] + 0.0f));
    }
    out[3] = w;
}

static void cross(const float *a, const float *b, float *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Computes the cofactor matrix: det(M) times the inverse transpose. Returns its sign, that of
 * det(M). */
static float cofactor(const columns *m, columns *out)
{
    cross(m->c[1], m->c[2], out->c[0]);
    cross(m->c[2], m->c[0], out->c[1]);
    cross(m->c[0], m->c[1], out->c[2]);
    const float *a = m->c[0];
    const float *b = out->c[0];
    return (a[1] * b[1] + a[2] * b[2]) + a[0] * b[0] < 0.0f ? -1.0f : 1.0f;
}

/* Transforms a normal. If M mirrors, the cofactor matrix turns normals inside out; with the sign
 * taken back it is |det M| times the inverse transpose and agrees with the plain 3x3 of uniform
 * scales. */
static void transform_normal(const columns *m, bool use_cofactor, const float *v, float *out)
{
    if (use_cofactor) {
        columns cofactors;
        const float sign = cofactor(m, &cofactors);
        const float signed_v[3] = {sign * v[0], sign * v[1], sign * v[2]};
        transform_vector(&cofactors, signed_v, 0.0f, out);
    } else {
        transform_vector(m, v, 0.0f, out);
    }
}

static void skin_vertex(const mrw_skin_job *job, const columns *m, size_t v)
{
    transform_point(m, job->positions + 3 * v, job->out_positions + 4 * v);
    if (job->normals) {
        transform_normal(m, job->cofactor_normals, job->normals + 3 * v, job->out_normals + 4 * v);
    }
    if (job->tangents) {
        const float *tangent = job->tangents + 4 * v;
        transform_vector(m, tangent, tangent[3], job->out_tangents + 4 * v);
    }
}

static void skin_rigid(const mrw_skin_job *job, const mrw_skin_group *group)
{
    columns m;
    memcpy(m.c, job->rigid->m, sizeof m.c);
    for (uint32_t v = 0; v < group->vertex_count; v++) {
        skin_vertex(job, &m, (size_t)group->first_vertex + v);
    }
}

static void skin_blended(const mrw_skin_job *job, const mrw_skin_group *group)
{
    const uint32_t count = group->influence_count;
    for (uint32_t v = 0; v < group->vertex_count; v++) {
        columns m;
        blend(job->palette, group->joints + (size_t)v * count, group->weights + (size_t)v * count,
              count, &m);
        skin_vertex(job, &m, (size_t)group->first_vertex + v);
    }
}

/* ---- dual quaternions ------------------------------------------------------------------------ */

/* Sums in the order in which four lanes are summed by halves. */
static float dot4(const float *a, const float *b)
{
    return (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3]);
}

/* Sums the motions, each on the first one's side, without normalising. */
static void blend_motions(const mrw_dual_quaternion *motions, const uint16_t *joints,
                          const float *weights, uint32_t count, mrw_dual_quaternion *out)
{
    const mrw_dual_quaternion *first = &motions[joints[0]];
    for (int k = 0; k < 4; k++) {
        out->real[k] = weights[0] * first->real[k];
        out->dual[k] = weights[0] * first->dual[k];
    }
    for (uint32_t i = 1; i < count; i++) {
        const mrw_dual_quaternion *motion = &motions[joints[i]];
        const float w = dot4(first->real, motion->real) < 0.0f ? -weights[i] : weights[i];
        for (int k = 0; k < 4; k++) {
            out->real[k] = out->real[k] + w * motion->real[k];
            out->dual[k] = out->dual[k] + w * motion->dual[k];
        }
    }
}

/* Makes the matrix of a motion that is not normalised: both parts enter it in products of two, so a
 * division by the square of the length is enough, and no root is needed. */
static void motion_to_columns(const mrw_dual_quaternion *motion, columns *out)
{
    const float x = motion->real[0], y = motion->real[1], z = motion->real[2], w = motion->real[3];
    const float *r = motion->real, *d = motion->dual;
    const float s = 2.0f / dot4(r, r);
    const float terms[3][3] = {{-(y * y) - z * z, x * y + w * z, x * z - w * y},
                               {x * y - w * z, -(x * x) - z * z, y * z + w * x},
                               {x * z + w * y, y * z - w * x, -(x * x) - y * y}};
    float r_cross_d[3];
    cross(r, d, r_cross_d);
    for (int row = 0; row < 3; row++) {
        for (int c = 0; c < 3; c++) {
            out->c[c][row] = (c == row ? 1.0f : 0.0f) + s * terms[c][row];
        }
        out->c[3][row] = s * ((w * d[row] - d[3] * r[row]) + r_cross_d[row]);
    }
}

/* Computes a after b, in the order of transform_point and transform_vector. */
static void compose(const columns *a, const columns *b, columns *out)
{
    for (int c = 0; c < 4; c++) {
        const float *v = b->c[c];
        for (int r = 0; r < 3; r++) {
            out->c[c][r] = (a->c[0][r] * v[0] + a->c[2][r] * v[2]) +
                           (a->c[1][r] * v[1] + (c == 3 ? a->c[3][r] : 0.0f));
        }
    }
}

static void skin_dual(const mrw_skin_job *job, const mrw_skin_group *group)
{
    const uint32_t count = group->influence_count;
    for (uint32_t v = 0; v < group->vertex_count; v++) {
        const uint16_t *joints = group->joints + (size_t)v * count;
        const float *weights = group->weights + (size_t)v * count;
        mrw_dual_quaternion motion;
        columns rigid, scale, m;
        blend_motions(job->motions, joints, weights, count, &motion);
        motion_to_columns(&motion, &rigid);
        if (job->scales) {
            blend(job->scales, joints, weights, count, &scale);
            compose(&rigid, &scale, &m);
        }
        skin_vertex(job, job->scales ? &m : &rigid, (size_t)group->first_vertex + v);
    }
}

const mrwi_skin_kernels mrwi_skin_kernels_scalar = {
    {skin_rigid, skin_blended, skin_blended, skin_blended, skin_blended, skin_blended},
    {NULL, skin_dual, skin_dual, skin_dual, skin_dual, skin_dual}};
