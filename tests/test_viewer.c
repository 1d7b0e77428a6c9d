/* test_viewer.c: the viewer without a window: every key of its table by what it does to the line
 * that draws the picture, files that change and vanish, lines that come back, the mouse. */
#include "cli_fixture.h"

#include "viewer/internal.h"
#include "viewer/viewer.h"

#include <marrow/session.h>
#include <math.h>

static viewer *v;
static mrw_settings settings;
static char said[600];    /* last, in the window */
static char answer[4000]; /* last line of `c` */

static void say(void *unused, const char *text, bool is_answer)
{
    (void)unused;
    if (is_answer) {
        snprintf(answer, sizeof answer, "%s", text);
    } else {
        snprintf(said, sizeof said, "%s", text);
    }
}

/* ---- another backend: as the software, but for its first pixel ------------------------------- */

static mrw_status odd_create(void *user, mrw_renderer *renderer, void **drawer, mrw_error *error)
{
    (void)user;
    (void)error;
    *drawer = renderer;
    return MRW_OK;
}

static uint32_t odd_samples; /* of its last picture */

static mrw_status odd_draw(void *drawer, const mrw_frame_def *def, const mrw_instance *instances,
                           uint32_t instance_count, int threads, mrw_image *image, mrw_error *error)
{
    mrw_status result = mrw_render(drawer, def, instances, instance_count, threads, image, error);
    odd_samples = def->samples;
    if (result == MRW_OK) {
        image->pixels[0] = (uint8_t)(image->pixels[0] - 5);
    }
    return result;
}

static void odd_free(void *drawer)
{
    (void)drawer;
}

static bool has_second;

static mrw_status second(void *unused, const mrw_backend **backend, mrw_error *error)
{
    static const mrw_backend odd = {"odd", NULL, odd_create, odd_draw, odd_free};
    (void)unused;
    *backend = &odd;
    if (!has_second) {
        snprintf(error->text, sizeof error->text, "no second one here");
        error->status = MRW_ERROR_DISPLAY;
    }
    return has_second ? MRW_OK : MRW_ERROR_DISPLAY;
}

static bool load_at_once = true;

static uint32_t parts_done, parts_count;

static void hear_progress(void *unused, uint32_t done, uint32_t count)
{
    (void)unused;
    parts_done = done;
    parts_count = count;
}

static const mrw_session_host host = {.progress = hear_progress};

static mrw_status try_begin(const char *const *argv, int argc, mrw_error *error)
{
    mrw_settings_init(&settings);
    ck_assert_int_eq(mrw_settings_parse(&settings, argc, argv, error), MRW_OK);
    const viewer_def def = {.settings = &settings,
                            .argc = argc,
                            .argv = argv,
                            .host = &host,
                            .backend = mrw_backend_software(),
                            .second = second,
                            .say = say,
                            .load_at_once = load_at_once};
    said[0] = answer[0] = '\0';
    return viewer_create(&def, &v, error);
}

#define BEGIN(...)                                                                                 \
    begin((const char *const[]){"view", __VA_ARGS__},                                              \
          (int)(sizeof(const char *const[]){"view", __VA_ARGS__} / sizeof(char *)))

static void begin(const char *const *argv, int argc)
{
    mrw_error error;
    ck_assert_msg(try_begin(argv, argc, &error) == MRW_OK, "%s", error.text);
    v->state.play.clock.playing = false; /* plays_at_start begins without this */
    v->overlay.hint = false;
}

static void end(void)
{
    viewer_free(v);
    v = NULL;
    mrw_settings_free(&settings);
}

/* Gives it events: lines of a file of events. */
static void give(const char *events)
{
    char text[2000];
    viewer_event event;
    mrw_error error;
    snprintf(text, sizeof text, "%s", events);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        ck_assert_msg(viewer_event_read(line, &event, &error) == MRW_OK, "%s", error.text);
        ck_assert_int_eq(viewer_take(v, &event, &error), MRW_OK);
    }
}

/* The line that draws the picture; of the test until the next call. */
static const char *line(void)
{
    static char text[4000];
    mrw_text text_out = {0};
    ck_assert_int_eq(viewer_line(v, &text_out, NULL), MRW_OK);
    snprintf(text, sizeof text, "%s", text_out.data);
    mrw_text_free(&text_out);
    return text;
}

static void assert_has(const char *part)
{
    ck_assert_msg(strstr(line(), part), "'%s' lacks '%s'", line(), part);
}

static void assert_lacks(const char *part)
{
    ck_assert_msg(!strstr(line(), part), "'%s' has '%s'", line(), part);
}

/* What stands behind an option. */
static void values_of(const char *option, double *values, int count)
{
    const char *at = strstr(line(), option);
    ck_assert_msg(at, "'%s' lacks '%s'", line(), option);
    at += strlen(option);
    for (int i = 0; i < count; i++) {
        char *stop;
        values[i] = strtod(at + (i > 0), &stop);
        ck_assert_ptr_ne(at, stop);
        at = stop;
    }
}

static double value_of(const char *option)
{
    double value;
    values_of(option, &value, 1);
    return value;
}

/* The picture that is shown. */
static const mrw_image *shown(void)
{
    const mrw_image *image;
    bool changed;
    mrw_error error;
    ck_assert_int_eq(viewer_draw(v, &image, &changed, &error), MRW_OK);
    return image;
}

static uint64_t sum_of(const mrw_image *image)
{
    uint64_t sum = 1469598103934665603u;
    for (size_t i = 0; i < 3 * (size_t)image->width * image->height; i++) {
        sum = (sum ^ image->pixels[i]) * 1099511628211u;
    }
    return sum;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Go of the triangle lasts a second and has keys at 0 and 1: 30 frames and the end. */
START_TEST(keys_of_time)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60");
    assert_has(" --times 0 ");
    give("key .");
    assert_has(" --times 0.03333333333333333 "); /* 1 / 30 */
    give("key .\nkey .\nkey ,");
    assert_has(" --times 0.06666666666666667 ");
    give("key end");
    assert_has(" --times 1 ");
    give("key .");
    assert_has(" --times 1 ");
    give("key home\nkey ,");
    assert_has(" --times 0 ");
    give("key ]");
    assert_has(" --times 1 ");
    give("key [");
    assert_has(" --times 0 ");
    give("key space\ntick 100000\ntick 100000"); /* 0.2 s */
    assert_has(" --times 0.2 ");
    give("key b\ntick 100000");
    assert_has(" --times 0.1 ");
    give("key b\nkey '\ntick 200000"); /* twice as fast: 0.4 s on */
    assert_has(" --times 0.5 ");
    give("key ;\nkey ;\ntick 200000"); /* half as fast: 0.1 s on */
    assert_has(" --times 0.6 ");
    give("key space\ntick 1000000");
    assert_has(" --times 0.6 ");
    end();
}
END_TEST

