/* test_pictures.c: JPEG, TGA, BMP, QOI and PAM: by hand, and as ffmpeg reads them. */
#include "test.h"

#include "base/memory.h"
#include "marrow/codecs.h"
#include "marrow/output.h"

#include <limits.h>
#include <unistd.h>

#define WIDTH  37 /* no multiple of a JPEG's blocks, nor of four bytes */
#define HEIGHT 21
#define PIXELS (WIDTH * HEIGHT)

static const mrw_output_format formats[] = {MRW_OUTPUT_JPEG, MRW_OUTPUT_TGA, MRW_OUTPUT_BMP,
                                            MRW_OUTPUT_QOI, MRW_OUTPUT_PAM};
#define FORMATS 5

static mrw_image image;

static void tear_down(void)
{
    mrw_image_free(&image);
    test_folder_remove();
}

static bool have_ffmpeg(void)
{
    if (system("ffmpeg -version >/dev/null 2>&1") == 0) {
        return true;
    }
    SKIP("no ffmpeg here");
    return false;
}

/* Noise, runs of one colour and a slope; alpha of every value. */
static void fill(mrw_format format, uint32_t channels)
{
    uint64_t state = 1;
    mrw_image_free(&image);
    ck_assert_int_eq(mrw_image_create_as(format, WIDTH, HEIGHT, channels, &image, NULL), MRW_OK);
    for (uint32_t i = 0; i < PIXELS * channels; i++) {
        const uint32_t pixel = i / channels, y = pixel / WIDTH, x = pixel % WIDTH;
        const uint32_t noise = test_random(&state);
        const uint32_t value = y < 7 ? noise >> 16 : y < 14 ? 51000 : x * 1500 + y * 300;
        if (format == MRW_FORMAT_U16) {
            ((uint16_t *)(void *)image.pixels)[i] = (uint16_t)value;
        } else {
            image.pixels[i] = (uint8_t)(value >> 8);
        }
    }
}

/* Colours that change slowly. */
static void fill_smooth(void)
{
    mrw_image_free(&image);
    ck_assert_int_eq(mrw_image_create(WIDTH, HEIGHT, 3, &image, NULL), MRW_OK);
    for (uint32_t i = 0; i < PIXELS; i++) {
        image.pixels[3 * i] = (uint8_t)(i % WIDTH * 6);
        image.pixels[3 * i + 1] = (uint8_t)(i / WIDTH * 11);
        image.pixels[3 * i + 2] = (uint8_t)(200 - i % WIDTH * 2);
    }
}

static void write_bytes(const char *path, mrw_bytes *bytes)
{
    ck_assert_int_eq(mrw_file_write(path, bytes->data, bytes->size, NULL), MRW_OK);
    mrw_bytes_free(bytes);
}

static size_t read_bytes(const char *path, uint8_t *out, size_t size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "%s", path);
    const size_t got = fread(out, 1, size, file);
    fclose(file);
    return got;
}

/* Through the table, as the command does: a file, or with a sheet's columns several pictures. */
static mrw_status write_as(mrw_output_format format, const mrw_output_def *with, char *path,
                           uint32_t count, mrw_bytes *bytes, mrw_error *error)
{
    uint32_t of[4] = {0};
    const mrw_output_files files = {&path, 1, of, count};
    mrw_output_def def = *with;
    mrw_output *output = NULL;
    def.format = format;
    def.files = &files;
    def.width = image.width;
    def.height = image.height;
    def.channels = image.channels;
    def.png = mrw_png_def_default();
    def.workers = 1;
    mrw_status status = mrw_output_open(&def, &output, error);
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        status = mrw_output_put(output, 0, i, i, &image, error);
    }
    if (status == MRW_OK) {
        status = mrw_output_finish(output, bytes, error);
    }
    mrw_output_free(output);
    return status;
}

/* ---- what keeps every pixel ------------------------------------------------------------------ */

