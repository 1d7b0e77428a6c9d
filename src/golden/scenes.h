/* scenes.h: loads models that several cases draw once. */
#ifndef MRWI_GOLDEN_SCENES_H
#define MRWI_GOLDEN_SCENES_H

#include "marrow/models.h"
#include "marrow/suite.h"

#include <pthread.h>

/* A model together with all settings that affect loading. It is taken from the cache for the first
 * case and given back after the last. */
typedef struct mrwi_golden_shared_scene {
    mrw_session_cache *cache;
    bool stays;           /* The scene stays in the cache. */
    pthread_mutex_t lock; /* Guards the members below. */
    uint32_t maps;        /* Maps that cases read, one bit each */
    size_t users;         /* Number of cases that have not given it back */
    const mrw_scene *scene;
} mrwi_golden_shared_scene;

/* Shared scenes of a list of cases. */
typedef struct mrwi_golden_scenes {
    mrw_session_cache *cache;
    mrw_session_cache *own_cache; /* Cache of this run; NULL when one was given. */
    mrwi_golden_shared_scene *items;
    uint32_t count;
    uint32_t *of_case; /* Index in `items` of each case */
} mrwi_golden_scenes;

/* Groups the cases by model. `cache` is that of mrw_test_def. */
mrw_status mrwi_golden_scenes_make(const mrw_case_list *cases, mrw_session_cache *cache,
                                   mrwi_golden_scenes *out, mrw_error *error);
void mrwi_golden_scenes_free(mrwi_golden_scenes *scenes);

/* Takes the scene of a case. If it is not loaded yet, loads it with `threads` threads; the host
 * gets warnings. */
mrw_status mrwi_golden_scene_take(mrwi_golden_shared_scene *shared, const mrw_case *c,
                                  const mrw_session_host *host, int threads, const mrw_scene **out,
                                  mrw_error *error);

/* Gives the scene back. Call it once per case, whether the case took the scene or not. */
void mrwi_golden_scene_give(mrwi_golden_shared_scene *shared);

#endif
