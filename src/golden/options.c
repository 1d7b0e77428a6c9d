/* options.c: lists a suite's options for the pictures of a case, and compares them with those in
 * golden.txt. */
#include "golden/options.h"

#include "base/text.h"
#include "marrow/session.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>

/* ---- options for golden.txt ------------------------------------------------------------------ */

const char *mrwi_golden_options_path(const mrw_case *c, const char *path)
{
    const char *slash = strrchr(c->suite_file, '/');
    size_t length = slash ? (size_t)(slash - c->suite_file) + 1 : 0;
    return strncmp(path, c->suite_file, length) == 0 ? path + length : path;
}

/* Returns the length of "--name" before '=' or the end. */
static size_t name_length(const char *option)
{
    return strcspn(option, "=");
}

static const mrwi_options_option *row_of(const char *option)
{
    return mrwi_options_option_find(option + 2, name_length(option) - 2);
}

/* Returns an option with a path as the suite names it. The path is the whole value, or comes after
 * a word and a colon. */
static const char *in_suite(const mrw_case *c, const char *option, mrwi_base_arena *arena)
{
    const size_t name = name_length(option);
    if (option[name] == '\0') {
        return option;
    }
    const char *value = option + name + 1;
    const char *colon = strchr(value, ':');
    const char *own = mrwi_golden_options_path(c, value);
    if (own == value && colon) {
        own = mrwi_golden_options_path(c, colon + 1);
        value = own == colon + 1 ? own : colon + 1;
    }
    return own == value ? option
                        : mrwi_base_format(arena, "%.*s%s", (int)(value - option), option, own);
}

static bool is_of_pictures(const char *option)
{
    const mrwi_options_option *row = row_of(option);
    return row && row->shown.group != MRW_OPTIONS_COMPARE;
}

/* Default framing of a case of one time. Goldens without this option were drawn when the default
 * was `clip`. */
static const char fit_of_one[] = "--fit=frame";

bool mrwi_golden_options_frames_one(const mrw_settings *settings)
{
    const bool sequence = mrw_session_wants_sequence(settings);
    return sequence && !mrw_settings_given(settings, "fit") &&
           mrw_session_fit(settings, sequence) == MRW_FIT_FRAME;
}

mrw_status mrwi_golden_options_list(const mrw_case *c, bool framed, mrwi_base_arena *arena,
                                    mrwi_golden_stored *out, mrw_error *error)
{
    out->options = mrwi_base_arena_alloc(arena, c->option_count + 1, sizeof *out->options);
    out->option_count = 0;
    if (!out->options) {
        return mrwi_base_fail_memory(error, c->option_count * sizeof *out->options);
    }
    for (size_t i = 0; i < c->option_count; i++) {
        if (is_of_pictures(c->options[i])) {
            const char *text = in_suite(c, c->options[i], arena);
            out->options[out->option_count++] = text;
            if (!text) {
                return mrwi_base_fail_memory(error, 0);
            }
        }
    }
    if (framed && mrwi_golden_options_frames_one(&c->settings)) {
        out->options[out->option_count++] = fit_of_one;
    }
    return MRW_OK;
}

/* ---- how they have changed ------------------------------------------------------------------- */

static bool same_name(const char *a, const char *b)
{
    const size_t length = name_length(a);
    return length == name_length(b) && memcmp(a, b, length) == 0;
}

/* Returns the n-th option with the name of `option`, or NULL. */
static const char *find(const mrwi_golden_stored *stored, const char *option, uint32_t n)
{
    for (uint32_t i = 0; i < stored->option_count; i++) {
        if (same_name(stored->options[i], option) && n-- == 0) {
            return stored->options[i];
        }
    }
    return NULL;
}

bool mrwi_golden_options_keep_clip(const mrw_settings *settings, const mrwi_golden_stored *expected)
{
    return mrwi_golden_options_frames_one(settings) && !find(expected, fit_of_one, 0);
}

static bool is_first(const mrwi_golden_stored *stored, uint32_t index)
{
    return find(stored, stored->options[index], 0) == stored->options[index];
}

static bool same_values(const mrwi_golden_stored *a, const mrwi_golden_stored *b, const char *name)
{
    for (uint32_t n = 0;; n++) {
        const char *x = find(a, name, n), *y = find(b, name, n);
        if (!x || !y || strcmp(x, y) != 0) {
            return !x && !y;
        }
    }
}

/* Writes the value as a suite does: several values joined with +. */
static void put_value(const mrwi_golden_stored *stored, const char *name, mrw_text *out)
{
    for (uint32_t n = 0;; n++) {
        const char *option = find(stored, name, n);
        if (!option) {
            mrw_text_puts(out, n == 0 ? "not given" : "");
            return;
        }
        const size_t length = name_length(option);
        mrw_text_puts(out, n > 0 ? " + " : "");
        mrw_text_escaped(out, option[length] == '=' ? option + length + 1 : "yes");
    }
}

static void describe(const char *name, const mrwi_golden_stored *before,
                     const mrwi_golden_stored *after, mrw_text *out)
{
    mrw_text_puts(out, out->size > 0 ? "; " : "");
    mrw_text_put(out, name + 2, name_length(name) - 2);
    mrw_text_puts(out, find(after, name, 0) ? " = " : " ");
    put_value(after, name, out);
    mrw_text_puts(out, ", was ");
    put_value(before, name, out);
}

static void note_kind(const char *name, mrwi_golden_options_change *out)
{
    const mrwi_options_option *row = row_of(name);
    const mrw_option_group group = row ? row->shown.group : MRW_OPTIONS_CAMERA;
    const bool sized = row && row->kind == MRWI_OPTIONS_SIZE;
    out->times |= group == MRW_OPTIONS_ANIMATION;
    out->framing |= sized || group == MRW_OPTIONS_CAMERA || group == MRW_OPTIONS_MODEL ||
                    group == MRW_OPTIONS_ANIMATION;
}

mrw_status mrwi_golden_options_compare(const mrw_case *c, const mrwi_golden_stored *expected,
                                       mrwi_base_arena *arena, mrwi_golden_options_change *out,
                                       mrw_error *error)
{
    mrwi_golden_stored now = {0};
    mrw_text text = {0};
    *out = (mrwi_golden_options_change){.text = NULL};
    if (expected->version < 3) {
        return MRW_OK;
    }
    out->size = expected->width != c->settings.picture.width ||
                expected->height != c->settings.picture.height;
    const bool framed = !mrwi_golden_options_keep_clip(&c->settings, expected);
    mrw_status status = mrwi_golden_options_list(c, framed, arena, &now, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < now.option_count; i++) {
        const char *name = now.options[i];
        if (is_first(&now, i) && !same_values(&now, expected, name)) {
            describe(name, expected, &now, &text);
            note_kind(name, out);
        }
    }
    for (uint32_t i = 0; i < expected->option_count; i++) {
        const char *name = expected->options[i];
        if (is_first(expected, i) && !find(&now, name, 0)) {
            describe(name, expected, &now, &text);
            note_kind(name, out);
        }
    }
    if (out->size && text.size == 0) { /* the default size has changed */
        mrw_text_add(&text, "size = %ux%u, was %ux%u", c->settings.picture.width,
                     c->settings.picture.height, expected->width, expected->height);
    }
    if (text.size > 0) {
        out->text = mrwi_base_copy_text(arena, text.data);
        status = out->text && !text.failed ? MRW_OK : mrwi_base_fail_memory(error, text.size);
    }
    mrw_text_free(&text);
    return status;
}
