/* relate.c: relates a rig to that of a model with another rest pose. */
#include "retarget/relation.h"

#include "base/text.h"

#include <string.h>

/* Largest number of steps of one joint. Beyond it, nothing is folded into the joint. */
#define MAX_STEPS 64

static bool alike(const double a[4], const double b[4])
{
    double back[4];
    mrwi_retarget_quat_conjugate(a, back);
    mrwi_retarget_quat_mul(back, b, back);
    return mrwi_retarget_quat_degrees(back) <= MRWI_RETARGET_SAME_DEGREES;
}

/* Returns the mean length of the axes of a linear part. */
static double scale_of(const mrwi_retarget_affine *a)
{
    static const double zero[3] = {0, 0, 0};
    return ((mrwi_retarget_distance(a->m, zero) + mrwi_retarget_distance(a->m + 3, zero)) +
            mrwi_retarget_distance(a->m + 6, zero)) /
           3;
}

/* ---- the two sides --------------------------------------------------------------------------- */

static mrw_status make_side(const mrwi_retarget_rig *rig, mrwi_retarget_side *out, mrw_error *error)
{
    const size_t count = rig->scene->nodes_count;
    *out = (mrwi_retarget_side){.rig = rig,
                                .stop = mrwi_base_alloc(count, sizeof *out->stop),
                                .above = mrwi_base_alloc(count, sizeof *out->above),
                                .between = mrwi_base_alloc(count, sizeof *out->between),
                                .turned = mrwi_base_alloc(count, sizeof *out->turned)};
    if (!out->stop || !out->above || !out->between || !out->turned) {
        return mrwi_base_fail_memory(error, count * sizeof *out->between);
    }
    memset(out->stop, 0xff, count * sizeof *out->stop);
    return mrwi_retarget_rest_create(rig->scene, &out->rest, error);
}

static void free_side(mrwi_retarget_side *s)
{
    mrwi_base_free(s->stop);
    mrwi_base_free(s->above);
    mrwi_base_free(s->between);
    mrwi_base_free(s->turned);
    mrwi_retarget_rest_free(&s->rest);
}

static void find_between(mrwi_retarget_side *s)
{
    const mrw_scene *scene = s->rig->scene;
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        const uint32_t parent = scene->nodes[i].parent;
        s->above[i] = parent;
        s->between[i] = mrwi_retarget_affine_identity();
        memcpy(s->turned[i], MRWI_RETARGET_NO_TURN, 4 * sizeof(double));
        if (parent != MRW_NONE && s->stop[parent] == MRW_NONE) {
            const mrwi_retarget_affine local = mrwi_retarget_rest_local(scene, parent);
            double own[4];
            for (int k = 0; k < 4; k++) {
                own[k] = (double)scene->nodes[parent].rest.rotation[k];
            }
            s->above[i] = s->above[parent];
            s->between[i] = mrwi_retarget_affine_mul(&s->between[parent], &local);
            mrwi_retarget_quat_mul(s->turned[parent], own, s->turned[i]);
            mrwi_retarget_quat_unit(s->turned[i]);
        }
    }
}

/* Returns true if a channel holds its node at rest. */
static bool stays(const mrw_scene *scene, const mrw_channel *channel)
{
    const mrw_transform *rest = &scene->nodes[channel->node].rest;
    const float *part = channel->path == MRW_PATH_TRANSLATION ? rest->translation
                        : channel->path == MRW_PATH_ROTATION  ? rest->rotation
                                                              : rest->scale;
    const bool turns = channel->path == MRW_PATH_ROTATION;
    const size_t width = channel->width;
    const bool cubic = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    double most = turns ? 1 : 1e-30;
    for (size_t i = 0; i < width && !turns; i++) {
        most = fabs((double)part[i]) > most ? fabs((double)part[i]) : most;
    }
    for (size_t k = 0; k < channel->key_count; k++) {
        const float *key = scene->key_values + channel->first_value + k * width * (cubic ? 3 : 1);
        double dot = 0;
        for (size_t i = 0; i < width; i++) {
            const double value = (double)key[(cubic ? width : 0) + i];
            dot += value * (double)part[i];
            if (!turns && fabs(value - (double)part[i]) > 1e-4 * most) {
                return false;
            }
            if (cubic && (key[i] != 0 || key[2 * width + i] != 0)) {
                return false;
            }
        }
        if (turns && fabs(dot) < 0.99999999) {
            return false;
        }
    }
    return true;
}

