/* test_targets.c: what a frame is drawn to: depths worked out by hand, targets alone and beside
 * others with any stride, what is refused. */
#include "assertion.h"
#include "raster_fixture.h"

#define PAINT 0xa5 /* of bytes that are nobody's */

/* Everything a target can be. */
static const struct spec {
    mrw_target_kind kind;
    mrw_format format;
    uint32_t channels, value; /* bytes of a value */
} specs[] = {
    {MRW_TARGET_COLOR, MRW_FORMAT_U8, 3, 1},    {MRW_TARGET_COLOR, MRW_FORMAT_U8, 4, 1},
    {MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1, 4},   {MRW_TARGET_DEPTH, MRW_FORMAT_U16, 1, 2},
    {MRW_TARGET_ID, MRW_FORMAT_U32, 1, 4},      {MRW_TARGET_TRIANGLE, MRW_FORMAT_U32, 1, 4},
    {MRW_TARGET_COVERAGE, MRW_FORMAT_U8, 1, 1}, {MRW_TARGET_LINEAR, MRW_FORMAT_F32, 4, 4},
    {MRW_TARGET_ALPHA, MRW_FORMAT_F32, 1, 4},   {MRW_TARGET_NORMAL, MRW_FORMAT_F32, 3, 4},
    {MRW_TARGET_ALBEDO, MRW_FORMAT_F32, 3, 4},
};
enum { LINEAR = 7, ALPHA }; /* of specs */

#define SPECS ((int)(sizeof specs / sizeof specs[0]))

static mrw_target target_of(int spec, void *data, size_t stride)
{
    return (mrw_target){specs[spec].kind, specs[spec].format, specs[spec].channels, data, stride};
}

static size_t row_of(int spec, uint32_t width)
{
    return (size_t)width * specs[spec].channels * specs[spec].value;
}

static mrw_raster *create(void)
{
    mrw_raster *raster = NULL;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    return raster;
}

/* ---- depths by hand -------------------------------------------------------------------------- */

/* z = 1/4 + x/256 + y/512 over the triangle (8, 8), (8, 40), (40, 8) of a picture of 64 x 64: exact
 * in float wherever it is asked for. */
#define SLOPE_X (1.0 / 256)
#define SLOPE_Y (1.0 / 512)

static double plane(double x, double y)
{
    return 0.25 + x * SLOPE_X + y * SLOPE_Y;
}

static bool inside_corner(double x, double y)
{
    return x >= 8 && y >= 8 && x + y < 48; /* top-left rule: the diagonal is no left edge */
}

START_TEST(depths_are_those_of_the_plane)
{
    static float depth[SIDE][SIDE];
    static uint16_t depth_16[SIDE][SIDE];
    const float corners[3][2] = {{8, 8}, {8, 40}, {40, 8}};
    const uint32_t indices[3] = {0, 1, 2};
    float positions[3][4], normals[3][4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        const float x = corners[i][0], y = corners[i][1];
        memcpy(positions[i], (float[4]){x, y, (float)plane((double)x, (double)y), 1}, 16);
    }
    const mrw_raster_draw draw = {.vertex_count = 3,
                                  .triangle_count = 1,
                                  .indices = indices,
                                  .positions = positions[0],
                                  .normals = normals[0],
                                  .id = 1,
                                  .material = &double_sided};
    const mrw_target wide = target_of(2, depth, sizeof depth[0]);
    const mrw_target narrow = target_of(3, depth_16, sizeof depth_16[0]);
    mrw_raster_job job = {.draws = &draw,
                          .draw_count = 1,
                          .view = {.world_to_clip = pixel_space(SIDE), .orthographic = true},
                          .width = SIDE,
                          .height = SIDE,
                          .target_count = 1,
                          .threads = 1};
    mrw_raster *raster = create();
    for (int pattern = 0; pattern < 4; pattern++) {
        job.samples = 1u << pattern;
        job.targets = &wide;
        ck_assert_int_eq(mrw_raster_draw_frame(raster, &job, NULL), MRW_OK);
        job.targets = &narrow;
        ck_assert_int_eq(mrw_raster_draw_frame(raster, &job, NULL), MRW_OK);
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                const double at_x = x + 0.5 + standard[pattern][0][0] / 16.0;
                const double at_y = y + 0.5 + standard[pattern][0][1] / 16.0;
                const double z = inside_corner(at_x, at_y) ? plane(at_x, at_y) : 1.0;
                ck_assert_msg((double)depth[y][x] == z, "%d samples, (%d, %d): %.9g, not %.9g",
                              1 << pattern, x, y, (double)depth[y][x], z);
                REQUIRE(depth_16[y][x] == (uint16_t)floor(z * 65535.0 + 0.5));
            }
        }
    }
    mrw_raster_free(raster);
}
END_TEST

