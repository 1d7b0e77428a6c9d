/* maps.c: the maps of a material: their table, and the walk over them. */
#include "scene/maps.h"

#include "scene/build.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const mrw_map_info infos[MRW_MAP_COUNT] = {
#define MAP_INFO(map, name, srgb, drawn, tangents) {name, srgb, drawn, tangents},
    MRW_MATERIAL_MAPS(MAP_INFO)
#undef MAP_INFO
};

static const mrw_material_map usual = {MRW_NONE, 0, {1, 0, 0, 0, 1, 0}, {1, 1, 1, 1}};

const mrw_map_info *mrw_map_info_of(mrw_map map)
{
    assert(map < MRW_MAP_COUNT);
    return &infos[map];
}

mrw_material mrw_material_default(void)
{
    mrw_material out = {.alpha_mode = MRW_ALPHA_OPAQUE, .alpha_cutoff = 0.5f};
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        out.maps[m] = usual;
    }
    return out;
}

const mrw_material_map *mrwi_scene_drawn_map(const mrw_material *material, uint32_t *next,
                                             mrw_map *map)
{
    while (material && *next < MRW_MAP_COUNT) {
        *map = (mrw_map)(*next)++;
        if (infos[*map].drawn && material->maps[*map].texture != MRW_NONE) {
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
            !mrwi_scene_all_finite(map->uv_transform, 6) ||
            !mrwi_scene_all_finite(map->factor, 4)) {
            return false;
        }
    }
    const float *color = material->maps[MRW_MAP_BASE_COLOR].factor;
    for (int c = 0; c < 4; c++) {
        if (!(color[c] >= 0.0f && color[c] <= 1.0f)) {
            return false;
        }
    }
    return true;
}

void mrwi_scene_maps_settle(mrw_material *material)
{
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        mrw_material_map *map = &material->maps[m];
        if (map->texture == MRW_NONE) {
            memcpy(map, &usual, offsetof(mrw_material_map, factor));
        }
        if (map->texture == MRW_NONE && m != MRW_MAP_BASE_COLOR) {
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
