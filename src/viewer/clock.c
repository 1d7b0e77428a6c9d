/* clock.c: which frame of a clip is shown, how it plays, and where its keys are. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_TIME 1e-6 /* seconds; times that lie closer are one */

/* ---- a clip ---------------------------------------------------------------------------------- */

static int compare_times(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Returns the clip of a track; without a mix there is one track. */
static uint32_t clip_of(const mrw_session_model *model, uint32_t clip, uint32_t track)
{
    return track == 0 && !model->mix.fixed ? clip : model->mix.tracks[track].clip;
}

/* Writes the key times of a channel, each times the factor; out may be NULL. Returns their count.
 */
static size_t add_times(const mrw_scene *scene, uint32_t first_time, uint32_t key_count,
                        double factor, double *out)
{
    for (uint32_t k = 0; out && k < key_count; k++) {
        out[k] = scene->key_times[first_time + k] * factor;
    }
    return key_count;
}

/* Writes the times of all keys of a clip and returns their count. out may be NULL. stretched: the
 * duration that the clip is stretched to. */
static size_t times_of(const mrw_scene *scene, uint32_t clip, double stretched, double *out)
{
    const mrw_clip *of = &scene->clips[clip];
    const double factor = of->duration > 0.0 ? stretched / of->duration : 1.0;
    size_t count = 0;
    uint32_t first;
    const uint32_t materials = mrw_scene_material_channels(scene, clip, &first);
    for (uint32_t c = 0; c < of->channel_count; c++) {
        const mrw_channel *channel = &scene->channels[of->first_channel + c];
        count += add_times(scene, channel->first_time, channel->key_count, factor,
                           out ? out + count : NULL);
    }
    for (uint32_t c = 0; c < materials; c++) {
        const mrw_material_channel *channel = &scene->material_channels[first + c];
        count += add_times(scene, channel->first_time, channel->key_count, factor,
                           out ? out + count : NULL);
    }
    return count;
}

/* Finds the key times of all clips that play, each once. */
static mrw_status find_keys(const mrw_session_model *model, uint32_t clip, viewer_timing *out,
                            mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    const uint32_t tracks = model->mix.track_count > 0 ? model->mix.track_count : 1;
    size_t count = 0, kept = 0;
    for (uint32_t t = 0; t < tracks; t++) {
        count += times_of(scene, clip_of(model, clip, t), 0.0, NULL);
    }
    double *times = malloc((count + 1) * sizeof *times);
    if (!times) {
        return viewer_fail_memory(error);
    }
    count = 0;
    for (uint32_t t = 0; t < tracks; t++) {
        const uint32_t one = clip_of(model, clip, t);
        const bool synced = model->mix.sync && model->mix.tracks[t].mode == MRW_TRACK_BLEND;
        count += times_of(scene, one, synced ? out->duration : scene->clips[one].duration,
                          times + count);
    }
    qsort(times, count, sizeof *times, compare_times);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || times[i] > times[kept - 1] + SAME_TIME) {
            times[kept++] = times[i];
        }
    }
    out->keys = times;
    out->key_count = kept;
    return MRW_OK;
}

mrw_status viewer_clock_begin(viewer_clock *clock, const mrw_session_model *model, uint32_t clip,
                              mrw_error *error)
{
    viewer_clock_free(clock);
    clock->timing.duration = mrw_session_clip_duration(model, clip);
    clock->timing.rate = mrw_session_clip_rate(model, clip);
    clock->timing.last =
        clip == MRW_NONE ? 0 : mrw_last_frame(clock->timing.duration, clock->timing.rate);
    clock->range.in = 0;
    clock->range.out = clock->timing.last;
    clock->phase = 0;
    viewer_clock_to_frame(clock, 0);
    return clip == MRW_NONE ? MRW_OK : find_keys(model, clip, &clock->timing, error);
}

void viewer_clock_free(viewer_clock *clock)
{
    free(clock->timing.keys);
    clock->timing.keys = NULL;
    clock->timing.key_count = 0;
}

/* ---- going somewhere ------------------------------------------------------------------------- */

void viewer_clock_to_frame(viewer_clock *clock, uint64_t frame)
{
    clock->frame = frame < clock->timing.last ? frame : clock->timing.last;
    const double time = mrw_frame_time(clock->frame, clock->timing.rate);
    clock->time = clock->play_time = time < clock->timing.duration ? time : clock->timing.duration;
    clock->phase = 0;
}

