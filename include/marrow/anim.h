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
 * by less than 1e-4 of a frame, or by what a 32-bit float rounds away, as key times do, counts as
 * reaching it. */
MRW_API uint64_t mrw_last_frame(double duration, mrw_rate rate);

/* ---- Posers ---------------------------------------------------------------------------------- */

/*
 * A scene prepared for posing: which channels of a clip share their key times (most, in clips that
 * were baked), which never change, and in what order nodes are computed without one waiting for the
 * other. Keys are not copied: it takes about 36 bytes a channel, 56 a node and 150 a clip.
 * Immutable, and shared by all threads; a mrw_model has its own. */
typedef struct mrw_poser mrw_poser;

/* The scene is borrowed and must live longer. MRW_ERROR_MEMORY is the only failure. The caller
 * frees *out with mrw_poser_free. */
MRW_API mrw_status mrw_poser_create(const mrw_scene *scene, mrw_poser **out, mrw_error *error);

/* NULL is allowed. */
MRW_API void mrw_poser_free(mrw_poser *poser);

/* ---- Sampling -------------------------------------------------------------------------------- */

/* Bits of `animated`: what a clip (or several) animates of a node. */
#define MRW_ANIMATED_TRANSLATION 1u
#define MRW_ANIMATED_ROTATION    2u
#define MRW_ANIMATED_SCALE       4u
#define MRW_ANIMATED_WEIGHTS     8u
#define MRW_ANIMATED_VISIBILITY  16u
#define MRW_ANIMATED_LOCAL       7u /* any of the first three: the node's matrix no longer stands */
/* Not what is animated, but what came of it: the node is hidden at that time (MRW_NODE_HIDDEN). */
#define MRW_ANIMATED_HIDDEN 32u

/* Samples one clip. Channels with the same key times keep the index of the key they used last in a
 * cursor, so playing forwards costs no search; any time is right from any cursor. At a key the key
 * comes out to the bit. Before its first key and after its last a channel goes on as it says
 * (mrw_extrapolation). Spherical interpolation is within 2.5e-7 of the exact value. */
typedef struct mrw_sample_job {
    const mrw_poser *poser;
    /* MRW_NONE: the nodes as stored in the file. */
    uint32_t clip;
    /* Seconds from the clip's start; clamped to 0 ... duration, unless `beyond`: then any time. */
    double time;
    bool beyond;
    /* As many as the clip has channels, zeroed at first; NULL: search each time. */
    uint32_t *cursors;
    /* Out: node_count local transforms; rotations unit. */
    mrw_transform *locals;
    /* Out: node_count flags, MRW_ANIMATED_... */
    uint8_t *animated;
    /* Out: scene->weights_count morph weights. */
    float *weights;
    /* MRW_ISA_AUTO: the best, looked up at each call; all give the same bits. */
    mrw_isa isa;
} mrw_sample_job;

MRW_API void mrw_sample(const mrw_sample_job *job);

/* Of which nodes a pose shows nothing: hidden[node], node_count entries, what lies below a hidden
 * node included. False: of none, at no cost where the scene never hides any. */
MRW_API bool mrw_find_hidden(const mrw_poser *poser, const uint8_t *animated, bool *hidden);

/* ---- Mixing poses ---------------------------------------------------------------------------- */

/*
 * A pose as mrw_sample writes it: nodes and morph weights that the clip does not animate are at
 * rest. Poses of one scene are mixed node by node in double precision and rounded once, so mixing a
 * pose with itself gives its bits. All memory is the caller's. */
typedef struct mrw_local_pose {
    /* node_count, each from a node to its parent. */
    const mrw_transform *locals;
    /* node_count, MRW_ANIMATED_... */
    const uint8_t *animated;
    /* scene->weights_count */
    const float *weights;
} mrw_local_pose;

/* One of the poses of a blend. */
typedef struct mrw_blend_input {
    mrw_local_pose pose;
    /* Finite, not negative; the weights need not sum to one. */
    float weight;
    /* node_count factors 0 ... 1 on the weight; NULL: 1 for each node. */
    const float *mask;
} mrw_blend_input;

