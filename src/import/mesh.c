/* mesh.c: reads meshes, their skins, and the nodes that draw them. */
#include "base/math.h"
#include "base/text.h"
#include "image/color.h"
#include "import/import.h"
#include "import/triangulate.h"

#include <assimp/mesh.h>
#include <float.h>
#include <inttypes.h>
#include <string.h>

_Static_assert(sizeof(struct aiVector3D) == 3 * sizeof(float), "assimp in single precision");
_Static_assert(sizeof(struct aiColor4D) == 4 * sizeof(float), "assimp in single precision");

/* ---- geometry -------------------------------------------------------------------------------- */

static bool is_triangle(const struct aiFace *face)
{
    return face->mNumIndices == 3 && face->mIndices;
}

/* Cuts a polygon with many corners. In a mesh without such vertices it is left to the builder,
 * which refuses it. Returns false after a failure. */
static bool cut(const struct aiMesh *mesh, const struct aiFace *face, uint32_t corners,
                mrwi_import_resources *res, uint32_t *out)
{
    float *places = mrwi_import_scratch(res, corners, 3 * sizeof *places);
    for (uint32_t i = 0; places && i < corners; i++) {
        if (mesh->mVertices && face->mIndices[i] < mesh->mNumVertices) {
            memcpy(places + 3 * (size_t)i, &mesh->mVertices[face->mIndices[i]], 3 * sizeof *places);
        }
    }
    if (!places) {
        return false;
    }
    if (!mrwi_import_triangulate(places, corners, out)) {
        return mrwi_import_ok(res, mrwi_base_fail_memory(res->error, corners * sizeof *out));
    }
    for (size_t i = 0; i < 3 * ((size_t)corners - 2); i++) {
        out[i] = face->mIndices[out[i]];
    }
    return true;
}

/* Reads *count indices; points and lines are left out. */
static const uint32_t *read_triangles(const mrwi_import_polygons *polygons,
                                      const struct aiMesh *mesh, mrwi_import_resources *res,
                                      uint32_t *count)
{
    uint64_t room = 0;
    bool good = true;
    *count = 0;
    for (unsigned f = 0; mesh->mFaces && f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        room += is_triangle(face) ? 3 * ((uint64_t)mrwi_import_polygons_corners(polygons, face) - 2)
                                  : 0;
    }
    if (!mrwi_import_charge(res, room <= UINT32_MAX ? room : UINT64_MAX)) {
        return NULL;
    }
    uint32_t *indices = mrwi_import_scratch(res, room, sizeof *indices);
    for (unsigned f = 0; indices && good && mesh->mFaces && f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        const uint32_t corners =
            is_triangle(face) ? mrwi_import_polygons_corners(polygons, face) : 0;
        if (corners == 3) {
            memcpy(indices + *count, face->mIndices, 3 * sizeof *indices);
        } else if (corners > 3) {
            good = cut(mesh, face, corners, res, indices + *count);
        }
        *count += corners > 0 ? 3 * (corners - 2) : 0;
    }
    return good ? indices : NULL;
}

/* Reads texture coordinates. assimp's V points up in every format; ours points down. */
static const float *read_uvs(const struct aiMesh *mesh, unsigned set, mrwi_import_resources *res)
{
    const struct aiVector3D *from = mesh->mTextureCoords[set];
    float *uvs = from ? mrwi_import_scratch(res, mesh->mNumVertices, 2 * sizeof *uvs) : NULL;
    for (size_t v = 0; uvs && v < mesh->mNumVertices; v++) {
        uvs[2 * v] = from[v].x;
        uvs[2 * v + 1] = 1.0f - from[v].y;
    }
    return uvs;
}

/* Reads tangents. The sign of the bitangent, which follows V upwards, completes a tangent. */
static const float *read_tangents(const struct aiMesh *mesh, mrwi_import_resources *res)
{
    const struct aiVector3D *t = mesh->mTangents, *b = mesh->mBitangents, *n = mesh->mNormals;
    if (!t || !b || !n) {
        return NULL;
    }
    float *out = mrwi_import_scratch(res, mesh->mNumVertices, 4 * sizeof *out);
    for (size_t v = 0; out && v < mesh->mNumVertices; v++) {
        float cross[3];
        mrwi_base_cross3(&n[v].x, &t[v].x, cross);
        memcpy(out + 4 * v, &t[v].x, 3 * sizeof *out);
        out[4 * v + 3] = mrwi_base_dot3(cross, &b[v].x) < 0.0f ? -1.0f : 1.0f;
    }
    return out;
}

