/* scales.c: decides which meshes need the cofactor matrix for their normals. */
#include "scene/build.h"

#include "base/math.h"

#include <string.h>

/* Axes this close in scale count as equal: normals then err by less than 0.03 degrees. */
#define SCALE_TOLERANCE 1e-3f

static bool nearly_equal(const float v[3])
{
    float low = mrwi_minf(mrwi_minf(v[0], v[1]), v[2]);
    float high = mrwi_maxf(mrwi_maxf(v[0], v[1]), v[2]);
    float size = mrwi_maxf(fabsf(low), fabsf(high));
    return high - low <= SCALE_TOLERANCE * size;
}

static bool uniform_scale(const float scale[3])
{
    const float sizes[3] = {fabsf(scale[0]), fabsf(scale[1]), fabsf(scale[2])};
    return nearly_equal(sizes);
}

/* True when the columns of the 3x3 are at right angles and of one length. */
static bool uniform_matrix(const mrw_mat4 *m)
{
    double lengths[3], most = 0.0;
    for (int i = 0; i < 3; i++) {
        const float *a = &m->m[4 * i];
        lengths[i] = (double)a[0] * a[0] + (double)a[1] * a[1] + (double)a[2] * a[2];
        most = lengths[i] > most ? lengths[i] : most;
    }
    double tolerance = 2.0 * SCALE_TOLERANCE * most;
    for (int i = 0; i < 3; i++) {
        const float *a = &m->m[4 * i], *b = &m->m[4 * ((i + 1) % 3)];
        double dot = (double)a[0] * b[0] + (double)a[1] * b[1] + (double)a[2] * b[2];
        if (most - lengths[i] > tolerance || fabs(dot) > tolerance)
            return false;
    }
    return true;
}

/* Whatever lies between the keys is uniform when all keys and tangents are, seen with the signs of
 * the first value. */
static bool uniform_channel(const mrwi_builder *b, const mrw_channel *channel)
{
    const float *values = MRWI_POOL(b, key_values, float) + channel->first_value;
    bool cubic = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    const float *first = cubic ? values + 3 : values;
    size_t rows = (size_t)channel->key_count * (cubic ? 3 : 1);
    for (size_t row = 0; row < rows; row++) {
        float scale[3];
        for (size_t i = 0; i < 3; i++)
            scale[i] = first[i] < 0.0f ? -values[row * 3 + i] : values[row * 3 + i];
        if (!nearly_equal(scale))
            return false;
    }
    return true;
}

/* nonuniform[n]: the node or an ancestor may scale non-uniformly. */
static void mark_nodes(const mrwi_builder *b, uint8_t *nonuniform)
{
    for (uint32_t i = 0; i < MRWI_COUNT(b, nodes); i++) {
        const mrw_node *node = &MRWI_AT(b, nodes, mrw_node, i);
        nonuniform[i] = node->matrix == MRW_NONE
                            ? !uniform_scale(node->rest.scale)
                            : !uniform_matrix(&MRWI_AT(b, matrices, mrw_mat4, node->matrix));
    }
    for (uint32_t i = 0; i < MRWI_COUNT(b, channels); i++) {
        const mrw_channel *channel = &MRWI_AT(b, channels, mrw_channel, i);
        if (channel->path == MRW_PATH_SCALE && !uniform_channel(b, channel))
            nonuniform[channel->node] = 1;
    }
    for (uint32_t i = 0; i < MRWI_COUNT(b, nodes); i++) {
        uint32_t parent = MRWI_AT(b, nodes, mrw_node, i).parent;
        nonuniform[i] |= parent != MRW_NONE && nonuniform[parent];
    }
}

static bool skin_nonuniform(const mrwi_builder *b, uint32_t index, const uint8_t *nonuniform)
{
    const mrw_skin *skin = &MRWI_AT(b, skins, mrw_skin, index);
    for (uint32_t j = skin->first_joint; j < skin->first_joint + skin->joint_count; j++)
        if (nonuniform[MRWI_AT(b, joints, uint32_t, j)] ||
            !uniform_matrix(&MRWI_AT(b, geometry_to_joint, mrw_mat4, j)))
            return true;
    return false;
}

/* Vertices without influences follow the node also where the mesh has a skin. */
static bool follows_node(const mrwi_builder *b, const mrw_mesh *mesh)
{
    return mesh->group_count > 0 &&
           MRWI_AT(b, groups, mrw_influence_group, mesh->first_group).influence_count == 0;
}

mrw_status mrwi_finish_scales(mrwi_builder *b, mrw_error *error)
{
    mrwi_arena_reset(&b->scratch);
    uint8_t *nodes = mrwi_scratch(b, MRWI_COUNT(b, nodes), 1, error);
    uint8_t *skins = mrwi_scratch(b, MRWI_COUNT(b, skins), 1, error);
    if (!nodes || !skins)
        return b->failed;
    mark_nodes(b, nodes);
    for (uint32_t s = 0; s < MRWI_COUNT(b, skins); s++)
        skins[s] = skin_nonuniform(b, s, nodes);
    for (uint32_t i = 0; i < MRWI_COUNT(b, draws); i++) {
        const mrw_draw *draw = &MRWI_AT(b, draws, mrw_draw, i);
        mrw_mesh *mesh = &MRWI_AT(b, meshes, mrw_mesh, draw->mesh);
        if ((draw->skin != MRW_NONE && skins[draw->skin]) ||
            (follows_node(b, mesh) && nodes[draw->node]))
            mesh->flags |= MRW_MESH_NONUNIFORM;
    }
    return MRW_OK;
}
