/* marks.c: draws marks on the model over the picture: skeletons, the clicked joint, lights. */
#include "internal.h"

#include <math.h>
#include <string.h>

static const mrwi_overlay_color picked_light = {244, 190, 80, 255};
static const mrwi_overlay_color other_light = {168, 174, 184, 255};
static const mrwi_overlay_color clicked = {255, 92, 72, 255};
/* Makes marks visible on a light background. */
static const mrwi_overlay_color border = {24, 26, 32, 255};

bool viewer_marks_project(const mrw_camera *camera, const mrw_image *image, const float *p,
                          double out[2])
{
    double view[4], clip[4];
    const float *m = camera->world_to_view.m, *c = camera->view_to_clip.m;
    for (int i = 0; i < 4; i++) {
        view[i] = (double)m[i] * (double)p[0] + (double)m[4 + i] * (double)p[1] +
                  (double)m[8 + i] * (double)p[2] + (double)m[12 + i];
    }
    for (int i = 0; i < 4; i++) {
        clip[i] = (double)c[i] * view[0] + (double)c[4 + i] * view[1] + (double)c[8 + i] * view[2] +
                  (double)c[12 + i] * view[3];
    }
    if (!(clip[3] > 1e-6)) {
        return false;
    }
    out[0] = (0.5 + 0.5 * clip[0] / clip[3]) * image->width;
    out[1] = (0.5 - 0.5 * clip[1] / clip[3]) * image->height;
    return true;
}

/* ---- skeletons ------------------------------------------------------------------------------- */

mrw_status viewer_marks_skeletons(const viewer *v, mrwi_overlay_canvas *canvas, mrw_error *error)
{
    mrw_image *image = canvas->image;
    const mrw_session *session = &v->drawing.line.session;
    const double radius = 2.5 * viewer_canvas_text_of(v->window.width, v->window.height).scale;
    const mrw_posed_instance *posed;
    mrw_camera camera;
    mrw_frame_def def = session->frame;
    mrw_status status = viewer_picture_camera(&v->drawing, &camera, &posed, error);
    if (status) {
        return status;
    }
    def.camera = camera;
    def.scene_camera = MRW_NONE; /* `camera` already stands there, and already follows its node */
    def.follow.node = MRW_NONE;
    def.width = image->width;
    def.height = image->height;
    def.overlays = 1u << MRW_OVERLAY_SKELETON;
    def.overlay_depth = false;
    status = mrw_frame_draw_overlays(v->drawing.renderer, &def, session->instances,
                                     session->instance_count, session->threads, image, error);
    if (status || v->overlay.picked_node == MRW_NONE) {
        return status;
    }
    status =
        viewer_picture_camera(&v->drawing, &camera, &posed, error); /* overlays have posed, too */
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < session->instance_count; i++) {
        double at[2];
        if (session->scenes[i] == v->loaded.scene &&
            viewer_marks_project(&camera, image,
                                 posed[i].node_to_world[v->overlay.picked_node].m + 12, at)) {
            viewer_canvas_stroke(canvas, at, at, radius + 1.0);
            mrwi_overlay_blend(canvas, border);
            viewer_canvas_stroke(canvas, at, at, radius);
            mrwi_overlay_blend(canvas, clicked);
        }
    }
    return MRW_OK;
}

/* ---- lights ---------------------------------------------------------------------------------- */

/* Draws a segment of the world with a dark border if both ends are in front of the camera. */
static void draw_segment(mrwi_overlay_canvas *canvas, const mrw_camera *camera,
                         const double from[3], const double to[3], mrwi_overlay_color color)
{
    const float a[3] = {(float)from[0], (float)from[1], (float)from[2]};
    const float b[3] = {(float)to[0], (float)to[1], (float)to[2]};
    double p[2], q[2];
    if (viewer_marks_project(camera, canvas->image, a, p) &&
        viewer_marks_project(camera, canvas->image, b, q)) {
        viewer_canvas_stroke(canvas, p, q, 2.5);
        mrwi_overlay_blend(canvas, border);
        viewer_canvas_stroke(canvas, p, q, 1.0);
        mrwi_overlay_blend(canvas, color);
    }
}

