/* test_png_encode.c: the encoder of PNG: its pixels come back, its bytes are the same from every
 * kernel, its codes are the best there are. */
#include "png_fixture.h"
#include "slow_inflate.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "image/deflate.h"
#include "image/png_rows.h"
#include "marrow/marrow.h"

/* Noise of the pictures. It is a part of the promise that the_bytes_are_the_same_everywhere keeps,
 * so it is not the generator of the other tests. */
static uint32_t style_noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* ---- pictures -------------------------------------------------------------------------------- */

enum {
    NOISE,
    FLAT,
    BLACK,
    GRADIENT,
    STRIPES,  /* equal rows that are not plain */
    SPOTS,    /* plain ground, a few pixels */
    FEW,      /* few values, in no order */
    SMOOTH,   /* shading with a little noise */
    SHADED,   /* a ball without noise, on plain ground */
    MISLEADS, /* every eighth row promises what the others don't keep */
    STYLES
};

/* A ball of 110 pixels around 130, 120: its height by Newton's steps, exact enough for a picture.
 */
static uint8_t ball_byte(uint32_t x, uint32_t y, uint32_t c)
{
    const int dx = (int)x - 130, dy = (int)y - 120, left = 110 * 110 - dx * dx - dy * dy;
    int height = 110;
    for (int i = 0; i < 8 && left > 0; i++) {
        height = (height + left / height) / 2;
        height += height == 0;
    }
    return (uint8_t)(left <= 0 ? 200 + c : 40 + 20 * c + (uint32_t)(height + (dx - dy) / 3));
}

static uint8_t style_byte(int style, uint32_t x, uint32_t y, uint32_t c, uint32_t *seed)
{
    uint32_t any = style_noise(seed);
    switch (style) {
    case NOISE:
        return (uint8_t)any;
    case FLAT:
        return (uint8_t)(40 * c + 9);
    case BLACK:
        return 0;
    case GRADIENT:
        return (uint8_t)((x * (c + 1) + 3 * y) / 4);
    case STRIPES:
        return (uint8_t)(x * x * 7 + c);
    case SPOTS:
        return (uint8_t)(any % 301 == 0 ? any >> 12 : 230);
    case FEW:
        return (uint8_t)(any % 3 * 100);
    case SMOOTH:
        return (uint8_t)(128 + (x * y / 50 + c * 20) % 90 + any % 3);
    case SHADED:
        return ball_byte(x, y, c);
    default:
        return y % 8 == 0 ? (uint8_t)(x / 3) : (uint8_t)any;
    }
}

static mrw_image make_style(int style, uint32_t width, uint32_t height, uint32_t channels)
{
    mrw_image image;
    uint32_t seed = (uint32_t)style * 77 + width * 13 + height;
    ck_assert_int_eq(mrw_image_create(width, height, channels, &image, NULL), MRW_OK);
    for (uint32_t y = 0, i = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            for (uint32_t c = 0; c < channels; c++) {
                image.pixels[i++] = style_byte(style, x, y, c, &seed);
            }
        }
    }
    return image;
}

static mrw_bytes encode(const mrw_image *image, mrw_png_effort effort, mrw_isa isa)
{
    mrw_bytes png;
    mrw_png_def def = {effort, isa, 1};
    mrw_error error = {0};
    ck_assert_msg(mrw_png_encode_as(image, &def, &png, &error) == MRW_OK, "%s", error.text);
    return png;
}

/* By stb_image. */
static void check_decoded(const mrw_bytes *png, const mrw_image *image)
{
    mrw_image back;
    mrw_error error = {0};
    ck_assert_msg(mrw_image_decode(png->data, png->size, 0, 0, "x", &back, &error) == MRW_OK, "%s",
                  error.text);
    ck_assert_uint_eq(back.width, image->width);
    ck_assert_uint_eq(back.height, image->height);
    ck_assert_uint_eq(back.channels, image->channels);
    ck_assert_int_eq(
        memcmp(back.pixels, image->pixels, (size_t)image->width * image->height * image->channels),
        0);
    mrw_image_free(&back);
}

