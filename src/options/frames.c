/* frames.c: which frames of a clip settings ask for. */
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
    return clamp_time(time, duration > 0.0 ? duration : 0.0);
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
        "frame %lld lies outside the clip, which has frames 0 to %llu at %s frames a "
        "second%s",
        (long long)frame, (unsigned long long)span->last_frame, rate,
        frame < 0 ? "" : "; --wrap clamp, loop or pingpong would go on");
}

/* The number a frame of the list means; negative ones count from the end. */
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
    mrw_status status = MRW_OK;
    if (first < 0 || last < 0) {
        return refuse_frame(first < 0 ? range->first : range->last, span, error);
    }
    if (first > last && (range->first < 0) != (range->last < 0)) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT, "frames %lld to %lld are none: the clip's last frame is %llu",
            (long long)range->first, (long long)range->last, (unsigned long long)span->last_frame);
    }
    for (int64_t k = first; step > 0 ? k <= last : k >= last; k += step) {
        double time = mrwi_base_frame_time((double)k, span->rate);
        if (settings->animation.wrap == MRW_TIME_REFUSE && (uint64_t)k > span->last_frame) {
            return refuse_frame(k, span, error);
        }
        double wrapped = mrw_wrap_time((mrw_time_wrap)settings->animation.wrap, time,
                                       span->duration, span->rate);
        status = add_frame(out, (uint64_t)k, wrapped, time, error);
        if (status != MRW_OK) {
            break;
        }
    }
    return status;
}

/* N frames: the ends and evenly between, or with loop as if the end were the start again. */
static double spread_time(uint32_t i, uint32_t count, bool loop, double duration)
{
    if (loop) {
        return (double)i * duration / (double)count;
    }
    return count == 1 ? 0.0 : (double)i * duration / (double)(count - 1);
}

static mrw_status add_whole_clip(const mrw_frame_span *span, bool loop, mrw_frame_list *out,
                                 mrw_error *error)
{
    uint64_t last = span->last_frame;
    mrw_status status = MRW_OK;
    if (last >= MRW_MAX_FRAMES) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "the clip has %llu frames; choose up to %u with --frames or --count",
                              (unsigned long long)last + 1, MRW_MAX_FRAMES);
    }
    if (loop && last > 0 && mrwi_base_whole_frames(span->duration, span->rate) == last) {
        last--;
    }
    for (uint64_t k = 0; k <= last && status == MRW_OK; k++) {
        double time = mrwi_base_frame_time((double)k, span->rate);
        status = add_frame(out, k, clamp_time(time, span->duration), time, error);
    }
    return status;
}

static mrw_status choose(const mrw_settings *settings, const mrw_frame_span *span, bool sequence,
                         mrw_frame_list *out, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (settings->animation.frame_count > 0) {
        for (size_t i = 0; i < settings->animation.frame_count && status == MRW_OK; i++) {
            status = add_range(settings, &settings->animation.frames[i], span, out, error);
        }
    } else if (settings->animation.time_count > 0) {
        for (size_t i = 0; i < settings->animation.time_count && status == MRW_OK; i++) {
            double time = mrw_wrap_time((mrw_time_wrap)settings->animation.wrap,
                                        settings->animation.times[i], span->duration, span->rate);
            status = add_frame(out, i, time, settings->animation.times[i], error);
        }
    } else if (settings->animation.count > 0) {
        for (uint32_t i = 0; i < settings->animation.count && status == MRW_OK; i++) {
            double time =
                spread_time(i, settings->animation.count, settings->animation.loop, span->duration);
            status = add_frame(out, i, clamp_time(time, span->duration), time, error);
        }
    } else if (sequence) {
        status = add_whole_clip(span, settings->animation.loop, out, error);
    } else {
        status = add_frame(out, 0, 0.0, 0.0, error);
    }
    return status;
}

mrw_status mrw_settings_frames(const mrw_settings *settings, const mrw_frame_span *span,
                               bool sequence, mrw_frame_list *out, mrw_error *error)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    memset(out, 0, sizeof *out);
    mrw_status status = choose(settings, span, sequence, out, error);
    if (status != MRW_OK) {
        mrw_frame_list_free(out);
    }
    mrwi_base_fp_leave(fp);
    return status;
}
