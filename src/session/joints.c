/* joints.c: lists the joints of all models of a session and finds the box around its meshes. */
#include "session/joints.h"

#include "base/text.h"
#include "session/internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- list of joints -------------------------------------------------------------------------- */

void mrw_session_instance_name(const mrw_session *session, uint32_t instance,
                               char out[MRW_SESSION_NAME_SIZE])
{
    if (instance == 0 || instance >= session->model_count) {
        memcpy(out, session->model->name, MRW_SESSION_NAME_SIZE);
        return;
    }
    const char *text = session->model->settings->model.added.items[instance - 1];
    mrwi_session_reading reading;
    mrwi_session_split_added(text, &reading, NULL); /* cannot fail: the text has been split before
                                                     */
    mrw_session_name(reading.path, out);
}

/* Lists the joints of one model. marks: work memory, one byte per node. */
static mrw_status list_joints(const mrw_session *session, uint32_t instance, uint8_t *marks,
                              mrwi_base_arena *arena, mrwi_session_joints *out, mrw_error *error)
{
    const mrw_scene *scene = session->scenes[instance];
    char model[MRW_SESSION_NAME_SIZE];
    memset(marks, scene->skins_count == 0, scene->nodes_count);
    for (uint32_t i = 0; i < scene->joints_count; i++) {
        marks[scene->joints[i]] = 1;
    }
    mrw_session_instance_name(session, instance, model);
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        const char *name = mrw_scene_string(scene, scene->nodes[n].name);
        if (!marks[n]) {
            continue;
        }
        if (instance > 0) {
            name = mrwi_base_format(arena, "%s/%s", model, name);
        }
        if (!name) {
            return mrwi_base_fail_memory(error, sizeof model + 8);
        }
        out->items[out->count++] = (mrwi_session_joint){name, instance, n};
    }
    return MRW_OK;
}

mrw_status mrwi_session_joints_list(const mrw_session *session, mrwi_base_arena *arena,
                                    mrwi_session_joints *out, mrw_error *error)
{
    uint32_t count = 0, most_nodes = 0;
    for (uint32_t i = 0; i < session->model_count; i++) {
        uint32_t nodes = session->scenes[i]->nodes_count;
        most_nodes = nodes > most_nodes ? nodes : most_nodes;
        count += nodes;
    }
    uint8_t *marks = mrwi_base_arena_alloc(arena, most_nodes, 1);
    *out = (mrwi_session_joints){.items = mrwi_base_arena_alloc(arena, count, sizeof *out->items)};
    if (!marks || !out->items) {
        return mrwi_base_fail_memory(error, count);
    }
    for (uint32_t i = 0; i < session->model_count; i++) {
        mrw_status status = list_joints(session, i, marks, arena, out, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* ---- one frame ------------------------------------------------------------------------------- */

void mrwi_session_joint_to_world(const mrw_posed_instance *posed, const mrwi_session_joint *joint,
                                 float columns[12])
{
    const float *m = posed[joint->instance].node_to_world[joint->node].m;
    for (int c = 0; c < 4; c++) {
        memcpy(columns + 3 * c, m + 4 * c, 3 * sizeof(float));
    }
}

static void grow_box(bool any, const float *positions, uint32_t count, float min[3], float max[3])
{
    for (uint32_t v = 0; v < count; v++) {
        for (int i = 0; i < 3; i++) {
            float x = positions[4 * (size_t)v + (size_t)i];
            min[i] = !any || x < min[i] ? x : min[i];
            max[i] = !any || x > max[i] ? x : max[i];
        }
        any = true;
    }
}

bool mrwi_session_box(const mrw_session *session, uint32_t instance_count,
                      const mrw_posed_instance *posed, float min[3], float max[3])
{
    bool any = false;
    memset(min, 0, 3 * sizeof(float));
    memset(max, 0, 3 * sizeof(float));
    for (uint32_t i = 0; i < instance_count; i++) {
        const mrw_scene *scene = session->scenes[i];
        for (uint32_t d = 0; d < scene->draws_count; d++) {
            const mrw_posed_draw *draw = &posed[i].draws[d];
            if (scene->meshes[scene->draws[d].mesh].triangle_count > 0) {
                grow_box(any, draw->positions, draw->vertex_count, min, max);
                any = any || draw->vertex_count > 0;
            }
        }
    }
    return any;
}
