/* viewer.h: a live viewer that knows no window: events go in, pictures come out.
 *
 *     viewer_create(&def, &viewer, &error);
 *     viewer_take(viewer, &event);                   keys, the mouse, time that passes
 *     viewer_draw(viewer, &picture);                 what the window shows now
 *     viewer_free(viewer);
 *
 * All that a viewer does follows from its events, and time is one of them: the events of a file
 * give the same pictures as a window showed. Pictures of the model equal those of `marrow render`:
 * the state of a viewer is written as a command line, and drawn from the settings of that line.
 *
 * Only one thread may use a viewer at a time. It loads models on a thread of its own, unless def
 * says otherwise.
 */
#ifndef MARROW_VIEWER_H
#define MARROW_VIEWER_H

#include <marrow/report.h>
#include <marrow/session.h>
#include <marrow/suite.h>

typedef struct viewer viewer;

/* ---- events ---------------------------------------------------------------------------------- */

typedef enum viewer_event_type {
    VIEWER_TICK,    /* microseconds have passed */
    VIEWER_KEY,     /* a key was pressed, or repeats */
    VIEWER_UP,      /* a key was released; only keys that viewer_holds matter */
    VIEWER_PRESS,   /* a button of the mouse was pressed, at x and y */
    VIEWER_RELEASE, /* a button was released */
    VIEWER_MOVE,    /* the mouse is at x and y */
    VIEWER_SCROLL,  /* the wheel turned by y notches, away from the user */
    VIEWER_RESIZE,  /* the window has x times y pixels; 0: it is hidden */
    VIEWER_DROP,    /* the file `text` was dropped into the window */
    VIEWER_PASTE,   /* `text` of the clipboard */
    VIEWER_TEXT,    /* `text` was typed while viewer_wants_text; its keys are events, too */
    VIEWER_CHANGED, /* a file of the model was changed or deleted */
    VIEWER_EXPECT,  /* in files of events only: the window must show the picture in file `text` */
    VIEWER_EVENT_COUNT
} viewer_event_type;

/* Keys without a character. Other keys have the code of their character, letters in lower case. */
enum {
    VIEWER_KEY_LEFT = 256,
    VIEWER_KEY_RIGHT,
    VIEWER_KEY_UP,
    VIEWER_KEY_DOWN,
    VIEWER_KEY_HOME,
    VIEWER_KEY_END,
    VIEWER_KEY_PAGE_UP,
    VIEWER_KEY_PAGE_DOWN,
    VIEWER_KEY_ESCAPE,
    VIEWER_KEY_ENTER,
    VIEWER_KEY_TAB,
    VIEWER_KEY_BACKSPACE,
    VIEWER_KEY_END_OF_LIST
};

enum { VIEWER_SHIFT = 1, VIEWER_CTRL = 2 };
enum { VIEWER_BUTTON_LEFT, VIEWER_BUTTON_RIGHT, VIEWER_BUTTON_MIDDLE };

typedef struct viewer_event {
    viewer_event_type type;
    int code;      /* the key, or the button */
    int modifiers; /* VIEWER_SHIFT | VIEWER_CTRL, for keys and buttons */
    double x, y;   /* pixels from the top left; TICK: x is microseconds */
    const char *text;
} viewer_event;

/* Writes an event as a line of a file, without the newline. */
void viewer_event_write(const viewer_event *event, mrw_text *out);

/* Reads a line and changes it; out->text points into it. Returns MRW_ERROR_INPUT if the line is
 * not an event. */
mrw_status viewer_event_read(char *line, viewer_event *out, mrw_error *error);

/* ---- keys ------------------------------------------------------------------------------------ */

/* A row of the table of keys and mouse actions. The viewer, its list of keys and --help all use
 * this table. All text is static. */
typedef struct viewer_key_info {
    const char *keys; /* name for people: "Shift+Left" */
    const char *help;
    const char *group; /* NULL: same group as the row before */
} viewer_key_info;

