/* test_cli_stream.c: frames to a pipe, videos, animations: what another program reads of them,
 * whoever ends first (signals: test_cli_signals.c). */
#include "cli_fixture.h"
#include "marrow/codecs.h"

/* Eight pictures, all of which differ. */
#define TRIANGLE "tri.gltf --size 32x20 --azimuth 90 --fit clip --frames 0-7"
#define BYTES    (32 * 20)

static bool have_ffmpeg(void)
{
    if (system("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1") == 0) {
        return true;
    }
    SKIP("no ffmpeg here");
    return false;
}

static char first[1 << 20], second[1 << 20];

static void assert_same(const char *a, const char *b)
{
    const size_t size = slurp(a, first, sizeof first);
    ck_assert_uint_gt(size, 0);
    ck_assert_uint_eq(slurp(b, second, sizeof second), size);
    ck_assert_msg(memcmp(first, second, size) == 0, "%s and %s differ", a, b);
}

/* ---- streams --------------------------------------------------------------------------------- */

START_TEST(rgba_is_the_pixels_of_files)
{
    write_plain_triangle();
    shell("marrow render " TRIANGLE " -q -o 'f{frame}.png' && marrow render " TRIANGLE
          " -o - --stream rgba >s.rgba");
    assert_status(0);
    assert_said("8 pictures of 32x20 in a stream, 30 per second, to standard output");
    ck_assert_uint_eq(slurp("s.rgba", first, sizeof first), 8 * 4 * BYTES);
    for (int i = 0; i < 8; i++) {
        char name[16];
        mrw_image image;
        snprintf(name, sizeof name, "f%d.png", i);
        ck_assert_int_eq(mrw_image_read(name, 4, &image, NULL), MRW_OK);
        ck_assert_mem_eq(first + i * 4 * BYTES, image.pixels, 4 * BYTES);
        mrw_image_free(&image);
    }
}
END_TEST

/* -o -.ENDING writes what a file of that name would hold. */
START_TEST(standard_output_in_every_format)
{
    static const char *const endings[] = {"png", "jpg", "tga",  "bmp", "qoi",
                                          "pam", "gif", "webp", "apng"};
    char command[400], name[2][20];
    write_plain_triangle();
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *frames = i < 6 ? "--time 0" : "";
        snprintf(name[0], sizeof name[0], "a.%s", endings[i]);
        snprintf(name[1], sizeof name[1], "b.%s", endings[i]);
        snprintf(command, sizeof command,
                 "marrow render tri.gltf --size 32x20 -q %s -o %s && "
                 "marrow render tri.gltf --size 32x20 -q %s -o -.%s >%s",
                 frames, name[0], frames, endings[i], name[1]);
        shell(command);
        assert_status(0);
        assert_same(name[0], name[1]);
    }
    shell("marrow render tri.gltf --size 32 -q --aov depth -o a.exr && "
          "marrow render tri.gltf --size 32 -q --aov depth -o -.exr >b.exr");
    assert_status(0);
    assert_same("a.exr", "b.exr");
    shell("marrow render tri.gltf -o -.mp4");
    assert_status(2);
    assert_said("a video needs to seek in its file");
    shell("marrow render tri.gltf -o -.xyz");
    assert_status(2);
    shell("marrow render tri.gltf -o - -o -.png --stream png; marrow bake tri.gltf -o -.obj");
    assert_status(2);
    assert_said("give -o a name that ends in .obj");
    shell("test ! -e -.obj && test ! -e -.png");
    assert_status(0);
}
END_TEST

/* Alpha is straight, as it is in files. */
START_TEST(rgba_has_alpha)
{
    mrw_image image;
    write_plain_triangle();
    shell("marrow render " TRIANGLE
          " -q --background none -o 'f{frame}.png' && marrow render " TRIANGLE
          " -q --background none -o - --stream rgba >s.rgba");
    assert_status(0);
    ck_assert_uint_eq(slurp("s.rgba", first, sizeof first), 8 * 4 * BYTES);
    ck_assert_int_eq(mrw_image_read("f7.png", 4, &image, NULL), MRW_OK);
    ck_assert_mem_eq(first + 7 * 4 * BYTES, image.pixels, 4 * BYTES);
    mrw_image_free(&image);
}
END_TEST

