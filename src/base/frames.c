/* frames.c: see frames.h. */
#include "base/frames.h"

#include <math.h>

/* frames; and half of a 32-bit float's last place */
#define TOLERANCE  1e-4
#define ROUNDING   0x1p-24
#define MOST_LOOPS 1e9
/* Integers below are exact in double. */
#define LARGEST_FRAME 9007199254740992.0

double mrwi_base_frame_time(double frame, mrw_rate rate)
{
    return frame * (double)rate.den / (double)rate.num;
}

/* The frame at a time, as a real number. */
static double frame_at(double time, mrw_rate rate)
{
    return time * (double)rate.num / (double)rate.den;
}

uint64_t mrwi_base_whole_frames(double duration, mrw_rate rate)
{
    if (rate.num == 0 || rate.den == 0) {
        return 0;
    }
    double frames = frame_at(duration, rate);
    double nearest = floor(frames + 0.5);
    double rounding = ROUNDING * nearest;
    bool whole = nearest >= 1.0 && nearest < LARGEST_FRAME &&
                 fabs(frames - nearest) < (rounding > TOLERANCE ? rounding : TOLERANCE);
    return whole ? (uint64_t)nearest : 0;
}

/* Time in units of which `period` make a cycle: frames, where that is exact, else seconds. */
typedef struct cycle {
    double at, period;
    bool in_frames;
} cycle;

static cycle cycle_of(double time, double duration, double cycles, mrw_rate rate)
{
    uint64_t frames = mrwi_base_whole_frames(duration, rate);
    if (frames == 0) {
        return (cycle){time, cycles * duration, false};
    }
    double nearest = floor(frame_at(time, rate) + 0.5);
    if (fabs(nearest) < LARGEST_FRAME && mrwi_base_frame_time(nearest, rate) == time) {
        return (cycle){nearest, cycles * (double)frames, true};
    }
    return (cycle){time, cycles * mrwi_base_frame_time((double)frames, rate), false};
}

static double time_in_clip(double at, bool in_frames, double duration, mrw_rate rate)
{
    double time = in_frames ? mrwi_base_frame_time(at, rate) : at;
    return time < duration ? time : duration;
}

mrwi_base_clip_position mrwi_base_loop(double time, double duration, mrw_rate rate)
{
    if (!(duration > 0.0) || !isfinite(time)) {
        return (mrwi_base_clip_position){0};
    }
    cycle c = cycle_of(time, duration, 1.0, rate);
    double rest = fmod(c.at, c.period);
    double loops = floor((c.at - rest) / c.period + 0.5);
    if (rest < 0.0) {
        rest += c.period;
        loops -= 1.0;
    }
    /* + 0.0: the start is never -0 */
    return (mrwi_base_clip_position){time_in_clip(rest + 0.0, c.in_frames, duration, rate),
                                     (int64_t)(loops < -MOST_LOOPS  ? -MOST_LOOPS
                                               : loops < MOST_LOOPS ? loops
                                                                    : MOST_LOOPS)};
}

double mrwi_base_pingpong(double time, double duration, mrw_rate rate)
{
    if (!(duration > 0.0) || !isfinite(time)) {
        return 0.0;
    }
    cycle c = cycle_of(time, duration, 2.0, rate);
    double rest = fabs(fmod(c.at, c.period));
    double there = rest > 0.5 * c.period ? c.period - rest : rest;
    return time_in_clip(there, c.in_frames, duration, rate);
}
