/* tree.c: the node tree: as an array, parents first, looked up by name; then pushed to the builder.
 *
 * Children are found by the lists of their parents. Where a node's own pointer names another parent
 * that one counts: the bones of HL1 MDL files are all listed by one node.
 */
#include "base/math.h"
#include "base/text.h"
#include "import/import.h"
#include "scene/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- matrices -------------------------------------------------------------------------------- */

mrw_mat4 mrwi_import_matrix(const struct aiMatrix4x4 *m)
{
    return (mrw_mat4){{m->a1, m->b1, m->c1, m->d1, m->a2, m->b2, m->c2, m->d2, m->a3, m->b3, m->c3,
                       m->d3, m->a4, m->b4, m->c4, m->d4}};
}

mrw_mat4 mrwi_import_rotation(const float x[3], const float y[3], const float z[3],
                              const float origin[3])
{
    return (mrw_mat4){{x[0], x[1], x[2], 0, y[0], y[1], y[2], 0, z[0], z[1], z[2], 0, origin[0],
                       origin[1], origin[2], 1}};
}

/* Cofactors over the determinant, in double. */
bool mrwi_import_inverse(const mrw_mat4 *m, mrw_mat4 *out)
{
    double a[3][3], inverse[3][3];
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            a[c][r] = (double)m->m[4 * c + r];
        }
    }
    double det = 0.0;
    for (int c = 0; c < 3; c++) {
        const double *p = a[(c + 1) % 3], *q = a[(c + 2) % 3];
        for (int r = 0; r < 3; r++) {
            inverse[r][c] = p[(r + 1) % 3] * q[(r + 2) % 3] - p[(r + 2) % 3] * q[(r + 1) % 3];
        }
        det = c == 0 ? (a[0][0] * inverse[0][0] + a[0][1] * inverse[1][0]) + a[0][2] * inverse[2][0]
                     : det;
    }
    *out = mrwi_base_mat4_identity();
    if (!(fabs(det) > 0.0) || !isfinite(1.0 / det)) {
        return false;
    }
    for (int r = 0; r < 3; r++) {
        double moved = 0.0;
        for (int c = 0; c < 3; c++) {
            double value = inverse[c][r] / det;
            out->m[4 * c + r] = (float)value;
            moved += value * (double)m->m[12 + c];
        }
        out->m[12 + r] = (float)-moved;
    }
    return true;
}

/* ---- collecting ------------------------------------------------------------------------------ */

typedef struct tree {
    mrwi_import_state *ai;
    mrwi_import_node *nodes;
    uint32_t capacity;
    struct visit *stack; /* a chain of nodes may be as long as memory: no recursion */
    uint32_t stack_capacity;
    mrwi_scene_table seen; /* nodes by address */
} tree;

/* A node still to be entered. */
typedef struct visit {
    const struct aiNode *node;
    uint32_t listed_by;
} visit;

/* ---- collecting ------------------------------------------------------------------------------ */

static bool grow(tree *t, void *block, uint32_t used, uint32_t *capacity, uint64_t needed,
                 size_t size)
{
    void **place = block;
    if (needed <= *capacity) {
        return true;
    }
    uint64_t wanted = needed + *capacity + 64;
    void *grown =
        wanted < MRW_NONE ? mrwi_base_realloc(*place, used * size, (size_t)wanted, size) : NULL;
    if (!grown) {
        t->ai->status = mrwi_base_fail_memory(t->ai->error, (size_t)wanted * size);
        return false;
    }
    *place = grown;
    *capacity = (uint32_t)wanted;
    return true;
}

typedef struct node_key {
    const tree *tree;
    const struct aiNode *node;
} node_key;

static bool same_node(const void *user, uint32_t index)
{
    const node_key *key = user;
    return key->tree->nodes[index].source == key->node;
}

static uint64_t hash_node(const struct aiNode *node)
{
    return mrwi_scene_hash_word(MRWI_SCENE_HASH_SEED, (uint64_t)(uintptr_t)node);
}

static uint32_t find_node(const tree *t, const struct aiNode *node)
{
    const node_key key = {t, node};
    return mrwi_scene_table_find(&t->seen, hash_node(node), same_node, &key);
}

