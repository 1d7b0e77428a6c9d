/* poser.c: prepares a scene for posing: which channels share their key times, which never change,
 * and in what order nodes are best computed. Sizes are linear in channels and nodes, so that no
 * file can make them explode, and no key is copied. */
#include "anim/poser.h"

#include "anim/unit.h"
#include "base/parallel.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- tracks ---------------------------------------------------------------------------------- */

/* A channel of the current clip. */
typedef struct entry {
    uint64_t hash; /* hash of its key times */
    uint32_t channel;
    uint32_t key_count;
    uint32_t alike; /* the first channel with the same times */
    uint32_t track; /* counted from the clip's first one */
    uint32_t kind;
} entry;

enum kind { VECTOR, ROTATION, OTHER, FIXED_VECTOR, FIXED_ROTATION };

static uint64_t hash_times(const double *times, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &times[k], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return hash;
}

static int compare_times(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->key_count != y->key_count) {
        return x->key_count < y->key_count ? -1 : 1;
    }
    if (x->hash != y->hash) {
        return x->hash < y->hash ? -1 : 1;
    }
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

static int compare_channels(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

/* Orders by blocks of tracks, kinds and channels. Fixed channels have no track and come last. */
static int compare_places(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const bool x_fixed = x->kind >= FIXED_VECTOR, y_fixed = y->kind >= FIXED_VECTOR;
    if (x_fixed != y_fixed) {
        return x_fixed ? 1 : -1;
    }
    const uint32_t x_block = x->track / MRWI_ANIM_BLOCK_TRACKS,
                   y_block = y->track / MRWI_ANIM_BLOCK_TRACKS;
    if (!x_fixed && x_block != y_block) {
        return x_block < y_block ? -1 : 1;
    }
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    return compare_channels(a, b);
}

static bool same_times(const mrw_scene *scene, const entry *a, const entry *b)
{
    return a->key_count == b->key_count && a->hash == b->hash &&
           memcmp(scene->key_times + scene->channels[a->channel].first_time,
                  scene->key_times + scene->channels[b->channel].first_time,
                  a->key_count * sizeof *scene->key_times) == 0;
}

/* Finds channels with the same times. If two different lists of times have one hash, channels with
 * the same times may stay apart, which only costs time: a file made for that gains nothing. */
static void find_alike(const mrw_scene *scene, entry *entries, uint32_t count)
{
    qsort(entries, count, sizeof *entries, compare_times);
    for (uint32_t i = 0; i < count; i++) {
        entries[i].alike = i > 0 && same_times(scene, &entries[i - 1], &entries[i])
                               ? entries[i - 1].alike
                               : entries[i].channel;
    }
    qsort(entries, count, sizeof *entries, compare_channels);
}

#define LONG_TRACK 3

/* Finds rate and offset for keys that are spread evenly. The subtracted half gives the key itself
 * or the one before it, even if keys are up to half a step away from even places. */
static void spread_evenly(const double *times, uint32_t count, float *rate, float *offset)
{
    const double r = (double)(count - 1) / (times[count - 1] - times[0]);
    const double o = -0.5 - times[0] * r;
    const bool fine = count > 1 && r < 1e30 && fabs(o) < 1e30;
    *rate = fine ? (float)r : 0.0f;
    *offset = fine ? (float)o : 0.0f;
}

/* Numbers tracks of a clip from `next` on, either the long ones or the others, in the order of
 * their first channel that is not fixed. Returns the number after the last. `tracks` are the
 * clip's. */
static uint32_t number_tracks(const mrw_scene *scene, const mrw_clip *clip, entry *entries,
                              bool are_long, uint32_t next, const mrwi_anim_tracks *tracks)
{
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        if (entries[i].kind >= FIXED_VECTOR || (entries[i].key_count >= LONG_TRACK) != are_long) {
            continue;
        }
        entry *first = &entries[entries[i].alike - clip->first_channel];
        if (first->track == MRW_NONE) {
            tracks->first_times[next] = scene->channels[first->channel].first_time;
            tracks->key_counts[next] = first->key_count;
            spread_evenly(scene->key_times + tracks->first_times[next], first->key_count,
                          &tracks->rates[next], &tracks->offsets[next]);
            first->track = next++;
        }
        entries[i].track = first->track;
    }
    return next;
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* Returns true if all keys of a T or S have the same bits, and so have all values between them.
 * Keys of -0 are an exception: interpolation makes 0 of them. */
static bool vectors_fixed(const mrw_channel *channel, const float *values)
{
    for (size_t i = 0; i < (size_t)channel->key_count * 3; i++) {
        const bool minus_zero = values[i] == 0.0f && signbit(values[i]);
        if (memcmp(&values[i], &values[i % 3], sizeof *values) != 0 ||
            (minus_zero && channel->key_count > 1)) {
            return false;
        }
    }
    return true;
}

/* Chooses the kind of a channel. Even between two equal keys, an interpolated rotation differs by
 * rounding. */
static enum kind kind_of(const mrw_scene *scene, const mrw_channel *channel)
{
    const float *values = scene->key_values + channel->first_value;
    if (channel->path >= MRW_PATH_WEIGHTS ||
        channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE) {
        return OTHER;
    }
    const bool rotation = channel->path == MRW_PATH_ROTATION;
    if (rotation ? channel->key_count == 1 && mrwi_anim_is_unit(values)
                 : vectors_fixed(channel, values)) {
        return rotation ? FIXED_ROTATION : FIXED_VECTOR;
    }
    if (channel->interpolation == MRW_INTERPOLATION_STEP || channel->key_count == 1) {
        return OTHER;
    }
    return rotation ? ROTATION : VECTOR;
}

/* Floats of a local transform. */
#define FLOATS ((uint32_t)(sizeof(mrw_transform) / sizeof(float)))

/* Returns the index of a channel's result among the floats of the local transforms. */
static uint32_t place_of(const mrw_channel *channel)
{
    static const uint32_t offsets[] = {offsetof(mrw_transform, translation) / sizeof(float),
                                       offsetof(mrw_transform, rotation) / sizeof(float),
                                       offsetof(mrw_transform, scale) / sizeof(float)};
    return channel->path < MRW_PATH_WEIGHTS ? channel->node * FLOATS + offsets[channel->path] : 0;
}

/* The counts of everything laid out so far. */
typedef struct layout {
    const mrw_scene *scene;
    const mrwi_anim_clips *to; /* the arrays that are filled */
    entry *entries;            /* the channels of the current clip */
    uint32_t blocks, tracks, curves, flags, beyond;
} layout;

/* Appends the curves of a kind, starting at entry `next`. Returns the entry after the last one.
 * Fixed curves have no track. */
static uint32_t lay_curves(layout *out, uint32_t next, uint32_t count, uint32_t block,
                           enum kind kind)
{
    const mrw_scene *scene = out->scene;
    for (; next < count; next++) {
        const entry *e = &out->entries[next];
        const mrw_channel *channel = &scene->channels[e->channel];
        const bool fixed = e->kind >= FIXED_VECTOR;
        if (e->kind != kind || (!fixed && e->track / MRWI_ANIM_BLOCK_TRACKS != block)) {
            break;
        }
        out->to->curves[out->curves++] =
            (mrwi_anim_curve){.track = fixed ? 0 : e->track % MRWI_ANIM_BLOCK_TRACKS,
                              .source = kind == OTHER ? e->channel : channel->first_value,
                              .out = place_of(channel)};
    }
    return next;
}

/* Returns how many of the first `count` tracks of a clip are in a block. */
static uint32_t tracks_of_block(uint32_t count, uint32_t block)
{
    const uint32_t first = block * MRWI_ANIM_BLOCK_TRACKS;
    const uint32_t left = count > first ? count - first : 0;
    return left < MRWI_ANIM_BLOCK_TRACKS ? left : MRWI_ANIM_BLOCK_TRACKS;
}

static uint32_t lay_block(layout *out, uint32_t next, uint32_t count, uint32_t block,
                          uint32_t long_count, uint32_t track_count)
{
    mrwi_anim_block *b = &out->to->blocks[out->blocks++];
    b->first_track = out->tracks + block * MRWI_ANIM_BLOCK_TRACKS;
    b->track_count = tracks_of_block(track_count, block);
    b->long_tracks = tracks_of_block(long_count, block);
    b->vectors = out->curves;
    next = lay_curves(out, next, count, block, VECTOR);
    b->rotations = out->curves;
    next = lay_curves(out, next, count, block, ROTATION);
    for (; (out->curves - b->rotations) % MRWI_ANIM_PADDING != 0; out->curves++) {
        out->to->curves[out->curves] = out->to->curves[out->curves - 1];
    }
    b->others = out->curves;
    next = lay_curves(out, next, count, block, OTHER);
    b->end = out->curves;
    return next;
}

/* Lists the flags of nodes. Channels are in the order of nodes. */
static void lay_flags(layout *out, const mrw_clip *clip)
{
    mrwi_anim_flags *last = NULL;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const mrw_channel *channel = &out->scene->channels[clip->first_channel + i];
        if (!last || last->node != channel->node) {
            last = &out->to->flags[out->flags++];
            *last = (mrwi_anim_flags){.node = channel->node,
                                      .animated = mrwi_anim_rest_flags(out->scene, channel->node)};
        }
        last->animated |= 1u << channel->path; /* MRW_ANIMATED_... */
    }
}

