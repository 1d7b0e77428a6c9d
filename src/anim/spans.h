/* spans.h: the place of a time on the tracks of a block. */
#ifndef MRWI_ANIM_SPANS_H
#define MRWI_ANIM_SPANS_H

#include "anim/keys.h"
#include "anim/poser.h"

/* At a key, before the first and after the last, the value of a key holds, to the bit. All curves
 * are interpolated first, whatever their t; then those that hold are corrected. All have two keys
 * to read. */
#define MRWI_ANIM_HOLD_FIRST  (-1.0) /* the value of `key` holds */
#define MRWI_ANIM_HOLD_SECOND (-2.0) /* the value of key + 1 holds */

typedef struct mrwi_anim_spans {
    uint32_t key[MRWI_ANIM_BLOCK_TRACKS]; /* the first of two keys, if the track has two */
    double t[MRWI_ANIM_BLOCK_TRACKS];     /* from key to key + 1, 0 ... 1; or MRWI_ANIM_HOLD_... */
    float t32[MRWI_ANIM_BLOCK_TRACKS];    /* the same, rounded */
    uint32_t held;                        /* number of tracks that hold */
} mrwi_anim_spans;

/* Returns the last key at or before the time, or the first one. */
static inline uint32_t mrwi_anim_span_key(const mrwi_anim_spans *at, uint32_t track)
{
    return at->key[track] + (at->t[track] == MRWI_ANIM_HOLD_SECOND);
}

/* Guesses the key of a time. Any number stands for some key. */
static inline uint32_t mrwi_anim_guess_key(float rate, float offset, float time)
{
    const float guess = rate * time + offset;
    return guess > 0.0f && guess < 1e9f ? (uint32_t)guess : 0;
}

/* Finds the span of track i of a block. cursors are the block's, or NULL. */
static inline void mrwi_anim_find_track(const mrw_poser *poser, const mrwi_anim_block *block,
                                        uint32_t i, double time, uint32_t *cursors,
                                        mrwi_anim_spans *at)
{
    const uint32_t track = block->first_track + i;
    const uint32_t count = poser->clips.tracks.key_counts[track];
    const double *times = poser->scene->key_times + poser->clips.tracks.first_times[track];
    const uint32_t guess = mrwi_anim_guess_key(poser->clips.tracks.rates[track],
                                               poser->clips.tracks.offsets[track], (float)time);
    const uint32_t key =
        mrwi_anim_key_find(times, count, time, cursors ? cursors[i] : guess, guess);
    const bool last = key > 0 && key + 1 == count;
    double t = last ? MRWI_ANIM_HOLD_SECOND : MRWI_ANIM_HOLD_FIRST;
    if (key + 1 < count && time > times[key]) {
        t = (time - times[key]) / (times[key + 1] - times[key]);
    }
    at->key[i] = last ? key - 1 : key;
    at->t[i] = t;
    at->t32[i] = (float)t;
    if (t < 0.0) {
        at->held++;
    }
    if (cursors) {
        cursors[i] = key;
    }
}

#endif
