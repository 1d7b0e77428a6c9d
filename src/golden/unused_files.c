/* unused_files.c: finds goldens that no case uses, and removes results of earlier runs. Only files
 * whose names look like ours are listed or removed. */
#include "golden/unused_files.h"

#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/results.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A golden that no case uses. */
typedef struct mrwi_golden_unused_file {
    const char *path;
    struct mrwi_golden_unused_file *next;
} mrwi_golden_unused_file;

/* ---- names of our files ---------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length >= size && memcmp(text + length - size, ending, size) == 0;
}

/* Returns true when the name begins with CLIP_0012 before an ending. */
static bool is_frame(const char *name, size_t length)
{
    size_t digits = 0;
    while (digits < length && name[length - 1 - digits] >= '0' &&
           name[length - 1 - digits] <= '9') {
        digits++;
    }
    return digits >= 4 && length > digits + 1 && name[length - 1 - digits] == '_' && name[0] != '.';
}

/* Returns the length of the frame's name in the name of a picture; 0 for other files. */
static size_t golden_frame(const char *name)
{
    size_t length = strlen(name);
    bool picture = ends_with(name, length, ".png") && is_frame(name, length - 4);
    return picture ? length - 4 : 0;
}

/* Returns true for names of goldens, and of files that a killed mrw_file_write leaves behind. */
static bool is_golden(const char *name)
{
    const bool text = strcmp(name, "golden.txt") == 0 || strcmp(name, "pose.txt") == 0 ||
                      strcmp(name, "bounds.txt") == 0;
    const bool temporary = name[0] == '.' && ends_with(name, strlen(name), ".tmp") &&
                           (strstr(name, ".png.") || strstr(name, ".txt."));
    return text || temporary || golden_frame(name) > 0;
}

static bool is_result(const char *name)
{
    static const char *const endings[2] = {".diff.png", ".expected.png"};
    size_t length = strlen(name);
    for (int i = 0; i < 2; i++) {
        if (ends_with(name, length, endings[i]) && is_frame(name, length - strlen(endings[i]))) {
            return true;
        }
    }
    return is_golden(name);
}

/* ---- old results ----------------------------------------------------------------------------- */

static mrw_status remove_files(const char *folder, mrw_error *error)
{
    DIR *dir = opendir(folder);
    mrw_status status = MRW_OK;
    if (!dir) {
        return MRW_OK; /* if it can't be written either, writing reports that */
    }
    for (struct dirent *entry; !status && (entry = readdir(dir));) {
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (is_result(entry->d_name) && length < (int)sizeof path) {
            status = mrwi_base_remove_file(path, error);
        }
    }
    closedir(dir);
    rmdir(folder); /* stays when there is more in it */
    return status;
}

mrw_status mrwi_golden_remove_results(const char *folder, mrw_error *error)
{
    char framed[4096];
    const int length = snprintf(framed, sizeof framed, "%s/" MRWI_GOLDEN_FRAMED, folder);
    if (length < (int)sizeof framed) {
        mrw_status status = remove_files(framed, error);
        if (status) {
            return status;
        }
    }
    return remove_files(folder, error);
}

/* ---- goldens --------------------------------------------------------------------------------- */

bool mrwi_golden_holds_pictures(const char *folder)
{
    DIR *dir = opendir(folder);
    bool found = false;
    for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
        found = golden_frame(entry->d_name) > 0;
    }
    if (dir) {
        closedir(dir);
    }
    return found;
}

static mrw_status add_unused(mrwi_golden_unused *unused, const char *folder, const char *name,
                             mrw_error *error)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length >= (int)sizeof path) {
        return MRW_OK;
    }
    mrwi_golden_unused_file *file = mrwi_report_alloc(unused->results, 1, sizeof *file);
    const char *copy = mrwi_report_text(unused->results, path);
    if (!file || !copy) {
        return mrwi_base_fail_memory(error, sizeof path);
    }
    pthread_mutex_lock(&unused->lock);
    *file = (mrwi_golden_unused_file){copy, unused->first};
    unused->first = file;
    pthread_mutex_unlock(&unused->lock);
    return MRW_OK;
}

static bool contains(const char **sorted, size_t count, const char *text)
{
    return bsearch(&text, sorted, count, sizeof *sorted, mrwi_base_compare_texts);
}

