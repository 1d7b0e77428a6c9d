/* test_options_names.c: names that are none, flags that are switched off, the few options of help.
 */
#include "test.h"

#include "marrow/frame.h"
#include "marrow/options.h"
#include "options/table.h"

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

/* ---- names ----------------------------------------------------------------------------------- */

/* Options as new users type them, and those that are meant, any of which is right. */
static const struct {
    const char *typed;
    const char *meant[2];
} typed[] = {
    {"--wireframe", {"--overlay", "--shading"}},
    {"--skeleton", {"--overlay"}},
    {"--bones", {"--overlay"}},
    {"--axes", {"--overlay"}},
    {"--grid", {"--overlay"}},
    {"--bbox", {"--overlay"}},
    {"--normals", {"--overlay", "--shading"}},
    {"--width", {"--size"}},
    {"--height", {"--size"}},
    {"--resolution", {"--size"}},
    {"--dimensions", {"--size"}},
    {"--animation", {"--clip"}},
    {"--animation-name", {"--clip"}},
    {"--animation-file", {"--anim"}},
    {"--action", {"--clip"}},
    {"--format", {"--output"}},
    {"--output-format", {"--output"}},
    {"--gif", {"--output"}},
    {"--bg", {"--background"}},
    {"--background-color", {"--background"}},
    {"--transparent", {"--background"}},
    {"--alpha", {"--background"}},
    {"--threads", {"-j"}},
    {"--jobs", {"--jobs"}},
    {"--workers", {"-j"}},
    {"--samples", {"--aa"}},
    {"--msaa", {"--aa"}},
    {"--antialias", {"--aa"}},
    {"--hdri", {"--env "}},
    {"--environment", {"--env "}},
    {"--ibl", {"--env "}},
    {"--skybox", {"--env-background"}},
    {"--turn", {"--turntable"}},
    {"--spin", {"--turntable"}},
    {"--rotate-camera", {"--turntable", "--azimuth"}},
    {"--spritesheet", {"--atlas"}},
    {"--contact-sheet", {"--sheet"}},
    {"--columns", {"--sheet"}},
    {"--frame-rate", {"--fps"}},
    {"--framerate", {"--fps"}},
    {"--start", {"--frames"}},
    {"--end", {"--frames"}},
    {"--range", {"--frames"}},
    {"--padding", {"--margin", "--gap"}},
    {"--list-clips", {"`marrow info MODEL`"}},
    {"--ambient-occlusion", {"--ao"}},
    {"--camera-position", {"--eye"}},
    {"--look-at", {"--target"}},
    {"--yaw", {"--azimuth"}},
    {"--tone-mapping", {"--tonemap"}},
};
#define TYPED (sizeof typed / sizeof *typed)

START_TEST(names_of_other_programs_lead_to_options)
{
    size_t right = 0, misleading = 0;
    for (size_t i = 0; i < TYPED; i++) {
        mrw_settings s;
        mrw_error error;
        ck_assert_int_eq(PARSE(&s, &error, "render", "m.glb", typed[i].typed), MRW_ERROR_USAGE);
        const char *said =
            error.text +
            (strncmp(error.text, "unknown option", 14) == 0 ? strcspn(error.text, ";") : 0);
        const bool names = strstr(said, typed[i].meant[0]) ||
                           (typed[i].meant[1] && strstr(said, typed[i].meant[1]));
        right += names;
        misleading += !names && strstr(said, "did you mean");
        mrw_settings_free(&s);
    }
    ck_assert_uint_eq(TYPED, 50);
    ck_assert_msg(right >= 45, "%zu of 50", right);
    ck_assert_uint_eq(misleading, 0);
}
END_TEST

/* Names of which nothing is known are left alone: a suggestion would mislead. */
START_TEST(nothing_is_suggested_where_nothing_fits)
{
    static const char *const names[] = {"--fog",    "--foo", "--zzz",    "--denoise",  "--bloom",
                                        "--rocket", "--q",   "--",       "---",        "-Z",
                                        "--é",      "--no-", "--no-fog", "--sandboxed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mrw_settings s;
        mrw_error error;
        if (PARSE(&s, &error, "render", "m.glb", names[i]) != MRW_OK) {
            ck_assert_msg(!strstr(error.text, "did you mean"), "%s", error.text);
        }
        mrw_settings_free(&s);
    }
    ASSERT_REFUSED("`marrow help info` lists the options of info", "info", "m.glb", "--width", "3");
}
END_TEST

