/* passes.c: reads --aov. */
#include "base/memory.h"
#include "base/text.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>

#define WEIGHTS "weights"

/* The names of passes, in the order of mrw_aov. The rooms that draw passes describe them. */
static const char *const pass_names[] = {
    "color",    "depth",        "distance",      "normal",   "position",      "uv",
    "albedo",   "flow-forward", "flow-backward", "id",       "material",      "joint",
    "triangle", "barycentric",  WEIGHTS,         "coverage", "crypto-object", "crypto-material",
};

#define PASS_NAMES (sizeof pass_names / sizeof *pass_names)

/* The name that stands for both passes of Cryptomatte. */
static const char both[] = "cryptomatte";

static mrw_status refuse_name(const char *name, mrw_error *error)
{
    const char *names[PASS_NAMES + 1] = {both};
    char text[600], shown[96];
    for (size_t i = 0; i < PASS_NAMES; i++) {
        names[i + 1] = strcmp(pass_names[i], WEIGHTS) == 0 ? WEIGHTS ":JOINT" : pass_names[i];
    }
    snprintf(text, sizeof text, "--aov: unknown pass '%s'", mrwi_options_show(name, shown));
    mrwi_base_suggest(text, sizeof text, name, names, PASS_NAMES + 1, true);
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "%s%s `marrow help aov` lists the passes", text,
                          text[strlen(text) - 1] == '?' ? "" : ";");
}

/* Adds the pass that is called `name`, unless the settings have it. */
static mrw_status add(mrw_settings *settings, const char *name, const char *joint, mrw_error *error)
{
    mrw_pass_settings *passes = &settings->passes;
    mrw_pass_entry entry = {0, joint};
    void *items = passes->items;
    while (entry.aov < PASS_NAMES && strcmp(pass_names[entry.aov], name) != 0) {
        entry.aov++;
    }
    if (entry.aov == PASS_NAMES) {
        return refuse_name(name, error);
    }
    for (size_t i = 0; i < passes->count; i++) {
        if (passes->items[i].aov == entry.aov &&
            (!joint || strcmp(passes->items[i].joint, joint) == 0)) {
            return MRW_OK;
        }
    }
    const bool fine = mrwi_options_append(&items, &passes->count, sizeof entry, &entry);
    passes->items = items;
    return fine ? MRW_OK : mrwi_base_fail_memory(error, sizeof entry);
}

/* Adds the pass of one name of a list, which has `length` characters. */
static mrw_status add_named(mrw_settings *settings, const char *text, size_t length,
                            mrw_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    if (strncmp(name, WEIGHTS ":", strlen(WEIGHTS ":")) == 0 || strcmp(name, WEIGHTS) == 0) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "--aov: weights:JOINT cannot be part of a list, because the name of a joint may "
            "contain commas; give it its own option, --aov weights:JOINT");
    }
    if (strcmp(name, both) == 0) {
        const mrw_status status = add(settings, "crypto-object", NULL, error);
        if (status) {
            return status;
        }
        return add(settings, "crypto-material", NULL, error);
    }
    return add(settings, name, NULL, error);
}

mrw_status mrwi_options_parse_passes(mrw_settings *settings, const char *value, mrw_error *error)
{
    const size_t prefix = strlen(WEIGHTS ":");
    if (strncmp(value, WEIGHTS ":", prefix) == 0 && value[prefix] != '\0') {
        return add(settings, WEIGHTS, value + prefix, error);
    }
    for (const char *at = value;; at++) {
        at += strspn(at, " ");
        const size_t length = strcspn(at, ",");
        mrw_status status = add_named(settings, at, length, error);
        at += length;
        if (status || *at == '\0') {
            return status;
        }
    }
}
