/* coverage.c: which samples a triangle covers, and the depth test.
 *
 * Each sample of the pattern is rasterized as a picture of its own, shifted by the sample's offset.
 * All edge values of one sample are E(x, y) = c + 256 (a x + b y) over pixels, so E >> 8 keeps the
 * sign and is all that is computed with. Two ways through a triangle:
 * - narrow ones: edge values of four pixels at a time, in 32 bits where the extent proves that they
 *   fit (|E| <= 2 w h < 2^31 before the shift for w, h < 2^15 sub-pixels);
 * - all others: the exact half-open span of each row. An edge's crossing is a floor division
 *   whose quotient and remainder step from row to row, so a row costs no division.
 */
#include "raster/internal.h"

#include "base/lanes.h"

/* Boxes up to so many pixels wide are cheaper by edge masks than by spans. */
#define NARROW 24

static const mrwi_sample_pattern patterns[4] = {
    {1, 0, {0}, {0}},
    {2, 64, {4, -4}, {4, -4}},
    {4, 96, {-2, 6, -6, 2}, {-6, -2, 2, 6}},
    {8, 112, {1, -1, 5, -3, -5, -7, 3, 7}, {-3, 3, 1, -5, 5, -1, 7, -7}},
};

const mrwi_sample_pattern *mrwi_samples(uint32_t count)
{
    return &patterns[count == 1 ? 0 : count == 2 ? 1 : count == 4 ? 2 : 3];
}

