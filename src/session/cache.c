/* cache.c: loads and prepares a model once for all who ask for it. Two models are the same if they
 * are loaded with the same settings and all files that were read have the same bytes. */
#include "session/cache.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/work.h"
#include "frame/frame.h"
#include "options/table.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Bytes that an entry takes besides its scene, and a prepared model besides its textures: rounded
 * up. */
#define ENTRY_BYTES    16384u
#define PREPARED_BYTES 65536u

/* A scene prepared for drawing in one of the ways that sessions ask for. */
typedef struct prepared_model {
    mrw_model_def def; /* def.left_out points into the model. */
    mrw_model *model;
    struct prepared_model *next;
} prepared_model;

typedef struct preparations {
    pthread_mutex_t lock;
    prepared_model *first;
} preparations;

/* The request for which a model is loaded. It is complete before the model is, so that later
 * requests can be compared with it. */
typedef struct question {
    char *path;
    bool piped; /* The model is that of standard input. */
    mrw_settings
        settings; /* Only what decides how the model is loaded; its texts are in `texts`. */
    void *texts;
    uint32_t maps; /* Maps that are decoded, one bit per map. */
    uint8_t model[32];
} question;

/* Why a model is in the cache. */
typedef struct tenancy {
    uint32_t users;
    bool kept;      /* it stays until the cache is freed */
    bool useless;   /* it failed for a reason that another request need not have */
    uint64_t used;  /* time of the last request, by the cache's clock */
    uint64_t bytes; /* its part of `held`; 0 while it is used */
} tenancy;

struct mrwi_session_loaded {
    question asked;
    mrwi_session_loaded *next; /* The cache's lock guards this field and those below. */
    tenancy stay;
    bool done;                /* Loading has ended, with or without a scene. The fields below are
                               * constant from then on. */
    mrwi_load_opened *opened; /* Files read: the model, then each --anim, then --displacement. */
    mrw_scene *scene;
    mrw_error error; /* The reason if there is no scene. */

    mrwi_session_framings framings;
    preparations prepared;
    _Atomic uint64_t insides; /* 0: unknown; else the first, and above it one more than the count */
};

struct mrw_session_cache {
    pthread_mutex_t lock;
    pthread_cond_t done;        /* Signalled when a model is done. */
    mrwi_session_loaded *first; /* New models come last, so that threads which walk the list meet
                                 * them. */
    uint64_t limit;             /* Bytes that unused models may take. */
    uint64_t held;              /* Bytes that they take. */
    uint64_t clock;
    mrwi_session_derived environments, matcaps, backplates;
};

/* ---- what is the same ------------------------------------------------------------------------ */

