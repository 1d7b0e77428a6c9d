/* gltf_instances.c: EXT_mesh_gpu_instancing: a mesh that a node draws many times. The triangles of
 * all instances become one mesh, so everything that follows treats them as the node's own. */
#include "load/gltf.h"

#include "base/math.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------------------- */

const cJSON *mrwi_load_gltf_instancing(mrwi_load_json *json, const cJSON *node)
{
    const cJSON *extension = mrwi_load_json_extension(json, node, "EXT_mesh_gpu_instancing");
    const cJSON *attributes = mrwi_load_json_object(json, extension, "attributes");
    return attributes && attributes->child ? attributes : NULL;
}

/* Reads one attribute of the instances; NULL if the node lacks it (or after a failure). *count: the
 * number in the attributes before it, or 0. */
static const float *read_attribute(mrwi_load_gltf_file *file, const cJSON *attributes,
                                   const char *name, uint32_t width, uint32_t *count)
{
    mrwi_load_json *json = &file->json;
    mrwi_load_accessor a;
    const uint32_t index =
        mrwi_load_json_index(json, attributes, name, file->document->accessors.count, "accessors");
    if (index == MRW_NONE || !mrwi_load_accessor_open(file, index, &a)) {
        return NULL;
    }
    const bool is_rotation = width == 4;
    const bool packed = is_rotation && (a.type == MRWI_LOAD_INT8 || a.type == MRWI_LOAD_INT16);
    if (a.columns != 1 || a.rows != width || (a.type != MRWI_LOAD_FLOAT && !packed)) {
        mrwi_load_json_fail(json, "%s of its instances, accessor %" PRIu32 ", has the wrong type",
                            name, index);
        return NULL;
    }
    if (*count > 0 && a.count != *count) {
        mrwi_load_json_fail(json,
                            "%s of its instances, accessor %" PRIu32 ", has %" PRIu32
                            " elements, but another attribute has %" PRIu32,
                            name, index, a.count, *count);
        return NULL;
    }
    *count = a.count;
    a.normalized = packed;
    const float *values = mrwi_load_accessor_floats(file, &a, NULL, a.count);
    const size_t size = (size_t)a.count * width;
    if (values && mrwi_load_first_nonfinite(values, size) < size) {
        mrwi_load_json_fail(json,
                            "%s of its instances, accessor %" PRIu32 ", has values that are "
                            "not finite",
                            name, index);
        return NULL;
    }
    return values;
}

bool mrwi_load_gltf_read_instances(mrwi_load_gltf_file *file, uint32_t node,
                                   mrwi_load_gltf_instances *out)
{
    mrwi_load_json *json = &file->json;
    const cJSON *attributes = mrwi_load_gltf_instancing(json, file->document->nodes.items[node]);
    *out = (mrwi_load_gltf_instances){.count = 0};
    if (attributes) {
        out->translations = read_attribute(file, attributes, "TRANSLATION", 3, &out->count);
    }
    if (attributes && mrwi_load_json_good(json)) {
        out->rotations = read_attribute(file, attributes, "ROTATION", 4, &out->count);
    }
    if (attributes && mrwi_load_json_good(json)) {
        out->scales = read_attribute(file, attributes, "SCALE", 3, &out->count);
    }
    return mrwi_load_json_good(json);
}

/* ---- repeating ------------------------------------------------------------------------------- */

/* The maps of one instance for positions and directions (columns), and for normals. Normals use the
 * cofactors of the scale, which are finite even if a scale is 0. */
typedef struct placing {
    float translation[3], linear[9], normal[9];
    bool mirrors;
} placing;

