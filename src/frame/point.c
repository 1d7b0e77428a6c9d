/* point.c: the joints that move a point of a triangle. */
#include "marrow/legend.h"

#include "base/text.h"
#include "frame/frame.h"

#include <assert.h>

/* Finds the joints of a mesh's vertex, as indices in the skin. Returns their number. */
static uint32_t joints_of(const mrw_instance *instance, const mrw_mesh *mesh, uint32_t vertex,
                          const uint16_t **joints, const float **weights)
{
    const mrw_skin_group *groups = instance->model->influences.groups + mesh->first_group;
    uint32_t g = 0;
    while (vertex - groups[g].first_vertex >= groups[g].vertex_count) {
        g++; /* groups cover all vertices */
    }
    const size_t first = (size_t)(vertex - groups[g].first_vertex) * groups[g].influence_count;
    *joints = groups[g].joints + first;
    *weights = groups[g].weights + first;
    return groups[g].influence_count;
}

static void add(mrw_point_joints *sum, uint32_t node, double weight)
{
    uint32_t i = 0;
    while (i < sum->count && sum->items[i].node != node) {
        i++;
    }
    if (i == sum->count) {
        sum->items[sum->count++] = (mrw_joint_weight){node, 0.0};
    }
    sum->items[i].weight += weight;
}

static bool comes_before(const mrw_joint_weight *a, const mrw_joint_weight *b)
{
    return a->weight > b->weight || (!(a->weight < b->weight) && a->node < b->node);
}

/* Sorts by insertion: there are only a few. */
static void sort(mrw_point_joints *joints)
{
    for (uint32_t i = 1; i < joints->count; i++) {
        const mrw_joint_weight moved = joints->items[i];
        uint32_t at = i;
        for (; at > 0 && comes_before(&moved, &joints->items[at - 1]); at--) {
            joints->items[at] = joints->items[at - 1];
        }
        joints->items[at] = moved;
    }
}

mrw_status mrw_frame_point_joints(const mrw_instance *instance, uint32_t draw, uint32_t triangle,
                                  const float barycentric[3], mrw_point_joints *out,
                                  mrw_error *error)
{
    const mrw_scene *scene = instance->model->scene;
    const mrw_draw *drawn = &scene->draws[draw];
    const mrw_mesh *mesh = &scene->meshes[drawn->mesh];
    assert(draw < scene->draws_count && triangle < mesh->triangle_count);
    const uint32_t *corners = scene->indices + mesh->first_index + 3 * (size_t)triangle;
    const size_t most = 3 * ((size_t)mesh->max_influences + 1);
    *out = (mrw_point_joints){.items = mrwi_base_alloc(most, sizeof *out->items)};
    if (!out->items) {
        return mrwi_base_fail_memory(error, most * sizeof *out->items);
    }
    for (int c = 0; c < 3 && drawn->skin != MRW_NONE; c++) {
        const uint32_t *nodes = scene->joints + scene->skins[drawn->skin].first_joint;
        const uint16_t *joints;
        const float *weights;
        const uint32_t count = joints_of(instance, mesh, corners[c], &joints, &weights);
        for (uint32_t i = 0; i < count && barycentric[c] > 0.0f; i++) {
            add(out, nodes[joints[i]], (double)barycentric[c] * (double)weights[i]);
        }
    }
    sort(out);
    return MRW_OK;
}

void mrw_point_joints_free(mrw_point_joints *joints)
{
    mrwi_base_free(joints->items);
    *joints = (mrw_point_joints){0};
}
