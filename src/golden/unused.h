/* unused.h: files that nobody needs any more: results of an earlier run, goldens that no case uses.
 */
#ifndef MRWI_GOLDEN_UNUSED_H
#define MRWI_GOLDEN_UNUSED_H

#include "golden/store.h"

struct mrwi_golden_run;
struct mrwi_golden_case_run;

/* Removes what an earlier run left in a case's folder of results, and the folder if it is empty. */
mrw_status mrwi_golden_remove_results(const char *folder, mrw_error *error);

/* True when there are pictures of frames in the folder. */
bool mrwi_golden_holds_pictures(const char *folder);

/* The first frame, by name, that there are goldens of, but that the case does not draw; "": none.
 */
mrw_status mrwi_golden_unused_frame(const struct mrwi_golden_case_run *cr,
                                    char out[MRWI_GOLDEN_NAME_SIZE], mrw_error *error);

/* Lists goldens in the case's folder that it does not use. */
mrw_status mrwi_golden_unused_of_case(struct mrwi_golden_case_run *cr, mrw_error *error);

/* Lists those of cases that are no more, puts all in order into the results, and removes them with
 * `prune`. */
mrw_status mrwi_golden_unused_finish(struct mrwi_golden_run *run, mrw_error *error);

#endif
