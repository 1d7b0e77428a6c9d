/* data.c: what --shading MODE:ARGUMENT shows: a channel, a joint. */
#include "base/memory.h"
#include "base/text.h"
#include "session/internal.h"

#include <stdio.h>
#include <string.h>

mrw_status mrwi_session_find_channel(const mrw_settings *settings, mrw_frame_def *frame,
                                     mrw_error *error)
{
    const char *names[MRW_CHANNEL_COUNT], *name = settings->shading_argument;
    char text[600], safe[200];
    frame->joint = name;
    if (frame->shading != MRW_SHADING_CHANNEL) {
        return MRW_OK;
    }
    for (uint32_t i = 0; i < MRW_CHANNEL_COUNT; i++) {
        names[i] = mrw_shading_channel_name((mrw_shading_channel)i);
        if (strcmp(names[i], name) == 0) {
            frame->channel = (mrw_shading_channel)i;
            return MRW_OK;
        }
    }
    snprintf(text, sizeof text, "--shading channel:NAME: there is no channel \"%s\"",
             mrwi_base_escape(name, safe, sizeof safe));
    mrwi_base_suggest(text, sizeof text, name, names, MRW_CHANNEL_COUNT, true);
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "%s", text);
}

static const char *name_of(const mrw_scene *scene, uint32_t joint)
{
    return mrw_scene_string(scene, scene->nodes[scene->joints[joint]].name);
}

static bool has_joint(const mrw_scene *scene, const char *name)
{
    bool has = false;
    for (uint32_t j = 0; j < scene->joints_count && !has; j++) {
        has = strcmp(name_of(scene, j), name) == 0;
    }
    return has;
}

/* option: how the joint was asked for. */
static mrw_status find_joint(const mrw_session *session, const char *option, const char *name,
                             mrw_error *error)
{
    const mrw_scene *scene = session->model->scene;
    char text[900], safe[200];
    bool has = false;
    for (uint32_t i = 0; i < session->instance_count && !has; i++) {
        has = has_joint(session->scenes[i], name);
    }
    if (has) {
        return MRW_OK;
    }
    const char **names = mrwi_base_alloc((size_t)scene->joints_count + 1, sizeof *names);
    if (!names) {
        return mrwi_base_fail_memory(error, scene->joints_count * sizeof *names);
    }
    for (uint32_t j = 0; j < scene->joints_count; j++) {
        names[j] = name_of(scene, j);
    }
    snprintf(text, sizeof text, "%s weights:JOINT: there is no joint \"%s\"%s", option,
             mrwi_base_escape(name, safe, sizeof safe),
             scene->joints_count == 0 ? ": the model has none" : "");
    mrwi_base_suggest(text, sizeof text, name, names, scene->joints_count, false);
    mrwi_base_free(names);
    mrwi_base_fail(error, MRW_ERROR_INPUT, "%s", text);
    return mrwi_session_prefix(error, session->model->path, MRW_ERROR_INPUT);
}

mrw_status mrwi_session_find_joint(const mrw_session *session, mrw_error *error)
{
    const mrw_frame_def *frame = &session->frame;
    const mrw_pass_settings *passes = &session->model->settings->passes;
    mrw_status status = frame->shading == MRW_SHADING_WEIGHTS
                            ? find_joint(session, "--shading", frame->joint, error)
                            : MRW_OK;
    for (uint32_t i = 0; i < frame->aov_count && status == MRW_OK; i++) {
        if (frame->aovs[i].aov == MRW_AOV_WEIGHTS) {
            status = find_joint(session, "--aov", frame->aovs[i].joint, error);
        }
    }
    for (size_t i = 0; i < passes->count && status == MRW_OK; i++) { /* drawn by modes, later on */
        if (passes->items[i].aov == MRW_AOV_WEIGHTS) {
            status = find_joint(session, "--aov", passes->items[i].joint, error);
        }
    }
    return status;
}
