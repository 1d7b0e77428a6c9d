/* guard.c: refuses to write to files and folders that a command reads. They are known by device and
 * inode, so links to them are recognised, too. */
#include "host.h"

#include <limits.h>
#include <marrow/raster.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool holds(const host_guard *guard, const struct stat *info, bool folder)
{
    for (size_t i = 0; i < guard->count; i++) {
        const host_guarded *item = &guard->items[i];
        if (item->node == info->st_ino && item->device == info->st_dev && item->folder == folder) {
            return true;
        }
    }
    return false;
}

static void keep(host_guard *guard, const struct stat *info, bool folder)
{
    if (holds(guard, info, folder)) {
        return; /* cases of one suite repeat the same files */
    }
    if (guard->count == guard->capacity) {
        size_t capacity = guard->capacity == 0 ? 16 : 2 * guard->capacity;
        host_guarded *grown = realloc(guard->items, capacity * sizeof *grown);
        if (!grown) {
            guard->failed = true;
            return;
        }
        guard->items = grown;
        guard->capacity = capacity;
    }
    guard->items[guard->count++] = (host_guarded){info->st_dev, info->st_ino, folder};
}

static void add(host_guard *guard, const char *path, bool folder)
{
    struct stat info;
    if (path && stat(path, &info) == 0 && S_ISDIR(info.st_mode) == folder) {
        keep(guard, &info, folder); /* a file that does not exist cannot be lost */
    }
}

void host_guard_file(host_guard *guard, const char *path)
{
    add(guard, path, false);
}

void host_guard_folder(host_guard *guard, const char *path)
{
    add(guard, path, true);
}

/* Guards the file or folder whose name is the first `length` bytes of a text. */
static void guard_part(host_guard *guard, const char *text, size_t length, bool folder)
{
    char path[PATH_MAX];
    if (length < sizeof path) { /* no file has a longer name */
        memcpy(path, text, length);
        path[length] = '\0';
        add(guard, path, folder);
    }
}

void host_guard_parent(host_guard *guard, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (slash) {
        guard_part(guard, path, (size_t)(slash - path), true);
    }
}

/* Guards the file of MODEL[@NODE][:KEYS], with and without the part that may be a node. */
static void guard_added(host_guard *guard, const char *text)
{
    mrw_placement placement;
    if (mrw_placement_parse(text, &placement, NULL)) {
        return; /* the command line was refused before */
    }
    guard_part(guard, text, placement.length, false);
    for (const char *at = text + placement.length; at > text; at--) {
        if (at[-1] == '@') {
            guard_part(guard, text, (size_t)(at - 1 - text), false);
            break;
        }
    }
}

void host_guard_inputs(host_guard *guard, const mrw_settings *settings)
{
    const bool files = settings->command != MRW_COMMAND_BENCH; /* its arguments are rows */
    for (size_t i = 0; i < settings->arguments.count && files; i++) {
        host_guard_file(guard, settings->arguments.items[i]);
    }
    for (size_t i = 0; i < settings->animation.anims.count; i++) {
        host_guard_file(guard, settings->animation.anims.items[i]);
    }
    for (size_t i = 0; i < settings->model.added.count; i++) {
        guard_added(guard, settings->model.added.items[i]);
    }
    mrw_displacement displacement;
    if (settings->model.displacement &&
        mrw_displacement_parse(settings->model.displacement, &displacement)) {
        guard_part(guard, settings->model.displacement, displacement.path_length, false);
    }
    if (settings->picture.shading == MRW_SHADING_MATCAP) {
        host_guard_file(guard, settings->shading_argument);
    }
    host_guard_file(guard, settings->environment);
    if (settings->picture.backplate == MRW_BACKPLATE_PICTURE) {
        host_guard_file(guard, settings->picture.background_file);
    }
    for (size_t i = 0; i < settings->compare.masks.count; i++) {
        mrw_mask mask;
        if (mrw_mask_parse(settings->compare.masks.items[i], &mask) &&
            mask.kind == MRW_MASK_IMAGE) {
            host_guard_file(guard, mask.name);
        }
    }
}