size_t viewer_key_count(void);
viewer_key_info viewer_key_at(size_t index);

/* Returns true if a key does something, with any modifier. */
bool viewer_has_key(int key);

/* ---- the viewer ------------------------------------------------------------------------------ */

/* A case of a folder of results whose pictures shall become goldens. */
typedef struct viewer_goldens {
    const char *suite_file, *suite, *name, *results;
} viewer_goldens;

typedef struct viewer_def {
    /* A command line of `marrow view`, and the settings that mrw_settings_parse made from it. Its
     * first model may be a folder of results of `marrow test`. Borrowed while the viewer lives. */
    const mrw_settings *settings;
    int argc;
    const char *const *argv;
    /* Receives warnings and progress of loads, possibly on another thread. May be NULL. */
    const mrw_session_host *host;
    /* The first backend: the rasterizer of the library. Borrowed. */
    const mrw_backend *backend;
    /* Returns the second backend, the one of --backend gl, when it is first needed. May be NULL. */
    mrw_status (*second)(void *user, const mrw_backend **out, mrw_error *error);
    /* Makes the results of a case goldens, like `marrow accept`; *written counts them. May be NULL.
     */
    mrw_status (*accept)(void *user, const viewer_goldens *goldens, uint32_t *written,
                         mrw_error *error);
    /* Prints a line for the user. answer: the line is the result of a key such as `c`, and not a
     * message. May be NULL. */
    void (*say)(void *user, const char *line, bool answer);
    void *user;
    bool load_at_once; /* loads on the calling thread, so that no event comes before the model */
} viewer_def;

/* Creates a viewer and waits for its first model; if that fails there is no viewer. The caller
 * frees *out with viewer_free. */
mrw_status viewer_create(const viewer_def *def, viewer **out, mrw_error *error);
void viewer_free(viewer *v);

/* Handles one event; EXPECT is ignored. Errors are shown in the window. Only MRW_ERROR_MEMORY is
 * returned: it ends the viewer. */
mrw_status viewer_take(viewer *v, const viewer_event *event, mrw_error *error);

/* Draws the window's content: *out points to it until the next call. It has 3 channels and the size
 * of the window. Sets *changed if it differs from the last one. A window of no pixels keeps its
 * last picture. */
mrw_status viewer_draw(viewer *v, const mrw_image **out, bool *changed, mrw_error *error);

/* Returns true if a key acts for as long as it is held: then VIEWER_UP must follow, and repeats are
 * not needed. */
bool viewer_holds(const viewer *v, int key);

/* Returns true while the viewer reads typed text: send VIEWER_TEXT. */
bool viewer_wants_text(const viewer *v);

bool viewer_is_done(const viewer *v);   /* true when the user wants to leave */
bool viewer_is_moving(const viewer *v); /* true while ticks alone change the picture */
/* Returns the size that the window should have, in pixels. */
void viewer_size(const viewer *v, uint32_t *width, uint32_t *height);
const char *viewer_title(const viewer *v);

/* Returns the text that the last event put on the clipboard, or NULL. Valid until the next event.
 */
const char *viewer_copied(const viewer *v);

/* Returns true, once, after a file of the model was changed or deleted: then send VIEWER_CHANGED.
 * Makes system calls, so do not call it for each picture. */
bool viewer_files_changed(viewer *v);

/* Writes the line of `marrow render` that draws the picture, without the command's name. The caller
 * frees the text. */
mrw_status viewer_line(const viewer *v, mrw_text *out, mrw_error *error);

/* Plays a file of events without a window. At each EXPECT it writes the picture into the folder, or
 * without a folder (NULL) compares it with the file beside the file of events. *failed counts the
 * pictures that differ. */
mrw_status viewer_play(viewer *v, const char *path, const char *folder, uint32_t *failed,
                       mrw_error *error);

#endif
