/* overlay.c: what lies over the picture: the line of time, names, lists, the skeleton. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const viewer_color white = {240, 242, 245, 255}, dim = {168, 174, 184, 255};
static const viewer_color plate = {16, 18, 22, 200}, track = {70, 76, 88, 255};
static const viewer_color range = {84, 122, 178, 255}, key_mark = {244, 190, 80, 255};
static const viewer_color head = {255, 92, 72, 255}, warning = {255, 150, 130, 255};

/* ---- the line of time ------------------------------------------------------------------------ */

/* Over the whole width: a row of text, and the line below it. */
#define TIME_HEIGHT 58
#define TRACK_TOP   32 /* below the top of it */
#define TRACK_SIZE  18
#define BORDER      8

int viewer_overlay_timeline(const viewer *v)
{
    return v->state.clip == MRW_NONE || v->state.clock.last == 0 ? 0 : TIME_HEIGHT;
}

static double track_width(const viewer *v)
{
    const double width = (double)v->state.width - 2.0 * BORDER;
    return width > 1.0 ? width : 1.0;
}

static double x_of_time(const viewer *v, double time)
{
    const double length = mrw_frame_time(v->state.clock.last, v->state.clock.rate);
    const double share = length > 0.0 ? time / length : 0.0;
    return BORDER + (share > 1.0 ? 1.0 : share) * track_width(v);
}

static double x_of_frame(const viewer *v, uint64_t frame)
{
    return x_of_time(v, mrw_frame_time(frame, v->state.clock.rate));
}

uint64_t viewer_overlay_frame_at(const viewer *v, double x)
{
    const double share = (x - BORDER) / track_width(v);
    const double most = (double)v->state.clock.last;
    return share <= 0.0 ? 0 : share >= 1.0 ? v->state.clock.last : (uint64_t)(share * most + 0.5);
}

/* "25", or "30000/1001" where a rate is no whole number. */
static void rate_text(mrw_rate rate, char out[32])
{
    if (rate.den == 1) {
        snprintf(out, 32, "%u", rate.num);
    } else {
        snprintf(out, 32, "%u/%u", rate.num, rate.den);
    }
}

static void status_text(const viewer *v, char *out, size_t size)
{
    const viewer_clock *c = &v->state.clock;
    static const char *const repeats[] = {"loop", "ping-pong", "once"};
    char rate[32], time[32], speed[32], clip[80], shading[80];
    rate_text(c->rate, rate);
    mrw_format_fixed(c->time, 3, time);
    mrw_format_double(viewer_clock_speed(c), speed);
    snprintf(out, size, "%s   frame %llu of %llu at %s/s   %s s   %s%s %s%s%s   %s",
             mrw_escape_text(mrw_session_clip_name(&v->model, v->state.clip), clip, sizeof clip),
             (unsigned long long)c->frame, (unsigned long long)c->last, rate, time,
             c->playing ? "plays" : "stands", c->backward ? " backward," : ",", repeats[c->repeat],
             c->speed != 0 ? ", x" : "", c->speed != 0 ? speed : "",
             mrw_escape_text(v->state.shading, shading, sizeof shading));
}

