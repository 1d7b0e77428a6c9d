/* gltf_draco.c: KHR_draco_mesh_compression. All compressed primitives that are drawn are decoded at
 * once, before the first mesh is read. Afterwards the rows of their accessors come from the result.
 *
 * A Draco mesh is a list of triangles whatever the primitive's mode (a decoder may also make a
 * strip of them). Its counts are valid: encoders drop degenerate triangles and split points, and
 * not all of them correct the accessors, so other counts there give a warning. A primitive whose
 * mesh is damaged, or has other types than its accessors, is left out with a warning, or read from
 * its accessors if these have their own data. */
#include "load/draco.h"

#include "base/math.h"
#include "base/text.h"
#include "load/gltf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXTENSION "KHR_draco_mesh_compression"

/* ---- arithmetic ------------------------------------------------------------------------------ */

void mrwi_load_draco_dequantize(const mrwi_load_draco_attribute *a, const uint32_t *q, size_t rows,
                                float *out)
{
    const float step = a->range / (float)(int32_t)((UINT32_C(1) << a->bits) - 1);
    for (size_t i = 0; i < rows; i++) {
        for (uint32_t c = 0; c < a->components; c++) {
            *out++ = (float)(int32_t)*q++ * step + a->minimum[c];
        }
    }
}

void mrwi_load_draco_octahedral(uint32_t s, uint32_t t, uint32_t bits, float out[3])
{
    const float scale = 2.0f / (float)(int32_t)((UINT32_C(1) << bits) - 2);
    float y = (float)(int32_t)s * scale - 1.0f;
    float z = (float)(int32_t)t * scale - 1.0f;
    const float x = (1.0f - fabsf(y)) - fabsf(z);
    const float fold = x < 0.0f ? -x : 0.0f;
    y += y < 0.0f ? fold : -fold;
    z += z < 0.0f ? fold : -fold;
    const float squares = (x * x + y * y) + z * z;
    const float scaled = (double)squares < 1e-6 ? 0.0f : 1.0f / sqrtf(squares);
    out[0] = x * scaled;
    out[1] = y * scaled;
    out[2] = z * scaled;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* The parts of a mesh in the answer. */
typedef struct decoded {
    const mrwi_load_draco_head *head;
    const mrwi_load_draco_attribute *attributes;
    const uint32_t *indices, *values;
} decoded;

static bool attribute_is_legal(const mrwi_load_draco_attribute *a)
{
    const bool quantized = a->kind == MRWI_LOAD_DRACO_QUANTIZED;
    const bool octahedral = a->kind == MRWI_LOAD_DRACO_OCTAHEDRAL;
    bool legal = a->kind < MRWI_LOAD_DRACO_KINDS && a->components >= 1 &&
                 a->components <= MRWI_LOAD_DRACO_COMPONENTS;
    legal = legal && (!octahedral || (a->components == 2 && a->bits >= 2 && a->bits <= 30));
    return legal && (!quantized || (a->bits >= 1 && a->bits <= 30));
}

/* Finds mesh `index` of an answer, and checks all of it. */
static bool find_mesh(const mrwi_load_gltf_draco *draco, uint32_t index, decoded *out)
{
    mrwi_load_draco_range range;
    memcpy(&range, draco->answer + index * sizeof range, sizeof range);
    if (range.offset % 8 != 0 || range.offset > draco->answer_size ||
        range.size > draco->answer_size - range.offset || range.size < sizeof *out->head) {
        return false;
    }
    const uint8_t *bytes = draco->answer + range.offset;
    out->head = (const void *)bytes;
    if (!memchr(out->head->reason, '\0', sizeof out->head->reason)) {
        return false;
    }
    uint64_t size = sizeof *out->head + (uint64_t)out->head->attributes * sizeof *out->attributes;
    if (size > range.size) {
        return false;
    }
    out->attributes = (const void *)(bytes + sizeof *out->head);
    out->indices = (const void *)(bytes + size);
    out->values = out->indices + (size_t)out->head->faces * 3;
    size += UINT64_C(12) * out->head->faces;
    for (uint32_t i = 0; i < out->head->attributes; i++) {
        if (!attribute_is_legal(&out->attributes[i]) || size > range.size) {
            return false;
        }
        size += UINT64_C(4) * out->attributes[i].components * out->head->points;
    }
    bool good = size <= range.size && out->head->points < MRW_NONE;
    for (size_t i = 0; good && i < (size_t)out->head->faces * 3; i++) {
        good = out->indices[i] < out->head->points;
    }
    return good;
}

/* Returns the values of the attribute with an id; NULL if there is none. */
static const uint32_t *find_attribute(const decoded *mesh, uint64_t id,
                                      const mrwi_load_draco_attribute **out)
{
    const uint32_t *values = mesh->values;
    for (uint32_t i = 0; i < mesh->head->attributes; i++) {
        *out = &mesh->attributes[i];
        if ((*out)->id == id) {
            return values;
        }
        values += (size_t)(*out)->components * mesh->head->points;
    }
    return NULL;
}

/* ---- asking for it --------------------------------------------------------------------------- */

/* Checks the first bytes (Draco bitstream specification, "Header"). Returns false after a
 * failure. */
static bool check_header(mrwi_load_json *json, const mrwi_load_gltf_view *view)
{
    const uint8_t *b = view->data;
    if (view->size < 11 || memcmp(b, "DRACO", 5) != 0) {
        mrwi_load_json_fail(json, "its buffer view does not contain a Draco mesh");
    } else if (b[5] != 2 || b[6] != 2) {
        mrwi_load_json_fail(json, "it uses Draco bitstream %d.%d, not 2.2", b[5], b[6]);
    } else if (b[7] != 1) {
        mrwi_load_json_fail(json, "it is a point cloud");
    }
    return mrwi_load_json_good(json);
}

bool mrwi_load_gltf_draco_has(const cJSON *primitive)
{
    const cJSON *extensions = cJSON_GetObjectItemCaseSensitive(primitive, "extensions");
    return cJSON_GetObjectItemCaseSensitive(extensions, EXTENSION);
}

/* A buffer that cannot be opened is tried again for each view of it, and may be large. */
#define MOST_FAILURES 16

/* Returns the view of a primitive that has the extension; MRW_NONE after a failure. */
static uint32_t open_view(mrwi_load_gltf_file *file, const cJSON *primitive)
{
    const cJSON *extension = mrwi_load_json_extension(&file->json, primitive, EXTENSION);
    const uint32_t view = mrwi_load_json_index(&file->json, extension, "bufferView",
                                               file->document->views.count, "buffer views");
    if (mrwi_load_json_good(&file->json) && view == MRW_NONE) {
        mrwi_load_json_fail(&file->json, "its " EXTENSION " has no \"bufferView\"");
    }
    if (view == MRW_NONE) {
        return MRW_NONE;
    }
    if (file->draco.failures >= MOST_FAILURES) {
        mrwi_load_json_fail(&file->json, "its buffer view cannot be opened, like others before it");
        return MRW_NONE;
    }
    const mrwi_load_gltf_view *bytes = mrwi_load_gltf_view_open(file, view);
    file->draco.failures += !bytes;
    return bytes && check_header(&file->json, bytes) ? view : MRW_NONE;
}

/* Collects the views of a mesh's compressed primitives, each once. Faults are reported when the
 * primitive is read. */
static void note_mesh(mrwi_load_gltf_file *file, const mrwi_load_json_list *primitives,
                      uint32_t *views)
{
    mrwi_load_json *json = &file->json;
    mrwi_load_gltf_draco *draco = &file->draco;
    for (uint32_t i = 0; i < primitives->count && mrwi_load_json_good(json); i++) {
        const cJSON *primitive = primitives->items[i];
        if (!mrwi_load_gltf_draco_has(primitive)) {
            continue;
        }
        mrwi_load_json_try(json);
        const uint32_t view = open_view(file, primitive);
        if (view != MRW_NONE && draco->mesh_of_view[view] == MRW_NONE) {
            draco->mesh_of_view[view] = draco->count;
            views[draco->count++] = view;
        }
        mrwi_load_json_forgive(json);
    }
}

/* Views may be the same or overlap, but their total size must stay in proportion to the buffers. */
#define MOST_OVERLAP 8

static bool check_size(mrwi_load_gltf_file *file, uint64_t size)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < file->document->buffers.count; i++) {
        most += file->bytes.buffers[i].data ? file->bytes.buffers[i].size : 0;
    }
    for (uint32_t i = 0; i < file->document->views.count; i++) {
        most += file->bytes.views[i].owned ? file->bytes.views[i].size : 0;
    }
    if (size > MOST_OVERLAP * most) {
        mrwi_load_json_fail(&file->json, "its buffer views of " EXTENSION " overlap");
    }
    return mrwi_load_json_good(&file->json);
}

