/* stage.c: what is in a picture: the model, those of --add, and the camera that sees them. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_thread_count(const mrw_settings *settings)
{
    return settings->threads > 0 ? (int)settings->threads : mrw_cpu_count();
}

/* ---- settings to definitions ---- */

static mrw_view_def view_of(const mrw_settings *settings)
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

static mrw_frame_def frame_of(const mrw_settings *settings)
{
    mrw_frame_def frame = mrw_frame_def_default();
    frame.width = settings->width;
    frame.height = settings->height;
    frame.samples = settings->samples;
    frame.shading = (mrw_shading)settings->shading;
    frame.filter = (mrw_filter)settings->filter;
    memcpy(frame.background, settings->background, sizeof frame.background);
    frame.transparent = settings->transparent;
    frame.isa = settings->isa;
    return frame;
}

/* Finds what --camera and --follow name. */
static mrw_status choose_camera(cli_stage *stage, mrw_error *error)
{
    const mrw_settings *settings = stage->settings;
    mrw_status status = MRW_OK;
    if (settings->camera) {
        status = mrw_scene_find_camera(stage->model->scene, settings->camera,
                                       &stage->frame.scene_camera, error);
        status = status == MRW_OK ? MRW_OK : cli_prefix(error, stage->model->path, status);
    }
    if (status == MRW_OK && settings->follow) {
        status = cli_find_node(stage->model, settings->follow, &stage->frame.follow.node, error);
    }
    return status;
}

mrw_status cli_stage_begin(cli_stage *stage, cli_model *model, const mrw_settings *settings,
                           bool sequence, mrw_error *error)
{
    mrw_fit usual = sequence ? MRW_FIT_CLIP : MRW_FIT_FRAME;
    *stage = (cli_stage){.settings = settings,
                         .model = model,
                         .frame = frame_of(settings),
                         .view = view_of(settings),
                         .aspect = (float)settings->width / (float)settings->height,
                         .threads = cli_thread_count(settings)};
    stage->fit = mrw_settings_given(settings, "fit") ? (mrw_fit)settings->fit : usual;
    return choose_camera(stage, error);
}

/* ---- models ---- */

/* Loads MODEL or MODEL@NODE; a file that has the whole name is meant first. */
static mrw_status load_prop(cli_stage *stage, const char *text, cli_prop *prop, mrw_error *error)
{
    const char *at = access(text, F_OK) == 0 ? NULL : mrw_split_at(text);
    size_t length = at ? (size_t)(at - text) : strlen(text);
    mrw_settings settings = *stage->settings;
    char path[4096];
    prop->node = MRW_NONE;
    if (length >= sizeof path) {
        return cli_fail(error, MRW_ERROR_INPUT, "--add: the path is too long");
    }
    memcpy(path, text, length);
    path[length] = '\0';
    settings.anims.count = 0; /* these are about the first model */
    settings.scene = NULL;
    settings.input_format = NULL;
    mrw_status status = cli_model_load(&prop->model, path, &settings, error);
    prop->model.path = text;
    if (status == MRW_OK && at) {
        status = cli_find_node(stage->model, at + 1, &prop->node, error);
    }
    return status;
}

static mrw_status load_props(cli_stage *stage, mrw_shading shading, mrw_error *error)
{
    const mrw_text_list *added = &stage->settings->added;
    mrw_status status = MRW_OK;
    stage->props = calloc(added->count + 1, sizeof *stage->props);
    if (!stage->props) {
        return cli_fail_memory(error);
    }
    for (size_t i = 0; i < added->count && status == MRW_OK; i++) {
        cli_prop *prop = &stage->props[stage->prop_count++];
        status = load_prop(stage, added->items[i], prop, error);
        if (status == MRW_OK) {
            status = cli_model_prepare(&prop->model, stage->settings, shading, stage->threads,
                                       &prop->drawable, error);
        }
    }
    return status;
}

static mrw_status place_instances(cli_stage *stage, mrw_error *error)
{
    const mrw_settings *settings = stage->settings;
    stage->instance_count = stage->prop_count + 1;
    stage->instances = calloc(stage->instance_count, sizeof *stage->instances);
    if (!stage->instances) {
        return cli_fail_memory(error);
    }
    for (uint32_t i = 0; i < stage->instance_count; i++) {
        mrw_instance *instance = &stage->instances[i];
        const cli_prop *prop = i > 0 ? &stage->props[i - 1] : NULL;
        *instance = mrw_instance_default(prop ? prop->drawable : stage->drawable);
        instance->pose = (mrw_pose)settings->pose;
        instance->skinning = (mrw_skinning)settings->skinning;
        instance->loop = settings->wrap == MRW_TIME_LOOP;
        instance->root_motion = (mrw_root_motion)settings->root_motion;
        if (prop && prop->node != MRW_NONE) {
            instance->attached = true;
            instance->parent_node = prop->node;
        }
    }
    mrw_view_model_transform(settings->translate, settings->rotate, settings->scale,
                             &stage->instances[0].model_to_world);
    return MRW_OK;
}

