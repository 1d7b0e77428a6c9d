/* kernels_front.h: the kernels of the rasterizer's front: vertices to the screen, and culling.
 * test_raster_front.c holds them against slow evaluators. */
#include "front_fixture.h"
#include "kernels.h"

enum { FRONT_TRANSFORM, FRONT_CULL };

#define FRONT_REPEATS 64 /* when timed */

static const void *front_table(mrw_isa isa)
{
    return mrwi_raster_front_kernels_for(isa);
}

static void check_transform(mrw_isa isa)
{
    static vertex_set s;
    static streams expected, actual;
    for (uint32_t round = 0; round < TEST_ROUNDS(6000); round++) {
        make_vertex_set(&s, round % 4 == 0 ? 0 : 1 + round % 40);
        const uint32_t first = random_bits() % 20, count = round % (FRONT_VERTICES - 20);
        run_transform(front_table(MRW_ISA_SCALAR), &s, first, count, &expected);
        run_transform(front_table(isa), &s, first, count, &actual);
        check_bytes(actual.screen, expected.screen, sizeof actual.screen, "screen", isa);
        check_bytes(actual.shade, expected.shade, sizeof actual.shade, "shading stream", isa);
    }
}

/* The number of the triangle to go on with. */
static uint32_t run_cull(mrw_isa isa, const triangle_set *s, uint32_t first, uint32_t end,
                         survivors *out)
{
    const mrwi_raster_front_kernels *kernels = front_table(isa);
    memset(out, 0x5a, sizeof *out);
    mrwi_raster_cull_job job = job_for(s, out);
    out->next = kernels->cull(&job, first, end);
    out->count = job.count;
    return out->next;
}

static void check_cull(mrw_isa isa)
{
    static triangle_set s;
    static survivors expected, actual;
    for (uint32_t round = 0; round < TEST_ROUNDS(6000); round++) {
        make_triangle_set(&s, random_bits() % 5, round % 3 == 0);
        const uint32_t first = random_bits() % 8;
        const uint32_t end = first + round % (FRONT_TRIANGLES - 8);
        run_cull(MRW_ISA_SCALAR, &s, first, end, &expected);
        run_cull(isa, &s, first, end, &actual);
        check_bytes(&actual, &expected, sizeof actual, "survivors", isa);
    }
}

static void check_front(mrw_isa isa, int variant)
{
    if (variant == FRONT_TRANSFORM) {
        check_transform(isa);
    } else {
        check_cull(isa);
    }
}

static size_t work_front(mrw_isa isa, int variant)
{
    static vertex_set vertices;
    static streams out;
    static triangle_set triangles;
    static survivors left;
    if (!vertices.draw.positions) {
        do {
            make_vertex_set(&vertices, 0);
        } while (!vertices.draw.uvs);
        make_triangle_set(&triangles, 1, false);
        triangles.material.double_sided = false;
    }
    const mrwi_raster_vertex_job job = {&vertices.world_to_pixel, &vertices.draw, out.screen,
                                        out.shade};
    const mrwi_raster_front_kernels *kernels = front_table(isa);
    for (int i = 0; i < FRONT_REPEATS; i++) {
        mrwi_raster_cull_job cull = job_for(&triangles, &left);
        if (variant == FRONT_TRANSFORM) {
            kernels->transform(&job, 0, FRONT_VERTICES);
        } else {
            kernels->cull(&cull, 0, FRONT_TRIANGLES);
        }
    }
    const size_t vertex =
        2 * 16 + 8 + sizeof(mrwi_raster_screen_vertex) + sizeof(mrwi_shade_vertex);
    return FRONT_REPEATS * (variant == FRONT_TRANSFORM ? FRONT_VERTICES * vertex
                                                       : FRONT_TRIANGLES * (size_t)3 * (4 + 16));
}

#define FRONT_ROW(name, variant)                                                                   \
    {                                                                                              \
        name, "src/raster/front_", variant, front_table, check_front, work_front                   \
    }
#define FRONT_ROWS FRONT_ROW("front vertices", FRONT_TRANSFORM), FRONT_ROW("front cull", FRONT_CULL)
