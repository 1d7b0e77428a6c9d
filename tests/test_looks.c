/* test_looks.c: golden/ leaves no look out. Walks the table of options: each one that changes what
 * is seen, each value of a choice and each form that a value can take must be used by some case of
 * our own suites. Whoever adds an option adds a golden of it. */
#include "test.h"

#include "marrow/light.h"
#include "marrow/suite.h"
#include "options/table.h"

/* ---- which options look ---------------------------------------------------------------------- */

/* Why the options of a group are not seen in pictures; NULL: they are. */
static const char *const unseen[MRW_OPTIONS_GROUP_COUNT] = {
    [MRW_OPTIONS_OUTPUT] = "where pictures go",
    [MRW_OPTIONS_CASES] = "which cases run",
    [MRW_OPTIONS_GOLDENS] = "which goldens are written",
    [MRW_OPTIONS_COMPARE] = "our own goldens are compared bit for bit, all of each picture",
    [MRW_OPTIONS_REPORTS] = "what is told of a run",
    [MRW_OPTIONS_FILES] =
        "limits, and ways to read a file. no-fbx-curves is seen, but the bits of what "
        "assimp reads differ from one CPU to the next",
    [MRW_OPTIONS_RUN] = "speed; all of them give the same bits, as test_golden.c shows",
};

/* Options that are seen, in groups that are not. */
static const char *const seen_too[] = {"scene"};

static bool is_look(const mrw_option *option)
{
    bool look = !unseen[option->group];
    for (size_t i = 0; i < sizeof seen_too / sizeof *seen_too; i++) {
        look = look || strcmp(option->name, seen_too[i]) == 0;
    }
    return look;
}

/* ---- forms of values ------------------------------------------------------------------------- */

/* Whether a text of a list has one: a test of one text. */
static bool any(const mrw_text_list *list, bool (*test)(const char *))
{
    for (size_t i = 0; i < list->count; i++) {
        if (test(list->items[i])) {
            return true;
        }
    }
    return false;
}

