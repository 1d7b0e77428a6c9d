/* parallel.h: the floating-point environment and the parallel loop. */
#ifndef MRWI_BASE_PARALLEL_H
#define MRWI_BASE_PARALLEL_H

#include "marrow/base.h"

/* Nearest-even with denormals on, exceptions masked. Every public entry that computes calls enter
 * first and leave last; any library built for fast math turns denormals off for the process. */
typedef struct mrwi_base_fp {
    uint64_t saved;
} mrwi_base_fp;
mrwi_base_fp mrwi_base_fp_enter(void);
void mrwi_base_fp_leave(mrwi_base_fp saved);

/* Calls body(user, index, worker) for each index in 0 ... count - 1, each exactly once, with
 * dynamic scheduling over up to `threads` OpenMP threads (1: in the caller, nothing is started).
 * worker is 0 ... threads - 1 and identifies the thread's own scratch. The floating-point
 * environment and the caller's work (base/work.h) are set in each worker. */
typedef void (*mrwi_base_parallel_body)(void *user, int64_t index, int worker);
void mrwi_base_parallel_for(int threads, int64_t count, mrwi_base_parallel_body body, void *user);

/* Returns true inside a parallel region, where loops run in their caller. */
bool mrwi_base_parallel_inside(void);

/* Runs producer(user) in the caller, who may give work away meanwhile, and returns when all is
 * done. Up to `threads` - 1 other OpenMP threads do it; with 1, or inside a region, nothing is
 * started and what is given away is done at once. */
typedef void (*mrwi_base_task)(void *user);
void mrwi_base_tasks_run(int threads, mrwi_base_task producer, void *user);

/* For a producer: has body(user) done by whoever is idle, in the set floating-point environment.
 * What user points to must last until mrwi_base_tasks_wait, or the end of the producer. */
void mrwi_base_tasks_add(mrwi_base_task body, void *user);
void mrwi_base_tasks_wait(void);

/* For tests: how often threads were started or woken so far. */
uint64_t mrwi_base_parallel_regions(void);

#endif
