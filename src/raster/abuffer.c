/* abuffer.c: transparent fragments of a band, blended over its samples in the order of their depths
 * there (Carpenter, "The A-buffer, an Antialiased Hidden Surface Method", 1984).
 *
 *   triangles ─► fragments, shaded, in runs ─► those of a pixel, far to near ─► blended
 *
 * A fragment is kept unless it is hidden, by an opaque surface or by a transparent one of alpha 1
 * that was kept before it (near triangles come first, by centroids). What is kept is its colour,
 * and for each covered sample the depth that was compared with opaque surfaces. Fragments of a
 * triangle in neighbouring pixels are a run. A sweep goes from pixel to pixel, as over the edges of
 * a polygon. It keeps the runs at the current pixel sorted by their depths about the pixel's
 * centre; from a pixel to the next that order hardly changes. In this order all samples of the
 * pixel are blended at once ("over", Porter and Duff 1984). The nearest fragment so far waits for
 * the next one, because surfaces that cross within the pixel are mostly neighbours in the order,
 * and only swap in some samples. Samples whose depths are out of order beyond that, or equal, are
 * sorted one by one: by (depth, triangle id), far to near.
 *
 * Sorting the fragments from scratch at each pixel takes 1.6 times as long, and linked lists of
 * them longer still: each link waits for memory. Without the waiting fragment, sorting samples took
 * half of the time.
 *
 * If the job wants shares of layers instead of colours, the fragments of each sample are sorted,
 * and divide it among them from near to far.
 *
 * If a band has more than MRW_RASTER_FRAGMENTS_MAX fragments, none is kept: whole triangles are
 * blended instead, in the order they come in (blend.c). Fragments without alpha change nothing and
 * are not counted; neither are hidden ones. So the count, and the result of a band, is the same for
 * all kernels and threads. Shares need no such fallback: they are computed for halves of such a
 * band, or halves of those, until the fragments of each part fit.
 */
#include "raster/cover.h"

#include "base/simd/f4.h"
#include "base/work.h"

#include <string.h>

/* The number of triangles that are examined before fragments behind them are left out. It is fixed,
 * so that the count of fragments does not depend on the length of a kernel's lists. */
#define GROUP 64

/* Functions that are copied for each count of samples, so that loops over samples are unrolled. */
#define COPIED static inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* The number of groups of four samples. Depths of samples that are not covered have their signs
 * set. */
#define QUADS(samples) (((samples) + 3) / 4)

/* The floats per fragment: its colour, then the depths. Separate arrays for colours, depths and
 * masks make the sweep wait for memory more often: 6 % of the whole with 35 layers. */
#define STEP(samples) (4 + 4 * QUADS(samples))

/* The bits of each group of four samples in a mask. */
static const mrwi_base_i4 bits_of_quad[2] = {{1, 2, 4, 8}, {16, 32, 64, 128}};

/* Prefetch distances: in fragments of a run, and in runs. */
#define NEXT  4
#define AHEAD 16

/* Above this many moves per run, the order of the previous pixel is not worth keeping. */
#define MOVES 32

/* Fragments of one triangle in consecutive pixels, also across rows. */
typedef struct mrwi_raster_fragment_run {
    uint32_t pixel;      /* the first pixel, numbered in the touched part of the band */
    uint32_t first, end; /* fragments */
    uint32_t triangle;
} fragment_run;

/* A run at the current pixel, with its fragment there. Keys ascend from far to near, and with the
 * triangles if depths are equal: no two keys at a pixel are equal. */
