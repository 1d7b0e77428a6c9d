/* finish.c: pictures drawn by the backend of a crew, with overlays and passes. */
#include "frame/frame.h"

/* Poses and skins a picture that another backend has drawn. Its description may already be skinned,
 * or not; its targets stay in the arena. */
static mrw_status pose_drawn(mrw_renderer *renderer, const mrw_frame_def *def,
                             const mrw_instance *instances, uint32_t count, mrw_error *error)
{
    const bool tangents = mrwi_frame_wants_aov(def, MRW_AOV_NORMAL);
    if (!renderer->described) {
        return mrwi_frame_pose_picture(renderer, def, instances, count, error);
    }
    renderer->described = false;
    if (renderer->posed.skinned && (renderer->posed.tangents || !tangents)) {
        return MRW_OK;
    }
    return mrwi_frame_pose_more(&renderer->scratch, instances, count, tangents, &renderer->posed,
                                error);
}

mrw_status mrwi_frame_draw_with(mrw_crew *crew, int worker, const mrw_frame_def *def,
                                const mrw_instance *instances, uint32_t count, int threads,
                                mrw_image *image, mrw_error *error)
{
    mrw_renderer *renderer = crew->renderers[worker];
    if (crew->backend->draw == mrwi_frame_render || def->no_picture) {
        return mrwi_frame_render(renderer, def, instances, count, threads, image, error);
    }
    mrw_status status =
        crew->backend->draw(crew->drawers[worker], def, instances, count, threads, image, error);
    if (status || (def->overlays == 0 && def->aov_count == 0)) {
        return status;
    }
    mrw_target targets[MRW_TARGET_COUNT];
    status = pose_drawn(renderer, def, instances, count, error);
    if (status) {
        goto out;
    }
    status = mrwi_frame_complete(renderer, def, targets, 0, threads, image, error);
out:
    if (status) {
        renderer->posed = (mrwi_frame_posed){0};
        mrwi_frame_forget(renderer);
    }
    return status;
}
