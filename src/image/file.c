/* file.c: whole files: writes them under a temporary name and renames it; reads them into memory.
 */
#include "image/file.h"

#include "base/child.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "marrow/codecs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- messages -------------------------------------------------------------------------------- */

static const char *remedy(mrw_status status, int code)
{
    const bool reading = status == MRW_ERROR_INPUT;
    switch (code) {
    case ENOENT:
    case ENOTDIR:
        return reading ? "check the spelling of the path"
                       : "check the spelling of the path, or create the folder first";
    case EACCES:
    case EPERM:
        return "change the permissions, or choose another folder";
    case ENOSPC:
    case EDQUOT:
        return "free some space, or choose another disk";
    case EROFS:
        return "choose a folder on a writable disk";
    case EISDIR:
        return "give the name of a file";
    case ENAMETOOLONG:
        return "choose a shorter name";
    case EMFILE:
    case ENFILE:
        return "close some files, or raise the limit with ulimit -n";
    case EFBIG:
        return "raise the limit with ulimit -f";
    default:
        return "check the disk and try again";
    }
}

static mrw_status fail_file(mrw_error *error, mrw_status status, const char *path,
                            const char *action, int code)
{
    char shown[512], buffer[128];
    return mrwi_base_fail(error, status, "%s: cannot %s: %s; %s",
                          mrwi_base_escape(path, shown, sizeof shown), action,
                          mrwi_base_error_text(code, buffer, sizeof buffer), remedy(status, code));
}

/* ---- unfinished files ------------------------------------------------------------------------ */

/* The list of unfinished files, and its lock. A signal handler that ends the process removes the
 * files. The handler must not wait for a lock that the interrupted thread holds: therefore signals
 * are blocked while a thread holds it. A file is opened under the lock, so that no file exists
 * which is not in the list. */
static atomic_flag list_taken = ATOMIC_FLAG_INIT;
static mrwi_image_file *unfinished;

/* A child of fork has none of these files: they are its parent's, as is the thread that may have
 * held the list. */
static void forget_in_child(void)
{
    unfinished = NULL;
    atomic_flag_clear(&list_taken);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_in_child);
}

static void take_list(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    while (atomic_flag_test_and_set(&list_taken)) {
        sched_yield();
    }
}

