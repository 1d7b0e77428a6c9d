/* ids.c: numbers draws as --id says: each --id numbers a node with everything below it, or a
 * model. */
#include "base/memory.h"
#include "base/text.h"
#include "session/internal.h"

#include <stdio.h>
#include <string.h>

/* Numbers given by --id; 0 if a node or model has none. */
typedef struct numbers {
    uint32_t *of_node;  /* One entry per node of the model. */
    uint32_t *of_model; /* One entry per model: the model, then the models of --add. */
    bool *shown;        /* One entry per node of the model: something is drawn at it or below it. */
} numbers;

/* Returns the number of the nearest numbered node: the draw's own or one above it; 0 if none has
 * one. */
static uint32_t node_number(const numbers *given, const mrw_scene *scene, uint32_t node)
{
    while (node != MRW_NONE && given->of_node[node] == 0) {
        node = scene->nodes[node].parent;
    }
    return node == MRW_NONE ? 0 : given->of_node[node];
}

/* Numbers all nodes whose name equals `name`, or matches it as a pattern, and returns their count.
 * Adds to *shown how many of them are drawn, or have something drawn below them. */
static uint32_t number_nodes(const mrw_scene *scene, const char *name, bool pattern,
                             uint32_t number, numbers *given, uint32_t *shown)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        const char *called = mrw_scene_string(scene, scene->nodes[n].name);
        if (pattern ? mrwi_base_glob(name, called) : strcmp(name, called) == 0) {
            given->of_node[n] = number;
            *shown += given->shown[n];
            count++;
        }
    }
    return count;
}

static uint32_t number_models(const mrw_session *session, const char *name, uint32_t number,
                              numbers *given)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < session->model_count; i++) {
        char called[MRW_SESSION_NAME_SIZE];
        mrw_session_instance_name(session, i, called);
        if (strcmp(name, called) == 0) {
            given->of_model[i] = number;
            count++;
        }
    }
    return count;
}

/* Fails because --id names neither a node nor a model; suggests the nearest names. */
static mrw_status fail_unknown(const mrw_session *session, const char *name, mrw_error *error)
{
    const mrw_scene *scene = session->scenes[0];
    const size_t count = (size_t)scene->nodes_count + session->model_count;
    const char **names = mrwi_base_alloc(count, sizeof *names);
    char(*models)[MRW_SESSION_NAME_SIZE] = mrwi_base_alloc(session->model_count, sizeof *models);
    char text[1024], safe[200];
    mrw_status status;
    if (!names || !models) {
        status = mrwi_base_fail_memory(error, count * sizeof *names);
        goto out;
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        names[n] = mrw_scene_string(scene, scene->nodes[n].name);
    }
    for (uint32_t i = 0; i < session->model_count; i++) {
        mrw_session_instance_name(session, i, models[i]);
        names[scene->nodes_count + i] = models[i];
    }
    snprintf(text, sizeof text, "--id: there is no node or model \"%s\"",
             mrwi_base_escape(name, safe, sizeof safe));
    mrwi_base_suggest(text, sizeof text, name, names, count, false);
    status = mrwi_base_fail(error, MRW_ERROR_INPUT, "%s", text);
    mrwi_session_prefix(error, session->model->path, status);
out:
    mrwi_base_free(names);
    mrwi_base_free(models);
    return status;
}

/* Fails because nothing is drawn at the node or below it. A skinned mesh is drawn at its own node,
 * not at its joints. */
static mrw_status fail_empty(const mrw_session *session, const char *name, mrw_error *error)
{
    const mrw_scene *scene = session->scenes[0];
    char safe[200], other[200];
    mrwi_base_escape(name, safe, sizeof safe);
    if (scene->draws_count == 0) {
        mrwi_base_fail(error, MRW_ERROR_INPUT, "--id: the model draws nothing");
    } else {
        mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "--id: nothing is drawn at \"%s\" or below it; a skinned mesh is numbered by the node "
            "of the mesh, such as \"%s\"",
            safe,
            mrwi_base_escape(mrw_scene_string(scene, scene->nodes[scene->draws[0].node].name),
                             other, sizeof other));
    }
    return mrwi_session_prefix(error, session->model->path, MRW_ERROR_INPUT);
}

/* Gives a number to the nodes of this name, else to the models of this name, else to the node with
 * this index, else to the nodes that match the name as a pattern. */
