/* triangulate.c: polygons with many corners, cut into triangles.
 *
 * Ears are clipped (Meisters, "Polygons have ears", 1975): a corner whose triangle with its two
 * neighbours holds no other corner is cut off. Only reflex corners can lie in such a triangle; a
 * grid finds those near it. assimp's own cut takes time that grows with the square of the corners.
 */
#include "import/triangulate.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Steps per corner. A polygon that needs more crosses itself or consists of points and lines; the
 * rest of it is cut without tests. */
#define STEPS 8000u

/* Finds reflex corners by place. */
typedef struct grid {
    uint32_t *cells;   /* per cell: its first corner, or NONE */
    uint32_t *link;    /* per corner: the next one of its cell, or NONE */
    uint32_t side;     /* number of cells on one side */
    double *bounds[2]; /* per axis: the least coordinate of each cell but the first */
} grid;

typedef struct polygon {
    uint32_t count;
    double (*at)[2];       /* the corners, in a plane where they go counter-clockwise */
    uint32_t *prev, *next; /* a ring of the corners that are left */
    uint8_t *reflex;       /* 1: the corner is left and turns clockwise */
    grid grid;
    uint64_t steps; /* number that may still be taken */
} polygon;

/* ---- plane ----------------------------------------------------------------------------------- */

static void newell_normal(const float *corners, uint32_t count, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < count; i++) {
        const float *a = corners + 3 * (size_t)i, *b = corners + 3 * (size_t)((i + 1) % count);
        for (int k = 0; k < 3; k++) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            out[k] += ((double)a[u] - (double)b[u]) * ((double)a[v] + (double)b[v]);
        }
    }
}

/* Drops the axis along which the polygon is seen largest, and counts the other two so that it goes
 * counter-clockwise. */
static void project(polygon *p, const float *corners)
{
    double normal[3];
    int axis = 0;
    newell_normal(corners, p->count, normal);
    for (int k = 1; k < 3; k++) {
        axis = fabs(normal[k]) > fabs(normal[axis]) ? k : axis;
    }
    const bool flip = normal[axis] < 0;
    const int u = (axis + (flip ? 2 : 1)) % 3, v = (axis + (flip ? 1 : 2)) % 3;
    for (uint32_t i = 0; i < p->count; i++) {
        p->at[i][0] = (double)corners[3 * (size_t)i + (size_t)u];
        p->at[i][1] = (double)corners[3 * (size_t)i + (size_t)v];
    }
}

/* Twice the area of a triangle; above 0 if it goes counter-clockwise. */
static double turn(const polygon *p, uint32_t a, uint32_t b, uint32_t c)
{
    return (p->at[b][0] - p->at[a][0]) * (p->at[c][1] - p->at[a][1]) -
           (p->at[b][1] - p->at[a][1]) * (p->at[c][0] - p->at[a][0]);
}

static bool is_convex(const polygon *p, uint32_t corner)
{
    return turn(p, p->prev[corner], corner, p->next[corner]) > 0;
}

static bool spend(polygon *p, uint64_t steps)
{
    p->steps -= steps < p->steps ? steps : p->steps;
    return p->steps > 0;
}

/* ---- grid ------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Chooses the bounds of cells so that each row and each column has as many corners, wherever these
 * crowd. `sorted` has room for a number per corner. */
static void place_bounds(polygon *p, double *sorted)
{
    for (int axis = 0; axis < 2; axis++) {
        for (uint32_t i = 0; i < p->count; i++) {
            sorted[i] = p->at[i][axis];
        }
        qsort(sorted, p->count, sizeof *sorted, compare);
        for (uint32_t i = 1; i < p->grid.side; i++) {
            p->grid.bounds[axis][i - 1] = sorted[(uint64_t)i * p->count / p->grid.side];
        }
    }
}

