/* test_decode.c: the fast ways through decoding give the bytes of the plain ones. */
#include "base/memory.h"
#include "image/jpeg.h"
#include "image/png_read.h"
#include "marrow/image.h"

#include <check.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

static uint32_t seed;

static uint32_t random_u32(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static void restart(void)
{
    seed = 1;
}

/* ---- PNG ------------------------------------------------------------------------------------- */

typedef struct file {
    uint8_t bytes[65536];
    size_t size;
} file;

static void put_u32(file *f, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        f->bytes[f->size++] = (uint8_t)(v >> shift);
    }
}

static void put_chunk(file *f, const char *type, const void *data, size_t size)
{
    put_u32(f, (uint32_t)size);
    const size_t start = f->size;
    memcpy(f->bytes + f->size, type, 4);
    memcpy(f->bytes + f->size + 4, data, size);
    f->size += 4 + size;
    put_u32(f, libdeflate_crc32(0, f->bytes + start, 4 + size));
}

static void begin_png(file *f, uint32_t width, uint32_t height, uint32_t channels)
{
    static const uint8_t signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    file header = {.size = 0};
    put_u32(&header, width);
    put_u32(&header, height);
    const uint8_t rest[5] = {8, channels == 4 ? 6 : 2, 0, 0, 0};
    memcpy(header.bytes + 8, rest, 5);
    memcpy(f->bytes, signature, 8);
    f->size = 8;
    put_chunk(f, "IHDR", header.bytes, 13);
}

/* Clause 9.4 of PNG. */
static uint8_t predict(int filter, int left, int above, int corner)
{
    const int estimate = left + above - corner;
    const int to_left = abs(estimate - left), to_above = abs(estimate - above);
    const int to_corner = abs(estimate - corner);
    const int nearest = to_left <= to_above && to_left <= to_corner ? left
                        : to_above <= to_corner                     ? above
                                                                    : corner;
    const int predictions[5] = {0, left, above, (left + above) / 2, nearest};
    return (uint8_t)predictions[filter];
}

static size_t filter_rows(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels,
                          int filter, uint8_t *out)
{
    const size_t stride = (size_t)width * channels;
    uint8_t *start = out;
    for (uint32_t y = 0; y < height; y++) {
        const int kind = filter < 5 ? filter : (int)(random_u32() % 5);
        *out++ = (uint8_t)kind;
        for (size_t x = 0; x < stride; x++) {
            const uint8_t *at = pixels + y * stride + x;
            const bool has_left = x >= channels;
            const int left = has_left ? at[-(ptrdiff_t)channels] : 0,
                      above = y ? *(at - stride) : 0;
            const int corner = has_left && y ? *(at - stride - channels) : 0;
            *out++ = (uint8_t)(*at - predict(kind, left, above, corner));
        }
    }
    return (size_t)(out - start);
}

/* Compresses rows to one to three IDAT chunks. */
static void put_data(file *f, const uint8_t *rows, size_t size)
{
    static uint8_t packed[65536];
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(1);
    const size_t count = libdeflate_zlib_compress(compressor, rows, size, packed, sizeof packed);
    const size_t first = random_u32() % 2 ? count : count / 3, second = (count - first) / 2;
    libdeflate_free_compressor(compressor);
    put_chunk(f, "IDAT", packed, first);
    if (first < count) {
        put_chunk(f, "IDAT", packed + first, second);
        put_chunk(f, "IDAT", packed + first + second, count - first - second);
    }
}

static void fill(uint8_t *pixels, size_t count)
{
    const uint32_t range = random_u32() % 3 == 0 ? 256 : 7; /* small steps: ties of Paeth */
    for (size_t i = 0; i < count; i++) {
        pixels[i] = (uint8_t)(random_u32() % range);
    }
}

static void check_pixels(const mrw_image *image, const uint8_t *pixels, uint32_t channels)
{
    const size_t count = (size_t)image->width * image->height;
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < image->channels; c++) {
            const uint8_t expected = c < channels ? pixels[i * channels + c] : 255;
            same = same && image->pixels[i * image->channels + c] == expected;
        }
    }
    ck_assert(same);
}

START_TEST(png_rows_of_every_filter_and_shape)
{
    static uint8_t pixels[40 * 12 * 4], rows[40 * 12 * 4 + 12];
    static file f;
    for (int round = 0; round < 2000; round++) {
        const uint32_t width = 1 + random_u32() % 40, height = 1 + random_u32() % 12;
        const uint32_t channels = 3 + random_u32() % 2,
                       wanted = (const uint32_t[]){0, 3, 4}[round % 3];
        mrw_image image;
        fill(pixels, (size_t)width * height * channels);
        begin_png(&f, width, height, channels);
        put_chunk(&f, "gAMA", "\0\0\0\1", 4);
        put_data(&f, rows, filter_rows(pixels, width, height, channels, round % 6, rows));
        put_chunk(&f, "IEND", "", 0);
        ck_assert_int_eq(mrwi_png_read(f.bytes, f.size, wanted, &image, NULL), MRW_OK);
        ck_assert_ptr_nonnull(image.pixels);
        ck_assert(image.width == width && image.height == height);
        ck_assert_uint_eq(image.channels, wanted ? wanted : channels);
        check_pixels(&image, pixels, channels);
        mrw_image_free(&image);
    }
}
END_TEST