/* A floor under a perspective camera: at distance t along the view its depth is
 * far / (far - near) * (1 - near / t). */
START_TEST(depths_are_those_of_the_projection)
{
    static float depth[SIDE][SIDE];
    const double near_z = 0.5, far_z = 40.0, focal = 1.2, height = 2.0;
    const float positions[4][4] = {
        {-9, -2, -1, 1}, {9, -2, -1, 1}, {-9, -2, -30, 1}, {9, -2, -30, 1}};
    const float normals[4][4] = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
    const uint32_t indices[6] = {0, 1, 2, 2, 1, 3};
    const mrw_raster_draw draw = {.vertex_count = 4,
                                  .triangle_count = 2,
                                  .indices = indices,
                                  .positions = positions[0],
                                  .normals = normals[0],
                                  .id = 1,
                                  .material = &double_sided};
    const mrw_target target = target_of(2, depth, sizeof depth[0]);
    const mrw_raster_job job = {.draws = &draw,
                                .draw_count = 1,
                                .view.world_to_clip = look(0, 0, focal, near_z, far_z),
                                .samples = 1,
                                .width = SIDE,
                                .height = SIDE,
                                .targets = &target,
                                .target_count = 1,
                                .threads = 1};
    mrw_raster *raster = create();
    int seen = 0;
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &job, NULL), MRW_OK);
    for (int y = 0; y < SIDE; y++) {
        const double t = height * focal / ((y + 0.5) / 32.0 - 1.0);
        for (int x = 0; x < SIDE; x++) {
            if (depth[y][x] == 1.0f) {
                continue;
            }
            const double z = far_z / (far_z - near_z) * (1.0 - near_z / t);
            seen++;
            /* snapping moves a vertex by 1/512 pixel; a pixel's depths differ by less than 1/100 */
            REQUIRE(fabs((double)depth[y][x] - z) < 1e-4);
        }
    }
    ck_assert_int_gt(seen, 400);
    ck_assert_float_eq(depth[10][32], 1.0f); /* the sky */
    mrw_raster_free(raster);
}
END_TEST

/* ---- alone and beside others ----------------------------------------------------------------- */

#define WIDE  100
#define HIGH  75
#define DRAWS 6

typedef struct world {
    grid faces[DRAWS];
    float colors[(CELLS + 1) * (CELLS + 1)][4];
    mrw_raster_material materials[DRAWS];
    mrw_raster_draw draws[DRAWS];
    mrw_raster_job job;
} world;

/* Faces of three boxes inside each other, opaque, masked and transparent; alpha comes from the
 * vertices. */
static void make_world(world *w, uint32_t samples)
{
    memset(w, 0, sizeof *w);
    random_state = 24;
    for (size_t v = 0; v < sizeof w->colors / sizeof w->colors[0]; v++) {
        for (int i = 0; i < 4; i++) {
            w->colors[v][i] = random_bits() % 4 == 0 ? 0.0f : random_float(0, 1);
        }
    }
    for (int i = 0; i < DRAWS; i++) {
        make_face(&w->faces[i], i % 3, i % 2 ? 1.0f : -1.0f, 1.0f + (float)(i / 2));
        w->materials[i] = double_sided;
        w->materials[i].alpha_mode = (uint32_t)(i + 1) % 3;
        w->materials[i].alpha_cutoff = 0.4f;
        w->draws[i] = w->faces[i].draw;
        w->draws[i].colors = w->colors[0];
        w->draws[i].material = &w->materials[i];
        w->draws[i].id = 100 + (uint32_t)i;
    }
    w->job = (mrw_raster_job){.draws = w->draws,
                              .draw_count = DRAWS,
                              .view.world_to_clip = look(0.5, 0.4, 0.7, 0.9, 50.0),
                              .shading = MRW_SHADING_RAW,
                              .exposure = 1.0f,
                              .samples = samples,
                              .background = {30, 60, 90, 128},
                              .width = WIDE,
                              .height = HIGH,
                              .isa = MRW_ISA_SCALAR,
                              .threads = 1};
}

