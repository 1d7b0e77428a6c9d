/* tone_values.h: the curves of tone maps, as numbers that the specification, lanes and OpenGL
 * shaders share. It holds nothing else: both languages' preprocessors read it. */
#ifndef MRWI_SHADE_TONE_VALUES_H
#define MRWI_SHADE_TONE_VALUES_H

/* Hill's fit of the reference rendering transform and the output transform for sRGB displays: f(v)
 * = (v (v + above 0) - above 1) / (v (below 0 v + below 1) + below 2). */
#define ACES_ABOVE_0 0.0245786f
#define ACES_ABOVE_1 0.000090537f
#define ACES_BELOW_0 0.983729f
#define ACES_BELOW_1 0.432951f
#define ACES_BELOW_2 0.238081f
/* Exposures are divided by this, for a brighter surround (three.js). */
#define ACES_EXPOSURE 0.6f
/* The rows of Hill's matrices: sRGB to the colour space of the rendering transform, its saturation
 * included, and back. */
#define ACES_IN_0  0.59719f, 0.35458f, 0.04823f
#define ACES_IN_1  0.07600f, 0.90834f, 0.01566f
#define ACES_IN_2  0.02840f, 0.13383f, 0.83777f
#define ACES_OUT_0 1.60475f, -0.53108f, -0.07367f
#define ACES_OUT_1 -0.10208f, 1.10813f, -0.00605f
#define ACES_OUT_2 -0.00327f, -0.07276f, 1.07602f

/* Khronos PBR Neutral. First it subtracts the white light that a smooth dielectric reflects, F90 =
 * 0.04, and less in the dark: below 2 F90, x - x^2 / (4 F90). Then colours brighter than Ks = 0.8 -
 * F90 are compressed and moved towards white; Kd says how fast. */
#define NEUTRAL_F90          0.04f
#define NEUTRAL_DARK         0.08f
#define NEUTRAL_CURVE        6.25f   /* 1 / (4 F90) */
#define NEUTRAL_START        0.76f   /* Ks */
#define NEUTRAL_SQUARE       0.0576f /* (1 - Ks)^2 */
#define NEUTRAL_SHIFT        0.52f   /* 2 Ks - 1 */
#define NEUTRAL_DESATURATION 0.15f   /* Kd */

#endif
