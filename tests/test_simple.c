/* test_simple.c: the library for other languages draws what the command draws. */
#include "test.h"

#include <marrow/codecs.h>
#include <marrow/marrow.h>
#include <marrow/simple.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static mrw_engine *engine;
static mrw_job *job;

static void enter(void)
{
    test_folder_enter();
    engine = mrw_engine_create(64u << 20);
    ck_assert_ptr_nonnull(engine);
    job = mrw_job_create(engine);
    ck_assert_ptr_nonnull(job);
}

static void leave(void)
{
    mrw_job_free(job);
    mrw_engine_free(engine);
    test_folder_remove();
}

static void set(const char *name, const char *value)
{
    ck_assert_msg(mrw_job_set(job, name, value) == MRW_OK, "%s", mrw_job_error(job));
}

static void give(const char *model)
{
    ck_assert_int_eq(mrw_job_model(job, model, NULL, 0), MRW_OK);
}

static mrw_picture_view draw(void)
{
    mrw_picture_view view;
    ck_assert_msg(mrw_job_draw(job, &view) == MRW_OK, "%s", mrw_job_error(job));
    ck_assert_ptr_nonnull(view.pixels);
    return view;
}

/* Runs the command. */
static void marrow(const char *arguments)
{
    char line[1000];
    const char *program = getenv("MARROW");
    const char *root = getenv("OLDPWD");
    (void)root;
    snprintf(line, sizeof line, "%s %s", program ? program : "marrow", arguments);
    ck_assert_msg(system(line) == 0, "%s", line);
}

static void assert_file_is(const char *path, const void *bytes, size_t size)
{
    static uint8_t file[1 << 20];
    FILE *in = fopen(path, "rb");
    ck_assert_ptr_nonnull(in);
    ck_assert_uint_eq(fread(file, 1, sizeof file, in), size);
    fclose(in);
    ck_assert_mem_eq(file, bytes, size);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static const char *const looks[][2] = {
    {"size", "40x30"}, {"azimuth", "50"}, {"time", "0.3"}, {"background", "none"}, {"clip", "Run"}};

START_TEST(views_are_the_commands_pictures)
{
    mrw_image image = {0};
    give("demo:figure");
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        set(looks[i][0], looks[i][1]);
    }
    const mrw_picture_view view = draw();
    marrow("render demo:figure --size 40x30 --azimuth 50 --time 0.3 --background none --clip Run "
           "-q -o a.png");
    ck_assert_int_eq(mrw_image_read("a.png", 4, &image, NULL), MRW_OK);
    ck_assert_uint_eq(view.width, 40);
    ck_assert_uint_eq(view.height, 30);
    ck_assert_uint_eq(view.channels, 4);
    ck_assert_uint_eq(view.stride, 160);
    ck_assert_mem_eq(view.pixels, image.pixels, 40 * 30 * 4);
    mrw_image_free(&image);
}
END_TEST

START_TEST(files_are_the_commands)
{
    static const char *const formats[] = {"png", "jpg", "gif", "webp", "apng"};
    char line[200], name[20];
    give("demo:figure");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const void *bytes = NULL;
        size_t size = 0;
        const bool one = i < 2;
        ck_assert_int_eq(mrw_job_set(job, NULL, NULL), MRW_OK);
        set("size", "32");
        set(one ? "time" : "count", one ? "0.2" : "3");
        ck_assert_msg(mrw_job_encode(job, formats[i], &bytes, &size) == MRW_OK, "%s",
                      mrw_job_error(job));
        snprintf(name, sizeof name, "a.%s", formats[i]);
        snprintf(line, sizeof line, "render demo:figure --size 32 %s -q -o %s",
                 one ? "--time 0.2" : "--count 3", name);
        marrow(line);
        assert_file_is(name, bytes, size);
    }
}
END_TEST

