/* scenes.c: models that several cases draw are loaded once, when they are first wanted, and
 * freed after the last of them. */
#include "golden/scenes.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- which cases load the same --------------------------------------------------------------- */

static int compare_text(const char *a, const char *b)
{
    if (!a || !b) {
        return !b - !a;
    }
    return strcmp(a, b);
}

static int compare_texts(const mrw_text_list *a, const mrw_text_list *b)
{
    int order = (a->count > b->count) - (a->count < b->count);
    for (size_t i = 0; i < a->count && order == 0; i++) {
        order = strcmp(a->items[i], b->items[i]);
    }
    return order;
}

static int compare_uint(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* All that mrw_stage_load reads of settings. */
static int compare_settings(const mrw_settings *a, const mrw_settings *b)
{
    const int orders[] = {
        compare_texts(&a->anims, &b->anims),
        compare_texts(&a->texture_dirs, &b->texture_dirs),
        compare_text(a->formats, b->formats),
        compare_text(a->input_format, b->input_format),
        compare_text(a->scene, b->scene),
        compare_text(a->asset_root, b->asset_root),
        compare_uint(a->max_file_size, b->max_file_size),
        compare_uint(a->max_texture_size, b->max_texture_size),
        compare_uint(a->texture_memory, b->texture_memory),
        compare_uint(a->max_vertices, b->max_vertices),
        compare_uint(a->max_joints, b->max_joints),
        compare_uint(a->max_keys, b->max_keys),
        (a->import_seconds > b->import_seconds) - (a->import_seconds < b->import_seconds),
        compare_uint(a->import_memory, b->import_memory),
        a->fbx_curves - b->fbx_curves,
        a->no_sandbox - b->no_sandbox,
    };
    int order = 0;
    for (size_t i = 0; i < sizeof orders / sizeof *orders && order == 0; i++) {
        order = orders[i];
    }
    return order;
}

static int compare_loading(const mrw_case *x, const mrw_case *y)
{
    int order = strcmp(x->model, y->model);
    return order != 0 ? order : compare_settings(&x->settings, &y->settings);
}

static int by_loading(const void *a, const void *b)
{
    const mrw_case *x = *(const mrw_case *const *)a, *y = *(const mrw_case *const *)b;
    int order = compare_loading(x, y);
    return order != 0 ? order : (x > y) - (x < y);
}

static void group(const mrw_case_list *cases, const mrw_case **sorted, mrwi_golden_scenes *out)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (i == 0 || compare_loading(sorted[i - 1], sorted[i]) != 0) {
            mrwi_golden_shared_scene *shared = &out->items[out->count++];
            *shared = (mrwi_golden_shared_scene){.path = sorted[i]->model,
                                                 .settings = sorted[i]->settings};
            pthread_mutex_init(&shared->lock, NULL);
        }
        out->of_case[sorted[i] - cases->items] = out->count - 1;
        out->items[out->count - 1].users++;
    }
}

mrw_status mrwi_golden_scenes_make(const mrw_case_list *cases, const mrw_stage_host *host,
                                   mrwi_golden_scenes *out, mrw_error *error)
{
    const mrw_case **sorted = mrwi_base_alloc(cases->count, sizeof(mrw_case *));
    *out =
        (mrwi_golden_scenes){.host = host,
                             .items = mrwi_base_alloc_zero(cases->count, sizeof *out->items),
                             .of_case = mrwi_base_alloc_zero(cases->count, sizeof *out->of_case)};
    bool made = sorted && out->items && out->of_case;
    pthread_mutex_init(&out->lock, NULL);
    if (made) {
        for (size_t i = 0; i < cases->count; i++) {
            sorted[i] = &cases->items[i];
        }
        qsort(sorted, cases->count, sizeof(mrw_case *), by_loading);
        group(cases, sorted, out);
    }
    mrwi_base_free(sorted);
    return made ? MRW_OK : mrwi_base_fail_memory(error, cases->count * sizeof *out->items);
}

static void free_scene(mrwi_golden_shared_scene *shared)
{
    while (shared->models) {
        mrwi_golden_prepared_model *next = shared->models->next;
        mrw_model_free(shared->models->model);
        mrwi_base_free(shared->models);
        shared->models = next;
    }
    mrwi_golden_framings_free(shared->framings);
    shared->framings = NULL;
    mrw_scene_free(shared->scene);
    shared->scene = NULL;
}

void mrwi_golden_scenes_free(mrwi_golden_scenes *scenes)
{
    for (uint32_t i = 0; i < scenes->count; i++) {
        free_scene(&scenes->items[i]);
        pthread_mutex_destroy(&scenes->items[i].lock);
    }
    while (scenes->added) {
        mrwi_golden_shared_scene *next = scenes->added->next;
        free_scene(scenes->added);
        pthread_mutex_destroy(&scenes->added->lock);
        mrwi_base_free(scenes->added);
        scenes->added = next;
    }
    if (scenes->of_case) {
        pthread_mutex_destroy(&scenes->lock);
    }
    mrwi_base_free(scenes->items);
    mrwi_base_free(scenes->of_case);
    *scenes = (mrwi_golden_scenes){0};
}

