/* test_raster_front.c: the front of the rasterizer: every kernel against slow evaluators; bins;
 * many threads against one. test_kernels.c compares kernels bit for bit.
 */
#include "front_fixture.h"

/* ---- kernels --------------------------------------------------------------------------------- */

/* Calls check for every instruction set of this machine. */
static void for_each_isa(void (*check)(const mrwi_raster_front_kernels *kernels))
{
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (mrw_isa_available((mrw_isa)isa)) {
            check(mrwi_raster_front_kernels_for((mrw_isa)isa));
        }
    }
}

/* ---- vertices -------------------------------------------------------------------------------- */

/* Directions of every length, against double; no shorter than what has 24 bits. */
static void normals_as_double(const mrwi_raster_front_kernels *kernels)
{
    static vertex_set s;
    static streams out;
    for (int exponent = -126; exponent <= 127; exponent++) {
        make_vertex_set(&s, 0);
        for (int i = 0; i < FRONT_VERTICES; i++) {
            for (int c = 0; c < 3; c++) {
                s.normals[i][c] = ldexpf(random_bits() & 1 ? 0.999f : -0.5f, exponent) *
                                  (i % 2 == 0 ? 1.0f : random_float(0.5f, 1.0f));
            }
        }
        run_transform(kernels, &s, 0, FRONT_VERTICES, &out);
        for (int i = 0; i < FRONT_VERTICES; i++) {
            const float *n = s.normals[i];
            const double x = n[0], y = n[1], z = n[2], length = sqrt(x * x + y * y + z * z);
            REQUIRE(fabs(out.shade[i].nx - x / length) < 1e-6);
            REQUIRE(fabs(out.shade[i].ny - y / length) < 1e-6);
            REQUIRE(fabs(out.shade[i].nz - z / length) < 1e-6);
        }
    }
}

START_TEST(normals_become_one_long)
{
    for_each_isa(normals_as_double);
}
END_TEST

/* A vertex at x, y pixels. */
static mrwi_raster_screen_vertex screen_of(const mrwi_raster_front_kernels *kernels, float x,
                                           float y, float z)
{
    static vertex_set s;
    static streams out;
    s.draw = (mrw_raster_draw){.vertex_count = FRONT_VERTICES,
                               .positions = s.positions[0],
                               .normals = s.normals[0],
                               .material = &s.material};
    /* zeros that keep a depth of -0 as it is */
    s.world_to_pixel = (mrw_mat4){{1, 0, -0.0f, 0, 0, 1, -0.0f, 0, 0, 0, 1, 0, 0, 0, -0.0f, 1}};
    const float at[3] = {x, y, z};
    memcpy(s.positions[3], at, sizeof at);
    for (int i = 0; i < 16; i++) {
        s.normals[i][2] = 1.0f; /* others are left to the plain kernel, with all else */
    }
    run_transform(kernels, &s, 0, 16, &out);
    return out.screen[3];
}

/* Halves of sub-pixels and what lies beside them, of every size. */
static void snap_as_floor(const mrwi_raster_front_kernels *kernels)
{
    for (int i = 0; i < TEST_ROUNDS(20000); i++) {
        int32_t size = 1 << random_bits() % 23;
        float half = ((float)random_between(-size, size) + 0.5f) / 256.0f;
        float x = i % 3 == 0   ? half
                  : i % 3 == 1 ? nextafterf(half, random_bits() & 1 ? 1e9f : -1e9f)
                               : ldexpf(random_float(-1.0f, 1.0f), -(int)(random_bits() % 140));
        if (fabsf(x) <= 16384.0f) {
            mrwi_raster_screen_vertex v = screen_of(kernels, x, -x, 0.5f);
            REQUIRE(v.x == (int32_t)floor((double)x * 256.0 + 0.5));
            REQUIRE(v.y == (int32_t)floor((double)-x * 256.0 + 0.5));
        }
    }
}

START_TEST(vertices_snap_downwards_from_halves)
{
    for_each_isa(snap_as_floor);
}
END_TEST

