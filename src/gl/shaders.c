/* shaders.c: the sources of shaders/, put into the command by the assembler. */
#include "gl/shaders.h"

#include <string.h>

/* The path is relative to the root, where make runs. */
#define EMBED(name, file)                                                                          \
    __asm__(".pushsection .rodata,\"a\",%progbits\n"                                               \
            ".hidden gl_shader_" #name "\n"                                                        \
            ".globl gl_shader_" #name "\n"                                                         \
            "gl_shader_" #name ":\n"                                                               \
            ".incbin \"" file "\"\n"                                                               \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char gl_shader_##name[]

EMBED(fullscreen_vert, "src/gl/shaders/fullscreen.vert");

static const struct entry {
    const char *name;
    const char *text;
} entries[] = {
    {"fullscreen.vert", gl_shader_fullscreen_vert},
};

const char *gl_shader_text(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return entries[i].text;
        }
    }
    return NULL;
}
