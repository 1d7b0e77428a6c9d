/* test_gl_window.c: the window of `marrow view`, on a display of Xvfb: what xdotool types and
 * clicks arrives, a file that changes is read again, and what was recorded plays without a window.
 */
#include "cli_fixture.h"

/* Runs shell lines while the viewer shows a model in a window of a display of its own; then q.
 * before: what is run before the window opens. */
static bool in_window_after(const char *before, const char *options, const char *lines)
{
    shell("command -v Xvfb && command -v xdotool");
    if (status != 0) {
        SKIP("the window: Xvfb or xdotool is not installed");
        return false;
    }
    shell("hold() { until eval \"$1\"; do sleep 0.1; done; }; " /* until something is so */
          "Xvfb -noreset -displayfd 3 -screen 0 1024x768x24 3>display >/dev/null 2>&1 & x=$!; "
          "until [ -s display ]; do sleep 0.05; done; "
          "export DISPLAY=:$(cat display); %s; "
          "'%s' view %s --record events.txt 1>view.out 2>view.err & v=$!; "
          "window=$(timeout 300 xdotool search --sync --onlyvisible --name ' - marrow' | head -1); "
          "xdotool windowfocus --sync $window; %s; xdotool key q; "
          "wait $v; r=$?; kill $x; wait $x; exit $r",
          before, program, options, lines);
    ck_assert_msg(status == 0, "status %d: %s%s", status, out, err);
    return true;
}

static bool in_window(const char *options, const char *lines)
{
    return in_window_after("true", options, lines);
}

/* The events but for time and moves; some are given until they have an effect. */
static void read_events(char *text, size_t size)
{
    shell("grep -v -e '^tick' -e '^move' events.txt | uniq >short.txt");
    slurp("short.txt", text, size);
}

START_TEST(events_arrive)
{
    char text[2000], typed[2000];
    if (!in_window("demo:figure --size 400x300",
                   "xdotool key period; xdotool key shift+1; xdotool key Page_Down; "
                   "xdotool mousemove --window $window 100 100 mousedown 1 "
                   "mousemove --window $window 140 110 mouseup 1; xdotool click 4; "
                   "xdotool key c; hold '[ -s view.out ]'; xdotool key space; sleep 1; "
                   "xdotool key ctrl+v; hold 'xdotool key c; [ $(wc -l <view.out) -gt 1 ] && "
                   "[ \"$(head -n 1 view.out)\" = \"$(tail -n 1 view.out)\" ]'")) {
        return;
    }
    read_events(text, sizeof text);
    ck_assert_msg(strncmp(text,
                          "marrow view 1\nresize 400 300\nkey .\nkey shift+1\nkey pagedown\n"
                          "press left 100 100\nrelease left 140 110\nscroll 1\nkey c\nkey space\n"
                          "paste marrow render demo:figure --clip ",
                          160) == 0,
                  "%s", text);
    shell("sed -n '1p;$p' view.out"); /* the line, and what it shows again */
    strcpy(typed, out);
    shell("marrow view demo:figure --size 400x300 --play events.txt -q | sed -n '1p;$p'");
    assert_status(0);
    ck_assert_str_eq(out, typed);
}
END_TEST

/* Keys that fly are recorded as they go down and up, and do not repeat. */
START_TEST(held_keys_fly)
{
    char text[2000];
    if (!in_window("demo:figure --size 400x300 --time 0", /* it stands */
                   "xdotool key shift+f; xdotool keydown w; sleep 1.2; xdotool keyup w; "
                   "xdotool key c; sleep 0.6; xdotool key c; xdotool key Escape")) {
        return;
    }
    read_events(text, sizeof text);
    ck_assert_str_eq(text, "marrow view 1\nresize 400 300\nkey shift+f\nkey w\nup w\nkey c\n"
                           "key escape\nkey q\n");
    slurp("view.out", text, sizeof text); /* it stands when the key is up */
    const size_t length = strcspn(text, "\n") + 1;
    ck_assert_ptr_nonnull(strstr(text, "--eye "));
    ck_assert_int_eq(memcmp(text, text + length, length), 0);
}
END_TEST

