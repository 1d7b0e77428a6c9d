/* derive.h: makes scenes from other ones, with some of their sections changed. */
#ifndef MRWI_SCENE_DERIVE_H
#define MRWI_SCENE_DERIVE_H

#include "marrow/scene.h"
#include "scene/build.h"

/* Changes to the sections of a base scene. The draft's pool of a section replaces the base's if
 * `replaced` is set; otherwise it is appended. Strings are those of base. */
typedef struct mrwi_scene_changes {
    mrwi_scene_draft draft;
    bool replaced[MRWI_SCENE_SECTION_COUNT];
} mrwi_scene_changes;

/* Makes the scene. Messages contain file_name. */
mrw_status mrwi_scene_derive(const mrw_scene *base, const mrwi_scene_changes *changes,
                             const char *file_name, mrw_scene **out, mrw_error *error);

/* Cuts each triangle into four, `levels` times (subdivide.c). New vertices are the middles of
 * edges: all attributes are the means of those of both ends (normals and tangents unit again,
 * influences cleaned as in any mesh), the same to the bit on both sides of a seam. So the
 * undisplaced surface does not change and has no cracks. Refuses to make more than max_vertices,
 * before it takes memory. */
mrw_status mrwi_scene_subdivide(const mrw_scene *base, uint32_t levels, uint64_t max_vertices,
                                const char *file_name, mrw_scene **out, mrw_error *error);

/* A height map from outside of the model. */
typedef struct mrwi_scene_heights {
    uint32_t width, height;
    const uint8_t *rgba; /* longer if deep: MRW_IMAGE_DEEP */
    uint8_t hash[32];    /* SHA-256 of the file's bytes */
    float scale, midlevel;
    bool deep;
} mrwi_scene_heights;

/* Gives all materials this displacement map instead of their own; NULL: none (displace.c). It has
 * the layout of the base colour's map, if there is one: its wrap, its texture coordinates; else it
 * repeats on the first set. Meshes without a material get the default one. */
mrw_status mrwi_scene_displace(const mrw_scene *base, const mrwi_scene_heights *heights,
                               const char *file_name, mrw_scene **out, mrw_error *error);

#endif
