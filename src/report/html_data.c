/* html_data.c: what the HTML report shows, as JSON. Values that are none are left out of frames: of
 * many thousand frames most have nothing to say. */
#include "report/html.h"
#include "report/results.h"

#include <inttypes.h>
#include <string.h>

/* A document in the making. */
typedef struct writer {
    mrwi_text *text;
    mrwi_text safe; /* scratch: a stranger's text, escaped */
    bool comma;     /* the next value needs one before it */
} writer;

static void begin(writer *w, const char *key)
{
    mrwi_text_puts(w->text, w->comma ? "," : "");
    if (key != NULL) {
        mrwi_text_add(w->text, "\"%s\":", key);
    }
    w->comma = true;
}

static void open_bracket(writer *w, const char *key, const char *bracket)
{
    begin(w, key);
    mrwi_text_puts(w->text, bracket);
    w->comma = false;
}

static void close_bracket(writer *w, const char *bracket)
{
    mrwi_text_puts(w->text, bracket);
    w->comma = true;
}

/* Text that is shown; NULL is "". */
static void put_text(writer *w, const char *key, const char *stranger)
{
    begin(w, key);
    w->safe.size = 0;
    mrwi_text_escaped(&w->safe, stranger, mrwi_text_puts);
    mrwi_text_json(w->text, w->safe.size > 0 ? w->safe.data : "");
}

static void put_uint(writer *w, const char *key, uint64_t value)
{
    begin(w, key);
    mrwi_text_add(w->text, "%" PRIu64, value);
}

static void put_double(writer *w, const char *key, double value)
{
    begin(w, key);
    mrwi_text_double(w->text, value);
}

static void put_true(writer *w, const char *key, bool value)
{
    if (value) {
        begin(w, key);
        mrwi_text_puts(w->text, "true");
    }
}

static void put_some_text(writer *w, const char *key, const char *stranger)
{
    if (stranger != NULL && stranger[0] != '\0') {
        put_text(w, key, stranger);
    }
}

static void put_some_uint(writer *w, const char *key, uint64_t value)
{
    if (value != 0) {
        put_uint(w, key, value);
    }
}

static void put_some_double(writer *w, const char *key, double value)
{
    if (value != 0) {
        put_double(w, key, value);
    }
}

static void put_uints(writer *w, const char *key, const uint32_t values[4])
{
    open_bracket(w, key, "[");
    for (int i = 0; i < 4; i++) {
        put_uint(w, NULL, values[i]);
    }
    close_bracket(w, "]");
}

