/* window.h: a viewer in a window of GLFW. There with `make GL=1` alone. */
#ifndef MARROW_GL_WINDOW_H
#define MARROW_GL_WINDOW_H

#include "viewer/viewer.h"

typedef struct gl_window_def {
    const char *record;  /* a file for the events, whole when the window is left; NULL: none */
    uint32_t exit_after; /* pictures; 0: until the user leaves */
    mrw_status (*go_on)(void *unused, mrw_error *error); /* asked between pictures */
} gl_window_def;

/* MRW_ERROR_DISPLAY, and a line that says what to do, where there is no display. */
mrw_status gl_window_check(mrw_error *error);

/* Shows the viewer until the user leaves. */
mrw_status gl_window_run(viewer *v, const gl_window_def *def, mrw_error *error);

#endif
