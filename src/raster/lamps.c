/* lamps.c: boxes around the triangles of a frame and of a band; only lights that reach them are
 * kept (shade/lamps.c).
 */
#include "raster/internal.h"

#include <math.h>

static void add_triangle(const mrwi_raster_geometry *geometry, uint32_t id,
                         mrwi_shade_world_box *box)
{
    const float(*positions)[4] = (const float(*)[4])geometry->vertices.streams[MRWI_SHADE_POSITION];
    for (int k = 0; k < 3; k++) {
        const float *p = positions[geometry->kept.triangles[id].vertex[k]];
        for (int c = 0; c < 3; c++) {
            box->low[c] = p[c] < box->low[c] ? p[c] : box->low[c];
            box->high[c] = p[c] > box->high[c] ? p[c] : box->high[c];
        }
    }
}

static mrwi_shade_world_box nothing(void)
{
    return (mrwi_shade_world_box){{INFINITY, INFINITY, INFINITY},
                                  {-INFINITY, -INFINITY, -INFINITY}};
}

/* Widens a box: interpolation between corners rounds a few times, so a point may lie outside by up
 * to 2^-20 of the largest coordinate. */
static void widen(mrwi_shade_world_box *box)
{
    float largest = 0.0f;
    for (int c = 0; c < 3; c++) {
        largest = fabsf(box->low[c]) > largest ? fabsf(box->low[c]) : largest;
        largest = fabsf(box->high[c]) > largest ? fabsf(box->high[c]) : largest;
    }
    for (int c = 0; c < 3; c++) {
        box->low[c] -= 0x1p-20f * largest;
        box->high[c] += 0x1p-20f * largest;
    }
}

void mrwi_raster_lamps_of_frame(const mrw_lighting *lighting, const mrwi_raster_geometry *geometry,
                                mrwi_shade_lamps *out)
{
    mrwi_shade_world_box box = nothing();
    for (uint32_t r = 0; r < geometry->runs.count; r++) {
        const mrwi_raster_run *run = &geometry->runs.list[r];
        for (uint32_t i = 0; i < run->count; i++) {
            add_triangle(geometry, run->first + i, &box);
        }
    }
    widen(&box);
    mrwi_shade_lamps_find(lighting, &box, out);
}

void mrwi_raster_lamps_of_band(const mrwi_shade_lamps *all, const mrwi_raster_geometry *geometry,
                               const uint32_t *ids, uint32_t count, mrwi_shade_lamps *out)
{
    mrwi_shade_world_box box = nothing();
    for (uint32_t i = 0; i < count; i++) {
        add_triangle(geometry, ids[i], &box);
    }
    widen(&box);
    mrwi_shade_lamps_keep(all, &box, out);
}
