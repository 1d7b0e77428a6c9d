/* sample_clip.h: samples a clip in lanes, with the bits of sample_spec.c.
 *
 * The including file defines, with the same bits at every width:
 * - lerp3(): interpolates from the first of two values of three floats to the second by t, in
 * double. It never overflows between two finite floats, and keeps what is constant.
 * - direction_lanes(): the slerp_direction() of MRWI_BASE_LANES rotation curves.
 * - follow_lanes(): finds key and t for SPAN_TRACKS tracks of three keys or more, if the time lies
 *   between each guessed key and the next, or between the two keys after that. It returns false if
 *   the time is elsewhere on one of the tracks, or exactly at a key.
 * - load_guesses(), from cursors, and make_guesses(), mrwi_anim_guess_key() of each track. */
#ifndef MRWI_ANIM_SAMPLE_CLIP_H
#define MRWI_ANIM_SAMPLE_CLIP_H

#include "anim/sample_spec.h"
#include "anim/spans.h"

#include <string.h>

/* Finds keys in passes without branches. The first pass tries the cursors. The second one tries,
 * for what is left, the key at which the time would be if keys were evenly spread. The rest is
 * searched one by one. */
static inline void find_spans(const mrw_poser *poser, const mrwi_anim_block *block, double time,
                              uint32_t *cursors, mrwi_anim_spans *at)
{
    const double *key_times = poser->scene->key_times;
    const uint32_t *firsts = poser->clips.tracks.first_times + block->first_track;
    const uint32_t *counts = poser->clips.tracks.key_counts + block->first_track;
    const float *rates = poser->clips.tracks.rates + block->first_track;
    const float *offsets = poser->clips.tracks.offsets + block->first_track;
    const uint32_t end = block->long_tracks - block->long_tracks % SPAN_TRACKS;
    uint32_t left[MRWI_ANIM_BLOCK_TRACKS / SPAN_TRACKS];
    uint32_t left_count = 0, hard_count = 0;
    at->held = 0;
    for (uint32_t i = 0; i < end; i += SPAN_TRACKS) {
        left[left_count] = i;
        left_count += !cursors ||
                      !follow_lanes(key_times, firsts + i, counts + i, time,
                                    load_guesses(cursors + i), at->key + i, at->t + i, at->t32 + i);
    }
    for (uint32_t n = 0; n < left_count; n++) {
        const uint32_t i = left[n];
        left[hard_count] = i;
        hard_count += !follow_lanes(key_times, firsts + i, counts + i, time,
                                    make_guesses(rates + i, offsets + i, (float)time), at->key + i,
                                    at->t + i, at->t32 + i);
    }
    if (cursors && end > 0) {
        memcpy(cursors, at->key, end * sizeof *cursors);
    }
    for (uint32_t n = 0; n < hard_count; n++) {
        for (uint32_t i = left[n]; i < left[n] + SPAN_TRACKS; i++) {
            mrwi_anim_find_track(poser, block, i, time, cursors, at);
        }
    }
    for (uint32_t i = end; i < block->track_count; i++) {
        mrwi_anim_find_track(poser, block, i, time, cursors, at);
    }
}

static inline void sample_vectors(const mrwi_anim_curve *curves, uint32_t count,
                                  const float *key_values, const mrwi_anim_spans *at,
                                  mrw_transform *locals)
{
    for (uint32_t i = 0; i < count; i++) {
        const mrwi_anim_curve curve = curves[i];
        lerp3(key_values + curve.source + (size_t)at->key[curve.track] * 3, at->t[curve.track],
              mrwi_anim_part(locals, curve.out));
    }
}

LANE_INLINE void store_rotations(const mrwi_anim_curve curves[MRWI_BASE_LANES], quaternions q,
                                 mrw_transform *locals)
{
    void *row[MRWI_BASE_LANES];
    LANE_UNROLL
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        row[i] = mrwi_anim_part(locals, curves[i].out);
    }
    vf4_store_rows(row, q);
}

/* Works in two passes: one whole rotation after another is too long a chain of operations for the
 * CPU to look ahead to the next group. */
static inline void sample_rotations(const mrwi_anim_curve *curves, uint32_t count,
                                    const float *key_values, const mrwi_anim_spans *at,
                                    mrw_transform *locals)
{
    quaternions directions[8];
    for (uint32_t first = 0; first < count; first += 8 * MRWI_BASE_LANES) {
        const mrwi_anim_curve *part = curves + first;
        const uint32_t left = (count - first) / MRWI_BASE_LANES; /* see MRWI_ANIM_PADDING */
        const uint32_t groups = left < 8 ? left : 8;
        for (uint32_t g = 0; g < groups; g++) {
            directions[g] = direction_lanes(part + g * MRWI_BASE_LANES, key_values, at);
        }
        for (uint32_t g = 0; g < groups; g++) {
            store_rotations(part + g * MRWI_BASE_LANES, normalise(&directions[g]), locals);
        }
    }
}

static inline void sample_clip(const mrw_sample_job *job)
{
    const mrw_poser *poser = job->poser;
    const mrw_scene *scene = poser->scene;
    const mrwi_anim_clip_plan *plan = &poser->clips.plans[job->clip];
    const double time = mrwi_anim_clamp_time(job->time, scene->clips[job->clip].duration);
    mrw_transform *locals = job->locals;
    uint32_t *cursors = job->cursors;
    mrwi_anim_spans at;
    for (uint32_t b = 0; b < plan->block_count; b++) {
        const mrwi_anim_block block = poser->clips.blocks[plan->first_block + b];
        find_spans(poser, &block, time, cursors, &at);
        if (at.held < block.track_count) {
            sample_vectors(poser->clips.curves + block.vectors, block.rotations - block.vectors,
                           scene->key_values, &at, locals);
            sample_rotations(poser->clips.curves + block.rotations, block.others - block.rotations,
                             scene->key_values, &at, locals);
        }
        mrwi_anim_sample_held(job, &block, &at);
        mrwi_anim_sample_others(job, &block, time, &at);
        if (cursors) {
            cursors += block.track_count;
        }
    }
}

#endif
