/* command_line.c: reads the arguments of a command line into settings. */
#include "base/memory.h"
#include "base/text.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The arguments, and how far they have been read. */
typedef struct walk {
    int argc;
    const char *const *argv;
    int at;               /* index of the current argument */
    bool plain_only;      /* "--" was read: all that follows is plain */
    mrw_text_list values; /* the first value of each option of settings->given, as text */
    mrw_text_list off;    /* options that --no-NAME took back */
    mrw_settings *settings;
    mrw_error *error;
} walk;

/* Returns the next argument as the value of an option, whatever it looks like; NULL at the end. */
static const char *next_value(walk *w)
{
    return w->at + 1 < w->argc ? w->argv[++w->at] : NULL;
}

static mrw_command command_named(const char *name)
{
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        if (strcmp(mrw_command_describe((mrw_command)i)->name, name) == 0) {
            return (mrw_command)i;
        }
    }
    return MRW_COMMAND_NONE;
}

/* Guesses the command while it may still be ahead: the first plain argument so far, else the first
 * argument that is a command's name. */
static mrw_command guess_command(const walk *w)
{
    mrw_command found = MRW_COMMAND_NONE;
    if (w->settings->arguments.count > 0) {
        return command_named(w->settings->arguments.items[0]);
    }
    for (int i = w->at + 1; i < w->argc && found == MRW_COMMAND_NONE; i++) {
        found = command_named(w->argv[i]);
    }
    return found;
}

static mrw_status unknown_option(walk *w, const char *text)
{
    const mrw_command command = guess_command(w);
    char message[700] = "", shown[96], name[96];
    size_t length = strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < 80 ? length : 80), text);
    mrwi_options_suggest(name, command, false, message, sizeof message);
    if (message[0] == '\0' && command != MRW_COMMAND_NONE) {
        snprintf(message, sizeof message, "; `marrow help %s%s` lists the options of %s",
                 mrw_command_describe(command)->name, command == MRW_COMMAND_RENDER ? " --all" : "",
                 mrw_command_describe(command)->name);
    } else if (message[0] == '\0') {
        snprintf(message, sizeof message, "; `marrow help --all` lists all options");
    }
    return mrwi_base_fail(w->error, MRW_ERROR_USAGE, "unknown option '%s'%s",
                          mrwi_options_show(name, shown), message);
}

static mrw_status fail_twice(const walk *w, const char *name, const char *first, const char *second)
{
    char shown[2][96];
    return first[0] == '\0' && second[0] == '\0'
               ? mrwi_base_fail(w->error, MRW_ERROR_USAGE, "%s is given twice; leave one out", name)
               : mrwi_base_fail(
                     w->error, MRW_ERROR_USAGE, "%s is given twice, '%s' and '%s'; leave one out",
                     name, mrwi_options_show(first, shown[0]), mrwi_options_show(second, shown[1]));
}

/* Sets an option. Fails if an option that is not a list is given a second value; the message quotes
 * both. name: as typed. */
static mrw_status set(walk *w, const mrwi_options_option *option, const char *name,
                      const char *value)
{
    const mrw_text_list *given = &w->settings->given;
    const size_t before = given->count;
    const bool once = option->kind != MRWI_OPTIONS_FLAG && !mrwi_options_is_list(option) &&
                      (value || option->shown.optional);
    for (size_t i = 0; i < before && once; i++) {
        if (strcmp(given->items[i], option->shown.name) == 0) {
            return fail_twice(w, name, w->values.items[i], value ? value : "");
        }
    }
    mrw_status status = mrwi_options_option_set(w->settings, option, value, w->error);
    if (status) {
        return status;
    }
    if (given->count > before && !mrwi_options_list_add(&w->values, value ? value : "")) {
        return mrwi_base_fail_memory(w->error, sizeof value);
    }
    return MRW_OK;
}

/* ---- flags that are switched off ------------------------------------------------------------- */

/* Takes an option back. A later option of the same name sets it again. */
static mrw_status switch_off(walk *w, const mrwi_options_option *option)
{
    const mrw_text_list *given = &w->settings->given;
    if (option->kind == MRWI_OPTIONS_SWITCH) {
        return set(w, option, option->dashed, "off");
    }
    for (size_t i = 0; i < given->count; i++) {
        if (strcmp(given->items[i], option->shown.name) == 0) { /* its value has the same index */
            mrwi_options_list_remove(&w->values, i);
            break;
        }
    }
    mrwi_options_option_unset(w->settings, option);
    return mrwi_options_list_add(&w->off, option->shown.name)
               ? MRW_OK
               : mrwi_base_fail_memory(w->error, sizeof option->shown.name);
}

