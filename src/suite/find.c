/* find.c: finds suite files in folders and reads them. */
#include "suite/suite.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_DEPTH 64 /* Levels of folders below the given one */

static const char plain_name[] = "suite.ini";
static const char ending[] = ".suite.ini";

typedef struct file_id {
    dev_t device;
    ino_t inode;
} file_id;

typedef struct finder {
    mrwi_base_arena *arena;  /* Memory of the suites found */
    mrwi_base_arena scratch; /* Memory of the search: names, paths */
    mrwi_suite_list *out;
    void *ids; /* file_id of each suite, so a file that two paths lead to is read once */
    size_t id_count;
    void *skipped; /* const char *: tidy paths of folders of goldens or results */
    size_t skipped_count;
    mrw_error *error;
} finder;

static mrw_status fail_path(mrw_error *error, mrw_status status, const char *path, const char *what)
{
    char shown[512];
    return mrwi_base_fail(error, status, "%s: %s", mrwi_base_escape(path, shown, sizeof shown),
                          what);
}

bool mrw_is_suite_file(const char *name)
{
    const size_t length = strlen(name), end = sizeof ending - 1;
    return name[0] != '.' && (strcmp(name, plain_name) == 0 ||
                              (length > end && strcmp(name + length - end, ending) == 0));
}

/* ---- one suite ------------------------------------------------------------------------------- */

/* Returns the last part of a folder's path. Resolves the path when its text does not tell. */
static const char *folder_name(const char *folder, char real[PATH_MAX])
{
    const char *slash = strrchr(folder, '/');
    const char *name = slash ? slash + 1 : folder;
    if (strcmp(name, "") != 0 && strcmp(name, "..") != 0) {
        return name;
    }
    if (!realpath(folder[0] == '\0' ? "." : folder, real)) {
        return "";
    }
    slash = strrchr(real, '/');
    return slash ? slash + 1 : real;
}

/* Makes a suite's path, folder and name of its tidy path. */
static mrw_status name_suite(const finder *f, const char *path, mrwi_suite *out)
{
    char real[PATH_MAX], safe[NAME_MAX + 1];
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    const size_t folder = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    *out = (mrwi_suite){.path = mrwi_base_copy_text(f->arena, path)};
    out->folder = mrwi_base_format(f->arena, "%.*s", (int)folder, path);
    if (!out->path || !out->folder) {
        return mrwi_base_fail_memory(f->error, folder);
    }
    const bool plain = strcmp(file, plain_name) == 0;
    const char *name = plain ? folder_name(out->folder, real) : file;
    const size_t length = strlen(name) - (plain ? 0 : sizeof ending - 1);
    name = mrwi_base_format(f->arena, "%.*s", (int)length, name);
    out->name =
        name ? mrwi_base_copy_text(f->arena, mrwi_base_file_name(name, safe, sizeof safe)) : NULL;
    return out->name ? MRW_OK : mrwi_base_fail_memory(f->error, length);
}

static mrw_status skip_folder(finder *f, const char *folder)
{
    const char *tidy = folder ? mrwi_suite_path_tidy(&f->scratch, folder, true) : NULL;
    if (!tidy ||
        !mrwi_options_append(&f->skipped, &f->skipped_count, sizeof(const char *), &tidy)) {
        return mrwi_base_fail_memory(f->error, sizeof(const char *));
    }
    return MRW_OK;
}

/* Excludes the folder of a `golden` key. When it is not below the suite's folder, excludes only the
 * suite's own folder in it. */
static mrw_status skip_goldens(finder *f, const mrwi_suite *suite, const char *golden)
{
    const char *tidy = mrwi_suite_path_tidy(&f->scratch, golden, true);
    const char *folder = tidy ? mrwi_suite_path_join(&f->scratch, suite->folder, tidy) : NULL;
    if (!folder) {
        return mrwi_base_fail_memory(f->error, strlen(golden));
    }
    const bool below = tidy[0] != '\0' && tidy[0] != '/' && !mrwi_suite_path_is_below(tidy, "..");
    return skip_folder(f, below ? folder : mrwi_suite_path_join(&f->scratch, folder, suite->name));
}

