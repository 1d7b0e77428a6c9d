/* test_jpeg.c: JPEGs as libjpeg's own functions write them: the same bytes by all of
 * libjpeg-turbo's code, blocks on which its code differs, colours, files that cannot be read, and
 * our own files.
 */
#include "test.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "image/jpeg.h"
#include "image/jpeg_idct.h"
#include "marrow/codecs.h"

#include <pthread.h>

#include <jpeglib.h>

enum { WIDTH = 83, HEIGHT = 61 };

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct form {
    J_COLOR_SPACE space; /* of the file: JCS_YCbCr, JCS_RGB, JCS_GRAYSCALE, JCS_CMYK, JCS_YCCK */
    int h, v;            /* sampling factors of the first component */
    bool progressive, arithmetic;
    int restart; /* blocks between restart markers; 0 is none */
    int quality;
} form;

static void say_nothing(j_common_ptr info, int level)
{
    (void)info;
    (void)level;
}

/* Writes a picture of random details on a gradient. */
static mrw_bytes write_jpeg(const form *f)
{
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long size = 0;
    uint64_t state = 11;
    info.err = jpeg_std_error(&errors);
    errors.emit_message = say_nothing;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &data, &size);
    info.image_width = WIDTH;
    info.image_height = HEIGHT;
    info.in_color_space = f->space == JCS_YCCK || f->space == JCS_CMYK ? JCS_CMYK
                          : f->space == JCS_GRAYSCALE                  ? JCS_GRAYSCALE
                                                                       : JCS_RGB;
    info.input_components = info.in_color_space == JCS_CMYK        ? 4
                            : info.in_color_space == JCS_GRAYSCALE ? 1
                                                                   : 3;
    jpeg_set_defaults(&info);
    jpeg_set_colorspace(&info, f->space);
    jpeg_set_quality(&info, f->quality, TRUE);
    info.comp_info[0].h_samp_factor = f->h;
    info.comp_info[0].v_samp_factor = f->v;
    info.arith_code = f->arithmetic;
    info.restart_interval = (unsigned)f->restart;
    if (f->progressive) {
        jpeg_simple_progression(&info);
    }
    jpeg_start_compress(&info, TRUE);
    for (int y = 0; y < HEIGHT; y++) {
        uint8_t row[4 * WIDTH];
        for (int i = 0; i < info.input_components * WIDTH; i++) {
            const uint32_t noise = test_random_below(&state, i % 5 == 0 ? 200 : 20);
            row[i] = (uint8_t)(y + i / info.input_components / 2 + (int)noise);
        }
        JSAMPROW rows[1] = {row};
        jpeg_write_scanlines(&info, rows, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    return (mrw_bytes){data, size};
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A file, and its rows as they come. */
typedef struct reading {
    mrw_bytes file;
    mrw_status status;
    bool damaged;
    mrw_error error;
    uint8_t *rgba;
    size_t width;
    uint32_t rows;
} reading;

static void take(void *user, const uint8_t *rgba, uint32_t first_row, uint32_t rows)
{
    reading *r = user;
    ck_assert_uint_eq(first_row, r->rows);
    ck_assert(rows == 16 || (rows > 0 && rows < 16));
    if (r->rgba) {
        memcpy(r->rgba + 4 * r->width * first_row, rgba, 4 * r->width * rows);
    }
    r->rows += rows;
}

/* libjpeg-turbo looks for its variables once in each thread. */
static void *read_thread(void *user)
{
    reading *r = user;
    r->status =
        mrwi_image_jpeg_rows(r->file.data, r->file.size, 0, "x", take, r, &r->damaged, &r->error);
    return NULL;
}

static void in_thread(const char *level, void *(*function)(void *), void *data)
{
    pthread_t thread;
    if (level) {
        setenv(level, "1", 1);
    }
    ck_assert_int_eq(pthread_create(&thread, NULL, function, data), 0);
    pthread_join(thread, NULL);
    if (level) {
        unsetenv(level);
    }
}

static const char *const levels[] = {NULL, "JSIMD_FORCENONE", "JSIMD_FORCESSE2"};

/* Decodes libjpeg's way, without our code, to RGB. */
typedef struct plain {
    mrw_bytes file;
    uint8_t *rgb;
} plain;

static void *read_plain(void *user)
{
    plain *p = user;
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    errors.emit_message = say_nothing;
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, p->file.data, p->file.size);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = p->rgb + (size_t)3 * info.output_scanline * info.output_width;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    return NULL;
}

static void check_levels(const form *f)
{
    static uint8_t rgba[3][4 * WIDTH * HEIGHT], rgb[3 * WIDTH * HEIGHT];
    mrw_bytes file = write_jpeg(f);
    for (int k = 0; k < 3; k++) {
        reading r = {.file = file, .rgba = rgba[k], .width = WIDTH};
        in_thread(levels[k], read_thread, &r);
        ck_assert_msg(r.status == MRW_OK && !r.damaged, "%s", r.error.text);
        ck_assert_uint_eq(r.rows, HEIGHT);
        ck_assert_msg(memcmp(rgba[k], rgba[0], sizeof rgba[0]) == 0, "%d: %dx%d, progressive %d", k,
                      f->h, f->v, f->progressive);
    }
    in_thread("JSIMD_FORCENONE", read_plain, &(plain){file, rgb});
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        ck_assert_mem_eq(rgb + 3 * i, rgba[0] + 4 * i, 3);
        ck_assert_uint_eq(rgba[0][4 * i + 3], 255);
    }
    for (uint32_t channels = 0; channels < 5; channels += channels == 0 ? 3 : 1) {
        mrw_image image;
        ck_assert_int_eq(mrw_image_decode(file.data, file.size, channels, 0, "x", &image, NULL),
                         MRW_OK);
        ck_assert(image.width == WIDTH && image.height == HEIGHT);
        ck_assert_uint_eq(image.channels, channels == 4 ? 4 : 3);
        ck_assert_mem_eq(image.pixels, channels == 4 ? rgba[0] : rgb,
                         (size_t)WIDTH * HEIGHT * image.channels);
        mrw_image_free(&image);
    }
    free(file.data);
}

