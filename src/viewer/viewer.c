/* viewer.c: turns events into a state, and the state into the content of a window. */
#include "internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_WIDTH  960
#define USUAL_HEIGHT 720
#define MOST_SIDE    8192
#define MESSAGE_TIME 4.0 /* seconds */
#define CLICK        4.0 /* pixels that the mouse may move during a click */

/* ---- small things ---------------------------------------------------------------------------- */

void viewer_tell(viewer *v, bool bad, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->overlay.message, sizeof v->overlay.message, format, arguments);
    va_end(arguments);
    v->overlay.bad = bad;
    v->overlay.message_until = v->window.now + MESSAGE_TIME;
    v->overlay.dirty = true;
    if (v->def.say) {
        v->def.say(v->def.user, v->overlay.message, false);
    }
}

/* Shows an error in the window and returns MRW_OK. Only MRW_ERROR_MEMORY stays an error. */
static mrw_status survive(viewer *v, mrw_status status, const mrw_error *error)
{
    if (!status || status == MRW_ERROR_MEMORY) {
        return status;
    }
    viewer_tell(v, true, "%s", error->text);
    return MRW_OK;
}

double viewer_fov(const viewer *v)
{
    const viewer_base *base = v->loaded.base;
    return v->state.camera.fov > 0.0 ? v->state.camera.fov
                                     : (double)base->settings.camera.view.fov_degrees;
}

mrw_status viewer_set_shading(viewer_state *state, const char *shading)
{
    char copy[sizeof state->shading];
    snprintf(copy, sizeof copy, "%s", shading);
    memcpy(state->shading, copy, sizeof copy);
    return MRW_OK;
}

mrw_status viewer_clip_planes(viewer *v, mrw_error *error)
{
    v->state.box.known = false;
    if (v->state.camera.kind != VIEWER_CAMERA_FREE) {
        return MRW_OK;
    }
    mrw_status status = viewer_picture(v, error); /* begins the session that plays the new clip */
    return status ? status : viewer_picture_box(&v->drawing, &v->state.box, error);
}

static mrw_status begin_clip(viewer *v, uint32_t clip, mrw_error *error)
{
    v->state.play.clip = clip;
    v->overlay.still = viewer_together_still(v);
    mrw_status status = viewer_clock_begin(&v->state.play.clock, &v->loaded.model, clip, error);
    return status ? status : viewer_clip_planes(v, error);
}

mrw_status viewer_set_clip(viewer *v, uint32_t clip, mrw_error *error)
{
    const uint32_t before = v->state.play.clip;
    const double time = v->state.play.clock.time;
    if (!v->state.play.fade.on || !v->state.play.clock.playing || before == MRW_NONE ||
        clip == before) {
        viewer_fade_end(&v->state.play);
        return begin_clip(v, clip, error);
    }
    if (!viewer_fade_runs(&v->state.play)) {
        viewer_fade_end(&v->state.play);
    }
    mrw_status status = viewer_make_free(v, error); /* one camera for both clips */
    const viewer_box box = v->state.box;
    const viewer_fade fade = v->state.play.fade;
    viewer_fade_end(&v->state.play);
    if (status) {
        return status;
    }
    status = begin_clip(v, clip, error);
    if (status) {
        return status;
    }
    v->state.play.fade = fade;
    viewer_box_widen(&v->state.box, &box);
    viewer_fade_begin(&v->state.play, before, time);
    return MRW_OK;
}

mrw_status viewer_make_free(viewer *v, mrw_error *error)
{
    viewer_camera *camera = &v->state.camera;
    const mrw_posed_instance *posed;
    const viewer_arguments *arguments = &v->loaded.base->arguments;
    mrw_camera seen;
    if (camera->kind == VIEWER_CAMERA_FREE) {
        return MRW_OK;
    }
    mrw_status status = viewer_picture(v, error);
    if (status) {
        return status;
    }
    status = viewer_picture_box(&v->drawing, &v->state.box, error);
    if (status) {
        return status;
    }
    if (v->drawing.line.session.frame.scene_camera == MRW_NONE) {
        seen = v->drawing.line.session.frame.camera; /* before it follows a node */
    } else {
        status = viewer_picture_camera(&v->drawing, &seen, &posed, error);
        if (status) {
            return status;
        }
    }
    const bool keep =
        camera->kind == VIEWER_CAMERA_FRAMED ||
        !(viewer_arguments_find(arguments, "eye") || viewer_arguments_find(arguments, "camera"));
    viewer_camera_free(camera, &seen, &v->state.box, keep);
    return MRW_OK;
}

