/* test_cli_view.c: `marrow view` as a user types it, without a window: what is saved is what the
 * line of `c` draws, to the byte; pictures that files of events expect; refusals. */
#include "cli_fixture.h"

#include <marrow/marrow.h>

static bool pauses = true; /* events begin with the key that stops what plays at start */

static void write_events(const char *events)
{
    FILE *file = fopen("events.txt", "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "marrow view 1\n%s%s\n", pauses ? "key space\n" : "", events);
    fclose(file);
}

/* Saves a picture and prints its line after the events; then the line's own picture is the same
 * file. */
static void assert_line_draws(const char *options, const char *events, const char *part)
{
    static int number;
    char text[2000], name[64];
    snprintf(text, sizeof text, "%s\nkey s\nkey c", events);
    snprintf(name, sizeof name, "out%d", ++number);
    write_events(text);
    shell("marrow view %s --play events.txt -o %s/ -q", options, name);
    assert_status(0);
    ck_assert_int_eq(count_files(name), 1);
    ck_assert_msg(strncmp(out, "marrow render ", 14) == 0, "%s", out);
    ck_assert_msg(strstr(out, part), "'%s' lacks '%s'", out, part);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(out, "\n"), out);
    shell("%s -o %s-line.png && cmp %s/*.png %s-line.png", text, name, name, name);
    ck_assert_msg(status == 0, "%s\n%s%s", text, out, err);
}

START_TEST(the_line_draws_the_picture)
{
    const char *figure = "demo:figure --size 160x120";
    assert_line_draws(figure, "", "--fit clip");
    assert_line_draws(figure,
                      "press left 80 60\nmove 110 70\nmove 130 50\nrelease left 130 50\n"
                      "scroll 2\nkey space\ntick 300000",
                      "--eye ");
    assert_line_draws(figure, "key 5\npress middle 80 60\nmove 70 20\nscroll -3", "--view-height ");
    assert_line_draws(figure, "key 9\nkey pagedown\nkey ]\nkey ]", "--elevation 35.26439");
    assert_line_draws(figure, "key 7\nkey end\nkey k\nkey h", "--elevation 90");
    assert_line_draws("demo:figure --size 160x120 --margin 0.05",
                      "press left 80 40\nrelease left 80 40", "--shading weights:neck");
    assert_line_draws("demo:figure --size 160x120 --look post --no-ao", "", "--ao=off");
    assert_line_draws("demo:figure --size 160x120",
                      "key shift+k\nkey shift+k\nkey shift+k\n"
                      "key shift+k",
                      "--shading unlit");
    assert_line_draws("demo:figure --size 160x120 --look hero", "key shift+g\nkey shift+o",
                      "--ground=off");
    assert_line_draws(figure, "key m\nkey m\nkey v", "--shading channel:base");
    assert_line_draws("demo:stage --size 160x120 --camera 0", "key .", "--camera 0");
    assert_line_draws("demo:stage --size 160x120 --camera 0", "scroll 1\nkey .\nkey .", "--fov ");
    assert_line_draws("demo:figure --size 160x120 --ground '#345' --exposure 1.5 --aa 8",
                      "key .\nscroll 3\nkey pagedown", "'--ground=#345'");
    assert_line_draws("demo:blob --size 160x120 --ground=red", "key .", "--ground=red ");
    assert_line_draws("demo:figure --size 160x120 --shadows --exposure 1.5 --background none",
                      "key n\nscroll 1", "--background none");
    assert_line_draws("demo:figure --size 160x120 --blend Walk:0.7,Run:0.3 --sync",
                      "scroll 1\nkey .\nkey .\nkey .", "--blend Walk:0.7,Run:0.3");
    assert_line_draws("demo:figure --size 160x120 --add demo:blob --follow Hat",
                      "key .\nscroll 1\nkey .\nscroll 1\nkey .", "--follow Hat");
    assert_line_draws("demo:figure --size 160x120 --pose bind", "scroll -1\nkey .", "--pose bind");
    write_two_triangles();
    assert_line_draws("tri.gltf --size 160x120", "key .\nscroll 1\nkey t\nkey ]", "--clip all");
    assert_line_draws("demo:figure --size 160x120",
                      "key shift+b\nkey space\ntick 900000\nkey pagedown\ntick 100000",
                      "--blend Walk:0.6666667,Run:0.33333334 --wrap loop");
    /* the same key again: what was shown before, not lit */
    assert_line_draws("demo:figure --size 160x120 --shading clay", "key w\nkey w",
                      "--shading clay");
    assert_line_draws("demo:figure --size 160x120 --shading clay", "key w\nkey n\nkey n",
                      "--shading clay");
    assert_line_draws("demo:figure --size 160x120 --shading clay", "key w\nkey n",
                      "--shading normal");
    assert_line_draws("demo:figure --size 160x120 --shadows",
                      "key ctrl+l\npress ctrl+left 80 60\nmove 40 90\nrelease left 40 90",
                      "--light default --light directional:dir=");
    assert_line_draws("demo:figure --size 160x120 --light 'point:pos=0.5,2,1,intensity=9@node:Hat'",
                      "key .\nkey shift+l\npress ctrl+left 80 60\nmove 40 90\nscroll 1",
                      "intensity=9@node:Hat ");
    assert_line_draws("demo:figure --size 160x120 --eye 1,2,4 --target 0,0.8,0 -j2 --isa scalar",
                      "key .", "--eye 1,2,4");
}
END_TEST

