/* results_read.c: reads results from results.json, which may come from anyone and hold anything.
 *
 * Failures are sticky: the reader keeps the first one. A getter that is called after a failure
 * returns a harmless value, so each struct is filled in one go and the status is tested once.
 */
#include "report/results.h"

#include "base/file.h"
#include "base/json_parse.h"
#include "base/links.h"
#include "base/math.h"
#include "base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_FILE_SIZE ((uint64_t)128 << 20)
#define MAX_VALUES    ((uint64_t)4000000) /* cJSON needs about 100 bytes per value */
#define MAX_TEXT      ((size_t)64 << 10)
#define MAX_WHOLE     ((uint64_t)1 << 53) /* a double holds every whole number up to this */
#define MAX_DOUBLE    1e300

typedef struct reader {
    char file[512]; /* The path for messages, escaped. */
    size_t at_case; /* Number of the current case, from 1; 0 outside cases. */
    size_t at_frame;
    mrwi_base_arena *arena;
    mrw_error *error;
    mrw_status status;
} reader;

/* Fails with a message that names the file, the case and the frame, unless it has failed already.
 */
static void fail(reader *r, const char *format, ...) MRW_PRINTF(2, 3);
static void fail(reader *r, const char *format, ...)
{
    char reason[300], where[80] = "";
    if (r->status) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (r->at_frame > 0) {
        snprintf(where, sizeof where, "case %zu, frame %zu: ", r->at_case, r->at_frame);
    } else if (r->at_case > 0) {
        snprintf(where, sizeof where, "case %zu: ", r->at_case);
    }
    r->status = mrwi_base_fail(r->error, MRW_ERROR_INPUT,
                               "%s: %s%s; copy the results again, or run the tests again", r->file,
                               where, reason);
}

static void fail_memory(reader *r)
{
    if (!r->status) {
        r->status = mrwi_base_fail_memory(r->error, 0);
    }
}

/* ---- getters --------------------------------------------------------------------------------- */

/* Returns a member of an object; fails if it is missing or has another type. */
static const cJSON *find(reader *r, const cJSON *object, const char *key,
                         cJSON_bool (*is_type)(const cJSON *), const char *type)
{
    for (const cJSON *item = object ? object->child : NULL; item; item = item->next) {
        if (item->string && strcmp(item->string, key) == 0) {
            if (!is_type(item)) {
                fail(r, "\"%s\" must be %s", key, type);
                return NULL;
            }
            return item;
        }
    }
    fail(r, "\"%s\" is missing", key);
    return NULL;
}

static cJSON_bool is_object_or_null(const cJSON *item)
{
    return cJSON_IsObject(item) || cJSON_IsNull(item);
}

static cJSON_bool is_text_or_null(const cJSON *item)
{
    return cJSON_IsString(item) || cJSON_IsNull(item);
}

static cJSON_bool is_number_or_null(const cJSON *item)
{
    return cJSON_IsNumber(item) || cJSON_IsNull(item);
}

/* Returns the length of a list, and its first item. */
static size_t list(reader *r, const cJSON *object, const char *key, const cJSON **first)
{
    const cJSON *array = find(r, object, key, cJSON_IsArray, "a list");
    size_t count = 0;
    *first = array ? array->child : NULL;
    for (const cJSON *item = *first; item; item = item->next) {
        count++;
    }
    return count;
}

/* Allocates zeroed memory in the arena; returns NULL when out of memory. */
static void *take(reader *r, size_t count, size_t size)
{
    void *block = mrwi_base_arena_alloc(r->arena, count, size);
    if (!block) {
        fail_memory(r);
    } else {
        memset(block, 0, count * size);
    }
    return block;
}

/* Copies a text. escaped: escape it for terminals, which leaves escaped texts as they are. */
static const char *copy(reader *r, const char *text, bool escaped)
{
    size_t length = strlen(text), size = (escaped ? 4 * length : length) + 1;
    if (length > MAX_TEXT) {
        fail(r, "a string is longer than %zu bytes", MAX_TEXT);
        return "";
    }
    char *out = take(r, size, 1);
    if (!out) {
        return "";
    }
    if (escaped) {
        mrwi_base_escape(text, out, size);
    } else {
        memcpy(out, text, length);
    }
    return out;
}