static void draw_time(const viewer *v, mrw_image *image)
{
    const viewer_clock *c = &v->state.clock;
    const int top = (int)image->height - viewer_overlay_timeline(v);
    const int y = top + TRACK_TOP;
    char text[400];
    if (viewer_overlay_timeline(v) == 0) {
        return;
    }
    viewer_canvas_rect(image, 0, top, (int)image->width, TIME_HEIGHT, plate);
    status_text(v, text, sizeof text);
    viewer_canvas_text(image, BORDER, top + 7, text, white);
    viewer_canvas_rect(image, BORDER, y, (int)track_width(v) + 1, TRACK_SIZE, track);
    const int from = (int)x_of_frame(v, c->in), to = (int)x_of_frame(v, c->out);
    viewer_canvas_rect(image, from, y, to - from + 1, TRACK_SIZE, range);
    int last = -1;
    for (size_t i = 0; i < c->key_count; i++) { /* one mark a column */
        const int x = (int)x_of_time(v, c->keys[i]);
        if (x != last) {
            viewer_canvas_rect(image, x, y + TRACK_SIZE - 7, 1, 7, key_mark);
        }
        last = x;
    }
    viewer_canvas_rect(image, (int)x_of_time(v, c->time) - 1, y - 3, 3, TRACK_SIZE + 6, head);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static int rows_that_fit(const viewer *v)
{
    const int rows =
        ((int)v->state.height - viewer_overlay_timeline(v) - 3 * VIEWER_LINE) / VIEWER_LINE;
    return rows > 1 ? rows : 1;
}

static int first_clip(const viewer *v)
{
    const int fit = rows_that_fit(v), chosen = (int)v->overlay.chosen;
    return chosen < fit ? 0 : chosen - fit + 1;
}

static void draw_clips(const viewer *v, mrw_image *image)
{
    const int count = (int)v->scene->clips_count, first = first_clip(v), fit = rows_that_fit(v);
    const int width = (int)image->width < 420 ? (int)image->width : 420;
    const int shown = count - first < fit ? count - first : fit;
    viewer_canvas_rect(image, 0, 0, width, (shown + 1) * VIEWER_LINE + 12, plate);
    viewer_canvas_text(image, BORDER, 8, "Clips: Up, Down, Enter, or a click", dim);
    for (int i = 0; i < shown; i++) {
        const uint32_t clip = (uint32_t)(first + i);
        char text[160], name[100], seconds[32];
        mrw_format_fixed(mrw_session_clip_duration(&v->model, clip), 2, seconds);
        snprintf(text, sizeof text, "%u  %s  %s s", clip,
                 mrw_escape_text(mrw_session_clip_name(&v->model, clip), name, sizeof name),
                 seconds);
        const int y = (i + 1) * VIEWER_LINE + 6;
        if (clip == v->overlay.chosen) {
            viewer_canvas_rect(image, 0, y, width, VIEWER_LINE, range);
        }
        viewer_canvas_text(image, BORDER, y + 5, text, clip == v->state.clip ? key_mark : white);
    }
}

uint32_t viewer_overlay_clip_at(const viewer *v, double x, double y)
{
    const int row = (int)((y - 6.0) / VIEWER_LINE) - 1;
    const int clip = first_clip(v) + row;
    if (x > 420.0 || y < VIEWER_LINE + 6.0 || row >= rows_that_fit(v) ||
        clip >= (int)v->scene->clips_count) {
        return MRW_NONE;
    }
    return (uint32_t)clip;
}

static void draw_help(const viewer *v, mrw_image *image)
{
    const int fit = rows_that_fit(v);
    int row = 0, column = 150;
    for (size_t i = 0; i < viewer_key_count(); i++) {
        const int width = viewer_canvas_text_width(viewer_key_at(i).keys) + 3 * BORDER;
        column = width > column ? width : column;
    }
    viewer_canvas_rect(image, 0, 0, (int)image->width,
                       (int)image->height - viewer_overlay_timeline(v), plate);
    for (size_t i = 0; i < viewer_key_count(); i++) {
        const viewer_key_info info = viewer_key_at(i);
        const int lines = info.group ? 2 : 1;
        for (int line = 2 - lines; line < 2; line++, row++) {
            const int y = (row - v->overlay.help_from) * VIEWER_LINE + BORDER;
            if (row < v->overlay.help_from || row >= v->overlay.help_from + fit) {
                continue;
            }
            if (line == 0) {
                viewer_canvas_text(image, BORDER, y + 5, info.group, key_mark);
            } else {
                viewer_canvas_text(image, 2 * BORDER, y + 5, info.keys, white);
                viewer_canvas_text(image, column, y + 5, info.help, dim);
            }
        }
    }
    viewer_canvas_text(image, BORDER, (fit + 1) * VIEWER_LINE,
                       "Up and Down for more; h or Esc closes this list", dim);
}

/* ---- the skeleton ---------------------------------------------------------------------------- */

/* Pixels of a point of the world; false behind the camera. */
static bool project(const mrw_camera *camera, const mrw_image *image, const float *p, double out[2])
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

static bool is_joint(const mrw_scene *scene, uint32_t node)
{
    for (uint32_t j = 0; j < scene->joints_count; j++) {
        if (scene->joints[j] == node) {
            return true;
        }
    }
    return false;
}

/* Bones between joints; without skins, between all nodes. */
static mrw_status draw_skeleton(viewer *v, mrw_image *image, mrw_error *error)
{
    const viewer_color bone = {255, 214, 90, 255}, joint = {40, 90, 200, 255};
    const mrw_scene *scene = v->scene;
    const mrw_posed_instance *posed;
    mrw_camera camera;
    mrw_status status = viewer_picture_camera(v, &camera, &posed, error);
    for (int pass = 0; pass < 2 && status == MRW_OK; pass++) {
        for (uint32_t n = 0; n < scene->nodes_count; n++) {
            const uint32_t parent = scene->nodes[n].parent;
            double at[2], from[2];
            if ((scene->joints_count > 0 && !is_joint(scene, n)) ||
                !project(&camera, image, posed[0].node_to_world[n].m + 12, at)) {
                continue;
            }
            if (pass == 1) {
                viewer_canvas_disc(image, at[0], at[1], n == v->overlay.picked_node ? 5.0 : 3.0,
                                   n == v->overlay.picked_node ? head : joint);
            } else if (parent != MRW_NONE &&
                       (scene->joints_count == 0 || is_joint(scene, parent)) &&
                       project(&camera, image, posed[0].node_to_world[parent].m + 12, from)) {
                viewer_canvas_line(image, from[0], from[1], at[0], at[1], bone);
            }
        }
    }
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The picture, over squares where it has no background. */
static mrw_status lay_picture(viewer *v, mrw_error *error)
{
    const mrw_image *from = &v->drawing.picture;
    mrw_image *to = &v->overlay.image;
    const uint8_t *other =
        v->overlay.compare && v->drawing.other_valid ? v->drawing.other.pixels : NULL;
    mrw_status status = MRW_OK;
    if (to->width != v->state.width || to->height != v->state.height) {
        mrw_image_free(to);
        status = mrw_image_create(v->state.width, v->state.height, 3, to, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    memset(to->pixels, 0x30, 3 * (size_t)to->width * to->height);
    for (uint32_t y = 0; y < to->height && y < from->height; y++) {
        for (uint32_t x = 0; x < to->width && x < from->width; x++) {
            const uint8_t *p = from->pixels + from->channels * ((size_t)y * from->width + x);
            uint8_t *q = to->pixels + 3 * ((size_t)y * to->width + x);
            const unsigned alpha = from->channels == 4 ? p[3] : 255u;
            const unsigned square = (x / 12 + y / 12) % 2 == 0 ? 150u : 106u;
            for (int i = 0; i < 3 && other; i++) {
                const int by = 16 * abs(p[i] - other[p - from->pixels + i]);
                q[i] = (uint8_t)(by < 255 ? by : 255);
            }
            for (int i = 0; i < 3 && !other; i++) {
                q[i] = (uint8_t)((p[i] * alpha + square * (255u - alpha) + 127u) / 255u);
            }
        }
    }
    return MRW_OK;
}

static void draw_messages(const viewer *v, mrw_image *image)
{
    const viewer_overlay *o = &v->overlay;
    const int bottom = (int)image->height - viewer_overlay_timeline(v) - VIEWER_LINE - 4;
    char text[600], name[200];
    int y = 4;
    for (int i = 0; i < 3 && o->picked[0][0] != '\0' && !o->clips && !o->help; i++) {
        viewer_canvas_label(image, 4, y, o->picked[i], white);
        y += VIEWER_LINE;
    }
    if (v->overlay.compare && v->drawing.other_valid && !o->clips && !o->help) {
        snprintf(text, sizeof text, "%llu of %llu pixels differ, by up to %d",
                 (unsigned long long)v->drawing.differing,
                 (unsigned long long)image->width * image->height, v->drawing.furthest);
        viewer_canvas_label(image, 4, y, text, white);
    }
    if (v->loading.running) {
        char seconds[32];
        mrw_format_fixed(v->now - v->loading.seconds, 1, seconds);
        snprintf(text, sizeof text, "loading %s ... %s s",
                 mrw_escape_text(v->loading.path, name, sizeof name), seconds);
        viewer_canvas_label(image, 4, bottom, text, white);
    } else if (o->message[0] != '\0') {
        viewer_canvas_label(image, 4, bottom, o->message, o->bad ? warning : white);
    }
}

mrw_status viewer_overlay_draw(viewer *v, mrw_error *error)
{
    mrw_image *image = &v->overlay.image;
    mrw_status status = lay_picture(v, error);
    if (status == MRW_OK && v->overlay.skeleton && v->drawing.begun && v->drawing.valid) {
        status = draw_skeleton(v, image, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    draw_time(v, image);
    if (v->overlay.help) {
        draw_help(v, image);
    } else if (v->overlay.clips) {
        draw_clips(v, image);
    }
    draw_messages(v, image);
    return MRW_OK;
}
