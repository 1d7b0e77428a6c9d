/* gltf_json.h: typed, checked access to a cJSON tree; messages name the place in the file.
 *
 * Failures are sticky: the first one is written to `error` and kept in `status`. Every getter may
 * be called after it and returns its default. So a reader gets everything it needs and checks
 * `status` once, before it trusts the values. */
#ifndef MRWI_LOAD_GLTF_JSON_H
#define MRWI_LOAD_GLTF_JSON_H

#include "base/memory.h"
#include "marrow/base.h"

#include <cjson/cJSON.h>

typedef struct mrwi_load_json {
    char file[256];  /* the file's name, escaped for messages */
    char where[160]; /* the current element, as "mesh 0 primitive 1"; never text from the file */
    mrw_error *error;
    mrw_status status; /* the first failure */
    bool trying;       /* see mrwi_load_json_try */
    char reason[512];
} mrwi_load_json;

/* The children of a JSON array, for access by index (cJSON keeps a linked list). */
typedef struct mrwi_load_json_list {
    const cJSON **items;
    uint32_t count;
} mrwi_load_json_list;

void mrwi_load_json_begin(mrwi_load_json *json, const char *file, mrw_error *error);

static inline bool mrwi_load_json_good(const mrwi_load_json *json)
{
    return !json->status;
}

/* Records a failure of the file as "file: where: reason; remedy"; later ones are ignored. A reason
 * without a semicolon gets the usual remedy. */
void mrwi_load_json_fail(mrwi_load_json *json, const char *format, ...) MRW_PRINTF(2, 3);
void mrwi_load_json_fail_memory(mrwi_load_json *json, size_t bytes);
/* Handles parts that can be left out: after mrwi_load_json_try, mrwi_load_json_fail only fills
 * `reason`. mrwi_load_json_forgive takes the failure back, and returns true if there was one. */
void mrwi_load_json_try(mrwi_load_json *json);
bool mrwi_load_json_forgive(mrwi_load_json *json);
/* Records the status of a call that has already filled `error`. */
bool mrwi_load_json_ok(mrwi_load_json *json, mrw_status status);

/* Allocates from an arena: uninitialised, zeroed, or set to MRW_NONE. NULL and a sticky failure
 * when out of memory. */
void *mrwi_load_json_alloc(mrwi_load_json *json, mrwi_base_arena *arena, size_t count, size_t size);
void *mrwi_load_json_alloc_zero(mrwi_load_json *json, mrwi_base_arena *arena, size_t count,
                                size_t size);
uint32_t *mrwi_load_json_alloc_none(mrwi_load_json *json, mrwi_base_arena *arena, size_t count);

/* Appends to `where` until the matching leave, which is given what enter returned. */
size_t mrwi_load_json_enter(mrwi_load_json *json, const char *format, ...) MRW_PRINTF(2, 3);
void mrwi_load_json_leave(mrwi_load_json *json, size_t mark);

/* Parses text (at most max_values values, counted before memory is taken). Members whose value is
 * null are absent from the tree. NULL after a failure. The caller deletes the tree. */
cJSON *mrwi_load_json_parse(mrwi_load_json *json, const char *text, size_t size,
                            uint64_t max_values);

/* The getters accept NULL as object: then everything is absent. */
const cJSON *mrwi_load_json_object(mrwi_load_json *json, const cJSON *object, const char *key);
const cJSON *mrwi_load_json_array(mrwi_load_json *json, const cJSON *object, const char *key);
/* Returns object.extensions.name, or NULL. */
const cJSON *mrwi_load_json_extension(mrwi_load_json *json, const cJSON *object, const char *name);
const char *mrwi_load_json_string(mrwi_load_json *json, const cJSON *object, const char *key);
bool mrwi_load_json_bool(mrwi_load_json *json, const cJSON *object, const char *key);
/* Reads a finite number that fits a float. */
double mrwi_load_json_number(mrwi_load_json *json, const cJSON *object, const char *key,
                             double absent);
/* Reads a whole number from 0 to max. */
uint64_t mrwi_load_json_uint(mrwi_load_json *json, const cJSON *object, const char *key,
                             uint64_t absent, uint64_t max);
/* Reads an index below count; MRW_NONE if absent. `what` names the array in the message. */
uint32_t mrwi_load_json_index(mrwi_load_json *json, const cJSON *object, const char *key,
                              uint32_t count, const char *what);
/* Reads an index from a value that was found. */
uint32_t mrwi_load_json_index_value(mrwi_load_json *json, const cJSON *value, const char *key,
                                    uint32_t count, const char *what);
/* Reads exactly count finite numbers. Returns false, and leaves out unchanged, if they are absent
 * or wrong. */
bool mrwi_load_json_floats(mrwi_load_json *json, const cJSON *object, const char *key, float *out,
                           uint32_t count);

/* Indexes an array of objects; empty if absent. The memory is the arena's. */
mrwi_load_json_list mrwi_load_json_objects(mrwi_load_json *json, mrwi_base_arena *arena,
                                           const cJSON *object, const char *key);
/* Reads an array of indices below count. */
uint32_t *mrwi_load_json_indices(mrwi_load_json *json, mrwi_base_arena *arena, const cJSON *object,
                                 const char *key, uint32_t count, const char *what,
                                 uint32_t *length);

#endif
