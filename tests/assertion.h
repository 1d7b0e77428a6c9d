/* assertion.h: whether a call fails an assertion, in builds that have them. */
#ifndef MARROW_ASSERTION_H
#define MARROW_ASSERTION_H

#include "test.h"

#ifndef NDEBUG

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

/* Calls in a process of its own; whether an assertion ends that. */
static inline bool fails_an_assertion(void (*call)(void))
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        call();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#endif
#endif
