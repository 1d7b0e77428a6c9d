/* talk.c: everything that is said on standard error, and exit statuses. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    bool quiet;
    bool verbose;
    bool colour;
    bool stopped;
    uint32_t warnings;
} talk;

void cli_talk_begin(const mrw_settings *settings)
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

void cli_complain(const mrw_error *error)
{
    cli_progress_end();
    label("1;31", "error:");
    fprintf(stderr, "%s\n", error->text);
    talk.stopped = talk.stopped || error->status == MRW_ERROR_CANCELLED;
}

bool cli_told_stop(void)
{
    return talk.stopped;
}

void cli_warn_machine(void *unused, const char *text)
{
    char safe[1024];
    (void)unused;
    if (!talk.quiet) {
        label("1;33", "warning:");
        fprintf(stderr, "%s\n", mrw_escape_text(text, safe, sizeof safe));
    }
}

void cli_warn(const char *text)
{
    talk.warnings++;
    cli_warn_machine(NULL, text);
}

uint32_t cli_warning_count(void)
{
    return talk.warnings;
}

static void say(const char *format, va_list arguments)
{
    fputs("marrow: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!talk.quiet) {
        say(format, arguments);
    }
    va_end(arguments);
}

void cli_detail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (talk.verbose) {
        say(format, arguments);
    }
    va_end(arguments);
}

const char *cli_pace(double count, double seconds, const char *one, char out[64])
{
    char number[32];
    const double rate = count / (seconds > 1e-6 ? seconds : 1e-6);
    if (rate < 1.0) {
        const double each = seconds / (count > 0.0 ? count : 1.0);
        mrw_format_fixed(each, each < 10.0 ? 1 : 0, number);
        snprintf(out, 64, "%s s a %s", number, one);
    } else {
        mrw_format_fixed(rate, rate < 10.0 ? 1 : 0, number);
        snprintf(out, 64, "%s a second", number);
    }
    return out;
}

int cli_exit_status(mrw_status status)
{
    switch (status) {
    case MRW_OK:
        return CLI_DONE;
    case MRW_ERROR_USAGE:
        return CLI_USAGE;
    case MRW_ERROR_INPUT:
        return CLI_INPUT;
    case MRW_ERROR_OUTPUT:
        return CLI_OUTPUT;
    case MRW_ERROR_MEMORY:
    case MRW_ERROR_UNSUPPORTED:
        return CLI_IMPOSSIBLE;
    case MRW_ERROR_CANCELLED:
        return cli_signal() != 0 ? 128 + cli_signal() : CLI_INTERNAL;
    case MRW_ERROR_INTERNAL:
        break;
    }
    return CLI_INTERNAL;
}

void cli_tell_shortage(void)
{
    const mrw_thread_shortage lack = mrw_thread_shortage_so_far();
    if (lack.wanted > 0) {
        cli_detail("only %d of %d threads could be started (a limit of processes or of memory); "
                   "the results are the same",
                   lack.granted, lack.wanted);
    }
}
