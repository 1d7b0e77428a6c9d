/* case.h: one case, from its settings to its result. */
#ifndef MRWI_GOLDEN_CASE_H
#define MRWI_GOLDEN_CASE_H

#include "golden/pictures.h"
#include "golden/unused.h"

/* What the cases of a run share. */
typedef struct mrwi_golden_plan {
    const mrw_case_list *cases;
    const mrw_test_def *def;
    mrwi_golden_reference source;
    const mrw_session_host *host;
    const char **roots;         /* results folder of each case */
    mrwi_golden_scenes *scenes; /* this and what follows: with a lock of its own */
    mrwi_golden_unused *unused;
    mrw_results *results; /* a result for each case, and their memory */
} mrwi_golden_plan;

/* Runs case `index` of the list and fills in its result. A failure ends the run. */
mrw_status mrwi_golden_case_run(const mrwi_golden_plan *plan, size_t index,
                                const mrwi_golden_workers *workers, mrw_error *error);

#endif
