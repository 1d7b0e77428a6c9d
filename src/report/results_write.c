/* results_write.c: results as JSON. */
#include "report/internal.h"
#include "report/results.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

const char *const mrwi_subject_tokens[MRWI_SUBJECTS] = {"drawn", "alpha", "frame"};
const char *const mrwi_empty_tokens[MRWI_EMPTINESSES] = {"", "blank", "colour", "cut"};

/* A document in the making. */
typedef struct writer {
    mrwi_text text;
    bool comma; /* the next value needs one before it */
} writer;

/* Begins a value; of an object when there is a key. */
static void begin(writer *w, const char *key)
{
    mrwi_text_puts(&w->text, w->comma ? ", " : "");
    if (key != NULL) {
        mrwi_text_add(&w->text, "\"%s\": ", key);
    }
    w->comma = true;
}

static void open_bracket(writer *w, const char *key, const char *bracket)
{
    begin(w, key);
    mrwi_text_puts(&w->text, bracket);
    w->comma = false;
}

static void close_bracket(writer *w, const char *bracket)
{
    mrwi_text_puts(&w->text, bracket);
    w->comma = true;
}

/* The next value starts a line. */
static void start_line(writer *w, const char *indent)
{
    mrwi_text_add(&w->text, "%s\n%s", w->comma ? "," : "", indent);
    w->comma = false;
}

static void put_text(writer *w, const char *key, const char *value)
{
    begin(w, key);
    mrwi_text_json(&w->text, value);
}

/* A text that is there, "" for NULL. */
static void put_sure_text(writer *w, const char *key, const char *value)
{
    put_text(w, key, value != NULL ? value : "");
}

static void put_uint(writer *w, const char *key, uint64_t value)
{
    begin(w, key);
    mrwi_text_add(&w->text, "%" PRIu64, value);
}

static void put_double(writer *w, const char *key, double value)
{
    begin(w, key);
    mrwi_text_double(&w->text, value);
}

static void put_bool(writer *w, const char *key, bool value)
{
    begin(w, key);
    mrwi_text_puts(&w->text, value ? "true" : "false");
}

static void put_uints(writer *w, const char *key, const uint32_t *values, int count)
{
    open_bracket(w, key, "[");
    for (int i = 0; i < count; i++) {
        put_uint(w, NULL, values[i]);
    }
    close_bracket(w, "]");
}

static void put_texts(writer *w, const char *key, const char *const *values, size_t count)
{
    open_bracket(w, key, "[");
    for (size_t i = 0; i < count; i++) {
        put_sure_text(w, NULL, values[i]);
    }
    close_bracket(w, "]");
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void put_why(writer *w, uint32_t why)
{
    open_bracket(w, "why", "[");
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        const char *name = mrwi_why_name(bit);
        if ((why & bit) != 0 && name != NULL) {
            put_text(w, NULL, name);
        }
    }
    close_bracket(w, "]");
}

static void put_metrics(writer *w, const mrw_frame_result *frame)
{
    const mrw_compare_result *m = &frame->metrics;
    if (!frame->compared) {
        put_text(w, "metrics", NULL);
        return;
    }
    open_bracket(w, "metrics", "{");
    put_bool(w, "passed", m->passed);
    put_bool(w, "same_size", m->same_size);
    put_bool(w, "identical", m->identical);
    put_bool(w, "all_metrics", m->all_metrics);
    put_text(w, "subject", mrwi_subject_tokens[m->subject]);
    put_uint(w, "subject_pixels", m->subject_pixels);
    put_uint(w, "masked_pixels", m->masked_pixels);
    put_uint(w, "differing", m->differing);
    put_uint(w, "antialiased", m->antialiased);
    put_double(w, "ratio", m->ratio);
    put_uints(w, "largest", m->largest, 4);
    put_uints(w, "box", m->box, 4);
    put_double(w, "mean", m->mean);
    put_double(w, "psnr", m->psnr);
    put_double(w, "flip", m->flip);
    put_double(w, "flip_largest", m->flip_largest);
    close_bracket(w, "}");
}

static void put_pose(writer *w, const mrw_pose_difference *pose)
{
    if (pose->joint == NULL && pose->joints == 0) {
        put_text(w, "pose", NULL);
        return;
    }
    open_bracket(w, "pose", "{");
    put_text(w, "joint", pose->joint);
    put_double(w, "degrees", pose->degrees);
    put_double(w, "distance", pose->distance);
    put_double(w, "scale", pose->scale);
    put_uint(w, "differing", pose->differing);
    put_uint(w, "joints", pose->joints);
    close_bracket(w, "}");
}