static void lay_beyond(layout *out, const mrw_clip *clip, mrwi_anim_clip_plan *plan)
{
    const mrw_scene *scene = out->scene;
    plan->first_beyond = out->beyond;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const mrw_channel *channel = &scene->channels[clip->first_channel + i];
        if (channel->before != MRW_EXTRAPOLATION_HOLD || channel->after != MRW_EXTRAPOLATION_HOLD ||
            scene->key_times[channel->first_time] < 0.0) {
            out->to->beyond[out->beyond++] = clip->first_channel + i;
        }
    }
    plan->beyond_count = out->beyond - plan->first_beyond;
}

static void lay_clip(layout *out, const mrw_clip *clip, mrwi_anim_clip_plan *plan)
{
    const mrw_scene *scene = out->scene;
    const uint32_t count = clip->channel_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = clip->first_channel + i;
        const mrw_channel *channel = &scene->channels[index];
        out->entries[i] =
            (entry){.hash = hash_times(scene->key_times + channel->first_time, channel->key_count),
                    .channel = index,
                    .key_count = channel->key_count,
                    .track = MRW_NONE,
                    .kind = kind_of(scene, channel)};
    }
    find_alike(scene, out->entries, count);
    const mrwi_anim_tracks *all = &out->to->tracks;
    const mrwi_anim_tracks tracks = {all->first_times + out->tracks, all->key_counts + out->tracks,
                                     all->rates + out->tracks, all->offsets + out->tracks};
    const uint32_t long_count = number_tracks(scene, clip, out->entries, true, 0, &tracks);
    const uint32_t track_count =
        number_tracks(scene, clip, out->entries, false, long_count, &tracks);
    qsort(out->entries, count, sizeof *out->entries, compare_places);
    uint32_t next = 0;
    plan->first_block = out->blocks;
    for (uint32_t block = 0; block * MRWI_ANIM_BLOCK_TRACKS < track_count; block++) {
        next = lay_block(out, next, count, block, long_count, track_count);
    }
    plan->block_count = out->blocks - plan->first_block;
    plan->fixed_vectors = out->curves;
    next = lay_curves(out, next, count, 0, FIXED_VECTOR);
    plan->fixed_rotations = out->curves;
    next = lay_curves(out, next, count, 0, FIXED_ROTATION);
    plan->fixed_end = out->curves;
    assert(next == count);
    plan->first_flags = out->flags;
    lay_flags(out, clip);
    plan->flags_count = out->flags - plan->first_flags;
    lay_beyond(out, clip, plan);
    out->tracks += track_count;
}

