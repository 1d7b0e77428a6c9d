/* cover_fragments.h: finds the fragments of triangles whose alpha counts and which may be visible,
 * MRWI_BASE_LANES pixels of a row at a time; included by cover_kernel.h. collect() of coverage.c is
 * the specification. Triangles keep their order. Their pixels come in another order than there,
 * which does not show, because each comes once. */
#include "shade/compact_lanes.h"

/* The parameter `samples` is the pattern's count. It is a constant in each copy of these functions,
 * so loops over samples are unrolled. */

/* Appends the samples of pixels x ... of row y that win. */
LANE_INLINE void add_samples(const mrwi_raster_collector *to, const surface *face, int32_t x,
                             int32_t y, const vmask *wins, const vf *z, uint32_t samples)
{
    const mrwi_shade_sample_pattern *pattern = to->pattern;
    const mrwi_raster_visibility *seen = to->seen;
    const vi lane = lane_numbers();
    uint32_t most = 0;
    LANE_UNROLL
    for (uint32_t s = 0; s < samples; s++) {
        mrwi_raster_mask_samples *list = &to->samples[s];
        const uint32_t bits = vmask_bits(wins[s]), n = list->at.count;
        const lane_order order = order_of(vmask_keep(wins[s], vi_set(-1)));
        const size_t at = ((size_t)(y - seen->y0) * samples + s) * seen->stride + (size_t)x;
        vf_store_ordered(list->at.x + n, vi_to_float(lane + x) + sample_offset(pattern->x[s]),
                         order);
        vf_store(list->at.y + n, vf_set((float)y + sample_offset(pattern->y[s])));
        vi_store_ordered(list->at.triangle + n, face->id, order);
        vi_store_ordered(list->place + n, lane + (int32_t)at, order);
        vf_store_ordered(list->z + n, z[s], order);
        list->at.count += bit_count(bits);
        most = list->at.count > most ? list->at.count : most;
    }
    if (most + MRWI_BASE_LANES > MRWI_SHADE_LIST_MAX) {
        to->candidates->flush(to->candidates->band);
    }
}

/* Appends the pixels x ... of row y of which a covered sample wins against what is visible. centre:
 * pixels whose centre is covered, too. row_z: depth at the box's left edge, per sample. */
LANE_INLINE void add_pixels(const mrwi_raster_collector *to, const surface *face, int32_t x,
                            int32_t y, int32_t box_x0, const vmask *covered, vmask centre,
                            const float *row_z, uint32_t samples)
{
    const mrwi_shade_sample_pattern *pattern = to->pattern;
    const mrwi_raster_visibility *seen = to->seen;
    const vi lane = lane_numbers();
    const vf from_box = vi_to_float(lane + (x - box_x0));
    vf z[MRWI_SHADE_MAX_SAMPLES];
    vf at_x = vf_set(0.5f), at_y = at_x;
    vmask wins[MRWI_SHADE_MAX_SAMPLES];
    vi won = vi_set(0);
    LANE_UNROLL
    for (uint32_t i = 0; i < samples; i++) {
        const uint32_t s = samples - 1 - i;
        const size_t at = ((size_t)(y - seen->y0) * samples + s) * seen->stride + (size_t)x;
        const float dx = sample_offset(pattern->x[s]), dy = sample_offset(pattern->y[s]);
        z[s] = vf_min(face->z_max, vf_max(row_z[s] + (from_box + dx) * face->zx, face->z_min));
        wins[s] = wins_against(face, z[s], covered[s], seen->z + at, seen->id + at);
        won |= vmask_keep(wins[s], vi_set(1 << s));
        at_x = vf_choose(covered[s], vf_set(dx), at_x);
        at_y = vf_choose(covered[s], vf_set(dy), at_y);
    }
    const uint32_t bits = ~mask_bits(vi_equal(won, vi_set(0))) & ((1u << MRWI_BASE_LANES) - 1u);
    if (bits == 0) {
        return;
    }
    if (to->samples) {
        add_samples(to, face, x, y, wins, z, samples);
        return;
    }
    at_x = vf_choose(centre, vf_set(0.5f), at_x);
    at_y = vf_choose(centre, vf_set(0.5f), at_y);
    mrwi_shade_fragments *f = to->fragments;
    mrwi_raster_candidates *c = to->candidates;
    if (f->count + MRWI_BASE_LANES > MRWI_SHADE_LIST_MAX) {
        c->flush(c->band);
    }
    const uint32_t n = f->count;
    const lane_order order = order_of(~vi_equal(won, vi_set(0)));
    const int32_t first = (y - seen->y0) * (int32_t)c->pitch + x;
    vf_store_ordered(f->x + n, vi_to_float(lane + x) + at_x, order);
    vf_store_ordered(f->y + n, vf_set((float)y) + at_y, order);
    vi_store_ordered(f->triangle + n, face->id, order);
    vi_store_ordered(c->pixel + n, lane + first, order);
    vi_store_ordered(c->mask + n, won, order);
    for (uint32_t s = 0; c->with_z && s < samples; s++) {
        vf_store_ordered(c->z[s] + n, z[s], order);
    }
    f->count += bit_count(bits);
}