START_TEST(png_is_the_files)
{
    write_plain_triangle();
    shell("marrow render " TRIANGLE
          " -q -o 'f{frame}.png' && cat f?.png >all && marrow render " TRIANGLE
          " -q -o - --stream png >s");
    assert_status(0);
    assert_same("all", "s");
}
END_TEST

static const char *const rates[][2] = {
    {"30", "30:1"}, {"23.976", "24000:1001"}, {"25/2", "25:2"}, {"60000/1001", "60000:1001"}};

START_TEST(y4m_says_the_rate)
{
    char head[128];
    write_plain_triangle();
    shell("marrow render " TRIANGLE " -q --fps %s -o - --stream y4m >s.y4m", rates[_i][0]);
    assert_status(0);
    const int length =
        snprintf(head, sizeof head, "YUV4MPEG2 W32 H20 F%s Ip A1:1 C444 XCOLORRANGE=LIMITED\n",
                 rates[_i][1]);
    ck_assert_uint_eq(slurp("s.y4m", first, sizeof first), (size_t)length + 8 * (6 + 3 * BYTES));
    ck_assert_mem_eq(first, head, (size_t)length);
    for (int i = 0; i < 8; i++) {
        ck_assert_mem_eq(first + length + i * (6 + 3 * BYTES), "FRAME\n", 6);
    }
}
END_TEST

/* So many pictures a clip lie as far apart as they do where it is alone. */
START_TEST(y4m_of_several_clips)
{
    shell(
        "for c in Walk 'Walk --clip Run'; do marrow render demo:figure --clip $c --count 12 --size "
        "16 -q -o - --stream y4m | head -n 1; done | tee rates | uniq | wc -l; marrow render "
        "demo:figure demo:blob --count 12 --size 16 -q -o - --stream y4m | head -n 1 | "
        "cat rates - | uniq | wc -l");
    assert_status(0);
    ck_assert_str_eq(out, "1\n1\n");
}
END_TEST

/* What ffmpeg makes of 4:4:4 is the colour again, but for what rounding to fewer levels costs. */
START_TEST(y4m_as_ffmpeg_reads_it)
{
    if (!have_ffmpeg()) {
        return;
    }
    shell("marrow render demo:figure --size 96 --frames 0-4 -q -o - --stream rgba >a && "
          "marrow render demo:figure --size 96 --frames 0-4 -q -o - --stream y4m | ffmpeg -v error "
          "-i - -vf scale=in_color_matrix=bt709:flags=accurate_rnd+full_chroma_int+bitexact "
          "-f rawvideo -pix_fmt rgba b");
    assert_status(0);
    ck_assert_str_eq(err, "");
    const size_t size = slurp("a", first, sizeof first);
    ck_assert_uint_eq(size, 5 * 96 * 96 * 4);
    ck_assert_uint_eq(slurp("b", second, sizeof second), size);
    for (size_t i = 0; i < size; i++) {
        const int off = abs((uint8_t)first[i] - (uint8_t)second[i]);
        ck_assert_msg(off <= 3, "byte %zu is off by %d", i, off);
    }
}
END_TEST

/* In order, whatever the threads; what repeats is there as often as it is. */
START_TEST(threads_and_what_repeats)
{
    write_plain_triangle();
    shell("for j in 1 2 7; do marrow render tri.gltf --size 32x20 --wrap loop --frames 0-299 -q "
          "-j $j -o - --stream y4m >s$j || exit; done; cmp s1 s2 && cmp s1 s7");
    assert_status(0);
    shell("marrow render tri.gltf --size 32x20 --wrap loop --fps 10 --frames 0-19 -q -o - "
          "--stream rgba >a; head -c $((10 * 2560)) a >b; tail -c $((10 * 2560)) a >c; cmp b c");
    assert_status(0);
}
END_TEST

