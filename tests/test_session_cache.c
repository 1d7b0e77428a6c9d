/* test_session_cache.c: a model that is asked for again is not loaded again, and one that only
 * looks the same is. */
#include "test.h"

#include "base/memory.h"

#include <fcntl.h>
#include <marrow/marrow.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

static void enter(void)
{
    test_folder_enter();
    ck_assert_int_eq(mkdir("a", 0777), 0);
    ck_assert_int_eq(mkdir("b", 0777), 0);
}

/* ---- models ---------------------------------------------------------------------------------- */

/* A triangle whose vertices, and key times, lie in data.bin beside it, and whose picture is
 * skin.png. */
static void write_gltf(const char *path)
{
    test_write_text(
        path, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,"
              "\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"v\"}]}},"
              "\"scenes\":[{\"nodes\":[0]},{\"nodes\":[1]}],"
              "\"nodes\":[{\"name\":\"n\",\"mesh\":0},{\"name\":\"m\",\"mesh\":0}],"
              "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":2},"
              "\"material\":0}]}],"
              "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}],"
              "\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"skin.png\"}],"
              "\"buffers\":[{\"byteLength\":44,\"uri\":\"data.bin\"}],\"bufferViews\":["
              "{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":8},"
              "{\"buffer\":0,\"byteLength\":24}],"
              "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
              "\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[9,9,0]},"
              "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\","
              "\"min\":[0],\"max\":[1]},"
              "{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"},"
              "{\"bufferView\":2,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],"
              "\"animations\":[{\"name\":\"Go\",\"samplers\":[{\"input\":1,\"output\":3}],"
              "\"channels\":[{\"sampler\":0,"
              "\"target\":{\"node\":0,\"path\":\"translation\"}}]}]}");
}

static void write_data(const char *path, float x)
{
    const float data[] = {0, 0, 0, x, 0, 0, 0, 1, 0, 0, 1};
    test_write(path, data, sizeof data);
}

static void write_picture(const char *path, uint32_t side, uint8_t value)
{
    mrw_image image = {0};
    mrw_bytes png = {0};
    ck_assert_int_eq(mrw_image_create(side, side, 3, &image, NULL), MRW_OK);
    memset(image.pixels, value, (size_t)side * side * 3);
    ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
    test_write(path, png.data, png.size);
    mrw_bytes_free(&png);
    mrw_image_free(&image);
}

