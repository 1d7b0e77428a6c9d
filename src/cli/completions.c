/* completions.c: `marrow completions SHELL`: the scripts of src/completions, which the assembler
 * puts into the command. They are the same for all builds, and call `marrow __complete`. */
#include "complete.h"

#include <string.h>

/* The path is relative to the root, where make runs. */
#define EMBED(shell)                                                                               \
    __asm__(".pushsection .rodata,\"a\",%progbits\n"                                               \
            ".hidden cli_completions_" #shell "\n"                                                 \
            ".globl cli_completions_" #shell "\n"                                                  \
            "cli_completions_" #shell ":\n"                                                        \
            ".incbin \"src/completions/marrow." #shell "\"\n"                                      \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char cli_completions_##shell[];

EMBED(bash)
EMBED(zsh)
EMBED(fish)

static const struct {
    const char *shell, *text, *use;
} scripts[] = {
    {"bash", cli_completions_bash, "source <(marrow completions bash)"},
    {"zsh", cli_completions_zsh, "source <(marrow completions zsh)"},
    {"fish", cli_completions_fish, "marrow completions fish | source"},
};
#define COUNT (sizeof scripts / sizeof *scripts)

void cli_completion_add_shells(cli_completion *c)
{
    for (size_t i = 0; i < COUNT; i++) {
        cli_completion_add(c, scripts[i].shell, "", scripts[i].use);
    }
}

int cli_completions(const mrw_settings *settings)
{
    const char *shell = settings->arguments.count > 0 ? settings->arguments.items[0] : NULL;
    mrw_status status = MRW_ERROR_USAGE;
    mrw_error error;
    char safe[128];
    if (!shell) {
        cli_fail(&error, status, "`completions` needs the name of a shell: bash, zsh or fish");
    } else {
        cli_fail(&error, status, "there are no completions for '%s'; write bash, zsh or fish",
                 mrw_escape_text(shell, safe, sizeof safe));
    }
    for (size_t i = 0; i < COUNT && shell; i++) {
        if (strcmp(scripts[i].shell, shell) == 0) {
            status = cli_write_stdout(scripts[i].text, strlen(scripts[i].text), &error);
        }
    }
    if (status != MRW_OK) {
        cli_complain(&error);
    }
    return cli_exit_status(status);
}
