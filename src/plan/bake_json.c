/* bake_json.c: measured meshes and joints as JSON: what `marrow bake` answers. */
#include "marrow/session.h"
#include "plan/internal.h"

#include <math.h>

/* Opens the object of a picture: "schema", "model", "clip". */
static void open_json(const mrw_session_model *model, const mrw_picture *at, mrw_json *json)
{
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "schema"), 1);
    mrw_json_string(mrw_json_key(json, "model"), model->path);
    mrw_json_string(mrw_json_key(json, "clip"),
                    at->clip == MRW_NONE ? NULL : mrw_session_clip_name(model, at->clip));
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Adds "aabb_min", "aabb_max", "area" and "area_centroid". */
static void measure_json(const mrw_bake_measure *measure, mrw_json *json)
{
    double centroid[3];
    mrw_json_key(json, "aabb_min");
    measure->any ? mrw_json_floats(json, measure->aabb_min, 3) : mrw_json_null(json);
    mrw_json_key(json, "aabb_max");
    measure->any ? mrw_json_floats(json, measure->aabb_max, 3) : mrw_json_null(json);
    mrw_json_double(mrw_json_key(json, "area"), measure->area);
    mrw_json_key(json, "area_centroid");
    mrw_bake_centroid(measure, centroid) ? mrw_json_doubles(json, centroid, 3)
                                         : mrw_json_null(json);
}

static void mesh_json(const mrw_scene *scene, const mrw_bake_mesh *baked, mrw_json *json)
{
    const mrw_draw *draw = &scene->draws[baked->draw];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    mrw_json_open(json, '{');
    mrw_json_string(mrw_json_key(json, "node"),
                    mrw_scene_string(scene, scene->nodes[draw->node].name));
    mrw_json_string(mrw_json_key(json, "mesh"), mrw_scene_string(scene, mesh->name));
    mrw_json_string(mrw_json_key(json, "material"),
                    mesh->material == MRW_NONE
                        ? NULL
                        : mrw_scene_string(scene, scene->materials[mesh->material].name));
    mrw_json_bool(mrw_json_key(json, "skinned"), draw->skin != MRW_NONE);
    mrw_json_uint(mrw_json_key(json, "vertices"), mesh->vertex_count);
    mrw_json_uint(mrw_json_key(json, "triangles"), mesh->triangle_count);
    measure_json(&baked->measure, json);
    mrw_json_close(json, '}');
}

