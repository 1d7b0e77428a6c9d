/* test_cli_memory.c: --memory: what the command takes stays below it, or the command ends with
 * status 77 and no half file. Runs the program $MARROW (build/marrow when unset). */
#include "cli_fixture.h"

#include <inttypes.h>
#include <sys/resource.h>

/* What the manual says that marrow itself counts as. */
#define OWN UINT64_C(16777216)

/* The paths of files are counted, too, and so is the line of the command: the runs that are
 * compared differ by some characters. */
#define TEXTS UINT64_C(4096)

/* The most memory, in bytes, that the last command had resident. The system counts it for a child
 * with its own children. */
static uint64_t resident;

/* Runs a line as shell() does, in a child whose memory is measured. */
static void measure(const char *format, ...)
{
    char line[1024];
    struct rusage usage;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        shell("%s", line);
        _exit(status);
    }
    ck_assert_int_eq(wait4(child, &status, 0, &usage), child);
    ck_assert(WIFEXITED(status));
    status = WEXITSTATUS(status);
    slurp(".out", out, sizeof out);
    slurp(".err", err, sizeof err);
    resident = (uint64_t)usage.ru_maxrss * 1024;
}

/* Checks that the program has stayed within its limit. Sanitizers take more. */
static void assert_within(uint64_t limit)
{
#ifdef TEST_SANITIZED
    (void)limit;
#else
    ck_assert_msg(resident <= limit, "%" PRIu64 " bytes resident, allowed were %" PRIu64, resident,
                  limit);
#endif
}

/* Returns the most memory that the last command, with -v, counted. */
static uint64_t most_counted(void)
{
    static const char before[] = "most memory of the library: ";
    const char *at = strstr(err, before);
    ck_assert_msg(at, "%s", err);
    return strtoull(at + sizeof before - 1, NULL, 10);
}

/* Runs a command without a limit, with what it then took, and with 9, 5 and 1 tenths of that until
 * it is refused. It writes to the folder `out`, if anything. */
static void assert_bounded(const char *command, int threads)
{
    int others = 0;
    shell("rm -rf out same; mkdir out; marrow %s -j %d -v", command, threads);
    assert_status(0);
    const uint64_t most = most_counted(), room = threads > 1 ? most / 4 : 0;
    shell("mv out same; mkdir out");
    measure("marrow %s -j %d -q --memory %" PRIu64, command, threads, OWN + TEXTS + most + room);
    assert_status(0);
    assert_within(OWN + TEXTS + most + room);
    shell("diff -r out same && rm -rf out && mkdir out");
    assert_status(0);
    for (uint64_t tenths = 9; tenths > 0 && others == 0; tenths -= 4) {
        const uint64_t less = OWN + most / 10 * tenths;
        measure("marrow %s -j %d -q --json=answer.json --memory %" PRIu64, command, threads, less);
        assert_within(less);
        if (status == 0) { /* fewer threads met, or less was made ready for the next frame */
            shell("diff -r out same && rm -rf out && mkdir out");
            assert_status(0);
            continue;
        }
        char part[64];
        snprintf(part, sizeof part, "out of memory: --memory allows %" PRIu64 " bytes, ", less);
        assert_refused(77, part);
        slurp("answer.json", out, sizeof out);
        ck_assert_msg(strstr(out, "{\"error\": {\"status\": 77, \"reason\": \"memory\", "), "%s",
                      out);
        ck_assert_int_eq(count_files("out"), 0);
        others++;
    }
    ck_assert_int_eq(others, 1);
}

/* A picture of the environment, 8192 x 4096, in run lengths. */
static void write_environment(void)
{
    FILE *file = fopen("sky.hdr", "wb");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4096 +X 8192\n");
    for (int y = 0; y < 4096; y++) {
        static const unsigned char head[] = {2, 2, 32, 0};
        fwrite(head, 1, sizeof head, file);
        for (int channel = 0; channel < 4; channel++) {
            for (int left = 8192; left > 0;) {
                const int run = left < 127 ? left : 127;
                fputc(128 + run, file);
                fputc(channel == 3 ? 128 : 100 + y % 50, file);
                left -= run;
            }
        }
    }
    ck_assert_int_eq(fclose(file), 0);
}

static const char *const commands[] = {
    "render demo:figure --size 600x600 -o out/a.png",
    "render demo:blob --size 800x800 --aa 8 -o out/a.png",
    "render demo:figure --size 64 --subdivide 3 -o out/a.png",
    "render demo:blob --size 64 --subdivide 3 --displacement height.png:0.1 -o out/a.png",
    "render demo:blob --size 64 --env sky.hdr -o out/a.png",
    "render demo:figure --size 700x700 --aov color,depth,normal -o out/a.exr",
    "render demo:figure --size 200 --count 8 -o out/a.gif",
    "render demo:figure --size 200 --count 8 -o out/a.webp",
    "render demo:figure --size 200 --count 8 --quality 80 -o out/a.webp",
    "render demo:figure --size 200 --count 8 -o out/a.apng",
    "sheet demo:figure --size 100 --count 8 -o out/a.png",
    "sprites demo:figure --size 100 --count 8 --atlas out/a.json -o out/a.png",
    "diff large.png other.png --compare exact",
    "diff large.png other.png --compare perceptual",
};