typedef struct mrwi_raster_active_run {
    uint64_t key;
    uint32_t fragment, end; /* the fragment, and the end of its run */
} active_run;

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t fragments_of_band(const mrwi_raster_geometry *geometry, const mrwi_raster_bins *bins,
                                int32_t band)
{
    const uint64_t *first = bins->first + band * MRWI_RASTER_LAYERS + MRWI_RASTER_BLEND;
    const int32_t y0 = band * bins->band_rows, y1 = y0 + bins->band_rows;
    size_t pixels = 0;
    for (uint64_t i = first[0]; i < first[1] && pixels < MRW_RASTER_FRAGMENTS_MAX; i++) {
        const mrwi_raster_box *box = &geometry->kept.boxes[bins->ids[i]];
        const int32_t top = box->y0 > y0 ? box->y0 : y0, end = box->y1 < y1 ? box->y1 : y1;
        pixels += (size_t)(end - top) * (size_t)(box->x1 - box->x0);
    }
    return pixels < MRW_RASTER_FRAGMENTS_MAX ? pixels : MRW_RASTER_FRAGMENTS_MAX;
}

void mrwi_raster_bound_fragments(const mrwi_raster_geometry *geometry, mrwi_raster_bins *bins)
{
    bins->most.fragments = bins->most.active = 0;
    for (int32_t band = 0; band < bins->band_count; band++) {
        const uint64_t *first = bins->first + band * MRWI_RASTER_LAYERS + MRWI_RASTER_BLEND;
        const size_t fragments = fragments_of_band(geometry, bins, band);
        const uint64_t triangles = first[1] - first[0];
        const size_t active = triangles < fragments ? (size_t)triangles : fragments;
        bins->most.fragments = fragments > bins->most.fragments ? fragments : bins->most.fragments;
        bins->most.active = active > bins->most.active ? active : bins->most.active;
    }
}

bool mrwi_raster_abuffer_prepare(mrwi_raster_abuffer *a, size_t pixels, uint32_t samples,
                                 const mrwi_raster_bins *bins)
{
    const size_t room = bins->most.fragments, active = bins->most.active * sizeof(active_run);
    const size_t colors = room * STEP(samples) * sizeof(float);
    const size_t runs = (room + 1 + AHEAD) * sizeof(fragment_run);
    const size_t first = (pixels + 1) * sizeof a->sweep.first[0];
    if (!mrwi_raster_buffer_reserve(&a->memory, 0, colors + 2 * (runs + active) + first, 1)) {
        return false;
    }
    char *at = a->memory.data;
    a->kept = (mrwi_raster_kept_fragments){
        .colors = (void *)at, .runs = (void *)(at + colors), .room = (uint32_t)room};
    at += colors + runs;
    a->sweep.sorted = (void *)at;
    a->sweep.active = (void *)(at += runs);
    a->sweep.of_sample = (void *)(at += active);
    a->sweep.first = (void *)(at + active);
    return true;
}

/* ---- keeping --------------------------------------------------------------------------------- */

COPIED float *rgba_of(const mrwi_raster_kept_fragments *k, uint32_t fragment, uint32_t samples)
{
    return k->colors + STEP(samples) * fragment;
}

COPIED float *depths_of(const mrwi_raster_kept_fragments *k, uint32_t fragment, uint32_t samples)
{
    return rgba_of(k, fragment, samples) + 4;
}

/* Returns -1 for each sample of the group that a list's fragment covers. */
COPIED mrwi_base_i4 covered_of_list(const mrwi_raster_candidates *c, uint32_t i, uint32_t quad)
{
    return (mrwi_base_i4_set((int32_t)c->mask[i]) & bits_of_quad[quad]) != 0;
}

COPIED void keep_depths(float *out, const mrwi_raster_candidates *c, uint32_t i, uint32_t samples)
{
    UNROLL
    for (uint32_t q = 0; q < QUADS(samples); q++) {
        mrwi_base_f4 z = mrwi_base_f4_set(0.0f);
        UNROLL
        for (uint32_t k = 0; k < (samples < 4 ? samples : 4); k++) {
            z[k] = c->z[4 * q + k][i];
        }
        const mrwi_base_i4 sign = ~covered_of_list(c, i, q) & INT32_MIN;
        mrwi_base_f4_store(out + 4 * q, (mrwi_base_f4)((mrwi_base_i4)z | sign));
    }
}

COPIED bool covers(const mrwi_raster_kept_fragments *k, uint32_t fragment, uint32_t s,
                   uint32_t samples)
{
    return !__builtin_signbit(depths_of(k, fragment, samples)[s]);
}