static void planes_as_stated(const mrwi_raster_front_kernels *kernels)
{
    const float edge = 16384.0f, beyond = nextafterf(edge, 1e9f), below = nextafterf(0.0f, -1.0f);
    static const int32_t near_plane = 1, far_plane = 2, left = 4, right = 8, top = 16, bottom = 32;
    const struct {
        float x, y, z;
        int32_t outcode;
    } cases[] = {
        {edge, -edge, 0, 0},
        {-edge, edge, 1, 0},
        {beyond, 0, 0, right},
        {-beyond, 0, 0, left},
        {0, beyond, 0, bottom},
        {0, -beyond, 0, top},
        {0, 0, below, near_plane},
        {0, 0, nextafterf(1, 2), far_plane},
        {-beyond, -beyond, -1, 1 | 4 | 16},
        {0, 0, -0.0f, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mrwi_raster_screen_vertex v = screen_of(kernels, cases[i].x, cases[i].y, cases[i].z);
        if (cases[i].outcode != 0) {
            REQUIRE(v.x == MRWI_RASTER_OUTSIDE && v.y == cases[i].outcode);
        } else {
            REQUIRE(v.x == (int32_t)cases[i].x * 256 && v.y == (int32_t)cases[i].y * 256);
            REQUIRE(v.z == cases[i].z && !signbit(v.z) && v.inv_w == 1.0f);
        }
    }
}

START_TEST(planes_and_guard_band_include_their_edge)
{
    for_each_isa(planes_as_stated);
}
END_TEST

/* ---- triangles ------------------------------------------------------------------------------- */

/* The pixels from first on of which a sample lies in [lo, hi): those whose outermost samples do. */
static bool pixels_between(uint32_t samples, int64_t lo, int64_t hi, int32_t size, int32_t *first,
                           int32_t *end)
{
    static const int row_of[9] = {0, 0, 1, 0, 2, 0, 0, 0, 3};
    int64_t extent = 0;
    for (uint32_t i = 0; i < samples; i++) {
        for (int axis = 0; axis < 2; axis++) {
            int64_t at = abs(standard[row_of[samples]][i][axis]) * 16;
            extent = at > extent ? at : extent;
        }
    }
    *first = *end = -1;
    for (int32_t i = 0; i < size; i++) {
        int64_t center = (int64_t)i * 256 + 128;
        if (center + extent >= lo && center - extent < hi) {
            *first = *first < 0 ? i : *first;
            *end = i + 1;
        }
    }
    return *first >= 0;
}

/* What the stated rules give for one triangle. */
static bool expect_survivor(const triangle_set *s, const mrwi_raster_screen_vertex *v[3],
                            mrwi_raster_box *box, bool *front)
{
    __int128 area = (__int128)((int64_t)v[1]->x - v[0]->x) * ((int64_t)v[2]->y - v[0]->y) -
                    (__int128)((int64_t)v[2]->x - v[0]->x) * ((int64_t)v[1]->y - v[0]->y);
    int64_t lo[2] = {INT64_MAX, INT64_MAX}, hi[2] = {INT64_MIN, INT64_MIN};
    for (int i = 0; i < 3; i++) {
        const int64_t p[2] = {v[i]->x, v[i]->y};
        for (int axis = 0; axis < 2; axis++) {
            lo[axis] = p[axis] < lo[axis] ? p[axis] : lo[axis];
            hi[axis] = p[axis] > hi[axis] ? p[axis] : hi[axis];
        }
    }
    /* y points down: counter-clockwise as seen has a negative area */
    *front = (area < 0) != s->draws[2].mirrored;
    const mrwi_raster_geometry *g = &s->geometry;
    return area != 0 && (*front || s->material.double_sided) &&
           pixels_between(s->samples, lo[0], hi[0], g->view.width, &box->x0, &box->x1) &&
           pixels_between(s->samples, lo[1], hi[1], g->view.height, &box->y0, &box->y1);
}

/* The rules again, a triangle at a time. */
static void expect_survivors(const triangle_set *s, uint32_t first, uint32_t end, survivors *out)
{
    memset(out, 0, sizeof *out);
    for (out->next = first; out->next < end; out->next++) {
        const uint32_t *index = s->indices + (size_t)3 * out->next;
        const mrwi_raster_screen_vertex *v[3];
        int outside = 0, codes = -1;
        for (int i = 0; i < 3; i++) {
            v[i] = &s->screen[1 + index[i]];
            outside += v[i]->x == MRWI_RASTER_OUTSIDE;
            codes &= v[i]->y;
        }
        mrwi_raster_box box;
        bool front;
        if (outside > 0 && !(outside == 3 && codes != 0)) {
            return;
        }
        if (outside == 0 && expect_survivor(s, v, &box, &front)) {
            uint32_t n = out->count++;
            out->triangles[n] =
                (mrwi_shade_triangle){{1 + index[0], 1 + index[1], 1 + index[2]}, 4u | !front};
            out->boxes[n] = box;
            out->sources[n] = (mrw_raster_source){2, out->next};
        }
    }
}

static void cull_as_stated(const mrwi_raster_front_kernels *kernels)
{
    static triangle_set s;
    static survivors expected, got;
    uint32_t survived = 0, stopped = 0;
    for (uint32_t round = 0; round < TEST_ROUNDS(3000); round++) {
        make_triangle_set(&s, random_bits() % 5, round % 3 == 0);
        uint32_t first = random_bits() % 8, end = first + round % (FRONT_TRIANGLES - 8);
        expect_survivors(&s, first, end, &expected);
        mrwi_raster_cull_job job = job_for(&s, &got);
        got.next = kernels->cull(&job, first, end);
        size_t n = expected.count;
        REQUIRE(job.count == n && got.next == expected.next);
        REQUIRE(memcmp(got.triangles, expected.triangles, n * sizeof(mrwi_shade_triangle)) == 0);
        REQUIRE(memcmp(got.boxes, expected.boxes, n * sizeof(mrwi_raster_box)) == 0);
        REQUIRE(memcmp(got.sources, expected.sources, n * sizeof(mrw_raster_source)) == 0);
        survived += job.count;
        stopped += got.next < end;
    }
    REQUIRE(survived > TEST_ROUNDS(1000) && stopped > TEST_ROUNDS(100));
}

START_TEST(culling_follows_the_rules_in_every_kernel)
{
    for_each_isa(cull_as_stated);
}
END_TEST

/* Corners 23 bits apart whose area is one unit or none: its two products are the same in float. */
static void slivers_as_stated(const mrwi_raster_front_kernels *kernels)
{
    static triangle_set s;
    static survivors got;
    const int32_t k = 16384 * 256 - 1;
    const struct {
        int32_t b[2], c[2];
        int32_t area;
    } cases[] = {{{k, k - 1}, {k + 1, k}, 1},
                 {{k + 1, k}, {k, k - 1}, -1},
                 {{k, k}, {k - 2, k - 2}, 0},
                 {{k, k - 2}, {k, k - 2}, 0}};
    make_triangle_set(&s, 0, false);
    s.material.double_sided = true;
    s.draws[2].mirrored = false;
    s.geometry.view.width = s.geometry.view.height = 16384;
    for (uint32_t i = 0; i < 3 * FRONT_TRIANGLES; i++) {
        s.indices[i] = i % 3;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        s.screen[1] = (mrwi_raster_screen_vertex){0, 0, 0, 1};
        s.screen[2] = (mrwi_raster_screen_vertex){cases[i].b[0], cases[i].b[1], 0, 1};
        s.screen[3] = (mrwi_raster_screen_vertex){cases[i].c[0], cases[i].c[1], 0, 1};
        mrwi_raster_cull_job job = job_for(&s, &got);
        ck_assert_uint_eq(kernels->cull(&job, 0, 40), 40);
        ck_assert_uint_eq(job.count, cases[i].area != 0 ? 40 : 0);
        for (uint32_t n = 0; n < job.count; n++) {
            /* above 0 it is clockwise: the back is seen */
            REQUIRE((got.triangles[n].draw_flags & 1) == (cases[i].area > 0 ? 1u : 0u));
        }
    }
}

START_TEST(slivers_of_one_unit_have_a_side)
{
    for_each_isa(slivers_as_stated);
}
END_TEST

/* ---- bins ------------------------------------------------------------------------------------ */

#define MAX_BINNED 400

/* Whether masked triangles have 24 pixels and more, in the mean. */
static bool masks_are_large(const mrwi_raster_geometry *g, const uint8_t *taken)
{
    int64_t pixels = 0, count = 0;
    for (uint32_t id = 0; id < MAX_BINNED; id++) {
        const mrwi_raster_box *b = &g->kept.boxes[id];
        if (taken[id] == MRWI_RASTER_MASK) {
            pixels += (int64_t)(b->x1 - b->x0) * (b->y1 - b->y0);
            count++;
        }
    }
    return pixels >= 24 * count;
}

/* Whether bin (band, layer) holds the triangles that touch it and no others: blended ones back to
 * front, masked ones front to back where they are large, those of equal depths and all others in
 * ascending order. */
static void check_bin(const mrwi_raster_bins *bins, const mrwi_raster_geometry *g,
                      const uint8_t *taken, const float *depth, int32_t band, int layer)
{
    const uint64_t *first = bins->first + band * MRWI_RASTER_LAYERS + layer;
    int32_t top = band * bins->band_rows, end = top + bins->band_rows;
    uint64_t wanted = 0;
    for (uint32_t id = 0; id < MAX_BINNED; id++) {
        const mrwi_raster_box *b = &g->kept.boxes[id];
        wanted += taken[id] == layer && b->y0 < end && b->y1 > top;
    }
    REQUIRE(first[1] - first[0] == wanted);
    const float away = layer == MRWI_RASTER_BLEND                               ? 1.0f
                       : layer == MRWI_RASTER_MASK && masks_are_large(g, taken) ? -1.0f
                                                                                : 0.0f;
    for (uint64_t i = first[0]; i < first[1]; i++) {
        uint32_t id = bins->ids[i];
        REQUIRE(taken[id] == layer && g->kept.boxes[id].y0 < end && g->kept.boxes[id].y1 > top);
        if (i > first[0]) {
            const uint32_t before = bins->ids[i - 1];
            const float nearer = away * (depth[before] - depth[id]);
            REQUIRE(nearer > 0.0f || (nearer == 0.0f && before < id));
        }
    }
}

static void check_bounds(const mrwi_raster_bins *bins, const mrwi_raster_geometry *g,
                         const uint8_t *taken, int32_t band)
{
    int32_t top = band * bins->band_rows, end = top + bins->band_rows;
    const mrwi_raster_box *bounds = &bins->bounds[band];
    mrwi_raster_box expected = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    for (uint32_t id = 0; id < MAX_BINNED; id++) {
        const mrwi_raster_box *b = &g->kept.boxes[id];
        if (taken[id] < MRWI_RASTER_LAYERS && b->y0 < end && b->y1 > top) {
            expected.x0 = b->x0 < expected.x0 ? b->x0 : expected.x0;
            expected.x1 = b->x1 > expected.x1 ? b->x1 : expected.x1;
            int32_t y0 = b->y0 > top ? b->y0 : top, y1 = b->y1 < end ? b->y1 : end;
            expected.y0 = y0 < expected.y0 ? y0 : expected.y0;
            expected.y1 = y1 > expected.y1 ? y1 : expected.y1;
        }
    }
    REQUIRE(expected.x0 < expected.x1 ? memcmp(&expected, bounds, sizeof expected) == 0
                                      : bounds->x0 >= bounds->x1);
}

/* Boxes mostly beside each other, runs of all layers, gaps between them. */
START_TEST(bins_hold_what_touches_them)
{
    static mrwi_raster_screen_vertex screen[MAX_BINNED];
    static mrwi_shade_triangle triangles[MAX_BINNED];
    static mrwi_raster_box boxes[MAX_BINNED];
    static uint8_t taken[MAX_BINNED]; /* a layer, MRWI_RASTER_LAYERS: none */
    static float depth[MAX_BINNED];
    static mrwi_raster_run runs[MAX_BINNED];
    static const int32_t band_rows[] = {1, 5, 8, 32, 33, 64, 1000, 1 << 30};
    static const mrw_raster_draw draw; /* no ground */
    mrwi_raster_bins bins = {0};
    for (int round = 0; round < TEST_ROUNDS(200); round++) {
        mrwi_raster_geometry g = {
            .view = {.width = 300,
                     .height = random_between(1, 300),
                     .pattern = mrwi_raster_samples(1)},
            .vertices = {.screen = screen},
            .draws = &draw,
            .kept = {.triangles = triangles, .boxes = boxes, .count = MAX_BINNED},
            .runs = {.list = runs}};
        for (uint32_t i = 0; i < MAX_BINNED; i++) {
            depth[i] = (float)random_between(0, 20) / 32.0f;
            screen[i] = (mrwi_raster_screen_vertex){0, 0, depth[i], 1.0f};
            triangles[i] = (mrwi_shade_triangle){{i, i, i}, 0};
            int32_t y = random_bits() % 4 != 0 && i > 0 ? boxes[i - 1].y0 : random_between(0, 299);
            int32_t rows = random_bits() % 8 == 0 ? 200 : 3;
            boxes[i].y0 = y < g.view.height ? y : g.view.height - 1;
            boxes[i].y1 = boxes[i].y0 + random_between(1, rows);
            boxes[i].y1 = boxes[i].y1 < g.view.height ? boxes[i].y1 : g.view.height;
            boxes[i].x0 = random_between(0, 298);
            boxes[i].x1 = random_between(boxes[i].x0 + 1, 299);
            taken[i] = MRWI_RASTER_LAYERS;
        }
        for (uint32_t at = 0; at < MAX_BINNED;) {
            uint32_t left = MAX_BINNED - at, count = random_bits() % 60;
            count = count < left ? count : left;
            mrwi_raster_layer layer = (mrwi_raster_layer)(random_bits() % MRWI_RASTER_LAYERS);
            if (round > 0) { /* the first time nothing is there */
                runs[g.runs.count++] = (mrwi_raster_run){at, count, layer};
                memset(taken + at, (int)layer, count);
            }
            at += count + random_bits() % 3;
        }
        int32_t rows = band_rows[round % 8];
        REQUIRE(mrwi_raster_bin_triangles(&bins, &g, rows));
        REQUIRE(bins.band_count == (int32_t)(((int64_t)g.view.height + rows - 1) / rows));
        for (int32_t band = 0; band < bins.band_count; band++) {
            check_bounds(&bins, &g, taken, band);
            for (int layer = 0; layer < MRWI_RASTER_LAYERS; layer++) {
                check_bin(&bins, &g, taken, depth, band, layer);
            }
        }
    }
    mrwi_raster_buffer_free(&bins.buffers.first);
    mrwi_raster_buffer_free(&bins.buffers.ids);
    mrwi_raster_buffer_free(&bins.buffers.bounds);
    mrwi_raster_buffer_free(&bins.buffers.keys);
}
END_TEST

/* ---- many triangles, many threads ------------------------------------------------------------ */

#define SHEET        260 /* cells a side: 135,200 triangles, which threads share */
#define SHEET_SIDE   (SHEET + 1)
#define SHEET_PIXELS 200

typedef struct sheet {
    float positions[SHEET_SIDE * SHEET_SIDE][4];
    float normals[SHEET_SIDE * SHEET_SIDE][4];
    uint32_t indices[6 * SHEET * SHEET];
    mrw_raster_draw draws[3];
    mrw_raster_job job;
    mrw_target targets[3];
    uint8_t pixels[SHEET_PIXELS * SHEET_PIXELS * 4];
    uint32_t ids[SHEET_PIXELS * SHEET_PIXELS], triangles[SHEET_PIXELS * SHEET_PIXELS];
} sheet;

/* A waved sheet, small, large, and small again; `tilt` lifts it through the near plane. */
static void make_sheet(sheet *s, float tilt)
{
    for (uint32_t j = 0; j < SHEET_SIDE; j++) {
        for (uint32_t i = 0; i < SHEET_SIDE; i++) {
            uint32_t v = j * SHEET_SIDE + i;
            float x = (float)i / SHEET * 2.0f - 1.0f, y = (float)j / SHEET * 2.0f - 1.0f;
            float z = -2.0f + tilt * y + 0.1f * (float)((i * 7 + j * 3) % 11) / 11.0f;
            memcpy(s->positions[v], (float[4]){x, y, z, 1.0f}, sizeof s->positions[v]);
            memcpy(s->normals[v], (float[4]){0.1f * x, 0.1f * y, 1.0f, 0}, sizeof s->normals[v]);
        }
    }
    uint32_t n = 0;
    for (uint32_t j = 0; j < SHEET; j++) {
        for (uint32_t i = 0; i < SHEET; i++) {
            uint32_t a = j * SHEET_SIDE + i, d = a + SHEET_SIDE;
            const uint32_t cell[6] = {a, a + 1, d, d, a + 1, d + 1};
            memcpy(s->indices + n, cell, sizeof cell);
            n += 6;
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        s->draws[i] = (mrw_raster_draw){.vertex_count = SHEET_SIDE * SHEET_SIDE,
                                        .triangle_count = i == 1 ? n / 3 : 100,
                                        .indices = s->indices,
                                        .positions = s->positions[0],
                                        .normals = s->normals[0],
                                        .id = i + 1,
                                        .material = &double_sided};
    }
    s->targets[0] = (mrw_target){MRW_TARGET_COLOR, MRW_FORMAT_U8, 4, s->pixels, SHEET_PIXELS * 4};
    s->targets[1] = (mrw_target){MRW_TARGET_ID, MRW_FORMAT_U32, 1, s->ids, SHEET_PIXELS * 4};
    s->targets[2] =
        (mrw_target){MRW_TARGET_TRIANGLE, MRW_FORMAT_U32, 1, s->triangles, SHEET_PIXELS * 4};
    s->job = (mrw_raster_job){.draws = s->draws,
                              .draw_count = 3,
                              .view.world_to_clip = look(0, 0, 1.5, 0.5, 10.0),
                              .shading = MRW_SHADING_RAW,
                              .samples = 1,
                              .width = SHEET_PIXELS,
                              .height = SHEET_PIXELS,
                              .targets = s->targets,
                              .target_count = 3,
                              .threads = 1};
}

static sheet reference, other;

/* Survivors of all threads together, and which triangle each is, are one thread's. */
static void check_same_runs(const mrwi_raster_geometry *one, const mrwi_raster_geometry *many)
{
    REQUIRE(one->runs.count == 1 && one->runs.list[0].count == one->kept.count);
    uint32_t n = 0, end = 0;
    for (uint32_t r = 0; r < many->runs.count; r++) {
        const mrwi_raster_run *run = &many->runs.list[r];
        REQUIRE(run->first >= end && run->layer == MRWI_RASTER_OPAQUE);
        end = run->first + run->count;
        REQUIRE(end <= many->kept.count && n + run->count <= one->kept.count);
        REQUIRE(memcmp(one->kept.triangles + n, many->kept.triangles + run->first,
                       run->count * sizeof(mrwi_shade_triangle)) == 0);
        REQUIRE(memcmp(one->kept.boxes + n, many->kept.boxes + run->first,
                       run->count * sizeof(mrwi_raster_box)) == 0);
        REQUIRE(memcmp(one->kept.sources + n, many->kept.sources + run->first,
                       run->count * sizeof(mrw_raster_source)) == 0);
        n += run->count;
    }
    REQUIRE(n == one->kept.count);
}

static void collect(mrwi_raster_geometry *g, const mrw_raster_job *job)
{
    g->view.width = g->view.height = SHEET_PIXELS;
    g->view.pattern = mrwi_raster_samples(job->samples);
    ck_assert(mrwi_raster_begin_vertices(g, job));
    ck_assert(mrwi_raster_collect_triangles(g, job));
}

static void free_geometry(mrwi_raster_geometry *g)
{
    mrwi_raster_buffer *const buffers[] = {
        &g->vertices.screen_buffer, &g->vertices.shade_buffer,
        &g->vertices.number_buffer, &g->vertices.stream_buffers[MRWI_SHADE_COLOR],
        &g->kept.triangle_buffer,   &g->kept.box_buffer,
        &g->kept.source_buffer,     &g->runs.buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        mrwi_raster_buffer_free(buffers[i]);
    }
}

/* Level; through the near plane from some row on; through it from the first triangle on. */
static const float tilts[] = {0.0f, 1.8f, -1.8f};

START_TEST(threads_share_a_draw)
{
    for (size_t t = 0; t < sizeof tilts / sizeof tilts[0]; t++) {
        make_sheet(&reference, tilts[t]);
        mrwi_raster_geometry one = {0}, many = {0};
        collect(&one, &reference.job);
        for (int threads = 2; threads <= 40; threads += threads < 4 ? 1 : 18) {
            reference.job.threads = threads;
            collect(&many, &reference.job);
            ck_assert_uint_eq(one.vertices.count, many.vertices.count);
            ck_assert_mem_eq(one.vertices.screen, many.vertices.screen,
                             one.vertices.count * sizeof(mrwi_raster_screen_vertex));
            ck_assert_mem_eq(one.vertices.shade, many.vertices.shade,
                             one.vertices.count * sizeof(mrwi_shade_vertex));
            check_same_runs(&one, &many);
        }
        ck_assert(tilts[t] != 0.0f || many.runs.count > 8); /* it was shared */
        free_geometry(&one);
        free_geometry(&many);
    }
}
END_TEST

START_TEST(threads_draw_the_same_picture)
{
    mrw_raster *raster;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    for (size_t t = 0; t < sizeof tilts / sizeof tilts[0]; t++) {
        make_sheet(&reference, tilts[t]);
        make_sheet(&other, tilts[t]);
        other.job.threads = 4;
        ck_assert_int_eq(mrw_raster_draw_frame(raster, &reference.job, NULL), MRW_OK);
        ck_assert_int_eq(mrw_raster_draw_frame(raster, &other.job, NULL), MRW_OK);
        ck_assert_mem_eq(reference.pixels, other.pixels, sizeof other.pixels);
        ck_assert_mem_eq(reference.ids, other.ids, sizeof other.ids);
        ck_assert_mem_eq(reference.triangles, other.triangles, sizeof other.triangles);
    }
    mrw_raster_free(raster);
}
END_TEST

START_TEST(sharing_survives_want_of_memory)
{
    mrw_raster *raster;
    make_sheet(&reference, 0.0f);
    make_sheet(&other, 0.0f);
    reference.job.threads = other.job.threads = 3;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &reference.job, NULL), MRW_OK);
    mrwi_base_alloc_fail_at(1); /* a second frame allocates nothing */
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &reference.job, NULL), MRW_OK);
    ck_assert(mrwi_base_alloc_fail_pending());
    mrwi_base_alloc_fail_at(0);
    mrw_raster_free(raster);
    bool pending = false;
    int survived = 0;
    for (uint64_t n = 1; !pending; n++) {
        ck_assert_uint_lt(n, 100);
        ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
        memset(other.pixels, 0, sizeof other.pixels);
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_raster_draw_frame(raster, &other.job, NULL);
        pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        mrw_raster_free(raster);
        if (status == MRW_OK) {
            ck_assert_mem_eq(reference.pixels, other.pixels, sizeof other.pixels);
            survived += !pending;
        } else {
            ck_assert_int_eq(status, MRW_ERROR_MEMORY);
            ck_assert(!pending);
        }
    }
    /* room for all triangles, boxes and sources of the shared draw: one thread makes do with less
     */
    ck_assert_int_eq(survived, 3);
}
END_TEST

