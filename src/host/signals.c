/* signals.c: a command that a signal or --timeout ends leaves no half-written file, and says so in
 * one line.
 *
 * A command that draws holds signals: the handler cancels the library's work, and the command stops
 * in order. At any other time, when the user repeats the signal, and when the command has not ended
 * after a while, the handler itself ends what was started, removes files that are being written,
 * prints the line and lets the signal kill. --timeout is a timer whose signal does the same.
 *
 * GNU timeout, and schedulers that signal a process and its group, send one signal twice within
 * microseconds: a signal shortly after the first one is its echo. */
#include "host.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ECHO_MILLISECONDS 250

/* The time that a command has to end in order, in seconds. Other libraries look at no flag. */
#define GRACE 10

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
#define ENDING (sizeof ending / sizeof *ending)

/* Handlers set these and threads read them, so they must be lock-free. */
static atomic_bool held;
static atomic_int caught;     /* first signal that was caught while signals were held; 0: none */
static atomic_llong first_at; /* time of that signal in milliseconds; 0: none was caught */
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a handler can't wait for a lock");

static atomic_bool answers; /* standard output is JSON */
static atomic_bool ends;    /* a handler ends the process */

static struct sigaction pipe_before;

/* The command's work, which a handler cancels. */
static mrw_cancel cancel;

/* The timer of --timeout, then of GRACE; its signal is SIGALRM. */
static timer_t timer;
static bool has_timer;

/* The line that a handler prints, and the text of the error. */
static char timed_out[128];

/* ---- the handler: async-signal-safe calls only ----------------------------------------------- */

void host_put_now(int file, const char *text)
{
    static bool hangs[STDERR_FILENO + 1]; /* one handler alone prints */
    struct pollfd room = {.fd = file, .events = POLLOUT};
    hangs[file] = hangs[file] || poll(&room, 1, HOST_READER_MILLISECONDS) <= 0;
    if (!hangs[file]) {
        ssize_t ignored = write(file, text, strlen(text));
        (void)ignored;
    }
}

/* Prints the answer of host_answer_error, but with neither a model nor warnings: another thread may
 * be changing their texts. */
static void answer_now(int number)
{
    const int status = number == SIGALRM ? HOST_IMPOSSIBLE : 128 + number;
    char digits[4] = {0}, *at = digits;
    for (int power = status < 100 ? 10 : 100; power > 0; power /= 10) {
        *at++ = (char)('0' + status / power % 10);
    }
    host_put_now(STDOUT_FILENO, "{\"error\": {\"status\": ");
    host_put_now(STDOUT_FILENO, digits);
    host_put_now(STDOUT_FILENO, number == SIGALRM ? ", \"reason\": \"time\"" : "");
    host_put_now(STDOUT_FILENO, ", \"text\": \"");
    host_put_now(STDOUT_FILENO, host_stop_text());
    host_put_now(STDOUT_FILENO, "\", \"model\": null}, \"warnings\": []}\n");
}

/* Lets the process die of the signal, so that shells and schedulers see it; --timeout has a status
 * of its own. Does nothing if a handler in another thread does it already. */
static void end_now(int number)
{
    sigset_t self;
    if (atomic_exchange(&ends, true)) {
        return;
    }
    mrw_file_abandon_all();
    host_say_warnings_now();
    int none = 0;
    atomic_compare_exchange_strong(&caught, &none, number);
    host_put_now(STDERR_FILENO, "marrow: error: ");
    host_put_now(STDERR_FILENO, host_stop_text());
    host_put_now(STDERR_FILENO, "\n");
    if (atomic_load(&answers)) {
        answer_now(number);
    }
    if (number == SIGALRM) {
        _exit(HOST_IMPOSSIBLE);
    }
    signal(number, SIG_DFL);
    raise(number); /* pending: the signal is blocked in its handler */
    sigemptyset(&self);
    sigaddset(&self, number);
    pthread_sigmask(SIG_UNBLOCK, &self, NULL);
}

/* Lets SIGALRM come after so many seconds. */
static void set_timer(double seconds)
{
    struct itimerspec at = {.it_value = {(time_t)seconds, 0}};
    at.it_value.tv_nsec = (long)((seconds - (double)at.it_value.tv_sec) * 1e9);
    if (has_timer) {
        timer_settime(timer, 0, &at, NULL);
    }
}

/* Returns the seconds until SIGALRM comes; INFINITY: it does not. */
static double time_left(void)
{
    struct itimerspec left = {0};
    const bool runs = has_timer && timer_gettime(timer, &left) == 0 &&
                      (left.it_value.tv_sec != 0 || left.it_value.tv_nsec != 0);
    return runs ? (double)left.it_value.tv_sec + (double)left.it_value.tv_nsec * 1e-9
                : (double)INFINITY;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void handle(int number)
{
    const int code = errno, first_number = atomic_load(&caught);
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    const long long now =
        (long long)clock.tv_sec * 1000 + clock.tv_nsec / 1000000 + 1; /* never 0 */
    long long first = atomic_load(&first_at);
    if (first == 0 && atomic_load(&held) && !mrw_cancel_is_deaf(&cancel) &&
        atomic_compare_exchange_strong(&first_at, &first, now)) {
        atomic_store(&caught, number);
        mrw_cancel_request(&cancel, MRW_ERROR_CANCELLED);
        set_timer(least(GRACE, time_left() + ECHO_MILLISECONDS / 1000.0)); /* no echo */
    } else if (first == 0 || now - first >= ECHO_MILLISECONDS) {
        const bool late = number == SIGALRM || first_number == SIGALRM;
        end_now(late && first_number != 0 ? first_number : number);
    }
    errno = code;
}

/* ---- the command ----------------------------------------------------------------------------- */

void host_signals_begin(void)
{
    signal(SIGALRM, SIG_IGN); /* drops one that a parent has left pending */
    for (size_t i = 0; i < ENDING; i++) {
        struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART}, before;
        sigemptyset(&action.sa_mask);
        for (size_t k = 0; k < ENDING; k++) {
            sigaddset(&action.sa_mask, ending[k]);
        }
        sigaction(ending[i], NULL, &before);
        /* nohup ignores SIGHUP: it stays ignored */
        if (before.sa_handler != SIG_IGN || ending[i] == SIGALRM) {
            sigaction(ending[i], &action, NULL);
        }
    }
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL); /* a parent may have left it blocked */
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    mrw_cancel_enter(&cancel);
}

mrw_status host_signals_time(double seconds, mrw_error *error)
{
    char number[32];
    mrw_format_double(seconds, number);
    snprintf(timed_out, sizeof timed_out,
             "it took longer than the %s second%s that --timeout allows", number,
             seconds == 1.0 ? "" : "s");
    if (!has_timer) {
        return mrw_fail(error, MRW_ERROR_UNSUPPORTED, "--timeout: this system has no timer left");
    }
    set_timer(seconds);
    return MRW_OK;
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

const char *host_stop_text(void)
{
    return host_signal() == SIGALRM && timed_out[0] != '\0' ? timed_out : HOST_STOPPED;
}

void host_signals_give_way(void)
{
    while (atomic_load(&ends)) {
        pause();
    }
}

mrw_status host_check_signal(mrw_error *error)
{
    return host_signal() == 0 ? MRW_OK
                              : mrw_fail(error, MRW_ERROR_CANCELLED, "%s", host_stop_text());
}

mrw_status host_go_on(void *unused, mrw_error *error)
{
    (void)unused;
    return host_check_signal(error);
}
