/* settings.c: what settings say of frames, cameras and the machine. */
#include "base/text.h"
#include "session/internal.h"

#include <stdlib.h>
#include <string.h>

mrw_view_def mrwi_session_view(const mrw_settings *settings)
{
    mrw_view_def view = mrw_view_def_default();
    view.azimuth_degrees = (float)settings->azimuth;
    view.elevation_degrees = (float)settings->elevation;
    view.fov_degrees = (float)settings->fov;
    view.orthographic = settings->orthographic;
    view.margin = (float)settings->margin;
    view.near_plane = (float)settings->near_plane;
    view.far_plane = (float)settings->far_plane;
    view.has_eye = mrw_settings_given(settings, "eye");
    view.has_target = mrw_settings_given(settings, "target");
    memcpy(view.eye, settings->eye, sizeof view.eye);
    memcpy(view.target, settings->target, sizeof view.target);
    memcpy(view.up, settings->up, sizeof view.up);
    return view;
}

mrw_frame_def mrwi_session_frame(const mrw_settings *settings)
{
    mrw_frame_def frame = mrw_frame_def_default();
    frame.width = settings->width;
    frame.height = settings->height;
    frame.samples = settings->samples;
    frame.shading = (mrw_shading)settings->shading;
    frame.filter = (mrw_filter)settings->filter;
    memcpy(frame.background, settings->background, sizeof frame.background);
    frame.transparent = settings->transparent;
    frame.subject = true; /* PNGs carry it */
    frame.isa = settings->isa;
    return frame;
}

bool mrw_session_wants_sequence(const mrw_settings *settings)
{
    static const char *const options[] = {"frames", "times", "count", "loop",
                                          "fps",    "sheet", "shard"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (mrw_settings_given(settings, options[i])) {
            return true;
        }
    }
    return false;
}

int mrw_session_threads(const mrw_settings *settings)
{
    return settings->threads > 0 ? (int)settings->threads : mrw_cpu_count();
}

mrw_status mrw_session_check_isa(const mrw_settings *settings, mrw_error *error)
{
    const char *asked = settings->isa != MRW_ISA_AUTO ? mrw_isa_name(settings->isa) : NULL;
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
            "%s: unknown instruction set; there are auto, scalar, sse2, avx2, avx512, neon", place);
    }
    if (isa == MRW_ISA_AUTO || mrw_isa_available(isa)) {
        return MRW_OK;
    }
    return mrwi_base_fail(
        error, MRW_ERROR_UNSUPPORTED,
        "%s %s: this machine or this build has no such kernels; the fastest here is %s", place,
        asked, mrw_isa_name(mrw_isa_best()));
}