/* What happens at the end: loops leave the last frame out, which shows what the first shows. */
START_TEST(ends_and_ranges)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60", "--time", "0.9");
    give("key space\ntick 100000"); /* from frame 27 on: 28, 29, 0 */
    assert_has(" --times 0 ");
    give("key end\nkey l\ntick 33334"); /* ping-pong: from 30 to 29 */
    assert_has(" --times 0.9666666666666667 ");
    give("tick 1000000\ntick 33334"); /* down to 0 and up again: 28 ... 0, 1, 2 */
    assert_has(" --times 0.06666666666666667 ");
    give("key l\nkey home\ntick 33334\ntick 5000000");
    assert_has(" --times 1 "); /* once: it stands */
    give("key space\ntick 1");
    give("key space\nkey home\nkey i\nkey .\nkey .\nkey .\nkey o"); /* 0 ... 3 */
    give("key l\nkey home\nkey space\ntick 100002\ntick 33334");    /* 1, 2, 3, 0 */
    assert_has(" --times 0 ");
    give("key end");
    assert_has(" --times 0.1 "); /* of the range */
    give("key x\nkey end");
    assert_has(" --times 1 ");
    end();
}
END_TEST

/* The line of time spans the window, 8 pixels of border left out: 80 pixels are frames 0 ... 30 on
 * 64. A rate that is no whole number is exact. */
START_TEST(the_line_of_time)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "76x120", "--fps", "15");
    give("press left 38 110\nrelease left 38 110"); /* the middle: frame 8 of 15 by rounding up */
    assert_has(" --times 0.5333333333333333 ");
    give("press left 8 110\nmove 68 30\nrelease left 68 30");
    assert_has(" --times 1 ");
    const uint64_t before = sum_of(shown());
    give("key space\ntick 70000");
    ck_assert_uint_ne(sum_of(shown()), before);
    give("press left 0 118\nrelease left 0 118\ntick 1000000");
    assert_has(" --times 0 "); /* it stands */
    end();
    BEGIN("tri.gltf", "--size", "76x120", "--fps", "29.97");
    give("key .");
    ck_assert_double_eq(value_of("--times "), 1001.0 / 30000.0);
    end();
}
END_TEST

/* ---- cameras --------------------------------------------------------------------------------- */

START_TEST(keys_of_views)
{
    static const struct {
        const char *key, *azimuth, *elevation;
    } views[] = {{"key 1", "--azimuth 0 ", "--elevation 0 "},
                 {"key shift+1", "--azimuth 180 ", "--elevation 0 "},
                 {"key 3", "--azimuth 90 ", "--elevation 0 "},
                 {"key shift+3", "--azimuth -90 ", "--elevation 0 "},
                 {"key 7", "--azimuth 0 ", "--elevation 90 "},
                 {"key shift+7", "--azimuth 0 ", "--elevation -90 "},
                 {"key 9", "--azimuth 45 ", "--elevation 35.26439 "}};
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60");
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        give(views[i].key);
        assert_has(views[i].azimuth);
        assert_has(views[i].elevation);
        assert_has("--fit clip");
    }
    give("scroll 1\nkey f");
    assert_has("--azimuth 45 ");
    assert_lacks("--eye");
    end();
}
END_TEST

static double distance(void)
{
    double eye[3], target[3], square = 0.0;
    values_of("--eye ", eye, 3);
    values_of("--target ", target, 3);
    for (int i = 0; i < 3; i++) {
        square += (eye[i] - target[i]) * (eye[i] - target[i]);
    }
    return sqrt(square);
}

/* A drag over 225 pixels turns by 90 degrees; a notch goes a tenth nearer. */
START_TEST(the_mouse_moves_the_camera)
{
    double eye[3], target[3], moved[3];
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "400x300", "--azimuth", "0", "--elevation", "0", "--fov", "40");
    give("press left 300 100\nmove 75 100\nrelease left 75 100");
    values_of("--eye ", eye, 3);
    values_of("--target ", target, 3);
    ck_assert_double_eq_tol(eye[0] - target[0], distance(), 1e-4); /* now from +X */
    ck_assert_double_eq_tol(eye[1], target[1], 1e-4);
    ck_assert_double_eq_tol(eye[2], target[2], 1e-4);
    const double before = distance();
    give("scroll 1");
    ck_assert_double_eq_tol(distance(), 0.9 * before, 1e-4);
    give("scroll -1\nkey =\nkey -");
    ck_assert_double_eq_tol(distance(), before, 1e-4);
    give("press right 10 10\nmove 10 30\nrelease right 10 30"); /* 20 pixels: a notch back */
    ck_assert_double_eq_tol(distance(), before / 0.9, 1e-4);
    give("key shift+a\ntick 50000\nup a\ntick 50000"); /* a twentieth to the left: +Z from here */
    values_of("--target ", moved, 3);
    ck_assert_double_eq_tol(moved[2] - target[2], 0.05 * distance(), 1e-4);
    give("key shift+d\ntick 50000\nkey shift+e\nkey shift+q\nkey shift+w\nkey shift+s\nup d\n"
         "tick 50000\nup e\nup q\nup s\nup w");
    values_of("--target ", moved, 3);
    ck_assert_double_eq_tol(moved[0], target[0], 1e-4);
    ck_assert_double_eq_tol(moved[2], target[2], 1e-4);
    /* 300 pixels of height are 2 tan 20 degrees times the distance */
    give("press middle 100 100\nmove 100 130\nrelease middle 100 130");
    values_of("--target ", moved, 3);
    ck_assert_double_eq_tol(moved[1] - target[1], 0.2 * tan(20.0 * M_PI / 180.0) * distance(),
                            1e-4);
    give("press shift+left 100 130\nmove 100 100\nrelease left 100 100");
    values_of("--target ", moved, 3);
    ck_assert_double_eq_tol(moved[1], target[1], 1e-4);
    end();
}
END_TEST

/* Keys fly for as long as they are held: a distance each second, whatever the ticks. */
START_TEST(flight_with_held_keys)
{
    double eye[3], target[3], moved[3], looked[3];
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "400x300", "--azimuth", "0", "--elevation", "0");
    give("scroll 1\nkey w");
    assert_has("--shading wire ");
    values_of("--target ", target, 3);
    const double far = distance();
    give("key shift+f\nkey w");
    assert_has("--shading wire "); /* it flies */
    ck_assert(viewer_holds(v, 'w'));
    ck_assert(viewer_is_moving(v));
    give(
        "tick 100000\nkey w\nkey d\ntick 100000\ntick 50000\nup w\ntick 50000\nkey e\ntick 100000\n"
        "up d\nup e\ntick 9000000");
    ck_assert(!viewer_holds(v, 'w'));
    values_of("--target ", moved, 3);
    ck_assert_double_eq_tol(moved[0] - target[0], 0.3 * far, 1e-4);
    ck_assert_double_eq_tol(moved[1] - target[1], 0.1 * far, 1e-4);
    ck_assert_double_eq_tol(moved[2] - target[2], -0.25 * far, 1e-4);
    values_of("--eye ", eye, 3); /* a quarter of a turn to the right, where it stands */
    give("press left 75 100\nmove 300 100\nrelease left 300 100");
    values_of("--eye ", looked, 3);
    values_of("--target ", target, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(looked[i], eye[i], 1e-4);
    }
    ck_assert_double_eq_tol(target[0] - eye[0], far, 1e-4);
    ck_assert_double_eq_tol(target[2], eye[2], 1e-4);
    give("key s\nkey q\ntick 100000");
    ck_assert(!viewer_is_done(v));
    values_of("--eye ", moved, 3);
    ck_assert_double_eq_tol(moved[0], eye[0] - 0.1 * far, 1e-4);
    ck_assert_double_eq_tol(moved[1], eye[1] - 0.1 * far, 1e-4);
    give("key escape\ntick 100000"); /* which lets go */
    values_of("--eye ", looked, 3);
    ck_assert_double_eq(looked[1], moved[1]);
    give("key w");
    assert_has("--shading lit ");
    end();
}
END_TEST

