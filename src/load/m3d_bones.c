/* m3d_bones.c: bones and clips of an M3D file. */
#include "base/math.h"
#include "base/text.h"
#include "load/m3d.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- bones ----------------------------------------------------------------------------------- */

/* Computes S m S for the S that mirrors z: every entry with exactly one index z changes sign. */
static void mirror_matrix(mrw_mat4 *m)
{
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            if ((c == 2) != (r == 2)) {
                m->m[4 * c + r] = -m->m[4 * c + r];
            }
        }
    }
}

static bool read_offsets(mrwi_load_m3d_cursor *c, uint32_t count, mrw_mat4 *offsets)
{
    bool good = mrwi_load_m3d_section(c, "BoneOffsets");
    for (uint32_t i = 0; good && i < count; i++) {
        good = mrwi_load_m3d_expect_numbered(c, "BoneOffset", i, "") &&
               mrwi_load_m3d_floats(c, 16, offsets[i].m);
        mirror_matrix(&offsets[i]);
    }
    return good;
}

static bool read_parent(mrwi_load_m3d_cursor *c, uint32_t count, uint32_t *out)
{
    if (mrwi_load_m3d_next_is(c, "-1")) {
        *out = MRW_NONE;
        return mrwi_load_m3d_expect(c, "-1");
    }
    return mrwi_load_m3d_uint(c, count - 1, out);
}

static bool read_hierarchy(mrwi_load_m3d_cursor *c, uint32_t count, uint32_t *parents)
{
    bool good = mrwi_load_m3d_section(c, "BoneHierarchy");
    for (uint32_t i = 0; good && i < count; i++) {
        good = mrwi_load_m3d_expect_numbered(c, "ParentIndexOfBone", i, ":") &&
               read_parent(c, count, &parents[i]);
    }
    return good;
}

/* Inverts an affine matrix in double, by cofactors. Returns false if it has no inverse. */
static bool invert(const mrw_mat4 *in, double out[16])
{
    double a[16];
    for (int i = 0; i < 16; i++) {
        a[i] = (double)in->m[i];
    }
    double cofactor[9];
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            int c1 = (c + 1) % 3, c2 = (c + 2) % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3;
            cofactor[3 * c + r] = a[4 * c1 + r1] * a[4 * c2 + r2] - a[4 * c2 + r1] * a[4 * c1 + r2];
        }
    }
    double det = a[0] * cofactor[0] + a[1] * cofactor[1] + a[2] * cofactor[2];
    if (!(fabs(det) > 1e-30)) {
        return false;
    }
    memset(out, 0, 16 * sizeof *out);
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            out[4 * c + r] = cofactor[3 * r + c] / det;
        }
    }
    for (int r = 0; r < 3; r++) {
        out[12 + r] = -(out[r] * a[12] + out[4 + r] * a[13] + out[8 + r] * a[14]);
    }
    out[15] = 1.0;
    return true;
}

/* Finds the rest of a bone. At rest a bone stands where its offset undoes it: joint_to_parent =
 * parent's offset times the inverse of its own. */
static bool rest_of(const mrw_mat4 *parent_offset, const mrw_mat4 *offset, mrw_mat4 *out)
{
    double inverse[16];
    if (!invert(offset, inverse)) {
        return false;
    }
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++) {
                double p = parent_offset ? (double)parent_offset->m[4 * k + r] : k == r;
                sum += p * inverse[4 * c + k];
            }
            out->m[4 * c + r] = (float)sum;
            if (!isfinite(out->m[4 * c + r])) {
                return false;
            }
        }
    }
    return true;
}

static bool push_bone(mrwi_load_m3d_cursor *c, uint32_t bone, const uint32_t *parents,
                      const mrw_mat4 *offsets, mrwi_scene_builder *builder)
{
    char name[32];
    snprintf(name, sizeof name, "Bone%" PRIu32, bone);
    mrwi_scene_node_input in = {.name = name, .parent = parents[bone], .is_matrix = true};
    const mrw_mat4 *parent = in.parent != MRW_NONE ? &offsets[in.parent] : NULL;
    if (!rest_of(parent, &offsets[bone], &in.matrix)) {
        mrwi_scene_builder_warn(
            builder, "BoneOffset%" PRIu32 " has no inverse: the bone rests at its parent", bone);
        in.matrix = mrwi_base_mat4_identity();
    }
    uint32_t node = 0;
    return mrwi_load_m3d_ok(c, mrwi_scene_builder_node(builder, &in, &node, c->error));
}

static bool push_skin(mrwi_load_m3d_cursor *c, uint32_t count, const mrw_mat4 *offsets,
                      mrwi_scene_builder *builder, mrwi_base_arena *kept)
{
    uint32_t skin = 0, *nodes = mrwi_load_m3d_keep(c, kept, count, sizeof *nodes);
    for (uint32_t i = 0; nodes && i < count; i++) {
        nodes[i] = i;
    }
    return nodes && mrwi_load_m3d_ok(c, mrwi_scene_builder_skin(builder, NULL, nodes, offsets,
                                                                count, &skin, c->error));
}

