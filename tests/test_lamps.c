/* test_lamps.c: lights that reach nothing are left out, and no picture shows it: against the
 * specification, which is given all of them. */
#include "raster_fixture.h"

#include "marrow/image.h"

#define LAMPS 800
#define WIDTH 160u
#define TALL  144u

static mrw_light lamps[LAMPS];
static mrwi_shade_kernels with_all;
static uint64_t kept, lists; /* of the frames that `with_all` was given */

/* ---- the specification, without leaving out -------------------------------------------------- */

static mrwi_shade_frame frame_of_all(const mrwi_shade_frame *frame)
{
    mrwi_shade_frame all = *frame;
    all.lamps = NULL;
    all.placed_lights = mrwi_shade_has_placed_lights(&frame->lighting);
    kept += frame->lamps ? frame->lamps->count : frame->lighting.light_count;
    lists++;
    return all;
}

static void shade_with_all(const mrwi_shade_frame *frame, const mrwi_shade_list *list,
                           float (*rgba)[4])
{
    const mrwi_shade_frame all = frame_of_all(frame);
    mrwi_shade_kernels_for(MRW_ISA_SCALAR)->shade(&all, list, rgba);
}

static void shade_pixels_with_all(const mrwi_shade_frame *frame, const mrwi_shade_list *list,
                                  const uint32_t *where, uint32_t channels, uint8_t *pixels)
{
    const mrwi_shade_frame all = frame_of_all(frame);
    mrwi_shade_kernels_for(MRW_ISA_SCALAR)->shade_pixels(&all, list, where, channels, pixels);
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* Small ones everywhere around, some that have no range, and few that are directional. */
static void make_lamps(uint32_t count, float reach)
{
    for (uint32_t i = 0; i < count; i++) {
        mrw_light *l = &lamps[i];
        *l = (mrw_light){.type = i % 2 ? MRW_LIGHT_POINT : MRW_LIGHT_SPOT, .specular = 1.0f};
        l->range = reach * random_float(0.0f, 1.0f);
        if (i % 97 == 5) {
            l->range = 0.0f;
            l->type = i % 2 ? MRW_LIGHT_POINT : MRW_LIGHT_DIRECTIONAL;
        }
        for (int c = 0; c < 3; c++) {
            l->position[c] = random_float(-3.0f, 3.0f);
            l->color[c] = random_float(0.0f, 0.3f);
            l->to_light[c] = c == (int)(i % 3) ? 1.0f : 0.0f;
        }
        l->inner_cone = 0.2f;
        l->outer_cone = random_float(0.3f, 3.0f);
    }
}

/* Three faces of a cube around the camera, one of them see-through. */
static void make_room(grid faces[3], mrw_raster_material materials[3], mrw_raster_draw draws[3])
{
    for (int i = 0; i < 3; i++) {
        make_face(&faces[i], i, -1.0f, 2.0f - 0.5f * (float)i);
        materials[i] = double_sided;
        materials[i].surface = (mrw_surface)((i + 1) % 3);
        materials[i].roughness = materials[i].glossiness = 0.4f;
        materials[i].metallic = 0.5f * (float)i;
        materials[i].reflectance = 0.04f;
        materials[i].specular = 1.0f;
        materials[i].shininess = 20.0f;
        materials[i].clearcoat = i == 0 ? 0.5f : 0.0f;
        for (int c = 0; c < 3; c++) {
            materials[i].specular_color[c] = 1.0f;
        }
        draws[i] = faces[i].draw;
        draws[i].material = &materials[i];
    }
    materials[0].metallic = 0.0f;
    materials[1].alpha_mode = MRWI_RASTER_BLEND;
    materials[1].base_color[3] = 0.6f;
}

static void draw_room(mrw_raster *raster, mrw_raster_job *job, mrw_isa isa, mrw_image *out)
{
    const mrw_target target = mrw_target_of(MRW_TARGET_COLOR, out);
    job->targets = &target;
    job->target_count = 1;
    job->isa = isa;
    const bool all = isa == MRW_ISA_SCALAR;
    ck_assert_int_eq(
        mrwi_raster_draw(raster, job, all ? &with_all : mrwi_shade_kernels_for(isa), 0, NULL),
        MRW_OK);
}

static void compare_room(mrw_raster *raster, mrw_raster_job *job)
{
    mrw_image expected = {0}, actual = {0};
    ck_assert_int_eq(mrw_image_create(WIDTH, TALL, 3, &expected, NULL), MRW_OK);
    ck_assert_int_eq(mrw_image_create(WIDTH, TALL, 3, &actual, NULL), MRW_OK);
    draw_room(raster, job, MRW_ISA_SCALAR, &expected);
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (mrw_isa_available((mrw_isa)isa)) {
            if (isa == MRW_ISA_SCALAR) {
                const mrw_target target = mrw_target_of(MRW_TARGET_COLOR, &actual);
                job->targets = &target;
                job->isa = MRW_ISA_SCALAR;
                ck_assert_int_eq(mrw_raster_draw_frame(raster, job, NULL), MRW_OK);
            } else {
                draw_room(raster, job, (mrw_isa)isa, &actual);
            }
            ck_assert_msg(memcmp(actual.pixels, expected.pixels, (size_t)WIDTH * TALL * 3) == 0,
                          "%s draws another picture with %u lights", mrw_isa_name((mrw_isa)isa),
                          job->lighting.light_count);
        }
    }
    mrw_image_free(&expected);
    mrw_image_free(&actual);
}

