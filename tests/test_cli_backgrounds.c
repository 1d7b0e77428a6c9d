/* test_cli_backgrounds.c: gradients and pictures behind the model, in every kind of output, and
 * what is wrong with others; environments that are OpenEXR files. Expected values are those of the
 * manual: row y of H rows is (y + 1/2) / H of the way from the first colour to the second. */
#include "cli_fixture.h"

#include "marrow/codecs.h"

#include <math.h>

/* Where nothing is in view: the picture shows its background alone. */
#define EMPTY "demo:blob --eye 0,0,100 --target 0,0,200"

static mrw_image read_image(const char *path)
{
    mrw_image image;
    mrw_error error = {0};
    ck_assert_msg(mrw_image_read(path, 3, &image, &error) == MRW_OK, "%s", error.text);
    return image;
}

static void check_at(const mrw_image *image, uint32_t x, uint32_t y, int r, int g, int b, int off)
{
    const int want[3] = {r, g, b};
    const uint8_t *at = image->pixels + 3 * ((size_t)y * image->width + x);
    for (int k = 0; k < 3; k++) {
        ck_assert_msg(abs(at[k] - want[k]) <= off, "%u, %u: %d %d %d, not %d %d %d", x, y, at[0],
                      at[1], at[2], r, g, b);
    }
}

/* From #0050ff to #a03000 in 8 rows: row 0 is 1/16 of the way, row 7 is 15/16 of it. */
static void check_rows(const char *path, int off)
{
    mrw_image image = read_image(path);
    ck_assert_uint_eq(image.width, 8);
    ck_assert_uint_eq(image.height, 8);
    for (uint32_t x = 0; x < 8; x++) {
        check_at(&image, x, 0, 10, 78, 239, off);
        check_at(&image, x, 7, 150, 50, 16, off);
    }
    mrw_image_free(&image);
}

START_TEST(gradients_in_every_format)
{
    static const char *const formats[] = {"png", "jpg", "webp", "tga", "bmp", "apng"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char path[40];
        snprintf(path, sizeof path, "a.%s", formats[i]);
        shell("marrow render " EMPTY " --size 8 --background '#0050ff..#a03000' -q -o %s", path);
        assert_status(0);
        check_rows(path, i == 1 ? 3 : 0);
    }
    shell("marrow render " EMPTY " --size 8 --background '#0050ff..#a03000' --bits 16 -q -o d.png "
          "&& marrow render " EMPTY " --size 8 --background '#0050ff..#a03000' -q -o a.gif");
    assert_status(0);
    mrw_image deep = read_image("d.png"); /* its upper bytes: floor(257 v / 256) for v + 1/2 */
    check_at(&deep, 3, 0, 10, 78, 239, 0);
    mrw_image_free(&deep);
}
END_TEST

/* In the middle of 5 x 5 pixels is the first colour, and 4/5 of the way to the second at a corner.
 */
START_TEST(radial_gradients)
{
    shell("marrow render " EMPTY " --size 5 --background '#000064..#c86400@radial' -q -o a.png");
    assert_status(0);
    mrw_image image = read_image("a.png");
    check_at(&image, 2, 2, 0, 0, 100, 0);
    check_at(&image, 0, 0, 160, 80, 20, 0);
    check_at(&image, 4, 0, 160, 80, 20, 0);
    mrw_image_free(&image);
}
END_TEST

/* Each picture of a sheet has a gradient of its own, and between them is the colour halfway. */
START_TEST(sheets_have_a_background_per_picture)
{
    shell("marrow render demo:blob --eye 0,0,100 --target 0,0,200 --size 8 --times 0,0.1 --sheet 1 "
          "--gap 2 --background '#0050ff..#a03000' -q -o a.png");
    assert_status(0);
    mrw_image image = read_image("a.png");
    ck_assert_uint_eq(image.width, 12);
    ck_assert_uint_eq(image.height, 22);
    for (uint32_t top = 2; top <= 12; top += 10) {
        check_at(&image, 5, top, 10, 78, 239, 0);
        check_at(&image, 5, top + 7, 150, 50, 16, 0);
    }
    check_at(&image, 0, 0, 80, 64, 128, 0);
    check_at(&image, 5, 11, 80, 64, 128, 0);
    mrw_image_free(&image);
}
END_TEST