START_TEST(passes_are_the_commands)
{
    const void *bytes = NULL;
    size_t size = 0;
    give("demo:figure");
    set("size", "24");
    set("aov", "depth,normal");
    ck_assert_msg(mrw_job_encode(job, "exr", &bytes, &size) == MRW_OK, "%s", mrw_job_error(job));
    marrow("render demo:figure --size 24 --aov depth,normal -q -o a.exr");
    assert_file_is("a.exr", bytes, size);
    mrw_picture_view view;
    ck_assert_int_eq(mrw_job_draw(job, &view), MRW_ERROR_USAGE);
    ck_assert_ptr_null(view.pixels);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

static const char gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
    "\"extensionsUsed\":[\"KHR_materials_variants\"],"
    "\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"blue\"}]}},"
    "\"nodes\":[{\"mesh\":0}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
    "\"buffers\":[{\"byteLength\":36,\"uri\":\"data.bin\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
    "\"min\":[0,0,0],\"max\":[9,9,0]}]}";
static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static int find_corners(void *user, const char *name, const void **bytes, size_t *size)
{
    *(int *)user += strcmp(name, "data.bin") == 0;
    *bytes = corners;
    *size = sizeof corners;
    return strcmp(name, "data.bin") == 0;
}

START_TEST(models_come_from_memory)
{
    mrw_picture_view view;
    int asked = 0;
    uint8_t first[16 * 16 * 3];
    set("size", "16");
    set("azimuth", "90");
    ck_assert_int_eq(mrw_job_model(job, "t.gltf", gltf, sizeof gltf - 1), MRW_OK);
    ck_assert_int_eq(mrw_job_draw(job, &view), MRW_ERROR_INPUT);
    ck_assert_msg(strstr(mrw_job_error(job), "data.bin"), "%s", mrw_job_error(job));
    ck_assert_int_eq(mrw_job_file(job, "data.bin", corners, sizeof corners), MRW_OK);
    view = draw();
    ck_assert_str_eq(mrw_job_error(job), "");
    memcpy(first, view.pixels, sizeof first);

    ck_assert_int_eq(mrw_job_model(job, "t.gltf", gltf, sizeof gltf - 1), MRW_OK);
    ck_assert_int_eq(mrw_job_draw(job, &view), MRW_ERROR_INPUT); /* the file is forgotten */
    mrw_job_find(job, find_corners, &asked);
    view = draw();
    ck_assert_int_gt(asked, 0);
    ck_assert_mem_eq(view.pixels, first, sizeof first);

    test_write("t.gltf", gltf, sizeof gltf - 1);
    test_write("data.bin", corners, sizeof corners);
    give("t.gltf");
    view = draw();
    ck_assert_mem_eq(view.pixels, first, sizeof first);
}
END_TEST

/* A model that was loaded is neither read nor loaded again for other options. */
START_TEST(a_kept_model_is_not_loaded_again)
{
    int asked = 0;
    ck_assert_int_eq(mrw_job_model(job, "t.gltf", gltf, sizeof gltf - 1), MRW_OK);
    mrw_job_find(job, find_corners, &asked);
    set("size", "8");
    draw();
    const int loads = asked;
    set("azimuth", "30");
    draw();
    set("look", "hero");
    draw();
    ck_assert_int_eq(asked, loads);
    set("flip-winding", NULL); /* decides how it is read */
    draw();
    ck_assert_int_gt(asked, loads);
}
END_TEST

/* ---- texts ----------------------------------------------------------------------------------- */

START_TEST(texts_are_the_commands)
{
    static char expected[1 << 20];
    give("demo:figure");
    const char *info = mrw_job_text(job, "info");
    ck_assert_msg(info, "%s", mrw_job_error(job));
    marrow("info demo:figure --json >info.json");
    FILE *in = fopen("info.json", "r");
    size_t size = fread(expected, 1, sizeof expected - 1, in);
    fclose(in);
    ck_assert_uint_gt(size, 1000);
    expected[size - 1] = '\0'; /* without the newline */
    ck_assert_str_eq(info, expected);

    set("count", "2");
    set("clip", "Walk");
    set("quality", "50"); /* an option that bake lacks */
    const char *joints = mrw_job_text(job, "joints");
    ck_assert_msg(joints, "%s", mrw_job_error(job));
    marrow("bake demo:figure --count 2 --clip Walk --joints - -q >joints.json");
    in = fopen("joints.json", "r");
    size = fread(expected, 1, sizeof expected - 1, in);
    fclose(in);
    expected[size - 1] = '\0';
    char *second = strchr(expected, '\n');
    ck_assert_ptr_nonnull(second);
    ck_assert_int_eq(joints[0], '[');
    ck_assert_int_eq(strncmp(joints + 1, expected, (size_t)(second - expected)), 0);
    ck_assert_ptr_nonnull(strstr(joints, second + 1));

    const char *passes = mrw_job_text(job, "passes");
    ck_assert_ptr_nonnull(passes);
    ck_assert_ptr_nonnull(strstr(passes, "\"depth\""));
    ck_assert_ptr_null(mrw_job_text(job, "nonsense"));
    ck_assert_msg(strstr(mrw_job_error(job), "nonsense"), "%s", mrw_job_error(job));
}
END_TEST

START_TEST(info_knows_variants_of_kept_models)
{
    ck_assert_int_eq(mrw_job_model(job, "t.gltf", gltf, sizeof gltf - 1), MRW_OK);
    ck_assert_int_eq(mrw_job_file(job, "data.bin", corners, sizeof corners), MRW_OK);
    set("size", "8");
    for (int i = 0; i < 2; i++) {
        const char *info = mrw_job_text(job, "info");
        ck_assert_msg(info && strstr(info, "\"blue\""), "%s", info ? info : mrw_job_error(job));
        draw();
    }
}
END_TEST

START_TEST(warnings_are_repeated)
{
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"X_unknown\"],\"nodes\":[{}],"
        "\"scenes\":[{\"nodes\":[0]}]}";
    ck_assert_int_eq(mrw_job_model(job, "w \"1\".gltf", text, sizeof text - 1), MRW_OK);
    set("size", "8");
    for (int i = 0; i < 2; i++) {
        draw();
        const char *warnings = mrw_job_text(job, "warnings");
        ck_assert_msg(warnings && strstr(warnings, "X_unknown") && strstr(warnings, "w \\\"1\\\""),
                      "%s", warnings);
    }
    give("demo:figure");
    draw();
    ck_assert_str_eq(mrw_job_text(job, "warnings"), "[]");
    give("demo:blob");
    set("flip-winding", NULL);
    for (int i = 0; i < 2; i++) { /* measured once, and told each time */
        draw();
        const char *warnings = mrw_job_text(job, "warnings");
        ck_assert_msg(strstr(warnings, "its triangles face inwards"), "%s", warnings);
    }
}
END_TEST

/* ---- mistakes -------------------------------------------------------------------------------- */

START_TEST(mistakes_are_told)
{
    static const struct {
        const char *name, *value, *part;
    } options[] = {{"siez", "1", "--size"},
                   {"size", "0", "--size"},
                   {"output", "a.png", "of the command"},
                   {"memory", "1G", "of the command"},
                   {"verbose", NULL, "of the command"}};
    mrw_picture_view view;
    const void *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(mrw_job_draw(job, &view), MRW_ERROR_USAGE);
    ck_assert_msg(strstr(mrw_job_error(job), "no model"), "%s", mrw_job_error(job));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        ck_assert_int_eq(mrw_job_set(job, options[i].name, options[i].value), MRW_ERROR_USAGE);
        ck_assert_msg(strstr(mrw_job_error(job), options[i].part), "%s", mrw_job_error(job));
    }
    give("demo:nobody");
    ck_assert_int_eq(mrw_job_draw(job, &view), MRW_ERROR_INPUT);
    give("demo:figure");
    set("size", "8");
    set("sync", NULL);
    ck_assert_int_eq(mrw_job_draw(job, &view), MRW_ERROR_USAGE);
    ck_assert_msg(strstr(mrw_job_error(job), "--blend"), "%s", mrw_job_error(job));
    ck_assert_int_eq(mrw_job_set(job, NULL, NULL), MRW_OK);
    set("count", "3");
    ck_assert_int_eq(mrw_job_draw(job, &view), MRW_ERROR_USAGE);
    ck_assert_msg(strstr(mrw_job_error(job), "3 pictures"), "%s", mrw_job_error(job));
    ck_assert_int_eq(mrw_job_encode(job, "png", &bytes, &size), MRW_ERROR_USAGE);
    ck_assert_int_eq(mrw_job_encode(job, "mp4", &bytes, &size), MRW_ERROR_USAGE);
    ck_assert_int_eq(mrw_job_encode(job, "a/b", &bytes, &size), MRW_ERROR_USAGE);
    ck_assert_int_eq(mrw_job_encode(job, "", &bytes, &size), MRW_ERROR_USAGE);
    ck_assert_ptr_null(bytes);
    set("max-work", "1000");
    ck_assert_int_eq(mrw_job_encode(job, "gif", &bytes, &size), MRW_ERROR_INPUT);
    ck_assert_msg(strstr(mrw_job_error(job), "--max-work"), "%s", mrw_job_error(job));
    ck_assert_int_eq(mrw_job_set(job, NULL, NULL), MRW_OK);
    set("size", "8");
    draw();
    ck_assert_str_eq(mrw_job_error(job), "");
}
END_TEST

