/* abuffer.c: transparent fragments of a band, blended over its samples in the order of their depths
 * there (Carpenter, "The A-buffer, an Antialiased Hidden Surface Method", 1984).
 *
 *   triangles ─► fragments, shaded, in any order ─► keys, pixel by pixel ─► sorted ─► blended
 *
 * A fragment is kept if nothing opaque hides it, nor a transparent one before it of alpha 1 (what
 * is near comes first, by centroids): its colour, and for each sample that it covers the depth
 * which the test against opaque surfaces compared. Keys stand together that belong to a pixel; they
 * are sorted by the depth at the lowest sample (of its plane, where a fragment does not cover
 * that). In that order all samples of the pixel are blended at once ("over", Porter and Duff 1984),
 * while it is watched that at none of them depths rise. Where they do, since surfaces cross within
 * the pixel, or are equal, its samples are sorted one by one: by (depth, triangle id), far to near.
 *
 * Chains in place of keys that stand together took twice as long where layers are many: each link
 * waits for memory.
 *
 * Of a band with more than MRW_RASTER_FRAGMENTS_MAX fragments none is kept: whole triangles are
 * blended instead, in the order they come in (blend.c). Fragments without alpha change nothing and
 * are not counted, nor are hidden ones. So the count, and what becomes of a band, is the same for
 * all kernels and threads.
 */
#include "raster/cover.h"

#include "base/simd/f4.h"

#include <string.h>

/* Longer lists are sorted by merging such. */
#define FEW 16
/* So many of a sample are sorted one by one. */
#define INSERTED 128

/* So many triangles are looked at before what they hide is left out: always the same ones, so that
 * the count of fragments does not depend on how long a kernel's lists are. */
#define GROUP 64

/* Depths of samples are read by fours. */
#define QUADS(samples) (((samples) + 3) / 4)

/* What is kept of a fragment. Behind it stand depths, a multiple of four, those of covered samples
 * set.
 */
typedef struct fragment {
    float rgba[4];
    uint32_t triangle;
    uint32_t mask; /* a bit a sample that is covered */
    float z[];
} fragment;

/* While a sample is sorted: keys ascend from far to near, and of equal depths with the triangles.
 */
typedef struct sample_key {
    uint64_t key;
    uint32_t number, zero;
} sample_key;

/* ---- memory ---------------------------------------------------------------------------------- */

size_t mrwi_raster_fragments_bound(const mrwi_raster_geometry *geometry,
                                   const mrwi_raster_bins *bins)
{
    size_t most = 0;
    for (int32_t band = 0; band < bins->band_count; band++) {
        const uint64_t *first = bins->first + band * MRWI_RASTER_LAYERS + MRWI_RASTER_BLEND;
        const int32_t y0 = band * bins->band_rows, y1 = y0 + bins->band_rows;
        size_t pixels = 0;
        for (uint64_t i = first[0]; i < first[1] && pixels < MRW_RASTER_FRAGMENTS_MAX; i++) {
            const mrwi_raster_box *box = &geometry->kept.boxes[bins->ids[i]];
            const int32_t top = box->y0 > y0 ? box->y0 : y0, end = box->y1 < y1 ? box->y1 : y1;
            pixels += (size_t)(end - top) * (size_t)(box->x1 - box->x0);
        }
        most = pixels > most ? pixels : most;
    }
    return most < MRW_RASTER_FRAGMENTS_MAX ? most : MRW_RASTER_FRAGMENTS_MAX;
}

bool mrwi_raster_abuffer_prepare(mrwi_raster_abuffer *a, size_t pixels, uint32_t samples,
                                 size_t room)
{
    const size_t size = (sizeof(fragment) + QUADS(samples) * sizeof(float[4]) + 7) / 8 * 8;
    const size_t keys = room * sizeof a->keys[0];
    const size_t first = (pixels + 1) * sizeof a->first[0];
    if (!mrwi_raster_buffer_reserve(&a->memory, 0, room * size + 3 * keys + first, 1)) {
        return false;
    }
    char *at = a->memory.data;
    a->fragments = at;
    a->fragment_size = size;
    a->keys = (void *)(at += room * size);
    a->merged = (void *)(at += keys);
    a->sample = (void *)(at += keys);
    a->first = (void *)(at + keys);
    a->room = (uint32_t)room;
    return true;
}

