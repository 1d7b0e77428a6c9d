/* test_frame.c: the whole path: instances, framing, sequences, failing memory, a hostile
 * floating-point environment. */
#include "test.h"

#include "base/memory.h"

#include <fenv.h>
#include <locale.h>
#include <marrow/marrow.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define SIDE 96

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_instance instance;
    mrw_renderer *renderer;
    mrw_frame_def def;
} stage;

static void frame_camera(stage *s, mrw_fit fit)
{
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    mrw_error error;
    ck_assert(mrw_frame_extents(&s->instance, 1, fit, &view, 1.0f, MRW_ISA_AUTO, 2, &extents,
                                &error) == MRW_OK);
    ck_assert(mrw_view_camera(&view, &extents, 1.0f, &s->def.camera, &error) == MRW_OK);
}

static void open_stage(const char *model, const char *clip, stage *s)
{
    mrw_error error = {0};
    *s = (stage){.def = mrw_frame_def_default()};
    ck_assert_msg(mrw_load_file(model, NULL, &s->scene, &error) == MRW_OK, "%s", error.text);
    ck_assert(mrw_model_create(s->scene, MRW_SHADING_LIT, 2, &s->model, &error) == MRW_OK);
    ck_assert(mrw_renderer_create(&s->renderer, &error) == MRW_OK);
    s->instance = mrw_instance_default(s->model);
    if (clip) {
        ck_assert(mrw_scene_find_clip(s->scene, clip, &s->instance.clip, &error) == MRW_OK);
    }
    s->def.width = s->def.height = SIDE;
    frame_camera(s, MRW_FIT_CLIP);
}

static void close_stage(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static void draw(stage *s, const mrw_instance *instances, uint32_t count, int threads,
                 uint8_t hash[32])
{
    mrw_image image = {0};
    mrw_error error = {0};
    ck_assert_msg(mrw_render(s->renderer, &s->def, instances, count, threads, &image, &error) ==
                      MRW_OK,
                  "%s", error.text);
    mrw_image_hash(&image, hash);
    mrw_image_free(&image);
}

/* ---- posing ---------------------------------------------------------------------------------- */

/* A rigid motion of the whole model moves every vertex by that motion: a quarter turn about Y and a
 * step, by hand: (x, y, z) -> (z + 1, y + 2, -x + 3). */
START_TEST(model_transform_moves_vertices_rigidly)
{
    stage s;
    mrw_error error;
    const mrw_posed_draw *posed;
    float *before;
    uint32_t count;
    open_stage("demo:figure", "Walk", &s);
    s.instance.time = 0.4;
    ck_assert(mrw_pose_instance(s.renderer, &s.instance, MRW_ISA_AUTO, &posed, &error) == MRW_OK);
    count = posed[0].vertex_count;
    before = malloc(count * 16);
    memcpy(before, posed[0].positions, count * 16);
    s.instance.model_to_world = (mrw_mat4){{0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 2, 3, 1}};
    ck_assert(mrw_pose_instance(s.renderer, &s.instance, MRW_ISA_AUTO, &posed, &error) == MRW_OK);
    for (uint32_t v = 0; v < count; v++) {
        const float *a = before + 4 * v, *b = posed[0].positions + 4 * v;
        ck_assert_float_eq_tol(b[0], a[2] + 1.0f, 1e-5f);
        ck_assert_float_eq_tol(b[1], a[1] + 2.0f, 1e-5f);
        ck_assert_float_eq_tol(b[2], 3.0f - a[0], 1e-5f);
    }
    free(before);
    close_stage(&s);
}
END_TEST

START_TEST(posed_normals_are_unit)
{
    stage s;
    mrw_error error;
    const mrw_posed_draw *posed;
    open_stage("demo:tentacle", NULL, &s);
    s.instance.time = 0.7;
    ck_assert(mrw_pose_instance(s.renderer, &s.instance, MRW_ISA_AUTO, &posed, &error) == MRW_OK);
    for (uint32_t d = 0; d < s.scene->draws_count; d++) {
        for (uint32_t v = 0; v < posed[d].vertex_count; v++) {
            const float *n = posed[d].normals + 4 * v;
            double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
            ck_assert_double_eq_tol(length, 1.0, 1e-5);
        }
    }
    close_stage(&s);
}
END_TEST

/* With a mirrored model transform the drawn surface still faces out: normals point away from the
 * side that triangles show, for every draw of a convex-ish body: mean of normal . face normal. */
static double outwardness(stage *s)
{
    mrw_error error;
    const mrw_posed_draw *posed;
    double sum = 0, total = 0;
    ck_assert(mrw_pose_instance(s->renderer, &s->instance, MRW_ISA_AUTO, &posed, &error) == MRW_OK);
    for (uint32_t d = 0; d < s->scene->draws_count; d++) {
        const mrw_mesh *mesh = &s->scene->meshes[s->scene->draws[d].mesh];
        const uint32_t *index = s->scene->indices + mesh->first_index;
        for (uint32_t t = 0; t < mesh->triangle_count; t++, index += 3) {
            const float *a = posed[d].positions + 4 * index[0];
            const float *b = posed[d].positions + 4 * index[1];
            const float *c = posed[d].positions + 4 * index[2];
            const float *n = posed[d].normals + 4 * index[0];
            double u[3], v[3], f[3], sign = posed[d].mirrored ? -1 : 1;
            for (int i = 0; i < 3; i++) {
                u[i] = (double)b[i] - a[i];
                v[i] = (double)c[i] - a[i];
            }
            f[0] = sign * (u[1] * v[2] - u[2] * v[1]);
            f[1] = sign * (u[2] * v[0] - u[0] * v[2]);
            f[2] = sign * (u[0] * v[1] - u[1] * v[0]);
            sum += f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
            total += sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        }
    }
    return sum / total;
}

START_TEST(normals_face_out_under_any_transform)
{
    static const float scales[][3] = {
        {1, 1, 1}, {-1, 1, 1}, {2, 1, 0.5f}, {-2, 1, 0.5f}, {-1, -1, -1}};
    static const char *const models[] = {"demo:figure", "demo:tentacle", "demo:blob"};
    stage s;
    open_stage(models[_i], NULL, &s);
    s.instance.time = 0.3;
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        s.instance.model_to_world = (mrw_mat4){
            {scales[i][0], 0, 0, 0, 0, scales[i][1], 0, 0, 0, 0, scales[i][2], 0, 0, 0, 0, 1}};
        ck_assert_msg(outwardness(&s) > 0.85, "%s with scale %d: %f", models[_i], (int)i,
                      outwardness(&s));
    }
    close_stage(&s);
}
END_TEST