static const char *get_text(reader *r, const cJSON *object, const char *key, bool escaped)
{
    const cJSON *item = find(r, object, key, cJSON_IsString, "a text");
    return item ? copy(r, item->valuestring, escaped) : "";
}

static const char *get_optional_text(reader *r, const cJSON *object, const char *key, bool escaped)
{
    const cJSON *item = find(r, object, key, is_text_or_null, "a string or null");
    return cJSON_IsString(item) ? copy(r, item->valuestring, escaped) : NULL;
}

/* Returns a text that files of older versions do not have, or NULL. */
static const char *get_newer_text(reader *r, const cJSON *object, const char *key, bool escaped)
{
    return cJSON_HasObjectItem(object, key) ? get_optional_text(r, object, key, escaped) : NULL;
}

/* Fails for a text, used as a path later, that leaves the results folder. Returns the text. */
static const char *check_path(reader *r, const char *key, const char *path)
{
    if (path && !r->status && !mrwi_report_path_is_inside(path)) {
        fail(r, "\"%s\" must stay inside the results folder: no absolute path, no \"..\"", key);
    }
    return path;
}

static double get_double(reader *r, const cJSON *object, const char *key, double max)
{
    const cJSON *item = find(r, object, key, is_number_or_null, "a number");
    if (!item || cJSON_IsNull(item)) {
        return 0.0;
    }
    if (!(item->valuedouble >= 0.0 && item->valuedouble <= max)) {
        fail(r, "\"%s\" is out of range", key);
        return 0.0;
    }
    return item->valuedouble;
}

static uint64_t whole(reader *r, const cJSON *item, const char *key, uint64_t max)
{
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
    if (!(value >= 0.0 && value <= (double)max && value == floor(value))) {
        fail(r, "\"%s\" must be a whole number from 0 to %" PRIu64, key, max);
        return 0;
    }
    return mrwi_base_to_u64(value);
}

static uint64_t get_uint(reader *r, const cJSON *object, const char *key, uint64_t max)
{
    const cJSON *item = find(r, object, key, cJSON_IsNumber, "a whole number");
    return item ? whole(r, item, key, max) : 0;
}

static uint32_t get_u32(reader *r, const cJSON *object, const char *key)
{
    return (uint32_t)get_uint(r, object, key, UINT32_MAX);
}

static bool get_bool(reader *r, const cJSON *object, const char *key)
{
    return cJSON_IsTrue(find(r, object, key, cJSON_IsBool, "true or false"));
}

static void get_four(reader *r, const cJSON *object, const char *key, uint32_t max, uint32_t out[4])
{
    const cJSON *item;
    if (list(r, object, key, &item) != 4) {
        fail(r, "\"%s\" must be four numbers", key);
        return;
    }
    for (int i = 0; i < 4; i++, item = item->next) {
        out[i] = (uint32_t)whole(r, item, key, max);
    }
}

/* Returns the index of a text in `choices`. */
static uint32_t get_choice(reader *r, const cJSON *object, const char *key,
                           const char *const *choices, uint32_t count)
{
    const cJSON *item = find(r, object, key, cJSON_IsString, "a text");
    for (uint32_t i = 0; item && i < count; i++) {
        if (strcmp(item->valuestring, choices[i]) == 0) {
            return i;
        }
    }
    fail(r, "\"%s\" has an unknown value", key);
    return 0;
}