/* ---- a model --------------------------------------------------------------------------------- */

/* Sets the clock by the options: --frames gives the first and last frame to play, the first picture
 * of the list the time to begin with, and --wrap the repeat. */
static void begin_clock(viewer_clock *clock, const mrw_settings *settings,
                        const mrw_picture_list *list)
{
    static const viewer_repeat repeats[] = {[MRW_TIME_CLAMP] = VIEWER_ONCE,
                                            [MRW_TIME_LOOP] = VIEWER_LOOP,
                                            [MRW_TIME_PINGPONG] = VIEWER_PINGPONG,
                                            [MRW_TIME_FILE] = VIEWER_ONCE};
    uint64_t in = clock->timing.last, out = 0;
    for (uint32_t i = 0; i < list->count && list->items[i].clip == list->items[0].clip; i++) {
        viewer_clock_to_time(clock, list->items[i].time);
        in = clock->frame < in ? clock->frame : in;
        out = clock->frame > out ? clock->frame : out;
    }
    if (mrw_settings_given(settings, "frames") && in < out) {
        clock->range.in = in;
        clock->range.out = out;
    }
    if (settings->animation.wrap != MRW_TIME_REFUSE) {
        clock->repeat = repeats[settings->animation.wrap];
    }
    viewer_clock_to_time(clock, list->items[0].time);
    clock->play_time = list->items[0].play_time;
}

static mrw_status begin_state(viewer *v, mrw_error *error)
{
    viewer_state *state = &v->state;
    mrw_picture_list list;
    mrw_session_view seen;
    mrw_status status = mrw_session_find_view(&v->loaded.model, 0, &seen, error);
    if (status) {
        return status;
    }
    status = mrw_session_pictures(&v->loaded.model, false, &list, error);
    if (status) {
        return status;
    }
    const mrw_settings *settings = &v->loaded.base->settings;
    state->play.clip = list.items[0].clip;
    state->second = settings->run.backend != 0;
    state->box.known = false;
    state->before_weights[0] = state->before_glance[0] = '\0';
    viewer_look_set_shading(v);
    state->camera = (viewer_camera){.azimuth = (double)seen.view.azimuth_degrees,
                                    .elevation = (double)seen.view.elevation_degrees};
    const bool stays =
        v->window.title[0] != '\0' && !v->loaded.loading.base; /* a window, from model to model */
    if (mrw_settings_given(settings, "size") && !stays) {
        state->width = settings->picture.width;
        state->height = settings->picture.height;
    } else if (stays) {
        state->width = v->window.width;
        state->height = v->window.height;
    }
    v->overlay.picked[0][0] = '\0';
    v->overlay.picked_node = MRW_NONE;
    status = viewer_clock_begin(&state->play.clock, &v->loaded.model, state->play.clip, error);
    if (!status && state->play.clip != MRW_NONE) {
        begin_clock(&state->play.clock, settings, &list);
    }
    mrw_picture_list_free(&list);
    return status;
}

