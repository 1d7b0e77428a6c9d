/* test_streams.c: what vertices carry beside position, uv and normal, on its way to the fragments:
 * moved, cut at the planes of the frustum, interpolated.
 *
 * What a fragment should see is computed in double from the draw's own triangle: the ray through
 * the pixel meets its plane where the homogeneous corners say, whatever was cut off. Colours are
 * seen through the kernels of all instruction sets; tangents, positions and further texture
 * coordinates in what the attribute stage of four lanes leaves. All take the same way.
 */
#include "raster_fixture.h"

#define MRWI_BASE_LANES    4
#define MRWI_SHADE_KERNELS four_lanes
#define covers             covers_lanes /* the fixture has one of its own */
#include "shade/shade_kernel.h"
#undef covers

#define TRIANGLES 40 /* each a draw */
#define VERTICES  (3 * TRIANGLES)
#define VALUES    (4 * (MRWI_SHADE_UVS + 1)) /* of each stream, two further coordinates the last */

typedef struct patch {
    float positions[VERTICES][4], normals[VERTICES][4];
    float colors[VERTICES][4], tangents[VERTICES][4], uvs[2][VERTICES][2];
    mrw_raster_texture *white;
    mrw_raster_material plain, mapped; /* by further texture coordinates */
    mrw_raster_draw draws[TRIANGLES];
    mrw_raster_job job;
    mrw_target target;
    mrwi_raster_geometry geometry;
    mrwi_shade_frame frame;
    float x[MRWI_SHADE_LIST_ROOM], y[MRWI_SHADE_LIST_ROOM];
    uint32_t triangle[MRWI_SHADE_LIST_ROOM];
} patch;

static patch the_patch;

/* ---- triangles ------------------------------------------------------------------------------- */

/* Triangles before the camera; of `cut` ones, a corner is behind it or far out to a side. */
static void make_vertices(patch *p, bool cut)
{
    for (int i = 0; i < VERTICES; i++) {
        const float z = -random_float(2.0f, 6.0f), far = cut && i % 6 == 0 ? 1500.0f : 1.0f;
        p->positions[i][0] = random_float(-0.9f, 0.9f) * -z * far;
        p->positions[i][1] = random_float(-0.9f, 0.9f) * -z;
        p->positions[i][2] = cut && i % 6 == 3 ? 1.5f : z;
        p->positions[i][3] = 1.0f;
        p->normals[i][2] = 1.0f;
        for (int c = 0; c < 4; c++) {
            p->colors[i][c] = random_float(0.0f, 1.0f);
            p->tangents[i][c] = random_float(-1.0f, 1.0f);
            p->uvs[c / 2][i][c % 2] = random_float(-1.0f, 2.0f);
        }
    }
}

/* Draws have all streams, some of them, or none. */
static void make_draws(patch *p)
{
    static const uint32_t indices[3] = {0, 1, 2};
    static const uint8_t white[4] = {255, 255, 255, 255};
    ck_assert_int_eq(mrw_raster_texture_create(white, 1, 1, MRW_ENCODING_COLOR, &p->white, NULL),
                     MRW_OK);
    p->plain = p->mapped = double_sided;
    p->plain.unlit = p->mapped.unlit = true;
    p->mapped.maps[0] = (mrw_raster_map){.texture = p->white, .uvs = 1};
    p->mapped.maps[MRW_RASTER_MAP_NORMAL] = (mrw_raster_map){.texture = p->white, .uvs = 2};
    for (int i = 0; i < TRIANGLES; i++) {
        const int v = 3 * i;
        p->draws[i] = (mrw_raster_draw){
            .vertex_count = 3,
            .triangle_count = 1,
            .indices = indices,
            .positions = p->positions[v],
            .normals = p->normals[v],
            .colors = i % 5 != 4 ? p->colors[v] : NULL,
            .tangents = i % 3 != 2 ? p->tangents[v] : NULL,
            .more_uvs = {{i % 4 != 1 ? p->uvs[0][v] : NULL, {1, 0, 0, 0, 1, 0}},
                         {i % 4 != 2 ? p->uvs[1][v] : NULL, {0.5f, -0.25f, 1, 2, 0.75f, -1}}},
            .material = i % 7 != 6 ? &p->mapped : &p->plain};
    }
}

