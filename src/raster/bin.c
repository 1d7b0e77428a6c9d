/* bin.c: the triangles of each band of scanlines, by layer: transparent ones back to front; masked
 * ones front to back, so that texels of hidden surfaces are never looked up. */
#include "raster/internal.h"

#include "base/simd/f4.h"
#include "base/work.h"

#include <float.h>
#include <string.h>

/* Masked triangles are sorted if their boxes have at least this many pixels on average. For a sheet
 * of 250,000 triangles with two pixels each, sorting takes a quarter of the whole command and hides
 * nothing. */
#define SORTED_PIXELS 24

/* A triangle of a layer that is sorted; keys ascend in its order. */
typedef struct depth_key {
    uint64_t key;
    uint32_t id;
    uint32_t zero;
} depth_key;

/* Returns the sum of the corners' clip-space z, which grows with the distance from the eye in every
 * projection. */
static double centroid_depth(const mrwi_raster_geometry *geometry,
                             const mrwi_shade_triangle *triangle)
{
    double z = 0.0;
    for (int i = 0; i < 3; i++) {
        const mrwi_raster_screen_vertex *v = &geometry->vertices.screen[triangle->vertex[i]];
        z += (double)v->z / (double)v->inv_w;
    }
    return z;
}

/* Returns a key that sorts back to front; grounds lie behind everything else. The bits of a
 * non-negative number ascend with it. */
static uint64_t key_of_blended(const mrwi_raster_geometry *geometry, uint32_t id)
{
    const mrwi_shade_triangle *triangle = &geometry->kept.triangles[id];
    const bool ground = geometry->draws[triangle->draw_flags >> 1].ground != MRW_GROUND_NONE;
    const double depth = ground ? DBL_MAX : centroid_depth(geometry, triangle);
    uint64_t bits;
    memcpy(&bits, &depth, sizeof bits);
    return ~bits;
}

/* Returns a key that sorts roughly front to back: the order does not show in the picture, and three
 * bytes are sorted faster than eight. */
static uint64_t key_of_masked(const mrwi_raster_geometry *geometry, uint32_t id)
{
    const float z = mrwi_raster_nearest_corner(geometry, id);
    uint32_t bits;
    memcpy(&bits, &z, sizeof bits);
    return bits >> 8;
}

/* Sorts by eight bits at a time, the lowest first. That keeps the order of equal keys: ids, which
 * ascend, decide ties. `other` has the same size. Returns the one of both arrays that is sorted. */
static const depth_key *sort_keys(depth_key *keys, depth_key *other, uint32_t count)
{
    uint32_t next[8][256] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        for (int byte = 0; byte < 8; byte++) {
            next[byte][keys[i].key >> 8 * byte & 255]++;
        }
    }
    for (int byte = 0; byte < 8; byte++) {
        if (next[byte][keys[0].key >> 8 * byte & 255] == count) {
            continue; /* all keys have the same byte here */
        }
        for (uint32_t value = 0, sum = 0; value < 256; value++) {
            uint32_t here = next[byte][value];
            next[byte][value] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < count; i++) {
            other[next[byte][keys[i].key >> 8 * byte & 255]++] = keys[i];
        }
        depth_key *sorted = other;
        other = keys;
        keys = sorted;
    }
    return keys;
}

/* ---- counting and filling -------------------------------------------------------------------- */

typedef struct band_span {
    int32_t first, last;
} band_span;

static inline band_span bands_of(const mrwi_raster_box *box, int32_t rows)
{
    return (band_span){box->y0 / rows, (box->y1 - 1) / rows};
}

/* Returns how many of count boxes, from the first on, touch the same bands as the first. Neighbours
 * mostly do; counting and filling bins by such spans saves divisions, and waiting for values just
 * written. */
static uint32_t span_length(const mrwi_raster_box *box, uint32_t count, int32_t rows,
                            band_span span)
{
    uint32_t top = (uint32_t)(span.first * rows), bottom = (uint32_t)(span.last * rows + 1);
    uint32_t height = (uint32_t)rows;
    uint32_t n = 1;
    while (n < count && (uint32_t)box[n].y0 - top < height &&
           (uint32_t)box[n].y1 - bottom < height) {
        n++;
    }
    return n;
}