static void write_model(const char *path, const char *data, float x)
{
    write_gltf(path);
    write_data(data, x);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* What a host hears and gives. */
typedef struct ears {
    atomic_int warnings;
    int stdins;
} ears;

static void hear_warning(void *user, const char *text)
{
    (void)text;
    atomic_fetch_add(&((ears *)user)->warnings, 1);
}

static mrw_status give_model(void *user, const mrw_load_def *def, mrw_scene **out, mrw_error *error)
{
    ((ears *)user)->stdins++;
    return mrw_load_file("a/a.gltf", def, out, error);
}

static ears heard;
static const mrw_session_host host = {
    .user = &heard, .warning = hear_warning, .standard_input = give_model};

static mrw_session_cache *cache;
static mrw_settings defaults;

static void begin(void)
{
    heard.warnings = heard.stdins = 0;
    mrw_settings_init(&defaults);
    ck_assert_int_eq(mrw_session_cache_create(&cache, NULL), MRW_OK);
}

static void end(void)
{
    mrw_session_cache_free(cache);
    mrw_settings_free(&defaults);
}

static const mrw_scene *take_with(const char *path, const mrw_settings *settings)
{
    const mrw_scene *scene = NULL;
    mrw_error error = {0};
    ck_assert_msg(mrw_session_cache_load(cache, path, settings, &host, &scene, &error) == MRW_OK,
                  "%s", error.text);
    ck_assert_ptr_nonnull(scene);
    return scene;
}

static const mrw_scene *take(const char *path)
{
    return take_with(path, &defaults);
}

static void assert_refused(const char *path, mrw_status expected, const char *part)
{
    const mrw_scene *scene = NULL;
    mrw_error error = {0};
    ck_assert_int_eq(mrw_session_cache_load(cache, path, &defaults, &host, &scene, &error),
                     expected);
    ck_assert_ptr_null(scene);
    ck_assert_msg(strstr(error.text, part), "%s", error.text);
}

/* ---- the same and others --------------------------------------------------------------------- */

/* The picture is missing: each load warns of it, once. */
START_TEST(one_file_is_loaded_once)
{
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    const mrw_scene *first = take("a/a.gltf");
    ck_assert_ptr_eq(take("a/a.gltf"), first);
    ck_assert_ptr_eq(take("./a/../a/a.gltf"), first);
    ck_assert_int_eq(heard.warnings, 1);
    const mrw_scene *demo = take("demo:blob");
    ck_assert_ptr_ne(demo, first);
    ck_assert_ptr_eq(take("demo:blob"), demo);
    end();
}
END_TEST

/* Two texts are equal; what they name decides, in whichever folder it lies. */
START_TEST(equal_texts_name_files_of_their_own)
{
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    write_model("b/b.gltf", "b/data.bin", 2.0f);
    const mrw_scene *a = take("a/a.gltf"), *b = take("b/b.gltf");
    ck_assert_ptr_ne(a, b);
    ck_assert_float_eq(a->positions[3], 1.0f);
    ck_assert_float_eq(b->positions[3], 2.0f);
    write_data("b/data.bin", 1.0f);
    ck_assert_ptr_eq(take("b/b.gltf"), a);
    /* a picture that one of them has */
    write_picture("b/skin.png", 2, 9);
    b = take("b/b.gltf");
    ck_assert_ptr_ne(b, a);
    ck_assert_uint_eq(b->images[0].flags & MRW_IMAGE_MISSING, 0);
    ck_assert_uint_ne(a->images[0].flags & MRW_IMAGE_MISSING, 0);
    /* and that the other finds elsewhere */
    mrw_settings with = defaults;
    const char *folders[] = {"b"};
    with.model.texture_dirs = (mrw_text_list){folders, 1};
    const mrw_scene *found = take_with("a/a.gltf", &with);
    ck_assert_ptr_ne(found, a);
    ck_assert_uint_eq(found->images[0].flags & MRW_IMAGE_MISSING, 0);
    write_picture("a/skin.png", 2, 10);
    ck_assert_ptr_ne(take_with("a/a.gltf", &with), found);
    end();
}
END_TEST

/* Even with the size and times it had. */
START_TEST(a_changed_file_is_another)
{
    static const char *const files[] = {"a/a.gltf", "a/data.bin", "a/skin.png"};
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    write_picture("a/skin.png", 2, 9);
    const mrw_scene *first = take("a/a.gltf");
    for (int i = 0; i < 3; i++) {
        struct stat before;
        char keep[4096];
        ck_assert_int_eq(stat(files[i], &before), 0);
        FILE *file = fopen(files[i], "r+b");
        const size_t size = fread(keep, 1, sizeof keep, file);
        const long at = i == 0 ? (long)(strstr(keep, "\"Go\"") - keep) + 1 : i == 1 ? 15 : -1;
        if (at >= 0) { /* x, another name of the clip */
            ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
            fputc(i == 0 ? 'H' : 0x40, file);
        }
        fclose(file);
        if (i == 2) {
            write_picture("a/skin.png", 2, 8);
        }
        const struct timespec times[2] = {before.st_atim, before.st_mtim};
        ck_assert_int_eq(utimensat(AT_FDCWD, files[i], times, 0), 0);
        const mrw_scene *changed = take("a/a.gltf");
        ck_assert_msg(changed != first, "%s", files[i]);
        ck_assert(memcmp(mrw_scene_hash(changed), mrw_scene_hash(first), 32) != 0);
        test_write(files[i], keep, size);
        ck_assert_ptr_eq(take("a/a.gltf"), first);
    }
    end();
}
END_TEST

static bool is_among(const char *name, const char *const (*texts)[2], int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(texts[i][0], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Each option that reading looks at, given once. */
START_TEST(settings_of_reading_tell_models_apart)
{
    static const char *const texts[][2] = {
        {"allow-format", "md5"}, {"input-format", "gltf"}, {"scene", "1"},
        {"asset-root", "a"},     {"texture-dir", "b"},     {"max-file-size", "1M"},
        {"anim", "a/a.gltf"},    {"max-vertices", "1000"}, {"max-texture-size", "10x10"},
        {"max-joints", "1000"},  {"max-keys", "1000"},     {"texture-memory", "1M"},
        {"import-seconds", "5"}, {"import-memory", "1G"},  {"fbx-curves", "0"},
        {"no-sandbox", "1"},     {"from-first-key", "1"},  {"material-colors", "srgb"},
        {"flip-v", "1"},         {"flip-winding", "1"},    {"variant", "0"},
    };
    enum { COUNT = sizeof texts / sizeof *texts };
    mrw_settings settings[COUNT];
    const mrw_scene *scenes[COUNT];
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        const bool reads = option->group == MRW_OPTIONS_FILES ||
                           strcmp(option->name, "anim") == 0 ||
                           strcmp(option->name, "texture-dir") == 0;
        ck_assert_msg(is_among(option->name, texts, COUNT) == reads, "%s", option->name);
    }
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    const mrw_scene *plain = take("a/a.gltf");
    for (int i = 0; i < COUNT; i++) {
        mrw_error error = {0};
        mrw_settings_init(&settings[i]);
        ck_assert_msg(mrw_settings_set(&settings[i], texts[i][0], texts[i][1], &error) == MRW_OK,
                      "%s", error.text);
        scenes[i] = take_with("a/a.gltf", &settings[i]);
        ck_assert_msg(scenes[i] != plain, "%s", texts[i][0]);
        for (int k = 0; k < i; k++) {
            ck_assert_ptr_ne(scenes[i], scenes[k]);
        }
        ck_assert_ptr_eq(take_with("a/a.gltf", &settings[i]), scenes[i]);
    }
    mrw_settings other = defaults;
    other.picture.width = 64;
    other.run.threads = 3;
    other.picture.shading = MRW_SHADING_RAW;
    ck_assert_ptr_eq(take_with("a/a.gltf", &other), plain);
    mrw_session_host blind = host; /* who looks at a model may have one with all texels */
    const mrw_scene *scene;
    blind.no_texels = true;
    ck_assert_int_eq(mrw_session_cache_load(cache, "a/a.gltf", &defaults, &blind, &scene, NULL),
                     MRW_OK);
    ck_assert_ptr_eq(scene, plain);
    mrw_session_cache_free(cache); /* before the settings it borrows */
    for (int i = 0; i < COUNT; i++) {
        mrw_settings_free(&settings[i]);
    }
    mrw_settings_free(&defaults);
}
END_TEST

START_TEST(clips_of_other_files_count)
{
    const char *anims[] = {"b/clip.gltf"};
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    write_model("b/clip.gltf", "b/data.bin", 1.0f);
    mrw_settings with = defaults;
    with.animation.anims = (mrw_text_list){anims, 1};
    const mrw_scene *first = take_with("a/a.gltf", &with);
    ck_assert_ptr_eq(take_with("a/a.gltf", &with), first);
    ck_assert_ptr_ne(take("a/a.gltf"), first);
    const float later[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2};
    test_write("b/data.bin", later, sizeof later);
    ck_assert_ptr_ne(take_with("a/a.gltf", &with), first);
    end();
}
END_TEST

START_TEST(standard_input_is_one_model)
{
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    const mrw_scene *first = take("-");
    ck_assert_ptr_eq(take("-"), first);
    ck_assert_ptr_ne(take("a/a.gltf"), first);
    ck_assert_int_eq(heard.stdins, 1);
    end();
}
END_TEST

/* In this process assimp's scene is never freed: a leak. */
#ifdef TEST_SANITIZED
#define WAYS 1
#else
#define WAYS 2
#endif

/* What the importer reads asks for files through the helper's parent, and by its own name. */
START_TEST(imported_models_name_files_of_their_own)
{
    static const char obj[] = "mtllib m.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    if (!getenv("MARROW_IMPORTER")) {
        SKIP("imported_models_name_files_of_their_own: MARROW_IMPORTER names no helper");
        return;
    }
    for (int in_process = 0; in_process < WAYS; in_process++) {
        begin();
        defaults.files.no_sandbox = in_process;
        test_write_text("a/m.obj", obj);
        test_write_text("b/m.obj", obj);
        test_write_text("b/n.obj", obj);
        test_write_text("a/m.mtl", "newmtl m\nKd 1 0 0\n");
        test_write_text("b/m.mtl", "newmtl m\nKd 1 0 0\n");
        const mrw_scene *a = take("a/m.obj");
        ck_assert_ptr_eq(take("b/m.obj"), a);
        ck_assert_ptr_ne(take("b/n.obj"), a);
        test_write_text("b/m.mtl", "newmtl m\nKd 0 1 0\n");
        const mrw_scene *b = take("b/m.obj");
        ck_assert_ptr_ne(b, a);
        ck_assert_float_eq(a->materials[a->meshes[0].material].maps[MRW_MAP_BASE_COLOR].factor[0],
                           1.0f);
        ck_assert_float_eq(b->materials[b->meshes[0].material].maps[MRW_MAP_BASE_COLOR].factor[1],
                           1.0f);
        end();
    }
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------- */

START_TEST(failures_are_not_kept_for_others)
{
    begin();
    assert_refused("a/a.gltf", MRW_ERROR_INPUT, "a/a.gltf: there is no such file");
    write_gltf("a/a.gltf");
    write_gltf("b/b.gltf");
    for (int i = 0; i < 2; i++) {
        assert_refused("a/a.gltf", MRW_ERROR_INPUT, "a/a.gltf: ");
        assert_refused("b/b.gltf", MRW_ERROR_INPUT, "b/b.gltf: ");
    }
    write_data("a/data.bin", 1.0f);
    const mrw_scene *a = take("a/a.gltf");
    assert_refused("b/b.gltf", MRW_ERROR_INPUT, "data.bin");
    write_data("b/data.bin", 1.0f);
    ck_assert_ptr_eq(take("b/b.gltf"), a);
    unlink("a/data.bin");
    assert_refused("a/a.gltf", MRW_ERROR_INPUT, "data.bin");
    end();
}
END_TEST

/* Whichever allocation fails, the next load is as if nothing had been asked. */
START_TEST(out_of_memory_is_not_kept)
{
    int failures = 0;
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    write_picture("a/skin.png", 2, 9);
    mrw_scene *expected = NULL;
    ck_assert_int_eq(mrw_session_load("a/a.gltf", &defaults, NULL, &expected, NULL), MRW_OK);
    for (uint64_t n = 1;; n++) {
        const mrw_scene *scene = NULL;
        mrw_error error = {0};
        mrwi_base_alloc_fail_at(n);
        const mrw_status status =
            mrw_session_cache_load(cache, "a/a.gltf", &defaults, &host, &scene, &error);
        const bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_msg(status == MRW_OK || status == MRW_ERROR_MEMORY, "%s", error.text);
        failures += status == MRW_ERROR_MEMORY;
        const mrw_scene *again = take("a/a.gltf");
        ck_assert_mem_eq(mrw_scene_hash(again), mrw_scene_hash(expected), 32);
        mrw_session_cache_release(cache, again);
        mrw_session_cache_release(cache, scene);
        if (!fired) {
            break;
        }
    }
    ck_assert_int_ge(failures, 20);
    mrw_scene_free(expected);
    end();
}
END_TEST

/* ---- sharing --------------------------------------------------------------------------------- */

static void *take_often(void *unused)
{
    const mrw_scene *scene = NULL;
    (void)unused;
    for (int i = 0; i < 20; i++) {
        const mrw_scene *next = take(i % 3 == 0 ? "b/b.gltf" : "a/a.gltf");
        ck_assert(!scene || next == scene);
        scene = next;
    }
    return (void *)(uintptr_t)scene;
}

START_TEST(threads_wait_for_one_load)
{
    pthread_t threads[8];
    void *scenes[8];
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    write_model("b/b.gltf", "b/data.bin", 1.0f);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, take_often, NULL), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], &scenes[i]);
        ck_assert_ptr_eq(scenes[i], scenes[0]);
    }
    ck_assert_int_eq(heard.warnings, 1);
    end();
}
END_TEST

