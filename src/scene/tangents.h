/* tangents.h: computes tangents for meshes that need them and have none. */
#ifndef MRWI_SCENE_TANGENTS_H
#define MRWI_SCENE_TANGENTS_H

#include "scene/mesh.h"

/* A triangle list with finite attributes, and the map whose texture coordinates the tangents
 * follow. */
typedef struct mrwi_scene_tangent_job {
    const uint32_t *corners; /* corner_count source vertices */
    uint32_t corner_count;
    uint32_t vertex_count;       /* number of source vertices; the next three have one entry each */
    const float *positions;      /* float[3] */
    const float *uvs;            /* float[2] */
    const float *normals;        /* float[3], unit; NULL if there are corner_normals */
    const float *corner_normals; /* corner_count float[3], unit */
    const float (*uv_transform)[6]; /* transform of a mrw_material_map; tangents follow the
                                       transformed uvs */
} mrwi_scene_tangent_job;

/* Computes a tangent for each corner, as in mrw_mesh, by the method of MikkTSpace (tangents.c). If
 * the texture coordinates give no direction, it is any at right angles to the normal. */
mrw_status mrwi_scene_corner_tangents(const mrwi_scene_tangent_job *job, mrwi_base_arena *scratch,
                                      float **out, mrw_error *error);

/* Finds a unit vector at right angles to a unit normal. The two pointers must differ and not be
 * NULL. */
void mrwi_scene_any_tangent(const float *normal, float *tangent);

#endif