/* The number of bounds at or below a value. */
static uint32_t cell_of(const polygon *p, double value, int axis)
{
    uint32_t low = 0, high = p->grid.side - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->grid.bounds[axis][middle] <= value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void fill_grid(polygon *p)
{
    memset(p->grid.cells, 0xff,
           (size_t)p->grid.side * p->grid.side * sizeof *p->grid.cells); /* NONE */
    for (uint32_t i = p->count; i-- > 0;) {
        p->prev[i] = i > 0 ? i - 1 : p->count - 1;
        p->next[i] = i + 1 < p->count ? i + 1 : 0;
    }
    for (uint32_t i = p->count; i-- > 0;) {
        p->reflex[i] = !is_convex(p, i);
        if (p->reflex[i]) {
            const uint32_t cell =
                cell_of(p, p->at[i][1], 1) * p->grid.side + cell_of(p, p->at[i][0], 0);
            p->grid.link[i] = p->grid.cells[cell];
            p->grid.cells[cell] = i;
        }
    }
}

/* Removes corners that are cut off or now convex from a cell. Returns its first corner. */
static uint32_t tidy_cell(polygon *p, uint32_t cell)
{
    uint32_t *from = &p->grid.cells[cell];
    while (*from != NONE && spend(p, 1)) {
        if (p->reflex[*from]) {
            from = &p->grid.link[*from];
        } else {
            *from = p->grid.link[*from];
        }
    }
    return p->grid.cells[cell];
}

/* ---- ears ------------------------------------------------------------------------------------ */

static bool is_at(const polygon *p, uint32_t a, uint32_t b)
{
    return p->at[a][0] == p->at[b][0] && p->at[a][1] == p->at[b][1];
}

/* True if a corner lies in a triangle or on its edges, but not at one of its corners: there two
 * parts of a polygon with a hole meet. */
static bool holds(const polygon *p, const uint32_t triangle[3], uint32_t corner)
{
    for (int k = 0; k < 3; k++) {
        if (is_at(p, corner, triangle[k]) ||
            turn(p, triangle[k], triangle[(k + 1) % 3], corner) < 0) {
            return false;
        }
    }
    return true;
}

static bool is_ear(polygon *p, uint32_t corner)
{
    const uint32_t triangle[3] = {p->prev[corner], corner, p->next[corner]};
    uint32_t from[2], to[2];
    if (!spend(p, 1) || !is_convex(p, corner)) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        double low = p->at[corner][k], high = low;
        for (int i = 0; i < 3; i++) {
            low = p->at[triangle[i]][k] < low ? p->at[triangle[i]][k] : low;
            high = p->at[triangle[i]][k] > high ? p->at[triangle[i]][k] : high;
        }
        from[k] = cell_of(p, low, k);
        to[k] = cell_of(p, high, k);
    }
    for (uint32_t y = from[1]; y <= to[1]; y++) {
        for (uint32_t x = from[0]; x <= to[0]; x++) {
            uint32_t i = tidy_cell(p, y * p->grid.side + x);
            if (!spend(p, 1)) {
                return false;
            }
            for (; i != NONE; i = p->grid.link[i]) {
                if (!spend(p, 1) || holds(p, triangle, i)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Removes a corner, writes its triangle and looks at its neighbours again. */
static void clip(polygon *p, uint32_t corner, uint32_t *out)
{
    const uint32_t a = p->prev[corner], c = p->next[corner];
    out[0] = a;
    out[1] = corner;
    out[2] = c;
    p->next[a] = c;
    p->prev[c] = a;
    p->reflex[corner] = 0;
    /* A corner that becomes reflex is not in the grid; only those of bad polygons do. */
    p->reflex[a] = p->reflex[a] && !is_convex(p, a);
    p->reflex[c] = p->reflex[c] && !is_convex(p, c);
}

static void clip_all(polygon *p, uint32_t *out)
{
    uint32_t at = 0, waited = 0;
    for (uint32_t left = p->count; left >= 3;) {
        /* After a whole round without an ear, one corner is cut off anyway. */
        if (left > 3 && p->steps > 0 && waited < left && !is_ear(p, at)) {
            at = p->next[at];
            waited++;
            continue;
        }
        const uint32_t next = p->next[at];
        clip(p, at, out);
        out += 3;
        left--;
        waited = 0;
        at = p->next[next]; /* clipping neighbours in turn would make thin triangles */
    }
}

bool mrwi_import_triangulate(const float *corners, uint32_t count, uint32_t *out)
{
    polygon p = {.count = count, .grid = {.side = 1}, .steps = STEPS * (uint64_t)count};
    while (p.grid.side < 512 && p.grid.side * p.grid.side < count) {
        p.grid.side *= 2;
    }
    p.at = mrwi_base_alloc(count, sizeof *p.at);
    p.prev = mrwi_base_alloc(count, sizeof *p.prev);
    p.next = mrwi_base_alloc(count, sizeof *p.next);
    p.grid.link = mrwi_base_alloc(count, sizeof *p.grid.link);
    p.grid.bounds[0] = mrwi_base_alloc(p.grid.side, sizeof(double));
    p.grid.bounds[1] = mrwi_base_alloc(p.grid.side, sizeof(double));
    double *sorted = mrwi_base_alloc(count, sizeof *sorted);
    p.reflex = mrwi_base_alloc(count, sizeof *p.reflex);
    p.grid.cells = mrwi_base_alloc((size_t)p.grid.side * p.grid.side, sizeof *p.grid.cells);
    const bool good = p.at && p.prev && p.next && p.grid.link && p.reflex && p.grid.cells &&
                      p.grid.bounds[0] && p.grid.bounds[1] && sorted;
    if (good) {
        project(&p, corners);
        place_bounds(&p, sorted);
        fill_grid(&p);
        clip_all(&p, out);
    }
    mrwi_base_free(sorted);
    mrwi_base_free(p.grid.bounds[0]);
    mrwi_base_free(p.grid.bounds[1]);
    mrwi_base_free(p.at);
    mrwi_base_free(p.prev);
    mrwi_base_free(p.next);
    mrwi_base_free(p.grid.link);
    mrwi_base_free(p.reflex);
    mrwi_base_free(p.grid.cells);
    return good;
}