START_TEST(what_nobody_has_is_freed)
{
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    const mrw_scene *first = take("a/a.gltf");
    ck_assert_ptr_eq(take("a/a.gltf"), first);
    mrw_session_cache_release(cache, first);
    ck_assert_ptr_eq(take("a/a.gltf"), first);
    mrw_session_cache_release(cache, first);
    mrw_session_cache_release(cache, first);
    ck_assert_int_eq(heard.warnings, 1);
    take("a/a.gltf");
    ck_assert_int_eq(heard.warnings, 2);
    mrw_session_cache_release(cache, NULL);
    const mrw_scene *own;
    ck_assert_int_eq(mrw_session_cache_load(NULL, "a/a.gltf", &defaults, NULL, &own, NULL), MRW_OK);
    mrw_session_cache_release(NULL, own);
    end();
}
END_TEST

/* A model and what is added to it, put on the session. */
typedef struct performance {
    mrw_settings settings;
    const mrw_scene *scene;
    mrw_session_model model;
    mrw_session session;
} performance;

static mrw_status perform(const char *path, const char *const *added, uint64_t memory,
                          performance *p, mrw_error *error)
{
    *p = (performance){.scene = NULL};
    mrw_settings_init(&p->settings);
    p->settings.files.texture_memory = memory;
    for (; *added; added++) {
        ck_assert_int_eq(mrw_settings_set(&p->settings, "add", *added, NULL), MRW_OK);
    }
    mrw_status status = mrw_session_cache_load(cache, path, &p->settings, &host, &p->scene, error);
    if (status == MRW_OK) {
        status = mrw_session_model_init(path, p->scene, &p->settings, &p->model, error);
    }
    if (status == MRW_OK) {
        status = mrw_session_begin(&p->session, &p->model, false, error);
        p->session.cache = cache;
    }
    return status == MRW_OK ? mrw_session_prepare(&p->session, &host, error) : status;
}