/* Keeps clip, time, range and camera, as far as possible, after a model was read again. */
static mrw_status keep_state(viewer *v, const char *clip_name, mrw_error *error)
{
    viewer_state *state = &v->state;
    const viewer_clock old = state->play.clock;
    mrw_session_clips chosen = {0};
    uint32_t clip = v->loaded.scene->clips_count > 0 && state->play.clip != MRW_NONE
                        ? v->loaded.scene->default_clip
                        : MRW_NONE;
    if (v->loaded.loading.base) { /* new options choose the clip */
        mrw_status status = mrw_session_choose_clips(&v->loaded.model, &chosen, error);
        if (status) {
            return status;
        }
    }
    clip = chosen.count > 0 ? chosen.items[0] : clip;
    for (uint32_t c = 0; clip != MRW_NONE && !chosen.items && c < v->loaded.scene->clips_count;
         c++) {
        if (strcmp(mrw_session_clip_name(&v->loaded.model, c), clip_name) == 0) {
            clip = c;
            break;
        }
    }
    mrw_session_clips_free(&chosen);
    state->play.clip = clip;
    state->box.known = state->box.known && state->camera.kind == VIEWER_CAMERA_FREE;
    v->overlay.picked[0][0] = '\0';
    v->overlay.picked_node = MRW_NONE;
    mrw_status status = viewer_clock_begin(&state->play.clock, &v->loaded.model, clip, error);
    if (status) {
        return status;
    }
    viewer_clock_to_time(&state->play.clock, old.time);
    if (old.range.in != 0 || old.range.out != old.timing.last) {
        state->play.clock.range.in = old.range.in < state->play.clock.timing.last
                                         ? old.range.in
                                         : state->play.clock.timing.last;
        state->play.clock.range.out = old.range.out < state->play.clock.timing.last
                                          ? old.range.out
                                          : state->play.clock.timing.last;
    }
    return MRW_OK;
}

/* Begins or keeps the state for the new v->loaded.scene. A failure leaves the state as it was, and
 * the caller puts the old model back. */
mrw_status viewer_model_use(viewer *v, bool again, mrw_error *error)
{
    char clip_name[256] = "";
    const viewer_state before = v->state;
    char name[200];
    if (again) {
        snprintf(clip_name, sizeof clip_name, "%s",
                 mrw_session_clip_name(&v->loaded.model, v->state.play.clip));
    }
    v->state.play.clock.timing.keys = NULL; /* `before` owns them, and they are freed on success */
    v->state.play.clock.timing.key_count = 0;
    mrw_status status = mrw_session_model_init(v->state.path, v->loaded.scene,
                                               &v->loaded.base->settings, &v->loaded.model, error);
    if (!status) {
        status = again ? keep_state(v, clip_name, error) : begin_state(v, error);
        if (status) {
            mrw_session_model_free(&v->loaded.model);
        }
    }
    if (status) {
        viewer_clock_free(&v->state.play.clock);
        v->state = before;
        return status;
    }
    viewer_clock old = before.play.clock;
    viewer_clock_free(&old);
    viewer_fade_end(&v->state.play);
    v->overlay.clips = false;
    v->overlay.still = viewer_together_still(v);
    snprintf(v->window.title, sizeof v->window.title, "%s - marrow",
             mrw_escape_text(v->loaded.model.name, name, sizeof name));
    v->overlay.dirty = true;
    return MRW_OK;
}

/* ---- the mouse ------------------------------------------------------------------------------- */

static void go_to(viewer *v, double x)
{
    v->state.play.clock.playing = false;
    viewer_clock_to_frame(&v->state.play.clock, viewer_overlay_frame_at(v, x));
}

static mrw_status press(viewer *v, const viewer_event *event, mrw_error *error)
{
    viewer_mouse *mouse = &v->window.mouse;
    const bool left = event->code == VIEWER_BUTTON_LEFT;
    *mouse = (viewer_mouse){event->x, event->y, event->x, event->y, VIEWER_DRAG_NONE, false};
    if (left && v->overlay.clips) {
        const uint32_t clip = viewer_overlay_clip_at(v, event->x, event->y);
        v->overlay.clips = false;
        return clip == MRW_NONE ? MRW_OK : viewer_set_clip(v, clip, error);
    }
    if (v->overlay.help) {
        v->overlay.help = false;
        return MRW_OK;
    }
    const bool shift = event->modifiers & VIEWER_SHIFT;
    if (left && event->y >= (double)v->window.height - viewer_overlay_timeline(v)) {
        mouse->drag = VIEWER_DRAG_TIME;
        go_to(v, event->x);
    } else if (event->modifiers & VIEWER_CTRL && v->lights.picked != MRW_NONE) {
        mouse->drag = !left   ? VIEWER_DRAG_LIGHT_AWAY
                      : shift ? VIEWER_DRAG_LIGHT_TURN
                              : VIEWER_DRAG_LIGHT;
    } else if (event->code == VIEWER_BUTTON_RIGHT) {
        mouse->drag = VIEWER_DRAG_ZOOM;
    } else {
        mouse->drag = left && !shift ? VIEWER_DRAG_ORBIT : VIEWER_DRAG_PAN;
    }
    return MRW_OK;
}

