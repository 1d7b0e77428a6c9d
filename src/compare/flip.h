/* flip.h: FLIP, the perceptual error of a pixel.
 *
 * P. Andersson, J. Nilsson, T. Akenine-Moeller, M. Oskarsson, K. Astrom, M. D. Fairchild, "FLIP: A
 * Difference Evaluator for Alternating Images", Proc. ACM Comput. Graph. Interact. Tech. 3(2),
 * 2020: the variant for standard dynamic range. Names in quotation marks are its sections'.
 */
#ifndef MRWI_COMPARE_FLIP_H
#define MRWI_COMPARE_FLIP_H

#include "compare/pair.h"

#define MRWI_COMPARE_FLIP_MIN_PPD 1.0
#define MRWI_COMPARE_FLIP_MAX_PPD 500.0

typedef struct mrwi_compare_flip_job {
    const mrwi_compare_pair *pair;
    const uint64_t *differing; /* of mrwi_compare_find_differences: out of reach of what differs the
                                  error is 0 */
    double pixels_per_degree;
    mrw_isa isa; /* available */
    int threads;
    double sums[MRWI_COMPARE_REGIONS]; /* result: of the errors of what is not masked, in a fixed
                                          order */
    float largest;                     /* result */
    float *map; /* width * height zeros, takes the errors; NULL: not wanted */
} mrwi_compare_flip_job;

/* MRW_ERROR_USAGE when pixels_per_degree is out of range. */
mrw_status mrwi_compare_flip(mrwi_compare_flip_job *job, mrw_error *error);

/* ---- kernels --------------------------------------------------------------------------------- */

/* Lines are as long as tiles are wide. A cell is what kernels work on at a time: columns, a
 * multiple of all lanes, and rows. */
#define MRWI_COMPARE_FLIP_TILE       128
#define MRWI_COMPARE_FLIP_CELL       32
#define MRWI_COMPARE_FLIP_ROWS       8
#define MRWI_COMPARE_FLIP_MAX_RADIUS 68 /* at MRWI_COMPARE_FLIP_MAX_PPD */
#define MRWI_COMPARE_FLIP_TAPS       (MRWI_COMPARE_FLIP_MAX_RADIUS + 1)

/* One half of a filter that is even or odd: tap i weighs the pixels at -i and i. */
typedef struct mrwi_compare_flip_filter {
    int radius;
    float taps[MRWI_COMPARE_FLIP_TAPS];
} mrwi_compare_flip_filter;

/* "Spatial Filtering": contrast sensitivity of the achromatic, the red-green and the blue-yellow
 * channel; the last is the sum of two Gaussians, whose shares are in the taps that go down. */
typedef struct mrwi_compare_flip_colors {
    mrwi_compare_flip_filter achromatic, red_green, blue_yellow[2], blue_yellow_down[2];
} mrwi_compare_flip_colors;

/* "Feature Detection": a Gaussian and its first and second derivative, of one radius. */
typedef struct mrwi_compare_flip_features {
    mrwi_compare_flip_filter smooth, edge, point;
} mrwi_compare_flip_features;

/* "Color Metric": the error of colour is low_scale * e^0.7 below e^0.7 = knee, and pt +
 * high_scale * (e^0.7 - knee) above. */
typedef struct mrwi_compare_flip_metric {
    float knee, low_scale, high_scale;
} mrwi_compare_flip_metric;

/* From the filters' colours to XYZ. */
typedef struct mrwi_compare_flip_matrices {
    float to_rgb[3][2]; /* linear sRGB = Y + to_rgb . (Cx, Cz) */
    float to_xyz[3][3]; /* linear sRGB to XYZ relative to the white point */
} mrwi_compare_flip_matrices;

/* What kernels filter with. */
typedef struct mrwi_compare_flip_filters {
    mrwi_compare_flip_colors color;
    mrwi_compare_flip_features feature;
    mrwi_compare_flip_matrices matrices;
} mrwi_compare_flip_filters;

/* A row of one picture at three stages:
 * planes  Y, Cx, Cz of a tile, each with the filters' radius of pixels on both sides
 * line    what came of filtering across, of a tile: mrwi_compare_flip_line
 * look    what came of filtering down, as it looks, of a cell's columns: mrwi_compare_flip_look */
typedef enum mrwi_compare_flip_line {
    MRWI_COMPARE_LINE_Y,
    MRWI_COMPARE_LINE_CX,
    MRWI_COMPARE_LINE_CZ_0,
    MRWI_COMPARE_LINE_CZ_1,
    MRWI_COMPARE_LINE_SMOOTH,
    MRWI_COMPARE_LINE_EDGE,
    MRWI_COMPARE_LINE_POINT,
    MRWI_COMPARE_LINE_COUNT
} mrwi_compare_flip_line;

typedef enum mrwi_compare_flip_look {
    MRWI_COMPARE_LOOK_L,
    MRWI_COMPARE_LOOK_A, /* a and b of L*a*b*, after Hunt */
    MRWI_COMPARE_LOOK_B,
    MRWI_COMPARE_LOOK_EDGE, /* the strengths of edges and points */
    MRWI_COMPARE_LOOK_POINT,
    MRWI_COMPARE_LOOK_COUNT
} mrwi_compare_flip_look;

typedef struct mrwi_compare_flip_kernels {
    /* Cells, `width` pixels; planes[i] and the line point to the first. */
    void (*across)(const mrwi_compare_flip_filters *filters, const float *const planes[3],
                   int width, float *line);
    /* A cell: lines[i] for i in -radius ... radius are the rows above and below its first, and so
     * on for the others; it begins at `column` of them. Out come the rows, one after another. */
    void (*down)(const mrwi_compare_flip_filters *filters, const float *const *lines, int column,
                 float *out);
    /* A cell, of errors in rows of tiles. */
    void (*compare)(const mrwi_compare_flip_metric *metric, const float *expected,
                    const float *actual, float *errors);
} mrwi_compare_flip_kernels;

extern const mrwi_compare_flip_kernels mrwi_compare_flip_kernels_scalar; /* the specification */
extern const mrwi_compare_flip_kernels mrwi_compare_flip_kernels_f4;     /* SSE2 or NEON */
extern const mrwi_compare_flip_kernels mrwi_compare_flip_kernels_avx2;
extern const mrwi_compare_flip_kernels mrwi_compare_flip_kernels_avx512;

/* The kernels of an instruction set. */
const mrwi_compare_flip_kernels *mrwi_compare_flip_kernels_for(mrw_isa isa);

#endif
