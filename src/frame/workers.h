/* workers.h: many frames on many threads, and which of them show the same. */
#ifndef MRWI_FRAME_TEAM_H
#define MRWI_FRAME_TEAM_H

#include "marrow/frame.h"

#include <pthread.h>
#include <stdatomic.h>

/* True when it depends on the time. */
bool mrwi_plays(const mrw_instance *instance);

/* One renderer a worker, and the error of the first frame that failed. */
struct mrwi_team {
    mrw_renderer **renderers;
    int size;
    const mrw_instance *instances;
    uint32_t instance_count;
    mrw_instance *posed;          /* instance_count a worker, to be changed */
    _Atomic int64_t failed_index; /* the smallest that failed so far, or INT64_MAX */
    pthread_mutex_t mutex;
    mrw_status status;
    mrw_error *error;
};

int mrwi_team_size(int threads, int64_t count);

/* To be freed whatever it returns. */
mrw_status mrwi_team_create(struct mrwi_team *team, int size, const mrw_instance *instances,
                            uint32_t instance_count, mrw_error *error);
void mrwi_team_free(struct mrwi_team *team);
void mrwi_team_fail(struct mrwi_team *team, int64_t index, mrw_status status,
                    const mrw_error *error);

/* Whether index is still to be done: it comes before all that failed, so that the error told does
 * not depend on which thread was faster. */
static inline bool mrwi_team_goes_on(struct mrwi_team *team, int64_t index)
{
    return index < atomic_load(&team->failed_index);
}

/* A worker's own instances: as they were left, or as given but for the time of what plays. */
mrw_instance *mrwi_team_posed(const struct mrwi_team *team, int worker);
mrw_instance *mrwi_team_at(const struct mrwi_team *team, int worker, double time);

/* ---- duplicates.c: frames that show the same ---------------------------------------------------- */

struct mrwi_twins {
    uint32_t *first;  /* of each frame: the first with the same picture */
    uint32_t *next;   /* of each frame: the next one with it, or MRW_NONE */
    uint32_t *firsts; /* all frames that are the first, in order */
    uint32_t first_count;
};

/* Of count frames of the team's instances, def's cameras included. Nothing is to be freed when it
 * fails. */
mrw_status mrwi_twins_find(struct mrwi_team *team, const mrw_frame_def *def, const double *times,
                           uint32_t count, struct mrwi_twins *out, mrw_error *error);
/* The same, but each by itself. */
mrw_status mrwi_twins_none(uint32_t count, struct mrwi_twins *out, mrw_error *error);
void mrwi_twins_free(struct mrwi_twins *twins);

#endif
