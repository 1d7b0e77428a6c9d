/* matcaps.h: matcaps that were loaded, for all sessions of a cache. */
#ifndef MRWI_SESSION_MATCAPS_H
#define MRWI_SESSION_MATCAPS_H

#include "marrow/session.h"

#include <pthread.h>

typedef struct mrwi_session_matcap mrwi_session_matcap;

/* Thread-safe; what is in it stays until it is freed. */
typedef struct mrwi_session_matcaps {
    pthread_mutex_t lock;
    mrwi_session_matcap *first;
} mrwi_session_matcaps;

void mrwi_session_matcaps_begin(mrwi_session_matcaps *matcaps);
void mrwi_session_matcaps_free(mrwi_session_matcaps *matcaps);

/* What --shading matcap:FILE says, into a frame whose shading is set: the file is read, and made a
 * texture unless one of the same bytes was before. A message begins with the path. */
mrw_status mrwi_session_matcaps_choose(mrwi_session_matcaps *matcaps, const mrw_settings *settings,
                                       mrw_frame_def *frame, mrw_error *error);

#endif
