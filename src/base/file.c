/* file.c: reads files that the user names, and files that an untrusted model names, which must lie
 * in allowed folders; removes files. */
#include "base/file.h"

#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"
#include "base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *mrwi_base_read_reason(mrwi_base_read_result result)
{
    switch (result) {
    case MRWI_BASE_READ_OK:
        return "is fine";
    case MRWI_BASE_READ_MISSING:
        return "does not exist";
    case MRWI_BASE_READ_OUTSIDE:
        return "is outside the model's folder and is not opened";
    case MRWI_BASE_READ_DENIED:
        return "may not be read (permission denied)";
    case MRWI_BASE_READ_FOLDER:
        return "is a folder";
    case MRWI_BASE_READ_SPECIAL:
        return "is not a regular file";
    case MRWI_BASE_READ_LARGE:
        return "is larger than the size limit";
    case MRWI_BASE_READ_LFS:
        return "is a Git LFS pointer: run `git lfs pull` (GitHub: actions/checkout with `lfs: "
               "true`)";
    case MRWI_BASE_READ_PAGE:
        return "is an HTML page, such as the error page of a download: download the file again";
    case MRWI_BASE_READ_FAILED:
        return "could not be read";
    case MRWI_BASE_READ_MEMORY:
        return "does not fit in memory";
    }
    return "could not be read";
}

static mrwi_base_read_result result_of_errno(int code)
{
    switch (code) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
        return MRWI_BASE_READ_MISSING;
    case EACCES:
    case EPERM:
        return MRWI_BASE_READ_DENIED;
    case EXDEV: /* RESOLVE_BENEATH */
    case ELOOP: /* RESOLVE_NO_MAGICLINKS, O_NOFOLLOW */
        return MRWI_BASE_READ_OUTSIDE;
    case ENXIO: /* a socket */
    case ENODEV:
        return MRWI_BASE_READ_SPECIAL;
    case ENOMEM:
        return MRWI_BASE_READ_MEMORY;
    default:
        return MRWI_BASE_READ_FAILED;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads up to `room` bytes; short only at the end of the file. */
static mrwi_base_read_result read_all(int fd, uint8_t *data, size_t room, size_t *size)
{
    *size = 0;
    while (*size < room) {
        ssize_t n = read(fd, data + *size, room - *size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return MRWI_BASE_READ_FAILED;
        }
        if (n == 0) {
            break;
        }
        *size += (size_t)n;
    }
    return MRWI_BASE_READ_OK;
}

/* *size is also that of a file that is too large. */
static mrwi_base_read_result check_kind(int fd, uint64_t max, uint64_t *size)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return MRWI_BASE_READ_FAILED;
    }
    if (S_ISDIR(status.st_mode)) {
        return MRWI_BASE_READ_FOLDER;
    }
    if (S_ISLNK(status.st_mode)) { /* no link is followed if the kernel lacks openat2 */
        return MRWI_BASE_READ_OUTSIDE;
    }
    if (!S_ISREG(status.st_mode)) {
        return MRWI_BASE_READ_SPECIAL;
    }
    *size = (uint64_t)status.st_size;
    return *size > max || *size > SIZE_MAX / 4 ? MRWI_BASE_READ_LARGE : MRWI_BASE_READ_OK;
}

#define STAND_IN_BYTES 256

mrwi_base_read_result mrwi_base_stand_in(const void *bytes, size_t size)
{
    static const char pointer[] = "version https://git-lfs.github.com/spec/";
    static const char *const tags[] = {"<!doctype html", "<html"};
    char text[STAND_IN_BYTES + 1];
    size = size < STAND_IN_BYTES ? size : STAND_IN_BYTES;
    memcpy(text, bytes, size);
    text[size] = '\0';
    if (strncmp(text, pointer, sizeof pointer - 1) == 0) {
        return MRWI_BASE_READ_LFS;
    }
    const char *start = text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    start += strspn(start, " \t\r\n");
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (strncasecmp(start, tags[i], strlen(tags[i])) == 0) {
            return MRWI_BASE_READ_PAGE;
        }
    }
    return MRWI_BASE_READ_OK;
}

/* Looks at the first bytes, and leaves the descriptor where it is. */
static mrwi_base_read_result check_content(int fd)
{
    char bytes[STAND_IN_BYTES];
    const ssize_t size = pread(fd, bytes, sizeof bytes, 0);
    return size > 0 ? mrwi_base_stand_in(bytes, (size_t)size) : MRWI_BASE_READ_OK;
}

