/* occlusion.c: ambient occlusion of a picture: its depths are drawn first, with one sample per
 * pixel, and the rasterizer finds occlusion in them. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/text.h"
#include "base/work.h"

/* A blended surface hides light from this alpha on. */
#define CUTOFF 0.5f

/* Returns the box of what is drawn. The ground, which comes last, is not measured. */
static mrw_shadow_bounds shown_bounds(const mrw_raster_job *job)
{
    mrw_raster_job shown = *job;
    while (shown.draw_count > 0 && shown.draws[shown.draw_count - 1].ground) {
        shown.draw_count--;
    }
    return mrwi_frame_measure(&shown);
}

/* Copies the draws as they hide light. Limits a ground to two radii around the models: nothing
 * farther hides light from them or is hidden by them. */
static mrw_raster_draw *make_occluders(mrwi_base_arena *arena, const mrw_raster_job *job,
                                       float radius)
{
    const size_t count = job->draw_count;
    mrw_raster_draw *draws = mrwi_base_arena_alloc(arena, count, sizeof *draws);
    mrw_raster_material *materials = mrwi_base_arena_alloc(arena, count, sizeof *materials);
    mrw_raster_window *window = mrwi_base_arena_alloc(arena, 1, sizeof *window);
    const mrw_shadow_bounds box = shown_bounds(job);
    if (!draws || !materials || !window) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        draws[i] = job->draws[i];
        if (draws[i].ground) {
            *window = mrwi_frame_window_around(job, &box, (double)draws[i].positions[1],
                                               2.0 * (double)radius);
            draws[i].window = window;
            draws[i].ground = MRW_GROUND_NONE;
        }
        if (draws[i].material->alpha_mode == (uint32_t)MRW_ALPHA_BLEND) {
            materials[i] = *draws[i].material;
            materials[i].alpha_mode = (uint32_t)MRW_ALPHA_MASK;
            materials[i].alpha_cutoff = CUTOFF;
            draws[i].material = &materials[i];
        }
    }
    return draws;
}

static bool lights_from_all_around(const mrw_lighting *lighting)
{
    bool any = lighting->environment;
    for (int i = 0; i < 3; i++) {
        any = any || lighting->sky[i] != 0.0f || lighting->ground[i] != 0.0f;
    }
    return any;
}

float mrwi_frame_occlusion_radius(const mrw_frame_def *def, const mrw_raster_job *job)
{
    float longest = 0.0f;
    if (!def->occlusion || !lights_from_all_around(&job->lighting)) {
        return 0.0f;
    }
    const mrw_shadow_bounds box = def->has_bounds ? def->bounds : shown_bounds(job);
    for (int i = 0; i < 3; i++) {
        longest = mrwi_base_maxf(box.max[i] - box.min[i], longest);
    }
    return longest * def->occlusion_radius;
}

mrw_status mrwi_frame_find_occlusion(mrwi_frame_scratch *scratch, mrw_occlusion **memory,
                                     const mrw_frame_def *def, mrw_raster_job *job,
                                     mrw_error *error)
{
    const float radius = mrwi_frame_occlusion_radius(def, job);
    mrw_raster_job depths = {.draws = make_occluders(&scratch->arena, job, radius),
                             .draw_count = job->draw_count,
                             .view = job->view,
                             .shading = job->shading,
                             .channel = job->channel,
                             .filter = job->filter,
                             .width = job->width,
                             .height = job->height,
                             .isa = job->isa,
                             .threads = job->threads};
    if (!(radius > 0.0f)) {
        return MRW_OK;
    }
    mrw_raster_occlusion *found = mrwi_base_arena_alloc(&scratch->arena, 1, sizeof *found);
    if (!depths.draws || !found) {
        return mrwi_base_fail_memory(error, job->draw_count * sizeof *depths.draws);
    }
    mrw_status status = *memory ? MRW_OK : mrw_occlusion_create(memory, error);
    if (status) {
        return status;
    }
    status = mrw_occlusion_begin(*memory, &depths, error);
    if (status) {
        return status;
    }
    status = mrw_raster_draw_frame(scratch->raster, &depths, error);
    if (status) {
        return status;
    }
    mrw_occlusion_find(*memory, &depths, radius, def->occlusion_strength, found);
    job->occlusion = found;
    return mrwi_base_work_check(NULL, error);
}