static const struct {
    const char *options, *part;
    int status;
} refused[] = {
    {"--stream y4m -o a.y4m", "--stream writes frames to standard output, not to 'a.y4m'; use -o -",
     2},
    {"--stream png", "--stream writes frames to standard output, not to files; use -o -", 2},
    {"--stream y4m -o - --background none", "--stream y4m: the format has no transparency", 2},
    {"--stream y4m -o - --json", "would both write to standard output", 2},
    {"--stream y4m -o - --sheet 2", "cannot be combined", 2},
    {"--stream y4m -o - --shard 1/2", "cannot be combined", 2},
    {"--stream y4m -o - --aov normal", "cannot be combined", 2},
    {"--stream y4m -o - --views front,top", "from only one view, not from 2", 2},
    {"--stream jpg -o -", "--stream 'jpg'", 2},
    {"--stream y4m -o - --bits 16", "only .png or .pam can have 16 bits", 2},
    {"-o a.mp4 --background none", "an .mp4 has no transparency", 2},
    {"-o a.mp4 --size 31x20", "use --size 32x20, or write a .webm", 2},
    {"-o a.mov --size 32x21", "use --size 32x22, or write a .webm", 2},
    {"-o a.mp4 --sheet 2", "a contact sheet is a picture", 2},
    {"-o {frame}.jpg --background none", "lay it over a colour with --matte", 2},
    {"-o a.jpg --sheet 2 --background none", "a .jpg has no alpha", 2},
    {"-o 'a{frame}.bmp' --bits 16", "only .png or .pam can have 16 bits", 2},
    {"-o 'a{frame}.jpg' --quality 0", "--quality '0'", 2},
    {"-o a.tif", "the name must end in .png, .jpg, .jpeg, .tga, .bmp, .qoi, .pam, .apng", 2},
    {"-o a.mp4 --shard 1/2", "cannot be split into shards", 2},
};

START_TEST(what_is_refused)
{
    write_plain_triangle();
    shell("marrow render tri.gltf --count 3 %s", refused[_i].options);
    assert_refused(refused[_i].status, refused[_i].part);
    ck_assert_int_eq(count_files("."), 3);
}
END_TEST

/* Nobody reads any more: one line, whichever the stream. */
START_TEST(a_closed_pipe)
{
    static const char *const streams[] = {"png", "y4m", "rgba"};
    write_plain_triangle();
    shell("{ marrow render tri.gltf --size 160 --wrap loop --frames 0-999 -o - --stream %s; echo "
          "$? >status; } "
          "| head -c 100 >/dev/null",
          streams[_i]);
    ck_assert_str_eq(err, "marrow: error: the stream was closed before its last picture: the "
                          "program that reads it has exited\n");
    shell("cat status");
    ck_assert_str_eq(out, "4\n");
}
END_TEST

START_TEST(a_full_disk)
{
    write_plain_triangle();
    shell("marrow render " TRIANGLE " -o - --stream rgba >/dev/full");
    assert_refused(4, "the stream could not be written completely: No space left on device");
}
END_TEST

/* ---- videos ---------------------------------------------------------------------------------- */

static const struct {
    const char *name, *file, *options, *codec, *format;
} videos[] = {{"a.mp4", "a.mp4", "--size 96x64", "h264", "yuv420p"},
              {"a.mov", "a.mov", "--size 96x64", "h264", "yuv420p"},
              {"a.webm", "a.webm", "--size 96x64", "vp9", "yuv420p"},
              {"a.mov", "a.mov", "--size 96x64 --background none", "prores", "yuva444p"},
              {"a.webm", "a.webm", "--size 97x63", "vp9", "yuv420p"},
              {"-a:%%03d 'b'.mp4", "-a:%03d 'b'.mp4", "--size 96x64", "h264", "yuv420p"},
              {"x{clip}.mp4", "xWalk.mp4", "--size 96x64 --clip Walk", "h264", "yuv420p"}};

