/* opened.c: records the files that a load read, by hash. */
#include "load/opened.h"

#include "base/memory.h"
#include "base/sha256.h"

#include <string.h>
#include <unistd.h>

static void hash_bytes(const uint8_t *data, size_t size, uint8_t out[32])
{
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, data, size);
    mrwi_base_sha256_end(&hash, out);
}

static bool hash_fd(int fd, uint8_t out[32])
{
    uint8_t block[16384];
    mrwi_base_sha256 hash;
    off_t at = 0;
    ssize_t count;
    mrwi_base_sha256_begin(&hash);
    while ((count = pread(fd, block, sizeof block, at)) > 0) {
        mrwi_base_sha256_add(&hash, block, (size_t)count);
        at += count;
    }
    mrwi_base_sha256_end(&hash, out);
    return count == 0;
}

/* ---- noting ---------------------------------------------------------------------------------- */

/* Adds a file without its hash. NULL when out of memory; then the record is incomplete. */
static mrwi_load_opened_file *add(mrwi_load_opened *opened, mrwi_sandbox_file_kind kind,
                                  const char *path, mrwi_base_read_result result)
{
    const size_t size = strlen(path) + 1;
    char *copy = NULL;
    opened->whole = opened->whole && result != MRWI_BASE_READ_MEMORY;
    if (opened->whole && opened->count == opened->capacity) {
        const size_t capacity = opened->capacity > 0 ? 2 * opened->capacity : 8;
        mrwi_load_opened_file *grown = mrwi_base_realloc(
            opened->files, opened->count * sizeof *grown, capacity, sizeof *grown);
        opened->whole = grown;
        opened->files = grown ? grown : opened->files;
        opened->capacity = grown ? capacity : opened->capacity;
    }
    if (opened->whole) {
        copy = mrwi_base_alloc(size, 1);
        opened->whole = copy;
    }
    if (!copy) {
        return NULL;
    }
    memcpy(copy, path, size);
    mrwi_load_opened_file *file = &opened->files[opened->count++];
    *file = (mrwi_load_opened_file){.kind = kind, .result = result, .path = copy};
    return file;
}

void mrwi_load_opened_note(mrwi_load_opened *opened, mrwi_sandbox_file_kind kind, const char *path,
                           const uint8_t *data, size_t size)
{
    mrwi_load_opened_file *file = opened ? add(opened, kind, path, MRWI_BASE_READ_OK) : NULL;
    if (file) {
        hash_bytes(data, size, file->hash);
    }
}

void mrwi_load_opened_note_fd(mrwi_load_opened *opened, mrwi_sandbox_file_kind kind,
                              const char *path, int fd)
{
    mrwi_load_opened_file *file = opened ? add(opened, kind, path, MRWI_BASE_READ_OK) : NULL;
    if (file) {
        opened->whole = hash_fd(fd, file->hash);
    }
}

void mrwi_load_opened_note_failure(mrwi_load_opened *opened, mrwi_sandbox_file_kind kind,
                                   const char *path, mrwi_base_read_result result)
{
    if (opened) {
        add(opened, kind, path, result);
    }
}

void mrwi_load_opened_free(mrwi_load_opened *opened)
{
    for (size_t i = 0; i < opened->count; i++) {
        mrwi_base_free(opened->files[i].path);
    }
    mrwi_base_free(opened->files);
    *opened = (mrwi_load_opened){0};
}

/* ---- looking again --------------------------------------------------------------------------- */

static bool file_again(mrwi_load_local_files *files, const mrwi_load_opened_file *file)
{
    uint8_t hash[32] = {0};
    uint64_t size;
    int fd;
    bool same =
        mrwi_load_local_files_find(files, file->kind, file->path, &fd, &size) == file->result;
    if (fd >= 0) {
        same = same && hash_fd(fd, hash) && memcmp(hash, file->hash, sizeof hash) == 0;
        close(fd);
    }
    return same;
}

bool mrwi_load_opened_again(const mrwi_load_opened *opened, const char *folder,
                            const mrw_load_def *def)
{
    mrwi_load_local_files files;
    if (!opened->whole) {
        return false;
    }
    if (opened->count == 0) {
        return true;
    }
    if (mrwi_load_local_files_open(&files, folder, def, NULL) != MRW_OK) {
        return false;
    }
    bool same = true;
    for (size_t i = 0; i < opened->count && same; i++) {
        same = file_again(&files, &opened->files[i]);
    }
    mrwi_load_local_files_close(&files);
    return same;
}