START_TEST(pictures_are_expected)
{
    write_events("key .\nexpect one.png\nkey h\nexpect two.png");
    shell("marrow view demo:blob --size 120x90 --play events.txt");
    assert_refused(3, "events.txt:4: ");
    shell("marrow view demo:blob --size 120x90 --play events.txt -o ./");
    assert_status(0);
    assert_png("one.png", 120, 90, 2);
    shell("cmp -s one.png two.png");
    assert_status(1);
    shell("mkdir there && mv events.txt *.png there");
    shell("marrow view demo:blob --size 120x90 --play there/events.txt");
    assert_status(0);
    shell("cp there/one.png there/two.png && "
          "marrow view demo:blob --size 120x90 --play there/events.txt");
    assert_status(1);
    assert_said("there/two.png: the picture that is shown differs from it");
    shell("marrow view demo:blob --size 120x91 --play there/events.txt -q");
    assert_status(1);
}
END_TEST

/* Columns of two pictures, from below names to above messages and the line of time. */
static bool same_below(uint32_t top, const char *a, int from_a, const char *b, int from_b,
                       int count)
{
    mrw_image one = {0}, two = {0};
    bool same = true;
    ck_assert_int_eq(mrw_image_read(a, 3, &one, NULL), MRW_OK);
    ck_assert_int_eq(mrw_image_read(b, 3, &two, NULL), MRW_OK);
    ck_assert_uint_eq(one.width, two.width);
    for (uint32_t y = top; y < 180; y++) {
        same = same && memcmp(one.pixels + 3 * ((size_t)y * one.width + (size_t)from_a),
                              two.pixels + 3 * ((size_t)y * two.width + (size_t)from_b),
                              3 * (size_t)count) == 0;
    }
    mrw_image_free(&one);
    mrw_image_free(&two);
    return same;
}

static bool same_columns(const char *a, int from_a, const char *b, int from_b, int count)
{
    return same_below(40, a, from_a, b, from_b, count);
}

/* Two models: what `render` draws of each with one camera, at one time. */
START_TEST(two_models_in_one_window)
{
    char line[2000], *model;
    write_events("key .\nkey .\nscroll 1\nkey z\nexpect sides.png\nkey z\nmove 150 9\n"
                 "expect swipe.png\nkey z\nexpect blink.png\ntick 500000\nexpect blunk.png\n"
                 "key z\nexpect difference.png\nkey z\nexpect alone.png\nkey c");
    shell("marrow view demo:figure demo:tentacle --size 320x240 --play events.txt -o ./ -q");
    assert_status(0);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(out, "\n"), out);
    model = strstr(line, "demo:figure --clip Walk");
    ck_assert_ptr_nonnull(model);
    shell("%s -o a.png", line);
    assert_status(0);
    memcpy(model, "demo:tentacle          ", 23);
    shell("%s -o b.png", line);
    assert_status(0);
    ck_assert(!same_columns("a.png", 0, "b.png", 0, 320));
    ck_assert(same_columns("sides.png", 0, "a.png", 80, 159)); /* then the border */
    ck_assert(same_columns("sides.png", 161, "b.png", 81, 159));
    ck_assert(same_columns("swipe.png", 0, "a.png", 0, 149));
    ck_assert(same_columns("swipe.png", 151, "b.png", 151, 169));
    ck_assert(same_columns("blink.png", 0, "a.png", 0, 320));
    ck_assert(same_columns("blunk.png", 0, "b.png", 0, 320));
    ck_assert(same_columns("alone.png", 0, "a.png", 0, 320));
    ck_assert(!same_columns("difference.png", 0, "alone.png", 0, 320));
}
END_TEST

/* A kept clip: itself is no different, another is; a model that is not there is told of. */
START_TEST(a_clip_that_was_kept)
{
    write_events(
        "key .\nkey shift+z\nkey z\nkey z\nkey z\nkey z\ntick 5000000\nkey s\nexpect same.png\n"
        "key pagedown\nexpect other.png\nkey pageup\nkey .\nexpect again.png");
    shell("marrow view demo:figure --size 320x240 --play events.txt -o ./ -q");
    assert_status(0);
    shell("marrow render demo:figure --size 320x240 --background '#000' --shading raw --pose bind "
          "--eye 0,0,9 --target 0,0,99 --near 1 --far 2 -o black.png");
    assert_status(0);
    ck_assert(same_columns("same.png", 0, "black.png", 0, 320));
    ck_assert(!same_columns("other.png", 0, "black.png", 0, 320));
    ck_assert(same_columns("again.png", 0, "black.png", 0, 320));
    write_events("tick 1\nexpect one.png\nkey z\ntick 5000000\nexpect two.png");
    shell("marrow view demo:figure none.gltf --size 320x240 --play events.txt -o ./");
    assert_status(0);
    assert_said("none.gltf");
    ck_assert(same_columns("one.png", 0, "two.png", 0, 320));
}
END_TEST

