/* test_options.c: the option table, command lines, frame choices. */
#include "test.h"

#include "marrow/anim.h"
#include "marrow/compare.h"
#include "marrow/frame.h"
#include "marrow/load.h"
#include "marrow/options.h"
#include "marrow/skin.h"
#include "options/table.h"

#include <locale.h>

/* Parses the arguments given; the settings are the caller's to free. */
#define PARSE(settings, error, ...)                                                                \
    parse(settings, error, (const char *const[]){__VA_ARGS__},                                     \
          (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static mrw_status parse(mrw_settings *settings, mrw_error *error, const char *const *argv, int argc)
{
    error->text[0] = '\0';
    mrw_settings_init(settings);
    return mrw_settings_parse(settings, argc, argv, error);
}

#define ASSERT_REFUSED(part, ...)                                                                  \
    do {                                                                                           \
        mrw_settings refused;                                                                      \
        mrw_error why;                                                                             \
        ck_assert_int_eq(PARSE(&refused, &why, __VA_ARGS__), MRW_ERROR_USAGE);                     \
        ck_assert_msg(strstr(why.text, part), "'%s' lacks '%s'", why.text, part);                  \
        ck_assert_ptr_null(strchr(why.text, '\n'));                                                \
        mrw_settings_free(&refused);                                                               \
    } while (0)

/* ---- the table ------------------------------------------------------------------------------- */

static size_t row_of(const char *name)
{
    size_t row = 0;
    while (row < mrw_option_count() && strcmp(mrw_option_at(row)->name, name) != 0) {
        row++;
    }
    ck_assert_msg(row < mrw_option_count(), "--%s", name);
    return row;
}

/* By hand: what the defaults of the rooms' headers are called on a command line. */
START_TEST(defaults_are_shown_in_the_form_of_the_option)
{
    static const char *const expected[][2] = {{"png", "fast"},
                                              {"root-motion", "keep"},
                                              {"fps", "30"},
                                              {"speed", "1"},
                                              {"wrap", "none"},
                                              {"size", "512x512"},
                                              {"aa", "4"},
                                              {"shading", "lit"},
                                              {"filter", "trilinear"},
                                              {"exposure", "1"},
                                              {"tonemap", "neutral"},
                                              {"background", "#b8c3d3"},
                                              {"fit", "clip; still: frame; sheet: all"},
                                              {"margin", "0.1"},
                                              {"azimuth", "auto"},
                                              {"elevation", "15"},
                                              {"fov", "35"},
                                              {"up", "0,1,0"},
                                              {"scale", "1"},
                                              {"translate", "0,0,0"},
                                              {"eye", ""},
                                              {"target", "the model's centre"},
                                              {"near", "from the model"},
                                              {"view-height", "from the model"},
                                              {"sheet", ""},
                                              {"count", ""},
                                              {"update", ""},
                                              {"repeat", "1"},
                                              {"max-pixels", "0"},
                                              {"max-flip", "0.05"},
                                              {"max-file-size", "2G"},
                                              {"max-texture-size", "16384x16384"},
                                              {"texture-memory", "1G"},
                                              {"max-vertices", "20M"},
                                              {"max-joints", "65535"},
                                              {"max-keys", "50M"},
                                              {"import-seconds", "10"},
                                              {"import-memory", "2G"},
                                              {"isa", "auto"},
                                              {"force", ""},
                                              {"clip", "the first"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char text[64];
        ck_assert_str_eq(mrw_option_default(row_of(expected[i][0]), text, sizeof text),
                         expected[i][1]);
    }
}
END_TEST

/* Each word is a command's name. */
static void check_owners(const mrw_option *option)
{
    char words[256];
    size_t count = 0;
    snprintf(words, sizeof words, "%s", option->commands);
    for (const char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        bool known = false;
        for (int c = 0; c < MRW_COMMAND_COUNT; c++) {
            if (strcmp(mrw_command_describe((mrw_command)c)->name, word) == 0) {
                ck_assert(mrw_option_belongs(option, (mrw_command)c));
                known = true;
            }
        }
        ck_assert_msg(known, "--%s: %s", option->name, word);
        count++;
    }
    ck_assert_uint_gt(count, 0);
}

START_TEST(rows_are_complete)
{
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *a = mrw_option_at(i);
        ck_assert_msg(a->help && strlen(a->help) > 10 && strlen(a->help) < 100, "--%s", a->name);
        check_owners(a);
        ck_assert_int_lt(a->group, MRW_OPTIONS_GROUP_COUNT);
        for (size_t k = 0; k < i; k++) {
            const mrw_option *b = mrw_option_at(k);
            ck_assert_str_ne(a->name, b->name);
            ck_assert(a->short_name == 0 || a->short_name != b->short_name);
        }
    }
    for (int c = 0; c < MRW_COMMAND_COUNT; c++) {
        const mrw_command_info *command = mrw_command_describe((mrw_command)c);
        ck_assert_ptr_nonnull(command->name);
        ck_assert_ptr_nonnull(command->summary);
        for (int e = 0; e < 3; e++) {
            ck_assert_int_eq(strncmp(command->examples[e], "marrow ", 7), 0);
        }
    }
}
END_TEST

/* ---- command lines --------------------------------------------------------------------------- */

START_TEST(options_stand_anywhere)
{
    mrw_settings s;
    mrw_error error;
    mrw_status status = PARSE(&s, &error, "--size=64x32", "render", "-q", "a.glb", "--clip", "Run",
                              "b.glb", "--clip=Walk", "-j4", "-o", "-", "--", "--odd.glb");
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    ck_assert_int_eq(s.command, MRW_COMMAND_RENDER);
    ck_assert_uint_eq(s.arguments.count, 3);
    ck_assert_str_eq(s.arguments.items[0], "a.glb");
    ck_assert_str_eq(s.arguments.items[1], "b.glb");
    ck_assert_str_eq(s.arguments.items[2], "--odd.glb");
    ck_assert_uint_eq(s.animation.clips.count, 2);
    ck_assert_str_eq(s.animation.clips.items[1], "Walk");
    ck_assert_uint_eq(s.picture.width, 64);
    ck_assert_uint_eq(s.picture.height, 32);
    ck_assert_uint_eq(s.run.threads, 4);
    ck_assert(s.run.quiet);
    ck_assert_str_eq(s.output.path, "-");
    ck_assert(mrw_settings_given(&s, "clip"));
    ck_assert(!mrw_settings_given(&s, "aa"));
    mrw_settings_free(&s);
}
END_TEST

START_TEST(values_may_begin_with_a_dash)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", "--frames", "-1", "--translate",
                           "-1,-2,3", "--azimuth", "-45"),
                     MRW_OK);
    ck_assert_int_eq(s.animation.frames[0].first, -1);
    ck_assert_float_eq(s.model.translate[0], -1.0f);
    ck_assert_double_eq(s.camera.view.azimuth_degrees, -45.0);
    mrw_settings_free(&s);
}
END_TEST

START_TEST(spaces_may_follow_commas)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", "--frames", "0,  7-9, -1"), MRW_OK);
    ck_assert_uint_eq(s.animation.frame_count, 3);
    ck_assert_int_eq(s.animation.frames[1].first, 7);
    ck_assert_int_eq(s.animation.frames[2].first, -1);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", "--times", "0.5, 1", "--eye", "1, -2,3"),
                     MRW_OK);
    ck_assert_double_eq(s.animation.times[1], 1.0);
    ck_assert_float_eq(s.camera.view.eye[1], -2.0f);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", "--blend", "Walk:1, Run fast:2"), MRW_OK);
    ck_assert_uint_eq(s.animation.blend_count, 2);
    ck_assert_uint_eq(s.animation.blend[1].name_length, 8);
    ck_assert_int_eq(strncmp(s.animation.blend[1].name, "Run fast", 8), 0);
    mrw_settings_free(&s);
    mrw_mask mask;
    ck_assert(mrw_mask_parse("rect:1, 2, 3,4", &mask));
    ck_assert_uint_eq(mask.rect[1], 2);
    ck_assert(!mrw_mask_parse("rect:1,2,3,4 ", &mask));
    ASSERT_REFUSED("0-47x2", "render", "m.glb", "--frames", "1, ");
    ASSERT_REFUSED("three numbers", "render", "m.glb", "--eye", "1 ,2,3");
}
END_TEST

START_TEST(the_last_of_scalars_that_are_set_wins)
{
    mrw_settings s;
    mrw_error error;
    static const char *const pairs[][2] = {
        {"aa", "1"}, {"aa", "8"}, {"times", "1,2"}, {"time", "0.25"}, {"size", "7"}};
    mrw_settings_init(&s);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ck_assert_int_eq(mrw_settings_set(&s, pairs[i][0], pairs[i][1], &error), MRW_OK);
    }
    ck_assert_uint_eq(s.picture.samples, 8);
    ck_assert_uint_eq(s.animation.time_count, 1);
    ck_assert_double_eq(s.animation.times[0], 0.25);
    ck_assert_uint_eq(s.picture.width, 7);
    ck_assert_uint_eq(s.picture.height, 7);
    mrw_settings_free(&s);
}
END_TEST

