/* frame.c: the spine. scene + clip + time + view -> image.
 *
 *   file - load -> scene - anim -> pose -> palette - skin -> vertices - raster -> image
 *
 * mrwi_frame_pose_nodes(), mrwi_frame_skin_draws() and mrwi_frame_render() call the rooms in this
 * order; mix.c is the way from clips to local transforms. A renderer's arena is reset at each
 * frame and keeps its high-water mark, so a sequence allocates nothing once it runs.
 */
#include "frame/frame.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "scene/maps.h"

#include <assert.h>
#include <string.h>

/* ---- renderers: the work memory of one thread ------------------------------------------------ */

mrw_status mrw_renderer_create(mrw_renderer **out, mrw_error *error)
{
    mrw_renderer *renderer = mrwi_base_alloc_zero(1, sizeof *renderer);
    mrw_status status;
    if (!renderer) {
        return mrwi_base_fail_memory(error, sizeof *renderer);
    }
    status = mrw_raster_create(&renderer->raster, error);
    if (status != MRW_OK) {
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
    for (uint32_t i = 0; i < renderer->playhead_count; i++) {
        mrwi_base_free(renderer->playheads[i].cursors);
    }
    mrwi_base_free(renderer->playheads);
    mrw_raster_free(renderer->raster);
    mrwi_base_arena_free(&renderer->arena);
    mrwi_base_free(renderer);
}

/* Room for the playheads of count clips. */
static bool reserve_playheads(mrw_renderer *renderer, uint32_t count)
{
    mrwi_frame_playhead *grown;
    if (count <= renderer->playhead_count) {
        return true;
    }
    grown = mrwi_base_realloc(renderer->playheads, renderer->playhead_count * sizeof *grown, count,
                              sizeof *grown);
    if (!grown) {
        return false;
    }
    memset(grown + renderer->playhead_count, 0, (count - renderer->playhead_count) * sizeof *grown);
    renderer->playheads = grown;
    renderer->playhead_count = count;
    return true;
}

/* ---- pose: clip and time -> matrices --------------------------------------------------------- */

mrw_status mrwi_frame_poses_begin(mrw_renderer *renderer, const mrw_instance *instances,
                                  uint32_t count, mrw_isa isa, mrwi_frame_poses *poses,
                                  mrw_error *error)
{
    uint32_t playheads = 0;
    for (uint32_t i = 0; i < count; i++) {
        playheads += mrwi_frame_playheads_of(&instances[i]);
    }
    mrwi_base_arena_reset(&renderer->arena);
    memset(renderer->targets, 0, sizeof renderer->targets);
    renderer->isa = mrwi_base_isa_resolve(isa);
    *poses = (mrwi_frame_poses){.instances = instances, .count = count};
    poses->items = mrwi_base_arena_alloc(&renderer->arena, count, sizeof *poses->items);
    if (!poses->items || !mrwi_frame_pose_cache_begin(&renderer->arena, poses) ||
        !reserve_playheads(renderer, playheads)) {
        return mrwi_base_fail_memory(error, count * sizeof *poses->items);
    }
    return MRW_OK;
}

/* The joint of a skin that lies nearest the root: nodes are sorted parents first. */
static uint32_t root_joint(const mrw_scene *scene, const mrw_skin *skin)
{
    const uint32_t *joints = scene->joints + skin->first_joint;
    uint32_t root = 0;
    for (uint32_t j = 1; j < skin->joint_count; j++) {
        root = joints[j] < joints[root] ? j : root;
    }
    return root;
}

/* Splits the palettes into motions and scales. */
static mrw_status build_motions(mrwi_base_arena *arena, const mrw_model *model,
                                mrwi_frame_pose *pose, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    pose->motions = mrwi_base_arena_alloc(arena, scene->skins_count, sizeof *pose->motions);
    if (!pose->motions) {
        return mrwi_base_fail_memory(error, scene->skins_count * sizeof *pose->motions);
    }
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        const mrw_skin *skin = &scene->skins[s];
        mrwi_frame_motions *out = &pose->motions[s];
        out->motions = mrwi_base_arena_alloc(arena, skin->joint_count, sizeof *out->motions);
        out->scales = mrwi_base_arena_alloc(arena, skin->joint_count, sizeof *out->scales);
        if (!out->motions || !out->scales) {
            return mrwi_base_fail_memory(error, skin->joint_count * sizeof *out->scales);
        }
        if (!mrw_dual_quaternion_palette(
                &(mrw_dual_quaternion_job){.joint_count = skin->joint_count,
                                           .palette = pose->palettes[s],
                                           .pivots = model->pivots + 3 * (size_t)skin->first_joint,
                                           .root = root_joint(scene, skin),
                                           .out_motions = out->motions,
                                           .out_scales = out->scales})) {
            out->scales = NULL;
        }
    }
    return MRW_OK;
}

