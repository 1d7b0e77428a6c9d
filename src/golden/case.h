/* case.h: one case, from its settings to its result. */
#ifndef MRWI_GOLDEN_CASE_H
#define MRWI_GOLDEN_CASE_H

#include "golden/clips.h"
#include "golden/pictures.h"
#include "golden/unused.h"

/* A case to run. What others use at the same time has a lock of its own. */
typedef struct mrwi_golden_job {
    const mrw_case *c;
    const char *root;        /* its results folder */
    mrw_case_result *result; /* begun: its names stand there */
    mrw_results *memory;     /* of what the result points at */
    const mrw_test_def *def;
    const mrwi_golden_reference *source;
    const mrw_session_host *host;
    mrwi_golden_shared_scene *shared; /* its model */
    mrwi_golden_parts_kept *parts;    /* of models, where they are asked for */
    mrwi_golden_clips *clips;         /* NULL: nobody asks */
    mrwi_golden_unused *unused;       /* where goldens that it does not use go; NULL: nowhere */
} mrwi_golden_job;

/* Runs the case and fills in its result. A failure ends the run. */
mrw_status mrwi_golden_case_run(const mrwi_golden_job *job, const mrwi_golden_workers *workers,
                                mrw_error *error);

#endif
