/* relation.h: the comparison of two rigs while one is adapted to the other. The files that find its
 * parts share it. */
#ifndef MRWI_RETARGET_RELATION_H
#define MRWI_RETARGET_RELATION_H

#include "retarget/adapter.h"

#include "base/math.h"

/* Two rests agree within these: degrees, and shares of a length. */
#define MRWI_RETARGET_SAME_DEGREES 1.0
#define MRWI_RETARGET_SAME_LENGTH  0.01

/* The identity rotation. */
#define MRWI_RETARGET_NO_TURN ((const double[4]){0, 0, 0, 1})

/* One of the two rigs. A stop is a node whose motion counts: in the file each node that a clip
 * moves, in base each node that matches a joint of the file. Arrays have an entry per node. */
typedef struct mrwi_retarget_side {
    const mrwi_retarget_rig *rig;
    mrwi_retarget_rest rest;
    /* the node itself; in base, its node of the file; MRW_NONE if it is not a stop */
    uint32_t *stop;
    uint32_t *above; /* the next stop above, a node of this side, or MRW_NONE */
    mrwi_retarget_affine
        /* the map of all nodes strictly between the node and `above`, which stand still */
        *between;
    double (*turned)[4]; /* the rotation of `between` */
} mrwi_retarget_side;

/* The nodes of the file. Arrays have an entry per node. */
typedef struct mrwi_retarget_nodes {
    uint32_t *joint_above; /* the next joint above in the file */
    uint32_t *below;       /* the number of joints at and below it */
    uint8_t *paths;        /* a bit per path that some clip moves; for joints, with their links */
    uint8_t *carried;      /* 1 if a node that base lacks moves it */
} mrwi_retarget_nodes;

/* The difference between the two rests. Arrays have an entry per joint. */
typedef struct mrwi_retarget_turns {
    double (*change)[4]; /* D, the identity where the rests agree */
    double *degrees;     /* the angle between the rests, before they are aligned */
    /* number of joints of the model whose rest was turned to the file's directions */
    uint32_t aligned;
} mrwi_retarget_turns;

typedef struct mrwi_retarget_sizes {
    double ratio;  /* the factor on the root's path */
    double height; /* the height of the model's hips */
    double floor;  /* the height of the ground below them */
} mrwi_retarget_sizes;

typedef struct mrwi_retarget_facing {
    double turn[4]; /* turn by right angles from the file's world to the model's */
    bool is_turned; /* true if `turn` is not the identity */
} mrwi_retarget_facing;

/* Doubts about the file's rest, and what follows from them. */
typedef struct mrwi_retarget_doubts {
    bool doubtful; /* true if the file rests as one of its clips begins */
    /* true if doubtful, but with the model's axes, so that the rest does not matter */
    bool unknown;
    bool grounded; /* true if the root's path counts from the ground */
} mrwi_retarget_doubts;

/* The comparison. */
typedef struct mrwi_retarget_relation {
    mrwi_retarget_joint_map *map; /* the result */
    mrwi_retarget_side base, from;
    mrwi_retarget_nodes nodes;
    mrwi_retarget_turns turns;
    mrwi_retarget_sizes sizes;
    mrwi_retarget_facing facing;
    mrwi_retarget_doubts doubts;
    uint32_t hips; /* a joint: its node of the file */
} mrwi_retarget_relation;

static inline double mrwi_retarget_distance(const double *a, const double *b)
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(mrwi_base_dot3d(d, d));
}

static inline const double *mrwi_retarget_place(const mrwi_retarget_side *s, uint32_t node)
{
    return s->rest.world[node].m + 9;
}

static inline bool mrwi_retarget_is_joint(const mrwi_retarget_joint_map *map, uint32_t node)
{
    return map->joint_of[node] != MRW_NONE && map->def.from->owner[node] == MRW_NONE;
}

static inline uint32_t mrwi_retarget_node(const mrwi_retarget_side *s,
                                          const mrwi_retarget_joint *joint,
                                          const mrwi_retarget_relation *x)
{
    return s == &x->base ? joint->base : joint->node;
}

/* Returns true if two numbers differ by at most this part of the larger one. */
static inline bool mrwi_retarget_about(double a, double b, double part)
{
    return fabs(a - b) <= part * (fabs(a) > fabs(b) ? fabs(a) : fabs(b));
}

/* Returns the diagonal of the box around the joints; *lowest is the smallest height. */
double mrwi_retarget_size(const mrwi_retarget_relation *x, const mrwi_retarget_side *s,
                          double *lowest);

/* Returns the hips: the topmost joint with the most joints below it. If that is on the ground, the
 * hips are the first joint on the heaviest way down that is not. Marks the joints from the top
 * down to the hips as travelling; `joints` are x->map->joints. */
uint32_t mrwi_retarget_find_hips(const mrwi_retarget_relation *x, mrwi_retarget_joint *joints);
/* Returns the height of the hips, the ground below them, and the ratio of the two sizes. x->hips
 * must be set. */
mrwi_retarget_sizes mrwi_retarget_find_sizes(const mrwi_retarget_relation *x);

/* Returns true if the first keys of some clip turn nine of ten joints as the file's nodes are
 * turned. */
bool mrwi_retarget_begins_with_a_clip(const mrwi_retarget_relation *x);
/* Returns true if four of five bones have the same direction in their joints, within 10 degrees:
 * then the axes are the same, whatever the pose. */
bool mrwi_retarget_same_axes(const mrwi_retarget_relation *x);
/* Turns the file's rest as a whole if its rig faces another way. */
void mrwi_retarget_find_facing(mrwi_retarget_relation *x);

/* Returns true if the limbs of two human figures rest in directions far apart. */
bool mrwi_retarget_needs_aligning(const mrwi_retarget_relation *x);
/* Turns the joints of the model's rest, from the root down, until its bones have the directions of
 * the file's: by the shortest turn if a joint has one bone, by the best turn for several. Joints
 * without a bone below turn with the joint above. */
mrw_status mrwi_retarget_align(mrwi_retarget_relation *x, mrw_error *error);

/* Fills report's fields on retargeting. */
mrw_status mrwi_retarget_report(const mrwi_retarget_relation *x, mrw_clip_match *report,
                                mrw_error *error);

#endif
