/* adapter.h: adapts the clips of a rig to a model with another rest pose.
 *
 * Let a joint be turned by A(t) in the world while a clip plays, by S at rest in its file, and by M
 * at rest in the model. In the model it should be turned by A(t) D with D = S^-1 M: the change from
 * rest, A(t) S^-1, on top of the model's rest. The nearest joint q above it that both rigs have is
 * turned by A_q(t) D_q, and nodes between the two stand still in the model, turned by K. So the
 * joint's local rotation is
 *
 *     (A_q D_q K)^-1 A D  =  K^-1 D_q^-1 (A_q^-1 A) D,
 *
 * and A_q^-1 A is the product of the local rotations from below q down to the joint in the clip's
 * file. If one of these moves, as nearly always, the product is a constant times its rotation times
 * a constant, and each key can be multiplied by the two constants. That keeps angles between keys,
 * so spherical interpolation stays spherical, and a cubic curve and its tangents are mapped
 * linearly. If several move (nodes that the model lacks, FBX pivots), the product is sampled. */
#ifndef MRWI_RETARGET_ADAPTER_H
#define MRWI_RETARGET_ADAPTER_H

#include "base/memory.h"
#include "retarget/rest.h"

/* The two rigs and how they match. Everything here must outlive the adapter. */
typedef struct mrwi_retarget_adapter_def {
    const mrwi_retarget_rig *base, *from;
    const uint32_t *match; /* node of `from` -> node of base, or MRW_NONE */
    const char *name;      /* name of the file, escaped */
    uint32_t how;          /* a mrw_retarget, but not off */
} mrwi_retarget_adapter_def;

/* A curve for a node of base, which replaces curves of the file. */
typedef struct mrwi_retarget_curve {
    uint32_t node, path, interpolation, key_count;
    const mrw_channel
        *like; /* a channel of the file that continues beyond its keys in the same way, or NULL */
    const double *times;
    const float *values;
} mrwi_retarget_curve;

/* One step from q to a joint: the nodes above a node that stand still, and the node itself. */
typedef struct mrwi_retarget_step {
    uint32_t node;
    bool back; /* true for a step upwards: its inverse */
} mrwi_retarget_step;

/* A joint of `from` that both rigs have and some clip moves. */
typedef struct mrwi_retarget_joint {
    uint32_t node, base;
    uint32_t above; /* node of `from` of the next joint above it in base, or MRW_NONE */
    uint32_t first_step, step_count;
    bool as_filed;       /* true if its channels are played as they are */
    bool same_rotations; /* true if its rotation's channels are played as they are */
    bool travels;        /* true if its translations count */
    double before[4], after[4];
    mrwi_retarget_affine
        path;        /* maps its place relative to `above`, in `from`, to its local place in base */
    double unit;     /* the height of the hips in its local units */
    double scale[3]; /* factors on the keys of its scale */
    int axis[3];     /* axes of `from` whose scales the three axes of base take */
} mrwi_retarget_joint;

/* The steps of all joints, one joint after the other. */
typedef struct mrwi_retarget_steps {
    mrwi_retarget_step *list;
    uint32_t count, room;
} mrwi_retarget_steps;

/* The joints that step over a node: joints[first[node]] ... joints[first[node + 1] - 1]. */
typedef struct mrwi_retarget_dependents {
    uint32_t *first, *joints;
} mrwi_retarget_dependents;

/* The way from the joints of `from` to those of base. It is the same for all clips. */
typedef struct mrwi_retarget_joint_map {
    mrwi_retarget_adapter_def def;
    mrwi_retarget_joint *joints;
    uint32_t joint_count;
    uint32_t *joint_of; /* per node of `from`: the joint that it belongs to, or MRW_NONE */
    /* per node of `from`: 1 if base lacks the node and it is above some joint */
    uint8_t *folded;
    mrwi_retarget_steps steps;
    /* Per node of `from`: the map of all nodes between it and the next one above that may move. */
    mrwi_retarget_affine *between;
    double (*between_rotation)[4];
    mrwi_retarget_dependents dependents;
} mrwi_retarget_joint_map;

typedef struct mrwi_retarget_adapter {
    mrwi_retarget_joint_map map;
    uint64_t keys_left;
    uint64_t steps_left; /* number of steps that may still be evaluated to sample curves */
    /* Scratch memory for the current clip. */
    uint32_t (*channels)[3]; /* per node of `from` and path: 1 + the channel, or 0 */
    uint32_t *done;          /* per joint: 1 + the last clip with curves of the joint */
    mrwi_base_arena arena;
    mrwi_retarget_curve *curves;
    uint32_t curve_count;
} mrwi_retarget_adapter;

/* Relates the two rigs, and fills report's fields on retargeting. If all joints are as_filed, the
 * clips can be played as they are. */
mrw_status mrwi_retarget_adapter_create(const mrwi_retarget_adapter_def *def,
                                        mrwi_retarget_adapter *out, mrw_clip_match *report,
                                        mrw_error *error);
void mrwi_retarget_adapter_free(mrwi_retarget_adapter *r);

/* Returns true if curves replace what a channel of this node of `from` does to a joint. */
static inline bool mrwi_retarget_replaces(const mrwi_retarget_adapter *r, uint32_t node)
{
    const uint32_t joint = r->map.joint_of ? r->map.joint_of[node] : MRW_NONE;
    return joint != MRW_NONE && !r->map.joints[joint].as_filed;
}

/* Makes the curves of a clip. They last until the next call. */
mrw_status mrwi_retarget_adapt_clip(mrwi_retarget_adapter *r, uint32_t clip, mrw_error *error);

#endif
