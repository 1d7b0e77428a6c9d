/* lock.c: lets one run at a time use a results folder. A run removes what an earlier one left
 * there, and copies goldens from what it writes: two runs at once would remove each other's files.
 * Locks end with the process, however it ends. */
#include "golden/lock.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT_MILLISECONDS 50

typedef struct mrwi_golden_lock {
    const char *root;
    dev_t device;
    ino_t node;
    int fd;
} mrwi_golden_lock;

static int by_folder(const void *a, const void *b)
{
    const mrwi_golden_lock *x = a, *y = b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    return x->node < y->node ? -1 : x->node > y->node;
}

static mrw_status wait_for(const mrwi_golden_lock *lock, const mrw_test_def *def, mrw_error *error)
{
    while (flock(lock->fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return MRW_OK; /* a file system without locks */
        }
        mrw_status status = def->waiting ? def->waiting(def->user, lock->root, error) : MRW_OK;
        if (status) {
            return status;
        }
        poll(NULL, 0, WAIT_MILLISECONDS);
    }
    return MRW_OK;
}

/* Locks folders in one order, so that no two runs wait for each other. A folder may have several
 * names, so equal folders are locked once: a second lock would wait for the first. */
mrw_status mrwi_golden_lock_roots(mrwi_golden_locks *locks, const mrw_test_def *def,
                                  const char *const *roots, size_t count, mrw_error *error)
{
    locks->items = mrwi_base_alloc_zero(count, sizeof *locks->items);
    if (!locks->items) {
        return mrwi_base_fail_memory(error, count * sizeof *locks->items);
    }
    for (size_t i = 0; i < count; i++) {
        struct stat info;
        if (i > 0 && strcmp(roots[i - 1], roots[i]) == 0) {
            continue;
        }
        /* A root that can't be opened is not locked; writing there reports why. */
        int fd = open(roots[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && fstat(fd, &info) == 0) {
            locks->items[locks->count++] =
                (mrwi_golden_lock){roots[i], info.st_dev, info.st_ino, fd};
        } else if (fd >= 0) {
            close(fd);
        }
    }
    qsort(locks->items, locks->count, sizeof *locks->items, by_folder);
    for (size_t i = 0; i < locks->count; i++) {
        if (i > 0 && by_folder(&locks->items[i - 1], &locks->items[i]) == 0) {
            continue;
        }
        mrw_status status = wait_for(&locks->items[i], def, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

void mrwi_golden_unlock_roots(mrwi_golden_locks *locks)
{
    for (size_t i = 0; i < locks->count; i++) {
        close(locks->items[i].fd);
    }
    mrwi_base_free(locks->items);
}
