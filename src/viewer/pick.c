/* pick.c: names the thing under the mouse: node, mesh, triangle, joints and weights. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

/* Returns the influence group of a vertex of a mesh; NULL if it has no influences. */
static const mrw_influence_group *group_of(const mrw_scene *scene, const mrw_mesh *mesh,
                                           uint32_t vertex)
{
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const mrw_influence_group *group = &scene->groups[mesh->first_group + g];
        if (vertex - group->first_vertex < group->vertex_count) {
            return group->influence_count > 0 ? group : NULL;
        }
    }
    return NULL;
}

static const char *node_name(const mrw_scene *scene, uint32_t node)
{
    return mrw_scene_string(scene, scene->nodes[node].name);
}

#define MOST_JOINTS 8

/* Mean weights of a triangle's corners, one per joint, the largest first. */
typedef struct joint_weights {
    uint32_t nodes[MOST_JOINTS];
    double weights[MOST_JOINTS];
    uint32_t count;
} joint_weights;

static void add_weight(joint_weights *sum, uint32_t node, double weight)
{
    uint32_t i = 0;
    while (i < sum->count && sum->nodes[i] != node) {
        i++;
    }
    if (i == sum->count && i < MOST_JOINTS) {
        sum->nodes[sum->count++] = node;
        sum->weights[i] = 0.0;
    }
    if (i < sum->count) {
        sum->weights[i] += weight;
    }
}

static joint_weights weights_of(const mrw_scene *scene, const mrw_draw *draw, uint32_t triangle)
{
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    joint_weights sum = {.count = 0};
    for (int corner = 0; corner < 3 && draw->skin != MRW_NONE; corner++) {
        const uint32_t vertex =
            scene->indices[mesh->first_index + 3 * (size_t)triangle + (size_t)corner];
        const mrw_influence_group *group = group_of(scene, mesh, vertex);
        for (uint32_t i = 0; group && i < group->influence_count; i++) {
            const size_t at = group->first_influence +
                              (size_t)(vertex - group->first_vertex) * group->influence_count + i;
            const uint32_t joint = scene->influence_joints[at];
            add_weight(&sum, scene->joints[scene->skins[draw->skin].first_joint + joint],
                       (double)scene->influence_weights[at] / 3.0);
        }
    }
    for (uint32_t i = 0; i < sum.count; i++) {
        for (uint32_t k = i + 1; k < sum.count; k++) {
            if (sum.weights[k] > sum.weights[i]) {
                const joint_weights old = sum;
                sum.weights[i] = old.weights[k], sum.nodes[i] = old.nodes[k];
                sum.weights[k] = old.weights[i], sum.nodes[k] = old.nodes[i];
            }
        }
    }
    return sum;
}

/* Writes "weights Spine 0.712, Hips 0.288": the four largest at most. */
static void describe_weights(const mrw_scene *scene, const joint_weights *weights, char *out,
                             size_t size)
{
    size_t used = (size_t)snprintf(out, size, "weights ");
    for (uint32_t i = 0; i < weights->count && i < 4 && used + 80 < size; i++) {
        char number[32], safe[48];
        mrw_format_fixed(weights->weights[i], 3, number);
        used += (size_t)snprintf(
            out + used, size - used, "%s%s %s", i > 0 ? ", " : "",
            mrw_escape_text(node_name(scene, weights->nodes[i]), safe, sizeof safe), number);
    }
}

static mrw_status describe(viewer *v, const mrw_scene *scene, const mrw_draw *draw,
                           uint32_t triangle)
{
    viewer_overlay *o = &v->overlay;
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    const joint_weights weights = weights_of(scene, draw, triangle);
    char node[64], name[64], shading[256];
    snprintf(o->picked[0], sizeof o->picked[0], "node %s, mesh %s",
             mrw_escape_text(node_name(scene, draw->node), node, sizeof node),
             mrw_escape_text(mrw_scene_string(scene, mesh->name), name, sizeof name));
    snprintf(o->picked[1], sizeof o->picked[1], "triangle %u of %u", triangle,
             mesh->triangle_count);
    o->picked_node = draw->node;
    if (weights.count == 0) {
        snprintf(o->picked[2], sizeof o->picked[2], "no joint moves it");
        return MRW_OK;
    }
    o->picked_node = weights.nodes[0];
    describe_weights(scene, &weights, o->picked[2], sizeof o->picked[2]);
    if (scene != v->loaded.scene ||
        snprintf(shading, sizeof shading, "weights:%s", node_name(scene, o->picked_node)) >=
            (int)sizeof shading) {
        return MRW_OK; /* weights are shown for the first model only */
    }
    if (strncmp(v->state.shading, "weights:", 8) != 0) {
        memcpy(v->state.before_weights, v->state.shading, sizeof v->state.shading);
    }
    return viewer_set_shading(&v->state, shading);
}

static void forget(viewer_overlay *o, viewer_state *state)
{
    o->picked[0][0] = '\0';
    if (state->before_weights[0] != '\0') {
        char shading[256];
        memcpy(shading, state->before_weights, sizeof shading);
        viewer_set_shading(state, shading);
    }
    state->before_weights[0] = '\0';
}

mrw_status viewer_pick(viewer *v, double x, double y, mrw_error *error)
{
    viewer_drawing *d = &v->drawing;
    mrw_status status = viewer_picture_ids(v, error);
    if (status) {
        return status;
    }
    v->overlay.dirty = true;
    if (!(x >= 0.0 && y >= 0.0 && x < d->last.ids.width && y < d->last.ids.height)) {
        return MRW_OK;
    }
    const size_t at = (size_t)y * d->last.ids.width + (size_t)x;
    uint32_t id, triangle;
    memcpy(&id, d->last.ids.pixels + 4 * at, sizeof id);
    memcpy(&triangle, d->last.triangles.pixels + 4 * at, sizeof triangle);
    uint32_t left = id - 1;
    for (uint32_t i = 0; i < d->line.session.instance_count && id > 0; i++) {
        const mrw_scene *scene = d->line.session.scenes[i];
        if (left < scene->draws_count) {
            return describe(v, scene, &scene->draws[left], triangle);
        }
        left -= scene->draws_count;
    }
    forget(&v->overlay, &v->state); /* the background */
    return MRW_OK;
}