static bool add_node(tree *t, const struct aiNode *source, uint32_t listed_by)
{
    mrwi_import_state *ai = t->ai;
    uint32_t index = ai->node_count;
    if (!mrwi_import_charge(ai, 1) ||
        !grow(t, &t->nodes, index, &t->capacity, (uint64_t)index + 1, sizeof *t->nodes)) {
        return false;
    }
    mrwi_import_node *node = &t->nodes[ai->node_count++];
    memset(node, 0, sizeof *node);
    node->source = source;
    node->name = mrwi_import_text(&source->mName);
    node->parent = listed_by;
    node->moved_by = MRW_NONE;
    node->to_parent = mrwi_import_matrix(&source->mTransformation);
    return mrwi_scene_table_add(&t->seen, hash_node(source), index) ||
           mrwi_import_ok(ai, mrwi_base_fail_memory(ai->error, 0));
}

static bool push_children(tree *t, const struct aiNode *node, uint32_t index, uint32_t *depth)
{
    uint32_t count = node->mChildren ? node->mNumChildren : 0;
    if (!grow(t, &t->stack, *depth, &t->stack_capacity, (uint64_t)*depth + count,
              sizeof *t->stack)) {
        return false;
    }
    for (uint32_t i = count; i-- > 0;) {
        if (node->mChildren[i]) {
            t->stack[(*depth)++] = (visit){node->mChildren[i], index};
        }
    }
    return true;
}

/* Depth first. A node met again is left where it was met first, so that cycles end. */
static bool collect(tree *t)
{
    uint32_t depth = 1;
    if (!grow(t, &t->stack, 0, &t->stack_capacity, 1, sizeof *t->stack)) {
        return false;
    }
    t->stack[0] = (visit){t->ai->scene->mRootNode, MRW_NONE};
    while (depth > 0) {
        visit v = t->stack[--depth];
        uint32_t index = t->ai->node_count;
        if (find_node(t, v.node) == MRW_NONE &&
            (!add_node(t, v.node, v.listed_by) || !push_children(t, v.node, index, &depth))) {
            return false;
        }
    }
    return true;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Depths by the nodes' own parents; false when those go round in a circle. */
static bool measure_depths(const tree *t, uint32_t *parents, uint32_t *depths)
{
    uint32_t count = t->ai->node_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct aiNode *parent = t->nodes[i].source->mParent;
        uint32_t found = i > 0 && parent ? find_node(t, parent) : MRW_NONE;
        parents[i] = i == 0 ? MRW_NONE : found != MRW_NONE ? found : t->nodes[i].parent;
    }
    for (uint32_t i = 0; i < count; i++) { /* depths[i] is 1 + the depth; 0: not known yet */
        uint32_t steps = 0, n = i;
        for (; n != MRW_NONE && depths[n] == 0 && steps <= count; n = parents[n]) {
            steps++;
        }
        if (steps > count) {
            return false;
        }
        uint32_t depth = (n != MRW_NONE ? depths[n] : 0) + steps;
        for (n = i; n != MRW_NONE && depths[n] == 0; n = parents[n]) {
            depths[n] = depth--;
        }
    }
    return true;
}

typedef struct placed {
    uint32_t depth, index;
} placed;

static int compare_placed(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->depth != y->depth) {
        return x->depth < y->depth ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_ordered(const uint32_t *parents, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (parents[i] != MRW_NONE && parents[i] >= i) {
            return false;
        }
    }
    return true;
}

/* Copies the nodes to ai->nodes, parents first: as collected where that is so already, else by
 * depth. */
static bool order_nodes(tree *t)
{
    mrwi_import_state *ai = t->ai;
    uint32_t count = ai->node_count;
    uint32_t *parents = mrwi_import_scratch(ai, count, sizeof *parents);
    uint32_t *depths = mrwi_import_scratch(ai, count, sizeof *depths);
    uint32_t *place = mrwi_import_scratch(ai, count, sizeof *place);
    placed *order = mrwi_import_scratch(ai, count, sizeof *order);
    ai->nodes = mrwi_import_keep(ai, count, sizeof *ai->nodes);
    if (ai->status != MRW_OK) {
        return false;
    }
    bool own = measure_depths(t, parents, depths);
    for (uint32_t i = 0; i < count; i++) {
        parents[i] = own ? parents[i] : t->nodes[i].parent;
        order[i] = (placed){depths[i], i};
    }
    if (!is_ordered(parents, count)) {
        qsort(order, count, sizeof *order, compare_placed);
    }
    for (uint32_t i = 0; i < count; i++) {
        place[order[i].index] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = order[i].index;
        ai->nodes[i] = t->nodes[from];
        ai->nodes[i].parent = parents[from] != MRW_NONE ? place[parents[from]] : MRW_NONE;
    }
    return true;
}

