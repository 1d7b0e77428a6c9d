/* aov_flow.c: flow: where points of surfaces lie in a neighbouring picture, and whether they are
 * visible there.
 *
 * A point is tested against the triangle that is visible at the centre of the pixel it falls into.
 * It is hidden if that is another triangle, whose plane, extended to the point, is nearer by more
 * than the width of a pixel. Otherwise it is visible.
 */
#include "frame/aov.h"

#include "base/math.h"

#include <math.h>

/* Transforms a triangle of a draw to the space of a camera. */
static void place_triangle(const mrwi_frame_seen *there, uint32_t draw, uint32_t triangle,
                           double out[3][3])
{
    const mrw_raster_draw *d = &there->posed->draws[draw];
    const uint32_t *corners = d->indices + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++) {
        mrwi_frame_to_camera(&there->camera, d->positions + 4 * (size_t)corners[i], out[i]);
    }
}

/* Computes the normal of a triangle, of any length. */
static void find_normal(double p[3][3], double out[3])
{
    const double u[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
    const double v[3] = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
    mrwi_base_cross3d(u, v, out);
}

/* Returns true when a triangle is culled by its side. */
static bool is_culled(const mrwi_frame_seen *there, uint32_t draw, double p[3][3])
{
    const mrw_raster_draw *d = &there->posed->draws[draw];
    double n[3];
    find_normal(p, n);
    const double away = there->camera.orthographic ? n[2] : mrwi_base_dot3d(n, p[0]);
    return !d->material->double_sided && (d->mirrored ? away < 0.0 : away > 0.0);
}

/* Returns the depth of a triangle's plane at a point of the picture, given as x / z and y / z, or
 * as x and y for parallel rays. It is clamped to the depths of the triangle. */
static double plane_depth(double p[3][3], bool parallel, double x, double y)
{
    double n[3], least = p[0][2], most = p[0][2];
    for (int i = 1; i < 3; i++) {
        least = p[i][2] < least ? p[i][2] : least;
        most = p[i][2] > most ? p[i][2] : most;
    }
    find_normal(p, n);
    const double depth = parallel ? p[0][2] - (n[0] * (x - p[0][0]) + n[1] * (y - p[0][1])) / n[2]
                                  : mrwi_base_dot3d(n, p[0]) / ((n[0] * x + n[1] * y) + n[2]);
    return depth > least ? (depth < most ? depth : most) : least;
}

static bool is_hidden(const mrwi_frame_seen *there, uint32_t draw, uint32_t triangle, double u,
                      double v, const double point[3])
{
    const mrw_intrinsics *c = &there->camera;
    const size_t pixel = (size_t)v * there->ids.width + (size_t)u;
    const uint32_t id = ((const uint32_t *)there->ids.pixels)[pixel];
    const uint32_t other = ((const uint32_t *)there->triangles.pixels)[pixel];
    if (id == 0 || (id - 1 == draw && other == triangle)) {
        return false;
    }
    double p[3][3];
    place_triangle(there, id - 1, other, p);
    const double depth =
        plane_depth(p, c->orthographic, (u - c->k[2]) / c->k[0], (v - c->k[5]) / c->k[4]);
    const double width =
        (c->orthographic ? 1.0 : point[2]) / (c->k[0] < c->k[4] ? c->k[0] : c->k[4]);
    return depth < point[2] - width;
}

void mrwi_frame_flow(const mrwi_frame_seen *there, const mrwi_frame_span *span,
                     const double *const shares[3], float *out)
{
    const mrw_intrinsics *c = &there->camera;
    double p[3][3];
    place_triangle(there, span->draw, span->triangle, p);
    const bool culled = is_culled(there, span->draw, p);
    for (uint32_t x = span->x0; x < span->x1; x++) {
        float *flow = out + 3 * (size_t)x;
        double point[3];
        for (int k = 0; k < 3; k++) {
            point[k] = (shares[0][x] * p[0][k] + shares[1][x] * p[1][k]) + shares[2][x] * p[2][k];
        }
        const bool before = c->orthographic || point[2] > 0.0;
        const double w = c->orthographic ? 1.0 : point[2];
        const double u = c->k[0] * (point[0] / w) + c->k[2], v = c->k[4] * (point[1] / w) + c->k[5];
        const bool inside = before && point[2] >= c->near_plane &&
                            (c->far_plane == 0.0 || point[2] <= c->far_plane) && u >= 0.0 &&
                            v >= 0.0 && u < there->ids.width && v < there->ids.height;
        flow[0] = before ? (float)(u - ((double)x + 0.5)) : 0.0f;
        flow[1] = before ? (float)(v - ((double)span->y + 0.5)) : 0.0f;
        flow[2] = inside && !culled && !is_hidden(there, span->draw, span->triangle, u, v, point)
                      ? 1.0f
                      : 0.0f;
    }
}
