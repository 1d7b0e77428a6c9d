/* test_passes.c: several drawings of vertices that are posed and skinned once: what a light sees,
 * then what the camera sees. */
#include "test.h"

#include "base/memory.h"
#include "frame/frame.h"

#include <marrow/frame.h>
#include <marrow/load.h>

#define WIDTH  90
#define HEIGHT 70
#define SIDE   48 /* of the light's view */

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer, *other;
    mrw_instance instances[2]; /* at different times */
    mrw_frame_def eye, light;
} stage;

static void place(stage *s, mrw_frame_def *def, uint32_t width, uint32_t height, float azimuth)
{
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    const float aspect = (float)width / (float)height;
    view.azimuth_degrees = azimuth;
    *def = mrw_frame_def_default();
    def->width = width;
    def->height = height;
    ck_assert_int_eq(mrw_frame_extents(s->instances, 2, MRW_FIT_FRAME, &view, aspect, MRW_ISA_AUTO,
                                       1, &extents, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, aspect, &def->camera, NULL), MRW_OK);
}

static void open_stage(stage *s)
{
    ck_assert_int_eq(mrw_load_file("demo:figure", NULL, &s->scene, NULL), MRW_OK);
    ck_assert_int_eq(mrw_model_create(s->scene, MRW_SHADING_LIT, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->other, NULL), MRW_OK);
    s->instances[0] = s->instances[1] = mrw_instance_default(s->model);
    s->instances[0].time = 0.3;
    s->instances[1].time = 0.7;
    s->instances[1].model_to_world.m[12] = 1.0f;
    place(s, &s->eye, WIDTH, HEIGHT, 0.0f);
    place(s, &s->light, SIDE, SIDE, 50.0f);
    s->light.samples = 1;
}

static void close_stage(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_renderer_free(s->other);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

typedef struct drawn {
    float shadow[SIDE * SIDE];
    uint8_t pixels[WIDTH * HEIGHT * 3];
    uint32_t ids[WIDTH * HEIGHT];
    float depths[WIDTH * HEIGHT];
} drawn;

/* Depth from the light, then colour, ids and depth from the eye. */
static mrw_status draw(mrw_renderer *renderer, const stage *s, int threads, drawn *out,
                       mrw_error *error)
{
    const mrw_target light[] = {{MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1, out->shadow, SIDE * 4}};
    const mrw_target eye[] = {{MRW_TARGET_COLOR, MRW_FORMAT_U8, 3, out->pixels, WIDTH * 3},
                              {MRW_TARGET_ID, MRW_FORMAT_U32, 1, out->ids, WIDTH * 4},
                              {MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1, out->depths, WIDTH * 4}};
    const mrw_pass passes[] = {{&s->light, light, 1}, {&s->eye, eye, 3}};
    return mrw_render_passes(renderer, s->instances, 2, passes, 2, MRW_ISA_AUTO, threads, error);
}

/* Against frames of their own. */
static void check(stage *s, const drawn *d)
{
    mrw_image picture = {0};
    s->light.targets = 1u << MRW_TARGET_DEPTH;
    s->eye.targets = 1u << MRW_TARGET_DEPTH | 1u << MRW_TARGET_ID;
    ck_assert_int_eq(mrw_render(s->other, &s->light, s->instances, 2, 1, &picture, NULL), MRW_OK);
    const mrw_image *depth = mrw_frame_target(s->other, MRW_TARGET_DEPTH);
    ck_assert_mem_eq(depth->pixels, d->shadow, sizeof d->shadow);
    ck_assert_int_eq(mrw_render(s->other, &s->eye, s->instances, 2, 1, &picture, NULL), MRW_OK);
    ck_assert_mem_eq(picture.pixels, d->pixels, sizeof d->pixels);
    ck_assert_mem_eq(mrw_frame_target(s->other, MRW_TARGET_ID)->pixels, d->ids, sizeof d->ids);
    ck_assert_mem_eq(mrw_frame_target(s->other, MRW_TARGET_DEPTH)->pixels, d->depths,
                     sizeof d->depths);
    mrw_image_free(&picture);
}

static drawn first;

START_TEST(passes_are_frames_over_vertices_skinned_once)
{
    stage s;
    open_stage(&s);
    for (int threads = 1; threads <= 4; threads++) {
        memset(&first, 0xa5, sizeof first);
        const uint64_t skins = mrwi_frame_counts.skins, plays = mrwi_frame_counts.plays;
        const uint64_t pictures = mrwi_frame_counts.pictures;
        ck_assert_int_eq(draw(s.renderer, &s, threads, &first, NULL), MRW_OK);
        ck_assert_uint_eq(mrwi_frame_counts.skins - skins, 2 * s.scene->draws_count);
        ck_assert_uint_eq(mrwi_frame_counts.plays - plays, 2);
        ck_assert_uint_eq(mrwi_frame_counts.pictures - pictures, 2);
        check(&s, &first);
    }
    int near_light = 0, seen[2] = {0};
    for (int i = 0; i < SIDE * SIDE; i++) {
        near_light += first.shadow[i] < 1.0f;
    }
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        ck_assert_int_eq(first.ids[i] > 0, first.depths[i] < 1.0f);
        if (first.ids[i] > 0) {
            seen[(first.ids[i] - 1) / s.scene->draws_count]++;
        }
    }
    ck_assert_int_gt(near_light, 100);
    ck_assert_int_gt(seen[0], 100);
    ck_assert_int_gt(seen[1], 100);
    close_stage(&s);
}
END_TEST

