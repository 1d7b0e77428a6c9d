/* legend.c: what the numbers of passes mean, for programs and for people. */
#include "plan/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/session.h"

static void name_json(mrw_json *json, const char *key, const mrw_scene *scene, uint32_t string)
{
    mrw_json_string(mrw_json_key(json, key), mrw_scene_string(scene, string));
}

static void material_name_json(mrw_json *json, const char *key, const mrw_scene *scene,
                               uint32_t material)
{
    mrw_json_key(json, key);
    material < scene->materials_count
        ? mrw_json_string(json, mrw_scene_string(scene, scene->materials[material].name))
        : mrw_json_null(json);
}

static void model_json(mrw_json *json, const mrw_session *session, uint32_t instance)
{
    char name[MRW_SESSION_NAME_SIZE];
    mrw_session_instance_name(session, instance, name);
    mrw_json_string(mrw_json_key(json, "model"), name);
}

void mrw_plan_legend_draw_json(const mrw_session *session, const mrw_legend_draw *at,
                               mrw_json *json)
{
    const mrw_scene *scene = session->scenes[at->instance];
    mrw_json_uint(mrw_json_key(json, "id"), at->id);
    mrw_json_uint(mrw_json_key(json, "instance"), at->instance);
    model_json(json, session, at->instance);
    name_json(json, "node", scene, scene->nodes[at->node].name);
    mrw_json_uint(mrw_json_key(json, "node_index"), at->node);
    name_json(json, "mesh", scene, scene->meshes[at->mesh].name);
    mrw_json_uint(mrw_json_key(json, "mesh_index"), at->mesh);
    material_name_json(json, "material", scene, at->material);
    mrw_json_uint(mrw_json_key(json, "material_number"), at->material_number);
    name_json(json, "group", scene, scene->nodes[at->group].name);
}

/* Returns true for the first instance of a scene. Materials and joints are listed for it alone. */
static bool is_first(const mrw_session *session, uint32_t instance)
{
    for (uint32_t i = 0; i < instance; i++) {
        if (session->scenes[i] == session->scenes[instance]) {
            return false;
        }
    }
    return true;
}

static void materials_json(const mrw_session *session, mrw_json *json)
{
    uint32_t number = 1;
    mrw_json_open(mrw_json_key(json, "materials"), '[');
    for (uint32_t i = 0; i < session->instance_count; i++) {
        const mrw_scene *scene = session->scenes[i];
        for (uint32_t m = 0; is_first(session, i) && m <= scene->materials_count; m++) {
            mrw_json_open(json, '{');
            mrw_json_uint(mrw_json_key(json, "number"), number++);
            model_json(json, session, i);
            material_name_json(json, "material", scene, m);
            mrw_json_close(json, '}');
        }
    }
    mrw_json_close(json, ']');
}

/* Adds the joints that the pass of joints can contain. */
static void scene_joints_json(const mrw_session *session, uint32_t instance, mrw_json *json)
{
    const mrw_scene *scene = session->scenes[instance];
    bool *is_joint = mrwi_base_alloc_zero((size_t)scene->nodes_count + 1, sizeof *is_joint);
    if (!is_joint) {
        json->text.failed = true;
        return;
    }
    for (uint32_t j = 0; j < scene->joints_count; j++) {
        is_joint[scene->joints[j]] = true;
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        if (is_joint[n]) {
            mrw_json_open(json, '{');
            mrw_json_uint(mrw_json_key(json, "number"), n + 1);
            model_json(json, session, instance);
            name_json(json, "node", scene, scene->nodes[n].name);
            mrw_json_close(json, '}');
        }
    }
    mrwi_base_free(is_joint);
}

void mrw_plan_legend_json(const mrw_session *session, mrw_json *json)
{
    mrw_legend legend;
    if (mrw_frame_legend(session->instances, session->instance_count, session->frame.ids, &legend,
                         NULL) != MRW_OK) {
        json->text.failed = true;
        return;
    }
    mrw_json_open(json, '{');
    mrw_json_open(mrw_json_key(json, "ids"), '[');
    for (uint32_t i = 0; i < legend.draw_count; i++) {
        mrw_json_open(json, '{');
        mrw_plan_legend_draw_json(session, &legend.draws[i], json);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
    materials_json(session, json);
    mrw_json_open(mrw_json_key(json, "joints"), '[');
    for (uint32_t i = 0; i < session->instance_count; i++) {
        if (is_first(session, i)) {
            scene_joints_json(session, i, json);
        }
    }
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
    mrw_legend_free(&legend);
}
