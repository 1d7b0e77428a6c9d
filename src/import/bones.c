/* bones.c: geometry for a file that holds a skeleton and no triangles: an octahedron from
 * each bone to its child, all in one mesh skinned rigidly to the bones. */
#include "base/math.h"
#include "import/import.h"

#include <string.h>

#define BONE_VERTICES 6
#define BONE_INDICES  24

typedef struct bone_mesh {
    uint32_t count; /* bones */
    float *positions;
    uint32_t *indices, *joints;
    float *weights;
    uint32_t *nodes; /* the bone's joint is its parent node, joint b of the skin */
    mrw_mat4 *offsets;
} bone_mesh;

/* The nearest ancestor that is no link of a pivot chain, nor FBX's own root above all models. */
static uint32_t bone_parent(const mrwi_import_tree *tree, uint32_t node)
{
    uint32_t parent = tree->nodes[node].parent;
    while (parent != MRW_NONE && mrwi_import_is_link(tree->nodes[parent].name)) {
        parent = tree->nodes[parent].parent;
    }
    return tree->source->is_fbx && parent == 0 ? MRW_NONE : parent;
}

static float length_between(const float *a, const float *b)
{
    const float d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrtf(mrwi_base_dot3(d, d));
}

/* Two unit vectors at right angles to a unit vector and to each other. */
static void sides(const float along[3], float side[3], float up[3])
{
    float axis[3] = {0, 0, 0};
    axis[fabsf(along[0]) > 0.7f ? 1 : 0] = 1.0f;
    mrwi_base_cross3(along, axis, side);
    mrwi_base_normalize3(side);
    mrwi_base_cross3(side, along, up);
}

/* Head and tail, and a ring of four at a fifth of the way, a tenth of the length from the axis. */
static void place_bone(const float *head, const float *tail, float *out)
{
    static const float ring[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    float along[3], side[3], up[3], length = length_between(head, tail);
    for (int i = 0; i < 3; i++) {
        along[i] = (tail[i] - head[i]) / length;
        out[i] = head[i];
        out[15 + i] = tail[i];
    }
    sides(along, side, up);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            float across = ring[k][0] * side[i] + ring[k][1] * up[i];
            out[3 * (k + 1) + i] = (head[i] + 0.2f * length * along[i]) + 0.1f * length * across;
        }
    }
}

static void add_bone(const mrwi_import_tree *tree, bone_mesh *mesh, uint32_t parent, uint32_t node)
{
    static const uint32_t faces[BONE_INDICES] = {0, 2, 1, 0, 3, 2, 0, 4, 3, 0, 1, 4,
                                                 5, 1, 2, 5, 2, 3, 5, 3, 4, 5, 4, 1};
    const float *head = tree->nodes[parent].to_root.m + 12,
                *tail = tree->nodes[node].to_root.m + 12;
    uint32_t b = mesh->count, first = b * BONE_VERTICES;
    float length = length_between(head, tail);
    if (!(length > 0.0f && length < 1e18f) ||
        !mrwi_import_inverse(&tree->nodes[parent].to_root, &mesh->offsets[b])) {
        return;
    }
    place_bone(head, tail, mesh->positions + 3 * (size_t)first);
    for (uint32_t i = 0; i < BONE_INDICES; i++) {
        mesh->indices[(size_t)b * BONE_INDICES + i] = first + faces[i];
    }
    for (uint32_t i = 0; i < BONE_VERTICES; i++) {
        mesh->joints[first + i] = b;
        mesh->weights[first + i] = 1.0f;
    }
    mesh->nodes[b] = tree->nodes[parent].pushed;
    mesh->count++;
}

static bool make_bones(const mrwi_import_tree *tree, mrwi_import_resources *res, bone_mesh *mesh)
{
    uint64_t most = tree->node_count;
    mrwi_base_arena_reset(&res->scratch);
    if (!mrwi_import_charge(res, most * (BONE_VERTICES + BONE_INDICES))) {
        return false;
    }
    mesh->positions = mrwi_import_scratch(res, most * BONE_VERTICES, 3 * sizeof *mesh->positions);
    mesh->indices = mrwi_import_scratch(res, most * BONE_INDICES, sizeof *mesh->indices);
    mesh->joints = mrwi_import_scratch(res, most * BONE_VERTICES, sizeof *mesh->joints);
    mesh->weights = mrwi_import_scratch(res, most * BONE_VERTICES, sizeof *mesh->weights);
    mesh->nodes = mrwi_import_scratch(res, most, sizeof *mesh->nodes);
    mesh->offsets = mrwi_import_scratch(res, most, sizeof *mesh->offsets);
    for (uint32_t i = 1; res->status == MRW_OK && i < tree->node_count && mesh->count < UINT16_MAX;
         i++) {
        uint32_t parent = bone_parent(tree, i);
        if (parent != MRW_NONE && !mrwi_import_is_link(tree->nodes[i].name)) {
            add_bone(tree, mesh, parent, i);
        }
    }
    return res->status == MRW_OK;
}

bool mrwi_import_push_bones(const mrwi_import_tree *tree, mrwi_import_resources *res,
                            mrwi_scene_builder *builder)
{
    bone_mesh bones;
    memset(&bones, 0, sizeof bones);
    if (!make_bones(tree, res, &bones) || bones.count == 0) {
        return res->status == MRW_OK;
    }
    mrwi_scene_mesh_input in;
    memset(&in, 0, sizeof in);
    in.name = "bones";
    in.vertex_count = bones.count * BONE_VERTICES;
    in.indices = bones.indices;
    in.index_count = bones.count * BONE_INDICES;
    in.positions = bones.positions;
    in.flat_normals = true;
    in.shows_bones = true;
    in.influence_count = 1;
    in.joints = bones.joints;
    in.weights = bones.weights;
    in.joint_limit = bones.count;
    const mrw_material matt = mrwi_scene_matt();
    uint32_t mesh, skin;
    return mrwi_import_ok(res, mrwi_scene_builder_material(builder, "bones", &matt, &in.material,
                                                           res->error)) &&
           mrwi_import_ok(res, mrwi_scene_builder_mesh(builder, &in, &mesh, res->error)) &&
           mrwi_import_ok(res, mrwi_scene_builder_skin(builder, "bones", bones.nodes, bones.offsets,
                                                       bones.count, &skin, res->error)) &&
           mrwi_import_ok(res, mrwi_scene_builder_draw(builder, tree->nodes[0].pushed, mesh, skin,
                                                       res->error));
}