COPIED float depth_at(const mrwi_raster_kept_fragments *k, uint32_t fragment, uint32_t s,
                      uint32_t samples)
{
    return __builtin_fabsf(depths_of(k, fragment, samples)[s]);
}

/* Keeps the fragments of the list that have alpha, until there is no room. */
COPIED void keep_fragments(mrwi_raster_kept_fragments *k, const mrwi_raster_band *band,
                           uint32_t samples)
{
    const uint32_t x0 = (uint32_t)band->touch.x0;
    const mrwi_raster_candidates *c = &band->scratch->candidates;
    const mrwi_shade_fragments *list = &band->scratch->fragments;
    const float(*rgba)[4] = (const float(*)[4])band->scratch->rgba;
    fragment_run *run = k->runs + k->run_count;
    uint32_t n = k->count, solid = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t pixel = c->pixel[i] - x0, triangle = list->triangle[i];
        if (!(rgba[i][3] > 0.0f)) {
            continue;
        }
        if (n == k->room) {
            k->full = true;
            break;
        }
        memcpy(rgba_of(k, n, samples), rgba[i], sizeof rgba[i]);
        keep_depths(depths_of(k, n, samples), c, i, samples);
        solid |= rgba[i][3] == 1.0f;
        if (triangle != run->triangle || pixel != run->pixel + (n - run->first)) {
            *++run = (fragment_run){pixel, n, n, triangle};
        }
        run->end = ++n;
    }
    k->run_count = (uint32_t)(run - k->runs);
    k->count = n;
    k->any_solid |= solid != 0;
}

/* Computes alphas only, instead of colours. A part of the band may have fewer columns than the
 * triangles; fragments beside it get no alpha, and so are not kept. */
static void find_alphas(const mrwi_raster_band *band, const mrwi_shade_list *list)
{
    float alpha[MRWI_SHADE_LIST_ROOM];
    float(*rgba)[4] = band->scratch->rgba;
    band->frame->kernels->alpha(&band->frame->shade, list, alpha);
    for (uint32_t i = 0; i < list->count; i++) {
        const int32_t x = (int32_t)list->x[i];
        rgba[i][3] = x >= band->touch.x0 && x < band->touch.x1 ? alpha[i] : 0.0f;
    }
}

static void flush_kept(const mrwi_raster_band *band)
{
    const mrwi_raster_frame *frame = band->frame;
    mrwi_raster_kept_fragments *k = &band->abuffer->kept;
    mrwi_shade_fragments *f = &band->scratch->fragments;
    if (f->count > 0 && !k->full && mrwi_base_work_look(MRWI_RASTER_LIST_UNITS)) {
        const mrwi_shade_list list = mrwi_raster_fragment_list(f);
        if (frame->shaded) {
            frame->kernels->shade(&frame->shade, &list, band->scratch->rgba);
        } else {
            find_alphas(band, &list);
        }
        switch (frame->job->samples) { /* a constant in each call: loops are unrolled */
        case 1:
            keep_fragments(k, band, 1);
            break;
        case 2:
            keep_fragments(k, band, 2);
            break;
        case 4:
            keep_fragments(k, band, 4);
            break;
        default:
            keep_fragments(k, band, 8);
        }
    }
    f->count = 0;
}

/* Hides everything behind the opaque fragments from a run on: the weight of what lies behind would
 * be 0. Fragments of equal depth stay. */