/* Cases that `g` has added are cases: they run, and their goldens are the pictures. */
START_TEST(cases_of_suites)
{
    write_plain_triangle();
    write_events("key .\nkey g\nscroll 1\nkey g\nkey pagedown\nkey 5\nkey g\nkey s");
    shell("marrow view tri.gltf --size 64x48 --rotate 0,20,0 --light "
          "directional:dir=0,-1,-1,intensity=2 --play events.txt -o out/");
    assert_status(0);
    shell("marrow test --list");
    assert_status(0);
    ck_assert_msg(strstr(out, "Go_1") && strstr(out, "Go_1_2") && strstr(out, "Back_0"), "%s", out);
    shell("marrow test --update && marrow test");
    assert_status(0);
    ck_assert_int_eq(count_files("out"), 1);
    shell("marrow diff out/tri_Back_0000.png $(find . -path '*golden*Back_0*.png')");
    assert_status(0);
}
END_TEST

/* What a suite can't hold is refused, and leaves the suite as it was. */
START_TEST(suites_that_stay_whole)
{
    char lights[600] = "";
    for (int i = 0; i < 4; i++) {
        const size_t used = strlen(lights);
        snprintf(lights + used, sizeof lights - used,
                 " --light spot:pos=1.25,2.5,%d,dir=0.25,-1,0.5,intensity=7.5,outer=33", i);
    }
    write_plain_triangle();
    write_events("key g");
    shell("marrow view tri.gltf --size 64x48 --ground --shadows --play events.txt && "
          "marrow view tri.gltf --size 64x48 --ground='#123' --fit clip --margin 0.1 --play "
          "events.txt && cp tri.suite.ini before");
    assert_status(0);
    shell("marrow view tri.gltf --size 64x48%s --play events.txt", lights);
    assert_said("a suite cannot contain --light");
    shell("cmp tri.suite.ini before && marrow test --update && marrow test");
    assert_status(0);
}
END_TEST

/* Of a line of `render` counts what is seen: not what is written, nor where. */
START_TEST(lines_that_write)
{
    write_plain_triangle();
    write_events("paste marrow render tri.gltf --clip Back --frames 12-20 --force --dry-run --json "
                 "--bits 16 --png best --shard 1/3 --size 64x48 -o none.png\nkey c\nkey s");
    shell("marrow view demo:blob --play events.txt -o out/ -q");
    assert_status(0);
    ck_assert_str_eq(out, "marrow render tri.gltf --clip Back --size 64x48 --shading lit --times "
                          "0.4 --fit clip\n");
    assert_png("out/tri_Back_0012.png", 64, 48, 2);
}
END_TEST

/* --frames is where a clip begins, and what of it plays; --wrap, what comes then. */
START_TEST(ranges_of_frames)
{
    write_plain_triangle();
    write_events("key c\nkey end\nkey c\nkey space\ntick 33334\nkey c");
    shell("marrow view tri.gltf --size 64x48 --frames 6-12x2 --play events.txt -q | "
          "grep -o 'times [^ ]*' | paste -s");
    ck_assert_str_eq(out, "times 0.2\ttimes 0.4\ttimes 0.2\n");
    shell("marrow view tri.gltf --size 64x48 --frames 6-12 --wrap pingpong --play events.txt -q | "
          "grep -o 'times [^ ]*' | paste -s");
    ck_assert_str_eq(out, "times 0.2\ttimes 0.4\ttimes 0.36666666666666664\n");
    shell("marrow view tri.gltf --size 64x48 --frames 6 --wrap clamp --play events.txt -q | "
          "grep -o 'times [^ ]*' | paste -s");
    ck_assert_str_eq(out, "times 0.2\ttimes 1\ttimes 0.03333333333333333\n");
    shell("marrow view tri.gltf --size 64x48 --frames 6-40 --play events.txt -q");
    assert_refused(3, "frame 31");
    assert_line_draws("demo:figure --size 160x120 --root-motion loop --wrap loop --frames 3",
                      "key .\nscroll 1\nkey .", "--root-motion loop --wrap loop ");
}
END_TEST

/* A folder of results: failures one after the other, each at its frame, camera and size, between
 * what is drawn now and its golden; what is accepted passes. */
