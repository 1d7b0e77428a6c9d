/* hidden.c: opaque or masked triangles of a band where many lie behind one another: draws nearer
 * ones first, and skips those behind what is there already.
 *
 * The band is cut into blocks, each with the farthest depth of its samples. A triangle whose
 * nearest corner is farther than that in every block that its box touches loses every sample:
 * depths are clamped to those of the corners, and a sample's depth only falls. Neither this nor the
 * order shows in the result, since the winner of a sample is the smallest (depth, id).
 *
 * There are two ways to find the nearer triangles. In closed bodies that are drawn from both sides,
 * as casters of shadows are, the triangles of one side lie before those of the other: that side is
 * drawn first, then the visible triangles of the other. Elsewhere lists are cut into chunks, which
 * are sorted. Masked triangles, unless they are small, are sorted already (bin.c), and a sample of
 * theirs that passes the depth test costs ten times as much as an opaque one: they are drawn by
 * depth from fewer layers on, and never by side.
 *
 * Blocks are not updated with each sample: they are recomputed when about twice as many samples as
 * the band has were tested, and less and less often if that finds little. Bands whose triangles'
 * boxes are not more than a few times their pixels go straight to the kernel, so that a mesh which
 * hides little of itself pays only for examining LIST_SEEN of its boxes.
 */
#include "raster/cover.h"

#include "base/work.h"

#include <stdlib.h>

#define BLOCK_ROWS 8

/* The least sum of boxes, in pixels per pixel of the band, that is worth the effort. Boxes of small
 * triangles are about three times what they cover, those of others twice. */
#define WORTH_BOXES 6

/* The same for drawing by sides, and the number of layers from which depths are better. */
#define WORTH_SIDES 2
#define MOST_SIDES  12

/* The same for masked triangles. */
#define WORTH_MASKS 2

/* The least pixels per box: drawing smaller triangles costs no more than testing them. */
#define WORTH_A_TEST 24

/* Testing goes on while at least one triangle in so many is hidden. */
#define WORTH_ONE_IN 4

/* The number of chunks that are ordered, and of triangles per chunk that are examined for it: 256
 * chunks cost as much as they gain. */
#define CHUNKS     64
#define CHUNK_SEEN 4
#define LIST_SEEN  64

/* The most triangles that are tested and then drawn at once, if they may be visible. */
#define KEPT_MAX 1024

/* Prefetch distance, in triangles. */
#define AHEAD 16

/* The most samples that are tested between two looks at the work, unless 16 triangles have more. */
#define LOOK_SAMPLES (1 << 26)

/* The number of triangles of the back side that are tested in any case: neighbours are visible
 * together. */
#define SIDE_TRIED 256

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

/* Finds the farthest depths. The last column includes the rest at the right. */
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

/* Returns true if everything at the box is nearer than z. */
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

/* The kernels and the destination of triangles. */
typedef struct way {
    const mrwi_raster_cover_kernels *kernels;
    const mrwi_raster_geometry *geometry;
    const mrwi_raster_visibility *seen;
    const mrwi_raster_collector *to; /* collects fragments; NULL: samples are covered */
    uint64_t samples;                /* in the touched part of the band */
    uint32_t few;                    /* triangles between two looks at the work */
} way;

/* Draws triangles, with a look at the work after a few. It is left undone once the work must end.
 */
static void draw_list(const way *w, const uint32_t *ids, uint32_t count)
{
    while (count > 0 && mrwi_base_work_look((uint64_t)w->few * w->samples)) {
        const uint32_t few = count < w->few ? count : w->few;
        if (w->to) {
            w->kernels->collect(w->geometry, w->to, ids, few);
        } else {
            w->kernels->cover(w->geometry, w->seen, ids, few);
        }
        ids += few;
        count -= few;
    }
}

/* Draws the triangles of a list that may win a sample. Returns their number. */
static uint32_t draw_visible(const way *w, const float *farthest, const mrwi_raster_box *touch,
                             const uint32_t *ids, uint32_t count)
{
    const mrwi_raster_geometry *geometry = w->geometry;
    uint32_t kept[KEPT_MAX];
    uint32_t visible = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t n = 0;
        for (uint32_t tried = 0; tried < KEPT_MAX && i < count; tried++, i++) {
            const float z = mrwi_raster_nearest_corner(geometry, ids[i]);
            kept[n] = ids[i];
            n += !is_hidden(farthest, touch, &geometry->kept.boxes[ids[i]], z);
        }
        draw_list(w, kept, n);
        visible += n;
    }
    return visible;
}

uint32_t mrwi_raster_few(uint64_t samples)
{
    const uint64_t few = (uint64_t)LOOK_SAMPLES / (samples + 1) / 16 * 16;
    return few < 16 ? 16 : few > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)few;
}

/* ---- nearer ones first ----------------------------------------------------------------------- */

/* Neighbours in a list, and roughly how near they are. */
typedef struct chunk {
    float z;
    uint32_t first, count;
} chunk;

static int compare_chunks(const void *a, const void *b)
{
    const chunk *x = a, *y = b;
    return x->z != y->z ? (x->z < y->z ? -1 : 1) : (x->first > y->first) - (x->first < y->first);
}

/* Cuts a list into chunks: batches of the widest kernel, if there are enough triangles. */
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
            const float z = mrwi_raster_nearest_corner(geometry, id);
            c->z = z < c->z ? z : c->z;
        }
    }
    qsort(chunks, n, sizeof *chunks, compare_chunks);
    return n;
}

