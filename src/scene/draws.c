/* draws.c: finishes the draws, so that each fits its mesh and skin. */
#include "scene/build.h"

#include "base/text.h"

#include <string.h>

/* How a mesh is drawn, as bits. */
#define USE_SKINNED 1u
#define USE_RIGID   2u

static mrw_status check_draw(const mrwi_scene_draft *draft, const uint32_t *mesh_joints,
                             uint32_t index, mrw_error *error)
{
    const mrw_draw *draw = &MRWI_SCENE_AT(draft, draws, mrw_draw, index);
    mrwi_scene_label label;
    mrwi_scene_node_label(draft, draw->node, label);
    if (draw->mesh >= MRWI_SCENE_COUNT(draft, meshes)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: %s draws mesh %u, which does not exist (there are %u)",
                              draft->file, label, draw->mesh, MRWI_SCENE_COUNT(draft, meshes));
    }
    if (draw->skin == MRW_NONE) {
        return MRW_OK;
    }
    if (draw->skin >= MRWI_SCENE_COUNT(draft, skins)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: %s is drawn with skin %u, which does not exist (there are %u)",
                              draft->file, label, draw->skin, MRWI_SCENE_COUNT(draft, skins));
    }
    uint32_t joints = MRWI_SCENE_AT(draft, skins, mrw_skin, draw->skin).joint_count;
    uint32_t needed = mesh_joints[draw->mesh];
    if (needed > joints) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: %s: mesh %u refers to joint %u, which does not exist (its skin has %u)",
            draft->file, label, draw->mesh, needed - 1, joints);
    }
    return MRW_OK;
}

/* Drops draws of meshes without triangles, and the skin of meshes without influences: their
 * vertices follow their node in any case. */
static void simplify_draws(mrwi_scene_draft *draft)
{
    mrw_draw *draws = MRWI_SCENE_POOL(draft, draws, mrw_draw);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, draws); i++) {
        const mrw_mesh *mesh = &MRWI_SCENE_AT(draft, meshes, mrw_mesh, draws[i].mesh);
        if (mesh->triangle_count == 0) {
            continue;
        }
        draws[kept] = draws[i];
        if (mesh->max_influences == 0) {
            draws[kept].skin = MRW_NONE;
        }
        kept++;
    }
    MRWI_SCENE_COUNT(draft, draws) = kept;
}

/* ---- meshes with influences that are drawn without a skin ------------------------------------ */

typedef struct influence_pools {
    mrwi_scene_pool groups, joints, weights;
} influence_pools;

