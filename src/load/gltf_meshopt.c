/* gltf_meshopt.c: EXT_meshopt_compression. libmeshoptimizer undoes the entropy coding. The filters
 * are our own, because the library's give other bits with other instruction sets. */
#include "base/math.h"
#include "load/gltf.h"

#include <inttypes.h>
#include <meshoptimizer.h>
#include <string.h>

/* ---- filters (appendix B) -------------------------------------------------------------------- */

static int16_t load_i16(const uint8_t *p)
{
    return (int16_t)(uint16_t)(p[0] | p[1] << 8);
}

static void store_i16(uint8_t *p, int32_t value)
{
    p[0] = (uint8_t)(value & 255);
    p[1] = (uint8_t)(value >> 8 & 255);
}

/* Decodes an octahedral vector. in: x, y and the encoding of 1.0; out: unit vector times max,
 * rounded. */
static void octahedral(float x, float y, float one, float max, int32_t out[3])
{
    if (one == 0.0f) { /* invalid; a zero vector is repaired like any other */
        out[0] = out[1] = out[2] = 0;
        return;
    }
    x /= one;
    y /= one;
    float z = (1.0f - fabsf(x)) - fabsf(y);
    float fold = z < 0.0f ? z : 0.0f;
    x = x >= 0.0f ? x + fold : x - fold;
    y = y >= 0.0f ? y + fold : y - fold;
    float length = sqrtf((x * x + y * y) + z * z);
    int32_t limit = (int32_t)max; /* in range: 127 or 32767 */
    out[0] = mrwi_base_round_to_int((double)(x / length * max), -limit, limit);
    out[1] = mrwi_base_round_to_int((double)(y / length * max), -limit, limit);
    out[2] = mrwi_base_round_to_int((double)(z / length * max), -limit, limit);
}

void mrwi_load_meshopt_octahedral8(uint8_t *data, size_t count)
{
    for (size_t i = 0; i < count; i++, data += 4) {
        int32_t v[3];
        octahedral((float)(int8_t)data[0], (float)(int8_t)data[1], (float)(int8_t)data[2], 127.0f,
                   v);
        for (int c = 0; c < 3; c++) {
            data[c] = (uint8_t)(v[c] & 255);
        }
    }
}

void mrwi_load_meshopt_octahedral16(uint8_t *data, size_t count)
{
    for (size_t i = 0; i < count; i++, data += 8) {
        int32_t v[3];
        octahedral((float)load_i16(data), (float)load_i16(data + 2), (float)load_i16(data + 4),
                   32767.0f, v);
        for (int c = 0; c < 3; c++) {
            store_i16(data + 2 * c, v[c]);
        }
    }
}

void mrwi_load_meshopt_quaternion(uint8_t *data, size_t count)
{
    const float range = 1.0f / sqrtf(2.0f);
    for (size_t i = 0; i < count; i++, data += 8) {
        int tail = load_i16(data + 6);
        float one = (float)(tail | 3);
        float v[4], sum = 1.0f;
        for (int c = 0; c < 3; c++) {
            v[c] = (float)load_i16(data + 2 * c) / one * range;
            sum -= v[c] * v[c];
        }
        v[3] = sqrtf(sum > 0.0f ? sum : 0.0f);
        /* v[3] is the largest component; the others follow it cyclically */
        for (int c = 0; c < 4; c++) {
            store_i16(data + 2 * ((tail + 1 + c) & 3),
                      mrwi_base_round_to_int((double)(v[c] * 32767.0f), -32767, 32767));
        }
    }
}

