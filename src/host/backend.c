/* backend.c: the backend that draws pictures: the library's rasterizer, or OpenGL in a command that
 * was built with GL=1. */
#include "host.h"

#include <marrow/frame.h>

#ifdef MARROW_GL
#include "gl/gl.h"

static gl_backend opengl;

const char *host_backend_driver(void)
{
    return opengl.driver[0] ? opengl.driver : NULL;
}

bool host_backend_lacks(void)
{
    return opengl.lacks;
}

void host_backend_tell(void)
{
    const uint32_t least = opengl.least_calls, most = opengl.most_calls;
    if (most > least) {
        host_detail("%u to %u draw calls per picture", least, most);
    } else if (most > 0) {
        host_detail("%u draw call%s per picture", most, most == 1 ? "" : "s");
    }
    if (opengl.remarks.count > 0) {
        host_detail("the OpenGL driver reports: %s", opengl.remarks.first);
    }
}

static mrw_status find_opengl(const mrw_settings *settings, const mrw_backend **out,
                              mrw_error *error)
{
    const int device =
        mrw_settings_given(settings, "gl-device") ? (int)settings->run.gl_device : GL_DEVICE_ANY;
    if (!host_backend_driver()) {
        const mrw_status status = gl_backend_init(&opengl, device, error);
        if (status) {
            return status;
        }
    }
    *out = &opengl.backend;
    return MRW_OK;
}
#else
const char *host_backend_driver(void)
{
    return NULL;
}

bool host_backend_lacks(void)
{
    return false;
}

void host_backend_tell(void) {}

static mrw_status find_opengl(const mrw_settings *settings, const mrw_backend **out,
                              mrw_error *error)
{
    (void)settings, (void)out;
    return mrw_fail(error, MRW_ERROR_DISPLAY,
                    "--backend gl: this marrow was built without OpenGL; build one with make GL=1");
}
#endif

mrw_status host_backend(const mrw_settings *settings, const mrw_backend **out, mrw_error *error)
{
    *out = mrw_backend_software();
    return settings->run.backend == 1 ? find_opengl(settings, out, error) : MRW_OK;
}
