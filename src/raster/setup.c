/* setup.c: which triangles are drawn at all, and the edges and depth plane of one that is. */
#include "raster/internal.h"

#include <assert.h>

/* Twice the signed area in sub-pixels; positive when clockwise on screen (y points down). */
static int64_t signed_area(const mrwi_screen_vertex *a, const mrwi_screen_vertex *b,
                           const mrwi_screen_vertex *c)
{
    return (int64_t)(b->x - a->x) * (c->y - a->y) - (int64_t)(c->x - a->x) * (b->y - a->y);
}

static int32_t min3(int32_t a, int32_t b, int32_t c)
{
    int32_t m = a < b ? a : b;
    return m < c ? m : c;
}

static int32_t max3(int32_t a, int32_t b, int32_t c)
{
    int32_t m = a > b ? a : b;
    return m > c ? m : c;
}

/* A pixel's samples lie within +-extent of its centre; samples on the largest x or y of a triangle
 * are never covered (top-left rule), hence 127. Shifts of negative numbers are arithmetic. */
static bool box_of(const mrwi_geometry *geometry, const mrwi_screen_vertex *a,
                   const mrwi_screen_vertex *b, const mrwi_screen_vertex *c, mrwi_box *box)
{
    int32_t extent = geometry->pattern->extent;
    int32_t x0 = (min3(a->x, b->x, c->x) + 127 - extent) >> 8;
    int32_t y0 = (min3(a->y, b->y, c->y) + 127 - extent) >> 8;
    int32_t x1 = (max3(a->x, b->x, c->x) + 127 + extent) >> 8;
    int32_t y1 = (max3(a->y, b->y, c->y) + 127 + extent) >> 8;
    box->x0 = x0 > 0 ? x0 : 0;
    box->y0 = y0 > 0 ? y0 : 0;
    box->x1 = x1 < geometry->width ? x1 : geometry->width;
    box->y1 = y1 < geometry->height ? y1 : geometry->height;
    return box->x0 < box->x1 && box->y0 < box->y1;
}

bool mrwi_triangle_box(const mrwi_geometry *geometry, const mrwi_triangle *triangle, mrwi_box *box)
{
    const mrwi_screen_vertex *v = geometry->screen;
    return box_of(geometry, &v[triangle->vertex[0]], &v[triangle->vertex[1]],
                  &v[triangle->vertex[2]], box);
}

static bool reserve_triangle(mrwi_geometry *geometry)
{
    size_t count = geometry->triangle_count;
    if (count + 1 >= MRWI_NO_TRIANGLE ||
        !mrwi_buffer_reserve(&geometry->triangle_buffer, count * sizeof(mrwi_triangle), count + 1,
                             sizeof(mrwi_triangle)) ||
        !mrwi_buffer_reserve(&geometry->box_buffer, count * sizeof(mrwi_box), count + 1,
                             sizeof(mrwi_box)) ||
        (geometry->has_sources &&
         !mrwi_buffer_reserve(&geometry->source_buffer, count * sizeof(uint32_t), count + 1,
                              sizeof(uint32_t)))) {
        return false;
    }
    geometry->sources = geometry->source_buffer.data;
    geometry->triangles = geometry->triangle_buffer.data;
    geometry->boxes = geometry->box_buffer.data;
    return true;
}

bool mrwi_add_triangle(mrwi_geometry *geometry, const uint32_t vertex[3], uint32_t draw)
{
    const mrwi_screen_vertex *a = &geometry->screen[vertex[0]];
    const mrwi_screen_vertex *b = &geometry->screen[vertex[1]];
    const mrwi_screen_vertex *c = &geometry->screen[vertex[2]];
    int64_t area = signed_area(a, b, c);
    bool front = geometry->draws[draw].mirrored ? area > 0 : area < 0;
    mrwi_box box;
    if (area == 0 || (!front && !geometry->draws[draw].material->double_sided) ||
        !box_of(geometry, a, b, c, &box)) {
        return true;
    }
    if (!reserve_triangle(geometry)) {
        return false;
    }
    uint32_t n = geometry->triangle_count++;
    geometry->triangles[n] =
        (mrwi_triangle){{vertex[0], vertex[1], vertex[2]}, draw << 1 | (front ? 0u : 1u)};
    geometry->boxes[n] = box;
    if (geometry->has_sources) {
        geometry->sources[n] = geometry->source;
    }
    return true;
}