/* ---- taking and giving back ------------------------------------------------------------------ */

static mrw_status load(mrwi_golden_shared_scene *shared, int threads, const mrw_stage_host *host,
                       const mrw_scene **out, mrw_error *error)
{
    pthread_mutex_lock(&shared->lock);
    if (!shared->tried) {
        shared->tried = true;
        shared->settings.threads = (uint32_t)threads;
        shared->error.status =
            mrw_stage_load(shared->path, &shared->settings, host, &shared->scene, &shared->error);
    }
    *out = shared->scene;
    pthread_mutex_unlock(&shared->lock);
    return *out ? MRW_OK : mrwi_base_fail(error, shared->error.status, "%s", shared->error.text);
}

mrw_status mrwi_golden_scenes_take(mrwi_golden_scenes *scenes, size_t index, int threads,
                                   const mrw_scene **out, mrw_error *error)
{
    return load(&scenes->items[scenes->of_case[index]], threads, scenes->host, out, error);
}

static mrw_status prepare(const mrw_scene *scene, const mrw_settings *settings, int threads,
                          mrwi_golden_prepared_model **out, mrw_error *error)
{
    mrw_model_def def = mrw_model_def_default();
    mrwi_golden_prepared_model *prepared = mrwi_base_alloc_zero(1, sizeof *prepared);
    if (!prepared) {
        return mrwi_base_fail_memory(error, sizeof *prepared);
    }
    prepared->shading = settings->shading;
    prepared->max_influences = settings->max_influences;
    def.shading = (mrw_shading)settings->shading;
    def.max_influences = settings->max_influences;
    mrw_status status = mrw_model_create_with(scene, &def, threads, &prepared->model, error);
    if (status != MRW_OK) {
        mrwi_base_free(prepared);
        return status;
    }
    *out = prepared;
    return MRW_OK;
}

static mrw_status find_model(mrwi_golden_shared_scene *shared, const mrw_settings *settings,
                             int threads, const mrw_model **out, mrw_error *error)
{
    mrw_status status = MRW_OK;
    pthread_mutex_lock(&shared->lock);
    mrwi_golden_prepared_model *found = shared->models;
    while (found && (found->shading != settings->shading ||
                     found->max_influences != settings->max_influences)) {
        found = found->next;
    }
    if (!found) {
        status = prepare(shared->scene, settings, threads, &found, error);
        if (status == MRW_OK) {
            found->next = shared->models;
            shared->models = found;
        }
    }
    pthread_mutex_unlock(&shared->lock);
    *out = status == MRW_OK ? found->model : NULL;
    return status;
}

mrw_status mrwi_golden_scenes_model(mrwi_golden_scenes *scenes, size_t index,
                                    const mrw_settings *settings, int threads,
                                    const mrw_model **out, mrw_error *error)
{
    return find_model(&scenes->items[scenes->of_case[index]], settings, threads, out, error);
}

mrw_status mrwi_golden_scenes_aim(mrwi_golden_scenes *scenes, size_t index, mrw_stage *stage,
                                  mrw_error *error)
{
    mrwi_golden_shared_scene *shared = &scenes->items[scenes->of_case[index]];
    return mrwi_golden_framings_aim(&shared->framings, &shared->lock, stage, error);
}

/* The model of --add that is read so; a new one when there is none. NULL when out of memory. */
static mrwi_golden_shared_scene *find_added(mrwi_golden_scenes *scenes, const char *path,
                                            const mrw_settings *settings)
{
    mrwi_golden_shared_scene *found = scenes->added;
    while (found &&
           (strcmp(found->path, path) != 0 || compare_settings(&found->settings, settings) != 0)) {
        found = found->next;
    }
    if (found) {
        return found;
    }
    const size_t size = strlen(path) + 1;
    found = mrwi_base_alloc_zero(1, sizeof *found + size);
    if (found) {
        *found = (mrwi_golden_shared_scene){
            .path = memcpy(found + 1, path, size), .settings = *settings, .next = scenes->added};
        pthread_mutex_init(&found->lock, NULL);
        scenes->added = found;
    }
    return found;
}

mrw_status mrwi_golden_scenes_added(mrwi_golden_scenes *scenes, const char *path,
                                    const mrw_settings *settings, int threads,
                                    const mrw_scene **scene, const mrw_model **prepared,
                                    mrw_error *error)
{
    pthread_mutex_lock(&scenes->lock);
    mrwi_golden_shared_scene *shared = find_added(scenes, path, settings);
    pthread_mutex_unlock(&scenes->lock);
    if (!shared) {
        return mrwi_base_fail_memory(error, sizeof *shared);
    }
    mrw_status status = load(shared, threads, scenes->host, scene, error);
    return status == MRW_OK ? find_model(shared, settings, threads, prepared, error) : status;
}

void mrwi_golden_scenes_give(mrwi_golden_scenes *scenes, size_t index)
{
    mrwi_golden_shared_scene *shared = &scenes->items[scenes->of_case[index]];
    pthread_mutex_lock(&shared->lock);
    if (--shared->users == 0) {
        free_scene(shared);
    }
    pthread_mutex_unlock(&shared->lock);
}
