/* line.c: the state of a viewer as a line of `marrow render`, and such lines as a state. */
#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- command lines that are kept ------------------------------------------------------------- */

mrw_status viewer_base_read(int argc, const char *const *argv, viewer_base **out, mrw_error *error)
{
    viewer_base *base = calloc(1, sizeof *base);
    *out = NULL;
    if (!base) {
        return viewer_fail_memory(error);
    }
    mrw_settings_init(&base->settings);
    for (int i = 0; i < argc; i++) {
        viewer_words_add(&base->words, argv[i]);
    }
    const char *const *words = (const char *const *)base->words.items;
    mrw_status status = base->words.failed
                            ? viewer_fail_memory(error)
                            : mrw_settings_parse(&base->settings, argc, words, error);
    if (status) {
        goto out;
    }
    status = viewer_arguments_read(&base->arguments, argc, words, error);
    if (status) {
        goto out;
    }
    *out = base;
    base = NULL;
out:
    viewer_base_free(base);
    return status;
}

void viewer_base_free(viewer_base *base)
{
    if (base) {
        viewer_arguments_free(&base->arguments);
        mrw_settings_free(&base->settings);
        viewer_words_free(&base->words);
        free(base);
    }
}

/* ---- the state as a line --------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof names / sizeof *names)

/* Options that the state decides, and options that only a window has. */
static const char *const owned[] = {
    "clip",   "times",  "frames", "size", "shading", "fit",         "azimuth", "elevation",
    "eye",    "target", "up",     "fov",  "ortho",   "view-height", "near",    "far",
    "margin", "camera", "output", "play", "record",  "exit-after",  "backend"};

/* Options that change no pixel. */
static const char *const silent[] = {"jobs", "isa", "quiet", "verbose", "strict"};

/* Returns true if --clip TEXT plays this clip and no other. */
static bool chooses(const mrw_session_model *model, const char *text, uint32_t clip)
{
    mrw_settings settings = *model->settings;
    mrw_session_model asked = *model;
    mrw_session_clips found;
    settings.animation.clips = (mrw_text_list){&text, 1};
    asked.settings = &settings;
    if (strcmp(text, "all") == 0 || mrw_session_choose_clips(&asked, &found, NULL)) {
        return false;
    }
    const bool only = found.count == 1 && found.items[0] == clip;
    mrw_session_clips_free(&found);
    return only;
}

void viewer_line_clip(const viewer *v, uint32_t clip, char *out, size_t size)
{
    mrw_session_model model = v->loaded.model;
    model.mix = (mrw_session_mix){0}; /* else the name is made of all the mix's clips */
    const char *name = mrw_session_clip_name(&model, clip);
    if (!chooses(&model, name, clip) || (size_t)snprintf(out, size, "%s", name) >= size) {
        snprintf(out, size, "%u", clip);
    }
}

static void put_clip(const viewer *v, viewer_words *out)
{
    const viewer_arguments *arguments = &v->loaded.base->arguments;
    const uint32_t clip = v->state.play.clip;
    char name[256];
    for (size_t i = 0; v->loaded.model.mix.fixed && i < arguments->count; i++) {
        if (strcmp(arguments->options[i].name, "clip") == 0) { /* goes with --together */
            viewer_words_option(out, "clip", arguments->options[i].value);
        }
    }
    if (viewer_fade_runs(&v->state.play)) {
        viewer_fade_write(v, out);
    } else if (clip != MRW_NONE && !v->loaded.model.mix.fixed) {
        viewer_line_clip(v, clip, name, sizeof name);
        viewer_words_option(out, "clip", name);
    }
}

/* Returns the option that an error names first, among those not yet dropped. SIZE_MAX: none. */
static size_t named_in(const viewer_arguments *arguments, const bool *dropped, const char *text)
{
    const char *first = NULL;
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < arguments->count; i++) {
        char dashed[64];
        snprintf(dashed, sizeof dashed, "--%s", arguments->options[i].name);
        const char *at = dropped[i] || IS_ONE_OF(arguments->options[i].name, owned)
                             ? NULL
                             : strstr(text, dashed);
        if (at && (!first || at < first)) {
            first = at;
            found = i;
        }
    }
    return found;
}