static bool collect_draw(mrwi_geometry *geometry, const mrw_raster_draw *draw, uint32_t number,
                         uint32_t first_vertex)
{
    for (size_t i = 0; i < draw->triangle_count; i++) {
        const uint32_t *index = draw->indices + 3 * i;
        assert(index[0] < draw->vertex_count && index[1] < draw->vertex_count &&
               index[2] < draw->vertex_count);
        uint32_t vertex[3] = {first_vertex + index[0], first_vertex + index[1],
                              first_vertex + index[2]};
        const mrwi_screen_vertex *v = geometry->screen;
        const mrwi_screen_vertex *a = &v[vertex[0]];
        const mrwi_screen_vertex *b = &v[vertex[1]];
        const mrwi_screen_vertex *c = &v[vertex[2]];
        bool ok = true;
        geometry->source = (uint32_t)i;
        if (a->x != MRWI_OUTSIDE && b->x != MRWI_OUTSIDE && c->x != MRWI_OUTSIDE) {
            ok = mrwi_add_triangle(geometry, vertex, number);
        } else if (a->x != MRWI_OUTSIDE || b->x != MRWI_OUTSIDE || c->x != MRWI_OUTSIDE ||
                   (a->y & b->y & c->y) == 0) {
            const float *position[3];
            for (int k = 0; k < 3; k++) {
                position[k] = draw->positions + 4 * (size_t)index[k];
            }
            ok = mrwi_clip_triangle(geometry, vertex, position, number);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

bool mrwi_collect_triangles(mrwi_geometry *geometry, const mrw_raster_job *job)
{
    uint32_t first_vertex = 0;
    geometry->triangle_count = 0;
    geometry->has_sources = job->triangles != NULL;
    for (uint32_t i = 0; i < job->draw_count; i++) {
        if (!collect_draw(geometry, &job->draws[i], i, first_vertex)) {
            return false;
        }
        first_vertex += job->draws[i].vertex_count;
    }
    return true;
}

/* The corners in the order that makes the area positive. Returns twice the area. */
static int64_t oriented(const mrwi_geometry *geometry, const mrwi_triangle *triangle,
                        const mrwi_screen_vertex *v[3])
{
    for (int i = 0; i < 3; i++) {
        v[i] = &geometry->screen[triangle->vertex[i]];
    }
    int64_t area = signed_area(v[0], v[1], v[2]);
    if (area < 0) {
        const mrwi_screen_vertex *swap = v[1];
        v[1] = v[2];
        v[2] = swap;
        area = -area;
    }
    return area;
}

/* E(p) = (b - a) x (p - a), >= 0 inside; points on an edge count for left edges (the inside is to
 * the right) and top edges (horizontal, the inside below): all others are biased by -1. */
static void set_edges(const mrwi_screen_vertex *const v[3], mrwi_edges *e)
{
    for (int i = 0; i < 3; i++) {
        const mrwi_screen_vertex *from = v[i];
        const mrwi_screen_vertex *to = v[i < 2 ? i + 1 : 0];
        int32_t a = from->y - to->y;
        int32_t b = to->x - from->x;
        bool top_left = a > 0 || (a == 0 && b > 0);
        e->a[i] = a;
        e->b[i] = b;
        e->c[i] = -((int64_t)a * from->x + (int64_t)b * from->y) - (top_left ? 0 : 1);
    }
}

void mrwi_triangle_edges(const mrwi_geometry *geometry, const mrwi_triangle *triangle,
                         mrwi_edges *edges)
{
    const mrwi_screen_vertex *v[3];
    oriented(geometry, triangle, v);
    set_edges(v, edges);
}

/* The plane through the three depths, its value taken at the corner of the box, in double. */
static void set_depth(const mrwi_screen_vertex *const v[3], int64_t area, mrwi_setup *t)
{
    double z10 = (double)v[1]->z - (double)v[0]->z;
    double z20 = (double)v[2]->z - (double)v[0]->z;
    double scale = (double)MRWI_SUBPIXEL / (double)area;
    double zx = (z10 * (v[2]->y - v[0]->y) - z20 * (v[1]->y - v[0]->y)) * scale;
    double zy = (z20 * (v[1]->x - v[0]->x) - z10 * (v[2]->x - v[0]->x)) * scale;
    double dx = t->box.x0 - v[0]->x * (1.0 / MRWI_SUBPIXEL);
    double dy = t->box.y0 - v[0]->y * (1.0 / MRWI_SUBPIXEL);
    t->z0 = (float)((double)v[0]->z + (dx * zx + dy * zy));
    t->zx = (float)zx;
    t->zy = (float)zy;
    t->z_min = v[0]->z < v[1]->z ? v[0]->z : v[1]->z;
    t->z_min = t->z_min < v[2]->z ? t->z_min : v[2]->z;
    t->z_max = v[0]->z > v[1]->z ? v[0]->z : v[1]->z;
    t->z_max = t->z_max > v[2]->z ? t->z_max : v[2]->z;
}

void mrwi_setup_triangle(const mrwi_geometry *geometry, const mrwi_triangle *triangle,
                         const mrwi_box *box, mrwi_setup *setup)
{
    const mrwi_screen_vertex *v[3];
    int64_t area = oriented(geometry, triangle, v);
    setup->box = *box;
    set_edges(v, &setup->edges);
    set_depth(v, area, setup);
    const int32_t limit = 1 << 15;
    setup->small = max3(v[0]->x, v[1]->x, v[2]->x) - min3(v[0]->x, v[1]->x, v[2]->x) < limit &&
                   max3(v[0]->y, v[1]->y, v[2]->y) - min3(v[0]->y, v[1]->y, v[2]->y) < limit;
}
