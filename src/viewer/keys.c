/* keys.c: the table of keys, and the action of each. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

/* ---- actions --------------------------------------------------------------------------------- */

/* value: the one of the pressed key in the table. */
typedef mrw_status key_action(viewer *v, int value, mrw_error *error);

static mrw_status look_from(viewer *v, int direction, mrw_error *error)
{
    static const double angles[][2] = {{0.0, 0.0},  {180.0, 0.0}, {90.0, 0.0},     {-90.0, 0.0},
                                       {0.0, 90.0}, {0.0, -90.0}, {45.0, 35.26439}};
    (void)error;
    viewer_camera *camera = &v->state.camera;
    if (camera->kind == VIEWER_CAMERA_GIVEN) {
        camera->orthographic = viewer_arguments_find(&v->loaded.base->arguments, "ortho");
    }
    viewer_camera_frame(camera, angles[direction][0], angles[direction][1]);
    return MRW_OK;
}

static mrw_status fit(viewer *v, int value, mrw_error *error)
{
    (void)value;
    mrw_status status = viewer_make_free(v, error); /* for the angles */
    if (status) {
        return status;
    }
    viewer_camera_frame(&v->state.camera, v->state.camera.azimuth, v->state.camera.elevation);
    return MRW_OK;
}

static mrw_status project(viewer *v, int value, mrw_error *error)
{
    (void)value;
    mrw_status status = viewer_make_free(v, error);
    if (status) {
        return status;
    }
    viewer_camera_project(&v->state.camera, viewer_fov(v));
    return MRW_OK;
}

static mrw_status zoom(viewer *v, int notches, mrw_error *error)
{
    mrw_status status = viewer_make_free(v, error);
    if (status) {
        return status;
    }
    viewer_camera_zoom(&v->state.camera, notches);
    return MRW_OK;
}

/* Flies until the key is released. */
static mrw_status fly(viewer *v, int way, mrw_error *error)
{
    v->window.flight.held |= 1u << way;
    return viewer_make_free(v, error);
}

double viewer_keys_flight(const viewer_flight *flight)
{
    return flight->speed < 0 ? 1.0 / (1 << -flight->speed) : 1 << flight->speed;
}