static bool is_guarded(const host_guard *guard, const char *path, bool folder)
{
    struct stat info;
    return stat(path, &info) == 0 && holds(guard, &info, folder);
}

/* Cuts the last part of a path: "a/b" becomes "a", "a" becomes ".", "/" becomes "". */
static void cut_last(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        path[--length] = '\0';
    }
    char *slash = strrchr(path, '/');
    if (!slash) {
        strcpy(path, strcmp(path, ".") == 0 ? "" : ".");
    } else if (slash == path) {
        path[path[1] == '\0' ? 0 : 1] = '\0';
    } else {
        *slash = '\0';
    }
}

/* Returns true when the path, or its nearest existing parent, is a guarded folder or lies in one.
 */
static bool lies_inside(const host_guard *guard, const char *path)
{
    char above[PATH_MAX], real[PATH_MAX];
    size_t length = strlen(path), folders = 0;
    for (size_t i = 0; i < guard->count; i++) {
        folders += guard->items[i].folder;
    }
    if (folders == 0 || length == 0 || length >= sizeof above) {
        return false; /* writing fails if the path is too long */
    }
    memcpy(above, path, length + 1);
    while (above[0] != '\0' && !realpath(above, real)) {
        cut_last(above);
    }
    for (; above[0] != '\0' && real[0] != '\0'; cut_last(real)) {
        if (is_guarded(guard, real, true)) {
            return true;
        }
    }
    return false;
}

mrw_status host_guard_outside(const host_guard *guard, const char *option, const char *folder,
                              const char *target, mrw_error *error)
{
    char safe[512];
    host_guard own = {0};
    host_guard_folder(&own, target);
    const bool failed = own.failed, inside = !failed && lies_inside(&own, folder);
    host_guard_free(&own);
    if (failed) {
        return host_fail_memory(error);
    }
    if (inside) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "%s %s: this folder contains the %s; choose a separate folder", option,
                        mrw_escape_text(target, safe, sizeof safe), guard->folders);
    }
    return MRW_OK;
}

mrw_status host_guard_check(const host_guard *guard, const char *option, const char *target,
                            mrw_error *error)
{
    char safe[512];
    if (guard->failed) {
        return host_fail_memory(error);
    }
    if (target && is_guarded(guard, target, false)) {
        return mrw_fail(
            error, MRW_ERROR_USAGE,
            "%s %s: this is an input file and would be overwritten; choose another name", option,
            mrw_escape_text(target, safe, sizeof safe));
    }
    if (target && lies_inside(guard, target)) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "%s %s: this is among the %s; choose a place outside them", option,
                        mrw_escape_text(target, safe, sizeof safe), guard->folders);
    }
    return MRW_OK;
}

mrw_status host_guard_reports(const host_guard *guard, const mrw_settings *settings,
                              mrw_error *error)
{
    mrw_status status = host_guard_check(guard, "--report", settings->reports.folder, error);
    if (status) {
        return status;
    }
    status = host_guard_check(guard, "--report-inline", settings->reports.page, error);
    if (status) {
        return status;
    }
    status = host_guard_check(guard, "--junit", settings->reports.junit, error);
    return status ? status : host_answer_check(guard, error);
}

bool host_in_ci(void)
{
    const char *ci = getenv("CI");
    return ci && ci[0] != '\0' && strcmp(ci, "false") != 0 && strcmp(ci, "0") != 0;
}

void host_guard_free(host_guard *guard)
{
    free(guard->items);
    *guard = (host_guard){0};
}

/* ---- files that options name to be written --------------------------------------------------- */

typedef struct target {
    const char *option, *file; /* the file may be NULL */
} target;

#define TARGETS 7

static void list_targets(const mrw_settings *settings, target out[TARGETS])
{
    const target all[TARGETS] = {
        {"-o", settings->output.path},          {"--joints", settings->output.joints},
        {"--record", settings->viewing.record}, {"--report-inline", settings->reports.page},
        {"--junit", settings->reports.junit},   {"--json", settings->output.json},
        {"--atlas", settings->output.atlas}};
    memcpy(out, all, sizeof all);
}

