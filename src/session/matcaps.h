/* matcaps.h: matcaps of sessions. */
#ifndef MRWI_SESSION_MATCAPS_H
#define MRWI_SESSION_MATCAPS_H

#include "marrow/session.h"

#include "session/made.h"

void mrwi_session_matcaps_begin(mrwi_session_made *matcaps);

/* What --shading matcap:FILE says, into a frame whose shading is set. A message begins with the
 * path. */
mrw_status mrwi_session_matcaps_choose(mrwi_session_made *matcaps, const mrw_settings *settings,
                                       mrw_frame_def *frame, mrw_error *error);

#endif