/* Draws a lamp: a disc, with rays for a light that shines in all directions. */
static void draw_lamp(mrwi_overlay_canvas *canvas, const mrw_camera *camera, const double at[3],
                      bool rays, double radius, mrwi_overlay_color color)
{
    static const double ways[8][2] = {{1, 0},  {0.7, 0.7},   {0, 1},  {-0.7, 0.7},
                                      {-1, 0}, {-0.7, -0.7}, {0, -1}, {0.7, -0.7}};
    const float point[3] = {(float)at[0], (float)at[1], (float)at[2]};
    double p[2];
    if (!viewer_marks_project(camera, canvas->image, point, p)) {
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        const double more = pass == 0 ? 1.5 : 0.0;
        viewer_canvas_stroke(canvas, p, p, radius + more);
        for (int i = 0; i < 8 && rays; i++) {
            const double near = radius + 3.0, far = 2.0 * radius + 4.0;
            const double from[2] = {p[0] + near * ways[i][0], p[1] + near * ways[i][1]};
            const double to[2] = {p[0] + far * ways[i][0], p[1] + far * ways[i][1]};
            viewer_canvas_stroke(canvas, from, to, 0.8 + more);
        }
        mrwi_overlay_blend(canvas, pass == 0 ? border : color);
    }
}

/* Computes two axes perpendicular to a direction and to each other. */
static void axes_across(const double way[3], double u[3], double w[3])
{
    const int least = way[0] * way[0] < way[1] * way[1] ? 0 : 1;
    const double other[3] = {least == 0 ? 1.0 : 0.0, least == 1 ? 1.0 : 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        u[i] = way[k] * other[l] - way[l] * other[k];
    }
    const double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int i = 0; i < 3; i++) {
        u[i] /= length > 0.0 ? length : 1.0;
    }
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        w[i] = way[k] * u[l] - way[l] * u[k];
    }
}

/* Computes from + along * a + across * b. */
static void go(const double from[3], const double a[3], double along, const double b[3],
               double across, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = from[i] + along * a[i] + across * b[i];
    }
}

/* Draws a light: a directional one as an arrow towards the centre of the model, a spot as its cone,
 * a point as a lamp. size: the diagonal of the model. */
static void draw_light(const mrw_light_def *def, const viewer_light_place *place,
                       const mrw_camera *camera, const double centre[3], double size, bool picked,
                       mrwi_overlay_canvas *canvas)
{
    const mrwi_overlay_color color = picked ? picked_light : other_light;
    const double radius = picked ? 6.0 : 4.0, *way = place->direction;
    double from[3], to[3], side[3], u[3], w[3];
    axes_across(way, u, w);
    if (def->type == MRW_LIGHT_DIRECTIONAL) {
        go(centre, way, -0.62 * size, u, 0.0, from);
        go(centre, way, -0.28 * size, u, 0.0, to);
        draw_segment(canvas, camera, from, to, color);
        for (int k = 0; k < 4; k++) {
            go(to, way, -0.07 * size, k < 2 ? u : w, (k % 2 == 0 ? 0.03 : -0.03) * size, side);
            draw_segment(canvas, camera, side, to, color);
        }
    } else {
        memcpy(from, place->position, sizeof from);
    }
    if (def->type == MRW_LIGHT_SPOT) {
        const double most = 80.0, degrees = (double)def->outer_cone * 57.29577951308232;
        const double wide = viewer_tan(degrees < most ? degrees : most);
        const double along = 0.35 * size / (1.0 + wide);
        for (int k = 0; k < 4; k++) {
            go(from, way, along, k < 2 ? u : w, (k % 2 == 0 ? wide : -wide) * along, side);
            draw_segment(canvas, camera, from, side, color);
            go(from, way, along, k < 2 ? w : u, (k % 2 == 0 ? wide : -wide) * along, to);
            draw_segment(canvas, camera, side, to, color);
        }
    }
    draw_lamp(canvas, camera, from, def->type == MRW_LIGHT_POINT, radius, color);
}

mrw_status viewer_marks_lights(const viewer *v, mrwi_overlay_canvas *canvas, mrw_error *error)
{
    const mrw_frame_def *frame = &v->drawing.line.session.frame;
    const mrw_posed_instance *posed;
    mrw_camera camera;
    double centre[3], square = 0.0;
    mrw_status status = viewer_picture_camera(&v->drawing, &camera, &posed, error);
    if (status) {
        return status;
    }
    for (int i = 0; i < 3; i++) {
        const double low = (double)v->state.box.min[i], high = (double)v->state.box.max[i];
        centre[i] = (low + high) / 2.0;
        square += (high - low) * (high - low);
    }
    for (uint32_t i = 0; i < frame->light_count; i++) {
        const viewer_light_place place = viewer_lights_place(&frame->lights[i], &camera, posed);
        draw_light(&frame->lights[i], &place, &camera, centre, sqrt(square), i == v->lights.picked,
                   canvas);
    }
    return MRW_OK;
}
