/* clips.c: clips and channels of a builder: clean keys when pushed, sorted channels when finished.
 */
#include "scene/build.h"

#include "base/math.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mrw_status mrwi_scene_builder_clip(mrwi_scene_builder *b, const char *full_name, double start,
                                   mrw_error *error)
{
    mrwi_scene_draft *draft = &b->draft;
    mrw_clip clip = {.first_channel = MRWI_SCENE_COUNT(draft, channels), .start = start};
    mrwi_scene_label label;
    if (!isfinite(start)) {
        return b->failed = mrwi_base_fail(
                   error, MRW_ERROR_INPUT, "%s: %s: its start is not finite", draft->file,
                   mrwi_scene_label_of(label, "clip", MRWI_SCENE_COUNT(draft, clips), full_name));
    }
    uint32_t index;
    mrw_status status = mrwi_scene_name(draft, full_name, &clip.full_name, error);
    if (!status) {
        status = mrwi_scene_push(draft, MRWI_SCENE_SECTION_clips, &clip, &index, error);
    }
    return mrwi_scene_settle(b, status);
}

/* ---- keys ------------------------------------------------------------------------------------ */

typedef struct key_order {
    double time;
    uint32_t index;
} key_order;

static int compare_keys(const void *a, const void *b)
{
    const key_order *x = a, *y = b;
    if (x->time != y->time) {
        return x->time < y->time ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

static uint32_t floats_of_key(const mrwi_scene_channel_input *in)
{
    return in->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 * in->width : in->width;
}

/* Returns the value of a key without its tangents. */
static const float *key_value(const mrwi_scene_channel_input *in, uint32_t key)
{
    const float *first = in->values + (size_t)key * floats_of_key(in);
    return in->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? first + in->width : first;
}

static bool key_usable(const mrwi_scene_channel_input *in, uint32_t key, double time)
{
    size_t floats = floats_of_key(in);
    if (!isfinite(time) || !mrwi_base_all_finite(in->values + key * floats, floats)) {
        return false;
    }
    if (in->path != MRW_PATH_ROTATION) {
        return true;
    }
    float unit[4];
    memcpy(unit, key_value(in, key), sizeof unit);
    return mrwi_base_normalize4(unit);
}

/* Lists usable keys in strictly increasing order of time; of equal times the last one in the file.
 * Returns their number. *dropped counts unusable keys, *mixed says that keys were out of order. */
static uint32_t order_keys(const mrwi_scene_channel_input *in, double start, key_order *keys,
                           uint32_t *dropped, bool *mixed)
{
    uint32_t count = 0;
    bool sorted = true;
    *mixed = false;
    for (uint32_t i = 0; i < in->key_count; i++) {
        double time = in->times[i] - start;
        if (!key_usable(in, i, time)) {
            continue;
        }
        sorted = sorted && (count == 0 || keys[count - 1].time < time);
        *mixed = *mixed || (count > 0 && time < keys[count - 1].time);
        keys[count++] = (key_order){time, i};
    }
    *dropped = in->key_count - count;
    if (sorted) {
        return count;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && keys[kept - 1].time == keys[i].time) {
            kept--;
        }
        keys[kept++] = keys[i];
    }
    return kept;
}

/* Makes unit quaternions; for LINEAR each on the same side as its predecessor. */
static void make_rotations(float *values, uint32_t count, bool align)
{
    for (uint32_t i = 0; i < count; i++) {
        float *q = values + 4 * (size_t)i;
        mrwi_base_normalize4(q);
        const float *p = q - 4;
        if (align && i > 0 && (p[0] * q[0] + p[1] * q[1]) + (p[2] * q[2] + p[3] * q[3]) < 0.0f) {
            for (int k = 0; k < 4; k++) {
                q[k] = -q[k];
            }
        }
    }
}

static mrw_status push_keys(mrwi_scene_draft *draft, const mrwi_scene_channel_input *in,
                            const key_order *keys, mrwi_scene_keys *out, mrw_error *error)
{
    size_t floats = floats_of_key(in);
    uint32_t count = out->count;
    mrw_status status =
        mrwi_scene_extend(draft, MRWI_SCENE_SECTION_key_times, count, &out->first_time, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_extend(draft, MRWI_SCENE_SECTION_key_values, (uint64_t)count * floats,
                               &out->first_value, error);
    if (status) {
        return status;
    }
    double *times = &MRWI_SCENE_AT(draft, key_times, double, out->first_time);
    float *values = &MRWI_SCENE_AT(draft, key_values, float, out->first_value);
    for (uint32_t i = 0; i < count; i++) {
        times[i] = keys[i].time;
        memcpy(values + i * floats, in->values + keys[i].index * floats, floats * sizeof *values);
    }
    if (in->path == MRW_PATH_ROTATION && in->interpolation != MRW_INTERPOLATION_CUBICSPLINE) {
        make_rotations(values, count, in->interpolation == MRW_INTERPOLATION_LINEAR);
    }
    for (uint32_t i = 0; i < count && in->path == MRW_PATH_VISIBILITY; i++) {
        values[i] = values[i] != 0.0f ? 1.0f : 0.0f;
    }
    return MRW_OK;
}

mrw_status mrwi_scene_take_keys(mrwi_scene_draft *draft, mrwi_scene_quota *quota,
                                mrwi_base_arena *scratch, const mrwi_scene_channel_input *in,
                                mrwi_scene_keys *out, mrwi_scene_repairs *repairs, mrw_error *error)
{
    const uint32_t clip = MRWI_SCENE_COUNT(draft, clips) - 1;
    *out = (mrwi_scene_keys){0};
    mrw_status status = mrwi_scene_charge(quota, in->key_count, "keys", draft->file, error);
    if (status) {
        return status;
    }
    mrwi_base_arena_reset(scratch);
    key_order *keys = mrwi_scene_scratch(scratch, in->key_count, sizeof *keys, error);
    if (!keys) {
        return MRW_ERROR_MEMORY;
    }
    const double start = MRWI_SCENE_AT(draft, clips, mrw_clip, clip).start;
    out->count = order_keys(in, start, keys, &repairs->dropped, &repairs->mixed);
    repairs->none = out->count == 0;
    return repairs->none ? MRW_OK : push_keys(draft, in, keys, out, error);
}

void mrwi_scene_warn_of_keys(mrwi_scene_warnings *warnings, const mrwi_scene_repairs *repairs,
                             const char *label)
{
    if (repairs->dropped > 0) {
        mrwi_scene_warn(warnings, "%s: %u keys without a usable time or value were dropped", label,
                        repairs->dropped);
    }
    if (repairs->mixed) {
        mrwi_scene_warn(warnings, "%s: its keys were out of order and were sorted", label);
    }
    if (repairs->none) {
        mrwi_scene_warn(warnings, "%s: it has no keys and is ignored", label);
    }
}

static const char *path_name(uint32_t path)
{
    static const char *const names[] = {"translation", "rotation", "scale", "weights",
                                        "visibility"};
    return names[path];
}

/* A label: `clip 0 "Walk": scale of node 3 "Hips"`. */
typedef char channel_label[400];
static const char *label_channel(const mrwi_scene_draft *draft, uint32_t clip, uint32_t node,
                                 uint32_t path, channel_label out)
{
    const char *strings = draft->names.text.data;
    mrwi_scene_label clip_label, node_label;
    mrwi_scene_label_of(clip_label, "clip", clip,
                        strings + MRWI_SCENE_AT(draft, clips, mrw_clip, clip).full_name);
    snprintf(out, sizeof(channel_label), "%s: %s of %s", clip_label, path_name(path),
             mrwi_scene_node_label(draft, node, node_label));
    return out;
}

static bool shape_valid(const mrwi_scene_channel_input *in)
{
    static const uint32_t widths[] = {3, 4, 3, 0, 1};
    if ((uint32_t)in->path > MRW_PATH_VISIBILITY ||
        (uint32_t)in->interpolation > MRW_INTERPOLATION_CUBICSPLINE ||
        (in->path == MRW_PATH_VISIBILITY && in->interpolation != MRW_INTERPOLATION_STEP)) {
        return false;
    }
    if (in->path == MRW_PATH_WEIGHTS) {
        return in->width > 0 && in->width <= MRWI_SCENE_SECTION_LIMIT / 3;
    }
    return in->width == widths[in->path];
}

mrw_status mrwi_scene_builder_channel(mrwi_scene_builder *b, const mrwi_scene_channel_input *in,
                                      mrw_error *error)
{
    mrwi_scene_draft *draft = &b->draft;
    assert(MRWI_SCENE_COUNT(draft, clips) > 0);
    uint32_t clip = MRWI_SCENE_COUNT(draft, clips) - 1;
    if (!shape_valid(in)) {
        return b->failed = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                          "%s: clip %u has a channel with %u numbers per value, "
                                          "which does not fit what it animates",
                                          draft->file, clip, in->width);
    }
    mrwi_scene_keys keys;
    mrwi_scene_repairs repairs;
    mrw_status status =
        mrwi_scene_take_keys(draft, &b->budget.keys, &b->scratch, in, &keys, &repairs, error);
    if (!status && mrwi_scene_is_repaired(&repairs)) {
        channel_label label;
        mrwi_scene_warn_of_keys(&b->warnings, &repairs,
                                label_channel(draft, clip, in->node, in->path, label));
    }
    if (status || keys.count == 0) {
        return mrwi_scene_settle(b, status);
    }
    mrw_channel channel = {.node = in->node,
                           .path = in->path,
                           .interpolation = in->interpolation,
                           .width = in->width,
                           .key_count = keys.count,
                           .first_time = keys.first_time,
                           .first_value = keys.first_value};
    if (keys.count > 1) {
        channel.before = in->before;
        channel.after = in->after;
        channel.before_cycles = in->before_cycles;
        channel.after_cycles = in->after_cycles;
    }
    uint32_t index;
    status = mrwi_scene_push(draft, MRWI_SCENE_SECTION_channels, &channel, &index, error);
    if (!status) {
        MRWI_SCENE_AT(draft, clips, mrw_clip, clip).channel_count++;
    }
    return mrwi_scene_settle(b, status);
}

/* ---- finishing: channels --------------------------------------------------------------------- */

typedef struct channel_order {
    uint32_t node; /* new number of the node */
    uint32_t path;
    uint32_t index; /* index as pushed */
} channel_order;

static int compare_channels(const void *a, const void *b)
{
    const channel_order *x = a, *y = b;
    if (x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    if (x->path != y->path) {
        return x->path < y->path ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The new pools, which are filled in the channels' new order. */
typedef struct channel_pools {
    mrwi_scene_pool channels;
    mrwi_scene_key_pools keys;
} channel_pools;

/* Returns the width of a channel. It must have the node's number of morph weights; more are cut. 0:
 * the channel cannot play. */
static uint32_t playable_width(const mrwi_scene_draft *draft, mrwi_scene_warnings *warnings,
                               const mrw_channel *channel, uint32_t clip, uint32_t node)
{
    if (channel->path != MRW_PATH_WEIGHTS) {
        return channel->width;
    }
    uint32_t wanted = MRWI_SCENE_AT(draft, nodes, mrw_node, node).weight_count;
    if (channel->width == wanted) {
        return wanted;
    }
    bool cut = wanted > 0 && channel->width > wanted;
    channel_label label;
    mrwi_scene_warn(warnings, "%s: it has %u weights per key, but the node has %u; %s",
                    label_channel(draft, clip, node, channel->path, label), channel->width, wanted,
                    cut ? "the extra ones were dropped" : "it is ignored");
    return cut ? wanted : 0;
}

mrw_status mrwi_scene_keep_keys(const mrwi_scene_draft *draft, mrwi_scene_key_pools *pools,
                                mrwi_scene_keys *keys, mrwi_scene_row row, mrw_error *error)
{
    const mrwi_scene_keys old = *keys;
    const size_t rows = (size_t)old.count * row.parts;
    mrw_status status = mrwi_scene_pool_extend(&pools->times, MRWI_SCENE_SECTION_key_times,
                                               old.count, draft->file, &keys->first_time, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_pool_extend(&pools->values, MRWI_SCENE_SECTION_key_values, rows * row.kept,
                                    draft->file, &keys->first_value, error);
    if (status) {
        return status;
    }
    double *times = &MRWI_SCENE_POOL_AT(&pools->times, double, keys->first_time);
    float *values = &MRWI_SCENE_POOL_AT(&pools->values, float, keys->first_value);
    memcpy(times, MRWI_SCENE_POOL(draft, key_times, double) + old.first_time,
           old.count * sizeof *times);
    const float *from = MRWI_SCENE_POOL(draft, key_values, float) + old.first_value;
    for (size_t r = 0; r < rows; r++) {
        memcpy(values + r * row.kept, from + r * row.width, row.kept * sizeof *values);
    }
    return MRW_OK;
}

static mrw_status keep_channel(const mrwi_scene_draft *draft, channel_pools *pools,
                               const mrw_channel *old, uint32_t node, uint32_t width,
                               mrw_error *error)
{
    const uint32_t parts = old->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
    mrwi_scene_keys keys = {old->key_count, old->first_time, old->first_value};
    mrw_status status = mrwi_scene_keep_keys(draft, &pools->keys, &keys,
                                             (mrwi_scene_row){parts, old->width, width}, error);
    mrw_channel channel = *old;
    channel.node = node;
    channel.width = width;
    channel.first_time = keys.first_time;
    channel.first_value = keys.first_value;
    return status ? status
                  : mrwi_scene_pool_push(&pools->channels, MRWI_SCENE_SECTION_channels, &channel,
                                         draft->file, error);
}

static mrw_status sort_channels(const mrwi_scene_draft *draft, mrwi_base_arena *scratch,
                                const uint32_t *new_node, uint32_t clip, channel_order **out,
                                mrw_error *error)
{
    const mrw_clip *owner = &MRWI_SCENE_AT(draft, clips, mrw_clip, clip);
    mrwi_base_arena_reset(scratch);
    channel_order *order = mrwi_scene_scratch(scratch, owner->channel_count, sizeof *order, error);
    if (!order) {
        return MRW_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < owner->channel_count; i++) {
        uint32_t index = owner->first_channel + i;
        const mrw_channel *channel = &MRWI_SCENE_AT(draft, channels, mrw_channel, index);
        if (channel->node >= MRWI_SCENE_COUNT(draft, nodes)) {
            channel_label label;
            return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: %s, which does not exist",
                                  draft->file,
                                  label_channel(draft, clip, channel->node, channel->path, label));
        }
        order[i] = (channel_order){new_node[channel->node], channel->path, index};
    }
    qsort(order, owner->channel_count, sizeof *order, compare_channels);
    *out = order;
    return MRW_OK;
}

static mrw_status finish_clip(mrwi_scene_draft *draft, mrwi_scene_warnings *warnings,
                              mrwi_base_arena *scratch, uint32_t clip, const uint32_t *new_node,
                              channel_pools *pools, mrw_error *error)
{
    channel_order *order = NULL;
    mrw_status status = sort_channels(draft, scratch, new_node, clip, &order, error);
    if (status) {
        return status;
    }
    mrw_clip *owner = &MRWI_SCENE_AT(draft, clips, mrw_clip, clip);
    uint32_t count = owner->channel_count;
    owner->first_channel = pools->channels.count;
    owner->duration = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const mrw_channel *channel = &MRWI_SCENE_AT(draft, channels, mrw_channel, order[i].index);
        if (i > 0 && order[i].node == order[i - 1].node && order[i].path == order[i - 1].path) {
            channel_label label;
            mrwi_scene_warn(warnings, "%s: a second channel for it is ignored",
                            label_channel(draft, clip, order[i].node, channel->path, label));
            continue;
        }
        uint32_t width = playable_width(draft, warnings, channel, clip, order[i].node);
        if (width == 0) {
            continue;
        }
        status = keep_channel(draft, pools, channel, order[i].node, width, error);
        if (status) {
            return status;
        }
        double last =
            MRWI_SCENE_POOL(draft, key_times, double)[channel->first_time + channel->key_count - 1];
        if (last > owner->duration) {
            owner->duration = last;
        }
    }
    owner->channel_count = pools->channels.count - owner->first_channel;
    return MRW_OK;
}

static void swap_pool(mrwi_scene_pool *a, mrwi_scene_pool *b)
{
    mrwi_scene_pool kept = *a;
    *a = *b;
    *b = kept;
}

/* ---- finishing: names ------------------------------------------------------------------------ */

/* Returns "Walk" for "Armature|Walk"; the whole name if nothing follows the last '|'. */
static const char *short_name(const char *full)
{
    const char *bar = strrchr(full, '|');
    return bar && bar[1] ? bar + 1 : full;
}

typedef struct clip_name {
    const char *text;
    uint32_t clip;
} clip_name;

static int compare_names(const void *a, const void *b)
{
    const clip_name *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : x->clip < y->clip ? -1 : x->clip > y->clip;
}

static mrw_status name_clip(mrwi_scene_draft *draft, mrwi_base_arena *scratch, uint32_t index,
                            bool shorten, mrw_error *error)
{
    mrw_clip *clip = &MRWI_SCENE_AT(draft, clips, mrw_clip, index);
    const char *full = (const char *)draft->names.text.data + clip->full_name;
    char number[32];
    snprintf(number, sizeof number, "clip_%u", index);
    if (!full[0]) {
        return mrwi_scene_name(draft, number, &clip->name, error);
    }
    if (!shorten || short_name(full) == full) {
        clip->name = clip->full_name;
        return MRW_OK;
    }
    /* a copy, because adding a name can move the pool */
    const char *from = short_name(full);
    size_t size = strlen(from) + 1;
    char *copy = mrwi_scene_scratch(scratch, size, 1, error);
    if (!copy) {
        return MRW_ERROR_MEMORY;
    }
    memcpy(copy, from, size);
    return mrwi_scene_name(draft, copy, &clip->name, error);
}

static mrw_status name_clips(mrwi_scene_draft *draft, mrwi_base_arena *scratch, mrw_error *error)
{
    uint32_t count = MRWI_SCENE_COUNT(draft, clips);
    const char *strings = draft->names.text.data;
    mrwi_base_arena_reset(scratch);
    clip_name *names = mrwi_scene_scratch(scratch, count, sizeof *names, error);
    uint8_t *repeated = mrwi_scene_scratch(scratch, count, 1, error);
    if (!names || !repeated) {
        return MRW_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t full = MRWI_SCENE_AT(draft, clips, mrw_clip, i).full_name;
        names[i] = (clip_name){short_name(strings + full), i};
        repeated[i] = 0;
    }
    qsort(names, count, sizeof *names, compare_names);
    for (uint32_t i = 1; i < count; i++) {
        if (strcmp(names[i - 1].text, names[i].text) == 0) {
            repeated[names[i - 1].clip] = repeated[names[i].clip] = 1;
        }
    }
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < count; i++) {
        status = name_clip(draft, scratch, i, !repeated[i], error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

mrw_status mrwi_scene_finish_clips(mrwi_scene_draft *draft, mrwi_scene_warnings *warnings,
                                   mrwi_base_arena *scratch, const uint32_t *new_node,
                                   mrw_error *error)
{
    channel_pools pools = {0};
    mrwi_scene_channels_read progress = {0};
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, clips) && !status; i++) {
        status = finish_clip(draft, warnings, scratch, i, new_node, &pools, error);
        if (!status) {
            status = mrwi_scene_finish_material_channels(draft, warnings, i, &progress, &pools.keys,
                                                         error);
        }
    }
    MRWI_SCENE_COUNT(draft, material_channels) = progress.kept;
    if (!status) {
        swap_pool(&pools.channels, &draft->pools[MRWI_SCENE_SECTION_channels]);
        swap_pool(&pools.keys.times, &draft->pools[MRWI_SCENE_SECTION_key_times]);
        swap_pool(&pools.keys.values, &draft->pools[MRWI_SCENE_SECTION_key_values]);
    }
    mrwi_scene_pool_free(&pools.channels);
    mrwi_scene_pool_free(&pools.keys.times);
    mrwi_scene_pool_free(&pools.keys.values);
    return status ? status : name_clips(draft, scratch, error);
}
