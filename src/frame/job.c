/* job.c: a picture of posed instances as a job of the rasterizer, with its lights. */
#include "frame/frame.h"

#include "base/math.h"

#include <assert.h>
#include <string.h>

mrw_raster_job mrwi_frame_raster_job(const mrw_frame_def *def, const mrw_camera *camera)
{
    mrw_raster_job job = {.shading = def->shading,
                          .channel = def->channel,
                          .matcap = def->matcap,
                          .filter = def->filter,
                          .exposure = def->exposure,
                          .tonemap = def->tonemap,
                          .samples = def->samples,
                          .environment_background = def->environment_background,
                          .environment_blur = def->environment_blur,
                          .width = def->width,
                          .height = def->height};
    const float *view = camera->world_to_view.m;
    mrwi_base_mat4_mul(&camera->view_to_clip, &camera->world_to_view, &job.view.world_to_clip);
    job.view.orthographic = camera->orthographic;
    for (int i = 0; i < 3; i++) {
        job.view.view_back[i] = view[4 * i + 2]; /* third row: +Z of view space in the world */
    }
    if (!def->transparent) {
        memcpy(job.background, def->background, sizeof job.background);
        job.backplate = def->backplate;
    }
    return job;
}

mrw_status mrwi_frame_picture_job(mrwi_base_arena *arena, const mrwi_frame_picture *picture,
                                  mrw_raster_job *out, mrw_error *error)
{
    const mrw_frame_def *def = picture->def;
    const mrwi_frame_posed *posed = picture->posed;
    for (uint32_t i = 0; i < posed->poses.count; i++) {
        assert(posed->poses.instances[i].model->shading == def->shading);
    }
    *out = mrwi_frame_raster_job(def, &picture->camera);
    out->draws = posed->draws;
    out->draw_count = posed->draw_count;
    mrw_status status = mrwi_frame_show_data(arena, picture, out, error);
    if (status) {
        return status;
    }
    status = mrwi_frame_lighting(arena, picture, &out->lighting, error);
    if (status) {
        return status;
    }
    if (mrw_shading_info_of(def->shading)->at_vertices) {
        status = mrwi_frame_light_vertices(arena, &picture->camera, out, error);
    }
    if (def->overlay_alone) {
        out->draw_count = 0;
    }
    return status;
}

static bool shows_light(const mrw_raster_job *job)
{
    bool shows = false;
    for (uint32_t i = 0; i < job->target_count; i++) {
        const mrw_target_kind kind = job->targets[i].kind;
        shows = shows || kind == MRW_TARGET_COLOR || kind == MRW_TARGET_LINEAR ||
                kind == MRW_TARGET_ALPHA;
    }
    return shows && mrw_shading_info_of(job->shading)->lit;
}

mrw_status mrwi_frame_add_light(mrwi_frame_scratch *scratch, mrwi_frame_lights *memory,
                                const mrw_frame_def *def, mrw_raster_job *job, mrw_error *error)
{
    memory->shadowless = 0;
    if (def->overlay_alone || !shows_light(job)) {
        return MRW_OK;
    }
    if (def->shadows) {
        mrw_status status = mrwi_frame_draw_shadow_maps(scratch, memory, def, job, error);
        if (status) {
            return status;
        }
    }
    if (def->ground) {
        mrw_status status = mrwi_frame_add_ground(&scratch->arena, def, job, error);
        if (status) {
            return status;
        }
    }
    return def->occlusion ? mrwi_frame_find_occlusion(scratch, &memory->occlusion, def, job, error)
                          : MRW_OK;
}
