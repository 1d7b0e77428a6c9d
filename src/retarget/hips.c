/* hips.c: finds the hips of a rig, their height, and the ratio of the sizes of two rigs. */
#include "retarget/relation.h"

/* The sizes of two rigs count as equal within this share if the file has no rest pose, because its
 * joints may then be anywhere. */
#define SAME_RIG 0.05

double mrwi_retarget_size(const mrwi_retarget_relation *x, const mrwi_retarget_side *s,
                          double *lowest)
{
    double low[3] = {0}, high[3] = {0};
    for (uint32_t j = 0; j < x->r->joint_count; j++) {
        const double *place = mrwi_retarget_place(s, mrwi_retarget_node(s, &x->r->joints[j], x));
        for (int k = 0; k < 3; k++) {
            low[k] = j == 0 || place[k] < low[k] ? place[k] : low[k];
            high[k] = j == 0 || place[k] > high[k] ? place[k] : high[k];
        }
    }
    *lowest = low[1];
    return mrwi_retarget_distance(low, high);
}

void mrwi_retarget_find_hips(mrwi_retarget_relation *x)
{
    const mrw_scene *from = x->r->def.from->scene;
    double lowest, highest;
    mrwi_retarget_size(x, &x->base, &lowest);
    highest = lowest;
    x->hips = MRW_NONE;
    for (uint32_t j = 0; j < x->r->joint_count; j++) {
        const mrwi_retarget_joint *joint = &x->r->joints[j];
        const double y = mrwi_retarget_place(&x->base, joint->base)[1];
        highest = y > highest ? y : highest;
        x->r->joints[j].travels = x->joint_above[joint->node] == MRW_NONE;
        if (x->r->joints[j].travels &&
            (x->hips == MRW_NONE || x->below[joint->node] > x->below[x->hips])) {
            x->hips = joint->node;
        }
    }
    const double floor = lowest + 0.25 * (highest - lowest);
    for (int step = 0; step < 8; step++) {
        const uint32_t at = x->r->joints[x->r->joint_of[x->hips]].base;
        uint32_t next = MRW_NONE;
        if (mrwi_retarget_place(&x->base, at)[1] >= floor) {
            return;
        }
        for (uint32_t i = x->hips + 1; i < from->nodes_count; i++) {
            if (mrwi_retarget_is_joint(x, i) && x->joint_above[i] == x->hips &&
                (next == MRW_NONE || x->below[i] > x->below[next])) {
                next = i;
            }
        }
        if (next == MRW_NONE) {
            return;
        }
        x->hips = next;
        x->r->joints[x->r->joint_of[next]].travels = true;
    }
}

/* Returns the height of the hips above the lowest joint, or above the ground if the hips themselves
 * are about the lowest. *floor is the height of that level. */
static double hips_height(const mrwi_retarget_relation *x, const mrwi_retarget_side *s,
                          double *floor)
{
    double lowest;
    const double size = mrwi_retarget_size(x, s, &lowest);
    const double y =
        mrwi_retarget_place(s, mrwi_retarget_node(s, &x->r->joints[x->r->joint_of[x->hips]], x))[1];
    *floor = y - lowest > 0.1 * size ? lowest : 0;
    return y - *floor;
}

/* Returns the total length of all bones, which no pose changes. */
static double lengths_of(const mrwi_retarget_relation *x, const mrwi_retarget_side *s)
{
    double sum = 0;
    for (uint32_t j = 0; j < x->r->joint_count; j++) {
        const uint32_t above = x->joint_above[x->r->joints[j].node];
        if (above != MRW_NONE) {
            const mrwi_retarget_joint *other = &x->r->joints[x->r->joint_of[above]];
            sum += mrwi_retarget_distance(
                mrwi_retarget_place(s, mrwi_retarget_node(s, &x->r->joints[j], x)),
                mrwi_retarget_place(s, mrwi_retarget_node(s, other, x)));
        }
    }
    return sum;
}

void mrwi_retarget_find_ratio(mrwi_retarget_relation *x)
{
    double lowest, floor;
    const double theirs = hips_height(x, &x->from, &floor);
    const double ours = hips_height(x, &x->base, &x->floor);
    const double other = mrwi_retarget_size(x, &x->from, &lowest),
                 size = mrwi_retarget_size(x, &x->base, &lowest);
    const double lengths = lengths_of(x, &x->from);
    x->height = ours > 0.01 * size ? ours : size;
    x->ratio = 1;
    if (!x->unknown && ours > 0.01 * size && theirs > 0.01 * other) {
        x->ratio = ours / theirs;
    } else if (lengths > 0) {
        x->ratio = lengths_of(x, &x->base) / lengths;
    }
    const double same = x->unknown ? SAME_RIG : MRWI_RETARGET_SAME_LENGTH;
    if (!(x->ratio > 0) || !isfinite(x->ratio) || mrwi_retarget_about(x->ratio, 1, same)) {
        x->ratio = 1;
    }
}
