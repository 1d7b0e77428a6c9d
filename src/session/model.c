/* model.c: chooses views and clips of a scene by settings, and finds the rate of clips. */
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "session/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

mrw_status mrw_session_model_init(const char *path, const mrw_scene *scene,
                                  const mrw_settings *settings, mrw_session_model *out,
                                  mrw_error *error)
{
    *out = (mrw_session_model){.path = path, .scene = scene, .settings = settings};
    mrw_session_name(path, out->name);
    mrw_status status = mrwi_session_mix_make(out, error);
    if (status) {
        mrw_session_model_free(out);
    }
    return status;
}

void mrw_session_model_free(mrw_session_model *model)
{
    mrwi_base_free(model->mix.tracks);
    *model = (mrw_session_model){0};
}

/* ---- views ----------------------------------------------------------------------------------- */

uint32_t mrw_session_view_count(const mrw_settings *settings)
{
    const mrw_camera_settings *camera = &settings->camera;
    const size_t named = camera->view_count + camera->names.count;
    const size_t azimuths = camera->azimuth_count > 0 ? camera->azimuth_count : 1;
    const size_t elevations = camera->elevation_count > 0 ? camera->elevation_count : 1;
    return named > 0                ? (uint32_t)named
           : camera->turntable > 0  ? camera->turntable
           : camera->directions > 0 ? camera->directions
                                    : (uint32_t)(azimuths * elevations);
}

bool mrw_session_turns(const mrw_settings *settings)
{
    return settings->camera.turntable > 0;
}

bool mrwi_session_shares_distance(const mrw_settings *settings)
{
    return settings->camera.turntable > 0 || settings->camera.directions > 0;
}

/* Names of directions: the way that the model looks in the picture, s being out of it. One name per
 * 1/16 of a turn of the camera, which moves counter-clockwise seen from above, so that the model
 * turns to the left. */
static const char *const directions[16] = {"s", "ssw", "sw", "wsw", "w", "wnw", "nw", "nnw",
                                           "n", "nne", "ne", "ene", "e", "ese", "se", "sse"};

/* Turns the view by its share of a whole turn, with one rounding of the share. */
static void turn(mrw_view_def *view, uint32_t index, uint32_t count)
{
    const double share = (double)(index * (uint64_t)360) / (double)count;
    view->azimuth_degrees = (float)((double)view->azimuth_degrees + share);
}

/* Sets the angles of view `index` of those that settings ask for. */
static void choose_angles(const mrw_settings *settings, uint32_t index, mrw_view_def *view)
{
    const mrw_camera_settings *camera = &settings->camera;
    const size_t azimuths = camera->azimuth_count > 0 ? camera->azimuth_count : 1;
    if (camera->view_count > 0) {
        view->azimuth_degrees = camera->views[index].azimuth_degrees;
        view->elevation_degrees = camera->views[index].elevation_degrees;
    } else if (camera->turntable > 0) {
        turn(view, index, camera->turntable);
    } else if (camera->directions > 0) {
        if (mrw_settings_finds_front(settings)) {
            view->azimuth_degrees = 0.0f; /* the front itself */
        }
        turn(view, index, camera->directions);
    } else {
        if (camera->azimuth_count > 0) {
            view->azimuth_degrees = camera->azimuths[index % azimuths];
        }
        if (camera->elevation_count > 0) {
            view->elevation_degrees = camera->elevations[index / azimuths];
        }
    }
}

/* Names a view: by --views, by its direction, as --views names its angles, or by the angles. */
static void name_view(const mrw_settings *settings, uint32_t index, mrw_session_view *out)
{
    const mrw_camera_settings *camera = &settings->camera;
    const char *name = camera->view_count > 0 ? camera->views[index].name : NULL;
    char azimuth[32], elevation[32];
    if (camera->directions > 0) {
        out->direction = directions[index * (16 / camera->directions)];
        name = out->direction;
    } else if (camera->azimuth_count + camera->elevation_count > 0) {
        name = mrw_view_name(out->view.azimuth_degrees, out->view.elevation_degrees);
    }
    if (name) {
        snprintf(out->name, sizeof out->name, "%s", name);
        return;
    }
    mrw_format_float(out->view.azimuth_degrees, azimuth);
    mrw_format_float(out->view.elevation_degrees, elevation);
    snprintf(out->name, sizeof out->name, "az%s_el%s", azimuth, elevation);
}

/* Finds the camera of the file that view `index` names. Refuses a camera named twice, because both
 * views would go to the same files. */