static bool is_matched(const mrwi_retarget_adapter *r, uint32_t joint)
{
    return r->def.match[joint] < r->def.base->scene->nodes_count;
}

/* Sets carried to 1 for each node with a moving node between it and the next one above that both
 * rigs have. */
static mrw_status find_carried(const mrwi_retarget_adapter *r, uint8_t *carried, mrw_error *error)
{
    const mrwi_retarget_rig *rig = r->def.from;
    const mrw_scene *from = rig->scene;
    uint8_t *moving = mrwi_base_alloc_zero(from->nodes_count, 1);
    if (!moving) {
        return mrwi_base_fail_memory(error, from->nodes_count);
    }
    for (uint32_t i = 0; i < from->channels_count; i++) {
        const mrw_channel *channel = &from->channels[i];
        if (channel->path < MRW_PATH_WEIGHTS && !moving[channel->node] &&
            !is_matched(r, mrwi_retarget_rig_joint(rig, channel->node))) {
            moving[channel->node] = !stays(from, channel);
        }
    }
    for (uint32_t i = 0; i < from->nodes_count; i++) {
        const uint32_t parent = from->nodes[i].parent;
        if (parent != MRW_NONE) {
            const uint32_t joint = mrwi_retarget_rig_joint(rig, parent);
            const bool is_own = joint == mrwi_retarget_rig_joint(rig, i);
            carried[i] = moving[parent] || ((is_own || !is_matched(r, joint)) && carried[parent]);
        }
    }
    mrwi_base_free(moving);
    return MRW_OK;
}

/* Finds joints: nodes that clips move, or that nodes only in the file carry. */
static mrw_status find_joints(mrwi_retarget_relation *x, mrw_error *error)
{
    mrwi_retarget_adapter *r = x->r;
    const mrw_scene *from = r->def.from->scene;
    r->joints = mrwi_base_alloc_zero(from->nodes_count, sizeof *r->joints);
    r->joint_of = mrwi_base_alloc(from->nodes_count, sizeof *r->joint_of);
    if (!r->joints || !r->joint_of) {
        return mrwi_base_fail_memory(error, from->nodes_count * sizeof *r->joints);
    }
    memset(r->joint_of, 0xff, from->nodes_count * sizeof *r->joint_of);
    mrw_status status = find_carried(r, x->carried, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < from->nodes_count; i++) {
        if (r->def.from->owner[i] == MRW_NONE && is_matched(r, i) &&
            (r->def.from->moves[i] || x->carried[i])) {
            const uint32_t node = r->def.match[i];
            r->joint_of[i] = r->joint_count;
            r->joints[r->joint_count++] = (mrwi_retarget_joint){.node = i, .base = node};
            x->from.stop[i] = i;
            x->base.stop[node] = i;
        }
    }
    return MRW_OK;
}

/* Finds other nodes that may move, and the paths of each joint that clips move. */
static void find_stops(mrwi_retarget_relation *x)
{
    mrwi_retarget_adapter *r = x->r;
    const mrw_scene *from = r->def.from->scene;
    for (uint32_t i = 0; i < from->channels_count; i++) {
        const mrw_channel *channel = &from->channels[i];
        if (channel->path < MRW_PATH_WEIGHTS) {
            const uint32_t joint = mrwi_retarget_rig_joint(r->def.from, channel->node);
            if (r->joint_of[joint] != MRW_NONE || !stays(from, channel)) {
                x->from.stop[channel->node] = channel->node;
            }
            x->paths[joint] |= (uint8_t)(1u << channel->path);
        }
    }
    for (uint32_t i = 0; i < from->nodes_count; i++) {
        const uint32_t owner = r->def.from->owner[i];
        r->joint_of[i] = owner == MRW_NONE ? r->joint_of[i] : r->joint_of[owner];
    }
}