static void place_nodes(mrwi_import_state *ai)
{
    for (uint32_t i = 0; i < ai->node_count; i++) {
        mrwi_import_node *node = &ai->nodes[i];
        if (node->parent == MRW_NONE) {
            node->to_root = node->to_parent;
        } else {
            mrwi_base_mat4_mul(&ai->nodes[node->parent].to_root, &node->to_parent, &node->to_root);
        }
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const mrwi_import_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : x->node < y->node ? -1 : x->node > y->node;
}

static bool sort_names(mrwi_import_state *ai)
{
    ai->names = mrwi_import_keep(ai, ai->node_count, sizeof *ai->names);
    for (uint32_t i = 0; ai->names && i < ai->node_count; i++) {
        ai->names[i] = (mrwi_import_name){ai->nodes[i].name, i};
    }
    if (ai->names) {
        qsort(ai->names, ai->node_count, sizeof *ai->names, compare_names);
    }
    return ai->names;
}

uint32_t mrwi_import_find_all(const mrwi_import_state *ai, const char *name, uint32_t *first)
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

uint32_t mrwi_import_find(const mrwi_import_state *ai, const char *name)
{
    uint32_t first;
    return name[0] != '\0' && mrwi_import_find_all(ai, name, &first) > 0 ? ai->names[first].node
                                                                         : MRW_NONE;
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool mrwi_import_read_tree(mrwi_import_state *ai)
{
    tree t;
    memset(&t, 0, sizeof t);
    t.ai = ai;
    bool good = collect(&t) && order_nodes(&t) && sort_names(ai);
    mrwi_base_free(t.nodes);
    mrwi_base_free(t.stack);
    mrwi_scene_table_free(&t.seen);
    if (good) {
        place_nodes(ai);
    }
    return good;
}

/* ---- pushing --------------------------------------------------------------------------------- */

static bool push(mrwi_import_state *ai, const char *name, uint32_t parent, const mrw_mat4 *matrix,
                 const float *weights, uint32_t weight_count, uint32_t *index)
{
    mrwi_scene_node_input in;
    memset(&in, 0, sizeof in);
    in.name = name ? mrwi_import_unmarked(ai, name) : NULL;
    in.parent = parent;
    in.is_matrix = true;
    in.matrix = *matrix;
    in.weights = weights;
    in.weight_count = weight_count;
    return mrwi_import_ok(ai, mrwi_scene_builder_node(ai->builder, &in, index, ai->error));
}

/* The node that takes the owner's translation: the chain's own link, or a new one that takes the
 * translation out of *rest. */
static bool push_mover(mrwi_import_state *ai, const mrwi_import_unscale *unscale, uint32_t *parent,
                       mrw_mat4 *rest)
{
    char name[1100];
    mrwi_import_node *owner = &ai->nodes[unscale->owner];
    if (unscale->translation != MRW_NONE) {
        owner->moved_by = ai->nodes[unscale->translation].pushed;
        return true;
    }
    mrw_mat4 move = mrwi_base_mat4_identity();
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

static bool push_helper(mrwi_import_state *ai, mrwi_import_unscale *unscale, uint32_t *parent,
                        mrw_mat4 *rest)
{
    char name[1100];
    mrw_mat4 shrink = mrwi_base_mat4_identity();
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

static bool push_node(mrwi_import_state *ai, uint32_t index, const uint32_t *unscale_above)
{
    mrwi_import_node *node = &ai->nodes[index];
    float *weights;
    uint32_t parent = node->parent != MRW_NONE ? ai->nodes[node->parent].pushed : ai->axes;
    mrw_mat4 rest = node->to_parent;
    mrwi_base_arena_reset(&ai->scratch);
    if (!mrwi_import_rest_weights(ai, node->source, &node->weight_count, &weights)) {
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
static bool push_axes(mrwi_import_state *ai)
{
    static const mrw_mat4 z_up = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1}};
    mrw_mat4 axes = z_up;
    const float *root = ai->nodes[0].to_parent.m;
    float scale = sqrtf(mrwi_base_dot3(root, root));
    ai->unit = scale > 0.0f && isfinite(scale) ? scale : 1.0f;
    if (!mrwi_import_fbx_axes(ai, &axes) && strcmp(ai->job->format, "smd") != 0) {
        return true;
    }
    return push(ai, NULL, MRW_NONE, &axes, NULL, 0, &ai->axes);
}

bool mrwi_import_push_nodes(mrwi_import_state *ai)
{
    uint32_t *unscale_above = NULL;
    if (!mrwi_import_read_tree(ai) || !mrwi_import_fbx_find_unscales(ai, &unscale_above) ||
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
