/* cull.c: which triangles are drawn at all, and the pixels they may touch. */
#include "raster/internal.h"

#include <assert.h>

/* A pixel's samples lie within +-extent of its centre; samples on the largest x or y of a triangle
 * are never covered (top-left rule), hence 127. Shifts of negative numbers are arithmetic. */
static bool box_of(const mrwi_geometry *geometry, const mrwi_screen_vertex *a,
                   const mrwi_screen_vertex *b, const mrwi_screen_vertex *c, mrwi_box *box)
{
    int32_t extent = geometry->pattern->extent;
    int32_t x0 = (mrwi_min3(a->x, b->x, c->x) + 127 - extent) >> 8;
    int32_t y0 = (mrwi_min3(a->y, b->y, c->y) + 127 - extent) >> 8;
    int32_t x1 = (mrwi_max3(a->x, b->x, c->x) + 127 + extent) >> 8;
    int32_t y1 = (mrwi_max3(a->y, b->y, c->y) + 127 + extent) >> 8;
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
    int64_t area = mrwi_signed_area(a, b, c);
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
