/* pictures.c: lists the pictures that settings ask for: clips, times and views. */
#include "base/memory.h"
#include "base/text.h"
#include "session/internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PICTURES (4 * MRW_MAX_FRAMES)

void mrw_picture_list_free(mrw_picture_list *list)
{
    mrwi_base_free(list->items);
    *list = (mrw_picture_list){0};
}

/* ---- requested pictures ---------------------------------------------------------------------- */

static double play_time_of(const mrw_settings *settings, const mrw_frame_choice *frame)
{
    return settings->animation.wrap == MRW_TIME_LOOP ? frame->asked : frame->time;
}

/* Returns the play time of the frame beside `own` in the list. Beyond the list's ends it is a frame
 * away from `own`; with --wrap pingpong it counts from the time before folding, and so goes
 * backwards on the way back. */
static double time_beside(const mrw_settings *settings, const mrw_frame_list *frames, size_t own,
                          int direction, const mrw_frame_span *span)
{
    const size_t place = own + (size_t)direction; /* before the first frame it is beyond the last */
    const mrw_rate rate = span->rate;
    const double frame = rate.num > 0 ? (double)rate.den / (double)rate.num : 0.0;
    const double step = settings->animation.backwards ? -frame : frame;
    if (place < frames->count) {
        return play_time_of(settings, &frames->items[place]);
    }
    if (settings->animation.wrap == MRW_TIME_PINGPONG) {
        return mrw_wrap_time(MRW_TIME_PINGPONG, frames->items[own].asked + direction * step,
                             span->duration, rate);
    }
    return play_time_of(settings, &frames->items[own]) + direction * step;
}

/* Returns how many pictures to allocate for `count`: a power of two, because the list may grow once
 * per clip. */
static size_t room_of(size_t count)
{
    size_t room = count > 0 ? 16 : 0;
    while (room < count) {
        room *= 2;
    }
    return room;
}

/* Makes room for `count` more pictures. */
static mrw_status grow(mrw_picture_list *list, size_t count, mrw_error *error)
{
    const size_t total = list->count + count, room = room_of(total);
    if (total > MOST_PICTURES) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "more than %u pictures; choose fewer clips, frames or views",
                              MOST_PICTURES);
    }
    if (room == room_of(list->count)) {
        return MRW_OK;
    }
    mrw_picture *grown =
        mrwi_base_realloc(list->items, list->count * sizeof *grown, room, sizeof *grown);
    if (!grown) {
        return mrwi_base_fail_memory(error, room * sizeof *grown);
    }
    list->items = grown;
    return MRW_OK;
}

/* Appends the pictures of --turntable, each with a view of its own: all at one time, or each at
 * another time. */
static mrw_status append_turning(mrw_picture_list *list, const mrw_settings *settings,
                                 uint32_t clip, const mrw_frame_list *frames,
                                 const mrw_frame_span *span, mrw_error *error)
{
    const uint32_t views = settings->camera.turntable;
    const bool still = frames->count == 1;
    if (!still && frames->count != views) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "--turntable %u needs one time or %u times, but there are %zu; use --count %u", views,
            views, frames->count, views);
    }
    mrw_status status = grow(list, views, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < views; i++) {
        const size_t own = still ? 0 : i;
        const mrw_frame_choice *at = &frames->items[own];
        const double time = play_time_of(settings, at);
        list->items[list->count] =
            (mrw_picture){.index = list->count,
                          .clip = clip,
                          .frame = still ? i : at->number,
                          .time = at->time,
                          .play_time = time,
                          .last_time = still ? time : time_beside(settings, frames, own, -1, span),
                          .next_time = still ? time : time_beside(settings, frames, own, 1, span),
                          .view = i,
                          .last_view = (i + views - 1) % views,
                          .next_view = (i + 1) % views};
        list->count++;
    }
    list->most_frames = views;
    return MRW_OK;
}

