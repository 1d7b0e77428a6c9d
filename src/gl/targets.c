/* targets.c: makes the framebuffers of a picture's size. */
#include "gl/draw.h"

static GLuint make_texture(GLenum format, GLenum layout, GLenum type, uint32_t width,
                           uint32_t height)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, (GLsizei)width, (GLsizei)height, 0, layout, type,
                 NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

/* Makes a framebuffer of one or two colours and a depth; second and depth may be 0. */
static bool make_frame(GLuint *out, GLuint first, GLuint second, GLuint depth)
{
    static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    glGenFramebuffers(1, out);
    glBindFramebuffer(GL_FRAMEBUFFER, *out);
    glFramebufferTexture2D(GL_FRAMEBUFFER, both[0], GL_TEXTURE_2D, first, 0);
    if (second) {
        glFramebufferTexture2D(GL_FRAMEBUFFER, both[1], GL_TEXTURE_2D, second, 0);
    }
    if (depth) {
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    }
    glDrawBuffers(second ? 2 : 1, both);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

mrw_status gl_targets_fit(gl_targets *t, uint32_t width, uint32_t height, mrw_error *error)
{
    GLint most = 0, viewport[2] = {0, 0};
    if (t->width == width && t->height == height) {
        return MRW_OK;
    }
    gl_targets_free(t);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    most = viewport[0] < most ? viewport[0] : most;
    if (width > (uint32_t)most || height > (uint32_t)most) {
        return mrw_fail(
            error, MRW_ERROR_DISPLAY,
            "%ux%u pixels: this OpenGL driver draws at most %d pixels per side; use --backend soft",
            width, height, most);
    }
    t->color = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, width, height);
    t->ids = make_texture(GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, width, height);
    t->depth = make_texture(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, width, height);
    t->layer_color = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, width, height);
    t->keys[0] = make_texture(GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, width, height);
    t->keys[1] = make_texture(GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, width, height);
    t->layer_depth =
        make_texture(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, width, height);
    t->sum = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, width, height);
    t->encoded8 = make_texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, width, height);
    t->encoded16 = epoxy_is_desktop_gl()
                       ? make_texture(GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, width, height)
                       : make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, width, height);
    glGenTextures(1, &t->seen);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t->seen);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RG32UI, (GLsizei)width, (GLsizei)height, 8, 0,
                 GL_RG_INTEGER, GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    bool fine = make_frame(&t->sample, t->color, t->ids, t->depth);
    fine = make_frame(&t->layer[0], t->layer_color, t->keys[0], t->layer_depth) && fine;
    fine = make_frame(&t->layer[1], t->layer_color, t->keys[1], t->layer_depth) && fine;
    fine = make_frame(&t->sum_frame, t->sum, 0, 0) && fine;
    fine = make_frame(&t->encoded, t->encoded8, 0, 0) && fine;
    fine = make_frame(&t->encoded16_frame, t->encoded16, 0, 0) && fine;
    if (!fine || glGetError() == GL_OUT_OF_MEMORY) {
        gl_targets_free(t);
        return mrw_fail(
            error, MRW_ERROR_DISPLAY,
            "this OpenGL driver cannot draw %ux%u floating-point pixels; use --backend soft", width,
            height);
    }
    t->width = width;
    t->height = height;
    return MRW_OK;
}

void gl_targets_free(gl_targets *t)
{
    const GLuint textures[] = {t->color,     t->ids,         t->depth, t->layer_color,
                               t->keys[0],   t->keys[1],     t->sum,   t->encoded8,
                               t->encoded16, t->layer_depth, t->seen};
    const GLuint frames[] = {t->sample,    t->layer[0], t->layer[1],
                             t->sum_frame, t->encoded,  t->encoded16_frame};
    glDeleteFramebuffers(sizeof frames / sizeof *frames, frames);
    glDeleteTextures(sizeof textures / sizeof *textures, textures);
    *t = (gl_targets){0};
}
