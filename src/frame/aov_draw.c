/* aov_draw.c: what passes are made of: one drawing with one sample a pixel, at its centre, that
 * tells which triangle is seen where; then each row of each pass is computed from that triangle and
 * the camera, in double precision (aov_resolve.c).
 */
#include "frame/aov.h"

#include "base/text.h"

#include <assert.h>
#include <string.h>

/* enumerators of scene.h, by which materials of the rasterizer are */
enum { ALPHA_MASK = 1, ALPHA_BLEND = 2 };

void mrwi_frame_forget_aovs(mrw_renderer *renderer)
{
    renderer->aovs = (mrwi_frame_aovs){0};
}

const mrw_image *mrw_frame_aov(const mrw_renderer *renderer, uint32_t index)
{
    return index < renderer->aovs.count ? &renderer->aovs.images[index] : NULL;
}

mrw_intrinsics mrw_frame_intrinsics(const mrw_renderer *renderer)
{
    return renderer->aovs.intrinsics;
}

/* Pixels lie from 0 to the width where clip space lies from -w to w, downwards in the height; y and
 * z of the camera's space are those of view space, turned over. */
mrw_intrinsics mrwi_frame_intrinsics_of(const mrw_camera *camera, uint32_t width, uint32_t height)
{
    const float *p = camera->view_to_clip.m, *v = camera->world_to_view.m;
    const double half_width = 0.5 * width, half_height = 0.5 * height;
    const int at = camera->orthographic ? 12 : 8;
    const double side = camera->orthographic ? -1.0 : 1.0;
    mrw_intrinsics out = {.near_plane = (double)camera->near_plane,
                          .far_plane = (double)camera->far_plane,
                          .orthographic = camera->orthographic};
    out.k[0] = (double)p[0] * half_width;
    out.k[2] = (1.0 - side * (double)p[at]) * half_width;
    out.k[4] = (double)p[5] * half_height;
    out.k[5] = (1.0 + side * (double)p[at + 1]) * half_height;
    out.k[8] = 1.0;
    for (int row = 0; row < 4; row++) {
        const double sign = row == 1 || row == 2 ? -1.0 : 1.0;
        for (int column = 0; column < 4; column++) {
            out.world_to_camera[4 * row + column] = sign * (double)v[4 * column + row];
        }
    }
    return out;
}

/* The draws as passes see them: what blends is there where its alpha is one half or more. */
static mrw_status make_solid(mrw_renderer *renderer, const mrwi_frame_posed *posed,
                             const mrw_raster_draw **out, mrw_error *error)
{
    uint32_t blended = 0;
    for (uint32_t i = 0; i < posed->draw_count; i++) {
        blended += posed->draws[i].material->alpha_mode == ALPHA_BLEND;
    }
    *out = posed->draws;
    if (blended == 0) {
        return MRW_OK;
    }
    mrw_raster_draw *draws =
        mrwi_base_arena_alloc(&renderer->arena, posed->draw_count, sizeof *draws);
    mrw_raster_material *materials =
        mrwi_base_arena_alloc(&renderer->arena, blended, sizeof *materials);
    if (!draws || !materials) {
        return mrwi_base_fail_memory(error, blended * sizeof *materials);
    }
    memcpy(draws, posed->draws, posed->draw_count * sizeof *draws);
    for (uint32_t i = 0; i < posed->draw_count; i++) {
        if (draws[i].material->alpha_mode == ALPHA_BLEND) {
            *materials = *draws[i].material;
            materials->alpha_mode = ALPHA_MASK;
            materials->alpha_cutoff = 0.5f;
            draws[i].material = materials++;
        }
    }
    *out = draws;
    return MRW_OK;
}

static mrw_status make_image(mrw_renderer *renderer, const mrw_frame_def *def, mrw_format format,
                             uint32_t channels, mrw_image *out, mrw_error *error)
{
    const size_t values = (size_t)def->width * def->height * channels;
    uint8_t *pixels = mrwi_base_arena_alloc(&renderer->arena, values + 16, mrw_format_size(format));
    if (!pixels) {
        return mrwi_base_fail_memory(error, values * mrw_format_size(format));
    }
    *out = (mrw_image){def->width, def->height, channels, format, pixels, NULL};
    return MRW_OK;
}

/* Which draw and which of its triangles is seen at the centre of each pixel. */
static mrw_status draw_seen(mrw_renderer *renderer, const mrw_frame_def *def,
                            const mrw_camera *camera, const mrwi_frame_posed *posed, int threads,
                            mrwi_frame_seen *out, mrw_error *error)
{
    mrw_target targets[2];
    mrw_raster_job job = mrwi_frame_raster_job(def, camera);
    mrw_status status = make_solid(renderer, posed, &job.draws, error);
    if (status == MRW_OK) {
        status = make_image(renderer, def, MRW_FORMAT_U32, 1, &out->ids, error);
    }
    if (status == MRW_OK) {
        status = make_image(renderer, def, MRW_FORMAT_U32, 1, &out->triangles, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    out->posed = posed;
    out->camera = mrwi_frame_intrinsics_of(camera, def->width, def->height);
    targets[0] = mrw_target_of(MRW_TARGET_ID, &out->ids);
    targets[1] = mrw_target_of(MRW_TARGET_TRIANGLE, &out->triangles);
    job.draw_count = posed->draw_count;
    job.targets = targets;
    job.target_count = 2;
    job.samples = 1;
    job.isa = renderer->isa;
    job.threads = threads;
    return mrw_raster_draw_frame(renderer->raster, &job, error);
}

mrw_status mrwi_frame_make_aovs(mrw_renderer *renderer, const mrw_frame_def *def, int threads,
                                mrw_error *error)
{
    const mrwi_frame_posed *posed = &renderer->posed;
    const mrwi_frame_pose *first = &posed->poses.items[0];
    mrwi_frame_seen seen;
    mrw_camera camera;
    mrw_status status = mrwi_frame_camera(def, first->scene, first->placed, &camera, error);
    mrw_image *images = mrwi_base_arena_alloc(&renderer->arena, def->aov_count, sizeof *images);
    if (!images) {
        return mrwi_base_fail_memory(error, def->aov_count * sizeof *images);
    }
    for (uint32_t i = 0; i < def->aov_count && status == MRW_OK; i++) {
        const mrw_aov_info *info = mrw_aov_info_of(def->aovs[i].aov);
        status = make_image(renderer, def, info->format, info->channels, &images[i], error);
    }
    if (status == MRW_OK) {
        status = draw_seen(renderer, def, &camera, posed, threads, &seen, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    if (!mrwi_frame_resolve_aovs(&renderer->arena, &seen, def, threads, images)) {
        return mrwi_base_fail_memory(error, def->width);
    }
    renderer->aovs = (mrwi_frame_aovs){images, def->aov_count, seen.camera};
    return MRW_OK;
}
