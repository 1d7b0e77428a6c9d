/* gltf_triangles.c: the triangles of a primitive of a glTF file: indices, strips, fans. */
#include "load/gltf.h"

#include <inttypes.h>

/* Reads the index list as filed; NULL if there is none (or after a failure). */
static const uint32_t *read_indices(mrwi_load_gltf_file *file, const cJSON *primitive,
                                    uint32_t file_vertices, uint32_t *count)
{
    mrwi_load_json *json = &file->json;
    uint32_t index = mrwi_load_json_index(json, primitive, "indices",
                                          file->document->accessors.count, "accessors");
    mrwi_load_accessor a;
    if (!mrwi_load_json_good(json) || index == MRW_NONE ||
        !mrwi_load_accessor_open(file, index, &a)) {
        return NULL;
    }
    if (mrwi_load_accessor_width(&a) != 1 || a.type == MRWI_LOAD_FLOAT) {
        mrwi_load_json_fail(json, "its indices, accessor %" PRIu32 ", must be SCALAR integers",
                            index);
        return NULL;
    }
    const uint32_t *indices = mrwi_load_accessor_uints(file, &a, NULL, a.count);
    uint32_t most = 0;
    for (uint32_t i = 0; indices && i < a.count; i++) {
        most = indices[i] > most ? indices[i] : most;
    }
    for (uint32_t i = 0; indices && most >= file_vertices && i < a.count; i++) {
        if (indices[i] >= file_vertices) {
            mrwi_load_json_fail(json,
                                "index %" PRIu32 " is %" PRIu32 ", but it has %" PRIu32 " vertices",
                                i, indices[i], file_vertices);
            return NULL;
        }
    }
    *count = a.count;
    return indices;
}

/* Makes indices 0, 1, 2 ... for a strip or fan without indices. */
static uint32_t *count_up(mrwi_load_gltf_file *file, uint32_t count)
{
    uint32_t *indices = mrwi_load_gltf_charge(file, count)
                            ? mrwi_load_gltf_scratch(file, count, sizeof *indices)
                            : NULL;
    for (uint32_t i = 0; indices && i < count; i++) {
        indices[i] = i;
    }
    return indices;
}

/* Turns a strip or fan into a list (glTF 2.0, 3.7.2.1); corners keep their winding. */
static bool unroll(mrwi_load_gltf_file *file, const uint32_t *v, uint32_t count, bool fan,
                   mrwi_load_gltf_triangles *list)
{
    uint32_t triangles = count < 3 ? 0 : count - 2;
    if (!mrwi_load_gltf_charge(file, (uint64_t)triangles * 3)) {
        return false;
    }
    uint32_t *out = mrwi_load_gltf_scratch(file, triangles, 3 * sizeof *out);
    if (!out) {
        return false;
    }
    for (uint32_t i = 0; i < triangles; i++) {
        uint32_t odd = fan ? 0 : i % 2;
        out[3 * (size_t)i] = fan ? v[i + 1] : v[i];
        out[3 * (size_t)i + 1] = fan ? v[i + 2] : v[i + 1 + odd];
        out[3 * (size_t)i + 2] = fan ? v[0] : v[i + 2 - odd];
    }
    list->indices = out;
    list->index_count = triangles * 3;
    return true;
}

bool mrwi_load_gltf_read_triangles(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                                   const cJSON *primitive, uint64_t mode, uint32_t file_vertices,
                                   mrwi_load_gltf_triangles *out)
{
    uint32_t count = file_vertices;
    if (file->draco.indices) {
        *out = (mrwi_load_gltf_triangles){file->draco.indices, file->draco.index_count};
        return true;
    }
    const uint32_t *indices = read_indices(file, primitive, file_vertices, &count);
    if (!mrwi_load_json_good(&file->json)) {
        return false;
    }
    if (mode != MRWI_LOAD_GLTF_TRIANGLES) {
        indices = indices ? indices : count_up(file, count);
        return indices && unroll(file, indices, count, mode == MRWI_LOAD_GLTF_FAN, out);
    }
    if (count % 3 != 0) {
        mrwi_scene_builder_warn(
            builder,
            "%s: %" PRIu32 " corners do not form a whole number of triangles; the rest are ignored",
            file->json.where, count);
    }
    out->indices = indices;
    out->index_count = count - count % 3;
    return true;
}