/* Counts joints above and below in the file's tree. */
static void count_joints(mrwi_retarget_relation *x)
{
    const mrw_scene *from = x->r->def.from->scene;
    for (uint32_t i = 0; i < from->nodes_count; i++) {
        const uint32_t parent = from->nodes[i].parent;
        x->joint_above[i] = parent == MRW_NONE                  ? MRW_NONE
                            : mrwi_retarget_is_joint(x, parent) ? parent
                                                                : x->joint_above[parent];
        x->below[i] = mrwi_retarget_is_joint(x, i);
    }
    for (uint32_t i = from->nodes_count; i-- > 0;) {
        if (from->nodes[i].parent != MRW_NONE) {
            x->below[from->nodes[i].parent] += x->below[i];
        }
    }
}

static uint32_t bound_joints(const mrwi_retarget_relation *x)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < x->r->joint_count; j++) {
        count += x->from.rest.bound[x->r->joints[j].node];
    }
    return count;
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void find_changes(mrwi_retarget_relation *x)
{
    for (uint32_t j = 0; j < x->r->joint_count; j++) {
        const mrwi_retarget_joint *joint = &x->r->joints[j];
        double *change = x->change[j];
        mrwi_retarget_quat_conjugate(x->from.rest.rotation[joint->node], change);
        mrwi_retarget_quat_mul(change, x->base.rest.rotation[joint->base], change);
        mrwi_retarget_quat_unit(change);
        const double degrees = x->unknown ? 0 : mrwi_retarget_quat_degrees(change);
        if (degrees <= MRWI_RETARGET_SAME_DEGREES) {
            memcpy(change, MRWI_RETARGET_NO_TURN, 4 * sizeof(double));
        }
        /* aligned rests would give other angles */
        x->degrees[j] = x->aligned > 0 ? x->degrees[j] : degrees;
    }
}

/* Compares the rests, after aligning the model's with the file's if that is wanted. */
static mrw_status compare_rests(mrwi_retarget_relation *x, mrw_error *error)
{
    mrw_status status = MRW_OK;
    find_changes(x);
    if (!x->unknown && (x->r->def.how == MRW_RETARGET_POSE || mrwi_retarget_needs_aligning(x))) {
        status = mrwi_retarget_align(x, error);
        find_changes(x);
    }
    return status;
}

static mrw_status add_step(mrwi_retarget_adapter *r, uint32_t node, bool back, mrw_error *error)
{
    if (r->step_count == r->step_room) {
        const uint32_t room = r->step_room > 0 ? 2 * r->step_room : 64;
        mrwi_retarget_step *steps =
            mrwi_base_realloc(r->steps, r->step_count * sizeof *r->steps, room, sizeof *r->steps);
        if (!steps) {
            return mrwi_base_fail_memory(error, room * sizeof *r->steps);
        }
        r->steps = steps;
        r->step_room = room;
    }
    r->steps[r->step_count++] = (mrwi_retarget_step){node, back};
    return MRW_OK;
}

/* Lists the stops from `node` up to `end`, without `end`, or to the top. Returns MAX_STEPS + 1 if
 * there are too many. */
static uint32_t climb(const mrwi_retarget_side *from, uint32_t node, uint32_t end, uint32_t *out)
{
    uint32_t count = 0;
    for (; node != MRW_NONE && node != end && count <= MAX_STEPS; node = from->above[node]) {
        if (count < MAX_STEPS) {
            out[count] = node;
        }
        count++;
    }
    return count;
}

