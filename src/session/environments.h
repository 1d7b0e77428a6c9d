/* environments.h: environments that were loaded, for all sessions of a cache. */
#ifndef MRWI_SESSION_ENVIRONMENTS_H
#define MRWI_SESSION_ENVIRONMENTS_H

#include "marrow/session.h"

#include <pthread.h>

typedef struct mrwi_session_environment mrwi_session_environment;

/* Thread-safe; what is in it stays until it is freed. */
typedef struct mrwi_session_environments {
    pthread_mutex_t lock;
    mrwi_session_environment *first;
} mrwi_session_environments;

void mrwi_session_environments_begin(mrwi_session_environments *environments);
void mrwi_session_environments_free(mrwi_session_environments *environments);

/* The environment of a Radiance file, which is read, and prepared unless a file of the same bytes
 * was before; NULL: the studio. seen: as a background, too. A message begins with the path. */
mrw_status mrwi_session_environments_take(mrwi_session_environments *environments, const char *path,
                                          bool seen, int threads, const mrw_environment **out,
                                          mrw_error *error);

/* What --env says, into a frame whose shading and rig are set. */
mrw_status mrwi_session_environments_choose(mrwi_session_environments *environments,
                                            const mrw_settings *settings, mrw_frame_def *frame,
                                            mrw_error *error);

#endif
