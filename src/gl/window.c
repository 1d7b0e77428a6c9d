/* window.c: shows a viewer in a window of GLFW: sends events to the viewer, and its pictures to a
 * texture. */
#include "gl/window.h"

#include "gl/gl.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <ctype.h>
#include <epoxy/gl.h>
#include <stdio.h>
#include <string.h>

#define WATCH_SECONDS  0.5   /* time between checks of the model's files */
#define IDLE_SECONDS   0.25  /* longest wait for events while the picture stands still */
#define MOVING_SECONDS 0.004 /* longest wait for events while it moves */

/* The texture that the window shows. */
typedef struct screen {
    GLuint texture, framebuffer;
    int width, height; /* size of the texture */
    bool refresh;      /* the window must be drawn again */
    uint32_t shown;    /* number of times that it was shown */
} screen;

typedef struct window {
    GLFWwindow *handle;
    viewer *viewer;
    const gl_window_def *def;
    mrw_text record;
    mrw_status status; /* first error; no event is handled after it */
    mrw_error *error;
    screen screen;
    bool changed; /* the last round had a new picture */
    double x, y;  /* mouse position of the last event; the system's may be newer */
} window;

static char complaint[256];

static void hear(int code, const char *text)
{
    (void)code;
    snprintf(complaint, sizeof complaint, "%s", text);
}

/* ---- events ---------------------------------------------------------------------------------- */

static window *of(GLFWwindow *handle)
{
    return glfwGetWindowUserPointer(handle);
}

/* Resizes the window if the viewer wants another size, after a pasted line for example. */
static void follow_size(window *w, uint32_t before_width, uint32_t before_height)
{
    uint32_t width, height;
    viewer_size(w->viewer, &width, &height);
    if (width != before_width || height != before_height) {
        int wide, high, inner_wide, inner_high;
        glfwGetWindowSize(w->handle, &wide, &high);
        glfwGetFramebufferSize(w->handle, &inner_wide, &inner_high);
        if (wide > 0 && high > 0 && inner_wide > 0 && inner_high > 0) {
            glfwSetWindowSize(w->handle, (int)width * wide / inner_wide,
                              (int)height * high / inner_high);
        }
    }
}

static void take(window *w, const viewer_event *event)
{
    uint32_t width, height;
    if (w->def->record) {
        viewer_event_write(event, &w->record);
        mrw_text_puts(&w->record, "\n");
    }
    viewer_size(w->viewer, &width, &height);
    if (!w->status) {
        w->status = viewer_take(w->viewer, event, w->error);
    }
    const char *copied = viewer_copied(w->viewer);
    if (copied) {
        glfwSetClipboardString(w->handle, copied);
    }
    if (event->type != VIEWER_RESIZE) {
        follow_size(w, width, height);
    }
}

static int modifiers_of(int mods)
{
    return (mods & GLFW_MOD_SHIFT ? VIEWER_SHIFT : 0) | (mods & GLFW_MOD_CONTROL ? VIEWER_CTRL : 0);
}

/* Keys without a character, and keys of the number pad. */
static const struct {
    int theirs, ours;
} keys[] = {{GLFW_KEY_LEFT, VIEWER_KEY_LEFT},
            {GLFW_KEY_RIGHT, VIEWER_KEY_RIGHT},
            {GLFW_KEY_UP, VIEWER_KEY_UP},
            {GLFW_KEY_DOWN, VIEWER_KEY_DOWN},
            {GLFW_KEY_HOME, VIEWER_KEY_HOME},
            {GLFW_KEY_END, VIEWER_KEY_END},
            {GLFW_KEY_PAGE_UP, VIEWER_KEY_PAGE_UP},
            {GLFW_KEY_PAGE_DOWN, VIEWER_KEY_PAGE_DOWN},
            {GLFW_KEY_ESCAPE, VIEWER_KEY_ESCAPE},
            {GLFW_KEY_ENTER, VIEWER_KEY_ENTER},
            {GLFW_KEY_KP_ENTER, VIEWER_KEY_ENTER},
            {GLFW_KEY_TAB, VIEWER_KEY_TAB},
            {GLFW_KEY_BACKSPACE, VIEWER_KEY_BACKSPACE},
            {GLFW_KEY_SPACE, ' '},
            {GLFW_KEY_KP_1, '1'},
            {GLFW_KEY_KP_3, '3'},
            {GLFW_KEY_KP_5, '5'},
            {GLFW_KEY_KP_7, '7'},
            {GLFW_KEY_KP_9, '9'},
            {GLFW_KEY_KP_ADD, '='},
            {GLFW_KEY_KP_SUBTRACT, '-'}};

