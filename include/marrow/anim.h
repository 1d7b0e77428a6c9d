/* anim.h: a clip at a time -> local transforms -> world matrices -> palettes.
 *
 * Every stage is a job with plain inputs and outputs. The caller owns all memory; jobs allocate
 * nothing and cannot fail. Jobs may run on any thread, but two jobs that run at the same time must
 * not share an output or a cursor.
 */
#ifndef MARROW_ANIM_H
#define MARROW_ANIM_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the time of a frame in seconds: frame * den / num, in one division, without accumulated
 * error. */
MRW_API double mrw_frame_time(uint64_t frame, mrw_rate rate);

/* Returns the number of the last frame of a clip: floor(duration * rate). A duration also reaches a
 * whole frame if it misses it by less than 1e-4 of a frame, or by the rounding error of a 32-bit
 * float, as stored key times do. */
MRW_API uint64_t mrw_last_frame(double duration, mrw_rate rate);

/* ---- Posers ---------------------------------------------------------------------------------- */

/* A scene prepared for posing. It knows which channels of a clip share their key times (in baked
 * clips, most), which channels are constant, and an order in which independent nodes can be
 * computed together. Keys are not copied: a poser takes about 36 bytes per channel, 56 per node and
 * 150 per clip. It is immutable and shared by all threads. A mrw_model has its own. */
typedef struct mrw_poser mrw_poser;

/* Creates a poser. The scene is borrowed and must outlive it. MRW_ERROR_MEMORY is the only error.
 * The caller frees *out with mrw_poser_free. */
MRW_API mrw_status mrw_poser_create(const mrw_scene *scene, mrw_poser **out, mrw_error *error);

/* Frees a poser. NULL is allowed. */
MRW_API void mrw_poser_free(mrw_poser *poser);

/* ---- Sampling -------------------------------------------------------------------------------- */

/* Bits of `animated`: the properties of a node that one or several clips animate. */
#define MRW_ANIMATED_TRANSLATION 1u
#define MRW_ANIMATED_ROTATION    2u
#define MRW_ANIMATED_SCALE       4u
#define MRW_ANIMATED_WEIGHTS     8u
#define MRW_ANIMATED_VISIBILITY  16u
#define MRW_ANIMATED_LOCAL       7u /* any of the three above: the filed matrix no longer applies */
/* Result of the clips rather than an animated property: the node is hidden at that time
 * (MRW_NODE_HIDDEN). */
#define MRW_ANIMATED_HIDDEN 32u

/* Samples one clip. Channels with the same key times share a cursor, which stores the index of the
 * key they used last, so that forward playback needs no search. Any cursor value gives the right
 * result for any time. At a key's time the result equals the key to the bit. Before its first key
 * and after its last, a channel continues by its mrw_extrapolation. Spherical interpolation is
 * within 2.5e-7 of the exact value. */
typedef struct mrw_sample_job {
    const mrw_poser *poser;
    /* Index into the scene's clips, or MRW_NONE: the nodes as stored in the file. */
    uint32_t clip;
    /* Seconds from the clip's start, clamped to 0 ... duration. With `beyond` any time is
     * allowed. */
    double time;
    bool beyond;
    /* One cursor per channel of the clip, zeroed before the first use. NULL: search each time. */
    uint32_t *cursors;
    /* Out: node_count local transforms; rotations are unit quaternions. */
    mrw_transform *locals;
    /* Out: node_count flags, MRW_ANIMATED_... */
    uint8_t *animated;
    /* Out: scene->weights_count morph weights. */
    float *weights;
    /* Instruction set. MRW_ISA_AUTO: the fastest, looked up at each call. All give the same
     * bits. */
    mrw_isa isa;
} mrw_sample_job;

MRW_API void mrw_sample(const mrw_sample_job *job);

/* Samples the material properties that a clip animates (KHR_animation_pointer). Numbers out of
 * range are clamped as in the scene. Roughness and metallic count in METALLIC_ROUGHNESS materials
 * only, and texture transforms in maps that have a texture.
 *
 * Two things stay those of the scene's own materials. Tangents that marrow computed lie along the
 * filed texture transform, so a normal map that a clip turns or mirrors is lit as if it did not.
 * Distant masks keep the coverage of the filed alpha cutoff. */
typedef struct mrw_material_job {
    const mrw_scene *scene;
    /* Index into the scene's clips. */
    uint32_t clip;
    /* Seconds from the clip's start. Any time is allowed: channels hold outside of their keys. */
    double time;
    /* In and out: materials_count materials. Only properties that the clip animates change, so
     * the caller begins with a copy of scene->materials, or with what another clip made of them. */
    mrw_material *materials;
} mrw_material_job;

MRW_API void mrw_sample_materials(const mrw_material_job *job);

/* Finds the nodes that a pose hides. Fills hidden[node], node_count entries; nodes below a hidden
 * node are included. Returns whether any node is hidden. If the scene never hides a node, the call
 * costs nothing and leaves `hidden` unchanged. */
MRW_API bool mrw_find_hidden(const mrw_poser *poser, const uint8_t *animated, bool *hidden);

