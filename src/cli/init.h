/* init.h: what writing a suite and extending one share. */
#ifndef CLI_INIT_H
#define CLI_INIT_H

#include "cli.h"

#define CLI_SUITE_LINE 198 /* bytes of a line of a suite */
#define CLI_SUITE_NAME 48  /* bytes of the name of a section */

/* Names of sections: each another one, and not "defaults". */
typedef struct cli_sections {
    char (*names)[CLI_SUITE_NAME + 1];
    size_t count;
} cli_sections;

/* A suite that is being written. */
typedef struct cli_draft {
    const mrw_settings *settings;
    const char *path;
    char name[CLI_SUITE_LINE]; /* the suite's name */
    cli_sections sections;
    mrw_text cases; /* written so far */
    size_t models;  /* different ones; of several, each case says which */
    bool adds;      /* to a suite that exists: each case says its model */
    bool *drawn;    /* [clip of the current model] a case draws it; NULL: none does */
    bool plays;     /* something is a clip */
} cli_draft;

/* Adds a case for each clip of a model that is not drawn yet. */
mrw_status cli_draft_put_model(cli_draft *d, const mrw_session_model *model, mrw_error *error);

/* Returns true if a model was named before, by the same or another path. */
bool cli_is_again(const mrw_text_list *models, size_t index);

/* extend.c: adds models, and clips that no case draws, to a suite that exists. */
mrw_status cli_extend_suite(const mrw_settings *settings, mrw_error *error);

#endif
