/* test_cover_kernels.c: the coverage kernel of each instruction set, and what chooses triangles for
 * it, against a slow evaluator, which asks each sample of the band about each triangle: ids and
 * depths, bit for bit.
 */
#include "raster_fixture.h"

#include "raster/cover.h"

#define MAX_TRIANGLES 80
#define MAX_WIDTH     160
#define MAX_ROWS      72
#define MAX_SAMPLES   (MAX_ROWS * MRWI_MAX_SAMPLES * (MAX_WIDTH + 31))

/* Some triangles, a picture, and a band of it. */
typedef struct scene {
    mrwi_screen_vertex vertices[3 * MAX_TRIANGLES];
    mrwi_triangle triangles[MAX_TRIANGLES];
    mrwi_box boxes[MAX_TRIANGLES];
    uint32_t ids[MAX_TRIANGLES]; /* of those with a box that meets the band */
    uint32_t triangle_count, id_count;
    mrwi_geometry geometry;
    mrw_raster_job job;
    mrw_image image;
    mrwi_frame frame;
    mrwi_band band;
    int pattern;
} scene;

static float expected_z[MAX_SAMPLES], seen_z[MAX_SAMPLES];
static int32_t expected_id[MAX_SAMPLES], seen_id[MAX_SAMPLES];
static float farthest[MAX_WIDTH * MAX_ROWS];

/* ---- triangles ------------------------------------------------------------------------------- */

enum kind { SPECK, TINY, SMALL, MIDDLE, THIN, WHOLE, HUGE_ONE, NEEDLE, ON_SAMPLES, KINDS };

