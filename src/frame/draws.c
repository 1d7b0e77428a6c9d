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

/* Poses and skins the instances of out->poses. */
static mrw_status gather_draws(mrwi_frame_scratch *scratch, bool tangents, mrwi_frame_posed *out,
                               mrw_error *error)
{
    mrwi_frame_poses *poses = &out->poses;
    size_t total = 0;
    out->tangents = tangents;
    for (uint32_t i = 0; i < poses->count; i++) {
        total += poses->instances[i].model->scene->draws_count;
    }
    out->draws = mrwi_base_arena_alloc(&scratch->arena, total, sizeof *out->draws);
    if (!out->draws) {
        return mrwi_base_fail_memory(error, total * sizeof *out->draws);
    }
    for (uint32_t i = 0; i < poses->count; i++) {
        const mrwi_frame_pose *pose = &poses->items[i];
        mrw_posed_draw *posed;
        mrwi_frame_look look;
        mrw_status status = mrwi_frame_pose_nodes(scratch, poses, i, error);
        if (status) {
            return status;
        }
        status = mrwi_frame_find_look(&scratch->arena, pose, &look, error);
        if (status) {
            return status;
        }
        status = mrwi_frame_skin_draws(scratch, pose, tangents, &posed, error);
        if (status) {
            return status;
        }
        for (uint32_t d = 0; d < pose->scene->draws_count; d++) {
            mrw_raster_draw *draw = &out->draws[out->draw_count++];
            *draw = mrwi_frame_raster_draw(&poses->instances[i], &look, &posed[d]);
            draw->id = out->draw_count;
        }
    }
    out->skinned = true;
    out->end = mrwi_base_arena_now(&scratch->arena);
    return MRW_OK;
}

mrw_status mrwi_frame_pose_all(mrw_renderer *renderer, const mrw_instance *instances,
                               uint32_t count, mrw_isa isa, bool tangents, mrw_error *error)
{
    mrwi_frame_posed posed = {0};
    mrw_status status =
        mrwi_frame_poses_begin(renderer, instances, count, isa, &posed.poses, error);
    if (status) {
        return status;
    }
    status = gather_draws(&renderer->scratch, tangents, &posed, error);
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
    if (def->same_pose && (renderer->posed.tangents || !tangents)) {
        mrwi_frame_keep_posed(renderer, instances, count, def->isa);
        return MRW_OK;
    }
    return mrwi_frame_pose_all(renderer, instances, count, def->isa, tangents, error);
}

mrw_status mrwi_frame_pose_more(mrwi_frame_scratch *scratch, const mrw_instance *instances,
                                uint32_t count, bool tangents, mrwi_frame_posed *out,
                                mrw_error *error)
{
    *out = (mrwi_frame_posed){0};
    mrw_status status = mrwi_frame_poses_begin_more(scratch, instances, count, &out->poses, error);
    return status ? status : gather_draws(scratch, tangents, out, error);
}
