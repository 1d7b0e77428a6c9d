/* cli.h: declarations shared by the commands, of which each has about one file. They use public
 * headers, and the private ones of the program's other rooms. */
#ifndef MARROW_CLI_H
#define MARROW_CLI_H

#include "host/host.h"

#include <marrow/golden.h>
#include <marrow/json.h>
#include <marrow/plan.h>

/* ---- commands: settings are checked before; each returns an exit status ---------------------- */

int cli_render(const mrw_settings *settings);
int cli_sheet(const mrw_settings *settings);
int cli_sprites(const mrw_settings *settings);
int cli_info(const mrw_settings *settings);
int cli_bake(const mrw_settings *settings);
int cli_pick(const mrw_settings *settings);
int cli_batch(const mrw_settings *settings);
int cli_compile(const mrw_settings *settings);
int cli_doctor(const mrw_settings *settings);
int cli_test(const mrw_settings *settings);
int cli_accept(const mrw_settings *settings);
int cli_diff(const mrw_settings *settings);
int cli_report(const mrw_settings *settings);
int cli_init(const mrw_settings *settings);
int cli_view(const mrw_settings *settings);
int cli_bench(const mrw_settings *settings);
int cli_completions(const mrw_settings *settings);
int cli_help(const mrw_settings *settings);
int cli_version(const mrw_settings *settings);

/* ---- opinion.c ------------------------------------------------------------------------------- */

/* Draws cases with software and with the backend that settings ask for, and compares them. Returns
 * the exit status. */
int cli_second_opinion(const mrw_settings *settings, const mrw_case_list *cases);

/* ---- test.c and accept.c --------------------------------------------------------------------- */

/* Fails with MRW_ERROR_USAGE if a suite has no goldens because they lie under another name
 * (mrw_find_misnamed_suites), unless `forced`. The message begins with `what`. cases: all cases of
 * the suites. */
mrw_status cli_check_names(bool forced, const char *what, const mrw_case_list *cases,
                           mrw_error *error);

/* Does the same as `marrow accept SUITE/NAME --from FOLDER` for a case of a suite file. Fails if no
 * golden is written. */
mrw_status cli_accept_case(const char *suite_file, const char *suite, const char *name,
                           const char *from, uint32_t *written, mrw_error *error);

/* ---- view.c ---------------------------------------------------------------------------------- */

/* Keeps the command line for `view`, without the program's name. Call it before any command. */
void cli_view_arguments(int argc, const char *const *argv);

/* ---- render.c: pictures of models to files --------------------------------------------------- */

typedef struct cli_drawing {
    const mrw_plan_kinds *kinds;
    /* Changes settings to suit a model, or NULL. `own` is a copy whose lists are borrowed. */
    void (*suit)(const mrw_scene *scene, mrw_settings *own);
    mrw_plan_before before; /* set by cli_draw */
} cli_drawing;

/* Draws the models that settings name, for `render`, `sheet` and `sprites`. Returns the exit
 * status. */
int cli_draw(const mrw_settings *settings, const cli_drawing *how);

#endif
