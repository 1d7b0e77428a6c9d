/* look.c: keys that change light, background and overlays. Each changes options of the command
 * line, so the line that `c` copies draws the same. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

/* Forgets the values of another command line. */
static void begin(viewer_look *look, const viewer_base *base)
{
    if (look->base != base) {
        viewer_look_free(look);
        *look = (viewer_look){.base = base,
                              .environment_behind =
                                  viewer_arguments_find(&base->arguments, "env-background")};
        look->blur = viewer_copy(viewer_arguments_find(&base->arguments, "env-blur"));
    }
}

/* Gives an option a value, or takes it away; "" stands for a flag without one. */
static mrw_status set(viewer_arguments *arguments, const char *name, const char *value,
                      mrw_error *error)
{
    viewer_arguments_remove(arguments, name);
    return value ? viewer_arguments_add(arguments, name, value[0] != '\0' ? value : NULL, error)
                 : MRW_OK;
}

/* Returns true if the line that draws the picture has the option. The line leaves out options that
 * the shading mode does not use. */
static bool is_drawn(const viewer *v, const char *name)
{
    viewer_line_parts parts;
    char word[64];
    bool found = false;
    if (viewer_line_make(v, true, &parts, NULL)) {
        return false;
    }
    const size_t length = (size_t)snprintf(word, sizeof word, "--%s", name);
    for (size_t i = 0; i < parts.words.count; i++) {
        const char *is = parts.words.items[i];
        found =
            found || (strncmp(is, word, length) == 0 && (is[length] == '\0' || is[length] == '='));
    }
    viewer_words_free(&parts.words);
    return found;
}

/* Shows "what: value", and a note if the shading mode does not use the option. */
static void tell(viewer *v, const char *option, const char *what, const char *value)
{
    const bool unused =
        viewer_arguments_find(&v->loaded.base->arguments, option) && !is_drawn(v, option);
    char shading[300];
    mrw_escape_text(v->state.shading, shading, sizeof shading);
    viewer_tell(v, false, "%s: %s%s%s%s", what, value, unused ? " (--shading " : "",
                unused ? shading : "", unused ? " does not use it)" : "");
}

/* ---- on and off ------------------------------------------------------------------------------ */

/* Returns the look that is on the command line, or the default one. */
static const mrw_look *look_of(const viewer_arguments *arguments)
{
    const char *now = viewer_arguments_find(arguments, "look");
    size_t count;
    const mrw_look *look = mrw_look_rows(&count), *last = look + count - 1;
    while (now && look < last && strcmp(look->name, now) != 0) {
        look++;
    }
    return look;
}

static bool is_of_look(const viewer_arguments *arguments, const char *name)
{
    const mrw_look *look = look_of(arguments);
    bool found = false;
    for (size_t i = 0; i < look->value_count; i++) {
        found = found || strcmp(look->values[i].option, name) == 0;
    }
    return found;
}

const char *viewer_look_switched_on(const viewer_arguments *arguments, const char *name)
{
    const char *value = viewer_arguments_find(arguments, name);
    if (!value) {
        return is_of_look(arguments, name) ? "" : NULL;
    }
    return strcmp(value, "off") != 0 ? value : NULL;
}

mrw_status viewer_look_set_shading(viewer *v)
{
    const viewer_arguments *arguments = &v->loaded.base->arguments;
    const mrw_look *look = look_of(arguments);
    const char *shading = viewer_arguments_find(arguments, "shading");
    for (size_t i = 0; i < look->value_count && !shading; i++) {
        shading = strcmp(look->values[i].option, "shading") == 0 ? look->values[i].value : NULL;
    }
    return viewer_set_shading(&v->state, shading ? shading : "lit");
}

