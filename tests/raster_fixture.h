/* raster_fixture.h: what the tests of the rasterizer share: random numbers, a slow evaluator of
 * coverage, a camera, and a shaken grid to look at. */
#ifndef MARROW_RASTER_FIXTURE_H
#define MARROW_RASTER_FIXTURE_H

#include "test.h"

#include "base/memory.h"
#include "raster/internal.h"

#define SIDE 64

/* For loops over samples: Check's own assertions make a system call each. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ck_abort_msg("%s", #condition);                                                        \
        }                                                                                          \
    } while (0)

/* ---- random numbers -------------------------------------------------------------------------- */

static uint64_t random_state = 1;

static inline uint32_t random_bits(void)
{
    return test_random(&random_state);
}

static inline int32_t random_between(int32_t lo, int32_t hi)
{
    return test_random_between(&random_state, lo, hi);
}

static inline float random_float(float lo, float hi)
{
    return test_random_float(&random_state, lo, hi);
}

/* ---- a plain evaluator of coverage ----------------------------------------------------------- */

/* Direct3D 11 functional specification, 19.2.4, written out again. */
static const int8_t standard[4][8][2] = {
    {{0, 0}},
    {{4, 4}, {-4, -4}},
    {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}},
    {{1, -3}, {-1, 3}, {5, 1}, {-3, -5}, {-5, 5}, {-7, -1}, {3, 7}, {7, -7}},
};

static inline int64_t side_of(const int32_t a[2], const int32_t b[2], int64_t x, int64_t y)
{
    return (x - a[0]) * (b[1] - a[1]) - (y - a[1]) * (int64_t)(b[0] - a[0]);
}

/* Inside, or on an edge that is a top edge (horizontal, the triangle below it) or a left edge (the
 * triangle to the right of it). */
static inline bool covers(const int32_t p[3][2], int64_t x, int64_t y)
{
    for (int i = 0; i < 3; i++) {
        const int32_t *a = p[i], *b = p[(i + 1) % 3], *c = p[(i + 2) % 3];
        int64_t inner = side_of(a, b, c[0], c[1]);
        int64_t here = side_of(a, b, x, y);
        if (inner == 0 || (here != 0 && (here > 0) != (inner > 0))) {
            return false;
        }
        bool top = a[1] == b[1] && c[1] > a[1];
        bool left = a[1] != b[1] && (inner > 0) == (b[1] > a[1]);
        if (here == 0 && !top && !left) {
            return false;
        }
    }
    return true;
}

/* ---- a world to look at ---------------------------------------------------------------------- */

#define CELLS 9

/* Two triangles a cell, the diagonal either way. */
static inline uint32_t grid_indices(uint32_t *indices)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < CELLS; j++) {
        for (uint32_t i = 0; i < CELLS; i++) {
            uint32_t a = j * (CELLS + 1) + i, b = a + 1, c = a + CELLS + 1, d = c + 1;
            const uint32_t cell[2][6] = {{a, c, b, b, c, d}, {a, c, d, a, d, b}};
            memcpy(indices + n, cell[random_bits() & 1], sizeof cell[0]);
            n += 6;
        }
    }
    return n / 3;
}

/* World x, y are pixels from the top left, z is depth: exact for sides that are powers of two. */
static inline mrw_mat4 pixel_space(float side)
{
    return (mrw_mat4){{2 / side, 0, 0, 0, 0, -2 / side, 0, 0, 0, 0, 1, 0, -1, 1, 0, 1}};
}

/* A perspective camera at the origin that looks along -Z, turned about X and Y. */
static inline mrw_mat4 look(double yaw, double pitch, double focal, double near_z, double far_z)
{
    double cy = cos(yaw), sy = sin(yaw), cp = cos(pitch), sp = sin(pitch);
    const double rows[3][3] = {{cy, 0, sy}, {sp * sy, cp, -sp * cy}, {-cp * sy, sp, cp * cy}};
    mrw_mat4 m = {{0}};
    for (int c = 0; c < 3; c++) {
        m.m[4 * c] = (float)(focal * rows[0][c]);
        m.m[4 * c + 1] = (float)(focal * rows[1][c]);
        m.m[4 * c + 2] = (float)(far_z / (near_z - far_z) * rows[2][c]);
        m.m[4 * c + 3] = (float)-rows[2][c];
    }
    m.m[14] = (float)(far_z * near_z / (near_z - far_z));
    return m;
}

static const mrw_raster_material double_sided = {
    .base_color = {1, 1, 1, 1}, .double_sided = true, .uv_transform = {1, 0, 0, 0, 1, 0}};

typedef struct grid {
    float positions[(CELLS + 1) * (CELLS + 1)][4];
    float normals[(CELLS + 1) * (CELLS + 1)][4];
    float uvs[(CELLS + 1) * (CELLS + 1)][2];
    uint32_t indices[CELLS * CELLS * 6];
    mrw_raster_draw draw;
} grid;

/* A square of half-width `size` at distance `size` along one axis; inner vertices are shaken. */
static inline void make_face(grid *g, int axis, float sign, float size)
{
    for (int j = 0; j <= CELLS; j++) {
        for (int i = 0; i <= CELLS; i++) {
            int v = j * (CELLS + 1) + i;
            bool inner = i > 0 && i < CELLS && j > 0 && j < CELLS;
            float shake = inner ? 0.3f : 0.0f;
            float u = ((float)i + random_float(-shake, shake)) / CELLS;
            float w = ((float)j + random_float(-shake, shake)) / CELLS;
            /* corners of the cube must be the same on all faces */
            g->positions[v][axis] = sign * size;
            g->positions[v][(axis + 1) % 3] = (2 * u - 1) * size;
            g->positions[v][(axis + 2) % 3] = (2 * w - 1) * size;
            g->positions[v][3] = 1.0f;
            memcpy(g->normals[v], (float[4]){0, 0, 1, 0}, sizeof g->normals[v]);
            g->uvs[v][0] = u;
            g->uvs[v][1] = w;
        }
    }
    g->draw = (mrw_raster_draw){.vertex_count = (CELLS + 1) * (CELLS + 1),
                                .triangle_count = grid_indices(g->indices),
                                .indices = g->indices,
                                .positions = g->positions[0],
                                .normals = g->normals[0],
                                .uvs = g->uvs[0],
                                .id = 1,
                                .material = &double_sided};
}

#endif
