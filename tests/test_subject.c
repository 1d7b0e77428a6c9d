/* test_subject.c: which pixels the rasterizer says were drawn, and which triangle is seen where:
 * against a slow evaluator of coverage, rays cast in double, and cards worked out by hand. */
#include "raster_fixture.h"

#define PIXELS         (SIDE * SIDE)
#define MAX_DRAWS      4
#define MAX_CORNERS    192
#define DRAWN_AT(x, y) (s.subject[(y)*SIDE + (x)] == 1)

/* Triangles without shared corners, all outputs of a frame. */
typedef struct scene {
    mrw_raster_draw draws[MAX_DRAWS];
    mrw_raster_material materials[MAX_DRAWS];
    float positions[MAX_DRAWS][MAX_CORNERS][4];
    float normals[MAX_CORNERS][4];
    float uvs[MAX_DRAWS][MAX_CORNERS][2];
    uint32_t indices[MAX_CORNERS];
    mrw_raster_job job;
    mrw_target targets[4]; /* the picture, coverage, ids, triangles */
    uint8_t pixels[PIXELS * 4 + 64];
    uint32_t ids[PIXELS], triangles[PIXELS];
    uint8_t subject[PIXELS];
} scene;

static void begin(scene *s, uint32_t samples)
{
    memset(s, 0, sizeof *s);
    memset(s->ids, 0xab, sizeof s->ids); /* what a frame leaves alone would show */
    memset(s->triangles, 0xab, sizeof s->triangles);
    memset(s->subject, 0xab, sizeof s->subject);
    for (uint32_t i = 0; i < MAX_CORNERS; i++) {
        s->normals[i][2] = 1.0f;
        s->indices[i] = i;
    }
    s->targets[0] = (mrw_target){MRW_TARGET_COLOR, MRW_FORMAT_U8, 3, s->pixels, SIDE * 3};
    s->targets[1] = (mrw_target){MRW_TARGET_COVERAGE, MRW_FORMAT_U8, 1, s->subject, SIDE};
    s->targets[2] = (mrw_target){MRW_TARGET_ID, MRW_FORMAT_U32, 1, s->ids, SIDE * 4};
    s->targets[3] = (mrw_target){MRW_TARGET_TRIANGLE, MRW_FORMAT_U32, 1, s->triangles, SIDE * 4};
    s->job = (mrw_raster_job){.draws = s->draws,
                              .view = {.world_to_clip = pixel_space(SIDE), .orthographic = true},
                              .shading = MRW_SHADING_RAW,
                              .filter = MRW_FILTER_NEAREST,
                              .exposure = 1.0f,
                              .samples = samples,
                              .width = SIDE,
                              .height = SIDE,
                              .targets = s->targets,
                              .target_count = 4,
                              .isa = MRW_ISA_AUTO,
                              .threads = 1};
}

static mrw_raster_draw *add_draw(scene *s, mrwi_raster_layer layer, float alpha)
{
    uint32_t n = s->job.draw_count++;
    REQUIRE(n < MAX_DRAWS);
    s->materials[n] = double_sided;
    s->materials[n].base_color[3] = alpha;
    s->materials[n].alpha_mode = (uint32_t)layer;
    s->materials[n].alpha_cutoff = 0.5f;
    s->materials[n].maps[0].nearest = true;
    s->draws[n] = (mrw_raster_draw){.indices = s->indices,
                                    .positions = s->positions[n][0],
                                    .normals = s->normals[0],
                                    .uvs = s->uvs[n][0],
                                    .id = 10 * (n + 1),
                                    .material = &s->materials[n]};
    return &s->draws[n];
}

static void add_triangle(scene *s, const float corners[3][3])
{
    uint32_t n = s->job.draw_count - 1;
    mrw_raster_draw *draw = &s->draws[n];
    REQUIRE(draw->vertex_count + 3 <= MAX_CORNERS);
    for (int i = 0; i < 3; i++) {
        float *p = s->positions[n][draw->vertex_count++];
        memcpy(p, corners[i], 3 * sizeof(float));
        p[3] = 1.0f;
    }
    draw->triangle_count++;
}

/* A rectangle in pixels, u from 0 to 1 across it. */
static void add_card(scene *s, float x0, float y0, float x1, float y1, float z)
{
    uint32_t n = s->job.draw_count - 1, first = s->draws[n].vertex_count;
    const float corners[2][3][3] = {{{x0, y0, z}, {x0, y1, z}, {x1, y1, z}},
                                    {{x0, y0, z}, {x1, y1, z}, {x1, y0, z}}};
    add_triangle(s, corners[0]);
    add_triangle(s, corners[1]);
    for (uint32_t i = first; i < first + 6; i++) {
        s->uvs[n][i][0] = s->positions[n][i][0] == x1 ? 1.0f : 0.0f;
        s->uvs[n][i][1] = 0.5f;
    }
}

