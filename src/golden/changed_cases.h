/* changed_cases.h: finds cases whose goldens were made of other inputs than they have now. */
#ifndef MRWI_GOLDEN_CHANGED_CASES_H
#define MRWI_GOLDEN_CHANGED_CASES_H

#include "golden/expected.h"
#include "marrow/golden.h"

/* Search for the cases of a list that --changed leaves out: see mrw_test_run. */
typedef struct mrwi_golden_search {
    const mrw_case_list *cases;
    const mrw_case *drawn; /* The same cases as the drawer has them */
    const mrw_test_def *def;
    const mrwi_golden_reference *source;
    const bool *failed; /* Per case: it failed in the last run. */
    bool *left_out;     /* Output per case: it is left out. */
} mrwi_golden_search;

/* Sets left_out. Cases with `skip` are never left out. */
mrw_status mrwi_golden_find_unchanged(const mrwi_golden_search *search, mrw_error *error);

/* Finds the cases that failed in the last run, or were known to fail then but no longer are.
 * Marks none without results, and all if the results are unreadable. `out` is that of
 * mrw_test_def. See choose.c. */
mrw_status mrwi_golden_failed_last(const mrw_case_list *list, const char *out, bool *failed,
                                   mrw_error *error);

#endif
