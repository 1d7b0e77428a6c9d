/* internal.h: shared by the files that measure: contestants, generated input, files. */
#ifndef MARROW_BENCH_INTERNAL_H
#define MARROW_BENCH_INTERNAL_H

#include "bench/bench.h"

#include <marrow/raster.h>
#include <sys/types.h>

/* The state of one run. */
typedef struct bench {
    const bench_job *job;
    mrw_isa isas[MRW_ISA_COUNT]; /* instruction sets to measure, the fastest first */
    int isa_count;
    char folder[256]; /* folder for files; empty until bench_folder_make */
    bench_ways start_ways[4], thumbnail_ways[3]; /* results of rows that share their runs */
} bench;

/* ---- child.c --------------------------------------------------------------------------------- */

/* Starts this program again, without standard output. The child ends with this process, even if
 * this one is killed. Call it on the main thread. Returns 0 or an errno. */
int bench_child_start(char *const *arguments, char *const *environment, pid_t *out);

/* Makes a process end with its parent. Call it in the child, right after fork, with the id of the
 * process that forked. */
void bench_child_follow(pid_t parent);

/* ---- clock.c: measuring ---------------------------------------------------------------------- */

/* Adds a contestant for each instruction set to measure. */
void bench_add_kernels(const bench *b, bench_ways *ways, bench_work work);
void bench_add_yardstick(bench_ways *ways, const char *name, bench_work work);

/* Runs all ways in turn, again and again, so that ratios hold on a busy machine, too. The clock of
 * the process does not count the time that other processes take. */
mrw_status bench_measure(const bench *b, bench_ways *ways, void *data, mrw_clock clock,
                         mrw_error *error);

/* Converts seconds to the row's unit: factor * seconds, or factor / seconds if more is better. */
void bench_scale(const bench_row *row, bench_ways *ways, double factor);

/* Sorts the values and fills in median, best and runs. */
void bench_settle(bench_way *way, double *values, int count, bool higher);

/* Returns the number of rounds for slow work. */
int bench_slow_rounds(const bench *b);

/* Returns MRW_ERROR_CANCELLED once the job is stopped. */
mrw_status bench_check(const bench *b, mrw_error *error);

/* Measures the speed of copying blocks of `size` bytes, in GB per second. 0: out of memory. */
double bench_copy_speed(size_t size);

/* ---- input.c: generated input ---------------------------------------------------------------- */

/* Returns a random number in -1..1. The series is the same in every run. */
float bench_random(uint32_t *state);

/* Returns zeroed memory whose pages are mapped, followed by 64 readable bytes; free() frees it.
 * NULL: out of memory. */
void *bench_array(size_t count, size_t size);

/* Fills *error and returns MRW_ERROR_MEMORY. */
mrw_status bench_fail_memory(mrw_error *error);

/* Paints side * side texels of 3 or 4 channels: clouds of all sizes, and noise of up to `grain`
 * steps. */
void bench_paint(uint8_t *texels, uint32_t side, uint32_t channels, float grain, uint32_t seed);

/* A bumpy body of so many triangles, closed except for its poles. It covers 40 % of a 16:9 picture
 * seen through `world_to_clip`. */
typedef struct bench_body {
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t *indices;
    float *positions; /* float[4] per vertex, as for mrw_raster_draw */
    float *normals;
    float *uvs;
    mrw_mat4 world_to_clip;
} bench_body;

mrw_status bench_body_make(uint32_t triangles, bench_body *out, mrw_error *error);
void bench_body_free(bench_body *body);

/* Makes a texture of side * side texels that is ready for drawing. */
mrw_status bench_texture_make(uint32_t side, mrw_encoding encoding, mrw_raster_texture **out,
                              mrw_error *error);

#define BENCH_MOST_LIGHTS 4

/* Fills the first `count` lights, all with highlights, and adds a little ambient. */
mrw_lighting bench_light(uint32_t count, mrw_light lights[BENCH_MOST_LIGHTS]);

/* The shadow map of a body in a directional light. Like the maps of a sequence it can be drawn
 * repeatedly. Zero-initialise. */