/* The weighted mean of poses. At each node the weights (times masks) are divided by their sum;
 * where all are 0 the node is at rest. Translation, scale and morph weights are blended linearly.
 * Rotations are summed in the order of the inputs, each negated where it lies on the other side of
 * the sum so far (dot < 0), and the sum is normalised: for two what Blow calls nlerp (Understanding
 * Slerp, Then Not Using It, 2004), for more what ozz-animation's BlendingJob does. A node that a
 * clip does not animate contributes its rest. Whether it is shown is what the heaviest says, of
 * equals the first. */
typedef struct mrw_blend_job {
    const mrw_scene *scene;
    const mrw_blend_input *inputs;
    uint32_t input_count;
    /* Out: these three may be the arrays of one of the inputs. */
    mrw_transform *locals;
    /* Out: what any input with a weight above 0 animates. */
    uint8_t *animated;
    float *weights;
} mrw_blend_job;

MRW_API void mrw_blend(const mrw_blend_job *job);

/* Lays a pose over another one, in place. With f = weight * mask of the node, and only for what
 * `over` animates (its MRW_ANIMATED_... bits; the rest of the base stays):
 * - override (reference NULL): from base to over by f, rotations by nlerp along the shorter arc; 1
 *   gives over to the bit. With weight 1 and no mask this plays clips together that animate
 *   different nodes: what the later one animates wins. From f = 0.5 on it says what is shown.
 * - additive (reference given, most often the clip's own first pose): the difference of over to
 *   reference, on top of base:
 *       translation = base + f (over - reference)         (in the parent's space)
 *       rotation    = base * nlerp(1, reference^-1 * over, f)   (in the node's own space)
 *       scale       = base * (1 + f (over / reference - 1))     (by axis; reference 0: unchanged)
 *       morph       = base + f (over - reference)
 *   What is shown stays as it was. */
typedef struct mrw_layer_job {
    const mrw_scene *scene;
    mrw_local_pose over;
    /* Its `animated` is not read. NULL: override. */
    const mrw_local_pose *reference;
    /* Finite, 0 ... 1; above 1 exaggerates an additive layer. */
    float weight;
    /* node_count factors 0 ... 1; NULL: 1 for each node. */
    const float *mask;
    /* In: the base; out: the result. */
    mrw_transform *locals;
    /* In and out: bits of over are added where f > 0. */
    uint8_t *animated;
    /* In and out. */
    float *weights;
} mrw_layer_job;

MRW_API void mrw_layer(const mrw_layer_job *job);

/* mask[i]: 1 for the node and all below it, 0 for the others; node_count entries. */
MRW_API void mrw_subtree_mask(const mrw_scene *scene, uint32_t node, float *mask);

/* Clips of different lengths in step: they share the phase time / D, 0 at their starts and 1 at
 * their ends, where D is the mean of their durations by weight (0 when no weight is above 0). */
MRW_API double mrw_synced_duration(const double *durations, const float *weights, uint32_t count);

/* The time in a clip of `duration` at `time` of the blend: time / synced_duration * duration;
 * exactly duration at the end, 0 when synced_duration is 0. */
MRW_API double mrw_synced_time(double time, double synced_duration, double duration);

/* ---- Root motion ----------------------------------------------------------------------------- */

/*
 * Clips that walk away move their root joint. "Horizontal" is across the scene's Y, taken into the
 * space of the joint's parent by the ancestors at rest. */
typedef enum mrw_root_motion {
    MRW_ROOT_MOTION_KEEP,  /* as filed */
    MRW_ROOT_MOTION_STRIP, /* on the spot: the horizontal translation is that of the clip's start;
                              height and rotation stay */
    MRW_ROOT_MOTION_LOOP   /* goes on: each loop starts where the one before ended */
} mrw_root_motion;

/* With LOOP, D is the motion that carries the joint from the clip's start to its end: horizontally,
 * and with `turn` also the rotation about the vertical (the twist of end * start^-1). The joint at
 * the clip's time is moved by D once for each loop already played. */
