/* gltf_bones.c: shows a file that has skins but no triangles: a bone from each joint to those
 * directly below it. The upper joint moves it, and it is in that joint's space. */
#include "base/math.h"
#include "load/gltf.h"

#include <string.h>

/* Applies the node's local transform to p. out may be p itself. */
static void apply(mrwi_load_json *json, const cJSON *entry, const float *p, float *out)
{
    mrw_transform t = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    float m[16], v[3], u[3], w[3];
    if (mrwi_load_json_floats(json, entry, "matrix", m, 16)) {
        for (int i = 0; i < 3; i++) {
            v[i] = ((m[i] * p[0] + m[4 + i] * p[1]) + m[8 + i] * p[2]) + m[12 + i];
        }
        memcpy(out, v, sizeof v);
        return;
    }
    mrwi_load_json_floats(json, entry, "translation", t.translation, 3);
    mrwi_load_json_floats(json, entry, "rotation", t.rotation, 4);
    mrwi_load_json_floats(json, entry, "scale", t.scale, 3);
    mrwi_base_normalize4(t.rotation);
    for (int i = 0; i < 3; i++) {
        v[i] = t.scale[i] * p[i];
    }
    mrwi_base_cross3(t.rotation, v, u); /* v + 2 q x (q x v + w v) */
    for (int i = 0; i < 3; i++) {
        u[i] += t.rotation[3] * v[i];
    }
    mrwi_base_cross3(t.rotation, u, w);
    for (int i = 0; i < 3; i++) {
        out[i] = (v[i] + 2.0f * w[i]) + t.translation[i];
    }
}

static bool draws_triangles(const mrwi_load_gltf_document *document,
                            const mrwi_load_gltf_tree *tree)
{
    for (uint32_t i = 0; i < document->nodes.count; i++) {
        const mrwi_load_gltf_node *node = &tree->nodes[i];
        const mrwi_load_gltf_mesh *mesh = node->instanced          ? node->instanced
                                          : node->mesh != MRW_NONE ? &tree->meshes[node->mesh]
                                                                   : NULL;
        for (uint32_t p = 0; mesh && node->reachable && p < mesh->primitive_list.count; p++) {
            if (mesh->primitives[p].mesh != MRW_NONE) {
                return true;
            }
        }
    }
    return false;
}

static bool mark_joints(mrwi_load_gltf_file *file, uint8_t *joints)
{
    const mrwi_load_gltf_document *document = file->document;
    for (uint32_t s = 0; s < document->skins.count; s++) {
        uint32_t count;
        const uint32_t *list =
            mrwi_load_json_indices(&file->json, &file->scratch, document->skins.items[s], "joints",
                                   document->nodes.count, "nodes", &count);
        for (uint32_t j = 0; list && j < count; j++) {
            joints[list[j]] = 1;
        }
    }
    return mrwi_load_json_good(&file->json);
}

/* Finds the joint above a joint, and the latter's place in its space. */
static uint32_t find_head(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                          const uint8_t *joints, uint32_t node, float tail[3])
{
    memset(tail, 0, 3 * sizeof *tail);
    do {
        apply(&file->json, file->document->nodes.items[node], tail, tail);
        node = tree->nodes[node].parent;
    } while (node != MRW_NONE && !joints[node] && mrwi_load_gltf_charge(file, 1));
    return node != MRW_NONE && joints[node] ? node : MRW_NONE;
}

bool mrwi_load_gltf_push_bones(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                               mrwi_scene_builder *builder)
{
    static const float head[3] = {0, 0, 0};
    const mrwi_load_gltf_document *document = file->document;
    const uint32_t most = document->nodes.count;
    mrwi_load_json *json = &file->json;
    if (document->skins.count == 0 || draws_triangles(document, tree)) {
        return true;
    }
    uint8_t *joints = mrwi_load_gltf_scratch(file, most, 1);
    uint32_t *nodes = mrwi_load_gltf_scratch(file, most, sizeof *nodes), count = 0;
    float *positions = mrwi_load_gltf_scratch(file, (size_t)most * MRWI_SCENE_BONE_VERTICES,
                                              3 * sizeof *positions);
    if (!joints || !nodes || !positions) {
        return false;
    }
    memset(joints, 0, most);
    if (!mark_joints(file, joints)) {
        return false;
    }
    for (uint32_t i = 0; i < most && count < UINT16_MAX && mrwi_load_json_good(json); i++) {
        float tail[3];
        const uint32_t above = joints[i] && tree->nodes[i].reachable
                                   ? find_head(file, tree, joints, i, tail)
                                   : MRW_NONE;
        const float square = above != MRW_NONE ? mrwi_base_dot3(tail, tail) : 0.0f;
        if (square > 1e-30f && square < 1e30f) {
            nodes[count] = above;
            mrwi_scene_place_bone(head, tail,
                                  positions + 3 * (size_t)MRWI_SCENE_BONE_VERTICES * count++);
        }
    }
    const bool good =
        mrwi_load_json_good(json) &&
        (count == 0 ||
         mrwi_load_json_ok(
             json, mrwi_scene_builder_bones(builder, nodes, NULL, positions, count, json->error)));
    mrwi_base_arena_reset(&file->scratch);
    return good;
}
