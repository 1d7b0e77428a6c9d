/* sample_spec.h: the value of a channel at a time; sample_spec.c specifies it. */
#ifndef MRWI_ANIM_SAMPLE_SPEC_H
#define MRWI_ANIM_SAMPLE_SPEC_H

#include "marrow/anim.h"

/* Clamps a time to 0 ... duration; NaN becomes 0. */
static inline double mrwi_anim_clamp_time(double time, double duration)
{
    if (!(time > 0.0)) { /* also NaN */
        return 0.0;
    }
    return time < duration ? time : duration;
}

/* Samples all channels of a clip, one by one. This is the scalar kernel. */
void mrwi_anim_sample_clip(const mrw_sample_job *job);

/* Samples one channel; `key` is the last key at or before the time, or 0. */
void mrwi_anim_sample_channel(const mrw_sample_job *job, const mrw_channel *channel, double time,
                              uint32_t key);

/* Samples a channel of plain numbers. Reads only interpolation, width and key_count of `channel`.
 */
void mrwi_anim_sample_numbers(const mrw_channel *channel, const double *times, const float *values,
                              double time, float *out);

/* Finds the weights of a cubic spline at t (0 ... 1) between two keys that are `seconds` apart, for
 * the first key's value and out-tangent and the second key's value and in-tangent. */
void mrwi_anim_cubic_weights(double t, double seconds, double out[4]);

/* The time between a channel's keys that stands for a time beyond them. */
typedef struct mrwi_anim_place {
    double time;
    double cycles; /* how often the change over one cycle is added: REPEAT_RELATIVE; else 0 */
} mrwi_anim_place;

/* Finds the place of a time before the first key or after the last one. */
mrwi_anim_place mrwi_anim_place_beyond(const mrw_channel *channel, const double *times,
                                       double time);

#endif