/* ffmpeg 5 and later read all of them. rgb48be is what a PAM of 16 bits holds. */
START_TEST(ffmpeg_reads_every_pixel)
{
    static const char *const names[] = {"a.tga", "a.bmp", "a.qoi", "a.pam"};
    static uint8_t raw[PIXELS * 8 + 1];
    mrw_bytes bytes;
    char command[1024], path[16];
    if (!have_ffmpeg()) {
        return;
    }
    for (uint32_t channels = 3; channels <= 4; channels++) {
        const char *layout = channels == 3 ? "rgb24" : "rgba";
        fill(MRW_FORMAT_U8, channels);
        ck_assert_int_eq(mrw_tga_encode(&image, &bytes, NULL), MRW_OK);
        write_bytes("a.tga", &bytes);
        ck_assert_int_eq(mrw_bmp_encode(&image, &bytes, NULL), MRW_OK);
        write_bytes("a.bmp", &bytes);
        ck_assert_int_eq(mrw_qoi_encode(&image, &bytes, NULL), MRW_OK);
        write_bytes("a.qoi", &bytes);
        ck_assert_int_eq(mrw_pam_encode(&image, &bytes, NULL), MRW_OK);
        write_bytes("a.pam", &bytes);
        snprintf(command, sizeof command,
                 "ffmpeg -v error -y -i a.tga -i a.bmp -i a.qoi -i a.pam"
                 " -map 0 -f rawvideo -pix_fmt %s 0.raw -map 1 -f rawvideo -pix_fmt %s 1.raw"
                 " -map 2 -f rawvideo -pix_fmt %s 2.raw -map 3 -f rawvideo -pix_fmt %s 3.raw",
                 layout, layout, layout, layout);
        ck_assert_int_eq(system(command), 0);
        for (int i = 0; i < 4; i++) {
            snprintf(path, sizeof path, "%d.raw", i);
            ck_assert_uint_eq(read_bytes(path, raw, sizeof raw), PIXELS * channels);
            ck_assert_msg(memcmp(raw, image.pixels, PIXELS * channels) == 0, "%s, %u channels",
                          names[i], channels);
        }
    }
}
END_TEST

START_TEST(ffmpeg_reads_16_bits)
{
    static uint8_t raw[PIXELS * 8 + 1];
    char command[256];
    if (!have_ffmpeg()) {
        return;
    }
    for (uint32_t channels = 3; channels <= 4; channels++) {
        mrw_bytes bytes;
        fill(MRW_FORMAT_U16, channels);
        const uint16_t *values = (const uint16_t *)(const void *)image.pixels;
        ck_assert_int_eq(mrw_pam_encode(&image, &bytes, NULL), MRW_OK);
        write_bytes("a.pam", &bytes);
        snprintf(command, sizeof command,
                 "ffmpeg -v error -y -i a.pam -f rawvideo -pix_fmt %s 0.raw",
                 channels == 3 ? "rgb48be" : "rgba64be");
        ck_assert_int_eq(system(command), 0);
        ck_assert_uint_eq(read_bytes("0.raw", raw, sizeof raw), 2 * PIXELS * channels);
        for (uint32_t i = 0; i < PIXELS * channels; i++) {
            ck_assert_uint_eq(raw[2 * i] << 8 | raw[2 * i + 1], values[i]);
        }
    }
}
END_TEST

/* Our own reader, too, reads what other programs write as TGA and BMP. */
START_TEST(we_read_them)
{
    for (uint32_t channels = 3; channels <= 4; channels++) {
        mrw_status (*const encode[2])(const mrw_image *, mrw_bytes *,
                                      mrw_error *) = {mrw_tga_encode, mrw_bmp_encode};
        fill(MRW_FORMAT_U8, channels);
        for (int i = 0; i < 2; i++) {
            mrw_bytes bytes;
            mrw_image back = {0};
            ck_assert_int_eq(encode[i](&image, &bytes, NULL), MRW_OK);
            ck_assert_int_eq(
                mrw_image_decode(bytes.data, bytes.size, channels, 0, "a picture", &back, NULL),
                MRW_OK);
            ck_assert_mem_eq(back.pixels, image.pixels, PIXELS * channels);
            mrw_image_free(&back);
            mrw_bytes_free(&bytes);
        }
    }
}
END_TEST

/* After the specifications. QOI: red is (0,0,0) and (-1,0,0) more, then it runs on for one pixel;
 * its end. PAM: netpbm.sourceforge.net/doc/pam.html. */
START_TEST(two_red_pixels_by_hand)
{
    static const uint8_t red[6] = {255, 0, 0, 255, 0, 0};
    static const uint8_t qoi[] = {'q', 'o', 'i',  'f',  0, 0, 0, 2, 0, 0, 0, 1,
                                  3,   0,   0x5A, 0xC0, 0, 0, 0, 0, 0, 0, 0, 1};
    static const char pam[] = "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n"
                              "\xFF\0\0\xFF\0";
    mrw_bytes bytes;
    ck_assert_int_eq(mrw_image_create(2, 1, 3, &image, NULL), MRW_OK);
    memcpy(image.pixels, red, sizeof red);
    ck_assert_int_eq(mrw_qoi_encode(&image, &bytes, NULL), MRW_OK);
    ck_assert_uint_eq(bytes.size, sizeof qoi);
    ck_assert_mem_eq(bytes.data, qoi, sizeof qoi);
    mrw_bytes_free(&bytes);
    ck_assert_int_eq(mrw_pam_encode(&image, &bytes, NULL), MRW_OK);
    ck_assert_uint_eq(bytes.size, sizeof pam); /* its NUL is the last blue */
    ck_assert_mem_eq(bytes.data, pam, sizeof pam);
    mrw_bytes_free(&bytes);
}
END_TEST