static void corners_of(enum kind kind, int32_t width, int32_t height, int32_t p[3][2])
{
    static const int32_t sizes[KINDS] = {
        [SPECK] = 200, [TINY] = 900, [SMALL] = 2600, [MIDDLE] = 7000, [ON_SAMPLES] = 100};
    const int32_t guard = MRWI_GUARD * MRWI_SUBPIXEL;
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

static float some_depth(void)
{
    static const float special[] = {0.0f, 1.0f, 0.5f, 1e-30f, 1e-42f, 0.99999994f};
    return random_between(0, 3) == 0 ? special[random_between(0, 5)] : random_float(0.0f, 1.0f);
}

/* Appends a triangle, unless it has no area or no box. */
static void add_triangle(scene *s, const int32_t p[3][2], const float z[3])
{
    const uint32_t n = s->triangle_count;
    if (side_of(p[0], p[1], p[2][0], p[2][1]) == 0)
        return;
    for (uint32_t i = 0; i < 3; i++) {
        s->vertices[3 * n + i] = (mrwi_screen_vertex){p[i][0], p[i][1], z[i], 1.0f};
        s->triangles[n].vertex[i] = 3 * n + i;
    }
    if (!mrwi_triangle_box(&s->geometry, &s->triangles[n], &s->boxes[n]))
        return;
    if (s->boxes[n].y0 < s->band.box.y1 && s->boxes[n].y1 > s->band.box.y0)
        s->ids[s->id_count++] = n;
    s->triangle_count++;
}

static void add_random(scene *s, enum kind kind)
{
    int32_t p[3][2];
    corners_of(kind, s->geometry.width, s->geometry.height, p);
    float z[3] = {some_depth(), some_depth(), some_depth()};
    if (random_between(0, 3) == 0)
        z[1] = z[2] = z[0]; /* flat, so that triangles tie */
    add_triangle(s, (const int32_t(*)[2])p, z);
    if (random_between(0, 7) == 0 && s->triangle_count < MAX_TRIANGLES)
        add_triangle(s, (const int32_t(*)[2])p, z); /* the later one never wins */
}

/* A picture of the size given, rows y0 ... y1 - 1 of it, nothing in it. */
static void begin(scene *s, int pattern, int32_t width, int32_t height, int32_t y0, int32_t y1)
{
    memset(s, 0, sizeof *s);
    s->pattern = pattern;
    s->image = (mrw_image){(uint32_t)width, (uint32_t)height, 4, NULL, NULL};
    s->job.image = &s->image;
    s->job.samples = 1u << pattern;
    s->geometry.pattern = mrwi_samples(s->job.samples);
    s->geometry.width = width;
    s->geometry.height = height;
    s->geometry.screen = s->vertices;
    s->geometry.triangles = s->triangles;
    s->geometry.boxes = s->boxes;
    s->frame = (mrwi_frame){.job = &s->job, .geometry = &s->geometry};
    s->band.frame = &s->frame;
    s->band.box = s->band.touch = (mrwi_box){0, y0, width, y1};
    s->band.stride = (size_t)(width + 16 + 15) / 16 * 16;
    REQUIRE((size_t)(y1 - y0) * s->job.samples * s->band.stride <= MAX_SAMPLES);
}

/* ---- the evaluator --------------------------------------------------------------------------- */

/* The depth plane of internal.h's mrwi_setup, and its box's corner. */
typedef struct plane {
    float z0, zx, zy, lowest, highest;
    int32_t x0, y0;
} plane;

/* The first pixel, from below, with a sample at or above the coordinate, if it is in the picture.
 */
static int32_t first_pixel(const int8_t (*samples)[2], int count, int axis, int32_t coordinate)
{
    int32_t furthest = 0;
    for (int k = 0; k < count; k++)
        furthest = abs(samples[k][axis]) > furthest ? abs(samples[k][axis]) : furthest;
    int32_t pixel = 0;
    while (pixel * 256 + 128 + furthest * 16 < coordinate)
        pixel++;
    return pixel;
}

static plane plane_of(const scene *s, uint32_t n)
{
    const mrwi_screen_vertex *a = &s->vertices[3 * n], *b = a + 1, *c = a + 2;
    if (mrwi_signed_area(a, b, c) < 0) {
        b = a + 2;
        c = a + 1;
    }
    const int8_t(*samples)[2] = standard[s->pattern];
    const int count = 1 << s->pattern;
    plane p = {.x0 = first_pixel(samples, count, 0, mrwi_min3(a->x, b->x, c->x)),
               .y0 = first_pixel(samples, count, 1, mrwi_min3(a->y, b->y, c->y))};
    const double bx = b->x - a->x, by = b->y - a->y, cx = c->x - a->x, cy = c->y - a->y;
    const double bz = (double)b->z - (double)a->z, cz = (double)c->z - (double)a->z;
    const double scale = 256.0 / (bx * cy - cx * by);
    const double zx = (bz * cy - cz * by) * scale, zy = (cz * bx - bz * cx) * scale;
    const double dx = p.x0 - a->x / 256.0, dy = p.y0 - a->y / 256.0;
    p.z0 = (float)((double)a->z + (dx * zx + dy * zy));
    p.zx = (float)zx;
    p.zy = (float)zy;
    p.lowest = a->z < b->z ? a->z : b->z;
    p.lowest = p.lowest < c->z ? p.lowest : c->z;
    p.highest = a->z > b->z ? a->z : b->z;
    p.highest = p.highest > c->z ? p.highest : c->z;
    return p;
}

static float depth_at(const plane *p, float x, float y)
{
    float z = p->z0 + (y - (float)p->y0) * p->zy;
    z += (x - (float)p->x0) * p->zx;
    z = z < p->lowest ? p->lowest : z;
    return z > p->highest ? p->highest : z;
}

static void evaluate(const scene *s, uint32_t n)
{
    const plane depth = plane_of(s, n);
    int32_t p[3][2];
    for (uint32_t i = 0; i < 3; i++) {
        p[i][0] = s->vertices[3 * n + i].x;
        p[i][1] = s->vertices[3 * n + i].y;
    }
    for (int32_t y = s->band.box.y0; y < s->band.box.y1; y++) {
        for (uint32_t k = 0; k < s->job.samples; k++) {
            const int32_t sy = y * 256 + 128 + standard[s->pattern][k][1] * 16;
            for (int32_t x = 0; x < s->band.box.x1; x++) {
                const int32_t sx = x * 256 + 128 + standard[s->pattern][k][0] * 16;
                if (!covers((const int32_t(*)[2])p, sx, sy))
                    continue;
                const float z = depth_at(&depth, (float)sx / 256.0f, (float)sy / 256.0f);
                const size_t at = mrwi_sample_index(&s->band, y, k) + (size_t)x;
                if (z < expected_z[at] || (z == expected_z[at] && (int32_t)n < expected_id[at])) {
                    expected_z[at] = z;
                    expected_id[at] = (int32_t)n;
                }
            }
        }
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

static size_t clear(const scene *s, float *z, int32_t *id)
{
    const size_t count =
        (size_t)(s->band.box.y1 - s->band.box.y0) * s->job.samples * s->band.stride;
    for (size_t i = 0; i < count; i++) {
        z[i] = 1.0f;
        id[i] = MRWI_NO_TRIANGLE;
    }
    return count;
}

static void compare(const scene *s, const char *kernel)
{
    for (int32_t y = s->band.box.y0; y < s->band.box.y1; y++) {
        for (uint32_t k = 0; k < s->job.samples; k++) {
            const size_t row = mrwi_sample_index(&s->band, y, k);
            for (size_t x = 0; x < s->image.width; x++) {
                const size_t at = row + x;
                if (seen_id[at] != expected_id[at] ||
                    memcmp(&seen_z[at], &expected_z[at], sizeof(float)) != 0)
                    ck_abort_msg("%s, %u samples: (%d, %d) sample %u is %d at %.9g, not %d at %.9g",
                                 kernel, s->job.samples, (int)x, y, k, seen_id[at],
                                 (double)seen_z[at], expected_id[at], (double)expected_z[at]);
            }
        }
    }
}

static void check_kernels(scene *s)
{
    clear(s, expected_z, expected_id);
    for (uint32_t i = 0; i < s->triangle_count; i++)
        evaluate(s, i);
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (!mrw_isa_available((mrw_isa)isa))
            continue;
        clear(s, seen_z, seen_id);
        s->band.z = seen_z;
        s->band.id = seen_id;
        mrwi_cover_kernels_for((mrw_isa)isa)->cover(&s->band, s->ids, s->id_count);
        compare(s, mrw_isa_name((mrw_isa)isa));
        clear(s, seen_z, seen_id);
        s->frame.isa = (mrw_isa)isa;
        s->band.farthest = farthest;
        mrwi_cover_opaque(&s->band, s->ids, s->id_count);
        compare(s, "by depth");
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static scene the_scene;

/* Every kind alone and all mixed, lists of any length, bands that cut triangles, odd sizes. */
START_TEST(kernels_match_the_evaluator)
{
    random_state = 41 + (uint64_t)_i;
    for (int n = 0; n < 160; n++) {
        const int32_t width = random_between(1, n % 4 == 0 ? 24 : MAX_WIDTH);
        const int32_t height = random_between(1, 90);
        const int32_t y0 = random_between(0, height - 1);
        const int32_t rows = n % 3 == 0 ? 1 : MAX_ROWS;
        const int32_t y1 = y0 + random_between(1, rows < height - y0 ? rows : height - y0);
        begin(&the_scene, _i, width, height, n % 2 == 0 && height <= MAX_ROWS ? 0 : y0, y1);
        const uint32_t count = (uint32_t)random_between(1, n % 5 == 0 ? MAX_TRIANGLES - 1 : 20);
        const enum kind only = (enum kind)(n % (2 * KINDS));
        for (int tries = 0; tries < 400 && the_scene.triangle_count < count; tries++) {
            add_random(&the_scene, only < KINDS ? only : (enum kind)random_between(0, KINDS - 1));
        }
        check_kernels(&the_scene);
    }
}
END_TEST

/* Boxes of each size about the limits between the ways through a triangle, from each column on. */
START_TEST(sizes_and_alignments)
{
    for (int32_t size = 1; size <= 40; size += size < 28 ? 1 : 4) {
        begin(&the_scene, _i, 96, 44, 3, 41);
        for (int32_t x = 0; x < 18; x++) {
            const int32_t left = x * 256 + 8, right = left + size * 256 - 16;
            const int32_t p[3][2] = {{left, 500 + x}, {right, 520 + size * 200}, {left + 9, 12000}};
            const float z[3] = {0.01f * (float)x, 0.9f, 0.5f};
            add_triangle(&the_scene, p, z);
            const int32_t flat[3][2] = {
                {left, 2000}, {right, 2000 + 7 * x}, {left + size * 100, 2000 + size * 256}};
            add_triangle(&the_scene, flat, z);
            /* level edges, through every sample position in turn */
            const int32_t level = 20 * 256 + 16 * x;
            const int32_t above[3][2] = {{left, 2000}, {right, level}, {left, level}};
            const int32_t below[3][2] = {{left, level}, {right, level}, {left, level + 3000}};
            add_triangle(&the_scene, above, z);
            const float behind[3] = {0.6f, 0.95f, 0.6f};
            add_triangle(&the_scene, below, behind);
        }
        check_kernels(&the_scene);
    }
}
END_TEST

/* More covered samples than the kernels' lists hold at once. */
START_TEST(long_lists)
{
    begin(&the_scene, _i, 12, 12, 0, 12);
    for (int32_t n = 0; n < MAX_TRIANGLES; n++) {
        const int32_t p[3][2] = {{256 * (n % 5), 0}, {256 * (n % 5) + 1400, 0}, {256, 1500}};
        const float depth = 0.01f * (float)(n * 37 % 80);
        const float z[3] = {depth, depth + 0.1f, depth};
        add_triangle(&the_scene, p, z);
    }
    ck_assert_uint_eq(the_scene.id_count, MAX_TRIANGLES);
    check_kernels(&the_scene);
}
END_TEST

/* Layers that hide one another, level or steep, in any order, some at the same depth. */
START_TEST(many_behind_one_another)
{
    random_state = 7 + (uint64_t)_i;
    for (int n = 0; n < 60; n++) {
        const int32_t width = random_between(14, MAX_WIDTH), height = random_between(1, 40);
        const int32_t band_y0 = random_between(0, height / 2);
        begin(&the_scene, _i, width, height, band_y0, height);
        const int32_t size = 256 * (n % 3 == 0 ? 300 : random_between(10, 60));
        for (int tries = 0; tries < 400 && the_scene.triangle_count < MAX_TRIANGLES; tries++) {
            const int32_t x = random_between(-size / 2, width * 256);
            const int32_t y = random_between(-size / 2, height * 256);
            const int32_t p[3][2] = {{x, y}, {x + size, y + random_between(0, 999)}, {x, y + size}};
            const float near_z = 0.05f * (float)random_between(1, 15);
            const float slope = n % 2 == 0 ? 0.0f : random_float(0.0f, 0.1f);
            const float z[3] = {near_z + slope, near_z, near_z + slope};
            add_triangle(&the_scene, p, z);
        }
        check_kernels(&the_scene);
    }
}
END_TEST

/* Blocks of depths, each of which is somewhere the farthest. */
START_TEST(farthest_of_blocks)
{
    enum { STRIDE = 80, ROWS = 9, COLUMNS = 4 };
    static float z[ROWS * STRIDE];
    random_state = 3;
    for (size_t rows = 1; rows <= ROWS; rows++) {
        for (size_t at = 0; at < rows * COLUMNS * MRWI_BLOCK_WIDTH; at++) {
            const size_t x = at % (COLUMNS * MRWI_BLOCK_WIDTH), start = random_bits() % 16;
            for (size_t i = 0; i < ROWS * STRIDE; i++)
                z[i] = random_float(0.0f, 0.9f);
            z[at / (COLUMNS * MRWI_BLOCK_WIDTH) * STRIDE + x + start] = 0.95f;
            float most[COLUMNS] = {0};
            for (size_t i = 0; i < rows * COLUMNS * MRWI_BLOCK_WIDTH; i++) {
                const size_t column = i / MRWI_BLOCK_WIDTH % COLUMNS;
                const float here = z[i / (COLUMNS * MRWI_BLOCK_WIDTH) * STRIDE + start +
                                     i % (COLUMNS * MRWI_BLOCK_WIDTH)];
                most[column] = here > most[column] ? here : most[column];
            }
            for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
                float seen[COLUMNS];
                if (!mrw_isa_available((mrw_isa)isa))
                    continue;
                mrwi_cover_kernels_for((mrw_isa)isa)
                    ->farthest(z + start, STRIDE, rows, COLUMNS, seen);
                REQUIRE(memcmp(seen, most, sizeof seen) == 0);
            }
        }
    }
}
END_TEST

START_TEST(nothing_to_draw)
{
    begin(&the_scene, 0, 20, 20, 0, 20);
    check_kernels(&the_scene);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cover_kernels");
    TCase *kernels = tcase_create("kernels");
    tcase_set_timeout(kernels, 120);
    tcase_add_loop_test(kernels, kernels_match_the_evaluator, 0, 4);
    tcase_add_loop_test(kernels, sizes_and_alignments, 0, 4);
    tcase_add_loop_test(kernels, long_lists, 0, 4);
    tcase_add_loop_test(kernels, many_behind_one_another, 0, 4);
    tcase_add_test(kernels, farthest_of_blocks);
    tcase_add_test(kernels, nothing_to_draw);
    suite_add_tcase(s, kernels);
    return s;
}

TEST_MAIN(suite())