/* Files by their sampling, with and without what changes the order of their data. */
START_TEST(all_code_gives_the_same_bytes)
{
    static const form forms[] = {
        {.space = JCS_YCbCr, .h = 1, .v = 1},     {.space = JCS_YCbCr, .h = 2, .v = 1},
        {.space = JCS_YCbCr, .h = 2, .v = 2},     {.space = JCS_YCbCr, .h = 1, .v = 2},
        {.space = JCS_GRAYSCALE, .h = 1, .v = 1}, {.space = JCS_RGB, .h = 1, .v = 1},
        {.space = JCS_YCbCr, .h = 4, .v = 1},     {.space = JCS_YCbCr, .h = 4, .v = 2},
    };
    static const int qualities[] = {10, 75, 100};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        for (int q = 0; q < 3; q++) {
            form f = forms[i];
            f.quality = qualities[q];
            check_levels(&f);
            f.restart = 3;
            check_levels(&f);
            f.progressive = true;
            check_levels(&f);
            f.arithmetic = true;
            check_levels(&f);
        }
    }
}
END_TEST

/* ---- blocks ---------------------------------------------------------------------------------- */

enum { BLOCKS = 64 };

/* Writes blocks of grey, side by side. */
static mrw_bytes write_blocks(int16_t (*blocks)[64], const uint16_t quantisers[64])
{
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long size = 0;
    unsigned ones[64];
    info.err = jpeg_std_error(&errors);
    errors.emit_message = say_nothing;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &data, &size);
    info.image_width = 8 * BLOCKS;
    info.image_height = 8;
    info.in_color_space = JCS_GRAYSCALE;
    info.input_components = 1;
    jpeg_set_defaults(&info);
    for (int i = 0; i < 64; i++) {
        ones[i] = quantisers[i];
    }
    jpeg_add_quant_table(&info, 0, ones, 100, FALSE);
    info.optimize_coding = TRUE; /* the usual tables lack the codes of large coefficients */
    info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
    jvirt_barray_ptr array =
        info.mem->request_virt_barray((j_common_ptr)&info, JPOOL_IMAGE, TRUE, BLOCKS, 1, 1);
    info.mem->realize_virt_arrays((j_common_ptr)&info);
    jpeg_write_coefficients(&info, &array);
    JBLOCKARRAY rows = info.mem->access_virt_barray((j_common_ptr)&info, array, 0, 1, TRUE);
    memcpy(rows[0][0], blocks, BLOCKS * sizeof *blocks);
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    return (mrw_bytes){data, size};
}