static void put_words(const viewer *v, bool to_draw, const bool *dropped, viewer_line_parts *out)
{
    const viewer_state *state = &v->state;
    const viewer_arguments *arguments = &v->loaded.base->arguments;
    viewer_words *words = &out->words;
    char text[64];
    viewer_words_add(words, "render");
    viewer_words_add(words, state->path);
    for (size_t i = 0; i < arguments->count; i++) {
        const viewer_argument *option = &arguments->options[i];
        const bool elsewhere =
            strcmp(option->name, "light") == 0 ||
            (viewer_fade_runs(&v->state.play) && strcmp(option->name, "wrap") == 0);
        if (!dropped[i] && !elsewhere && !IS_ONE_OF(option->name, owned) &&
            (to_draw || !IS_ONE_OF(option->name, silent))) {
            viewer_words_option(words, option->name, option->value);
        }
    }
    out->light_from = words->count;
    for (size_t i = 0; i < arguments->count; i++) {
        if (!dropped[i] && strcmp(arguments->options[i].name, "light") == 0) {
            viewer_words_option(words, "light", arguments->options[i].value);
        }
    }
    out->light_count = words->count - out->light_from;
    if (state->second) {
        viewer_words_option(words, "backend", "gl");
    }
    put_clip(v, words);
    snprintf(text, sizeof text, "%ux%u", state->width, state->height);
    viewer_words_option(words, "size", text);
    viewer_words_option(words, "shading", state->shading);
    if (state->play.clip != MRW_NONE) {
        mrw_format_double(state->play.clock.play_time, text);
        viewer_words_option(words, "times", text);
        out->time_at = words->count - 1;
    }
    out->camera_from = words->count;
    viewer_camera_write(&state->camera, arguments, &state->box,
                        viewer_look_switched_on(arguments, "ground"), words);
}

/* Options that have no effect in the current state are refused, such as --exposure without light.
 * So they are dropped one after the other, as the errors name them. */
mrw_status viewer_line_make(const viewer *v, bool to_draw, viewer_line_parts *out, mrw_error *error)
{
    const viewer_arguments *arguments = &v->loaded.base->arguments;
    bool *dropped = calloc(arguments->count + 1, sizeof *dropped);
    mrw_status status = MRW_OK;
    *out = (viewer_line_parts){.time_at = 0};
    if (!dropped) {
        return viewer_fail_memory(error);
    }
    for (size_t tries = 0; tries <= arguments->count; tries++) {
        mrw_settings settings;
        mrw_error refused;
        viewer_words_free(&out->words);
        *out = (viewer_line_parts){.time_at = 0};
        put_words(v, to_draw, dropped, out);
        if (out->words.failed) {
            status = viewer_fail_memory(error);
            break;
        }
        mrw_settings_init(&settings);
        status = mrw_settings_parse(&settings, (int)out->words.count,
                                    (const char *const *)out->words.items, &refused);
        mrw_settings_free(&settings);
        if (!status) {
            break;
        }
        if (error) {
            *error = refused;
        }
        const size_t named =
            status == MRW_ERROR_USAGE ? named_in(arguments, dropped, refused.text) : SIZE_MAX;
        if (named == SIZE_MAX) {
            break;
        }
        dropped[named] = true;
    }
    free(dropped);
    if (status) {
        viewer_words_free(&out->words);
    }
    return status;
}

mrw_status viewer_line(const viewer *v, mrw_text *out, mrw_error *error)
{
    viewer_line_parts parts;
    mrw_status status = viewer_line_make(v, false, &parts, error);
    if (status) {
        return status;
    }
    viewer_words_join(&parts.words, out);
    viewer_words_free(&parts.words);
    return out->failed ? viewer_fail_memory(error) : MRW_OK;
}

/* ---- a line as the state --------------------------------------------------------------------- */

mrw_status viewer_line_take(viewer *v, const char *line, mrw_error *error)
{
    viewer_words words = {0};
    viewer_base *base = NULL;
    mrw_status status = MRW_OK;
    if (!viewer_words_split(&words, line)) {
        status = mrw_fail(error, MRW_ERROR_USAGE, "the line has a quote that does not end");
        goto out;
    }
    size_t first = 0;
    while (first < words.count &&
           (strcmp(words.items[first], "$") == 0 || strcmp(words.items[first], "marrow") == 0)) {
        first++;
    }
    const bool ours = first < words.count && (strcmp(words.items[first], "render") == 0 ||
                                              strcmp(words.items[first], "view") == 0);
    if (!ours) {
        status = mrw_fail(error, MRW_ERROR_USAGE,
                          "this is not a command line of `marrow render` or `marrow view`");
        goto out;
    }
    status = viewer_base_read((int)(words.count - first), (const char *const *)words.items + first,
                              &base, error);
    if (status) {
        goto out;
    }
    status = viewer_load(v, base->arguments.models[0], false, base, error);
    if (status) {
        viewer_base_free(base);
    }
out:
    viewer_words_free(&words);
    return status;
}

/* ---- a line as a case of a suite ------------------------------------------------------------- */

/* Returns true if a suite reads a value back unchanged. */
static bool is_plain(const char *text)
{
    const size_t length = strlen(text);
    return length > 0 && length < 150 && text[0] != ' ' && text[length - 1] != ' ' &&
           !strpbrk(text, "\t\n\r") && !strstr(text, " + ") && !strstr(text, " ;") &&
           text[0] != ';';
}

/* Returns true for keys whose values may contain commas; in others a comma separates values. */
static bool may_have_commas(const char *name)
{
    static const char *const names[] = {"eye",   "target", "up",    "translate", "rotate",
                                        "scale", "blend",  "light", "times"};
    return IS_ONE_OF(name, names);
}

