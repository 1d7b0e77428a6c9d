/* posed.h: the model of a command that draws nothing to files: bake and pick. */
#ifndef MARROW_CLI_POSED_H
#define MARROW_CLI_POSED_H

#include "cli.h"

#include <marrow/session.h>

/* The model of a command that draws nothing to files, and its plan. The session is begun, but not
 * prepared. */
typedef struct cli_posed {
    mrw_session_cache *cache; /* source of the models with --add; otherwise NULL */
    const mrw_scene *scene;
    mrw_session_model model;
    mrw_plan plan;
    mrw_session session;
} cli_posed;

/* Loads the model and plans its pictures. kinds: as of mrw_plan_make. *out must be zeroed, and must
 * not move afterwards. The caller frees it with cli_posed_free, also after a failure. */
mrw_status cli_posed_begin(const mrw_settings *settings, const mrw_plan_kinds *kinds,
                           cli_posed *out, mrw_error *error);
void cli_posed_free(cli_posed *posed);

#endif