START_TEST(the_ways_names_are_found)
{
    static const char *const rows[][2] = {
        {"--sise",
         "; did you mean --size WxH|N (size of the picture in pixels, up to 16384 per side)?"},
        {"--skeleton", "; did you mean --overlay skeleton (draw on the picture)?"},
        {"--showSkeleton", "--overlay skeleton (draw"},
        {"--wirefame", "--overlay wire (draw on the picture) or --shading wire (how"},
        {"--enable-shadows", "--shadows (lights cast shadows)?"},
        {"--max_influences", "--max-influences N (keep"},
        {"-fps", "--fps "},
        {"--orth", "--ortho (parallel projection)?"},
        {"--softness", "--shadow-softness PERCENT ("},
        {"--max-fps", "--fps "},
        {"--clip-frames", "--clip NAME"},
        {"--backgroudn", "--background "},
        {"--env-", "--env "},
        {"--shad", "--shadows ("},
        {"--input", "; a model needs no option"},
        {"--sandbox", "unless --no-sandbox is given"},
        {"--ambient", "--light ambient:color=0.2,0.2,0.2 ("},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ASSERT_REFUSED(rows[i][1], "render", "m.glb", rows[i][0]);
    }
    /* a word that two options begin with: the row of the word decides */
    ASSERT_REFUSED("did you mean --frames LIST (frame numbers) or --times", "render", "m",
                   "--frame");
    ASSERT_REFUSED("`marrow help max` lists more", "render", "m", "--max");
    ASSERT_REFUSED("it belongs to `test`; did you mean -o, --output PATH (", "render", "m", "--out",
                   "x.png");
    ASSERT_REFUSED("unknown command 'inspect'; did you mean `marrow info MODEL`", "inspect", "m");
}
END_TEST

/* Meanings name options and commands that are there, with values that they take. */
START_TEST(words_mean_what_is_there)
{
    for (size_t i = 0; i < mrw_option_word_count(); i++) {
        const mrw_option_word *word = mrw_option_word_at(i);
        for (size_t k = 0; k < i; k++) {
            ck_assert_msg(strcmp(word->word, mrw_option_word_at(k)->word) != 0, "%s", word->word);
        }
        char copy[128], *rest = copy;
        snprintf(copy, sizeof copy, "%s", word->means);
        for (char *p = strtok_r(copy, "|", &rest); p; p = strtok_r(NULL, "|", &rest)) {
            mrw_settings s;
            mrw_error error;
            if (p[0] == '=') {
                continue;
            }
            if (strncmp(p, "marrow ", 7) == 0) {
                char *name = p + 7;
                bool found = false;
                name[strcspn(name, " ")] = '\0';
                for (int c = 0; c < MRW_COMMAND_COUNT; c++) {
                    found = found || strcmp(mrw_command_describe((mrw_command)c)->name, name) == 0;
                }
                ck_assert_msg(found, "%s: %s", word->word, p);
                continue;
            }
            char *value = strchr(p, ' ');
            if (value) {
                *value++ = '\0';
            }
            mrw_settings_init(&s);
            ck_assert_msg(mrwi_options_option_find(p, strlen(p)), "%s: %s", word->word, p);
            ck_assert_msg(!value || mrw_settings_set(&s, p, value, &error) == MRW_OK, "%s: %s",
                          word->word, error.text);
            mrw_settings_free(&s);
        }
    }
}
END_TEST

/* ---- flags ----------------------------------------------------------------------------------- */

START_TEST(flags_are_switched_off)
{
    mrw_settings s;
    mrw_error error;
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        char no[64], command[16];
        if ((option->argument && !option->optional) || strcmp(option->name, "help") == 0 ||
            strcmp(option->name, "version") == 0) {
            continue;
        }
        snprintf(no, sizeof no, "--no-%s", option->name);
        snprintf(command, sizeof command, "%.*s", (int)strcspn(option->commands, " "),
                 option->commands);
        ck_assert_msg(PARSE(&s, &error, command, "m.glb", "n.glb", no) == MRW_OK ||
                          strstr(error.text, "cannot use"),
                      "%s", error.text);
        ck_assert(!mrw_settings_given(&s, option->name));
        mrw_settings_free(&s);
    }
    ck_assert_int_eq(PARSE(&s, &error, "render", "m", "--ground=#808080", "--shadows", "--json=a",
                           "--no-ground", "--no-json", "--no-shadows", "--json=b"),
                     MRW_OK);
    ck_assert_int_eq(s.picture.ground, MRW_GROUND_NONE);
    ck_assert(!s.picture.shadows && !mrw_settings_given(&s, "ground"));
    ck_assert_str_eq(s.output.json, "b");
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "m", "--no-json"), MRW_OK);
    ck_assert_ptr_null(s.output.json);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "m", "--json=off"), MRW_OK);
    ck_assert_str_eq(s.output.json, "off");
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "test", "--update=all", "--no-update"), MRW_OK);
    ck_assert_uint_eq(s.goldens.update, 0);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "m", "--no-file-lights"), MRW_OK);
    ck_assert(!s.picture.file_lights && mrw_settings_given(&s, "file-lights"));
    mrw_settings_free(&s);
}
END_TEST

