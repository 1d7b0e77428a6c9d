/* finish.c: what follows once a picture is drawn, by whatever backend. */
#include "frame/frame.h"

static bool has_more(const mrw_frame_def *def)
{
    return def->aov_count > 0;
}

mrw_status mrwi_frame_finish(mrw_renderer *renderer, const mrw_frame_def *def, int threads,
                             mrw_image *picture, mrw_error *error)
{
    (void)picture;
    return has_more(def) ? mrwi_frame_make_aovs(renderer, def, threads, error) : MRW_OK;
}

mrw_status mrwi_frame_finish_drawn(const mrw_backend *backend, mrw_renderer *renderer,
                                   const mrw_frame_def *def, const mrw_instance *instances,
                                   uint32_t count, int threads, mrw_image *picture,
                                   mrw_error *error)
{
    if (!has_more(def) || backend->draw == mrwi_frame_render) {
        return MRW_OK;
    }
    /* what it has described may not be skinned; its targets stay in the arena */
    mrw_status status = mrwi_frame_pose_more(renderer, instances, count, &renderer->posed, error);
    if (status == MRW_OK) {
        status = mrwi_frame_finish(renderer, def, threads, picture, error);
    }
    if (status != MRW_OK) {
        renderer->posed = (mrwi_frame_posed){0};
    }
    return status;
}
