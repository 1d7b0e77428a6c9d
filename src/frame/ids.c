/* ids.c: which instance, draw and triangle is seen at a pixel, and which node it belongs to.
 */
#include "frame/frame.h"

#include "base/text.h"

#include <assert.h>

/* ---- from the rasterizer's numbers ----------------------------------------------------------- */

mrw_status mrwi_frame_begin_ids(mrw_renderer *renderer, mrw_raster_job *job, mrw_error *error)
{
    const size_t pixels = (size_t)job->image->width * job->image->height;
    job->ids = mrwi_base_arena_alloc(&renderer->arena, pixels, sizeof *job->ids);
    job->triangles = mrwi_base_arena_alloc(&renderer->arena, pixels, sizeof *job->triangles);
    if (!job->ids || !job->triangles) {
        return mrwi_base_fail_memory(error, pixels * sizeof *job->ids);
    }
    return MRW_OK;
}

/* What stands for each of the rasterizer's draw ids: 0 is the background, then all draws in
 * instance and draw order. */
static mrw_pixel_id *list_draws(mrwi_base_arena *arena, const mrwi_frame_poses *poses,
                                uint32_t count)
{
    mrw_pixel_id *list = mrwi_base_arena_alloc(arena, (size_t)count + 1, sizeof *list);
    if (!list) {
        return NULL;
    }
    uint32_t n = 0;
    list[n++] = (mrw_pixel_id){MRW_NONE, MRW_NONE, MRW_NONE};
    for (uint32_t i = 0; i < poses->count; i++) {
        for (uint32_t d = 0; d < poses->items[i].scene->draws_count; d++) {
            list[n++] = (mrw_pixel_id){i, d, MRW_NONE};
        }
    }
    return list;
}

mrw_status mrwi_frame_finish_ids(mrw_renderer *renderer, const mrwi_frame_poses *poses,
                                 const mrw_raster_job *job, mrw_error *error)
{
    const size_t pixels = (size_t)job->image->width * job->image->height;
    const mrw_pixel_id *draws = list_draws(&renderer->arena, poses, job->draw_count);
    mrw_pixel_id *ids = mrwi_base_arena_alloc(&renderer->arena, pixels, sizeof *ids);
    if (!draws || !ids) {
        return mrwi_base_fail_memory(error, pixels * sizeof *ids);
    }
    for (size_t p = 0; p < pixels; p++) {
        ids[p] = draws[job->ids[p]];
        ids[p].triangle = job->triangles[p];
    }
    renderer->ids = ids;
    return MRW_OK;
}

const mrw_pixel_id *mrw_frame_ids(const mrw_renderer *renderer)
{
    return renderer->ids;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool is_within(const mrw_scene *scene, uint32_t node, uint32_t top)
{
    while (node != MRW_NONE && node > top) { /* parents have smaller numbers */
        node = scene->nodes[node].parent;
    }
    return node == top;
}

/* The node that a corner follows most: influences are sorted by weight. */
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

static bool belongs(const mrw_scene *scene, const mrw_pixel_id *id, uint32_t node)
{
    const mrw_draw *draw = &scene->draws[id->draw];
    assert(id->draw < scene->draws_count &&
           id->triangle < scene->meshes[draw->mesh].triangle_count);
    return is_within(scene, draw->node, node) ||
           (draw->skin != MRW_NONE &&
            is_within(scene, triangle_node(scene, draw, id->triangle), node));
}

size_t mrw_frame_mark_node(const mrw_pixel_id *ids, size_t pixel_count,
                           const mrw_instance *instances, uint32_t instance, uint32_t node,
                           uint8_t *marks)
{
    const mrw_scene *scene = instances[instance].model->scene;
    mrw_pixel_id last = {MRW_NONE, MRW_NONE, MRW_NONE}; /* neighbours show the same triangle */
    bool last_belongs = false;
    size_t marked = 0;
    assert(ids && marks && node < scene->nodes_count);
    for (size_t p = 0; p < pixel_count; p++) {
        if (ids[p].instance != instance) {
            continue;
        }
        if (ids[p].draw != last.draw || ids[p].triangle != last.triangle) {
            last = ids[p];
            last_belongs = belongs(scene, &last, node);
        }
        if (last_belongs) {
            marks[p] = 1;
            marked++;
        }
    }
    return marked;
}
