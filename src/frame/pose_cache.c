/* pose_cache.c: instances of a frame that play the same clip at the same time share one local pose,
 * wherever they are placed. Those that also stand in one place share all matrices and vertices.
 * Vertices cannot be moved from one place to another: that would round differently. */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

static uint64_t bits_of(double time)
{
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

#define HASH_FACTOR UINT64_C(0x9E3779B97F4A7C15)

static uint32_t hash_playing(const mrwi_frame_poses *poses, uint32_t index)
{
    const mrw_instance *instance = &poses->instances[index];
    uint64_t hash = (uint64_t)(uintptr_t)instance->model;
    if (instance->pose == MRW_POSE_CLIP) {
        hash = (hash ^ bits_of(mrwi_frame_time(instance)) ^ instance->clip) * HASH_FACTOR;
    }
    return (uint32_t)((hash * HASH_FACTOR) >> 32);
}

/* Compares everything that mrwi_frame_play reads of an instance. */
static bool playing_the_same(const mrwi_frame_poses *poses, uint32_t first, uint32_t second)
{
    const mrw_instance *a = &poses->instances[first], *b = &poses->instances[second];
    if (a->model != b->model || a->pose != b->pose) {
        return false;
    }
    if (a->pose != MRW_POSE_CLIP) {
        return true;
    }
    /* the rate only matters for loops */
    const bool same_rate = a->rate.num == b->rate.num && a->rate.den == b->rate.den;
    return a->mix == b->mix && a->clip == b->clip &&
           bits_of(mrwi_frame_time(a)) == bits_of(mrwi_frame_time(b)) && a->loop == b->loop &&
           a->beyond == b->beyond && (!a->loop || same_rate) && a->root_motion == b->root_motion;
}

static uint32_t hash_standing(const mrwi_frame_poses *poses, uint32_t index)
{
    const mrwi_frame_pose *pose = &poses->items[index];
    uint64_t hash = (uint64_t)(uintptr_t)pose->local, part;
    for (int i = 0; i < 16; i += 2) {
        memcpy(&part, pose->model_to_world.m + i, sizeof part);
        hash = (hash ^ part) * HASH_FACTOR;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* Compares, to the bit, everything that the matrices and vertices of a pose depend on. */
static bool standing_the_same(const mrwi_frame_poses *poses, uint32_t a, uint32_t b)
{
    const mrwi_frame_pose *x = &poses->items[a], *y = &poses->items[b];
    return x->local == y->local && x->instance->skinning == y->instance->skinning &&
           memcmp(&x->model_to_world, &y->model_to_world, sizeof x->model_to_world) == 0;
}

static uint32_t *make_table(mrwi_base_arena *arena, size_t places)
{
    uint32_t *table = mrwi_base_arena_alloc(arena, places, sizeof *table);
    if (table) {
        memset(table, 0xFF, places * sizeof *table); /* MRW_NONE */
    }
    return table;
}

bool mrwi_frame_pose_cache_begin(mrwi_base_arena *arena, mrwi_frame_poses *poses)
{
    size_t places = 4;
    if (poses->count < 2) {
        return true;
    }
    while (places < 2 * (size_t)poses->count) {
        places *= 2;
    }
    poses->playing = make_table(arena, places);
    poses->standing = make_table(arena, places);
    poses->table_mask = (uint32_t)(places - 1);
    return poses->playing && poses->standing;
}

/* Returns the first instance that equals `index`, possibly itself. Without a table the instance is
 * alone. */
static uint32_t find_first(const mrwi_frame_poses *poses, uint32_t *table, uint32_t index,
                           uint32_t (*hash)(const mrwi_frame_poses *, uint32_t),
                           bool (*same)(const mrwi_frame_poses *, uint32_t, uint32_t))
{
    if (!table) {
        return index;
    }
    for (uint32_t place = hash(poses, index);; place++) {
        uint32_t *first = &table[place & poses->table_mask];
        if (*first == MRW_NONE) {
            *first = index;
        }
        if (same(poses, *first, index)) {
            return *first;
        }
    }
}

uint32_t mrwi_frame_first_playing(mrwi_frame_poses *poses, uint32_t index)
{
    return find_first(poses, poses->playing, index, hash_playing, playing_the_same);
}

uint32_t mrwi_frame_first_standing(mrwi_frame_poses *poses, uint32_t index)
{
    return find_first(poses, poses->standing, index, hash_standing, standing_the_same);
}

mrw_status mrwi_frame_play_cached(mrwi_frame_scratch *scratch, mrwi_frame_poses *poses,
                                  uint32_t index, mrwi_frame_local_pose **out, mrw_error *error)
{
    const uint32_t playhead = poses->playhead, first = mrwi_frame_first_playing(poses, index);
    mrwi_frame_local_pose *local;
    poses->playhead += mrwi_frame_playheads_of(&poses->instances[index]);
    if (first != index) {
        *out = poses->items[first].local;
        return MRW_OK;
    }
    local = mrwi_base_arena_alloc(&scratch->arena, 1, sizeof *local);
    if (!local) {
        return mrwi_base_fail_memory(error, sizeof *local);
    }
    local->morphed = NULL;
    local->measured = NULL;
    local->look = (mrwi_frame_look){NULL, NULL};
    *out = local;
    atomic_fetch_add_explicit(&mrwi_frame_counts.plays, 1, memory_order_relaxed);
    return mrwi_frame_play(scratch, playhead, &poses->instances[index], &local->locals, error);
}
