/* test_image.c: pixel buffers, sRGB tables, PNG and APNG, decoding, files. */
#include "assertion.h"
#include "png_fixture.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "image/color.h"
#include "image/decode.h"
#include "marrow/codecs.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- pictures -------------------------------------------------------------------------------- */

/* A smooth gradient with a hard edge and some noise. */
static mrw_image make_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t seed)
{
    mrw_image image;
    uint64_t state = seed;
    ck_assert_int_eq(mrw_image_create(width, height, channels, &image, NULL), MRW_OK);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *pixel = image.pixels + ((size_t)y * width + x) * channels;
            const uint8_t any = (uint8_t)test_random(&state);
            pixel[0] = (uint8_t)(x * 255 / width);
            pixel[1] = (uint8_t)(y * 255 / height);
            pixel[2] = (uint8_t)(x < width / 2 ? 10 : any);
            if (channels == 4) {
                pixel[3] = (uint8_t)(x + y);
            }
        }
    }
    return image;
}

START_TEST(create_checks_the_size)
{
    mrw_image image = {0};
    mrw_error error = {0};
    ck_assert_int_eq(mrw_image_create(3, 2, 4, &image, &error), MRW_OK);
    ck_assert_uint_eq((uintptr_t)image.pixels % 64, 0);
    for (int i = 0; i < 3 * 2 * 4; i++) {
        ck_assert_int_eq(image.pixels[i], 0);
    }
    mrw_image_free(&image);
    ck_assert_ptr_null(image.pixels);
    ck_assert_int_eq(mrw_image_create(0, 2, 3, &image, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "0 x 2"));
    ck_assert_int_eq(mrw_image_create(100000, 100000, 3, &image, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "16384"));
    mrwi_base_alloc_fail_at(1);
    ck_assert_int_eq(mrw_image_create(64, 64, 3, &image, &error), MRW_ERROR_MEMORY);
    ck_assert_ptr_null(image.pixels);
}
END_TEST

START_TEST(hash_is_the_documented_one)
{
    mrw_image image;
    uint8_t hash[32];
    char text[65];
    mrw_image_create(2, 1, 3, &image, NULL);
    for (uint8_t i = 0; i < 6; i++) {
        image.pixels[i] = (uint8_t)(i + 1);
    }
    mrw_image_hash(&image, hash);
    mrwi_base_sha256_text(hash, text);
    /* sha256 of 02000000 01000000 03000000 010203040506 */
    ck_assert_str_eq(text, "a3639cdd12283b10f479030cafa54c49858ab06ea8fac26aabdebbe451786158");
    image.pixels[5] ^= 1;
    mrw_image_hash(&image, hash);
    char other[65];
    mrwi_base_sha256_text(hash, other);
    ck_assert_str_ne(text, other);
    mrw_image_free(&image);
}
END_TEST

START_TEST(sheet_places_its_pictures)
{
    const uint8_t ground[4] = {9, 9, 9, 255};
    mrw_image pictures[3], sheet;
    mrw_error error = {0};
    for (uint8_t i = 0; i < 3; i++) {
        mrw_image_create(2, 1, 3, &pictures[i], NULL);
        memset(pictures[i].pixels, 10 * (i + 1), 6);
    }
    ck_assert_int_eq(mrw_image_sheet(pictures, 3, 2, 1, ground, &sheet, &error), MRW_OK);
    static const uint8_t expected[5][7] = {
        {9, 9, 9, 9, 9, 9, 9},   {9, 10, 10, 9, 20, 20, 9}, {9, 9, 9, 9, 9, 9, 9},
        {9, 30, 30, 9, 9, 9, 9}, {9, 9, 9, 9, 9, 9, 9},
    };
    ck_assert_uint_eq(sheet.width, 7);
    ck_assert_uint_eq(sheet.height, 5);
    for (int i = 0; i < 35 * 3; i++) {
        ck_assert_int_eq(sheet.pixels[i], expected[i / 3 / 7][i / 3 % 7]);
    }
    mrw_image_free(&sheet);
    ck_assert_int_eq(mrw_image_sheet(pictures, 3, 2, 20000, ground, &sheet, &error),
                     MRW_ERROR_USAGE);
    mrw_image_free(&pictures[2]);
    mrw_image_create(1, 1, 3, &pictures[2], NULL);
    ck_assert_int_eq(mrw_image_sheet(pictures, 3, 2, 1, ground, &sheet, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "picture 3"));
    for (int i = 0; i < 3; i++) {
        mrw_image_free(&pictures[i]);
    }
}
END_TEST

/* ---- colour ---------------------------------------------------------------------------------- */