mrw_status viewer_look_write_lights(viewer *v, mrw_error *error)
{
    viewer_arguments *arguments = &v->loaded.base->arguments;
    const mrw_look *look = look_of(arguments);
    if (viewer_arguments_find(arguments, "light")) {
        return MRW_OK;
    }
    for (size_t i = 0; i < look->value_count; i++) {
        const mrw_look_value *value = &look->values[i];
        if (strcmp(value->option, "light") == 0) {
            mrw_status status = viewer_arguments_add(arguments, "light", value->value, error);
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}

mrw_status viewer_look_switch(viewer *v, int which, mrw_error *error)
{
    static const char *const names[][2] = {[VIEWER_LOOK_GROUND] = {"ground", "ground"},
                                           [VIEWER_LOOK_SHADOWS] = {"shadows", "shadows"},
                                           [VIEWER_LOOK_AO] = {"ao", "ambient occlusion"}};
    const char *name = names[which][0],
               *now = viewer_look_switched_on(&v->loaded.base->arguments, name);
    const bool ground = which == VIEWER_LOOK_GROUND;
    begin(&v->look, v->loaded.base);
    if (which == VIEWER_LOOK_SHADOWS &&
        viewer_look_switched_on(&v->loaded.base->arguments,
                                "ground")) { /* the ground turns them on */
        tell(v, "ground", names[which][1], "on, as long as there is a ground");
        return MRW_OK;
    }
    if (now && ground) { /* its colour comes back with it */
        free(v->look.ground);
        v->look.ground = viewer_copy(now);
    }
    const char *on = ground && v->look.ground ? v->look.ground : "";
    const char *off = is_of_look(&v->loaded.base->arguments, name) ? "off" : NULL;
    const mrw_status status = set(&v->loaded.base->arguments, name, now ? off : on, error);
    if (status) {
        return status;
    }
    tell(v, name, names[which][1], now ? "off" : "on");
    return MRW_OK;
}

/* ---- light ----------------------------------------------------------------------------------- */

mrw_status viewer_look_exposure(viewer *v, int by, mrw_error *error)
{
    /* half stops, as cameras round them */
    static const char *const stops[] = {"0.062", "0.088", "0.125", "0.18", "0.25", "0.35",
                                        "0.5",   "0.7",   "1",     "1.4",  "2",    "2.8",
                                        "4",     "5.6",   "8",     "11",   "16"};
    const int count = (int)(sizeof stops / sizeof *stops);
    const char *now = viewer_arguments_find(&v->loaded.base->arguments, "exposure");
    const double value = now ? strtod(now, NULL) : 1.0;
    int at = by > 0 ? 0 : count - 1;
    while (at >= 0 && at < count && by * (strtod(stops[at], NULL) - value) <= 0.0) {
        at += by;
    }
    if (at < 0 || at == count) { /* there is no stop on that side */
        tell(v, "exposure", "exposure", now ? now : "1");
        return MRW_OK;
    }
    const mrw_status status = set(&v->loaded.base->arguments, "exposure", stops[at], error);
    if (status) {
        return status;
    }
    tell(v, "exposure", "exposure", stops[at]);
    return MRW_OK;
}

mrw_status viewer_look_rotate(viewer *v, int by, mrw_error *error)
{
    const char *now = viewer_arguments_find(&v->loaded.base->arguments, "env-rotate");
    const char *environment = viewer_arguments_find(&v->loaded.base->arguments, "env");
    char number[32], text[64];
    if (environment && strcmp(environment, "none") == 0) {
        viewer_tell(v, false, "environment: none to turn");
        return MRW_OK;
    }
    double degrees = (now ? strtod(now, NULL) : 0.0) + 15.0 * by;
    degrees -= 360.0 * floor(degrees / 360.0);
    mrw_format_double(degrees, number);
    const mrw_status status = set(&v->loaded.base->arguments, "env-rotate", number, error);
    if (status) {
        return status;
    }
    snprintf(text, sizeof text, "turned by %s degrees", number);
    tell(v, "env-rotate", "environment", text);
    return MRW_OK;
}

/* ---- one of several -------------------------------------------------------------------------- */

/* Goes to the next value of an option: first the command line's, which is kept in `given`, then the
 * values of the list. "" means that the option has no value. */
static mrw_status next_of(viewer *v, const char *name, const char *what, char **given,
                          const char *const *values, int count, mrw_error *error)
{
    const char *now = viewer_arguments_find(&v->loaded.base->arguments, name);
    int at = -1;
    now = now ? now : "";
    for (int i = 0; i < count; i++) {
        at = strcmp(values[i], now) == 0 ? i : at;
    }
    if (!*given && !(*given = viewer_copy(now))) { /* the first press */
        return viewer_fail_memory(error);
    }
    at = strcmp(now, *given) == 0 ? -1 : at;
    do {
        at++;
    } while (at < count && strcmp(values[at], *given) == 0);
    const char *value = at < count ? values[at] : *given;
    mrw_status status =
        set(&v->loaded.base->arguments, name, value[0] != '\0' ? value : NULL, error);
    if (status) {
        return status;
    }
    tell(v, name, what, value[0] != '\0' ? value : "the usual one");
    return MRW_OK;
}

mrw_status viewer_look_tonemap(viewer *v, int value, mrw_error *error)
{
    static const char *const names[] = {"aces", "neutral", "none"};
    (void)value;
    begin(&v->look, v->loaded.base);
    return next_of(v, "tonemap", "tone map", &v->look.tonemap, names, 3, error);
}

mrw_status viewer_look_environment(viewer *v, int value, mrw_error *error)
{
    static const char *const names[] = {"studio", "none"};
    (void)value;
    begin(&v->look, v->loaded.base);
    return next_of(v, "env", "environment", &v->look.environment, names, 2, error);
}

mrw_status viewer_look_background(viewer *v, int value, mrw_error *error)
{
    static const char *const names[] = {"white", "gray", "black", "none"};
    viewer_arguments *arguments = &v->loaded.base->arguments;
    (void)value;
    begin(&v->look, v->loaded.base);
    viewer_arguments_remove(arguments, "env-background"); /* one excludes the other */
    viewer_arguments_remove(arguments, "env-blur");
    mrw_status status =
        next_of(v, "background", "background", &v->look.background, names, 4, error);
    if (status || viewer_arguments_find(arguments, "background") || !v->look.environment_behind) {
        return status;
    }
    status = viewer_arguments_add(arguments, "env-background", NULL, error);
    return status || !v->look.blur
               ? status
               : viewer_arguments_add(arguments, "env-blur", v->look.blur, error);
}

/* Goes to the next look. Other options stay and override the look's. */
mrw_status viewer_look_next(viewer *v, int value, mrw_error *error)
{
    size_t count;
    const mrw_look *rows = mrw_look_rows(&count);
    const size_t at = (size_t)(look_of(&v->loaded.base->arguments) - rows + 1) % count;
    (void)value;
    const mrw_status status =
        set(&v->loaded.base->arguments, "look", at > 0 ? rows[at].name : NULL, error);
    if (status) {
        return status;
    }
    tell(v, "look", "look", rows[at].name);
    return viewer_look_set_shading(v);
}

/* ---- overlays -------------------------------------------------------------------------------- */

/* Writes a comma-separated list without a word, or with it at the end. Returns true for the latter.
 * Blanks around words do not count. */
static bool toggle_word(const char *list, const char *word, mrw_text *out)
{
    bool found = false;
    for (const char *at = list; *at != '\0';) {
        const size_t whole = strcspn(at, ","), blanks = strspn(at, " ");
        size_t length = whole > blanks ? whole - blanks : 0;
        while (length > 0 && at[blanks + length - 1] == ' ') {
            length--;
        }
        const bool same = strlen(word) == length && memcmp(at + blanks, word, length) == 0;
        const bool none = length == 0 || (length == 4 && memcmp(at + blanks, "none", 4) == 0);
        found = found || same;
        if (!same && !none) {
            mrw_text_puts(out, out->size > 0 ? "," : "");
            mrw_text_put(out, at + blanks, length);
        }
        at += whole + (at[whole] == ',');
    }
    if (!found) {
        mrw_text_puts(out, out->size > 0 ? "," : "");
        mrw_text_puts(out, word);
    }
    return !found;
}

mrw_status viewer_look_overlay(viewer *v, int overlay, mrw_error *error)
{
    const char *word = mrw_overlay_name((mrw_overlay)overlay);
    const char *now = viewer_arguments_find(&v->loaded.base->arguments, "overlay");
    mrw_text list = {0};
    const bool on = toggle_word(now ? now : "", word, &list);
    mrw_status status = list.failed ? viewer_fail_memory(error)
                                    : set(&v->loaded.base->arguments, "overlay",
                                          list.size > 0 ? list.data : NULL, error);
    if (!status) {
        viewer_tell(v, false, "%s: %s", word, on ? "on" : "off");
    }
    mrw_text_free(&list);
    return status;
}

void viewer_look_free(viewer_look *look)
{
    free(look->ground);
    free(look->tonemap);
    free(look->environment);
    free(look->background);
    free(look->blur);
}
