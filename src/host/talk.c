/* talk.c: messages on standard error, and exit statuses. */
#include "host.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    bool quiet;
    bool verbose;
    bool colour;
    bool stopped;
    uint32_t warnings;
} talk;

/* A warning, which is printed once even if it is repeated. Warnings wait for the next other line,
 * so repetitions are counted by then. */
typedef struct warning {
    char *text;
    bool hidden;       /* another warning of its kind represents it */
    uint32_t count;    /* number of times it was given */
    uint32_t said;     /* value of `count` when it was last printed */
    uint32_t answered; /* value of `count` when it was last in JSON */
} warning;

static struct {
    pthread_mutex_t lock; /* guards the other fields */
    warning *items;
    size_t count;
} warnings = {.lock = PTHREAD_MUTEX_INITIALIZER};

void host_talk_begin(const mrw_settings *settings)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    talk.quiet = settings->run.quiet;
    talk.verbose = settings->run.verbose;
    talk.colour = isatty(STDERR_FILENO) && !(no_colour && no_colour[0]) && terminal &&
                  terminal[0] && !(terminal[0] == 'd' && terminal[1] == 'u');
}

static void label(const char *colour, const char *text)
{
    if (talk.colour) {
        fprintf(stderr, "marrow: \033[%sm%s\033[0m ", colour, text);
    } else {
        fprintf(stderr, "marrow: %s ", text);
    }
}

/* ---- warnings -------------------------------------------------------------------------------- */

/* Smallest number of further warnings of a kind that are hidden behind the first. */
#define MOST_OF_A_KIND 3

/* Moves behind a number, or a name in quotes; returns false if there is neither. */
static bool skip_varying(const char **text)
{
    const char quote = **text;
    const size_t digits = strspn(*text, "0123456789.");
    if (digits > 0 && quote != '.') {
        *text += digits;
        return true;
    }
    const char *end = quote == '"' || quote == '\'' ? strchr(*text + 1, quote) : NULL;
    *text = end ? end + 1 : *text;
    return end;
}

/* Returns true for warnings that differ only in numbers and in names in quotes. */
static bool is_same_kind(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        if (skip_varying(&a) != skip_varying(&b)) {
            return false;
        }
        if (*a != *b) {
            return false;
        }
        a += *a != '\0';
        b += *b != '\0';
    }
    return *a == *b;
}

/* Hides the unprinted warnings of a kind behind the first, if there are many. Returns how many. */
static uint32_t hide_kind(size_t first)
{
    uint32_t count = 0;
    for (size_t i = first + 1; i < warnings.count && !talk.verbose; i++) {
        const warning *w = &warnings.items[i];
        count += w->said == 0 && !w->hidden && is_same_kind(warnings.items[first].text, w->text);
    }
    if (count < MOST_OF_A_KIND) {
        return 0;
    }
    for (size_t i = first + 1; i < warnings.count; i++) {
        warning *w = &warnings.items[i];
        w->hidden =
            w->hidden || (w->said == 0 && is_same_kind(warnings.items[first].text, w->text));
    }
    return count;
}

/* Prints a warning, and the number of warnings hidden behind it. */
static void say_warning(const warning *w, uint32_t hidden)
{
    const uint32_t more = w->count - w->said;
    label("1;33", "warning:");
    fputs(w->text, stderr);
    if (w->said > 0) {
        fprintf(stderr, " (%u more time%s)", more, more == 1 ? "" : "s");
    } else if (more > 1) {
        fprintf(stderr, " (%u times)", more);
    }
    if (hidden > 0) {
        fprintf(stderr, " (and %u more of this kind; -v lists them)", hidden);
    }
    fputc('\n', stderr);
}

/* Prints warnings that were not printed yet. repeats: also prints how often the others were
 * repeated since. */
static void say_warnings(bool repeats)
{
    pthread_mutex_lock(&warnings.lock);
    for (size_t i = 0; i < warnings.count; i++) {
        warning *w = &warnings.items[i];
        if (w->count > w->said && (w->said == 0 || repeats)) {
            const uint32_t hidden = w->said == 0 && !w->hidden ? hide_kind(i) : 0;
            if (!talk.quiet && !w->hidden) {
                say_warning(w, hidden);
            }
            w->said = w->count;
        }
    }
    pthread_mutex_unlock(&warnings.lock);
}

void host_say_warnings(void)
{
    say_warnings(false);
}

void host_say_warnings_now(void)
{
    static const char head[] = "marrow: warning: ";
    if (talk.quiet || pthread_mutex_trylock(&warnings.lock) != 0) {
        return;
    }
    for (size_t i = 0; i < warnings.count; i++) {
        const char *text = warnings.items[i].text;
        if (warnings.items[i].said == 0) {
            host_put_now(STDERR_FILENO, head);
            host_put_now(STDERR_FILENO, text);
            host_put_now(STDERR_FILENO, "\n");
        }
    }
    pthread_mutex_unlock(&warnings.lock);
}

/* Finds or adds the warning with this text. Returns NULL when out of memory. The caller holds the
 * lock. */
