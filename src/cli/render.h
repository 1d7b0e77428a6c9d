/* render.h: the models that `marrow render` draws, on their way to files. */
#ifndef MARROW_CLI_RENDER_H
#define MARROW_CLI_RENDER_H

#include "cli.h"

#include <marrow/session.h>

/* One model on its way to files, which several jobs may share. */
typedef struct cli_job {
    const mrw_settings *settings; /* settings of this model, which cli_drawing may have changed */
    const mrw_session_model *model;
    mrw_plan plan;
    mrw_session session;
    mrw_plan_output *files;   /* shared by all jobs */
    uint32_t index;           /* number of this job among those that share the files */
    uint32_t first;           /* index of this job's first picture in the files */
    uint8_t (*hashes)[32];    /* [picture] with --json; otherwise NULL */
    char *failure;            /* why the model cannot be read: a cell shows it; or NULL */
    _Atomic uint32_t repeats; /* pictures that equal an earlier one and were not drawn */
} cli_job;

/* Answers --json: what was drawn, or would be. */
mrw_status cli_job_print_json(const cli_job *j, mrw_error *error);

/* Prints the lines of --dry-run: one per file of a picture, with clip, frame and time, and the view
 * if there are several. */
mrw_status cli_job_print_plan(const cli_job *j, mrw_error *error);

/* Says what was drawn and where it is, and if frames of an earlier run are there, too. count:
 * pictures in all files. */
void cli_job_summarize(const cli_job *j, uint32_t count, double seconds);

#endif
