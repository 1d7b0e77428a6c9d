/* test_options_lights.c: what --light and --file-lights take and refuse, and what they come to. */
#include "test.h"

#include "base/memory.h"
#include "marrow/light.h"
#include "marrow/options.h"

/* Sets --light to each of the texts, up to a NULL. */
static void set_lights(mrw_settings *s, const char *const *texts)
{
    mrw_error error;
    mrw_settings_init(s);
    for (; *texts; texts++) {
        ck_assert_msg(mrw_settings_set(s, "light", *texts, &error) == MRW_OK, "%s", error.text);
    }
}

#define SET(s, ...) set_lights(s, (const char *const[]){__VA_ARGS__, NULL})

/* ---- what is taken --------------------------------------------------------------------------- */

static void check_vector(const float *got, double x, double y, double z)
{
    ck_assert_msg(got[0] == (float)x && got[1] == (float)y && got[2] == (float)z,
                  "%g %g %g, not %g %g %g", (double)got[0], (double)got[1], (double)got[2], x, y,
                  z);
}

/* 45 degrees are pi / 4. */
START_TEST(what_is_not_said_is_the_default)
{
    mrw_settings s;
    SET(&s, "directional:dir=0,-2,0.5", "point:pos=1,2,3", "spot:pos=-1,0,1e3,dir=1,0,0");
    ck_assert_uint_eq(s.lights.count, 3);
    for (int i = 0; i < 3; i++) {
        const mrw_light_entry *def = &s.lights.items[i];
        check_vector(def->color, 1, 1, 1);
        ck_assert_float_eq(def->intensity, 1.0f);
        ck_assert_float_eq(def->range, 0.0f);
        ck_assert_float_eq(def->inner_cone, 0.0f);
        ck_assert_double_eq_tol((double)def->outer_cone, 0.78539816339744831, 1e-7);
        ck_assert_int_eq(def->space, MRW_LIGHT_SPACE_WORLD);
        ck_assert_ptr_null(s.lights.items[i].node);
    }
    ck_assert_int_eq(s.lights.items[0].type, MRW_LIGHT_DIRECTIONAL);
    check_vector(s.lights.items[0].direction, 0, -2, 0.5);
    ck_assert_int_eq(s.lights.items[1].type, MRW_LIGHT_POINT);
    check_vector(s.lights.items[1].position, 1, 2, 3);
    ck_assert_int_eq(s.lights.items[2].type, MRW_LIGHT_SPOT);
    check_vector(s.lights.items[2].position, -1, 0, 1000);
    check_vector(s.lights.items[2].direction, 1, 0, 0);
    mrw_settings_free(&s);
}
END_TEST

/* 30 degrees are pi / 6, 90 pi / 2. */
START_TEST(keys_come_in_any_order)
{
    mrw_settings s;
    SET(&s, "spot:outer=90,range=7,color=0.5,0,2,dir=0,0,-1,intensity=40,inner=30,pos=1,2,3",
        "spot:pos=1, 2, 3, dir=0, 0, -1, inner=30, outer=90, color=0.5, 0, 2, range=7, "
        "intensity=40");
    for (int i = 0; i < 2; i++) {
        const mrw_light_entry *def = &s.lights.items[i];
        check_vector(def->position, 1, 2, 3);
        check_vector(def->direction, 0, 0, -1);
        check_vector(def->color, 0.5, 0, 2);
        ck_assert_float_eq(def->intensity, 40.0f);
        ck_assert_float_eq(def->range, 7.0f);
        ck_assert_double_eq_tol((double)def->inner_cone, 0.52359877559829887, 1e-7);
        ck_assert_double_eq_tol((double)def->outer_cone, 1.5707963267948966, 1e-7);
    }
    mrw_settings_free(&s);
}
END_TEST