/* Returns the factor of a coefficient in a sample, in one dimension (ITU T.81, A.3.3). */
static double factor(int x, int u)
{
    return (u == 0 ? sqrt(0.5) : 1) / 2 * cos((2 * x + 1) * u * M_PI / 16);
}

/* Computes a sample of a block by the formula. */
static double sample_of(const int16_t block[64], const uint16_t quantisers[64], int x, int y)
{
    double sum = 128;
    for (int i = 0; i < 64; i++) {
        if (block[i] != 0) {
            sum += factor(x, i % 8) * factor(y, i / 8) * block[i] * quantisers[i];
        }
    }
    return sum < 0 ? 0 : sum > 255 ? 255 : sum;
}

/* Returns the most that constants with 13 bits behind the point may add to the error of a sample:
 * in each dimension 1.39 / 2^14 of all coefficients, an eighth of which counts. */
static double tolerance(const int16_t block[64], const uint16_t quantisers[64])
{
    double sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += abs(block[i]) * (double)quantisers[i];
    }
    return 1 + sum * 2 * 1.39 / 16384 / 8;
}

/* Fills blocks with few or many coefficients; the sums of their sizes go up to `most`. */
static void fill_blocks(int16_t (*blocks)[64], int most, uint64_t *state)
{
    memset(blocks, 0, BLOCKS * sizeof *blocks);
    for (int b = 0; b < BLOCKS; b++) {
        const int count = 1 << test_random_below(state, 7);
        int left = most * (b + 1) / BLOCKS;
        for (int i = 0; i < count && left > 0; i++) {
            int size = (int)test_random_below(state, (uint32_t)left + 1) / (i % 4 == 0 ? 1 : 4);
            size = size > 1023 ? 1023 : size;
            left -= size;
            const uint32_t at = i == 0 ? 0 : test_random_below(state, 64);
            blocks[b][at] = (int16_t)(test_random_below(state, 2) == 0 ? size : -size);
        }
    }
}

/* Decodes blocks by all code, and compares with the formula. Returns true if libjpeg's own code
 * differs from its kernels. */
static bool check_blocks(int16_t (*blocks)[64], const uint16_t quantisers[64])
{
    static uint8_t rgba[3][4 * 64 * BLOCKS], rgb[2][3 * 64 * BLOCKS];
    mrw_bytes file = write_blocks(blocks, quantisers);
    for (int k = 0; k < 3; k++) {
        reading r = {.file = file, .rgba = rgba[k], .width = 8 * BLOCKS};
        in_thread(levels[k], read_thread, &r);
        ck_assert_msg(r.status == MRW_OK && !r.damaged, "%s", r.error.text);
        ck_assert_mem_eq(rgba[k], rgba[0], sizeof rgba[0]);
    }
    for (int i = 0; i < 64 * BLOCKS; i++) {
        const int x = i % (8 * BLOCKS), y = i / (8 * BLOCKS);
        const double expected = sample_of(blocks[x / 8], quantisers, x % 8, y);
        ck_assert_double_le(fabs(rgba[0][4 * i] - expected), tolerance(blocks[x / 8], quantisers));
    }
    for (int k = 0; k < 2; k++) {
        in_thread(levels[k], read_plain, &(plain){file, rgb[k]});
    }
    free(file.data);
    return memcmp(rgb[0], rgb[1], sizeof rgb[0]) != 0;
}

