/* folder.c: making folders. */
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A device or a pipe takes what is written, wherever it stands. */
static bool is_special(const char *file)
{
    struct stat info;
    return stat(file, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static bool is_link(const char *file)
{
    struct stat info;
    return lstat(file, &info) == 0 && S_ISLNK(info.st_mode);
}

mrw_status mrw_make_folder_of(const char *file, const char *option, mrw_error *error)
{
    const char *const given = file;
    char target[PATH_MAX], folder[PATH_MAX], shown[512], buffer[128];
    if (is_special(file)) {
        return MRW_OK;
    }
    if (is_link(file) && realpath(file, target)) {
        file = target;
    }
    const char *slash = strrchr(file, '/');
    const size_t length = slash == file ? 1 : slash ? (size_t)(slash - file) : 0;
    if (length >= sizeof folder) {
        return fail_folder(error, file, ENAMETOOLONG);
    }
    snprintf(folder, sizeof folder, "%.*s", length > 0 ? (int)length : 1, length > 0 ? file : ".");
    mrw_status status = mrw_make_folder(folder, NULL, error);
    if (status != MRW_OK || access(folder, W_OK | X_OK) == 0) {
        return status;
    }
    const int code = errno;
    return mrwi_base_fail(error, MRW_ERROR_OUTPUT,
                          "%s: cannot create it: %s; %schoose another folder%s%s",
                          mrwi_base_escape(given, shown, sizeof shown),
                          mrwi_base_error_text(code, buffer, sizeof buffer),
                          code == EACCES ? "change the permissions, or " : "",
                          option ? " with " : "", option ? option : "");
}