/* The background of the pass of colours is linear and unexposed; other passes are as without. */
START_TEST(passes)
{
    shell("marrow render " EMPTY
          " --size 8 --background '#0050ff..#a03000' --exposure 3 --aov color "
          "-q -o a.exr");
    assert_status(0);
    mrw_image image;
    ck_assert_int_eq(mrw_image_read_exr("a.exr", 0, &image, NULL), MRW_OK);
    const float *values = (const float *)(void *)image.pixels;
    ck_assert_double_eq_tol((double)values[2], pow((239 / 255.0 + 0.055) / 1.055, 2.4), 1e-5);
    ck_assert_double_eq_tol((double)values[7 * 24], pow((150 / 255.0 + 0.055) / 1.055, 2.4), 1e-5);
    mrw_image_free(&image);
    shell(
        "marrow render demo:blob --size 40 --background red..blue --aov depth,color -q -o b.exr && "
        "marrow render demo:blob --size 40 --aov depth -q -o c.pfm && "
        "marrow render demo:blob --size 40 --background red..blue --aov depth -q -o d.pfm && "
        "cmp c.pfm d.pfm");
    assert_status(0);
}
END_TEST

/* Threads change nothing, nor does a ground, overlays and several pictures. */
START_TEST(threads_change_nothing)
{
    shell("marrow render demo:figure --size 16x16 -q -o bg.png");
    assert_status(0);
    for (int i = 0; i < 3; i++) {
        static const char *const grounds[] = {"white..black@radial", "bg.png", "#fff..#123"};
        shell("for j in 1 3; do marrow render demo:figure --count 3 --size 90x70 --ground "
              "--overlay skeleton,grid --background '%s' --jobs $j -q -o $j-{frame}.png || exit 1; "
              "done; for f in 1-*.png; do cmp $f 3${f#1} || exit 1; done",
              grounds[i]);
        assert_status(0);
    }
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------- */

/* An 8 x 4 picture of two colours covers 8 x 8 pixels: its middle four columns, twice as large. */
START_TEST(pictures_cover_the_background)
{
    uint8_t pixels[4][8][3];
    mrw_bytes bytes = {0};
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 8; x++) {
            const uint8_t color[3] = {x < 4 ? 200 : 20, 90, x < 2 || x > 5 ? 255 : 7};
            memcpy(pixels[y][x], color, 3);
        }
    }
    const mrw_image image = {8, 4, 3, MRW_FORMAT_U8, pixels[0][0], NULL};
    ck_assert_int_eq(mrw_png_encode(&image, &bytes, NULL), MRW_OK);
    test_write("wide.png", bytes.data, bytes.size);
    mrw_bytes_free(&bytes);
    shell("marrow render " EMPTY " --size 8 --background wide.png -q -o a.png");
    assert_status(0);
    mrw_image got = read_image("a.png");
    for (uint32_t y = 0; y < 8;
         y++) { /* at the borders of what is seen: 3/4 and 1/4 of the light */
        check_at(&got, 1, y, 200, 90, 7, 0);
        check_at(&got, 2, y, 200, 90, 7, 0);
        check_at(&got, 5, y, 20, 90, 7, 0);
        check_at(&got, 6, y, 20, 90, 7, 0);
    }
    mrw_image_free(&got);
    shell("marrow render " EMPTY " --size 4 --background wide.png -q -o a.png");
    assert_status(0);
    got = read_image("a.png"); /* at its own size: columns 2 to 5 */
    for (uint32_t x = 0; x < 4; x++) {
        check_at(&got, x, 3, x < 2 ? 200 : 20, 90, 7, 0);
    }
    mrw_image_free(&got);
}
END_TEST

