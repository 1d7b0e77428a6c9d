/* choose.c: the list of cases: loaded from suite files, and cut down to what is to run. */
#include "suite/suite.h"

#include "base/files.h"
#include "base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- suites that would share folders --------------------------------------------------------- */

typedef struct place {
    const char *path; /* absolute and tidy */
    const mrwi_suite *suite;
    bool of_results;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    const int order = strcmp(a->path, b->path);
    return order != 0 ? order : (a->suite > b->suite) - (a->suite < b->suite);
}

static const char *in_small_letters(const char *name, mrwi_arena *arena)
{
    const size_t length = strlen(name);
    char *copy = mrwi_arena_alloc(arena, length + 1, 1);
    for (size_t i = 0; copy && i <= length; i++) {
        copy[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
    }
    return copy;
}

/* FOLDER/NAME of a suite, wherever the path to the suite began; the name in small letters, as some
 * file systems don't tell capitals apart. */
static bool add_place(void **places, size_t *count, const mrwi_suite *suite, const char *folder,
                      bool of_results, mrwi_arena *arena)
{
    char real[PATH_MAX];
    const char *base = suite->folder[0] == '\0' ? "." : suite->folder;
    base = realpath(base, real) ? real : base;
    const char *name = in_small_letters(suite->name, arena);
    const char *path = name ? mrwi_golden_format(arena, "%s/%s/%s", base, folder, name) : NULL;
    const place added = {.path = path ? mrwi_path_tidy(arena, path, true) : NULL,
                         .suite = suite,
                         .of_results = of_results};
    return added.path && mrwi_append(places, count, sizeof added, &added);
}

static bool add_places(void **places, size_t *count, const mrwi_suite *suite, mrwi_arena *arena)
{
    bool fine = add_place(places, count, suite, "results", true, arena);
    for (size_t i = 0; i <= suite->section_count && fine; i++) {
        const char *golden = mrwi_suite_golden(suite, i);
        fine = !golden || add_place(places, count, suite, golden, false, arena);
    }
    return fine;
}

static mrw_status check_places(const mrwi_suites *suites, mrw_error *error)
{
    mrwi_arena arena = {0};
    void *list = NULL;
    size_t count = 0;
    bool fine = true;
    for (size_t i = 0; i < suites->count; i++) {
        fine = fine && add_places(&list, &count, &suites->items[i], &arena);
    }
    place *places = list;
    mrw_status status = fine ? MRW_OK : mrwi_fail_memory(error, count * sizeof *places);
    if (count > 0) {
        qsort(places, count, sizeof *places, compare_places);
    }
    for (size_t i = 1; i < count && status == MRW_OK; i++) {
        const place *a = &places[i - 1], *b = &places[i];
        char other[256];
        if (a->suite != b->suite && strcmp(a->path, b->path) == 0) {
            status = mrwi_suite_fail(
                b->suite, 1, error,
                "this suite is called %s, and so is %s%s, with the same folder "
                "of %s; rename one",
                b->suite->name, mrwi_escape(a->suite->path, other, sizeof other),
                strcmp(a->suite->name, b->suite->name) != 0 ? " but for capitals" : "",
                a->of_results ? "results" : "goldens");
        }
    }
    mrwi_free(list);
    mrwi_arena_free(&arena);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

static mrw_status load(const char *const *paths, size_t path_count, mrwi_cases *cases,
                       mrw_error *error)
{
    static const char *const here[] = {"."};
    mrwi_suites suites;
    mrw_status status =
        mrwi_suites_find(path_count > 0 ? paths : here, path_count > 0 ? path_count : 1,
                         cases->arena, &suites, error);
    for (size_t i = 0; i < suites.count && status == MRW_OK; i++) {
        status = mrwi_suite_cases(&suites.items[i], cases, error);
    }
    if (status == MRW_OK) {
        status = check_places(&suites, error);
    }
    mrwi_suites_free(&suites);
    return status;
}

mrw_status mrw_cases_load(const char *const *paths, size_t path_count, mrw_case_list *out,
                          mrw_error *error)
{
    *out = (mrw_case_list){0};
    mrwi_cases cases = {.arena = mrwi_alloc_zero(1, sizeof *cases.arena)};
    if (!cases.arena) {
        return mrwi_fail_memory(error, sizeof *cases.arena);
    }
    mrw_status status = load(paths, path_count, &cases, error);
    *out = (mrw_case_list){.items = cases.items, .count = cases.count, .memory = cases.arena};
    if (status != MRW_OK) {
        mrw_cases_free(out);
    }
    return status;
}

void mrw_cases_free(mrw_case_list *list)
{
    if (list == NULL) {
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        mrw_settings_free(&list->items[i].settings);
    }
    mrwi_free(list->items);
    if (list->memory != NULL) {
        mrwi_arena_free(list->memory);
        mrwi_free(list->memory);
    }
    *list = (mrw_case_list){0};
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool has_tag(const mrw_case *item, const char *tag)
{
    for (size_t i = 0; i < item->tag_count; i++) {
        if (strcmp(item->tags[i], tag) == 0) {
            return true;
        }
    }
    return false;
}

static mrw_status matches(const mrw_case *item, const mrw_case_choice *choice, bool *out,
                          mrw_error *error)
{
    *out = !choice->tag || has_tag(item, choice->tag);
    if (!*out || !choice->glob || mrwi_glob(choice->glob, item->name)) {
        return MRW_OK;
    }
    mrwi_arena arena = {0};
    const char *full = mrwi_golden_format(&arena, "%s/%s", item->suite, item->name);
    *out = full && mrwi_glob(choice->glob, full);
    mrwi_arena_free(&arena);
    return full ? MRW_OK : mrwi_fail_memory(error, strlen(item->name));
}

/* Keeps the cases that are marked. */
static void keep(mrw_case_list *list, const bool *marked)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (marked[i]) {
            list->items[kept++] = list->items[i];
        } else {
            mrw_settings_free(&list->items[i].settings);
        }
    }
    list->count = kept;
}

/* ---- what failed in the last run ------------------------------------------------------------- */

/* The results folder at hand; suites of one folder share it. */
typedef struct last_run {
    char folder[PATH_MAX];
    mrw_results results;
    const mrw_case_result **bad; /* by suite and name */
    size_t bad_count;
    size_t found; /* folders with results */
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
    mrwi_free(run->bad);
    run->bad = NULL;
    run->bad_count = 0;
}

static mrw_status collect_bad(last_run *run, mrw_error *error)
{
    run->bad = mrwi_alloc(run->results.case_count, sizeof(mrw_case_result *));
    if (!run->bad) {
        return mrwi_fail_memory(error, run->results.case_count);
    }
    for (size_t i = 0; i < run->results.case_count; i++) {
        if (mrw_outcome_is_bad(run->results.cases[i].outcome)) {
            run->bad[run->bad_count++] = &run->results.cases[i];
        }
    }
    if (run->bad_count > 0) {
        qsort(run->bad, run->bad_count, sizeof(mrw_case_result *), compare_results);
    }
    return MRW_OK;
}

/* Opens the results of a folder; none are no failure here. */
static mrw_status open_run(last_run *run, const char *folder, size_t length, mrw_error *error)
{
    char path[PATH_MAX + 16];
    if (strlen(run->folder) == length && memcmp(run->folder, folder, length) == 0) {
        return MRW_OK;
    }
    close_run(run);
    if (length >= sizeof run->folder) {
        return mrwi_fail(error, MRW_ERROR_USAGE, "the path of a results folder is too long");
    }
    memcpy(run->folder, folder, length);
    run->folder[length] = '\0';
    memcpy(path, folder, length);
    memcpy(path + length, "/results.json", sizeof "/results.json");
    if (access(path, F_OK) != 0) {
        return MRW_OK;
    }
    mrw_status status = mrw_results_read(run->folder, &run->results, error);
    if (status == MRW_OK) {
        run->found++;
        status = collect_bad(run, error);
    }
    return status;
}

/* RESULTS of RESULTS/SUITE/CASE. */
static size_t results_length(const char *path)
{
    size_t length = strlen(path);
    for (int slashes = 0; length > 0 && slashes < 2;) {
        slashes += path[--length] == '/';
    }
    return length;
}

static mrw_status mark_failed(const mrw_case_list *list, const char *out, bool *marked,
                              mrw_error *error)
{
    mrw_status status = MRW_OK;
    last_run *run = mrwi_alloc_zero(1, sizeof *run);
    if (!run) {
        return mrwi_fail_memory(error, sizeof *run);
    }
    for (size_t i = 0; i < list->count && status == MRW_OK; i++) {
        const mrw_case *item = &list->items[i];
        const mrw_case_result wanted = {.suite = item->suite, .name = item->name};
        const mrw_case_result *key = &wanted;
        status = open_run(run, out ? out : item->results,
                          out ? strlen(out) : results_length(item->results), error);
        marked[i] = marked[i] && run->bad_count > 0 &&
                    bsearch(&key, run->bad, run->bad_count, sizeof key, compare_results) != NULL;
    }
    if (status == MRW_OK && run->found == 0 && list->count > 0) {
        char shown[512];
        status = mrwi_fail(error, MRW_ERROR_USAGE,
                           "there was no last run: %s/results.json is not there; run all cases "
                           "first",
                           mrwi_escape(run->folder, shown, sizeof shown));
    }
    close_run(run);
    mrwi_free(run);
    return status;
}

static void mark_shard(const mrw_case_choice *choice, bool *marked, size_t count)
{
    size_t number = 0;
    for (size_t i = 0; i < count && choice->shard_count > 1; i++) {
        if (marked[i]) {
            marked[i] = number++ % choice->shard_count == choice->shard_index - 1;
        }
    }
}

mrw_status mrw_cases_choose(mrw_case_list *list, const mrw_case_choice *choice, mrw_error *error)
{
    bool *marked = mrwi_alloc(list->count, sizeof *marked);
    mrw_status status = marked ? MRW_OK : mrwi_fail_memory(error, list->count);
    for (size_t i = 0; i < list->count && status == MRW_OK; i++) {
        status = matches(&list->items[i], choice, &marked[i], error);
    }
    if (status == MRW_OK && choice->last_failed) {
        status = mark_failed(list, choice->out, marked, error);
    }
    if (status == MRW_OK) {
        mark_shard(choice, marked, list->count);
        keep(list, marked);
    }
    mrwi_free(marked);
    return status;
}
