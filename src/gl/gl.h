/* gl.h: drawing with OpenGL, as the command sees it. There with `make GL=1` alone (CLI_GL), but
 * for the table of left_out.c.
 *
 * Contexts have no window: EGL_MESA_platform_surfaceless, or a device of EGL_EXT_platform_device.
 * What is missing on a machine (EGL, OpenGL 3.3 or ES 3.0, a device) is MRW_ERROR_DISPLAY and
 * one line.
 */
#ifndef MARROW_GL_H
#define MARROW_GL_H

#include <marrow/frame.h>
#include <marrow/text.h>

/* ---- context.c ------------------------------------------------------------------------------- */

/* A context without a window. Used by one thread at a time, which makes it current. */
typedef struct gl_context gl_context;

/* The usual device: what EGL takes by itself. */
#define GL_DEVICE_ANY (-1)

/* Makes a context of OpenGL 3.3 core, or later, or where that is not there of OpenGL ES 3.0, or
 * later, of a device: GL_DEVICE_ANY, or a number of gl_devices. It is not current. The caller frees
 * *out with gl_context_free. */
mrw_status gl_context_create(int device, gl_context **out, mrw_error *error);
/* NULL is allowed. Nothing that was made in the context is left. */
void gl_context_free(gl_context *context);

/* Makes it current in the calling thread, until gl_context_leave. */
mrw_status gl_context_enter(gl_context *context, mrw_error *error);
void gl_context_leave(gl_context *context);

/* "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5, Mesa 22.3.6"; as long as the context. */
const char *gl_context_driver(const gl_context *context);

/* What a driver said (KHR_debug) since the context was made: how often, and the first of it,
 * without control characters. */
typedef struct gl_said {
    uint32_t count;
    char first[300];
} gl_said;

/* Of errors and undefined behaviour; and of what is deprecated or not portable. */
const gl_said *gl_context_complaints(const gl_context *context);
const gl_said *gl_context_remarks(const gl_context *context);

/* NULL, or that the current context is lost since its device was reset: "by another program". */
const char *gl_context_reset(void);

#define GL_MOST_DEVICES 16

/* A device that contexts can be made of. */
typedef struct gl_device {
    char name[200]; /* the driver, as of a context; else why there is none */
    bool usable;
} gl_device;

/* Tries all devices; returns how many there are. */
int gl_devices(gl_device out[GL_MOST_DEVICES]);

/* ---- backend.c ------------------------------------------------------------------------------- */

/* OpenGL as a crew's backend. One worker draws with it: a device has one queue. */
typedef struct gl_backend {
    mrw_backend backend;
    int device;
    char driver[200]; /* as of gl_context_driver */
    /* Whether the last picture failed since the driver does not take what others do: a size. */
    bool lacks;
    uint32_t least_calls, most_calls; /* draw calls of a picture, of all so far; 0: none drawn */
    gl_said remarks;                  /* as of gl_context_remarks, of all pictures so far */
} gl_backend;

/* Finds out whether a device (as of gl_context_create) can be drawn with. *out must stay where it
 * is as long as crews use out->backend. */
mrw_status gl_backend_init(gl_backend *out, int device, mrw_error *error);

/* ---- left_out.c ------------------------------------------------------------------------------ */

/* What drawing with OpenGL leaves out or does in another way, and why; the last has no `what`. In
 * every command: it tells what GL=1 would give. */
typedef struct gl_left_out_row {
    const char *what;
    const char *why;
} gl_left_out_row;
extern const gl_left_out_row gl_left_out[];

/* ---- error.c --------------------------------------------------------------------------------- */

/* Fills *error, which may be NULL, and returns status. */
mrw_status gl_fail(mrw_error *error, mrw_status status, const char *format, ...) MRW_PRINTF(3, 4);

#endif
