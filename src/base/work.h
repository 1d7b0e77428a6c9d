/* work.h: what the calling thread works for: a flag that ends the work, and a budget. */
#ifndef MRWI_BASE_WORK_H
#define MRWI_BASE_WORK_H

#include "marrow/base.h"

/* The work of one picture, or of another bounded task. A unit is about a nanosecond of one CPU, but
 * counts depend on the input alone. Zero-initialise it. Threads share it. */
typedef struct mrwi_base_budget {
    _Atomic uint64_t spent; /* units so far */
    _Atomic uint64_t most;  /* for tests: most units between two looks at the flag */
} mrwi_base_budget;

/* The work of a thread. Loops over threads pass it on to all their threads. */
typedef struct mrwi_base_work {
    mrw_cancel *cancel;       /* NULL: nothing ends it */
    uint64_t limit;           /* most units of a budget; 0: no limit */
    mrwi_base_budget *budget; /* NULL: nothing is counted */
} mrwi_base_work;

/* Returns the work of the calling thread. */
mrwi_base_work mrwi_base_work_now(void);

/* Sets the work of the calling thread and returns the previous one, which the caller restores. */
mrwi_base_work mrwi_base_work_enter(mrwi_base_work work);
/* Sets only the budget, and returns the previous work. */
mrwi_base_work mrwi_base_work_enter_budget(mrwi_base_budget *budget);

/* Restores the work before that of a picture, and notes the picture's work for mrw_work_most. */
void mrwi_base_work_leave_picture(const mrwi_base_budget *budget, mrwi_base_work before);

/* Counts units of work that are about to be done, and looks at the flag. Returns false if the work
 * must end: it was cancelled, or more is spent than the limit allows. The caller then skips the
 * work, and calls mrwi_base_work_check before it uses results. Once false, it stays false. */
bool mrwi_base_work_spend(uint64_t units);

/* Looks at the flag in the middle of work that was counted before. units: about as many as were
 * done since the last look, at most 2^27 or so. Returns what mrwi_base_work_spend returns. */
bool mrwi_base_work_look(uint64_t units);

/* Whoever waits for something else looks at the flag after so many seconds, again and again. */
#define MRWI_BASE_GLANCE 0.02

/* Looks at the flag alone. */
bool mrwi_base_work_goes_on(void);

/* Begins or ends a call of another library that may take seconds: see mrw_cancel_is_deaf. */
void mrwi_base_work_deaf(bool begins);

/* Returns MRW_OK while the work goes on. Otherwise returns MRW_ERROR_CANCELLED or MRW_ERROR_TIME,
 * as mrw_cancel_request said, or MRW_ERROR_INPUT if the budget is spent. The message names `what`,
 * such as a file, escaped; NULL: nothing. */
mrw_status mrwi_base_work_check(const char *what, mrw_error *error);

/* For tests: requests `cancel` at the n-th look from now (1 is the next), of all threads; 0 turns
 * it off. No work may go on meanwhile. */
void mrwi_base_work_stop_at(mrw_cancel *cancel, uint64_t n);
/* Returns true while that look is to come: a loop over n stops when a run leaves it pending. */
bool mrwi_base_work_stop_pending(void);

#endif