static inline fragment *fragment_at(const mrwi_raster_abuffer *a, uint32_t number)
{
    return (void *)(a->fragments + number * a->fragment_size);
}

/* Ascends as depths fall: bits of numbers that are not negative ascend with them, and + 0 takes the
 * sign of a zero away. */
static inline uint64_t nearness(float z)
{
    uint32_t bits;
    z += 0.0f;
    memcpy(&bits, &z, sizeof bits);
    return (uint64_t)(uint32_t)~bits << 32;
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* Keeps those fragments of the list that have alpha, until there is no room for one. Those of a
 * pixel are counted one entry on: see gather_keys; where they lie is in `merged` till then. Pixels
 * are numbered in the part of the band that is touched. */
static inline void keep_fragments(mrwi_raster_abuffer *a, const mrwi_raster_band *band,
                                  uint32_t samples)
{
    const uint32_t x0 = (uint32_t)band->touch.x0;
    const mrwi_raster_candidates *c = &band->scratch->candidates;
    const mrwi_raster_fragments *list = &band->scratch->fragments;
    const float(*rgba)[4] = (const float(*)[4])band->scratch->rgba;
    uint32_t *const first = a->first, room = a->room;
    uint32_t count = a->count;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!(rgba[i][3] > 0.0f)) {
            continue;
        }
        if (count == room) {
            a->full = true;
            break;
        }
        const uint32_t pixel = c->pixel[i] - x0;
        fragment *f = fragment_at(a, count);
        memcpy(f->rgba, rgba[i], sizeof f->rgba);
        f->triangle = list->triangle[i];
        f->mask = c->mask[i];
        for (uint32_t s = 0; s < samples; s++) {
            f->z[s] = c->z[s][i];
        }
        a->merged[count++] = nearness(f->z[0]) | pixel;
        first[pixel + 1]++;
    }
    a->count = count;
}

static void flush_kept(mrwi_raster_band *band)
{
    const mrwi_raster_frame *frame = band->frame;
    mrwi_raster_abuffer *a = &band->abuffer;
    mrwi_raster_fragments *f = &band->scratch->fragments;
    if (f->count > 0 && !a->full) {
        const mrwi_raster_shade_list list = mrwi_raster_fragment_list(f);
        frame->kernels->shade(&frame->shade, &list, band->scratch->rgba);
        switch (frame->job->samples) { /* each with its count known: no loop is left */
        case 1:
            keep_fragments(a, band, 1);
            break;
        case 2:
            keep_fragments(a, band, 2);
            break;
        case 4:
            keep_fragments(a, band, 4);
            break;
        default:
            keep_fragments(a, band, 8);
        }
    }
    f->count = 0;
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* The depth at the lowest sample and, below it, the fragment's number. Afterwards those of pixel p
 * are first[p] ... first[p + 1] - 1. */
static void gather_keys(mrwi_raster_abuffer *a, uint32_t pixels)
{
    for (uint32_t p = 1; p <= pixels; p++) {
        a->first[p] += a->first[p - 1];
    }
    for (uint32_t i = 0; i < a->count; i++) { /* ends are counted down: farther ones come first */
        const uint64_t from = a->merged[i];
        a->keys[--a->first[(uint32_t)from + 1]] = (from & ~(uint64_t)UINT32_MAX) | i;
    }
    memmove(a->first, a->first + 1, pixels * sizeof a->first[0]);
    a->first[pixels] = a->count;
}

/* Whether a key comes before another. by_triangle: of equal depths the earlier triangle does,
 * whatever their numbers. */
static inline bool is_before(const mrwi_raster_abuffer *a, uint64_t key, uint64_t other,
                             bool by_triangle)
{
    if (by_triangle && key >> 32 == other >> 32) {
        return fragment_at(a, (uint32_t)key)->triangle < fragment_at(a, (uint32_t)other)->triangle;
    }
    return key < other;
}

static inline void sort_few(const mrwi_raster_abuffer *a, uint64_t *keys, uint32_t count,
                            bool by_triangle)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint64_t key = keys[i];
        uint32_t at = i;
        for (; at > 0 && is_before(a, key, keys[at - 1], by_triangle); at--) {
            keys[at] = keys[at - 1];
        }
        keys[at] = key;
    }
}