/* A target's memory: rows that lie apart, and some behind them. */
typedef struct sheet {
    uint8_t bytes[(WIDE + 3) * HIGH * 16 + 64];
    size_t stride;
} sheet;

static mrw_target sheet_target(int spec, uint32_t gap, sheet *out)
{
    memset(out->bytes, PAINT, sizeof out->bytes);
    out->stride = row_of(spec, WIDE + gap);
    return target_of(spec, out->bytes, out->stride);
}

/* The same values, and nothing beside them. */
static void check_sheet(int spec, const sheet *a, const sheet *b)
{
    const size_t row = row_of(spec, WIDE);
    for (size_t y = 0; y < HIGH; y++) {
        REQUIRE(memcmp(a->bytes + y * a->stride, b->bytes + y * b->stride, row) == 0);
        for (size_t i = row; i < b->stride; i++) {
            REQUIRE(b->bytes[y * b->stride + i] == PAINT);
        }
    }
    for (size_t i = HIGH * b->stride; i < sizeof b->bytes; i++) {
        REQUIRE(b->bytes[i] == PAINT);
    }
}

static sheet beside[SPECS], alone;

/* All kinds at once, in two frames: some have two ways to be stored. */
static void draw_all(mrw_raster *raster, world *w)
{
    static const int frames[2][9] = {{0, 2, 4, 5, 6, 7, 8, 9, 10}, {10, 9, 8, 7, 6, 5, 4, 3, 1}};
    for (int f = 0; f < 2; f++) {
        mrw_target targets[9];
        for (int i = 0; i < 9; i++) {
            targets[i] = sheet_target(frames[f][i], 0, &beside[frames[f][i]]);
        }
        w->job.targets = targets;
        w->job.target_count = 9;
        ck_assert_int_eq(mrw_raster_draw_frame(raster, &w->job, NULL), MRW_OK);
    }
}

/* How many values of the picture are not the background's. */
static int count_drawn(int spec)
{
    const size_t value = row_of(spec, 1);
    int drawn = 0;
    for (size_t i = 0; i < (size_t)WIDE * HIGH; i++) {
        drawn += memcmp(beside[spec].bytes + i * value, beside[spec].bytes, value) != 0;
    }
    return drawn;
}

START_TEST(a_target_alone_is_the_same)
{
    static const int32_t rows[] = {0, 1, 7, HIGH};
    static world w;
    mrw_raster *raster = create();
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        make_world(&w, samples);
        draw_all(raster, &w);
        for (int spec = 0; spec < SPECS; spec++) {
            ck_assert_int_gt(count_drawn(spec), 1000);
            for (uint32_t gap = 0; gap <= 3; gap += 3) {
                for (int way = 0; way < 4; way++) {
                    const mrw_target target = sheet_target(spec, gap, &alone);
                    w.job.targets = &target;
                    w.job.target_count = 1;
                    w.job.threads = way == 0 ? 1 : 3;
                    ck_assert_int_eq(mrwi_raster_draw(raster, &w.job,
                                                      mrwi_shade_kernels_for(MRW_ISA_SCALAR),
                                                      rows[way], NULL),
                                     MRW_OK);
                    check_sheet(spec, &beside[spec], &alone);
                }
            }
        }
    }
    mrw_raster_free(raster);
}
END_TEST

