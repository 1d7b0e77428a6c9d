/* environments.h: environments of sessions. */
#ifndef MRWI_SESSION_ENVIRONMENTS_H
#define MRWI_SESSION_ENVIRONMENTS_H

#include "marrow/session.h"

#include "session/made.h"

void mrwi_session_environments_begin(mrwi_session_made *environments);

/* What --env says, into a frame whose shading and rig are set. */
mrw_status mrwi_session_environments_choose(mrwi_session_made *environments,
                                            const mrw_settings *settings, mrw_frame_def *frame,
                                            mrw_error *error);

#endif
