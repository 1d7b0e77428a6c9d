/* cache.h: a cache of loaded and prepared models, which finds them by what was read. */
#ifndef MRWI_SESSION_CACHE_H
#define MRWI_SESSION_CACHE_H

#include "session/backplates.h"
#include "session/environments.h"
#include "session/framings.h"
#include "session/internal.h"
#include "session/matcaps.h"

/* Orders settings by everything that mrw_session_load reads of them; 0: both load the same. */
int mrwi_session_compare_loading(const mrw_settings *a, const mrw_settings *b);

/* A request for a model. */
typedef struct mrwi_session_wanted {
    mrwi_session_source source;
    const mrw_settings *settings;
    const mrw_session_host *host;
    uint8_t model[32]; /* mrwi_load_model_hash, or zeros */
} mrwi_session_wanted;

/* Makes a request; reads the model's file, or its bytes, for its hash. */
mrwi_session_wanted mrwi_session_want(const mrwi_session_source *source,
                                      const mrw_settings *settings, const mrw_session_host *host);

/* A model in a cache, which owns it. Valid until it is given back as often as it was taken. */
typedef struct mrwi_session_loaded mrwi_session_loaded;

/* Takes the model from the cache; loads it if the cache does not have it. */
mrw_status mrwi_session_cache_take(mrw_session_cache *cache, const mrwi_session_wanted *wanted,
                                   mrwi_session_loaded **out, mrw_error *error);
void mrwi_session_cache_give(mrw_session_cache *cache, mrwi_session_loaded *loaded);

/* Gives it back, but keeps it in the cache until that is freed. */
void mrwi_session_cache_keep(mrw_session_cache *cache, mrwi_session_loaded *loaded);

mrwi_session_derived *mrwi_session_cache_environments(mrw_session_cache *cache);
mrwi_session_derived *mrwi_session_cache_matcaps(mrw_session_cache *cache);
mrwi_session_derived *mrwi_session_cache_backplates(mrw_session_cache *cache);

/* Returns the model of a scene; NULL if the cache has no such model. The caller has taken it. */
mrwi_session_loaded *mrwi_session_cache_find(mrw_session_cache *cache, const mrw_scene *scene);

/* Returns true if a model that was taken satisfies the request; --texture-memory is not compared.
 */
bool mrwi_session_loaded_is(const mrwi_session_loaded *loaded, const mrwi_session_wanted *wanted);

const mrw_scene *mrwi_session_loaded_scene(const mrwi_session_loaded *loaded);
mrwi_session_framings *mrwi_session_loaded_framings(mrwi_session_loaded *loaded);

/* Meshes of a model that are closed and face inwards: how many, and the first draw of one. */
typedef struct mrwi_session_insides {
    uint32_t count, first;
} mrwi_session_insides;

/* Returns true and what was noted for the model, whatever pose it had; or false. Thread-safe. */
bool mrwi_session_loaded_insides(const mrwi_session_loaded *loaded, mrwi_session_insides *out);
void mrwi_session_loaded_note_insides(mrwi_session_loaded *loaded,
                                      const mrwi_session_insides *insides);

/* Prepares the model for drawing, unless it is prepared in the same way already; *made is true if
 * it was done now. */
mrw_status mrwi_session_loaded_model(mrwi_session_loaded *loaded, const mrw_model_def *def,
                                     int threads, const mrw_model **out, bool *made,
                                     mrw_error *error);

#endif
