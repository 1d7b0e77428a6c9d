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

static bool is_matched(const mrwi_retarget_joint_map *map, uint32_t joint)
{
    return map->def.match[joint] < map->def.base->scene->nodes_count;
}

/* Sets carried to 1 for each node with a moving node between it and the next one above that both
 * rigs have. */
static mrw_status find_carried(const mrwi_retarget_joint_map *map, uint8_t *carried,
                               mrw_error *error)
{
    const mrwi_retarget_rig *rig = map->def.from;
    const mrw_scene *from = rig->scene;
    uint8_t *moving = mrwi_base_alloc_zero(from->nodes_count, 1);
    if (!moving) {
        return mrwi_base_fail_memory(error, from->nodes_count);
    }
    for (uint32_t i = 0; i < from->channels_count; i++) {
        const mrw_channel *channel = &from->channels[i];
        if (channel->path < MRW_PATH_WEIGHTS && !moving[channel->node] &&
            !is_matched(map, mrwi_retarget_rig_joint(rig, channel->node))) {
            moving[channel->node] = !stays(from, channel);
        }
    }
    for (uint32_t i = 0; i < from->nodes_count; i++) {
        const uint32_t parent = from->nodes[i].parent;
        if (parent != MRW_NONE) {
            const uint32_t joint = mrwi_retarget_rig_joint(rig, parent);
            const bool is_own = joint == mrwi_retarget_rig_joint(rig, i);
            carried[i] = moving[parent] || ((is_own || !is_matched(map, joint)) && carried[parent]);
        }
    }
    mrwi_base_free(moving);
    return MRW_OK;
}

/* Finds joints: nodes that clips move, or that nodes only in the file carry. */
static mrw_status find_joints(mrwi_retarget_relation *x, mrw_error *error)
{
    mrwi_retarget_joint_map *map = x->map;
    const mrw_scene *from = map->def.from->scene;
    map->joints = mrwi_base_alloc_zero(from->nodes_count, sizeof *map->joints);
    map->joint_of = mrwi_base_alloc(from->nodes_count, sizeof *map->joint_of);
    if (!map->joints || !map->joint_of) {
        return mrwi_base_fail_memory(error, from->nodes_count * sizeof *map->joints);
    }
    memset(map->joint_of, 0xff, from->nodes_count * sizeof *map->joint_of);
    mrw_status status = find_carried(map, x->nodes.carried, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < from->nodes_count; i++) {
        if (map->def.from->owner[i] == MRW_NONE && is_matched(map, i) &&
            (map->def.from->moves[i] || x->nodes.carried[i])) {
            const uint32_t node = map->def.match[i];
            map->joint_of[i] = map->joint_count;
            map->joints[map->joint_count++] = (mrwi_retarget_joint){.node = i, .base = node};
            x->from.stop[i] = i;
            x->base.stop[node] = i;
        }
    }
    return MRW_OK;
}

/* Finds other nodes that may move, and the paths of each joint that clips move. */
static void find_stops(mrwi_retarget_relation *x)
{
    mrwi_retarget_joint_map *map = x->map;
    const mrw_scene *from = map->def.from->scene;
    for (uint32_t i = 0; i < from->channels_count; i++) {
        const mrw_channel *channel = &from->channels[i];
        if (channel->path < MRW_PATH_WEIGHTS) {
            const uint32_t joint = mrwi_retarget_rig_joint(map->def.from, channel->node);
            if (map->joint_of[joint] != MRW_NONE || !stays(from, channel)) {
                x->from.stop[channel->node] = channel->node;
            }
            x->nodes.paths[joint] |= (uint8_t)(1u << channel->path);
        }
    }
    for (uint32_t i = 0; i < from->nodes_count; i++) {
        const uint32_t owner = map->def.from->owner[i];
        map->joint_of[i] = owner == MRW_NONE ? map->joint_of[i] : map->joint_of[owner];
    }
}