static void make_patch(patch *p, bool cut)
{
    static uint8_t pixels[SIDE * SIDE * 4];
    static const mrw_light point = {.type = MRW_LIGHT_POINT};
    memset(p, 0, sizeof *p);
    random_state = cut ? 31 : 30;
    make_vertices(p, cut);
    make_draws(p);
    p->target = (mrw_target){MRW_TARGET_COLOR, MRW_FORMAT_U8, 4, pixels, 4 * SIDE};
    p->job = (mrw_raster_job){.draws = p->draws,
                              .draw_count = TRIANGLES,
                              .view.world_to_clip = look(0.2, 0.1, 1.0, 0.1, 100.0),
                              .lighting = {.lights = &point, .light_count = 1},
                              .width = SIDE,
                              .height = SIDE,
                              .targets = &p->target,
                              .target_count = 1,
                              .samples = 1,
                              .threads = 1};
    p->geometry.view.width = p->geometry.view.height = SIDE;
    p->geometry.view.pattern = mrwi_raster_samples(1);
    ck_assert(mrwi_raster_begin_vertices(&p->geometry, &p->job));
    ck_assert(mrwi_raster_collect_triangles(&p->geometry, &p->job));
    p->frame = (mrwi_shade_frame){.vertices = p->geometry.vertices.shade,
                                  .triangles = p->geometry.kept.triangles,
                                  .draws = p->draws};
    for (int k = 0; k < MRWI_SHADE_STREAM_COUNT; k++) {
        p->frame.streams[k] = (const float(*)[4])p->geometry.vertices.streams[k];
    }
    const bool made = p->geometry.vertices.count > VERTICES;
    ck_assert_int_eq(made, cut);
}

static void free_patch(patch *p)
{
    mrwi_raster_geometry *g = &p->geometry;
    mrw_raster_texture_free(p->white);
    p->white = NULL;
    mrwi_raster_buffer_free(&g->vertices.screen_buffer);
    mrwi_raster_buffer_free(&g->vertices.shade_buffer);
    mrwi_raster_buffer_free(&g->kept.triangle_buffer);
    mrwi_raster_buffer_free(&g->kept.box_buffer);
    mrwi_raster_buffer_free(&g->runs.buffer);
    for (int k = 0; k < MRWI_SHADE_STREAM_COUNT; k++) {
        mrwi_raster_buffer_free(&g->vertices.stream_buffers[k]);
    }
}

/* Pixels that a kept triangle covers, `a_row` at most of each row. */
/* The memory of all lists. */
_Alignas(64) static uint8_t shade_memory[MRWI_SHADE_MEMORY];

static mrwi_shade_list list_of(patch *p, uint32_t triangle, int32_t a_row, uint32_t most)
{
    const mrwi_shade_triangle *t = &p->geometry.kept.triangles[triangle];
    const mrwi_raster_box box = p->geometry.kept.boxes[triangle];
    int32_t place[3][2];
    for (int k = 0; k < 3; k++) {
        place[k][0] = p->geometry.vertices.screen[t->vertex[k]].x;
        place[k][1] = p->geometry.vertices.screen[t->vertex[k]].y;
    }
    uint32_t n = 0;
    for (int32_t y = box.y0; y < box.y1; y++) {
        int32_t in_row = 0;
        for (int32_t x = box.x0; x < box.x1 && in_row < a_row && n < most; x++) {
            if (covers((const int32_t(*)[2])place, x * 256 + 128, y * 256 + 128)) {
                p->x[n] = (float)x + 0.5f;
                p->y[n] = (float)y + 0.5f;
                n++;
                in_row++;
            }
        }
    }
    for (uint32_t i = 0; i < n + MRWI_SHADE_LIST_PAD; i++) {
        p->triangle[i] = triangle;
        p->x[i] = n > 0 && i >= n ? p->x[n - 1] : p->x[i];
        p->y[i] = n > 0 && i >= n ? p->y[n - 1] : p->y[i];
    }
    return (mrwi_shade_list){n, p->x, p->y, p->triangle, NULL, NULL, shade_memory};
}

