/* matrix.c: matrices between assimp's form and ours. */
#include "base/math.h"
#include "import/import.h"

mrw_mat4 mrwi_ai_matrix(const struct aiMatrix4x4 *m)
{
    return (mrw_mat4){{m->a1, m->b1, m->c1, m->d1, m->a2, m->b2, m->c2, m->d2, m->a3, m->b3, m->c3,
                       m->d3, m->a4, m->b4, m->c4, m->d4}};
}

mrw_mat4 mrwi_ai_rotation(const float x[3], const float y[3], const float z[3],
                          const float origin[3])
{
    return (mrw_mat4){{x[0], x[1], x[2], 0, y[0], y[1], y[2], 0, z[0], z[1], z[2], 0, origin[0],
                       origin[1], origin[2], 1}};
}

/* Cofactors over the determinant, in double. */
bool mrwi_ai_inverse(const mrw_mat4 *m, mrw_mat4 *out)
{
    double a[3][3], inverse[3][3];
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            a[c][r] = (double)m->m[4 * c + r];
        }
    }
    double det = 0.0;
    for (int c = 0; c < 3; c++) {
        const double *p = a[(c + 1) % 3], *q = a[(c + 2) % 3];
        for (int r = 0; r < 3; r++) {
            inverse[r][c] = p[(r + 1) % 3] * q[(r + 2) % 3] - p[(r + 2) % 3] * q[(r + 1) % 3];
        }
        det = c == 0 ? (a[0][0] * inverse[0][0] + a[0][1] * inverse[1][0]) + a[0][2] * inverse[2][0]
                     : det;
    }
    *out = mrwi_mat4_identity();
    if (!(fabs(det) > 0.0) || !isfinite(1.0 / det)) {
        return false;
    }
    for (int r = 0; r < 3; r++) {
        double moved = 0.0;
        for (int c = 0; c < 3; c++) {
            double value = inverse[c][r] / det;
            out->m[4 * c + r] = (float)value;
            moved += value * (double)m->m[12 + c];
        }
        out->m[12 + r] = (float)-moved;
    }
    return true;
}
