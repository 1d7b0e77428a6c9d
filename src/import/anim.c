/* anim.c: clips: node channels, ticks to seconds. */
#include "base/math.h"
#include "import/import.h"

#include <assimp/anim.h>
#include <string.h>

/* ---- time ------------------------------------------------------------------------------------ */

static double later(double longest, double time)
{
    return time > longest ? time : longest; /* false for NaN */
}

static double last_key(const struct aiNodeAnim *channel)
{
    double last = 0.0;
    for (unsigned k = 0; channel && channel->mPositionKeys && k < channel->mNumPositionKeys; k++) {
        last = later(last, channel->mPositionKeys[k].mTime);
    }
    for (unsigned k = 0; channel && channel->mRotationKeys && k < channel->mNumRotationKeys; k++) {
        last = later(last, channel->mRotationKeys[k].mTime);
    }
    for (unsigned k = 0; channel && channel->mScalingKeys && k < channel->mNumScalingKeys; k++) {
        last = later(last, channel->mScalingKeys[k].mTime);
    }
    return last;
}

/* Returns the last key of all clips, in ticks. */
static double longest_clip(const struct aiScene *scene)
{
    double longest = 0.0;
    for (unsigned a = 0; a < scene->mNumAnimations; a++) {
        const struct aiAnimation *clip = scene->mAnimations[a];
        for (unsigned i = 0; clip && clip->mChannels && i < clip->mNumChannels; i++) {
            longest = later(longest, last_key(clip->mChannels[i]));
        }
    }
    return longest;
}

/* Returns the ticks per second. assimp gives 0 if the file has none. For an X file DirectX then
 * counts 4800 (AnimTicksPerSecond), yet exporters that leave the number out often count frames:
 * with 4800, a walk of 40 frames would last a hundredth of a second. So this takes 4800 if the
 * file's longest clip has 1000 ticks or more, else 25 frames; all clips of a file are treated
 * alike. FBX files without a frame rate come with -1 and negative ticks, which give the right
 * seconds. */
static double tick_rate(const mrwi_import_source *source, const struct aiAnimation *clip)
{
    double rate = clip->mTicksPerSecond;
    const char *format = source->job->format;
    if (isfinite(rate) && (rate > 0.0 || (source->is_fbx && rate < 0.0))) {
        return rate;
    }
    if (strcmp(format, "3ds") == 0) {
        return 30.0;
    }
    return strcmp(format, "x") == 0 && longest_clip(source->scene) >= 1000.0 ? 4800.0 : 25.0;
}

/* ---- keys ------------------------------------------------------------------------------------ */

bool mrwi_import_begin_keys(uint32_t count, uint32_t width, mrwi_import_resources *res,
                            mrwi_import_keys *out)
{
    *out = (mrwi_import_keys){.count = count};
    if (!mrwi_import_charge(res, (uint64_t)count * width)) {
        return false;
    }
    out->times = mrwi_import_scratch(res, count, sizeof *out->times);
    out->values = mrwi_import_scratch(res, (uint64_t)count * width, sizeof *out->values);
    return out->times && out->values;
}

bool mrwi_import_vector_keys(const struct aiVectorKey *from, uint32_t count,
                             double ticks_per_second, mrwi_import_resources *res,
                             mrwi_import_keys *out)
{
    if (!mrwi_import_begin_keys(count, 3, res, out)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        out->times[i] = from[i].mTime / ticks_per_second;
        memcpy(out->values + 3 * i, &from[i].mValue.x, 3 * sizeof *out->values);
    }
    return true;
}

