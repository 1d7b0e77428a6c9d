/* catcher.c: the part of a picture in which a ground can catch shadows. The ground of
 * MRW_GROUND_CATCHER shows only shadows and is mostly empty, so the rest need not be drawn. */
#include "frame/frame.h"

#include <math.h>

/* Farthest texel that a lookup reads (shade/shadow_spec.h): in widths of the border half of one,
 * and a texel of a level of which more than 3.5 make a width; and in texels, where borders are
 * narrow.
 */
#define WIDTHS (0.5 + 1.0 / 3.5)
#define TEXELS 4.0

/* Pixels over which occlusion is smoothed, and looked for at edges, and some for rounding. */
#define SMOOTHED 8.0

/* Returns row r of a matrix times (x, y, z, 1). */
static double row(const mrw_mat4 *m, int r, const double p[3])
{
    return (((double)m->m[r] * p[0] + (double)m->m[4 + r] * p[1]) + (double)m->m[8 + r] * p[2]) +
           (double)m->m[12 + r];
}

/* Finds the point where the ray of a shadow map through (u, v) of clip space meets the plane at
 * height out[1]: clip x = u w and clip y = v w are two equations for x and z. Returns w. */
static double meet(const mrw_mat4 *m, double u, double v, double out[3])
{
    double a[2], b[2], e[2];
    const double at[2] = {u, v};
    for (int r = 0; r < 2; r++) {
        const double origin[3] = {0.0, out[1], 0.0};
        a[r] = (double)m->m[r] - at[r] * (double)m->m[3];
        b[r] = (double)m->m[8 + r] - at[r] * (double)m->m[11];
        e[r] = at[r] * row(m, 3, origin) - row(m, r, origin);
    }
    const double det = a[0] * b[1] - b[0] * a[1];
    out[0] = (e[0] * b[1] - b[0] * e[1]) / det;
    out[2] = (a[0] * e[1] - e[0] * a[1]) / det;
    return row(m, 3, out);
}

/* A part of the picture, in pixels. */
typedef struct part {
    double x0, y0, x1, y1;
} part;

