/* chapters.c: the chapters of the manual, src/help/NAME.md, which the assembler embeds in the
 * command. `marrow help NAME` prints them as they are. */
#include "help/help.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The path is relative to the root, where make runs. */
#define EMBED(name, file)                                                                          \
    __asm__(".pushsection .rodata,\"a\",%progbits\n"                                               \
            ".hidden help_chapter_" #name "\n"                                                     \
            ".globl help_chapter_" #name "\n"                                                      \
            "help_chapter_" #name ":\n"                                                            \
            ".incbin \"src/help/" file ".md\"\n"                                                   \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char help_chapter_##name[];

/* X(name in C, name, other names with a space after each, summary) */
#define CHAPTERS(X)                                                                                \
    X(getting_started, "getting-started", "", "a first picture, times, file names, exit statuses") \
    X(install, "install", "", "releases, packages, containers, completions")                       \
    X(clips, "clips", "", "play, mix, layer and retarget animations")                              \
    X(cameras, "cameras", "", "framing, views, turntables, cameras in files")                      \
    X(look, "look", "shading lights ", "materials, shading modes, light, background")              \
    X(look_rows, "looks", "", "sets of options for one purpose: --look post, hero, product")       \
    X(sheets_and_sprites, "sheets-and-sprites", "", "contact sheets, and sprite sheets for games") \
    X(animations_and_video, "animations-and-video", "",                                            \
      "APNG, GIF, WebP, videos, and streams of frames")                                            \
    X(passes, "passes", "aov ", "depth, ids, joints and more per pixel; COCO")                     \
    X(goldens, "goldens", "suite ", "test pictures and poses against stored ones")                 \
    X(continuous_integration, "continuous-integration", "ci ", "run golden tests in CI")           \
    X(batches, "batches", "", "draw lists of jobs; feed pictures to other programs")               \
    X(formats, "formats", "", "model formats that are read, picture formats that are written")     \
    X(library, "library", "", "use marrow from a C program")                                       \
    X(speed, "speed", "", "how to measure it, and what each feature costs")                        \
    X(determinism, "determinism", "", "why pixels are the same on every machine")                  \
    X(opengl, "opengl", "backend ", "the viewer, and a second opinion from OpenGL")

#define EMBED_CHAPTER(id, name, aliases, summary) EMBED(id, name)
CHAPTERS(EMBED_CHAPTER)

#define ENTRY(id, name, aliases, summary) {name, aliases, summary, help_chapter_##id},
static const help_chapter chapters[] = {CHAPTERS(ENTRY)};
#define COUNT (sizeof chapters / sizeof *chapters)

const help_chapter *help_chapters(size_t *count)
{
    *count = COUNT;
    return chapters;
}

const help_chapter *help_chapter_find(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(chapters[i].name, name) == 0) {
            return &chapters[i];
        }
        for (const char *alias = chapters[i].aliases; *alias; alias += strcspn(alias, " ") + 1) {
            if (strcspn(alias, " ") == length && memcmp(alias, name, length) == 0) {
                return &chapters[i];
            }
        }
    }
    return NULL;
}

void help_chapter_add_section(const char *name, const char *heading, mrw_text *out)
{
    char line[80];
    snprintf(line, sizeof line, "\n## %s\n\n", heading);
    const char *text = strstr(help_chapter_find(name)->text, line);
    assert(text);
    text += strlen(line);
    const char *end = strstr(text, "\n\n## ");
    mrw_text_add(out, "%s\n", heading);
    mrw_text_put(out, text, end ? (size_t)(end + 1 - text) : strlen(text));
}