static bool rotation_keys(const struct aiQuatKey *from, uint32_t count, double ticks_per_second,
                          mrwi_import_resources *res, mrwi_import_keys *out)
{
    if (!mrwi_import_begin_keys(count, 4, res, out)) {
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

bool mrwi_import_push_channel(uint32_t node, mrw_path path, uint32_t width,
                              const mrwi_import_keys *keys, mrwi_import_resources *res,
                              mrwi_scene_builder *builder)
{
    const mrwi_scene_channel_input in = {.node = node,
                                         .path = path,
                                         .interpolation = MRW_INTERPOLATION_LINEAR,
                                         .width = width,
                                         .key_count = keys->count,
                                         .times = keys->times,
                                         .values = keys->values,
                                         .before = keys->ends.before,
                                         .after = keys->ends.after,
                                         .before_cycles = keys->ends.before_cycles,
                                         .after_cycles = keys->ends.after_cycles};
    return keys->count == 0 ||
           mrwi_import_ok(res, mrwi_scene_builder_channel(builder, &in, res->error));
}

/* ---- node channels --------------------------------------------------------------------------- */

/* The current clip, while its channels are pushed. */
typedef struct clip_source {
    const mrwi_import_source *source;
    const struct aiAnimation *clip;
    double rate;
    uint32_t held;         /* number of channels that hold, although in the file they continue */
    const char *held_node; /* node of the first such channel */
} clip_source;

#define MOST_OFF 2e-3 /* largest distance in seconds between the ends of keys and of curves */

/* Sets how a channel continues beyond its keys. In FBX the channels of a chain's links are those of
 * the model's properties. */
static void set_ends(clip_source *from, const char *name, mrw_path path, mrwi_import_keys *keys)
{
    static const char *const kinds[] = {"Translation", "Rotation", "Scaling"};
    const char *kind;
    const size_t size = mrwi_import_model_name(name, &kind);
    if (keys->count < 2 || (kind && strcmp(kind, kinds[path]) != 0)) {
        return;
    }
    const mrwi_import_beyond_entry *found = mrwi_import_beyond_find(
        &from->source->extras.beyond, mrwi_import_text(&from->clip->mName), name, size, path);
    if (!found) {
        return;
    }
    double first = keys->times[0], last = first;
    for (uint32_t i = 1; i < keys->count; i++) {
        first = keys->times[i] < first ? keys->times[i] : first;
        last = keys->times[i] > last ? keys->times[i] : last;
    }
    const double off = (last - first) - found->seconds;
    if (!found->differ && off < MOST_OFF && off > -MOST_OFF) {
        keys->ends = found->ends;
    } else if (from->held++ == 0) {
        from->held_node = name;
    }
}

/* Pushes a path of a channel. An empty array of keys leaves the node's own value, as the builder
 * does for a path without a channel. */
static bool push_node_channel(clip_source *clip, const mrwi_import_node *node,
                              const struct aiNodeAnim *from, mrwi_import_resources *res,
                              mrwi_scene_builder *builder)
{
    const char *name = mrwi_import_text(&from->mNodeName);
    mrwi_import_keys keys;
    bool good = true;
    if (from->mPositionKeys && from->mNumPositionKeys > 0) {
        mrwi_base_arena_reset(&res->scratch);
        good = mrwi_import_vector_keys(from->mPositionKeys, from->mNumPositionKeys, clip->rate, res,
                                       &keys);
        if (good) {
            set_ends(clip, name, MRW_PATH_TRANSLATION, &keys);
            good = mrwi_import_push_channel(node->moved_by, MRW_PATH_TRANSLATION, 3, &keys, res,
                                            builder);
        }
    }
    if (good && from->mScalingKeys && from->mNumScalingKeys > 0) {
        mrwi_base_arena_reset(&res->scratch);
        good = mrwi_import_vector_keys(from->mScalingKeys, from->mNumScalingKeys, clip->rate, res,
                                       &keys);
        if (good) {
            set_ends(clip, name, MRW_PATH_SCALE, &keys);
            good = mrwi_import_push_channel(node->pushed, MRW_PATH_SCALE, 3, &keys, res, builder);
        }
    }
    if (good && from->mRotationKeys && from->mNumRotationKeys > 0) {
        mrwi_base_arena_reset(&res->scratch);
        good = rotation_keys(from->mRotationKeys, from->mNumRotationKeys, clip->rate, res, &keys);
        if (good) {
            set_ends(clip, name, MRW_PATH_ROTATION, &keys);
            good =
                mrwi_import_push_channel(node->pushed, MRW_PATH_ROTATION, 4, &keys, res, builder);
        }
    }
    return good;
}

/* Returns the first node of a name that has no channel yet. */
static uint32_t free_node(const mrwi_import_tree *tree, const char *name,
                          const struct aiNodeAnim *const *channel_of)
{
    uint32_t first, count = mrwi_import_find_all(tree, name, &first);
    for (uint32_t i = 0; i < count; i++) {
        if (!channel_of[tree->names[first + i].node]) {
            return tree->names[first + i].node;
        }
    }
    return MRW_NONE;
}

static bool push_node_channels(const mrwi_import_tree *tree, const struct aiAnimation *clip,
                               const struct aiNodeAnim **channel_of, double rate,
                               mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    clip_source from = {.source = tree->source, .clip = clip, .rate = rate};
    for (unsigned i = 0; clip->mChannels && i < clip->mNumChannels; i++) {
        const struct aiNodeAnim *channel = clip->mChannels[i];
        const char *name = channel ? mrwi_import_text(&channel->mNodeName) : "";
        uint32_t node = channel ? free_node(tree, name, channel_of) : MRW_NONE;
        if (node == MRW_NONE) {
            mrwi_scene_builder_warn(builder,
                                    "clip \"%s\": a channel of \"%s\" is ignored: there is no node "
                                    "of that name, or each one has a channel",
                                    mrwi_import_text(&clip->mName), name);
            continue;
        }
        channel_of[node] = channel;
        if (!push_node_channel(&from, &tree->nodes[node], channel, res, builder)) {
            return false;
        }
    }
    if (from.held > 0) {
        mrwi_scene_builder_warn(
            builder,
            "clip \"%s\": %u channels, including one of \"%s\", keep their end values beyond their "
            "keys: the file extrapolates their axes in different ways; bake the clip to play that",
            mrwi_import_text(&clip->mName), from.held, from.held_node);
    }
    return mrwi_import_fbx_push_implied(tree, channel_of, rate, res, builder);
}

/* ---- clips ----------------------------------------------------------------------------------- */

/* Returns a clip's name. A Collada file without clips has one clip of everything that moves, which
 * has no name in the file. */
static const char *clip_name(const mrwi_import_source *source, const struct aiAnimation *clip)
{
    static const char element[] = "<animation_clip";
    bool nameless = strcmp(source->job->format, "collada") == 0 &&
                    source->scene->mNumAnimations == 1 &&
                    !memmem(source->job->bytes, source->job->size, element, sizeof element - 1);
    return nameless ? "default" : mrwi_import_text(&clip->mName);
}

/* Pushes the times at which nodes are shown in a clip. */
static bool push_visibility(const mrwi_import_tree *tree, const char *clip,
                            mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    const mrwi_import_visibility *all = &tree->source->extras.visibility;
    for (size_t i = 0; i < all->curve_count; i++) {
        const mrwi_import_visibility_curve *curve = &all->curves[i];
        const uint32_t node =
            strcmp(curve->clip, clip) == 0 ? mrwi_import_find(tree, curve->node) : MRW_NONE;
        if (node == MRW_NONE) {
            continue;
        }
        const mrwi_scene_channel_input in = {.node = tree->nodes[node].pushed,
                                             .path = MRW_PATH_VISIBILITY,
                                             .interpolation = MRW_INTERPOLATION_STEP,
                                             .width = 1,
                                             .key_count = curve->count,
                                             .times = curve->times,
                                             .values = curve->values};
        if (!mrwi_import_charge(res, curve->count) ||
            !mrwi_import_ok(res, mrwi_scene_builder_channel(builder, &in, res->error))) {
            return false;
        }
    }
    return true;
}

static bool push_clip(const mrwi_import_tree *tree, const struct aiAnimation *clip,
                      const struct aiNodeAnim **channel_of, mrwi_import_resources *res,
                      mrwi_scene_builder *builder)
{
    const char *name = clip_name(tree->source, clip);
    double rate = tick_rate(tree->source, clip);
    if (clip->mTicksPerSecond == 0.0 && tree->source->is_fbx) {
        mrwi_scene_builder_warn(
            builder,
            "clip \"%s\": the file's frame rate is 0, so all its keys are at the same time", name);
    }
    memset(channel_of, 0, tree->node_count * sizeof *channel_of);
    return mrwi_import_ok(res, mrwi_scene_builder_clip(builder, name, 0.0, res->error)) &&
           push_node_channels(tree, clip, channel_of, rate, res, builder) &&
           mrwi_import_push_morph_channels(tree, clip, rate, res, builder) &&
           push_visibility(tree, mrwi_import_text(&clip->mName), res, builder);
}

/* Pushes clips that only change visibility: assimp drops stacks that move nothing. */
static bool push_clips_of_visibility(const mrwi_import_tree *tree, mrwi_import_resources *res,
                                     mrwi_scene_builder *builder)
{
    const mrwi_import_visibility *all = &tree->source->extras.visibility;
    const struct aiScene *scene = tree->source->scene;
    for (size_t i = 0; i < all->curve_count; i++) {
        bool known = false;
        for (unsigned a = 0; a < scene->mNumAnimations && !known; a++) {
            known =
                scene->mAnimations[a] &&
                strcmp(all->curves[i].clip, mrwi_import_text(&scene->mAnimations[a]->mName)) == 0;
        }
        for (size_t k = 0; k < i && !known; k++) {
            known = strcmp(all->curves[i].clip, all->curves[k].clip) == 0;
        }
        if (!known && !(mrwi_import_ok(res, mrwi_scene_builder_clip(builder, all->curves[i].clip,
                                                                    0.0, res->error)) &&
                        push_visibility(tree, all->curves[i].clip, res, builder))) {
            return false;
        }
    }
    return true;
}

bool mrwi_import_push_clips(const mrwi_import_tree *tree, mrwi_import_resources *res,
                            mrwi_scene_builder *builder)
{
    const struct aiScene *scene = tree->source->scene;
    const struct aiNodeAnim **channel_of =
        mrwi_import_keep(res, tree->node_count, sizeof *channel_of);
    for (unsigned a = 0; channel_of && a < scene->mNumAnimations; a++) {
        const struct aiAnimation *clip = scene->mAnimations[a];
        if (clip && !push_clip(tree, clip, channel_of, res, builder)) {
            return false;
        }
    }
    return channel_of && push_clips_of_visibility(tree, res, builder);
}
