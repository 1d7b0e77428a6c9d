/* tree.c: the node tree: makes an array, parents first, with names to search; then pushes it.
 *
 * Children are found by the lists of their parents. If a node's own pointer names another parent,
 * that one counts: the bones of HL1 MDL files are all listed by one node. */
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

/* Inverts by cofactors over the determinant, in double. */
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

/* A node that has yet to be entered. */
typedef struct visit {
    const struct aiNode *node;
    uint32_t listed_by;
} visit;

/* The nodes found so far, in order. */
typedef struct collection {
    mrwi_import_node *nodes;
    uint32_t count, capacity;
    mrwi_scene_table seen; /* nodes by address */
} collection;

/* A stack instead of recursion: a chain of nodes may be as long as memory. */
typedef struct visits {
    visit *list;
    uint32_t count, capacity;
} visits;

static bool grow(void *block, uint32_t used, uint32_t *capacity, uint64_t needed, size_t size,
                 mrwi_import_resources *res)
{
    void **place = block;
    if (needed <= *capacity) {
        return true;
    }
    uint64_t wanted = needed + *capacity + 64;
    void *grown =
        wanted < MRW_NONE ? mrwi_base_realloc(*place, used * size, (size_t)wanted, size) : NULL;
    if (!grown) {
        res->status = mrwi_base_fail_memory(res->error, (size_t)wanted * size);
        return false;
    }
    *place = grown;
    *capacity = (uint32_t)wanted;
    return true;
}

typedef struct node_key {
    const mrwi_import_node *nodes;
    const struct aiNode *node;
} node_key;

static bool same_node(const void *user, uint32_t index)
{
    const node_key *key = user;
    return key->nodes[index].source == key->node;
}

static uint64_t hash_node(const struct aiNode *node)
{
    return mrwi_scene_hash_word(MRWI_SCENE_HASH_SEED, (uint64_t)(uintptr_t)node);
}

static uint32_t find_node(const collection *met, const struct aiNode *node)
{
    const node_key key = {met->nodes, node};
    return mrwi_scene_table_find(&met->seen, hash_node(node), same_node, &key);
}

static bool add_node(collection *met, const visit *v, mrwi_import_resources *res)
{
    uint32_t index = met->count;
    if (!mrwi_import_charge(res, 1) ||
        !grow(&met->nodes, index, &met->capacity, (uint64_t)index + 1, sizeof *met->nodes, res)) {
        return false;
    }
    mrwi_import_node *node = &met->nodes[met->count++];
    memset(node, 0, sizeof *node);
    node->source = v->node;
    node->name = mrwi_import_text(&v->node->mName);
    node->parent = v->listed_by;
    node->moved_by = MRW_NONE;
    node->to_parent = mrwi_import_matrix(&v->node->mTransformation);
    return mrwi_scene_table_add(&met->seen, hash_node(v->node), index) ||
           mrwi_import_ok(res, mrwi_base_fail_memory(res->error, 0));
}

static bool push_children(visits *open, const struct aiNode *node, uint32_t index,
                          mrwi_import_resources *res)
{
    uint32_t count = node->mChildren ? node->mNumChildren : 0;
    if (!grow(&open->list, open->count, &open->capacity, (uint64_t)open->count + count,
              sizeof *open->list, res)) {
        return false;
    }
    for (uint32_t i = count; i-- > 0;) {
        if (node->mChildren[i]) {
            open->list[open->count++] = (visit){node->mChildren[i], index};
        }
    }
    return true;
}