START_TEST(tutorials_lamps_have_strengths)
{
    mrw_settings s;
    SET(&s, "point:pos=1,2,3", "point:attenuation=1,0.25,0.5,specular=2,pos=1,2,3,ambient=0.5",
        "directional:dir=0,-1,0,diffuse=0");
    const mrw_light_entry *items = s.lights.items;
    check_vector(items[0].attenuation, 1, 0, 0);
    check_vector((const float[]){items[0].ambient, items[0].diffuse, items[0].specular}, 0, 1, 1);
    check_vector(items[1].attenuation, 1, 0.25, 0.5);
    check_vector((const float[]){items[1].ambient, items[1].diffuse, items[1].specular}, 0.5, 1, 2);
    ck_assert_float_eq(items[2].diffuse, 0.0f);
    ck_assert_ptr_null(items[0].classic_key);
    ck_assert_str_eq(items[1].classic_key, "ambient");
    ck_assert_str_eq(items[2].classic_key, "diffuse");
    mrw_settings_free(&s);
}
END_TEST

/* In which modes the keys of tutorials' lamps count; elsewhere they would change nothing. */
START_TEST(tutorials_lamps_need_their_modes)
{
    static const struct {
        const char *shading;
        bool taken;
    } cases[] = {{"lit", false},    {"flat", false},   {"clay", false},
                 {"lambert", true}, {"phong", true},   {"gouraud", true},
                 {"toon", false},   {"normal", false}, {"unlit", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *argv[] = {
            "render",  "m.glb",           "--light",   "point:pos=0,1,2,diffuse=2",
            "--light", "point:pos=0,0,0", "--shading", cases[i].shading};
        char expected[256];
        mrw_settings s;
        mrw_error error;
        mrw_settings_init(&s);
        mrw_status status = mrw_settings_parse(&s, 8, argv, &error);
        ck_assert_int_eq(status, cases[i].taken ? MRW_OK : MRW_ERROR_USAGE);
        snprintf(expected, sizeof expected,
                 "--light: the key diffuse has no effect with --shading %s; leave the key out, or "
                 "use --shading phong",
                 cases[i].shading);
        ck_assert_msg(cases[i].taken || strcmp(error.text, expected) == 0, "%s", error.text);
        mrw_settings_free(&s);
    }
}
END_TEST

/* The first @ begins the space; names may have some, and commas, of their own. */
START_TEST(a_light_is_fixed_to_the_camera_or_a_node)
{
    static const char *const nodes[] = {NULL, "Lamp", "camera", "a@b,c=d", "node:x", "Camera"};
    mrw_settings s;
    SET(&s, "point:pos=0,0,0@camera", "point:pos=0,0,0@Lamp", "point:pos=0,0,0@node:camera",
        "directional:dir=0,0,-1@a@b,c=d", "point:pos=0,0,0@node:node:x", "point:pos=0,0,0@Camera");
    ck_assert_uint_eq(s.lights.count, 6);
    ck_assert_int_eq(s.lights.items[0].space, MRW_LIGHT_SPACE_CAMERA);
    ck_assert_ptr_null(s.lights.items[0].node);
    for (size_t i = 1; i < 6; i++) {
        ck_assert_int_eq(s.lights.items[i].space, MRW_LIGHT_SPACE_NODE);
        ck_assert_str_eq(s.lights.items[i].node, nodes[i]);
    }
    mrw_settings_free(&s);
}
END_TEST

/* Any --light takes the rig's place; default brings it back, wherever it stands. */
START_TEST(what_is_named_takes_the_place_of_the_rig)
{
    static const struct {
        const char *texts[4];
        mrw_rig_use rig;
        size_t lights;
        double ambient;
    } cases[] = {
        {{NULL}, MRW_RIG_AUTO, 0, 0},
        {{"none"}, MRW_RIG_OFF, 0, 0},
        {{"default"}, MRW_RIG_ON, 0, 0},
        {{"none", "default"}, MRW_RIG_ON, 0, 0},
        {{"default", "none"}, MRW_RIG_ON, 0, 0},
        {{"point:pos=0,0,0", "none"}, MRW_RIG_OFF, 1, 0},
        {{"default", "point:pos=0,0,0"}, MRW_RIG_ON, 1, 0},
        {{"point:pos=0,0,0", "default"}, MRW_RIG_ON, 1, 0},
        {{"ambient"}, MRW_RIG_OFF, 0, 1},
        {{"ambient:color=0.25,0.25,0.25", "ambient:color=0.5,1,2"}, MRW_RIG_OFF, 0, 0.75},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_settings s;
        set_lights(&s, cases[i].texts);
        ck_assert_msg(s.picture.rig == cases[i].rig && s.lights.count == cases[i].lights &&
                          (double)s.picture.ambient[0] == cases[i].ambient,
                      "case %zu: rig %d, %zu lights, ambient %g", i, (int)s.picture.rig,
                      s.lights.count, (double)s.picture.ambient[0]);
        ck_assert(s.picture.file_lights);
        mrw_settings_free(&s);
    }
}
END_TEST

START_TEST(lights_of_files_are_on_or_off)
{
    mrw_settings s;
    mrw_error error;
    char text[64];
    mrw_settings_init(&s);
    ck_assert(s.picture.file_lights);
    ck_assert_int_eq(mrw_settings_set(&s, "file-lights", "off", &error), MRW_OK);
    ck_assert(!s.picture.file_lights);
    ck_assert_int_eq(mrw_settings_set(&s, "file-lights", "on", &error), MRW_OK);
    ck_assert(s.picture.file_lights);
    ck_assert_int_eq(mrw_settings_set(&s, "file-lights", "no", &error), MRW_ERROR_USAGE);
    ck_assert_str_eq(error.text, "--file-lights 'no': expected on or off; did you mean on?");
    ck_assert_int_eq(mrw_settings_set(&s, "file-lights", NULL, &error), MRW_ERROR_USAGE);
    ck_assert_str_eq(error.text, "--file-lights needs a value: on|off");
    for (size_t i = 0; i < mrw_option_count(); i++) {
        if (strcmp(mrw_option_at(i)->name, "file-lights") == 0) {
            ck_assert_str_eq(mrw_option_default(i, text, sizeof text), "on");
        }
    }
    mrw_settings_free(&s);
}
END_TEST

/* On a command line an option with a value takes the next argument, and --light comes often. */
START_TEST(command_lines_name_any_number)
{
    static const char *argv[20004] = {"render", "m.glb", "--file-lights=off"};
    mrw_settings s;
    mrw_error error;
    const double start = mrw_clock_seconds(MRW_CLOCK_PROCESS);
    for (int i = 0; i < 10000; i++) {
        argv[3 + 2 * i] = "--light";
        argv[4 + 2 * i] = i % 2 ? "spot:pos=1,2,3,dir=0,-1,0@Lamp" : "point:pos=0,0,0,range=2";
    }
    mrw_settings_init(&s);
    ck_assert_msg(mrw_settings_parse(&s, 20003, argv, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(s.lights.count, 10000);
    ck_assert_str_eq(s.lights.items[9999].node, "Lamp");
    ck_assert(!s.picture.file_lights);
    ck_assert_uint_eq(s.given.count, 2);
    ck_assert_double_lt(mrw_clock_seconds(MRW_CLOCK_PROCESS) - start, 2.0);
    mrw_settings_free(&s);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

START_TEST(bad_lights_name_what_is_wrong)
{
    static const char *const cases[][2] = {
        {"", "expected none, default, ambient, directional, point or spot"},
        {"pint:pos=0,1,0",
         "expected none, default, ambient, directional, point or spot; did you mean point?"},
        {"Point:pos=0,1,0",
         "expected none, default, ambient, directional, point or spot; did you mean point?"},
        {"pos=0,1,0", "expected none, default, ambient, directional, point or spot"},
        {"none:", "none does not accept keys"},
        {"default:color=1,1,1", "default does not accept keys"},
        {"ambient:colour=1,1,1", "unknown key 'colour' in ambient; did you mean color?"},
        {"ambient:color=1,1,1,intensity=2",
         "unknown key 'intensity' in ambient; there is only color"},
        {"point:poss=0,0,0", "unknown key 'poss' in point; did you mean pos?"},
        {"point:pos=0,0,0,dir=0,0,1", "unknown key 'dir' in point; there are pos, color, "
                                      "intensity, range, attenuation, ambient, diffuse, specular"},
        {"directional:dir=0,-1,0,attenuation=1,0,0",
         "unknown key 'attenuation' in directional; there are dir, color, intensity, ambient, "
         "diffuse, specular"},
        {"ambient:diffuse=1", "unknown key 'diffuse' in ambient; there is only color"},
        {"directional:dir=0,-1,0,range=3",
         "unknown key 'range' in directional; there are dir, color, intensity, ambient, diffuse, "
         "specular"},
        {"directional:dir=0,-1,0,0",
         "unknown key '0' in directional; there are dir, color, intensity, ambient, diffuse, "
         "specular"},
        {"directional:dir=0,-1,0,color", "unknown key 'color' in directional; did you mean color?"},
        {"directional:dir=0,-1,0,",
         "unknown key '' in directional; there are dir, color, intensity, ambient, diffuse, "
         "specular"},
        {"point:pos=0,0,0,atenuation=1,0,0",
         "unknown key 'atenuation' in point; did you mean attenuation?"},
        {"spot:pos=0,0,0,dir=0,0,1,speculars=1",
         "unknown key 'speculars' in spot; did you mean specular?"},
        {"point:pos=0,0,0,attenuation=1,0,-0.1",
         "attenuation takes three numbers, as in 0,1.5,2, from 0 to 1e30"},
        {"point:pos=0,0,0,attenuation=1,0.5",
         "attenuation takes three numbers, as in 0,1.5,2, from 0 to 1e30"},
        {"point:pos=0,0,0,attenuation=0,0,-0",
         "attenuation is constant,linear,quadratic; at least one must be above 0"},
        {"directional:dir=0,-1,0,ambient=-1", "ambient takes a number from 0 to 1e30"},
        {"directional:dir=0,-1,0,diffuse=nan", "diffuse takes a number from 0 to 1e30"},
        {"directional:dir=0,-1,0,specular=", "specular takes a number from 0 to 1e30"},
        {"directional", "directional needs dir=X,Y,Z; add it"},
        {"directional:", "directional needs dir=X,Y,Z; add it"},
        {"directional:@camera", "directional needs dir=X,Y,Z; add it"},
        {"point:intensity=2", "point needs pos=X,Y,Z; add it"},
        {"spot:dir=0,0,1", "spot needs pos=X,Y,Z; add it"},
        {"spot:pos=0,0,1,outer=20", "spot needs dir=X,Y,Z; add it"},
        {"directional:dir=0,0,-0.0",
         "dir is the direction in which the light travels; it cannot be 0,0,0"},
        {"directional:dir=0,-1", "dir takes three numbers, as in 0,1.5,2, from -1e30 to 1e30"},
        {"directional:dir=0,-1,color=1,1,1",
         "dir takes three numbers, as in 0,1.5,2, from -1e30 to 1e30"},
        {"directional:dir=0,-1,1e31", "dir takes three numbers, as in 0,1.5,2, from -1e30 to 1e30"},
        {"directional:dir=0,-1,0x", "dir takes three numbers, as in 0,1.5,2, from -1e30 to 1e30"},
        {"directional:dir=0 -1 0", "dir takes three numbers, as in 0,1.5,2, from -1e30 to 1e30"},
        {"directional:dir=nan,0,1", "dir takes three numbers, as in 0,1.5,2, from -1e30 to 1e30"},
        {"point:pos=inf,0,0", "pos takes three numbers, as in 0,1.5,2, from -1e30 to 1e30"},
        {"point:pos=0,0,0,color=1,-0.1,1",
         "color takes three numbers, as in 0,1.5,2, from 0 to 1e30"},
        {"point:pos=0,0,0,color=1", "color takes three numbers, as in 0,1.5,2, from 0 to 1e30"},
        {"point:pos=0,0,0,intensity=-1", "intensity takes a number from 0 to 1e30"},
        {"point:pos=0,0,0,intensity=1e999", "intensity takes a number from 0 to 1e30"},
        {"point:pos=0,0,0,intensity=", "intensity takes a number from 0 to 1e30"},
        {"point:pos=0,0,0,range=-2", "range takes a number from 0 to 1e30"},
        {"spot:pos=0,0,0,dir=0,0,1,outer=181", "outer takes a number from 0 to 180"},
        {"spot:pos=0,0,0,dir=0,0,1,inner=-1", "inner takes a number from 0 to 180"},
        {"spot:pos=0,0,0,dir=0,0,1,inner=30,outer=20",
         "inner is larger than outer: 30.00 and 20.00 degrees"},
        {"spot:pos=0,0,0,dir=0,0,1,inner=50",
         "inner is larger than outer: 50.00 and 45.00 degrees"},
        {"point:pos=0,0,0,range=1,pos=1,1,1", "pos is given twice; leave one out"},
        {"point:pos=0,0,0@", "expected @camera, @NODE or @node:NAME"},
        {"point:pos=0,0,0@node:", "expected @camera, @NODE or @node:NAME"},
        {"none@camera", "only directional, point and spot lights can have @camera or @NODE"},
        {"ambient:color=1,1,1@Lamp",
         "only directional, point and spot lights can have @camera or @NODE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_settings s;
        mrw_error error;
        char expected[256];
        mrw_settings_init(&s);
        snprintf(expected, sizeof expected, "--light '%s': %s", cases[i][0], cases[i][1]);
        ck_assert_msg(mrw_settings_set(&s, "light", cases[i][0], &error) == MRW_ERROR_USAGE,
                      "'%s' was taken", cases[i][0]);
        ck_assert_str_eq(error.text, expected);
        ck_assert_uint_eq(s.lights.count, 0);
        ck_assert_int_eq(s.picture.rig, MRW_RIG_AUTO);
        mrw_settings_free(&s);
    }
}
END_TEST

/* A stranger's text of any length and bytes is a message of one line. */
START_TEST(long_and_wild_values_are_refused)
{
    static char text[4000];
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    memset(text, 'x', sizeof text - 1);
    ck_assert_int_eq(mrw_settings_set(&s, "light", text, &error), MRW_ERROR_USAGE);
    memcpy(text, "point:", 6);
    ck_assert_int_eq(mrw_settings_set(&s, "light", text, &error), MRW_ERROR_USAGE);
    ck_assert_msg(strstr(error.text, "there are pos, color"), "%s", error.text);
    ck_assert_int_eq(mrw_settings_set(&s, "light", "point:\n\033[1m=3", &error), MRW_ERROR_USAGE);
    ck_assert_msg(!strpbrk(error.text, "\n\033"), "%s", error.text);
    mrw_settings_free(&s);
}
END_TEST

/* Whichever allocation fails, that is told. */
START_TEST(more_lights_than_memory)
{
    int failures = 0;
    for (uint64_t n = 1;; n++) {
        mrw_settings s;
        mrw_error error = {0};
        mrw_settings_init(&s);
        mrwi_base_alloc_fail_at(n);
        mrw_status status = MRW_OK;
        for (int i = 0; i < 5 && status == MRW_OK; i++) {
            status = mrw_settings_set(&s, "light", "point:pos=0,0,0", &error);
        }
        const bool done = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        mrw_settings_free(&s);
        if (done) {
            ck_assert_int_eq(status, MRW_OK);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        failures++;
    }
    ck_assert_int_ge(failures, 4); /* a list of one, of two, of four, of eight */
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("options lights");
    TCase *tc = tcase_create("lights");
    tcase_add_test(tc, what_is_not_said_is_the_default);
    tcase_add_test(tc, keys_come_in_any_order);
    tcase_add_test(tc, tutorials_lamps_have_strengths);
    tcase_add_test(tc, tutorials_lamps_need_their_modes);
    tcase_add_test(tc, a_light_is_fixed_to_the_camera_or_a_node);
    tcase_add_test(tc, what_is_named_takes_the_place_of_the_rig);
    tcase_add_test(tc, lights_of_files_are_on_or_off);
    tcase_add_test(tc, command_lines_name_any_number);
    tcase_add_test(tc, bad_lights_name_what_is_wrong);
    tcase_add_test(tc, long_and_wild_values_are_refused);
    tcase_add_test(tc, more_lights_than_memory);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
