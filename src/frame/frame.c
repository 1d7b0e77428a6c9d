/* frame.c: the spine: scene + clip + time + view -> image.
 *
 *   file - load -> scene - anim -> pose -> palette - skin -> vertices - raster -> image
 *
 * mrwi_frame_render() goes this way for one picture:
 *
 *   mrwi_frame_pose_picture      draws.c      poses (pose.c) and skins (vertices.c) all instances
 *   mrwi_frame_prepare_targets   targets.c    gets memory for what is drawn
 *   mrwi_frame_complete          here         draws it:
 *     mrwi_frame_prepare_aovs    aov_draw.c   adds passes that are drawn with the picture
 *     draw_pass                  here         camera, lights (job.c), then the rasterizer
 *     mrwi_frame_draw_overlays   overlay.c    draws over the picture
 *     mrwi_frame_make_aovs       aov_draw.c   draws the other passes
 *
 * The arena is reset at each frame and keeps its high-water mark, so a sequence allocates nothing
 * once it runs.
 */
#include "frame/frame.h"

#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/work.h"

#include <assert.h>

mrw_frame_def mrw_frame_def_default(void)
{
    return (mrw_frame_def){.width = 512,
                           .height = 512,
                           .samples = 4,
                           .bits = 8,
                           .shading = MRW_SHADING_LIT,
                           .filter = MRW_FILTER_TRILINEAR,
                           .exposure = 1.0f,
                           .tonemap = MRW_TONEMAP_NEUTRAL,
                           .background = {0xb8, 0xc3, 0xd3, 0xff},
                           .isa = MRW_ISA_AUTO,
                           .view_count = 1,
                           .scene_camera = MRW_NONE,
                           .follow = {.node = MRW_NONE},
                           .file_lights = true,
                           .shadow_size = 2048,
                           .shadow_softness = 5.0f,
                           .occlusion_radius = 0.1f,
                           .occlusion_strength = 1.0f,
                           .environment_intensity = 1.0f};
}

/* spans: see mrw_raster_job.target_spans. */
static mrw_status draw_pass(mrw_renderer *renderer, const mrw_pass *pass,
                            mrw_shadow_span *const *spans, int threads, mrw_error *error)
{
    mrwi_frame_scratch *scratch = &renderer->scratch;
    mrwi_frame_picture picture;
    mrw_raster_job job;
    mrw_status status =
        mrwi_frame_picture_begin(pass->def, &renderer->posed, threads, &picture, error);
    if (status) {
        return status;
    }
    status = mrwi_frame_picture_job(&scratch->arena, &picture, &job, error);
    if (status) {
        return status;
    }
    job.targets = pass->targets;
    job.target_count = pass->target_count;
    job.target_spans = spans;
    job.isa = scratch->isa;
    job.threads = threads;
    status = mrwi_frame_add_light(scratch, &renderer->lights, pass->def, &job, error);
    if (status) {
        return status;
    }
    atomic_fetch_add_explicit(&mrwi_frame_counts.pictures, 1, memory_order_relaxed);
    status = mrw_raster_draw_frame(scratch->raster, &job, error);
    renderer->sorted_bands = mrw_raster_sorted_bands(scratch->raster);
    return status;
}

/* Draws overlays over the picture, and the passes that were not drawn with it. */
static mrw_status draw_more(mrw_renderer *renderer, const mrw_frame_def *def, int threads,
                            mrw_image *image, mrw_error *error)
{
    const bool overlays = def->overlays != 0 && !def->no_picture;
    mrwi_frame_picture picture;
    if (!overlays && def->aov_count == 0) {
        return MRW_OK;
    }
    mrw_status status = mrwi_frame_picture_begin(def, &renderer->posed, threads, &picture, error);
    if (status) {
        return status;
    }
    if (overlays) {
        status = mrwi_frame_draw_overlays(&renderer->scratch, &picture, image, error);
        if (status) {
            return status;
        }
    }
    return def->aov_count > 0
               ? mrwi_frame_make_aovs(&renderer->scratch, &renderer->aovs, &picture, error)
               : MRW_OK;
}

mrw_status mrwi_frame_complete(mrw_renderer *renderer, const mrw_frame_def *def,
                               mrw_target targets[MRW_TARGET_COUNT], uint32_t target_count,
                               int threads, mrw_image *image, mrw_error *error)
{
    mrw_shadow_span *spans[MRW_TARGET_COUNT] = {NULL};
    mrw_status status = mrwi_frame_prepare_aovs(&renderer->scratch.arena, &renderer->aovs, def,
                                                targets, spans, &target_count, error);
    if (status) {
        return status;
    }
    if (target_count > 0) {
        mrw_frame_def solid = *def;
        solid.background[3] = 255; /* pictures of 3 channels are opaque */
        const mrw_pass pass = {&solid, targets, target_count};
        status = draw_pass(renderer, &pass, spans, threads, error);
        if (status) {
            return status;
        }
    }
    return draw_more(renderer, def, threads, image, error);
}