START_TEST(any_coefficients_give_the_same_bytes)
{
    static int16_t blocks[BLOCKS][64];
    static const uint16_t factors[] = {1, 2, 16, 255, 1023, 1024, 6000};
    uint64_t state = 5;
    int differ = 0;
    for (int i = 0; i < TEST_ROUNDS(140); i++) {
        uint16_t quantisers[64];
        for (int k = 0; k < 64; k++) {
            quantisers[k] = factors[i % 7];
        }
        fill_blocks(blocks, i % 3 == 0 ? 4000 : 40000 / factors[i % 7] + 1, &state);
        differ += check_blocks(blocks, quantisers);
    }
#if defined(__x86_64__)
    ck_assert_int_gt(differ, 0); /* else the levels above are all the same code */
#else
    (void)differ;
#endif
}
END_TEST

/* IEEE 1180-1990: coefficients come from random samples in three ranges; the figures are its
 * limits.
 */
START_TEST(transform_is_accurate)
{
    static const int ranges[] = {256, 5, 300};
    const int rounds = 400;
    uint16_t ones[64];
    uint64_t state = 9;
    for (int i = 0; i < 64; i++) {
        ones[i] = 1;
    }
    for (int k = 0; k < 3; k++) {
        double squares = 0, sum = 0, samples[64];
        for (int round = 0; round < rounds; round++) {
            int16_t block[64] = {0};
            uint8_t bytes[8][8], *rows[8];
            for (int i = 0; i < 64; i++) {
                samples[i] = (int)test_random_below(&state, (uint32_t)(2 * ranges[k])) - ranges[k];
                rows[i / 8] = bytes[i / 8];
            }
            for (int i = 0; i < 64; i++) {
                double value = 0;
                for (int j = 0; j < 64; j++) {
                    value += factor(j % 8, i % 8) * factor(j / 8, i / 8) * samples[j];
                }
                block[i] = (int16_t)floor(value + 0.5);
            }
            mrwi_image_jpeg_transform(block, ones, rows, 0);
            for (int i = 0; i < 64; i++) {
                const double expected = floor(sample_of(block, ones, i % 8, i / 8) + 0.5);
                const double difference = bytes[i / 8][i % 8] - expected;
                ck_assert_double_le(fabs(difference), 1.0);
                squares += difference * difference;
                sum += difference;
            }
        }
        ck_assert_double_le(squares / (64.0 * rounds), 0.02);
        ck_assert_double_le(fabs(sum) / (64.0 * rounds), 0.0015);
    }
}
END_TEST

START_TEST(moderate_blocks)
{
    int16_t block[64] = {0}, quantisers[64];
    for (int i = 0; i < 64; i++) {
        quantisers[i] = 2;
    }
    ck_assert(mrwi_image_jpeg_is_moderate(block, quantisers));
    block[0] = -1000;
    block[63] = 24; /* 2 * 1024 in all */
    ck_assert(mrwi_image_jpeg_is_moderate(block, quantisers));
    block[9] = -1;
    ck_assert(!mrwi_image_jpeg_is_moderate(block, quantisers));
    for (int i = 0; i < 64; i++) {
        block[i] = INT16_MIN;
        quantisers[i] = MRWI_IMAGE_JPEG_QUANT_MAX;
    }
    ck_assert(!mrwi_image_jpeg_is_moderate(block, quantisers));
}
END_TEST

/* ---- colours --------------------------------------------------------------------------------- */

