/* align.c: turns the model's rest into the pose of the file's rest, bone by bone. */
#include "retarget/humanoid.h"
#include "retarget/relation.h"

#include "base/text.h"

#include <string.h>

/* Rests are aligned if limbs of two human figures differ by more than this, in degrees. */
#define MOST_APART 25.0

/* Bones shorter than this share of the rig have no direction. */
#define SHORTEST 0.01

/* Largest number of children of a joint that count. */
#define MAX_CHILDREN 16

/* Cosine of 20 degrees. If all bones of a joint are closer to one line, they do not fix its
 * twist. */
#define ONE_DIRECTION 0.93969262

/* ---- turns between directions ---------------------------------------------------------------- */

/* Makes v a unit vector. Returns false if it was not longer than `shortest`. */
static bool make_unit(double v[3], double shortest)
{
    const double length = sqrt(mrwi_base_dot3d(v, v));
    for (int k = 0; k < 3; k++) {
        v[k] /= length > 0 ? length : 1;
    }
    return length > shortest;
}

/* Finds the shortest turn from one unit vector to another. */
static void turn_between(const double from[3], const double to[3], double out[4])
{
    const double dot = mrwi_base_dot3d(from, to);
    mrwi_base_cross3d(from, to, out);
    out[3] = 1 + dot;
    if (dot < -0.9999999) { /* half a turn, about any perpendicular axis */
        const int axis = fabs(from[0]) < 0.6 ? 0 : 1;
        const double any[3] = {axis == 0, axis == 1, 0};
        mrwi_base_cross3d(from, any, out);
        out[3] = 0;
    }
    mrwi_retarget_quat_unit(out);
}

/* Diagonalises a symmetric matrix by Jacobi rotations. Their product becomes the columns of v. */
static void diagonalise(double a[4][4], double v[4][4])
{
    for (int i = 0; i < 16; i++) {
        v[i / 4][i % 4] = i / 4 == i % 4;
    }
    for (int i = 0; i < 12 * 16; i++) {
        const int p = i % 16 / 4, q = i % 4;
        if (p >= q || a[p][q] == 0) {
            continue;
        }
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double root = sqrt(theta * theta + 1);
        const double t = theta >= 0 ? 1 / (theta + root) : 1 / (theta - root);
        const double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 4; k++) {
            const double x = a[k][p], y = a[k][q];
            a[k][p] = c * x - s * y;
            a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 4; k++) {
            const double x = a[p][k], y = a[q][k], in_v = v[k][p];
            a[p][k] = c * x - s * y;
            a[q][k] = s * x + c * y;
            v[k][p] = c * in_v - s * v[k][q];
            v[k][q] = s * in_v + c * v[k][q];
        }
    }
}

/* Finds the turn that takes several directions as close as possible to others, by least squares:
 * Wahba's problem, by Davenport's q-method (Horn, "Closed-form solution of absolute orientation
 * using unit quaternions", 1987). */
static void best_turn(double (*from)[3], double (*to)[3], uint32_t count, double out[4])
{
    double b[3][3] = {{0}}, k[4][4], v[4][4];
    for (uint32_t i = 0; i < count; i++) {
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                b[r][c] += to[i][r] * from[i][c];
            }
        }
    }
    const double trace = b[0][0] + b[1][1] + b[2][2];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            k[r][c] = b[r][c] + b[c][r] - (r == c ? trace : 0);
        }
    }
    k[0][3] = k[3][0] = b[2][1] - b[1][2];
    k[1][3] = k[3][1] = b[0][2] - b[2][0];
    k[2][3] = k[3][2] = b[1][0] - b[0][1];
    k[3][3] = trace;
    diagonalise(k, v);
    int best = 3; /* the smallest turn, if several are equally good */
    for (int i = 0; i < 3; i++) {
        best = k[i][i] > k[best][best] ? i : best;
    }
    for (int i = 0; i < 4; i++) {
        out[i] = v[i][best];
    }
    mrwi_retarget_quat_unit(out);
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* The bones from a joint to the next ones, in the model and in the file. */
typedef struct bones {
    double ours[MAX_CHILDREN][3], theirs[MAX_CHILDREN][3];
    uint32_t count;
} bones;