static warning *find_warning(const char *text)
{
    for (size_t i = 0; i < warnings.count; i++) {
        if (strcmp(warnings.items[i].text, text) == 0) {
            return &warnings.items[i];
        }
    }
    warning *grown = realloc(warnings.items, (warnings.count + 1) * sizeof *grown);
    if (!grown) {
        return NULL;
    }
    warnings.items = grown;
    grown[warnings.count] = (warning){.text = strdup(text)};
    return grown[warnings.count].text ? &grown[warnings.count++] : NULL;
}

static void add_warning(const char *text, bool answered)
{
    char safe[1024];
    mrw_escape_text(text, safe, sizeof safe);
    pthread_mutex_lock(&warnings.lock);
    warning *w = find_warning(safe);
    if (w) {
        w->count++;
        w->answered += answered;
    } else { /* without memory it is printed at once */
        say_warning(&(warning){.text = safe, .count = 1}, 0);
    }
    pthread_mutex_unlock(&warnings.lock);
}

void host_put_warnings(mrw_json *json)
{
    pthread_mutex_lock(&warnings.lock);
    for (size_t i = 0; i < warnings.count; i++) {
        warning *w = &warnings.items[i];
        const uint32_t more = w->count - w->answered;
        char text[1100], times[32] = "";
        if (more > 1) {
            snprintf(times, sizeof times, " (%u times)", more);
        }
        snprintf(text, sizeof text, "%s%s", w->text, times);
        if (more > 0) {
            mrw_json_string(json, text);
        }
        w->answered = w->count;
    }
    pthread_mutex_unlock(&warnings.lock);
}

void host_warn_machine(void *unused, const char *text)
{
    (void)unused;
    add_warning(text, false);
}

void host_warn(const char *text)
{
    talk.warnings++;
    add_warning(text, false);
}

void host_warn_answered(const char *text)
{
    talk.warnings++;
    add_warning(text, true);
}

uint32_t host_warning_count(void)
{
    return talk.warnings;
}

void host_talk_end(void)
{
    say_warnings(true);
    pthread_mutex_lock(&warnings.lock); /* a signal handler may read them */
    for (size_t i = 0; i < warnings.count; i++) {
        free(warnings.items[i].text);
    }
    free(warnings.items);
    warnings.items = NULL;
    warnings.count = 0;
    pthread_mutex_unlock(&warnings.lock);
}

/* ---- errors and messages --------------------------------------------------------------------- */

void host_complain_as(const mrw_error *error, int exit_status)
{
    mrw_error stop = *error;
    if (error->status == MRW_ERROR_CANCELLED && host_signal() != 0) {
        mrw_fail(&stop, host_signal() == SIGALRM ? MRW_ERROR_TIME : error->status, "%s",
                 host_stop_text());
        talk.stopped = true;
        error = &stop;
    }
    host_signals_give_way();
    host_progress_end();
    say_warnings(false);
    label("1;31", "error:");
    fprintf(stderr, "%s\n", error->text);
    talk.stopped = talk.stopped || error->status == MRW_ERROR_CANCELLED;
    host_answer_error(error, exit_status);
}

void host_complain(const mrw_error *error)
{
    host_complain_as(error, host_exit_status(error->status));
}

bool host_told_stop(void)
{
    return talk.stopped;
}

static void say(const char *format, va_list arguments)
{
    say_warnings(false);
    fputs("marrow: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void host_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!talk.quiet) {
        say(format, arguments);
    }
    va_end(arguments);
}

void host_detail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (talk.verbose) {
        say(format, arguments);
    }
    va_end(arguments);
}

const char *host_pace(double count, double seconds, const char *one, char out[64])
{
    char number[32];
    const double rate = count / (seconds > 1e-6 ? seconds : 1e-6);
    if (rate < 1.0) {
        const double each = seconds / (count > 0.0 ? count : 1.0);
        mrw_format_fixed(each, each < 10.0 ? 1 : 0, number);
        snprintf(out, 64, "%s s per %s", number, one);
    } else {
        mrw_format_fixed(rate, rate < 10.0 ? 1 : 0, number);
        snprintf(out, 64, "%s per second", number);
    }
    return out;
}

int host_exit_status(mrw_status status)
{
    switch (status) {
    case MRW_OK:
        return HOST_DONE;
    case MRW_ERROR_USAGE:
        return HOST_USAGE;
    case MRW_ERROR_INPUT:
        return HOST_INPUT;
    case MRW_ERROR_OUTPUT:
        return HOST_OUTPUT;
    case MRW_ERROR_MEMORY:
    case MRW_ERROR_UNSUPPORTED:
    case MRW_ERROR_CPU:
    case MRW_ERROR_DISPLAY:
    case MRW_ERROR_TOOL:
    case MRW_ERROR_TIME:
        return HOST_IMPOSSIBLE;
    case MRW_ERROR_CANCELLED:
        return host_signal() == SIGALRM ? HOST_IMPOSSIBLE
               : host_signal() != 0     ? 128 + host_signal()
                                        : HOST_INTERNAL;
    case MRW_ERROR_INTERNAL:
        break;
    }
    return HOST_INTERNAL;
}

void host_tell_shortage(void)
{
    const mrw_thread_shortage lack = mrw_thread_shortage_so_far();
    if (lack.wanted > 0) {
        host_detail("only %d of %d threads could be started (process or memory limit); the results "
                    "are the same",
                    lack.granted, lack.wanted);
    }
}
