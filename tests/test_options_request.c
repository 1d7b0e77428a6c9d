/* test_options_request.c: what a request may set, and rules for settings that no command line
 * made. */
#include "test.h"

#include <marrow/marrow.h>

static mrw_settings settings;
static mrw_error error;

static void begin(void)
{
    mrw_settings_init(&settings);
    settings.command = MRW_COMMAND_RENDER;
    error.text[0] = '\0';
}

static void end(void)
{
    mrw_settings_free(&settings);
}

static mrw_status request(const char *name, const char *value)
{
    return mrw_settings_set_request(&settings, name, value, &error);
}

static void assert_refused(const char *name, const char *value, const char *part)
{
    ck_assert_msg(request(name, value) == MRW_ERROR_USAGE, "%s %s", name, value);
    ck_assert_msg(strstr(error.text, part), "%s", error.text);
}

/* Every option that a request may set on a picture. A new option must be added here or get
 * MRWI_OPTIONS_HOST: think of what a stranger could do with it. */
static const char *const allowed[] = {"sheet",
                                      "rows",
                                      "labels",
                                      "atlas-format",
                                      "pivot",
                                      "atlas-numbers",
                                      "gap",
                                      "extrude",
                                      "bleed",
                                      "trim",
                                      "page-size",
                                      "power-of-two",
                                      "png",
                                      "quality",
                                      "matte",
                                      "dither",
                                      "aov",
                                      "aov-view",
                                      "depth-scale",
                                      "clip",
                                      "retarget",
                                      "blend",
                                      "sync",
                                      "layer",
                                      "additive",
                                      "together",
                                      "root-motion",
                                      "pose",
                                      "frames",
                                      "times",
                                      "count",
                                      "fps",
                                      "speed",
                                      "loop",
                                      "wrap",
                                      "size",
                                      "aa",
                                      "shading",
                                      "look",
                                      "filter",
                                      "light",
                                      "rig",
                                      "file-lights",
                                      "exposure",
                                      "tonemap",
                                      "light-frame",
                                      "env",
                                      "env-rotate",
                                      "env-intensity",
                                      "env-compensation",
                                      "env-background",
                                      "env-blur",
                                      "shadows",
                                      "shadow-size",
                                      "shadow-softness",
                                      "ground",
                                      "ao",
                                      "ao-radius",
                                      "ao-strength",
                                      "background",
                                      "overlay",
                                      "overlay-depth",
                                      "overlay-alone",
                                      "bits",
                                      "fit",
                                      "margin",
                                      "azimuth",
                                      "elevation",
                                      "eye",
                                      "target",
                                      "up",
                                      "fov",
                                      "ortho",
                                      "view-height",
                                      "near",
                                      "far",
                                      "views",
                                      "turntable",
                                      "directions",
                                      "camera",
                                      "follow",
                                      "translate",
                                      "rotate",
                                      "scale",
                                      "skinning",
                                      "max-influences",
                                      "hide",
                                      "show",
                                      "show-hidden",
                                      "sides",
                                      "displacement",
                                      "subdivide",
                                      "copies",
                                      "spread",
                                      "stagger",
                                      "id",
                                      "input-format",
                                      "scene",
                                      "variant",
                                      "max-file-size",
                                      "max-texture-size",
                                      "texture-memory",
                                      "max-vertices",
                                      "max-joints",
                                      "max-keys",
                                      "import-seconds",
                                      "import-memory",
                                      "fbx-curves",
                                      "from-first-key",
                                      "material-colors",
                                      "flip-v",
                                      "flip-winding",
                                      "max-work"};

START_TEST(the_list_of_options_is_known)
{
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const char *name = mrw_option_at(i)->name;
        bool listed = false;
        for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++) {
            listed = listed || strcmp(allowed[k], name) == 0;
        }
        begin();
        error.text[0] = '\0';
        request(name, "?");
        const char *refused = strstr(error.text, "a request may not set");
        ck_assert_msg(listed == !refused, "%s: %s", name, error.text);
        end();
    }
}
END_TEST

START_TEST(files_are_refused)
{
    static const char *const values[][2] = {
        {"env", "/etc/passwd"},          {"env", "sky.hdr"},      {"background", "a.png"},
        {"background", "/b/../a.JPG"},   {"shading", "matcap:a"}, {"displacement", "a.png:1"},
        {"displacement", "/dev/zero:1"},
    };
    static const char *const fine[][2] = {
        {"env", "studio"},           {"env", "none"},
        {"background", "#102030"},   {"background", "none"},
        {"background", "red..blue"}, {"shading", "toon"},
        {"shading", "weights:Hips"}, {"displacement", "none"},
    };
    begin();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_refused(values[i][0], values[i][1], "may not name files");
    }
    ck_assert_ptr_null(settings.environment);
    ck_assert_uint_eq(settings.given.count, 0);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        ck_assert_msg(request(fine[i][0], fine[i][1]) == MRW_OK, "%s", error.text);
    }
    end();
}
END_TEST

