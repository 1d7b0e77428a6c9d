/* anim.c: clips: node channels, ticks to seconds. */
#include "base/math.h"
#include "import/import.h"

#include <assimp/anim.h>
#include <string.h>

/* ---- time ------------------------------------------------------------------------------------ */

/* Ticks in a second. assimp writes 0 where the file says nothing; in X files 4800 a second are then
 * meant (DirectX: AnimTicksPerSecond, default 4800). FBX files without a frame rate come with -1
 * and negative ticks, which give the right seconds. */
static double tick_rate(const mrwi_import_state *ai, const struct aiAnimation *clip)
{
    double rate = clip->mTicksPerSecond;
    const char *format = ai->job->format;
    if (isfinite(rate) && (rate > 0.0 || (ai->is_fbx && rate < 0.0))) {
        return rate;
    }
    if (strcmp(format, "3ds") == 0) {
        return 30.0;
    }
    return strcmp(format, "x") == 0 ? 4800.0 : 25.0;
}

/* ---- keys ------------------------------------------------------------------------------------ */

bool mrwi_import_begin_keys(mrwi_import_state *ai, uint32_t count, uint32_t width,
                            mrwi_import_keys *out)
{
    out->count = count;
    if (!mrwi_import_charge(ai, (uint64_t)count * width)) {
        return false;
    }
    out->times = mrwi_import_scratch(ai, count, sizeof *out->times);
    out->values = mrwi_import_scratch(ai, (uint64_t)count * width, sizeof *out->values);
    return out->times && out->values;
}

bool mrwi_import_vector_keys(mrwi_import_state *ai, const struct aiVectorKey *from, uint32_t count,
                             double ticks_per_second, mrwi_import_keys *out)
{
    if (!mrwi_import_begin_keys(ai, count, 3, out)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        out->times[i] = from[i].mTime / ticks_per_second;
        memcpy(out->values + 3 * i, &from[i].mValue.x, 3 * sizeof *out->values);
    }
    return true;
}

static bool rotation_keys(mrwi_import_state *ai, const struct aiQuatKey *from, uint32_t count,
                          double ticks_per_second, mrwi_import_keys *out)
{
    if (!mrwi_import_begin_keys(ai, count, 4, out)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct aiQuaternion *q = &from[i].mValue;
        const float value[4] = {q->x, q->y, q->z, q->w};
        out->times[i] = from[i].mTime / ticks_per_second;
        memcpy(out->values + 4 * i, value, sizeof value);
    }
    return true;
}

bool mrwi_import_push_channel(mrwi_import_state *ai, uint32_t node, mrw_path path, uint32_t width,
                              const mrwi_import_keys *keys)
{
    const mrwi_scene_channel_input in = {.node = node,
                                         .path = path,
                                         .interpolation = MRW_INTERPOLATION_LINEAR,
                                         .width = width,
                                         .key_count = keys->count,
                                         .times = keys->times,
                                         .values = keys->values};
    return keys->count == 0 ||
           mrwi_import_ok(ai, mrwi_scene_builder_channel(ai->builder, &in, ai->error));
}

/* ---- node channels --------------------------------------------------------------------------- */

static bool push_vectors(mrwi_import_state *ai, uint32_t node, mrw_path path,
                         const struct aiVectorKey *from, uint32_t count, double rate)
{
    mrwi_import_keys keys;
    mrwi_base_arena_reset(&ai->scratch);
    return !from || count == 0 ||
           (mrwi_import_vector_keys(ai, from, count, rate, &keys) &&
            mrwi_import_push_channel(ai, node, path, 3, &keys));
}

enum { TRANSLATIONS = 1, ROTATIONS = 2, SCALES = 4, ALL_PATHS = 7 };

/* Pushes the paths of a channel that are wanted. An empty array of keys leaves the node's own
 * value, as the builder does for a path without a channel. */