/* The middle of the picture is as large as before, and back again. */
START_TEST(parallel_and_back)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60", "--fov", "40");
    give("scroll 1");
    const double before = distance();
    give("key 5");
    assert_has("--ortho");
    assert_lacks("--fov");
    ck_assert_double_eq_tol(value_of("--view-height "), 2.0 * before * tan(20.0 * M_PI / 180.0),
                            1e-4);
    give("scroll 2");
    ck_assert_double_eq_tol(value_of("--view-height "),
                            0.81 * 2.0 * before * tan(20.0 * M_PI / 180.0), 1e-4);
    give("key 5");
    assert_lacks("--ortho");
    ck_assert_double_eq_tol(distance(), 0.81 * before, 1e-4);
    end();
}
END_TEST

/* Angles are computed without the C library's curves, and as exactly. */
START_TEST(angles_are_exact)
{
    for (int i = -880; i <= 880; i++) {
        const double degrees = 0.1 * i, radians = degrees * M_PI / 180.0;
        ck_assert_double_eq_tol(viewer_tan(degrees), tan(radians),
                                1e-12 * (1.0 + fabs(tan(radians))));
        ck_assert_double_eq_tol(viewer_arc_sin(sin(radians)), degrees, 1e-12 * 180.0);
    }
    for (int i = -1800; i <= 1800; i++) {
        const double radians = 0.1 * i * M_PI / 180.0, y = 3.0 * sin(radians),
                     x = 3.0 * cos(radians);
        ck_assert_double_eq_tol(viewer_arc_tan(y, x), atan2(y, x) * 180.0 / M_PI, 1e-12);
    }
    ck_assert_double_eq(viewer_arc_tan(0.0, 0.0), 0.0);
    for (int i = -600; i <= 600; i++) {
        ck_assert_double_eq_tol(viewer_exp(0.01 * i), exp(0.01 * i), 1e-12 * (1.0 + exp(0.01 * i)));
    }
}
END_TEST

/* What is shown first names Space by what it does now. */
START_TEST(the_first_hint)
{
    const char *const argv[] = {"view", "demo:figure", "--size", "600x400"};
    mrw_error error;
    ck_assert_int_eq(try_begin(argv, 4, &error), MRW_OK);
    ck_assert(v->state.play.clock.playing && v->overlay.hint);
    const uint64_t plays = sum_of(shown());
    v->overlay.hint = false;
    v->overlay.dirty = true;
    ck_assert_uint_ne(sum_of(shown()), plays);
    snprintf(v->overlay.message, sizeof v->overlay.message, "Space: pause  h: keys  Tab: clips");
    v->overlay.dirty = true;
    ck_assert_uint_eq(sum_of(shown()), plays);
    v->overlay.message[0] = '\0';
    v->overlay.hint = true;
    give("press left 8 399\nrelease left 8 399"); /* on the line of time: it stands */
    const uint64_t stands = sum_of(shown());
    v->overlay.hint = false;
    snprintf(v->overlay.message, sizeof v->overlay.message, "Space: play  h: keys  Tab: clips");
    v->overlay.dirty = true;
    ck_assert_uint_eq(sum_of(shown()), stands);
    end();
}
END_TEST

/* ---- clips and shading ----------------------------------------------------------------------- */

START_TEST(keys_of_clips)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "300x200");
    assert_has(" --clip Go ");
    give("key .\nkey pagedown");
    assert_has(" --clip Back ");
    assert_has(" --times 0 ");
    give("key pagedown");
    assert_has(" --clip Go ");
    give("key pageup");
    assert_has(" --clip Back ");
    const uint64_t before = sum_of(shown());
    give("key tab");
    ck_assert_uint_ne(sum_of(shown()), before);
    give("key up\nkey enter");
    assert_has(" --clip Go ");
    ck_assert_uint_eq(sum_of(shown()) == before, false);   /* it says Go */
    give("key tab\npress left 30 43\nrelease left 30 43"); /* the second row */
    assert_has(" --clip Back ");
    give("key tab\nkey escape");
    ck_assert_uint_eq(sum_of(shown()), before);
    end();
}
END_TEST

/* Two things that move by a clip each are offered to move together; bodies that walk and run are
 * not. */
START_TEST(the_list_of_clips)
{
    static const char next[] =
        "\",\"samplers\":[{\"input\":1,\"output\":2}],\"channels\":[{\"sampler\":0,\"target\":{"
        "\"node\":0,\"path\":\"translation\"}}]},{\"name\":\"";
    mrw_text names = {0};
    mrw_text_add(&names, "Walk%swalk back%sRun", next, next);
    for (int i = 0; i < 60; i++) {
        mrw_text_add(&names, "%sEmote %d", next, i);
    }
    mrw_text_add(&names, "%s\u8d70\u308b", next);
    write_triangle("many.gltf", "Idle", names.data, 3, "");
    mrw_text_free(&names);
    BEGIN("many.gltf", "--size", "400x300");
    ck_assert(!viewer_wants_text(v));
    give("key tab\nkey down\nkey up");
    ck_assert(viewer_wants_text(v));
    ck_assert_uint_eq(v->overlay.chosen, 0);
    give("key pagedown");
    ck_assert_uint_eq(v->overlay.chosen, (unsigned)viewer_overlay_rows(v));
    give("key end");
    ck_assert_uint_eq(v->overlay.chosen, 64);
    give("key down"); /* it stays */
    ck_assert_uint_eq(v->overlay.chosen, 64);
    give("key home\nkey w\ntext w\nkey a\ntext A\ntext l"); /* keys are typed, too */
    ck_assert_uint_eq(v->overlay.chosen, 1);
    give("key down\nkey down");
    ck_assert_uint_eq(v->overlay.chosen, 2);
    const uint64_t before = sum_of(shown());
    give("text x");
    ck_assert_uint_eq(v->overlay.chosen, MRW_NONE);
    ck_assert_uint_ne(sum_of(shown()), before);
    give("key enter\nkey backspace");
    ck_assert_uint_eq(v->overlay.chosen, 1);
    give("key backspace\nkey backspace\nkey backspace\nkey backspace\ntext \u8d70");
    ck_assert_uint_eq(v->overlay.chosen, 64);
    give("key backspace");
    ck_assert_str_eq(v->overlay.filter, "");
    give("text back\nkey enter");
    assert_has("--clip 'walk back' ");
    give("key tab");
    ck_assert_str_eq(v->overlay.filter, "");
    ck_assert_uint_eq(v->overlay.chosen, 2);
    end();
}
END_TEST

