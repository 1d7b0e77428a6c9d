/* cache.h: models that were loaded and prepared, found again by what was read. */
#ifndef MRWI_SESSION_CACHE_H
#define MRWI_SESSION_CACHE_H

#include "session/environments.h"
#include "session/framings.h"
#include "session/internal.h"
#include "session/matcaps.h"

/* Orders settings by all that mrw_session_load reads of them; 0: they load the same. */
int mrwi_session_compare_loading(const mrw_settings *a, const mrw_settings *b);

/* What is asked for. */
typedef struct mrwi_session_wanted {
    const char *path;
    const mrw_settings *settings;
    const mrw_session_host *host;
    uint8_t model[32]; /* mrwi_load_model_hash, or zeros */
} mrwi_session_wanted;

/* Reads the model's file for its hash. */
mrwi_session_wanted mrwi_session_want(const char *path, const mrw_settings *settings,
                                      const mrw_session_host *host);

/* A model in a cache. Of the cache, valid until it is given back as often as it was taken. */
typedef struct mrwi_session_loaded mrwi_session_loaded;

/* The model, loaded when there is none. */
mrw_status mrwi_session_cache_take(mrw_session_cache *cache, const mrwi_session_wanted *wanted,
                                   mrwi_session_loaded **out, mrw_error *error);
void mrwi_session_cache_give(mrw_session_cache *cache, mrwi_session_loaded *loaded);

/* In place of giving it back: it stays until the cache is freed. */
void mrwi_session_cache_keep(mrw_session_cache *cache, mrwi_session_loaded *loaded);

mrwi_session_made *mrwi_session_cache_environments(mrw_session_cache *cache);
mrwi_session_made *mrwi_session_cache_matcaps(mrw_session_cache *cache);

/* The model of a scene; NULL when it is of no model in the cache. Whoever asks has taken it. */
mrwi_session_loaded *mrwi_session_cache_find(mrw_session_cache *cache, const mrw_scene *scene);

/* Whether a model that was taken is what is asked for, but for --texture-memory. */
bool mrwi_session_loaded_is(const mrwi_session_loaded *loaded, const mrwi_session_wanted *wanted);

const mrw_scene *mrwi_session_loaded_scene(const mrwi_session_loaded *loaded);
mrwi_session_framings *mrwi_session_loaded_framings(mrwi_session_loaded *loaded);

/* It prepared for drawing; *made says whether that was done now. */
mrw_status mrwi_session_loaded_model(mrwi_session_loaded *loaded, const mrw_model_def *def,
                                     int threads, const mrw_model **out, bool *made,
                                     mrw_error *error);

#endif
