/* test_png_read.c: PNGs of libpng, of all kinds and filters, decoded by marrow; and damaged ones.
 */
#include "base/memory.h"
#include "image/png_chunks.h"
#include "marrow/codecs.h"
#include "test.h"

#include <libdeflate.h>
#include <png.h>

#define MOST_SIDE 300

typedef struct kind {
    const char *name;
    int color;
    uint32_t pixel;  /* bytes per pixel */
    int transparent; /* palette entries with alpha */
} kind;

static const kind kinds[] = {{"grey", PNG_COLOR_TYPE_GRAY, 1, 0},
                             {"grey and alpha", PNG_COLOR_TYPE_GRAY_ALPHA, 2, 0},
                             {"RGB", PNG_COLOR_TYPE_RGB, 3, 0},
                             {"RGBA", PNG_COLOR_TYPE_RGB_ALPHA, 4, 0},
                             {"palette", PNG_COLOR_TYPE_PALETTE, 1, 0},
                             {"palette with alpha", PNG_COLOR_TYPE_PALETTE, 1, 100}};
static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
                              PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS};

static png_color palette[256];
static uint8_t palette_alpha[256];

typedef struct file {
    uint8_t data[1 << 20];
    size_t size;
} file;

static void write_bytes(png_structp png, png_bytep data, size_t size)
{
    file *f = png_get_io_ptr(png);
    ck_assert_uint_le(f->size + size, sizeof f->data);
    memcpy(f->data + f->size, data, size);
    f->size += size;
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

/* Writes a PNG, with many chunks of data if they are small. */
static void write_png(const kind *k, uint32_t width, uint32_t height, const uint8_t *pixels,
                      int filter, size_t chunk, file *out)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    ck_assert(!setjmp(png_jmpbuf(png)));
    out->size = 0;
    png_set_write_fn(png, out, write_bytes, flush_nothing);
    png_set_compression_buffer_size(png, chunk);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, filter);
    png_set_IHDR(png, info, width, height, 8, k->color, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    if (k->color == PNG_COLOR_TYPE_PALETTE) {
        png_set_PLTE(png, info, palette, 256);
    }
    if (k->transparent > 0) {
        png_set_tRNS(png, info, palette_alpha, k->transparent, NULL);
    }
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++) {
        png_write_row(png, pixels + (size_t)y * width * k->pixel);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

/* Fills in flat stretches, slopes and noise, and the end of the rows with a flat ground. */
static void fill(uint8_t *pixels, uint32_t width, uint32_t height, uint32_t pixel, uint64_t *state)
{
    const uint32_t flat = test_random_below(state, width + 1), way = test_random_below(state, 4);
    for (uint32_t i = 0; i < width * height * pixel; i++) {
        const uint32_t channel = i % pixel, x = i / pixel % width, y = i / pixel / width;
        const uint32_t any = test_random(state);
        pixels[i] = (uint8_t)(x >= flat  ? 40 + 50 * channel
                              : way == 0 ? any >> 24
                              : way == 1 ? 3 * x + 5 * y + channel
                              : way == 2 ? (x / 20 + y / 3) * 60 + channel
                                         : 7 * x + 9 * y + (any >> 29));
    }
}

/* Returns the colour that a pixel shows. */
static void find_color(const kind *k, const uint8_t *pixel, uint8_t rgba[4])
{
    if (k->color == PNG_COLOR_TYPE_PALETTE) {
        const png_color color = palette[pixel[0]];
        rgba[0] = color.red;
        rgba[1] = color.green;
        rgba[2] = color.blue;
        rgba[3] = pixel[0] < k->transparent ? palette_alpha[pixel[0]] : 255;
        return;
    }
    for (int c = 0; c < 3; c++) {
        rgba[c] = pixel[k->pixel > 2 ? c : 0];
    }
    rgba[3] = k->pixel % 2 == 0 ? pixel[k->pixel - 1] : 255;
}

static void check(const kind *k, uint32_t width, uint32_t height, const uint8_t *pixels,
                  const file *png)
{
    const bool has_alpha = k->transparent > 0 || k->pixel % 2 == 0;
    uint8_t *exact = malloc(png->size); /* exactly so large, for the sanitizer */
    memcpy(exact, png->data, png->size);
    for (uint32_t asked = 0; asked <= 4; asked += asked == 0 ? 3 : 1) {
        const uint32_t channels = asked != 0 ? asked : has_alpha ? 4 : 3;
        mrw_image image;
        ck_assert_int_eq(mrw_image_decode(exact, png->size, asked, 0, "x", &image, NULL), MRW_OK);
        ck_assert(image.width == width && image.height == height && image.channels == channels);
        for (uint32_t i = 0; i < width * height; i++) {
            uint8_t rgba[4];
            find_color(k, pixels + i * k->pixel, rgba);
            ck_assert_msg(memcmp(image.pixels + i * channels, rgba, channels) == 0,
                          "%s, %ux%u as %u channels: pixel %u", k->name, width, height, asked, i);
        }
        mrw_image_free(&image);
    }
    free(exact);
}

static void make_palette(void)
{
    for (int i = 0; i < 256; i++) {
        palette[i] = (png_color){(uint8_t)(i * 3), (uint8_t)(255 - i), (uint8_t)(i * 7 + 1)};
        palette_alpha[i] = (uint8_t)(i * 5);
    }
}

START_TEST(every_kind_filter_and_width)
{
    static uint8_t pixels[MOST_SIDE * MOST_SIDE * 4];
    static file png;
    uint64_t state = 5;
    make_palette();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (uint32_t width = 1; width <= 71; width++) {
            const uint32_t wide = width < 71 ? width : MOST_SIDE, height = 1 + width % 4 * 2;
            for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
                fill(pixels, wide, height, kinds[k].pixel, &state);
                write_png(&kinds[k], wide, height, pixels, filters[f], f % 2 ? 64 : 8192, &png);
                check(&kinds[k], wide, height, pixels, &png);
            }
        }
    }
}
END_TEST