static void give_list(const sigset_t *before)
{
    atomic_flag_clear(&list_taken);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Removes a file from the list, because its temporary name is gone. */
static void forget(mrwi_image_file *file)
{
    sigset_t before;
    take_list(&before);
    mrwi_image_file **link = &unfinished;
    while (*link && *link != file) {
        link = &(*link)->next;
    }
    *link = *link ? file->next : NULL; /* in a child of fork it may not be there */
    give_list(&before);
}

void mrw_file_abandon_all(void)
{
    /* Another thread may be opening a file on a slow disk: the handler waits a second at most. */
    int waited = 0;
    while (atomic_flag_test_and_set(&list_taken) && waited++ < 1000) {
        poll(NULL, 0, 1);
    }
    mrwi_base_child_kill_all(); /* otherwise they would create their files again */
    if (waited > 1000) {
        return;
    }
    for (const mrwi_image_file *file = unfinished; file; file = file->next) {
        unlink(file->temporary);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Returns 0 or an errno. */
static int write_all(int fd, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, data, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return written < 0 ? errno : EIO;
        }
        data += written;
        size -= (size_t)written;
    }
    return 0;
}

/* Opens a new file beside path. Its name begins with a dot, names the process and has room for any
 * base name; out holds PATH_MAX bytes. Returns the descriptor, or -1 with errno set. */
static int open_temporary(const char *path, char *out)
{
    static _Atomic unsigned counter;
    const char *slash = strrchr(path, '/');
    int folder_length = slash ? (int)(slash - path) + 1 : 0;
    for (int attempt = 0; attempt < 100; attempt++) {
        int length = snprintf(out, PATH_MAX, "%.*s.%.64s.%ld-%u.tmp", folder_length, path,
                              path + folder_length, (long)getpid(), atomic_fetch_add(&counter, 1));
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(out, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

bool mrwi_image_file_is_special(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

mrw_status mrwi_image_file_begin(const char *path, mrwi_image_file *out, mrw_error *error)
{
    struct stat link;
    size_t length = strlen(path);
    if (length >= sizeof out->path) {
        return fail_file(error, MRW_ERROR_OUTPUT, path, "create it", ENAMETOOLONG);
    }
    /* A symbolic link stays, and its target is replaced. */
    bool linked = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    if (!linked || !realpath(path, out->path)) {
        memcpy(out->path, path, length + 1);
    }
    sigset_t before;
    take_list(&before);
    out->fd = open_temporary(out->path, out->temporary);
    int code = errno;
    if (out->fd >= 0) {
        out->owner = getpid();
        out->next = unfinished;
        unfinished = out;
    }
    give_list(&before);
    return out->fd >= 0 ? MRW_OK : fail_file(error, MRW_ERROR_OUTPUT, out->path, "create it", code);
}

mrw_status mrwi_image_file_add(mrwi_image_file *file, const void *data, size_t size,
                               mrw_error *error)
{
    int code = write_all(file->fd, data, size);
    return code == 0 ? MRW_OK : fail_file(error, MRW_ERROR_OUTPUT, file->path, "write it", code);
}

mrw_status mrwi_image_file_read(const mrwi_image_file *file, uint64_t at, void *data, size_t size,
                                mrw_error *error)
{
    uint8_t *to = data;
    while (size > 0) {
        ssize_t got = pread(file->fd, to, size, (off_t)at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return fail_file(error, MRW_ERROR_OUTPUT, file->path, "read back what was written",
                             got < 0 ? errno : EIO);
        }
        to += got;
        at += (uint64_t)got;
        size -= (size_t)got;
    }
    return MRW_OK;
}

mrw_status mrwi_image_file_finish(mrwi_image_file *file, mrw_error *error)
{
    const char *action = "write it";
    /* Some file systems report a full disk only when the file is closed. */
    int code = close(file->fd) != 0 && errno != EINTR ? errno : 0;
    if (code == 0 && rename(file->temporary, file->path) != 0) {
        code = errno;
        action = "replace it";
    }
    if (code != 0) {
        unlink(file->temporary);
    }
    forget(file);
    return code == 0 ? MRW_OK : fail_file(error, MRW_ERROR_OUTPUT, file->path, action, code);
}

void mrwi_image_file_drop(mrwi_image_file *file)
{
    close(file->fd);
    if (file->owner == getpid()) {
        unlink(file->temporary);
    }
    forget(file);
}

static mrw_status replace_file(const char *path, const void *data, size_t size, mrw_error *error)
{
    mrwi_image_file file;
    mrw_status status = mrwi_image_file_begin(path, &file, error);
    if (status) {
        return status;
    }
    status = mrwi_image_file_add(&file, data, size, error);
    if (status) {
        mrwi_image_file_drop(&file);
        return status;
    }
    return mrwi_image_file_finish(&file, error);
}

/* Makes sure that a folder's new name is on the disk. */
static void sync_folder_of(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) + 1 : 1;
    snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".");
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd); /* some file systems can't, and then it is on the disk a little later */
        close(fd);
    }
}

mrw_status mrwi_image_file_keep(const char *path, const void *data, size_t size, mrw_error *error)
{
    mrwi_image_file file;
    mrw_status status = mrwi_image_file_begin(path, &file, error);
    if (status) {
        return status;
    }
    status = mrwi_image_file_add(&file, data, size, error);
    if (!status && fsync(file.fd) != 0 && errno != EINVAL && errno != EROFS) {
        status = fail_file(error, MRW_ERROR_OUTPUT, file.path, "write it", errno);
    }
    if (status) {
        mrwi_image_file_drop(&file);
        return status;
    }
    status = mrwi_image_file_finish(&file, error);
    if (!status) {
        sync_folder_of(file.path);
    }
    return status;
}

/* Writes to a pipe, a terminal or /dev/null, which are never replaced. */
static mrw_status write_to_device(const char *path, const void *data, size_t size, mrw_error *error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int code = fd < 0 ? errno : write_all(fd, data, size);
    if (fd >= 0 && close(fd) != 0 && code == 0 && errno != EINTR) {
        code = errno;
    }
    return code == 0 ? MRW_OK : fail_file(error, MRW_ERROR_OUTPUT, path, "write it", code);
}

mrw_status mrw_file_write(const char *path, const void *data, size_t size, mrw_error *error)
{
    assert(path && (data || size == 0));
    return mrwi_image_file_is_special(path) ? write_to_device(path, data, size, error)
                                            : replace_file(path, data, size, error);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads to the end. The block grows as needed, because a pipe has no size. Returns 0 or an errno.
 */
static int read_all(int fd, size_t expected, mrw_bytes *out)
{
    size_t capacity = expected + 1;
    uint8_t *data = mrwi_base_alloc(capacity, 1);
    size_t used = 0;
    int code = !data ? ENOMEM : 0;
    while (code == 0) {
        ssize_t got = read(fd, data + used, capacity - used);
        if (got == 0) {
            break;
        }
        if (got < 0) {
            code = errno == EINTR ? 0 : errno;
            continue;
        }
        used += (size_t)got;
        if (used == capacity) {
            uint8_t *grown = used < INT_MAX ? mrwi_base_realloc(data, used, 2 * used, 1) : NULL;
            code = !grown ? (used < INT_MAX ? ENOMEM : EFBIG) : 0;
            data = !grown ? data : grown;
            capacity = 2 * used;
        }
    }
    if (code != 0) {
        mrwi_base_free(data);
        return code;
    }
    *out = (mrw_bytes){data, used};
    return 0;
}

static mrw_status refuse_stand_in(const char *path, mrw_bytes *bytes, mrw_error *error)
{
    const mrwi_base_read_result stand_in = mrwi_base_stand_in(bytes->data, bytes->size);
    char shown[512];
    if (stand_in == MRWI_BASE_READ_OK) {
        return MRW_OK;
    }
    mrw_bytes_free(bytes);
    return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: this %s",
                          mrwi_base_escape(path, shown, sizeof shown),
                          mrwi_base_read_reason(stand_in));
}

mrw_status mrwi_image_read_bytes(const char *path, mrw_bytes *out, mrw_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return fail_file(error, MRW_ERROR_INPUT, path, "open it", errno);
    }
    struct stat found;
    int code = fstat(fd, &found) != 0 ? errno : 0;
    if (code == 0 && S_ISDIR(found.st_mode)) {
        code = EISDIR;
    }
    if (code == 0 && found.st_size > INT_MAX) {
        code = EFBIG;
    }
    if (code == 0) {
        code = read_all(fd, found.st_size > 0 ? (size_t)found.st_size : 0, out);
    }
    close(fd);
    if (code == ENOMEM) {
        return mrwi_base_fail_memory(error, 0);
    }
    return code == 0 ? refuse_stand_in(path, out, error)
                     : fail_file(error, MRW_ERROR_INPUT, path, "read it", code);
}