static void add_bone(const mrwi_retarget_relation *x, const mrwi_retarget_joint *joint,
                     const mrwi_retarget_joint *child, const double shortest[2], bones *out)
{
    double *ours = out->ours[out->count], *theirs = out->theirs[out->count];
    for (int k = 0; k < 3; k++) {
        ours[k] = mrwi_retarget_place(&x->base, child->base)[k] -
                  mrwi_retarget_place(&x->base, joint->base)[k];
        theirs[k] = mrwi_retarget_place(&x->from, child->node)[k] -
                    mrwi_retarget_place(&x->from, joint->node)[k];
    }
    const bool has_ours = make_unit(ours, shortest[0]), has_theirs = make_unit(theirs, shortest[1]);
    out->count += has_ours && has_theirs;
}

/* Finds the mean of directions near one line, on the side of the first one. */
static void mean_of(double (*directions)[3], uint32_t count, double out[3])
{
    memcpy(out, directions[0], 3 * sizeof *out);
    for (uint32_t i = 1; i < count; i++) {
        const double sign = mrwi_base_dot3d(directions[0], directions[i]) < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++) {
            out[k] += sign * directions[i][k];
        }
    }
    make_unit(out, 0);
}

static bool spreads(double (*directions)[3], uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (fabs(mrwi_base_dot3d(directions[0], directions[i])) < ONE_DIRECTION) {
            return true;
        }
    }
    return false;
}

/* Finds the turn of a joint of the model, on top of the turn of the joint above. */
static void turn_of(bones *b, const double above[4], double out[4])
{
    const mrwi_retarget_affine turn =
        mrwi_retarget_affine_of((const double[3]){0, 0, 0}, above, (const double[3]){1, 1, 1});
    memcpy(out, MRWI_RETARGET_NO_TURN, 4 * sizeof *out);
    for (uint32_t i = 0; i < b->count; i++) {
        mrwi_retarget_affine_vector(&turn, b->ours[i], b->ours[i]);
    }
    if (b->count > 1 && spreads(b->ours, b->count) && spreads(b->theirs, b->count)) {
        best_turn(b->ours, b->theirs, b->count, out);
    } else if (b->count > 0) {
        double ours[3], theirs[3];
        mean_of(b->ours, b->count, ours);
        mean_of(b->theirs, b->count, theirs);
        turn_between(ours, theirs, out);
    }
}

/* The joints below each joint of the model, as lists. */
typedef struct family {
    uint32_t *first, *next; /* per joint: first child, next sibling; MRW_NONE ends a list */
    double (*turn)[4];      /* per node of the model: its turn, with those of all nodes above it */
    mrwi_retarget_affine *moved;
} family;

static void list_children(const mrwi_retarget_relation *x, family *f)
{
    const mrwi_retarget_joint_map *map = x->map;
    memset(f->first, 0xff, map->joint_count * sizeof *f->first); /* MRW_NONE */
    for (uint32_t j = map->joint_count; j-- > 0;) {
        const uint32_t above = x->base.above[map->joints[j].base];
        f->next[j] = MRW_NONE;
        if (above != MRW_NONE) {
            const uint32_t parent = map->joint_of[x->base.stop[above]];
            f->next[j] = f->first[parent];
            f->first[parent] = j;
        }
    }
}

/* Turns one node of the model, with everything above it already turned. */
static void turn_node(mrwi_retarget_relation *x, family *f, uint32_t node, const double shortest[2])
{
    const uint32_t parent = x->base.rig->scene->nodes[node].parent, stop = x->base.stop[node];
    double own[4] = {0, 0, 0, 1}, place[3];
    memcpy(f->turn[node], MRWI_RETARGET_NO_TURN, sizeof f->turn[node]);
    f->moved[node] = mrwi_retarget_affine_identity();
    if (parent != MRW_NONE) {
        memcpy(f->turn[node], f->turn[parent], sizeof f->turn[node]);
        f->moved[node] = f->moved[parent];
    }
    if (stop != MRW_NONE) {
        const uint32_t j = x->map->joint_of[stop];
        bones b = {.count = 0};
        for (uint32_t c = f->first[j]; c != MRW_NONE && b.count < MAX_CHILDREN; c = f->next[c]) {
            add_bone(x, &x->map->joints[j], &x->map->joints[c], shortest, &b);
        }
        turn_of(&b, f->turn[node], own);
        mrwi_retarget_quat_mul(own, f->turn[node], f->turn[node]);
        mrwi_retarget_quat_unit(f->turn[node]);
        x->turns.aligned += mrwi_retarget_quat_degrees(f->turn[node]) > MRWI_RETARGET_SAME_DEGREES;
        /* The node turns about its own place. */
        const double *old = mrwi_retarget_place(&x->base, node);
        mrwi_retarget_affine_point(&f->moved[node], old, place);
        f->moved[node] = mrwi_retarget_affine_of((const double[3]){0, 0, 0}, f->turn[node],
                                                 (const double[3]){1, 1, 1});
        mrwi_retarget_affine_vector(&f->moved[node], old, own);
        for (int k = 0; k < 3; k++) {
            f->moved[node].m[9 + k] = place[k] - own[k];
        }
    }
}