START_TEST(clips_together)
{
    write_two_triangles();
    BEGIN("tri.gltf", "--size", "300x200", "--light", "point:pos=0,0,2");
    const uint64_t offered = sum_of(shown());
    give("key escape");
    ck_assert_uint_ne(sum_of(shown()), offered);
    give("key escape");
    ck_assert_msg(strstr(said, "q leaves"), "%s", said);
    give("key pagedown\nkey shift+l\npress ctrl+right 9 9\nmove 9 19\nrelease right 9 19");
    assert_lacks("pos=0,0,2");
    give("key .\nkey .\nkey space\nkey t");
    assert_has(" --together ");
    assert_has(" --clip all ");
    assert_has(" --times 0.06666666666666667 ");
    assert_lacks("pos=0,0,2");
    const uint64_t both = sum_of(shown());
    give("tick 100000");
    assert_has(" --times 0.16666666666666666 "); /* it plays on */
    ck_assert_uint_ne(sum_of(shown()), both);
    give("key t");
    assert_has(" --clip Back ");
    assert_lacks("--together");
    assert_lacks("pos=0,0,2");
    end();
    BEGIN("demo:figure", "--size", "80x60");
    const uint64_t plain = sum_of(shown());
    give("key escape\ntick 9000000");
    ck_assert_uint_eq(sum_of(shown()), plain);
    end();
}
END_TEST

/* Back gets keys at 0 and 2 seconds. Together they are those of both; synced, Go is stretched to
 * the mean duration of one and a half. */
START_TEST(keys_of_a_mix)
{
    write_two_triangles();
    shell("sed -i -e 's/\"byteOffset\":44,\"byteLength\":24}/&,"
          "{\"buffer\":0,\"byteOffset\":60,\"byteLength\":8}/' -e "
          "'s/],\"animations/,{\"bufferView\":3,\"componentType\":5126,\"count\":2,"
          "\"type\":\"SCALAR\",\"min\":[0],\"max\":[2]}&/' -e "
          "'s/\\(Back.*\"input\":\\)1/\\13/' tri.gltf");
    BEGIN("tri.gltf", "--size", "80x60");
    give("key ]\nkey ]");
    assert_has(" --times 1 ");
    give("key t\nkey home\nkey ]");
    assert_has(" --times 1 ");
    give("key ]");
    assert_has(" --times 2 ");
    give("key [");
    assert_has(" --times 1 ");
    end();
    BEGIN("tri.gltf", "--size", "80x60", "--blend", "Go:1,Back:1", "--sync");
    give("key ]");
    assert_has(" --times 1.5 ");
    give("key ]");
    assert_has(" --times 1.5 ");
    end();
}
END_TEST

/* 0.1 of 0.3 seconds: a third of the new clip, both at the time that goes on. */
START_TEST(clips_fade)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60");
    give("key space\ntick 400000\nkey pagedown\ntick 100000"); /* no fade without its key */
    assert_has(" --clip Back ");
    assert_has(" --times 0.1 ");
    give("key shift+b\nkey pagedown\ntick 100000");
    assert_has(" --blend Back:0.6666667,Go:0.33333334 --wrap loop ");
    ck_assert_double_eq_tol(value_of("--times "), 0.2, 1e-12);
    assert_lacks("--clip");
    give("key pagedown\ntick 150000"); /* Back comes back: from 2/3, half of the rest is gone */
    assert_has(" --blend Go:0.16666667,Back:0.8333333 ");
    give("key space\ntick 100000");
    assert_has(" --blend Go:0.16666667,Back:0.8333333 "); /* it stands */
    give("key space\ntick 150000");
    assert_has(" --clip Back ");
    ck_assert_double_eq_tol(value_of("--times "), 0.5, 1e-12);
    give("key pagedown\ntick 100000\nkey .");
    assert_has(" --clip Go ");                                    /* another time ends it */
    give("key end\nkey ,\nkey space\nkey pagedown\ntick 100000"); /* from frame 29 over the end */
    ck_assert_double_eq_tol(value_of("--times "), 29.0 / 30.0 + 0.1, 1e-12);
    give("tick 200000");
    assert_has(" --clip Back ");
    ck_assert_double_eq_tol(value_of("--times "), 29.0 / 30.0 + 0.3 - 1.0, 1e-12);
    give("key shift+b\nkey pagedown\ntick 33334");
    assert_has(" --clip Go ");
    end();
}
END_TEST

START_TEST(keys_of_shading)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60", "--exposure", "2");
    assert_has("--exposure 2 ");
    give("key n");
    assert_has("--shading normal ");
    assert_lacks("--exposure"); /* which has no say there */
    give("key n");
    assert_has("--shading lit ");
    assert_has("--exposure 2 ");
    give("key w");
    assert_has("--shading wire ");
    give("key u");
    assert_has("--shading unlit ");
    give("key j");
    assert_has("--shading joint ");
    give("key j\nkey m");
    assert_has("--shading flat ");
    give("key shift+m");
    assert_has("--shading lit ");
    give("key v");
    assert_has("--shading channel:base ");
    give("key v");
    assert_has("--shading channel:alpha ");
    give("key m"); /* once around, through all that need no argument */
    for (int i = 0; i < MRW_SHADING_COUNT; i++) {
        shown();
        give("key m");
    }
    ck_assert_msg(strstr(said, ": "), "%s", said);
    end();
}
END_TEST

/* A click on the figure's scarf paints the joint that moves it; on the background it all ends. */
START_TEST(clicks_name_and_paint)
{
    BEGIN("demo:figure", "--size", "320x240", "--azimuth", "0", "--margin", "0.05");
    const uint64_t plain = sum_of(shown());
    give("key k");
    ck_assert_uint_ne(sum_of(shown()), plain);
    give("key k");
    ck_assert_uint_eq(sum_of(shown()), plain);
    give("press left 160 40\nrelease left 160 40"); /* the hat, which hangs on a node */
    ck_assert_uint_ne(sum_of(shown()), plain);
    assert_has("--shading lit ");
    give("press left 160 80\nrelease left 160 80");
    ck_assert_uint_ne(sum_of(shown()), plain);
    assert_has("--shading weights:neck ");
    give("press left 5 5\nrelease left 5 5");
    assert_has("--shading lit ");
    ck_assert_uint_eq(sum_of(shown()), plain);
    give("press left 160 40\nrelease left 160 40\nkey escape"); /* which closes its lines */
    ck_assert_uint_eq(sum_of(shown()), plain);
    give("key h");
    ck_assert_uint_ne(sum_of(shown()), plain);
    give("key down\nkey up\nkey h");
    ck_assert_uint_eq(sum_of(shown()), plain);
    end();
}
END_TEST

/* Of added models, too: the triangle alone has a disc of some 20 pixels. */
START_TEST(skeletons_of_all_models)
{
    static uint8_t before[3 * 320 * 240];
    int changed = 0;
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "320x240", "--add", "demo:figure");
    memcpy(before, shown()->pixels, sizeof before);
    give("key k");
    for (size_t i = 0; i < sizeof before; i += 3) {
        changed += memcmp(before + i, shown()->pixels + i, 3) != 0;
    }
    ck_assert_int_gt(changed, 300);
    end();
}
END_TEST

static const uint8_t *pixel_at(const mrw_image *image, int x, int y)
{
    return image->pixels + 3 * ((size_t)y * image->width + (size_t)x);
}