START_TEST(failures_of_a_run)
{
    pauses = false; /* a failure stands still */
    write_plain_triangle();
    shell("printf '[defaults]\nmodel = tri.gltf\nsize = 790x300\n[front]\nclip = Go\nframes = "
          "0-1\n[side]\nazimuth = 70\nclip = Back\ntime = 0.5\n[same]\n' >tri.suite.ini && "
          "marrow test --update && sed -i 's/^clip/shading = clay\\nclip/' tri.suite.ini");
    assert_status(0);
    shell("marrow test");
    assert_status(1);
    write_events("key c\nkey s\nmove 480 9\nexpect swipe.png\nkey n\nkey n\nkey c\nkey s\nkey z\n"
                 "tick 500000\nexpect golden.png\nkey n\nkey c\nkey p\nkey a\nkey a");
    shell("marrow view results --play events.txt -o out/ -q && cat out/*.png >/dev/null");
    assert_status(0);
    const char *first = strstr(out, "marrow render"), *third = strstr(first + 1, "marrow render");
    const char *again = strstr(third + 1, "marrow render");
    ck_assert_msg(strstr(first, "tri.gltf --clip Go --size 790x300 --shading clay --times 0 "),
                  "%s", first);
    ck_assert_msg(strstr(third, "--clip Back --size 790x300 --shading clay --times 0.5 "), "%s",
                  third);
    ck_assert_ptr_nonnull(strstr(third, "--azimuth 70"));
    const size_t length = strcspn(first, "\n");
    ck_assert_msg(strncmp(first, again, length) == 0, "%s", again); /* round and round */
    ck_assert_msg(strstr(out, "tri/side/Back_0000: "), "%s", out);
    shell("f=results/tri; marrow diff out/tri_Go_0000.png $f/front/Go_0000.png && "
          "marrow diff out/tri_Back_0015.png $f/side/Back_0000.png");
    assert_status(0);
    ck_assert(same_below(50, "out/swipe.png", 0, "out/tri_Go_0000.png", 0, 479));
    ck_assert(
        same_below(50, "out/swipe.png", 481, "results/tri/front/Go_0000.expected.png", 481, 309));
    ck_assert(
        same_below(50, "out/golden.png", 0, "results/tri/side/Back_0000.expected.png", 0, 790));
    shell("marrow test -k side");
    assert_status(0);
    shell("marrow test -k front");
    assert_status(1);
    write_events("key a\nkey n\nkey a");
    shell("CI=1 marrow view results --play events.txt");
    assert_said("CI is set");
    shell("marrow test --update >/dev/null; marrow view results --play events.txt");
    assert_refused(3, "no case failed");
    shell("mkdir none; marrow view none --play events.txt");
    assert_refused(3, "results.json");
}
END_TEST

/* The pixel of a picture in a window, `scale` times as large, whose first pixel is at left, top. */
static void assert_enlarged(const char *window, const char *picture, uint32_t scale, int left,
                            int top, const int from[2], const int to[2])
{
    mrw_image big = {0}, small = {0};
    ck_assert_int_eq(mrw_image_read(window, 3, &big, NULL), MRW_OK);
    ck_assert_int_eq(mrw_image_read(picture, 3, &small, NULL), MRW_OK);
    for (int y = from[1]; y < to[1]; y++) {
        for (int x = from[0]; x < to[0]; x++) {
            const size_t at =
                (size_t)((y - top) / (int)scale) * small.width + (size_t)((x - left) / (int)scale);
            ck_assert_mem_eq(big.pixels + 3 * ((size_t)y * big.width + (size_t)x),
                             small.pixels + 3 * at, 3);
        }
    }
    mrw_image_free(&big);
    mrw_image_free(&small);
}

/* Small pictures fill a window of at least 640 pixels in whole pixels; both stay when it is
 * resized, and where one is missing the window says so. */
START_TEST(small_failures)
{
    pauses = false;
    static const char golden[] = "results/tri/front/Go_0000.expected.png";
    static const char now[] = "results/tri/front/Go_0000.png";
    write_plain_triangle();
    shell("printf '[defaults]\nmodel = tri.gltf\nsize = 160x120\n[front]\nclip = Go\ntimes = 0\n' "
          ">tri.suite.ini && marrow test --update -q && sed -i 's/^clip/shading = clay\\nclip/' "
          "tri.suite.ini && marrow test -q");
    assert_status(1);
    write_events("move 320 200\nexpect a.png\nresize 1000 800\nmove 20 200\nexpect b.png\nresize "
                 "100 90\nexpect c.png");
    shell("marrow view results --play events.txt -o out/ -q");
    assert_status(0);
    assert_png("out/a.png", 640, 480, 2);
    assert_png("out/b.png", 1000, 800, 2);
    assert_png("out/c.png", 100, 90, 2);
    assert_enlarged("out/a.png", now, 4, 0, 0, (int[]){0, 120}, (int[]){310, 400});
    assert_enlarged("out/a.png", golden, 4, 0, 0, (int[]){330, 120}, (int[]){640, 400});
    assert_enlarged("out/b.png", golden, 6, 20, 40, (int[]){30, 160}, (int[]){980, 700});
    shell("marrow view results --size 800x300 --play events.txt -o size/ -q");
    assert_status(0);
    assert_png("size/a.png", 800, 300, 2);
    assert_enlarged("size/a.png", now, 2, 240, 30, (int[]){240, 100}, (int[]){310, 200});
    write_events("key z\nkey z\nexpect a.png");
    shell("rm -r golden && marrow test -q; marrow view results --play events.txt -o none/");
    assert_status(0);
    assert_said("there is no golden picture");
}
END_TEST

