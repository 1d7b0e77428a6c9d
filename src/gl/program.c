/* program.c: compiles programs and keeps them by their sources and definitions. */
#include "gl/program.h"

#include "gl/shaders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const gl_sources *sources; /* static */
    char *defines;
    GLuint program;
} entry;

struct gl_programs {
    entry *items;
    size_t count;
    bool broken;
};

mrw_status gl_programs_create(gl_programs **out, mrw_error *error)
{
    *out = calloc(1, sizeof **out);
    return *out ? MRW_OK : mrw_fail_memory(error, 0);
}

void gl_programs_free(gl_programs *programs)
{
    for (size_t i = 0; programs && i < programs->count; i++) {
        glDeleteProgram(programs->items[i].program);
        free(programs->items[i].defines);
    }
    if (programs) {
        free(programs->items);
    }
    free(programs);
}

bool gl_programs_broken(const gl_programs *programs)
{
    return programs->broken;
}

/* Adds a text and joins lines that end with a backslash, which OpenGL 3.3 need not do. */
static void add_joined(mrw_text *out, const char *text)
{
    const char *line;
    while ((line = strstr(text, "\\\n"))) {
        mrw_text_add(out, "%.*s", (int)(line - text), text);
        text = line + 2;
    }
    mrw_text_add(out, "%s\n", text);
}

static mrw_status compile(GLenum kind, const char *const *names, const char *defines, GLuint *out,
                          mrw_error *error)
{
    mrw_text text = {0};
    GLint fine = GL_FALSE;
    char said[800] = "", line[400];
    mrw_text_add(&text, "#version %s\n#define TABLE_BITS %d\n%s",
                 epoxy_is_desktop_gl() ? "330 core" : "300 es", GL_TABLE_BITS, defines);
    add_joined(&text, gl_shader_text("prelude.glsl"));
    for (; *names; names++) {
        add_joined(&text, gl_shader_text(*names));
    }
    if (text.failed) {
        mrw_text_free(&text);
        return mrw_fail_memory(error, 0);
    }
    const char *all = text.data;
    *out = glCreateShader(kind);
    glShaderSource(*out, 1, &all, NULL);
    glCompileShader(*out);
    glGetShaderiv(*out, GL_COMPILE_STATUS, &fine);
    mrw_text_free(&text);
    if (!fine) {
        glGetShaderInfoLog(*out, sizeof said, NULL, said);
        said[strcspn(said, "\n")] = '\0';
        mrw_escape_text(said, line, sizeof line);
        glDeleteShader(*out);
        return mrw_fail(error, MRW_ERROR_DISPLAY,
                        "this OpenGL driver does not compile %s: %s; use --backend soft", names[-1],
                        line);
    }
    return MRW_OK;
}

static mrw_status link(const gl_sources *sources, const char *defines, GLuint *out,
                       mrw_error *error)
{
    GLuint vertex = 0, fragment = 0;
    GLint fine = GL_FALSE;
    char said[300] = "", safe[400];
    mrw_status status = compile(GL_VERTEX_SHADER, sources->vertex, defines, &vertex, error);
    if (status) {
        return status;
    }
    status = compile(GL_FRAGMENT_SHADER, sources->fragment, defines, &fragment, error);
    if (status) {
        glDeleteShader(vertex);
        return status;
    }
    *out = glCreateProgram();
    glAttachShader(*out, vertex);
    glAttachShader(*out, fragment);
    if (sources->captured) {
        glTransformFeedbackVaryings(*out, sources->captured_count, sources->captured,
                                    GL_INTERLEAVED_ATTRIBS);
    }
    glLinkProgram(*out);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    glGetProgramiv(*out, GL_LINK_STATUS, &fine);
    if (!fine) {
        glGetProgramInfoLog(*out, sizeof said, NULL, said);
        glDeleteProgram(*out);
        return mrw_fail(error, MRW_ERROR_DISPLAY,
                        "this OpenGL driver does not link a program: %s; use --backend soft",
                        mrw_escape_text(said, safe, sizeof safe));
    }
    return MRW_OK;
}

mrw_status gl_program_find(gl_programs *programs, const gl_sources *sources, const char *defines,
                           GLuint *out, mrw_error *error)
{
    programs->broken = false;
    for (size_t i = 0; i < programs->count; i++) {
        if (programs->items[i].sources == sources &&
            strcmp(programs->items[i].defines, defines) == 0) {
            *out = programs->items[i].program;
            return MRW_OK;
        }
    }
    entry *grown = realloc(programs->items, (programs->count + 1) * sizeof *grown);
    char *copy = strdup(defines);
    if (grown) {
        programs->items = grown;
    }
    if (!grown || !copy) {
        free(copy);
        return mrw_fail_memory(error, 0);
    }
    const mrw_status status = link(sources, defines, out, error);
    if (status) {
        programs->broken = status != MRW_ERROR_MEMORY;
        free(copy);
        return status;
    }
    grown[programs->count++] = (entry){sources, copy, *out};
    return MRW_OK;
}