void mrw_plan_meshes_json(const mrw_session_model *model, const mrw_picture *picture,
                          const mrw_bake_meshes *meshes, mrw_json *json)
{
    open_json(model, picture, json);
    mrw_json_double(mrw_json_key(json, "time"), picture->time);
    mrw_json_string(mrw_json_key(json, "up"), "Y");
    mrw_json_open(mrw_json_key(json, "meshes"), '[');
    for (uint32_t i = 0; i < meshes->count; i++) {
        if (!meshes->items[i].bones) { /* a bare skeleton has no meshes */
            mesh_json(model->scene, &meshes->items[i], json);
        }
    }
    mrw_json_close(json, ']');
    measure_json(&meshes->total, json);
    mrw_json_close(json, '}');
    mrw_json_line(json);
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void number_json(mrw_json *json, const char *key, bool known, double value)
{
    mrw_json_key(json, key);
    known ? mrw_json_double(json, value) : mrw_json_null(json);
}

/* Adds the matrices of a joint by its index in the scene's joints; MRW_NONE, the index of a node
 * outside skins, gives nulls. */
static void skinning_json(const mrw_scene *scene, const mrw_bake_joints *joints, uint32_t joint,
                          mrw_json *json)
{
    mrw_json_key(json, "offset");
    joint == MRW_NONE ? mrw_json_null(json)
                      : mrw_json_floats(json, scene->geometry_to_joint[joint].m, 16);
    mrw_json_key(json, "final");
    joint == MRW_NONE ? mrw_json_null(json)
                      : mrw_json_floats(json, joints->geometry_to_world[joint].m, 16);
}

static void joint_json(const mrw_scene *scene, const mrw_bake_joints *joints,
                       const mrw_bake_joint *joint, mrw_json *json)
{
    const mrw_node *node = &scene->nodes[joint->node];
    mrw_json_open(json, '{');
    mrw_json_string(mrw_json_key(json, "name"), mrw_scene_string(scene, node->name));
    mrw_json_uint(mrw_json_key(json, "node"), joint->node);
    mrw_json_key(json, "parent");
    node->parent == MRW_NONE ? mrw_json_null(json) : mrw_json_uint(json, node->parent);
    mrw_json_floats(mrw_json_key(json, "world"), joint->joint_to_world.m, 16);
    skinning_json(scene, joints, joint->joint, json);
    number_json(json, "x", joint->in_front, joint->x);
    number_json(json, "y", joint->in_front, joint->y);
    number_json(json, "depth", true, joint->depth);
    number_json(json, "depth01", joint->in_front, joint->depth01);
    number_json(json, "surface_depth", joint->surface_depth < (double)INFINITY,
                joint->surface_depth);
    mrw_json_bool(mrw_json_key(json, "inside"), joint->inside);
    mrw_json_bool(mrw_json_key(json, "hidden"), joint->hidden);
    mrw_json_bool(mrw_json_key(json, "occluded"), joint->occluded);
    mrw_json_close(json, '}');
}

/* Adds each skin's joints in its own order: the arrays that shaders take. */
static void skins_json(const mrw_scene *scene, const mrw_bake_joints *joints, mrw_json *json)
{
    mrw_json_open(json, '[');
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        const mrw_skin *skin = &scene->skins[s];
        mrw_json_open(json, '{');
        mrw_json_string(mrw_json_key(json, "name"), mrw_scene_string(scene, skin->name));
        mrw_json_open(mrw_json_key(json, "joints"), '[');
        for (uint32_t j = skin->first_joint; j < skin->first_joint + skin->joint_count; j++) {
            const uint32_t node = scene->joints[j];
            mrw_json_open(json, '{');
            mrw_json_string(mrw_json_key(json, "name"),
                            mrw_scene_string(scene, scene->nodes[node].name));
            mrw_json_uint(mrw_json_key(json, "node"), node);
            skinning_json(scene, joints, j, json);
            mrw_json_close(json, '}');
        }
        mrw_json_close(json, ']');
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

/* Adds one of several views: its name, its direction, its angles if it has some. */
static void view_json(const mrw_session_view *view, mrw_json *json)
{
    const bool angles = view->scene_camera == MRW_NONE && !view->view.has_eye;
    mrw_json_string(mrw_json_key(json, "view"), view->name);
    if (view->direction) {
        mrw_json_string(mrw_json_key(json, "dir"), view->direction);
    }
    number_json(json, "azimuth", angles, (double)view->view.azimuth_degrees);
    number_json(json, "elevation", angles, (double)view->view.elevation_degrees);
}

void mrw_plan_joints_json(const mrw_session *session, const mrw_plan *plan,
                          const mrw_picture *picture, const mrw_bake_joints *joints, mrw_json *json)
{
    const mrw_scene *scene = session->model->scene;
    open_json(session->model, picture, json);
    mrw_json_uint(mrw_json_key(json, "frame"), picture->frame);
    mrw_json_double(mrw_json_key(json, "time"), picture->time);
    if (plan->view_count > 1) {
        view_json(&plan->views[picture->view], json);
    }
    mrw_json_uint(mrw_json_key(json, "width"), session->frame.width);
    mrw_json_uint(mrw_json_key(json, "height"), session->frame.height);
    mrw_json_floats(mrw_json_key(json, "world_to_view"), joints->camera.world_to_view.m, 16);
    mrw_json_floats(mrw_json_key(json, "view_to_clip"), joints->camera.view_to_clip.m, 16);
    mrw_json_double(mrw_json_key(json, "tolerance"), joints->tolerance);
    mrw_json_open(mrw_json_key(json, "joints"), '[');
    for (uint32_t i = 0; i < joints->count; i++) {
        joint_json(scene, joints, &joints->items[i], json);
    }
    mrw_json_close(json, ']');
    mrw_json_key(json, "skins");
    skins_json(scene, joints, json);
    mrw_json_close(json, '}');
    mrw_json_line(json);
}
