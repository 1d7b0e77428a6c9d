/* signals.c: a command that a signal ends leaves no half-written file, and says so in one line.
 *
 * A command that draws many pictures holds signals: it asks regularly if one was caught, and stops
 * in order. At any other time, and when the user repeats the signal, the handler itself ends what
 * was started, removes files that are being written, prints the line and lets the signal kill.
 *
 * GNU timeout, and schedulers that signal a process and its group, send one signal twice within
 * microseconds: a signal shortly after the first one is its echo. */
#include "host.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ECHO_MILLISECONDS 250

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDING (sizeof ending / sizeof *ending)

/* Handlers set these and threads read them, so they must be lock-free. */
static atomic_bool held;
static atomic_int caught;     /* first signal that was caught while signals were held; 0: none */
static atomic_llong first_at; /* time of that signal in milliseconds; 0: none was caught */
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a handler can't wait for a lock");

static atomic_bool answers; /* standard output is JSON */
static atomic_bool ends;    /* a handler ends the process */

static struct sigaction pipe_before;

/* ---- the handler: async-signal-safe calls only ----------------------------------------------- */

/* Prints the answer of host_answer_error, but with neither a model nor warnings: another thread may
 * be changing their texts. */
static void answer_now(int number)
{
    static const char head[] = "{\"error\": {\"status\": ";
    static const char tail[] =
        ", \"text\": \"" HOST_STOPPED "\", \"model\": null}, \"warnings\": []}\n";
    const int status = 128 + number;
    char line[128];
    memcpy(line, head, sizeof head - 1);
    char *at = line + sizeof head - 1;
    for (int power = 100; power > 0; power /= 10) {
        *at++ = (char)('0' + status / power % 10);
    }
    memcpy(at, tail, sizeof tail - 1);
    at += sizeof tail - 1;
    ssize_t ignored = write(STDOUT_FILENO, line, (size_t)(at - line));
    (void)ignored;
}

/* Lets the process die of the signal, so that shells and schedulers see it. Does nothing if a
 * handler in another thread does it already. */
static void end_now(int number)
{
    static const char line[] = "marrow: error: " HOST_STOPPED "\n";
    sigset_t self;
    if (atomic_exchange(&ends, true)) {
        return;
    }
    mrw_file_abandon_all();
    host_say_warnings_now();
    ssize_t ignored = write(STDERR_FILENO, line, sizeof line - 1);
    (void)ignored;
    if (atomic_load(&answers)) {
        answer_now(number);
    }
    signal(number, SIG_DFL);
    raise(number); /* pending: the signal is blocked in its handler */
    sigemptyset(&self);
    sigaddset(&self, number);
    pthread_sigmask(SIG_UNBLOCK, &self, NULL);
}

static void handle(int number)
{
    const int code = errno;
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    const long long now =
        (long long)clock.tv_sec * 1000 + clock.tv_nsec / 1000000 + 1; /* never 0 */
    long long first = atomic_load(&first_at);
    if (first == 0 && atomic_load(&held) &&
        atomic_compare_exchange_strong(&first_at, &first, now)) {
        atomic_store(&caught, number);
    } else if (first == 0 || now - first >= ECHO_MILLISECONDS) {
        end_now(number);
    }
    errno = code;
}

/* ---- the command ----------------------------------------------------------------------------- */

void host_signals_begin(void)
{
    for (size_t i = 0; i < ENDING; i++) {
        struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART}, before;
        sigemptyset(&action.sa_mask);
        for (size_t k = 0; k < ENDING; k++) {
            sigaddset(&action.sa_mask, ending[k]);
        }
        sigaction(ending[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) { /* nohup ignores SIGHUP: it stays ignored */
            sigaction(ending[i], &action, NULL);
        }
    }
}

void host_signals_hold(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &pipe_before);
    atomic_store(&held, true);
}

void host_signals_release(void)
{
    atomic_store(&held, false);
    sigaction(SIGPIPE, &pipe_before, NULL);
}

void host_signals_answer(bool json)
{
    atomic_store(&answers, json);
}

int host_signal(void)
{
    return atomic_load(&caught);
}

void host_signals_give_way(void)
{
    while (atomic_load(&ends)) {
        pause();
    }
}

mrw_status host_check_signal(mrw_error *error)
{
    return host_signal() == 0 ? MRW_OK : mrw_fail(error, MRW_ERROR_CANCELLED, HOST_STOPPED);
}

mrw_status host_go_on(void *unused, mrw_error *error)
{
    (void)unused;
    return host_check_signal(error);
}