/* Finds the pixel of the picture at a pixel of the window. */
static void to_picture(const viewer *v, const viewer_event *event, double *x, double *y)
{
    int left, top;
    viewer_origin(v, &left, &top);
    *x = (event->x - left) / viewer_scale(v);
    *y = (event->y - top) / viewer_scale(v);
}

static mrw_status move(viewer *v, const viewer_event *event, mrw_error *error)
{
    viewer_mouse *mouse = &v->window.mouse;
    const double dx = event->x - mouse->x, dy = event->y - mouse->y;
    if (mouse->drag == VIEWER_DRAG_NONE) {
        double x, y;
        mouse->x = event->x, mouse->y = event->y;
        to_picture(v, event, &x, &y);
        v->pair.border = x <= 0.0 ? 0 : x < v->state.width ? (int)x : (int)v->state.width;
        v->overlay.dirty |= v->pair.layout == VIEWER_SWIPE;
        return MRW_OK;
    }
    if (mouse->drag == VIEWER_DRAG_TIME) {
        go_to(v, event->x);
        return MRW_OK;
    }
    if (!mouse->moved &&
        fabs(event->x - mouse->press_x) + fabs(event->y - mouse->press_y) < CLICK) {
        return MRW_OK; /* it may become a click */
    }
    mouse->moved = true;
    mouse->x = event->x, mouse->y = event->y;
    if (mouse->drag >= VIEWER_DRAG_LIGHT) {
        return viewer_lights_drag(v, dx, dy, mouse->drag, error);
    }
    mrw_status status = viewer_make_free(v, error);
    if (status) {
        return status;
    }
    viewer_camera *camera = &v->state.camera;
    if (mouse->drag == VIEWER_DRAG_ORBIT && v->window.flight.on) {
        viewer_camera_look(camera, dx, dy);
    } else if (mouse->drag == VIEWER_DRAG_ORBIT) {
        viewer_camera_orbit(camera, dx, dy);
    } else if (mouse->drag == VIEWER_DRAG_PAN) {
        viewer_camera_pan(camera, dx, dy, viewer_fov(v), v->state.height * viewer_scale(v));
    } else {
        viewer_camera_zoom(camera, -dy / 20.0);
    }
    return MRW_OK;
}

static mrw_status release(viewer *v, const viewer_event *event, mrw_error *error)
{
    viewer_mouse *mouse = &v->window.mouse;
    const bool click = mouse->drag == VIEWER_DRAG_ORBIT && !mouse->moved;
    double x, y;
    to_picture(v, event, &x, &y);
    mouse->drag = VIEWER_DRAG_NONE;
    if (v->pair.layout == VIEWER_SIDES) { /* its left half is the middle of the picture */
        x = x < v->state.width / 2 ? x + v->state.width / 4 : -1.0;
    }
    return click ? viewer_pick(v, x, y, error) : MRW_OK;
}