/* Encodes with every kernel, and decodes; by libdeflate and the fixture, too, when `twice`. Returns
 * the file. */
static mrw_bytes check_picture(const mrw_image *image, bool twice)
{
    mrw_bytes png = encode(image, MRW_PNG_FAST, MRW_ISA_SCALAR);
    size_t rows = ((size_t)image->width * image->channels + 1) * image->height;
    /* never more than stored: 5 bytes for each 65535, 6 of zlib, 57 of PNG */
    ck_assert_uint_le(png.size, rows + (rows + 65534) / 65535 * 5 + 6 + 57);
    for (int isa = MRW_ISA_AUTO; isa < MRW_ISA_COUNT; isa++) {
        if (isa == MRW_ISA_SCALAR || !mrw_isa_available((mrw_isa)isa)) {
            continue;
        }
        mrw_bytes other = encode(image, MRW_PNG_FAST, (mrw_isa)isa);
        ck_assert_uint_eq(other.size, png.size);
        ck_assert_int_eq(memcmp(other.data, png.data, png.size), 0);
        mrw_bytes_free(&other);
    }
    check_decoded(&png, image);
    if (twice) {
        chunk chunks[4];
        ck_assert_int_eq(read_chunks(&png, chunks, 4), 3);
        check_packed(chunks[1].data, chunks[1].size, image);
    }
    return png;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* One pixel is stored; by hand. Adler: a = 1 + 0 + 10 + 20 + 30 = 61, b = 1 + 11 + 31 + 61 = 104.
 */
START_TEST(one_pixel_by_hand)
{
    static const uint8_t expected[] = {0x78, 0x01, 0x01, 4, 0,   0xFB, 0xFF, 0,
                                       10,   20,   30,   0, 104, 0,    61};
    mrw_image image = make_style(FLAT, 1, 1, 3);
    memcpy(image.pixels, (uint8_t[]){10, 20, 30}, 3);
    mrw_bytes png = check_picture(&image, true);
    chunk chunks[4];
    read_chunks(&png, chunks, 4);
    check_header(&chunks[0], &image);
    ck_assert_uint_eq(chunks[1].size, sizeof expected);
    ck_assert_mem_eq(chunks[1].data, expected, sizeof expected);
    mrw_bytes_free(&png);
    mrw_image_free(&image);
}
END_TEST

static void check_token(const slow_token *token, uint8_t literal, uint16_t length)
{
    ck_assert_uint_eq(token->literal, literal);
    ck_assert_uint_eq(token->length, length);
}

/* By hand: 64 x 8 of one colour. The first row leaves the colour and 189 zeros (of filters that
 * leave as little the first is taken), the others are a filter and 192 zeros. */
START_TEST(a_plain_picture_by_hand)
{
    mrw_image image = make_style(FLAT, 64, 8, 3);
    uint8_t rows[193 * 8];
    slow_token tokens[64];
    chunk chunks[4];
    mrw_bytes png = check_picture(&image, true);
    read_chunks(&png, chunks, 4);
    slow_inflate s = {.data = chunks[1].data,
                      .size = chunks[1].size,
                      .out = rows,
                      .most = sizeof rows,
                      .tokens = tokens};
    slow_zlib(&s);
    ck_assert_uint_eq(s.out_size, sizeof rows);
    ck_assert_uint_eq(s.token_count, 6 + 7 * 3);
    check_token(&tokens[0], 1, 0);
    check_token(&tokens[1], 9, 0);
    check_token(&tokens[2], 49, 0);
    check_token(&tokens[3], 89, 0);
    check_token(&tokens[4], 0, 0);
    check_token(&tokens[5], 0, 188);
    for (int y = 1; y < 8; y++) {
        check_token(&tokens[3 + 3 * y], 2, 0);
        check_token(&tokens[4 + 3 * y], 0, 0);
        check_token(&tokens[5 + 3 * y], 0, 191);
    }
    mrw_bytes_free(&png);
    mrw_image_free(&image);
}
END_TEST

/* Runs of zeros of every length from 1 to 1100, and rows of so many: each is written as PNG and the
 * RFC say, by a reader that shares nothing with the writer. */
START_TEST(runs_of_every_length)
{
    for (uint32_t width = 5; width < 370; width += width < 30 ? 1 : 7) {
        mrw_image image = make_style(FLAT, width, 40, 3);
        for (uint32_t y = 0; y < 40; y++) {
            image.pixels[y * width * 3 + (y * 37 + 3) % (width * 3)] ^= 0x55;
        }
        mrw_bytes png = check_picture(&image, true);
        size_t size = ((size_t)width * 3 + 1) * 40;
        uint8_t *rows = malloc(size);
        chunk chunks[4];
        read_chunks(&png, chunks, 4);
        slow_inflate s = {
            .data = chunks[1].data, .size = chunks[1].size, .out = rows, .most = size};
        slow_zlib(&s);
        ck_assert_uint_eq(s.out_size, size);
        unfilter(rows, (size_t)width * 3, 40, 3);
        for (uint32_t y = 0; y < 40; y++) {
            ck_assert_mem_eq(rows + y * (width * 3 + 1) + 1, image.pixels + y * width * 3,
                             width * 3);
        }
        free(rows);
        mrw_bytes_free(&png);
        mrw_image_free(&image);
    }
}
END_TEST

START_TEST(every_shape_comes_back)
{
    static const uint32_t sizes[][2] = {
        {1, 1},  {2, 1},   {3, 2},   {5, 5},   {15, 3},     {16, 9},    {17, 9},   {20, 30},
        {21, 7}, {22, 7},  {31, 4},  {32, 4},  {33, 4},     {42, 5},    {43, 5},   {63, 3},
        {64, 3}, {65, 64}, {85, 20}, {86, 20}, {16384, 1},  {1, 16384}, {341, 97}, {683, 211},
        {1, 2},  {1, 999}, {2, 999}, {9, 64},  {1280, 180}, {16383, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (uint32_t channels = 3; channels <= 4; channels++) {
            for (int style = 0; style < STYLES; style++) {
                mrw_image image = make_style(style, sizes[i][0], sizes[i][1], channels);
                mrw_bytes png = check_picture(&image, true);
                mrw_bytes_free(&png);
                mrw_image_free(&image);
            }
        }
    }
}
END_TEST

/* Above 128 KiB some rows are counted for all; above 65536 literals pairs are written. */
START_TEST(large_pictures_come_back)
{
    for (int style = 0; style < STYLES; style++) {
        mrw_image image = make_style(style, 501, 403, 3 + (uint32_t)style % 2);
        mrw_bytes png = check_picture(&image, true);
        mrw_bytes_free(&png);
        mrw_image_free(&image);
    }
}
END_TEST

/* Where counting one row in eight misleads, the limit is met while writing. */
START_TEST(no_picture_grows)
{
    mrw_image noise = make_style(NOISE, 400, 300, 3), misleads = make_style(MISLEADS, 400, 300, 3);
    mrw_bytes a = check_picture(&noise, true), b = check_picture(&misleads, true);
    size_t rows = 1201 * 300;
    ck_assert_uint_eq(a.size, rows + (rows + 65534) / 65535 * 5 + 6 + 57);
    ck_assert_uint_le(b.size, a.size);
    mrw_bytes_free(&a);
    mrw_bytes_free(&b);
    mrw_image_free(&noise);
    mrw_image_free(&misleads);
}
END_TEST

/* The size of a picture's stream by libdeflate at level 2, after the up filter for all rows. */
static size_t size_by_libdeflate(const mrw_image *image)
{
    const size_t stride = (size_t)image->width * image->channels;
    const size_t raw = (stride + 1) * image->height;
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(2);
    const size_t most = libdeflate_zlib_compress_bound(compressor, raw);
    uint8_t *rows = malloc(raw), *packed = malloc(most), *to = rows;
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = image->pixels + y * stride;
        *to++ = 2;
        for (size_t i = 0; i < stride; i++) {
            *to++ = (uint8_t)(row[i] - (y > 0 ? *(row + i - stride) : 0));
        }
    }
    const size_t size = libdeflate_zlib_compress(compressor, rows, raw, packed, most);
    libdeflate_free_compressor(compressor);
    free(rows);
    free(packed);
    return size;
}

/* Without matches these take 1.3 to 27 times as many bytes. The last two are longer than a block.
 */
START_TEST(smooth_pictures_are_small)
{
    static const struct {
        int style;
        uint32_t width, height, channels;
    } cases[] = {{SHADED, 260, 240, 3},
                 {SHADED, 260, 240, 4},
                 {GRADIENT, 300, 200, 3},
                 {SHADED, 2000, 280, 3},
                 {SHADED, 700, 600, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_image image =
            make_style(cases[i].style, cases[i].width, cases[i].height, cases[i].channels);
        mrw_bytes png = check_picture(&image, true);
        ck_assert_uint_le(png.size, size_by_libdeflate(&image) + 57);
        mrw_bytes_free(&png);
        mrw_image_free(&image);
    }
}
END_TEST

/* Sides of one pixel and the longest row: all styles. */
START_TEST(the_thinnest_pictures_come_back)
{
    static const uint32_t sides[][2] = {{1, 1},
                                        {1, 2},
                                        {2, 1},
                                        {1, 4000},
                                        {4000, 1},
                                        {MRW_IMAGE_MAX_SIDE, 13},
                                        {MRW_IMAGE_MAX_SIDE, 25},
                                        {3, MRW_IMAGE_MAX_SIDE}};
    for (int style = 0; style < STYLES; style++) {
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
            mrw_image image = make_style(style, sides[i][0], sides[i][1], 3 + (uint32_t)style % 2);
            mrw_bytes png = check_picture(&image, true);
            mrw_bytes_free(&png);
            mrw_image_free(&image);
        }
    }
}
END_TEST

START_TEST(thousands_of_small_pictures)
{
    uint64_t state = 5;
    uint32_t noise = 5;
    for (int round = 0; round < TEST_ROUNDS(4000); round++) {
        uint32_t width = 1 + test_random(&state) % (round % 4 == 0 ? 300 : 60);
        uint32_t height = 1 + test_random(&state) % 24, channels = 3 + test_random(&state) % 2;
        mrw_image image = make_style((int)(test_random(&state) % STYLES), width, height, channels);
        size_t size = (size_t)width * height * channels;
        uint32_t patches = test_random(&state) % 4; /* of another style, of any length */
        for (uint32_t i = 0; i < patches; i++) {
            size_t at = test_random(&state) % size, count = 1 + test_random(&state) % 700;
            int style = (int)(test_random(&state) % STYLES);
            for (size_t k = at; k < at + count && k < size; k++) {
                image.pixels[k] = style_byte(style, (uint32_t)k, i, 0, &noise);
            }
        }
        mrw_bytes png = check_picture(&image, round % 8 == 0);
        mrw_bytes_free(&png);
        mrw_image_free(&image);
    }
}
END_TEST

static mrw_image draw_figure(uint32_t width, uint32_t height, bool transparent)
{
    mrw_error error;
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_extents extents;
    mrw_image image = {0};
    mrw_view_def view = mrw_view_def_default();
    mrw_frame_def frame = mrw_frame_def_default();
    const float aspect = (float)width / (float)height;
    ck_assert_int_eq(mrw_load_file("demo:figure", NULL, &scene, &error), MRW_OK);
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, &error), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, &error), MRW_OK);
    mrw_instance instance = mrw_instance_default(model);
    frame.width = width;
    frame.height = height;
    frame.transparent = transparent;
    ck_assert_int_eq(mrw_frame_extents(&instance, 1, MRW_FIT_FRAME, &view, aspect, MRW_ISA_AUTO, 1,
                                       &extents, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, aspect, &frame.camera, &error), MRW_OK);
    ck_assert_int_eq(mrw_render(renderer, &frame, &instance, 1, 1, &image, &error), MRW_OK);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
    return image;
}

