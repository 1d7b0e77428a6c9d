/* camera.c: a camera that is moved by a mouse and written as options. */
#include "internal.h"

#include <math.h>
#include <string.h>

#define DEGREES_PIXEL 0.4  /* degrees that a pixel of mouse movement turns the camera by */
#define STEEPEST      89.9 /* degrees of elevation */
#define LOG_NOTCH     (-0.10536051565782628) /* ln 0.9: a notch of the wheel goes a tenth nearer */

/* ---- axes ------------------------------------------------------------------------------------ */

/* Columns of the view-to-world matrix. The library computes them, so that they are the same on
 * every machine. */
typedef struct axes {
    double right[3], up[3], back[3];
} axes;

static axes axes_of(const viewer_camera *camera)
{
    static const float none[3] = {0.0f, 0.0f, 0.0f}, one[3] = {1.0f, 1.0f, 1.0f};
    const float turn[3] = {(float)-camera->elevation, (float)camera->azimuth, 0.0f};
    mrw_mat4 m;
    axes a;
    mrw_view_model_transform(none, turn, one, &m);
    for (int i = 0; i < 3; i++) {
        a.right[i] = (double)m.m[i];
        a.up[i] = (double)m.m[4 + i];
        a.back[i] = (double)m.m[8 + i];
    }
    return a;
}

static double clamp(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

void viewer_box_widen(viewer_box *box, const viewer_box *by)
{
    for (int i = 0; i < 3; i++) {
        box->min[i] = by->min[i] < box->min[i] ? by->min[i] : box->min[i];
        box->max[i] = by->max[i] > box->max[i] ? by->max[i] : box->max[i];
    }
}

/* ---- the mouse ------------------------------------------------------------------------------- */

void viewer_camera_orbit(viewer_camera *camera, double dx, double dy)
{
    camera->azimuth = fmod(camera->azimuth - DEGREES_PIXEL * dx, 360.0);
    camera->elevation = clamp(camera->elevation + DEGREES_PIXEL * dy, -STEEPEST, STEEPEST);
}

void viewer_camera_look(viewer_camera *camera, double dx, double dy)
{
    const axes before = axes_of(camera);
    viewer_camera_orbit(camera, dx, dy);
    const axes after = axes_of(camera);
    for (int i = 0; i < 3; i++) {
        camera->target[i] += (before.back[i] - after.back[i]) * camera->distance;
    }
}

void viewer_camera_pan(viewer_camera *camera, double dx, double dy, double fov, uint32_t height)
{
    const axes a = axes_of(camera);
    const double half_height = /* half the visible height at the target */
        camera->orthographic ? camera->height / 2.0 : camera->distance * viewer_tan(fov / 2.0);
    const double unit = 2.0 * half_height / (double)height;
    for (int i = 0; i < 3; i++) {
        camera->target[i] += (a.up[i] * dy - a.right[i] * dx) * unit;
    }
}

void viewer_camera_zoom(viewer_camera *camera, double notches)
{
    const double factor = viewer_exp(LOG_NOTCH * clamp(notches, -50.0, 50.0));
    camera->distance = clamp(camera->distance * factor, 1e-5, 1e8);
    camera->height = clamp(camera->height * factor, 1e-5, 1e8);
}

void viewer_camera_fly(viewer_camera *camera, double right, double up, double forward)
{
    const axes a = axes_of(camera);
    for (int i = 0; i < 3; i++) {
        camera->target[i] +=
            (a.right[i] * right + a.up[i] * up - a.back[i] * forward) * camera->distance;
    }
}

/* ---- from one kind to another ---------------------------------------------------------------- */

void viewer_camera_frame(viewer_camera *camera, double azimuth, double elevation)
{
    camera->kind = VIEWER_CAMERA_FRAMED;
    camera->azimuth = azimuth;
    camera->elevation = elevation;
}

void viewer_camera_project(viewer_camera *camera, double fov)
{
    const double slope = viewer_tan(fov / 2.0);
    camera->orthographic = !camera->orthographic;
    if (camera->orthographic) {
        camera->height = 2.0 * slope * camera->distance;
    } else {
        camera->distance = camera->height / (2.0 * slope);
    }
}

void viewer_camera_free(viewer_camera *camera, const mrw_camera *seen, const viewer_box *box,
                        bool keep_angles)
{
    const float *m = seen->world_to_view.m;
    const double back[3] = {(double)m[2], (double)m[6], (double)m[10]};
    const double scale = (double)seen->view_to_clip.m[5];
    double ahead = 0.0, away = 0.0;
    for (int i = 0; i < 3; i++) {
        const double to = ((double)box->min[i] + (double)box->max[i]) / 2.0 - (double)seen->eye[i];
        ahead -= back[i] * to;
        away += to * to;
    }
    camera->kind = VIEWER_CAMERA_FREE;
    camera->distance = clamp(ahead > 1e-3 * sqrt(away) ? ahead : sqrt(away), 1e-5, 1e8);
    camera->orthographic = seen->orthographic;
    if (camera->orthographic) {
        camera->height = 2.0 / scale;
    } else {
        camera->fov = 2.0 * viewer_arc_tan(1.0, scale);
        camera->height = 2.0 * camera->distance / scale;
    }
    if (!keep_angles) {
        camera->elevation = viewer_arc_sin(clamp(back[1], -1.0, 1.0));
        camera->azimuth = viewer_arc_tan(back[0], back[2]);
    }
    for (int i = 0; i < 3; i++) {
        camera->target[i] = (double)seen->eye[i] - back[i] * camera->distance;
    }
}

/* ---- as options ------------------------------------------------------------------------------ */

static void put_number(viewer_words *out, const char *name, double value)
{
    char text[32];
    mrw_format_float((float)value, text);
    viewer_words_option(out, name, text);
}

static void put_vector(viewer_words *out, const char *name, const double value[3])
{
    mrw_text text = {0};
    for (int i = 0; i < 3; i++) {
        mrw_text_puts(&text, i > 0 ? "," : "");
        mrw_text_float(&text, (float)value[i] + 0.0f);
    }
    viewer_words_option(out, name, text.failed ? "" : text.data);
    out->failed |= text.failed;
    mrw_text_free(&text);
}

/* Writes an option that the command line has. Returns false if it does not have it. */
static bool put_given(viewer_words *out, const viewer_arguments *arguments, const char *name)
{
    const char *value = viewer_arguments_find(arguments, name);
    if (value) {
        viewer_words_option(out, name, value[0] != '\0' ? value : NULL);
    }
    return value;
}

static void write_given(const viewer_arguments *arguments, viewer_words *out)
{
    static const char *const names[] = {"camera",      "azimuth", "elevation", "eye",
                                        "target",      "up",      "fov",       "ortho",
                                        "view-height", "near",    "far",       "margin"};
    bool placed = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bool given = put_given(out, arguments, names[i]);
        placed |= given && (strcmp(names[i], "camera") == 0 || strcmp(names[i], "eye") == 0);
    }
    if (!put_given(out, arguments, "fit") && !placed) {
        viewer_words_option(out, "fit", "clip");
    }
}

