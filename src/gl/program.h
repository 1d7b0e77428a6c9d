/* program.h: programs, made when they are first wanted of the shaders' files and what is chosen. */
#ifndef GL_PROGRAM_H
#define GL_PROGRAM_H

#include "gl/gl.h"

#include <epoxy/gl.h>

/* What a program is made of: names of files, each list ended by NULL. */
typedef struct gl_sources {
    const char *vertex[4];
    const char *fragment[12];
    const char *const
        *captured; /* NULL, or what of each vertex goes to a buffer, one after another */
    int captured_count;
} gl_sources;

/* OpenGL ES 3.0: a row of a table in a picture has two to the power of this texels. */
#define GL_TABLE_BITS 11

typedef struct gl_programs gl_programs;

/* The context must be current in all of these. */
mrw_status gl_programs_create(gl_programs **out, mrw_error *error);
void gl_programs_free(gl_programs *programs);

/* Whether the last one was not found since a shader did not compile, or a program not link. */
bool gl_programs_broken(const gl_programs *programs);

/* The program of some sources with lines of #define in front. It is the cache's. A shader that does
 * not compile is MRW_ERROR_DISPLAY with what the driver says first. */
mrw_status gl_program_find(gl_programs *programs, const gl_sources *sources, const char *defines,
                           GLuint *out, mrw_error *error);

#endif