START_TEST(rendered_frames_come_back)
{
    for (int transparent = 0; transparent < 2; transparent++) {
        mrw_image image = draw_figure(701, 393, transparent);
        mrw_bytes fast = check_picture(&image, true);
        mrw_bytes best = encode(&image, MRW_PNG_BEST, MRW_ISA_AUTO);
        check_decoded(&best, &image);
        ck_assert_uint_lt(best.size, fast.size);
        mrw_bytes_free(&fast);
        mrw_bytes_free(&best);
        mrw_image_free(&image);
    }
}
END_TEST

START_TEST(best_comes_back)
{
    for (int style = 0; style < STYLES; style++) {
        mrw_image image = make_style(style, 131, 47, 3 + (uint32_t)style % 2);
        mrw_bytes best = encode(&image, MRW_PNG_BEST, MRW_ISA_AUTO);
        mrw_bytes fast = encode(&image, MRW_PNG_FAST, MRW_ISA_AUTO);
        chunk chunks[4];
        ck_assert_int_eq(read_chunks(&best, chunks, 4), 3);
        check_packed(chunks[1].data, chunks[1].size, &image);
        check_decoded(&best, &image);
        ck_assert_uint_le(best.size, fast.size);
        mrw_bytes_free(&best);
        mrw_bytes_free(&fast);
        mrw_image_free(&image);
    }
}
END_TEST

