/* test_stacks.c: the library on threads of small stacks: 64 kB are enough for all it does. */
#include "test.h"

#include <marrow/marrow.h>
#include <pthread.h>

/* Sanitizers put guards around all that is on the stack, and -O0 keeps what it does not need. */
#if defined(TEST_SANITIZED) || defined(__SANITIZE_ADDRESS__)
#define SCALE 32
#else
#define SCALE 1
#endif

static void work_on(void *(*work)(void *), void *user, size_t bytes)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *result = user;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, bytes * SCALE), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, work, user), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    pthread_attr_destroy(&attributes);
    ck_assert_ptr_null(result);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static mrw_status draw(const char *path)
{
    mrw_scene *scene = NULL;
    mrw_model *model = NULL;
    mrw_renderer *renderer = NULL;
    mrw_environment *environment = NULL;
    mrw_image image = {0}, same = {0};
    mrw_bytes png = {0};
    mrw_frame_def def = mrw_frame_def_default();
    mrw_view_def view = mrw_view_def_default();
    mrw_compare_def compare = mrw_compare_def_default();
    mrw_compare_result result;
    mrw_extents extents;
    static const float sky[32 * 16][3] = {{1, 2, 3}};
    def.width = def.height = 48;
    def.samples = 8;
    def.bits = 8;
    def.shadows = def.occlusion = true;
    mrw_status status = mrw_load_file(path, NULL, &scene, NULL);
    status = status ? status : mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, NULL);
    status = status ? status : mrw_renderer_create(&renderer, NULL);
    status = status ? status : mrw_environment_create(sky[0], 32, 16, true, 1, &environment, NULL);
    if (!status) {
        const mrw_instance instance = mrw_instance_default(model);
        def.environment = environment;
        status =
            mrw_frame_extents(&instance, 1, MRW_FIT_ALL, &view, 1, MRW_ISA_AUTO, 1, &extents, NULL);
        status = status ? status : mrw_view_camera(&view, &extents, 1, &def.camera, NULL);
        status = status ? status : mrw_render(renderer, &def, &instance, 1, 1, &image, NULL);
        status = status ? status : mrw_png_encode(&image, &png, NULL);
        status = status ? status
                        : mrw_image_decode(png.data, png.size, 3, 1 << 20, "a.png", &same, NULL);
        compare.mode = MRW_COMPARE_PERCEPTUAL;
        status = status ? status : mrw_compare(&image, &same, &compare, true, &result, NULL);
        status = status ? status : result.passed ? MRW_OK : MRW_ERROR_INTERNAL;
    }
    mrw_bytes_free(&png);
    mrw_image_free(&image);
    mrw_image_free(&same);
    mrw_environment_free(environment);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
    return status;
}

static void *draw_all(void *user)
{
    static const char *const models[] = {"demo:figure", "demo:blob", "demo:stage", "demo:swatches"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (draw(models[i])) {
            return user;
        }
    }
    return NULL;
}

START_TEST(pictures)
{
    static const size_t sizes[] = {64 << 10, 128 << 10, 256 << 10};
    int mark;
    work_on(draw_all, &mark, sizes[_i]);
}
END_TEST

/* ---- deep files ------------------------------------------------------------------------------ */

static char text[1 << 16];

/* A file whose `extras` nest `depth` levels: allowed up to 64 with those around them. */
static void *load_deep(void *user)
{
    const int depth = *(const int *)user;
    mrw_scene *scene = NULL;
    mrw_error error = {0};
    char *at = text + sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"extras\":");
    memset(at, '[', (size_t)depth);
    memset(at + depth, ']', (size_t)depth);
    strcpy(at + 2 * depth, "}");
    const mrw_status status =
        mrw_load_memory(text, strlen(text), "deep.gltf", NULL, NULL, &scene, &error);
    mrw_scene_free(scene);
    const bool told = strstr(error.text, "nests more than 64 levels");
    return (depth < 64 ? !told : status == MRW_ERROR_INPUT && told) ? NULL : user;
}

START_TEST(deep_json)
{
    static const int depths[] = {1, 63, 64, 900, 1000, 30000};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        int depth = depths[i];
        work_on(load_deep, &depth, 64 << 10);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("stacks");
    TCase *tc = tcase_create("stacks");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, pictures, 0, 3);
    tcase_add_test(tc, deep_json);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
