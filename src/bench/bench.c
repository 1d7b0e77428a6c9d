/* bench.c: the table of rows, the choice of rows by name, and the run. */
#include "bench/internal.h"

#include <marrow/compare.h>
#include <marrow/skin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rows -------------------------------------------------------------------------------- */

#define SKIN(vertices_)                                                                            \
    {                                                                                              \
        [BENCH_VERTICES] = vertices_, [BENCH_INFLUENCES] = 4, [BENCH_JOINTS] = 67                  \
    }
#define DRAW(triangles_, samples_)                                                                 \
    {                                                                                              \
        [BENCH_TRIANGLES] = triangles_, [BENCH_WIDTH] = 1280, [BENCH_SAMPLES] = samples_,          \
        [BENCH_LIGHTS] = 1                                                                         \
    }
#define LIT(lights_)                                                                               \
    {                                                                                              \
        [BENCH_TRIANGLES] = 5000, [BENCH_WIDTH] = 1280, [BENCH_SAMPLES] = 1,                       \
        [BENCH_LIGHTS] = lights_                                                                   \
    }
#define FRAME(samples_, threads_)                                                                  \
    {                                                                                              \
        [BENCH_TRIANGLES] = 11040, [BENCH_WIDTH] = 1280, [BENCH_SAMPLES] = samples_,               \
        [BENCH_JOINTS] = 67, [BENCH_THREADS] = threads_                                            \
    }
#define SHADOW(triangles_)                                                                         \
    {                                                                                              \
        [BENCH_TRIANGLES] = triangles_, [BENCH_WIDTH] = 2048                                       \
    }
#define WIDTH(width_)                                                                              \
    {                                                                                              \
        [BENCH_WIDTH] = width_                                                                     \
    }
#define JOINTS(joints_)                                                                            \
    {                                                                                              \
        [BENCH_JOINTS] = joints_                                                                   \
    }

#define FIT(triangles_)                                                                            \
    {                                                                                              \
        [BENCH_TRIANGLES] = triangles_, [BENCH_WIDTH] = 640                                        \
    }

