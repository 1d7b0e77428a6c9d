/* shade_numbers.h: numbers of shading that the specification, lanes and OpenGL shaders share. It
 * holds nothing else: both languages' preprocessors read it. */
#ifndef MRWI_SHADE_SHADE_NUMBERS_H
#define MRWI_SHADE_SHADE_NUMBERS_H

/* The least roughness. Below it, highlights of the smallest lights are noise. */
#define LEAST_ROUGHNESS 0.045f
/* The least roughness of sheen. */
#define LEAST_SHEEN_ROUGHNESS 0.07f

/* The curvature of a pixel, as it adds to squared alpha: the factor of squared slopes (1 / pi), and
 * the largest result. It is multiplied by the squared cosine to the eye, and has no effect unless
 * it then exceeds the squared alpha times RESOLVED. With 16 instead of 48, three.js' pictures of
 * spheres at roughness 0.1 are missed by more than rounding; with 128, rougher surfaces flicker
 * more. */
#define MRWI_SHADE_PIXEL_FILTER   0.318309886f
#define MRWI_SHADE_MOST_CURVATURE 0.18f
#define MRWI_SHADE_RESOLVED       48.0f
/* Factor on that for mirrored environments, whose light a wider lobe takes from around the mirrored
 * direction, not from far away as it does lamps'. A figure of chrome, compared with 64 samples:
 *
 *   filter, cosine, environment    flickers by    differs by    is brighter by    sparks
 *   no widening                    1.62           1.05          0.0               260
 *   3 / pi, no, 1/3                1.22           4.29          3.6               433
 *   3 / pi, squared, 1             1.25           3.68          2.8               295
 *   1 / pi, squared, 3             1.27           2.63          1.6               268
 *   1 / pi, squared, 5             1.23           2.80          1.5               270
 *
 * Sparks are pixels of DamagedHelmet at 384 x 384 that are more than 40 levels brighter than the
 * mean, in linear light, of 4 x 4 pixels of a larger picture. */
#define MRWI_SHADE_MIRRORED 5.0f
/* The filter and this factor under mrw_lighting.wide_highlights, where the cosine does not count.
 */
#define MRWI_SHADE_WIDE_FILTER   0.954929659f
#define MRWI_SHADE_WIDE_MIRRORED 0.333333f
/* Surfaces of this roughness or more are therefore not changed by it. */
#define MRWI_SHADE_ROUGH 0.25f

/* Classic materials under lit: see MRW_SURFACE_CLASSIC. The reflectance, at all angles, is the
 * specular colour times SHARE, and at most MOST. */
#define MRWI_SHADE_CLASSIC_SHARE 0.08f
#define MRWI_SHADE_CLASSIC_MOST  0.2f

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