static void hide_behind(const mrwi_raster_band *band, uint32_t first_run, uint32_t width)
{
    const mrwi_raster_kept_fragments *k = &band->abuffer->kept;
    const uint32_t samples = band->frame->job->samples;
    const mrwi_raster_visibility *seen = &band->seen;
    for (const fragment_run *run = k->runs + first_run; run <= k->runs + k->run_count; run++) {
        for (uint32_t i = run->first; i < run->end; i++) {
            if (rgba_of(k, i, samples)[3] != 1.0f) {
                continue;
            }
            const uint32_t pixel = run->pixel + (i - run->first);
            const size_t at =
                mrwi_raster_sample_index(seen, seen->y0 + (int32_t)(pixel / width), 0) +
                (size_t)band->touch.x0 + pixel % width;
            for (uint32_t s = 0; s < samples; s++) {
                const size_t sample = at + s * seen->stride;
                const float z = depth_at(k, i, s, samples);
                if (covers(k, i, s, samples) && z < seen->z[sample]) {
                    seen->z[sample] = z;
                    seen->id[sample] = MRWI_SHADE_NO_TRIANGLE;
                }
            }
        }
    }
}

/* Keeps the fragments of triangles, roughly from far to near, in the touched part of the band,
 * whose width is given. Returns false if there are too many; then not all are kept. */
static bool keep_triangles(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count,
                           uint32_t width)
{
    mrwi_raster_kept_fragments *k = &band->abuffer->kept;
    k->count = k->run_count = 0;
    k->runs[0] = (fragment_run){.triangle = UINT32_MAX}; /* a run before the first one */
    k->full = false;
    const mrwi_raster_collector to = mrwi_raster_begin_lists(band, flush_kept);
    to.candidates->pitch = width;
    to.candidates->with_z = true;
    const mrwi_raster_cover_kernels *kernels = mrwi_raster_cover_kernels_for(band->frame->isa);
    const uint64_t samples = (uint64_t)(band->seen.y1 - band->seen.y0) * width * band->seen.samples;
    for (uint32_t end = count, few; end > 0 && !k->full; end -= few) { /* the nearest first */
        const uint32_t runs = k->run_count;
        few = end < GROUP ? end : GROUP;
        if (!mrwi_base_work_look(few * samples)) {
            break;
        }
        k->any_solid = false;
        kernels->collect(band->frame->geometry, &to, ids + (end - few), few);
        flush_kept(band);
        if (k->any_solid) {
            hide_behind(band, runs + 1, width);
        }
    }
    return !k->full;
}

/* ---- the runs at a pixel --------------------------------------------------------------------- */

/* Sorts the runs by their first pixels. Afterwards the runs of pixel p are sorted[first[p]] ...
 * sorted[first[p + 1] - 1]. */
static void sort_runs(const mrwi_raster_kept_fragments *k, uint32_t pixels,
                      const mrwi_raster_sweep *out)
{
    fragment_run *sorted = out->sorted;
    uint32_t *first = out->first;
    memset(first, 0, ((size_t)pixels + 1) * sizeof first[0]);
    for (uint32_t i = 1; i <= k->run_count; i++) {
        first[k->runs[i].pixel]++;
    }
    for (uint32_t p = 1; p <= pixels; p++) {
        first[p] += first[p - 1];
    }
    for (uint32_t i = 1; i <= k->run_count; i++) { /* ends are counted down: farther ones first */
        sorted[--first[k->runs[i].pixel]] = k->runs[i];
    }
    memset(sorted + k->run_count, 0, AHEAD * sizeof sorted[0]);
}

/* Prefetches the fragments that the sweep comes to. With four samples, two fragments share a cache
 * line. */
COPIED void fetch_fragments(const mrwi_raster_kept_fragments *k, uint32_t fragment,
                            uint32_t samples)
{
    __builtin_prefetch(rgba_of(k, fragment, samples));
}

/* Builds a key: the bits of non-negative numbers ascend with the numbers. */
static inline uint64_t key_of(float z, uint32_t triangle)
{
    uint32_t bits;
    memcpy(&bits, &z, sizeof bits);
    return (uint64_t)(uint32_t)~bits << 32 | triangle;
}

/* Returns the key of the depth at the first of the samples and the one across the centre from it.
 */
COPIED uint64_t key_about_centre(const mrwi_raster_kept_fragments *k, uint32_t fragment,
                                 uint32_t samples, uint32_t triangle)
{
    const uint32_t across = samples == 4 ? 3 : samples == 1 ? 0 : 1;
    return key_of(depth_at(k, fragment, 0, samples) + depth_at(k, fragment, across, samples),
                  triangle);
}

