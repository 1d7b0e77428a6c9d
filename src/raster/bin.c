/* bin.c: the triangles of each band of scanlines, by layer; transparent ones back to front. */
#include "raster/internal.h"

#include <stdlib.h>

/* A transparent triangle and the depth of its centroid. */
typedef struct blend_key {
    double depth;
    uint32_t id;
    uint32_t zero;
} blend_key;

static int back_to_front(const void *a, const void *b)
{
    const blend_key *x = a;
    const blend_key *y = b;
    if (x->depth != y->depth) {
        return x->depth > y->depth ? -1 : 1;
    }
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The sum of the corners' clip-space z, which grows with the distance from the eye in every
 * projection. */
static double centroid_depth(const mrwi_geometry *geometry, const mrwi_triangle *triangle)
{
    double z = 0.0;
    for (int i = 0; i < 3; i++) {
        const mrwi_screen_vertex *v = &geometry->screen[triangle->vertex[i]];
        z += (double)v->z / (double)v->inv_w;
    }
    return z;
}

static void widen(mrwi_box *bounds, const mrwi_box *box)
{
    bounds->x0 = box->x0 < bounds->x0 ? box->x0 : bounds->x0;
    bounds->y0 = box->y0 < bounds->y0 ? box->y0 : bounds->y0;
    bounds->x1 = box->x1 > bounds->x1 ? box->x1 : bounds->x1;
    bounds->y1 = box->y1 > bounds->y1 ? box->y1 : bounds->y1;
}

/* Adds a triangle to the counts of its bins, one entry further on, so that a running sum turns them
 * into the bins' ends and filling turns those into their beginnings. */
static void count_triangle(mrwi_bins *bins, const mrwi_box *box, mrwi_layer layer)
{
    int32_t last = (box->y1 - 1) / bins->band_rows;
    for (int32_t band = box->y0 / bins->band_rows; band <= last; band++) {
        mrwi_box part = *box;
        int32_t top = band * bins->band_rows;
        part.y0 = part.y0 > top ? part.y0 : top;
        part.y1 = part.y1 < top + bins->band_rows ? part.y1 : top + bins->band_rows;
        widen(&bins->bounds[band], &part);
        bins->first[band * MRWI_LAYERS + (int32_t)layer]++;
    }
}

static void fill_triangle(mrwi_bins *bins, const mrwi_geometry *geometry, uint32_t id,
                          mrwi_layer layer)
{
    const mrwi_box *box = &geometry->boxes[id];
    int32_t last = (box->y1 - 1) / bins->band_rows;
    for (int32_t band = box->y0 / bins->band_rows; band <= last; band++) {
        bins->ids[--bins->first[band * MRWI_LAYERS + (int32_t)layer]] = id;
    }
}

static uint32_t count_all(mrwi_bins *bins, const mrwi_geometry *geometry)
{
    uint32_t blend_count = 0;
    for (uint32_t i = 0; i < geometry->triangle_count; i++) {
        const mrwi_triangle *triangle = &geometry->triangles[i];
        mrwi_layer layer = mrwi_triangle_layer(geometry, triangle);
        count_triangle(bins, &geometry->boxes[i], layer);
        blend_count += layer == MRWI_BLEND;
    }
    return blend_count;
}

/* Bins are filled from their ends, so in reverse order. */
static bool fill_blended(mrwi_bins *bins, const mrwi_geometry *geometry, uint32_t blend_count)
{
    if (!mrwi_buffer_reserve(&bins->order_buffer, 0, blend_count, sizeof(blend_key))) {
        return false;
    }
    blend_key *keys = bins->order_buffer.data;
    uint32_t n = 0;
    for (uint32_t i = 0; i < geometry->triangle_count; i++) {
        const mrwi_triangle *triangle = &geometry->triangles[i];
        if (mrwi_triangle_layer(geometry, triangle) == MRWI_BLEND) {
            keys[n++] = (blend_key){centroid_depth(geometry, triangle), i, 0};
        }
    }
    qsort(keys, n, sizeof keys[0], back_to_front);
    while (n > 0) {
        fill_triangle(bins, geometry, keys[--n].id, MRWI_BLEND);
    }
    return true;
}

bool mrwi_bin_triangles(mrwi_bins *bins, const mrwi_geometry *geometry, int32_t band_rows)
{
    bins->band_rows = band_rows;
    bins->band_count = (geometry->height + band_rows - 1) / band_rows;
    size_t bin_count = (size_t)bins->band_count * MRWI_LAYERS;
    if (!mrwi_buffer_reserve(&bins->first_buffer, 0, bin_count + 1, sizeof(uint64_t)) ||
        !mrwi_buffer_reserve(&bins->bound_buffer, 0, (size_t)bins->band_count, sizeof(mrwi_box))) {
        return false;
    }
    bins->first = bins->first_buffer.data;
    bins->bounds = bins->bound_buffer.data;
    for (size_t i = 0; i <= bin_count; i++) {
        bins->first[i] = 0;
    }
    for (int32_t i = 0; i < bins->band_count; i++) {
        bins->bounds[i] = (mrwi_box){INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    }
    uint32_t blend_count = count_all(bins, geometry);
    for (size_t i = 1; i <= bin_count; i++) {
        bins->first[i] += bins->first[i - 1];
    }
    if (!mrwi_buffer_reserve(&bins->id_buffer, 0, bins->first[bin_count], sizeof(uint32_t))) {
        return false;
    }
    bins->ids = bins->id_buffer.data;
    for (uint32_t i = geometry->triangle_count; i > 0; i--) {
        mrwi_layer layer = mrwi_triangle_layer(geometry, &geometry->triangles[i - 1]);
        if (layer != MRWI_BLEND) {
            fill_triangle(bins, geometry, i - 1, layer);
        }
    }
    bins->blends = blend_count > 0;
    return blend_count == 0 || fill_blended(bins, geometry, blend_count);
}