START_TEST(every_kernel_fills_it_alike)
{
    static world w;
    mrw_raster *raster = create();
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        make_world(&w, samples);
        draw_all(raster, &w);
        for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
            if (!mrw_isa_available((mrw_isa)isa) && isa != MRW_ISA_AUTO) {
                continue;
            }
            w.job.isa = (mrw_isa)isa;
            for (int spec = 0; spec < SPECS; spec++) {
                const mrw_target target = sheet_target(spec, 1, &alone);
                w.job.targets = &target;
                w.job.target_count = 1;
                ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, NULL), MRW_OK);
                check_sheet(spec, &beside[spec], &alone);
            }
        }
    }
    mrw_raster_free(raster);
}
END_TEST

/* What a visitor was shown, and how often it was shown a row. */
typedef struct shown {
    uint32_t draws[WIDE * HIGH], triangles[WIDE * HIGH]; /* 1 and the number, 0: nothing; */
    uint32_t rows[HIGH];
    uint32_t step; /* bands begin at its multiples */
} shown;

/* mrw_raster_visitor; bands have rows of their own, so threads do not meet. */
static void note_band(void *user, int worker, const mrw_raster_seen *seen)
{
    shown *s = user;
    REQUIRE(worker >= 0 && worker < 3 && seen->y0 % s->step == 0);
    REQUIRE(seen->y1 - seen->y0 == s->step || seen->y1 == HIGH);
    for (uint32_t y = seen->y0; y < seen->y1; y++) {
        s->rows[y]++;
    }
    for (uint32_t y = seen->touch_y0; y < seen->touch_y1 && seen->x0 < seen->x1; y++) {
        for (uint32_t x = seen->x0; x < seen->x1; x++) {
            const int32_t id = seen->ids[(y - seen->y0) * seen->stride + x];
            if (id != MRW_RASTER_NOTHING) {
                s->draws[y * WIDE + x] = 1 + seen->sources[id].draw;
                s->triangles[y * WIDE + x] = 1 + seen->sources[id].triangle;
            }
        }
    }
}

/* A visitor is shown what targets of ids and triangles hold, alone, beside them, and beside
 * colours, where something transparent makes bands lower. */
START_TEST(a_visitor_sees_what_targets_hold)
{
    static uint32_t ids[WIDE * HIGH], triangles[WIDE * HIGH];
    static float depths[WIDE * HIGH];
    static uint8_t colors[WIDE * HIGH * 3];
    static shown all[5];
    static world w;
    mrw_raster *raster = create();
    const mrw_target targets[] = {{MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1, depths, WIDE * 4},
                                  {MRW_TARGET_ID, MRW_FORMAT_U32, 1, ids, WIDE * 4},
                                  {MRW_TARGET_TRIANGLE, MRW_FORMAT_U32, 1, triangles, WIDE * 4},
                                  {MRW_TARGET_COLOR, MRW_FORMAT_U8, 3, colors, WIDE * 3}};
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        make_world(&w, samples);
        int seen = 0;
        w.job.visit = note_band;
        for (uint32_t others = 0; others <= 4; others++) { /* none, depths alone, ... */
            shown *s = &all[others];
            memset(s, 0, sizeof *s);
            s->step = others == 4 ? 8 : MRW_SHADOW_SPAN_ROWS;
            w.job.visit_user = s;
            w.job.targets = targets;
            w.job.target_count = others;
            w.job.threads = others == 0 ? 3 : 1;
            ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, NULL), MRW_OK);
            for (size_t y = 0; y < HIGH; y++) {
                REQUIRE(s->rows[y] == 1);
            }
        }
        all[4].step = all[3].step;
        for (int i = 0; i < 5; i++) {
            REQUIRE(memcmp(&all[i], &all[3], sizeof all[3]) == 0);
        }
        for (size_t p = 0; p < WIDE * HIGH; p++) {
            REQUIRE(all[3].draws[p] == (ids[p] == 0 ? 0 : ids[p] - 99));
            REQUIRE(all[3].triangles[p] == triangles[p] + 1);
            seen += ids[p] != 0;
        }
        ck_assert_int_gt(seen, 500);
    }
    mrw_raster_free(raster);
}
END_TEST

/* A target that is told where it is not clear is the same as one that is cleared, from frame to
 * frame; what lies outside is left alone. */
