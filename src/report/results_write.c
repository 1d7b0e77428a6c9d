/* results_write.c: writes results as JSON. */
#include "report/results.h"

#include "base/links.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const mrwi_report_subject_tokens[MRWI_REPORT_SUBJECTS] = {"drawn", "alpha", "frame"};
const char *const mrwi_report_empty_tokens[MRWI_REPORT_EMPTINESSES] = {"", "blank", "colour",
                                                                       "cut"};

/* Writes a text, "" for NULL. */
static void put_sure_text(mrw_json *json, const char *key, const char *value)
{
    mrw_json_string(mrw_json_key(json, key), value ? value : "");
}

static void put_texts(mrw_json *json, const char *key, const char *const *values, size_t count)
{
    mrw_json_open(mrw_json_key(json, key), '[');
    for (size_t i = 0; i < count; i++) {
        mrw_json_string(json, values[i] ? values[i] : "");
    }
    mrw_json_close(json, ']');
}

/* ---- frames ---------------------------------------------------------------------------------- */

void mrwi_report_put_why(mrw_json *json, uint32_t why)
{
    mrw_json_open(mrw_json_key(json, "why"), '[');
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        const char *name = mrwi_report_why_name(bit);
        if ((why & bit) != 0 && name) {
            mrw_json_string(json, name);
        }
    }
    mrw_json_close(json, ']');
}

void mrwi_report_put_metrics(mrw_json *json, const mrw_compare_result *metrics)
{
    mrw_json_double(mrw_json_key(json, "ratio"), metrics->ratio);
    mrw_json_uints(mrw_json_key(json, "largest"), metrics->largest, 4);
    mrw_json_uints(mrw_json_key(json, "box"), metrics->box, 4);
    mrw_json_double(mrw_json_key(json, "mean"), metrics->mean);
    mrw_json_double(mrw_json_key(json, "psnr"), metrics->psnr);
    mrw_json_double(mrw_json_key(json, "flip"), metrics->flip);
}

void mrwi_report_put_pose(mrw_json *json, const mrw_pose_difference *pose)
{
    mrw_json_double(mrw_json_key(json, "degrees"), pose->degrees);
    mrw_json_double(mrw_json_key(json, "distance"), pose->distance);
    mrw_json_double(mrw_json_key(json, "scale"), pose->scale);
    mrw_json_uint(mrw_json_key(json, "differing"), pose->differing);
}

static void put_metrics(mrw_json *json, const mrw_frame_result *frame)
{
    const mrw_compare_result *m = &frame->metrics;
    if (!frame->compared) {
        mrw_json_null(mrw_json_key(json, "metrics"));
        return;
    }
    mrw_json_open(mrw_json_key(json, "metrics"), '{');
    mrw_json_bool(mrw_json_key(json, "passed"), m->passed);
    mrw_json_bool(mrw_json_key(json, "same_size"), m->same_size);
    mrw_json_bool(mrw_json_key(json, "identical"), m->identical);
    mrw_json_bool(mrw_json_key(json, "all_metrics"), m->all_metrics);
    mrw_json_string(mrw_json_key(json, "subject"), mrwi_report_subject_tokens[m->subject]);
    mrw_json_uint(mrw_json_key(json, "subject_pixels"), m->subject_pixels);
    mrw_json_uint(mrw_json_key(json, "masked_pixels"), m->masked_pixels);
    mrw_json_uint(mrw_json_key(json, "differing"), m->differing);
    mrw_json_uint(mrw_json_key(json, "antialiased"), m->antialiased);
    mrwi_report_put_metrics(json, m);
    mrw_json_double(mrw_json_key(json, "flip_largest"), m->flip_largest);
    mrw_json_close(json, '}');
}

static void put_pose(mrw_json *json, const mrw_pose_difference *pose)
{
    if (!pose->joint && pose->joints == 0) {
        mrw_json_null(mrw_json_key(json, "pose"));
        return;
    }
    mrw_json_open(mrw_json_key(json, "pose"), '{');
    mrw_json_string(mrw_json_key(json, "joint"), pose->joint);
    mrwi_report_put_pose(json, pose);
    mrw_json_uint(mrw_json_key(json, "joints"), pose->joints);
    mrw_json_close(json, '}');
}