/* The right angle of the triangle is at 150, 200, its sides are 100 pixels long. Pixels whose
 * middle is half a pixel from an edge are half line: 0.4 of 16. */
START_TEST(edges_of_triangles)
{
    static const int half[][2] = {{220, 199}, {150, 180}},
                     none[][2] = {{180, 190}, {149, 180}, {220, 200}};
    uint8_t before[5][3];
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "400x300", "--eye", "0.5,0.5,5", "--target", "0.5,0.5,0", "--ortho",
          "--view-height", "3");
    const uint64_t plain = sum_of(shown());
    for (int i = 0; i < 5; i++) {
        const int *at = i < 2 ? half[i] : none[i - 2];
        memcpy(before[i], pixel_at(shown(), at[0], at[1]), 3);
    }
    give("key e");
    for (int i = 0; i < 5; i++) {
        const int *at = i < 2 ? half[i] : none[i - 2];
        for (int k = 0; k < 3; k++) {
            const int was = before[i][k], is = pixel_at(shown(), at[0], at[1])[k];
            const double wanted = i < 2 ? 0.6 * was + 0.4 * 16.0 : was;
            ck_assert_msg(fabs(is - wanted) <= (i < 2 ? 1.0 : 0.0), "%d, %d: %d of %d", at[0],
                          at[1], is, was);
        }
    }
    give("key .\nkey ,");
    ck_assert_uint_ne(sum_of(shown()), plain);
    give("key e");
    ck_assert_uint_eq(sum_of(shown()), plain);
    end();
}
END_TEST

/* A pixel that differs by 5 is shown 16 times as strong; all others are black. */
START_TEST(two_backends)
{
    BEGIN("demo:blob", "--size", "320x240");
    give("tick 1");
    const uint64_t soft = sum_of(shown());
    has_second = false;
    give("key y");
    ck_assert_msg(strstr(said, "no second one"), "%s", said);
    give("key d\ntick 9000000");
    assert_lacks("--backend");
    ck_assert_uint_eq(sum_of(shown()), soft);
    has_second = true;
    give("key y\ntick 9000000");
    assert_has("--backend gl ");
    ck_assert_uint_ne(sum_of(shown()), soft);
    const uint8_t red = shown()->pixels[0];
    give("key y\ntick 9000000");
    ck_assert_uint_eq(sum_of(shown()), soft);
    ck_assert_int_eq(shown()->pixels[0], red + 5);
    give("key d");
    ck_assert_int_eq(shown()->pixels[0], 80);
    ck_assert_int_eq(shown()->pixels[1], 0);
    ck_assert_int_eq(shown()->pixels[3 * 319 + 1], 0);
    give("key .\nkey ,");
    ck_assert_int_eq(shown()->pixels[0], 80);
    give("key d");
    ck_assert_uint_eq(sum_of(shown()), soft);
    end();
}
END_TEST

/* OpenGL draws one sample per pixel while something moves, then all of them. */
START_TEST(coarse_while_moving)
{
    BEGIN("demo:figure", "--size", "160x120", "--aa", "4");
    has_second = true;
    give("key y");
    shown();
    ck_assert_uint_eq(odd_samples, 4);
    give("key space\ntick 100000");
    shown();
    ck_assert_uint_eq(odd_samples, 1);
    give("key space");
    shown();
    ck_assert_uint_eq(odd_samples, 4);
    give("press left 50 50\nmove 70 50");
    shown();
    ck_assert_uint_eq(odd_samples, 1);
    give("release left 70 50");
    shown();
    ck_assert_uint_eq(odd_samples, 4);
    give("key shift+w\ntick 100000");
    shown();
    ck_assert_uint_eq(odd_samples, 1);
    give("up w\nkey space\nkey d"); /* pictures that are compared have all */
    shown();
    ck_assert_uint_eq(odd_samples, 4);
    end();
}
END_TEST

/* Pictures of a second of playing, in the line of time; none once it stands. */
START_TEST(pictures_per_second)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "320x240");
    give("key space");
    for (int i = 0; i < 25; i++) {
        give("tick 50000");
        shown();
    }
    ck_assert_uint_eq(v->window.rate.per_second, 20);
    give("key space\ntick 1");
    ck_assert_uint_eq(v->window.rate.per_second, 0);
    end();
}
END_TEST

/* ---- lights ---------------------------------------------------------------------------------- */

static void assert_vector(const char *key, double x, double y, double z)
{
    double at[3];
    values_of(key, at, 3);
    ck_assert_msg(fabs(at[0] - x) + fabs(at[1] - y) + fabs(at[2] - z) < 1e-3, "%s %g %g %g", key,
                  at[0], at[1], at[2]);
}

/* 225 pixels are a quarter of a turn; 300 pixels of height are 3 of the world's units. */
START_TEST(lights_move)
{
    BEGIN("demo:figure", "--size", "400x300", "--azimuth", "0", "--elevation", "0", "--ortho",
          "--view-height", "3", "--light", "directional:dir=0,0,-2,intensity=3,color=1,0.5,0.25",
          "--light", "none", "--light", "point:pos=0,1,1,range=8", "--light",
          "spot:pos=1,0,2,dir=0,0,-1,inner=12.5,outer=33,intensity=4@camera");
    const uint64_t plain = sum_of(shown());
    assert_has("dir=0,0,-2,intensity=3,color=1,0.5,0.25 ");
    give("key shift+l\ntick 9000000");
    ck_assert_uint_ne(sum_of(shown()), plain); /* what is picked is shown */
    give("press ctrl+left 100 100\nmove 325 100\nrelease left 325 100");
    assert_vector("directional:dir=", -1, 0, 0); /* its source went to the right */
    assert_has("intensity=3");
    assert_has("color=1,0.5,0.25");
    give("press ctrl+left 100 20\nmove 100 245\nrelease left 100 245");
    assert_vector("directional:dir=", -1, 0, 0); /* about its own direction */
    give("key shift+l\npress ctrl+left 10 10\nmove 110 60\nrelease left 110 60");
    assert_vector("point:pos=", 1, 0.5, 1);
    give("press ctrl+right 10 10\nmove 10 60\nrelease right 10 60"); /* nearer */
    assert_vector("point:pos=", 1, 0.5, 1.5);
    assert_has("range=8 ");
    assert_vector("spot:pos=", 1, 0, 2);
    assert_has("--azimuth 0 "); /* the camera stands still */
    give("press left 300 100\nmove 75 100\nrelease left 75 100\nkey shift+l"); /* fixed to it */
    give("press ctrl+left 10 10\nmove 110 60\nrelease left 110 60");
    assert_vector("spot:pos=", 2, -0.5, 2);
    give("press ctrl+shift+left 10 10\nmove 10 235\nrelease left 10 235");
    assert_vector("dir=", -1, 0, 0); /* of the first */
    ck_assert_ptr_nonnull(strstr(line(), "outer=33@camera"));
    ck_assert_ptr_nonnull(strstr(line(), "inner=12.5,"));
    double way[3];
    values_of("2,dir=", way, 3);
    ck_assert_double_eq_tol(way[1], 1.0, 1e-4); /* from below */
    give("key shift+l");
    char before[4000];
    snprintf(before, sizeof before, "%s", line());
    give("press ctrl+left 100 100\nmove 100 120\nrelease left 100 120"); /* none: orbit */
    ck_assert_str_ne(line(), before);
    assert_vector("point:pos=", 1, 0.5, 1.5);
    end();
}
END_TEST