mrw_status cli_stage_prepare(cli_stage *stage, mrw_shading shading, mrw_error *error)
{
    mrw_status status = cli_model_prepare(stage->model, stage->settings, shading, stage->threads,
                                          &stage->drawable, error);
    if (status == MRW_OK) {
        status = load_props(stage, shading, error);
    }
    return status == MRW_OK ? place_instances(stage, error) : status;
}

void cli_stage_free(cli_stage *stage)
{
    for (uint32_t i = 0; i < stage->prop_count; i++) {
        mrw_model_free(stage->props[i].drawable);
        cli_model_free(&stage->props[i].model);
    }
    free(stage->props);
    free(stage->instances);
    mrw_model_free(stage->drawable);
    *stage = (cli_stage){0};
}

/* ---- playing ---- */

/* The clip of a prop while the model plays `clip`: the one of the same name, or its first. */
static uint32_t clip_of_prop(const cli_stage *stage, const cli_prop *prop, uint32_t clip)
{
    const mrw_scene *theirs = prop->model.scene, *ours = stage->model->scene;
    if (theirs->clips_count == 0) {
        return MRW_NONE;
    }
    for (uint32_t c = 0; clip != MRW_NONE && c < theirs->clips_count; c++) {
        if (strcmp(mrw_scene_string(theirs, theirs->clips[c].name),
                   mrw_scene_string(ours, ours->clips[clip].name)) == 0) {
            return c;
        }
    }
    return 0;
}

static void play_clip(cli_stage *stage, uint32_t clip)
{
    cli_mix *mix = &stage->model->mix;
    stage->instances[0].clip = clip;
    if (mix->count > 0) {
        if (!mix->fixed) {
            mix->tracks[0].clip = clip;
        }
        stage->mix = (mrw_mix){mix->tracks, mix->count, mix->sync};
        stage->instances[0].mix = &stage->mix;
    }
    for (uint32_t i = 0; i < stage->prop_count; i++) {
        stage->instances[i + 1].clip = clip_of_prop(stage, &stage->props[i], clip);
    }
}

void cli_stage_play(cli_stage *stage, const cli_picture *picture)
{
    play_clip(stage, picture->clip);
    for (uint32_t i = 0; i < stage->instance_count; i++) {
        stage->instances[i].time = picture->play_time;
    }
}

/* ---- the camera ---- */

static mrw_status start_following(cli_stage *stage, mrw_error *error)
{
    mrw_renderer *renderer = NULL;
    mrw_status status = mrw_renderer_create(&renderer, error);
    if (status == MRW_OK) {
        status = mrw_follow_node(renderer, &stage->instances[0], stage->frame.follow.node,
                                 &stage->frame.follow, error);
    }
    mrw_renderer_free(renderer);
    return status;
}

static mrw_status extents_of(cli_stage *stage, mrw_fit fit, mrw_extents *out, mrw_error *error)
{
    return mrw_frame_extents_following(stage->instances, stage->instance_count,
                                       &stage->frame.follow, fit, &stage->view, stage->aspect,
                                       stage->frame.isa, stage->threads, out, error);
}

/* Every clip in turn, each with the clips that the others play along with it. */
static mrw_status extents_of_all(cli_stage *stage, mrw_extents *out, mrw_error *error)
{
    const uint32_t count = stage->model->scene->clips_count;
    const uint32_t now = stage->instances[0].clip;
    mrw_status status = MRW_OK;
    for (uint32_t c = 0; c < count && status == MRW_OK; c++) {
        mrw_extents part;
        play_clip(stage, c);
        status = extents_of(stage, MRW_FIT_CLIP, c == 0 ? out : &part, error);
        if (status == MRW_OK && c > 0) {
            mrw_extents_merge(out, &part);
        }
    }
    play_clip(stage, now);
    return status;
}

mrw_status cli_stage_aim(cli_stage *stage, mrw_error *error)
{
    mrw_extents extents;
    mrw_status status = MRW_OK;
    bool each = stage->fit == MRW_FIT_ALL && stage->settings->pose == MRW_POSE_CLIP &&
                stage->model->scene->clips_count > 0 && !stage->model->mix.fixed;
    if (stage->frame.scene_camera != MRW_NONE || stage->framed) {
        return MRW_OK;
    }
    if (stage->frame.follow.node != MRW_NONE) {
        status = start_following(stage, error);
    }
    if (status == MRW_OK) {
        status = each ? extents_of_all(stage, &extents, error)
                      : extents_of(stage, stage->fit, &extents, error);
    }
    if (status == MRW_OK) {
        status =
            mrw_view_camera(&stage->view, &extents, stage->aspect, &stage->frame.camera, error);
    }
    stage->framed = stage->fit == MRW_FIT_ALL || stage->fit == MRW_FIT_REST;
    return status == MRW_ERROR_INPUT ? cli_prefix(error, stage->model->path, status) : status;
}
