/* actual.c: computes the golden texts of a case as they would be now, and how the inputs have
 * changed. */
#include "golden/actual.h"

#include "base/text.h"
#include "golden/scene_files.h"
#include "report/results.h"

#include <string.h>

/* ---- golden.txt as it would be --------------------------------------------------------------- */

mrw_status mrwi_golden_actual_begin(const mrw_case *c, const mrw_session *session,
                                    mrwi_golden_findings *found, mrw_error *error)
{
    const uint32_t scenes = session->model_count;
    const uint32_t frames = (uint32_t)found->result->frame_count;
    mrwi_golden_stored *stored = &found->stored;
    *stored = (mrwi_golden_stored){
        .version = MRWI_GOLDEN_STORED_VERSION,
        .pixel_version = MRW_PIXEL_VERSION,
        .scene_formula = MRW_SCENE_FORMULA,
        .backend = found->result->backend,
        .driver = found->result->driver,
        .scenes = mrwi_base_arena_alloc(found->arena, scenes, sizeof *stored->scenes),
        .width = c->settings.picture.width,
        .height = c->settings.picture.height,
        .views = mrwi_base_arena_alloc(found->arena, frames, sizeof *stored->views),
        .times = mrwi_base_arena_alloc(found->arena, frames, sizeof *stored->times),
        .frames = mrwi_base_arena_alloc(found->arena, frames, sizeof *stored->frames),
    };
    if (!stored->scenes || !stored->views || !stored->times || !stored->frames) {
        return mrwi_base_fail_memory(error, frames * sizeof *stored->frames);
    }
    for (uint32_t i = 0; i < scenes; i++) {
        const char *model = i == 0 ? c->model : c->settings.model.added.items[i - 1];
        stored->scenes[i] = (mrwi_golden_stored_scene){.model = mrwi_golden_options_path(c, model)};
        mrw_scene_hash_text(session->scenes[i], stored->scenes[i].hash);
    }
    for (uint32_t i = 0; i < frames; i++) {
        stored->frames[i] = (mrwi_golden_stored_frame){.name = found->result->frames[i].name,
                                                       .key = found->states[i].key};
        stored->times[i] = (mrwi_golden_stored_time){found->result->frames[i].name,
                                                     found->result->frames[i].time, MRW_NONE};
    }
    stored->scene_count = scenes;
    stored->frame_count = stored->time_count = frames;
    return mrwi_golden_options_list(c, session->fit == MRW_FIT_FRAME, found->arena, stored, error);
}

mrw_status mrwi_golden_actual_parts(const mrwi_golden_input *in, const mrw_session *session,
                                    mrwi_golden_findings *found, mrw_error *error)
{
    for (uint32_t i = 0; i < found->stored.scene_count; i++) {
        mrwi_golden_stored_scene *scene = &found->stored.scenes[i];
        if (scene->parts.count > 0) {
            continue;
        }
        mrw_status status =
            mrwi_golden_parts_find(in->parts, session->scenes[i], &scene->parts, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

mrw_status mrwi_golden_actual_poses(const mrwi_golden_input *in, const mrw_session *session,
                                    mrwi_golden_findings *found, mrw_error *error)
{
    const uint32_t frames = (uint32_t)found->result->frame_count;
    mrwi_session_joints *joints = &found->joints;
    mrw_status status = mrwi_session_joints_list(session, found->arena, joints, error);
    if (status) {
        return status;
    }
    /* Another marrow lists the joints of the model alone; they come first here. */
    while (in->def->against && joints->count > 0 && joints->items[joints->count - 1].instance > 0) {
        joints->count--;
    }
    const uint32_t posed = (in->c->checks & MRW_CHECK_POSE) != 0 ? joints->count : 0;
    const size_t count = (size_t)frames * posed;
    mrwi_compare_joint *all = mrwi_base_arena_alloc(found->arena, count, sizeof *all);
    mrwi_compare_pose *poses = mrwi_base_arena_alloc(found->arena, frames, sizeof *poses);
    mrwi_compare_box *boxes = mrwi_base_arena_alloc(found->arena, frames, sizeof *boxes);
    if (!all || !poses || !boxes) {
        return mrwi_base_fail_memory(error, count * sizeof *all);
    }
    for (uint32_t i = 0; i < frames; i++) {
        const char *name = found->result->frames[i].name;
        poses[i] = (mrwi_compare_pose){name, all + (size_t)i * posed, posed};
        boxes[i] = (mrwi_compare_box){.frame = name};
    }
    found->poses = (mrwi_golden_poses){poses, frames};
    found->boxes = (mrwi_golden_boxes){boxes, frames};
    return MRW_OK;
}

/* Describes how models differ from those that the goldens were made of. Skips goldens that can't be
 * trusted. */
static mrw_status note_models(const mrwi_golden_input *in, const mrw_session *session,
                              mrwi_golden_findings *found, mrw_error *error)
{
    mrwi_golden_stored expected = in->expected.stored;
    const char *fault = NULL;
    mrw_case_result *result = found->result;
    mrw_text text = {0};
    if (in->expected.stored_file.fault ||
        !mrwi_golden_stored_other_scene(&expected, &found->stored)) {
        return MRW_OK;
    }
    mrw_status status;
    if (expected.version >= 3) {
        status = mrwi_golden_actual_parts(in, session, found, error);
        if (status) {
            return status;
        }
    }
    status = mrwi_golden_scene_files_read(in->expected.folder, &expected, &found->stored,
                                          found->arena, &fault, error);
    if (status) {
        return status;
    }
    mrwi_golden_stored_describe_scenes(&expected, &found->stored, in->def->against, fault, &text);
    result->model_change = text.failed ? NULL : mrwi_report_text(found->memory, text.data);
    status = result->model_change ? MRW_OK : mrwi_base_fail_memory(error, text.size);
    mrw_text_free(&text);
    return status;
}

mrw_status mrwi_golden_actual_changes(const mrwi_golden_input *in, const mrw_session *session,
                                      mrwi_golden_findings *found, mrw_error *error)
{
    const mrwi_golden_stored *expected = &in->expected.stored;
    mrw_case_result *result = found->result;
    result->scene_hash = mrwi_report_text(found->memory, found->stored.scenes[0].hash);
    result->golden_pixel_version = expected->pixel_version;
    result->golden_version = expected->version;
    if (expected->scene_count > 0 && expected->scene_formula == MRW_SCENE_FORMULA) {
        result->golden_scene_hash = mrwi_report_text(found->memory, expected->scenes[0].hash);
    }
    if (!result->scene_hash || !result->golden_scene_hash) {
        return mrwi_base_fail_memory(error, 65);
    }
    mrw_status status = note_models(in, session, found, error);
    if (status) {
        return status;
    }
    result->suite_change = in->suite.text ? mrwi_report_text(found->memory, in->suite.text) : NULL;
    return result->suite_change || !in->suite.text ? MRW_OK : mrwi_base_fail_memory(error, 0);
}
