/* joints.c: joints as ground truth: matrices, pixels, depths, and what hides them. */
#include "bake/rays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A surface this much nearer than a joint, as a share of the diagonal of the model's box, hides it:
 * joints lie inside the body, and their own flesh shall not count. */
#define TOLERANCE 0.05

typedef struct eye {
    mrw_camera camera;
    double width, height; /* of the picture */
} eye;

/* Where a point is in the picture. */
typedef struct sight {
    bool before; /* in front of the camera's plane: what follows is known */
    bool inside;
    double x, y;       /* pixels from the top left corner */
    double depth;      /* along the view */
    double unit_depth; /* 0 at the near plane, 1 at the far plane, and beyond them */
} sight;

/* column-major matrix times (p, 1) */
static void transform(const mrw_mat4 *m, const double p[3], double out[4])
{
    for (int r = 0; r < 4; r++) {
        out[r] = ((double)m->m[r] * p[0] + (double)m->m[4 + r] * p[1]) +
                 ((double)m->m[8 + r] * p[2] + (double)m->m[12 + r]);
    }
}

static sight look_at(const eye *e, const double point[3])
{
    double view[4], clip[4];
    sight s = {0};
    transform(&e->camera.world_to_view, point, view);
    transform(&e->camera.view_to_clip, view, clip);
    s.depth = -view[2];
    s.before = clip[3] > 1e-9;
    if (s.before) {
        s.x = (clip[0] / clip[3] + 1.0) * 0.5 * e->width;
        s.y = (1.0 - clip[1] / clip[3]) * 0.5 * e->height;
        s.unit_depth = clip[2] / clip[3];
        s.inside = s.x >= 0.0 && s.x < e->width && s.y >= 0.0 && s.y < e->height;
    }
    return s;
}

/* ---- own flesh ---- */

/* The same node, or parent and child. */
static bool are_related(const mrw_scene *scene, uint32_t a, uint32_t b)
{
    return a == b || scene->nodes[a].parent == b || scene->nodes[b].parent == a;
}

static bool vertex_follows(const mrw_scene *scene, const mrw_draw *draw, uint32_t vertex,
                           uint32_t node)
{
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const mrw_influence_group *group = &scene->groups[mesh->first_group + g];
        if (vertex - group->first_vertex >= group->vertex_count) {
            continue; /* also when it lies before the group: unsigned */
        }
        size_t first = group->first_influence +
                       (size_t)(vertex - group->first_vertex) * group->influence_count;
        for (uint32_t i = 0; i < group->influence_count && draw->skin != MRW_NONE; i++) {
            uint32_t joint = scene->influence_joints[first + i];
            if (are_related(scene, node,
                            scene->joints[scene->skins[draw->skin].first_joint + joint])) {
                return true;
            }
        }
        return group->influence_count == 0 && are_related(scene, node, draw->node);
    }
    return false;
}

/* A corner of the surface follows the joint, its parent or one of its children. */
static bool is_own_flesh(const mrw_stage *stage, const cli_surface *s, uint32_t node)
{
    const mrw_scene *scene = stage->model->scene;
    for (int i = 0; i < 3 && s->instance == 0; i++) {
        if (vertex_follows(scene, &scene->draws[s->draw], s->corners[i], node)) {
            return true;
        }
    }
    return false;
}

/* ---- the answer ---- */

static void put_number(cli_json *json, const char *key, bool known, double value)
{
    cli_json_key(json, key);
    if (known) {
        cli_json_double(json, value);
    } else {
        cli_json_null(json);
    }
}

/* A joint, how it is seen, and the surface on the way there. */
typedef struct view {
    uint32_t node;
    sight sight;
    cli_surface nearest;
} view;

static void put_sight(const mrw_stage *stage, const view *v, double tolerance, cli_json *json)
{
    const sight *s = &v->sight;
    bool hidden = v->nearest.depth < s->depth - tolerance;
    put_number(json, "x", s->before, s->x);
    put_number(json, "y", s->before, s->y);
    put_number(json, "depth", true, s->depth);
    put_number(json, "depth01", s->before, s->unit_depth);
    put_number(json, "surface_depth", v->nearest.depth < (double)INFINITY, v->nearest.depth);
    cli_json_key(json, "inside");
    cli_json_bool(json, s->inside);
    cli_json_key(json, "hidden");
    cli_json_bool(json, hidden);
    cli_json_key(json, "occluded");
    cli_json_bool(json, hidden && !is_own_flesh(stage, &v->nearest, v->node));
}

static void put_joint(const mrw_stage *stage, const mrw_posed_instance *posed, const view *v,
                      double tolerance, cli_json *json)
{
    const mrw_scene *scene = stage->model->scene;
    const mrw_node *node = &scene->nodes[v->node];
    cli_json_open(json, '{');
    cli_json_key(json, "name");
    cli_json_string(json, mrw_scene_string(scene, node->name));
    cli_json_key(json, "node");
    cli_json_uint(json, v->node);
    cli_json_key(json, "parent");
    if (node->parent == MRW_NONE) {
        cli_json_null(json);
    } else {
        cli_json_uint(json, node->parent);
    }
    cli_json_key(json, "world");
    cli_json_floats(json, posed[0].node_to_world[v->node].m, 16);
    put_sight(stage, v, tolerance, json);
    cli_json_close(json, '}');
}