static mrw_status keep_groups(const mrwi_scene_draft *draft, const mrw_mesh *mesh,
                              influence_pools *pools, mrw_error *error)
{
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        mrw_influence_group group =
            MRWI_SCENE_AT(draft, groups, mrw_influence_group, mesh->first_group + g);
        size_t count = (size_t)group.vertex_count * group.influence_count;
        uint32_t from = group.first_influence, at;
        mrw_status status = mrwi_scene_pool_extend(
            &pools->joints, MRWI_SCENE_SECTION_influence_joints, count, draft->file, &at, error);
        if (status) {
            return status;
        }
        status = mrwi_scene_pool_extend(&pools->weights, MRWI_SCENE_SECTION_influence_weights,
                                        count, draft->file, &group.first_influence, error);
        if (status) {
            return status;
        }
        memcpy(&MRWI_SCENE_POOL_AT(&pools->joints, uint16_t, at),
               &MRWI_SCENE_AT(draft, influence_joints, uint16_t, from), count * sizeof(uint16_t));
        memcpy(&MRWI_SCENE_POOL_AT(&pools->weights, float, group.first_influence),
               &MRWI_SCENE_AT(draft, influence_weights, float, from), count * sizeof(float));
        status = mrwi_scene_pool_push(&pools->groups, MRWI_SCENE_SECTION_groups, &group,
                                      draft->file, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Puts all vertices of a mesh into one group without influences. */
static mrw_status one_rigid_group(mrwi_scene_pool *groups, mrw_mesh *mesh, uint32_t first_influence,
                                  const char *file, mrw_error *error)
{
    const mrw_influence_group group = {0, mesh->vertex_count, 0, first_influence};
    mesh->group_count = 1;
    mesh->max_influences = 0;
    return mrwi_scene_pool_push(groups, MRWI_SCENE_SECTION_groups, &group, file, error);
}

/* Rebuilds the influences without those of meshes that are only drawn rigidly. */
static mrw_status strip_influences(mrwi_scene_draft *draft, const uint8_t *uses, mrw_error *error)
{
    influence_pools pools = {0};
    mrw_status status = MRW_OK;
    for (uint32_t m = 0; m < MRWI_SCENE_COUNT(draft, meshes) && !status; m++) {
        mrw_mesh *mesh = &MRWI_SCENE_AT(draft, meshes, mrw_mesh, m);
        uint32_t first = pools.groups.count;
        bool strip = mesh->max_influences > 0 && uses[m] == USE_RIGID;
        status = strip
                     ? one_rigid_group(&pools.groups, mesh, pools.weights.count, draft->file, error)
                     : keep_groups(draft, mesh, &pools, error);
        mesh->first_group = first;
    }
    mrwi_scene_pool *made[] = {&pools.groups, &pools.joints, &pools.weights};
    mrwi_scene_section sections[] = {MRWI_SCENE_SECTION_groups, MRWI_SCENE_SECTION_influence_joints,
                                     MRWI_SCENE_SECTION_influence_weights};
    for (int i = 0; i < 3; i++) {
        mrwi_scene_pool old = draft->pools[sections[i]];
        if (!status) {
            draft->pools[sections[i]] = *made[i];
            *made[i] = old;
        }
        mrwi_scene_pool_free(made[i]);
    }
    return status;
}

/* Copies a run of entries to the end of its pool; MRW_NONE stays. */
static mrw_status copy_run(mrwi_scene_draft *draft, mrwi_scene_section section, uint32_t *first,
                           uint32_t count, mrw_error *error)
{
    if (*first == MRW_NONE) {
        return MRW_OK;
    }
    uint32_t from = *first;
    size_t size = mrwi_scene_sections[section].entry_size;
    mrw_status status = mrwi_scene_extend(draft, section, count, first, error);
    if (status) {
        return status;
    }
    char *entries = draft->pools[section].data;
    memcpy(entries + *first * size, entries + from * size, count * size);
    return MRW_OK;
}

static mrw_status copy_target(mrwi_scene_draft *draft, uint32_t index, mrw_error *error)
{
    mrw_morph_target target = MRWI_SCENE_AT(draft, targets, mrw_morph_target, index);
    uint32_t entries = target.entry_count, positions = target.first_entry;
    mrw_status status =
        copy_run(draft, MRWI_SCENE_SECTION_morph_vertices, &target.first_entry, entries, error);
    if (status) {
        return status;
    }
    status = copy_run(draft, MRWI_SCENE_SECTION_morph_positions, &positions, entries, error);
    if (status) {
        return status;
    }
    status = copy_run(draft, MRWI_SCENE_SECTION_morph_normals, &target.normal, entries, error);
    if (status) {
        return status;
    }
    status = copy_run(draft, MRWI_SCENE_SECTION_morph_tangents, &target.tangent, entries, error);
    if (status) {
        return status;
    }
    return mrwi_scene_push(draft, MRWI_SCENE_SECTION_targets, &target, &index, error);
}

/* Copies a mesh without its influences. */
static mrw_status copy_rigid(mrwi_scene_draft *draft, uint32_t index, uint32_t *copy,
                             mrw_error *error)
{
    mrw_mesh mesh = MRWI_SCENE_AT(draft, meshes, mrw_mesh, index);
    uint32_t first_target = mesh.first_target, vertices = mesh.vertex_count;
    struct {
        mrwi_scene_section section;
        uint32_t *first;
        uint32_t count;
    } const runs[] = {{MRWI_SCENE_SECTION_indices, &mesh.first_index, 3 * mesh.triangle_count},
                      {MRWI_SCENE_SECTION_positions, &mesh.position, vertices},
                      {MRWI_SCENE_SECTION_normals, &mesh.normal, vertices},
                      {MRWI_SCENE_SECTION_tangents, &mesh.tangent, vertices},
                      {MRWI_SCENE_SECTION_uvs, &mesh.uv[0], vertices},
                      {MRWI_SCENE_SECTION_uvs, &mesh.uv[1], vertices},
                      {MRWI_SCENE_SECTION_colors, &mesh.color, vertices}};
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        status = copy_run(draft, runs[i].section, runs[i].first, runs[i].count, error);
        if (status) {
            return status;
        }
    }
    mesh.first_target = MRWI_SCENE_COUNT(draft, targets);
    for (uint32_t t = 0; t < mesh.target_count; t++) {
        status = copy_target(draft, first_target + t, error);
        if (status) {
            return status;
        }
    }
    mesh.first_group = MRWI_SCENE_COUNT(draft, groups);
    status = one_rigid_group(&draft->pools[MRWI_SCENE_SECTION_groups], &mesh,
                             MRWI_SCENE_COUNT(draft, influence_weights), draft->file, error);
    if (status) {
        return status;
    }
    return mrwi_scene_push(draft, MRWI_SCENE_SECTION_meshes, &mesh, copy, error);
}

static mrw_status split_meshes(mrwi_scene_draft *draft, mrwi_base_arena *scratch,
                               const uint8_t *uses, mrw_error *error)
{
    uint32_t count = MRWI_SCENE_COUNT(draft, meshes);
    uint32_t *rigid = mrwi_scene_scratch(scratch, count, sizeof *rigid, error);
    if (!rigid) {
        return MRW_ERROR_MEMORY;
    }
    for (uint32_t m = 0; m < count; m++) {
        rigid[m] = m;
        if (uses[m] == (USE_RIGID | USE_SKINNED)) {
            mrw_status status = copy_rigid(draft, m, &rigid[m], error);
            if (status) {
                return status;
            }
        }
    }
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, draws); i++) {
        mrw_draw *draw = &MRWI_SCENE_AT(draft, draws, mrw_draw, i);
        if (draw->skin == MRW_NONE) {
            draw->mesh = rigid[draw->mesh];
        }
    }
    return MRW_OK;
}