START_TEST(pictures_that_cannot_be_read)
{
    static const uint8_t huge[33] = {137, 'P', 'N', 'G', 13, 10,   26,   10, 0, 0,    0,    13, 'I',
                                     'H', 'D', 'R', 0,   0,  0x75, 0x30, 0,  0, 0x75, 0x30, 8,  2};
    shell("marrow render demo:blob --size 32 --background no.png -o f.png");
    assert_refused(3, "no.png: cannot open it");
    test_write("huge.png", huge, sizeof huge);
    shell("marrow render demo:blob --size 32 --background huge.png -o f.png");
    assert_refused(3, "huge.png: an image of 30000 x 30000 pixels is larger than allowed");
    shell(
        "marrow render demo:figure --size 200 -o e.png && marrow render demo:figure --size 200 -o "
        "e.jpg && marrow render demo:figure --size 200 -o e.webp");
    assert_status(0);
    for (int i = 0; i < 3; i++) {
        static const char *const endings[] = {"png", "jpg", "webp"};
        shell("head -c 3000 e.%s >cut.%s; "
              "marrow render demo:blob --size 32 --background cut.%s -o f.png",
              endings[i], endings[i], endings[i]);
        assert_refused(3, "cut.");
    }
    shell("echo hello >text.png; marrow render demo:blob --size 32 --background text.png -o f.png");
    assert_refused(3, "text.png: ");
    ck_assert(!exists("f.png"));
    shell("marrow render demo:blob --size 32 --background '#fff..' -o f.png");
    assert_refused(2, "a gradient has two colours");
    shell("marrow render demo:blob --size 32 --background '#fff..#000@wavy' -o f.png");
    assert_refused(2, "@vertical or @radial");
    ck_assert(!exists("f.png"));
}
END_TEST

START_TEST(pictures_are_not_overwritten)
{
    shell("marrow render demo:blob --size 32 -q -o bg.png && cp bg.png copy.png && "
          "marrow render demo:blob --size 32 --background bg.png -o bg.png");
    ck_assert_int_ne(status, 0);
    shell("cmp bg.png copy.png");
    assert_status(0);
}
END_TEST

/* A blank picture is one that shows its background alone, whatever that is. */
START_TEST(blank_pictures_warn)
{
    static const char *const grounds[] = {"red..blue", "red..blue@radial", "bg.png"};
    test_write_text("far.obj", "o Tank\nv -1 0 -1\nv 1 0 -1\nv 1 2 0\nv -1 2 0\nf 1 2 3 4\n"
                               "o Bullet\nv 0 -419 0\nv 0.1 -419 0\nv 0 -418.9 0\nf 5 6 7\n");
    shell("marrow render demo:figure --size 40 -q -o bg.png");
    assert_status(0);
    for (int i = 0; i < 3; i++) {
        shell("marrow render " EMPTY " --size 40 --background '%s' -o a.png", grounds[i]);
        assert_status(0);
        assert_said("1 picture shows nothing but the background");
        shell("marrow render " EMPTY " --size 40 --background '%s' --bits 16 -o a.png", grounds[i]);
        assert_said("1 picture shows nothing but the background");
        shell("marrow render demo:blob --size 40 --background '%s' -o a.png", grounds[i]);
        assert_status(0);
        ck_assert_msg(!strstr(err, "warning"), "%s", err);
        shell("marrow render far.obj --size 200 --background '%s' -o a.png", grounds[i]);
        assert_status(0);
        assert_said("shows less than 0.1 %");
    }
}
END_TEST

/* In a suite, a picture is found beside the suite, and a gradient is a value like others. */
START_TEST(suites)
{
    shell("mkdir s && marrow render demo:figure --size 40 -q -o s/bg.png");
    assert_status(0);
    test_write_text("s/a.suite.ini", "[defaults]\nmodel = demo:blob\nsize = 40\n"
                                     "background = white..gray\n[one]\n"
                                     "[two]\nbackground = bg.png, red..blue@radial, none\n"
                                     "[three]\nenv-background = on\nenv = studio\n"
                                     "env-blur = 0.3\n");
    shell("marrow test s --update && marrow test s");
    assert_status(0);
    shell("marrow render demo:blob --size 40 --background s/bg.png -q -o direct.png && "
          "marrow diff direct.png s/golden/a/two.bg.png/Emote_0000.png");
    assert_status(0);
    shell("marrow render demo:blob --size 40 --background red..blue@radial -q -o direct.png && "
          "marrow diff direct.png s/golden/a/two.red..blue_radial/Emote_0000.png");
    assert_status(0);
    shell("marrow render demo:blob --size 40 --env studio --env-background --env-blur 0.3 -q "
          "-o direct.png && marrow diff direct.png s/golden/a/three/Emote_0000.png");
    assert_status(0);
    test_write_text("s/b.suite.ini", "[a]\nmodel = demo:blob\nsize = 40\nbackground = white..\n");
    shell("marrow test s/b.suite.ini --update");
    assert_status(2);
    assert_said("a gradient has two colours");
}
END_TEST