START_TEST(choices_follow_the_enums)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", "--shading", "unlit", "--filter",
                           "nearest", "--fit", "all", "--wrap", "pingpong", "--isa", "scalar",
                           "--scale", "2", "--up", "0,0,1", "--skinning", "dual-quaternion",
                           "--max-influences", "4"),
                     MRW_OK);
    ck_assert_int_eq(mrw_settings_set(&s, "tonemap", "aces", &error), MRW_OK);
    ck_assert_uint_eq(s.picture.tonemap, MRW_TONEMAP_ACES);
    ck_assert_int_eq(mrw_settings_set(&s, "tonemap", "neutral", &error), MRW_OK);
    ck_assert_uint_eq(s.picture.tonemap, MRW_TONEMAP_NEUTRAL);
    ck_assert_uint_eq(s.model.skinning, MRW_SKINNING_DUAL_QUATERNION);
    ck_assert_uint_eq(s.model.max_influences, 4);
    ck_assert_uint_eq(s.picture.shading, MRW_SHADING_UNLIT);
    ck_assert_uint_eq(s.picture.filter, 0);
    ck_assert_uint_eq(s.camera.fit, 3);
    ck_assert_uint_eq(s.animation.wrap, MRW_TIME_PINGPONG);
    ck_assert_int_eq(s.run.isa, MRW_ISA_SCALAR);
    ck_assert_float_eq(s.model.scale[1], 2.0f);
    ck_assert_float_eq(s.camera.view.up[2], 1.0f);
    mrw_settings_free(&s);
}
END_TEST

/* A factor, for what is lit; a tone map for lit pictures alone. */
START_TEST(overlays_are_named)
{
    mrw_settings s;
    mrw_error error = {0};
    ck_assert_int_eq(PARSE(&s, &error, "render", "--overlay", "names,wire", "m.glb"), MRW_OK);
    ck_assert_uint_eq(s.picture.overlays, 1u << MRW_OVERLAY_NAMES | 1u << MRW_OVERLAY_WIRE);
    ck_assert_int_eq(mrw_settings_set(&s, "overlay", "label, grid", &error), MRW_OK);
    ck_assert_uint_eq(s.picture.overlays, 1u << MRW_OVERLAY_LABEL | 1u << MRW_OVERLAY_GRID);
    ck_assert_int_eq(mrw_settings_set(&s, "overlay", "none", &error), MRW_OK);
    ck_assert_uint_eq(s.picture.overlays, 0);
    ck_assert_int_eq(mrw_settings_set(&s, "overlay", "wire , label ", &error), MRW_OK);
    ck_assert_uint_eq(s.picture.overlays, 1u << MRW_OVERLAY_WIRE | 1u << MRW_OVERLAY_LABEL);
    mrw_settings_free(&s);
    ASSERT_REFUSED("did you mean skeleton", "render", "--overlay", "names,skeletn", "m.glb");
    ASSERT_REFUSED("there are grid, wire,", "render", "--overlay", "", "m.glb");
    ASSERT_REFUSED("'wire extra'", "render", "--overlay", "wire extra,label", "m.glb");
    ASSERT_REFUSED("'none'", "render", "--overlay", "wire,none", "m.glb");
    ASSERT_REFUSED("--overlay-depth", "render", "--overlay-depth", "m.glb");
}
END_TEST

/* The next argument is a value where it begins with #, else a model. */
START_TEST(the_ground_takes_a_colour)
{
    mrw_settings s;
    mrw_error error = {0};
    ck_assert_int_eq(PARSE(&s, &error, "render", "--ground", "m.glb"), MRW_OK);
    ck_assert_int_eq(s.picture.ground, MRW_GROUND_CATCHER);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "--ground", "#102030", "m.glb"), MRW_OK);
    ck_assert_int_eq(s.picture.ground, MRW_GROUND_COLOR);
    ck_assert_mem_eq(s.picture.ground_color, ((uint8_t[]){0x10, 0x20, 0x30}), 3);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", "--ground=white"), MRW_OK);
    ck_assert_int_eq(s.picture.ground_color[1], 255);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb"), MRW_OK);
    ck_assert_int_eq(mrw_settings_set(&s, "ground", "on", &error), MRW_OK);
    ck_assert_int_eq(s.picture.ground, MRW_GROUND_CATCHER);
    ck_assert_int_eq(mrw_settings_set(&s, "ground", "off", &error), MRW_OK);
    ck_assert_int_eq(s.picture.ground, MRW_GROUND_NONE);
    mrw_settings_free(&s);
    ASSERT_REFUSED("as in --ground=#808080", "render", "m.glb", "--ground=#12");
    ASSERT_REFUSED("as in --ground=#808080", "render", "m.glb", "--ground=#10203040");
    ASSERT_REFUSED("from 128 to 8192", "render", "m.glb", "--shadows", "--shadow-size", "127");
    ASSERT_REFUSED("from 0 to 50", "render", "m.glb", "--shadows", "--shadow-softness", "-1");
    ASSERT_REFUSED("from 0 to 50", "render", "m.glb", "--shadows", "--shadow-softness", "nan");
    ASSERT_REFUSED("--shadow-size has no effect without --shadows", "render", "m.glb",
                   "--shadow-size", "512");
}
END_TEST

START_TEST(exposure_and_tone_map)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", "--exposure", "0", "--tonemap", "none"),
                     MRW_OK);
    ck_assert_float_eq(s.picture.exposure, 0.0f);
    ck_assert_uint_eq(s.picture.tonemap, MRW_TONEMAP_NONE);
    mrw_settings_free(&s);
    ck_assert_int_eq(
        PARSE(&s, &error, "diff", "a.glb", "b.glb", "--exposure", "1e6", "--shading", "lambert"),
        MRW_OK);
    ck_assert_float_eq(s.picture.exposure, 1e6f);
    mrw_settings_free(&s);
    ASSERT_REFUSED("from 0 to 1000000", "render", "m.glb", "--exposure", "-0.1");
    ASSERT_REFUSED("from 0 to 1000000", "render", "m.glb", "--exposure", "1e7");
    ASSERT_REFUSED("from 0 to 1000000", "render", "m.glb", "--exposure", "nan");
    ASSERT_REFUSED("did you mean neutral", "render", "m.glb", "--tonemap", "netural");
    ASSERT_REFUSED("--exposure has no effect without --shading lit", "render", "m.glb",
                   "--exposure", "2", "--shading", "unlit");
    ASSERT_REFUSED("--tonemap has no effect without --shading lit", "render", "m.glb", "--tonemap",
                   "aces", "--shading", "lambert");
}
END_TEST

/* The choices of --shading are the modes, and exposure and tone map go with those that have them.
 */
START_TEST(shading_modes_are_those_of_the_rasterizer)
{
    for (int i = 0; i < MRW_SHADING_COUNT; i++) {
        const mrw_shading_info *mode = mrw_shading_info_of((mrw_shading)i);
        const mrwi_options_option *row = mrwi_options_option_find("shading", 7);
        mrw_settings s;
        mrw_error error;
        char value[64];
        size_t length;
        mrw_settings_init(&s);
        s.picture.shading = (uint32_t)i;
        const char *name = mrwi_options_choice(&s, row, &length);
        snprintf(value, sizeof value, "%.*s", (int)strcspn(name, "|"), name);
        ck_assert_str_eq(value, mode->name);
        ck_assert_uint_gt(strlen(mode->shows), 10);
        mrw_settings_free(&s);
        const mrw_status exposed =
            PARSE(&s, &error, "render", "m.glb", "--shading", value, "--exposure", "2");
        ck_assert_int_eq(exposed, mode->exposed ? MRW_OK : MRW_ERROR_USAGE);
        mrw_settings_free(&s);
        const mrw_status mapped =
            PARSE(&s, &error, "render", "m.glb", "--shading", value, "--tonemap", "aces");
        ck_assert_int_eq(mapped, mode->tone_mapped ? MRW_OK : MRW_ERROR_USAGE);
        mrw_settings_free(&s);
    }
    ASSERT_REFUSED("did you mean lambert", "render", "m.glb", "--shading", "lamber");
    ASSERT_REFUSED("expected lit with nothing after it", "render", "m.glb", "--shading", "lit:x");
}
END_TEST

START_TEST(speed_forms)
{
    static const struct {
        const char *text;
        uint32_t num, den;
        bool backwards;
    } cases[] = {{"2", 2, 1, false},       {"0.5", 1, 2, false},     {"1/3", 1, 3, false},
                 {"-1", 1, 1, true},       {"-0.25", 1, 4, true},    {"1.25", 5, 4, false},
                 {"1000", 1000, 1, false}, {"-0.001", 1, 1000, true}};
    static const char *const bad[] = {"0", "-0",   "",       "-",  "--1",
                                      "x", "1001", "0.0009", "2x", "nan"};
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(mrw_settings_set(&s, "speed", cases[i].text, &error), MRW_OK);
        ck_assert_uint_eq(s.animation.speed.num, cases[i].num);
        ck_assert_uint_eq(s.animation.speed.den, cases[i].den);
        ck_assert(s.animation.backwards == cases[i].backwards);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(mrw_settings_set(&s, "speed", bad[i], &error), MRW_ERROR_USAGE);
    }
    mrw_settings_free(&s);
}
END_TEST

