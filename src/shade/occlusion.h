/* occlusion.h: the kernels of screen-space ambient occlusion: from depths to how open each pixel is
 * to light from all around.
 *
 *   clip depths ─► depths in radii ─► occlusion along one line a pixel ─► its mean over 4 x 4
 * pixels
 *
 * occlusion_scalar.c is the specification, one pixel at a time in plain C; occlusion_kernel.h is
 * the same in lanes, compiled once an ISA. A pixel depends on the depths around it alone, so that
 * all give the same bits.
 *
 * What is computed: of a hemisphere over the surface, weighted by the cosine to the normal, the
 * share below a horizon, slice by slice through the direction of the eye (Bavoil, Sainz and
 * Dimitrov, "Image-Space Horizon-Based Ambient Occlusion", 2008; the integral in closed form as by
 * Jimenez et al., "Practical Real-Time Strategies for Accurate Indirect Occlusion", 2016). Unlike
 * there the horizon is how far samples rise over the tangent plane, not how near to the eye's
 * direction they come: samples at whole pixels lie beside their slice, and one on a steep plane
 * would rise over it. What is a distance t away, in radii, counts (1 - t^2)^2, so that what lies
 * far in front leaves no halo. Each pixel looks along one of 16 lines, by its place in a square of
 * 4 x 4 pixels: the same in every picture, and gone from the mean over such a square, whose weights
 * leave out what does not lie on the pixel's own plane.
 */
#ifndef MRWI_SHADE_OCCLUSION_H
#define MRWI_SHADE_OCCLUSION_H

#include "marrow/raster.h"

#include <stdbool.h>
#include <stdint.h>

/* Around the picture lie pixels where nothing is: so many to the left, and rows above and below. */
#define MRWI_SHADE_OCCLUSION_LEFT 16
#define MRWI_SHADE_OCCLUSION_ROWS 2

/* The depth of pixels where nothing is: far behind anything, and its square is still finite. */
#define MRWI_SHADE_OCCLUSION_NO_DEPTH 1e9f

/* Samples to each side: one for so many pixels of the radius, but no fewer and no more than these.
 */
#define MRWI_SHADE_OCCLUSION_PIXELS      24.0f
#define MRWI_SHADE_OCCLUSION_LEAST_STEPS 4.0f
#define MRWI_SHADE_OCCLUSION_MOST_STEPS  12.0f

/* Depths are rounded to this, of clip space, and what is made of them to a little more. */
#define MRWI_SHADE_OCCLUSION_ROUNDING 0x1p-22f

/* In radii: what rises less over the tangent plane is none, and a little more where depths are
 * rounded much; from which difference on a neighbour is another surface, and
 * as many pixels besides, for what is seen edge on from afar; and how far from a pixel's plane the
 * mean reaches. */
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

/* A picture's depths, where they come from and what becomes of them. Space: x to the right, y down,
 * z along the view's axis, in radii. */
typedef struct mrwi_shade_occlusion_view {
    int32_t width, height, stride;
    bool perspective;
    /* Of clip depths z: the depth in radii is scale / (z - shift), without perspective z scale +
     * shift. */
    float scale, shift;
    /* x of pixel i at depth d: (i x_step + x_first) s, where s is d, without perspective 1. */
    float x_step, x_first, y_step, y_first;
    float x_reach, y_reach; /* pixels that a radius is, times s */
    /* A difference of clip depths, times s^2 and this, is one of depths: in
     * MRWI_SHADE_OCCLUSION_PLANE; and MRWI_SHADE_OCCLUSION_ROUNDING times this itself. */
    float plane, rounding;
    float strength;
    float *z, *depth, *raw, *visibility; /* of pixel (0, 0); raw holds what is half done */
} mrwi_shade_occlusion_view;

/* Each does pixels x0 ... x1 - 1 of a row; x0 is a multiple of 16, and up to 15 more may be
 * written, which are beyond the picture or nothing is there. */
typedef void mrwi_shade_occlusion_row(const mrwi_shade_occlusion_view *view, int32_t y, int32_t x0,
                                      int32_t x1);

typedef struct mrwi_shade_occlusion_kernels {
    mrwi_shade_occlusion_row *scale; /* depths in radii */
    /* Occlusion along the pixel's line, into `visibility`; then its mean along the row, into `raw`;
     * then that across rows, and 1 - strength times it, into `visibility`. */
    mrwi_shade_occlusion_row *occlude;
    mrwi_shade_occlusion_row *smooth_across;
    mrwi_shade_occlusion_row *smooth_down;
} mrwi_shade_occlusion_kernels;

/* The lines: cosine and sine of 11.25 degrees times 0 ... 15, by row and column of the square, four
 * times over; and where between two steps the samples of the pixel lie. */
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
