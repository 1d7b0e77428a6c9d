/* html_data.c: writes what the HTML report shows as JSON. Empty values are left out of frames:
 * there may be many thousands, most of them without anything to report. */
#include "report/html.h"

#include <string.h>

/* Writes a text that is shown; NULL is "". */
static void put_text(mrw_json *json, const char *foreign)
{
    mrw_text safe = {0};
    mrwi_report_escaped(&safe, foreign, mrw_text_puts);
    mrw_json_string(json, safe.size > 0 ? safe.data : "");
    json->text.failed |= safe.failed;
    mrw_text_free(&safe);
}

static void put_true(mrw_json *json, const char *key, bool value)
{
    if (value) {
        mrw_json_bool(mrw_json_key(json, key), true);
    }
}

static void put_some_text(mrw_json *json, const char *key, const char *foreign)
{
    if (foreign && foreign[0] != '\0') {
        put_text(mrw_json_key(json, key), foreign);
    }
}

static void put_some_uint(mrw_json *json, const char *key, uint64_t value)
{
    if (value != 0) {
        mrw_json_uint(mrw_json_key(json, key), value);
    }
}

static void put_some_double(mrw_json *json, const char *key, double value)
{
    if (value != 0) {
        mrw_json_double(mrw_json_key(json, key), value);
    }
}

