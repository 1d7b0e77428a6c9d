/* keys.h: which keys of a channel stand around a time. */
#ifndef MRWI_ANIM_KEYS_H
#define MRWI_ANIM_KEYS_H

#include "marrow/base.h"

/* Binary search: the last key at or before time; 0 when all are later. count >= 1. */
uint32_t mrwi_key_search(const double *times, uint32_t count, double time);

/* The same, trying the guess and its successor first, which is right for all but a few frames of a
 * clip that plays forwards. Any guess gives the same key. */
static inline uint32_t mrwi_key_find(const double *times, uint32_t count, double time,
                                     uint32_t guess)
{
    for (uint32_t k = guess; k < count && k - guess < 2 && times[k] <= time; k++) {
        if (k + 1 == count || time < times[k + 1])
            return k;
    }
    return mrwi_key_search(times, count, time);
}

#endif