bool mrwi_load_m3d_read_bones(mrwi_load_m3d_cursor *c, uint32_t count, mrwi_scene_builder *builder,
                              mrwi_base_arena *kept)
{
    if (count == 0) {
        return true;
    }
    mrw_mat4 *offsets = mrwi_load_m3d_keep(c, kept, count, sizeof *offsets);
    uint32_t *parents = mrwi_load_m3d_keep(c, kept, count, sizeof *parents);
    if (c->status || !mrwi_load_m3d_charge(c, count) || !read_offsets(c, count, offsets) ||
        !read_hierarchy(c, count, parents)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!push_bone(c, i, parents, offsets, builder)) {
            return false;
        }
    }
    return push_skin(c, count, offsets, builder, kept);
}

/* ---- clips ----------------------------------------------------------------------------------- */

/* Keys of one bone: each has a translation, a scale and a rotation. */
typedef struct keys {
    uint32_t count;
    double *times;
    float *translations, *scales, *rotations;
} keys;

static bool read_key(mrwi_load_m3d_cursor *c, keys *k, uint32_t i)
{
    float *translation = k->translations + 3 * (size_t)i, *rotation = k->rotations + 4 * (size_t)i;
    bool good = mrwi_load_m3d_expect(c, "Time:") && mrwi_load_m3d_double(c, &k->times[i]) &&
                mrwi_load_m3d_expect(c, "Pos:") && mrwi_load_m3d_floats(c, 3, translation) &&
                mrwi_load_m3d_expect(c, "Scale:") &&
                mrwi_load_m3d_floats(c, 3, k->scales + 3 * (size_t)i) &&
                mrwi_load_m3d_expect(c, "Quat:") && mrwi_load_m3d_floats(c, 4, rotation);
    translation[2] = -translation[2];
    rotation[0] = -rotation[0];
    rotation[1] = -rotation[1];
    return good;
}

static bool push_keys(mrwi_load_m3d_cursor *c, const keys *k, uint32_t bone,
                      mrwi_scene_builder *builder)
{
    const struct {
        mrw_path path;
        uint32_t width;
        const float *values;
    } channels[] = {{MRW_PATH_TRANSLATION, 3, k->translations},
                    {MRW_PATH_ROTATION, 4, k->rotations},
                    {MRW_PATH_SCALE, 3, k->scales}};
    bool good = true;
    for (size_t i = 0; good && i < sizeof channels / sizeof *channels; i++) {
        mrwi_scene_channel_input in = {.node = bone,
                                       .path = channels[i].path,
                                       .interpolation = MRW_INTERPOLATION_LINEAR,
                                       .width = channels[i].width,
                                       .key_count = k->count,
                                       .times = k->times,
                                       .values = channels[i].values};
        good = mrwi_load_m3d_ok(c, mrwi_scene_builder_channel(builder, &in, c->error));
    }
    return good;
}

/* The words of a key alone take this many bytes; a whole key takes some sixty. */
#define LEAST_KEY 24

static bool read_bone_keys(mrwi_load_m3d_cursor *c, uint32_t bone, mrwi_scene_builder *builder,
                           mrwi_base_arena *scratch)
{
    keys k = {0};
    if (!mrwi_load_m3d_expect_numbered(c, "Bone", bone, "") ||
        !mrwi_load_m3d_count(c, "#Keyframes:", LEAST_KEY, &k.count) ||
        !mrwi_load_m3d_expect(c, "{") || !mrwi_load_m3d_charge(c, k.count)) {
        return false;
    }
    mrwi_base_arena_reset(scratch);
    k.times = mrwi_base_arena_alloc(scratch, k.count, sizeof *k.times);
    k.translations = mrwi_base_arena_alloc(scratch, k.count, 3 * sizeof *k.translations);
    k.scales = mrwi_base_arena_alloc(scratch, k.count, 3 * sizeof *k.scales);
    k.rotations = mrwi_base_arena_alloc(scratch, k.count, 4 * sizeof *k.rotations);
    if (!k.times || !k.translations || !k.scales || !k.rotations) {
        return mrwi_load_m3d_ok(c, mrwi_base_fail_memory(c->error, 0));
    }
    for (uint32_t i = 0; i < k.count; i++) {
        if (!read_key(c, &k, i)) {
            return false;
        }
    }
    return mrwi_load_m3d_expect(c, "}") && (k.count == 0 || push_keys(c, &k, bone, builder));
}

/* Reads a clip. The book plays it from time 0 and holds the first and the last key outside of
 * it. */
static bool read_clip(mrwi_load_m3d_cursor *c, uint32_t bones, mrwi_scene_builder *builder,
                      mrwi_base_arena *scratch)
{
    char name[256];
    bool good = mrwi_load_m3d_line(c, "AnimationClip", name, sizeof name) &&
                mrwi_load_m3d_expect(c, "{") &&
                mrwi_load_m3d_ok(c, mrwi_scene_builder_clip(builder, name, 0.0, c->error));
    for (uint32_t i = 0; good && i < bones; i++) {
        good = read_bone_keys(c, i, builder, scratch);
    }
    return good && mrwi_load_m3d_expect(c, "}");
}

bool mrwi_load_m3d_read_clips(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_header *header,
                              mrwi_scene_builder *builder)
{
    mrwi_base_arena scratch = {0};
    bool good =
        header->clips == 0 || header->bones == 0 || mrwi_load_m3d_section(c, "AnimationClips");
    for (uint32_t i = 0; good && header->bones > 0 && i < header->clips; i++) {
        good = read_clip(c, header->bones, builder, &scratch);
    }
    mrwi_base_arena_free(&scratch);
    return good;
}