static void turn_all(mrwi_retarget_relation *x, family *f)
{
    const uint32_t count = x->base.rig->scene->nodes_count;
    double lowest;
    const double shortest[2] = {SHORTEST * mrwi_retarget_size(x, &x->base, &lowest),
                                SHORTEST * mrwi_retarget_size(x, &x->from, &lowest)};
    list_children(x, f);
    for (uint32_t i = 0; i < count; i++) {
        turn_node(x, f, i, shortest);
    }
    for (uint32_t i = 0; i < count; i++) {
        x->base.rest.world[i] = mrwi_retarget_affine_mul(&f->moved[i], &x->base.rest.world[i]);
        mrwi_retarget_quat_mul(f->turn[i], x->base.rest.rotation[i], x->base.rest.rotation[i]);
    }
}

mrw_status mrwi_retarget_align(mrwi_retarget_relation *x, mrw_error *error)
{
    const size_t count = x->base.rig->scene->nodes_count;
    family f = {mrwi_base_alloc(x->map->joint_count, sizeof *f.first),
                mrwi_base_alloc(x->map->joint_count, sizeof *f.next),
                mrwi_base_alloc(count, sizeof *f.turn), mrwi_base_alloc(count, sizeof *f.moved)};
    mrw_status status = MRW_OK;
    if (f.first && f.next && f.turn && f.moved) {
        turn_all(x, &f);
    } else {
        status = mrwi_base_fail_memory(error, count * sizeof *f.moved);
    }
    mrwi_base_free(f.first);
    mrwi_base_free(f.next);
    mrwi_base_free(f.turn);
    mrwi_base_free(f.moved);
    return status;
}

/* ---- whether it is called for ---------------------------------------------------------------- */

/* Returns the degrees between the directions of a bone in the model and in the file; 0 if one has
 * no direction. */
static double degrees_apart(const mrwi_retarget_relation *x, uint32_t node, uint32_t end)
{
    static const double any[2] = {0, 0};
    bones b = {.count = 0};
    const uint32_t *joint_of = x->map->joint_of;
    if (node != MRW_NONE && end != MRW_NONE && x->base.stop[node] != MRW_NONE &&
        x->base.stop[end] != MRW_NONE) {
        add_bone(x, &x->map->joints[joint_of[x->base.stop[node]]],
                 &x->map->joints[joint_of[x->base.stop[end]]], any, &b);
    }
    if (b.count == 0) {
        return 0;
    }
    double turn[4];
    turn_between(b.ours[0], b.theirs[0], turn);
    return mrwi_retarget_quat_degrees(turn);
}

bool mrwi_retarget_needs_aligning(const mrwi_retarget_relation *x)
{
    static const uint32_t limbs[4] = {MRWI_RETARGET_UPPER_ARM, MRWI_RETARGET_FOREARM,
                                      MRWI_RETARGET_THIGH, MRWI_RETARGET_SHIN};
    mrwi_retarget_humanoid figure;
    uint32_t found = 0;
    bool apart = false;
    mrwi_retarget_humanoid_find(x->base.rig, &figure);
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t bone = limbs[i / 2] + i % 2;
        const uint32_t node = figure.bones[bone], end = figure.bones[bone + 2];
        found += node != MRW_NONE && x->base.stop[node] != MRW_NONE;
        apart = apart || degrees_apart(x, node, end) > MOST_APART;
    }
    return found >= 6 && apart;
}
