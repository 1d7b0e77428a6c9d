/* keys.h: which keys of a channel stand around a time. */
#ifndef MRWI_ANIM_KEYS_H
#define MRWI_ANIM_KEYS_H

#include "marrow/scene.h"

/* Binary search: the last key at or before time; 0 when all are later. count >= 1. */
uint32_t mrwi_anim_key_search(const double *times, uint32_t count, double time);

/* Moves a guess on to its successor when that has come, and says whether it is then the key between
 * which and the next one the time lies. Without a branch on the times, since in clips whose
 * channels have times of their own nothing predicts which of them moves on. */
static inline bool mrwi_anim_key_follow(const double *times, uint32_t count, double time,
                                        uint32_t *guess)
{
    if ((uint64_t)*guess + 1 >= count) {
        return false;
    }
    const uint32_t last = count - 2;
    uint32_t k = *guess;
    k += (uint32_t)(times[k + 1] <= time) & (uint32_t)(k < last);
    *guess = k;
    return (times[k] <= time) & (time < times[k + 1]);
}

/* The same as mrwi_anim_key_search: the guess first, which is right for all but a few frames of a
 * clip that plays forwards, then the other one. Any guesses give the same key. */
static inline uint32_t mrwi_anim_key_find(const double *times, uint32_t count, double time,
                                          uint32_t guess, uint32_t other)
{
    if (mrwi_anim_key_follow(times, count, time, &guess)) {
        return guess;
    }
    if (mrwi_anim_key_follow(times, count, time, &other)) {
        return other;
    }
    return mrwi_anim_key_search(times, count, time);
}

#endif