static mrw_status find_camera(const mrw_session_model *model, uint32_t index, mrw_session_view *out,
                              mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    const char *const *texts = model->settings->camera.names.items;
    mrw_status status = mrw_scene_find_camera(scene, texts[index], &out->scene_camera, error);
    if (status) {
        return mrwi_session_prefix(error, model->path, status);
    }
    for (uint32_t i = 0; i < index; i++) {
        uint32_t before;
        if (!mrw_scene_find_camera(scene, texts[i], &before, NULL) && before == out->scene_camera) {
            char safe[2][100];
            return mrwi_base_fail(
                error, MRW_ERROR_INPUT,
                "%s: --camera %s and --camera %s are the same camera; leave one out", model->path,
                mrwi_base_escape(texts[i], safe[0], sizeof safe[0]),
                mrwi_base_escape(texts[index], safe[1], sizeof safe[1]));
        }
    }
    const char *name = mrw_scene_string(scene, scene->cameras[out->scene_camera].name);
    if (name[0] != '\0') {
        snprintf(out->name, sizeof out->name, "%s", name);
    } else {
        snprintf(out->name, sizeof out->name, "camera_%u", out->scene_camera);
    }
    return MRW_OK;
}

/* Ignores the turn about the vertical axis, which is meant to be seen. Tilts set the model upright,
 * so they count. */
mrw_status mrwi_session_find_front(const mrw_session_model *model, mrw_front *out, mrw_error *error)
{
    const mrw_model_settings *placed = &model->settings->model;
    const float tilt[3] = {placed->rotate[0], 0.0f, placed->rotate[2]};
    mrw_mat4 model_to_world;
    mrw_view_model_transform(placed->translate, tilt, placed->scale, &model_to_world);
    return mrw_find_front(model->scene, &model_to_world, out, error);
}

/* Finds a view of a model with this front. */
static mrw_status find_view(const mrw_session_model *model, uint32_t index, const mrw_front *front,
                            mrw_session_view *out, mrw_error *error)
{
    *out =
        (mrw_session_view){.view = mrw_session_view_def(model->settings), .scene_camera = MRW_NONE};
    if (model->settings->camera.names.count > 0) {
        return find_camera(model, index, out, error);
    }
    choose_angles(model->settings, index, &out->view);
    if (mrw_settings_finds_front(model->settings)) {
        out->view.azimuth_degrees += front->azimuth_degrees;
    }
    name_view(model->settings, index, out);
    return MRW_OK;
}

/* Finds the front that the views of a model turn to. */
static mrw_status front_of_views(const mrw_session_model *model, mrw_front *out, mrw_error *error)
{
    const bool finds =
        model->settings->camera.names.count == 0 && mrw_settings_finds_front(model->settings);
    return finds ? mrwi_session_find_front(model, out, error) : MRW_OK;
}

mrw_status mrw_session_find_view(const mrw_session_model *model, uint32_t index,
                                 mrw_session_view *out, mrw_error *error)
{
    mrw_front front;
    mrw_status status = front_of_views(model, &front, error);
    return status ? status : find_view(model, index, &front, out, error);
}

mrw_status mrwi_session_find_views(const mrw_session_model *model, mrw_session_view *out,
                                   mrw_error *error)
{
    const uint32_t count = mrw_session_view_count(model->settings);
    mrw_front front;
    mrw_status status = front_of_views(model, &front, error);
    for (uint32_t v = 0; !status && v < count; v++) {
        status = find_view(model, v, &front, &out[v], error);
    }
    return status;
}

/* ---- clips ----------------------------------------------------------------------------------- */

static bool matches_exactly(const mrw_scene *scene, uint32_t clip, const char *pattern)
{
    return mrwi_base_utf8_same(mrw_scene_string(scene, scene->clips[clip].name), pattern) ||
           mrwi_base_utf8_same(mrw_scene_string(scene, scene->clips[clip].full_name), pattern) ||
           pattern[strspn(pattern, "0123456789")] == '\0';
}

static void add_once(mrw_session_clips *clips, uint32_t clip)
{
    for (uint32_t i = 0; i < clips->count; i++) {
        if (clips->items[i] == clip) {
            return;
        }
    }
    clips->items[clips->count++] = clip;
}

