/* mesh.c: meshes, their skins, and the nodes that draw them. */
#include "base/math.h"
#include "import/import.h"

#include <assimp/mesh.h>
#include <inttypes.h>
#include <string.h>

_Static_assert(sizeof(struct aiVector3D) == 3 * sizeof(float), "assimp in single precision");
_Static_assert(sizeof(struct aiColor4D) == 4 * sizeof(float), "assimp in single precision");

/* ---- geometry -------------------------------------------------------------------------------- */

static bool is_triangle(const struct aiFace *face)
{
    return face->mNumIndices == 3 && face->mIndices;
}

/* Points and lines are left out. */
static bool read_triangles(mrwi_import_state *ai, const struct aiMesh *mesh,
                           mrwi_scene_mesh_input *in)
{
    uint64_t count = 0;
    for (unsigned f = 0; mesh->mFaces && f < mesh->mNumFaces; f++) {
        count += is_triangle(&mesh->mFaces[f]) ? 3 : 0;
    }
    if (!mrwi_import_charge(ai, count <= UINT32_MAX ? count : UINT64_MAX)) {
        return false;
    }
    uint32_t *indices = mrwi_import_scratch(ai, count, sizeof *indices);
    in->indices = indices;
    for (unsigned f = 0; indices && mesh->mFaces && f < mesh->mNumFaces; f++) {
        if (is_triangle(&mesh->mFaces[f])) {
            memcpy(indices + in->index_count, mesh->mFaces[f].mIndices, 3 * sizeof *indices);
            in->index_count += 3;
        }
    }
    return indices;
}

/* assimp's V points up in every format; ours down. */
static const float *read_uvs(mrwi_import_state *ai, const struct aiMesh *mesh, unsigned set)
{
    const struct aiVector3D *from = mesh->mTextureCoords[set];
    float *uvs = from ? mrwi_import_scratch(ai, mesh->mNumVertices, 2 * sizeof *uvs) : NULL;
    for (size_t v = 0; uvs && v < mesh->mNumVertices; v++) {
        uvs[2 * v] = from[v].x;
        uvs[2 * v + 1] = 1.0f - from[v].y;
    }
    return uvs;
}

/* The sign of the bitangent, which follows V upwards, completes a tangent. */
static const float *read_tangents(mrwi_import_state *ai, const struct aiMesh *mesh)
{
    const struct aiVector3D *t = mesh->mTangents, *b = mesh->mBitangents, *n = mesh->mNormals;
    if (!t || !b || !n) {
        return NULL;
    }
    float *out = mrwi_import_scratch(ai, mesh->mNumVertices, 4 * sizeof *out);
    for (size_t v = 0; out && v < mesh->mNumVertices; v++) {
        float cross[3];
        mrwi_base_cross3(&n[v].x, &t[v].x, cross);
        memcpy(out + 4 * v, &t[v].x, 3 * sizeof *out);
        out[4 * v + 3] = mrwi_base_dot3(cross, &b[v].x) < 0.0f ? -1.0f : 1.0f;
    }
    return out;
}

static bool read_attributes(mrwi_import_state *ai, const struct aiMesh *mesh,
                            mrwi_scene_mesh_input *in)
{
    in->vertex_count = mesh->mNumVertices;
    in->positions = &mesh->mVertices->x;
    in->normals = mesh->mNormals ? &mesh->mNormals->x : NULL;
    in->colors = mesh->mColors[0] ? &mesh->mColors[0]->r : NULL;
    in->tangents = read_tangents(ai, mesh);
    in->uvs[0] = read_uvs(ai, mesh, 0);
    in->uvs[1] = read_uvs(ai, mesh, 1);
    return ai->status == MRW_OK && mrwi_import_charge(ai, mesh->mNumVertices);
}

/* ---- influences ------------------------------------------------------------------------------ */

static const struct aiBone *bone_of(const struct aiMesh *mesh, unsigned b)
{
    const struct aiBone *bone = mesh->mBones ? mesh->mBones[b] : NULL;
    return bone && bone->mWeights ? bone : NULL;
}

