/* front_scalar.c: the front of the rasterizer in plain C, one vertex and one triangle at a time:
 * the specification of all its kernels. */
#include "raster/front.h"

#include "base/math.h"
#include "base/simd/f4.h"

#include <assert.h>

/* ---- vertices -------------------------------------------------------------------------------- */

static inline mrwi_base_f4 to_pixel(const mrw_mat4 *m, const float *p)
{
    mrwi_base_f4 x = mrwi_base_f4_load(m->m) * mrwi_base_f4_set(p[0]);
    mrwi_base_f4 y = mrwi_base_f4_load(m->m + 4) * mrwi_base_f4_set(p[1]);
    mrwi_base_f4 z = mrwi_base_f4_load(m->m + 8) * mrwi_base_f4_set(p[2]);
    return (x + z) + (y + mrwi_base_f4_load(m->m + 12));
}

void mrwi_raster_to_pixel(const mrwi_raster_view *view, const float *position, float out[4])
{
    mrwi_base_f4_store(out, to_pixel(&view->world_to_pixel, position));
}

/* Returns the outcode. Products with MRWI_RASTER_GUARD are exact, so these tests agree with the
 * clipper's. They are written such that infinities and NaN are outside. */
int32_t mrwi_raster_outcode(const float p[4])
{
    float guard = MRWI_RASTER_GUARD * p[3];
    return (p[2] >= 0.0f ? 0 : 1) | (p[2] <= p[3] ? 0 : 2) | (p[0] >= -guard ? 0 : 4) |
           (p[0] <= guard ? 0 : 8) | (p[1] >= -guard ? 0 : 16) | (p[1] <= guard ? 0 : 32) |
           (p[3] > MRWI_RASTER_MIN_W && p[3] <= MRWI_RASTER_MAX_W ? 0 : 64);
}

/* Returns floor(pixels * 256 + 0.5) of a value within the guard band: shifted to be positive, where
 * truncation is floor; exact in double. */
static inline int32_t snap(float pixels)
{
    const int32_t shift = MRWI_RASTER_GUARD * MRWI_SHADE_SUBPIXEL;
    return (int32_t)((double)pixels * MRWI_SHADE_SUBPIXEL + (shift + 0.5)) - shift;
}

static inline mrwi_raster_screen_vertex screen_vertex(const mrw_mat4 *world_to_pixel,
                                                      const float *position)
{
    float p[4];
    mrwi_base_f4 v = to_pixel(world_to_pixel, position);
    mrwi_base_f4_store(p, v);
    int32_t outcode = mrwi_raster_outcode(p);
    if (outcode != 0) {
        return (mrwi_raster_screen_vertex){MRWI_RASTER_OUTSIDE, outcode, 0.0f, 0.0f};
    }
    mrwi_base_f4 w = mrwi_base_f4_set(p[3]);
    mrwi_base_f4_store(p, (mrwi_base_f4){p[0], p[1], p[2], 1.0f} / w);
    /* + 0.0f turns a depth of -0 into +0 */
    return (mrwi_raster_screen_vertex){snap(p[0]), snap(p[1]), p[2] + 0.0f, p[3]};
}

/* Scales a normal to unit length. Normals are sums of a few rotated unit vectors: the plain formula
 * holds unless they are extreme. */
static inline void unit_normal(const float *n, mrwi_shade_vertex *out)
{
    float squared = mrwi_base_dot3(n, n);
    if (squared > MRWI_RASTER_NORMAL_MIN && squared < MRWI_RASTER_NORMAL_MAX) {
        float inverse = 1.0f / sqrtf(squared);
        out->nx = n[0] * inverse;
        out->ny = n[1] * inverse;
        out->nz = n[2] * inverse;
        return;
    }
    float v[3] = {n[0], n[1], n[2]};
    if (!mrwi_base_normalize3(v)) {
        v[0] = v[1] = 0.0f;
        v[2] = 1.0f;
    }
    out->nx = v[0];
    out->ny = v[1];
    out->nz = v[2];
}

static inline mrwi_shade_vertex shade_vertex(const mrw_raster_draw *draw, uint32_t i,
                                             const mrwi_raster_screen_vertex *screen)
{
    mrwi_shade_vertex out = {0};
    if (screen->x != MRWI_RASTER_OUTSIDE) {
        out.x = (float)screen->x * (1.0f / MRWI_SHADE_SUBPIXEL);
        out.y = (float)screen->y * (1.0f / MRWI_SHADE_SUBPIXEL);
        out.inv_w = screen->inv_w;
    }
    if (draw->uvs) {
        const float *m = draw->material->uv_transform;
        const float *uv = draw->uvs + 2 * (size_t)i;
        float u = uv[0];
        float v = uv[1];
        out.u = (m[0] * u + m[1] * v) + m[2];
        out.v = (m[3] * u + m[4] * v) + m[5];
    }
    unit_normal(draw->normals + 4 * (size_t)i, &out);
    return out;
}

