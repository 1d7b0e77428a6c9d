/* test_exr.c: files of numbers: OpenEXR read by a reader of the test's own and by OpenEXR's and
 * OpenImageIO's programs, PFM and .flo byte by byte. Grey PNGs of 16 bits: test_png_libpng.c. */
#include "exr_reader.h"

#include "base/memory.h"

#include <marrow/marrow.h>
#include <unistd.h>

#define LONG_NAME "weights.a joint whose name is longer than the thirty-one bytes of old"

/* Values of all kinds of bits: numbers, infinities, what is no number, slopes that pack well. */
static void fill(uint32_t *values, size_t count, uint64_t state)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t any = test_random(&state);
        values[i] = i % 7 == 0 ? 0x7f800000u : i % 3 == 0 ? 0x3f800000u + (uint32_t)i : any;
    }
}

/* One block and a part of another, one pixel, one that does not get smaller, and a block that is
 * searched in two parts. */
START_TEST(values_are_read_back)
{
    static const uint32_t sizes[][2] = {{1, 1}, {37, 16}, {37, 17}, {3, 40}, {300, 33}, {3000, 17}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint32_t width = sizes[s][0], height = sizes[s][1];
        const size_t pixels = (size_t)width * height;
        uint32_t *together = malloc(pixels * 12), *alone = malloc(pixels * 4);
        fill(together, 3 * pixels, 1);
        fill(alone, pixels, 2);
        const mrw_exr_channel channels[] = {{"normal.X", MRW_FORMAT_F32, together, 12},
                                            {"normal.Y", MRW_FORMAT_F32, together + 1, 12},
                                            {LONG_NAME, MRW_FORMAT_F32, together + 2, 12},
                                            {"id", MRW_FORMAT_U32, alone, 4}};
        const mrw_exr_def def = {width, height, channels, 4, NULL, 0};
        mrw_bytes bytes = {0}, again = {0};
        exr_file file;
        ck_assert_int_eq(mrw_exr_encode(&def, &bytes, NULL), MRW_OK);
        ck_assert_int_eq(mrw_exr_encode(&def, &again, NULL), MRW_OK);
        ck_assert_mem_eq(bytes.data, again.data, bytes.size);
        exr_open(&file, bytes.data, bytes.size);
        ck_assert_uint_eq(file.flags, 4); /* long names */
        ck_assert_uint_eq(file.width, width);
        ck_assert_uint_eq(file.height, height);
        ck_assert_uint_eq(file.channel_count, 4);
        for (int c = 0; c < 4; c++) {
            const exr_channel *channel = exr_find(&file, channels[c].name);
            ck_assert_ptr_nonnull(channel);
            ck_assert_uint_eq(channel->type, c == 3 ? 0 : 2);
            for (size_t i = 0; i < pixels; i++) {
                ck_assert_uint_eq(exr_u32(channel->values + 4 * i),
                                  c == 3 ? alone[i] : together[3 * i + (size_t)c]);
            }
        }
        exr_close(&file);
        mrw_bytes_free(&bytes);
        mrw_bytes_free(&again);
        free(together);
        free(alone);
    }
}
END_TEST

