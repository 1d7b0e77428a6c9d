/* math.h: deterministic math. Only + - * / sqrt and exact functions; no libm transcendentals, no
 * FMA, one fixed order of operations. Angles in radians. Bounds are tested against libm.
 */
#ifndef MRWI_BASE_MATH_H
#define MRWI_BASE_MATH_H

#include "marrow/base.h"

#include <float.h>
#include <math.h>

#if FLT_EVAL_METHOD != 0
#error "marrow needs FLT_EVAL_METHOD 0 (on i386: -msse2 -mfpmath=sse)"
#endif

#define MRWI_BASE_PI 3.14159265358979323846

/* |error| <= 1e-15 for |x| <= 1e6 */
double mrwi_base_sin(double x);
double mrwi_base_cos(double x);
double mrwi_base_tan(double x);
/* relative error <= 1e-15 or absolute 1e-15 near zero */
double mrwi_base_acos(double x);
double mrwi_base_asin(double x);
double mrwi_base_atan2(double y, double x);
/* relative error <= 4e-15 where the result is normal */
double mrwi_base_exp(double x);
double mrwi_base_log(double x);
double mrwi_base_pow(double x, double y); /* x >= 0 */

/* The one way from float to integer: clamps to lo ... hi (NaN gives lo), then floor(x + 0.5). */
int32_t mrwi_base_round_to_int(double x, int32_t lo, int32_t hi);

/* From float to integer by cutting off the fraction, clamped to what the type holds; NaN gives 0. C
 * leaves the result of a cast undefined where the number does not fit. */
static inline uint32_t mrwi_base_to_u32(double x)
{
    return !(x > 0.0) ? 0 : x < 4294967296.0 ? (uint32_t)x : UINT32_MAX;
}
static inline uint64_t mrwi_base_to_u64(double x)
{
    return !(x > 0.0) ? 0 : x < 18446744073709551616.0 ? (uint64_t)x : UINT64_MAX;
}
static inline int64_t mrwi_base_to_i64(double x)
{
    return x < -9223372036854775808.0   ? INT64_MIN
           : x < 9223372036854775808.0  ? (int64_t)x
           : x >= 9223372036854775808.0 ? INT64_MAX
                                        : 0;
}

static inline float mrwi_base_minf(float a, float b)
{
    return a < b ? a : b;
}
static inline float mrwi_base_maxf(float a, float b)
{
    return a > b ? a : b;
}

/* Returns true if no value is infinite or NaN. */
bool mrwi_base_all_finite(const float *values, size_t count);

/* ---- vectors (float[3]) and quaternions (x, y, z, w) ----------------------------------------- */
static inline float mrwi_base_dot3(const float *a, const float *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}
void mrwi_base_cross3(const float *a, const float *b, float *out); /* out may not alias */
/* The same for double[3]. */
static inline double mrwi_base_dot3d(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}
static inline void mrwi_base_cross3d(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}
/* Scales to unit length; false (and left alone) when the length is zero or not finite. Safe for
 * very small and very large vectors. */
bool mrwi_base_normalize3(float *v);
bool mrwi_base_normalize4(float *q);

/* ---- matrices -------------------------------------------------------------------------------- */
mrw_mat4 mrwi_base_mat4_identity(void);
/* a * b in one fixed order; out may alias neither. */
void mrwi_base_mat4_mul(const mrw_mat4 *a, const mrw_mat4 *b, mrw_mat4 *out);
/* Determinant of the upper 3x3. */
float mrwi_base_mat4_det3(const mrw_mat4 *a);
/* Translation, rotation, scale of an affine matrix (a negative determinant gives a negative x
 * scale). Returns false when it has shear that TRS cannot hold (relative 1e-4); *out is then the
 * nearest. */
bool mrwi_base_mat4_decompose(const mrw_mat4 *a, mrw_transform *out);

#endif