static placing place_of(const mrwi_load_gltf_instances *in, uint32_t instance)
{
    static const float none[3] = {0, 0, 0}, one[3] = {1, 1, 1}, still[4] = {0, 0, 0, 1};
    const float *t = in->translations ? in->translations + 3 * (size_t)instance : none;
    const float *s = in->scales ? in->scales + 3 * (size_t)instance : one;
    const float *filed = in->rotations ? in->rotations + 4 * (size_t)instance : still;
    const float length = sqrtf((filed[0] * filed[0] + filed[1] * filed[1]) +
                               (filed[2] * filed[2] + filed[3] * filed[3]));
    float q[4];
    for (int i = 0; i < 4; i++) {
        q[i] = length > 0.0f && isfinite(length) ? filed[i] / length : still[i];
    }
    const float x = q[0], y = q[1], z = q[2], w = q[3];
    const float columns[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
        2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
        2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    const float sign = s[0] * s[1] * s[2] < 0.0f ? -1.0f : 1.0f;
    const float cofactors[3] = {sign * (s[1] * s[2]), sign * (s[2] * s[0]), sign * (s[0] * s[1])};
    placing out = {.mirrors = sign < 0.0f};
    memcpy(out.translation, t, sizeof out.translation);
    for (int i = 0; i < 9; i++) {
        out.linear[i] = columns[i] * s[i / 3];
        out.normal[i] = columns[i] * cofactors[i / 3];
    }
    return out;
}

static void turn(const float columns[9], const float v[3], float out[3])
{
    for (int r = 0; r < 3; r++) {
        out[r] = (columns[r] * v[0] + columns[3 + r] * v[1]) + columns[6 + r] * v[2];
    }
}

/* Turns a direction of unit length. Returns the factor for its differences. If nothing remains of
 * the direction, it stays unchanged, and the factor is 1. */
static float turn_unit(const float columns[9], const float v[3], float out[3])
{
    turn(columns, v, out);
    const float length = sqrtf((out[0] * out[0] + out[1] * out[1]) + out[2] * out[2]);
    if (!(length > 0.0f) || !isfinite(length)) {
        memcpy(out, v, 3 * sizeof *out);
        return 1.0f;
    }
    for (int i = 0; i < 3; i++) {
        out[i] /= length;
    }
    return 1.0f / length;
}

/* The arrays of a mesh and their copies, while they are repeated. */
typedef struct repeat {
    mrwi_load_gltf_file *file;
    const mrwi_load_gltf_instances *instances;
    uint32_t vertices; /* the number of one instance */
    float *normal_factors, *tangent_factors;
} repeat;

static float *make(const repeat *r, const void *from, uint32_t width)
{
    const size_t count = (size_t)r->vertices * r->instances->count;
    return from ? mrwi_load_gltf_scratch(r->file, count, width * sizeof(float)) : NULL;
}

/* Repeats an attribute that is the same in every instance. */
static bool repeat_plain(const repeat *r, const float **array, uint32_t width)
{
    float *out = make(r, *array, width);
    const size_t size = (size_t)r->vertices * width;
    for (uint32_t i = 0; out && i < r->instances->count; i++) {
        memcpy(out + i * size, *array, size * sizeof *out);
    }
    const bool good = !*array || out;
    *array = out;
    return good;
}

static bool repeat_positions(const repeat *r, const float **array)
{
    float *out = make(r, *array, 3);
    for (uint32_t i = 0; out && i < r->instances->count; i++) {
        const placing p = place_of(r->instances, i);
        for (uint32_t v = 0; v < r->vertices; v++) {
            float *to = out + 3 * ((size_t)i * r->vertices + v);
            turn(p.linear, *array + 3 * (size_t)v, to);
            for (int k = 0; k < 3; k++) {
                to[k] += p.translation[k];
            }
        }
    }
    *array = out;
    return out;
}

/* Repeats normals, or tangents with their sign. *factors: the factors for their differences. */
static bool repeat_directions(const repeat *r, const float **array, uint32_t width, float **factors)
{
    float *out = make(r, *array, width);
    *factors = make(r, *array, 1);
    for (uint32_t i = 0; out && *factors && i < r->instances->count; i++) {
        const placing p = place_of(r->instances, i);
        for (uint32_t v = 0; v < r->vertices; v++) {
            const size_t at = (size_t)i * r->vertices + v;
            const float *from = *array + width * (size_t)v;
            (*factors)[at] = turn_unit(width == 3 ? p.normal : p.linear, from, out + width * at);
            if (width == 4) {
                out[4 * at + 3] = p.mirrors ? -from[3] : from[3];
            }
        }
    }
    const bool good = !*array || (out && *factors);
    *array = out;
    return good;
}

/* Repeats differences of a morph target: of positions (without factors), normals or tangents. */
static bool repeat_differences(const repeat *r, const float **array, bool is_normal,
                               const float *factors)
{
    float *out = make(r, *array, 3);
    for (uint32_t i = 0; out && i < r->instances->count; i++) {
        const placing p = place_of(r->instances, i);
        for (uint32_t v = 0; v < r->vertices; v++) {
            const size_t at = (size_t)i * r->vertices + v;
            turn(is_normal ? p.normal : p.linear, *array + 3 * (size_t)v, out + 3 * at);
            for (uint32_t k = 0; k < 3 && factors; k++) {
                out[3 * at + k] *= factors[at];
            }
        }
    }
    const bool good = !*array || out;
    *array = out;
    return good;
}

/* Repeats indices. Mirrored instances get the corners of each triangle in reverse order. NULL after
 * a failure. */
static const uint32_t *repeat_indices(const repeat *r, const mrwi_scene_mesh_input *in)
{
    const uint32_t corners = in->index_count, count = r->instances->count;
    uint32_t *out = mrwi_load_gltf_scratch(r->file, (size_t)corners * count, sizeof *out);
    for (uint32_t i = 0; out && i < count; i++) {
        const bool mirrors = place_of(r->instances, i).mirrors;
        for (uint32_t k = 0; k < corners; k++) {
            const uint32_t corner = mirrors && k % 3 > 0 ? k + 3 - 2 * (k % 3) : k;
            out[(size_t)i * corners + k] =
                i * r->vertices + (in->indices ? in->indices[corner] : corner);
        }
    }
    return out;
}

/* Repeats the differences of all targets. NULL after a failure. */
static const mrwi_scene_target_input *repeat_targets(const repeat *r,
                                                     const mrwi_scene_mesh_input *in)
{
    mrwi_scene_target_input *out = mrwi_load_gltf_scratch(r->file, in->target_count, sizeof *out);
    bool good = out;
    for (uint32_t t = 0; t < in->target_count && good; t++) {
        out[t] = in->targets[t];
        good = repeat_differences(r, &out[t].positions, false, NULL) &&
               repeat_differences(r, &out[t].normals, true, r->normal_factors) &&
               repeat_differences(r, &out[t].tangents, false, r->tangent_factors);
    }
    return good ? out : NULL;
}

bool mrwi_load_gltf_repeat(mrwi_load_gltf_file *file, const mrwi_load_gltf_instances *instances,
                           mrwi_scene_mesh_input *in)
{
    repeat r = {.file = file, .instances = instances, .vertices = in->vertex_count};
    const uint64_t vertices = (uint64_t)in->vertex_count * instances->count;
    const uint64_t corners = (uint64_t)in->index_count * instances->count;
    if (!mrwi_load_gltf_charge(file, vertices) || !mrwi_load_gltf_charge(file, corners) ||
        !mrwi_load_gltf_charge(file, vertices * in->target_count)) {
        return false;
    }
    if (vertices > UINT32_MAX || corners > UINT32_MAX) {
        mrwi_load_json_fail(&file->json, "it has too many instances: %" PRIu32, instances->count);
        return false;
    }
    in->indices = repeat_indices(&r, in);
    in->index_count = (uint32_t)corners;
    in->vertex_count = (uint32_t)vertices;
    if (!in->indices || !repeat_positions(&r, &in->positions) ||
        !repeat_directions(&r, &in->normals, 3, &r.normal_factors) ||
        !repeat_directions(&r, &in->tangents, 4, &r.tangent_factors) ||
        !repeat_plain(&r, &in->uvs[0], 2) || !repeat_plain(&r, &in->uvs[1], 2) ||
        !repeat_plain(&r, &in->colors, 4)) {
        return false;
    }
    in->targets = repeat_targets(&r, in);
    return in->targets;
}
