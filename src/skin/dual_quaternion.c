/* dual_quaternion.c: splits a palette of matrices into scales and rigid motions. It works in
 * double: it runs once per joint, and blending wants clean rotations. */
#include "marrow/skin.h"

#include "base/math.h"
#include "base/parallel.h"

#include <assert.h>

/* Joints whose columns have equal lengths and right angles to this share (of the squared scale)
 * count as scaled uniformly; those of length 1 as rigid. Chains of float products stay below. */
#define CONFORMAL 1e-5

/* A matrix loses a direction that it flattens to less than this share of its largest. */
#define FLAT 1e-6

/* Columns, as mrw_mat4 has them: m[c][r]. */
typedef struct mat3d {
    double m[3][3];
} mat3d;

typedef struct split {
    mat3d rotation;
    mat3d scale; /* symmetric */
} split;

static mat3d diagonal(double d)
{
    return (mat3d){{{d, 0, 0}, {0, d, 0}, {0, 0, d}}};
}

static void transform(const mat3d *a, const double *v, double *out)
{
    for (int r = 0; r < 3; r++) {
        out[r] = (a->m[0][r] * v[0] + a->m[1][r] * v[1]) + a->m[2][r] * v[2];
    }
}

static mat3d linear_part(const mrw_mat4 *matrix)
{
    mat3d a;
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            a.m[c][r] = (double)matrix->m[4 * c + r];
        }
    }
    return a;
}

static mat3d gram(const mat3d *a)
{
    mat3d b;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            b.m[i][j] = mrwi_base_dot3d(a->m[i], a->m[j]);
        }
    }
    return b;
}

static double determinant(const mat3d *a)
{
    double yz[3];
    mrwi_base_cross3d(a->m[1], a->m[2], yz);
    return mrwi_base_dot3d(a->m[0], yz);
}

/* ---- the polar decomposition ----------------------------------------------------------------- */

static bool is_conformal(const mat3d *b, double square)
{
    const double limit = CONFORMAL * square;
    bool fine = true;
    for (int i = 0; i < 3; i++) {
        fine = fine && fabs(b->m[i][i] - square) <= limit && fabs(b->m[i][(i + 1) % 3]) <= limit;
    }
    return fine;
}

/* Turns b in the plane of axes p and q so that its entry (p, q) vanishes; the columns of v follow.
 * (Golub and Van Loan, Matrix Computations, 8.5.2.) */
static void jacobi_turn(mat3d *b, mat3d *v, int p, int q)
{
    if (b->m[p][q] == 0.0) {
        return;
    }
    const double tau = (b->m[q][q] - b->m[p][p]) / (2.0 * b->m[p][q]);
    const double root = sqrt(1.0 + tau * tau);
    const double t = tau >= 0.0 ? 1.0 / (tau + root) : -1.0 / (root - tau);
    const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double kp = b->m[k][p], kq = b->m[k][q];
        b->m[k][p] = c * kp - s * kq;
        b->m[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        const double pk = b->m[p][k], qk = b->m[q][k];
        b->m[p][k] = c * pk - s * qk;
        b->m[q][k] = s * pk + c * qk;
    }
    for (int k = 0; k < 3; k++) {
        const double pk = v->m[p][k], qk = v->m[q][k];
        v->m[p][k] = c * pk - s * qk;
        v->m[q][k] = s * pk + c * qk;
    }
}

/* Finds the eigenvectors of the symmetric b, as the columns of v, a rotation, by descending
 * eigenvalue. Convergence is quadratic: sweeps beyond the fifth find zeros. */
static void eigenvectors(mat3d b, mat3d *v)
{
    double length[3];
    int order[3] = {0, 1, 2};
    mat3d found = diagonal(1.0);
    for (int sweep = 0; sweep < 10; sweep++) {
        jacobi_turn(&b, &found, 0, 1);
        jacobi_turn(&b, &found, 0, 2);
        jacobi_turn(&b, &found, 1, 2);
    }
    for (int i = 0; i < 3; i++) {
        length[i] = b.m[i][i];
    }
    for (int i = 1; i < 3; i++) {
        for (int k = i; k > 0 && length[order[k]] > length[order[k - 1]]; k--) {
            const int moved = order[k];
            order[k] = order[k - 1];
            order[k - 1] = moved;
        }
    }
    for (int k = 0; k < 3; k++) {
        v->m[0][k] = found.m[order[0]][k];
        v->m[1][k] = found.m[order[1]][k];
    }
    mrwi_base_cross3d(v->m[0], v->m[1], v->m[2]);
}