static const char *const *get_texts(reader *r, const cJSON *object, const char *key, size_t *count)
{
    const cJSON *item;
    *count = list(r, object, key, &item);
    const char **texts = take(r, *count, sizeof *texts);
    for (size_t i = 0; texts && i < *count; i++, item = item->next) {
        if (!cJSON_IsString(item)) {
            fail(r, "\"%s\" must be a list of strings", key);
        }
        texts[i] = cJSON_IsString(item) ? copy(r, item->valuestring, false) : "";
    }
    return texts;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static uint32_t get_why(reader *r, const cJSON *object)
{
    const cJSON *item;
    uint32_t why = 0;
    list(r, object, "why", &item);
    for (; item; item = item->next) {
        uint32_t bit = 1;
        while (bit != 0 && !(cJSON_IsString(item) && mrwi_report_why_name(bit) &&
                             strcmp(mrwi_report_why_name(bit), item->valuestring) == 0)) {
            bit <<= 1;
        }
        if (bit == 0) {
            fail(r, "\"why\" has an unknown value");
        }
        why |= bit;
    }
    return why;
}

static void get_metrics(reader *r, const cJSON *object, mrw_frame_result *frame)
{
    const cJSON *m = find(r, object, "metrics", is_object_or_null, "an object or null");
    mrw_compare_result *out = &frame->metrics;
    frame->compared = cJSON_IsObject(m);
    if (!frame->compared) {
        return;
    }
    out->passed = get_bool(r, m, "passed");
    out->same_size = get_bool(r, m, "same_size");
    out->identical = get_bool(r, m, "identical");
    out->all_metrics = get_bool(r, m, "all_metrics");
    out->subject =
        (mrw_subject)get_choice(r, m, "subject", mrwi_report_subject_tokens, MRWI_REPORT_SUBJECTS);
    out->subject_pixels = get_uint(r, m, "subject_pixels", MAX_WHOLE);
    out->masked_pixels = get_uint(r, m, "masked_pixels", MAX_WHOLE);
    out->differing = get_uint(r, m, "differing", MAX_WHOLE);
    out->antialiased = get_uint(r, m, "antialiased", MAX_WHOLE);
    out->ratio = get_double(r, m, "ratio", 1.0);
    get_four(r, m, "largest", 255, out->largest);
    get_four(r, m, "box", MRW_IMAGE_MAX_SIDE, out->box);
    out->mean = get_double(r, m, "mean", 255.0);
    out->psnr = get_double(r, m, "psnr", 999.0);
    out->flip = get_double(r, m, "flip", 1.0);
    out->flip_largest = get_double(r, m, "flip_largest", 1.0);
}

static void get_pose(reader *r, const cJSON *object, mrw_pose_difference *out)
{
    const cJSON *pose = find(r, object, "pose", is_object_or_null, "an object or null");
    if (!cJSON_IsObject(pose)) {
        return;
    }
    out->joint = get_optional_text(r, pose, "joint", false);
    out->degrees = get_double(r, pose, "degrees", 360.0);
    out->distance = get_double(r, pose, "distance", MAX_DOUBLE);
    out->scale = get_double(r, pose, "scale", MAX_DOUBLE);
    out->differing = get_u32(r, pose, "differing");
    out->joints = get_u32(r, pose, "joints");
}

static mrw_emptiness get_emptiness(reader *r, const cJSON *object)
{
    const cJSON *item = find(r, object, "empty", is_text_or_null, "a string or null");
    return cJSON_IsString(item)
               ? (mrw_emptiness)get_choice(r, object, "empty", mrwi_report_empty_tokens,
                                           MRWI_REPORT_EMPTINESSES)
               : MRW_NOT_EMPTY;
}

static void get_frame(reader *r, const cJSON *object, mrw_frame_result *out)
{
    out->name = check_path(r, "name", get_text(r, object, "name", true));
    out->clip = get_text(r, object, "clip", false);
    out->frame = get_uint(r, object, "frame", MAX_WHOLE);
    out->time = get_double(r, object, "time", MAX_DOUBLE);
    out->passed = get_bool(r, object, "passed");
    out->why = get_why(r, object);
    out->message = get_text(r, object, "message", true);
    out->expected = check_path(r, "expected", get_optional_text(r, object, "expected", false));
    out->actual = check_path(r, "actual", get_optional_text(r, object, "actual", false));
    out->diff = check_path(r, "diff", get_optional_text(r, object, "diff", false));
    get_metrics(r, object, out);
    out->emptiness = get_emptiness(r, object);
    get_pose(r, object, &out->pose);
    out->bounds = get_double(r, object, "bounds", MAX_DOUBLE);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static const char *get_hash(reader *r, const cJSON *object, const char *key)
{
    const char *hash = get_text(r, object, key, false);
    size_t digits = strspn(hash, "0123456789abcdef");
    if (hash[digits] != '\0' || (digits != 0 && digits != 64)) {
        fail(r, "\"%s\" must be 64 hexadecimal digits", key);
    }
    return hash;
}

static mrw_outcome get_outcome(reader *r, const cJSON *object)
{
    const char *names[MRW_OUTCOME_COUNT];
    for (int i = 0; i < MRW_OUTCOME_COUNT; i++) {
        names[i] = mrw_outcome_name((mrw_outcome)i);
    }
    return (mrw_outcome)get_choice(r, object, "outcome", names, MRW_OUTCOME_COUNT);
}

static void get_frames(reader *r, const cJSON *object, mrw_case_result *out)
{
    const cJSON *item;
    size_t count = list(r, object, "frames", &item);
    out->frames = take(r, count, sizeof *out->frames);
    out->frame_count = out->frames ? count : 0;
    for (size_t i = 0; i < out->frame_count && !r->status; i++, item = item->next) {
        r->at_frame = i + 1;
        get_frame(r, item, &out->frames[i]);
    }
    r->at_frame = 0;
}

static void get_case(reader *r, const cJSON *object, mrw_case_result *out)
{
    static const char *const modes[] = {"exact", "pixel", "perceptual"};
    out->suite = check_path(r, "suite", get_text(r, object, "suite", true));
    out->name = check_path(r, "name", get_text(r, object, "name", true));
    out->suite_file = get_text(r, object, "suite_file", false);
    out->line = get_u32(r, object, "line");
    out->model = get_text(r, object, "model", false);
    out->golden = get_text(r, object, "golden", false);
    out->backend = check_path(r, "backend", get_newer_text(r, object, "backend", true));
    out->driver = get_newer_text(r, object, "driver", true);
    if (!r->status && !out->backend != !out->driver) {
        fail(r, "\"backend\" and \"driver\" must appear together");
    }
    out->outcome = get_outcome(r, object);
    out->message = get_text(r, object, "message", true);
    out->model_change = get_newer_text(r, object, "model_change", true);
    out->suite_change = get_newer_text(r, object, "suite_change", true);
    out->framing = get_newer_text(r, object, "framing", true);
    out->golden_version = cJSON_GetObjectItemCaseSensitive(object, "golden_version")
                              ? get_u32(r, object, "golden_version")
                              : 0;
    out->reason = get_optional_text(r, object, "reason", false);
    out->mode = modes[get_choice(r, object, "mode", modes, 3)];
    out->seconds = get_double(r, object, "seconds", MAX_DOUBLE);
    out->tags = get_texts(r, object, "tags", &out->tag_count);
    out->pixel_version = get_u32(r, object, "pixel_version");
    out->golden_pixel_version = get_u32(r, object, "golden_pixel_version");
    out->scene_hash = get_hash(r, object, "scene_hash");
    out->golden_scene_hash = get_hash(r, object, "golden_scene_hash");
    get_frames(r, object, out);
    out->bad_frames = (uint32_t)get_uint(r, object, "bad_frames", out->frame_count);
    out->runs = get_u32(r, object, "runs");
}

static void get_results(reader *r, const cJSON *root, mrw_results *out)
{
    const cJSON *item;
    uint64_t schema = get_uint(r, root, "schema", MAX_WHOLE);
    if (!r->status && schema != MRWI_REPORT_RESULTS_SCHEMA) {
        fail(r, "it uses schema %" PRIu64 ", but this marrow reads schema %d", schema,
             MRWI_REPORT_RESULTS_SCHEMA);
    }
    out->title = get_text(r, root, "title", true);
    out->against = get_newer_text(r, root, "against", true);
    out->seconds = get_double(r, root, "seconds", MAX_DOUBLE);
    const cJSON *shard = find(r, root, "shard", cJSON_IsObject, "an object");
    out->shard_count = (uint32_t)get_uint(r, shard, "count", MRWI_REPORT_MAX_SHARDS);
    out->shard_index = (uint32_t)get_uint(r, shard, "index", MRWI_REPORT_MAX_SHARDS);
    if (out->shard_index > out->shard_count || (out->shard_count > 1 && out->shard_index == 0)) {
        fail(r, "the shard's index must be between 1 and its count");
    }
    size_t count = list(r, root, "cases", &item);
    out->cases = take(r, count, sizeof *out->cases);
    out->case_count = out->cases ? count : 0;
    for (size_t i = 0; i < out->case_count && !r->status; i++, item = item->next) {
        r->at_case = i + 1;
        get_case(r, item, &out->cases[i]);
    }
    r->at_case = 0;
    out->unused = get_texts(r, root, "unused", &out->unused_count);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void read_text(reader *r, const void *text, size_t size, mrw_results *out)
{
    const char *end;
    cJSON *root = NULL;
    if (mrwi_base_json_count(text, size) > MAX_VALUES) {
        fail(r, "it contains more than %" PRIu64 " values", MAX_VALUES);
        return;
    }
    mrw_status status = mrwi_base_json_parse(text, size, &root, &end);
    if (status == MRW_ERROR_MEMORY) {
        fail_memory(r);
    } else if (status || !cJSON_IsObject(root)) {
        fail(r, "the JSON is damaged or cut short");
    } else {
        get_results(r, root, out);
    }
    cJSON_Delete(root);
}

static mrw_status read_bytes(const char *path, const char *label, mrw_bytes *out, mrw_error *error)
{
    bool missing = false;
    const mrw_status status = mrwi_base_read_file(path, MAX_FILE_SIZE, out, &missing, error);
    return missing
               ? mrwi_base_fail(error, MRW_ERROR_INPUT,
                                "%s does not exist; give a results folder written by marrow test",
                                label)
               : status;
}

mrw_status mrwi_report_results_parse(const void *text, size_t size, const char *folder,
                                     mrw_results *out, mrw_error *error)
{
    char path[PATH_MAX + 32];
    mrw_results results = {0};
    *out = (mrw_results){0};
    reader r = {.error = error, .arena = mrwi_report_results_arena(&results)};
    snprintf(path, sizeof path, "%s/%s", folder, MRWI_REPORT_RESULTS_FILE);
    mrwi_base_escape(path, r.file, sizeof r.file);
    if (!r.arena) {
        return mrwi_base_fail_memory(error, 0);
    }
    read_text(&r, text, size, &results);
    results.folder = mrwi_base_copy_text(r.arena, folder);
    if (!results.folder) {
        fail_memory(&r);
    }
    if (r.status) {
        mrw_results_free(&results);
        return r.status;
    }
    mrwi_report_results_count(&results);
    *out = results;
    return MRW_OK;
}

mrw_status mrw_results_read(const char *folder, mrw_results *out, mrw_error *error)
{
    char path[PATH_MAX], label[512];
    mrw_bytes bytes = {0};
    *out = (mrw_results){0};
    int length = snprintf(path, sizeof path, "%s/%s", folder, MRWI_REPORT_RESULTS_FILE);
    mrw_status status = mrwi_base_links_on_way(path, strlen(folder), error);
    if (status) {
        return status;
    }
    mrwi_base_escape(path, label, sizeof label);
    if ((size_t)length >= sizeof path) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: the path is too long", label);
    }
    status = read_bytes(path, label, &bytes, error);
    if (!status) {
        status = mrwi_report_results_parse(bytes.data, bytes.size, folder, out, error);
    }
    mrw_bytes_free(&bytes);
    return status;
}
