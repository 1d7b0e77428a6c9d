/* suite_fixture.h: what the tests of suites share: a folder of their own, files in it, and the
 * cases of the last suite that was loaded. */
#ifndef MARROW_SUITE_FIXTURE_H
#define MARROW_SUITE_FIXTURE_H

#include "test.h"

#include "marrow/golden.h"

static mrw_case_list list;
static mrw_error error;

static inline void leave(void)
{
    mrw_cases_free(&list);
    test_folder_remove();
}

static inline mrw_status load(const char *path)
{
    const char *const paths[] = {path};
    mrw_cases_free(&list);
    error.text[0] = '\0';
    mrw_status status = mrw_cases_load(paths, 1, &list, &error);
    if (status != MRW_OK) {
        ck_assert_ptr_null(list.items);
        ck_assert_uint_eq(list.count, 0);
        ck_assert_ptr_null(strchr(error.text, '\n'));
    }
    return status;
}

/* The names of the cases with their suites: "a/b a/c". */
static inline const char *names(void)
{
    static char text[8192];
    text[0] = '\0';
    for (size_t i = 0; i < list.count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s/%s", i ? " " : "", list.items[i].suite,
                 list.items[i].name);
    }
    return text;
}

#endif
