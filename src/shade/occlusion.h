/* occlusion.h: the kernels of screen-space ambient occlusion: from depths to how open each pixel is
 * to ambient light.
 *
 *   clip depths ─► depths in radii ─► occlusion along one line per pixel ─► mean over 4 x 4 pixels
 *
 * occlusion_scalar.c is the specification, one pixel at a time in plain C; occlusion_kernel.h does
 * the same in lanes, compiled once per instruction set. A pixel depends only on the depths around
 * it, so all kernels give the same bits.
 *
 * The kernels compute which share of a hemisphere over the surface, weighted by the cosine to the
 * normal, lies below the horizon, slice by slice through the direction of the eye (Bavoil, Sainz
 * and Dimitrov, "Image-Space Horizon-Based Ambient Occlusion", 2008; the integral in closed form as
 * by Jimenez et al., "Practical Real-Time Strategies for Accurate Indirect Occlusion", 2016).
 * Unlike there, the horizon is measured by how far samples rise over the tangent plane, not by how
 * near they come to the eye's direction: samples at whole pixels lie beside their slice, and one on
 * a steep plane would seem to rise. A sample at distance t, in radii, counts (1 - t^2)^2, so that
 * objects far in front leave no halo. Each pixel looks along one of 16 lines, chosen by its place
 * in a square of 4 x 4 pixels. The pattern is the same in every picture, and it vanishes in the
 * mean over such a square, whose weights leave out pixels off the pixel's own plane.
 */
#ifndef MRWI_SHADE_OCCLUSION_H
#define MRWI_SHADE_OCCLUSION_H

#include "marrow/raster.h"

#include <stdbool.h>
#include <stdint.h>

/* The margin of empty pixels around the picture: columns to the left, and rows above and below. */
#define MRWI_SHADE_OCCLUSION_LEFT 16
#define MRWI_SHADE_OCCLUSION_ROWS 2

/* The depth of empty pixels: far behind everything, but its square is still finite. */
#define MRWI_SHADE_OCCLUSION_NO_DEPTH 1e9f

/* Pixels of the radius per sample on each side, and the fewest and most samples. */
#define MRWI_SHADE_OCCLUSION_PIXELS      24.0f
#define MRWI_SHADE_OCCLUSION_LEAST_STEPS 4.0f
#define MRWI_SHADE_OCCLUSION_MOST_STEPS  12.0f

/* The rounding of clip depths; values computed from them have slightly more. */
#define MRWI_SHADE_OCCLUSION_ROUNDING 0x1p-22f

/* Thresholds, in radii. LEAST: smaller rises over the tangent plane are ignored, plus a little more
 * if depths are rounded much. LOOSE: a neighbour with a larger difference is another surface; the
 * width of LOOSE_PIXELS pixels is added to it, for surfaces seen edge-on from afar. PLANE: how far
 * off the pixel's plane the mean reaches. */
#define MRWI_SHADE_OCCLUSION_LEAST        0.003f
#define MRWI_SHADE_OCCLUSION_LOOSE        0.5f
#define MRWI_SHADE_OCCLUSION_LOOSE_PIXELS 16.0f
#define MRWI_SHADE_OCCLUSION_PLANE        0.1f

/* asin(x) = pi / 2 - sqrt(1 - x) (a + b x + c x^2 + d x^3) for 0 ... 1, to 7e-5 (Abramowitz and
 * Stegun, "Handbook of Mathematical Functions", 1964, 4.4.45). */
#define MRWI_SHADE_ASIN_A 1.5707288f
#define MRWI_SHADE_ASIN_B -0.2121144f
#define MRWI_SHADE_ASIN_C 0.0742610f
#define MRWI_SHADE_ASIN_D -0.0187293f

/* A picture's depths, their mapping to space, and the results. Space: x to the right, y down, z
 * along the view's axis, in radii. */
typedef struct mrwi_shade_occlusion_view {
    int32_t width, height, stride;
    bool perspective;
    /* Depth in radii from clip depth z: scale / (z - shift); in parallel views z scale + shift. */
    float scale, shift;
    /* From pixel i at depth d to x: (i x_step + x_first) s, where s is d; in parallel views 1. */
    float x_step, x_first, y_step, y_first;
    float x_reach, y_reach; /* pixels per radius, times s */
    /* A difference of clip depths, times s^2 and `plane`, is a difference of depths in
     * MRWI_SHADE_OCCLUSION_PLANE. `rounding` is MRWI_SHADE_OCCLUSION_ROUNDING times this factor
     * itself. */
    float plane, rounding;
    float strength;
    float *z, *depth, *raw,
        *visibility; /* grids from pixel (0, 0) on; raw holds intermediate results */
} mrwi_shade_occlusion_view;

/* A kernel for the pixels x0 ... x1 - 1 of a row. x0 is a multiple of 16. Up to 15 more pixels may
 * be written: they lie beyond the picture or are empty. */
typedef void mrwi_shade_occlusion_row(const mrwi_shade_occlusion_view *view, int32_t y, int32_t x0,
                                      int32_t x1);

typedef struct mrwi_shade_occlusion_kernels {
    mrwi_shade_occlusion_row *scale; /* depths in radii */
    /* The three steps after that: occlusion along the pixel's line, into `visibility`; its mean
     * along the row, into `raw`; the mean of that across rows, as 1 - strength times it, into
     * `visibility`. */
    mrwi_shade_occlusion_row *occlude;
    mrwi_shade_occlusion_row *smooth_across;
    mrwi_shade_occlusion_row *smooth_down;
} mrwi_shade_occlusion_kernels;

/* The lines: cosine and sine of 11.25 degrees times 0 ... 15, by row and column of the square, four
 * times over; and the position of the pixel's samples between two steps. */
extern const float mrwi_shade_occlusion_cosine[4][16];
extern const float mrwi_shade_occlusion_sine[4][16];
extern const float mrwi_shade_occlusion_jitter[4][16];

const mrwi_shade_occlusion_kernels *mrwi_shade_occlusion_kernels_for(mrw_isa isa);

extern const mrwi_shade_occlusion_kernels mrwi_shade_occlusion_kernels_scalar;
extern const mrwi_shade_occlusion_kernels mrwi_shade_occlusion_kernels_sse2;
extern const mrwi_shade_occlusion_kernels mrwi_shade_occlusion_kernels_avx2;
extern const mrwi_shade_occlusion_kernels mrwi_shade_occlusion_kernels_avx512;
extern const mrwi_shade_occlusion_kernels mrwi_shade_occlusion_kernels_neon;

#endif