void mrwi_load_meshopt_exponential(uint8_t *data, size_t count)
{
    for (size_t i = 0; i < count; i++, data += 4) {
        uint32_t bits = (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16;
        int32_t mantissa = (int32_t)(bits << 8) / 256; /* sign-extends; the low 8 bits are 0 */
        float value = (float)ldexp((double)mantissa, (int8_t)data[3]);
        memcpy(data, &value, sizeof value);
    }
}

/* ---- views ----------------------------------------------------------------------------------- */

typedef enum filter {
    FILTER_NONE,
    FILTER_OCTAHEDRAL,
    FILTER_QUATERNION,
    FILTER_EXPONENTIAL
} filter;
typedef enum mode { MODE_ATTRIBUTES, MODE_TRIANGLES, MODE_INDICES } mode;

typedef struct stream {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t count;
    uint32_t stride;
    mode mode;
    filter filter;
} stream;

static int find_name(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_stream(mrwi_load_gltf_file *file, const cJSON *extension, stream *out)
{
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char *const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
    mrwi_load_json *json = &file->json;
    uint32_t buffer =
        mrwi_load_json_index(json, extension, "buffer", file->document->buffers.count, "buffers");
    uint64_t offset = mrwi_load_json_uint(json, extension, "byteOffset", 0, UINT64_C(1) << 52);
    out->size = mrwi_load_json_uint(json, extension, "byteLength", 0, UINT64_C(1) << 52);
    out->stride = (uint32_t)mrwi_load_json_uint(json, extension, "byteStride", 0, 256);
    out->count = mrwi_load_json_uint(json, extension, "count", 0, UINT32_MAX);
    const char *mode_name = mrwi_load_json_string(json, extension, "mode");
    const char *filter_name = mrwi_load_json_string(json, extension, "filter");
    int found_mode = find_name(mode_name ? mode_name : "", modes, 3);
    int found_filter = find_name(filter_name ? filter_name : "NONE", filters, 4);
    if (buffer == MRW_NONE || found_mode < 0 || found_filter < 0) {
        mrwi_load_json_fail(json, "its \"buffer\", \"mode\" or \"filter\" is missing or unknown");
    }
    if (!mrwi_load_json_good(json)) {
        return false;
    }
    out->mode = (mode)found_mode;
    out->filter = (filter)found_filter;
    out->bytes = mrwi_load_gltf_buffer_range(file, buffer, offset, out->size);
    return out->bytes;
}

/* Checks the requirements of the specification, which the library only asserts. */
static bool stream_is_legal(const stream *s, uint64_t length, uint32_t view_stride)
{
    bool legal = s->stride > 0 && s->count * s->stride == length;
    legal = legal && (view_stride == 0 || view_stride == s->stride);
    if (s->mode == MODE_ATTRIBUTES) {
        legal = legal && s->stride % 4 == 0;
    } else {
        legal = legal && (s->stride == 2 || s->stride == 4) && s->filter == FILTER_NONE;
        legal = legal && (s->mode != MODE_TRIANGLES || s->count % 3 == 0);
    }
    switch (s->filter) {
    case FILTER_OCTAHEDRAL:
        return legal && (s->stride == 4 || s->stride == 8);
    case FILTER_QUATERNION:
        return legal && s->stride == 8;
    default:
        return legal;
    }
}

static bool decode_stream(const stream *s, uint8_t *out)
{
    size_t count = (size_t)s->count, size = (size_t)s->size;
    switch (s->mode) {
    case MODE_ATTRIBUTES:
        return meshopt_decodeVertexBuffer(out, count, s->stride, s->bytes, size) == 0;
    case MODE_TRIANGLES:
        return meshopt_decodeIndexBuffer(out, count, s->stride, s->bytes, size) == 0;
    case MODE_INDICES:
        return meshopt_decodeIndexSequence(out, count, s->stride, s->bytes, size) == 0;
    }
    return false;
}

static void apply_filter(const stream *s, uint8_t *data)
{
    size_t count = (size_t)s->count;
    switch (s->filter) {
    case FILTER_NONE:
        break;
    case FILTER_OCTAHEDRAL:
        (s->stride == 4 ? mrwi_load_meshopt_octahedral8 : mrwi_load_meshopt_octahedral16)(data,
                                                                                          count);
        break;
    case FILTER_QUATERNION:
        mrwi_load_meshopt_quaternion(data, count);
        break;
    case FILTER_EXPONENTIAL:
        mrwi_load_meshopt_exponential(data, count * (s->stride / 4));
        break;
    }
}

bool mrwi_load_gltf_meshopt(mrwi_load_gltf_file *file, const cJSON *extension, uint64_t length,
                            uint32_t stride, mrwi_load_gltf_view *out)
{
    mrwi_load_json *json = &file->json;
    stream s = {0};
    if (!read_stream(file, extension, &s)) {
        return false;
    }
    if (!stream_is_legal(&s, length, stride)) {
        mrwi_load_json_fail(json, "its EXT_meshopt_compression has a count, byteStride or filter "
                                  "that does not fit the view");
        return false;
    }
    if (!mrwi_load_gltf_charge(file, s.count) || !mrwi_load_gltf_charge_bytes(file, length)) {
        return false;
    }
    uint8_t *data = mrwi_base_alloc((size_t)length, 1);
    if (!data) {
        mrwi_load_json_fail_memory(json, (size_t)length);
        return false;
    }
    out->owned = data;
    if (!decode_stream(&s, data)) {
        mrwi_load_json_fail(
            json, "its compressed data is damaged or uses a newer EXT_meshopt_compression; "
                  "decompress the file with: npx @gltf-transform/cli copy in.glb out.glb");
        return false;
    }
    apply_filter(&s, data);
    out->data = data;
    out->size = length;
    return true;
}
