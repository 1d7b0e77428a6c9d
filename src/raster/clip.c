/* clip.c: cuts triangles that cross the near or far plane or the guard band into ones that do not
 * (Sutherland and Hodgman 1974).
 *
 * The result is watertight: a new vertex depends only on the two ends of its edge, taken in an
 * order of their own, not of the triangle's; and every polygon goes through all planes in one
 * order. Neighbours cut a common edge at the same bits, also if a seam has doubled its vertices.
 * The cut is computed in double, where its range needs no further care.
 */
#include "raster/internal.h"

#include "base/math.h"

#define PLANES      6
#define MAX_CORNERS (3 + PLANES)
#define ATTRIBUTES  (5 + 4 * MRWI_SHADE_STREAM_COUNT) /* u, v, normal; the draw's streams */

typedef struct corner {
    double p[4]; /* x w, y w, z w, w in pixels */
    double attribute[ATTRIBUTES];
    uint32_t vertex; /* MRW_NONE: new */
} corner;

typedef struct polygon {
    corner corners[MAX_CORNERS];
    int count;
    int attributes; /* per corner */
} polygon;

/* Returns the signed distance to a plane, positive inside, in the order of mrwi_raster_outcode's
 * bits. */
static double distance(int plane, const double p[4])
{
    switch (plane) {
    case 0:
        return p[2];
    case 1:
        return p[3] - p[2];
    case 2:
        return p[0] + MRWI_RASTER_GUARD * p[3];
    case 3:
        return MRWI_RASTER_GUARD * p[3] - p[0];
    case 4:
        return p[1] + MRWI_RASTER_GUARD * p[3];
    default:
        return MRWI_RASTER_GUARD * p[3] - p[1];
    }
}

static bool comes_first(const corner *a, const corner *b)
{
    for (int i = 0; i < 4; i++) {
        if (a->p[i] != b->p[i]) {
            return a->p[i] < b->p[i];
        }
    }
    return true;
}

/* Finds the point where the edge meets the plane. Its ends lie on different sides of the plane. */
static void cut(int plane, const corner *from, const corner *to, int attributes, corner *out)
{
    const corner *a = comes_first(from, to) ? from : to;
    const corner *b = a == from ? to : from;
    double da = distance(plane, a->p);
    double t = da / (da - distance(plane, b->p));
    for (int i = 0; i < 4; i++) {
        out->p[i] = a->p[i] + t * (b->p[i] - a->p[i]);
    }
    for (int i = 0; i < attributes; i++) {
        out->attribute[i] = a->attribute[i] + t * (b->attribute[i] - a->attribute[i]);
    }
    out->vertex = MRW_NONE;
}

static void clip_to_plane(int plane, const polygon *in, polygon *out)
{
    out->count = 0;
    out->attributes = in->attributes;
    for (int i = 0; i < in->count; i++) {
        const corner *from = &in->corners[i];
        const corner *to = &in->corners[i + 1 < in->count ? i + 1 : 0];
        bool from_inside = distance(plane, from->p) >= 0.0;
        bool to_inside = distance(plane, to->p) >= 0.0;
        if (from_inside) {
            out->corners[out->count++] = *from;
        }
        if (from_inside != to_inside) {
            cut(plane, from, to, in->attributes, &out->corners[out->count++]);
        }
    }
}

/* Clips in place. Returns false if nothing is left. */
static bool clip_to_planes(polygon *p)
{
    polygon other;
    for (int plane = 0; plane < PLANES; plane += 2) {
        clip_to_plane(plane, p, &other);
        clip_to_plane(plane + 1, &other, p);
    }
    return p->count >= 3;
}