static bool push_node_channel(mrwi_import_state *ai, const mrwi_import_node *node,
                              const struct aiNodeAnim *channel, unsigned wanted, double rate)
{
    mrwi_import_keys keys;
    if (((wanted & TRANSLATIONS) &&
         !push_vectors(ai, node->moved_by, MRW_PATH_TRANSLATION, channel->mPositionKeys,
                       channel->mNumPositionKeys, rate)) ||
        ((wanted & SCALES) && !push_vectors(ai, node->pushed, MRW_PATH_SCALE, channel->mScalingKeys,
                                            channel->mNumScalingKeys, rate))) {
        return false;
    }
    mrwi_base_arena_reset(&ai->scratch);
    return !(wanted & ROTATIONS) || !channel->mRotationKeys || channel->mNumRotationKeys == 0 ||
           (rotation_keys(ai, channel->mRotationKeys, channel->mNumRotationKeys, rate, &keys) &&
            mrwi_import_push_channel(ai, node->pushed, MRW_PATH_ROTATION, 4, &keys));
}

/* Of several nodes of a name the first that has no channel yet. */
static uint32_t free_node(const mrwi_import_state *ai, const char *name,
                          const struct aiNodeAnim *const *channel_of)
{
    uint32_t first, count = mrwi_import_find_all(ai, name, &first);
    for (uint32_t i = 0; i < count; i++) {
        if (!channel_of[ai->names[first + i].node]) {
            return ai->names[first + i].node;
        }
    }
    return MRW_NONE;
}

static bool push_node_channels(mrwi_import_state *ai, const struct aiAnimation *clip,
                               const struct aiNodeAnim **channel_of, double rate)
{
    for (unsigned i = 0; clip->mChannels && i < clip->mNumChannels; i++) {
        const struct aiNodeAnim *channel = clip->mChannels[i];
        const char *name = channel ? mrwi_import_text(&channel->mNodeName) : "";
        uint32_t node = channel ? free_node(ai, name, channel_of) : MRW_NONE;
        if (node == MRW_NONE) {
            mrwi_scene_builder_warn(
                ai->builder,
                "clip \"%s\": a channel of \"%s\", which is no node without one, is "
                "left out",
                mrwi_import_text(&clip->mName), name);
            continue;
        }
        channel_of[node] = channel;
        if (!push_node_channel(ai, &ai->nodes[node], channel, ALL_PATHS, rate)) {
            return false;
        }
    }
    return mrwi_import_fbx_push_implied(ai, channel_of, rate);
}

/* ---- clips ----------------------------------------------------------------------------------- */

/* All that a Collada file without clips moves is one clip that has no name in the file. */
static const char *clip_name(const mrwi_import_state *ai, const struct aiAnimation *clip)
{
    static const char element[] = "<animation_clip";
    bool nameless = strcmp(ai->job->format, "collada") == 0 && ai->scene->mNumAnimations == 1 &&
                    !memmem(ai->job->bytes, ai->job->size, element, sizeof element - 1);
    return nameless ? "default" : mrwi_import_text(&clip->mName);
}

static bool push_clip(mrwi_import_state *ai, const struct aiAnimation *clip,
                      const struct aiNodeAnim **channel_of)
{
    const char *name = clip_name(ai, clip);
    double rate = tick_rate(ai, clip);
    if (clip->mTicksPerSecond == 0.0 && ai->is_fbx) {
        mrwi_scene_builder_warn(
            ai->builder,
            "clip \"%s\": the file's frame rate is 0, so that all its keys fall "
            "together",
            name);
    }
    memset(channel_of, 0, ai->node_count * sizeof *channel_of);
    return mrwi_import_ok(ai, mrwi_scene_builder_clip(ai->builder, name, 0.0, ai->error)) &&
           push_node_channels(ai, clip, channel_of, rate) &&
           mrwi_import_push_morph_channels(ai, clip, rate);
}

bool mrwi_import_push_clips(mrwi_import_state *ai)
{
    const struct aiNodeAnim **channel_of = mrwi_import_keep(ai, ai->node_count, sizeof *channel_of);
    for (unsigned a = 0; channel_of && a < ai->scene->mNumAnimations; a++) {
        const struct aiAnimation *clip = ai->scene->mAnimations[a];
        if (clip && !push_clip(ai, clip, channel_of)) {
            return false;
        }
    }
    return channel_of;
}