/* What is typed filters the list of clips: Walk, Run, Wave. Shift is no key of its own. */
START_TEST(typed_text_arrives)
{
    char text[2000];
    if (!in_window("demo:figure --size 400x300 --time 0",
                   "xdotool key Tab; xdotool key r; xdotool key shift+u; xdotool key x; "
                   "xdotool key BackSpace; xdotool key Return; xdotool key c; "
                   "hold '[ -s view.out ]'")) {
        return;
    }
    read_events(text, sizeof text);
    ck_assert_str_eq(text, "marrow view 1\nresize 400 300\nkey tab\nkey r\ntext r\nkey shift+u\n"
                           "text U\nkey x\ntext x\nkey backspace\nkey enter\nkey c\nkey q\n");
    slurp("view.out", text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "--clip Run "));
}
END_TEST

/* Keys that a German keyboard has at other places, and those it has none for. */
START_TEST(other_keyboards)
{
    char text[2000];
    shell("command -v setxkbmap");
    if (status != 0) {
        SKIP("keyboards: setxkbmap is not installed");
        return;
    }
    if (!in_window_after("setxkbmap de", "demo:blob --size 400x300",
                         "xdotool key udiaeresis; xdotool key plus; "
                         "xdotool key odiaeresis; xdotool key adiaeresis; xdotool key z; "
                         "xdotool key minus; xdotool key shift+3")) {
        return;
    }
    read_events(text, sizeof text);
    ck_assert_str_eq(text, "marrow view 1\nresize 400 300\nkey [\nkey ]\nkey ;\nkey '\nkey z\n"
                           "key -\nkey shift+3\nkey q\n");
}
END_TEST

START_TEST(a_file_that_changes)
{
    char text[2000];
    write_plain_triangle();
    write_triangle("other.gltf", "Went", "Back", 3, "");
    if (!in_window("tri.gltf --size 400x300", "xdotool key c; cp other.gltf tri.gltf; "
                                              "hold 'xdotool key c; grep -q Went view.out'; "
                                              "rm tri.gltf; hold 'grep -q tri.gltf view.err'; "
                                              "xdotool key period; xdotool key c")) {
        return;
    }
    read_events(text, sizeof text);
    ck_assert_str_eq(
        text,
        "marrow view 1\nresize 400 300\nkey c\nchanged\nkey c\nchanged\nkey .\nkey c\nkey q\n");
    slurp("view.out", text, sizeof text);
    ck_assert_msg(strstr(text, "--clip Went "), "%s", text);
    slurp("view.err", text, sizeof text);
    ck_assert_msg(strstr(text, "tri.gltf"), "%s", text);
}
END_TEST

/* Shows 20 pictures with some environment. */
static void show_some(const char *environment)
{
    shell("rm -f display; Xvfb -displayfd 3 -screen 0 640x480x24 3>display >/dev/null 2>&1 & x=$!; "
          "until [ -s display ]; do sleep 0.05; done; "
          "DISPLAY=:$(cat display) %s '%s' view demo:blob --size 200x150 --exit-after 20 "
          "--record events.txt; r=$?; kill $x; wait $x; exit $r",
          environment, program);
}

/* With OpenGL, and where Mesa has OpenGL ES alone. */
START_TEST(pictures_are_counted)
{
    static const char *const drivers[] = {
        "", "MESA_GL_VERSION_OVERRIDE=2.1 MESA_GLES_VERSION_OVERRIDE=3.0"};
    shell("command -v Xvfb");
    if (status != 0) {
        SKIP("the window: Xvfb is not installed");
        return;
    }
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        show_some(drivers[i]);
        assert_status(0);
        shell("grep -c tick events.txt");
        ck_assert_int_eq(atoi(out), 20);
    }
    shell("DISPLAY=:9999 marrow view demo:blob --exit-after 1");
    assert_refused(77, "no window can be opened here");
}
END_TEST

/* What was recorded until then is kept. */
START_TEST(a_device_that_is_reset)
{
    char environment[PATH_MAX + 100];
    shell("command -v Xvfb");
    if (status != 0) {
        SKIP("the window: Xvfb is not installed");
        return;
    }
    snprintf(environment, sizeof environment, "GL_RESET_AFTER=5 LD_PRELOAD='%s/tests/gl_reset.so'",
             build_folder());
    show_some(environment);
    assert_refused(
        77, "the window's OpenGL device was reset by another program; open the window again");
    shell("grep -c tick events.txt");
    ck_assert_int_eq(atoi(out), 6);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("gl_window");
    TCase *tc = tcase_create("gl_window");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, events_arrive);
    tcase_add_test(tc, held_keys_fly);
    tcase_add_test(tc, typed_text_arrives);
    tcase_add_test(tc, other_keyboards);
    tcase_add_test(tc, a_file_that_changes);
    tcase_add_test(tc, pictures_are_counted);
    tcase_add_test(tc, a_device_that_is_reset);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
