/* scene_files.c: keeps the parts of a scene in a file that all cases of a suite share. */
#include "golden/scene_files.h"

#include "base/file.h"
#include "base/links.h"
#include "base/text.h"
#include "golden/expected.h"
#include "image/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST  "marrow scene 1"
#define PREFIX "scene-"
#define SUFFIX ".txt"

#define HASH_LENGTH 64

/* Copies the hash from the name of such a file. Returns false for any other name. */
static bool hash_of_name(const char *name, char out[HASH_LENGTH + 1])
{
    const size_t prefix = sizeof PREFIX - 1;
    if (strncmp(name, PREFIX, prefix) != 0 ||
        strspn(name + prefix, "0123456789abcdef") != HASH_LENGTH ||
        strcmp(name + prefix + HASH_LENGTH, SUFFIX) != 0) {
        return false;
    }
    snprintf(out, HASH_LENGTH + 1, "%s", name + prefix);
    return true;
}

static void path_of(const char *folder, const char *hash, char out[MRWI_BASE_PATH_MAX + 100])
{
    snprintf(out, MRWI_BASE_PATH_MAX + 100, "%s/" PREFIX "%s" SUFFIX, folder, hash);
}

bool mrwi_golden_scene_file_missing(const char *golden, const char *hash)
{
    char folder[MRWI_BASE_PATH_MAX], path[MRWI_BASE_PATH_MAX + 100];
    bool missing = true;
    snprintf(folder, sizeof folder, "%s", golden);
    for (int i = 0; i < 2 && missing; i++) {
        mrwi_base_cut_parts(folder, 1); /* a backend's folder is one further below */
        path_of(folder, hash, path);
        missing = access(path, F_OK) != 0;
    }
    return missing;
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* Returns a descriptor that holds the lock, or -1. Some file systems have no locks. */
static int lock_folder(const char *folder, int operation)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && flock(fd, operation) != 0 && errno == EINTR) {
    }
    return fd;
}

int mrwi_golden_scene_files_lock(const char *folder)
{
    return lock_folder(folder, LOCK_SH);
}