static mrw_status append(mrw_picture_list *list, const mrw_settings *settings, uint32_t clip,
                         const mrw_frame_list *frames, const mrw_frame_span *span, mrw_error *error)
{
    const uint32_t views = list->view_count;
    mrw_status status = grow(list, frames->count * views, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < frames->count * views; i++) {
        const mrw_frame_choice *at = &frames->items[i / views];
        const uint32_t view = (uint32_t)(i % views);
        list->items[list->count] =
            (mrw_picture){.index = list->count,
                          .clip = clip,
                          .frame = at->number,
                          .time = at->time,
                          .play_time = play_time_of(settings, at),
                          .last_time = time_beside(settings, frames, i / views, -1, span),
                          .next_time = time_beside(settings, frames, i / views, 1, span),
                          .view = view,
                          .last_view = view,
                          .next_view = view};
        list->count++;
    }
    if (frames->count > list->most_frames) {
        list->most_frames = (uint32_t)frames->count;
    }
    return MRW_OK;
}

/* Returns true if all keys of a channel have one value and, with CUBICSPLINE, tangents of 0. */
static bool is_still(const mrw_scene *scene, const mrw_channel *channel)
{
    const bool cubic = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    const uint32_t width = channel->width, parts = cubic ? 3 : 1;
    const float *values = scene->key_values + channel->first_value;
    for (uint32_t k = 0; k < channel->key_count * parts; k++) {
        const bool tangent = cubic && k % 3 != 1;
        for (uint32_t i = 0; i < width; i++) {
            const float value = values[k * width + i];
            if (value != (tangent ? 0.0f : values[(cubic ? width : 0) + i])) {
                return false;
            }
        }
    }
    return true;
}

