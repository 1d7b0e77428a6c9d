/* draft.h: what the two files that write suites share. */
#ifndef MRWI_SUITE_DRAFT_H
#define MRWI_SUITE_DRAFT_H

#include "suite/suite.h"

/* Names of sections: no two differ only in case, and none is "defaults". */
typedef struct mrwi_suite_names {
    char (*items)[MRWI_SUITE_MAX_NAME + 1];
    size_t count;
    size_t kept; /* number of those that the extended suite has already */
} mrwi_suite_names;

struct mrw_suite_draft {
    const mrw_settings *settings;
    const char *path; /* borrowed */
    char name[MRW_SUITE_NAME_SIZE];
    mrw_case_list existing; /* cases of a suite that is extended */
    mrw_bytes before;       /* its text */
    mrwi_suite_names names; /* names of all sections */
    mrw_text cases;         /* text of the new cases */
    size_t models;          /* number of models; with several, each case names its own */
    bool extends;           /* an existing suite is extended: each new case names its model */
    bool plays;             /* a new case draws a clip */
};

/* Returns true if a suite reads a value back unchanged: it is not a list, has no comment and no
 * blanks around it. */
bool mrwi_suite_draft_is_plain(const char *text);

/* Adds a path relative to the suite's folder. Fails with MRW_ERROR_USAGE if a suite cannot hold
 * it. */
mrw_status mrwi_suite_draft_path(const char *suite, const char *path, mrw_text *text,
                                 mrw_error *error);

/* Adds the section [defaults], with the settings of the draft as keys and examples of others. */
mrw_status mrwi_suite_draft_defaults(const mrw_suite_draft *draft, mrw_text *text,
                                     mrw_error *error);

#endif