/* Adds the clips that a name, a number or a pattern of --clip chooses. */
static mrw_status add_pattern(const mrw_session_model *model, const char *pattern,
                              mrw_session_clips *out, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    bool all = strcmp(pattern, "all") == 0 && scene->clips_count > 0;
    uint32_t first = 0;
    mrw_error ignored;
    mrw_status status = mrw_scene_find_clip(scene, pattern, &first, all ? &ignored : error);
    if (status && !all) {
        return mrwi_session_prefix(error, model->path, status);
    }
    if (!status && matches_exactly(scene, first, pattern)) {
        add_once(out, first);
        return MRW_OK;
    }
    for (uint32_t i = 0; i < scene->clips_count; i++) {
        const mrw_clip *clip = &scene->clips[i];
        if (all || mrwi_base_glob(pattern, mrw_scene_string(scene, clip->name)) ||
            mrwi_base_glob(pattern, mrw_scene_string(scene, clip->full_name))) {
            add_once(out, i);
        }
    }
    return MRW_OK;
}

mrw_status mrw_session_choose_clips(const mrw_session_model *model, mrw_session_clips *out,
                                    mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    const mrw_settings *settings = model->settings;
    const size_t most = (size_t)scene->clips_count + 1;
    *out = (mrw_session_clips){.items = mrwi_base_alloc(most, sizeof *out->items)};
    if (!out->items) {
        return mrwi_base_fail_memory(error, most * sizeof *out->items);
    }
    if (model->mix.fixed) {
        out->items[out->count++] = model->mix.tracks[0].clip;
        return MRW_OK;
    }
    for (size_t i = 0; i < settings->animation.clips.count; i++) {
        mrw_status status = add_pattern(model, settings->animation.clips.items[i], out, error);
        if (status) {
            mrw_session_clips_free(out);
            return status;
        }
    }
    if (settings->animation.clips.count == 0) {
        bool plays = settings->animation.pose == MRW_POSE_CLIP && scene->clips_count > 0;
        out->items[out->count++] = plays ? scene->default_clip : MRW_NONE;
    }
    return MRW_OK;
}

void mrw_session_clips_free(mrw_session_clips *clips)
{
    mrwi_base_free(clips->items);
    *clips = (mrw_session_clips){0};
}

const char *mrw_session_clip_name(const mrw_session_model *model, uint32_t clip)
{
    if (clip == MRW_NONE) {
        return model->settings->animation.pose == MRW_POSE_BIND ? "bind" : "rest";
    }
    if (model->mix.fixed) {
        return model->mix.name;
    }
    return mrw_scene_string(model->scene, model->scene->clips[clip].name);
}

double mrw_session_clip_duration(const mrw_session_model *model, uint32_t clip)
{
    return model->mix.track_count > 0 ? mrwi_session_mix_duration(model, clip)
           : clip == MRW_NONE         ? 0.0
                                      : model->scene->clips[clip].duration;
}

/* ---- the rate of a file ---------------------------------------------------------------------- */

static bool lies_on_frames(const mrw_scene *scene, const mrw_clip *clip, mrw_rate rate)
{
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const mrw_channel *channel = &scene->channels[clip->first_channel + c];
        for (uint32_t k = 0; k < channel->key_count; k++) {
            double frame = scene->key_times[channel->first_time + k] * rate.num / rate.den;
            if (fabs(frame - floor(frame + 0.5)) > 2e-3) {
                return false;
            }
        }
    }
    return true;
}

/* Returns true if all keys of the clip, and of all clips mixed with it, lie on frames of that rate.
 */
static bool plays_on_frames(const mrw_session_model *model, uint32_t clip, mrw_rate rate)
{
    const mrw_scene *scene = model->scene;
    for (uint32_t i = 0; i < model->mix.track_count; i++) {
        if (!lies_on_frames(scene, &scene->clips[model->mix.tracks[i].clip], rate)) {
            return false;
        }
    }
    return lies_on_frames(scene, &scene->clips[clip], rate);
}

mrw_rate mrw_session_clip_rate(const mrw_session_model *model, uint32_t clip)
{
    /* In order of likelihood: keys on whole seconds lie on the frames of all of them. */
    static const mrw_rate usual[] = {{30, 1}, {24, 1},  {25, 1},  {60, 1},       {50, 1},
                                     {48, 1}, {120, 1}, {100, 1}, {30000, 1001}, {24000, 1001}};
    if (!model->settings->animation.fps_of_file) {
        return model->settings->animation.fps;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual && clip != MRW_NONE; i++) {
        if (plays_on_frames(model, clip, usual[i])) {
            return usual[i];
        }
    }
    return model->settings->animation.fps; /* the default */
}

mrw_rate mrw_session_time_rate(const mrw_session_model *model, uint32_t clip)
{
    return mrw_time_rate(mrw_session_clip_rate(model, clip), model->settings->animation.speed);
}