START_TEST(flags_take_on_and_off)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "render", "m", "--shadows=on", "--ao=off", "--loop=off",
                           "--loop=on", "--no-sandbox"),
                     MRW_OK);
    ck_assert(s.picture.shadows && !s.picture.occlusion && s.animation.loop && s.files.no_sandbox);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "m", "--no-sandbox", "--no-sandbox=off"), MRW_OK);
    ck_assert(!s.files.no_sandbox);
    mrw_settings_free(&s);
    /* what is off neither needs nor excludes anything */
    ck_assert_int_eq(
        PARSE(&s, &error, "render", "m", "--shading", "raw", "--no-shadows", "--overlay-depth=off"),
        MRW_OK);
    mrw_settings_free(&s);
    ASSERT_REFUSED("--no-shadows does not accept a value; write --no-shadows or --shadows",
                   "render", "m", "--no-shadows=on");
    ASSERT_REFUSED("--shadows 'maybe': expected on, off or no value", "render", "m",
                   "--shadows=maybe");
    ASSERT_REFUSED("--no-size is invalid: --size takes a value", "render", "m", "--no-size");
    ASSERT_REFUSED("write --retarget off", "render", "m", "--no-retarget");
    ASSERT_REFUSED("write --env none", "render", "m", "--no-env");
    ASSERT_REFUSED("--shadows is not an option of `doctor`", "doctor", "--no-shadows");
    ASSERT_REFUSED("--ground turns --shadows on", "render", "m", "--ground", "--no-shadows");
    ck_assert_int_eq(PARSE(&s, &error, "render", "m", "--no-shadows", "--shadows", "--ground"),
                     MRW_OK);
    mrw_settings_free(&s);
}
END_TEST

/* ---- help ------------------------------------------------------------------------------------ */

START_TEST(few_options_are_common)
{
    size_t count = 0;
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const bool common = mrw_option_is_common(mrw_option_at(i));
        count += common;
        ck_assert(!common || mrw_option_belongs(mrw_option_at(i), MRW_COMMAND_RENDER));
    }
    ck_assert_uint_eq(count, 30); /* so each name of the list is there */
}
END_TEST

START_TEST(help_takes_words_that_look_like_options)
{
    mrw_settings s;
    mrw_error error;
    ck_assert_int_eq(PARSE(&s, &error, "help", "--sheet", "-o", "--no-ground", "--all"), MRW_OK);
    ck_assert_uint_eq(s.arguments.count, 3);
    ck_assert_str_eq(s.arguments.items[0], "--sheet");
    ck_assert(s.run.all);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "render", "--help", "--all"), MRW_OK);
    ck_assert(s.run.help && s.run.all);
    mrw_settings_free(&s);
    ASSERT_REFUSED("--all has no effect without --help", "render", "m.glb", "--all");
    ck_assert_int_eq(PARSE(&s, &error, "-V"), MRW_OK);
    ck_assert(s.run.version);
    mrw_settings_free(&s);
    ck_assert_int_eq(PARSE(&s, &error, "version"), MRW_OK);
    ck_assert_int_eq(s.command, MRW_COMMAND_VERSION);
    mrw_settings_free(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("options names");
    TCase *tc = tcase_create("names");
    tcase_add_test(tc, names_of_other_programs_lead_to_options);
    tcase_add_test(tc, nothing_is_suggested_where_nothing_fits);
    tcase_add_test(tc, the_ways_names_are_found);
    tcase_add_test(tc, words_mean_what_is_there);
    tcase_add_test(tc, flags_are_switched_off);
    tcase_add_test(tc, flags_take_on_and_off);
    tcase_add_test(tc, few_options_are_common);
    tcase_add_test(tc, help_takes_words_that_look_like_options);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
