/* pose.c: poses of instances: clip and time -> matrices. */
#include "frame/frame.h"

#include "anim/poser.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

mrwi_frame_statistics mrwi_frame_counts;

/* ---- memory ---------------------------------------------------------------------------------- */

/* Makes room for the playheads of `count` clips. Returns false without memory. */
static bool reserve_playheads(mrwi_frame_scratch *scratch, uint32_t count)
{
    if (count <= scratch->playhead_count) {
        return true;
    }
    mrwi_frame_playhead *grown = mrwi_base_realloc(
        scratch->playheads, scratch->playhead_count * sizeof *grown, count, sizeof *grown);
    if (!grown) {
        return false;
    }
    memset(grown + scratch->playhead_count, 0, (count - scratch->playhead_count) * sizeof *grown);
    scratch->playheads = grown;
    scratch->playhead_count = count;
    return true;
}

mrw_status mrwi_frame_poses_begin_more(mrwi_frame_scratch *scratch, const mrw_instance *instances,
                                       uint32_t count, mrwi_frame_poses *poses, mrw_error *error)
{
    uint32_t playheads = 0;
    for (uint32_t i = 0; i < count; i++) {
        playheads += mrwi_frame_playheads_of(&instances[i]);
    }
    *poses = (mrwi_frame_poses){.instances = instances, .count = count};
    poses->items = mrwi_base_arena_alloc(&scratch->arena, count, sizeof *poses->items);
    if (!poses->items || !mrwi_frame_pose_cache_begin(&scratch->arena, poses) ||
        !reserve_playheads(scratch, playheads)) {
        return mrwi_base_fail_memory(error, count * sizeof *poses->items);
    }
    return MRW_OK;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* Returns the joint of a skin that is nearest to the root: nodes are sorted parents first. */
static uint32_t root_joint(const mrw_scene *scene, const mrw_skin *skin)
{
    const uint32_t *joints = scene->joints + skin->first_joint;
    uint32_t root = 0;
    for (uint32_t j = 1; j < skin->joint_count; j++) {
        root = joints[j] < joints[root] ? j : root;
    }
    return root;
}

/* Splits the palettes of a pose into motions and scales. */
static mrw_status build_motions(mrwi_base_arena *arena, const mrw_model *model,
                                mrwi_frame_palettes *palettes, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    palettes->motions = mrwi_base_arena_alloc(arena, scene->skins_count, sizeof *palettes->motions);
    if (!palettes->motions) {
        return mrwi_base_fail_memory(error, scene->skins_count * sizeof *palettes->motions);
    }
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        const mrw_skin *skin = &scene->skins[s];
        mrwi_frame_motions *out = &palettes->motions[s];
        out->motions = mrwi_base_arena_alloc(arena, skin->joint_count, sizeof *out->motions);
        out->scales = mrwi_base_arena_alloc(arena, skin->joint_count, sizeof *out->scales);
        if (!out->motions || !out->scales) {
            return mrwi_base_fail_memory(error, skin->joint_count * sizeof *out->scales);
        }
        if (!mrw_dual_quaternion_palette(
                &(mrw_dual_quaternion_job){.joint_count = skin->joint_count,
                                           .palette = palettes->matrices[s],
                                           .pivots = model->pivots + 3 * (size_t)skin->first_joint,
                                           .root = root_joint(scene, skin),
                                           .out_motions = out->motions,
                                           .out_scales = out->scales})) {
            out->scales = NULL;
        }
    }
    return MRW_OK;
}

static mrw_status build_palettes(mrwi_base_arena *arena, mrw_isa isa, const mrwi_frame_pose *pose,
                                 mrw_mat4 ***out, mrw_error *error)
{
    const mrw_scene *scene = pose->scene;
    mrw_mat4 **palettes = mrwi_base_arena_alloc(arena, scene->skins_count, sizeof *palettes);
    if (!palettes) {
        return mrwi_base_fail_memory(error, scene->skins_count * sizeof *palettes);
    }
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        const size_t joints = scene->skins[s].joint_count;
        palettes[s] = mrwi_base_arena_alloc(arena, joints, sizeof **palettes);
        if (!palettes[s]) {
            return mrwi_base_fail_memory(error, joints * sizeof **palettes);
        }
        mrw_build_palette(&(mrw_palette_job){.scene = scene,
                                             .skin = s,
                                             .bind = pose->instance->pose == MRW_POSE_BIND,
                                             .model_to_world = &pose->model_to_world,
                                             .node_to_world = pose->node_to_world,
                                             .geometry_to_world = palettes[s],
                                             .isa = isa});
    }
    *out = palettes;
    return MRW_OK;
}

/* Inverts an affine matrix by cofactors. Returns false when it flattens. */
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

/* Places joints in the bind pose where the mesh was bound to them; the first skin of a joint
 * counts. Rigid meshes stay where their nodes rest. */
static mrw_status place_bound_joints(mrwi_base_arena *arena, const mrwi_frame_pose *pose,
                                     const mrw_mat4 **out, mrw_error *error)
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
    *out = placed;
    return MRW_OK;
}

/* Finds the nodes that the file or the model's left_out hides. */
static mrw_status find_hidden(mrwi_base_arena *arena, mrwi_frame_pose *pose, mrw_error *error)
{
    const mrw_model *model = pose->instance->model;
    const bool by_file = model->poser->hides && !model->shows_hidden;
    if (!by_file) {
        pose->hidden = model->left_out;
        return MRW_OK;
    }
    bool *hidden = mrwi_base_arena_alloc(arena, pose->scene->nodes_count, sizeof *hidden);
    if (!hidden) {
        return mrwi_base_fail_memory(error, pose->scene->nodes_count);
    }
    const bool any = mrw_find_hidden(model->poser, pose->local->locals.animated, hidden);
    pose->hidden = pose->hidden_by_file = any ? hidden : NULL;
    if (!any || !model->left_out) {
        pose->hidden = any ? hidden : model->left_out;
        return MRW_OK;
    }
    bool *both = mrwi_base_arena_alloc(arena, pose->scene->nodes_count, sizeof *both);
    for (uint32_t i = 0; both && i < pose->scene->nodes_count; i++) {
        both[i] = hidden[i] || model->left_out[i];
    }
    pose->hidden = both;
    return both ? MRW_OK : mrwi_base_fail_memory(error, pose->scene->nodes_count);
}

mrw_status mrwi_frame_pose_nodes(mrwi_frame_scratch *scratch, mrwi_frame_poses *poses,
                                 uint32_t index, mrw_error *error)
{
    const mrw_instance *instance = &poses->instances[index];
    const mrw_scene *scene = instance->model->scene;
    mrwi_frame_pose *pose = &poses->items[index];
    mrwi_base_arena *arena = &scratch->arena;
    mrwi_frame_local_pose *local;
    mrw_status status = mrwi_frame_play_cached(scratch, poses, index, &local, error);
    if (status) {
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
                                        .isa = scratch->isa});
    pose->placed = pose->node_to_world;
    status = find_hidden(arena, pose, error);
    if (status) {
        return status;
    }
    status = build_palettes(arena, scratch->isa, pose, &pose->palettes.matrices, error);
    if (status) {
        return status;
    }
    if (instance->skinning == MRW_SKINNING_DUAL_QUATERNION) {
        status = build_motions(arena, instance->model, &pose->palettes, error);
        if (status) {
            return status;
        }
    }
    return instance->pose == MRW_POSE_BIND ? place_bound_joints(arena, pose, &pose->placed, error)
                                           : MRW_OK;
}