/* ---- files by hand --------------------------------------------------------------------------- */

/* Makes a PNG of 3 x 2 pixels of RGB from filtered rows, which may be too few or too many. */
static size_t make_file(const uint8_t *rows, size_t size, uint8_t *out)
{
    uint8_t packed[256];
    struct libdeflate_compressor *tool = libdeflate_alloc_compressor(6);
    const size_t packed_size = libdeflate_zlib_compress(tool, rows, size, packed, sizeof packed);
    libdeflate_free_compressor(tool);
    ck_assert_uint_gt(packed_size, 0);
    uint8_t *to = mrwi_image_png_store_header(out, 3, 2, 3, 8);
    to = mrwi_image_chunk_store(to, "IDAT", packed, packed_size / 2, packed, 0);
    to = mrwi_image_chunk_store(to, "IDAT", packed + packed_size / 2, packed_size - packed_size / 2,
                                packed, 0);
    to = mrwi_image_chunk_store(to, "IEND", packed, 0, packed, 0);
    return (size_t)(to - out);
}

static void check_file(const uint8_t *png, size_t size, const char *pixels, const char *reason)
{
    mrw_image image;
    mrw_error error = {0};
    uint8_t *exact = malloc(size + 1);
    memcpy(exact, png, size);
    const mrw_status status = mrw_image_decode(exact, size, 3, 0, "x.png", &image, &error);
    free(exact);
    if (pixels) {
        ck_assert_msg(status == MRW_OK, "%s", error.text);
        ck_assert_mem_eq(image.pixels, pixels, 18);
        mrw_image_free(&image);
    } else {
        ck_assert_int_eq(status, MRW_ERROR_INPUT);
        ck_assert_msg(strstr(error.text, reason), "%s", error.text);
    }
}

/* The first row's filter adds the pixel to the left, the second row's the one above (both by
 * Paeth). */
static const uint8_t paeth_rows[] = {4, 1, 2, 3, 4, 5, 6,   7, 8, 9, 4,
                                     1, 1, 1, 0, 0, 0, 250, 0, 0, 9};
static const char paeth_pixels[] = "\1\2\3\5\7\x9\xC\xF\x12"
                                   "\2\3\4\5\7\x9\x6\xF\x12";

START_TEST(sizes_and_filters_are_checked)
{
    uint8_t png[512], rows[sizeof paeth_rows];
    check_file(png, make_file(paeth_rows, 20, png), paeth_pixels, NULL);
    check_file(png, make_file(paeth_rows, 21, png), paeth_pixels, NULL); /* a byte too many */
    check_file(png, make_file(paeth_rows, 19, png), NULL, "Corrupt PNG");
    memcpy(rows, paeth_rows, sizeof rows);
    for (int filter = 5; filter < 256; filter++) {
        rows[10] = (uint8_t)filter;
        check_file(png, make_file(rows, 20, png), NULL, "Corrupt PNG");
    }
}
END_TEST

/* The last four bytes are a checksum, which is not read. */
START_TEST(a_cut_file_is_refused)
{
    uint8_t png[512];
    const size_t size = make_file(paeth_rows, 20, png);
    for (size_t cut = 1; cut < size - 4; cut++) {
        check_file(png, cut, NULL, "x.png: ");
    }
    for (size_t cut = size - 4; cut < size; cut++) {
        check_file(png, cut, paeth_pixels, NULL);
    }
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    uint8_t png[512];
    const size_t size = make_file(paeth_rows, 20, png);
    int failures = 0;
    for (uint64_t n = 1; n < 20; n++) {
        mrw_image image;
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = mrw_image_decode(png, size, 4, 0, "x", &image, NULL);
        const bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(status, fired ? MRW_ERROR_MEMORY : MRW_OK);
        if (!fired) {
            mrw_image_free(&image);
            break;
        }
        failures++;
    }
    ck_assert_int_eq(failures, 4); /* joined data, rows, pixels, and the row above the first */
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("png_read");
    TCase *tc = tcase_create("png_read");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, every_kind_filter_and_width);
    tcase_add_test(tc, sizes_and_filters_are_checked);
    tcase_add_test(tc, a_cut_file_is_refused);
    tcase_add_test(tc, every_allocation_may_fail);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
