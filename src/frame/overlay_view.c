/* overlay_view.c: lines in world space, and text, over a picture. */
#include "frame/overlay.h"

#include "base/math.h"

#include <string.h>

/* Lines are cut off nearer to the eye than this share of the near plane's distance. The near plane
 * fits the framed models, but the ground reaches in front of it. */
#define NEAREST 0.05
/* Share of a point's distance from the eye by which it is drawn nearer. */
#define NEARER 1e-3

const mrwi_overlay_color mrwi_frame_overlay_dark = {16, 18, 22, 255};

void mrwi_frame_overlay_look(mrwi_frame_overlay *overlay)
{
    const mrw_camera *camera = &overlay->picture->camera;
    const float *view = camera->world_to_view.m, *clip = camera->view_to_clip.m;
    const mrw_image *image = overlay->canvas.image;
    const double side = image->width < image->height ? image->width : image->height;
    overlay->share = side / 512.0;
    overlay->unit = overlay->share > 1.0 ? overlay->share : 1.0;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++) {
                sum += (double)clip[4 * k + row] * (double)view[4 * column + k];
            }
            overlay->world_to_clip[4 * column + row] = sum;
        }
    }
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static void grow(mrwi_frame_overlay_box *box, const float *point)
{
    for (int i = 0; i < 3; i++) {
        const double x = (double)point[i];
        box->low[i] = x < box->low[i] ? x : box->low[i];
        box->high[i] = x > box->high[i] ? x : box->high[i];
    }
}

mrwi_frame_overlay_box mrwi_frame_overlay_measure(const mrwi_frame_pose *pose,
                                                  const mrw_raster_draw *draws)
{
    mrwi_frame_overlay_box box = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
    bool empty = true;
    for (uint32_t d = 0; d < pose->scene->draws_count; d++) {
        for (size_t v = 0; v < draws[d].vertex_count; v++) {
            grow(&box, draws[d].positions + 4 * v);
            empty = false;
        }
    }
    for (uint32_t n = 0; n < pose->scene->nodes_count && empty; n++) {
        grow(&box, pose->placed[n].m + 12);
    }
    return box.low[0] <= box.high[0] ? box : (mrwi_frame_overlay_box){{0.0}, {0.0}};
}

double mrwi_frame_overlay_size(const mrwi_frame_overlay_box *box)
{
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        square += (box->high[i] - box->low[i]) * (box->high[i] - box->low[i]);
    }
    return square > 0.0 ? sqrt(square) : 1.0;
}

/* ---- points and lines ------------------------------------------------------------------------ */

static void to_clip(const mrwi_frame_overlay *overlay, const double p[3], double out[4])
{
    const double *m = overlay->world_to_clip;
    for (int i = 0; i < 4; i++) {
        out[i] = ((m[i] * p[0] + m[4 + i] * p[1]) + m[8 + i] * p[2]) + m[12 + i];
    }
}

static double nearest_w(const mrwi_frame_overlay *overlay)
{
    return overlay->picture->camera.orthographic
               ? 0.5
               : NEAREST * (double)overlay->picture->camera.near_plane;
}

static void to_pixels(const mrwi_frame_overlay *overlay, const double clip[4], double out[3])
{
    const float *m = overlay->picture->camera.view_to_clip.m;
    const mrw_image *image = overlay->canvas.image;
    out[0] = (0.5 + 0.5 * clip[0] / clip[3]) * image->width;
    out[1] = (0.5 - 0.5 * clip[1] / clip[3]) * image->height;
    if (overlay->picture->camera.orthographic) {
        out[2] = clip[2] / clip[3] - NEARER * overlay->size * fabs((double)m[10]);
    } else {
        /* moved towards the eye, where z is m[14] and w is 0 */
        out[2] = (clip[2] * (1.0 - NEARER) + NEARER * (double)m[14]) / (clip[3] * (1.0 - NEARER));
    }
}

bool mrwi_frame_overlay_project(const mrwi_frame_overlay *overlay, const double point[3],
                                double out[3])
{
    double clip[4];
    to_clip(overlay, point, clip);
    if (!(clip[3] > nearest_w(overlay))) {
        return false;
    }
    to_pixels(overlay, clip, out);
    return true;
}

double mrwi_frame_overlay_scale(const mrwi_frame_overlay *overlay, const double point[3])
{
    double clip[4];
    to_clip(overlay, point, clip);
    return 0.5 * overlay->canvas.image->height *
           fabs((double)overlay->picture->camera.view_to_clip.m[5]) / clip[3];
}

void mrwi_frame_overlay_add(mrwi_frame_overlay *overlay, const mrwi_frame_overlay_line *line,
                            double radius)
{
    mrwi_overlay_stroke stroke = {
        .radius = {radius, radius}, .tested = overlay->tested, .on_surface = overlay->on_surface};
    const double least = nearest_w(overlay);
    double clip[2][4];
    to_clip(overlay, line->at[0], clip[0]);
    to_clip(overlay, line->at[1], clip[1]);
    if (!(clip[0][3] > least) && !(clip[1][3] > least)) {
        return;
    }
    memcpy(stroke.alpha, line->alpha, sizeof stroke.alpha);
    for (int end = 0; end < 2; end++) {
        const double *here = clip[end], *there = clip[!end];
        double point[4], pixel[3];
        const double t = here[3] > least ? 0.0 : (least - here[3]) / (there[3] - here[3]);
        for (int i = 0; i < 4; i++) {
            point[i] = here[i] + t * (there[i] - here[i]);
        }
        to_pixels(overlay, point, pixel);
        memcpy(stroke.at[end], pixel, sizeof stroke.at[end]);
        stroke.depth[end] = pixel[2];
        stroke.alpha[end] += t * (line->alpha[!end] - line->alpha[end]);
    }
    mrwi_overlay_add_stroke(&overlay->canvas, &stroke);
}

void mrwi_frame_overlay_draw(mrwi_frame_overlay *overlay, const mrwi_frame_overlay_line *lines,
                             size_t count, double radius, mrwi_overlay_color color)
{
    for (size_t i = 0; i < count; i++) {
        mrwi_frame_overlay_add(overlay, &lines[i], radius + overlay->unit);
    }
    mrwi_overlay_blend(&overlay->canvas, mrwi_frame_overlay_dark);
    for (size_t i = 0; i < count; i++) {
        mrwi_frame_overlay_add(overlay, &lines[i], radius);
    }
    mrwi_overlay_blend(&overlay->canvas, color);
}

/* Rounds so that the lines of letters lie at whole pixels. */
double mrwi_frame_overlay_text_size(const mrwi_frame_overlay *overlay)
{
    return 3.0 * floor(3.0 * overlay->unit + 0.5);
}

void mrwi_frame_overlay_text(mrwi_frame_overlay *overlay, double x, double y, const char *text,
                             mrwi_overlay_color color)
{
    mrwi_overlay_text place = {.x = floor(x) + 0.5,
                               .y = floor(y) + 0.5,
                               .size = mrwi_frame_overlay_text_size(overlay),
                               .radius = 2.1 * overlay->unit,
                               .alpha = 1.0};
    mrwi_overlay_add_text(&overlay->canvas, &place, text);
    mrwi_overlay_blend(&overlay->canvas, mrwi_frame_overlay_dark);
    place.radius = 0.6 * overlay->unit;
    mrwi_overlay_add_text(&overlay->canvas, &place, text);
    mrwi_overlay_blend(&overlay->canvas, color);
}