/* By hand. */
START_TEST(rates_in_the_time_of_the_clip)
{
    static const struct {
        mrw_rate fps, speed, expected;
    } cases[] = {{{30, 1}, {1, 1}, {30, 1}},
                 {{30, 1}, {2, 1}, {15, 1}},
                 {{30, 1}, {1, 2}, {60, 1}},
                 {{30000, 1001}, {3, 7}, {10000, 143}},
                 {{30000, 1001}, {1001, 1000}, {30000000, 1002001}},
                 {{10000, 1}, {1, 1000}, {10000000, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mrw_rate rate = mrw_time_rate(cases[i].fps, cases[i].speed);
        ck_assert_uint_eq(rate.num, cases[i].expected.num);
        ck_assert_uint_eq(rate.den, cases[i].expected.den);
    }
    const mrw_rate most =
        mrw_time_rate((mrw_rate){4294967295u, 4294967291u}, (mrw_rate){999999937u, 1000000007u});
    ck_assert_double_eq_tol((double)most.num / most.den,
                            4294967295.0 / 4294967291.0 * 1000000007.0 / 999999937.0, 1e-8);
}
END_TEST

START_TEST(fps_forms)
{
    static const struct {
        const char *text;
        uint32_t num, den;
    } cases[] = {{"24", 24, 1}, {"29.97", 30000, 1001}, {"30000/1001", 30000, 1001}};
    mrw_error error;
    for (size_t i = 0; i < 3; i++) {
        mrw_settings s;
        mrw_settings_init(&s);
        ck_assert_int_eq(mrw_settings_set(&s, "fps", cases[i].text, &error), MRW_OK);
        ck_assert_uint_eq((uint64_t)s.animation.fps.num * cases[i].den,
                          (uint64_t)s.animation.fps.den * cases[i].num);
        ck_assert_int_eq(mrw_settings_set(&s, "fps", "file", &error), MRW_OK);
        ck_assert(s.animation.fps_of_file);
        mrw_settings_free(&s);
    }
}
END_TEST

START_TEST(colours)
{
    static const struct {
        const char *text;
        uint8_t rgb[3];
    } cases[] = {{"#fff", {255, 255, 255}},
                 {"#1a2b3c", {0x1a, 0x2b, 0x3c}},
                 {"#1A2B3Cff", {26, 43, 60}},
                 {"#7f0", {0x77, 0xff, 0}},
                 {"orange", {0xff, 0xa5, 0x00}}};
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(mrw_settings_set(&s, "background", cases[i].text, &error), MRW_OK);
        ck_assert_int_eq(memcmp(s.picture.background, cases[i].rgb, 3), 0);
        ck_assert_uint_eq(s.picture.background[3], 255);
        ck_assert(!s.picture.transparent);
    }
    ck_assert_int_eq(mrw_settings_set(&s, "background", "none", &error), MRW_OK);
    ck_assert(s.picture.transparent);
    ck_assert_int_eq(mrw_settings_set(&s, "background", "#fff", &error), MRW_OK);
    ck_assert(!s.picture.transparent); /* the last wins */
    mrw_settings_free(&s);
    ASSERT_REFUSED("orange", "render", "m.glb", "--background", "ornage");
    ASSERT_REFUSED("#rrggbb", "render", "m.glb", "--background", "#12345");
    ASSERT_REFUSED("opaque", "render", "m.glb", "--background", "#11223380");
}
END_TEST

START_TEST(gradients)
{
    static const struct {
        const char *text;
        uint32_t shape;
        uint8_t first[3], second[3], between[3];
    } cases[] = {
        {"#fff..#000", MRW_BACKPLATE_VERTICAL, {255, 255, 255}, {0, 0, 0}, {128, 128, 128}},
        {"white..#1a2b3c", MRW_BACKPLATE_VERTICAL, {255, 255, 255}, {26, 43, 60}, {141, 149, 158}},
        {"#010203..red@vertical", MRW_BACKPLATE_VERTICAL, {1, 2, 3}, {255, 0, 0}, {128, 1, 2}},
        {"navy..#7f0@radial", MRW_BACKPLATE_RADIAL, {0, 0, 128}, {0x77, 255, 0}, {60, 128, 64}},
    };
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    ck_assert_uint_eq(s.picture.backplate, MRW_BACKPLATE_NONE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(mrw_settings_set(&s, "background", "none", &error), MRW_OK);
        ck_assert_int_eq(mrw_settings_set(&s, "background", cases[i].text, &error), MRW_OK);
        ck_assert_uint_eq(s.picture.backplate, cases[i].shape);
        ck_assert_mem_eq(s.picture.gradient[0], cases[i].first, 3);
        ck_assert_mem_eq(s.picture.gradient[1], cases[i].second, 3);
        ck_assert_mem_eq(s.picture.background, cases[i].between, 3);
        ck_assert(!s.picture.transparent && s.picture.background[3] == 255);
    }
    ck_assert_int_eq(mrw_settings_set(&s, "background", "#fff", &error), MRW_OK);
    ck_assert_uint_eq(s.picture.backplate, MRW_BACKPLATE_NONE); /* the last wins */
    mrw_settings_free(&s);
    ASSERT_REFUSED("a gradient has two colours", "render", "m.glb", "--background", "#fff..");
    ASSERT_REFUSED("a gradient has two colours", "render", "m.glb", "--background", "..#000");
    ASSERT_REFUSED("a gradient has two colours", "render", "m.glb", "--background", "..");
    ASSERT_REFUSED("a gradient has two colours", "render", "m.glb", "--background", "red..@radial");
    ASSERT_REFUSED("@vertical or @radial", "render", "m.glb", "--background", "#fff..#000@round");
    ASSERT_REFUSED("@vertical or @radial", "render", "m.glb", "--background", "#fff..#000@");
    ASSERT_REFUSED("did you mean purple", "render", "m.glb", "--background", "purpel..red");
    ASSERT_REFUSED("colours of a gradient are", "render", "m.glb", "--background", "red..#12");
    ASSERT_REFUSED("colours of a gradient are", "render", "m.glb", "--background", "none..red");
    ASSERT_REFUSED("colours of a gradient are", "render", "m.glb", "--background", "a..b..c");
    ASSERT_REFUSED("are opaque", "render", "m.glb", "--background", "red..#00000080");
}
END_TEST

START_TEST(backgrounds_that_are_files)
{
    static const char *const names[] = {"sky.png",        "../sky.JPG", "a..b/x.webp",
                                        "red..blue.jpeg", "x.dds",      "x.ktx2"};
    mrw_settings s;
    mrw_error error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mrw_settings_init(&s);
        ck_assert_int_eq(mrw_settings_set(&s, "background", "red", &error), MRW_OK);
        ck_assert_int_eq(mrw_settings_set(&s, "background", names[i], &error), MRW_OK);
        ck_assert_uint_eq(s.picture.backplate, MRW_BACKPLATE_PICTURE);
        ck_assert_str_eq(s.picture.background_file, names[i]);
        ck_assert_mem_eq(s.picture.background, ((const uint8_t[]){0xb8, 0xc3, 0xd3, 255}), 4);
        mrw_settings_free(&s);
    }
    ASSERT_REFUSED("FILE.png", "render", "m.glb", "--background", "../sky.gif");
    ASSERT_REFUSED("FILE.png", "render", "m.glb", "--background", "sky.bmp");
    ASSERT_REFUSED("FILE.png", "render", "m.glb", "--background", ".png");
}
END_TEST

START_TEST(blur_needs_an_environment_to_blur)
{
    ASSERT_REFUSED("--env-blur has no effect without --env-background", "render", "m.glb",
                   "--env-blur", "0.3");
    ASSERT_REFUSED("--env-background and --background cannot be combined", "render", "m.glb",
                   "--env-background", "--background", "red..blue");
}
END_TEST

START_TEST(bad_values_name_what_is_accepted)
{
    ASSERT_REFUSED("1 to 16384", "render", "m.glb", "--size", "0");
    ASSERT_REFUSED("1 to 16384", "render", "m.glb", "--size", "100000x100000");
    ASSERT_REFUSED("1 to 16384", "render", "m.glb", "--size", "64x");
    ASSERT_REFUSED("1 to 16384", "render", "m.glb", "--size", "99999999999999999999999");
    ASSERT_REFUSED("1, 2, 4 or 8", "render", "m.glb", "--aa", "3");
    ASSERT_REFUSED("did you mean lambert", "render", "m.glb", "--shading", "lambret");
    ASSERT_REFUSED("1 to 170", "render", "m.glb", "--fov", "180");
    ASSERT_REFUSED("1 to 170", "render", "m.glb", "--fov", "nan");
    ASSERT_REFUSED("0 to 0.45", "render", "m.glb", "--margin", "0.5");
    ASSERT_REFUSED("from -90 to 90", "render", "m.glb", "--elevation", "91");
    ASSERT_REFUSED("three numbers", "render", "m.glb", "--eye", "1,2");
    ASSERT_REFUSED("three numbers", "render", "m.glb", "--eye", "1,2,3,4");
    ASSERT_REFUSED("other than 0", "render", "m.glb", "--scale", "0");
    ASSERT_REFUSED("0-47x2", "render", "m.glb", "--frames", "1-");
    ASSERT_REFUSED("0-47x2", "render", "m.glb", "--frames", "5x0");
    ASSERT_REFUSED("0-47x2", "render", "m.glb", "--frames", "-0");
    ASSERT_REFUSED("0-47x2", "render", "m.glb", "--frames", "1,,2");
    ASSERT_REFUSED("seconds", "render", "m.glb", "--time", "soon");
    ASSERT_REFUSED("seconds", "render", "m.glb", "--times", "1,");
    ASSERT_REFUSED("rate", "render", "m.glb", "--fps", "0");
    ASSERT_REFUSED("rate", "render", "m.glb", "--fps", "1000000");
    ASSERT_REFUSED("I/N", "render", "m.glb", "--shard", "5/4");
    ASSERT_REFUSED("I/N", "render", "m.glb", "--shard", "0/4");
    ASSERT_REFUSED("whole number from 1", "render", "m.glb", "-j", "0");
    ASSERT_REFUSED("scalar", "render", "m.glb", "--isa", "mmx");
    ASSERT_REFUSED("needs a value", "render", "m.glb", "--size");
    ASSERT_REFUSED("needs a non-empty value", "render", "m.glb", "-o", "");
    ASSERT_REFUSED("expected on, off or no value", "render", "m.glb", "--force=yes");
}
END_TEST