static void put_frame(writer *w, const mrw_frame_result *frame)
{
    open_bracket(w, NULL, "{");
    put_sure_text(w, "name", frame->name);
    put_sure_text(w, "clip", frame->clip);
    put_uint(w, "frame", frame->frame);
    put_double(w, "time", frame->time);
    put_bool(w, "passed", frame->passed);
    put_why(w, frame->why);
    put_sure_text(w, "message", frame->message);
    put_text(w, "expected", frame->expected);
    put_text(w, "actual", frame->actual);
    put_text(w, "diff", frame->diff);
    put_metrics(w, frame);
    put_text(w, "empty",
             frame->emptiness == MRW_NOT_EMPTY ? NULL : mrwi_empty_tokens[frame->emptiness]);
    put_pose(w, &frame->pose);
    put_double(w, "bounds", frame->bounds);
    close_bracket(w, "}");
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void put_case(writer *w, const mrw_case_result *result)
{
    open_bracket(w, NULL, "{");
    put_sure_text(w, "suite", result->suite);
    put_sure_text(w, "name", result->name);
    put_text(w, "outcome", mrw_outcome_name(result->outcome));
    put_sure_text(w, "message", result->message);
    put_text(w, "reason", result->reason);
    start_line(w, "     ");
    put_sure_text(w, "suite_file", result->suite_file);
    put_uint(w, "line", result->line);
    put_sure_text(w, "model", result->model);
    put_sure_text(w, "golden", result->golden);
    put_sure_text(w, "mode", result->mode);
    put_texts(w, "tags", result->tags, result->tag_count);
    start_line(w, "     ");
    put_double(w, "seconds", result->seconds);
    put_uint(w, "runs", result->runs);
    put_uint(w, "pixel_version", result->pixel_version);
    put_uint(w, "golden_pixel_version", result->golden_pixel_version);
    start_line(w, "     ");
    put_sure_text(w, "scene_hash", result->scene_hash);
    put_sure_text(w, "golden_scene_hash", result->golden_scene_hash);
    start_line(w, "     ");
    put_uint(w, "bad_frames", result->bad_frames);
    open_bracket(w, "frames", "[");
    for (size_t i = 0; i < result->frame_count; i++) {
        start_line(w, "      ");
        put_frame(w, &result->frames[i]);
    }
    close_bracket(w, "]");
    close_bracket(w, "}");
}

static void put_head(writer *w, const mrw_results *results)
{
    put_uint(w, "schema", MRWI_RESULTS_SCHEMA);
    start_line(w, " ");
    put_sure_text(w, "title", results->title);
    start_line(w, " ");
    open_bracket(w, "shard", "{");
    put_uint(w, "index", results->shard_index);
    put_uint(w, "count", results->shard_count);
    close_bracket(w, "}");
    start_line(w, " ");
    put_double(w, "seconds", results->seconds);
    start_line(w, " ");
    open_bracket(w, "counts", "{");
    for (int i = 0; i < MRW_OUTCOME_COUNT; i++) {
        put_uint(w, mrw_outcome_name((mrw_outcome)i), results->counts[i]);
    }
    close_bracket(w, "}");
}

mrw_status mrw_results_json(const mrw_results *results, mrw_bytes *out, mrw_error *error)
{
    writer w = {.comma = false};
    open_bracket(&w, NULL, "{");
    put_head(&w, results);
    start_line(&w, " ");
    open_bracket(&w, "cases", "[");
    for (size_t i = 0; i < results->case_count; i++) {
        start_line(&w, "    ");
        put_case(&w, &results->cases[i]);
    }
    close_bracket(&w, "]");
    start_line(&w, " ");
    put_texts(&w, "unused", results->unused, results->unused_count);
    close_bracket(&w, "}\n");
    return mrwi_text_take(&w.text, out, error);
}

mrw_status mrw_results_write(const mrw_results *results, mrw_error *error)
{
    mrwi_text path = {0};
    mrw_bytes json = {0}, name = {0};
    mrwi_text_add(&path, "%s/%s", results->folder != NULL ? results->folder : ".",
                  MRWI_RESULTS_FILE);
    mrw_status status = mrwi_text_take(&path, &name, error);
    if (status == MRW_OK) {
        status = mrw_results_json(results, &json, error);
    }
    if (status == MRW_OK) {
        status = mrw_file_write((const char *)name.data, json.data, json.size, error);
    }
    mrw_bytes_free(&json);
    mrw_bytes_free(&name);
    return status;
}