/* A weight that counts; NULL for one of a vertex that is not there, or of 0. */
static const struct aiVertexWeight *weight_of(const struct aiMesh *mesh, const struct aiBone *bone,
                                              unsigned w)
{
    const struct aiVertexWeight *weight = &bone->mWeights[w];
    bool counts = weight->mVertexId < mesh->mNumVertices && weight->mWeight != 0.0f;
    return counts ? weight : NULL;
}

/* How many influences each vertex has; returns the most. */
static uint32_t count_influences(const struct aiMesh *mesh, uint32_t *counts)
{
    uint32_t most = 0;
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *bone = bone_of(mesh, b);
        for (unsigned w = 0; bone && w < bone->mNumWeights; w++) {
            const struct aiVertexWeight *weight = weight_of(mesh, bone, w);
            if (weight && ++counts[weight->mVertexId] > most) {
                most = counts[weight->mVertexId];
            }
        }
    }
    return most;
}

static void fill_influences(const struct aiMesh *mesh, uint32_t slots, uint32_t *used,
                            uint32_t *joints, float *weights)
{
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *bone = bone_of(mesh, b);
        for (unsigned w = 0; bone && w < bone->mNumWeights; w++) {
            const struct aiVertexWeight *weight = weight_of(mesh, bone, w);
            if (weight) {
                size_t at = (size_t)weight->mVertexId * slots + used[weight->mVertexId]++;
                joints[at] = b;
                weights[at] = weight->mWeight;
            }
        }
    }
}

static bool read_influences(mrwi_import_state *ai, const struct aiMesh *mesh,
                            mrwi_scene_mesh_input *in)
{
    if (mesh->mNumBones == 0 || !mesh->mBones) {
        return true;
    }
    uint32_t *counts = mrwi_import_scratch(ai, mesh->mNumVertices, sizeof *counts);
    uint32_t slots = counts ? count_influences(mesh, counts) : 0;
    if (ai->status != MRW_OK || slots == 0 ||
        !mrwi_import_charge(ai, (uint64_t)slots * mesh->mNumVertices)) {
        return ai->status == MRW_OK;
    }
    uint32_t *joints =
        mrwi_import_scratch(ai, (uint64_t)slots * mesh->mNumVertices, sizeof *joints);
    float *weights = mrwi_import_scratch(ai, (uint64_t)slots * mesh->mNumVertices, sizeof *weights);
    if (!joints || !weights) {
        return false;
    }
    memset(counts, 0, mesh->mNumVertices * sizeof *counts);
    fill_influences(mesh, slots, counts, joints, weights);
    in->influence_count = slots;
    in->joints = joints;
    in->weights = weights;
    in->joint_limit = mesh->mNumBones;
    return true;
}

/* ---- morph targets --------------------------------------------------------------------------- */

/* Below this a difference is what assimp's normalising leaves of a direction that stays. */
static float settle(float d, float least)
{
    return fabsf(d) < least ? 0.0f : d;
}

/* Targets are absolute; ours are differences. NULL stays NULL. */
static const float *difference(mrwi_import_state *ai, const struct aiVector3D *target,
                               const struct aiVector3D *base, uint32_t count, float least)
{
    if (!target || !base || !mrwi_import_charge(ai, count)) {
        return NULL;
    }
    float *out = mrwi_import_scratch(ai, count, 3 * sizeof *out);
    for (size_t v = 0; out && v < count; v++) {
        out[3 * v] = settle(target[v].x - base[v].x, least);
        out[3 * v + 1] = settle(target[v].y - base[v].y, least);
        out[3 * v + 2] = settle(target[v].z - base[v].z, least);
    }
    return out;
}

