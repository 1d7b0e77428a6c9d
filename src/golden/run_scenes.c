/* run_scenes.c: models that several cases draw are loaded once, when they are first wanted, and
 * freed after the last of them. */
#include "base/text.h"
#include "golden/run.h"

#include <stdlib.h>
#include <string.h>

/* ---- which cases load the same --------------------------------------------------------------- */

static int compare_text(const char *a, const char *b)
{
    if (!a || !b) {
        return (a != NULL) - (b != NULL);
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
static int compare_loading(const mrw_case *x, const mrw_case *y)
{
    const mrw_settings *a = &x->settings, *b = &y->settings;
    const int orders[] = {
        strcmp(x->model, y->model),
        compare_texts(&a->anims, &b->anims),
        compare_texts(&a->texture_dirs, &b->texture_dirs),
        compare_text(a->formats, b->formats),
        compare_text(a->input_format, b->input_format),
        compare_text(a->scene, b->scene),
        compare_text(a->asset_root, b->asset_root),
        compare_uint(a->max_file_size, b->max_file_size),
        compare_uint(a->max_texture_size, b->max_texture_size),
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

static int by_loading(const void *a, const void *b)
{
    const mrw_case *x = *(const mrw_case *const *)a, *y = *(const mrw_case *const *)b;
    int order = compare_loading(x, y);
    return order != 0 ? order : (x > y) - (x < y);
}

static void group(const mrw_case_list *cases, const mrw_case **sorted, mrwi_scenes *out)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (i == 0 || compare_loading(sorted[i - 1], sorted[i]) != 0) {
            mrwi_shared_scene *shared = &out->items[out->count++];
            *shared = (mrwi_shared_scene){.first = sorted[i]};
            pthread_mutex_init(&shared->lock, NULL);
        }
        out->of_case[sorted[i] - cases->items] = out->count - 1;
        out->items[out->count - 1].users++;
    }
}

mrw_status mrwi_scenes_make(const mrw_case_list *cases, mrwi_scenes *out, mrw_error *error)
{
    const mrw_case **sorted = mrwi_alloc(cases->count, sizeof(mrw_case *));
    *out = (mrwi_scenes){.items = mrwi_alloc_zero(cases->count, sizeof *out->items),
                         .of_case = mrwi_alloc_zero(cases->count, sizeof *out->of_case)};
    bool made = sorted && out->items && out->of_case;
    if (made) {
        for (size_t i = 0; i < cases->count; i++) {
            sorted[i] = &cases->items[i];
        }
        qsort(sorted, cases->count, sizeof(mrw_case *), by_loading);
        group(cases, sorted, out);
    }
    mrwi_free(sorted);
    return made ? MRW_OK : mrwi_fail_memory(error, cases->count * sizeof *out->items);
}

static void free_scene(mrwi_shared_scene *shared)
{
    while (shared->drawables) {
        mrwi_drawable *next = shared->drawables->next;
        mrw_model_free(shared->drawables->model);
        mrwi_free(shared->drawables);
        shared->drawables = next;
    }
    mrwi_framings_free(shared->framings);
    shared->framings = NULL;
    mrw_scene_free(shared->scene);
    shared->scene = NULL;
}

void mrwi_scenes_free(mrwi_scenes *scenes)
{
    for (uint32_t i = 0; i < scenes->count; i++) {
        free_scene(&scenes->items[i]);
        pthread_mutex_destroy(&scenes->items[i].lock);
    }
    mrwi_free(scenes->items);
    mrwi_free(scenes->of_case);
    *scenes = (mrwi_scenes){0};
}

/* ---- taking and giving back ------------------------------------------------------------------ */

mrw_status mrwi_scenes_take(mrwi_scenes *scenes, size_t index, const mrw_stage_host *host,
                            const mrw_scene **out, mrw_error *error)
{
    mrwi_shared_scene *shared = &scenes->items[scenes->of_case[index]];
    pthread_mutex_lock(&shared->lock);
    if (!shared->tried) {
        shared->tried = true;
        shared->error.status = mrw_stage_load(shared->first->model, &shared->first->settings, host,
                                              &shared->scene, &shared->error);
    }
    *out = shared->scene;
    pthread_mutex_unlock(&shared->lock);
    return *out ? MRW_OK : mrwi_fail(error, shared->error.status, "%s", shared->error.text);
}

static mrw_status prepare(const mrw_scene *scene, const mrw_settings *settings, int threads,
                          mrwi_drawable **out, mrw_error *error)
{
    mrw_model_def def = mrw_model_def_default();
    mrwi_drawable *drawable = mrwi_alloc_zero(1, sizeof *drawable);
    if (!drawable) {
        return mrwi_fail_memory(error, sizeof *drawable);
    }
    drawable->shading = settings->shading;
    drawable->max_influences = settings->max_influences;
    def.shading = (mrw_shading)settings->shading;
    def.max_influences = settings->max_influences;
    mrw_status status = mrw_model_create_with(scene, &def, threads, &drawable->model, error);
    if (status != MRW_OK) {
        mrwi_free(drawable);
        return status;
    }
    *out = drawable;
    return MRW_OK;
}

mrw_status mrwi_scenes_drawable(mrwi_scenes *scenes, size_t index, const mrw_settings *settings,
                                int threads, const mrw_model **out, mrw_error *error)
{
    mrwi_shared_scene *shared = &scenes->items[scenes->of_case[index]];
    mrw_status status = MRW_OK;
    pthread_mutex_lock(&shared->lock);
    mrwi_drawable *found = shared->drawables;
    while (found && (found->shading != settings->shading ||
                     found->max_influences != settings->max_influences)) {
        found = found->next;
    }
    if (!found) {
        status = prepare(shared->scene, settings, threads, &found, error);
        if (status == MRW_OK) {
            found->next = shared->drawables;
            shared->drawables = found;
        }
    }
    pthread_mutex_unlock(&shared->lock);
    *out = status == MRW_OK ? found->model : NULL;
    return status;
}

void mrwi_scenes_give(mrwi_scenes *scenes, size_t index)
{
    mrwi_shared_scene *shared = &scenes->items[scenes->of_case[index]];
    pthread_mutex_lock(&shared->lock);
    if (--shared->users == 0) {
        free_scene(shared);
    }
    pthread_mutex_unlock(&shared->lock);
}
