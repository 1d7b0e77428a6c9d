/* finish.c: makes a scene of everything that a loader pushed: orders nodes, remaps, freezes. */
#include "scene/build.h"

#include "base/text.h"
#include "base/work.h"

#include <stdio.h>
#include <string.h>

/* ---- the order of nodes ---------------------------------------------------------------------- */

typedef struct node_order {
    uint32_t *new_of; /* push index -> final index, MRW_NONE until known */
    uint32_t *old_of; /* final index -> push index */
    uint32_t *path;   /* the ancestors of the current node */
    uint8_t *seen;
    uint32_t count; /* number of ordered nodes */
} node_order;

static mrw_status alloc_order(size_t count, node_order *order, mrw_error *error)
{
    order->new_of = mrwi_base_alloc(count, sizeof *order->new_of);
    order->old_of = mrwi_base_alloc(count, sizeof *order->old_of);
    order->path = mrwi_base_alloc(count, sizeof *order->path);
    order->seen = mrwi_base_alloc_zero(count, 1);
    if (!order->new_of || !order->old_of || !order->path || !order->seen) {
        return mrwi_base_fail_memory(error, count * 13);
    }
    memset(order->new_of, 0xff, count * sizeof *order->new_of);
    return MRW_OK;
}

static void free_order(node_order *order)
{
    mrwi_base_free(order->new_of);
    mrwi_base_free(order->old_of);
    mrwi_base_free(order->path);
    mrwi_base_free(order->seen);
}

/* Orders a node after its ancestors, ordering those first if necessary. */
static mrw_status order_node(const mrwi_scene_draft *draft, node_order *order, uint32_t index,
                             mrw_error *error)
{
    mrwi_scene_label label;
    uint32_t depth = 0;
    for (uint32_t n = index; n != MRW_NONE && order->new_of[n] == MRW_NONE;) {
        if (order->seen[n]) {
            return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: %s is its own ancestor", draft->file,
                                  mrwi_scene_node_label(draft, n, label));
        }
        order->seen[n] = 1;
        order->path[depth++] = n;
        uint32_t parent = MRWI_SCENE_AT(draft, nodes, mrw_node, n).parent;
        if (parent != MRW_NONE && parent >= MRWI_SCENE_COUNT(draft, nodes)) {
            return mrwi_base_fail(
                error, MRW_ERROR_INPUT,
                "%s: %s has node %u as its parent, which does not exist (there are %u)",
                draft->file, mrwi_scene_node_label(draft, n, label), parent,
                MRWI_SCENE_COUNT(draft, nodes));
        }
        n = parent;
    }
    while (depth > 0) {
        uint32_t n = order->path[--depth];
        order->old_of[order->count] = n;
        order->new_of[n] = order->count++;
    }
    return MRW_OK;
}

/* ---- nodes in their order -------------------------------------------------------------------- */

/* Finds the number of weights of nodes: one per target of the meshes they draw. Missing ones are
 * zero. */
static void widen_weights(const mrwi_scene_draft *draft, uint32_t *wanted)
{
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, nodes); i++) {
        wanted[i] = MRWI_SCENE_AT(draft, nodes, mrw_node, i).weight_count;
    }
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, draws); i++) {
        const mrw_draw *draw = &MRWI_SCENE_AT(draft, draws, mrw_draw, i);
        if (draw->node >= MRWI_SCENE_COUNT(draft, nodes) ||
            draw->mesh >= MRWI_SCENE_COUNT(draft, meshes)) {
            continue; /* a message refuses it later */
        }
        uint32_t targets = MRWI_SCENE_AT(draft, meshes, mrw_mesh, draw->mesh).target_count;
        wanted[draw->node] = targets > wanted[draw->node] ? targets : wanted[draw->node];
    }
}

typedef struct node_pools {
    mrwi_scene_pool nodes, matrices, weights;
} node_pools;