static bool read_targets(mrwi_import_state *ai, const struct aiMesh *mesh,
                         mrwi_scene_mesh_input *in)
{
    uint32_t count = mesh->mAnimMeshes ? mesh->mNumAnimMeshes : 0;
    mrwi_scene_target_input *targets = mrwi_import_scratch(ai, count, sizeof *targets);
    for (uint32_t t = 0; targets && t < count && ai->status == MRW_OK; t++) {
        const struct aiAnimMesh *from = mesh->mAnimMeshes[t];
        if (!from || from->mNumVertices != mesh->mNumVertices) {
            mrwi_scene_builder_warn(ai->builder,
                                    "mesh \"%s\": morph target %" PRIu32
                                    " has other vertices than the "
                                    "mesh and is left out",
                                    in->name, t);
            continue;
        }
        targets[t].name = mrwi_import_unmarked(ai, mrwi_import_text(&from->mName));
        targets[t].positions =
            difference(ai, from->mVertices, mesh->mVertices, in->vertex_count, 0.0f);
        targets[t].normals =
            difference(ai, from->mNormals, mesh->mNormals, in->vertex_count, 1e-6f);
        if (in->tangents) {
            targets[t].tangents =
                difference(ai, from->mTangents, mesh->mTangents, in->vertex_count, 1e-6f);
        }
    }
    in->targets = targets;
    in->target_count = count;
    return targets && ai->status == MRW_OK;
}

static bool push_mesh(mrwi_import_state *ai, uint32_t index)
{
    const struct aiMesh *mesh = ai->scene->mMeshes[index];
    mrwi_scene_mesh_input in;
    memset(&in, 0, sizeof in);
    ai->mesh_index[index] = MRW_NONE;
    if (!mesh || !mesh->mVertices || mesh->mNumVertices == 0) {
        return true;
    }
    mrwi_base_arena_reset(&ai->scratch);
    in.name = mrwi_import_unmarked(ai, mrwi_import_text(&mesh->mName));
    in.material = mesh->mMaterialIndex < ai->scene->mNumMaterials
                      ? ai->material_index[mesh->mMaterialIndex]
                      : MRW_NONE;
    if (!read_triangles(ai, mesh, &in) || in.index_count == 0) {
        return ai->status == MRW_OK;
    }
    ai->triangle_count += in.index_count / 3;
    return read_attributes(ai, mesh, &in) && read_influences(ai, mesh, &in) &&
           read_targets(ai, mesh, &in) &&
           mrwi_import_ok(
               ai, mrwi_scene_builder_mesh(ai->builder, &in, &ai->mesh_index[index], ai->error));
}

/* ---- skins ----------------------------------------------------------------------------------- */

/* A bone whose node is not there stays at its place: its matrix is the inverse of the offset. */
static bool push_lost_joint(mrwi_import_state *ai, const char *name, const mrw_mat4 *offset,
                            uint32_t *pushed)
{
    mrwi_scene_node_input in;
    memset(&in, 0, sizeof in);
    in.name = mrwi_import_unmarked(ai, name);
    in.parent = ai->axes;
    in.is_matrix = true;
    if (!mrwi_import_inverse(offset, &in.matrix)) {
        mrwi_scene_builder_warn(ai->builder, "bone \"%s\" has no node and a flat offset matrix",
                                name);
    }
    return mrwi_import_ok(ai, mrwi_scene_builder_node(ai->builder, &in, pushed, ai->error));
}

/* How far a joint at rest moves the mesh from where its node puts it: 0 in the pose of binding. */
static double distance(const mrwi_import_state *ai, uint32_t joint, const mrw_mat4 *offset,
                       uint32_t node)
{
    mrw_mat4 moved;
    double sum = 0.0;
    mrwi_base_mat4_mul(&ai->nodes[joint].to_root, offset, &moved);
    for (int i = 0; i < 16; i++) {
        double d = (double)moved.m[i] - (double)ai->nodes[node].to_root.m[i];
        sum += d * d;
    }
    return sum;
}