static inline void merge(const mrwi_raster_abuffer *a, const uint64_t *keys, uint32_t count,
                         const uint64_t *others, uint32_t other_count, bool by_triangle,
                         uint64_t *out)
{
    uint32_t i = 0, k = 0;
    if (other_count > 0 && is_before(a, others[0], keys[count - 1], by_triangle)) {
        while (i < count && k < other_count) {
            const bool second = is_before(a, others[k], keys[i], by_triangle);
            *out++ = second ? others[k] : keys[i];
            i += !second;
            k += second;
        }
    }
    memcpy(out, keys + i, (count - i) * sizeof *out);
    memcpy(out + (count - i), others + k, (other_count - k) * sizeof *out);
}

/* Sorts keys, with as much room in *other. Afterwards *other is the room that they left. Compiled
 * for either order: in a loop that asks which it is sorting takes a third longer. */
static inline __attribute__((always_inline)) uint64_t *
sort_in_order(const mrwi_raster_abuffer *a, uint64_t *keys, uint64_t **other, uint32_t count,
              bool by_triangle)
{
    for (uint32_t i = 0; i < count; i += FEW) {
        sort_few(a, keys + i, count - i < FEW ? count - i : FEW, by_triangle);
    }
    for (uint32_t run = FEW; run < count; run *= 2) {
        for (uint32_t i = 0; i < count; i += 2 * run) {
            const uint32_t here = count - i < run ? count - i : run;
            const uint32_t next = count - i - here < run ? count - i - here : run;
            merge(a, keys + i, here, keys + i + here, next, by_triangle, *other + i);
        }
        uint64_t *merged = *other;
        *other = keys;
        keys = merged;
    }
    return keys;
}

static uint64_t *sort_keys(const mrwi_raster_abuffer *a, uint64_t *keys, uint64_t **other,
                           uint32_t count)
{
    return sort_in_order(a, keys, other, count, false);
}

static uint64_t *sort_by_triangle(const mrwi_raster_abuffer *a, uint64_t *keys, uint64_t **other,
                                  uint32_t count)
{
    return sort_in_order(a, keys, other, count, true);
}

/* ---- blending -------------------------------------------------------------------------------- */

static inline mrwi_base_f4 over(const fragment *f, mrwi_base_f4 behind)
{
    return mrwi_base_f4_load(f->rgba) + behind * mrwi_base_f4_set(1.0f - f->rgba[3]);
}

/* Blends over samples in the order of the keys. Returns those, a bit each, of which that
 * is not the order, and which are left alone. */
static inline uint32_t blend_alike(const mrwi_raster_abuffer *a, const uint64_t *keys,
                                   uint32_t count, uint32_t samples, float (*out)[4])
{
    static const mrwi_base_i4 bits = {1, 2, 4, 8};
    mrwi_base_f4 color[MRWI_RASTER_MAX_SAMPLES], z[2];
    mrwi_base_i4 rises[2];
    for (uint32_t s = 0; s < samples; s++) {
        color[s] = mrwi_base_f4_load(out[s]);
    }
    for (uint32_t q = 0; q < QUADS(samples); q++) {
        z[q] = mrwi_base_f4_set(2.0f);
        rises[q] = mrwi_base_i4_set(0);
    }
    for (uint32_t i = 0; i < count; i++) {
        const fragment *f = fragment_at(a, (uint32_t)keys[i]);
        for (uint32_t q = 0; q < QUADS(samples); q++) {
            const mrwi_base_f4 here = mrwi_base_f4_load(f->z + 4 * q);
            const mrwi_base_i4 covered =
                (mrwi_base_i4_set((int32_t)(f->mask >> 4 * q)) & bits) != 0;
            rises[q] |= covered & (mrwi_base_i4)(here >= z[q]);
            z[q] =
                (mrwi_base_f4)mrwi_base_i4_select(covered, (mrwi_base_i4)here, (mrwi_base_i4)z[q]);
        }
        if (f->mask == (1u << samples) - 1) {
            for (uint32_t s = 0; s < samples; s++) {
                color[s] = over(f, color[s]);
            }
        } else {
            for (uint32_t mask = f->mask; mask != 0; mask &= mask - 1) {
                const uint32_t s = (uint32_t)__builtin_ctz(mask);
                color[s] = over(f, color[s]);
            }
        }
    }
    uint32_t wrong = 0;
    for (uint32_t s = 0; s < samples; s++) {
        if (rises[s / 4][s % 4] != 0) {
            wrong |= 1u << s;
        } else {
            mrwi_base_f4_store(out[s], color[s]);
        }
    }
    return wrong;
}