static bool is_index(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static bool is_pattern(const char *text)
{
    return strpbrk(text, "*?[");
}

static bool is_all(const char *text)
{
    return strcmp(text, "all") == 0;
}

static bool is_name(const char *text)
{
    return !is_index(text) && !is_pattern(text) && !is_all(text);
}

static bool has_node(const char *text)
{
    return mrw_split_at(text);
}

static bool has_no_node(const char *text)
{
    return !has_node(text);
}

static bool clip_name(const mrw_settings *s)
{
    return any(&s->animation.clips, is_name);
}

static bool clip_index(const mrw_settings *s)
{
    return any(&s->animation.clips, is_index);
}

static bool clip_glob(const mrw_settings *s)
{
    return any(&s->animation.clips, is_pattern);
}

static bool clip_all(const mrw_settings *s)
{
    return any(&s->animation.clips, is_all);
}

static bool layer_all(const mrw_settings *s)
{
    return any(&s->animation.layers, has_no_node);
}

static bool layer_node(const mrw_settings *s)
{
    return any(&s->animation.layers, has_node);
}

static bool add_free(const mrw_settings *s)
{
    return any(&s->model.added, has_no_node);
}

static bool add_node(const mrw_settings *s)
{
    return any(&s->model.added, has_node);
}

static bool has_pos(const char *text)
{
    return strstr(text, ":pos=") || strstr(text, ",pos=");
}

static bool add_pos(const mrw_settings *s)
{
    return any(&s->model.added, has_pos);
}

static bool has_rot(const char *text)
{
    return strstr(text, ":rot=") || strstr(text, ",rot=");
}

static bool add_rot(const mrw_settings *s)
{
    return any(&s->model.added, has_rot);
}

static bool has_scale(const char *text)
{
    return strstr(text, ":scale=") || strstr(text, ",scale=");
}

static bool add_scale(const mrw_settings *s)
{
    return any(&s->model.added, has_scale);
}

static bool has_clip(const char *text)
{
    return strstr(text, ":clip=") || strstr(text, ",clip=");
}

static bool add_clip(const mrw_settings *s)
{
    return any(&s->model.added, has_clip);
}

static bool has_time(const char *text)
{
    return strstr(text, ":time=") || strstr(text, ",time=");
}

static bool add_time(const mrw_settings *s)
{
    return any(&s->model.added, has_time);
}

static bool has_speed(const char *text)
{
    return strstr(text, ":speed=") || strstr(text, ",speed=");
}

static bool add_speed(const mrw_settings *s)
{
    return any(&s->model.added, has_speed);
}

static bool fps_whole(const mrw_settings *s)
{
    return !s->animation.fps_of_file && s->animation.fps.den == 1;
}

static bool fps_fraction(const mrw_settings *s)
{
    return !s->animation.fps_of_file && s->animation.fps.den != 1;
}

static bool fps_file(const mrw_settings *s)
{
    return s->animation.fps_of_file;
}

static bool azimuth_degrees(const mrw_settings *s)
{
    return !s->camera.azimuth_auto;
}

static bool azimuth_auto(const mrw_settings *s)
{
    return s->camera.azimuth_auto;
}

static bool size_square(const mrw_settings *s)
{
    return s->picture.width == s->picture.height;
}

static bool size_both(const mrw_settings *s)
{
    return s->picture.width != s->picture.height;
}

static bool background_picture(const mrw_settings *s)
{
    return s->picture.backplate == MRW_BACKPLATE_PICTURE;
}

static bool background_vertical(const mrw_settings *s)
{
    return s->picture.backplate == MRW_BACKPLATE_VERTICAL;
}

static bool background_radial(const mrw_settings *s)
{
    return s->picture.backplate == MRW_BACKPLATE_RADIAL;
}

static bool background_color(const mrw_settings *s)
{
    return !s->picture.transparent && s->picture.backplate == MRW_BACKPLATE_NONE;
}

static bool background_none(const mrw_settings *s)
{
    return s->picture.transparent;
}

static bool light_none(const mrw_settings *s)
{
    return s->picture.rig == MRW_RIG_OFF && s->lights.count == 0;
}

static bool light_default(const mrw_settings *s)
{
    return s->picture.rig == MRW_RIG_ON;
}

static bool light_ambient(const mrw_settings *s)
{
    return s->picture.ambient[0] > 0.0f;
}

static bool any_light(const mrw_settings *s, mrw_light_type type, mrw_light_space space)
{
    for (size_t i = 0; i < s->lights.count; i++) {
        if (s->lights.items[i].type == type && s->lights.items[i].space == space) {
            return true;
        }
    }
    return false;
}

static bool light_directional(const mrw_settings *s)
{
    return any_light(s, MRW_LIGHT_DIRECTIONAL, MRW_LIGHT_SPACE_WORLD);
}

static bool light_point(const mrw_settings *s)
{
    return any_light(s, MRW_LIGHT_POINT, MRW_LIGHT_SPACE_WORLD);
}

static bool light_spot(const mrw_settings *s)
{
    return any_light(s, MRW_LIGHT_SPOT, MRW_LIGHT_SPACE_WORLD);
}

static bool light_camera(const mrw_settings *s)
{
    return any_light(s, MRW_LIGHT_POINT, MRW_LIGHT_SPACE_CAMERA);
}

static bool light_node(const mrw_settings *s)
{
    return any_light(s, MRW_LIGHT_SPOT, MRW_LIGHT_SPACE_NODE);
}

static bool env_studio(const mrw_settings *s)
{
    return s->environment && strcmp(s->environment, "studio") == 0;
}

static bool env_none(const mrw_settings *s)
{
    return s->environment && strcmp(s->environment, "none") == 0;
}

static bool env_file(const mrw_settings *s)
{
    return s->environment && !env_studio(s) && !env_none(s);
}

static bool camera_name(const mrw_settings *s)
{
    return s->camera.names.count > 0 && is_name(s->camera.names.items[0]);
}

static bool camera_index(const mrw_settings *s)
{
    return s->camera.names.count > 0 && is_index(s->camera.names.items[0]);
}

static bool scene_name(const mrw_settings *s)
{
    return is_name(s->files.scene);
}

static bool scene_index(const mrw_settings *s)
{
    return is_index(s->files.scene);
}

static bool scale_one(const mrw_settings *s)
{
    return s->model.scale[0] == s->model.scale[1] && s->model.scale[1] == s->model.scale[2];
}

static bool scale_three(const mrw_settings *s)
{
    return !scale_one(s);
}

static bool displacement_none(const mrw_settings *s)
{
    return s->model.displacement && strcmp(s->model.displacement, "none") == 0;
}

static bool displacement_midlevel(const mrw_settings *s)
{
    const char *text = s->model.displacement, *colon = text ? strchr(text, ':') : NULL;
    return colon && strchr(colon + 1, ':');
}

static bool displacement_scale(const mrw_settings *s)
{
    return s->model.displacement && !displacement_none(s) && !displacement_midlevel(s);
}

/* Rows whose values take several forms, and how to tell from settings which one was written. */
typedef struct value_form {
    const char *option;
    const char *argument; /* as the table has it: whoever changes that looks here */
    const char *form;
    bool (*used)(const mrw_settings *);
} value_form;

#define BACKGROUND "FILE.png|A..B|COLOR|none"

static const value_form forms[] = {
    {"clip", "NAME|INDEX|GLOB|all", "NAME", clip_name},
    {"clip", "NAME|INDEX|GLOB|all", "INDEX", clip_index},
    {"clip", "NAME|INDEX|GLOB|all", "GLOB", clip_glob},
    {"clip", "NAME|INDEX|GLOB|all", "all", clip_all},
    {"layer", "CLIP[@NODE]", "CLIP", layer_all},
    {"layer", "CLIP[@NODE]", "CLIP@NODE", layer_node},
    {"add", "MODEL[@NODE][:KEY=VALUE,...]", "MODEL", add_free},
    {"add", "MODEL[@NODE][:KEY=VALUE,...]", "MODEL@NODE", add_node},
    {"add", "MODEL[@NODE][:KEY=VALUE,...]", ":pos=", add_pos},
    {"add", "MODEL[@NODE][:KEY=VALUE,...]", ":rot=", add_rot},
    {"add", "MODEL[@NODE][:KEY=VALUE,...]", ":scale=", add_scale},
    {"add", "MODEL[@NODE][:KEY=VALUE,...]", ":clip=", add_clip},
    {"add", "MODEL[@NODE][:KEY=VALUE,...]", ":time=", add_time},
    {"add", "MODEL[@NODE][:KEY=VALUE,...]", ":speed=", add_speed},
    {"fps", "N|N/D|file", "N", fps_whole},
    {"fps", "N|N/D|file", "N/D", fps_fraction},
    {"fps", "N|N/D|file", "file", fps_file},
    {"light", "LIGHT[@SPACE]", "none", light_none},
    {"light", "LIGHT[@SPACE]", "default", light_default},
    {"light", "LIGHT[@SPACE]", "ambient:", light_ambient},
    {"light", "LIGHT[@SPACE]", "directional:", light_directional},
    {"light", "LIGHT[@SPACE]", "point:", light_point},
    {"light", "LIGHT[@SPACE]", "spot:", light_spot},
    {"light", "LIGHT[@SPACE]", "LIGHT@camera", light_camera},
    {"light", "LIGHT[@SPACE]", "LIGHT@NODE", light_node},
    {"env", "FILE|studio|none", "FILE", env_file},
    {"env", "FILE|studio|none", "studio", env_studio},
    {"env", "FILE|studio|none", "none", env_none},
    {"azimuth", "DEGREES,...|auto", "DEGREES,...", azimuth_degrees},
    {"azimuth", "DEGREES,...|auto", "auto", azimuth_auto},
    {"size", "WxH|N", "WxH", size_both},
    {"size", "WxH|N", "N", size_square},
    {"background", BACKGROUND, "FILE.png", background_picture},
    {"background", BACKGROUND, "A..B", background_vertical},
    {"background", BACKGROUND, "A..B@radial", background_radial},
    {"background", BACKGROUND, "COLOR", background_color},
    {"background", BACKGROUND, "none", background_none},
    {"camera", "NAME|INDEX", "NAME", camera_name},
    {"camera", "NAME|INDEX", "INDEX", camera_index},
    {"scene", "NAME|INDEX", "NAME", scene_name},
    {"scene", "NAME|INDEX", "INDEX", scene_index},
    {"scale", "S|X,Y,Z", "S", scale_one},
    {"displacement", "TEXTURE:SCALE[:MIDLEVEL]|none", "TEXTURE:SCALE", displacement_scale},
    {"displacement", "TEXTURE:SCALE[:MIDLEVEL]|none", "TEXTURE:SCALE:MIDLEVEL",
     displacement_midlevel},
    {"displacement", "TEXTURE:SCALE[:MIDLEVEL]|none", "none", displacement_none},
    {"scale", "S|X,Y,Z", "X,Y,Z", scale_three},
};

/* ---- the walk -------------------------------------------------------------------------------- */

typedef struct gap_list {
    const mrw_case_list *cases;
    char text[4000]; /* what nobody uses: " --filter nearest, --up," */
} gap_list;

static void add_gap(gap_list *gaps, const char *option, const char *value)
{
    const size_t used = strlen(gaps->text);
    snprintf(gaps->text + used, sizeof gaps->text - used, " --%s%s%s,", option, value[0] ? " " : "",
             value);
}

static bool is_given(const mrw_case_list *cases, const char *name,
                     bool (*used)(const mrw_settings *))
{
    for (size_t i = 0; i < cases->count; i++) {
        const mrw_settings *settings = &cases->items[i].settings;
        if (mrw_settings_given(settings, name) && (!used || used(settings))) {
            return true;
        }
    }
    return false;
}

static uint32_t choice_of(const mrw_settings *settings, const mrwi_options_option *row)
{
    const char *field = (const char *)settings + row->offset;
    uint32_t value;
    if (row->kind == MRWI_OPTIONS_SWITCH) {
        return *(const bool *)field;
    }
    memcpy(&value, field, sizeof value);
    return value;
}

/* A choice that is the default counts where a case says nothing. What the default of --fit is
 * depends on what is drawn, so it counts only where it is written. */
static bool is_chosen(const mrw_case_list *cases, const mrwi_options_option *row, const char *value)
{
    char preset[64];
    mrw_option_default((size_t)(row - mrwi_options), preset, sizeof preset);
    const bool silent = strcmp(preset, value) == 0;
    mrw_settings wanted;
    mrw_error error = {0};
    bool chosen = false;
    mrw_settings_init(&wanted);
    ck_assert_msg(mrw_settings_set(&wanted, row->shown.name, value, &error) == MRW_OK, "%s",
                  error.text);
    for (size_t i = 0; i < cases->count && !chosen; i++) {
        const mrw_settings *settings = &cases->items[i].settings;
        chosen = (silent || mrw_settings_given(settings, row->shown.name)) &&
                 choice_of(settings, row) == choice_of(&wanted, row);
    }
    mrw_settings_free(&wanted);
    return chosen;
}

static void walk_choices(gap_list *gaps, const mrwi_options_option *row)
{
    const char *rest = row->shown.argument;
    while (*rest) {
        char value[64];
        const size_t length = strcspn(rest, "|");
        snprintf(value, sizeof value, "%.*s", (int)length, rest);
        if (!is_chosen(gaps->cases, row, value)) {
            add_gap(gaps, row->shown.name, value);
        }
        rest += length + (rest[length] == '|');
    }
}

static void walk_forms(gap_list *gaps, const mrw_option *option)
{
    size_t known = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].option, option->name) != 0) {
            continue;
        }
        ck_assert_msg(strcmp(forms[i].argument, option->argument) == 0,
                      "--%s is now %s: tell this test about its forms", option->name,
                      option->argument);
        known++;
        if (!is_given(gaps->cases, option->name, forms[i].used)) {
            add_gap(gaps, option->name, forms[i].form);
        }
    }
    ck_assert_msg(known > 1, "--%s %s has several forms: tell this test how to tell them apart",
                  option->name, option->argument);
}

