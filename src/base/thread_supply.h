/* thread_supply.h: how many threads a parallel region can have. */
#ifndef MRWI_BASE_THREAD_SUPPLY_H
#define MRWI_BASE_THREAD_SUPPLY_H

/* Before a region of `wanted` threads, the caller among them: how many of them it can have, at
 * least 1. What it answers is the region's number of threads; with more than 1 the region's master
 * calls mrwi_base_threads_started first, with the number that it got. */
int mrwi_base_threads_reserve(int wanted);
void mrwi_base_threads_started(int started);

#endif
