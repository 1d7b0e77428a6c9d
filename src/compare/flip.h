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
    const uint64_t *differing; /* From mrwi_compare_find_differences. Errors that no difference
                                * reaches are 0. */
    double pixels_per_degree;
    mrw_isa isa; /* An available instruction set. */
    int threads;
    double sums[MRWI_COMPARE_REGIONS]; /* Result: sums of the errors outside the mask, in a fixed
                                        * order. */
    float largest;                     /* Result: the largest error. */
    float *map; /* width * height zeros that receive the errors; NULL if not wanted. */
} mrwi_compare_flip_job;

/* Computes the error of a pair. Fails with MRW_ERROR_USAGE if pixels_per_degree is out of range. */
mrw_status mrwi_compare_flip(mrwi_compare_flip_job *job, mrw_error *error);

/* ---- kernels --------------------------------------------------------------------------------- */

/* Tiles and lines have MRWI_COMPARE_FLIP_TILE columns. Kernels work on cells of
 * MRWI_COMPARE_FLIP_CELL columns, a multiple of all lanes, and MRWI_COMPARE_FLIP_ROWS rows. */
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

/* Matrices from the filters' colours to XYZ. */
typedef struct mrwi_compare_flip_matrices {
    float to_rgb[3][2]; /* linear sRGB = Y + to_rgb . (Cx, Cz) */
    float to_xyz[3][3]; /* linear sRGB to XYZ relative to the white point */
} mrwi_compare_flip_matrices;

/* Filters and matrices of the kernels. */
typedef struct mrwi_compare_flip_filters {
    mrwi_compare_flip_colors color;
    mrwi_compare_flip_features feature;
    mrwi_compare_flip_matrices matrices;
} mrwi_compare_flip_filters;

/* Names of the values of a row of one picture. A row has three stages: planes: Y, Cx, Cz of a tile,
 * each with the filters' radius of pixels on both sides; line: a tile filtered across,
 * mrwi_compare_flip_line; look: a cell's columns filtered down, as they look,
 * mrwi_compare_flip_look. */
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
    MRWI_COMPARE_LOOK_A, /* A and B of L*a*b*, after Hunt. */
    MRWI_COMPARE_LOOK_B,
    MRWI_COMPARE_LOOK_EDGE, /* the strengths of edges and points */
    MRWI_COMPARE_LOOK_POINT,
    MRWI_COMPARE_LOOK_COUNT
} mrwi_compare_flip_look;

typedef struct mrwi_compare_flip_kernels {
    /* Filters cells of `width` pixels across; planes[i] and the line point to the first pixel. */
    void (*across)(const mrwi_compare_flip_filters *filters, const float *const planes[3],
                   int width, float *line);
    /* Filters a cell down, from `column` of the lines. lines[i] for i in -radius ... radius are the
     * rows around the cell's first row, and so on for its other rows. Writes the rows one after
     * another. */
    void (*down)(const mrwi_compare_flip_filters *filters, const float *const *lines, int column,
                 float *out);
    /* Computes the errors of a cell, into rows of tiles. */
    void (*compare)(const mrwi_compare_flip_metric *metric, const float *expected,
                    const float *actual, float *errors);
} mrwi_compare_flip_kernels;

extern const mrwi_compare_flip_kernels mrwi_compare_flip_kernels_scalar; /* the specification */
extern const mrwi_compare_flip_kernels mrwi_compare_flip_kernels_f4;     /* SSE2 or NEON */
extern const mrwi_compare_flip_kernels mrwi_compare_flip_kernels_avx2;
extern const mrwi_compare_flip_kernels mrwi_compare_flip_kernels_avx512;

/* Returns the kernels of an instruction set. */
const mrwi_compare_flip_kernels *mrwi_compare_flip_kernels_for(mrw_isa isa);

#endif
