/* hidden.c: opaque or masked triangles of a band where many lie behind one another: the nearer ones
 * first, and those behind what is there already not at all.
 *
 * The band is cut into blocks, each with the farthest depth of its samples. A triangle whose
 * nearest corner is farther than that in every block its box touches loses every sample: depths are
 * clamped to those of the corners, and a sample's only falls. Neither this nor the order shows in
 * the result, since the winner of a sample is the smallest (depth, id).
 *
 * Blocks are not kept up to date with the samples: they are looked through again when about as many
 * samples as the band has were tested twice, and less and less often when that finds little. Bands
 * whose triangles' boxes are no more than a few times their pixels go straight to the kernel, so
 * that a mesh which hides little of itself pays for a look at LIST_SEEN of its boxes.
 */
#include "raster/cover.h"

#include <stdlib.h>

#define BLOCK_ROWS 8

/* From so many pixels of boxes a pixel of the band on. Of small triangles boxes are about three
 * times what they cover, of others twice. */
#define WORTH_BOXES 6

/* Dropping goes on while at least one triangle in so many is hidden. */
#define WORTH_ONE_IN 4

/* Chunks to which an order is given, and how many triangles are looked at to find out: 256 chunks
 * cost as much as they gain. */
#define CHUNKS     64
#define CHUNK_SEEN 4
#define LIST_SEEN  64

/* Triangles that are tried and, when they may be seen, drawn at once. */
#define KEPT_MAX 1024

static inline int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline uint64_t touched_pixels(const mrwi_raster_box *touch)
{
    return (uint64_t)(touch->x1 - touch->x0) * (uint64_t)(touch->y1 - touch->y0);
}

/* ---- farthest depths ------------------------------------------------------------------------- */

size_t mrwi_raster_block_count(size_t width, size_t rows)
{
    return (width / MRWI_RASTER_BLOCK_WIDTH) * ((rows + BLOCK_ROWS - 1) / BLOCK_ROWS);
}

static inline int32_t block_columns(const mrwi_raster_box *touch)
{
    return (touch->x1 - touch->x0) / MRWI_RASTER_BLOCK_WIDTH;
}

/* The last column takes what is left at the right as well. */
static void find_farthest(const mrwi_raster_visibility *seen, const mrwi_raster_box *touch,
                          mrwi_raster_farthest_kernel farthest, float *out)
{
    const int32_t columns = block_columns(touch);
    for (int32_t y = touch->y0; y < touch->y1; y += BLOCK_ROWS) {
        const size_t rows = (size_t)smaller(touch->y1 - y, BLOCK_ROWS) * seen->samples;
        const float *z = seen->z + mrwi_raster_sample_index(seen, y, 0);
        float end;
        farthest(z + touch->x0, seen->stride, rows, columns, out);
        farthest(z + touch->x1 - MRWI_RASTER_BLOCK_WIDTH, seen->stride, rows, 1, &end);
        out[columns - 1] = out[columns - 1] > end ? out[columns - 1] : end;
        out += columns;
    }
}

/* Whether everything that is there at the box is nearer than z. */
static bool is_hidden(const float *farthest, const mrwi_raster_box *touch,
                      const mrwi_raster_box *box, float z)
{
    const int32_t columns = block_columns(touch);
    const int32_t i0 = smaller((box->x0 - touch->x0) / MRWI_RASTER_BLOCK_WIDTH, columns - 1);
    const int32_t i1 = smaller((box->x1 - 1 - touch->x0) / MRWI_RASTER_BLOCK_WIDTH, columns - 1);
    const int32_t j0 = box->y0 > touch->y0 ? (box->y0 - touch->y0) / BLOCK_ROWS : 0;
    const int32_t j1 = (smaller(box->y1, touch->y1) - 1 - touch->y0) / BLOCK_ROWS;
    for (int32_t j = j0; j <= j1; j++) {
        for (int32_t i = i0; i <= i1; i++) {
            if (!(z > farthest[j * columns + i])) {
                return false;
            }
        }
    }
    return true;
}

static inline float nearest_corner(const mrwi_raster_geometry *geometry, uint32_t id)
{
    const uint32_t *vertex = geometry->kept.triangles[id].vertex;
    const float a = geometry->vertices.screen[vertex[0]].z,
                b = geometry->vertices.screen[vertex[1]].z;
    const float c = geometry->vertices.screen[vertex[2]].z, ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Where triangles go, and how. */
typedef struct way {
    const mrwi_raster_cover_kernels *kernels;
    const mrwi_raster_geometry *geometry;
    mrwi_raster_visibility *seen;
    const mrwi_raster_collector *to; /* fragments are collected; NULL: samples are covered */
} way;

static void draw_list(const way *w, const uint32_t *ids, uint32_t count)
{
    if (w->to) {
        w->kernels->collect(w->geometry, w->to, ids, count);
    } else {
        w->kernels->cover(w->geometry, w->seen, ids, count);
    }
}

/* Draws the triangles of a list that may win a sample; returns how many those are. */
static uint32_t draw_visible(const way *w, const float *farthest, const mrwi_raster_box *touch,
                             const uint32_t *ids, uint32_t count)
{
    const mrwi_raster_geometry *geometry = w->geometry;
    uint32_t kept[KEPT_MAX];
    uint32_t visible = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t n = 0;
        for (uint32_t tried = 0; tried < KEPT_MAX && i < count; tried++, i++) {
            const float z = nearest_corner(geometry, ids[i]);
            kept[n] = ids[i];
            n += !is_hidden(farthest, touch, &geometry->kept.boxes[ids[i]], z);
        }
        draw_list(w, kept, n);
        visible += n;
    }
    return visible;
}