START_TEST(spans_of_targets_spare_clearing)
{
    static world w;
    mrw_raster *raster = create();
    make_world(&w, 4);
    for (int spec = 2; spec < SPECS; spec++) {
        static sheet kept;
        mrw_shadow_span spans[(HIGH + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS];
        mrw_shadow_span *const list[1] = {spans};
        const mrw_target to_kept = sheet_target(spec, 0, &kept);
        for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
            spans[i] = (mrw_shadow_span){0, WIDE};
        }
        for (int frame = 0; frame < 3; frame++) {
            const mrw_target target = sheet_target(spec, 0, &alone);
            w.job.view.world_to_clip = look(0.5, 0.4, 0.7 - 0.3 * frame, 0.9, 50.0);
            w.job.targets = &to_kept;
            w.job.target_count = 1;
            w.job.target_spans = list;
            ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, NULL), MRW_OK);
            w.job.targets = &target;
            w.job.target_spans = NULL;
            ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, NULL), MRW_OK);
            check_sheet(spec, &alone, &kept);
        }
        ck_assert(spans[1].x0 > 0 && spans[1].x1 < WIDE);
    }
    mrw_raster_free(raster);
}
END_TEST

/* Without draws, too, every value is written. */
#define SHARDS 60

/* Triangles across one another, some of which end far from the right edge, or all. */
static void throw_shards(world *w, float right, float positions[3 * SHARDS][4],
                         uint32_t indices[3 * SHARDS])
{
    make_world(w, 1);
    for (uint32_t v = 0; v < 3 * SHARDS; v++) {
        positions[v][0] = random_float(-1.2f, right);
        positions[v][1] = random_float(-1.2f, 1.2f);
        positions[v][2] = random_float(0.0f, 1.0f);
        positions[v][3] = 1.0f;
        indices[v] = v;
    }
    w->materials[0] = double_sided;
    w->draws[0] = (mrw_raster_draw){.vertex_count = 3 * SHARDS,
                                    .triangle_count = SHARDS,
                                    .indices = indices,
                                    .positions = positions[0],
                                    .id = 7,
                                    .material = &w->materials[0]};
    w->job.draw_count = 1;
    w->job.view.world_to_clip = (mrw_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

/* Depths alone are found without ids, in their own rows where nothing comes near the right edge: by
 * every kernel as those beside ids. */
START_TEST(depths_alone_need_no_ids)
{
    static const float rights[] = {0.3f, 0.66f, 0.7f, 1.2f};
    static world w;
    static sheet ids;
    static float positions[3 * SHARDS][4];
    static uint32_t indices[3 * SHARDS];
    mrw_raster *raster = create();
    for (int i = 0; i < 4; i++) {
        throw_shards(&w, rights[i], positions, indices);
        const mrw_target both[] = {sheet_target(2, 0, &beside[2]), sheet_target(4, 0, &ids)};
        w.job.targets = both;
        w.job.target_count = 2;
        ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, NULL), MRW_OK);
        for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
            if (!mrw_isa_available((mrw_isa)isa) && isa != MRW_ISA_AUTO) {
                continue;
            }
            const mrw_target target = sheet_target(2, 3 * (uint32_t)(isa % 2), &alone);
            w.job.targets = &target;
            w.job.target_count = 1;
            w.job.isa = (mrw_isa)isa;
            w.job.threads = 1 + i % 3;
            ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, NULL), MRW_OK);
            check_sheet(2, &beside[2], &alone);
        }
    }
    mrw_raster_free(raster);
}
END_TEST

#define SPANS 3 /* of HIGH rows */

/* Spans a target comes with: 0 in them, which nothing is nearer than. */
static const mrw_shadow_span given[SPANS] = {{10, 61}, {5, 5}, {90, WIDE}};

static mrw_target spanned_target(float beside_spans, mrw_shadow_span spans[SPANS])
{
    const mrw_target target = sheet_target(2, 0, &alone);
    for (int32_t y = 0; y < HIGH; y++) {
        for (int32_t x = 0; x < WIDE; x++) {
            const mrw_shadow_span *span = &given[y / MRW_SHADOW_SPAN_ROWS];
            const float z = x >= span->x0 && x < span->x1 ? 0.0f : beside_spans;
            memcpy(alone.bytes + (size_t)y * alone.stride + (size_t)x * sizeof z, &z, sizeof z);
        }
    }
    memcpy(spans, given, sizeof given);
    return target;
}

