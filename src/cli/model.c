/* model.c: loading a model, and which of its clips play at which rate. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STDIN_NAME "standard input"

void cli_model_name(const char *path, char out[256])
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    if (strncmp(path, "demo:", 5) == 0) {
        base = path + 5;
    }
    if (strcmp(path, "-") == 0) {
        base = "stdin";
    }
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    snprintf(out, 256, "%.*s", (int)(length < 255 ? length : 255), base);
}

/* ---- loading ---- */

static mrw_load_def load_def(const mrw_settings *settings)
{
    mrw_load_def def = mrw_load_def_default();
    def.texture_dirs = settings->texture_dirs.items;
    def.texture_dir_count = settings->texture_dirs.count;
    def.asset_root = settings->asset_root;
    def.formats = settings->formats;
    def.input_format = settings->input_format;
    def.scene = settings->scene;
    def.max_file_size = settings->max_file_size;
    def.max_texture_size = settings->max_texture_size;
    def.max_vertices = settings->max_vertices;
    def.max_joints = settings->max_joints;
    def.max_keys = settings->max_keys;
    def.import_seconds = settings->import_seconds;
    def.import_memory = settings->import_memory;
    def.fbx_curves = settings->fbx_curves;
    def.no_sandbox = settings->no_sandbox;
    def.machine_warning = cli_warn_machine;
    return def;
}

/* Reads all of standard input. */
static mrw_status read_stdin(uint64_t most, cli_text *out, mrw_error *error)
{
    static bool used;
    char block[65536];
    size_t count;
    if (used) {
        return cli_fail(error, MRW_ERROR_USAGE, "-: standard input can be one model only");
    }
    used = true;
    while ((count = fread(block, 1, sizeof block, stdin)) > 0 && out->size <= most) {
        cli_text_put(out, block, count);
    }
    if (out->failed) {
        return cli_fail_memory(error);
    }
    if (ferror(stdin)) {
        return cli_fail(error, MRW_ERROR_INPUT, STDIN_NAME ": it could not be read");
    }
    if (out->size > most) {
        return cli_fail(error, MRW_ERROR_INPUT,
                        STDIN_NAME ": the model is larger than the size limit; allow it with "
                                   "--max-file-size");
    }
    return MRW_OK;
}

/* Paths in a model on standard input are looked up in the current folder. */
static mrw_status load_stdin(const mrw_load_def *def, mrw_scene **out, mrw_error *error)
{
    cli_text bytes = {0};
    mrw_status status = read_stdin(def->max_file_size, &bytes, error);
    if (status == MRW_OK) {
        status = mrw_load_memory(bytes.data ? bytes.data : "", bytes.size, STDIN_NAME, ".", def,
                                 out, error);
    }
    cli_text_free(&bytes);
    return status;
}

static void pass_warnings(const mrw_scene *scene, const char *label)
{
    char text[1200];
    for (uint32_t i = 0; i < scene->warnings_count; i++) {
        const char *warning = mrw_scene_string(scene, scene->warnings[i]);
        bool named = strncmp(warning, label, strlen(label)) == 0;
        snprintf(text, sizeof text, "%s%s%s", named ? "" : label, named ? "" : ": ", warning);
        cli_warn(text);
    }
}

static void tell_cut(const mrw_scene *scene, uint32_t most, const mrw_influence_cut *cut)
{
    char weight[32], sum[32];
    uint64_t skinned = 0;
    for (uint32_t g = 0; g < scene->groups_count; g++) {
        skinned += scene->groups[g].influence_count > 0 ? scene->groups[g].vertex_count : 0;
    }
    mrw_format_fixed((double)cut->largest_weight, 4, weight);
    mrw_format_fixed((double)cut->largest_sum, 4, sum);
    cli_detail("cut to %u influences: %llu of %llu skinned vertices lost some; the largest weight "
               "dropped was %s, the largest sum %s",
               most, (unsigned long long)cut->vertices, (unsigned long long)skinned, weight, sum);
}

mrw_status cli_model_prepare(const cli_model *model, const mrw_settings *settings,
                             mrw_shading shading, int threads, mrw_model **out, mrw_error *error)
{
    mrw_model_def def = mrw_model_def_default();
    def.shading = shading;
    def.max_influences = settings->max_influences;
    mrw_status status = mrw_model_create_with(model->scene, &def, threads, out, error);
    if (status == MRW_OK && settings->max_influences > 0) {
        mrw_influence_cut cut = mrw_model_influence_cut(*out);
        tell_cut(model->scene, settings->max_influences, &cut);
    }
    return status;
}

