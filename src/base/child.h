/* child.h: programs that this process starts, and that end with it, however it ends. */
#ifndef MRWI_BASE_CHILD_H
#define MRWI_BASE_CHILD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* A program that is to be started. */
typedef struct mrwi_base_child_def {
    const char *program;          /* a path, or a name that is looked up in PATH */
    const char *const *arguments; /* the last is NULL */
    int files[3]; /* become its standard input, output and error; -1 for /dev/null. They stay the
                   * caller's, who opens them with O_CLOEXEC */
} mrwi_base_child_def;

/* A program that was started. It stays where it is until it was ended. */
typedef struct mrwi_base_child {
    const mrwi_base_child_def *def; /* until it was started */
    pid_t parent;
    pthread_t keeper; /* the thread that has started it, and waits for it */
    sem_t begun, ended;
    atomic_int *group; /* its place in the list of all */
    int code;          /* an errno, when it could not be started */
    int status;        /* waitpid's; -1: nobody knows it, SIGCHLD is ignored in this process */
} mrwi_base_child;

/* Starts a program without a shell, in a group of processes of its own, so that signals of the
 * terminal do not reach it. No signal is blocked there; SIGPIPE is not ignored. Returns 0 or an
 * errno; then there is nothing to end.
 *
 * It ends with this process: the system kills it when this process ends in whatever way. What it
 * has started itself ends with it where this process can still act: see mrwi_base_child_end and
 * mrwi_base_child_kill_all. Thread-safe; the thread that calls it may end before the program. */
int mrwi_base_child_start(const mrwi_base_child_def *def, mrwi_base_child *out);

/* Waits for its end, at most so many seconds; INFINITY waits for ever. Returns false if it goes on,
 * also because the work of the calling thread was cancelled. */
bool mrwi_base_child_wait(mrwi_base_child *child, double seconds);

/* Kills it where it goes on, and all of its group, and frees what belongs to it. Returns its status
 * as waitpid has it, or -1 where that is not known: this process ignores SIGCHLD. */
int mrwi_base_child_end(mrwi_base_child *child);

/* For a signal handler that ends the process right after it: kills the groups of all programs that
 * were started, and waits until these have ended, a second at most. Async-signal-safe. */
void mrwi_base_child_kill_all(void);

#endif
