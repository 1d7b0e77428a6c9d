/* test_png_libpng.c: what marrow encodes, decoded by libpng, which is strict about streams. */
#include "marrow/codecs.h"
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

typedef struct reader {
    const uint8_t *at;
    size_t left;
} reader;

static void read_bytes(png_structp png, png_bytep out, size_t size)
{
    reader *r = png_get_io_ptr(png);
    ck_assert_uint_le(size, r->left);
    memcpy(out, r->at, size);
    r->at += size;
    r->left -= size;
}

/* Values as they are: the simple way of libpng would make them linear. */
static void check_deep(const mrw_image *image, const mrw_bytes *file)
{
    reader r = {file->data, file->size};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    ck_assert(!setjmp(png_jmpbuf(png)));
    png_set_read_fn(png, &r, read_bytes);
    png_read_info(png, info);
    ck_assert_uint_eq(png_get_image_width(png, info), image->width);
    ck_assert_uint_eq(png_get_image_height(png, info), image->height);
    ck_assert_uint_eq(png_get_bit_depth(png, info), 16);
    ck_assert_uint_eq(png_get_channels(png, info), image->channels);
    const size_t count = (size_t)image->width * image->channels;
    uint8_t *row = malloc(2 * count);
    for (uint32_t y = 0; y < image->height; y++) {
        const uint16_t *values = (const uint16_t *)(const void *)image->pixels + y * count;
        png_read_row(png, row, NULL);
        for (size_t i = 0; i < count; i++) {
            ck_assert_uint_eq((uint32_t)row[2 * i] << 8 | row[2 * i + 1], values[i]);
        }
    }
    png_read_end(png, NULL);
    ck_assert_uint_eq(r.left, 0);
    free(row);
    png_destroy_read_struct(&png, &info, NULL);
}

/* Fills in noise, slopes and plain rows, so that every filter is taken; or a slope alone. */
static void fill_deep(mrw_image *image, bool slope, uint64_t *state)
{
    uint16_t *values = (uint16_t *)(void *)image->pixels;
    const size_t row = (size_t)image->width * image->channels;
    for (size_t k = 0; k < row * image->height; k++) {
        const size_t x = k % row, y = k / row;
        const uint32_t any = test_random(state);
        values[k] = (uint16_t)(slope        ? x / image->channels * 97 + y * 31
                               : y % 4 == 0 ? any >> 16
                               : y % 4 == 1 ? x * 97 + y
                               : y % 4 == 2 ? y * 31
                                            : x * 97 + y * 1000 + (any >> 28));
    }
}

/* Every kernel must write the same bytes. The slope repeats a difference, so matches make it much
 * smaller than literals could, which take at least a bit: less than half of that. */
START_TEST(libpng_reads_sixteen_bits)
{
    static const uint32_t sizes[][2] = {{1, 1},     {2, 3},    {301, 7},  {1, 300},
                                        {16384, 1}, {130, 97}, {640, 361}};
    const mrw_png_def ways[] = {{MRW_PNG_FAST, MRW_ISA_AUTO, 1},
                                {MRW_PNG_FAST, MRW_ISA_SCALAR, 1},
                                {MRW_PNG_BEST, MRW_ISA_AUTO, 1}};
    const size_t count = sizeof sizes / sizeof *sizes;
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t channels = 1; channels <= 4; channels += channels == 1 ? 2 : 1) {
            mrw_image image;
            mrw_bytes files[3];
            ck_assert_int_eq(mrw_image_create_as(MRW_FORMAT_U16, sizes[i][0], sizes[i][1], channels,
                                                 &image, NULL),
                             MRW_OK);
            fill_deep(&image, i == count - 1, &state);
            for (int way = 0; way < 3; way++) {
                ck_assert_int_eq(mrw_png_encode_as(&image, &ways[way], &files[way], NULL), MRW_OK);
                check_deep(&image, &files[way]);
            }
            ck_assert_uint_eq(files[0].size, files[1].size);
            ck_assert_mem_eq(files[0].data, files[1].data, files[0].size);
            ck_assert_uint_le(files[2].size, files[0].size);
            ck_assert(i < count - 1 || files[0].size < image.width * image.height * channels / 8);
            for (int way = 0; way < 3; way++) {
                mrw_bytes_free(&files[way]);
            }
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
    tcase_add_test(tc, libpng_reads_sixteen_bits);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
