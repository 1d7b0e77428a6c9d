/* draws.c: finishes the draws: each fits its mesh and skin. */
#include "scene/build.h"

#include "base/text.h"

#include <string.h>

/* How a mesh is drawn. */
#define USE_SKINNED 1u
#define USE_RIGID   2u

static mrw_status check_draw(mrwi_scene_builder *b, uint32_t index, mrw_error *error)
{
    const mrw_draw *draw = &MRWI_SCENE_AT(b, draws, mrw_draw, index);
    mrwi_scene_label label;
    mrwi_scene_node_label(b, draw->node, label);
    if (draw->mesh >= MRWI_SCENE_COUNT(b, meshes)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: %s draws mesh %u of %u", b->file, label,
                              draw->mesh, MRWI_SCENE_COUNT(b, meshes));
    }
    if (draw->skin == MRW_NONE) {
        return MRW_OK;
    }
    if (draw->skin >= MRWI_SCENE_COUNT(b, skins)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: %s is drawn with skin %u of %u", b->file,
                              label, draw->skin, MRWI_SCENE_COUNT(b, skins));
    }
    uint32_t joints = MRWI_SCENE_AT(b, skins, mrw_skin, draw->skin).joint_count;
    uint32_t needed = ((const uint32_t *)b->mesh_joints.data)[draw->mesh];
    if (needed > joints) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: %s: mesh %u refers to joint %u of a skin with %u", b->file,
                              label, draw->mesh, needed - 1, joints);
    }
    return MRW_OK;
}

/* Drops draws of meshes without triangles, and the skin where a mesh has no influences: its
 * vertices follow their node either way. */
static void simplify_draws(mrwi_scene_builder *b)
{
    mrw_draw *draws = MRWI_SCENE_POOL(b, draws, mrw_draw);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(b, draws); i++) {
        const mrw_mesh *mesh = &MRWI_SCENE_AT(b, meshes, mrw_mesh, draws[i].mesh);
        if (mesh->triangle_count == 0) {
            continue;
        }
        draws[kept] = draws[i];
        if (mesh->max_influences == 0) {
            draws[kept].skin = MRW_NONE;
        }
        kept++;
    }
    MRWI_SCENE_COUNT(b, draws) = kept;
}

/* ---- meshes with influences that are drawn without a skin ------------------------------------ */

static mrw_status keep_groups(mrwi_scene_builder *b, const mrw_mesh *mesh, mrwi_scene_pool *groups,
                              mrwi_scene_pool *joints, mrwi_scene_pool *weights, mrw_error *error)
{
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        mrw_influence_group group =
            MRWI_SCENE_AT(b, groups, mrw_influence_group, mesh->first_group + g);
        size_t count = (size_t)group.vertex_count * group.influence_count;
        uint16_t *joint =
            mrwi_scene_pool_extend(b, joints, MRWI_SCENE_SECTION_influence_joints, count, error);
        float *weight = joint ? mrwi_scene_pool_extend(
                                    b, weights, MRWI_SCENE_SECTION_influence_weights, count, error)
                              : NULL;
        mrw_influence_group *place =
            weight ? mrwi_scene_pool_extend(b, groups, MRWI_SCENE_SECTION_groups, 1, error) : NULL;
        if (!place) {
            return b->failed;
        }
        memcpy(joint, &MRWI_SCENE_AT(b, influence_joints, uint16_t, group.first_influence),
               count * sizeof *joint);
        memcpy(weight, &MRWI_SCENE_AT(b, influence_weights, float, group.first_influence),
               count * sizeof *weight);
        group.first_influence = weights->count - (uint32_t)count;
        *place = group;
    }
    return MRW_OK;
}

static mrw_status one_rigid_group(mrwi_scene_builder *b, mrw_mesh *mesh, mrwi_scene_pool *groups,
                                  uint32_t first_influence, mrw_error *error)
{
    mrw_influence_group *place =
        mrwi_scene_pool_extend(b, groups, MRWI_SCENE_SECTION_groups, 1, error);
    if (!place) {
        return b->failed;
    }
    *place = (mrw_influence_group){0, mesh->vertex_count, 0, first_influence};
    mesh->group_count = 1;
    mesh->max_influences = 0;
    return MRW_OK;
}

/* Rebuilds the influences without those of meshes that are only drawn rigidly. */
static mrw_status strip_influences(mrwi_scene_builder *b, const uint8_t *uses, mrw_error *error)
{
    mrwi_scene_pool groups = {0}, joints = {0}, weights = {0};
    mrw_status status = MRW_OK;
    for (uint32_t m = 0; m < MRWI_SCENE_COUNT(b, meshes) && !status; m++) {
        mrw_mesh *mesh = &MRWI_SCENE_AT(b, meshes, mrw_mesh, m);
        uint32_t first = groups.count;
        bool strip = mesh->max_influences > 0 && uses[m] == USE_RIGID;
        status = strip ? one_rigid_group(b, mesh, &groups, weights.count, error)
                       : keep_groups(b, mesh, &groups, &joints, &weights, error);
        mesh->first_group = first;
    }
    mrwi_scene_pool *made[] = {&groups, &joints, &weights};
    mrwi_scene_section sections[] = {MRWI_SCENE_SECTION_groups, MRWI_SCENE_SECTION_influence_joints,
                                     MRWI_SCENE_SECTION_influence_weights};
    for (int i = 0; i < 3; i++) {
        mrwi_scene_pool old = b->pools[sections[i]];
        if (!status) {
            b->pools[sections[i]] = *made[i];
            *made[i] = old;
        }
        mrwi_scene_pool_free(made[i]);
    }
    return status;
}