/* Returns the code of a key: its character on this keyboard, or if the viewer does not use that,
 * its character on an American one. That has keys for [ ] ; ' and digits, which need a modifier on
 * other keyboards. 0: none. */
static int key_of(int key, int scancode)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].theirs == key) {
            return keys[i].ours;
        }
    }
    const char *name = glfwGetKeyName(key, scancode);
    const bool plain = name && name[0] > 32 && name[0] < 127 && name[1] == '\0';
    const int says = plain ? tolower((unsigned char)name[0]) : 0;
    const int place = key > 32 && key < 127 ? tolower(key) : 0; /* GLFW numbers keys like that */
    return viewer_has_key(says) || !viewer_has_key(place) ? says : place;
}

static void on_key(GLFWwindow *handle, int key, int scancode, int action, int mods)
{
    const int code = key_of(key, scancode), modifiers = modifiers_of(mods);
    const bool held = code != 0 && viewer_holds(of(handle)->viewer, code);
    if (action == GLFW_RELEASE && held) {
        take(of(handle), &(viewer_event){.type = VIEWER_UP, .code = code});
    }
    if (action == GLFW_RELEASE || code == 0 || (action == GLFW_REPEAT && held)) {
        return;
    }
    if (code == 'v' && modifiers == VIEWER_CTRL) {
        const char *text = glfwGetClipboardString(handle);
        if (text) {
            take(of(handle), &(viewer_event){.type = VIEWER_PASTE, .text = text});
        }
        return;
    }
    take(of(handle), &(viewer_event){.type = VIEWER_KEY, .code = code, .modifiers = modifiers});
}

/* Sends a typed character as UTF-8 (RFC 3629, section 3). */
static void on_character(GLFWwindow *handle, unsigned code)
{
    const unsigned rest[] = {0x80 | (code & 63), 0x80 | (code >> 6 & 63), 0x80 | (code >> 12 & 63)};
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned first[] = {0, 0xC0, 0xE0, 0xF0};
    char text[5] = "";
    text[0] = (char)(first[more] | code >> 6 * more);
    for (int i = 0; i < more; i++) {
        text[1 + i] = (char)rest[more - 1 - i];
    }
    if (viewer_wants_text(of(handle)->viewer)) {
        take(of(handle), &(viewer_event){.type = VIEWER_TEXT, .text = text});
    }
}

/* Converts a position in units of the window to pixels. */
static void scaled(GLFWwindow *handle, double x, double y, viewer_event *event)
{
    int wide, high, inner_wide, inner_high;
    glfwGetWindowSize(handle, &wide, &high);
    glfwGetFramebufferSize(handle, &inner_wide, &inner_high);
    event->x = wide > 0 ? (double)(int)(x * inner_wide / wide) : x;
    event->y = high > 0 ? (double)(int)(y * inner_high / high) : y;
}

static void on_button(GLFWwindow *handle, int button, int action, int mods)
{
    viewer_event event = {.type = action == GLFW_PRESS ? VIEWER_PRESS : VIEWER_RELEASE,
                          .code = button == GLFW_MOUSE_BUTTON_LEFT    ? VIEWER_BUTTON_LEFT
                                  : button == GLFW_MOUSE_BUTTON_RIGHT ? VIEWER_BUTTON_RIGHT
                                                                      : VIEWER_BUTTON_MIDDLE,
                          .modifiers = modifiers_of(mods)};
    if (button <= GLFW_MOUSE_BUTTON_MIDDLE) {
        scaled(handle, of(handle)->x, of(handle)->y, &event);
        take(of(handle), &event);
    }
}