/* Loads a corner. streams: one bit for each stream of the draw. */
static void load_corner(const mrwi_raster_geometry *geometry, uint32_t vertex,
                        const float *position, uint32_t streams, corner *out)
{
    float p[4];
    *out = (corner){.vertex = vertex};
    mrwi_raster_to_pixel(&geometry->view, position, p);
    for (int i = 0; i < 4; i++) {
        out->p[i] = (double)p[i];
    }
    if (!geometry->vertices.has_shade) {
        return;
    }
    const mrwi_shade_vertex *shade = &geometry->vertices.shade[vertex];
    const float attribute[5] = {shade->u, shade->v, shade->nx, shade->ny, shade->nz};
    double *to = out->attribute;
    for (int i = 0; i < 5; i++) {
        *to++ = (double)attribute[i];
    }
    for (; streams != 0; streams &= streams - 1) {
        const float *from = geometry->vertices.streams[__builtin_ctz(streams)][vertex];
        for (int i = 0; i < 4; i++) {
            *to++ = (double)from[i];
        }
    }
}

static int32_t snap(double pixels)
{
    return mrwi_base_round_to_int(pixels * MRWI_SHADE_SUBPIXEL,
                                  -MRWI_RASTER_GUARD * MRWI_SHADE_SUBPIXEL,
                                  MRWI_RASTER_GUARD * MRWI_SHADE_SUBPIXEL);
}

/* Appends a corner to the streams, which have room. Returns false if it is too near to the eye
 * plane or too far from it. */
static bool store_corner(mrwi_raster_vertices *vertices, uint32_t streams, corner *c)
{
    double w = c->p[3];
    if (!(w > (double)MRWI_RASTER_MIN_W && w <= (double)MRWI_RASTER_MAX_W)) {
        return false;
    }
    if (c->vertex != MRW_NONE) {
        return true;
    }
    c->vertex = vertices->count++;
    double z = c->p[2] / w;
    z = z > 0.0 ? z : 0.0;
    z = z < 1.0 ? z : 1.0;
    mrwi_raster_screen_vertex screen = {snap(c->p[0] / w), snap(c->p[1] / w), (float)z,
                                        (float)(1.0 / w)};
    vertices->screen[c->vertex] = screen;
    if (!vertices->has_shade) {
        return true;
    }
    vertices->shade[c->vertex] = (mrwi_shade_vertex){
        .x = (float)screen.x * (1.0f / MRWI_SHADE_SUBPIXEL),
        .y = (float)screen.y * (1.0f / MRWI_SHADE_SUBPIXEL),
        .inv_w = screen.inv_w,
        .u = (float)c->attribute[0],
        .v = (float)c->attribute[1],
        .nx = (float)c->attribute[2],
        .ny = (float)c->attribute[3],
        .nz = (float)c->attribute[4],
    };
    const double *from = c->attribute + 5;
    for (; streams != 0; streams &= streams - 1) {
        float *to = vertices->streams[__builtin_ctz(streams)][c->vertex];
        for (int i = 0; i < 4; i++) {
            to[i] = (float)*from++;
        }
    }
    return true;
}

static bool finite4(const double p[4])
{
    return fabs(p[0]) < INFINITY && fabs(p[1]) < INFINITY && fabs(p[2]) < INFINITY &&
           fabs(p[3]) < INFINITY;
}

bool mrwi_raster_clip_triangle(mrwi_raster_geometry *geometry, const uint32_t vertex[3],
                               const float *const position[3], mrw_raster_source source)
{
    const uint32_t streams =
        geometry->vertices.present & mrwi_shade_streams_of(&geometry->draws[source.draw]);
    polygon p;
    p.count = 3;
    p.attributes = 5 + 4 * __builtin_popcount(streams);
    for (int i = 0; i < 3; i++) {
        load_corner(geometry, vertex[i], position[i], streams, &p.corners[i]);
        if (!finite4(p.corners[i].p)) {
            return true; /* beyond the range of float: not drawn */
        }
    }
    if (!clip_to_planes(&p)) {
        return true;
    }
    if (!mrwi_raster_reserve_vertices(&geometry->vertices, MAX_CORNERS)) {
        return false;
    }
    for (int i = 0; i < p.count; i++) {
        if (!store_corner(&geometry->vertices, streams, &p.corners[i])) {
            return true;
        }
    }
    for (int i = 1; i + 1 < p.count; i++) {
        uint32_t piece[3] = {p.corners[0].vertex, p.corners[i].vertex, p.corners[i + 1].vertex};
        if (!mrwi_raster_add_triangle(geometry, piece, source)) {
            return false;
        }
    }
    return true;
}