START_TEST(sizes_have_letters)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "compile", "m.glb", "--max-file-size", "512M",
                           "--import-memory", "1g", "--max-vertices", "500k", "--max-keys", "3M",
                           "--max-joints", "77", "--import-seconds", "2.5", "--max-texture-size",
                           "4096x2048"),
                     MRW_OK);
    ck_assert_uint_eq(s.files.max_file_size, 536870912);
    ck_assert_uint_eq(s.files.import_memory, 1073741824);
    ck_assert_uint_eq(s.files.max_vertices, 500000);
    ck_assert_uint_eq(s.files.max_keys, 3000000);
    ck_assert_uint_eq(s.files.max_joints, 77);
    ck_assert_double_eq(s.files.import_seconds, 2.5);
    ck_assert_uint_eq(s.files.max_texture_size, 8388608);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "info", "m.glb", "--max-texture-size", "64M"), MRW_OK);
    ck_assert_uint_eq(s.files.max_texture_size, 64000000);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", "--texture-memory", "300M"), MRW_OK);
    ck_assert_uint_eq(s.files.texture_memory, 314572800);
    mrw_settings_free(&s);
    ASSERT_REFUSED("as in 512M or 2G", "info", "m.glb", "--max-file-size", "12Q");
    ASSERT_REFUSED("as in 512M or 2G", "info", "m.glb", "--max-file-size", "M");
    ASSERT_REFUSED("as in 512M or 2G", "info", "m.glb", "--max-file-size", "1MB");
    ASSERT_REFUSED("as in 512M or 2G", "info", "m.glb", "--max-file-size", "0");
    ASSERT_REFUSED("as in 512M or 2G", "info", "m.glb", "--max-file-size", "9999999T");
    ASSERT_REFUSED("as in 512M or 2G", "info", "m.glb", "--import-memory", "1");
    ASSERT_REFUSED("as in 512M or 2G", "render", "m.glb", "--texture-memory", "much");
    ASSERT_REFUSED("as in 512M or 2G", "info", "m.glb", "--texture-memory", "0");
    ASSERT_REFUSED("as in 512M or 2G", "info", "m.glb", "--texture-memory", "-1M");
    ASSERT_REFUSED("as in 512M or 2G", "info", "m.glb", "--texture-memory", "4096x4096");
    ASSERT_REFUSED("500k", "info", "m.glb", "--max-vertices", "5G");
    ASSERT_REFUSED("500k", "info", "m.glb", "--max-joints", "-1");
    ASSERT_REFUSED("8192x8192", "info", "m.glb", "--max-texture-size", "64x");
    ASSERT_REFUSED("8192x8192", "info", "m.glb", "--max-texture-size", "9999999x9999999999");
    ASSERT_REFUSED("0.01 to 86400", "info", "m.glb", "--import-seconds", "0");
}
END_TEST

/* What settings leave alone is what the library does without them. */
START_TEST(limits_default_to_those_of_the_library)
{
    mrw_settings s;
    mrw_load_def def = mrw_load_def_default();
    mrw_settings_init(&s);
    ck_assert_uint_eq(s.files.max_file_size, def.max_file_size);
    ck_assert_uint_eq(s.files.max_texture_size, def.max_texture_size);
    ck_assert_uint_eq(s.files.texture_memory, def.texture_memory);
    ck_assert_uint_eq(s.files.max_vertices, def.max_vertices);
    ck_assert_uint_eq(s.files.max_joints, def.max_joints);
    ck_assert_uint_eq(s.files.max_keys, def.max_keys);
    ck_assert_double_eq(s.files.import_seconds, def.import_seconds);
    ck_assert_uint_eq(s.files.import_memory, def.import_memory);
    ck_assert(!s.files.no_sandbox && !s.files.formats && !s.files.input_format &&
              !s.files.asset_root);
}
END_TEST

START_TEST(unknown_names_bring_the_nearest)
{
    ASSERT_REFUSED("--size", "render", "m.glb", "--sise", "3");
    ASSERT_REFUSED("--shading", "render", "m.glb", "--shadin=lit");
    ASSERT_REFUSED("unknown option '-z'", "render", "m.glb", "-z");
    ASSERT_REFUSED("did you mean render", "rendr", "m.glb");
    ASSERT_REFUSED("marrow render fox.glb", "fox.glb");
    ASSERT_REFUSED("no command given", "-q");
    ASSERT_REFUSED("belongs to `render`", "info", "m.glb", "--size", "9");
    ASSERT_REFUSED("belongs to `render`", "compile", "m.glb", "--max-influences", "2");
}
END_TEST

/* What `sheet` stands for gives way to what is said. */
START_TEST(sheets_are_settled)
{
    static const struct {
        const char *words[3];
        uint32_t count, size, columns;
        size_t clips;
    } cases[] = {
        {{"--aa", "1"}, 8, 128, 8, 1},          {{"--count", "3"}, 3, 128, 8, 1},
        {{"--times", "0,1"}, 0, 128, 8, 1},     {{"--size", "64"}, 8, 64, 8, 1},
        {{"--columns", "4"}, 8, 128, 4, 1},     {{"--pose", "rest"}, 0, 128, 8, 0},
        {{"--blend", "a:1,b:1"}, 8, 128, 8, 0}, {{"--fps", "10"}, 0, 128, 8, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_settings s;
        mrw_error error = {0};
        const char *const *words = cases[i].words;
        ck_assert_int_eq(PARSE(&s, &error, "sheet", "m.glb", words[0], words[1]), MRW_OK);
        ck_assert_int_eq(s.command, MRW_COMMAND_SHEET);
        ck_assert_uint_eq(s.animation.count, cases[i].count);
        ck_assert_uint_eq(s.picture.width, cases[i].size);
        ck_assert_uint_eq(s.picture.height, cases[i].size);
        ck_assert_uint_eq(s.output.sheet, cases[i].columns);
        ck_assert_uint_eq(s.animation.clips.count, cases[i].clips);
        ck_assert(s.output.labels);
        mrw_settings_free(&s);
    }
}
END_TEST

START_TEST(nearest_names_are_those_of_the_command)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "doctor", "--foo"), MRW_ERROR_USAGE);
    ck_assert_str_eq(error.text,
                     "unknown option '--foo'; `marrow help doctor` lists the options of doctor");
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "--fovv", "3", "render", "m.glb"), MRW_ERROR_USAGE);
    ck_assert_msg(strstr(error.text, "--fov DEGREES (full vertical field of view)?"), "%s",
                  error.text);
    mrw_settings_free(&s);
    ASSERT_REFUSED("--fov", "--fvo");
    ASSERT_REFUSED("unknown option '--foo'; `marrow help --all` lists all options", "--foo");
    ASSERT_REFUSED("did you mean --json", "--jsn", "doctor");
    ASSERT_REFUSED(
        "--fov is not an option of `doctor`; it belongs to `render`, `sheet`, `sprites`, `bake`, "
        "`pick`, `diff` and `view`",
        "doctor", "--fov", "3");
    ASSERT_REFUSED("it belongs to `bench`", "render", "m.glb", "--quick");
}
END_TEST