/* Draws a list by depth. boxes: roughly the pixels of the list's boxes in the band. */
static void draw_by_depth(const mrwi_raster_band *band, const way *w, const uint32_t *ids,
                          uint32_t count, uint64_t boxes)
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

/* ---- the nearer side first ------------------------------------------------------------------- */

static inline uint32_t side_of(const mrwi_raster_geometry *geometry, uint32_t id)
{
    return geometry->kept.triangles[id].draw_flags & 1u;
}

/* Draws one side. This is the first time that a triangle is read, which takes long: its memory is
 * prefetched. */
static void draw_side(const way *w, const uint32_t *ids, uint32_t count, uint32_t side)
{
    uint32_t kept[KEPT_MAX], n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t soon = ids[i + AHEAD < count ? i + AHEAD : i];
        __builtin_prefetch(&w->geometry->kept.triangles[soon]);
        kept[n] = ids[i];
        n += side_of(w->geometry, ids[i]) == side;
        if (n == KEPT_MAX || i + 1 == count) {
            draw_list(w, kept, n);
            n = 0;
        }
    }
}

/* Draws the triangles of the other side that may win a sample, and all that are left once few are
 * hidden. */
static void draw_behind(const mrwi_raster_band *band, const way *w, const uint32_t *ids,
                        uint32_t count, uint32_t side)
{
    const float *farthest = band->scratch->farthest;
    const mrwi_raster_geometry *geometry = w->geometry;
    uint32_t tested = 0, hidden = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t kept[SIDE_TRIED], n = 0;
        const bool dropping = hidden * WORTH_ONE_IN + SIDE_TRIED > tested;
        for (uint32_t end = i + (count - i < SIDE_TRIED ? count - i : SIDE_TRIED); i < end; i++) {
            if (side_of(geometry, ids[i]) == side) {
                continue;
            }
            kept[n++] = ids[i];
            if (dropping && is_hidden(farthest, &band->touch, &geometry->kept.boxes[ids[i]],
                                      mrwi_raster_nearest_corner(geometry, ids[i]))) {
                n--;
                hidden++;
            }
            tested += dropping;
        }
        draw_list(w, kept, n);
    }
}

static void draw_by_side(const mrwi_raster_band *band, const way *w, const uint32_t *ids,
                         uint32_t count, uint32_t nearer)
{
    draw_side(w, ids, count, nearer);
    find_farthest(&band->seen, &band->touch, w->kernels->farthest, band->scratch->farthest);
    draw_behind(band, w, ids, count, nearer);
}

/* ---- all of a bin ---------------------------------------------------------------------------- */

/* Estimates from some triangles of a list. */
typedef struct look {
    uint64_t boxes;  /* roughly the pixels of all of its boxes in the band */
    bool has_sides;  /* a quarter or more is seen from either side */
    uint32_t nearer; /* the side that is nearer on average */
} look;

static look look_at(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count)
{
    const mrwi_raster_geometry *geometry = band->frame->geometry;
    const uint32_t step = (count + LIST_SEEN - 1) / LIST_SEEN;
    uint64_t sum = 0;
    uint32_t seen[2] = {0, 0};
    double z[2] = {0.0, 0.0};
    for (uint32_t i = 0; i < count; i += step) {
        const mrwi_raster_box *box = &geometry->kept.boxes[ids[i]];
        const int32_t y0 = box->y0 > band->box.y0 ? box->y0 : band->box.y0;
        const uint32_t side = side_of(geometry, ids[i]);
        sum += (uint64_t)(smaller(box->y1, band->box.y1) - y0) * (uint64_t)(box->x1 - box->x0);
        seen[side]++;
        z[side] += (double)mrwi_raster_nearest_corner(geometry, ids[i]);
    }
    const uint32_t all = seen[0] + seen[1];
    return (look){.boxes = all > 0 ? sum * count / all : 0,
                  .has_sides = 4 * seen[0] >= all && 4 * seen[1] >= all,
                  .nearer = z[1] * seen[0] < z[0] * seen[1]};
}

static bool sides_tell(const look *list, uint64_t pixels)
{
    return list->has_sides && list->boxes >= WORTH_SIDES * pixels &&
           list->boxes < MOST_SIDES * pixels;
}

void mrwi_raster_cover_nearest_first(const mrwi_raster_band *band, const uint32_t *ids,
                                     uint32_t count, const mrwi_raster_collector *to)
{
    const uint64_t pixels = touched_pixels(&band->touch), samples = pixels * band->seen.samples;
    const way w = {mrwi_raster_cover_kernels_for(band->frame->isa),
                   band->frame->geometry,
                   &band->seen,
                   to,
                   samples,
                   mrwi_raster_few(samples)};
    const look list = look_at(band, ids, count);
    const bool blocks = block_columns(&band->touch) > 0;
    const bool large = list.boxes >= (uint64_t)WORTH_A_TEST * count;
    const uint64_t layers = to && large ? WORTH_MASKS : WORTH_BOXES;
    if (blocks && large && !to && sides_tell(&list, pixels)) {
        draw_by_side(band, &w, ids, count, list.nearer);
    } else if (blocks && list.boxes >= layers * pixels) {
        draw_by_depth(band, &w, ids, count, list.boxes);
    } else {
        draw_list(&w, ids, count);
    }
}

void mrwi_raster_cover_opaque(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count)
{
    mrwi_raster_cover_nearest_first(band, ids, count, NULL);
}