/* Makes a request (load/draco.h), for mrwi_base_free. */
static uint8_t *make_request(mrwi_load_gltf_file *file, const uint32_t *views, size_t *size)
{
    const uint64_t count = file->draco.count;
    uint64_t at = sizeof count + count * sizeof(mrwi_load_draco_range), bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += file->bytes.views[views[i]].size;
    }
    if (!check_size(file, bytes)) {
        return NULL;
    }
    *size = (size_t)(at + bytes);
    uint8_t *request = mrwi_base_alloc(*size, 1);
    if (!request) {
        mrwi_load_json_fail_memory(&file->json, *size);
        return NULL;
    }
    memcpy(request, &count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        const mrwi_load_gltf_view *view = &file->bytes.views[views[i]];
        const mrwi_load_draco_range range = {at, view->size};
        memcpy(request + sizeof count + i * sizeof range, &range, sizeof range);
        memcpy(request + at, view->data, (size_t)view->size);
        at += view->size;
    }
    return request;
}

/* Asks the importer. If a file makes it fail, only the file's compressed meshes are lost. */
static void ask(mrwi_load_gltf_file *file, const uint32_t *views, mrwi_scene_builder *builder)
{
    mrwi_load_gltf_draco *draco = &file->draco;
    size_t size = 0;
    mrw_error why = {MRW_OK, ""};
    uint8_t *request = make_request(file, views, &size);
    if (!request) {
        return;
    }
    mrw_status status =
        mrwi_load_draco_decode(file->job, request, size, &draco->answer, &draco->answer_size, &why);
    mrwi_base_free(request);
    if (status == MRW_ERROR_INPUT) {
        mrwi_scene_builder_warn(builder, "its compressed meshes could not be decoded: %s",
                                why.text);
    } else if (status) {
        mrwi_load_json_ok(&file->json, mrwi_base_fail(file->json.error, status, "%s", why.text));
    } else if (draco->answer_size < draco->count * sizeof(mrwi_load_draco_range)) {
        mrwi_base_free(draco->answer);
        draco->answer = NULL;
    }
}

