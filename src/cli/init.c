/* init.c: `marrow init`: a first suite for models, one case a clip. */
#include "init.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING "suite.ini"

#define MOST_COMMENT 150 /* of a stranger's name in one */

/* ---- the file -------------------------------------------------------------------------------- */

static mrw_status check_path(const char *path, mrw_error *error)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char safe[512];
    if (strcmp(path, "-") == 0 || strcmp(base, ENDING) == 0 ||
        (mrw_output_ends_with(base, "." ENDING) && strlen(base) > strlen("." ENDING))) {
        return MRW_OK;
    }
    return mrw_fail(error, MRW_ERROR_USAGE,
                    "-o %s: the name of a suite must be " ENDING " or NAME." ENDING
                    ", or marrow test will not find it",
                    mrw_escape_text(path, safe, sizeof safe));
}

/* -o, or NAME.suite.ini, of several models suite.ini; what is there stays. */
static mrw_status choose_path(const mrw_settings *settings, char *out, size_t size,
                              mrw_error *error)
{
    char name[MRW_SESSION_NAME_SIZE], safe[512];
    if (settings->output.path) {
        snprintf(out, size, "%s", settings->output.path);
    } else if (settings->arguments.count > 1) {
        snprintf(out, size, ENDING);
    } else {
        mrw_session_name(settings->arguments.items[0], name);
        snprintf(out, size, "%s." ENDING, mrw_safe_file_name(name, safe, sizeof safe));
    }
    mrw_status status = check_path(out, error);
    if (status == MRW_OK && strcmp(out, "-") != 0 && !settings->output.force &&
        access(out, F_OK) == 0) {
        status = mrw_fail(error, MRW_ERROR_OUTPUT,
                          "%s: the file exists; --force overwrites it, -o chooses another name",
                          mrw_escape_text(out, safe, sizeof safe));
    }
    return status;
}

/* Adds a number to the name of a suite.ini if NAME.suite.ini is beside it: both would be called so.
 */
static void avoid_neighbours(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    char beside[PATH_MAX], stem[CLI_SUITE_LINE];
    snprintf(stem, sizeof stem, "%s", name);
    for (unsigned n = 2; n < 100; n++) {
        snprintf(beside, sizeof beside, "%.*s%s." ENDING, slash ? (int)(slash + 1 - path) : 0, path,
                 name);
        if (access(beside, F_OK) != 0) {
            return;
        }
        snprintf(name, size, "%.*s_%u", (int)(size - 6), stem, n);
    }
}

/* --name, or NAME of -o NAME.suite.ini, or the name of the first model. */
static mrw_status choose_name(const mrw_settings *settings, const char *path, char *out,
                              size_t size, mrw_error *error)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char name[MRW_SESSION_NAME_SIZE], safe[512];
    const char *given = settings->cases.name;
    const size_t length = strlen(base), end = strlen("." ENDING);
    if (given) {
        snprintf(name, sizeof name, "%s", given);
    } else if (length > end && mrw_output_ends_with(base, "." ENDING)) {
        snprintf(name, sizeof name, "%.*s", (int)(length - end), base);
    } else {
        mrw_session_name(settings->arguments.items[0], name);
    }
    mrw_safe_file_name(name, out, size - sizeof "name = ");
    if (!given && length == strlen(ENDING)) {
        avoid_neighbours(path, out, size - sizeof "name = ");
    }
    return !given || strcmp(out, given) == 0
               ? MRW_OK
               : mrw_fail(error, MRW_ERROR_USAGE,
                          "--name %s: a suite's name is also a folder name, so it can contain only "
                          "letters, digits, '.', '_' and '-', can't start with '.' and has at most "
                          "%zu bytes; write --name %s",
                          mrw_escape_text(given, safe, sizeof safe), size - sizeof "name = " - 1,
                          out);
}

/* ---- paths in it ----------------------------------------------------------------------------- */

