/* run.h: golden tests at work. In the order of the flow:
 *
 *   choose.c    the cases of a list that are to run
 *   run.c       all of them: workers, results folders, results.json
 *   lock.c      one run at a time in a results folder
 *   scenes.c    their models, each loaded once
 *   case.c      one case: from its settings to its outcome, its goldens where they are updated
 *   pictures.c  its pictures: which they are, drawn one after the other or several at once
 *   cameras.c   its cameras, measured once for all cases that frame the same
 *   frame.c     one frame: drawn, masked, compared, its files
 *
 *   expected.c  what a case is compared with: goldens; store.c: their text files, lines.c: in lines
 *   against.c   or what another marrow draws; against_read.c: what it says
 *   promote.c   results to goldens; accept.c: afterwards, from a results folder
 *   unused.c    goldens that no case uses; old results
 */
#ifndef MRWI_GOLDEN_RUN_H
#define MRWI_GOLDEN_RUN_H

#include "golden/expected.h"
#include "golden/scenes.h"
#include "marrow/golden.h"

#include <pthread.h>
#include <stdatomic.h>

/* What one thread works with. */
typedef struct mrwi_golden_worker {
    mrw_renderer *renderer;
    mrw_image image;       /* what was drawn last */
    bool drawn;            /* that is the frame at hand, too: it shows what `duplicate_of` does */
    uint32_t duplicate_of; /* the frame it was drawn for */
    mrw_image expected;    /* the golden read last */
    uint8_t *mask;
    size_t mask_size;
    mrw_instance *instances;
    uint32_t instance_capacity;
} mrwi_golden_worker;

/* A file among the goldens that no case uses. */
typedef struct mrwi_golden_unused {
    const char *path;
    struct mrwi_golden_unused *next;
} mrwi_golden_unused;

typedef struct mrwi_golden_run {
    const mrw_case_list *cases;
    const mrw_test_def *def;
    mrwi_golden_reference source;
    mrw_stage_host host;
    mrw_results *results;
    const char **roots; /* results folder of each case */
    struct mrwi_golden_run_lock *locks;
    size_t lock_count;
    mrwi_golden_scenes scenes;
    mrwi_golden_worker *workers;
    int worker_count;
    int inner_threads;    /* of one case */
    atomic_bool stop;     /* start no case any more */
    atomic_bool bad;      /* a case has failed */
    pthread_mutex_t lock; /* of all that follows */
    mrwi_golden_unused *unused;
    size_t done;
    size_t failed_at; /* of the cases whose error ends the run, the first one */
    mrw_error failure;
    char told[1024]; /* the machine's warning before */
} mrwi_golden_run;

/* ---- lock.c ---------------------------------------------------------------------------------- */

/* Locks results folders that are there, each once. Waits for other runs, and asks def->waiting
 * meanwhile. Whatever comes of it, there is something to be unlocked. */
mrw_status mrwi_golden_lock_roots(mrwi_golden_run *run, const char *const *roots, size_t count,
                                  mrw_error *error);
void mrwi_golden_unlock_roots(mrwi_golden_run *run);

#endif