static bool is_file(const char *path)
{
    return path && !mrw_output_is_stdout(path);
}

/* Appends parts to the path of a folder. They do not exist, so none is a link and ".." can be
 * resolved as text. */
static void append_parts(char path[PATH_MAX], const char *parts)
{
    while (*parts != '\0') {
        const size_t size = strcspn(parts, "/"), used = strlen(path);
        if (size == 2 && memcmp(parts, "..", 2) == 0) {
            cut_last(path);
        } else if (size > 0 && !(size == 1 && parts[0] == '.') && used + size + 2 < PATH_MAX) {
            snprintf(path + used, PATH_MAX - used, "/%.*s", (int)size, parts);
        }
        parts += size;
        parts += *parts == '/';
    }
}

/* Writes one name for all spellings of a file to be written. The file and its folders may not exist
 * yet. */
static void name_target(const char *path, char out[PATH_MAX])
{
    char above[PATH_MAX];
    const size_t length = strlen(path);
    out[0] = '\0';
    if (length >= sizeof above) {
        return; /* writing fails if the path is too long */
    }
    memcpy(above, path, length + 1);
    while (above[0] != '\0' && !realpath(above, out)) {
        cut_last(above);
    }
    if (above[0] == '\0') { /* the current folder was removed */
        out[0] = '\0';
    }
    const bool bare = strcmp(above, ".") == 0 && strncmp(path, "./", 2) != 0; /* "name" */
    append_parts(out, path + (bare ? 0 : strlen(above)));
}

static mrw_status fail_both(mrw_error *error, const char *option, const char *other,
                            const char *file)
{
    char safe[512];
    return mrw_fail(error, MRW_ERROR_USAGE, "%s and %s would both write %s; give each its own file",
                    option, other, mrw_escape_text(file, safe, sizeof safe));
}

mrw_status host_check_targets(const mrw_settings *settings, mrw_error *error)
{
    host_guard guard = {.folders = "input files"};
    target targets[TARGETS];
    char names[TARGETS][PATH_MAX];
    mrw_status status = MRW_OK;
    list_targets(settings, targets);
    host_guard_inputs(&guard, settings);
    for (size_t i = 0; i < TARGETS; i++) {
        status = host_guard_check(&guard, targets[i].option, targets[i].file, error);
        if (status) {
            goto out;
        }
        if (!is_file(targets[i].file)) {
            continue;
        }
        name_target(targets[i].file, names[i]);
        for (size_t k = 0; k < i; k++) {
            if (is_file(targets[k].file) && strcmp(names[i], names[k]) == 0) {
                status = fail_both(error, targets[k].option, targets[i].option, targets[i].file);
                goto out;
            }
        }
    }

out:
    host_guard_free(&guard);
    return status;
}

/* Returns the number of files that a path stands for: 1, or the most pages that it may have. */
static uint32_t pages_of(const mrw_output_files *files, uint32_t file)
{
    return strstr(files->paths[file], "{page}") ? files->picture_count : 1;
}