/* True when a suite reads a value back as it is: no list, no comment, no blanks around. */
static bool is_plain(const char *text)
{
    char safe[PATH_MAX];
    const size_t length = strlen(text);
    return length > 0 && text[0] != ' ' && text[length - 1] != ' ' && !strchr(text, ',') &&
           !strchr(text, '\t') && !strstr(text, " + ") && !strstr(text, " ;") && text[0] != ';' &&
           strcmp(mrw_escape_text(text, safe, sizeof safe), text) == 0;
}

/* The folder that paths in the suite lead from. */
static bool find_folder(const char *suite, char out[PATH_MAX])
{
    char folder[PATH_MAX];
    const char *slash = strrchr(suite, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - suite) + 1 : 1,
             slash ? suite : ".");
    return realpath(folder, out);
}

/* "../models/hero.glb" for a file as seen from a folder; both are absolute and without links. */
static void make_relative(const char *folder, const char *file, char *out, size_t size)
{
    size_t common = 0, used = 0, same = 0;
    for (; folder[same] != '\0' && folder[same] == file[same]; same++) {
        common = folder[same] == '/' ? same : common;
    }
    if ((folder[same] == '\0' || folder[same] == '/') &&
        (file[same] == '\0' || file[same] == '/')) {
        common = same;
    }
    out[0] = '\0';
    for (const char *p = folder + common; *p != '\0' && used + 4 < size; p++) {
        if (*p == '/' && p[1] != '\0') {
            memcpy(out + used, "../", 4);
            used += 3;
        }
    }
    const char *rest = file + common;
    rest += *rest == '/';
    used -= *rest == '\0' && used > 0; /* "../.." */
    snprintf(out + used, size - used, "%s", *rest || used > 0 ? rest : ".");
}

/* The directory part is resolved alone: a model may be a link to the file of the day. */
static mrw_status put_path(const char *suite, const char *path, mrw_text *text, mrw_error *error)
{
    char folder[PATH_MAX], given[PATH_MAX], real[PATH_MAX], full[2 * PATH_MAX], shown[PATH_MAX];
    char safe[512];
    struct stat info;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    snprintf(shown, sizeof shown, "%s", path);
    snprintf(given, sizeof given, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
    if (strncmp(path, "demo:", 5) != 0 && find_folder(suite, folder) &&
        realpath(is_folder ? path : given, real)) {
        snprintf(full, sizeof full, "%s%s%s", strcmp(real, "/") == 0 ? "" : real,
                 is_folder ? "" : "/", is_folder ? "" : name);
        make_relative(folder, full, shown, sizeof shown);
    }
    if (!is_plain(shown) || strlen(shown) > CLI_SUITE_LINE - 20) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "%s: a suite cannot contain this path (relative to the suite); use a "
                        "shorter one without commas and without blanks at its ends",
                        mrw_escape_text(shown, safe, sizeof safe));
    }
    mrw_text_add(text, "%s", shown);
    return MRW_OK;
}

/* KEY = A + B. */
static mrw_status put_paths(const char *suite, const char *key, const mrw_text_list *paths,
                            mrw_text *text, mrw_error *error)
{
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < paths->count && status == MRW_OK; i++) {
        mrw_text_add(text, i == 0 ? "%s = " : " + ", key);
        status = put_path(suite, paths->items[i], text, error);
    }
    mrw_text_add(text, "%s", paths->count > 0 ? "\n" : "");
    return status;
}

/* ---- options that were given ----------------------------------------------------------------- */

/* The value of a choice: part `index` of a|b|c. */
static void put_choice(const char *key, const char *choices, uint32_t index, mrw_text *text)
{
    for (; index > 0 && strchr(choices, '|'); index--) {
        choices = strchr(choices, '|') + 1;
    }
    mrw_text_add(text, "%s = %.*s\n", key, (int)strcspn(choices, "|"), choices);
}

static const char *choices_of(const char *key)
{
    size_t i = 0;
    while (i < mrw_option_count() && strcmp(mrw_option_at(i)->name, key) != 0) {
        i++;
    }
    return i < mrw_option_count() ? mrw_option_at(i)->argument : "";
}

