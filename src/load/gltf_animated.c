/* gltf_animated.c: animations of materials (KHR_animation_pointer). */
#include "load/gltf.h"

#include "base/math.h"
#include "scene/blob.h"

#include <float.h>
#include <string.h>

void mrwi_load_gltf_find_animated(const mrwi_load_gltf_document *document,
                                  mrwi_load_gltf_materials *materials)
{
    for (uint32_t i = 0; i < document->animations.count; i++) {
        const cJSON *channels =
            cJSON_GetObjectItemCaseSensitive(document->animations.items[i], "channels");
        const cJSON *channel = cJSON_IsArray(channels) ? channels->child : NULL;
        for (; channel; channel = channel->next) {
            const uint32_t material = mrwi_load_gltf_pointed_material(
                document, cJSON_GetObjectItemCaseSensitive(channel, "target"));
            if (material != MRW_NONE) {
                materials->animated[material] = true;
            }
        }
    }
}

/* ---- channels -------------------------------------------------------------------------------- */

/* A map of a material with a channel, and the time of that channel's first key. */
typedef struct mrwi_load_gltf_animated_map {
    uint32_t material;
    mrw_map map;
    double time;
} mrwi_load_gltf_animated_map;

/* Keeps the alpha of glass that is opaque in glTF, whatever the base colour's alpha is. */
static void keep_clear(float alpha, const mrwi_scene_channel_input *in)
{
    float *values = (float *)(uintptr_t)in->values; /* scratch memory */
    const bool cubic = in->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    const size_t rows = (size_t)in->key_count * (cubic ? 3 : 1);
    for (size_t r = 0; r < rows; r++) {
        values[4 * r + 3] = !cubic || r % 3 == 1 ? alpha : 0.0f;
    }
}

static bool note(mrwi_load_gltf_file *file, mrwi_base_arena *keep,
                 mrwi_load_gltf_animated *animated, const mrwi_load_gltf_target *target,
                 double time)
{
    mrwi_load_json *json = &file->json;
    if (!animated->found) {
        const size_t maps = (size_t)file->document->materials.count * MRW_MAP_COUNT;
        if (!mrwi_load_gltf_charge(file, maps)) {
            return false;
        }
        animated->found = mrwi_load_json_alloc_zero(json, keep, maps, sizeof *animated->found);
        animated->maps = mrwi_load_json_alloc(json, keep, animated->room, sizeof *animated->maps);
    }
    if (!animated->found || !animated->maps) {
        return false;
    }
    uint16_t *found = &animated->found[(size_t)target->material * MRW_MAP_COUNT + target->map];
    if (*found == 0) {
        animated->maps[animated->count++] =
            (mrwi_load_gltf_animated_map){target->material, target->map, time};
    }
    *found |= (uint16_t)(1u << target->property);
    return true;
}

bool mrwi_load_gltf_push_material_channel(mrwi_load_gltf_file *file, mrwi_base_arena *keep,
                                          mrwi_load_gltf_animated *animated,
                                          mrwi_scene_builder *builder, const cJSON *sampler,
                                          const mrwi_load_gltf_target *target)
{
    mrwi_load_json *json = &file->json;
    const float clear = animated->materials->clear[target->material];
    const uint32_t material = animated->materials->index[target->material];
    /* the accessor says whether integers are fractions, as with scales */
    mrwi_scene_channel_input in = {.path = MRW_PATH_SCALE,
                                   .width = mrwi_scene_property_width(target->property)};
    if (!mrwi_load_gltf_read_sampler(file, builder, sampler, &in)) {
        return false;
    }
    if (in.key_count == 0) {
        mrwi_scene_builder_warn(builder, "%s has no keys and is ignored", json->where);
        return true;
    }
    if (target->property == MRW_PROPERTY_BASE_COLOR && clear > 0.0f) {
        keep_clear(clear, &in);
    }
    const mrwi_scene_material_target where = {material, target->map, target->property};
    double first;
    return mrwi_load_json_ok(json, mrwi_scene_builder_material_channel(builder, &where, &in, &first,
                                                                       json->error)) &&
           (isnan(first) || note(file, keep, animated, target, first));
}