static void transform(const mrwi_raster_vertex_job *job, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const float *position = job->draw->positions + 4 * (size_t)i;
        job->screen[i] = screen_vertex(job->world_to_pixel, position);
        if (job->shade) {
            job->shade[i] = shade_vertex(job->draw, i, &job->screen[i]);
        }
    }
}

/* ---- triangles ------------------------------------------------------------------------------- */

/* Computes a triangle's box. A pixel's samples lie within +-extent of its centre; samples on the
 * largest x or y of a triangle are never covered (top-left rule), hence 127. Shifts of negative
 * numbers are arithmetic. */
static bool box_of(const mrwi_raster_view *view, const mrwi_raster_screen_vertex *a,
                   const mrwi_raster_screen_vertex *b, const mrwi_raster_screen_vertex *c,
                   mrwi_raster_box *box)
{
    int32_t extent = view->pattern->extent;
    int32_t x0 = (mrwi_raster_min3(a->x, b->x, c->x) + 127 - extent) >> 8;
    int32_t y0 = (mrwi_raster_min3(a->y, b->y, c->y) + 127 - extent) >> 8;
    int32_t x1 = (mrwi_raster_max3(a->x, b->x, c->x) + 127 + extent) >> 8;
    int32_t y1 = (mrwi_raster_max3(a->y, b->y, c->y) + 127 + extent) >> 8;
    box->x0 = x0 > 0 ? x0 : 0;
    box->y0 = y0 > 0 ? y0 : 0;
    box->x1 = x1 < view->width ? x1 : view->width;
    box->y1 = y1 < view->height ? y1 : view->height;
    return box->x0 < box->x1 && box->y0 < box->y1;
}

bool mrwi_raster_triangle_box(const mrwi_raster_geometry *geometry,
                              const mrwi_shade_triangle *triangle, mrwi_raster_box *box)
{
    const mrwi_raster_screen_vertex *v = geometry->vertices.screen;
    return box_of(&geometry->view, &v[triangle->vertex[0]], &v[triangle->vertex[1]],
                  &v[triangle->vertex[2]], box);
}

bool mrwi_raster_survives(const mrwi_raster_view *view, const mrw_raster_draw *draw,
                          const mrwi_raster_screen_vertex *a, const mrwi_raster_screen_vertex *b,
                          const mrwi_raster_screen_vertex *c, mrwi_raster_box *box, bool *front)
{
    int64_t area = mrwi_raster_signed_area(a, b, c);
    *front = draw->mirrored ? area > 0 : area < 0;
    return area != 0 && (*front || draw->material->double_sided) && box_of(view, a, b, c, box);
}

static uint32_t cull(mrwi_raster_cull_job *job, uint32_t first, uint32_t end)
{
    const mrw_raster_draw *draw = &job->geometry->draws[job->draw];
    const mrwi_raster_screen_vertex *screen = job->geometry->vertices.screen + job->first_vertex;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t *index = draw->indices + 3 * (size_t)i;
        assert(index[0] < draw->vertex_count && index[1] < draw->vertex_count &&
               index[2] < draw->vertex_count);
        const mrwi_raster_screen_vertex *a = &screen[index[0]];
        const mrwi_raster_screen_vertex *b = &screen[index[1]];
        const mrwi_raster_screen_vertex *c = &screen[index[2]];
        if (a->x == MRWI_RASTER_OUTSIDE || b->x == MRWI_RASTER_OUTSIDE ||
            c->x == MRWI_RASTER_OUTSIDE) {
            bool all = a->x == MRWI_RASTER_OUTSIDE && b->x == MRWI_RASTER_OUTSIDE &&
                       c->x == MRWI_RASTER_OUTSIDE;
            if (all && (a->y & b->y & c->y) != 0) {
                continue; /* all lie beyond one plane */
            }
            return i;
        }
        mrwi_raster_box box;
        bool front;
        if (mrwi_raster_survives(&job->geometry->view, draw, a, b, c, &box, &front)) {
            mrwi_raster_append_triangle(job, index, i, &box, front);
        }
    }
    return end;
}

const mrwi_raster_front_kernels mrwi_raster_front_kernels_scalar = {transform, cull};