/* What a file says of itself: exact rate, all pictures, what its numbers mean; neither program nor
 * time. */
START_TEST(videos_as_ffprobe_sees_them)
{
    if (!have_ffmpeg()) {
        return;
    }
    shell("marrow render demo:figure --fps 24000/1001 --frames 0-9 %s -v -o \"%s\"",
          videos[_i].options, videos[_i].name);
    assert_status(0);
    assert_said("marrow: runs ffmpeg -nostdin ");
    ck_assert_int_eq(count_files("."), 3);
    ck_assert_int_eq(rename(videos[_i].file, "got"), 0);
    shell("ffprobe -v error -count_frames -show_streams got");
    assert_status(0);
    const char *const lines[] = {"r_frame_rate=24000/1001\n", "nb_read_frames=10\n",
                                 "color_space=bt709\n", "color_primaries=bt709\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ck_assert_msg(strstr(out, lines[i]), "no %s in %s", lines[i], out);
    }
    ck_assert_msg(strstr(out, videos[_i].codec), "%s", out);
    ck_assert_msg(strstr(out, videos[_i].format), "%s", out);
    shell("grep -c -a -E 'Lavf[0-9]|Lavc[0-9]|x264 - core' got");
    ck_assert_str_eq(out, "0\n");
}
END_TEST

/* How far the last picture is from the one that was drawn, in levels, on the average. */
START_TEST(videos_show_the_pictures)
{
    static const struct {
        const char *name, *options, *input;
    } cases[] = {{"a.mp4", "", ""},
                 {"a.webm", "", ""},
                 {"a.mov", "--background none", ""},
                 {"a.webm", "--background none", "-c:v libvpx-vp9"}};
    double sum = 0.0;
    if (!have_ffmpeg()) {
        return;
    }
    shell("marrow render demo:figure --size 96 --frames 0-9 %s -q -o - --stream rgba >a && "
          "marrow render demo:figure --size 96 --frames 0-9 %s -q -o %s && ffmpeg -v error %s -i "
          "%s -f rawvideo -pix_fmt rgba b",
          cases[_i].options, cases[_i].options, cases[_i].name, cases[_i].input, cases[_i].name);
    assert_status(0);
    const size_t size = slurp("a", first, sizeof first);
    ck_assert_uint_eq(size, 10 * 96 * 96 * 4);
    ck_assert_uint_eq(slurp("b", second, sizeof second), size);
    for (size_t i = 0; i < size; i += 4) {
        const double alpha = (uint8_t)first[i + 3] / 255.0;
        for (size_t c = 0; c < 3; c++) {
            sum += alpha * abs((uint8_t)first[i + c] - (uint8_t)second[i + c]);
        }
        sum += abs((uint8_t)first[i + 3] - (uint8_t)second[i + 3]);
    }
    ck_assert_msg(sum / (double)size < 3.0, "%f levels", sum / (double)size);
}
END_TEST

/* ---- GIFs and WebPs -------------------------------------------------------------------------- */

/* Walk is 16/15 s long. GIFs have hundredths, and at most 50 pictures a second; WebPs have
 * thousandths. */
static const struct {
    const char *rate, *gif, *images;
    int webp;
} animations[] = {
    {"30", "33\n1.100000\n", " 33 images\n", 1100},
    {"24000/1001", "26\n1.080000\n", " 26 images\n", 1084},
    {"60", "54\n1.080000\n", " 54 images\n", 1083},
    {"7", "8\n1.140000\n", " 8 images\n", 1143},
};

