/* changed.h: cases whose goldens were made of other inputs than they have now. */
#ifndef MRWI_GOLDEN_CHANGED_H
#define MRWI_GOLDEN_CHANGED_H

#include "golden/expected.h"
#include "marrow/golden.h"

/* What of a list is to be left out: see mrw_test_run. */
typedef struct mrwi_golden_search {
    const mrw_case_list *cases;
    const mrw_case *drawn; /* the same, as what draws them has them */
    const mrw_test_def *def;
    const mrwi_golden_reference *source;
    const bool *failed; /* [case] in the last run */
    bool *left_out;     /* [case] written */
} mrwi_golden_search;

/* Cases to skip are not left out. */
mrw_status mrwi_golden_find_unchanged(const mrwi_golden_search *search, mrw_error *error);

/* choose.c: which cases failed in the last run, or were known to fail then and are not said to be
 * now. Without results none; all, where they can't be read. out: as of mrw_test_def. */
mrw_status mrwi_golden_failed_last(const mrw_case_list *list, const char *out, bool *failed,
                                   mrw_error *error);

#endif
