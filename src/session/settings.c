/* settings.c: translates settings into the structs of other rooms: mrw_load_def, mrw_frame_def,
 * mrw_view_def and mrw_light_def. (compare.c makes mrw_compare_def.) */
#include "base/text.h"
#include "options/table.h"
#include "session/internal.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)MRWI_OPTIONS_RIG_AUTO == (int)MRW_RIG_AUTO &&
                   (int)MRWI_OPTIONS_RIG_OFF == (int)MRW_RIG_OFF &&
                   (int)MRWI_OPTIONS_RIG_ON == (int)MRW_RIG_ON,
               "settings hold these numbers");
_Static_assert((int)MRWI_OPTIONS_GROUND_NONE == (int)MRW_GROUND_NONE &&
                   (int)MRWI_OPTIONS_GROUND_CATCHER == (int)MRW_GROUND_CATCHER &&
                   (int)MRWI_OPTIONS_GROUND_COLOR == (int)MRW_GROUND_COLOR,
               "settings hold these numbers");
_Static_assert((int)MRWI_OPTIONS_LIGHT_DIRECTIONAL == (int)MRW_LIGHT_DIRECTIONAL &&
                   (int)MRWI_OPTIONS_LIGHT_POINT == (int)MRW_LIGHT_POINT &&
                   (int)MRWI_OPTIONS_LIGHT_SPOT == (int)MRW_LIGHT_SPOT,
               "settings hold these numbers");
_Static_assert((int)MRWI_OPTIONS_SPACE_WORLD == (int)MRW_LIGHT_SPACE_WORLD &&
                   (int)MRWI_OPTIONS_SPACE_CAMERA == (int)MRW_LIGHT_SPACE_CAMERA &&
                   (int)MRWI_OPTIONS_SPACE_NODE == (int)MRW_LIGHT_SPACE_NODE,
               "settings hold these numbers");

mrw_frame_def mrw_session_frame_def(const mrw_settings *settings)
{
    const mrw_picture_settings *picture = &settings->picture;
    mrw_frame_def frame = mrw_frame_def_default();
    frame.width = picture->width;
    frame.height = picture->height;
    frame.samples = picture->samples;
    frame.bits = picture->bits;
    frame.shading = (mrw_shading)picture->shading;
    frame.filter = (mrw_filter)picture->filter;
    frame.exposure = picture->exposure;
    frame.tonemap = (mrw_tonemap)picture->tonemap;
    memcpy(frame.background, picture->background, sizeof frame.background);
    frame.transparent = picture->transparent;
    frame.subject = true; /* PNGs carry it */
    frame.overlays = picture->overlays;
    frame.overlay_depth = picture->overlay_depth;
    frame.overlay_alone = picture->overlay_alone;
    frame.isa = settings->run.isa;
    frame.rig = (mrw_rig_use)picture->rig;
    frame.rig_kind = (mrw_rig_kind)picture->rig_kind;
    frame.file_lights = picture->file_lights;
    memcpy(frame.ambient, picture->ambient, sizeof frame.ambient);
    frame.light_frame = (mrw_light_frame)picture->light_frame;
    frame.environment_degrees = picture->environment_degrees;
    frame.environment_intensity = picture->environment_intensity;
    frame.compensation = (mrw_compensation)picture->compensation;
    frame.environment_background = picture->environment_background;
    frame.environment_blur = picture->environment_blur;
    frame.ground = (mrw_ground)picture->ground;
    memcpy(frame.ground_color, picture->ground_color, sizeof frame.ground_color);
    frame.shadows = picture->shadows ||
                    (frame.ground != MRW_GROUND_NONE && !mrw_settings_given(settings, "shadows"));
    frame.shadow_size = picture->shadow_size;
    frame.shadow_softness = picture->shadow_softness;
    frame.occlusion = picture->occlusion;
    frame.occlusion_radius = picture->occlusion_radius;
    frame.occlusion_strength = picture->occlusion_strength;
    return frame;
}

mrw_view_def mrw_session_view_def(const mrw_settings *settings)
{
    const mrw_viewpoint_settings *asked = &settings->camera.view;
    mrw_view_def view = mrw_view_def_default();
    view.azimuth_degrees = asked->azimuth_degrees;
    view.elevation_degrees = asked->elevation_degrees;
    view.fov_degrees = asked->fov_degrees;
    view.orthographic = asked->orthographic;
    view.height = asked->height;
    view.margin = asked->margin;
    view.near_plane = asked->near_plane;
    view.far_plane = asked->far_plane;
    view.has_eye = asked->has_eye;
    view.has_target = asked->has_target;
    memcpy(view.eye, asked->eye, sizeof view.eye);
    memcpy(view.target, asked->target, sizeof view.target);
    memcpy(view.up, asked->up, sizeof view.up);
    return view;
}

mrw_light_def mrw_session_light_def(const mrw_light_entry *entry)
{
    mrw_light_def light = mrw_light_def_default((mrw_light_type)entry->type);
    light.space = (mrw_light_space)entry->space;
    memcpy(light.position, entry->position, sizeof light.position);
    memcpy(light.direction, entry->direction, sizeof light.direction);
    memcpy(light.color, entry->color, sizeof light.color);
    light.intensity = entry->intensity;
    light.range = entry->range;
    light.inner_cone = entry->inner_cone;
    light.outer_cone = entry->outer_cone;
    memcpy(light.attenuation, entry->attenuation, sizeof light.attenuation);
    light.ambient = entry->ambient;
    light.diffuse = entry->diffuse;
    light.specular = entry->specular;
    return light;
}

/* Returns the options of loading that settings hold, without maps, threads and callbacks. */
static mrw_load_def file_options(const mrw_settings *settings)
{
    const mrw_file_settings *files = &settings->files;
    mrw_load_def def = mrw_load_def_default();
    def.texture_dirs = settings->model.texture_dirs.items;
    def.texture_dir_count = settings->model.texture_dirs.count;
    def.asset_root = files->asset_root;
    def.formats = files->formats;
    def.input_format = files->input_format;
    def.scene = files->scene;
    def.variant = files->variant;
    def.max_file_size = files->max_file_size;
    def.max_texture_size = files->max_texture_size;
    def.texture_memory = files->texture_memory;
    def.max_vertices = files->max_vertices;
    def.max_joints = files->max_joints;
    def.max_keys = files->max_keys;
    def.import_seconds = files->import_seconds;
    def.import_memory = files->import_memory;
    def.fbx_curves = files->fbx_curves;
    def.from_first_key = files->from_first_key;
    def.material_colors = files->material_colors;
    def.flip_v = files->flip_v;
    def.flip_winding = files->flip_winding;
    def.no_sandbox = files->no_sandbox;
    return def;
}

mrw_load_def mrw_session_load_def(const mrw_settings *settings, const mrw_session_host *host)
{
    mrw_load_def def = file_options(settings);
    def.maps = mrwi_session_maps(settings, host);
    def.threads = mrw_session_threads(settings);
    if (!host) {
        return def;
    }
    def.clips_only = host->clips_only;
    def.later_jpegs = host->later_jpegs && !settings->model.displacement;
    def.machine_warning = host->machine_warning;
    def.machine_warning_user = host->user;
    def.detail = host->detail;
    def.detail_user = host->user;
    def.variant_found = host->variant_found;
    def.variant_found_user = host->user;
    def.file_opened = host->file_opened;
    def.file_opened_user = host->user;
    def.find_file = host->find_file;
    def.find_file_user = host->user;
    def.progress = host->progress;
    def.progress_user = host->user;
    return def;
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