/* Inserts a run among those before it, as far as moves are left. */
static inline void insert(active_run *list, uint32_t count, active_run one, uint32_t *moves)
{
    for (; count > 0 && one.key < list[count - 1].key && *moves != 0; count--, --*moves) {
        list[count] = list[count - 1];
    }
    list[count] = one;
}

static void sift_down(active_run *list, uint32_t at, uint32_t count)
{
    const active_run one = list[at];
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && list[child].key < list[child + 1].key;
        if (list[child].key < one.key) {
            break;
        }
        list[at] = list[child];
        at = child;
    }
    list[at] = one;
}

/* Sorts by heapsort, for lists that take too many moves to insert. */
static void sort(active_run *list, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) {
        sift_down(list, i, count);
    }
    for (uint32_t i = count; i-- > 1;) {
        const active_run nearest = list[0];
        list[0] = list[i];
        list[i] = nearest;
        sift_down(list, 0, i);
    }
}

/* Updates the list of runs from the previous pixel to this one. Returns their count. */
COPIED uint32_t find_active(const mrwi_raster_abuffer *a, uint32_t count, uint32_t pixel,
                            uint32_t samples)
{
    const mrwi_raster_kept_fragments *k = &a->kept;
    const mrwi_raster_sweep *sweep = &a->sweep;
    const uint32_t begin = sweep->first[pixel], end = sweep->first[pixel + 1];
    uint32_t n = 0, moves = MOVES * (count + end - begin);
    for (uint32_t i = 0; i < count; i++) {
        active_run run = sweep->active[i];
        if (++run.fragment < run.end) {
            fetch_fragments(k, run.fragment + NEXT, samples);
            run.key = key_about_centre(k, run.fragment, samples, (uint32_t)run.key);
            insert(sweep->active, n++, run, &moves);
        }
    }
    for (uint32_t i = begin; i < end; i++) {
        const fragment_run *run = &sweep->sorted[i];
        fetch_fragments(k, run[AHEAD].first, samples);
        fetch_fragments(k, run[AHEAD].first + NEXT / 2, samples);
        fetch_fragments(k, run[AHEAD].first + NEXT, samples);
        const uint64_t key = key_about_centre(k, run->first, samples, run->triangle);
        insert(sweep->active, n++, (active_run){key, run->first, run->end}, &moves);
    }
    if (moves == 0) {
        sort(sweep->active, n);
    }
    return n;
}

/* ---- blending -------------------------------------------------------------------------------- */

static inline mrwi_base_f4 over(mrwi_base_f4 rgba, mrwi_base_f4 behind)
{
    return rgba + behind * mrwi_base_f4_set(1.0f - rgba[3]);
}

