/* vertices.c: the vertices of posed instances: morphed, skinned and displaced. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "base/work.h"
#include "scene/maps.h"

#include <assert.h>
#include <string.h>

/* ---- morphing -------------------------------------------------------------------------------- */

static mrwi_frame_streams base_streams(const mrw_scene *scene, const mrw_mesh *mesh)
{
    return (mrwi_frame_streams){
        scene->positions + (size_t)mesh->position * 3, scene->normals + (size_t)mesh->normal * 3,
        mesh->tangent == MRW_NONE ? NULL : scene->tangents + (size_t)mesh->tangent * 4};
}

/* Lists the morph targets with a weight; *count is 0 when the mesh keeps its base shape. Returns
 * NULL without memory. */
static mrw_morph_delta *active_targets(mrwi_base_arena *arena, const mrwi_frame_pose *pose,
                                       const mrw_draw *draw, uint32_t *count)
{
    const mrw_scene *scene = pose->scene;
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    const mrw_node *node = &scene->nodes[draw->node];
    mrw_morph_delta *deltas = mrwi_base_arena_alloc(arena, mesh->target_count, sizeof *deltas);
    *count = 0;
    for (uint32_t t = 0; deltas && t < mesh->target_count && t < node->weight_count; t++) {
        const mrw_morph_target *target = &scene->targets[mesh->first_target + t];
        float weight = pose->local->locals.weights[node->first_weight + t];
        if (weight == 0.0f || target->entry_count == 0) {
            continue;
        }
        deltas[(*count)++] = (mrw_morph_delta){
            .weight = weight,
            .count = target->entry_count,
            .vertices = scene->morph_vertices + target->first_entry,
            .positions = scene->morph_positions + (size_t)target->first_entry * 3,
            .normals = target->normal == MRW_NONE
                           ? NULL
                           : scene->morph_normals + (size_t)target->normal * 3,
            .tangents = target->tangent == MRW_NONE
                            ? NULL
                            : scene->morph_tangents + (size_t)target->tangent * 3};
    }
    return deltas;
}

static mrw_status morph_streams(mrwi_base_arena *arena, const mrwi_frame_pose *pose,
                                const mrw_draw *draw, mrwi_frame_streams *streams, mrw_error *error)
{
    const mrw_mesh *mesh = &pose->scene->meshes[draw->mesh];
    uint32_t count = 0;
    mrw_morph_delta *targets = active_targets(arena, pose, draw, &count);
    if (!targets) {
        return mrwi_base_fail_memory(error, mesh->target_count * sizeof *targets);
    }
    if (count == 0) {
        return MRW_OK;
    }
    mrwi_base_work_spend((uint64_t)mesh->vertex_count * count * 10);
    mrw_morph_job job = {.vertex_count = mesh->vertex_count,
                         .targets = targets,
                         .target_count = count,
                         .positions = streams->positions,
                         .normals = streams->normals,
                         .tangents = streams->tangents};
    job.out_positions = mrwi_base_arena_alloc(arena, mesh->vertex_count, 3 * sizeof(float));
    if (streams->normals) {
        job.out_normals = mrwi_base_arena_alloc(arena, mesh->vertex_count, 3 * sizeof(float));
    }
    if (streams->tangents) {
        job.out_tangents = mrwi_base_arena_alloc(arena, mesh->vertex_count, 4 * sizeof(float));
    }
    if (!job.out_positions || (streams->normals && !job.out_normals) ||
        (streams->tangents && !job.out_tangents)) {
        return mrwi_base_fail_memory(error, mesh->vertex_count * 10 * sizeof(float));
    }
    mrw_morph_vertices(&job);
    atomic_fetch_add_explicit(&mrwi_frame_counts.morphs, 1, memory_order_relaxed);
    *streams = (mrwi_frame_streams){job.out_positions, job.out_normals, job.out_tangents};
    return MRW_OK;
}

/* Morphs a draw, once for all instances with one playback state. Spends the work of moving its
 * vertices, too. */
static mrw_status morph(mrwi_base_arena *arena, const mrwi_frame_pose *pose, uint32_t index,
                        mrwi_frame_streams *streams, mrw_error *error)
{
    const mrw_scene *scene = pose->scene;
    const mrw_draw *draw = &scene->draws[index];
    mrwi_frame_local_pose *local = pose->local;
    mrwi_base_work_spend((uint64_t)scene->meshes[draw->mesh].vertex_count * 10);
    mrw_status status = mrwi_base_work_check(NULL, error);
    if (status || scene->meshes[draw->mesh].target_count == 0) {
        return status;
    }
    if (!local->morphed) {
        local->morphed = mrwi_base_arena_alloc(arena, scene->draws_count, sizeof *local->morphed);
        if (!local->morphed) {
            return mrwi_base_fail_memory(error, scene->draws_count * sizeof *local->morphed);
        }
        memset(local->morphed, 0, scene->draws_count * sizeof *local->morphed);
    }
    if (!local->morphed[index].positions) {
        status = morph_streams(arena, pose, draw, streams, error);
        if (status) {
            return status;
        }
        local->morphed[index] = *streams;
    }
    *streams = local->morphed[index];
    return MRW_OK;
}

