/* vertex.c: world space -> snapped screen vertices, and the stream that shading reads. */
#include "raster/internal.h"

#include "base/lanes.h"
#include "base/math.h"

#include <assert.h>

/* Limits ids to what a signed lane holds, with room for what clipping adds. */
#define VERTEX_LIMIT 0x7fff0000u

bool mrwi_reserve_vertices(mrwi_geometry *geometry, uint32_t count)
{
    size_t used = geometry->vertex_count;
    size_t need = used + count;
    if (need > VERTEX_LIMIT ||
        !mrwi_buffer_reserve(&geometry->screen_buffer, used * sizeof(mrwi_screen_vertex), need,
                             sizeof(mrwi_screen_vertex)) ||
        !mrwi_buffer_reserve(&geometry->shade_buffer, used * sizeof(mrwi_shade_vertex), need,
                             sizeof(mrwi_shade_vertex))) {
        return false;
    }
    geometry->screen = geometry->screen_buffer.data;
    geometry->shade = geometry->shade_buffer.data;
    if (geometry->has_colors) {
        if (!mrwi_buffer_reserve(&geometry->color_buffer, used * sizeof(float[4]), need,
                                 sizeof(float[4]))) {
            return false;
        }
        geometry->colors = geometry->color_buffer.data;
    }
    return true;
}

/* Clip space with the viewport folded in: x and y come out in pixels, times w. */
static void set_world_to_pixel(mrwi_geometry *geometry, const mrw_mat4 *world_to_clip)
{
    double half_width = geometry->width * 0.5;
    double half_height = geometry->height * 0.5;
    for (int c = 0; c < 4; c++) {
        const float *in = world_to_clip->m + 4 * c;
        float *out = geometry->world_to_pixel.m + 4 * c;
        out[0] = (float)(((double)in[3] + (double)in[0]) * half_width);
        out[1] = (float)(((double)in[3] - (double)in[1]) * half_height);
        out[2] = in[2];
        out[3] = in[3];
    }
}

static inline mrwi_f4 to_pixel(const mrw_mat4 *m, const float *p)
{
    mrwi_f4 x = mrwi_f4_load(m->m) * mrwi_f4_set(p[0]);
    mrwi_f4 y = mrwi_f4_load(m->m + 4) * mrwi_f4_set(p[1]);
    mrwi_f4 z = mrwi_f4_load(m->m + 8) * mrwi_f4_set(p[2]);
    return (x + z) + (y + mrwi_f4_load(m->m + 12));
}

void mrwi_to_pixel(const mrwi_geometry *geometry, const float *position, float out[4])
{
    mrwi_f4_store(out, to_pixel(&geometry->world_to_pixel, position));
}

/* Products with MRWI_GUARD are exact, so these tests agree with the clipper's. Written so that a
 * value that is infinite or no number is outside. */
int32_t mrwi_outcode(const float p[4])
{
    float guard = MRWI_GUARD * p[3];
    return (p[2] >= 0.0f ? 0 : 1) | (p[2] <= p[3] ? 0 : 2) | (p[0] >= -guard ? 0 : 4) |
           (p[0] <= guard ? 0 : 8) | (p[1] >= -guard ? 0 : 16) | (p[1] <= guard ? 0 : 32) |
           (p[3] > MRWI_MIN_W && p[3] <= MRWI_MAX_W ? 0 : 64);
}

/* floor(pixels * 256 + 0.5) of a value within the guard band: shifted to be positive, where
 * truncation is floor; exact in double. */
static inline int32_t snap(float pixels)
{
    const int32_t shift = MRWI_GUARD * MRWI_SUBPIXEL;
    return (int32_t)((double)pixels * MRWI_SUBPIXEL + (shift + 0.5)) - shift;
}

