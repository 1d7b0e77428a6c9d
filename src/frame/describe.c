/* describe.c: frames described for another backend: what moves their vertices, in place of the
 * vertices themselves. */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* Most draws of a ground, which come after all others (ground.c). */
#define GROUND_DRAWS 2

/* Returns true when something reads positions of vertices before they are drawn. */
static bool needs_vertices(const mrw_frame_def *def)
{
    const mrw_shading_info *mode = mrw_shading_info_of(def->shading);
    return (mode->lit && (def->shadows || def->ground || def->occlusion)) || mode->at_vertices ||
           def->shading == MRW_SHADING_DEPTH;
}

/* Describes the draws of one posed instance, numbered from `first` in the frame. */
static mrw_status describe_instance(mrwi_frame_scratch *scratch, const mrwi_frame_pose *pose,
                                    bool skinned, uint32_t first, mrw_vertex_source *sources,
                                    mrw_raster_draw *draws, mrw_error *error)
{
    const mrw_scene *scene = pose->scene;
    const bool displaced = pose->instance->model->displacement;
    mrw_posed_draw *posed = NULL;
    mrwi_frame_look look;
    mrw_status status = mrwi_frame_find_look(&scratch->arena, pose, &look, error);
    if (status) {
        return status;
    }
    if (displaced || skinned) {
        status = mrwi_frame_skin_draws(scratch, pose, false, &posed, error);
        if (status) {
            return status;
        }
    }
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const bool hides = mrwi_frame_hides(pose, d);
        const mrw_mesh *mesh = &scene->meshes[scene->draws[d].mesh];
        mrw_posed_draw one = {.draw = d,
                              .vertex_count = hides ? 0 : mesh->vertex_count,
                              .triangle_count = hides ? 0 : mesh->triangle_count};
        status =
            mrwi_frame_describe_draw(&scratch->arena, pose, d, &sources[d], &one.mirrored, error);
        if (status) {
            return status;
        }
        if (displaced || hides) {
            sources[d] = (mrw_vertex_source){0};
        }
        draws[d] = mrwi_frame_raster_draw(pose->instance, &look, posed ? &posed[d] : &one);
        draws[d].id = first + d + 1;
    }
    return MRW_OK;
}

static mrw_status describe_draws(mrwi_frame_scratch *scratch, const mrw_frame_def *def,
                                 mrwi_frame_posed *frame, mrw_vertex_source *sources,
                                 mrw_error *error)
{
    const bool skinned = needs_vertices(def);
    uint32_t n = 0;
    for (uint32_t i = 0; i < frame->poses.count; i++) {
        const mrwi_frame_pose *pose = &frame->poses.items[i];
        if (!def->same_pose) {
            mrw_status status = mrwi_frame_pose_nodes(scratch, &frame->poses, i, error);
            if (status) {
                return status;
            }
        }
        mrw_status status =
            describe_instance(scratch, pose, skinned, n, &sources[n], &frame->draws[n], error);
        if (status) {
            return status;
        }
        for (uint32_t d = 0; d < pose->scene->draws_count; d++) {
            sources[n++].instance = i;
        }
    }
    return MRW_OK;
}

/* Poses, unless everything is as it was, and makes new room for draws: the old ones may have
 * vertices. */
static mrw_status begin_description(mrw_renderer *renderer, const mrw_frame_def *def,
                                    const mrw_instance *instances, uint32_t count,
                                    mrwi_frame_posed *out, mrw_error *error)
{
    if (def->same_pose) {
        mrwi_frame_keep_posed(renderer, instances, count, def->isa);
        out->poses = renderer->posed.poses;
    } else {
        mrw_status status =
            mrwi_frame_poses_begin(renderer, instances, count, def->isa, &out->poses, error);
        if (status) {
            return status;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        out->draw_count += instances[i].model->scene->draws_count;
    }
    out->draws =
        mrwi_base_arena_alloc(&renderer->scratch.arena, out->draw_count, sizeof *out->draws);
    return out->draws ? MRW_OK : mrwi_base_fail_memory(error, out->draw_count * sizeof *out->draws);
}

static mrw_status describe(mrw_renderer *renderer, const mrw_frame_def *def,
                           const mrw_instance *instances, uint32_t count, int threads,
                           mrw_image *image, mrw_frame_description *out, mrw_error *error)
{
    mrwi_frame_scratch *scratch = &renderer->scratch;
    mrwi_base_arena *arena = &scratch->arena;
    mrwi_frame_posed frame = {0};
    mrw_status status = begin_description(renderer, def, instances, count, &frame, error);
    renderer->described = true;
    if (status) {
        return status;
    }
    mrw_vertex_source *sources =
        mrwi_base_arena_alloc(arena, frame.draw_count + GROUND_DRAWS, sizeof *sources);
    mrw_target *targets = mrwi_base_arena_alloc(arena, MRW_TARGET_COUNT, sizeof *targets);
    if (!sources || !targets) {
        return mrwi_base_fail_memory(error, frame.draw_count * sizeof *sources);
    }
    status = describe_draws(scratch, def, &frame, sources, error);
    if (status) {
        return status;
    }
    memset(sources + frame.draw_count, 0, GROUND_DRAWS * sizeof *sources);
    if (!def->same_pose) {
        frame.end = mrwi_base_arena_now(arena);
        renderer->posed = frame;
    }
    mrwi_frame_picture picture;
    status = mrwi_frame_picture_begin(def, &frame, threads, &picture, error);
    if (status) {
        return status;
    }
    *out = (mrw_frame_description){.sources = sources};
    status = mrwi_frame_picture_job(arena, &picture, &out->job, error);
    if (status) {
        return status;
    }
    out->job.isa = scratch->isa;
    out->job.threads = threads;
    status = mrwi_frame_prepare_targets(arena, def, image, renderer->targets, targets,
                                        &out->job.target_count, error);
    if (status) {
        return status;
    }
    out->job.targets = targets;
    return mrwi_frame_add_light(scratch, &renderer->lights, def, &out->job, error);
}

mrw_status mrw_frame_describe(mrw_renderer *renderer, const mrw_frame_def *def,
                              const mrw_instance *instances, uint32_t instance_count, int threads,
                              mrw_image *picture, mrw_frame_description *out, mrw_error *error)
{
    assert(renderer && instances && instance_count > 0 && picture && out && threads > 0);
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (!status) {
        mrwi_base_fp fp = mrwi_base_fp_enter();
        status = describe(renderer, def, instances, instance_count, threads, picture, out, error);
        mrwi_base_fp_leave(fp);
    }
    if (status) {
        mrwi_frame_forget(renderer);
    }
    return status;
}