static int compare_uint(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_but_memory(const mrw_settings *a, const mrw_settings *b)
{
    int order = 0;
    for (size_t i = 0; i < mrwi_options_option_count && order == 0; i++) {
        const mrwi_options_option *option = &mrwi_options[i];
        if ((option->roles & MRWI_OPTIONS_LOADS) != 0 &&
            option->offset != offsetof(mrw_settings, files.texture_memory)) {
            order = mrwi_options_compare(a, b, option);
        }
    }
    return order;
}

int mrwi_session_compare_loading(const mrw_settings *a, const mrw_settings *b)
{
    const int order = compare_uint(a->files.texture_memory, b->files.texture_memory);
    return order != 0 ? order : compare_but_memory(a, b);
}

mrwi_session_wanted mrwi_session_want(const mrwi_session_source *source,
                                      const mrw_settings *settings, const mrw_session_host *host)
{
    mrwi_session_wanted wanted = {.source = *source, .settings = settings, .host = host};
    assert(!host || !host->clips_only); /* others would get a scene without maps */
    const mrw_load_def def = mrw_session_load_def(settings, host);
    if (source->bytes) {
        mrwi_load_memory_hash(source->bytes, source->size, source->path, &def, wanted.model);
    } else if (!mrwi_session_is_piped(source) &&
               !mrwi_load_model_hash(source->path, &def, wanted.model)) {
        memset(wanted.model, 0, sizeof wanted.model); /* unreadable: loading gives the reason */
    }
    return wanted;
}

/* Returns true if the model may satisfy the request, as far as can be known while it is loaded. It
 * may have more maps decoded than requested. */
static bool may_be(const mrwi_session_loaded *loaded, const mrwi_session_wanted *wanted)
{
    const uint32_t maps = mrwi_session_maps(wanted->settings, wanted->host);
    return (maps & ~loaded->asked.maps) == 0 &&
           loaded->asked.piped == mrwi_session_is_piped(&wanted->source) &&
           memcmp(loaded->asked.model, wanted->model, sizeof wanted->model) == 0 &&
           compare_but_memory(&loaded->asked.settings, wanted->settings) == 0;
}

/* Decides the rest once the model is loaded. It compares the hash that loading itself found,
 * because the file may have changed since the request was made. */
static bool is_same(const mrwi_session_loaded *loaded, const mrwi_session_wanted *wanted)
{
    const mrwi_load_opened *opened = loaded->opened;
    const bool same = mrwi_session_is_piped(&wanted->source) ||
                      memcmp(opened->model, wanted->model, sizeof wanted->model) == 0;
    return same &&
           mrwi_session_files_again(opened, &wanted->source, wanted->settings, wanted->host);
}

bool mrwi_session_loaded_is(const mrwi_session_loaded *loaded, const mrwi_session_wanted *wanted)
{
    return may_be(loaded, wanted) && is_same(loaded, wanted);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Returns the number of entries of `opened`. */
static size_t entries_of(const mrw_settings *settings)
{
    return settings->animation.anims.count + 2;
}

static void free_loaded(mrwi_session_loaded *loaded)
{
    while (loaded->prepared.first) {
        prepared_model *next = loaded->prepared.first->next;
        mrw_model_free(loaded->prepared.first->model);
        mrwi_base_free(loaded->prepared.first);
        loaded->prepared.first = next;
    }
    for (size_t i = 0; loaded->opened && i < entries_of(&loaded->asked.settings); i++) {
        mrwi_load_opened_free(&loaded->opened[i]);
    }
    mrw_scene_free(loaded->scene);
    mrwi_session_framings_free(&loaded->framings);
    pthread_mutex_destroy(&loaded->prepared.lock);
    mrwi_base_free(loaded->opened);
    mrwi_base_free(loaded->asked.path);
    mrwi_base_free(loaded->asked.texts);
    mrwi_base_free(loaded);
}

static mrwi_session_loaded *make_loaded(const mrwi_session_wanted *wanted)
{
    const char *path = wanted->source.path;
    const size_t size = strlen(path) + 1, files = entries_of(wanted->settings);
    mrwi_session_loaded *loaded = mrwi_base_alloc_zero(1, sizeof *loaded);
    if (!loaded) {
        return NULL;
    }
    pthread_mutex_init(&loaded->prepared.lock, NULL);
    mrwi_session_framings_begin(&loaded->framings);
    loaded->asked.piped = mrwi_session_is_piped(&wanted->source);
    loaded->asked.maps = mrwi_session_maps(wanted->settings, wanted->host);
    memcpy(loaded->asked.model, wanted->model, sizeof loaded->asked.model);
    loaded->asked.path = mrwi_base_alloc(size, 1);
    loaded->opened = mrwi_base_alloc_zero(files, sizeof *loaded->opened);
    if (!mrwi_options_copy_loading(wanted->settings, &loaded->asked.settings,
                                   &loaded->asked.texts) ||
        !loaded->asked.path || !loaded->opened) {
        free_loaded(loaded);
        return NULL;
    }
    memcpy(loaded->asked.path, path, size);
    return loaded;
}

mrw_status mrw_session_cache_create(mrw_session_cache **out, mrw_error *error)
{
    *out = mrwi_base_alloc_zero(1, sizeof **out);
    if (!*out) {
        return mrwi_base_fail_memory(error, sizeof **out);
    }
    pthread_mutex_init(&(*out)->lock, NULL);
    pthread_cond_init(&(*out)->done, NULL);
    mrwi_session_environments_begin(&(*out)->environments);
    mrwi_session_matcaps_begin(&(*out)->matcaps);
    mrwi_session_backplates_begin(&(*out)->backplates);
    return MRW_OK;
}

void mrw_session_cache_free(mrw_session_cache *cache)
{
    if (!cache) {
        return;
    }
    while (cache->first) {
        mrwi_session_loaded *next = cache->first->next;
        free_loaded(cache->first);
        cache->first = next;
    }
    mrwi_session_derived_free(&cache->environments);
    mrwi_session_derived_free(&cache->matcaps);
    mrwi_session_derived_free(&cache->backplates);
    pthread_cond_destroy(&cache->done);
    pthread_mutex_destroy(&cache->lock);
    mrwi_base_free(cache);
}

mrwi_session_derived *mrwi_session_cache_environments(mrw_session_cache *cache)
{
    return &cache->environments;
}

mrwi_session_derived *mrwi_session_cache_matcaps(mrw_session_cache *cache)
{
    return &cache->matcaps;
}

mrwi_session_derived *mrwi_session_cache_backplates(mrw_session_cache *cache)
{
    return &cache->backplates;
}

/* ---- taking and giving back ------------------------------------------------------------------ */

/* Returns the bytes of an unused model: the scene, what was prepared of it, and what was recorded.
 */
static uint64_t count_bytes(const mrwi_session_loaded *loaded)
{
    uint64_t bytes = ENTRY_BYTES + (loaded->scene ? loaded->scene->blob_size : 0);
    for (const prepared_model *at = loaded->prepared.first; at; at = at->next) {
        bytes += PREPARED_BYTES + mrw_model_texture_memory(at->model);
    }
    return bytes;
}

/* Takes a model from the list and frees it. The caller holds the lock. */
static void drop(mrw_session_cache *cache, mrwi_session_loaded *loaded)
{
    mrwi_session_loaded **link = &cache->first;
    while (*link != loaded) {
        link = &(*link)->next;
    }
    *link = loaded->next;
    cache->held -= loaded->stay.bytes;
    free_loaded(loaded);
}

/* Frees models that nobody can use, and unused ones, the least recently used first, until the
 * others fit the limit. The caller holds the lock. */
static void trim(mrw_session_cache *cache)
{
    for (mrwi_session_loaded *at = cache->first, *next; at; at = next) {
        next = at->next;
        if (at->stay.users == 0 && at->stay.useless) {
            drop(cache, at);
        }
    }
    while (cache->held > cache->limit) {
        mrwi_session_loaded *oldest = NULL;
        for (mrwi_session_loaded *at = cache->first; at; at = at->next) {
            if (at->stay.bytes > 0 && (!oldest || at->stay.used < oldest->stay.used)) {
                oldest = at;
            }
        }
        drop(cache, oldest);
    }
}

/* Makes a thread no longer a user of a model. The caller holds the lock, and calls trim. */
static void leave(mrw_session_cache *cache, mrwi_session_loaded *loaded)
{
    assert(loaded->stay.users > 0);
    if (--loaded->stay.users == 0 && !loaded->stay.kept) {
        loaded->stay.bytes = count_bytes(loaded);
        cache->held += loaded->stay.bytes;
    }
}

/* Gives a model back. If nobody uses it, it stays as long as the limit allows. The caller holds the
 * lock. */
static void give(mrw_session_cache *cache, mrwi_session_loaded *loaded)
{
    leave(cache, loaded);
    trim(cache);
}

/* Makes a thread a user of a model. The caller holds the lock. */
static void use(mrw_session_cache *cache, mrwi_session_loaded *loaded)
{
    loaded->stay.users++;
    cache->held -= loaded->stay.bytes;
    loaded->stay.bytes = 0;
}

void mrw_session_cache_limit(mrw_session_cache *cache, uint64_t bytes)
{
    pthread_mutex_lock(&cache->lock);
    cache->limit = bytes;
    trim(cache);
    pthread_mutex_unlock(&cache->lock);
}

void mrwi_session_cache_give(mrw_session_cache *cache, mrwi_session_loaded *loaded)
{
    pthread_mutex_lock(&cache->lock);
    give(cache, loaded);
    pthread_mutex_unlock(&cache->lock);
}

void mrwi_session_cache_keep(mrw_session_cache *cache, mrwi_session_loaded *loaded)
{
    pthread_mutex_lock(&cache->lock);
    loaded->stay.kept = true;
    give(cache, loaded);
    pthread_mutex_unlock(&cache->lock);
}

mrwi_session_loaded *mrwi_session_cache_find(mrw_session_cache *cache, const mrw_scene *scene)
{
    pthread_mutex_lock(&cache->lock);
    mrwi_session_loaded *found = cache->first;
    while (found && (found->stay.users == 0 || found->scene != scene)) {
        found = found->next;
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

/* Returns true if a model whose loading has ended satisfies the request. A failure satisfies
 * requests with the same path only, because its message names the path. */
static bool serves(const mrwi_session_loaded *loaded, const mrwi_session_wanted *wanted)
{
    const bool good = loaded->scene || (!loaded->stay.useless &&
                                        strcmp(loaded->asked.path, wanted->source.path) == 0);
    return good && is_same(loaded, wanted);
}

/* Takes a model that was requested before; returns NULL if there is none. The caller holds the
 * lock, which is released while another thread loads the model and while files are read. */
static mrwi_session_loaded *look(mrw_session_cache *cache, const mrwi_session_wanted *wanted)
{
    mrwi_session_loaded *next;
    for (mrwi_session_loaded *at = cache->first; at; at = next) {
        if (!may_be(at, wanted) ||
            at->asked.settings.files.texture_memory != wanted->settings->files.texture_memory) {
            next = at->next;
            continue;
        }
        use(cache, at);
        while (!at->done) {
            pthread_cond_wait(&cache->done, &cache->lock);
        }
        pthread_mutex_unlock(&cache->lock);
        const bool good = serves(at, wanted);
        pthread_mutex_lock(&cache->lock);
        if (good) {
            at->stay.used = ++cache->clock;
            return at;
        }
        leave(cache, at);
        next = at->next; /* not yet trimmed */
    }
    trim(cache);
    return NULL;
}

/* Takes a new model at the end of the list; returns NULL when out of memory. The caller holds the
 * lock. */
static mrwi_session_loaded *append(mrw_session_cache *cache, const mrwi_session_wanted *wanted)
{
    mrwi_session_loaded **link = &cache->first;
    while (*link) {
        link = &(*link)->next;
    }
    *link = make_loaded(wanted);
    if (*link) {
        (*link)->stay.users = 1;
        (*link)->stay.used = ++cache->clock;
    }
    return *link;
}

static bool is_of_the_file(mrw_status status)
{
    return status == MRW_ERROR_INPUT || status == MRW_ERROR_TIME;
}

/* Loads the model. A fault of the file is kept, so that it can be reported again. */
static void load(mrw_session_cache *cache, mrwi_session_loaded *loaded,
                 const mrwi_session_wanted *wanted)
{
    mrw_scene *scene = NULL;
    mrw_error error = {0};
    error.status = mrwi_session_load_noting(&wanted->source, wanted->settings, wanted->host,
                                            loaded->opened, &scene, &error);
    pthread_mutex_lock(&cache->lock);
    loaded->scene = scene;
    loaded->error = error;
    loaded->stay.useless = !scene && (!is_of_the_file(error.status) || !loaded->opened->whole ||
                                      !mrwi_base_work_goes_on());
    loaded->stay.kept = cache->limit == 0 && !scene && !loaded->stay.useless;
    loaded->done = true;
    pthread_cond_broadcast(&cache->done);
    pthread_mutex_unlock(&cache->lock);
}

mrw_status mrwi_session_cache_take(mrw_session_cache *cache, const mrwi_session_wanted *wanted,
                                   mrwi_session_loaded **out, mrw_error *error)
{
    pthread_mutex_lock(&cache->lock);
    mrwi_session_loaded *found = look(cache, wanted);
    mrwi_session_loaded *fresh = found ? NULL : append(cache, wanted);
    pthread_mutex_unlock(&cache->lock);
    if (fresh) {
        load(cache, fresh, wanted);
        found = fresh;
    }
    *out = found && found->scene ? found : NULL;
    if (*out) {
        if (!fresh && wanted->host && wanted->host->warn_again) {
            mrwi_session_pass_warnings(wanted->host, found->scene, wanted->source.path);
        }
        return MRW_OK;
    }
    if (!found) {
        return mrwi_base_fail_memory(error, sizeof *found);
    }
    const mrw_status status = mrwi_base_fail(error, found->error.status, "%s", found->error.text);
    mrwi_session_cache_give(cache, found);
    return status;
}

const mrw_scene *mrwi_session_loaded_scene(const mrwi_session_loaded *loaded)
{
    return loaded->scene;
}

bool mrwi_session_loaded_insides(const mrwi_session_loaded *loaded, mrwi_session_insides *out)
{
    const uint64_t noted = atomic_load(&loaded->insides);
    *out = (mrwi_session_insides){(uint32_t)(noted >> 32) - 1, (uint32_t)noted};
    return noted != 0;
}

void mrwi_session_loaded_note_insides(mrwi_session_loaded *loaded,
                                      const mrwi_session_insides *insides)
{
    atomic_store(&loaded->insides, ((uint64_t)insides->count + 1) << 32 | insides->first);
}

mrwi_session_framings *mrwi_session_loaded_framings(mrwi_session_loaded *loaded)
{
    return &loaded->framings;
}

static mrw_status load_from(mrw_session_cache *cache, const mrwi_session_source *source,
                            const mrw_settings *settings, const mrw_session_host *host,
                            const mrw_scene **out, mrw_error *error)
{
    mrwi_session_loaded *loaded = NULL;
    mrw_scene *own = NULL;
    mrw_status status;
    if (cache) {
        const mrwi_session_wanted wanted = mrwi_session_want(source, settings, host);
        status = mrwi_session_cache_take(cache, &wanted, &loaded, error);
    } else {
        status = mrwi_session_load_noting(source, settings, host, NULL, &own, error);
    }
    *out = loaded ? loaded->scene : own;
    return status;
}

mrw_status mrw_session_cache_load(mrw_session_cache *cache, const char *path,
                                  const mrw_settings *settings, const mrw_session_host *host,
                                  const mrw_scene **out, mrw_error *error)
{
    const mrwi_session_source source = {.path = path};
    return load_from(cache, &source, settings, host, out, error);
}

mrw_status mrw_session_cache_load_memory(mrw_session_cache *cache, const void *bytes, size_t size,
                                         const char *name, const mrw_settings *settings,
                                         const mrw_session_host *host, const mrw_scene **out,
                                         mrw_error *error)
{
    const mrwi_session_source source = {.path = name, .bytes = bytes ? bytes : "", .size = size};
    assert(name && (bytes || size == 0));
    return load_from(cache, &source, settings, host, out, error);
}

void mrw_session_cache_release(mrw_session_cache *cache, const mrw_scene *scene)
{
    if (cache && scene) {
        mrwi_session_loaded *loaded = mrwi_session_cache_find(cache, scene);
        assert(loaded);
        mrwi_session_cache_give(cache, loaded);
    } else {
        mrw_scene_free((mrw_scene *)(uintptr_t)scene);
    }
}

/* ---- preparing ------------------------------------------------------------------------------- */

static mrw_status prepare(const mrw_scene *scene, const mrw_model_def *def, int threads,
                          prepared_model **out, mrw_error *error)
{
    prepared_model *prepared = mrwi_base_alloc_zero(1, sizeof *prepared);
    if (!prepared) {
        return mrwi_base_fail_memory(error, sizeof *prepared);
    }
    prepared->def = *def;
    mrw_status status = mrw_model_create_with(scene, def, threads, &prepared->model, error);
    if (status) {
        mrwi_base_free(prepared);
        return status;
    }
    prepared->def.left_out = prepared->model->left_out;
    *out = prepared;
    return MRW_OK;
}

static bool leaves_out_the_same(const bool *a, const bool *b, uint32_t nodes)
{
    return !a || !b ? a == b : memcmp(a, b, nodes * sizeof *a) == 0;
}

/* Returns true if both make the same model. The levels of textures do not matter. */
static bool is_prepared_so(const mrw_model_def *a, const mrw_model_def *b, uint32_t nodes)
{
    return leaves_out_the_same(a->left_out, b->left_out, nodes) && a->shading == b->shading &&
           a->max_influences == b->max_influences && a->normals == b->normals &&
           a->maps == b->maps && a->show_hidden == b->show_hidden && a->sides == b->sides;
}

mrw_status mrwi_session_loaded_model(mrwi_session_loaded *loaded, const mrw_model_def *def,
                                     int threads, const mrw_model **out, bool *made,
                                     mrw_error *error)
{
    mrw_status status = MRW_OK;
    *out = NULL;
    assert(!def->no_textures);
    pthread_mutex_lock(&loaded->prepared.lock);
    prepared_model *found = loaded->prepared.first;
    while (found && !is_prepared_so(&found->def, def, loaded->scene->nodes_count)) {
        found = found->next;
    }
    *made = !found;
    if (!found) {
        status = prepare(loaded->scene, def, threads, &found, error);
        if (status) {
            goto out;
        }
        found->next = loaded->prepared.first;
        loaded->prepared.first = found;
    }
    *out = found->model;
out:
    pthread_mutex_unlock(&loaded->prepared.lock);
    return status;
}
