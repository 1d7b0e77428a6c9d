/* sample_clip.h: a clip at a time, in lanes.
 *
 * The includer has, with the same bits at every width,
 * - lerp3(), from the first of two values of three floats to the second by t, in double: never
 *   overflows between two finite floats, and keeps what is constant;
 * - direction_lanes(), the slerp_direction() of LANES rotation curves, and store_lanes(), which
 *   stores as many rotations;
 * - find_tracks(), which does as many of a block's first tracks as it can at once, and returns how
 *   many; mrwi_find_track() does the others.
 */
#ifndef MRWI_ANIM_SAMPLE_CLIP_H
#define MRWI_ANIM_SAMPLE_CLIP_H

#include "anim/spans.h"

static inline double clamp_time(double time, double duration)
{
    if (!(time > 0.0)) /* also NaN */
        return 0.0;
    return time < duration ? time : duration;
}

static inline void find_spans(const mrw_poser *poser, const mrwi_block *block, double time,
                              uint32_t *cursors, mrwi_spans *at)
{
    uint32_t key = 0; /* tracks are often at the same key */
    at->held = 0;
    for (uint32_t i = find_tracks(poser, block, time, cursors, at); i < block->track_count; i++)
        key = mrwi_find_track(poser, block, i, time, key, cursors, at);
}

static inline void sample_vectors(const mrwi_curve *curves, uint32_t count, const float *key_values,
                                  const mrwi_spans *at, float *locals)
{
    for (uint32_t i = 0; i < count; i++) {
        const mrwi_curve curve = curves[i];
        lerp3(key_values + curve.source + (size_t)at->key[curve.track] * 3, at->t[curve.track],
              locals + curve.out);
    }
}

/* In two passes: one rotation after another is too long a chain of operations for the CPU to look
 * ahead to the next group. */
static inline void sample_rotations(const mrwi_curve *curves, uint32_t count,
                                    const float *key_values, const mrwi_spans *at, float *locals)
{
    quaternions directions[8];
    for (uint32_t first = 0; first < count; first += 8 * LANES) {
        const mrwi_curve *part = curves + first;
        const uint32_t left = (count - first) / LANES; /* see MRWI_PADDING */
        const uint32_t groups = left < 8 ? left : 8;
        for (uint32_t g = 0; g < groups; g++)
            directions[g] = direction_lanes(part + g * LANES, key_values, at);
        for (uint32_t g = 0; g < groups; g++) {
            const quaternions q = normalise(&directions[g]);
            store_lanes(part + g * LANES, &q, locals);
        }
    }
}

static inline void sample_clip(const mrw_sample_job *job)
{
    const mrw_poser *poser = job->poser;
    const mrw_scene *scene = poser->scene;
    const mrwi_clip_plan *plan = &poser->clips[job->clip];
    const double time = clamp_time(job->time, scene->clips[job->clip].duration);
    float *locals = (float *)job->locals;
    uint32_t *cursors = job->cursors;
    mrwi_spans at;
    for (uint32_t b = 0; b < plan->block_count; b++) {
        const mrwi_block block = poser->blocks[plan->first_block + b];
        find_spans(poser, &block, time, cursors, &at);
        if (at.held < block.track_count) {
            sample_vectors(poser->curves + block.vectors, block.rotations - block.vectors,
                           scene->key_values, &at, locals);
            sample_rotations(poser->curves + block.rotations, block.others - block.rotations,
                             scene->key_values, &at, locals);
        }
        mrwi_sample_held(job, &block, &at);
        mrwi_sample_others(job, &block, time, &at);
        if (cursors)
            cursors += block.track_count;
    }
}

#endif