static void write_lens(const viewer_camera *camera, const viewer_arguments *arguments,
                       viewer_words *out)
{
    if (camera->orthographic) {
        viewer_words_option(out, "ortho", NULL);
    } else if (camera->fov > 0.0) {
        put_number(out, "fov", clamp(camera->fov, 1.0, 170.0));
    } else {
        put_given(out, arguments, "fov");
    }
    put_given(out, arguments, "up");
}

/* Writes near and far planes around a box. wide: the picture shows more, far beyond the box. */
static void write_planes(const viewer_camera *camera, const viewer_arguments *arguments,
                         const viewer_box *box, bool wide, const double eye[3], viewer_words *out)
{
    const axes a = axes_of(camera);
    double nearest = 1e30, farthest = -1e30;
    for (int corner = 0; corner < 8; corner++) {
        double depth = 0.0;
        for (int i = 0; i < 3; i++) {
            depth -= a.back[i] * ((double)((corner >> i & 1) ? box->max[i] : box->min[i]) - eye[i]);
        }
        nearest = depth < nearest ? depth : nearest;
        farthest = depth > farthest ? depth : farthest;
    }
    /* Leave some room: a fading clip, or a model in the other picture, may leave the box. */
    const double room = 0.25 * (farthest - nearest) + 1e-4 * camera->distance;
    const double far_plane =
        clamp((farthest + room) * (wide ? 20.0 : 1.0), camera->distance * 2.0, 1e9);
    const double least = far_plane * 1e-4;
    const double near_plane = clamp((nearest - room) * (wide ? 0.05 : 1.0), least, far_plane / 2.0);
    if (!put_given(out, arguments, "near")) {
        put_number(out, "near", near_plane);
    }
    if (!put_given(out, arguments, "far")) {
        put_number(out, "far", far_plane);
    }
}

static void write_free(const viewer_camera *camera, const viewer_arguments *arguments,
                       const viewer_box *box, bool wide, viewer_words *out)
{
    const axes a = axes_of(camera);
    double eye[3], distance = camera->distance;
    if (camera->orthographic) { /* moves the eye so far back that the whole box is in front of it */
        for (int i = 0; i < 3; i++) {
            distance += (double)box->max[i] - (double)box->min[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        eye[i] = camera->target[i] + a.back[i] * distance;
    }
    put_vector(out, "eye", eye);
    put_vector(out, "target", camera->target);
    write_lens(camera, arguments, out);
    if (camera->orthographic) {
        put_number(out, "view-height", camera->height);
    }
    write_planes(camera, arguments, box, wide, eye, out);
}

void viewer_camera_write(const viewer_camera *camera, const viewer_arguments *arguments,
                         const viewer_box *box, bool far_away, viewer_words *out)
{
    if (camera->kind == VIEWER_CAMERA_GIVEN) {
        write_given(arguments, out);
    } else if (camera->kind == VIEWER_CAMERA_FREE) {
        write_free(camera, arguments, box, far_away, out);
    } else {
        put_number(out, "azimuth", camera->azimuth);
        put_number(out, "elevation", camera->elevation);
        write_lens(camera, arguments, out);
        put_given(out, arguments, "margin");
        put_given(out, arguments, "near");
        put_given(out, arguments, "far");
        if (!put_given(out, arguments, "fit")) {
            viewer_words_option(out, "fit", "clip");
        }
    }
}
