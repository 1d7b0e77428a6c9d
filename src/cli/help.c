/* help.c: `marrow help`, --help and `marrow version`. */
#include "cli.h"

#include "help/help.h"

/* Prints and frees a page, or tells why there is none. */
static int print_page(mrw_status status, mrw_text *text, mrw_error *error)
{
    if (!status) {
        status = host_print(text, error);
    }
    if (status) {
        host_complain(error);
    }
    mrw_text_free(text);
    return host_exit_status(status);
}

int cli_help(const mrw_settings *settings)
{
    mrw_text text = {0};
    mrw_error error;
    mrw_status status = MRW_OK;
    const bool asked = settings->command == MRW_COMMAND_HELP && !settings->run.help;
    if (asked && settings->arguments.count > 0) {
        status = help_topic(&settings->arguments, settings->run.all, &text, &error);
    } else if (asked || settings->command == MRW_COMMAND_NONE) {
        help_overview(settings->run.all, &text);
    } else {
        help_command(settings->command, settings->run.all, &text);
    }
    return print_page(status, &text, &error);
}

int cli_version(const mrw_settings *settings)
{
    (void)settings;
    mrw_text text = {0};
    mrw_error error;
    mrw_text_add(&text, "marrow %s\npixel version %d\n", MRW_VERSION, MRW_PIXEL_VERSION);
    return print_page(MRW_OK, &text, &error);
}