/* ---- in double ------------------------------------------------------------------------------- */

static void corner_values(const patch *p, uint32_t draw, int k, double out[VALUES])
{
    const mrw_raster_draw *d = &p->draws[draw];
    memset(out, 0, VALUES * sizeof *out);
    for (int c = 0; c < 4; c++) {
        out[4 * MRWI_SHADE_COLOR + c] = d->colors ? d->colors[4 * k + c] : 0;
        out[4 * MRWI_SHADE_TANGENT + c] = d->tangents ? d->tangents[4 * k + c] : 0;
        out[4 * MRWI_SHADE_POSITION + c] = d->positions[4 * k + c];
    }
    for (int set = 0; set < 2; set++) {
        const float *m = d->more_uvs[set].transform, *uv = d->more_uvs[set].uvs;
        for (int c = 0; c < 2 && uv; c++) {
            out[4 * MRWI_SHADE_UVS + 2 * set + c] =
                (double)m[3 * c] * uv[2 * k] + (double)m[3 * c + 1] * uv[2 * k + 1] + m[3 * c + 2];
        }
    }
}

/* x w, y w, w of a corner in pixels. */
static void corner_place(const patch *p, uint32_t draw, int k, double out[3])
{
    double clip[4];
    for (int r = 0; r < 4; r++) {
        clip[r] = 0;
        for (int c = 0; c < 4; c++) {
            clip[r] += (double)p->job.view.world_to_clip.m[4 * c + r] *
                       p->draws[draw].positions[4 * k + c];
        }
    }
    out[0] = (clip[3] + clip[0]) * SIDE / 2;
    out[1] = (clip[3] - clip[1]) * SIDE / 2;
    out[2] = clip[3];
}

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* What all streams are at (x, y). */
static void expect(const patch *p, uint32_t draw, double x, double y, double out[VALUES])
{
    const double at[3] = {x, y, 1};
    double place[3][3], value[3][VALUES];
    for (int k = 0; k < 3; k++) {
        corner_place(p, draw, k, place[k]);
        corner_values(p, draw, k, value[k]);
    }
    const double share[3] = {determinant(at, place[1], place[2]),
                             determinant(place[0], at, place[2]),
                             determinant(place[0], place[1], at)};
    const double sum = share[0] + share[1] + share[2];
    for (int i = 0; i < VALUES; i++) {
        out[i] = (share[0] * value[0][i] + share[1] * value[1][i] + share[2] * value[2][i]) / sum;
    }
}

/* Snapping moves corners by up to 1/512 pixel, and so what stands at a point. */
static void check_value(const patch *p, uint32_t draw, double x, double y, int i, double got)
{
    double here[VALUES], there[VALUES], slack = 0;
    expect(p, draw, x, y, here);
    for (int k = 0; k < 4; k++) {
        expect(p, draw, x + (k % 2 ? 1 : -1) / 512.0, y + (k / 2 ? 1 : -1) / 512.0, there);
        slack = fmax(slack, fabs(there[i] - here[i]));
    }
    ck_assert_msg(fabs(got - here[i]) <= 1.5 * slack + 2e-5,
                  "draw %u, value %d at %g %g: %g, not %g", draw, i, x, y, got, here[i]);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* By the kernels of an instruction set: colours as they are, unlit. */
static void check_colors(patch *p, mrw_isa isa, uint32_t triangle)
{
    static float rgba[MRWI_SHADE_LIST_ROOM][4] __attribute__((aligned(64)));
    static float alpha[MRWI_SHADE_LIST_ROOM];
    const uint32_t draw = p->geometry.kept.triangles[triangle].draw_flags >> 1;
    const mrwi_shade_kernels *kernels = mrwi_shade_kernels_for(isa);
    for (int way = 0; way < 2 && p->draws[draw].colors; way++) {
        const mrwi_shade_list list = list_of(p, triangle, way == 0 ? SIDE : 1, 300);
        kernels->shade(&p->frame, &list, rgba);
        kernels->alpha(&p->frame, &list, alpha);
        for (uint32_t i = 0; i < list.count; i += 1 + i / 20) {
            for (int c = 0; c < 3; c++) {
                check_value(p, draw, p->x[i], p->y[i], c, rgba[i][c]);
            }
            check_value(p, draw, p->x[i], p->y[i], 3, alpha[i]);
        }
    }
}

START_TEST(colors_reach_all_kernels)
{
    patch *p = &the_patch;
    make_patch(p, _i == 1);
    for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        for (uint32_t t = 0; t < p->geometry.kept.count && mrw_isa_available(isa); t++) {
            check_colors(p, isa, t);
        }
    }
    free_patch(p);
}
END_TEST