static void close_performance(performance *p)
{
    mrw_session_free(&p->session);
    mrw_session_model_free(&p->model);
    mrw_session_cache_release(cache, p->scene);
    mrw_settings_free(&p->settings);
}

#define ADD(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(sessions_share_scenes_and_what_is_prepared)
{
    performance p, q;
    mrw_error error = {0};
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    write_model("a/same.gltf", "a/data.bin", 1.0f);
    write_model("b/b.gltf", "b/data.bin", 2.0f);
    const mrw_status status =
        perform("a/a.gltf", ADD("a/a.gltf", "b/b.gltf", "a/same.gltf@n", "b/b.gltf"),
                UINT64_C(1) << 20, &p, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    const mrw_instance *it = p.session.instances;
    ck_assert_uint_eq(p.session.instance_count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_ptr_eq(p.session.scenes[i], p.session.scenes[i == 2 || i == 4 ? 2 : 0]);
        ck_assert_ptr_eq(it[i].model, it[i == 2 || i == 4 ? 2 : 0].model);
    }
    ck_assert_ptr_eq(p.session.scenes[0], p.scene);
    ck_assert_ptr_ne(it[0].model, it[2].model);
    ck_assert_int_eq(heard.warnings, 2);
    /* and another session has the same, which outlive the first */
    ck_assert_int_eq(perform("a/a.gltf", ADD("b/b.gltf"), UINT64_C(1) << 20, &q, NULL), MRW_OK);
    ck_assert_ptr_eq(q.session.instances[0].model, it[0].model);
    ck_assert_ptr_eq(q.session.instances[1].model, it[2].model);
    close_performance(&p);
    close_performance(&q);
    ck_assert_int_eq(heard.warnings, 2);
    /* what was added stays */
    ck_assert_int_eq(perform("b/b.gltf", ADD("b/b.gltf"), UINT64_C(1) << 20, &p, NULL), MRW_OK);
    ck_assert_int_eq(heard.warnings, 2);
    close_performance(&p);
    end();
}
END_TEST

/* How many of p's models show their picture. */
static int shown(const performance *p)
{
    int count = 0;
    for (uint32_t i = 0; i < p->session.instance_count; i++) {
        count += (p->session.scenes[i]->images[0].flags & MRW_IMAGE_MISSING) == 0;
    }
    return count;
}

/* Pictures of 64 x 64 and 32 x 32: --texture-memory counts each once, and what was not shown once
 * is not shown twice. */
START_TEST(copies_take_no_more_texture_memory)
{
    const uint64_t large = mrw_image_memory(64, 64), small = mrw_image_memory(32, 32);
    const struct {
        uint64_t memory;
        int shown;
    } rows[] = {{large + small, 5}, {large + small - 1, 3}, {large, 3}, {large - 1, 2}};
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    write_model("b/b.gltf", "b/data.bin", 1.0f);
    write_picture("a/skin.png", 64, 9);
    write_picture("b/skin.png", 32, 9);
    for (int round = 0; round < 2; round++) { /* whatever the cache has */
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            performance p;
            ck_assert_int_eq(perform("a/a.gltf",
                                     ADD("b/b.gltf", "a/a.gltf", "b/b.gltf", "a/a.gltf"),
                                     rows[i].memory, &p, NULL),
                             MRW_OK);
            ck_assert_int_eq(shown(&p), rows[i].shown);
            ck_assert_ptr_eq(p.session.scenes[1], p.session.scenes[3]);
            ck_assert_ptr_eq(p.session.scenes[0], p.session.scenes[4]);
            close_performance(&p);
        }
    }
    /* a copy leaves as much for what comes behind it */
    performance p;
    ck_assert_int_eq(perform("a/a.gltf", ADD("a/a.gltf", "b/b.gltf"), large + small, &p, NULL),
                     MRW_OK);
    ck_assert_int_eq(shown(&p), 3);
    close_performance(&p);
    end();
}
END_TEST