/* Does the same, but also finds a name in another normal form. */
static bool is_listed(const char **sorted, size_t count, const char *name)
{
    bool listed = contains(sorted, count, name);
    for (size_t i = 0; i < count && !listed && mrwi_base_utf8_is_wide(name); i++) {
        listed = mrwi_base_utf8_same(sorted[i], name);
    }
    return listed;
}

/* Returns the names of the case's frames, sorted; NULL when out of memory. */
static const char **frame_names(const mrw_case_result *result)
{
    const size_t count = result->frame_count;
    const char **names = mrwi_base_alloc(count, sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        names[i] = result->frames[i].name;
    }
    if (names) {
        qsort(names, count, sizeof *names, mrwi_base_compare_texts);
    }
    return names;
}

/* Takes a name that is not drawn if it comes before the one in `out`. */
static void take_undrawn(const char **drawn, size_t count, const char *name,
                         char out[MRWI_GOLDEN_NAME_SIZE])
{
    bool first = out[0] == '\0' || strcmp(name, out) < 0;
    if (first && strlen(name) < MRWI_GOLDEN_NAME_SIZE && !is_listed(drawn, count, name)) {
        snprintf(out, MRWI_GOLDEN_NAME_SIZE, "%s", name);
    }
}

mrw_status mrwi_golden_unused_frame(const mrwi_golden_expected *goldens, uint32_t checks,
                                    const mrw_case_result *result, char out[MRWI_GOLDEN_NAME_SIZE],
                                    mrw_error *error)
{
    const size_t count = result->frame_count;
    const char **drawn = frame_names(result);
    out[0] = '\0';
    if (!drawn) {
        return mrwi_base_fail_memory(error, count * sizeof *drawn);
    }
    for (uint32_t i = 0; i < goldens->stored.frame_count; i++) {
        take_undrawn(drawn, count, goldens->stored.frames[i].name, out);
    }
    for (uint32_t i = 0; i < goldens->poses.count; i++) {
        take_undrawn(drawn, count, goldens->poses.items[i].frame, out);
    }
    for (uint32_t i = 0; i < goldens->boxes.count; i++) {
        take_undrawn(drawn, count, goldens->boxes.items[i].frame, out);
    }
    DIR *dir = (checks & MRW_CHECK_PIXELS) != 0 ? opendir(goldens->folder) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char frame[MRWI_GOLDEN_NAME_SIZE];
        size_t length = golden_frame(entry->d_name);
        if (length > 0 && length < sizeof frame) {
            memcpy(frame, entry->d_name, length);
            frame[length] = '\0';
            take_undrawn(drawn, count, frame, out);
        }
    }
    if (dir) {
        closedir(dir);
    }
    mrwi_base_free(drawn);
    return MRW_OK;
}

static bool is_used(uint32_t checks, const char **pictures, size_t count, const char *name)
{
    char frame[MRWI_GOLDEN_NAME_SIZE] = "";
    size_t length = golden_frame(name);
    if (length == 0) {
        return strcmp(name, "golden.txt") == 0 ||
               (strcmp(name, "pose.txt") == 0 && (checks & MRW_CHECK_POSE) != 0) ||
               (strcmp(name, "bounds.txt") == 0 && (checks & MRW_CHECK_BOUNDS) != 0);
    }
    snprintf(frame, sizeof frame, "%.*s", (int)length, name);
    return is_listed(pictures, count, frame);
}

mrw_status mrwi_golden_unused_of_case(mrwi_golden_unused *unused, const mrw_case *c,
                                      const char **pictures, size_t count, mrw_error *error)
{
    DIR *dir = opendir(c->golden);
    mrw_status status = MRW_OK;
    if (!dir) {
        return MRW_OK;
    }
    qsort(pictures, count, sizeof *pictures, mrwi_base_compare_texts);
    for (struct dirent *entry; !status && (entry = readdir(dir));) {
        if (is_golden(entry->d_name) && !is_used(c->checks, pictures, count, entry->d_name)) {
            status = add_unused(unused, c->golden, entry->d_name, error);
        }
    }
    closedir(dir);
    return status;
}

/* ---- removed cases --------------------------------------------------------------------------- */