/* Returns the number of values compared. */
static uint32_t check_stage(patch *p, uint32_t triangle, bool runs)
{
    static block b;
    static value_table values;
    b.values = &values;
    const uint32_t draw = p->geometry.kept.triangles[triangle].draw_flags >> 1;
    const mrwi_shade_list list = list_of(p, triangle, runs ? SIDE : 1, BLOCK);
    const mrw_raster_material *material = p->draws[draw].material;
    const bool mapped = material == &p->mapped;
    const draw_state state = {
        .material = material,
        .placements = {{&material->maps[0], 1}, {&material->maps[MRW_RASTER_MAP_NORMAL], 2}},
        .placement_count = mapped ? 2 : 0,
        .streams = mrwi_shade_streams_of(&p->draws[draw]) & ((1u << MRWI_SHADE_UVS) - 1)};
    const group g = block_of_list(&list, 0);
    const work w = {&p->frame, &state, &g, NULL};
    if (list.count == 0) {
        return 0;
    }
    uint32_t compared = 0;
    find_runs(&g, &b.runs);
    attributes(&w, &b);
    for (uint32_t i = 0; i < list.count; i += 1 + i / 20) {
        for (uint32_t k = 0; k < 4 * MRWI_SHADE_UVS; k++) {
            if (state.streams >> k / 4 & 1u) {
                check_value(p, draw, p->x[i], p->y[i], (int)k, b.points.stream[k / 4][k % 4][i]);
                compared++;
            }
        }
        for (uint32_t k = 0; k < 4 && mapped; k++) {
            const uv_list *uvs = &b.points.uvs[k / 2];
            check_value(p, draw, p->x[i], p->y[i], (int)(4 * MRWI_SHADE_UVS + k),
                        k % 2 ? uvs->v[i] : uvs->u[i]);
            compared++;
        }
    }
    return compared;
}

START_TEST(all_streams_reach_the_stage)
{
    patch *p = &the_patch;
    uint32_t compared = 0;
    make_patch(p, _i == 1);
    for (uint32_t t = 0; t < p->geometry.kept.count; t++) {
        compared += check_stage(p, t, false) + check_stage(p, t, true);
    }
    ck_assert_uint_gt(compared, 5000);
    free_patch(p);
}
END_TEST

/* Nobody has colours, no map takes the tangents and further coordinates that are there, no light
 * stands anywhere: no memory is taken for them. */
START_TEST(what_is_not_there_costs_nothing)
{
    patch *p = &the_patch;
    make_patch(p, true);
    free_patch(p);
    memset(&p->geometry.vertices, 0, sizeof p->geometry.vertices);
    for (int i = 0; i < TRIANGLES; i++) {
        p->draws[i].colors = NULL;
        p->draws[i].material = &p->plain;
    }
    p->job.lighting.light_count = 0;
    memset(&p->geometry.kept, 0, sizeof p->geometry.kept);
    memset(&p->geometry.runs, 0, sizeof p->geometry.runs);
    ck_assert(mrwi_raster_begin_vertices(&p->geometry, &p->job));
    ck_assert(mrwi_raster_collect_triangles(&p->geometry, &p->job));
    ck_assert_uint_gt(p->geometry.vertices.count, VERTICES);
    for (int k = 0; k < MRWI_SHADE_STREAM_COUNT; k++) {
        ck_assert_uint_eq(p->geometry.vertices.stream_buffers[k].size, 0);
    }
    free_patch(p);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("streams");
    TCase *tc = tcase_create("streams");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, colors_reach_all_kernels, 0, 2);
    tcase_add_loop_test(tc, all_streams_reach_the_stage, 0, 2);
    tcase_add_test(tc, what_is_not_there_costs_nothing);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
