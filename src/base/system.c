/* system.c: the only calls of functions that the GNU C library has and others lack. */
#include "base/system.h"

#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

int mrwi_base_memory_file(const char *name)
{
    return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

void mrwi_base_close_from(int first)
{
    close_range((unsigned)first, ~0U, 0);
}

int mrwi_base_spawn_close_from(posix_spawn_file_actions_t *actions, int first)
{
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

const char *mrwi_base_signal_name(int number)
{
    return sigabbrev_np(number);
}

const char *mrwi_base_trusted_environment(const char *name)
{
    return secure_getenv(name);
}

bool mrwi_base_program_path(char out[MRWI_BASE_PATH_MAX])
{
    _Static_assert(MRWI_BASE_PATH_MAX >= PATH_MAX, "realpath writes up to PATH_MAX bytes");
    const ssize_t length = readlink("/proc/self/exe", out, MRWI_BASE_PATH_MAX - 1);
    if (length > 0) {
        out[length] = '\0';
        return true;
    }
    const char *given = (const char *)(uintptr_t)getauxval(AT_EXECFN); /* see getauxval(3) */
    if (!given) {
        return false;
    }
    if (realpath(given, out)) {
        return true;
    }
    return snprintf(out, MRWI_BASE_PATH_MAX, "%s", given) < MRWI_BASE_PATH_MAX;
}
