/* gltf_json.c: typed, checked access to a cJSON tree; messages name the place in the file. */
#include "load/gltf_json.h"

#include "base/json_parse.h"
#include "base/math.h"
#include "base/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void mrwi_load_json_begin(mrwi_load_json *json, const char *file, mrw_error *error)
{
    memset(json, 0, sizeof *json);
    mrwi_base_escape(file, json->file, sizeof json->file);
    json->error = error;
}

/* The remedy for most damage. A reason that has a better one appends it after a semicolon. */
#define USUAL_REMEDY "; export the model again"

void mrwi_load_json_fail(mrwi_load_json *json, const char *format, ...)
{
    if (json->status) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(json->reason, sizeof json->reason, format, arguments);
    va_end(arguments);
    json->status =
        json->trying ? MRW_ERROR_INPUT
                     : mrwi_base_fail(json->error, MRW_ERROR_INPUT, "%s: %s%s%s%s", json->file,
                                      json->where, json->where[0] != '\0' ? ": " : "", json->reason,
                                      !strchr(json->reason, ';') ? USUAL_REMEDY : "");
}

void mrwi_load_json_try(mrwi_load_json *json)
{
    json->trying = true;
    json->reason[0] = '\0';
}

bool mrwi_load_json_forgive(mrwi_load_json *json)
{
    const bool failed = json->trying && json->status && json->reason[0] != '\0';
    json->trying = false;
    json->status = failed ? MRW_OK : json->status;
    return failed;
}

void mrwi_load_json_fail_memory(mrwi_load_json *json, size_t bytes)
{
    if (!json->status) {
        json->status = mrwi_base_fail_memory(json->error, bytes);
    }
}

bool mrwi_load_json_ok(mrwi_load_json *json, mrw_status status)
{
    if (!json->status) {
        json->status = status;
    }
    return !json->status;
}

void *mrwi_load_json_alloc(mrwi_load_json *json, mrwi_base_arena *arena, size_t count, size_t size)
{
    void *block = mrwi_base_arena_alloc(arena, count, size);
    if (!block) {
        mrwi_load_json_fail_memory(json, count * size);
    }
    return block;
}

void *mrwi_load_json_alloc_zero(mrwi_load_json *json, mrwi_base_arena *arena, size_t count,
                                size_t size)
{
    void *block = mrwi_load_json_alloc(json, arena, count, size);
    return block ? memset(block, 0, count * size) : NULL;
}

uint32_t *mrwi_load_json_alloc_none(mrwi_load_json *json, mrwi_base_arena *arena, size_t count)
{
    uint32_t *indices = mrwi_load_json_alloc(json, arena, count, sizeof *indices);
    return indices ? memset(indices, 0xff, count * sizeof *indices) : NULL;
}

size_t mrwi_load_json_enter(mrwi_load_json *json, const char *format, ...)
{
    size_t mark = strlen(json->where), room = sizeof json->where - mark;
    int gap = mark > 0 ? snprintf(json->where + mark, room, ": ") : 0;
    if ((size_t)gap < room) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(json->where + mark + gap, room - (size_t)gap, format, arguments);
        va_end(arguments);
    }
    return mark;
}

void mrwi_load_json_leave(mrwi_load_json *json, size_t mark)
{
    json->where[mark] = '\0';
}

/* ---- parsing --------------------------------------------------------------------------------- */

