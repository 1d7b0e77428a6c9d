/* framings.h: what clips reach, measured once for all sessions that frame a model the same way. */
#ifndef MRWI_SESSION_FRAMINGS_H
#define MRWI_SESSION_FRAMINGS_H

#include "marrow/session.h"

#include <pthread.h>

/* Of one model. */
typedef struct mrwi_session_framings {
    pthread_mutex_t lock; /* of the list */
    struct mrwi_session_framing *first;
} mrwi_session_framings;

void mrwi_session_framings_begin(mrwi_session_framings *framings);
void mrwi_session_framings_free(mrwi_session_framings *framings);

/* mrw_session_extents of a session of that model for the view at hand, or what was measured for
 * another one that frames the same. */
mrw_status mrwi_session_framings_extents(mrwi_session_framings *framings, const mrw_view_def *view,
                                         mrw_session *session, mrw_extents *out, mrw_error *error);

/* For tests: how often something was measured so far, and kept. */
uint64_t mrwi_session_framings_measured(void);

#endif