/* ---- frames of many vertices ----------------------------------------------------------------- */

#define STRIPS     12
#define STRIP_ROWS 40

/* Overlapping strips of a sheet of which several triangles lie in a pixel, one of them transparent.
 * `silent` comes among them, without triangles. */
static void set_strips(sheet *s, mrw_raster_draw strips[STRIPS + 1], const mrw_raster_draw *silent)
{
    static mrw_raster_material glass;
    glass = double_sided;
    glass.base_color[3] = 0.5f;
    glass.alpha_mode = MRWI_RASTER_BLEND;
    for (uint32_t i = 0; i < STRIPS; i++) {
        const uint32_t first = i * 18 * SHEET_SIDE;
        mrw_raster_draw *strip = &strips[i < 4 ? i : i + 1];
        *strip = s->draws[0];
        strip->vertex_count = (STRIP_ROWS + 1) * SHEET_SIDE;
        strip->triangle_count = 2 * STRIP_ROWS * SHEET;
        strip->positions = s->positions[first];
        strip->normals = s->normals[first];
        strip->id = i + 1;
        strip->material = i == 3 ? &glass : &double_sided;
    }
    strips[4] = *silent;
    s->job.draws = strips;
    s->job.draw_count = STRIPS + 1;
}

/* With many vertices, those of no triangle and triangles without a sample are dropped; the picture
 * is the same. */