static void put_number(const char *key, double value, mrw_text *text)
{
    mrw_text_add(text, "%s = ", key);
    mrw_text_double(text, value);
    mrw_text_add(text, "\n");
}

static void put_angle(const char *key, float degrees, mrw_text *text)
{
    mrw_text_add(text, "%s = ", key);
    mrw_text_float(text, degrees);
    mrw_text_add(text, "\n");
}

static mrw_status put_shading(const mrw_settings *settings, const char *suite, mrw_text *text,
                              mrw_error *error)
{
    const char *argument = settings->shading_argument;
    const char *name = mrw_shading_info_of((mrw_shading)settings->picture.shading)->name;
    char safe[256];
    if (!mrw_settings_given(settings, "shading")) {
        return MRW_OK;
    }
    if (settings->picture.shading == MRW_SHADING_MATCAP) {
        mrw_text_add(text, "shading = matcap:");
        const mrw_status status = put_path(suite, argument, text, error);
        mrw_text_add(text, "\n");
        return status;
    }
    if (argument && !is_plain(argument)) {
        return mrw_fail(error, MRW_ERROR_USAGE, "--shading %s: a suite cannot contain this name",
                        mrw_escape_text(argument, safe, sizeof safe));
    }
    mrw_text_add(text, "shading = %.*s%s%s\n", (int)strcspn(name, ":"), name, argument ? ":" : "",
                 argument ? argument : "");
    return MRW_OK;
}

static mrw_status put_drawing(const mrw_settings *settings, const char *suite, mrw_text *text,
                              mrw_error *error)
{
    if (mrw_settings_given(settings, "aa")) {
        mrw_text_add(text, "aa = %u\n", settings->picture.samples);
    }
    const mrw_status status = put_shading(settings, suite, text, error);
    if (mrw_settings_given(settings, "fit")) {
        put_choice("fit", choices_of("fit"), settings->camera.fit, text);
    }
    if (settings->camera.azimuth_auto) {
        mrw_text_puts(text, "azimuth = auto\n");
    } else if (mrw_settings_given(settings, "azimuth")) {
        put_angle("azimuth", settings->camera.view.azimuth_degrees, text);
    }
    if (mrw_settings_given(settings, "elevation")) {
        put_angle("elevation", settings->camera.view.elevation_degrees, text);
    }
    return status;
}

static mrw_status put_reading(const mrw_settings *settings, const char *suite, mrw_text *text,
                              mrw_error *error)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"max-file-size", (double)settings->files.max_file_size},
                   {"max-texture-size", (double)settings->files.max_texture_size},
                   {"texture-memory", (double)settings->files.texture_memory},
                   {"max-vertices", (double)settings->files.max_vertices},
                   {"max-joints", (double)settings->files.max_joints},
                   {"max-keys", (double)settings->files.max_keys},
                   {"import-seconds", settings->files.import_seconds},
                   {"import-memory", (double)settings->files.import_memory}};
    static const char *const colors[] = {NULL, "srgb", "linear"};
    const struct {
        const char *key;
        const char *value;
    } texts[] = {{"allow-format", settings->files.formats},
                 {"input-format", settings->files.input_format},
                 {"scene", settings->files.scene},
                 {"variant", settings->files.variant},
                 {"fbx-curves", settings->files.fbx_curves ? NULL : "no"},
                 {"material-colors", colors[settings->files.material_colors]},
                 {"flip-v", settings->files.flip_v ? "yes" : NULL},
                 {"flip-winding", settings->files.flip_winding ? "yes" : NULL},
                 {"no-sandbox", settings->files.no_sandbox ? "yes" : NULL}};
    const mrw_text_list root = {(const char **)(uintptr_t)&settings->files.asset_root,
                                settings->files.asset_root ? 1 : 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (mrw_settings_given(settings, numbers[i].key)) {
            put_number(numbers[i].key, numbers[i].value, text);
        }
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char safe[256];
        if (texts[i].value && i > 0 && !is_plain(texts[i].value)) { /* formats are a list */
            return mrw_fail(error, MRW_ERROR_USAGE, "--%s %s: a suite cannot contain this name",
                            texts[i].key, mrw_escape_text(texts[i].value, safe, sizeof safe));
        }
        if (texts[i].value) {
            mrw_text_add(text, "%s = %s\n", texts[i].key, texts[i].value);
        }
    }
    mrw_status status = put_paths(suite, "anim", &settings->animation.anims, text, error);
    if (status == MRW_OK) {
        status = put_paths(suite, "texture-dir", &settings->model.texture_dirs, text, error);
    }
    return status == MRW_OK ? put_paths(suite, "asset-root", &root, text, error) : status;
}

