/* environment_brdf.h: how much of an environment a surface mirrors: the second factor of the split
 * sum (Karis 2013) as a formula.
 *
 * A reflection of radiance 1 returns f0 * scale + bias. f0 is the reflectance at normal incidence;
 * scale and bias are integrals of the BRDF (D of Trowbridge and Reitz, V of Smith with correlated
 * heights, F of Schlick) over the directions of light. Both are quotients of polynomials of s =
 * sqrt(n.v) and the roughness r, fitted in double precision for the smallest largest error: 0.019
 * (scale) and 0.015 (bias) for n.v >= 0.02 and all r, and 0.05 and 0.07 closer to grazing
 * (tests/test_environment.c). The approximation for mobile devices (Karis 2014) has half of the
 * operations and was made for another V; it is up to 0.42 and 0.08 off for n.v >= 0.02.
 */
#ifndef MRWI_SHADE_ENVIRONMENT_BRDF_H
#define MRWI_SHADE_ENVIRONMENT_BRDF_H

/* Coefficients of 1, r, r^2, r^3, s, s r, s r^2, s^2, s^2 r, s^3. */
#define MRWI_SHADE_SCALE_ABOVE                                                                     \
    0.00031593104f, 0.97762018f, 7.62415f, -2.1246886f, -0.17750102f, -7.5187072f, -3.2953019f,    \
        4.7058755f, 1.9281989f, -0.93357042f
/* Coefficients of r, r^2, s, s r, s^2; that of 1 is 1. */
#define MRWI_SHADE_SCALE_BELOW 0.38408079f, 5.4074523f, -1.6155231f, -5.756651f, 4.2759566f
/* Coefficients of 1, r, r^2, s, s r, s^2. */
#define MRWI_SHADE_BIAS_ABOVE                                                                      \
    0.99582065f, -0.5054048f, 0.18036434f, -2.0153207f, 0.42086336f, 1.0095673f
#define MRWI_SHADE_BIAS_BELOW 0.94353857f, 9.4433529f, -2.0435804f, -7.8091381f, 4.2930412f

#if !defined(GL_core_profile) && !defined(GL_ES) /* shaders declare them in their own way */
static const float mrwi_shade_scale_above[10] = {MRWI_SHADE_SCALE_ABOVE};
static const float mrwi_shade_scale_below[5] = {MRWI_SHADE_SCALE_BELOW};
static const float mrwi_shade_bias_above[6] = {MRWI_SHADE_BIAS_ABOVE};
static const float mrwi_shade_bias_below[5] = {MRWI_SHADE_BIAS_BELOW};
#endif

#endif