/* Checks a file that -o stands for, or each of its pages. */
static mrw_status check_pages(const host_guard *guard, const char *option,
                              const mrw_output_files *files, uint32_t file, mrw_error *error)
{
    char name[MRW_OUTPUT_PATH_SIZE];
    for (uint32_t p = 0; p < pages_of(files, file); p++) {
        mrw_status status = mrw_output_page_path(files->paths[file], p, name, sizeof name, error);
        if (!status) {
            status = host_guard_check(guard, option, name, error);
        }
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Returns true if the file, or a page of it, has this name. */
static bool is_named(const mrw_output_files *files, uint32_t file, const char *other)
{
    char path[MRW_OUTPUT_PATH_SIZE], name[PATH_MAX];
    for (uint32_t p = 0; p < pages_of(files, file); p++) {
        if (mrw_output_page_path(files->paths[file], p, path, sizeof path, NULL)) {
            continue;
        }
        name_target(path, name);
        if (strcmp(name, other) == 0) {
            return true;
        }
    }
    return false;
}

/* -o may be a template, so its files are compared with the other options here. */
mrw_status host_check_files(const mrw_settings *settings, const char *option,
                            const mrw_output_files *files, mrw_error *error)
{
    const target others[] = {{"--joints", settings->output.joints},
                             {"--json", settings->output.json}};
    char other[PATH_MAX];
    host_guard guard = {.folders = "input files"};
    host_guard_inputs(&guard, settings);
    mrw_status status = host_guard_check(&guard, option, NULL, error); /* fails without memory */
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < files->count && guard.count > 0; i++) {
        status = check_pages(&guard, option, files, i, error);
        if (status) {
            goto out;
        }
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (!is_file(others[k].file)) {
            continue;
        }
        name_target(others[k].file, other);
        for (uint32_t i = 0; i < files->count; i++) {
            if (is_named(files, i, other)) {
                status = fail_both(error, option, others[k].option, others[k].file);
                goto out;
            }
        }
    }

out:
    host_guard_free(&guard);
    return status;
}

/* ---- files that models name ------------------------------------------------------------------ */

/* Loads may run on several threads: the lock guards the three below. */
static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;
static host_guard opened = {.folders = "input files"}; /* files of all loads so far */
static host_guard written;                             /* files written for earlier models */
static bool opens_written; /* the current model has opened one of those written */

void host_note_opened(void *unused, int fd)
{
    struct stat info;
    (void)unused;
    pthread_mutex_lock(&opened_lock);
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        keep(&opened, &info, false);
        opens_written = opens_written || holds(&written, &info, false);
    }
    pthread_mutex_unlock(&opened_lock);
}

void host_note_written(const mrw_output_files *files)
{
    pthread_mutex_lock(&opened_lock);
    for (uint32_t i = 0; i < files->count; i++) {
        for (uint32_t p = 0; p < pages_of(files, i); p++) {
            char name[MRW_OUTPUT_PATH_SIZE];
            if (!mrw_output_page_path(files->paths[i], p, name, sizeof name, NULL)) {
                add(&written, name, false);
            }
        }
    }
    pthread_mutex_unlock(&opened_lock);
}

mrw_status host_check_written(const char *model, mrw_error *error)
{
    char safe[512];
    pthread_mutex_lock(&opened_lock);
    const bool found = opens_written, failed = written.failed;
    opens_written = false;
    pthread_mutex_unlock(&opened_lock);
    if (failed) {
        return host_fail_memory(error);
    }
    if (found) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "%s: this model reads a file that was written for an earlier model; choose "
                        "another folder with -o",
                        mrw_escape_text(model, safe, sizeof safe));
    }
    return MRW_OK;
}

mrw_status host_check_opened(const mrw_settings *settings, const mrw_output_files *files,
                             mrw_error *error)
{
    target targets[TARGETS];
    mrw_status status = MRW_OK;
    list_targets(settings, targets);
    pthread_mutex_lock(&opened_lock);
    for (uint32_t i = 0; files && i < files->count && opened.count > 0; i++) {
        status = check_pages(&opened, "-o", files, i, error);
        if (status) {
            goto out;
        }
    }
    for (size_t i = 0; i < TARGETS; i++) {
        status = host_guard_check(&opened, targets[i].option, targets[i].file, error);
        if (status) {
            goto out;
        }
    }

out:
    if (status) {
        mrw_error second; /* the file of --json may be what must not be written */
        host_answer_check(&opened, &second);
    }
    pthread_mutex_unlock(&opened_lock);
    return status;
}

mrw_status host_check_plan(const mrw_settings *settings, const mrw_plan *plan, mrw_error *error)
{
    mrw_status status = host_check_files(settings, "-o", &plan->files, error);
    if (status) {
        return status;
    }
    status = host_check_files(settings, "--atlas", &plan->atlases, error);
    return status ? status : host_check_opened(settings, &plan->files, error);
}

mrw_status host_check_answer(mrw_error *error)
{
    pthread_mutex_lock(&opened_lock);
    mrw_status status = host_answer_check(&opened, error);
    pthread_mutex_unlock(&opened_lock);
    return status;
}

void host_forget_opened(void)
{
    host_guard_free(&opened);
    host_guard_free(&written);
}
