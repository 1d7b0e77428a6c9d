/* render.h: the models that `marrow render` draws, on their way to files. */
#ifndef MARROW_CLI_RENDER_H
#define MARROW_CLI_RENDER_H

#include "cli.h"

/* One model on its way to files. Several jobs may share files; the first of them owns the output.
 */
typedef struct cli_job {
    const cli_drawing *how;
    const mrw_settings *settings; /* settings of this model, which `how` may have changed */
    const mrw_session_model *model;
    mrw_plan plan;
    mrw_session session;
    mrw_output *output; /* takes the pictures; NULL for files of passes */
    uint32_t first;     /* index of this job's first picture in the output */
    mrw_pass_files passes;
    mrw_rate *rates;                /* [file] pictures per second of animations */
    mrw_plan_labels labels;         /* labels of sheets */
    mrw_plan_sprites sprites;       /* entries of sprite sheets, of all jobs */
    mrw_output_sprite *own_sprites; /* entries of this job's pictures */
    uint32_t pivot;                 /* node of --pivot, or MRW_NONE */
    uint8_t (*hashes)[32];          /* [picture] with --json; otherwise NULL */
    char *failure;                  /* why the model cannot be read: a cell shows it; or NULL */
    mrw_plan_layout layout;         /* cells of sheets, of all jobs */
    _Atomic uint32_t repeats;       /* pictures that equal an earlier one and were not drawn */
} cli_job;

/* Opens the files of `count` jobs, in the output of the first job (render_output.c). */
mrw_status cli_job_open_files(cli_job *jobs, uint32_t count, mrw_error *error);

/* Answers --json: what was drawn, or would be. */
mrw_status cli_job_print_json(const cli_job *j, mrw_error *error);

/* Prints the lines of --dry-run: one per file of a picture, with clip, frame and time, and the view
 * if there are several. */
mrw_status cli_job_print_plan(const cli_job *j, mrw_error *error);

/* Says what was drawn and where it is, and if frames of an earlier run are there, too. count:
 * pictures in all files. */
void cli_job_summarize(const cli_job *j, uint32_t count, double seconds);

#endif
