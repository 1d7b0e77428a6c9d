/* backend.c: implements the backend of crews with OpenGL. */
#include "gl/draw.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct drawer {
    gl_renderer *gl;
    mrw_renderer *poser;
    gl_backend *backend;
} drawer;

static mrw_status create(void *user, mrw_renderer *renderer, void **out, mrw_error *error)
{
    gl_backend *backend = user;
    drawer *d = calloc(1, sizeof *d);
    if (!d) {
        return mrw_fail_memory(error, 0);
    }
    d->poser = renderer;
    d->backend = backend;
    const mrw_status status = gl_renderer_create(backend->device, &d->gl, error);
    if (status) {
        free(d);
        return status;
    }
    *out = d;
    return MRW_OK;
}

/* Makes the context current. After a reset of the device it makes a new one, which may draw again.
 */
static mrw_status begin(drawer *d, mrw_error *error)
{
    if (d->gl->lost) {
        gl_renderer *again;
        const mrw_status status = gl_renderer_create(d->backend->device, &again, error);
        if (status) {
            return status;
        }
        gl_renderer_free(d->gl);
        d->gl = again;
    }
    return gl_context_enter(d->gl->context, error);
}

/* Notes the driver's remarks and the number of calls, for reports. */
static void note(const gl_renderer *gl, gl_backend *backend)
{
    const gl_said *remarks = gl_context_remarks(gl->context);
    const uint32_t calls = gl->draw_calls, least = backend->least_calls;
    if (remarks->count > 0) {
        backend->remarks = *remarks;
    }
    backend->least_calls = least == 0 || calls < least ? calls : least;
    backend->most_calls = calls > backend->most_calls ? calls : backend->most_calls;
}

static mrw_status draw(void *user, const mrw_frame_def *def, const mrw_instance *instances,
                       uint32_t instance_count, int threads, mrw_image *out, mrw_error *error)
{
    drawer *d = user;
    gl_backend *backend = d->backend;
    mrw_frame_description description;
    backend->lacks = false;
    mrw_status status = mrw_frame_describe(d->poser, def, instances, instance_count, threads, out,
                                           &description, error);
    if (status) {
        return status;
    }
    status = begin(d, error);
    if (status) {
        return status;
    }
    status = gl_draw(d->gl, &description, error);
    gl_context_leave(d->gl->context);
    backend->lacks =
        status == MRW_ERROR_DISPLAY && !d->gl->lost && !gl_programs_broken(d->gl->programs);
    note(d->gl, backend);
    return status;
}

static void leave(void *user)
{
    drawer *d = user;
    gl_renderer_free(d->gl);
    free(d);
}

mrw_status gl_backend_init(gl_backend *out, int device, mrw_error *error)
{
    gl_context *context;
    const mrw_status status = gl_context_create(device, &context, error);
    if (status) {
        return status;
    }
    *out = (gl_backend){.device = device,
                        .backend = {.name = "gl", .create = create, .draw = draw, .free = leave}};
    snprintf(out->driver, sizeof out->driver, "%s", gl_context_driver(context));
    out->backend.user = out;
    gl_context_free(context);
    return MRW_OK;
}
