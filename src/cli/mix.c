/* mix.c: --blend, --together and --layer: which clips play at the same time, and how. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static bool is_index(const char *name, uint32_t count, uint32_t *out)
{
    unsigned long value = 0;
    if (name[0] == '\0' || strlen(name) > 9 || name[strspn(name, "0123456789")] != '\0') {
        return false;
    }
    value = strtoul(name, NULL, 10);
    *out = (uint32_t)value;
    return value < count;
}

static mrw_status unknown_node(const cli_model *model, const char *name, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    const char **names = malloc(((size_t)scene->nodes_count + 1) * sizeof *names);
    char text[900], safe[200];
    if (!names) {
        return cli_fail_memory(error);
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        names[n] = mrw_scene_string(scene, scene->nodes[n].name);
    }
    snprintf(text, sizeof text, "there is no node \"%s\"",
             mrw_escape_text(name, safe, sizeof safe));
    mrw_suggest_names(text, sizeof text, name, names, scene->nodes_count);
    free(names);
    cli_fail(error, MRW_ERROR_INPUT, "%s", text);
    return cli_prefix(error, model->path, MRW_ERROR_INPUT);
}

mrw_status cli_find_node(const cli_model *model, const char *name, uint32_t *out, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        if (strcmp(mrw_scene_string(scene, scene->nodes[n].name), name) == 0) {
            *out = n;
            return MRW_OK;
        }
    }
    if (is_index(name, scene->nodes_count, out)) {
        return MRW_OK;
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        if (mrw_glob_match(name, mrw_scene_string(scene, scene->nodes[n].name))) {
            *out = n;
            return MRW_OK;
        }
    }
    return unknown_node(model, name, error);
}

/* A clip whose name is `length` characters of text. */
static mrw_status find_clip(const cli_model *model, const char *text, size_t length, uint32_t *out,
                            mrw_error *error)
{
    char *name = malloc(length + 1);
    if (!name) {
        return cli_fail_memory(error);
    }
    memcpy(name, text, length);
    name[length] = '\0';
    mrw_status status = mrw_scene_find_clip(model->scene, name, out, error);
    free(name);
    return status == MRW_OK ? MRW_OK : cli_prefix(error, model->path, status);
}

/* ---- tracks ---- */

/* The clip's name behind what is there already, with a sign between. */
static void add_name(cli_mix *mix, const char *name)
{
    size_t used = strlen(mix->name);
    snprintf(mix->name + used, sizeof mix->name - used, "%s%s", used > 0 ? "+" : "", name);
}

static mrw_status add_blend(cli_model *model, const mrw_settings *settings, mrw_error *error)
{
    cli_mix *mix = &model->mix;
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < settings->blend_count && status == MRW_OK; i++) {
        const mrw_blend_part *part = &settings->blend[i];
        mrw_track *track = &mix->tracks[mix->count++];
        *track = (mrw_track){MRW_TRACK_BLEND, 0, (float)part->weight, MRW_NONE};
        status = find_clip(model, part->name, part->name_length, &track->clip, error);
        if (status == MRW_OK) {
            add_name(mix, mrw_scene_string(model->scene, model->scene->clips[track->clip].name));
        }
    }
    return status;
}

/* The first clip is the base, the others lie over it. */
static void add_together(cli_model *model, const cli_clips *clips)
{
    cli_mix *mix = &model->mix;
    for (uint32_t i = 0; i < clips->count; i++) {
        mix->tracks[mix->count++] = (mrw_track){i == 0 ? MRW_TRACK_BLEND : MRW_TRACK_OVERRIDE,
                                                clips->items[i], 1.0f, MRW_NONE};
        add_name(mix, mrw_scene_string(model->scene, model->scene->clips[clips->items[i]].name));
    }
}

static mrw_status add_layer(cli_model *model, const char *text, bool additive, mrw_error *error)
{
    const char *at = mrw_split_at(text);
    mrw_track track = {additive ? MRW_TRACK_ADDITIVE : MRW_TRACK_OVERRIDE, 0, 1.0f, MRW_NONE};
    mrw_status status =
        find_clip(model, text, at ? (size_t)(at - text) : strlen(text), &track.clip, error);
    if (status == MRW_OK && at) {
        status = cli_find_node(model, at + 1, &track.node, error);
    }
    model->mix.tracks[model->mix.count++] = track;
    return status;
}

static mrw_status add_tracks(cli_model *model, const mrw_settings *settings, const cli_clips *clips,
                             mrw_error *error)
{
    cli_mix *mix = &model->mix;
    mrw_status status = MRW_OK;
    if (settings->blend_count > 0) {
        status = add_blend(model, settings, error);
    } else if (settings->together) {
        add_together(model, clips);
    } else {
        mix->tracks[mix->count++] = (mrw_track){MRW_TRACK_BLEND, clips->items[0], 1.0f, MRW_NONE};
    }
    for (size_t i = 0; i < settings->layers.count && status == MRW_OK; i++) {
        status = add_layer(model, settings->layers.items[i], settings->additive, error);
    }
    return status;
}

mrw_status cli_mix_make(cli_model *model, const mrw_settings *settings, mrw_error *error)
{
    cli_clips clips;
    if (settings->blend_count == 0 && !settings->together && settings->layers.count == 0) {
        return MRW_OK;
    }
    if (model->scene->clips_count == 0) {
        return cli_fail(error, MRW_ERROR_INPUT, "%.500s: there are no clips to mix", model->path);
    }
    mrw_status status = cli_choose_clips(model, settings, &clips, error);
    if (status != MRW_OK) {
        return status;
    }
    model->mix.tracks = calloc(settings->blend_count + clips.count + settings->layers.count,
                               sizeof *model->mix.tracks);
    status =
        model->mix.tracks ? add_tracks(model, settings, &clips, error) : cli_fail_memory(error);
    model->mix.sync = settings->sync;
    model->mix.fixed = settings->blend_count > 0 || settings->together;
    free(clips.items);
    if (status != MRW_OK) {
        cli_mix_free(&model->mix);
    }
    return status;
}

void cli_mix_free(cli_mix *mix)
{
    free(mix->tracks);
    *mix = (cli_mix){0};
}

double cli_mix_duration(const cli_model *model, uint32_t clip)
{
    const cli_mix *mix = &model->mix;
    if (mix->fixed) {
        return mrw_mix_duration(model->scene, &(mrw_mix){mix->tracks, mix->count, mix->sync});
    }
    /* the layers by themselves, and the clip below them */
    double layers =
        mrw_mix_duration(model->scene, &(mrw_mix){mix->tracks + 1, mix->count - 1, false});
    double base = model->scene->clips[clip].duration;
    return layers > base ? layers : base;
}
