/* frames.h: the times of a clip's frames, and where in the clip a time lies that is beyond its end.
 */
#ifndef MRWI_BASE_FRAMES_H
#define MRWI_BASE_FRAMES_H

#include "marrow/base.h"

/* frame * den / num: one division, so that no error accumulates. */
double mrwi_base_frame_time(double frame, mrw_rate rate);

/* How many frames a clip lasts, where that is a whole number; else 0, and with a rate of 0/0. A ten
 * thousandth of a frame and what 32-bit floats round away are overlooked: durations are key times,
 * floats as a rule, and 32/30 is none. */
uint64_t mrwi_base_whole_frames(double duration, mrw_rate rate);

/* The position of a playhead in a clip. */
typedef struct mrwi_base_clip_position {
    double time;   /* 0 ... duration */
    int64_t loops; /* played in full before, -1e9 ... 1e9: below 0 before the start */
} mrwi_base_clip_position;

/* Times beyond the end begin again at the start. A clip of N whole frames is repeated after exactly
 * N frames, whatever its duration was rounded to: frame k shows what frame k mod N shows, to the
 * bit. A time of NaN is the start. */
mrwi_base_clip_position mrwi_base_loop(double time, double duration, mrw_rate rate);

/* Times beyond the end go back to the start, and forth again; frames as above. */
double mrwi_base_pingpong(double time, double duration, mrw_rate rate);

#endif
