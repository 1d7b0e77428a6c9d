/* coverage.c: the samples that a triangle covers, and the depth test: the specification of the
 * kernels in cover_kernel.h; also the walk from pixel to pixel.
 *
 * Each sample of the pattern is rasterized like a picture of its own, shifted by the sample's
 * offset. All edge values of one sample are E(x, y) = c + 256 (a x + b y) over pixels, so E >> 8
 * keeps the sign, and only that is used. A row's span is exact: the crossing of an edge is a floor
 * division whose quotient and remainder step from row to row, so a row costs no division.
 */
#include "raster/cover.h"

#include "base/simd/isa.h"
#include "shade/shade_isa.h"

#include <assert.h>

static const mrwi_shade_sample_pattern patterns[4] = {
    {1, 0, {0}, {0}},
    {2, 64, {4, -4}, {4, -4}},
    {4, 96, {-2, 6, -6, 2}, {-6, -2, 2, 6}},
    {8, 112, {1, -1, 5, -3, -5, -7, 3, 7}, {-3, 3, 1, -5, 5, -1, 7, -7}},
};

const mrwi_shade_sample_pattern *mrwi_raster_samples(uint32_t count)
{
    return &patterns[count == 1 ? 0 : count == 2 ? 1 : count == 4 ? 2 : 3];
}

/* Returns E >> 8 of an edge at a sample of a pixel. */
static inline int64_t edge_at(const mrwi_raster_edges *e, int i, int64_t x, int64_t y, int dx,
                              int dy)
{
    return (e->c[i] + e->a[i] * (x * MRWI_SHADE_SUBPIXEL + MRWI_SHADE_SUBPIXEL / 2 + dx * 16) +
            e->b[i] * (y * MRWI_SHADE_SUBPIXEL + MRWI_SHADE_SUBPIXEL / 2 + dy * 16)) >>
           8;
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* The crossing of an edge with a row: floor(E / |a|) at pixel 0, and its change to the next row. */
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

static void crossing_begin(crossing *k, const mrwi_raster_edges *e, int i, int32_t y, int dx,
                           int dy)
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

/* The walk over the rows of one sample. */
typedef struct span_walk {
    crossing edge[3];
    int32_t x0, x1;
} span_walk;

static void spans_begin(span_walk *walk, const mrwi_raster_setup *t, int32_t y, int dx, int dy)
{
    for (int i = 0; i < 3; i++) {
        crossing_begin(&walk->edge[i], &t->edges, i, y, dx, dy);
    }
    walk->x0 = t->box.x0;
    walk->x1 = t->box.x1;
}

/* Returns the covered pixels [*lo, *hi) of the current row (none if *lo >= *hi), and goes to the
 * next row. */
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

typedef struct row_range {
    int32_t first, end;
} row_range;

/* Returns the rows of the triangle's box that lie in the band. */
static inline row_range rows_in_band(const mrwi_raster_visibility *band, const mrwi_raster_setup *t)
{
    return (row_range){t->box.y0 > band->y0 ? t->box.y0 : band->y0,
                       t->box.y1 < band->y1 ? t->box.y1 : band->y1};
}

/* ---- opaque triangles ------------------------------------------------------------------------ */

/* Depth-tests one sample of the pixels of a triangle. */
static void cover_sample(const mrwi_shade_sample_pattern *pattern, uint32_t sample,
                         const mrwi_raster_setup *t, int32_t id, row_range in_band,
                         const mrwi_raster_visibility *seen)
{
    const float dx = (float)pattern->x[sample] * 0.0625f + 0.5f; /* from the corner of a pixel */
    const float dy = (float)pattern->y[sample] * 0.0625f + 0.5f;
    int32_t lo, hi;
    span_walk walk;
    spans_begin(&walk, t, in_band.first, pattern->x[sample], pattern->y[sample]);
    for (int32_t y = in_band.first; y < in_band.end; y++) {
        const float from_box = (float)(y - t->box.y0) + dy;
        const size_t row = mrwi_raster_sample_index(seen, y, sample);
        spans_next(&walk, &lo, &hi);
        for (int32_t x = lo; x < hi; x++) {
            const float z = mrwi_raster_depth(t, (float)(x - t->box.x0) + dx, from_box);
            const size_t at = row + (size_t)x;
            if (!seen->id) {
                seen->z[at] = z < seen->z[at] ? z : seen->z[at];
            } else if (mrwi_raster_wins(z, id, seen->z[at], seen->id[at])) {
                seen->z[at] = z;
                seen->id[at] = id;
            }
        }
    }
}

static void cover(const mrwi_raster_geometry *geometry, const mrwi_raster_visibility *seen,
                  const uint32_t *ids, uint32_t count)
{
    const mrwi_shade_sample_pattern *pattern = geometry->view.pattern;
    for (uint32_t i = 0; i < count; i++) {
        mrwi_raster_setup t;
        mrwi_raster_setup_triangle(geometry, &geometry->kept.triangles[ids[i]],
                                   &geometry->kept.boxes[ids[i]], &t);
        const row_range in_band = rows_in_band(seen, &t);
        for (uint32_t s = 0; s < pattern->count; s++) {
            cover_sample(pattern, s, &t, (int32_t)ids[i], in_band, seen);
        }
    }
}

static void farthest(const float *z, size_t stride, size_t rows, int32_t columns, float *out)
{
    for (int32_t i = 0; i < columns; i++, z += MRWI_RASTER_BLOCK_WIDTH) {
        out[i] = z[0];
        for (size_t k = 0; k < rows * MRWI_RASTER_BLOCK_WIDTH; k++) {
            const float here =
                z[k / MRWI_RASTER_BLOCK_WIDTH * stride + k % MRWI_RASTER_BLOCK_WIDTH];
            out[i] = here > out[i] ? here : out[i];
        }
    }
}

/* ---- one pixel after another ----------------------------------------------------------------- */

void mrwi_raster_visit_pixels(const mrwi_shade_sample_pattern *pattern,
                              const mrwi_raster_visibility *band, const mrwi_raster_setup *setup,
                              mrwi_raster_pixel_visitor visit, void *user)
{
    span_walk walk[MRWI_SHADE_MAX_SAMPLES];
    const row_range in_band = rows_in_band(band, setup);
    for (uint32_t s = 0; s < pattern->count; s++) {
        spans_begin(&walk[s], setup, in_band.first, pattern->x[s], pattern->y[s]);
    }
    for (int32_t y = in_band.first; y < in_band.end; y++) {
        int32_t lo[MRWI_SHADE_MAX_SAMPLES], hi[MRWI_SHADE_MAX_SAMPLES];
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
                visit(user, setup, x, y, mask);
            }
        }
    }
}

