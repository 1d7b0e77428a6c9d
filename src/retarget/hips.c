/* hips.c: finds the hips of a rig, their height, and the ratio of the sizes of two rigs. */
#include "retarget/relation.h"

/* The sizes of two rigs count as equal within this share if the file has no rest pose, because its
 * joints may then be anywhere. */
#define SAME_RIG 0.05

double mrwi_retarget_size(const mrwi_retarget_relation *x, const mrwi_retarget_side *s,
                          double *lowest)
{
    double low[3] = {0}, high[3] = {0};
    for (uint32_t j = 0; j < x->map->joint_count; j++) {
        const double *place = mrwi_retarget_place(s, mrwi_retarget_node(s, &x->map->joints[j], x));
        for (int k = 0; k < 3; k++) {
            low[k] = j == 0 || place[k] < low[k] ? place[k] : low[k];
            high[k] = j == 0 || place[k] > high[k] ? place[k] : high[k];
        }
    }
    *lowest = low[1];
    return mrwi_retarget_distance(low, high);
}

uint32_t mrwi_retarget_find_hips(const mrwi_retarget_relation *x, mrwi_retarget_joint *joints)
{
    const mrw_scene *from = x->map->def.from->scene;
    double lowest, highest;
    mrwi_retarget_size(x, &x->base, &lowest);
    highest = lowest;
    uint32_t hips = MRW_NONE;
    for (uint32_t j = 0; j < x->map->joint_count; j++) {
        mrwi_retarget_joint *joint = &joints[j];
        const double y = mrwi_retarget_place(&x->base, joint->base)[1];
        highest = y > highest ? y : highest;
        joint->travels = x->nodes.joint_above[joint->node] == MRW_NONE;
        if (joint->travels &&
            (hips == MRW_NONE || x->nodes.below[joint->node] > x->nodes.below[hips])) {
            hips = joint->node;
        }
    }
    const double floor = lowest + 0.25 * (highest - lowest);
    for (int step = 0; step < 8; step++) {
        const uint32_t at = joints[x->map->joint_of[hips]].base;
        uint32_t next = MRW_NONE;
        if (mrwi_retarget_place(&x->base, at)[1] >= floor) {
            return hips;
        }
        for (uint32_t i = hips + 1; i < from->nodes_count; i++) {
            if (mrwi_retarget_is_joint(x->map, i) && x->nodes.joint_above[i] == hips &&
                (next == MRW_NONE || x->nodes.below[i] > x->nodes.below[next])) {
                next = i;
            }
        }
        if (next == MRW_NONE) {
            return hips;
        }
        hips = next;
        joints[x->map->joint_of[next]].travels = true;
    }
    return hips;
}

/* Returns the height of the hips above the lowest joint, or above the ground if the hips themselves
 * are about the lowest. *floor is the height of that level. */
static double hips_height(const mrwi_retarget_relation *x, const mrwi_retarget_side *s,
                          double *floor)
{
    double lowest;
    const double size = mrwi_retarget_size(x, s, &lowest);
    const double y = mrwi_retarget_place(
        s, mrwi_retarget_node(s, &x->map->joints[x->map->joint_of[x->hips]], x))[1];
    *floor = y - lowest > 0.1 * size ? lowest : 0;
    return y - *floor;
}

/* Returns the total length of all bones, which no pose changes. */
static double lengths_of(const mrwi_retarget_relation *x, const mrwi_retarget_side *s)
{
    double sum = 0;
    for (uint32_t j = 0; j < x->map->joint_count; j++) {
        const uint32_t above = x->nodes.joint_above[x->map->joints[j].node];
        if (above != MRW_NONE) {
            const mrwi_retarget_joint *other = &x->map->joints[x->map->joint_of[above]];
            sum += mrwi_retarget_distance(
                mrwi_retarget_place(s, mrwi_retarget_node(s, &x->map->joints[j], x)),
                mrwi_retarget_place(s, mrwi_retarget_node(s, other, x)));
        }
    }
    return sum;
}

mrwi_retarget_sizes mrwi_retarget_find_sizes(const mrwi_retarget_relation *x)
{
    double lowest, floor;
    mrwi_retarget_sizes out = {.ratio = 1};
    const double theirs = hips_height(x, &x->from, &floor);
    const double ours = hips_height(x, &x->base, &out.floor);
    const double other = mrwi_retarget_size(x, &x->from, &lowest),
                 size = mrwi_retarget_size(x, &x->base, &lowest);
    const double lengths = lengths_of(x, &x->from);
    out.height = ours > 0.01 * size ? ours : size;
    if (!x->doubts.unknown && ours > 0.01 * size && theirs > 0.01 * other) {
        out.ratio = ours / theirs;
    } else if (lengths > 0) {
        out.ratio = lengths_of(x, &x->base) / lengths;
    }
    const double same = x->doubts.unknown ? SAME_RIG : MRWI_RETARGET_SAME_LENGTH;
    if (!(out.ratio > 0) || !isfinite(out.ratio) || mrwi_retarget_about(out.ratio, 1, same)) {
        out.ratio = 1;
    }
    return out;
}
