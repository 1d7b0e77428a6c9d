/* look_rows.c: the rows of --look. A look is a list of option values, which apply where the command
 * line or the suite gives no other. Goldens record the name of a look, not its values: a change of
 * a row changes pixels, so it raises the pixel version.
 */
#include "base/text.h"
#include "options/table.h"

#include <string.h>

#define VALUES(name) name##_values, sizeof name##_values / sizeof *name##_values

/* An option stands after those that it needs. */
static const mrw_look_value post_values[] = {
    {"file-lights", "off"},
    {"ground", NULL},
    {"ao", NULL},
    {"shadow-size", "1024"},
    {"background", "#f2f5f9..#c3ccd8"},
};

static const mrw_look_value product_values[] = {
    {"file-lights", "off"},           {"ground", NULL},   {"ao", NULL}, {"shadow-size", "1024"},
    {"background", "white..#e6e8eb"}, {"margin", "0.15"},
};

static const mrw_look_value hero_values[] = {
    {"light", "default"},
    {"light", "directional:dir=0.5,-0.35,0.8,intensity=9@camera"},
    {"light", "directional:dir=-0.5,-0.25,0.85,intensity=7,color=0.75,0.87,1@camera"},
    {"env-intensity", "0.5"},
    {"file-lights", "off"},
    {"ground", NULL},
    {"ao", NULL},
    {"shadow-size", "1024"},
    {"background", "#3a434f..#0e1013@radial"},
};

static const mrw_look_value data_values[] = {
    {"shading", "unlit"},
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
    {"data", "for programs: base colours without light and tone map, on white", VALUES(data)},
    {"before", "the default look of pixel versions 7 and 8", VALUES(before)},
};

const mrw_look *mrw_look_rows(size_t *count)
{
    *count = sizeof look_rows / sizeof *look_rows;
    return look_rows;
}

static bool has_name(const mrw_text_list *list, size_t count, const char *name)
{
    bool found = false;
    for (size_t i = 0; list && i < count; i++) {
        found = found || strcmp(list->items[i], name) == 0;
    }
    return found;
}

/* The options of the command line or the suite: its `count` given options, and those that it took
 * back with --no-NAME, or NULL. */
typedef struct said {
    size_t count;
    const mrw_text_list *off;
} said;

/* Returns true if an option of the look may be set. A ground would turn on the shadows that were
 * switched off. */
static bool applies(const mrw_settings *settings, const said *by, const mrwi_options_option *option)
{
    const char *name = option->shown.name;
    const bool dark = strcmp(name, "ground") == 0 && !settings->picture.shadows &&
                      (has_name(&settings->given, by->count, "shadows") ||
                       (by->off && has_name(by->off, by->off->count, "shadows")));
    const bool belongs = settings->command == MRW_COMMAND_TEST ||
                         mrw_option_belongs(&option->shown, settings->command);
    return belongs && !dark && !has_name(&settings->given, by->count, name) &&
           !(by->off && has_name(by->off, by->off->count, name)) &&
           mrwi_options_option_fits(settings, option);
}

mrw_status mrwi_options_apply_look(mrw_settings *settings, const mrw_text_list *off,
                                   mrw_error *error)
{
    const mrw_look *look = &look_rows[settings->look];
    const said by = {settings->given.count, off};
    for (size_t i = 0; i < look->value_count; i++) {
        const mrw_look_value *value = &look->values[i];
        const mrwi_options_option *option =
            mrwi_options_option_find(value->option, strlen(value->option));
        if (applies(settings, &by, option)) {
            mrw_status status = mrw_settings_set(settings, value->option, value->value, error);
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}
