/* maps.c: the maps of a material: their table, and the walk over them. */
#include "scene/maps.h"

#include "base/math.h"
#include "scene/build.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const mrw_map_info infos[MRW_MAP_COUNT] = {
#define MAP_INFO(map, name, srgb, drawn, tangents) {name, srgb, (drawn) != 0, tangents},
    MRW_MATERIAL_MAPS(MAP_INFO)
#undef MAP_INFO
};

/* Returns a map without a texture; its factor has its usual value, too. */
static mrw_material_map usual_map(mrw_map map)
{
    mrw_material_map out = {MRW_NONE, 0, {1, 0, 0, 0, 1, 0}, {1, 1, 1, 1}};
    if (map == MRW_MAP_EMISSIVE) {
        memset(out.factor, 0, 3 * sizeof *out.factor);
    }
    if (map == MRW_MAP_SHEEN_COLOR) {
        memset(out.factor, 0, sizeof out.factor);
    }
    if (map == MRW_MAP_DISPLACEMENT) {
        memset(out.factor + 1, 0, 3 * sizeof *out.factor);
    }
    return out;
}

const mrw_map_info *mrw_map_info_of(mrw_map map)
{
    assert(map < MRW_MAP_COUNT);
    return &infos[map];
}

mrw_material mrw_material_default(void)
{
    mrw_material out = {.alpha_mode = MRW_ALPHA_OPAQUE,
                        .alpha_cutoff = 0.5f,
                        .model = MRW_MATERIAL_METALLIC_ROUGHNESS,
                        .ior = 1.5f,
                        .specular = 1.0f};
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        out.maps[m] = usual_map((mrw_map)m);
    }
    return out;
}

mrw_material mrwi_scene_matt(void)
{
    mrw_material out = mrw_material_default();
    out.model = MRW_MATERIAL_CLASSIC;
    memset(out.maps[MRW_MAP_SPECULAR].factor, 0, 3 * sizeof(float));
    return out;
}

bool mrwi_scene_map_counts_alone(mrw_map map)
{
    return map == MRW_MAP_BASE_COLOR || map == MRW_MAP_METALLIC_ROUGHNESS ||
           map == MRW_MAP_EMISSIVE || map == MRW_MAP_SPECULAR || map == MRW_MAP_SHEEN_COLOR;
}

/* Returns true if a map counts, by the material's model and its other properties. */
static bool counts(const mrw_material *material, mrw_map map)
{
    switch (map) {
    case MRW_MAP_METALLIC_ROUGHNESS:
    case MRW_MAP_METALLIC:
    case MRW_MAP_ROUGHNESS:
    case MRW_MAP_SPECULAR_STRENGTH:
    case MRW_MAP_CLEARCOAT:
    case MRW_MAP_CLEARCOAT_ROUGHNESS:
    case MRW_MAP_CLEARCOAT_NORMAL:
    case MRW_MAP_SHEEN_COLOR:
    case MRW_MAP_SHEEN_ROUGHNESS:
        return material->model == MRW_MATERIAL_METALLIC_ROUGHNESS;
    case MRW_MAP_HEIGHT:
        return material->maps[MRW_MAP_NORMAL].texture == MRW_NONE;
    default:
        return true;
    }
}

const mrw_material_map *mrwi_scene_drawn_map(const mrw_material *material, uint32_t *next,
                                             mrw_map *map)
{
    while (material && *next < MRW_MAP_COUNT) {
        *map = (mrw_map)(*next)++;
        if (infos[*map].drawn && counts(material, *map) &&
            material->maps[*map].texture != MRW_NONE) {
            return &material->maps[*map];
        }
    }
    return NULL;
}

const mrw_material_map *mrwi_scene_tangent_map(const mrw_material *material)
{
    const mrw_material_map *shown;
    mrw_map map;
    for (uint32_t next = 0; (shown = mrwi_scene_drawn_map(material, &next, &map));) {
        if (infos[map].tangents) {
            return shown;
        }
    }
    return NULL;
}

bool mrwi_scene_maps_valid(const mrw_material *material, uint32_t texture_count)
{
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        const mrw_material_map *map = &material->maps[m];
        if ((map->texture != MRW_NONE && map->texture >= texture_count) || map->uv_set > 1 ||
            !mrwi_base_all_finite(map->uv_transform, 6) || !mrwi_base_all_finite(map->factor, 4)) {
            return false;
        }
    }
    return true;
}

void mrwi_scene_maps_settle(mrw_material *material)
{
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        mrw_material_map *map = &material->maps[m];
        const mrw_material_map usual = usual_map((mrw_map)m);
        if (map->texture == MRW_NONE) {
            memcpy(map, &usual, offsetof(mrw_material_map, factor));
        }
        if (map->texture == MRW_NONE && !mrwi_scene_map_counts_alone((mrw_map)m)) {
            memcpy(map->factor, usual.factor, sizeof map->factor);
        }
    }
}

void mrwi_scene_maps_move(mrw_material *material, const uint32_t *place)
{
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        uint32_t *texture = &material->maps[m].texture;
        *texture = *texture == MRW_NONE ? MRW_NONE : place[*texture];
    }
}

void mrwi_scene_texture_transform(const float offset[2], double rotation, const float scale[2],
                                  float out[6])
{
    const double angle = fmod(rotation, 2.0 * MRWI_BASE_PI);
    const double s = mrwi_base_sin(angle), c = mrwi_base_cos(angle);
    out[0] = (float)(c * (double)scale[0]);
    out[1] = (float)(s * (double)scale[1]);
    out[2] = offset[0];
    out[3] = (float)(-s * (double)scale[0]);
    out[4] = (float)(c * (double)scale[1]);
    out[5] = offset[1];
}
