/* window.h: a viewer in a window of GLFW. Only `make GL=1` compiles it. */
#ifndef MARROW_GL_WINDOW_H
#define MARROW_GL_WINDOW_H

#include "viewer/viewer.h"

typedef struct gl_window_def {
    const char *record;  /* file for the events, written when the window closes; NULL: none */
    uint32_t exit_after; /* number of pictures after which it closes; 0: only the user closes it */
    mrw_status (*go_on)(void *unused, mrw_error *error); /* called between pictures; error: end */
} gl_window_def;

/* Returns MRW_ERROR_DISPLAY, and a message that says what to do, if there is no display. */
mrw_status gl_window_check(mrw_error *error);

/* Shows the viewer until the user leaves. */
mrw_status gl_window_run(viewer *v, const gl_window_def *def, mrw_error *error);

#endif
