/* unused.h: files that nobody needs any more: results of an earlier run, goldens that no case uses.
 */
#ifndef MRWI_GOLDEN_UNUSED_H
#define MRWI_GOLDEN_UNUSED_H

#include "golden/expected.h"
#include "marrow/report.h"

#include <pthread.h>

/* Removes what an earlier run left in a case's folder of results, and the folder if it is empty. */
mrw_status mrwi_golden_remove_results(const char *folder, mrw_error *error);

/* True when there are pictures of frames in the folder. */
bool mrwi_golden_holds_pictures(const char *folder);

/* The first frame, by name, that there are goldens of, but that the case does not draw; "": none.
 */
mrw_status mrwi_golden_unused_frame(const mrwi_golden_expected *goldens, uint32_t checks,
                                    const mrw_case_result *result, char out[MRWI_GOLDEN_NAME_SIZE],
                                    mrw_error *error);

/* ---- files among the goldens that no case uses ----------------------------------------------- */

/* A list of them; cases add to it on any thread. */
typedef struct mrwi_golden_unused {
    pthread_mutex_t lock;
    struct mrwi_golden_unused_file *first;
    mrw_results *results; /* they end there, and are its memory */
} mrwi_golden_unused;

/* Lists goldens in the case's folder that it does not use. `pictures` are the frames whose golden
 * picture it uses; they are put in order. */
mrw_status mrwi_golden_unused_of_case(mrwi_golden_unused *unused, const mrw_case *c,
                                      const char **pictures, size_t count, mrw_error *error);

/* Lists those of cases that are no more, puts all in order into the results, and removes them with
 * `prune`. */
mrw_status mrwi_golden_unused_finish(mrwi_golden_unused *unused, const mrw_case_list *cases,
                                     bool prune, mrw_error *error);

#endif
