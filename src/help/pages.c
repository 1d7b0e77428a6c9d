/* pages.c: the pages of `marrow help` and --help, from the tables of commands and options. */
#include "help/help.h"

#include "viewer/viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_COLUMN 29
#define KEY_COLUMN     32

static void add_examples(const mrw_command_info *command, mrw_text *out)
{
    mrw_text_add(out, "Examples\n");
    for (int i = 0; i < 3; i++) {
        mrw_text_add(out, "  %s\n", command->examples[i]);
    }
}

/* Adds words, breaking lines before column 80; the first line continues at `start`. */
static void add_wrapped(mrw_text *out, int start, const char *text)
{
    size_t column = (size_t)start;
    for (bool first = true; *text; first = false) {
        size_t word = strcspn(text, " ");
        if (!first && column + 1 + word > 79) {
            mrw_text_add(out, "\n%*s", start, "");
            column = (size_t)start;
        } else if (!first) {
            mrw_text_add(out, " ");
            column++;
        }
        mrw_text_add(out, "%.*s", (int)word, text);
        column += word;
        text += word + (text[word] != '\0');
    }
    mrw_text_add(out, "\n");
}

#define WIDTH 80

/* Adds choices a|b|c, breaking lines that are too long after bars. */
static void add_choices(mrw_text *out, const char *left)
{
    const char *rest = left;
    int indent = 0;
    while ((int)strlen(rest) + indent > WIDTH) {
        int length = WIDTH - indent;
        while (length > 1 && rest[length - 1] != '|') {
            length--;
        }
        if (length <= 1) {
            break;
        }
        mrw_text_add(out, "%.*s\n", length, rest);
        rest += length;
        indent = 8;
        mrw_text_add(out, "%*s", indent, "");
    }
    mrw_text_add(out, "%s", rest);
}

void help_add_row(mrw_text *out, int start, const char *left, const char *right)
{
    const int length = (int)strlen(left);
    if (length >= start - 1) {
        add_choices(out, left);
        mrw_text_add(out, "\n%*s", start, "");
    } else {
        mrw_text_add(out, "%-*s", start, left);
    }
    add_wrapped(out, start, right);
}

static void add_front(mrw_text *out)
{
    mrw_text_add(out,
                 "marrow %s: animated models to pictures, the same pixels on every machine\n\n"
                 "Commands\n",
                 MRW_VERSION);
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        const mrw_command_info *command = mrw_command_describe((mrw_command)i);
        char usage[64];
        snprintf(usage, sizeof usage, "  %s %s", command->name, command->arguments);
        help_add_row(out, COMMAND_COLUMN, usage, command->summary);
    }
    size_t count;
    const help_chapter *chapters = help_chapters(&count);
    mrw_text_add(out, "\nChapters of the manual: marrow help CHAPTER\n");
    for (size_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "  %s", chapters[i].name);
        help_add_row(out, COMMAND_COLUMN, name, chapters[i].summary);
    }
    mrw_text_add(out,
                 "\nFinding things\n"
                 "  marrow help render         the options that most people need\n"
                 "  marrow help render --all   all options of render\n"
                 "  marrow help gif            options and chapters about a word\n"
                 "  marrow help --sheet        one option\n\n"
                 "Options can go anywhere, as --option value or --option=value. Switch a flag\n"
                 "off with --no-NAME or --NAME=off. A model is a file (glTF 2.0, FBX, Collada,\n"
                 "IQM, B3D, BVH, MS3D, SMD, OBJ, STL, 3DS, text M3D, or a .marrow that `compile`\n"
                 "wrote), - for standard input, or a built-in model: demo:figure,\n"
                 "demo:tentacle, demo:blob, demo:stage or demo:swatches.\n\n");
    add_examples(mrw_command_describe(MRW_COMMAND_RENDER), out);
    mrw_text_add(out, "\n");
    help_chapter_add_section("getting-started", "Environment variables", out);
    mrw_text_add(out, "\n");
    help_chapter_add_section("getting-started", "Exit status", out);
}

/* Returns a default that differs from that of `render` (options/command_line.c), or NULL. */
static const char *own_preset(mrw_command command, const char *name)
{
    static const struct {
        mrw_command command;
        const char *name, *value;
    } own[] = {{MRW_COMMAND_SHEET, "sheet", "one row per clip, or several clips per row"},
               {MRW_COMMAND_SHEET, "clip", "all"},
               {MRW_COMMAND_SHEET, "count", "8"},
               {MRW_COMMAND_SHEET, "size", "128x128"},
               {MRW_COMMAND_SPRITES, "atlas", "-o's name, with .json"},
               {MRW_COMMAND_SPRITES, "clip", "all"},
               {MRW_COMMAND_SPRITES, "count", "8"},
               {MRW_COMMAND_SPRITES, "loop", "on"},
               {MRW_COMMAND_SPRITES, "size", "128x128"},
               {MRW_COMMAND_SPRITES, "directions", "8"},
               {MRW_COMMAND_SPRITES, "background", "none"},
               {MRW_COMMAND_SPRITES, "trim", "frame"},
               {MRW_COMMAND_SPRITES, "bleed", "on"},
               {MRW_COMMAND_SPRITES, "page-size", "4096"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (own[i].command == command && strcmp(own[i].name, name) == 0) {
            return own[i].value;
        }
    }
    return NULL;
}

void help_add_option(mrw_command command, size_t index, mrw_text *out)
{
    const mrw_option *option = mrw_option_at(index);
    char left[320], help[256], preset[64];
    char letter[8] = "    ";
    if (option->short_name) {
        snprintf(letter, sizeof letter, "-%c, ", option->short_name);
    }
    snprintf(left, sizeof left, "  %s--%s%s%s%s", letter, option->name,
             option->optional   ? "[="
             : option->argument ? " "
                                : "",
             option->argument ? option->argument : "", option->optional ? "]" : "");
    const char *own = own_preset(command, option->name);
    snprintf(preset, sizeof preset, "%s", own ? own : "");
    if (!own) {
        mrw_option_default(index, preset, sizeof preset);
    }
    const char *mark = preset[0] ? " [" : "";
    snprintf(help, sizeof help, "%s%s%s%s", option->help, mark, preset, mark[0] ? "]" : "");
    help_add_row(out, HELP_OPTION_COLUMN, left, help);
}

/* Adds the options of a group that belong to a command, or to any if it is MRW_COMMAND_NONE. */
static void add_group(mrw_command command, mrw_option_group group, bool all, mrw_text *out)
{
    bool titled = false;
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        const bool belongs = command == MRW_COMMAND_NONE || mrw_option_belongs(option, command);
        if (option->group != group || !belongs || (!all && !mrw_option_is_common(option))) {
            continue;
        }
        if (!titled) {
            mrw_text_add(out, "\n%s\n", mrw_option_group_title(group));
            titled = true;
        }
        help_add_option(command, i, out);
    }
}

