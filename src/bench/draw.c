/* draw.c: measures drawing, for `marrow bench`: a body that covers 40 % of the picture, and a
 * surface that covers all of it. */
#include "bench/internal.h"

#include <stdlib.h>
#include <string.h>

#define TEXTURE_SIDE 1024u
#define SHADOW_SIDE  2048u

/* Material and light of the body. The draw and the job borrow them. */
typedef struct surface {
    mrw_raster_material material;
    mrw_raster_texture *texture;
    mrw_raster_texture *more[3]; /* with EVERYTHING: metallic-roughness, normals, emission */
    float *tangents;
    mrw_environment *environment;
    mrw_light lights[BENCH_MOST_LIGHTS];
    mrw_light *lamps;
    bench_shadow_map shadow;
} surface;

typedef struct draw_work {
    bench_body body;
    surface surface;
    mrw_raster *raster;
    mrw_raster_draw draw;
    mrw_raster_job job;
    mrw_image image;
    char *copy;    /* buffer of the yardstick: twice `copied` bytes */
    size_t copied; /* bytes of a copy */
} draw_work;

static void free_work(draw_work *w)
{
    bench_body_free(&w->body);
    mrw_raster_free(w->raster);
    mrw_raster_texture_free(w->surface.texture);
    for (int i = 0; i < 3; i++) {
        mrw_raster_texture_free(w->surface.more[i]);
    }
    mrw_environment_free(w->surface.environment);
    free(w->surface.tangents);
    bench_shadow_free(&w->surface.shadow);
    free(w->surface.lamps);
    mrw_image_free(&w->image);
    free(w->copy);
}

static mrw_status draw_to(const draw_work *w, mrw_target target, mrw_isa isa, mrw_error *error)
{
    mrw_raster_job job = w->job;
    job.targets = &target;
    job.target_count = 1;
    job.isa = isa;
    return mrw_raster_draw_frame(w->raster, &job, error);
}

static mrw_status run_frame(void *data, mrw_isa isa, mrw_error *error)
{
    draw_work *w = data;
    return draw_to(w, mrw_target_of(MRW_TARGET_COLOR, &w->image), isa, error);
}

/* Copies as many bytes as drawing must at least read and write: vertices, indices, the picture. */
static mrw_status run_copy(void *data, mrw_isa isa, mrw_error *error)
{
    draw_work *w = data;
    (void)isa;
    (void)error;
    memcpy(w->copy, w->copy + w->copied, w->copied);
    __asm__ volatile("" ::"r"(w->copy) : "memory");
    return MRW_OK;
}

/* Makes the rest of the work; the body is already there. */
static mrw_status make_work(draw_work *w, uint32_t width, mrw_encoding encoding, mrw_error *error)
{
    surface *s = &w->surface;
    mrw_status status = mrw_image_create(width, BENCH_HEIGHT(width), 3, &w->image, error);
    if (status) {
        return status;
    }
    status = mrw_raster_create(&w->raster, error);
    if (status) {
        return status;
    }
    status = bench_texture_make(TEXTURE_SIDE, encoding, &s->texture, error);
    if (status) {
        return status;
    }
    s->material = (mrw_raster_material){.base_color = {1.0f, 1.0f, 1.0f, 1.0f},
                                        .maps[MRW_RASTER_MAP_BASE_COLOR].texture = s->texture,
                                        .roughness = 0.5f,
                                        .reflectance = 0.04f,
                                        .specular = 1.0f,
                                        .specular_color = {1, 1, 1},
                                        .uv_transform = {1, 0, 0, 0, 1, 0}};
    w->draw = (mrw_raster_draw){.vertex_count = w->body.vertex_count,
                                .triangle_count = w->body.triangle_count,
                                .indices = w->body.indices,
                                .positions = w->body.positions,
                                .normals = w->body.normals,
                                .uvs = w->body.uvs,
                                .id = 1,
                                .material = &s->material};
    w->job = (mrw_raster_job){.draws = &w->draw,
                              .draw_count = 1,
                              .view = {w->body.world_to_clip, {0.0f, 0.0f, 1.0f}, false},
                              .lighting = bench_light(1, s->lights),
                              .shading = MRW_SHADING_LIT,
                              .filter = MRW_FILTER_TRILINEAR,
                              .exposure = 1.0f,
                              .samples = 1,
                              .background = {52, 56, 64, 255},
                              .width = w->image.width,
                              .height = w->image.height,
                              .threads = 1};
    w->copied = ((size_t)w->body.vertex_count * 40 + (size_t)w->body.triangle_count * 12 +
                 (size_t)w->image.width * w->image.height * 3) /
                2;
    w->copy = bench_array(w->copied, 2);
    return w->copy ? MRW_OK : bench_fail_memory(error);
}