typedef struct mrw_root_motion_job {
    const mrw_scene *scene;
    /* The root joint. */
    uint32_t node;
    mrw_root_motion mode;
    /* Its local transform at the clip's time 0. */
    const mrw_transform *start;
    /* At its duration; read by LOOP only. */
    const mrw_transform *end;
    /* Full loops played so far, below 0 before the clip's start, where D is taken off; LOOP only.
     */
    int64_t loops;
    /* LOOP only. */
    bool turn;
    /* In and out: the joint's local transform now. */
    mrw_transform *local;
} mrw_root_motion_job;

MRW_API void mrw_apply_root_motion(const mrw_root_motion_job *job);

/* ---- Matrices -------------------------------------------------------------------------------- */

/* Local to world, parents first. A node that was filed as a matrix and of which nothing of
 * MRW_ANIMATED_LOCAL is animated uses that matrix. Matrices are affine: the last row is 0, 0, 0, 1.
 */
typedef struct mrw_world_job {
    const mrw_poser *poser;
    /* node_count each, as mrw_sample writes them. */
    const mrw_transform *locals;
    const uint8_t *animated;
    /* Applied to the roots; NULL: identity. */
    const mrw_mat4 *model_to_world;
    /* Out: node_count matrices. */
    mrw_mat4 *node_to_world;
    mrw_isa isa;
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
    /* Used with bind only; may be NULL. */
    const mrw_mat4 *model_to_world;
    /* node_count matrices, of mrw_local_to_world. */
    const mrw_mat4 *node_to_world;
    /* Out: the skin's joint_count matrices, 64-byte aligned. */
    mrw_mat4 *geometry_to_world;
    mrw_isa isa;
} mrw_palette_job;

MRW_API void mrw_build_palette(const mrw_palette_job *job);

/* ---- The front ------------------------------------------------------------------------------- */

/* What tells where a model looks, by the names and places of its joints at rest. */
typedef enum mrw_front_sign {
    /* Joints of the same name but for left and right: LeftArm, arm.L, Bip01 L Arm, larm. The front
     * is what lies ahead of somebody who has them at these hands: up times the way from left to
     * right. */
    MRW_FRONT_SIDES,
    /* Toes lie ahead of the foot or ankle that they hang on, */
    MRW_FRONT_FEET,
    /* eyes, nose, jaw and mouth ahead of the head, */
    MRW_FRONT_FACE,
    /* and of skins that lie rather than stand the head ahead of the hips, these ahead of the tail.
     */
    MRW_FRONT_SPINE,
    MRW_FRONT_SIGNS
} mrw_front_sign;

/* Where a model has its front. */
typedef struct mrw_front {
    /* From where it is seen (mrw_view_def.azimuth_degrees): 0 when it looks along +Z, 90: +X, 180:
     * -Z, -90: -X. */
    float azimuth_degrees;
    /* Its joints tell so; else it is the custom of the scene's format: B3D, MS3D, SMD, Half-Life's
     * MDL and Ogre look along -Z, all others along +Z. */
    bool of_joints;
    /* How many joints, or pairs of them, each sign is of; 0: there is none. And the way it points,
     * a unit vector x, z; 0, 0 where that is not clear: then it has no vote. */
    uint32_t counts[MRW_FRONT_SIGNS];
    float ways[MRW_FRONT_SIGNS][2];
} mrw_front;

/* Finds the front of a scene at rest, placed by model_to_world (NULL: as it is). Joints are those
 * of skins, without any skin what clips animate, and what hangs below these.
 *
 * Each sign that points clearly (what is level of its ways, summed, is at least a quarter of their
 * length; of the spine a half) votes with a unit vector: feet, face and spine with 3, sides, which
 * some exporters confuse, with 2, where they are two pairs at least. The axis of the world next to
 * the sum is the front, where the sum is at least a half long. It is one of the four axes because
 * models are made along them: joints themselves may be some degrees off, or in mid-stride.
 *
 * The same on every machine. MRW_ERROR_MEMORY is the only failure. */
MRW_API mrw_status mrw_find_front(const mrw_scene *scene, const mrw_mat4 *model_to_world,
                                  mrw_front *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