static void drop_along(double *v, const double *unit)
{
    const double along = mrwi_base_dot3d(v, unit);
    for (int k = 0; k < 3; k++) {
        v[k] -= along * unit[k];
    }
}

/* Makes v a unit vector. Returns its former length, or 0 if it cannot be scaled. */
static double normalize(double *v)
{
    const double length = sqrt(mrwi_base_dot3d(v, v));
    for (int k = 0; k < 3 && length > 0.0; k++) {
        v[k] /= length;
    }
    return length;
}

/* Finds a unit vector perpendicular to `unit`, starting from the one of a and b that is closer to
 * perpendicular. */
static void perpendicular(const double *unit, const double *a, const double *b, double *out)
{
    const double *from = fabs(mrwi_base_dot3d(a, unit)) <= fabs(mrwi_base_dot3d(b, unit)) ? a : b;
    for (int k = 0; k < 3; k++) {
        out[k] = from[k];
    }
    drop_along(out, unit);
    normalize(out);
}

/* Finds the images of the axes v, as a rotation u: A's two longest images, and the third at right
 * angles. Images that A flattens are replaced by the nearest directions that keep u a rotation. */
static void images(const mat3d *a, const mat3d *v, mat3d *u)
{
    transform(a, v->m[0], u->m[0]);
    transform(a, v->m[1], u->m[1]);
    const double longest = normalize(u->m[0]);
    drop_along(u->m[1], u->m[0]);
    if (normalize(u->m[1]) <= FLAT * longest) {
        perpendicular(u->m[0], v->m[1], v->m[2], u->m[1]);
    }
    mrwi_base_cross3d(u->m[0], u->m[1], u->m[2]);
}

/* Returns the sum of u_i v_i^T. */
static mat3d outer_sum(const mat3d *u, const mat3d *v)
{
    mat3d out;
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            out.m[c][r] =
                (u->m[0][r] * v->m[0][c] + u->m[1][r] * v->m[1][c]) + u->m[2][r] * v->m[2][c];
        }
    }
    return out;
}

/* Returns the symmetric part of Q^T A: what remains of A without the rotation. */
static mat3d rest_of(const mat3d *rotation, const mat3d *a)
{
    mat3d rest, out;
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            rest.m[c][r] = mrwi_base_dot3d(rotation->m[r], a->m[c]);
        }
    }
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            out.m[c][r] = 0.5 * (rest.m[c][r] + rest.m[r][c]);
        }
    }
    return out;
}

static void scale_matrix(mat3d *a, double s)
{
    for (int i = 0; i < 9; i++) {
        a->m[i / 3][i % 3] *= s;
    }
}

/* Splits A = Q S. Matrices that mirror are split as their negatives, whose S is turned back: joints
 * that mirror alike then differ by rotations that blend. */
static split split_matrix(mat3d a)
{
    const double sign = determinant(&a) < 0.0 ? -1.0 : 1.0;
    const mat3d b = gram(&a);
    const double square = ((b.m[0][0] + b.m[1][1]) + b.m[2][2]) / 3.0;
    split out = {diagonal(1.0), diagonal(0.0)};
    if (!(square > 0.0 && square < 1e300)) { /* a matrix of zeros, or NaN */
        return out;
    }
    scale_matrix(&a, sign);
    if (is_conformal(&b, square)) {
        const double s = fabs(square - 1.0) <= CONFORMAL ? 1.0 : sqrt(square);
        out.rotation = a;
        scale_matrix(&out.rotation, 1.0 / s);
        out.scale = diagonal(sign * s);
    } else {
        mat3d v, u;
        eigenvectors(b, &v);
        images(&a, &v, &u);
        out.rotation = outer_sum(&u, &v);
        out.scale = rest_of(&out.rotation, &a);
        scale_matrix(&out.scale, sign);
    }
    return out;
}

