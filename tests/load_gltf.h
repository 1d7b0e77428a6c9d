/* load_gltf.h: what the tests of the glTF reader share: files written as strings. */
#ifndef MARROW_TEST_LOAD_GLTF_H
#define MARROW_TEST_LOAD_GLTF_H

#include "test.h"

#include "warnings.h"

#include "marrow/load.h"

#include <stdarg.h>

/* ---- writing small files --------------------------------------------------------------------- */

typedef struct bytes {
    uint8_t data[65536];
    size_t size;
} bytes;

static bytes bin; /* the buffer of the file at hand */

static inline void reset(void)
{
    memset(&bin, 0, sizeof bin);
}

/* Appends values of one type, aligned to 4; returns their offset. */
#define PUT(type, ...) put_bytes((const type[]){__VA_ARGS__}, sizeof((const type[]){__VA_ARGS__}))
static inline size_t put_bytes(const void *data, size_t size)
{
    bin.size = (bin.size + 3) & ~(size_t)3;
    size_t offset = bin.size;
    memcpy(bin.data + offset, data, size);
    bin.size += size;
    return offset;
}

static inline void base64(const uint8_t *data, size_t size, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t left = (uint32_t)(size - i), bits = (uint32_t)data[i] << 16;
        bits |= left > 1 ? (uint32_t)data[i + 1] << 8 : 0;
        bits |= left > 2 ? data[i + 2] : 0;
        *out++ = digits[bits >> 18];
        *out++ = digits[bits >> 12 & 63];
        *out++ = left > 1 ? digits[bits >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[bits & 63] : '=';
    }
    *out = '\0';
}

static char text[200000];

/* The file: `bin` as buffer 0, a buffer 1 without data (a fallback buffer), bufferView 0 over all
 * of buffer 0, and the given rest, where ' stands for ". */
static inline const char *gltf(const char *format, ...)
{
    static char encoded[100000], rest[60000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(rest, sizeof rest, format, arguments);
    va_end(arguments);
    for (char *c = rest; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    base64(bin.data, bin.size, encoded);
    snprintf(text, sizeof text,
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu,\"uri\":\"data:"
             "application/"
             "octet-stream;base64,%s\"},{\"byteLength\":65536}],\"bufferViews\":[{\"buffer\":0,"
             "\"byteLength\":"
             "%zu}%s}",
             bin.size, encoded, bin.size, rest);
    return text;
}

static mrw_error error;

static inline mrw_scene *try_load(const char *json)
{
    mrw_scene *scene = NULL;
    memset(&error, 0, sizeof error);
    mrw_status status = mrw_load_memory(json, strlen(json), "t.gltf", NULL, NULL, &scene, &error);
    ck_assert_int_eq(status, error.status);
    ck_assert((status != MRW_OK) == !scene);
    return scene;
}

static inline mrw_scene *load(const char *json)
{
    mrw_scene *scene = try_load(json);
    ck_assert_msg(scene, "%s", error.text);
    return scene;
}

/* Vertex of a corner: triangle order is kept, vertex order is not. */
static inline uint32_t corner(const mrw_scene *scene, uint32_t mesh, uint32_t k)
{
    ck_assert_uint_lt(mesh, scene->meshes_count);
    ck_assert_uint_lt(k, scene->meshes[mesh].triangle_count * 3);
    return scene->indices[scene->meshes[mesh].first_index + k];
}

static inline void check_floats(const float *got, const double *want, int count, double tolerance)
{
    for (int i = 0; i < count; i++) {
        ck_assert_double_le(fabs((double)got[i] - want[i]), tolerance);
    }
}

/* The pool entry of an attribute at corner k, compared with the values given. */
#define CHECK_CORNER(scene, pool, width, first, k, ...)                                            \
    do {                                                                                           \
        ck_assert_uint_ne((scene)->meshes[0].first, MRW_NONE);                                     \
        check_floats((scene)->pool +                                                               \
                         (size_t)((scene)->meshes[0].first + corner(scene, 0, k)) * (width),       \
                     (const double[]){__VA_ARGS__}, width, 1e-6);                                  \
    } while (0)

#define TRIANGLE 0, 0, 0, 1, 0, 0, 0, 1, 0
#define A(offset, type, count, shape)                                                              \
    "{'bufferView':0,'byteOffset':" #offset ",'componentType':" #type ",'count':" #count           \
    ",'type':'" #shape "'}"
#define N(offset, type, count, shape)                                                              \
    "{'bufferView':0,'byteOffset':" #offset ",'componentType':" #type ",'count':" #count           \
    ",'type':'" #shape "','normalized':true}"
#define ONE_NODE ",'nodes':[{'mesh':0}]"

/* A PNG of one pixel. */
#define PNG_1X1                                                                                    \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNg+M9QAAADgQGAxLKpoQAAAABJRU5Erk"   \
    "Jggg=="

#endif
