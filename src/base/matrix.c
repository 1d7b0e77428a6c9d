/* matrix.c: vectors, quaternions and matrices in one fixed order of operations. */
#include "base/math.h"

#include <string.h>

/* ---- vectors and quaternions ----------------------------------------------------------------- */

void mrwi_cross3(const float *a, const float *b, float *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* In double no square of a float overflows or vanishes. */
static bool normalize(float *v, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += (double)v[i] * v[i];
    }
    double length = sqrt(sum);
    if (!(length > 0.0 && length <= DBL_MAX)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        v[i] = (float)(v[i] / length);
    }
    return true;
}

bool mrwi_normalize3(float *v)
{
    return normalize(v, 3);
}

bool mrwi_normalize4(float *q)
{
    return normalize(q, 4);
}

static double length4(const double v[4])
{
    return sqrt((v[0] * v[0] + v[1] * v[1]) + (v[2] * v[2] + v[3] * v[3]));
}

/* Half the angle between unit quaternions from |a - b| and |a + b| (Kahan): exact to the last
 * digits even where the cosine is flat. */
static double half_angle_between(const double a[4], const double b[4])
{
    double difference[4], sum[4];
    for (int i = 0; i < 4; i++) {
        difference[i] = a[i] - b[i];
        sum[i] = a[i] + b[i];
    }
    return mrwi_atan2(length4(difference), length4(sum));
}

void mrwi_slerp(const float a[4], const float b[4], float t, float out[4])
{
    double from[4], to[4], dot = 0.0;
    for (int i = 0; i < 4; i++) {
        from[i] = a[i];
        to[i] = b[i];
        dot += from[i] * to[i];
    }
    double sign = dot < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) {
        to[i] *= sign;
    }
    if (t == 0.0f || t == 1.0f) {
        for (int i = 0; i < 4; i++) {
            out[i] = (float)(t == 0.0f ? from[i] : to[i]);
        }
        return;
    }
    double angle = 2.0 * half_angle_between(from, to);
    double from_weight = 1.0 - t, to_weight = t;
    if (angle > 1e-8) { /* below, sin(k x) / sin(x) is k to the last digit */
        from_weight = mrwi_sin(from_weight * angle);
        to_weight = mrwi_sin(to_weight * angle);
    }
    double result[4];
    for (int i = 0; i < 4; i++) {
        result[i] = from[i] * from_weight + to[i] * to_weight;
    }
    /* The common factor 1 / sin(angle) goes with the length. */
    double length = length4(result);
    for (int i = 0; i < 4; i++) {
        out[i] = length > 0.0 ? (float)(result[i] / length) : (float)from[i];
    }
}

/* ---- products -------------------------------------------------------------------------------- */

