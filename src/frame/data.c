/* data.c: shading modes that show data of vertices (coordinates, distance, joints, influences,
 * weights): colours of vertices, which the rasterizer interpolates. A vertex keeps its own alpha.
 */
#include "frame/frame.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* Data that colours are made of. */
typedef struct data_source {
    const mrw_frame_def *def;
    const mrw_camera *camera;
    const mrwi_frame_pose *pose;
    const mrw_draw *draw;
    const mrw_mesh *mesh;
    const float *positions; /* float[4] per vertex, in the world */
} data_source;

static void set_rgb(float out[4], float r, float g, float b)
{
    out[0] = r;
    out[1] = g;
    out[2] = b;
}

static void show_uvs(const data_source *s, uint32_t set, float (*out)[4])
{
    const mrw_scene *scene = s->pose->scene;
    const uint32_t first = s->mesh->uv[set];
    for (uint32_t v = 0; v < s->mesh->vertex_count; v++) {
        const float *uv = first == MRW_NONE ? NULL : scene->uvs + ((size_t)first + v) * 2;
        set_rgb(out[v], uv ? uv[0] : 0.0f, uv ? uv[1] : 0.0f, 0.0f);
    }
}

/* Shows the distance along the view, which is linear on a plane: white at the near plane, black at
 * the far one. Without a far plane, brightness is halved at twice the distance. */
static void show_depth(const data_source *s, float (*out)[4])
{
    const float *m = s->camera->world_to_view.m;
    const float near = s->camera->near_plane, far = s->camera->far_plane;
    for (uint32_t v = 0; v < s->mesh->vertex_count; v++) {
        const float *p = s->positions + 4 * (size_t)v;
        const float away = -(((m[2] * p[0] + m[6] * p[1]) + m[10] * p[2]) + m[14]);
        const float value = far > 0.0f ? (far - away) / (far - near) : near / away;
        set_rgb(out[v], value, value, value);
    }
}

/* Steps through the hues by the golden section, in three tones, so that consecutive numbers have
 * different colours. */
void mrwi_frame_number_color(uint32_t number, float out[3])
{
    static const float value[3] = {1.0f, 0.7f, 0.85f}, grey[3] = {0.25f, 0.1f, 0.5f};
    const double turn = (double)number * 0.6180339887498949;
    const float hue = (float)(turn - floor(turn)) * 6.0f;
    for (int k = 0; k < 3; k++) {
        float away = hue - 2.0f * (float)k; /* from red, green, blue: 0 ... 3 */
        away = away < 0.0f ? -away : away;
        away = away > 3.0f ? 6.0f - away : away;
        float share = 2.0f - away;
        share = share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
        out[k] = value[number % 3] * (grey[number % 3] + (1.0f - grey[number % 3]) * share);
    }
}

static uint32_t node_of(const data_source *s, uint32_t joint)
{
    const mrw_scene *scene = s->pose->scene;
    return scene->joints[scene->skins[s->draw->skin].first_joint + joint];
}

/* Returns the groups of a draw's mesh, cut as the model was prepared. In a draw without a skin none
 * has influences. */
static const mrw_skin_group *groups_of(const data_source *s)
{
    return s->pose->instance->model->influences.groups + s->mesh->first_group;
}

static uint32_t influences_of(const data_source *s, const mrw_skin_group *group)
{
    return s->draw->skin == MRW_NONE ? 0 : group->influence_count;
}

static void show_joints(const data_source *s, float (*out)[4])
{
    for (uint32_t g = 0; g < s->mesh->group_count; g++) {
        const mrw_skin_group *group = &groups_of(s)[g];
        const uint32_t count = influences_of(s, group);
        for (uint32_t v = 0; v < group->vertex_count; v++) {
            float *color = out[group->first_vertex + v];
            set_rgb(color, 0.5f, 0.5f, 0.5f);
            if (count > 0) { /* the largest weight comes first */
                mrwi_frame_number_color(node_of(s, group->joints[(size_t)v * count]), color);
            }
        }
    }
}

static void show_influences(const data_source *s, float (*out)[4])
{
    static const float heat[6][3] = {{0.5f, 0.5f, 0.5f}, {0, 0, 1}, {0, 1, 1},
                                     {0, 1, 0},          {1, 1, 0}, {1, 0, 0}};
    for (uint32_t g = 0; g < s->mesh->group_count; g++) {
        const mrw_skin_group *group = &groups_of(s)[g];
        const uint32_t count = influences_of(s, group);
        const float *color = heat[count < 5 ? count : 5];
        for (uint32_t v = 0; v < group->vertex_count; v++) {
            set_rgb(out[group->first_vertex + v], color[0], color[1], color[2]);
        }
    }
}

