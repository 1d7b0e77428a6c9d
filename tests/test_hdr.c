/* test_hdr.c: Radiance pictures, byte by byte, and what is wrong with them. */
#include "test.h"

#include "base/memory.h"
#include "marrow/codecs.h"

#include <math.h>

#define HEAD "#?RADIANCE\n# a comment\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=2.5\n\n"

/* A header, a size line and bytes. */
typedef struct file {
    uint8_t bytes[8192];
    size_t size;
} file;

static file file_of(const char *header, const char *sides)
{
    file f;
    f.size = (size_t)snprintf((char *)f.bytes, sizeof f.bytes, "%s%s\n", header, sides);
    return f;
}

static void add(file *f, const void *bytes, size_t size)
{
    ck_assert_uint_le(f->size + size, sizeof f->bytes);
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

/* As far as the last byte of a block of its own: whatever is read beyond, sanitizers see. */
static mrw_status decode(const file *f, uint64_t max_pixels, mrw_image *out, mrw_error *error)
{
    uint8_t *copy = malloc(f->size + 1);
    memcpy(copy, f->bytes, f->size);
    const mrw_status status =
        mrw_image_decode_hdr(copy, f->size, max_pixels, "sky.hdr", out, error);
    free(copy);
    return status;
}

static void check_pixels(const file *f, const float *expected, uint32_t width, uint32_t height)
{
    mrw_image image;
    mrw_error error;
    ck_assert_msg(decode(f, 0, &image, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(image.width, width);
    ck_assert_uint_eq(image.height, height);
    ck_assert_uint_eq(image.channels, 3);
    ck_assert_int_eq(image.format, MRW_FORMAT_F32);
    for (uint32_t i = 0; i < width * height * 3; i++) {
        const float got = ((const float *)(void *)image.pixels)[i];
        ck_assert_msg(got == expected[i], "value %u: %g, not %g", i, (double)got,
                      (double)expected[i]);
    }
    mrw_image_free(&image);
}

static void refused(const file *f, uint64_t max_pixels, const char *words)
{
    mrw_image image;
    mrw_error error;
    ck_assert_int_eq(decode(f, max_pixels, &image, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_null(image.pixels);
    ck_assert_msg(strstr(error.text, words), "\"%s\" says nothing of: %s", error.text, words);
    ck_assert_msg(strncmp(error.text, "sky.hdr: ", 9) == 0, "%s", error.text);
}

/* ---- good ones ------------------------------------------------------------------------------- */

/* A value is mantissa / 256 * 2^(exponent - 128): 128 and 129 are 1/2 and 1. */
START_TEST(flat_pixels)
{
    static const uint8_t pixels[] = {128, 64,  32,  129, 255, 0,   1, 128, 9, 9, 9, 0,
                                     255, 255, 255, 255, 255, 255, 1, 1,   1, 1, 2, 129};
    const float largest = 255 * 0x1p119f;
    const float expected[] = {
        1,         0.5f,       0.25f,      255.0f / 256, 0,       1.0f / 256,      0,
        0,         0,          largest,    largest,      largest, 255 * 0x1p-135f, 255 * 0x1p-135f,
        0x1p-135f, 1.0f / 128, 1.0f / 128, 2.0f / 128};
    file f = file_of(HEAD, "-Y 2 +X 3");
    add(&f, pixels, sizeof pixels);
    check_pixels(&f, expected, 3, 2);
    f = file_of("#?RGBE\r\n\r\n", "-Y 3 +X 2"); /* no format named; lines as of other systems */
    add(&f, pixels, sizeof pixels);
    check_pixels(&f, expected, 2, 3);
}
END_TEST

/* 1, 1, 1, n repeats; a second one behind it counts 256 times as much. */
START_TEST(older_runs)
{
    static const uint8_t pixels[] = {128, 0, 0, 129, 0, 128, 0, 129, 1,   1,
                                     1,   3, 1, 1,   1, 1,   0, 0,   128, 129};
    static float expected[262 * 3];
    expected[0] = 1;
    for (int i = 1; i < 261; i++) {
        expected[3 * i + 1] = 1;
    }
    expected[3 * 261 + 2] = 1;
    file f = file_of(HEAD, "-Y 1 +X 262");
    add(&f, pixels, sizeof pixels);
    check_pixels(&f, expected, 262, 1);
}
END_TEST

/* Red: a run of 9; green: 8 bytes and one; blue: two runs; the exponents: a run. Then a row of
 * pixels as they are. */
START_TEST(newer_runs)
{
    static const uint8_t packed[] = {2,       2,  0,       9,  128 + 9, 128, /* red */
                                     8,       0,  1,       2,  3,       4,
                                     5,       6,  7,       1,  8, /* green */
                                     128 + 4, 64, 128 + 5, 32, 128 + 9, 129 /* blue, exponent */};
    static const uint8_t plain[4] = {4, 2, 1, 129};
    float expected[2 * 9 * 3];
    file f = file_of(HEAD, "-Y 2 +X 9");
    add(&f, packed, sizeof packed);
    for (int i = 0; i < 9; i++) {
        expected[3 * i] = 1;
        expected[3 * i + 1] = (float)i / 128;
        expected[3 * i + 2] = i < 4 ? 0.5f : 0.25f;
        expected[27 + 3 * i] = 4.0f / 128;
        expected[27 + 3 * i + 1] = 2.0f / 128;
        expected[27 + 3 * i + 2] = 1.0f / 128;
        add(&f, plain, sizeof plain);
    }
    check_pixels(&f, expected, 9, 2);
}
END_TEST

/* Rows of any width, whose bytes come as runs and as plain bytes in turn: pixels are put together
 * 16 at a time. The expected values come from the bytes' formulas. */
START_TEST(newer_runs_of_any_width)
{
    for (int width = 8; width <= 70; width++) {
        float expected[70 * 3];
        char sides[32];
        snprintf(sides, sizeof sides, "-Y 1 +X %d", width);
        file f = file_of(HEAD, sides);
        add(&f, (const uint8_t[]){2, 2, 0, (uint8_t)width}, 4);
        for (int k = 0; k < 4; k++) {
            for (int x = 0; x < width;) { /* five plain bytes, then a run of up to five */
                const int left = width - x, count = left < 5 ? left : 5;
                const bool run = x % 10 == 5;
                add(&f, (const uint8_t[]){(uint8_t)(run ? 128 + count : count)}, 1);
                for (int i = 0; i < count; i++) {
                    const int shown = run ? x : x + i;
                    const uint8_t byte = (uint8_t)(k == 3 ? 100 + shown : 7 * shown + 50 * k);
                    if (!run || i == 0) {
                        add(&f, &byte, 1);
                    }
                    if (k < 3) {
                        expected[3 * (x + i) + k] = (float)ldexp(byte, 100 + shown - 136);
                    }
                }
                x += count;
            }
        }
        check_pixels(&f, expected, (uint32_t)width, 1);
    }
}
END_TEST

/* Flat rows with and without the start of a run, at any place. */
START_TEST(runs_in_rows_of_any_width)
{
    for (int width = 1; width <= 13; width++) {
        for (int run = 1; run <= width; run++) { /* run == width: none */
            float expected[13 * 3];
            char sides[32];
            snprintf(sides, sizeof sides, "-Y 1 +X %d", width);
            file f = file_of(HEAD, sides);
            for (int x = 0; x < width; x++) {
                const uint8_t byte = (uint8_t)(2 + (x == run ? x - 1 : x)), one = 1;
                const uint8_t pixel[4] = {byte, 1, 1, 136}, again[4] = {one, one, one, 1};
                add(&f, x == run ? again : pixel, 4);
                expected[3 * x] = byte;
                expected[3 * x + 1] = expected[3 * x + 2] = 1;
            }
            check_pixels(&f, expected, (uint32_t)width, 1);
        }
    }
}
END_TEST

/* ---- bad ones -------------------------------------------------------------------------------- */

START_TEST(bad_headers)
{
    static const struct {
        const char *header, *sides, *words;
    } cases[] = {
        {"GIF89a\n\n", "-Y 1 +X 1", "not a Radiance picture"},
        {"", "", "not a Radiance picture"},
        {"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n", "-Y 1 +X 1", "32-bit_rle_xyze"},
        {HEAD, "+Y 1 +X 1", "+Y 1 +X 1"},
        {HEAD, "+X 1 -Y 1", "-Y height +X width"},
        {HEAD, "-Y 1 +X", "-Y height +X width"},
        {HEAD, "-Y 1 +X 1 x", "-Y height +X width"},
        {HEAD, "-Y -1 +X 1", "-Y height +X width"},
        {HEAD, "-Y 1234567 +X 1", "-Y height +X width"},
        {HEAD, "-Y 0 +X 4", "no pixels"},
        {HEAD, "-Y 4 +X 0", "no pixels"},
        {HEAD, "-Y 16385 +X 1", "1 x 16385"},
        {HEAD, "-Y 100 +X 101", "101 x 100"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file f = file_of(cases[i].header, cases[i].sides);
        refused(&f, 10000, cases[i].words);
    }
    file f = file_of("#?RADIANCE\n", "");
    f.size -= 2;
    refused(&f, 0, "cut off");
    f = file_of("", "");
    memset(f.bytes, 'x', 1000); /* a line without an end */
    memcpy(f.bytes, "#?", 2);
    f.size = 1000;
    refused(&f, 0, "cut off");
}
END_TEST

/* Cut off after any byte, every kind of picture says so. */
START_TEST(pictures_that_are_cut_off)
{
    static const uint8_t packed[] = {2, 2, 0, 9, 128 + 9, 128, 8,       0,  1,       2,  3,
                                     4, 5, 6, 7, 1,       8,   128 + 9, 64, 128 + 9, 129};
    static const uint8_t older[] = {128, 0, 0, 129, 1, 1, 1, 8, 9, 9, 9, 9, 1, 1, 1, 8};
    for (int kind = 0; kind < 2; kind++) {
        file f = file_of(HEAD, kind == 0 ? "-Y 1 +X 9" : "-Y 2 +X 9");
        const size_t begin = f.size;
        add(&f, kind == 0 ? packed : older, kind == 0 ? sizeof packed : sizeof older);
        mrw_image image;
        ck_assert_int_eq(decode(&f, 0, &image, NULL), MRW_OK);
        mrw_image_free(&image);
        for (size_t end = f.size; end-- > begin;) {
            f.size = end;
            refused(&f, 0, "cut off");
        }
    }
}
END_TEST

START_TEST(damaged_runs)
{
    static const uint8_t too_long[] = {2, 2, 0, 9, 128 + 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint8_t of_none[] = {2, 2, 0, 9, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint8_t other[] = {2, 2, 0, 10, 128 + 9, 1, 128 + 9, 1, 128 + 9, 1, 128 + 9, 1};
    static const uint8_t first[] = {1, 1, 1, 4, 1, 1, 1, 5};
    static const uint8_t beyond[] = {9, 9, 9, 9, 1, 1, 1, 9};
    static const uint8_t far[] = {9, 9, 9, 9, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1};
    static const struct {
        const uint8_t *bytes;
        size_t size;
        const char *words;
    } cases[] = {
        {too_long, sizeof too_long, "beyond its row"}, {of_none, sizeof of_none, "beyond its row"},
        {other, sizeof other, "the picture's width"},  {first, sizeof first, "beyond its row"},
        {beyond, sizeof beyond, "beyond its row"},     {far, sizeof far, "beyond its row"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file f = file_of(HEAD, "-Y 1 +X 9");
        add(&f, cases[i].bytes, cases[i].size);
        refused(&f, 0, cases[i].words);
    }
}
END_TEST

/* Any byte changed to any other: pixels or a reason, nothing else. */
START_TEST(any_damage)
{
    static const uint8_t packed[] = {2, 2, 0, 9, 128 + 9, 128, 8,       0,  1,       2,  3,
                                     4, 5, 6, 7, 1,       8,   128 + 9, 64, 128 + 9, 129};
    file f = file_of("#?RGBE\n\n", "-Y 1 +X 9");
    add(&f, packed, sizeof packed);
    for (size_t i = 0; i < f.size; i++) {
        for (int value = 0; value < 256; value++) {
            const uint8_t before = f.bytes[i];
            mrw_image image;
            mrw_error error;
            f.bytes[i] = (uint8_t)value;
            const mrw_status status = decode(&f, 10000, &image, &error);
            ck_assert(status == MRW_OK || status == MRW_ERROR_INPUT);
            for (uint32_t k = 0; k < image.width * image.height * 3; k++) {
                const float got = ((const float *)(void *)image.pixels)[k];
                ck_assert(got >= 0 && got < INFINITY);
            }
            mrw_image_free(&image);
            f.bytes[i] = before;
        }
    }
}
END_TEST

START_TEST(files_that_are_not_there)
{
    mrw_image image;
    mrw_error error;
    ck_assert_int_eq(mrw_image_read_hdr("no/such.hdr", 0, &image, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "no/such.hdr"));
}
END_TEST

START_TEST(memory_that_ends_is_told)
{
    static const uint8_t pixels[] = {9, 9, 9, 9};
    file f = file_of(HEAD, "-Y 1 +X 1");
    add(&f, pixels, sizeof pixels);
    bool pending = false;
    for (uint64_t n = 1; !pending; n++) {
        mrw_image image;
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = decode(&f, 0, &image, NULL);
        pending = mrwi_base_alloc_fail_pending();
        ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
        mrw_image_free(&image);
    }
    mrwi_base_alloc_fail_at(0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("hdr");
    TCase *tc = tcase_create("hdr");
    tcase_add_test(tc, flat_pixels);
    tcase_add_test(tc, older_runs);
    tcase_add_test(tc, newer_runs);
    tcase_add_test(tc, newer_runs_of_any_width);
    tcase_add_test(tc, runs_in_rows_of_any_width);
    tcase_add_test(tc, bad_headers);
    tcase_add_test(tc, pictures_that_are_cut_off);
    tcase_add_test(tc, damaged_runs);
    tcase_add_test(tc, any_damage);
    tcase_add_test(tc, files_that_are_not_there);
    tcase_add_test(tc, memory_that_ends_is_told);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