START_TEST(many_vertices_are_packed)
{
    enum { MANY = MRWI_RASTER_MANY_VERTICES + 1 };
    static mrw_raster_draw strips[STRIPS + 1];
    float *zeros = calloc(MANY, 4 * sizeof *zeros);
    const mrw_raster_draw none = {.material = &double_sided};
    const mrw_raster_draw many = {
        .vertex_count = MANY, .positions = zeros, .normals = zeros, .material = &double_sided};
    mrw_raster *raster;
    ck_assert_ptr_nonnull(zeros);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    for (size_t t = 0; t < 2 * sizeof tilts / sizeof tilts[0]; t++) {
        mrwi_raster_geometry plain = {0}, packed = {0};
        sheet *const sheets[] = {&reference, &other};
        for (int i = 0; i < 2; i++) {
            make_sheet(sheets[i], tilts[t / 2]);
            sheets[i]->job.view.world_to_clip = look(0, 0, 0.3, 0.5, 10.0);
            sheets[i]->job.samples = t % 2 ? 4 : 1;
            set_strips(sheets[i], strips, i == 0 ? &none : &many);
            collect(i == 0 ? &plain : &packed, &sheets[i]->job);
            ck_assert_int_eq(mrw_raster_draw_frame(raster, &sheets[i]->job, NULL), MRW_OK);
        }
        ck_assert(!plain.vertices.packed && packed.vertices.packed);
        ck_assert_uint_lt(packed.kept.count, plain.kept.count);
        ck_assert_uint_le(packed.vertices.count, 3 * packed.kept.count);
        ck_assert_mem_eq(reference.pixels, other.pixels, sizeof other.pixels);
        ck_assert_mem_eq(reference.ids, other.ids, sizeof other.ids);
        ck_assert_mem_eq(reference.triangles, other.triangles, sizeof other.triangles);
        uint32_t seen = 0; /* by id; 4 is transparent */
        for (size_t i = 0; i < SHEET_PIXELS * SHEET_PIXELS; i++) {
            seen |= 1u << other.ids[i];
        }
        ck_assert_uint_eq(seen, 0x1fff & ~(1u << 4));
        free_geometry(&plain);
        free_geometry(&packed);
    }
    mrw_raster_free(raster);
    free(zeros);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("raster_front");
    TCase *front = tcase_create("front");
    tcase_set_timeout(front, 120);
    tcase_add_test(front, normals_become_one_long);
    tcase_add_test(front, vertices_snap_downwards_from_halves);
    tcase_add_test(front, planes_and_guard_band_include_their_edge);
    tcase_add_test(front, culling_follows_the_rules_in_every_kernel);
    tcase_add_test(front, slivers_of_one_unit_have_a_side);
    tcase_add_test(front, bins_hold_what_touches_them);
    tcase_add_test(front, threads_share_a_draw);
    tcase_add_test(front, threads_draw_the_same_picture);
    tcase_add_test(front, sharing_survives_want_of_memory);
    tcase_add_test(front, many_vertices_are_packed);
    suite_add_tcase(s, front);
    return s;
}

TEST_MAIN(suite())
