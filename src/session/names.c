/* names.c: finds what settings name: nodes, clips, and the channels and joints of --shading. */
#include "base/memory.h"
#include "base/text.h"
#include "session/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes and clips ------------------------------------------------------------------------- */

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

mrw_status mrw_session_find_node(const mrw_session_model *model, const char *name, uint32_t *out,
                                 mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    char text[900], safe[200];
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
    const char **names = mrwi_base_alloc((size_t)scene->nodes_count, sizeof *names);
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
    if (status) {
        return mrwi_session_prefix(error, model->path, status);
    }
    return MRW_OK;
}

/* ---- channels and joints --------------------------------------------------------------------- */

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
    for (uint32_t j = 0; j < scene->joints_count; j++) {
        if (strcmp(name_of(scene, j), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Checks that some scene of the session has a joint. option: the option that names it, for the
 * message. */
static mrw_status find_joint(const mrw_session *session, const char *option, const char *name,
                             mrw_error *error)
{
    const mrw_scene *scene = session->model->scene;
    char text[900], safe[200];
    for (uint32_t i = 0; i < session->instance_count; i++) {
        if (has_joint(session->scenes[i], name)) {
            return MRW_OK;
        }
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
    if (frame->shading == MRW_SHADING_WEIGHTS) {
        mrw_status status = find_joint(session, "--shading", frame->joint, error);
        if (status) {
            return status;
        }
    }
    for (uint32_t i = 0; i < frame->aov_count; i++) {
        if (frame->aovs[i].aov == MRW_AOV_WEIGHTS) {
            mrw_status status = find_joint(session, "--aov", frame->aovs[i].joint, error);
            if (status) {
                return status;
            }
        }
    }
    for (size_t i = 0; i < passes->count; i++) { /* drawn by modes, later on */
        if (passes->items[i].aov == MRW_AOV_WEIGHTS) {
            mrw_status status = find_joint(session, "--aov", passes->items[i].joint, error);
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}
