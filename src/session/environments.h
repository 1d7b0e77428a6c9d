/* environments.h: the environments that sessions share, and the choice of one by --env. */
#ifndef MRWI_SESSION_ENVIRONMENTS_H
#define MRWI_SESSION_ENVIRONMENTS_H

#include "marrow/session.h"

#include "session/derived.h"

void mrwi_session_environments_begin(mrwi_session_derived *environments);

/* Sets the environment that --env names in a frame whose shading and rig are set. */
mrw_status mrwi_session_environments_choose(mrwi_session_derived *environments,
                                            const mrw_settings *settings, mrw_frame_def *frame,
                                            mrw_error *error);

#endif