static mrw_status build_palettes(mrwi_base_arena *arena, mrw_isa isa, mrwi_frame_pose *pose,
                                 mrw_error *error)
{
    const mrw_scene *scene = pose->scene;
    pose->palettes = mrwi_base_arena_alloc(arena, scene->skins_count, sizeof *pose->palettes);
    if (!pose->palettes) {
        return mrwi_base_fail_memory(error, scene->skins_count * sizeof *pose->palettes);
    }
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        pose->palettes[s] =
            mrwi_base_arena_alloc(arena, scene->skins[s].joint_count, sizeof **pose->palettes);
        if (!pose->palettes[s]) {
            return mrwi_base_fail_memory(error,
                                         scene->skins[s].joint_count * sizeof **pose->palettes);
        }
        mrw_build_palette(&(mrw_palette_job){.scene = scene,
                                             .skin = s,
                                             .bind = pose->instance->pose == MRW_POSE_BIND,
                                             .model_to_world = &pose->model_to_world,
                                             .node_to_world = pose->node_to_world,
                                             .geometry_to_world = pose->palettes[s],
                                             .isa = isa});
    }
    return MRW_OK;
}

/* The inverse of an affine matrix, by cofactors; false when it flattens. */
static bool invert_affine(const mrw_mat4 *in, mrw_mat4 *out)
{
    double c[4][3], rows[3][3];
    for (int k = 0; k < 12; k++) {
        c[k / 3][k % 3] = (double)in->m[4 * (k / 3) + k % 3];
    }
    for (int r = 0; r < 3; r++) {
        mrwi_base_cross3d(c[(r + 1) % 3], c[(r + 2) % 3], rows[r]);
    }
    const double determinant = mrwi_base_dot3d(c[0], rows[0]);
    *out = mrwi_base_mat4_identity();
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) {
            out->m[4 * k + r] = (float)(rows[r][k] / determinant);
        }
        out->m[12 + r] = (float)(-mrwi_base_dot3d(rows[r], c[3]) / determinant);
    }
    for (int k = 0; k < 16; k++) {
        if (!(fabsf(out->m[k]) <= FLT_MAX)) {
            return false;
        }
    }
    return true;
}

/* In the bind pose joints stand where the mesh was bound to them; of two skins the first counts.
 * Rigid meshes stay where their nodes rest. */
static mrw_status place_bound_joints(mrwi_base_arena *arena, mrwi_frame_pose *pose,
                                     mrw_error *error)
{
    const mrw_scene *scene = pose->scene;
    mrw_mat4 *placed = mrwi_base_arena_alloc(arena, scene->nodes_count, sizeof *placed);
    if (!placed) {
        return mrwi_base_fail_memory(error, scene->nodes_count * sizeof *placed);
    }
    memcpy(placed, pose->node_to_world, scene->nodes_count * sizeof *placed);
    for (uint32_t j = scene->joints_count; j-- > 0;) {
        mrw_mat4 joint_to_geometry;
        if (invert_affine(&scene->geometry_to_joint[j], &joint_to_geometry)) {
            mrwi_base_mat4_mul(&pose->model_to_world, &joint_to_geometry,
                               &placed[scene->joints[j]]);
        }
    }
    pose->placed = placed;
    return MRW_OK;
}