/* Decodes colours. Most are bytes, for which the curve is computed once each. */
static void decode_colors(float *colors, size_t count)
{
    float linear[256];
    for (int b = 0; b < 256; b++) {
        linear[b] = (float)mrwi_image_srgb_to_linear((double)((float)b / 255.0f));
    }
    for (size_t i = 0; i < 4 * count; i++) {
        const float value = colors[i];
        if (i % 4 == 3 || !(value > 0.0f && value <= FLT_MAX)) {
            continue;
        }
        const int byte =
            value < 1.0f ? (int)mrwi_base_to_u32((double)(value * 255.0f + 0.5f)) : 255;
        colors[i] = (float)byte / 255.0f == value ? linear[byte]
                                                  : (float)mrwi_image_srgb_to_linear((double)value);
    }
}

/* Reads vertex colours: see colors.c. */
static const float *read_colors(const mrwi_import_source *source, const struct aiMesh *mesh,
                                mrwi_import_resources *res)
{
    const struct aiColor4D *from = mesh->mColors[0];
    if (!from || !source->colors.vertices_srgb) {
        return from ? &from->r : NULL;
    }
    float *out = mrwi_import_scratch(res, mesh->mNumVertices, 4 * sizeof *out);
    if (out) {
        memcpy(out, from, mesh->mNumVertices * sizeof *from);
        decode_colors(out, mesh->mNumVertices);
    }
    return out;
}

/* Returns the second set of texture coordinates. A mesh with one set gives that one: exporters
 * number sets from 0 or from 1, and in some formats sets have names that assimp counts. */
static const float *second_uvs(const struct aiMesh *mesh, const float *first, uint32_t material,
                               mrwi_import_resources *res, const mrwi_scene_builder *builder)
{
    if (mesh->mTextureCoords[1]) {
        return read_uvs(mesh, 1, res);
    }
    return mrwi_scene_builder_shows_uvs(builder, material, 1) ? first : NULL;
}

/* ---- influences ------------------------------------------------------------------------------ */

static const struct aiBone *bone_of(const struct aiMesh *mesh, unsigned b)
{
    const struct aiBone *bone = mesh->mBones ? mesh->mBones[b] : NULL;
    return bone && bone->mWeights ? bone : NULL;
}

/* Returns a weight that counts; NULL for a missing vertex, or a weight of 0. */
static const struct aiVertexWeight *weight_of(const struct aiMesh *mesh, const struct aiBone *bone,
                                              unsigned w)
{
    const struct aiVertexWeight *weight = &bone->mWeights[w];
    bool counts = weight->mVertexId < mesh->mNumVertices && weight->mWeight != 0.0f;
    return counts ? weight : NULL;
}

/* Counts the influences of each vertex. Returns the largest count. */
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

/* The influences of a mesh's vertices. */
typedef struct influences {
    uint32_t count; /* slots per vertex; 0 if no bone moves the mesh */
    const uint32_t *joints;
    const float *weights;
} influences;

static bool read_influences(const struct aiMesh *mesh, mrwi_import_resources *res, influences *out)
{
    *out = (influences){.count = 0};
    if (mesh->mNumBones == 0 || !mesh->mBones) {
        return true;
    }
    uint32_t *counts = mrwi_import_scratch(res, mesh->mNumVertices, sizeof *counts);
    uint32_t slots = counts ? count_influences(mesh, counts) : 0;
    if (res->status || slots == 0 ||
        !mrwi_import_charge(res, (uint64_t)slots * mesh->mNumVertices)) {
        return !res->status;
    }
    uint32_t *joints =
        mrwi_import_scratch(res, (uint64_t)slots * mesh->mNumVertices, sizeof *joints);
    float *weights =
        mrwi_import_scratch(res, (uint64_t)slots * mesh->mNumVertices, sizeof *weights);
    if (!joints || !weights) {
        return false;
    }
    memset(counts, 0, mesh->mNumVertices * sizeof *counts);
    fill_influences(mesh, slots, counts, joints, weights);
    *out = (influences){slots, joints, weights};
    return true;
}

/* ---- morph targets --------------------------------------------------------------------------- */

/* Turns small differences into 0: below `least` they come from assimp's normalising of a direction
 * that does not change. */
static float settle(float d, float least)
{
    return fabsf(d) < least ? 0.0f : d;
}

/* Returns the differences of a target, which is absolute in assimp. NULL stays NULL. */
static const float *difference(const struct aiVector3D *target, const struct aiVector3D *base,
                               uint32_t count, float least, mrwi_import_resources *res)
{
    if (!target || !base || !mrwi_import_charge(res, count)) {
        return NULL;
    }
    float *out = mrwi_import_scratch(res, count, 3 * sizeof *out);
    for (size_t v = 0; out && v < count; v++) {
        out[3 * v] = settle(target[v].x - base[v].x, least);
        out[3 * v + 1] = settle(target[v].y - base[v].y, least);
        out[3 * v + 2] = settle(target[v].z - base[v].z, least);
    }
    return out;
}