/* Draws once, and checks that the body covers as much as the table says. */
static mrw_status check_cover(const draw_work *w, mrw_error *error)
{
    const size_t pixels = (size_t)w->image.width * w->image.height;
    size_t covered = 0;
    mrw_image cover = {0};
    mrw_status status =
        mrw_image_create_as(MRW_FORMAT_U8, w->image.width, w->image.height, 1, &cover, error);
    if (status) {
        return status;
    }
    status = draw_to(w, mrw_target_of(MRW_TARGET_COVERAGE, &cover), MRW_ISA_AUTO, error);
    if (status) {
        goto out;
    }
    for (size_t i = 0; i < pixels; i++) {
        covered += cover.pixels[i];
    }
    if (covered * 100 < pixels * 39 || covered * 100 > pixels * 41) {
        status =
            mrw_fail(error, MRW_ERROR_INTERNAL,
                     "the body covers %zu of %zu pixels, but should cover 40 %%", covered, pixels);
    }
out:
    mrw_image_free(&cover);
    return status;
}

/* ---- light and maps -------------------------------------------------------------------------- */

/* Returns tangents along the rows of the body, which go round it. NULL: out of memory. */
static float *make_tangents(const bench_body *body)
{
    float *tangents = bench_array(body->vertex_count, 4 * sizeof(float));
    for (uint32_t v = 0; v < body->vertex_count && tangents; v++) {
        const float *p = body->positions + 4 * v;
        const float tangent[4] = {p[2], 0.0f, -p[0], 1.0f};
        memcpy(tangents + 4 * v, tangent, sizeof tangent);
    }
    return tangents;
}

/* Adds the shadow of the first light. It is drawn once, because other rows measure that. */
static mrw_status add_shadow(draw_work *w, mrw_error *error)
{
    mrw_light *light = &w->surface.lights[0];
    bench_shadow_map *shadow = &w->surface.shadow;
    light->throws_shadow = true;
    light->shadow = &shadow->map;
    mrw_status status = bench_shadow_frame(&w->body, light, SHADOW_SIDE, shadow, error);
    if (status) {
        return status;
    }
    return bench_shadow_draw(w->raster, &w->draw, MRW_ISA_AUTO, shadow, error);
}

/* Adds four maps, the studio and a shadow. */
static mrw_status add_everything(draw_work *w, mrw_error *error)
{
    static const mrw_raster_map_kind kinds[3] = {MRW_RASTER_MAP_METALLIC_ROUGHNESS,
                                                 MRW_RASTER_MAP_NORMAL, MRW_RASTER_MAP_EMISSIVE};
    surface *s = &w->surface;
    w->draw.tangents = s->tangents = make_tangents(&w->body);
    if (!s->tangents) {
        return bench_fail_memory(error);
    }
    for (int i = 0; i < 3; i++) {
        const mrw_encoding encoding = i < 2 ? MRW_ENCODING_DATA : MRW_ENCODING_COLOR;
        mrw_status status = bench_texture_make(TEXTURE_SIDE, encoding, &s->more[i], error);
        if (status) {
            return status;
        }
        s->material.maps[kinds[i]].texture = s->more[i];
        s->material.emissive[i] = 0.1f;
    }
    s->material.metallic = s->material.roughness = s->material.normal_scale = 1.0f;
    mrw_status status = mrw_environment_create_studio(MRW_RIG_SOFT, 1, &s->environment, error);
    if (status) {
        return status;
    }
    mrw_environment_place(s->environment, 0.0f, 1.0f, NULL, &w->job.lighting);
    return add_shadow(w, error);
}

/* Makes point lights in a wide ring around the body, none of which reaches it. */
static mrw_status add_lamps(surface *s, uint32_t count, mrw_lighting *out, mrw_error *error)
{
    uint32_t seed = 5;
    s->lamps = bench_array((size_t)count + 1, sizeof *s->lamps);
    if (!s->lamps) {
        return bench_fail_memory(error);
    }
    *out = bench_light(1, s->lamps);
    for (uint32_t i = 1; i <= count; i++) {
        const float side = i % 2 ? 1.0f : -1.0f;
        s->lamps[i] =
            (mrw_light){.type = MRW_LIGHT_POINT,
                        .position = {side * (4.0f + bench_random(&seed)),
                                     2.0f * bench_random(&seed), 2.0f * bench_random(&seed)},
                        .color = {1.0f, 1.0f, 1.0f},
                        .specular = 1.0f,
                        .range = 0.5f};
    }
    out->light_count += count;
    return MRW_OK;
}

