/* results_folders.c: makes, checks and clears the results folders of a run. */
#include "golden/results_folders.h"

#include "base/file.h"
#include "base/text.h"
#include "golden/unused_files.h"
#include "report/results.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *mrwi_golden_results_root(const char *out, const mrw_case *c, mrw_results *memory)
{
    char root[4096];
    snprintf(root, sizeof root, "%s", out ? out : c->results);
    if (!out) {
        mrwi_base_cut_parts(root, 2);
    }
    size_t length = strlen(root);
    while (length > 1 && root[length - 1] == '/') {
        root[--length] = '\0';
    }
    return mrwi_report_text(memory, root);
}

/* Refuses two cases with one results folder. Suites of one name may have different goldens. */
static mrw_status check_folders(const mrw_case_list *cases, const char *const *roots,
                                mrw_error *error)
{
    const size_t count = cases->count;
    const char **folders = mrwi_base_alloc(count, sizeof *folders);
    mrwi_base_arena arena = {0};
    char safe[600];
    if (!folders) {
        return mrwi_base_fail_memory(error, count * sizeof *folders);
    }
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < count; i++) {
        const mrw_case *c = &cases->items[i];
        folders[i] = mrwi_base_format(&arena, "%s/%s/%s", roots[i], c->suite, c->name);
        if (!folders[i]) {
            status = mrwi_base_fail_memory(error, 0);
            goto out;
        }
    }
    qsort(folders, count, sizeof *folders, mrwi_base_compare_texts);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(folders[i - 1], folders[i]) == 0) {
            status = mrwi_base_fail(error, MRW_ERROR_USAGE,
                                    "two cases would write their results to %s; run their suites "
                                    "with separate --out folders, or rename one case",
                                    mrwi_base_escape(folders[i], safe, sizeof safe));
            goto out;
        }
    }
out:
    mrwi_base_arena_free(&arena);
    mrwi_base_free(folders);
    return status;
}

/* Returns true when `path` is `folder` or below it. Both are free of links. */
static bool is_within(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* Returns the folder that contains a path. */
static void parent_of(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    snprintf(out, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

/* Refuses a root among the goldens: old results are removed by name, and goldens have the same
 * names. */
static mrw_status keep_apart(const mrw_case_list *cases, const char *root, mrw_error *error)
{
    char real_root[PATH_MAX], real[PATH_MAX], suite[PATH_MAX], golden[PATH_MAX];
    char before[PATH_MAX] = "", safe[600];
    if (!realpath(root, real_root)) {
        return MRW_OK; /* writing there reports why */
    }
    for (size_t i = 0; i < cases->count; i++) {
        parent_of(cases->items[i].golden, suite); /* the path is GOLDEN/SUITE/CASE */
        parent_of(suite, golden);
        if (strcmp(suite, before) == 0) {
            continue;
        }
        if ((realpath(golden, real) && strcmp(real, real_root) == 0) ||
            (realpath(suite, real) && is_within(real_root, real))) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "%s: results must not go among the goldens; choose another "
                                  "folder for the results or for the goldens",
                                  mrwi_base_escape(root, safe, sizeof safe));
        }
        memcpy(before, suite, sizeof before);
    }
    return MRW_OK;
}

static mrw_status make_root(const mrw_case_list *cases, const char *root, mrw_error *error)
{
    char path[4096], safe[600];
    bool made = false;
    mrw_status status = mrw_make_folder(root, &made, error);
    if (status) {
        return status;
    }
    status = keep_apart(cases, root, error);
    if (status) {
        return status;
    }
    if (access(root, W_OK) != 0) {
        return mrwi_base_fail(
            error, MRW_ERROR_OUTPUT,
            "%s: results can't be written there; change its permissions, or choose "
            "another folder with --out",
            mrwi_base_escape(root, safe, sizeof safe));
    }
    if (!made) { /* an existing folder is the user's own */
        return MRW_OK;
    }
    /* Results are not to be committed. */
    snprintf(path, sizeof path, "%s/.gitignore", root);
    status = mrw_file_write(path, "*\n", 2, error);
    if (status) {
        rmdir(root); /* the next run makes it again, and writes the file */
    }
    return status;
}

/* Removes results.json before other files, so that what a killed run leaves does not look like
 * results. */
static mrw_status clear_root(const char *root, mrw_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/results.json", root);
    return mrwi_base_remove_file(path, error);
}

/* Refuses a results folder that is the golden folder, perhaps through a link. */
static mrw_status refuse_same(const char *results, const char *golden, mrw_error *error)
{
    struct stat a, b;
    char safe[600];
    bool same = stat(results, &a) == 0 && stat(golden, &b) == 0 && a.st_ino == b.st_ino &&
                a.st_dev == b.st_dev;
    return same ? mrwi_base_fail(error, MRW_ERROR_USAGE,
                                 "%s: this is also the folder of its goldens; results must not go "
                                 "among the goldens",
                                 mrwi_base_escape(results, safe, sizeof safe))
                : MRW_OK;
}

mrw_status mrwi_golden_results_take(const mrw_case_list *cases, const mrw_test_def *def,
                                    const char *const *roots, mrwi_golden_locks *locks,
                                    mrw_error *error)
{
    const bool none = cases->count == 0 && def->out;
    const size_t count = none ? 1 : cases->count;
    mrw_status status = check_folders(cases, roots, error);
    if (status) {
        return status;
    }
    if (none) {
        roots = &def->out;
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(roots[i - 1], roots[i]) == 0) {
            continue;
        }
        status = make_root(cases, roots[i], error);
        if (status) {
            return status;
        }
    }
    return mrwi_golden_lock_roots(locks, def, roots, count, error);
}

mrw_status mrwi_golden_results_clear(const mrw_case_list *cases, const mrw_case *drawn,
                                     const char *out, const char *const *roots, mrw_error *error)
{
    mrw_status status;
    if (cases->count == 0 && out) {
        return clear_root(out, error);
    }
    for (size_t i = 0; i < cases->count; i++) {
        const mrw_case *c = &cases->items[i];
        char folder[4096];
        if (i == 0 || strcmp(roots[i - 1], roots[i]) != 0) {
            status = clear_root(roots[i], error);
            if (status) {
                return status;
            }
        }
        snprintf(folder, sizeof folder, "%s/%s/%s", roots[i], c->suite, c->name);
        status = refuse_same(folder, drawn[i].golden, error);
        if (status) {
            return status;
        }
        status = mrwi_golden_remove_results(folder, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}
