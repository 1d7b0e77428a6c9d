/* keys.h: finds the keys of a channel around a time. */
#ifndef MRWI_ANIM_KEYS_H
#define MRWI_ANIM_KEYS_H

#include "marrow/scene.h"

/* Returns the last key at or before the time, by binary search; 0 if all are later. count >= 1. */
uint32_t mrwi_anim_key_search(const double *times, uint32_t count, double time);

/* Moves the guess to the next key if that has come. Returns true if the time then lies between the
 * guess and the key after it. It has no branch on the times: in clips whose channels have their own
 * times, no branch could be predicted. */
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

/* Returns what mrwi_anim_key_search returns. It tries the guess first, which is right for all but a
 * few frames of a clip that plays forwards, then the other guess. Any guesses give the same key. */
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