mrw_status mrwi_frame_pose_nodes(mrw_renderer *renderer, mrwi_frame_poses *poses, uint32_t index,
                                 mrw_error *error)
{
    const mrw_instance *instance = &poses->instances[index];
    const mrw_scene *scene = instance->model->scene;
    mrwi_frame_pose *pose = &poses->items[index];
    mrwi_base_arena *arena = &renderer->arena;
    mrwi_frame_local_pose *local;
    mrw_status status = mrwi_frame_play_cached(renderer, poses, index, &local, error);
    if (status != MRW_OK) {
        return status;
    }
    *pose = (mrwi_frame_pose){.instance = instance,
                              .scene = scene,
                              .local = local,
                              .model_to_world = instance->model_to_world};
    if (instance->attached) {
        assert(instance->parent < index);
        mrwi_base_mat4_mul(&poses->items[instance->parent].placed[instance->parent_node],
                           &instance->model_to_world, &pose->model_to_world);
    }
    pose->first = &poses->items[mrwi_frame_first_standing(poses, index)];
    if (pose->first != pose) {
        *pose = *pose->first;
        pose->instance = instance;
        return MRW_OK;
    }
    atomic_fetch_add_explicit(&mrwi_frame_counts.places, 1, memory_order_relaxed);
    pose->node_to_world =
        mrwi_base_arena_alloc(arena, scene->nodes_count, sizeof *pose->node_to_world);
    if (!pose->node_to_world) {
        return mrwi_base_fail_memory(error, scene->nodes_count * sizeof *pose->node_to_world);
    }
    mrw_local_to_world(&(mrw_world_job){.poser = instance->model->poser,
                                        .locals = local->locals.locals,
                                        .animated = local->locals.animated,
                                        .model_to_world = &pose->model_to_world,
                                        .node_to_world = pose->node_to_world,
                                        .isa = renderer->isa});
    pose->placed = pose->node_to_world;
    status = build_palettes(arena, renderer->isa, pose, error);
    if (status == MRW_OK && instance->skinning == MRW_SKINNING_DUAL_QUATERNION) {
        status = build_motions(arena, instance->model, pose, error);
    }
    if (status == MRW_OK && instance->pose == MRW_POSE_BIND) {
        status = place_bound_joints(arena, pose, error);
    }
    return status;
}

/* ---- vertices: morph and skin ---------------------------------------------------------------- */

static mrwi_frame_streams base_streams(const mrw_scene *scene, const mrw_mesh *mesh)
{
    return (mrwi_frame_streams){
        scene->positions + (size_t)mesh->position * 3, scene->normals + (size_t)mesh->normal * 3,
        mesh->tangent == MRW_NONE ? NULL : scene->tangents + (size_t)mesh->tangent * 4};
}

/* The targets that are on; *count is 0 when the mesh keeps its base shape. */
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
    mrw_morph_delta *targets;
    mrw_morph_job job;
    targets = active_targets(arena, pose, draw, &count);
    if (!targets) {
        return mrwi_base_fail_memory(error, mesh->target_count * sizeof *targets);
    }
    if (count == 0) {
        return MRW_OK;
    }
    job = (mrw_morph_job){.vertex_count = mesh->vertex_count,
                          .targets = targets,
                          .target_count = count,
                          .positions = streams->positions,
                          .normals = streams->normals,
                          .tangents = streams->tangents};
    job.out_positions = mrwi_base_arena_alloc(arena, mesh->vertex_count, 3 * sizeof(float));
    job.out_normals = mrwi_base_arena_alloc(arena, mesh->vertex_count, 3 * sizeof(float));
    if (streams->tangents) {
        job.out_tangents = mrwi_base_arena_alloc(arena, mesh->vertex_count, 4 * sizeof(float));
    }
    if (!job.out_positions || !job.out_normals || (streams->tangents && !job.out_tangents)) {
        return mrwi_base_fail_memory(error, mesh->vertex_count * 10 * sizeof(float));
    }
    mrw_morph_vertices(&job);
    atomic_fetch_add_explicit(&mrwi_frame_counts.morphs, 1, memory_order_relaxed);
    *streams = (mrwi_frame_streams){job.out_positions, job.out_normals, job.out_tangents};
    return MRW_OK;
}

/* Morphs a draw, once for all instances that play the same. */
static mrw_status morph(mrwi_base_arena *arena, const mrwi_frame_pose *pose, uint32_t index,
                        mrwi_frame_streams *streams, mrw_error *error)
{
    const mrw_scene *scene = pose->scene;
    const mrw_draw *draw = &scene->draws[index];
    mrwi_frame_local_pose *local = pose->local;
    if (scene->meshes[draw->mesh].target_count == 0) {
        return MRW_OK;
    }
    if (!local->morphed) {
        local->morphed = mrwi_base_arena_alloc(arena, scene->draws_count, sizeof *local->morphed);
        if (!local->morphed) {
            return mrwi_base_fail_memory(error, scene->draws_count * sizeof *local->morphed);
        }
        memset(local->morphed, 0, scene->draws_count * sizeof *local->morphed);
    }
    if (!local->morphed[index].positions) {
        mrw_status status = morph_streams(arena, pose, draw, streams, error);
        if (status != MRW_OK) {
            return status;
        }
        local->morphed[index] = *streams;
    }
    *streams = local->morphed[index];
    return MRW_OK;
}