/* ---- environments ---------------------------------------------------------------------------- */

/* The same light as a Radiance file gives: 0.5, 1 and 2 are exact in both. */
START_TEST(openexr_environments)
{
    static const float light[2 * 3] = {0.5f, 1.0f, 2.0f, 0.5f, 1.0f, 2.0f};
    static const char radiance[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n"
                                   "\x20\x40\x80\x82\x20\x40\x80\x82";
    const mrw_exr_channel channels[] = {{"R", MRW_FORMAT_F32, light, 12},
                                        {"G", MRW_FORMAT_F32, light + 1, 12},
                                        {"B", MRW_FORMAT_F32, light + 2, 12}};
    const mrw_exr_def def = {2, 1, channels, 3, NULL, 0};
    mrw_bytes bytes = {0};
    ck_assert_int_eq(mrw_exr_encode(&def, &bytes, NULL), MRW_OK);
    test_write("sky.exr", bytes.data, bytes.size);
    test_write("sky.hdr", radiance, sizeof radiance - 1);
    mrw_bytes_free(&bytes);
    shell("marrow render demo:blob --size 60 --env sky.exr --env-background -q -o a.png && "
          "marrow render demo:blob --size 60 --env sky.hdr --env-background -q -o b.png && "
          "cmp a.png b.png");
    assert_status(0);
}
END_TEST

START_TEST(openexr_files_that_are_no_environments)
{
    static const float bad[3] = {NAN, -0.25f, INFINITY};
    static const char *const words[] = {"pixel (3, 2) of the environment is not a finite number",
                                        "pixel (3, 2) of the environment is negative",
                                        "pixel (3, 2) of the environment is not a finite number"};
    for (int i = 0; i < 3; i++) {
        float light[5 * 4];
        mrw_bytes bytes = {0};
        for (int p = 0; p < 20; p++) {
            light[p] = p == 13 ? bad[i] : 1.0f;
        }
        const mrw_exr_channel channel = {"Y", MRW_FORMAT_F32, light, 4};
        const mrw_exr_def def = {5, 4, &channel, 1, NULL, 0};
        ck_assert_int_eq(mrw_exr_encode(&def, &bytes, NULL), MRW_OK);
        test_write("bad.exr", bytes.data, bytes.size);
        mrw_bytes_free(&bytes);
        shell("marrow render demo:blob --size 32 --env bad.exr -o f.png");
        assert_refused(3, words[i]);
        assert_said("bad.exr: ");
    }
    shell("marrow render demo:blob --size 32 --aov depth -q -o d.exr && "
          "marrow render demo:blob --size 32 --env d.exr -o f.png");
    assert_refused(3, "d.exr: its channels are Z, not R, G and B, or Y alone");
    shell(
        "marrow render demo:blob --size 200 --aov color -q -o c.exr && head -c 5000 c.exr >cut.exr "
        "&& marrow render demo:blob --size 32 --env cut.exr -o f.png");
    assert_refused(3, "cut.exr: the picture is damaged or cut off");
    ck_assert(!exists("f.png"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli backgrounds");
    TCase *tc = tcase_create("cli backgrounds");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, gradients_in_every_format);
    tcase_add_test(tc, radial_gradients);
    tcase_add_test(tc, sheets_have_a_background_per_picture);
    tcase_add_test(tc, passes);
    tcase_add_test(tc, threads_change_nothing);
    tcase_add_test(tc, pictures_cover_the_background);
    tcase_add_test(tc, pictures_that_cannot_be_read);
    tcase_add_test(tc, pictures_are_not_overwritten);
    tcase_add_test(tc, blank_pictures_warn);
    tcase_add_test(tc, suites);
    tcase_add_test(tc, openexr_environments);
    tcase_add_test(tc, openexr_files_that_are_no_environments);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