/* ---- nearer ones first ----------------------------------------------------------------------- */

/* Neighbours in a list, and about how near they are. */
typedef struct chunk {
    float z;
    uint32_t first, count;
} chunk;

static int compare_chunks(const void *a, const void *b)
{
    const chunk *x = a, *y = b;
    return x->z != y->z ? (x->z < y->z ? -1 : 1) : (x->first > y->first) - (x->first < y->first);
}

/* Cuts a list into chunks, batches of the widest kernel where there are enough triangles. */
static uint32_t order_chunks(const mrwi_raster_geometry *geometry, const uint32_t *ids,
                             uint32_t count, chunk chunks[CHUNKS])
{
    const uint32_t even = (count + CHUNKS - 1) / CHUNKS;
    const uint32_t size = even > 8 ? (even + 15) / 16 * 16 : even;
    uint32_t n = 0;
    for (uint32_t first = 0; first < count; first += size, n++) {
        chunk *c = &chunks[n];
        *c = (chunk){1.0f, first, count - first < size ? count - first : size};
        for (uint32_t i = 0; i < CHUNK_SEEN; i++) {
            const uint32_t id = ids[first + c->count * i / CHUNK_SEEN];
            const float z = nearest_corner(geometry, id);
            c->z = z < c->z ? z : c->z;
        }
    }
    qsort(chunks, n, sizeof *chunks, compare_chunks);
    return n;
}

/* boxes: about how many pixels those of the list have in the band. */
static void draw_by_depth(mrwi_raster_band *band, const way *w, const uint32_t *ids, uint32_t count,
                          uint64_t boxes)
{
    const uint64_t mean = boxes / count;
    chunk chunks[CHUNKS];
    const uint32_t chunk_count = order_chunks(w->geometry, ids, count, chunks);
    uint64_t left = boxes, tested = 0, limit = 2 * touched_pixels(&band->touch);
    bool dropping = false;
    for (uint32_t i = 0; i < chunk_count; i++) {
        const uint32_t *list = ids + chunks[i].first;
        const uint32_t n = chunks[i].count;
        uint32_t visible = n;
        if (dropping) {
            visible = draw_visible(w, band->scratch->farthest, &band->touch, list, n);
            dropping = (n - visible) * WORTH_ONE_IN >= n;
            limit = dropping ? limit : 2 * limit;
        } else {
            draw_list(w, list, n);
        }
        tested += visible * mean;
        left -= n * mean;
        if (tested >= limit && left >= limit) {
            find_farthest(&band->seen, &band->touch, w->kernels->farthest, band->scratch->farthest);
            tested = 0;
            dropping = true;
        }
    }
}

/* ---- all of a bin ---------------------------------------------------------------------------- */

/* About how many pixels the boxes of a list have in the band. */
static uint64_t estimate_boxes(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count)
{
    const uint32_t step = (count + LIST_SEEN - 1) / LIST_SEEN;
    uint64_t sum = 0, seen = 0;
    for (uint32_t i = 0; i < count; i += step, seen++) {
        const mrwi_raster_box *box = &band->frame->geometry->kept.boxes[ids[i]];
        const int32_t y0 = box->y0 > band->box.y0 ? box->y0 : band->box.y0;
        sum += (uint64_t)(smaller(box->y1, band->box.y1) - y0) * (uint64_t)(box->x1 - box->x0);
    }
    return seen > 0 ? sum * count / seen : 0;
}

void mrwi_raster_cover_nearest_first(mrwi_raster_band *band, const uint32_t *ids, uint32_t count,
                                     const mrwi_raster_collector *to)
{
    const way w = {mrwi_raster_cover_kernels_for(band->frame->isa), band->frame->geometry,
                   &band->seen, to};
    const uint64_t boxes = estimate_boxes(band, ids, count);
    if (boxes < WORTH_BOXES * touched_pixels(&band->touch) || block_columns(&band->touch) == 0) {
        draw_list(&w, ids, count);
    } else {
        draw_by_depth(band, &w, ids, count, boxes);
    }
}

void mrwi_raster_cover_opaque(mrwi_raster_band *band, const uint32_t *ids, uint32_t count)
{
    mrwi_raster_cover_nearest_first(band, ids, count, NULL);
}