static mrw_status place_node(const mrwi_scene_draft *draft, node_pools *pools,
                             const node_order *order, uint32_t old, uint32_t weight_count,
                             mrw_error *error)
{
    mrw_node node = MRWI_SCENE_AT(draft, nodes, mrw_node, old);
    const float *old_weights = MRWI_SCENE_POOL(draft, weights, float) + node.first_weight;
    uint32_t old_count = node.weight_count;
    node.parent = node.parent == MRW_NONE ? MRW_NONE : order->new_of[node.parent];
    node.weight_count = weight_count;
    mrw_status status =
        mrwi_scene_pool_extend(&pools->weights, MRWI_SCENE_SECTION_weights, weight_count,
                               draft->file, &node.first_weight, error);
    if (status) {
        return status;
    }
    float *weights = &MRWI_SCENE_POOL_AT(&pools->weights, float, node.first_weight);
    memset(weights, 0, weight_count * sizeof *weights);
    memcpy(weights, old_weights, old_count * sizeof *weights);
    if (node.matrix != MRW_NONE) {
        const mrw_mat4 *matrix = &MRWI_SCENE_AT(draft, matrices, mrw_mat4, node.matrix);
        node.matrix = pools->matrices.count;
        status = mrwi_scene_pool_push(&pools->matrices, MRWI_SCENE_SECTION_matrices, matrix,
                                      draft->file, error);
    }
    return status ? status
                  : mrwi_scene_pool_push(&pools->nodes, MRWI_SCENE_SECTION_nodes, &node,
                                         draft->file, error);
}

static void replace_pool(mrwi_scene_pool *old, mrwi_scene_pool *new_pool)
{
    mrwi_scene_pool_free(old);
    *old = *new_pool;
    *new_pool = (mrwi_scene_pool){0};
}

static mrw_status place_nodes(mrwi_scene_draft *draft, mrwi_base_arena *scratch,
                              const node_order *order, mrw_error *error)
{
    node_pools pools = {0};
    mrw_status status = MRW_OK;
    mrwi_base_arena_reset(scratch);
    uint32_t *wanted = mrwi_scene_scratch(scratch, order->count, sizeof *wanted, error);
    if (!wanted) {
        return MRW_ERROR_MEMORY;
    }
    widen_weights(draft, wanted);
    for (uint32_t i = 0; i < order->count; i++) {
        status =
            place_node(draft, &pools, order, order->old_of[i], wanted[order->old_of[i]], error);
        if (status) {
            goto out;
        }
    }
    replace_pool(&draft->pools[MRWI_SCENE_SECTION_nodes], &pools.nodes);
    replace_pool(&draft->pools[MRWI_SCENE_SECTION_matrices], &pools.matrices);
    replace_pool(&draft->pools[MRWI_SCENE_SECTION_weights], &pools.weights);
out:
    mrwi_scene_pool_free(&pools.nodes);
    mrwi_scene_pool_free(&pools.matrices);
    mrwi_scene_pool_free(&pools.weights);
    return status;
}

/* ---- what refers to nodes -------------------------------------------------------------------- */

static mrw_status remap(const mrwi_scene_draft *draft, const uint32_t *new_of, uint32_t *node,
                        const char *kind, uint32_t index, mrw_error *error)
{
    if (*node >= MRWI_SCENE_COUNT(draft, nodes)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: %s %u refers to node %u, which does not exist (there are %u)",
                              draft->file, kind, index, *node, MRWI_SCENE_COUNT(draft, nodes));
    }
    *node = new_of[*node];
    return MRW_OK;
}