START_TEST(sessions_out_of_memory)
{
    int failures = 0;
    begin();
    write_model("a/a.gltf", "a/data.bin", 1.0f);
    write_model("b/b.gltf", "b/data.bin", 2.0f);
    for (uint64_t n = 1;; n++) {
        performance p = {.scene = NULL};
        mrw_session_cache *fresh = NULL;
        mrw_settings settings;
        mrw_settings_init(&settings);
        const char *added[] = {"a/a.gltf", "b/b.gltf"};
        settings.model.added = (mrw_text_list){added, 2};
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_session_cache_create(&fresh, NULL);
        if (status == MRW_OK) {
            status = mrw_session_cache_load(fresh, "a/a.gltf", &settings, &host, &p.scene, NULL);
        }
        if (status == MRW_OK) {
            status = mrw_session_model_init("a/a.gltf", p.scene, &settings, &p.model, NULL);
        }
        if (status == MRW_OK) {
            status = mrw_session_begin(&p.session, &p.model, false, NULL);
        }
        if (status == MRW_OK) {
            p.session.cache = fresh;
            status = mrw_session_prepare(&p.session, &host, NULL);
        }
        const bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert(status == MRW_OK || status == MRW_ERROR_MEMORY);
        failures += status != MRW_OK;
        mrw_session_free(&p.session);
        mrw_session_model_free(&p.model);
        if (fresh) {
            mrw_session_cache_release(fresh, p.scene);
        }
        mrw_session_cache_free(fresh);
        if (!fired) {
            break;
        }
    }
    ck_assert_int_ge(failures, 40);
    end();
}
END_TEST

