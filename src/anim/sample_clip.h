/* sample_clip.h: the channels of a clip, one after the other.
 *
 * The includer has lerp3(), from the first of two values of three floats to the second by t, in
 * double: never overflows between two finite floats, and keeps what is constant; and
 * slerp_batch(), which does a batch that is not empty and empties it. Every width gives the same
 * bits.
 */
#ifndef MRWI_ANIM_SAMPLE_CLIP_H
#define MRWI_ANIM_SAMPLE_CLIP_H

#include "anim/kernels.h"
#include "anim/keys.h"

static inline double clamp_time(double time, double duration)
{
    if (!(time > 0.0)) /* also NaN */
        return 0.0;
    return time < duration ? time : duration;
}

/* Adds a rotation to those that wait. */
static inline void add_slerp(mrwi_slerp_batch *batch, const float *keys, float t, float *out)
{
    const uint32_t i = batch->count++;
    batch->t[i] = t;
    batch->keys[i] = keys;
    batch->out[i] = out;
    if (i + 1 == MRWI_SLERP_BATCH)
        slerp_batch(batch);
}

/* T, R or S between keys k and k + 1 by t. */
static inline void interpolate(const mrw_channel *channel, const float *values, uint32_t key,
                               double t, mrw_transform *local, mrwi_slerp_batch *batch)
{
    if (channel->path == MRW_PATH_ROTATION)
        add_slerp(batch, values + (size_t)key * 4, (float)t, local->rotation);
    else
        lerp3(values + (size_t)key * 3, t,
              channel->path == MRW_PATH_SCALE ? local->scale : local->translation);
}

/* What is read often is copied, or read before the first store: no store can change it then. */
static inline void sample_clip(const mrw_sample_job *job, const mrw_clip *clip)
{
    const mrw_channel *channels = job->scene->channels + clip->first_channel;
    const double *key_times = job->scene->key_times;
    const float *key_values = job->scene->key_values;
    uint32_t *cursors = job->cursors;
    uint8_t *animated = job->animated;
    mrw_transform *locals = job->locals;
    const double time = clamp_time(job->time, clip->duration);
    const uint32_t count = clip->channel_count;
    mrwi_slerp_batch batch;
    batch.count = 0;
    uint32_t key = 0; /* channels often have the times of the one before */
    for (uint32_t c = 0; c < count; c++) {
        const mrw_channel channel = channels[c];
        const double *times = key_times + channel.first_time;
        key = mrwi_key_find(times, channel.key_count, time, cursors ? cursors[c] : key, key);
        const bool linear =
            channel.interpolation == MRW_INTERPOLATION_LINEAR && channel.path != MRW_PATH_WEIGHTS;
        const bool between = key + 1 < channel.key_count && time > times[key];
        const double t = between ? (time - times[key]) / (times[key + 1] - times[key]) : 0.0;
        if (cursors)
            cursors[c] = key;
        animated[channel.node] |= (uint8_t)(1u << channel.path); /* MRW_ANIMATED_... */
        if (linear && between)
            interpolate(&channel, key_values + channel.first_value, key, t, &locals[channel.node],
                        &batch);
        else
            mrwi_sample_channel(job, &channels[c], time, key);
    }
    if (batch.count > 0)
        slerp_batch(&batch);
}

#endif