/* The three columns of the 3x3 part have equal lengths and right angles, to a relative 1e-4:
 * normals may use it as it is. */
static bool is_conformal(const mrw_mat4 *m)
{
    const float *x = m->m, *y = m->m + 4, *z = m->m + 8;
    float xx = mrwi_base_dot3(x, x), yy = mrwi_base_dot3(y, y), zz = mrwi_base_dot3(z, z);
    float limit = 1e-4f * xx;
    return fabsf(xx - yy) <= limit && fabsf(xx - zz) <= limit &&
           fabsf(mrwi_base_dot3(x, y)) <= limit && fabsf(mrwi_base_dot3(x, z)) <= limit &&
           fabsf(mrwi_base_dot3(y, z)) <= limit;
}

/* Morphs and skins one draw into arena streams. */
static mrw_status skin_draw(mrw_renderer *renderer, const mrwi_frame_pose *pose, uint32_t index,
                            bool tangents, mrw_posed_draw *out, mrw_error *error)
{
    const mrw_instance *instance = pose->instance;
    const mrw_scene *scene = pose->scene;
    const mrw_draw *draw = &scene->draws[index];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    mrwi_base_arena *arena = &renderer->arena;
    mrwi_frame_streams streams = base_streams(scene, mesh);
    mrw_mat4 rigid = pose->node_to_world[draw->node];
    mrw_skin_job job = {.groups = instance->model->influences.groups + mesh->first_group,
                        .group_count = mesh->group_count,
                        .isa = renderer->isa};
    mrw_status status = morph(arena, pose, index, &streams, error);
    if (status != MRW_OK) {
        return status;
    }
    if (instance->pose == MRW_POSE_BIND && draw->skin != MRW_NONE) {
        rigid = pose->model_to_world;
    }
    job.rigid = &rigid;
    job.palette = draw->skin == MRW_NONE ? NULL : pose->palettes[draw->skin];
    if (pose->motions && draw->skin != MRW_NONE) {
        job.motions = pose->motions[draw->skin].motions;
        job.scales = pose->motions[draw->skin].scales;
    }
    job.cofactor_normals =
        (mesh->flags & MRW_MESH_NONUNIFORM) || !is_conformal(&pose->model_to_world);
    job.positions = streams.positions;
    job.normals = streams.normals;
    const mrw_material *material =
        mesh->material == MRW_NONE ? NULL : &scene->materials[mesh->material];
    const mrw_shading shading = instance->model->shading;
    const mrw_shading_info *mode = mrw_shading_info_of(shading);
    const bool takes =
        shading == MRW_SHADING_CHANNEL ||
        ((mode->materials || mode->matcap) && !mode->flat && mrwi_scene_tangent_map(material));
    job.tangents = tangents || takes ? streams.tangents : NULL;
    job.out_positions = mrwi_base_arena_alloc(arena, mesh->vertex_count, 4 * sizeof(float));
    job.out_normals = mrwi_base_arena_alloc(arena, mesh->vertex_count, 4 * sizeof(float));
    if (job.tangents) {
        job.out_tangents = mrwi_base_arena_alloc(arena, mesh->vertex_count, 4 * sizeof(float));
    }
    if (!job.out_positions || !job.out_normals || (job.tangents && !job.out_tangents)) {
        return mrwi_base_fail_memory(error, mesh->vertex_count * 12 * sizeof(float));
    }
    mrw_skin_vertices(&job);
    atomic_fetch_add_explicit(&mrwi_frame_counts.skins, 1, memory_order_relaxed);
    *out =
        (mrw_posed_draw){.draw = index,
                         .vertex_count = mesh->vertex_count,
                         .positions = job.out_positions,
                         .normals = job.out_normals,
                         .tangents = job.out_tangents,
                         .mirrored = mrwi_base_mat4_det3(job.palette ? job.palette : &rigid) < 0};
    return MRW_OK;
}