bool mrwi_load_gltf_draco_decode(mrwi_load_gltf_file *file, mrwi_base_arena *keep,
                                 const mrwi_load_gltf_tree *tree, mrwi_scene_builder *builder)
{
    mrwi_load_json *json = &file->json;
    const uint32_t meshes = file->document->meshes.count, views = file->document->views.count;
    uint32_t *wanted = mrwi_load_json_alloc(json, keep, views, sizeof *wanted);
    file->draco.mesh_of_view = mrwi_load_json_alloc_none(json, keep, views);
    for (uint32_t i = 0; i < meshes && mrwi_load_json_good(json); i++) {
        if (tree->meshes[i].drawn) {
            note_mesh(file, &tree->meshes[i].primitive_list, wanted);
        }
    }
    if (mrwi_load_json_good(json) && file->draco.count > 0) {
        ask(file, wanted, builder);
    }
    return mrwi_load_json_good(json);
}

/* ---- rows of accessors ----------------------------------------------------------------------- */

static void store(uint8_t *p, uint32_t value, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        p[i] = (uint8_t)(value >> 8 * i & 255);
    }
}

/* Makes the floats that the accessor would have; NULL after a failure. */
static uint8_t *make_floats(mrwi_load_gltf_file *file, const mrwi_load_draco_attribute *a,
                            const uint32_t *values, uint32_t points, uint32_t width)
{
    const size_t count = (size_t)points * width;
    float *floats = mrwi_load_gltf_scratch(file, count, sizeof *floats);
    if (!floats) {
        return NULL;
    }
    switch ((mrwi_load_draco_kind)a->kind) {
    case MRWI_LOAD_DRACO_FLOATS:
        memcpy(floats, values, count * sizeof *floats);
        break;
    case MRWI_LOAD_DRACO_QUANTIZED:
        mrwi_load_draco_dequantize(a, values, points, floats);
        break;
    case MRWI_LOAD_DRACO_OCTAHEDRAL:
        for (size_t i = 0; i < points; i++) {
            mrwi_load_draco_octahedral(values[2 * i], values[2 * i + 1], a->bits, floats + 3 * i);
        }
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            floats[i] = (float)(int32_t)values[i];
        }
    }
    for (size_t i = 0; i < count; i++) { /* accessors are little-endian */
        uint32_t bits;
        memcpy(&bits, floats + i, sizeof bits);
        store((uint8_t *)(floats + i), bits, sizeof bits);
    }
    return (uint8_t *)floats;
}

