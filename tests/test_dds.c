/* test_dds.c: DDS textures from blocks made by hand; expected texels computed by hand from the
 * formulas of the Direct3D specification. */
#include "test.h"

#include "marrow/codecs.h"

#include <stdio.h>
#include <string.h>

typedef struct file {
    uint8_t bytes[512];
    size_t size;
} file;

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/* A header without pixels. code: four letters, or NULL for uncompressed. */
static file dds(uint32_t width, uint32_t height, const char *code)
{
    file f;
    memset(&f, 0, sizeof f);
    memcpy(f.bytes, "DDS ", 4);
    put_u32(f.bytes + 4, 124);
    put_u32(f.bytes + 12, height);
    put_u32(f.bytes + 16, width);
    put_u32(f.bytes + 76, 32);
    put_u32(f.bytes + 80, code ? 4 : 0x40);
    if (code) {
        memcpy(f.bytes + 84, code, 4);
    }
    f.size = 128;
    return f;
}

static file rgb(uint32_t width, uint32_t height, uint32_t bits, uint32_t red, uint32_t green,
                uint32_t blue, uint32_t alpha)
{
    file f = dds(width, height, NULL);
    put_u32(f.bytes + 80, alpha != 0 ? 0x41 : 0x40);
    put_u32(f.bytes + 88, bits);
    put_u32(f.bytes + 92, red);
    put_u32(f.bytes + 96, green);
    put_u32(f.bytes + 100, blue);
    put_u32(f.bytes + 104, alpha);
    return f;
}

