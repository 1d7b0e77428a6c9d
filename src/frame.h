/* frame.h: what the three files of the frame share: models, renderers, and the two steps that
 * framing and sequences repeat on many threads. */
#ifndef MRWI_FRAME_H
#define MRWI_FRAME_H

#include "base/memory.h"
#include "marrow/frame.h"

/* A scene prepared for drawing; all frames and threads share it. */
struct mrw_model {
    const mrw_scene *scene;
    mrw_shading shading;
    mrw_raster_texture **textures;  /* one an image; NULL where no material uses it */
    mrw_raster_material *materials; /* the scene's, then the default material */
    mrw_skin_group *groups;         /* scene->groups with pointers in place of indices */
    float *pivots;                  /* float[3] a joint: its origin in the geometry's space */
    uint16_t *cut_joints;           /* influences of the groups that were cut, or NULL */
    float *cut_weights;
    mrw_influence_cut cut;
};

/* Cursors of the clip that an instance played last. */
struct mrwi_playhead {
    const mrw_scene *scene;
    uint32_t clip;
    uint32_t *cursors;
    uint32_t cursor_count; /* a new scene may stand where a freed one stood: the count must match */
};

struct mrw_renderer {
    mrwi_arena arena; /* reset each frame */
    mrw_raster *raster;
    struct mrwi_playhead *playheads; /* one an instance */
    uint32_t playhead_count;
};

/* A palette in the form that dual-quaternion skinning wants. */
struct mrwi_motions {
    mrw_dual_quaternion *motions;
    mrw_mat4 *scales; /* NULL when none scales */
};

/* The nodes, palettes and morph weights of one posed instance; arena memory. */
struct mrwi_pose {
    const mrw_scene *scene;
    mrw_mat4 *node_to_world;
    mrw_mat4 **palettes;          /* one a skin */
    struct mrwi_motions *motions; /* one a skin, or NULL: linear skinning */
    float *weights;
};

/* One instance, all the way from clip and time to world-space vertices, in the renderer's arena.
 * slot numbers the instances of a frame, so that each keeps its cursors. isa is resolved. */
mrw_status mrwi_pose_instance(mrw_renderer *renderer, uint32_t slot, const mrw_instance *instance,
                              mrw_isa isa, bool tangents, struct mrwi_pose *pose,
                              mrw_posed_draw **out, mrw_error *error);

/* mrw_render without its checks. */
mrw_status mrwi_render(mrw_renderer *renderer, const mrw_frame_def *def,
                       const mrw_instance *instances, uint32_t count, int threads, mrw_image *out,
                       mrw_error *error);

#endif