START_TEST(a_second_value_is_refused_on_a_command_line)
{
    mrw_settings s;
    mrw_error error;
    ASSERT_REFUSED("--azimuth is given twice, '1' and '2'", "render", "m.glb", "--azimuth", "1",
                   "--azimuth", "2");
    ASSERT_REFUSED("--camera is given twice, 'a' and 'b', but `pick` accepts only one", "pick",
                   "--camera=a", "-q", "m.glb", "--camera", "b");
    ASSERT_REFUSED("--camera is given twice, 'a' and 'b', but `view` accepts only one", "view",
                   "--camera=a", "-q", "m.glb", "--camera", "b");
    ASSERT_REFUSED("--views is given twice, 'top' and 'top'", "render", "m.glb", "--views", "top",
                   "--views", "top");
    ASSERT_REFUSED("--jobs is given twice, '2' and '3'", "render", "m.glb", "-qj2", "--jobs=3");
    ASSERT_REFUSED("--times is given twice, '0' and '1'", "render", "m.glb", "--time", "0",
                   "--times", "1");
    ASSERT_REFUSED("--frames is given twice, '1' and '1'", "render", "m.glb", "--frames", "1",
                   "--frames", "1");
    ASSERT_REFUSED("--update is given twice, '' and 'all'", "test", "--update", "--update=all");
    ASSERT_REFUSED("--update is given twice, 'all' and ''", "test", "--update=all", "--update");
    ck_assert_int_eq(PARSE(&s, &error, "doctor", "x"), MRW_ERROR_USAGE);
    ck_assert_str_eq(error.text, "`doctor` cannot use 'x'; usage: marrow doctor");
    mrw_settings_free(&s);
    ASSERT_REFUSED("--json is given twice; leave one out", "info", "m.glb", "--json", "--json");
    ASSERT_REFUSED("-o is given twice, 'a' and 'b'", "render", "m.glb", "-o", "a", "-o", "b");
    ASSERT_REFUSED("-j is given twice, '1' and '2'", "render", "m.glb", "-j1", "-qj", "2");
    mrw_status status =
        PARSE(&s, &error, "diff", "a", "b", "--clip", "A", "--clip", "B", "--anim", "x", "--anim",
              "y", "--add", "c", "--add", "d", "--layer", "L", "--layer", "M", "--texture-dir", "t",
              "--texture-dir", "u", "--mask", "node:n", "--mask", "node:o", "-v", "-v");
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(s.animation.clips.count, 2);
    ck_assert_uint_eq(s.compare.masks.count, 2);
    ck_assert_uint_eq(s.given.count, 7);
    ck_assert_str_eq(s.given.items[6], "verbose");
    mrw_settings_free(&s);
}
END_TEST

START_TEST(views_by_name_and_by_angles)
{
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    ck_assert_int_eq(mrw_settings_set(&s, "views", "front, 12.5/-90,iso", &error), MRW_OK);
    ck_assert_uint_eq(s.camera.view_count, 3);
    ck_assert_str_eq(s.camera.views[0].name, "front");
    ck_assert_ptr_null(s.camera.views[1].name);
    ck_assert(s.camera.views[1].azimuth_degrees == 12.5f);
    ck_assert(s.camera.views[1].elevation_degrees == -90.0f);
    ck_assert_str_eq(s.camera.views[2].name, "iso");
    ck_assert(s.camera.views[2].azimuth_degrees == 45.0f);
    ck_assert(s.camera.views[2].elevation_degrees == 35.264f);
    ck_assert_int_eq(mrw_settings_set(&s, "views", "top", &error), MRW_OK);
    ck_assert_uint_eq(s.camera.view_count, 1);
    mrw_settings_free(&s);
    static const char *const wrong[] = {"",      "front,", ",front", "a/b",  "1/91", "36001/0",
                                        "1/2/3", "/",      "1/",     "fron", "30",   "nan/0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mrw_settings_init(&s);
        ck_assert_msg(mrw_settings_set(&s, "views", wrong[i], &error) == MRW_ERROR_USAGE, "%s",
                      wrong[i]);
        ck_assert_msg(strstr(error.text, "unknown view '") &&
                          strstr(error.text, "'; expected front, left"),
                      "%s", error.text);
        mrw_settings_free(&s);
    }
    ASSERT_REFUSED("--views: unknown view 'lefft'", "render", "m.glb", "--views", "front,lefft");
    ASSERT_REFUSED("; did you mean left?", "render", "m.glb", "--views", "front,lefft");
    ASSERT_REFUSED("--views 'front,0/0': one view is given twice; leave one out", "render", "m.glb",
                   "--views", "front,0/0");
    ASSERT_REFUSED("--views and --azimuth cannot be combined", "render", "m.glb", "--views", "top",
                   "--azimuth", "3");
    ASSERT_REFUSED("--views and --camera cannot be combined", "render", "m.glb", "--views", "top",
                   "--camera", "3");
}
END_TEST

START_TEST(several_angles)
{
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    ck_assert_int_eq(mrw_settings_set(&s, "azimuth", "0, -90,180.5", &error), MRW_OK);
    ck_assert_uint_eq(s.camera.azimuth_count, 3);
    ck_assert(s.camera.azimuths[1] == -90.0f && s.camera.azimuths[2] == 180.5f);
    ck_assert(s.camera.view.azimuth_degrees == 0.0f && s.camera.elevation_count == 0);
    ck_assert_int_eq(mrw_settings_set(&s, "azimuth", "7", &error), MRW_OK);
    ck_assert(s.camera.azimuth_count == 0 && s.camera.view.azimuth_degrees == 7.0f);
    ck_assert_int_eq(mrw_settings_set(&s, "azimuth", "1,2", &error), MRW_OK);
    ck_assert_int_eq(mrw_settings_set(&s, "azimuth", "auto", &error), MRW_OK);
    ck_assert(s.camera.azimuth_count == 0 && s.camera.azimuth_auto);
    ck_assert_int_eq(mrw_settings_set(&s, "elevation", "90,-90", &error), MRW_OK);
    ck_assert(s.camera.elevation_count == 2 && s.camera.view.elevation_degrees == 90.0f);
    mrw_settings_free(&s);
    static const char *const wrong[] = {"", "1,", ",1", "1,,2", "auto,1", "1,auto", "1;2", "1,91"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mrw_settings_init(&s);
        ck_assert_int_eq(mrw_settings_set(&s, "elevation", wrong[i], &error), MRW_ERROR_USAGE);
        ck_assert_int_eq(mrw_settings_set(&s, "azimuth", i < 7 ? wrong[i] : "1,36001", &error),
                         MRW_ERROR_USAGE);
        mrw_settings_free(&s);
    }
    ASSERT_REFUSED("--azimuth '1,1': one angle is given twice; leave one out", "render", "m.glb",
                   "--azimuth", "1,1");
    ASSERT_REFUSED("--elevation has several values, but pick accepts only one", "pick", "m.glb",
                   "--elevation", "1,2");
    ASSERT_REFUSED("--azimuth has several values, but --directions accepts only one", "render",
                   "m.glb", "--azimuth", "1,2", "--directions", "4");
    ck_assert_str_eq(mrw_view_name(0.0f, 90.0f), "top");
    ck_assert_str_eq(mrw_view_name(45.0f, 35.264f), "iso");
    ck_assert_ptr_null(mrw_view_name(90.0f, 90.0f));
}
END_TEST

START_TEST(turntables_and_directions)
{
    static const char *const others[][2] = {
        {"--eye", "1,2,3"}, {"--camera", "0"}, {"--views", "top"}};
    static const char *const counts[] = {"0", "-1", "3601", "1.5", "x", ""};
    for (size_t i = 0; i < 3; i++) {
        ASSERT_REFUSED("cannot be combined", "render", "m.glb", "--turntable", "8", others[i][0],
                       others[i][1]);
        ASSERT_REFUSED("cannot be combined", "render", "m.glb", "--directions", "8", others[i][0],
                       others[i][1]);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        ASSERT_REFUSED("expected a whole number from 1 to 3600", "render", "m.glb", "--turntable",
                       counts[i]);
    }
    ASSERT_REFUSED("cannot be combined", "render", "m.glb", "--turntable", "8", "--directions",
                   "8");
    ASSERT_REFUSED("--directions '6'", "render", "m.glb", "--directions", "6");
}
END_TEST

START_TEST(times_in_percent)
{
    static const double expected[] = {0.5, 0.5, 2.0, 0.0, 2.0};
    const mrw_frame_span span = {.duration = 2.0, .rate = {30, 1}, .last_frame = 60};
    mrw_frame_list list;
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    ck_assert_int_eq(mrw_settings_set(&s, "times", "0.5, 25%,100%,0%,150%", &error), MRW_OK);
    ck_assert_int_eq(mrw_settings_frames(&s, &span, false, &list, &error), MRW_OK);
    ck_assert_uint_eq(list.count, 5);
    for (size_t i = 0; i < list.count; i++) {
        ck_assert_double_eq(list.items[i].time, expected[i]);
    }
    ck_assert_double_eq(list.items[4].asked, 3.0);
    mrw_frame_list_free(&list);
    static const char *const wrong[] = {"%", "5%%", "5 %", "5%,", "5%x", "x%"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(mrw_settings_set(&s, "times", wrong[i], &error) == MRW_ERROR_USAGE, "%s",
                      wrong[i]);
    }
    ck_assert_uint_eq(s.animation.time_count, 5);
    mrw_settings_free(&s);
}
END_TEST

START_TEST(a_place_counts_where_it_is_given)
{
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    ck_assert(!s.camera.view.has_eye && !s.camera.view.has_target);
    ck_assert_int_eq(mrw_settings_set(&s, "eye", "1,2", &error), MRW_ERROR_USAGE);
    ck_assert(!s.camera.view.has_eye);
    ck_assert_int_eq(mrw_settings_set(&s, "eye", "0,0,0", &error), MRW_OK);
    ck_assert(s.camera.view.has_eye && !s.camera.view.has_target);
    ck_assert_int_eq(mrw_settings_set(&s, "target", "0,0,0", &error), MRW_OK);
    ck_assert(s.camera.view.has_target);
    mrw_settings_free(&s);
}
END_TEST

/* Settings keep one entry an option, whatever its place in the table. */
START_TEST(any_option_can_be_given)
{
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    size_t flags = 0;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < mrw_option_count(); i++) {
            const mrw_option *option = mrw_option_at(i);
            if (!option->argument) {
                ck_assert(mrw_settings_given(&s, option->name) == (round == 1));
                ck_assert_int_eq(mrw_settings_set(&s, option->name, NULL, &error), MRW_OK);
                flags += round == 0;
            }
        }
    }
    ck_assert_uint_gt(flags, 10);
    ck_assert_uint_eq(s.given.count, flags);
    mrw_settings_free(&s);
}
END_TEST