mrw_status mrwi_frame_skin_draws(mrw_renderer *renderer, const mrwi_frame_pose *pose, bool tangents,
                                 mrw_posed_draw **out, mrw_error *error)
{
    const uint32_t count = pose->scene->draws_count;
    mrw_status status = MRW_OK;
    *out = pose->first->draws;
    if (*out) {
        return MRW_OK;
    }
    *out = mrwi_base_arena_alloc(&renderer->arena, count, sizeof **out);
    if (!*out) {
        return mrwi_base_fail_memory(error, count * sizeof **out);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        status = skin_draw(renderer, pose, i, tangents, &(*out)[i], error);
    }
    pose->first->draws = status == MRW_OK ? *out : NULL;
    return status;
}

/* Unit length; a zero vector becomes +Z, so that no reader meets one. */
static void normalize_stream(float *v, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, v += 4) {
        if (!mrwi_base_normalize3(v)) {
            v[0] = v[1] = 0.0f;
            v[2] = 1.0f;
        }
    }
}

/* As the rasterizer lights flat meshes: each vertex gets the normal of its triangle as it lies now;
 * one that several share the mean by their areas. */
static void flatten_normals(const mrw_scene *scene, const mrw_posed_draw *posed)
{
    const mrw_mesh *mesh = &scene->meshes[scene->draws[posed->draw].mesh];
    const uint32_t *corner = scene->indices + mesh->first_index;
    float *normals = (float *)posed->normals;
    memset(normals, 0, (size_t)posed->vertex_count * 4 * sizeof *normals);
    for (uint32_t t = 0; t < mesh->triangle_count; t++, corner += 3) {
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
        if ((scene->meshes[scene->draws[draws[i].draw].mesh].flags & MRW_MESH_FLAT_NORMALS) != 0) {
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
    mrwi_frame_poses poses;
    mrw_posed_instance *posed;
    mrw_status status = mrwi_frame_poses_begin(renderer, instances, count, isa, &poses, error);
    if (status != MRW_OK) {
        return status;
    }
    posed = mrwi_base_arena_alloc(&renderer->arena, count, sizeof *posed);
    if (!posed) {
        return mrwi_base_fail_memory(error, count * sizeof *posed);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        mrw_posed_draw *draws = NULL;
        status = mrwi_frame_pose_nodes(renderer, &poses, i, error);
        const bool shared = status == MRW_OK && poses.items[i].first->draws;
        if (status == MRW_OK) {
            status = mrwi_frame_skin_draws(renderer, &poses.items[i], true, &draws, error);
        }
        if (status != MRW_OK) {
            return status;
        }
        if (!shared) {
            normalize_draws(poses.items[i].scene, draws, poses.items[i].scene->draws_count);
        }
        posed[i] = (mrw_posed_instance){draws, poses.items[i].placed};
    }
    *out = posed;
    return status;
}

mrw_status mrw_pose_instances(mrw_renderer *renderer, const mrw_instance *instances,
                              uint32_t instance_count, mrw_isa isa, const mrw_posed_instance **out,
                              mrw_error *error)
{
    mrw_status status = mrwi_base_isa_check(isa, error);
    assert(renderer && instances && instance_count > 0 && out);
    if (status == MRW_OK) {
        mrwi_base_fp fp = mrwi_base_fp_enter();
        status = pose_instances(renderer, instances, instance_count, isa, out, error);
        mrwi_base_fp_leave(fp);
    }
    return status;
}

mrw_status mrw_pose_instance(mrw_renderer *renderer, const mrw_instance *instance, mrw_isa isa,
                             const mrw_posed_draw **out, mrw_error *error)
{
    const mrw_posed_instance *posed;
    mrw_status status = mrw_pose_instances(renderer, instance, 1, isa, &posed, error);
    if (status == MRW_OK) {
        *out = posed->draws;
    }
    return status;
}

/* ---- frames ---------------------------------------------------------------------------------- */

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
                           .background = {0xe6, 0xe8, 0xeb, 0xff},
                           .isa = MRW_ISA_AUTO,
                           .scene_camera = MRW_NONE,
                           .follow = {.node = MRW_NONE},
                           .file_lights = true,
                           .shadow_size = 2048,
                           .shadow_softness = 1.0f,
                           .environment_intensity = 1.0f};
}

