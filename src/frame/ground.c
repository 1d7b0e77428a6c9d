/* ground.c: the plane under the models: a disc of triangles that fades out far away, so that its
 * edge is not visible. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/text.h"
#include "image/color.h"

#include <string.h>

#define SEGMENTS 48
#define RINGS    8
#define VERTICES (RINGS * SEGMENTS + 1)
#define CORNERS  (3 * SEGMENTS * (2 * RINGS - 1))

/* Rings that do not fade, and the corners of the triangles within them, which come first. */
#define WHOLE         2
#define WHOLE_CORNERS (3 * SEGMENTS * (2 * WHOLE - 1))

/* Radii of the rings, in radii of the box, and the plane's alpha there: 1 up to where the shadows
 * of a sun 20 degrees high end, then falling smoothly. */
static const float radii[RINGS] = {1.5f, 3.0f, 3.75f, 4.5f, 5.25f, 6.0f, 7.5f, 9.0f};
static const float left[RINGS] = {1.0f, 1.0f, 0.95f, 0.80f, 0.60f, 0.40f, 0.10f, 0.0f};

/* Distance below the lowest point, in radii of the box: floors of a model lie above the plane. */
#define BELOW 1e-4f

typedef struct plane {
    float positions[VERTICES][4];
    float normals[VERTICES][4];
    float colors[VERTICES][4];
    uint32_t indices[CORNERS];
    mrw_raster_material whole, material; /* opaque, and blended */
    mrw_raster_window window;            /* part of the picture that a catcher is drawn in */
} plane;

static void set_vertex(plane *p, uint32_t v, float x, float y, float z, float alpha)
{
    const float position[4] = {x, y, z, 1.0f}, normal[4] = {0.0f, 1.0f, 0.0f, 0.0f};
    const float color[4] = {1.0f, 1.0f, 1.0f, alpha};
    memcpy(p->positions[v], position, sizeof position);
    memcpy(p->normals[v], normal, sizeof normal);
    memcpy(p->colors[v], color, sizeof color);
}

static void set_vertices(plane *p, const mrw_shadow_bounds *box)
{
    double radius = 0.0, middle[3];
    for (int i = 0; i < 3; i++) {
        const double half = 0.5 * ((double)box->max[i] - (double)box->min[i]);
        middle[i] = (double)box->min[i] + half;
        radius += half * half;
    }
    radius = radius > 0.0 ? sqrt(radius) : 1.0;
    const float y = (float)((double)box->min[1] - radius * (double)BELOW);
    set_vertex(p, 0, (float)middle[0], y, (float)middle[2], 1.0f);
    for (uint32_t k = 0; k < SEGMENTS; k++) {
        const double turn = 2.0 * MRWI_BASE_PI * k / SEGMENTS;
        const double c = mrwi_base_cos(turn) * radius, s = mrwi_base_sin(turn) * radius;
        for (uint32_t r = 0; r < RINGS; r++) {
            set_vertex(p, 1 + r * SEGMENTS + k, (float)(middle[0] + c * (double)radii[r]), y,
                       (float)(middle[2] - s * (double)radii[r]), left[r]);
        }
    }
}

static void set_indices(plane *p)
{
    uint32_t *out = p->indices;
    for (uint32_t k = 0; k < SEGMENTS; k++) {
        const uint32_t middle[3] = {0, 1 + k, 1 + (k + 1) % SEGMENTS};
        memcpy(out, middle, sizeof middle);
        out += 3;
    }
    for (uint32_t r = 0; r + 1 < RINGS; r++) {
        for (uint32_t k = 0; k < SEGMENTS; k++) {
            const uint32_t a = 1 + r * SEGMENTS + k, b = 1 + r * SEGMENTS + (k + 1) % SEGMENTS;
            const uint32_t ring[6] = {a, a + SEGMENTS, b, b, a + SEGMENTS, b + SEGMENTS};
            memcpy(out, ring, sizeof ring);
            out += 6;
        }
    }
}