/* Copies a run of entries to the end of their pool; MRW_NONE stays. */
static mrw_status copy_run(mrwi_scene_builder *b, mrwi_scene_section section, uint32_t *first,
                           uint32_t count, mrw_error *error)
{
    if (*first == MRW_NONE) {
        return MRW_OK;
    }
    uint32_t from = *first;
    size_t size = mrwi_scene_sections[section].entry_size;
    void *place = mrwi_scene_extend(b, section, count, first, error);
    if (!place) {
        return b->failed;
    }
    memcpy(place, (const char *)b->pools[section].data + from * size, count * size);
    return MRW_OK;
}

static mrw_status copy_target(mrwi_scene_builder *b, uint32_t index, mrw_error *error)
{
    mrw_morph_target target = MRWI_SCENE_AT(b, targets, mrw_morph_target, index);
    uint32_t entries = target.entry_count, positions = target.first_entry;
    mrw_status status =
        copy_run(b, MRWI_SCENE_SECTION_morph_vertices, &target.first_entry, entries, error);
    if (!status) {
        status = copy_run(b, MRWI_SCENE_SECTION_morph_positions, &positions, entries, error);
    }
    if (!status) {
        status = copy_run(b, MRWI_SCENE_SECTION_morph_normals, &target.normal, entries, error);
    }
    if (!status) {
        status = copy_run(b, MRWI_SCENE_SECTION_morph_tangents, &target.tangent, entries, error);
    }
    return status ? status : mrwi_scene_push(b, MRWI_SCENE_SECTION_targets, &target, &index, error);
}

/* A copy of a mesh without its influences. */
static mrw_status copy_rigid(mrwi_scene_builder *b, uint32_t index, uint32_t *copy,
                             mrw_error *error)
{
    mrw_mesh mesh = MRWI_SCENE_AT(b, meshes, mrw_mesh, index);
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
    for (size_t i = 0; i < sizeof runs / sizeof *runs && !status; i++) {
        status = copy_run(b, runs[i].section, runs[i].first, runs[i].count, error);
    }
    mesh.first_target = MRWI_SCENE_COUNT(b, targets);
    for (uint32_t t = 0; t < mesh.target_count && !status; t++) {
        status = copy_target(b, first_target + t, error);
    }
    mesh.first_group = MRWI_SCENE_COUNT(b, groups);
    if (!status) {
        status = one_rigid_group(b, &mesh, &b->pools[MRWI_SCENE_SECTION_groups],
                                 MRWI_SCENE_COUNT(b, influence_weights), error);
    }
    return status ? status : mrwi_scene_push(b, MRWI_SCENE_SECTION_meshes, &mesh, copy, error);
}

static mrw_status split_meshes(mrwi_scene_builder *b, const uint8_t *uses, mrw_error *error)
{
    uint32_t count = MRWI_SCENE_COUNT(b, meshes);
    uint32_t *rigid = mrwi_scene_scratch(b, count, sizeof *rigid, error);
    if (!rigid) {
        return b->failed;
    }
    mrw_status status = MRW_OK;
    for (uint32_t m = 0; m < count && !status; m++) {
        rigid[m] = m;
        if (uses[m] == (USE_RIGID | USE_SKINNED)) {
            status = copy_rigid(b, m, &rigid[m], error);
        }
    }
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(b, draws) && !status; i++) {
        mrw_draw *draw = &MRWI_SCENE_AT(b, draws, mrw_draw, i);
        if (draw->skin == MRW_NONE) {
            draw->mesh = rigid[draw->mesh];
        }
    }
    return status;
}

mrw_status mrwi_scene_finish_draws(mrwi_scene_builder *b, mrw_error *error)
{
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(b, draws) && !status; i++) {
        status = check_draw(b, i, error);
    }
    if (status) {
        return status;
    }
    simplify_draws(b);
    mrwi_base_arena_reset(&b->scratch);
    uint8_t *uses = mrwi_scene_scratch(b, MRWI_SCENE_COUNT(b, meshes), 1, error);
    if (!uses) {
        return b->failed;
    }
    memset(uses, 0, MRWI_SCENE_COUNT(b, meshes));
    bool strip = false, split = false;
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(b, draws); i++) {
        const mrw_draw *draw = &MRWI_SCENE_AT(b, draws, mrw_draw, i);
        bool influenced = MRWI_SCENE_AT(b, meshes, mrw_mesh, draw->mesh).max_influences > 0;
        uses[draw->mesh] |= influenced && draw->skin != MRW_NONE ? USE_SKINNED : USE_RIGID;
    }
    for (uint32_t m = 0; m < MRWI_SCENE_COUNT(b, meshes); m++) {
        strip |= uses[m] == USE_RIGID && MRWI_SCENE_AT(b, meshes, mrw_mesh, m).max_influences > 0;
        split |= uses[m] == (USE_RIGID | USE_SKINNED);
    }
    if (strip) {
        status = strip_influences(b, uses, error);
    }
    if (split && !status) {
        status = split_meshes(b, uses, error);
    }
    return status;
}