/* mrwi_base_read_bytes with `behind` zero bytes behind what was read. Keeps errno. */
static mrwi_base_read_result read_and_close(int fd, size_t room, size_t behind, uint8_t **data,
                                            size_t *size)
{
    *data = mrwi_base_alloc(room + behind, 1);
    mrwi_base_read_result result = !*data ? MRWI_BASE_READ_MEMORY : read_all(fd, *data, room, size);
    const int code = errno;
    if (result == MRWI_BASE_READ_OK) {
        memset(*data + *size, 0, behind);
    } else {
        mrwi_base_free(*data);
        *data = NULL;
    }
    close(fd);
    errno = code;
    return result;
}

/* mrwi_base_read_open likewise. *size is also that of a file that is too large, or too large for
 * the memory. */
static mrwi_base_read_result read_whole(int fd, uint64_t max, size_t behind, uint8_t **data,
                                        size_t *size)
{
    uint64_t room = 0;
    mrwi_base_read_result result = check_kind(fd, max, &room);
    result = result == MRWI_BASE_READ_OK ? check_content(fd) : result;
    *size = (size_t)room;
    if (result != MRWI_BASE_READ_OK) {
        const int code = errno;
        close(fd);
        errno = code;
        return result;
    }
    return read_and_close(fd, (size_t)room, behind, data, size);
}

/* ---- other normal forms ---------------------------------------------------------------------- */

/* Finds the entry of a folder that has the same name in normal form C. */
static bool find_entry(int fd, const char *name, char out[NAME_MAX + 1])
{
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    out[0] = '\0';
    if (!dir && fd >= 0) {
        close(fd);
    }
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (mrwi_base_utf8_same(entry->d_name, name) &&
            (out[0] == '\0' || strcmp(entry->d_name, out) < 0)) {
            snprintf(out, NAME_MAX + 1, "%s", entry->d_name);
        }
    }
    if (dir) {
        closedir(dir);
    }
    return out[0] != '\0';
}

bool mrwi_base_find_form(int folder_fd, const char *path, char out[MRWI_BASE_PATH_MAX])
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
    const bool named = folder_fd == AT_FDCWD;
    size_t used = 0;
    if (!mrwi_base_utf8_is_wide(path)) {
        return false;
    }
    while (*path != '\0') {
        char part[NAME_MAX + 1], found[NAME_MAX + 1];
        const size_t length = strcspn(path, "/"), slashes = strspn(path + length, "/");
        struct stat info;
        if (length > NAME_MAX || used + length + slashes + NAME_MAX + 2 > MRWI_BASE_PATH_MAX) {
            return false;
        }
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        memcpy(out + used, path, length + slashes);
        out[used + length] = '\0';
        if (length > 0 && fstatat(folder_fd, out, &info, 0) != 0) {
            if (errno != ENOENT) {
                return false;
            }
            char folder[MRWI_BASE_PATH_MAX];
            snprintf(folder, sizeof folder, "%.*s", (int)used, out);
            const char *place = used > 0 ? folder : ".";
            const int fd =
                named ? open(place, flags) : mrwi_base_open_folder_beneath(folder_fd, place);
            if (!find_entry(fd, part, found)) {
                return false;
            }
            used += (size_t)snprintf(out + used, NAME_MAX + 1, "%s", found);
        } else {
            used += length;
        }
        memset(out + used, '/', slashes);
        used += slashes;
        out[used] = '\0';
        path += length + slashes;
    }
    return used > 0;
}

/* ---- reading what the user named ------------------------------------------------------------- */

/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
#define READ_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static mrwi_base_read_result read_named(const char *path, uint64_t max, size_t behind,
                                        uint8_t **data, size_t *size)
{
    char form[MRWI_BASE_PATH_MAX];
    int fd = open(path, READ_FLAGS);
    if (fd < 0 && errno == ENOENT) {
        const bool found = mrwi_base_find_form(AT_FDCWD, path, form);
        errno = ENOENT;
        fd = found ? open(form, READ_FLAGS) : fd;
    }
    return fd < 0 ? result_of_errno(errno) : read_whole(fd, max, behind, data, size);
}

mrwi_base_read_result mrwi_base_read_bytes(int fd, size_t room, uint8_t **data, size_t *size)
{
    return read_and_close(fd, room, 0, data, size);
}

