/* pair.c: two pictures under one camera and one clock. The other one shows another model, a kept
 * clip, a golden, or the same drawn by the other backend. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void viewer_pair_forget(viewer_pair *pair)
{
    viewer_free(pair->beside);
    pair->beside = NULL;
    pair->box.known = false;
}

/* Returns the file to compare with: the kept clip's, or the next model of the command line. NULL:
 * there is none. */
static const char *path_beside(const viewer *v)
{
    const viewer_arguments *arguments = &v->loaded.base->arguments;
    if (v->pair.kept_path) {
        return v->pair.kept_path;
    }
    for (size_t i = 0; i < arguments->model_count && arguments->model_count > 1; i++) {
        if (strcmp(arguments->models[i], v->state.path) == 0) {
            return arguments->models[(i + 1) % arguments->model_count];
        }
    }
    return NULL;
}

/* Creates a hidden viewer with the same options. */
static mrw_status open_beside(viewer *v, const char *path, mrw_error *error)
{
    const viewer_arguments *arguments = &v->loaded.base->arguments;
    viewer_words words = {0};
    viewer_words_add(&words, "view");
    viewer_words_add(&words, path);
    for (size_t i = 0; i < arguments->count; i++) {
        const char *name = arguments->options[i].name;
        if ((strcmp(name, "clip") != 0 || v->loaded.model.mix.fixed) &&
            strcmp(name, "times") != 0 && strcmp(name, "frames") != 0) {
            viewer_words_option(&words, name, arguments->options[i].value);
        }
    }
    viewer_def def = v->def;
    def.argc = (int)words.count;
    def.argv = (const char *const *)words.items;
    def.say = NULL;
    def.load_at_once = true;
    mrw_status status =
        words.failed ? viewer_fail_memory(error) : viewer_create(&def, &v->pair.beside, error);
    viewer_words_free(&words);
    return status;
}

/* Returns the kept clip, if the file still has it. Else it returns the clip with the same name, or
 * else with the same number, or else the first. */
static uint32_t clip_beside(const viewer *v)
{
    const viewer *b = v->pair.beside;
    const uint32_t kept = v->pair.kept_path ? v->pair.kept_clip : MRW_NONE;
    if (v->pair.kept_path && (kept == MRW_NONE || kept < b->loaded.scene->clips_count)) {
        return kept;
    }
    if (v->state.play.clip == MRW_NONE || b->state.play.clip == MRW_NONE ||
        b->loaded.model.mix.fixed) {
        return b->state.play.clip;
    }
    const char *name = mrw_session_clip_name(&v->loaded.model, v->state.play.clip);
    for (uint32_t c = 0; c < b->loaded.scene->clips_count; c++) {
        if (strcmp(mrw_session_clip_name(&b->loaded.model, c), name) == 0) {
            return c;
        }
    }
    return v->state.play.clip < b->loaded.scene->clips_count ? v->state.play.clip : 0;
}

/* Gives the hidden viewer the camera, lights, clip and time of v. Near and far planes enclose both
 * models. */
static mrw_status follow(viewer *v, mrw_error *error)
{
    static const char *const light[] = {
        "look",       "rig",         "light",          "file-lights",
        "env",        "env-blur",    "env-background", "env-compensation",
        "env-rotate", "ground",      "env-intensity",  "shadows",
        "ao",         "shadow-size", "exposure",       "shadow-softness",
        "tonemap",    "background",  "overlay"};
    viewer *b = v->pair.beside;
    const uint32_t clip = clip_beside(v);
    mrw_status status = viewer_make_free(v, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < sizeof light / sizeof *light; i++) {
        status = viewer_arguments_follow(&b->loaded.base->arguments, &v->loaded.base->arguments,
                                         light[i], error);
        if (status) {
            return status;
        }
    }
    b->state.camera = v->state.camera;
    b->state.width = v->state.width;
    b->state.height = v->state.height;
    b->state.second = v->state.second;
    viewer_set_shading(&b->state, v->state.shading);
    if (b->state.play.clip != clip || !v->pair.box.known) {
        status = viewer_set_clip(b, clip, error);
        v->pair.box = b->state.box;
        if (status) {
            return status;
        }
    }
    viewer_box_widen(&v->state.box, &v->pair.box);
    b->state.box = v->state.box;
    if (clip != MRW_NONE) {
        viewer_clock_to_time(&b->state.play.clock, v->state.play.clock.time);
    }
    return MRW_OK;
}

/* Makes the hidden viewer ready to draw. */
static mrw_status prepare(viewer *v, mrw_error *error)
{
    const char *path = path_beside(v);
    if (!path) {
        return mrw_fail(error, MRW_ERROR_INPUT, "there is no other model to compare with");
    }
    if (v->pair.beside && strcmp(v->pair.beside->state.path, path) != 0) {
        viewer_pair_forget(&v->pair);
    }
    if (!v->pair.beside) {
        mrw_status status = open_beside(v, path, error);
        if (status) {
            return status;
        }
    }
    return follow(v, error);
}

