/* morphs.c: morph channels: turns the keys of channels into weights of all targets of a node.
 *
 * A channel of an FBX file is a slider that leads through its targets (fbx_sliders.c). Between
 * two knots the target of one fades out while that of the other fades in; beyond the outermost
 * knots the last two continue in the same way, as in Maya and ufbx. So a target's weight is
 * linear between knots but bends at them, and a key is added where a segment of the channel
 * passes a knot. */
#include "import/import.h"

#include <assimp/anim.h>
#include <assimp/mesh.h>
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- sliders --------------------------------------------------------------------------------- */

/* The number of a target's channel, as keys name it, and the slider's knots. */
typedef struct slider_target {
    uint32_t channel;                     /* MRW_NONE if nothing moves it */
    const mrwi_import_fbx_slider *slider; /* NULL if the channel's value is the weight */
    /* the target's own knot; MRW_NONE if it never has its full effect */
    uint32_t knot;
} slider_target;

static const mrwi_import_fbx_slider *slider_of(const mrwi_import_source *source,
                                               const struct aiMesh *mesh, uint32_t target)
{
    const struct aiAnimMesh *from = mesh->mAnimMeshes[target];
    const char *mark = source->is_fbx && from
                           ? strrchr(mrwi_import_text(&from->mName), MRWI_IMPORT_FBX_MARK)
                           : NULL;
    unsigned long number = mark ? strtoul(mark + 1, NULL, 10) : ULONG_MAX;
    return number < source->extras.sliders.count ? &source->extras.sliders.list[number] : NULL;
}

/* Finds the targets of sliders. Those of one slider are consecutive, as its channel lists them. */
static void find_slider_targets(const mrwi_import_source *source, const struct aiMesh *mesh,
                                uint32_t count, slider_target *out)
{
    const mrwi_import_fbx_slider *before = NULL;
    for (uint32_t t = 0, nth = 0; t < count; t++) {
        const mrwi_import_fbx_slider *slider = slider_of(source, mesh, t);
        nth = slider == before ? nth + 1 : 0;
        before = slider;
        out[t] = (slider_target){t, NULL, 0};
        if (slider) {
            uint32_t knot = nth < slider->target_count ? slider->knot_of[nth] : MRW_NONE;
            out[t] = (slider_target){slider->place, slider, knot};
        }
    }
}

/* Returns a target's weight if its channel is at `value`. */
static float weight_at(const slider_target *l, double value)
{
    double weight = value;
    if (l->slider) {
        const float *knots = l->slider->knots;
        uint32_t k = l->knot, last = l->slider->knot_count - 1;
        if (k == MRW_NONE) {
            return 0.0f;
        }
        /* it rises from the previous knot and falls to the next; at the ends it continues */
        bool rises = k > 0 && (k == last || value < (double)knots[k]);
        bool from_before = k < 2 || value >= (double)knots[k - 1];
        bool to_next = k + 2 > last || value < (double)knots[k + 1];
        double here = (double)knots[k], other = (double)knots[rises ? k - 1 : k + 1];
        bool touched = rises ? from_before : to_next;
        weight = touched ? (value - other) / (here - other) : 0.0;
    }
    return (float)(weight < -(double)FLT_MAX  ? -(double)FLT_MAX
                   : weight > (double)FLT_MAX ? (double)FLT_MAX
                                              : weight);
}

/* Finds where the weight bends: at its own knot and those beside it, unless nothing is beyond. */
static uint32_t bends_of(const slider_target *l, double out[3])
{
    uint32_t count = 0;
    if (!l->slider || l->knot == MRW_NONE) {
        return 0;
    }
    for (uint32_t k = l->knot > 0 ? l->knot - 1 : 0; k <= l->knot + 1; k++) {
        if (k > 0 && k + 1 < l->slider->knot_count) {
            out[count++] = (double)l->slider->knots[k];
        }
    }
    return count;
}

/* ---- rest ------------------------------------------------------------------------------------ */

/* Returns the first mesh with the most targets among those that a node draws; NULL if none has
 * any. */
static const struct aiMesh *morph_mesh(const struct aiScene *scene, const struct aiNode *node)
{
    const struct aiMesh *most = NULL;
    for (unsigned i = 0; node->mMeshes && i < node->mNumMeshes; i++) {
        unsigned m = node->mMeshes[i];
        const struct aiMesh *mesh = m < scene->mNumMeshes ? scene->mMeshes[m] : NULL;
        if (mesh && mesh->mAnimMeshes && mesh->mNumAnimMeshes > 0 &&
            (!most || mesh->mNumAnimMeshes > most->mNumAnimMeshes)) {
            most = mesh;
        }
    }
    return most;
}

/* Returns the weight at rest. In FBX files assimp's mWeight means something else. */
static float rest_weight(const mrwi_import_source *source, const struct aiAnimMesh *target,
                         const slider_target *l)
{
    if (source->is_fbx) {
        return l->slider ? weight_at(l, (double)l->slider->rest) : 0.0f;
    }
    return target && isfinite(target->mWeight) ? target->mWeight : 0.0f;
}