static inline uint64_t pixels_of(const mrwi_raster_box *box)
{
    return (uint64_t)(uint32_t)(box->x1 - box->x0) * (uint32_t)(box->y1 - box->y0);
}

/* Boxes under construction are {x0, y0, ~x1, ~y1}, so that all four take the minimum. */
static const mrwi_base_i4 turned = {0, 0, -1, -1};

static inline mrwi_base_i4 smallest(mrwi_base_i4 a, mrwi_base_i4 b)
{
    return mrwi_base_i4_select((mrwi_base_i4)(a < b), a, b);
}

/* Counts are stored two entries further on. A running sum turns each into the bin's beginning, one
 * entry further on; filling the bin turns that into its end. */
static void count_run(mrwi_raster_bins *bins, const mrwi_raster_box *boxes,
                      const mrwi_raster_run *run)
{
    uint64_t pixels = 0;
    for (uint32_t i = 0, n; i < run->count; i += n) {
        const mrwi_raster_box *box = boxes + run->first + i;
        band_span span = bands_of(box, bins->band_rows);
        n = span_length(box, run->count - i, bins->band_rows, span);
        mrwi_base_i4 bounds = mrwi_base_i4_load(box) ^ turned;
        pixels += pixels_of(box);
        for (uint32_t k = 1; k < n; k++) {
            bounds = smallest(bounds, mrwi_base_i4_load(&box[k]) ^ turned);
            pixels += pixels_of(&box[k]);
        }
        for (int32_t band = span.first; band <= span.last; band++) {
            mrwi_raster_box *kept = &bins->bounds[band];
            mrwi_base_i4_store(kept, smallest(mrwi_base_i4_load(kept), bounds));
            bins->first[band * MRWI_RASTER_LAYERS + (int32_t)run->layer + 2] += n;
        }
    }
    bins->pixels[run->layer] += pixels;
}

static void fill_run(mrwi_raster_bins *bins, const mrwi_raster_box *boxes,
                     const mrwi_raster_run *run)
{
    for (uint32_t i = 0, n; i < run->count; i += n) {
        uint32_t id = run->first + i;
        band_span span = bands_of(&boxes[id], bins->band_rows);
        n = span_length(&boxes[id], run->count - i, bins->band_rows, span);
        for (int32_t band = span.first; band <= span.last; band++) {
            uint64_t *cursor = &bins->first[band * MRWI_RASTER_LAYERS + (int32_t)run->layer + 1];
            uint32_t *out = bins->ids + *cursor;
            for (uint32_t k = 0; k < n; k++) {
                out[k] = id + k;
            }
            *cursor += n;
        }
    }
}

/* Fills a layer in the order of keys, instead of fill_run. */
static bool fill_sorted(mrwi_raster_bins *bins, const mrwi_raster_geometry *geometry,
                        mrwi_raster_layer layer, uint32_t count)
{
    if (!mrwi_raster_buffer_reserve(&bins->buffers.keys, 0, (size_t)2 * count, sizeof(depth_key))) {
        return false;
    }
    depth_key *keys = bins->buffers.keys.data;
    uint32_t n = 0;
    for (uint32_t r = 0; r < geometry->runs.count; r++) {
        const mrwi_raster_run *run = &geometry->runs.list[r];
        for (uint32_t i = 0; i < run->count && run->layer == layer; i++) {
            const uint32_t id = run->first + i;
            keys[n++] = (depth_key){layer == MRWI_RASTER_BLEND ? key_of_blended(geometry, id)
                                                               : key_of_masked(geometry, id),
                                    id, 0};
        }
    }
    const depth_key *sorted = sort_keys(keys, keys + n, n);
    for (uint32_t i = 0; i < n; i++) {
        fill_run(bins, geometry->kept.boxes, &(mrwi_raster_run){sorted[i].id, 1, layer});
    }
    return true;
}

static bool masked_are_large(const mrwi_raster_bins *bins, uint32_t count)
{
    return bins->pixels[MRWI_RASTER_MASK] >= (uint64_t)SORTED_PIXELS * count;
}

/* ---- a frame --------------------------------------------------------------------------------- */

