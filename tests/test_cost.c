/* test_cost.c: with a limit of memory, decoders ask for what a picture takes before they take it.
 */
#include "test.h"

#include <marrow/codecs.h>
#include <marrow/marrow.h>
#include <stdlib.h>

#define SIDE 8192u
#define MIB  (UINT64_C(1) << 20)

typedef mrw_status decoder(const mrw_bytes *file, mrw_image *out, mrw_error *error);

static mrw_status decode(const mrw_bytes *file, mrw_image *out, mrw_error *error)
{
    return mrw_image_decode(file->data, file->size, 4, UINT64_C(1) << 28, "input", out, error);
}

static mrw_status decode_hdr(const mrw_bytes *file, mrw_image *out, mrw_error *error)
{
    return mrw_image_decode_hdr(file->data, file->size, UINT64_C(1) << 28, "input", out, error);
}

static mrw_status decode_exr(const mrw_bytes *file, mrw_image *out, mrw_error *error)
{
    return mrw_image_decode_exr(file->data, file->size, UINT64_C(1) << 28, "input", out, error);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void put(uint8_t *to, uint32_t value, int bytes, bool big)
{
    for (int i = 0; i < bytes; i++) {
        to[big ? bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
    }
}

static void encode(mrw_format format, mrw_bytes *out)
{
    mrw_image image = {0};
    ck_assert_int_eq(mrw_image_create_as(format, 16, 16, 3, &image, NULL), MRW_OK);
    memset(image.pixels, 77, (size_t)16 * 16 * 3);
    ck_assert_int_eq(mrw_png_encode(&image, out, NULL), MRW_OK);
    mrw_image_free(&image);
}

/* A PNG of 3 channels; sides: those in its header. */
static void make_png(uint32_t side, mrw_bytes *out)
{
    encode(MRW_FORMAT_U8, out);
    put(out->data + 16, side, 4, true);
    put(out->data + 20, side, 4, true);
}

static void make_deep_png(uint32_t side, mrw_bytes *out)
{
    encode(MRW_FORMAT_U16, out);
    put(out->data + 16, side, 4, true);
    put(out->data + 20, side, 4, true);
}

/* Only its header says that it is interlaced. */
static void make_interlaced_png(uint32_t side, mrw_bytes *out)
{
    make_png(side, out);
    out->data[28] = 1;
}

static void make_jpeg(uint32_t side, mrw_bytes *out)
{
    mrw_image image = {0};
    ck_assert_int_eq(mrw_image_create(16, 16, 3, &image, NULL), MRW_OK);
    ck_assert_int_eq(mrw_jpeg_encode(&image, 90, out, NULL), MRW_OK);
    mrw_image_free(&image);
    for (size_t i = 2; i + 9 < out->size; i++) {
        if (out->data[i] == 0xFF && out->data[i + 1] == 0xC0) { /* ITU-T T.81, B.2.2 */
            put(out->data + i + 5, side, 2, true);
            put(out->data + i + 7, side, 2, true);
            return;
        }
    }
    ck_abort_msg("no frame header");
}

/* Only its header says that it is progressive. */
static void make_progressive_jpeg(uint32_t side, mrw_bytes *out)
{
    make_jpeg(side, out);
    for (size_t i = 2; i + 9 < out->size; i++) {
        if (out->data[i] == 0xFF && out->data[i + 1] == 0xC0) {
            out->data[i + 1] = 0xC2;
            return;
        }
    }
}

static void take(const void *data, size_t size, mrw_bytes *out)
{
    mrw_image image = {0};
    ck_assert_int_eq(mrw_image_create((uint32_t)size, 1, 3, &image, NULL), MRW_OK);
    memcpy(image.pixels, data, size);
    *out = (mrw_bytes){image.pixels, size};
}

/* 24 bits per pixel, of which there are 16 x 16. */
static void make_tga(uint32_t side, mrw_bytes *out)
{
    uint8_t file[18 + 16 * 16 * 3] = {0, 0, 2};
    put(file + 12, side, 2, false);
    put(file + 14, side, 2, false);
    file[16] = 24;
    take(file, sizeof file, out);
}

/* One colour, in BC1. */
static void make_dds(uint32_t side, mrw_bytes *out)
{
    uint8_t file[128 + 16 * 8] = "DDS ";
    put(file + 4, 124, 4, false);
    put(file + 8, 0x1007, 4, false);
    put(file + 12, side, 4, false);
    put(file + 16, side, 4, false);
    put(file + 76, 32, 4, false);
    put(file + 80, 4, 4, false);
    memcpy(file + 84, "DXT1", 4);
    put(file + 108, 0x1000, 4, false);
    take(file, sizeof file, out);
}

/* The header of a lossless WebP: 14 bits for each side less one. The rest is empty. */
static void make_webp(uint32_t side, mrw_bytes *out)
{
    uint8_t file[60] = "RIFF\x34\0\0\0WEBPVP8L\x28\0\0\0\x2f";
    put(file + 21, (side - 1) | (side - 1) << 14, 4, false);
    take(file, sizeof file, out);
}

static void make_hdr(uint32_t side, mrw_bytes *out)
{
    char file[16 * 16 * 4 + 100] = {0};
    const int head = snprintf(file, sizeof file,
                              "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %u +X %u\n", side, side);
    memset(file + head, 90, (size_t)16 * 16 * 4);
    take(file, (size_t)head + (size_t)16 * 16 * 4, out);
}

static void make_exr(uint32_t side, mrw_bytes *out)
{
    static const float values[16 * 16];
    const mrw_exr_channel channel = {
        .name = "Y", .format = MRW_FORMAT_F32, .values = values, .stride = sizeof(float)};
    const mrw_exr_def def = {.width = 16, .height = 16, .channels = &channel, .channel_count = 1};
    ck_assert_int_eq(mrw_exr_encode(&def, out, NULL), MRW_OK);
    for (size_t i = 0; i + 40 < out->size; i++) { /* openexr.com, File Layout: box2i */
        if (memcmp(out->data + i, "dataWindow\0box2i", 17) == 0 ||
            memcmp(out->data + i, "displayWindow\0box2i", 20) == 0) {
            const size_t at = i + strlen((char *)out->data + i) + 1 + 6 + 4 + 8;
            put(out->data + at, side - 1, 4, false);
            put(out->data + at + 4, side - 1, 4, false);
        }
    }
}

static const struct {
    const char *name;
    void (*make)(uint32_t side, mrw_bytes *out);
    decoder *decode;
    uint32_t per_pixel; /* bytes that it takes at least */
    bool whole;         /* the picture of 16 x 16 can be decoded */
} kinds[] = {{"png", make_png, decode, 3 + 4, true},
             {"16 bits", make_deep_png, decode, 6 + 8, true},
             {"interlaced", make_interlaced_png, decode, 3 + 4, false},
             {"jpeg", make_jpeg, decode, 4, true},
             {"progressive", make_progressive_jpeg, decode, 4 + 3, false}, /* colours are halved */
             {"tga", make_tga, decode, 4, true},
             {"dds", make_dds, decode, 4, true},
             {"webp", make_webp, decode, 4 + 4, false},
             {"hdr", make_hdr, decode_hdr, 12, true},
             {"exr", make_exr, decode_exr, 12, true}};

/* The limit leaves one byte less than the picture takes, at least. Nothing of it is allocated. */
START_TEST(a_header_is_asked_before_memory)
{
    mrw_bytes file = {0};
    mrw_image image = {0};
    mrw_error error = {0};
    kinds[_i].make(SIDE, &file);
    const uint64_t used = mrw_memory_used(), most = mrw_memory_most();
    const uint64_t needed = (uint64_t)SIDE * SIDE * kinds[_i].per_pixel;
    mrw_memory_limit(used + needed - 1, 0);
    ck_assert_msg(kinds[_i].decode(&file, &image, &error) == MRW_ERROR_MEMORY, "%s: %s",
                  kinds[_i].name, error.text);
    ck_assert_msg(strstr(error.text, "8192 x 8192") && strstr(error.text, "--memory"), "%s",
                  error.text);
    ck_assert_ptr_null(image.pixels);
    ck_assert_uint_lt(mrw_memory_most(), most + MIB);
    ck_assert_uint_eq(mrw_memory_used(), used);
    mrw_memory_limit(0, 0);
    mrw_bytes_free(&file);
}
END_TEST

/* A picture that fits is decoded: it takes no less than is asked for, and not much more. */
START_TEST(what_fits_is_decoded)
{
    mrw_bytes file = {0};
    mrw_image image = {0};
    mrw_error error = {0};
    kinds[_i].make(16, &file);
    if (kinds[_i].whole) {
        mrw_memory_limit(mrw_memory_used() + 4 * MIB, 0);
        ck_assert_msg(kinds[_i].decode(&file, &image, &error) == MRW_OK, "%s: %s", kinds[_i].name,
                      error.text);
        ck_assert_uint_eq(image.width, 16);
        mrw_memory_limit(0, 0);
    }
    mrw_image_free(&image);
    mrw_bytes_free(&file);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cost");
    TCase *t = tcase_create("all");
    const int count = (int)(sizeof kinds / sizeof *kinds);
    tcase_add_loop_test(t, a_header_is_asked_before_memory, 0, count);
    tcase_add_loop_test(t, what_fits_is_decoded, 0, count);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