static void walk_option(gap_list *gaps, const mrwi_options_option *row)
{
    const mrw_option *option = &row->shown;
    if (row->kind == MRWI_OPTIONS_CHOICE || row->kind == MRWI_OPTIONS_SAMPLES ||
        row->kind == MRWI_OPTIONS_SWITCH) {
        walk_choices(gaps, row);
    } else if (option->argument && strpbrk(option->argument, "|[")) {
        walk_forms(gaps, option);
    } else if (!is_given(gaps->cases, option->name, NULL)) {
        add_gap(gaps, option->name, "");
    }
}

static void find_gaps(const char *path, gap_list *gaps)
{
    mrw_case_list cases;
    mrw_error error = {0};
    ck_assert_msg(mrw_cases_load(&path, 1, &cases, &error) == MRW_OK, "%s", error.text);
    *gaps = (gap_list){.cases = &cases};
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        if (is_look(option) && mrw_option_belongs(option, MRW_COMMAND_RENDER) &&
            !mrwi_options[i].no_key) {
            walk_option(gaps, &mrwi_options[i]);
        }
    }
    mrw_cases_free(&cases);
}

/* ---- tests ----------------------------------------------------------------------------------- */

START_TEST(every_look_has_a_golden)
{
    gap_list gaps;
    find_gaps("golden", &gaps);
    ck_assert_msg(gaps.text[0] == '\0',
                  "no case of golden/ uses%s add cases to a suite there, then: make golden",
                  gaps.text);
}
END_TEST