/* The start rows come first: start.c says why. */
const bench_row bench_rows[BENCH_ROWS] = {
    {"start-cpu", "cold start to a PNG on disk, 2.7 MB glb, CPU time", "ms", false, 1, bench_start,
     0, FRAME(4, 0)},
    {"start-wall", "the same, wall time", "ms", false, 1, bench_start, 1, FRAME(4, 0)},
    {"start-memory", "the same, peak memory", "MB", false, 1, bench_start, 2, FRAME(4, 0)},
    {"start-version", "start and end of --version, CPU time", "ms", false, 2, bench_start, 3,
     FRAME(4, 0)},
    {"copies-memory", "draw 1,000 copies of 11k triangles, peak memory", "MB", false, 0,
     bench_crowd, 1000, FRAME(1, 1)},
    {"thumbnail-jpeg", "256x256 of four JPEGs of 2048x2048, CPU time", "ms", false, 1,
     bench_thumbnail, 0, WIDTH(256)},
    {"thumbnail-memory", "the same, peak memory", "MB", false, 1, bench_thumbnail, 2, WIDTH(256)},
    {"skin-30k", "skin 30,000 vertices, 4 influences, normals", "ns per vertex", false, 2,
     bench_skin, MRW_SKINNING_LINEAR, SKIN(30000)},
    {"skin-1m", "skin 1,000,000 vertices", "ns per vertex", false, 2, bench_skin,
     MRW_SKINNING_LINEAR, SKIN(1000000)},
    {"skin-dual-30k", "skin 30,000 vertices by dual quaternions", "ns per vertex", false, 2,
     bench_skin, MRW_SKINNING_DUAL_QUATERNION, SKIN(30000)},
    {"pose-67", "pose 67 joints: sample, world, palette", "ns per joint", false, 1, bench_pose, 0,
     JOINTS(67)},
    {"draw-5k", "draw 5,000 triangles, 40 % of 1280x720", "ms", false, 2, bench_draw, 0,
     DRAW(5000, 1)},
    {"draw-50k", "draw 50,000 triangles", "ms", false, 2, bench_draw, 0, DRAW(50000, 1)},
    {"draw-aniso", "the same, anisotropic texture filter", "ms", false, 2, bench_draw,
     MRW_FILTER_ANISO, DRAW(50000, 1)},
    {"draw-500k", "draw 500,000 triangles", "ms", false, 2, bench_draw, 0, DRAW(500000, 1)},
    {"draw-5k-4x", "draw 5,000 triangles, 4 samples", "ms", false, 2, bench_draw, 0, DRAW(5000, 4)},
    {"draw-50k-4x", "draw 50,000 triangles, 4 samples", "ms", false, 2, bench_draw, 0,
     DRAW(50000, 4)},
    {"draw-500k-4x", "draw 500,000 triangles, 4 samples", "ms", false, 2, bench_draw, 0,
     DRAW(500000, 4)},
    {"draw-5k-lights", "draw 5,000 triangles, only three lights", "ms", false, 2, bench_draw,
     BENCH_DRAW_LIGHTS, LIT(3)},
    {"draw-5k-everything", "the same with four maps, environment and a shadow", "ms", false, 2,
     bench_draw, BENCH_DRAW_EVERYTHING, LIT(3)},
    {"fill-raw", "fill 1280x720, bilinear texture, raw", "Mpixel/s", true, 0, bench_fill,
     MRW_SHADING_RAW, WIDTH(1280)},
    {"fill-managed", "the same, colour-managed", "Mpixel/s", true, 0, bench_fill, MRW_SHADING_LIT,
     WIDTH(1280)},
    {"png-plain", "a frame to PNG: small model on plain ground", "ms", false, 2, bench_png, 0,
     FRAME(4, 0)},
    {"png-textured", "a frame to PNG: 40 % textured", "ms", false, 2, bench_png, 1, DRAW(50000, 4)},
    {"png-plain-size", "PNG size: small model on plain ground", "kB", false, 0, bench_png_size, 0,
     FRAME(4, 0)},
    {"png-textured-size", "PNG size: 40 % textured", "kB", false, 0, bench_png_size, 1,
     DRAW(50000, 4)},
    {"png-smooth", "a frame to PNG: smooth model, clay", "ms", false, 2, bench_png, 2, FRAME(4, 0)},
    {"png-smooth-size", "PNG size: smooth model, clay", "kB", false, 0, bench_png_size, 2,
     FRAME(4, 0)},
    {"png-read", "read the PNG of a frame: 40 % textured", "ms", false, 2, bench_png_read, 1,
     DRAW(50000, 4)},
    {"jpeg-texture", "read a JPEG of 2048x2048", "ms", false, 1, bench_jpeg_read, 0, WIDTH(2048)},
    {"jpeg-plain", "a frame to JPEG: small model on plain ground", "ms", false, 2, bench_jpeg_write,
     0, FRAME(4, 0)},
    {"shadow-50k", "a 2048x2048 shadow map of 50,000 triangles", "ms", false, 2, bench_shadow, 0,
     SHADOW(50000)},
    {"load-500k",
     "load a glb of 500,000 triangles",
     "ms",
     false,
     1,
     bench_load,
     0,
     {[BENCH_TRIANGLES] = 500000}},
    {"environment-1k", "an environment from a 1024x512 .hdr", "ms", false, 0, bench_environment, 0,
     WIDTH(1024)},
    {"environment-8k", "an environment from an 8192x4096 .hdr", "ms", false, 0, bench_environment,
     0, WIDTH(8192)},
    {"character-lambert", "sequence to files: 11k triangles, lambert, no AA", "ms per frame", false,
     2, bench_sequence, MRW_SHADING_LAMBERT, FRAME(1, 1)},
    {"character-default", "sequence to files: 11k triangles, default look", "ms per frame", false,
     2, bench_sequence, MRW_SHADING_LIT, FRAME(4, 1)},
    {"passes-five", "colour, depth, normal, position, id: 11k triangles", "ms", false, 2,
     bench_passes, BENCH_PASSES_FIVE, FRAME(4, 1)},
    {"png-16", "a frame with 16 bits per channel, drawn and encoded", "ms", false, 2, bench_passes,
     BENCH_PASSES_16_BITS, FRAME(4, 1)},
    {"exr-passes", "depth and normal of a frame, drawn and encoded", "ms", false, 2, bench_passes,
     BENCH_PASSES_EXR, FRAME(4, 1)},
    {"fit-clip", "frame a clip of 66k triangles, draw two pictures", "ms", false, 2, bench_fit, 1,
     FIT(66240)},
    {"fit-copies", "the same of 100 copies, 11k triangles each", "ms", false, 1, bench_fit, 100,
     FIT(11040)},
    {"threads-2", "sequence by two threads, one frame each, wall time", "times as fast", true, 2,
     bench_threads, MRW_SHADING_LIT, FRAME(4, 2)},
    {"still-threads", "one picture to PNG by two threads, wall time", "times as fast", true, 2,
     bench_still, MRW_SHADING_LIT, FRAME(4, 2)},
    {"compare-exact", "compare 1920x1080, equal, exact", "ms", false, 2, bench_compare,
     MRW_COMPARE_EXACT, WIDTH(1920)},
    {"compare-pixel", "compare 1920x1080, moved, ignoring edges", "ms", false, 2, bench_compare,
     MRW_COMPARE_PIXEL, WIDTH(1920)},
    {"compare-perceptual", "compare 1920x1080, moved, FLIP", "ms", false, 1, bench_compare,
     MRW_COMPARE_PERCEPTUAL, WIDTH(1920)},
};