mrw_mat4 mrwi_mat4_identity(void)
{
    return (mrw_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

void mrwi_mat4_mul(const mrw_mat4 *a, const mrw_mat4 *b, mrw_mat4 *out)
{
    for (int c = 0; c < 4; c++) {
        const float *column = b->m + 4 * c;
        for (int r = 0; r < 4; r++) {
            const float *row = a->m + r;
            out->m[4 * c + r] = ((row[0] * column[0] + row[4] * column[1]) + row[8] * column[2]) +
                                row[12] * column[3];
        }
    }
}

void mrwi_mat4_mul_affine(const mrw_mat4 *a, const mrw_mat4 *b, mrw_mat4 *out)
{
    for (int c = 0; c < 4; c++) {
        const float *column = b->m + 4 * c;
        for (int r = 0; r < 3; r++) {
            const float *row = a->m + r;
            float sum = (row[0] * column[0] + row[4] * column[1]) + row[8] * column[2];
            out->m[4 * c + r] = c == 3 ? sum + row[12] : sum;
        }
        out->m[4 * c + 3] = c == 3 ? 1.0f : 0.0f;
    }
}

void mrwi_mat4_point(const mrw_mat4 *a, const float v[3], float out[3])
{
    float x = v[0], y = v[1], z = v[2];
    for (int r = 0; r < 3; r++) {
        const float *row = a->m + r;
        out[r] = ((row[0] * x + row[4] * y) + row[8] * z) + row[12];
    }
}

/* ---- inverses -------------------------------------------------------------------------------- */

float mrwi_mat4_det3(const mrw_mat4 *a)
{
    const float *x = a->m, *y = a->m + 4, *z = a->m + 8;
    float cross[3];
    mrwi_cross3(y, z, cross);
    return mrwi_dot3(x, cross);
}

/* Copies 16 doubles to floats; false, with nothing written, when one is out of a float's range. */
static bool to_floats(const double in[16], mrw_mat4 *out)
{
    for (int i = 0; i < 16; i++) {
        if (!(fabs(in[i]) <= FLT_MAX)) {
            return false;
        }
    }
    for (int i = 0; i < 16; i++) {
        out->m[i] = (float)in[i];
    }
    return true;
}

/* Columns of the cofactor matrix of the columns x, y, z (each 3 doubles); returns the determinant.
 */
static double cofactors3(const double x[3], const double y[3], const double z[3], double out[9])
{
    const double *columns[3] = {x, y, z};
    for (int c = 0; c < 3; c++) {
        const double *p = columns[(c + 1) % 3], *q = columns[(c + 2) % 3];
        out[3 * c + 0] = p[1] * q[2] - p[2] * q[1];
        out[3 * c + 1] = p[2] * q[0] - p[0] * q[2];
        out[3 * c + 2] = p[0] * q[1] - p[1] * q[0];
    }
    return (x[0] * out[0] + x[1] * out[1]) + x[2] * out[2];
}

bool mrwi_mat4_inverse_affine(const mrw_mat4 *a, mrw_mat4 *out)
{
    double m[16], cofactors[9];
    for (int i = 0; i < 16; i++) {
        m[i] = a->m[i];
    }
    double det = cofactors3(m, m + 4, m + 8, cofactors);
    if (!(fabs(det) > 0.0 && fabs(det) <= DBL_MAX)) {
        return false;
    }
    double inverse[16] = {0};
    for (int r = 0; r < 3; r++) {
        const double *row = cofactors + 3 * r; /* the inverse is the transpose over det */
        inverse[r] = row[0] / det;
        inverse[4 + r] = row[1] / det;
        inverse[8 + r] = row[2] / det;
        inverse[12 + r] =
            -(((inverse[r] * m[12]) + inverse[4 + r] * m[13]) + inverse[8 + r] * m[14]);
    }
    inverse[15] = 1.0;
    return to_floats(inverse, out);
}

/* Row of the largest |entry| of a column, from `first` on; ties take the first. */
static int pivot_row(double rows[4][8], int column, int first)
{
    int best = first;
    for (int r = first + 1; r < 4; r++) {
        if (fabs(rows[r][column]) > fabs(rows[best][column])) {
            best = r;
        }
    }
    return best;
}

/* Gauss-Jordan elimination with partial pivoting. */
bool mrwi_mat4_inverse(const mrw_mat4 *a, mrw_mat4 *out)
{
    double rows[4][8] = {{0}}, inverse[16];
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            rows[r][c] = a->m[4 * c + r];
        }
        rows[r][4 + r] = 1.0;
    }
    for (int step = 0; step < 4; step++) {
        int pivot = pivot_row(rows, step, step);
        double swapped[8], head = rows[pivot][step];
        if (!(fabs(head) > 0.0 && fabs(head) <= DBL_MAX)) {
            return false;
        }
        memcpy(swapped, rows[pivot], sizeof swapped);
        memcpy(rows[pivot], rows[step], sizeof swapped);
        for (int c = 0; c < 8; c++) {
            rows[step][c] = swapped[c] / head;
        }
        for (int r = 0; r < 4; r++) {
            double factor = rows[r][step];
            for (int c = 0; r != step && c < 8; c++) {
                rows[r][c] -= factor * rows[step][c];
            }
        }
    }
    for (int i = 0; i < 16; i++) {
        inverse[i] = rows[i % 4][4 + i / 4];
    }
    return to_floats(inverse, out);
}

/* ---- translation, rotation, scale ------------------------------------------------------------ */

void mrwi_mat4_from_transform(const mrw_transform *t, mrw_mat4 *out)
{
    float x = t->rotation[0], y = t->rotation[1], z = t->rotation[2], w = t->rotation[3];
    float sx = t->scale[0], sy = t->scale[1], sz = t->scale[2];
    *out = (mrw_mat4){{
        (1.0f - 2.0f * (y * y + z * z)) * sx,
        2.0f * (x * y + z * w) * sx,
        2.0f * (x * z - y * w) * sx,
        0.0f,
        2.0f * (x * y - z * w) * sy,
        (1.0f - 2.0f * (x * x + z * z)) * sy,
        2.0f * (y * z + x * w) * sy,
        0.0f,
        2.0f * (x * z + y * w) * sz,
        2.0f * (y * z - x * w) * sz,
        (1.0f - 2.0f * (x * x + y * y)) * sz,
        0.0f,
        t->translation[0],
        t->translation[1],
        t->translation[2],
        1.0f,
    }};
}

