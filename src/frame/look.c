/* look.c: materials that clips animate, as an instance shows them. */
#include "frame/frame.h"

#include "base/text.h"

#include <string.h>

static bool clip_animates(const mrw_scene *scene, uint32_t clip)
{
    uint32_t first;
    return mrw_scene_material_channels(scene, clip, &first) > 0;
}

bool mrwi_frame_animates_materials(const mrw_instance *instance)
{
    const mrw_scene *scene = instance->model->scene;
    if (scene->material_channels_count == 0 || instance->pose != MRW_POSE_CLIP) {
        return false;
    }
    for (uint32_t i = 0; instance->mix && i < instance->mix->track_count; i++) {
        if (clip_animates(scene, instance->mix->tracks[i].clip)) {
            return true;
        }
    }
    return !instance->mix && clip_animates(scene, instance->clip);
}

static void sample(const mrw_scene *scene, uint32_t clip, double time, mrw_material *materials)
{
    if (clip != MRW_NONE) {
        mrw_sample_materials(&(mrw_material_job){scene, clip, time, materials});
    }
}

static void sample_mix(const mrw_instance *instance, mrw_material *materials)
{
    const mrw_mix *mix = instance->mix;
    const mrw_scene *scene = instance->model->scene;
    const mrw_track *heaviest = NULL;
    for (uint32_t i = 0; i < mix->track_count; i++) {
        const mrw_track *track = &mix->tracks[i];
        const bool counts = track->mode == MRW_TRACK_BLEND && track->node == MRW_NONE;
        if (counts && track->weight > (heaviest ? heaviest->weight : 0.0f)) {
            heaviest = track;
        }
    }
    if (heaviest) {
        sample(scene, heaviest->clip, mrwi_frame_track_time(instance, heaviest), materials);
    }
    for (uint32_t i = 0; i < mix->track_count; i++) {
        const mrw_track *track = &mix->tracks[i];
        if (track->mode != MRW_TRACK_BLEND && track->node == MRW_NONE && track->weight >= 0.5f) {
            sample(scene, track->clip, mrwi_frame_track_time(instance, track), materials);
        }
    }
}

mrw_status mrwi_frame_play_materials(mrwi_base_arena *arena, const mrw_instance *instance,
                                     mrw_material **out, mrw_error *error)
{
    const mrw_scene *scene = instance->model->scene;
    const size_t size = (size_t)scene->materials_count * sizeof **out;
    *out = mrwi_base_arena_alloc(arena, scene->materials_count, sizeof **out);
    if (!*out) {
        return mrwi_base_fail_memory(error, size);
    }
    memcpy(*out, scene->materials, size);
    if (instance->mix) {
        sample_mix(instance, *out);
    } else {
        sample(scene, instance->clip, mrwi_frame_clip_time(instance), *out);
    }
    return MRW_OK;
}

/* Converts materials. Those equal to the scene's are copied from the model. */
static mrw_status convert(mrwi_base_arena *arena, const mrw_model *model, const mrw_material *in,
                          const mrw_raster_material **out, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    const uint32_t count = scene->materials_count;
    mrw_raster_material *converted =
        mrwi_base_arena_alloc(arena, (size_t)count + 1, sizeof *converted);
    if (!converted) {
        return mrwi_base_fail_memory(error, ((size_t)count + 1) * sizeof *converted);
    }
    memcpy(converted, model->materials, ((size_t)count + 1) * sizeof *converted);
    for (uint32_t i = 0; i < count; i++) {
        const mrw_material *rest = &scene->materials[i];
        if (memcmp(rest, &in[i], sizeof *rest) != 0) {
            converted[i] = mrwi_frame_convert_material(model, rest, &in[i]);
        }
    }
    *out = converted;
    return MRW_OK;
}

mrw_status mrwi_frame_find_look(mrwi_base_arena *arena, const mrwi_frame_pose *pose,
                                mrwi_frame_look *out, mrw_error *error)
{
    const mrw_model *model = pose->instance->model;
    mrwi_frame_look *look = &pose->local->look;
    if (!look->converted && !mrwi_frame_animates_materials(pose->instance)) {
        *look = (mrwi_frame_look){model->scene->materials, model->materials};
    } else if (!look->converted) {
        mrw_material *materials;
        mrw_status status = mrwi_frame_play_materials(arena, pose->instance, &materials, error);
        if (status) {
            return status;
        }
        status = convert(arena, model, materials, &look->converted, error);
        if (status) {
            return status;
        }
        look->materials = materials;
    }
    *out = *look;
    return MRW_OK;
}