/* ---- motions --------------------------------------------------------------------------------- */

/* Finds the quaternion of a rotation, from its largest component (Shepperd 1978). */
static void rotation_to_quaternion(const mat3d *a, double q[4])
{
    const double(*m)[3] = a->m;
    const double squares[4] = {1.0 + m[0][0] - m[1][1] - m[2][2], 1.0 - m[0][0] + m[1][1] - m[2][2],
                               1.0 - m[0][0] - m[1][1] + m[2][2],
                               1.0 + m[0][0] + m[1][1] + m[2][2]};
    int largest = 3;
    for (int i = 0; i < 3; i++) {
        largest = squares[i] > squares[largest] ? i : largest;
    }
    if (largest == 3) {
        q[0] = m[1][2] - m[2][1];
        q[1] = m[2][0] - m[0][2];
        q[2] = m[0][1] - m[1][0];
    } else {
        const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
        q[j] = m[i][j] + m[j][i];
        q[k] = m[i][k] + m[k][i];
        q[3] = m[j][k] - m[k][j];
    }
    q[largest] = squares[largest];
    const double length = sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
    for (int i = 0; i < 4; i++) {
        q[i] /= length;
    }
}

static mrw_dual_quaternion make_motion(const mat3d *rotation, const double *t)
{
    double q[4], turned[3];
    mrw_dual_quaternion out;
    rotation_to_quaternion(rotation, q);
    mrwi_base_cross3d(t, q, turned);
    for (int k = 0; k < 3; k++) {
        out.real[k] = (float)q[k];
        out.dual[k] = (float)(0.5 * (q[3] * t[k] + turned[k]));
    }
    out.real[3] = (float)q[3];
    out.dual[3] = (float)(-0.5 * mrwi_base_dot3d(t, q));
    return out;
}

static double mean_scale(const mat3d *scale)
{
    return ((scale->m[0][0] + scale->m[1][1]) + scale->m[2][2]) / 3.0;
}

/* M v = Q (S v + shift) + (t - Q shift), where shift = (common - S) pivot lets the pivot scale by
 * `common` alone. */
static void split_joint(const mrw_dual_quaternion_job *job, uint32_t joint, const split *s,
                        double common)
{
    const mrw_mat4 *matrix = &job->palette[joint];
    double pivot[3] = {0, 0, 0}, shift[3], turned[3], t[3];
    mrw_mat4 *scale = &job->out_scales[joint];
    for (int k = 0; k < 3 && job->pivots; k++) {
        pivot[k] = (double)job->pivots[3 * (size_t)joint + (size_t)k];
    }
    transform(&s->scale, pivot, shift);
    for (int k = 0; k < 3; k++) {
        shift[k] = common * pivot[k] - shift[k];
    }
    transform(&s->rotation, shift, turned);
    for (int k = 0; k < 3; k++) {
        t[k] = (double)matrix->m[12 + k] - turned[k];
    }
    job->out_motions[joint] = make_motion(&s->rotation, t);
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 3; r++) {
            scale->m[4 * c + r] = (float)(c < 3 ? s->scale.m[c][r] : shift[r]);
        }
        scale->m[4 * c + 3] = c == 3 ? 1.0f : 0.0f;
    }
}

static bool is_identity(const mat3d *a)
{
    bool same = true;
    for (int i = 0; i < 9; i++) {
        same = same && a->m[i / 3][i % 3] == (i % 4 == 0 ? 1.0 : 0.0);
    }
    return same;
}

bool mrw_dual_quaternion_palette(const mrw_dual_quaternion_job *job)
{
    bool scaled = false;
    assert(job->joint_count == 0 || job->root < job->joint_count);
    if (job->joint_count == 0) {
        return false;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    const split root = split_matrix(linear_part(&job->palette[job->root]));
    const double common = mean_scale(&root.scale);
    for (uint32_t j = 0; j < job->joint_count; j++) {
        const split s = split_matrix(linear_part(&job->palette[j]));
        scaled = scaled || !is_identity(&s.scale);
        split_joint(job, j, &s, common);
    }
    mrwi_base_fp_leave(fp);
    return scaled;
}
