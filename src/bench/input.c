/* input.c: makes the input of `marrow bench`, the same in every run: textures, a body, lights; and
 * the folder for files. */
#include "bench/internal.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PI 3.14159265f

float bench_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

void *bench_array(size_t count, size_t size)
{
    size_t bytes = (count * size + 127) / 64 * 64;
    void *out = count > (SIZE_MAX - 127) / size ? NULL : aligned_alloc(64, bytes);
    if (out) {
        memset(out, 0, bytes);
    }
    return out;
}

mrw_status bench_fail_memory(mrw_error *error)
{
    return mrw_fail_memory(error, 0);
}

/* ---- textures -------------------------------------------------------------------------------- */

#define OCTAVES 4

/* Returns the random number of a lattice point, 0..1. The pattern repeats after `cells`. */
static float lattice(uint32_t x, uint32_t y, uint32_t cells, uint32_t seed)
{
    uint32_t h = (x % cells) * 374761393u + (y % cells) * 668265263u + seed * 2246822519u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return (float)((h ^ (h >> 16)) >> 8) / 16777216.0f;
}

/* Returns value noise at x, y in 0..1, with so many cells per side. */
static float cloud(float x, float y, uint32_t cells, uint32_t seed)
{
    float u = x * (float)cells, v = y * (float)cells;
    uint32_t i = (uint32_t)u, j = (uint32_t)v;
    u -= (float)i;
    v -= (float)j;
    float top = lattice(i, j, cells, seed) * (1 - u) + lattice(i + 1, j, cells, seed) * u;
    float low = lattice(i, j + 1, cells, seed) * (1 - u) + lattice(i + 1, j + 1, cells, seed) * u;
    return top * (1 - v) + low * v;
}

void bench_paint(uint8_t *texels, uint32_t side, uint32_t channels, float grain, uint32_t seed)
{
    uint32_t state = seed;
    for (uint32_t i = 0; i < side * side; i++) {
        float x = (float)(i % side) / (float)side, y = (float)(i / side) / (float)side;
        float value = 0.0f, tint = cloud(x, y, 4, seed + 9);
        for (uint32_t octave = 0; octave < OCTAVES; octave++) {
            value += cloud(x, y, 8u << octave, seed + octave) * (float)(1u << (OCTAVES - octave));
        }
        float grey = 40.0f + value * 170.0f / (float)((2u << OCTAVES) - 2);
        for (uint32_t c = 0; c < channels; c++) {
            float hue = c == 0 ? tint : c == 1 ? 0.5f : 1.0f - tint;
            float level = grey * (0.6f + 0.6f * hue) + grain * bench_random(&state);
            texels[i * channels + c] = c == 3 ? 255 : (uint8_t)fminf(255.0f, fmaxf(0.0f, level));
        }
    }
}

#define GRAIN 24.0f /* gives the body that covers 40 % a PNG of about 800 kB with stb */

mrw_status bench_texture_make(uint32_t side, mrw_encoding encoding, mrw_raster_texture **out,
                              mrw_error *error)
{
    uint8_t *texels = bench_array((size_t)side * side, 4);
    if (!texels) {
        return bench_fail_memory(error);
    }
    bench_paint(texels, side, 4, GRAIN, 1);
    mrw_status status = mrw_raster_texture_create(texels, side, side, encoding, out, error);
    free(texels);
    return status;
}

/* ---- the body -------------------------------------------------------------------------------- */

/* Half axes of the body, and distance of the camera. Seen with a field of view of 35 degrees the
 * ellipsoid is an ellipse of pi * 0.76 * 1.1913 in a picture of 2 x 3.5556, which is 40 %. */
#define BODY_WIDE     1.8262f
#define BODY_HIGH     1.165f
#define BODY_FAR      5.0f
#define BODY_FOCAL    3.17159f /* 1 / tan(17.5 degrees) */
#define BODY_BUMPS    0.012f
#define BODY_TEXTURES 3.0f /* repeats around the body: of 1024 texels about two fall on a pixel */

/* Returns the number of rows that divides the quads and makes them as square as possible. */
static uint32_t rows_of(uint32_t quads)
{
    uint32_t best = 1;
    double wanted = sqrt((double)quads / 3.0), off = wanted;
    for (uint32_t rows = 2; rows < 2 * wanted; rows++) {
        double by = rows > wanted ? rows / wanted : wanted / rows;
        if (quads % rows == 0 && by < off) {
            best = rows;
            off = by;
        }
    }
    return best;
}

