/* test_work.c: work that is cancelled, and work that has a limit. */
#include "raster_fixture.h"

#include "base/parallel.h"
#include "base/work.h"

#include <marrow/marrow.h>

/* ---- cancelling ------------------------------------------------------------------------------ */

/* A picture with everything that looks at the flag: shadows, occlusion, an environment, masked and
 * transparent draws, passes, and every kind of file. */
typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
    mrw_frame_def def;
    mrw_light sun;
} stage;

static void set_stage(stage *s, const char *model)
{
    mrw_load_def load = mrw_load_def_default();
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    *s = (stage){.def = mrw_frame_def_default()};
    ck_assert_int_eq(mrw_load_file(model, &load, &s->scene, NULL), MRW_OK);
    ck_assert_int_eq(mrw_model_create(s->scene, MRW_SHADING_LIT, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    s->instance = mrw_instance_default(s->model);
    s->def.width = s->def.height = 48;
    s->def.shadows = true;
    s->def.occlusion = true;
    s->def.shadow_size = MRW_SHADOW_MIN_SIZE;
    ck_assert_int_eq(mrw_frame_extents(&s->instance, 1, MRW_FIT_FRAME, &view, 1, MRW_ISA_AUTO, 1,
                                       &extents, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1, &s->def.camera, NULL), MRW_OK);
}

static void clear_stage(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static mrw_status draw(stage *s, int threads, mrw_image *out, mrw_error *error)
{
    return mrw_render(s->renderer, &s->def, &s->instance, 1, threads, out, error);
}

/* Wherever the work is cancelled, the status says so, and the renderer then draws the same picture
 * as if nothing had happened. */
START_TEST(drawing_is_cancelled_at_any_look)
{
    static const char *const models[] = {"demo:figure", "demo:blob", "demo:swatches"};
    stage s;
    mrw_image expected = {0}, image = {0};
    int cancelled = 0;
    set_stage(&s, models[_i]);
    ck_assert_int_eq(draw(&s, 1, &expected, NULL), MRW_OK);
    for (uint64_t n = 1;; n += n < 60 ? 1 : 23) {
        mrw_cancel cancel = {0};
        mrw_error error = {0};
        ck_assert_ptr_null(mrw_cancel_enter(&cancel));
        mrwi_base_work_stop_at(&cancel, n);
        const mrw_status status = draw(&s, 1 + (int)(n % 2), &image, &error);
        ck_assert_ptr_eq(mrw_cancel_enter(NULL), &cancel);
        if (mrwi_base_work_stop_pending()) {
            mrwi_base_work_stop_at(NULL, 0);
            ck_assert_int_eq(status, MRW_OK);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_CANCELLED);
        ck_assert_str_eq(error.text, "stopped");
        ck_assert_int_eq(draw(&s, 1, &image, NULL), MRW_OK);
        ck_assert_mem_eq(image.pixels, expected.pixels, (size_t)48 * 48 * 3);
        cancelled++;
    }
    ck_assert_int_gt(cancelled, 20);
    mrw_image_free(&expected);
    mrw_image_free(&image);
    clear_stage(&s);
}
END_TEST

/* A function that works for long, for `user`. */
typedef mrw_status (*task)(void *user, mrw_error *error);

/* Cancels a task at one look after another, until it needs no more. Returns how often it was
 * cancelled. */
static int cancel_everywhere(task work, void *user)
{
    int cancelled = 0;
    for (uint64_t n = 1;; n += n < 60 ? 1 : 23) {
        mrw_cancel cancel = {0};
        mrw_error error = {0};
        mrw_cancel_enter(&cancel);
        mrwi_base_work_stop_at(&cancel, n);
        const mrw_status status = work(user, &error);
        mrw_cancel_enter(NULL);
        if (mrwi_base_work_stop_pending()) {
            mrwi_base_work_stop_at(NULL, 0);
            ck_assert_int_eq(status, MRW_OK);
            return cancelled;
        }
        ck_assert_msg(status == MRW_ERROR_CANCELLED, "look %d: %s: %s", (int)n,
                      mrw_status_name(status), error.text);
        cancelled++;
    }
}

static mrw_status load(void *model, mrw_error *error)
{
    mrw_scene *scene = NULL;
    const mrw_status status = mrw_load_file(model, NULL, &scene, error);
    ck_assert(!scene == (status != MRW_OK));
    mrw_scene_free(scene);
    return status;
}

static mrw_status measure(void *user, mrw_error *error)
{
    const stage *s = user;
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    return mrw_frame_extents(&s->instance, 1, MRW_FIT_CLIP, &view, 1, MRW_ISA_AUTO, 2, &extents,
                             error);
}

static mrw_status light(void *unused, mrw_error *error)
{
    static float sky[64 * 32][3];
    mrw_environment *environment = NULL;
    (void)unused;
    const mrw_status status = mrw_environment_create(sky[0], 64, 32, true, 2, &environment, error);
    ck_assert(!environment == (status != MRW_OK));
    mrw_environment_free(environment);
    return status;
}

static mrw_status take(void *unused, const mrw_sequence_frame *frame, mrw_error *error)
{
    (void)unused;
    (void)frame;
    (void)error;
    return MRW_OK;
}

static mrw_status play(void *user, mrw_error *error)
{
    const stage *s = user;
    static const double times[] = {0, 0.1, 0.2};
    return mrw_render_sequence(&s->def, &s->instance, 1, times, 3, 2, take, NULL, error);
}

/* Writes a busy picture of 64 x 64 in one format. */
static mrw_image noise;

static mrw_status png(void *best, mrw_error *error)
{
    mrw_bytes out = {0};
    mrw_png_def def = mrw_png_def_default();
    def.effort = best ? MRW_PNG_BEST : def.effort;
    const mrw_status status = mrw_png_encode_as(&noise, &def, &out, error);
    mrw_bytes_free(&out);
    return status;
}

static mrw_status exr(void *unused, mrw_error *error)
{
    static const float values[64 * 64];
    const mrw_exr_channel channel = {
        .name = "Z", .format = MRW_FORMAT_F32, .values = values, .stride = sizeof(float)};
    const mrw_exr_def def = {.width = 64, .height = 64, .channels = &channel, .channel_count = 1};
    mrw_bytes out = {0};
    (void)unused;
    const mrw_status status = mrw_exr_encode(&def, &out, error);
    mrw_bytes_free(&out);
    return status;
}

/* A pattern that repeats, which PNG stores by matches with earlier rows. */
static mrw_status pattern(void *deep, mrw_error *error)
{
    mrw_image image = {0};
    mrw_png_def def = mrw_png_def_default();
    mrw_bytes out = {0};
    const mrw_format format = deep ? MRW_FORMAT_U16 : MRW_FORMAT_U8;
    const size_t size = (size_t)96 * 96 * 3 * (deep ? 2 : 1);
    uint64_t state = 1;
    const mrw_status made = mrw_image_create_as(format, 96, 96, 3, &image, error);
    if (made) {
        return made;
    }
    uint8_t *pixels = (uint8_t *)image.pixels;
    for (size_t i = 0; i < size; i++) {
        pixels[i] = i < 900 ? (uint8_t)test_random(&state) : pixels[i - 900];
    }
    def.threads = 2;
    const mrw_status status = mrw_png_encode_as(&image, &def, &out, error);
    mrw_bytes_free(&out);
    mrw_image_free(&image);
    return status;
}

/* Decodes a picture of 96 x 96 that was encoded in a format. */
static mrw_status decode(void *file, mrw_error *error)
{
    const mrw_bytes *bytes = file;
    mrw_image image = {0};
    const mrw_status status =
        mrw_image_decode(bytes->data, bytes->size, 4, 1 << 20, "input", &image, error);
    ck_assert(!image.pixels == (status != MRW_OK));
    mrw_image_free(&image);
    return status;
}

static mrw_status decode_floats(void *file, mrw_error *error)
{
    const mrw_bytes *bytes = file;
    const bool is_hdr = bytes->data[0] == '#';
    mrw_image image = {0};
    const mrw_status status = (is_hdr ? mrw_image_decode_hdr : mrw_image_decode_exr)(
        bytes->data, bytes->size, 1 << 20, "input", &image, error);
    ck_assert(!image.pixels == (status != MRW_OK));
    mrw_image_free(&image);
    return status;
}

static mrw_status jpeg(void *unused, mrw_error *error)
{
    mrw_bytes out = {0};
    (void)unused;
    const mrw_status status = mrw_jpeg_encode(&noise, 90, &out, error);
    mrw_bytes_free(&out);
    return status;
}

/* Flat rows of 64 x 64. */
static void write_hdr(mrw_bytes *out)
{
    static const char head[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 64 +X 64\n";
    static uint8_t file[sizeof head + 64 * 64 * 4];
    memcpy(file, head, sizeof head - 1);
    memset(file + sizeof head - 1, 90, 64 * 64 * 4);
    *out = (mrw_bytes){file, sizeof head - 1 + 64 * 64 * 4};
}

static mrw_status compare(void *unused, mrw_error *error)
{
    mrw_image other = {0};
    mrw_compare_def def = mrw_compare_def_default();
    mrw_compare_result result;
    (void)unused;
    ck_assert_int_eq(mrw_image_create(64, 64, 3, &other, NULL), MRW_OK);
    memset(other.pixels, 7, (size_t)64 * 64 * 3);
    const mrw_status status = mrw_compare(&noise, &other, &def, true, &result, error);
    mrw_image_free(&other);
    return status;
}

START_TEST(all_long_work_is_cancelled_at_any_look)
{
    stage s;
    uint64_t state = 1;
    set_stage(&s, "demo:figure");
    ck_assert_int_eq(mrw_image_create(64, 64, 3, &noise, NULL), MRW_OK);
    for (size_t i = 0; i < (size_t)64 * 64 * 3; i++) {
        ((uint8_t *)noise.pixels)[i] = (uint8_t)test_random(&state);
    }
    static const float values[64 * 64];
    const mrw_exr_channel channel = {
        .name = "Y", .format = MRW_FORMAT_F32, .values = values, .stride = sizeof(float)};
    const mrw_exr_def deep = {.width = 64, .height = 64, .channels = &channel, .channel_count = 1};
    mrw_bytes as_png = {0}, as_jpeg = {0}, as_exr = {0}, as_hdr;
    ck_assert_int_eq(mrw_png_encode(&noise, &as_png, NULL), MRW_OK);
    ck_assert_int_eq(mrw_jpeg_encode(&noise, 90, &as_jpeg, NULL), MRW_OK);
    ck_assert_int_eq(mrw_exr_encode(&deep, &as_exr, NULL), MRW_OK);
    write_hdr(&as_hdr);
    const struct {
        const char *name;
        task work;
        void *user;
        int least; /* looks */
    } tasks[] = {{"load", load, (void *)(uintptr_t) "demo:figure", 2},
                 {"measure", measure, &s, 10},
                 {"light", light, NULL, 40},
                 {"play", play, &s, 40},
                 {"png", png, NULL, 60},
                 {"best png", png, &s, 60},
                 {"png of a pattern", pattern, NULL, 60},
                 {"deep png", pattern, &s, 60},
                 {"jpeg", jpeg, NULL, 3},
                 {"exr", exr, NULL, 2},
                 {"png is read", decode, &as_png, 60},
                 {"jpeg is read", decode, &as_jpeg, 3},
                 {"exr is read", decode_floats, &as_exr, 2},
                 {"hdr is read", decode_floats, &as_hdr, 60},
                 {"compare", compare, NULL, 2}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        const int cancelled = cancel_everywhere(tasks[i].work, tasks[i].user);
        ck_assert_msg(cancelled >= tasks[i].least, "%s looks %d times", tasks[i].name, cancelled);
    }
    mrw_bytes_free(&as_png);
    mrw_bytes_free(&as_jpeg);
    mrw_bytes_free(&as_exr);
    mrw_image_free(&noise);
    clear_stage(&s);
}
END_TEST

static void do_nothing(void *user, int64_t index, int worker)
{
    (void)index;
    (void)worker;
    ck_assert_ptr_eq(mrwi_base_work_now().cancel, user);
}

START_TEST(threads_of_a_loop_work_for_its_caller)
{
    mrw_cancel cancel = {0};
    mrw_cancel_enter(&cancel);
    mrwi_base_parallel_for(3, 100, do_nothing, &cancel);
    mrw_cancel_enter(NULL);
    mrwi_base_parallel_for(3, 100, do_nothing, NULL);
}
END_TEST

/* A new picture of 64 MiB is four parts: all but the last look at the flag. */
START_TEST(new_pictures_are_cancelled)
{
    mrw_image image = {0};
    mrw_error error = {0};
    for (uint64_t n = 1; n <= 4; n++) {
        mrw_cancel cancel = {0};
        ck_assert_ptr_null(mrw_cancel_enter(&cancel));
        mrwi_base_work_stop_at(&cancel, n);
        const mrw_status status = mrw_image_create(4096, 4096, 4, &image, &error);
        ck_assert_ptr_eq(mrw_cancel_enter(NULL), &cancel);
        ck_assert_int_eq(mrwi_base_work_stop_pending(), n == 4);
        ck_assert_int_eq(status, n < 4 ? MRW_ERROR_CANCELLED : MRW_OK);
        ck_assert(!image.pixels == (n < 4));
    }
    mrwi_base_work_stop_at(NULL, 0);
    ck_assert_int_eq(image.pixels[0], 0);
    ck_assert_int_eq(image.pixels[((size_t)64 << 20) - 1], 0);
    mrw_image_free(&image);
}
END_TEST

/* An animation copies a frame; a copy that was cancelled is not a lack of memory. */
START_TEST(copies_of_frames_are_cancelled)
{
    mrw_image image = {0};
    mrw_apng *apng = NULL;
    mrw_error error = {0};
    mrw_cancel cancel = {0};
    const mrw_apng_def def = {
        .width = 4096, .height = 1200, .channels = 4, .count = 2, .rate = {10, 1}};
    ck_assert_int_eq(mrw_image_create(4096, 1200, 4, &image, &error), MRW_OK);
    ck_assert_int_eq(mrw_apng_create(&def, &apng, &error), MRW_OK);
    mrw_cancel_enter(&cancel);
    mrwi_base_work_stop_at(&cancel, 1);
    ck_assert_int_eq(mrw_apng_put(apng, 0, &image, NULL, &error), MRW_ERROR_CANCELLED);
    ck_assert_int_eq(error.status, MRW_ERROR_CANCELLED);
    mrw_cancel_enter(NULL);
    mrwi_base_work_stop_at(NULL, 0);
    mrw_apng_free(apng);
    mrw_image_free(&image);
}
END_TEST

START_TEST(the_first_request_counts)
{
    mrw_cancel cancel = {0};
    mrw_error error = {0};
    ck_assert_int_eq(mrw_cancel_requested(&cancel), MRW_OK);
    mrw_cancel_request(&cancel, MRW_ERROR_TIME);
    mrw_cancel_request(&cancel, MRW_ERROR_CANCELLED);
    ck_assert_int_eq(mrw_cancel_requested(&cancel), MRW_ERROR_TIME);
    mrw_cancel_enter(&cancel);
    ck_assert(!mrwi_base_work_goes_on());
    ck_assert_int_eq(mrwi_base_work_check("a.glb", &error), MRW_ERROR_TIME);
    mrw_cancel_enter(NULL);
    ck_assert(mrwi_base_work_goes_on());
}
END_TEST

/* ---- the limit ------------------------------------------------------------------------------- */

#define MANY 3000

/* Right triangles that cover most of a picture of 64 x 64, one behind another. */
typedef struct pile {
    float positions[3 * MANY][4];
    uint32_t indices[3 * MANY];
    mrw_raster_material material;
    mrw_raster_draw draw;
    mrw_raster_job job;
    mrw_target target;
    uint8_t pixels[SIDE * SIDE][4];
} pile;

static void make_pile(pile *p, uint32_t count, uint32_t alpha_mode, uint32_t samples)
{
    static const float corners[3][2] = {{0, 0}, {0, 64}, {64, 0}};
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < 3 * count; i++) {
        p->positions[i][0] = corners[i % 3][0];
        p->positions[i][1] = corners[i % 3][1];
        p->positions[i][2] = 0.9f - 0.8f * (float)(i / 3) / (float)count;
        p->positions[i][3] = 1;
        p->indices[i] = i;
    }
    p->material = double_sided;
    p->material.alpha_mode = alpha_mode;
    p->material.base_color[3] = alpha_mode == MRW_ALPHA_BLEND ? 0.5f : 1.0f;
    p->draw = (mrw_raster_draw){.positions = p->positions[0],
                                .normals = p->positions[0],
                                .vertex_count = 3 * count,
                                .indices = p->indices,
                                .triangle_count = count,
                                .material = &p->material};
    p->target = (mrw_target){MRW_TARGET_COLOR, MRW_FORMAT_U8, 4, p->pixels, SIDE * 4};
    p->job = (mrw_raster_job){.draws = &p->draw,
                              .draw_count = 1,
                              .view.world_to_clip = pixel_space(SIDE),
                              .shading = MRW_SHADING_UNLIT,
                              .samples = samples,
                              .width = SIDE,
                              .height = SIDE,
                              .exposure = 1,
                              .targets = &p->target,
                              .target_count = 1,
                              .threads = 1};
}

static mrw_status draw_pile(const pile *p, mrwi_base_budget *budget, mrw_error *error)
{
    mrw_raster *raster;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    *budget = (mrwi_base_budget){0};
    const mrwi_base_work before = mrwi_base_work_enter_budget(budget);
    const mrw_status status = mrw_raster_draw_frame(raster, &p->job, error);
    mrwi_base_work_enter(before);
    mrw_raster_free(raster);
    return status;
}

/* The units that base.h names: 40 per pixel; 10 per vertex, 5 per triangle; per pixel of a box, 1
 * per opaque sample, 8 per masked one, 2 per transparent one and 40. A box is the 64 x 64 pixels,
 * less those at its right and lower border in which no sample is covered: the picture's corner. */
START_TEST(units_are_those_of_the_manual)
{
    static pile p;
    static const uint32_t modes[] = {MRW_ALPHA_OPAQUE, MRW_ALPHA_MASK, MRW_ALPHA_BLEND};
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        const uint64_t per_pixel[] = {samples, 8 * samples, 2 * samples + 40};
        for (int m = 0; m < 3; m++) {
            mrwi_base_budget budget;
            make_pile(&p, 7, modes[m], samples);
            ck_assert_int_eq(draw_pile(&p, &budget, NULL), MRW_OK);
            const uint64_t others = 64 * 64 * 40 + 21 * 10 + 7 * 5;
            const uint64_t boxes = atomic_load(&budget.spent) - others;
            ck_assert_uint_eq(boxes % (7 * per_pixel[m]), 0);
            const uint64_t pixels = boxes / (7 * per_pixel[m]);
            ck_assert_msg(pixels >= 62 * 62 && pixels <= 64 * 64, "%d pixels", (int)pixels);
        }
    }
}
END_TEST

START_TEST(the_limit_is_exact)
{
    static pile p;
    mrwi_base_budget budget;
    mrw_error error = {0};
    make_pile(&p, 100, MRW_ALPHA_BLEND, 4);
    ck_assert_int_eq(draw_pile(&p, &budget, NULL), MRW_OK);
    const uint64_t units = atomic_load(&budget.spent);
    for (int threads = 1; threads <= 4; threads++) {
        p.job.threads = threads;
        ck_assert_uint_eq(mrw_work_limit(units), 0);
        ck_assert_int_eq(draw_pile(&p, &budget, &error), MRW_OK);
        mrw_work_limit(units - 1);
        memset(p.pixels, 17, sizeof p.pixels);
        ck_assert_int_eq(draw_pile(&p, &budget, &error), MRW_ERROR_INPUT);
        char text[200];
        snprintf(text, sizeof text,
                 "the picture takes %llu units of work or more; --max-work allows %llu",
                 (unsigned long long)units, (unsigned long long)units - 1);
        ck_assert_str_eq(error.text, text);
        for (int i = 0; i < SIDE * SIDE; i++) {
            REQUIRE(p.pixels[i][0] == 17); /* refused before the first pixel */
        }
        ck_assert_uint_eq(mrw_work_limit(0), units - 1);
    }
}
END_TEST

/* However much lies above one another, the flag is looked at after a bounded amount of work. */
START_TEST(looks_are_not_far_apart)
{
    static pile p;
    static const uint32_t modes[] = {MRW_ALPHA_OPAQUE, MRW_ALPHA_MASK, MRW_ALPHA_BLEND};
    mrwi_base_budget budget;
    make_pile(&p, MANY, modes[_i], 8);
    ck_assert_int_eq(draw_pile(&p, &budget, NULL), MRW_OK);
    ck_assert_uint_gt(atomic_load(&budget.most), 0);
    ck_assert_uint_le(atomic_load(&budget.most), UINT64_C(1) << 27);
    ck_assert_uint_gt(atomic_load(&budget.spent), (uint64_t)MANY * 62 * 62 * 8);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("work");
    TCase *tc = tcase_create("work");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, drawing_is_cancelled_at_any_look, 0, 3);
    tcase_add_test(tc, all_long_work_is_cancelled_at_any_look);
    tcase_add_test(tc, threads_of_a_loop_work_for_its_caller);
    tcase_add_test(tc, new_pictures_are_cancelled);
    tcase_add_test(tc, copies_of_frames_are_cancelled);
    tcase_add_test(tc, the_first_request_counts);
    tcase_add_test(tc, units_are_those_of_the_manual);
    tcase_add_test(tc, the_limit_is_exact);
    tcase_add_loop_test(tc, looks_are_not_far_apart, 0, 3);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
