/* canvas.c: strokes and polygons, drawn to a mask of alphas; and the mask, blended over a picture.
 */
#include "overlay/overlay.h"

#include "base/math.h"
#include "image/color.h"

#include <assert.h>
#include <string.h>

void mrwi_overlay_begin(mrw_image *image, const float *depths, float *mask,
                        mrwi_overlay_canvas *out)
{
    assert(image->channels == 3 || image->channels == 4);
    assert(image->format == MRW_FORMAT_U8 || image->format == MRW_FORMAT_U16);
    *out = (mrwi_overlay_canvas){.image = image,
                                 .depths = depths,
                                 .mask = mask,
                                 .x0 = (int32_t)image->width,
                                 .y0 = (int32_t)image->height};
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static double clamp(double x, double lo, double hi)
{
    return most(lo, least(x, hi));
}

/* Finds the first and the last + 1 of `count` pixels that a range touches. Returns false for none.
 */
static bool find_pixels(double from, double to, uint32_t count, int32_t *first, int32_t *end)
{
    if (!(to > 0.0) || !(from < count)) {
        return false;
    }
    *first = from <= 0.0 ? 0 : (int32_t)from;
    *end = to >= count ? (int32_t)count : (int32_t)to + 1;
    *end = *end > (int32_t)count ? (int32_t)count : *end;
    return *first < *end;
}

/* Returns true when the depth is visible at a pixel, or at one within `reach` in any direction. */
static bool is_seen(const mrwi_overlay_canvas *canvas, int32_t x, int32_t y, int32_t reach,
                    double depth)
{
    const int32_t width = (int32_t)canvas->image->width, height = (int32_t)canvas->image->height;
    const int32_t x0 = x < reach ? 0 : x - reach, y0 = y < reach ? 0 : y - reach;
    for (int32_t row = y0; row <= y + reach && row < height; row++) {
        for (int32_t column = x0; column <= x + reach && column < width; column++) {
            if (depth <= (double)canvas->depths[(size_t)row * (size_t)width + (size_t)column]) {
                return true;
            }
        }
    }
    return false;
}

static void put(mrwi_overlay_canvas *canvas, int32_t x, int32_t y, double alpha)
{
    float *at = &canvas->mask[(size_t)y * canvas->image->width + (size_t)x];
    *at = (float)alpha > *at ? (float)alpha : *at;
}

static void grow_box(mrwi_overlay_canvas *canvas, int32_t x0, int32_t x1, int32_t y)
{
    canvas->x0 = x0 < canvas->x0 ? x0 : canvas->x0;
    canvas->x1 = x1 > canvas->x1 ? x1 : canvas->x1;
    canvas->y0 = y < canvas->y0 ? y : canvas->y0;
    canvas->y1 = y >= canvas->y1 ? y + 1 : canvas->y1;
}

/* ---- strokes --------------------------------------------------------------------------------- */

/* Returns the area of a pixel on the inner side of a line. `inside` is the distance of the line
 * from the pixel's centre; its normal has the components a >= b >= 0. Along the normal, the width
 * of the pixel is a trapezoid: it rises over b, stays, and falls over b. */
static double half_plane(double inside, double a, double b)
{
    const double half = 0.5 * (a + b), flat = 0.5 * (a - b);
    if (inside <= -half) {
        return 0.0;
    }
    if (inside >= half) {
        return 1.0;
    }
    if (inside < -flat) {
        return (inside + half) * (inside + half) / (2.0 * a * b);
    }
    if (inside > flat) {
        return 1.0 - (half - inside) * (half - inside) / (2.0 * a * b);
    }
    return 0.5 + inside / a;
}

#define HALF_DIAGONAL 0.7072 /* half the diagonal of a pixel, rounded up */

/* Values that all pixels of a stroke share. */
typedef struct stroke_setup {
    const mrwi_overlay_stroke *stroke;
    double along[2]; /* vector from the first end to the second */
    double square;   /* its squared length */
    double normal[2];
    double reach; /* largest distance from the axis of the centres of touched pixels */
} stroke_setup;

static double cover_stroke(const stroke_setup *setup, double x, double y, double *t)
{
    const mrwi_overlay_stroke *stroke = setup->stroke;
    const double px = x - stroke->at[0][0], py = y - stroke->at[0][1];
    const double share =
        setup->square > 0.0 ? (px * setup->along[0] + py * setup->along[1]) / setup->square : 0.0;
    *t = clamp(share, 0.0, 1.0);
    const double dx = px - *t * setup->along[0], dy = py - *t * setup->along[1];
    const double apart = dx * dx + dy * dy;
    if (apart >= setup->reach * setup->reach) {
        return 0.0;
    }
    const double far = sqrt(apart);
    const double radius = stroke->radius[0] + *t * (stroke->radius[1] - stroke->radius[0]);
    /* the border's normal points from the nearest point of the axis to the pixel */
    const double nx = far > 1e-9 ? fabs(dx) / far : setup->normal[0];
    const double ny = far > 1e-9 ? fabs(dy) / far : setup->normal[1];
    const double a = most(nx, ny), b = least(nx, ny);
    return half_plane(radius - far, a, b) - half_plane(-radius - far, a, b);
}

static void add_row(mrwi_overlay_canvas *canvas, const stroke_setup *setup, int32_t x0, int32_t x1,
                    int32_t y)
{
    const mrwi_overlay_stroke *stroke = setup->stroke;
    grow_box(canvas, x0, x1, y);
    for (int32_t x = x0; x < x1; x++) {
        double t;
        const double cover = cover_stroke(setup, x + 0.5, y + 0.5, &t);
        const double alpha = stroke->alpha[0] + t * (stroke->alpha[1] - stroke->alpha[0]);
        const double depth = stroke->depth[0] + t * (stroke->depth[1] - stroke->depth[0]);
        if (cover > 0.0 && (!stroke->tested || !canvas->depths ||
                            is_seen(canvas, x, y, stroke->on_surface, depth))) {
            put(canvas, x, y, cover * alpha);
        }
    }
}

void mrwi_overlay_add_stroke(mrwi_overlay_canvas *canvas, const mrwi_overlay_stroke *stroke)
{
    const double(*at)[2] = stroke->at;
    stroke_setup setup = {.stroke = stroke,
                          .along = {at[1][0] - at[0][0], at[1][1] - at[0][1]},
                          .normal = {1.0, 0.0}};
    const double reach = most(stroke->radius[0], stroke->radius[1]) + HALF_DIAGONAL;
    const double apart = reach - 0.5; /* distance from the axis to the border of a touched pixel */
    const double top = least(at[0][1], at[1][1]), bottom = most(at[0][1], at[1][1]);
    int32_t y0, y1;
    setup.reach = reach;
    setup.square = setup.along[0] * setup.along[0] + setup.along[1] * setup.along[1];
    if (setup.square > 0.0) {
        const double length = sqrt(setup.square);
        setup.normal[0] = fabs(setup.along[1]) / length;
        setup.normal[1] = fabs(setup.along[0]) / length;
    }
    if (!find_pixels(top - apart, bottom + apart, canvas->image->height, &y0, &y1)) {
        return;
    }
    for (int32_t y = y0; y < y1; y++) {
        /* the part of the axis within reach of the row */
        double from = 0.0, to = 1.0;
        int32_t x0, x1;
        if (bottom - top > 1e-9) {
            const double a = (y + 0.5 - reach - at[0][1]) / setup.along[1];
            const double b = (y + 0.5 + reach - at[0][1]) / setup.along[1];
            from = clamp(least(a, b), 0.0, 1.0);
            to = clamp(most(a, b), 0.0, 1.0);
        }
        const double x = at[0][0] + from * setup.along[0], end = at[0][0] + to * setup.along[0];
        if (find_pixels(least(x, end) - apart, most(x, end) + apart, canvas->image->width, &x0,
                        &x1)) {
            add_row(canvas, &setup, x0, x1, y);
        }
    }
}

/* ---- polygons -------------------------------------------------------------------------------- */

/* Corners of a polygon that was cut by up to four lines. */
typedef struct cut_polygon {
    uint32_t count;
    double at[MRWI_OVERLAY_CORNERS + 4][2];
} cut_polygon;

/* Keeps the part with a coordinate of at least `limit`, or at most `limit` if sign is -1
 * (Sutherland and Hodgman 1974). */
static void cut(const cut_polygon *in, int axis, double sign, double limit, cut_polygon *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        const double *a = in->at[i], *b = in->at[i + 1 < in->count ? i + 1 : 0];
        const double da = sign * (a[axis] - limit), db = sign * (b[axis] - limit);
        if (da >= 0.0) {
            memcpy(out->at[out->count++], a, sizeof out->at[0]);
        }
        if ((da >= 0.0) != (db >= 0.0)) {
            const double t = da / (da - db);
            double *at = out->at[out->count++];
            at[!axis] = a[!axis] + t * (b[!axis] - a[!axis]);
            at[axis] = limit;
        }
    }
}

