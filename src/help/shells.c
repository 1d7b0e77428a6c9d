/* shells.c: the scripts of src/completions, which the assembler embeds in the command. They are the
 * same for all builds and call `marrow __complete`. */
#include "help/help.h"

/* The path is relative to the root, where make runs. */
#define EMBED(shell)                                                                               \
    __asm__(".pushsection .rodata,\"a\",%progbits\n"                                               \
            ".hidden help_completions_" #shell "\n"                                                \
            ".globl help_completions_" #shell "\n"                                                 \
            "help_completions_" #shell ":\n"                                                       \
            ".incbin \"src/completions/marrow." #shell "\"\n"                                      \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char help_completions_##shell[];

EMBED(bash)
EMBED(zsh)
EMBED(fish)

static const help_shell shells[] = {
    {"bash", help_completions_bash, "source <(marrow completions bash)"},
    {"zsh", help_completions_zsh, "source <(marrow completions zsh)"},
    {"fish", help_completions_fish, "marrow completions fish | source"},
};

const help_shell *help_shells(size_t *count)
{
    *count = sizeof shells / sizeof *shells;
    return shells;
}