void mrwi_golden_scene_files_unlock(int lock)
{
    if (lock >= 0) {
        close(lock);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool holds(const char *path, const mrw_text *text)
{
    mrw_bytes bytes = {0};
    bool missing;
    const bool same = !mrwi_base_read_file(path, MRWI_GOLDEN_TEXT_SIZE, &bytes, &missing, NULL) &&
                      bytes.size == text->size && memcmp(bytes.data, text->data, text->size) == 0;
    mrw_bytes_free(&bytes);
    return same;
}

mrw_status mrwi_golden_scene_file_check(const char *folder, const char *hash, mrw_error *error)
{
    char path[MRWI_BASE_PATH_MAX + 100];
    path_of(folder, hash, path);
    return mrwi_base_check_stand_in(path, error);
}

mrw_status mrwi_golden_scene_file_write(const char *folder, const mrwi_golden_stored_scene *scene,
                                        mrw_error *error)
{
    char path[MRWI_BASE_PATH_MAX + 100];
    mrw_text text = {0};
    if (scene->parts.count == 0) {
        return MRW_OK;
    }
    path_of(folder, scene->hash, path);
    mrw_text_puts(&text, FIRST "\n");
    mrwi_golden_parts_put_all(&scene->parts, &text);
    mrw_text_puts(&text, "end\n");
    mrw_status status = MRW_OK;
    if (text.failed) {
        status = mrwi_base_fail_memory(error, text.size);
    } else if (!holds(path, &text)) {
        status = mrwi_image_file_keep(path, text.data, text.size, error);
    }
    mrw_text_free(&text);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static mrw_status read_parts(const char *path, const mrw_bytes *bytes, mrwi_base_arena *arena,
                             mrwi_explain_part_list *out, mrw_error *error)
{
    mrwi_golden_lines lines;
    char word[16];
    bool end = false;
    uint32_t most = 0;
    for (size_t i = 0; i < bytes->size; i++) {
        most += bytes->data[i] == '\n';
    }
    *out =
        (mrwi_explain_part_list){.items = mrwi_base_arena_alloc(arena, most, sizeof *out->items)};
    if (!out->items) {
        return mrwi_base_fail_memory(error, most * sizeof *out->items);
    }
    mrw_status status = mrwi_golden_lines_begin(&lines, path, bytes, FIRST, error);
    if (status) {
        return status;
    }
    while (mrwi_golden_lines_next(&lines, word)) {
        const bool part = strcmp(word, "part") == 0 && !end;
        if (!part && (end || strcmp(word, "end") != 0)) {
            return mrwi_golden_lines_fail(&lines, error, "unknown line");
        }
        end = !part;
        if (part) {
            status = mrwi_golden_parts_read(&lines, arena, &out->items[out->count++], error);
            if (status) {
                return status;
            }
        }
        status = mrwi_golden_lines_finish(&lines, error);
        if (status) {
            return status;
        }
    }
    if (!end) {
        return mrwi_golden_lines_fail(&lines, error,
                                      "the file is cut off: its last line is not 'end'");
    }
    return MRW_OK;
}

/* Reads one file and checks that its parts make the hash. */
static mrw_status read_file(const char *path, mrwi_base_arena *arena,
                            mrwi_golden_stored_scene *scene, bool *missing, mrw_error *error)
{
    mrw_bytes bytes = {0};
    mrwi_explain_part_list parts = {0};
    char hash[HASH_LENGTH + 1], safe[512];
    mrw_status status = mrwi_base_read_file(path, MRWI_GOLDEN_TEXT_SIZE, &bytes, missing, error);
    if (status) {
        goto out;
    }
    if (bytes.data) {
        status = read_parts(path, &bytes, arena, &parts, error);
        if (status) {
            goto out;
        }
    }
    if (parts.count > 0) {
        mrwi_explain_parts_hash(&parts, hash);
        if (strcmp(hash, scene->hash) != 0) {
            status = mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: its parts do not match its name",
                                    mrwi_base_escape(path, safe, sizeof safe));
            goto out;
        }
    }
    scene->parts = parts;
out:
    mrw_bytes_free(&bytes);
    return status;
}

mrw_status mrwi_golden_scene_file_read(const char *golden, mrwi_golden_stored_scene *scene,
                                       mrwi_base_arena *arena, const char **fault, mrw_error *error)
{
    mrw_error why = {0};
    char folder[MRWI_BASE_PATH_MAX], path[MRWI_BASE_PATH_MAX + 100], safe[512];
    bool missing = true;
    mrw_status status = MRW_OK;
    if (scene->parts.count > 0) {
        return MRW_OK;
    }
    snprintf(folder, sizeof folder, "%s", golden);
    for (int i = 0; i < 2 && missing && !status; i++) {
        mrwi_base_cut_parts(folder, 1); /* a backend's folder is one further below */
        path_of(folder, scene->hash, path);
        status = mrwi_base_links_on_way(path, strlen(folder), &why);
        status = status ? status : read_file(path, arena, scene, &missing, &why);
    }
    if (!status && missing) {
        snprintf(folder, sizeof folder, "%s", golden);
        mrwi_base_cut_parts(folder, 1);
        status = mrwi_base_fail(&why, MRW_ERROR_INPUT, "%s: " PREFIX "%s" SUFFIX " is missing",
                                mrwi_base_escape(folder, safe, sizeof safe), scene->hash);
    }
    if (status == MRW_ERROR_INPUT) {
        *fault = mrwi_base_copy_text(arena, why.text);
        return *fault ? MRW_OK : mrwi_base_fail_memory(error, sizeof why.text);
    }
    return status ? mrwi_base_fail(error, status, "%s", why.text) : MRW_OK;
}

mrw_status mrwi_golden_scene_files_read(const char *golden, mrwi_golden_stored *expected,
                                        const mrwi_golden_stored *actual, mrwi_base_arena *arena,
                                        const char **fault, mrw_error *error)
{
    const uint32_t count = expected->version >= 4 ? expected->scene_count : 0;
    mrwi_golden_stored_scene *scenes = mrwi_base_arena_alloc(arena, count, sizeof *scenes);
    if (!scenes) {
        return mrwi_base_fail_memory(error, count * sizeof *scenes);
    }
    for (uint32_t i = 0; i < count; i++) {
        scenes[i] = expected->scenes[i];
        if (i < actual->scene_count && strcmp(scenes[i].hash, actual->scenes[i].hash) != 0) {
            mrw_status status =
                mrwi_golden_scene_file_read(golden, &scenes[i], arena, fault, error);
            if (status) {
                return status;
            }
        }
    }
    expected->scenes = count > 0 ? scenes : expected->scenes;
    return MRW_OK;
}

/* ---- moving ---------------------------------------------------------------------------------- */

mrw_status mrwi_golden_scene_files_move(const char *from, const char *to, mrw_error *error)
{
    DIR *dir = opendir(from);
    mrw_status status = MRW_OK;
    if (!dir) {
        return MRW_OK;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        char old[MRWI_BASE_PATH_MAX + 300], new[MRWI_BASE_PATH_MAX + 300];
        char hash[HASH_LENGTH + 1], safe[512], why[128];
        snprintf(old, sizeof old, "%s/%s", from, entry->d_name);
        snprintf(new, sizeof new, "%s/%s", to, entry->d_name);
        if (hash_of_name(entry->d_name, hash) && rename(old, new) != 0 && errno != ENOENT) {
            status = mrwi_base_fail(error, MRW_ERROR_OUTPUT, "%s: cannot rename it: %s",
                                    mrwi_base_escape(old, safe, sizeof safe),
                                    mrwi_base_error_text(errno, why, sizeof why));
            break;
        }
    }
    closedir(dir);
    return status;
}

/* ---- removing -------------------------------------------------------------------------------- */

/* A scene file of a suite. */
typedef struct scene_file {
    char hash[HASH_LENGTH + 1];
    bool named; /* A golden.txt names it. */
    struct scene_file *next;
} scene_file;

typedef struct suite_files {
    mrwi_base_arena arena;
    scene_file *first;
    size_t unnamed;  /* Number of files that no golden.txt has named yet */
    bool unreadable; /* A golden.txt could not be read. */
} suite_files;

static mrw_status list_files(const char *folder, suite_files *files, mrw_error *error)
{
    DIR *dir = opendir(folder);
    mrw_status status = MRW_OK;
    if (!dir) {
        return MRW_OK;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        char hash[HASH_LENGTH + 1];
        if (!hash_of_name(entry->d_name, hash)) {
            continue;
        }
        scene_file *file = mrwi_base_arena_alloc(&files->arena, 1, sizeof *file);
        if (!file) {
            status = mrwi_base_fail_memory(error, sizeof *file);
            break;
        }
        *file = (scene_file){.next = files->first};
        memcpy(file->hash, hash, sizeof hash);
        files->first = file;
        files->unnamed++;
    }
    closedir(dir);
    return status;
}

/* Marks the files that a golden.txt names. */
static void read_names(const char *folder, suite_files *files)
{
    char path[MRWI_BASE_PATH_MAX + 20];
    mrw_bytes bytes = {0};
    bool missing = false;
    snprintf(path, sizeof path, "%s/golden.txt", folder);
    files->unreadable |=
        mrwi_base_read_file(path, MRWI_GOLDEN_TEXT_SIZE, &bytes, &missing, NULL) != 0;
    for (scene_file *file = files->first; file && bytes.data; file = file->next) {
        if (!file->named && strstr((const char *)bytes.data, file->hash)) { /* ends with a NUL */
            file->named = true;
            files->unnamed--;
        }
    }
    mrw_bytes_free(&bytes);
}

/* Reads the golden.txt in each folder below, at most `depth` folders down: cases, then backends. */
static void read_folders(const char *folder, int depth, suite_files *files)
{
    DIR *dir = opendir(folder);
    files->unreadable |= !dir && errno != ENOENT;
    for (struct dirent *entry; dir && files->unnamed > 0 && (entry = readdir(dir));) {
        char path[MRWI_BASE_PATH_MAX];
        struct stat info;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || length >= (int)sizeof path - 20 || stat(path, &info) != 0 ||
            !S_ISDIR(info.st_mode)) {
            continue;
        }
        read_names(path, files);
        if (depth > 1) {
            read_folders(path, depth - 1, files);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static mrw_status sweep(const char *folder, mrw_error *error)
{
    suite_files files = {0};
    const int lock = lock_folder(folder, LOCK_EX);
    mrw_status status = list_files(folder, &files, error);
    if (status) {
        goto out;
    }
    if (files.unnamed > 0) {
        read_folders(folder, 2, &files);
    }
    for (scene_file *file = files.first; file && !files.unreadable; file = file->next) {
        char path[MRWI_BASE_PATH_MAX + 100];
        if (file->named) {
            continue;
        }
        path_of(folder, file->hash, path);
        status = mrwi_base_remove_file(path, error);
        if (status) {
            goto out;
        }
    }
out:
    mrwi_base_arena_free(&files.arena);
    mrwi_golden_scene_files_unlock(lock);
    return status;
}

mrw_status mrwi_golden_scene_files_sweep(const mrw_case_list *cases, mrw_error *error)
{
    char folder[MRWI_BASE_PATH_MAX], before[MRWI_BASE_PATH_MAX] = "";
    for (size_t i = 0; i < cases->count; i++) {
        snprintf(folder, sizeof folder, "%s", cases->items[i].golden);
        mrwi_base_cut_parts(folder, 1);
        if (strcmp(folder, before) == 0) { /* cases of a suite follow each other */
            continue;
        }
        mrw_status status = sweep(folder, error);
        if (status) {
            return status;
        }
        memcpy(before, folder, sizeof before);
    }
    return MRW_OK;
}