const mrw_image *viewer_pair_image(const viewer *v)
{
    const mrw_image *a = &v->drawing.last.picture;
    const mrw_image *b = NULL;
    if (v->pair.layout != VIEWER_ALONE && v->pair.source == VIEWER_BACKENDS) {
        b = v->drawing.last.other_valid ? &v->drawing.last.other : NULL;
    } else if (v->pair.layout != VIEWER_ALONE && v->pair.source == VIEWER_GOLDEN) {
        b = v->results.golden.pixels ? &v->results.golden : NULL;
    } else if (v->pair.layout != VIEWER_ALONE && v->pair.beside &&
               v->pair.beside->drawing.last.valid) {
        b = &v->pair.beside->drawing.last.picture;
    }
    const bool same = b && viewer_overlay_fits(v) && a->width == b->width &&
                      a->height == b->height && a->channels == b->channels &&
                      a->format == b->format;
    return same ? b : NULL;
}

/* Counts the pixels in which the two pictures differ. */
static void count_differing(viewer_pair *pair, const mrw_image *a, const mrw_image *b)
{
    const size_t pixels = b ? (size_t)a->width * a->height : 0;
    pair->differing = 0;
    pair->furthest = 0;
    for (size_t p = 0; p < pixels; p++) {
        int most = 0;
        for (size_t c = 0; c < a->channels; c++) {
            const size_t at = p * a->channels + c;
            const int by = abs(a->pixels[at] - b->pixels[at]);
            most = by > most ? by : most;
        }
        pair->differing += most > 0;
        pair->furthest = most > pair->furthest ? most : pair->furthest;
    }
}

/* Draws both pictures. */
static mrw_status draw_two(viewer *v, mrw_error *error)
{
    if (v->pair.source == VIEWER_BESIDE) {
        mrw_status status = prepare(v, error);
        if (status) {
            return status;
        }
    }
    mrw_status status = viewer_picture(v, error);
    if (status) {
        return status;
    }
    if (v->pair.source == VIEWER_BACKENDS) {
        return viewer_picture_other(v, error);
    }
    if (v->pair.source == VIEWER_GOLDEN) {
        return viewer_results_golden(&v->results, v->drawing.last.picture.channels, error);
    }
    viewer *beside = v->pair.beside;
    beside->overlay.dirty = false;
    status = viewer_picture(beside, error);
    v->overlay.dirty |= beside->overlay.dirty;
    return status;
}

mrw_status viewer_pair_picture(viewer *v, mrw_error *error)
{
    if (v->pair.layout == VIEWER_ALONE) {
        return viewer_picture(v, error);
    }
    mrw_status status = draw_two(v, error);
    if (status) {
        v->pair.layout = VIEWER_ALONE;
        return status;
    }
    if (v->pair.layout == VIEWER_DIFFERENCE && v->overlay.dirty) {
        count_differing(&v->pair, &v->drawing.last.picture, viewer_pair_image(v));
    }
    return MRW_OK;
}

mrw_status viewer_pair_show(viewer *v, viewer_layout layout, viewer_source source, mrw_error *error)
{
    if (v->pair.layout == VIEWER_ALONE) {
        v->pair.border = (int)v->state.width / 2;
    }
    v->pair.layout = layout;
    v->pair.source = source;
    v->overlay.dirty = true;
    return viewer_pair_picture(v, error);
}

bool viewer_pair_has_beside(const viewer *v)
{
    return path_beside(v);
}

mrw_status viewer_pair_keep(viewer *v, mrw_error *error)
{
    char *path = viewer_copy(v->state.path);
    if (!path) {
        return viewer_fail_memory(error);
    }
    free(v->pair.kept_path);
    viewer_pair_forget(&v->pair);
    v->pair.kept_path = path;
    v->pair.kept_clip = v->state.play.clip;
    return MRW_OK;
}

bool viewer_pair_blinks(const viewer *v)
{
    return (uint64_t)(v->window.now * 2.0) % 2 == 1;
}

/* Returns the end of one of two paths, from the last folder in which they differ: "old/fox.glb" and
 * "new/fox.glb". */
static const char *end_that_differs(const char *a, const char *b, int which)
{
    size_t at_a = strlen(a), at_b = strlen(b);
    while (at_a > 0 && at_b > 0 && a[at_a - 1] == b[at_b - 1]) {
        at_a--;
        at_b--;
    }
    const char *path = which == 0 ? a : b;
    size_t at = which == 0 ? at_a : at_b;
    while (at > 0 && path[at - 1] != '/') {
        at--;
    }
    return path + at;
}

void viewer_pair_names(const viewer *v, char a[200], char b[200])
{
    const viewer *beside = v->pair.beside;
    char name[90];
    if (v->pair.source == VIEWER_GOLDEN) {
        snprintf(a, 200, "now");
        snprintf(b, 200, "golden");
        return;
    }
    if (v->pair.source == VIEWER_BACKENDS) {
        snprintf(a, 200, "%s", v->state.second ? "OpenGL" : "software");
        snprintf(b, 200, "%s", v->state.second ? "software" : "OpenGL");
        return;
    }
    const bool models = strcmp(v->state.path, beside->state.path) != 0;
    const bool alike =
        strcmp(v->loaded.model.name, beside->loaded.model.name) == 0; /* a.glb and old/a.glb */
    for (int i = 0; i < 2; i++) {
        const viewer *of = i == 0 ? v : beside;
        const char *model =
            alike ? end_that_differs(v->state.path, beside->state.path, i) : of->loaded.model.name;
        const char *text =
            models ? model : mrw_session_clip_name(&of->loaded.model, of->state.play.clip);
        snprintf(i == 0 ? a : b, 200, "%s", mrw_escape_text(text, name, sizeof name));
    }
}