/* TOLERANCE of the box around the first model. */
static double tolerance_of(const mrw_scene *scene, const mrw_posed_instance *posed)
{
    cli_measure box = {0};
    double sum = 0.0;
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        cli_measure part = cli_measure_draw(scene, &posed[0].draws[d]);
        cli_measure_add(&box, &part);
    }
    for (int i = 0; i < 3 && box.any; i++) {
        double side = (double)box.max[i] - (double)box.min[i];
        sum += side * side;
    }
    return TOLERANCE * sqrt(sum);
}

/* Marks joints; every node of a model that has no skin. */
static void find_joints(const mrw_scene *scene, bool *is_joint)
{
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        is_joint[n] = scene->joints_count == 0;
    }
    for (uint32_t j = 0; j < scene->joints_count; j++) {
        is_joint[scene->joints[j]] = true;
    }
}

/* Looks at all joints. Returns their number. */
static uint32_t see_joints(const mrw_scene *scene, const mrw_posed_instance *posed, const eye *e,
                           const bool *is_joint, view *views)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        const float *place = posed[0].node_to_world[n].m + 12;
        const double point[3] = {(double)place[0], (double)place[1], (double)place[2]};
        if (is_joint[n]) {
            views[count++] = (view){n, look_at(e, point), {.depth = (double)INFINITY}};
        }
    }
    return count;
}

/* Finds what is on the way to the joints that are in front of the camera. */
static mrw_status find_surfaces(const mrw_stage *stage, const mrw_posed_instance *posed,
                                const eye *e, view *views, uint32_t count, mrw_error *error)
{
    cli_target *targets = calloc((size_t)count + 1, sizeof *targets);
    cli_surface *surfaces = calloc((size_t)count + 1, sizeof *surfaces);
    mrw_status status = targets && surfaces ? MRW_OK : cli_fail_memory(error);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        const float *place = posed[0].node_to_world[views[i].node].m + 12;
        if (views[i].sight.before) {
            targets[found++] = (cli_target){{(double)place[0], (double)place[1], (double)place[2]},
                                            views[i].sight.depth};
        }
    }
    if (status == MRW_OK) {
        status = cli_find_surfaces(stage, posed, &e->camera, targets, found, surfaces, error);
    }
    found = 0;
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        if (views[i].sight.before) {
            views[i].nearest = surfaces[found++];
        }
    }
    free(targets);
    free(surfaces);
    return status;
}

static void put_head(const mrw_stage *stage, const eye *e, const mrw_picture *picture,
                     double tolerance, cli_json *json)
{
    cli_json_key(json, "schema");
    cli_json_uint(json, 1);
    cli_json_key(json, "model");
    cli_json_string(json, stage->model->path);
    cli_json_key(json, "clip");
    cli_json_string(
        json, picture->clip == MRW_NONE ? NULL : mrw_stage_clip_name(stage->model, picture->clip));
    cli_json_key(json, "frame");
    cli_json_uint(json, picture->frame);
    cli_json_key(json, "time");
    cli_json_double(json, picture->time);
    cli_json_key(json, "width");
    cli_json_uint(json, stage->frame.width);
    cli_json_key(json, "height");
    cli_json_uint(json, stage->frame.height);
    cli_json_key(json, "world_to_view");
    cli_json_floats(json, e->camera.world_to_view.m, 16);
    cli_json_key(json, "view_to_clip");
    cli_json_floats(json, e->camera.view_to_clip.m, 16);
    cli_json_key(json, "tolerance");
    cli_json_double(json, tolerance);
}

static void put_line(const mrw_stage *stage, const mrw_posed_instance *posed, const eye *e,
                     const mrw_picture *picture, const view *views, uint32_t count, cli_json *json)
{
    double tolerance = tolerance_of(stage->model->scene, posed);
    cli_json_open(json, '{');
    put_head(stage, e, picture, tolerance, json);
    cli_json_key(json, "joints");
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        put_joint(stage, posed, &views[i], tolerance, json);
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    cli_json_line(json);
}

mrw_status cli_joints_json(const mrw_stage *stage, const mrw_posed_instance *posed,
                           const mrw_picture *picture, cli_text *out, mrw_error *error)
{
    const mrw_scene *scene = stage->model->scene;
    eye e = {.width = stage->frame.width, .height = stage->frame.height};
    bool *is_joint = calloc((size_t)scene->nodes_count + 1, sizeof *is_joint);
    view *views = calloc((size_t)scene->nodes_count + 1, sizeof *views);
    mrw_status status = is_joint && views ? MRW_OK : cli_fail_memory(error);
    uint32_t count = 0;
    if (status == MRW_OK) {
        status = mrw_frame_camera(&stage->frame, &stage->instances[0], &posed[0], &e.camera, error);
    }
    if (status == MRW_OK) {
        find_joints(scene, is_joint);
        count = see_joints(scene, posed, &e, is_joint, views);
        status = find_surfaces(stage, posed, &e, views, count, error);
    }
    if (status == MRW_OK) {
        cli_json json = {.text = *out};
        put_line(stage, posed, &e, picture, views, count, &json);
        *out = json.text;
    }
    free(is_joint);
    free(views);
    return status;
}