/* IEC 61966-2-1 */
static double slow_linear(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

START_TEST(srgb_tables_follow_the_formula)
{
    for (int b = 0; b < 256; b++) {
        ck_assert_int_eq(mrwi_image_srgb_to_linear16[b],
                         (int)floor(slow_linear(b / 255.0) * 65535 + 0.5));
        ck_assert_int_eq(
            mrwi_image_linear_to_srgb8((float)mrwi_image_srgb_to_linear16[b] / 65535.0f), b);
        if (b > 0) {
            double boundary = slow_linear((b - 0.5) / 255.0);
            ck_assert(fabs(mrwi_image_srgb_thresholds[b - 1] - boundary) <= boundary * 0x1p-24);
            ck_assert_int_lt(mrwi_image_srgb_to_linear16[b - 1], mrwi_image_srgb_to_linear16[b]);
        }
    }
    ck_assert(isinf(mrwi_image_srgb_thresholds[255]));
}
END_TEST

/* Counts thresholds one by one. */
static int slow_byte(float linear)
{
    int byte = 0;
    for (int i = 0; i < 255; i++) {
        byte += mrwi_image_srgb_thresholds[i] <= linear;
    }
    return byte;
}

START_TEST(srgb_encoding_is_the_nearest_byte)
{
    for (int i = 0; i < 255; i++) {
        float at = mrwi_image_srgb_thresholds[i];
        ck_assert_int_eq(mrwi_image_linear_to_srgb8(at), i + 1);
        ck_assert_int_eq(mrwi_image_linear_to_srgb8(nextafterf(at, 0.0f)), i);
    }
    for (uint32_t i = 0; i < MRWI_IMAGE_SRGB_BUCKETS; i++) { /* both ends of every bucket */
        for (uint32_t end = 0; end < 2; end++) {
            uint32_t bits =
                MRWI_IMAGE_SRGB_FIRST_BITS + ((i + end) << MRWI_IMAGE_SRGB_BUCKET_SHIFT) - end;
            float x;
            memcpy(&x, &bits, sizeof x);
            ck_assert_int_eq(mrwi_image_linear_to_srgb8(x), slow_byte(x));
        }
    }
    for (int i = 0; i <= 100000; i++) {
        float x = (float)i / 100000.0f;
        ck_assert_int_eq(mrwi_image_linear_to_srgb8(x), slow_byte(x));
    }
    ck_assert_int_eq(mrwi_image_linear_to_srgb8(NAN), 0);
    ck_assert_int_eq(mrwi_image_linear_to_srgb8(-1.0f), 0);
    ck_assert_int_eq(mrwi_image_linear_to_srgb8(-INFINITY), 0);
    ck_assert_int_eq(mrwi_image_linear_to_srgb8(1e30f), 255);
    ck_assert_int_eq(mrwi_image_linear_to_srgb8(INFINITY), 255);
}
END_TEST

/* ---- PNG ------------------------------------------------------------------------------------- */

START_TEST(png_holds_the_pixels)
{
    static const uint32_t sizes[][2] = {{1, 1}, {2, 3}, {64, 64}, {257, 31}, {1, 300}, {300, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (uint32_t channels = 3; channels <= 4; channels++) {
            mrw_image image = make_picture(sizes[i][0], sizes[i][1], channels, 1), back;
            mrw_bytes png, again;
            chunk chunks[8];
            ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
            ck_assert_int_eq(read_chunks(&png, chunks, 8), 3); /* no date, no program name */
            check_header(&chunks[0], &image);
            ck_assert_str_eq(chunks[1].type, "IDAT");
            ck_assert_str_eq(chunks[2].type, "IEND");
            check_packed(chunks[1].data, chunks[1].size, &image);
            mrw_png_encode(&image, &again, NULL);
            ck_assert_uint_eq(again.size, png.size);
            ck_assert_mem_eq(again.data, png.data, png.size);
            ck_assert_int_eq(mrw_image_decode(png.data, png.size, 0, 0, "x", &back, NULL), MRW_OK);
            ck_assert_uint_eq(back.channels, channels);
            ck_assert_mem_eq(back.pixels, image.pixels,
                             (size_t)image.width * image.height * channels);
            mrw_image_free(&back);
            mrw_image_free(&image);
            mrw_bytes_free(&png);
            mrw_bytes_free(&again);
        }
    }
}
END_TEST

START_TEST(apng_holds_every_frame)
{
    enum { FRAMES = 3 };
    mrw_image frames[FRAMES];
    mrw_bytes file;
    mrw_error error = {0};
    chunk chunks[16];
    for (uint32_t i = 0; i < FRAMES; i++) {
        frames[i] = make_picture(40, 30, 4, i + 1);
        frames[i].pixels[0] = (uint8_t)(200 + i);
    }
    mrw_rate rate = {30000, 1001};
    ck_assert_int_eq(mrw_apng_encode(frames, FRAMES, rate, &file, &error), MRW_OK);
    int count = read_chunks(&file, chunks, 16);
    ck_assert_int_eq(count, 3 + 2 * FRAMES);
    check_header(&chunks[0], &frames[0]);
    ck_assert_str_eq(chunks[1].type, "acTL");
    ck_assert_uint_eq(load_u32(chunks[1].data), FRAMES);
    ck_assert_uint_eq(load_u32(chunks[1].data + 4), 0);
    uint32_t sequence = 0;
    for (int i = 0; i < FRAMES; i++) {
        const chunk *control = &chunks[2 + 2 * i], *data = control + 1;
        const uint8_t delay[6] = {1001 >> 8, 1001 & 255, 30000 >> 8, 30000 & 255, 0, 0};
        ck_assert_str_eq(control->type, "fcTL");
        ck_assert_uint_eq(control->size, 26);
        ck_assert_uint_eq(load_u32(control->data), sequence++);
        ck_assert_uint_eq(load_u32(control->data + 4), 40);
        ck_assert_uint_eq(load_u32(control->data + 8), 30);
        ck_assert_uint_eq(load_u32(control->data + 12) | load_u32(control->data + 16), 0);
        ck_assert_mem_eq(control->data + 20, delay, 6);
        uint32_t number_size = i == 0 ? 0 : 4;
        ck_assert_str_eq(data->type, i == 0 ? "IDAT" : "fdAT");
        if (i > 0) {
            ck_assert_uint_eq(load_u32(data->data), sequence++);
        }
        check_packed(data->data + number_size, data->size - number_size, &frames[i]);
    }
    ck_assert_str_eq(chunks[count - 1].type, "IEND");
    mrw_image still; /* a reader that knows no APNG sees the first frame */
    ck_assert_int_eq(mrw_image_decode(file.data, file.size, 0, 0, "x", &still, NULL), MRW_OK);
    ck_assert_mem_eq(still.pixels, frames[0].pixels, 40 * 30 * 4);
    mrw_image_free(&still);
    mrw_bytes_free(&file);
    mrw_image_free(&frames[1]);
    frames[1] = make_picture(41, 30, 4, 1);
    ck_assert_int_eq(mrw_apng_encode(frames, FRAMES, rate, &file, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "frame 2"));
    for (int i = 0; i < FRAMES; i++) {
        mrw_image_free(&frames[i]);
    }
}
END_TEST

START_TEST(apng_fits_any_rate)
{
    mrw_image image = make_picture(2, 2, 3, 1);
    mrw_rate rates[] = {{1000000, 33333}, {UINT32_MAX, 1}, {1, UINT32_MAX}};
    for (size_t i = 0; i < 3; i++) {
        mrw_bytes file;
        chunk chunks[8];
        ck_assert_int_eq(mrw_apng_encode(&image, 1, rates[i], &file, NULL), MRW_OK);
        read_chunks(&file, chunks, 8);
        const uint8_t *delay = chunks[2].data + 20;
        int num = delay[0] << 8 | delay[1], den = delay[2] << 8 | delay[3];
        ck_assert(num > 0 && den > 0);
        if (i == 0) {
            ck_assert_double_eq_tol((double)num / den, 0.033333, 0.00002);
        }
        mrw_bytes_free(&file);
    }
    mrw_image_free(&image);
}
END_TEST

START_TEST(every_failed_allocation_is_reported)
{
    mrw_image pictures[2] = {make_picture(50, 40, 3, 1), make_picture(50, 40, 3, 2)};
    mrw_bytes png, file;
    mrw_rate rate = {10, 1};
    mrw_png_encode(&pictures[0], &png, NULL);
    int failures = 0;
    for (uint64_t n = 1; n < 200; n++) {
        mrw_error error = {0};
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_apng_encode(pictures, 2, rate, &file, &error);
        bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (!fired) {
            ck_assert_int_eq(status, MRW_OK);
            mrw_bytes_free(&file);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        ck_assert_int_eq(error.status, MRW_ERROR_MEMORY);
        failures++;
    }
    ck_assert_int_gt(failures, 5);
    failures = 0;
    for (uint64_t n = 1; n < 200; n++) {
        mrw_image image;
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_image_decode(png.data, png.size, 4, 0, "x", &image, NULL);
        bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (!fired) {
            ck_assert_int_eq(status, MRW_OK);
            mrw_image_free(&image);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        failures++;
    }
    ck_assert_int_gt(failures, 2);
    mrw_bytes_free(&png);
    mrw_image_free(&pictures[0]);
    mrw_image_free(&pictures[1]);
}
END_TEST

/* ---- decoding -------------------------------------------------------------------------------- */

static void check_decoded(const png_source *source, uint32_t asked, uint32_t channels,
                          const char *expected)
{
    mrw_bytes file = make_png(source);
    mrw_image image;
    mrw_error error = {0};
    ck_assert_msg(mrw_image_decode(file.data, file.size, asked, 0, "x", &image, &error) == MRW_OK,
                  "%s", error.text);
    ck_assert_uint_eq(image.width, source->width);
    ck_assert_uint_eq(image.height, source->height);
    ck_assert_uint_eq(image.channels, channels);
    ck_assert_mem_eq(image.pixels, expected, (size_t)image.width * image.height * channels);
    ck_assert_uint_eq((uintptr_t)image.pixels % 64, 0);
    mrw_image_free(&image);
    free(file.data);
}

START_TEST(decode_understands_every_kind_of_png)
{
    const uint8_t grey[] = {0, 10, 20, 0, 30, 40};
    check_decoded(&(png_source){2, 2, 8, 0, grey, 6, NULL, 0, NULL, 0}, 0, 3,
                  "\x0A\x0A\x0A\x14\x14\x14\x1E\x1E\x1E\x28\x28\x28");
    check_decoded(&(png_source){2, 2, 8, 0, grey, 6, NULL, 0, NULL, 0}, 4, 4,
                  "\x0A\x0A\x0A\xFF\x14\x14\x14\xFF\x1E\x1E\x1E\xFF\x28\x28\x28\xFF");
    const uint8_t grey_alpha[] = {0, 10, 128, 20, 0};
    check_decoded(&(png_source){2, 1, 8, 4, grey_alpha, 5, NULL, 0, NULL, 0}, 0, 4,
                  "\x0A\x0A\x0A\x80\x14\x14\x14\x00");
    const uint8_t palette_rows[] = {0, 0x1B}; /* 0 1 2 3 at two bits */
    const char *palette = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C";
    check_decoded(&(png_source){4, 1, 2, 3, palette_rows, 2, palette, 12, NULL, 0}, 0, 3, palette);
    check_decoded(&(png_source){4, 1, 2, 3, palette_rows, 2, palette, 12, "\x40\x80", 2}, 0, 4,
                  "\x01\x02\x03\x40\x04\x05\x06\x80\x07\x08\x09\xFF\x0A\x0B\x0C\xFF");
    const uint8_t deep[] = {0, 0x12, 0xFF, 0x34, 0x00, 0x56, 0x80};
    check_decoded(&(png_source){1, 1, 16, 2, deep, 7, NULL, 0, NULL, 0}, 0, 3, "\x12\x34\x56");
    const uint8_t keyed[] = {0, 1, 2, 3, 4, 5, 6};
    check_decoded(&(png_source){2, 1, 8, 2, keyed, 7, NULL, 0, "\0\1\0\2\0\3", 6}, 0, 4,
                  "\x01\x02\x03\x00\x04\x05\x06\xFF");
    check_decoded(&(png_source){2, 1, 8, 2, keyed, 7, NULL, 0, NULL, 0}, 4, 4,
                  "\x01\x02\x03\xFF\x04\x05\x06\xFF");
    const uint8_t rgba[] = {0, 1, 2, 3, 4};
    check_decoded(&(png_source){1, 1, 8, 6, rgba, 5, NULL, 0, NULL, 0}, 3, 3, "\x01\x02\x03");
}
END_TEST

static void check_heights(const png_source *source, const char *pixels, const char *low)
{
    const size_t count = (size_t)source->width * source->height;
    mrw_bytes file = make_png(source);
    mrw_image image;
    bool deep = !low;
    ck_assert_int_eq(mrwi_image_decode_heights(file.data, file.size, 0, "x", &image, &deep, NULL),
                     MRW_OK);
    ck_assert_uint_eq(image.channels, 4);
    ck_assert_mem_eq(image.pixels, pixels, count * 4);
    if (!low) {
        ck_assert(!deep);
    } else {
        ck_assert(deep);
        ck_assert_mem_eq(image.pixels + count * 4, low, (count + 3) / 4 * 4);
    }
    mrw_image_free(&image);
    free(file.data);
}

/* The high bytes as for any picture, then the low ones of red. */
START_TEST(heights_keep_16_bits)
{
    const uint8_t grey[] = {0, 0x12, 0x34, 0xFF, 0xFE, 0, 1, 0, 0x80, 0, 0, 0x42, 0x99, 0x77};
    check_heights(&(png_source){3, 2, 16, 0, grey, 14, NULL, 0, NULL, 0},
                  "\x12\x12\x12\xFF\xFF\xFF\xFF\xFF\0\0\0\xFF"
                  "\x80\x80\x80\xFF\0\0\0\xFF\x99\x99\x99\xFF",
                  "\x34\xFE\x01\x00\x42\x77\0\0");
    const uint8_t colors[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    check_heights(&(png_source){2, 1, 16, 4, colors, 9, NULL, 0, NULL, 0}, "\1\1\1\3\5\5\5\7",
                  "\2\6\0\0");
    check_heights(&(png_source){1, 1, 16, 2, colors, 7, NULL, 0, NULL, 0}, "\1\3\5\xFF",
                  "\2\0\0\0");
    check_heights(&(png_source){1, 1, 16, 6, colors, 9, NULL, 0, NULL, 0}, "\1\3\5\7", "\2\0\0\0");
    check_heights(&(png_source){1, 1, 8, 6, colors, 5, NULL, 0, NULL, 0}, "\1\2\3\4", NULL);
    mrw_bytes file = make_png(&(png_source){2, 1, 16, 4, colors, 9, NULL, 0, NULL, 0});
    int failures = 0;
    for (uint64_t n = 1; n < 200; n++) {
        mrw_image image;
        bool deep;
        mrwi_base_alloc_fail_at(n);
        const mrw_status status =
            mrwi_image_decode_heights(file.data, file.size, 0, "x", &image, &deep, NULL);
        const bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (!fired) {
            ck_assert_int_eq(status, MRW_OK);
            mrw_image_free(&image);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        failures++;
    }
    ck_assert_int_gt(failures, 4);
    free(file.data);
}
END_TEST

static void check_refused(const void *data, size_t size, uint64_t max_pixels, const char *word)
{
    mrw_image image = {0};
    mrw_error error = {0};
    ck_assert_int_eq(mrw_image_decode(data, size, 0, max_pixels, "tex\x1B.png", &image, &error),
                     MRW_ERROR_INPUT);
    ck_assert_msg(strncmp(error.text, "tex\\x1B.png: ", 13) == 0, "%s", error.text);
    ck_assert_msg(strstr(error.text, word), "%s", error.text);
    ck_assert_ptr_null(image.pixels);
}

/* ---- palettes shorter than what the pixels name ---------------------------------------------- */

/* What lies on the stack where the decoder keeps its palette. */
__attribute__((noinline)) static void soil_stack(int value)
{
    volatile uint8_t below[1 << 16];
    for (size_t i = 0; i < sizeof below; i++) {
        below[i] = (uint8_t)value;
    }
}

/* Indices without an entry are opaque black: nothing of the stack. */
START_TEST(decode_shows_nothing_of_the_stack)
{
    uint8_t row[257] = {0}, rgb[3 * 256] = {1, 2, 3, 4, 5, 6}, rgba[4 * 256] = {0};
    for (int i = 0; i < 256; i++) {
        row[1 + i] = (uint8_t)i;
        rgba[4 * i + 3] = 255;
    }
    memcpy(rgba, "\1\2\3\x40\4\5\6", 7);
    for (int value = 0; value < 256; value += 85) {
        soil_stack(value);
        check_decoded(&(png_source){256, 1, 8, 3, row, 257, "\1\2\3\4\5\6", 6, NULL, 0}, 0, 3,
                      (const char *)rgb);
        soil_stack(value);
        check_decoded(&(png_source){256, 1, 8, 3, row, 257, "\1\2\3\4\5\6", 6, "\x40", 1}, 0, 4,
                      (const char *)rgba);
    }
    /* one entry too few at 1, 2 and 4 bits: 0 1, 2 3, 14 15 */
    const char *fifteen = "aaabbbcccdddeeefffggghhhiiijjjkkklllmmmnnnooo";
    static const struct {
        uint8_t depth, bits;
        size_t entries;
        const char *pixels;
    } cases[] = {{1, 0x40, 1, "aaa\0\0\0"}, {2, 0xB0, 3, "ccc\0\0\0"}, {4, 0xEF, 15, "ooo\0\0\0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t bits[2] = {0, cases[i].bits};
        soil_stack(77);
        check_decoded(
            &(png_source){2, 1, cases[i].depth, 3, bits, 2, fifteen, 3 * cases[i].entries, NULL, 0},
            0, 3, cases[i].pixels);
    }
}
END_TEST

/* The chunks of a short palette are judged as they are in the file. */
START_TEST(short_palettes_are_checked_as_before)
{
    const uint8_t row[] = {0, 0, 1};
    mrw_bytes file = make_png(&(png_source){2, 1, 8, 3, row, 3, NULL, 0, NULL, 0});
    check_refused(file.data, file.size, 0, "Corrupt PNG");
    free(file.data);
    file = make_png(&(png_source){2, 1, 8, 3, row, 3, "", 0, NULL, 0});
    check_refused(file.data, file.size, 0, "Corrupt PNG");
    free(file.data);
    file = make_png(&(png_source){2, 1, 8, 3, row, 3, "abcd", 4, NULL, 0});
    check_refused(file.data, file.size, 0, "Corrupt PNG");
    free(file.data);
    file = make_png(&(png_source){2, 1, 8, 3, row, 3, "abc", 3, "\1\2", 2});
    check_refused(file.data, file.size, 0, "Corrupt PNG");
    free(file.data);
    file = make_png(&(png_source){2, 1, 8, 3, row, 3, NULL, 0, "\1", 1});
    check_refused(file.data, file.size, 0, "Corrupt PNG");
    free(file.data);
    const uint8_t bits[] = {0, 0x01};
    file = make_png(&(png_source){2, 1, 4, 3, bits, 2, "abc", 3, NULL, 0});
    int failures = 0;
    for (uint64_t n = 1; n < 200; n++) {
        mrw_image image = {0};
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_image_decode(file.data, file.size, 0, 0, "x", &image, NULL);
        bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        mrw_image_free(&image);
        ck_assert_int_eq(status, fired ? MRW_ERROR_MEMORY : MRW_OK);
        if (!fired) {
            break;
        }
        failures++;
    }
    ck_assert_int_gt(failures, 3);
    for (size_t size = 0; size + 12 < file.size; size++) {
        mrw_image image;
        uint8_t *cut = malloc(size + 1); /* exactly so large, for the sanitizer */
        memcpy(cut, file.data, size);
        ck_assert_int_eq(mrw_image_decode(cut, size, 0, 0, "x", &image, NULL), MRW_ERROR_INPUT);
        free(cut);
    }
    free(file.data);
}
END_TEST

/* A baseline JPEG of 16 x 16 pixels, quality 90, chroma halved: red is 16 x, green 16 y, blue 90.
 */
static const uint8_t small_jpeg[] = {
    0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10, 0x4A, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01,
    0x00, 0x01, 0x00, 0x00, 0xFF, 0xDB, 0x00, 0x84, 0x00, 0x03, 0x02, 0x02, 0x03, 0x02, 0x02, 0x03,
    0x03, 0x03, 0x03, 0x04, 0x03, 0x03, 0x04, 0x05, 0x08, 0x05, 0x05, 0x04, 0x04, 0x05, 0x0A, 0x07,
    0x07, 0x06, 0x08, 0x0C, 0x0A, 0x0C, 0x0C, 0x0B, 0x0A, 0x0B, 0x0B, 0x0D, 0x0E, 0x12, 0x10, 0x0D,
    0x0E, 0x11, 0x0E, 0x0B, 0x0B, 0x10, 0x16, 0x10, 0x11, 0x13, 0x14, 0x15, 0x15, 0x15, 0x0C, 0x0F,
    0x17, 0x18, 0x16, 0x14, 0x18, 0x12, 0x14, 0x15, 0x14, 0x01, 0x03, 0x04, 0x04, 0x05, 0x04, 0x05,
    0x09, 0x05, 0x05, 0x09, 0x14, 0x0D, 0x0B, 0x0D, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
    0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
    0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
    0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0xFF, 0xC0, 0x00, 0x11, 0x08, 0x00,
    0x10, 0x00, 0x10, 0x03, 0x01, 0x22, 0x00, 0x02, 0x11, 0x01, 0x03, 0x11, 0x01, 0xFF, 0xC4, 0x01,
    0xA2, 0x00, 0x00, 0x01, 0x05, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x10, 0x00,
    0x02, 0x01, 0x03, 0x03, 0x02, 0x04, 0x03, 0x05, 0x05, 0x04, 0x04, 0x00, 0x00, 0x01, 0x7D, 0x01,
    0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22,
    0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24,
    0x33, 0x62, 0x72, 0x82, 0x09, 0x0A, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26, 0x27, 0x28, 0x29,
    0x2A, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A,
    0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A,
    0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A,
    0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8,
    0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6,
    0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE1, 0xE2, 0xE3,
    0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9,
    0xFA, 0x01, 0x00, 0x03, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x11, 0x00,
    0x02, 0x01, 0x02, 0x04, 0x04, 0x03, 0x04, 0x07, 0x05, 0x04, 0x04, 0x00, 0x01, 0x02, 0x77, 0x00,
    0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13,
    0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15,
    0x62, 0x72, 0xD1, 0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1, 0x17, 0x18, 0x19, 0x1A, 0x26, 0x27,
    0x28, 0x29, 0x2A, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49,
    0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69,
    0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88,
    0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6,
    0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3, 0xC4,
    0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE2,
    0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9,
    0xFA, 0xFF, 0xDA, 0x00, 0x0C, 0x03, 0x01, 0x00, 0x02, 0x11, 0x03, 0x11, 0x00, 0x3F, 0x00, 0xF9,
    0x27, 0xC2, 0x7F, 0x0A, 0x7E, 0xE7, 0xEE, 0x7F, 0x4A, 0xF6, 0x6F, 0x09, 0xFC, 0x29, 0xFB, 0x9F,
    0xB9, 0xFD, 0x2B, 0xD8, 0xFC, 0x27, 0xF0, 0xA7, 0xEE, 0x7E, 0xE7, 0xF4, 0xAF, 0x66, 0xF0, 0x9F,
    0xC2, 0x9F, 0xB9, 0xFB, 0x9F, 0xD2, 0xBE, 0x5F, 0x39, 0xE3, 0x0D, 0xFD, 0xE3, 0x7F, 0x0D, 0xB8,
    0xF7, 0xE0, 0xF7, 0xCF, 0xFF, 0xD9};

START_TEST(decode_reads_jpeg)
{
    mrw_image image;
    uint8_t hash[32];
    char text[65];
    ck_assert_int_eq(mrw_image_decode(small_jpeg, sizeof small_jpeg, 0, 0, "x", &image, NULL),
                     MRW_OK);
    ck_assert(image.width == 16 && image.height == 16 && image.channels == 3);
    for (int y = 0; y < 16; y++) {
        for (int x = 0; x < 16; x++) {
            const uint8_t *pixel = image.pixels + 3 * (16 * y + x);
            ck_assert_int_le(abs(pixel[0] - 16 * x), 20);
            ck_assert_int_le(abs(pixel[1] - 16 * y), 20);
            ck_assert_int_le(abs(pixel[2] - 90), 12);
        }
    }
    /* The same on every machine: another hash means that the decoder rounds differently. */
    mrw_image_hash(&image, hash);
    mrwi_base_sha256_text(hash, text);
    ck_assert_str_eq(text, "0e33e59ed546c6bf2debaad0774ebadf8f856e19ae13a4dcc533be36d82a3ddd");
    mrw_image_free(&image);
}
END_TEST

START_TEST(decode_reads_bmp_and_tga)
{
    /* Two pixels side by side, (1, 2, 3) and (4, 5, 6), stored as blue, green, red. */
    static const uint8_t bmp[] = {
        'B', 'M', 62, 0, 0, 0, 0, 0,  0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0,
        0,   1,   0,  0, 0, 1, 0, 24, 0, 0, 0,  0, 0, 8, 0,  0, 0, 0, 0, 0, 0,
        0,   0,   0,  0, 0, 0, 0, 0,  0, 0, 0,  0, 3, 2, 1,  6, 5, 4, 0, 0,
    };
    static const uint8_t tga[] = {0, 0, 2, 0, 0,  0, 0, 0, 0, 0, 0, 0,
                                  2, 0, 1, 0, 24, 0, 3, 2, 1, 6, 5, 4};
    static const uint8_t pixels[] = {1, 2, 3, 4, 5, 6};
    mrw_image image;
    ck_assert_int_eq(mrw_image_decode(bmp, sizeof bmp, 0, 0, "x", &image, NULL), MRW_OK);
    ck_assert(image.width == 2 && image.height == 1 && image.channels == 3);
    ck_assert_mem_eq(image.pixels, pixels, sizeof pixels);
    mrw_image_free(&image);
    ck_assert_int_eq(mrw_image_decode(tga, sizeof tga, 0, 0, "x", &image, NULL), MRW_OK);
    ck_assert(image.width == 2 && image.height == 1 && image.channels == 3);
    ck_assert_mem_eq(image.pixels, pixels, sizeof pixels);
    mrw_image_free(&image);
}
END_TEST

START_TEST(decode_refuses_what_it_should)
{
    const uint8_t row[] = {0, 1, 2, 3};
    check_refused("", 0, 0, "empty");
    check_refused("hello, this is text\n", 20, 0, "not a PNG");
    mrw_bytes huge = make_png(&(png_source){16000, 17000, 8, 2, row, 4, NULL, 0, NULL, 0});
    check_refused(huge.data, huge.size, 0, "larger than allowed");
    store_u32(huge.data + 16, 0);
    check_refused(huge.data, huge.size, 0, "no pixels");
    store_u32(huge.data + 16, UINT32_MAX);
    check_refused(huge.data, huge.size, 0, "larger than allowed");
    free(huge.data);
    mrw_bytes wide = make_png(&(png_source){16000, 16000, 8, 2, row, 4, NULL, 0, NULL, 0});
    check_refused(wide.data, wide.size, 1000000, "16000 x 16000");
    free(wide.data);
    mrw_image picture = make_picture(50, 40, 3, 1);
    mrw_bytes png;
    mrw_png_encode(&picture, &png, NULL);
    for (size_t size = 0; size + 12 < png.size; size += 7) {
        mrw_image image;
        uint8_t *cut = malloc(size + 1); /* exactly so large, for the sanitizer */
        memcpy(cut, png.data, size);
        ck_assert_int_eq(mrw_image_decode(cut, size, 0, 0, "x", &image, NULL), MRW_ERROR_INPUT);
        free(cut);
    }
    mrw_bytes_free(&png);
    mrw_image_free(&picture);
}
END_TEST

/* ---- JPEGs whose tables are missing ---------------------------------------------------------- */

/* Segments of JPEGs of 8 x 8 grey pixels, a letter each. All quantisation is by 16. DC tables have
 * the code 0 for a difference of 3 bits, AC tables the code 0 for the end of the block. So the DC
 * coefficient 5 is 0 101, and an eighth of 16 * 5 above the middle grey 128 is 138. */
static const struct {
    char name;
    const char *bytes;
    size_t size;
} segments[] = {
#define SEGMENT(name, bytes)                                                                       \
    {                                                                                              \
        name, bytes, sizeof bytes - 1                                                              \
    }
#define SIXTEEN  "\x10\x10\x10\x10\x10\x10\x10\x10"
#define SIXTEENS SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN
#define ONE_CODE "\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    SEGMENT('q', "\xFF\xDB\x00\x43\x00" SIXTEENS),
    SEGMENT('Q', "\xFF\xDB\x00\x43\x01" SIXTEENS),
    SEGMENT('d', "\xFF\xC4\x00\x14\x00" ONE_CODE "\x03"),
    SEGMENT('D', "\xFF\xC4\x00\x14\x01" ONE_CODE "\x03"),
    SEGMENT('a', "\xFF\xC4\x00\x14\x10" ONE_CODE "\x00"),
    SEGMENT('A', "\xFF\xC4\x00\x14\x11" ONE_CODE "\x00"),
    /* DC and AC 0 in one segment */
    SEGMENT('b', "\xFF\xC4\x00\x26\x00" ONE_CODE "\x03\x10" ONE_CODE "\x00"),
    /* a thumbnail's tables in an application segment, which are not the picture's */
    SEGMENT('t',
            "\xFF\xE1\x00\x5B\xFF\xDB\x00\x43\x00" SIXTEENS "\xFF\xC4\x00\x14\x00" ONE_CODE "\x03"),
    /* frames: sequential, extended, progressive, of quantisation table 1, of three components */
    SEGMENT('s', "\xFF\xC0\x00\x0B\x08\x00\x08\x00\x08\x01\x01\x11\x00"),
    SEGMENT('e', "\xFF\xC1\x00\x0B\x08\x00\x08\x00\x08\x01\x01\x11\x00"),
    SEGMENT('p', "\xFF\xC2\x00\x0B\x08\x00\x08\x00\x08\x01\x01\x11\x00"),
    SEGMENT('T', "\xFF\xC0\x00\x0B\x08\x00\x08\x00\x08\x01\x01\x11\x01"),
    SEGMENT('3', "\xFF\xC0\x00\x11\x08\x00\x08\x00\x08\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00"),
    /* scans: sequential (01010 and ones), by tables 1, by DC 0 and AC 1 */
    SEGMENT('S', "\xFF\xDA\x00\x08\x01\x01\x00\x00\x3F\x00\x57"),
    SEGMENT('U', "\xFF\xDA\x00\x08\x01\x01\x11\x00\x3F\x00\x57"),
    SEGMENT('V', "\xFF\xDA\x00\x08\x01\x01\x01\x00\x3F\x00\x57"),
    /* progressive: DC 5 (0 101); 5 as the upper bits of 11, and the last bit of those (1 and ones);
     * AC without its last bit, and that */
    SEGMENT('i', "\xFF\xDA\x00\x08\x01\x01\x00\x00\x00\x00\x5F"),
    SEGMENT('m', "\xFF\xDA\x00\x08\x01\x01\x00\x00\x00\x01\x5F"),
    SEGMENT('j', "\xFF\xDA\x00\x08\x01\x01\x00\x00\x00\x10\xFF\x00"),
    SEGMENT('k', "\xFF\xDA\x00\x08\x01\x01\x00\x01\x3F\x01\x7F"),
    SEGMENT('l', "\xFF\xDA\x00\x08\x01\x01\x00\x01\x3F\x10\x7F"),
};

/* Start marker, segments, end marker. */
static mrw_bytes make_jpeg(const char *names)
{
    mrw_bytes file = {malloc(4096), 2};
    memcpy(file.data, "\xFF\xD8", 2);
    for (; *names != '\0'; names++) {
        for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
            if (segments[i].name == *names) {
                memcpy(file.data + file.size, segments[i].bytes, segments[i].size);
                file.size += segments[i].size;
            }
        }
    }
    memcpy(file.data + file.size, "\xFF\xD9", 2);
    file.size += 2;
    return file;
}

static void check_jpeg(const char *names, const uint8_t expected[3])
{
    mrw_image image = {0};
    mrw_error error = {0};
    mrw_bytes file = make_jpeg(names);
    mrw_status status = mrw_image_decode(file.data, file.size, 0, 0, "x", &image, &error);
    ck_assert_msg(status == MRW_OK, "%s: %s", names, error.text);
    ck_assert(image.width == 8 && image.height == 8 && image.channels == 3);
    for (size_t i = 0; i < 8 * 8; i++) {
        for (size_t k = 0; k < 3; k++) {
            ck_assert_msg(image.pixels[3 * i + k] == expected[k], "%s: %d", names,
                          image.pixels[3 * i + k]);
        }
    }
    mrw_image_free(&image);
    free(file.data);
}

START_TEST(jpeg_tables_may_stand_anywhere_before_their_scan)
{
    static const char *const whole[] = {"qdasS", "daqsS", "sadqS",  "qbsS",   "qdaeS", "QdaTS",
                                        "qDAsU", "qdAsV", "tqdasS", "qdaqsS", "qpdi",  "qpdiakl"};
    static const char *const refined[] = {"qpdmj", "pqdmjakl", "qpadmkjl"};
    const uint8_t grey[3] = {138, 138, 138}, lighter[3] = {150, 150, 150}; /* 128 + 16 * 11 / 8 */
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        check_jpeg(whole[i], grey);
    }
    for (size_t i = 0; i < sizeof refined / sizeof *refined; i++) {
        check_jpeg(refined[i], lighter);
    }
}
END_TEST

/* Sequential files without Huffman tables, such as frames of Motion-JPEG, use those of ITU T.81,
 * K.3: there 100 010 is a DC coefficient of -5, and 1010 ends the block. */
START_TEST(decode_knows_the_usual_huffman_tables)
{
    static const uint8_t scan[] = {0xFF, 0xDA, 0x00, 0x08, 0x01, 0x01, 0x00,
                                   0x00, 0x3F, 0x00, 0x8A, 0xBF, 0xFF, 0xD9};
    const uint8_t darker[3] = {118, 118, 118}; /* 128 - 16 * 5 / 8 */
    mrw_image image = {0};
    mrw_bytes file = make_jpeg("qs");
    memcpy(file.data + file.size - 2, scan, sizeof scan);
    file.size += sizeof scan - 2;
    ck_assert_int_eq(mrw_image_decode(file.data, file.size, 0, 0, "x", &image, NULL), MRW_OK);
    for (size_t i = 0; i < (size_t)3 * 8 * 8; i++) {
        ck_assert_uint_eq(image.pixels[i], darker[i % 3]);
    }
    mrw_image_free(&image);
    free(file.data);
}
END_TEST

START_TEST(decode_refuses_jpegs_that_lack_tables)
{
    static const struct {
        const char *names, *words;
    } cases[] = {
        {"dasS", "lacks quantisation table 0, which a scan uses: export the complete"},
        {"QdasS", "quantisation table 0"},
        {"sdaSq", "quantisation table 0"},
        {"qdaTS", "quantisation table 1"},
        {"tdasS", "quantisation table 0"},
        {"pdi", "quantisation table 0"},
        {"sS", "quantisation table 0"},
        {"qpai", "lacks Huffman table 0, which a scan uses: export the complete"},
        {"qpdik", "Huffman table 0"},
        {"qpdmjk", "Huffman table 0"},
        {"qpi", "Huffman table 0"},
        {"qpdmjl", "progression"}, /* the last bits of AC without the ones before */
        {"qda", "contains no picture"},
        {"qdasSS", "more than one scan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_bytes file = make_jpeg(cases[i].names);
        check_refused(file.data, file.size, 0, cases[i].words);
        free(file.data);
    }
}
END_TEST

/* Components without a scan are 0, whatever lay in the heap: grey of luma 138. */
START_TEST(decode_shows_nothing_of_the_heap)
{
    enum { BLOCKS = 512 };
    const uint8_t grey[3] = {138, 138, 138};
    for (int fill = 1; fill < 256; fill += 127) {
        void *block[BLOCKS];
        for (int i = 0; i < BLOCKS; i++) {
            const size_t size = (size_t)64 << i % 10;
            block[i] = malloc(size);
            memset(block[i], fill, size);
        }
        for (int i = 0; i < BLOCKS; i++) {
            free(block[i]);
        }
        check_jpeg("qda3S", grey);
    }
}
END_TEST

/* 16 counts of 255: more codes than the decoder has room for. The table stands before the frame
 * header and behind a scan. */
START_TEST(decode_refuses_oversized_huffman_tables)
{
    uint8_t table[2 + 2 + 17], file[sizeof small_jpeg + 64];
    memset(table, 255, sizeof table);
    table[1] = 0xC4;
    table[2] = 0;
    table[3] = 19;
    table[4] = 0;
    memcpy(file, "\xFF\xD8", 2);
    memcpy(file + 2, table, sizeof table);
    check_refused(file, 2 + sizeof table, 0, "Huffman");
    memcpy(file, small_jpeg, sizeof small_jpeg - 2); /* without its end marker */
    memcpy(file + sizeof small_jpeg - 2, table, sizeof table);
    check_refused(file, sizeof small_jpeg - 2 + sizeof table, 0, "Huffman");
}
END_TEST

/* 64 MB of zeros in a picture of one pixel: the limit must stop it, not the machine's memory. */
START_TEST(decode_refuses_a_bomb)
{
    size_t size = (size_t)64 << 20;
    uint8_t *zeros = calloc(size, 1);
    mrw_bytes file = make_png(&(png_source){1, 1, 8, 2, zeros, size, NULL, 0, NULL, 0});
    ck_assert_uint_lt(file.size, 100000);
    check_refused(file.data, file.size, 0, "unpacks");
    free(zeros);
    free(file.data);
}
END_TEST

/* Flipped bytes end in a picture or a message, never in a crash: the sanitizers watch. */
START_TEST(decode_survives_damage)
{
    mrw_image picture = make_picture(24, 20, 3, 1);
    const mrw_image heights = {12, 20, 3, MRW_FORMAT_U16, picture.pixels, NULL};
    mrw_bytes png, deep;
    uint64_t state = 7;
    mrw_png_encode(&picture, &png, NULL);
    mrw_png_encode(&heights, &deep, NULL);
    for (int i = 0; i < TEST_ROUNDS(6000); i++) {
        const uint8_t *data = i % 3 == 0 ? png.data : i % 3 == 1 ? small_jpeg : deep.data;
        size_t size = i % 3 == 0 ? png.size : i % 3 == 1 ? sizeof small_jpeg : deep.size;
        bool has_16_bits;
        uint8_t *copy = malloc(size);
        memcpy(copy, data, size);
        for (int k = 0; k < 4; k++) {
            const size_t at = test_random_below(&state, (uint32_t)size);
            copy[at] ^= (uint8_t)(1u << test_random_below(&state, 8));
        }
        mrw_image image = {0};
        if (mrwi_image_decode_heights(copy, size, 1000000, "x", &image, &has_16_bits, NULL) ==
            MRW_OK) {
            mrw_image_free(&image);
        }
        free(copy);
    }
    mrw_bytes_free(&png);
    mrw_bytes_free(&deep);
    mrw_image_free(&picture);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

static int entries_in_folder(void)
{
    int count = 0;
    DIR *directory = opendir(test_folder());
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(directory);
    return count;
}

static void check_content(const char *name, const char *expected)
{
    char content[64] = {0};
    FILE *file = fopen(test_path(name), "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    ck_assert_uint_eq(size, strlen(expected));
    ck_assert_str_eq(content, expected);
}

START_TEST(write_makes_and_replaces_files)
{
    char long_name[256];
    memset(long_name, 'n', 255);
    long_name[255] = '\0';
    ck_assert_int_eq(mrw_file_write(test_path("a"), "one", 3, NULL), MRW_OK);
    check_content("a", "one");
    ck_assert_int_eq(mrw_file_write(test_path("a"), "two!", 4, NULL), MRW_OK);
    check_content("a", "two!");
    ck_assert_int_eq(mrw_file_write(test_path("empty"), NULL, 0, NULL), MRW_OK);
    check_content("empty", "");
    ck_assert_int_eq(mrw_file_write(test_path(long_name), "x", 1, NULL), MRW_OK);
    ck_assert_int_eq(symlink("a", test_path("link")), 0);
    ck_assert_int_eq(mrw_file_write(test_path("link"), "via", 3, NULL), MRW_OK);
    check_content("a", "via");
    struct stat found;
    ck_assert_int_eq(lstat(test_path("link"), &found), 0);
    ck_assert(S_ISLNK(found.st_mode));
    ck_assert_int_eq(entries_in_folder(), 4);
    ck_assert_int_eq(chdir(test_folder()), 0);
    ck_assert_int_eq(mrw_file_write("relative", "r", 1, NULL), MRW_OK);
    check_content("relative", "r");
}
END_TEST

static void check_write_fails(const char *path, const char *reason, const char *remedy)
{
    mrw_error error = {0};
    ck_assert_int_eq(mrw_file_write(path, "data", 4, &error), MRW_ERROR_OUTPUT);
    ck_assert_msg(strncmp(error.text, path, strlen(path)) == 0, "%s", error.text);
    ck_assert_msg(strstr(error.text, reason), "%s", error.text);
    ck_assert_msg(strstr(error.text, remedy), "%s", error.text);
}

START_TEST(write_says_why_it_failed)
{
    check_write_fails(test_path("none/a.png"), "No such file", "create the folder");
    check_write_fails(test_folder(), "Is a directory", "name of a file");
    if (access("/dev/full", W_OK) == 0) {
        check_write_fails("/dev/full", "No space left", "free some space");
    }
    ck_assert_int_eq(mrw_file_write("/dev/null", "x", 1, NULL), MRW_OK);
    struct stat found;
    ck_assert_int_eq(stat("/dev/null", &found), 0);
    ck_assert(S_ISCHR(found.st_mode)); /* written to, not replaced */
    ck_assert_int_eq(entries_in_folder(), 0);
}
END_TEST

/* A limit on file sizes stops the write half way, as a full disk does. */
START_TEST(failed_write_leaves_nothing_behind)
{
    static uint8_t large[100000];
    mrw_error error = {0};
    ck_assert_int_eq(mrw_file_write(test_path("old"), "old", 3, NULL), MRW_OK);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 4096;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    mrw_status replaced = mrw_file_write(test_path("old"), large, sizeof large, &error);
    mrw_status created = mrw_file_write(test_path("new"), large, sizeof large, NULL);
    setrlimit(RLIMIT_FSIZE, &limit);
    ck_assert_int_eq(replaced, MRW_ERROR_OUTPUT);
    ck_assert_int_eq(created, MRW_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "File too large"));
    check_content("old", "old");
    ck_assert_int_eq(entries_in_folder(), 1);
}
END_TEST

START_TEST(read_gives_the_picture_or_the_reason)
{
    mrw_image picture = make_picture(20, 10, 3, 1), image = {0};
    mrw_error error = {0};
    mrw_bytes png;
    mrw_png_encode(&picture, &png, NULL);
    mrw_file_write(test_path("a.png"), png.data, png.size, NULL);
    ck_assert_int_eq(mrw_image_read(test_path("a.png"), 0, &image, &error), MRW_OK);
    ck_assert_mem_eq(image.pixels, picture.pixels, 20 * 10 * 3);
    mrw_image_free(&image);
    ck_assert_int_eq(mrw_image_read(test_path("b.png"), 0, &image, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "b.png: cannot open it: No such file"));
    ck_assert_ptr_null(strstr(error.text, "create"));
    ck_assert_int_eq(mrw_image_read(test_folder(), 0, &image, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "Is a directory"));
    mrw_file_write(test_path("c.png"), "text", 4, NULL);
    ck_assert_int_eq(mrw_image_read(test_path("c.png"), 0, &image, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "c.png: not a PNG"));
    mrw_bytes_free(&png);
    mrw_image_free(&picture);
}
END_TEST

/* ---- other formats --------------------------------------------------------------------------- */

START_TEST(images_have_any_format)
{
    static const size_t sizes[MRW_FORMAT_COUNT] = {1, 2, 4, 4};
    mrw_error error = {0};
    for (int f = 0; f < MRW_FORMAT_COUNT; f++) {
        ck_assert_uint_eq(mrw_format_size((mrw_format)f), sizes[f]);
        for (uint32_t channels = 1; channels <= 4; channels++) {
            mrw_image image = {0};
            ck_assert_int_eq(mrw_image_create_as((mrw_format)f, 37, 5, channels, &image, NULL),
                             MRW_OK);
            ck_assert_int_eq(image.format, f);
            ck_assert_uint_eq(image.channels, channels);
            ck_assert_uint_eq((uintptr_t)image.pixels % 64, 0);
            for (size_t i = 0; i < 37 * 5 * channels * sizes[f] + 64; i++) {
                ck_assert(image.pixels[i] == 0 || i >= 37 * 5 * channels * sizes[f]);
            }
            mrw_image_free(&image);
            ck_assert_ptr_null(image.pixels);
        }
    }
    mrw_image image = {0};
    ck_assert_int_eq(mrw_image_create_as(MRW_FORMAT_F32, 0, 5, 1, &image, &error), MRW_ERROR_USAGE);
    ck_assert_int_eq(
        mrw_image_create_as(MRW_FORMAT_F32, MRW_IMAGE_MAX_SIDE + 1, 5, 1, &image, &error),
        MRW_ERROR_USAGE);
}
END_TEST

#ifndef NDEBUG
static mrw_image depths;

static void encode_depths(void)
{
    mrw_bytes png;
    mrw_png_encode(&depths, &png, NULL);
}

static void sheet_depths(void)
{
    mrw_image sheet;
    mrw_image_sheet(&depths, 1, 1, 0, (const uint8_t[4]){0}, &sheet, NULL);
}

START_TEST(only_pictures_are_written)
{
    ck_assert_int_eq(mrw_image_create_as(MRW_FORMAT_F32, 8, 8, 3, &depths, NULL), MRW_OK);
    ck_assert(fails_an_assertion(encode_depths));
    ck_assert(fails_an_assertion(sheet_depths));
    depths.format = MRW_FORMAT_U8; /* now they pass for a picture */
    ck_assert(!fails_an_assertion(encode_depths));
    ck_assert(!fails_an_assertion(sheet_depths));
    mrw_image_free(&depths);
}
END_TEST
#endif

static Suite *suite(void)
{
    Suite *s = suite_create("image");
    TCase *pictures = tcase_create("pictures");
    tcase_add_test(pictures, images_have_any_format);
#ifndef NDEBUG
    tcase_add_test(pictures, only_pictures_are_written);
#endif
    tcase_add_test(pictures, create_checks_the_size);
    tcase_add_test(pictures, hash_is_the_documented_one);
    tcase_add_test(pictures, sheet_places_its_pictures);
    tcase_add_test(pictures, srgb_tables_follow_the_formula);
    tcase_add_test(pictures, srgb_encoding_is_the_nearest_byte);
    suite_add_tcase(s, pictures);
    TCase *codecs = tcase_create("codecs");
    tcase_set_timeout(codecs, 60);
    tcase_add_test(codecs, png_holds_the_pixels);
    tcase_add_test(codecs, apng_holds_every_frame);
    tcase_add_test(codecs, apng_fits_any_rate);
    tcase_add_test(codecs, every_failed_allocation_is_reported);
    tcase_add_test(codecs, decode_understands_every_kind_of_png);
    tcase_add_test(codecs, heights_keep_16_bits);
    tcase_add_test(codecs, decode_shows_nothing_of_the_stack);
    tcase_add_test(codecs, short_palettes_are_checked_as_before);
    tcase_add_test(codecs, decode_reads_jpeg);
    tcase_add_test(codecs, decode_reads_bmp_and_tga);
    tcase_add_test(codecs, decode_refuses_what_it_should);
    tcase_add_test(codecs, jpeg_tables_may_stand_anywhere_before_their_scan);
    tcase_add_test(codecs, decode_knows_the_usual_huffman_tables);
    tcase_add_test(codecs, decode_refuses_jpegs_that_lack_tables);
    tcase_add_test(codecs, decode_shows_nothing_of_the_heap);
    tcase_add_test(codecs, decode_refuses_oversized_huffman_tables);
    tcase_add_test(codecs, decode_refuses_a_bomb);
    tcase_add_test(codecs, decode_survives_damage);
    suite_add_tcase(s, codecs);
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, NULL, test_folder_remove);
    tcase_add_test(files, write_makes_and_replaces_files);
    tcase_add_test(files, write_says_why_it_failed);
    tcase_add_test(files, failed_write_leaves_nothing_behind);
    tcase_add_test(files, read_gives_the_picture_or_the_reason);
    suite_add_tcase(s, files);
    return s;
}

TEST_MAIN(suite())