static void draw(scene *s)
{
    mrw_raster *raster;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &s->job, NULL), MRW_OK);
    mrw_raster_free(raster);
}

/* ---- coverage -------------------------------------------------------------------------------- */

static int pattern_of(uint32_t samples)
{
    return samples == 1 ? 0 : samples == 2 ? 1 : samples == 4 ? 2 : 3;
}

static bool any_sample(const int32_t corners[3][2], uint32_t samples, int x, int y)
{
    for (uint32_t i = 0; i < samples; i++) {
        const int8_t *at = standard[pattern_of(samples)][i];
        if (covers(corners, x * 256 + 128 + 16 * at[0], y * 256 + 128 + 16 * at[1])) {
            return true;
        }
    }
    return false;
}

/* Random opaque and transparent triangles, corners on the sub-pixel grid. */
START_TEST(a_pixel_is_drawn_when_a_sample_is)
{
    enum { TRIANGLES = 4 };
    static scene s;
    random_state = 5;
    for (int round = 0; round < 64; round++) {
        uint32_t samples = 1u << (round % 4), partly = 0;
        int32_t snapped[TRIANGLES][3][2];
        begin(&s, samples);
        s.job.target_count = 2; /* the subject needs no ids */
        for (int t = 0; t < TRIANGLES; t++) {
            float corners[3][3];
            int32_t reach = round < 32 ? 512 : 64; /* some are slivers */
            int32_t x = random_between(-8 * 256, 72 * 256), y = random_between(0, 64 * 256);
            for (int i = 0; i < 3; i++) {
                snapped[t][i][0] = x + random_between(-reach, reach) * 8;
                snapped[t][i][1] = y + random_between(-reach, reach) * 8;
                corners[i][0] = (float)snapped[t][i][0] / 256.0f;
                corners[i][1] = (float)snapped[t][i][1] / 256.0f;
                corners[i][2] = random_float(0.1f, 0.9f);
            }
            add_draw(&s, t % 2 == 0 ? MRWI_RASTER_OPAQUE : MRWI_RASTER_BLEND, 0.5f);
            add_triangle(&s, corners);
        }
        draw(&s);
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                bool drawn = false, centre = false;
                for (int t = 0; t < TRIANGLES; t++) {
                    drawn |= any_sample(snapped[t], samples, x, y);
                    centre |= any_sample(snapped[t], 1, x, y);
                }
                partly += drawn && !centre;
                REQUIRE(s.subject[y * SIDE + x] == (drawn ? 1 : 0));
            }
        }
        if (samples > 1 && round < 32) {
            ck_assert_uint_gt(partly, 0);
        }
    }
}
END_TEST

/* Strips at the left of a pixel. 5/16 wide: left of the centre; of two samples one lies in it (at
 * 4/16), of four one (2/16). 3/32 wide: of eight samples one (1/16). */
