/* test_look_rows.c: --look: each row can be drawn, options override it, and `before` draws as pixel
 * version 8 did. */
#include "cli_fixture.h"

#include "base/memory.h"
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

/* Returns true if a value changes settings, apart from the list of what was given. */
static bool changes(const mrw_look_value *value)
{
    mrw_settings plain, made;
    mrw_settings_init(&plain);
    mrw_settings_init(&made);
    ck_assert_int_eq(mrw_settings_set(&made, value->option, value->value, NULL), MRW_OK);
    const mrw_text_list given = made.given;
    made.given = plain.given;
    const bool changed = memcmp(&made, &plain, sizeof made) != 0;
    made.given = given;
    mrw_settings_free(&made);
    return changed;
}

/* Each value of a row is accepted, none is left out because it does not fit the others, and none is
 * the default. */
START_TEST(every_value_is_set)
{
    size_t count;
    const mrw_look *rows = mrw_look_rows(&count);
    for (size_t i = 1; i < count; i++) {
        const char *const words[] = {"render", "a.glb", "--look", rows[i].name};
        size_t lights = 0;
        mrw_settings made;
        mrw_error e;
        mrw_settings_init(&made);
        ck_assert_msg(mrw_settings_parse(&made, 4, words, &e) == MRW_OK, "%s", e.text);
        for (size_t k = 0; k < rows[i].value_count; k++) {
            const mrw_look_value *value = &rows[i].values[k];
            ck_assert_msg(mrw_settings_given(&made, value->option), "%s: --%s", rows[i].name,
                          value->option);
            ck_assert_msg(changes(value), "%s: --%s is the default", rows[i].name, value->option);
            lights += strcmp(value->option, "light") == 0 && strcmp(value->value, "default") != 0;
        }
        ck_assert_uint_eq(made.lights.count, lights);
        mrw_settings_free(&made);
    }
}
END_TEST

/* A failed allocation is a status, and nothing is lost. */
START_TEST(out_of_memory)
{
    static const char *const words[] = {"render", "a.glb", "--look", "hero"};
    mrw_status made = MRW_ERROR_MEMORY;
    uint64_t n = 0;
    while (made != MRW_OK) {
        mrw_settings_free(&settings);
        mrw_settings_init(&settings);
        mrwi_base_alloc_fail_at(++n);
        made = mrw_settings_parse(&settings, 4, words, NULL);
        ck_assert(made == MRW_ERROR_MEMORY || mrwi_base_alloc_fail_pending());
    }
    mrwi_base_alloc_fail_at(0);
    ck_assert_uint_gt(n, 4);
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

/* A ground would turn them on again. */
START_TEST(shadows_can_be_switched_off)
{
    PARSE("render", "--look=post", "--no-shadows", "a.glb");
    ck_assert(!settings.picture.ground && !settings.picture.shadows);
    ck_assert(settings.picture.occlusion);
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

/* Pixel hashes of version 8, written by the release that drew it. No shadow falls in any of these;
 * the lanterns have lights of their own. */
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
        {"lanterns.glb", "89c0052da255f002f7a8a83d67f9b6015b875c0ce102d9d54ed1d8ff82c98f68"},
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

/* Base colours, to the bit. */
START_TEST(data_shows_base_colours)
{
    shell(
        "marrow render '%s/swatches.glb' --look data --size 96 --aa 1 -q -o a.png && marrow render "
        "'%s/swatches.glb' --shading channel:base --background white --size 96 --aa 1 -q -o b.png "
        "&& marrow diff a.png b.png",
        assets, assets);
    assert_status(0);
}
END_TEST

/* A look changes the margin, so pick and bake must know it, too: the joint of the head is where the
 * picture shows the head. */
START_TEST(pick_and_bake_frame_like_render)
{
    static const char *const lines[] = {"", "--margin 0.05", "--look before"};
    for (int i = 0; i < 3; i++) {
        shell("{ marrow pick '%s/figure.glb' --size 256 --at 128,50 --json %s; marrow bake "
              "'%s/figure.glb' --size 256 --time 0 %s --joints -; } >said%d",
              assets, lines[i], assets, lines[i], i);
        assert_status(0);
    }
    shell("cmp said1 said2");
    assert_status(0);
    shell("cmp -s said0 said1");
    assert_status(1);
}
END_TEST

START_TEST(init_writes_the_look)
{
    shell("marrow init '%s/koi/koi.iqm' --look product -o a.suite.ini", assets);
    assert_status(0);
    shell("grep -c '^look = product$' a.suite.ini; grep -c '^ground' a.suite.ini");
    ck_assert_str_eq(out, "1\n0\n");
}
END_TEST

/* Another marrow draws the same: it is given the look, and the flags that a case switches off. */
START_TEST(looks_hold_against_another_marrow)
{
    shell("printf '[a]\\nmodel = %s/figure.glb\\nclip = Walk\\ntimes = 0.3\\nsize = 64\\n"
          "look = post, before, hero\\n[b]\\nmodel = %s/figure.glb\\ntimes = 0.3\\nsize = 64\\n"
          "look = post\\nao = off\\n' >a.suite.ini; marrow test a.suite.ini "
          "--against '%s'",
          assets, assets, program);
    assert_status(0);
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

START_TEST(a_flag_that_is_off_excludes_nothing)
{
    shell("printf '[a]\\nmodel = %s/koi/koi.iqm\\nlook = post\\nenv-background = off\\nsize = 64\\n"
          "time = 0\\n' >a.suite.ini; marrow test a.suite.ini --update -q && marrow render "
          "'%s/koi/koi.iqm' --look post --size 64 --time 0 -q -o a.png && marrow diff a.png "
          "golden/a/a/*.png",
          assets, assets);
    assert_status(0);
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
    tcase_add_test(rows, out_of_memory);
    tcase_add_test(rows, shadows_can_be_switched_off);
    tcase_add_test(rows, modes_without_light_have_no_ground);
    tcase_add_test(rows, sprites_stay_clear);
    suite_add_tcase(s, rows);
    tcase_add_checked_fixture(command, enter, test_folder_remove);
    tcase_set_timeout(command, 60);
    tcase_add_test(command, before_draws_as_before);
    tcase_add_test(command, data_shows_base_colours);
    tcase_add_test(command, pick_and_bake_frame_like_render);
    tcase_add_test(command, init_writes_the_look);
    tcase_add_test(command, looks_hold_against_another_marrow);
    tcase_add_test(command, an_unknown_look_is_refused);
    tcase_add_test(command, suites_have_looks);
    tcase_add_test(command, a_flag_that_is_off_excludes_nothing);
    suite_add_tcase(s, command);
    return s;
}

TEST_MAIN(suite())