static void fail_syntax(mrwi_load_json *json, const char *text, size_t size, const char *end)
{
    size_t offset = end && end >= text ? (size_t)(end - text) : 0, line = 1, column = 1;
    offset = offset < size ? offset : size;
    for (size_t i = 0; i < offset; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    mrwi_load_json_fail(
        json,
        "the JSON is damaged or cut short near line %zu, column %zu; export or copy the "
        "file again",
        line, column);
}

/* Removes members that are null. Some exporters write null for an optional property without a
 * value. The parser limits how deep values nest. */
static void drop_null_members(cJSON *parent)
{
    cJSON *next;
    for (cJSON *item = parent->child; item; item = next) {
        next = item->next;
        if (cJSON_IsNull(item) && cJSON_IsObject(parent)) {
            cJSON_Delete(cJSON_DetachItemViaPointer(parent, item));
        } else {
            drop_null_members(item);
        }
    }
}

cJSON *mrwi_load_json_parse(mrwi_load_json *json, const char *text, size_t size,
                            uint64_t max_values)
{
    if (mrwi_base_json_count(text, size) > max_values) {
        mrwi_load_json_fail(json, "its JSON contains more than %" PRIu64 " values; split the model",
                            max_values);
        return NULL;
    }
    const char *end;
    cJSON *root;
    if (mrwi_base_json_is_deep(text, size, &end)) {
        mrwi_load_json_fail(json, "its JSON nests more than %d levels at byte %zu",
                            MRWI_BASE_JSON_DEEPEST, (size_t)(end - text - 1));
        return NULL;
    }
    mrw_status status = mrwi_base_json_parse(text, size, &root, &end);
    if (status == MRW_ERROR_MEMORY) {
        mrwi_load_json_fail_memory(json, 0);
        return NULL;
    }
    if (status) {
        fail_syntax(json, text, size, end);
        return NULL;
    }
    if (!cJSON_IsObject(root)) {
        mrwi_load_json_fail(json, "the JSON is not an object, so this is not glTF");
        cJSON_Delete(root);
        return NULL;
    }
    drop_null_members(root);
    return root;
}

/* ---- getters --------------------------------------------------------------------------------- */

/* The objects of glTF have a few dozen keys. A million would be walked again for every primitive,
 * texture or channel that refers to the object. */
#define MAX_KEYS 1000

static const cJSON *find(mrwi_load_json *json, const cJSON *object, const char *key)
{
    uint32_t keys = 0;
    for (const cJSON *item = object ? object->child : NULL; item; item = item->next) {
        if (strcmp(item->string, key) == 0) {
            return item;
        }
        if (++keys == MAX_KEYS) {
            mrwi_load_json_fail(json, "an object has more than %d keys", MAX_KEYS);
            return NULL;
        }
    }
    return NULL;
}

static const cJSON *find_typed(mrwi_load_json *json, const cJSON *object, const char *key,
                               cJSON_bool (*is_type)(const cJSON *), const char *type)
{
    const cJSON *value = find(json, object, key);
    if (value && !is_type(value)) {
        mrwi_load_json_fail(json, "\"%s\" must be %s", key, type);
        return NULL;
    }
    return value;
}

const cJSON *mrwi_load_json_object(mrwi_load_json *json, const cJSON *object, const char *key)
{
    return find_typed(json, object, key, cJSON_IsObject, "an object");
}

const cJSON *mrwi_load_json_array(mrwi_load_json *json, const cJSON *object, const char *key)
{
    return find_typed(json, object, key, cJSON_IsArray, "an array");
}

const cJSON *mrwi_load_json_extension(mrwi_load_json *json, const cJSON *object, const char *name)
{
    return mrwi_load_json_object(json, mrwi_load_json_object(json, object, "extensions"), name);
}

const char *mrwi_load_json_string(mrwi_load_json *json, const cJSON *object, const char *key)
{
    const cJSON *value = find_typed(json, object, key, cJSON_IsString, "a string");
    return value ? value->valuestring : NULL;
}

bool mrwi_load_json_bool(mrwi_load_json *json, const cJSON *object, const char *key)
{
    const cJSON *value = find_typed(json, object, key, cJSON_IsBool, "true or false");
    return value && cJSON_IsTrue(value);
}

static bool fits_float(const cJSON *value)
{
    return cJSON_IsNumber(value) && fabs(value->valuedouble) <= FLT_MAX;
}

double mrwi_load_json_number(mrwi_load_json *json, const cJSON *object, const char *key,
                             double absent)
{
    const cJSON *value = find(json, object, key);
    if (!value) {
        return absent;
    }
    if (!fits_float(value)) {
        mrwi_load_json_fail(json, "\"%s\" must be a finite number", key);
        return absent;
    }
    return value->valuedouble;
}

uint64_t mrwi_load_json_uint(mrwi_load_json *json, const cJSON *object, const char *key,
                             uint64_t absent, uint64_t max)
{
    const cJSON *value = find(json, object, key);
    if (!value) {
        return absent;
    }
    double number = cJSON_IsNumber(value) ? value->valuedouble : -1.0;
    /* Whole numbers are exact in a double up to 2^53. */
    if (!(number >= 0.0 && number <= 9007199254740992.0) || floor(number) != number ||
        mrwi_base_to_u64(number) > max) {
        mrwi_load_json_fail(json, "\"%s\" must be a whole number from 0 to %" PRIu64, key, max);
        return absent;
    }
    return mrwi_base_to_u64(number);
}

uint32_t mrwi_load_json_index_value(mrwi_load_json *json, const cJSON *value, const char *key,
                                    uint32_t count, const char *what)
{
    double number = cJSON_IsNumber(value) ? value->valuedouble : -1.0;
    if (!(number >= 0.0) || floor(number) != number) {
        mrwi_load_json_fail(json, "\"%s\" must be an index (0, 1, 2 ...)", key);
        return MRW_NONE;
    }
    if (number >= (double)count) {
        mrwi_load_json_fail(json, "\"%s\" is %" PRIu64 ", but the file has %" PRIu32 " %s", key,
                            mrwi_base_to_u64(number < 1e15 ? number : 1e15), count, what);
        return MRW_NONE;
    }
    return mrwi_base_to_u32(number);
}

uint32_t mrwi_load_json_index(mrwi_load_json *json, const cJSON *object, const char *key,
                              uint32_t count, const char *what)
{
    const cJSON *value = find(json, object, key);
    return !value ? MRW_NONE : mrwi_load_json_index_value(json, value, key, count, what);
}

bool mrwi_load_json_floats(mrwi_load_json *json, const cJSON *object, const char *key, float *out,
                           uint32_t count)
{
    const cJSON *array = mrwi_load_json_array(json, object, key);
    if (!array) {
        return false;
    }
    float values[16];
    uint32_t n = 0;
    for (const cJSON *item = array->child; item; item = item->next, n++) {
        if (n >= count || !fits_float(item)) {
            n = count + 1;
            break;
        }
        values[n] = (float)item->valuedouble;
    }
    if (n != count) {
        mrwi_load_json_fail(json, "\"%s\" must be %" PRIu32 " finite numbers", key, count);
        return false;
    }
    memcpy(out, values, count * sizeof *out);
    return true;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static uint32_t count_children(const cJSON *array)
{
    uint32_t count = 0;
    for (const cJSON *item = array ? array->child : NULL; item; item = item->next) {
        count++; /* mrwi_load_json_parse has limited it */
    }
    return count;
}

mrwi_load_json_list mrwi_load_json_objects(mrwi_load_json *json, mrwi_base_arena *arena,
                                           const cJSON *object, const char *key)
{
    const mrwi_load_json_list none = {NULL, 0};
    const cJSON *array = mrwi_load_json_array(json, object, key);
    uint32_t count = count_children(array), n = 0;
    if (count == 0) {
        return none;
    }
    const cJSON **items = mrwi_load_json_alloc(json, arena, count, sizeof *items);
    if (!items) {
        return none;
    }
    for (const cJSON *item = array->child; item; item = item->next) {
        if (!cJSON_IsObject(item)) {
            mrwi_load_json_fail(json, "entry %" PRIu32 " of \"%s\" must be an object", n, key);
            return none;
        }
        items[n++] = item;
    }
    return (mrwi_load_json_list){items, count};
}

uint32_t *mrwi_load_json_indices(mrwi_load_json *json, mrwi_base_arena *arena, const cJSON *object,
                                 const char *key, uint32_t count, const char *what,
                                 uint32_t *length)
{
    const cJSON *array = mrwi_load_json_array(json, object, key);
    uint32_t n = 0;
    *length = 0;
    uint32_t *out = mrwi_load_json_alloc(json, arena, count_children(array), sizeof *out);
    if (!out) {
        return NULL;
    }
    for (const cJSON *item = array ? array->child : NULL; item; item = item->next) {
        out[n] = mrwi_load_json_index_value(json, item, key, count, what);
        if (out[n++] == MRW_NONE) {
            return NULL;
        }
    }
    *length = n;
    return out;
}
