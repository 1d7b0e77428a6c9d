/* maps.h: the one walk over the maps of a material; MRW_MATERIAL_MAPS defines them. */
#ifndef MRWI_SCENE_MAPS_H
#define MRWI_SCENE_MAPS_H

#include "marrow/scene.h"

/* Walks over the maps that pictures show. *next begins at 0; each call returns the next map that is
 * drawn, counts in the material and has a texture, and its number in *map; NULL at the end.
 * Material NULL has none. */
const mrw_material_map *mrwi_scene_drawn_map(const mrw_material *material, uint32_t *next,
                                             mrw_map *map);

/* Returns the first map that pictures show and that needs the mesh's tangents, or NULL. */
const mrw_material_map *mrwi_scene_tangent_map(const mrw_material *material);

/* Returns true if the factor of a map counts without a texture, too. */
bool mrwi_scene_map_counts_alone(mrw_map map);

/* Returns true if their numbers are finite, and their textures below texture_count. */
bool mrwi_scene_maps_valid(const mrw_material *material, uint32_t texture_count);

/* Gives fields that a map without a texture does not need their usual values. */
void mrwi_scene_maps_settle(mrw_material *material);

/* Makes a uv_transform from the parts of KHR_texture_transform: translation * rotation * scale; the
 * rotation, in radians, is counter-clockwise as seen in the picture, whose v points down. */
void mrwi_scene_texture_transform(const float offset[2], double rotation, const float scale[2],
                                  float out[6]);

/* Replaces each texture t by place[t]. */
void mrwi_scene_maps_move(mrw_material *material, const uint32_t *place);

#endif