/* Sets a matt material without a highlight. */
static void set_material(plane *p, const mrw_frame_def *def)
{
    p->material = (mrw_raster_material){.base_color = {0.0f, 0.0f, 0.0f, 1.0f},
                                        .alpha_mode = (uint32_t)MRW_ALPHA_BLEND,
                                        .surface = MRW_SURFACE_CLASSIC,
                                        .uv_transform = {1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f}};
    for (int i = 0; i < 3 && def->ground == MRW_GROUND_COLOR; i++) {
        p->material.base_color[i] =
            (float)mrwi_image_srgb_to_linear16[def->ground_color[i]] / 65535.0f;
    }
    p->whole = p->material;
    p->whole.alpha_mode = (uint32_t)MRW_ALPHA_OPAQUE;
}

/* Returns true when no target tells depths, so that an opaque ring looks like a blended one. */
static bool shows_colors_alone(const mrw_raster_job *job)
{
    bool alone = true;
    for (uint32_t i = 0; i < job->target_count; i++) {
        const mrw_target_kind kind = job->targets[i].kind;
        alone = alone && (kind == MRW_TARGET_COLOR || kind == MRW_TARGET_COVERAGE ||
                          kind == MRW_TARGET_LINEAR || kind == MRW_TARGET_ALPHA);
    }
    return alone;
}

/* Draws the rings with alpha 1 as opaque: blended pixels cost twice as much. */
static void draw_whole_rings(const plane *p, mrw_raster_job *job, mrw_raster_draw *draw)
{
    draw[1] = draw[0];
    draw[0].triangle_count = WHOLE_CORNERS / 3;
    draw[0].colors = NULL;
    draw[0].material = &p->whole;
    draw[1].indices += WHOLE_CORNERS;
    draw[1].triangle_count -= WHOLE_CORNERS / 3;
    job->draw_count++;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Finds the part of the picture in which a catcher shows anything. Returns false if there is none.
 */
static bool find_window(const mrw_frame_def *def, const mrw_raster_job *job, plane *p)
{
    const float radius = mrwi_frame_occlusion_radius(def, job);
    const double y = (double)p->positions[0][1];
    mrw_raster_window caught = {(int32_t)job->width, (int32_t)job->height, 0, 0};
    const bool any = mrwi_frame_find_caught(job, y, &caught);
    if (!(radius > 0.0f)) {
        p->window = caught;
        return any;
    }
    const mrw_shadow_bounds own = mrwi_frame_measure(job);
    const mrw_raster_window near = mrwi_frame_window_around(job, &own, y, (double)radius);
    p->window =
        !any ? near
             : (mrw_raster_window){least(caught.x0, near.x0), least(caught.y0, near.y0),
                                   -least(-caught.x1, -near.x1), -least(-caught.y1, -near.y1)};
    return p->window.x0 < p->window.x1 && p->window.y0 < p->window.y1;
}

mrw_status mrwi_frame_add_ground(mrwi_base_arena *arena, const mrw_frame_def *def,
                                 mrw_raster_job *job, mrw_error *error)
{
    const mrw_shadow_bounds box = def->has_bounds ? def->bounds : mrwi_frame_measure(job);
    const size_t count = job->draw_count;
    plane *p = mrwi_base_arena_alloc(arena, 1, sizeof *p);
    mrw_raster_draw *draws = mrwi_base_arena_alloc(arena, count + 2, sizeof *draws);
    if (!p || !draws) {
        return mrwi_base_fail_memory(error, (count + 2) * sizeof *draws);
    }
    if (!(box.max[1] >= box.min[1])) {
        return MRW_OK; /* there are no vertices above it */
    }
    set_vertices(p, &box);
    const bool catches = def->ground == MRW_GROUND_CATCHER;
    if (catches && !find_window(def, job, p)) {
        return MRW_OK;
    }
    set_indices(p);
    set_material(p, def);
    memcpy(draws, job->draws, count * sizeof *draws);
    draws[count] = (mrw_raster_draw){.vertex_count = VERTICES,
                                     .triangle_count = CORNERS / 3,
                                     .indices = p->indices,
                                     .positions = p->positions[0],
                                     .normals = p->normals[0],
                                     .colors = p->colors[0],
                                     .ground = def->ground,
                                     .window = catches ? &p->window : NULL,
                                     .material = &p->material};
    job->draws = draws;
    job->draw_count++;
    if (!catches && shows_colors_alone(job)) {
        draw_whole_rings(p, job, draws + count);
    }
    return MRW_OK;
}