const bench_growth bench_growths[BENCH_GROWTHS] = {
    {{"growth-vertices", "skinning, by vertices", "ns per vertex", false, 2, bench_skin,
      MRW_SKINNING_LINEAR, SKIN(30000)},
     BENCH_VERTICES,
     {3000, 30000, 300000, 1000000}},
    {{"growth-influences", "skinning 30,000 vertices, by influences", "ns per vertex", false, 2,
      bench_skin, MRW_SKINNING_LINEAR, SKIN(30000)},
     BENCH_INFLUENCES,
     {1, 2, 4, 8}},
    {{"growth-joints", "posing, by joints", "ns per joint", false, 1, bench_pose, 0, JOINTS(67)},
     BENCH_JOINTS,
     {16, 67, 256, 1024}},
    {{"growth-triangles", "drawing 40 % of 1280x720, by triangles", "ms", false, 2, bench_draw, 0,
      DRAW(5000, 1)},
     BENCH_TRIANGLES,
     {500, 5000, 50000, 500000}},
    {{"growth-pixels", "drawing 5,000 triangles, by pixels", "ms", false, 2, bench_draw, 0,
      DRAW(5000, 1)},
     BENCH_WIDTH,
     {320, 640, 1280, 2560}},
    {{"growth-samples", "drawing 5,000 triangles, by samples", "ms", false, 2, bench_draw, 0,
      DRAW(5000, 1)},
     BENCH_SAMPLES,
     {1, 2, 4, 8}},
    {{"growth-lights", "drawing 5,000 triangles, by lights", "ms", false, 2, bench_draw, 0,
      DRAW(5000, 1)},
     BENCH_LIGHTS,
     {1, 2, 3, 4}},
    {{"growth-lamps", "the same, by lamps out of reach", "ms", false, 2, bench_draw,
      BENCH_DRAW_LAMPS, LIT(1)},
     BENCH_LIGHTS,
     {1, 10, 100, 10000}},
    {{"growth-threads", "sequence of a character to files, by threads", "frames/s", true, 0,
      bench_rate, MRW_SHADING_LIT, FRAME(4, 1)},
     BENCH_THREADS,
     {1, 2, 4, 8}},
};

/* ---- the choice ------------------------------------------------------------------------------ */

static const char *name_at(size_t index)
{
    return index < BENCH_ROWS ? bench_rows[index].name : bench_growths[index - BENCH_ROWS].row.name;
}

static bool choose(const char *pattern, bench_choice *out)
{
    size_t length = strlen(pattern);
    bool any = false;
    for (int looser = 0; looser < 2 && !any; looser++) {
        for (size_t i = 0; i < BENCH_ROWS + BENCH_GROWTHS; i++) {
            const char *name = name_at(i);
            bool begins = strncmp(pattern, name, length) == 0 && name[length] == '-';
            bool *chosen = i < BENCH_ROWS ? &out->rows[i] : &out->growths[i - BENCH_ROWS];
            if (looser ? begins || mrw_glob_match(pattern, name) : strcmp(pattern, name) == 0) {
                out->count += !*chosen;
                *chosen = any = true;
            }
        }
    }
    return any;
}

