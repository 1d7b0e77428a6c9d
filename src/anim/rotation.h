/* rotation.h: spherical linear interpolation without trigonometry.
 *
 * With theta the angle between unit quaternions a and b, slerp (Shoemake 1985) has the direction of
 * (1 - g) a + (1 + g) b, where s = 2t - 1 and
 *
 *     g = tan(s theta/2) / tan(theta/2).
 *
 * tan(s atan T)/T has Gauss's continued fraction in z = T^2 = (1 - cos theta)/(1 + cos theta):
 *
 *     g = s / (1 + (1 - s^2) z / (3 + (4 - s^2) z / (5 + (9 - s^2) z / (7 + ...))))
 *
 * so no arc cosine is needed, g is exactly +-1 at the ends, and swapping a and b swaps the result.
 * Cut at 11 + (b0 + b1 s^2) z, fitted to the rest, the angle is within 7.3e-8 radian for theta up
 * to 90 degrees. Written with numerators and denominators apart, and normalising at the end anyway,
 * the whole costs one square root and one division.
 */
#ifndef MRWI_ANIM_ROTATION_H
#define MRWI_ANIM_ROTATION_H

#include "anim/affine.h"
#include "base/math.h"

/* (x + z) + (y + w) of a * b */
static inline float mrwi_f4_dot(mrwi_f4 a, mrwi_f4 b)
{
    mrwi_f4 p = a * b;
    return (p[0] + p[2]) + (p[1] + p[3]);
}

/* Weights of a and b with the right ratio, positive, not normalised. cosine in 0 ... 1. */
static inline void mrwi_slerp_weights(double cosine, double t, double *of_a, double *of_b)
{
    const double a = 1.0 - cosine; /* z = a / b */
    const double b = 1.0 + cosine;
    const double s = t + t - 1.0;
    const double q = s * s;
    const double n6 = 11.0 * b + (2.31103450449 - 0.0580586895543 * q) * a;
    const double n5 = 9.0 * n6 + (25.0 - q) * a;
    const double n4 = 7.0 * b * n5 + (16.0 - q) * a * n6;
    const double n3 = 5.0 * n4 + (9.0 - q) * a * n5;
    const double n2 = 3.0 * b * n3 + (4.0 - q) * a * n4;
    const double n1 = n2 + (1.0 - q) * a * n3;
    *of_a = n1 - s * n2;
    *of_b = n1 + s * n2;
}

/* Slerp of unit quaternions along the shorter arc, 0 < t < 1; unit to 2e-7. */
static inline mrwi_f4 mrwi_slerp_f4(mrwi_f4 a, mrwi_f4 b, double t)
{
    float cosine = mrwi_f4_dot(a, b);
    if (cosine < 0.0f) {
        cosine = -cosine;
        b = -b;
    }
    double of_a, of_b;
    mrwi_slerp_weights((double)cosine, t, &of_a, &of_b);
    mrwi_f4 q = a * (float)of_a + b * (float)of_b;
    return q * (1.0f / sqrtf(mrwi_f4_dot(q, q)));
}

#endif
