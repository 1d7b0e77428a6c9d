/* rest_checks.c: detects files without a rest pose, and rigs that face another way. */
#include "retarget/relation.h"

#include <string.h>

/* Least number of joints to decide that a file rests as one of its clips begins. */
#define MIN_WITNESSES 8

/* ---- rests that are none --------------------------------------------------------------------- */

/* Finds the place of a joint in the joint above it. */
static void offset_in(const mrwi_retarget_relation *x, const mrwi_retarget_side *s, uint32_t joint,
                      uint32_t above, double out[3])
{
    const uint32_t child = mrwi_retarget_node(s, &x->map->joints[joint], x);
    const uint32_t parent = mrwi_retarget_node(s, &x->map->joints[x->map->joint_of[above]], x);
    double back[4];
    mrwi_retarget_quat_conjugate(s->rest.rotation[parent], back);
    const mrwi_retarget_affine turn =
        mrwi_retarget_affine_of((const double[3]){0, 0, 0}, back, (const double[3]){1, 1, 1});
    for (int k = 0; k < 3; k++) {
        out[k] = mrwi_retarget_place(s, child)[k] - mrwi_retarget_place(s, parent)[k];
    }
    mrwi_retarget_affine_vector(&turn, out, out);
}

/* Counts bones that have the same direction in their joints, within 10 degrees. */
bool mrwi_retarget_same_axes(const mrwi_retarget_relation *x)
{
    uint32_t asked = 0, same = 0;
    double lowest;
    const double size = mrwi_retarget_size(x, &x->base, &lowest),
                 other = mrwi_retarget_size(x, &x->from, &lowest);
    for (uint32_t j = 0; j < x->map->joint_count; j++) {
        const uint32_t above = x->nodes.joint_above[x->map->joints[j].node];
        double a[3], b[3];
        if (above == MRW_NONE) {
            continue;
        }
        offset_in(x, &x->base, j, above, a);
        offset_in(x, &x->from, j, above, b);
        const double of_a = sqrt(mrwi_base_dot3d(a, a)), of_b = sqrt(mrwi_base_dot3d(b, b));
        if (of_a > 0.01 * size && of_b > 0.01 * other) {
            asked++;
            same += mrwi_base_dot3d(a, b) >= 0.984807753 * of_a * of_b;
        }
    }
    return asked >= 3 && same >= asked - asked / 5;
}

/* Compares first keys with the rotations of the file's nodes. */
bool mrwi_retarget_begins_with_a_clip(const mrwi_retarget_relation *x)
{
    const mrw_scene *from = x->map->def.from->scene;
    for (uint32_t i = 0; i < from->clips_count; i++) {
        const mrw_clip *clip = &from->clips[i];
        uint32_t asked = 0, same = 0;
        for (uint32_t c = clip->first_channel; c < clip->first_channel + clip->channel_count; c++) {
            const mrw_channel *channel = &from->channels[c];
            if (channel->path != MRW_PATH_ROTATION ||
                !mrwi_retarget_is_joint(x->map, channel->node)) {
                continue;
            }
            const bool cubic = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
            double dot = 0;
            for (int k = 0; k < 4; k++) {
                dot +=
                    (double)
                        from->key_values[channel->first_value + (cubic ? 4u : 0u) + (uint32_t)k] *
                    (double)from->nodes[channel->node].rest.rotation[k];
            }
            asked++;
            same += fabs(dot) > 0.9999996; /* a tenth of a degree */
        }
        if (asked >= MIN_WITNESSES && same >= asked - asked / 10) {
            return true;
        }
    }
    return false;
}

/* ---- which way the rigs face ----------------------------------------------------------------- */

/* Least number of joints to decide which way a rig faces. */
#define MIN_FACING 8

static void centre_of(const mrwi_retarget_relation *x, const mrwi_retarget_side *s, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t j = 0; j < x->map->joint_count; j++) {
        for (int k = 0; k < 3; k++) {
            out[k] += mrwi_retarget_place(s, mrwi_retarget_node(s, &x->map->joints[j], x))[k] /
                      x->map->joint_count;
        }
    }
}

/* Returns the cosine between the two shapes, as vectors of all places relative to their centres.
 * The file's axes are taken in this order and with these signs. */
static double likeness(const mrwi_retarget_relation *x, const int order[3], const double sign[3])
{
    double ours[3], theirs[3], dot = 0, of_ours = 0, of_theirs = 0;
    centre_of(x, &x->base, ours);
    centre_of(x, &x->from, theirs);
    for (uint32_t j = 0; j < x->map->joint_count; j++) {
        for (int k = 0; k < 3; k++) {
            const double a = mrwi_retarget_place(&x->base, x->map->joints[j].base)[k] - ours[k];
            const double b =
                sign[k] * (mrwi_retarget_place(&x->from, x->map->joints[j].node)[order[k]] -
                           theirs[order[k]]);
            dot += a * b;
            of_ours += a * a;
            of_theirs += b * b;
        }
    }
    return of_ours > 0 && of_theirs > 0 ? dot / sqrt(of_ours * of_theirs) : 0;
}

/* Finds which of the 24 turns by right angles puts the file's joints where the model's are: some
 * figures look along z, some along x, some lie on their backs. The turn must fit four times as well
 * as no turn, and twenty times if the two are close: a figure is nearly the same from behind, and
 * other poses differ more. */
void mrwi_retarget_find_facing(mrwi_retarget_relation *x)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}; /* the last three are odd */
    static const double plain[3] = {1, 1, 1};
    const double off = 1 - likeness(x, orders[0], plain);
    double best = 1 - (off > 0.03 ? off / 4 : off > 0.001 ? off / 20 : 0);
    mrwi_retarget_affine turn = mrwi_retarget_affine_identity();
    for (int i = 0; i < 48 && off > 0.001 && x->map->joint_count >= MIN_FACING; i++) {
        const int *order = orders[i / 8];
        const double sign[3] = {i & 1 ? -1 : 1, i & 2 ? -1 : 1, i & 4 ? -1 : 1};
        const bool turns = (sign[0] * sign[1] * sign[2] > 0) == (i / 8 < 3);
        const double like = turns ? likeness(x, order, sign) : 0;
        if (like > best) {
            best = like;
            memset(&turn, 0, sizeof turn);
            for (int k = 0; k < 3; k++) {
                turn.m[3 * order[k] + k] = sign[k];
            }
            x->facing.is_turned = true;
        }
    }
    memcpy(x->facing.turn, MRWI_RETARGET_NO_TURN, 4 * sizeof(double));
    if (!x->facing.is_turned) {
        return;
    }
    mrwi_retarget_rotation_of(&turn, x->facing.turn);
    for (uint32_t i = 0; i < x->from.rig->scene->nodes_count; i++) {
        x->from.rest.world[i] = mrwi_retarget_affine_mul(&turn, &x->from.rest.world[i]);
        mrwi_retarget_quat_mul(x->facing.turn, x->from.rest.rotation[i], x->from.rest.rotation[i]);
    }
}
