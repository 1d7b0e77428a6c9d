/* marks.c: pixels that show a node of an instance. */
#include "frame/frame.h"

#include <assert.h>

static bool is_within(const mrw_scene *scene, uint32_t node, uint32_t top)
{
    while (node != MRW_NONE && node > top) { /* parents have smaller numbers */
        node = scene->nodes[node].parent;
    }
    return node == top;
}

/* Returns the node with the largest weight for a corner: influences are sorted by weight. */
static uint32_t strongest_node(const mrw_scene *scene, const mrw_draw *draw, uint32_t vertex)
{
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const mrw_influence_group *group = &scene->groups[mesh->first_group + g];
        if (vertex - group->first_vertex >= group->vertex_count) {
            continue;
        }
        if (group->influence_count == 0) {
            break;
        }
        const size_t first = (size_t)(vertex - group->first_vertex) * group->influence_count;
        const uint32_t joint = scene->influence_joints[group->first_influence + first];
        return scene->joints[scene->skins[draw->skin].first_joint + joint];
    }
    return draw->node;
}

static uint32_t triangle_node(const mrw_scene *scene, const mrw_draw *draw, uint32_t triangle)
{
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    const uint32_t *corner = scene->indices + mesh->first_index + 3 * (size_t)triangle;
    const uint32_t first = strongest_node(scene, draw, corner[0]);
    const uint32_t second = strongest_node(scene, draw, corner[1]);
    const uint32_t third = strongest_node(scene, draw, corner[2]);
    return second == third ? second : first;
}

static bool belongs(const mrw_scene *scene, uint32_t number, uint32_t triangle, uint32_t node)
{
    const mrw_draw *draw = &scene->draws[number];
    assert(triangle < scene->meshes[draw->mesh].triangle_count);
    return is_within(scene, draw->node, node) ||
           (draw->skin != MRW_NONE && is_within(scene, triangle_node(scene, draw, triangle), node));
}

size_t mrw_frame_mark_node(const mrw_image *ids, const mrw_image *triangles,
                           const mrw_instance *instances, uint32_t instance, uint32_t node,
                           uint8_t *marks)
{
    assert(ids->format == MRW_FORMAT_U32 && triangles->format == MRW_FORMAT_U32);
    assert(ids->width == triangles->width && ids->height == triangles->height);
    const mrw_scene *scene = instances[instance].model->scene;
    const size_t pixel_count = (size_t)ids->width * ids->height;
    const uint32_t *id = (const uint32_t *)ids->pixels;
    const uint32_t *triangle = (const uint32_t *)triangles->pixels;
    uint32_t first = 1;                             /* id of the instance's first draw */
    uint32_t last_id = 0, last_triangle = MRW_NONE; /* neighbours show the same triangle */
    bool last_belongs = false;
    size_t marked = 0;
    assert(marks && node < scene->nodes_count);
    for (uint32_t i = 0; i < instance; i++) {
        first += instances[i].model->scene->draws_count;
    }
    for (size_t p = 0; p < pixel_count; p++) {
        if (id[p] < first || id[p] - first >= scene->draws_count) {
            continue;
        }
        if (id[p] != last_id || triangle[p] != last_triangle) {
            last_id = id[p];
            last_triangle = triangle[p];
            last_belongs = belongs(scene, last_id - first, last_triangle, node);
        }
        if (last_belongs) {
            marks[p] = 1;
            marked++;
        }
    }
    return marked;
}