/* Writes 16 x 16 pixels of one colour. */
static mrw_bytes write_colour(J_COLOR_SPACE space, const uint8_t colour[4])
{
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long size = 0;
    info.err = jpeg_std_error(&errors);
    errors.emit_message = say_nothing;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &data, &size);
    info.image_width = info.image_height = 16;
    info.in_color_space = space == JCS_YCCK ? JCS_CMYK : space;
    info.input_components = space == JCS_RGB ? 3 : 4;
    jpeg_set_defaults(&info);
    jpeg_set_colorspace(&info, space);
    jpeg_set_quality(&info, 100, TRUE);
    jpeg_start_compress(&info, TRUE);
    for (int y = 0; y < 16; y++) {
        uint8_t row[4 * 16];
        for (int i = 0; i < 16; i++) {
            memcpy(row + info.input_components * i, colour, (size_t)info.input_components);
        }
        JSAMPROW rows[1] = {row};
        jpeg_write_scanlines(&info, rows, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    return (mrw_bytes){data, size};
}

/* Inverted inks, as Adobe's programs store them: 200 of 255 of the light passes the cyan, and 128
 * of 255 the black: 200 * 128 / 255 = 100. */
START_TEST(inks_become_light)
{
    static const J_COLOR_SPACE spaces[] = {JCS_CMYK, JCS_YCCK, JCS_RGB};
    const uint8_t inks[4] = {200, 100, 50, 128}, light[3] = {100, 50, 25};
    for (int k = 0; k < 3; k++) {
        mrw_bytes file = write_colour(spaces[k], inks);
        for (uint32_t channels = 3; channels <= 4; channels++) {
            mrw_image image = {0};
            mrw_error error = {0};
            ck_assert_msg(
                mrw_image_decode(file.data, file.size, channels, 0, "x", &image, &error) == MRW_OK,
                "%s", error.text);
            ck_assert(image.width == 16 && image.height == 16 && image.channels == channels);
            for (uint32_t i = 0; i < 256 * channels; i++) {
                const uint32_t c = i % channels;
                const int expected = c == 3 ? 255 : spaces[k] == JCS_RGB ? inks[c] : light[c];
                ck_assert_int_le(abs(image.pixels[i] - expected), c == 3 ? 0 : 1);
            }
            mrw_image_free(&image);
        }
        free(file.data);
    }
}
END_TEST

/* ---- files that cannot be read, or not all of them ------------------------------------------- */

/* Returns the place behind a marker, 0xFF and its byte. */
static size_t find(const mrw_bytes *file, uint8_t marker)
{
    for (size_t i = 0; i + 1 < file->size; i++) {
        if (file->data[i] == 0xFF && file->data[i + 1] == marker) {
            return i + 2;
        }
    }
    ck_abort_msg("no marker %02x", marker);
    return 0;
}

static const form forms_cut[] = {
    {.space = JCS_YCbCr, .h = 2, .v = 2, .quality = 60},
    {.space = JCS_YCbCr, .h = 1, .v = 1, .quality = 30, .restart = 2},
    {.space = JCS_YCbCr, .h = 2, .v = 1, .quality = 40, .progressive = true},
    {.space = JCS_CMYK, .h = 1, .v = 1, .quality = 20, .arithmetic = true},
};

/* Every cut is refused as a picture. As rows it is a part of the picture, once there is one. */
START_TEST(cut_anywhere)
{
    for (size_t k = 0; k < sizeof forms_cut / sizeof *forms_cut; k++) {
        mrw_bytes file = write_jpeg(&forms_cut[k]);
        const size_t scan = find(&file, 0xDA) + 6;
        for (size_t size = 0; size < file.size; size += size + 40 < file.size ? 7 : 1) {
            uint8_t *cut = malloc(size + (size == 0)); /* exactly so large, for the sanitizer */
            memcpy(cut, file.data, size);
            mrw_image image;
            ck_assert_int_eq(mrw_image_decode(cut, size, 0, 0, "x", &image, NULL), MRW_ERROR_INPUT);
            reading r = {.file = {cut, size}};
            read_thread(&r);
            ck_assert(r.status == MRW_OK ? r.damaged && r.rows == HEIGHT
                                         : r.status == MRW_ERROR_INPUT && r.error.text[0] != 0);
            ck_assert(r.status == MRW_OK || size < scan + 16);
            free(cut);
        }
        free(file.data);
    }
}
END_TEST

/* Wrong bytes anywhere: a picture or a message, and the same pictures by all code. The hash is of
 * the first 100, on every machine. */
START_TEST(wrong_bytes)
{
    static uint8_t rgba[3][4 * WIDTH * HEIGHT];
    uint64_t state = 21;
    int drawn = 0;
    mrwi_base_sha256 hash;
    uint8_t sum[32];
    char text[65];
    mrwi_base_sha256_begin(&hash);
    for (int i = 0; i < TEST_ROUNDS(1200); i++) {
        mrw_bytes file = write_jpeg(&forms_cut[i % 4]);
        const size_t sides = find(&file, i % 4 == 2 ? 0xC2 : i % 4 == 3 ? 0xC9 : 0xC0) + 3;
        for (int k = 0; k <= i % 5; k++) {
            const size_t at = 2 + test_random_below(&state, (uint32_t)file.size - 2);
            if (at < sides || at >= sides + 4) { /* always the same sides */
                file.data[at] = (uint8_t)test_random(&state);
            }
        }
        reading r[3];
        for (int k = 0; k < 3; k++) {
            memset(rgba[k], 0, sizeof rgba[k]);
            r[k] = (reading){.file = file, .rgba = rgba[k], .width = WIDTH};
            in_thread(levels[k], read_thread, &r[k]);
            ck_assert_int_eq(r[k].status, r[0].status);
            ck_assert_str_eq(r[k].error.text, r[0].error.text);
            ck_assert_mem_eq(rgba[k], rgba[0], sizeof rgba[0]);
        }
        drawn += r[0].status == MRW_OK;
        if (i < 100) {
            mrwi_base_sha256_add(&hash, rgba[0], sizeof rgba[0]);
        }
        free(file.data);
    }
    ck_assert_int_gt(drawn, TEST_ROUNDS(1200) / 3);
    mrwi_base_sha256_end(&hash, sum);
    mrwi_base_sha256_text(sum, text);
    ck_assert_str_eq(text, "6634300eb078a1348404c4059dd226f5675463f8142fb23e0465b3c5579f6043");
}
END_TEST

static void check_message(const mrw_bytes *file, uint64_t max_pixels, const char *words)
{
    mrw_error error = {0};
    bool damaged = false;
    reading r = {0};
    ck_assert_int_eq(
        mrwi_image_jpeg_rows(file->data, file->size, max_pixels, "x", take, &r, &damaged, &error),
        MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, words), "%s", error.text);
    ck_assert_uint_eq(r.rows, 0);
    mrw_image image;
    ck_assert_int_eq(mrw_image_decode(file->data, file->size, 4, max_pixels, "x", &image, &error),
                     MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, words), "%s", error.text);
}

