/* cli_fixture.h: what the tests of the command share: running it through the shell in a folder of
 * the test's own, what it said, and a model whose answers are known. */
#ifndef MARROW_CLI_FIXTURE_H
#define MARROW_CLI_FIXTURE_H

#include "test.h"

#include "marrow/base.h"
#include "marrow/options.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[PATH_MAX];
static char assets[PATH_MAX];

static int status;       /* of the last run */
static char out[200000]; /* what it wrote to standard output and error; not for pictures */
static char err[20000];

/* ---- running --------------------------------------------------------------------------------- */

static inline void enter(void)
{
    const char *named = getenv("MARROW");
    ck_assert_msg(realpath(named ? named : "build/marrow", program),
                  "no program at $MARROW or build/marrow");
    ck_assert_msg(realpath("assets", assets), "run this from the top folder");
    test_folder_enter();
    ck_assert_int_eq(chmod(".", 0777), 0);
    unsetenv("CI"); /* tests run there too, and say so where they are about it */
    unsetenv("GITHUB_ACTIONS");
    unsetenv("GITHUB_STEP_SUMMARY");
}

/* Where the program lies, with what was built beside it. */
static inline const char *build_folder(void)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)(strrchr(program, '/') - program), program);
    return path;
}

static inline size_t slurp(const char *path, char *buffer, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t length = 0;
    if (file) {
        length = fread(buffer, 1, size - 1, file);
        fclose(file);
    }
    buffer[length] = '\0';
    return length;
}

/* Runs a shell line in which `marrow` is the program. */
static inline void shell(const char *format, ...)
{
    char line[4096], command[PATH_MAX + 5000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    snprintf(command, sizeof command, "marrow() { '%s' \"$@\"; }; { %s; } >.out 2>.err </dev/null",
             program, line);
    int result = system(command);
    status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    slurp(".out", out, sizeof out);
    slurp(".err", err, sizeof err);
}

static inline void assert_status(int expected)
{
    ck_assert_msg(status == expected, "status %d, expected %d: %s%s", status, expected, err, out);
}

static inline void assert_said(const char *text)
{
    ck_assert_msg(strstr(err, text), "'%s' lacks '%s'", err, text);
}

/* A failure: its status, one line of error, all of the parts in it. */
static inline void assert_refused(int expected, const char *part)
{
    assert_status(expected);
    assert_said("marrow: error: ");
    assert_said(part);
    ck_assert_msg(strchr(err, '\n') == err + strlen(err) - 1, "not one line: %s", err);
    ck_assert_msg(out[0] == '\0' || strncmp(out, "{\"error\": {", 11) == 0, "%s", out);
}

static inline bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

/* Files in a folder, hidden ones too. */
static inline int count_files(const char *path)
{
    char command[256];
    int count = -1;
    snprintf(command, sizeof command, "find %s -type f | wc -l", path);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    ck_assert_int_eq(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return count;
}

/* Width and height of a PNG file. */
static inline void assert_png(const char *path, unsigned width, unsigned height,
                              unsigned color_type)
{
    unsigned char h[64];
    ck_assert_msg(slurp(path, (char *)h, sizeof h) > 33, "%s is no picture", path);
    ck_assert_int_eq(memcmp(h, "\x89PNG\r\n\x1a\n", 8), 0);
    ck_assert_uint_eq(((unsigned)h[18] << 8) + h[19], width);
    ck_assert_uint_eq(((unsigned)h[22] << 8) + h[23], height);
    ck_assert_uint_eq(h[24], 8);
    ck_assert_uint_eq(h[25], color_type); /* 2 RGB, 6 RGBA */
}

/* ---- a model whose answers are known --------------------------------------------------------- */

static inline void base64(const unsigned char *bytes, size_t size, char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned n = (unsigned)bytes[i] << 16;
        n |= i + 1 < size ? (unsigned)bytes[i + 1] << 8 : 0;
        n |= i + 2 < size ? bytes[i + 2] : 0;
        *text++ = digits[n >> 18];
        *text++ = digits[n >> 12 & 63];
        *text++ = i + 1 < size ? digits[n >> 6 & 63] : '=';
        *text++ = i + 2 < size ? digits[n & 63] : '=';
    }
    *text = '\0';
}

/* The triangle (0,0,0) (1,0,0) (0,1,0), moved from z = 0 to z = 2 in a second by two clips of the
 * names given. `count` vertices are claimed: 3 is true. */
static inline void write_triangle(const char *path, const char *first, const char *second,
                                  int count, const char *more)
{
    const float data[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, /* positions */
                          0, 1,                      /* times */
                          0, 0, 0, 0, 0, 2};         /* translations */
    char text[256];
    FILE *file = fopen(path, "w");
    base64((const unsigned char *)data, sizeof data, text);
    fprintf(
        file,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"name\":\"mover\",\"mesh\":0}],"
        "\"meshes\":[{\"name\":\"tri\",\"primitives\":[{\"attributes\":{\"POSITION\":0}%s}]}],"
        "\"buffers\":[{\"byteLength\":%zu,\"uri\":\"data:application/octet-stream;base64,%s\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},"
        "{\"buffer\":0,\"byteOffset\":36,\"byteLength\":8},"
        "{\"buffer\":0,\"byteOffset\":44,\"byteLength\":24}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\","
        "\"min\":[0,0,0],\"max\":[1,1,0]},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],"
        "\"max\":[1]},"
        "{\"bufferView\":2,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],"
        "\"animations\":[",
        more, sizeof data, text, count);
    for (int i = 0; i < 2; i++) {
        fprintf(file,
                "%s{\"name\":\"%s\",\"samplers\":[{\"input\":1,\"output\":2}],"
                "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]}",
                i ? "," : "", i ? second : first);
    }
    fprintf(file, "]}");
    fclose(file);
}

static inline void write_plain_triangle(void)
{
    write_triangle("tri.gltf", "Go", "Back", 3, "");
}

/* The same twice: Go moves the one, Back the other. */
static inline void write_two_triangles(void)
{
    write_plain_triangle();
    shell(
        "sed -i -e 's/\"scenes\":\\[{\"nodes\":\\[0/&,1/' -e 's/{\"name\":\"mover\",\"mesh\":0}/&,"
        "{\"name\":\"other\",\"mesh\":0}/' -e 's/\\(Back.*\"node\":\\)0/\\11/' tri.gltf");
}

/* The same with a spot on its node: KHR_lights_punctual. */
static inline void write_lit_triangle(void)
{
    write_plain_triangle();
    shell("sed -i -e "
          "'s/\"mesh\":0}/\"mesh\":0,\"extensions\":{\"KHR_lights_punctual\":{\"light\":0}}}"
          "/' -e 's/^{/{\"extensions\":{\"KHR_lights_punctual\":{\"lights\":[{\"type\":\"spot\","
          "\"color\":[1,0.5,0.25],\"intensity\":7,\"range\":9,\"spot\":{\"innerConeAngle\":0.3,"
          "\"outerConeAngle\":0.7}}]}},/' tri.gltf");
}

#endif
