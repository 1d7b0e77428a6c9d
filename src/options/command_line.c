/* command_line.c: argv -> settings, and the checks that concern several options. */
#include "base/memory.h"
#include "base/text.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>

/* A walk over the arguments. */
typedef struct walk {
    int argc;
    const char *const *argv;
    int at;
    bool plain_only; /* behind -- */
    mrw_settings *settings;
    mrw_error *error;
} walk;

static mrw_status add_argument(walk *w, const char *text)
{
    mrw_text_list *list = &w->settings->arguments;
    void *items = (void *)list->items;
    bool fine = mrwi_options_append(&items, &list->count, sizeof text, &text);
    list->items = items;
    return fine ? MRW_OK : mrwi_base_fail_memory(w->error, sizeof text);
}

/* An option with a value takes the next argument, whatever it looks like. */
static const char *next_value(walk *w)
{
    return w->at + 1 < w->argc ? w->argv[++w->at] : NULL;
}

static mrw_status unknown_option(walk *w, const char *text)
{
    char names_text[MRWI_OPTIONS_MOST_OPTIONS][40], message[256] = "", shown[96];
    const char *names[MRWI_OPTIONS_MOST_OPTIONS];
    size_t length = strcspn(text, "=");
    char name[96];
    snprintf(name, sizeof name, "%.*s", (int)(length < 80 ? length : 80), text);
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        snprintf(names_text[i], sizeof names_text[i], "--%s", mrwi_options[i].shown.name);
        names[i] = names_text[i];
    }
    mrwi_base_suggest(message, sizeof message, name, names, mrwi_options_option_count, false);
    if (message[0] == '\0') {
        snprintf(message, sizeof message, "; --help lists all options");
    }
    return mrwi_base_fail(w->error, MRW_ERROR_USAGE, "unknown option '%s'%s",
                          mrwi_options_show(name, shown), message);
}

static mrw_status long_option(walk *w, const char *text)
{
    const char *name = text + 2;
    size_t length = strcspn(name, "=");
    const mrwi_options_option *option = mrwi_options_option_find(name, length);
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (!option) {
        return unknown_option(w, text);
    }
    if (option->kind == MRWI_OPTIONS_FLAG && value) {
        return mrwi_base_fail(w->error, MRW_ERROR_USAGE, "--%s takes no value", option->shown.name);
    }
    if (option->kind != MRWI_OPTIONS_FLAG && !option->shown.optional && !value) {
        value = next_value(w);
    }
    return mrwi_options_option_set(w->settings, option, value, w->error);
}

/* -q, -qv, -j4, -j 4, -o-: flags join, the first option with a value takes the rest. */
static mrw_status short_options(walk *w, const char *text)
{
    mrw_status status = MRW_OK;
    for (const char *p = text + 1; *p != '\0' && status == MRW_OK; p++) {
        const mrwi_options_option *option = mrwi_options_option_find_short(*p);
        if (!option) {
            return unknown_option(w, text);
        }
        if (option->kind != MRWI_OPTIONS_FLAG) {
            return mrwi_options_option_set(w->settings, option, p[1] ? p + 1 : next_value(w),
                                           w->error);
        }
        status = mrwi_options_option_set(w->settings, option, NULL, w->error);
    }
    return status;
}

static mrw_status take(walk *w)
{
    const char *text = w->argv[w->at];
    if (w->plain_only || text[0] != '-' || text[1] == '\0') {
        return add_argument(w, text);
    }
    if (strcmp(text, "--") == 0) {
        w->plain_only = true;
        return MRW_OK;
    }
    return text[1] == '-' ? long_option(w, text) : short_options(w, text);
}

/* ---- the command ----------------------------------------------------------------------------- */

static mrw_command command_named(const char *name)
{
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        if (strcmp(mrw_command_describe((mrw_command)i)->name, name) == 0) {
            return (mrw_command)i;
        }
    }
    return MRW_COMMAND_NONE;
}

static bool is_like_a_model(const char *text)
{
    return strncmp(text, "demo:", 5) == 0 || strchr(text, '.') || strchr(text, '/');
}

static mrw_status unknown_command(const char *name, mrw_error *error)
{
    const char *names[MRW_COMMAND_COUNT];
    char text[256] = "", shown[96];
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        names[i] = mrw_command_describe((mrw_command)i)->name;
    }
    mrwi_options_show(name, shown);
    if (is_like_a_model(name)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "'%s' is no command; to draw it: marrow render %s", shown, shown);
    }
    mrwi_base_suggest(text, sizeof text, name, names, MRW_COMMAND_COUNT, true);
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "unknown command '%s'%s", shown, text);
}