/* The file must be left to the decoder that knows everything; true when that reads it. */
static bool left_over(const file *f)
{
    mrw_image image;
    ck_assert_int_eq(mrwi_png_read(f->bytes, f->size, 4, &image, NULL), MRW_OK);
    ck_assert_ptr_null(image.pixels);
    const bool good = mrw_image_decode(f->bytes, f->size, 4, 0, "x", &image, NULL) == MRW_OK;
    if (good) {
        mrw_image_free(&image);
    }
    return good;
}

START_TEST(png_of_another_kind_is_left_alone)
{
    static const uint8_t row[7] = {0, 1, 2, 3, 4, 5, 6}, odd[7] = {5, 1, 2, 3, 4, 5, 6};
    static file f;
    begin_png(&f, 2, 1, 3); /* the whole file, then shorter and shorter */
    put_data(&f, row, 7);
    put_chunk(&f, "IEND", "", 0);
    mrw_image image;
    ck_assert_int_eq(mrwi_png_read(f.bytes, f.size, 4, &image, NULL), MRW_OK);
    ck_assert_ptr_nonnull(image.pixels);
    mrw_image_free(&image);
    for (const size_t whole = f.size; f.size > 0; f.size--) {
        ck_assert(f.size == whole || !left_over(&f) || f.size + 4 >= whole);
    }
    begin_png(&f, 2, 1, 3); /* a transparent colour */
    put_chunk(&f, "tRNS", "\0\1\0\2\0\3", 6);
    put_data(&f, row, 7);
    put_chunk(&f, "IEND", "", 0);
    ck_assert(left_over(&f));
    begin_png(&f, 2, 1, 3); /* a chunk that must be understood */
    put_chunk(&f, "NoNo", "", 0);
    put_data(&f, row, 7);
    put_chunk(&f, "IEND", "", 0);
    ck_assert(!left_over(&f));
    begin_png(&f, 2, 1, 3); /* no such filter */
    put_data(&f, odd, 7);
    put_chunk(&f, "IEND", "", 0);
    ck_assert(!left_over(&f));
    begin_png(&f, 2, 1, 3); /* too few rows */
    put_data(&f, row, 6);
    put_chunk(&f, "IEND", "", 0);
    ck_assert(!left_over(&f));
    begin_png(&f, 2, 1, 3); /* no data */
    put_chunk(&f, "IEND", "", 0);
    ck_assert(!left_over(&f));
}
END_TEST

START_TEST(png_reports_failed_allocations)
{
    static const uint8_t row[7] = {0, 1, 2, 3, 4, 5, 6};
    static file f;
    mrw_image image;
    begin_png(&f, 2, 1, 3);
    do {
        f.size = 33;
        put_data(&f, row, 7);
    } while (f.size < 80); /* in several chunks: they are gathered */
    put_chunk(&f, "IEND", "", 0);
    for (uint64_t n = 1; n <= 2; n++) {
        mrwi_alloc_fail_at(n);
        ck_assert_int_eq(mrwi_png_read(f.bytes, f.size, 4, &image, NULL), MRW_ERROR_MEMORY);
        ck_assert(!mrwi_alloc_fail_pending());
        ck_assert_ptr_null(image.pixels);
    }
}
END_TEST

/* ---- JPEG ------------------------------------------------------------------------------------ */

#if defined(__x86_64__)

static bool have_kernels(void)
{
    return mrw_isa_available(MRW_ISA_AVX2);
}

static int32_t shift(uint32_t v, int bits)
{
    return (int32_t)v >> bits;
}

static uint32_t fixed(double x)
{
    return (uint32_t)(int32_t)((double)(float)x * 4096 + 0.5);
}

/* jidctint.c of the Independent JPEG Group with 12 fractional bits, in wrapping arithmetic: eight
 * numbers `step` apart. */
