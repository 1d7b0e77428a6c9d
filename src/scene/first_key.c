/* first_key.c: where the keys of a clip begin and end, and clips that begin with their first key.
 */
#include "scene/first_key.h"

#include <assert.h>
#include <math.h>

bool mrw_scene_key_span(const mrw_scene *scene, uint32_t clip, double *first, double *last)
{
    assert(clip < scene->clips_count);
    const mrw_clip *c = &scene->clips[clip];
    *first = *last = 0.0;
    for (uint32_t i = 0; i < c->channel_count; i++) {
        const mrw_channel *channel = &scene->channels[c->first_channel + i];
        const double *times = scene->key_times + channel->first_time;
        const double end = times[channel->key_count - 1];
        *first = i == 0 || times[0] < *first ? times[0] : *first;
        *last = i == 0 || end > *last ? end : *last;
    }
    return c->channel_count > 0;
}

static void begin_clip(mrw_clip *clip, const mrw_channel *channels, double *key_times, double first)
{
    double duration = 0.0;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const mrw_channel *channel = &channels[clip->first_channel + i];
        double *times = key_times + channel->first_time;
        for (uint32_t k = 0; k < channel->key_count; k++) {
            times[k] -= first;
        }
        const double last = times[channel->key_count - 1];
        duration = last > duration ? last : duration;
    }
    clip->start += first;
    clip->duration = duration;
}

/* Differences of times that differ may be equal where they are much smaller than `first`: such
 * clips stay. */
static bool keeps_order(const mrw_scene *scene, const mrw_clip *clip, double first)
{
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const mrw_channel *channel = &scene->channels[clip->first_channel + i];
        const double *times = scene->key_times + channel->first_time;
        for (uint32_t k = 1; k < channel->key_count; k++) {
            if (!(times[k] - first > times[k - 1] - first)) {
                return false;
            }
        }
    }
    return true;
}

void mrwi_scene_begin_at_first_keys(mrw_scene *scene)
{
    for (uint32_t i = 0; i < scene->clips_count; i++) {
        mrw_clip *clip = (mrw_clip *)(uintptr_t)&scene->clips[i];
        double first, last;
        if (mrw_scene_key_span(scene, i, &first, &last) && first != 0.0 && isfinite(last - first) &&
            isfinite(clip->start + first) && keeps_order(scene, clip, first)) {
            begin_clip(clip, scene->channels, (double *)(uintptr_t)scene->key_times, first);
        }
    }
}
