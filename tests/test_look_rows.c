/* test_look_rows.c: --look: each row can be drawn, options override it, and `before` draws as pixel
 * version 8 did. */
#include "cli_fixture.h"

#include "marrow/options.h"

static mrw_settings settings;

static void begin(void)
{
    mrw_settings_init(&settings);
}

static void end(void)
{
    mrw_settings_free(&settings);
}

#define PARSE(...)                                                                                 \
    do {                                                                                           \
        static const char *const words[] = {__VA_ARGS__};                                          \
        mrw_error e;                                                                               \
        ck_assert_msg(mrw_settings_parse(&settings, sizeof words / sizeof *words, words, &e) ==    \
                          MRW_OK,                                                                  \
                      "%s", e.text);                                                               \
    } while (0)

START_TEST(rows_are_the_choices_of_look)
{
    size_t count, row = 0;
    const mrw_look *rows = mrw_look_rows(&count);
    char choices[200] = "";
    for (size_t i = 0; i < count; i++) {
        strcat(choices, i > 0 ? "|" : "");
        strcat(choices, rows[i].name);
    }
    while (strcmp(mrw_option_at(row)->name, "look") != 0) {
        row++;
    }
    ck_assert_str_eq(mrw_option_at(row)->argument, choices);
    ck_assert_uint_eq(rows[0].value_count, 0);
}
END_TEST

/* Each value of a row is accepted, none is left out because it does not fit the others, and none is
 * the default. */
START_TEST(every_value_is_set)
{
    size_t count;
    const mrw_look *rows = mrw_look_rows(&count);
    for (size_t i = 1; i < count; i++) {
        const char *const words[] = {"render", "a.glb", "--look", rows[i].name};
        mrw_settings made, plain;
        mrw_error e;
        mrw_settings_init(&made);
        mrw_settings_init(&plain);
        ck_assert_msg(mrw_settings_parse(&made, 4, words, &e) == MRW_OK, "%s", e.text);
        for (size_t k = 0; k < rows[i].value_count; k++) {
            ck_assert_msg(mrw_settings_given(&made, rows[i].values[k].option), "%s: --%s",
                          rows[i].name, rows[i].values[k].option);
        }
        ck_assert(memcmp(&made.picture, &plain.picture, sizeof made.picture) != 0);
        mrw_settings_free(&made);
        mrw_settings_free(&plain);
    }
}
END_TEST

START_TEST(options_override_a_look)
{
    PARSE("render", "--margin", "0.2", "--look", "product", "a.glb", "--no-ao");
    ck_assert_float_eq(settings.camera.view.margin, 0.2f);
    ck_assert(settings.picture.ground && !settings.picture.occlusion);
}
END_TEST

START_TEST(a_light_replaces_those_of_the_look)
{
    PARSE("render", "--look", "hero", "--light", "none", "a.glb");
    ck_assert_uint_eq(settings.lights.count, 0);
}
END_TEST

/* Without the ground nothing casts a shadow, so the softness of the look is left out, too. */
START_TEST(what_does_not_fit_is_left_out)
{
    PARSE("render", "--look=post", "--env-background", "--no-ground", "a.glb");
    ck_assert(!settings.picture.ground && settings.picture.occlusion);
    ck_assert(!mrw_settings_given(&settings, "background"));
    ck_assert(!mrw_settings_given(&settings, "shadow-softness"));
}
END_TEST

START_TEST(modes_without_light_have_no_ground)
{
    PARSE("render", "--look=post", "--shading", "normal", "a.glb");
    ck_assert(!settings.picture.ground && !settings.picture.occlusion);
}
END_TEST

START_TEST(sprites_stay_clear)
{
    PARSE("sprites", "--look=post", "a.glb");
    ck_assert(settings.picture.transparent && settings.picture.ground);
}
END_TEST

/* Pixel hashes of version 8, written by the release that drew it. No shadow falls in any of
 * these. */
START_TEST(before_draws_as_before)
{
    static const struct {
        const char *line, *hash;
    } rows[] = {
        {"figure.glb --time 0.3",
         "55a5e943c4ef49fb185a76d5daa94ff73a710993cf132d5cc808d30cf978e28a"},
        {"swatches.glb", "e779b11ab7f2b43fd1f824093f9c0bff5419f8b23b7e5f73ab950c6dbd7debb9"},
        {"tentacle.glb --time 0.5",
         "649657abeb71b059d3db6c6a8af104fdbe5344dc668f7b8257999f6b382a6bc9"},
        {"koi/koi.iqm", "ab7741454e44ade8c796a6fa8f4fb22cab35217b3e2e57f628a25147ecacc0c1"},
        {"stage.glb --time 0.4",
         "fce8a6987e195b3875b845d238008c3a277e1615455e4d12218f6d3df98f5c08"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        shell("marrow render '%s'/%s --look before --size 96 -o a.png --json", assets,
              rows[i].line);
        assert_status(0);
        ck_assert_msg(strstr(out, rows[i].hash), "%s: %s", rows[i].line, out);
    }
}
END_TEST

START_TEST(an_unknown_look_is_refused)
{
    shell("marrow render '%s/koi/koi.iqm' --look pretty -o a.png", assets);
    assert_refused(2, "plain");
    ck_assert(!exists("a.png"));
    shell("printf '[a]\\nmodel = %s/koi/koi.iqm\\nlook = pretty\\n' >a.suite.ini; marrow test "
          "a.suite.ini",
          assets);
    assert_status(2);
    assert_said("a.suite.ini:3");
    assert_said("pretty");
}
END_TEST

/* A suite's look is what the command line's is. */
START_TEST(suites_have_looks)
{
    shell("printf '[a]\\nmodel = %s/koi/koi.iqm\\nlook = before, product\\nsize = 64\\n"
          "margin = 0.2\\ntime = 0\\n' >a.suite.ini; marrow test a.suite.ini --update",
          assets);
    assert_status(0);
    static const char *const names[] = {"before", "product"};
    for (int i = 0; i < 2; i++) {
        shell(
            "marrow render '%s/koi/koi.iqm' --look %s --size 64 --margin 0.2 --time 0 -o a.png && "
            "marrow diff a.png golden/a/a.%s/*.png",
            assets, names[i], names[i]);
        assert_status(0);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("look rows");
    TCase *rows = tcase_create("rows"), *command = tcase_create("command");
    tcase_add_checked_fixture(rows, begin, end);
    tcase_add_test(rows, rows_are_the_choices_of_look);
    tcase_add_test(rows, every_value_is_set);
    tcase_add_test(rows, options_override_a_look);
    tcase_add_test(rows, a_light_replaces_those_of_the_look);
    tcase_add_test(rows, what_does_not_fit_is_left_out);
    tcase_add_test(rows, modes_without_light_have_no_ground);
    tcase_add_test(rows, sprites_stay_clear);
    suite_add_tcase(s, rows);
    tcase_add_checked_fixture(command, enter, test_folder_remove);
    tcase_set_timeout(command, 60);
    tcase_add_test(command, before_draws_as_before);
    tcase_add_test(command, an_unknown_look_is_refused);
    tcase_add_test(command, suites_have_looks);
    suite_add_tcase(s, command);
    return s;
}

TEST_MAIN(suite())
