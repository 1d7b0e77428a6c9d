/* curve.c: approximates animation curves by polylines.
 *
 * A segment is a cubic Bezier curve in the plane of time and value. It is halved (de Casteljau)
 * until its chord is close enough. The curve's height over the chord is itself a Bezier curve,
 * whose inner control points d1, d2 bound it by 3/4 max(|d1|, |d2|). So no cubic equation must be
 * solved. */
#include "import/curve.h"

#include "base/math.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define MAX_HALVINGS       10
#define RELATIVE_TOLERANCE 1e-4

static bool grow_line(mrwi_import_polyline *line)
{
    if (line->count < line->room) {
        return true;
    }
    size_t room = line->room > 0 ? 2 * line->room : 256;
    double *x = mrwi_base_alloc(room, sizeof *x),
           *y = mrwi_base_alloc(room, line->width * sizeof *y);
    if (!x || !y) {
        mrwi_base_free(x);
        mrwi_base_free(y);
        return false;
    }
    if (line->count > 0) {
        memcpy(x, line->x, line->count * sizeof *x);
        memcpy(y, line->y, line->count * line->width * sizeof *y);
    }
    mrwi_base_free(line->x);
    mrwi_base_free(line->y);
    line->x = x;
    line->y = y;
    line->room = room;
    return true;
}

/* Rounds times of less than 2^63; floor() is a call where the processor's instruction is not
 * assumed. */
static double round_time(double x)
{
    const double raised = x + 0.5, whole = (double)mrwi_base_to_i64(raised);
    return whole > raised ? whole - 1.0 : whole;
}

/* Returns the place for the numbers of a new point, or NULL if it is not added. */
static double *add_point(mrwi_import_polyline *line, double x)
{
    x = line->whole ? round_time(x) : x;
    if (line->count > 0 && !(x > line->x[line->count - 1])) {
        return NULL;
    }
    if (line->failed || line->count == line->limit || !grow_line(line)) {
        line->failed = true;
        return NULL;
    }
    line->x[line->count] = x;
    return line->y + line->count++ * line->width;
}

void mrwi_import_polyline_add(mrwi_import_polyline *line, double x, const double *y)
{
    double *out = add_point(line, x);
    for (size_t c = 0; out && c < line->width; c++) {
        out[c] = y[c];
    }
}

static bool is_flat(const mrwi_import_bezier *b, size_t width, const double *tolerance)
{
    double span = b->x[3] - b->x[0];
    for (size_t c = 0; c < width; c++) {
        const double *y = b->y[c];
        double rise = (y[3] - y[0]) / span;
        double d1 = y[1] - y[0] - rise * (b->x[1] - b->x[0]);
        double d2 = y[2] - y[0] - rise * (b->x[2] - b->x[0]);
        if (0.75 * fabs(d1) > tolerance[c] || 0.75 * fabs(d2) > tolerance[c]) {
            return false;
        }
    }
    return true;
}

/* Halves a curve, given by four numbers. */
static inline void halve(const double in[4], double low[4], double high[4])
{
    double a = 0.5 * (in[0] + in[1]), b = 0.5 * (in[1] + in[2]), c = 0.5 * (in[2] + in[3]);
    double d = 0.5 * (a + b), e = 0.5 * (b + c), middle = 0.5 * (d + e);
    low[0] = in[0], low[1] = a, low[2] = d, low[3] = middle;
    high[0] = middle, high[1] = e, high[2] = c, high[3] = in[3];
}

static void add_pieces(mrwi_import_polyline *line, const mrwi_import_bezier *b,
                       const double *tolerance, double step, int depth)
{
    const size_t width = line->width;
    if (depth == MAX_HALVINGS || line->failed || b->x[3] - b->x[0] < 2.0 * step ||
        is_flat(b, width, tolerance)) {
        double *out = add_point(line, b->x[3]);
        for (size_t c = 0; out && c < width; c++) {
            out[c] = b->y[c][3];
        }
        return;
    }
    mrwi_import_bezier low, high;
    halve(b->x, low.x, high.x);
    for (size_t c = 0; c < width; c++) {
        halve(b->y[c], low.y[c], high.y[c]);
    }
    add_pieces(line, &low, tolerance, step, depth + 1);
    add_pieces(line, &high, tolerance, step, depth + 1);
}

void mrwi_import_polyline_add_bezier(mrwi_import_polyline *line, const mrwi_import_bezier *segment,
                                     const double *tolerance, double step)
{
    add_pieces(line, segment, tolerance, step, 0);
}

void mrwi_import_polyline_free(mrwi_import_polyline *line)
{
    mrwi_base_free(line->x);
    mrwi_base_free(line->y);
}

void mrwi_import_curve_tolerance(const double *values, size_t count, size_t width, double least,
                                 double *tolerance)
{
    for (size_t c = 0; c < width; c++) {
        double low = values[c], high = values[c];
        for (size_t i = 1; i < count; i++) {
            double v = values[i * width + c];
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        double wanted = RELATIVE_TOLERANCE * (high - low);
        tolerance[c] = wanted > least ? wanted : least;
    }
}
