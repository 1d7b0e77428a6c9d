/* scales.c: decides which meshes need the cofactor matrix for their normals. */
#include "scene/scales.h"
#include "scene/build.h"

#include "base/math.h"
#include "base/text.h"

#include <string.h>

/* Axes this close in scale count as equal: normals then err by less than 0.03 degrees. */
#define SCALE_TOLERANCE 1e-3f

static bool nearly_equal(const float v[3])
{
    float low = mrwi_base_minf(mrwi_base_minf(v[0], v[1]), v[2]);
    float high = mrwi_base_maxf(mrwi_base_maxf(v[0], v[1]), v[2]);
    float size = mrwi_base_maxf(fabsf(low), fabsf(high));
    return high - low <= SCALE_TOLERANCE * size;
}

static bool uniform_scale(const float scale[3])
{
    const float sizes[3] = {fabsf(scale[0]), fabsf(scale[1]), fabsf(scale[2])};
    return nearly_equal(sizes);
}

/* Returns true if the columns of the 3x3 are at right angles and have one length. */
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
        if (most - lengths[i] > tolerance || fabs(dot) > tolerance) {
            return false;
        }
    }
    return true;
}

/* Returns true for a uniform channel. All values between the keys are uniform if all keys and
 * tangents are, seen with the signs of the first value. */
static bool uniform_channel(const mrw_scene *s, const mrw_channel *channel)
{
    const float *values = s->key_values + channel->first_value;
    bool cubic = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    const float *first = cubic ? values + 3 : values;
    size_t rows = (size_t)channel->key_count * (cubic ? 3 : 1);
    for (size_t row = 0; row < rows; row++) {
        float scale[3];
        for (size_t i = 0; i < 3; i++) {
            scale[i] = first[i] < 0.0f ? -values[row * 3 + i] : values[row * 3 + i];
        }
        if (!nearly_equal(scale)) {
            return false;
        }
    }
    return true;
}

/* Sets nonuniform[n] if the node or an ancestor may scale non-uniformly. */
static void mark_nodes(const mrw_scene *s, uint8_t *nonuniform)
{
    for (uint32_t i = 0; i < s->nodes_count; i++) {
        const mrw_node *node = &s->nodes[i];
        nonuniform[i] = node->matrix == MRW_NONE ? !uniform_scale(node->rest.scale)
                                                 : !uniform_matrix(&s->matrices[node->matrix]);
    }
    for (uint32_t i = 0; i < s->channels_count; i++) {
        const mrw_channel *channel = &s->channels[i];
        if (channel->path == MRW_PATH_SCALE && !uniform_channel(s, channel)) {
            nonuniform[channel->node] = 1;
        }
    }
    for (uint32_t i = 0; i < s->nodes_count; i++) {
        uint32_t parent = s->nodes[i].parent;
        nonuniform[i] |= parent != MRW_NONE && nonuniform[parent];
    }
}

static bool skin_nonuniform(const mrw_scene *s, const mrw_skin *skin, const uint8_t *nonuniform)
{
    for (uint32_t j = skin->first_joint; j < skin->first_joint + skin->joint_count; j++) {
        if (nonuniform[s->joints[j]] || !uniform_matrix(&s->geometry_to_joint[j])) {
            return true;
        }
    }
    return false;
}

/* Returns true if some vertices follow the node: those without influences do, even if the mesh has
 * a skin. */
static bool follows_node(const mrw_scene *s, const mrw_mesh *mesh)
{
    return mesh->group_count > 0 && s->groups[mesh->first_group].influence_count == 0;
}

mrw_status mrwi_scene_mark_scales(const mrw_scene *s, mrw_mesh *meshes, mrw_error *error)
{
    size_t size = (size_t)s->nodes_count + s->skins_count;
    uint8_t *nodes = mrwi_base_alloc(size, 1);
    if (!nodes) {
        return mrwi_base_fail_memory(error, size);
    }
    uint8_t *skins = nodes + s->nodes_count;
    mark_nodes(s, nodes);
    for (uint32_t i = 0; i < s->skins_count; i++) {
        skins[i] = skin_nonuniform(s, &s->skins[i], nodes);
    }
    for (uint32_t i = 0; i < s->draws_count; i++) {
        const mrw_draw *draw = &s->draws[i];
        mrw_mesh *mesh = &meshes[draw->mesh];
        if ((draw->skin != MRW_NONE && skins[draw->skin]) ||
            (follows_node(s, mesh) && nodes[draw->node])) {
            mesh->flags |= MRW_MESH_NONUNIFORM;
        }
    }
    mrwi_base_free(nodes);
    return MRW_OK;
}

mrw_status mrwi_scene_finish_scales(mrwi_scene_draft *draft, mrw_error *error)
{
    mrw_scene scene = {0}; /* the draft's pools as a scene */
#define VIEW_POOL(name, type, per)                                                                 \
    scene.name = draft->pools[MRWI_SCENE_SECTION_##name].data;                                     \
    scene.name##_count = draft->pools[MRWI_SCENE_SECTION_##name].count;
    MRW_SCENE_ARRAYS(VIEW_POOL)
#undef VIEW_POOL
    return mrwi_scene_mark_scales(&scene, draft->pools[MRWI_SCENE_SECTION_meshes].data, error);
}