/* Returns "none" or "off" if the option takes that value, else NULL. */
static const char *value_for_off(const mrwi_options_option *option)
{
    static const char *const words[] = {"none", "off"};
    for (size_t i = 0; i < 2; i++) {
        const char *at = option->shown.argument ? strstr(option->shown.argument, words[i]) : NULL;
        if (at && (at == option->shown.argument || at[-1] == '|') &&
            strchr("|", at[strlen(words[i])])) {
            return words[i];
        }
    }
    return NULL;
}

/* Reads --no-NAME, which is not itself the name of an option. */
static mrw_status negated_option(walk *w, const char *text)
{
    const char *name = text + 2 + 3;
    const size_t length = strcspn(name, "=");
    const mrwi_options_option *option = mrwi_options_option_find(name, length);
    char how[64] = "";
    if (!option) {
        return unknown_option(w, text);
    }
    if (option->kind != MRWI_OPTIONS_FLAG && option->kind != MRWI_OPTIONS_SWITCH &&
        !option->shown.optional) {
        const char *off = value_for_off(option);
        snprintf(how, sizeof how, off ? "write --%s %s" : "leave it out", option->shown.name, off);
        return mrwi_base_fail(w->error, MRW_ERROR_USAGE,
                              "--no-%s is invalid: --%s takes a value, %s; %s", option->shown.name,
                              option->shown.name, option->shown.argument, how);
    }
    if (name[length] == '=') {
        return mrwi_base_fail(w->error, MRW_ERROR_USAGE,
                              "--no-%s does not accept a value; write --no-%s or --%s",
                              option->shown.name, option->shown.name, option->shown.name);
    }
    return switch_off(w, option);
}

/* Reads --NAME=on and --NAME=off. */
static mrw_status switch_flag(walk *w, const mrwi_options_option *option, const char *value)
{
    char shown[96];
    if (strcmp(value, "on") == 0) {
        return set(w, option, option->dashed, NULL);
    }
    if (strcmp(value, "off") == 0) {
        return switch_off(w, option);
    }
    return mrwi_base_fail(w->error, MRW_ERROR_USAGE,
                          "--%s '%s': expected on, off or no value; write --%s or --no-%s",
                          option->shown.name, mrwi_options_show(value, shown), option->shown.name,
                          option->shown.name);
}

static mrw_status long_option(walk *w, const char *text)
{
    const char *name = text + 2;
    size_t length = strcspn(name, "=");
    const mrwi_options_option *option = mrwi_options_option_find(name, length);
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (!option) {
        return strncmp(name, "no-", 3) == 0 ? negated_option(w, text) : unknown_option(w, text);
    }
    if (option->kind == MRWI_OPTIONS_FLAG && value) {
        return switch_flag(w, option, value);
    }
    if (option->kind != MRWI_OPTIONS_FLAG && !option->shown.optional && !value) {
        value = next_value(w);
    }
    if (option->kind == MRWI_OPTIONS_GROUND && !value && w->at + 1 < w->argc &&
        w->argv[w->at + 1][0] == '#') {
        value = next_value(w);
    }
    return set(w, option, option->dashed, value);
}

/* Reads -q, -qv, -j4, -j 4, -o-: flags may be joined; the first option with a value takes the rest.
 */
