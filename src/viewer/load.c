/* load.c: loads models on a thread, watches their files, and finds other models in a folder. */
#include "internal.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* ---- files that were read -------------------------------------------------------------------- */

void viewer_watched_free(viewer_watched *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(items[i].path);
    }
    free(items);
}

static void look(viewer_watched *file)
{
    struct stat info;
    file->there = stat(file->path, &info) == 0;
    if (file->there) {
        file->changed = info.st_mtim;
        file->size = info.st_size;
    }
}

static void watch(viewer_loading *loading, const char *path)
{
    viewer_watched *grown = realloc(loading->watched, (loading->watched_count + 1) * sizeof *grown);
    if (!grown) {
        return; /* without memory the file is not watched */
    }
    loading->watched = grown;
    viewer_watched *file = &grown[loading->watched_count];
    *file = (viewer_watched){.path = viewer_copy(path)};
    if (file->path) {
        look(file);
        loading->watched_count++;
    }
}

static bool is_watched(const viewer_watched *items, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(items[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

/* Watches the files of a load from now on. A reload also keeps the files from before: a deleted
 * file, or one that a broken file no longer names, may come back. */
static void watch_loaded(viewer_loaded *loaded)
{
    viewer_loading *loading = &loaded->loading;
    for (size_t i = 0; i < loaded->watched_count && loading->again; i++) {
        if (!is_watched(loading->watched, loading->watched_count, loaded->watched[i].path)) {
            watch(loading, loaded->watched[i].path);
        }
    }
    viewer_watched_free(loaded->watched, loaded->watched_count);
    loaded->watched = loading->watched;
    loaded->watched_count = loading->watched_count;
    loading->watched = NULL;
    loading->watched_count = 0;
}

bool viewer_files_changed(viewer *v)
{
    bool changed = false;
    for (size_t i = 0; i < v->loaded.watched_count && !v->loaded.loading.running; i++) {
        const viewer_watched before = v->loaded.watched[i];
        look(&v->loaded.watched[i]);
        changed |= before.there != v->loaded.watched[i].there ||
                   before.size != v->loaded.watched[i].size ||
                   before.changed.tv_sec != v->loaded.watched[i].changed.tv_sec ||
                   before.changed.tv_nsec != v->loaded.watched[i].changed.tv_nsec;
    }
    return changed | (v->pair.beside && viewer_files_changed(v->pair.beside));
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* The user pointer of a load's host functions. They pass everything on to the owner's host. */
typedef struct ears {
    viewer *v;
    const mrw_session_host *host; /* the host of viewer_def; may be NULL */
} ears;

static void hear_warning(void *user, const char *text)
{
    const ears *e = user;
    if (e->host && e->host->warning) {
        e->host->warning(e->host->user, text);
    }
}

static void hear_machine(void *user, const char *text)
{
    const ears *e = user;
    if (e->host && e->host->machine_warning) {
        e->host->machine_warning(e->host->user, text);
    }
}

static void hear_file(void *user, int fd)
{
    const ears *e = user;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0 && path[0] == '/') {
        path[length] = '\0';
        watch(&e->v->loaded.loading, path);
    }
    if (e->host && e->host->file_opened) {
        e->host->file_opened(e->host->user, fd);
    }
}

/* Keeps the largest number of parts; a new count of parts means another file. */
static void hear_progress(void *user, uint32_t done, uint32_t count)
{
    const ears *e = user;
    _Atomic uint64_t *parts = &e->v->loaded.loading.parts;
    uint64_t before = atomic_load(parts);
    while ((before >> 32 != count || (uint32_t)before < done) &&
           !atomic_compare_exchange_weak(parts, &before, (uint64_t)count << 32 | done)) {
    }
    if (e->host && e->host->progress) {
        e->host->progress(e->host->user, done, count);
    }
}

double viewer_load_progress(const viewer_loading *loading, char out[80])
{
    const uint64_t parts = atomic_load(&loading->parts);
    const uint32_t done = (uint32_t)parts, count = (uint32_t)(parts >> 32);
    if (atomic_load(&loading->ready)) {
        snprintf(out, 80, "read; being prepared");
        return 1.0;
    }
    snprintf(out, 80, count > 0 ? "%u of %u parts read" : "being read", done, count);
    return count > 0 ? (double)done / (double)count : 0.0;
}

static mrw_status hear_input(void *user, const mrw_load_def *def, mrw_scene **out, mrw_error *error)
{
    const ears *e = user;
    if (!e->host || !e->host->standard_input) {
        return mrw_fail(error, MRW_ERROR_USAGE, "-: standard input cannot be viewed");
    }
    return e->host->standard_input(e->host->user, def, out, error);
}

/* Prepares the model for drawing, into the cache, so that the window does not wait for it. Errors
 * are ignored here: drawing meets them again and reports them. */
static void make_ready(const viewer_loading *loading, mrw_session_cache *cache,
                       const mrw_settings *settings, const mrw_session_host *host)
{
    mrw_session_model model;
    mrw_session session = {0};
    mrw_error unused;
    if (mrw_session_model_init(loading->path, loading->scene, settings, &model, &unused)) {
        return;
    }
    if (mrw_session_begin(&session, &model, false, &unused)) {
        goto out;
    }
    session.cache = cache;
    session.frame.shading =
        loading->shading >= 0 ? (mrw_shading)loading->shading : session.frame.shading;
    mrw_session_prepare(&session, host, &unused);
out:
    mrw_session_free(&session);
    mrw_session_model_free(&model);
}

static void *load(void *user)
{
    viewer *v = user;
    viewer_loading *loading = &v->loaded.loading;
    ears e = {v, v->def.host};
    const mrw_session_host host = {.user = &e,
                                   .warning = hear_warning,
                                   .machine_warning = hear_machine,
                                   .file_opened = hear_file,
                                   .progress = hear_progress,
                                   .maps = MRW_MAPS_ALL,
                                   .standard_input = hear_input};
    if (strcmp(loading->path, "-") != 0 && strncmp(loading->path, "demo:", 5) != 0) {
        watch(loading, loading->path);
    }
    const mrw_settings *settings =
        loading->base ? &loading->base->settings : &v->loaded.base->settings;
    loading->status = mrw_session_cache_load(v->drawing.cache, loading->path, settings, &host,
                                             &loading->scene, &loading->error);
    atomic_store(&loading->ready, true);
    if (loading->threaded && !loading->status) {
        make_ready(loading, v->drawing.cache, settings, &host);
    }
    atomic_store(&loading->done, true);
    return NULL;
}

mrw_status viewer_load(viewer *v, const char *path, bool again, viewer_base *base, mrw_error *error)
{
    viewer_loading *loading = &v->loaded.loading;
    if (loading->running) {
        return mrw_fail(error, MRW_ERROR_USAGE, "a model is already being loaded");
    }
    char *copy = viewer_copy(path);
    if (!copy) {
        return viewer_fail_memory(error);
    }
    free(loading->path);
    viewer_watched_free(loading->watched, loading->watched_count);
    *loading = (viewer_loading){.base = base,
                                .running = true,
                                .again = again,
                                .path = copy,
                                .shading = again && v->drawing.line.begun
                                               ? (int)v->drawing.line.session.frame.shading
                                               : -1};
    return MRW_OK;
}

/* Keeps the options of a load; `counts` makes them the current ones. Those of a failed load stay,
 * too, behind the current ones, because the cache may have borrowed them. */
static void keep_base(viewer_loaded *loaded, bool counts)
{
    viewer_base *base = loaded->loading.base;
    viewer_base **place = counts ? &loaded->base : &loaded->base->next;
    if (base) {
        base->next = *place;
        *place = base;
    }
    loaded->loading.base = NULL;
}

/* Replaces the old model by the new one. A failure changes nothing. */
static mrw_status take(viewer *v, mrw_error *error)
{
    viewer_base *base = v->loaded.base;
    viewer_loading *loading = &v->loaded.loading;
    const mrw_scene *before = v->loaded.scene;
    const mrw_session_model model = v->loaded.model;
    char *path = v->state.path;
    v->loaded.scene = loading->scene;
    v->state.path = loading->path;
    v->loaded.base = loading->base ? loading->base : base;
    const bool other_clips = loading->base && loading->again;
    mrw_status status = viewer_model_use(v, loading->again, error);
    if (!status && loading->base && !loading->again) { /* a command line means one picture */
        v->state.play.clock.playing = false;
    }
    v->loaded.base = base;
    keep_base(&v->loaded, !status);
    if (status) {
        v->loaded.scene = before;
        v->loaded.model = model;
        v->state.path = path;
        mrw_session_cache_release(v->drawing.cache, loading->scene);
        return status;
    }
    loading->path = NULL;
    free(path);
    mrw_session_model model_before = model;
    viewer_drawing_end(&v->drawing, v->loaded.base);
    viewer_drawing_forget(&v->drawing);
    mrw_session_model_free(&model_before);
    mrw_session_cache_release(v->drawing.cache, before);
    if (loading->again) {
        return other_clips ? viewer_clip_planes(v, error) : MRW_OK;
    }
    viewer_results_take_up(v, loading->failure);
    return viewer_lights_forget(&v->lights, v->loaded.base, error);
}

mrw_status viewer_load_poll(viewer *v, bool wait, mrw_error *error)
{
    viewer_loading *loading = &v->loaded.loading;
    if (!loading->running) {
        return MRW_OK;
    }
    if (!loading->threaded && !atomic_load(&loading->done)) { /* now loading->failure is set, too */
        loading->threaded = !v->def.load_at_once;             /* the thread reads it */
        if (loading->threaded && pthread_create(&loading->thread, NULL, load, v) != 0) {
            loading->threaded = false;
        }
        if (!loading->threaded) {
            load(v);
        }
    }
    if (!atomic_load(&loading->done) && !wait) {
        return MRW_OK;
    }
    if (loading->threaded) {
        pthread_join(loading->thread, NULL);
        loading->threaded = false;
    }
    loading->running = false;
    mrw_status status = loading->status;
    if (status) {
        keep_base(&v->loaded, false);
        *error = loading->error;
    } else {
        status = take(v, error);
        loading->scene = NULL;
    }
    if (!status || loading->again) { /* else the model from before stays */
        watch_loaded(&v->loaded);
    }
    return status;
}

/* ---- other models ---------------------------------------------------------------------------- */

static bool is_model(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < mrw_model_format_count(); i++) {
        const mrw_model_format format = mrw_model_format_at(i);
        const char *at = format.extensions;
        while (format.read && !format.ask && *at != '\0') {
            const size_t length = strcspn(at, " ");
            if (strlen(dot + 1) == length && strncasecmp(dot + 1, at, length) == 0) {
                return true;
            }
            at += length + strspn(at + length, " ");
        }
    }
    return false;
}

static int filter(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && is_model(entry->d_name);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Finds the model `step` places further in the folder of `path`. Returns false without another. */
static bool neighbour_in_folder(const char *path, int step, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[PATH_MAX];
    struct dirent **list = NULL;
    bool found = false;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    const int count = scandir(folder, &list, filter, by_bytes);
    int at = -1;
    for (int i = 0; i < count; i++) {
        at = strcmp(list[i]->d_name, name) == 0 ? i : at;
    }
    if (count > 0 && (at < 0 || count > 1)) {
        const int next = at < 0 ? 0 : (at + step + count) % count;
        snprintf(out, size, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path,
                 list[next]->d_name);
        found = true;
    }
    for (int i = 0; i < count; i++) {
        free(list[i]);
    }
    free(list);
    return found;
}

mrw_status viewer_load_neighbour(viewer *v, int step, mrw_error *error)
{
    const viewer_arguments *arguments = &v->loaded.base->arguments;
    const size_t count = arguments->model_count;
    char path[2 * PATH_MAX];
    for (size_t i = 0; i < count && count > 1; i++) { /* models of the command line */
        if (strcmp(arguments->models[i], v->state.path) == 0) {
            const size_t next = (i + count + (size_t)(step + (int)count)) % count;
            return viewer_load(v, arguments->models[next], false, NULL, error);
        }
    }
    if (strncmp(v->state.path, "demo:", 5) == 0 || strcmp(v->state.path, "-") == 0 ||
        !neighbour_in_folder(v->state.path, step, path, sizeof path)) {
        return mrw_fail(error, MRW_ERROR_INPUT, "there is no other model next to this one");
    }
    return viewer_load(v, path, false, NULL, error);
}
