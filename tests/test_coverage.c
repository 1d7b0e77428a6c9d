/* test_coverage.c: which samples triangles cover, clipping and depth, against slow evaluators.
 */
#include "raster_fixture.h"

#include "raster/cover.h"

/* ---- a stage: geometry and one band over the whole picture, driven by hand ------------------- */

typedef struct stage {
    mrwi_raster_geometry geometry;
    mrwi_raster_bins bins;
    mrw_raster_job job;
    mrw_target color; /* never written: it has the shading stream made */
    mrwi_raster_frame frame;
    mrwi_raster_band band;
    mrwi_raster_screen_vertex vertices[3];
    mrwi_shade_triangle triangle;
    uint8_t *counts; /* how often each sample was covered */
} stage;

static mrw_isa the_isa = MRW_ISA_SCALAR; /* of the kernel that covers */

static size_t stage_samples(const stage *s)
{
    return (size_t)s->job.height * s->job.samples * s->band.seen.stride;
}

static stage *stage_create(uint32_t side, uint32_t samples)
{
    stage *s = calloc(1, sizeof *s);
    s->job.width = s->job.height = side;
    s->color = (mrw_target){MRW_TARGET_COLOR, MRW_FORMAT_U8, 4, NULL, 0};
    s->job.targets = &s->color;
    s->job.target_count = 1;
    s->job.samples = samples;
    s->geometry.view.pattern = mrwi_raster_samples(samples);
    s->geometry.view.width = s->geometry.view.height = (int32_t)side;
    s->frame = (mrwi_raster_frame){
        .job = &s->job, .geometry = &s->geometry, .bins = &s->bins, .isa = the_isa};
    s->band.frame = &s->frame;
    s->band.box = s->band.touch = (mrwi_raster_box){0, 0, (int32_t)side, (int32_t)side};
    s->band.seen = (mrwi_raster_visibility){
        .stride = side + 16, .samples = samples, .y0 = 0, .y1 = (int32_t)side};
    s->band.seen.z = calloc(stage_samples(s), sizeof(float));
    s->band.seen.id = calloc(stage_samples(s), sizeof(int32_t));
    s->counts = calloc(stage_samples(s), 1);
    return s;
}

static void stage_free(stage *s)
{
    mrwi_raster_buffer_free(&s->geometry.vertices.screen_buffer);
    mrwi_raster_buffer_free(&s->geometry.vertices.shade_buffer);
    mrwi_raster_buffer_free(&s->geometry.vertices.stream_buffers[MRWI_SHADE_COLOR]);
    mrwi_raster_buffer_free(&s->geometry.kept.triangle_buffer);
    mrwi_raster_buffer_free(&s->geometry.kept.box_buffer);
    mrwi_raster_buffer_free(&s->geometry.runs.buffer);
    free(s->band.seen.z);
    free(s->band.seen.id);
    free(s->counts);
    free(s);
}

static void stage_clear(stage *s)
{
    for (size_t i = 0; i < stage_samples(s); i++) {
        s->band.seen.z[i] = 1.0f;
        s->band.seen.id[i] = MRWI_SHADE_NO_TRIANGLE;
    }
}

/* For tests that run once an instruction set; false where this machine lacks it. */
static bool cover_with(int isa)
{
    the_isa = (mrw_isa)isa;
    return mrw_isa_available(the_isa);
}

static void cover(stage *s, const mrwi_shade_triangle *triangle)
{
    mrwi_raster_box box;
    if (!mrwi_raster_triangle_box(&s->geometry, triangle, &box)) {
        return;
    }
    mrwi_shade_triangle only = *triangle;
    mrwi_shade_triangle *triangles = s->geometry.kept.triangles;
    mrwi_raster_box *boxes = s->geometry.kept.boxes;
    const uint32_t id = 0;
    s->geometry.kept.triangles = &only;
    s->geometry.kept.boxes = &box;
    mrwi_raster_cover_kernels_for(s->frame.isa)->cover(&s->geometry, &s->band.seen, &id, 1);
    s->geometry.kept.triangles = triangles;
    s->geometry.kept.boxes = boxes;
}