/* The bytes are a promise: they change only on purpose, and then this number does. */
START_TEST(the_bytes_are_the_same_everywhere)
{
    static const char expected[] =
        "2cc976fb5ea999b9a19f04a7ea334ca88aeb1eea7127a3b9f6151c8c1959599c";
    mrwi_base_sha256 hash;
    uint8_t digest[32];
    char text[65];
    mrwi_base_sha256_begin(&hash);
    for (int style = 0; style < STYLES; style++) {
        for (uint32_t width = 7; width < 700; width = width * 3 + 1) {
            mrw_image image = make_style(style, width, 240, 3 + width % 2);
            mrw_bytes png = encode(&image, MRW_PNG_FAST, MRW_ISA_AUTO);
            mrwi_base_sha256_add(&hash, png.data, png.size);
            mrw_bytes_free(&png);
            mrw_image_free(&image);
        }
    }
    mrwi_base_sha256_end(&hash, digest);
    for (int i = 0; i < 32; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
    ck_assert_str_eq(text, expected);
}
END_TEST

START_TEST(an_unknown_instruction_set_is_refused)
{
    mrw_image image = make_style(FLAT, 8, 8, 3);
    mrw_bytes png;
    for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
        mrw_png_def def = {MRW_PNG_FAST, (mrw_isa)isa, 1};
        mrw_error error = {0};
        if (mrw_isa_available((mrw_isa)isa)) {
            continue;
        }
        ck_assert_int_eq(mrw_png_encode_as(&image, &def, &png, &error), MRW_ERROR_CPU);
        ck_assert_int_eq(mrw_apng_encode_as(&image, 1, (mrw_rate){1, 1}, &def, &png, &error),
                         MRW_ERROR_CPU);
    }
    mrw_image_free(&image);
}
END_TEST