/* The bind pose puts skinned vertices where the mesh has them. */
START_TEST(bind_pose_is_the_mesh)
{
    stage s;
    mrw_error error;
    const mrw_posed_draw *posed;
    open_stage("demo:tentacle", NULL, &s);
    s.instance.pose = MRW_POSE_BIND;
    ck_assert(mrw_pose_instance(s.renderer, &s.instance, MRW_ISA_AUTO, &posed, &error) == MRW_OK);
    for (uint32_t d = 0; d < s.scene->draws_count; d++) {
        const mrw_mesh *mesh = &s.scene->meshes[s.scene->draws[d].mesh];
        if (s.scene->draws[d].skin == MRW_NONE) {
            continue;
        }
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            for (uint32_t i = 0; i < 3; i++) {
                ck_assert_float_eq_tol(posed[d].positions[4 * v + i],
                                       s.scene->positions[3 * (mesh->position + v) + i], 1e-5f);
            }
        }
    }
    close_stage(&s);
}
END_TEST

/* ---- framing --------------------------------------------------------------------------------- */

/* At any time of the clip, also between the measured ones, each vertex lies inside the picture (a
 * double-precision projection), and the margin is used up on one axis. */
START_TEST(clip_fit_holds_every_pose)
{
    stage s;
    mrw_error error;
    double worst = 0;
    open_stage("demo:figure", "Run", &s);
    for (int k = 0; k <= 60; k++) {
        const mrw_posed_draw *posed;
        const float *view = s.def.camera.world_to_view.m, *clip = s.def.camera.view_to_clip.m;
        s.instance.time = s.scene->clips[s.instance.clip].duration * k / 60;
        ck_assert(mrw_pose_instance(s.renderer, &s.instance, MRW_ISA_AUTO, &posed, &error) ==
                  MRW_OK);
        for (uint32_t d = 0; d < s.scene->draws_count; d++) {
            for (uint32_t v = 0; v < posed[d].vertex_count; v++) {
                const float *p = posed[d].positions + 4 * v;
                double e[4], c[4];
                for (int r = 0; r < 4; r++) {
                    e[r] = (double)view[r] * p[0] + (double)view[4 + r] * p[1] +
                           (double)view[8 + r] * p[2] + view[12 + r];
                }
                for (int r = 0; r < 4; r++) {
                    c[r] = clip[r] * e[0] + clip[4 + r] * e[1] + clip[8 + r] * e[2] +
                           clip[12 + r] * e[3];
                }
                worst = fmax(worst, fmax(fabs(c[0] / c[3]), fabs(c[1] / c[3])));
                ck_assert(c[2] >= 0 && c[2] <= c[3]);
            }
        }
    }
    /* margin 0.1 on each side: 0.8; poses between the measured ones may reach a little further */
    ck_assert_double_le(worst, 0.81);
    ck_assert_double_ge(worst, 0.79);
    close_stage(&s);
}
END_TEST

