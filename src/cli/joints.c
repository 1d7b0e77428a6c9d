/* joints.c: joints as ground truth: matrices, pixels, depths, and what hides them. */
#include "cli.h"

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

/* ---- rays ---- */

/* Points from + t * to, whose depth is t * depth_step. */
typedef struct ray {
    double from[3];
    double to[3];
    double depth_step;
    double near_depth; /* nothing is drawn before that */
} ray;

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* From the eye to the point, or in a parallel projection straight ahead through it. */
static ray ray_to(const eye *e, const double point[3], double depth)
{
    const float *view = e->camera.world_to_view.m;
    const bool parallel = e->camera.orthographic;
    ray r = {.near_depth = (double)e->camera.near_plane, .depth_step = parallel ? 1.0 : depth};
    for (int i = 0; i < 3; i++) {
        double ahead = -(double)view[4 * i + 2];
        r.from[i] = parallel ? point[i] - depth * ahead : (double)e->camera.eye[i];
        r.to[i] = parallel ? ahead : point[i] - r.from[i];
    }
    return r;
}

/* Moller and Trumbore 1997, "Fast, Minimum Storage Ray/Triangle Intersection". Both sides count
 * when `both`, else the one that shows its corners counter-clockwise (clockwise if mirrored). */
static bool hit_triangle(const ray *r, const float *const corners[3], bool both, bool mirrored,
                         double *t)
{
    double e1[3], e2[3], s[3], p[3], q[3];
    for (int i = 0; i < 3; i++) {
        e1[i] = (double)corners[1][i] - (double)corners[0][i];
        e2[i] = (double)corners[2][i] - (double)corners[0][i];
        s[i] = r->from[i] - (double)corners[0][i];
    }
    cross(r->to, e2, p);
    cross(s, e1, q);
    double determinant = dot(e1, p);
    if (determinant == 0.0 || (!both && (determinant < 0.0) != mirrored)) {
        return false;
    }
    double u = dot(s, p) / determinant, v = dot(r->to, q) / determinant;
    *t = dot(e2, q) / determinant;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0;
}

/* The nearest drawn surface on a ray. */
typedef struct surface {
    double depth;            /* infinity when there is none */
    uint32_t instance;       /* of the stage */
    uint32_t draw;           /* of its scene */
    const uint32_t *corners; /* vertices of the triangle */
} surface;

/* Textures are not looked at: holes hide like the rest. */
static void search_draw(const mrw_scene *scene, const mrw_posed_draw *posed, uint32_t instance,
                        const ray *r, surface *nearest)
{
    const mrw_mesh *mesh = &scene->meshes[scene->draws[posed->draw].mesh];
    const uint32_t *index = scene->indices + mesh->first_index;
    bool both = mesh->material != MRW_NONE &&
                (scene->materials[mesh->material].flags & MRW_MATERIAL_DOUBLE_SIDED) != 0;
    for (uint32_t k = 0; k < mesh->triangle_count; k++, index += 3) {
        const float *corners[3];
        double t;
        for (int i = 0; i < 3; i++) {
            corners[i] = posed->positions + 4 * (size_t)index[i];
        }
        if (!hit_triangle(r, corners, both, posed->mirrored, &t)) {
            continue;
        }
        double depth = t * r->depth_step;
        if (depth >= r->near_depth && depth < nearest->depth) {
            *nearest = (surface){depth, instance, posed->draw, index};
        }
    }
}

