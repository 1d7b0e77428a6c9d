/* maps.c: finds which maps of models are read; no others are decoded. Commands say what they read
 * (options/commands.c); modes (shade/mode.c) and passes (frame/aov.c) say which maps that is. */
#include "session/internal.h"

#include <string.h>

/* Returns what the command reads. The masks of COCO need the coverage of pictures. */
static mrw_command_reads reads_of(const mrw_settings *settings)
{
    const mrw_command_reads reads = settings->command == MRW_COMMAND_NONE
                                        ? MRW_READS_ALL
                                        : mrw_command_describe(settings->command)->reads;
    const bool coco = settings->output.joints && settings->output.joints_format >= 1;
    return reads == MRW_READS_VERTICES && coco ? MRW_READS_COVERAGE : reads;
}

static uint32_t pass_maps(const mrw_settings *settings)
{
    uint32_t maps = 0;
    for (size_t i = 0; i < settings->passes.count; i++) {
        maps |= mrw_aov_info_of((mrw_aov)settings->passes.items[i].aov)->maps;
    }
    return maps;
}

static uint32_t command_maps(const mrw_settings *settings)
{
    mrw_frame_def frame;
    switch (reads_of(settings)) {
    case MRW_READS_PICTURES:
        frame = mrw_session_frame_def(settings);
        if (mrwi_session_find_channel(settings, &frame, NULL)) {
            return MRW_MAPS_ALL;
        }
        return mrw_frame_maps(&frame) | pass_maps(settings);
    case MRW_READS_COVERAGE:
        return MRW_MAPS_ALPHA | MRW_MAP_BIT(MRW_MAP_DISPLACEMENT);
    case MRW_READS_VERTICES:
        return MRW_MAP_BIT(MRW_MAP_DISPLACEMENT);
    case MRW_READS_NOTHING:
        return 0;
    default:
        return MRW_MAPS_ALL;
    }
}

/* Returns true if --displacement names a height map. It may be the same picture as a texture of the
 * model, which is found by its texels, so those are decoded. */
static bool gives_heights(const mrw_settings *settings)
{
    mrw_displacement displacement = {.path_length = 0};
    if (settings->model.displacement) {
        mrw_displacement_parse(settings->model.displacement, &displacement);
    }
    return displacement.path_length > 0;
}

uint32_t mrwi_session_maps(const mrw_settings *settings, const mrw_session_host *host)
{
    if (host && host->no_texels) {
        return 0;
    }
    const uint32_t maps = gives_heights(settings) ? MRW_MAPS_ALL : command_maps(settings);
    return maps | (host ? host->maps : 0);
}

uint32_t mrwi_session_prepared_maps(const mrw_session *session)
{
    const mrw_settings *settings = session->model->settings;
    const mrw_command_reads reads = reads_of(settings);
    const bool draws = reads == MRW_READS_ALL || reads == MRW_READS_PICTURES;
    return draws ? mrw_frame_maps(&session->frame) : command_maps(settings);
}
