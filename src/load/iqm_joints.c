/* iqm_joints.c: joints, the skin and clips of an IQM file. */
#include "base/text.h"
#include "load/iqm.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Channels of a pose: translation, rotation, scale. */
#define CHANNELS 10

/* Frames per second if a clip does not say. */
#define USUAL_RATE 25.0

#define ANIM_LOOP 1u

/* ---- joints ---------------------------------------------------------------------------------- */

/* The inverse of a joint's own transform, or of that and all above it: an affine matrix by
 * columns. */
typedef struct affine {
    double c[4][3];
} affine;

/* Inverts T R S as 1/S R' 1/T. A scale of zero counts as one, so that vertices bound to such a
 * joint have some place. */
static affine inverse_of(const mrw_transform *t)
{
    double q[4], length = 0.0;
    for (int i = 0; i < 4; i++) {
        length += (double)t->rotation[i] * (double)t->rotation[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 4; i++) {
        q[i] = length > 0.0 ? (double)t->rotation[i] / length : i == 3;
    }
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double columns[3][3] = {
        {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)},
        {2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)},
        {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)}};
    affine out;
    for (int r = 0; r < 3; r++) {
        const double scale = t->scale[r] == 0.0f ? 1.0 : (double)t->scale[r];
        double moved = 0.0;
        for (int c = 0; c < 3; c++) {
            out.c[c][r] = columns[r][c] / scale;
            moved += out.c[c][r] * (double)t->translation[c];
        }
        out.c[3][r] = -moved;
    }
    return out;
}

static affine product(const affine *a, const affine *b)
{
    affine out;
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 3; r++) {
            out.c[c][r] = a->c[0][r] * b->c[c][0] + a->c[1][r] * b->c[c][1] +
                          a->c[2][r] * b->c[c][2] + (c == 3 ? a->c[3][r] : 0.0);
        }
    }
    return out;
}

typedef struct joint {
    uint32_t parent; /* MRW_NONE for a root */
    bool bound;      /* true if `inverse` is complete, or will be */
    mrw_transform rest;
    affine inverse; /* geometry to joint */
} joint;

/* Finds the unknown inverses of joint i and the joints above it. A parent may come after its child.
 * Joints that are their own ancestors are left to the builder, which refuses them. */
static void bind(joint *joints, uint32_t *chain, uint32_t i)
{
    uint32_t length = 0;
    for (; i != MRW_NONE && !joints[i].bound; i = joints[i].parent) {
        joints[i].bound = true;
        joints[i].inverse = inverse_of(&joints[i].rest);
        chain[length++] = i;
    }
    while (length-- > 0) {
        joint *j = &joints[chain[length]];
        if (j->parent != MRW_NONE) {
            j->inverse = product(&j->inverse, &joints[j->parent].inverse);
        }
    }
}

static bool push_skin(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, joint *joints,
                      uint32_t count)
{
    uint32_t skin = 0;
    uint32_t *nodes = mrwi_load_iqm_alloc(load, &load->kept, count, sizeof *nodes);
    mrw_mat4 *matrices = mrwi_load_iqm_alloc(load, &load->kept, count, sizeof *matrices);
    if (load->status) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        bind(joints, nodes, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = i;
        for (int c = 0; c < 4; c++) {
            for (int r = 0; r < 4; r++) {
                const float value = r < 3 ? (float)joints[i].inverse.c[c][r] : c == 3;
                matrices[i].m[4 * c + r] = value;
                if (!isfinite(value)) {
                    return mrwi_load_iqm_fail(
                        load,
                        "joint %" PRIu32 ": its transform is out of range; export the model again",
                        i);
                }
            }
        }
    }
    return mrwi_load_iqm_ok(load, mrwi_scene_builder_skin(load->builder, NULL, nodes,
                                                          file->joints.count > 0 ? matrices : NULL,
                                                          count, &skin, load->error));
}

static bool read_parent(mrwi_load_iqm *load, const uint8_t *at, const char *what, uint32_t index,
                        uint32_t count, uint32_t *out)
{
    const uint32_t parent = mrwi_load_iqm_u32(at);
    *out = parent >> 31 ? MRW_NONE : parent; /* a negative parent stands for none */
    return *out == MRW_NONE || parent < count ||
           mrwi_load_iqm_fail(load,
                              "%s %" PRIu32 ": its parent, %" PRIu32 " of %" PRIu32
                              ", does not exist; export the model again",
                              what, index, parent, count);
}