/* ---- what holds for all cases ---------------------------------------------------------------- */

/* What else can stand there, a line each to take the '#' from; all keys that only suites have are
 * among them. */
static const char *const examples[][2] = {
    {"azimuth = 0, 90, 180", "one case per value"},
    {"shading = clay", "how surfaces are shown"},
    {"background = white", "none: RGBA"},
    {"overlay = skeleton, names", "drawn over it"},
    {"compare = perceptual", "visible differences (FLIP)"},
    {"store = hash", "one line per frame in golden.txt, no pictures"},
    {"key-frames = 0", "with store = hash: keep pictures of these frames"},
    {"golden = golden", "the folder of the goldens"},
    {"tags = slow, hero", "words to choose cases by: --tag slow"},
    {"refit = yes", "framed again on each run, not like its goldens"},
    {"skip = waits for the new rig", "not run, for this reason"},
    {"xfail = left hand has no weights", "known to fail; passing counts as a failure"},
    {"gl-ratio = 0.99 glass is sorted", "--against-backend: this share of pixels is enough"},
    {"backend = soft glass is sorted", "--against-backend: skipped, for this reason"},
};

static void put_examples(mrw_text *text)
{
    mrw_text_add(text, "\n# Other keys, for all cases or for one: remove the '#' to use them "
                       "(`marrow help suite` has\n"
                       "# all keys).\n");
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        mrw_text_add(text, "# %-32s ; %s\n", examples[i][0], examples[i][1]);
    }
}

static mrw_status put_defaults(const cli_draft *d, mrw_text *text, mrw_error *error)
{
    const mrw_settings *settings = d->settings;
    const bool sized = mrw_settings_given(settings, "size");
    mrw_status status = MRW_OK;
    mrw_text_add(text,
                 "# Every long option of `marrow render` is a key; see also `marrow help test`.\n\n"
                 "[defaults]\n"
                 "# The name of the suite, and of the folder of its goldens.\n"
                 "name = %s\n",
                 d->name);
    if (d->models == 1) {
        mrw_text_add(text, "model = ");
        status = put_path(d->path, settings->arguments.items[0], text, error);
        mrw_text_add(text, "\n");
    }
    if (status == MRW_OK) {
        status = put_reading(settings, d->path, text, error);
    }
    mrw_text_add(
        text,
        "# Small pictures show as much as large ones, and take less space in a repository.\n"
        "size = %ux%u\n",
        sized ? settings->picture.width : 160, sized ? settings->picture.height : 120);
    if (status == MRW_OK) {
        status = put_drawing(settings, d->path, text, error);
    }
    if (d->plays) {
        mrw_text_add(
            text,
            "# The number of frames, spread evenly over each clip. Or list them: frames = 0,12,-1\n"
            "count = %u\n",
            settings->animation.count > 0 ? settings->animation.count : 4);
    }
    mrw_text_add(
        text,
        "# What is compared: the pictures, each joint, and with `bounds` the box around it all.\n"
        "check = pixels, pose\n"
        "# Pictures must be identical to the last bit. To allow differences:\n"
        "# compare = pixel\n"
        "# max-delta = 2\n"
        "# max-ratio = 0.001\n");
    put_examples(text);
    return status;
}

/* ---- one case -------------------------------------------------------------------------------- */

static bool is_free(const cli_sections *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcasecmp(list->names[i], name) == 0) {
            return false;
        }
    }
    return strcasecmp(name, "defaults") != 0;
}

