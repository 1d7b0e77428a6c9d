/* assimp_anim.c: clips: node channels, morph channels, ticks to seconds. */
#include "base/math.h"
#include "load/assimp_import.h"

#include <assimp/anim.h>
#include <assimp/mesh.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- time -------------------------------------------------------------------------------------*/

/* Ticks in a second. assimp writes 0 where the file says nothing; in X files 4800 a second are then
 * meant (DirectX: AnimTicksPerSecond, default 4800). FBX files without a frame rate come with -1
 * and negative ticks, which give the right seconds. */
static double tick_rate(const mrwi_ai *ai, const struct aiAnimation *clip)
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

/* ---- keys -------------------------------------------------------------------------------------*/

static bool begin_keys(mrwi_ai *ai, uint32_t count, uint32_t width, mrwi_ai_keys *out)
{
    out->count = count;
    if (!mrwi_ai_charge(ai, (uint64_t)count * width)) {
        return false;
    }
    out->times = mrwi_ai_scratch(ai, count, sizeof *out->times);
    out->values = mrwi_ai_scratch(ai, (uint64_t)count * width, sizeof *out->values);
    return out->times != NULL && out->values != NULL;
}

bool mrwi_ai_vector_keys(mrwi_ai *ai, const struct aiVectorKey *from, uint32_t count,
                         double ticks_per_second, mrwi_ai_keys *out)
{
    if (!begin_keys(ai, count, 3, out)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        out->times[i] = from[i].mTime / ticks_per_second;
        memcpy(out->values + 3 * i, &from[i].mValue.x, 3 * sizeof *out->values);
    }
    return true;
}