START_TEST(slivers_are_drawn_where_samples_lie)
{
    static scene s;
    static const struct {
        uint32_t samples;
        float width;
        mrwi_raster_layer layer;
        bool drawn;
    } cases[] = {
        {1, 0.3125f, MRWI_RASTER_OPAQUE, false}, {4, 0.3125f, MRWI_RASTER_OPAQUE, true},
        {4, 0.3125f, MRWI_RASTER_MASK, true},    {4, 0.3125f, MRWI_RASTER_BLEND, true},
        {1, 0.3125f, MRWI_RASTER_BLEND, false},  {4, 0.09375f, MRWI_RASTER_OPAQUE, false},
        {8, 0.09375f, MRWI_RASTER_OPAQUE, true}, {8, 0.09375f, MRWI_RASTER_BLEND, true},
        {2, 0.3125f, MRWI_RASTER_OPAQUE, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(&s, cases[i].samples);
        add_draw(&s, cases[i].layer, 0.75f);
        add_card(&s, 10.0f, 20.0f, 10.0f + cases[i].width, 21.0f, 0.5f);
        draw(&s);
        ck_assert_msg(DRAWN_AT(10, 20) == cases[i].drawn, "case %d", (int)i);
        for (int p = 0; p < PIXELS; p++) {
            REQUIRE(s.subject[p] == (cases[i].drawn && p == 20 * SIDE + 10 ? 1 : 0));
        }
        if (cases[i].samples == 4) {
            ck_assert_uint_eq(s.ids[20 * SIDE + 10], 0); /* the first sample is not met */
            ck_assert_uint_eq(s.triangles[20 * SIDE + 10], MRW_NONE);
        }
    }
}
END_TEST

/* ---- alpha ----------------------------------------------------------------------------------- */

/* Eight texels on eight pixels. Opaque materials don't look at alpha; a mask has holes below its
 * cutoff; of a transparent one what is clear altogether is not there. */
START_TEST(holes_and_clear_texels_are_not_drawn)
{
    static scene s;
    static const uint8_t alpha[8] = {0, 1, 255, 127, 128, 0, 0, 3};
    static const bool expected[3][8] = {{true, true, true, true, true, true, true, true},
                                        {false, false, true, false, true, false, false, false},
                                        {false, true, true, true, true, false, false, true}};
    uint8_t texels[32];
    mrw_raster_texture *texture;
    for (int i = 0; i < 8; i++) {
        memcpy(texels + 4 * i, (uint8_t[4]){200, 100, 50, alpha[i]}, 4);
    }
    ck_assert_int_eq(mrw_raster_texture_create(texels, 8, 1, MRW_ENCODING_RAW, &texture, NULL),
                     MRW_OK);
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        for (int layer = 0; layer < MRWI_RASTER_LAYERS; layer++) {
            begin(&s, samples);
            add_draw(&s, (mrwi_raster_layer)layer, 1.0f);
            s.materials[0].maps[0].texture = texture;
            add_card(&s, 16, 30, 24, 33, 0.5f);
            draw(&s);
            for (int y = 0; y < SIDE; y++) {
                for (int x = 0; x < SIDE; x++) {
                    bool inside = x >= 16 && x < 24 && y >= 30 && y < 33;
                    bool drawn = inside && expected[layer][x - 16];
                    ck_assert_msg(s.subject[y * SIDE + x] == (drawn ? 1 : 0),
                                  "%u samples, layer %d, pixel %d %d", samples, layer, x, y);
                    /* transparent draws have no id */
                    REQUIRE(s.ids[y * SIDE + x] == (drawn && layer != MRWI_RASTER_BLEND ? 10 : 0));
                }
            }
        }
    }
    mrw_raster_texture_free(texture);
}
END_TEST

/* What is seen through a mask's holes or beside an opaque card, in front or behind, is drawn. */
START_TEST(layers_add_up)
{
    static scene s;
    for (int behind = 0; behind < 2; behind++) {
        begin(&s, 4);
        add_draw(&s, MRWI_RASTER_OPAQUE, 1.0f);
        add_card(&s, 8, 8, 16, 16, 0.5f);
        add_draw(&s, MRWI_RASTER_MASK, 0.25f); /* all hole */
        add_card(&s, 8, 24, 16, 32, 0.4f);
        add_draw(&s, MRWI_RASTER_BLEND, 0.25f);
        add_card(&s, 12, 8, 20, 32, behind ? 0.8f : 0.2f);
        add_draw(&s, MRWI_RASTER_BLEND, 0.0f);
        add_card(&s, 0, 0, 64, 64, 0.1f);
        draw(&s);
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                bool opaque = x >= 8 && x < 16 && y >= 8 && y < 16;
                bool blended = x >= 12 && x < 20 && y >= 8 && y < 32;
                REQUIRE(s.subject[y * SIDE + x] == (opaque || blended ? 1 : 0));
                REQUIRE(s.ids[y * SIDE + x] == (opaque ? 10 : 0));
                REQUIRE((s.triangles[y * SIDE + x] < 2) == opaque);
            }
        }
    }
}
END_TEST

/* ---- triangles ------------------------------------------------------------------------------- */

#define NEAR  0.5
#define FAR   50.0
#define FOCAL 1.0

/* Depth along -Z where the ray through a pixel's centre meets a triangle, 0 when it does not;
 * *clear: not within a hair of an edge or of the near plane. */
static double cast(const float (*p)[4], double dx, double dy, bool *clear)
{
    const double d[3] = {dx, dy, -1.0};
    double e1[3], e2[3], n[3], q[3];
    for (int i = 0; i < 3; i++) {
        e1[i] = (double)p[1][i] - (double)p[0][i];
        e2[i] = (double)p[2][i] - (double)p[0][i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = e1[j] * e2[k] - e1[k] * e2[j];
        /* (eye - corner 0) x d (Moller and Trumbore 1997) */
        q[i] = -(double)p[0][j] * d[k] + (double)p[0][k] * d[j];
    }
    double det = -(d[0] * n[0] + d[1] * n[1] + d[2] * n[2]);
    double t = -(p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2]) / det;
    double u = (e2[0] * q[0] + e2[1] * q[1] + e2[2] * q[2]) / det;
    double v = -(e1[0] * q[0] + e1[1] * q[1] + e1[2] * q[2]) / det;
    double least = u < v ? u : v;
    least = least < 1 - u - v ? least : 1 - u - v;
    if (fabs(det) < 1e-9) {
        *clear = false;
        return 0.0;
    }
    *clear &= fabs(least) > 0.02 && fabs(t - NEAR) > 0.02;
    return least >= 0 && t > NEAR && t < FAR ? t : 0.0;
}