static mrw_status short_options(walk *w, const char *text)
{
    for (const char *p = text + 1; *p != '\0'; p++) {
        const mrwi_options_option *option = mrwi_options_option_find_short(*p);
        if (!option) {
            return unknown_option(w, text);
        }
        const char name[] = {'-', *p, '\0'};
        if (option->kind != MRWI_OPTIONS_FLAG) {
            return set(w, option, name, p[1] ? p + 1 : next_value(w));
        }
        mrw_status status = set(w, option, name, NULL);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Returns true if the text is a word to look up: after `help` every option is, except those that
 * help itself has. */
static bool is_word_of_help(const walk *w, const char *text)
{
    static const char *const own[] = {"--all", "--help", "-h", "--version", "-V"};
    const mrw_text_list *arguments = &w->settings->arguments;
    if (arguments->count == 0 || strcmp(arguments->items[0], "help") != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strcmp(own[i], text) == 0) {
            return false;
        }
    }
    return true;
}

/* Reads the current argument, and the next one if that is its value. */
static mrw_status take(walk *w)
{
    const char *text = w->argv[w->at];
    if (w->plain_only || is_word_of_help(w, text) || text[0] != '-' || text[1] == '\0') {
        return mrwi_options_list_add(&w->settings->arguments, text)
                   ? MRW_OK
                   : mrwi_base_fail_memory(w->error, sizeof text);
    }
    if (strcmp(text, "--") == 0) {
        w->plain_only = true;
        return MRW_OK;
    }
    return text[1] == '-' ? long_option(w, text) : short_options(w, text);
}

/* ---- the command ----------------------------------------------------------------------------- */

static mrw_status unknown_command(const char *name, mrw_error *error)
{
    const char *names[MRW_COMMAND_COUNT];
    char text[700] = "", shown[96];
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        names[i] = mrw_command_describe((mrw_command)i)->name;
    }
    mrwi_options_show(name, shown);
    if (strncmp(name, "demo:", 5) == 0 || strchr(name, '.') || strchr(name, '/')) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "'%s' is not a command; to draw it, use: marrow render %s", shown,
                              shown);
    }
    mrwi_base_suggest(text, sizeof text, name, names, MRW_COMMAND_COUNT, false);
    if (text[0] == '\0') {
        mrwi_options_suggest_word(name, MRW_COMMAND_NONE, text, sizeof text);
    }
    if (text[0] == '\0') {
        mrwi_base_suggest(text, sizeof text, name, names, MRW_COMMAND_COUNT, true);
    }
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "unknown command '%s'%s", shown, text);
}

/* Takes the command from the list of arguments: it's the first plain one. */
static mrw_status take_command(mrw_settings *settings, mrw_error *error)
{
    mrw_text_list *list = &settings->arguments;
    if (list->count == 0) {
        if (settings->run.help || settings->run.version) {
            return MRW_OK;
        }
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "no command given; `marrow help` lists them all");
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

/* Writes the commands that have an option: "`render`, `bake` and `diff`". */
static void put_owners(const mrw_option *option, char *out, size_t size)
{
    size_t count = 0, used = 0, left;
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        count += mrw_option_belongs(option, (mrw_command)i);
    }
    left = count;
    for (int i = 0; i < MRW_COMMAND_COUNT && used < size; i++) {
        if (mrw_option_belongs(option, (mrw_command)i)) {
            const char *before = left == count ? "" : left == 1 ? " and " : ", ";
            used += (size_t)snprintf(out + used, size - used, "%s`%s`", before,
                                     mrw_command_describe((mrw_command)i)->name);
            left--;
        }
    }
}

static mrw_status check_command(const mrw_settings *settings, const mrw_option *option,
                                mrw_error *error)
{
    char owners[256] = "", hint[500] = "";
    if (mrw_option_belongs(option, settings->command)) {
        return MRW_OK;
    }
    put_owners(option, owners, sizeof owners);
    mrwi_options_suggest_word(option->name, settings->command, hint, sizeof hint);
    return mrwi_base_fail(error, MRW_ERROR_USAGE,
                          "--%s is not an option of `%s`; it belongs to %s%s", option->name,
                          mrw_command_describe(settings->command)->name, owners, hint);
}

/* Fails if an option does not belong to the command. off: options that were taken back. */
static mrw_status check_commands(const mrw_settings *settings, const mrw_text_list *off,
                                 mrw_error *error)
{
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        if (mrwi_options_is_given(settings, &mrwi_options[i])) {
            mrw_status status = check_command(settings, &mrwi_options[i].shown, error);
            if (status) {
                return status;
            }
        }
    }
    for (size_t i = 0; i < off->count; i++) {
        const char *name = off->items[i];
        mrw_status status =
            check_command(settings, &mrwi_options_option_find(name, strlen(name))->shown, error);
        if (status) {
            return status;
        }
        if (strcmp(name, "shadows") == 0 && !settings->picture.shadows &&
            settings->picture.ground != MRWI_OPTIONS_GROUND_NONE) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "--ground turns --shadows on; leave out --ground or "
                                  "--no-shadows");
        }
    }
    return MRW_OK;
}

