/* choose.c: chooses the cases of a list that run: by name, tag, the last run and shard. */
#include "base/memory.h"
#include "base/text.h"
#include "golden/changed_cases.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_tag(const mrw_case *item, const char *tag)
{
    for (size_t i = 0; i < item->tag_count; i++) {
        if (strcmp(item->tags[i], tag) == 0) {
            return true;
        }
    }
    return false;
}

mrw_status mrw_case_matches(const mrw_case *item, const char *glob, bool *out, mrw_error *error)
{
    mrwi_base_arena arena = {0};
    const char *full = mrwi_base_format(&arena, "%s/%s", item->suite, item->name);
    *out = full && (mrwi_base_glob(glob, item->name) || mrwi_base_glob(glob, full));
    mrwi_base_arena_free(&arena);
    return full ? MRW_OK : mrwi_base_fail_memory(error, strlen(item->name));
}

static mrw_status matches(const mrw_case *item, const mrw_case_choice *choice, bool *out,
                          mrw_error *error)
{
    const bool tagged = !choice->tag || has_tag(item, choice->tag);
    *out = tagged && choice->glob_count == 0;
    for (size_t i = 0; tagged && i < choice->glob_count && !*out; i++) {
        mrw_status status = mrw_case_matches(item, choice->globs[i], out, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* ---- failures of the last run ---------------------------------------------------------------- */

/* The current results folder. Suites of one folder share it. */
typedef struct last_run {
    char folder[PATH_MAX];
    mrw_results results;
    const mrw_case_result **bad; /* Bad results by suite and name, including expected failures */
    size_t bad_count;
    size_t found; /* Number of folders with results */
} last_run;

static int compare_results(const void *left, const void *right)
{
    const mrw_case_result *a = *(const mrw_case_result *const *)left;
    const mrw_case_result *b = *(const mrw_case_result *const *)right;
    const int order = strcmp(a->suite, b->suite);
    return order != 0 ? order : strcmp(a->name, b->name);
}

static void close_run(last_run *run)
{
    mrw_results_free(&run->results);
    mrwi_base_free(run->bad);
    run->bad = NULL;
    run->bad_count = 0;
}

/* Opens the results of a folder. A folder without results is not a failure. */
static mrw_status open_run(last_run *run, const char *folder, size_t length, mrw_error *error)
{
    char path[PATH_MAX + 16];
    if (strlen(run->folder) == length && memcmp(run->folder, folder, length) == 0) {
        return MRW_OK;
    }
    close_run(run);
    if (length >= sizeof run->folder) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "the path of a results folder is too long");
    }
    memcpy(run->folder, folder, length);
    run->folder[length] = '\0';
    memcpy(path, folder, length);
    memcpy(path + length, "/results.json", sizeof "/results.json");
    if (access(path, F_OK) != 0) {
        return MRW_OK;
    }
    mrw_status status = mrw_results_read(run->folder, &run->results, error);
    if (status) {
        return status;
    }
    run->found++;
    run->bad = mrwi_base_alloc(run->results.case_count, sizeof(mrw_case_result *));
    if (!run->bad) {
        return mrwi_base_fail_memory(error, run->results.case_count);
    }
    for (size_t i = 0; i < run->results.case_count; i++) {
        const mrw_outcome outcome = run->results.cases[i].outcome;
        if (mrw_outcome_is_bad(outcome) || outcome == MRW_XFAILED) {
            run->bad[run->bad_count++] = &run->results.cases[i];
        }
    }
    if (run->bad_count > 0) {
        qsort(run->bad, run->bad_count, sizeof(mrw_case_result *), compare_results);
    }
    return MRW_OK;
}

/* Returns the length of RESULTS in RESULTS/SUITE/CASE. */
static size_t results_length(const char *path)
{
    size_t length = strlen(path);
    for (int slashes = 0; length > 0 && slashes < 2;) {
        slashes += path[--length] == '/';
    }
    return length;
}

/* Finds the bad result of a case; NULL when it has none. */
static mrw_status look_up(last_run *run, const mrw_case *item, const char *out,
                          const mrw_case_result **found, mrw_error *error)
{
    const mrw_case_result wanted = {.suite = item->suite, .name = item->name};
    const mrw_case_result *key = &wanted;
    *found = NULL;
    mrw_status status = open_run(run, out ? out : item->results,
                                 out ? strlen(out) : results_length(item->results), error);
    if (status) {
        return status;
    }
    if (run->bad_count > 0) {
        const mrw_case_result **at =
            bsearch(&key, run->bad, run->bad_count, sizeof key, compare_results);
        *found = at ? *at : NULL;
    }
    return MRW_OK;
}

static mrw_status mark_failed(const mrw_case_list *list, const char *out, bool *marked,
                              mrw_error *error)
{
    last_run *run = mrwi_base_alloc_zero(1, sizeof *run);
    if (!run) {
        return mrwi_base_fail_memory(error, sizeof *run);
    }
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < list->count; i++) {
        const mrw_case_result *found;
        status = look_up(run, &list->items[i], out, &found, error);
        if (status) {
            goto out;
        }
        marked[i] = marked[i] && found && mrw_outcome_is_bad(found->outcome);
    }
    if (run->found == 0 && list->count > 0) {
        char shown[512];
        status = mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "there was no last run: %s/results.json does not exist; run all cases first",
            mrwi_base_escape(run->folder, shown, sizeof shown));
    }
out:
    close_run(run);
    mrwi_base_free(run);
    return status;
}

mrw_status mrwi_golden_failed_last(const mrw_case_list *list, const char *out, bool *failed,
                                   mrw_error *error)
{
    mrw_error why;
    mrw_status status = MRW_OK;
    last_run *run = mrwi_base_alloc_zero(1, sizeof *run);
    if (!run) {
        return mrwi_base_fail_memory(error, sizeof *run);
    }
    for (size_t i = 0; i < list->count; i++) {
        const mrw_case_result *found;
        status = look_up(run, &list->items[i], out, &found, &why);
        failed[i] =
            status || (found && (mrw_outcome_is_bad(found->outcome) || !list->items[i].xfail));
        if (status == MRW_ERROR_INPUT) { /* the result of the next case is unknown, too */
            run->folder[0] = '\0';
            status = MRW_OK;
        } else if (status) {
            mrwi_base_fail(error, status, "%s", why.text);
            break;
        }
    }
    close_run(run);
    mrwi_base_free(run);
    return status;
}

/* ---- choosing -------------------------------------------------------------------------------- */

mrw_status mrw_cases_choose(mrw_case_list *list, const mrw_case_choice *choice, mrw_error *error)
{
    bool *marked = mrwi_base_alloc(list->count, sizeof *marked);
    if (!marked) {
        return mrwi_base_fail_memory(error, list->count);
    }
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < list->count; i++) {
        status = matches(&list->items[i], choice, &marked[i], error);
        if (status) {
            goto out;
        }
    }
    if (choice->last_failed) {
        status = mark_failed(list, choice->out, marked, error);
        if (status) {
            goto out;
        }
    }
    size_t number = 0, kept = 0;
    for (size_t i = 0; i < list->count && choice->shard_count > 1; i++) {
        if (marked[i]) {
            marked[i] = number++ % choice->shard_count == choice->shard_index - 1;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        if (marked[i]) {
            list->items[kept++] = list->items[i];
        } else {
            mrw_settings_free(&list->items[i].settings);
        }
    }
    list->count = kept;
out:
    mrwi_base_free(marked);
    return status;
}