static bool rotation_keys(mrwi_ai *ai, const struct aiQuatKey *from, uint32_t count,
                          double ticks_per_second, mrwi_ai_keys *out)
{
    if (!begin_keys(ai, count, 4, out)) {
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

bool mrwi_ai_push_channel(mrwi_ai *ai, uint32_t node, mrw_path path, uint32_t width,
                          const mrwi_ai_keys *keys)
{
    const mrwi_channel_input in = {.node = node,
                                   .path = path,
                                   .interpolation = MRW_INTERPOLATION_LINEAR,
                                   .width = width,
                                   .key_count = keys->count,
                                   .times = keys->times,
                                   .values = keys->values};
    return keys->count == 0 || mrwi_ai_ok(ai, mrwi_builder_channel(ai->builder, &in, ai->error));
}

/* ---- node channels ----------------------------------------------------------------------------*/

static bool push_vectors(mrwi_ai *ai, uint32_t node, mrw_path path, const struct aiVectorKey *from,
                         uint32_t count, double rate)
{
    mrwi_ai_keys keys;
    mrwi_arena_reset(&ai->scratch);
    return from == NULL || count == 0 ||
           (mrwi_ai_vector_keys(ai, from, count, rate, &keys) &&
            mrwi_ai_push_channel(ai, node, path, 3, &keys));
}

enum { TRANSLATIONS = 1, ROTATIONS = 2, SCALES = 4, ALL_PATHS = 7 };

/* Pushes the paths of a channel that are wanted. An empty array of keys leaves the node's own
 * value, as the builder does for a path without a channel. */
static bool push_node_channel(mrwi_ai *ai, const mrwi_ai_node *node,
                              const struct aiNodeAnim *channel, unsigned wanted, double rate)
{
    mrwi_ai_keys keys;
    if (((wanted & TRANSLATIONS) &&
         !push_vectors(ai, node->moved_by, MRW_PATH_TRANSLATION, channel->mPositionKeys,
                       channel->mNumPositionKeys, rate)) ||
        ((wanted & SCALES) && !push_vectors(ai, node->pushed, MRW_PATH_SCALE, channel->mScalingKeys,
                                            channel->mNumScalingKeys, rate))) {
        return false;
    }
    mrwi_arena_reset(&ai->scratch);
    return !(wanted & ROTATIONS) || channel->mRotationKeys == NULL ||
           channel->mNumRotationKeys == 0 ||
           (rotation_keys(ai, channel->mRotationKeys, channel->mNumRotationKeys, rate, &keys) &&
            mrwi_ai_push_channel(ai, node->pushed, MRW_PATH_ROTATION, 4, &keys));
}

/* Of several nodes of a name the first that has no channel yet. */
static uint32_t free_node(const mrwi_ai *ai, const char *name,
                          const struct aiNodeAnim *const *channel_of)
{
    uint32_t first, count = mrwi_ai_find_all(ai, name, &first);
    for (uint32_t i = 0; i < count; i++) {
        if (channel_of[ai->names[first + i].node] == NULL) {
            return ai->names[first + i].node;
        }
    }
    return MRW_NONE;
}

static bool push_node_channels(mrwi_ai *ai, const struct aiAnimation *clip,
                               const struct aiNodeAnim **channel_of, double rate)
{
    for (unsigned i = 0; clip->mChannels != NULL && i < clip->mNumChannels; i++) {
        const struct aiNodeAnim *channel = clip->mChannels[i];
        const char *name = channel != NULL ? mrwi_ai_text(&channel->mNodeName) : "";
        uint32_t node = channel != NULL ? free_node(ai, name, channel_of) : MRW_NONE;
        if (node == MRW_NONE) {
            mrwi_builder_warn(ai->builder,
                              "clip \"%s\": a channel of \"%s\", which is no node without one, is "
                              "left out",
                              mrwi_ai_text(&clip->mName), name);
            continue;
        }
        channel_of[node] = channel;
        if (!push_node_channel(ai, &ai->nodes[node], channel, ALL_PATHS, rate)) {
            return false;
        }
    }
    return mrwi_ai_fbx_push_implied(ai, channel_of, rate);
}

/* ---- morph channels ---------------------------------------------------------------------------*/

/* One weight of one target at one time. */
typedef struct morph_key {
    double time;
    uint32_t target;
    uint32_t index; /* in the file */
    float weight;
} morph_key;

static int compare_morph_keys(const void *a, const void *b)
{
    const morph_key *x = a, *y = b;
    if (x->time != y->time) {
        return x->time < y->time ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool key_is_there(const struct aiMeshMorphKey *key)
{
    return key->mValues != NULL && key->mWeights != NULL && isfinite(key->mTime);
}

/* All usable entries of a channel, by time. */
static bool list_entries(mrwi_ai *ai, const struct aiMeshMorphAnim *channel, uint32_t targets,
                         double rate, morph_key **out, uint32_t *count)
{
    uint64_t most = 0;
    for (unsigned k = 0; k < channel->mNumKeys; k++) {
        most += key_is_there(&channel->mKeys[k]) ? channel->mKeys[k].mNumValuesAndWeights : 0;
    }
    *count = 0;
    if (!mrwi_ai_charge(ai, most < UINT32_MAX ? most : UINT64_MAX)) {
        return false;
    }
    *out = mrwi_ai_scratch(ai, most, sizeof **out);
    for (unsigned k = 0; *out != NULL && k < channel->mNumKeys; k++) {
        const struct aiMeshMorphKey *key = &channel->mKeys[k];
        for (unsigned i = 0; key_is_there(key) && i < key->mNumValuesAndWeights; i++) {
            if (key->mValues[i] < targets && isfinite(key->mWeights[i])) {
                (*out)[*count] = (morph_key){key->mTime / rate, key->mValues[i], *count,
                                             (float)key->mWeights[i]};
                ++*count;
            }
        }
    }
    if (*out != NULL) {
        qsort(*out, *count, sizeof **out, compare_morph_keys);
    }
    return *out != NULL;
}

/* Fills one target's column: its own keys, linear between them, constant outside. Rows are the
 * distinct times; `rest` stands where the target has no key at all. */
static void fill_column(const morph_key *entries, uint32_t count, uint32_t target, float rest,
                        uint32_t targets, mrwi_ai_keys *keys)
{
    uint32_t row = 0, last = MRW_NONE; /* row of the target's previous key */
    float before = rest;
    for (uint32_t e = 0; e < count; e++) {
        while (keys->times[row] < entries[e].time) {
            row++;
        }
        if (entries[e].target != target) {
            continue;
        }
        float after = entries[e].weight;
        double start = last != MRW_NONE ? keys->times[last] : entries[e].time;
        double span = entries[e].time - start;
        for (uint32_t r = last != MRW_NONE ? last + 1 : 0; r <= row; r++) {
            double t = span > 0.0 ? (keys->times[r] - start) / span : 1.0;
            double value =
                r == row ? (double)after : (double)before + ((double)after - (double)before) * t;
            keys->values[(size_t)r * targets + target] = (float)value;
        }
        if (last == row) { /* a second key at one time: the later wins */
            keys->values[(size_t)row * targets + target] = after;
        }
        last = row;
        before = after;
    }
    for (uint32_t r = last != MRW_NONE ? last + 1 : 0; r < keys->count; r++) {
        keys->values[(size_t)r * targets + target] = before;
    }
}

static float rest_weight(const mrwi_ai *ai, const mrwi_ai_node *node, uint32_t target)
{
    const struct aiNode *source = node->source;
    for (unsigned i = 0; !ai->is_fbx && source->mMeshes != NULL && i < source->mNumMeshes; i++) {
        unsigned m = source->mMeshes[i];
        const struct aiMesh *mesh = m < ai->scene->mNumMeshes ? ai->scene->mMeshes[m] : NULL;
        if (mesh != NULL && mesh->mAnimMeshes != NULL && target < mesh->mNumAnimMeshes &&
            mesh->mAnimMeshes[target] != NULL && isfinite(mesh->mAnimMeshes[target]->mWeight)) {
            return mesh->mAnimMeshes[target]->mWeight;
        }
    }
    return 0.0f;
}

static bool push_weights(mrwi_ai *ai, uint32_t node, const struct aiMeshMorphAnim *channel,
                         double rate)
{
    const mrwi_ai_node *owner = &ai->nodes[node];
    uint32_t targets = owner->weight_count, count, rows = 0;
    morph_key *entries;
    mrwi_ai_keys keys;
    mrwi_arena_reset(&ai->scratch);
    if (!list_entries(ai, channel, targets, rate, &entries, &count)) {
        return false;
    }
    for (uint32_t e = 0; e < count; e++) {
        rows += e == 0 || entries[e].time != entries[e - 1].time;
    }
    if (!begin_keys(ai, rows, targets, &keys)) {
        return false;
    }
    for (uint32_t e = 0, row = 0; e < count; e++) {
        if (e == 0 || entries[e].time != entries[e - 1].time) {
            keys.times[row++] = entries[e].time;
        }
    }
    for (uint32_t t = 0; t < targets; t++) {
        fill_column(entries, count, t, rest_weight(ai, owner, t), targets, &keys);
    }
    return mrwi_ai_push_channel(ai, owner->pushed, MRW_PATH_WEIGHTS, targets, &keys);
}

/* A node that draws a mesh of that name. */
static uint32_t node_of_mesh(const mrwi_ai *ai, const char *name)
{
    for (uint32_t n = 0; n < ai->node_count; n++) {
        const struct aiNode *source = ai->nodes[n].source;
        for (unsigned i = 0; source->mMeshes != NULL && i < source->mNumMeshes; i++) {
            unsigned m = source->mMeshes[i];
            const struct aiMesh *mesh = m < ai->scene->mNumMeshes ? ai->scene->mMeshes[m] : NULL;
            if (mesh != NULL && strcmp(mrwi_ai_text(&mesh->mName), name) == 0) {
                return n;
            }
        }
    }
    return MRW_NONE;
}

/* The node whose weights a channel moves: it bears the node's name or the mesh's, in FBX followed
 * by "*" and the number of the geometry in the node. */
static uint32_t morph_owner(const mrwi_ai *ai, const struct aiMeshMorphAnim *channel)
{
    char name[MAXLEN];
    memcpy(name, mrwi_ai_text(&channel->mName), strlen(mrwi_ai_text(&channel->mName)) + 1);
    for (int round = 0; round < 2; round++) {
        uint32_t node = mrwi_ai_find(ai, name);
        node = node != MRW_NONE && ai->nodes[node].weight_count > 0 ? node : node_of_mesh(ai, name);
        char *star = strrchr(name, '*');
        if ((node != MRW_NONE && ai->nodes[node].weight_count > 0) || star == NULL) {
            return node;
        }
        *star = '\0';
    }
    return MRW_NONE;
}

static bool push_morph_channels(mrwi_ai *ai, const struct aiAnimation *clip, double rate)
{
    for (unsigned i = 0; clip->mMorphMeshChannels != NULL && i < clip->mNumMorphMeshChannels; i++) {
        const struct aiMeshMorphAnim *channel = clip->mMorphMeshChannels[i];
        if (channel == NULL || channel->mKeys == NULL) {
            continue;
        }
        uint32_t node = morph_owner(ai, channel);
        if (node == MRW_NONE || ai->nodes[node].weight_count == 0) {
            mrwi_builder_warn(ai->builder,
                              "clip \"%s\": weights of \"%s\", which has no morph targets, are "
                              "left out",
                              mrwi_ai_text(&clip->mName), mrwi_ai_text(&channel->mName));
        } else if (!push_weights(ai, node, channel, rate)) {
            return false;
        }
    }
    return true;
}

/* ---- clips ------------------------------------------------------------------------------------*/

/* All that a Collada file without clips moves is one clip that has no name in the file. */
static const char *clip_name(const mrwi_ai *ai, const struct aiAnimation *clip)
{
    static const char element[] = "<animation_clip";
    bool nameless = strcmp(ai->job->format, "collada") == 0 && ai->scene->mNumAnimations == 1 &&
                    memmem(ai->job->bytes, ai->job->size, element, sizeof element - 1) == NULL;
    return nameless ? "default" : mrwi_ai_text(&clip->mName);
}

static bool push_clip(mrwi_ai *ai, const struct aiAnimation *clip,
                      const struct aiNodeAnim **channel_of)
{
    const char *name = clip_name(ai, clip);
    double rate = tick_rate(ai, clip);
    if (clip->mTicksPerSecond == 0.0 && ai->is_fbx) {
        mrwi_builder_warn(ai->builder,
                          "clip \"%s\": the file's frame rate is 0, so that all its keys fall "
                          "together",
                          name);
    }
    memset(channel_of, 0, ai->node_count * sizeof *channel_of);
    return mrwi_ai_ok(ai, mrwi_builder_clip(ai->builder, name, 0.0, ai->error)) &&
           push_node_channels(ai, clip, channel_of, rate) && push_morph_channels(ai, clip, rate);
}

bool mrwi_ai_push_clips(mrwi_ai *ai)
{
    const struct aiNodeAnim **channel_of = mrwi_ai_keep(ai, ai->node_count, sizeof *channel_of);
    for (unsigned a = 0; channel_of != NULL && a < ai->scene->mNumAnimations; a++) {
        const struct aiAnimation *clip = ai->scene->mAnimations[a];
        if (clip != NULL && !push_clip(ai, clip, channel_of)) {
            return false;
        }
    }
    return channel_of != NULL;
}
