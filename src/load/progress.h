/* progress.h: the progress of a load, for the user. Any thread may finish parts. */
#ifndef MRWI_LOAD_PROGRESS_H
#define MRWI_LOAD_PROGRESS_H

#include "marrow/load.h"

#include <stdatomic.h>

typedef struct mrwi_load_progress {
    const mrw_load_def *def;
    uint32_t count;
    _Atomic uint32_t done;
} mrwi_load_progress;

/* Adds finished parts. progress may be NULL. */
static inline void mrwi_load_progress_add(mrwi_load_progress *progress, uint32_t parts)
{
    if (progress && progress->def->progress && parts > 0) {
        const uint32_t done = atomic_fetch_add(&progress->done, parts) + parts;
        progress->def->progress(progress->def->progress_user, done, progress->count);
    }
}

#endif
