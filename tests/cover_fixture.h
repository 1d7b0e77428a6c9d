/* cover_fixture.h: scenes for the kernels of coverage, a band to draw them into, which has guards
 * before and behind, and the comparison of two such bands. */
#ifndef MARROW_COVER_FIXTURE_H
#define MARROW_COVER_FIXTURE_H

#include "raster_fixture.h"

#include "raster/cover.h"

#define MAX_TRIANGLES 80
#define MAX_WIDTH     160
#define MAX_ROWS      72
#define MAX_SAMPLES   (MAX_ROWS * MRWI_SHADE_MAX_SAMPLES * (MAX_WIDTH + 31))

/* Some triangles, a picture, and a band of it. */
typedef struct band_scene {
    mrwi_raster_screen_vertex vertices[3 * MAX_TRIANGLES];
    mrwi_shade_triangle triangles[MAX_TRIANGLES];
    mrwi_raster_box boxes[MAX_TRIANGLES];
    uint32_t ids[MAX_TRIANGLES]; /* of those with a box that meets the band */
    uint32_t triangle_count, id_count;
    mrwi_raster_geometry geometry;
    mrw_raster_job job;
    mrwi_raster_frame frame;
    mrwi_raster_band band;
    int pattern;
} band_scene;

/* ---- triangles ------------------------------------------------------------------------------- */

enum kind { SPECK, TINY, SMALL, MIDDLE, THIN, WHOLE, HUGE_ONE, NEEDLE, ON_SAMPLES, KINDS };

static inline void corners_of(enum kind kind, int32_t width, int32_t height, int32_t p[3][2])
{
    static const int32_t sizes[KINDS] = {
        [SPECK] = 200, [TINY] = 900, [SMALL] = 2600, [MIDDLE] = 7000, [ON_SAMPLES] = 100};
    const int32_t guard = MRWI_RASTER_GUARD * MRWI_SHADE_SUBPIXEL;
    const int32_t cx = random_between(-2000, width * 256 + 2000);
    const int32_t cy = random_between(-2000, height * 256 + 2000);
    const int32_t slope = random_between(-500, 500);
    for (int i = 0; i < 3; i++) {
        const int32_t size = sizes[kind];
        p[i][0] = cx + random_between(-size, size);
        p[i][1] = cy + random_between(-size, size);
        if (kind == THIN) {
            const int32_t along = random_between(-30000, 30000);
            p[i][0] = cx + along + random_between(-150, 150);
            p[i][1] = cy + (int32_t)((int64_t)along * slope / 200) + random_between(-150, 150);
        } else if (kind == WHOLE) {
            p[i][0] = random_between(-5000, width * 256 + 5000);
            p[i][1] = random_between(-5000, height * 256 + 5000);
        } else if (kind == HUGE_ONE) {
            p[i][0] = random_between(0, 2) == 0 ? guard : random_between(-guard, guard);
            p[i][1] = random_between(0, 2) == 0 ? -guard : random_between(-guard, guard);
        } else if (kind == NEEDLE) { /* across the guard band, an area of next to nothing */
            const int32_t far_x = i == 0 ? -guard : i == 1 ? guard : cx;
            p[i][0] = far_x;
            p[i][1] = cy + (int32_t)((int64_t)(far_x - cx) * slope / 4000) + (i == 2);
        } else if (kind == ON_SAMPLES) {
            p[i][0] = cx / 16 * 16 + 16 * random_between(-60, 60) + 8 * random_between(0, 1);
            p[i][1] = cy / 16 * 16 + 16 * random_between(-60, 60);
        }
        p[i][0] = p[i][0] < -guard ? -guard : p[i][0] > guard ? guard : p[i][0];
        p[i][1] = p[i][1] < -guard ? -guard : p[i][1] > guard ? guard : p[i][1];
    }
}

static inline float some_depth(void)
{
    static const float special[] = {0.0f, 1.0f, 0.5f, 1e-30f, 1e-42f, 0.99999994f};
    return random_between(0, 3) == 0 ? special[random_between(0, 5)] : random_float(0.0f, 1.0f);
}