/* Makes integers of the accessor's type; NULL, without a failure, if one does not fit. */
static uint8_t *make_integers(mrwi_load_gltf_file *file, const uint32_t *values, size_t count,
                              const mrwi_load_accessor *a)
{
    static const struct {
        uint32_t type, size;
        int64_t low, high;
    } types[] = {{MRWI_LOAD_INT8, 1, INT8_MIN, INT8_MAX},
                 {MRWI_LOAD_UINT8, 1, 0, UINT8_MAX},
                 {MRWI_LOAD_INT16, 2, INT16_MIN, INT16_MAX},
                 {MRWI_LOAD_UINT16, 2, 0, UINT16_MAX},
                 {MRWI_LOAD_UINT32, 4, INT32_MIN, INT32_MAX}};
    size_t t = 0;
    while (t + 1 < sizeof types / sizeof *types && types[t].type != a->type) {
        t++;
    }
    uint8_t *out = mrwi_load_gltf_scratch(file, count, types[t].size);
    for (size_t i = 0; out && i < count; i++) {
        const int32_t value = (int32_t)values[i];
        if (value < types[t].low || value > types[t].high) {
            return NULL;
        }
        store(out + i * types[t].size, values[i], types[t].size);
    }
    return out;
}

/* Makes the rows of one accessor. Returns false after a failure. */
static bool make_rows(mrwi_load_gltf_file *file, const char *name, uint32_t accessor,
                      const mrwi_load_draco_attribute *attribute, const uint32_t *values)
{
    mrwi_load_json *json = &file->json;
    mrwi_load_gltf_draco *draco = &file->draco;
    mrwi_load_accessor a;
    char escaped[64];
    if (!mrwi_load_accessor_describe(file, accessor, &a) ||
        !mrwi_load_gltf_charge(file, draco->points)) {
        return false;
    }
    const uint32_t width = mrwi_load_accessor_width(&a);
    const bool octahedral = attribute->kind == MRWI_LOAD_DRACO_OCTAHEDRAL;
    const bool integers = a.type != MRWI_LOAD_FLOAT;
    uint8_t *rows = NULL;
    if (a.columns == 1 && width == (octahedral ? 3 : attribute->components)) {
        if (!integers) {
            rows = make_floats(file, attribute, values, draco->points, width);
        } else if (attribute->kind == MRWI_LOAD_DRACO_INTEGERS) {
            rows = make_integers(file, values, (size_t)draco->points * width, &a);
        }
    }
    if (!rows) {
        mrwi_load_json_fail(json,
                            "its %s, accessor %" PRIu32 ", has a different type in its Draco mesh",
                            mrwi_base_escape(name, escaped, sizeof escaped), accessor);
        return false;
    }
    draco->wrong_counts += a.count != draco->points;
    draco->rows[draco->row_count++] = (mrwi_load_gltf_rows){accessor, rows};
    return true;
}