/* Fails if a list has several values, but the command accepts only one. */
static mrw_status check_many(const mrw_settings *settings, mrw_error *error)
{
    const char *command = mrw_command_describe(settings->command)->name;
    const mrw_camera_settings *camera = &settings->camera;
    const bool around =
        settings->command == MRW_COMMAND_RENDER || settings->command == MRW_COMMAND_SHEET ||
        settings->command == MRW_COMMAND_SPRITES || settings->command == MRW_COMMAND_BAKE;
    char shown[2][96];
    if (camera->azimuth_count + camera->elevation_count > 0 &&
        (!around || camera->turntable > 0 || camera->directions > 0)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--%s has several values, but %s accepts only one",
                              camera->azimuth_count > 0 ? "azimuth" : "elevation",
                              !around                 ? command
                              : camera->turntable > 0 ? "--turntable"
                                                      : "--directions");
    }
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        const mrwi_options_option *option = &mrwi_options[i];
        const mrw_text_list *list = (const void *)((const char *)settings + option->offset);
        if (option->many && list->count > 1 &&
            !mrwi_options_has_word(option->many, command, strlen(command))) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "--%s is given twice, '%s' and '%s', but `%s` accepts only one",
                                  option->shown.name, mrwi_options_show(list->items[0], shown[0]),
                                  mrwi_options_show(list->items[1], shown[1]), command);
        }
    }
    return MRW_OK;
}

static mrw_status check_arguments(const mrw_settings *settings, mrw_error *error)
{
    const mrw_command_info *command = mrw_command_describe(settings->command);
    const size_t count = settings->arguments.count;
    const bool added = settings->command == MRW_COMMAND_INIT && settings->model.added.count > 0;
    char shown[96];
    if (count < command->least && !added) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "`%s` needs %s: marrow %s %s", command->name,
                              command->least > 1 ? "two arguments" : "a model", command->name,
                              command->arguments);
    }
    if (count > command->most) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "`%s` cannot use '%s'; usage: marrow %s%s%s",
                              command->name,
                              mrwi_options_show(settings->arguments.items[command->most], shown),
                              command->name, command->arguments[0] ? " " : "", command->arguments);
    }
    for (size_t i = 0; i < count; i++) {
        if (settings->arguments.items[i][0] == '\0') {
            return mrwi_base_fail(error, MRW_ERROR_USAGE, "an argument is empty");
        }
    }
    return MRW_OK;
}

static bool is_any_given(const mrw_settings *settings, const char *const *names, size_t count)
{
    bool given = false;
    for (size_t i = 0; i < count; i++) {
        given = given || mrw_settings_given(settings, names[i]);
    }
    return given;
}

/* Sets the defaults of `sheet`, which is `render` with other defaults. */
static mrw_status settle_sheet(mrw_settings *settings, mrw_error *error)
{
    static const char *const times[] = {"frames", "times", "count", "fps", "pose", "turntable"};
    static const char *const clips[] = {"clip", "blend", "pose"};
    const bool timed = is_any_given(settings, times, sizeof times / sizeof *times);
    const bool chosen = is_any_given(settings, clips, sizeof clips / sizeof *clips);
    mrw_status status = timed ? MRW_OK : mrw_settings_set(settings, "count", "8", error);
    if (status) {
        return status;
    }
    status = chosen ? MRW_OK : mrw_settings_set(settings, "clip", "all", error);
    if (status) {
        return status;
    }
    if (!mrw_settings_given(settings, "size")) {
        settings->picture.width = settings->picture.height = 128;
    }
    if (!mrw_settings_given(settings, "sheet")) {
        settings->output.sheet = 8;
    }
    settings->output.labels = true;
    settings->animation.still_once = !timed;
    return MRW_OK;
}

/* Names the JSON beside the sheet: hero.json for hero.png. */
static mrw_status name_atlas(mrw_settings *settings, mrw_error *error)
{
    static const char usual[] = "{model}-sprites.json";
    const char *path = settings->output.path ? settings->output.path : "{model}-sprites.png";
    const size_t length = strlen(path), size = length + sizeof usual + 2;
    char *name = mrwi_base_alloc(size, 1);
    if (!name) {
        return mrwi_base_fail_memory(error, size);
    }
    if (length > 4 && strcasecmp(path + length - 4, ".png") == 0) {
        snprintf(name, size, "%.*s.json", (int)(length - 4), path);
    } else {
        const bool slash = length > 0 && path[length - 1] == '/';
        snprintf(name, size, "%s%s%s", path, slash ? "" : "/", usual);
    }
    settings->output.usual_atlas = name;
    return mrw_settings_set(settings, "atlas", name, error);
}