mrw_status mrwi_image_read_by(mrwi_image_decoder *decode, const char *path, uint64_t max_pixels,
                              mrw_image *out, mrw_error *error)
{
    mrw_bytes bytes = {0};
    *out = (mrw_image){.width = 0};
    mrw_status status = mrwi_image_read_bytes(path, &bytes, error);
    if (!status) {
        status = decode(bytes.data, bytes.size, max_pixels, path, out, error);
    }
    mrw_bytes_free(&bytes);
    return status;
}

static mrw_status read_image(const char *path, uint32_t channels, uint64_t max_pixels,
                             mrw_image *out, mrw_error *error)
{
    mrw_bytes bytes = {0};
    mrw_status status = mrwi_image_read_bytes(path, &bytes, error);
    if (status) {
        return status;
    }
    status = mrw_image_decode(bytes.data, bytes.size, channels, max_pixels, path, out, error);
    mrw_bytes_free(&bytes);
    return status;
}

mrw_status mrw_image_read(const char *path, uint32_t channels, mrw_image *out, mrw_error *error)
{
    return read_image(path, channels, 0, out, error);
}

static mrw_status read_regular(const char *path, uint32_t channels, uint64_t max_pixels,
                               mrw_image *out, mrw_error *error)
{
    struct stat info;
    char shown[512];
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: this is not a regular file",
                              mrwi_base_escape(path, shown, sizeof shown));
    }
    return read_image(path, channels, max_pixels, out, error);
}

mrw_status mrwi_image_read_regular(const char *path, uint32_t channels, mrw_image *out,
                                   mrw_error *error)
{
    return read_regular(path, channels, 0, out, error);
}

mrw_status mrwi_image_read_to_compare(const char *path, const mrw_image *other, mrw_image *out,
                                      mrw_error *error)
{
    const uint64_t pixels = (uint64_t)other->width * other->height;
    return read_regular(path, 0, 16 * pixels + 1000000, out, error);
}

/* ---- pictures -------------------------------------------------------------------------------- */

mrw_status mrwi_image_write_png(const char *path, const char *option, const mrw_image *image,
                                mrw_error *error)
{
    mrw_bytes bytes;
    mrw_status status = mrw_make_folder_of(path, option, error);
    if (status) {
        return status;
    }
    status = mrw_png_encode(image, &bytes, error);
    if (status) {
        return status;
    }
    status = mrw_file_write(path, bytes.data, bytes.size, error);
    mrw_bytes_free(&bytes);
    return status;
}
