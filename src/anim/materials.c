/* materials.c: samples the material properties that a clip animates. */
#include "anim/sample_spec.h"
#include "base/parallel.h"
#include "marrow/anim.h"
#include "scene/blob.h"
#include "scene/maps.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* The values of a clip for one map of a material. Properties without a channel have their usual
 * values. */
typedef struct sampled {
    float values[MRW_PROPERTY_COUNT][4];
    uint32_t found; /* bits of mrw_material_property */
} sampled;

static const sampled usual = {{[MRW_PROPERTY_EMISSIVE_COLOR] = {1, 1, 1},
                               [MRW_PROPERTY_EMISSIVE_STRENGTH] = {1},
                               [MRW_PROPERTY_UV_SCALE] = {1, 1}},
                              0};

static bool has(const sampled *s, mrw_material_property property)
{
    return (s->found >> property & 1u) != 0;
}

/* NaN becomes 0. */
static float clamp(float value, float most)
{
    return !(value > 0.0f) ? 0.0f : value > most ? most : value;
}

static void sample_property(const mrw_material_job *job, const mrw_material_channel *channel,
                            sampled *out)
{
    const mrw_channel numbers = {
        .interpolation = channel->interpolation,
        .width = mrwi_scene_property_width((mrw_material_property)channel->property),
        .key_count = channel->key_count};
    mrwi_anim_sample_numbers(&numbers, job->scene->key_times + channel->first_time,
                             job->scene->key_values + channel->first_value, job->time,
                             out->values[channel->property]);
    out->found |= 1u << channel->property;
}

static void set_transform(const sampled *s, mrw_material_map *map)
{
    float offset[2], scale[2];
    const float rotation = s->values[MRW_PROPERTY_UV_ROTATION][0];
    for (int i = 0; i < 2; i++) {
        offset[i] = s->values[MRW_PROPERTY_UV_OFFSET][i];
        scale[i] = s->values[MRW_PROPERTY_UV_SCALE][i];
        offset[i] = isfinite(offset[i]) ? offset[i] : 0.0f;
        scale[i] = isfinite(scale[i]) ? scale[i] : 1.0f;
    }
    mrwi_scene_texture_transform(offset, isfinite(rotation) ? (double)rotation : 0.0, scale,
                                 map->uv_transform);
}

static void set_base_color(const sampled *s, mrw_material *material)
{
    for (int c = 0; c < 4 && has(s, MRW_PROPERTY_BASE_COLOR); c++) {
        material->maps[MRW_MAP_BASE_COLOR].factor[c] =
            clamp(s->values[MRW_PROPERTY_BASE_COLOR][c], 1.0f);
    }
    if (has(s, MRW_PROPERTY_ALPHA_CUTOFF)) {
        material->alpha_cutoff = clamp(s->values[MRW_PROPERTY_ALPHA_CUTOFF][0], FLT_MAX);
    }
}

static void set_roughness(const sampled *s, mrw_material *material)
{
    float *factor = material->maps[MRW_MAP_METALLIC_ROUGHNESS].factor;
    if (has(s, MRW_PROPERTY_ROUGHNESS)) {
        factor[1] = clamp(s->values[MRW_PROPERTY_ROUGHNESS][0], 1.0f);
    }
    if (has(s, MRW_PROPERTY_METALLIC)) {
        factor[2] = clamp(s->values[MRW_PROPERTY_METALLIC][0], 1.0f);
    }
}

static void set_emissive(const sampled *s, mrw_material *material)
{
    const double strength = (double)s->values[MRW_PROPERTY_EMISSIVE_STRENGTH][0];
    for (int c = 0; c < 3; c++) {
        const double shone = (double)s->values[MRW_PROPERTY_EMISSIVE_COLOR][c] * strength;
        material->maps[MRW_MAP_EMISSIVE].factor[c] = !(shone > 0.0)            ? 0.0f
                                                     : shone > (double)FLT_MAX ? FLT_MAX
                                                                               : (float)shone;
    }
}

static void set_map(const sampled *s, mrw_map map, mrw_material *material)
{
    const uint32_t moves =
        1u << MRW_PROPERTY_UV_OFFSET | 1u << MRW_PROPERTY_UV_ROTATION | 1u << MRW_PROPERTY_UV_SCALE;
    const uint32_t emits = 1u << MRW_PROPERTY_EMISSIVE_COLOR | 1u << MRW_PROPERTY_EMISSIVE_STRENGTH;
    set_base_color(s, material);
    if (material->model == MRW_MATERIAL_METALLIC_ROUGHNESS) {
        set_roughness(s, material);
    }
    if ((s->found & emits) != 0) {
        set_emissive(s, material);
    }
    if ((s->found & moves) != 0 && material->maps[map].texture != MRW_NONE) {
        set_transform(s, &material->maps[map]);
    }
}

void mrw_sample_materials(const mrw_material_job *job)
{
    const mrw_scene *scene = job->scene;
    assert(job->clip < scene->clips_count);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    uint32_t first;
    const uint32_t count = mrw_scene_material_channels(scene, job->clip, &first);
    const mrw_material_channel *channels = scene->material_channels + first;
    for (uint32_t i = 0; i < count;) {
        const uint32_t material = channels[i].material, map = channels[i].map;
        sampled s = usual;
        for (; i < count && channels[i].material == material && channels[i].map == map; i++) {
            sample_property(job, &channels[i], &s);
        }
        set_map(&s, (mrw_map)map, &job->materials[material]);
    }
    mrwi_base_fp_leave(fp);
}
