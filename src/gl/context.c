/* context.c: makes OpenGL contexts without a window, by EGL: on a platform without surfaces if
 * there is one (Mesa), or else on a device (EGL_EXT_platform_device, which NVIDIA's driver also
 * has). */
#include "gl/gl.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gl_context {
    EGLDisplay display;
    EGLContext context;
    char driver[200];
    gl_said complaints, remarks;
};

/* ---- displays -------------------------------------------------------------------------------- */

static bool has_client_extension(const char *name)
{
    return epoxy_has_egl_extension(EGL_NO_DISPLAY, name);
}

static int query_devices(EGLDeviceEXT out[GL_MOST_DEVICES])
{
    EGLint count = 0;
    if (!has_client_extension("EGL_EXT_device_enumeration") &&
        !has_client_extension("EGL_EXT_device_base")) {
        return 0;
    }
    return eglQueryDevicesEXT(GL_MOST_DEVICES, out, &count) ? (int)count : 0;
}

static EGLDisplay device_display(EGLDeviceEXT device)
{
    return has_client_extension("EGL_EXT_platform_device")
               ? eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, NULL)
               : EGL_NO_DISPLAY;
}

/* Returns the display of a device, or EGL_NO_DISPLAY; *count is the number of devices. */
static EGLDisplay find_display(int device, int *count)
{
    EGLDeviceEXT devices[GL_MOST_DEVICES];
    *count = query_devices(devices);
    if (device >= 0) {
        return device < *count ? device_display(devices[device]) : EGL_NO_DISPLAY;
    }
    if (has_client_extension("EGL_MESA_platform_surfaceless")) {
        return eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    }
    return *count > 0 ? device_display(devices[0]) : EGL_NO_DISPLAY;
}

/* ---- contexts -------------------------------------------------------------------------------- */

static void APIENTRY hear(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                          const GLchar *text, const void *user)
{
    gl_context *context = (gl_context *)user;
    gl_said *said = NULL;
    (void)source, (void)id, (void)severity, (void)length;
    if (type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR) {
        said = &context->complaints;
    } else if (type == GL_DEBUG_TYPE_DEPRECATED_BEHAVIOR || type == GL_DEBUG_TYPE_PORTABILITY) {
        said = &context->remarks;
    }
    if (said && said->count++ == 0) {
        mrw_escape_text(text, said->first, sizeof said->first);
    }
}

/* Asks the driver for all messages that `hear` takes, even if it rates them as unimportant. */
static void listen(gl_context *c)
{
    static const GLenum types[] = {GL_DEBUG_TYPE_ERROR, GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR,
                                   GL_DEBUG_TYPE_DEPRECATED_BEHAVIOR, GL_DEBUG_TYPE_PORTABILITY};
    if (!epoxy_has_gl_extension("GL_KHR_debug")) {
        return;
    }
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        glDebugMessageControl(GL_DONT_CARE, types[i], GL_DONT_CARE, 0, NULL, GL_TRUE);
    }
    glDebugMessageCallback(hear, c);
}

/* Makes a context that reports resets, or one that does not if the driver refuses that. */
static EGLContext try_context(EGLDisplay display, bool es)
{
    const EGLint wanted[] = {EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                             EGL_LOSE_CONTEXT_ON_RESET,
                             EGL_CONTEXT_MAJOR_VERSION,
                             3,
                             EGL_CONTEXT_MINOR_VERSION,
                             es ? 0 : 3,
                             EGL_CONTEXT_OPENGL_DEBUG,
                             EGL_TRUE,
                             es ? EGL_NONE : EGL_CONTEXT_OPENGL_PROFILE_MASK,
                             EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                             EGL_NONE};
    if (!eglBindAPI(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API)) {
        return EGL_NO_CONTEXT;
    }
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
    return context != EGL_NO_CONTEXT
               ? context
               : eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted + 2);
}

static mrw_status make_context(gl_context *c, mrw_error *error)
{
    EGLint major = 0, minor = 0;
    if (!eglInitialize(c->display, &major, &minor)) {
        c->display = EGL_NO_DISPLAY;
        return mrw_fail(error, MRW_ERROR_DISPLAY,
                        "EGL does not start on this device; use --backend soft");
    }
    if (major < 1 || (major == 1 && minor < 5) ||
        !epoxy_has_egl_extension(c->display, "EGL_KHR_surfaceless_context") ||
        !epoxy_has_egl_extension(c->display, "EGL_KHR_no_config_context")) {
        return mrw_fail(error, MRW_ERROR_DISPLAY,
                        "EGL %d.%d of this device has no windowless OpenGL; use --backend soft",
                        major, minor);
    }
    c->context = try_context(c->display, false);
    if (c->context == EGL_NO_CONTEXT) {
        c->context = try_context(c->display, true);
    }
    if (c->context == EGL_NO_CONTEXT) {
        return mrw_fail(error, MRW_ERROR_DISPLAY,
                        "this device's OpenGL is older than 3.3, and its OpenGL ES older than 3.0; "
                        "use --backend soft");
    }
    return MRW_OK;
}

/* Writes the driver's name, with the part of its version string that follows the number: "4.5 (Core
 * Profile) Mesa 22.3.6" and "OpenGL ES 3.2 Mesa 22.3.6" give "Mesa 22.3.6". Control characters are
 * escaped, because the name goes to terminals and reports. */