mrw_status mrwi_scene_finish_draws(mrwi_scene_draft *draft, const uint32_t *mesh_joints,
                                   mrwi_base_arena *scratch, mrw_error *error)
{
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, draws); i++) {
        status = check_draw(draft, mesh_joints, i, error);
        if (status) {
            return status;
        }
    }
    simplify_draws(draft);
    mrwi_base_arena_reset(scratch);
    uint8_t *uses = mrwi_scene_scratch(scratch, MRWI_SCENE_COUNT(draft, meshes), 1, error);
    if (!uses) {
        return MRW_ERROR_MEMORY;
    }
    memset(uses, 0, MRWI_SCENE_COUNT(draft, meshes));
    bool strip = false, split = false;
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, draws); i++) {
        const mrw_draw *draw = &MRWI_SCENE_AT(draft, draws, mrw_draw, i);
        bool influenced = MRWI_SCENE_AT(draft, meshes, mrw_mesh, draw->mesh).max_influences > 0;
        uses[draw->mesh] |= influenced && draw->skin != MRW_NONE ? USE_SKINNED : USE_RIGID;
    }
    for (uint32_t m = 0; m < MRWI_SCENE_COUNT(draft, meshes); m++) {
        strip |=
            uses[m] == USE_RIGID && MRWI_SCENE_AT(draft, meshes, mrw_mesh, m).max_influences > 0;
        split |= uses[m] == (USE_RIGID | USE_SKINNED);
    }
    if (strip) {
        status = strip_influences(draft, uses, error);
        if (status) {
            return status;
        }
    }
    return split ? split_meshes(draft, scratch, uses, error) : MRW_OK;
}
