/* gltf_accessor.c: reads accessors of a glTF file (glTF 2.0, 3.6.2) into arrays of float or
 * uint32. */
#include "load/gltf.h"

#include "base/math.h"

#include <inttypes.h>
#include <string.h>

static uint32_t component_size(uint32_t type)
{
    switch (type) {
    case MRWI_LOAD_INT8:
    case MRWI_LOAD_UINT8:
        return 1;
    case MRWI_LOAD_INT16:
    case MRWI_LOAD_UINT16:
        return 2;
    case MRWI_LOAD_UINT32:
    case MRWI_LOAD_FLOAT:
        return 4;
    default:
        return 0;
    }
}

/* ---- reading the description ----------------------------------------------------------------- */

static bool set_shape(mrwi_load_accessor *a, const char *type)
{
    static const struct {
        const char *name;
        uint32_t rows, columns;
    } shapes[] = {{"SCALAR", 1, 1}, {"VEC2", 2, 1}, {"VEC3", 3, 1}, {"VEC4", 4, 1},
                  {"MAT2", 2, 2},   {"MAT3", 3, 3}, {"MAT4", 4, 4}};
    for (size_t i = 0; type && i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(type, shapes[i].name) == 0) {
            a->rows = shapes[i].rows;
            a->columns = shapes[i].columns;
            return true;
        }
    }
    return false;
}

/* Returns the bytes of one element. Of matrices only MAT4 is read, so no column is padded to 4
 * bytes. */
static uint32_t element_size(const mrwi_load_accessor *a)
{
    return mrwi_load_accessor_width(a) * component_size(a->type);
}

/* Returns `count` elements of `size` bytes, `stride` apart, at an offset of a view; checks that
 * they exist. */
static const uint8_t *view_range(mrwi_load_json *json, const mrwi_load_gltf_view *view,
                                 uint64_t offset, uint64_t count, uint64_t size, uint64_t stride)
{
    /* offset <= 2^52, count < 2^32 and stride < 2^16: no overflow */
    uint64_t end = count == 0 ? offset : offset + (count - 1) * stride + size;
    if (end > view->size) {
        mrwi_load_json_fail(
            json, "it extends to byte %" PRIu64 " of its buffer view, which has only %" PRIu64, end,
            view->size);
        return NULL;
    }
    return view->data + offset;
}

static bool locate(mrwi_load_gltf_file *file, const cJSON *entry, mrwi_load_accessor *a)
{
    mrwi_load_json *json = &file->json;
    uint32_t index = mrwi_load_json_index(json, entry, "bufferView", file->document->views.count,
                                          "buffer views");
    uint64_t offset = mrwi_load_json_uint(json, entry, "byteOffset", 0, UINT64_C(1) << 52);
    uint32_t size = element_size(a);
    a->stride = size;
    if (!mrwi_load_json_good(json) || index == MRW_NONE) {
        return mrwi_load_json_good(json); /* zeros, perhaps with sparse values */
    }
    const mrwi_load_gltf_view *view = mrwi_load_gltf_view_open(file, index);
    if (!view) {
        return false;
    }
    if (view->stride != 0 && view->stride < size) {
        mrwi_load_json_fail(json,
                            "its elements have %" PRIu32 " bytes, but the byteStride is %" PRIu32,
                            size, view->stride);
        return false;
    }
    a->stride = view->stride != 0 ? view->stride : a->stride;
    a->data = view_range(json, view, offset, a->count, size, a->stride);
    return a->data;
}

static const uint8_t *locate_sparse(mrwi_load_gltf_file *file, const cJSON *entry, const char *what,
                                    uint32_t count, uint32_t size)
{
    mrwi_load_json *json = &file->json;
    uint32_t index = mrwi_load_json_index(json, entry, "bufferView", file->document->views.count,
                                          "buffer views");
    uint64_t offset = mrwi_load_json_uint(json, entry, "byteOffset", 0, UINT64_C(1) << 52);
    if (index == MRW_NONE || size == 0) {
        mrwi_load_json_fail(json, "its sparse %s are incomplete", what);
    }
    const mrwi_load_gltf_view *view =
        mrwi_load_json_good(json) ? mrwi_load_gltf_view_open(file, index) : NULL;
    return view ? view_range(json, view, offset, count, size, size) : NULL;
}