static void name_driver(gl_context *c)
{
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    const char *version = (const char *)glGetString(GL_VERSION), *of = version ? version : "";
    const bool desktop = epoxy_is_desktop_gl();
    char text[sizeof c->driver];
    const int number = epoxy_gl_version();
    if (desktop) {
        of = strchr(of, ')');
        of = of ? of + 1 : "";
    } else {
        of += strncmp(of, "OpenGL ES ", 10) == 0 ? 10 : 0;
        of += strspn(of, "0123456789.");
    }
    snprintf(text, sizeof text, "%s, OpenGL%s %d.%d%s%s", renderer ? renderer : "unknown",
             desktop ? "" : " ES", number / 10, number % 10, of[0] ? "," : "", of);
    mrw_escape_text(text, c->driver, sizeof c->driver);
}

/* Checks the version, and with OpenGL ES 3.0 the extensions that draw into floats: samples and
 * their sums are floats. */
static mrw_status check_version(mrw_error *error)
{
    static const char *const needed[] = {"GL_EXT_color_buffer_float", "GL_EXT_float_blend"};
    if (epoxy_is_desktop_gl() && epoxy_gl_version() < 33) {
        return mrw_fail(error, MRW_ERROR_DISPLAY,
                        "OpenGL %d.%d of this device is older than 3.3; use --backend soft",
                        epoxy_gl_version() / 10, epoxy_gl_version() % 10);
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !epoxy_is_desktop_gl(); i++) {
        if (!epoxy_has_gl_extension(needed[i])) {
            return mrw_fail(error, MRW_ERROR_DISPLAY,
                            "OpenGL ES of this device has no %s; use --backend soft", needed[i]);
        }
    }
    return MRW_OK;
}

mrw_status gl_context_create(int device, gl_context **out, mrw_error *error)
{
    int count = 0;
    gl_context *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c) {
        return mrw_fail_memory(error, 0);
    }
    c->display = find_display(device, &count);
    c->context = EGL_NO_CONTEXT;
    mrw_status status = MRW_OK;
    if (c->display == EGL_NO_DISPLAY && device >= 0) {
        status = mrw_fail(error, MRW_ERROR_DISPLAY,
                          "--gl-device %d: there %s %d; marrow doctor lists them", device,
                          count == 1 ? "is only" : "are", count);
        goto out;
    }
    if (c->display == EGL_NO_DISPLAY) {
        status = mrw_fail(error, MRW_ERROR_DISPLAY,
                          "no EGL device here can draw without a window; install libgl1-mesa-dri, "
                          "or use --backend soft");
        goto out;
    }
    status = make_context(c, error);
    if (status) {
        goto out;
    }
    status = gl_context_enter(c, error);
    if (status) {
        goto out;
    }
    status = check_version(error);
    if (!status) {
        name_driver(c);
        listen(c);
    }
    gl_context_leave(c);
    if (status) {
        goto out;
    }
    *out = c;
    c = NULL;
out:
    gl_context_free(c);
    return status;
}

void gl_context_free(gl_context *context)
{
    if (!context) {
        return;
    }
    if (context->context != EGL_NO_CONTEXT) {
        eglDestroyContext(context->display, context->context);
    }
    /* The display belongs to the process, and other contexts may use it. */
    free(context);
}

mrw_status gl_context_enter(gl_context *context, mrw_error *error)
{
    if (!eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context)) {
        return mrw_fail(error, MRW_ERROR_DISPLAY, "the OpenGL context cannot be used: EGL error %x",
                        (unsigned)eglGetError());
    }
    return MRW_OK;
}

void gl_context_leave(gl_context *context)
{
    eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

const char *gl_context_driver(const gl_context *context)
{
    return context->driver;
}

const gl_said *gl_context_complaints(const gl_context *context)
{
    return &context->complaints;
}

const gl_said *gl_context_remarks(const gl_context *context)
{
    return &context->remarks;
}

const char *gl_context_reset(void)
{
    GLenum status = GL_NO_ERROR;
    if (epoxy_gl_version() >= 45 || epoxy_has_gl_extension("GL_KHR_robustness")) {
        status = glGetGraphicsResetStatus();
    } else if (epoxy_has_gl_extension("GL_ARB_robustness")) {
        status = glGetGraphicsResetStatusARB();
    }
    switch (status) {
    case GL_NO_ERROR:
        return NULL;
    case GL_GUILTY_CONTEXT_RESET:
        return "by what this program drew";
    case GL_INNOCENT_CONTEXT_RESET:
        return "by another program";
    default:
        return "for an unknown reason";
    }
}

int gl_devices(gl_device out[GL_MOST_DEVICES])
{
    EGLDeviceEXT devices[GL_MOST_DEVICES];
    const int count = query_devices(devices);
    for (int i = 0; i < count; i++) {
        gl_context *context;
        mrw_error error;
        out[i].usable = !gl_context_create(i, &context, &error);
        snprintf(out[i].name, sizeof out[i].name, "%.199s",
                 out[i].usable ? gl_context_driver(context) : error.text);
        gl_context_free(context);
    }
    return count;
}
