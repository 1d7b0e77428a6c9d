/* request.c: options that come from a request, whose author must not reach the machine's files, nor
 * raise a limit. */
#include "base/text.h"
#include "options/table.h"

#include <string.h>

/* Returns true if a value names a file of the machine. */
static bool names_file(const mrwi_options_option *option, const char *value)
{
    const size_t word = strcspn(value, ":");
    if (option->is_path) {
        return !mrwi_options_has_word(option->no_paths, value, strlen(value));
    }
    if (option->rest_paths && value[word] == ':') {
        return mrwi_options_has_word(option->rest_paths, value, word);
    }
    return option->kind == MRWI_OPTIONS_COLOR && mrwi_options_is_background_file(value);
}

/* Returns true if a limit is 0, which means none. Fields of limits have eight bytes. */
static bool is_unlimited(const mrw_settings *settings, const mrwi_options_option *option)
{
    static const char zero[8] = {0}; /* 0.0, too */
    return memcmp((const char *)settings + option->offset, zero, sizeof zero) == 0;
}

/* Sets a limit, unless that would raise it. */
static mrw_status lower(mrw_settings *settings, const mrwi_options_option *option,
                        const char *value, mrw_error *error)
{
    const mrw_settings before = *settings;
    char shown[96];
    const mrw_status status = mrwi_options_option_set(settings, option, value, error);
    if (status || is_unlimited(&before, option) ||
        mrwi_options_compare(settings, &before, option) <= 0) {
        return status;
    }
    memcpy((char *)settings + option->offset, (const char *)&before + option->offset, 8);
    return mrwi_base_fail(error, MRW_ERROR_USAGE,
                          "--%s '%s': a request may lower this limit, but not raise it",
                          option->shown.name, mrwi_options_show(value, shown));
}

mrw_status mrw_settings_set_request(mrw_settings *settings, const char *name, const char *value,
                                    mrw_error *error)
{
    const mrwi_options_option *option = mrwi_options_option_find(name, strlen(name));
    const bool foreign = option && settings->command != MRW_COMMAND_NONE &&
                         !mrw_option_belongs(&option->shown, settings->command);
    char shown[96];
    if (option && (foreign || (option->roles & MRWI_OPTIONS_HOST) != 0)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "a request may not set '%s'",
                              option->shown.name);
    }
    if (option && value && names_file(option, value)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--%s '%s': a request may not name files of the machine",
                              option->shown.name, mrwi_options_show(value, shown));
    }
    if (option && value && (option->roles & MRWI_OPTIONS_LOWER) != 0) {
        return lower(settings, option, value, error);
    }
    return mrw_settings_set(settings, name, value, error);
}
