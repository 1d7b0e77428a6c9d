/* failure.h: of what several threads do in turn, the failure that is told: that of the first in
 * order, whichever came first. */
#ifndef MRWI_GOLDEN_FAILURE_H
#define MRWI_GOLDEN_FAILURE_H

#include "base/text.h"

#include <pthread.h>

typedef struct mrwi_golden_failure {
    pthread_mutex_t lock;
    size_t at; /* what failed; SIZE_MAX: nothing */
    mrw_error error;
} mrwi_golden_failure;

static inline void mrwi_golden_failure_begin(mrwi_golden_failure *failure)
{
    *failure = (mrwi_golden_failure){.at = SIZE_MAX};
    pthread_mutex_init(&failure->lock, NULL);
}

static inline void mrwi_golden_failure_note(mrwi_golden_failure *failure, size_t at,
                                            mrw_status status, const mrw_error *error)
{
    pthread_mutex_lock(&failure->lock);
    if (at < failure->at) {
        failure->at = at;
        failure->error = *error;
        failure->error.status = status;
    }
    pthread_mutex_unlock(&failure->lock);
}

/* What was noted, if anything was. Once nobody is at work any more. */
static inline mrw_status mrwi_golden_failure_end(mrwi_golden_failure *failure, mrw_error *error)
{
    pthread_mutex_destroy(&failure->lock);
    return failure->at == SIZE_MAX
               ? MRW_OK
               : mrwi_base_fail(error, failure->error.status, "%s", failure->error.text);
}

#endif