START_TEST(animations_as_others_see_them)
{
    if (!have_ffmpeg()) {
        return;
    }
    shell("marrow render demo:figure --clip Walk --size 48 --fps %s -o a.gif", animations[_i].rate);
    assert_status(0);
    if (strcmp(animations[_i].rate, "60") == 0) {
        assert_said("a GIF plays at most 50 pictures per second; 11 of 65 are left out");
    }
    shell("ffprobe -v error -count_frames -show_entries stream=nb_read_frames:format=duration "
          "-of csv=p=0 a.gif");
    ck_assert_str_eq(out, animations[_i].gif);
    if (system("gifsicle --version >/dev/null 2>&1") == 0) {
        shell("gifsicle --info a.gif && ! gifsicle --info a.gif | grep -E 'delay 0.0[01]s'");
        assert_status(0);
        ck_assert_ptr_nonnull(strstr(out, animations[_i].images));
        ck_assert_ptr_nonnull(strstr(out, "loop forever\n"));
    }
    shell("marrow render demo:figure --clip Walk --size 48 --fps %s -q -o a.webp",
          animations[_i].rate);
    assert_status(0);
    if (system("webpinfo -version >/dev/null 2>&1") == 0) {
        shell("webpinfo a.webp | awk '/Duration/ {sum += $2} END {print sum}'");
        ck_assert_int_eq(atoi(out), animations[_i].webp);
    }
}
END_TEST

static size_t clear_pixels(const char *rgba)
{
    size_t count = 0;
    for (size_t i = 0; i < BYTES; i++) {
        count += rgba[4 * i + 3] == 0;
    }
    return count;
}

/* A triangle on clear ground that shrinks. */
START_TEST(gifs_as_ffmpeg_decodes_them)
{
#define SHRINKS                                                                                    \
    "tri.gltf --size 32x20 --azimuth 0 --fit clip --speed -1 --frames 0-29 --fps 30 --aa 1 "       \
    "--background none -q"
    if (!have_ffmpeg()) {
        return;
    }
    write_plain_triangle();
    shell("marrow render " SHRINKS " -o - --stream rgba >a && marrow render " SHRINKS
          " -o a.gif && ffmpeg -v error -i a.gif -f rawvideo -pix_fmt rgba b");
    assert_status(0);
    const size_t size = slurp("a", first, sizeof first), last = size - 4 * BYTES;
    ck_assert_uint_eq(size, 30 * 4 * BYTES);
    ck_assert_uint_lt(clear_pixels(first) + 20, clear_pixels(first + last));
    ck_assert_uint_eq(slurp("b", second, sizeof second), size);
    for (size_t i = 0; i < size; i += 4) {
        ck_assert_int_eq(first[i + 3], second[i + 3]);
        ck_assert(first[i + 3] == 0 || memcmp(first + i, second + i, 3) == 0);
    }
}
END_TEST

START_TEST(without_ffmpeg)
{
    write_plain_triangle();
    shell("PATH=/nowhere marrow render " TRIANGLE " -o a.mp4");
    assert_refused(77,
                   "cannot make a video: ffmpeg is not in PATH; install it (apt-get install "
                   "ffmpeg), or pipe the frames to it where it is installed: marrow render ... -o "
                   "- --stream y4m | ffmpeg -nostdin ");
    assert_said(" -y file:a.mp4");
    ck_assert_int_eq(count_files("."), 3);
    /* what lies in the current folder is not installed */
    shell("printf '#!/bin/sh\\ntouch was_here\\n' >ffmpeg; chmod +x ffmpeg; PATH=.:: marrow "
          "render " TRIANGLE " -o a.mp4");
    assert_refused(77, "ffmpeg is not in PATH");
    ck_assert(!exists("was_here"));
}
END_TEST

/* A program in the place of ffmpeg. */
static void put_program(const char *lines)
{
    FILE *file;
    ck_assert_int_eq(mkdir("bin", 0700), 0);
    file = fopen("bin/ffmpeg", "w");
    fprintf(file, "#!/bin/sh\n%s\n", lines);
    fclose(file);
    ck_assert_int_eq(chmod("bin/ffmpeg", 0700), 0);
}