bool mrwi_import_rest_weights(const mrwi_import_source *source, const struct aiNode *node,
                              mrwi_import_resources *res, uint32_t *count, float **out)
{
    const struct aiMesh *mesh = morph_mesh(source->scene, node);
    *count = mesh ? mesh->mNumAnimMeshes : 0;
    *out = mrwi_import_scratch(res, *count, sizeof **out);
    slider_target *slider_targets = mrwi_import_scratch(res, *count, sizeof *slider_targets);
    if (!*out || !slider_targets) {
        return false;
    }
    find_slider_targets(source, mesh, *count, slider_targets);
    for (uint32_t t = 0; t < *count; t++) {
        (*out)[t] = rest_weight(source, mesh->mAnimMeshes[t], &slider_targets[t]);
    }
    return true;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* The value of a channel, or a weight of a target, at one time. */
typedef struct morph_key {
    double time;
    uint32_t target; /* index of the target, or of the channel */
    uint32_t index;  /* index in the file, or in order of creation */
    float weight;
} morph_key;

typedef struct morph_keys {
    morph_key *list;
    uint32_t count;
} morph_keys;

static void add_key(morph_keys *keys, double time, uint32_t target, float weight)
{
    keys->list[keys->count] = (morph_key){time, target, keys->count, weight};
    keys->count++;
}

static int compare_times(const void *a, const void *b)
{
    const morph_key *x = a, *y = b;
    if (x->time != y->time) {
        return x->time < y->time ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

static int compare_channels(const void *a, const void *b)
{
    const morph_key *x = a, *y = b;
    if (x->target != y->target) {
        return x->target < y->target ? -1 : 1;
    }
    return compare_times(a, b);
}

static bool make_room(uint64_t count, mrwi_import_resources *res, morph_keys *out)
{
    *out = (morph_keys){NULL, 0};
    if (!mrwi_import_charge(res, count < UINT32_MAX ? count : UINT64_MAX)) {
        return false;
    }
    out->list = mrwi_import_scratch(res, count, sizeof *out->list);
    return out->list;
}

static bool key_is_there(const struct aiMeshMorphKey *key)
{
    return key->mValues && key->mWeights && isfinite(key->mTime);
}

/* Lists all usable entries, by channel and time. */
static bool list_entries(const struct aiMeshMorphAnim *anim, double rate,
                         mrwi_import_resources *res, morph_keys *out)
{
    uint64_t most = 0;
    for (unsigned k = 0; k < anim->mNumKeys; k++) {
        most += key_is_there(&anim->mKeys[k]) ? anim->mKeys[k].mNumValuesAndWeights : 0;
    }
    if (!make_room(most, res, out)) {
        return false;
    }
    for (unsigned k = 0; k < anim->mNumKeys; k++) {
        const struct aiMeshMorphKey *key = &anim->mKeys[k];
        for (unsigned i = 0; key_is_there(key) && i < key->mNumValuesAndWeights; i++) {
            if (isfinite(key->mWeights[i])) {
                add_key(out, key->mTime / rate, key->mValues[i], (float)key->mWeights[i]);
            }
        }
    }
    qsort(out->list, out->count, sizeof *out->list, compare_channels);
    return true;
}

/* Returns the entries of one channel. */
static morph_keys entries_of(const morph_keys *all, uint32_t channel)
{
    uint32_t low = 0, high = all->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (all->list[middle].target < channel) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    morph_keys found = {all->list + low, 0};
    while (low + found.count < all->count && found.list[found.count].target == channel) {
        found.count++;
    }
    return found;
}

/* Adds keys of a target where its channel passes a bend between `a` and `b`. */
static void add_bends(const morph_key *a, const morph_key *b, const slider_target *l,
                      uint32_t target, morph_keys *out)
{
    double bends[3], from = (double)a->weight, to = (double)b->weight;
    uint32_t count = bends_of(l, bends);
    for (uint32_t i = 0; i < count; i++) {
        double bend = bends[from < to ? i : count - 1 - i];
        double time = a->time + (b->time - a->time) * ((bend - from) / (to - from));
        if ((from < bend) != (to <= bend) && from != bend && time > a->time && time < b->time) {
            add_key(out, time, target, weight_at(l, bend));
        }
    }
}

/* Makes keys of the targets, by time, from the entries of the channels. */
static bool list_keys(const morph_keys *entries, const slider_target *slider_targets,
                      uint32_t targets, mrwi_import_resources *res, morph_keys *out)
{
    double bends[3];
    uint64_t most = 0;
    for (uint32_t t = 0; t < targets; t++) {
        most += (uint64_t)entries_of(entries, slider_targets[t].channel).count *
                (1 + bends_of(&slider_targets[t], bends));
    }
    if (!make_room(most, res, out)) {
        return false;
    }
    for (uint32_t t = 0; t < targets; t++) {
        const morph_keys own = entries_of(entries, slider_targets[t].channel);
        for (uint32_t e = 0; e < own.count; e++) {
            const morph_key *key = &own.list[e];
            if (e > 0) {
                add_bends(key - 1, key, &slider_targets[t], t, out);
            }
            add_key(out, key->time, t, weight_at(&slider_targets[t], (double)key->weight));
        }
    }
    qsort(out->list, out->count, sizeof *out->list, compare_times);
    return true;
}

/* Fills one target's column: its own keys, linear between them, constant outside. Rows are the
 * distinct times; `rest` is used if the target has no key. */
static void fill_column(const morph_key *entries, uint32_t count, uint32_t target, float rest,
                        uint32_t targets, mrwi_import_keys *keys)
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
        if (last == row) { /* the later one of two keys at one time counts */
            keys->values[(size_t)row * targets + target] = after;
        }
        last = row;
        before = after;
    }
    for (uint32_t r = last != MRW_NONE ? last + 1 : 0; r < keys->count; r++) {
        keys->values[(size_t)r * targets + target] = before;
    }
}

static bool push_weights(const mrwi_import_source *source, const mrwi_import_node *owner,
                         const struct aiMeshMorphAnim *anim, double rate,
                         mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    uint32_t targets, rows = 0;
    float *rest;
    morph_keys entries, list;
    mrwi_import_keys keys;
    mrwi_base_arena_reset(&res->scratch);
    if (!mrwi_import_rest_weights(source, owner->source, res, &targets, &rest)) {
        return false;
    }
    slider_target *slider_targets = mrwi_import_scratch(res, targets, sizeof *slider_targets);
    if (!slider_targets) {
        return false;
    }
    find_slider_targets(source, morph_mesh(source->scene, owner->source), targets, slider_targets);
    if (!list_entries(anim, rate, res, &entries) ||
        !list_keys(&entries, slider_targets, targets, res, &list)) {
        return false;
    }
    for (uint32_t e = 0; e < list.count; e++) {
        rows += e == 0 || list.list[e].time != list.list[e - 1].time;
    }
    if (!mrwi_import_begin_keys(rows, targets, res, &keys)) {
        return false;
    }
    for (uint32_t e = 0, row = 0; e < list.count; e++) {
        if (e == 0 || list.list[e].time != list.list[e - 1].time) {
            keys.times[row++] = list.list[e].time;
        }
    }
    for (uint32_t t = 0; t < targets; t++) {
        fill_column(list.list, list.count, t, rest[t], targets, &keys);
    }
    return mrwi_import_push_channel(owner->pushed, MRW_PATH_WEIGHTS, targets, &keys, res, builder);
}

/* Returns a node that draws a mesh of that name. */
static uint32_t node_of_mesh(const mrwi_import_tree *tree, const char *name)
{
    const struct aiScene *scene = tree->source->scene;
    for (uint32_t n = 0; n < tree->node_count; n++) {
        const struct aiNode *source = tree->nodes[n].source;
        for (unsigned i = 0; source->mMeshes && i < source->mNumMeshes; i++) {
            unsigned m = source->mMeshes[i];
            const struct aiMesh *mesh = m < scene->mNumMeshes ? scene->mMeshes[m] : NULL;
            if (mesh && strcmp(mrwi_import_text(&mesh->mName), name) == 0) {
                return n;
            }
        }
    }
    return MRW_NONE;
}

/* Returns the node whose weights a channel moves: its name is the node's or the mesh's, in FBX
 * followed by "*" and the number of the geometry in the node. */
static uint32_t morph_owner(const mrwi_import_tree *tree, const struct aiMeshMorphAnim *channel)
{
    char name[MAXLEN];
    memcpy(name, mrwi_import_text(&channel->mName), strlen(mrwi_import_text(&channel->mName)) + 1);
    for (int round = 0; round < 2; round++) {
        uint32_t node = mrwi_import_find(tree, name);
        node = node != MRW_NONE && tree->nodes[node].weight_count > 0 ? node
                                                                      : node_of_mesh(tree, name);
        char *star = strrchr(name, '*');
        if ((node != MRW_NONE && tree->nodes[node].weight_count > 0) || !star) {
            return node;
        }
        *star = '\0';
    }
    return MRW_NONE;
}

bool mrwi_import_push_morph_channels(const mrwi_import_tree *tree, const struct aiAnimation *clip,
                                     double ticks_per_second, mrwi_import_resources *res,
                                     mrwi_scene_builder *builder)
{
    for (unsigned i = 0; clip->mMorphMeshChannels && i < clip->mNumMorphMeshChannels; i++) {
        const struct aiMeshMorphAnim *channel = clip->mMorphMeshChannels[i];
        if (!channel || !channel->mKeys) {
            continue;
        }
        uint32_t node = morph_owner(tree, channel);
        if (node == MRW_NONE || tree->nodes[node].weight_count == 0) {
            mrwi_scene_builder_warn(
                builder, "clip \"%s\": weights of \"%s\", which has no morph targets, are ignored",
                mrwi_import_text(&clip->mName), mrwi_import_text(&channel->mName));
        } else if (!push_weights(tree->source, &tree->nodes[node], channel, ticks_per_second, res,
                                 builder)) {
            return false;
        }
    }
    return true;
}
