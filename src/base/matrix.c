/* matrix.c: vectors, quaternions and matrices in one fixed order of operations. */
#include "base/math.h"

#include <string.h>

/* ---- vectors and quaternions ----------------------------------------------------------------- */

void mrwi_base_cross3(const float *a, const float *b, float *out)
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

bool mrwi_base_normalize3(float *v)
{
    return normalize(v, 3);
}

bool mrwi_base_normalize4(float *q)
{
    return normalize(q, 4);
}

/* ---- matrices -------------------------------------------------------------------------------- */

mrw_mat4 mrwi_base_mat4_identity(void)
{
    return (mrw_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

void mrwi_base_mat4_mul(const mrw_mat4 *a, const mrw_mat4 *b, mrw_mat4 *out)
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

float mrwi_base_mat4_det3(const mrw_mat4 *a)
{
    const float *x = a->m, *y = a->m + 4, *z = a->m + 8;
    float cross[3];
    mrwi_base_cross3(y, z, cross);
    return mrwi_base_dot3(x, cross);
}

/* ---- translation, rotation, scale ------------------------------------------------------------ */

static double length4(const double v[4])
{
    return sqrt((v[0] * v[0] + v[1] * v[1]) + (v[2] * v[2] + v[3] * v[3]));
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

/* Columns of the cofactor matrix of the columns x, y, z (each 3 doubles); returns the determinant.
 */
static double cofactors3(const double x[3], const double y[3], const double z[3], double out[9])
{
    mrwi_base_cross3d(y, z, out);
    mrwi_base_cross3d(z, x, out + 3);
    mrwi_base_cross3d(x, y, out + 6);
    return mrwi_base_dot3d(x, out);
}

static double length3(const double v[3])
{
    return sqrt(mrwi_base_dot3d(v, v));
}

/* A unit vector at right angles to v (unit). */
static void any_perpendicular(const double v[3], double out[3])
{
    double axis[3] = {0.0, 0.0, 0.0};
    axis[fabs(v[0]) > 0.7 ? 1 : 0] = 1.0;
    mrwi_base_cross3d(v, axis, out);
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
        mrwi_base_cross3d(r + 3 * kept, r + 3 * ((kept + 1) % 3), r + 3 * ((kept + 2) % 3));
    } else if (count == 1) {
        int lost = missing[0] ? 0 : (missing[1] ? 1 : 2);
        mrwi_base_cross3d(r + 3 * ((lost + 1) % 3), r + 3 * ((lost + 2) % 3), r + 3 * lost);
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

bool mrwi_base_mat4_decompose(const mrw_mat4 *a, mrw_transform *out)
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
        out->scale[c] = (float)mrwi_base_dot3d(r + 3 * c, columns + 3 * c);
        for (int other = 0; other < 3; other++) {
            double shear = other == c ? 0.0 : mrwi_base_dot3d(r + 3 * other, columns + 3 * c);
            exact = exact && fabs(shear) <= 1e-4 * lengths[c];
        }
    }
    return exact;
}
