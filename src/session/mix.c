/* mix.c: --blend, --together and --layer: which clips play at the same time, and how. */
#include "base/memory.h"
#include "base/text.h"
#include "session/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

bool mrwi_session_is_index(const char *name, uint32_t count, uint32_t *out)
{
    unsigned long value = 0;
    if (name[0] == '\0' || strlen(name) > 9 || name[strspn(name, "0123456789")] != '\0') {
        return false;
    }
    value = strtoul(name, NULL, 10);
    *out = (uint32_t)value;
    return value < count;
}

static mrw_status unknown_node(const mrw_session_model *model, const char *name, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    const char **names = mrwi_base_alloc((size_t)scene->nodes_count, sizeof *names);
    char text[900], safe[200];
    if (!names) {
        return mrwi_base_fail_memory(error, scene->nodes_count * sizeof *names);
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        names[n] = mrw_scene_string(scene, scene->nodes[n].name);
    }
    snprintf(text, sizeof text, "there is no node \"%s\"",
             mrwi_base_escape(name, safe, sizeof safe));
    mrwi_base_suggest(text, sizeof text, name, names, scene->nodes_count, false);
    mrwi_base_free(names);
    mrwi_base_fail(error, MRW_ERROR_INPUT, "%s", text);
    return mrwi_session_prefix(error, model->path, MRW_ERROR_INPUT);
}

mrw_status mrw_session_find_node(const mrw_session_model *model, const char *name, uint32_t *out,
                                 mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        if (strcmp(mrw_scene_string(scene, scene->nodes[n].name), name) == 0) {
            *out = n;
            return MRW_OK;
        }
    }
    if (mrwi_session_is_index(name, scene->nodes_count, out)) {
        return MRW_OK;
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        if (mrwi_base_glob(name, mrw_scene_string(scene, scene->nodes[n].name))) {
            *out = n;
            return MRW_OK;
        }
    }
    return unknown_node(model, name, error);
}

mrw_status mrwi_session_find_clip(const mrw_session_model *model, const char *text, size_t length,
                                  uint32_t *out, mrw_error *error)
{
    char *name = mrwi_base_alloc(length + 1, 1);
    if (!name) {
        return mrwi_base_fail_memory(error, length + 1);
    }
    memcpy(name, text, length);
    name[length] = '\0';
    mrw_status status = mrw_scene_find_clip(model->scene, name, out, error);
    mrwi_base_free(name);
    return status == MRW_OK ? MRW_OK : mrwi_session_prefix(error, model->path, status);
}

/* ---- tracks ---------------------------------------------------------------------------------- */

/* The clip's name behind what is there already, with a sign between. */
static void add_name(mrw_session_mix *mix, const char *name)
{
    size_t used = strlen(mix->name);
    snprintf(mix->name + used, sizeof mix->name - used, "%s%s", used > 0 ? "+" : "", name);
}

static mrw_status add_blend(mrw_session_model *model, mrw_error *error)
{
    const mrw_settings *settings = model->settings;
    mrw_session_mix *mix = &model->mix;
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < settings->animation.blend_count && status == MRW_OK; i++) {
        const mrw_blend_entry *part = &settings->animation.blend[i];
        mrw_track *track = &mix->tracks[mix->track_count++];
        *track = (mrw_track){MRW_TRACK_BLEND, 0, (float)part->weight, MRW_NONE};
        status = mrwi_session_find_clip(model, part->name, part->name_length, &track->clip, error);
        if (status == MRW_OK) {
            add_name(mix, mrw_scene_string(model->scene, model->scene->clips[track->clip].name));
        }
    }
    return status;
}

/* The first clip is the base, the others lie over it. */
static void add_together(mrw_session_model *model, const mrw_session_clips *clips)
{
    mrw_session_mix *mix = &model->mix;
    for (uint32_t i = 0; i < clips->count; i++) {
        mix->tracks[mix->track_count++] = (mrw_track){i == 0 ? MRW_TRACK_BLEND : MRW_TRACK_OVERRIDE,
                                                      clips->items[i], 1.0f, MRW_NONE};
        add_name(mix, mrw_scene_string(model->scene, model->scene->clips[clips->items[i]].name));
    }
}

static mrw_status add_layer(mrw_session_model *model, const char *text, bool additive,
                            mrw_error *error)
{
    const char *at = mrw_split_at(text);
    mrw_track track = {additive ? MRW_TRACK_ADDITIVE : MRW_TRACK_OVERRIDE, 0, 1.0f, MRW_NONE};
    mrw_status status = mrwi_session_find_clip(model, text, at ? (size_t)(at - text) : strlen(text),
                                               &track.clip, error);
    if (status == MRW_OK && at) {
        status = mrw_session_find_node(model, at + 1, &track.node, error);
    }
    model->mix.tracks[model->mix.track_count++] = track;
    return status;
}

static mrw_status add_tracks(mrw_session_model *model, const mrw_session_clips *clips,
                             mrw_error *error)
{
    const mrw_settings *settings = model->settings;
    mrw_session_mix *mix = &model->mix;
    mrw_status status = MRW_OK;
    if (settings->animation.blend_count > 0) {
        status = add_blend(model, error);
    } else if (settings->animation.together) {
        add_together(model, clips);
    } else {
        mix->tracks[mix->track_count++] =
            (mrw_track){MRW_TRACK_BLEND, clips->items[0], 1.0f, MRW_NONE};
    }
    for (size_t i = 0; i < settings->animation.layers.count && status == MRW_OK; i++) {
        status = add_layer(model, settings->animation.layers.items[i], settings->animation.additive,
                           error);
    }
    return status;
}

mrw_status mrwi_session_mix_make(mrw_session_model *model, mrw_error *error)
{
    const mrw_settings *settings = model->settings;
    mrw_session_mix *mix = &model->mix;
    mrw_session_clips clips;
    if (settings->animation.blend_count == 0 && !settings->animation.together &&
        settings->animation.layers.count == 0) {
        return MRW_OK;
    }
    if (model->scene->clips_count == 0) {
        char safe[256];
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: there are no clips to mix",
                              mrwi_base_escape(model->path, safe, sizeof safe));
    }
    mrw_status status = mrw_session_choose_clips(model, &clips, error);
    if (status != MRW_OK) {
        return status;
    }
    size_t most = settings->animation.blend_count + clips.count + settings->animation.layers.count;
    mix->tracks = mrwi_base_alloc_zero(most, sizeof *mix->tracks);
    status = mix->tracks ? add_tracks(model, &clips, error)
                         : mrwi_base_fail_memory(error, most * sizeof *mix->tracks);
    mix->sync = settings->animation.sync;
    mix->fixed = settings->animation.blend_count > 0 || settings->animation.together;
    mrw_session_clips_free(&clips);
    return status;
}

double mrwi_session_mix_duration(const mrw_session_model *model, uint32_t clip)
{
    const mrw_session_mix *mix = &model->mix;
    if (mix->fixed) {
        return mrw_mix_duration(model->scene, &(mrw_mix){mix->tracks, mix->track_count, mix->sync});
    }
    /* the layers by themselves, and the clip below them */
    double layers =
        mrw_mix_duration(model->scene, &(mrw_mix){mix->tracks + 1, mix->track_count - 1, false});
    double base = model->scene->clips[clip].duration;
    return layers > base ? layers : base;
}