static surface find_surface(const mrw_stage *stage, const mrw_posed_instance *posed, const ray *r)
{
    surface nearest = {.depth = (double)INFINITY};
    for (uint32_t i = 0; i < stage->instance_count; i++) {
        const mrw_scene *scene = stage->scenes[i];
        for (uint32_t d = 0; d < scene->draws_count; d++) {
            search_draw(scene, &posed[i].draws[d], i, r, &nearest);
        }
    }
    return nearest;
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
static bool is_own_flesh(const mrw_stage *stage, const surface *s, uint32_t node)
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

static void put_sight(const mrw_stage *stage, const mrw_posed_instance *posed, const eye *e,
                      uint32_t node, double tolerance, cli_json *json)
{
    const float *place = posed[0].node_to_world[node].m + 12;
    const double point[3] = {(double)place[0], (double)place[1], (double)place[2]};
    sight s = look_at(e, point);
    surface nearest = {.depth = (double)INFINITY};
    if (s.before) {
        ray r = ray_to(e, point, s.depth);
        nearest = find_surface(stage, posed, &r);
    }
    bool hidden = nearest.depth < s.depth - tolerance;
    put_number(json, "x", s.before, s.x);
    put_number(json, "y", s.before, s.y);
    put_number(json, "depth", true, s.depth);
    put_number(json, "depth01", s.before, s.unit_depth);
    put_number(json, "surface_depth", nearest.depth < (double)INFINITY, nearest.depth);
    cli_json_key(json, "inside");
    cli_json_bool(json, s.inside);
    cli_json_key(json, "hidden");
    cli_json_bool(json, hidden);
    cli_json_key(json, "occluded");
    cli_json_bool(json, hidden && !is_own_flesh(stage, &nearest, node));
}

static void put_joint(const mrw_stage *stage, const mrw_posed_instance *posed, const eye *e,
                      uint32_t node, double tolerance, cli_json *json)
{
    const mrw_scene *scene = stage->model->scene;
    cli_json_open(json, '{');
    cli_json_key(json, "name");
    cli_json_string(json, mrw_scene_string(scene, scene->nodes[node].name));
    cli_json_key(json, "node");
    cli_json_uint(json, node);
    cli_json_key(json, "parent");
    if (scene->nodes[node].parent == MRW_NONE) {
        cli_json_null(json);
    } else {
        cli_json_uint(json, scene->nodes[node].parent);
    }
    cli_json_key(json, "world");
    cli_json_floats(json, posed[0].node_to_world[node].m, 16);
    put_sight(stage, posed, e, node, tolerance, json);
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

/* is_joint[node]; every node of a model that has no skin. */
static bool *find_joints(const mrw_scene *scene)
{
    bool *is_joint = calloc((size_t)scene->nodes_count + 1, sizeof *is_joint);
    for (uint32_t n = 0; is_joint && n < scene->nodes_count; n++) {
        is_joint[n] = scene->joints_count == 0;
    }
    for (uint32_t j = 0; is_joint && j < scene->joints_count; j++) {
        is_joint[scene->joints[j]] = true;
    }
    return is_joint;
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

mrw_status cli_joints_json(const mrw_stage *stage, const mrw_posed_instance *posed,
                           const mrw_picture *picture, cli_text *out, mrw_error *error)
{
    const mrw_scene *scene = stage->model->scene;
    eye e = {.width = stage->frame.width, .height = stage->frame.height};
    cli_json json = {.text = *out};
    mrw_status status =
        mrw_frame_camera(&stage->frame, &stage->instances[0], &posed[0], &e.camera, error);
    bool *is_joint = find_joints(scene);
    if (status == MRW_OK && !is_joint) {
        status = cli_fail_memory(error);
    }
    if (status == MRW_OK) {
        double tolerance = tolerance_of(scene, posed);
        cli_json_open(&json, '{');
        put_head(stage, &e, picture, tolerance, &json);
        cli_json_key(&json, "joints");
        cli_json_open(&json, '[');
        for (uint32_t n = 0; n < scene->nodes_count; n++) {
            if (is_joint[n]) {
                put_joint(stage, posed, &e, n, tolerance, &json);
            }
        }
        cli_json_close(&json, ']');
        cli_json_close(&json, '}');
        cli_json_line(&json);
    }
    free(is_joint);
    *out = json.text;
    return status;
}