static void transform(int32_t *v, int step, uint32_t bias, int bits)
{
    uint32_t s[8];
    for (int i = 0; i < 8; i++) {
        s[i] = (uint32_t)v[i * step];
    }
    const uint32_t z1 = (s[2] + s[6]) * fixed(0.5411961);
    const uint32_t e2 = z1 - s[6] * (0u - fixed(-1.847759065)), e3 = z1 + s[2] * fixed(0.765366865);
    const uint32_t e0 = (s[0] + s[4]) * 4096, e1 = (s[0] - s[4]) * 4096;
    const uint32_t even[4] = {e0 + e3, e1 + e2, e1 - e2, e0 - e3};
    const uint32_t p5 = (s[7] + s[3] + s[5] + s[1]) * fixed(1.175875602);
    const uint32_t p1 = p5 + (s[7] + s[1]) * fixed(-0.899976223);
    const uint32_t p2 = p5 + (s[5] + s[3]) * fixed(-2.562915447);
    const uint32_t p3 = (s[7] + s[3]) * fixed(-1.961570560);
    const uint32_t p4 = (s[5] + s[1]) * fixed(-0.390180644);
    const uint32_t odd[4] = {
        s[1] * fixed(1.501321110) + p1 + p4, s[3] * fixed(3.072711026) + p2 + p3,
        s[5] * fixed(2.053119869) + p2 + p4, s[7] * fixed(0.298631336) + p1 + p3};
    for (int i = 0; i < 4; i++) {
        v[i * step] = shift(even[i] + odd[i] + bias, bits);
        v[(7 - i) * step] = shift(even[i] - odd[i] + bias, bits);
    }
}

static uint8_t clamp(int32_t v)
{
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

START_TEST(jpeg_transform)
{
    short block[64];
    uint8_t out[8 * 11], expected[8 * 11];
    for (int round = 0; round < 20000 && have_kernels(); round++) {
        int32_t v[64];
        const uint32_t range = 1u << (1 + round % 16); /* also what no encoder writes */
        for (int i = 0; i < 64; i++) {
            const int32_t value = (int32_t)(random_u32() % range) - (int32_t)(range / 2);
            block[i] = (short)(i > round % 70 ? 0 : value);
            v[i] = block[i];
        }
        for (int i = 0; i < 8; i++) {
            transform(v + i, 8, 512, 10);
        }
        for (int i = 0; i < 8; i++) {
            transform(v + 8 * i, 1, 65536 + (128 << 17), 17);
        }
        for (int i = 0; i < 88; i++) {
            expected[i] = i % 11 < 8 ? clamp(v[i / 11 * 8 + i % 11]) : 99;
        }
        memset(out, 99, sizeof out);
        mrwi_jpeg_avx2.idct(out, 11, block);
        ck_assert_mem_eq(out, expected, sizeof out);
    }
}
END_TEST

START_TEST(jpeg_chroma)
{
    uint8_t nearer[100], farther[100], out[201];
    for (int w = 1; w <= 100 && have_kernels(); w++) {
        fill(nearer, 100);
        fill(farther, 100);
        out[2 * w] = 99;
        ck_assert_ptr_eq(mrwi_jpeg_avx2.resample(out, nearer, farther, w, 2), out);
        for (int x = 0; x < 2 * w;
             x++) { /* a quarter from the neighbour, at the ends from itself */
            const int i = x / 2, other = x % 2 ? i + 1 : i - 1;
            const int own = 3 * nearer[i] + farther[i];
            const int next = other < 0 || other >= w ? own : 3 * nearer[other] + farther[other];
            ck_assert_int_eq(out[x], (3 * own + next + 8) / 16);
        }
        ck_assert_int_eq(out[2 * w], 99);
    }
}
END_TEST

START_TEST(jpeg_colors)
{
    uint8_t y[60], cb[60], cr[60], out[60 * 4 + 1];
    for (int round = 0; round < 6000 && have_kernels(); round++) {
        const int count = round % 60, step = 3 + round / 60 % 2;
        fill(y, 60);
        fill(cb, 60);
        fill(cr, 60);
        out[count * step] = 99;
        mrwi_jpeg_avx2.to_rgb(out, y, cb, cr, count, step);
        bool same = out[count * step] == 99;
        for (int i = 0; i < count; i++) { /* 12 fractional bits; the second term of green keeps 4 */
            const int luma = y[i] * 4096 + 2048, red = cr[i] - 128, blue = cb[i] - 128;
            const int green = (blue * -1410 & ~255) + red * -2925;
            same = same && out[i * step] == clamp((luma + red * 5743) >> 12);
            same = same && out[i * step + 1] == clamp((luma + green) >> 12);
            same = same && out[i * step + 2] == clamp((luma + blue * 7258) >> 12);
            same = same && (step == 3 || out[i * step + 3] == 255);
        }
        ck_assert(same);
    }
}
END_TEST

#endif

static Suite *suite(void)
{
    Suite *s = suite_create("decode");
    TCase *t = tcase_create("fast ways");
    tcase_add_checked_fixture(t, restart, NULL);
    tcase_add_test(t, png_rows_of_every_filter_and_shape);
    tcase_add_test(t, png_of_another_kind_is_left_alone);
    tcase_add_test(t, png_reports_failed_allocations);
#if defined(__x86_64__)
    tcase_add_test(t, jpeg_transform);
    tcase_add_test(t, jpeg_chroma);
    tcase_add_test(t, jpeg_colors);
#endif
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