int mrwi_base_file_of_bytes(const void *bytes, size_t size)
{
    const int fd = mrwi_base_memory_file("marrow");
    for (size_t at = 0; fd >= 0 && at < size;) {
        const ssize_t count = write(fd, (const char *)bytes + at, size - at);
        if (count < 0 && errno != EINTR) {
            const int code = errno;
            close(fd);
            errno = code;
            return -1;
        }
        at += count > 0 ? (size_t)count : 0;
    }
    return fd < 0 || lseek(fd, 0, SEEK_SET) == 0 ? fd : -1;
}

mrwi_base_read_result mrwi_base_read_open(int fd, uint64_t max, uint8_t **data, size_t *size)
{
    return read_whole(fd, max, 0, data, size);
}

mrwi_base_read_result mrwi_base_read_path(const char *path, uint64_t max, uint8_t **data,
                                          size_t *size)
{
    return read_named(path, max, 0, data, size);
}

/* ---- with messages --------------------------------------------------------------------------- */

static mrw_status fail_file(mrw_error *error, mrw_status status, const char *path,
                            const char *action, int code)
{
    char shown[512], buffer[128];
    return mrwi_base_fail(error, status, "%s: cannot %s: %s",
                          mrwi_base_escape(path, shown, sizeof shown), action,
                          mrwi_base_error_text(code, buffer, sizeof buffer));
}

/* code: errno behind the result; size: of the file, where that is known. */
static mrw_status fail_read(mrw_error *error, const char *path, mrwi_base_read_result result,
                            int code, size_t size, uint64_t max)
{
    char shown[512];
    switch (result) {
    case MRWI_BASE_READ_OK:
        return MRW_OK;
    case MRWI_BASE_READ_FOLDER:
    case MRWI_BASE_READ_SPECIAL:
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: this is not a regular file",
                              mrwi_base_escape(path, shown, sizeof shown));
    case MRWI_BASE_READ_LARGE:
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the file has %zu bytes, but at most %ju are allowed",
                              mrwi_base_escape(path, shown, sizeof shown), size, (uintmax_t)max);
    case MRWI_BASE_READ_MEMORY:
        return mrwi_base_fail_memory(error, size);
    case MRWI_BASE_READ_LFS:
    case MRWI_BASE_READ_PAGE:
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: this %s",
                              mrwi_base_escape(path, shown, sizeof shown),
                              mrwi_base_read_reason(result));
    case MRWI_BASE_READ_FAILED:
        return fail_file(error, MRW_ERROR_INPUT, path, "read it", code);
    case MRWI_BASE_READ_MISSING:
    case MRWI_BASE_READ_OUTSIDE: /* links in a circle */
    case MRWI_BASE_READ_DENIED:
        break;
    }
    return fail_file(error, MRW_ERROR_INPUT, path, "open it", code);
}

mrw_status mrwi_base_read_file(const char *path, uint64_t max_size, mrw_bytes *out, bool *missing,
                               mrw_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0;
    const mrwi_base_read_result result = read_named(path, max_size, 1, &data, &size);
    const int code = errno;
    *out = (mrw_bytes){0};
    if (missing) { /* a name that is too long is none that was not written yet */
        *missing = result == MRWI_BASE_READ_MISSING && code != ENAMETOOLONG;
        if (*missing) {
            return MRW_OK;
        }
    }
    if (result == MRWI_BASE_READ_OK) {
        *out = (mrw_bytes){data, size};
    }
    return fail_read(error, path, result, code, size, max_size);
}

mrw_status mrwi_base_check_stand_in(const char *path, mrw_error *error)
{
    const int fd = open(path, READ_FLAGS);
    const mrwi_base_read_result result = fd < 0 ? MRWI_BASE_READ_OK : check_content(fd);
    if (fd >= 0) {
        close(fd);
    }
    return fail_read(error, path, result, 0, 0, 0);
}

mrw_status mrwi_base_remove_file(const char *path, mrw_error *error)
{
    if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR) {
        return fail_file(error, MRW_ERROR_OUTPUT, path, "remove it", errno);
    }
    return MRW_OK;
}

/* ---- opening below a folder ------------------------------------------------------------------ */

/* Refused everywhere alike, before the kernel is asked: a path must not say one thing on one
 * machine and another elsewhere. */
static bool stays_below(const char *path)
{
    if (path[0] == '/') {
        return false;
    }
    for (const char *part = path; *part != '\0';) {
        size_t length = strcspn(part, "/");
        if (length == 2 && part[0] == '.' && part[1] == '.') {
            return false;
        }
        part += length;
        part += *part == '/';
    }
    return true;
}

