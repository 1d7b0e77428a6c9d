/* child.c: starting other programs. The system kills them when this process ends
 * (PR_SET_PDEATHSIG): to be exact, when the thread ends that has started them. So each has a thread
 * that starts it and stays as long as it runs. Their groups are in a list, where a signal handler
 * finds them. */
#include "base/child.h"

#include "base/memory.h"
#include "base/work.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST        1024          /* more than there are workers */
#define TAKEN       (-1)          /* a place, before the program has a number and after its end */
#define STACK_BYTES (256u * 1024) /* stack of a keeper */

/* 0, TAKEN, or the number of a program, which is that of its group. Without locks, for
   handlers. */
static atomic_int groups[MOST];
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler can't wait for a lock");

/* A child of fork has started none of them. */
static void forget_in_child(void)
{
    for (int i = 0; i < MOST; i++) {
        atomic_store(&groups[i], 0);
    }
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_in_child);
}

static atomic_int *take_place(void)
{
    for (int i = 0; i < MOST; i++) {
        int none = 0;
        if (atomic_compare_exchange_strong(&groups[i], &none, TAKEN)) {
            return &groups[i];
        }
    }
    return NULL;
}

/* ---- the new process ------------------------------------------------------------------------- */

/* Until it becomes the program it has the memory of this process, whose thread waits meanwhile: it
 * makes system calls only, and stores two numbers. */

/* Handlers of this process must not run there. */
static void reset_signals(void)
{
    sigset_t none;
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) == 0 &&
            (number == SIGPIPE || (now.sa_handler != SIG_IGN && now.sa_handler != SIG_DFL))) {
            now = (struct sigaction){.sa_handler = SIG_DFL};
            sigaction(number, &now, NULL);
        }
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Makes files its standard input, output and error. Those that lie in the way of others move first.
 */
static bool set_files(const int files[3])
{
    int from[3];
    for (int i = 0; i < 3; i++) {
        from[i] = files[i] >= 0 ? files[i] : open("/dev/null", O_RDWR | O_CLOEXEC);
        if (from[i] >= 0 && from[i] <= 2) {
            from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 3);
        }
        if (from[i] < 0) {
            return false;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (dup2(from[i], i) < 0) {
            return false;
        }
    }
    return true;
}

/* Lifts the limit that stands behind mrw_memory_limit: it is for this process alone, and a program
 * that ran into it could not say so. */
static void lift_limit(void)
{
    struct rlimit data;
    if (mrwi_base_memory_now().allowed != 0 && getrlimit(RLIMIT_DATA, &data) == 0) {
        data.rlim_cur = data.rlim_max;
        setrlimit(RLIMIT_DATA, &data);
    }
}

static _Noreturn void become_program(mrwi_base_child *child)
{
    const mrwi_base_child_def *def = child->def;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != child->parent) {
        _exit(127); /* it ended before that call */
    }
    atomic_store(child->group, getpid());
    reset_signals();
    lift_limit();
    if (set_files(def->files)) {
        execvp(def->program, (char *const *)(uintptr_t)def->arguments);
    }
    child->code = errno;
    _exit(127);
}

/* ---- its keeper ------------------------------------------------------------------------------ */

/* Waits for its end, kills what it leaves behind, and asks for its status: in this order, since its
 * number may be another process's after that. */
static void see_the_end(mrwi_base_child *child, pid_t pid)
{
    siginfo_t info;
    int status, got;
    do {
        got = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    } while (got < 0 && errno == EINTR);
    if (got == 0) {
        kill(-pid, SIGKILL);
    }
    atomic_store(child->group, TAKEN);
    do {
        got = waitpid(pid, &status, 0);
    } while (got < 0 && errno == EINTR);
    child->status = got < 0 ? -1 : status;
}

static void *keep(void *user)
{
    mrwi_base_child *child = user;
    const pid_t pid = vfork(); /* posix_spawn cannot ask for the signal */
    if (pid == 0) {
        become_program(child);
    }
    if (pid < 0) {
        child->code = errno;
    } else if (child->code == 0) {
        atomic_store(child->group, pid); /* once more: emulators and sanitizers share no memory */
    }
    sem_post(&child->begun);
    if (pid > 0) {
        see_the_end(child, pid);
    }
    sem_post(&child->ended);
    return NULL;
}

/* Its signals are blocked: they are for the threads of the program, and not for a new process. */
static int start_keeper(mrwi_base_child *child)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0) {
        return code;
    }
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(&child->keeper, &attributes, keep, child);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return code;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void free_child(mrwi_base_child *child)
{
    sem_destroy(&child->begun);
    sem_destroy(&child->ended);
    atomic_store(child->group, 0);
}

int mrwi_base_child_start(const mrwi_base_child_def *def, mrwi_base_child *out)
{
    *out = (mrwi_base_child){.def = def, .parent = getpid(), .group = take_place()};
    if (!out->group) {
        return EAGAIN;
    }
    sem_init(&out->begun, 0, 0);
    sem_init(&out->ended, 0, 0);
    int code = start_keeper(out);
    if (code == 0) {
        while (sem_wait(&out->begun) != 0) {
        }
        code = out->code;
        if (code != 0) {
            pthread_join(out->keeper, NULL);
        }
    }
    out->def = NULL;
    if (code != 0) {
        free_child(out);
    }
    return code;
}

/* Waits for at most so many seconds, below 1. Returns sem_clockwait's result. */
static int wait_a_little(mrwi_base_child *child, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(seconds * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return sem_clockwait(&child->ended, CLOCK_MONOTONIC, &until);
}

bool mrwi_base_child_wait(mrwi_base_child *child, double seconds)
{
    const double until = mrw_clock_seconds(MRW_CLOCK_WALL) + seconds;
    double left = seconds;
    int got;
    do {
        got = wait_a_little(child, left < MRWI_BASE_GLANCE ? left : MRWI_BASE_GLANCE);
        left = until - mrw_clock_seconds(MRW_CLOCK_WALL);
    } while (got != 0 && left > 0.0 && mrwi_base_work_goes_on());
    if (got == 0) {
        sem_post(&child->ended); /* it stays so for who asks again */
    }
    return got == 0;
}

int mrwi_base_child_end(mrwi_base_child *child)
{
    const int group = atomic_load(child->group);
    if (group > 0) {
        kill(-group, SIGKILL);
    }
    pthread_join(child->keeper, NULL);
    free_child(child);
    return child->status;
}

void mrwi_base_child_kill_all(void)
{
    bool any = true;
    for (int wait = 0; any && wait < 1000; wait++) {
        any = false;
        for (int i = 0; i < MOST; i++) {
            const int group = atomic_load(&groups[i]);
            if (group > 0) {
                kill(-group, SIGKILL);
                any = true;
            }
        }
        if (any) {
            poll(NULL, 0, 1);
        }
    }
}