/* Finds the steps in the file from the joint above, in base, to this joint. They go up and down if
 * the two are in different branches. Returns false if there are too many. */
static bool find_steps(const mrwi_retarget_relation *x, const mrwi_retarget_joint *joint,
                       uint32_t up[MAX_STEPS], uint32_t *up_count, uint32_t down[MAX_STEPS],
                       uint32_t *down_count)
{
    *up_count = 0;
    *down_count = climb(&x->from, joint->node, joint->above, down);
    if (*down_count > MAX_STEPS || joint->above == MRW_NONE ||
        x->from.above[down[*down_count - 1]] == joint->above) {
        return *down_count <= MAX_STEPS;
    }
    *up_count = climb(&x->from, joint->above, MRW_NONE, up);
    if (*up_count > MAX_STEPS) {
        return false;
    }
    while (*up_count > 0 && *down_count > 0 && up[*up_count - 1] == down[*down_count - 1]) {
        --*up_count;
        --*down_count;
    }
    return true;
}

static mrw_status add_steps(mrwi_retarget_relation *x, mrwi_retarget_joint *joint, mrw_error *error)
{
    uint32_t up[MAX_STEPS], down[MAX_STEPS], up_count, down_count;
    joint->first_step = x->r->step_count;
    if (!find_steps(x, joint, up, &up_count, down, &down_count)) {
        joint->as_filed = true;
        return MRW_OK;
    }
    for (uint32_t i = 0; i < up_count; i++) {
        mrw_status status = add_step(x->r, up[i], true, error);
        if (status) {
            return status;
        }
    }
    for (uint32_t i = down_count; i-- > 0;) {
        mrw_status status = add_step(x->r, down[i], false, error);
        if (status) {
            return status;
        }
    }
    joint->step_count = x->r->step_count - joint->first_step;
    return MRW_OK;
}

/* Returns the top link of a joint's chain, or the joint. */
static uint32_t top_of(const mrwi_retarget_rig *rig, uint32_t node)
{
    for (uint32_t up = node; up != MRW_NONE; up = mrwi_retarget_rig_next_link(rig, up)) {
        node = up;
    }
    return node;
}

/* Finds the place of a node at rest, relative to the joint above. */
static void place_below(const mrwi_retarget_side *s, uint32_t node, uint32_t above, double out[3])
{
    memcpy(out, mrwi_retarget_place(s, node), 3 * sizeof *out);
    if (above != MRW_NONE) {
        const mrwi_retarget_affine back = mrwi_retarget_affine_inverse(&s->rest.world[above]);
        mrwi_retarget_affine_point(&back, out, out);
    }
}

/* Finds the origins of the root's path in the clip and in the model, in the world. They are the two
 * rest places. If the file's root rests elsewhere, and its rest may be any pose, the path starts
 * from the ground; a model that stands far from the origin stays there. */
static void ends_of_way(const mrwi_retarget_relation *x, const mrwi_retarget_joint *joint,
                        uint32_t above, double theirs[3], double ours[3])
{
    place_below(&x->from, joint->node, joint->above, theirs);
    place_below(&x->base, joint->base, above, ours);
    const bool elsewhere =
        mrwi_retarget_distance(theirs, ours) > MRWI_RETARGET_SAME_LENGTH * x->height;
    if (x->grounded && joint->above == MRW_NONE && elsewhere) {
        memset(theirs, 0, 3 * sizeof *theirs);
        ours[1] = x->floor;
        for (int k = 0; k < 3; k++) {
            ours[k] = fabs(ours[k]) > 0.25 * x->height ? ours[k] : 0;
        }
    }
}

/* Finds joint->path: K^-1 (ours + (world to base above) ratio (file above to world) (p -
 * theirs)). */