/* ---- skinning -------------------------------------------------------------------------------- */

/* Returns true when the columns of the 3x3 part have equal lengths and right angles, to a relative
 * 1e-4: normals may then use the matrix itself. */
static bool is_conformal(const mrw_mat4 *m)
{
    const float *x = m->m, *y = m->m + 4, *z = m->m + 8;
    float xx = mrwi_base_dot3(x, x), yy = mrwi_base_dot3(y, y), zz = mrwi_base_dot3(z, z);
    float limit = 1e-4f * xx;
    return fabsf(xx - yy) <= limit && fabsf(xx - zz) <= limit &&
           fabsf(mrwi_base_dot3(x, y)) <= limit && fabsf(mrwi_base_dot3(x, z)) <= limit &&
           fabsf(mrwi_base_dot3(y, z)) <= limit;
}

/* Returns true when pictures of the model read the tangents of a mesh. */
static bool takes_tangents(const mrw_model *model, const mrw_mesh *mesh)
{
    const mrw_scene *scene = model->scene;
    const mrw_material *material =
        mesh->material == MRW_NONE ? NULL : &scene->materials[mesh->material];
    const mrw_shading_info *mode = mrw_shading_info_of(model->shading);
    return model->shading == MRW_SHADING_CHANNEL ||
           ((mode->materials || mode->matcap) && !mode->flat && mrwi_scene_tangent_map(material));
}

/* Makes the job that skins a draw from its unmorphed mesh, without outputs. */
static mrw_skin_job skin_job(const mrwi_frame_pose *pose, uint32_t index, bool tangents)
{
    const mrw_instance *instance = pose->instance;
    const mrw_scene *scene = pose->scene;
    const mrw_draw *draw = &scene->draws[index];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    const mrwi_frame_streams streams = base_streams(scene, mesh);
    mrw_skin_job job = {
        .groups = instance->model->influences.groups + mesh->first_group,
        .group_count = mesh->group_count,
        .rigid = instance->pose == MRW_POSE_BIND && draw->skin != MRW_NONE
                     ? &pose->model_to_world
                     : &pose->node_to_world[draw->node],
        .palette = draw->skin == MRW_NONE ? NULL : pose->palettes.matrices[draw->skin],
        .positions = streams.positions,
        .normals = streams.normals,
        .tangents = tangents || takes_tangents(instance->model, mesh) ? streams.tangents : NULL};
    if (pose->palettes.motions && draw->skin != MRW_NONE) {
        job.motions = pose->palettes.motions[draw->skin].motions;
        job.scales = pose->palettes.motions[draw->skin].scales;
    }
    job.cofactor_normals =
        (mesh->flags & MRW_MESH_NONUNIFORM) || !is_conformal(&pose->model_to_world);
    return job;
}

static bool is_mirrored(const mrw_skin_job *job)
{
    return mrwi_base_mat4_det3(job->palette ? job->palette : job->rigid) < 0;
}

mrw_status mrwi_frame_describe_draw(mrwi_base_arena *arena, const mrwi_frame_pose *pose,
                                    uint32_t index, mrw_vertex_source *out, bool *mirrored,
                                    mrw_error *error)
{
    const mrw_draw *draw = &pose->scene->draws[index];
    uint32_t count;
    mrw_morph_delta *targets = active_targets(arena, pose, draw, &count);
    if (!targets) {
        return mrwi_base_fail_memory(error, sizeof *targets);
    }
    *out = (mrw_vertex_source){.model = pose->instance->model,
                               .scene = pose->scene,
                               .draw = index,
                               .skin = skin_job(pose, index, false),
                               .targets = targets,
                               .target_count = count};
    *mirrored = is_mirrored(&out->skin);
    return MRW_OK;
}

/* Makes the job that skins a draw, morphed, without outputs; without groups if it is hidden. */
static mrw_status prepare_job(mrwi_frame_scratch *scratch, const mrwi_frame_pose *pose,
                              uint32_t index, bool tangents, mrw_skin_job *out, mrw_error *error)
{
    mrwi_frame_streams streams =
        base_streams(pose->scene, &pose->scene->meshes[pose->scene->draws[index].mesh]);
    *out = (mrw_skin_job){0};
    if (mrwi_frame_hides(pose, index)) {
        return MRW_OK;
    }
    mrw_status status = morph(&scratch->arena, pose, index, &streams, error);
    if (status) {
        return status;
    }
    *out = skin_job(pose, index, tangents);
    out->isa = scratch->isa;
    out->positions = streams.positions;
    out->normals = streams.normals;
    out->tangents = out->tangents ? streams.tangents : NULL;
    return MRW_OK;
}

