/* test_png_ffmpeg.c: what marrow encodes, decoded by ffmpeg: pictures and animations, byte for
 * byte. Skips where there is no ffmpeg. */
#include "marrow/codecs.h"
#include "png_pictures.h"

static bool have_ffmpeg(void)
{
    if (system("ffmpeg -version >/dev/null 2>&1") == 0) {
        return true;
    }
    SKIP("no ffmpeg here");
    return false;
}

/* Decodes a file, or a numbered series, to bare bytes: those of the frames given, no more and no
 * less, and ffmpeg has nothing to complain of. */
static void check_decoded(const char *input, const mrw_image *frames, int count)
{
    char command[512];
    const size_t size = (size_t)frames->width * frames->height * frames->channels;
    uint8_t *bytes = malloc(size);
    snprintf(command, sizeof command,
             "ffmpeg -v error -nostdin -err_detect crccheck+explode -i '%s' -f rawvideo "
             "-fps_mode passthrough -pix_fmt %s - 2>'%s'",
             input, frames->channels == 4 ? "rgba" : "rgb24", test_path("said"));
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    for (int i = 0; i < count; i++) {
        ck_assert_uint_eq(fread(bytes, 1, size, pipe), size);
        ck_assert_msg(memcmp(bytes, frames[i].pixels, size) == 0, "%ux%u, %u channels: frame %d",
                      frames->width, frames->height, frames->channels, i);
    }
    ck_assert_int_eq(fgetc(pipe), EOF);
    ck_assert_int_eq(pclose(pipe), 0);
    FILE *said = fopen(test_path("said"), "r");
    ck_assert_int_eq(fgetc(said), EOF);
    fclose(said);
    free(bytes);
}

static void free_pictures(mrw_image *pictures, int count)
{
    for (int i = 0; i < count; i++) {
        mrw_image_free(&pictures[i]);
    }
}

/* Every style with both efforts, as one series. */
static void check_pictures(uint32_t width, uint32_t height, uint32_t channels)
{
    mrw_image pictures[2 * PICTURE_STYLES];
    for (int i = 0; i < 2 * PICTURE_STYLES; i++) {
        char name[16];
        mrw_png_def def = mrw_png_def_default();
        mrw_bytes file;
        pictures[i] = make_picture(width, height, channels, i / 2);
        def.effort = i % 2 == 0 ? MRW_PNG_FAST : MRW_PNG_BEST;
        snprintf(name, sizeof name, "%d.png", i);
        ck_assert_int_eq(mrw_png_encode_as(&pictures[i], &def, &file, NULL), MRW_OK);
        ck_assert_int_eq(mrw_file_write(test_path(name), file.data, file.size, NULL), MRW_OK);
        mrw_bytes_free(&file);
    }
    check_decoded(test_path("%d.png"), pictures, 2 * PICTURE_STYLES);
    free_pictures(pictures, 2 * PICTURE_STYLES);
}

START_TEST(ffmpeg_reads_every_picture)
{
    static const uint32_t sizes[][2] = {{1, 1},     {2, 3},     {43, 40},
                                        {16384, 1}, {1, 16384}, {641, 361}};
    if (!have_ffmpeg()) {
        return;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (uint32_t channels = 3; channels <= 4; channels++) {
            check_pictures(sizes[i][0], sizes[i][1], channels);
        }
    }
}
END_TEST

/* All styles, then the first again twice: what is see-through must not show what came before. */
START_TEST(ffmpeg_plays_animations)
{
    enum { FRAMES = PICTURE_STYLES + 2 };
    const uint32_t channels = 3 + (uint32_t)_i % 2;
    mrw_image frames[FRAMES];
    mrw_png_def def = mrw_png_def_default();
    mrw_bytes file;
    if (!have_ffmpeg()) {
        return;
    }
    def.effort = _i / 2 == 0 ? MRW_PNG_FAST : MRW_PNG_BEST;
    for (int i = 0; i < FRAMES; i++) {
        frames[i] = make_picture(117, 63, channels, i < PICTURE_STYLES ? i : 0);
    }
    ck_assert_int_eq(mrw_apng_encode_as(frames, FRAMES, (mrw_rate){24000, 1001}, &def, &file, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_file_write(test_path("all.apng"), file.data, file.size, NULL), MRW_OK);
    mrw_bytes_free(&file);
    check_decoded(test_path("all.apng"), frames, FRAMES);
    free_pictures(frames, FRAMES);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("png_ffmpeg");
    TCase *tc = tcase_create("png_ffmpeg");
    tcase_set_timeout(tc, 300);
    tcase_add_checked_fixture(tc, NULL, test_folder_remove);
    tcase_add_test(tc, ffmpeg_reads_every_picture);
    tcase_add_loop_test(tc, ffmpeg_plays_animations, 0, 4);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