/* The walk itself: one suite alone leaves gaps, and only those. */
START_TEST(gaps_are_found)
{
    static const char *const found[] = {" --filter nearest,", " --skinning dual-quaternion,",
                                        " --up,", " --background none,", " --camera INDEX,"};
    static const char *const used[] = {" --clip NAME,",   " --shading lit,", " --pose bind,",
                                       " --texture-dir,", " --wrap loop,",   " --aa 4,"};
    gap_list gaps;
    find_gaps("golden/inchworm.suite.ini", &gaps);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        ck_assert_msg(strstr(gaps.text, found[i]), "%s in%s", found[i], gaps.text);
    }
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        ck_assert_msg(!strstr(gaps.text, used[i]), "%s in%s", used[i], gaps.text);
    }
}
END_TEST

/* A group of options is either seen, or there is a reason why not. */
START_TEST(looks_are_those_of_a_picture)
{
    static const mrw_option_group seen[] = {MRW_OPTIONS_ANIMATION, MRW_OPTIONS_PICTURE,
                                            MRW_OPTIONS_CAMERA, MRW_OPTIONS_MODEL};
    size_t count = 0;
    for (size_t i = 0; i < MRW_OPTIONS_GROUP_COUNT; i++) {
        count += !unseen[i];
    }
    ck_assert_uint_eq(count, sizeof seen / sizeof *seen);
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        ck_assert_ptr_null(unseen[seen[i]]);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("looks");
    TCase *tc = tcase_create("options");
    tcase_add_test(tc, every_look_has_a_golden);
    tcase_add_test(tc, gaps_are_found);
    tcase_add_test(tc, looks_are_those_of_a_picture);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
