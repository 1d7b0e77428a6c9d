/* batch.h: rotations that wait to be interpolated several at a time.
 *
 * Many wait, since a vector load right behind the scalar stores that it covers would stall until
 * they reach the cache.
 */
#ifndef MRWI_ANIM_BATCH_H
#define MRWI_ANIM_BATCH_H

#include "marrow/base.h"

#define MRWI_SLERP_BATCH 64

typedef struct mrwi_slerp_batch {
    uint32_t count;
    float t[MRWI_SLERP_BATCH];           /* 0 ... 1 */
    const float *keys[MRWI_SLERP_BATCH]; /* two unit quaternions, a and b, one after the other */
    float *out[MRWI_SLERP_BATCH];        /* unit; not to be read before the batch is done */
} mrwi_slerp_batch;

/* Fills the batch up to a multiple of lanes with repetitions of its last entry. count >= 1. */
static inline uint32_t mrwi_slerp_pad(mrwi_slerp_batch *batch, uint32_t lanes)
{
    const uint32_t last = batch->count - 1;
    const uint32_t end = (batch->count + lanes - 1u) & ~(lanes - 1u);
    for (uint32_t i = batch->count; i < end; i++) {
        batch->t[i] = batch->t[last];
        batch->keys[i] = batch->keys[last];
        batch->out[i] = batch->out[last];
    }
    return end;
}

#endif