static void find_path(mrwi_retarget_relation *x, mrwi_retarget_joint *joint)
{
    const uint32_t above = x->base.above[joint->base];
    double theirs[3], ours[3], moved[3];
    mrwi_retarget_affine way = mrwi_retarget_affine_identity();
    for (int i = 0; i < 9; i++) {
        way.m[i] *= x->ratio;
    }
    ends_of_way(x, joint, above, theirs, ours);
    if (above != MRW_NONE) {
        const mrwi_retarget_affine back = mrwi_retarget_affine_inverse(&x->base.rest.world[above]);
        way = mrwi_retarget_affine_mul(&way, &x->from.rest.world[joint->above]);
        way = mrwi_retarget_affine_mul(&back, &way);
        mrwi_retarget_affine_vector(&way, theirs, moved);
    } else {
        const mrwi_retarget_affine turn = mrwi_retarget_affine_of(
            (const double[3]){0, 0, 0}, x->facing, (const double[3]){1, 1, 1});
        mrwi_retarget_affine_vector(&way, theirs, moved); /* `theirs` is turned already */
        way = mrwi_retarget_affine_mul(&way, &turn);
    }
    for (int k = 0; k < 3; k++) {
        way.m[9 + k] = ours[k] - moved[k];
    }
    const mrwi_retarget_affine in = mrwi_retarget_affine_inverse(&x->base.between[joint->base]);
    joint->path = mrwi_retarget_affine_mul(&in, &way);
}

/* Multiplies the scales of a joint's node and links. */
static void scale_at_rest(const mrwi_retarget_rig *rig, uint32_t node, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = (double)rig->scene->nodes[node].rest.scale[k];
    }
    for (uint32_t link = mrwi_retarget_rig_next_link(rig, node); link != MRW_NONE;
         link = mrwi_retarget_rig_next_link(rig, link)) {
        for (int k = 0; k < 3; k++) {
            out[k] *= (double)rig->scene->nodes[link].rest.scale[k];
        }
    }
}

static void find_scale(const mrwi_retarget_relation *x, mrwi_retarget_joint *joint)
{
    const mrwi_retarget_affine turn = mrwi_retarget_affine_of(
        (const double[3]){0, 0, 0}, joint->after, (const double[3]){1, 1, 1});
    double theirs[3];
    scale_at_rest(x->from.rig, joint->node, theirs);
    for (int k = 0; k < 3; k++) {
        const double *column = turn.m + 3 * k;
        joint->axis[k] = 0;
        for (int i = 1; i < 3; i++) {
            joint->axis[k] = fabs(column[i]) > fabs(column[joint->axis[k]]) ? i : joint->axis[k];
        }
        const double own = fabs(theirs[joint->axis[k]]) > 1e-12 ? theirs[joint->axis[k]] : 1;
        joint->scale[k] = (double)x->base.rig->scene->nodes[joint->base].rest.scale[k] / own;
    }
}

/* ---- what stays as it is --------------------------------------------------------------------- */

static bool same_rotations(const mrwi_retarget_relation *x, const mrwi_retarget_joint *joint)
{
    const uint32_t j = x->r->joint_of[joint->node];
    const uint32_t top = top_of(x->from.rig, joint->node), base = top_of(x->base.rig, joint->base);
    const uint32_t above = joint->above == MRW_NONE ? MRW_NONE : x->r->joint_of[joint->above];
    return x->from.above[top] == joint->above && (above != MRW_NONE || !x->is_turned) &&
           memcmp(x->change[j], MRWI_RETARGET_NO_TURN, 4 * sizeof(double)) == 0 &&
           (above == MRW_NONE ||
            memcmp(x->change[above], MRWI_RETARGET_NO_TURN, 4 * sizeof(double)) == 0) &&
           alike(x->from.turned[top], x->base.turned[base]);
}