START_TEST(extents_do_not_depend_on_threads)
{
    stage s;
    mrw_error error;
    mrw_view_def view = mrw_view_def_default();
    mrw_extents one, three;
    open_stage("demo:figure", NULL, &s);
    ck_assert(mrw_frame_extents(&s.instance, 1, MRW_FIT_ALL, &view, 1, MRW_ISA_SCALAR, 1, &one,
                                &error) == MRW_OK);
    ck_assert(mrw_frame_extents(&s.instance, 1, MRW_FIT_ALL, &view, 1, MRW_ISA_AUTO, 3, &three,
                                &error) == MRW_OK);
    ck_assert_mem_eq(one.support, three.support, sizeof one.support);
    ck_assert_mem_eq(one.aabb_min, three.aabb_min, sizeof one.aabb_min);
    ck_assert_mem_eq(one.aabb_max, three.aabb_max, sizeof one.aabb_max);
    ck_assert_uint_eq(one.count, three.count);
    close_stage(&s);
}
END_TEST

/* ---- frames and sequences -------------------------------------------------------------------- */

#define FRAMES 7

typedef struct collected {
    uint8_t hashes[FRAMES][32];
    int calls;
    int fail_at;
} collected;

static mrw_status collect(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    collected *c = user;
    if ((int)frame->index == c->fail_at) {
        *error = (mrw_error){MRW_ERROR_OUTPUT, "no room"};
        return MRW_ERROR_OUTPUT;
    }
    mrw_image_hash(frame->image, c->hashes[frame->index]);
    __atomic_add_fetch(&c->calls, 1, __ATOMIC_SEQ_CST);
    return MRW_OK;
}

START_TEST(sequence_equals_single_frames)
{
    stage s;
    mrw_error error = {0};
    double times[FRAMES];
    collected one = {.fail_at = -1}, three = {.fail_at = -1};
    open_stage("demo:figure", "Walk", &s);
    for (int i = 0; i < FRAMES; i++) {
        times[i] = 0.9 - 0.13 * i; /* backwards: cursors must not matter */
    }
    ck_assert(mrw_render_sequence(&s.def, &s.instance, 1, times, FRAMES, 1, collect, &one,
                                  &error) == MRW_OK);
    ck_assert(mrw_render_sequence(&s.def, &s.instance, 1, times, FRAMES, 3, collect, &three,
                                  &error) == MRW_OK);
    ck_assert_int_eq(one.calls, FRAMES);
    ck_assert_int_eq(three.calls, FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        uint8_t hash[32];
        s.instance.time = times[i];
        draw(&s, &s.instance, 1, 2, hash);
        ck_assert_mem_eq(hash, one.hashes[i], 32);
        ck_assert_mem_eq(hash, three.hashes[i], 32);
        if (i > 0) {
            ck_assert_mem_ne(one.hashes[i], one.hashes[i - 1], 32);
        }
    }
    close_stage(&s);
}
END_TEST