START_TEST(options_that_exclude_each_other)
{
    ASSERT_REFUSED("--frames and --times", "render", "m.glb", "--times", "1", "--frames", "1");
    ASSERT_REFUSED("--eye and --azimuth", "render", "m.glb", "--eye", "1,2,3", "--azimuth", "1");
    ASSERT_REFUSED("--camera and --fov", "render", "m.glb", "--camera", "0", "--fov", "50");
    ASSERT_REFUSED("--pose and --clip", "bake", "m.glb", "--pose", "rest", "--clip", "Run");
    ASSERT_REFUSED("--blend and --clip", "render", "m.glb", "--blend", "A:1", "--clip", "B");
    ASSERT_REFUSED("--camera and --follow", "render", "m.glb", "--camera", "0", "--follow", "hips");
    ASSERT_REFUSED("--pose and --layer", "render", "m.glb", "--pose", "rest", "--layer", "A");
    ASSERT_REFUSED("--sync has no effect without --blend", "render", "m.glb", "--sync");
    ASSERT_REFUSED("without --layer", "render", "m.glb", "--additive");
    ASSERT_REFUSED("without --clip", "bake", "m.glb", "--together");
    ASSERT_REFUSED("without --wrap loop", "render", "m.glb", "--root-motion", "loop");
    ASSERT_REFUSED("without --joints", "bake", "m.glb", "--azimuth", "90");
    ASSERT_REFUSED("without --joints", "bake", "m.glb", "--add", "b.glb");
    ASSERT_REFUSED("needs a model", "render");
    ASSERT_REFUSED("cannot use 'b.glb'", "bake", "a.glb", "b.glb");
}
END_TEST

START_TEST(blends)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", "--blend", "a:Walk:0.7,Run:.25,2:1e-1"),
                     MRW_OK);
    ck_assert_uint_eq(s.animation.blend_count, 3);
    ck_assert_uint_eq(s.animation.blend[0].name_length, 6);
    ck_assert_int_eq(memcmp(s.animation.blend[0].name, "a:Walk", 6), 0); /* the last colon counts */
    ck_assert_double_eq(s.animation.blend[0].weight, 0.7);
    ck_assert_uint_eq(s.animation.blend[1].name_length, 3);
    ck_assert_double_eq(s.animation.blend[1].weight, 0.25);
    ck_assert_int_eq(s.animation.blend[2].name[0], '2');
    ck_assert_double_eq(s.animation.blend[2].weight, 0.1);
    mrw_settings_free(&s);
    static const char *const bad[] = {
        "",        "Walk",     "Walk:",        ":1",     "Walk:1,",    ",",        "Walk:x",
        "Walk:-1", "Walk:nan", "Walk:0,Run:0", "A:1,,B", "Walk:0.5 ,", "Walk:1e9", "Walk:1:"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(PARSE(&s, &error, "render", "m.glb", "--blend", bad[i]) == MRW_ERROR_USAGE,
                      "%s", bad[i]);
        ck_assert_msg(strstr(error.text, "Walk:0.7,Run:0.3"), "%s", error.text);
        mrw_settings_free(&s);
    }
}
END_TEST

START_TEST(names_at_nodes)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", "--layer", "Wave@Spine", "--layer", "Nod",
                           "--add", "a@b.glb@hand"),
                     MRW_OK);
    ck_assert_uint_eq(s.animation.layers.count, 2);
    ck_assert_str_eq(mrw_split_at(s.animation.layers.items[0]), "@Spine");
    ck_assert_ptr_null(mrw_split_at(s.animation.layers.items[1]));
    ck_assert_str_eq(mrw_split_at(s.model.added.items[0]), "@hand");
    mrw_settings_free(&s);
    ASSERT_REFUSED("--layer '@Spine'", "render", "m.glb", "--layer", "@Spine");
    ASSERT_REFUSED("--layer 'Wave@'", "render", "m.glb", "--layer", "Wave@");
    ASSERT_REFUSED("--add '@'", "render", "m.glb", "--add", "@");
}
END_TEST

/* A value that may be left out never takes the next argument. */
START_TEST(values_that_may_be_left_out)
{
    static const struct {
        const char *text;
        uint32_t update; /* mrw_update: missing 1, changed 2, all 3 */
    } cases[] = {
        {"--update", 2}, {"--update=missing", 1}, {"--update=changed", 2}, {"--update=all", 3}};
    mrw_settings s;
    mrw_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_status status = PARSE(&s, &error, "test", cases[i].text, "all");
        ck_assert_msg(status == MRW_OK, "%s", error.text);
        ck_assert_uint_eq(s.goldens.update, cases[i].update);
        ck_assert_uint_eq(s.arguments.count, 1);
        ck_assert_str_eq(s.arguments.items[0], "all");
        mrw_settings_free(&s);
    }
    ck_assert_int_eq(PARSE(&s, &error, "test"), MRW_OK);
    ck_assert_uint_eq(s.goldens.update, 0);
    ck_assert_uint_eq(s.cases.repeat, 1);
    mrw_settings_free(&s);
    ASSERT_REFUSED("missing, changed or all; did you mean missing?", "test", "--update=mising");
    ASSERT_REFUSED("--update ''", "test", "--update=");
}
END_TEST

START_TEST(options_of_tests)
{
    mrw_settings s;
    mrw_error error;
    mrw_status status =
        PARSE(&s, &error, "test", "a", "b.suite.ini", "-k", "hero.*", "--tag", "slow", "--report",
              "out", "--report-inline", "f.html", "--junit", "j.xml", "--tap", "--fail-fast",
              "--repeat", "3", "--shard", "2/3", "--out", "r", "--last-failed", "-j2", "--isa",
              "scalar", "--update=all", "--force", "--allow-blank");
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    ck_assert_int_eq(s.command, MRW_COMMAND_TEST);
    ck_assert_uint_eq(s.arguments.count, 2);
    ck_assert_uint_eq(s.cases.matches.count, 1);
    ck_assert_str_eq(s.cases.matches.items[0], "hero.*");
    ck_assert_str_eq(s.cases.tag, "slow");
    ck_assert_str_eq(s.reports.folder, "out");
    ck_assert_str_eq(s.reports.page, "f.html");
    ck_assert_str_eq(s.reports.junit, "j.xml");
    ck_assert_str_eq(s.reports.results, "r");
    ck_assert(s.reports.tap && s.cases.fail_fast && s.cases.last_failed && s.output.force &&
              s.goldens.allow_blank && !s.goldens.prune);
    ck_assert_uint_eq(s.cases.repeat, 3);
    ck_assert_uint_eq(s.run.shard_index, 2);
    ck_assert_uint_eq(s.run.shard_count, 3);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "accept", "hero.*", "a", "--from", "x", "--dry-run"),
                     MRW_OK);
    ck_assert_uint_eq(s.arguments.count, 2);
    ck_assert_str_eq(s.goldens.from, "x");
    ck_assert(s.output.dry_run);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "report", "merge", "a", "b", "--report", "o"), MRW_OK);
    ck_assert_uint_eq(s.arguments.count, 3);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "init", "m.glb", "--size", "160", "--count", "5", "--force",
                           "--allow-format", "md5"),
                     MRW_OK);
    mrw_settings_free(&s);
    ASSERT_REFUSED("belongs to `render`", "test", "--size", "9");
    ASSERT_REFUSED("belongs to `diff`", "test", "--compare", "pixel");
    ASSERT_REFUSED("belongs to `test`", "render", "m.glb", "--update");
    ASSERT_REFUSED("belongs to `accept`", "test", "--from", "x");
    ASSERT_REFUSED("`diff` needs two arguments: marrow diff A B", "diff", "a.png");
    ASSERT_REFUSED("cannot use 'c'", "diff", "a", "b", "c");
    ASSERT_REFUSED("`report` needs two arguments", "report", "merge");
    ASSERT_REFUSED("`init` needs a model", "init");
    ASSERT_REFUSED("from 1 to 1000", "test", "--repeat", "0");
}
END_TEST

START_TEST(options_of_tests_that_exclude_each_other)
{
    ASSERT_REFUSED("--json and --tap", "test", "--tap", "--json");
    ASSERT_REFUSED("--list and --update", "test", "--update", "--list");
    ASSERT_REFUSED("--changed and --prune", "test", "--changed", "--prune");
    ASSERT_REFUSED("--changed and --against", "test", "--changed", "--against", "m");
    ASSERT_REFUSED("--update and --against", "test", "--update", "--against", "m");
    ASSERT_REFUSED("--prune and --match", "test", "--prune", "-k", "a");
    ASSERT_REFUSED("--prune and --shard", "test", "--prune", "--shard", "1/2");
    ASSERT_REFUSED("--force has no effect without --update", "test", "--force");
    ASSERT_REFUSED("--allow-blank has no effect without --update", "test", "--allow-blank");
    ASSERT_REFUSED("--allow-blank has no effect without --update", "test", "--allow-blank",
                   "--prune", "--force");
    mrw_settings s;
    mrw_error error;
    mrw_status status = PARSE(&s, &error, "test", "--prune", "--force");
    ck_assert_msg(status == MRW_OK, "%s", error.text); /* either is enough */
    mrw_settings_free(&s);
}
END_TEST

