/* assimp_nodes.c: the node tree: flattened, looked up by name, pushed. */
#include "base/math.h"
#include "base/text.h"
#include "load/assimp_import.h"

#include <assimp/mesh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- flattening -------------------------------------------------------------------------------*/

/* A node whose children are still to be visited. */
typedef struct visit {
    const struct aiNode *node;
    uint32_t parent;
} visit;

/* Children count when their own parent pointer says so, too: a tree by that rule has no cycles. */
static uint32_t child_count(const struct aiNode *node)
{
    uint32_t count = 0;
    for (unsigned i = 0; node->mChildren != NULL && i < node->mNumChildren; i++) {
        count += node->mChildren[i] != NULL && node->mChildren[i]->mParent == node;
    }
    return count;
}

static bool grow(mrwi_ai *ai, void **block, size_t used, uint32_t *capacity, uint64_t needed,
                 size_t size)
{
    if (needed <= *capacity) {
        return true;
    }
    uint64_t wanted = needed > 2 * (uint64_t)*capacity ? needed : 2 * (uint64_t)*capacity;
    wanted = wanted < 64 ? 64 : wanted;
    void *grown =
        wanted < MRW_NONE ? mrwi_realloc(*block, used * size, (size_t)wanted, size) : NULL;
    if (grown == NULL) {
        ai->status = mrwi_fail_memory(ai->error, (size_t)wanted * size);
        return false;
    }
    *block = grown;
    *capacity = (uint32_t)wanted;
    return true;
}

/* Depth first, by a stack of our own: a chain may be as long as memory. */
static bool walk(mrwi_ai *ai, visit **stack, uint32_t *stack_capacity, void **nodes)
{
    uint32_t depth = 1, capacity = 0;
    (*stack)[0] = (visit){ai->scene->mRootNode, MRW_NONE};
    while (depth > 0) {
        visit v = (*stack)[--depth];
        uint32_t children = child_count(v.node), index = ai->node_count;
        if (!mrwi_ai_charge(ai, 1) ||
            !grow(ai, nodes, index, &capacity, (uint64_t)index + 1, sizeof(mrwi_ai_node)) ||
            !grow(ai, (void **)stack, depth, stack_capacity, (uint64_t)depth + children,
                  sizeof(visit))) {
            return false;
        }
        mrwi_ai_node *node = (mrwi_ai_node *)*nodes + ai->node_count++;
        memset(node, 0, sizeof *node);
        node->source = v.node;
        node->name = mrwi_ai_text(&v.node->mName);
        node->parent = v.parent;
        node->moved_by = MRW_NONE;
        node->to_parent = mrwi_ai_matrix(&v.node->mTransformation);
        for (unsigned i = v.node->mNumChildren; i-- > 0 && children > 0;) {
            const struct aiNode *child = v.node->mChildren[i];
            if (child != NULL && child->mParent == v.node) {
                (*stack)[depth++] = (visit){child, index};
            }
        }
    }
    return true;
}

static bool flatten(mrwi_ai *ai)
{
    uint32_t stack_capacity = 0;
    void *stack = NULL, *nodes = NULL;
    bool good = grow(ai, &stack, 0, &stack_capacity, 1, sizeof(visit)) &&
                walk(ai, (visit **)&stack, &stack_capacity, &nodes);
    mrwi_free(stack);
    ai->nodes = good ? mrwi_ai_keep(ai, ai->node_count, sizeof *ai->nodes) : NULL;
    if (ai->nodes != NULL) {
        memcpy(ai->nodes, nodes, ai->node_count * sizeof *ai->nodes);
    }
    mrwi_free(nodes);
    return ai->nodes != NULL;
}

static void place_nodes(mrwi_ai *ai)
{
    for (uint32_t i = 0; i < ai->node_count; i++) {
        mrwi_ai_node *node = &ai->nodes[i];
        if (node->parent == MRW_NONE) {
            node->to_root = node->to_parent;
        } else {
            mrwi_mat4_mul(&ai->nodes[node->parent].to_root, &node->to_parent, &node->to_root);
        }
    }
}