/* A section's name: what a file name may be, and no other case has. */
static const char *name_section(cli_sections *list, const char *case_name)
{
    char safe[CLI_SUITE_NAME + 1 - 8]; /* room for a number */
    char *name = list->names[list->count];
    mrw_safe_file_name(case_name, safe, sizeof safe);
    snprintf(name, CLI_SUITE_NAME + 1, "%s", safe);
    for (unsigned n = 2; !is_free(list, name); n++) {
        snprintf(name, CLI_SUITE_NAME + 1, "%s_%u", safe, n);
    }
    list->count++;
    return name;
}

/* "[Run]", of several models "[hero_Run]" and which model it is. */
static mrw_status begin_case(cli_draft *d, const mrw_session_model *model, const char *clip,
                             mrw_error *error)
{
    char name[2 * MRW_SESSION_NAME_SIZE];
    snprintf(name, sizeof name, "%s%s%s", d->models > 1 ? model->name : "",
             d->models > 1 && clip ? "_" : "",
             clip            ? clip
             : d->models > 1 ? ""
                             : "rest");
    mrw_text_add(&d->cases, "\n[%s]\n", name_section(&d->sections, name));
    if (d->models == 1 && !d->adds) {
        return MRW_OK;
    }
    mrw_text_add(&d->cases, "model = ");
    const mrw_status status = put_path(d->path, model->path, &d->cases, error);
    mrw_text_add(&d->cases, "\n");
    return status;
}

/* Says in *only whether --clip TEXT is this clip and no other. */
static mrw_status chooses(const mrw_session_model *model, const char *text, uint32_t clip,
                          bool *only, mrw_error *error)
{
    mrw_settings settings = *model->settings;
    mrw_session_model asked = *model;
    mrw_session_clips found;
    settings.animation.clips = (mrw_text_list){&text, 1};
    asked.settings = &settings;
    mrw_status status = mrw_session_choose_clips(&asked, &found, error);
    *only = status == MRW_OK && found.count == 1 && found.items[0] == clip;
    if (status == MRW_OK) {
        mrw_session_clips_free(&found);
    }
    return status == MRW_ERROR_MEMORY ? status : MRW_OK; /* others: there is no such clip */
}

