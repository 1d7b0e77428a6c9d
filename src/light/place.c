/* place.c: definitions of lights, and placing them in the world. */
#include "marrow/light.h"

#include "base/math.h"
#include "base/parallel.h"

#include <float.h>
#include <string.h>

mrw_light_def mrw_light_def_default(mrw_light_type type)
{
    return (mrw_light_def){.type = type,
                           .direction = {0.0f, 0.0f, -1.0f},
                           .color = {1.0f, 1.0f, 1.0f},
                           .intensity = 1.0f,
                           .outer_cone = (float)(MRWI_BASE_PI / 4.0),
                           .attenuation = {1.0f, 0.0f, 0.0f},
                           .diffuse = 1.0f,
                           .specular = 1.0f};
}

static void turn(const mrw_mat4 *matrix, const float vector[3], float out[3])
{
    const float *m = matrix->m;
    for (int i = 0; i < 3; i++) {
        out[i] = (m[i] * vector[0] + m[4 + i] * vector[1]) + m[8 + i] * vector[2];
    }
}

static bool is_finite(const float v[3])
{
    return fabsf(v[0]) <= FLT_MAX && fabsf(v[1]) <= FLT_MAX && fabsf(v[2]) <= FLT_MAX;
}

static bool place(const mrw_light_def *def, const mrw_mat4 *space_to_world, mrw_light *out)
{
    if (def->type != MRW_LIGHT_DIRECTIONAL) {
        turn(space_to_world, def->position, out->position);
        for (int i = 0; i < 3; i++) {
            out->position[i] += space_to_world->m[12 + i];
        }
    }
    if (def->type != MRW_LIGHT_POINT) {
        float back[3] = {-def->direction[0], -def->direction[1], -def->direction[2]};
        if (!mrwi_base_normalize3(back)) {
            return false;
        }
        turn(space_to_world, back, out->to_light);
        return mrwi_base_normalize3(out->to_light) && is_finite(out->position);
    }
    return is_finite(out->position);
}

/* Places a light. Its colour is color * intensity / over. */
static void place_light(const mrw_light_def *def, const mrw_mat4 *space_to_world, double over,
                        mrw_light *out)
{
    *out = (mrw_light){.type = def->type,
                       .specular = 1.0f,
                       .range = def->range,
                       .inner_cone = def->inner_cone,
                       .outer_cone = def->outer_cone,
                       .throws_shadow = true};
    for (int i = 0; i < 3; i++) {
        const double color = (double)def->color[i] * (double)def->intensity / over;
        out->color[i] = color < (double)FLT_MAX ? (float)color : FLT_MAX;
    }
    if (!place(def, space_to_world, out)) {
        *out = (mrw_light){.type = def->type};
    }
}

void mrw_light_place(const mrw_light_def *def, const mrw_mat4 *space_to_world, mrw_light *out)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    place_light(def, space_to_world, MRWI_BASE_PI, out);
    mrwi_base_fp_leave(fp);
}

void mrw_light_place_classic(const mrw_light_def *def, const mrw_mat4 *space_to_world,
                             mrw_light *out)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    place_light(def, space_to_world, 1.0, out);
    out->classic = true;
    out->specular = def->specular;
    out->ambient = def->ambient;
    out->diffuse = def->diffuse;
    memcpy(out->attenuation, def->attenuation, sizeof out->attenuation);
    mrwi_base_fp_leave(fp);
}