/* Lights of a file become options without a change of the picture; another model has its own. */
START_TEST(lights_of_files)
{
    write_lit_triangle();
    BEGIN("tri.gltf", "demo:blob", "--size", "80x60", "--azimuth", "0", "--elevation", "0");
    const uint64_t plain = sum_of(shown());
    give("key shift+l\nkey shift+l\ntick 9000000");
    ck_assert_uint_eq(sum_of(shown()), plain);
    assert_has("--file-lights off ");
    assert_has("spot:pos=0,0,0,dir=0,0,-1,color=1,0.5,0.25,intensity=7,range=9,inner=");
    assert_has("@node:mover ");
    give("key shift+l\npress ctrl+right 10 10\nmove 10 20\nrelease right 10 20\nkey shift+l\n"
         "tick 9000000");
    ck_assert_uint_ne(sum_of(shown()), plain);
    assert_lacks("pos=0,0,0,");
    give("key right");
    assert_lacks("--light");
    assert_lacks("--file-lights");
    assert_lacks("--env");
    end();
}
END_TEST

/* A light is added to the rig, which stays. */
START_TEST(lights_are_added)
{
    BEGIN("demo:blob", "--size", "320x240", "--azimuth", "0", "--elevation", "0");
    const uint64_t plain = sum_of(shown());
    give("key shift+l");
    ck_assert_msg(strstr(said, "Ctrl+l adds"), "%s", said);
    assert_lacks("--light");
    give("key ctrl+l\nkey shift+l\ntick 9000000");
    assert_has("--light default --light directional:dir=");
    assert_vector("dir=", -0.6, -0.6, -0.53);
    ck_assert_uint_ne(sum_of(shown()), plain);
    give("key ctrl+shift+l");
    assert_has(" --light point:pos=");
    give("key ctrl+l");
    ck_assert_ptr_null(strstr(strstr(line(), "--light default") + 10, "--light default"));
    end();
}
END_TEST

/* ---- lines ----------------------------------------------------------------------------------- */

/* Pastes the line of each state into a viewer of something else: it shows the same line. */
START_TEST(lines_come_back)
{
    static const char *const states[] = {
        "tick 1",
        "scroll 2",
        "key 5\nkey .",
        "key 9",
        "key 5\nkey pagedown\nkey ]",
        "key w",
        "key shift+b\nkey end\nkey ,\nkey space\nkey pagedown\ntick 133334"}; /* beyond an end */
    char first[4000], paste[4100];
    write_triangle("it's a tri.gltf", "Go now", "*", 3, "");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        BEGIN("it's a tri.gltf", "--size", "80x60", "--rotate", "0,30,0", "--background", "#123");
        give(states[i]);
        snprintf(first, sizeof first, "%s", line());
        give("key c");
        ck_assert_str_eq(answer + strlen("marrow "), first);
        ck_assert_ptr_nonnull(viewer_copied(v));
        end();
        BEGIN("demo:blob");
        give("key space\ntick 40000"); /* which the line ends */
        snprintf(paste, sizeof paste, "$ marrow %s", first);
        ck_assert_int_eq(viewer_take(v, &(viewer_event){.type = VIEWER_PASTE, .text = paste}, NULL),
                         MRW_OK);
        ck_assert_msg(said[0] == '\0', "%s", said);
        give("tick 200000");
        ck_assert_str_eq(line(), first);
        end();
    }
    BEGIN("demo:blob");
    snprintf(first, sizeof first, "%s", line());
    give("paste rm -rf x");
    ck_assert_msg(strstr(said, "not a command line of"), "%s", said);
    give("paste marrow render 'x");
    ck_assert_msg(strstr(said, "quote"), "%s", said);
    give("paste marrow render demo:blob --sizes 3");
    ck_assert_msg(strstr(said, "--size"), "%s", said);
    give("paste marrow render missing.gltf --size 90");
    ck_assert_msg(strstr(said, "missing.gltf"), "%s", said);
    give("paste marrow render demo:figure --clip Nowhere");
    ck_assert_msg(strstr(said, "Nowhere"), "%s", said);
    ck_assert_str_eq(line(), first);
    end();
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

START_TEST(files_change_and_vanish)
{
    char before[4000];
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60");
    give("key pagedown\nkey .\nscroll 1");
    ck_assert(!viewer_files_changed(v));
    snprintf(before, sizeof before, "%s", line());
    const uint64_t picture = sum_of(shown());
    shell("echo broken >tri.gltf");
    ck_assert(viewer_files_changed(v));
    ck_assert(!viewer_files_changed(v));
    give("changed");
    ck_assert_msg(strstr(said, "tri.gltf"), "%s", said);
    ck_assert_str_eq(line(), before);
    give("tick 10000000"); /* the message goes */
    ck_assert_uint_eq(sum_of(shown()), picture);
    remove("tri.gltf");
    ck_assert(viewer_files_changed(v));
    give("changed\ntick 10000000");
    ck_assert_uint_eq(sum_of(shown()), picture);
    write_triangle("tri.gltf", "First", "Back", 3, ""); /* it is back, and says otherwise */
    ck_assert(viewer_files_changed(v));
    give("changed");
    ck_assert_str_eq(line(), before);
    give("key pagedown");
    assert_has("--clip First ");
    write_triangle("tri.gltf", "Third", "Back", 3, "");
    give("key r");
    assert_has("--clip Third ");
    end();
}
END_TEST

/* A file that could not be shown takes nobody's place: the one that is shown is watched on. */
START_TEST(a_broken_drop_leaves_the_watch)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60");
    shell("echo broken >other.gltf");
    give("drop other.gltf\npaste marrow render other.gltf");
    ck_assert_msg(strstr(said, "other.gltf"), "%s", said);
    ck_assert(!viewer_files_changed(v));
    write_triangle("tri.gltf", "First", "Back", 3, "");
    ck_assert(viewer_files_changed(v));
    give("changed\nkey pagedown\nkey pagedown");
    assert_has("--clip First ");
    end();
}
END_TEST

/* Files beside the model, too, are missed and come back. */
START_TEST(files_beside_come_back)
{
    write_plain_triangle();
    shell("sed -n 's/.*base64,\\([^\"]*\\)\".*/\\1/p' tri.gltf | base64 -d >tri.bin && "
          "sed -i 's/data:application[^\"]*/tri.bin/' tri.gltf");
    BEGIN("tri.gltf", "--size", "80x60");
    give("key .");
    const uint64_t picture = sum_of(shown());
    shell("mv tri.bin away");
    ck_assert(viewer_files_changed(v));
    give("changed");
    ck_assert_msg(strstr(said, "tri.bin"), "%s", said);
    give("tick 10000000");
    ck_assert(!viewer_files_changed(v));
    shell("mv away tri.bin");
    ck_assert(viewer_files_changed(v));
    give("changed\ntick 10000000");
    ck_assert_uint_eq(sum_of(shown()), picture);
    end();
}
END_TEST

