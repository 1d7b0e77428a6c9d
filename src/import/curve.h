/* curve.h: animation curves as polylines. */
#ifndef MRWI_IMPORT_CURVE_H
#define MRWI_IMPORT_CURVE_H

#include "marrow/base.h"

#include <stddef.h>

#define MRWI_IMPORT_CURVE_WIDTH 16 /* most numbers a key has: a matrix */

/* Points of strictly ascending x with `width` numbers each. All zero but the width, whether x is
 * whole and the limit is an empty one. */
typedef struct mrwi_import_polyline {
    size_t width;
    bool whole;   /* x is rounded to whole numbers */
    size_t limit; /* points it may have */
    double *x;
    double *y;
    size_t count, room;
    bool failed; /* out of memory, or over the limit */
} mrwi_import_polyline;

/* The control points of one segment; x[1] and x[2] lie between the ends. */
typedef struct mrwi_import_bezier {
    double x[4];
    double y[4][MRWI_IMPORT_CURVE_WIDTH];
} mrwi_import_bezier;

/* Adds a point unless it does not lie behind the last one. */
void mrwi_import_polyline_add(mrwi_import_polyline *line, double x, const double *y);

/* Adds the end of a segment that begins at the last point, and before it as many points of the
 * segment as it takes to be within `tolerance` of each number, but none closer than `step`. */
void mrwi_import_polyline_add_bezier(mrwi_import_polyline *line, const mrwi_import_bezier *segment,
                                     const double *tolerance, double step);

void mrwi_import_polyline_free(mrwi_import_polyline *line);

/* What each number of some keys may be off: a ten thousandth of its range, but no less than
 * `least`. */
void mrwi_import_curve_tolerance(const double *values, size_t count, size_t width, double least,
                                 double *tolerance);

#endif