static void place_vertex(const bench_body *body, uint32_t v, float s, float t)
{
    float around = 2.0f * PI * s, down = PI * (0.01f + 0.98f * t);
    float n[3] = {sinf(down) * sinf(around), cosf(down), sinf(down) * cosf(around)};
    float bump = 1.0f + BODY_BUMPS * sinf(9.0f * around) * sinf(11.0f * down);
    float *p = body->positions + 4 * v, *normal = body->normals + 4 * v;
    p[0] = BODY_WIDE * bump * n[0];
    p[1] = BODY_HIGH * bump * n[1];
    p[2] = BODY_HIGH * bump * n[2];
    p[3] = 1.0f;
    normal[0] = n[0] / BODY_WIDE;
    normal[1] = n[1] / BODY_HIGH;
    normal[2] = n[2] / BODY_HIGH;
    body->uvs[2 * v] = BODY_TEXTURES * s;
    body->uvs[2 * v + 1] = 0.5f * BODY_TEXTURES * t;
}

static void fill_body(bench_body *body, uint32_t rows, uint32_t columns)
{
    uint32_t *index = body->indices;
    for (uint32_t j = 0; j <= rows; j++) {
        for (uint32_t i = 0; i <= columns; i++) {
            place_vertex(body, j * (columns + 1) + i, (float)i / (float)columns,
                         (float)j / (float)rows);
        }
    }
    for (uint32_t j = 0; j < rows; j++) {
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t a = j * (columns + 1) + i, d = a + columns + 1;
            uint32_t quad[6] = {a, d, a + 1, a + 1, d, d + 1};
            memcpy(index, quad, sizeof quad);
            index += 6;
        }
    }
}

mrw_status bench_body_make(uint32_t triangles, bench_body *out, mrw_error *error)
{
    uint32_t rows = rows_of(triangles / 2), columns = triangles / 2 / rows;
    uint32_t vertices = (rows + 1) * (columns + 1);
    const float near = 1.0f, far = 20.0f, focal = BODY_FOCAL;
    *out = (bench_body){.vertex_count = vertices,
                        .triangle_count = 2 * rows * columns,
                        .indices = bench_array(6 * (size_t)rows * columns, sizeof(uint32_t)),
                        .positions = bench_array(vertices, 4 * sizeof(float)),
                        .normals = bench_array(vertices, 4 * sizeof(float)),
                        .uvs = bench_array(vertices, 2 * sizeof(float))};
    if (!out->indices || !out->positions || !out->normals || !out->uvs) {
        bench_body_free(out);
        return bench_fail_memory(error);
    }
    fill_body(out, rows, columns);
    /* The camera stands at +Z and looks along -Z. */
    float *m = out->world_to_clip.m;
    m[0] = focal * 9.0f / 16.0f;
    m[5] = focal;
    m[10] = far / (near - far);
    m[14] = near * far / (near - far) - BODY_FAR * m[10];
    m[11] = -1.0f;
    m[15] = BODY_FAR;
    return MRW_OK;
}

void bench_body_free(bench_body *body)
{
    free(body->indices);
    free(body->positions);
    free(body->normals);
    free(body->uvs);
    memset(body, 0, sizeof *body);
}

mrw_lighting bench_light(uint32_t count, mrw_light lights[BENCH_MOST_LIGHTS])
{
    static const float from[BENCH_MOST_LIGHTS][3] = {
        {0.48f, 0.6f, 0.64f}, {-0.6f, 0.0f, 0.8f}, {0.0f, 0.8f, -0.6f}, {0.8f, -0.6f, 0.0f}};
    for (uint32_t i = 0; i < count; i++) {
        lights[i] = (mrw_light){.specular = 0.3f};
        for (int c = 0; c < 3; c++) {
            lights[i].to_light[c] = from[i][c];
            lights[i].color[c] = 0.9f / (float)count;
        }
    }
    return (mrw_lighting){.lights = lights,
                          .light_count = count,
                          .up = {0.0f, 1.0f, 0.0f},
                          .sky = {0.2f, 0.2f, 0.25f},
                          .ground = {0.1f, 0.1f, 0.1f}};
}

/* ---- files ----------------------------------------------------------------------------------- */

mrw_status bench_folder_make(bench *b, mrw_error *error)
{
    const char *place = getenv("TMPDIR");
    if (b->folder[0] != '\0') {
        return MRW_OK;
    }
    int length = snprintf(b->folder, sizeof b->folder, "%s/marrow-bench-XXXXXX",
                          place && place[0] ? place : "/tmp");
    if (length < 0 || (size_t)length >= sizeof b->folder || !mkdtemp(b->folder)) {
        char safe[300];
        mrw_status status =
            mrw_fail(error, MRW_ERROR_OUTPUT, "%s: cannot create this folder: %s; set TMPDIR",
                     mrw_escape_text(b->folder, safe, sizeof safe), strerror(errno));
        b->folder[0] = '\0';
        return status;
    }
    return MRW_OK;
}

void bench_folder_remove(bench *b)
{
    DIR *folder = b->folder[0] != '\0' ? opendir(b->folder) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        unlinkat(dirfd(folder), entry->d_name, 0); /* removes files; "." and ".." stay */
    }
    if (folder) {
        closedir(folder);
        rmdir(b->folder);
        b->folder[0] = '\0';
    }
}