/* A pattern of the name: what a suite or a pattern could misread is any character. */
static void make_pattern(const char *name, char *out, size_t size)
{
    size_t used = 0;
    for (const unsigned char *p = (const unsigned char *)name; *p != '\0' && used + 1 < size; p++) {
        bool plain = (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') ||
                     (*p >= 'a' && *p <= 'z') || *p == '_' || *p == '-' || *p == '.';
        char sign = plain ? (char)*p : *p < 0x80 ? '?' : '*';
        if (sign != '*' || used == 0 || out[used - 1] != '*') {
            out[used++] = sign;
        }
    }
    out[used] = '\0';
}

/* How the suite names a clip: by name, else by a pattern of it, else by its number. */
static mrw_status name_clip(const mrw_session_model *model, uint32_t clip, char *out, size_t size,
                            bool *named, mrw_error *error)
{
    const char *name = mrw_session_clip_name(model, clip);
    mrw_status status = MRW_OK;
    *named = false;
    if (is_plain(name) && strlen(name) < MOST_COMMENT) {
        snprintf(out, size, "%s", name);
        status = chooses(model, out, clip, named, error);
    }
    if (status == MRW_OK && !*named) {
        make_pattern(name, out, size < MOST_COMMENT ? size : MOST_COMMENT);
        if (strpbrk(out, "_.-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) {
            status = chooses(model, out, clip, named, error);
        }
    }
    if (status == MRW_OK && !*named) {
        snprintf(out, size, "%u", clip);
        status = chooses(model, out, clip, named, error);
    }
    return status;
}

static mrw_status put_case(cli_draft *d, const mrw_session_model *model, uint32_t clip,
                           mrw_error *error)
{
    char value[CLI_SUITE_LINE], comment[MOST_COMMENT];
    const char *name = mrw_session_clip_name(model, clip);
    bool named = false;
    mrw_status status = name_clip(model, clip, value, sizeof value, &named, error);
    if (status != MRW_OK) {
        return status;
    }
    mrw_escape_text(name, comment, sizeof comment);
    if (!named) {
        mrw_text_add(&d->cases, "\n# Each name of this clip refers to an earlier clip: %s\n",
                     comment);
        return MRW_OK;
    }
    status = begin_case(d, model, name, error);
    if (strcmp(value, name) != 0) {
        mrw_text_add(&d->cases, "# %s\n", comment);
    }
    mrw_text_add(&d->cases, "clip = %s\n", value);
    if (!(mrw_session_clip_duration(model, clip) > 0.0)) {
        mrw_text_add(&d->cases, "count = 1\n"); /* it is a pose */
    }
    return status;
}

/* The clips of --clip, else all; one MRW_NONE when there are none. The caller frees *out. ("all"
 * would be the clip of that name.) */
static mrw_status choose_clips(const mrw_session_model *model, uint32_t **out, uint32_t *count,
                               mrw_error *error)
{
    const uint32_t all = model->scene->clips_count;
    mrw_session_clips chosen = {0};
    mrw_status status = mrw_session_choose_clips(model, &chosen, error);
    *count = model->settings->animation.clips.count == 0 && all > 0 ? all : chosen.count;
    *out = status == MRW_OK ? malloc(*count * sizeof **out) : NULL;
    if (status == MRW_OK && !*out) {
        status = cli_fail_memory(error);
    }
    for (uint32_t i = 0; i < *count && status == MRW_OK; i++) {
        (*out)[i] = *count == chosen.count ? chosen.items[i] : i;
    }
    mrw_session_clips_free(&chosen);
    return status;
}

static mrw_status put_rest(cli_draft *d, const mrw_session_model *model, mrw_error *error)
{
    const mrw_status status = begin_case(d, model, NULL, error);
    mrw_text_add(&d->cases,
                 "# There are no clips; this is the pose stored in the file.\npose = rest\n");
    return status;
}

/* A case for each clip of a model. */
mrw_status cli_draft_put_model(cli_draft *d, const mrw_session_model *model, mrw_error *error)
{
    uint32_t *clips = NULL, clip_count = 0;
    char safe[MOST_COMMENT];
    const size_t before = d->sections.count;
    mrw_status status = choose_clips(model, &clips, &clip_count, error);
    if (status == MRW_OK) {
        void *names =
            realloc(d->sections.names, (before + clip_count + 1) * sizeof *d->sections.names);
        d->sections.names = names ? names : d->sections.names;
        status = names ? MRW_OK : cli_fail_memory(error);
    }
    for (uint32_t i = 0; i < clip_count && status == MRW_OK; i++) {
        if (clips[i] != MRW_NONE && d->drawn && d->drawn[clips[i]]) {
            continue;
        }
        d->plays |= clips[i] != MRW_NONE;
        status =
            clips[i] == MRW_NONE ? put_rest(d, model, error) : put_case(d, model, clips[i], error);
    }
    free(clips);
    if (status == MRW_OK && d->sections.count == before && !d->adds) {
        return mrw_fail(error, MRW_ERROR_INPUT,
                        "%s: none of the requested clips has a unique name, pattern or number; "
                        "choose others with --clip",
                        mrw_escape_text(model->path, safe, sizeof safe));
    }
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

static mrw_status put_suite(const cli_draft *d, mrw_text *text, mrw_error *error)
{
    char name[MRW_SESSION_NAME_SIZE], safe[MOST_COMMENT];
    const mrw_text_list *models = &d->settings->arguments;
    mrw_session_name(models->items[0], name);
    mrw_text_add(text, "# Golden-image tests of %s", mrw_escape_text(name, safe, sizeof safe));
    if (d->models > 1) {
        mrw_text_add(text, " and %zu more", d->models - 1);
    }
    mrw_text_add(text, ", one case per clip.\n");
    const mrw_status status = put_defaults(d, text, error);
    mrw_text_add(text, "%s", d->cases.data ? d->cases.data : "");
    return status == MRW_OK && (text->failed || d->cases.failed) ? cli_fail_memory(error) : status;
}

static mrw_status say_what_next(const char *path, size_t count, mrw_error *error)
{
    mrw_text text = {0};
    mrw_text_escaped(&text, path);
    mrw_text_add(&text, ": %zu case%s. What to do next:\n  marrow test ", count,
                 count == 1 ? "" : "s");
    cli_put_argument(path, &text);
    mrw_text_add(&text,
                 " --update   # draws the goldens: check them, then commit them\n  marrow test ");
    cli_put_argument(path, &text);
    mrw_text_add(&text, "            # compares with them, now and in CI\n");
    mrw_status status = cli_print(&text, error);
    mrw_text_free(&text);
    return status;
}

static mrw_status write_suite(const cli_draft *d, mrw_error *error)
{
    const bool piped = strcmp(d->path, "-") == 0;
    mrw_text text = {0};
    mrw_status status = piped ? MRW_OK : mrw_make_folder_of(d->path, "-o", error);
    if (status == MRW_OK) {
        status = put_suite(d, &text, error);
    }
    if (status == MRW_OK && piped) {
        status = cli_print(&text, error);
    } else if (status == MRW_OK) {
        status = mrw_file_write(d->path, text.data, text.size, error);
        if (status == MRW_OK && !d->settings->run.quiet) {
            status = say_what_next(d->path, d->sections.count, error);
        }
    }
    mrw_text_free(&text);
    return status;
}

static mrw_status add_model(cli_draft *d, const char *path, mrw_error *error)
{
    mrw_scene *scene = NULL;
    mrw_session_model model = {0};
    mrw_status status = mrw_session_load(path, d->settings, &cli_host, &scene, error);
    if (status == MRW_OK) {
        status = cli_check_opened(d->settings, NULL, error);
    }
    if (status == MRW_OK) {
        status = mrw_session_model_init(path, scene, d->settings, &model, error);
    }
    if (status == MRW_OK) {
        status = cli_draft_put_model(d, &model, error);
    }
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    return status;
}

/* Returns true if a model was named before, by the same or another path. */
bool cli_is_again(const mrw_text_list *models, size_t index)
{
    char real[PATH_MAX], other[PATH_MAX];
    const bool found = realpath(models->items[index], real);
    bool again = false;
    for (size_t i = 0; i < index && !again; i++) {
        again = strcmp(models->items[i], models->items[index]) == 0 ||
                (found && realpath(models->items[i], other) && strcmp(real, other) == 0);
    }
    return again;
}

static mrw_status init(const mrw_settings *settings, mrw_error *error)
{
    const mrw_text_list *models = &settings->arguments;
    char suite[PATH_MAX];
    cli_draft d = {.settings = settings, .path = suite};
    for (size_t i = 0; i < models->count; i++) {
        d.models += !cli_is_again(models, i);
    }
    mrw_status status = choose_path(settings, suite, sizeof suite, error);
    if (status == MRW_OK) {
        status = choose_name(settings, suite, d.name, sizeof d.name, error);
    }
    for (size_t i = 0; i < models->count && status == MRW_OK; i++) {
        if (cli_is_again(models, i)) {
            continue;
        }
        status = strcmp(models->items[i], "-") == 0
                     ? mrw_fail(error, MRW_ERROR_USAGE,
                                "-: a suite cannot read standard input; give a file")
                     : add_model(&d, models->items[i], error);
    }
    if (status == MRW_OK) {
        status = write_suite(&d, error);
    }
    mrw_text_free(&d.cases);
    free(d.sections.names);
    return status;
}

int cli_init(const mrw_settings *settings)
{
    mrw_error error;
    mrw_status status = settings->model.added.count > 0 ? cli_extend_suite(settings, &error)
                                                        : init(settings, &error);
    if (status != MRW_OK) {
        cli_complain(&error);
    }
    return cli_exit_status(status);
}
