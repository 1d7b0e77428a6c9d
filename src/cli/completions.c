/* completions.c: `marrow completions SHELL`. */
#include "cli.h"

#include "help/help.h"

#include <string.h>

static mrw_status print_script(const mrw_text_list *arguments, mrw_error *error)
{
    size_t count;
    const help_shell *shells = help_shells(&count);
    char safe[128];
    if (arguments->count == 0) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "`completions` needs the name of a shell: bash, zsh or fish");
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(shells[i].name, arguments->items[0]) == 0) {
            return host_write_stdout(shells[i].script, strlen(shells[i].script), error);
        }
    }
    return mrw_fail(error, MRW_ERROR_USAGE,
                    "there are no completions for '%s'; write bash, zsh or fish",
                    mrw_escape_text(arguments->items[0], safe, sizeof safe));
}

int cli_completions(const mrw_settings *settings)
{
    mrw_error error;
    const mrw_status status = print_script(&settings->arguments, &error);
    if (status) {
        host_complain(&error);
    }
    return host_exit_status(status);
}
