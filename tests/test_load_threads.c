/* test_load_threads.c: pictures decoded by several threads make the same scene, with the same
 * warnings in the same order. */
#include "test.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "marrow/marrow.h"

#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

static char picture_path[PATH_MAX];

#define TGA_SIZE 30

/* 2 x 2 pixels of one colour. */
static void make_tga(uint8_t out[TGA_SIZE], uint8_t shade)
{
    static const uint8_t head[18] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 24, 0};
    memcpy(out, head, sizeof head);
    memset(out + sizeof head, shade, TGA_SIZE - sizeof head);
}

static void make_folder(void)
{
    uint8_t tga[TGA_SIZE];
    make_tga(tga, 99);
    snprintf(picture_path, sizeof picture_path, "%s/there.tga", test_folder());
    test_write(picture_path, tga, sizeof tga);
}

/* json has room for three characters more. */
static size_t finish_glb(char *json, size_t n, const uint8_t *bin, size_t bin_size, uint8_t *out,
                         size_t room)
{
    for (; n % 4 != 0; n++) {
        json[n] = ' ';
    }
    const uint32_t head[5] = {0x46546C67, 2, (uint32_t)(28 + n + bin_size), (uint32_t)n,
                              0x4E4F534A};
    const uint32_t second[2] = {(uint32_t)bin_size, 0x004E4942};
    ck_assert_uint_le(28 + n + bin_size, room);
    memcpy(out, head, 20);
    memcpy(out + 20, json, n);
    memcpy(out + 20 + n, second, 8);
    memcpy(out + 28 + n, bin, bin_size);
    return 28 + n + bin_size;
}

/* A mesh that is drawn: a triangle for each of `count` materials. Without the last brace. */
static void put_mesh(char *out, size_t size, int count)
{
    size_t n = (size_t)snprintf(out, size,
                                "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":"
                                "\"VEC3\"},{\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}],"
                                "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[");
    for (int i = 0; i < count; i++) {
        n +=
            (size_t)snprintf(out + n, size - n,
                             "%s{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"material\":%d}",
                             i ? "," : "", i);
    }
    n += (size_t)snprintf(out + n, size - n, "]}]");
    ck_assert_uint_lt(n, size);
}

#define VIEWS 40

/* A GLB whose views are pictures of different shades: the fourth damaged, the seventh like the
 * first. `images` is the list of images; each has a texture and a material, in order. */
static size_t make_glb(const char *images, int image_count, uint8_t out[16384])
{
    static char json[12288], mesh[8192];
    uint8_t bin[VIEWS * (TGA_SIZE + 2)];
    size_t n = 0;
    memset(bin, 0, sizeof bin);
    for (int i = 0; i < VIEWS; i++) {
        make_tga(bin + i * (TGA_SIZE + 2), (uint8_t)(i == 6 ? 0 : i));
    }
    memset(bin + 3 * (TGA_SIZE + 2), 0xAA, TGA_SIZE);
#define PUT(...) (n += (size_t)snprintf(json + n, sizeof json - n, __VA_ARGS__))
    PUT("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],\"images\":[%s],",
        sizeof bin, images);
    PUT("\"bufferViews\":[");
    for (int i = 0; i < VIEWS; i++) {
        PUT("%s{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d}", i ? "," : "",
            i * (TGA_SIZE + 2), TGA_SIZE);
    }
    PUT("],\"textures\":[");
    for (int i = 0; i < image_count; i++) {
        PUT("%s{\"source\":%d}", i ? "," : "", i);
    }
    PUT("],\"materials\":[");
    for (int i = 0; i < image_count; i++) {
        PUT("%s{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%d}}}", i ? "," : "", i);
    }
    put_mesh(mesh, sizeof mesh, image_count);
    PUT("],%s}", mesh);
#undef PUT
    return finish_glb(json, n, bin, sizeof bin, out, 16384);
}

/* Loads with 1 to 5 threads: all the same, or all the same message. Returns the number of images,
 * or 0. */