/* Reads the base's target_count morph targets of a mesh whose attributes were read. */
static const mrwi_scene_target_input *read_targets(const mrwi_import_source *source,
                                                   const struct aiMesh *mesh,
                                                   const mrwi_scene_mesh_input *base,
                                                   mrwi_import_resources *res,
                                                   mrwi_scene_builder *builder)
{
    mrwi_scene_target_input *targets =
        mrwi_import_scratch(res, base->target_count, sizeof *targets);
    for (uint32_t t = 0; targets && t < base->target_count && !res->status; t++) {
        const struct aiAnimMesh *from = mesh->mAnimMeshes[t];
        if (!from || from->mNumVertices != mesh->mNumVertices) {
            mrwi_scene_builder_warn(
                builder,
                "mesh \"%s\": morph target %" PRIu32
                " has a different number of vertices from the mesh and is ignored",
                base->name, t);
            continue;
        }
        targets[t].name = mrwi_import_unmarked(source, mrwi_import_text(&from->mName), res);
        targets[t].positions =
            difference(from->mVertices, mesh->mVertices, base->vertex_count, 0.0f, res);
        targets[t].normals =
            difference(from->mNormals, mesh->mNormals, base->vertex_count, 1e-6f, res);
        if (base->tangents) {
            targets[t].tangents =
                difference(from->mTangents, mesh->mTangents, base->vertex_count, 1e-6f, res);
        }
    }
    return targets;
}

/* Pushes a mesh; *number is MRW_NONE for one without triangles. */
static bool push_mesh(const mrwi_import_source *source, const struct aiMesh *mesh,
                      const uint32_t *materials, mrwi_import_resources *res,
                      mrwi_scene_builder *builder, uint32_t *number)
{
    *number = MRW_NONE;
    if (!mesh || !mesh->mVertices || mesh->mNumVertices == 0) {
        return true;
    }
    mrwi_base_arena_reset(&res->scratch);
    mrwi_scene_mesh_input in = {
        .name = mrwi_import_unmarked(source, mrwi_import_text(&mesh->mName), res),
        .material = mesh->mMaterialIndex < source->scene->mNumMaterials
                        ? materials[mesh->mMaterialIndex]
                        : MRW_NONE,
        .vertex_count = mesh->mNumVertices,
        .positions = &mesh->mVertices->x,
        .normals = mesh->mNormals ? &mesh->mNormals->x : NULL,
        .target_count = mesh->mAnimMeshes ? mesh->mNumAnimMeshes : 0};
    in.indices = read_triangles(&source->polygons, mesh, res, &in.index_count);
    if (in.index_count == 0) {
        return !res->status;
    }
    in.colors = read_colors(source, mesh, res);
    in.tangents = read_tangents(mesh, res);
    in.uvs[0] = read_uvs(mesh, 0, res);
    in.uvs[1] = second_uvs(mesh, in.uvs[0], in.material, res, builder);
    influences moved;
    if (res->status || !mrwi_import_charge(res, mesh->mNumVertices) ||
        !read_influences(mesh, res, &moved)) {
        return false;
    }
    in.influence_count = moved.count;
    in.joints = moved.joints;
    in.weights = moved.weights;
    in.joint_limit = moved.count > 0 ? mesh->mNumBones : 0;
    in.targets = read_targets(source, mesh, &in, res, builder);
    return !res->status &&
           mrwi_import_ok(res, mrwi_scene_builder_mesh(builder, &in, number, res->error));
}

/* ---- skins ----------------------------------------------------------------------------------- */

/* Pushes a joint for a bone whose node is missing. It stays in place: its matrix is the inverse of
 * the offset. */
static bool push_lost_joint(const mrwi_import_tree *tree, const char *name, const mrw_mat4 *offset,
                            mrwi_import_resources *res, mrwi_scene_builder *builder,
                            uint32_t *pushed)
{
    mrwi_scene_node_input in = {.name = name, .parent = tree->axes};
    if (!mrwi_import_inverse(offset, &in.matrix)) {
        mrwi_scene_builder_warn(
            builder, "bone \"%s\" has no node, and its offset matrix cannot be inverted", name);
    }
    return mrwi_import_push_node(tree->source, &in, res, builder, pushed);
}