/* ---- environments ---------------------------------------------------------------------------- */

/* A grey sky of two pixels. */
static void write_sky(const char *path, const char *pixels)
{
    char bytes[128];
    const int length = snprintf(bytes, sizeof bytes,
                                "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n%s", pixels);
    test_write(path, bytes, (size_t)length);
}

typedef struct lit_session {
    mrw_settings settings;
    mrw_session_model model;
    mrw_session session;
    mrw_scene *scene;
    mrw_error error;
} lit_session;

/* A session of a.gltf, whose settings are set; what came of it. */
static mrw_status prepare_session(lit_session *s, mrw_session_cache *from)
{
    ck_assert_int_eq(mrw_session_load("a.gltf", &s->settings, NULL, &s->scene, NULL), MRW_OK);
    ck_assert_int_eq(mrw_session_model_init("a.gltf", s->scene, &s->settings, &s->model, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_session_begin(&s->session, &s->model, false, NULL), MRW_OK);
    s->session.cache = from;
    return mrw_session_prepare(&s->session, NULL, &s->error);
}

/* The same with an environment. */
static mrw_status light_session(lit_session *s, mrw_session_cache *from, const char *environment,
                                mrw_rig_use rig)
{
    mrw_settings_init(&s->settings);
    s->settings.environment = environment;
    s->settings.picture.rig = rig;
    return prepare_session(s, from);
}

static mrw_status matcap_session(lit_session *s, mrw_session_cache *from, const char *path)
{
    mrw_settings_init(&s->settings);
    s->settings.picture.shading = MRW_SHADING_MATCAP;
    s->settings.shading_argument = path;
    return prepare_session(s, from);
}

static void end_session(lit_session *s)
{
    mrw_session_free(&s->session);
    mrw_session_model_free(&s->model);
    mrw_scene_free(s->scene);
    mrw_settings_free(&s->settings);
}

/* Equal files are one environment, whatever their names; the studio is one, too. */
START_TEST(sessions_share_environments)
{
    static lit_session s[6];
    mrw_session_cache *shared;
    write_model("a.gltf", "data.bin", 1);
    write_picture("skin.png", 2, 9);
    write_sky("grey.hdr", "\x80\x80\x80\x80\x80\x80\x80\x80");
    write_sky("again.hdr", "\x80\x80\x80\x80\x80\x80\x80\x80");
    write_sky("other.hdr", "\x80\x80\x80\x80\x80\x80\x80\x81");
    static const char *const names[] = {"grey.hdr", "again.hdr", "other.hdr",
                                        NULL,       "studio",    "none"};
    ck_assert_int_eq(mrw_session_cache_create(&shared, NULL), MRW_OK);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(light_session(&s[i], shared, names[i], MRW_RIG_AUTO), MRW_OK);
    }
    ck_assert_ptr_nonnull(s[0].session.frame.environment);
    ck_assert_ptr_eq(s[0].session.frame.environment, s[1].session.frame.environment);
    ck_assert_ptr_ne(s[0].session.frame.environment, s[2].session.frame.environment);
    ck_assert(!s[0].session.frame.studio && !s[3].session.frame.environment);
    ck_assert_ptr_nonnull(s[3].session.frame.studio);
    ck_assert_ptr_eq(s[3].session.frame.studio, s[4].session.frame.studio);
    ck_assert_ptr_eq(s[4].session.frame.environment, s[4].session.frame.studio);
    ck_assert(!s[5].session.frame.environment && !s[5].session.frame.studio);
    for (int i = 0; i < 6; i++) {
        end_session(&s[i]);
    }
    /* Without a rig the studio is not made, unless it is asked for; without a cache it is. */
    ck_assert_int_eq(light_session(&s[0], shared, NULL, MRW_RIG_OFF), MRW_OK);
    ck_assert(!s[0].session.frame.environment && !s[0].session.frame.studio);
    end_session(&s[0]);
    ck_assert_int_eq(light_session(&s[0], NULL, "studio", MRW_RIG_OFF), MRW_OK);
    ck_assert_ptr_nonnull(s[0].session.frame.environment);
    end_session(&s[0]);
    mrw_session_cache_free(shared);
}
END_TEST