/* Computes the depth at the left edge of the box, for each sample of row y. */
LANE_INLINE void depths_of_row(const mrwi_shade_sample_pattern *pattern, const batch *t, int k,
                               int32_t y, float *row_z, uint32_t samples)
{
    for (uint32_t s = 0; s < samples; s++) {
        const float dy = (float)(y - t->box.top[k]) + sample_offset(pattern->y[s]);
        row_z[s] = t->depth.z0[k] + dy * t->depth.zy[k];
    }
}

/* ---- small triangles: edge values in 32 bits ------------------------------------------------- */

LANE_INLINE void collect_rows(const mrwi_raster_collector *to, const batch *t, int k,
                              uint32_t samples)
{
    const mrwi_shade_sample_pattern *pattern = to->pattern;
    const surface face = surface_of(t, k, true);
    const int32_t x0 = t->box.x0[k], x1 = t->box.x1[k];
    vi start[3], right[3], down[3], offset[MRWI_SHADE_MAX_SAMPLES][3], most[3];
    LANE_UNROLL
    for (int i = 0; i < 3; i++) {
        const int32_t a = t->edge.a[i][k], b = t->edge.b[i][k];
        int32_t largest = INT32_MIN;
        start[i] = vi_set(t->edge.e[i][k]) + vi_set(a * MRWI_SHADE_SUBPIXEL) * lane_numbers();
        right[i] = vi_set(a * MRWI_SHADE_SUBPIXEL * MRWI_BASE_LANES);
        down[i] = vi_set(b * MRWI_SHADE_SUBPIXEL);
        LANE_UNROLL
        for (uint32_t s = 0; s < samples; s++) {
            const int32_t here = (a * pattern->x[s] + b * pattern->y[s]) * 16;
            offset[s][i] = vi_set(here);
            largest = here > largest ? here : largest;
        }
        most[i] = vi_set(largest);
    }
    for (int32_t y = t->box.y0[k]; y < t->box.y1[k]; y++) {
        float row_z[MRWI_SHADE_MAX_SAMPLES];
        depths_of_row(pattern, t, k, y, row_z, samples);
        vi e[3] = {start[0], start[1], start[2]};
        for (int32_t x = x0; x < x1; x += MRWI_BASE_LANES) {
            const vmask in_box = vmask_first(x1 - x);
            const vi near = (e[0] + most[0]) | (e[1] + most[1]) | (e[2] + most[2]);
            if (vmask_any(vi_is_natural(in_box, near))) { /* the edge of some sample may be here */
                vmask covered[MRWI_SHADE_MAX_SAMPLES];
                LANE_UNROLL
                for (uint32_t s = 0; s < samples; s++) {
                    const vi *o = offset[s];
                    covered[s] =
                        vi_is_natural(in_box, (e[0] + o[0]) | (e[1] + o[1]) | (e[2] + o[2]));
                }
                const vmask centre = vi_is_natural(in_box, e[0] | e[1] | e[2]);
                add_pixels(to, &face, x, y, x0, covered, centre, row_z, samples);
            }
            LANE_UNROLL
            for (int i = 0; i < 3; i++) {
                e[i] += right[i];
            }
        }
        LANE_UNROLL
        for (int i = 0; i < 3; i++) {
            start[i] += down[i];
        }
    }
}

/* ---- others: spans --------------------------------------------------------------------------- */

/* The spans of the samples in MRWI_BASE_LANES rows, followed by those of the centre. */
typedef struct spans {
    int32_t from[MRWI_SHADE_MAX_SAMPLES + 1][MRWI_BASE_LANES],
        to[MRWI_SHADE_MAX_SAMPLES + 1][MRWI_BASE_LANES];
} spans;

