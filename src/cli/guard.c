/* guard.c: files and folders that must not be written to: what a command reads. They are known by
 * device and number, not by name: links lead to them, too. */
#include "cli.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add(cli_guard *guard, const char *path, bool folder)
{
    struct stat info;
    if (!path || guard->failed || stat(path, &info) != 0 || S_ISDIR(info.st_mode) != folder) {
        return; /* what is not there can't be lost */
    }
    const cli_guarded item = {info.st_dev, info.st_ino, folder};
    if (guard->count > 0 && guard->items[guard->count - 1].node == item.node &&
        guard->items[guard->count - 1].device == item.device) {
        return; /* cases of one suite name the same again and again */
    }
    if (guard->count == guard->capacity) {
        size_t capacity = guard->capacity == 0 ? 16 : 2 * guard->capacity;
        cli_guarded *grown = realloc(guard->items, capacity * sizeof *grown);
        if (!grown) {
            guard->failed = true;
            return;
        }
        guard->items = grown;
        guard->capacity = capacity;
    }
    guard->items[guard->count++] = item;
}

void cli_guard_file(cli_guard *guard, const char *path)
{
    add(guard, path, false);
}

void cli_guard_folder(cli_guard *guard, const char *path)
{
    add(guard, path, true);
}

/* MODEL or MODEL@NODE. */
static void guard_added(cli_guard *guard, const char *text)
{
    const char *at = mrw_split_at(text);
    char *model = at ? strndup(text, (size_t)(at - text)) : NULL;
    cli_guard_file(guard, text);
    cli_guard_file(guard, model);
    free(model);
}

void cli_guard_inputs(cli_guard *guard, const mrw_settings *settings)
{
    for (size_t i = 0; i < settings->arguments.count; i++) {
        cli_guard_file(guard, settings->arguments.items[i]);
    }
    for (size_t i = 0; i < settings->animation.anims.count; i++) {
        cli_guard_file(guard, settings->animation.anims.items[i]);
    }
    for (size_t i = 0; i < settings->model.added.count; i++) {
        guard_added(guard, settings->model.added.items[i]);
    }
    for (size_t i = 0; i < settings->compare.masks.count; i++) {
        mrw_mask mask;
        if (mrw_mask_parse(settings->compare.masks.items[i], &mask) &&
            mask.kind == MRW_MASK_IMAGE) {
            cli_guard_file(guard, mask.name);
        }
    }
}

void cli_guard_scene(cli_guard *guard, const char *path, const mrw_scene *scene)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    for (uint32_t i = 0; i < scene->images_count; i++) {
        char file[PATH_MAX];
        const char *name = mrw_scene_string(scene, scene->images[i].path);
        const int length = snprintf(file, sizeof file, "%.*s%s", folder, path, name);
        if (name[0] != '\0' && length < (int)sizeof file) {
            cli_guard_file(guard, file);
        }
    }
}

static bool is_guarded(const cli_guard *guard, const char *path, bool folder)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return false;
    }
    for (size_t i = 0; i < guard->count; i++) {
        const cli_guarded *item = &guard->items[i];
        if (item->node == info.st_ino && item->device == info.st_dev && item->folder == folder) {
            return true;
        }
    }
    return false;
}

/* "a/b" to "a", "a" to ".", "/" to "". */
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

/* Whether the path, or the first folder above it that is there, is or lies in a guarded folder. */
static bool lies_inside(const cli_guard *guard, const char *path)
{
    char above[PATH_MAX], real[PATH_MAX];
    size_t length = strlen(path), folders = 0;
    for (size_t i = 0; i < guard->count; i++) {
        folders += guard->items[i].folder;
    }
    if (folders == 0 || length == 0 || length >= sizeof above) {
        return false; /* writing says what is too long */
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

mrw_status cli_guard_outside(const cli_guard *guard, const char *option, const char *folder,
                             const char *target, mrw_error *error)
{
    char safe[512];
    cli_guard own = {0};
    cli_guard_folder(&own, target);
    bool holds = !own.failed && lies_inside(&own, folder);
    mrw_status status = own.failed ? cli_fail_memory(error) : MRW_OK;
    cli_guard_free(&own);
    return holds ? cli_fail(error, MRW_ERROR_USAGE,
                            "%s %s: this holds the %s; name a folder of its own", option,
                            mrw_escape_text(target, safe, sizeof safe), guard->folders)
                 : status;
}

mrw_status cli_guard_check(const cli_guard *guard, const char *option, const char *target,
                           mrw_error *error)
{
    char safe[512];
    if (guard->failed) {
        return cli_fail_memory(error);
    }
    if (target && is_guarded(guard, target, false)) {
        return cli_fail(error, MRW_ERROR_USAGE,
                        "%s %s: this file is read, and would be overwritten; name another", option,
                        mrw_escape_text(target, safe, sizeof safe));
    }
    if (target && lies_inside(guard, target)) {
        return cli_fail(error, MRW_ERROR_USAGE,
                        "%s %s: this is among the %s; name a place outside of them", option,
                        mrw_escape_text(target, safe, sizeof safe), guard->folders);
    }
    return MRW_OK;
}

mrw_status cli_guard_reports(const cli_guard *guard, const mrw_settings *settings, mrw_error *error)
{
    mrw_status status = cli_guard_check(guard, "--report", settings->reports.folder, error);
    if (status == MRW_OK) {
        status = cli_guard_check(guard, "--report-inline", settings->reports.page, error);
    }
    if (status == MRW_OK) {
        status = cli_guard_check(guard, "--junit", settings->reports.junit, error);
    }
    return status == MRW_OK ? cli_answer_check(guard, error) : status;
}

mrw_status cli_check_targets(const mrw_settings *settings, mrw_error *error)
{
    const struct {
        const char *option, *file;
    } targets[] = {{"-o", settings->output.path},
                   {"--joints", settings->output.joints},
                   {"--report-inline", settings->reports.page},
                   {"--junit", settings->reports.junit},
                   {"--json", settings->output.json}};
    cli_guard guard = {.folders = "files that are read"};
    char safe[512];
    mrw_status status = MRW_OK;
    cli_guard_inputs(&guard, settings);
    for (size_t i = 0; i < sizeof targets / sizeof *targets && status == MRW_OK; i++) {
        status = cli_guard_check(&guard, targets[i].option, targets[i].file, error);
        for (size_t k = 0; k < i && status == MRW_OK; k++) {
            if (targets[i].file && targets[k].file &&
                strcmp(targets[i].file, targets[k].file) == 0 &&
                !mrw_output_is_stdout(targets[i].file)) {
                status = cli_fail(error, MRW_ERROR_USAGE,
                                  "%s and %s both would write %s; give each a file of its own",
                                  targets[k].option, targets[i].option,
                                  mrw_escape_text(targets[i].file, safe, sizeof safe));
            }
        }
    }
    cli_guard_free(&guard);
    return status;
}

bool cli_in_ci(void)
{
    const char *ci = getenv("CI");
    return ci && ci[0] != '\0' && strcmp(ci, "false") != 0 && strcmp(ci, "0") != 0;
}

void cli_guard_free(cli_guard *guard)
{
    free(guard->items);
    *guard = (cli_guard){0};
}
