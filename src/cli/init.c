/* init.c: `marrow init`: writes a suite for models, or extends one with --add. */
#include "cli.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENDING "suite.ini"

/* ---- the file -------------------------------------------------------------------------------- */

/* Writes where the suite goes: -o, or NAME.suite.ini, or suite.ini for several models. Fails if a
 * file is there, unless --force is given. */
static mrw_status choose_path(const mrw_settings *settings, char *out, size_t size,
                              mrw_error *error)
{
    char name[MRW_SESSION_NAME_SIZE], safe[512];
    if (settings->output.path) {
        snprintf(out, size, "%s", settings->output.path);
    } else if (settings->arguments.count > 1) {
        snprintf(out, size, ENDING);
    } else {
        mrw_session_name(settings->arguments.items[0], name);
        snprintf(out, size, "%s." ENDING, mrw_safe_file_name(name, safe, sizeof safe));
    }
    if (strcmp(out, "-") == 0) {
        return MRW_OK;
    }
    const char *slash = strrchr(out, '/'), *base = slash ? slash + 1 : out;
    if (base[0] == '.' && mrw_output_ends_with(base, ENDING)) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "-o %s: marrow test does not look at hidden files; choose a name that does "
                        "not begin with a dot",
                        mrw_escape_text(out, safe, sizeof safe));
    }
    if (!mrw_is_suite_file(base)) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "-o %s: the name of a suite must be " ENDING " or NAME." ENDING
                        ", or marrow test will not find it",
                        mrw_escape_text(out, safe, sizeof safe));
    }
    if (!settings->output.force && access(out, F_OK) == 0) {
        return mrw_fail(error, MRW_ERROR_OUTPUT,
                        "%s: the file exists; --force overwrites it, -o chooses another name",
                        mrw_escape_text(out, safe, sizeof safe));
    }
    return MRW_OK;
}

/* Adds a number to the name of a suite.ini if NAME.suite.ini is beside it: both would have this
 * name. */
static void avoid_neighbours(const char *path, char name[MRW_SUITE_NAME_SIZE])
{
    const char *slash = strrchr(path, '/');
    char beside[PATH_MAX], stem[MRW_SUITE_NAME_SIZE];
    snprintf(stem, sizeof stem, "%s", name);
    for (unsigned n = 2; n < 100; n++) {
        snprintf(beside, sizeof beside, "%.*s%s." ENDING, slash ? (int)(slash + 1 - path) : 0, path,
                 name);
        if (access(beside, F_OK) != 0) {
            return;
        }
        snprintf(name, MRW_SUITE_NAME_SIZE, "%.*s_%u", MRW_SUITE_NAME_SIZE - 6, stem, n);
    }
}

/* Writes the suite's name: --name, or NAME of -o NAME.suite.ini, or the name of the first model. */
static mrw_status choose_name(const mrw_settings *settings, const char *path,
                              char out[MRW_SUITE_NAME_SIZE], mrw_error *error)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char name[MRW_SESSION_NAME_SIZE], safe[512];
    const char *given = settings->cases.name;
    const size_t length = strlen(base), end = strlen("." ENDING);
    if (given) {
        snprintf(name, sizeof name, "%s", given);
    } else if (length > end && mrw_output_ends_with(base, "." ENDING)) {
        snprintf(name, sizeof name, "%.*s", (int)(length - end), base);
    } else {
        mrw_session_name(settings->arguments.items[0], name);
    }
    mrw_safe_file_name(name, out, MRW_SUITE_NAME_SIZE);
    if (!given && length == strlen(ENDING)) {
        avoid_neighbours(path, out);
    }
    if (given && strcmp(out, given) != 0) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--name %s: a suite's name is also a folder name, so it can contain only "
                        "letters, digits, '.', '_' and '-', can't start with '.' and has at most "
                        "%d bytes; write --name %s",
                        mrw_escape_text(given, safe, sizeof safe), MRW_SUITE_NAME_SIZE - 1, out);
    }
    return MRW_OK;
}

/* Finds the suite to extend: -o, or the only one in the current folder. */
static mrw_status find_suite(const mrw_settings *settings, char out[PATH_MAX], mrw_error *error)
{
    uint32_t count = 0;
    if (settings->output.path) {
        snprintf(out, PATH_MAX, "%s", settings->output.path);
        return MRW_OK;
    }
    DIR *dir = opendir(".");
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (mrw_is_suite_file(entry->d_name)) {
            snprintf(out, PATH_MAX, "%s", entry->d_name);
            count++;
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (count != 1) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--add extends a suite, but the current folder has %s; name one with -o",
                        count == 0 ? "none" : "several");
    }
    return MRW_OK;
}

/* ---- what is said ---------------------------------------------------------------------------- */

static mrw_status say_written(const char *path, size_t count, mrw_error *error)
{
    mrw_text text = {0};
    mrw_text_escaped(&text, path);
    mrw_text_add(&text, ": %zu case%s. What to do next:\n  marrow test ", count,
                 count == 1 ? "" : "s");
    host_put_argument(path, &text);
    mrw_text_add(&text,
                 " --update   # draws the goldens: check them, then commit them\n  marrow test ");
    host_put_argument(path, &text);
    mrw_text_add(&text, "            # compares with them, now and in CI\n");
    mrw_status status = host_print(&text, error);
    mrw_text_free(&text);
    return status;
}

