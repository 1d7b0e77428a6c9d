/* pose_cache.c: instances of a moment that play the same clip at the same time, wherever they are
 * placed, share what it comes to. */
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

/* All that mrwi_play reads of an instance. */
static bool plays_the_same(const mrw_instance *a, const mrw_instance *b)
{
    if (a->model != b->model || a->pose != b->pose)
        return false;
    if (a->pose != MRW_POSE_CLIP)
        return true;
    return a->mix == b->mix && a->clip == b->clip && bits_of(a->time) == bits_of(b->time) &&
           loops_the_same(a, b) && a->root_motion == b->root_motion;
}

static uint32_t hash_of(const mrw_instance *instance)
{
    uint64_t hash = (uint64_t)(uintptr_t)instance->model;
    if (instance->pose == MRW_POSE_CLIP)
        hash = (hash ^ bits_of(instance->time) ^ instance->clip) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)((hash * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

bool mrwi_begin_parts(mrwi_arena *arena, struct mrwi_cast *cast)
{
    size_t places = 4;
    if (cast->count < 2)
        return true;
    while (places < 2 * (size_t)cast->count)
        places *= 2;
    cast->actors = mrwi_arena_alloc(arena, places, sizeof *cast->actors);
    cast->actor_mask = (uint32_t)(places - 1);
    if (cast->actors)
        memset(cast->actors, 0xFF, places * sizeof *cast->actors); /* MRW_NONE */
    return cast->actors != NULL;
}

/* The first instance that plays what `index` does, which may be itself. */
static uint32_t find_actor(struct mrwi_cast *cast, uint32_t index)
{
    const mrw_instance *instance = &cast->instances[index];
    if (!cast->actors)
        return index;
    for (uint32_t place = hash_of(instance);; place++) {
        uint32_t *actor = &cast->actors[place & cast->actor_mask];
        if (*actor == MRW_NONE)
            *actor = index;
        if (plays_the_same(&cast->instances[*actor], instance))
            return *actor;
    }
}

mrw_status mrwi_play_part(mrw_renderer *renderer, struct mrwi_cast *cast, uint32_t index,
                          struct mrwi_part **out, mrw_error *error)
{
    const uint32_t playhead = cast->playhead, actor = find_actor(cast, index);
    struct mrwi_part *part;
    cast->playhead += mrwi_playheads_of(&cast->instances[index]);
    if (actor != index) {
        *out = cast->poses[actor].part;
        return MRW_OK;
    }
    part = mrwi_arena_alloc(&renderer->arena, 1, sizeof *part);
    if (!part)
        return mrwi_fail_memory(error, sizeof *part);
    part->morphed = NULL;
    *out = part;
    atomic_fetch_add_explicit(&mrwi_frame_counts.plays, 1, memory_order_relaxed);
    return mrwi_play(renderer, playhead, &cast->instances[index], &part->locals, error);
}
