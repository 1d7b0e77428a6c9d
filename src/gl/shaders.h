/* shaders.h: the sources of shaders, which are files of src/gl/shaders/. */
#ifndef GL_SHADERS_H
#define GL_SHADERS_H

/* Returns the text of a file by its name, "surface.frag", or of a header of numbers that the
 * rasterizer shares, "mode_values.h". NULL: there is none. */
const char *gl_shader_text(const char *name);

#endif