/* With the count known: no loop over samples is left. */
static uint32_t blend_pixel(const mrwi_raster_abuffer *a, const uint64_t *keys, uint32_t count,
                            uint32_t samples, float (*out)[4])
{
    switch (samples) {
    case 1:
        return blend_alike(a, keys, count, 1, out);
    case 2:
        return blend_alike(a, keys, count, 2, out);
    case 4:
        return blend_alike(a, keys, count, 4, out);
    default:
        return blend_alike(a, keys, count, 8, out);
    }
}

/* A sample, its fragments being few: neighbours change places mostly, since the order is nearly
 * that of the first sample, and to insert one key after the other is fastest. False: some depths
 * are equal, and nothing is done. */
static bool blend_few(const mrwi_raster_abuffer *a, const uint64_t *keys, uint32_t count,
                      uint32_t s, float *out)
{
    uint64_t sorted[INSERTED];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const fragment *f = fragment_at(a, (uint32_t)keys[i]);
        const uint64_t key = nearness(f->z[s]) | (uint32_t)keys[i];
        if ((f->mask >> s & 1) != 0) {
            uint32_t at = n++;
            for (; at > 0 && key < sorted[at - 1]; at--) {
                sorted[at] = sorted[at - 1];
            }
            sorted[at] = key;
        }
    }
    mrwi_base_f4 color = mrwi_base_f4_load(out);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && sorted[i] >> 32 == sorted[i - 1] >> 32) {
            return false;
        }
        color = over(fragment_at(a, (uint32_t)sorted[i]), color);
    }
    mrwi_base_f4_store(out, color);
    return true;
}

/* The samples of a mask, in orders of their own. sample, other: room for count keys each. */
static void blend_samples(const mrwi_raster_abuffer *a, const uint64_t *keys, uint32_t count,
                          uint32_t samples, uint64_t *sample, uint64_t *other, float (*out)[4])
{
    for (; samples != 0; samples &= samples - 1) {
        const uint32_t s = (uint32_t)__builtin_ctz(samples);
        uint32_t n = 0;
        if (count <= INSERTED && blend_few(a, keys, count, s, out[s])) {
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            const fragment *f = fragment_at(a, (uint32_t)keys[i]);
            sample[n] = nearness(f->z[s]) | (uint32_t)keys[i];
            n += f->mask >> s & 1;
        }
        uint64_t *room = other;
        const uint64_t *sorted = sort_by_triangle(a, sample, &room, n);
        mrwi_base_f4 color = mrwi_base_f4_load(out[s]);
        for (uint32_t i = 0; i < n; i++) {
            color = over(fragment_at(a, (uint32_t)sorted[i]), color);
        }
        mrwi_base_f4_store(out[s], color);
    }
}

/* The fragments of a pixel lie far apart: without this a third of the time goes by waiting. */
static inline void fetch_fragments(const mrwi_raster_abuffer *a, uint32_t pixel)
{
    for (uint32_t i = a->first[pixel]; i < a->first[pixel + 1]; i++) {
        const char *f = (const char *)fragment_at(a, (uint32_t)a->keys[i]);
        __builtin_prefetch(f);
        __builtin_prefetch(f + a->fragment_size - 1);
    }
}

