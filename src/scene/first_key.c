/* first_key.c: finds the span of a clip's keys, and makes clips begin with their first key. */
#include "scene/first_key.h"

#include <assert.h>
#include <math.h>

/* The keys of one channel of a clip. */
typedef struct channel_keys {
    const double *times;
    uint32_t count;
} channel_keys;

/* Counts the channels of a clip: those of nodes, then those of materials. */
static uint32_t count_channels(const mrw_scene *scene, uint32_t clip)
{
    uint32_t first;
    return scene->clips[clip].channel_count + mrw_scene_material_channels(scene, clip, &first);
}

static channel_keys keys_of(const mrw_scene *scene, uint32_t clip, uint32_t index)
{
    const mrw_clip *c = &scene->clips[clip];
    if (index < c->channel_count) {
        const mrw_channel *channel = &scene->channels[c->first_channel + index];
        return (channel_keys){scene->key_times + channel->first_time, channel->key_count};
    }
    uint32_t first;
    mrw_scene_material_channels(scene, clip, &first);
    const mrw_material_channel *channel =
        &scene->material_channels[first + index - c->channel_count];
    return (channel_keys){scene->key_times + channel->first_time, channel->key_count};
}

bool mrw_scene_key_span(const mrw_scene *scene, uint32_t clip, double *first, double *last)
{
    assert(clip < scene->clips_count);
    const uint32_t count = count_channels(scene, clip);
    *first = *last = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const channel_keys keys = keys_of(scene, clip, i);
        const double end = keys.times[keys.count - 1];
        *first = i == 0 || keys.times[0] < *first ? keys.times[0] : *first;
        *last = i == 0 || end > *last ? end : *last;
    }
    return count > 0;
}

static void begin_clip(const mrw_scene *scene, uint32_t index, double first)
{
    mrw_clip *clip = (mrw_clip *)(uintptr_t)&scene->clips[index];
    double duration = 0.0;
    for (uint32_t i = 0; i < count_channels(scene, index); i++) {
        const channel_keys keys = keys_of(scene, index, i);
        double *times = (double *)(uintptr_t)keys.times;
        for (uint32_t k = 0; k < keys.count; k++) {
            times[k] -= first;
        }
        const double last = times[keys.count - 1];
        duration = last > duration ? last : duration;
    }
    clip->start += first;
    clip->duration = duration;
}

/* Returns true if times stay different. If they are much smaller than `first`, their differences
 * from it may be equal: such clips stay unchanged. */
static bool keeps_order(const mrw_scene *scene, uint32_t clip, double first)
{
    for (uint32_t i = 0; i < count_channels(scene, clip); i++) {
        const channel_keys keys = keys_of(scene, clip, i);
        for (uint32_t k = 1; k < keys.count; k++) {
            if (!(keys.times[k] - first > keys.times[k - 1] - first)) {
                return false;
            }
        }
    }
    return true;
}

void mrwi_scene_begin_at_first_keys(mrw_scene *scene)
{
    for (uint32_t i = 0; i < scene->clips_count; i++) {
        double first, last;
        if (mrw_scene_key_span(scene, i, &first, &last) && first != 0.0 && isfinite(last - first) &&
            isfinite(scene->clips[i].start + first) && keeps_order(scene, i, first)) {
            begin_clip(scene, i, first);
        }
    }
}
