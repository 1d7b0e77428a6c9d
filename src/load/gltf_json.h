/* gltf_json.h: typed, checked access to a cJSON tree, with messages that say where.
 *
 * Failures are sticky: the first one is written to `error` and kept in `status`; every getter may
 * be called after it and returns its default. So a reader asks for all it needs and looks at
 * `status` once, before it trusts what it got.
 */
#ifndef MRWI_LOAD_GLTF_JSON_H
#define MRWI_LOAD_GLTF_JSON_H

#include "base/memory.h"
#include "marrow/base.h"

#include <cjson/cJSON.h>

typedef struct mrwi_load_json {
    char file[256];  /* the file's name, escaped for messages */
    char where[160]; /* the element at hand, as "mesh 0 primitive 1"; never text from the file */
    mrw_error *error;
    mrw_status status; /* the first failure */
    bool trying;       /* see mrwi_load_json_try */
    char reason[512];
} mrwi_load_json;

/* The children of a JSON array, so that any of them is found at once (cJSON keeps a linked list).
 */
typedef struct mrwi_load_json_list {
    const cJSON **items;
    uint32_t count;
} mrwi_load_json_list;

void mrwi_load_json_begin(mrwi_load_json *json, const char *file, mrw_error *error);

static inline bool mrwi_load_json_good(const mrwi_load_json *json)
{
    return json->status == MRW_OK;
}

/* Records a failure of the file as "file: where: reason; remedy"; later ones are ignored. Without a
 * semicolon in it, the reason gets the usual remedy. */
void mrwi_load_json_fail(mrwi_load_json *json, const char *format, ...) MRW_PRINTF(2, 3);
void mrwi_load_json_fail_memory(mrwi_load_json *json, size_t bytes);
/* For what can be left out: from mrwi_load_json_try on, what mrwi_load_json_fail is told is kept in
 * `reason` alone, and mrwi_load_json_forgive takes it back: true when there was any. */
void mrwi_load_json_try(mrwi_load_json *json);
bool mrwi_load_json_forgive(mrwi_load_json *json);
/* Records the status of a call that has already filled `error`. */
bool mrwi_load_json_ok(mrwi_load_json *json, mrw_status status);

/* Memory of an arena, or NULL and a sticky failure: as it is, zeroed, or set to MRW_NONE. */
void *mrwi_load_json_alloc(mrwi_load_json *json, mrwi_base_arena *arena, size_t count, size_t size);
void *mrwi_load_json_alloc_zero(mrwi_load_json *json, mrwi_base_arena *arena, size_t count,
                                size_t size);
uint32_t *mrwi_load_json_alloc_none(mrwi_load_json *json, mrwi_base_arena *arena, size_t count);

/* Appends to `where` until the matching leave, which is given what enter returned. */
size_t mrwi_load_json_enter(mrwi_load_json *json, const char *format, ...) MRW_PRINTF(2, 3);
void mrwi_load_json_leave(mrwi_load_json *json, size_t mark);

/* Parses text (at most max_values values, counted before memory is taken). A member of an object
 * whose value is null is absent from the tree. NULL after a failure; the caller deletes the tree.
 */
cJSON *mrwi_load_json_parse(mrwi_load_json *json, const char *text, size_t size,
                            uint64_t max_values);

/* The getters take NULL as object: everything is absent then. */
const cJSON *mrwi_load_json_object(mrwi_load_json *json, const cJSON *object, const char *key);
const cJSON *mrwi_load_json_array(mrwi_load_json *json, const cJSON *object, const char *key);
/* object.extensions.name, or NULL */
const cJSON *mrwi_load_json_extension(mrwi_load_json *json, const cJSON *object, const char *name);
const char *mrwi_load_json_string(mrwi_load_json *json, const cJSON *object, const char *key);
bool mrwi_load_json_bool(mrwi_load_json *json, const cJSON *object, const char *key);
/* A finite number that fits a float. */
double mrwi_load_json_number(mrwi_load_json *json, const cJSON *object, const char *key,
                             double absent);
/* A whole number of 0 ... max. */
uint64_t mrwi_load_json_uint(mrwi_load_json *json, const cJSON *object, const char *key,
                             uint64_t absent, uint64_t max);
/* An index below count, MRW_NONE when absent; `what` names the array in the message. */
uint32_t mrwi_load_json_index(mrwi_load_json *json, const cJSON *object, const char *key,
                              uint32_t count, const char *what);
/* The same of a value already found. */
uint32_t mrwi_load_json_index_value(mrwi_load_json *json, const cJSON *value, const char *key,
                                    uint32_t count, const char *what);
/* Exactly count finite numbers; false, and out left alone, when absent or wrong. */
bool mrwi_load_json_floats(mrwi_load_json *json, const cJSON *object, const char *key, float *out,
                           uint32_t count);

/* An array of objects, indexed; empty when absent. The memory is the arena's. */
mrwi_load_json_list mrwi_load_json_objects(mrwi_load_json *json, mrwi_base_arena *arena,
                                           const cJSON *object, const char *key);
/* An array of indices below count. */
uint32_t *mrwi_load_json_indices(mrwi_load_json *json, mrwi_base_arena *arena, const cJSON *object,
                                 const char *key, uint32_t count, const char *what,
                                 uint32_t *length);

#endif
