/* run.c: requests in JSON, and their answers. */
#include "simple/internal.h"

#include "base/json_parse.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Most options of a request. */
#define MOST_OPTIONS 400

/* A request that was read. Its texts are those of the tree, and of the arena. */
typedef struct request {
    cJSON *root;
    const char *model;
    const cJSON *id; /* NULL: none */
    mrwi_simple_request with;
    mrwi_simple_option *items; /* [MOST_OPTIONS] */
    mrwi_base_arena arena;
} request;

/* ---- reading --------------------------------------------------------------------------------- */

static mrw_status fail_key(const char *key, const char *what, mrw_error *error)
{
    char shown[100];
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "\"%s\" %s",
                          mrwi_base_escape(key, shown, sizeof shown), what);
}

/* Returns the text that a command line would have for a value. NULL and a failure if it has none;
 * NULL without one for true, which is a flag. */
static const char *text_of(request *r, const char *key, const cJSON *value, mrw_status *status,
                           mrw_error *error)
{
    char number[32];
    if (cJSON_IsString(value)) {
        return value->valuestring;
    }
    if (cJSON_IsNumber(value) && isfinite(value->valuedouble)) {
        mrw_format_double(value->valuedouble, number);
        const char *copy = mrwi_base_copy_text(&r->arena, number);
        *status = copy ? MRW_OK : mrwi_base_fail_memory(error, sizeof number);
        return copy;
    }
    if (cJSON_IsTrue(value)) {
        return NULL;
    }
    if (cJSON_IsFalse(value)) {
        return "no";
    }
    *status = fail_key(key,
                       cJSON_IsNumber(value) ? "is a number that is too large"
                                             : "must be a text, a number, true, false or a list of "
                                               "these",
                       error);
    return NULL;
}

static mrw_status add(request *r, const char *key, const cJSON *value, mrw_error *error)
{
    mrw_status status = MRW_OK;
    const char *text = text_of(r, key, value, &status, error);
    if (!status && r->with.count == MOST_OPTIONS) {
        status = mrwi_base_fail(error, MRW_ERROR_USAGE, "more than %d options", MOST_OPTIONS);
    }
    if (!status) {
        r->items[r->with.count++] = (mrwi_simple_option){key, (char *)(uintptr_t)text};
    }
    return status;
}

/* Reads a key of our own. Returns false for any other. */
static bool read_own(request *r, const cJSON *value, mrw_status *status, mrw_error *error)
{
    const char *key = value->string;
    const bool model = strcmp(key, "model") == 0, output = strcmp(key, "output") == 0;
    if (strcmp(key, "id") == 0) {
        *status = cJSON_IsString(value) || (cJSON_IsNumber(value) && isfinite(value->valuedouble))
                      ? MRW_OK
                      : fail_key(key, "must be a text or a number", error);
        r->id = *status ? NULL : value;
        return true;
    }
    if (!model && !output) {
        return false;
    }
    if (!cJSON_IsString(value) || value->valuestring[0] == '\0') {
        *status = fail_key(key, "must be a text that is not empty", error);
    } else if (model) {
        r->model = value->valuestring;
    } else {
        r->with.output = value->valuestring;
    }
    return true;
}

static bool comes_earlier(const cJSON *first, const cJSON *value)
{
    for (; first != value; first = first->next) {
        if (strcmp(first->string, value->string) == 0) {
            return true;
        }
    }
    return false;
}

static mrw_status read_keys(request *r, mrw_error *error)
{
    mrw_status status = MRW_OK;
    for (const cJSON *value = r->root->child; value && !status; value = value->next) {
        if (comes_earlier(r->root->child, value)) {
            status = fail_key(value->string, "is given twice", error);
        } else if (!read_own(r, value, &status, error)) {
            const bool list = cJSON_IsArray(value);
            for (const cJSON *at = list ? value->child : value; at && !status;
                 at = list ? at->next : NULL) {
                status = add(r, value->string, at, error);
            }
        }
    }
    if (!status && !r->model) {
        status = mrwi_base_fail(error, MRW_ERROR_USAGE, "\"model\" is missing");
    }
    return status;
}

static mrw_status read_request(request *r, const char *text, size_t size, mrw_error *error)
{
    const char *end = NULL;
    if (memchr(text, '\0', size)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "the request contains a zero byte");
    }
    mrw_status status = mrwi_base_json_parse(text, size, &r->root, &end);
    if (status == MRW_ERROR_MEMORY) {
        return mrwi_base_fail_memory(error, size);
    }
    if (status || !cJSON_IsObject(r->root)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "the request is not a JSON object, as in "
                              "{\"model\": \"robot.glb\", \"output\": \"robot.png\"}");
    }
    r->items = mrwi_base_arena_alloc(&r->arena, MOST_OPTIONS, sizeof *r->items);
    r->with.items = r->items;
    return r->items ? read_keys(r, error) : mrwi_base_fail_memory(error, MOST_OPTIONS);
}

/* ---- answering ------------------------------------------------------------------------------- */

/* Exit statuses of the command: `marrow help getting-started`. */
static const uint8_t exit_statuses[] = {
    [MRW_OK] = 0,           [MRW_ERROR_USAGE] = 2,       [MRW_ERROR_INPUT] = 3,
    [MRW_ERROR_OUTPUT] = 4, [MRW_ERROR_MEMORY] = 77,     [MRW_ERROR_UNSUPPORTED] = 77,
    [MRW_ERROR_CPU] = 77,   [MRW_ERROR_DISPLAY] = 77,    [MRW_ERROR_TOOL] = 77,
    [MRW_ERROR_TIME] = 77,  [MRW_ERROR_CANCELLED] = 130, [MRW_ERROR_INTERNAL] = 99};

