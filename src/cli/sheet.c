/* sheet.c: `marrow sheet` and `marrow sprites`: `render` with other defaults. A contact sheet has a
 * row per clip (plan/layout.c). Parsing the command line sets the defaults
 * (options/command_line.c), except those that depend on the model. */
#include "cli.h"

#include <string.h>

static const mrw_plan_kinds kinds = {.endings = {".png"}, .usual = "{model}-sheet.png"};

static mrw_view_entry sides[] = {
    {"front", 0.0f, 0.0f}, {"left", 90.0f, 0.0f}, {"top", 0.0f, 90.0f}, {"iso", 45.0f, 35.264f}};

/* Shows a model without clips from several sides, once from each. */
static void suit(const mrw_scene *scene, mrw_settings *own)
{
    static const char *const places[] = {"azimuth", "elevation", "eye",        "views",
                                         "camera",  "turntable", "directions", "follow"};
    mrw_animation_settings *animation = &own->animation;
    const bool all = animation->clips.count == 1 && strcmp(animation->clips.items[0], "all") == 0;
    bool placed = false;
    if (scene->clips_count > 0 || !all) {
        return;
    }
    animation->clips = (mrw_text_list){0};
    animation->count = 1;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        placed = placed || mrw_settings_given(own, places[i]);
    }
    if (!placed) {
        own->camera.views = sides;
        own->camera.view_count = sizeof sides / sizeof *sides;
    }
}

static const mrw_plan_kinds sprite_kinds = {.endings = {".png"}, .usual = "{model}-sprites.png"};

int cli_sprites(const mrw_settings *settings)
{
    const cli_drawing how = {.kinds = &sprite_kinds};
    return cli_draw(settings, &how);
}

int cli_sheet(const mrw_settings *settings)
{
    const cli_drawing how = {.kinds = &kinds, .suit = suit};
    return cli_draw(settings, &how);
}
