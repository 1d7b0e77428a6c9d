/* ids.c: the numbers that --id gives draws: those of a node and of what hangs below it, or of a
 * model. */
#include "base/memory.h"
#include "base/text.h"
#include "session/internal.h"

#include <stdio.h>
#include <string.h>

/* What is known of names: 0 where none was given. */
typedef struct numbers {
    uint32_t *of_node;  /* one a node of the model */
    uint32_t *of_model; /* one a model: it, then those of --add */
    bool *shown;        /* one a node of the model: something is drawn there or below it */
} numbers;

/* The number of the draw's node, or of the nearest one above it that has any. */
static uint32_t node_number(const numbers *given, const mrw_scene *scene, uint32_t node)
{
    while (node != MRW_NONE && given->of_node[node] == 0) {
        node = scene->nodes[node].parent;
    }
    return node == MRW_NONE ? 0 : given->of_node[node];
}

/* Marks the nodes at which, or below which, something is drawn. */
static void mark_shown(const mrw_scene *scene, bool *shown)
{
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        uint32_t node = scene->draws[d].node;
        for (; node != MRW_NONE && !shown[node]; node = scene->nodes[node].parent) {
            shown[node] = true;
        }
    }
}

/* Numbers all nodes that a name, else a pattern matches, and returns their count; *shown: of those
 * below which something is drawn. */
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

static mrw_status fail_unknown(const mrw_session *session, const char *name, mrw_error *error)
{
    const mrw_scene *scene = session->scenes[0];
    const size_t count = (size_t)scene->nodes_count + session->model_count;
    const char **names = mrwi_base_alloc(count, sizeof *names);
    char(*models)[MRW_SESSION_NAME_SIZE] = mrwi_base_alloc(session->model_count, sizeof *models);
    char text[1024], safe[200];
    mrw_status status = mrwi_base_fail_memory(error, count * sizeof *names);
    if (names && models) {
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
        status = mrwi_session_prefix(error, session->model->path, status);
    }
    mrwi_base_free(names);
    mrwi_base_free(models);
    return status;
}

/* Skins are where their meshes hang, not where their joints are. */
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

/* A node's name, else the name of a model, else the place of a node, else a pattern. */
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

static mrw_status give_all(const mrw_session *session, numbers *given, mrw_error *error)
{
    const mrw_text_list *ids = &session->model->settings->model.ids;
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < ids->count && status == MRW_OK; i++) {
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
        status = give(session, name, entry.number, given, error);
        mrwi_base_free(name);
    }
    return status;
}

/* Two draws with one number are told apart no more: where that was not asked for it is said. */
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

/* Draws without a number keep their place. */
static void number_draws(const mrw_session *session, const mrw_session_host *host,
                         const numbers *given, uint32_t *out)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < session->instance_count; i++) {
        const mrw_scene *scene = session->scenes[i];
        const bool added = i > 0 && i < session->model_count; /* copies are the model's */
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
    const uint32_t nodes = session->scenes[0]->nodes_count;
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
    mrw_status status = given.of_node && given.of_model && given.shown && *out
                            ? MRW_OK
                            : mrwi_base_fail_memory(error, count * sizeof **out);
    if (status == MRW_OK) {
        mark_shown(session->scenes[0], given.shown);
        status = give_all(session, &given, error);
    }
    if (status == MRW_OK) {
        number_draws(session, host, &given, *out);
    }
    mrwi_base_free(given.of_node);
    mrwi_base_free(given.of_model);
    mrwi_base_free(given.shown);
    return status;
}