mrw_status mrwi_frame_render(void *drawer, const mrw_frame_def *def, const mrw_instance *instances,
                             uint32_t count, int threads, mrw_image *out, mrw_error *error)
{
    mrw_renderer *renderer = drawer;
    mrw_target targets[MRW_TARGET_COUNT];
    uint32_t target_count = 0;
    mrwi_base_budget budget = {0};
    const mrwi_base_work before = mrwi_base_work_enter_budget(&budget);
    mrw_status status = mrwi_frame_pose_picture(renderer, def, instances, count, error);
    if (status) {
        goto out;
    }
    status = mrwi_frame_prepare_targets(&renderer->scratch.arena, def, out, renderer->targets,
                                        targets, &target_count, error);
    if (status) {
        goto out;
    }
    status = mrwi_frame_complete(renderer, def, targets, target_count, threads, out, error);
out:
    mrwi_base_work_leave_picture(&budget, before);
    if (status) {
        mrwi_frame_forget(renderer);
    }
    return status;
}

mrw_status mrwi_frame_job(mrw_renderer *renderer, const mrw_frame_def *def,
                          const mrw_instance *instances, uint32_t count, mrwi_frame_poses *poses,
                          mrw_raster_job *out, mrw_error *error)
{
    mrwi_frame_picture picture;
    mrw_status status = MRW_OK;
    if (def->same_pose) {
        mrwi_frame_keep_posed(renderer, instances, count, def->isa);
    } else {
        status = mrwi_frame_pose_all(renderer, instances, count, def->isa, false, false, error);
    }
    *poses = renderer->posed.poses;
    if (status) {
        return status;
    }
    status = mrwi_frame_picture_begin(def, &renderer->posed, 1, &picture, error);
    return status ? status : mrwi_frame_picture_job(&renderer->scratch.arena, &picture, out, error);
}

/* ---- the public way in ----------------------------------------------------------------------- */

mrw_status mrw_render_passes(mrw_renderer *renderer, const mrw_instance *instances,
                             uint32_t instance_count, const mrw_pass *passes, uint32_t pass_count,
                             mrw_isa isa, int threads, mrw_error *error)
{
    assert(renderer && instances && instance_count > 0 && passes && threads > 0);
    mrw_status status = mrwi_base_isa_check(isa, error);
    if (status) {
        return status;
    }
    mrwi_base_budget budget = {0};
    const mrwi_base_work before = mrwi_base_work_enter_budget(&budget);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = mrwi_frame_pose_all(renderer, instances, instance_count, isa, false, false, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < pass_count; i++) {
        status = draw_pass(renderer, &passes[i], NULL, threads, error);
        if (status) {
            goto out;
        }
    }
out:
    if (status) {
        mrwi_frame_forget(renderer);
    }
    mrwi_base_fp_leave(fp);
    mrwi_base_work_leave_picture(&budget, before);
    return status;
}

mrw_status mrw_render(mrw_renderer *renderer, const mrw_frame_def *def,
                      const mrw_instance *instances, uint32_t instance_count, int threads,
                      mrw_image *out, mrw_error *error)
{
    assert(renderer && instances && instance_count > 0 && out && threads > 0);
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = mrwi_frame_render(renderer, def, instances, instance_count, threads, out, error);
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_frame_draw_overlays(mrw_renderer *renderer, const mrw_frame_def *def,
                                   const mrw_instance *instances, uint32_t instance_count,
                                   int threads, mrw_image *picture, mrw_error *error)
{
    assert(renderer && instances && instance_count > 0 && picture && threads > 0);
    assert(picture->width == def->width && picture->height == def->height);
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrwi_frame_picture seen;
    status = mrwi_frame_pose_picture(renderer, def, instances, instance_count, error);
    if (status || def->overlays == 0) {
        goto out;
    }
    status = mrwi_frame_picture_begin(def, &renderer->posed, threads, &seen, error);
    if (status) {
        goto out;
    }
    status = mrwi_frame_draw_overlays(&renderer->scratch, &seen, picture, error);
out:
    mrwi_base_fp_leave(fp);
    return status;
}