/* Shares of parts, not of time. */
START_TEST(progress_of_a_load)
{
    char text[80];
    viewer_loading loading = {.running = true};
    ck_assert_double_eq(viewer_load_progress(&loading, text), 0.0);
    ck_assert_str_eq(text, "being read");
    loading.parts = (uint64_t)12 << 32 | 3;
    ck_assert_double_eq(viewer_load_progress(&loading, text), 0.25);
    ck_assert_str_eq(text, "3 of 12 parts read");
    loading.ready = true;
    ck_assert_double_eq(viewer_load_progress(&loading, text), 1.0);
    ck_assert_str_eq(text, "read; being prepared");
}
END_TEST

/* Who made the viewer hears of the parts of a file: buffers and meshes, all in the end. */
START_TEST(progress_is_heard_outside)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60");
    ck_assert_uint_gt(parts_count, 0);
    ck_assert_uint_eq(parts_done, parts_count);
    end();
}
END_TEST

/* On a thread of its own a load tells how far it is, and the window shows it meanwhile. */
START_TEST(loads_on_a_thread)
{
    static const char *const argv[] = {"view", "demo:blob", "--size", "320x240"};
    load_at_once = false;
    begin(argv, 4);
    const uint64_t plain = sum_of(shown());
    give("drop demo:figure");
    ck_assert(v->loaded.loading.running);
    while (v->loaded.loading.running) {
        ck_assert_uint_ne(sum_of(shown()), plain); /* which stays answerable */
        give("tick 5000");
        usleep(5000);
    }
    ck_assert(!v->loaded.loading.running);
    const uint64_t share = v->loaded.loading.parts;
    ck_assert_uint_gt(share >> 32, 0);
    ck_assert_uint_eq(share >> 32, (uint32_t)share);
    assert_has("render demo:figure ");
    shown();
    end();
    load_at_once = true;
}
END_TEST

/* While another model is loaded the picture stays, whatever the size of the window: what is laid
 * over it would need a new one. */
START_TEST(a_window_grows_while_a_model_loads)
{
    static const char *const argv[] = {"view",    "demo:blob", "demo:tentacle",
                                       "--size",  "320x240",   "--background",
                                       "#204060", "--azimuth", "0"};
    load_at_once = false;
    begin(argv, 9);
    give("key e\nkey k\nkey ctrl+l\nkey z\nkey z\nkey z\nkey z\ntick 9000000");
    shown();
    give("drop demo:figure"); /* begins with the next tick */
    ck_assert(v->loaded.loading.running);
    give("resize 400 300");
    ck_assert_uint_eq(shown()->width, 400);
    ck_assert_uint_eq(v->drawing.last.picture.width, 320);
    for (size_t y = 100; y < 200; y++) {
        ck_assert_int_eq(memcmp(shown()->pixels + y * 3 * 400,
                                v->drawing.last.picture.pixels + y * 3 * 320, 3 * 320),
                         0);
    }
    while (v->loaded.loading.running) {
        give("tick 5000");
        usleep(5000);
    }
    assert_has("render demo:figure ");
    ck_assert_uint_eq(shown()->width, 400);
    end();
    load_at_once = true;
}
END_TEST

/* A clip that was kept to be compared with, and that its file loses: another one takes its place.
 */
START_TEST(a_kept_clip_vanishes)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60");
    give("key pagedown\nkey shift+z\nkey pageup\nkey z\ntick 10000000");
    shown();
    shell("sed -i 's/,{\"name\":\"Back\".*/]}/' tri.gltf");
    ck_assert(viewer_files_changed(v));
    give("changed\ntick 10000000");
    shown();
    assert_has("--clip Go ");
    end();
}
END_TEST

/* Two files of one name are told apart by their folders, or what they end in. */
START_TEST(names_of_two)
{
    char a[200], b[200];
    shell("mkdir old new");
    write_triangle("old/a.gltf", "Go", "Back", 3, "");
    write_triangle("new/a.gltf", "Go", "Back", 3, "");
    write_triangle("new/b.gltf", "Go", "Back", 3, "");
    shell("cp new/a.gltf new/a.glb");
    static const char *const pairs[][4] = {{"old/a.gltf", "new/a.gltf", "old/a.gltf", "new/a.gltf"},
                                           {"new/a.gltf", "new/a.glb", "a.gltf", "a.glb"},
                                           {"new/a.gltf", "new/b.gltf", "a", "b"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        BEGIN(pairs[i][0], pairs[i][1], "--size", "80x60");
        give("key z");
        viewer_pair_names(v, a, b);
        ck_assert_str_eq(a, pairs[i][2]);
        ck_assert_str_eq(b, pairs[i][3]);
        end();
    }
    BEGIN("new/a.gltf", "--size", "80x60");
    give("key shift+z\nkey pagedown\nkey z");
    viewer_pair_names(v, a, b);
    ck_assert_str_eq(a, "Back");
    ck_assert_str_eq(b, "Go");
    end();
}
END_TEST

START_TEST(models_of_a_folder)
{
    ck_assert_int_eq(mkdir("models", 0777), 0);
    write_triangle("models/a.gltf", "Go", "Back", 3, "");
    write_triangle("models/b.gltf", "Go", "Back", 3, "");
    write_triangle("models/c.gltf", "Go", "Back", 9, ""); /* damaged */
    shell("touch models/notes.txt models/.hidden.gltf");
    BEGIN("models/a.gltf", "--size", "80x60");
    give("key right");
    assert_has("render models/b.gltf ");
    give("key left\nkey left");
    assert_has("render models/a.gltf "); /* c can't be read */
    ck_assert_msg(strstr(said, "c.gltf"), "%s", said);
    give("drop models/b.gltf");
    assert_has("render models/b.gltf ");
    give("drop models/none.gltf");
    assert_has("render models/b.gltf ");
    ck_assert_str_eq(viewer_title(v), "b - marrow");
    end();
    BEGIN("models/a.gltf", "demo:blob", "models/b.gltf", "--size", "80x60");
    give("resize 100 90\nkey right"); /* the window stays as large as it is */
    assert_has("render demo:blob ");
    assert_has("--size 100x90 ");
    give("key right\nkey right");
    assert_has("render models/a.gltf ");
    end();
    BEGIN("demo:blob");
    give("key left");
    ck_assert_msg(strstr(said, "no other model"), "%s", said);
    end();
}
END_TEST

START_TEST(saving_overwrites_nothing)
{
    write_plain_triangle();
    BEGIN("tri.gltf", "--size", "80x60", "-o", "out/");
    give("key .\nkey s\nkey s");
    assert_png("out/tri_Go_0001.png", 80, 60, 2);
    assert_png("out/tri_Go_0001_2.png", 80, 60, 2);
    ck_assert_int_eq(count_files("out"), 2);
    end();
    shell("touch full");
    BEGIN("tri.gltf", "--size", "80x60", "-o", "full/");
    give("key s");
    ck_assert_msg(strstr(said, "full"), "%s", said);
    end();
}
END_TEST

/* ---- windows --------------------------------------------------------------------------------- */

START_TEST(windows_of_all_sizes)
{
    static const char *const sizes[] = {"resize 1 1", "resize 3 900", "resize 900 3",
                                        "resize 17 17", "resize 1280 720"};
    uint32_t width, height;
    BEGIN("demo:figure", "--size", "80x60");
    give("key k\nkey h\nkey tab");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        give(sizes[i]);
        shown();
        give("press left 0 0\nmove 500 500\nrelease left 500 500\nscroll 1\nkey h");
        viewer_size(v, &width, &height);
        ck_assert_uint_eq(shown()->width, width);
    }
    give("resize 0 0");
    ck_assert_uint_eq(shown()->width, 1280);
    ck_assert(!viewer_is_done(v));
    give("key escape\nkey escape\nkey escape");
    ck_assert(!viewer_is_done(v));
    give("key q");
    ck_assert(viewer_is_done(v));
    end();
}
END_TEST