/* Counts joints above and below in the file's tree. */
static void count_joints(const mrwi_retarget_joint_map *map, mrwi_retarget_nodes *out)
{
    const mrw_scene *from = map->def.from->scene;
    for (uint32_t i = 0; i < from->nodes_count; i++) {
        const uint32_t parent = from->nodes[i].parent;
        out->joint_above[i] = parent == MRW_NONE                    ? MRW_NONE
                              : mrwi_retarget_is_joint(map, parent) ? parent
                                                                    : out->joint_above[parent];
        out->below[i] = mrwi_retarget_is_joint(map, i);
    }
    for (uint32_t i = from->nodes_count; i-- > 0;) {
        if (from->nodes[i].parent != MRW_NONE) {
            out->below[from->nodes[i].parent] += out->below[i];
        }
    }
}

static uint32_t bound_joints(const mrwi_retarget_relation *x)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < x->map->joint_count; j++) {
        count += x->from.rest.bound[x->map->joints[j].node];
    }
    return count;
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void find_changes(mrwi_retarget_relation *x)
{
    for (uint32_t j = 0; j < x->map->joint_count; j++) {
        const mrwi_retarget_joint *joint = &x->map->joints[j];
        double *change = x->turns.change[j];
        mrwi_retarget_quat_conjugate(x->from.rest.rotation[joint->node], change);
        mrwi_retarget_quat_mul(change, x->base.rest.rotation[joint->base], change);
        mrwi_retarget_quat_unit(change);
        const double degrees = x->doubts.unknown ? 0 : mrwi_retarget_quat_degrees(change);
        if (degrees <= MRWI_RETARGET_SAME_DEGREES) {
            memcpy(change, MRWI_RETARGET_NO_TURN, 4 * sizeof(double));
        }
        /* aligned rests would give other angles */
        x->turns.degrees[j] = x->turns.aligned > 0 ? x->turns.degrees[j] : degrees;
    }
}

/* Compares the rests, after aligning the model's with the file's if that is wanted. */
static mrw_status compare_rests(mrwi_retarget_relation *x, mrw_error *error)
{
    mrw_status status = MRW_OK;
    find_changes(x);
    if (!x->doubts.unknown &&
        (x->map->def.how == MRW_RETARGET_POSE || mrwi_retarget_needs_aligning(x))) {
        status = mrwi_retarget_align(x, error);
        find_changes(x);
    }
    return status;
}