static bool make_attribute(mrwi_load_gltf_file *file, const decoded *mesh, const cJSON *ids,
                           const cJSON *item)
{
    mrwi_load_json *json = &file->json;
    const mrwi_load_draco_attribute *attribute = NULL;
    const uint64_t id = mrwi_load_json_uint(json, ids, item->string, 0, UINT32_MAX);
    const uint32_t accessor = mrwi_load_json_index_value(
        json, item, "attributes", file->document->accessors.count, "accessors");
    const uint32_t *values = find_attribute(mesh, id, &attribute);
    char escaped[64];
    if (!mrwi_load_json_good(json)) {
        return false;
    }
    if (!values) {
        mrwi_load_json_fail(json,
                            "its %s is attribute %" PRIu64
                            " of its Draco mesh, which has no attribute with that number",
                            mrwi_base_escape(item->string, escaped, sizeof escaped), id);
        return false;
    }
    for (uint32_t i = 0; i < file->draco.row_count; i++) {
        if (file->draco.rows[i].accessor == accessor) {
            return true; /* the same attribute again */
        }
    }
    return make_rows(file, item->string, accessor, attribute, values);
}

/* ---- a primitive ----------------------------------------------------------------------------- */

static bool has_view(const mrwi_load_gltf_file *file, const cJSON *accessor)
{
    const uint32_t count = file->document->accessors.count;
    const bool legal = cJSON_IsNumber(accessor) && accessor->valuedouble >= 0.0 &&
                       accessor->valuedouble < (double)count;
    return legal && cJSON_GetObjectItemCaseSensitive(
                        file->document->accessors.items[mrwi_base_to_u32(accessor->valuedouble)],
                        "bufferView");
}

/* Returns true if everything compressed also exists uncompressed. */
static bool has_fallback(mrwi_load_gltf_file *file, const cJSON *primitive)
{
    const cJSON *extensions = cJSON_GetObjectItemCaseSensitive(primitive, "extensions");
    const cJSON *extension = cJSON_GetObjectItemCaseSensitive(extensions, EXTENSION);
    const cJSON *compressed = cJSON_GetObjectItemCaseSensitive(extension, "attributes");
    const cJSON *plain = cJSON_GetObjectItemCaseSensitive(primitive, "attributes");
    bool all = has_view(file, cJSON_GetObjectItemCaseSensitive(primitive, "indices"));
    for (const cJSON *item = compressed ? compressed->child : NULL; item && all;
         item = item->next) {
        all = has_view(file, cJSON_GetObjectItemCaseSensitive(plain, item->string));
    }
    return all;
}

static void warn_counts(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                        const cJSON *primitive)
{
    mrwi_load_gltf_draco *draco = &file->draco;
    const cJSON *indices = cJSON_GetObjectItemCaseSensitive(primitive, "indices");
    const cJSON *mode = cJSON_GetObjectItemCaseSensitive(primitive, "mode");
    mrwi_load_accessor a = {0};
    if (indices && (!mode || mode->valueint == 4)) {
        const uint32_t accessor = mrwi_load_json_index(
            &file->json, primitive, "indices", file->document->accessors.count, "accessors");
        if (accessor != MRW_NONE && mrwi_load_accessor_describe(file, accessor, &a)) {
            draco->wrong_counts += a.count != draco->index_count;
        }
    }
    if (draco->wrong_counts > 0) {
        mrwi_scene_builder_warn(
            builder,
            "%s: %" PRIu32
            " of its accessors have different counts from its Draco mesh, which has %" PRIu32
            " points and %" PRIu32 " indices: the counts of the Draco mesh are used",
            file->json.where, draco->wrong_counts, draco->points, draco->index_count);
    }
}

