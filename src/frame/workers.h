/* workers.h: many frames on many threads, and which of them show the same. */
#ifndef MRWI_FRAME_WORKERS_H
#define MRWI_FRAME_WORKERS_H

#include "marrow/frame.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- crew.c: what threads draw with ---------------------------------------------------------- */

struct mrw_crew {
    const mrw_backend *backend;
    int size;
    int ready; /* so many have a renderer and a drawer */
    mrw_renderer **renderers;
    void **drawers; /* the backend's */
    mrw_image *images;
};

/* Makes what the first `size` threads need, as far as it is not there. */
mrw_status mrwi_frame_crew_ready(mrw_crew *crew, int size, mrw_error *error);

/* ---- workers.c ------------------------------------------------------------------------------- */

/* What a crew is at work on, and the error of the first frame that failed. */
typedef struct mrwi_frame_workers {
    mrw_crew *crew;
    mrw_crew *own_crew; /* where none was given */
    int size;
    const mrw_instance *instances;
    uint32_t instance_count;
    mrw_instance *posed;          /* instance_count a worker, to be changed */
    _Atomic int64_t failed_index; /* the smallest that failed so far, or INT64_MAX */
    pthread_mutex_t mutex;
    mrw_status status;
    mrw_error *error;
} mrwi_frame_workers;

int mrwi_frame_workers_count(int threads, int64_t count);

/* To be freed whatever it returns. crew: of so many threads at least; NULL: renderers are made, and
 * freed with the workers. */
mrw_status mrwi_frame_workers_create(mrwi_frame_workers *workers, mrw_crew *crew, int size,
                                     const mrw_instance *instances, uint32_t instance_count,
                                     mrw_error *error);
void mrwi_frame_workers_free(mrwi_frame_workers *workers);
void mrwi_frame_workers_fail(mrwi_frame_workers *workers, int64_t index, mrw_status status,
                             const mrw_error *error);

/* Whether index is still to be done: it comes before all that failed, so that the error told does
 * not depend on which thread was faster. */
static inline bool mrwi_frame_workers_go_on(mrwi_frame_workers *workers, int64_t index)
{
    return index < atomic_load(&workers->failed_index);
}

/* A worker's own instances: as they were left, or as given but for the time of what plays. */
mrw_instance *mrwi_frame_workers_posed(const mrwi_frame_workers *workers, int worker);
mrw_instance *mrwi_frame_workers_at(const mrwi_frame_workers *workers, int worker, double time);

/* ---- duplicates.c: frames that show the same ------------------------------------------------- */

typedef struct mrwi_frame_duplicates {
    uint32_t *first;  /* of each frame: the first with the same picture */
    uint32_t *next;   /* of each frame: the next one with it, or MRW_NONE */
    uint32_t *firsts; /* all frames that are the first, in order */
    uint32_t first_count;
} mrwi_frame_duplicates;

/* Of count frames of the workers' instances, def's cameras included. Nothing is to be freed when
 * it fails. */
mrw_status mrwi_frame_duplicates_find(mrwi_frame_workers *workers, const mrw_frame_def *def,
                                      const double *times, uint32_t count,
                                      mrwi_frame_duplicates *out, mrw_error *error);
/* The same, but each by itself. */
mrw_status mrwi_frame_duplicates_none(uint32_t count, mrwi_frame_duplicates *out, mrw_error *error);
void mrwi_frame_duplicates_free(mrwi_frame_duplicates *duplicates);

#endif
