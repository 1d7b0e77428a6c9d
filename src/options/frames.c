/* frames.c: chooses the frames of a clip that the settings ask for. */
#include "base/frames.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "options/table.h"

#include <string.h>

static double clamp_time(double time, double duration)
{
    if (!(time > 0.0)) {
        return 0.0;
    }
    return time < duration ? time : duration;
}

double mrw_wrap_time(mrw_time_wrap wrap, double time, double duration, mrw_rate rate)
{
    if (wrap == MRW_TIME_LOOP) {
        return mrwi_base_loop(time, duration, rate).time;
    }
    if (wrap == MRW_TIME_PINGPONG) {
        return mrwi_base_pingpong(time, duration, rate);
    }
    if (wrap == MRW_TIME_FILE) {
        return time;
    }
    return clamp_time(time, duration > 0.0 ? duration : 0.0);
}

mrw_rate mrw_time_rate(mrw_rate fps, mrw_rate speed)
{
    uint64_t num = (uint64_t)fps.num * speed.den, den = (uint64_t)fps.den * speed.num;
    uint64_t a = num, b = den;
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    num /= a;
    den /= a;
    while (num > UINT32_MAX || den > UINT32_MAX) {
        num = num > 1 ? num / 2 : 1;
        den = den > 1 ? den / 2 : 1;
    }
    return (mrw_rate){(uint32_t)num, (uint32_t)den};
}

void mrw_frame_list_free(mrw_frame_list *list)
{
    mrwi_base_free(list->items);
    memset(list, 0, sizeof *list);
}

static mrw_status add_frame(mrw_frame_list *list, uint64_t number, double time, double asked,
                            mrw_error *error)
{
    mrw_frame_choice choice = {number, time, asked};
    void *items = list->items;
    if (list->count >= MRW_MAX_FRAMES) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "more than %u frames; choose fewer with --frames or --count",
                              MRW_MAX_FRAMES);
    }
    bool fine = mrwi_options_append(&items, &list->count, sizeof choice, &choice);
    list->items = items;
    return fine ? MRW_OK : mrwi_base_fail_memory(error, sizeof choice);
}

static mrw_status refuse_frame(int64_t frame, const mrw_frame_span *span, mrw_error *error)
{
    char rate[32];
    mrwi_base_format_double((double)span->rate.num / (double)span->rate.den, rate);
    return mrwi_base_fail(
        error, MRW_ERROR_INPUT,
        "frame %lld is outside the clip, which has frames 0 to %llu at %s frames per second%s",
        (long long)frame, (unsigned long long)span->last_frame, rate,
        frame < 0 ? "" : "; use --wrap clamp, loop, pingpong or file to continue past the end");
}

/* Returns the time of frame k. Played backwards, a clip of whole frames shows the same frames. */
static double frame_time(const mrw_settings *settings, const mrw_frame_span *span, double k)
{
    if (!settings->animation.backwards) {
        return mrwi_base_frame_time(k, span->rate);
    }
    const uint64_t whole = mrwi_base_whole_frames(span->duration, span->rate);
    return whole > 0 ? mrwi_base_frame_time((double)whole - k, span->rate)
                     : span->duration - mrwi_base_frame_time(k, span->rate);
}

/* Returns the frame that a number of the list means; negative numbers count from the end. */
static int64_t from_end(int64_t frame, const mrw_frame_span *span)
{
    return frame < 0 ? (int64_t)span->last_frame + 1 + frame : frame;
}

