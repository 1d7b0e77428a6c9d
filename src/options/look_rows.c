/* look_rows.c: the rows of --look. A look is a list of option values, which apply where the command
 * line or the suite gives no other. */
#include "base/memory.h"
#include "base/text.h"
#include "options/table.h"

#include <string.h>

#define VALUES(name) name##_values, sizeof name##_values / sizeof *name##_values

/* An option that another one needs stands behind that one. */
static const mrw_look_value post_values[] = {
    {"ground", NULL},
    {"ao", NULL},
    {"shadow-softness", "5"},
    {"background", "#e4eaf1"},
};

static const mrw_look_value product_values[] = {
    {"ground", NULL},          {"ao", NULL},       {"shadow-softness", "5"},
    {"background", "#ffffff"}, {"margin", "0.15"},
};

static const mrw_look_value hero_values[] = {
    {"light", "default"},
    {"light", "directional:dir=0.55,-0.35,0.75,intensity=4@camera"},
    {"light", "directional:dir=-0.75,-0.25,0.6,intensity=2.5,color=0.8,0.9,1@camera"},
    {"env-intensity", "0.6"},
    {"ground", NULL},
    {"ao", NULL},
    {"shadow-softness", "5"},
    {"background", "#2b323c"},
};

static const mrw_look_value data_values[] = {
    {"light", "ambient:color=1,1,1"}, {"env", "none"}, {"file-lights", "off"}, {"tonemap", "none"},
    {"background", "white"},
};

static const mrw_look_value before_values[] = {
    {"rig", "three-point"},
    {"env-compensation", "off"},
    {"margin", "0.05"},
};

static const mrw_look look_rows[] = {
    {"plain", "the default: materials in a bright studio, on a plain background", NULL, 0},
    {"post", "for posts: soft shadow on the ground, ambient occlusion, gradient", VALUES(post)},
    {"product", "for shops: a white sweep with a soft shadow", VALUES(product)},
    {"hero", "for covers: a dark gradient, strong light from behind", VALUES(hero)},
    {"data", "base colours as they are: flat light, no tone map, white background", VALUES(data)},
    {"before", "the default look of pixel versions 7 and 8", VALUES(before)},
};

const mrw_look *mrw_look_rows(size_t *count)
{
    *count = sizeof look_rows / sizeof *look_rows;
    return look_rows;
}

/* Returns true if the value at `index` may be set: `given` options stay as they are. */
static bool applies(const mrw_settings *settings, const mrw_text_list *given,
                    const mrwi_options_option *option)
{
    const char *name = option->shown.name;
    for (size_t i = 0; i < given->count; i++) {
        if (strcmp(given->items[i], name) == 0) {
            return false;
        }
    }
    const bool belongs = settings->command == MRW_COMMAND_TEST ||
                         mrw_option_belongs(&option->shown, settings->command);
    return belongs && mrwi_options_option_fits(settings, option);
}

mrw_status mrwi_options_apply_look(mrw_settings *settings, const mrw_text_list *off,
                                   mrw_error *error)
{
    const mrw_look *look = &look_rows[settings->look];
    mrw_text_list given = {0};
    mrw_status status = MRW_OK;
    bool listed = true;
    for (size_t i = 0; i < settings->given.count && listed; i++) {
        listed = mrwi_options_list_add(&given, settings->given.items[i]);
    }
    for (size_t i = 0; off && i < off->count && listed; i++) {
        listed = mrwi_options_list_add(&given, off->items[i]);
    }
    status = listed ? MRW_OK : mrwi_base_fail_memory(error, given.count * sizeof *given.items);
    for (size_t i = 0; i < look->value_count && !status; i++) {
        const mrw_look_value *value = &look->values[i];
        const mrwi_options_option *option =
            mrwi_options_option_find(value->option, strlen(value->option));
        if (applies(settings, &given, option)) {
            status = mrw_settings_set(settings, value->option, value->value, error);
        }
    }
    mrwi_base_free(given.items);
    return status;
}
