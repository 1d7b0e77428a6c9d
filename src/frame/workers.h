/* workers.h: many frames on many threads, and frames that show the same. */
#ifndef MRWI_FRAME_WORKERS_H
#define MRWI_FRAME_WORKERS_H

#include "base/work.h"
#include "marrow/frame.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- crew.c: renderers of threads ------------------------------------------------------------ */

struct mrw_crew {
    const mrw_backend *backend;
    int size;
    int ready; /* number of threads that have a renderer and a drawer */
    mrw_renderer **renderers;
    void **drawers; /* made by the backend */
    mrw_image *images;
};

/* Makes the renderers and drawers of the first `size` threads that do not have them. */
mrw_status mrwi_frame_crew_ready(mrw_crew *crew, int size, mrw_error *error);

/* ---- workers.c ------------------------------------------------------------------------------- */

/* Work of a crew: the instances, and the error of the first frame that failed. */
typedef struct mrwi_frame_workers {
    mrw_crew *crew;
    mrw_crew *own_crew; /* made if none was given */
    int size;
    const mrw_instance *instances;
    uint32_t instance_count;
    mrw_instance *posed;          /* instance_count per worker, for it to change */
    _Atomic int64_t failed_index; /* smallest index that failed so far, or INT64_MAX */
    pthread_mutex_t mutex;
    mrw_status status;
    mrw_error *error;
} mrwi_frame_workers;

int mrwi_frame_workers_count(int threads, int64_t count);

/* Starts the work. The workers must be freed even after a failure. `crew` has at least `size`
 * threads; NULL: the workers make renderers and free them. */
mrw_status mrwi_frame_workers_create(mrwi_frame_workers *workers, mrw_crew *crew, int size,
                                     const mrw_instance *instances, uint32_t instance_count,
                                     mrw_error *error);
void mrwi_frame_workers_free(mrwi_frame_workers *workers);
void mrwi_frame_workers_fail(mrwi_frame_workers *workers, int64_t index, mrw_status status,
                             const mrw_error *error);

/* Returns true when an index still has to be done: the work was not cancelled, and the index comes
 * before all that failed, so that the error does not depend on which thread is faster. */
static inline bool mrwi_frame_workers_go_on(mrwi_frame_workers *workers, int64_t index)
{
    return index < atomic_load(&workers->failed_index) && mrwi_base_work_goes_on();
}

/* Returns the status of the work, after all threads have ended. */
mrw_status mrwi_frame_workers_end(const mrwi_frame_workers *workers, mrw_error *error);

/* Return a worker's own instances: as it left them, or as given, with the time set where something
 * plays. */
mrw_instance *mrwi_frame_workers_posed(const mrwi_frame_workers *workers, int worker);
mrw_instance *mrwi_frame_workers_at(const mrwi_frame_workers *workers, int worker, double time);

/* ---- duplicates.c: frames that show the same ------------------------------------------------- */

typedef struct mrwi_frame_duplicates {
    uint32_t *first;  /* per frame: the first frame with the same picture */
    uint32_t *next;   /* per frame: the next frame with the same picture, or MRW_NONE */
    uint32_t *firsts; /* all first frames, in order */
    uint32_t first_count;
} mrwi_frame_duplicates;

/* Finds duplicates among `count` frames of the workers' instances and def's cameras. After a
 * failure nothing is to be freed. */
mrw_status mrwi_frame_duplicates_find(mrwi_frame_workers *workers, const mrw_frame_def *def,
                                      const double *times, uint32_t count,
                                      mrwi_frame_duplicates *out, mrw_error *error);
/* Makes each frame its own first. */
mrw_status mrwi_frame_duplicates_none(uint32_t count, mrwi_frame_duplicates *out, mrw_error *error);
void mrwi_frame_duplicates_free(mrwi_frame_duplicates *duplicates);

#endif