/* What a renderer keeps is a frame's: passes have targets of their own. */
START_TEST(passes_leave_no_targets_behind)
{
    stage s;
    mrw_image picture = {0};
    open_stage(&s);
    s.eye.targets = 1u << MRW_TARGET_ID;
    ck_assert_int_eq(mrw_render(s.renderer, &s.eye, s.instances, 2, 1, &picture, NULL), MRW_OK);
    ck_assert_ptr_nonnull(mrw_frame_target(s.renderer, MRW_TARGET_ID));
    ck_assert_int_eq(draw(s.renderer, &s, 1, &first, NULL), MRW_OK);
    ck_assert_ptr_null(mrw_frame_target(s.renderer, MRW_TARGET_ID));
    mrw_image_free(&picture);
    close_stage(&s);
}
END_TEST

START_TEST(any_allocation_may_fail)
{
    stage s;
    int failures = 0;
    open_stage(&s);
    for (uint64_t n = 1;; n++) {
        mrw_renderer *renderer = NULL;
        mrw_error error = {0};
        ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = draw(renderer, &s, 1, &first, &error);
        const bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        mrw_renderer_free(renderer);
        if (!fired) {
            ck_assert_int_eq(status, MRW_OK);
            break;
        }
        ck_assert(status == MRW_OK || status == MRW_ERROR_MEMORY);
        failures += status != MRW_OK;
    }
    ck_assert_int_gt(failures, 15);
    check(&s, &first);
    close_stage(&s);
}
END_TEST

START_TEST(kernels_that_the_machine_lacks_are_refused)
{
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_error error = {0};
    float depth[4];
    const mrw_target target = {MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1, depth, 8};
    mrw_frame_def def = mrw_frame_def_default();
    const mrw_pass pass = {&def, &target, 1};
    ck_assert_int_eq(mrw_load_file("demo:figure", NULL, &scene, NULL), MRW_OK);
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    const mrw_instance instance = mrw_instance_default(model);
    def.width = def.height = 2;
    const mrw_isa missing = mrw_isa_available(MRW_ISA_NEON) ? MRW_ISA_SSE2 : MRW_ISA_NEON;
    ck_assert_int_ne(mrw_render_passes(renderer, &instance, 1, &pass, 1, missing, 1, &error),
                     MRW_OK);
    ck_assert_uint_gt(strlen(error.text), 0);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("passes");
    TCase *tc = tcase_create("passes");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, passes_are_frames_over_vertices_skinned_once);
    tcase_add_test(tc, passes_leave_no_targets_behind);
    tcase_add_test(tc, any_allocation_may_fail);
    tcase_add_test(tc, kernels_that_the_machine_lacks_are_refused);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