/* Returns a draw with the outputs of its job. */
static mrw_posed_draw posed_by(const mrw_skin_job *job, const mrw_scene *scene, uint32_t index)
{
    const mrw_mesh *mesh = &scene->meshes[scene->draws[index].mesh];
    if (!job->positions) {
        return (mrw_posed_draw){.draw = index}; /* hidden */
    }
    return (mrw_posed_draw){.draw = index,
                            .vertex_count = mesh->vertex_count,
                            .triangle_count = mesh->triangle_count,
                            .positions = job->out_positions,
                            .normals = job->out_normals,
                            .tangents = job->out_tangents,
                            .mirrored = is_mirrored(job)};
}

/* Morphs and skins one draw into arena streams. */
static mrw_status skin_draw(mrwi_frame_scratch *scratch, const mrwi_frame_pose *pose,
                            uint32_t index, bool tangents, mrw_posed_draw *out, mrw_error *error)
{
    const size_t count = pose->scene->meshes[pose->scene->draws[index].mesh].vertex_count;
    mrwi_base_arena *arena = &scratch->arena;
    mrw_skin_job job;
    mrw_status status = prepare_job(scratch, pose, index, tangents, &job, error);
    if (status) {
        return status;
    }
    if (job.positions) {
        job.out_positions = mrwi_base_arena_alloc(arena, count, 4 * sizeof(float));
        job.out_normals = mrwi_base_arena_alloc(arena, count, 4 * sizeof(float));
        if (job.tangents) {
            job.out_tangents = mrwi_base_arena_alloc(arena, count, 4 * sizeof(float));
        }
        if (!job.out_positions || !job.out_normals || (job.tangents && !job.out_tangents)) {
            return mrwi_base_fail_memory(error, count * 12 * sizeof(float));
        }
        mrw_skin_vertices(&job);
        atomic_fetch_add_explicit(&mrwi_frame_counts.skins, 1, memory_order_relaxed);
    }
    *out = posed_by(&job, pose->scene, index);
    return MRW_OK;
}

mrw_status mrwi_frame_position_job(mrwi_frame_scratch *scratch, const mrwi_frame_pose *pose,
                                   uint32_t index, mrw_skin_job *out, mrw_error *error)
{
    const mrw_scene *scene = pose->scene;
    mrwi_frame_streams streams = {
        base_streams(scene, &scene->meshes[scene->draws[index].mesh]).positions, NULL, NULL};
    mrw_status status = morph(&scratch->arena, pose, index, &streams, error);
    if (status) {
        return status;
    }
    *out = skin_job(pose, index, false);
    out->isa = scratch->isa;
    out->positions = streams.positions;
    out->normals = out->tangents = NULL;
    return MRW_OK;
}

mrw_status mrwi_frame_skin_draws(mrwi_frame_scratch *scratch, const mrwi_frame_pose *pose,
                                 bool tangents, mrw_posed_draw **out, mrw_error *error)
{
    const uint32_t count = pose->scene->draws_count;
    *out = pose->first->draws;
    if (*out) {
        return MRW_OK;
    }
    mrw_posed_draw *draws = mrwi_base_arena_alloc(&scratch->arena, count, sizeof *draws);
    if (!draws) {
        return mrwi_base_fail_memory(error, count * sizeof *draws);
    }
    for (uint32_t i = 0; i < count; i++) {
        mrw_status status = skin_draw(scratch, pose, i, tangents, &draws[i], error);
        if (status) {
            return status;
        }
    }
    if (pose->instance->model->displacement) {
        mrw_status status = mrwi_frame_displace(&scratch->arena, pose, draws, error);
        if (status) {
            return status;
        }
    }
    *out = pose->first->draws = draws;
    return MRW_OK;
}

mrw_status mrwi_frame_skin_draws_later(mrwi_frame_scratch *scratch, const mrwi_frame_pose *pose,
                                       bool tangents, const mrwi_frame_shared *memory,
                                       mrw_posed_draw **out, mrw_error *error)
{
    const uint32_t count = pose->scene->draws_count;
    *out = pose->first->draws;
    if (*out) {
        return MRW_OK;
    }
    mrw_posed_draw *draws = mrwi_base_arena_alloc(&scratch->arena, count, sizeof *draws);
    mrw_skin_job *jobs = mrwi_base_arena_alloc(&scratch->arena, count, sizeof *jobs);
    if (!draws || !jobs) {
        return mrwi_base_fail_memory(error, count * sizeof *jobs);
    }
    for (uint32_t i = 0; i < count; i++) {
        mrw_status status = prepare_job(scratch, pose, i, tangents, &jobs[i], error);
        if (status) {
            return status;
        }
        jobs[i].out_positions = memory->positions;
        jobs[i].out_normals = memory->normals;
        jobs[i].out_tangents = jobs[i].tangents ? memory->tangents : NULL;
        draws[i] = posed_by(&jobs[i], pose->scene, i);
    }
    pose->first->jobs = jobs;
    *out = pose->first->draws = draws;
    return MRW_OK;
}