static void assert_fails(const char *path, const char *option, const char *value, const char *words)
{
    const char *const argv[] = {"view", path, option, value};
    mrw_error error;
    ck_assert_int_eq(try_begin(argv, option ? 4 : 2, &error), MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, words), "%s", error.text);
    ck_assert_ptr_null(v);
    mrw_settings_free(&settings);
}

START_TEST(what_cannot_begin)
{
    assert_fails("none.gltf", NULL, NULL, "none.gltf");
    assert_fails("demo:figure", "--clip", "Nowhere", "Nowhere");
    assert_fails("demo:figure", "--camera", "Nowhere", "Nowhere");
    assert_fails("demo:figure", "--follow", "Nowhere", "Nowhere");
}
END_TEST

/* Events are written as they are read. */
START_TEST(events_are_lines)
{
    static const char *const lines[] = {"tick 16667",
                                        "key a",
                                        "key shift+pageup",
                                        "key ctrl+space",
                                        "up w",
                                        "press left 3 4",
                                        "press shift+right 0 99",
                                        "release middle 3.5 4",
                                        "move -3 4000",
                                        "scroll -1.5",
                                        "resize 640 480",
                                        "drop a b/c d.glb",
                                        "paste two\\nlines \\\\ and",
                                        "changed",
                                        "expect out/x.png"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[200];
        viewer_event event;
        mrw_text text_out = {0};
        mrw_error error;
        snprintf(text, sizeof text, "%s", lines[i]);
        ck_assert_msg(viewer_event_read(text, &event, &error) == MRW_OK, "%s", error.text);
        viewer_event_write(&event, &text_out);
        ck_assert_str_eq(text_out.data, lines[i]);
        mrw_text_free(&text_out);
    }
    static const char *const wrong[] = {"",     "tock 3",  "tick",      "tick -1",      "tick 1e9",
                                        "key",  "key ab",  "press 3 4", "press left 3", "resize 3",
                                        "drop", "expect ", "up"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[200];
        viewer_event event;
        snprintf(text, sizeof text, "%s", wrong[i]);
        ck_assert_msg(viewer_event_read(text, &event, NULL) == MRW_ERROR_INPUT, "%s", wrong[i]);
    }
}
END_TEST

/* ---- overlays fit ---------------------------------------------------------------------------- */

/* Columns at the right have but plates, or the background: nothing bright reaches them. */
static void assert_fits(const char *what)
{
    const mrw_image *image;
    bool changed;
    mrw_error error;
    ck_assert_int_eq(viewer_draw(v, &image, &changed, &error), MRW_OK);
    const uint32_t rows = image->height - 24; /* the line of time is below, at any size */
    uint64_t bright = 0;
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            const uint8_t *p = image->pixels + 3 * ((size_t)y * image->width + x);
            const bool is = p[0] > 150 && p[1] > 150;
            bright += is;
            ck_assert_msg(!is || x + 3 < image->width, "%s: cut at row %u of %ux%u", what, y,
                          image->width, image->height);
        }
    }
    ck_assert_msg(bright > 300, "%s: %llu bright pixels", what, (unsigned long long)bright);
}

START_TEST(overlays_fit_into_windows)
{
    static const char *const sizes[] = {"320x240", "640x480", "1280x720"};
    char events[300];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int width = atoi(sizes[i]), height = atoi(strchr(sizes[i], 'x') + 1);
        BEGIN("demo:figure", "--size", sizes[i], "--background", "#000000", "--shading", "joint");
        give("key h");
        assert_fits("help");
        give("key down\nkey down\nkey down");
        assert_fits("more help");
        give("key h\nkey tab");
        assert_fits("clips");
        snprintf(events, sizeof events, "key tab\npress left %d %d\nrelease left %d %d", width / 2,
                 height * 2 / 5, width / 2, height * 2 / 5);
        give(events);
        assert_fits("a click");
        give("drop a/folder/with/a/name/that/goes/on/and/on/beyond/the/border/of/the/smallest/"
             "window/there/is/and/then/some/more.gltf");
        assert_fits("a message");
        end();
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("viewer");
    TCase *tc = tcase_create("viewer");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 180);
    tcase_add_test(tc, keys_of_time);
    tcase_add_test(tc, ends_and_ranges);
    tcase_add_test(tc, the_line_of_time);
    tcase_add_test(tc, keys_of_views);
    tcase_add_test(tc, the_mouse_moves_the_camera);
    tcase_add_test(tc, flight_with_held_keys);
    tcase_add_test(tc, parallel_and_back);
    tcase_add_test(tc, angles_are_exact);
    tcase_add_test(tc, keys_of_clips);
    tcase_add_test(tc, the_first_hint);
    tcase_add_test(tc, the_list_of_clips);
    tcase_add_test(tc, coarse_while_moving);
    tcase_add_test(tc, pictures_per_second);
    tcase_add_test(tc, clips_together);
    tcase_add_test(tc, keys_of_a_mix);
    tcase_add_test(tc, clips_fade);
    tcase_add_test(tc, keys_of_shading);
    tcase_add_test(tc, clicks_name_and_paint);
    tcase_add_test(tc, skeletons_of_all_models);
    tcase_add_test(tc, edges_of_triangles);
    tcase_add_test(tc, two_backends);
    tcase_add_test(tc, lights_move);
    tcase_add_test(tc, lights_of_files);
    tcase_add_test(tc, lights_are_added);
    tcase_add_test(tc, lines_come_back);
    tcase_add_test(tc, files_change_and_vanish);
    tcase_add_test(tc, a_broken_drop_leaves_the_watch);
    tcase_add_test(tc, files_beside_come_back);
    tcase_add_test(tc, a_window_grows_while_a_model_loads);
    tcase_add_test(tc, a_kept_clip_vanishes);
    tcase_add_test(tc, progress_of_a_load);
    tcase_add_test(tc, progress_is_heard_outside);
    tcase_add_test(tc, loads_on_a_thread);
    tcase_add_test(tc, names_of_two);
    tcase_add_test(tc, models_of_a_folder);
    tcase_add_test(tc, saving_overwrites_nothing);
    tcase_add_test(tc, windows_of_all_sizes);
    tcase_add_test(tc, what_cannot_begin);
    tcase_add_test(tc, events_are_lines);
    tcase_add_test(tc, overlays_fit_into_windows);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