static void add(file *f, const void *bytes, size_t size)
{
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static mrw_image decode(const file *f, uint32_t channels)
{
    mrw_image image;
    mrw_error error;
    memset(&error, 0, sizeof error);
    memset(&image, 0, sizeof image);
    mrw_status status = mrw_image_decode(f->bytes, f->size, channels, 0, "t.dds", &image, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return image;
}

static const char *refusal(const file *f)
{
    static mrw_error error;
    mrw_image image;
    memset(&error, 0, sizeof error);
    ck_assert_int_eq(mrw_image_decode(f->bytes, f->size, 4, 0, "t.dds", &image, &error),
                     MRW_ERROR_INPUT);
    return error.text;
}

static void check_texel(const mrw_image *image, uint32_t x, uint32_t y, int r, int g, int b, int a)
{
    const uint8_t *p = image->pixels + ((size_t)y * image->width + x) * image->channels;
    ck_assert_msg(p[0] == r && p[1] == g && p[2] == b && (image->channels == 3 || p[3] == a),
                  "texel %u %u is %d %d %d %d, not %d %d %d %d", x, y, p[0], p[1], p[2],
                  image->channels == 4 ? p[3] : 255, r, g, b, a);
}

/* ---- BC1 ------------------------------------------------------------------------------------- */

START_TEST(bc1_mixes_two_colours)
{
    /* Red over blue in value (0xf800 > 0x001f): four colours. Rows of indices 0 1 2 3. */
    static const uint8_t block[8] = {0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4};
    file f = dds(4, 4, "DXT1");
    add(&f, block, 8);
    mrw_image image = decode(&f, 4);
    for (uint32_t y = 0; y < 4; y++) {
        check_texel(&image, 0, y, 255, 0, 0, 255);
        check_texel(&image, 1, y, 0, 0, 255, 255);
        check_texel(&image, 2, y, 170, 0, 85, 255);
        check_texel(&image, 3, y, 85, 0, 170, 255);
    }
    mrw_image_free(&image);
}
END_TEST

START_TEST(bc1_has_three_colours_and_a_hole)
{
    /* The ends in ascending order: index 2 is the mean, 3 transparent black. */
    static const uint8_t block[8] = {0x00, 0x00, 0xff, 0xff, 0xe4, 0xe4, 0xe4, 0xe4};
    file f = dds(4, 4, "DXT1");
    add(&f, block, 8);
    mrw_image image = decode(&f, 0);
    ck_assert_uint_eq(image.channels, 4);
    check_texel(&image, 0, 0, 0, 0, 0, 255);
    check_texel(&image, 1, 0, 255, 255, 255, 255);
    check_texel(&image, 2, 0, 128, 128, 128, 255); /* 127.5 */
    check_texel(&image, 3, 0, 0, 0, 0, 0);
    mrw_image_free(&image);
}
END_TEST

START_TEST(bc1_ends_are_exact_fractions)
{
    /* Red 3/31, green 5/63, blue 30/31: 24.68, 20.24, 246.77. All indices 0. */
    uint32_t color = 3u << 11 | 5u << 5 | 30u;
    uint8_t block[8] = {(uint8_t)color, (uint8_t)(color >> 8)};
    file f = dds(4, 4, "DXT1");
    add(&f, block, 8);
    mrw_image image = decode(&f, 4);
    check_texel(&image, 3, 3, 25, 20, 247, 255);
    mrw_image_free(&image);
}
END_TEST

START_TEST(blocks_go_in_rows_and_edges_are_cut)
{
    /* 5 x 5: four blocks, each of one colour (all indices 0). */
    static const uint16_t colors[4] = {0xf800, 0x07e0, 0x001f, 0xffff};
    file f = dds(5, 5, "DXT1");
    for (int i = 0; i < 4; i++) {
        uint8_t block[8] = {(uint8_t)colors[i], (uint8_t)(colors[i] >> 8)};
        add(&f, block, 8);
    }
    mrw_image image = decode(&f, 3);
    ck_assert_uint_eq(image.width, 5);
    ck_assert_uint_eq(image.height, 5);
    check_texel(&image, 3, 3, 255, 0, 0, 255);
    check_texel(&image, 4, 0, 0, 255, 0, 255);
    check_texel(&image, 0, 4, 0, 0, 255, 255);
    check_texel(&image, 4, 4, 255, 255, 255, 255);
    mrw_image_free(&image);
}
END_TEST

/* ---- BC2 and BC3 ----------------------------------------------------------------------------- */

START_TEST(bc2_has_alpha_of_four_bits)
{
    static const uint8_t block[16] = {0x10, 0xf8, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    file f = dds(4, 4, "DXT3");
    add(&f, block, 16);
    mrw_image image = decode(&f, 4);
    check_texel(&image, 0, 0, 255, 255, 255, 0);
    check_texel(&image, 1, 0, 255, 255, 255, 17);
    check_texel(&image, 2, 0, 255, 255, 255, 136);
    check_texel(&image, 3, 0, 255, 255, 255, 255);
    mrw_image_free(&image);
}
END_TEST

/* Indices 0 ... 7 twice, three bits each: 0xfac688 little-endian, for each half. */
#define ALL_INDICES 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa

START_TEST(bc3_mixes_eight_alphas)
{
    static const uint8_t block[16] = {255, 10, ALL_INDICES, 0x00, 0xf8};
    /* (7 - i) / 7 of 255 and i / 7 of 10, rounded: 220, 185, 150, 115, 80, 45 */
    static const int alphas[8] = {255, 10, 220, 185, 150, 115, 80, 45};
    file f = dds(4, 4, "DXT5");
    add(&f, block, 16);
    mrw_image image = decode(&f, 4);
    for (uint32_t i = 0; i < 16; i++) {
        check_texel(&image, i % 4, i / 4, 255, 0, 0, alphas[i % 8]);
    }
    mrw_image_free(&image);
}
END_TEST

START_TEST(bc3_mixes_six_alphas_and_the_extremes)
{
    static const uint8_t block[16] = {10, 255, ALL_INDICES, 0x00, 0xf8};
    static const int alphas[8] = {10, 255, 59, 108, 157, 206, 0, 255};
    file f = dds(4, 4, "DXT5");
    add(&f, block, 16);
    mrw_image image = decode(&f, 4);
    for (uint32_t i = 0; i < 16; i++) {
        check_texel(&image, i % 4, i / 4, 255, 0, 0, alphas[i % 8]);
    }
    mrw_image_free(&image);
}
END_TEST

START_TEST(bc3_colours_never_have_a_hole)
{
    /* Ends in ascending order, index 3 everywhere: still 1/3 and 2/3. */
    static const uint8_t block[16] = {255,  255,  0,    0,    0,    0,    0,    0,
                                      0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    file f = dds(4, 4, "DXT5");
    add(&f, block, 16);
    mrw_image image = decode(&f, 4);
    check_texel(&image, 1, 2, 170, 170, 170, 255);
    mrw_image_free(&image);
}
END_TEST

/* ---- BC4, BC5 -------------------------------------------------------------------------------- */

START_TEST(bc4_is_grey)
{
    static const uint8_t block[8] = {200, 100, 0x01};
    file f = dds(4, 4, "ATI1");
    add(&f, block, 8);
    mrw_image image = decode(&f, 0);
    ck_assert_uint_eq(image.channels, 3);
    check_texel(&image, 0, 0, 100, 100, 100, 255);
    check_texel(&image, 1, 0, 200, 200, 200, 255);
    mrw_image_free(&image);
}
END_TEST

START_TEST(bc5_computes_the_third_of_a_normal)
{
    /* x = 0.6 (204), y = 0 (127.5: here 128); z = sqrt(1 - 0.36 - 0.0000154) = 0.79999: 229.5 */
    static const uint8_t block[16] = {204, 0, 0, 0, 0, 0, 0, 0, 128, 0};
    static const uint8_t flat[16] = {255, 0, 0, 0, 0, 0, 0, 0, 255, 0};
    file f = dds(8, 4, "ATI2");
    add(&f, block, 16);
    add(&f, flat, 16);
    mrw_image image = decode(&f, 4);
    check_texel(&image, 0, 0, 204, 128, 229, 255);
    check_texel(&image, 4, 0, 255, 255, 128, 255); /* longer than a unit vector: z is 0 */
    mrw_image_free(&image);
}
END_TEST

START_TEST(dx10_headers_are_read)
{
    static const uint32_t same[][2] = {{71, 8}, {72, 8}, {77, 16}, {83, 16}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        file f = dds(4, 4, "DX10");
        uint8_t extension[20] = {(uint8_t)same[i][0], 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1};
        uint8_t block[16] = {0xff, 0xff};
        add(&f, extension, 20);
        add(&f, block, same[i][1]);
        mrw_image image = decode(&f, 4);
        ck_assert_uint_eq(image.pixels[0], i < 2 ? 255 : i == 2 ? 0 : 255);
        mrw_image_free(&image);
    }
}
END_TEST

/* ---- uncompressed ---------------------------------------------------------------------------- */

START_TEST(masks_say_where_the_channels_are)
{
    static const uint8_t pixels[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    file bgra = rgb(2, 1, 32, 0xff0000, 0xff00, 0xff, 0xff000000);
    add(&bgra, pixels, 8);
    mrw_image image = decode(&bgra, 0);
    ck_assert_uint_eq(image.channels, 4);
    check_texel(&image, 0, 0, 3, 2, 1, 4);
    check_texel(&image, 1, 0, 7, 6, 5, 8);
    mrw_image_free(&image);

    file xrgb = rgb(2, 1, 32, 0xff, 0xff00, 0xff0000, 0);
    add(&xrgb, pixels, 8);
    image = decode(&xrgb, 4);
    check_texel(&image, 1, 0, 5, 6, 7, 255);
    mrw_image_free(&image);

    file bgr = rgb(2, 1, 24, 0xff0000, 0xff00, 0xff, 0);
    add(&bgr, pixels, 6);
    image = decode(&bgr, 0);
    ck_assert_uint_eq(image.channels, 3);
    check_texel(&image, 1, 0, 6, 5, 4, 255);
    mrw_image_free(&image);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------- */

START_TEST(unreadable_ones_are_refused)
{
    uint8_t block[16] = {0};
    file bc7 = dds(4, 4, "DX10");
    uint8_t extension[20] = {98};
    add(&bc7, extension, 20);
    add(&bc7, block, 16);
    ck_assert_ptr_nonnull(strstr(refusal(&bc7), "DXGI format 98"));
    file premultiplied = dds(4, 4, "DXT2");
    add(&premultiplied, block, 16);
    ck_assert_ptr_nonnull(strstr(refusal(&premultiplied), "DXT2"));
    file sixteen = rgb(2, 1, 16, 0xf800, 0x7e0, 0x1f, 0);
    add(&sixteen, block, 4);
    ck_assert_ptr_nonnull(strstr(refusal(&sixteen), "16 bits"));
}
END_TEST

START_TEST(every_truncation_is_refused)
{
    file whole = dds(5, 4, "DXT5");
    uint8_t block[32] = {0};
    add(&whole, block, 32);
    mrw_image image = decode(&whole, 4);
    mrw_image_free(&image);
    for (size_t size = 4; size < whole.size; size++) {
        file cut = whole;
        cut.size = size;
        ck_assert_ptr_nonnull(strstr(refusal(&cut), "t.dds: "));
    }
}
END_TEST

START_TEST(sides_are_bounded)
{
    file f = dds(0, 4, "DXT1");
    ck_assert_ptr_nonnull(strstr(refusal(&f), "no pixels"));
    f = dds(0xffffffff, 0xffffffff, "DXT1");
    ck_assert_ptr_nonnull(strstr(refusal(&f), "larger than allowed"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("dds");
    TCase *tc = tcase_create("dds");
    tcase_add_test(tc, bc1_mixes_two_colours);
    tcase_add_test(tc, bc1_has_three_colours_and_a_hole);
    tcase_add_test(tc, bc1_ends_are_exact_fractions);
    tcase_add_test(tc, blocks_go_in_rows_and_edges_are_cut);
    tcase_add_test(tc, bc2_has_alpha_of_four_bits);
    tcase_add_test(tc, bc3_mixes_eight_alphas);
    tcase_add_test(tc, bc3_mixes_six_alphas_and_the_extremes);
    tcase_add_test(tc, bc3_colours_never_have_a_hole);
    tcase_add_test(tc, bc4_is_grey);
    tcase_add_test(tc, bc5_computes_the_third_of_a_normal);
    tcase_add_test(tc, dx10_headers_are_read);
    tcase_add_test(tc, masks_say_where_the_channels_are);
    tcase_add_test(tc, unreadable_ones_are_refused);
    tcase_add_test(tc, every_truncation_is_refused);
    tcase_add_test(tc, sides_are_bounded);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