#define LONGEST_LINE 198 /* bytes of a line of a suite */

/* Writes all values of an option as a key of a case: "NAME = A + B", or "NAME = yes" for a flag. */
static mrw_status put_key(const viewer_arguments *line, const char *name, mrw_text *out,
                          mrw_error *error)
{
    char safe[200];
    mrw_text key = {0};
    bool plain = true, first = true;
    mrw_text_add(&key, "%s = ", name);
    for (size_t i = 0; i < line->count; i++) {
        const viewer_argument *option = &line->options[i];
        if (strcmp(option->name, name) == 0) {
            const char *flag = strcmp(name, "ground") == 0 ? "on" : "yes";
            const char *value = option->value ? option->value : flag;
            plain = plain && is_plain(value) && (!strchr(value, ',') || may_have_commas(name));
            mrw_text_puts(&key, first ? "" : " + ");
            mrw_text_puts(&key, value);
            first = false;
        }
    }
    mrw_status status = MRW_OK;
    if (key.failed) {
        status = viewer_fail_memory(error);
    } else if (!plain || key.size > LONGEST_LINE) {
        status = mrw_fail(error, MRW_ERROR_USAGE, "a suite cannot contain --%s",
                          mrw_escape_text(key.data, safe, sizeof safe));
    } else {
        mrw_text_add(out, "%s\n", key.data);
    }
    mrw_text_free(&key);
    return status;
}

/* Writes the keys of a case, one for each option. */
static mrw_status put_keys(const viewer_arguments *line, mrw_text *out, mrw_error *error)
{
    /* the software renderer draws goldens */
    static const char *const no_keys[] = {"backend", "gl-device"};
    const char *model = line->models[0];
    char safe[200];
    if (!is_plain(model) || strchr(model, ',')) {
        return mrw_fail(error, MRW_ERROR_USAGE, "a suite cannot contain the model %s",
                        mrw_escape_text(model, safe, sizeof safe));
    }
    mrw_text_add(out, "model = %s\n", model);
    for (size_t i = 0; i < line->count; i++) {
        const char *name = line->options[i].name;
        bool first = true;
        for (size_t k = 0; k < i; k++) {
            first = first && strcmp(line->options[k].name, name) != 0;
        }
        mrw_status status =
            first && !IS_ONE_OF(name, no_keys) ? put_key(line, name, out, error) : MRW_OK;
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

static bool has_section(const mrw_text *suite, const char *name)
{
    char line[80];
    snprintf(line, sizeof line, "[%s]", name);
    return suite->data && strstr(suite->data, line);
}

/* Names a case after clip and frame: "Walk_12", or "Walk_12_2" if the suite has that name. */
static void name_case(const viewer *v, const mrw_text *suite, char out[64])
{
    char safe[32];
    mrw_safe_file_name(mrw_session_clip_name(&v->loaded.model, v->state.play.clip), safe,
                       sizeof safe);
    snprintf(out, 64, "%s_%llu", safe, (unsigned long long)v->state.play.clock.frame);
    for (unsigned n = 2; has_section(suite, out); n++) {
        snprintf(out, 64, "%s_%llu_%u", safe, (unsigned long long)v->state.play.clock.frame, n);
    }
}

static mrw_status read_suite(const char *file, mrw_text *out, mrw_error *error)
{
    char block[4096];
    size_t count;
    FILE *f = fopen(file, "rb");
    if (!f && errno == ENOENT) {
        return MRW_OK;
    }
    while (f && (count = fread(block, 1, sizeof block, f)) > 0) {
        mrw_text_put(out, block, count);
    }
    const bool failed = !f || ferror(f) != 0;
    if (f) {
        fclose(f);
    }
    return failed ? mrw_fail(error, MRW_ERROR_OUTPUT, "%s: it can't be read", file) : MRW_OK;
}

mrw_status viewer_line_append(const viewer *v, char *file, size_t size, mrw_error *error)
{
    viewer_line_parts parts;
    viewer_arguments line = {0};
    mrw_text suite = {0};
    char safe[200], name[64];
    mrw_status status = viewer_line_make(v, false, &parts, error);
    if (status) {
        return status;
    }
    snprintf(file, size, "%s.suite.ini",
             mrw_safe_file_name(v->loaded.model.name, safe, sizeof safe));
    status = viewer_arguments_read(&line, (int)parts.words.count,
                                   (const char *const *)parts.words.items, error);
    if (status) {
        goto out;
    }
    status = read_suite(file, &suite, error);
    if (status) {
        goto out;
    }
    name_case(v, &suite, name);
    mrw_text_add(&suite, "%s[%s]\n", suite.size > 0 ? "\n" : "", name);
    status = put_keys(&line, &suite, error);
    if (status) {
        goto out;
    }
    status = suite.failed ? viewer_fail_memory(error)
                          : mrw_file_write(file, suite.data, suite.size, error);
out:
    mrw_text_free(&suite);
    viewer_arguments_free(&line);
    viewer_words_free(&parts.words);
    return status;
}
