/* help.c: `marrow help` and --help: everything is read from the tables of commands and options. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const char statuses[] =
    "Exit status\n"
    "   0  done\n"
    "   1  pictures differ, a test failed, or doctor found a mismatch\n"
    "   2  usage: wrong whatever the file holds\n"
    "   3  input: the file is unreadable, refused, or lacks what was asked for\n"
    "   4  output: a file could not be written\n"
    "   5  there were warnings, under --strict; the files are written\n"
    "  77  not possible on this machine, or every case was skipped\n"
    "  99  a bug in marrow\n"
    " 129, 130, 143  ended by a signal: SIGHUP, SIGINT, SIGTERM\n";

static const char environment[] =
    "Environment\n"
    "  MARROW_ISA      what --isa is, where it is not given, for every command\n"
    "  MARROW_IMPORTER the import helper, where it is not beside the command\n"
    "  CI              test --update and accept want --force\n"
    "  GITHUB_ACTIONS  annotations, and a table in GITHUB_STEP_SUMMARY\n"
    "  NO_COLOR        no colours on a terminal\n"
    "  TMPDIR          for temporary files, in place of /tmp\n";

static void add_examples(const mrw_command_info *command, mrw_text *out)
{
    mrw_text_add(out, "Examples\n");
    for (int i = 0; i < 3; i++) {
        mrw_text_add(out, "  %s\n", command->examples[i]);
    }
}

static void add_overview(mrw_text *out)
{
    mrw_text_add(out,
                 "marrow %s: animated models to pictures, the same pixels on every machine\n\n"
                 "Commands\n",
                 MRW_VERSION);
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        const mrw_command_info *command = mrw_command_describe((mrw_command)i);
        char usage[64];
        snprintf(usage, sizeof usage, "%s %s", command->name, command->arguments);
        mrw_text_add(out, "  %-25s%s\n", usage, command->summary);
    }
    mrw_text_add(out,
                 "\nOptions may stand anywhere, as --option value or --option=value;\n"
                 "`marrow help render` lists those of render. A model is a file\n"
                 "(glTF 2.0, FBX, Collada, B3D, BVH, MS3D, SMD, OBJ, STL, 3DS, text M3D, or a\n"
                 ".marrow that `compile` wrote), - for standard input, or a built-in one:\n"
                 "demo:figure, demo:tentacle, demo:blob, demo:stage.\n\n");
    add_examples(mrw_command_describe(MRW_COMMAND_RENDER), out);
    mrw_text_add(out, "\n%s\n%s", environment, statuses);
}

#define OPTION_COLUMN 30

/* Adds words, breaking lines before column 80; the first line continues at OPTION_COLUMN. */
static void add_wrapped(mrw_text *out, const char *text)
{
    size_t column = OPTION_COLUMN;
    for (bool first = true; *text; first = false) {
        size_t word = strcspn(text, " ");
        if (!first && column + 1 + word > 79) {
            mrw_text_add(out, "\n%*s", OPTION_COLUMN, "");
            column = OPTION_COLUMN;
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

static void add_option(size_t index, mrw_text *out)
{
    const mrw_option *option = mrw_option_at(index);
    char left[128], help[256], preset[64];
    char letter[8] = "    ";
    if (option->short_name) {
        snprintf(letter, sizeof letter, "-%c, ", option->short_name);
    }
    int length = snprintf(left, sizeof left, "  %s--%s%s%s%s", letter, option->name,
                          option->optional   ? "[="
                          : option->argument ? " "
                                             : "",
                          option->argument ? option->argument : "", option->optional ? "]" : "");
    const char *mark = mrw_option_default(index, preset, sizeof preset)[0] ? " [" : "";
    snprintf(help, sizeof help, "%s%s%s%s", option->help, mark, preset, mark[0] ? "]" : "");
    if (length >= OPTION_COLUMN - 1) {
        mrw_text_add(out, "%s\n%*s", left, OPTION_COLUMN, "");
    } else {
        mrw_text_add(out, "%-*s", OPTION_COLUMN, left);
    }
    add_wrapped(out, help);
}

static void add_group(mrw_command command, mrw_option_group group, mrw_text *out)
{
    bool titled = false;
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        if (option->group != group || !mrw_option_belongs(option, command)) {
            continue;
        }
        if (!titled) {
            mrw_text_add(out, "\n%s\n", mrw_option_group_title(group));
            titled = true;
        }
        add_option(i, out);
    }
}

static void add_command(mrw_command which, mrw_text *out)
{
    const mrw_command_info *command = mrw_command_describe(which);
    mrw_text_add(out, "marrow %s%s%s\n\n%s\n", command->name, command->arguments[0] ? " " : "",
                 command->arguments, command->about);
    for (int group = 0; group < MRW_OPTIONS_GROUP_COUNT; group++) {
        add_group(which, (mrw_option_group)group, out);
    }
    if (which == MRW_COMMAND_RENDER) {
        mrw_text_add(out, "\nFields of -o\n"
                          "  {model} {clip} {frame} {frame:04} {time} {time:3} {view}; #### and "
                          "%%04d mean\n  {frame:04}; {{ and }} are braces.\n");
    }
    mrw_text_add(out, "\n");
    add_examples(command, out);
    mrw_text_add(out, "\n%s", statuses);
}

static mrw_status find_topic(const char *name, mrw_command *out, mrw_error *error)
{
    const char *names[MRW_COMMAND_COUNT];
    char text[512], safe[128];
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        names[i] = mrw_command_describe((mrw_command)i)->name;
        if (strcmp(names[i], name) == 0) {
            *out = (mrw_command)i;
            return MRW_OK;
        }
    }
    snprintf(text, sizeof text, "there is no command '%s'",
             mrw_escape_text(name, safe, sizeof safe));
    mrw_suggest_names(text, sizeof text, name, names, MRW_COMMAND_COUNT);
    return cli_fail(error, MRW_ERROR_USAGE, "%s", text);
}

int cli_help(const mrw_settings *settings)
{
    mrw_command topic = settings->command;
    mrw_text text = {0};
    mrw_error error;
    mrw_status status = MRW_OK;
    if (topic == MRW_COMMAND_HELP && !settings->run.help) {
        topic = MRW_COMMAND_NONE;
        if (settings->arguments.count > 0) {
            status = find_topic(settings->arguments.items[0], &topic, &error);
        }
    }
    if (status == MRW_OK) {
        topic == MRW_COMMAND_NONE ? add_overview(&text) : add_command(topic, &text);
        status = cli_print(&text, &error);
    }
    if (status != MRW_OK) {
        cli_complain(&error);
    }
    mrw_text_free(&text);
    return cli_exit_status(status);
}

int cli_version(void)
{
    mrw_text text = {0};
    mrw_error error;
    mrw_text_add(&text, "marrow %s\npixel version %d\n", MRW_VERSION, MRW_PIXEL_VERSION);
    mrw_status status = cli_print(&text, &error);
    if (status != MRW_OK) {
        cli_complain(&error);
    }
    mrw_text_free(&text);
    return cli_exit_status(status);
}