static void put_picture(const mrwi_simple_files *files, uint32_t i, mrw_json *json)
{
    const mrw_plan *plan = &files->plan;
    const mrw_picture *picture = &plan->pictures.items[i];
    const char *path = plan->files.paths[plan->files.of[i]];
    mrw_json_open(json, '{');
    if (!mrw_output_is_stdout(path)) {
        mrw_json_string(mrw_json_key(json, "file"), path);
    }
    mrw_json_string(
        mrw_json_key(json, "clip"),
        picture->clip == MRW_NONE ? NULL : mrw_session_clip_name(&files->model, picture->clip));
    mrw_json_string(mrw_json_key(json, "view"), plan->views[picture->view].name);
    mrw_json_uint(mrw_json_key(json, "frame"), picture->frame);
    mrw_json_double(mrw_json_key(json, "time"), picture->time);
    if (files->hashes) {
        char text[65];
        for (int k = 0; k < 32; k++) {
            snprintf(text + 2 * k, 3, "%02x", files->hashes[i][k]);
        }
        mrw_json_string(mrw_json_key(json, "pixel_hash"), text);
    }
    mrw_json_close(json, '}');
}

static void put_result(const mrw_job *job, const mrwi_simple_files *files, mrw_json *json)
{
    const mrw_plan *plan = &files->plan;
    mrw_json_open(mrw_json_key(json, "files"), '[');
    for (uint32_t i = 0; i < plan->files.count; i++) {
        if (!mrw_output_is_stdout(plan->files.paths[i])) {
            mrw_json_string(json, plan->files.paths[i]);
        }
    }
    mrw_json_close(json, ']');
    mrw_json_open(mrw_json_key(json, "pictures"), '[');
    for (uint32_t i = 0; i < plan->pictures.count && !files->output.passes.plan; i++) {
        put_picture(files, i, json);
    }
    mrw_json_close(json, ']');
    if (job->results.bytes.size > 0) {
        mrw_text data = {0};
        mrw_text_base64(&data, job->results.bytes.data, job->results.bytes.size);
        mrw_json_string(mrw_json_key(json, "data"), data.data);
        json->text.failed = json->text.failed || data.failed;
        mrw_text_free(&data);
    }
}

static void put_answer(const mrw_job *job, const request *r, const mrwi_simple_files *files,
                       mrw_status status, const mrw_error *error, double seconds, mrw_json *json)
{
    mrw_json_open(json, '{');
    if (r->id && cJSON_IsString(r->id)) {
        mrw_json_string(mrw_json_key(json, "id"), r->id->valuestring);
    } else if (r->id) {
        mrw_json_double(mrw_json_key(json, "id"), r->id->valuedouble);
    }
    mrw_json_uint(mrw_json_key(json, "status"), exit_statuses[status]);
    if (status) {
        if (exit_statuses[status] == 77) {
            mrw_json_string(mrw_json_key(json, "reason"), mrw_status_name(status));
        }
        mrw_json_string(mrw_json_key(json, "error"), error->text);
    } else {
        put_result(job, files, json);
    }
    mrw_json_key(json, "warnings");
    mrw_text_puts(&json->text, "[");
    mrw_text_put(&json->text, job->results.warnings.data ? job->results.warnings.data : "",
                 job->results.warnings.size);
    mrw_text_puts(&json->text, "]");
    json->comma = true;
    mrw_json_double(mrw_json_key(json, "milliseconds"), floor(seconds * 1e5 + 0.5) / 100);
    mrw_json_close(json, '}');
}

const char *mrw_job_run(mrw_job *job, const char *text, size_t size)
{
    static const char starved[] =
        "{\"status\": 77, \"reason\": \"memory\", \"error\": \"out of memory\", \"warnings\": []}";
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    mrwi_simple_call call;
    mrwi_simple_files files = {.hashed = true};
    request r = {.root = NULL};
    mrw_error error = {MRW_OK, ""};
    mrw_json json = {0};
    mrw_text_free(&job->results.warnings);
    mrw_bytes_free(&job->results.bytes);
    mrw_status status = read_request(&r, text, size, &error);
    if (!status) {
        status = (mrw_status)mrw_job_model(job, r.model, NULL, 0);
        error = job->results.error;
    }
    const bool begins = !status;
    if (begins) {
        status = mrwi_simple_begin(&call, job, MRW_COMMAND_RENDER, &r.with, &error);
        if (!status) {
            status = mrwi_simple_make_files(&call, &files, &job->results.bytes, &error);
        }
    }
    put_answer(job, &r, &files, status, &error, mrw_clock_seconds(MRW_CLOCK_WALL) - start, &json);
    mrwi_simple_free_files(&files);
    if (begins) {
        mrwi_simple_end(&call, status, &error); /* frees the settings that the files borrow */
    } else {
        job->results.error = error;
    }
    cJSON_Delete(r.root);
    mrwi_base_arena_free(&r.arena);
    mrw_text_free(&job->results.text);
    job->results.text = json.text;
    return json.text.failed || !json.text.data ? starved : json.text.data;
}