/* Quaternion of the rotation whose columns are r[0..2], r[3..5], r[6..8] (Shepperd 1978): the
 * largest component comes from a square root, the others from it. */
static void rotation_to_quaternion(const double r[9], float out[4])
{
    double trace = (r[0] + r[4]) + r[8];
    double q[4];
    if (trace > 0.0) {
        q[3] = 1.0 + trace;
        q[0] = r[5] - r[7];
        q[1] = r[6] - r[2];
        q[2] = r[1] - r[3];
    } else {
        int i = r[4] > r[0] ? 1 : 0;
        i = r[8] > r[4 * i] ? 2 : i;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = 1.0 + ((r[4 * i] - r[4 * j]) - r[4 * k]);
        q[j] = r[3 * i + j] + r[3 * j + i];
        q[k] = r[3 * i + k] + r[3 * k + i];
        q[3] = r[3 * j + k] - r[3 * k + j];
    }
    double length = length4(q);
    double scale = q[3] < 0.0 ? -1.0 / length : 1.0 / length;
    for (int i = 0; i < 4; i++) {
        out[i] = (float)(q[i] * scale);
    }
}

static double length3(const double v[3])
{
    return sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
}

static double dot3(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* A unit vector at right angles to v (unit). */
static void any_perpendicular(const double v[3], double out[3])
{
    double axis[3] = {0.0, 0.0, 0.0};
    axis[fabs(v[0]) > 0.7 ? 1 : 0] = 1.0;
    cross3(v, axis, out);
    double length = length3(out);
    for (int i = 0; i < 3; i++) {
        out[i] /= length;
    }
}

/* Gives unit columns a right-handed completion where some of them are zero (a scale of 0). */
static void complete_columns(double r[9], const bool missing[3])
{
    int count = missing[0] + missing[1] + missing[2];
    if (count == 3) {
        const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        memcpy(r, identity, sizeof identity);
        return;
    }
    if (count == 2) {
        int kept = !missing[0] ? 0 : (!missing[1] ? 1 : 2);
        any_perpendicular(r + 3 * kept, r + 3 * ((kept + 1) % 3));
        cross3(r + 3 * kept, r + 3 * ((kept + 1) % 3), r + 3 * ((kept + 2) % 3));
    } else if (count == 1) {
        int lost = missing[0] ? 0 : (missing[1] ? 1 : 2);
        cross3(r + 3 * ((lost + 1) % 3), r + 3 * ((lost + 2) % 3), r + 3 * lost);
        double length = length3(r + 3 * lost);
        for (int i = 0; i < 3 && length > 0.0; i++) {
            r[3 * lost + i] /= length;
        }
    }
}

/* The rotation nearest to r: Newton's iteration for the polar factor, the mean of r and its inverse
 * transposed (Higham 1986). False when r is singular. */
static bool nearest_rotation(double r[9])
{
    for (int round = 0; round < 24; round++) {
        double cofactors[9];
        double det = cofactors3(r, r + 3, r + 6, cofactors);
        if (!(det > 1e-12)) {
            return false;
        }
        double change = 0.0;
        for (int i = 0; i < 9; i++) {
            double next = 0.5 * (r[i] + cofactors[i] / det);
            change += fabs(next - r[i]);
            r[i] = next;
        }
        if (change < 1e-15) {
            break;
        }
    }
    return true;
}

bool mrwi_mat4_decompose(const mrw_mat4 *a, mrw_transform *out)
{
    double columns[9], r[9], lengths[3];
    bool missing[3];
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            columns[3 * c + i] = a->m[4 * c + i];
        }
        lengths[c] = length3(columns + 3 * c);
        missing[c] = !(lengths[c] > 0.0);
    }
    double cofactors[9];
    double flip = cofactors3(columns, columns + 3, columns + 6, cofactors) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 9; i++) {
        double sign = i < 3 ? flip : 1.0;
        r[i] = missing[i / 3] ? 0.0 : sign * columns[i] / lengths[i / 3];
    }
    complete_columns(r, missing);
    bool exact = nearest_rotation(r);
    if (!exact) { /* flat: two columns are parallel */
        const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        memcpy(r, identity, sizeof identity);
    }
    rotation_to_quaternion(r, out->rotation);
    for (int c = 0; c < 3; c++) {
        out->translation[c] = a->m[12 + c];
        out->scale[c] = (float)dot3(r + 3 * c, columns + 3 * c);
        for (int other = 0; other < 3; other++) {
            double shear = other == c ? 0.0 : dot3(r + 3 * other, columns + 3 * c);
            exact = exact && fabs(shear) <= 1e-4 * lengths[c];
        }
    }
    return exact;
}