static bool read_joint(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, uint32_t index,
                       joint *out, const char **name)
{
    const uint8_t *at = file->joints.at + MRWI_LOAD_IQM_JOINT * (size_t)index;
    float *values[] = {out->rest.translation, out->rest.rotation, out->rest.scale};
    const int widths[] = {3, 4, 3};
    *name = mrwi_load_iqm_name(load, file, mrwi_load_iqm_u32(at), "joint", index);
    const uint8_t *next = at + 8;
    for (int p = 0; p < 3; p++) {
        for (int i = 0; i < widths[p]; i++, next += 4) {
            values[p][i] = mrwi_load_iqm_f32(next);
        }
    }
    return *name && read_parent(load, at + 4, "joint", index, file->joints.count, &out->parent);
}

/* ---- poses ----------------------------------------------------------------------------------- */

typedef struct pose {
    uint32_t parent, mask;
    uint32_t first; /* index of its first channel in a frame */
    float offset[CHANNELS], scale[CHANNELS];
} pose;

static const struct {
    mrw_path path;
    int first, width; /* range of its channels in a pose */
} paths[3] = {{MRW_PATH_TRANSLATION, 0, 3}, {MRW_PATH_ROTATION, 3, 4}, {MRW_PATH_SCALE, 7, 3}};

static bool moves(const pose *p, int path)
{
    return (p->mask >> paths[path].first & ((1u << paths[path].width) - 1)) != 0;
}

/* Reads the poses; NULL after a failure. */
static pose *read_poses(mrwi_load_iqm *load, const mrwi_load_iqm_file *file)
{
    uint64_t channels = 0;
    pose *poses = mrwi_load_iqm_alloc(load, &load->kept, file->poses.count, sizeof *poses);
    for (uint32_t i = 0; poses && i < file->poses.count; i++) {
        const uint8_t *at = file->poses.at + MRWI_LOAD_IQM_POSE * (size_t)i;
        pose *p = &poses[i];
        if (!read_parent(load, at, "pose", i, file->poses.count, &p->parent)) {
            return NULL;
        }
        p->mask = mrwi_load_iqm_u32(at + 4);
        p->first = (uint32_t)channels;
        for (int c = 0; c < CHANNELS; c++) {
            p->offset[c] = mrwi_load_iqm_f32(at + 8 + 4 * c);
            p->scale[c] = mrwi_load_iqm_f32(at + 48 + 4 * c);
            channels += p->mask >> c & 1;
        }
    }
    if (poses && channels != file->channel_count) {
        mrwi_load_iqm_fail(load,
                           "its poses have %" PRIu64 " channels, but its frames have %" PRIu32
                           "; export the model again",
                           channels, file->channel_count);
        return NULL;
    }
    return poses;
}

/* Computes a part of a pose in a frame that exists, in our world; without frames, the part that
 * never moves. */