static bool crosses_near(const float (*p)[4])
{
    int behind = 0;
    for (int i = 0; i < 3; i++) {
        behind += -(double)p[i][2] < NEAR;
    }
    return behind > 0 && behind < 3;
}

/* Random triangles around the eye: those that the near plane cuts keep their numbers. */
START_TEST(triangles_keep_their_numbers_through_clipping)
{
    static scene s;
    uint32_t checked = 0, cut = 0;
    random_state = 77;
    for (int round = 0; round < 20; round++) {
        begin(&s, 1);
        s.job.view.orthographic = false;
        s.job.view.world_to_clip = look(0.0, 0.0, FOCAL, NEAR, FAR);
        for (int t = 0; t < 12; t++) {
            float corners[3][3];
            if (t % 6 == 0) {
                add_draw(&s, MRWI_RASTER_OPAQUE, 1.0f);
            }
            for (int i = 0; i < 3; i++) {
                corners[i][0] = random_float(-4, 4);
                corners[i][1] = random_float(-4, 4);
                corners[i][2] = random_float(-9, 2);
            }
            add_triangle(&s, corners);
        }
        draw(&s);
        for (int p = 0; p < PIXELS; p++) {
            double dx = (2 * (p % SIDE + 0.5) / SIDE - 1) / FOCAL;
            double dy = (1 - 2 * (p / SIDE + 0.5) / SIDE) / FOCAL;
            double nearest = INFINITY, second = INFINITY;
            uint32_t id = 0, triangle = MRW_NONE;
            bool clear = true, is_cut = false;
            for (uint32_t d = 0; d < 2; d++) {
                for (uint32_t t = 0; t < 6; t++) {
                    const float(*corners)[4] = (const float(*)[4])s.positions[d] + 3 * t;
                    double depth = cast(corners, dx, dy, &clear);
                    if (depth > 0 && depth < nearest) {
                        second = nearest;
                        nearest = depth;
                        id = 10 * (d + 1);
                        triangle = t;
                        is_cut = crosses_near(corners);
                    } else if (depth > 0 && depth < second) {
                        second = depth;
                    }
                }
            }
            if (clear && !(second - nearest < 0.05)) {
                ck_assert_msg(s.ids[p] == id && s.triangles[p] == triangle,
                              "round %d, pixel %d %d: %u of %u, not %u of %u", round, p % SIDE,
                              p / SIDE, s.triangles[p], s.ids[p], triangle, id);
                REQUIRE(s.subject[p] == (id != 0 ? 1 : 0));
                checked++;
                cut += is_cut;
            }
        }
    }
    ck_assert_uint_gt(checked, 20000);
    ck_assert_uint_gt(cut, 5000);
}
END_TEST

/* Frames with and without numbers one after the other, with one work memory. */
START_TEST(outputs_can_come_and_go)
{
    static scene s;
    mrw_raster *raster;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    for (int round = 0; round < 8; round++) {
        begin(&s, 4);
        add_draw(&s, MRWI_RASTER_OPAQUE, 1.0f);
        for (int i = 0; i <= round * 3; i++) {
            add_card(&s, 2, (float)(2 * i), 10, (float)(2 * i + 1), 0.5f);
        }
        mrw_target wanted[4] = {s.targets[0]};
        uint32_t n = 1;
        for (int k = 1; k < 4; k++) {
            if ((round >> (k - 1) & 1) != 0) {
                wanted[n++] = s.targets[k];
            }
        }
        s.job.targets = wanted;
        s.job.target_count = n;
        ck_assert_int_eq(mrw_raster_draw_frame(raster, &s.job, NULL), MRW_OK);
        for (int i = 0; i <= round * 3; i++) {
            int p = 2 * i * SIDE + 9;
            REQUIRE(s.subject[p] == (round & 1 ? 1 : 0xab));
            REQUIRE(s.ids[p] == (round & 2 ? 10 : 0xabababab));
            REQUIRE(s.triangles[p] == (round & 4 ? 2 * (uint32_t)i + 1 : 0xabababab));
        }
    }
    mrw_raster_free(raster);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("subject");
    TCase *tc = tcase_create("subject");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_pixel_is_drawn_when_a_sample_is);
    tcase_add_test(tc, slivers_are_drawn_where_samples_lie);
    tcase_add_test(tc, holes_and_clear_texels_are_not_drawn);
    tcase_add_test(tc, layers_add_up);
    tcase_add_test(tc, triangles_keep_their_numbers_through_clipping);
    tcase_add_test(tc, outputs_can_come_and_go);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