/* Returns how far a joint at rest moves the mesh from the place of its node: 0 in the bind pose. */
static double distance(const mrwi_import_tree *tree, uint32_t joint, const mrw_mat4 *offset,
                       uint32_t node)
{
    mrw_mat4 moved;
    double sum = 0.0;
    mrwi_base_mat4_mul(&tree->nodes[joint].to_root, offset, &moved);
    for (int i = 0; i < 16; i++) {
        double d = (double)moved.m[i] - (double)tree->nodes[node].to_root.m[i];
        sum += d * d;
    }
    return sum;
}

/* Returns the node of a bone's name that fits its offset best, if several have the name. */
static uint32_t find_joint(const mrwi_import_tree *tree, const char *name, const mrw_mat4 *offset,
                           uint32_t node)
{
    uint32_t first, count = mrwi_import_find_all(tree, name, &first);
    uint32_t best = count > 0 ? tree->names[first].node : MRW_NONE;
    double least = count > 1 ? distance(tree, best, offset, node) : 0.0;
    for (uint32_t i = 1; i < count; i++) {
        double d = distance(tree, tree->names[first + i].node, offset, node);
        if (d < least) {
            least = d;
            best = tree->names[first + i].node;
        }
    }
    return best;
}

static bool push_skin(const mrwi_import_tree *tree, const struct aiMesh *mesh, uint32_t node,
                      mrwi_import_resources *res, mrwi_scene_builder *builder, uint32_t *skin)
{
    uint32_t count = mesh->mNumBones;
    mrw_mat4 geometric;
    bool has_geometric = mrwi_import_fbx_geometric(tree, node, &geometric);
    mrwi_base_arena_reset(&res->scratch);
    uint32_t *joints = mrwi_import_scratch(res, count, sizeof *joints);
    mrw_mat4 *offsets = mrwi_import_scratch(res, count, sizeof *offsets);
    for (uint32_t b = 0; joints && offsets && b < count; b++) {
        const struct aiBone *bone = mesh->mBones[b];
        offsets[b] = bone ? mrwi_import_matrix(&bone->mOffsetMatrix) : mrwi_base_mat4_identity();
        if (has_geometric) {
            mrw_mat4 plain = offsets[b];
            mrwi_base_mat4_mul(&plain, &geometric, &offsets[b]);
        }
        const char *name = bone ? mrwi_import_text(&bone->mName) : "";
        uint32_t joint = find_joint(tree, name, &offsets[b], node);
        if (joint != MRW_NONE) {
            joints[b] = tree->nodes[joint].pushed;
        } else if (!push_lost_joint(tree, name, &offsets[b], res, builder, &joints[b])) {
            return false;
        }
    }
    const char *skin_name = mrwi_import_unmarked(tree->source, mrwi_import_text(&mesh->mName), res);
    return !res->status &&
           mrwi_import_ok(res, mrwi_scene_builder_skin(builder, skin_name, joints, offsets, count,
                                                       skin, res->error));
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

static bool push_draws_of(const mrwi_import_tree *tree, uint32_t node, const uint32_t *numbers,
                          mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    const struct aiScene *scene = tree->source->scene;
    const struct aiNode *source = tree->nodes[node].source;
    for (unsigned i = 0; source->mMeshes && i < source->mNumMeshes; i++) {
        unsigned index = source->mMeshes[i];
        if (index >= scene->mNumMeshes || numbers[index] == MRW_NONE) {
            continue;
        }
        const struct aiMesh *mesh = scene->mMeshes[index];
        uint32_t skin = MRW_NONE;
        if (!mrwi_import_charge(res, mesh->mNumBones) ||
            (is_skinned(mesh) && !push_skin(tree, mesh, node, res, builder, &skin)) ||
            !mrwi_import_ok(res, mrwi_scene_builder_draw(builder, tree->nodes[node].pushed,
                                                         numbers[index], skin, res->error))) {
            return false;
        }
    }
    return true;
}

bool mrwi_import_push_meshes(const mrwi_import_tree *tree, const uint32_t *materials,
                             mrwi_import_resources *res, mrwi_scene_builder *builder, bool *any)
{
    const struct aiScene *scene = tree->source->scene;
    uint32_t *numbers = mrwi_import_keep(res, scene->mNumMeshes, sizeof *numbers);
    *any = false;
    if (!numbers) {
        return false;
    }
    for (uint32_t i = 0; i < scene->mNumMeshes; i++) {
        if (!push_mesh(tree->source, scene->mMeshes[i], materials, res, builder, &numbers[i])) {
            return false;
        }
        *any = *any || numbers[i] != MRW_NONE;
    }
    for (uint32_t i = 0; i < tree->node_count; i++) {
        if (!push_draws_of(tree, i, numbers, res, builder)) {
            return false;
        }
    }
    return true;
}