static double area_of(const cut_polygon *polygon)
{
    double twice = 0.0;
    for (uint32_t i = 1; i + 1 < polygon->count; i++) { /* a fan of triangles */
        const double *o = polygon->at[0], *a = polygon->at[i], *b = polygon->at[i + 1];
        twice += (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    }
    return 0.5 * fabs(twice);
}

static void find_range(const cut_polygon *polygon, int axis, double *low, double *high)
{
    *low = *high = polygon->at[0][axis];
    for (uint32_t i = 1; i < polygon->count; i++) {
        *low = least(*low, polygon->at[i][axis]);
        *high = most(*high, polygon->at[i][axis]);
    }
}

/* Finds where a horizontal line crosses a convex polygon. Returns false if it does not. */
static bool cross_row(const cut_polygon *polygon, double y, double *left, double *right)
{
    bool found = false;
    for (uint32_t i = 0; i < polygon->count; i++) {
        const double *a = polygon->at[i], *b = polygon->at[i + 1 < polygon->count ? i + 1 : 0];
        if (a[1] == b[1] || (y - a[1]) * (y - b[1]) > 0.0) {
            continue;
        }
        const double x = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
        *left = found ? least(*left, x) : x;
        *right = found ? most(*right, x) : x;
        found = true;
    }
    return found;
}

static void add_polygon_row(mrwi_overlay_canvas *canvas, const mrwi_overlay_polygon *polygon,
                            const cut_polygon *whole, int32_t y)
{
    cut_polygon half, row, right, pixel;
    double low, high, left[2] = {0}, end[2] = {0};
    int32_t x0, x1;
    cut(whole, 1, 1.0, y, &half);
    cut(&half, 1, -1.0, y + 1.0, &row);
    if (row.count < 3) {
        return;
    }
    find_range(&row, 0, &low, &high);
    if (!find_pixels(low, high, canvas->image->width, &x0, &x1)) {
        return;
    }
    /* a convex polygon covers everything between the parts that it covers of both borders */
    const bool full =
        cross_row(whole, y, &left[0], &end[0]) && cross_row(whole, y + 1.0, &left[1], &end[1]);
    const double from = most(left[0], left[1]), to = least(end[0], end[1]);
    grow_box(canvas, x0, x1, y);
    for (int32_t x = x0; x < x1; x++) {
        const double depth =
            polygon->depth[0] + polygon->depth[1] * (x + 0.5) + polygon->depth[2] * (y + 0.5);
        double cover = 1.0;
        if (!full || !(x >= from && x + 1.0 <= to)) {
            cut(&row, 0, 1.0, x, &right);
            cut(&right, 0, -1.0, x + 1.0, &pixel);
            cover = area_of(&pixel);
        }
        if (cover > 0.0 &&
            (!polygon->tested || !canvas->depths || is_seen(canvas, x, y, 0, depth))) {
            put(canvas, x, y, cover * polygon->alpha);
        }
    }
}

void mrwi_overlay_add_polygon(mrwi_overlay_canvas *canvas, const mrwi_overlay_polygon *polygon)
{
    cut_polygon whole = {.count = polygon->count};
    double low, high;
    int32_t y0, y1;
    assert(polygon->count >= 3 && polygon->count <= MRWI_OVERLAY_CORNERS);
    memcpy(whole.at, polygon->at, polygon->count * sizeof whole.at[0]);
    find_range(&whole, 1, &low, &high);
    if (!find_pixels(low, high, canvas->image->height, &y0, &y1)) {
        return;
    }
    for (int32_t y = y0; y < y1; y++) {
        add_polygon_row(canvas, polygon, &whole, y);
    }
}

/* ---- blending -------------------------------------------------------------------------------- */

/* Decodes sRGB (IEC 61966-2-1); for 8 bits there are tables. */
static double linear_of(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : mrwi_base_pow((srgb + 0.055) / 1.055, 2.4);
}

static double srgb_of(double linear)
{
    return linear <= 0.0031308 ? linear * 12.92 : 1.055 * mrwi_base_pow(linear, 1.0 / 2.4) - 0.055;
}

static void read_pixel(const mrw_image *image, size_t pixel, double out[4])
{
    const size_t first = pixel * image->channels;
    out[3] = 1.0;
    for (uint32_t i = 0; i < image->channels; i++) {
        if (image->format == MRW_FORMAT_U16) {
            const double value = ((const uint16_t *)image->pixels)[first + i] / 65535.0;
            out[i] = i == 3 ? value : linear_of(value);
        } else {
            const uint8_t byte = image->pixels[first + i];
            out[i] = i == 3 ? byte / 255.0 : mrwi_image_srgb_to_linear16[byte] / 65535.0;
        }
    }
}

static void write_pixel(mrw_image *image, size_t pixel, const double in[4])
{
    const size_t first = pixel * image->channels;
    for (uint32_t i = 0; i < image->channels; i++) {
        if (image->format == MRW_FORMAT_U16) {
            const double value = i == 3 ? in[i] : srgb_of(in[i]);
            ((uint16_t *)image->pixels)[first + i] =
                (uint16_t)mrwi_base_round_to_int(value * 65535.0, 0, 65535);
        } else {
            image->pixels[first + i] = i == 3
                                           ? (uint8_t)mrwi_base_round_to_int(in[i] * 255.0, 0, 255)
                                           : mrwi_image_linear_to_srgb8((float)in[i]);
        }
    }
}

static void blend_pixel(mrw_image *image, size_t pixel, const double color[3], double alpha)
{
    double below[4];
    read_pixel(image, pixel, below);
    const double rest = below[3] * (1.0 - alpha), sum = alpha + rest;
    for (int i = 0; i < 3; i++) {
        below[i] = (color[i] * alpha + below[i] * rest) / sum;
    }
    below[3] = sum;
    write_pixel(image, pixel, below);
}

/* Writes an opaque colour without blending. That is 40 % of the pixels of a skeleton, and blending
 * in 16 bits takes a microsecond per pixel. */
static void cover_pixel(mrw_image *image, size_t pixel, mrwi_overlay_color color)
{
    const uint8_t bytes[4] = {color.r, color.g, color.b, 255};
    const size_t first = pixel * image->channels;
    for (uint32_t i = 0; i < image->channels; i++) {
        if (image->format == MRW_FORMAT_U16) {
            ((uint16_t *)image->pixels)[first + i] = (uint16_t)(bytes[i] * 257u);
        } else {
            image->pixels[first + i] = bytes[i];
        }
    }
}

void mrwi_overlay_blend(mrwi_overlay_canvas *canvas, mrwi_overlay_color color)
{
    mrw_image *image = canvas->image;
    const double linear[3] = {mrwi_image_srgb_to_linear16[color.r] / 65535.0,
                              mrwi_image_srgb_to_linear16[color.g] / 65535.0,
                              mrwi_image_srgb_to_linear16[color.b] / 65535.0};
    for (int32_t y = canvas->y0; y < canvas->y1; y++) {
        for (int32_t x = canvas->x0; x < canvas->x1; x++) {
            const size_t pixel = (size_t)y * image->width + (size_t)x;
            const double alpha = (double)canvas->mask[pixel] * color.a / 255.0;
            canvas->mask[pixel] = 0.0f;
            if (alpha >= 1.0) {
                cover_pixel(image, pixel, color);
            } else if (alpha >= 1.0 / 255.0) {
                blend_pixel(image, pixel, linear, alpha);
            }
            if (image->subject && alpha >= 1.0 / 255.0) {
                image->subject[pixel] = 1;
            }
        }
    }
    mrwi_overlay_begin(image, canvas->depths, canvas->mask, canvas);
}
