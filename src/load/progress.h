/* progress.h: how far a load is, for who waits for it. Parts are done by any thread. */
#ifndef MRWI_LOAD_PROGRESS_H
#define MRWI_LOAD_PROGRESS_H

#include "marrow/load.h"

#include <stdatomic.h>

typedef struct mrwi_load_progress {
    const mrw_load_def *def;
    uint32_t count;
    _Atomic uint32_t done;
} mrwi_load_progress;

/* So many parts more are done. progress may be NULL. */
static inline void mrwi_load_progress_add(mrwi_load_progress *progress, uint32_t parts)
{
    if (progress && progress->def->progress && parts > 0) {
        const uint32_t done = atomic_fetch_add(&progress->done, parts) + parts;
        progress->def->progress(progress->def->progress_user, done, progress->count);
    }
}

#endif