/* ---- JPEG ------------------------------------------------------------------------------------ */

/* Peak signal to noise, in decibels. */
static double psnr(const uint8_t *a, const uint8_t *b)
{
    double sum = 0.0;
    for (int i = 0; i < PIXELS * 3; i++) {
        sum += (double)(a[i] - b[i]) * (a[i] - b[i]);
    }
    return 10.0 * log10(255.0 * 255.0 * PIXELS * 3 / sum);
}

/* The reader that textures have, and ffmpeg's: slow pictures stay near what they are, and better
 * files are larger. */
START_TEST(jpegs_are_near)
{
    static const struct {
        uint32_t quality;
        double decibels;
    } cases[] = {{30, 28.0}, {0, 42.0}, {100, 48.0}}; /* 0: the usual */
    static uint8_t raw[PIXELS * 3 + 1];
    const bool ffmpeg = have_ffmpeg();
    size_t before = 0;
    fill_smooth();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mrw_output_def def = {.quality = cases[i].quality};
        mrw_bytes bytes = {0};
        mrw_image back = {0};
        ck_assert_int_eq(write_as(MRW_OUTPUT_JPEG, &def, "-", 1, &bytes, NULL), MRW_OK);
        ck_assert_uint_gt(bytes.size, before);
        before = bytes.size;
        ck_assert_int_eq(mrw_image_decode(bytes.data, bytes.size, 3, 0, "a picture", &back, NULL),
                         MRW_OK);
        ck_assert_uint_eq(back.width, WIDTH);
        ck_assert_uint_eq(back.height, HEIGHT);
        ck_assert_double_gt(psnr(back.pixels, image.pixels), cases[i].decibels);
        mrw_image_free(&back);
        write_bytes("a.jpg", &bytes);
        if (ffmpeg) {
            ck_assert_int_eq(system("ffmpeg -v error -y -i a.jpg -f rawvideo -pix_fmt rgb24 0.raw"),
                             0);
            ck_assert_uint_eq(read_bytes("0.raw", raw, sizeof raw), PIXELS * 3);
            ck_assert_double_gt(psnr(raw, image.pixels), cases[i].decibels);
        }
    }
}
END_TEST

/* A third is clear, a third half there, a third opaque; blue lies below. By hand: 255 * 51 / 255 is
 * 51, and 255 * 204 / 255 is 204. */
START_TEST(alpha_lies_over_the_matte)
{
    static const uint8_t alphas[3] = {0, 51, 255};
    static const uint8_t expected[3][3] = {{0, 0, 255}, {51, 0, 204}, {255, 0, 0}};
    const mrw_output_def def = {.quality = 100, .has_matte = true, .matte = {0, 0, 255}};
    mrw_bytes bytes = {0};
    mrw_image back = {0};
    mrw_error error = {0};
    ck_assert_int_eq(mrw_image_create(48, 16, 4, &image, NULL), MRW_OK);
    for (uint32_t i = 0; i < 48 * 16; i++) {
        const uint8_t pixel[4] = {255, 0, 0, alphas[i % 48 / 16]};
        memcpy(image.pixels + 4 * i, pixel, 4);
    }
    ck_assert_int_eq(write_as(MRW_OUTPUT_JPEG, &def, "-", 1, &bytes, NULL), MRW_OK);
    ck_assert_int_eq(mrw_image_decode(bytes.data, bytes.size, 3, 0, "a picture", &back, NULL),
                     MRW_OK);
    for (uint32_t i = 0; i < 48 * 16; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            ck_assert_int_le(abs(back.pixels[3 * i + c] - expected[i % 48 / 16][c]), 2);
        }
    }
    mrw_image_free(&back);
    mrw_bytes_free(&bytes);
    const mrw_output_def without = {.quality = 100, .columns = 2};
    const mrw_output_format refused[] = {MRW_OUTPUT_JPEG, MRW_OUTPUT_SHEET};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(write_as(refused[i], &without, "a.JPEG", 1, &bytes, &error),
                         MRW_ERROR_USAGE);
        ck_assert_ptr_nonnull(strstr(error.text, "--matte COLOR"));
    }
}
END_TEST