/* A request that comes before the call ends it, and no later one. */
START_TEST(a_job_is_cancelled)
{
    mrw_picture_view view;
    give("demo:figure");
    set("size", "8");
    mrw_job_cancel(job);
    ck_assert_int_eq(mrw_job_draw(job, &view), MRW_ERROR_CANCELLED);
    draw();
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

/* Draws models by turns, each the same way; canaries would show another's pixels. */
static void *draw_by_turns(void *hash)
{
    static const char *const models[] = {"demo:figure", "demo:blob", "demo:tentacle"};
    uint8_t(*hashes)[32] = hash;
    mrw_job *own = mrw_job_create(engine);
    ck_assert_ptr_nonnull(own);
    ck_assert_int_eq(mrw_job_set(own, "jobs", "1"), MRW_OK);
    ck_assert_int_eq(mrw_job_set(own, "size", "16"), MRW_OK);
    for (int i = 0; i < 12; i++) {
        mrw_picture_view view;
        mrw_image image = {0};
        uint8_t found[32];
        ck_assert_int_eq(mrw_job_model(own, models[i % 3], NULL, 0), MRW_OK);
        ck_assert_int_eq(mrw_job_draw(own, &view), MRW_OK);
        image.pixels = (uint8_t *)(uintptr_t)view.pixels;
        image.width = view.width;
        image.height = view.height;
        image.channels = view.channels;
        mrw_image_hash(&image, found);
        if (i < 3) {
            memcpy(hashes[i], found, sizeof found);
        }
        ck_assert_mem_eq(hashes[i % 3], found, sizeof found);
    }
    mrw_job_free(own);
    return NULL;
}

START_TEST(threads_share_an_engine)
{
    pthread_t threads[3];
    static uint8_t hashes[3][3][32];
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, draw_by_turns, hashes[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_mem_eq(hashes[i], hashes[0], sizeof hashes[0]);
    }
    ck_assert_int_ne(memcmp(hashes[0][0], hashes[0][1], 32), 0);
}
END_TEST

START_TEST(the_version_is_the_headers)
{
    ck_assert_uint_eq(mrw_abi_version(), MRW_ABI_VERSION);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("simple");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, enter, leave);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, views_are_the_commands_pictures);
    tcase_add_test(t, files_are_the_commands);
    tcase_add_test(t, passes_are_the_commands);
    tcase_add_test(t, models_come_from_memory);
    tcase_add_test(t, a_kept_model_is_not_loaded_again);
    tcase_add_test(t, texts_are_the_commands);
    tcase_add_test(t, info_knows_variants_of_kept_models);
    tcase_add_test(t, warnings_are_repeated);
    tcase_add_test(t, mistakes_are_told);
    tcase_add_test(t, a_job_is_cancelled);
    tcase_add_test(t, threads_share_an_engine);
    tcase_add_test(t, the_version_is_the_headers);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