static uint32_t load_uint(const uint8_t *p, uint32_t type)
{
    switch (type) {
    case MRWI_LOAD_UINT8:
        return p[0];
    case MRWI_LOAD_UINT16:
        return (uint32_t)p[0] | (uint32_t)p[1] << 8;
    default:
        return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    }
}

/* Reads the sparse part. The rest of `a` has been read. */
static bool read_sparse(mrwi_load_gltf_file *file, const cJSON *entry, const mrwi_load_accessor *a,
                        mrwi_load_sparse *out)
{
    mrwi_load_json *json = &file->json;
    const cJSON *sparse = mrwi_load_json_object(json, entry, "sparse");
    const cJSON *indices = mrwi_load_json_object(json, sparse, "indices");
    const cJSON *values = mrwi_load_json_object(json, sparse, "values");
    if (!sparse) {
        return mrwi_load_json_good(json);
    }
    out->count = (uint32_t)mrwi_load_json_uint(json, sparse, "count", 0, a->count);
    out->type = (uint32_t)mrwi_load_json_uint(json, indices, "componentType", 0, UINT32_MAX);
    bool unsigned_type = out->type == MRWI_LOAD_UINT8 || out->type == MRWI_LOAD_UINT16 ||
                         out->type == MRWI_LOAD_UINT32;
    uint32_t size = unsigned_type ? component_size(out->type) : 0;
    mrwi_load_gltf_charge(file, out->count); /* each use of the accessor checks them again */
    out->indices = locate_sparse(file, indices, "indices", out->count, size);
    out->values = locate_sparse(file, values, "values", out->count, element_size(a));
    for (uint32_t i = 0; mrwi_load_json_good(json) && i < out->count; i++) {
        uint32_t row = load_uint(out->indices + (size_t)i * size, out->type);
        if (row >= a->count) {
            mrwi_load_json_fail(
                json, "sparse index %" PRIu32 " is %" PRIu32 ", but its count is %" PRIu32, i, row,
                a->count);
        }
    }
    return mrwi_load_json_good(json);
}

static bool describe(mrwi_load_gltf_file *file, const cJSON *entry, mrwi_load_accessor *a)
{
    mrwi_load_json *json = &file->json;
    a->count = (uint32_t)mrwi_load_json_uint(json, entry, "count", 0, UINT32_MAX - 1);
    a->type = (uint32_t)mrwi_load_json_uint(json, entry, "componentType", 0, UINT32_MAX);
    a->normalized = mrwi_load_json_bool(json, entry, "normalized");
    bool shaped = set_shape(a, mrwi_load_json_string(json, entry, "type"));
    if (!shaped || component_size(a->type) == 0) {
        mrwi_load_json_fail(json, "its \"type\" or \"componentType\" is missing or unknown");
    }
    return mrwi_load_json_good(json);
}

bool mrwi_load_accessor_describe(mrwi_load_gltf_file *file, uint32_t index, mrwi_load_accessor *out)
{
    memset(out, 0, sizeof *out);
    size_t mark = mrwi_load_json_enter(&file->json, "accessor %" PRIu32, index);
    bool good = describe(file, file->document->accessors.items[index], out);
    mrwi_load_json_leave(&file->json, mark);
    return good;
}

static bool find_bytes(mrwi_load_gltf_file *file, uint32_t index, mrwi_load_accessor *a)
{
    const cJSON *entry = file->document->accessors.items[index];
    const uint8_t *rows = mrwi_load_gltf_draco_rows(file, index, &a->count);
    if (rows) {
        a->stride = element_size(a);
        a->data = rows;
        return true;
    }
    return locate(file, entry, a) && read_sparse(file, entry, a, &a->sparse);
}