/* ---- properties that are animated in part ---------------------------------------------------- */

#define BIT(property) (1u << MRW_PROPERTY_##property)
#define TRANSFORM     (BIT(UV_OFFSET) | BIT(UV_ROTATION) | BIT(UV_SCALE))
#define EMISSION      (BIT(EMISSIVE_COLOR) | BIT(EMISSIVE_STRENGTH))

/* The properties of a map in the file. */
typedef struct rest_values {
    float of[MRW_PROPERTY_COUNT][4];
} rest_values;

static rest_values read_rest(mrwi_load_json *json, const cJSON *material, mrw_map map)
{
    rest_values out = {{[MRW_PROPERTY_EMISSIVE_STRENGTH] = {1}}};
    const mrwi_load_gltf_transform transform = mrwi_load_gltf_rest_transform(json, material, map);
    memcpy(out.of[MRW_PROPERTY_UV_OFFSET], transform.offset, sizeof transform.offset);
    out.of[MRW_PROPERTY_UV_ROTATION][0] = (float)fmod(transform.rotation, 2.0 * MRWI_BASE_PI);
    memcpy(out.of[MRW_PROPERTY_UV_SCALE], transform.scale, sizeof transform.scale);
    float color[3] = {0, 0, 0};
    mrwi_load_json_try(json);
    mrwi_load_json_floats(json, material, "emissiveFactor", color, 3);
    const double strength = mrwi_load_json_number(
        json, mrwi_load_json_extension(json, material, "KHR_materials_emissive_strength"),
        "emissiveStrength", 1.0);
    /* if it is malformed, a warning about the material has said so */
    if (!mrwi_load_json_forgive(json)) {
        memcpy(out.of[MRW_PROPERTY_EMISSIVE_COLOR], color, sizeof color);
        out.of[MRW_PROPERTY_EMISSIVE_STRENGTH][0] = strength > (double)FLT_MAX    ? FLT_MAX
                                                    : strength < -(double)FLT_MAX ? -FLT_MAX
                                                                                  : (float)strength;
    }
    return out;
}

static bool complete(mrwi_load_json *json, const mrwi_load_gltf_animated *animated,
                     const cJSON *entry, const mrwi_load_gltf_animated_map *map, uint32_t missing,
                     mrwi_scene_builder *builder)
{
    const rest_values rest = read_rest(json, entry, map->map);
    for (int p = 0; p < MRW_PROPERTY_COUNT && mrwi_load_json_good(json); p++) {
        if ((missing >> p & 1u) == 0) {
            continue;
        }
        const mrwi_scene_channel_input in = {
            .key_count = 1, .times = &map->time, .values = rest.of[p]};
        const mrwi_scene_material_target where = {animated->materials->index[map->material],
                                                  map->map, (mrw_material_property)p};
        double first;
        mrwi_load_json_ok(
            json, mrwi_scene_builder_material_channel(builder, &where, &in, &first, json->error));
    }
    return mrwi_load_json_good(json);
}

bool mrwi_load_gltf_complete_materials(mrwi_load_gltf_file *file, mrwi_load_gltf_animated *animated,
                                       mrwi_scene_builder *builder)
{
    bool good = true;
    for (uint32_t i = 0; i < animated->count && good; i++) {
        const mrwi_load_gltf_animated_map *map = &animated->maps[i];
        const uint32_t found = animated->found[(size_t)map->material * MRW_MAP_COUNT + map->map];
        uint32_t wanted = (found & TRANSFORM) != 0 ? TRANSFORM : 0;
        wanted |= (found & EMISSION) != 0 ? EMISSION : 0;
        if ((wanted & ~found) != 0) {
            good = complete(&file->json, animated, file->document->materials.items[map->material],
                            map, wanted & ~found, builder);
        }
    }
    return good;
}
