/* test_gl.c: drawing with OpenGL; made with GL=1 alone. Where a machine has no EGL or no OpenGL 3.3
 * its tests are skipped. */
#include "test.h"

#include "gl/gl.h"

#include <epoxy/gl.h>

/* A context, or NULL, and the test says that it is skipped. */
static gl_context *begin(void)
{
    gl_context *context;
    mrw_error error;
    if (gl_context_create(GL_DEVICE_ANY, &context, &error) != MRW_OK) {
        ck_assert_int_eq(error.status, MRW_ERROR_UNSUPPORTED);
        ck_assert(!strchr(error.text, '\n'));
        SKIP("gl: %s", error.text);
        return NULL;
    }
    ck_assert_int_eq(gl_context_enter(context, &error), MRW_OK);
    return context;
}

static void end(gl_context *context)
{
    const char *first;
    ck_assert_msg(gl_context_complaints(context, &first) == 0, "the driver complains: %s", first);
    ck_assert_int_eq((int)glGetError(), GL_NO_ERROR);
    gl_context_leave(context);
    gl_context_free(context);
}

START_TEST(a_picture_is_cleared)
{
    gl_context *context = begin();
    GLuint frame, color;
    uint8_t pixels[2 * 3 * 4];
    if (!context) {
        return;
    }
    ck_assert(strstr(gl_context_driver(context), "OpenGL"));
    glGenFramebuffers(1, &frame);
    glGenRenderbuffers(1, &color);
    glBindRenderbuffer(GL_RENDERBUFFER, color);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 2, 3);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    ck_assert_int_eq((int)glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glClearColor(1.0f, 0.0f, 51.0f / 255.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(0, 0, 2, 3, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int i = 0; i < 6; i++) {
        const uint8_t expected[4] = {255, 0, 51, 255};
        ck_assert_mem_eq(pixels + 4 * i, expected, 4);
    }
    glDeleteFramebuffers(1, &frame);
    glDeleteRenderbuffers(1, &color);
    end(context);
}
END_TEST

START_TEST(what_a_driver_says_is_heard)
{
    gl_context *context = begin();
    const char *first;
    if (!context) {
        return;
    }
    if (!epoxy_has_gl_extension("GL_KHR_debug")) {
        SKIP("gl: no GL_KHR_debug");
    } else {
        glEnable(0x1234); /* no capability of this number */
        ck_assert_uint_eq(gl_context_complaints(context, &first), 1);
        ck_assert(first[0]);
    }
    gl_context_leave(context);
    gl_context_free(context);
}
END_TEST

START_TEST(devices_that_are_not_there)
{
    gl_device devices[GL_MOST_DEVICES];
    const int count = gl_devices(devices);
    gl_context *context;
    mrw_error error;
    ck_assert(count >= 0 && count <= GL_MOST_DEVICES);
    for (int i = 0; i < count; i++) {
        ck_assert(devices[i].name[0] && !strchr(devices[i].name, '\n'));
    }
    ck_assert_int_eq(gl_context_create(GL_MOST_DEVICES, &context, &error), MRW_ERROR_UNSUPPORTED);
    ck_assert(!context && strstr(error.text, "--gl-device 16"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("gl");
    TCase *tc = tcase_create("gl");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_picture_is_cleared);
    tcase_add_test(tc, what_a_driver_says_is_heard);
    tcase_add_test(tc, devices_that_are_not_there);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