/* Covers an otherwise empty band with a triangle and adds what it covers to the counts. */
static void count_coverage(stage *s, const mrwi_shade_triangle *triangle)
{
    stage_clear(s);
    cover(s, triangle);
    for (uint32_t row = 0; row < s->job.height * s->job.samples; row++) {
        for (uint32_t x = 0; x < s->job.width; x++) {
            size_t at = row * s->band.seen.stride + x;
            s->counts[at] = (uint8_t)(s->counts[at] + (s->band.seen.id[at] == 0));
        }
    }
}

static void count_points(stage *s, const int32_t points[3][2])
{
    for (int i = 0; i < 3; i++) {
        s->vertices[i] = (mrwi_raster_screen_vertex){points[i][0], points[i][1], 0.5f, 1.0f};
    }
    s->geometry.vertices.screen = s->vertices;
    s->triangle = (mrwi_shade_triangle){{0, 1, 2}, 0};
    count_coverage(s, &s->triangle);
}

static void check_all_counts(const stage *s, int expected)
{
    for (uint32_t row = 0; row < s->job.height * s->job.samples; row++) {
        for (uint32_t x = 0; x < s->job.width; x++) {
            if (s->counts[row * s->band.seen.stride + x] != expected) {
                ck_abort_msg("%u samples: (%u, %u) sample %u is covered %d times", s->job.samples,
                             x, row / s->job.samples, row % s->job.samples,
                             s->counts[row * s->band.seen.stride + x]);
            }
        }
    }
}

/* ---- coverage -------------------------------------------------------------------------------- */

static void check_counts_by_evaluator(stage *s, int pattern, const int32_t p[3][2])
{
    for (int y = 0; y < (int)s->job.height; y++) {
        for (uint32_t k = 0; k < s->job.samples; k++) {
            const uint8_t *row = s->counts + mrwi_raster_sample_index(&s->band.seen, y, k);
            int64_t sy = y * 256 + 128 + standard[pattern][k][1] * 16;
            for (int x = 0; x < (int)s->job.width; x++) {
                int64_t sx = x * 256 + 128 + standard[pattern][k][0] * 16;
                if (row[x] != covers(p, sx, sy)) {
                    ck_abort_msg("(%d,%d) (%d,%d) (%d,%d): sample %u of (%d, %d) is %d", p[0][0],
                                 p[0][1], p[1][0], p[1][1], p[2][0], p[2][1], k, x, y, row[x]);
                }
            }
        }
    }
}

static void count_visited(void *user, const mrwi_raster_setup *setup, int32_t x, int32_t y,
                          uint32_t mask)
{
    mrwi_raster_visibility *seen = user;
    (void)setup;
    REQUIRE(mask != 0);
    for (uint32_t k = 0; k < seen->samples; k++) {
        seen->id[mrwi_raster_sample_index(seen, y, k) + (size_t)x] += (int32_t)(mask >> k & 1);
    }
}

/* The pixels visited are those covered. */
static void check_visits(stage *s)
{
    memset(s->band.seen.id, 0, stage_samples(s) * sizeof(int32_t));
    mrwi_raster_box box;
    if (!mrwi_raster_triangle_box(&s->geometry, &s->triangle, &box)) {
        return;
    }
    mrwi_raster_setup setup;
    mrwi_raster_setup_triangle(&s->geometry, &s->triangle, &box, &setup);
    mrwi_raster_visit_pixels(s->geometry.view.pattern, &s->band.seen, &setup, count_visited,
                             &s->band.seen);
    for (size_t row = 0; row < (size_t)s->job.height * s->job.samples; row++) {
        for (size_t x = 0; x < s->job.width; x++) {
            size_t at = row * s->band.seen.stride + x;
            REQUIRE(s->band.seen.id[at] == s->counts[at]);
        }
    }
}

