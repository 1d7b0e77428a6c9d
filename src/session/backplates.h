/* backplates.h: the pictures that sessions share for --background, and the picture behind a
 * session's pictures. */
#ifndef MRWI_SESSION_BACKPLATES_H
#define MRWI_SESSION_BACKPLATES_H

#include "marrow/session.h"

#include "session/derived.h"

void mrwi_session_backplates_begin(mrwi_session_derived *pictures);

/* Makes the picture that --background asks for, in the frame's size, and sets it in the frame. It
 * becomes *out, which the caller frees; empty if the background has one colour. */
mrw_status mrwi_session_backplate_make(mrwi_session_derived *pictures, const mrw_settings *settings,
                                       int threads, mrw_frame_def *frame, mrw_image *out,
                                       mrw_error *error);

#endif
