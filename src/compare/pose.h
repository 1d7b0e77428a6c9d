/* pose.h: poses and boxes against each other, in words. */
#ifndef MRWI_COMPARE_POSE_H
#define MRWI_COMPARE_POSE_H

#include "marrow/compare.h"

typedef struct mrwi_compare_joint {
    const char *name;
    float joint_to_world[12]; /* columns: x, y and z axis, origin */
} mrwi_compare_joint;

typedef struct mrwi_compare_pose {
    const char *frame;
    mrwi_compare_joint *joints;
    uint32_t count;
} mrwi_compare_pose;

typedef struct mrwi_compare_box {
    const char *frame;
    bool any; /* false: there are no triangles */
    float min[3];
    float max[3];
} mrwi_compare_box;

/* A joint that is looked for by its name. */
typedef struct mrwi_compare_named {
    const char *name;
    uint32_t index;
} mrwi_compare_named;

/* Sorts by name, equal ones by index. */
void mrwi_compare_named_sort(mrwi_compare_named *joints, uint32_t count);

/* What joints may be off. Both 0: the same bits. */
typedef struct mrwi_compare_pose_limits {
    double degrees;
    double distance;
} mrwi_compare_pose_limits;

/* Joints are matched by name, equal ones in their order; those without a partner are beyond all
 * limits. The poses agree when out->differing is 0. Writes what is off, escaped and without the
 * frame ("LeftFoot turned 3.1 degrees"), to text, "" when nothing is. out->joint points into
 * expected or actual. Fails only for lack of memory. */
mrw_status mrwi_compare_pose_compare(const mrwi_compare_pose *expected,
                                     const mrwi_compare_pose *actual,
                                     const mrwi_compare_pose_limits *limits,
                                     mrw_pose_difference *out, char *text, size_t size,
                                     mrw_error *error);

/* The same for boxes: whether they agree. *off is the largest difference of a coordinate. */
bool mrwi_compare_box_compare(const mrwi_compare_box *expected, const mrwi_compare_box *actual,
                              double limit, double *off, char *text, size_t size);

#endif
