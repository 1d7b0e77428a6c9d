/* failure.h: chooses which failure of several threads to report: the first in order of work, not in
 * time. */
#ifndef MRWI_GOLDEN_FAILURE_H
#define MRWI_GOLDEN_FAILURE_H

#include "base/text.h"

#include <pthread.h>

typedef struct mrwi_golden_failure {
    pthread_mutex_t lock;
    size_t at; /* Index of the failed work; SIZE_MAX when none failed. */
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

/* Returns the noted failure, or MRW_OK. Call it when no thread works any more. */
static inline mrw_status mrwi_golden_failure_end(mrwi_golden_failure *failure, mrw_error *error)
{
    pthread_mutex_destroy(&failure->lock);
    return failure->at == SIZE_MAX
               ? MRW_OK
               : mrwi_base_fail(error, failure->error.status, "%s", failure->error.text);
}

#endif