START_TEST(every_failed_allocation_is_reported)
{
    mrw_image images[] = {make_style(SMOOTH, 300, 150, 3),  /* with pairs */
                          make_style(SHADED, 300, 150, 3)}; /* with matches */
    for (int way = 0; way < 8; way++) {
        mrw_png_def def = {way % 2 == 0 ? MRW_PNG_FAST : MRW_PNG_BEST, MRW_ISA_AUTO, 1};
        mrw_image *image = &images[way / 4];
        image->subject = image->subject ? image->subject : mrwi_base_alloc_zero(300 * 150, 1);
        uint64_t failures = 0;
        for (;; failures++) {
            mrw_bytes out = {0};
            mrw_error error = {0};
            mrwi_base_alloc_fail_at(failures + 1);
            mrw_status status =
                way % 4 < 2 ? mrw_png_encode_as(image, &def, &out, &error)
                            : mrw_apng_encode_as(image, 1, (mrw_rate){1, 1}, &def, &out, &error);
            bool fired = !mrwi_base_alloc_fail_pending();
            mrwi_base_alloc_fail_at(0);
            ck_assert_int_eq(status, fired ? MRW_ERROR_MEMORY : MRW_OK);
            ck_assert_int_eq(error.status, status);
            ck_assert(fired == (!out.data));
            mrw_bytes_free(&out);
            if (!fired) {
                break;
            }
        }
        ck_assert_uint_ge(failures, 3);
    }
    mrw_image_free(&images[0]);
    mrw_image_free(&images[1]);
}
END_TEST

