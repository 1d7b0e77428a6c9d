/* settings.c: derives from settings how pictures are framed and drawn. */
#include "base/text.h"
#include "options/table.h"
#include "session/internal.h"

#include <stdlib.h>

mrw_frame_def mrwi_session_frame(const mrw_settings *settings)
{
    mrw_frame_def frame = settings->picture;
    frame.subject = true; /* PNGs carry it */
    frame.isa = settings->run.isa;
    if (frame.ground && !mrw_settings_given(settings, "shadows")) {
        frame.shadows = true;
    }
    return frame;
}

bool mrw_session_wants_sequence(const mrw_settings *settings)
{
    const uint32_t roles = mrwi_options_roles(settings);
    return (roles & MRWI_OPTIONS_SEQUENCE) != 0 ||
           ((roles & MRWI_OPTIONS_SHEET) != 0 && mrw_session_view_count(settings) == 1);
}

mrw_fit mrw_session_fit(const mrw_settings *settings, bool sequence)
{
    const mrw_animation_settings *animation = &settings->animation;
    if (mrw_settings_given(settings, "fit")) {
        return (mrw_fit)settings->camera.fit;
    }
    const bool sheet =
        settings->command == MRW_COMMAND_SHEET || settings->command == MRW_COMMAND_SPRITES;
    if (sheet && !mrw_settings_given(settings, "blend") && !mrw_settings_given(settings, "pose")) {
        return MRW_FIT_ALL; /* clips are compared with one another */
    }
    const bool one = animation->frame_count > 0  ? false
                     : animation->time_count > 0 ? animation->time_count == 1
                     : animation->count > 0      ? animation->count == 1
                                                 : !sequence || mrw_session_turns(settings);
    return one ? MRW_FIT_FRAME : MRW_FIT_CLIP;
}

int mrw_session_threads(const mrw_settings *settings)
{
    return settings->run.threads > 0 ? (int)settings->run.threads : mrw_cpu_count();
}

mrw_status mrw_session_check_isa(const mrw_settings *settings, mrw_error *error)
{
    const char *asked = settings->run.isa != MRW_ISA_AUTO ? mrw_isa_name(settings->run.isa) : NULL;
    const char *place = "--isa";
    mrw_isa isa = MRW_ISA_AUTO;
    if (!asked) {
        asked = getenv("MARROW_ISA");
        place = "MARROW_ISA";
    }
    if (!asked || asked[0] == '\0') {
        return MRW_OK;
    }
    if (!mrw_isa_from_name(asked, &isa)) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "%s: unknown instruction set; expected one of auto, scalar, sse2, avx2, avx512, neon",
            place);
    }
    if (isa == MRW_ISA_AUTO || mrw_isa_available(isa)) {
        return MRW_OK;
    }
    return mrwi_base_fail(
        error, MRW_ERROR_CPU,
        "%s %s: this machine or build has no such kernels; the fastest here is %s", place, asked,
        mrw_isa_name(mrw_isa_best()));
}
