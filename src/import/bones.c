/* bones.c: geometry for a file with a skeleton and no triangles: an octahedron from each bone to
 * its child, all in one mesh that is skinned rigidly to the bones.
 *
 * Bones are the nodes that the file marks as joints (FBX: LimbNode, Limb and Root; Collada: type
 * JOINT). Without marks they are all nodes except cameras, lights, effectors and the like. A node
 * that is a hundred times as far away as the median is not a bone: someone has left it there. */
#include "base/math.h"
#include "import/import.h"

#include <assimp/camera.h>
#include <assimp/light.h>
#include <stdlib.h>
#include <string.h>

typedef struct bone_mesh {
    uint32_t count; /* number of bones */
    float *positions;
    uint32_t *nodes; /* end of each bone; its joint is the parent node, joint b of the skin */
    mrw_mat4 *offsets;
} bone_mesh;

#define FAR 100.0f /* largest length, in medians */

static void mark_view(const mrwi_import_tree *tree, const struct aiString *name, uint8_t *views)
{
    const uint32_t node = mrwi_import_find(tree, mrwi_import_text(name));
    if (node != MRW_NONE) {
        views[node] = 1;
    }
}

/* Marks nodes of cameras and lights. */
static void mark_views(const mrwi_import_tree *tree, uint8_t *views)
{
    const struct aiScene *scene = tree->source->scene;
    for (unsigned i = 0; i < scene->mNumCameras; i++) {
        if (scene->mCameras[i]) {
            mark_view(tree, &scene->mCameras[i]->mName, views);
        }
    }
    for (unsigned i = 0; i < scene->mNumLights; i++) {
        if (scene->mLights[i]) {
            mark_view(tree, &scene->mLights[i]->mName, views);
        }
    }
}

/* Returns true for bones. Links of pivot chains and FBX's own root above all models are not
 * bones. */
static bool is_bone(const mrwi_import_tree *tree, const uint8_t *views, uint32_t node)
{
    const mrwi_import_visibility *known = &tree->source->extras.visibility;
    const char *name = tree->nodes[node].name;
    if ((tree->source->is_fbx && node == 0) || mrwi_import_is_link(name)) {
        return false;
    }
    const mrwi_import_node_kind kind = mrwi_import_visibility_kind(known, name);
    return known->joint_count > 0 ? kind == MRWI_IMPORT_JOINT
                                  : kind == MRWI_IMPORT_PLAIN && !views[node];
}

static float length_between(const float *a, const float *b)
{
    const float d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrtf(mrwi_base_dot3(d, d));
}

static void add_bone(const mrwi_import_tree *tree, bone_mesh *mesh, uint32_t parent, uint32_t node)
{
    const uint32_t b = mesh->count;
    if (!mrwi_import_inverse(&tree->nodes[parent].to_root, &mesh->offsets[b])) {
        return;
    }
    mrwi_scene_place_bone(tree->nodes[parent].to_root.m + 12, tree->nodes[node].to_root.m + 12,
                          mesh->positions + 3 * (size_t)MRWI_SCENE_BONE_VERTICES * b);
    mesh->nodes[b] = tree->nodes[parent].pushed;
    mesh->count++;
}

/* A bone: from the bone above it to a node. */
typedef struct bone {
    uint32_t node, parent;
    float length;
} bone;

/* Lists all bones with a length. nearest: scratch; per node, the nearest bone at or above it. */
static uint32_t list_bones(const mrwi_import_tree *tree, const uint8_t *views, uint32_t *nearest,
                           bone *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const uint32_t above = tree->nodes[i].parent;
        const uint32_t parent = above == MRW_NONE ? MRW_NONE : nearest[above];
        const bool own = is_bone(tree, views, i);
        nearest[i] = own ? i : parent;
        if (own && parent != MRW_NONE) {
            const float length =
                length_between(tree->nodes[parent].to_root.m + 12, tree->nodes[i].to_root.m + 12);
            if (length > 0.0f && length < 1e18f) {
                out[count++] = (bone){i, parent, length};
            }
        }
    }
    return count;
}

static int compare_lengths(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static float median_length(const bone *bones, uint32_t count, float *lengths)
{
    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = bones[i].length;
    }
    qsort(lengths, count, sizeof *lengths, compare_lengths);
    return lengths[count / 2];
}

static bool make_bones(const mrwi_import_tree *tree, mrwi_import_resources *res,
                       mrwi_scene_builder *builder, bone_mesh *mesh)
{
    uint64_t most = tree->node_count;
    mrwi_base_arena_reset(&res->scratch);
    if (!mrwi_import_charge(res, most * (MRWI_SCENE_BONE_VERTICES + MRWI_SCENE_BONE_INDICES))) {
        return false;
    }
    mesh->positions =
        mrwi_import_scratch(res, most * MRWI_SCENE_BONE_VERTICES, 3 * sizeof *mesh->positions);
    mesh->nodes = mrwi_import_scratch(res, most, sizeof *mesh->nodes);
    mesh->offsets = mrwi_import_scratch(res, most, sizeof *mesh->offsets);
    uint32_t *nearest = mrwi_import_scratch(res, most, sizeof *nearest);
    bone *bones = mrwi_import_scratch(res, most, sizeof *bones);
    uint8_t *views = mrwi_import_scratch(res, most, 1);
    float *lengths = mrwi_import_scratch(res, most, sizeof *lengths);
    if (res->status) {
        return false;
    }
    mark_views(tree, views);
    const uint32_t count = list_bones(tree, views, nearest, bones);
    const float most_length = count > 0 ? FAR * median_length(bones, count, lengths) : 0.0f;
    for (uint32_t i = 0; i < count && mesh->count < UINT16_MAX; i++) {
        if (bones[i].length > most_length) {
            mrwi_scene_builder_warn(builder,
                                    "\"%s\" is more than a hundred typical bone lengths away from "
                                    "\"%s\"; no bone is drawn there",
                                    tree->nodes[bones[i].node].name,
                                    tree->nodes[bones[i].parent].name);
        } else {
            add_bone(tree, mesh, bones[i].parent, bones[i].node);
        }
    }
    return true;
}

bool mrwi_import_push_bones(const mrwi_import_tree *tree, mrwi_import_resources *res,
                            mrwi_scene_builder *builder)
{
    bone_mesh bones;
    memset(&bones, 0, sizeof bones);
    if (!make_bones(tree, res, builder, &bones) || bones.count == 0) {
        return !res->status;
    }
    return mrwi_import_ok(res, mrwi_scene_builder_bones(builder, bones.nodes, bones.offsets,
                                                        bones.positions, bones.count, res->error));
}
