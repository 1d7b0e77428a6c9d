/* renderer.c: renderers: the memory of one thread, and what it keeps between pictures. */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/simd/isa.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

mrw_status mrw_renderer_create(mrw_renderer **out, mrw_error *error)
{
    mrw_renderer *renderer = mrwi_base_alloc_zero(1, sizeof *renderer);
    if (!renderer) {
        return mrwi_base_fail_memory(error, sizeof *renderer);
    }
    mrw_status status = mrw_raster_create(&renderer->scratch.raster, error);
    if (status) {
        mrwi_base_free(renderer);
        return status;
    }
    *out = renderer;
    return MRW_OK;
}

void mrw_renderer_free(mrw_renderer *renderer)
{
    if (!renderer) {
        return;
    }
    for (uint32_t i = 0; i < renderer->scratch.playhead_count; i++) {
        mrwi_base_free(renderer->scratch.playheads[i].cursors);
    }
    mrwi_base_free(renderer->scratch.playheads);
    for (int i = 0; i < MRW_SHADOW_LIGHTS; i++) {
        mrwi_frame_free_shadow_memory(&renderer->lights.shadows[i]);
    }
    mrwi_frame_free_kept(&renderer->aovs);
    mrw_occlusion_free(renderer->lights.occlusion);
    mrw_raster_free(renderer->scratch.raster);
    mrwi_base_arena_free(&renderer->scratch.arena);
    mrwi_base_free(renderer);
}

mrw_status mrwi_frame_poses_begin(mrw_renderer *renderer, const mrw_instance *instances,
                                  uint32_t count, mrw_isa isa, mrwi_frame_poses *poses,
                                  mrw_error *error)
{
    mrwi_base_arena_reset(&renderer->scratch.arena);
    memset(renderer->targets, 0, sizeof renderer->targets);
    renderer->posed = (mrwi_frame_posed){0};
    mrwi_frame_forget_aovs(&renderer->aovs);
    renderer->described = false;
    renderer->sorted_bands = 0;
    renderer->scratch.isa = mrwi_base_isa_resolve(isa);
    return mrwi_frame_poses_begin_more(&renderer->scratch, instances, count, poses, error);
}

void mrwi_frame_keep_posed(mrw_renderer *renderer, const mrw_instance *instances, uint32_t count,
                           mrw_isa isa)
{
    mrwi_frame_poses *poses = &renderer->posed.poses;
    assert(renderer->posed.draws && poses->count == count);
    mrwi_base_arena_back(&renderer->scratch.arena, &renderer->posed.end);
    memset(renderer->targets, 0, sizeof renderer->targets);
    mrwi_frame_forget_aovs(&renderer->aovs);
    renderer->scratch.isa = mrwi_base_isa_resolve(isa);
    poses->instances = instances;
    for (uint32_t i = 0; i < count; i++) {
        assert(poses->items[i].scene == instances[i].model->scene);
        poses->items[i].instance = &instances[i];
    }
}

void mrwi_frame_forget(mrw_renderer *renderer)
{
    /* the next picture updates these, and they may be half done */
    for (int i = 0; i < MRW_SHADOW_LIGHTS; i++) {
        mrwi_frame_free_shadow_memory(&renderer->lights.shadows[i]);
    }
    mrw_occlusion_free(renderer->lights.occlusion);
    renderer->lights.occlusion = NULL;
    memset(renderer->targets, 0, sizeof renderer->targets);
    mrwi_frame_forget_aovs(&renderer->aovs);
    for (uint32_t i = 0; i < renderer->aovs.kept_count; i++) {
        renderer->aovs.kept[i].image.width = 0; /* may hold anything */
    }
}

/* ---- results of the last picture ------------------------------------------------------------- */

uint32_t mrw_frame_sorted_bands(const mrw_renderer *renderer)
{
    return renderer->sorted_bands;
}

uint32_t mrw_frame_shadowless_lights(const mrw_renderer *renderer)
{
    return renderer->lights.shadowless;
}

const mrw_image *mrw_frame_target(const mrw_renderer *renderer, mrw_target_kind kind)
{
    assert((unsigned)kind < MRW_TARGET_COUNT);
    return renderer->targets[kind].pixels ? &renderer->targets[kind] : NULL;
}

const mrw_image *mrw_frame_aov(const mrw_renderer *renderer, uint32_t index)
{
    return index < renderer->aovs.count ? &renderer->aovs.images[index] : NULL;
}

mrw_intrinsics mrw_frame_intrinsics(const mrw_renderer *renderer)
{
    return renderer->aovs.intrinsics;
}