/* The first plain argument is the command and leaves the list. */
static mrw_status take_command(mrw_settings *settings, mrw_error *error)
{
    mrw_text_list *list = &settings->arguments;
    if (list->count == 0) {
        if (settings->run.help || settings->run.version) {
            return MRW_OK;
        }
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "no command; `marrow help` shows them all");
    }
    settings->command = command_named(list->items[0]);
    if (settings->command == MRW_COMMAND_NONE) {
        return unknown_command(list->items[0], error);
    }
    list->count--;
    memmove((void *)list->items, (const void *)(list->items + 1),
            list->count * sizeof *list->items);
    return MRW_OK;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static mrw_status check_commands(const mrw_settings *settings, mrw_error *error)
{
    const char *command = mrw_command_describe(settings->command)->name;
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        const mrw_option *option = &mrwi_options[i].shown;
        if (mrwi_options_is_given(settings, i) &&
            (option->commands >> settings->command & 1) == 0) {
            int owner = 0;
            while ((option->commands >> owner & 1) == 0) {
                owner++;
            }
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "--%s means nothing to `%s`; it belongs to `%s`", option->name,
                                  command, mrw_command_describe((mrw_command)owner)->name);
        }
    }
    return MRW_OK;
}

/* Pairs of which only one can hold. */
static const char *const exclusive[][2] = {
    {"frames", "times"},   {"frames", "count"},
    {"times", "count"},    {"loop", "frames"},
    {"loop", "times"},     {"eye", "azimuth"},
    {"eye", "elevation"},  {"eye", "fit"},
    {"eye", "margin"},     {"camera", "eye"},
    {"camera", "target"},  {"camera", "up"},
    {"camera", "azimuth"}, {"camera", "elevation"},
    {"camera", "fov"},     {"camera", "ortho"},
    {"camera", "fit"},     {"camera", "margin"},
    {"camera", "near"},    {"camera", "far"},
    {"blend", "clip"},     {"blend", "together"},
    {"camera", "follow"},  {"ortho", "fov"},
    {"shard", "sheet"},    {"quiet", "verbose"},
    {"json", "tap"},       {"list", "tap"},
    {"list", "update"},    {"list", "prune"},
    {"list", "report"},    {"list", "report-inline"},
    {"list", "junit"},     {"update", "against"},
    {"prune", "against"},  {"prune", "match"},
    {"prune", "tag"},      {"prune", "last-failed"},
    {"prune", "shard"},    {"list", "quick"},
};

/* With a fixed pose there is nothing to play. */
static const char *const playing[] = {"clip",     "frames",   "times",      "count", "fps",
                                      "loop",     "wrap",     "blend",      "sync",  "layer",
                                      "additive", "together", "root-motion"};

/* Options that change nothing without another one. */
static const char *const dependent[][2] = {
    {"sync", "blend"}, {"additive", "layer"}, {"together", "clip"}};

/* The same, for `test` alone; the first is for --prune, too. */
static const char *const of_update[] = {"force", "allow-blank"};

/* Options that change nothing unless pictures are compared in one way. */
static const char *const modes[] = {"exact", "pixel", "perceptual"}; /* mrw_compare_mode */
static const char *const of_mode[][2] = {{"max-delta", "pixel"},
                                         {"max-pixels", "pixel"},
                                         {"max-ratio", "pixel"},
                                         {"ignore-antialiasing", "pixel"},
                                         {"max-flip", "perceptual"}};

/* What bake needs a camera for. */
static const char *const of_joints[] = {"size", "fit",    "margin", "azimuth", "elevation",
                                        "eye",  "target", "up",     "fov",     "ortho",
                                        "near", "far",    "camera", "follow",  "add"};

static mrw_status refuse_pair(const char *a, const char *b, mrw_error *error)
{
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "--%s and --%s exclude each other; leave one out",
                          a, b);
}

static mrw_status refuse_alone(const char *option, const char *other, mrw_error *error)
{
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "--%s changes nothing without --%s; add that",
                          option, other);
}

static mrw_status check_comparison(const mrw_settings *settings, mrw_error *error)
{
    for (size_t i = 0; i < sizeof of_mode / sizeof *of_mode; i++) {
        if (mrw_settings_given(settings, of_mode[i][0]) &&
            strcmp(of_mode[i][1], modes[settings->compare.pictures.mode]) != 0) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "--%s changes nothing without --compare %s; add that",
                                  of_mode[i][0], of_mode[i][1]);
        }
    }
    return MRW_OK;
}

