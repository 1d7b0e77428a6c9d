/* shade_numbers.h: numbers of shading that spec, lanes and shaders of OpenGL share, and nothing
 * else: lines that the preprocessors of both languages take. */
#ifndef MRWI_SHADE_SHADE_NUMBERS_H
#define MRWI_SHADE_SHADE_NUMBERS_H

/* Below this, highlights of the smallest lights are noise. */
#define LEAST_ROUGHNESS 0.045f
/* The same of sheen. */
#define LEAST_SHEEN_ROUGHNESS 0.07f

/* Curvature of a pixel, as it adds to the square of alpha: what squares of slopes are multiplied by
 * (3 / pi), and the most of it. It does nothing where the square of alpha times RESOLVED is not
 * less. With 16 in place of that, three.js' pictures of spheres are missed by more than rounding at
 * a roughness of 0.1; with 128, chrome flickers as little, but not what is rougher. */
#define MRWI_SHADE_PIXEL_FILTER   0.954929659f
#define MRWI_SHADE_MOST_CURVATURE 0.18f
#define MRWI_SHADE_RESOLVED       48.0f
/* What of it widens mirrored environments. Chrome would flicker 1.6 times as much as with 64
 * samples without, 1.24 times with a quarter, 1.16 times with all of it, which shows. */
#define MRWI_SHADE_MIRRORED 0.333333f
/* So no surface of this roughness or more is changed by it. */
#define MRWI_SHADE_ROUGH 0.25f

/* A receiver is taken to be nearer to the light than it is, so that it does not shade itself: by a
 * share of a texel's length, for what its neighbours rise above its plane, and of its slope, for
 * vertices that the map has snapped to 1/256 of a texel. */
#define MRWI_SHADE_SHADOW_BIAS 0.6f
#define MRWI_SHADE_SHADOW_SNAP (1.0f / 64.0f)
/* Slopes, in lengths of a texel a texel, are held at this: 0.45 degrees. */
#define MRWI_SHADE_SHADOW_STEEP 128.0f
/* Receivers are not farther than this, so that where a map shows nothing there is light. */
#define MRWI_SHADE_SHADOW_FAR 0.9999999f

/* In radii of ambient occlusion: so far from the depth of its pixel a fragment is of the surface
 * that is seen there. */
#define MRWI_SHADE_SAME_DEPTH 0.0625f

#endif
