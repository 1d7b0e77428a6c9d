/* files.c: whole files and folders. */
#include "base/files.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mrw_status fail_file(mrw_error *error, mrw_status status, const char *path,
                            const char *action, int code)
{
    char shown[512], buffer[128];
    return mrwi_base_fail(error, status, "%s: cannot %s: %s",
                          mrwi_base_escape(path, shown, sizeof shown), action,
                          mrwi_base_error_text(code, buffer, sizeof buffer));
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads up to `size` bytes; a file that shrinks meanwhile gives fewer. Returns 0 or an errno. */
static int read_all(int fd, uint8_t *data, size_t size, size_t *used)
{
    *used = 0;
    while (*used < size) {
        ssize_t got = read(fd, data + *used, size - *used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return errno;
        }
        if (got == 0) {
            break;
        }
        *used += (size_t)got;
    }
    return 0;
}

static mrw_status read_open(int fd, const char *path, uint64_t max_size, mrw_bytes *out,
                            mrw_error *error)
{
    struct stat info;
    char shown[512];
    if (fstat(fd, &info) != 0) {
        return fail_file(error, MRW_ERROR_INPUT, path, "read it", errno);
    }
    if (!S_ISREG(info.st_mode)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: this is no regular file",
                              mrwi_base_escape(path, shown, sizeof shown));
    }
    if ((uint64_t)info.st_size > max_size) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: %llu bytes are more than the %llu such a file may have",
                              mrwi_base_escape(path, shown, sizeof shown),
                              (unsigned long long)info.st_size, (unsigned long long)max_size);
    }
    size_t size = (size_t)info.st_size;
    uint8_t *data = mrwi_base_alloc(size + 1, 1);
    if (!data) {
        return mrwi_base_fail_memory(error, size);
    }
    int code = read_all(fd, data, size, &out->size);
    if (code != 0) {
        mrwi_base_free(data);
        return fail_file(error, MRW_ERROR_INPUT, path, "read it", code);
    }
    data[out->size] = 0;
    out->data = data;
    return MRW_OK;
}

mrw_status mrwi_base_read_file(const char *path, uint64_t max_size, mrw_bytes *out, bool *missing,
                               mrw_error *error)
{
    *out = (mrw_bytes){0};
    /* Not to wait for a pipe that stands in the file's place. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (missing) {
        *missing = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
    }
    if (fd < 0) {
        return missing && *missing ? MRW_OK
                                   : fail_file(error, MRW_ERROR_INPUT, path, "open it", errno);
    }
    mrw_status status = read_open(fd, path, max_size, out, error);
    close(fd);
    return status;
}

/* ---- folders --------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static mrw_status fail_folder(mrw_error *error, const char *path, int code)
{
    char shown[512], buffer[128];
    return mrwi_base_fail(error, MRW_ERROR_OUTPUT,
                          "%s: cannot make the folder: %s; choose another place",
                          mrwi_base_escape(path, shown, sizeof shown),
                          mrwi_base_error_text(code, buffer, sizeof buffer));
}

mrw_status mrw_make_folder(const char *path, bool *made, mrw_error *error)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (made) {
        *made = false;
    }
    if (is_folder(path)) {
        return MRW_OK;
    }
    if (length >= sizeof part) {
        return fail_folder(error, path, ENAMETOOLONG);
    }
    for (size_t i = 1; i <= length; i++) {
        if (i < length && path[i] != '/') {
            continue;
        }
        memcpy(part, path, i);
        part[i] = '\0';
        /* Another thread, or program, may make it at the same time. */
        int code = mkdir(part, 0777) == 0 ? 0 : errno;
        if (code != 0 && !is_folder(part)) {
            return fail_folder(error, part, code == EEXIST ? ENOTDIR : code);
        }
    }
    if (made) {
        *made = true;
    }
    return MRW_OK;
}

mrw_status mrw_make_folder_of(const char *file, mrw_error *error)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(file, '/');
    size_t length = slash ? (size_t)(slash - file) : 0;
    if (length == 0) {
        return MRW_OK; /* the current folder, or the root */
    }
    if (length >= sizeof folder) {
        return fail_folder(error, file, ENAMETOOLONG);
    }
    memcpy(folder, file, length);
    folder[length] = '\0';
    return mrw_make_folder(folder, NULL, error);
}

mrw_status mrwi_base_remove_file(const char *path, mrw_error *error)
{
    if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR) {
        return fail_file(error, MRW_ERROR_OUTPUT, path, "remove it", errno);
    }
    return MRW_OK;
}
