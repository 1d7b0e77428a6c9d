/* texture.c: measures the memory of textures, for `marrow bench`: how much is kept of 2048 x 2048
 * texels on a square that shows them once, whole in the picture or at one texel per pixel.
 */
#include "bench/internal.h"

#include <stdlib.h>
#include <string.h>

#define TEXTURE_SIDE 2048u
#define WIDTH        1280u
#define HEIGHT       720u
#define FRAMED       648.0f /* pixels per side, with a margin of 5 % */

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

static mrw_status run_marrow(void *data, mrw_isa isa, mrw_error *error)
{
    return keep(data, false, isa, error);
}

static mrw_status run_all_levels(void *data, mrw_isa isa, mrw_error *error)
{
    return keep(data, true, isa, error);
}

mrw_status bench_texture(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    texture_work w = {.texels = bench_array((size_t)TEXTURE_SIDE * TEXTURE_SIDE, 4),
                      .encoding = (mrw_encoding)(row->choice & ~(uint32_t)BENCH_NEAR),
                      .pixels = row->choice & BENCH_NEAR ? (float)TEXTURE_SIDE : FRAMED};
    mrw_status status = MRW_OK;
    if (!w.texels) {
        return bench_fail_memory(error);
    }
    bench_add_kernels(b, out, run_marrow);
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
