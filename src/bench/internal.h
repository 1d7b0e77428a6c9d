/* internal.h: what the files that measure share: contestants, generated input, files. */
#ifndef MARROW_BENCH_INTERNAL_H
#define MARROW_BENCH_INTERNAL_H

#include "bench/bench.h"

#include <sys/types.h>

/* What one run works with. */
typedef struct bench {
    const bench_job *job;
    mrw_isa isas[MRW_ISA_COUNT]; /* to be measured, the fastest first */
    int isa_count;
    char folder[256];         /* for files; empty until bench_folder_make */
    bench_ways start_ways[3]; /* the rows of the start share their runs: time, wall, memory */
    bool started;
} bench;

/* ---- fail.c ---------------------------------------------------------------------------------- */

/* Fills *error and returns status. */
mrw_status bench_fail(mrw_error *error, mrw_status status, const char *format, ...)
    MRW_PRINTF(3, 4);
mrw_status bench_fail_memory(mrw_error *error);

/* ---- child.c --------------------------------------------------------------------------------- */

/* Starts this program again, without standard output. It ends with this process, however that
 * ends; so it is called by the main thread. Returns 0 or an errno. */
int bench_child_start(char *const *arguments, char *const *environment, pid_t *out);

/* The same for a process that was just forked: there it is called, with the process that forked. */
void bench_child_follow(pid_t parent);

/* ---- clock.c: measuring ---------------------------------------------------------------------- */

/* Adds a contestant for each instruction set that is to be measured. */
void bench_add_kernels(const bench *b, bench_ways *ways, bench_work work);
void bench_add_yardstick(bench_ways *ways, const char *name, bench_work work);

/* Runs all ways in turn, over and over, so that ratios hold on a busy machine, too. By the clock of
 * the process what others on the machine take is not counted. */
mrw_status bench_measure(const bench *b, bench_ways *ways, void *data, mrw_clock clock,
                         mrw_error *error);

/* Seconds to the row's unit: times `factor`, or factor / seconds where more is better. */
void bench_scale(const bench_row *row, bench_ways *ways, double factor);

/* Sorts and fills in median, best and runs. */
void bench_settle(bench_way *way, double *values, int count, bool higher);

/* Rounds that make a figure of slow work. */
int bench_slow_rounds(const bench *b);

/* MRW_ERROR_CANCELLED once the job is stopped. */
mrw_status bench_check(const bench *b, mrw_error *error);

/* Copying so many bytes, again and again, in GB a second. 0: out of memory. */
double bench_copy_speed(size_t size);

/* ---- input.c: what is generated -------------------------------------------------------------- */

/* Random numbers in -1 ... 1, the same in every run. */
float bench_random(uint32_t *state);

/* Pages that are there, followed by 64 readable bytes; free() frees. NULL: out of memory. */
void *bench_array(size_t count, size_t size);

/* side * side texels of 3 or 4 channels: clouds of all sizes, and on them grain of so many steps.
 */
void bench_paint(uint8_t *texels, uint32_t side, uint32_t channels, float grain, uint32_t seed);

/* A bumpy body of so many triangles, closed but for its poles, which fills 40 % of a picture of
 * 16:9 seen through `world_to_clip`. */
typedef struct bench_body {
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t *indices;
    float *positions; /* float[4], as mrw_raster_draw wants them */
    float *normals;
    float *uvs;
    mrw_mat4 world_to_clip;
} bench_body;

mrw_status bench_body_make(uint32_t triangles, bench_body *out, mrw_error *error);
void bench_body_free(bench_body *body);

/* A texture of side * side texels ready for drawing. */
mrw_status bench_texture_make(uint32_t side, mrw_encoding encoding, mrw_raster_texture **out,
                              mrw_error *error);

#define BENCH_MOST_LIGHTS 4

/* Fills the first `count` lights, all with highlights, and adds a little ambient. */
mrw_lighting bench_light(uint32_t count, mrw_light lights[BENCH_MOST_LIGHTS]);

/* A directional light's shadow map of a body, drawn again and again as those of sequences are. All
 * zero before it is made. */
typedef struct bench_shadow_map {
    mrw_shadow_map map;
    float *depths; /* of `map`, too; and */
    mrw_shadow_span *spans;
} bench_shadow_map;

mrw_status bench_shadow_frame(const bench_body *body, const mrw_light *light, uint32_t size,
                              bench_shadow_map *out, mrw_error *error);
mrw_status bench_shadow_draw(mrw_raster *raster, const mrw_raster_draw *body, mrw_isa isa,
                             bench_shadow_map *out, mrw_error *error);
void bench_shadow_free(bench_shadow_map *shadow);

/* A folder of this run for files, removed by bench_folder_remove with all in it. */
mrw_status bench_folder_make(bench *b, mrw_error *error);
void bench_folder_remove(bench *b);

/* ---- character.c: a textured character of 11,040 triangles and 67 joints --------------------- */

#define BENCH_CHARACTER_CLIP 2.0 /* seconds of its only clip */

/* Its glb: two textures of side * side texels, a PNG and a JPEG. */
mrw_status bench_character_glb(uint32_t side, mrw_text *out, mrw_error *error);

/* The same loaded, and a camera at it that sees the whole clip. */
typedef struct bench_character {
    mrw_scene *scene;
    mrw_model *model;
    mrw_instance instance;
    mrw_frame_def frame;
} bench_character;

mrw_status bench_character_load(mrw_shading shading, uint32_t width, float margin,
                                bench_character *out, mrw_error *error);
void bench_character_free(bench_character *character);

/* A picture of it, which png-plain packs; stb's time for it is a yardstick. */
mrw_status bench_character_picture(mrw_image *out, mrw_error *error);

/* ---- rows: what they measure is told in bench.c ---------------------------------------------- */

mrw_status bench_skin(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
/* The choices of bench_draw: MRW_FILTER_ANISO, or its light, and maps; else lights and a
 * hemisphere. */
enum {
    BENCH_DRAW_LIGHTS = 16, /* lights alone */
    BENCH_DRAW_LAMPS,       /* one light, and so many points whose ranges end far from the body */
    BENCH_DRAW_EVERYTHING
};

mrw_status bench_draw(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_fill(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_texture(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_png(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_png_size(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_shadow(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_environment(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_pose(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_compare(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_sequence(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_passes(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_rate(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_threads(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);
mrw_status bench_start(bench *b, const bench_row *row, bench_ways *out, mrw_error *error);

/* With an encoding, the choice of a row of bench_texture: a texel a pixel, else all of it in the
 * picture. */
#define BENCH_NEAR 8

/* Draws the 40 % body once; the caller frees the image. */
mrw_status bench_draw_picture(uint32_t triangles, uint32_t width, uint32_t samples, mrw_image *out,
                              mrw_error *error);

/* ---- stb.c ----------------------------------------------------------------------------------- */

/* Encodes a PNG as stb_image_write does by default, to see how long it takes and how large it is.
 */
mrw_status bench_stb_encode(const mrw_image *image, size_t *size, mrw_error *error);

/* Adds a file as stb_image_write writes it: a PNG, or a JPEG of quality 90. */
mrw_status bench_stb_write(const mrw_image *image, bool jpeg, mrw_text *out, mrw_error *error);

#endif
