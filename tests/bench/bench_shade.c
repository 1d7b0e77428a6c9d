/* bench_shade.c: what shading costs, in ns a visible pixel, for every instruction set of this
 * machine.
 *
 * A wall of 640x576 pixels, which is 40 % of 1280x720, of 5,000 or of 50,000 triangles, one light
 * and highlights, a texture of 512x512 seen at about two texels a pixel; then the encoding of its
 * colours as bytes. All in turn, so that ratios hold on a busy machine, too; each figure is the
 * median of several runs' processor time.
 *
 * Usage: shade [--quick | ISA]
 */
#include "shade/shade.h"
#include "shade/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WIDTH     640u
#define HEIGHT    576u
#define PIXELS    (WIDTH * HEIGHT)
#define SIDE      512u /* of the texture */
#define MAX_CELLS 160u /* of the wall, on one side */
#define LIST      512u
#define RUNS      25

typedef struct wall {
    _Alignas(64) mrwi_shade_vertex vertices[(MAX_CELLS + 1) * (MAX_CELLS + 1)];
    mrwi_shade_triangle triangles[2 * MAX_CELLS * MAX_CELLS];
    float x[PIXELS + MRWI_SHADE_LIST_PAD], y[PIXELS + MRWI_SHADE_LIST_PAD];
    uint32_t triangle[PIXELS + MRWI_SHADE_LIST_PAD];
    _Alignas(64) float rgba[LIST + MRWI_SHADE_LIST_PAD][4];
    uint8_t bytes[3 * LIST];
    uint8_t texels[SIDE * SIDE * 4];
    mrw_raster_texture *texture;
    mrw_raster_material material;
    mrw_raster_draw draw;
    mrwi_shade_frame frame;
    mrwi_shade_light light; /* prepared, of `frame` */
} wall;

/* The memory of all lists. */
_Alignas(64) static uint8_t shade_memory[MRWI_SHADE_MEMORY];

static wall the_wall;

/* ---- the wall -------------------------------------------------------------------------------- */

static float random_unit(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 8388608.0f - 1.0f;
}

static void make_vertices(wall *w, uint32_t across, uint32_t down)
{
    for (uint32_t j = 0; j <= down; j++) {
        for (uint32_t i = 0; i <= across; i++) {
            const float s = (float)i / (float)across, t = (float)j / (float)down;
            const float nx = 0.5f * random_unit(), ny = 0.5f * random_unit();
            const float nz = 1.0f - 0.5f * (nx * nx + ny * ny);
            w->vertices[j * (across + 1) + i] =
                (mrwi_shade_vertex){(float)(int)(s * WIDTH * 256.0f) / 256.0f,
                                    (float)(int)(t * HEIGHT * 256.0f) / 256.0f,
                                    0.5f + 0.1f * random_unit(),
                                    2.5f * s,
                                    2.25f * t,
                                    nx,
                                    ny,
                                    nz};
        }
    }
}

static void make_triangles(wall *w, uint32_t across, uint32_t down)
{
    for (uint32_t j = 0; j < down; j++) {
        for (uint32_t i = 0; i < across; i++) {
            const uint32_t a = j * (across + 1) + i, d = a + across + 1;
            mrwi_shade_triangle *pair = &w->triangles[2 * (j * across + i)];
            pair[0] = (mrwi_shade_triangle){{a, d, a + 1}, 0};
            pair[1] = (mrwi_shade_triangle){{a + 1, d, d + 1}, 0};
        }
    }
}

/* Pixels row after row, each with the triangle that covers it. */
static void make_pixels(wall *w, uint32_t across, uint32_t down)
{
    for (uint32_t i = 0; i < PIXELS + MRWI_SHADE_LIST_PAD; i++) {
        const uint32_t pixel = i < PIXELS ? i : PIXELS - 1;
        w->x[i] = (float)(pixel % WIDTH) + 0.5f;
        w->y[i] = (float)(pixel / WIDTH) + 0.5f;
        const float column = w->x[i] / WIDTH * (float)across, row = w->y[i] / HEIGHT * (float)down;
        const float s = column - (float)(uint32_t)column, t = row - (float)(uint32_t)row;
        w->triangle[i] = 2 * ((uint32_t)row * across + (uint32_t)column) + (s + t < 1.0f ? 0u : 1u);
    }
}

static void make_wall(wall *w, uint32_t across, uint32_t down)
{
    make_vertices(w, across, down);
    make_triangles(w, across, down);
    make_pixels(w, across, down);
    w->frame.vertices = w->vertices;
    w->frame.triangles = w->triangles;
}