static void put_frame(mrw_json *json, const mrw_frame_result *frame)
{
    mrw_json_open(json, '{');
    put_sure_text(json, "name", frame->name);
    put_sure_text(json, "clip", frame->clip);
    mrw_json_uint(mrw_json_key(json, "frame"), frame->frame);
    mrw_json_double(mrw_json_key(json, "time"), frame->time);
    mrw_json_bool(mrw_json_key(json, "passed"), frame->passed);
    mrwi_report_put_why(json, frame->why);
    put_sure_text(json, "message", frame->message);
    mrw_json_string(mrw_json_key(json, "expected"), frame->expected);
    mrw_json_string(mrw_json_key(json, "actual"), frame->actual);
    mrw_json_string(mrw_json_key(json, "diff"), frame->diff);
    put_metrics(json, frame);
    mrw_json_string(mrw_json_key(json, "empty"), frame->emptiness == MRW_NOT_EMPTY
                                                     ? NULL
                                                     : mrwi_report_empty_tokens[frame->emptiness]);
    put_pose(json, &frame->pose);
    mrw_json_double(mrw_json_key(json, "bounds"), frame->bounds);
    mrw_json_close(json, '}');
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void put_case(mrw_json *json, const mrw_case_result *result)
{
    mrw_json_open(json, '{');
    put_sure_text(json, "suite", result->suite);
    put_sure_text(json, "name", result->name);
    mrw_json_string(mrw_json_key(json, "outcome"), mrw_outcome_name(result->outcome));
    put_sure_text(json, "message", result->message);
    mrw_json_string(mrw_json_key(json, "model_change"), result->model_change);
    mrw_json_string(mrw_json_key(json, "suite_change"), result->suite_change);
    mrw_json_string(mrw_json_key(json, "framing"), result->framing);
    mrw_json_string(mrw_json_key(json, "reason"), result->reason);
    mrw_json_break(json, "     ");
    put_sure_text(json, "suite_file", result->suite_file);
    mrw_json_uint(mrw_json_key(json, "line"), result->line);
    put_sure_text(json, "model", result->model);
    put_sure_text(json, "golden", result->golden);
    mrw_json_string(mrw_json_key(json, "backend"), result->backend);
    mrw_json_string(mrw_json_key(json, "driver"), result->driver);
    put_sure_text(json, "mode", result->mode);
    put_texts(json, "tags", result->tags, result->tag_count);
    mrw_json_break(json, "     ");
    mrw_json_double(mrw_json_key(json, "seconds"), result->seconds);
    mrw_json_uint(mrw_json_key(json, "runs"), result->runs);
    mrw_json_uint(mrw_json_key(json, "pixel_version"), result->pixel_version);
    mrw_json_uint(mrw_json_key(json, "golden_pixel_version"), result->golden_pixel_version);
    mrw_json_uint(mrw_json_key(json, "golden_version"), result->golden_version);
    mrw_json_break(json, "     ");
    put_sure_text(json, "scene_hash", result->scene_hash);
    put_sure_text(json, "golden_scene_hash", result->golden_scene_hash);
    mrw_json_break(json, "     ");
    mrw_json_uint(mrw_json_key(json, "bad_frames"), result->bad_frames);
    mrw_json_open(mrw_json_key(json, "frames"), '[');
    for (size_t i = 0; i < result->frame_count; i++) {
        mrw_json_break(json, "      ");
        put_frame(json, &result->frames[i]);
    }
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
}

static void put_head(mrw_json *json, const mrw_results *results)
{
    mrw_json_uint(mrw_json_key(json, "schema"), MRWI_REPORT_RESULTS_SCHEMA);
    mrw_json_break(json, " ");
    put_sure_text(json, "title", results->title);
    mrw_json_string(mrw_json_key(json, "against"), results->against);
    mrw_json_break(json, " ");
    mrw_json_open(mrw_json_key(json, "shard"), '{');
    mrw_json_uint(mrw_json_key(json, "index"), results->shard_index);
    mrw_json_uint(mrw_json_key(json, "count"), results->shard_count);
    mrw_json_close(json, '}');
    mrw_json_break(json, " ");
    mrw_json_double(mrw_json_key(json, "seconds"), results->seconds);
    mrw_json_break(json, " ");
    mrw_json_open(mrw_json_key(json, "counts"), '{');
    for (int i = 0; i < MRW_OUTCOME_COUNT; i++) {
        mrw_json_uint(mrw_json_key(json, mrw_outcome_name((mrw_outcome)i)), results->counts[i]);
    }
    mrw_json_close(json, '}');
}

mrw_status mrw_results_json(const mrw_results *results, mrw_bytes *out, mrw_error *error)
{
    mrw_json json = {0};
    mrw_json_open(&json, '{');
    put_head(&json, results);
    mrw_json_break(&json, " ");
    mrw_json_open(mrw_json_key(&json, "cases"), '[');
    for (size_t i = 0; i < results->case_count; i++) {
        mrw_json_break(&json, "    ");
        put_case(&json, &results->cases[i]);
    }
    mrw_json_close(&json, ']');
    mrw_json_break(&json, " ");
    put_texts(&json, "unused", results->unused, results->unused_count);
    mrw_json_close(&json, '}');
    mrw_json_line(&json);
    return mrw_text_take(&json.text, out, error);
}

mrw_status mrw_results_write(const mrw_results *results, mrw_error *error)
{
    mrw_text path = {0};
    mrw_bytes json = {0}, name = {0};
    const char *folder = results->folder ? results->folder : ".";
    mrw_text_add(&path, "%s/%s", folder, MRWI_REPORT_RESULTS_FILE);
    mrw_status status = mrw_text_take(&path, &name, error);
    if (status) {
        goto out;
    }
    status = mrwi_base_links_on_way((const char *)name.data, strlen(folder), error);
    if (status) {
        goto out;
    }
    status = mrw_results_json(results, &json, error);
    if (status) {
        goto out;
    }
    status = mrw_file_write((const char *)name.data, json.data, json.size, error);
out:
    mrw_bytes_free(&json);
    mrw_bytes_free(&name);
    return status;
}
