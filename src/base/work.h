/* work.h: what the calling thread works for: a flag that ends the work, and a budget. */
#ifndef MRWI_BASE_WORK_H
#define MRWI_BASE_WORK_H

#include "marrow/base.h"

/* The work that one picture, or another bounded task, may take. Units do not depend on the machine:
 * the place that spends them says what one is. Zero-initialise, then set `max`. Threads share it.
 */
typedef struct mrwi_base_budget {
    uint64_t max;           /* 0: no limit */
    _Atomic uint64_t spent; /* units so far; may pass max by what each thread spends at once */
    _Atomic uint64_t most;  /* for tests: most units between two looks at the flag */
} mrwi_base_budget;

/* The work of a thread. Loops over threads pass it on to all their threads. */
typedef struct mrwi_base_work {
    const mrw_cancel *cancel; /* NULL: nothing ends it */
    mrwi_base_budget *budget; /* NULL: no limit, and nothing is counted */
} mrwi_base_work;

/* Returns the work of the calling thread. */
mrwi_base_work mrwi_base_work_now(void);

/* Sets the work of the calling thread and returns the previous one, which the caller restores. */
mrwi_base_work mrwi_base_work_enter(mrwi_base_work work);
/* Sets only the budget, and returns the previous work. */
mrwi_base_work mrwi_base_work_enter_budget(mrwi_base_budget *budget);

/* Counts units of work that are about to be done, and looks at the flag. Returns false if the work
 * must end: it was cancelled, or the budget is spent. The caller then skips the work, whose results
 * are unspecified but safe to free, and whoever waits for it calls mrwi_base_work_check before it
 * uses them. Once false, it stays false for that budget. Call it every million units or so. */
bool mrwi_base_work_spend(uint64_t units);

/* Looks at the flag without counting. */
bool mrwi_base_work_goes_on(void);

/* Returns MRW_OK while the work goes on. Otherwise returns MRW_ERROR_CANCELLED or MRW_ERROR_TIME,
 * as mrw_cancel_request said, or MRW_ERROR_INPUT if the budget is spent. The message names `what`,
 * such as a file, escaped; NULL: nothing. */
mrw_status mrwi_base_work_check(const char *what, mrw_error *error);

#endif