COPIED bool any(mrwi_base_i4 mask)
{
    uint64_t halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

COPIED mrwi_base_f4 pick(mrwi_base_i4 mask, mrwi_base_f4 a, mrwi_base_f4 b)
{
    return (mrwi_base_f4)mrwi_base_i4_select(mask, (mrwi_base_i4)a, (mrwi_base_i4)b);
}

/* The blending of a pixel. The nearest fragment so far waits, because the next one may lie behind
 * it. */
typedef struct blending {
    mrwi_base_f4 color[MRWI_SHADE_MAX_SAMPLES], waiting[MRWI_SHADE_MAX_SAMPLES];
    mrwi_base_f4 z[2], waiting_z[2]; /* depths of the last blended and of the waiting fragment */
    mrwi_base_i4 wrong[2];           /* samples with another order */
} blending;

/* Adds a fragment that covers all samples and is nearer than the waiting one. */
COPIED void add_nearer(blending *b, mrwi_base_f4 rgba, uint32_t samples)
{
    UNROLL
    for (uint32_t s = 0; s < samples; s++) {
        b->color[s] = over(b->waiting[s], b->color[s]);
        b->waiting[s] = rgba;
    }
}

/* Adds any other fragment. In samples where it is not nearer than the waiting one, it is blended
 * before that. */
COPIED void add_among(blending *b, mrwi_base_f4 rgba, const mrwi_base_i4 *covered,
                      const mrwi_base_i4 *nearer, uint32_t samples)
{
    UNROLL
    for (uint32_t s = 0; s < samples; s++) {
        const mrwi_base_i4 here = mrwi_base_i4_set(covered[s / 4][s % 4]);
        const mrwi_base_i4 waits = mrwi_base_i4_set(nearer[s / 4][s % 4]);
        const mrwi_base_f4 next = pick(waits, b->waiting[s], rgba);
        b->color[s] = pick(here, over(next, b->color[s]), b->color[s]);
        b->waiting[s] = pick(waits, rgba, b->waiting[s]);
    }
}

COPIED void add_fragment(blending *b, const mrwi_raster_kept_fragments *k, uint32_t fragment,
                         uint32_t samples)
{
    const mrwi_base_i4 all = mrwi_base_i4_set((1 << samples) - 1);
    const mrwi_base_f4 rgba = mrwi_base_f4_load(rgba_of(k, fragment, samples));
    mrwi_base_i4 covered[2], nearer[2], others = mrwi_base_i4_set(0);
    UNROLL
    for (uint32_t q = 0; q < QUADS(samples); q++) {
        const mrwi_base_i4 kept = mrwi_base_i4_load(depths_of(k, fragment, samples) + 4 * q);
        const mrwi_base_f4 z = (mrwi_base_f4)(kept & INT32_MAX);
        covered[q] = kept >= 0;
        nearer[q] = covered[q] & (mrwi_base_i4)(z < b->waiting_z[q]);
        const mrwi_base_i4 here = covered[q] & ~nearer[q];
        b->wrong[q] |= here & (mrwi_base_i4)((z >= b->z[q]) | (z == b->waiting_z[q]));
        others |= ((all & bits_of_quad[q]) != 0) & ~nearer[q];
        b->z[q] = pick(nearer[q], b->waiting_z[q], pick(covered[q], z, b->z[q]));
        b->waiting_z[q] = pick(nearer[q], z, b->waiting_z[q]);
    }
    if (!any(others)) {
        add_nearer(b, rgba, samples);
    } else {
        add_among(b, rgba, covered, nearer, samples);
    }
}

/* Blends over samples in the order of the runs, allowing neighbours to swap. Returns the samples
 * with another order, one bit each; these are left alone. */
COPIED uint32_t blend_alike(const mrwi_raster_abuffer *a, uint32_t count, uint32_t samples,
                            float (*out)[4])
{
    blending b;
    UNROLL
    for (uint32_t s = 0; s < samples; s++) {
        b.color[s] = mrwi_base_f4_load(out[s]);
        b.waiting[s] = mrwi_base_f4_set(0.0f);
    }
    UNROLL
    for (uint32_t q = 0; q < QUADS(samples); q++) {
        b.z[q] = b.waiting_z[q] = mrwi_base_f4_set(2.0f);
        b.wrong[q] = mrwi_base_i4_set(0);
    }
    for (uint32_t i = 0; i < count; i++) {
        add_fragment(&b, &a->kept, a->sweep.active[i].fragment, samples);
    }
    uint32_t wrong = 0;
    UNROLL
    for (uint32_t s = 0; s < samples; s++) {
        if (b.wrong[s / 4][s % 4] != 0) {
            wrong |= 1u << s;
        } else {
            mrwi_base_f4_store(out[s], over(b.waiting[s], b.color[s]));
        }
    }
    return wrong;
}

/* Sorts the fragments that cover a sample. Returns their count. */
COPIED uint32_t sort_sample(const mrwi_raster_abuffer *a, uint32_t count, uint32_t s,
                            uint32_t samples)
{
    const active_run *active = a->sweep.active;
    active_run *sorted = a->sweep.of_sample;
    uint32_t n = 0, moves = MOVES * count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t fragment = active[i].fragment;
        if (covers(&a->kept, fragment, s, samples)) {
            const float z = depth_at(&a->kept, fragment, s, samples);
            const uint64_t key = key_of(z, (uint32_t)active[i].key);
            insert(sorted, n++, (active_run){key, fragment, 0}, &moves);
        }
    }
    if (moves == 0) {
        sort(sorted, n);
    }
    return n;
}