static mrw_raster_job job_of(const mrw_raster_draw *draws, uint32_t draw_count, uint32_t lamp_count)
{
    return (mrw_raster_job){.draws = draws,
                            .draw_count = draw_count,
                            .view = {look(-0.8, 0.6, 1.2, 0.01, 20.0), {0, 0, 1}, false},
                            .lighting = {.lights = lamps, .light_count = lamp_count},
                            .shading = MRW_SHADING_LIT,
                            .exposure = 1.0f,
                            .samples = 1,
                            .background = {20, 30, 40, 255},
                            .width = WIDTH,
                            .height = TALL,
                            .threads = 2};
}

START_TEST(left_out_lights_are_not_missed)
{
    static grid faces[3];
    static const uint32_t counts[] = {1, 3, 40, 300, LAMPS};
    static const float reaches[] = {0.0f, 0.2f, 1.0f, 4.0f};
    static const mrw_shading modes[] = {MRW_SHADING_LIT, MRW_SHADING_LAMBERT, MRW_SHADING_PHONG,
                                        MRW_SHADING_TOON, MRW_SHADING_LIT};
    mrw_raster_material materials[3];
    mrw_raster_draw draws[3];
    mrw_raster *raster = NULL;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    with_all = *mrwi_shade_kernels_for(MRW_ISA_SCALAR);
    with_all.shade = shade_with_all;
    with_all.shade_pixels = shade_pixels_with_all;
    make_room(faces, materials, draws);
    for (int i = 0; i < (int)(sizeof counts / sizeof counts[0]); i++) {
        make_lamps(counts[i], reaches[_i]);
        mrw_raster_job job = job_of(draws, i % 2 ? 3 : 1, counts[i]);
        job.shading = modes[i];
        job.samples = i % 3 == 1 ? 4 : 1;
        kept = lists = 0;
        compare_room(raster, &job);
        ck_assert_uint_gt(lists, 0);
        if (counts[i] >= 300 && reaches[_i] > 0.0f && reaches[_i] < 1.0f) {
            ck_assert_uint_lt(kept, lists * counts[i] / 2); /* most reach no triangle of a band */
        }
    }
    mrw_raster_free(raster);
}
END_TEST

/* Spots to the right of the room, within their range of it: turned away, none of their cones
 * reaches it; turned towards it, all do. */
START_TEST(cones_that_look_away_are_left_out)
{
    static grid faces[3];
    mrw_raster_material materials[3];
    mrw_raster_draw draws[3];
    mrw_raster *raster = NULL;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    with_all = *mrwi_shade_kernels_for(MRW_ISA_SCALAR);
    with_all.shade = shade_with_all;
    with_all.shade_pixels = shade_pixels_with_all;
    make_room(faces, materials, draws);
    make_lamps(20, 1.0f);
    for (int i = 0; i < 20; i++) {
        lamps[i].type = MRW_LIGHT_SPOT;
        lamps[i].range = 20.0f;
        lamps[i].outer_cone = 0.3f + 0.02f * (float)i; /* to 39 degrees */
        lamps[i].position[0] = 6.0f;
    }
    for (int towards = 0; towards < 2; towards++) {
        for (int i = 0; i < 20; i++) {
            const float axis[3] = {towards ? 1.0f : -1.0f, 0.0f, 0.0f};
            memcpy(lamps[i].to_light, axis, sizeof axis);
        }
        mrw_raster_job job = job_of(draws, 3, 20);
        kept = lists = 0;
        compare_room(raster, &job);
        ck_assert_uint_gt(lists, 0);
        ck_assert(towards ? kept > 10 * lists : kept == 0);
    }
    mrw_raster_free(raster);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("lamps");
    TCase *tc = tcase_create("lamps");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, left_out_lights_are_not_missed, 0, 4);
    tcase_add_test(tc, cones_that_look_away_are_left_out);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