static mrw_status list_folder(mrwi_golden_unused *unused, const char *folder, mrw_error *error)
{
    DIR *dir = opendir(folder);
    mrw_status status = MRW_OK;
    if (!dir) {
        return MRW_OK;
    }
    for (struct dirent *entry; !status && (entry = readdir(dir));) {
        if (is_golden(entry->d_name)) {
            status = add_unused(unused, folder, entry->d_name, error);
        }
    }
    closedir(dir);
    return status;
}

static bool is_folder(const char *path, const char *name)
{
    struct stat info;
    return name[0] != '.' && lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Lists the goldens of a removed case, and those of other backends below. */
static mrw_status list_stray(mrwi_golden_unused *unused, const char *folder, mrw_error *error)
{
    mrw_status status = list_folder(unused, folder, error);
    if (status) {
        return status;
    }
    DIR *dir = opendir(folder);
    if (!dir) {
        return MRW_OK;
    }
    for (struct dirent *entry; !status && (entry = readdir(dir));) {
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length < (int)sizeof path && is_folder(path, entry->d_name)) {
            status = list_folder(unused, path, error);
        }
    }
    closedir(dir);
    return status;
}

/* Lists the folders in GOLDEN/SUITE that belong to no case. Does not follow links. */
static mrw_status list_strays(mrwi_golden_unused *unused, const char *folder, const char **goldens,
                              size_t count, mrw_error *error)
{
    char path[4096];
    DIR *dir = opendir(folder);
    mrw_status status = MRW_OK;
    if (!dir) {
        return MRW_OK;
    }
    for (struct dirent *entry; !status && (entry = readdir(dir));) {
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length < (int)sizeof path && is_folder(path, entry->d_name) &&
            !contains(goldens, count, path)) {
            status = list_stray(unused, path, error);
        }
    }
    closedir(dir);
    return status;
}

static mrw_status find_strays(mrwi_golden_unused *unused, const mrw_case_list *cases,
                              mrw_error *error)
{
    const size_t count = cases->count;
    const char **goldens = mrwi_base_alloc(count, sizeof *goldens);
    char before[4096] = "";
    if (!goldens) {
        return mrwi_base_fail_memory(error, count * sizeof *goldens);
    }
    for (size_t i = 0; i < count; i++) {
        goldens[i] = cases->items[i].golden;
    }
    qsort(goldens, count, sizeof *goldens, mrwi_base_compare_texts);
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < count && !status; i++) {
        char folder[4096];
        const char *slash = strrchr(goldens[i], '/');
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - goldens[i]) : 0, goldens[i]);
        if (slash && strcmp(folder, before) != 0) {
            status = list_strays(unused, folder, goldens, count, error);
        }
        memcpy(before, folder, sizeof before);
    }
    mrwi_base_free(goldens);
    return status;
}

mrw_status mrwi_golden_unused_finish(mrwi_golden_unused *unused, const mrw_case_list *cases,
                                     bool prune, mrw_error *error)
{
    mrw_results *results = unused->results;
    size_t count = 0;
    mrw_status status = find_strays(unused, cases, error);
    if (status) {
        return status;
    }
    for (const mrwi_golden_unused_file *u = unused->first; u; u = u->next) {
        count++;
    }
    const char **paths = mrwi_report_alloc(results, count, sizeof *paths);
    if (!paths) {
        return mrwi_base_fail_memory(error, count * sizeof *paths);
    }
    count = 0;
    for (const mrwi_golden_unused_file *u = unused->first; u; u = u->next) {
        paths[count++] = u->path;
    }
    qsort(paths, count, sizeof *paths, mrwi_base_compare_texts);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) { /* golden folders may lie in each other */
        if (kept == 0 || strcmp(paths[kept - 1], paths[i]) != 0) {
            paths[kept++] = paths[i];
        }
    }
    count = kept;
    results->unused = paths;
    results->unused_count = count;
    for (size_t i = 0; i < count && prune; i++) {
        char folder[4096];
        const char *slash = strrchr(paths[i], '/');
        status = mrwi_base_remove_file(paths[i], error);
        if (status) {
            return status;
        }
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - paths[i]) : 0, paths[i]);
        if (folder[0]) {
            rmdir(folder); /* stays when there is more in it */
        }
    }
    return MRW_OK;
}