/* Returns true if the translation keys of a joint that travels can stay as they are. */
static bool same_way(const mrwi_retarget_relation *x, const mrwi_retarget_joint *joint)
{
    const uint32_t top = top_of(x->from.rig, joint->node), base = top_of(x->base.rig, joint->base);
    /* The map of the whole joint, without the links of either rig. */
    mrwi_retarget_affine links = mrwi_retarget_affine_inverse(&x->base.between[base]);
    links = mrwi_retarget_affine_mul(&links, &x->base.between[joint->base]);
    mrwi_retarget_affine map = mrwi_retarget_affine_mul(&joint->path, &x->from.between[top]);
    map = mrwi_retarget_affine_mul(&links, &map);
    for (int i = 0; i < 9; i++) {
        if (fabs(map.m[i] - (i % 4 == 0)) > 2 * MRWI_RETARGET_SAME_LENGTH) {
            return false;
        }
    }
    return mrwi_retarget_distance(map.m + 9, (const double[3]){0, 0, 0}) <=
           MRWI_RETARGET_SAME_LENGTH * joint->unit;
}

/* Returns true if a joint that does not travel is as long in the file as in the model. */
static bool same_length(const mrwi_retarget_relation *x, const mrwi_retarget_joint *joint)
{
    const uint32_t top = top_of(x->from.rig, joint->node), base = top_of(x->base.rig, joint->base);
    const uint32_t parent = x->from.rig->scene->nodes[top].parent;
    const uint32_t of_base = x->base.rig->scene->nodes[base].parent;
    double theirs[3], ours[3];
    place_below(&x->from, joint->node, parent, theirs);
    place_below(&x->base, joint->base, of_base, ours);
    const double a = sqrt(mrwi_base_dot3d(theirs, theirs)), b = sqrt(mrwi_base_dot3d(ours, ours));
    const double unit_a = parent == MRW_NONE ? 1 : scale_of(&x->from.rest.world[parent]);
    const double unit_b = of_base == MRW_NONE ? 1 : scale_of(&x->base.rest.world[of_base]);
    const double off = x->unknown ? fabs(a - b) : mrwi_retarget_distance(theirs, ours);
    return mrwi_retarget_about(unit_a, unit_b, MRWI_RETARGET_SAME_LENGTH) &&
           off <= 2 * MRWI_RETARGET_SAME_LENGTH * (a > b ? a : b) + 0.002 * joint->unit;
}

static bool same_scale(const mrwi_retarget_relation *x, const mrwi_retarget_joint *joint)
{
    double theirs[3], ours[3];
    scale_at_rest(x->from.rig, joint->node, theirs);
    scale_at_rest(x->base.rig, joint->base, ours);
    return mrwi_retarget_about(theirs[0], ours[0], MRWI_RETARGET_SAME_LENGTH) &&
           mrwi_retarget_about(theirs[1], ours[1], MRWI_RETARGET_SAME_LENGTH) &&
           mrwi_retarget_about(theirs[2], ours[2], MRWI_RETARGET_SAME_LENGTH);
}

static void decide(const mrwi_retarget_relation *x, mrwi_retarget_joint *joint)
{
    const uint8_t paths = x->paths[joint->node];
    joint->same_rotations = same_rotations(x, joint);
    bool same = joint->same_rotations;
    if (paths & 1u << MRW_PATH_TRANSLATION && !(x->unknown && x->ratio == 1)) {
        same = same && (joint->travels ? same_way(x, joint) : same_length(x, joint));
    }
    if (paths & 1u << MRW_PATH_SCALE) {
        same = same && same_scale(x, joint);
    }
    joint->as_filed = same;
}