static bool clear_bins(mrwi_raster_bins *bins, int32_t height, int32_t band_rows)
{
    bins->band_rows = band_rows;
    bins->band_count = (height + band_rows - 1) / band_rows;
    size_t bin_count = (size_t)bins->band_count * MRWI_RASTER_LAYERS;
    if (!mrwi_raster_buffer_reserve(&bins->buffers.first, 0, bin_count + 2, sizeof(uint64_t)) ||
        !mrwi_raster_buffer_reserve(&bins->buffers.bounds, 0, (size_t)bins->band_count,
                                    sizeof(mrwi_raster_box))) {
        return false;
    }
    bins->first = bins->buffers.first.data;
    bins->bounds = bins->buffers.bounds.data;
    memset(bins->first, 0, (bin_count + 2) * sizeof(uint64_t));
    memset(bins->pixels, 0, sizeof bins->pixels);
    for (int32_t i = 0; i < bins->band_count; i++) {
        bins->bounds[i] = (mrwi_raster_box){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    }
    return true;
}

/* Turns bounds back into boxes, cut to their bands. */
static void finish_bounds(mrwi_raster_bins *bins)
{
    for (int32_t i = 0; i < bins->band_count; i++) {
        mrwi_raster_box *b = &bins->bounds[i];
        int32_t top = i * bins->band_rows, end = top + bins->band_rows;
        mrwi_base_i4_store(b, mrwi_base_i4_load(b) ^ turned);
        b->y0 = b->y0 > top ? b->y0 : top;
        b->y1 = b->y1 < end ? b->y1 : end;
    }
}

/* Spends the work that the triangles of all bands take: see mrw_work_limit. */
static bool spend(const mrwi_raster_bins *bins, uint32_t samples)
{
    const uint64_t *pixels = bins->pixels;
    return mrwi_base_work_spend(pixels[MRWI_RASTER_OPAQUE] * samples +
                                pixels[MRWI_RASTER_MASK] * samples * 8 +
                                pixels[MRWI_RASTER_BLEND] * (samples * 2 + 40));
}

bool mrwi_raster_bin_triangles(mrwi_raster_bins *bins, const mrwi_raster_geometry *geometry,
                               int32_t band_rows)
{
    if (!clear_bins(bins, geometry->view.height, band_rows)) {
        return false;
    }
    uint32_t blend_count = 0, mask_count = 0;
    for (uint32_t i = 0; i < geometry->runs.count; i++) {
        const mrwi_raster_run *run = &geometry->runs.list[i];
        count_run(bins, geometry->kept.boxes, run);
        blend_count += run->layer == MRWI_RASTER_BLEND ? run->count : 0;
        mask_count += run->layer == MRWI_RASTER_MASK ? run->count : 0;
    }
    if (!spend(bins, geometry->view.pattern->count)) {
        return false;
    }
    finish_bounds(bins);
    size_t bin_count = (size_t)bins->band_count * MRWI_RASTER_LAYERS;
    for (size_t i = 1; i < bin_count + 2; i++) {
        bins->first[i] += bins->first[i - 1];
    }
    if (!mrwi_raster_buffer_reserve(&bins->buffers.ids, 0, bins->first[bin_count + 1],
                                    sizeof(uint32_t))) {
        return false;
    }
    bins->ids = bins->buffers.ids.data;
    bins->masks = mask_count > 0;
    bins->blends = blend_count > 0;
    const bool sorts_masked = bins->masks && masked_are_large(bins, mask_count);
    for (uint32_t i = 0; i < geometry->runs.count; i++) {
        const mrwi_raster_run *run = &geometry->runs.list[i];
        if (run->layer == MRWI_RASTER_OPAQUE || (run->layer == MRWI_RASTER_MASK && !sorts_masked)) {
            fill_run(bins, geometry->kept.boxes, run);
        }
    }
    if ((sorts_masked && !fill_sorted(bins, geometry, MRWI_RASTER_MASK, mask_count)) ||
        (bins->blends && !fill_sorted(bins, geometry, MRWI_RASTER_BLEND, blend_count))) {
        return false;
    }
    if (bins->blends) {
        mrwi_raster_bound_fragments(geometry, bins);
    }
    return true;
}