static uint32_t check_same(const char *images, int image_count, mrw_load_def def,
                           const char *expected)
{
    static uint8_t file[16384];
    const size_t size = make_glb(images, image_count, file);
    mrw_scene *alone, *scene;
    mrw_error first = {0}, error = {0};
    def.threads = 1;
    const mrw_status status =
        mrw_load_memory(file, size, "x.glb", test_folder(), &def, &alone, &first);
    const uint32_t count = alone ? alone->images_count : 0;
    for (def.threads = 2; def.threads <= 5; def.threads++) {
        ck_assert_int_eq(mrw_load_memory(file, size, "x.glb", test_folder(), &def, &scene, &error),
                         status);
        if (status != MRW_OK) {
            ck_assert_str_eq(error.text, first.text);
            continue;
        }
        ck_assert_mem_eq(mrw_scene_hash(scene), mrw_scene_hash(alone), 32);
        ck_assert_uint_eq(scene->warnings_count, alone->warnings_count);
        for (uint32_t i = 0; i < scene->warnings_count; i++) {
            ck_assert_str_eq(mrw_scene_string(scene, scene->warnings[i]),
                             mrw_scene_string(alone, alone->warnings[i]));
        }
        mrw_scene_free(scene);
    }
    const char *said = status != MRW_OK            ? first.text
                       : alone->warnings_count > 0 ? mrw_scene_string(alone, alone->warnings[0])
                                                   : "";
    ck_assert_msg(strstr(said, expected), "%s", said);
    mrw_scene_free(alone);
    return count;
}

START_TEST(good_and_bad_pictures)
{
    const mrw_load_def def = mrw_load_def_default();
    /* Four pictures; checkers for the missing file, the damaged one and the data: URI without data,
     * which are told apart by their bytes. */
    ck_assert_uint_eq(check_same("{\"bufferView\":0},{\"bufferView\":1},{\"bufferView\":3},"
                                 "{\"uri\":\"there.tga\"},{\"uri\":\"no.tga\"},{\"bufferView\":6},"
                                 "{\"bufferView\":5},{\"uri\":\"data:,\"},{\"bufferView\":5}",
                                 9, def, "image 2"),
                      7);
}
END_TEST

START_TEST(many_pictures)
{
    char images[VIEWS * 20] = "";
    for (int i = 0; i < VIEWS; i++) {
        snprintf(images + strlen(images), 20, "%s{\"bufferView\":%d}", i ? "," : "", i);
    }
    ck_assert_uint_eq(check_same(images, VIEWS, mrw_load_def_default(), "image 3"), VIEWS - 1);
}
END_TEST

static _Atomic uint32_t most_done, told_count, told;

static void hear_progress(void *user, uint32_t done, uint32_t count)
{
    uint32_t before = atomic_load(&most_done);
    ck_assert_ptr_eq(user, &told);
    while (before < done && !atomic_compare_exchange_weak(&most_done, &before, done)) {
    }
    atomic_store(&told_count, count);
    atomic_fetch_add(&told, 1);
}

/* All parts are told, whoever reads them: pictures, two of which nothing shows, and a mesh. */
START_TEST(progress_is_told)
{
    static uint8_t file[16384];
    char images[VIEWS * 24] = "";
    for (int i = 0; i < VIEWS; i++) {
        snprintf(images + strlen(images), 24, "%s{\"bufferView\":%d}", i ? "," : "", i);
    }
    const size_t size = make_glb(images, VIEWS - 2, file);
    mrw_load_def def = mrw_load_def_default();
    def.progress = hear_progress;
    def.progress_user = &told;
    for (def.threads = 1; def.threads <= 4; def.threads += 3) {
        mrw_scene *scene;
        mrw_error error;
        atomic_store(&most_done, 0);
        atomic_store(&told, 0);
        ck_assert_int_eq(mrw_load_memory(file, size, "x.glb", NULL, &def, &scene, &error), MRW_OK);
        mrw_scene_free(scene);
        ck_assert_uint_eq(told_count, VIEWS + 1);
        ck_assert_uint_eq(most_done, VIEWS + 1);
        ck_assert_uint_eq(told, VIEWS);
    }
}
END_TEST

