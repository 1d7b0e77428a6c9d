/* test_jpeg_rescue.c: JPEGs that are damaged or cut off. The part before the damage is compared
 * with what the whole file decodes to. Behind the end of a file that is cut off there is grey.
 */
#include "test.h"

#include "image/decode.h"
#include "marrow/codecs.h"
#include "marrow/load.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
/* Its writer shifts bits out of signed numbers. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("undefined"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC optimize("wrapv")
#endif
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include "stb_image_write.h"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#pragma GCC diagnostic pop

enum { SIDE = 96, ROW = 16 /* of blocks with halved chroma */ };

static uint8_t file[60000];
static size_t file_size;

static void put(void *unused, void *data, int size)
{
    (void)unused;
    ck_assert_uint_le(file_size + (size_t)size, sizeof file);
    memcpy(file + file_size, data, (size_t)size);
    file_size += (size_t)size;
}

/* Quality 90 halves chroma, 95 does not. */
static void make_jpeg(int quality)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    uint64_t state = 7;
    for (int i = 0; i < SIDE * SIDE; i++) {
        pixels[3 * i] = (uint8_t)(i % SIDE * 2);
        pixels[3 * i + 1] = (uint8_t)(i / SIDE * 2);
        pixels[3 * i + 2] = (uint8_t)test_random(&state);
    }
    file_size = 0;
    ck_assert_int_ne(stbi_write_jpg_to_func(put, NULL, SIDE, SIDE, 3, pixels, quality), 0);
}

/* Where the scan's data begin. */
static size_t scan_start(void)
{
    for (size_t i = 0; i + 1 < file_size; i++) {
        if (file[i] == 0xFF && file[i + 1] == 0xDA) {
            return i + 2 + (size_t)(file[i + 2] << 8 | file[i + 3]);
        }
    }
    ck_abort_msg("no scan");
    return 0;
}

static mrw_image decode_whole(void)
{
    mrw_image image;
    ck_assert_int_eq(mrw_image_decode(file, file_size, 4, 0, "x", &image, NULL), MRW_OK);
    return image;
}

static bool is_grey(const mrw_image *image, int row)
{
    for (int x = 0; x < SIDE; x++) {
        const uint8_t *p = image->pixels + 4 * (row * SIDE + x);
        if (p[0] != 128 || p[1] != 128 || p[2] != 128 || p[3] != 255) {
            return false;
        }
    }
    return true;
}

/* Rows from the top that are the whole file's, bit for bit. */
static int rows_alike(const mrw_image *a, const mrw_image *b)
{
    int rows = 0;
    while (rows < SIDE &&
           memcmp(a->pixels + 4 * rows * SIDE, b->pixels + 4 * rows * SIDE, 4 * SIDE) == 0) {
        rows++;
    }
    return rows;
}

/* A file of which `share` of the scan is good: the rows that must be, less one of blocks for the
 * length of codes differs, and the last row that cannot be. Without a cut, codes behind the damage
 * mean anything. */
static void check_rescue(size_t size, double share, bool is_cut, const mrw_image *whole)
{
    mrw_image image;
    mrw_error error = {0};
    bool found;
    ck_assert_int_eq(mrw_image_decode(file, size, 4, 0, "x", &image, &error), MRW_ERROR_INPUT);
    ck_assert_int_eq(mrwi_image_rescue(file, size, 0, "x", &image, &found, &error), MRW_OK);
    ck_assert(found);
    ck_assert(image.width == SIDE && image.height == SIDE && image.channels == 4);
    const int rows = rows_alike(&image, whole);
    ck_assert_msg(rows + 2 * ROW >= (int)(share * SIDE), "%d rows at %g", rows, share);
    ck_assert_msg(rows <= (int)(share * SIDE) + 2 * ROW, "%d rows at %g", rows, share);
    ck_assert(is_grey(&image, SIDE - 1) || !is_cut);
    mrw_image_free(&image);
}

START_TEST(cut_off)
{
    static const int qualities[] = {90, 95};
    for (int q = 0; q < 2; q++) {
        make_jpeg(qualities[q]);
        mrw_image whole = decode_whole();
        const size_t start = scan_start(), length = file_size - 2 - start;
        for (int part = 4; part < 12; part++) {
            check_rescue(start + length * (size_t)part / 16, part / 16.0, true, &whole);
        }
        mrw_image_free(&whole);
    }
}
END_TEST

