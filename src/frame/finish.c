/* finish.c: pictures with what follows once they are drawn, by whatever backend. */
#include "frame/frame.h"

static bool has_more(const mrw_frame_def *def)
{
    return def->overlays != 0 || def->aov_count > 0;
}

mrw_status mrwi_frame_finish(mrw_renderer *renderer, const mrw_frame_def *def, int threads,
                             mrw_image *picture, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (def->overlays != 0 && !def->no_picture) {
        status = mrwi_frame_draw_overlays(renderer, def, threads, picture, error);
    }
    return status == MRW_OK && def->aov_count > 0
               ? mrwi_frame_make_aovs(renderer, def, threads, error)
               : status;
}

/* What another backend has described may not be skinned, unless it was for the view before; its
 * targets stay in the arena. */
static mrw_status pose_drawn(mrw_renderer *renderer, const mrw_frame_def *def,
                             const mrw_instance *instances, uint32_t count, mrw_error *error)
{
    const bool tangents = mrwi_frame_wants_aov(def, MRW_AOV_NORMAL);
    if (!renderer->described) {
        return mrwi_frame_pose_picture(renderer, def, instances, count, error);
    }
    renderer->described = false;
    return renderer->posed.skinned && (renderer->posed.tangents || !tangents)
               ? MRW_OK
               : mrwi_frame_pose_more(renderer, instances, count, tangents, &renderer->posed,
                                      error);
}

/* Overlays and passes of a picture that another backend has drawn. */
static mrw_status finish_drawn(mrw_renderer *renderer, const mrw_frame_def *def,
                               const mrw_instance *instances, uint32_t count, int threads,
                               mrw_image *picture, mrw_error *error)
{
    mrw_target targets[MRW_TARGET_COUNT];
    mrw_status status = pose_drawn(renderer, def, instances, count, error);
    if (status == MRW_OK) {
        status = mrwi_frame_complete(renderer, def, targets, 0, threads, picture, error);
    }
    if (status != MRW_OK) {
        renderer->posed = (mrwi_frame_posed){0};
        mrwi_frame_forget(renderer);
    }
    return status;
}

mrw_status mrwi_frame_draw_with(mrw_crew *crew, int worker, const mrw_frame_def *def,
                                const mrw_instance *instances, uint32_t count, int threads,
                                mrw_image *picture, mrw_error *error)
{
    mrw_renderer *renderer = crew->renderers[worker];
    if (crew->backend->draw == mrwi_frame_render || def->no_picture) {
        return mrwi_frame_render(renderer, def, instances, count, threads, picture, error);
    }
    mrw_status status =
        crew->backend->draw(crew->drawers[worker], def, instances, count, threads, picture, error);
    return status == MRW_OK && has_more(def)
               ? finish_drawn(renderer, def, instances, count, threads, picture, error)
               : status;
}