static mrw_status scroll(viewer *v, double notches, mrw_error *error)
{
    if (v->overlay.help || v->overlay.clips) {
        return viewer_keys_press(v, notches > 0.0 ? VIEWER_KEY_UP : VIEWER_KEY_DOWN, 0, error);
    }
    mrw_status status = viewer_make_free(v, error);
    if (status) {
        return status;
    }
    viewer_camera_zoom(&v->state.camera, notches);
    return MRW_OK;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void resize(viewer_window *window, double width, double height)
{
    if (width >= 1.0 && height >= 1.0) {
        window->width = width < MOST_SIDE ? (uint32_t)width : MOST_SIDE;
        window->height = height < MOST_SIDE ? (uint32_t)height : MOST_SIDE;
    }
}

/* Returns true while another model is being loaded. */
static bool is_loading_other(const viewer *v)
{
    return v->loaded.loading.running && !v->loaded.loading.again;
}

/* Counts the pictures of each second of playing. */
static void count_pictures(viewer_rate *rate, double now, bool playing)
{
    const double seconds = now - rate->since;
    if (!playing) {
        *rate = (viewer_rate){.since = now};
    } else if (seconds >= 1.0) {
        *rate = (viewer_rate){now, 0, (uint32_t)(rate->count / seconds + 0.5)};
    }
}

static mrw_status tick(viewer *v, double microseconds, mrw_error *error)
{
    const double seconds = microseconds * 1e-6;
    const bool blinked = viewer_pair_blinks(v);
    v->window.now += seconds;
    count_pictures(&v->window.rate, v->window.now, v->state.play.clock.playing);
    v->overlay.dirty |= v->pair.layout == VIEWER_BLINK && blinked != viewer_pair_blinks(v);
    if (viewer_fade_tick(&v->state.play, seconds)) {
        v->overlay.dirty |= v->state.play.clock.playing;
    } else {
        viewer_clock_tick(&v->state.play.clock, (uint64_t)microseconds);
    }
    if (v->overlay.message[0] != '\0' && v->window.now >= v->overlay.message_until) {
        v->overlay.message[0] = '\0';
        v->overlay.dirty = true;
    }
    v->overlay.dirty |= v->loaded.loading.running;
    const bool again =
        v->loaded.loading.running && v->loaded.loading.again && !v->loaded.loading.base;
    if (v->window.flight.held != 0 && !is_loading_other(v)) {
        mrw_status status = viewer_keys_fly(v, seconds, error);
        if (status) {
            return status;
        }
    }
    mrw_status status = viewer_load_poll(v, v->def.load_at_once, error);
    if (status) {
        return status;
    }
    if (again && !v->loaded.loading.running) {
        viewer_tell(v, false, "read again");
    }
    return MRW_OK;
}

/* Returns true for an event to ignore: while another model is being loaded, the user can only
 * leave. */
static bool is_waiting(const viewer *v, const viewer_event *event)
{
    const bool leaves = event->type == VIEWER_KEY && event->code == 'q';
    return is_loading_other(v) && event->type != VIEWER_TICK && event->type != VIEWER_RESIZE &&
           event->type != VIEWER_UP && !leaves;
}

static mrw_status take(viewer *v, const viewer_event *event, mrw_error *error)
{
    switch (event->type) {
    case VIEWER_TICK:
        return tick(v, event->x, error);
    case VIEWER_TEXT:
        viewer_keys_type(v, event->text);
        return MRW_OK;
    case VIEWER_KEY:
        v->overlay.hint = false;
        return viewer_keys_press(v, event->code, event->modifiers, error);
    case VIEWER_UP:
        viewer_keys_release(&v->window.flight, event->code);
        return MRW_OK;
    case VIEWER_PRESS:
        return press(v, event, error);
    case VIEWER_RELEASE:
        return release(v, event, error);
    case VIEWER_MOVE:
        return move(v, event, error);
    case VIEWER_SCROLL:
        return scroll(v, event->y, error);
    case VIEWER_RESIZE:
        resize(&v->window, event->x, event->y);
        if (!v->results.shown) { /* else pictures keep the size of their case */
            v->state.width = v->window.width;
            v->state.height = v->window.height;
        }
        return MRW_OK;
    case VIEWER_DROP:
        return viewer_load(v, event->text, false, NULL, error);
    case VIEWER_PASTE:
        return viewer_line_take(v, event->text, error);
    case VIEWER_CHANGED:
        viewer_pair_forget(&v->pair);
        return viewer_load(v, v->state.path, true, NULL, error);
    case VIEWER_EXPECT:
    case VIEWER_EVENT_COUNT:
        break;
    }
    return MRW_OK;
}

mrw_status viewer_take(viewer *v, const viewer_event *event, mrw_error *error)
{
    mrw_error trouble = {.status = MRW_OK};
    v->overlay.dirty |= event->type != VIEWER_TICK && event->type != VIEWER_MOVE;
    free(v->window.copied);
    v->window.copied = NULL;
    if (is_waiting(v, event)) {
        return MRW_OK;
    }
    mrw_status status = take(v, event, &trouble);
    if (!status && v->def.load_at_once && v->loaded.loading.running) {
        status = viewer_load_poll(v, true, &trouble);
    }
    status = survive(v, status, &trouble);
    if (status && error) {
        *error = trouble;
    }
    return status;
}

/* ---- pictures -------------------------------------------------------------------------------- */

mrw_status viewer_draw(viewer *v, const mrw_image **out, bool *changed, mrw_error *error)
{
    mrw_error trouble = {.status = MRW_OK};
    mrw_status status = MRW_OK;
    const double time = v->drawing.last.time;
    if (!v->loaded.loading.running || v->loaded.loading.again) {
        status = survive(v, viewer_pair_picture(v, &trouble), &trouble);
    }
    *changed = v->overlay.dirty || time != v->drawing.last.time;
    if (!status && *changed) {
        status = survive(v, viewer_overlay_draw(v, &trouble), &trouble);
        v->overlay.dirty = false;
    }
    if (status && error) {
        *error = trouble;
    }
    *out = &v->overlay.image;
    return status;
}

bool viewer_wants_text(const viewer *v)
{
    return v->overlay.clips;
}

bool viewer_is_done(const viewer *v)
{
    return v->window.done;
}

bool viewer_is_moving(const viewer *v)
{
    return v->loaded.loading.running || v->overlay.message[0] != '\0' ||
           v->pair.layout == VIEWER_BLINK || v->window.flight.held != 0 ||
           (v->state.play.clock.playing && v->state.play.clock.timing.last > 0);
}

uint32_t viewer_scale(const viewer *v)
{
    const uint32_t x = v->window.width / v->state.width, y = v->window.height / v->state.height;
    const uint32_t least = x < y ? x : y;
    return v->results.shown && least > 1 ? least : 1;
}

void viewer_origin(const viewer *v, int *x, int *y)
{
    const int scale = (int)viewer_scale(v);
    const int left = ((int)v->window.width - scale * (int)v->state.width) / 2;
    const int top = ((int)v->window.height - scale * (int)v->state.height) / 2;
    *x = v->results.shown && left > 0 ? left : 0;
    *y = v->results.shown && top > 0 ? top : 0;
}

/* Size of a window of results in pixels, unless the case is larger. */
#define LEAST_WIDTH 640
#define MOST_HEIGHT 960

void viewer_decide_window(viewer_window *window, const viewer_state *state, bool results)
{
    uint32_t scale = 1;
    if (window->width > 0 && results) { /* grows for a larger case */
        window->width = state->width > window->width ? state->width : window->width;
        window->height = state->height > window->height ? state->height : window->height;
        return;
    }
    while (results && scale * state->width < LEAST_WIDTH &&
           (scale + 1) * state->height <= MOST_HEIGHT) {
        scale++;
    }
    window->width = scale * state->width;
    window->height = scale * state->height;
}

void viewer_size(const viewer *v, uint32_t *width, uint32_t *height)
{
    *width = v->window.width;
    *height = v->window.height;
}

const char *viewer_title(const viewer *v)
{
    return v->window.title;
}

const char *viewer_copied(const viewer *v)
{
    return v->window.copied;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Loads the model of a failure and waits for it. */
static mrw_status load_failure(viewer *v, size_t at, mrw_error *error)
{
    viewer_base *base;
    mrw_status status = viewer_results_base(&v->results, at, &base, error);
    if (status) {
        return status;
    }
    base->next = v->loaded.base;
    v->loaded.base = base;
    status = viewer_load(v, base->arguments.models[0], false, NULL, error);
    if (status) {
        return status;
    }
    v->loaded.loading.failure = at + 1;
    return viewer_load_poll(v, true, error);
}

/* Loads the first model, or from a folder of results the first failure that can be shown. */
static mrw_status load_first(viewer *v, mrw_error *error)
{
    const char *path = v->loaded.base->arguments.models[0];
    if (!viewer_results_are(path)) {
        mrw_status status = viewer_load(v, path, false, NULL, error);
        return status ? status : viewer_load_poll(v, true, error);
    }
    mrw_status status = viewer_results_open(&v->results, path, error);
    if (status) {
        return status;
    }
    if (mrw_settings_given(&v->loaded.base->settings, "size")) {
        v->window.width = v->loaded.base->settings.picture.width;
        v->window.height = v->loaded.base->settings.picture.height;
    }
    for (size_t i = 0; i < v->results.count; i++) {
        status = load_failure(v, i, error);
        if (!status || status == MRW_ERROR_MEMORY) {
            break;
        }
    }
    return status;
}

mrw_status viewer_create(const viewer_def *def, viewer **out, mrw_error *error)
{
    viewer *v = calloc(1, sizeof *v);
    *out = NULL;
    if (!v) {
        return viewer_fail_memory(error);
    }
    v->def = *def;
    v->state.width = USUAL_WIDTH;
    v->state.height = USUAL_HEIGHT;
    v->overlay.picked_node = MRW_NONE;
    v->lights.picked = MRW_NONE;
    v->overlay.dirty = true;
    mrw_error trouble = {.status = MRW_OK};
    mrw_status status = mrw_session_cache_create(&v->drawing.cache, &trouble);
    if (status) {
        goto out;
    }
    status = mrw_renderer_create(&v->drawing.renderer, &trouble);
    if (status) {
        goto out;
    }
    status = viewer_base_read(def->argc, def->argv, &v->loaded.base, &trouble);
    if (status) {
        goto out;
    }
    status = load_first(v, &trouble);
    if (status) {
        goto out;
    }
    viewer_decide_window(&v->window, &v->state, v->results.shown);
    if (!v->results.shown) {
        v->state.play.clock.playing = !mrw_settings_given(&v->loaded.base->settings, "times");
        v->overlay.hint = true;
    }
    status = viewer_picture(v, &trouble); /* finds errors in options about nodes and cameras */
    if (status) {
        goto out;
    }
    *out = v;
    v = NULL;
out:
    viewer_free(v);
    if (status && error) {
        *error = trouble;
    }
    return status;
}

void viewer_free(viewer *v)
{
    if (!v) {
        return;
    }
    viewer_pair_forget(&v->pair);
    viewer_results_free(&v->results);
    free(v->pair.kept_path);
    if (v->loaded.loading.running && v->loaded.loading.threaded) {
        pthread_join(v->loaded.loading.thread, NULL);
        mrw_session_cache_release(v->drawing.cache, v->loaded.loading.scene);
    }
    if (v->loaded.base) {
        viewer_drawing_end(&v->drawing, v->loaded.base);
    }
    viewer_drawing_forget(&v->drawing);
    mrw_crew_free(v->drawing.crews[0]);
    mrw_session_model_free(&v->loaded.model);
    mrw_session_cache_release(v->drawing.cache, v->loaded.scene);
    mrw_session_cache_free(v->drawing.cache);
    mrw_image_free(&v->drawing.last.other);
    mrw_renderer_free(v->drawing.renderer);
    mrw_image_free(&v->drawing.last.picture);
    free(v->drawing.last.subject);
    mrw_image_free(&v->drawing.last.ids);
    mrw_image_free(&v->drawing.last.triangles);
    mrw_image_free(&v->overlay.image);
    free(v->overlay.mask);
    viewer_clock_free(&v->state.play.clock);
    free(v->state.path);
    free(v->loaded.loading.path);
    viewer_base_free(v->loaded.loading.base);
    viewer_watched_free(v->loaded.loading.watched, v->loaded.loading.watched_count);
    viewer_watched_free(v->loaded.watched, v->loaded.watched_count);
    while (v->loaded.base) {
        viewer_base *next = v->loaded.base->next;
        viewer_base_free(v->loaded.base);
        v->loaded.base = next;
    }
    viewer_look_free(&v->look);
    free(v->window.copied);
    free(v);
}