/* ---- triangles whose alpha counts ------------------------------------------------------------ */

/* A triangle whose fragments are collected. */
typedef struct collected {
    const mrwi_raster_collector *to;
    int32_t id;
} collected;

/* Computes the depths of the samples of mask. Returns those that would win against what is visible.
 */
static uint32_t depth_test(const collected *c, const mrwi_raster_setup *t, int32_t x, int32_t y,
                           uint32_t mask, float z[MRWI_SHADE_MAX_SAMPLES])
{
    const mrwi_shade_sample_pattern *pattern = c->to->pattern;
    const mrwi_raster_visibility *seen = c->to->seen;
    uint32_t won = 0;
    for (; mask != 0; mask &= mask - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(mask);
        size_t at = mrwi_raster_sample_index(seen, y, s) + (size_t)x;
        float dx = (float)(x - t->box.x0) + ((float)pattern->x[s] * 0.0625f + 0.5f);
        float dy = (float)(y - t->box.y0) + ((float)pattern->y[s] * 0.0625f + 0.5f);
        z[s] = mrwi_raster_depth(t, dx, dy);
        won |= (uint32_t)mrwi_raster_wins(z[s], c->id, seen->z[at], seen->id[at]) << s;
    }
    return won;
}

/* Finds the place in a pixel where a fragment is shaded: the centre if the triangle covers it,
 * otherwise the lowest sample of mask. */
static void place_in_pixel(const mrwi_shade_sample_pattern *pattern, const mrwi_raster_edges *edges,
                           int32_t x, int32_t y, uint32_t mask, float at[2])
{
    at[0] = 0.5f;
    at[1] = 0.5f;
    /* a triangle that covers every sample covers the centre, which lies between them */
    if (mask == (1u << pattern->count) - 1u) {
        return;
    }
    const int64_t half = MRWI_SHADE_SUBPIXEL / 2;
    if (!mrwi_raster_covers(edges, x * MRWI_SHADE_SUBPIXEL + half,
                            y * MRWI_SHADE_SUBPIXEL + half)) {
        uint32_t s = (uint32_t)__builtin_ctz(mask);
        at[0] += (float)pattern->x[s] * 0.0625f;
        at[1] += (float)pattern->y[s] * 0.0625f;
    }
}

