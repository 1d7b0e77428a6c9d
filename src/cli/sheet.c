/* sheet.c: `marrow sheet`: `render` into a contact sheet, each clip a row of its own. What that
 * stands for is set with the command line (options/command_line.c), but for what the model decides.
 */
#include "cli.h"

#include <string.h>

static const cli_output_kinds kinds = {.endings = {".png"}, .usual = "{model}-sheet.png"};

static mrw_view_entry sides[] = {
    {"front", 0.0f, 0.0f}, {"left", 90.0f, 0.0f}, {"top", 0.0f, 90.0f}, {"iso", 45.0f, 35.264f}};

/* A model that does not move is seen from several sides, once. */
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

#define MOST_COLUMNS 24 /* of a clip, unless told otherwise */

/* Clips side by side: one, until the sheet is no more than twice as high as wide, and no higher
 * than pictures can be, where it may be that wide. */
static uint64_t clips_beside(uint64_t clips, uint64_t width, uint64_t height)
{
    uint64_t beside = 1;
    for (; (beside + 1) * width < MRW_IMAGE_MAX_SIDE; beside++) {
        const uint64_t high = (clips + beside - 1) / beside * height;
        if (high <= 2 * beside * width && high < MRW_IMAGE_MAX_SIDE) {
            break;
        }
    }
    return beside;
}

/* Rows of clips are as long as the longest. */
static void lay_out(const mrw_settings *settings, const cli_labels *labels, mrw_output_def *def)
{
    const uint32_t each = labels->longest < MOST_COLUMNS ? labels->longest : MOST_COLUMNS;
    if (mrw_settings_given(settings, "sheet")) {
        def->apart = def->columns < 2 * each ? def->columns : each;
        def->columns -= def->columns % def->apart;
        return;
    }
    def->apart = each;
    def->columns = each * (uint32_t)clips_beside(labels->groups, each * (def->width + 4ull),
                                                 def->height + 40ull);
}

int cli_sheet(const mrw_settings *settings)
{
    const cli_drawing how = {.kinds = &kinds, .suit = suit, .lay_out = lay_out};
    return cli_draw(settings, &how);
}
