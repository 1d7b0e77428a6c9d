/* pose_cache.c: instances of a frame that play the same clip at the same time, wherever they are
 * placed, share one local pose. */
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

/* The rate is read for loops alone. */
static bool loops_the_same(const mrw_instance *a, const mrw_instance *b)
{
    return a->loop == b->loop &&
           (!a->loop || (a->rate.num == b->rate.num && a->rate.den == b->rate.den));
}

/* All that mrwi_frame_play reads of an instance. */
static bool plays_the_same(const mrw_instance *a, const mrw_instance *b)
{
    if (a->model != b->model || a->pose != b->pose) {
        return false;
    }
    if (a->pose != MRW_POSE_CLIP) {
        return true;
    }
    return a->mix == b->mix && a->clip == b->clip && bits_of(a->time) == bits_of(b->time) &&
           loops_the_same(a, b) && a->root_motion == b->root_motion;
}

static uint32_t hash_of(const mrw_instance *instance)
{
    uint64_t hash = (uint64_t)(uintptr_t)instance->model;
    if (instance->pose == MRW_POSE_CLIP) {
        hash = (hash ^ bits_of(instance->time) ^ instance->clip) * UINT64_C(0x9E3779B97F4A7C15);
    }
    return (uint32_t)((hash * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
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
    poses->cache = mrwi_base_arena_alloc(arena, places, sizeof *poses->cache);
    poses->cache_mask = (uint32_t)(places - 1);
    if (poses->cache) {
        memset(poses->cache, 0xFF, places * sizeof *poses->cache); /* MRW_NONE */
    }
    return poses->cache;
}

/* The first instance that plays what `index` does, which may be itself. */
static uint32_t find_cached(mrwi_frame_poses *poses, uint32_t index)
{
    const mrw_instance *instance = &poses->instances[index];
    if (!poses->cache) {
        return index;
    }
    for (uint32_t place = hash_of(instance);; place++) {
        uint32_t *first = &poses->cache[place & poses->cache_mask];
        if (*first == MRW_NONE) {
            *first = index;
        }
        if (plays_the_same(&poses->instances[*first], instance)) {
            return *first;
        }
    }
}

mrw_status mrwi_frame_play_cached(mrw_renderer *renderer, mrwi_frame_poses *poses, uint32_t index,
                                  mrwi_frame_local_pose **out, mrw_error *error)
{
    const uint32_t playhead = poses->playhead, first = find_cached(poses, index);
    mrwi_frame_local_pose *local;
    poses->playhead += mrwi_frame_playheads_of(&poses->instances[index]);
    if (first != index) {
        *out = poses->items[first].local;
        return MRW_OK;
    }
    local = mrwi_base_arena_alloc(&renderer->arena, 1, sizeof *local);
    if (!local) {
        return mrwi_base_fail_memory(error, sizeof *local);
    }
    local->morphed = NULL;
    *out = local;
    atomic_fetch_add_explicit(&mrwi_frame_counts.plays, 1, memory_order_relaxed);
    return mrwi_frame_play(renderer, playhead, &poses->instances[index], &local->locals, error);
}
