/* draft_keys.c: the section [defaults] of a suite that is written: settings as keys, paths,
 * examples.
 */
#include "suite/draft.h"

#include "base/text.h"
#include "marrow/raster.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- paths in it ----------------------------------------------------------------------------- */

bool mrwi_suite_draft_is_plain(const char *text)
{
    char safe[PATH_MAX];
    const size_t length = strlen(text);
    return length > 0 && text[0] != ' ' && text[length - 1] != ' ' && !strchr(text, ',') &&
           !strchr(text, '\t') && !strstr(text, " + ") && !strstr(text, " ;") && text[0] != ';' &&
           strcmp(mrwi_base_escape(text, safe, sizeof safe), text) == 0;
}

/* Writes the path of a file relative to a folder, such as "../models/hero.glb". Both paths are
 * absolute and without links. */
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

/* Resolves links in the model's folder only: the file itself may be a link to the latest version.
 */
mrw_status mrwi_suite_draft_path(const char *suite, const char *path, mrw_text *text,
                                 mrw_error *error)
{
    char from[PATH_MAX], folder[PATH_MAX], given[PATH_MAX], real[PATH_MAX], full[2 * PATH_MAX];
    char shown[PATH_MAX], safe[512];
    struct stat info;
    const char *suite_slash = strrchr(suite, '/');
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    snprintf(from, sizeof from, "%.*s", suite_slash ? (int)(suite_slash - suite) + 1 : 1,
             suite_slash ? suite : ".");
    snprintf(shown, sizeof shown, "%s", path);
    snprintf(given, sizeof given, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
    if (strncmp(path, "demo:", 5) != 0 && realpath(from, folder) &&
        realpath(is_folder ? path : given, real)) {
        snprintf(full, sizeof full, "%s%s%s", strcmp(real, "/") == 0 ? "" : real,
                 is_folder ? "" : "/", is_folder ? "" : name);
        make_relative(folder, full, shown, sizeof shown);
    }
    if (!mrwi_suite_draft_is_plain(shown) || strlen(shown) > MRWI_SUITE_MAX_LINE - 20) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "%s: a suite cannot contain this path (relative to the suite); use a "
                              "shorter one without commas and without blanks at its ends",
                              mrwi_base_escape(shown, safe, sizeof safe));
    }
    mrw_text_add(text, "%s", shown);
    return MRW_OK;
}

/* Adds "KEY = A + B" if there are paths. */
static mrw_status put_paths(const char *suite, const char *key, const mrw_text_list *paths,
                            mrw_text *text, mrw_error *error)
{
    for (size_t i = 0; i < paths->count; i++) {
        mrw_text_add(text, i == 0 ? "%s = " : " + ", key);
        mrw_status status = mrwi_suite_draft_path(suite, paths->items[i], text, error);
        if (status) {
            return status;
        }
    }
    mrw_text_add(text, "%s", paths->count > 0 ? "\n" : "");
    return MRW_OK;
}

/* ---- options that were given ----------------------------------------------------------------- */

/* Adds --fit as its choice is called in the table of options: a|b|c. */
static void put_fit(const mrw_settings *settings, mrw_text *text)
{
    size_t option = 0;
    while (strcmp(mrw_option_at(option)->name, "fit") != 0) {
        option++;
    }
    const char *choices = mrw_option_at(option)->argument;
    for (uint32_t i = settings->camera.fit; i > 0 && strchr(choices, '|'); i--) {
        choices = strchr(choices, '|') + 1;
    }
    mrw_text_add(text, "fit = %.*s\n", (int)strcspn(choices, "|"), choices);
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
        mrw_status status = mrwi_suite_draft_path(suite, argument, text, error);
        mrw_text_add(text, "\n");
        return status;
    }
    if (argument && !mrwi_suite_draft_is_plain(argument)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--shading %s: a suite cannot contain this name",
                              mrwi_base_escape(argument, safe, sizeof safe));
    }
    mrw_text_add(text, "shading = %.*s%s%s\n", (int)strcspn(name, ":"), name, argument ? ":" : "",
                 argument ? argument : "");
    return MRW_OK;
}

static mrw_status put_drawing(const mrw_settings *settings, const char *suite, mrw_text *text,
                              mrw_error *error)
{
    if (settings->look > 0) {
        size_t count;
        mrw_text_add(text, "look = %s\n", mrw_look_rows(&count)[settings->look].name);
    }
    if (mrw_settings_given(settings, "aa")) {
        mrw_text_add(text, "aa = %u\n", settings->picture.samples);
    }
    mrw_status status = put_shading(settings, suite, text, error);
    if (status) {
        return status;
    }
    if (mrw_settings_given(settings, "fit")) {
        put_fit(settings, text);
    }
    if (settings->camera.azimuth_auto) {
        mrw_text_puts(text, "azimuth = auto\n");
    } else if (mrw_settings_given(settings, "azimuth")) {
        put_angle("azimuth", settings->camera.view.azimuth_degrees, text);
    }
    if (mrw_settings_given(settings, "elevation")) {
        put_angle("elevation", settings->camera.view.elevation_degrees, text);
    }
    return MRW_OK;
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
            mrw_text_add(text, "%s = ", numbers[i].key);
            mrw_text_double(text, numbers[i].value);
            mrw_text_add(text, "\n");
        }
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char safe[256];
        if (texts[i].value && i > 0 &&
            !mrwi_suite_draft_is_plain(texts[i].value)) { /* formats are a list */
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "--%s %s: a suite cannot contain this name", texts[i].key,
                                  mrwi_base_escape(texts[i].value, safe, sizeof safe));
        }
        if (texts[i].value) {
            mrw_text_add(text, "%s = %s\n", texts[i].key, texts[i].value);
        }
    }
    mrw_status status = put_paths(suite, "anim", &settings->animation.anims, text, error);
    if (status) {
        return status;
    }
    status = put_paths(suite, "texture-dir", &settings->model.texture_dirs, text, error);
    return status ? status : put_paths(suite, "asset-root", &root, text, error);
}

/* ---- [defaults] ------------------------------------------------------------------------------ */

/* Other keys, commented out, one per line. All keys that only suites have are among them. */
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

mrw_status mrwi_suite_draft_defaults(const mrw_suite_draft *draft, mrw_text *text, mrw_error *error)
{
    const mrw_settings *settings = draft->settings;
    const bool sized = mrw_settings_given(settings, "size");
    mrw_status status;
    mrw_text_add(text,
                 "# Every long option of `marrow render` is a key; see also `marrow help test`.\n\n"
                 "[defaults]\n"
                 "# The name of the suite, and of the folder of its goldens.\n"
                 "name = %s\n",
                 draft->name);
    if (draft->models == 1) {
        mrw_text_add(text, "model = ");
        status = mrwi_suite_draft_path(draft->path, settings->arguments.items[0], text, error);
        if (status) {
            return status;
        }
        mrw_text_add(text, "\n");
    }
    status = put_reading(settings, draft->path, text, error);
    if (status) {
        return status;
    }
    mrw_text_add(
        text,
        "# Small pictures show as much as large ones, and take less space in a repository.\n"
        "size = %ux%u\n",
        sized ? settings->picture.width : 160, sized ? settings->picture.height : 120);
    status = put_drawing(settings, draft->path, text, error);
    if (status) {
        return status;
    }
    if (draft->plays) {
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
    mrw_text_add(text, "\n# Other keys, for all cases or for one: remove the '#' to use them "
                       "(`marrow help suite` has\n"
                       "# all keys).\n");
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        mrw_text_add(text, "# %-32s ; %s\n", examples[i][0], examples[i][1]);
    }
    return MRW_OK;
}