/* Frame headers that say something else than the data. */
START_TEST(headers_that_lie)
{
    mrw_bytes file = write_jpeg(&forms_cut[0]);
    const size_t frame = find(&file, 0xC0);
    uint8_t *sides = file.data + frame + 3; /* behind length and precision */
    check_message(&file, WIDTH * HEIGHT - 1, "83 x 61 pixels is larger than allowed");
    memcpy(sides, "\xFF\xFF\xFF\xFF", 4);
    check_message(&file, 0, "65535 x 65535 pixels is larger");
    memcpy(sides, "\xFF\xFF\x00\x01", 4);
    check_message(&file, 0, "1 x 65535 pixels is larger");
    memcpy(sides, "\x00\x00\x00\x53", 4);
    check_message(&file, 0, "Empty JPEG image");
    /* more rows than there are: what is there, and grey */
    memcpy(sides, "\x3F\xFF\x00\x53", 4);
    reading r = {.file = file};
    read_thread(&r);
    ck_assert(r.status == MRW_OK && r.damaged && r.rows == 0x3FFF);
    memcpy(sides, "\x00\x3D\x00\x53", 4);
    file.data[frame + 2] = 12;
    check_message(&file, 0, "12 bits per channel");
    file.data[frame + 2] = 8;
    file.data[frame - 1] = 0xC3;
    check_message(&file, 0, "is lossless or hierarchical (marker 0xC3)");
    free(file.data);
}
END_TEST

