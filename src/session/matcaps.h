/* matcaps.h: the matcaps that sessions share, and the choice of one by --shading. */
#ifndef MRWI_SESSION_MATCAPS_H
#define MRWI_SESSION_MATCAPS_H

#include "marrow/session.h"

#include "session/derived.h"

void mrwi_session_matcaps_begin(mrwi_session_derived *matcaps);

/* Sets the matcap that --shading matcap:FILE names in a frame whose shading is set. Messages begin
 * with the path. */
mrw_status mrwi_session_matcaps_choose(mrwi_session_derived *matcaps, const mrw_settings *settings,
                                       mrw_frame_def *frame, mrw_error *error);

#endif