static mrw_status lay_clips(const mrw_scene *scene, mrwi_base_arena *arena, mrwi_anim_clips *out,
                            mrw_error *error)
{
    uint32_t channels = 0, most = 0, blocks = 0;
    for (uint32_t i = 0; i < scene->clips_count; i++) {
        const uint32_t count = scene->clips[i].channel_count;
        channels += count;
        most = count > most ? count : most;
        blocks += count / MRWI_ANIM_BLOCK_TRACKS + 1;
    }
    layout all = {.scene = scene, .to = out, .entries = mrwi_base_alloc(most, sizeof *all.entries)};
    out->plans = mrwi_base_arena_alloc(arena, scene->clips_count, sizeof *out->plans);
    out->blocks = mrwi_base_arena_alloc(arena, blocks, sizeof *out->blocks);
    out->tracks.first_times = mrwi_base_arena_alloc(arena, channels, sizeof(uint32_t));
    out->tracks.key_counts = mrwi_base_arena_alloc(arena, channels, sizeof(uint32_t));
    out->tracks.rates = mrwi_base_arena_alloc(arena, channels, sizeof(float));
    out->tracks.offsets = mrwi_base_arena_alloc(arena, channels, sizeof(float));
    out->curves = mrwi_base_arena_alloc(arena, channels + (size_t)blocks * (MRWI_ANIM_PADDING - 1),
                                        sizeof *out->curves);
    out->flags = mrwi_base_arena_alloc(arena, channels, sizeof *out->flags);
    out->beyond = mrwi_base_arena_alloc(arena, channels, sizeof *out->beyond);
    if (!all.entries || !out->plans || !out->blocks || !out->tracks.first_times ||
        !out->tracks.key_counts || !out->tracks.rates || !out->tracks.offsets || !out->curves ||
        !out->flags || !out->beyond) {
        mrwi_base_free(all.entries);
        return mrwi_base_fail_memory(error, channels * sizeof *all.entries);
    }
    for (uint32_t i = 0; i < scene->clips_count; i++) {
        lay_clip(&all, &scene->clips[i], &out->plans[i]);
    }
    mrwi_base_free(all.entries);
    return MRW_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Sorts nodes by depth, by counting: the depth of each node, the number of nodes above each level,
 * then the place of each node. */
static void sort_levels(const mrw_scene *scene, uint32_t *depths, uint32_t *ends,
                        mrwi_anim_link *links)
{
    const uint32_t count = scene->nodes_count;
    memset(ends, 0, (count + (size_t)1) * sizeof *ends);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t parent = scene->nodes[i].parent;
        assert(parent == MRW_NONE || parent < i);
        depths[i] = parent == MRW_NONE ? 0 : depths[parent] + 1;
        ends[depths[i] + 1]++;
    }
    for (uint32_t level = 0; level < count; level++) {
        ends[level + 1] += ends[level];
    }
    for (uint32_t i = 0; i < count; i++) {
        links[ends[depths[i]]++] =
            (mrwi_anim_link){i, i * FLOATS, scene->nodes[i].parent, scene->nodes[i].matrix};
    }
    for (uint32_t i = count; i % MRWI_ANIM_PADDING != 0; i++) {
        links[i] = links[count - 1];
    }
}