START_TEST(refusals)
{
    write_events("key .");
    shell("marrow view demo:blob --play none.txt");
    assert_refused(3, "none.txt: No such file");
    shell("echo 'tick 1' >wrong.txt; marrow view demo:blob --play wrong.txt");
    assert_refused(3, "wrong.txt:1: its first line is not 'marrow view 1'");
    write_events("# a comment\n\nkey nokey");
    shell("marrow view demo:blob --play events.txt");
    assert_refused(3, "events.txt:5: 'key nokey' is not an event");
    shell("marrow view none.gltf --play events.txt");
    assert_refused(3, "none.gltf");
    shell("marrow view demo:blob --play events.txt -o out.png");
    assert_refused(2, "end its name with '/'");
    shell("marrow view demo:blob --play events.txt --record more.txt");
    assert_refused(2, "--record");
    write_plain_triangle();
    shell("marrow view tri.gltf --record tri.gltf");
    assert_refused(2, "--record");
    shell("marrow view demo:blob --count 3 --play events.txt");
    assert_refused(2, "--count");
    shell("marrow view");
    assert_refused(2, "MODEL");
    shell("unset DISPLAY "
          "WAYLAND_DISPLAY; marrow view demo:blob");
    assert_refused(77, "view --play");
}
END_TEST

/* --help lists the keys that the viewer goes by. */
START_TEST(help_lists_the_keys)
{
    shell("marrow view --help");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "Keys: Camera\n  Left drag "));
    ck_assert_ptr_nonnull(strstr(out, "\n  Page Up  Page Down            previous, next clip\n"));
    ck_assert_ptr_nonnull(strstr(out, "--exit-after N"));
    ck_assert_ptr_nonnull(strstr(out, "--shading "));
    ck_assert_ptr_null(strstr(out, "--count "));
}
END_TEST

/* What a user sees first: it plays, and says what a few keys do until one is pressed. */
START_TEST(it_plays_at_start)
{
    pauses = false;
    write_plain_triangle();
    write_events("tick 100000\nkey c");
    shell("marrow view tri.gltf --size 320x240 --play events.txt -q");
    assert_status(0);
    ck_assert_msg(strstr(out, " --times 0.1 "), "%s", out);
    /* a time that is asked for stays */
    write_events("expect 0.png\ntick 100000\nexpect 1.png\nkey 2\nexpect 2.png\nkey c");
    shell("marrow view tri.gltf --size 320x240 --time 0.5 --play events.txt -o out/ -q");
    assert_status(0);
    ck_assert_msg(strstr(out, " --times 0.5 "), "%s", out);
    shell("cmp out/0.png out/1.png");
    assert_status(0);
    shell("cmp -s out/0.png out/2.png");
    assert_status(1);
    assert_png("out/2.png", 320, 240, 2);
}
END_TEST

/* What was taken away comes back as it was given. */
START_TEST(looks_come_back)
{
    write_events("key shift+g\nkey c\nkey shift+g\nkey shift+n\nkey c\nkey shift+n\nkey c\n"
                 "key shift+p\nkey c\nkey u\nkey shift+o\nkey c");
    shell("marrow view demo:blob --size 64x48 --ground=red --env studio --background '#123' "
          "--overlay skeleton,axes --play events.txt");
    assert_status(0);
    const char *end = strchr(out, '\n');
    ck_assert(!memmem(out, (size_t)(end - out), "--ground", 8));
    ck_assert_ptr_nonnull(strstr(end, "--env none "));
    ck_assert_ptr_nonnull(strstr(end, "--ground=red "));
    ck_assert_ptr_nonnull(strstr(end, "--env studio "));
    ck_assert_ptr_nonnull(strstr(end, "--background white "));
    ck_assert_ptr_nonnull(strstr(end, "--overlay skeleton,axes "));
    const char *last = strstr(end, "--shading unlit");
    ck_assert_msg(last && !strstr(last, "--ao"), "%s", out);
    assert_said("ambient occlusion: on (--shading unlit does not use it)");
}
END_TEST

/* The environment behind the model gives way to a background, and comes back. Looks of a line that
 * was pasted are its own. */
START_TEST(looks_of_lines)
{
    write_events("key shift+p\nkey c\nkey shift+p\nkey shift+p\nkey shift+p\nkey shift+p\nkey c\n"
                 "key shift+t\nkey shift+o\nkey shift+o\n"
                 "paste marrow render demo:blob --tonemap neutral --size 64x48\n"
                 "key shift+t\nkey c\nkey shift+t\nkey shift+t\nkey c");
    shell(
        "marrow view demo:blob --size 64x48 --env-background --env-blur 0.3 --play events.txt -q | "
        "grep -o -e '--env-bl[^ ]* [^ ]*' -e '--env-background' -e '--background [^ ]*' "
        "-e '--tonemap [^ ]*'");
    assert_status(0);
    ck_assert_str_eq(out, "--background white\n--env-background\n--env-blur 0.3\n"
                          "--tonemap aces\n--tonemap neutral\n");
}
END_TEST

/* Says what the keys do to a picture of demo:blob, message by message. */
static void messages_of(const char *options, const char *events)
{
    write_events(events);
    shell("marrow view demo:blob --size 64x48 %s --play events.txt 2>&1 | sed 's/^marrow: //'",
          options);
    assert_status(0);
}