static void put_texts(writer *w, const char *key, const char *const *values, size_t count)
{
    open_bracket(w, key, "[");
    for (size_t i = 0; i < count; i++) {
        put_text(w, NULL, values[i]);
    }
    close_bracket(w, "]");
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* [name or base64, width, height, values], or a word that says why there is none. */
static void put_picture(writer *w, const char *key, const mrwi_report_picture *picture)
{
    static const char *const words[] = {
        [MRWI_PICTURE_MISSING] = "missing",
        [MRWI_PICTURE_DAMAGED] = "damaged",
        [MRWI_PICTURE_LEFT] = "left",
    };
    if (picture->state == MRWI_PICTURE_NONE) {
        return;
    }
    if (picture->state != MRWI_PICTURE_SHOWN) {
        begin(w, key);
        mrwi_text_json(w->text, words[picture->state]);
        return;
    }
    open_bracket(w, key, "[");
    begin(w, NULL);
    mrwi_text_puts(w->text, "\""); /* a safe name, or base64: nothing to escape, and long */
    mrwi_text_puts(w->text, picture->name);
    mrwi_text_puts(w->text, "\"");
    put_uint(w, NULL, picture->width);
    put_uint(w, NULL, picture->height);
    put_uint(w, NULL, picture->values);
    close_bracket(w, "]");
}

static void put_metrics(writer *w, const mrw_compare_result *m)
{
    open_bracket(w, "m", "{");
    put_true(w, "passed", m->passed);
    put_true(w, "sameSize", m->same_size);
    put_true(w, "identical", m->identical);
    put_true(w, "all", m->all_metrics || m->identical);
    put_text(w, "subject", mrw_subject_name(m->subject));
    put_uint(w, "subjectPixels", m->subject_pixels);
    put_some_uint(w, "masked", m->masked_pixels);
    if (!m->identical) {
        put_uint(w, "differing", m->differing);
        put_some_uint(w, "antialiased", m->antialiased);
        put_double(w, "ratio", m->ratio);
        put_uints(w, "largest", m->largest);
        put_uints(w, "box", m->box);
        put_double(w, "mean", m->mean);
        put_double(w, "psnr", m->psnr);
        put_double(w, "flip", m->flip);
        put_double(w, "flipLargest", m->flip_largest);
    }
    close_bracket(w, "}");
}

static void put_pose(writer *w, const mrw_pose_difference *pose)
{
    if (pose->joint == NULL && pose->joints == 0) {
        return;
    }
    open_bracket(w, "pose", "{");
    if (pose->joint != NULL) {
        put_text(w, "joint", pose->joint);
        put_double(w, "degrees", pose->degrees);
        put_double(w, "distance", pose->distance);
        put_double(w, "scale", pose->scale);
        put_uint(w, "differing", pose->differing);
    }
    put_uint(w, "joints", pose->joints);
    close_bracket(w, "}");
}

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

static void put_frame(writer *w, const mrw_frame_result *frame,
                      const mrwi_report_picture pictures[MRWI_ROLES])
{
    static const char *const keys[MRWI_ROLES] = {"e", "a", "d"};
    open_bracket(w, NULL, "{");
    put_text(w, "name", frame->name);
    put_some_text(w, "clip", frame->clip);
    put_uint(w, "frame", frame->frame);
    put_some_double(w, "time", frame->time);
    if (!frame->passed) {
        put_why(w, frame->why);
    }
    put_some_text(w, "message", frame->message);
    for (int i = 0; pictures != NULL && i < MRWI_ROLES; i++) {
        put_picture(w, keys[i], &pictures[i]);
    }
    if (frame->compared) {
        put_metrics(w, &frame->metrics);
    }
    if (frame->emptiness != MRW_NOT_EMPTY) {
        put_text(w, "empty", mrw_emptiness_name(frame->emptiness));
    }
    put_pose(w, &frame->pose);
    put_some_double(w, "bounds", frame->bounds);
    close_bracket(w, "}");
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Of a case without pictures only what was within the limits but not the same is worth a line. */
static bool is_worth_showing(const mrw_frame_result *frame)
{
    return !frame->passed || frame->pose.joint != NULL || frame->bounds > 0 ||
           (frame->compared && !frame->metrics.identical);
}

static void put_case(writer *w, const mrw_case_result *result,
                     const mrwi_report_picture (*pictures)[MRWI_ROLES])
{
    mrwi_text_puts(w->text, w->comma ? ",\n" : "\n");
    w->comma = false;
    open_bracket(w, NULL, "{");
    put_text(w, "suite", result->suite);
    put_text(w, "name", result->name);
    put_text(w, "outcome", mrw_outcome_name(result->outcome));
    put_some_text(w, "message", result->message);
    put_some_text(w, "reason", result->reason);
    put_some_text(w, "file", result->suite_file);
    put_uint(w, "line", result->line);
    put_some_text(w, "model", result->model);
    put_some_text(w, "golden", result->golden);
    put_some_text(w, "mode", result->mode);
    put_double(w, "seconds", result->seconds);
    put_texts(w, "tags", result->tags, result->tag_count);
    put_uint(w, "pixelVersion", result->pixel_version);
    put_uint(w, "goldenPixelVersion", result->golden_pixel_version);
    put_some_text(w, "sceneHash", result->scene_hash);
    put_some_text(w, "goldenSceneHash", result->golden_scene_hash);
    put_uint(w, "runs", result->runs);
    put_uint(w, "bad", result->bad_frames);
    put_uint(w, "total", result->frame_count);
    open_bracket(w, "frames", "[");
    for (size_t i = 0; i < result->frame_count; i++) {
        if (pictures != NULL || is_worth_showing(&result->frames[i])) {
            put_frame(w, &result->frames[i], pictures != NULL ? pictures[i] : NULL);
        }
    }
    close_bracket(w, "]");
    close_bracket(w, "}");
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

void mrwi_report_verdict(const mrw_results *results, mrwi_text *out)
{
    size_t cases = results->case_count, skipped = count_outcome(results, MRW_SKIPPED);
    size_t bad = count_outcome(results, MRW_FAILED) + count_outcome(results, MRW_XPASSED);
    if (cases == 0) {
        mrwi_text_puts(out, "No cases ran");
    } else if (bad > 0) {
        mrwi_text_add(out, "%zu of %zu case%s failed", bad, cases, cases == 1 ? "" : "s");
    } else if (skipped == cases) {
        mrwi_text_puts(out, cases == 1 ? "The only case was skipped" : "All cases were skipped");
    } else if (cases == 1) {
        mrwi_text_puts(out, "The only case passed");
    } else {
        mrwi_text_add(out, skipped > 0 ? "%zu cases passed" : "All %zu cases passed",
                      cases - skipped);
    }
}

static void put_head(writer *w, const mrwi_report *report)
{
    const mrw_results *results = report->results;
    mrwi_text verdict = {0};
    put_text(w, "title", results->title);
    mrwi_report_verdict(results, &verdict);
    put_text(w, "verdict", verdict.data);
    w->text->failed |= verdict.failed;
    mrwi_text_free(&verdict);
    int status = mrw_results_exit_status(results);
    put_text(w, "state", status == 1 ? "bad" : status == 77 ? "skipped" : "good");
    put_double(w, "seconds", results->seconds);
    put_uint(w, "pixelVersion", MRW_PIXEL_VERSION);
    put_uint(w, "shard", results->shard_index);
    put_uint(w, "shards", results->shard_count);
    put_true(w, "inlined", report->folder == NULL);
    put_some_uint(w, "framesLeft", report->frames_left);
    put_uint(w, "inlineLimit", MRWI_REPORT_INLINE >> 20);
    open_bracket(w, "counts", "{");
    for (int i = 0; i < MRW_OUTCOME_COUNT; i++) {
        const char *name = mrw_outcome_name((mrw_outcome)i);
        put_uint(w, name, count_outcome(results, (mrw_outcome)i));
    }
    close_bracket(w, "}");
    uint64_t frames = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        frames += results->cases[i].frame_count;
    }
    put_uint(w, "frames", frames);
}

void mrwi_report_data(const mrwi_report *report, mrwi_text *out)
{
    const mrw_results *results = report->results;
    writer w = {.text = out};
    open_bracket(&w, NULL, "{");
    put_head(&w, report);
    put_texts(&w, "unused", results->unused, results->unused_count);
    open_bracket(&w, "cases", "[");
    for (size_t i = 0; i < results->case_count; i++) {
        if (mrwi_report_has_case(report, &results->cases[i])) {
            put_case(&w, &results->cases[i],
                     (const mrwi_report_picture(*)[MRWI_ROLES])report->pictures[i]);
        }
    }
    close_bracket(&w, "]");
    close_bracket(&w, "}");
    out->failed |= w.safe.failed;
    mrwi_text_free(&w.safe);
}
