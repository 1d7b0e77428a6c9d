/* tangents.h: tangents for meshes that need them and have none. */
#ifndef MRWI_SCENE_TANGENTS_H
#define MRWI_SCENE_TANGENTS_H

#include "scene/mesh.h"

/* A triangle list with finite attributes, and the map whose texture coordinates the tangents
 * follow. */
typedef struct mrwi_scene_tangent_job {
    const uint32_t *corners; /* corner_count source vertices */
    uint32_t corner_count;
    uint32_t vertex_count;       /* source vertices; the next three have one entry each */
    const float *positions;      /* float[3] */
    const float *uvs;            /* float[2] */
    const float *normals;        /* float[3], unit, or NULL and: */
    const float *corner_normals; /* corner_count float[3], unit */
    const float (
        *uv_transform)[6]; /* as in mrw_material_map: tangents follow what it makes of uvs */
} mrwi_scene_tangent_job;

/* A tangent for each corner, as mrw_mesh has them, by the method of MikkTSpace (tangents.c). Where
 * the texture coordinates give no direction, any at right angles to the normal. */
mrw_status mrwi_scene_corner_tangents(const mrwi_scene_tangent_job *job, mrwi_base_arena *scratch,
                                      float **out, mrw_error *error);

/* Some unit vector at right angles to a unit normal; neither NULL nor the same. */
void mrwi_scene_any_tangent(const float *normal, float *tangent);

#endif
