/* results_folders.h: makes, checks and clears the results folders of a run. */
#ifndef MRWI_GOLDEN_RESULTS_FOLDERS_H
#define MRWI_GOLDEN_RESULTS_FOLDERS_H

#include "golden/lock.h"
#include "marrow/golden.h"

/* Returns the root of a case's results folder: --out, or RESULTS of RESULTS/SUITE/CASE. */
const char *mrwi_golden_results_root(const char *out, const mrw_case *c, mrw_results *memory);

/* Makes and locks the roots, which other runs then can't use. Refuses cases that would share a
 * results folder, and roots among the goldens. Without cases the root is that of --out. */
mrw_status mrwi_golden_results_take(const mrw_case_list *cases, const mrw_test_def *def,
                                    const char *const *roots, mrwi_golden_locks *locks,
                                    mrw_error *error);

/* Removes the results of the last run. `drawn` has the golden folders of the cases; `out` is that
 * of
 * --out, or NULL. */
mrw_status mrwi_golden_results_clear(const mrw_case_list *cases, const mrw_case *drawn,
                                     const char *out, const char *const *roots, mrw_error *error);

#endif
