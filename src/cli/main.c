/* main.c: the command `marrow`: reads the command line, runs one command and returns its status. */
#include "cli.h"

#include "help/help.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Idle OpenMP threads spin by default, which slows small machines down. The runtime reads its
 * setting when it is loaded, before main. */
#ifdef MARROW_STATIC
/* The runtime is a part of the static command. Its constructor has no priority, so this one comes
 * first. */
__attribute__((constructor(101))) static void wait_passively(void)
{
    setenv("OMP_WAIT_POLICY", "passive", 0);
}
#endif

/* Sets OMP_WAIT_POLICY and starts the program again, once. If that fails (an emulator, no /proc),
 * everything works, but slower. */
static void restart_with_passive_waiting(char **argv)
{
    if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 0) == 0) {
        execv("/proc/self/exe", argv);
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
    mrw_status status = mrw_session_check_isa(settings, &error);
    if (!status) {
        status = cli_check_targets(settings, &error);
    }
    if (status) {
        cli_complain(&error);
        return cli_exit_status(status);
    }
    int result = commands[settings->command](settings);
    cli_tell_shortage();
    return result;
}

int main(int argc, char **argv)
{
    mrw_settings settings;
    mrw_error error;
    if (argc > 1 && strcmp(argv[1], "__complete") == 0) {
        help_complete(argc - 2, (const char *const *)argv + 2);
        return CLI_DONE;
    }
    restart_with_passive_waiting(argv);
    cli_signals_begin();
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1); /* so that a thread can reuse memory that another one has freed */
#endif
    signal(SIGCHLD, SIG_DFL); /* if a parent has it ignored, the status of a child is lost */
    signal(SIGXFSZ, SIG_IGN); /* a file over the size limit is an error of write() instead */
    mrw_settings_init(&settings);
    mrw_status status = mrw_settings_parse(&settings, argc > 0 ? argc - 1 : 0,
                                           (const char *const *)argv + 1, &error);
    cli_view_arguments(argc > 0 ? argc - 1 : 0, (const char *const *)argv + 1);
    cli_talk_begin(&settings);
    cli_host_begin(&settings);
    mrw_error second;
    const mrw_status answering = cli_answer_begin(&settings, !status, argc, argv, &second);
    int result;
    if (status || answering) {
        cli_complain(status ? &error : &second);
        result = cli_exit_status(status ? status : answering);
    } else {
        result = run(&settings);
    }
    if (result == CLI_DONE && settings.run.strict && cli_warning_count() > 0) {
        result = CLI_WARNINGS;
    }
    cli_signals_give_way();
    if (cli_check_signal(&error)) {
        if (!cli_told_stop()) { /* the signal came after the work was done */
            cli_complain(&error);
        }
        result = 128 + cli_signal();
    }
    status = cli_answer_end(&error);
    if (status) {
        cli_complain(&error);
        result = result == CLI_DONE ? cli_exit_status(status) : result;
    }
    cli_talk_end();
    cli_forget_opened();
    mrw_settings_free(&settings);
    return result;
}
