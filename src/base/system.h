/* system.h: functions of the GNU C library and of Linux that other C libraries lack. A port to
 * another one replaces system.c alone. */
#ifndef MRWI_BASE_SYSTEM_H
#define MRWI_BASE_SYSTEM_H

#include "base/file.h"

#include <spawn.h>

/* Creates an empty file in memory, which the programs that this process starts do not inherit.
 * Returns its descriptor, or -1 with errno. The name only shows in /proc. (memfd_create) */
int mrwi_base_memory_file(const char *name);

/* Closes all descriptors from the first on. (close_range) */
void mrwi_base_close_from(int first);

/* Does the same in a program that is started. Returns 0 or an errno.
 * (posix_spawn_file_actions_addclosefrom_np) */
int mrwi_base_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

/* Returns the short name of a signal, "SEGV", or NULL if the number is unknown. (sigabbrev_np) */
const char *mrwi_base_signal_name(int number);

/* Returns an environment variable; NULL if it is unset, or if this process has more rights than
 * the user who started it. (secure_getenv) */
const char *mrwi_base_trusted_environment(const char *name);

/* Finds the path of the running program, without links if they can be resolved: /proc/self/exe,
 * or without /proc the path that the kernel was given (getauxval(3), AT_EXECFN). */
bool mrwi_base_program_path(char out[MRWI_BASE_PATH_MAX]);

#endif