static mrw_status relate_joint(mrwi_retarget_relation *x, uint32_t j, mrw_error *error)
{
    mrwi_retarget_joint *joint = &x->r->joints[j];
    const uint32_t above = x->base.above[joint->base];
    const uint32_t parent = x->base.rig->scene->nodes[joint->base].parent;
    double back[4];
    joint->above = above == MRW_NONE ? MRW_NONE : x->base.stop[above];
    joint->travels = joint->travels || x->carried[joint->node];
    memcpy(joint->after, x->change[j], sizeof joint->after);
    memcpy(joint->before, MRWI_RETARGET_NO_TURN, 4 * sizeof(double));
    if (joint->above != MRW_NONE) {
        mrwi_retarget_quat_conjugate(x->change[x->r->joint_of[joint->above]], joint->before);
    } else {
        memcpy(joint->before, x->facing, sizeof joint->before);
    }
    mrwi_retarget_quat_conjugate(x->base.turned[joint->base], back);
    mrwi_retarget_quat_mul(back, joint->before, joint->before);
    const double unit = parent == MRW_NONE ? 1 : scale_of(&x->base.rest.world[parent]);
    joint->unit = x->height > 0 ? x->height / (unit > 0 ? unit : 1) : 1;
    find_path(x, joint);
    find_scale(x, joint);
    decide(x, joint);
    return joint->as_filed ? MRW_OK : add_steps(x, joint, error);
}

/* ---- dependents and folded nodes ------------------------------------------------------------- */

