/* keys.c: binary search among key times. */
#include "anim/keys.h"

#include <assert.h>

uint32_t mrwi_key_search(const double *times, uint32_t count, double time)
{
    assert(count > 0);
    uint32_t low = 0;
    uint32_t high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}