static mrw_status load_scene(const char *path, const mrw_load_def *def, mrw_scene **out,
                             mrw_error *error)
{
    bool piped = strcmp(path, "-") == 0;
    const char *label = piped ? STDIN_NAME : path;
    double start = cli_now();
    mrw_status status = piped ? load_stdin(def, out, error) : mrw_load_file(path, def, out, error);
    if (status == MRW_ERROR_USAGE) {
        return status; /* about an option */
    }
    if (status != MRW_OK) {
        return cli_prefix(error, label, status);
    }
    cli_detail_scene(label, *out, cli_now() - start);
    pass_warnings(*out, label);
    return MRW_OK;
}

/* ---- clips of other files ---- */

static void report_match(const char *path, const mrw_clip_match *match)
{
    char safe[512];
    mrw_escape_text(path, safe, sizeof safe);
    bool all = match->matched == match->joints;
    cli_say("%s: %u of %u joints matched%s%s", safe, match->matched, match->joints,
            all ? "" : "; not in the model: ", all ? "" : match->unmatched);
    if (match->weights_left_out > 0) {
        char text[640];
        snprintf(text, sizeof text,
                 "%s: %u channels of morph weights do not fit the model and are left out", safe,
                 match->weights_left_out);
        cli_warn(text);
    }
}

static mrw_status add_clips(cli_model *model, const char *const *paths, mrw_clip_source *sources,
                            uint32_t count, mrw_error *error)
{
    mrw_scene *sum = NULL;
    mrw_status status = mrw_scene_add_clips(model->scene, sources, count, &sum, error);
    if (status != MRW_OK) {
        return cli_prefix(error, model->path, status);
    }
    for (uint32_t i = 0; i < count; i++) {
        report_match(paths[i], &sources[i].match);
    }
    mrw_scene_free(model->scene);
    model->scene = sum;
    return MRW_OK;
}

/* Loads the files of --anim and gives their clips to the model. */
static mrw_status load_clips(cli_model *model, const mrw_settings *settings, mrw_error *error)
{
    uint32_t count = (uint32_t)settings->anims.count, loaded = 0;
    const char *const *paths = settings->anims.items;
    mrw_load_def def = load_def(settings);
    def.scene = NULL; /* these two are about the model */
    def.input_format = NULL;
    mrw_clip_source *sources = calloc(count, sizeof *sources);
    char(*names)[256] = calloc(count, sizeof *names);
    mrw_scene *scene = NULL;
    mrw_status status = sources && names ? MRW_OK : cli_fail_memory(error);
    while (status == MRW_OK && loaded < count) {
        cli_model_name(paths[loaded], names[loaded]);
        status = load_scene(paths[loaded], &def, &scene, error);
        if (status == MRW_OK) {
            sources[loaded] = (mrw_clip_source){.scene = scene, .name = names[loaded]};
            loaded++;
        }
    }
    if (status == MRW_OK) {
        status = add_clips(model, paths, sources, count, error);
    }
    for (uint32_t i = 0; i < loaded; i++) {
        mrw_scene_free((mrw_scene *)(uintptr_t)sources[i].scene);
    }
    free(sources);
    free(names);
    return status;
}

mrw_status cli_model_load(cli_model *model, const char *path, const mrw_settings *settings,
                          mrw_error *error)
{
    mrw_load_def def = load_def(settings);
    *model = (cli_model){.path = path};
    cli_model_name(path, model->name);
    mrw_status status = mrw_load_def_check(&def, error);
    if (status == MRW_OK) {
        status = load_scene(path, &def, &model->scene, error);
    }
    if (status == MRW_OK && settings->anims.count > 0) {
        status = load_clips(model, settings, error);
        if (status != MRW_OK) {
            cli_model_free(model);
        }
    }
    return status;
}

void cli_model_free(cli_model *model)
{
    cli_mix_free(&model->mix);
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
    if (model->mix.fixed) {
        out->items[out->count++] = model->mix.tracks[0].clip;
        return MRW_OK;
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
    if (model->mix.fixed) {
        return model->mix.name;
    }
    return mrw_scene_string(model->scene, model->scene->clips[clip].name);
}

double cli_clip_duration(const cli_model *model, uint32_t clip)
{
    return model->mix.count > 0 ? cli_mix_duration(model, clip)
           : clip == MRW_NONE   ? 0.0
                                : model->scene->clips[clip].duration;
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

/* All keys of the clip, or of all that are mixed with it. */
static bool plays_on_frames(const cli_model *model, uint32_t clip, mrw_rate rate)
{
    const mrw_scene *scene = model->scene;
    for (uint32_t i = 0; i < model->mix.count; i++) {
        if (!lies_on_frames(scene, &scene->clips[model->mix.tracks[i].clip], rate)) {
            return false;
        }
    }
    return lies_on_frames(scene, &scene->clips[clip], rate);
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
        if (plays_on_frames(model, clip, usual[i])) {
            return usual[i];
        }
    }
    return (mrw_rate){30, 1};
}