static float depth_at(const sheet *s, int32_t x, int32_t y)
{
    float z;
    memcpy(&z, s->bytes + (size_t)y * s->stride + (size_t)x * sizeof z, sizeof z);
    return z;
}

static void check_spans(const mrw_shadow_span spans[SPANS], const sheet *s)
{
    for (int32_t y = 0; y < HIGH; y++) {
        for (int32_t x = 0; x < WIDE; x++) {
            const mrw_shadow_span *span = &spans[y / MRW_SHADOW_SPAN_ROWS];
            REQUIRE((x >= span->x0 && x < span->x1) || depth_at(s, x, y) == 1.0f);
        }
    }
}

/* What spans leave out holds 1, and need not be cleared for the picture to be whole; afterwards
 * they say so for the next one. */
START_TEST(depths_are_cleared_in_their_spans)
{
    static const float rights[] = {0.3f, 1.2f};
    static world w;
    static float positions[3 * SHARDS][4];
    static uint32_t indices[3 * SHARDS];
    mrw_shadow_span spans[SPANS];
    mrw_raster *raster = create();
    for (int i = 0; i < 4; i++) {
        throw_shards(&w, rights[i % 2], positions, indices);
        const mrw_target whole = sheet_target(2, 0, &beside[2]);
        w.job.targets = &whole;
        w.job.target_count = 1;
        ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, NULL), MRW_OK);
        const mrw_target target = spanned_target(1.0f, spans);
        w.job.targets = &target;
        w.job.depth_spans = spans;
        w.job.threads = 1 + i;
        ck_assert_int_eq(mrwi_raster_draw(raster, &w.job, mrwi_shade_kernels_for(MRW_ISA_SCALAR),
                                          i < 2 ? 0 : 7, NULL),
                         MRW_OK);
        check_sheet(2, &beside[2], &alone);
        check_spans(spans, &alone);
        w.job.draw_count = 0;
        ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, NULL), MRW_OK);
        for (int k = 0; k < SPANS; k++) {
            ck_assert_int_ge(spans[k].x0, spans[k].x1);
        }
        check_spans(spans, &alone);
    }
    mrw_raster_free(raster);
}
END_TEST

START_TEST(nothing_is_cleared_beside_spans)
{
    static world w;
    mrw_shadow_span spans[SPANS];
    mrw_raster *raster = create();
    make_world(&w, 1);
    const mrw_target target = spanned_target(0.5f, spans);
    w.job.targets = &target;
    w.job.target_count = 1;
    w.job.draw_count = 0;
    w.job.depth_spans = spans;
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &w.job, NULL), MRW_OK);
    for (int32_t y = 0; y < HIGH; y++) {
        for (int32_t x = 0; x < WIDE; x++) {
            const mrw_shadow_span *span = &given[y / MRW_SHADOW_SPAN_ROWS];
            REQUIRE(depth_at(&alone, x, y) == (x >= span->x0 && x < span->x1 ? 1.0f : 0.5f));
        }
    }
    mrw_raster_free(raster);
}
END_TEST

START_TEST(nothing_is_the_background)
{
    static const uint8_t far_f32[4] = {0, 0, 0x80, 0x3f}, ones[4] = {255, 255, 255, 255};
    static const uint8_t zeros[16], color[4] = {30, 60, 90, 128};
    static const uint8_t *const expected[SPECS] = {color, color, far_f32, ones,  zeros, ones,
                                                   zeros, NULL,  zeros,   zeros, zeros};
    static world w;
    mrw_raster *raster = create();
    make_world(&w, 4);
    w.job.draw_count = 0;
    draw_all(raster, &w);
    for (int spec = 0; spec < SPECS; spec++) {
        const size_t value = row_of(spec, 1);
        for (size_t i = 0; i < (size_t)WIDE * HIGH; i++) {
            const uint8_t *at = beside[spec].bytes + i * value;
            float linear[4];
            REQUIRE(spec == LINEAR || memcmp(at, expected[spec], value) == 0);
            memcpy(linear, beside[LINEAR].bytes + i * 16, sizeof linear);
            for (int k = 0; k < 4 && spec == LINEAR; k++) { /* raw, premultiplied */
                const double part = k < 3 ? color[k] / 255.0 * color[3] / 255.0 : color[3] / 255.0;
                REQUIRE(fabs((double)linear[k] - part) < 1e-6);
            }
        }
    }
    mrw_raster_free(raster);
}
END_TEST

