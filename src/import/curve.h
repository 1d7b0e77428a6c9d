/* curve.h: approximates animation curves by polylines. */
#ifndef MRWI_IMPORT_CURVE_H
#define MRWI_IMPORT_CURVE_H

#include "marrow/base.h"

#include <stddef.h>

#define MRWI_IMPORT_CURVE_WIDTH 16 /* most numbers of a key: a matrix */

/* Points of strictly ascending x with `width` numbers each. An empty one is zero except for width,
 * whole and limit. */
typedef struct mrwi_import_polyline {
    size_t width;
    bool whole;   /* true if x is rounded to whole numbers */
    size_t limit; /* largest number of points */
    double *x;
    double *y;
    size_t count, room;
    bool failed; /* true if out of memory, or over the limit */
} mrwi_import_polyline;

/* The control points of one segment; x[1] and x[2] are between the ends. The numbers of a key have
 * their four points side by side; those beyond the width of the polyline are not read. */
typedef struct mrwi_import_bezier {
    double x[4];
    double y[MRWI_IMPORT_CURVE_WIDTH][4];
} mrwi_import_bezier;

/* Adds a point, unless it is not after the last one. */
void mrwi_import_polyline_add(mrwi_import_polyline *line, double x, const double *y);

/* Adds the end of a segment that begins at the last point. Before it, adds as many points of the
 * segment as are needed to stay within `tolerance` of each number, but none closer than `step`. */
void mrwi_import_polyline_add_bezier(mrwi_import_polyline *line, const mrwi_import_bezier *segment,
                                     const double *tolerance, double step);

void mrwi_import_polyline_free(mrwi_import_polyline *line);

/* Finds the tolerance for each number of some keys: a ten thousandth of its range, but at least
 * `least`. */
void mrwi_import_curve_tolerance(const double *values, size_t count, size_t width, double least,
                                 double *tolerance);

#endif
