/* model.c: loading a model, and which of its clips play at which rate. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_model_name(const char *path, char out[256])
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    if (strncmp(path, "demo:", 5) == 0) {
        base = path + 5;
    }
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    snprintf(out, 256, "%.*s", (int)(length < 255 ? length : 255), base);
}

mrw_status cli_model_load(cli_model *model, const char *path, const mrw_settings *settings,
                          mrw_error *error)
{
    mrw_load_def def = mrw_load_def_default();
    char text[1200];
    *model = (cli_model){.path = path};
    cli_model_name(path, model->name);
    def.texture_dirs = settings->texture_dirs.items;
    def.texture_dir_count = settings->texture_dirs.count;
    double start = cli_now();
    mrw_status status = mrw_load_file(path, &def, &model->scene, error);
    if (status != MRW_OK) {
        return cli_prefix(error, path, status);
    }
    cli_detail_scene(path, model->scene, cli_now() - start);
    for (uint32_t i = 0; i < model->scene->warnings_count; i++) {
        const char *warning = mrw_scene_string(model->scene, model->scene->warnings[i]);
        bool named = strncmp(warning, path, strlen(path)) == 0;
        snprintf(text, sizeof text, "%s%s%s", named ? "" : path, named ? "" : ": ", warning);
        cli_warn(text);
    }
    return MRW_OK;
}

void cli_model_free(cli_model *model)
{
    mrw_scene_free(model->scene);
    model->scene = NULL;
}

/* ---- clips ---- */

static bool matches_exactly(const mrw_scene *scene, uint32_t clip, const char *pattern)
{
    return strcmp(mrw_scene_string(scene, scene->clips[clip].name), pattern) == 0 ||
           strcmp(mrw_scene_string(scene, scene->clips[clip].full_name), pattern) == 0 ||
           pattern[strspn(pattern, "0123456789")] == '\0';
}

static bool matches_glob(const mrw_scene *scene, uint32_t clip, const char *pattern)
{
    return mrw_glob_match(pattern, mrw_scene_string(scene, scene->clips[clip].name)) ||
           mrw_glob_match(pattern, mrw_scene_string(scene, scene->clips[clip].full_name));
}

static void add_once(cli_clips *clips, uint32_t clip)
{
    for (uint32_t i = 0; i < clips->count; i++) {
        if (clips->items[i] == clip) {
            return;
        }
    }
    clips->items[clips->count++] = clip;
}

static mrw_status add_pattern(const cli_model *model, const char *pattern, cli_clips *out,
                              mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    bool all = strcmp(pattern, "all") == 0 && scene->clips_count > 0;
    uint32_t first = 0;
    mrw_error ignored;
    mrw_status status = mrw_scene_find_clip(scene, pattern, &first, all ? &ignored : error);
    if (status != MRW_OK && !all) {
        return cli_prefix(error, model->path, status);
    }
    if (status == MRW_OK && matches_exactly(scene, first, pattern)) {
        add_once(out, first);
        return MRW_OK;
    }
    for (uint32_t i = 0; i < scene->clips_count; i++) {
        if (all || matches_glob(scene, i, pattern)) {
            add_once(out, i);
        }
    }
    return MRW_OK;
}

mrw_status cli_choose_clips(const cli_model *model, const mrw_settings *settings, cli_clips *out,
                            mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    mrw_status status = MRW_OK;
    out->items = malloc(((size_t)scene->clips_count + 1) * sizeof *out->items);
    out->count = 0;
    if (!out->items) {
        return cli_fail_memory(error);
    }
    for (size_t i = 0; i < settings->clips.count && status == MRW_OK; i++) {
        status = add_pattern(model, settings->clips.items[i], out, error);
    }
    if (settings->clips.count == 0) {
        bool plays = settings->pose == MRW_POSE_CLIP && scene->clips_count > 0;
        out->items[out->count++] = plays ? 0 : MRW_NONE;
    }
    if (status != MRW_OK) {
        free(out->items);
        out->items = NULL;
    }
    return status;
}

const char *cli_clip_name(const cli_model *model, const mrw_settings *settings, uint32_t clip)
{
    if (clip == MRW_NONE) {
        return settings->pose == MRW_POSE_BIND ? "bind" : "rest";
    }
    return mrw_scene_string(model->scene, model->scene->clips[clip].name);
}

double cli_clip_duration(const cli_model *model, uint32_t clip)
{
    return clip == MRW_NONE ? 0.0 : model->scene->clips[clip].duration;
}

/* ---- the rate of a file ---- */

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

mrw_rate cli_clip_rate(const cli_model *model, const mrw_settings *settings, uint32_t clip)
{
    /* In order of likelihood: keys on whole seconds lie on the frames of all of them. */
    static const mrw_rate usual[] = {{30, 1}, {24, 1},  {25, 1},  {60, 1},       {50, 1},
                                     {48, 1}, {120, 1}, {100, 1}, {30000, 1001}, {24000, 1001}};
    if (!settings->fps_of_file) {
        return settings->fps;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual && clip != MRW_NONE; i++) {
        if (lies_on_frames(model->scene, &model->scene->clips[clip], usual[i])) {
            return usual[i];
        }
    }
    return (mrw_rate){30, 1};
}