static const char *const broken[][2] = {
    {"head -c 5000 >/dev/null; printf '[x @ 0x55aa] it broke\\nfor good\\n' >&2; exit 3",
     "a.mp4: ffmpeg failed (exit status 3): [x] it broke; for good; -v shows its command line"},
    {"echo no >&2; exit 1", "a.mp4: ffmpeg failed (exit status 1): no; -v shows its command line"},
    {"cat >/dev/null; exit 5", "a.mp4: ffmpeg failed (exit status 5); -v shows its command line"},
    {"kill -9 $$", "a.mp4: ffmpeg failed (signal 9); -v shows its command line"},
    {"cat >/dev/null", "a.mp4: ffmpeg succeeded, but its file is empty; -v shows its command line"},
    {"printf 'a\\033[31mb\\n' >&2; exit 1", "(exit status 1): a\\x1B[31mb;"}};

START_TEST(an_ffmpeg_that_fails)
{
    write_plain_triangle();
    put_program(broken[_i][0]);
    shell("PATH=$PWD/bin:$PATH marrow render tri.gltf --size 640 --frames 0-29 -o a.mp4");
    assert_refused(4, broken[_i][1]);
    ck_assert_int_eq(count_files("."), 4);
}
END_TEST

/* A parent that ignores SIGCHLD passes that on. */
START_TEST(where_children_are_not_waited_for)
{
    write_plain_triangle();
    put_program("for last; do :; done; cat >\"${last#file:}\"; exit $STATUS");
    shell("export PATH=$PWD/bin:$PATH; STATUS=1 env --ignore-signal=CHLD '%s' render " TRIANGLE
          " -q -o a.mp4",
          program);
    assert_refused(4, "a.mp4: ffmpeg failed (exit status 1)");
    ck_assert(!exists("a.mp4"));
    shell("export PATH=$PWD/bin:$PATH; STATUS=0 env --ignore-signal=CHLD '%s' render " TRIANGLE
          " -q -o a.mp4",
          program);
    assert_status(0);
    ck_assert(exists("a.mp4"));
}
END_TEST

/* A file that is there stays until the other is whole. */
START_TEST(a_file_that_is_there)
{
    write_plain_triangle();
    put_program("for last; do :; done; cat >\"${last#file:}\"; cp a.mp4 seen");
    shell("echo old >a.mp4; PATH=$PWD/bin:$PATH marrow render " TRIANGLE
          " -q -o a.mp4 && cat seen && marrow render " TRIANGLE
          " -q -o - --stream y4m | cmp - a.mp4");
    assert_status(0);
    ck_assert_str_eq(out, "old\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli stream");
    TCase *tc = tcase_create("cli stream");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, rgba_is_the_pixels_of_files);
    tcase_add_test(tc, standard_output_in_every_format);
    tcase_add_test(tc, rgba_has_alpha);
    tcase_add_test(tc, png_is_the_files);
    tcase_add_loop_test(tc, y4m_says_the_rate, 0, sizeof rates / sizeof *rates);
    tcase_add_test(tc, y4m_of_several_clips);
    tcase_add_test(tc, y4m_as_ffmpeg_reads_it);
    tcase_add_test(tc, threads_and_what_repeats);
    tcase_add_loop_test(tc, what_is_refused, 0, sizeof refused / sizeof *refused);
    tcase_add_loop_test(tc, a_closed_pipe, 0, 3);
    tcase_add_test(tc, a_full_disk);
    tcase_add_loop_test(tc, videos_as_ffprobe_sees_them, 0, sizeof videos / sizeof *videos);
    tcase_add_loop_test(tc, videos_show_the_pictures, 0, 4);
    tcase_add_loop_test(tc, animations_as_others_see_them, 0,
                        sizeof animations / sizeof *animations);
    tcase_add_test(tc, gifs_as_ffmpeg_decodes_them);
    tcase_add_test(tc, without_ffmpeg);
    tcase_add_loop_test(tc, an_ffmpeg_that_fails, 0, sizeof broken / sizeof *broken);
    tcase_add_test(tc, where_children_are_not_waited_for);
    tcase_add_test(tc, a_file_that_is_there);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
