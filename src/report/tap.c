/* tap.c: writes results as TAP version 13 (testanything.org), which every reader of TAP knows.
 * Names are escaped as version 14 says. */
#include "report/results.h"

#include <inttypes.h>

static void put_character(mrw_text *text, const char *character)
{
    for (const char *p = character; *p != '\0'; p++) {
        mrw_text_puts(text, *p == '#' || *p == '\\' ? "\\" : "");
        mrw_text_put(text, p, 1);
    }
}

/* ---- YAML blocks ----------------------------------------------------------------------------- */

/* Writes a text as a JSON string, which YAML reads. */
static void put_text(mrw_text *text, const char *indent, const char *key, const char *value)
{
    mrw_text_add(text, "%s%s: ", indent, key);
    mrw_json_quote(text, value);
    mrw_text_puts(text, "\n");
}

static void put_count(mrw_text *text, const char *key, uint64_t value)
{
    mrw_text_add(text, "    %s: %" PRIu64 "\n", key, value);
}

static void put_number(mrw_text *text, const char *key, double value)
{
    mrw_text_add(text, "    %s: ", key);
    mrw_text_double(text, value);
    mrw_text_puts(text, "\n");
}

static void put_metrics(mrw_text *text, const mrw_compare_result *m)
{
    mrw_text_puts(text, "  metrics:\n");
    mrw_text_add(text, "    same_size: %s\n", m->same_size ? "true" : "false");
    put_count(text, "differing", m->differing);
    put_count(text, "subject_pixels", m->subject_pixels);
    put_number(text, "ratio", m->ratio);
    mrw_text_add(text, "    largest: [%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "]\n",
                 m->largest[0], m->largest[1], m->largest[2], m->largest[3]);
    if (m->all_metrics) {
        put_number(text, "mean", m->mean);
        put_number(text, "psnr", m->psnr);
        put_number(text, "flip", m->flip);
        put_number(text, "flip_largest", m->flip_largest);
    }
}

static void put_pose(mrw_text *text, const mrw_pose_difference *pose)
{
    mrw_text_puts(text, "  pose:\n");
    put_text(text, "    ", "joint", pose->joint);
    put_number(text, "degrees", pose->degrees);
    put_number(text, "distance", pose->distance);
    put_number(text, "scale", pose->scale);
    put_count(text, "differing", pose->differing);
    put_count(text, "joints", pose->joints);
}

static void put_block(mrw_text *text, const mrw_case_result *result)
{
    const mrw_frame_result *frame = mrwi_report_first_bad_frame(result);
    mrw_text_puts(text, "  ---\n");
    put_text(text, "  ", "message", mrwi_report_case_message(result));
    put_text(text, "  ", "severity", result->outcome == MRW_XFAILED ? "todo" : "fail");
    if (mrwi_report_plain_path(result->suite_file)[0] != '\0') {
        mrw_text_puts(text, "  at:\n");
        put_text(text, "    ", "file", mrwi_report_plain_path(result->suite_file));
        put_count(text, "line", result->line);
    }
    if (frame) {
        put_text(text, "  ", "frame", frame->name);
        mrw_text_add(text, "  bad_frames: %" PRIu32 "\n  frames: %zu\n", result->bad_frames,
                     result->frame_count);
    }
    if (frame && frame->compared) {
        put_metrics(text, &frame->metrics);
    }
    if (frame && frame->pose.joint) {
        put_pose(text, &frame->pose);
    }
    mrw_text_puts(text, "  ...\n");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_directive(mrw_text *text, const char *directive, const mrw_case_result *result)
{
    const char *reason = result->reason ? result->reason : result->message;
    mrw_text_add(text, " # %s", directive);
    if (reason && reason[0] != '\0') {
        mrw_text_puts(text, " ");
        mrwi_report_escaped(text, reason, put_character);
    }
}

static void put_case(mrw_text *text, size_t number, const mrw_case_result *result)
{
    bool bad = mrw_outcome_is_bad(result->outcome), todo = result->outcome == MRW_XFAILED;
    mrw_text_add(text, "%s %zu - ", bad || todo ? "not ok" : "ok", number);
    mrwi_report_escaped(text, result->suite, put_character);
    mrw_text_puts(text, "/");
    mrwi_report_escaped(text, result->name, put_character);
    if (todo) {
        put_directive(text, "TODO", result);
    } else if (result->outcome == MRW_SKIPPED || result->outcome == MRW_LEFT_OUT) {
        put_directive(text, "SKIP", result);
    }
    mrw_text_puts(text, "\n");
    if (bad || todo) {
        put_block(text, result);
    }
}

/* Names the driver: if results of several machines were merged, the first one that is not software.
 */
static void put_driver(mrw_text *text, const mrw_results *results)
{
    const char *driver = NULL;
    for (size_t i = 0; i < results->case_count && !driver; i++) {
        driver = results->cases[i].driver;
    }
    if (driver) {
        mrw_text_puts(text, "# drawn by ");
        mrwi_report_escaped(text, driver, put_character);
        mrw_text_puts(text, "\n");
    }
}

mrw_status mrw_report_tap(const mrw_results *results, mrw_bytes *out, mrw_error *error)
{
    mrw_text text = {0};
    mrw_text_puts(&text, "TAP version 13\n");
    put_driver(&text, results);
    if (results->case_count == 0) { /* an empty plan would pass */
        bool fine = mrw_results_exit_status(results) == 0;
        mrw_text_puts(&text, fine ? "1..0 # SKIP this shard has no cases\n"
                                  : "1..1\nnot ok 1 - no cases\n");
    } else {
        mrw_text_add(&text, "1..%zu\n", results->case_count);
    }
    for (size_t i = 0; i < results->case_count; i++) {
        put_case(&text, i + 1, &results->cases[i]);
    }
    return mrw_text_take(&text, out, error);
}