static void random_triangle(int kind, int32_t p[3][2])
{
    static const int32_t huge = MRWI_RASTER_GUARD * MRWI_SHADE_SUBPIXEL;
    int32_t cx = random_between(-2000, SIDE * 256 + 2000);
    int32_t cy = random_between(-2000, SIDE * 256 + 2000);
    for (int i = 0; i < 3; i++) {
        switch (kind) {
        case 0: /* tiny */
            p[i][0] = cx + random_between(-300, 300);
            p[i][1] = cy + random_between(-300, 300);
            break;
        case 1: /* a few pixels, some coordinates on sample positions */
            p[i][0] = cx / 16 * 16 + 16 * random_between(-80, 80);
            p[i][1] = cy / 16 * 16 + 16 * random_between(-80, 80);
            break;
        case 2: /* thin */
            p[i][0] = random_between(-4000, SIDE * 256 + 4000);
            p[i][1] = p[i][0] + random_between(-200, 200);
            break;
        case 3: /* anywhere on the picture */
            p[i][0] = random_between(0, SIDE * 256);
            p[i][1] = random_between(0, SIDE * 256);
            break;
        default: /* as far as the guard band goes */
            p[i][0] = random_between(0, 3) == 0 ? huge : random_between(-huge, huge);
            p[i][1] = random_between(0, 3) == 0 ? -huge : random_between(-huge, huge);
        }
    }
}

START_TEST(coverage_matches_evaluator)
{
    if (!cover_with(_i)) {
        return;
    }
    random_state = 11;
    for (int pattern = 0; pattern < 4; pattern++) {
        stage *s = stage_create(SIDE, 1u << pattern);
        for (int n = 0; n < TEST_ROUNDS(400); n++) {
            int32_t p[3][2];
            random_triangle(n % 5, p);
            if (side_of(p[0], p[1], p[2][0], p[2][1]) == 0) {
                continue;
            }
            memset(s->counts, 0, stage_samples(s));
            count_points(s, (const int32_t(*)[2])p);
            check_counts_by_evaluator(s, pattern, (const int32_t(*)[2])p);
            check_visits(s);
        }
        stage_free(s);
    }
}
END_TEST

/* Narrow within the picture, but with edge values beyond 32 bits. */
START_TEST(large_edge_values_are_exact)
{
    if (!cover_with(_i)) {
        return;
    }
    random_state = 20;
    const int32_t guard = MRWI_RASTER_GUARD * MRWI_SHADE_SUBPIXEL;
    stage *s = stage_create(1024, 1);
    for (int n = 0; n < 8; n++) {
        int32_t tip = random_between(1, 20) * 256;
        int32_t p[3][2] = {{tip, random_between(0, 1024 * 256)},
                           {-random_between(guard / 2, guard), -random_between(0, guard)},
                           {-random_between(guard / 2, guard), random_between(0, guard)}};
        memset(s->counts, 0, stage_samples(s));
        count_points(s, (const int32_t(*)[2])p);
        check_counts_by_evaluator(s, 0, (const int32_t(*)[2])p);
    }
    stage_free(s);
}
END_TEST

/* Edges exactly through pixel centres: left and top ones count, right and bottom ones don't. */
START_TEST(top_left_rule)
{
    if (!cover_with(_i)) {
        return;
    }
    stage *s = stage_create(8, 1);
    const int32_t lower[3][2] = {
        {640, 640}, {640, 1664}, {1664, 1664}}; /* (2.5, 2.5) ... (6.5, 6.5) */
    const int32_t upper[3][2] = {{640, 640}, {1664, 1664}, {1664, 640}};
    count_points(s, lower);
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++) {
            /* the diagonal is its right edge, the horizontal one its bottom */
            bool inside = x >= 2 && y < 6 && y > x;
            ck_assert_int_eq(s->counts[(size_t)y * s->band.seen.stride + (size_t)x], inside);
        }
    }
    memset(s->counts, 0, stage_samples(s));
    count_points(s, upper);
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++) {
            /* the diagonal is its left edge, the horizontal one its top */
            bool inside = y >= 2 && x < 6 && x >= y;
            ck_assert_int_eq(s->counts[(size_t)y * s->band.seen.stride + (size_t)x], inside);
        }
    }
    stage_free(s);
}
END_TEST

/* ---- watertightness -------------------------------------------------------------------------- */