/* Excludes the folders of a suite's results and goldens from the search. */
static mrw_status skip_folders_of(finder *f, const mrwi_suite *suite)
{
    mrw_status status = skip_folder(f, mrwi_suite_path_join(&f->scratch, suite->folder, "results"));
    if (status) {
        return status;
    }
    for (size_t i = 0; i <= suite->section_count; i++) {
        const char *golden = mrwi_suite_golden(suite, i);
        status = golden ? skip_goldens(f, suite, golden) : MRW_OK;
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

static bool is_known(const finder *f, const struct stat *info)
{
    const file_id *ids = f->ids;
    for (size_t i = 0; i < f->id_count; i++) {
        if (ids[i].device == info->st_dev && ids[i].inode == info->st_ino) {
            return true;
        }
    }
    return false;
}

/* Reads the suite at a tidy path, unless it is known. */
static mrw_status add_suite(finder *f, const char *path, const struct stat *info)
{
    mrwi_suite suite;
    const file_id id = {info->st_dev, info->st_ino};
    if (is_known(f, info)) {
        return MRW_OK;
    }
    if (!mrwi_suite_text_is_plain(path)) {
        return fail_path(
            f->error, MRW_ERROR_USAGE, path,
            "the path of a suite contains a control character or invalid UTF-8; rename it");
    }
    mrw_status status = name_suite(f, path, &suite);
    if (status) {
        return status;
    }
    status = mrwi_suite_read(&suite, f->arena, f->error);
    if (status) {
        goto out;
    }
    status = skip_folders_of(f, &suite);
    if (status) {
        goto out;
    }
    void *items = f->out->items;
    if (!mrwi_options_append(&f->ids, &f->id_count, sizeof id, &id) ||
        !mrwi_options_append(&items, &f->out->count, sizeof suite, &suite)) {
        status = mrwi_base_fail_memory(f->error, sizeof suite);
    }
    f->out->items = items;
out:
    if (status) {
        mrwi_suite_free(&suite);
    }
    return status;
}

/* ---- folders --------------------------------------------------------------------------------- */

/* Lists the names in a folder, sorted, without hidden ones. The caller frees *names, also after a
 * failure. */
static mrw_status list_folder(finder *f, const char *folder, void **names, size_t *count)
{
    char what[160], reason[128];
    DIR *stream = opendir(folder[0] == '\0' ? "." : folder);
    *names = NULL;
    *count = 0;
    if (!stream) {
        const int code = errno;
        snprintf(what, sizeof what, "cannot look for suites there: %s",
                 mrwi_base_error_text(code, reason, sizeof reason));
        return code == ENOMEM ? mrwi_base_fail_memory(f->error, 0)
                              : fail_path(f->error, MRW_ERROR_INPUT, folder, what);
    }
    mrw_status status = MRW_OK;
    const struct dirent *entry;
    while ((entry = readdir(stream))) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        const char *name = mrwi_base_copy_text(&f->scratch, entry->d_name);
        if (!name || !mrwi_options_append(names, count, sizeof name, &name)) {
            status = mrwi_base_fail_memory(f->error, sizeof name);
            break;
        }
    }
    closedir(stream);
    if (*count > 0) {
        qsort(*names, *count, sizeof(const char *), mrwi_base_compare_texts);
    }
    return status;
}

static bool is_skipped(const finder *f, const char *folder)
{
    const char *const *skipped = f->skipped;
    for (size_t i = 0; i < f->skipped_count; i++) {
        if (strcmp(skipped[i], folder) == 0) {
            return true;
        }
    }
    return false;
}

static mrw_status search(finder *f, const char *folder, int depth);

/* Visits one name of a folder. The first round takes suites, the second one folders, because suites
 * tell which folders hold goldens. */
static mrw_status visit(finder *f, const char *folder, const char *name, int depth, bool folders)
{
    struct stat info;
    if (!folders && !mrw_is_suite_file(name)) {
        return MRW_OK;
    }
    const char *path = mrwi_suite_path_join(&f->scratch, folder, name);
    if (!path) {
        return mrwi_base_fail_memory(f->error, strlen(name));
    }
    if (!folders) {
        return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? add_suite(f, path, &info) : MRW_OK;
    }
    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode) || is_skipped(f, path)) {
        return MRW_OK;
    }
    return search(f, path, depth + 1);
}

static mrw_status search(finder *f, const char *folder, int depth)
{
    void *names = NULL;
    size_t count = 0;
    if (depth > MOST_DEPTH) {
        return fail_path(
            f->error, MRW_ERROR_USAGE, folder,
            "folders are nested too deeply to look for suites; give a folder closer to them");
    }
    mrw_status status = list_folder(f, folder, &names, &count);
    if (status) {
        goto out;
    }
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < count; i++) {
            status = visit(f, folder, ((const char *const *)names)[i], depth, round == 1);
            if (status) {
                goto out;
            }
        }
    }
out:
    mrwi_base_free(names);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

static mrw_status find_below(finder *f, const char *given)
{
    struct stat info;
    char what[160], reason[128];
    if (stat(given, &info) != 0) {
        snprintf(what, sizeof what, "no suite or folder can be opened there: %s",
                 mrwi_base_error_text(errno, reason, sizeof reason));
        return fail_path(f->error, MRW_ERROR_INPUT, given, what);
    }
    const char *path = mrwi_suite_path_tidy(&f->scratch, given, false);
    if (!path) {
        return mrwi_base_fail_memory(f->error, strlen(given));
    }
    if (S_ISDIR(info.st_mode)) {
        return search(f, path, 0);
    }
    const char *slash = strrchr(path, '/');
    if (!mrw_is_suite_file(slash ? slash + 1 : path)) {
        return fail_path(f->error, MRW_ERROR_USAGE, given,
                         "a suite file must be called suite.ini or NAME.suite.ini; rename it, or "
                         "give its folder");
    }
    return add_suite(f, path, &info);
}

static int compare_suites(const void *left, const void *right)
{
    const mrwi_suite *a = left, *b = right;
    return strcmp(a->path, b->path); /* equal paths are one file, which is read once */
}

mrw_status mrwi_suite_list_find(const char *const *paths, size_t path_count, mrwi_base_arena *arena,
                                mrwi_suite_list *out, mrw_error *error)
{
    finder f = {.arena = arena, .out = out, .error = error};
    mrw_status status = MRW_OK;
    *out = (mrwi_suite_list){0};
    for (size_t i = 0; i < path_count; i++) {
        status = find_below(&f, paths[i]);
        if (status) {
            mrwi_suite_list_free(out);
            goto out;
        }
    }
    if (out->count > 0) {
        qsort(out->items, out->count, sizeof *out->items, compare_suites);
    }
out:
    mrwi_base_free(f.ids);
    mrwi_base_free(f.skipped);
    mrwi_base_arena_free(&f.scratch);
    return status;
}

void mrwi_suite_list_free(mrwi_suite_list *suites)
{
    for (size_t i = 0; i < suites->count; i++) {
        mrwi_suite_free(&suites->items[i]);
    }
    mrwi_base_free(suites->items);
    *suites = (mrwi_suite_list){0};
}
