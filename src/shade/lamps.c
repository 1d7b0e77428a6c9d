/* lamps.c: finds the lights that reach a part of a picture. Skipping the others changes no bit: see
 * mrwi_shade_lamps.
 *
 *   all lights ─ those that reach the frame's triangles ─ a band's ─ (lamp_kernel.h) ─ a list's
 */
#include "shade/shade.h"

#include "base/math.h"

#include <math.h>
#include <string.h>

/* Returns the squared distance from a box, 0 inside. */
static float distance_squared(const mrwi_shade_world_box *box, float x, float y, float z)
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

size_t mrwi_shade_lamps_size(uint32_t count)
{
    const size_t room = ((size_t)count + MRWI_SHADE_LIST_PAD + 15) / 16 * 16;
    return room * (4 * sizeof(float) + sizeof(uint32_t) + sizeof(bool));
}

void mrwi_shade_lamps_place(void *memory, uint32_t count, mrwi_shade_lamps *out)
{
    const size_t room = ((size_t)count + MRWI_SHADE_LIST_PAD + 15) / 16 * 16;
    float *at = memory;
    *out = (mrwi_shade_lamps){.x = at,
                              .y = at + room,
                              .z = at + 2 * room,
                              .reach = at + 3 * room,
                              .light = (uint32_t *)(void *)(at + 4 * room),
                              .placed = (bool *)(void *)(at + 5 * room)};
}

void mrwi_shade_lamps_keep(const mrwi_shade_lamps *from, const mrwi_shade_world_box *box,
                           mrwi_shade_lamps *to)
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
    for (uint32_t i = count; i < count + MRWI_SHADE_LIST_PAD; i++) {
        to->x[i] = to->y[i] = to->z[i] = 0.0f;
        to->reach[i] = -1.0f;
    }
}

/* Returns the squared reach of a light. A light of range r gives nothing where the kernels' (d^2 /
 * r^2)^2 is 1 or more; all rounding errors there and here are below the added 2^-16. */
static float reach_of(const mrw_light *light)
{
    if (light->type == MRW_LIGHT_DIRECTIONAL || !(light->range > 0.0f)) {
        return INFINITY;
    }
    return (float)((double)light->range * (double)light->range * (1.0 + 0x1p-16));
}

/* Cones are widened by this much: cosines of cones and directions are rounded on the way to
 * surfaces, and directions are unit vectors except for that. */
#define CONE_SLACK 1e-4

/* Finds the smallest sphere around the reach of a spot with a range: it starts at the spot's place
 * and extends along its axis. Leaves center and reach unchanged if that sphere is not smaller than
 * the one around the place. For wide cones the sphere touches the rim, for narrow ones also the
 * place. */
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

void mrwi_shade_lamps_find(const mrw_lighting *lighting, const mrwi_shade_world_box *box,
                           mrwi_shade_lamps *out)
{
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
    mrwi_shade_lamps_keep(out, box, out);
}