START_TEST(options_of_comparisons)
{
    mrw_settings s;
    mrw_error error;
    mrw_status status =
        PARSE(&s, &error, "diff", "a.png", "b.png", "--compare", "pixel", "--max-delta", "3",
              "--max-pixels", "2k", "--max-ratio", "0.25", "--ignore-antialiasing", "--mask",
              "rect:0,1,2,3", "--mask", "node:a:b", "--max-degrees", "1.5", "--max-distance",
              "0.01", "-o", "d.png");
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(s.compare.pictures.mode, 1);
    ck_assert_uint_eq(s.compare.pictures.max_delta, 3);
    ck_assert_uint_eq(s.compare.pictures.max_pixels, 2000);
    ck_assert_double_eq(s.compare.pictures.max_ratio, 0.25);
    ck_assert_double_eq(s.compare.max_degrees, 1.5);
    ck_assert_double_eq(s.compare.max_distance, 0.01);
    ck_assert(s.compare.pictures.ignore_antialiasing);
    ck_assert_uint_eq(s.compare.masks.count, 2);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "diff", "a.fbx", "b.fbx", "--clip", "all", "--size", "64",
                           "--aa", "1", "--compare", "perceptual", "--max-flip", "0.1", "--json"),
                     MRW_OK);
    mrw_settings_free(&s);
    ASSERT_REFUSED("--max-delta has no effect without --compare pixel", "diff", "a", "b",
                   "--max-delta", "1");
    ASSERT_REFUSED("--max-flip has no effect without --compare perceptual", "diff", "a", "b",
                   "--compare", "pixel", "--max-flip", "0.5");
    ASSERT_REFUSED("from 0 to 255", "diff", "a", "b", "--max-delta", "256");
    ASSERT_REFUSED("from 0 to 1", "diff", "a", "b", "--max-ratio", "1.5");
    ASSERT_REFUSED("did you mean perceptual", "diff", "a", "b", "--compare", "perceptaul");
}
END_TEST

START_TEST(comparisons_default_to_those_of_the_library)
{
    const mrw_compare_def def = mrw_compare_def_default();
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    ck_assert_uint_eq(s.compare.pictures.mode, (uint32_t)def.mode);
    ck_assert_uint_eq(s.compare.pictures.max_delta, def.max_delta);
    ck_assert_uint_eq(s.compare.pictures.max_pixels, def.max_pixels);
    ck_assert_double_eq(s.compare.pictures.max_ratio, def.max_ratio);
    ck_assert_double_eq(s.compare.pictures.max_flip, def.max_flip);
    ck_assert(s.compare.pictures.ignore_antialiasing == def.ignore_antialiasing);
    ck_assert_int_eq(mrw_settings_set(&s, "compare", "perceptual", &error), MRW_OK);
    ck_assert_uint_eq(s.compare.pictures.mode, MRW_COMPARE_PERCEPTUAL);
    mrw_settings_free(&s);
}
END_TEST

START_TEST(numbers_of_names)
{
    static const char *const bad[] = {"",     "a",    "a=",    "=1",    "a=0",          "a=-1",
                                      "a=+1", "a=1 ", "a=1.5", "a=0x1", "a=4294967296", "1"};
    mrw_settings s;
    mrw_error error;
    mrw_id_entry entry;
    ck_assert(mrw_id_parse("a=b=4294967295", &entry));
    ck_assert_uint_eq(entry.length, 3);
    ck_assert_int_eq(strncmp(entry.name, "a=b", 3), 0);
    ck_assert_uint_eq(entry.number, 4294967295u);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(!mrw_id_parse(bad[i], &entry), "%s", bad[i]);
    }
    ASSERT_REFUSED("--id 'body=0': expected NAME=N, a name and a number from 1 to 4294967295",
                   "render", "m.glb", "--id", "body=0");
    ck_assert_int_eq(PARSE(&s, &error, "pick", "m.glb", "--id", "a=1", "--id", "b=2"), MRW_OK);
    ck_assert_uint_eq(s.model.ids.count, 2);
    mrw_settings_free(&s);
}
END_TEST

START_TEST(masks)
{
    static const char *const bad[] = {"",
                                      "rect:",
                                      "rect:1,2,3",
                                      "rect:1,2,3,4,",
                                      "rect:1,2,0,4",
                                      "rect:-1,2,3,4",
                                      "rect:1,2,3,99999",
                                      "image:",
                                      "node:",
                                      "box:1,2,3,4",
                                      "rect:1,2,3,4 "};
    mrw_mask mask;
    ck_assert(mrw_mask_parse("rect:5,6,7,8", &mask));
    ck_assert_int_eq(mask.kind, MRW_MASK_RECT);
    ck_assert_uint_eq(mask.rect[0], 5);
    ck_assert_uint_eq(mask.rect[1], 6);
    ck_assert_uint_eq(mask.rect[2], 7);
    ck_assert_uint_eq(mask.rect[3], 8);
    ck_assert(mrw_mask_parse("image:a/b.png", &mask));
    ck_assert_int_eq(mask.kind, MRW_MASK_IMAGE);
    ck_assert_str_eq(mask.name, "a/b.png");
    ck_assert(mrw_mask_parse("node:a:b", &mask));
    ck_assert_int_eq(mask.kind, MRW_MASK_NODE);
    ck_assert_str_eq(mask.name, "a:b");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(!mrw_mask_parse(bad[i], &mask), "%s", bad[i]);
        ASSERT_REFUSED("--mask", "diff", "a", "b", "--mask", bad[i]);
    }
}
END_TEST

START_TEST(help_needs_nothing_else)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "render", "--help"), MRW_OK);
    ck_assert(s.run.help);
    ck_assert_int_eq(s.command, MRW_COMMAND_RENDER);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "--version"), MRW_OK);
    ck_assert(s.run.version);
    ck_assert_int_eq(s.command, MRW_COMMAND_NONE);
    mrw_settings_free(&s);
}
END_TEST

START_TEST(keys_of_files)
{
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    ck_assert_int_eq(mrw_settings_set(&s, "ortho", "yes", &error), MRW_OK);
    ck_assert(s.camera.view.orthographic);
    ck_assert_int_eq(mrw_settings_set(&s, "ortho", "off", &error), MRW_OK);
    ck_assert(!s.camera.view.orthographic);
    ck_assert_int_eq(mrw_settings_set(&s, "ortho", "maybe", &error), MRW_ERROR_USAGE);
    ck_assert_int_eq(mrw_settings_set(&s, "ortoh", "yes", &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "ortho"));
    mrw_settings_free(&s);
}
END_TEST

/* ---- frames ---------------------------------------------------------------------------------- */

/* Frames chosen by name=value settings, written as "number:time number:time ...". */
static const char *choose(const mrw_frame_span *span, bool sequence, const char *const *keys,
                          mrw_status *status, mrw_error *error)
{
    static char text[4096];
    mrw_settings s;
    mrw_frame_list list;
    mrw_settings_init(&s);
    for (; *keys; keys += 2) {
        ck_assert_int_eq(mrw_settings_set(&s, keys[0], keys[1], error), MRW_OK);
    }
    text[0] = '\0';
    *status = mrw_settings_frames(&s, span, sequence, &list, error);
    for (size_t i = 0; i < list.count; i++) {
        char item[64];
        snprintf(item, sizeof item, "%s%d:%g", i ? " " : "", (int)list.items[i].number,
                 list.items[i].time);
        strcat(text, item);
    }
    mrw_frame_list_free(&list);
    mrw_settings_free(&s);
    return text;
}