/* Blends over one sample, in its own order. */
COPIED void blend_sample(const mrwi_raster_abuffer *a, uint32_t count, uint32_t s, uint32_t samples,
                         float *out)
{
    const uint32_t n = sort_sample(a, count, s, samples);
    mrwi_base_f4 color = mrwi_base_f4_load(out);
    for (uint32_t i = 0; i < n; i++) {
        const float *rgba = rgba_of(&a->kept, a->sweep.of_sample[i].fragment, samples);
        color = over(mrwi_base_f4_load(rgba), color);
    }
    mrwi_base_f4_store(out, color);
}

/* Sweeps over the pixels and blends. */
COPIED void blend_pixels(const mrwi_raster_band *band, uint32_t width, uint32_t pixels,
                         uint32_t samples)
{
    const mrwi_raster_abuffer *a = band->abuffer;
    const mrw_target *coverage = band->frame->coverage;
    uint32_t count = 0;
    for (uint32_t p = 0; p < pixels; p++) {
        count = find_active(a, count, p, samples);
        if (count == 0) {
            continue;
        }
        const size_t x = (size_t)band->touch.x0 + p % width, row = p / width;
        float(*out)[4] = band->samples + (row * (size_t)band->box.x1 + x) * samples;
        uint32_t wrong = blend_alike(a, count, samples, out);
        for (; wrong != 0; wrong &= wrong - 1) {
            const uint32_t s = (uint32_t)__builtin_ctz(wrong);
            blend_sample(a, count, s, samples, out[s]);
        }
        if (coverage) {
            ((uint8_t *)coverage->data)[((size_t)band->box.y0 + row) * coverage->stride + x] = 1;
        }
    }
}

static void blend_kept(const mrwi_raster_band *band, uint32_t width, uint32_t pixels)
{
    sort_runs(&band->abuffer->kept, pixels, &band->abuffer->sweep);
    switch (band->frame->job->samples) { /* a constant in each call: loops are unrolled */
    case 1:
        blend_pixels(band, width, pixels, 1);
        break;
    case 2:
        blend_pixels(band, width, pixels, 2);
        break;
    case 4:
        blend_pixels(band, width, pixels, 4);
        break;
    default:
        blend_pixels(band, width, pixels, 8);
    }
}

bool mrwi_raster_blend_fragments(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count)
{
    const uint32_t width = (uint32_t)(band->touch.x1 - band->touch.x0);
    const uint32_t pixels = (uint32_t)(band->box.y1 - band->box.y0) * width;
    if (!keep_triangles(band, ids, count, width)) {
        return false;
    }
    blend_kept(band, width, pixels);
    return true;
}

/* ---- shares ---------------------------------------------------------------------------------- */

static void add_share(const mrwi_raster_geometry *geometry, mrwi_raster_share_list *to,
                      uint32_t triangle, uint32_t share)
{
    const uint32_t draw = geometry->kept.triangles[triangle].draw_flags >> 1;
    if (share == 0) {
        return;
    }
    if (to->places[draw] == 0) {
        to->items[to->count++] = (mrw_raster_share){draw, 0};
        to->places[draw] = to->count;
    }
    to->items[to->places[draw] - 1].share += share;
}

/* Divides a sample among the runs at its pixel. Returns what they leave. */
static uint32_t share_sample(const mrwi_raster_band *band, uint32_t count, uint32_t s,
                             mrwi_raster_share_list *to)
{
    const mrwi_raster_abuffer *a = band->abuffer;
    const uint32_t samples = band->seen.samples;
    uint32_t left = MRW_RASTER_SHARE_ALL / samples;
    for (uint32_t n = sort_sample(a, count, s, samples); n > 0 && left > 0; n--) {
        const active_run *nearest = &a->sweep.of_sample[n - 1];
        const double alpha = (double)rgba_of(&a->kept, nearest->fragment, samples)[3];
        const uint32_t share = (uint32_t)(alpha * (double)left + 0.5);
        add_share(band->frame->geometry, to, (uint32_t)nearest->key, share);
        left -= share;
    }
    return left;
}

