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

/* ---- farthest depths ------------------------------------------------------------------------- */

size_t mrwi_raster_block_count(size_t width, size_t rows)
{
    return (width / MRWI_RASTER_BLOCK_WIDTH) * ((rows + BLOCK_ROWS - 1) / BLOCK_ROWS);
}

static inline int32_t block_columns(const mrwi_raster_band *band)
{
    return (band->touch.x1 - band->touch.x0) / MRWI_RASTER_BLOCK_WIDTH;
}

/* The last column takes what is left at the right as well. */
static void find_farthest(mrwi_raster_band *band, mrwi_raster_farthest_kernel farthest)
{
    const size_t samples = band->frame->job->samples;
    const int32_t columns = block_columns(band);
    float *out = band->farthest;
    for (int32_t y = band->touch.y0; y < band->touch.y1; y += BLOCK_ROWS) {
        const size_t rows = (size_t)smaller(band->touch.y1 - y, BLOCK_ROWS) * samples;
        const float *z = band->z + mrwi_raster_sample_index(band, y, 0);
        float end;
        farthest(z + band->touch.x0, band->stride, rows, columns, out);
        farthest(z + band->touch.x1 - MRWI_RASTER_BLOCK_WIDTH, band->stride, rows, 1, &end);
        out[columns - 1] = out[columns - 1] > end ? out[columns - 1] : end;
        out += columns;
    }
}

/* Whether everything that is there at the box is nearer than z. */
static bool is_hidden(const mrwi_raster_band *band, const mrwi_raster_box *box, float z)
{
    const mrwi_raster_box *touch = &band->touch;
    const int32_t columns = block_columns(band);
    const int32_t i0 = smaller((box->x0 - touch->x0) / MRWI_RASTER_BLOCK_WIDTH, columns - 1);
    const int32_t i1 = smaller((box->x1 - 1 - touch->x0) / MRWI_RASTER_BLOCK_WIDTH, columns - 1);
    const int32_t j0 = box->y0 > touch->y0 ? (box->y0 - touch->y0) / BLOCK_ROWS : 0;
    const int32_t j1 = (smaller(box->y1, touch->y1) - 1 - touch->y0) / BLOCK_ROWS;
    for (int32_t j = j0; j <= j1; j++) {
        for (int32_t i = i0; i <= i1; i++) {
            if (!(z > band->farthest[j * columns + i])) {
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

/* Draws the triangles of a list that may win a sample; returns how many those are. */
static uint32_t cover_visible(mrwi_raster_band *band, const uint32_t *ids, uint32_t count,
                              mrwi_raster_cover_kernel cover)
{
    const mrwi_raster_geometry *geometry = band->frame->geometry;
    uint32_t kept[KEPT_MAX];
    uint32_t visible = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t n = 0;
        for (uint32_t tried = 0; tried < KEPT_MAX && i < count; tried++, i++) {
            const float z = nearest_corner(geometry, ids[i]);
            kept[n] = ids[i];
            n += !is_hidden(band, &geometry->kept.boxes[ids[i]], z);
        }
        cover(band, kept, n);
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
static uint32_t order_chunks(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count,
                             chunk chunks[CHUNKS])
{
    const uint32_t even = (count + CHUNKS - 1) / CHUNKS;
    const uint32_t size = even > 8 ? (even + 15) / 16 * 16 : even;
    uint32_t n = 0;
    for (uint32_t first = 0; first < count; first += size, n++) {
        chunk *c = &chunks[n];
        *c = (chunk){1.0f, first, count - first < size ? count - first : size};
        for (uint32_t i = 0; i < CHUNK_SEEN; i++) {
            const uint32_t id = ids[first + c->count * i / CHUNK_SEEN];
            const float z = nearest_corner(band->frame->geometry, id);
            c->z = z < c->z ? z : c->z;
        }
    }
    qsort(chunks, n, sizeof *chunks, compare_chunks);
    return n;
}

/* pixels of the band, boxes: about how many pixels those of the list have in it. */
static void cover_by_depth(mrwi_raster_band *band, const uint32_t *ids, uint32_t count,
                           mrwi_raster_cover_kernel cover, uint64_t pixels, uint64_t boxes)
{
    const mrwi_raster_farthest_kernel farthest =
        mrwi_raster_cover_kernels_for(band->frame->isa)->farthest;
    const uint64_t mean = boxes / count;
    chunk chunks[CHUNKS];
    const uint32_t chunk_count = order_chunks(band, ids, count, chunks);
    uint64_t left = boxes, tested = 0, limit = 2 * pixels;
    bool dropping = false;
    for (uint32_t i = 0; i < chunk_count; i++) {
        const uint32_t *list = ids + chunks[i].first;
        const uint32_t n = chunks[i].count;
        uint32_t visible = n;
        if (dropping) {
            visible = cover_visible(band, list, n, cover);
            dropping = (n - visible) * WORTH_ONE_IN >= n;
            limit = dropping ? limit : 2 * limit;
        } else {
            cover(band, list, n);
        }
        tested += visible * mean;
        left -= n * mean;
        if (tested >= limit && left >= limit) {
            find_farthest(band, farthest);
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
                                     mrwi_raster_cover_kernel cover)
{
    const uint64_t pixels =
        (uint64_t)(band->touch.x1 - band->touch.x0) * (uint64_t)(band->touch.y1 - band->touch.y0);
    const uint64_t boxes = estimate_boxes(band, ids, count);
    if (boxes < WORTH_BOXES * pixels || block_columns(band) == 0) {
        cover(band, ids, count);
    } else {
        cover_by_depth(band, ids, count, cover, pixels, boxes);
    }
}

void mrwi_raster_cover_opaque(mrwi_raster_band *band, const uint32_t *ids, uint32_t count)
{
    const mrwi_raster_cover_kernel cover = mrwi_raster_cover_kernels_for(band->frame->isa)->cover;
    mrwi_raster_cover_nearest_first(band, ids, count, cover);
}