/* A format more is one more to test here. */
START_TEST(none_is_missing)
{
    int count = 0;
    for (int i = 0; i < MRW_OUTPUT_FORMAT_COUNT; i++) {
        const mrw_output_info *info = mrw_output_describe((mrw_output_format)i);
        count += !info->option && !info->collects && i != MRW_OUTPUT_PNG;
    }
    ck_assert_int_eq(count, FORMATS);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

START_TEST(endings_name_them)
{
    static char *const names[FORMATS] = {"a.jpeg", "a.TGA", "a.bmp", "a.qoi", "a.pam"};
    static const char *const starts[FORMATS] = {"\xFF\xD8\xFF", NULL, "BM", "qoif", "P7\n"};
    const mrw_output_def def = {.columns = 2, .gap = 4};
    uint8_t start[18];
    fill(MRW_FORMAT_U8, 3);
    for (int i = 0; i < FORMATS; i++) {
        mrw_output_format format;
        mrw_bytes none = {0};
        ck_assert_int_eq(mrw_output_find_format(names[i], 0, &format, NULL), MRW_OK);
        ck_assert_int_eq((int)format, (int)formats[i]);
        ck_assert_int_eq(mrw_output_find_format(names[i], 2, &format, NULL), MRW_OK);
        ck_assert_int_eq((int)format, MRW_OUTPUT_SHEET);
        /* Three pictures in two columns, four pixels apart. */
        ck_assert_int_eq(write_as(format, &def, names[i], 3, &none, NULL), MRW_OK);
        ck_assert_uint_eq(read_bytes(names[i], start, sizeof start), sizeof start);
        if (starts[i]) {
            ck_assert_mem_eq(start, starts[i], strlen(starts[i]));
        } else { /* colours in runs, 24 bits, the first row below or above */
            ck_assert_uint_eq(start[2], 10);
            ck_assert_int_eq(start[12] + 256 * start[13], 2 * WIDTH + 12);
            ck_assert_int_eq(start[14] + 256 * start[15], 2 * HEIGHT + 12);
            ck_assert_int_eq(start[16], 24);
        }
    }
}
END_TEST

/* Two files of one picture are encoded once, and are the same. */
START_TEST(equal_pictures)
{
    fill(MRW_FORMAT_U8, 3);
    for (int i = 0; i < FORMATS; i++) {
        static uint8_t a[8192], b[8192];
        char *paths[2] = {"a", "b"};
        uint32_t of[2] = {0, 1};
        const mrw_output_files files = {paths, 2, of, 2};
        const mrw_output_def def = {.format = formats[i],
                                    .files = &files,
                                    .width = WIDTH,
                                    .height = HEIGHT,
                                    .channels = 3,
                                    .workers = 1};
        mrw_output *output;
        mrw_bytes none = {0};
        ck_assert_int_eq(mrw_output_open(&def, &output, NULL), MRW_OK);
        ck_assert_int_eq(mrw_output_put(output, 0, 0, 0, &image, NULL), MRW_OK);
        ck_assert_int_eq(mrw_output_put(output, 0, 1, 0, &image, NULL), MRW_OK);
        ck_assert_int_eq(mrw_output_finish(output, &none, NULL), MRW_OK);
        mrw_output_free(output);
        const size_t size = read_bytes("a", a, sizeof a);
        ck_assert_uint_gt(size, 0);
        ck_assert_uint_eq(read_bytes("b", b, sizeof b), size);
        ck_assert_mem_eq(a, b, size);
    }
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    const mrw_output_def def = {.has_matte = true};
    fill(MRW_FORMAT_U8, 4);
    for (int i = 0; i < FORMATS; i++) {
        bool pending = false;
        for (uint64_t n = 1; !pending; n++) {
            mrw_bytes bytes = {0};
            mrwi_base_alloc_fail_at(n);
            const mrw_status status = write_as(formats[i], &def, "-", 1, &bytes, NULL);
            pending = mrwi_base_alloc_fail_pending();
            mrwi_base_alloc_fail_at(0);
            ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
            mrw_bytes_free(&bytes);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("pictures");
    TCase *tc = tcase_create("pictures");
    tcase_add_checked_fixture(tc, test_folder_enter, tear_down);
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, none_is_missing);
    tcase_add_test(tc, ffmpeg_reads_every_pixel);
    tcase_add_test(tc, ffmpeg_reads_16_bits);
    tcase_add_test(tc, we_read_them);
    tcase_add_test(tc, two_red_pixels_by_hand);
    tcase_add_test(tc, jpegs_are_near);
    tcase_add_test(tc, alpha_lies_over_the_matte);
    tcase_add_test(tc, endings_name_them);
    tcase_add_test(tc, equal_pictures);
    tcase_add_test(tc, every_allocation_may_fail);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