typedef struct bench_shadow_map {
    mrw_shadow_map map;
    float *depths;          /* depths of `map`; owned */
    mrw_shadow_span *spans; /* spans of `map`; owned */
} bench_shadow_map;

mrw_status bench_shadow_frame(const bench_body *body, const mrw_light *light, uint32_t size,
                              bench_shadow_map *out, mrw_error *error);
mrw_status bench_shadow_draw(mrw_raster *raster, const mrw_raster_draw *body, mrw_isa isa,
                             bench_shadow_map *out, mrw_error *error);
void bench_shadow_free(bench_shadow_map *shadow);

/* Creates the folder of this run. bench_folder_remove removes it with all files in it. */
mrw_status bench_folder_make(bench *b, mrw_error *error);
void bench_folder_remove(bench *b);

/* ---- character.c: a textured character of 11,040 triangles and 67 joints --------------------- */

#define BENCH_CHARACTER_CLIP 2.0 /* seconds of its only clip */

/* Writes its glb. It has two textures of side * side texels, a PNG and a JPEG. fineness 1: as said;
 * 2: six times as many triangles. */
mrw_status bench_character_glb(uint32_t side, uint32_t fineness, mrw_text *out, mrw_error *error);

/* Writes a glb (glTF 2.0, 4.4): a header, the JSON padded with spaces, the binary chunk. */
void bench_put_glb(const mrw_text *json, const mrw_text *bin, mrw_text *out);

/* Draws the picture of png-plain. Its time with stb is a yardstick of other rows. */
mrw_status bench_character_picture(mrw_image *out, mrw_error *error);

/* ---- rows: the table in bench.c describes them ----------------------------------------------- */

mrw_status bench_skin(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
/* Choices of bench_draw beside MRW_FILTER_ANISO. Other rows have lights and a hemisphere. */
enum {
    BENCH_DRAW_LIGHTS = 16, /* lights without the hemisphere */
    BENCH_DRAW_LAMPS,       /* one light, and so many point lights that do not reach the body */
    BENCH_DRAW_EVERYTHING   /* lights, four maps, an environment and a shadow */
};

mrw_status bench_draw(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_fill(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_png(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_png_size(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_png_read(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_jpeg_read(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_jpeg_write(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_shadow(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_load(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_environment(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
/* choice: 1: no two channels share key times, which a row of tests/bench measures. */
mrw_status bench_pose(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_compare(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_sequence(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
/* Choices of bench_passes. */
enum { BENCH_PASSES_FIVE, BENCH_PASSES_EXR, BENCH_PASSES_16_BITS };

mrw_status bench_passes(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
/* choice: copies of the character, in rows of ten */
mrw_status bench_fit(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_rate(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_threads(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_still(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_start(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
/* choice: copies. */
mrw_status bench_crowd(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_thumbnail(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);

/* png.c: measure writing an image, which they take over. Sizes are the same for every instruction
 * set, and in every run. */
mrw_status bench_png_of(bench *b, const bench_row *row, mrw_image *image, bench_ways *out,
                        mrw_error *error);
mrw_status bench_png_size_of(bench *b, mrw_image *image, bench_ways *out, mrw_error *error);

/* Draws the 40 % body once; the caller frees the image. */
mrw_status bench_draw_picture(uint32_t triangles, uint32_t width, uint32_t samples, mrw_image *out,
                              mrw_error *error);

/* ---- stb.c ----------------------------------------------------------------------------------- */

/* Encodes a PNG with the defaults of stb_image_write, and returns its size. */
mrw_status bench_stb_encode(const mrw_image *image, size_t *size, mrw_error *error);

/* Decodes a JPEG to RGBA by stb_image with its defaults, and drops the pixels. */
mrw_status bench_stb_decode(const void *data, size_t size, mrw_error *error);

/* Appends a file of stb_image_write: a PNG, or a JPEG of quality 90. */
mrw_status bench_stb_write(const mrw_image *image, bool jpeg, mrw_text *out, mrw_error *error);

#endif
