/* framings.h: extents of clips, measured once for all sessions that frame a model the same way. */
#ifndef MRWI_SESSION_FRAMINGS_H
#define MRWI_SESSION_FRAMINGS_H

#include "marrow/session.h"

#include <pthread.h>

/* Measured extents of one model. */
typedef struct mrwi_session_framings {
    pthread_mutex_t lock; /* guards the list */
    struct mrwi_session_framing *first;
    uint32_t count;
} mrwi_session_framings;

void mrwi_session_framings_begin(mrwi_session_framings *framings);
void mrwi_session_framings_free(mrwi_session_framings *framings);

/* Does mrw_session_extents for the current view of a session of that model, or returns what was
 * measured for a session that frames the same. */
mrw_status mrwi_session_framings_extents(mrwi_session_framings *framings, const mrw_view_def *view,
                                         mrw_session *session, mrw_extents *out, mrw_error *error);

/* Returns how many measurements have been made and kept so far. For tests. */
uint64_t mrwi_session_framings_measured(void);

#endif
