/* render.h: the models that `marrow render` draws, on their way to files. */
#ifndef MARROW_CLI_RENDER_H
#define MARROW_CLI_RENDER_H

#include "cli.h"

/* One model on its way to files. */
typedef struct cli_job {
    const cli_drawing *how;
    const mrw_settings *settings; /* its model's own */
    const mrw_session_model *model;
    mrw_plan plan;
    mrw_session session;
    mrw_output *output; /* takes the pictures; NULL if there are passes */
    uint32_t first;     /* place of its first picture in the output, which several may share */
    mrw_pass_files passes;
    mrw_rate *rates;                /* frames per second of animations, one per file */
    mrw_plan_labels labels;         /* labels of sheets */
    mrw_plan_sprites sprites;       /* entries of sprite sheets, of all jobs */
    mrw_output_sprite *own_sprites; /* entries of this job's pictures */
    uint32_t pivot;                 /* a node, or MRW_NONE */
    uint8_t (*hashes)[32];          /* one a picture, with --json */
    char *failure;                  /* why there is a note in place of its pictures; or NULL */
    mrw_plan_layout layout;         /* cells of sheets, of all jobs */
    _Atomic uint32_t repeats;       /* pictures that were drawn for another one already */
} cli_job;

/* Adds the object of --json: what was drawn, or would be. */
mrw_status cli_job_print_json(const cli_job *j, mrw_error *error);

/* Prints the lines of --dry-run. */
mrw_status cli_job_print_plan(const cli_job *j, mrw_error *error);

/* Says what was drawn and where it is. count: of all pictures in the files. */
void cli_job_summarize(const cli_job *j, uint32_t count, double seconds);

/* Says if the folder has more frames of the same name than were written (leftovers.c). */
void cli_job_tell_leftovers(const cli_job *j);

#endif
