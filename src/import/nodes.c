/* nodes.c: the nodes of the tree, and helper nodes, pushed. */
#include "base/math.h"
#include "import/import.h"

#include <stdio.h>
#include <string.h>

/* ---- pushing ----------------------------------------------------------------------------------*/

static bool push(mrwi_ai *ai, const char *name, uint32_t parent, const mrw_mat4 *matrix,
                 const float *weights, uint32_t weight_count, uint32_t *index)
{
    mrwi_node_input in;
    memset(&in, 0, sizeof in);
    in.name = name != NULL ? mrwi_ai_unmarked(ai, name) : NULL;
    in.parent = parent;
    in.is_matrix = true;
    in.matrix = *matrix;
    in.weights = weights;
    in.weight_count = weight_count;
    return mrwi_ai_ok(ai, mrwi_builder_node(ai->builder, &in, index, ai->error));
}

/* The node that takes the owner's translation: the chain's own link, or a new one that takes the
 * translation out of *rest. */
static bool push_mover(mrwi_ai *ai, const mrwi_ai_unscale *unscale, uint32_t *parent,
                       mrw_mat4 *rest)
{
    char name[1100];
    mrwi_ai_node *owner = &ai->nodes[unscale->owner];
    if (unscale->translation != MRW_NONE) {
        owner->moved_by = ai->nodes[unscale->translation].pushed;
        return true;
    }
    mrw_mat4 move = mrwi_mat4_identity();
    if (unscale->before == unscale->owner) {
        memcpy(move.m + 12, rest->m + 12, 3 * sizeof *move.m);
        memset(rest->m + 12, 0, 3 * sizeof *rest->m);
    }
    snprintf(name, sizeof name, "%s:translation", owner->name);
    if (!push(ai, name, *parent, &move, NULL, 0, &owner->moved_by)) {
        return false;
    }
    *parent = owner->moved_by;
    return true;
}

static bool push_helper(mrwi_ai *ai, mrwi_ai_unscale *unscale, uint32_t *parent, mrw_mat4 *rest)
{
    char name[1100];
    mrw_mat4 shrink = mrwi_mat4_identity();
    for (int c = 0; c < 3; c++) {
        shrink.m[5 * c] = 1.0f / unscale->rest[c];
    }
    snprintf(name, sizeof name, "%s:unscale", ai->nodes[unscale->owner].name);
    if (!push_mover(ai, unscale, parent, rest) ||
        !push(ai, name, *parent, &shrink, NULL, 0, &unscale->helper)) {
        return false;
    }
    *parent = unscale->helper;
    return true;
}

static bool push_node(mrwi_ai *ai, uint32_t index, const uint32_t *unscale_above)
{
    mrwi_ai_node *node = &ai->nodes[index];
    float *weights;
    uint32_t parent = node->parent != MRW_NONE ? ai->nodes[node->parent].pushed : ai->axes;
    mrw_mat4 rest = node->to_parent;
    mrwi_arena_reset(&ai->scratch);
    if (!mrwi_ai_rest_weights(ai, node->source, &node->weight_count, &weights)) {
        return false;
    }
    uint32_t unscale = unscale_above[index];
    if (unscale != MRW_NONE && !push_helper(ai, &ai->unscales[unscale], &parent, &rest)) {
        return false;
    }
    if (!push(ai, node->name, parent, &rest, weights, node->weight_count, &node->pushed)) {
        return false;
    }
    if (node->moved_by == MRW_NONE) {
        node->moved_by = node->pushed;
    }
    return true;
}

/* Axes and unit of the file as a node above all others. Most formats need none, because assimp
 * turns and scales the root itself; SMD, the Source engine's, has Z up and leaves it at that. */
static bool push_axes(mrwi_ai *ai)
{
    static const mrw_mat4 z_up = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1}};
    mrw_mat4 axes = z_up;
    const float *root = ai->nodes[0].to_parent.m;
    float scale = sqrtf(mrwi_dot3(root, root));
    ai->unit = scale > 0.0f && isfinite(scale) ? scale : 1.0f;
    if (!mrwi_ai_fbx_axes(ai, &axes) && strcmp(ai->job->format, "smd") != 0) {
        return true;
    }
    return push(ai, NULL, MRW_NONE, &axes, NULL, 0, &ai->axes);
}

bool mrwi_ai_push_nodes(mrwi_ai *ai)
{
    uint32_t *unscale_above = NULL;
    if (!mrwi_ai_read_tree(ai) || !mrwi_ai_fbx_find_unscales(ai, &unscale_above) ||
        !push_axes(ai)) {
        return false;
    }
    for (uint32_t i = 0; i < ai->node_count; i++) {
        if (!push_node(ai, i, unscale_above)) {
            return false;
        }
    }
    return true;
}