/* ---- Mixing poses ---------------------------------------------------------------------------- */

/* A pose as mrw_sample writes it: nodes and morph weights that the clip does not animate are at
 * rest. Poses of one scene are mixed node by node in double precision and rounded once, so mixing a
 * pose with itself gives the same bits. The caller owns all memory. */
typedef struct mrw_local_pose {
    /* node_count transforms, each from a node to its parent. */
    const mrw_transform *locals;
    /* node_count flags, MRW_ANIMATED_... */
    const uint8_t *animated;
    /* scene->weights_count morph weights. */
    const float *weights;
} mrw_local_pose;

/* One of the poses of a blend. */
typedef struct mrw_blend_input {
    mrw_local_pose pose;
    /* Weight, finite and not negative. Weights need not sum to one. */
    float weight;
    /* node_count factors 0 ... 1 on the weight; NULL: 1 for each node. */
    const float *mask;
} mrw_blend_input;

/* Computes the weighted mean of poses. At each node the weights (times masks) are divided by their
 * sum; if all are 0, the node is at rest. Translation, scale and morph weights are blended
 * linearly. Rotations are summed in the order of the inputs and the sum is normalised. A rotation
 * is negated first if its dot product with the sum so far is negative. For two inputs this is
 * Blow's nlerp (Understanding Slerp, Then Not Using It, 2004), for more it is ozz-animation's
 * BlendingJob. A node that a clip does not animate contributes its rest transform. The input with
 * the largest weight decides whether a node is shown; among equal weights, the first. */
typedef struct mrw_blend_job {
    const mrw_scene *scene;
    const mrw_blend_input *inputs;
    uint32_t input_count;
    /* Out: local transforms. These three outputs may be the arrays of one of the inputs. */
    mrw_transform *locals;
    /* Out: properties that any input with a weight above 0 animates. */
    uint8_t *animated;
    float *weights;
} mrw_blend_job;

MRW_API void mrw_blend(const mrw_blend_job *job);

/* Layers a pose over another one, in place. f is weight * mask of the node. Only properties that
 * `over` animates (its MRW_ANIMATED_... bits) change; the rest of the base is kept.
 * - override (reference NULL): interpolates from base to over by f, rotations by nlerp along the
 *   shorter arc; f = 1 gives over to the bit. Weight 1 without a mask combines clips that animate
 *   different nodes; for a property in both, the later clip wins. From f = 0.5, `over` also decides
 *   whether the node is shown.
 * - additive (reference given, usually the clip's own first pose): adds the difference of over and
 *   reference to base:
 *       translation = base + f (over - reference)         (in the parent's space)
 *       rotation    = base * nlerp(1, reference^-1 * over, f)   (in the node's own space)
 *       scale       = base * (1 + f (over / reference - 1))     (by axis; reference 0: unchanged)
 *       morph       = base + f (over - reference)
 *   Whether a node is shown does not change. */
typedef struct mrw_layer_job {
    const mrw_scene *scene;
    mrw_local_pose over;
    /* NULL: override. Its `animated` is not read. */
    const mrw_local_pose *reference;
    /* Weight, finite, 0 ... 1; above 1 exaggerates an additive layer. */
    float weight;
    /* node_count factors 0 ... 1 on the weight; NULL: 1 for each node. */
    const float *mask;
    /* In: the base. Out: the result. */
    mrw_transform *locals;
    /* In and out: the bits of over are added where f > 0. */
    uint8_t *animated;
    /* In and out: the morph weights, as for locals. */
    float *weights;
} mrw_layer_job;

MRW_API void mrw_layer(const mrw_layer_job *job);

/* Sets mask[i] to 1 for the node and all nodes below it, to 0 for the others. mask has node_count
 * entries. */
MRW_API void mrw_subtree_mask(const mrw_scene *scene, uint32_t node, float *mask);

/* Returns D, the weighted mean of the durations of clips that play in step, or 0 if no weight is
 * above 0. Such clips share the phase time / D, which is 0 at their start and 1 at their end. */
MRW_API double mrw_synced_duration(const double *durations, const float *weights, uint32_t count);

/* Returns the time in a clip of `duration` that corresponds to `time` of the blend: time /
 * synced_duration * duration. It is exactly duration at the end, and 0 if synced_duration is 0. */
MRW_API double mrw_synced_time(double time, double synced_duration, double duration);

/* ---- Root motion ----------------------------------------------------------------------------- */

/* Treatment of clips that move their root joint through the world. "Horizontal" is perpendicular to
 * the scene's Y, converted to the space of the joint's parent with the ancestors at rest. */
typedef enum mrw_root_motion {
    MRW_ROOT_MOTION_KEEP,  /* keeps the filed motion */
    MRW_ROOT_MOTION_STRIP, /* on the spot: the horizontal translation stays that of the clip's
                              start; height and rotation are kept */
    MRW_ROOT_MOTION_LOOP   /* continuous: each loop starts where the one before ended */
} mrw_root_motion;