/* Hands a pixel's list to its receiver, and empties it. */
static void give_shares(const mrw_raster_shares *to, uint32_t x, uint32_t y,
                        mrwi_raster_share_list *list)
{
    if (list->count > 0) {
        to->take(to->user, list->worker, x, y, list->items, list->count);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        list->places[list->items[i].draw] = 0;
    }
    list->count = 0;
}

/* Sweeps over the pixels and divides them. */
static void share_pixels(const mrwi_raster_band *band, bool any_transparent,
                         mrwi_raster_share_list *list)
{
    const mrwi_raster_visibility *seen = &band->seen;
    const uint32_t samples = seen->samples;
    uint32_t count = 0, pixel = 0;
    for (int32_t y = seen->y0; y < seen->y1; y++) {
        for (int32_t x = band->touch.x0; x < band->touch.x1; x++, pixel++) {
            const int32_t *id = seen->id + mrwi_raster_sample_index(seen, y, 0) + x;
            count = any_transparent ? find_active(band->abuffer, count, pixel, samples) : 0;
            for (uint32_t s = 0; s < samples; s++, id += seen->stride) {
                const uint32_t left =
                    count > 0 ? share_sample(band, count, s, list) : MRW_RASTER_SHARE_ALL / samples;
                if (*id != MRWI_SHADE_NO_TRIANGLE) {
                    add_share(band->frame->geometry, list, (uint32_t)*id, left);
                }
            }
            give_shares(band->frame->job->shares, (uint32_t)x, (uint32_t)y, list);
        }
    }
}

static void share_part(const mrwi_raster_band *band, mrwi_raster_box box,
                       mrwi_raster_share_list *list, const uint32_t *ids, uint32_t count);

/* Handles both halves of a part, which has more than one pixel. */
static void share_halves(const mrwi_raster_band *part, mrwi_raster_share_list *list,
                         const uint32_t *ids, uint32_t count)
{
    const mrwi_raster_box *box = &part->touch;
    mrwi_raster_box first = *box, second = *box;
    if (box->y1 - box->y0 > 1) {
        first.y1 = second.y0 = box->y0 + (box->y1 - box->y0) / 2;
    } else {
        first.x1 = second.x0 = box->x0 + (box->x1 - box->x0) / 2;
    }
    share_part(part, first, list, ids, count);
    share_part(part, second, list, ids, count);
}

/* Handles a part of the band, in halves if it has too many fragments. Samples hidden by one half
 * stay hidden: nothing is left to divide. */
static void share_part(const mrwi_raster_band *band, mrwi_raster_box box,
                       mrwi_raster_share_list *list, const uint32_t *ids, uint32_t count)
{
    const size_t first = mrwi_raster_sample_index(&band->seen, box.y0, 0);
    const uint32_t width = (uint32_t)(box.x1 - box.x0);
    const uint32_t pixels = (uint32_t)(box.y1 - box.y0) * width;
    mrwi_raster_band part = *band;
    if (!mrwi_base_work_goes_on()) {
        return;
    }
    part.touch = box;
    part.seen.y0 = box.y0;
    part.seen.y1 = box.y1;
    part.seen.z += first;
    part.seen.id += first;
    if (count > 0 && !keep_triangles(&part, ids, count, width) && pixels > 1) {
        share_halves(&part, list, ids, count);
        return;
    }
    if (count > 0) {
        sort_runs(&part.abuffer->kept, pixels, &part.abuffer->sweep);
    }
    share_pixels(&part, count > 0, list);
}

void mrwi_raster_share_band(const mrwi_raster_band *band, mrwi_raster_share_list *list,
                            const uint32_t *ids, uint32_t count)
{
    share_part(band, band->touch, list, ids, count);
}