/* A few bytes per scan, each of which walks over the whole picture. */
START_TEST(scans_without_end)
{
    for (int progressive = 0; progressive < 2; progressive++) {
        form f = forms_cut[0];
        f.progressive = progressive != 0;
        mrw_bytes file = write_jpeg(&f);
        const size_t scan = find(&file, 0xDA) - 2;
        uint8_t *bomb = malloc(scan + 200 * 11 + 2);
        memcpy(bomb, file.data, scan);
        for (int scans = 99; scans <= 101; scans++) {
            size_t size = scan;
            for (int i = 0; i < scans; i++, size += 11) { /* the DC coefficients of luma, all 0 */
                memcpy(bomb + size, "\xFF\xDA\x00\x08\x01\x01\x00\x00\x00\x00\x00", 11);
                bomb[size + 8] = progressive ? 0 : 63;
            }
            memcpy(bomb + size, "\xFF\xD9", 2);
            reading r = {.file = {bomb, size + 2}};
            read_thread(&r);
            ck_assert_int_eq(r.status, scans <= 100 ? MRW_OK : MRW_ERROR_INPUT);
            ck_assert(scans <= 100 || strstr(r.error.text, "has more than 100 scans"));
            ck_assert_uint_eq(r.rows, scans <= 100 ? HEIGHT : 0);
        }
        free(bomb);
        free(file.data);
    }
}
END_TEST

/* A damaged marker between the scans of a progressive file: the scans before it are drawn. */
START_TEST(damage_between_scans)
{
    mrw_bytes file = write_jpeg(&forms_cut[2]);
    const size_t first = find(&file, 0xDA);
    mrw_bytes behind = {file.data + first, file.size - first};
    const size_t next = first + find(&behind, 0xC4); /* tables of the second scan */
    memset(file.data + next + 3, 255, 16);           /* more codes than there can be */
    reading r = {.file = file};
    read_thread(&r);
    ck_assert_msg(r.status == MRW_OK && r.damaged, "%s", r.error.text);
    ck_assert_uint_eq(r.rows, HEIGHT);
    mrw_image image;
    mrw_error error = {0};
    ck_assert_int_eq(mrw_image_decode(file.data, file.size, 0, 0, "x", &image, &error),
                     MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, "Huffman"), "%s", error.text);
    free(file.data);
}
END_TEST

/* Segments and bytes that readers of pictures ignore: an orientation, a strange version of JFIF,
 * and padding before the end. */
START_TEST(ignored_bytes)
{
    static const uint8_t orientation[] = {
        0xFF, 0xE1, 0,    34,   'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8,
        0,    1,    0x01, 0x12, 0,   3,   0,   0,   0, 1, 0,   6,   0, 0,  0, 0, 0, 0};
    mrw_bytes file = write_jpeg(&forms_cut[0]);
    mrw_image expected, image;
    mrw_error error = {0};
    ck_assert_int_eq(mrw_image_decode(file.data, file.size, 0, 0, "x", &expected, NULL), MRW_OK);
    uint8_t *more = calloc(file.size + 100, 1);
    memcpy(more, file.data, 20);
    more[11] = 9; /* JFIF 9 */
    memcpy(more + 20, orientation, sizeof orientation);
    memcpy(more + 20 + sizeof orientation, file.data + 20, file.size - 22);
    memcpy(more + sizeof orientation + file.size - 2 + 50, "\xFF\xD9", 2);
    ck_assert_msg(mrw_image_decode(more, file.size + sizeof orientation + 50, 0, 0, "x", &image,
                                   &error) == MRW_OK,
                  "%s", error.text);
    ck_assert(image.width == WIDTH && image.height == HEIGHT);
    ck_assert_mem_eq(image.pixels, expected.pixels, (size_t)3 * WIDTH * HEIGHT);
    mrw_image_free(&expected);
    mrw_image_free(&image);
    free(more);
    free(file.data);
}
END_TEST

