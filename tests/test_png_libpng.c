/* test_png_libpng.c: what marrow encodes, decoded by libpng, which is strict about streams. */
#include "png_pictures.h"

#include <png.h>

static void check(const mrw_image *image, const mrw_bytes *file)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    size_t size = (size_t)image->width * image->height * image->channels;
    uint8_t *pixels = malloc(size);
    ck_assert(png_image_begin_read_from_memory(&png, file->data, file->size));
    ck_assert_uint_eq(png.width, image->width);
    ck_assert_uint_eq(png.height, image->height);
    ck_assert_uint_eq(png.format, image->channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB);
    ck_assert(png_image_finish_read(&png, NULL, pixels, 0, NULL));
    ck_assert_msg(png.warning_or_error == 0, "%s", png.message);
    ck_assert_int_eq(memcmp(pixels, image->pixels, size), 0);
    free(pixels);
}

START_TEST(libpng_reads_every_picture)
{
    static const uint32_t sizes[][2] = {{1, 1},   {2, 3},     {21, 9},    {22, 9},    {43, 40},
                                        {301, 7}, {16384, 1}, {1, 16384}, {640, 361}, {3000, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int way = 0; way < 20; way++) {
            mrw_image image =
                make_picture(sizes[i][0], sizes[i][1], 3 + (uint32_t)way % 2, way / 4);
            mrw_png_def def = mrw_png_def_default();
            mrw_bytes file;
            def.effort = way / 2 % 2 == 0 ? MRW_PNG_FAST : MRW_PNG_BEST;
            ck_assert_int_eq(mrw_png_encode_as(&image, &def, &file, NULL), MRW_OK);
            check(&image, &file);
            mrw_bytes_free(&file);
            ck_assert_int_eq(mrw_apng_encode_as(&image, 1, (mrw_rate){9, 1}, &def, &file, NULL),
                             MRW_OK);
            check(&image, &file);
            mrw_bytes_free(&file);
            mrw_image_free(&image);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("png_libpng");
    TCase *tc = tcase_create("png_libpng");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, libpng_reads_every_picture);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
