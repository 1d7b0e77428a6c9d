/* test_load_threads.c: pictures decoded by several threads make the same scene, with the same
 * warnings in the same order. */
#include "marrow/marrow.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/marrow-test-XXXXXX";
static char picture_path[64];

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
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(picture_path, sizeof picture_path, "%s/there.tga", folder);
    FILE *f = fopen(picture_path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(tga, 1, sizeof tga, f), sizeof tga);
    fclose(f);
}

static void remove_folder(void)
{
    unlink(picture_path);
    rmdir(folder);
}

#define VIEWS 40

/* A GLB whose views are pictures of different shades: the fourth damaged, the seventh like the
 * first. `images` is the list of images; each has a texture and a material, in order. */
static size_t make_glb(const char *images, int image_count, uint8_t out[16384])
{
    static char json[12288];
    uint8_t bin[VIEWS * (TGA_SIZE + 2)];
    size_t n = 0;
    memset(bin, 0, sizeof bin);
    for (int i = 0; i < VIEWS; i++)
        make_tga(bin + i * (TGA_SIZE + 2), (uint8_t)(i == 6 ? 0 : i));
    memset(bin + 3 * (TGA_SIZE + 2), 0xAA, TGA_SIZE);
#define PUT(...) (n += (size_t)snprintf(json + n, sizeof json - n, __VA_ARGS__))
    PUT("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],\"images\":[%s],",
        sizeof bin, images);
    PUT("\"bufferViews\":[");
    for (int i = 0; i < VIEWS; i++)
        PUT("%s{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d}", i ? "," : "",
            i * (TGA_SIZE + 2), TGA_SIZE);
    PUT("],\"textures\":[");
    for (int i = 0; i < image_count; i++)
        PUT("%s{\"source\":%d}", i ? "," : "", i);
    PUT("],\"materials\":[");
    for (int i = 0; i < image_count; i++)
        PUT("%s{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%d}}}", i ? "," : "", i);
    PUT("]}");
#undef PUT
    for (; n % 4 != 0; n++)
        json[n] = ' ';
    const uint32_t head[5] = {0x46546C67, 2, (uint32_t)(28 + n + sizeof bin), (uint32_t)n,
                              0x4E4F534A};
    const uint32_t second[2] = {sizeof bin, 0x004E4942};
    ck_assert_uint_lt(28 + n + sizeof bin, 16384);
    memcpy(out, head, 20);
    memcpy(out + 20, json, n);
    memcpy(out + 20 + n, second, 8);
    memcpy(out + 28 + n, bin, sizeof bin);
    return 28 + n + sizeof bin;
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
    const mrw_status status = mrw_load_memory(file, size, "x.glb", folder, &def, &alone, &first);
    const uint32_t count = alone ? alone->images_count : 0;
    for (def.threads = 2; def.threads <= 5; def.threads++) {
        ck_assert_int_eq(mrw_load_memory(file, size, "x.glb", folder, &def, &scene, &error),
                         status);
        if (status != MRW_OK) {
            ck_assert_str_eq(error.text, first.text);
            continue;
        }
        ck_assert_mem_eq(scene->hash, alone->hash, sizeof scene->hash);
        ck_assert_uint_eq(scene->warnings_count, alone->warnings_count);
        for (uint32_t i = 0; i < scene->warnings_count; i++)
            ck_assert_str_eq(mrw_scene_string(scene, scene->warnings[i]),
                             mrw_scene_string(alone, alone->warnings[i]));
        mrw_scene_free(scene);
    }
    const char *said = status != MRW_OK            ? first.text
                       : alone->warnings_count > 0 ? mrw_scene_string(alone, alone->warnings[0])
                                                   : "";
    ck_assert_msg(strstr(said, expected) != NULL, "%s", said);
    mrw_scene_free(alone);
    return count;
}

START_TEST(good_and_bad_pictures)
{
    const mrw_load_def def = mrw_load_def_default();
    /* Four pictures; a checker for the missing file, and one for what is embedded: the damaged one
     * and the data: URI without data. */
    ck_assert_uint_eq(check_same("{\"bufferView\":0},{\"bufferView\":1},{\"bufferView\":3},"
                                 "{\"uri\":\"there.tga\"},{\"uri\":\"no.tga\"},{\"bufferView\":6},"
                                 "{\"bufferView\":5},{\"uri\":\"data:,\"},{\"bufferView\":5}",
                                 9, def, "image 2"),
                      6);
}
END_TEST

START_TEST(many_pictures)
{
    char images[VIEWS * 20] = "";
    for (int i = 0; i < VIEWS; i++)
        snprintf(images + strlen(images), 20, "%s{\"bufferView\":%d}", i ? "," : "", i);
    ck_assert_uint_eq(check_same(images, VIEWS, mrw_load_def_default(), "image 3"), VIEWS - 1);
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
                      3);
    def.max_texture_size = 3;
    check_same("{\"bufferView\":0},{\"bufferView\":1}", 2, def, "3 in all");
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

static Suite *suite(void)
{
    Suite *s = suite_create("load_threads");
    TCase *t = tcase_create("pictures");
    tcase_add_unchecked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, good_and_bad_pictures);
    tcase_add_test(t, many_pictures);
    tcase_add_test(t, limits);
    tcase_add_test(t, broken_files);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