/* ---- names ------------------------------------------------------------------------------------*/

static int compare_names(const void *a, const void *b)
{
    const mrwi_ai_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : x->node < y->node ? -1 : x->node > y->node;
}

static bool sort_names(mrwi_ai *ai)
{
    ai->names = mrwi_ai_keep(ai, ai->node_count, sizeof *ai->names);
    for (uint32_t i = 0; ai->names != NULL && i < ai->node_count; i++) {
        ai->names[i] = (mrwi_ai_name){ai->nodes[i].name, i};
    }
    if (ai->names != NULL) {
        qsort(ai->names, ai->node_count, sizeof *ai->names, compare_names);
    }
    return ai->names != NULL;
}

uint32_t mrwi_ai_find_all(const mrwi_ai *ai, const char *name, uint32_t *first)
{
    uint32_t low = 0, high = ai->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(ai->names[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *first = low;
    uint32_t end = low;
    while (end < ai->node_count && strcmp(ai->names[end].name, name) == 0) {
        end++;
    }
    return end - low;
}

uint32_t mrwi_ai_find(const mrwi_ai *ai, const char *name)
{
    uint32_t first;
    return name[0] != '\0' && mrwi_ai_find_all(ai, name, &first) > 0 ? ai->names[first].node
                                                                     : MRW_NONE;
}

/* ---- morph weights ----------------------------------------------------------------------------*/

static const struct aiMesh *mesh_of(const mrwi_ai *ai, const struct aiNode *node, unsigned i)
{
    unsigned index = node->mMeshes[i];
    return index < ai->scene->mNumMeshes ? ai->scene->mMeshes[index] : NULL;
}

/* The node's default weights: as many as its meshes have targets at most. FBX files have theirs in
 * a property that assimp does not hand on (its mWeight says something else). */
static bool find_weights(mrwi_ai *ai, mrwi_ai_node *node, float **weights)
{
    const struct aiNode *source = node->source;
    const struct aiMesh *most = NULL;
    for (unsigned i = 0; source->mMeshes != NULL && i < source->mNumMeshes; i++) {
        const struct aiMesh *mesh = mesh_of(ai, source, i);
        if (mesh != NULL && mesh->mAnimMeshes != NULL &&
            mesh->mNumAnimMeshes > node->weight_count) {
            most = mesh;
            node->weight_count = mesh->mNumAnimMeshes;
        }
    }
    *weights = mrwi_ai_scratch(ai, node->weight_count, sizeof **weights);
    for (uint32_t i = 0; *weights != NULL && most != NULL && i < node->weight_count; i++) {
        const struct aiAnimMesh *target = most->mAnimMeshes[i];
        if (!ai->is_fbx && target != NULL && isfinite(target->mWeight)) {
            (*weights)[i] = target->mWeight;
        }
    }
    return *weights != NULL;
}

/* ---- pushing ----------------------------------------------------------------------------------*/

static bool push(mrwi_ai *ai, const char *name, uint32_t parent, const mrw_mat4 *matrix,
                 const float *weights, uint32_t weight_count, uint32_t *index)
{
    mrwi_node_input in;
    memset(&in, 0, sizeof in);
    in.name = name;
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
    if (!find_weights(ai, node, &weights)) {
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

/* Axes and unit of the file as a node above all others; most formats need none, because assimp
 * turns and scales the root itself. */
static bool push_axes(mrwi_ai *ai)
{
    mrw_mat4 axes;
    return !mrwi_ai_fbx_axes(ai, &axes) || push(ai, NULL, MRW_NONE, &axes, NULL, 0, &ai->axes);
}

bool mrwi_ai_push_nodes(mrwi_ai *ai)
{
    uint32_t *unscale_above = NULL;
    if (!flatten(ai) || !sort_names(ai)) {
        return false;
    }
    place_nodes(ai);
    if (!mrwi_ai_fbx_find_unscales(ai, &unscale_above) || !push_axes(ai)) {
        return false;
    }
    for (uint32_t i = 0; i < ai->node_count; i++) {
        if (!push_node(ai, i, unscale_above)) {
            return false;
        }
    }
    return true;
}