/* Returns true if a clip shows the same picture at all of its times. */
static bool clip_is_still(const mrw_session_model *model, uint32_t clip)
{
    const mrw_scene *scene = model->scene;
    if (clip == MRW_NONE || model->mix.track_count > 0 || model->settings->model.added.count > 0) {
        return false;
    }
    const mrw_clip *c = &scene->clips[clip];
    for (uint32_t i = 0; i < c->channel_count; i++) {
        if (!is_still(scene, &scene->channels[c->first_channel + i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < scene->material_channels_count; i++) {
        if (scene->material_channels[i].clip == clip) {
            return false;
        }
    }
    return true;
}

static mrw_status add_clip(const mrw_session_model *model, uint32_t clip, bool sequence,
                           mrw_picture_list *list, mrw_error *error)
{
    mrw_frame_span span = {.duration = mrw_session_clip_duration(model, clip),
                           .rate = mrw_session_time_rate(model, clip)};
    const bool turns = mrw_session_turns(model->settings);
    mrw_frame_list frames;
    mrw_settings settings = *model->settings; /* a copy that borrows the lists */
    if (settings.animation.still_once && clip_is_still(model, clip)) {
        settings.animation.count = 1;
    }
    span.last_frame = mrw_last_frame(span.duration, span.rate);
    mrw_status status = mrw_settings_frames(&settings, &span, sequence && !turns, &frames, error);
    if (status) {
        char what[600];
        snprintf(what, sizeof what, "%s: %s%s", model->path, clip == MRW_NONE ? "" : "clip ",
                 mrw_session_clip_name(model, clip));
        return mrwi_session_prefix(error, what, status);
    }
    status = turns ? append_turning(list, model->settings, clip, &frames, &span, error)
                   : append(list, model->settings, clip, &frames, &span, error);
    mrw_frame_list_free(&frames);
    return status;
}

mrw_status mrw_session_pictures(const mrw_session_model *model, bool sequence,
                                mrw_picture_list *out, mrw_error *error)
{
    mrw_session_clips clips;
    *out = (mrw_picture_list){0};
    mrw_status status = mrw_session_choose_clips(model, &clips, error);
    if (status) {
        return status;
    }
    out->clip_count = clips.count;
    out->view_count =
        mrw_session_turns(model->settings) ? 1 : mrw_session_view_count(model->settings);
    for (uint32_t i = 0; i < clips.count; i++) {
        status = add_clip(model, clips.items[i], sequence, out, error);
        if (status) {
            mrw_picture_list_free(out);
            goto out;
        }
    }
out:
    mrw_session_clips_free(&clips);
    return status;
}

/* ---- short clips ----------------------------------------------------------------------------- */

/* Frames that show nearly all of a clip's motion, and the highest frame rate to suggest. */
#define ENOUGH   24.0
#define MOST_FPS 10000.0

static void warn_of_short_clip(const mrw_session_model *model, uint32_t clip,
                               const mrw_session_host *host)
{
    const double duration = mrw_session_clip_duration(model, clip);
    const mrw_rate rate = mrw_session_time_rate(model, clip);
    char text[900], seconds[32], fps[32], better[32];
    if (!(duration > 0.0) || duration * (double)rate.num >= 1.9999 * (double)rate.den) {
        return;
    }
    const mrw_rate speed = model->settings->animation.speed;
    const double wanted = ceil(ENOUGH / duration * (double)speed.num / (double)speed.den);
    mrwi_base_format_fixed(duration, 4, seconds);
    mrwi_base_format_double((double)rate.num / (double)rate.den, fps);
    mrwi_base_format_double(wanted < MOST_FPS ? wanted : MOST_FPS, better);
    snprintf(text, sizeof text,
             "%s: clip %s lasts %s s, less than two frames at %s frames per second%s; --count 24 "
             "or --fps %s shows how it moves",
             model->path, mrw_session_clip_name(model, clip), seconds, fps,
             speed.num == speed.den ? "" : " of its time", better);
    mrwi_session_warn(host, text);
}

void mrwi_session_warn_of_short_clips(const mrw_session_model *model, const mrw_session_host *host)
{
    const mrw_animation_settings *animation = &model->settings->animation;
    mrw_session_clips clips;
    if (animation->count > 0 || animation->time_count > 0 ||
        mrw_session_choose_clips(model, &clips, NULL)) {
        return;
    }
    for (uint32_t i = 0; i < clips.count; i++) {
        if (clips.items[i] != MRW_NONE) {
            warn_of_short_clip(model, clips.items[i], host);
        }
    }
    mrw_session_clips_free(&clips);
}

/* ---- shares ---------------------------------------------------------------------------------- */

static bool are_equal(const mrw_picture *a, const mrw_picture *b)
{
    return a->clip == b->clip && a->frame == b->frame && a->time == b->time && a->view == b->view;
}

/* Orders equal pictures together, the first in the list before the others. */
static int compare(const void *left, const void *right)
{
    const mrw_picture *a = left, *b = right;
    if (a->clip != b->clip) {
        return a->clip < b->clip ? -1 : 1;
    }
    if (a->frame != b->frame) {
        return a->frame < b->frame ? -1 : 1;
    }
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->view != b->view) {
        return a->view < b->view ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Orders pictures by their places in the list. */
static int compare_places(const void *left, const void *right)
{
    const mrw_picture *a = left, *b = right;
    return a->index < b->index ? -1 : a->index > b->index;
}

bool mrw_session_wants_clips(const mrw_settings *settings)
{
    const mrw_text_list *clips = &settings->animation.clips;
    return clips->count > 1 || (clips->count == 1 && (strcmp(clips->items[0], "all") == 0 ||
                                                      strpbrk(clips->items[0], "*?[")));
}

uint64_t mrw_session_known_times(const mrw_settings *settings, bool sequence)
{
    const mrw_animation_settings *animation = &settings->animation;
    if (mrw_session_wants_clips(settings)) {
        return 0;
    }
    if (settings->camera.turntable > 0) {
        return settings->camera.turntable;
    }
    if (animation->frame_count > 0) {
        return 0; /* frames may count from the clip's end */
    }
    return animation->time_count > 0 ? animation->time_count
           : animation->count > 0    ? animation->count
                                     : !sequence;
}

uint64_t mrw_picture_list_share(mrw_picture_list *list, const mrw_settings *settings,
                                uint64_t before)
{
    mrw_picture *items = list->items;
    uint32_t different = 0, kept = 0;
    if (list->count == 0) {
        return 0;
    }
    assert(list->view_count > 0);
    qsort(items, list->count, sizeof *items, compare);
    for (uint32_t i = 0; i < list->count; i++) {
        if (different == 0 || !are_equal(&items[i], &items[different - 1])) {
            items[different++] = items[i];
        }
    }
    qsort(items, different, sizeof *items, compare_places);
    for (uint32_t i = 0; i < different; i++) {
        const uint64_t time = before + i / list->view_count;
        if (time % settings->run.shard_count == settings->run.shard_index - 1) {
            items[kept++] = items[i];
        }
    }
    list->count = kept;
    return different / list->view_count;
}
