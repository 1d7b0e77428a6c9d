/* overlay_scene.c: lines around a model: boxes, axes, a grid, cameras and lights. */
#include "frame/overlay.h"

#include "base/math.h"
#include "base/text.h"

#include <string.h>

/* Lines in the arena; lines beyond `room` are left out. */
typedef struct line_list {
    mrwi_frame_overlay_line *items;
    size_t count, room;
} line_list;

static mrw_status make_lines(mrwi_base_arena *arena, size_t room, line_list *out, mrw_error *error)
{
    *out = (line_list){mrwi_base_arena_alloc(arena, room, sizeof *out->items), 0, room};
    return out->items ? MRW_OK : mrwi_base_fail_memory(error, room * sizeof *out->items);
}

static void add_line(line_list *lines, const double a[3], const double b[3], double alpha_a,
                     double alpha_b)
{
    if (lines->count < lines->room) {
        mrwi_frame_overlay_line *line = &lines->items[lines->count++];
        memcpy(line->at[0], a, sizeof line->at[0]);
        memcpy(line->at[1], b, sizeof line->at[1]);
        line->alpha[0] = alpha_a;
        line->alpha[1] = alpha_b;
    }
}

/* A point of a frame: origin + x * axes[0] + y * axes[1] + z * axes[2]. */
typedef struct local_frame {
    double origin[3];
    double axes[3][3];
} local_frame;

static void point_of(const local_frame *f, double x, double y, double z, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = f->origin[i] + x * f->axes[0][i] + y * f->axes[1][i] + z * f->axes[2][i];
    }
}

static void add_local(line_list *lines, const local_frame *f, double x0, double y0, double z0,
                      double x1, double y1, double z1)
{
    double a[3], b[3];
    point_of(f, x0, y0, z0, a);
    point_of(f, x1, y1, z1, b);
    add_line(lines, a, b, 1.0, 1.0);
}