static mrw_status give(const mrw_session *session, const char *name, uint32_t number,
                       numbers *given, mrw_error *error)
{
    const mrw_scene *scene = session->scenes[0];
    uint32_t shown = 0, node;
    if (number_nodes(scene, name, false, number, given, &shown) == 0) {
        if (number_models(session, name, number, given) > 0) {
            return MRW_OK;
        }
        if (mrwi_session_is_index(name, scene->nodes_count, &node)) {
            given->of_node[node] = number;
            shown = given->shown[node];
        } else if (number_nodes(scene, name, true, number, given, &shown) == 0) {
            return fail_unknown(session, name, error);
        }
    }
    return shown > 0 ? MRW_OK : fail_empty(session, name, error);
}

/* Gives the numbers of all options --id. */
static mrw_status give_all(const mrw_session *session, numbers *given, mrw_error *error)
{
    const mrw_text_list *ids = &session->model->settings->model.ids;
    for (size_t i = 0; i < ids->count; i++) {
        mrw_id_entry entry;
        if (!mrw_id_parse(ids->items[i], &entry)) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "--id: \"%s\" does not have the form NAME=N", ids->items[i]);
        }
        char *name = mrwi_base_alloc(entry.length + 1, 1);
        if (!name) {
            return mrwi_base_fail_memory(error, entry.length + 1);
        }
        memcpy(name, entry.name, entry.length);
        name[entry.length] = '\0';
        mrw_status status = give(session, name, entry.number, given, error);
        mrwi_base_free(name);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Warns if the number of a draw without --id, which is its place, is also given by an --id. */
static void warn_of_equal(const mrw_session *session, const mrw_session_host *host, uint32_t place,
                          uint32_t instance, const mrw_draw *draw)
{
    const mrw_text_list *ids = &session->model->settings->model.ids;
    const mrw_scene *scene = session->scenes[instance];
    for (size_t i = 0; i < ids->count; i++) {
        mrw_id_entry entry;
        if (mrw_id_parse(ids->items[i], &entry) && entry.number == place + 1) {
            char text[512], safe[100], other[100];
            snprintf(text, sizeof text,
                     "--id %s: %u is also the number of \"%s\", which has no --id of its own",
                     mrwi_base_escape(ids->items[i], safe, sizeof safe), place + 1,
                     mrwi_base_escape(mrw_scene_string(scene, scene->nodes[draw->node].name), other,
                                      sizeof other));
            mrwi_session_warn(host, text);
            return;
        }
    }
}

/* Writes the number of each draw; a draw without --id gets its place, from 1. */
static void number_draws(const mrw_session *session, const mrw_session_host *host,
                         const numbers *given, uint32_t *out)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < session->instance_count; i++) {
        const mrw_scene *scene = session->scenes[i];
        const bool added = i > 0 && i < session->model_count; /* copies have the model's numbers */
        const uint32_t of_model = given->of_model[added ? i : 0];
        for (uint32_t d = 0; d < scene->draws_count; d++, place++) {
            const mrw_draw *draw = &scene->draws[d];
            const uint32_t of_node = added ? 0 : node_number(given, scene, draw->node);
            out[place] = of_node ? of_node : of_model ? of_model : place + 1;
            if (!of_node && !of_model) {
                warn_of_equal(session, host, place, i, draw);
            }
        }
    }
}

mrw_status mrwi_session_number_draws(const mrw_session *session, const mrw_session_host *host,
                                     uint32_t **out, mrw_error *error)
{
    const mrw_scene *scene = session->scenes[0];
    const uint32_t nodes = scene->nodes_count;
    size_t count = 0;
    *out = NULL;
    if (session->model->settings->model.ids.count == 0) {
        return MRW_OK;
    }
    for (uint32_t i = 0; i < session->instance_count; i++) {
        count += session->scenes[i]->draws_count;
    }
    numbers given = {mrwi_base_alloc_zero(nodes, sizeof *given.of_node),
                     mrwi_base_alloc_zero(session->model_count, sizeof *given.of_model),
                     mrwi_base_alloc_zero(nodes, sizeof *given.shown)};
    *out = mrwi_base_alloc(count, sizeof **out);
    mrw_status status = MRW_OK;
    if (!given.of_node || !given.of_model || !given.shown || !*out) {
        status = mrwi_base_fail_memory(error, count * sizeof **out);
        goto out;
    }
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        uint32_t node = scene->draws[d].node;
        for (; node != MRW_NONE && !given.shown[node]; node = scene->nodes[node].parent) {
            given.shown[node] = true;
        }
    }
    status = give_all(session, &given, error);
    if (status) {
        goto out;
    }
    number_draws(session, host, &given, *out);
out:
    mrwi_base_free(given.of_node);
    mrwi_base_free(given.of_model);
    mrwi_base_free(given.shown);
    return status;
}