/* Keys say what is so, whatever the command line has said. */
START_TEST(looks_at_the_edges)
{
    messages_of("--ground=off", "key shift+g\nkey shift+g\nkey shift+g");
    ck_assert_str_eq(out, "ground: on\nground: off\nground: on\n");
    messages_of("--ground", "key shift+h\nkey shift+g\nkey shift+h\nkey shift+h");
    ck_assert_str_eq(out, "shadows: on, as long as there is a ground\nground: off\nshadows: on\n"
                          "shadows: off\n");
    messages_of("--overlay 'axes, grid'", "key shift+y\nkey shift+y");
    ck_assert_str_eq(out, "grid: off\ngrid: on\n");
    messages_of("--exposure 100", "key shift+=\nkey shift+-");
    ck_assert_str_eq(out, "exposure: 100\nexposure: 16\n");
    messages_of("--exposure 0.01", "key shift+-\nkey shift+=");
    ck_assert_str_eq(out, "exposure: 0.01\nexposure: 0.062\n");
    messages_of("--exposure 1.5", "key shift+-");
    ck_assert_str_eq(out, "exposure: 1.4\n");
    messages_of("", "key shift+]\nkey shift+n\nkey shift+n\nkey shift+]");
    ck_assert_str_eq(out, "environment: turned by 15 degrees\nenvironment: studio\n"
                          "environment: none\nenvironment: none to turn\n");
}
END_TEST

/* A background that comes back comes back in both of two pictures. */
START_TEST(looks_of_two)
{
    write_events("key shift+z\nkey shift+p\nkey z\nkey shift+p\nkey shift+p\nkey shift+p\n"
                 "key shift+p\nkey z\nkey z\nkey z\ntick 9000000\nexpect two.png");
    shell("marrow view demo:blob --size 320x200 --env studio --env-background --play events.txt "
          "-o out/ -q");
    assert_status(0);
    mrw_image image = {0};
    ck_assert_int_eq(mrw_image_read("out/two.png", 3, &image, NULL), MRW_OK);
    for (uint32_t y = 60; y < 150; y++) { /* below the names, above the line of time */
        for (size_t i = 0; i < 3 * (size_t)image.width; i++) {
            ck_assert_uint_eq(image.pixels[3 * (size_t)y * image.width + i], 0);
        }
    }
    mrw_image_free(&image);
}
END_TEST

/* ---- every key ------------------------------------------------------------------------------- */

/* What events do: a part of the line of `c` that was not there before; "~": another line; "!": the
 * same line; NULL: another picture; ".": nothing follows, it has left. */
typedef struct step {
    const char *events, *shows;
} step;

#define MOST_STEPS 8