START_TEST(a_failing_sink_stops_the_sequence)
{
    stage s;
    mrw_error error = {0};
    double times[FRAMES] = {0};
    collected c = {.fail_at = 2};
    open_stage("demo:blob", NULL, &s);
    ck_assert(mrw_render_sequence(&s.def, &s.instance, 1, times, FRAMES, 1, collect, &c, &error) ==
              MRW_ERROR_OUTPUT);
    ck_assert_str_eq(error.text, "no room");
    ck_assert_int_eq(c.calls, 2);
    close_stage(&s);
}
END_TEST

/* Frame 0 fails after frame 1 has: the first frame's error is told. (Should one thread do all, it
 * gives up waiting.) */
static mrw_status fail_backwards(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    int *failed = user;
    const uint32_t index = frame->index;
    for (int ms = 0; index == 0 && ms < 2000 && !__atomic_load_n(failed, __ATOMIC_SEQ_CST); ms++) {
        usleep(1000);
    }
    *error = (mrw_error){MRW_ERROR_OUTPUT, ""};
    snprintf(error->text, sizeof error->text, "frame %u", (unsigned)index);
    if (index == 1) {
        __atomic_store_n(failed, 1, __ATOMIC_SEQ_CST);
    }
    return MRW_ERROR_OUTPUT;
}

START_TEST(the_first_frame_s_error_is_told)
{
    stage s;
    mrw_error error = {0};
    const double times[2] = {0, 0.5};
    int failed = 0;
    open_stage("demo:blob", NULL, &s);
    ck_assert(mrw_render_sequence(&s.def, &s.instance, 1, times, 2, 2, fail_backwards, &failed,
                                  &error) == MRW_ERROR_OUTPUT);
    ck_assert_str_eq(error.text, "frame 0");
    close_stage(&s);
}
END_TEST

/* Two instances side by side: each half of the picture is what that instance draws there alone. */
START_TEST(instances_share_a_frame)
{
    stage s;
    mrw_error error;
    mrw_image both = {0}, left = {0};
    mrw_instance pair[2];
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    size_t same = 0;
    open_stage("demo:blob", NULL, &s);
    pair[0] = pair[1] = s.instance;
    pair[0].model_to_world.m[12] = -3;
    pair[1].model_to_world.m[12] = 3;
    pair[1].time = 0.5;
    view.azimuth_degrees = view.elevation_degrees = 0;
    ck_assert(mrw_frame_extents(pair, 2, MRW_FIT_FRAME, &view, 1, MRW_ISA_AUTO, 1, &extents,
                                &error) == MRW_OK);
    ck_assert(mrw_view_camera(&view, &extents, 1, &s.def.camera, &error) == MRW_OK);
    ck_assert(mrw_render(s.renderer, &s.def, pair, 2, 1, &both, &error) == MRW_OK);
    ck_assert(mrw_render(s.renderer, &s.def, pair, 1, 1, &left, &error) == MRW_OK);
    for (uint32_t y = 0; y < SIDE; y++) {
        const size_t row = (size_t)y * SIDE * 3;
        ck_assert_mem_eq(both.pixels + row, left.pixels + row, SIDE / 2 * 3);
        same += memcmp(both.pixels + row, left.pixels + row, SIDE * 3) == 0;
    }
    ck_assert_uint_lt(same, SIDE);
    mrw_image_free(&both);
    mrw_image_free(&left);
    close_stage(&s);
}
END_TEST

START_TEST(kernels_that_are_not_there_are_refused)
{
    stage s;
    mrw_error error = {0};
    mrw_image image = {0};
    open_stage("demo:blob", NULL, &s);
    s.def.isa = mrw_isa_available(MRW_ISA_NEON) ? MRW_ISA_AVX2 : MRW_ISA_NEON;
    ck_assert(mrw_render(s.renderer, &s.def, &s.instance, 1, 1, &image, &error) == MRW_ERROR_CPU);
    ck_assert_ptr_nonnull(strstr(error.text, mrw_isa_name(s.def.isa)));
    close_stage(&s);
}
END_TEST

/* ---- surroundings ---------------------------------------------------------------------------- */

/* Flush-to-zero, another rounding mode and a comma locale in the caller change no bit, and are as
 * they were afterwards. */