START_TEST(tessellated_square_is_covered_once)
{
    if (!cover_with(_i)) {
        return;
    }
    random_state = 12;
    mrwi_raster_screen_vertex vertices[(CELLS + 1) * (CELLS + 1)];
    uint32_t indices[CELLS * CELLS * 6];
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        stage *s = stage_create(SIDE, samples);
        const int32_t cell = SIDE * 256 / CELLS;
        for (int32_t j = 0; j <= CELLS; j++) {
            for (int32_t i = 0; i <= CELLS; i++) {
                bool edge_x = i == 0 || i == CELLS, edge_y = j == 0 || j == CELLS;
                int32_t dx = edge_x ? (i ? 999 : -999) : random_between(-cell / 3, cell / 3);
                int32_t dy = edge_y ? (j ? 999 : -999) : random_between(-cell / 3, cell / 3);
                vertices[j * (CELLS + 1) + i] =
                    (mrwi_raster_screen_vertex){i * cell + dx, j * cell + dy, 0.5f, 1.0f};
            }
        }
        uint32_t count = grid_indices(indices);
        s->geometry.vertices.screen = vertices;
        for (uint32_t t = 0; t < count; t++) {
            mrwi_shade_triangle triangle = {
                {indices[3 * t], indices[3 * t + 1], indices[3 * t + 2]}, 0};
            count_coverage(s, &triangle);
        }
        check_all_counts(s, 1);
        s->geometry.vertices.screen = NULL;
        stage_free(s);
    }
}
END_TEST

static void count_job(stage *s)
{
    ck_assert(mrwi_raster_begin_vertices(&s->geometry, &s->job));
    ck_assert(mrwi_raster_collect_triangles(&s->geometry, &s->job));
    memset(s->counts, 0, stage_samples(s));
    for (uint32_t i = 0; i < s->geometry.kept.count; i++) {
        count_coverage(s, &s->geometry.kept.triangles[i]);
    }
}

/* Triangles in pixel space. */
static void stage_triangles(stage *s, mrw_raster_draw *draw, const float (*positions)[4],
                            uint32_t vertex_count, const uint32_t *indices, uint32_t count)
{
    static const float normals[4][4];
    ck_assert_uint_le(vertex_count, 4);
    *draw = (mrw_raster_draw){.vertex_count = vertex_count,
                              .triangle_count = count,
                              .indices = indices,
                              .positions = positions[0],
                              .normals = normals[0],
                              .material = &double_sided};
    s->job.draws = draw;
    s->job.draw_count = 1;
    s->job.view.world_to_clip = pixel_space(SIDE);
    ck_assert(mrwi_raster_begin_vertices(&s->geometry, &s->job));
    ck_assert(mrwi_raster_collect_triangles(&s->geometry, &s->job));
}

START_TEST(vertices_snap_to_the_nearest)
{
    stage *s = stage_create(SIDE, 1);
    const float tie = 1.0f / 512;
    const float positions[4][4] = {{1 + tie, 1 - tie, 0.25f, 1},
                                   {1 + 0.9f * tie, 2 - 1.1f * tie, 0.5f, 1},
                                   {-5 - tie, 16384, 1, 1},
                                   {-16384, 3, -0.0f, 1}};
    const int32_t expected[4][2] = {{257, 256}, {256, 511}, {-1280, 4194304}, {-4194304, 768}};
    mrw_raster_draw draw;
    stage_triangles(s, &draw, positions, 4, NULL, 0);
    for (int i = 0; i < 4; i++) {
        const mrwi_raster_screen_vertex *v = &s->geometry.vertices.screen[i];
        ck_assert_int_eq(v->x, expected[i][0]);
        ck_assert_int_eq(v->y, expected[i][1]);
        ck_assert(v->z == positions[i][2] && !signbit(v->z) && v->inv_w == 1.0f);
        ck_assert(s->geometry.vertices.shade[i].x == (float)v->x / 256.0f);
        ck_assert(s->geometry.vertices.shade[i].y == (float)v->y / 256.0f);
    }
    stage_free(s);
}
END_TEST

/* A triangle and the same one turned round, cut at the near plane where rounding decides to which
 * side a vertex snaps: both must get the same vertices. */