/* Returns true for a quantisation that no model has: dequantised values might not be finite. */
static bool is_absurd(const mrwi_load_draco_attribute *a)
{
    const float most = 1e28f;
    bool sane = a->kind != MRWI_LOAD_DRACO_QUANTIZED || fabsf(a->range) < most;
    for (uint32_t i = 0; i < a->components; i++) {
        sane = sane && (a->kind != MRWI_LOAD_DRACO_QUANTIZED || fabsf(a->minimum[i]) < most);
    }
    return !sane;
}

/* Opens the decoded mesh of a primitive. Returns false after a failure. */
static bool open_mesh(mrwi_load_gltf_file *file, const cJSON *primitive, decoded *out)
{
    mrwi_load_json *json = &file->json;
    const mrwi_load_gltf_draco *draco = &file->draco;
    const uint32_t view = open_view(file, primitive);
    char reason[160];
    if (view == MRW_NONE) {
        return false;
    }
    if (!draco->answer || draco->mesh_of_view[view] == MRW_NONE ||
        !find_mesh(draco, draco->mesh_of_view[view], out)) {
        mrwi_load_json_fail(json, "the importer returned nothing for it");
        return false;
    }
    if (out->head->failed) {
        mrwi_load_json_fail(json, "%s", mrwi_base_escape(out->head->reason, reason, sizeof reason));
        return false;
    }
    for (uint32_t i = 0; i < out->head->attributes; i++) {
        if (is_absurd(&out->attributes[i])) {
            mrwi_load_json_fail(json, "its quantisation is out of range");
            return false;
        }
    }
    return true;
}

bool mrwi_load_gltf_draco_begin(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                                const cJSON *primitive)
{
    mrwi_load_json *json = &file->json;
    mrwi_load_gltf_draco *draco = &file->draco;
    const cJSON *extension = mrwi_load_json_extension(json, primitive, EXTENSION);
    const cJSON *ids = mrwi_load_json_object(json, extension, "attributes");
    const cJSON *named = mrwi_load_json_object(json, primitive, "attributes");
    decoded mesh;
    uint32_t count = 0;
    if (!mrwi_load_json_good(json) || !open_mesh(file, primitive, &mesh)) {
        return false;
    }
    for (const cJSON *item = named ? named->child : NULL; item; item = item->next) {
        count++;
    }
    draco->points = mesh.head->points;
    draco->index_count = mesh.head->faces * 3;
    draco->rows = mrwi_load_gltf_scratch(file, count, sizeof *draco->rows);
    for (const cJSON *item = named ? named->child : NULL; item && draco->rows; item = item->next) {
        if (cJSON_GetObjectItemCaseSensitive(ids, item->string) &&
            !make_attribute(file, &mesh, ids, item)) {
            return false;
        }
    }
    if (draco->rows && mrwi_load_gltf_charge(file, draco->index_count)) {
        draco->indices = mesh.indices;
        warn_counts(file, builder, primitive);
    }
    return mrwi_load_json_good(json);
}

void mrwi_load_gltf_draco_end(mrwi_load_gltf_file *file)
{
    mrwi_load_gltf_draco *draco = &file->draco;
    draco->rows = NULL;
    draco->indices = NULL;
    draco->row_count = draco->wrong_counts = 0;
}

bool mrwi_load_gltf_draco_warn(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                               const cJSON *primitive)
{
    const bool plain = has_fallback(file, primitive);
    mrwi_scene_builder_warn(
        builder, "%s: its Draco mesh cannot be read: %s; %s", file->json.where, file->json.reason,
        plain ? "its accessors have data of their own, which is used instead"
              : "it is skipped: compress the model again, or export it without compression");
    return plain;
}

const uint8_t *mrwi_load_gltf_draco_rows(const mrwi_load_gltf_file *file, uint32_t accessor,
                                         uint32_t *count)
{
    for (uint32_t i = 0; i < file->draco.row_count; i++) {
        if (file->draco.rows[i].accessor == accessor) {
            *count = file->draco.points;
            return file->draco.rows[i].bytes;
        }
    }
    return NULL;
}
