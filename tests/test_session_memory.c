/* test_session_memory.c: models that are loaded from memory, and a cache with a limit. */
#include "test.h"

#include <marrow/marrow.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- files in memory ------------------------------------------------------------------------- */

/* A triangle whose vertices lie in data.bin and whose picture is "tex\skin.png". */
static const char gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
    "\"nodes\":[{\"name\":\"n\",\"mesh\":0}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},"
    "\"material\":0}]}],"
    "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}],"
    "\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"tex%5Cskin.png\"}],"
    "\"buffers\":[{\"byteLength\":36,\"uri\":\"data.bin\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteLength\":24}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
    "\"min\":[0,0,0],\"max\":[9,9,0]},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}]}";

typedef struct entry {
    const char *name;
    const void *bytes;
    size_t size;
} entry;

/* A host that has files in memory, and notes what it is asked for and told. */
typedef struct shelf {
    entry entries[3];
    int warnings;
    char asked[400]; /* names, each with a space behind it */
} shelf;

static bool find_file(void *user, const char *name, const void **bytes, size_t *size)
{
    shelf *s = user;
    strncat(s->asked, name, sizeof s->asked - strlen(s->asked) - 1);
    strncat(s->asked, " ", sizeof s->asked - strlen(s->asked) - 1);
    for (int i = 0; i < 3; i++) {
        if (s->entries[i].name && strcmp(s->entries[i].name, name) == 0) {
            *bytes = s->entries[i].bytes;
            *size = s->entries[i].size;
            return true;
        }
    }
    return false;
}

static void hear_warning(void *user, const char *text)
{
    (void)text;
    ((shelf *)user)->warnings++;
}

static shelf files;
static const mrw_session_host host = {
    .user = &files, .find_file = find_file, .warning = hear_warning};
static const mrw_session_host no_files = {.user = &files, .warning = hear_warning};
static float data[9];
static mrw_bytes picture;
static mrw_session_cache *cache;
static mrw_settings settings;

static void enter(void)
{
    const float corners[] = {0, 0, 0, 2, 0, 0, 0, 1, 0};
    mrw_image image = {0};
    test_folder_enter();
    memcpy(data, corners, sizeof data);
    ck_assert_int_eq(mrw_image_create(2, 2, 3, &image, NULL), MRW_OK);
    memset(image.pixels, 90, 12);
    ck_assert_int_eq(mrw_png_encode(&image, &picture, NULL), MRW_OK);
    mrw_image_free(&image);
    files = (shelf){.entries = {{"data.bin", data, sizeof data}}};
    mrw_settings_init(&settings);
    ck_assert_int_eq(mrw_session_cache_create(&cache, NULL), MRW_OK);
}

static void leave(void)
{
    mrw_session_cache_free(cache);
    mrw_settings_free(&settings);
    mrw_bytes_free(&picture);
    test_folder_remove();
}

/* Loads bytes from a block that is freed afterwards, and that ends where the bytes end. */
static mrw_status load(const void *bytes, size_t size, const char *name, const mrw_session_host *to,
                       const mrw_scene **out, mrw_error *error)
{
    void *copy = malloc(size > 0 ? size : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, size);
    const mrw_status status =
        mrw_session_cache_load_memory(cache, copy, size, name, &settings, to, out, error);
    free(copy);
    return status;
}

static const mrw_scene *take(const char *name)
{
    const mrw_scene *scene = NULL;
    mrw_error error = {0};
    ck_assert_msg(load(gltf, sizeof gltf - 1, name, &host, &scene, &error) == MRW_OK, "%s",
                  error.text);
    return scene;
}

START_TEST(a_model_in_memory_finds_its_files)
{
    const mrw_scene *scene = take("a.gltf");
    ck_assert_float_eq(scene->positions[3], 2.0f);
    ck_assert_uint_ne(scene->images[0].flags & MRW_IMAGE_MISSING, 0);
    ck_assert_int_eq(files.warnings, 1);
    ck_assert_str_eq(files.asked, "tex\\skin.png tex/skin.png skin.png data.bin ");
    mrw_session_cache_release(cache, scene);

    files.entries[1] = (entry){"skin.png", picture.data, picture.size};
    scene = take("a.gltf");
    ck_assert_uint_eq(scene->images[0].flags & MRW_IMAGE_MISSING, 0);
    ck_assert_uint_eq(scene->images[0].width, 2);
    ck_assert_int_eq(files.warnings, 1);
    mrw_session_cache_release(cache, scene);
}
END_TEST