static mrw_status remap_references(mrwi_scene_draft *draft, const uint32_t *new_of,
                                   mrw_error *error)
{
    mrw_status status = MRW_OK;
    for (uint32_t s = 0; s < MRWI_SCENE_COUNT(draft, skins); s++) {
        const mrw_skin *skin = &MRWI_SCENE_AT(draft, skins, mrw_skin, s);
        uint32_t *joints = MRWI_SCENE_POOL(draft, joints, uint32_t) + skin->first_joint;
        for (uint32_t j = 0; j < skin->joint_count; j++) {
            status = remap(draft, new_of, &joints[j], "skin", s, error);
            if (status) {
                return status;
            }
        }
    }
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, cameras); i++) {
        status = remap(draft, new_of, &MRWI_SCENE_AT(draft, cameras, mrw_scene_camera, i).node,
                       "camera", i, error);
        if (status) {
            return status;
        }
    }
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, lights); i++) {
        status = remap(draft, new_of, &MRWI_SCENE_AT(draft, lights, mrw_scene_light, i).node,
                       "light", i, error);
        if (status) {
            return status;
        }
    }
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, draws); i++) {
        status =
            remap(draft, new_of, &MRWI_SCENE_AT(draft, draws, mrw_draw, i).node, "draw", i, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Sorts the nodes, gives all references to them their new numbers, and finishes the clips. */
static mrw_status finish_nodes(mrwi_scene_draft *draft, mrwi_scene_warnings *warnings,
                               mrwi_base_arena *scratch, mrw_error *error)
{
    node_order order = {0};
    mrw_status status = alloc_order(MRWI_SCENE_COUNT(draft, nodes), &order, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, nodes); i++) {
        status = order_node(draft, &order, i, error);
        if (status) {
            goto out;
        }
    }
    status = place_nodes(draft, scratch, &order, error);
    if (status) {
        goto out;
    }
    status = remap_references(draft, order.new_of, error);
    if (status) {
        goto out;
    }
    status = mrwi_scene_finish_clips(draft, warnings, scratch, order.new_of, error);
out:
    free_order(&order);
    return status;
}

/* ---- strings and freezing -------------------------------------------------------------------- */

static mrw_status append_text(mrwi_scene_draft *draft, const char *text, size_t size,
                              uint32_t *offset, mrw_error *error)
{
    mrwi_scene_pool *pool = &draft->names.text;
    mrw_status status =
        mrwi_scene_pool_extend(pool, MRWI_SCENE_SECTION_strings, size, draft->file, offset, error);
    if (status) {
        return status;
    }
    if (size > 0) {
        memcpy((char *)pool->data + *offset, text, size);
    }
    return MRW_OK;
}

/* Adds the strings that are not hashed, which come last: the format's name and the warnings. */
static mrw_status finish_strings(mrwi_scene_draft *draft, mrwi_scene_warnings *warnings,
                                 const char *format, mrwi_scene_blob_header *header,
                                 mrw_error *error)
{
    if (warnings->left_out > 0) {
        char text[64];
        snprintf(text, sizeof text, "%u more warnings were left out", warnings->left_out);
        mrwi_scene_add_warning(warnings, text);
    }
    uint32_t base;
    const mrwi_scene_pool *texts = &warnings->texts.text;
    header->hashed_strings = draft->names.text.count;
    mrw_status status = append_text(draft, format, strlen(format) + 1, &header->format, error);
    if (status) {
        return status;
    }
    status = append_text(draft, texts->data, texts->count, &base, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < warnings->offsets.count; i++) {
        MRWI_SCENE_POOL_AT(&warnings->offsets, uint32_t, i) += base;
    }
    replace_pool(&draft->pools[MRWI_SCENE_SECTION_warnings], &warnings->offsets);
    replace_pool(&draft->pools[MRWI_SCENE_SECTION_strings], &draft->names.text);
    return MRW_OK;
}

/* Copies the texels of all images and frees each. */
static void fill_texels(const mrwi_scene_draft *draft, mrwi_scene_picture *pictures, char *place)
{
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, images); i++) {
        const mrw_image_info *image = &MRWI_SCENE_AT(draft, images, mrw_image_info, i);
        if (pictures[i].rgba) {
            memcpy(place + (size_t)image->first_texel * 4, pictures[i].rgba,
                   (size_t)mrwi_scene_image_texels(image, pictures[i].rgba) * 4);
        }
        mrwi_base_free(pictures[i].rgba);
        pictures[i].rgba = NULL;
    }
}

/* Copies a pool and frees it. The pages that have been copied are given back on the way, so that a
 * large section does not take its memory twice. */