/* Sets the defaults of `sprites`, which is `render --atlas` with other defaults. */
static mrw_status settle_sprites(mrw_settings *settings, mrw_error *error)
{
    static const char *const times[] = {"frames", "times", "count", "fps", "pose", "time"};
    static const char *const own_times[] = {"frames", "times", "pose", "time", "loop"};
    static const char *const clips[] = {"clip", "blend", "pose"};
    static const char *const places[] = {"azimuth", "eye",       "views",
                                         "camera",  "turntable", "directions"};
    static const struct {
        const char *name, *value;
    } usual[] = {{"size", "128"},
                 {"background", "none"},
                 {"trim", "frame"},
                 {"bleed", "on"},
                 {"page-size", "4096"}};
    const bool timed = is_any_given(settings, times, sizeof times / sizeof *times);
    const bool loops = is_any_given(settings, own_times, sizeof own_times / sizeof *own_times);
    const bool chosen = is_any_given(settings, clips, sizeof clips / sizeof *clips);
    const bool placed = is_any_given(settings, places, sizeof places / sizeof *places) ||
                        settings->camera.elevation_count > 0;
    mrw_status status = timed ? MRW_OK : mrw_settings_set(settings, "count", "8", error);
    if (status) {
        return status;
    }
    if (!timed) {
        settings->animation.still_once = true;
    }
    status = loops ? MRW_OK : mrw_settings_set(settings, "loop", "yes", error);
    if (status) {
        return status;
    }
    status = chosen ? MRW_OK : mrw_settings_set(settings, "clip", "all", error);
    if (status) {
        return status;
    }
    status = placed ? MRW_OK : mrw_settings_set(settings, "directions", "8", error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        const bool clear =
            strcmp(usual[i].name, "trim") != 0 && strcmp(usual[i].name, "bleed") != 0;
        if (!mrw_settings_given(settings, usual[i].name) &&
            (clear || settings->picture.transparent)) {
            status = mrw_settings_set(settings, usual[i].name, usual[i].value, error);
            if (status) {
                return status;
            }
        }
    }
    return settings->output.atlas ? MRW_OK : name_atlas(settings, error);
}

/* Checks the options against the command and against each other, and sets the command's defaults.
 */
static mrw_status settle_all(mrw_settings *settings, const mrw_text_list *off, mrw_error *error)
{
    mrw_status status = check_commands(settings, off, error);
    if (status) {
        return status;
    }
    status = check_many(settings, error);
    if (status) {
        return status;
    }
    if (settings->command == MRW_COMMAND_SPRITES) {
        status = settle_sprites(settings, error);
        if (status) {
            return status;
        }
    }
    if (settings->command != MRW_COMMAND_INIT) { /* writes the name into the suite */
        status = mrwi_options_apply_look(settings, off, error);
        if (status) {
            return status;
        }
    }
    status = mrwi_options_settings_check(settings, error);
    if (status) {
        return status;
    }
    return settings->command == MRW_COMMAND_SHEET ? settle_sheet(settings, error) : MRW_OK;
}

mrw_status mrw_settings_check(mrw_settings *settings, mrw_command command, mrw_error *error)
{
    const mrw_text_list none = {.count = 0};
    settings->command = command;
    return settle_all(settings, &none, error);
}

mrw_status mrw_settings_parse(mrw_settings *settings, int argc, const char *const *argv,
                              mrw_error *error)
{
    walk w = {.argc = argc, .argv = argv, .settings = settings, .error = error};
    mrw_status status = MRW_OK;
    for (; w.at < argc; w.at++) {
        status = take(&w);
        if (status) {
            goto out;
        }
    }
    status = take_command(settings, error);
    if (status || settings->run.help || settings->run.version) {
        goto out;
    }
    status = settle_all(settings, &w.off, error);
    if (status) {
        goto out;
    }
    status = check_arguments(settings, error);
out:
    mrwi_base_free(w.values.items);
    mrwi_base_free(w.off.items);
    return status;
}
