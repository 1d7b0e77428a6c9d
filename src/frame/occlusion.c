/* occlusion.c: ambient occlusion of a picture: its depths are drawn first, with one sample per
 * pixel, and the rasterizer finds occlusion in them. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/text.h"

/* A blended surface hides light from this alpha on. */
#define CUTOFF 0.5f

/* Copies the draws as they hide light. A ground hides light everywhere, though the picture may draw
 * only a window of it. */
static mrw_raster_draw *make_occluders(mrwi_base_arena *arena, const mrw_raster_job *job)
{
    const size_t count = job->draw_count;
    mrw_raster_draw *draws = mrwi_base_arena_alloc(arena, count, sizeof *draws);
    mrw_raster_material *materials = mrwi_base_arena_alloc(arena, count, sizeof *materials);
    if (!draws || !materials) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        draws[i] = job->draws[i];
        draws[i].window = NULL;
        draws[i].ground = MRW_GROUND_NONE;
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

/* Returns the radius in world units; 0 without vertices. The ground, which comes last, is not
 * measured. */
static float radius_of(const mrw_frame_def *def, const mrw_raster_job *job)
{
    mrw_raster_job shown = *job;
    float longest = 0.0f;
    while (shown.draw_count > 0 && shown.draws[shown.draw_count - 1].ground) {
        shown.draw_count--;
    }
    const mrw_shadow_bounds box = def->has_bounds ? def->bounds : mrwi_frame_measure(&shown);
    for (int i = 0; i < 3; i++) {
        longest = mrwi_base_maxf(box.max[i] - box.min[i], longest);
    }
    return longest * def->occlusion_radius;
}

mrw_status mrwi_frame_find_occlusion(mrwi_frame_scratch *scratch, mrw_occlusion **memory,
                                     const mrw_frame_def *def, mrw_raster_job *job,
                                     mrw_error *error)
{
    const float radius = radius_of(def, job);
    mrw_raster_job depths = {.draws = make_occluders(&scratch->arena, job),
                             .draw_count = job->draw_count,
                             .view = job->view,
                             .shading = job->shading,
                             .channel = job->channel,
                             .filter = job->filter,
                             .width = job->width,
                             .height = job->height,
                             .isa = job->isa,
                             .threads = job->threads};
    if (!(radius > 0.0f) || !lights_from_all_around(&job->lighting)) {
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
    return MRW_OK;
}
