/* unused_files.h: finds goldens that no case uses, and removes results of earlier runs. */
#ifndef MRWI_GOLDEN_UNUSED_FILES_H
#define MRWI_GOLDEN_UNUSED_FILES_H

#include "golden/expected.h"
#include "marrow/report.h"

#include <pthread.h>

/* Removes the results of an earlier run from a case's results folder, and the folder if it is
 * empty. */
mrw_status mrwi_golden_remove_results(const char *folder, mrw_error *error);

/* Returns true when there are pictures of frames in the folder. */
bool mrwi_golden_holds_pictures(const char *folder);

/* Finds the first frame, by name, that has goldens but is not drawn by the case; "" when there is
 * none. */
mrw_status mrwi_golden_unused_frame(const mrwi_golden_expected *goldens, uint32_t checks,
                                    const mrw_case_result *result, char out[MRWI_GOLDEN_NAME_SIZE],
                                    mrw_error *error);

/* ---- files among the goldens that no case uses ----------------------------------------------- */

/* List of unused goldens. Cases add to it on any thread. */
typedef struct mrwi_golden_unused {
    pthread_mutex_t lock;
    struct mrwi_golden_unused_file *first;
    mrw_results *results; /* Results that get the list and own its memory */
} mrwi_golden_unused;

/* Lists goldens in the case's folder that it does not use. `pictures` are the frames whose golden
 * picture it uses; the function sorts them. */
mrw_status mrwi_golden_unused_of_case(mrwi_golden_unused *unused, const mrw_case *c,
                                      const char **pictures, size_t count, mrw_error *error);

/* Lists goldens of removed cases, puts all into the results in order, and removes them with
 * `prune`. */
mrw_status mrwi_golden_unused_finish(mrwi_golden_unused *unused, const mrw_case_list *cases,
                                     bool prune, mrw_error *error);

#endif