/* ---- kernels --------------------------------------------------------------------------------- */

/* Every left, above and corner there is: the kernels do with 8 bits what PNG 9.4 does with more. */
START_TEST(every_paeth)
{
    enum { PIXEL = 4, COUNT = 2 * PIXEL * 64 };
    uint8_t row[64 + COUNT + 64] = {0}, above[64 + COUNT + 64] = {0}, out[COUNT + 64];
    uint64_t zeros[COUNT / 64 + 8];
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (!mrw_isa_available((mrw_isa)isa)) {
            continue;
        }
        const mrwi_image_png_rows_kernels *kernels = mrwi_image_png_rows_kernels_for((mrw_isa)isa);
        for (int corner = 0; corner < 256; corner++) {
            for (int up = 0; up < 256; up++) {
                for (int left = 0; left < 256; left++) { /* pairs of pixels: left, looked at */
                    int at = 64 + left / PIXEL * 2 * PIXEL + left % PIXEL;
                    row[at] = (uint8_t)left;
                    above[at] = (uint8_t)corner;
                    above[at + PIXEL] = (uint8_t)up;
                }
                kernels->filter(row + 64, above + 64, COUNT, PIXEL, MRWI_IMAGE_PNG_PAETH, out,
                                zeros);
                for (int left = 0; left < 256; left++) {
                    int at = left / PIXEL * 2 * PIXEL + left % PIXEL + PIXEL;
                    int expected = -paeth(left, up, corner) & 255; /* the pixel itself is 0 */
                    if (out[at] != expected) {
                        ck_abort_msg("%d %d %d: %d, not %d", left, up, corner, out[at], expected);
                    }
                }
            }
        }
    }
}
END_TEST

/* ---- codes ----------------------------------------------------------------------------------- */

static uint64_t cost_of(const uint64_t *counts, const uint8_t *lengths, size_t n)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < n; i++) {
        cost += counts[i] * lengths[i];
    }
    return cost;
}

/* Huffman's construction: the sum of all merged weights is the cost of the best code. */
static uint64_t huffman_cost(const uint64_t *counts, size_t n)
{
    uint64_t weights[MRWI_IMAGE_SYMBOLS], cost = 0;
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        if (counts[i] > 0) {
            weights[left++] = counts[i];
        }
    }
    while (left > 1) {
        for (size_t end = left; end > left - 2; end--) { /* the two least to the end */
            for (size_t i = 0; i + 1 < end; i++) {
                if (weights[i] < weights[end - 1]) {
                    uint64_t swap = weights[i];
                    weights[i] = weights[end - 1];
                    weights[end - 1] = swap;
                }
            }
        }
        weights[left - 2] += weights[left - 1];
        cost += weights[left-- - 2];
    }
    return cost;
}

static void check_lengths(const uint64_t *counts, const uint8_t *lengths, size_t n, uint32_t limit)
{
    uint32_t used = 0, room = 0;
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_le(lengths[i], limit);
        ck_assert((lengths[i] > 0) == (counts[i] > 0));
        used += counts[i] > 0;
        room += lengths[i] > 0 ? 1u << (limit - lengths[i]) : 0;
    }
    ck_assert_uint_eq(room, used == 0 ? 0 : used == 1 ? 1u << (limit - 1) : 1u << limit);
}