START_TEST(cuts_do_not_depend_on_direction)
{
    const uint32_t indices[6] = {0, 1, 2, 1, 0, 2};
    for (int i = 1; i <= 40; i++) {
        for (int j = 1; j <= 40; j++) {
            stage *s = stage_create(SIDE, 1);
            /* the first edge is cut i / (i + j) of the way, at an odd number of 1/512 pixels */
            float length = (float)((i + j) * (2 * j + 1)) / 512.0f;
            const float positions[3][4] = {{0, 0, (float)-i / 64, 1},
                                           {length, length, (float)j / 64, 1},
                                           {30, 0, (float)j / 64, 1}};
            mrw_raster_draw draw;
            stage_triangles(s, &draw, positions, 3, indices, 2);
            ck_assert_uint_eq(s->geometry.vertices.count, 7);
            const mrwi_raster_screen_vertex *v = s->geometry.vertices.screen + 3;
            bool swapped = v[0].x != v[2].x;
            for (int k = 0; k < 2; k++) {
                const mrwi_raster_screen_vertex *other = &v[2 + (swapped ? 1 - k : k)];
                REQUIRE(memcmp(&v[k], other, sizeof v[k]) == 0);
            }
            stage_free(s);
        }
    }
}
END_TEST

/* From inside a closed box every ray meets its surface once: whatever is clipped at the eye, the
 * near plane and the guard band, each sample is covered exactly once. */
START_TEST(clipped_box_is_covered_once)
{
    if (!cover_with(_i)) {
        return;
    }
    random_state = 13;
    static grid faces[6];
    mrw_raster_draw draws[6];
    for (int i = 0; i < 6; i++) {
        make_face(&faces[i], i / 2, i % 2 ? 1.0f : -1.0f, 3.0f);
        draws[i] = faces[i].draw;
    }
    for (int n = 0; n < 24; n++) {
        stage *s = stage_create(SIDE, 1u << n % 4);
        s->job.draws = draws;
        s->job.draw_count = 6;
        double focal = n % 3 == 0 ? 0.2 : n % 3 == 1 ? 1.5 : 400.0;
        s->job.view.world_to_clip = look(n * 0.7, n * 0.37, focal, 0.01, 100.0);
        count_job(s);
        check_all_counts(s, 1);
        stage_free(s);
    }
}
END_TEST

/* A floor that the camera's near plane cuts in view: covered once beyond the cut, not at all before
 * it. */
START_TEST(near_plane_cuts_cleanly)
{
    if (!cover_with(_i)) {
        return;
    }
    random_state = 14;
    static grid floor_grid;
    make_face(&floor_grid, 1, -1.0f, 2.0f); /* y = -2, x and z within -2 ... 2 */
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        stage *s = stage_create(SIDE, samples);
        s->job.draws = &floor_grid.draw;
        s->job.draw_count = 1;
        const double near_z = 1.25, focal = 0.4;
        s->job.view.world_to_clip = look(0.0, 0.0, focal, near_z, 100.0);
        count_job(s);
        int lines = 0;
        for (int y = 0; y < SIDE; y++) {
            for (uint32_t k = 0; k < samples; k++) {
                int at = samples == 1 ? 0 : samples == 2 ? 1 : samples == 4 ? 2 : 3;
                double sy = y + 0.5 + standard[at][k][1] / 16.0;
                double ndc = 1.0 - sy / (SIDE / 2.0);
                double distance = ndc < 0.0 ? 2.0 * focal / -ndc : 1e9;
                double margin = 0.02;
                for (int x = 0; x < SIDE; x++) {
                    double sx = x + 0.5 + standard[at][k][0] / 16.0;
                    double world_x = (sx / (SIDE / 2.0) - 1.0) * distance / focal;
                    int count =
                        s->counts[mrwi_raster_sample_index(&s->band.seen, y, k) + (size_t)x];
                    REQUIRE(count <= 1);
                    bool inside = distance > near_z + margin && distance < 2.0 - margin &&
                                  fabs(world_x) < 2.0 - margin;
                    bool outside = distance < near_z - margin || distance > 2.0 + margin ||
                                   fabs(world_x) > 2.0 + margin;
                    REQUIRE(!inside || count == 1);
                    REQUIRE(!outside || count == 0);
                    lines += inside;
                }
            }
        }
        ck_assert_int_gt(lines, 100);
        stage_free(s);
    }
}
END_TEST

