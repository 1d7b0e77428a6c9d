/* aov_weights.c: passes of skinning: the joint with the largest weight, and the weight of joints
 * with a name. */
#include "frame/aov.h"

#include "base/text.h"

#include <string.h>

uint32_t mrwi_frame_vertex_influences(const mrwi_frame_aov_draw *draw, uint32_t vertex,
                                      const uint16_t **joints, const float **weights)
{
    const mrw_scene *scene = draw->pose->scene;
    const mrw_draw *of = &scene->draws[draw->draw];
    const mrw_mesh *mesh = &scene->meshes[of->mesh];
    const mrw_skin_group *group =
        draw->pose->instance->model->influences.groups + mesh->first_group;
    if (of->skin == MRW_NONE) {
        return 0;
    }
    while (vertex - group->first_vertex >= group->vertex_count) {
        group++;
    }
    const size_t first = (size_t)(vertex - group->first_vertex) * group->influence_count;
    *joints = group->joints + first;
    *weights = group->weights + first;
    return group->influence_count;
}

uint32_t mrwi_frame_joint_node(const mrwi_frame_aov_draw *draw, uint32_t joint)
{
    const mrw_scene *scene = draw->pose->scene;
    return scene->joints[scene->skins[scene->draws[draw->draw].skin].first_joint + joint];
}

/* Adds the influences of a corner to the list, which is sorted by node. Returns the new count. */
static uint32_t add_corner(const mrwi_frame_aov_draw *draw, uint32_t vertex, int corner,
                           mrwi_frame_pull *list, uint32_t count)
{
    const uint16_t *joints;
    const float *weights;
    const uint32_t influences = mrwi_frame_vertex_influences(draw, vertex, &joints, &weights);
    for (uint32_t i = 0; i < influences; i++) {
        const uint32_t node = mrwi_frame_joint_node(draw, joints[i]);
        uint32_t at = count;
        while (at > 0 && list[at - 1].node >= node) {
            at--;
        }
        if (at == count || list[at].node != node) {
            memmove(list + at + 1, list + at, (count - at) * sizeof *list);
            list[at] = (mrwi_frame_pull){node, {0.0, 0.0, 0.0}};
            count++;
        }
        list[at].weight[corner] += (double)weights[i];
    }
    return count;
}

uint32_t mrwi_frame_find_pulls(const mrwi_frame_aov_draw *draw, const uint32_t corners[3],
                               mrwi_frame_pull *out)
{
    uint32_t count = 0;
    for (int i = 0; i < 3; i++) {
        count = add_corner(draw, corners[i], i, out, count);
    }
    return count;
}

uint32_t mrwi_frame_most_pulls(const mrwi_frame_posed *posed)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < posed->poses.count; i++) {
        const mrw_scene *scene = posed->poses.items[i].scene;
        for (uint32_t d = 0; d < scene->draws_count; d++) {
            const uint32_t count = scene->meshes[scene->draws[d].mesh].max_influences;
            most = count > most ? count : most;
        }
    }
    return 3 * most;
}

/* Computes the weight of joints with a name for the vertices of a draw. Returns NULL without
 * memory. */
static const float *weigh_draw(mrwi_base_arena *arena, const mrwi_frame_aov_draw *draw,
                               const char *name)
{
    const mrw_scene *scene = draw->pose->scene;
    const mrw_draw *of = &scene->draws[draw->draw];
    const uint32_t count = scene->meshes[of->mesh].vertex_count;
    const uint32_t joint_count = of->skin == MRW_NONE ? 0 : scene->skins[of->skin].joint_count;
    float *out = mrwi_base_arena_alloc(arena, count, sizeof *out);
    bool *named = mrwi_base_arena_alloc(arena, (size_t)joint_count + 1, sizeof *named);
    if (!out || !named) {
        return NULL;
    }
    for (uint32_t j = 0; j < joint_count; j++) {
        const uint32_t node = mrwi_frame_joint_node(draw, j);
        named[j] = strcmp(mrw_scene_string(scene, scene->nodes[node].name), name) == 0;
    }
    for (uint32_t v = 0; v < count; v++) {
        const uint16_t *joints;
        const float *weights;
        const uint32_t influences = mrwi_frame_vertex_influences(draw, v, &joints, &weights);
        double sum = 0.0;
        for (uint32_t i = 0; i < influences; i++) {
            sum += named[joints[i]] ? (double)weights[i] : 0.0;
        }
        out[v] = (float)sum;
    }
    return out;
}

const float *const *mrwi_frame_weigh(mrwi_base_arena *arena, const mrwi_frame_seen *seen,
                                     const char *name)
{
    const uint32_t count = seen->posed->draw_count;
    const float **out = mrwi_base_arena_alloc(arena, count, sizeof *out);
    for (uint32_t i = 0; out && i < count; i++) {
        const uint32_t first = seen->draws[i].first_like;
        out[i] = first < i ? out[first] : weigh_draw(arena, &seen->draws[i], name);
        out = out[i] ? out : NULL;
    }
    return out;
}