static mrw_status say_added(const char *path, size_t count, mrw_error *error)
{
    mrw_text text = {0};
    mrw_text_escaped(&text, path);
    if (count == 0) {
        mrw_text_puts(&text, ": each clip has a case; nothing to add\n");
    } else {
        mrw_text_add(&text, ": %zu case%s added. What to do next:\n  marrow test ", count,
                     count == 1 ? "" : "s");
        host_put_argument(path, &text);
        mrw_text_puts(&text, " --update=missing   # draws their goldens: check them\n");
    }
    mrw_status status = host_print(&text, error);
    mrw_text_free(&text);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Returns true if an earlier item of the list names the same model, by this or another path. */
static bool is_again(const mrw_text_list *models, size_t index)
{
    char real[PATH_MAX], other[PATH_MAX];
    const bool found = realpath(models->items[index], real);
    for (size_t i = 0; i < index; i++) {
        if (strcmp(models->items[i], models->items[index]) == 0 ||
            (found && realpath(models->items[i], other) && strcmp(real, other) == 0)) {
            return true;
        }
    }
    return false;
}

/* Adds the cases of the models of a list, each model once. */
static mrw_status add_models(mrw_suite_draft *draft, const mrw_settings *settings,
                             const mrw_text_list *models, mrw_error *error)
{
    const bool extends = settings->model.added.count > 0;
    for (size_t i = 0; i < models->count; i++) {
        const char *path = models->items[i];
        mrw_scene *scene = NULL;
        if (is_again(models, i)) {
            continue;
        }
        if (!extends && strcmp(path, "-") == 0) {
            return mrw_fail(error, MRW_ERROR_USAGE,
                            "-: a suite cannot read standard input; give a file");
        }
        mrw_status status = mrw_session_load(path, settings, &host_callbacks, &scene, error);
        if (!status && !extends) {
            status = host_check_opened(settings, NULL, error);
        }
        if (!status) {
            status = mrw_suite_draft_add(draft, path, scene, error);
        }
        mrw_scene_free(scene);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Writes a new suite for the models of the arguments. */
static mrw_status create(const mrw_settings *settings, mrw_error *error)
{
    const mrw_text_list *models = &settings->arguments;
    char path[PATH_MAX], name[MRW_SUITE_NAME_SIZE];
    mrw_suite_draft *draft = NULL;
    mrw_text text = {0};
    size_t count = 0;
    for (size_t i = 0; i < models->count; i++) {
        count += !is_again(models, i);
    }
    mrw_status status = choose_path(settings, path, sizeof path, error);
    if (status) {
        return status;
    }
    status = choose_name(settings, path, name, error);
    if (status) {
        return status;
    }
    status = mrw_suite_draft_create(settings, path, name, count, &draft, error);
    if (status) {
        goto out;
    }
    status = add_models(draft, settings, models, error);
    if (status) {
        goto out;
    }
    const bool piped = strcmp(path, "-") == 0;
    if (!piped) {
        status = mrw_make_folder_of(path, "-o", error);
        if (status) {
            goto out;
        }
    }
    status = mrw_suite_draft_write(draft, &text, error);
    if (status) {
        goto out;
    }
    status = piped ? host_print(&text, error) : mrw_file_write(path, text.data, text.size, error);
    if (!status && !piped && !settings->run.quiet) {
        status = say_written(path, mrw_suite_draft_count(draft), error);
    }

out:
    mrw_suite_draft_free(draft);
    mrw_text_free(&text);
    return status;
}

/* Extends a suite by the models of --add and of the arguments, and by clips that no case draws. */
static mrw_status extend(const mrw_settings *settings, mrw_error *error)
{
    char path[PATH_MAX];
    mrw_suite_draft *draft = NULL;
    mrw_text text = {0};
    mrw_status status = find_suite(settings, path, error);
    if (status) {
        return status;
    }
    if (settings->cases.name) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--name and --add cannot be combined; write `name` into the suite");
    }
    status = mrw_suite_draft_extend(settings, path, &draft, error);
    if (status) {
        goto out;
    }
    status = add_models(draft, settings, &settings->model.added, error);
    if (status) {
        goto out;
    }
    status = add_models(draft, settings, &settings->arguments, error);
    if (status) {
        goto out;
    }
    status = mrw_suite_draft_write(draft, &text, error);
    if (status) {
        goto out;
    }
    const size_t added = mrw_suite_draft_count(draft);
    if (added > 0) {
        status = mrw_file_write(path, text.data, text.size, error);
    }
    if (!status && !settings->run.quiet) {
        status = say_added(path, added, error);
    }

out:
    mrw_suite_draft_free(draft);
    mrw_text_free(&text);
    return status;
}

int cli_init(const mrw_settings *settings)
{
    mrw_error error;
    mrw_status status =
        settings->model.added.count > 0 ? extend(settings, &error) : create(settings, &error);
    if (status) {
        host_complain(&error);
    }
    return host_exit_status(status);
}