/* Appends a triangle, unless it has no area or no box. */
static inline void add_triangle(band_scene *s, const int32_t p[3][2], const float z[3])
{
    const uint32_t n = s->triangle_count;
    if (side_of(p[0], p[1], p[2][0], p[2][1]) == 0) {
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        s->vertices[3 * n + i] = (mrwi_raster_screen_vertex){p[i][0], p[i][1], z[i], 1.0f};
        s->triangles[n].vertex[i] = 3 * n + i;
    }
    if (!mrwi_raster_triangle_box(&s->geometry, &s->triangles[n], &s->boxes[n])) {
        return;
    }
    if (s->boxes[n].y0 < s->band.box.y1 && s->boxes[n].y1 > s->band.box.y0) {
        s->ids[s->id_count++] = n;
    }
    s->triangle_count++;
}

static inline void add_random(band_scene *s, enum kind kind)
{
    int32_t p[3][2];
    corners_of(kind, s->geometry.view.width, s->geometry.view.height, p);
    float z[3] = {some_depth(), some_depth(), some_depth()};
    if (random_between(0, 3) == 0) {
        z[1] = z[2] = z[0]; /* flat, so that triangles tie */
    }
    add_triangle(s, (const int32_t(*)[2])p, z);
    if (random_between(0, 7) == 0 && s->triangle_count < MAX_TRIANGLES) {
        add_triangle(s, (const int32_t(*)[2])p, z); /* the later one never wins */
    }
}

/* A picture of the size given, rows y0 ... y1 - 1 of it, nothing in it. */
static inline void begin(band_scene *s, int pattern, int32_t width, int32_t height, int32_t y0,
                         int32_t y1)
{
    memset(s, 0, sizeof *s);
    s->pattern = pattern;
    s->job.width = (uint32_t)width;
    s->job.height = (uint32_t)height;
    s->job.samples = 1u << pattern;
    s->geometry.view.pattern = mrwi_raster_samples(s->job.samples);
    s->geometry.view.width = width;
    s->geometry.view.height = height;
    s->geometry.vertices.screen = s->vertices;
    s->geometry.kept.triangles = s->triangles;
    s->geometry.kept.boxes = s->boxes;
    s->frame = (mrwi_raster_frame){.job = &s->job, .geometry = &s->geometry};
    s->band.frame = &s->frame;
    s->band.box = s->band.touch = (mrwi_raster_box){0, y0, width, y1};
    s->band.seen = (mrwi_raster_visibility){.stride = (size_t)(width + 16 + 15) / 16 * 16,
                                            .samples = s->job.samples,
                                            .y0 = y0,
                                            .y1 = y1};
    REQUIRE((size_t)(y1 - y0) * s->job.samples * s->band.seen.stride <= MAX_SAMPLES);
}

/* Lists to collect fragments with, 1000 pixels from row to row; `flush` empties them. */
static inline mrwi_raster_collector collect_to(band_scene *s, mrwi_raster_scratch *scratch,
                                               void (*flush)(const mrwi_raster_band *band))
{
    scratch->fragments.count = 0;
    scratch->candidates.pitch = 1000;
    scratch->candidates.with_z = true;
    scratch->candidates.flush = flush;
    scratch->candidates.band = &s->band;
    s->band.scratch = scratch;
    return (mrwi_raster_collector){s->geometry.view.pattern, &s->band.seen, &scratch->fragments,
                                   &scratch->candidates, NULL};
}

/* ---- a band's memory ------------------------------------------------------------------------- */

#define GUARD                                                                                      \
    (16 * MRWI_SHADE_MAX_SAMPLES * (MAX_WIDTH + 31)) /* rows that a register's worth can miss      \
                                                      */

/* Depths and ids of a band. What lies around them is far away: whatever comes there wins. */
typedef struct band_memory {
    _Alignas(64) float z[GUARD + MAX_SAMPLES + GUARD];
    _Alignas(64) int32_t id[GUARD + MAX_SAMPLES + GUARD];
} band_memory;

#define GUARD_Z  2.0f
#define GUARD_ID 0x5a5a5a5a

/* How many numbers the band has, and how many around it are guarded. */
static inline size_t band_size(const band_scene *s)
{
    return (size_t)(s->band.box.y1 - s->band.box.y0) * s->job.samples * s->band.seen.stride;
}

static inline size_t guard_size(const band_scene *s)
{
    return 16 * s->job.samples * s->band.seen.stride;
}

static inline void fill_samples(band_memory *memory, size_t from, size_t count, float z, int32_t id)
{
    for (size_t i = from; i < from + count; i++) {
        memory->z[i] = z;
        memory->id[i] = id;
    }
}