static mrw_status light_work(const bench_row *row, draw_work *w, mrw_error *error)
{
    const uint32_t count = row->sizes[BENCH_LIGHTS];
    if (row->choice == BENCH_DRAW_LAMPS) {
        return add_lamps(&w->surface, count, &w->job.lighting, error);
    }
    w->job.lighting = bench_light(count, w->surface.lights);
    if (row->choice >= BENCH_DRAW_LIGHTS) {
        memset(w->job.lighting.sky, 0, sizeof w->job.lighting.sky);
        memset(w->job.lighting.ground, 0, sizeof w->job.lighting.ground);
    }
    return row->choice == BENCH_DRAW_EVERYTHING ? add_everything(w, error) : MRW_OK;
}

static mrw_status make_body_work(const bench_row *row, draw_work *w, mrw_error *error)
{
    memset(w, 0, sizeof *w);
    mrw_status status = bench_body_make(row->sizes[BENCH_TRIANGLES], &w->body, error);
    if (status) {
        return status;
    }
    status = make_work(w, row->sizes[BENCH_WIDTH], MRW_ENCODING_COLOR, error);
    if (status) {
        return status;
    }
    w->job.samples = row->sizes[BENCH_SAMPLES];
    if (row->choice == MRW_FILTER_ANISO) {
        w->job.filter = MRW_FILTER_ANISO;
    }
    status = light_work(row, w, error);
    if (status) {
        return status;
    }
    return check_cover(w, error);
}

mrw_status bench_draw(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    draw_work w;
    mrw_status status = make_body_work(row, &w, error);
    if (status) {
        goto out;
    }
    bench_add_kernels(b, out, run_frame);
    bench_add_yardstick(out, "copy", run_copy);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, 1e3);
out:
    free_work(&w);
    return status;
}

mrw_status bench_draw_picture(uint32_t triangles, uint32_t width, uint32_t samples, mrw_image *out,
                              mrw_error *error)
{
    draw_work w;
    const bench_row row = {.sizes = {[BENCH_TRIANGLES] = triangles,
                                     [BENCH_WIDTH] = width,
                                     [BENCH_SAMPLES] = samples,
                                     [BENCH_LIGHTS] = 1}};
    mrw_status status = make_body_work(&row, &w, error);
    if (!status) {
        status = run_frame(&w, MRW_ISA_AUTO, error);
    }
    *out = w.image;
    w.image = (mrw_image){0};
    free_work(&w);
    return status;
}

/* ---- filling the screen ---------------------------------------------------------------------- */

/* Makes two triangles over the whole picture, with one texel per pixel, turned a little. */
static mrw_status make_screen(bench_body *out, mrw_error *error)
{
    static const uint32_t indices[6] = {0, 1, 2, 2, 1, 3};
    *out = (bench_body){.vertex_count = 4,
                        .triangle_count = 2,
                        .indices = bench_array(6, sizeof(uint32_t)),
                        .positions = bench_array(4, 4 * sizeof(float)),
                        .normals = bench_array(4, 4 * sizeof(float)),
                        .uvs = bench_array(4, 2 * sizeof(float)),
                        .world_to_clip = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}};
    if (!out->indices || !out->positions || !out->normals || !out->uvs) {
        return bench_fail_memory(error);
    }
    memcpy(out->indices, indices, sizeof indices);
    for (uint32_t v = 0; v < 4; v++) {
        float right = (float)(v / 2), low = (float)(v % 2);
        const float position[4] = {2.0f * right - 1.0f, 1.0f - 2.0f * low, 0.5f, 1.0f};
        const float uv[2] = {1.25f * right + 0.02f * low, 0.7f * low - 0.02f * right};
        memcpy(out->positions + 4 * v, position, sizeof position);
        memcpy(out->uvs + 2 * v, uv, sizeof uv);
        out->normals[4 * v + 2] = 1.0f;
    }
    return MRW_OK;
}

mrw_status bench_fill(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    draw_work w = {0};
    const mrw_encoding encoding =
        row->choice == MRW_SHADING_RAW ? MRW_ENCODING_RAW : MRW_ENCODING_COLOR;
    mrw_status status = make_screen(&w.body, error);
    if (status) {
        goto out;
    }
    status = make_work(&w, row->sizes[BENCH_WIDTH], encoding, error);
    if (status) {
        goto out;
    }
    w.job.shading = (mrw_shading)row->choice;
    w.job.filter = MRW_FILTER_BILINEAR;
    w.surface.material.unlit = true;
    bench_add_kernels(b, out, run_frame);
    bench_add_yardstick(out, "copy", run_copy);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, (double)w.image.width * w.image.height * 1e-6);
out:
    free_work(&w);
    return status;
}