START_TEST(limits_are_only_lowered)
{
    begin();
    ck_assert_int_eq(mrw_settings_set(&settings, "max-file-size", "50M", NULL), MRW_OK);
    assert_refused("max-file-size", "51M", "may lower this limit, but not raise it");
    ck_assert_uint_eq(settings.files.max_file_size, UINT64_C(50) << 20);
    ck_assert_int_eq(request("max-file-size", "50M"), MRW_OK);
    ck_assert_int_eq(request("max-file-size", "1M"), MRW_OK);
    assert_refused("max-file-size", "2M", "not raise");
    ck_assert_uint_eq(settings.files.max_file_size, UINT64_C(1) << 20);
    assert_refused("import-seconds", "11", "not raise");
    ck_assert_double_eq(settings.files.import_seconds, 10.0);
    assert_refused("max-work", "2e11", "--max-work");
    assert_refused("max-vertices", "21M", "not raise");
    settings.run.max_work = 0; /* no limit */
    ck_assert_int_eq(request("max-work", "5"), MRW_OK);
    assert_refused("max-work", "6", "not raise");
    end();
}
END_TEST

START_TEST(unknown_names_get_the_nearest)
{
    begin();
    assert_refused("siez", "1", "--size");
    assert_refused("size", "0", "--size '0'");
    end();
}
END_TEST

/* What mrw_settings_parse says of the same options on a command line. */
START_TEST(the_rules_are_those_of_the_command_line)
{
    static const char *const cases[][4] = {
        {"sync", NULL, NULL, NULL},
        {"clip", "Walk", "blend", "Walk:1"},
        {"backend", "soft", "gl-device", "1"},
        {"labels", NULL, NULL, NULL},
        {"json", "a", "tap", NULL},
        {"trim", "frame", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *argv[8] = {"render", "demo:figure"};
        char text[4][64];
        int argc = 2;
        mrw_error parsed = {0};
        mrw_settings line;
        begin();
        for (int k = 0; k < 4; k += 2) {
            if (cases[i][k]) {
                snprintf(text[k], sizeof text[k], "--%s", cases[i][k]);
                argv[argc++] = text[k];
            }
            if (cases[i][k + 1]) {
                argv[argc++] = cases[i][k + 1];
            }
            if (cases[i][k]) {
                ck_assert_int_eq(mrw_settings_set(&settings, cases[i][k], cases[i][k + 1], NULL),
                                 MRW_OK);
            }
        }
        mrw_settings_init(&line);
        ck_assert_int_eq(mrw_settings_parse(&line, argc, argv, &parsed), MRW_ERROR_USAGE);
        ck_assert_int_eq(mrw_settings_check(&settings, MRW_COMMAND_RENDER, &error),
                         MRW_ERROR_USAGE);
        ck_assert_str_eq(error.text, parsed.text);
        mrw_settings_free(&line);
        end();
    }
}
END_TEST

START_TEST(looks_and_sheets_are_settled)
{
    begin();
    ck_assert_int_eq(mrw_settings_set(&settings, "look", "hero", NULL), MRW_OK);
    ck_assert(!mrw_settings_given(&settings, "background"));
    ck_assert_int_eq(mrw_settings_check(&settings, MRW_COMMAND_RENDER, NULL), MRW_OK);
    ck_assert(mrw_settings_given(&settings, "background"));
    ck_assert_int_eq(settings.command, MRW_COMMAND_RENDER);
    end();
    begin();
    ck_assert_int_eq(mrw_settings_check(&settings, MRW_COMMAND_SHEET, NULL), MRW_OK);
    ck_assert_uint_eq(settings.picture.width, 128);
    ck_assert_uint_eq(settings.animation.count, 8);
    end();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("options request");
    TCase *t = tcase_create("all");
    tcase_add_test(t, the_list_of_options_is_known);
    tcase_add_test(t, files_are_refused);
    tcase_add_test(t, limits_are_only_lowered);
    tcase_add_test(t, unknown_names_get_the_nearest);
    tcase_add_test(t, the_rules_are_those_of_the_command_line);
    tcase_add_test(t, looks_and_sheets_are_settled);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