mrw_status viewer_keys_fly(viewer *v, double seconds, mrw_error *error)
{
    static const double ways[][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                     {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    double by[3] = {0.0, 0.0, 0.0};
    mrw_status status = viewer_make_free(v, error);
    if (status) {
        return status;
    }
    for (int way = 0; way < 6; way++) {
        for (int i = 0; i < 3 && (v->window.flight.held >> way & 1u); i++) {
            by[i] += ways[way][i] * seconds * viewer_keys_flight(&v->window.flight);
        }
    }
    viewer_camera_fly(&v->state.camera, by[0], by[1], by[2]);
    return MRW_OK;
}

static mrw_status flight(viewer *v, int value, mrw_error *error)
{
    (void)value;
    (void)error;
    v->window.flight.on = !v->window.flight.on;
    v->window.flight.held = 0;
    return MRW_OK;
}

static mrw_status flight_speed(viewer *v, int by, mrw_error *error)
{
    const int most = 6, speed = v->window.flight.speed + by;
    (void)error;
    v->window.flight.speed = speed < -most ? -most : speed > most ? most : speed;
    return MRW_OK;
}

static mrw_status play(viewer *v, int value, mrw_error *error)
{
    viewer_clock *c = &v->state.play.clock;
    (void)value;
    (void)error;
    if (c->timing.last == 0) {
        viewer_tell(v, false, "nothing moves here");
        return MRW_OK;
    }
    c->playing = !c->playing;
    c->phase = 0;
    if (c->playing && c->repeat == VIEWER_ONCE &&
        c->frame == (c->backward ? c->range.in : c->range.out)) {
        viewer_clock_to_frame(c, c->backward ? c->range.out : c->range.in);
    }
    return MRW_OK;
}

static mrw_status backward(viewer *v, int value, mrw_error *error)
{
    (void)value;
    (void)error;
    v->state.play.clock.backward = !v->state.play.clock.backward;
    return MRW_OK;
}

static mrw_status repeat(viewer *v, int value, mrw_error *error)
{
    (void)value;
    (void)error;
    v->state.play.clock.repeat = (viewer_repeat)((v->state.play.clock.repeat + 1) % 3);
    return MRW_OK;
}

static mrw_status step(viewer *v, int frames, mrw_error *error)
{
    (void)error;
    viewer_clock_step(&v->state.play.clock, frames);
    return MRW_OK;
}

static mrw_status to_end(viewer *v, int end, mrw_error *error)
{
    viewer_clock *c = &v->state.play.clock;
    (void)error;
    viewer_clock_to_frame(c, end ? c->range.out : c->range.in);
    return MRW_OK;
}

static mrw_status to_key(viewer *v, int next, mrw_error *error)
{
    (void)error;
    viewer_clock_to_key(&v->state.play.clock, next);
    return MRW_OK;
}

static mrw_status speed(viewer *v, int by, mrw_error *error)
{
    const int speed = v->state.play.clock.speed + by;
    (void)error;
    v->state.play.clock.speed = speed < VIEWER_SLOWEST   ? VIEWER_SLOWEST
                                : speed > VIEWER_FASTEST ? VIEWER_FASTEST
                                                         : speed;
    return MRW_OK;
}

static mrw_status mark(viewer *v, int which, mrw_error *error)
{
    viewer_clock *c = &v->state.play.clock;
    (void)error;
    if (which == 0) {
        c->range.in = c->frame;
        c->range.out = c->range.out < c->range.in ? c->timing.last : c->range.out;
    } else if (which == 1) {
        c->range.out = c->frame;
        c->range.in = c->range.in > c->range.out ? 0 : c->range.in;
    } else {
        c->range.in = 0;
        c->range.out = c->timing.last;
    }
    return MRW_OK;
}

static mrw_status next_clip(viewer *v, int by, mrw_error *error)
{
    const uint32_t count = v->loaded.scene->clips_count;
    if (count < 2 || v->state.play.clip == MRW_NONE || v->loaded.model.mix.fixed) {
        viewer_tell(v, false, "there is no other clip to go to");
        return MRW_OK;
    }
    return viewer_set_clip(v, (uint32_t)((int64_t)v->state.play.clip + by + count) % count, error);
}

static mrw_status list_clips(viewer *v, int value, mrw_error *error)
{
    (void)value;
    (void)error;
    if (v->state.play.clip == MRW_NONE || v->loaded.model.mix.fixed) {
        viewer_tell(v, false, "there are no clips to choose from");
        return MRW_OK;
    }
    v->overlay.clips = !v->overlay.clips;
    v->overlay.help = false;
    v->overlay.filter[0] = '\0';
    v->overlay.chosen = v->state.play.clip;
    return MRW_OK;
}

/* Goes to the next mode in the order of --shading; modes with an argument are left out. */
static mrw_status next_shading(viewer *v, int by, mrw_error *error)
{
    int at = 0;
    (void)error;
    for (int m = 0; m < MRW_SHADING_COUNT; m++) {
        const char *name = mrw_shading_info_of((mrw_shading)m)->name;
        const size_t length = strcspn(name, ":");
        at = strncmp(v->state.shading, name, length) == 0 &&
                     (v->state.shading[length] == '\0' || v->state.shading[length] == ':')
                 ? m
                 : at;
    }
    do {
        at = (at + by + MRW_SHADING_COUNT) % MRW_SHADING_COUNT;
    } while (strchr(mrw_shading_info_of((mrw_shading)at)->name, ':'));
    v->state.before_weights[0] = '\0';
    viewer_tell(v, false, "%s: %s", mrw_shading_info_of((mrw_shading)at)->name,
                mrw_shading_info_of((mrw_shading)at)->shows);
    return viewer_set_shading(&v->state, mrw_shading_info_of((mrw_shading)at)->name);
}

static mrw_status next_channel(viewer *v, int value, mrw_error *error)
{
    int at = -1;
    char text[256];
    (void)value;
    (void)error;
    for (int c = 0; c < MRW_CHANNEL_COUNT; c++) {
        snprintf(text, sizeof text, "channel:%s", mrw_shading_channel_name((mrw_shading_channel)c));
        at = strcmp(text, v->state.shading) == 0 ? c : at;
    }
    at = (at + 1) % MRW_CHANNEL_COUNT;
    snprintf(text, sizeof text, "channel:%s", mrw_shading_channel_name((mrw_shading_channel)at));
    v->state.before_weights[0] = '\0';
    viewer_tell(v, false, "%s", text);
    return viewer_set_shading(&v->state, text);
}

/* Shows a mode of w, u, n and j. A second press returns to the mode before the first of them. */
static mrw_status show(viewer *v, int mode, mrw_error *error)
{
    static const mrw_shading glances[] = {MRW_SHADING_WIRE, MRW_SHADING_UNLIT, MRW_SHADING_NORMAL,
                                          MRW_SHADING_JOINT};
    const char *name = mrw_shading_info_of((mrw_shading)mode)->name;
    char shading[256];
    bool glance = false;
    (void)error;
    v->state.before_weights[0] = '\0';
    for (size_t i = 0; i < sizeof glances / sizeof *glances; i++) {
        glance = glance || strcmp(v->state.shading, mrw_shading_info_of(glances[i])->name) == 0;
    }
    if (!glance) {
        memcpy(v->state.before_glance, v->state.shading, sizeof v->state.shading);
    }
    const bool back = strcmp(v->state.shading, name) == 0;
    const char *before = v->state.before_glance[0] != '\0' ? v->state.before_glance : "lit";
    snprintf(shading, sizeof shading, "%s", back ? before : name);
    return viewer_set_shading(&v->state, shading);
}

/* Draws with the other backend; without one the state stays as it is. */
static mrw_status flip(viewer *v, int value, mrw_error *error)
{
    (void)value;
    v->state.second = !v->state.second;
    mrw_status status = viewer_picture(v, error);
    if (status) {
        v->state.second = !v->state.second;
        return status;
    }
    viewer_tell(v, false, "drawn by %s", v->state.second ? "OpenGL" : "the software renderer");
    return MRW_OK;
}

static mrw_status compare(viewer *v, int value, mrw_error *error)
{
    (void)value;
    const bool on = v->pair.layout == VIEWER_DIFFERENCE && v->pair.source == VIEWER_BACKENDS;
    return viewer_pair_show(v, on ? VIEWER_ALONE : VIEWER_DIFFERENCE, VIEWER_BACKENDS, error);
}

static mrw_status show_two(viewer *v, int value, mrw_error *error)
{
    static const char *const names[] = {"alone", "side by side",
                                        "swipe: the border follows the mouse", "blink",
                                        "difference, 16 times as strong"};
    const viewer_layout layout = (viewer_layout)((v->pair.layout + 1) % VIEWER_LAYOUT_COUNT);
    const viewer_source source = v->results.shown            ? VIEWER_GOLDEN
                                 : viewer_pair_has_beside(v) ? VIEWER_BESIDE
                                                             : VIEWER_BACKENDS;
    (void)value;
    mrw_status status = viewer_pair_show(v, layout, source, error);
    if (status) {
        return status;
    }
    char lack[120];
    const char *why = viewer_results_lack(v, lack, sizeof lack);
    viewer_tell(v, why, "%s", why ? why : names[layout]);
    return MRW_OK;
}

static mrw_status keep_clip(viewer *v, int value, mrw_error *error)
{
    char name[200];
    (void)value;
    mrw_status status = viewer_pair_keep(v, error);
    if (status) {
        return status;
    }
    const char *kept = v->state.play.clip == MRW_NONE
                           ? v->loaded.model.name
                           : mrw_session_clip_name(&v->loaded.model, v->state.play.clip);
    viewer_tell(v, false, "z compares with %s from now on",
                mrw_escape_text(kept, name, sizeof name));
    return MRW_OK;
}

static mrw_status overlay(viewer *v, int edges, mrw_error *error)
{
    bool *on = edges ? &v->overlay.edges : &v->overlay.skeleton;
    (void)error;
    *on = !*on;
    return MRW_OK;
}

static mrw_status help(viewer *v, int value, mrw_error *error)
{
    (void)value;
    (void)error;
    v->overlay.help = !v->overlay.help;
    v->overlay.clips = false;
    v->overlay.help_from = 0;
    return MRW_OK;
}

static mrw_status leave(viewer *v, int now, mrw_error *error)
{
    const bool lists = v->overlay.help || v->overlay.clips;
    if (!now && v->window.flight.on && !lists) {
        return flight(v, 0, error);
    }
    if (!now && (lists || v->overlay.picked[0][0] != '\0' || v->overlay.still > 0)) {
        v->overlay.help = v->overlay.clips = false;
        v->overlay.still = 0;
        v->overlay.picked[0][0] = '\0';
    } else {
        v->window.done = now;
        if (!now) {
            viewer_tell(v, false, "q leaves");
        }
    }
    return MRW_OK;
}

static mrw_status save(viewer *v, int value, mrw_error *error)
{
    char file[4600], safe[300];
    (void)value;
    mrw_status status = viewer_picture_save(v, file, sizeof file, error);
    if (status) {
        return status;
    }
    viewer_tell(v, false, "wrote %s", mrw_escape_text(file, safe, sizeof safe));
    return MRW_OK;
}

static mrw_status copy_line(viewer *v, int value, mrw_error *error)
{
    mrw_text text = {0};
    (void)value;
    mrw_text_puts(&text, "marrow ");
    mrw_status status = viewer_line(v, &text, error);
    if (status) {
        goto out;
    }
    if (v->def.say) {
        v->def.say(v->def.user, text.data, true);
    }
    v->window.copied = viewer_copy(text.data);
    if (!v->window.copied) {
        status = viewer_fail_memory(error);
        goto out;
    }
    viewer_tell(v, false, "copied the line that draws this");
out:
    mrw_text_free(&text);
    return status;
}

static mrw_status append_case(viewer *v, int value, mrw_error *error)
{
    char file[300];
    (void)value;
    mrw_status status = viewer_line_append(v, file, sizeof file, error);
    if (status) {
        return status;
    }
    viewer_tell(v, false, "a case more in %s; marrow test --update=missing draws its golden", file);
    return MRW_OK;
}

static mrw_status reload(viewer *v, int value, mrw_error *error)
{
    (void)value;
    viewer_pair_forget(&v->pair);
    return viewer_load(v, v->state.path, true, NULL, error);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define MOST_KEYS 6
/* Bits among the modifiers of a row: the key has this meaning with results, or in flight mode. */
#define RESULTS 4
#define FLIGHT  8

/* A row: its text for people, and for each of its keys the value that the action gets. */
typedef struct key_row {
    viewer_key_info info;
    key_action *action; /* NULL: a row about the mouse, or an event that viewer.c handles */
    struct {
        int key, modifiers, value;
    } keys[MOST_KEYS];
} key_row;

/* clang-format off */
static const key_row rows[] = {
    {{"Left drag", "orbit", "Camera"}, NULL, {{0}}},
    {{"Shift+left, middle drag", "pan", NULL}, NULL, {{0}}},
    {{"Wheel, right drag", "zoom", NULL}, NULL, {{0}}},
    {{"=  -", "zoom in, out", NULL}, zoom, {{'=', 0, 1}, {'-', 0, -1}}},
    {{"f", "frame the whole clip", NULL}, fit, {{'f', 0, 0}}},
    {{"1  Shift+1", "from the front, the back", NULL}, look_from, {{'1', 0, 0}, {'1', 1, 1}}},
    {{"3  Shift+3", "from the right, the left", NULL}, look_from, {{'3', 0, 2}, {'3', 1, 3}}},
    {{"7  Shift+7", "from above, from below", NULL}, look_from, {{'7', 0, 4}, {'7', 1, 5}}},
    {{"9", "isometric", NULL}, look_from, {{'9', 0, 6}}},
    {{"5", "parallel projection, perspective", NULL}, project, {{'5', 0, 0}}},
    {{"Shift+w a s d q e", "hold to fly forward, left, back, right, down, up", NULL}, fly,
     {{'a', 1, 0}, {'d', 1, 1}, {'e', 1, 2}, {'q', 1, 3}, {'w', 1, 4}, {'s', 1, 5}}},
    {{"Shift+f", "flight mode: no Shift; a drag looks around", NULL}, flight,
     {{'f', 1, 0}}},
    {{"-  =", "in flight mode: slower, faster", NULL}, flight_speed,
     {{'-', FLIGHT, -1}, {'=', FLIGHT, 1}}},
    {{"w a s d q e  Esc", "in flight mode: fly; end it", NULL}, fly,
     {{'a', FLIGHT, 0}, {'d', FLIGHT, 1}, {'e', FLIGHT, 2}, {'q', FLIGHT, 3}, {'w', FLIGHT, 4},
      {'s', FLIGHT, 5}}},
    {{"Space", "play, pause", "Time"}, play, {{' ', 0, 0}}},
    {{"b", "backward, forward", NULL}, backward, {{'b', 0, 0}}},
    {{"l", "at the end: loop, ping-pong, stop", NULL}, repeat, {{'l', 0, 0}}},
    {{",  .", "one frame back, forward", NULL}, step, {{',', 0, -1}, {'.', 0, 1}}},
    {{"Home  End", "first and last frame", NULL}, to_end,
     {{VIEWER_KEY_HOME, 0, 0}, {VIEWER_KEY_END, 0, 1}}},
    {{"[  ]", "previous, next key", NULL}, to_key, {{'[', 0, 0}, {']', 0, 1}}},
    {{";  '", "half as fast, twice as fast", NULL}, speed, {{';', 0, -1}, {'\'', 0, 1}}},
    {{"i  o  x", "play from here, to here, everything", NULL}, mark,
     {{'i', 0, 0}, {'o', 0, 1}, {'x', 0, 2}}},
    {{"Page Up  Page Down", "previous, next clip", "Clips and models"}, next_clip,
     {{VIEWER_KEY_PAGE_UP, 0, -1}, {VIEWER_KEY_PAGE_DOWN, 0, 1}}},
    {{"Tab", "list the clips; typing filters them", NULL}, list_clips, {{VIEWER_KEY_TAB, 0, 0}}},
    {{"t", "play all clips together, or one", NULL}, viewer_together_switch, {{'t', 0, 0}}},
    {{"Shift+b", "blend from clip to clip while playing, or not", NULL}, viewer_fade_switch,
     {{'b', 1, 0}}},
    {{"Left  Right", "previous, next model (command line or folder)", NULL}, viewer_load_neighbour,
     {{VIEWER_KEY_LEFT, 0, -1}, {VIEWER_KEY_RIGHT, 0, 1}}},
    {{"r", "reload the file; a change reloads it, too", NULL}, reload, {{'r', 0, 0}}},
    {{"Drop a file", "view that model", NULL}, NULL, {{0}}},
    {{"m  Shift+m", "next, previous shading mode", "Picture"}, next_shading,
     {{'m', 0, 1}, {'m', 1, -1}}},
    {{"w  u  n  j", "wire, unlit, normals, joints; again: as before", NULL}, show,
     {{'w', 0, MRW_SHADING_WIRE}, {'u', 0, MRW_SHADING_UNLIT}, {'n', 0, MRW_SHADING_NORMAL},
      {'j', 0, MRW_SHADING_JOINT}}},
    {{"v", "next channel of the material", NULL}, next_channel, {{'v', 0, 0}}},
    {{"k  e", "overlay: skeleton; edges of triangles", NULL}, overlay,
     {{'k', 0, 0}, {'e', 0, 1}}},
    {{"Shift+x  Shift+y", "overlay: axes; grid", NULL}, viewer_look_overlay,
     {{'x', 1, MRW_OVERLAY_AXES}, {'y', 1, MRW_OVERLAY_GRID}}},
    {{"Shift+k", "next look", NULL}, viewer_look_next, {{'k', 1, 0}}},
    {{"Shift+p", "background: as given, white, gray, black, none", NULL}, viewer_look_background,
     {{'p', 1, 0}}},
    {{"y", "draw with OpenGL, with the software renderer", NULL}, flip, {{'y', 0, 0}}},
    {{"d", "where these two differ, 16 times as strong", NULL}, compare, {{'d', 0, 0}}},
    {{"z", "compare: side by side, swipe, blink, difference", NULL}, show_two, {{'z', 0, 0}}},
    {{"Shift+z", "keep this clip to compare others with", NULL}, keep_clip, {{'z', 1, 0}}},
    {{"Click", "name what is there, show its joint's weights", NULL}, NULL, {{0}}},
    {{"Shift+l", "next light of --light or the file, or none", "Light"}, viewer_lights_next,
     {{'l', 1, 0}}},
    {{"Ctrl+l  Ctrl+Shift+l", "add a directional light, a lamp", NULL}, viewer_lights_add,
     {{'l', 2, 0}, {'l', 3, 1}}},
    {{"Shift+-  Shift+=", "exposure: half a stop darker, brighter", NULL}, viewer_look_exposure,
     {{'-', 1, -1}, {'=', 1, 1}}},
    {{"Shift+t", "next tone map", NULL}, viewer_look_tonemap, {{'t', 1, 0}}},
    {{"Shift+n", "environment: as given, studio, none", NULL}, viewer_look_environment,
     {{'n', 1, 0}}},
    {{"Shift+[  Shift+]", "turn the environment by 15 degrees", NULL}, viewer_look_rotate,
     {{'[', 1, -1}, {']', 1, 1}}},
    {{"Shift+g", "ground", NULL}, viewer_look_switch, {{'g', 1, VIEWER_LOOK_GROUND}}},
    {{"Shift+h", "shadows", NULL}, viewer_look_switch, {{'h', 1, VIEWER_LOOK_SHADOWS}}},
    {{"Shift+o", "ambient occlusion", NULL}, viewer_look_switch, {{'o', 1, VIEWER_LOOK_AO}}},
    {{"Ctrl+left drag", "move the light; turn a directional one", NULL}, NULL, {{0}}},
    {{"Ctrl+right drag", "move it nearer, farther", NULL}, NULL, {{0}}},
    {{"Ctrl+Shift+left drag", "turn a spot", NULL}, NULL, {{0}}},
    {{"n  p", "next, previous failure in the results folder", "Results of marrow test"},
     viewer_results_go, {{'n', RESULTS, 1}, {'p', RESULTS, -1}}},
    {{"a", "accept it: the case's results become goldens", NULL}, viewer_results_accept,
     {{'a', RESULTS, 0}}},
    {{"s", "save the picture as a PNG", "Saving and leaving"}, save, {{'s', 0, 0}}},
    {{"c", "print and copy the command that draws this", NULL}, copy_line, {{'c', 0, 0}}},
    {{"Ctrl+v", "show what a command in the clipboard draws", NULL}, NULL, {{0}}},
    {{"g", "add this as a case to MODEL.suite.ini", NULL}, append_case, {{'g', 0, 0}}},
    {{"h", "show this list", NULL}, help, {{'h', 0, 0}}},
    {{"Esc  q", "close what is open; leave", NULL}, leave,
     {{VIEWER_KEY_ESCAPE, 0, 0}, {'q', 0, 1}}},
};
/* clang-format on */

size_t viewer_key_count(void)
{
    return sizeof rows / sizeof *rows;
}

viewer_key_info viewer_key_at(size_t index)
{
    return rows[index].info;
}

bool viewer_has_key(int key)
{
    for (size_t i = 0; i < viewer_key_count(); i++) {
        for (int k = 0; k < MOST_KEYS && rows[i].action; k++) {
            if (rows[i].keys[k].key == key && key != 0) {
                return true;
            }
        }
    }
    return false;
}

/* Handles a key while the list of clips is open. viewer_keys_type gets the characters. */
static mrw_status press_in_clips(viewer *v, int key, mrw_error *error)
{
    viewer_overlay *o = &v->overlay;
    const int page = viewer_overlay_rows(v), all = (int)v->loaded.scene->clips_count;
    const int by = key == VIEWER_KEY_DOWN        ? 1
                   : key == VIEWER_KEY_UP        ? -1
                   : key == VIEWER_KEY_PAGE_DOWN ? page
                   : key == VIEWER_KEY_PAGE_UP   ? -page
                   : key == VIEWER_KEY_END       ? all
                   : key == VIEWER_KEY_HOME      ? -all
                                                 : 0;
    if (by != 0) {
        v->overlay.chosen = viewer_overlay_choose(v, by);
    } else if (key == VIEWER_KEY_ENTER && o->chosen != MRW_NONE) {
        o->clips = false;
        return viewer_set_clip(v, o->chosen, error);
    } else if (key == VIEWER_KEY_BACKSPACE && o->filter[0] != '\0') {
        size_t length = strlen(o->filter) - 1;
        while (length > 0 && ((unsigned char)o->filter[length] & 0xC0) == 0x80) {
            length--; /* removes a whole character of UTF-8 */
        }
        o->filter[length] = '\0';
        v->overlay.chosen = viewer_overlay_filter(v);
    }
    return MRW_OK;
}

void viewer_keys_type(viewer *v, const char *text)
{
    char *filter = v->overlay.filter;
    const size_t used = strlen(filter), more = strlen(text);
    if (v->overlay.clips && used + more < sizeof v->overlay.filter) {
        memcpy(filter + used, text, more + 1);
        v->overlay.chosen = viewer_overlay_filter(v);
    }
}

/* Finds the row of a key, and its value there. NULL: it has none. */
static const key_row *row_of(int key, int modifiers, int *value)
{
    for (size_t i = 0; i < viewer_key_count(); i++) {
        for (int k = 0; k < MOST_KEYS && rows[i].action; k++) {
            if (rows[i].keys[k].key == key && key != 0 && rows[i].keys[k].modifiers == modifiers) {
                *value = rows[i].keys[k].value;
                return &rows[i];
            }
        }
    }
    return NULL;
}

mrw_status viewer_keys_press(viewer *v, int key, int modifiers, mrw_error *error)
{
    viewer_overlay *o = &v->overlay;
    const int by = key == VIEWER_KEY_DOWN ? 1 : key == VIEWER_KEY_UP ? -1 : 0;
    int value;
    if (o->help && by != 0) {
        const int from = o->help_from + by * 3, most = (int)viewer_key_count();
        o->help_from = from < 0 ? 0 : from > most ? most : from;
        return MRW_OK;
    }
    if (o->clips && key != VIEWER_KEY_ESCAPE && key != VIEWER_KEY_TAB) {
        return press_in_clips(v, key, error);
    }
    const key_row *row = v->window.flight.on ? row_of(key, modifiers | FLIGHT, &value) : NULL;
    if (!row && v->results.count > 0) {
        row = row_of(key, modifiers | RESULTS, &value);
    }
    row = row ? row : row_of(key, modifiers, &value);
    return row ? row->action(v, value, error) : MRW_OK;
}

/* Returns the bit of the direction that a key flies in; 0: it does not fly. */
static unsigned way_of(int key)
{
    int value = 0;
    const key_row *row = row_of(key, FLIGHT, &value);
    return row && row->action == fly ? 1u << value : 0u;
}

void viewer_keys_release(viewer_flight *flight, int key)
{
    flight->held &= ~way_of(key);
}

bool viewer_holds(const viewer *v, int key)
{
    return v->window.flight.held & way_of(key);
}
