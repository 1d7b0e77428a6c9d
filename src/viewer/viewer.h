/* viewer.h: a live viewer that knows no window: events go in, pictures come out.
 *
 *     viewer_create(&def, &viewer, &error);
 *     viewer_take(viewer, &event);                   keys, the mouse, time that passes
 *     viewer_draw(viewer, &picture);                 what the window shows now
 *     viewer_free(viewer);
 *
 * All that a viewer does follows from its events, time among them: who gives it the events of a
 * file sees the pictures that a window showed. Pictures of the model are those of `marrow render`:
 * the state of a viewer is written as a command line, and drawn from the settings of that line.
 *
 * One thread at a time. Models are loaded on a thread of the viewer's own, unless def says
 * otherwise.
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
    VIEWER_UP,      /* a key was let go: those that viewer_holds alone count */
    VIEWER_PRESS,   /* a button of the mouse, at x and y */
    VIEWER_RELEASE, /* the same let go */
    VIEWER_MOVE,    /* the mouse is at x and y */
    VIEWER_SCROLL,  /* y notches of the wheel, away from the user */
    VIEWER_RESIZE,  /* the window has x times y pixels; 0: it is not to be seen */
    VIEWER_DROP,    /* the file `text` was dropped into the window */
    VIEWER_PASTE,   /* `text` of the clipboard */
    VIEWER_TEXT,    /* `text` was typed while viewer_wants_text; its keys are events, too */
    VIEWER_CHANGED, /* a file of the model was changed, or has gone */
    VIEWER_EXPECT,  /* of files of events: what is shown is the picture in the file `text` */
    VIEWER_EVENT_COUNT
} viewer_event_type;

/* Keys without a character; the others are their character, letters the small ones. */
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
    int modifiers; /* VIEWER_SHIFT, VIEWER_CTRL, or-ed; of keys and buttons */
    double x, y;   /* pixels from the top left; TICK: x microseconds */
    const char *text;
} viewer_event;

/* An event as a line of a file, without a newline at its end. */
void viewer_event_write(const viewer_event *event, mrw_text *out);

/* Reads a line; text lies in it. MRW_ERROR_INPUT says what is wrong with it. */
mrw_status viewer_event_read(char *line, viewer_event *out, mrw_error *error);

/* ---- keys ------------------------------------------------------------------------------------ */

/* What a key, or the mouse, does: the one table that the viewer goes by, its list of keys and
 * --help. All text is static. */
typedef struct viewer_key_info {
    const char *keys; /* as people read it: "Shift+Left" */
    const char *help;
    const char *group; /* NULL: that of the row before */
} viewer_key_info;

size_t viewer_key_count(void);
viewer_key_info viewer_key_at(size_t index);

/* True when a key does something, with any modifier. */
bool viewer_has_key(int key);

/* ---- the viewer ------------------------------------------------------------------------------ */

/* A case of a folder of results: what of it is to become goldens. */
typedef struct viewer_goldens {
    const char *suite_file, *suite, *name, *results;
} viewer_goldens;

typedef struct viewer_def {
    /* A command line of `marrow view`, and what mrw_settings_parse made of it; its first model may
     * be a folder of results of `marrow test`. Borrowed, for as long as the viewer lives. */
    const mrw_settings *settings;
    int argc;
    const char *const *argv;
    /* Hears what there is to say about models; may be called on another thread. Or NULL. */
    const mrw_session_host *host;
    /* What draws: the rasterizer of the library. Borrowed. */
    const mrw_backend *backend;
    /* Another one that --backend gl names, asked for when it is first wanted. Or NULL. */
    mrw_status (*second)(void *user, const mrw_backend **out, mrw_error *error);
    /* Makes the results of a case goldens, as `marrow accept` does; *written counts them. Or NULL.
     */
    mrw_status (*accept)(void *user, const viewer_goldens *goldens, uint32_t *written,
                         mrw_error *error);
    /* Gets lines for the user: what `c` prints, where pictures went. Or NULL. */
    void (*say)(void *user, const char *line, bool answer);
    void *user;
    bool load_at_once; /* on the calling thread, so that no event comes before the model */
} viewer_def;

/* Begins, and loads the first model, which is waited for: when that fails there is no viewer. The
 * caller frees *out with viewer_free. */
mrw_status viewer_create(const viewer_def *def, viewer **out, mrw_error *error);
void viewer_free(viewer *v);

/* Takes an event in. What goes wrong is said in the window; MRW_ERROR_MEMORY is one that ends it.
 * EXPECT is not for it. */
mrw_status viewer_take(viewer *v, const viewer_event *event, mrw_error *error);

/* *out points to what the window shows now, of 3 channels and the size of the window, until the
 * next call; *changed, to whether it is another one than before. A window of no pixels keeps the
 * picture it had. */
mrw_status viewer_draw(viewer *v, const mrw_image **out, bool *changed, mrw_error *error);

/* True while a key does something for as long as it is held: then its UP is waited for, and it
 * needs not repeat. */
bool viewer_holds(const viewer *v, int key);

/* True while typed text is wanted: VIEWER_TEXT. */
bool viewer_wants_text(const viewer *v);

bool viewer_is_done(const viewer *v);   /* the user wants to leave */
bool viewer_is_moving(const viewer *v); /* something changes without events but of time */
void viewer_size(const viewer *v, uint32_t *width, uint32_t *height); /* it wants to have */
const char *viewer_title(const viewer *v);

/* What the event before has put on the clipboard; NULL: nothing. Valid until the next one. */
const char *viewer_copied(const viewer *v);

/* True, once, when a file of the model was changed or has gone since it was loaded: then a CHANGED
 * is due. Asks the system, so not for each picture. */
bool viewer_files_changed(viewer *v);

/* The line of `marrow render` that draws the picture, without the command's name. The caller frees
 * the text. */
mrw_status viewer_line(const viewer *v, mrw_text *out, mrw_error *error);

/* Plays a file of events without a window, and compares or writes what is to be EXPECTed: into the
 * folder -o where there is one, else with the pictures beside the file. *failed counts those that
 * differ. */
mrw_status viewer_play(viewer *v, const char *path, const char *folder, uint32_t *failed,
                       mrw_error *error);

#endif