bool mrwi_load_accessor_open(mrwi_load_gltf_file *file, uint32_t index, mrwi_load_accessor *out)
{
    memset(out, 0, sizeof *out);
    size_t mark = mrwi_load_json_enter(&file->json, "accessor %" PRIu32, index);
    bool good =
        describe(file, file->document->accessors.items[index], out) && find_bytes(file, index, out);
    mrwi_load_json_leave(&file->json, mark);
    return good;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static int32_t load_int(const uint8_t *p, uint32_t type)
{
    return type == MRWI_LOAD_INT8 ? (int8_t)p[0] : (int16_t)(uint16_t)(p[0] | p[1] << 8);
}

/* Returns the divisor of a normalized integer (glTF 2.0, 3.11). */
static float scale_of(uint32_t type)
{
    switch (type) {
    case MRWI_LOAD_INT8:
        return 127.0f;
    case MRWI_LOAD_UINT8:
        return 255.0f;
    case MRWI_LOAD_INT16:
        return 32767.0f;
    case MRWI_LOAD_UINT16:
        return 65535.0f;
    default:
        return 4294967295.0f;
    }
}

static float load_float(const uint8_t *p, uint32_t type, bool normalized)
{
    float value;
    switch (type) {
    case MRWI_LOAD_FLOAT: {
        uint32_t bits = load_uint(p, MRWI_LOAD_UINT32);
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    case MRWI_LOAD_INT8:
    case MRWI_LOAD_INT16:
        value = (float)load_int(p, type);
        if (normalized) {
            value /= scale_of(type);
            value = value > -1.0f ? value : -1.0f;
        }
        return value;
    default:
        value = (float)load_uint(p, type);
        return normalized ? value / scale_of(type) : value;
    }
}

static void decode_row(const mrwi_load_accessor *a, const uint8_t *p, float *out)
{
    uint32_t size = component_size(a->type), width = mrwi_load_accessor_width(a);
    for (uint32_t i = 0; i < width; i++) {
        out[i] = load_float(p + i * size, a->type, a->normalized);
    }
}

static uint32_t load_index(const uint8_t *p, uint32_t type)
{
    /* joint numbers as floats are illegal, but some files have them */
    if (type == MRWI_LOAD_FLOAT) {
        float value = load_float(p, type, false);
        return value >= 0.0f && value < 4294967040.0f ? mrwi_base_to_u32((double)value)
                                                      : UINT32_MAX;
    }
    if (type == MRWI_LOAD_INT8 ||
        type == MRWI_LOAD_INT16) { /* likewise; negative numbers are out of every range */
        return (uint32_t)load_int(p, type);
    }
    return load_uint(p, type);
}

static void decode_row_uints(const mrwi_load_accessor *a, const uint8_t *p, uint32_t *out)
{
    uint32_t size = component_size(a->type), width = mrwi_load_accessor_width(a);
    for (uint32_t i = 0; i < width; i++) {
        out[i] = load_index(p + i * size, a->type);
    }
}

/* Decodes one value. Floats and uint32 both have 4 bytes. */
static void decode_one(const mrwi_load_accessor *a, const uint8_t *p, uint32_t *out, bool floats)
{
    if (floats) {
        decode_row(a, p, (float *)(void *)out);
    } else {
        decode_row_uints(a, p, out);
    }
}

/* Returns true if the file already holds the rows as floats or uint32. */
static bool is_plain(const mrwi_load_accessor *a, bool floats)
{
    const uint32_t type = floats ? MRWI_LOAD_FLOAT : MRWI_LOAD_UINT32;
    return a->type == type && a->stride == element_size(a) &&
           __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static void decode_dense(const mrwi_load_accessor *a, const uint32_t *rows, uint32_t count,
                         uint32_t *out, bool floats)
{
    uint32_t width = mrwi_load_accessor_width(a);
    if (!a->data) {
        memset(out, 0, (size_t)count * width * sizeof *out);
    } else if (!rows && is_plain(a, floats)) {
        memcpy(out, a->data, (size_t)count * width * sizeof *out);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            size_t row = rows ? rows[i] : i;
            decode_one(a, a->data + row * a->stride, out + (size_t)i * width, floats);
        }
    }
}

static void decode_sparse(const mrwi_load_accessor *a, uint32_t count, uint32_t *out, bool floats)
{
    uint32_t index_size = component_size(a->sparse.type), size = element_size(a);
    for (uint32_t i = 0; i < a->sparse.count; i++) {
        uint32_t row = load_uint(a->sparse.indices + (size_t)i * index_size, a->sparse.type);
        if (row < count) {
            decode_one(a, a->sparse.values + (size_t)i * size,
                       out + (size_t)row * mrwi_load_accessor_width(a), floats);
        }
    }
}

static void *decode(mrwi_load_gltf_file *file, const mrwi_load_accessor *a, const uint32_t *rows,
                    uint32_t count, bool floats)
{
    size_t row_bytes = mrwi_load_accessor_width(a) * sizeof(uint32_t);
    /* Sparse values refer to rows of the whole accessor, so that is decoded first. */
    bool gather = rows && a->sparse.count > 0;
    uint32_t decoded = gather ? a->count : count;
    /* Zeros take no bytes in a file, so they cost more: 170 bytes can ask for 100 million
     * vertices. */
    uint64_t price = a->data ? decoded : UINT64_C(10) * decoded;
    uint32_t *out = mrwi_load_gltf_charge(file, price)
                        ? mrwi_load_gltf_scratch(file, decoded, row_bytes)
                        : NULL;
    if (!out) {
        return NULL;
    }
    decode_dense(a, gather ? NULL : rows, decoded, out, floats);
    decode_sparse(a, decoded, out, floats);
    if (!gather) {
        return out;
    }
    uint32_t *picked = mrwi_load_gltf_scratch(file, count, row_bytes);
    for (uint32_t i = 0; picked && i < count; i++) {
        memcpy((uint8_t *)picked + i * row_bytes, (uint8_t *)out + rows[i] * row_bytes, row_bytes);
    }
    return picked;
}

/* Returns the rows in the file if they need no decoding, else decodes them. */
static const void *borrow(mrwi_load_gltf_file *file, const mrwi_load_accessor *a,
                          const uint32_t *rows, uint32_t count, bool floats)
{
    const bool is_there = a->data && !rows && a->sparse.count == 0 && is_plain(a, floats) &&
                          (uintptr_t)a->data % sizeof(uint32_t) == 0;
    if (!is_there) {
        return decode(file, a, rows, count, floats);
    }
    return mrwi_load_gltf_charge(file, count) ? a->data : NULL;
}

float *mrwi_load_accessor_floats(mrwi_load_gltf_file *file, const mrwi_load_accessor *a,
                                 const uint32_t *rows, uint32_t count)
{
    return decode(file, a, rows, count, true);
}

const float *mrwi_load_accessor_borrow_floats(mrwi_load_gltf_file *file,
                                              const mrwi_load_accessor *a, const uint32_t *rows,
                                              uint32_t count)
{
    return borrow(file, a, rows, count, true);
}

const uint32_t *mrwi_load_accessor_uints(mrwi_load_gltf_file *file, const mrwi_load_accessor *a,
                                         const uint32_t *rows, uint32_t count)
{
    return borrow(file, a, rows, count, false);
}

size_t mrwi_load_first_nonfinite(const float *values, size_t count)
{
    const size_t block = 1024;
    size_t i = 0;
    while (count - i >= block && mrwi_base_all_finite(values + i, block)) {
        i += block;
    }
    while (i < count && isfinite(values[i])) {
        i++;
    }
    return i;
}