LANE_INLINE void collect_span_row(const mrwi_raster_collector *to, const batch *t, int k,
                                  const spans *rows, int i, int32_t y, uint32_t samples)
{
    const mrwi_shade_sample_pattern *pattern = to->pattern;
    const surface face = surface_of(t, k, true);
    int32_t first = t->box.x1[k], end = t->box.x0[k];
    float row_z[MRWI_SHADE_MAX_SAMPLES];
    for (uint32_t s = 0; s < samples; s++) {
        const int32_t lo = rows->from[s][i], hi = rows->to[s][i];
        first = lo < hi && lo < first ? lo : first;
        end = lo < hi && hi > end ? hi : end;
    }
    depths_of_row(pattern, t, k, y, row_z, samples);
    for (int32_t x = first; x < end; x += MRWI_BASE_LANES) {
        const vi at = lane_numbers() + x;
        vmask inside[MRWI_SHADE_MAX_SAMPLES + 1];
        for (uint32_t s = 0; s <= samples; s++) {
            inside[s] = vi_is_less(vmask_first(MRWI_BASE_LANES), at, vi_set(rows->to[s][i]));
            inside[s] = vi_is_less(inside[s], vi_set(rows->from[s][i] - 1), at);
        }
        add_pixels(to, &face, x, y, t->box.x0[k], inside, inside[samples], row_z, samples);
    }
}

LANE_INLINE void collect_spans(const mrwi_raster_collector *to, const batch *t, int k,
                               uint32_t samples)
{
    const mrwi_shade_sample_pattern *pattern = to->pattern;
    crossing edge[MRWI_SHADE_MAX_SAMPLES + 1][3];
    for (uint32_t s = 0; s <= samples; s++) {
        for (int i = 0; i < 3; i++) {
            edge[s][i] = crossing_begin(t, k, i, s < samples ? pattern->x[s] : 0,
                                        s < samples ? pattern->y[s] : 0);
        }
    }
    for (int32_t y = t->box.y0[k]; y < t->box.y1[k]; y += MRWI_BASE_LANES) {
        spans rows;
        for (uint32_t s = 0; s <= samples; s++) {
            vi lo = vi_set(t->box.x0[k]), hi = vi_set(t->box.x1[k]);
            for (int i = 0; i < 3; i++) {
                crossing_cut(&edge[s][i], vi_set(t->box.x0[k]), &lo, &hi);
            }
            vi_store(rows.from[s], lo);
            vi_store(rows.to[s], hi);
        }
        for (int i = 0; i < MRWI_BASE_LANES && y + i < t->box.y1[k]; i++) {
            collect_span_row(to, t, k, &rows, i, y + i, samples);
        }
    }
}

/* ---- all of a bin ---------------------------------------------------------------------------- */

LANE_INLINE void collect_triangle(const mrwi_raster_collector *to, const batch *t, int k,
                                  uint32_t samples)
{
    if ((t->size.small >> k & 1u) != 0) {
        collect_rows(to, t, k, samples);
    } else {
        collect_spans(to, t, k, samples);
    }
}

static void collect_1(const mrwi_raster_collector *to, const batch *t, int k)
{
    collect_triangle(to, t, k, 1);
}

static void collect_2(const mrwi_raster_collector *to, const batch *t, int k)
{
    collect_triangle(to, t, k, 2);
}

static void collect_4(const mrwi_raster_collector *to, const batch *t, int k)
{
    collect_triangle(to, t, k, 4);
}

static void collect_8(const mrwi_raster_collector *to, const batch *t, int k)
{
    collect_triangle(to, t, k, 8);
}

static void collect(const mrwi_raster_geometry *geometry, const mrwi_raster_collector *to,
                    const uint32_t *ids, uint32_t count)
{
    static void (*const by_samples[])(const mrwi_raster_collector *, const batch *, int) = {
        [1] = collect_1, [2] = collect_2, [4] = collect_4, [8] = collect_8};
    void (*const collect_one)(const mrwi_raster_collector *, const batch *, int) =
        by_samples[to->pattern->count];
    for (uint32_t first = 0; first < count; first += MRWI_BASE_LANES) {
        const uint32_t lanes = count - first < MRWI_BASE_LANES ? count - first : MRWI_BASE_LANES;
        int32_t id[MRWI_BASE_LANES];
        batch t;
        for (uint32_t i = 0; i < MRWI_BASE_LANES; i++) {
            id[i] = (int32_t)ids[first + (i < lanes ? i : lanes - 1)];
        }
        set_up(geometry, to->seen, id, lanes, &t);
        for (int k = 0; k < (int)lanes; k++) {
            collect_one(to, &t, k);
        }
    }
}