static void put_texts(mrw_json *json, const char *key, const char *const *values, size_t count)
{
    mrw_json_open(mrw_json_key(json, key), '[');
    for (size_t i = 0; i < count; i++) {
        put_text(json, values[i]);
    }
    mrw_json_close(json, ']');
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Writes [name or base64, width, height, values], or a word that says why there is no picture. */
static void put_picture(mrw_json *json, const char *key, const mrwi_report_picture *picture)
{
    static const char *const words[] = {
        [MRWI_REPORT_PICTURE_MISSING] = "missing",
        [MRWI_REPORT_PICTURE_DAMAGED] = "damaged",
        [MRWI_REPORT_PICTURE_LEFT] = "left",
    };
    if (picture->state == MRWI_REPORT_PICTURE_NONE) {
        return;
    }
    if (picture->state != MRWI_REPORT_PICTURE_SHOWN) {
        mrw_json_string(mrw_json_key(json, key), words[picture->state]);
        return;
    }
    mrw_json_open(mrw_json_key(json, key), '[');
    mrw_json_string(json, picture->name);
    mrw_json_uint(json, picture->width);
    mrw_json_uint(json, picture->height);
    mrw_json_uint(json, picture->values);
    mrw_json_close(json, ']');
}

static void put_metrics(mrw_json *json, const mrw_compare_result *m)
{
    mrw_json_open(mrw_json_key(json, "m"), '{');
    put_true(json, "passed", m->passed);
    put_true(json, "sameSize", m->same_size);
    put_true(json, "identical", m->identical);
    put_true(json, "all", m->all_metrics || m->identical);
    put_text(mrw_json_key(json, "subject"), mrw_subject_name(m->subject));
    mrw_json_uint(mrw_json_key(json, "subjectPixels"), m->subject_pixels);
    put_some_uint(json, "masked", m->masked_pixels);
    if (!m->identical) {
        mrw_json_uint(mrw_json_key(json, "differing"), m->differing);
        put_some_uint(json, "antialiased", m->antialiased);
        mrwi_report_put_metrics(json, m);
        mrw_json_double(mrw_json_key(json, "flipLargest"), m->flip_largest);
    }
    mrw_json_close(json, '}');
}

static void put_pose(mrw_json *json, const mrw_pose_difference *pose)
{
    if (!pose->joint && pose->joints == 0) {
        return;
    }
    mrw_json_open(mrw_json_key(json, "pose"), '{');
    if (pose->joint) {
        put_text(mrw_json_key(json, "joint"), pose->joint);
        mrwi_report_put_pose(json, pose);
    }
    mrw_json_uint(mrw_json_key(json, "joints"), pose->joints);
    mrw_json_close(json, '}');
}

static void put_frame(mrw_json *json, const mrw_frame_result *frame,
                      const mrwi_report_picture pictures[MRWI_REPORT_ROLES])
{
    static const char *const keys[MRWI_REPORT_ROLES] = {"e", "a", "d"};
    mrw_json_open(json, '{');
    put_text(mrw_json_key(json, "name"), frame->name);
    put_some_text(json, "clip", frame->clip);
    mrw_json_uint(mrw_json_key(json, "frame"), frame->frame);
    put_some_double(json, "time", frame->time);
    if (!frame->passed) {
        mrwi_report_put_why(json, frame->why);
    }
    put_some_text(json, "message", frame->message);
    for (int i = 0; pictures && i < MRWI_REPORT_ROLES; i++) {
        put_picture(json, keys[i], &pictures[i]);
    }
    if (frame->compared) {
        put_metrics(json, &frame->metrics);
    }
    if (frame->emptiness != MRW_NOT_EMPTY) {
        put_text(mrw_json_key(json, "empty"), mrw_emptiness_name(frame->emptiness));
    }
    put_pose(json, &frame->pose);
    put_some_double(json, "bounds", frame->bounds);
    mrw_json_close(json, '}');
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Returns true for a frame that is shown in a case without pictures: one that is not the same, even
 * if it is within the limits. */
static bool is_worth_showing(const mrw_frame_result *frame)
{
    return !frame->passed || frame->pose.joint || frame->bounds > 0 ||
           (frame->compared && !frame->metrics.identical);
}

static void put_case(mrw_json *json, const mrw_case_result *result,
                     const mrwi_report_picture (*pictures)[MRWI_REPORT_ROLES])
{
    mrw_json_break(json, "");
    mrw_json_open(json, '{');
    put_text(mrw_json_key(json, "suite"), result->suite);
    put_text(mrw_json_key(json, "name"), result->name);
    put_text(mrw_json_key(json, "outcome"), mrw_outcome_name(result->outcome));
    put_some_text(json, "message", result->message);
    put_some_text(json, "change", result->model_change);
    put_some_text(json, "suiteChange", result->suite_change);
    put_some_text(json, "framing", result->framing);
    put_some_text(json, "reason", result->reason);
    put_some_text(json, "file", result->suite_file);
    mrw_json_uint(mrw_json_key(json, "line"), result->line);
    put_some_text(json, "model", result->model);
    put_some_text(json, "golden", result->golden);
    put_some_text(json, "driver", result->driver);
    put_some_text(json, "mode", result->mode);
    mrw_json_double(mrw_json_key(json, "seconds"), result->seconds);
    put_texts(json, "tags", result->tags, result->tag_count);
    mrw_json_uint(mrw_json_key(json, "pixelVersion"), result->pixel_version);
    mrw_json_uint(mrw_json_key(json, "goldenPixelVersion"), result->golden_pixel_version);
    put_some_text(json, "sceneHash", result->scene_hash);
    put_some_text(json, "goldenSceneHash", result->golden_scene_hash);
    mrw_json_uint(mrw_json_key(json, "runs"), result->runs);
    mrw_json_uint(mrw_json_key(json, "bad"), result->bad_frames);
    mrw_json_uint(mrw_json_key(json, "total"), result->frame_count);
    mrw_json_open(mrw_json_key(json, "frames"), '[');
    for (size_t i = 0; i < result->frame_count; i++) {
        if (pictures || is_worth_showing(&result->frames[i])) {
            put_frame(json, &result->frames[i], pictures ? pictures[i] : NULL);
        }
    }
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
}

/* ---- the page -------------------------------------------------------------------------------- */

static size_t count_outcome(const mrw_results *results, mrw_outcome outcome)
{
    size_t count = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        count += results->cases[i].outcome == outcome;
    }
    return count;
}

void mrwi_report_verdict(const mrw_results *results, mrw_text *out)
{
    size_t cases = results->case_count, skipped = count_outcome(results, MRW_SKIPPED);
    size_t left = count_outcome(results, MRW_LEFT_OUT), ran = cases - skipped - left;
    size_t bad = count_outcome(results, MRW_FAILED) + count_outcome(results, MRW_XPASSED);
    if (cases == 0) {
        mrw_text_puts(out, "No cases ran");
    } else if (bad > 0) {
        mrw_text_add(out, "%zu of %zu case%s failed", bad, cases, cases == 1 ? "" : "s");
    } else if (skipped == cases) {
        mrw_text_puts(out, cases == 1 ? "The only case was skipped" : "All cases were skipped");
    } else if (left > 0 && ran == 0) {
        mrw_text_add(out, "Nothing changed: %zu case%s left out", left, left == 1 ? "" : "s");
    } else if (left > 0) {
        mrw_text_add(out, "%zu case%s passed, %zu left out", ran, ran == 1 ? "" : "s", left);
    } else if (cases == 1) {
        mrw_text_puts(out, "The only case passed");
    } else {
        mrw_text_add(out, skipped > 0 ? "%zu cases passed" : "All %zu cases passed", ran);
    }
}

static void put_head(mrw_json *json, const mrwi_report *report)
{
    const mrw_results *results = report->results;
    mrw_text verdict = {0};
    put_text(mrw_json_key(json, "title"), results->title);
    put_some_text(json, "against", results->against);
    mrwi_report_verdict(results, &verdict);
    put_text(mrw_json_key(json, "verdict"), verdict.data);
    json->text.failed |= verdict.failed;
    mrw_text_free(&verdict);
    int status = mrw_results_exit_status(results);
    put_text(mrw_json_key(json, "state"), status == 1 ? "bad" : status == 77 ? "skipped" : "good");
    mrw_json_double(mrw_json_key(json, "seconds"), results->seconds);
    mrw_json_uint(mrw_json_key(json, "pixelVersion"), MRW_PIXEL_VERSION);
    mrw_json_uint(mrw_json_key(json, "shard"), results->shard_index);
    mrw_json_uint(mrw_json_key(json, "shards"), results->shard_count);
    put_true(json, "inlined", !report->folder);
    put_some_uint(json, "framesLeft", report->frames_left);
    mrw_json_uint(mrw_json_key(json, "inlineLimit"), MRWI_REPORT_INLINE >> 20);
    mrw_json_open(mrw_json_key(json, "counts"), '{');
    for (int i = 0; i < MRW_OUTCOME_COUNT; i++) {
        const char *name = mrw_outcome_name((mrw_outcome)i);
        mrw_json_uint(mrw_json_key(json, name), count_outcome(results, (mrw_outcome)i));
    }
    mrw_json_close(json, '}');
    uint64_t frames = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        frames += results->cases[i].frame_count;
    }
    mrw_json_uint(mrw_json_key(json, "frames"), frames);
}

void mrwi_report_data(const mrwi_report *report, mrw_text *out)
{
    const mrw_results *results = report->results;
    mrw_json json = {.text = *out, .compact = true};
    mrw_json_open(&json, '{');
    put_head(&json, report);
    put_texts(&json, "unused", results->unused, results->unused_count);
    mrw_json_open(mrw_json_key(&json, "cases"), '[');
    for (size_t i = 0; i < results->case_count; i++) {
        if (mrwi_report_has_case(report, &results->cases[i])) {
            put_case(&json, &results->cases[i],
                     (const mrwi_report_picture(*)[MRWI_REPORT_ROLES])report->pictures[i]);
        }
    }
    mrw_json_close(&json, ']');
    mrw_json_close(&json, '}');
    *out = json.text;
}