void viewer_clock_to_time(viewer_clock *clock, double time)
{
    const double most = clock->timing.duration;
    const double within = time < 0.0 ? 0.0 : time > most ? most : time;
    const double frames = within * (double)clock->timing.rate.num / (double)clock->timing.rate.den;
    viewer_clock_to_frame(clock, (uint64_t)floor(frames + 0.5));
    if (fabs(clock->time - within) > SAME_TIME) {
        clock->time = clock->play_time = within; /* between frames */
    }
}

void viewer_clock_step(viewer_clock *clock, int frames)
{
    const double at = mrw_frame_time(clock->frame, clock->timing.rate);
    clock->playing = false;
    if (frames > 0) { /* between two frames: goes to the later one */
        viewer_clock_to_frame(clock, clock->frame + (clock->time < at - SAME_TIME ? 0u : 1u));
    } else if (clock->time > at + SAME_TIME) {
        viewer_clock_to_frame(clock, clock->frame);
    } else {
        viewer_clock_to_frame(clock, clock->frame > 0 ? clock->frame - 1 : 0);
    }
}

void viewer_clock_to_key(viewer_clock *clock, bool next)
{
    clock->playing = false;
    if (next) {
        for (size_t i = 0; i < clock->timing.key_count; i++) {
            if (clock->timing.keys[i] > clock->time + SAME_TIME) {
                viewer_clock_to_time(clock, clock->timing.keys[i]);
                return;
            }
        }
    }
    for (size_t i = clock->timing.key_count; !next && i > 0; i--) {
        if (clock->timing.keys[i - 1] < clock->time - SAME_TIME) {
            viewer_clock_to_time(clock, clock->timing.keys[i - 1]);
            return;
        }
    }
}

/* ---- playing --------------------------------------------------------------------------------- */

double viewer_clock_speed(const viewer_clock *clock)
{
    return clock->speed < 0 ? 1.0 / (double)(1 << -clock->speed) : (double)(1 << clock->speed);
}

/* Goes one frame on, within in and out. A loop of a whole clip skips the last frame, because it
 * shows the same as the first. */
static void advance(viewer_clock *clock)
{
    const bool whole =
        clock->range.in == 0 && clock->range.out == clock->timing.last && clock->timing.last > 0;
    const uint64_t out = clock->range.out - (whole && clock->repeat == VIEWER_LOOP ? 1 : 0);
    const bool at_end = clock->backward ? clock->frame <= clock->range.in : clock->frame >= out;
    if (clock->frame < clock->range.in || clock->frame > clock->range.out) {
        viewer_clock_to_frame(clock, clock->range.in);
    } else if (!at_end) {
        viewer_clock_to_frame(clock, clock->backward ? clock->frame - 1 : clock->frame + 1);
    } else if (clock->repeat == VIEWER_LOOP) {
        viewer_clock_to_frame(clock, clock->backward ? out : clock->range.in);
    } else if (clock->repeat == VIEWER_ONCE) {
        clock->playing = false;
    } else if (clock->range.in < clock->range.out) {
        clock->backward = !clock->backward;
        viewer_clock_to_frame(clock, clock->backward ? clock->frame - 1 : clock->frame + 1);
    }
}

/* Counts in integers, so that ten short ticks add up to exactly one long tick. */
void viewer_clock_tick(viewer_clock *clock, uint64_t microseconds)
{
    const uint64_t frame = (uint64_t)clock->timing.rate.den * 1000000u << -VIEWER_SLOWEST;
    const uint64_t most = 3600000000u; /* an hour */
    if (!clock->playing || clock->timing.last == 0) {
        return;
    }
    clock->phase += (microseconds < most ? microseconds : most) * clock->timing.rate.num
                    << (clock->speed - VIEWER_SLOWEST);
    uint64_t steps = clock->phase / frame, rest = clock->phase % frame;
    /* bounds the work after the machine slept */
    steps = steps > 4 * clock->timing.last ? 4 * clock->timing.last : steps;
    while (steps-- > 0 && clock->playing) {
        advance(clock);
    }
    clock->phase = rest;
}