/* Whatever finite numbers come in: nothing is covered twice, depths stay within 0 ... 1. */
START_TEST(huge_coordinates_are_harmless)
{
    random_state = 15;
    const float scales[] = {1e6f, 1e15f, 1e30f, 3e38f};
    for (int n = 0; n < 8; n++) {
        static grid face;
        make_face(&face, 2, -1.0f, scales[n / 2]);
        stage *s = stage_create(SIDE, 4);
        s->job.draws = &face.draw;
        s->job.draw_count = 1;
        s->job.view.world_to_clip = look(n * 0.5, 0.1, n % 2 ? 1.0 : 30.0, 0.1, 1e7);
        count_job(s);
        for (size_t i = 0; i < stage_samples(s); i++) {
            REQUIRE(s->counts[i] <= 1);
        }
        for (uint32_t i = 0; i < s->geometry.kept.count; i++) {
            for (int k = 0; k < 3; k++) {
                uint32_t v = s->geometry.kept.triangles[i].vertex[k];
                REQUIRE(s->geometry.vertices.screen[v].z >= 0.0f &&
                        s->geometry.vertices.screen[v].z <= 1.0f);
                REQUIRE(isfinite(s->geometry.vertices.shade[v].u) &&
                        isfinite(s->geometry.vertices.shade[v].inv_w));
            }
        }
        stage_free(s);
    }
}
END_TEST

/* Without a far plane (glTF cameras may have none) w grows with the distance until the guard band's
 * edge, 16384 w, is infinite: what lies there is outside, or else infinity / infinity is snapped.
 */
START_TEST(nothing_is_inside_of_infinity)
{
    const float big = 3e38f, inf = INFINITY;
    const float points[][4] = {{inf, 0, big, big},  {0, inf, big, big}, {-inf, 0, big, big},
                               {0, 0, inf, inf},    {inf, inf, 1, inf}, {0, 0, 0, NAN},
                               {big, big, big, big}};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        ck_assert_msg(mrwi_raster_outcode(points[i]) != 0, "point %d", (int)i);
    }
    random_state = 33;
    for (int n = 0; n < TEST_ROUNDS(200); n++) {
        static const uint32_t indices[6] = {0, 1, 2, 2, 1, 3};
        float corners[4][4];
        for (int i = 0; i < 4; i++) {
            const float scale = i == 0 ? big : 1e34f;
            corners[i][0] = random_float(0.5f, 1.0f) * scale;
            corners[i][1] = random_float(-1.0f, 1.0f) * (i == 0 ? 1e34f : scale);
            corners[i][2] = random_float(-1.0f, -0.5f) * scale;
            corners[i][3] = 1.0f;
        }
        mrw_raster_draw draw;
        stage *s = stage_create(SIDE, 1);
        stage_triangles(s, &draw, (const float(*)[4])corners, 4, indices, 2);
        /* again: x and y as they are, w = -z, z = w - 0.1 */
        s->job.view.world_to_clip =
            (mrw_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.1f, 0}};
        ck_assert(mrwi_raster_begin_vertices(&s->geometry, &s->job));
        ck_assert(mrwi_raster_collect_triangles(&s->geometry, &s->job));
        for (uint32_t i = 0; i < s->geometry.kept.count; i++) {
            for (int k = 0; k < 3; k++) {
                const mrwi_raster_screen_vertex *v =
                    &s->geometry.vertices.screen[s->geometry.kept.triangles[i].vertex[k]];
                REQUIRE(abs(v->x) <= MRWI_RASTER_GUARD * 256 &&
                        abs(v->y) <= MRWI_RASTER_GUARD * 256);
                REQUIRE(v->z >= 0.0f && v->z <= 1.0f && v->inv_w > 0.0f);
            }
        }
        stage_free(s);
    }
}
END_TEST

/* Any bits at all as coordinates, NaN and infinity included: the scene room refuses them, yet none
 * may reach a pixel. */
START_TEST(any_bits_are_harmless)
{
    random_state = 21;
    const uint32_t indices[6] = {0, 1, 2, 2, 1, 3};
    for (int n = 0; n < TEST_ROUNDS(3000); n++) {
        stage *s = stage_create(4, 1);
        float corners[4][4];
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 3; k++) {
                uint32_t bits = random_bits() << 1 ^ random_bits();
                memcpy(&corners[i][k], &bits, sizeof bits);
                corners[i][k] = i == 3 ? (float)(k * k) : corners[i][k];
            }
            corners[i][3] = 1.0f;
        }
        mrw_raster_draw draw;
        stage_triangles(s, &draw, (const float(*)[4])corners, 4, indices, 2);
        for (uint32_t i = 0; i < s->geometry.kept.count; i++) {
            count_coverage(s, &s->geometry.kept.triangles[i]);
            for (int k = 0; k < 3; k++) {
                const mrwi_raster_screen_vertex *v =
                    &s->geometry.vertices.screen[s->geometry.kept.triangles[i].vertex[k]];
                REQUIRE(abs(v->x) <= MRWI_RASTER_GUARD * 256 &&
                        abs(v->y) <= MRWI_RASTER_GUARD * 256);
                REQUIRE(v->z >= 0.0f && v->z <= 1.0f && v->inv_w > 0.0f);
            }
        }
        stage_free(s);
    }
}
END_TEST