/* Returns the farthest texel around a span in which its shadow on the plane shows. */
static double reach_of(const mrw_shadow_map *map, uint32_t number, double y)
{
    const uint32_t of_face = (map->size + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
    const mrw_shadow_span *span = &map->spans[number];
    const double top = number % of_face * MRW_SHADOW_SPAN_ROWS, size = map->size;
    const double most = WIDTHS * (double)map->widest + TEXELS;
    double deepest = 0.0;
    mrw_mat4 light;
    mrw_shadow_view(map, number / of_face, &light);
    for (int i = 0; i < 4; i++) { /* depth is linear over the plane */
        const double u = 2.0 * (i & 1 ? span->x1 + most : span->x0 - most) / size - 1.0;
        const double v =
            1.0 - 2.0 * (i >> 1 ? top + MRW_SHADOW_SPAN_ROWS + most : top - most) / size;
        double p[3] = {0.0, y, 0.0};
        const double w = meet(&light, u, v, p), depth = row(&light, 2, p) / w;
        if (!(w > 0.0) || !(depth < 1e9)) {
            return most;
        }
        deepest = depth > deepest ? depth : deepest;
    }
    const double width = deepest * (double)map->softness;
    return WIDTHS * (width < (double)map->widest ? width : (double)map->widest) + TEXELS;
}

/* Adds the shadow of a span on the plane, widened by the reach of the filter, to a part of the
 * picture. Returns false when it is unbounded, or rounding errors are larger than texels. */
static bool add_span(const mrw_raster_job *job, const mrw_shadow_map *map, uint32_t number,
                     double y, part *out)
{
    const uint32_t of_face = (map->size + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
    const mrw_shadow_span *span = &map->spans[number];
    const double reach = reach_of(map, number, y), size = map->size;
    const double top = number % of_face * MRW_SHADOW_SPAN_ROWS;
    const double xs[2] = {span->x0 - reach, span->x1 + reach};
    const double ys[2] = {top - reach, top + MRW_SHADOW_SPAN_ROWS + reach};
    const mrw_mat4 *camera = &job->view.world_to_clip;
    int met = 0, seen = 0;
    part here = *out;
    mrw_mat4 light;
    mrw_shadow_view(map, number / of_face, &light);
    for (int i = 0; i < 4; i++) {
        double p[3] = {0.0, y, 0.0};
        const double w =
            meet(&light, 2.0 * xs[i & 1] / size - 1.0, 1.0 - 2.0 * ys[i >> 1] / size, p);
        const double large = (fabs(p[0]) + fabs(p[2])) + fabs(y);
        const double depth = row(camera, 3, p);
        if (!(large * 1e-6 * (double)map->texels < fabs(w))) {
            return false;
        }
        met += w > 0.0;
        seen += depth > 0.0;
        const double px = (0.5 + 0.5 * row(camera, 0, p) / depth) * job->width;
        const double py = (0.5 - 0.5 * row(camera, 1, p) / depth) * job->height;
        here.x0 = px < here.x0 ? px : here.x0;
        here.y0 = py < here.y0 ? py : here.y0;
        here.x1 = px > here.x1 ? px : here.x1;
        here.y1 = py > here.y1 ? py : here.y1;
    }
    if (met == 4 && seen == 4) {
        *out = here;
    }
    return (met == 0 || met == 4) && (seen == 0 || seen == 4);
}

static int32_t pixel(double x, double side)
{
    return (int32_t)(x > 0.0 ? x < side ? x : side : 0.0);
}

mrw_raster_window mrwi_frame_window_around(const mrw_raster_job *job, const mrw_shadow_bounds *box,
                                           double y, double distance)
{
    const mrw_mat4 *camera = &job->view.world_to_clip;
    const double width = job->width, height = job->height;
    part all = {width, height, 0.0, 0.0};
    for (int i = 0; i < 4; i++) {
        const double p[3] = {
            i & 1 ? (double)box->max[0] + distance : (double)box->min[0] - distance, y,
            i >> 1 ? (double)box->max[2] + distance : (double)box->min[2] - distance};
        const double w = row(camera, 3, p);
        if (!(w > 0.0)) {
            return (mrw_raster_window){0, 0, (int32_t)job->width, (int32_t)job->height};
        }
        const double x = (0.5 + 0.5 * row(camera, 0, p) / w) * width;
        const double down = (0.5 - 0.5 * row(camera, 1, p) / w) * height;
        all.x0 = x < all.x0 ? x : all.x0;
        all.y0 = down < all.y0 ? down : all.y0;
        all.x1 = x > all.x1 ? x : all.x1;
        all.y1 = down > all.y1 ? down : all.y1;
    }
    return (mrw_raster_window){pixel(all.x0 - SMOOTHED, width), pixel(all.y0 - SMOOTHED, height),
                               pixel(all.x1 + SMOOTHED, width), pixel(all.y1 + SMOOTHED, height)};
}

bool mrwi_frame_find_caught(const mrw_raster_job *job, double y, mrw_raster_window *out)
{
    const double width = job->width, height = job->height;
    part all = {width, height, 0.0, 0.0};
    bool bounded = true;
    for (uint32_t i = 0; i < job->lighting.light_count && bounded; i++) {
        const mrw_shadow_map *map = job->lighting.lights[i].shadow;
        const uint32_t rows = map ? map->size + MRW_SHADOW_SPAN_ROWS - 1 : 0;
        const uint32_t spans = map ? map->faces * (rows / MRW_SHADOW_SPAN_ROWS) : 0;
        for (uint32_t k = 0; k < spans && bounded; k++) {
            bounded = map->spans[k].x0 >= map->spans[k].x1 || add_span(job, map, k, y, &all);
        }
    }
    *out = (mrw_raster_window){0, 0, (int32_t)job->width, (int32_t)job->height};
    if (bounded) { /* two more pixels on each side cover rounding errors */
        *out = (mrw_raster_window){pixel(all.x0 - 2.0, width), pixel(all.y0 - 2.0, height),
                                   pixel(all.x1 + 3.0, width), pixel(all.y1 + 3.0, height)};
    }
    return out->x0 < out->x1 && out->y0 < out->y1;
}