static void on_move(GLFWwindow *handle, double x, double y)
{
    viewer_event event = {.type = VIEWER_MOVE};
    of(handle)->x = x;
    of(handle)->y = y;
    scaled(handle, x, y, &event);
    take(of(handle), &event);
}

static void on_scroll(GLFWwindow *handle, double x, double y)
{
    (void)x;
    take(of(handle), &(viewer_event){.type = VIEWER_SCROLL, .y = y});
}

static void on_size(GLFWwindow *handle, int width, int height)
{
    take(of(handle), &(viewer_event){.type = VIEWER_RESIZE, .x = width, .y = height});
}

static void on_drop(GLFWwindow *handle, int count, const char **paths)
{
    if (count > 0) {
        take(of(handle), &(viewer_event){.type = VIEWER_DROP, .text = paths[0]});
    }
}

static void on_refresh(GLFWwindow *handle)
{
    of(handle)->screen.refresh = true;
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* Uploads the picture byte by byte: no shader and no filter can change a byte. */
static void upload(GLFWwindow *handle, screen *s, const mrw_image *image)
{
    glfwMakeContextCurrent(handle);
    glBindTexture(GL_TEXTURE_2D, s->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (s->width != (int)image->width || s->height != (int)image->height) {
        s->width = (int)image->width;
        s->height = (int)image->height;
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, s->width, s->height, 0, GL_RGB, GL_UNSIGNED_BYTE,
                     image->pixels);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, s->framebuffer);
        glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, s->texture,
                               0);
    } else {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, s->width, s->height, GL_RGB, GL_UNSIGNED_BYTE,
                        image->pixels);
    }
}