/* Equal files are one matcap, whatever their names. */
START_TEST(sessions_share_matcaps)
{
    static const char *const names[] = {"clay.png", "again.png", "other.png"};
    static lit_session s[3];
    mrw_session_cache *shared;
    write_model("a.gltf", "data.bin", 1);
    write_picture("skin.png", 2, 9);
    write_picture("clay.png", 4, 80);
    write_picture("again.png", 4, 80);
    write_picture("other.png", 4, 81);
    ck_assert_int_eq(mrw_session_cache_create(&shared, NULL), MRW_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(matcap_session(&s[i], shared, names[i]), MRW_OK);
        ck_assert_ptr_nonnull(s[i].session.frame.matcap);
    }
    ck_assert_ptr_eq(s[0].session.frame.matcap, s[1].session.frame.matcap);
    ck_assert_ptr_ne(s[0].session.frame.matcap, s[2].session.frame.matcap);
    for (int i = 0; i < 3; i++) {
        end_session(&s[i]);
    }
    ck_assert_int_eq(light_session(&s[0], shared, NULL, MRW_RIG_AUTO), MRW_OK);
    ck_assert_ptr_null(s[0].session.frame.matcap);
    end_session(&s[0]);
    mrw_session_cache_free(shared);
}
END_TEST

START_TEST(bad_environments_are_named)
{
    static const struct {
        const char *name, *words;
    } cases[] = {{"cut.hdr", "cut.hdr: the picture is cut off"},
                 {"skin.png", "skin.png: not a Radiance or OpenEXR picture"},
                 {"none.hdr", "none.hdr: cannot open it"}};
    static lit_session s;
    write_model("a.gltf", "data.bin", 1);
    write_picture("skin.png", 2, 9);
    write_sky("cut.hdr", "\x80\x80\x80\x80\x80");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(light_session(&s, NULL, cases[i].name, MRW_RIG_AUTO), MRW_ERROR_INPUT);
        ck_assert_msg(strncmp(s.error.text, cases[i].words, strlen(cases[i].words)) == 0, "%s",
                      s.error.text);
        end_session(&s);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("session cache");
    TCase *t = tcase_create("session cache");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, enter, test_folder_remove);
    tcase_add_test(t, one_file_is_loaded_once);
    tcase_add_test(t, equal_texts_name_files_of_their_own);
    tcase_add_test(t, a_changed_file_is_another);
    tcase_add_test(t, settings_of_reading_tell_models_apart);
    tcase_add_test(t, clips_of_other_files_count);
    tcase_add_test(t, standard_input_is_one_model);
    tcase_add_test(t, imported_models_name_files_of_their_own);
    tcase_add_test(t, failures_are_not_kept_for_others);
    tcase_add_test(t, out_of_memory_is_not_kept);
    tcase_add_test(t, threads_wait_for_one_load);
    tcase_add_test(t, what_nobody_has_is_freed);
    tcase_add_test(t, sessions_share_scenes_and_what_is_prepared);
    tcase_add_test(t, copies_take_no_more_texture_memory);
    tcase_add_test(t, sessions_out_of_memory);
    tcase_add_test(t, sessions_share_environments);
    tcase_add_test(t, bad_environments_are_named);
    tcase_add_test(t, sessions_share_matcaps);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
