/* setup.c: the edges and the depth plane of a triangle. */
#include "raster/internal.h"

/* Puts the corners in the order that makes the area positive. Returns twice the area. */
static int64_t oriented(const mrwi_raster_geometry *geometry, const mrwi_shade_triangle *triangle,
                        const mrwi_raster_screen_vertex *v[3])
{
    for (int i = 0; i < 3; i++) {
        v[i] = &geometry->vertices.screen[triangle->vertex[i]];
    }
    int64_t area = mrwi_raster_signed_area(v[0], v[1], v[2]);
    if (area < 0) {
        const mrwi_raster_screen_vertex *swap = v[1];
        v[1] = v[2];
        v[2] = swap;
        area = -area;
    }
    return area;
}

/* Sets the edges. E(p) = (b - a) x (p - a) is >= 0 inside; points on an edge belong to left edges
 * (the inside is to the right) and top edges (horizontal, the inside below): all others are biased
 * by -1. */
static void set_edges(const mrwi_raster_screen_vertex *const v[3], mrwi_raster_edges *e)
{
    for (int i = 0; i < 3; i++) {
        const mrwi_raster_screen_vertex *from = v[i];
        const mrwi_raster_screen_vertex *to = v[i < 2 ? i + 1 : 0];
        int32_t a = from->y - to->y;
        int32_t b = to->x - from->x;
        bool top_left = a > 0 || (a == 0 && b > 0);
        e->a[i] = a;
        e->b[i] = b;
        e->c[i] = -((int64_t)a * from->x + (int64_t)b * from->y) - (top_left ? 0 : 1);
    }
}

/* Sets the plane through the three depths, with its value at the corner of the box, in double. */
static void set_depth(const mrwi_raster_screen_vertex *const v[3], int64_t area,
                      mrwi_raster_setup *t)
{
    double z10 = (double)v[1]->z - (double)v[0]->z;
    double z20 = (double)v[2]->z - (double)v[0]->z;
    double scale = (double)MRWI_SHADE_SUBPIXEL / (double)area;
    double zx = (z10 * (v[2]->y - v[0]->y) - z20 * (v[1]->y - v[0]->y)) * scale;
    double zy = (z20 * (v[1]->x - v[0]->x) - z10 * (v[2]->x - v[0]->x)) * scale;
    double dx = t->box.x0 - v[0]->x * (1.0 / MRWI_SHADE_SUBPIXEL);
    double dy = t->box.y0 - v[0]->y * (1.0 / MRWI_SHADE_SUBPIXEL);
    t->z0 = (float)((double)v[0]->z + (dx * zx + dy * zy));
    t->zx = (float)zx;
    t->zy = (float)zy;
    t->z_min = v[0]->z < v[1]->z ? v[0]->z : v[1]->z;
    t->z_min = t->z_min < v[2]->z ? t->z_min : v[2]->z;
    t->z_max = v[0]->z > v[1]->z ? v[0]->z : v[1]->z;
    t->z_max = t->z_max > v[2]->z ? t->z_max : v[2]->z;
}

void mrwi_raster_setup_triangle(const mrwi_raster_geometry *geometry,
                                const mrwi_shade_triangle *triangle, const mrwi_raster_box *box,
                                mrwi_raster_setup *setup)
{
    const mrwi_raster_screen_vertex *v[3];
    int64_t area = oriented(geometry, triangle, v);
    setup->box = *box;
    set_edges(v, &setup->edges);
    set_depth(v, area, setup);
}