static mrw_status present(GLFWwindow *handle, screen *s, mrw_error *error)
{
    mrw_status status = MRW_OK;
    int width, height;
    glfwGetFramebufferSize(handle, &width, &height);
    glfwMakeContextCurrent(handle);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, s->framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glClearColor(0.2f, 0.2f, 0.2f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glBlitFramebuffer(0, 0, s->width, s->height, 0, height, s->width, height - s->height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glfwSwapBuffers(handle);
    const char *reset = gl_context_reset();
    if (reset) {
        status = mrw_fail(error, MRW_ERROR_DISPLAY,
                          "the window's OpenGL device was reset %s; open the window again, or use "
                          "marrow render, which needs no window",
                          reset);
    }
    glfwMakeContextCurrent(NULL);
    s->refresh = false;
    s->shown++;
    return status;
}

/* ---- the window ------------------------------------------------------------------------------ */

static mrw_status begin(mrw_error *error)
{
    glfwSetErrorCallback(hear);
    complaint[0] = '\0';
    if (!glfwInit()) {
        return mrw_fail(error, MRW_ERROR_DISPLAY,
                        "no window can be opened here (%s); use marrow render or marrow view "
                        "--play, which need none",
                        complaint);
    }
    return MRW_OK;
}

mrw_status gl_window_check(mrw_error *error)
{
    return begin(error); /* GLFW ends with the window, or with the process */
}

static GLFWwindow *make_window(const viewer *v, bool es)
{
    uint32_t width, height;
    viewer_size(v, &width, &height);
    glfwWindowHint(GLFW_CLIENT_API, es ? GLFW_OPENGL_ES_API : GLFW_OPENGL_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, es ? 0 : 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, es ? GLFW_OPENGL_ANY_PROFILE : GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    return glfwCreateWindow((int)width, (int)height, viewer_title(v), NULL, NULL);
}

static mrw_status open_window(window *w, mrw_error *error)
{
    w->handle = make_window(w->viewer, false);
    if (!w->handle) {
        w->handle = make_window(w->viewer, true);
    }
    if (!w->handle) {
        return mrw_fail(error, MRW_ERROR_DISPLAY,
                        "no window with OpenGL 3.3 or ES 3.0 can be opened here (%s); use marrow "
                        "render or marrow view --play, which need none",
                        complaint);
    }
    glfwMakeContextCurrent(w->handle);
    glfwSwapInterval(1);
    glGenTextures(1, &w->screen.texture);
    glGenFramebuffers(1, &w->screen.framebuffer);
    glBindTexture(GL_TEXTURE_2D, w->screen.texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glfwMakeContextCurrent(NULL); /* current only while presenting: the backend has its own */
    glfwGetCursorPos(w->handle, &w->x, &w->y);
    glfwSetWindowUserPointer(w->handle, w);
    glfwSetKeyCallback(w->handle, on_key);
    glfwSetCharCallback(w->handle, on_character);
    glfwSetMouseButtonCallback(w->handle, on_button);
    glfwSetCursorPosCallback(w->handle, on_move);
    glfwSetScrollCallback(w->handle, on_scroll);
    glfwSetFramebufferSizeCallback(w->handle, on_size);
    glfwSetDropCallback(w->handle, on_drop);
    glfwSetWindowRefreshCallback(w->handle, on_refresh);
    int inner_width, inner_height;
    glfwGetFramebufferSize(w->handle, &inner_width, &inner_height);
    on_size(w->handle, inner_width, inner_height);
    return w->status;
}

/* Runs one round: events, time, a picture. */
static void go_round(window *w, double *last, double *watched)
{
    const mrw_image *image;
    bool changed = false;
    if (w->changed || w->def->exit_after > 0) {
        glfwPollEvents();
    } else {
        glfwWaitEventsTimeout(viewer_is_moving(w->viewer) ? MOVING_SECONDS : IDLE_SECONDS);
    }
    const double now = glfwGetTime();
    if (now - *watched > WATCH_SECONDS) {
        *watched = now;
        if (viewer_files_changed(w->viewer)) {
            take(w, &(viewer_event){.type = VIEWER_CHANGED});
        }
    }
    const double microseconds = (double)(uint64_t)((now - *last) * 1e6);
    *last += microseconds * 1e-6;
    take(w, &(viewer_event){.type = VIEWER_TICK, .x = microseconds});
    if (w->status) {
        return;
    }
    w->status = viewer_draw(w->viewer, &image, &changed, w->error);
    if (w->status) {
        return;
    }
    if (changed) {
        upload(w->handle, &w->screen, image);
        glfwSetWindowTitle(w->handle, viewer_title(w->viewer));
    }
    if (w->screen.width > 0 && (changed || w->screen.refresh || w->def->exit_after > 0)) {
        w->status = present(w->handle, &w->screen, w->error);
    }
    w->changed = changed;
    if (!w->status && w->def->go_on) {
        w->status = w->def->go_on(NULL, w->error);
    }
}

mrw_status gl_window_run(viewer *v, const gl_window_def *def, mrw_error *error)
{
    window w = {.viewer = v, .def = def, .error = error};
    mrw_status status = begin(error);
    if (status) {
        return status;
    }
    mrw_text_puts(&w.record, "marrow view 1\n");
    status = open_window(&w, error);
    double last = glfwGetTime(), watched = last;
    w.status = status;
    while (!w.status && !viewer_is_done(v) && !glfwWindowShouldClose(w.handle) &&
           (def->exit_after == 0 || w.screen.shown < def->exit_after)) {
        go_round(&w, &last, &watched);
    }
    status = w.status;
    if (def->record && w.handle) {
        mrw_error failed;
        mrw_status written =
            w.record.failed ? mrw_fail(&failed, MRW_ERROR_MEMORY, "--record: out of memory")
                            : mrw_file_write(def->record, w.record.data, w.record.size, &failed);
        if (!status && written) {
            *error = failed;
            status = written;
        }
    }
    mrw_text_free(&w.record);
    glfwTerminate();
    return status;
}