static mrw_status refuse_name(const char *name, mrw_error *error)
{
    const char *names[BENCH_ROWS + BENCH_GROWTHS];
    char text[512], safe[128];
    for (size_t i = 0; i < BENCH_ROWS + BENCH_GROWTHS; i++) {
        names[i] = name_at(i);
    }
    snprintf(text, sizeof text, "bench has no row '%s'", mrw_escape_text(name, safe, sizeof safe));
    size_t length = strlen(text);
    mrw_suggest_names(text, sizeof text, name, names, BENCH_ROWS + BENCH_GROWTHS);
    return mrw_fail(error, MRW_ERROR_USAGE, "%s%s", text,
                    text[length] == '\0' ? "; `marrow bench --list` shows them" : "");
}

mrw_status bench_choose(const mrw_text_list *names, bench_choice *out, mrw_error *error)
{
    *out = (bench_choice){.count = 0};
    if (names->count == 0) {
        choose("*", out);
    }
    for (size_t i = 0; i < names->count; i++) {
        if (!choose(names->items[i], out)) {
            return refuse_name(names->items[i], error);
        }
    }
    return MRW_OK;
}

static void choose_isas(mrw_isa only, bench *b)
{
    const char *named = getenv("MARROW_ISA");
    if (only == MRW_ISA_AUTO && named) {
        mrw_isa_from_name(named, &only);
    }
    if (only != MRW_ISA_AUTO) {
        b->isas[b->isa_count++] = only;
        return;
    }
    for (int isa = MRW_ISA_COUNT - 1; isa >= MRW_ISA_SCALAR; isa--) {
        if (mrw_isa_available((mrw_isa)isa)) {
            b->isas[b->isa_count++] = (mrw_isa)isa;
        }
    }
}

/* ---- running --------------------------------------------------------------------------------- */

/* Runs each point of a growth as a row of another size, with the fastest kernels alone. */
static mrw_status run_growth(bench *b, const bench_growth *growth, bench_way out[BENCH_POINTS],
                             mrw_error *error)
{
    mrw_status status = MRW_OK;
    int isa_count = b->isa_count;
    b->isa_count = 1;
    for (int p = 0; p < BENCH_POINTS; p++) {
        bench_row row = growth->row;
        bench_ways ways = {.count = 0};
        row.sizes[growth->size] = growth->at[p];
        status = row.run(b, &row, &ways, error);
        if (status) {
            break;
        }
        out[p] = ways.way[0];
    }
    b->isa_count = isa_count;
    return status;
}

static mrw_status run_rows(bench *b, bench_results *out, mrw_error *error)
{
    const bench_job *job = b->job;
    for (size_t r = 0; r < BENCH_ROWS; r++) {
        if (job->choice.rows[r]) {
            mrw_status status = bench_rows[r].run(b, &bench_rows[r], &out->rows[r], error);
            job->row_is_done();
            if (status) {
                return status;
            }
        }
    }
    for (size_t g = 0; g < BENCH_GROWTHS; g++) {
        if (job->choice.growths[g]) {
            mrw_status status = run_growth(b, &bench_growths[g], out->growths[g], error);
            job->row_is_done();
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}

const size_t bench_copies[BENCH_COPIES] = {(size_t)256 << 10, (size_t)128 << 20};

mrw_status bench_run(const bench_job *job, bench_results *out, mrw_error *error)
{
    bench b = {.job = job};
    choose_isas(job->isa, &b);
    memset(out, 0, sizeof *out);
    memcpy(out->isas, b.isas, sizeof b.isas);
    out->isa_count = b.isa_count;
    out->load = -1.0;
    getloadavg(&out->load, 1);
    mrw_status status = run_rows(&b, out, error);
    bench_folder_remove(&b);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < BENCH_COPIES; i++) {
        out->copy_speed[i] = bench_copy_speed(bench_copies[i]);
    }
    return MRW_OK;
}
