/* cameras.h: cameras of cases, measured once where they are the same. */
#ifndef MRWI_GOLDEN_CAMERAS_H
#define MRWI_GOLDEN_CAMERAS_H

#include "marrow/session.h"

#include <pthread.h>

/* What clips reach, of the cases that share a scene. */
typedef struct mrwi_golden_framing mrwi_golden_framing;

/* mrw_session_aim of a session whose scene several cases share; what is measured is kept in the
 * list, which the lock guards. Cases that frame a model the same way, as a whole or one clip of it,
 * measure it once. */
mrw_status mrwi_golden_framings_aim(mrwi_golden_framing **list, pthread_mutex_t *lock,
                                    mrw_session *session, mrw_error *error);
void mrwi_golden_framings_free(mrwi_golden_framing *framings);

/* For tests: how often something was measured so far, and kept. */
uint64_t mrwi_golden_framings_measured(void);

#endif
