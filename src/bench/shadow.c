/* shadow.c: measures the shadow map of a directional light, for `marrow bench`. */
#include "bench/internal.h"

#include <stdlib.h>
#include <string.h>

/* That of frames, in percent. */
#define SOFTNESS 5.0f

typedef struct shadow_work {
    bench_body body;
    mrw_raster *raster;
    mrw_raster_draw draw;
    bench_shadow_map shadow;
    mrw_image picture; /* input of stb's yardstick: the picture of png-plain */
    size_t packed;     /* size of its PNG */
} shadow_work;

static mrw_shadow_bounds bounds_of(const bench_body *body)
{
    mrw_shadow_bounds box = {{1e9f, 1e9f, 1e9f}, {-1e9f, -1e9f, -1e9f}};
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        for (int i = 0; i < 3; i++) {
            const float p = body->positions[4 * v + (uint32_t)i];
            box.min[i] = p < box.min[i] ? p : box.min[i];
            box.max[i] = p > box.max[i] ? p : box.max[i];
        }
    }
    return box;
}

mrw_status bench_shadow_frame(const bench_body *body, const mrw_light *light, uint32_t size,
                              bench_shadow_map *out, mrw_error *error)
{
    const mrw_shadow_bounds bounds = bounds_of(body);
    mrw_shadow_frame(light, &bounds, size, SOFTNESS, &out->map);
    out->depths = bench_array(mrw_shadow_floats(&out->map), sizeof *out->depths);
    out->map.depths = out->depths;
    const uint32_t spans = (out->map.size + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
    out->spans = bench_array(spans, sizeof *out->spans);
    out->map.spans = out->spans;
    for (uint32_t i = 0; i < spans && out->spans; i++) {
        out->spans[i] = (mrw_shadow_span){0, (int32_t)out->map.size};
    }
    return out->depths && out->spans ? MRW_OK : bench_fail_memory(error);
}

void bench_shadow_free(bench_shadow_map *shadow)
{
    free(shadow->depths);
    free(shadow->spans);
    *shadow = (bench_shadow_map){0};
}

/* Draws the map in the same way as a frame does (frame/shadows.c). */
mrw_status bench_shadow_draw(mrw_raster *raster, const mrw_raster_draw *body, mrw_isa isa,
                             bench_shadow_map *out, mrw_error *error)
{
    const mrw_raster_material material = {.double_sided = true};
    mrw_raster_draw caster = *body;
    caster.material = &material;
    const mrw_target target = {MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1, out->depths,
                               out->map.stride * sizeof *out->depths};
    mrw_raster_job job = {.draws = &caster,
                          .draw_count = 1,
                          .samples = 1,
                          .width = out->map.size,
                          .height = out->map.size,
                          .targets = &target,
                          .target_count = 1,
                          .depth_spans = out->spans,
                          .isa = isa,
                          .threads = 1};
    mrw_shadow_view(&out->map, 0, &job.view.world_to_clip);
    const mrw_status status = mrw_raster_draw_frame(raster, &job, error);
    if (!status) {
        mrw_shadow_reduce(&out->map, NULL, out->depths, 1);
    }
    return status;
}

static mrw_status make_map(uint32_t size, shadow_work *w, mrw_error *error)
{
    const mrw_light sun = {
        .to_light = {0.48f, 0.64f, 0.6f}, .color = {1.0f, 1.0f, 1.0f}, .throws_shadow = true};
    w->draw = (mrw_raster_draw){.vertex_count = w->body.vertex_count,
                                .triangle_count = w->body.triangle_count,
                                .indices = w->body.indices,
                                .positions = w->body.positions,
                                .normals = w->body.normals,
                                .id = 1};
    mrw_status status = bench_shadow_frame(&w->body, &sun, size, &w->shadow, error);
    return status ? status : mrw_raster_create(&w->raster, error);
}

static mrw_status run_map(void *data, mrw_isa isa, mrw_error *error)
{
    shadow_work *w = data;
    return bench_shadow_draw(w->raster, &w->draw, isa, &w->shadow, error);
}

static mrw_status run_stb(void *data, mrw_isa isa, mrw_error *error)
{
    shadow_work *w = data;
    (void)isa;
    return bench_stb_encode(&w->picture, &w->packed, error);
}

mrw_status bench_shadow(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    shadow_work w = {.packed = 0};
    mrw_status status = bench_body_make(row->sizes[BENCH_TRIANGLES], &w.body, error);
    if (status) {
        goto out;
    }
    status = make_map(row->sizes[BENCH_WIDTH], &w, error);
    if (status) {
        goto out;
    }
    status = bench_character_picture(&w.picture, error);
    if (status) {
        goto out;
    }
    bench_add_kernels(b, out, run_map);
    bench_add_yardstick(out, "stb-png", run_stb);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, 1e3);
out:
    bench_body_free(&w.body);
    mrw_raster_free(w.raster);
    mrw_image_free(&w.picture);
    bench_shadow_free(&w.shadow);
    return status;
}