/* ---- our files ------------------------------------------------------------------------------- */

typedef struct writing {
    mrw_image image;
    uint32_t quality;
    mrw_bytes file;
} writing;

static void *encode_thread(void *user)
{
    writing *w = user;
    ck_assert_int_eq(mrw_jpeg_encode(&w->image, w->quality, &w->file, NULL), MRW_OK);
    return NULL;
}

/* Noise, which also makes files larger than their first memory, and a gradient. The sampling
 * factors of the first component follow its number in the frame header. */
START_TEST(all_code_writes_the_same_bytes)
{
    static const uint32_t qualities[] = {1, 10, 50, 75, 90, 91, 92, 100};
    static const uint32_t sides[][2] = {{1, 1}, {8, 8}, {83, 61}, {130, 97}};
    uint64_t state = 4;
    for (int i = 0; i < 64; i++) {
        const uint32_t *side = sides[i % 4];
        writing w[3] = {{.quality = qualities[i / 8]}};
        ck_assert_int_eq(mrw_image_create(side[0], side[1], 3, &w[0].image, NULL), MRW_OK);
        for (size_t k = 0; k < (size_t)3 * side[0] * side[1]; k++) {
            w[0].image.pixels[k] = (uint8_t)(i % 8 < 4 ? test_random(&state) : k / 7);
        }
        for (int k = 0; k < 3; k++) {
            w[k] = w[0];
            in_thread(levels[k], encode_thread, &w[k]);
            ck_assert_uint_eq(w[k].file.size, w[0].file.size);
            ck_assert_mem_eq(w[k].file.data, w[0].file.data, w[0].file.size);
        }
        const size_t factors = find(&w[0].file, 0xC0) + 9;
        ck_assert_uint_eq(w[0].file.data[factors], w[0].quality <= 90 ? 0x22 : 0x11);
        for (int k = 0; k < 3; k++) {
            mrw_bytes_free(&w[k].file);
        }
        mrw_image_free(&w[0].image);
    }
}
END_TEST

/* Memory may run out at each of our allocations: the file's first memory, and when it grows. */
START_TEST(writing_without_memory)
{
    mrw_image image;
    mrw_bytes file = {0};
    uint64_t state = 4, n = 1;
    ck_assert_int_eq(mrw_image_create(300, 300, 3, &image, NULL), MRW_OK);
    for (size_t k = 0; k < (size_t)3 * 300 * 300; k++) {
        image.pixels[k] = (uint8_t)test_random(&state);
    }
    for (;; n++) {
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = mrw_jpeg_encode(&image, 100, &file, NULL);
        if (mrwi_base_alloc_fail_pending()) {
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
    }
    mrwi_base_alloc_fail_at(0);
    ck_assert_uint_gt(n, 3);
    mrw_bytes_free(&file);
    mrw_image_free(&image);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("jpeg");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, all_code_gives_the_same_bytes);
    tcase_add_test(all, any_coefficients_give_the_same_bytes);
    tcase_add_test(all, transform_is_accurate);
    tcase_add_test(all, moderate_blocks);
    tcase_add_test(all, inks_become_light);
    tcase_add_test(all, cut_anywhere);
    tcase_add_test(all, wrong_bytes);
    tcase_add_test(all, headers_that_lie);
    tcase_add_test(all, scans_without_end);
    tcase_add_test(all, damage_between_scans);
    tcase_add_test(all, ignored_bytes);
    tcase_add_test(all, all_code_writes_the_same_bytes);
    tcase_add_test(all, writing_without_memory);
    suite_add_tcase(s, all);
    return s;
}

TEST_MAIN(suite())