static mrw_status add_step(mrwi_retarget_steps *steps, uint32_t node, bool back, mrw_error *error)
{
    if (steps->count == steps->room) {
        const uint32_t room = steps->room > 0 ? 2 * steps->room : 64;
        mrwi_retarget_step *list = mrwi_base_realloc(
            steps->list, steps->count * sizeof *steps->list, room, sizeof *steps->list);
        if (!list) {
            return mrwi_base_fail_memory(error, room * sizeof *steps->list);
        }
        steps->list = list;
        steps->room = room;
    }
    steps->list[steps->count++] = (mrwi_retarget_step){node, back};
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

/* Lists the steps of a joint. A joint with too many is played as it is. */
static mrw_status add_steps(const mrwi_retarget_relation *x, mrwi_retarget_joint *joint,
                            mrwi_retarget_steps *steps, mrw_error *error)
{
    uint32_t up[MAX_STEPS], down[MAX_STEPS], up_count, down_count;
    joint->first_step = steps->count;
    if (!find_steps(x, joint, up, &up_count, down, &down_count)) {
        joint->as_filed = true;
        return MRW_OK;
    }
    for (uint32_t i = 0; i < up_count; i++) {
        mrw_status status = add_step(steps, up[i], true, error);
        if (status) {
            return status;
        }
    }
    for (uint32_t i = down_count; i-- > 0;) {
        mrw_status status = add_step(steps, down[i], false, error);
        if (status) {
            return status;
        }
    }
    joint->step_count = steps->count - joint->first_step;
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
        mrwi_retarget_distance(theirs, ours) > MRWI_RETARGET_SAME_LENGTH * x->sizes.height;
    if (x->doubts.grounded && joint->above == MRW_NONE && elsewhere) {
        memset(theirs, 0, 3 * sizeof *theirs);
        ours[1] = x->sizes.floor;
        for (int k = 0; k < 3; k++) {
            ours[k] = fabs(ours[k]) > 0.25 * x->sizes.height ? ours[k] : 0;
        }
    }
}

/* Returns a joint's path: K^-1 (ours + (world to base above) ratio (file above to world) (p -
 * theirs)). */
static mrwi_retarget_affine path_of(const mrwi_retarget_relation *x,
                                    const mrwi_retarget_joint *joint)
{
    const uint32_t above = x->base.above[joint->base];
    double theirs[3], ours[3], moved[3];
    mrwi_retarget_affine way = mrwi_retarget_affine_identity();
    for (int i = 0; i < 9; i++) {
        way.m[i] *= x->sizes.ratio;
    }
    ends_of_way(x, joint, above, theirs, ours);
    if (above != MRW_NONE) {
        const mrwi_retarget_affine back = mrwi_retarget_affine_inverse(&x->base.rest.world[above]);
        way = mrwi_retarget_affine_mul(&way, &x->from.rest.world[joint->above]);
        way = mrwi_retarget_affine_mul(&back, &way);
        mrwi_retarget_affine_vector(&way, theirs, moved);
    } else {
        const mrwi_retarget_affine turn = mrwi_retarget_affine_of(
            (const double[3]){0, 0, 0}, x->facing.turn, (const double[3]){1, 1, 1});
        mrwi_retarget_affine_vector(&way, theirs, moved); /* `theirs` is turned already */
        way = mrwi_retarget_affine_mul(&way, &turn);
    }
    for (int k = 0; k < 3; k++) {
        way.m[9 + k] = ours[k] - moved[k];
    }
    const mrwi_retarget_affine in = mrwi_retarget_affine_inverse(&x->base.between[joint->base]);
    return mrwi_retarget_affine_mul(&in, &way);
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

/* Finds the axes of the file whose scales the axes of base take, and the factors on them. */
static void find_scale(const mrwi_retarget_relation *x, const mrwi_retarget_joint *joint,
                       int axis[3], double scale[3])
{
    const mrwi_retarget_affine turn = mrwi_retarget_affine_of(
        (const double[3]){0, 0, 0}, joint->after, (const double[3]){1, 1, 1});
    double theirs[3];
    scale_at_rest(x->from.rig, joint->node, theirs);
    for (int k = 0; k < 3; k++) {
        const double *column = turn.m + 3 * k;
        axis[k] = 0;
        for (int i = 1; i < 3; i++) {
            axis[k] = fabs(column[i]) > fabs(column[axis[k]]) ? i : axis[k];
        }
        const double own = fabs(theirs[axis[k]]) > 1e-12 ? theirs[axis[k]] : 1;
        scale[k] = (double)x->base.rig->scene->nodes[joint->base].rest.scale[k] / own;
    }
}

/* ---- what stays as it is --------------------------------------------------------------------- */

static bool same_rotations(const mrwi_retarget_relation *x, const mrwi_retarget_joint *joint)
{
    const uint32_t j = x->map->joint_of[joint->node];
    const uint32_t top = top_of(x->from.rig, joint->node), base = top_of(x->base.rig, joint->base);
    const uint32_t above = joint->above == MRW_NONE ? MRW_NONE : x->map->joint_of[joint->above];
    return x->from.above[top] == joint->above && (above != MRW_NONE || !x->facing.is_turned) &&
           memcmp(x->turns.change[j], MRWI_RETARGET_NO_TURN, 4 * sizeof(double)) == 0 &&
           (above == MRW_NONE ||
            memcmp(x->turns.change[above], MRWI_RETARGET_NO_TURN, 4 * sizeof(double)) == 0) &&
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
    const double off = x->doubts.unknown ? fabs(a - b) : mrwi_retarget_distance(theirs, ours);
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

/* Returns true if all channels of a joint can be played as they are. */
static bool plays_as_filed(const mrwi_retarget_relation *x, const mrwi_retarget_joint *joint)
{
    const uint8_t paths = x->nodes.paths[joint->node];
    bool same = joint->same_rotations;
    if (paths & 1u << MRW_PATH_TRANSLATION && !(x->doubts.unknown && x->sizes.ratio == 1)) {
        same = same && (joint->travels ? same_way(x, joint) : same_length(x, joint));
    }
    if (paths & 1u << MRW_PATH_SCALE) {
        same = same && same_scale(x, joint);
    }
    return same;
}

static mrw_status relate_joint(const mrwi_retarget_relation *x, uint32_t j, mrw_error *error)
{
    mrwi_retarget_joint *joint = &x->map->joints[j];
    const uint32_t above = x->base.above[joint->base];
    const uint32_t parent = x->base.rig->scene->nodes[joint->base].parent;
    double back[4];
    joint->above = above == MRW_NONE ? MRW_NONE : x->base.stop[above];
    joint->travels = joint->travels || x->nodes.carried[joint->node];
    memcpy(joint->after, x->turns.change[j], sizeof joint->after);
    memcpy(joint->before, MRWI_RETARGET_NO_TURN, 4 * sizeof(double));
    if (joint->above != MRW_NONE) {
        mrwi_retarget_quat_conjugate(x->turns.change[x->map->joint_of[joint->above]],
                                     joint->before);
    } else {
        memcpy(joint->before, x->facing.turn, sizeof joint->before);
    }
    mrwi_retarget_quat_conjugate(x->base.turned[joint->base], back);
    mrwi_retarget_quat_mul(back, joint->before, joint->before);
    const double unit = parent == MRW_NONE ? 1 : scale_of(&x->base.rest.world[parent]);
    joint->unit = x->sizes.height > 0 ? x->sizes.height / (unit > 0 ? unit : 1) : 1;
    joint->path = path_of(x, joint);
    find_scale(x, joint, joint->axis, joint->scale);
    joint->same_rotations = same_rotations(x, joint);
    joint->as_filed = plays_as_filed(x, joint);
    return joint->as_filed ? MRW_OK : add_steps(x, joint, &x->map->steps, error);
}

/* ---- dependents and folded nodes ------------------------------------------------------------- */

static mrw_status list_dependents(mrwi_retarget_joint_map *map, mrw_error *error)
{
    mrwi_retarget_dependents *to = &map->dependents;
    const size_t nodes = map->def.from->scene->nodes_count;
    to->first = mrwi_base_alloc_zero(nodes + 2, sizeof *to->first);
    to->joints = mrwi_base_alloc(map->steps.count, sizeof *to->joints);
    map->folded = mrwi_base_alloc_zero(nodes, 1);
    if (!to->first || !to->joints || !map->folded) {
        return mrwi_base_fail_memory(error, (nodes + map->steps.count) * 4);
    }
    for (uint32_t i = 0; i < map->steps.count; i++) {
        to->first[map->steps.list[i].node + 2]++;
    }
    for (size_t i = 2; i < nodes + 2; i++) {
        to->first[i] += to->first[i - 1];
    }
    for (uint32_t j = 0; j < map->joint_count; j++) {
        const mrwi_retarget_joint *joint = &map->joints[j];
        for (uint32_t i = 0; i < joint->step_count; i++) {
            const uint32_t node = map->steps.list[joint->first_step + i].node;
            to->joints[to->first[node + 1]++] = j;
            const uint32_t owner = mrwi_retarget_rig_joint(map->def.from, node);
            map->folded[owner] |= map->def.match[owner] == MRW_NONE;
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
    return x->map->joint_count < 2 || (ours > 0 && theirs > 1e-9 * ours);
}

static mrw_status relate(mrwi_retarget_relation *x, mrw_clip_match *report, mrw_error *error)
{
    mrwi_retarget_joint_map *map = x->map;
    mrw_status status = MRW_OK;
    count_joints(map, &x->nodes);
    find_between(&x->base);
    find_between(&x->from);
    const bool shaped = has_shape(x);
    if (map->joint_count > 0) {
        x->doubts.grounded = bound_joints(x) == 0;
        x->doubts.doubtful = x->doubts.grounded && mrwi_retarget_begins_with_a_clip(x);
        x->doubts.unknown = x->doubts.doubtful && mrwi_retarget_same_axes(x);
        if (!x->doubts.unknown) {
            mrwi_retarget_find_facing(x);
        }
        status = compare_rests(x, error);
        if (status) {
            return status;
        }
        x->hips = mrwi_retarget_find_hips(x, map->joints);
        x->sizes = mrwi_retarget_find_sizes(x);
    }
    for (uint32_t j = 0; j < map->joint_count; j++) {
        if (!shaped) {
            map->joints[j].as_filed = true;
            x->turns.degrees[j] = 0;
            continue;
        }
        status = relate_joint(x, j, error);
        if (status) {
            return status;
        }
    }
    status = list_dependents(map, error);
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
    x->nodes.joint_above = mrwi_base_alloc(count, sizeof *x->nodes.joint_above);
    x->turns.change = mrwi_base_alloc(count, sizeof *x->turns.change);
    x->turns.degrees = mrwi_base_alloc_zero(count, sizeof *x->turns.degrees);
    x->nodes.below = mrwi_base_alloc(count, sizeof *x->nodes.below);
    x->nodes.paths = mrwi_base_alloc_zero(count, 1);
    x->nodes.carried = mrwi_base_alloc_zero(count, 1);
    if (!x->nodes.joint_above || !x->turns.change || !x->turns.degrees || !x->nodes.below ||
        !x->nodes.paths || !x->nodes.carried) {
        return mrwi_base_fail_memory(error, count * sizeof *x->turns.change);
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
    mrwi_base_free(x->nodes.joint_above);
    mrwi_base_free(x->turns.change);
    mrwi_base_free(x->turns.degrees);
    mrwi_base_free(x->nodes.below);
    mrwi_base_free(x->nodes.paths);
    mrwi_base_free(x->nodes.carried);
}

mrw_status mrwi_retarget_adapter_create(const mrwi_retarget_adapter_def *def,
                                        mrwi_retarget_adapter *out, mrw_clip_match *report,
                                        mrw_error *error)
{
    const mrw_scene *from = def->from->scene;
    *out = (mrwi_retarget_adapter){.map = {.def = *def}};
    out->keys_left = 1000000 + 64 * (uint64_t)from->key_times_count;
    out->steps_left = 3000000 + 64 * (uint64_t)from->key_times_count;
    mrwi_retarget_relation x = {
        .map = &out->map, .sizes = {.ratio = 1}, .facing = {.turn = {0, 0, 0, 1}}};
    mrw_status status = make_relation(def, &x, error);
    if (status) {
        goto out;
    }
    status = relate(&x, report, error);
    if (status) {
        goto out;
    }
    out->channels = mrwi_base_alloc_zero(from->nodes_count, sizeof *out->channels);
    out->done = mrwi_base_alloc_zero(out->map.joint_count, sizeof *out->done);
    out->curves = mrwi_base_alloc(3 * (size_t)out->map.joint_count, sizeof *out->curves);
    if (!out->channels || !out->done || !out->curves) {
        status = mrwi_base_fail_memory(error, from->nodes_count * sizeof *out->channels);
        goto out;
    }
    out->map.between = x.from.between;
    out->map.between_rotation = x.from.turned;
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
    mrwi_base_free(r->map.joints);
    mrwi_base_free(r->map.joint_of);
    mrwi_base_free(r->map.folded);
    mrwi_base_free(r->map.steps.list);
    mrwi_base_free(r->map.between);
    mrwi_base_free(r->map.between_rotation);
    mrwi_base_free(r->map.dependents.first);
    mrwi_base_free(r->map.dependents.joints);
    mrwi_base_free(r->channels);
    mrwi_base_free(r->done);
    mrwi_base_free(r->curves);
    mrwi_base_arena_free(&r->arena);
    *r = (mrwi_retarget_adapter){0};
}