static void add_samples(const collected *c, int32_t x, int32_t y, uint32_t won,
                        const float z[MRWI_SHADE_MAX_SAMPLES])
{
    const mrwi_shade_sample_pattern *pattern = c->to->pattern;
    bool full = false;
    for (; won != 0; won &= won - 1) {
        const uint32_t s = (uint32_t)__builtin_ctz(won);
        mrwi_raster_mask_samples *list = &c->to->samples[s];
        const uint32_t n = list->at.count++;
        list->at.x[n] = (float)x + ((float)pattern->x[s] * 0.0625f + 0.5f);
        list->at.y[n] = (float)y + ((float)pattern->y[s] * 0.0625f + 0.5f);
        list->at.triangle[n] = (uint32_t)c->id;
        list->place[n] = (uint32_t)(mrwi_raster_sample_index(c->to->seen, y, s) + (size_t)x);
        list->z[n] = z[s];
        full |= list->at.count == MRWI_SHADE_LIST_MAX;
    }
    if (full) {
        c->to->candidates->flush(c->to->candidates->band);
    }
}

/* Adds a pixel to the lists: an mrwi_raster_pixel_visitor. */
static void add_pixel(void *user, const mrwi_raster_setup *setup, int32_t x, int32_t y,
                      uint32_t mask)
{
    const collected *c = user;
    mrwi_shade_fragments *f = c->to->fragments;
    mrwi_raster_candidates *candidates = c->to->candidates;
    float z[MRWI_SHADE_MAX_SAMPLES] = {0}, at[2];
    const uint32_t won = depth_test(c, setup, x, y, mask, z);
    if (c->to->samples) {
        add_samples(c, x, y, won, z);
        return;
    }
    if (won == 0) {
        return;
    }
    if (f->count == MRWI_SHADE_LIST_MAX) {
        candidates->flush(candidates->band);
    }
    /* the place depends on all covered samples, so that hidden ones do not move it */
    place_in_pixel(c->to->pattern, &setup->edges, x, y, mask, at);
    const uint32_t n = f->count++;
    f->x[n] = (float)x + at[0];
    f->y[n] = (float)y + at[1];
    f->triangle[n] = (uint32_t)c->id;
    candidates->pixel[n] = (uint32_t)(y - c->to->seen->y0) * candidates->pitch + (uint32_t)x;
    candidates->mask[n] = won;
    for (uint32_t s = 0; candidates->with_z && s < c->to->pattern->count; s++) {
        candidates->z[s][n] = z[s];
    }
}

static void collect(const mrwi_raster_geometry *geometry, const mrwi_raster_collector *to,
                    const uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mrwi_raster_setup setup;
        mrwi_raster_setup_triangle(geometry, &geometry->kept.triangles[ids[i]],
                                   &geometry->kept.boxes[ids[i]], &setup);
        collected c = {to, (int32_t)ids[i]};
        mrwi_raster_visit_pixels(to->pattern, to->seen, &setup, add_pixel, &c);
    }
}

/* ---- the kernels ----------------------------------------------------------------------------- */

const mrwi_raster_cover_kernels mrwi_raster_cover_kernels_scalar = {cover, farthest, collect};

const mrwi_raster_cover_kernels *mrwi_raster_cover_kernels_for(mrw_isa isa)
{
    mrwi_shade_fill_lane_tables();
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_raster_cover_kernels_scalar,
        [MRW_ISA_SSE2] = MRWI_BASE_ON_X86(&mrwi_raster_cover_kernels_sse2),
        [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_raster_cover_kernels_avx2),
        [MRW_ISA_AVX512] = MRWI_BASE_ON_X86(&mrwi_raster_cover_kernels_avx512),
        [MRW_ISA_NEON] = MRWI_BASE_ON_ARM64(&mrwi_raster_cover_kernels_neon),
    };
    return mrwi_base_isa_kernels(by_isa, isa);
}