/* Writes the files that a command names. */
static void write_inputs(const char *command)
{
    if (strstr(command, "height.png")) {
        shell("marrow render demo:blob --size 256 -o height.png -q");
        assert_status(0);
    }
    if (strstr(command, "large.png")) {
        shell("marrow render demo:figure --size 1000x1000 -o large.png -q && "
              "cp large.png other.png");
        assert_status(0);
    }
    if (strstr(command, "sky.hdr")) {
        write_environment();
    }
}

START_TEST(one_thread_is_bounded)
{
    write_inputs(commands[_i]);
    assert_bounded(commands[_i], 1);
}
END_TEST

/* Every second command, to save time. */
START_TEST(threads_are_bounded)
{
    write_inputs(commands[2 * _i]);
    assert_bounded(commands[2 * _i], 3);
}
END_TEST

/* Suites: the pictures that are drawn, and goldens. A case that lacks memory ends the run. */
START_TEST(suites_are_bounded)
{
    shell("printf '[a]\\nmodel = demo:blob\\nsize = 1200x1200\\n' >t.suite.ini && "
          "marrow test --update -q; marrow test -j 1 -v");
    assert_status(0);
    const uint64_t most = most_counted();
    measure("marrow test -j 1 -q --memory %" PRIu64, OWN + TEXTS + most);
    assert_status(0);
    assert_within(OWN + TEXTS + most);
    shell("find . -name '*.png' | xargs cat | cksum >before");
    measure("marrow test -j 1 -q --memory %" PRIu64, OWN + most / 2);
    assert_status(77);
    assert_said("--memory allows");
    assert_within(OWN + most / 2);
    shell("find . -name '*.png' | xargs cat | cksum | cmp - before");
    assert_status(0);
    shell("printf 'memory = 1G\\n' >>t.suite.ini; marrow test");
    assert_refused(2, "a suite must not allow itself more");
}
END_TEST

/* Limits that a picture or the program does not fit into are told before anything is drawn. */
START_TEST(small_limits)
{
    measure("marrow render demo:blob --size 16384x16384 --memory 200M -o a.png");
    assert_refused(77, "--memory allows 209715200 bytes, of which 16777216 are for the program");
    assert_within(UINT64_C(64) << 20);
    shell("marrow render demo:blob --memory 1 --size 1000x500 -o a.png");
    assert_refused(77, "--memory allows 1 bytes; marrow itself needs 16777216");
    assert_said("a picture of 1000x500 about 18388608 more: allow at least 35165824");
    shell("marrow render demo:blob --memory 35165824 --size 1000x500 -q -o b.png");
    assert_status(0);
    shell("marrow info demo:blob --memory 16M");
    assert_refused(77, "--memory allows 16777216 bytes");
    static const char *const wrong[] = {"0",         "-1",  "much", "9223372036854775808",
                                        "99999999T", "1.5G"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        shell("marrow render demo:blob --memory %s -o a.png", wrong[i]);
        assert_refused(2, "--memory");
    }
    ck_assert(!exists("a.png"));
}
END_TEST

/* Programs that marrow starts do not get the limit of the system that is behind --memory. */
START_TEST(videos_have_memory_of_their_own)
{
    shell(
        "mkdir bin; printf '#!/bin/sh\\nulimit -Sd >limit\\nexit 1\\n' >bin/ffmpeg; "
        "chmod +x bin/ffmpeg; ulimit -Hd >hard; "
        "PATH=$PWD/bin:$PATH marrow render demo:figure --size 64 --count 2 --memory 200M -o a.mp4; "
        "cmp limit hard");
    assert_status(0);
}
END_TEST

/* The helper may take as much as the program. */
START_TEST(imports_are_bounded)
{
    shell("printf 'v 0 0 0\\nv 1 0 0\\nv 0 1 0\\n' >a.obj; yes 'f 1 2 3' | head -n 400000 >>a.obj; "
          "marrow info a.obj -q");
    assert_status(0);
#ifndef TEST_SANITIZED /* whose address space has no limit */
    shell("marrow info a.obj -q --memory 80M");
    assert_refused(77, "out of memory");
    assert_said("allow more with --memory");
#endif
}
END_TEST

static Suite *suite(void)
{
#ifdef TEST_SANITIZED /* which takes long, and can't tell how much is resident */
    const int count = 4;
#else
    const int count = sizeof commands / sizeof *commands;
#endif
    Suite *s = suite_create("cli memory");
    TCase *tc = tcase_create("cli memory");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_loop_test(tc, one_thread_is_bounded, 0, count);
    tcase_add_loop_test(tc, threads_are_bounded, 0, count / 2);
    tcase_add_test(tc, suites_are_bounded);
    tcase_add_test(tc, small_limits);
    tcase_add_test(tc, videos_have_memory_of_their_own);
    tcase_add_test(tc, imports_are_bounded);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
