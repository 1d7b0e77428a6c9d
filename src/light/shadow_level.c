/* shadow_level.c: coarser levels of shadow maps, for wide soft borders. */
#include "light/shadow_level.h"

#include "base/parallel.h"
#include "base/work.h"

#include <assert.h>

mrwi_light_shadow_level mrwi_light_shadow_level_of(const mrw_shadow_map *map, uint32_t level)
{
    mrwi_light_shadow_level at = {0, map->size, map->stride, 0};
    for (uint32_t k = 1; k <= level; k++) {
        at.first += (size_t)map->faces * at.side * at.stride;
        at.side = ((map->size - 1) >> k) + 1 + 2 * MRWI_LIGHT_SHADOW_BORDER;
        at.stride = at.side;
        at.border = MRWI_LIGHT_SHADOW_BORDER;
    }
    return at;
}

size_t mrw_shadow_floats(const mrw_shadow_map *map)
{
    return mrwi_light_shadow_level_of(map, map->levels + 1).first;
}

/* Rows of a level that a thread takes at a time. */
#define ROWS 16

typedef struct reduction {
    const mrw_shadow_map *map;
    const mrw_shadow_span *last;
    float *depths;
    uint32_t level;
    mrwi_light_shadow_level at;
} reduction;

/* Finds texels x0 ... x1 - 1 outside of which all depths are 1 in rows y ... y + count - 1. */
static mrw_shadow_span span_of(const mrw_shadow_map *map, const mrw_shadow_span *spans,
                               uint32_t face, uint32_t y, uint32_t count)
{
    const uint32_t of_face = (map->size + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
    mrw_shadow_span all = {0, (int32_t)map->size};
    if (!spans) {
        return all;
    }
    all = (mrw_shadow_span){(int32_t)map->size, 0};
    for (uint32_t k = y / MRW_SHADOW_SPAN_ROWS;
         k < of_face && k <= (y + count - 1) / MRW_SHADOW_SPAN_ROWS; k++) {
        const mrw_shadow_span *here = &spans[face * of_face + k];
        all.x0 = here->x0 < here->x1 && here->x0 < all.x0 ? here->x0 : all.x0;
        all.x1 = here->x0 < here->x1 && here->x1 > all.x1 ? here->x1 : all.x1;
    }
    return all;
}

static void fill(float *out, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++) {
        out[i] = 1.0f;
    }
}

/* Reads the texels of a row's part that may be set; first: texel (0, y) of the face. */
static void read_row(const reduction *r, const float *first, int32_t row, int32_t from, int32_t to,
                     float *out)
{
    const int32_t step = 1 << r->level, border = (int32_t)r->at.border,
                  size = (int32_t)r->map->size;
    const int32_t turns = (step + 2) / 3, y = (row - border) * step, shift = 3 * (5 * row % turns);
    int32_t turn = 5 * from % turns;
    for (int32_t i = from; i < to; i++) {
        const int32_t x = (i - border) * step + shift, down = 3 * turn;
        turn += 5 % turns;
        turn -= turn >= turns ? turns : 0;
        out[i] =
            x < size && y + down < size ? first[(size_t)down * r->map->stride + (size_t)x] : 1.0f;
    }
}

/* Makes a row of a level; `row` counts with the border. */
static void reduce_row(const reduction *r, uint32_t face, uint32_t row)
{
    const mrw_shadow_map *map = r->map;
    const int32_t step = 1 << r->level, border = (int32_t)r->at.border, side = (int32_t)r->at.side;
    const int32_t y = ((int32_t)row - border) * step;
    float *out = r->depths + r->at.first + ((size_t)face * r->at.side + row) * r->at.stride;
    if (y < 0 || y >= (int32_t)map->size) {
        fill(out, 0, r->last ? 0 : side);
        return;
    }
    const mrw_shadow_span seen = span_of(map, map->spans, face, (uint32_t)y, (uint32_t)step);
    const mrw_shadow_span old = span_of(map, r->last, face, (uint32_t)y, (uint32_t)step);
    const int32_t from = border + seen.x0 / step;
    const int32_t to = seen.x0 < seen.x1 ? border + (seen.x1 - 1) / step + 1 : from;
    const int32_t old_from = r->last ? border + old.x0 / step : 0;
    const int32_t old_to = r->last ? border + (old.x1 + step - 1) / step : side;
    fill(out, old_from, from < old_to ? from : old_to);
    read_row(r, r->depths + ((size_t)face * map->size + (size_t)y) * map->stride, (int32_t)row,
             from, to, out);
    fill(out, to > old_from ? to : old_from, old_to);
}

static void reduce_rows(void *user, int64_t index, int worker)
{
    const reduction *r = user;
    const uint32_t groups = (r->at.side + ROWS - 1) / ROWS;
    const uint32_t face = (uint32_t)index / groups, first = (uint32_t)index % groups * ROWS;
    (void)worker;
    if (!mrwi_base_work_goes_on()) {
        return;
    }
    for (uint32_t row = first; row < first + ROWS && row < r->at.side; row++) {
        reduce_row(r, face, row);
    }
}

void mrw_shadow_reduce(const mrw_shadow_map *map, const mrw_shadow_span *last, float *depths,
                       int threads)
{
    assert(map->levels <= MRW_SHADOW_LEVELS && threads >= 1);
    for (uint32_t level = 1; level <= map->levels; level++) {
        reduction r = {map, last, depths, level, mrwi_light_shadow_level_of(map, level)};
        const uint32_t groups = (r.at.side + ROWS - 1) / ROWS;
        mrwi_base_parallel_for(threads, (int64_t)map->faces * groups, reduce_rows, &r);
    }
}
