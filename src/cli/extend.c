/* extend.c: `marrow init --add`: adds models, and clips that no case draws, to a suite that exists.
 */
#include "init.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds the suite to extend: -o, or the only one in the current folder. */
static mrw_status find_suite(const mrw_settings *settings, char out[PATH_MAX], mrw_error *error)
{
    DIR *dir = settings->output.path ? NULL : opendir(".");
    uint32_t count = 0;
    if (settings->output.path) {
        snprintf(out, PATH_MAX, "%s", settings->output.path);
        return MRW_OK;
    }
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (mrw_is_suite_file(entry->d_name)) {
            snprintf(out, PATH_MAX, "%s", entry->d_name);
            count++;
        }
    }
    if (dir) {
        closedir(dir);
    }
    return count == 1 ? MRW_OK
                      : mrw_fail(error, MRW_ERROR_USAGE,
                                 "--add extends a suite, but the current folder has %s; name one "
                                 "with -o",
                                 count == 0 ? "none" : "several");
}

/* The suite's bytes; it was parsed, so it is there and small. */
static mrw_status read_suite(const char *path, mrw_text *out, mrw_error *error)
{
    FILE *file = fopen(path, "rb");
    char bytes[4096], safe[512];
    if (!file) {
        return mrw_fail(error, MRW_ERROR_INPUT, "%s: cannot open it: %s",
                        mrw_escape_text(path, safe, sizeof safe), strerror(errno));
    }
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        mrw_text_put(out, bytes, size);
    }
    const bool fine = !ferror(file);
    fclose(file);
    return !fine         ? mrw_fail(error, MRW_ERROR_INPUT, "%s: cannot read it",
                                    mrw_escape_text(path, safe, sizeof safe))
           : out->failed ? cli_fail_memory(error)
                         : MRW_OK;
}

/* Takes the names of the sections of a suite, so that no new one has them. */
static mrw_status take_sections(cli_draft *d, const mrw_text *suite, mrw_error *error)
{
    const char *at = suite->data, *end = at + suite->size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t length = strcspn(at, "]\n");
        if (*at == '[' && length > 1) {
            void *names =
                realloc(d->sections.names, (d->sections.count + 1) * sizeof *d->sections.names);
            if (!names) {
                return cli_fail_memory(error);
            }
            d->sections.names = names;
            snprintf(d->sections.names[d->sections.count++], CLI_SUITE_NAME + 1, "%.*s",
                     (int)length - 1, at + 1);
        }
        at = newline ? newline + 1 : end;
    }
    return MRW_OK;
}

static bool is_same_file(const char *a, const char *b)
{
    char real[2][PATH_MAX];
    return strcmp(a, b) == 0 ||
           (realpath(a, real[0]) && realpath(b, real[1]) && strcmp(real[0], real[1]) == 0);
}

/* Marks the clips that a case draws. A case that cannot be played draws none. */
static mrw_status mark_drawn(const mrw_case *c, const mrw_scene *scene, bool *drawn,
                             mrw_error *error)
{
    mrw_session_model model = {0};
    mrw_session_clips chosen = {0};
    mrw_status status = mrw_session_model_init(c->model, scene, &c->settings, &model, error);
    if (status == MRW_OK) {
        status = mrw_session_choose_clips(&model, &chosen, error);
    }
    for (uint32_t i = 0; i < chosen.count && status == MRW_OK; i++) {
        if (chosen.items[i] < scene->clips_count) {
            drawn[chosen.items[i]] = true;
        }
    }
    for (uint32_t i = 0; i < model.mix.track_count && status == MRW_OK; i++) {
        drawn[model.mix.tracks[i].clip] = true;
    }
    mrw_session_clips_free(&chosen);
    mrw_session_model_free(&model);
    return status == MRW_ERROR_MEMORY ? status : MRW_OK;
}