static void make_surface(wall *w)
{
    static const mrw_light light = {
        .to_light = {0.6f, 0.0f, 0.8f}, .color = {0.9f, 0.8f, 0.7f}, .specular = 0.3f};
    for (uint32_t i = 0; i < sizeof w->texels; i++) {
        w->texels[i] = i % 4 == 3 ? 255 : (uint8_t)(128.0f + 100.0f * random_unit());
    }
    if (mrw_raster_texture_create(w->texels, SIDE, SIDE, MRW_ENCODING_COLOR, &w->texture, NULL) !=
        MRW_OK) {
        exit(1);
    }
    w->material.base_color[0] = w->material.base_color[1] = 0.9f;
    w->material.base_color[2] = w->material.base_color[3] = 1.0f;
    w->material.roughness = 0.5f;
    w->material.reflectance = 0.04f;
    w->material.specular = 1.0f;
    w->material.specular_color[0] = w->material.specular_color[1] = w->material.specular_color[2] =
        1;
    w->draw.material = &w->material;
    w->frame = (mrwi_shade_frame){.draws = &w->draw,
                                  .lighting = {.lights = &light,
                                               .light_count = 1,
                                               .up = {0.0f, 1.0f, 0.0f},
                                               .sky = {0.3f, 0.3f, 0.4f},
                                               .ground = {0.1f, 0.1f, 0.1f}},
                                  .shading = MRW_SHADING_LIT,
                                  .ray0 = {-0.5f, 0.5f, 2.0f},
                                  .ray_dx = {1e-3f, 0.0f, 1e-5f},
                                  .ray_dy = {0.0f, -1e-3f, 1e-5f}};
    mrwi_shade_prepare_lights(&w->frame.lighting, &w->light);
    w->frame.lights = &w->light;
}

/* ---- measuring ------------------------------------------------------------------------------- */

enum work { UNTEXTURED, NEAREST, BILINEAR, TRILINEAR, ENCODE, WORK_COUNT };

static const char *const work_names[WORK_COUNT] = {"untextured", "nearest", "bilinear", "trilinear",
                                                   "encode"};

static void run(wall *w, enum work work, mrw_isa isa)
{
    static const mrw_filter filters[WORK_COUNT] = {[NEAREST] = MRW_FILTER_NEAREST,
                                                   [BILINEAR] = MRW_FILTER_BILINEAR,
                                                   [TRILINEAR] = MRW_FILTER_TRILINEAR};
    static const float background[4] = {0.2f, 0.2f, 0.2f, 1.0f};
    const mrwi_shade_kernels *kernels = mrwi_shade_kernels_for(isa);
    w->material.maps[0].texture = work == UNTEXTURED ? NULL : w->texture;
    w->frame.filter = filters[work];
    for (uint32_t first = 0; first < PIXELS; first += LIST) {
        const mrwi_shade_list list = {.memory = shade_memory,
                                      .count = LIST,
                                      .x = w->x + first,
                                      .y = w->y + first,
                                      .triangle = w->triangle + first};
        if (work == ENCODE) {
            kernels->encode((const float(*)[4])w->rgba, LIST, background, 3, (mrwi_shade_tone){0},
                            w->bytes);
        } else {
            kernels->shade(&w->frame, &list, w->rgba);
        }
    }
}

/* Processor time: what others on the machine take is not counted. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void bench(wall *w, int rounds, const mrw_isa *isas, int isa_count, uint32_t across,
                  uint32_t down)
{
    static double runs[WORK_COUNT][MRW_ISA_COUNT][RUNS];
    make_wall(w, across, down);
    for (int r = 0; r < rounds; r++) {
        for (int work = 0; work < WORK_COUNT; work++) {
            for (int i = 0; i < isa_count; i++) {
                const double start = now();
                run(w, (enum work)work, isas[i]);
                runs[work][i][r] = (now() - start) * 1e9 / PIXELS;
            }
        }
    }
    printf("%u triangles\n", 2 * across * down);
    for (int work = 0; work < WORK_COUNT; work++) {
        printf("  %-10s", work_names[work]);
        for (int i = 0; i < isa_count; i++) {
            qsort(runs[work][i], (size_t)rounds, sizeof(double), compare_doubles);
            printf(" %7.2f", runs[work][i][rounds / 2]);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    mrw_isa isas[MRW_ISA_COUNT], only = MRW_ISA_AUTO;
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const int rounds = quick ? 1 : RUNS;
    int isa_count = 0;
    if (argc > 1 && !quick && !(mrw_isa_from_name(argv[1], &only) && mrw_isa_available(only))) {
        fprintf(stderr, "bench_shade: no instruction set %s here\n", argv[1]);
        return 77;
    }
    printf("Shading in ns a pixel, one core, median of %d runs\n  %-10s", rounds, "");
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (!mrw_isa_available((mrw_isa)isa) || (only != MRW_ISA_AUTO && only != (mrw_isa)isa)) {
            continue;
        }
        isas[isa_count++] = (mrw_isa)isa;
        printf(" %7s", mrw_isa_name((mrw_isa)isa));
    }
    printf("\n");
    make_surface(&the_wall);
    bench(&the_wall, rounds, isas, isa_count, 50, 50);
    bench(&the_wall, rounds, isas, isa_count, 158, 158);
    mrw_raster_texture_free(the_wall.texture);
    return 0;
}
