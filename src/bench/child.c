/* child.c: starts processes that end with `marrow bench`. Its main thread must start them, because
 * the system sends the signal when the thread that started them ends. */
#include "bench/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

void bench_child_follow(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) {
        _exit(127); /* the parent ended before that call */
    }
}

/* Becomes the program. Until then it shares the memory of the parent, so no handler may run. */
static _Noreturn void become_program(pid_t parent, char *const *arguments, char *const *environment)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t none;
    bench_child_follow(parent);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction now, usual = {.sa_handler = SIG_DFL};
        if (sigaction(caught[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
            sigaction(caught[i], &usual, NULL);
        }
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0) {
        execve("/proc/self/exe", arguments, environment);
    }
    _exit(127);
}

int bench_child_start(char *const *arguments, char *const *environment, pid_t *out)
{
    sigset_t all, before;
    const pid_t parent = getpid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    *out = vfork(); /* posix_spawn cannot ask for the signal at the parent's end */
    if (*out == 0) {
        become_program(parent, arguments, environment);
    }
    const int code = *out < 0 ? errno : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}
