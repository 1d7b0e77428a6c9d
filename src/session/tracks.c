/* tracks.c: makes the tracks of a mix: the clips that --blend, --together and --layer play at the
 * same time. */
#include "base/memory.h"
#include "base/text.h"
#include "session/internal.h"

#include <stdio.h>
#include <string.h>

/* Appends a clip's name to the mix's name, after a "+". */
static void add_name(mrw_session_mix *mix, const char *name)
{
    size_t used = strlen(mix->name);
    snprintf(mix->name + used, sizeof mix->name - used, "%s%s", used > 0 ? "+" : "", name);
}

static mrw_status add_blend(mrw_session_model *model, mrw_error *error)
{
    const mrw_settings *settings = model->settings;
    mrw_session_mix *mix = &model->mix;
    for (size_t i = 0; i < settings->animation.blend_count; i++) {
        const mrw_blend_entry *part = &settings->animation.blend[i];
        mrw_track *track = &mix->tracks[mix->track_count++];
        *track = (mrw_track){MRW_TRACK_BLEND, 0, (float)part->weight, MRW_NONE};
        mrw_status status =
            mrwi_session_find_clip(model, part->name, part->name_length, &track->clip, error);
        if (status) {
            return status;
        }
        add_name(mix, mrw_scene_string(model->scene, model->scene->clips[track->clip].name));
    }
    return MRW_OK;
}

static mrw_status add_layer(mrw_session_model *model, const char *text, bool additive,
                            mrw_error *error)
{
    const char *at = mrw_split_at(text);
    mrw_track track = {additive ? MRW_TRACK_ADDITIVE : MRW_TRACK_OVERRIDE, 0, 1.0f, MRW_NONE};
    mrw_status status = mrwi_session_find_clip(model, text, at ? (size_t)(at - text) : strlen(text),
                                               &track.clip, error);
    if (status) {
        return status;
    }
    if (at) {
        status = mrw_session_find_node(model, at + 1, &track.node, error);
        if (status) {
            return status;
        }
    }
    model->mix.tracks[model->mix.track_count++] = track;
    return MRW_OK;
}

static mrw_status add_tracks(mrw_session_model *model, const mrw_session_clips *clips,
                             mrw_error *error)
{
    const mrw_animation_settings *animation = &model->settings->animation;
    mrw_session_mix *mix = &model->mix;
    if (animation->blend_count > 0) {
        mrw_status status = add_blend(model, error);
        if (status) {
            return status;
        }
    } else if (animation->together) {
        for (uint32_t i = 0; i < clips->count; i++) { /* the first is the base of the others */
            mix->tracks[mix->track_count++] = (mrw_track){
                i == 0 ? MRW_TRACK_BLEND : MRW_TRACK_OVERRIDE, clips->items[i], 1.0f, MRW_NONE};
            add_name(mix,
                     mrw_scene_string(model->scene, model->scene->clips[clips->items[i]].name));
        }
    } else {
        mix->tracks[mix->track_count++] =
            (mrw_track){MRW_TRACK_BLEND, clips->items[0], 1.0f, MRW_NONE};
    }
    for (size_t i = 0; i < animation->layers.count; i++) {
        mrw_status status =
            add_layer(model, animation->layers.items[i], animation->additive, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

mrw_status mrwi_session_mix_make(mrw_session_model *model, mrw_error *error)
{
    const mrw_animation_settings *animation = &model->settings->animation;
    mrw_session_mix *mix = &model->mix;
    mrw_session_clips clips;
    if (animation->blend_count == 0 && !animation->together && animation->layers.count == 0) {
        return MRW_OK;
    }
    if (model->scene->clips_count == 0) {
        char safe[256];
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: there are no clips to mix",
                              mrwi_base_escape(model->path, safe, sizeof safe));
    }
    mrw_status status = mrw_session_choose_clips(model, &clips, error);
    if (status) {
        return status;
    }
    size_t most = animation->blend_count + clips.count + animation->layers.count;
    mix->tracks = mrwi_base_alloc_zero(most, sizeof *mix->tracks);
    status = mix->tracks ? add_tracks(model, &clips, error)
                         : mrwi_base_fail_memory(error, most * sizeof *mix->tracks);
    mix->sync = animation->sync;
    mix->fixed = animation->blend_count > 0 || animation->together;
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