/* A row of the table of keys, by its first column, and what its keys do one after the other. */
static const struct {
    const char *keys;
    step steps[MOST_STEPS]; /* none: failures_of_a_run */
} rows[] = {
    {"Left drag", {{"press left 30 20\nmove 40 30\nrelease left 40 30", "--eye "}}},
    {"Shift+left, middle drag",
     {{"press shift+left 10 10\nmove 30 10\nrelease left 30 10", "--eye "},
      {"press middle 10 10\nmove 10 30\nrelease middle 10 30", NULL}}},
    {"Wheel, right drag",
     {{"scroll 2", "--eye "}, {"press right 9 9\nmove 9 29\nrelease right 9 29", NULL}}},
    {"=  -", {{"key =", "--eye "}, {"key -\nkey -", NULL}}},
    {"f", {{"scroll 1", "--eye "}, {"key f", "--fit clip"}}},
    {"1  Shift+1", {{"key 1", "--azimuth 0 "}, {"key shift+1", "--azimuth 180 "}}},
    {"3  Shift+3", {{"key 3", "--azimuth 90 "}, {"key shift+3", "--azimuth -90 "}}},
    {"7  Shift+7", {{"key 7", "--elevation 90 "}, {"key shift+7", "--elevation -90 "}}},
    {"9", {{"key 9", "--azimuth 45 "}}},
    {"5", {{"key 5", "--ortho "}, {"key 5", "--fov "}}},
    {"Shift+w a s d q e",
     {{"key shift+w\ntick 100000\nup w", "--eye "},
      {"key shift+a\ntick 100000\nup a", NULL},
      {"key shift+s\ntick 100000\nup s", NULL},
      {"key shift+d\ntick 100000\nup d", NULL},
      {"key shift+q\ntick 100000\nup q", NULL},
      {"key shift+e\ntick 100000\nup e", NULL}}},
    {"Shift+f",
     {{"key shift+f\nkey w\ntick 100000\nup w", "--eye "},
      {"press left 30 20\nmove 40 30\nrelease left 40 30", NULL}}},
    {"-  =",
     {{"key shift+f\nkey =\nkey w\ntick 100000\nup w\ntick 9000000", "--eye "},
      {"key -\nkey -\ntick 9000000", NULL}, /* the line that tells how fast */
      {"key w\ntick 100000\nup w", "~"}}},
    {"w a s d q e  Esc",
     {{"key shift+f\nkey w\ntick 100000\nup w", "--eye "},
      {"key a\ntick 100000\nup a", NULL},
      {"key s\ntick 100000\nup s", NULL},
      {"key d\ntick 100000\nup d", NULL},
      {"key q\ntick 100000\nup q", NULL},
      {"key e\ntick 100000\nup e", NULL},
      {"key escape\nkey w", "--shading wire "}}},
    {"Space", {{"key space\ntick 100000", "--times 0.1 "}, {"key space\ntick 100000", "!"}}},
    {"b",
     {{"key space\ntick 200000\nkey b\ntick 100000", "--times 0.1 "},
      {"key b\ntick 100000", "--times 0.2 "}}},
    {"l",
     {{"key end\nkey space\nkey l\ntick 33334", "--times 0.9666666666666667 "},
      {"key l\ntick 2000000", "--times 0 "},
      {"key l\nkey b\nkey end\nkey space\ntick 66668", "--times 0.03333333333333333 "}}},
    {",  .",
     {{"key .", "--times 0.03333333333333333 "},
      {"key .\nkey .\nkey ,", "--times 0.06666666666666667 "}}},
    {"Home  End", {{"key end", "--times 1 "}, {"key home", "--times 0 "}}},
    {"[  ]", {{"key ]", "--times 1 "}, {"key [", "--times 0 "}}},
    {";  '",
     {{"key '\nkey space\ntick 100000", "--times 0.2 "},
      {"key ;\nkey ;\ntick 200000", "--times 0.3 "}}},
    {"i  o  x",
     {{"key .\nkey .\nkey i\nkey end\nkey home", "--times 0.06666666666666667 "},
      {"key .\nkey .\nkey o\nkey home\nkey end", "--times 0.13333333333333333 "},
      {"key x\nkey end", "--times 1 "}}},
    {"Page Up  Page Down", {{"key pagedown", "--clip Back "}, {"key pageup", "--clip Go "}}},
    {"Tab",
     {{"key tab\nkey down\nkey enter", "--clip Back "},
      {"key tab\ntext G\ntext o\nkey enter", "--clip Go "}}},
    {"t", {{"key t", "--together "}, {"key t", "--clip Go "}}},
    {"Shift+b",
     {{"key shift+b\nkey space\ntick 100000\nkey pagedown\ntick 100000", "--blend "},
      {"key shift+b\nkey pagedown", "--clip Go "}}},
    {"Left  Right", {{"key right", "render z.gltf "}, {"key left", "render tri.gltf "}}},
    {"r", {{"key r", "!"}}}, /* test_viewer.c has a file that changes */
    {"Drop a file", {{"drop z.gltf", "render z.gltf "}}},
    {"m  Shift+m", {{"key m", "--shading flat "}, {"key shift+m", "--shading lit "}}},
    {"w  u  n  j",
     {{"key w", "--shading wire "},
      {"key u", "--shading unlit "},
      {"key n", "--shading normal "},
      {"key j", "--shading joint "},
      {"key j", "--shading lit "}}},
    {"v", {{"key v", "--shading channel:base "}, {"key v", "--shading channel:alpha "}}},
    {"k  e", {{"key k", NULL}, {"key e", NULL}}},
    {"Shift+x  Shift+y",
     {{"key shift+x", "--overlay axes "}, {"key shift+y", "--overlay axes,grid "}}},
    {"Shift+k", {{"key shift+k", "--look post "}, {"key shift+k", "--look product "}}},
    {"Shift+p", {{"key shift+p", "--background white "}, {"key shift+p", "--background gray "}}},
    {"y", {{"key y", NULL}}}, /* at least a line that tells why not */
    {"d", {{"key d", NULL}}},
    {"z",
     {{"key shift+z\nkey pagedown\nkey .\nkey z\ntick 9000000", NULL},
      {"key z\nmove 9 9\ntick 9000000", NULL},
      {"key z\ntick 9000000", NULL},
      {"key z\ntick 9000000", NULL},
      {"key z\ntick 9000000", NULL}}},
    {"Shift+z", {{"key shift+z\nkey pagedown\nkey z\ntick 9000000", NULL}}},
    {"Click", {{"key 1", "--azimuth 0 "}, {"press left 70 66\nrelease left 70 66", NULL}}},
    {"Shift+l", {{"key shift+l\ntick 9000000", NULL}, {"key shift+l\ntick 9000000", NULL}}},
    {"Ctrl+l  Ctrl+Shift+l",
     {{"key ctrl+l", "--light directional:dir="}, {"key ctrl+shift+l", "--light point:pos="}}},
    {"Shift+-  Shift+=",
     {{"key shift+=", "--exposure 1.4 "}, {"key shift+-\nkey shift+-", "--exposure 0.7 "}}},
    {"Shift+t", {{"key shift+t", "--tonemap aces "}, {"key shift+t", "--tonemap neutral "}}},
    {"Shift+n", {{"key shift+n", "--env studio "}, {"key shift+n", "--env none "}}},
    {"Shift+[  Shift+]",
     {{"key shift+]", "--env-rotate 15 "}, {"key shift+[\nkey shift+[", "--env-rotate 345 "}}},
    {"Shift+g", {{"key shift+g", "--ground "}, {"key shift+g", "~"}}},
    {"Shift+h", {{"key shift+h", "--shadows "}, {"key shift+h", "~"}}},
    {"Shift+o", {{"key shift+o", "--ao "}, {"key shift+o", "~"}}},
    {"Ctrl+left drag", {{"key shift+l\npress ctrl+left 9 9\nmove 29 9\nrelease left 29 9", "~"}}},
    {"Ctrl+right drag",
     {{"key shift+l\npress ctrl+right 9 9\nmove 9 29\nrelease right 9 29", "~"}}},
    {"Ctrl+Shift+left drag",
     {{"key shift+l\npress ctrl+shift+left 9 9\nmove 9 29\nrelease left 9 29", "~"}}},
    {"n  p", {{NULL, NULL}}},
    {"a", {{NULL, NULL}}},
    {"s", {{"key s", NULL}}},
    {"c", {{"key c", "!"}}},
    {"Ctrl+v", {{"paste marrow render z.gltf --clip Back", "render z.gltf "}}},
    {"g", {{"key g", NULL}}},
    {"h", {{"key h", NULL}, {"key down", NULL}}},
    {"Esc  q", {{"key h", NULL}, {"key escape\ntick 9000000", NULL}, {"key q", "."}}},
};

