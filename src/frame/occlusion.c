/* occlusion.c: ambient occlusion of a picture: its depths, drawn at one sample a pixel before it,
 * and what the rasterizer finds in them. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/text.h"

/* A blended surface hides light from this alpha on. */
#define CUTOFF 0.5f

/* The draws as they hide light; a ground, which the picture may leave out where it shows nothing,
 * everywhere. */
static mrw_raster_draw *make_occluders(mrw_renderer *renderer, const mrw_raster_job *job)
{
    const size_t count = job->draw_count;
    mrw_raster_draw *draws = mrwi_base_arena_alloc(&renderer->arena, count, sizeof *draws);
    mrw_raster_material *materials =
        mrwi_base_arena_alloc(&renderer->arena, count, sizeof *materials);
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

/* In units of the world; 0 where nothing is. The ground, which comes last, does not count. */
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

static mrw_status make_memory(mrw_renderer *renderer, mrw_error *error)
{
    return renderer->occlusion ? MRW_OK : mrw_occlusion_create(&renderer->occlusion, error);
}

mrw_status mrwi_frame_find_occlusion(mrw_renderer *renderer, const mrw_frame_def *def,
                                     mrw_raster_job *job, mrw_error *error)
{
    const float radius = radius_of(def, job);
    mrw_raster_job depths = {.draws = make_occluders(renderer, job),
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
    mrw_raster_occlusion *found = mrwi_base_arena_alloc(&renderer->arena, 1, sizeof *found);
    if (!depths.draws || !found) {
        return mrwi_base_fail_memory(error, job->draw_count * sizeof *depths.draws);
    }
    mrw_status status = make_memory(renderer, error);
    if (status == MRW_OK) {
        status = mrw_occlusion_begin(renderer->occlusion, &depths, error);
    }
    if (status == MRW_OK) {
        status = mrw_raster_draw_frame(renderer->raster, &depths, error);
    }
    if (status == MRW_OK) {
        mrw_occlusion_find(renderer->occlusion, &depths, radius, def->occlusion_strength, found);
        job->occlusion = found;
    }
    return status;
}
