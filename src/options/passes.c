/* passes.c: reads --aov. */
#include "base/memory.h"
#include "base/text.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>

#define WEIGHTS "weights:"

/* The name that stands for both passes of Cryptomatte. */
static const char both[] = "cryptomatte";

static mrw_status refuse_name(const char *name, mrw_error *error)
{
    const char *names[MRW_AOV_COUNT + 1] = {both};
    char text[600], shown[96];
    for (int i = 0; i < MRW_AOV_COUNT; i++) {
        names[i + 1] = i == MRW_AOV_WEIGHTS ? "weights:JOINT" : mrw_aov_info_of((mrw_aov)i)->name;
    }
    snprintf(text, sizeof text, "--aov: unknown pass '%s'", mrwi_options_show(name, shown));
    mrwi_base_suggest(text, sizeof text, name, names, MRW_AOV_COUNT + 1, true);
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "%s%s `marrow help aov` lists the passes", text,
                          text[strlen(text) - 1] == '?' ? "" : ";");
}

static mrw_status add(mrw_settings *settings, mrw_aov aov, const char *joint, mrw_error *error)
{
    mrw_pass_settings *passes = &settings->passes;
    const mrw_aov_request request = {aov, joint};
    void *items = passes->items;
    for (size_t i = 0; i < passes->count; i++) {
        if (passes->items[i].aov == aov && (!joint || strcmp(passes->items[i].joint, joint) == 0)) {
            return MRW_OK;
        }
    }
    const bool fine = mrwi_options_append(&items, &passes->count, sizeof request, &request);
    passes->items = items;
    return fine ? MRW_OK : mrwi_base_fail_memory(error, sizeof request);
}

/* Adds the pass of one name of a list, which has `length` characters. */
static mrw_status add_named(mrw_settings *settings, const char *text, size_t length,
                            mrw_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    if (strncmp(name, WEIGHTS, strlen(WEIGHTS)) == 0 || strcmp(name, "weights") == 0) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "--aov: weights:JOINT cannot be part of a list, because the name of a joint may "
            "contain commas; give it its own option, --aov weights:JOINT");
    }
    if (strcmp(name, both) == 0) {
        const mrw_status status = add(settings, MRW_AOV_CRYPTO_OBJECT, NULL, error);
        if (status) {
            return status;
        }
        return add(settings, MRW_AOV_CRYPTO_MATERIAL, NULL, error);
    }
    for (int i = 0; i < MRW_AOV_COUNT; i++) {
        if (strcmp(mrw_aov_info_of((mrw_aov)i)->name, name) == 0) {
            return add(settings, (mrw_aov)i, NULL, error);
        }
    }
    return refuse_name(name, error);
}

mrw_status mrwi_options_parse_passes(mrw_settings *settings, const char *value, mrw_error *error)
{
    if (strncmp(value, WEIGHTS, strlen(WEIGHTS)) == 0 && value[strlen(WEIGHTS)] != '\0') {
        return add(settings, MRW_AOV_WEIGHTS, value + strlen(WEIGHTS), error);
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