/* Plays the steps of a row: behind each its picture is taken and its line printed. */
static void assert_steps(const char *keys, const step *steps)
{
    char text[3000] = "key c\nexpect 0.png", *line = out, *before = NULL;
    int count = 0;
    for (; count < MOST_STEPS && steps[count].events; count++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "\n%s\nexpect %d.png\nkey c", steps[count].events,
                 count + 1);
    }
    write_events(text);
    shell("marrow view tri.gltf --size 160x120 --light spot:pos=0,0,3,dir=0,0,-1,intensity=9 "
          "--play events.txt -o out/ -q");
    assert_status(0);
    for (int i = 0; i <= count; i++) {
        const char *shows = i > 0 ? steps[i - 1].shows : "marrow render tri.gltf ";
        char *end = strchr(line, '\n');
        ck_assert_msg(!end == (shows && shows[0] == '.'), "%s: step %d has %s line", keys, i,
                      end ? "a" : "no");
        if (!end) {
            return;
        }
        *end = '\0';
        const bool same = before && strcmp(before, line) == 0;
        if (shows && (shows[0] == '!' || shows[0] == '~')) {
            ck_assert_msg(same == (shows[0] == '!'), "%s: step %d: %s", keys, i, line);
        } else if (shows) {
            ck_assert_msg(strstr(line, shows) && !(before && strstr(before, shows)),
                          "%s: step %d: %s", keys, i, line);
        }
        before = line;
        line = end + 1;
    }
    for (int i = 1; i <= count; i++) {
        if (!steps[i - 1].shows) {
            shell("cmp -s out/%d.png out/%d.png", i - 1, i);
            ck_assert_msg(status == 1, "%s: step %d shows nothing else", keys, i);
        }
    }
}

/* Every row of the table that --help lists is played. */
START_TEST(every_key_is_played)
{
    const size_t count = sizeof rows / sizeof *rows;
    size_t listed = 0;
    write_plain_triangle();
    shell("cp tri.gltf z.gltf; marrow view --help | sed -n '/^Keys: /,/^Examples/s/^  \\([^ ].*\\)/"
          "\\1/p' | sed 's/   .*//; /^marrow/d' >keys.txt");
    char help[4000];
    slurp("keys.txt", help, sizeof help);
    for (char *key = strtok(help, "\n"); key; key = strtok(NULL, "\n"), listed++) {
        bool found = false;
        for (size_t i = 0; i < count; i++) {
            found = found || strcmp(rows[i].keys, key) == 0;
        }
        ck_assert_msg(found, "no steps for '%s'", key);
    }
    ck_assert_uint_eq(listed, count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].steps[0].events) {
            assert_steps(rows[i].keys, rows[i].steps);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_view");
    TCase *tc = tcase_create("cli_view");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, the_line_draws_the_picture);
    tcase_add_test(tc, pictures_are_expected);
    tcase_add_test(tc, two_models_in_one_window);
    tcase_add_test(tc, a_clip_that_was_kept);
    tcase_add_test(tc, cases_of_suites);
    tcase_add_test(tc, suites_that_stay_whole);
    tcase_add_test(tc, lines_that_write);
    tcase_add_test(tc, ranges_of_frames);
    tcase_add_test(tc, failures_of_a_run);
    tcase_add_test(tc, it_plays_at_start);
    tcase_add_test(tc, looks_come_back);
    tcase_add_test(tc, looks_of_lines);
    tcase_add_test(tc, looks_at_the_edges);
    tcase_add_test(tc, looks_of_two);
    tcase_add_test(tc, every_key_is_played);
    tcase_add_test(tc, small_failures);
    tcase_add_test(tc, refusals);
    tcase_add_test(tc, help_lists_the_keys);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