#define KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(frames_by_hand)
{
    /* 1 second at 10 frames a second: frames 0 ... 10 */
    static const mrw_frame_span second = {1.0, {10, 1}, 10};
    static const struct {
        bool sequence;
        const char *keys[5];
        const char *expected;
    } cases[] = {
        {false, {NULL}, "0:0"},
        {true, {NULL}, "0:0 1:0.1 2:0.2 3:0.3 4:0.4 5:0.5 6:0.6 7:0.7 8:0.8 9:0.9 10:1"},
        {true, {"loop", "yes"}, "0:0 1:0.1 2:0.2 3:0.3 4:0.4 5:0.5 6:0.6 7:0.7 8:0.8 9:0.9"},
        {true, {"frames", "0-6x3,-1"}, "0:0 3:0.3 6:0.6 10:1"},
        {true, {"frames", "-3--1"}, "8:0.8 9:0.9 10:1"},
        {true, {"frames", "5--1x4"}, "5:0.5 9:0.9"},
        {true, {"frames", "3-1"}, "3:0.3 2:0.2 1:0.1"},
        {true, {"frames", "9-12", "wrap", "clamp"}, "9:0.9 10:1 11:1 12:1"},
        {true, {"frames", "9-12", "wrap", "loop"}, "9:0.9 10:0 11:0.1 12:0.2"},
        {true, {"frames", "9-12", "wrap", "pingpong"}, "9:0.9 10:1 11:0.9 12:0.8"},
        {true, {"frames", "9-12", "wrap", "file"}, "9:0.9 10:1 11:1.1 12:1.2"},
        {true, {"times", "0.25,7,-3"}, "0:0.25 1:1 2:0"},
        {true, {"times", "0.25,7,-3", "wrap", "file"}, "0:0.25 1:7 2:-3"},
        {true, {"times", "1.25,-0.25", "wrap", "loop"}, "0:0.25 1:0.75"},
        {true, {"count", "5"}, "0:0 1:0.25 2:0.5 3:0.75 4:1"},
        {true, {"count", "1"}, "0:0"},
        {true, {"count", "4", "loop", "yes"}, "0:0 1:0.25 2:0.5 3:0.75"},
        {false, {"speed", "-2"}, "0:1"},
        {true, {"speed", "-1"}, "0:1 1:0.9 2:0.8 3:0.7 4:0.6 5:0.5 6:0.4 7:0.3 8:0.2 9:0.1 10:0"},
        {true, {"speed", "-1", "frames", "0-6x3,-1"}, "0:1 3:0.7 6:0.4 10:0"},
        {true, {"speed", "-1", "count", "5"}, "0:1 1:0.75 2:0.5 3:0.25 4:0"},
        {true, {"speed", "-1", "count", "1"}, "0:1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_status status;
        mrw_error error = {0};
        const char *got = choose(&second, cases[i].sequence, cases[i].keys, &status, &error);
        ck_assert_msg(status == MRW_OK, "case %zu: %s", i, error.text);
        ck_assert_str_eq(got, cases[i].expected);
    }
}
END_TEST

START_TEST(frames_outside_are_refused)
{
    static const mrw_frame_span second = {1.0, {10, 1}, 10};
    static const char *const lists[] = {"11", "0-99", "-12", "5--9"};
    for (size_t i = 0; i < 4; i++) {
        mrw_status status;
        mrw_error error = {0};
        choose(&second, true, KEYS("frames", lists[i]), &status, &error);
        ck_assert_int_eq(status, MRW_ERROR_INPUT);
        ck_assert_ptr_nonnull(strstr(error.text, "10"));
    }
    mrw_status status;
    mrw_error error = {0};
    static const mrw_frame_span endless = {1e12, {30, 1}, 30000000000000ull};
    choose(&endless, true, KEYS("fps", "30"), &status, &error);
    ck_assert_int_eq(status, MRW_ERROR_INPUT);
    choose(&endless, true, KEYS("frames", "0-999999999"), &status, &error);
    ck_assert_int_eq(status, MRW_ERROR_INPUT);
}
END_TEST

/* Backwards, with what comes at the ends: the first frame is the clip's end, those of loops too. */
START_TEST(frames_backwards)
{
    static const mrw_frame_span second = {1.0, {10, 1}, 10}, odd = {0.35, {10, 1}, 3};
    static const struct {
        const mrw_frame_span *span;
        const char *keys[7];
        const char *expected;
    } cases[] = {
        {&second, {"speed", "-1", "frames", "9-12", "wrap", "clamp"}, "9:0.1 10:0 11:0 12:0"},
        {&second, {"speed", "-1", "frames", "9-12", "wrap", "loop"}, "9:0.1 10:0 11:0.9 12:0.8"},
        {&second,
         {"speed", "-1", "frames", "9-12", "wrap", "pingpong"},
         "9:0.1 10:0 11:0.1 12:0.2"},
        {&second, {"speed", "-1", "frames", "9-12", "wrap", "file"}, "9:0.1 10:0 11:-0.1 12:-0.2"},
        {&second, {"speed", "-1", "count", "4", "loop", "yes"}, "0:1 1:0.75 2:0.5 3:0.25"},
        {&odd, {"speed", "-1", "loop", "yes"}, "0:0.35 1:0.25 2:0.15 3:0.05"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_status status;
        mrw_error error = {0};
        const char *got = choose(cases[i].span, true, cases[i].keys, &status, &error);
        ck_assert_msg(status == MRW_OK, "case %zu: %s", i, error.text);
        ck_assert_str_eq(got, cases[i].expected);
    }
}
END_TEST

/* The clip that doesn't end on a frame keeps its last frame with --loop. */
START_TEST(loop_drops_only_a_repeated_end)
{
    static const mrw_frame_span odd = {0.35, {10, 1}, 3};
    static const mrw_frame_span still = {0.0, {30, 1}, 0};
    mrw_status status;
    mrw_error error = {0};
    ck_assert_str_eq(choose(&odd, true, KEYS("loop", "yes"), &status, &error),
                     "0:0 1:0.1 2:0.2 3:0.3");
    ck_assert_str_eq(choose(&still, true, KEYS("loop", "yes"), &status, &error), "0:0");
}
END_TEST

/* Times are one division: what mrw_frame_time gives. */
START_TEST(frame_times_are_exact)
{
    mrw_settings s;
    mrw_frame_list list;
    mrw_error error;
    mrw_rate rate = {30000, 1001};
    mrw_frame_span span = {1e6, rate, mrw_last_frame(1e6, rate)};
    mrw_settings_init(&s);
    ck_assert_int_eq(mrw_settings_set(&s, "frames", "0-100000x37", &error), MRW_OK);
    ck_assert_int_eq(mrw_settings_frames(&s, &span, true, &list, &error), MRW_OK);
    for (size_t i = 0; i < list.count; i++) {
        double expected = (double)(list.items[i].number * 1001u) / 30000.0;
        ck_assert(list.items[i].time == expected);
        ck_assert(list.items[i].time == mrw_frame_time(list.items[i].number, rate));
    }
    ck_assert_uint_eq(list.count, 100000 / 37 + 1);
    mrw_frame_list_free(&list);
    mrw_settings_free(&s);
}
END_TEST

/* ---- text ------------------------------------------------------------------------------------ */

START_TEST(numbers_without_locale)
{
    char out[32];
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        setlocale(LC_ALL, "de_DE");
    }
    ck_assert_uint_eq(mrw_format_double(0.1, out), 3);
    ck_assert_str_eq(out, "0.1");
    mrw_format_float(0.1f, out);
    ck_assert_str_eq(out, "0.1");
    mrw_format_fixed(2.345678, 2, out);
    ck_assert_str_eq(out, "2.35");
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    ck_assert_int_eq(mrw_settings_set(&s, "fov", "33.5", &error), MRW_OK);
    ck_assert_double_eq(s.camera.view.fov_degrees, 33.5);
    mrw_settings_free(&s);
    setlocale(LC_ALL, "C");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("options");
    TCase *tc = tcase_create("options");
    tcase_add_test(tc, defaults_are_shown_in_the_form_of_the_option);
    tcase_add_test(tc, rows_are_complete);
    tcase_add_test(tc, options_stand_anywhere);
    tcase_add_test(tc, values_may_begin_with_a_dash);
    tcase_add_test(tc, spaces_may_follow_commas);
    tcase_add_test(tc, the_last_of_scalars_that_are_set_wins);
    tcase_add_test(tc, choices_follow_the_enums);
    tcase_add_test(tc, exposure_and_tone_map);
    tcase_add_test(tc, overlays_are_named);
    tcase_add_test(tc, the_ground_takes_a_colour);
    tcase_add_test(tc, shading_modes_are_those_of_the_rasterizer);
    tcase_add_test(tc, speed_forms);
    tcase_add_test(tc, rates_in_the_time_of_the_clip);
    tcase_add_test(tc, fps_forms);
    tcase_add_test(tc, colours);
    tcase_add_test(tc, gradients);
    tcase_add_test(tc, backgrounds_that_are_files);
    tcase_add_test(tc, blur_needs_an_environment_to_blur);
    tcase_add_test(tc, bad_values_name_what_is_accepted);
    tcase_add_test(tc, sizes_have_letters);
    tcase_add_test(tc, limits_default_to_those_of_the_library);
    tcase_add_test(tc, unknown_names_bring_the_nearest);
    tcase_add_test(tc, nearest_names_are_those_of_the_command);
    tcase_add_test(tc, sheets_are_settled);
    tcase_add_test(tc, a_second_value_is_refused_on_a_command_line);
    tcase_add_test(tc, views_by_name_and_by_angles);
    tcase_add_test(tc, several_angles);
    tcase_add_test(tc, turntables_and_directions);
    tcase_add_test(tc, times_in_percent);
    tcase_add_test(tc, a_place_counts_where_it_is_given);
    tcase_add_test(tc, any_option_can_be_given);
    tcase_add_test(tc, options_that_exclude_each_other);
    tcase_add_test(tc, blends);
    tcase_add_test(tc, names_at_nodes);
    tcase_add_test(tc, values_that_may_be_left_out);
    tcase_add_test(tc, options_of_tests);
    tcase_add_test(tc, options_of_tests_that_exclude_each_other);
    tcase_add_test(tc, options_of_comparisons);
    tcase_add_test(tc, comparisons_default_to_those_of_the_library);
    tcase_add_test(tc, masks);
    tcase_add_test(tc, numbers_of_names);
    tcase_add_test(tc, help_needs_nothing_else);
    tcase_add_test(tc, keys_of_files);
    tcase_add_test(tc, frames_by_hand);
    tcase_add_test(tc, frames_outside_are_refused);
    tcase_add_test(tc, frames_backwards);
    tcase_add_test(tc, loop_drops_only_a_repeated_end);
    tcase_add_test(tc, frame_times_are_exact);
    tcase_add_test(tc, numbers_without_locale);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