/* A pixel with fragments; out: its samples. */
static inline void blend_pixel_at(mrwi_raster_abuffer *a, uint32_t p, uint32_t samples,
                                  float (*out)[4])
{
    const uint32_t first = a->first[p], count = a->first[p + 1] - first;
    uint64_t *room = a->merged + first;
    const uint64_t *keys = sort_keys(a, a->keys + first, &room, count);
    const uint32_t wrong = blend_pixel(a, keys, count, samples, out);
    blend_samples(a, keys, count, wrong, room, a->sample, out);
}

static void blend_kept(mrwi_raster_band *band, uint32_t width, uint32_t pixels)
{
    mrwi_raster_abuffer *a = &band->abuffer;
    const mrw_target *coverage = band->frame->coverage;
    const uint32_t samples = band->frame->job->samples;
    gather_keys(a, pixels);
    for (uint32_t p = 0; p < pixels; p++) {
        if (p + 1 < pixels) {
            fetch_fragments(a, p + 1);
        }
        if (a->first[p] == a->first[p + 1]) {
            continue;
        }
        const size_t x = (size_t)band->touch.x0 + p % width, row = p / width;
        const size_t at = row * (size_t)band->box.x1 + x;
        blend_pixel_at(a, p, samples, band->samples + at * samples);
        if (coverage) {
            ((uint8_t *)coverage->data)[((size_t)band->box.y0 + row) * coverage->stride + x] = 1;
        }
    }
}

/* Hides what lies behind those of the fragments kept, from `first` on, that let nothing through:
 * what is blended over it is multiplied with 0. With depths as near it stays. */
static void hide_behind(mrwi_raster_band *band, uint32_t first, uint32_t width)
{
    const mrwi_raster_abuffer *a = &band->abuffer;
    mrwi_raster_visibility *seen = &band->seen;
    for (uint32_t i = first; i < a->count; i++) {
        const fragment *f = fragment_at(a, i);
        if (f->rgba[3] != 1.0f) {
            continue;
        }
        const uint32_t pixel = (uint32_t)a->merged[i];
        const size_t at = mrwi_raster_sample_index(seen, seen->y0 + (int32_t)(pixel / width), 0) +
                          (size_t)band->touch.x0 + pixel % width;
        for (uint32_t mask = f->mask; mask != 0; mask &= mask - 1) {
            const uint32_t s = (uint32_t)__builtin_ctz(mask);
            const size_t sample = at + s * seen->stride;
            if (f->z[s] < seen->z[sample]) {
                seen->z[sample] = f->z[s];
                seen->id[sample] = MRWI_RASTER_NO_TRIANGLE;
            }
        }
    }
}

bool mrwi_raster_blend_fragments(mrwi_raster_band *band, const uint32_t *ids, uint32_t count)
{
    mrwi_raster_abuffer *a = &band->abuffer;
    const uint32_t width = (uint32_t)(band->touch.x1 - band->touch.x0);
    const uint32_t pixels = (uint32_t)(band->box.y1 - band->box.y0) * width;
    a->count = 0;
    a->full = false;
    memset(a->first, 0, ((size_t)pixels + 1) * sizeof a->first[0]);
    const mrwi_raster_collector to = mrwi_raster_begin_lists(band, flush_kept);
    to.candidates->pitch = width;
    to.candidates->with_z = true;
    const mrwi_raster_cover_kernels *kernels = mrwi_raster_cover_kernels_for(band->frame->isa);
    for (uint32_t end = count, few; end > 0 && !a->full; end -= few) { /* the nearest first */
        const uint32_t kept = a->count;
        few = end < GROUP ? end : GROUP;
        kernels->collect(band->frame->geometry, &to, ids + (end - few), few);
        flush_kept(band);
        hide_behind(band, kept, width);
    }
    if (!a->full) {
        blend_kept(band, width, pixels);
    }
    return !a->full;
}
