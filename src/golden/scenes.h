/* scenes.h: models that several cases draw, loaded once. */
#ifndef MRWI_GOLDEN_SCENES_H
#define MRWI_GOLDEN_SCENES_H

#include "marrow/session.h"
#include "marrow/suite.h"

#include <pthread.h>

/* A model with all that settings say of reading it; taken from the cache when the first case wants
 * it, given back after the last. */
typedef struct mrwi_golden_shared_scene {
    mrw_session_cache *cache;
    bool stays;           /* in the cache */
    pthread_mutex_t lock; /* of what follows */
    uint32_t maps;        /* that cases read of it, a bit each */
    size_t users;         /* cases that have not given it back */
    const mrw_scene *scene;
} mrwi_golden_shared_scene;

/* Those of a list of cases. */
typedef struct mrwi_golden_scenes {
    mrw_session_cache *cache;
    mrw_session_cache *own_cache; /* where none was given */
    mrwi_golden_shared_scene *items;
    uint32_t count;
    uint32_t *of_case; /* [case of the list] */
} mrwi_golden_scenes;

/* cache: as of mrw_test_def. */
mrw_status mrwi_golden_scenes_make(const mrw_case_list *cases, mrw_session_cache *cache,
                                   mrwi_golden_scenes *out, mrw_error *error);
void mrwi_golden_scenes_free(mrwi_golden_scenes *scenes);

/* The scene of a case, which shares it; `threads` load it when it is not loaded yet, and the host
 * hears what is found. */
mrw_status mrwi_golden_scene_take(mrwi_golden_shared_scene *shared, const mrw_case *c,
                                  const mrw_session_host *host, int threads, const mrw_scene **out,
                                  mrw_error *error);

/* Once a case, taken or not. */
void mrwi_golden_scene_give(mrwi_golden_shared_scene *shared);

#endif
