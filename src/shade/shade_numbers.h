/* shade_numbers.h: numbers of shading that the specification, lanes and OpenGL shaders share. It
 * holds nothing else: both languages' preprocessors read it. */
#ifndef MRWI_SHADE_SHADE_NUMBERS_H
#define MRWI_SHADE_SHADE_NUMBERS_H

/* The least roughness. Below it, highlights of the smallest lights are noise. */
#define LEAST_ROUGHNESS 0.045f
/* The least roughness of sheen. */
#define LEAST_SHEEN_ROUGHNESS 0.07f

/* The curvature of a pixel, as it adds to squared alpha: the factor of squared slopes (3 / pi), and
 * the largest result. It has no effect unless it exceeds the squared alpha times RESOLVED. With 16
 * instead of 48, three.js' pictures of spheres at roughness 0.1 are missed by more than rounding;
 * with 128, chrome flickers as little, but rougher surfaces flicker more. */
#define MRWI_SHADE_PIXEL_FILTER   0.954929659f
#define MRWI_SHADE_MOST_CURVATURE 0.18f
#define MRWI_SHADE_RESOLVED       48.0f
/* The part of that which widens mirrored environments. Compared with 64 samples, chrome flickers
 * 1.6 times as much without it, 1.24 times with a quarter, and 1.16 times with all of it, which
 * shows. */
#define MRWI_SHADE_MIRRORED 0.333333f
/* Surfaces of this roughness or more are therefore not changed by it. */
#define MRWI_SHADE_ROUGH 0.25f

/* A receiver is moved towards the light, so that it does not shade itself: by BIAS times a texel's
 * length, for neighbours that rise above its plane, and by SNAP times its slope, for vertices that
 * the map has snapped to 1/256 of a texel. */
#define MRWI_SHADE_SHADOW_BIAS 0.6f
#define MRWI_SHADE_SHADOW_SNAP (1.0f / 64.0f)
/* Slopes, in lengths of a texel per texel, are limited to this: 0.45 degrees. */
#define MRWI_SHADE_SHADOW_STEEP 128.0f
/* Receivers are not farther than this, so that empty texels of a map are lit. */
#define MRWI_SHADE_SHADOW_FAR 0.9999999f

/* The squares over which shadows are averaged, in texels: the least side; the largest side in a
 * level, and the texels that it touches in a row; the share of a square that counts as all of it.
 */
#define MRWI_SHADE_SHADOW_LEAST 3.0f
#define MRWI_SHADE_SHADOW_MOST  7.0f
#define MRWI_SHADE_SHADOW_TAPS  8
#define MRWI_SHADE_SHADOW_WHOLE 0.9999f
/* More than all depths. */
#define MRWI_SHADE_SHADOW_ALL 1e30f
/* Casters count in wide squares if they lie before the plane by so many widths of the square:
 * curved surfaces, and the triangles that make them up, do not rise so steeply over their own
 * plane. */
#define MRWI_SHADE_SHADOW_CURVED 0.1f

/* Near the edge between light and shade, triangles of a smooth surface shade their neighbours. From
 * this cosine of the triangle's normal on, its own plane is looked up; below, the tangent plane of
 * the smooth surface. The shadow of a near caster fades towards a cosine of 0 of the smooth normal,
 * from FADE_FROM on. A caster is far from FAR_CASTER sides of the map on. */
#define MRWI_SHADE_SHADOW_FACES      0.25f
#define MRWI_SHADE_SHADOW_FADE_FROM  0.1f
#define MRWI_SHADE_SHADOW_FAR_CASTER 0.03f

/* Shadows and occlusion of the ground end at the border of the picture. They begin to fade at this
 * part of its shorter side. */
#define MRWI_SHADE_GROUND_BORDER 0.125f

/* In radii of ambient occlusion: a fragment within this distance of its pixel's depth belongs to
 * the surface that the pixel shows. */
#define MRWI_SHADE_SAME_DEPTH 0.0625f

#endif