/* ---- what is not asked for ------------------------------------------------------------------- */

static void no_shade(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float (*rgba)[4])
{
    (void)frame, (void)list, (void)rgba;
    ck_abort_msg("something is shaded");
}

static void no_alpha(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float *alpha)
{
    (void)frame, (void)list, (void)alpha;
    ck_abort_msg("alpha is looked up");
}

/* Of opaque draws only positions count; transparent ones are not looked at. */
START_TEST(without_colour_nothing_is_shaded)
{
    const mrwi_shade_kernels refusing = {.shade = no_shade, .alpha = no_alpha};
    static world w;
    mrw_raster *raster = create();
    make_world(&w, 4);
    draw_all(raster, &w);
    for (int with_mask = 0; with_mask < 2; with_mask++) {
        mrwi_shade_kernels kernels = refusing;
        if (with_mask) {
            kernels.alpha = mrwi_shade_kernels_for(MRW_ISA_SCALAR)->alpha;
        }
        for (int spec = 2; spec < 6; spec++) {
            const mrw_target target = sheet_target(spec, 0, &alone);
            w.job.targets = &target;
            w.job.target_count = 1;
            for (int i = 0; i < DRAWS; i++) {
                const bool blended = (i + 1) % 3 == MRWI_RASTER_BLEND;
                w.materials[i].alpha_mode =
                    with_mask || blended ? (uint32_t)(i + 1) % 3 : MRWI_RASTER_OPAQUE;
            }
            ck_assert_int_eq(mrwi_raster_draw(raster, &w.job, &kernels, 0, NULL), MRW_OK);
            if (with_mask) {
                check_sheet(spec, &beside[spec], &alone);
            }
        }
    }
    mrw_raster_free(raster);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

static uint64_t memory[512];

static bool fits(mrw_target target)
{
    const mrw_raster_job job = {
        .width = 10, .height = 4, .samples = 1, .targets = &target, .target_count = 1};
    return mrwi_raster_targets_fit(&job);
}

START_TEST(targets_that_do_not_fit_are_told)
{
    for (int spec = 0; spec < SPECS; spec++) {
        const size_t row = row_of(spec, 10);
        const size_t unit = specs[spec].channels * specs[spec].value;
        for (int format = 0; format < MRW_FORMAT_COUNT; format++) {
            mrw_target target = target_of(spec, memory, 64 * unit);
            target.format = (mrw_format)format;
            const bool depth = specs[spec].kind == MRW_TARGET_DEPTH &&
                               (format == MRW_FORMAT_F32 || format == MRW_FORMAT_U16);
            const bool color = specs[spec].kind == MRW_TARGET_COLOR &&
                               (format == MRW_FORMAT_U8 || format == MRW_FORMAT_U16);
            ck_assert_int_eq(fits(target), depth || color || target.format == specs[spec].format);
        }
        for (uint32_t channels = 0; channels <= 5; channels++) {
            mrw_target target = target_of(spec, memory, 60 * unit);
            target.channels = channels;
            ck_assert_int_eq(fits(target), specs[spec].kind == MRW_TARGET_COLOR
                                               ? channels == 3 || channels == 4
                                               : channels == specs[spec].channels);
        }
        ck_assert(fits(target_of(spec, memory, row)));
        ck_assert(fits(target_of(spec, memory, row + unit)));
        ck_assert(!fits(target_of(spec, memory, row - unit)));
        ck_assert(!fits(target_of(spec, memory, 0)));
        ck_assert(!fits(target_of(spec, NULL, row)));
        if (unit > 1) {
            ck_assert(!fits(target_of(spec, memory, row + 1)));
        }
        if (specs[spec].value > 1) {
            ck_assert(!fits(target_of(spec, (uint8_t *)memory + 1, row)));
        }
    }
    ck_assert(fits(target_of(1, memory, (size_t)4 * (INT32_MAX / 4))));
    ck_assert(!fits(target_of(1, memory, (size_t)4 * (INT32_MAX / 4 + 1))));
    mrw_target unknown = target_of(0, memory, 30);
    unknown.kind = MRW_TARGET_COUNT;
    ck_assert(!fits(unknown));
    const mrw_target twice[2] = {target_of(2, memory, 40), target_of(3, memory, 20)};
    const mrw_raster_job job = {.width = 10, .height = 4, .targets = twice, .target_count = 2};
    ck_assert(!mrwi_raster_targets_fit(&job));
    for (int spec = 0; spec < SPECS; spec++) {
        const mrw_target target = target_of(spec, memory, row_of(spec, 10));
        mrw_shadow_span span = {0, 10};
        const mrw_raster_job spanned = {
            .width = 10, .height = 4, .targets = &target, .target_count = 1, .depth_spans = &span};
        ck_assert_int_eq(mrwi_raster_targets_fit(&spanned), spec == 2);
    }
}
END_TEST

#ifndef NDEBUG
static void draw_too_narrow(void)
{
    const mrw_target target = target_of(2, memory, 36);
    const mrw_raster_job job = {.width = 10,
                                .height = 4,
                                .samples = 1,
                                .targets = &target,
                                .target_count = 1,
                                .threads = 1};
    mrw_raster_draw_frame(create(), &job, NULL);
}

START_TEST(a_stride_below_a_row_is_asserted)
{
    ck_assert(fails_an_assertion(draw_too_narrow));
}
END_TEST

static mrw_shading shading_of_job;
static int spec_of_job;

static void draw_exposed(void)
{
    const mrw_target target = target_of(spec_of_job, memory, row_of(spec_of_job, 10));
    const mrw_raster_job job = {.exposure = -1.0f,
                                .shading = shading_of_job,
                                .width = 10,
                                .height = 4,
                                .samples = 1,
                                .targets = &target,
                                .target_count = 1,
                                .threads = 1};
    mrw_raster_draw_frame(create(), &job, NULL);
}

/* Colours that are lit are exposed, and light is not negative. */
START_TEST(exposure_is_asserted_where_colours_are_exposed)
{
    for (spec_of_job = 1; spec_of_job < SPECS; spec_of_job++) {
        for (int shading = MRW_SHADING_LIT; shading < MRW_SHADING_COUNT; shading++) {
            shading_of_job = (mrw_shading)shading;
            ck_assert_int_eq(fails_an_assertion(draw_exposed),
                             (spec_of_job == 1 || spec_of_job == LINEAR || spec_of_job == ALPHA) &&
                                 mrw_shading_info_of(shading_of_job)->exposed);
        }
    }
}
END_TEST
#endif

static Suite *suite(void)
{
    Suite *s = suite_create("targets");
    TCase *tc = tcase_create("targets");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, depths_are_those_of_the_plane);
    tcase_add_test(tc, depths_are_those_of_the_projection);
    tcase_add_test(tc, a_target_alone_is_the_same);
    tcase_add_test(tc, every_kernel_fills_it_alike);
    tcase_add_test(tc, a_visitor_sees_what_targets_hold);
    tcase_add_test(tc, spans_of_targets_spare_clearing);
    tcase_add_test(tc, depths_alone_need_no_ids);
    tcase_add_test(tc, depths_are_cleared_in_their_spans);
    tcase_add_test(tc, nothing_is_cleared_beside_spans);
    tcase_add_test(tc, nothing_is_the_background);
    tcase_add_test(tc, without_colour_nothing_is_shaded);
    tcase_add_test(tc, targets_that_do_not_fit_are_told);
#ifndef NDEBUG
    tcase_add_test(tc, a_stride_below_a_row_is_asserted);
    tcase_add_test(tc, exposure_is_asserted_where_colours_are_exposed);
#endif
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