/* ---- vertices for the caller of the library -------------------------------------------------- */

/* Scales vectors to unit length. A zero vector becomes +Z, so that readers get unit vectors only.
 */
static void normalize_stream(float *v, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, v += 4) {
        if (!mrwi_base_normalize3(v)) {
            v[0] = v[1] = 0.0f;
            v[2] = 1.0f;
        }
    }
}

/* Gives each vertex of a flat mesh the normal of its posed triangle, as the rasterizer lights it. A
 * vertex of several triangles gets their mean, weighted by area. */
static void flatten_normals(const mrw_scene *scene, const mrw_posed_draw *posed)
{
    const mrw_mesh *mesh = &scene->meshes[scene->draws[posed->draw].mesh];
    const uint32_t *corner = scene->indices + mesh->first_index;
    float *normals = (float *)posed->normals;
    memset(normals, 0, (size_t)posed->vertex_count * 4 * sizeof *normals);
    for (uint32_t t = 0; t < posed->triangle_count; t++, corner += 3) {
        const float *p = posed->positions + 4 * (size_t)corner[0];
        const float *q = posed->positions + 4 * (size_t)corner[posed->mirrored ? 2 : 1];
        const float *r = posed->positions + 4 * (size_t)corner[posed->mirrored ? 1 : 2];
        const float u[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        const float v[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
        float area[3];
        mrwi_base_cross3(u, v, area);
        for (int i = 0; i < 9; i++) {
            normals[4 * (size_t)corner[i / 3] + (size_t)(i % 3)] += area[i % 3];
        }
    }
}

static void normalize_draws(const mrw_scene *scene, mrw_posed_draw *draws, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (draws[i].vertex_count > 0 &&
            (scene->meshes[scene->draws[draws[i].draw].mesh].flags & MRW_MESH_FLAT_NORMALS) != 0) {
            flatten_normals(scene, &draws[i]);
        }
        normalize_stream((float *)draws[i].normals, draws[i].vertex_count);
        if (draws[i].tangents) {
            normalize_stream((float *)draws[i].tangents, draws[i].vertex_count);
        }
    }
}

static mrw_status pose_instances(mrw_renderer *renderer, const mrw_instance *instances,
                                 uint32_t count, mrw_isa isa, const mrw_posed_instance **out,
                                 mrw_error *error)
{
    mrwi_frame_scratch *scratch = &renderer->scratch;
    mrwi_frame_poses poses;
    mrw_status status = mrwi_frame_poses_begin(renderer, instances, count, isa, &poses, error);
    if (status) {
        return status;
    }
    mrw_posed_instance *posed = mrwi_base_arena_alloc(&scratch->arena, count, sizeof *posed);
    if (!posed) {
        return mrwi_base_fail_memory(error, count * sizeof *posed);
    }
    for (uint32_t i = 0; i < count; i++) {
        const mrwi_frame_pose *pose = &poses.items[i];
        mrw_posed_draw *draws;
        status = mrwi_frame_pose_nodes(scratch, &poses, i, error);
        if (status) {
            return status;
        }
        const bool shared = pose->first->draws;
        status = mrwi_frame_skin_draws(scratch, pose, true, &draws, error);
        if (status) {
            return status;
        }
        if (!shared) {
            normalize_draws(pose->scene, draws, pose->scene->draws_count);
        }
        posed[i] = (mrw_posed_instance){draws, pose->placed};
    }
    *out = posed;
    return MRW_OK;
}

mrw_status mrw_pose_instances(mrw_renderer *renderer, const mrw_instance *instances,
                              uint32_t instance_count, mrw_isa isa, const mrw_posed_instance **out,
                              mrw_error *error)
{
    assert(renderer && instances && instance_count > 0 && out);
    mrw_status status = mrwi_base_isa_check(isa, error);
    if (status) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = pose_instances(renderer, instances, instance_count, isa, out, error);
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_pose_instance(mrw_renderer *renderer, const mrw_instance *instance, mrw_isa isa,
                             const mrw_posed_draw **out, mrw_error *error)
{
    const mrw_posed_instance *posed;
    mrw_status status = mrw_pose_instances(renderer, instance, 1, isa, &posed, error);
    if (status) {
        return status;
    }
    *out = posed->draws;
    return MRW_OK;
}
