/* anim.h: a clip at a time -> local transforms -> world matrices -> palettes.
 *
 * Every stage is a job: plain inputs and outputs, all memory the caller's, no allocation, no
 * failure. Jobs may run on any thread; two jobs must not share an output or a cursor.
 */
#ifndef MARROW_ANIM_H
#define MARROW_ANIM_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Time of frame k in seconds: k * den / num, one division, no accumulated error. */
MRW_API double mrw_frame_time(uint64_t frame, mrw_rate rate);

/* Number of the last frame of a clip: floor(duration * rate). A duration that misses a whole frame
 * by less than 1e-4 of a frame, as 32-bit key times do, counts as reaching it. */
MRW_API uint64_t mrw_last_frame(double duration, mrw_rate rate);

/* Samples one clip. Each channel keeps the index of the key it used last in its cursor, so playing
 * forwards costs no search; any time is right from any cursor. Before the first and after the last
 * key of a channel their values hold; at a key the key comes out to the bit. Spherical
 * interpolation is within 2.5e-7 of the exact value. Channels that follow each other and share
 * first_time are located once. */
typedef struct mrw_sample_job {
    const mrw_scene *scene;
    uint32_t clip; /* MRW_NONE: the nodes as stored in the file */
    double time;   /* seconds from the clip's start; clamped to 0 ... duration */
    uint32_t
        *cursors; /* as many as the clip has channels, zeroed at first; NULL: search each time */
    mrw_transform *locals; /* out: node_count local transforms; rotations unit */
    uint8_t *animated;     /* out: node_count flags: 1 where the clip animates T, R or S */
    float *weights;        /* out: scene->weights_count morph weights */
} mrw_sample_job;

MRW_API void mrw_sample(const mrw_sample_job *job);

/* Local to world, parents first. A node whose `animated` is 0 and that was filed as a matrix uses
 * that matrix. Matrices are affine: the last row is 0, 0, 0, 1. */
typedef struct mrw_world_job {
    const mrw_scene *scene;
    const mrw_transform *locals;
    const uint8_t *animated;
    const mrw_mat4 *model_to_world; /* applied to the roots; NULL: identity */
    mrw_mat4 *node_to_world;        /* out: node_count matrices */
} mrw_world_job;

MRW_API void mrw_local_to_world(const mrw_world_job *job);

/* The palette of a skin: geometry_to_world[j] = node_to_world[joint j] * geometry_to_joint[j].
 * With bind, each joint stands at the inverse of its inverse bind matrix, so that every entry is
 * model_to_world (or the identity). Layout: one mrw_mat4 a joint, 16-byte aligned columns, which is
 * what the skinning kernels read. */
typedef struct mrw_palette_job {
    const mrw_scene *scene;
    uint32_t skin;
    bool bind;
    const mrw_mat4 *model_to_world; /* used with bind only; may be NULL */
    const mrw_mat4 *node_to_world;
    mrw_mat4 *geometry_to_world; /* out: the skin's joint_count matrices, 64-byte aligned */
} mrw_palette_job;

MRW_API void mrw_build_palette(const mrw_palette_job *job);

#ifdef __cplusplus
}
#endif
#endif