/* Says how many options are shown, and how to find the others. */
static void add_more(mrw_command command, mrw_text *out)
{
    size_t shown = 0, count = 0;
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        const bool belongs = mrw_option_belongs(option, command);
        count += belongs;
        shown += belongs && mrw_option_is_common(option);
    }
    mrw_text_add(out,
                 "\n%zu of %zu options. `marrow help render --all` shows all;\n"
                 "`marrow help WORD` shows those related to a word (marrow help gif).\n",
                 shown, count);
}

static void add_keys(mrw_text *out)
{
    for (size_t i = 0; i < viewer_key_count(); i++) {
        const viewer_key_info info = viewer_key_at(i);
        if (info.group) {
            mrw_text_add(out, "\nKeys: %s\n", info.group);
        }
        mrw_text_add(out, "  %-*s%s\n", KEY_COLUMN - 2, info.keys, info.help);
    }
}

void help_command(mrw_command which, bool all, mrw_text *out)
{
    all = all || which != MRW_COMMAND_RENDER;
    const mrw_command_info *command = mrw_command_describe(which);
    mrw_text_add(out, "marrow %s%s%s\n\n%s\n", command->name, command->arguments[0] ? " " : "",
                 command->arguments, command->about);
    for (int group = 0; group < MRW_OPTIONS_GROUP_COUNT; group++) {
        add_group(which, (mrw_option_group)group, all, out);
    }
    if (which == MRW_COMMAND_RENDER) {
        mrw_text_add(out, "\n");
        help_chapter_add_section("getting-started", "Fields of -o", out);
    }
    if (which == MRW_COMMAND_VIEW) {
        add_keys(out);
    }
    mrw_text_add(out, "\n");
    add_examples(command, out);
    mrw_text_add(out, "\n");
    help_chapter_add_section("getting-started", "Exit status", out);
    if (!all) {
        add_more(which, out);
    }
}

/* ---- topics ---------------------------------------------------------------------------------- */

/* Fails for a word that nothing is about, with suggestions of similar names. */
static mrw_status fail_word(const char *word, mrw_error *error)
{
    size_t chapter_count;
    const help_chapter *chapters = help_chapters(&chapter_count);
    const size_t options = mrw_option_count(), words = mrw_option_word_count();
    const char **names = calloc(MRW_COMMAND_COUNT + chapter_count + options + words, sizeof *names);
    char text[512], safe[128];
    size_t count = 0;
    if (!names) {
        return mrw_fail_memory(error, 0);
    }
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        names[count++] = mrw_command_describe((mrw_command)i)->name;
    }
    for (size_t i = 0; i < chapter_count; i++) {
        names[count++] = chapters[i].name;
    }
    snprintf(text, sizeof text, "there is no command, chapter or option about '%s'",
             mrw_escape_text(word, safe, sizeof safe));
    const size_t length = strlen(text);
    mrw_suggest_names(text, sizeof text, word, names, count);
    for (size_t i = 0; i < options; i++) {
        names[count++] = mrw_option_at(i)->name;
    }
    for (size_t i = 0; i < words; i++) {
        names[count++] = mrw_option_word_at(i)->word;
    }
    if (text[length] == '\0') {
        mrw_suggest_names(text, sizeof text, word, names, count);
    }
    free(names);
    return mrw_fail(error, MRW_ERROR_USAGE, "%s%s", text,
                    text[length] == '\0' ? "; `marrow help` lists commands and chapters" : "");
}

mrw_status help_topic(const mrw_text_list *words, bool all, mrw_text *out, mrw_error *error)
{
    const char *name = words->items[0];
    const help_chapter *chapter = words->count == 1 ? help_chapter_find(name) : NULL;
    if (chapter) {
        mrw_text_add(out, "%s", chapter->text);
        help_add_tables(chapter->name, out);
        return MRW_OK;
    }
    for (int i = 0; i < MRW_COMMAND_COUNT && words->count == 1; i++) {
        if (strcmp(mrw_command_describe((mrw_command)i)->name, name) == 0) {
            help_command((mrw_command)i, all, out);
            return MRW_OK;
        }
    }
    return help_search(words, out) ? MRW_OK : fail_word(name, error);
}

void help_overview(bool all, mrw_text *out)
{
    add_front(out);
    for (int group = 0; group < MRW_OPTIONS_GROUP_COUNT && all; group++) {
        add_group(MRW_COMMAND_NONE, (mrw_option_group)group, true, out);
    }
}
