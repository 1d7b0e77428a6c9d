/* lights.c: takes the lights of --light from settings and finds their nodes. */
#include "base/memory.h"
#include "base/text.h"
#include "session/internal.h"

#include <stdlib.h>
#include <string.h>

/* A node and its name. Sorted by name, so that thousands of lights find theirs quickly among
 * thousands of nodes. */
typedef struct named_node {
    const char *name;
    uint32_t node;
} named_node;

static int by_name(const void *left, const void *right)
{
    const named_node *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->node > b->node) - (a->node < b->node);
}

/* Finds the first node of this name in the sorted nodes. Falls back on mrw_session_find_node, which
 * finds the same one and also knows numbers and patterns. */
static mrw_status find_node(const mrw_session_model *model, const named_node *nodes,
                            const char *name, uint32_t *out, mrw_error *error)
{
    uint32_t from = 0, to = model->scene->nodes_count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (strcmp(nodes[middle].name, name) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    if (from < model->scene->nodes_count && strcmp(nodes[from].name, name) == 0) {
        *out = nodes[from].node;
        return MRW_OK;
    }
    return mrw_session_find_node(model, name, out, error);
}

mrw_status mrwi_session_lights(const mrw_session_model *model, mrw_light_def **out,
                               mrw_error *error)
{
    const mrw_light_settings *asked = &model->settings->lights;
    const mrw_scene *scene = model->scene;
    named_node *nodes = mrwi_base_alloc(scene->nodes_count, sizeof *nodes);
    mrw_status status = MRW_OK;
    *out = mrwi_base_alloc(asked->count, sizeof **out);
    if (!nodes || !*out) {
        status = mrwi_base_fail_memory(error, asked->count * sizeof **out);
        goto out;
    }
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        nodes[i] = (named_node){mrw_scene_string(scene, scene->nodes[i].name), i};
    }
    qsort(nodes, scene->nodes_count, sizeof *nodes, by_name);
    for (size_t i = 0; i < asked->count; i++) {
        (*out)[i] = mrw_session_light_def(&asked->items[i]);
        if (asked->items[i].node) {
            status = find_node(model, nodes, asked->items[i].node, &(*out)[i].node, error);
            if (status) {
                goto out;
            }
        }
    }
out:
    mrwi_base_free(nodes);
    return status;
}
