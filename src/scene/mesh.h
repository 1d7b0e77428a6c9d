/* mesh.h: the stages of a mesh on its way to the pools. */
#ifndef MRWI_SCENE_MESH_H
#define MRWI_SCENE_MESH_H

#include "scene/build.h"

/* A mesh of the file, and the other inputs of each stage. */
typedef struct mrwi_scene_mesh_source {
    const mrwi_scene_mesh_input *in;
    const mrw_material *material;        /* or NULL */
    const mrw_material_map *tangent_map; /* the material's map that needs tangents, or NULL */
    const char *file, *label;            /* the file's name and the mesh's label, for messages */
    mrwi_scene_warnings *warnings;
    mrwi_base_arena *scratch; /* memory for results of stages */
    bool flips_v, flips_winding;
} mrwi_scene_mesh_source;

/* The triangles of a mesh. */
typedef struct mrwi_scene_corners {
    const uint32_t *vertices; /* source vertex of each corner */
    uint32_t count;
    uint8_t *used; /* 1 for a source vertex that triangles use */
} mrwi_scene_corners;

/* Influences by source vertex: those of v are entries first[v] ... first[v + 1] - 1. */
typedef struct mrwi_scene_influences {
    const uint32_t *first;
    const uint16_t *joints;
    const float *weights;
    uint32_t joint_end; /* 1 + the greatest joint, 0 without influences */
} mrwi_scene_influences;

/* Cleans influences: positive finite weights, each joint once, sorted by descending weight and then
 * by joint, with the sum one. The arrays in *out are NULL if no used vertex has influences. */
mrw_status mrwi_scene_clean_influences(const mrwi_scene_mesh_source *source, const uint8_t *used,
                                       mrwi_scene_influences *out, mrw_error *error);

/* Computes unit normals for each corner of a triangle list. Flat: the triangle's own. Smooth: the
 * mean of the triangles that edges of at most 60 degrees join around the corner's position,
 * weighted by the angle of their corner (Thuermer and Wuethrich 1998). */
mrw_status mrwi_scene_corner_normals(const mrwi_scene_mesh_source *source,
                                     const mrwi_scene_corners *corners, bool flat, float **out,
                                     mrw_error *error);

/* An attribute in which two vertices must be equal to be merged. */
typedef struct mrwi_scene_stream {
    const float *values; /* width finite floats per source vertex or candidate */
    uint32_t width;
} mrwi_scene_stream;

/* Finds candidates that are the same vertex. A candidate is a source vertex, possibly with its own
 * attributes. The first of equal ones stays. */
typedef struct mrwi_scene_weld_job {
    const mrwi_scene_stream *streams; /* first the `hashed_count` that tell most vertices apart */
    uint32_t stream_count, hashed_count;
    mrwi_scene_influences influences;
    uint32_t source_count;
    const uint32_t *sources; /* candidate_count source vertices */
    uint32_t candidate_count;
    bool repeats;                     /* true if most candidates are likely to have an equal one */
    mrwi_scene_stream own_streams[2]; /* values of each candidate */
    uint32_t own_stream_count;
    uint32_t *vertex_of;   /* out: candidate_count vertex numbers */
    uint32_t *first_of;    /* out: vertex_count candidates, ascending */
    uint32_t vertex_count; /* out */
} mrwi_scene_weld_job;

mrw_status mrwi_scene_weld(mrwi_scene_weld_job *job, mrwi_base_arena *scratch, mrw_error *error);

/* The attributes of the source vertices, cleaned; NULL if the mesh has none. */
typedef struct mrwi_scene_attributes {
    const float *normals, *tangents, *uvs[2], *colors;
    const float *corner_normals, *corner_tangents; /* per corner, instead of the others */
    bool turned; /* true if the normals are the file's, reversed */
} mrwi_scene_attributes;

/* Returns a morph target. Its normals and tangents count only if the mesh has its own from the
 * file: computed ones do not change. */
static inline mrwi_scene_target_input mrwi_scene_target_of(const mrwi_scene_mesh_input *in,
                                                           const mrwi_scene_attributes *clean,
                                                           uint32_t index)
{
    mrwi_scene_target_input target = in->targets[index];
    target.normals = clean->normals ? target.normals : NULL;
    target.tangents = clean->tangents ? target.tangents : NULL;
    return target;
}

/* Orders the welded vertices by their number of influences, and writes the mesh into the pools:
 * its name, indices, attributes, groups and targets (mesh_emit.c). */
mrw_status mrwi_scene_emit_mesh(mrwi_scene_draft *draft, const mrwi_scene_mesh_source *source,
                                const mrwi_scene_corners *corners,
                                const mrwi_scene_attributes *clean, const mrwi_scene_weld_job *job,
                                mrw_mesh *mesh, mrw_error *error);

/* Runs all stages: adds the data of the mesh to the pools and refers to it in *mesh, which is not
 * pushed. *joint_end: 1 + the greatest joint that the mesh refers to. */
mrw_status mrwi_scene_build_mesh(mrwi_scene_draft *draft, const mrwi_scene_mesh_source *source,
                                 mrw_mesh *mesh, uint32_t *joint_end, mrw_error *error);

#endif
