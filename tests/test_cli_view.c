/* test_cli_view.c: `marrow view` as a user types it, without a window: what is saved is what the
 * line of `c` draws, to the byte; pictures that files of events expect; refusals. */
#include "cli_fixture.h"

static void write_events(const char *events)
{
    FILE *file = fopen("events.txt", "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "marrow view 1\n%s\n", events);
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
    assert_line_draws(figure, "press left 80 40\nrelease left 80 40", "--shading weights:neck");
    assert_line_draws(figure, "key m\nkey m\nkey v", "--shading channel:base");
    assert_line_draws("demo:stage --size 160x120 --camera 0", "key .", "--camera 0");
    assert_line_draws("demo:stage --size 160x120 --camera 0", "scroll 1\nkey .\nkey .", "--fov ");
    assert_line_draws("demo:figure --size 160x120 --ground '#345' --exposure 1.5 --aa 8",
                      "key .\nscroll 3\nkey pagedown", "--ground '#345'");
    assert_line_draws("demo:figure --size 160x120 --shadows --exposure 1.5 --background none",
                      "key n\nscroll 1", "--background none");
    assert_line_draws("demo:figure --size 160x120 --blend Walk:0.7,Run:0.3 --sync",
                      "scroll 1\nkey .\nkey .\nkey .", "--blend Walk:0.7,Run:0.3");
    assert_line_draws("demo:figure --size 160x120 --add demo:blob --follow Hat",
                      "key .\nscroll 1\nkey .\nscroll 1\nkey .", "--follow Hat");
    assert_line_draws("demo:figure --size 160x120 --pose bind", "scroll -1\nkey .", "--pose bind");
    assert_line_draws("demo:figure --size 160x120 --eye 1,2,4 --target 0,0.8,0 -j2 --isa scalar",
                      "key .", "--eye 1,2,4");
}
END_TEST

START_TEST(pictures_are_expected)
{
    write_events("key .\nexpect one.png\nkey h\nexpect two.png");
    shell("marrow view demo:blob --size 120x90 --play events.txt");
    assert_refused(3, "events.txt:3: ");
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
    assert_said("there/two.png: what is shown is another picture");
    shell("marrow view demo:blob --size 120x91 --play there/events.txt -q");
    assert_status(1);
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

START_TEST(refusals)
{
    write_events("key .");
    shell("marrow view demo:blob --play none.txt");
    assert_refused(3, "none.txt: No such file");
    shell("echo 'tick 1' >wrong.txt; marrow view demo:blob --play wrong.txt");
    assert_refused(3, "wrong.txt:1: its first line is not 'marrow view 1'");
    write_events("# a comment\n\nkey nokey");
    shell("marrow view demo:blob --play events.txt");
    assert_refused(3, "events.txt:4: 'key nokey' is no event");
    shell("marrow view none.gltf --play events.txt");
    assert_refused(3, "none.gltf");
    shell("marrow view demo:blob --play events.txt -o out.png");
    assert_refused(2, "end its name with '/'");
    shell("marrow view demo:blob --play events.txt --record more.txt");
    assert_refused(2, "--record");
    write_plain_triangle();
    shell("marrow view tri.gltf --record tri.gltf");
    assert_refused(2, "--record");
    shell("marrow view demo:blob --frames 0-3 --play events.txt");
    assert_refused(2, "--frames");
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
    ck_assert_ptr_null(strstr(out, "--frames "));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_view");
    TCase *tc = tcase_create("cli_view");
    tcase_add_checked_fixture(tc, enter, leave);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, the_line_draws_the_picture);
    tcase_add_test(tc, pictures_are_expected);
    tcase_add_test(tc, cases_of_suites);
    tcase_add_test(tc, refusals);
    tcase_add_test(tc, help_lists_the_keys);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
