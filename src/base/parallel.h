/* parallel.h: the floating-point environment and the parallel loop. */
#ifndef MRWI_BASE_PARALLEL_H
#define MRWI_BASE_PARALLEL_H

#include "marrow/base.h"

/* Nearest-even with denormals on, exceptions masked. Every public entry that computes calls enter
 * first and leave last; any library built for fast math turns denormals off for the process. */
typedef struct mrwi_fp {
    uint64_t saved;
} mrwi_fp;
mrwi_fp mrwi_fp_enter(void);
void mrwi_fp_leave(mrwi_fp saved);

/* Calls body(user, index, worker) for each index in 0 ... count - 1, each exactly once, with
 * dynamic scheduling over up to `threads` OpenMP threads (1: in the caller, nothing is started).
 * worker is 0 ... threads - 1 and identifies the thread's own scratch. The floating-point
 * environment is set in each worker. */
typedef void (*mrwi_parallel_body)(void *user, int64_t index, int worker);
void mrwi_parallel_for(int threads, int64_t count, mrwi_parallel_body body, void *user);

/* Runs lead(user) in the caller, who may give work away meanwhile, and returns when all is done. Up
 * to `threads` - 1 other OpenMP threads do it; with 1, or inside a region, nothing is started and
 * what is given away is done at once. */
typedef void (*mrwi_task)(void *user);
void mrwi_lead_tasks(int threads, mrwi_task lead, void *user);

/* For a lead: has body(user) done by whoever is idle, in the set floating-point environment. What
 * user points to must last until mrwi_tasks_wait, or the end of the lead. */
void mrwi_task_give(mrwi_task body, void *user);
void mrwi_tasks_wait(void);

/* For tests: how often threads were started or woken so far. */
uint64_t mrwi_parallel_regions(void);

#endif