/* A picture of 2x2 takes 120 bytes for drawing: 4 texels of 4, and 3 * 3 + 2 * 2 of 8. Those that
 * come first in the file fit, whoever decodes them; one that is the same as one that fits needs no
 * warning. */
START_TEST(texture_memory)
{
    static const char pictures[] = "{\"bufferView\":0},{\"bufferView\":1},{\"bufferView\":2},"
                                   "{\"bufferView\":0}";
    static uint8_t file[16384];
    const size_t size = make_glb(pictures, 4, file);
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *all, *scene;
    ck_assert_uint_eq(mrw_image_memory(1, 1), 4 + 4 * 8);
    ck_assert_uint_eq(mrw_image_memory(2, 2), 16 + (9 + 4) * 8);
    ck_assert_uint_eq(mrw_image_memory(5, 2), 40 + (6 * 3 + 3 * 2 + 2 * 2) * 8);
    ck_assert_int_eq(mrw_load_memory(file, size, "x.glb", test_folder(), &def, &all, NULL), MRW_OK);
    const uint64_t one = mrw_image_memory(all->images[0].width, all->images[0].height);
    ck_assert_uint_eq(mrw_scene_texture_memory(all), 3 * one);
    def.texture_memory = 3 * one - 1;
    ck_assert_uint_eq(check_same(pictures, 4, def, "image 2: "), 3);
    for (int no_texels = 0; no_texels < 2; no_texels++) {
        def.maps = no_texels ? 0 : MRW_MAPS_ALL;
        ck_assert_int_eq(mrw_load_memory(file, size, "x.glb", test_folder(), &def, &scene, NULL),
                         MRW_OK);
        ck_assert_uint_eq(scene->warnings_count, 1);
        ck_assert_ptr_nonnull(strstr(mrw_scene_string(scene, scene->warnings[0]),
                                     "allow more with --texture-memory"));
        ck_assert_mem_eq(mrw_scene_hash(scene), mrw_scene_hash(all), 32);
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t flags = scene->images[i].flags;
            ck_assert_uint_eq(flags & MRW_IMAGE_MISSING, i == 2 && !no_texels ? 2 : 0);
            ck_assert_uint_eq(flags & MRW_IMAGE_UNDECODED, no_texels ? 16 : 0);
            ck_assert_mem_eq(scene->images[i].hash, all->images[i].hash, 32);
        }
        ck_assert((scene->texels_count == 0) == (no_texels != 0));
        mrw_scene_free(scene);
    }
    mrw_scene_free(all);
}
END_TEST

