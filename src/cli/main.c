/* main.c: the command `marrow`: reads the command line, runs one command and returns its status. */
#include "cli.h"

#include "help/help.h"

#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
static bool in_order; /* main has returned */

/* OpenMP ends the process with status 1 and a line of its own if it gets no memory. This gives the
 * line and the status of the command. */
static void tell_of_openmp(int status, void *unused)
{
    static const char line[] = "marrow: error: out of memory for OpenMP: use fewer threads (-j)\n";
    (void)unused;
    if (status == EXIT_FAILURE && !in_order) {
        mrw_file_abandon_all();
        ssize_t ignored = write(STDERR_FILENO, line, sizeof line - 1);
        (void)ignored;
        _exit(HOST_IMPOSSIBLE);
    }
}
#endif

/* Idle OpenMP threads spin for milliseconds by default, which slows small machines down. Passive
 * threads sleep at once: then a loop of a millisecond, such as a picture's bands, gains little,
 * because it ends before they are awake. So they spin for 2000 pauses, about 40 us, then sleep.
 * GNU's runtime reads its settings in a constructor without a priority, and is a part of the
 * command, so this one comes first. That of clang reads them in the first parallel region. */
__attribute__((constructor(101))) static void set_waiting(void)
{
#ifdef __GLIBC__
    on_exit(tell_of_openmp, NULL);
#endif
    if (!getenv("OMP_WAIT_POLICY")) {
        setenv("GOMP_SPINCOUNT", "2000", 0);
        setenv("OMP_WAIT_POLICY", "passive", 0);
    }
}

/* A command without its function does not compile. */
#define COMMAND(constant, name) [MRW_COMMAND_##constant] = cli_##name,
static int (*const commands[])(const mrw_settings *settings) = {MRW_COMMANDS(COMMAND)};
#undef COMMAND

static int run(const mrw_settings *settings)
{
    mrw_error error;
    if (settings->run.version) {
        return cli_version(settings);
    }
    if (settings->run.help || settings->command == MRW_COMMAND_HELP) {
        return cli_help(settings);
    }
    if (settings->command == MRW_COMMAND_COMPLETIONS) {
        return cli_completions(settings);
    }
    mrw_status status = host_memory_begin(settings, &error);
    if (!status) {
        status = mrw_session_check_isa(settings, &error);
    }
    if (!status) {
        status = host_check_targets(settings, &error);
    }
    if (status) {
        host_complain(&error);
        return host_exit_status(status);
    }
    int result = commands[settings->command](settings);
    host_tell_shortage();
    host_detail("most memory of the library: %" PRIu64 " bytes (--memory)", mrw_memory_most());
    if (mrw_work_most() > 0) {
        host_detail("most work of a picture: %" PRIu64 " units (--max-work)", mrw_work_most());
    }
    return result;
}

int main(int argc, char **argv)
{
    mrw_settings settings;
    mrw_error error;
    if (argc > 1 && strcmp(argv[1], "__complete") == 0) {
        help_complete(argc - 2, (const char *const *)argv + 2);
        return HOST_DONE;
    }
    host_signals_begin();
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1); /* so that a thread can reuse memory that another one has freed */
#endif
    signal(SIGCHLD, SIG_DFL); /* if a parent has it ignored, the status of a child is lost */
    signal(SIGXFSZ, SIG_IGN); /* a file over the size limit is an error of write() instead */
    mrw_settings_init(&settings);
    mrw_status status = mrw_settings_parse(&settings, argc > 0 ? argc - 1 : 0,
                                           (const char *const *)argv + 1, &error);
    cli_view_arguments(argc > 0 ? argc - 1 : 0, (const char *const *)argv + 1);
    host_talk_begin(&settings);
    host_callbacks_begin(&settings);
    mrw_error second;
    const mrw_status answering = host_answer_begin(&settings, !status, argc, argv, &second);
    int result;
    if (status || answering) {
        host_complain(status ? &error : &second);
        result = host_exit_status(status ? status : answering);
    } else {
        mrw_work_limit(settings.run.max_work);
        status =
            settings.run.timeout > 0 ? host_signals_time(settings.run.timeout, &error) : MRW_OK;
        if (status) {
            host_complain(&error);
        }
        result = status ? host_exit_status(status) : run(&settings);
    }
    if (result == HOST_DONE && settings.run.strict && host_warning_count() > 0) {
        result = HOST_WARNINGS;
    }
    host_signals_give_way();
    if (host_check_signal(&error)) {
        if (!host_told_stop()) { /* the signal came after the work was done */
            host_complain(&error);
        }
        result = host_exit_status(error.status);
    }
    status = host_answer_end(&error);
    if (status) {
        host_complain(&error);
        result = result == HOST_DONE ? host_exit_status(status) : result;
    }
    host_talk_end();
    host_forget_opened();
    mrw_settings_free(&settings);
#ifdef __GLIBC__
    in_order = true;
#endif
    return result;
}