static void move_pool(mrwi_scene_pool *pool, size_t size, char *place)
{
    const size_t step = (size_t)8 << 20; /* a multiple of huge pages, which would be split */
    for (size_t at = 0, count; at < size; at += count) {
        char *from = (char *)pool->data + at;
        count = step - (uintptr_t)from % step;
        count = count < size - at ? count : size - at;
        memcpy(place + at, from, count);
        if (size > step) {
            mrwi_base_release(from, count);
        }
    }
    mrwi_scene_pool_free(pool);
}

/* Copies the pools into one block, with zeros between, and frees each. */
static void fill_blob(mrwi_scene_draft *draft, mrwi_scene_picture *pictures,
                      const mrwi_scene_blob_header *header, char *blob)
{
    memcpy(blob, header, sizeof *header);
    fill_texels(draft, pictures, blob + header->sections[MRWI_SCENE_SECTION_texels].offset);
    uint64_t end = sizeof *header;
    for (int s = 0; s < MRWI_SCENE_SECTION_COUNT; s++) {
        const mrwi_scene_blob_section *section = &header->sections[s];
        memset(blob + end, 0, (size_t)(section->offset - end));
        uint64_t size = section->count * mrwi_scene_sections[s].entry_size;
        move_pool(&draft->pools[s], s != MRWI_SCENE_SECTION_texels ? (size_t)size : 0,
                  blob + section->offset);
        end = section->offset + size;
    }
    memset(blob + end, 0, (size_t)(header->size - end));
}

static mrw_status freeze(mrwi_scene_draft *draft, mrwi_scene_picture *pictures,
                         mrwi_scene_blob_header *header, mrw_scene **out, mrw_error *error)
{
    for (int s = 0; s < MRWI_SCENE_SECTION_COUNT; s++) {
        header->sections[s].count = draft->pools[s].count;
    }
    if (!mrwi_scene_blob_layout(header)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: the model is too large", draft->file);
    }
    char *blob = mrwi_base_alloc((size_t)header->size, 1);
    if (!blob) {
        return mrwi_base_fail_memory(error, (size_t)header->size);
    }
    fill_blob(draft, pictures, header, blob);
    mrw_error reason = {0};
    mrw_status status = mrwi_scene_from_blob(blob, header->size, draft->file, out, &reason);
    if (!status) {
        return MRW_OK;
    }
    mrwi_base_free(blob);
    /* A builder that makes a scene the validation refuses is a bug, not a bad file. */
    if (status == MRW_ERROR_INPUT) {
        return mrwi_base_fail(error, MRW_ERROR_INTERNAL, "%s (after loading)", reason.text);
    }
    return mrwi_base_fail(error, status, "%s", reason.text);
}

mrw_status mrwi_scene_builder_finish(mrwi_scene_builder *b, mrw_scene **out, mrw_error *error)
{
    mrwi_scene_draft *draft = &b->draft;
    *out = NULL;
    mrw_status status = mrwi_base_work_check(draft->file, error);
    if (status) {
        return status;
    }
    status = b->failed ? b->failed : b->warnings.failed;
    if (status) {
        return mrwi_base_fail(error, status, "%s: an earlier step of the loading failed",
                              draft->file);
    }
    mrwi_scene_blob_header header;
    mrwi_scene_blob_header_init(&header);
    mrwi_base_arena_free(&b->scratch); /* large meshes leave much of it */
    status = finish_nodes(draft, &b->warnings, &b->scratch, error);
    if (status) {
        goto out;
    }
    status = mrwi_scene_finish_materials(draft, &b->materials, &b->scratch, error);
    if (status) {
        goto out;
    }
    status = mrwi_scene_finish_alpha(draft, b->materials.pictures, &b->scratch, error);
    if (status) {
        goto out;
    }
    status = mrwi_scene_finish_draws(draft, b->mesh_joints.data, &b->scratch, error);
    if (status) {
        goto out;
    }
    status = mrwi_scene_finish_scales(draft, error);
    if (status) {
        goto out;
    }
    status = finish_strings(draft, &b->warnings, b->format, &header, error);
    if (status) {
        goto out;
    }
    if (b->warnings.failed) { /* a warning found no memory */
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    status = freeze(draft, b->materials.pictures, &header, out, error);
out:
    b->failed = MRW_ERROR_INTERNAL; /* used up */
    return status;
}