static mrw_raster_draw raster_draw(const mrw_instance *instance, const mrw_posed_draw *posed)
{
    const mrw_model *model = instance->model;
    const mrw_scene *scene = model->scene;
    const mrw_draw *draw = &scene->draws[posed->draw];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    uint32_t material = mesh->material == MRW_NONE ? scene->materials_count : mesh->material;
    mrw_raster_draw out = {
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .indices = scene->indices + mesh->first_index,
        .positions = posed->positions,
        .normals = posed->normals,
        .tangents = posed->tangents,
        .colors = mesh->color == MRW_NONE ? NULL : scene->colors + (size_t)mesh->color * 4,
        .mirrored = posed->mirrored,
        .flat = (mesh->flags & MRW_MESH_FLAT_NORMALS) != 0,
        .material = &model->materials[material]};
    mrwi_frame_set_uvs(scene, mesh, &out);
    return out;
}

/* Poses all instances; *draws are the rasterizer's, in instance and draw order. */
static mrw_status gather_draws(mrw_renderer *renderer, mrwi_frame_poses *poses,
                               mrw_raster_draw **draws, uint32_t *draw_count, mrw_error *error)
{
    size_t total = 0;
    *draw_count = 0;
    for (uint32_t i = 0; i < poses->count; i++) {
        total += poses->instances[i].model->scene->draws_count;
    }
    *draws = mrwi_base_arena_alloc(&renderer->arena, total, sizeof **draws);
    if (!*draws) {
        return mrwi_base_fail_memory(error, total * sizeof **draws);
    }
    for (uint32_t i = 0; i < poses->count; i++) {
        mrw_posed_draw *posed;
        mrw_status status = mrwi_frame_pose_nodes(renderer, poses, i, error);
        if (status == MRW_OK) {
            status = mrwi_frame_skin_draws(renderer, &poses->items[i], false, &posed, error);
        }
        if (status != MRW_OK) {
            return status;
        }
        for (uint32_t d = 0; d < poses->items[i].scene->draws_count; d++) {
            (*draws)[*draw_count] = raster_draw(&poses->instances[i], &posed[d]);
            (*draws)[*draw_count].id = *draw_count + 1;
            (*draw_count)++;
        }
    }
    return MRW_OK;
}

static mrw_raster_job raster_job(const mrw_frame_def *def, const mrw_camera *camera)
{
    mrw_raster_job job = {.shading = def->shading,
                          .channel = def->channel,
                          .matcap = def->matcap,
                          .filter = def->filter,
                          .exposure = def->exposure,
                          .tonemap = def->tonemap,
                          .samples = def->samples,
                          .environment_background = def->environment_background,
                          .width = def->width,
                          .height = def->height};
    const float *view = camera->world_to_view.m;
    mrwi_base_mat4_mul(&camera->view_to_clip, &camera->world_to_view, &job.view.world_to_clip);
    job.view.orthographic = camera->orthographic;
    for (int i = 0; i < 3; i++) {
        job.view.view_back[i] = view[4 * i + 2]; /* third row: +Z of view space in the world */
    }
    if (!def->transparent) {
        memcpy(job.background, def->background, sizeof job.background);
    }
    return job;
}

mrwi_frame_statistics mrwi_frame_counts;

/* What all passes draw. */
typedef struct posed_frame {
    mrwi_frame_poses poses;
    mrw_raster_draw *draws;
    uint32_t draw_count;
} posed_frame;

static mrw_status pose_frame(mrw_renderer *renderer, const mrw_instance *instances, uint32_t count,
                             mrw_isa isa, posed_frame *out, mrw_error *error)
{
    mrw_status status = mrwi_frame_poses_begin(renderer, instances, count, isa, &out->poses, error);
    return status == MRW_OK
               ? gather_draws(renderer, &out->poses, &out->draws, &out->draw_count, error)
               : status;
}

static mrw_status pass_job(mrw_renderer *renderer, const posed_frame *frame,
                           const mrw_frame_def *def, mrw_raster_job *out, mrw_error *error)
{
    const mrwi_frame_pose *first = &frame->poses.items[0];
    mrw_camera camera;
    mrw_status status = mrwi_frame_camera(def, first->scene, first->placed, &camera, error);
    if (status != MRW_OK) {
        return status;
    }
    for (uint32_t i = 0; i < frame->poses.count; i++) {
        assert(frame->poses.instances[i].model->shading == def->shading);
    }
    *out = raster_job(def, &camera);
    out->draws = frame->draws;
    out->draw_count = frame->draw_count;
    status = mrwi_frame_show_data(renderer, &frame->poses, def, &camera, out, error);
    if (status == MRW_OK) {
        status = mrwi_frame_lighting(renderer, &frame->poses, def, &camera, &out->lighting, error);
    }
    return status == MRW_OK && mrw_shading_info_of(def->shading)->at_vertices
               ? mrwi_frame_light_vertices(renderer, &camera, out, error)
               : status;
}