static mrw_status check_dependent(const mrw_settings *settings, mrw_error *error)
{
    for (size_t i = 0; i < sizeof dependent / sizeof *dependent; i++) {
        if (mrw_settings_given(settings, dependent[i][0]) &&
            !mrw_settings_given(settings, dependent[i][1])) {
            return refuse_alone(dependent[i][0], dependent[i][1], error);
        }
    }
    for (size_t i = 0; i < sizeof of_joints / sizeof *of_joints; i++) {
        if (settings->command == MRW_COMMAND_BAKE && !settings->output.joints &&
            mrw_settings_given(settings, of_joints[i])) {
            return refuse_alone(of_joints[i], "joints", error);
        }
    }
    for (size_t i = 0; i < sizeof of_update / sizeof *of_update; i++) {
        const bool pruning = settings->goldens.prune && i == 0;
        if (settings->command == MRW_COMMAND_TEST && settings->goldens.update == 0 && !pruning &&
            mrw_settings_given(settings, of_update[i])) {
            return refuse_alone(of_update[i], "update", error);
        }
    }
    if (settings->animation.root_motion == 2 && settings->animation.wrap != MRW_TIME_LOOP) {
        return refuse_alone("root-motion loop", "wrap loop", error);
    }
    return check_comparison(settings, error);
}

mrw_status mrwi_options_settings_check(const mrw_settings *settings, mrw_error *error)
{
    for (size_t i = 0; i < sizeof exclusive / sizeof *exclusive; i++) {
        if (mrw_settings_given(settings, exclusive[i][0]) &&
            mrw_settings_given(settings, exclusive[i][1])) {
            return refuse_pair(exclusive[i][0], exclusive[i][1], error);
        }
    }
    for (size_t i = 0; i < sizeof playing / sizeof *playing && settings->animation.pose != 0; i++) {
        if (mrw_settings_given(settings, playing[i])) {
            return refuse_pair("pose", playing[i], error);
        }
    }
    return check_dependent(settings, error);
}

static bool is_named(const mrwi_options_option *option, const char *name)
{
    return strcmp(option->shown.name, name) == 0;
}

static bool is_playing(const mrwi_options_option *option)
{
    for (size_t i = 0; i < sizeof playing / sizeof *playing; i++) {
        if (is_named(option, playing[i])) {
            return true;
        }
    }
    return false;
}

bool mrwi_options_option_yields(const mrwi_options_option *option, const mrwi_options_option *to)
{
    for (size_t i = 0; i < sizeof exclusive / sizeof *exclusive; i++) {
        if ((is_named(option, exclusive[i][0]) && is_named(to, exclusive[i][1])) ||
            (is_named(option, exclusive[i][1]) && is_named(to, exclusive[i][0]))) {
            return true;
        }
    }
    return is_named(option, "pose") && is_playing(to);
}

bool mrwi_options_option_is_idle(const mrw_settings *settings, const mrwi_options_option *option)
{
    for (size_t i = 0; i < sizeof of_mode / sizeof *of_mode; i++) {
        if (is_named(option, of_mode[i][0]) && mrw_settings_given(settings, "compare") &&
            strcmp(of_mode[i][1], modes[settings->compare.pictures.mode]) != 0) {
            return true;
        }
    }
    return settings->animation.pose != 0 && is_playing(option);
}

static mrw_status check_arguments(const mrw_settings *settings, mrw_error *error)
{
    const mrw_command_info *command = mrw_command_describe(settings->command);
    size_t count = settings->arguments.count;
    char shown[96];
    if (count < command->least) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "`%s` needs %s: marrow %s %s", command->name,
                              command->least > 1 ? "two arguments" : "a model", command->name,
                              command->arguments);
    }
    if (count > command->most) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "`%s` can't use '%s'; it takes: marrow %s %s",
                              command->name,
                              mrwi_options_show(settings->arguments.items[command->most], shown),
                              command->name, command->arguments);
    }
    for (size_t i = 0; i < count; i++) {
        if (settings->arguments.items[i][0] == '\0') {
            return mrwi_base_fail(error, MRW_ERROR_USAGE, "an argument is empty");
        }
    }
    return MRW_OK;
}

mrw_status mrw_settings_parse(mrw_settings *settings, int argc, const char *const *argv,
                              mrw_error *error)
{
    walk w = {.argc = argc, .argv = argv, .settings = settings, .error = error};
    mrw_status status = MRW_OK;
    for (; w.at < argc && status == MRW_OK; w.at++) {
        status = take(&w);
    }
    if (status == MRW_OK) {
        status = take_command(settings, error);
    }
    if (status != MRW_OK || settings->run.help || settings->run.version) {
        return status;
    }
    status = check_commands(settings, error);
    if (status == MRW_OK) {
        status = mrwi_options_settings_check(settings, error);
    }
    if (status == MRW_OK) {
        status = check_arguments(settings, error);
    }
    return status;
}