/* Sixteen 1-bits are no code. */
START_TEST(damaged_scan)
{
    static const int qualities[] = {90, 95};
    for (int q = 0; q < 2; q++) {
        make_jpeg(qualities[q]);
        mrw_image whole = decode_whole();
        const size_t start = scan_start(), length = file_size - 2 - start;
        const size_t at = start + length / 2;
        for (size_t i = 0; i < 16; i += 2) {
            file[at + i] = 0xFF;
            file[at + i + 1] = 0;
        }
        check_rescue(file_size, 0.5, false, &whole);
        mrw_image_free(&whole);
    }
}
END_TEST

/* Nothing of the picture, nothing of a JPEG, or a header that cannot be: refused as ever. */
START_TEST(nothing_to_draw)
{
    mrw_image image;
    bool found = true;
    make_jpeg(90);
    const size_t sizes[] = {0, 1, 2, 3, 20, scan_start() - 20, scan_start()};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ck_assert_int_eq(mrwi_image_rescue(file, sizes[i], 0, "x", &image, &found, NULL), MRW_OK);
        ck_assert_msg(!found, "%zu bytes", sizes[i]);
    }
    ck_assert_int_eq(mrwi_image_rescue(file, file_size / 2, SIDE, "x", &image, &found, NULL),
                     MRW_OK);
    ck_assert(!found); /* too many pixels */
    static const char png[] = "\x89PNG\r\n\x1a\n and so on";
    ck_assert_int_eq(mrwi_image_rescue(png, sizeof png, 0, "x", &image, &found, NULL), MRW_OK);
    ck_assert(!found);
}
END_TEST

/* Whatever the bytes: a picture or none. */
START_TEST(random_damage)
{
    static uint8_t good[sizeof file];
    uint64_t state = 3;
    int drawn = 0;
    make_jpeg(90);
    memcpy(good, file, file_size);
    for (int i = 0; i < 600; i++) {
        mrw_image image;
        bool found;
        memcpy(file, good, file_size);
        for (int k = 0; k < 1 + i % 8; k++) {
            const size_t at = 2 + test_random_below(&state, (uint32_t)file_size - 2);
            file[at] = (uint8_t)test_random(&state);
        }
        ck_assert_int_eq(mrwi_image_rescue(file, file_size, 0, "x", &image, &found, NULL), MRW_OK);
        if (found) {
            drawn++;
            mrw_image_free(&image);
        }
    }
    ck_assert_int_gt(drawn, 100);
}
END_TEST

/* ---- of models ------------------------------------------------------------------------------- */

START_TEST(models_show_what_can_be_read)
{
    static const char gltf[] =
        "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"t.jpg\"}],\"textures\":[{"
        "\"source\":0}],\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{"
        "\"index\":0}}}],\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},{"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}],\"meshes\":[{\"primitives\":[{"
        "\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"material\":0}]}],\"nodes\":[{"
        "\"mesh\":0}]}";
    static const char obj[] = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\n"
                              "f 1/1 2/1 3/1\n";
    static const char obj_of_opacity[] =
        "mtllib o.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n";
    static const char mtl[] = "newmtl a\nmap_Kd t.jpg\n";
    static const char mtl_of_opacity[] = "newmtl a\nmap_d t.jpg\n";
    static const char *const models[] = {"m.gltf", "m.obj", "o.obj"};
    make_jpeg(90);
    test_write(test_path("t.jpg"), file, file_size / 2);
    test_write_text(test_path("m.gltf"), gltf);
    test_write_text(test_path("m.obj"), obj);
    test_write_text(test_path("m.mtl"), mtl);
    test_write_text(test_path("o.obj"), obj_of_opacity);
    test_write_text(test_path("o.mtl"), mtl_of_opacity);
    for (int i = 0; i < 3; i++) {
        mrw_error error = {0};
        mrw_scene *s = NULL;
        ck_assert_msg(mrw_load_file(test_path(models[i]), NULL, &s, &error) == MRW_OK, "%s",
                      error.text);
        if (i < 2) {
            ck_assert_uint_eq(s->images_count, 1);
            ck_assert((s->images[0].flags & MRW_IMAGE_MISSING) == 0);
            ck_assert_uint_eq(s->images[0].width, SIDE);
        }
        ck_assert_uint_eq(s->warnings_count, 1);
        const char *warning = mrw_scene_string(s, s->warnings[0]);
        ck_assert_msg(strstr(warning, "\"t.jpg\": the JPEG is damaged or cut off"), "%s", warning);
        mrw_scene_free(s);
    }
    test_folder_remove();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("jpeg_rescue");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, cut_off);
    tcase_add_test(all, damaged_scan);
    tcase_add_test(all, nothing_to_draw);
    tcase_add_test(all, random_damage);
    tcase_add_test(all, models_show_what_can_be_read);
    suite_add_tcase(s, all);
    return s;
}

TEST_MAIN(suite())