START_TEST(hostile_environment_changes_nothing)
{
    stage s;
    uint8_t plain[32], hostile[32];
    open_stage("demo:figure", "Walk", &s);
    s.instance.time = 0.3;
    draw(&s, &s.instance, 1, 2, plain);
    close_stage(&s);
    setlocale(LC_ALL, "de_DE.UTF-8");
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* FTZ, DAZ */
#endif
    open_stage("demo:figure", "Walk", &s);
    s.instance.time = 0.3;
    draw(&s, &s.instance, 1, 2, hostile);
    close_stage(&s);
    ck_assert_int_eq(fegetround(), FE_UPWARD);
#if defined(__x86_64__)
    ck_assert_uint_eq(_mm_getcsr() & 0x8040, 0x8040);
#endif
    fesetround(FE_TONEAREST);
    ck_assert_mem_eq(plain, hostile, 32);
}
END_TEST

static mrw_status whole_path(void)
{
    mrw_error error = {0};
    mrw_scene *scene = NULL;
    mrw_model *model = NULL;
    mrw_renderer *renderer = NULL;
    mrw_image image = {0};
    mrw_bytes png = {0};
    mrw_frame_def def = mrw_frame_def_default();
    mrw_status status = mrw_load_file("demo:blob", NULL, &scene, &error);
    def.width = def.height = 32;
    if (status == MRW_OK) {
        status = mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, &error);
    }
    if (status == MRW_OK) {
        status = mrw_renderer_create(&renderer, &error);
    }
    if (status == MRW_OK) {
        mrw_instance instance = mrw_instance_default(model);
        mrw_view_def view = mrw_view_def_default();
        mrw_extents extents;
        status = mrw_frame_extents(&instance, 1, MRW_FIT_FRAME, &view, 1, MRW_ISA_AUTO, 1, &extents,
                                   &error);
        if (status == MRW_OK) {
            status = mrw_view_camera(&view, &extents, 1, &def.camera, &error);
        }
        if (status == MRW_OK) {
            status = mrw_render(renderer, &def, &instance, 1, 1, &image, &error);
        }
    }
    if (status == MRW_OK) {
        status = mrw_png_encode(&image, &png, &error);
    }
    if (status != MRW_OK) {
        ck_assert_msg(error.text[0] != 0, "status %d without a message", (int)status);
    }
    mrw_bytes_free(&png);
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
    return status;
}

/* Whichever allocation fails, the answer is MRW_ERROR_MEMORY with a message, or the picture (an
 * arena that cannot keep its memory asks again), and nothing leaks or crashes (the sanitizer build
 * watches). Every one of the first 300, then every 37th. */
START_TEST(any_allocation_may_fail)
{
    int failures = 0;
    for (uint64_t n = 1;; n += n < 300 ? 1 : 37) {
        mrwi_base_alloc_fail_at(n);
        mrw_status status = whole_path();
        if (mrwi_base_alloc_fail_pending()) {
            ck_assert_int_eq(status, MRW_OK);
            break;
        }
        ck_assert_msg(status == MRW_ERROR_MEMORY || status == MRW_OK, "allocation %d: %s", (int)n,
                      mrw_status_name(status));
        failures += status == MRW_ERROR_MEMORY;
    }
    mrwi_base_alloc_fail_at(0);
    ck_assert_int_gt(failures, 20);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("frame");
    TCase *tc = tcase_create("frame");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, model_transform_moves_vertices_rigidly);
    tcase_add_test(tc, posed_normals_are_unit);
    tcase_add_loop_test(tc, normals_face_out_under_any_transform, 0, 3);
    tcase_add_test(tc, bind_pose_is_the_mesh);
    tcase_add_test(tc, clip_fit_holds_every_pose);
    tcase_add_test(tc, extents_do_not_depend_on_threads);
    tcase_add_test(tc, sequence_equals_single_frames);
    tcase_add_test(tc, a_failing_sink_stops_the_sequence);
    tcase_add_test(tc, the_first_frame_s_error_is_told);
    tcase_add_test(tc, instances_share_a_frame);
    tcase_add_test(tc, kernels_that_are_not_there_are_refused);
    tcase_add_test(tc, hostile_environment_changes_nothing);
    tcase_add_test(tc, any_allocation_may_fail);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