static const float ones[6] = {1, 2, 3, 4, 5, 6.5f};
static const mrw_exr_channel one[] = {{"Z", MRW_FORMAT_F32, ones, 4}};
static const mrw_exr_attribute attributes[] = {
    {"K", MRW_EXR_M33F, NULL, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
    {"world_to_camera",
     MRW_EXR_M44F,
     NULL,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
    {"near", MRW_EXR_FLOAT, NULL, {0.25f}},
    {"orthographic", MRW_EXR_INT, NULL, {1}},
    {"cryptomatte/1234567/manifest", MRW_EXR_STRING, "{\"a\":\"00112233\"}", {0}}};
static const mrw_exr_def small = {3, 2, one, 1, attributes, 5};

START_TEST(attributes_are_there)
{
    mrw_bytes bytes = {0};
    exr_file file;
    uint32_t size = 0;
    ck_assert_int_eq(mrw_exr_encode(&small, &bytes, NULL), MRW_OK);
    exr_open(&file, bytes.data, bytes.size);
    ck_assert_uint_eq(file.flags, 0); /* no long names */
    for (size_t i = 0; i < 4; i++) {
        static const char *const types[] = {"m33f", "m44f", "float", "int"};
        static const uint32_t sizes[] = {36, 64, 4, 4};
        const uint8_t *value = exr_attribute(&file, attributes[i].name, types[i], &size);
        ck_assert_ptr_nonnull(value);
        ck_assert_uint_eq(size, sizes[i]);
        if (i == 3) {
            ck_assert_uint_eq(exr_u32(value), 1);
        } else {
            ck_assert_mem_eq(value, attributes[i].numbers, size);
        }
    }
    const uint8_t *text = exr_attribute(&file, attributes[4].name, "string", &size);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(size, strlen(attributes[4].text));
    ck_assert_mem_eq(text, attributes[4].text, size);
    exr_close(&file);
    mrw_bytes_free(&bytes);
}
END_TEST

/* ---- other programs -------------------------------------------------------------------------- */

static char said[20000];

static void ask(const char *command)
{
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    ck_assert_msg(pclose(pipe) == 0, "%s: %s", command, said);
}

static void assert_said(const char *text)
{
    ck_assert_msg(strstr(said, text), "'%s' lacks '%s'", said, text);
}

START_TEST(other_programs_read_them)
{
    if (system("command -v exrheader >/dev/null && command -v oiiotool >/dev/null") != 0) {
        SKIP("exr: neither exrheader nor oiiotool is here\n");
        return;
    }
    static const uint32_t ids[6] = {0, 1, 2, 65536, 16777217, 0xffffffff};
    const mrw_exr_channel channels[] = {{"Z", MRW_FORMAT_F32, ones, 4},
                                        {"id", MRW_FORMAT_U32, ids, 4}};
    mrw_exr_def def = small;
    mrw_bytes bytes = {0};
    const char *path = test_path("a.exr");
    char command[300];
    def.channels = channels;
    def.channel_count = 2;
    ck_assert_int_eq(mrw_exr_encode(&def, &bytes, NULL), MRW_OK);
    test_write(path, bytes.data, bytes.size);
    mrw_bytes_free(&bytes);
    snprintf(command, sizeof command, "exrheader %s 2>&1", path);
    ask(command);
    assert_said("K (type m33f):\n   (1 2 3\n    4 5 6\n    7 8 9)");
    assert_said("13 14 15 16)");
    assert_said("near (type float): 0.25");
    assert_said("orthographic (type int): 1");
    assert_said("cryptomatte/1234567/manifest (type string): \"{\"a\":\"00112233\"}\"");
    assert_said("Z, 32-bit floating-point, sampling 1 1");
    assert_said("id, 32-bit unsigned integer, sampling 1 1");
    assert_said("zip, multi-scanline blocks");
    /* which shows integers as shares of the largest one */
    snprintf(command, sizeof command, "oiiotool --dumpdata %s 2>&1", path);
    ask(command);
    assert_said("float/uint");
    assert_said("Pixel (0, 0): 1.000000000 0.000000000");
    assert_said("Pixel (0, 1): 4.000000000 0.000015259");
    assert_said("Pixel (2, 1): 6.500000000 1.000000000");
    test_folder_remove();
}
END_TEST

/* ---- what can't be --------------------------------------------------------------------------- */

START_TEST(names_that_cannot_be)
{
    char long_name[257];
    memset(long_name, 'n', 256);
    long_name[256] = '\0';
    const char *const names[] = {"", "Z", long_name};
    const char *const said_of[] = {"1 to 255 bytes", "it is already used", "1 to 255 bytes"};
    for (int i = 0; i < 3; i++) {
        const mrw_exr_channel channels[] = {one[0], {names[i], MRW_FORMAT_F32, ones, 4}};
        const mrw_exr_def def = {3, 2, channels, 2, NULL, 0};
        mrw_bytes bytes = {0};
        mrw_error error = {0};
        ck_assert_int_eq(mrw_exr_encode(&def, &bytes, &error), MRW_ERROR_USAGE);
        ck_assert_ptr_nonnull(strstr(error.text, said_of[i]));
        ck_assert_ptr_null(bytes.data);
        const mrw_exr_attribute both[] = {{"Z", MRW_EXR_INT, NULL, {1}},
                                          {names[i], MRW_EXR_INT, NULL, {1}}};
        const mrw_exr_def other = {3, 2, one, 1, both, 2};
        ck_assert_int_eq(mrw_exr_encode(&other, &bytes, &error), MRW_ERROR_USAGE);
        ck_assert_ptr_nonnull(strstr(error.text, said_of[i]));
        ck_assert_ptr_nonnull(strstr(error.text, "an attribute"));
        ck_assert_ptr_null(bytes.data);
    }
}
END_TEST

START_TEST(memory_runs_out)
{
    uint64_t failures = 0;
    for (;; failures++) {
        mrw_bytes bytes = {0};
        mrw_error error = {0};
        mrwi_base_alloc_fail_at(failures + 1);
        const mrw_status status = mrw_exr_encode(&small, &bytes, &error);
        const bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(status, fired ? MRW_ERROR_MEMORY : MRW_OK);
        ck_assert_int_eq(error.status, status);
        mrw_bytes_free(&bytes);
        if (!fired) {
            break;
        }
    }
    ck_assert_uint_ge(failures, 5);
}
END_TEST

/* ---- PFM and .flo ---------------------------------------------------------------------------- */

START_TEST(pfm_byte_by_byte)
{
    float values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    mrw_image image = {2, 2, 1, MRW_FORMAT_F32, (uint8_t *)values, NULL};
    mrw_bytes bytes = {0};
    ck_assert_int_eq(mrw_pfm_encode(&image, &bytes, NULL), MRW_OK);
    ck_assert_uint_eq(bytes.size, 12 + 16);
    /* 3 4 below 1 2 */
    ck_assert_mem_eq(bytes.data,
                     "Pf\n2 2\n-1.0\n"
                     "\x00\x00\x40\x40"
                     "\x00\x00\x80\x40"
                     "\x00\x00\x80\x3f"
                     "\x00\x00\x00\x40",
                     28);
    mrw_bytes_free(&bytes);
    image.channels = 3;
    ck_assert_int_eq(mrw_pfm_encode(&image, &bytes, NULL), MRW_OK);
    ck_assert_uint_eq(bytes.size, 12 + 48);
    ck_assert_mem_eq(bytes.data, "PF\n2 2\n-1.0\n", 12);
    ck_assert_mem_eq(bytes.data + 12, values + 6, 24);
    ck_assert_mem_eq(bytes.data + 36, values, 24);
    mrw_bytes_free(&bytes);
}
END_TEST

START_TEST(flo_byte_by_byte)
{
    float values[] = {0.5f, -2, 1, 3, 4, 0};
    const mrw_image image = {1, 2, 3, MRW_FORMAT_F32, (uint8_t *)values, NULL};
    mrw_bytes bytes = {0};
    ck_assert_int_eq(mrw_flo_encode(&image, &bytes, NULL), MRW_OK);
    ck_assert_uint_eq(bytes.size, 12 + 16);
    ck_assert_mem_eq(bytes.data,
                     "PIEH\x01\x00\x00\x00\x02\x00\x00\x00"
                     "\x00\x00\x00\x3f"
                     "\x00\x00\x00\xc0"
                     "\xf9\x02\x15\x50" /* 1e10 */
                     "\xf9\x02\x15\x50",
                     28);
    mrw_bytes_free(&bytes);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("exr");
    TCase *tc = tcase_create("exr");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, values_are_read_back);
    tcase_add_test(tc, attributes_are_there);
    tcase_add_test(tc, other_programs_read_them);
    tcase_add_test(tc, names_that_cannot_be);
    tcase_add_test(tc, memory_runs_out);
    tcase_add_test(tc, pfm_byte_by_byte);
    tcase_add_test(tc, flo_byte_by_byte);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
