/* load.c: loads the cases of the suites that paths lead to. */
#include "suite/suite.h"

#include "base/text.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- suites that would share folders --------------------------------------------------------- */

typedef struct place {
    const char *path; /* Absolute and tidy path */
    const mrwi_suite *suite;
    bool of_results;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    const int order = strcmp(a->path, b->path);
    return order != 0 ? order : (a->suite > b->suite) - (a->suite < b->suite);
}

static const char *in_small_letters(const char *name, mrwi_base_arena *arena)
{
    const size_t length = strlen(name);
    char *copy = mrwi_base_arena_alloc(arena, length + 1, 1);
    for (size_t i = 0; copy && i <= length; i++) {
        copy[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
    }
    return copy;
}

/* Adds FOLDER/NAME of a suite as an absolute path. The name is in lower case, because some file
 * systems ignore case. */
static bool add_place(void **places, size_t *count, const mrwi_suite *suite, const char *folder,
                      bool of_results, mrwi_base_arena *arena)
{
    char real[PATH_MAX];
    const char *base = suite->folder[0] == '\0' ? "." : suite->folder;
    base = realpath(base, real) ? real : base;
    char nfc[MRWI_BASE_NFC_SIZE];
    const char *name = in_small_letters(mrwi_base_utf8_nfc(suite->name, nfc), arena);
    const char *path = name ? mrwi_base_format(arena, "%s/%s/%s", base, folder, name) : NULL;
    const place added = {.path = path ? mrwi_suite_path_tidy(arena, path, true) : NULL,
                         .suite = suite,
                         .of_results = of_results};
    return added.path && mrwi_options_append(places, count, sizeof added, &added);
}

static bool add_places(void **places, size_t *count, const mrwi_suite *suite,
                       mrwi_base_arena *arena)
{
    if (!add_place(places, count, suite, "results", true, arena)) {
        return false;
    }
    for (size_t i = 0; i <= suite->section_count; i++) {
        const char *golden = mrwi_suite_golden(suite, i);
        if (golden && !add_place(places, count, suite, golden, false, arena)) {
            return false;
        }
    }
    return true;
}

static mrw_status check_places(const mrwi_suite_list *suites, mrw_error *error)
{
    mrwi_base_arena arena = {0};
    void *list = NULL;
    size_t count = 0;
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < suites->count; i++) {
        if (!add_places(&list, &count, &suites->items[i], &arena)) {
            status = mrwi_base_fail_memory(error, count * sizeof(place));
            goto out;
        }
    }
    place *places = list;
    if (count > 0) {
        qsort(places, count, sizeof *places, compare_places);
    }
    for (size_t i = 1; i < count; i++) {
        const place *a = &places[i - 1], *b = &places[i];
        char other[256];
        if (a->suite != b->suite && strcmp(a->path, b->path) == 0) {
            status = mrwi_suite_fail(
                b->suite, 1, error,
                "this suite is called %s, as is %s%s, and both use the same folder of %s; rename "
                "one",
                b->suite->name, mrwi_base_escape(a->suite->path, other, sizeof other),
                strcmp(a->suite->name, b->suite->name) != 0 ? " except for capital letters" : "",
                a->of_results ? "results" : "goldens");
            goto out;
        }
    }
out:
    mrwi_base_free(list);
    mrwi_base_arena_free(&arena);
    return status;
}

/* Lets no case use goldens under an old name that several cases could mean. */
static void forget_shared(const mrwi_suite_case_list *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        const char *old = cases->items[i].golden;
        size_t users = 0;
        for (size_t k = 0; cases->items[i].golden_renamed && k < cases->count; k++) {
            users += strcmp(cases->items[k].golden, old) == 0;
        }
        for (size_t k = 0; users > 1 && k < cases->count; k++) {
            mrw_case *c = &cases->items[k];
            if (c->golden_renamed && strcmp(c->golden, old) == 0) {
                c->golden = c->golden_renamed;
                c->golden_renamed = NULL;
            }
        }
    }
}

/* ---- loading --------------------------------------------------------------------------------- */

static mrw_status load(const char *const *paths, size_t path_count, mrwi_suite_case_list *cases,
                       mrw_error *error)
{
    static const char *const here[] = {"."};
    mrwi_suite_list suites;
    mrw_status status =
        mrwi_suite_list_find(path_count > 0 ? paths : here, path_count > 0 ? path_count : 1,
                             cases->arena, &suites, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < suites.count; i++) {
        status = mrwi_suite_cases(&suites.items[i], cases, error);
        if (status) {
            goto out;
        }
    }
    status = check_places(&suites, error);
    if (status) {
        goto out;
    }
    forget_shared(cases);
out:
    mrwi_suite_list_free(&suites);
    return status;
}

mrw_status mrw_cases_load(const char *const *paths, size_t path_count, mrw_case_list *out,
                          mrw_error *error)
{
    *out = (mrw_case_list){0};
    mrwi_suite_case_list cases = {.arena = mrwi_base_alloc_zero(1, sizeof *cases.arena)};
    if (!cases.arena) {
        return mrwi_base_fail_memory(error, sizeof *cases.arena);
    }
    mrw_status status = load(paths, path_count, &cases, error);
    *out = (mrw_case_list){.items = cases.items, .count = cases.count, .memory = cases.arena};
    if (status) {
        mrw_cases_free(out);
    }
    return status;
}

void mrw_cases_free(mrw_case_list *list)
{
    if (!list) {
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        mrw_settings_free(&list->items[i].settings);
    }
    mrwi_base_free(list->items);
    if (list->memory) {
        mrwi_base_arena_free(list->memory);
        mrwi_base_free(list->memory);
    }
    *list = (mrw_case_list){0};
}
