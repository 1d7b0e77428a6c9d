/* clips.h: finds clips of tested models that no case draws. */
#ifndef MRWI_GOLDEN_CLIPS_H
#define MRWI_GOLDEN_CLIPS_H

#include "golden/pictures.h"

/* The clips of all scenes of a run. Zero-initialise, and initialise the lock. */
typedef struct mrwi_golden_clips {
    pthread_mutex_t lock; /* Guards the list */
    struct mrwi_golden_clips_scene *first;
} mrwi_golden_clips;

/* Notes the clips of a case's model, and which of them its pictures show. May be called on any
 * thread. */
mrw_status mrwi_golden_clips_note(mrwi_golden_clips *clips, const mrw_case *c,
                                  const mrwi_golden_prepared *prepared, mrw_results *memory,
                                  mrw_error *error);

/* Fills results->undrawn with one line per model that has clips which no case draws. */
mrw_status mrwi_golden_clips_finish(const mrwi_golden_clips *clips, mrw_results *results,
                                    mrw_error *error);

#endif