/* Neither beside the program nor at an absolute path. */
START_TEST(no_file_of_the_machine_is_read)
{
    const mrw_scene *scene = NULL;
    mrw_error error = {0};
    test_write("data.bin", data, sizeof data);
    test_write("skin.png", picture.data, picture.size);
    const mrw_scene *found = take("a.gltf");
    ck_assert_uint_ne(found->images[0].flags & MRW_IMAGE_MISSING, 0);
    mrw_session_cache_release(cache, found);
    files.entries[0].name = "other.bin";
    ck_assert_int_eq(load(gltf, sizeof gltf - 1, "a.gltf", &host, &scene, &error), MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, "data.bin") && strstr(error.text, "does not exist"), "%s",
                  error.text);
    ck_assert_int_eq(load(gltf, sizeof gltf - 1, "./a.gltf", &no_files, &scene, &error),
                     MRW_ERROR_INPUT);
    ck_assert_ptr_null(scene);
}
END_TEST

START_TEST(the_content_tells_models_apart)
{
    const mrw_scene *first = take("a.gltf");
    ck_assert_ptr_eq(take("b.gltf"), first);
    data[3] = 3;
    const mrw_scene *second = take("a.gltf");
    ck_assert_ptr_ne(second, first);
    ck_assert_float_eq(first->positions[3], 2.0f);
    ck_assert_float_eq(second->positions[3], 3.0f);
    mrw_session_cache_release(cache, first);
    mrw_session_cache_release(cache, first);
    mrw_session_cache_release(cache, second);
}
END_TEST

/* The importer reads a library of materials, too. */
START_TEST(imported_models_find_their_files)
{
    static const char obj[] = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n";
    static const char mtl[] = "newmtl red\nKd 1 0 0\n";
    const mrw_scene *scene = NULL;
    mrw_error error = {0};
    files.entries[0] = (entry){"m.mtl", mtl, sizeof mtl - 1};
    ck_assert_msg(load(obj, sizeof obj - 1, "a.obj", &host, &scene, &error) == MRW_OK, "%s",
                  error.text);
    const mrw_material *material = &scene->materials[scene->meshes[0].material];
    ck_assert_float_eq_tol(material->maps[MRW_MAP_BASE_COLOR].factor[0], 1.0f, 1e-6f);
    ck_assert_float_eq_tol(material->maps[MRW_MAP_BASE_COLOR].factor[1], 0.0f, 1e-6f);
    mrw_session_cache_release(cache, scene);
}
END_TEST

START_TEST(bad_bytes_are_refused)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *name, *part;
    } cases[] = {{"", 0, "a.gltf", "a.gltf"},
                 {"{", 1, "a.gltf", "a.gltf"},
                 {"hello", 5, "-", "-: "},
                 {"hello", 5, "demo:figure", "demo:figure: "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mrw_scene *scene = NULL;
        mrw_error error = {0};
        ck_assert_int_eq(load(cases[i].bytes, cases[i].size, cases[i].name, &host, &scene, &error),
                         MRW_ERROR_INPUT);
        ck_assert_msg(strstr(error.text, cases[i].part), "%s", error.text);
    }
    settings.files.max_file_size = 10;
    const mrw_scene *scene = NULL;
    mrw_error error = {0};
    ck_assert_int_eq(load(gltf, sizeof gltf - 1, "a.gltf", &host, &scene, &error), MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, "--max-file-size"), "%s", error.text);
}
END_TEST

/* ---- the limit ------------------------------------------------------------------------------- */

/* Takes and releases the model whose vertex is at x. */
static void visit(float x)
{
    data[3] = x;
    mrw_session_cache_release(cache, take("a.gltf"));
}

/* Returns true if a visit loads the model: its picture is missing, which each load warns of. */
static bool visit_loads(float x)
{
    const int before = files.warnings;
    visit(x);
    return files.warnings != before;
}

START_TEST(without_a_limit_nothing_unused_stays)
{
    ck_assert(visit_loads(1));
    ck_assert(visit_loads(1));
    mrw_session_cache_limit(cache, UINT64_C(1) << 30);
    ck_assert(visit_loads(1));
    ck_assert(!visit_loads(1));
    mrw_session_cache_limit(cache, 0);
    ck_assert(visit_loads(1));
}
END_TEST

