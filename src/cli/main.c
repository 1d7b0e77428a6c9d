/* main.c: the command `marrow`: reads the command line, runs one command, answers with a status. */
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

/* Sets it and starts again, once. If that fails (an emulator, no /proc), everything works, but
 * slower. */
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
    if (status == MRW_OK) {
        status = cli_check_targets(settings, &error);
    }
    if (status != MRW_OK) {
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
    mallopt(M_ARENA_MAX, 1); /* what one thread has freed, another can take */
#endif
    signal(SIGCHLD, SIG_DFL); /* ignored, as some start programs, no child tells how it ended */
    signal(SIGXFSZ, SIG_IGN); /* a file over the size limit is an error of write(), not a death */
    mrw_settings_init(&settings);
    mrw_status status = mrw_settings_parse(&settings, argc > 0 ? argc - 1 : 0,
                                           (const char *const *)argv + 1, &error);
    cli_view_arguments(argc > 0 ? argc - 1 : 0, (const char *const *)argv + 1);
    cli_talk_begin(&settings);
    cli_host_begin(&settings);
    mrw_error second;
    const mrw_status answering = cli_answer_begin(&settings, status == MRW_OK, argc, argv, &second);
    int result;
    if (status == MRW_OK && answering == MRW_OK) {
        result = run(&settings);
    } else {
        cli_complain(status != MRW_OK ? &error : &second);
        result = cli_exit_status(status != MRW_OK ? status : answering);
    }
    if (result == CLI_DONE && settings.run.strict && cli_warning_count() > 0) {
        result = CLI_WARNINGS;
    }
    cli_signals_give_way();
    if (cli_check_signal(&error) != MRW_OK) {
        if (!cli_told_stop()) { /* it came when all was done */
            cli_complain(&error);
        }
        result = 128 + cli_signal();
    }
    status = cli_answer_end(&error);
    if (status != MRW_OK) {
        cli_complain(&error);
        result = result == CLI_DONE ? cli_exit_status(status) : result;
    }
    cli_talk_end();
    cli_forget_opened();
    mrw_settings_free(&settings);
    return result;
}
