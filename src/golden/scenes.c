/* scenes.c: takes models that several cases draw from a cache for the first of these cases, and
 * gives them back after the last. */
#include "golden/scenes.h"

#include "base/memory.h"
#include "base/text.h"
#include "session/cache.h"

#include <stdlib.h>
#include <string.h>

/* ---- which cases load the same --------------------------------------------------------------- */

static int compare_loading(const mrw_case *x, const mrw_case *y)
{
    int order = strcmp(x->model, y->model);
    return order != 0 ? order : mrwi_session_compare_loading(&x->settings, &y->settings);
}

static int by_loading(const void *a, const void *b)
{
    const mrw_case *x = *(const mrw_case *const *)a, *y = *(const mrw_case *const *)b;
    int order = compare_loading(x, y);
    return order != 0 ? order : (x > y) - (x < y);
}

mrw_status mrwi_golden_scenes_make(const mrw_case_list *cases, mrw_session_cache *cache,
                                   mrwi_golden_scenes *out, mrw_error *error)
{
    const mrw_case **sorted = mrwi_base_alloc(cases->count, sizeof(mrw_case *));
    *out =
        (mrwi_golden_scenes){.items = mrwi_base_alloc_zero(cases->count, sizeof *out->items),
                             .of_case = mrwi_base_alloc_zero(cases->count, sizeof *out->of_case)};
    mrw_status status = MRW_OK;
    if (!sorted || !out->items || !out->of_case) {
        status = mrwi_base_fail_memory(error, cases->count * sizeof *out->items);
        goto out;
    }
    if (!cache) {
        status = mrw_session_cache_create(&out->own_cache, error);
        if (status) {
            goto out;
        }
    }
    out->cache = cache ? cache : out->own_cache;
    for (size_t i = 0; i < cases->count; i++) {
        sorted[i] = &cases->items[i];
    }
    qsort(sorted, cases->count, sizeof(mrw_case *), by_loading);
    for (size_t i = 0; i < cases->count; i++) {
        if (i == 0 || compare_loading(sorted[i - 1], sorted[i]) != 0) {
            mrwi_golden_shared_scene *shared = &out->items[out->count++];
            shared->cache = out->cache;
            shared->stays = !out->own_cache;
            pthread_mutex_init(&shared->lock, NULL);
        }
        out->of_case[sorted[i] - cases->items] = out->count - 1;
        out->items[out->count - 1].users++;
        out->items[out->count - 1].maps |= mrwi_session_maps(&sorted[i]->settings, NULL);
    }
out:
    mrwi_base_free(sorted);
    return status;
}

static void free_scene(mrwi_golden_shared_scene *shared)
{
    if (shared->scene && shared->stays) {
        mrwi_session_cache_keep(shared->cache,
                                mrwi_session_cache_find(shared->cache, shared->scene));
    } else if (shared->scene) {
        mrw_session_cache_release(shared->cache, shared->scene);
    }
    shared->scene = NULL;
}

void mrwi_golden_scenes_free(mrwi_golden_scenes *scenes)
{
    for (uint32_t i = 0; i < scenes->count; i++) {
        free_scene(&scenes->items[i]);
        pthread_mutex_destroy(&scenes->items[i].lock);
    }
    mrw_session_cache_free(scenes->own_cache);
    mrwi_base_free(scenes->items);
    mrwi_base_free(scenes->of_case);
    *scenes = (mrwi_golden_scenes){0};
}

/* ---- taking and giving back ------------------------------------------------------------------ */

mrw_status mrwi_golden_scene_take(mrwi_golden_shared_scene *shared, const mrw_case *c,
                                  const mrw_session_host *host, int threads, const mrw_scene **out,
                                  mrw_error *error)
{
    mrw_settings settings = c->settings;
    mrw_session_host all = *host;
    mrw_status status = MRW_OK;
    all.maps |= shared->maps;
    settings.run.threads = (uint32_t)threads;
    pthread_mutex_lock(&shared->lock);
    if (!shared->scene) {
        status =
            mrw_session_cache_load(shared->cache, c->model, &settings, &all, &shared->scene, error);
    }
    *out = shared->scene;
    pthread_mutex_unlock(&shared->lock);
    return status;
}

void mrwi_golden_scene_give(mrwi_golden_shared_scene *shared)
{
    pthread_mutex_lock(&shared->lock);
    if (--shared->users == 0) {
        free_scene(shared);
    }
    pthread_mutex_unlock(&shared->lock);
}