/* A scene without texels has sizes, and is refused where they are needed. */
START_TEST(no_texels)
{
    static uint8_t file[16384];
    const size_t size = make_glb("{\"bufferView\":0}", 1, file);
    mrw_load_def def = mrw_load_def_default();
    mrw_model_def model_def = mrw_model_def_default();
    mrw_error error = {0};
    mrw_scene *scene;
    mrw_model *prepared = NULL;
    mrw_bytes bytes;
    def.maps = 0;
    ck_assert_int_eq(mrw_load_memory(file, size, "x.glb", test_folder(), &def, &scene, NULL),
                     MRW_OK);
    ck_assert_uint_gt(scene->images[0].width, 0);
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &prepared, &error),
                     MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot be drawn"));
    ck_assert_int_eq(mrw_scene_compile(scene, &bytes, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot be compiled"));
    model_def.no_textures = true;
    ck_assert_int_eq(mrw_model_create_with(scene, &model_def, 1, &prepared, &error), MRW_OK);
    mrw_model_free(prepared);
    mrw_scene_free(scene);
}
END_TEST

/* What is decoded ahead does not pass the limits of what is decoded. */
START_TEST(limits)
{
    mrw_load_def def = mrw_load_def_default();
    def.max_texture_size = 5; /* 10 in all: two pictures of 4 */
    ck_assert_uint_eq(check_same("{\"bufferView\":0},{\"uri\":\"there.tga\"},{\"bufferView\":1},"
                                 "{\"bufferView\":2}",
                                 4, def, "image 2"),
                      4);
    def.max_texture_size = 3;
    check_same("{\"bufferView\":0},{\"bufferView\":1}", 2, def, "3 in total");
    def = mrw_load_def_default();
    def.max_file_size = 16000;
    check_same("{\"bufferView\":0},{\"bufferView\":1}", 2, def, "");
}
END_TEST

START_TEST(broken_files)
{
    const mrw_load_def def = mrw_load_def_default();
    check_same("{\"bufferView\":0},{\"bufferView\":77}", 2, def, "77");
    check_same("{\"bufferView\":0},{\"bufferView\":\"1\"}", 2, def, "bufferView");
    check_same("{\"bufferView\":0},{\"uri\":7}", 2, def, "uri");
    check_same("{\"bufferView\":0},{}", 2, def, "image 1");
    check_same("{\"bufferView\":0},{\"bufferView\":1}", 3, def, "");
}
END_TEST

/* ---- no more work, no more memory ------------------------------------------------------------ */

#define ROOM (1 << 18)

/* A model of PNG pictures; each image has a texture and a material, in order. */
typedef struct model {
    uint8_t bin[ROOM / 2];
    size_t bin_size;
    char views[ROOM / 8], images[ROOM / 8];
    int view_count, image_count;
} model;

static void *new_model(void)
{
    model *m = calloc(1, sizeof *m);
    ck_assert_ptr_nonnull(m);
    return m;
}

/* A white picture; returns its view. */
static int add_view(model *m, uint32_t width, uint32_t height)
{
    mrw_error error;
    mrw_image image;
    mrw_bytes png;
    const size_t length = strlen(m->views);
    ck_assert_int_eq(mrw_image_create(width, height, 3, &image, &error), MRW_OK);
    memset(image.pixels, 255, (size_t)3 * width * height);
    ck_assert_int_eq(mrw_png_encode(&image, &png, &error), MRW_OK);
    ck_assert_uint_le(m->bin_size + png.size + 4, sizeof m->bin);
    memcpy(m->bin + m->bin_size, png.data, png.size);
    snprintf(m->views + length, sizeof m->views - length,
             "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", length ? "," : "",
             m->bin_size, (size_t)png.size);
    m->bin_size = (m->bin_size + png.size + 3) / 4 * 4;
    mrw_bytes_free(&png);
    mrw_image_free(&image);
    return m->view_count++;
}

static void add_image(model *m, int view)
{
    const size_t length = strlen(m->images);
    snprintf(m->images + length, sizeof m->images - length, "%s{\"bufferView\":%d}",
             length ? "," : "", view);
    m->image_count++;
}

/* One texel, which nobody looks at before its turn: a TGA in a data: URI. */
static void add_data_image(model *m)
{
    const size_t length = strlen(m->images);
    snprintf(m->images + length, sizeof m->images - length, "%s{\"uri\":\"%s\"}", length ? "," : "",
             "data:image/x-tga;base64,AAACAAAAAAAAAAAAAQABABgAAAAA");
    m->image_count++;
}

/* `info` goes to what each material but the first says of its texture. */
static size_t finish_model(const model *m, const char *info, uint8_t *out)
{
    static char json[ROOM / 2], mesh[ROOM / 4];
    size_t n = 0;
#define PUT(...) (n += (size_t)snprintf(json + n, sizeof json - n, __VA_ARGS__))
    PUT("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],", m->bin_size);
    PUT("\"bufferViews\":[%s],\"images\":[%s],\"textures\":[", m->views, m->images);
    for (int i = 0; i < m->image_count; i++) {
        PUT("%s{\"source\":%d}", i ? "," : "", i);
    }
    PUT("],\"materials\":[");
    for (int i = 0; i < m->image_count; i++) {
        PUT("%s{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%d%s}}}", i ? "," : "", i,
            i ? info : "");
    }
    put_mesh(mesh, sizeof mesh, m->image_count);
    PUT("],%s}", mesh);
#undef PUT
    ck_assert_uint_lt(n, sizeof json - 4);
    return finish_glb(json, n, m->bin, m->bin_size, out, ROOM);
}

/* Loads with 1, 2 and 8 threads: the same scene, from as many allocations, so no picture is decoded
 * that a single thread would not decode, too. Returns the warnings; frees m. */
static uint32_t check_work(model *m, const char *info, uint64_t max_texture_size)
{
    static const int threads[3] = {1, 2, 8};
    static uint8_t file[ROOM];
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *scenes[3];
    mrw_error error;
    uint64_t work[3];
    const size_t size = finish_model(m, info, file);
    def.max_texture_size = max_texture_size;
    for (int i = 0; i < 3; i++) {
        const uint64_t before = mrwi_base_alloc_count();
        def.threads = threads[i];
        ck_assert_int_eq(mrw_load_memory(file, size, "x.glb", NULL, &def, &scenes[i], &error),
                         MRW_OK);
        work[i] = mrwi_base_alloc_count() - before;
        ck_assert_uint_eq(work[i], work[0]);
        ck_assert_mem_eq(mrw_scene_hash(scenes[i]), mrw_scene_hash(scenes[0]), 32);
    }
    const uint32_t warnings = scenes[0]->warnings_count;
    for (int i = 0; i < 3; i++) {
        mrw_scene_free(scenes[i]);
    }
    free(m);
    return warnings;
}

START_TEST(many_names_of_one_picture)
{
    model *m = new_model();
    const int view = add_view(m, 40, 40);
    for (int i = 0; i < 200; i++) {
        add_image(m, view);
    }
    ck_assert_uint_eq(check_work(m, "", 1600), 198); /* two fit */
}
END_TEST

START_TEST(pictures_too_large_for_the_rest)
{
    model *m = new_model();
    const int large = add_view(m, 40, 40), small = add_view(m, 2, 2);
    for (int i = 0; i < 200; i++) {
        add_image(m, i % 2 ? large : small);
    }
    /* 4000 texels: 2 large ones leave 800, which is room for all small ones */
    ck_assert_uint_eq(check_work(m, "", 2000), 98);
}
END_TEST

START_TEST(textures_that_are_left_out)
{
    for (int way = 0; way < 2; way++) {
        model *m = new_model();
        const int view = add_view(m, 40, 40);
        for (int i = 0; i < 50; i++) {
            add_image(m, view);
        }
        ck_assert_uint_eq(
            check_work(m,
                       way ? ",\"extensions\":{\"KHR_texture_transform\":{\"texCoord\":3}}"
                           : ",\"texCoord\":2",
                       1600),
            49);
    }
}
END_TEST

/* Each picture of this series would just fit, but for a texel that comes before it and is not seen
 * before its turn. */
START_TEST(what_cannot_be_foreseen)
{
    model *m = new_model();
    const int texel = add_view(m, 1, 1);
    add_image(m, add_view(m, 1000, 1));
    for (uint32_t i = 0; i < 50; i++) {
        add_data_image(m);
        add_image(m, texel);
        add_image(m, add_view(m, 999 - 2 * i, 1));
    }
    ck_assert_uint_eq(check_work(m, "", 1000), 50);
}
END_TEST

#ifndef TEST_SANITIZED
/* In kB. */
static long peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Pictures of 4 MB: 200 of them would take 800 MB, the two that fit take 8. */
START_TEST(memory)
{
    static uint8_t file[ROOM];
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *scene;
    mrw_error error;
    long alone = 0;
    model *m = new_model();
    const int view = add_view(m, 1024, 1024);
    for (int i = 0; i < 200; i++) {
        add_image(m, view);
    }
    const size_t size = finish_model(m, "", file);
    def.max_texture_size = 1024 * 1024;
    for (def.threads = 1; def.threads <= 8; def.threads *= 2) {
        ck_assert_int_eq(mrw_load_memory(file, size, "x.glb", NULL, &def, &scene, &error), MRW_OK);
        mrw_scene_free(scene);
        alone = def.threads == 1 ? peak_memory() : alone;
    }
    ck_assert_int_lt(peak_memory(), alone + 100000);
    free(m);
}
END_TEST
#endif

/* ---- the hash -------------------------------------------------------------------------------- */

typedef struct asked {
    const mrw_scene *scene;
    const uint8_t *hashes[16];
} asked;

static void ask(void *user, int64_t index, int worker)
{
    asked *a = user;
    (void)worker;
    a->hashes[index] = mrw_scene_hash(a->scene);
}

/* It is made at the first question; here eight ask at once. */
START_TEST(hash_for_all)
{
    mrw_scene *scene, *other;
    ck_assert_int_eq(mrw_load_file("demo:blob", NULL, &scene, NULL), MRW_OK);
    ck_assert_int_eq(mrw_load_file("demo:blob", NULL, &other, NULL), MRW_OK);
    asked a = {.scene = scene};
    mrwi_base_parallel_for(8, 16, ask, &a);
    for (int i = 0; i < 16; i++) {
        ck_assert_ptr_eq(a.hashes[i], a.hashes[0]);
    }
    ck_assert_mem_eq(a.hashes[0], mrw_scene_hash(other), 32);
    mrw_scene_free(scene);
    mrw_scene_free(other);
}
END_TEST

/* ---- golden runs ----------------------------------------------------------------------------- */

/* A run of one thread starts none for the pictures of its models either. */
START_TEST(runs_load_with_their_threads)
{
    const char *const here[1] = {test_folder()};
    static uint8_t file[ROOM];
    mrw_case_list cases;
    mrw_test_def def = mrw_test_def_default();
    mrw_results results;
    mrw_error error;
    model *m = new_model();
    add_image(m, add_view(m, 40, 40));
    add_image(m, add_view(m, 20, 20));
    const size_t size = finish_model(m, "", file);
    free(m);
    test_write(test_path("x.glb"), file, size);
    test_write_text(test_path("a.suite.ini"),
                    "[defaults]\nmodel = x.glb\nsize = 8\n[a]\n[b]\nazimuth = 90\n");
    ck_assert_msg(mrw_cases_load(here, 1, &cases, &error) == MRW_OK, "%s", error.text);
    def.update = MRW_UPDATE_ALL;
    def.allow_blank = true; /* the model is pictures only */
    def.threads = 1;
    def.out = test_path("results");
    const uint64_t before = mrwi_base_parallel_regions();
    ck_assert_msg(mrw_test_run(&cases, &def, &results, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(results.counts[MRW_UPDATED], 2);
    ck_assert_uint_eq(mrwi_base_parallel_regions(), before);
    mrw_results_free(&results);
    mrw_cases_free(&cases);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("load_threads");
    TCase *t = tcase_create("pictures");
    tcase_add_unchecked_fixture(t, make_folder, test_folder_remove);
    tcase_add_test(t, good_and_bad_pictures);
    tcase_add_test(t, many_pictures);
    tcase_add_test(t, progress_is_told);
    tcase_add_test(t, limits);
    tcase_add_test(t, texture_memory);
    tcase_add_test(t, no_texels);
    tcase_add_test(t, broken_files);
    tcase_add_test(t, many_names_of_one_picture);
    tcase_add_test(t, pictures_too_large_for_the_rest);
    tcase_add_test(t, textures_that_are_left_out);
    tcase_add_test(t, what_cannot_be_foreseen);
#ifndef TEST_SANITIZED
    tcase_add_test(t, memory);
#endif
    tcase_add_test(t, hash_for_all);
    tcase_add_test(t, runs_load_with_their_threads);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