/* Of several nodes of a bone's name the one that fits its offset best. */
static uint32_t find_joint(const mrwi_import_state *ai, const char *name, const mrw_mat4 *offset,
                           uint32_t node)
{
    uint32_t first, count = mrwi_import_find_all(ai, name, &first);
    uint32_t best = count > 0 ? ai->names[first].node : MRW_NONE;
    double least = count > 1 ? distance(ai, best, offset, node) : 0.0;
    for (uint32_t i = 1; i < count; i++) {
        double d = distance(ai, ai->names[first + i].node, offset, node);
        if (d < least) {
            least = d;
            best = ai->names[first + i].node;
        }
    }
    return best;
}

static bool push_skin(mrwi_import_state *ai, const struct aiMesh *mesh, uint32_t node,
                      uint32_t *skin)
{
    uint32_t count = mesh->mNumBones;
    mrw_mat4 geometric;
    bool has_geometric = mrwi_import_fbx_geometric(ai, node, &geometric);
    mrwi_base_arena_reset(&ai->scratch);
    uint32_t *joints = mrwi_import_scratch(ai, count, sizeof *joints);
    mrw_mat4 *offsets = mrwi_import_scratch(ai, count, sizeof *offsets);
    for (uint32_t b = 0; joints && offsets && b < count; b++) {
        const struct aiBone *bone = mesh->mBones[b];
        offsets[b] = bone ? mrwi_import_matrix(&bone->mOffsetMatrix) : mrwi_base_mat4_identity();
        if (has_geometric) {
            mrw_mat4 plain = offsets[b];
            mrwi_base_mat4_mul(&plain, &geometric, &offsets[b]);
        }
        const char *name = bone ? mrwi_import_text(&bone->mName) : "";
        uint32_t joint = find_joint(ai, name, &offsets[b], node);
        if (joint != MRW_NONE) {
            joints[b] = ai->nodes[joint].pushed;
        } else if (!push_lost_joint(ai, name, &offsets[b], &joints[b])) {
            return false;
        }
    }
    const char *skin_name = mrwi_import_unmarked(ai, mrwi_import_text(&mesh->mName));
    return ai->status == MRW_OK &&
           mrwi_import_ok(ai, mrwi_scene_builder_skin(ai->builder, skin_name, joints, offsets,
                                                      count, skin, ai->error));
}

/* ---- draws ----------------------------------------------------------------------------------- */

static bool is_skinned(const struct aiMesh *mesh)
{
    for (unsigned b = 0; mesh->mBones && b < mesh->mNumBones; b++) {
        const struct aiBone *bone = bone_of(mesh, b);
        if (bone && bone->mNumWeights > 0) {
            return true;
        }
    }
    return false;
}

static bool push_draws_of(mrwi_import_state *ai, uint32_t node)
{
    const struct aiNode *source = ai->nodes[node].source;
    for (unsigned i = 0; source->mMeshes && i < source->mNumMeshes; i++) {
        unsigned index = source->mMeshes[i];
        if (index >= ai->scene->mNumMeshes || ai->mesh_index[index] == MRW_NONE) {
            continue;
        }
        const struct aiMesh *mesh = ai->scene->mMeshes[index];
        uint32_t skin = MRW_NONE;
        if (!mrwi_import_charge(ai, mesh->mNumBones) ||
            (is_skinned(mesh) && !push_skin(ai, mesh, node, &skin)) ||
            !mrwi_import_ok(ai, mrwi_scene_builder_draw(ai->builder, ai->nodes[node].pushed,
                                                        ai->mesh_index[index], skin, ai->error))) {
            return false;
        }
    }
    return true;
}

bool mrwi_import_push_meshes(mrwi_import_state *ai)
{
    ai->mesh_index = mrwi_import_keep(ai, ai->scene->mNumMeshes, sizeof *ai->mesh_index);
    for (uint32_t i = 0; ai->mesh_index && i < ai->scene->mNumMeshes; i++) {
        if (!push_mesh(ai, i)) {
            return false;
        }
    }
    for (uint32_t i = 0; ai->mesh_index && i < ai->node_count; i++) {
        if (!push_draws_of(ai, i)) {
            return false;
        }
    }
    return ai->mesh_index;
}
