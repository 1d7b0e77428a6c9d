/* report.c: `marrow report merge`: results of several runs as one. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Most levels of folders that are searched below a given folder. */
#define MOST_DEPTH 32

/* Results folders, in the order in which they were given and found. */
typedef struct folders {
    char **items;
    size_t count;
    size_t capacity;
    bool failed; /* out of memory */
} folders;

static void add_folder(folders *list, const char *path)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
        char **grown = realloc(list->items, capacity * sizeof *grown);
        if (!grown) {
            list->failed = true;
            return;
        }
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->count] = strdup(path);
    list->failed = list->failed || !list->items[list->count];
    list->count += list->failed ? 0 : 1;
}

static void free_folders(folders *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (folders){0};
}

/* ---- finding them ---------------------------------------------------------------------------- */

static bool holds_results(folders *list, const char *path)
{
    struct stat info;
    mrw_text file = {0};
    mrw_text_add(&file, "%s/results.json", path);
    const bool found = !file.failed && stat(file.data, &info) == 0;
    list->failed = list->failed || file.failed;
    mrw_text_free(&file);
    return found;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds the folders with a results.json. The folders below such a folder belong to its run. */
static void find_below(folders *list, const char *path, int depth)
{
    struct dirent **entries = NULL;
    struct stat info;
    if (holds_results(list, path)) {
        add_folder(list, path);
        return;
    }
    int count = depth < MOST_DEPTH ? scandir(path, &entries, is_visible, by_name) : 0;
    list->failed = list->failed || (count < 0 && errno == ENOMEM);
    for (int i = 0; i < count; i++) {
        mrw_text below = {0};
        mrw_text_add(&below, "%s/%s", path, entries[i]->d_name);
        /* links are not followed: they may lead in a circle */
        if (!below.failed && lstat(below.data, &info) == 0 && S_ISDIR(info.st_mode)) {
            find_below(list, below.data, depth + 1);
        }
        list->failed = list->failed || below.failed;
        mrw_text_free(&below);
        free(entries[i]);
    }
    free(entries);
}

static mrw_status find(folders *list, const char *given, mrw_error *error)
{
    const size_t before = list->count;
    size_t length = strlen(given);
    while (length > 1 && given[length - 1] == '/') { /* "shards/1/" is named "shards/1" */
        length--;
    }
    char *path = strndup(given, length);
    if (path) {
        find_below(list, path, 0);
    }
    free(path);
    if (!path || list->failed) {
        return host_fail_memory(error);
    }
    if (list->count == before) {
        char safe[512];
        return mrw_fail(error, MRW_ERROR_INPUT,
                        "%s: there is no results.json in this folder or below; give the results "
                        "folder of a run, or check why the run wrote none",
                        mrw_escape_text(given, safe, sizeof safe));
    }
    return MRW_OK;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Prints bad cases and counts; nothing if standard output is for a program. */
static mrw_status print_cases(const mrw_settings *settings, const mrw_results *results,
                              size_t folder_count, mrw_error *error)
{
    mrw_text text = {0};
    if (settings->run.quiet || settings->reports.tap || host_answers_to_stdout()) {
        return MRW_OK;
    }
    for (size_t i = 0; i < results->case_count; i++) {
        const mrw_case_result *result = &results->cases[i];
        if (mrw_outcome_is_bad(result->outcome)) {
            mrw_text_add(&text, "%s ", mrw_outcome_name(result->outcome));
            mrw_text_escaped(&text, result->suite);
            mrw_text_add(&text, "/");
            mrw_text_escaped(&text, result->name);
            mrw_text_add(&text, "%s%s\n", result->message[0] ? ": " : "", result->message);
        }
    }
    mrw_text_add(&text, "%zu case%s from %zu results folder%s", results->case_count,
                 results->case_count == 1 ? "" : "s", folder_count, folder_count == 1 ? "" : "s");
    for (int i = 0, shown = 0; i < MRW_OUTCOME_COUNT; i++) {
        if (results->counts[i] > 0) {
            mrw_text_add(&text, "%s%u %s", shown++ == 0 ? ": " : ", ", (unsigned)results->counts[i],
                         mrw_outcome_name((mrw_outcome)i));
        }
    }
    mrw_text_add(&text, "\n");
    mrw_status status = host_print(&text, error);
    mrw_text_free(&text);
    return status;
}

/* Complains and keeps the first status. */
static void complain(mrw_status *first, mrw_status status, const mrw_error *error)
{
    if (status) {
        host_complain(error);
        *first = *first ? *first : status;
    }
}

/* Reads the results. Results that cannot be read are complained about and left out. */
static mrw_results *read_all(const folders *list, size_t *count, mrw_status *first)
{
    mrw_results *parts = calloc(list->count > 0 ? list->count : 1, sizeof *parts);
    mrw_error error;
    *count = 0;
    if (!parts) {
        complain(first, host_fail_memory(&error), &error);
        return NULL;
    }
    for (size_t i = 0; i < list->count; i++) {
        const mrw_status status = mrw_results_read(list->items[i], &parts[*count], &error);
        *count += !status;
        complain(first, status, &error);
    }
    return parts;
}

static int merge(const mrw_settings *settings, const mrw_results *parts, size_t count,
                 mrw_status first)
{
    mrw_results merged;
    mrw_error error;
    const mrw_status status = mrw_results_merge(parts, count, ".", &merged, &error);
    if (status) {
        complain(&first, status, &error);
        return host_exit_status(first);
    }
    complain(&first, print_cases(settings, &merged, count, &error), &error);
    complain(&first, host_write_reports(settings, &merged, &error), &error);
    const int result = first ? host_exit_status(first) : mrw_results_exit_status(&merged);
    mrw_results_free(&merged);
    return result;
}

/* Refuses reports that would replace the results that they are made from. */
static mrw_status check_targets(const mrw_settings *settings, const folders *list, mrw_error *error)
{
    host_guard guard = {0};
    for (size_t i = 0; i < list->count; i++) {
        mrw_text file = {0};
        mrw_text_add(&file, "%s/results.json", list->items[i]);
        host_guard_file(&guard, file.data);
        guard.failed = guard.failed || file.failed;
        mrw_text_free(&file);
    }
    mrw_status status = host_guard_reports(&guard, settings, error);
    host_guard_free(&guard);
    return status;
}

int cli_report(const mrw_settings *settings)
{
    folders list = {0};
    mrw_status first = MRW_OK;
    mrw_error error;
    size_t count = 0;
    if (strcmp(settings->arguments.items[0], "merge") != 0) {
        char safe[256];
        mrw_fail(&error, MRW_ERROR_USAGE,
                 "report: unknown action `%s`; use `marrow report merge DIR... --report OUT`",
                 mrw_escape_text(settings->arguments.items[0], safe, sizeof safe));
        host_complain(&error);
        return HOST_USAGE;
    }
    for (size_t i = 1; i < settings->arguments.count; i++) {
        complain(&first, find(&list, settings->arguments.items[i], &error), &error);
    }
    const mrw_status targets = check_targets(settings, &list, &error);
    if (targets) {
        host_complain(&error);
        free_folders(&list);
        return host_exit_status(targets);
    }
    mrw_results *parts = read_all(&list, &count, &first);
    int result = count > 0 ? merge(settings, parts, count, first) : host_exit_status(first);
    for (size_t i = 0; i < count; i++) {
        mrw_results_free(&parts[i]);
    }
    free(parts);
    free_folders(&list);
    return result;
}