/* Adds cases for the clips of a model that no case of the suite draws. */
static mrw_status extend_by(cli_draft *d, const mrw_case_list *cases, const char *path,
                            mrw_error *error)
{
    mrw_scene *scene = NULL;
    mrw_session_model model = {0};
    bool known = false;
    d->models = 1; /* cases of a suite's only model are called after its clips alone */
    mrw_status status = mrw_session_load(path, d->settings, &cli_host, &scene, error);
    if (status == MRW_OK) {
        d->drawn = calloc((size_t)scene->clips_count + 1, sizeof *d->drawn);
        status = d->drawn ? MRW_OK : cli_fail_memory(error);
    }
    for (size_t i = 0; i < cases->count && status == MRW_OK; i++) {
        if (is_same_file(cases->items[i].model, path)) {
            known = true;
            status = mark_drawn(&cases->items[i], scene, d->drawn, error);
        } else {
            d->models = 2;
        }
    }
    if (status == MRW_OK) {
        status = mrw_session_model_init(path, scene, d->settings, &model, error);
    }
    if (status == MRW_OK && (scene->clips_count > 0 || !known)) {
        status = cli_draft_put_model(d, &model, error);
    }
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    free(d->drawn);
    d->drawn = NULL;
    return status;
}

static mrw_status say_added(const cli_draft *d, size_t count, mrw_error *error)
{
    mrw_text text = {0};
    mrw_text_escaped(&text, d->path);
    if (count == 0) {
        mrw_text_puts(&text, ": each clip has a case; nothing to add\n");
    } else {
        mrw_text_add(&text, ": %zu case%s added. What to do next:\n  marrow test ", count,
                     count == 1 ? "" : "s");
        cli_put_argument(d->path, &text);
        mrw_text_puts(&text, " --update=missing   # draws their goldens: check them\n");
    }
    const mrw_status status = cli_print(&text, error);
    mrw_text_free(&text);
    return status;
}

/* Writes the suite with the new cases behind it. */
static mrw_status write_extended(const cli_draft *d, const mrw_text *suite, size_t before,
                                 mrw_error *error)
{
    mrw_text text = {0};
    const size_t added = d->sections.count - before;
    const bool ends = suite->size > 0 && suite->data[suite->size - 1] == '\n';
    mrw_text_put(&text, suite->data, suite->size);
    mrw_text_puts(&text, ends ? "" : "\n");
    mrw_text_puts(&text, d->cases.data ? d->cases.data : "");
    mrw_status status = text.failed || d->cases.failed ? cli_fail_memory(error)
                        : added > 0 ? mrw_file_write(d->path, text.data, text.size, error)
                                    : MRW_OK;
    mrw_text_free(&text);
    return status == MRW_OK && !d->settings->run.quiet ? say_added(d, added, error) : status;
}

mrw_status cli_extend_suite(const mrw_settings *settings, mrw_error *error)
{
    const mrw_text_list *lists[2] = {&settings->model.added, &settings->arguments};
    mrw_case_list cases = {0};
    mrw_text suite = {0};
    char path[PATH_MAX];
    const char *const paths[] = {path};
    cli_draft d = {.settings = settings, .path = path, .adds = true};
    mrw_status status = find_suite(settings, path, error);
    if (status == MRW_OK && settings->cases.name) {
        status = mrw_fail(error, MRW_ERROR_USAGE,
                          "--name and --add cannot be combined; write `name` into the suite");
    }
    if (status == MRW_OK) {
        status = mrw_cases_load(paths, 1, &cases, error);
    }
    if (status == MRW_OK) {
        status = read_suite(path, &suite, error);
    }
    if (status == MRW_OK) {
        status = take_sections(&d, &suite, error);
    }
    const size_t before = d.sections.count;
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < lists[k]->count && status == MRW_OK; i++) {
            if (!cli_is_again(lists[k], i)) {
                status = extend_by(&d, &cases, lists[k]->items[i], error);
            }
        }
    }
    if (status == MRW_OK) {
        status = write_extended(&d, &suite, before, error);
    }
    mrw_text_free(&suite);
    mrw_cases_free(&cases);
    mrw_text_free(&d.cases);
    free(d.sections.names);
    return status;
}