static mrw_status lay_nodes(const mrw_scene *scene, mrwi_base_arena *arena, mrwi_anim_nodes *out,
                            mrw_error *error)
{
    const uint32_t count = scene->nodes_count;
    uint32_t *depths = mrwi_base_alloc(count, sizeof *depths);
    uint32_t *ends = mrwi_base_alloc(count + (size_t)1, sizeof *ends);
    out->rest = mrwi_base_arena_alloc(arena, count, sizeof *out->rest);
    out->links =
        mrwi_base_arena_alloc(arena, (size_t)count + MRWI_ANIM_PADDING - 1, sizeof *out->links);
    const bool enough = depths && ends && out->rest && out->links;
    if (enough) {
        for (uint32_t i = 0; i < count; i++) {
            out->rest[i] = scene->nodes[i].rest;
        }
        sort_levels(scene, depths, ends, out->links);
    }
    mrwi_base_free(depths);
    mrwi_base_free(ends);
    return enough ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *out->rest);
}

static mrw_status list_hidden(const mrw_scene *scene, mrwi_base_arena *arena, mrwi_anim_nodes *out,
                              mrw_error *error)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        count += (scene->nodes[i].flags & MRW_NODE_HIDDEN) != 0;
    }
    if (count == 0) {
        return MRW_OK;
    }
    out->hidden = mrwi_base_arena_alloc(arena, count, sizeof *out->hidden);
    if (!out->hidden) {
        return mrwi_base_fail_memory(error, count * sizeof *out->hidden);
    }
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        if (scene->nodes[i].flags & MRW_NODE_HIDDEN) {
            out->hidden[out->hidden_count++] = i;
        }
    }
    return MRW_OK;
}

/* Returns true if a node is hidden at some time: at rest, or by a clip. */
static bool ever_hides(const mrw_scene *scene)
{
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        if (scene->nodes[i].flags & (MRW_NODE_HIDDEN | MRW_NODE_NOT_SHOWN)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < scene->channels_count; i++) {
        if (scene->channels[i].path == MRW_PATH_VISIBILITY) {
            return true;
        }
    }
    return false;
}

mrw_status mrw_poser_create(const mrw_scene *scene, mrw_poser **out, mrw_error *error)
{
    mrw_poser *poser = mrwi_base_alloc_zero(1, sizeof *poser);
    if (!poser) {
        return mrwi_base_fail_memory(error, sizeof *poser);
    }
    poser->scene = scene;
    poser->hides = ever_hides(scene);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status = lay_nodes(scene, &poser->arena, &poser->nodes, error);
    if (status) {
        goto out;
    }
    status = lay_clips(scene, &poser->arena, &poser->clips, error);
    if (status) {
        goto out;
    }
    status = list_hidden(scene, &poser->arena, &poser->nodes, error);
out:
    mrwi_base_fp_leave(fp);
    if (status) {
        mrw_poser_free(poser);
        return status;
    }
    *out = poser;
    return MRW_OK;
}

void mrw_poser_free(mrw_poser *poser)
{
    if (!poser) {
        return;
    }
    mrwi_base_arena_free(&poser->arena);
    mrwi_base_free(poser);
}