/* A link is ELOOP whatever the kernel calls it (ENOTDIR, with O_DIRECTORY). */
static int open_component(int fd, const char *name, int flags)
{
    int next = openat(fd, name, flags | O_NOFOLLOW);
    struct stat status;
    int code = errno;
    if (next < 0 && code == ENOTDIR && fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(status.st_mode)) {
        code = ELOOP;
    }
    close(fd);
    errno = code;
    return next;
}

int mrwi_base_open_by_components(int folder_fd, const char *path, int flags)
{
    int fd = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
    while (fd >= 0) {
        char part[256];
        size_t length = strcspn(path, "/");
        if (length >= sizeof part) {
            close(fd);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(part, path, length);
        part[length] = '\0';
        path += length;
        path += strspn(path, "/");
        if (*path == '\0') {
            return open_component(fd, part, flags);
        }
        fd = open_component(fd, length > 0 ? part : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    return fd;
}

static int open_beneath(int folder_fd, const char *path, int flags)
{
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (unsigned)flags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    for (int attempt = 0; attempt < 8; attempt++) {
        long fd = syscall(SYS_openat2, folder_fd, path, &how, sizeof how);
        if (fd >= 0) {
            return (int)fd;
        }
        if (errno == ENOSYS || errno == EPERM) { /* EPERM: an old container's seccomp filter */
            return mrwi_base_open_by_components(folder_fd, path, flags);
        }
        if (errno != EAGAIN && errno != EINTR) { /* EAGAIN: something was renamed meanwhile */
            return -1;
        }
    }
    return -1;
}

/* In two steps, as opening a device or a FIFO can do something by itself: first a descriptor that
 * only points (O_PATH) tells what it is. Should it be exchanged in between, the second look at what
 * was opened refuses it. */
mrwi_base_read_result mrwi_base_open_beneath(int folder_fd, const char *path, uint64_t max, int *fd,
                                             uint64_t *size)
{
    *fd = -1;
    if (!stays_below(path)) {
        return MRWI_BASE_READ_OUTSIDE;
    }
    if (folder_fd < 0 || path[0] == '\0') {
        return MRWI_BASE_READ_MISSING;
    }
    char form[MRWI_BASE_PATH_MAX];
    int probe = open_beneath(folder_fd, path, O_PATH | O_CLOEXEC);
    if (probe < 0 && errno == ENOENT) {
        const bool found = mrwi_base_find_form(folder_fd, path, form);
        errno = ENOENT;
        path = found ? form : path;
        probe = found ? open_beneath(folder_fd, path, O_PATH | O_CLOEXEC) : probe;
    }
    if (probe < 0) {
        return result_of_errno(errno);
    }
    mrwi_base_read_result result = check_kind(probe, max, size);
    close(probe);
    if (result != MRWI_BASE_READ_OK) {
        return result;
    }
    int file = open_beneath(folder_fd, path, READ_FLAGS);
    if (file < 0) {
        return result_of_errno(errno);
    }
    result = check_kind(file, max, size);
    result = result == MRWI_BASE_READ_OK ? check_content(file) : result;
    if (result != MRWI_BASE_READ_OK) {
        close(file);
        return result;
    }
    *fd = file;
    return MRWI_BASE_READ_OK;
}

int mrwi_base_open_folder(const char *path)
{
    const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    char form[MRWI_BASE_PATH_MAX];
    const int fd = open(path, flags);
    if (fd >= 0 || errno != ENOENT) {
        return fd;
    }
    const bool found = mrwi_base_find_form(AT_FDCWD, path, form);
    errno = ENOENT;
    return found ? open(form, flags) : -1;
}

int mrwi_base_open_folder_above(int folder_fd)
{
    return openat(folder_fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int mrwi_base_open_folder_beneath(int folder_fd, const char *path)
{
    return folder_fd >= 0 && path[0] != '\0' && stays_below(path)
               ? open_beneath(folder_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
               : -1;
}

const char *mrwi_base_basename(const char *path)
{
    const char *base = path;
    for (const char *at = path; *at != '\0'; at++) {
        if (*at == '/' || *at == '\\') {
            base = at + 1;
        }
    }
    return base;
}

void mrwi_base_cut_parts(char *path, int count)
{
    for (int i = 0; i < count; i++) {
        char *slash = strrchr(path, '/');
        if (!slash) {
            memcpy(path, ".", 2);
            return;
        }
        slash[slash == path ? 1 : 0] = '\0';
    }
}
