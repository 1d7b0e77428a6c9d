/* pose.h: compares poses and boxes and describes the difference. */
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
    bool any; /* false if there are no triangles */
    float min[3];
    float max[3];
} mrwi_compare_box;

/* A joint that is found by its name. */
typedef struct mrwi_compare_named {
    const char *name;
    uint32_t index;
} mrwi_compare_named;

/* Sorts by name; equal names by index. */
void mrwi_compare_named_sort(mrwi_compare_named *joints, uint32_t count);

/* Largest differences of a joint that pass. Both 0: the joint must have the same bits. */
typedef struct mrwi_compare_pose_limits {
    double degrees;
    double distance;
} mrwi_compare_pose_limits;

/* Compares two poses. Joints are matched by name, equal names in their order; joints without a
 * partner exceed all limits. The poses agree if out->differing is 0. Writes the difference to text,
 * escaped and without the frame ("LeftFoot turned 3.1 degrees"), or "" if there is none. out->joint
 * points into expected or actual. Fails only when out of memory. */
mrw_status mrwi_compare_pose_compare(const mrwi_compare_pose *expected,
                                     const mrwi_compare_pose *actual,
                                     const mrwi_compare_pose_limits *limits,
                                     mrw_pose_difference *out, char *text, size_t size,
                                     mrw_error *error);

/* Compares two boxes in the same way; returns true if they agree. *off is the largest difference of
 * a coordinate. */
bool mrwi_compare_box_compare(const mrwi_compare_box *expected, const mrwi_compare_box *actual,
                              double limit, double *off, char *text, size_t size);

#endif