/* E >> 8 of an edge at a sample of a pixel. */
static inline int64_t edge_at(const mrwi_edges *e, int i, int64_t x, int64_t y, int dx, int dy)
{
    return (e->c[i] + e->a[i] * (x * MRWI_SUBPIXEL + MRWI_SUBPIXEL / 2 + dx * 16) +
            e->b[i] * (y * MRWI_SUBPIXEL + MRWI_SUBPIXEL / 2 + dy * 16)) >>
           8;
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* Where an edge crosses a row: floor(E / |a|) at pixel 0, and how it changes with the next row. */
typedef struct crossing {
    int64_t quotient, remainder;
    int64_t quotient_step, remainder_step;
    int64_t divisor;
    int32_t a;
} crossing;

static inline int64_t floor_div(int64_t n, int64_t d)
{
    int64_t q = n / d;
    return q - (n % d < 0);
}

static void crossing_begin(crossing *k, const mrwi_edges *e, int i, int32_t y, int dx, int dy)
{
    int64_t value = edge_at(e, i, 0, y, dx, dy);
    k->a = e->a[i];
    k->divisor = k->a > 0 ? k->a : k->a < 0 ? -(int64_t)k->a : 1;
    k->quotient = floor_div(value, k->divisor);
    k->remainder = value - k->quotient * k->divisor;
    k->quotient_step = floor_div(e->b[i], k->divisor);
    k->remainder_step = e->b[i] - k->quotient_step * k->divisor;
}

static inline void crossing_next_row(crossing *k)
{
    k->quotient += k->quotient_step;
    k->remainder += k->remainder_step;
    if (k->remainder >= k->divisor) {
        k->remainder -= k->divisor;
        k->quotient++;
    }
}

/* Cuts lo ... hi to the pixels inside the edge: E + a x >= 0. */
static inline void crossing_cut(const crossing *k, int64_t *lo, int64_t *hi)
{
    if (k->a > 0) {
        *lo = -k->quotient > *lo ? -k->quotient : *lo;
    } else if (k->a < 0) {
        *hi = k->quotient + 1 < *hi ? k->quotient + 1 : *hi;
    } else if (k->quotient < 0) {
        *hi = *lo;
    }
}

/* The rows of one sample. */
typedef struct span_walk {
    crossing edge[3];
    int32_t x0, x1;
} span_walk;

static void spans_begin(span_walk *walk, const mrwi_setup *t, int32_t y, int dx, int dy)
{
    for (int i = 0; i < 3; i++) {
        crossing_begin(&walk->edge[i], &t->edges, i, y, dx, dy);
    }
    walk->x0 = t->box.x0;
    walk->x1 = t->box.x1;
}

/* The covered pixels [*lo, *hi) of the current row (none when *lo >= *hi); goes to the next. */
static inline void spans_next(span_walk *walk, int32_t *lo, int32_t *hi)
{
    int64_t from = walk->x0;
    int64_t to = walk->x1;
    for (int i = 0; i < 3; i++) {
        crossing_cut(&walk->edge[i], &from, &to);
        crossing_next_row(&walk->edge[i]);
    }
    to = from < to ? to : from;
    *lo = (int32_t)(from < walk->x1 ? from : walk->x1);
    *hi = (int32_t)(to < walk->x1 ? to : walk->x1);
}

/* ---- depth test ------------------------------------------------------------------------------ */

/* One triangle, one sample, one row: what the depth test needs. */
typedef struct depth_row {
    float *z;
    int32_t *id;
    mrwi_f4 row_z; /* z0 + dy * zy */
    mrwi_f4 zx, z_min, z_max;
    mrwi_i4 triangle;
} depth_row;

/* Tests the pixels x ... x + 3 where mask is set. dx: their distance from the corner of the box. */
static inline void test_depth(const depth_row *row, int32_t x, mrwi_f4 dx, mrwi_i4 mask)
{
    mrwi_f4 z = row->row_z + dx * row->zx;
    z = mrwi_f4_select(z < row->z_min, row->z_min, z);
    z = mrwi_f4_select(z > row->z_max, row->z_max, z);
    mrwi_f4 old_z = mrwi_f4_load(row->z + x);
    mrwi_i4 old_id = mrwi_i4_load(row->id + x);
    mask &= (z < old_z) | ((z == old_z) & (row->triangle < old_id));
    if (mrwi_i4_any(mask)) {
        mrwi_f4_store(row->z + x, mrwi_f4_select(mask, z, old_z));
        mrwi_i4_store(row->id + x, mrwi_i4_select(mask, row->triangle, old_id));
    }
}

static const mrwi_f4 lane_offset = {0.0f, 1.0f, 2.0f, 3.0f};
static const mrwi_i4 lane_number = {0, 1, 2, 3};

/* Rows of the triangle's box that lie in the band. */
static inline void rows_in_band(const mrwi_band *band, const mrwi_setup *t, int32_t *y0,
                                int32_t *y1)
{
    *y0 = t->box.y0 > band->box.y0 ? t->box.y0 : band->box.y0;
    *y1 = t->box.y1 < band->box.y1 ? t->box.y1 : band->box.y1;
}

static inline depth_row begin_row(const mrwi_setup *t, int32_t id)
{
    return (depth_row){.zx = mrwi_f4_set(t->zx),
                       .z_min = mrwi_f4_set(t->z_min),
                       .z_max = mrwi_f4_set(t->z_max),
                       .triangle = mrwi_i4_set(id)};
}

static inline void place_row(depth_row *row, const mrwi_band *band, const mrwi_setup *t, int32_t y,
                             uint32_t sample, float dy)
{
    size_t at = mrwi_sample_index(band, y, sample);
    row->z = band->z + at;
    row->id = band->id + at;
    row->row_z = mrwi_f4_set(t->z0 + ((float)(y - t->box.y0) + dy) * t->zy);
}

/* ---- the two ways ---------------------------------------------------------------------------- */

static void cover_narrow(const mrwi_band *band, const mrwi_setup *t, int32_t id)
{
    const mrwi_sample_pattern *pattern = band->frame->geometry->pattern;
    const int32_t x0 = t->box.x0;
    const int32_t x1 = t->box.x1;
    int32_t y0, y1;
    rows_in_band(band, t, &y0, &y1);
    depth_row row = begin_row(t, id);
    for (uint32_t s = 0; s < pattern->count; s++) {
        mrwi_i4 e[3], step_x[3], step_y[3];
        for (int i = 0; i < 3; i++) {
            mrwi_i4 a = mrwi_i4_set(t->edges.a[i]);
            e[i] =
                mrwi_i4_set((int32_t)edge_at(&t->edges, i, x0, y0, pattern->x[s], pattern->y[s])) +
                a * lane_number;
            step_x[i] = a * MRWI_LANES;
            step_y[i] = mrwi_i4_set(t->edges.b[i]);
        }
        mrwi_f4 first_dx = lane_offset + mrwi_f4_set((float)pattern->x[s] * 0.0625f + 0.5f);
        for (int32_t y = y0; y < y1; y++) {
            place_row(&row, band, t, y, s, (float)pattern->y[s] * 0.0625f + 0.5f);
            mrwi_f4 dx = first_dx;
            mrwi_i4 e0 = e[0], e1 = e[1], e2 = e[2];
            for (int32_t x = x0; x < x1; x += MRWI_LANES) {
                mrwi_i4 mask = (e0 | e1 | e2) >= 0;
                if (mrwi_i4_any(mask)) {
                    test_depth(&row, x, dx, mask);
                }
                e0 += step_x[0];
                e1 += step_x[1];
                e2 += step_x[2];
                dx += (float)MRWI_LANES;
            }
            e[0] += step_y[0];
            e[1] += step_y[1];
            e[2] += step_y[2];
        }
    }
}

static void cover_spans(const mrwi_band *band, const mrwi_setup *t, int32_t id)
{
    const mrwi_sample_pattern *pattern = band->frame->geometry->pattern;
    int32_t y0, y1;
    rows_in_band(band, t, &y0, &y1);
    depth_row row = begin_row(t, id);
    for (uint32_t s = 0; s < pattern->count; s++) {
        span_walk walk;
        spans_begin(&walk, t, y0, pattern->x[s], pattern->y[s]);
        mrwi_f4 offset = lane_offset + mrwi_f4_set((float)pattern->x[s] * 0.0625f + 0.5f);
        for (int32_t y = y0; y < y1; y++) {
            int32_t lo, hi;
            spans_next(&walk, &lo, &hi);
            place_row(&row, band, t, y, s, (float)pattern->y[s] * 0.0625f + 0.5f);
            for (int32_t x = lo; x < hi; x += MRWI_LANES) {
                test_depth(&row, x, mrwi_f4_set((float)(x - t->box.x0)) + offset,
                           lane_number < hi - x);
            }
        }
    }
}

void mrwi_cover_triangle(mrwi_band *band, const mrwi_setup *setup, int32_t id)
{
    if (setup->small && setup->box.x1 - setup->box.x0 <= NARROW) {
        cover_narrow(band, setup, id);
    } else {
        cover_spans(band, setup, id);
    }
}

void mrwi_visit_pixels(mrwi_band *band, const mrwi_setup *setup, int32_t id,
                       mrwi_pixel_visitor visit)
{
    const mrwi_sample_pattern *pattern = band->frame->geometry->pattern;
    span_walk walk[MRWI_MAX_SAMPLES];
    int32_t y0, y1;
    rows_in_band(band, setup, &y0, &y1);
    for (uint32_t s = 0; s < pattern->count; s++) {
        spans_begin(&walk[s], setup, y0, pattern->x[s], pattern->y[s]);
    }
    for (int32_t y = y0; y < y1; y++) {
        int32_t lo[MRWI_MAX_SAMPLES], hi[MRWI_MAX_SAMPLES];
        int32_t from = setup->box.x1;
        int32_t to = setup->box.x0;
        for (uint32_t s = 0; s < pattern->count; s++) {
            spans_next(&walk[s], &lo[s], &hi[s]);
            from = lo[s] < from ? lo[s] : from;
            to = hi[s] > to ? hi[s] : to;
        }
        for (int32_t x = from; x < to; x++) {
            uint32_t mask = 0;
            for (uint32_t s = 0; s < pattern->count; s++) {
                mask |= (uint32_t)(x >= lo[s] && x < hi[s]) << s;
            }
            if (mask != 0) {
                visit(band, setup, id, x, y, mask);
            }
        }
    }
}
