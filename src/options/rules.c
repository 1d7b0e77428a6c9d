/* rules.c: options that exclude or need each other. Their rows in the table say so. */
#include "base/text.h"
#include "options/table.h"

#include <string.h>

/* Returns true if an option was given, unless it is a flag that is off. */
static bool counts(const mrw_settings *settings, const mrwi_options_option *option)
{
    const bool off = option->kind == MRWI_OPTIONS_FLAG &&
                     !*(const bool *)((const char *)settings + option->offset);
    return mrwi_options_is_given(settings, option) && !off;
}

/* Returns true if the row's rules about other options apply to the value that the option has. */
static bool holds(const mrw_settings *settings, const mrwi_options_option *option)
{
    size_t length = 0;
    if (!option->when) {
        return counts(settings, option);
    }
    const char *value = mrwi_options_choice(settings, option, &length);
    return mrwi_options_has_word(option->when, value, length);
}

static bool excludes(const mrwi_options_option *a, const mrwi_options_option *b)
{
    return mrwi_options_has_word(a->excludes, b->shown.name, strlen(b->shown.name));
}

/* ---- needs ----------------------------------------------------------------------------------- */

/* One of the options that a row needs. */
typedef struct need {
    const mrwi_options_option *option;
    const char *value; /* the value that it needs */
    size_t length;     /* length of the value; 0: any value that was given */
} need;

/* Reads the name at *text and moves *text to the next one. Returns false at the end. */
static bool next_need(const char **text, need *out)
{
    const char *p = *text;
    if (!p || *p == '\0') {
        return false;
    }
    const size_t whole = strcspn(p, " "), name = strcspn(p, " =");
    *out = (need){.option = mrwi_options_option_find(p, name), .value = p + name};
    if (whole > name) {
        out->value++;
        out->length = whole - name - 1;
    }
    *text = p + whole + strspn(p + whole, " ");
    return out->option;
}

static bool is_met(const mrw_settings *settings, const need *n)
{
    size_t length = 0;
    if (n->length == 0) {
        return mrwi_options_is_given(settings, n->option);
    }
    const char *value = mrwi_options_choice(settings, n->option, &length);
    return length == n->length && memcmp(value, n->value, length) == 0;
}

/* Returns true if the command has the option. Suites and settings without a command have all. */
static bool is_known(const mrw_settings *settings, const mrwi_options_option *option)
{
    return settings->command == MRW_COMMAND_NONE || settings->command == MRW_COMMAND_TEST ||
           mrw_option_belongs(&option->shown, settings->command);
}

/* Returns true if nothing that the row needs is there. Options that the command lacks do not
 * count. */
static bool is_alone(const mrw_settings *settings, const mrwi_options_option *option)
{
    const char *text = option->needs;
    bool alone = false;
    need n;
    while (next_need(&text, &n)) {
        if (is_known(settings, n.option)) {
            if (is_met(settings, &n)) {
                return false;
            }
            alone = true;
        }
    }
    return alone;
}

static bool is_for(const mrw_settings *settings, const mrwi_options_option *option)
{
    return !option->needs_for ||
           (settings->command != MRW_COMMAND_NONE &&
            mrwi_options_has_word(option->needs_for, mrw_command_describe(settings->command)->name,
                                  strlen(mrw_command_describe(settings->command)->name)));
}

static mrw_status refuse_alone(const mrw_settings *settings, const mrwi_options_option *option,
                               mrw_error *error)
{
    const char *text = option->needs, *value = "";
    size_t length = 0;
    need n = {0};
    while (next_need(&text, &n) && !is_known(settings, n.option)) {
        /* skips options that the command does not have: the message proposes one that it has */
    }
    if (option->when) {
        value = mrwi_options_choice(settings, option, &length);
    }
    return mrwi_base_fail(error, MRW_ERROR_USAGE,
                          "--%s%s%.*s has no effect without --%s%s%.*s; add it", option->shown.name,
                          length > 0 ? " " : "", (int)length, value, n.option->shown.name,
                          n.length > 0 ? " " : "", (int)n.length, n.value);
}

/* ---- all rows -------------------------------------------------------------------------------- */

static mrw_status check_excludes(const mrw_settings *settings, const mrwi_options_option *option,
                                 mrw_error *error)
{
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        const mrwi_options_option *other = &mrwi_options[i];
        if (excludes(option, other) && counts(settings, other)) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "--%s and --%s cannot be combined; leave one out",
                                  option->shown.name, other->shown.name);
        }
    }
    return MRW_OK;
}

mrw_status mrwi_options_settings_check(const mrw_settings *settings, mrw_error *error)
{
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        if (mrwi_options[i].excludes && holds(settings, &mrwi_options[i])) {
            mrw_status status = check_excludes(settings, &mrwi_options[i], error);
            if (status) {
                return status;
            }
        }
    }
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        const mrwi_options_option *option = &mrwi_options[i];
        if (option->needs && holds(settings, option) && is_for(settings, option) &&
            is_alone(settings, option)) {
            return refuse_alone(settings, option, error);
        }
    }
    return mrwi_options_check_lights(settings, error);
}

bool mrwi_options_option_yields(const mrwi_options_option *option, const mrwi_options_option *to)
{
    return excludes(option, to) || (excludes(to, option) && !to->when);
}

/* Returns true if the option needs certain values of others, and those others were given with other
 * values. */
static bool misses_value(const mrw_settings *settings, const mrwi_options_option *option)
{
    const char *text = option->when ? NULL : option->needs;
    bool given = false;
    need n;
    while (next_need(&text, &n)) {
        if (n.length == 0 || is_met(settings, &n)) {
            return false;
        }
        given = given || mrwi_options_is_given(settings, n.option);
    }
    return given;
}

bool mrwi_options_option_is_idle(const mrw_settings *settings, const mrwi_options_option *option)
{
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        const mrwi_options_option *other = &mrwi_options[i];
        if (other->when && excludes(other, option) && holds(settings, other)) {
            return true;
        }
    }
    return misses_value(settings, option);
}

bool mrwi_options_option_fits(const mrw_settings *settings, const mrwi_options_option *option)
{
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        const mrwi_options_option *other = &mrwi_options[i];
        const bool one = !option->when && excludes(option, other) && counts(settings, other);
        if (one || (excludes(other, option) && holds(settings, other))) {
            return false;
        }
    }
    return !(is_for(settings, option) && is_alone(settings, option));
}