/* Inputs of mrw_apply_root_motion. With LOOP, D is the motion that takes the joint from the clip's
 * start to its end: the horizontal part, and with `turn` also the rotation about the vertical (the
 * twist of end * start^-1). The joint is moved by D once for each loop already played. */
typedef struct mrw_root_motion_job {
    const mrw_scene *scene;
    /* The root joint. */
    uint32_t node;
    mrw_root_motion mode;
    /* Local transform of the joint at the clip's time 0. */
    const mrw_transform *start;
    /* Local transform of the joint at the clip's duration. LOOP only. */
    const mrw_transform *end;
    /* Number of full loops played so far. Negative before the clip's start, where D is subtracted.
     * LOOP only. */
    int64_t loops;
    /* Include rotation about the vertical. LOOP only. */
    bool turn;
    /* In and out: the joint's current local transform. */
    mrw_transform *local;
} mrw_root_motion_job;

MRW_API void mrw_apply_root_motion(const mrw_root_motion_job *job);

/* ---- Matrices -------------------------------------------------------------------------------- */

/* Converts local transforms to world matrices, parents first. A node that was filed as a matrix
 * uses that matrix, unless the clip animates its translation, rotation or scale
 * (MRW_ANIMATED_LOCAL). Matrices are affine: the last row is 0, 0, 0, 1. */
typedef struct mrw_world_job {
    const mrw_poser *poser;
    /* node_count entries each, as mrw_sample writes them. */
    const mrw_transform *locals;
    const uint8_t *animated;
    /* Applied to the roots. NULL: identity. */
    const mrw_mat4 *model_to_world;
    /* Out: node_count matrices. */
    mrw_mat4 *node_to_world;
    mrw_isa isa;
} mrw_world_job;

MRW_API void mrw_local_to_world(const mrw_world_job *job);

/* Builds the palette of a skin: geometry_to_world[j] = node_to_world[joint j] *
 * geometry_to_joint[j]. With bind, each joint is at the inverse of its inverse bind matrix, so that
 * every entry is model_to_world (or the identity). The palette is an array of one mrw_mat4 per
 * joint with 16-byte aligned columns, as the skinning kernels read it. */
typedef struct mrw_palette_job {
    const mrw_scene *scene;
    uint32_t skin;
    bool bind;
    /* Used with bind only. May be NULL. */
    const mrw_mat4 *model_to_world;
    /* node_count matrices from mrw_local_to_world. */
    const mrw_mat4 *node_to_world;
    /* Out: the skin's joint_count matrices, 64-byte aligned. */
    mrw_mat4 *geometry_to_world;
    mrw_isa isa;
} mrw_palette_job;

MRW_API void mrw_build_palette(const mrw_palette_job *job);

/* ---- The front ------------------------------------------------------------------------------- */

/* Evidence for the direction that a model faces, from the names and places of its joints at
 * rest. */
typedef enum mrw_front_sign {
    /* Pairs of joints whose names differ only in left and right: LeftArm, arm.L, Bip01 L Arm, larm.
     * The front is the cross product of up and the direction from left to right. */
    MRW_FRONT_SIDES,
    /* Toes lie ahead of the foot or ankle that they hang on. */
    MRW_FRONT_FEET,
    /* Eyes, nose, jaw and mouth lie ahead of the head. */
    MRW_FRONT_FACE,
    /* In skins whose spine is level rather than upright, the head lies ahead of the hips, and the
     * hips ahead of the tail. */
    MRW_FRONT_SPINE,
    MRW_FRONT_SIGNS
} mrw_front_sign;

/* The direction that a model faces. */
typedef struct mrw_front {
    /* Viewing azimuth in degrees (mrw_view_def.azimuth_degrees): 0 if the model faces +Z, 90: +X,
     * 180: -Z, -90: -X. */
    float azimuth_degrees;
    /* True if the joints decided. If false, the azimuth is the convention of the scene's format:
     * B3D, MS3D, SMD, Half-Life's MDL and Ogre face -Z, all others +Z. */
    bool of_joints;
    /* Number of joints, or pairs of joints, found for each sign, 0 if none, and its direction as a
     * unit vector x, z. The direction is 0, 0 if the sign is unclear; it then has no vote. */
    uint32_t counts[MRW_FRONT_SIGNS];
    float ways[MRW_FRONT_SIGNS][2];
} mrw_front;

/* Finds the direction that a scene faces at rest, placed by model_to_world (NULL: as it is). The
 * joints considered are those of skins; in a scene without skins, the nodes that clips animate and
 * all nodes below them.
 *
 * A sign is clear if the horizontal part of its summed directions is at least a quarter of their
 * total length (a half for the spine). Clear signs vote with a unit vector: feet, face and spine
 * have weight 3; sides have weight 2, because some exporters swap them, and need at least two
 * pairs. The front is the world axis nearest to the sum, provided the sum has a length of at least
 * one half. It is one of four axes because models are made along them, while joints may be a few
 * degrees off or in mid-stride.
 *
 * Gives the same result on every machine. MRW_ERROR_MEMORY is the only error. */
MRW_API mrw_status mrw_find_front(const mrw_scene *scene, const mrw_mat4 *model_to_world,
                                  mrw_front *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