/* Collects nodes depth first. A node that appears again keeps its first place, so cycles end. */
static bool collect(const struct aiNode *root, collection *met, mrwi_import_resources *res)
{
    visits open = {NULL, 0, 0};
    bool good = grow(&open.list, 0, &open.capacity, 1, sizeof *open.list, res);
    if (good) {
        open.list[open.count++] = (visit){root, MRW_NONE};
    }
    while (good && open.count > 0) {
        const visit v = open.list[--open.count];
        uint32_t index = met->count;
        good = find_node(met, v.node) != MRW_NONE ||
               (add_node(met, &v, res) && push_children(&open, v.node, index, res));
    }
    mrwi_base_free(open.list);
    return good;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Measures depths by the nodes' own parents. Returns false if those form a cycle. */
static bool measure_depths(const collection *met, uint32_t *parents, uint32_t *depths)
{
    uint32_t count = met->count;
    for (uint32_t i = 0; i < count; i++) {
        const struct aiNode *parent = met->nodes[i].source->mParent;
        uint32_t found = i > 0 && parent ? find_node(met, parent) : MRW_NONE;
        parents[i] = i == 0 ? MRW_NONE : found != MRW_NONE ? found : met->nodes[i].parent;
    }
    for (uint32_t i = 0; i < count; i++) { /* depths[i] is 1 + the depth; 0 while it is unknown */
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

/* Copies the nodes to the tree, parents first: in the collected order if that is so already, else
 * by depth. */
static bool order_nodes(const collection *met, mrwi_import_resources *res, mrwi_import_tree *tree)
{
    uint32_t count = met->count;
    uint32_t *parents = mrwi_import_scratch(res, count, sizeof *parents);
    uint32_t *depths = mrwi_import_scratch(res, count, sizeof *depths);
    uint32_t *place = mrwi_import_scratch(res, count, sizeof *place);
    placed *order = mrwi_import_scratch(res, count, sizeof *order);
    tree->node_count = count;
    tree->nodes = mrwi_import_keep(res, count, sizeof *tree->nodes);
    if (res->status) {
        return false;
    }
    bool own = measure_depths(met, parents, depths);
    for (uint32_t i = 0; i < count; i++) {
        parents[i] = own ? parents[i] : met->nodes[i].parent;
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
        tree->nodes[i] = met->nodes[from];
        tree->nodes[i].parent = parents[from] != MRW_NONE ? place[parents[from]] : MRW_NONE;
    }
    return true;
}

static void place_nodes(mrwi_import_node *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mrwi_import_node *node = &nodes[i];
        if (node->parent == MRW_NONE) {
            node->to_root = node->to_parent;
        } else {
            mrwi_base_mat4_mul(&nodes[node->parent].to_root, &node->to_parent, &node->to_root);
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

static mrwi_import_name *sort_names(const mrwi_import_node *nodes, uint32_t count,
                                    mrwi_import_resources *res)
{
    mrwi_import_name *names = mrwi_import_keep(res, count, sizeof *names);
    for (uint32_t i = 0; names && i < count; i++) {
        names[i] = (mrwi_import_name){nodes[i].name, i};
    }
    if (names) {
        qsort(names, count, sizeof *names, compare_names);
    }
    return names;
}

uint32_t mrwi_import_find_all(const mrwi_import_tree *tree, const char *name, uint32_t *first)
{
    uint32_t low = 0, high = tree->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(tree->names[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *first = low;
    uint32_t end = low;
    while (end < tree->node_count && strcmp(tree->names[end].name, name) == 0) {
        end++;
    }
    return end - low;
}

uint32_t mrwi_import_find(const mrwi_import_tree *tree, const char *name)
{
    uint32_t first;
    return name[0] != '\0' && mrwi_import_find_all(tree, name, &first) > 0 ? tree->names[first].node
                                                                           : MRW_NONE;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool read_tree(mrwi_import_tree *tree, mrwi_import_resources *res)
{
    collection met;
    memset(&met, 0, sizeof met);
    bool good = collect(tree->source->scene->mRootNode, &met, res) && order_nodes(&met, res, tree);
    mrwi_base_free(met.nodes);
    mrwi_scene_table_free(&met.seen);
    if (good) {
        place_nodes(tree->nodes, tree->node_count);
        tree->names = sort_names(tree->nodes, tree->node_count, res);
    }
    return good && tree->names;
}

/* ---- pushing --------------------------------------------------------------------------------- */

bool mrwi_import_push_node(const mrwi_import_source *source, const mrwi_scene_node_input *in,
                           mrwi_import_resources *res, mrwi_scene_builder *builder, uint32_t *index)
{
    mrwi_scene_node_input node = *in;
    node.name = in->name ? mrwi_import_unmarked(source, in->name, res) : NULL;
    node.is_matrix = true;
    return mrwi_import_ok(res, mrwi_scene_builder_node(builder, &node, index, res->error));
}

/* Returns the node that takes the owner's translation: the chain's own link, or a new one that
 * takes the translation out of *rest. */
static bool push_mover(const mrwi_import_unscale *unscale, mrwi_import_tree *tree,
                       mrwi_import_resources *res, mrwi_scene_builder *builder, uint32_t *parent,
                       mrw_mat4 *rest)
{
    char name[1100];
    mrwi_import_node *owner = &tree->nodes[unscale->owner];
    if (unscale->translation != MRW_NONE) {
        owner->moved_by = tree->nodes[unscale->translation].pushed;
        return true;
    }
    mrwi_scene_node_input move = {
        .name = name, .parent = *parent, .matrix = mrwi_base_mat4_identity()};
    if (unscale->before == unscale->owner) {
        memcpy(move.matrix.m + 12, rest->m + 12, 3 * sizeof *rest->m);
        memset(rest->m + 12, 0, 3 * sizeof *rest->m);
    }
    snprintf(name, sizeof name, "%s:translation", owner->name);
    if (!mrwi_import_push_node(tree->source, &move, res, builder, &owner->moved_by)) {
        return false;
    }
    *parent = owner->moved_by;
    return true;
}

static bool push_helper(mrwi_import_unscale *unscale, mrwi_import_tree *tree,
                        mrwi_import_resources *res, mrwi_scene_builder *builder, uint32_t *parent,
                        mrw_mat4 *rest)
{
    char name[1100];
    snprintf(name, sizeof name, "%s:unscale", tree->nodes[unscale->owner].name);
    if (!push_mover(unscale, tree, res, builder, parent, rest)) {
        return false;
    }
    mrwi_scene_node_input shrink = {
        .name = name, .parent = *parent, .matrix = mrwi_base_mat4_identity()};
    for (int c = 0; c < 3; c++) {
        shrink.matrix.m[5 * c] = 1.0f / unscale->rest[c];
    }
    if (!mrwi_import_push_node(tree->source, &shrink, res, builder, &unscale->helper)) {
        return false;
    }
    *parent = unscale->helper;
    return true;
}

/* Pushes a node. unscale: the entry whose helper goes above the node, or NULL. */
static bool push_node(mrwi_import_tree *tree, mrwi_import_node *node, mrwi_import_unscale *unscale,
                      mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    float *weights;
    uint32_t parent = node->parent != MRW_NONE ? tree->nodes[node->parent].pushed : tree->axes;
    mrw_mat4 rest = node->to_parent;
    mrwi_base_arena_reset(&res->scratch);
    if (!mrwi_import_rest_weights(tree->source, node->source, res, &node->weight_count, &weights)) {
        return false;
    }
    if (unscale && !push_helper(unscale, tree, res, builder, &parent, &rest)) {
        return false;
    }
    const mrwi_scene_node_input in = {
        .name = node->name,
        .parent = parent,
        .matrix = rest,
        .weights = weights,
        .weight_count = node->weight_count,
        .flags = mrwi_import_visibility_flags(&tree->source->extras.visibility, node->name)};
    if (!mrwi_import_push_node(tree->source, &in, res, builder, &node->pushed)) {
        return false;
    }
    if (node->moved_by == MRW_NONE) {
        node->moved_by = node->pushed;
    }
    return true;
}

/* Pushes axes and unit of the file as a node above all others. Most formats need none, because
 * assimp turns and scales the root itself; SMD, the Source engine's, has Z up, and assimp does not
 * change that. */
static bool push_axes(mrwi_import_tree *tree, mrwi_import_resources *res,
                      mrwi_scene_builder *builder)
{
    static const mrw_mat4 z_up = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1}};
    mrwi_scene_node_input in = {.parent = MRW_NONE, .matrix = z_up};
    const float *root = tree->nodes[0].to_parent.m;
    float scale = sqrtf(mrwi_base_dot3(root, root));
    tree->unit = scale > 0.0f && isfinite(scale) ? scale : 1.0f;
    if (!mrwi_import_fbx_axes(tree->source, builder, &tree->unit, &in.matrix) &&
        strcmp(tree->source->job->format, "smd") != 0) {
        return true;
    }
    return mrwi_import_push_node(tree->source, &in, res, builder, &tree->axes);
}

bool mrwi_import_push_tree(const mrwi_import_source *source, mrwi_import_resources *res,
                           mrwi_scene_builder *builder, mrwi_import_tree *out)
{
    uint32_t *unscale_above = NULL;
    *out = (mrwi_import_tree){.source = source, .axes = MRW_NONE};
    if (!read_tree(out, res) || !mrwi_import_fbx_find_unscales(out, res, &unscale_above) ||
        !push_axes(out, res, builder)) {
        return false;
    }
    for (uint32_t i = 0; i < out->node_count; i++) {
        mrwi_import_unscale *unscale =
            unscale_above[i] != MRW_NONE ? &out->unscales[unscale_above[i]] : NULL;
        if (!push_node(out, &out->nodes[i], unscale, res, builder)) {
            return false;
        }
    }
    return true;
}
