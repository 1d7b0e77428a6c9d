/* shaders.c: embeds the sources of shaders/, and headers of numbers that the rasterizer shares with
 * the shaders, with the assembler. */
#include "gl/shaders.h"

#include <stddef.h>
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
    extern const char gl_shader_##name[];

#define SHADER(name, kind) EMBED(name##_##kind, "src/gl/shaders/" #name "." #kind)
#define NUMBERS(name)      EMBED(name, "src/shade/" #name ".h")

#define SHADERS(SHADER)                                                                            \
    SHADER(prelude, glsl)                                                                          \
    SHADER(fullscreen, vert)                                                                       \
    SHADER(skin, vert)                                                                             \
    SHADER(surface, vert)                                                                          \
    SHADER(surface, frag)                                                                          \
    SHADER(none, frag)                                                                             \
    SHADER(add, frag)                                                                              \
    SHADER(encode, frag)                                                                           \
    SHADER(view, glsl)                                                                             \
    SHADER(triangle, glsl)                                                                         \
    SHADER(texture, glsl)                                                                          \
    SHADER(environment, glsl)                                                                      \
    SHADER(light, glsl)

#define SHARED_NUMBERS(NUMBERS)                                                                    \
    NUMBERS(shade_numbers) NUMBERS(mode_values) NUMBERS(environment_brdf) NUMBERS(tone_values)

SHADERS(SHADER)
SHARED_NUMBERS(NUMBERS)

#define SHADER_ENTRY(name, kind) {#name "." #kind, gl_shader_##name##_##kind},
#define NUMBERS_ENTRY(name)      {#name ".h", gl_shader_##name},

static const struct entry {
    const char *name;
    const char *text;
} entries[] = {SHADERS(SHADER_ENTRY) SHARED_NUMBERS(NUMBERS_ENTRY)};

const char *gl_shader_text(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return entries[i].text;
        }
    }
    return NULL;
}
