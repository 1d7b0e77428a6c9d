/* gl.h: drawing with OpenGL, for the command. Only `make GL=1` (MARROW_GL) compiles it, except for
 * the table of left_out.c.
 *
 * Contexts have no window: EGL_MESA_platform_surfaceless, or a device of EGL_EXT_platform_device.
 * If something is missing on a machine (EGL, OpenGL 3.3 or ES 3.0, a device), functions return
 * MRW_ERROR_DISPLAY and a message of one line.
 */
#ifndef MARROW_GL_H
#define MARROW_GL_H

#include <marrow/frame.h>
#include <marrow/text.h>

/* ---- context.c ------------------------------------------------------------------------------- */

/* A context without a window. One thread at a time may use it, and makes it current. */
typedef struct gl_context gl_context;

/* The default device of EGL. */
#define GL_DEVICE_ANY (-1)

/* Makes a context of OpenGL 3.3 core or later, or else of OpenGL ES 3.0 or later, on a device:
 * GL_DEVICE_ANY, or a number of gl_devices. The context is not current. The caller frees *out with
 * gl_context_free. */
mrw_status gl_context_create(int device, gl_context **out, mrw_error *error);
/* Frees a context, which may be NULL, and all objects that were made in it. */
void gl_context_free(gl_context *context);

/* Makes the context current in the calling thread, until gl_context_leave. */
mrw_status gl_context_enter(gl_context *context, mrw_error *error);
void gl_context_leave(gl_context *context);

/* Returns the driver's name: "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5, Mesa 22.3.6". It lives
 * as long as the context. */
const char *gl_context_driver(const gl_context *context);

/* Messages of a driver (KHR_debug) since the context was made. */
typedef struct gl_said {
    uint32_t count;  /* number of messages */
    char first[300]; /* the first message, with control characters escaped */
} gl_said;

/* Returns messages about errors and undefined behaviour. */
const gl_said *gl_context_complaints(const gl_context *context);
/* Returns messages about deprecated and unportable calls. */
const gl_said *gl_context_remarks(const gl_context *context);

/* Returns NULL, or if a reset of the device has ended the current context how it was reset: "by
 * another program". */
const char *gl_context_reset(void);

#define GL_MOST_DEVICES 16

/* A device for contexts. */
typedef struct gl_device {
    char name[200]; /* name of the driver; not usable: the reason */
    bool usable;    /* a context can be made on it */
} gl_device;

/* Tries all devices and returns their number. */
int gl_devices(gl_device out[GL_MOST_DEVICES]);

/* ---- backend.c ------------------------------------------------------------------------------- */

/* A crew's backend that draws with OpenGL. One worker draws with it, because a device has one
 * queue. */
typedef struct gl_backend {
    mrw_backend backend;
    int device;
    char driver[200]; /* result of gl_context_driver */
    /* True if the last picture failed at a limit of the driver that others do not have: a size. */
    bool lacks;
    uint32_t least_calls, most_calls; /* draw calls per picture, over all so far; 0: none drawn */
    gl_said remarks;                  /* result of gl_context_remarks after the last remark */
} gl_backend;

/* Checks that a device (see gl_context_create) can draw. *out must not move while crews use
 * out->backend. */
mrw_status gl_backend_init(gl_backend *out, int device, mrw_error *error);

/* ---- left_out.c ------------------------------------------------------------------------------ */

/* A feature that drawing with OpenGL leaves out or does in another way, and the reason. The last
 * row has no `what`. Every build has the table, so that it can tell what GL=1 would give. */
typedef struct gl_left_out_row {
    const char *what;
    const char *why;
} gl_left_out_row;
extern const gl_left_out_row gl_left_out[];

#endif
