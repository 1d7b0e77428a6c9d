/* run_case.h: runs one case, from its settings to its result. */
#ifndef MRWI_GOLDEN_RUN_CASE_H
#define MRWI_GOLDEN_RUN_CASE_H

#include "golden/clips.h"
#include "golden/pictures.h"
#include "golden/unused_files.h"

/* A case to run. Members that cases share have a lock of their own. */
typedef struct mrwi_golden_job {
    const mrw_case *c;
    const char *root;        /* Root folder of its results */
    mrw_case_result *result; /* The result, in which names are already set */
    mrw_results *memory;     /* Memory of what the result points at */
    const mrw_test_def *def;
    const mrwi_golden_reference *source;
    const mrw_session_host *host;
    mrwi_golden_shared_scene *shared; /* The case's model */
    mrwi_golden_parts_kept *parts;    /* Parts of models, found on demand */
    mrwi_golden_clips *clips;         /* Collects clips that are drawn; may be NULL. */
    /* Collects goldens that the case does not use; may be NULL. */
    mrwi_golden_unused *unused;
} mrwi_golden_job;

/* Runs the case and fills in its result. A failure ends the run. */
mrw_status mrwi_golden_case_run(const mrwi_golden_job *job, const mrwi_golden_workers *workers,
                                mrw_error *error);

#endif
