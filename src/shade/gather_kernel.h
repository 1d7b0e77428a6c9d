/* gather_kernel.h: from rows of ids to lists of fragments and of their pixels; included by
 * shade_kernel.h, compiled once per instruction set.
 *
 * A pixel has one fragment for each triangle that won some of its samples. The lowest such sample
 * leads: it stands for the fragment, and the others find it by comparing ids. All decisions are
 * made for MRWI_BASE_LANES pixels at once, and compaction writes the lists: first the fragments
 * that sample 0 leads, then those of sample 1, and so on.
 */
#include "shade/shade.h"

/* Pixels of one row, one per lane. */
typedef struct gather_lanes {
    vi x;      /* the pixel's column */
    vf centre; /* x + 0.5 */
    vi inside; /* mask: in the gathered part of the row */
    vi seen;   /* mask: covered by a triangle */
    vi edges;  /* mask: samples differ */
    vi id[MRWI_SHADE_MAX_SAMPLES];
} gather_lanes;

/* Appends one fragment for each lane of the mask, at index `at`. */
LANE_INLINE void append_fragments(mrwi_shade_fragments *f, uint32_t at, vi mask, vi id, vf x,
                                  float y)
{
    const lane_order order = order_of(mask);
    vi_store_ordered(f->triangle + at, id, order);
    vi_store_ordered(f->x + at, vf_bits(x), order);
    vf_store(f->y + at, vf_set(y));
}

/* Gathers pixels of one fragment each: all samples belong to the same triangle. */
LANE_INLINE void gather_plain(const mrwi_shade_gather *g, const gather_lanes *lanes,
                              uint32_t samples, mrwi_shade_fragments *f, mrwi_shade_pixels *p)
{
    const vi seen = lanes->seen;
    const uint32_t bits = mask_bits(seen), count = bit_count(bits);
    const float y = (float)g->y + 0.5f;
    append_fragments(f, f->count, seen, lanes->id[0], lanes->centre, y);
    const lane_order order = order_of(seen);
    vi_store_ordered(p->where + p->count, lanes->x + (int32_t)g->first_pixel, order);
    if (samples > 1) {
        vi_store((int32_t *)p->slot + p->count, lane_numbers() + (int32_t)f->count);
        vi_store_ordered(f->other_x + f->count, vf_bits(lanes->centre), order);
        vf_store(f->other_y + f->count, vf_set(y));
    }
    f->count += count;
    p->count += count;
}

/* Appends the fragments that sample s leads. Returns the fragment of sample s, per lane. */
LANE_INLINE vi gather_leaders(const mrwi_shade_gather *g, const gather_lanes *lanes, uint32_t s,
                              const vi *owner, mrwi_shade_fragments *f)
{
    vi starts = lanes->inside & ~vi_equal(lanes->id[s], vi_set(MRWI_SHADE_NO_TRIANGLE));
    vi own = vi_set(MRWI_SHADE_NO_FRAGMENT);
    LANE_UNROLL
    for (uint32_t t = 0; t < s; t++) {
        vi same = vi_equal(lanes->id[s], lanes->id[t]);
        own = vi_select(same, owner[t], own);
        starts &= ~same;
    }
    const float dx = (float)g->pattern->x[s] * 0.0625f, dy = (float)g->pattern->y[s] * 0.0625f;
    const lane_order order = order_of(starts);
    append_fragments(f, f->count, starts, lanes->id[s], lanes->centre, (float)g->y + 0.5f);
    vi_store_ordered(f->other_x + f->count, vf_bits(lanes->centre + dx), order);
    vf_store(f->other_y + f->count, vf_set((float)g->y + (0.5f + dy)));
    own = vi_select(starts, rank_of(starts) + (int32_t)f->count, own);
    f->count += bit_count(mask_bits(starts));
    return own;
}

/* Gathers pixels of which some have several fragments. */
LANE_INLINE void gather_edges(const mrwi_shade_gather *g, const gather_lanes *lanes,
                              uint32_t samples, mrwi_shade_fragments *f, mrwi_shade_pixels *p)
{
    const vi seen = lanes->seen, edges = lanes->edges;
    vi owner[MRWI_SHADE_MAX_SAMPLES], slot = vi_set(MRWI_SHADE_NO_FRAGMENT);
    const lane_order pixel_order = order_of(seen), edge_order = order_of(edges);
    LANE_UNROLL
    for (uint32_t s = 0; s < samples; s++) {
        owner[s] = gather_leaders(g, lanes, s, owner, f);
        slot = vi_min(slot, owner[s]);
        vi_store_ordered(p->owner[s] + p->edge_count, owner[s], edge_order);
    }
    vi_store_ordered(p->edge + p->edge_count, rank_of(seen) + (int32_t)p->count, edge_order);
    vi_store_ordered(p->where + p->count, lanes->x + (int32_t)g->first_pixel, pixel_order);
    vi_store_ordered(p->slot + p->count, slot, pixel_order);
    p->edge_count += bit_count(mask_bits(edges));
    p->count += bit_count(mask_bits(seen));
}

/* Loads a register of pixels. Loads start at multiples of MRWI_BASE_LANES, so they never leave the
 * row; lanes outside x0 ... x1 hold anything. */
LANE_INLINE gather_lanes load_lanes(const mrwi_shade_gather *g, int32_t x, uint32_t samples)
{
    gather_lanes lanes;
    lanes.x = lane_numbers() + x;
    lanes.centre = vi_to_float(lanes.x) + 0.5f;
    lanes.inside = ~vi_less(lanes.x, vi_set(g->x0)) & vi_less(lanes.x, vi_set(g->x1));
    LANE_UNROLL
    for (uint32_t s = 0; s < samples; s++) {
        lanes.id[s] = vi_load(g->ids + s * g->stride + x);
    }
    return lanes;
}

LANE_INLINE int32_t gather_samples(const mrwi_shade_gather *g, uint32_t samples,
                                   mrwi_shade_fragments *f, mrwi_shade_pixels *p)
{
    int32_t x = g->x0 & ~(MRWI_BASE_LANES - 1);
    for (; x < g->x1; x += MRWI_BASE_LANES) {
        gather_lanes lanes = load_lanes(g, x, samples);
        vi all = lanes.id[0], differ = vi_set(0);
        LANE_UNROLL
        for (uint32_t s = 1; s < samples; s++) {
            all &= lanes.id[s]; /* MRWI_SHADE_NO_TRIANGLE has all bits that ids can have */
            differ |= lanes.id[0] ^ lanes.id[s];
        }
        lanes.seen = lanes.inside & ~vi_equal(all, vi_set(MRWI_SHADE_NO_TRIANGLE));
        lanes.edges = lanes.inside & ~vi_equal(differ, vi_set(0));
        if (!mask_any(lanes.seen)) {
            continue;
        }
        if (f->count + samples * MRWI_BASE_LANES > MRWI_SHADE_LIST_MAX) {
            return x > g->x0 ? x : g->x0;
        }
        if (samples == 1 || !mask_any(lanes.edges)) {
            gather_plain(g, &lanes, samples, f, p);
        } else {
            gather_edges(g, &lanes, samples, f, p);
        }
    }
    return g->x1;
}

static int32_t gather(const mrwi_shade_gather *g, mrwi_shade_fragments *f, mrwi_shade_pixels *p)
{
    switch (g->pattern->count) {
    case 1:
        return gather_samples(g, 1, f, p);
    case 2:
        return gather_samples(g, 2, f, p);
    case 4:
        return gather_samples(g, 4, f, p);
    default:
        return gather_samples(g, 8, f, p);
    }
}
