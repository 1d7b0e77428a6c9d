/* time.c: exact frame times. */
#include "marrow/anim.h"

#include "base/frames.h"
#include "base/parallel.h"

#include <assert.h>
#include <math.h>

/* Integers up to here are exact in double. */
#define LARGEST_FRAME 9007199254740992.0

double mrw_frame_time(uint64_t frame, mrw_rate rate)
{
    assert(rate.num > 0 && rate.den > 0);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    double time = mrwi_base_frame_time((double)frame, rate);
    mrwi_base_fp_leave(fp);
    return time;
}

uint64_t mrw_last_frame(double duration, mrw_rate rate)
{
    assert(rate.num > 0 && rate.den > 0);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    uint64_t whole = mrwi_base_whole_frames(duration, rate);
    double last = whole > 0 ? (double)whole : floor(duration * (double)rate.num / (double)rate.den);
    mrwi_base_fp_leave(fp);
    if (!(last > 0.0)) { /* also NaN */
        return 0;
    }
    return last < LARGEST_FRAME ? (uint64_t)last : (uint64_t)LARGEST_FRAME;
}
