/* keys.c: binary search among key times. */
#include "anim/keys.h"

#include <assert.h>

/* Halves the range without a branch, which would be mispredicted half of the time. */
uint32_t mrwi_anim_key_search(const double *times, uint32_t count, double time)
{
    assert(count > 0);
    if (time >= times[count - 1]) {
        return count - 1;
    }
    uint32_t low = 0;
    for (uint32_t left = count; left > 1;) {
        const uint32_t half = left / 2;
        low += half & (0u - (uint32_t)(times[low + half] <= time));
        left -= half;
    }
    return low;
}