static void pose_at(const mrwi_load_iqm_file *file, const pose *p, uint32_t frame, int path,
                    float *out)
{
    const uint32_t mask = file->frames.at ? p->mask : 0;
    size_t at = 2 * ((size_t)frame * file->channel_count + p->first);
    for (int c = 0; c < paths[path].first; c++) {
        at += 2 * (mask >> c & 1);
    }
    for (int i = 0; i < paths[path].width; i++) {
        const int c = paths[path].first + i;
        double value = (double)p->offset[c];
        if (mask >> c & 1) {
            value += (double)mrwi_load_iqm_u16(file->frames.at + at) * (double)p->scale[c];
            at += 2;
        }
        out[i] = (float)value;
    }
    mrwi_load_iqm_turn(out, paths[path].path == MRW_PATH_SCALE);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool push_node(mrwi_load_iqm *load, const char *name, const joint *j)
{
    uint32_t node = 0;
    const mrwi_scene_node_input in = {.name = name, .parent = j->parent, .rest = j->rest};
    return mrwi_load_iqm_ok(load, mrwi_scene_builder_node(load->builder, &in, &node, load->error));
}

/* Pushes the joints of a model, as they are bound. */
static bool push_bound(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, joint *joints)
{
    bool good = true;
    for (uint32_t i = 0; good && i < file->joints.count; i++) {
        const char *name = NULL;
        joint *j = &joints[i];
        good = read_joint(load, file, i, j, &name);
        if (good) {
            mrwi_load_iqm_turn(j->rest.translation, false);
            mrwi_load_iqm_turn(j->rest.rotation, false);
            mrwi_load_iqm_turn(j->rest.scale, true);
            good = push_node(load, name, j);
        }
    }
    return good;
}

/* Pushes the joints that a file of clips alone moves, without names. */
static bool push_posed(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, joint *joints)
{
    const pose *poses = read_poses(load, file);
    bool good = poses;
    for (uint32_t i = 0; good && i < file->poses.count; i++) {
        joint *j = &joints[i];
        j->parent = poses[i].parent;
        pose_at(file, &poses[i], 0, 0, j->rest.translation);
        pose_at(file, &poses[i], 0, 1, j->rest.rotation);
        pose_at(file, &poses[i], 0, 2, j->rest.scale);
        good = push_node(load, NULL, j);
    }
    return good;
}

bool mrwi_load_iqm_push_joints(mrwi_load_iqm *load, const mrwi_load_iqm_file *file)
{
    const uint32_t count = file->joints.count > 0 ? file->joints.count : file->poses.count;
    if (count == 0) {
        return true;
    }
    joint *joints = mrwi_load_iqm_alloc(load, &load->kept, count, sizeof *joints);
    if (!joints) {
        return false;
    }
    memset(joints, 0, count * sizeof *joints);
    return (file->joints.count > 0 ? push_bound(load, file, joints)
                                   : push_posed(load, file, joints)) &&
           push_skin(load, file, joints, count);
}

/* ---- clips ----------------------------------------------------------------------------------- */

/* A clip, and room for the keys of one channel. */
typedef struct clip {
    uint32_t first, frames;
    bool loops;
    bool closed;   /* true if its first frame is also its last key */
    uint32_t keys; /* number of keys of channels that move */
    double *times;
    double ends[2]; /* the two times of channels that stay, if there are several keys */
    float *values;
} clip;

static bool push_channel(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, const clip *c,
                         const pose *p, uint32_t node, int path)
{
    const bool moving = moves(p, path);
    const int width = paths[path].width;
    const uint32_t keys = moving || c->keys < 2 ? c->keys : 2;
    float ends[8];
    for (uint32_t k = 0; moving && k < keys; k++) {
        const uint32_t frame = k < c->frames ? k : 0;
        pose_at(file, p, c->first + frame, path, c->values + (size_t)width * k);
    }
    for (uint32_t k = 0; !moving && k < keys; k++) {
        pose_at(file, p, c->first, path, ends + (size_t)width * k);
    }
    const uint16_t beyond = moving && c->loops ? MRW_EXTRAPOLATION_REPEAT : MRW_EXTRAPOLATION_HOLD;
    const mrwi_scene_channel_input in = {.node = node,
                                         .before = beyond,
                                         .after = beyond,
                                         .path = paths[path].path,
                                         .interpolation = MRW_INTERPOLATION_LINEAR,
                                         .width = (uint32_t)width,
                                         .key_count = keys,
                                         .times = moving ? c->times : c->ends,
                                         .values = moving ? c->values : ends};
    return mrwi_load_iqm_ok(load, mrwi_scene_builder_channel(load->builder, &in, load->error));
}

/* Takes the size of a clip's channels from the budget, before memory is allocated. */
static bool charge_clip(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, const pose *poses,
                        uint64_t keys, bool *any_moves)
{
    uint64_t moving = 0;
    for (uint32_t i = 0; i < file->poses.count; i++) {
        for (int path = 0; path < 3; path++) {
            moving += moves(&poses[i], path);
        }
    }
    *any_moves = moving > 0;
    const uint64_t still = 3 * (uint64_t)file->poses.count - moving;
    return mrwi_load_iqm_charge(load, still * 2 + moving * keys) &&
           (keys <= UINT32_MAX || mrwi_load_iqm_fail(load, "a clip has too many frames"));
}

static bool read_clip(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, uint32_t index,
                      const char *name, clip *out)
{
    const uint8_t *at = file->anims.at + MRWI_LOAD_IQM_ANIM * (size_t)index;
    char shown[100];
    *out = (clip){.first = mrwi_load_iqm_u32(at + 4), .frames = mrwi_load_iqm_u32(at + 8)};
    if (out->first > file->frames.count || out->frames > file->frames.count - out->first) {
        return mrwi_load_iqm_fail(load,
                                  "clip \"%s\": its frames, %" PRIu32 " from %" PRIu32
                                  " on, do not exist: there are only %" PRIu32
                                  "; export the model again",
                                  mrwi_base_escape(name, shown, sizeof shown), out->frames,
                                  out->first, file->frames.count);
    }
    const size_t row = 2 * (size_t)file->channel_count;
    out->loops = (mrwi_load_iqm_u32(at + 16) & ANIM_LOOP) != 0 && out->frames > 1;
    out->closed = out->loops && file->frames.at &&
                  memcmp(file->frames.at + row * out->first,
                         file->frames.at + row * (out->first + (size_t)out->frames - 1), row) != 0;
    return true;
}

/* Lays out the times of a clip's keys, and room for values. */
static bool lay_out(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, uint32_t index,
                    mrwi_base_arena *scratch, bool any_moves, clip *c)
{
    const float filed = mrwi_load_iqm_f32(file->anims.at + MRWI_LOAD_IQM_ANIM * (size_t)index + 12);
    const double rate = isfinite(filed) && filed > 0.0f ? (double)filed : USUAL_RATE;
    const uint32_t room = any_moves ? c->keys : 0;
    mrwi_base_arena_reset(scratch);
    c->times = mrwi_load_iqm_alloc(load, scratch, room, sizeof *c->times);
    c->values = mrwi_load_iqm_alloc(load, scratch, room, 4 * sizeof *c->values);
    if (load->status) {
        return false;
    }
    for (uint32_t k = 0; k < room; k++) {
        c->times[k] = (double)k / rate;
    }
    c->ends[1] = (double)(c->keys - 1) / rate;
    return true;
}

static bool push_clip(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, uint32_t index,
                      const pose *poses, mrwi_base_arena *scratch)
{
    const uint8_t *at = file->anims.at + MRWI_LOAD_IQM_ANIM * (size_t)index;
    const char *name = mrwi_load_iqm_name(load, file, mrwi_load_iqm_u32(at), "clip", index);
    clip c;
    bool any_moves = false;
    if (!name || !read_clip(load, file, index, name, &c)) {
        return false;
    }
    if (c.frames == 0) {
        char shown[100];
        mrwi_scene_builder_warn(load->builder, "clip \"%s\" has no frames and is ignored",
                                mrwi_base_escape(name, shown, sizeof shown));
        return true;
    }
    const uint64_t keys = (uint64_t)c.frames + c.closed;
    if (!charge_clip(load, file, poses, keys, &any_moves)) {
        return false;
    }
    c.keys = (uint32_t)keys;
    bool good =
        lay_out(load, file, index, scratch, any_moves, &c) &&
        mrwi_load_iqm_ok(load, mrwi_scene_builder_clip(load->builder, name, 0.0, load->error));
    for (uint32_t i = 0; good && i < file->poses.count; i++) {
        for (int path = 0; good && path < 3; path++) {
            good = push_channel(load, file, &c, &poses[i], i, path);
        }
    }
    return good;
}

/* Returns true if the poses belong to these joints: if their number is the same. Clips are kept
 * even if parents differ: poses are relative to the joint's own parent. */
static bool fits(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, const pose *poses)
{
    if (file->joints.count > 0 && file->joints.count != file->poses.count) {
        mrwi_scene_builder_warn(load->builder,
                                "the clips have %" PRIu32 " joints, but the model has %" PRIu32
                                ": the clips are ignored; export both together",
                                file->poses.count, file->joints.count);
        return false;
    }
    for (uint32_t i = 0; i < file->joints.count; i++) {
        uint32_t parent = MRW_NONE;
        if (read_parent(load, file->joints.at + MRWI_LOAD_IQM_JOINT * (size_t)i + 4, "joint", i,
                        file->joints.count, &parent) &&
            parent != poses[i].parent) {
            mrwi_scene_builder_warn(load->builder,
                                    "joint %" PRIu32
                                    " has a different parent in the clips, which are played on the "
                                    "model's hierarchy; export both together",
                                    i);
            break;
        }
    }
    return true;
}

bool mrwi_load_iqm_push_clips(mrwi_load_iqm *load, const mrwi_load_iqm_file *file)
{
    mrwi_base_arena scratch = {0};
    if (file->anims.count == 0) {
        return true;
    }
    const pose *poses = read_poses(load, file);
    bool good = poses;
    const bool played = good && fits(load, file, poses);
    for (uint32_t i = 0; good && played && i < file->anims.count; i++) {
        good = push_clip(load, file, i, poses, &scratch);
    }
    mrwi_base_arena_free(&scratch);
    return good;
}