/* Gives the scene's band this memory, with nothing drawn. */
static inline void use_samples(band_scene *s, band_memory *memory)
{
    const size_t guard = guard_size(s), size = band_size(s);
    fill_samples(memory, GUARD - guard, guard, GUARD_Z, GUARD_ID);
    fill_samples(memory, GUARD, size, 1.0f, MRWI_SHADE_NO_TRIANGLE);
    fill_samples(memory, GUARD + size, guard, GUARD_Z, GUARD_ID);
    s->band.seen.z = memory->z + GUARD;
    s->band.seen.id = memory->id + GUARD;
}

static inline void check_guard(const band_scene *s, const band_memory *seen, size_t from,
                               const char *kernel, const char *where)
{
    for (size_t i = from; i < from + guard_size(s); i++) {
        if (seen->z[i] != GUARD_Z || seen->id[i] != GUARD_ID) {
            ck_abort_msg("%s, %u samples: writes %s the band", kernel, s->job.samples, where);
        }
    }
}

/* All of the picture; kernels may write what they like into the padding of a row. */
static inline void compare_samples(const band_scene *s, const band_memory *seen,
                                   const band_memory *expected, const char *kernel)
{
    check_guard(s, seen, GUARD - guard_size(s), kernel, "before");
    check_guard(s, seen, GUARD + band_size(s), kernel, "behind");
    for (int32_t y = s->band.box.y0; y < s->band.box.y1; y++) {
        for (uint32_t k = 0; k < s->job.samples; k++) {
            const size_t row = GUARD + mrwi_raster_sample_index(&s->band.seen, y, k);
            for (size_t at = row; at < row + s->job.width; at++) {
                if (seen->id[at] != expected->id[at] ||
                    memcmp(&seen->z[at], &expected->z[at], sizeof(float)) != 0) {
                    ck_abort_msg("%s, %u samples: (%d, %d) sample %u is %d at %.9g, not %d at %.9g",
                                 kernel, s->job.samples, (int)(at - row), y, k, seen->id[at],
                                 (double)seen->z[at], expected->id[at], (double)expected->z[at]);
                }
            }
        }
    }
}

/* The part of the band that the boxes of its triangles touch, as in a picture. */
static inline void narrow_touch(band_scene *s)
{
    mrwi_raster_box touch = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    for (uint32_t i = 0; i < s->id_count; i++) {
        const mrwi_raster_box *box = &s->boxes[s->ids[i]];
        touch.x0 = box->x0 < touch.x0 ? box->x0 : touch.x0;
        touch.x1 = box->x1 > touch.x1 ? box->x1 : touch.x1;
        touch.y0 = box->y0 < touch.y0 ? box->y0 : touch.y0;
        touch.y1 = box->y1 > touch.y1 ? box->y1 : touch.y1;
    }
    touch.y0 = touch.y0 > s->band.box.y0 ? touch.y0 : s->band.box.y0;
    touch.y1 = touch.y1 < s->band.box.y1 ? touch.y1 : s->band.box.y1;
    if (s->id_count > 0) {
        s->band.touch = touch;
    }
}

/* Every kind of triangle alone and all mixed, lists of any length, bands that cut triangles, odd
 * sizes: scene number n. */
static inline void make_scene(band_scene *s, int pattern, int n)
{
    const int32_t width = random_between(1, n % 4 == 0 ? 24 : MAX_WIDTH);
    const int32_t height = random_between(1, 90);
    const int32_t y0 = random_between(0, height - 1);
    const int32_t rows = n % 3 == 0 ? 1 : MAX_ROWS;
    const int32_t y1 = y0 + random_between(1, rows < height - y0 ? rows : height - y0);
    begin(s, pattern, width, height, n % 2 == 0 && height <= MAX_ROWS ? 0 : y0, y1);
    const uint32_t count = (uint32_t)random_between(1, n % 5 == 0 ? MAX_TRIANGLES - 1 : 20);
    const enum kind only = (enum kind)(n % (2 * KINDS));
    for (int tries = 0; tries < 400 && s->triangle_count < count; tries++) {
        add_random(s, only < KINDS ? only : (enum kind)random_between(0, KINDS - 1));
    }
    if (n / KINDS % 2 == 0) {
        narrow_touch(s);
    }
}

#endif
