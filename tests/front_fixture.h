/* front_fixture.h: vertices and triangles for the kernels of the rasterizer's front. */
#ifndef MARROW_FRONT_FIXTURE_H
#define MARROW_FRONT_FIXTURE_H

#include "raster/front.h"
#include "raster_fixture.h"

/* ---- vertices -------------------------------------------------------------------------------- */

#define FRONT_VERTICES 80

typedef struct vertex_set {
    float positions[FRONT_VERTICES][4];
    float normals[FRONT_VERTICES][4];
    float uvs[FRONT_VERTICES][2];
    mrw_raster_material material;
    mrw_raster_draw draw;
    mrw_mat4 world_to_pixel;
} vertex_set;

/* Both streams, with vertices before and behind that must stay as they are. */
typedef struct streams {
    mrwi_raster_screen_vertex screen[FRONT_VERTICES];
    mrwi_shade_vertex shade[FRONT_VERTICES];
} streams;

static inline float any_float(void)
{
    static const float special[] = {0.0f,      -0.0f,    1.0f,     -1.0f,    1e-45f, -1e-45f,
                                    1e-38f,    1.5e-39f, 1e-30f,   1e-20f,   1e-10f, 1e10f,
                                    1e20f,     1e30f,    -1e30f,   3.4e38f,  -3e38f, INFINITY,
                                    -INFINITY, NAN,      16384.0f, -16384.0f};
    if (random_bits() % 3 == 0) {
        return special[random_bits() % (sizeof special / sizeof special[0])];
    }
    if (random_bits() % 3 == 0) {
        uint32_t bits = random_bits() << 1 ^ random_bits();
        float x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    return random_float(-2.0f, 2.0f);
}

/* What a scene may hold: finite, but of any size. */
static inline float any_finite(void)
{
    for (;;) {
        const float x = any_float();
        if (isfinite(x)) {
            return x;
        }
    }
}

/* A direction of any length that float has. */
static inline void any_normal(float n[4])
{
    const int exponent = random_between(-149, 127);
    for (int c = 0; c < 4; c++) {
        n[c] = ldexpf(random_float(-1.0f, 1.0f), exponent);
    }
}

/* A number in so many becomes any. */
static inline void spoil(float *numbers, int count, uint32_t wild)
{
    for (int i = 0; i < count; i++) {
        if (random_bits() % wild == 0) {
            numbers[i] = any_finite();
        }
    }
}

/* Plain vertices, a share of which is replaced by anything: 1 / wild of them, 0 for none. */
static inline void make_vertex_set(vertex_set *s, uint32_t wild)
{
    for (int i = 0; i < FRONT_VERTICES; i++) {
        for (int c = 0; c < 4; c++) {
            bool any = wild != 0 && random_bits() % wild == 0;
            s->positions[i][c] = any ? any_float() : random_float(-2.0f, 2.0f);
            s->normals[i][c] = any ? any_float() : random_float(-1.0f, 1.0f);
        }
        s->uvs[i][0] = random_float(-4.0f, 4.0f);
        s->uvs[i][1] = wild != 0 && random_bits() % wild == 0 ? 1e-40f : random_float(0.0f, 1.0f);
    }
    for (int i = 0; i < FRONT_VERTICES && wild != 0; i++) {
        if (random_bits() % wild == 0) {
            any_normal(s->normals[i]);
        }
    }
    for (int i = 0; i < 6; i++) {
        s->material.uv_transform[i] = random_float(-2.0f, 2.0f);
    }
    s->draw = (mrw_raster_draw){.vertex_count = FRONT_VERTICES,
                                .positions = s->positions[0],
                                .normals = s->normals[0],
                                .uvs = random_bits() % 4 != 0 ? s->uvs[0] : NULL,
                                .material = &s->material};
    mrw_mat4 view = look(random_float(0, 6), random_float(-1, 1), 1.5, 0.1, 10.0);
    for (int c = 0; c < 4; c++) {
        const float *in = view.m + 4 * c;
        float *out = s->world_to_pixel.m + 4 * c;
        out[0] = (in[3] + in[0]) * 640.0f;
        out[1] = (in[3] - in[1]) * 360.0f;
        out[2] = in[2];
        out[3] = in[3];
    }
    if (wild != 0 && random_bits() % 4 == 0) {
        spoil(s->material.uv_transform, 6, 1 + random_bits() % 6);
        spoil(s->uvs[0], 2 * FRONT_VERTICES, 1 + random_bits() % 16);
    }
    if (wild != 0 && random_bits() % 4 == 0) {
        spoil(s->world_to_pixel.m, 16, 1 + random_bits() % 16);
    }
}

static inline void run_transform(const mrwi_raster_front_kernels *kernels, const vertex_set *s,
                                 uint32_t first, uint32_t count, streams *out)
{
    memset(out, 0x5a, sizeof *out);
    mrwi_raster_vertex_job job = {&s->world_to_pixel, &s->draw, out->screen, out->shade};
    kernels->transform(&job, first, count);
}

/* ---- triangles ------------------------------------------------------------------------------- */

#define FRONT_TRIANGLES 70
#define FRONT_POOL      60

typedef struct triangle_set {
    mrwi_raster_screen_vertex screen[1 + FRONT_POOL]; /* the draw's first vertex is number 1 */
    uint32_t indices[3 * FRONT_TRIANGLES];
    mrw_raster_material material;
    mrw_raster_draw draws[3]; /* the last is meant */
    mrwi_raster_geometry geometry;
    uint32_t samples;
} triangle_set;

typedef struct survivors {
    mrwi_shade_triangle triangles[FRONT_TRIANGLES];
    mrwi_raster_box boxes[FRONT_TRIANGLES];
    mrw_raster_source sources[FRONT_TRIANGLES];
    uint32_t count, next;
} survivors;

static inline int32_t any_coordinate(uint32_t kind)
{
    const int32_t edge = 16384 * 256;
    switch (kind) {
    case 0: /* tiny triangles, many of them degenerate */
        return 4096 + random_between(-3, 3);
    case 1: /* some pixels */
        return random_between(-2000, 20000);
    case 2: /* corners of the guard band and what is a sub-pixel from them */
        return (random_bits() & 1 ? edge : -edge) / (1 + random_between(0, 1)) +
               (random_bits() & 1 ? 0 : random_between(-1, 1) * 2);
    case 3: /* long needles: everything close to one line */
        return 0;
    default:
        return random_between(-edge, edge);
    }
}

/* kind: see any_coordinate; outside: some vertices are. */
static inline void make_triangle_set(triangle_set *s, uint32_t kind, bool outside)
{
    const int32_t edge = 16384 * 256;
    for (int i = 0; i <= FRONT_POOL; i++) {
        int32_t x = any_coordinate(kind), y = any_coordinate(kind);
        if (kind == 3) {
            x = random_between(-edge, edge - 1);
            y = x / 3 * 2 + random_between(-1, 1);
        }
        x = x > edge ? edge : x < -edge ? -edge : x;
        y = y > edge ? edge : y < -edge ? -edge : y;
        s->screen[i] = (mrwi_raster_screen_vertex){x, y, 0.5f, 1.0f};
        if (outside && random_bits() % 8 == 0) {
            s->screen[i] =
                (mrwi_raster_screen_vertex){MRWI_RASTER_OUTSIDE, 1 << random_bits() % 2, 0, 0};
        }
    }
    uint32_t reach = outside && random_bits() & 1 ? 8 : FRONT_POOL;
    for (int i = 0; i < 3 * FRONT_TRIANGLES; i++) {
        s->indices[i] = random_bits() % reach;
    }
    s->material.double_sided = random_bits() & 1;
    s->draws[2] = (mrw_raster_draw){.vertex_count = FRONT_POOL,
                                    .triangle_count = FRONT_TRIANGLES,
                                    .indices = s->indices,
                                    .mirrored = random_bits() & 1,
                                    .material = &s->material};
    s->samples = 1u << random_bits() % 4;
    s->geometry = (mrwi_raster_geometry){.draws = s->draws,
                                         .view = {.width = random_between(1, 90),
                                                  .height = random_between(1, 90),
                                                  .pattern = mrwi_raster_samples(s->samples)},
                                         .vertices = {.screen = s->screen}};
}

static inline mrwi_raster_cull_job job_for(const triangle_set *s, survivors *out)
{
    return (mrwi_raster_cull_job){.geometry = &s->geometry,
                                  .draw = 2,
                                  .first_vertex = 1,
                                  .triangles = out->triangles,
                                  .boxes = out->boxes,
                                  .sources = out->sources};
}

#endif
