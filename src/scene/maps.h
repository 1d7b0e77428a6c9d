/* maps.h: the one walk over the maps of a material; what they are is MRW_MATERIAL_MAPS. */
#ifndef MRWI_SCENE_MAPS_H
#define MRWI_SCENE_MAPS_H

#include "marrow/scene.h"

/* The maps that pictures show: *next begins at 0, and each call returns the next one that is drawn,
 * counts in the material and has a texture, its number in *map; NULL at the end. Material
 * NULL has none. */
const mrw_material_map *mrwi_scene_drawn_map(const mrw_material *material, uint32_t *next,
                                             mrw_map *map);

/* The first map that pictures show and that needs the mesh's tangents; NULL: none does. */
const mrw_material_map *mrwi_scene_tangent_map(const mrw_material *material);

/* Whether the factor of a map counts without a texture, too. */
bool mrwi_scene_map_counts_alone(mrw_map map);

/* Their numbers are finite, and their textures below texture_count. */
bool mrwi_scene_maps_valid(const mrw_material *material, uint32_t texture_count);

/* Gives what a map without a texture does not need its usual value. */
void mrwi_scene_maps_settle(mrw_material *material);

/* Makes a uv_transform of the parts of KHR_texture_transform: translation * rotation * scale; the
 * rotation, in radians, is counter-clockwise as seen in the picture, whose v points down. */
void mrwi_scene_texture_transform(const float offset[2], double rotation, const float scale[2],
                                  float out[6]);

/* Texture t went to place[t]. */
void mrwi_scene_maps_move(mrw_material *material, const uint32_t *place);

#endif