static mrw_status list_dependents(mrwi_retarget_adapter *r, mrw_error *error)
{
    const size_t nodes = r->def.from->scene->nodes_count;
    r->first_dependent = mrwi_base_alloc_zero(nodes + 2, sizeof *r->first_dependent);
    r->dependents = mrwi_base_alloc(r->step_count, sizeof *r->dependents);
    r->folded = mrwi_base_alloc_zero(nodes, 1);
    if (!r->first_dependent || !r->dependents || !r->folded) {
        return mrwi_base_fail_memory(error, (nodes + r->step_count) * 4);
    }
    for (uint32_t i = 0; i < r->step_count; i++) {
        r->first_dependent[r->steps[i].node + 2]++;
    }
    for (size_t i = 2; i < nodes + 2; i++) {
        r->first_dependent[i] += r->first_dependent[i - 1];
    }
    for (uint32_t j = 0; j < r->joint_count; j++) {
        const mrwi_retarget_joint *joint = &r->joints[j];
        for (uint32_t i = 0; i < joint->step_count; i++) {
            const uint32_t node = r->steps[joint->first_step + i].node;
            r->dependents[r->first_dependent[node + 1]++] = j;
            const uint32_t owner = mrwi_retarget_rig_joint(r->def.from, node);
            r->folded[owner] |= r->def.match[owner] == MRW_NONE;
        }
    }
    return MRW_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Returns true if the joints lie apart. If all are in one point, there is no pose to compare, and
 * joints are played as they are. */
static bool has_shape(const mrwi_retarget_relation *x)
{
    double lowest;
    const double ours = mrwi_retarget_size(x, &x->base, &lowest),
                 theirs = mrwi_retarget_size(x, &x->from, &lowest);
    return x->r->joint_count < 2 || (ours > 0 && theirs > 1e-9 * ours);
}

static mrw_status relate(mrwi_retarget_relation *x, mrw_clip_match *report, mrw_error *error)
{
    mrwi_retarget_adapter *r = x->r;
    mrw_status status = MRW_OK;
    count_joints(x);
    find_between(&x->base);
    find_between(&x->from);
    const bool shaped = has_shape(x);
    if (r->joint_count > 0) {
        x->grounded = bound_joints(x) == 0;
        x->doubtful = x->grounded && mrwi_retarget_begins_with_a_clip(x);
        x->unknown = x->doubtful && mrwi_retarget_same_axes(x);
        if (!x->unknown) {
            mrwi_retarget_find_facing(x);
        }
        status = compare_rests(x, error);
        if (status) {
            return status;
        }
        mrwi_retarget_find_hips(x);
        mrwi_retarget_find_ratio(x);
    }
    for (uint32_t j = 0; j < r->joint_count; j++) {
        if (!shaped) {
            r->joints[j].as_filed = true;
            x->degrees[j] = 0;
            continue;
        }
        status = relate_joint(x, j, error);
        if (status) {
            return status;
        }
    }
    status = list_dependents(r, error);
    if (status) {
        return status;
    }
    return mrwi_retarget_report(x, report, error);
}

static mrw_status make_relation(const mrwi_retarget_adapter_def *def, mrwi_retarget_relation *x,
                                mrw_error *error)
{
    const size_t count = def->from->scene->nodes_count;
    mrw_status status = make_side(def->base, &x->base, error);
    if (status) {
        return status;
    }
    status = make_side(def->from, &x->from, error);
    if (status) {
        return status;
    }
    x->joint_above = mrwi_base_alloc(count, sizeof *x->joint_above);
    x->change = mrwi_base_alloc(count, sizeof *x->change);
    x->degrees = mrwi_base_alloc_zero(count, sizeof *x->degrees);
    x->below = mrwi_base_alloc(count, sizeof *x->below);
    x->paths = mrwi_base_alloc_zero(count, 1);
    x->carried = mrwi_base_alloc_zero(count, 1);
    if (!x->joint_above || !x->change || !x->degrees || !x->below || !x->paths || !x->carried) {
        return mrwi_base_fail_memory(error, count * sizeof *x->change);
    }
    status = find_joints(x, error);
    if (status) {
        return status;
    }
    find_stops(x);
    return MRW_OK;
}

static void free_relation(mrwi_retarget_relation *x)
{
    free_side(&x->base);
    free_side(&x->from);
    mrwi_base_free(x->joint_above);
    mrwi_base_free(x->change);
    mrwi_base_free(x->degrees);
    mrwi_base_free(x->below);
    mrwi_base_free(x->paths);
    mrwi_base_free(x->carried);
}

mrw_status mrwi_retarget_adapter_create(const mrwi_retarget_adapter_def *def,
                                        mrwi_retarget_adapter *out, mrw_clip_match *report,
                                        mrw_error *error)
{
    const mrw_scene *from = def->from->scene;
    *out = (mrwi_retarget_adapter){.def = *def};
    out->keys_left = 1000000 + 64 * (uint64_t)from->key_times_count;
    out->steps_left = 3000000 + 64 * (uint64_t)from->key_times_count;
    mrwi_retarget_relation x = {.r = out, .facing = {0, 0, 0, 1}, .ratio = 1};
    mrw_status status = make_relation(def, &x, error);
    if (status) {
        goto out;
    }
    status = relate(&x, report, error);
    if (status) {
        goto out;
    }
    out->channels = mrwi_base_alloc_zero(from->nodes_count, sizeof *out->channels);
    out->done = mrwi_base_alloc_zero(out->joint_count, sizeof *out->done);
    out->curves = mrwi_base_alloc(3 * (size_t)out->joint_count, sizeof *out->curves);
    if (!out->channels || !out->done || !out->curves) {
        status = mrwi_base_fail_memory(error, from->nodes_count * sizeof *out->channels);
        goto out;
    }
    out->between = x.from.between;
    out->between_rotation = x.from.turned;
    x.from.between = NULL;
    x.from.turned = NULL;
out:
    free_relation(&x);
    if (status) {
        mrwi_retarget_adapter_free(out);
    }
    return status;
}

void mrwi_retarget_adapter_free(mrwi_retarget_adapter *r)
{
    mrwi_base_free(r->joints);
    mrwi_base_free(r->joint_of);
    mrwi_base_free(r->folded);
    mrwi_base_free(r->steps);
    mrwi_base_free(r->between);
    mrwi_base_free(r->between_rotation);
    mrwi_base_free(r->first_dependent);
    mrwi_base_free(r->dependents);
    mrwi_base_free(r->channels);
    mrwi_base_free(r->done);
    mrwi_base_free(r->curves);
    mrwi_base_arena_free(&r->arena);
    *r = (mrwi_retarget_adapter){0};
}
