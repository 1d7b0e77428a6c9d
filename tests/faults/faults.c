/* faults.c: lets the N-th call of one kind fail, once, in the program that preloads it:
 * scripts/faults.py. FAULT_KIND names the kind, FAULT_AT the call, from 1; 0: none fails.
 * FAULT_REPORT is a file that receives the number of calls when the program ends. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

typedef enum kind { NONE, ALLOC, WRITE, SHORT, RENAME, MKDIR, CLOSE, SYNC, OPEN, FORK, KINDS } kind;

static const char *const names[KINDS] = {"none",  "alloc", "write", "short", "rename",
                                         "mkdir", "close", "fsync", "open",  "fork"};

static kind chosen;
static unsigned long at;
static atomic_ulong calls;

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("FAULT_KIND"), *number = getenv("FAULT_AT");
    for (int k = 1; name && k < KINDS; k++) {
        if (strcmp(name, names[k]) == 0) {
            at = number ? strtoul(number, NULL, 10) : 0;
            chosen = (kind)k;
        }
    }
    unsetenv("LD_PRELOAD"); /* programs that this one starts do not fail */
}

__attribute__((destructor)) static void end(void)
{
    const char *report = getenv("FAULT_REPORT");
    const unsigned long all = atomic_load(&calls);
    chosen = NONE;
    const int fd = report ? open(report, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd >= 0) {
        dprintf(fd, "%lu\n", all);
        close(fd);
    }
}

/* Counts a call of a kind. Returns true if it must fail. */
static int fails(kind k, int code)
{
    if (k != chosen || atomic_fetch_add(&calls, 1) + 1 != at) {
        return 0;
    }
    errno = code;
    return 1;
}

/* ---- memory ---------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return fails(ALLOC, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(ALLOC, ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return fails(ALLOC, ENOMEM) ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(ALLOC, ENOMEM) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = fails(ALLOC, ENOMEM) ? NULL : __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

/* ---- files: standard error is left alone ----------------------------------------------------- */

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t size)
{
    if (fd != 2 && fails(WRITE, ENOSPC)) {
        return -1;
    }
    return NEXT(write)(fd, data, fd != 2 && size > 1 && fails(SHORT, 0) ? size / 2 : size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t from)
{
    return fails(WRITE, EIO) ? -1 : NEXT(pwrite)(fd, data, size, from);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME, EIO) ? -1 : NEXT(rename)(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    return fails(MKDIR, ENOSPC) ? -1 : NEXT(mkdir)(path, mode);
}

int fsync(int fd)
{
    return fails(SYNC, EIO) ? -1 : NEXT(fsync)(fd);
}

/* The descriptor is closed all the same, as Linux does it. */
int close(int fd)
{
    struct stat info;
    const int flags = chosen == CLOSE ? fcntl(fd, F_GETFL) : 0;
    const int written = chosen == CLOSE && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
                        fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink > 0;
    const int result = NEXT(close)(fd);
    return written && fails(CLOSE, EIO) ? -1 : result;
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & O_CREAT) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return (flags & O_CREAT) && fails(OPEN, ENOSPC) ? -1 : NEXT(open)(path, flags, mode);
}

/* ---- programs -------------------------------------------------------------------------------- */

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const environment[])
{
    return fails(FORK, EAGAIN)
               ? EAGAIN
               : NEXT(posix_spawn)(pid, path, actions, attributes, arguments, environment);
}

/* A call of vfork cannot be wrapped: it would return from this function twice. */
pid_t vfork(void)
{
    return fails(FORK, EAGAIN) ? -1 : fork();
}
