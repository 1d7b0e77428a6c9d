/* draws.c: the draws of all instances of a frame: poses, materials and vertices together, as the
 * rasterizer takes them. */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/text.h"

mrw_raster_draw mrwi_frame_raster_draw(const mrw_instance *instance, const mrwi_frame_look *look,
                                       const mrw_posed_draw *posed)
{
    const mrw_model *model = instance->model;
    const mrw_scene *scene = model->scene;
    const mrw_draw *draw = &scene->draws[posed->draw];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    const bool no_material = mesh->material == MRW_NONE;
    mrw_raster_draw out = {
        .vertex_count = posed->vertex_count,
        .triangle_count = posed->triangle_count,
        .indices = scene->indices + mesh->first_index,
        .positions = posed->positions,
        .normals = posed->normals,
        .tangents = posed->tangents,
        .colors = mesh->color == MRW_NONE ? NULL : scene->colors + (size_t)mesh->color * 4,
        .mirrored = posed->mirrored,
        .flat = (mesh->flags & MRW_MESH_FLAT_NORMALS) != 0,
        .material = &look->converted[no_material ? scene->materials_count : mesh->material]};
    mrwi_frame_set_uvs(scene, mesh, no_material ? NULL : &look->materials[mesh->material], &out);
    return out;
}

/* With more vertices than this, the draws of several instances are filled when they are drawn. They
 * take 32 to 48 bytes each, and are skinned again for each shadow map. */
#define MANY_VERTICES (1u << 20)

/* Finds whether posed instances have many vertices, and the largest draw. Displacement needs whole
 * models. */
static bool is_crowd(const mrwi_frame_poses *poses, uint32_t *largest)
{
    uint64_t total = 0;
    bool displaced = false;
    *largest = 0;
    for (uint32_t i = 0; i < poses->count; i++) {
        const mrwi_frame_pose *pose = &poses->items[i];
        displaced = displaced || pose->instance->model->displacement;
        for (uint32_t d = 0; d < pose->scene->draws_count && pose->first == pose; d++) {
            const uint32_t count = pose->scene->meshes[pose->scene->draws[d].mesh].vertex_count;
            *largest = count > *largest ? count : *largest;
            total += count;
        }
    }
    return poses->count > 1 && total > MANY_VERTICES && !displaced;
}

static mrw_status make_shared(mrwi_base_arena *arena, uint32_t vertex_count, mrwi_frame_shared *out,
                              mrw_error *error)
{
    float **const streams[] = {&out->positions, &out->normals, &out->tangents};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        *streams[i] = mrwi_base_arena_alloc(arena, vertex_count, 4 * sizeof(float));
        if (!*streams[i]) {
            return mrwi_base_fail_memory(error, vertex_count * 4 * sizeof(float));
        }
    }
    return MRW_OK;
}

/* Skins a draw into the memory that it shares: fills a mrw_raster_draw. */
static void skin_now(const void *job)
{
    mrw_skin_vertices(job);
    atomic_fetch_add_explicit(&mrwi_frame_counts.skins, 1, memory_order_relaxed);
}

/* Appends the draws of a posed instance. memory NULL: skins them. */
static mrw_status add_draws(mrwi_frame_scratch *scratch, const mrwi_frame_pose *pose,
                            const mrwi_frame_shared *memory, mrwi_frame_posed *out,
                            mrw_error *error)
{
    mrw_posed_draw *posed;
    mrwi_frame_look look;
    mrw_status status = mrwi_frame_find_look(&scratch->arena, pose, &look, error);
    if (status) {
        return status;
    }
    status = memory
                 ? mrwi_frame_skin_draws_later(scratch, pose, out->tangents, memory, &posed, error)
                 : mrwi_frame_skin_draws(scratch, pose, out->tangents, &posed, error);
    if (status) {
        return status;
    }
    for (uint32_t d = 0; d < pose->scene->draws_count; d++) {
        mrw_raster_draw *draw = &out->draws[out->draw_count++];
        *draw = mrwi_frame_raster_draw(pose->instance, &look, &posed[d]);
        draw->id = out->draw_count;
        if (memory && draw->vertex_count > 0) {
            draw->fill = skin_now;
            draw->fill_user = &pose->first->jobs[d];
        }
    }
    return MRW_OK;
}

/* Poses and skins the instances of out->poses. */
static mrw_status gather_draws(mrwi_frame_scratch *scratch, bool tangents, bool skinned,
                               mrwi_frame_posed *out, mrw_error *error)
{
    mrwi_frame_poses *poses = &out->poses;
    mrwi_frame_shared memory;
    uint32_t largest;
    size_t total = 0;
    out->tangents = tangents;
    for (uint32_t i = 0; i < poses->count; i++) {
        total += poses->instances[i].model->scene->draws_count;
    }
    out->draws = mrwi_base_arena_alloc(&scratch->arena, total, sizeof *out->draws);
    if (!out->draws) {
        return mrwi_base_fail_memory(error, total * sizeof *out->draws);
    }
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < poses->count && !status; i++) {
        status = mrwi_frame_pose_nodes(scratch, poses, i, error);
    }
    if (status) {
        return status;
    }
    out->skinned = skinned || !is_crowd(poses, &largest);
    status = out->skinned ? MRW_OK : make_shared(&scratch->arena, largest, &memory, error);
    for (uint32_t i = 0; i < poses->count && !status; i++) {
        status = add_draws(scratch, &poses->items[i], out->skinned ? NULL : &memory, out, error);
    }
    out->end = mrwi_base_arena_now(&scratch->arena);
    return status;
}

mrw_status mrwi_frame_pose_all(mrw_renderer *renderer, const mrw_instance *instances,
                               uint32_t count, mrw_isa isa, bool tangents, bool skinned,
                               mrw_error *error)
{
    mrwi_frame_posed posed = {0};
    mrw_status status =
        mrwi_frame_poses_begin(renderer, instances, count, isa, &posed.poses, error);
    if (status) {
        return status;
    }
    status = gather_draws(&renderer->scratch, tangents, skinned, &posed, error);
    if (status) {
        return status;
    }
    renderer->posed = posed;
    return MRW_OK;
}

mrw_status mrwi_frame_pose_picture(mrw_renderer *renderer, const mrw_frame_def *def,
                                   const mrw_instance *instances, uint32_t count, mrw_error *error)
{
    const bool tangents = mrwi_frame_wants_aov(def, MRW_AOV_NORMAL);
    const bool skinned = def->overlays != 0 || def->aov_count > 0; /* they read vertices at will */
    if (def->same_pose && (renderer->posed.tangents || !tangents) &&
        (renderer->posed.skinned || !skinned)) {
        mrwi_frame_keep_posed(renderer, instances, count, def->isa);
        return MRW_OK;
    }
    return mrwi_frame_pose_all(renderer, instances, count, def->isa, tangents, skinned, error);
}

mrw_status mrwi_frame_pose_more(mrwi_frame_scratch *scratch, const mrw_instance *instances,
                                uint32_t count, bool tangents, mrwi_frame_posed *out,
                                mrw_error *error)
{
    *out = (mrwi_frame_posed){0};
    mrw_status status = mrwi_frame_poses_begin_more(scratch, instances, count, &out->poses, error);
    return status ? status : gather_draws(scratch, tangents, true, out, error);
}