static mrw_status add_range(const mrw_settings *settings, const mrw_frame_range *range,
                            const mrw_frame_span *span, mrw_frame_list *out, mrw_error *error)
{
    int64_t first = from_end(range->first, span);
    int64_t last = from_end(range->last, span);
    int64_t step = first <= last ? range->step : -range->step;
    if (first < 0 || last < 0) {
        return refuse_frame(first < 0 ? range->first : range->last, span, error);
    }
    if (first > last && (range->first < 0) != (range->last < 0)) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "the range %lld to %lld contains no frames: the clip's last frame is %llu",
            (long long)range->first, (long long)range->last, (unsigned long long)span->last_frame);
    }
    for (int64_t k = first; step > 0 ? k <= last : k >= last; k += step) {
        double time = frame_time(settings, span, (double)k);
        if (settings->animation.wrap == MRW_TIME_REFUSE && (uint64_t)k > span->last_frame) {
            return refuse_frame(k, span, error);
        }
        double wrapped = mrw_wrap_time((mrw_time_wrap)settings->animation.wrap, time,
                                       span->duration, span->rate);
        mrw_status status = add_frame(out, (uint64_t)k, wrapped, time, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Returns the time of the i-th of --count frames. They are evenly spaced from the clip's start to
 * its end; with --loop the end is left out, because it shows the start again. */
static double spread_time(const mrw_settings *settings, uint32_t i, double duration)
{
    const uint32_t count = settings->animation.count;
    const uint32_t spans = settings->animation.loop || count == 1 ? count : count - 1;
    const uint32_t place = settings->animation.backwards ? spans - i : i;
    return (double)place * duration / (double)spans;
}

/* Returns entry i of --times, in seconds. */
static double asked_time(const mrw_settings *settings, size_t i, double duration)
{
    const mrw_animation_settings *animation = &settings->animation;
    const bool share = animation->time_shares && animation->time_shares[i];
    return share ? animation->times[i] * duration : animation->times[i];
}

static mrw_status add_whole_clip(const mrw_settings *settings, const mrw_frame_span *span,
                                 mrw_frame_list *out, mrw_error *error)
{
    const bool loop = settings->animation.loop;
    uint64_t last = span->last_frame;
    if (last >= MRW_MAX_FRAMES) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "the clip has %llu frames; choose up to %u with --frames or --count",
                              (unsigned long long)last + 1, MRW_MAX_FRAMES);
    }
    if (loop && last > 0 && mrwi_base_whole_frames(span->duration, span->rate) == last) {
        last--;
    }
    for (uint64_t k = 0; k <= last; k++) {
        double time = frame_time(settings, span, (double)k);
        mrw_status status = add_frame(out, k, clamp_time(time, span->duration), time, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Adds the chosen frames: by --frames, else by --times, else by --count, else all or the first. */
static mrw_status choose(const mrw_settings *settings, const mrw_frame_span *span, bool sequence,
                         mrw_frame_list *out, mrw_error *error)
{
    const mrw_animation_settings *animation = &settings->animation;
    mrw_status status;
    for (size_t i = 0; i < animation->frame_count; i++) {
        status = add_range(settings, &animation->frames[i], span, out, error);
        if (status) {
            return status;
        }
    }
    if (animation->frame_count > 0) {
        return MRW_OK;
    }
    for (size_t i = 0; i < animation->time_count; i++) {
        const double asked = asked_time(settings, i, span->duration);
        double time =
            mrw_wrap_time((mrw_time_wrap)animation->wrap, asked, span->duration, span->rate);
        status = add_frame(out, i, time, asked, error);
        if (status) {
            return status;
        }
    }
    if (animation->time_count > 0) {
        return MRW_OK;
    }
    for (uint32_t i = 0; i < animation->count; i++) {
        double time = spread_time(settings, i, span->duration);
        status = add_frame(out, i, clamp_time(time, span->duration), time, error);
        if (status) {
            return status;
        }
    }
    if (animation->count > 0) {
        return MRW_OK;
    }
    if (sequence) {
        return add_whole_clip(settings, span, out, error);
    }
    const double start = animation->backwards ? span->duration : 0.0;
    return add_frame(out, 0, start, start, error);
}

mrw_status mrw_settings_frames(const mrw_settings *settings, const mrw_frame_span *span,
                               bool sequence, mrw_frame_list *out, mrw_error *error)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    memset(out, 0, sizeof *out);
    mrw_status status = choose(settings, span, sequence, out, error);
    if (status) {
        mrw_frame_list_free(out);
    }
    mrwi_base_fp_leave(fp);
    return status;
}
