/* program.h: programs, compiled from the shaders' files and definitions when first needed. */
#ifndef GL_PROGRAM_H
#define GL_PROGRAM_H

#include "gl/gl.h"

#include <epoxy/gl.h>

/* The sources of a program: names of files, each list ended by NULL. */
typedef struct gl_sources {
    const char *vertex[4];
    const char *fragment[12];
    const char *const *captured; /* outputs of a vertex that go to a buffer, in order; or NULL */
    int captured_count;
} gl_sources;

/* Width of a table in a picture, as a power of two, for OpenGL ES 3.0. */
#define GL_TABLE_BITS 11

typedef struct gl_programs gl_programs;

/* The context must be current in all of these. */
mrw_status gl_programs_create(gl_programs **out, mrw_error *error);
void gl_programs_free(gl_programs *programs);

/* Returns true if the last gl_program_find failed because a shader did not compile or a program did
 * not link. */
bool gl_programs_broken(const gl_programs *programs);

/* Finds or makes the program of some sources with lines of #define in front. The cache owns it. A
 * shader that does not compile gives MRW_ERROR_DISPLAY with the first line of the driver's message.
 */
mrw_status gl_program_find(gl_programs *programs, const gl_sources *sources, const char *defines,
                           GLuint *out, mrw_error *error);

#endif