/* Returns the axes of a node, scaled to length 1; an axis of length 0 stays 0. */
static local_frame frame_of(const mrw_mat4 *to_world)
{
    local_frame out;
    for (int column = 0; column < 3; column++) {
        const float *m = to_world->m + 4 * column;
        const double v[3] = {(double)m[0], (double)m[1], (double)m[2]};
        const double length = sqrt(mrwi_base_dot3d(v, v));
        for (int i = 0; i < 3; i++) {
            out.axes[column][i] = length > 0.0 ? v[i] / length : 0.0;
        }
    }
    for (int i = 0; i < 3; i++) {
        out.origin[i] = (double)to_world->m[12 + i];
    }
    return out;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static void add_box(line_list *lines, const double low[3], const double high[3])
{
    for (int edge = 0; edge < 12; edge++) {
        const int axis = edge / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double a[3], b[3];
        a[u] = b[u] = edge & 1 ? high[u] : low[u];
        a[v] = b[v] = edge & 2 ? high[v] : low[v];
        a[axis] = low[axis];
        b[axis] = high[axis];
        add_line(lines, a, b, 1.0, 1.0);
    }
}

mrw_status mrwi_frame_overlay_bounds(mrwi_base_arena *arena, mrwi_frame_overlay *overlay,
                                     mrw_error *error)
{
    const mrwi_frame_posed *posed = overlay->picture->posed;
    const mrw_raster_draw *draws = posed->draws;
    line_list lines;
    mrw_status status = make_lines(arena, 12 * (size_t)posed->poses.count, &lines, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < posed->poses.count; i++) {
        const mrwi_frame_pose *pose = &posed->poses.items[i];
        const mrwi_frame_overlay_box box = mrwi_frame_overlay_measure(pose, draws);
        draws += pose->scene->draws_count;
        add_box(&lines, box.low, box.high);
    }
    mrwi_frame_overlay_draw(overlay, lines.items, lines.count, 0.75 * overlay->unit,
                            (mrwi_overlay_color){255, 190, 60, 255});
    return MRW_OK;
}

/* ---- axes ------------------------------------------------------------------------------------ */

static const mrwi_overlay_color axis_colors[3] = {
    {255, 70, 80, 255}, {120, 220, 60, 255}, {70, 140, 255, 255}};

static void draw_axes(mrwi_frame_overlay *overlay, const local_frame *frames, size_t count,
                      double length, double radius)
{
    for (int pass = 0; pass < 4; pass++) { /* pass 0 draws all borders */
        for (size_t i = 0; i < count; i++) {
            for (int axis = pass == 0 ? 0 : pass - 1; axis < (pass == 0 ? 3 : pass); axis++) {
                mrwi_frame_overlay_line line = {.alpha = {1.0, 1.0}};
                memcpy(line.at[0], frames[i].origin, sizeof line.at[0]);
                point_of(&frames[i], axis == 0 ? length : 0.0, axis == 1 ? length : 0.0,
                         axis == 2 ? length : 0.0, line.at[1]);
                mrwi_frame_overlay_add(overlay, &line, radius + (pass == 0 ? overlay->unit : 0.0));
            }
        }
        mrwi_overlay_blend(&overlay->canvas,
                           pass == 0 ? mrwi_frame_overlay_dark : axis_colors[pass - 1]);
    }
}

mrw_status mrwi_frame_overlay_axes(mrwi_base_arena *arena, mrwi_frame_overlay *overlay,
                                   mrw_error *error)
{
    static const char *const names[3] = {"x", "y", "z"};
    const mrw_mat4 identity = mrwi_base_mat4_identity();
    const local_frame world = frame_of(&identity);
    const mrw_raster_draw *draws = overlay->picture->posed->draws;
    const double length = 0.2 * overlay->size, size = mrwi_frame_overlay_text_size(overlay);
    for (uint32_t i = 0; i < overlay->picture->posed->poses.count; i++) {
        const mrwi_frame_pose *pose = &overlay->picture->posed->poses.items[i];
        const uint32_t nodes = pose->scene->nodes_count;
        const bool *joints = mrwi_frame_overlay_joints(arena, pose->scene);
        local_frame *frames = mrwi_base_arena_alloc(arena, nodes, sizeof *frames);
        size_t count = 0;
        if (!joints || !frames) {
            return mrwi_base_fail_memory(error, nodes * sizeof *frames);
        }
        for (uint32_t n = 0; n < nodes; n++) {
            if (joints[n]) {
                frames[count++] = frame_of(&pose->placed[n]);
            }
        }
        const mrwi_frame_overlay_box box = mrwi_frame_overlay_measure(pose, draws);
        draws += pose->scene->draws_count;
        draw_axes(overlay, frames, count, 0.03 * mrwi_frame_overlay_size(&box),
                  0.6 * overlay->unit);
    }
    draw_axes(overlay, &world, 1, length, overlay->unit);
    for (int axis = 0; axis < 3; axis++) {
        double tip[3], pixel[3];
        point_of(&world, axis == 0 ? 1.1 * length : 0.0, axis == 1 ? 1.1 * length : 0.0,
                 axis == 2 ? 1.1 * length : 0.0, tip);
        if (mrwi_frame_overlay_project(overlay, tip, pixel)) {
            mrwi_frame_overlay_text(overlay, pixel[0] - size / 4.0, pixel[1] + size / 3.0,
                                    names[axis], axis_colors[axis]);
        }
    }
    return MRW_OK;
}

/* ---- grid ------------------------------------------------------------------------------------ */

#define GRID_STEPS 10 /* steps to each side of the middle */

/* Returns the smallest number not below x that is 1, 2 or 5 times a power of ten. */
static double round_step(double x)
{
    static const double rounds[] = {1.0, 2.0, 5.0, 10.0};
    double power = 1.0;
    while (power > x && power > 1e-30) {
        power /= 10.0;
    }
    while (power * 10.0 <= x && power < 1e30) {
        power *= 10.0;
    }
    for (int i = 0; i < 4; i++) {
        if (rounds[i] * power >= x) {
            return rounds[i] * power;
        }
    }
    return 10.0 * power;
}

/* Returns the alpha of the grid: 1 in the middle, 0 at the border. */
static double fade(const double at[3], const double middle[3], double step)
{
    const double x = (at[0] - middle[0]) / step, z = (at[2] - middle[2]) / step;
    const double left = 1.0 - (x * x + z * z) / (GRID_STEPS * GRID_STEPS);
    return left > 0.0 ? left : 0.0;
}

/* Adds lines at multiples of a step. They are cut into pieces of one step, because they fade. */
static void add_grid(line_list *lines, const double middle[3], double step)
{
    const double first[2] = {floor(middle[0] / step + 0.5) - GRID_STEPS,
                             floor(middle[2] / step + 0.5) - GRID_STEPS};
    for (int axis = 0; axis < 2; axis++) {
        for (int i = 0; i <= 2 * GRID_STEPS; i++) {
            for (int k = 0; k < 2 * GRID_STEPS; k++) {
                double a[3] = {0.0, middle[1], 0.0}, b[3] = {0.0, middle[1], 0.0};
                a[2 * axis] = b[2 * axis] = step * (first[axis] + i);
                a[2 - 2 * axis] = step * (first[!axis] + k);
                b[2 - 2 * axis] = step * (first[!axis] + k + 1);
                const double here = fade(a, middle, step), there = fade(b, middle, step);
                if (here > 0.0 || there > 0.0) {
                    add_line(lines, a, b, here, there);
                }
            }
        }
    }
}

mrw_status mrwi_frame_overlay_grid(mrwi_base_arena *arena, mrwi_frame_overlay *overlay,
                                   mrw_error *error)
{
    const double width = overlay->box.high[0] - overlay->box.low[0];
    const double depth = overlay->box.high[2] - overlay->box.low[2];
    const double middle[3] = {0.5 * (overlay->box.low[0] + overlay->box.high[0]),
                              overlay->box.low[1],
                              0.5 * (overlay->box.low[2] + overlay->box.high[2])};
    const double wide = width > depth ? width : depth;
    const double step = round_step((wide > 0.3 * overlay->size ? wide : 0.3 * overlay->size) / 5.0);
    line_list lines;
    mrw_status status =
        make_lines(arena, 2 * (2 * GRID_STEPS + 1) * 2 * (size_t)GRID_STEPS, &lines, error);
    if (status) {
        return status;
    }
    add_grid(&lines, middle, step);
    for (size_t i = 0; i < lines.count; i++) {
        mrwi_frame_overlay_add(overlay, &lines.items[i], 0.5 * overlay->unit);
    }
    mrwi_overlay_blend(&overlay->canvas, (mrwi_overlay_color){112, 116, 124, 255});
    return MRW_OK;
}

/* ---- cameras and lights ---------------------------------------------------------------------- */

#define ROUND 24 /* lines per circle */

/* Adds a circle around the z axis of a frame. */
static void add_circle(line_list *lines, const local_frame *f, double radius, double z)
{
    for (int i = 0; i < ROUND; i++) {
        const double a = 2.0 * MRWI_BASE_PI * i / ROUND, b = 2.0 * MRWI_BASE_PI * (i + 1) / ROUND;
        add_local(lines, f, radius * mrwi_base_cos(a), radius * mrwi_base_sin(a), z,
                  radius * mrwi_base_cos(b), radius * mrwi_base_sin(b), z);
    }
}

/* Adds a camera: the pyramid of its view, or the box of a parallel projection, up to `length`, and
 * a triangle above the upper edge. */
static void add_camera(line_list *lines, const mrw_scene_camera *camera, const local_frame *f,
                       double aspect, double length)
{
    const bool parallel = camera->orthographic != 0;
    const double half =
        parallel ? (double)camera->ymag : length * mrwi_base_tan(0.5 * (double)camera->yfov);
    const double wide = parallel                ? (double)camera->xmag
                        : camera->aspect > 0.0f ? half * (double)camera->aspect
                                                : half * aspect;
    const double near = parallel ? 1.0 : 0.0; /* scale of half and wide at the eye */
    for (int i = 0; i < 4; i++) {
        static const double corner[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
        const double x0 = wide * corner[i][0], y0 = half * corner[i][1];
        const double x1 = wide * corner[i + 1][0], y1 = half * corner[i + 1][1];
        add_local(lines, f, near * x0, near * y0, 0.0, x0, y0, -length);
        add_local(lines, f, x0, y0, -length, x1, y1, -length);
        if (parallel) {
            add_local(lines, f, x0, y0, 0.0, x1, y1, 0.0);
        }
    }
    add_local(lines, f, -0.5 * wide, 1.1 * half, -length, 0.5 * wide, 1.1 * half, -length);
    add_local(lines, f, -0.5 * wide, 1.1 * half, -length, 0.0, 1.6 * half, -length);
    add_local(lines, f, 0.5 * wide, 1.1 * half, -length, 0.0, 1.6 * half, -length);
}

/* Returns a frame at a point; its z axis is the given vector of length 1. */
static local_frame frame_along(const double origin[3], const double z[3])
{
    local_frame out;
    const double other[3] = {fabs(z[1]) < 0.9 ? 0.0 : 1.0, fabs(z[1]) < 0.9 ? 1.0 : 0.0, 0.0};
    memcpy(out.origin, origin, sizeof out.origin);
    memcpy(out.axes[2], z, sizeof out.axes[2]);
    mrwi_base_cross3d(other, z, out.axes[0]);
    const double length = sqrt(mrwi_base_dot3d(out.axes[0], out.axes[0]));
    for (int i = 0; i < 3; i++) {
        out.axes[0][i] /= length > 0.0 ? length : 1.0;
    }
    mrwi_base_cross3d(z, out.axes[0], out.axes[1]);
    return out;
}

/* Adds a light: three circles for a point light, the outer cone for a spot, and for a directional
 * light an arrow that ends beside the model. */
static void add_light(line_list *lines, const mrwi_frame_overlay *overlay, const mrw_light *light)
{
    const double size = overlay->size;
    double z[3], at[3];
    for (int i = 0; i < 3; i++) {
        z[i] = (double)light->to_light[i];
        at[i] = light->type == MRW_LIGHT_DIRECTIONAL
                    ? 0.5 * (overlay->box.low[i] + overlay->box.high[i]) + 0.55 * size * z[i]
                    : (double)light->position[i];
    }
    if (light->type == MRW_LIGHT_POINT) {
        for (int axis = 0; axis < 3; axis++) {
            const double along[3] = {axis == 0, axis == 1, axis == 2};
            const local_frame f = frame_along(at, along);
            add_circle(lines, &f, 0.03 * size, 0.0);
            add_local(lines, &f, 0.0, 0.0, -0.05 * size, 0.0, 0.0, 0.05 * size);
        }
        return;
    }
    const local_frame f = frame_along(at, z);
    if (light->type == MRW_LIGHT_SPOT) {
        const double outer = (double)light->outer_cone < 1.5 ? (double)light->outer_cone : 1.5;
        const double along = 0.25 * size * mrwi_base_cos(outer);
        const double radius = 0.25 * size * mrwi_base_sin(outer);
        add_circle(lines, &f, radius, -along);
        for (int i = 0; i < 4; i++) {
            const double sign = i < 2 ? radius : -radius;
            add_local(lines, &f, 0.0, 0.0, 0.0, i % 2 == 0 ? sign : 0.0, i % 2 == 0 ? 0.0 : sign,
                      -along);
        }
        return;
    }
    add_local(lines, &f, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2 * size);
    add_circle(lines, &f, 0.03 * size, 0.2 * size);
    for (int i = 0; i < 4; i++) {
        const double sign = i < 2 ? 0.02 * size : -0.02 * size;
        add_local(lines, &f, 0.0, 0.0, 0.0, i % 2 == 0 ? sign : 0.0, i % 2 == 0 ? 0.0 : sign,
                  0.05 * size);
    }
}

/* Returns true when the picture is seen from this camera: its lines would be the picture's edges.
 */
static bool is_eye(const mrwi_frame_overlay *overlay, const mrw_mat4 *camera_to_world)
{
    const float *eye = overlay->picture->camera.eye, *at = camera_to_world->m + 12;
    return eye[0] == at[0] && eye[1] == at[1] && eye[2] == at[2];
}

static void add_cameras(line_list *lines, const mrwi_frame_overlay *overlay)
{
    const mrw_frame_def *def = overlay->picture->def;
    const double aspect = (double)def->width / def->height;
    for (uint32_t i = 0; i < overlay->picture->posed->poses.count; i++) {
        const mrwi_frame_pose *pose = &overlay->picture->posed->poses.items[i];
        for (uint32_t c = 0; c < pose->scene->cameras_count; c++) {
            const mrw_scene_camera *camera = &pose->scene->cameras[c];
            const local_frame f = frame_of(&pose->placed[camera->node]);
            if ((i > 0 || c != def->scene_camera) &&
                !is_eye(overlay, &pose->placed[camera->node])) {
                add_camera(lines, camera, &f, aspect, 0.15 * overlay->size);
            }
        }
    }
}

mrw_status mrwi_frame_overlay_frustums(mrwi_base_arena *arena, mrwi_frame_overlay *overlay,
                                       mrw_error *error)
{
    const mrwi_frame_poses *poses = &overlay->picture->posed->poses;
    size_t cameras = 0;
    mrw_lighting lighting;
    line_list lines;
    mrw_status status = mrwi_frame_lighting(arena, overlay->picture, &lighting, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < poses->count; i++) {
        cameras += poses->items[i].scene->cameras_count;
    }
    const size_t room = 15 * cameras + 3 * (ROUND + 2) * (size_t)lighting.light_count;
    status = make_lines(arena, room, &lines, error);
    if (status) {
        return status;
    }
    add_cameras(&lines, overlay);
    mrwi_frame_overlay_draw(overlay, lines.items, lines.count, 0.75 * overlay->unit,
                            (mrwi_overlay_color){200, 160, 255, 255});
    lines.count = 0;
    for (uint32_t i = 0; i < lighting.light_count; i++) {
        add_light(&lines, overlay, &lighting.lights[i]);
    }
    mrwi_frame_overlay_draw(overlay, lines.items, lines.count, 0.75 * overlay->unit,
                            (mrwi_overlay_color){255, 236, 110, 255});
    return MRW_OK;
}