static bool shows_light(const mrw_raster_job *job)
{
    bool shows = false;
    for (uint32_t i = 0; i < job->target_count; i++) {
        shows = shows || job->targets[i].kind == MRW_TARGET_COLOR;
    }
    return shows && mrw_shading_info_of(job->shading)->lit;
}

static mrw_status draw_pass(mrw_renderer *renderer, const posed_frame *frame, const mrw_pass *pass,
                            int threads, mrw_error *error)
{
    mrw_raster_job job;
    mrw_status status = pass_job(renderer, frame, pass->def, &job, error);
    if (status != MRW_OK) {
        return status;
    }
    job.targets = pass->targets;
    job.target_count = pass->target_count;
    job.isa = renderer->isa;
    job.threads = threads;
    renderer->shadowless = 0;
    if (pass->def->shadows && shows_light(&job)) {
        status = mrwi_frame_draw_shadow_maps(renderer, pass->def, &job, error);
    }
    if (status == MRW_OK && pass->def->ground && shows_light(&job)) {
        status = mrwi_frame_add_ground(renderer, pass->def, &job, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    atomic_fetch_add_explicit(&mrwi_frame_counts.pictures, 1, memory_order_relaxed);
    return mrw_raster_draw_frame(renderer->raster, &job, error);
}

mrw_status mrwi_frame_render(void *drawer, const mrw_frame_def *def, const mrw_instance *instances,
                             uint32_t count, int threads, mrw_image *out, mrw_error *error)
{
    mrw_renderer *renderer = drawer;
    mrw_target targets[MRW_TARGET_COUNT];
    mrw_pass pass = {def, targets, 0};
    posed_frame frame;
    mrw_status status = pose_frame(renderer, instances, count, def->isa, &frame, error);
    if (status == MRW_OK) {
        status = mrwi_frame_prepare_targets(renderer, def, out, targets, &pass.target_count, error);
    }
    if (status == MRW_OK) {
        status = draw_pass(renderer, &frame, &pass, threads, error);
    }
    if (status != MRW_OK) {
        memset(renderer->targets, 0, sizeof renderer->targets);
    }
    return status;
}

uint32_t mrw_frame_sorted_bands(const mrw_renderer *renderer)
{
    return mrw_raster_sorted_bands(renderer->raster);
}

mrw_status mrwi_frame_job(mrw_renderer *renderer, const mrw_frame_def *def,
                          const mrw_instance *instances, uint32_t count, mrwi_frame_poses *poses,
                          mrw_raster_job *out, mrw_error *error)
{
    posed_frame frame;
    mrw_status status = pose_frame(renderer, instances, count, def->isa, &frame, error);
    *poses = frame.poses;
    return status == MRW_OK ? pass_job(renderer, &frame, def, out, error) : status;
}

mrw_status mrw_render_passes(mrw_renderer *renderer, const mrw_instance *instances,
                             uint32_t instance_count, const mrw_pass *passes, uint32_t pass_count,
                             mrw_isa isa, int threads, mrw_error *error)
{
    posed_frame frame;
    mrw_status status = mrwi_base_isa_check(isa, error);
    assert(renderer && instances && instance_count > 0 && passes && threads > 0);
    if (status != MRW_OK) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = pose_frame(renderer, instances, instance_count, isa, &frame, error);
    for (uint32_t i = 0; i < pass_count && status == MRW_OK; i++) {
        status = draw_pass(renderer, &frame, &passes[i], threads, error);
    }
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_render(mrw_renderer *renderer, const mrw_frame_def *def,
                      const mrw_instance *instances, uint32_t instance_count, int threads,
                      mrw_image *out, mrw_error *error)
{
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    assert(renderer && instances && instance_count > 0 && out && threads > 0);
    if (status == MRW_OK) {
        mrwi_base_fp fp = mrwi_base_fp_enter();
        status = mrwi_frame_render(renderer, def, instances, instance_count, threads, out, error);
        mrwi_base_fp_leave(fp);
    }
    return status;
}
