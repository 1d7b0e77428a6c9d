/* bones.c: the shape of a bone: an octahedron from head to tail. */
#include "base/math.h"
#include "base/text.h"
#include "scene/build.h"

#include <string.h>

/* Finds two unit vectors at right angles to a unit vector and to each other. */
static void sides(const float along[3], float side[3], float up[3])
{
    float axis[3] = {0, 0, 0};
    axis[fabsf(along[0]) > 0.7f ? 1 : 0] = 1.0f;
    mrwi_base_cross3(along, axis, side);
    mrwi_base_normalize3(side);
    mrwi_base_cross3(along, side, up);
}

/* Writes head and tail, and a ring of four at a fifth of the way, a tenth of the length from the
 * axis. */
void mrwi_scene_place_bone(const float *head, const float *tail, float *out)
{
    static const float ring[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    float along[3], side[3], up[3];
    const float way[3] = {tail[0] - head[0], tail[1] - head[1], tail[2] - head[2]};
    const float length = sqrtf(mrwi_base_dot3(way, way));
    for (int i = 0; i < 3; i++) {
        along[i] = way[i] / length;
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

static mrw_status push(mrwi_scene_builder *b, const mrwi_scene_mesh_input *in,
                       const uint32_t *nodes, const mrw_mat4 *offsets, uint32_t count,
                       mrw_error *error)
{
    const mrw_material matt = mrwi_scene_matt();
    mrwi_scene_mesh_input mesh_input = *in;
    uint32_t mesh = 0, skin = 0;
    mrw_status status = mrwi_scene_builder_material(b, "bones", &matt, &mesh_input.material, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_builder_mesh(b, &mesh_input, &mesh, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_builder_skin(b, "bones", nodes, offsets, count, &skin, error);
    if (status) {
        return status;
    }
    return mrwi_scene_builder_draw(b, nodes[0], mesh, skin, error);
}

mrw_status mrwi_scene_builder_bones(mrwi_scene_builder *b, const uint32_t *nodes,
                                    const mrw_mat4 *offsets, const float *positions, uint32_t count,
                                    mrw_error *error)
{
    static const uint32_t faces[MRWI_SCENE_BONE_INDICES] = {0, 2, 1, 0, 3, 2, 0, 4, 3, 0, 1, 4,
                                                            5, 1, 2, 5, 2, 3, 5, 3, 4, 5, 4, 1};
    const size_t vertices = (size_t)count * MRWI_SCENE_BONE_VERTICES;
    const size_t corners = (size_t)count * MRWI_SCENE_BONE_INDICES;
    uint32_t *indices = mrwi_base_alloc(corners, sizeof *indices);
    uint32_t *joints = mrwi_base_alloc(vertices, sizeof *joints);
    float *weights = mrwi_base_alloc(vertices, sizeof *weights);
    mrw_status status = MRW_OK;
    if (!indices || !joints || !weights) {
        status = mrwi_base_fail_memory(error, corners * sizeof *indices);
        goto out;
    }
    for (size_t i = 0; i < corners; i++) {
        indices[i] = (uint32_t)(i / MRWI_SCENE_BONE_INDICES) * MRWI_SCENE_BONE_VERTICES +
                     faces[i % MRWI_SCENE_BONE_INDICES];
    }
    for (size_t v = 0; v < vertices; v++) {
        joints[v] = (uint32_t)(v / MRWI_SCENE_BONE_VERTICES);
        weights[v] = 1.0f;
    }
    status = push(b,
                  &(mrwi_scene_mesh_input){.name = "bones",
                                           .vertex_count = (uint32_t)vertices,
                                           .indices = indices,
                                           .index_count = (uint32_t)corners,
                                           .positions = positions,
                                           .flat_normals = true,
                                           .shows_bones = true,
                                           .influence_count = 1,
                                           .joints = joints,
                                           .weights = weights,
                                           .joint_limit = count},
                  nodes, offsets, count, error);
out:
    mrwi_base_free(indices);
    mrwi_base_free(joints);
    mrwi_base_free(weights);
    return status;
}
