/* lamps.c: which lights reach a part of a picture. Those that reach nothing in it are left out,
 * which changes no bit: see mrwi_raster_lamps.
 *
 *   all lights ─ those that reach the frame's triangles ─ a band's ─ (lamp_kernel.h) ─ a list's
 */
#include "raster/internal.h"

#include "base/math.h"

#include <math.h>
#include <string.h>

/* What lies between two corners. */
typedef struct world_box {
    float low[3], high[3];
} world_box;

static void add_triangle(const mrwi_raster_geometry *geometry, uint32_t id, world_box *box)
{
    const float(*positions)[4] =
        (const float(*)[4])geometry->vertices.streams[MRWI_RASTER_POSITION];
    for (int k = 0; k < 3; k++) {
        const float *p = positions[geometry->kept.triangles[id].vertex[k]];
        for (int c = 0; c < 3; c++) {
            box->low[c] = p[c] < box->low[c] ? p[c] : box->low[c];
            box->high[c] = p[c] > box->high[c] ? p[c] : box->high[c];
        }
    }
}

static world_box nothing(void)
{
    return (world_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

/* What is interpolated between corners is rounded a few times: it may lie beside them, by no more
 * than 2^-20 of the largest coordinate. */
static void widen(world_box *box)
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

/* The square of the distance from a box, 0 within. */
static float distance_squared(const world_box *box, float x, float y, float z)
{
    const float at[3] = {x, y, z};
    float sum = 0.0f;
    for (int c = 0; c < 3; c++) {
        const float below = box->low[c] - at[c], above = at[c] - box->high[c];
        const float beside = below > above ? below : above;
        sum += beside > 0.0f ? beside * beside : 0.0f;
    }
    return sum;
}

/* Those of the lights that reach the box, in order. */
static void keep_lamps(const mrwi_raster_lamps *from, const world_box *box, mrwi_raster_lamps *to)
{
    uint32_t count = 0;
    bool placed = false;
    for (uint32_t i = 0; i < from->count; i++) {
        const float reach = from->reach[i];
        if (distance_squared(box, from->x[i], from->y[i], from->z[i]) <= reach) {
            to->x[count] = from->x[i];
            to->y[count] = from->y[i];
            to->z[count] = from->z[i];
            to->reach[count] = reach;
            to->placed[count] = from->placed[i];
            to->light[count++] = from->light[i];
            placed = placed || from->placed[i];
        }
    }
    to->count = count;
    to->any_placed = placed;
    for (uint32_t i = count; i < count + MRWI_RASTER_SHADE_PAD; i++) {
        to->x[i] = to->y[i] = to->z[i] = 0.0f;
        to->reach[i] = -1.0f;
    }
}

size_t mrwi_raster_lamps_size(uint32_t count)
{
    const size_t room = ((size_t)count + MRWI_RASTER_SHADE_PAD + 15) / 16 * 16;
    return room * (4 * sizeof(float) + sizeof(uint32_t) + sizeof(bool));
}

void mrwi_raster_lamps_place(void *memory, uint32_t count, mrwi_raster_lamps *out)
{
    const size_t room = ((size_t)count + MRWI_RASTER_SHADE_PAD + 15) / 16 * 16;
    float *at = memory;
    *out = (mrwi_raster_lamps){.x = at,
                               .y = at + room,
                               .z = at + 2 * room,
                               .reach = at + 3 * room,
                               .light = (uint32_t *)(void *)(at + 4 * room),
                               .placed = (bool *)(void *)(at + 5 * room)};
}

/* A light of a range r gives nothing from where the kernels' (d^2 / r^2)^2 is at least 1; all that
 * is rounded on the way there and here comes to less than the 2^-16 that are added. */
static float reach_of(const mrw_light *light)
{
    if (light->type == MRW_LIGHT_DIRECTIONAL || !(light->range > 0.0f)) {
        return INFINITY;
    }
    return (float)((double)light->range * (double)light->range * (1.0 + 0x1p-16));
}

/* Cosines of cones are rounded on the way to surfaces, as are directions, which are unit vectors
 * but for that; cones are taken to be wider by this. */
#define CONE_SLACK 1e-4

/* The smallest sphere around what a spot of some range reaches: from its place on along its axis.
 * Left as they are where that is no smaller than the one around its place. Wide cones need no more
 * than the sphere through the rim, narrow ones that which goes through the place, too. */
static void sphere_of_cone(const mrw_light *light, float center[3], float *reach)
{
    const double cosine = mrwi_base_cos((double)light->outer_cone) - CONE_SLACK;
    double axis = 0.0, farthest = 0.0;
    for (int c = 0; c < 3; c++) {
        axis += (double)light->to_light[c] * (double)light->to_light[c];
        farthest += fabs((double)light->position[c]);
    }
    if (light->type != MRW_LIGHT_SPOT || !(light->range > 0.0f) || !(cosine > 0.0) ||
        !(fabs(axis - 1.0) < CONE_SLACK)) {
        return;
    }
    const double range = (double)light->range * (1.0 + 0x1p-10);
    const bool narrow = cosine * cosine > 0.5;
    const double along = narrow ? 0.5 * range / cosine : range * cosine;
    const double radius = narrow ? along : range * sqrt(1.0 - cosine * cosine);
    const double whole = radius * (1.0 + 0x1p-10) + farthest * 0x1p-20;
    for (int c = 0; c < 3; c++) {
        center[c] = (float)((double)light->position[c] - (double)light->to_light[c] * along);
    }
    *reach = (float)(whole * whole);
}

void mrwi_raster_lamps_of_frame(const mrw_lighting *lighting, const mrwi_raster_geometry *geometry,
                                mrwi_raster_lamps *out)
{
    world_box box = nothing();
    for (uint32_t r = 0; r < geometry->runs.count; r++) {
        const mrwi_raster_run *run = &geometry->runs.list[r];
        for (uint32_t i = 0; i < run->count; i++) {
            add_triangle(geometry, run->first + i, &box);
        }
    }
    widen(&box);
    for (uint32_t i = 0; i < lighting->light_count; i++) {
        const mrw_light *light = &lighting->lights[i];
        float center[3], reach = reach_of(light);
        memcpy(center, light->position, sizeof center);
        sphere_of_cone(light, center, &reach);
        out->x[i] = center[0];
        out->y[i] = center[1];
        out->z[i] = center[2];
        out->reach[i] = reach;
        out->placed[i] = light->type != MRW_LIGHT_DIRECTIONAL;
        out->light[i] = i;
    }
    out->count = lighting->light_count;
    keep_lamps(out, &box, out);
}

void mrwi_raster_lamps_of_band(const mrwi_raster_lamps *all, const mrwi_raster_geometry *geometry,
                               const uint32_t *ids, uint32_t count, mrwi_raster_lamps *out)
{
    world_box box = nothing();
    for (uint32_t i = 0; i < count; i++) {
        add_triangle(geometry, ids[i], &box);
    }
    widen(&box);
    keep_lamps(all, &box, out);
}