/* An entry counts 16 kB besides its scene: three fit, and four do not. */
START_TEST(the_least_recently_used_goes_first)
{
    const uint64_t size = take("a.gltf")->blob_size;
    mrw_session_cache_limit(cache, 3 * (size + 20000));
    ck_assert_uint_gt(4 * (size + 16000), 3 * (size + 20000));
    ck_assert(visit_loads(3));
    ck_assert(visit_loads(4));
    ck_assert(visit_loads(5));
    ck_assert(!visit_loads(3));
    ck_assert(visit_loads(6)); /* 4 goes */
    ck_assert(!visit_loads(3));
    ck_assert(!visit_loads(5));
    ck_assert(!visit_loads(6));
    ck_assert(visit_loads(4));
    ck_assert(!visit_loads(2)); /* still taken, so nothing evicts it */
    data[3] = 2;
    const mrw_scene *held = take("a.gltf");
    mrw_session_cache_release(cache, held);
    mrw_session_cache_release(cache, held);
}
END_TEST

/* A failure is remembered for its name, as long as there is room. */
START_TEST(failures_are_bounded)
{
    const mrw_scene *scene = NULL;
    char name[40];
    mrw_session_cache_limit(cache, 200000);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "%d.gltf", i);
        ck_assert_int_eq(load("{", 1, name, &host, &scene, NULL), MRW_ERROR_INPUT);
    }
    ck_assert(visit_loads(1));
    ck_assert(!visit_loads(1));
}
END_TEST

/* A load that was cancelled is no failure of the file, with a limit or without. */
START_TEST(cancelled_loads_are_not_kept)
{
    for (int limited = 0; limited < 2; limited++) {
        mrw_cancel cancel = {0};
        const mrw_scene *scene = NULL;
        const mrw_status why = limited ? MRW_ERROR_TIME : MRW_ERROR_CANCELLED;
        mrw_session_cache_limit(cache, limited ? 1 << 20 : 0);
        mrw_cancel_enter(&cancel);
        mrw_cancel_request(&cancel, why);
        ck_assert_int_eq(load(gltf, sizeof gltf - 1, "a.gltf", &host, &scene, NULL), why);
        mrw_cancel_enter(NULL);
        ck_assert(visit_loads(1));
    }
}
END_TEST

/* The cache keeps its own copies of the options that it compares. */
START_TEST(options_need_not_outlive_the_call)
{
    mrw_session_cache_limit(cache, 1 << 20);
    for (int i = 0; i < 2; i++) {
        char *folder = strdup("one"), *format = strdup("gltf");
        ck_assert_int_eq(mrw_settings_set(&settings, "texture-dir", folder, NULL), MRW_OK);
        ck_assert_int_eq(mrw_settings_set(&settings, "input-format", format, NULL), MRW_OK);
        ck_assert_int_eq(visit_loads(1), i == 0);
        memset(folder, 'x', 3);
        memset(format, 'x', 4);
        mrw_settings_free(&settings);
        mrw_settings_init(&settings);
        free(folder);
        free(format);
    }
    ck_assert(visit_loads(1)); /* other options, another model */
}
END_TEST

/* Threads that take and release more models than fit. */
static void *wander(void *seed)
{
    static const char format[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"name\":\"n%d\"}]}";
    unsigned state = *(unsigned *)seed;
    for (int i = 0; i < 300; i++) {
        const mrw_scene *scene = NULL;
        char text[200], name[16];
        state = state * 1103515245u + 12345u;
        const int which = (int)(state >> 16) % 9;
        snprintf(text, sizeof text, format, which);
        snprintf(name, sizeof name, "n%d", which);
        ck_assert_int_eq(mrw_session_cache_load_memory(cache, text, strlen(text), "a.gltf",
                                                       &settings, NULL, &scene, NULL),
                         MRW_OK);
        ck_assert_str_eq(mrw_scene_string(scene, scene->nodes[0].name), name);
        mrw_session_cache_release(cache, scene);
    }
    return NULL;
}

START_TEST(threads_share_what_fits)
{
    pthread_t threads[4];
    unsigned seeds[4] = {1, 2, 3, 4};
    mrw_session_cache_limit(cache, 60000);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, wander, &seeds[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("session memory");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, enter, leave);
    tcase_add_test(t, a_model_in_memory_finds_its_files);
    tcase_add_test(t, no_file_of_the_machine_is_read);
    tcase_add_test(t, the_content_tells_models_apart);
    tcase_add_test(t, imported_models_find_their_files);
    tcase_add_test(t, bad_bytes_are_refused);
    tcase_add_test(t, without_a_limit_nothing_unused_stays);
    tcase_add_test(t, the_least_recently_used_goes_first);
    tcase_add_test(t, failures_are_bounded);
    tcase_add_test(t, cancelled_loads_are_not_kept);
    tcase_add_test(t, options_need_not_outlive_the_call);
    tcase_add_test(t, threads_share_what_fits);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