START_TEST(codes_are_the_best)
{
    uint64_t state = 21;
    uint32_t limited = 0;
    for (int round = 0; round < TEST_ROUNDS(2000); round++) {
        uint64_t counts[MRWI_IMAGE_SYMBOLS];
        uint8_t lengths[MRWI_IMAGE_SYMBOLS];
        size_t n = 1 + test_random(&state) % MRWI_IMAGE_SYMBOLS;
        uint32_t spread = test_random(&state) % 24;
        for (size_t i = 0; i < n; i++) {
            const uint32_t any = test_random(&state) >> 8;
            counts[i] = any >> test_random_below(&state, spread + 1);
        }
        mrwi_image_code_lengths(counts, n, 15, lengths);
        check_lengths(counts, lengths, n, 15);
        uint32_t most = 0;
        for (size_t i = 0; i < n; i++) {
            most = lengths[i] > most ? lengths[i] : most;
        }
        uint64_t cost = cost_of(counts, lengths, n);
        ck_assert_uint_ge(cost, huffman_cost(counts, n));
        if (most > 1 && most < 15) {
            ck_assert_uint_eq(cost, huffman_cost(counts, n));
        }
        mrwi_image_code_lengths(counts, n, MRWI_IMAGE_CODE_LIMIT, lengths);
        check_lengths(counts, lengths, n, MRWI_IMAGE_CODE_LIMIT);
        ck_assert_uint_ge(cost_of(counts, lengths, n), cost);
        limited += most > MRWI_IMAGE_CODE_LIMIT;
    }
    ck_assert_uint_gt(limited, TEST_ROUNDS(20));
}
END_TEST

/* Every assignment of 1 to 4 bits to six symbols that is a code, tried. */
START_TEST(limited_codes_are_the_best)
{
    uint64_t state = 4;
    for (int round = 0; round < TEST_ROUNDS(300); round++) {
        uint64_t counts[6], least = UINT64_MAX;
        uint8_t lengths[6], trial[6];
        for (int i = 0; i < 6; i++) {
            const uint32_t any = test_random(&state) >> 8;
            counts[i] = 1 + (any >> test_random_below(&state, 24));
        }
        for (int all = 0; all < 4096; all++) {
            uint32_t room = 0;
            for (int i = 0; i < 6; i++) {
                trial[i] = (uint8_t)(1 + (all >> (2 * i) & 3));
                room += 16u >> trial[i];
            }
            uint64_t cost = cost_of(counts, trial, 6);
            least = room <= 16 && cost < least ? cost : least;
        }
        mrwi_image_code_lengths(counts, 6, 4, lengths);
        ck_assert_uint_eq(cost_of(counts, lengths, 6), least);
    }
}
END_TEST

/* RFC 1951, 3.2.2: its own example, ABCDEFGH. */
START_TEST(the_codes_of_the_rfc)
{
    static const uint8_t lengths[8] = {3, 3, 3, 3, 3, 2, 4, 4};
    static const char *const expected[8] = {"010", "011", "100",  "101",
                                            "110", "00",  "1110", "1111"};
    mrwi_image_code codes[8];
    mrwi_image_codes_assign(lengths, 8, codes);
    for (int i = 0; i < 8; i++) {
        ck_assert_uint_eq(mrwi_image_code_size(codes[i]), lengths[i]);
        for (int bit = 0; bit < lengths[i]; bit++) {
            ck_assert_uint_eq(codes[i] >> (8 + bit) & 1, (uint32_t)(expected[i][bit] - '0'));
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("png_encode");
    TCase *tc = tcase_create("png_encode");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, one_pixel_by_hand);
    tcase_add_test(tc, a_plain_picture_by_hand);
    tcase_add_test(tc, runs_of_every_length);
    tcase_add_test(tc, every_shape_comes_back);
    tcase_add_test(tc, large_pictures_come_back);
    tcase_add_test(tc, no_picture_grows);
    tcase_add_test(tc, smooth_pictures_are_small);
    tcase_add_test(tc, the_thinnest_pictures_come_back);
    tcase_add_test(tc, thousands_of_small_pictures);
    tcase_add_test(tc, rendered_frames_come_back);
    tcase_add_test(tc, best_comes_back);
    tcase_add_test(tc, the_bytes_are_the_same_everywhere);
    tcase_add_test(tc, an_unknown_instruction_set_is_refused);
    tcase_add_test(tc, every_failed_allocation_is_reported);
    tcase_add_test(tc, every_paeth);
    tcase_add_test(tc, codes_are_the_best);
    tcase_add_test(tc, limited_codes_are_the_best);
    tcase_add_test(tc, the_codes_of_the_rfc);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