START_TEST(depth_is_the_plane_through_the_corners)
{
    if (!cover_with(_i)) {
        return;
    }
    random_state = 18;
    stage *s = stage_create(SIDE, 8);
    for (int n = 0; n < TEST_ROUNDS(200); n++) {
        int32_t p[3][2];
        random_triangle(n % 2 ? 3 : 1, p);
        double z[3];
        for (int i = 0; i < 3; i++) {
            s->vertices[i] =
                (mrwi_raster_screen_vertex){p[i][0], p[i][1], random_float(0, 1), 1.0f};
            z[i] = (double)s->vertices[i].z;
        }
        s->geometry.vertices.screen = s->vertices;
        s->triangle = (mrwi_shade_triangle){{0, 1, 2}, 0};
        double area = (double)side_of(p[0], p[1], p[2][0], p[2][1]);
        if (fabs(area) < 1e5) {
            continue; /* slivers are clamped to the range of their corners */
        }
        stage_clear(s);
        cover(s, &s->triangle);
        for (int y = 0; y < SIDE; y++) {
            for (uint32_t k = 0; k < 8; k++) {
                size_t at = mrwi_raster_sample_index(&s->band.seen, y, k);
                int64_t sy = y * 256 + 128 + standard[3][k][1] * 16;
                for (int x = 0; x < SIDE; x++) {
                    int64_t sx = x * 256 + 128 + standard[3][k][0] * 16;
                    if (s->band.seen.id[at + (size_t)x] == 0) {
                        double w2 = (double)side_of(p[0], p[1], sx, sy) / area;
                        double w0 = (double)side_of(p[1], p[2], sx, sy) / area;
                        double expected = w0 * z[0] + (1 - w0 - w2) * z[1] + w2 * z[2];
                        REQUIRE(fabs((double)s->band.seen.z[at + (size_t)x] - expected) < 2e-5);
                    }
                }
            }
        }
    }
    s->geometry.vertices.screen = NULL;
    stage_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("coverage");
    TCase *coverage = tcase_create("coverage");
    tcase_set_timeout(coverage, 120);
    tcase_add_loop_test(coverage, coverage_matches_evaluator, MRW_ISA_SCALAR, MRW_ISA_COUNT);
    tcase_add_loop_test(coverage, large_edge_values_are_exact, MRW_ISA_SCALAR, MRW_ISA_COUNT);
    tcase_add_loop_test(coverage, top_left_rule, MRW_ISA_SCALAR, MRW_ISA_COUNT);
    tcase_add_test(coverage, vertices_snap_to_the_nearest);
    tcase_add_test(coverage, cuts_do_not_depend_on_direction);
    tcase_add_loop_test(coverage, tessellated_square_is_covered_once, MRW_ISA_SCALAR,
                        MRW_ISA_COUNT);
    tcase_add_loop_test(coverage, clipped_box_is_covered_once, MRW_ISA_SCALAR, MRW_ISA_COUNT);
    tcase_add_loop_test(coverage, near_plane_cuts_cleanly, MRW_ISA_SCALAR, MRW_ISA_COUNT);
    tcase_add_test(coverage, huge_coordinates_are_harmless);
    tcase_add_test(coverage, nothing_is_inside_of_infinity);
    tcase_add_test(coverage, any_bits_are_harmless);
    tcase_add_loop_test(coverage, depth_is_the_plane_through_the_corners, MRW_ISA_SCALAR,
                        MRW_ISA_COUNT);
    suite_add_tcase(s, coverage);
    return s;
}

TEST_MAIN(suite())
