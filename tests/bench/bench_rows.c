/* bench_rows.c: rows like those of `marrow bench` for marrow's own engineers: variants of kernels,
 * of the PNG encoder and of the memory of textures that no user chooses. Prints the figure of each
 * instruction set and yardstick.
 *
 * Usage: rows [--quick]
 */
#include "bench/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory of textures ---------------------------------------------------------------------- */

/* How much is kept of 2048 x 2048 texels on a square that shows them once, whole in the picture or
 * at one texel per pixel. */
#define TEXTURE_SIDE 2048u
#define WIDTH        1280u
#define HEIGHT       720u
#define FRAMED       648.0f /* pixels per side, with a margin of 5 % */
#define NEAR         8u

typedef struct texture_work {
    uint8_t *texels;
    mrw_encoding encoding;
    float pixels;    /* side of the square */
    uint64_t memory; /* bytes, from the last call */
} texture_work;

static mrw_status find_level(float pixels, const mrw_raster_texture *texture, mrw_isa isa,
                             uint32_t *level, mrw_error *error)
{
    static const uint32_t indices[6] = {0, 1, 2, 2, 1, 3};
    static const float normals[4][4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    static const float uvs[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    const float x = pixels / (float)WIDTH, y = pixels / (float)HEIGHT;
    const float positions[4][4] = {
        {-x, y, 0.5f, 1}, {-x, -y, 0.5f, 1}, {x, y, 0.5f, 1}, {x, -y, 0.5f, 1}};
    const mrw_raster_material material = {.maps[MRW_RASTER_MAP_BASE_COLOR].texture = texture,
                                          .uv_transform = {1, 0, 0, 0, 1, 0}};
    const mrw_raster_draw draw = {.vertex_count = 4,
                                  .triangle_count = 2,
                                  .indices = indices,
                                  .positions = positions[0],
                                  .normals = normals[0],
                                  .uvs = uvs[0],
                                  .material = &material};
    const mrw_raster_job job = {
        .draws = &draw,
        .draw_count = 1,
        .view = {.world_to_clip = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
                 .orthographic = true},
        .filter = MRW_FILTER_TRILINEAR,
        .exposure = 1.0f,
        .samples = 4,
        .width = WIDTH,
        .height = HEIGHT,
        .isa = isa,
        .threads = 1};
    mrw_raster *raster = NULL;
    mrw_status status = mrw_raster_create(&raster, error);
    if (status) {
        return status;
    }
    uint32_t levels[MRW_RASTER_MAP_COUNT];
    for (int m = 0; m < MRW_RASTER_MAP_COUNT; m++) {
        levels[m] = *level;
    }
    status = mrw_raster_finest_levels(raster, &job, levels, error);
    *level = levels[MRW_RASTER_MAP_BASE_COLOR];
    mrw_raster_free(raster);
    return status;
}

static mrw_status keep(texture_work *w, bool all, mrw_isa isa, mrw_error *error)
{
    mrw_raster_texture *texture = NULL;
    uint32_t level = all ? 0 : MRW_FINEST_NONE;
    mrw_status status =
        mrw_raster_texture_create(NULL, TEXTURE_SIDE, TEXTURE_SIDE, w->encoding, &texture, error);
    if (status) {
        return status;
    }
    status = find_level(w->pixels, texture, isa, &level, error);
    if (status) {
        goto out;
    }
    status = mrw_raster_texture_fill(texture, w->texels, level, error);
    if (status) {
        goto out;
    }
    w->memory = mrw_raster_texture_memory(texture);
out:
    mrw_raster_texture_free(texture);
    return status;
}

static mrw_status run_kept(void *data, mrw_isa isa, mrw_error *error)
{
    return keep(data, false, isa, error);
}

static mrw_status run_all_levels(void *data, mrw_isa isa, mrw_error *error)
{
    return keep(data, true, isa, error);
}

/* choice: an encoding, and NEAR: show one texel per pixel, and not the whole texture. */
static mrw_status measure_texture(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    texture_work w = {.texels = bench_array((size_t)TEXTURE_SIDE * TEXTURE_SIDE, 4),
                      .encoding = (mrw_encoding)(row->choice & ~(uint32_t)NEAR),
                      .pixels = row->choice & NEAR ? (float)TEXTURE_SIDE : FRAMED};
    mrw_status status = MRW_OK;
    if (!w.texels) {
        return bench_fail_memory(error);
    }
    bench_add_kernels(b, out, run_kept);
    bench_add_yardstick(out, "all-levels", run_all_levels);
    for (int i = 0; i < out->count; i++) {
        bench_way *way = &out->way[i];
        status = way->work(&w, way->isa, error);
        if (status) {
            break;
        }
        way->median = way->best = (double)w.memory * 1e-6;
        way->runs = 1;
    }
    free(w.texels);
    return status;
}

/* ---- PNG files ------------------------------------------------------------------------------- */

enum { NOISE, GRADIENT }; /* a row's choice */

/* Paints noise, which no encoder makes smaller, or a gradient without noise. */
static mrw_status paint_picture(const bench_row *row, mrw_image *out, mrw_error *error)
{
    const uint32_t width = row->sizes[BENCH_WIDTH], height = BENCH_HEIGHT(width);
    uint32_t seed = 7;
    mrw_status status = mrw_image_create(width, height, 3, out, error);
    if (status) {
        return status;
    }
    for (uint32_t y = 0, i = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            for (uint32_t c = 0; c < 3; c++, i++) {
                seed = seed * 1664525u + 1013904223u;
                out->pixels[i] = row->choice == NOISE ? (uint8_t)(seed >> 24)
                                                      : (uint8_t)((x * (c + 1) + 3 * y) / 4);
            }
        }
    }
    return MRW_OK;
}

static mrw_status measure_png(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    mrw_image image = {0};
    mrw_status status = paint_picture(row, &image, error);
    return status ? status : bench_png_of(b, row, &image, out, error);
}

static mrw_status measure_png_size(bench *b, const bench_row *row, bench_ways *out,
                                   mrw_error *error)
{
    mrw_image image = {0};
    mrw_status status = paint_picture(row, &image, error);
    return status ? status : bench_png_size_of(b, &image, out, error);
}

/* ---- the rows -------------------------------------------------------------------------------- */

#define WIDE                                                                                       \
    {                                                                                              \
        [BENCH_WIDTH] = 1280                                                                       \
    }

static const bench_row rows[] = {
    {"pose-67-own-times",
     "pose 67 joints, no two channels share key times",
     "ns per joint",
     false,
     1,
     bench_pose,
     1,
     {[BENCH_JOINTS] = 67}},
    {"texture-color", "memory of a 2048x2048 colour map, shown whole", "MB", false, 1,
     measure_texture, MRW_ENCODING_COLOR, WIDE},
    {"texture-color-near", "the same, one texel per pixel", "MB", false, 1, measure_texture,
     MRW_ENCODING_COLOR | NEAR, WIDE},
    {"texture-data", "memory of a 2048x2048 data map, shown whole", "MB", false, 1, measure_texture,
     MRW_ENCODING_DATA, WIDE},
    {"texture-data-near", "the same, one texel per pixel", "MB", false, 1, measure_texture,
     MRW_ENCODING_DATA | NEAR, WIDE},
    {"png-noise", "a picture of noise to PNG, 1280x720", "ms", false, 2, measure_png, NOISE, WIDE},
    {"png-noise-size", "PNG size: noise", "kB", false, 0, measure_png_size, NOISE, WIDE},
    {"png-gradient", "a gradient without noise to PNG, 1280x720", "ms", false, 2, measure_png,
     GRADIENT, WIDE},
    {"png-gradient-size", "PNG size: gradient", "kB", false, 0, measure_png_size, GRADIENT, WIDE},
};

static bool never(void)
{
    return false;
}

int main(int argc, char **argv)
{
    const bench_job job = {.quick = argc > 1 && strcmp(argv[1], "--quick") == 0, .stopped = never};
    bench b = {.job = &job};
    for (int isa = MRW_ISA_COUNT - 1; isa >= MRW_ISA_SCALAR; isa--) {
        if (mrw_isa_available((mrw_isa)isa)) {
            b.isas[b.isa_count++] = (mrw_isa)isa;
        }
    }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        bench_ways ways = {.count = 0};
        mrw_error error;
        if (rows[r].run(&b, &rows[r], &ways, &error)) {
            fprintf(stderr, "bench_rows: %s: %s\n", rows[r].name, error.text);
            return 1;
        }
        printf("%-20s %s, %s:", rows[r].name, rows[r].work, rows[r].unit);
        for (int w = 0; w < ways.count; w++) {
            printf(" %s %.*f", ways.way[w].name, rows[r].decimals, ways.way[w].median);
        }
        printf("\n");
    }
    return 0;
}