static inline mrwi_screen_vertex screen_vertex(const mrw_mat4 *world_to_pixel,
                                               const float *position)
{
    float p[4];
    mrwi_f4 v = to_pixel(world_to_pixel, position);
    mrwi_f4_store(p, v);
    int32_t outcode = mrwi_outcode(p);
    if (outcode != 0) {
        return (mrwi_screen_vertex){MRWI_OUTSIDE, outcode, 0.0f, 0.0f};
    }
    mrwi_f4 w = mrwi_f4_set(p[3]);
    mrwi_f4_store(p, (mrwi_f4){p[0], p[1], p[2], 1.0f} / w);
    /* + 0.0f turns a depth of -0 into +0 */
    return (mrwi_screen_vertex){snap(p[0]), snap(p[1]), p[2] + 0.0f, p[3]};
}

/* Normals are sums of a few rotated unit vectors: the plain formula holds unless they are extreme.
 */
static inline void unit_normal(const float *n, float *out)
{
    float squared = mrwi_dot3(n, n);
    if (squared > 1e-20f && squared < 1e20f) {
        float inverse = 1.0f / sqrtf(squared);
        out[0] = n[0] * inverse;
        out[1] = n[1] * inverse;
        out[2] = n[2] * inverse;
        return;
    }
    float v[3] = {n[0], n[1], n[2]};
    if (!mrwi_normalize3(v)) {
        v[0] = v[1] = 0.0f;
        v[2] = 1.0f;
    }
    memcpy(out, v, sizeof v);
}

static inline mrwi_shade_vertex shade_vertex(const mrw_raster_draw *draw, uint32_t i,
                                             const mrwi_screen_vertex *screen)
{
    mrwi_shade_vertex out = {0};
    if (screen->x != MRWI_OUTSIDE) {
        out.x = (float)screen->x * (1.0f / MRWI_SUBPIXEL);
        out.y = (float)screen->y * (1.0f / MRWI_SUBPIXEL);
        out.inv_w = screen->inv_w;
    }
    if (draw->uvs != NULL) {
        const float *m = draw->material->uv_transform;
        const float *uv = draw->uvs + 2 * (size_t)i;
        float u = uv[0];
        float v = uv[1];
        out.u = (m[0] * u + m[1] * v) + m[2];
        out.v = (m[3] * u + m[4] * v) + m[5];
    }
    unit_normal(draw->normals + 4 * (size_t)i, &out.nx);
    return out;
}

static void transform_draw(mrwi_geometry *geometry, const mrw_raster_draw *draw)
{
    uint32_t first = geometry->vertex_count;
    mrwi_screen_vertex *screen = geometry->screen + first;
    mrwi_shade_vertex *shade = geometry->shade + first;
    for (uint32_t i = 0; i < draw->vertex_count; i++) {
        screen[i] = screen_vertex(&geometry->world_to_pixel, draw->positions + 4 * (size_t)i);
        shade[i] = shade_vertex(draw, i, &screen[i]);
    }
    if (draw->colors != NULL && draw->vertex_count > 0) {
        memcpy(geometry->colors + first, draw->colors, draw->vertex_count * sizeof(float[4]));
    }
    geometry->vertex_count += draw->vertex_count;
}

bool mrwi_transform_vertices(mrwi_geometry *geometry, const mrw_raster_job *job)
{
    uint64_t count = 0;
    bool colors = false;
    for (uint32_t i = 0; i < job->draw_count; i++) {
        count += job->draws[i].vertex_count;
        colors |= job->draws[i].colors != NULL;
    }
    geometry->draws = job->draws;
    geometry->vertex_count = 0;
    geometry->has_colors = colors;
    geometry->colors = NULL;
    if (count > VERTEX_LIMIT || !mrwi_reserve_vertices(geometry, (uint32_t)count)) {
        return false;
    }
    set_world_to_pixel(geometry, &job->world_to_clip);
    for (uint32_t i = 0; i < job->draw_count; i++) {
        assert(job->draws[i].material != NULL);
        transform_draw(geometry, &job->draws[i]);
    }
    return true;
}