static mrw_status show_weights(mrwi_base_arena *arena, const data_source *s, float (*out)[4],
                               mrw_error *error)
{
    const mrw_scene *scene = s->pose->scene;
    const uint32_t joints = s->draw->skin == MRW_NONE ? 0 : scene->skins[s->draw->skin].joint_count;
    bool *named = mrwi_base_arena_alloc(arena, joints + 1, sizeof *named);
    if (!named) {
        return mrwi_base_fail_memory(error, joints);
    }
    for (uint32_t j = 0; j < joints; j++) { /* names may repeat: all joints with it count */
        const char *name = mrw_scene_string(scene, scene->nodes[node_of(s, j)].name);
        named[j] = strcmp(name, s->def->joint) == 0;
    }
    for (uint32_t g = 0; g < s->mesh->group_count; g++) {
        const mrw_skin_group *group = &groups_of(s)[g];
        const uint32_t count = influences_of(s, group);
        for (uint32_t v = 0; v < group->vertex_count; v++) {
            float sum = 0.0f;
            for (size_t i = (size_t)v * count; i < (size_t)(v + 1) * count; i++) {
                sum += named[group->joints[i]] ? group->weights[i] : 0.0f;
            }
            set_rgb(out[group->first_vertex + v], sum, 0.0f, 1.0f - sum);
        }
    }
    return MRW_OK;
}

/* Returns true when this file makes the mode, or the channel. */
static bool is_made(const mrw_frame_def *def)
{
    switch (def->shading) {
    case MRW_SHADING_UV:
    case MRW_SHADING_DEPTH:
    case MRW_SHADING_JOINT:
    case MRW_SHADING_INFLUENCES:
    case MRW_SHADING_WEIGHTS:
        return true;
    case MRW_SHADING_CHANNEL:
        return def->channel == MRW_CHANNEL_UV0 || def->channel == MRW_CHANNEL_UV1;
    default:
        return false;
    }
}

static mrw_status fill_colors(mrwi_base_arena *arena, const data_source *s, float (*out)[4],
                              mrw_error *error)
{
    const mrw_scene *scene = s->pose->scene;
    for (uint32_t v = 0; v < s->mesh->vertex_count; v++) {
        out[v][3] =
            s->mesh->color == MRW_NONE ? 1.0f : scene->colors[4 * ((size_t)s->mesh->color + v) + 3];
    }
    switch (s->def->shading) {
    case MRW_SHADING_DEPTH:
        show_depth(s, out);
        return MRW_OK;
    case MRW_SHADING_JOINT:
        show_joints(s, out);
        return MRW_OK;
    case MRW_SHADING_INFLUENCES:
        show_influences(s, out);
        return MRW_OK;
    case MRW_SHADING_WEIGHTS:
        return show_weights(arena, s, out, error);
    default:
        show_uvs(s, s->def->shading == MRW_SHADING_CHANNEL && s->def->channel == MRW_CHANNEL_UV1,
                 out);
        return MRW_OK;
    }
}

mrw_status mrwi_frame_show_data(mrwi_base_arena *arena, const mrwi_frame_picture *picture,
                                mrw_raster_job *job, mrw_error *error)
{
    const mrw_frame_def *def = picture->def;
    const mrwi_frame_poses *poses = &picture->posed->poses;
    uint32_t number = 0;
    if (!is_made(def)) {
        return MRW_OK;
    }
    mrw_raster_draw *draws = mrwi_base_arena_alloc(arena, job->draw_count, sizeof *draws);
    if (!draws) {
        return mrwi_base_fail_memory(error, job->draw_count * sizeof *draws);
    }
    for (uint32_t i = 0; i < poses->count; i++) {
        const mrw_scene *scene = poses->items[i].scene;
        for (uint32_t d = 0; d < scene->draws_count; d++, number++) {
            mrw_raster_draw *draw = &draws[number];
            *draw = job->draws[number];
            if (draw->vertex_count == 0) { /* hidden */
                continue;
            }
            const data_source source = {def,
                                        &picture->camera,
                                        &poses->items[i],
                                        &scene->draws[d],
                                        &scene->meshes[scene->draws[d].mesh],
                                        draw->positions};
            float(*colors)[4] = mrwi_base_arena_alloc(arena, draw->vertex_count, sizeof *colors);
            mrwi_frame_fill(draw);
            if (!colors) {
                return mrwi_base_fail_memory(error, draw->vertex_count * sizeof *colors);
            }
            mrw_status status = fill_colors(arena, &source, colors, error);
            if (status) {
                return status;
            }
            draw->colors = colors[0];
        }
    }
    job->draws = draws;
    return MRW_OK;
}
