/* opinion_report.c: a second opinion as results, for the reports of tests. */
#include "golden/opinion.h"

#include "base/links.h"
#include "base/memory.h"
#include "base/text.h"
#include "image/file.h"
#include "report/results.h"

#include <string.h>

mrw_status mrwi_golden_opinion_report_begin(const mrw_opinion_def *def, size_t case_count,
                                            mrw_results *results, mrwi_golden_opinion_report *out,
                                            mrw_error *error)
{
    *results = (mrw_results){.case_count = 0};
    *out = (mrwi_golden_opinion_report){
        .def = def, .results = results, .start = mrw_clock_seconds(MRW_CLOCK_WALL)};
    if (!def->results) {
        return MRW_OK;
    }
    mrwi_base_arena *arena = mrwi_report_results_arena(results);
    if (!arena) {
        return mrwi_base_fail_memory(error, 0);
    }
    results->shard_index = def->shard_count > 1 ? def->shard_index : 1;
    results->shard_count = def->shard_count > 1 ? def->shard_count : 1;
    results->title =
        mrwi_base_format(arena, "a second opinion: %s compared with software", def->driver);
    results->against = "software";
    results->folder = def->folder ? def->folder : ".";
    /* one more for a fault of the opinion itself */
    results->cases = mrwi_base_arena_alloc(arena, case_count + 1, sizeof *results->cases);
    return results->title && results->cases ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static mrw_case_result *current_case(mrwi_golden_opinion_report *report)
{
    return &report->results->cases[report->results->case_count - 1];
}

/* The result borrows from the case, which lasts as long. */
mrw_status mrwi_golden_opinion_report_case(mrwi_golden_opinion_report *report, const mrw_case *c,
                                           uint32_t pictures, mrw_error *error)
{
    if (!report->def->results) {
        return MRW_OK;
    }
    mrw_case_result *result = &report->results->cases[report->results->case_count++];
    report->case_start = mrw_clock_seconds(MRW_CLOCK_WALL);
    *result = (mrw_case_result){
        .suite = c->suite,
        .name = c->name,
        .suite_file = c->suite_file,
        .line = c->line,
        .model = c->model,
        .golden = "",
        .backend = "gl",
        .driver = report->def->driver,
        .message = "",
        .mode = "pixel",
        .tags = c->tags,
        .tag_count = c->tag_count,
        .pixel_version = MRW_PIXEL_VERSION,
        .golden_pixel_version = MRW_PIXEL_VERSION,
        .scene_hash = "",
        .golden_scene_hash = "",
        .frames = mrwi_report_alloc(report->results, pictures, sizeof *result->frames),
        .runs = 1};
    return result->frames ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

/* Converts a picture to 8 bits, which are compared. The subject is borrowed. */
static mrw_status to_bytes(const mrw_image *image, mrw_image *out, mrw_error *error)
{
    const size_t count = (size_t)image->width * image->height * image->channels;
    const mrw_status status = mrw_image_create_as(MRW_FORMAT_U8, image->width, image->height,
                                                  image->channels, out, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        out->pixels[i] = image->format == MRW_FORMAT_U16
                             ? (uint8_t)((((const uint16_t *)image->pixels)[i] + 128) / 257)
                             : ((const uint8_t *)image->pixels)[i];
    }
    out->subject = image->subject;
    return MRW_OK;
}

/* Writes a picture of the current case. *out receives its path below the folder. */
static mrw_status write_picture(mrwi_golden_opinion_report *report, const char *name,
                                const char *ending, const mrw_image *image, const char **out,
                                mrw_error *error)
{
    const mrw_case_result *c = current_case(report);
    mrwi_base_arena *arena = mrwi_report_results_arena(report->results);
    *out = mrwi_base_format(arena, "%s/%s/%s%s", c->suite, c->name, name, ending);
    const char *path = *out ? mrwi_base_format(arena, "%s/%s", report->def->folder, *out) : NULL;
    if (!path) {
        return mrwi_base_fail_memory(error, 0);
    }
    mrw_status status = mrwi_base_links_on_way(path, strlen(report->def->folder), error);
    return status ? status : mrwi_image_write_png(path, "--out", image, error);
}

static mrw_status write_pictures(mrwi_golden_opinion_report *report,
                                 const mrwi_golden_opinion_picture *picture,
                                 mrw_frame_result *frame, mrw_error *error)
{
    mrw_image expected = {0}, actual = {0}, diff = {0};
    mrw_compare_def def = mrw_compare_def_default();
    def.mode = MRW_COMPARE_PIXEL;
    def.max_delta = picture->levels;
    mrw_status status = to_bytes(picture->expected, &expected, error);
    if (status) {
        goto out;
    }
    status = to_bytes(picture->actual, &actual, error);
    if (status) {
        goto out;
    }
    status = mrw_compare(&expected, &actual, &def, true, &frame->metrics, error);
    if (status) {
        goto out;
    }
    frame->compared = true;
    if (!report->def->folder) {
        goto out;
    }
    status =
        write_picture(report, frame->name, ".expected.png", &expected, &frame->expected, error);
    if (status || frame->metrics.identical) {
        goto out;
    }
    status = write_picture(report, frame->name, ".png", &actual, &frame->actual, error);
    if (status) {
        goto out;
    }
    status = mrw_compare_picture(&expected, &actual, &def, &diff, error);
    if (status) {
        goto out;
    }
    status = write_picture(report, frame->name, ".diff.png", &diff, &frame->diff, error);
out:
    expected.subject = actual.subject = NULL; /* borrowed */
    mrw_image_free(&expected);
    mrw_image_free(&actual);
    mrw_image_free(&diff);
    return status;
}

mrw_status mrwi_golden_opinion_report_picture(mrwi_golden_opinion_report *report,
                                              const mrwi_golden_opinion_picture *picture,
                                              mrw_error *error)
{
    char safe[201];
    if (!report->def->results) {
        return MRW_OK;
    }
    mrwi_base_arena *arena = mrwi_report_results_arena(report->results);
    mrw_case_result *result = current_case(report);
    mrw_frame_result *frame = &result->frames[result->frame_count++];
    mrw_safe_file_name(picture->clip, safe, sizeof safe);
    *frame = (mrw_frame_result){
        .name = mrwi_base_format(arena, "%s_%04llu", safe, (unsigned long long)picture->frame),
        .clip = mrwi_base_copy_text(arena, picture->clip),
        .frame = picture->frame,
        .time = picture->time,
        .passed = picture->agrees,
        .why = picture->agrees ? 0 : MRW_WHY_PIXELS,
        .message = picture->agrees ? "" : mrwi_base_copy_text(arena, picture->message),
        .pose = {.scale = 1.0}};
    result->bad_frames += !picture->agrees;
    return frame->name && frame->clip && frame->message
               ? write_pictures(report, picture, frame, error)
               : mrwi_base_fail_memory(error, 0);
}

mrw_status mrwi_golden_opinion_report_outcome(mrwi_golden_opinion_report *report,
                                              mrw_outcome outcome, const char *message,
                                              const char *reason, mrw_error *error)
{
    if (!report->def->results) {
        return MRW_OK;
    }
    mrw_case_result *result = current_case(report);
    result->outcome = outcome;
    result->reason = reason ? mrwi_report_text(report->results, reason) : NULL;
    result->message = reason ? "" : mrwi_report_text(report->results, message);
    result->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - report->case_start;
    report->results->counts[outcome]++;
    return result->message && (result->reason || !reason) ? MRW_OK
                                                          : mrwi_base_fail_memory(error, 0);
}

void mrwi_golden_opinion_report_end(mrwi_golden_opinion_report *report, const char *fault)
{
    mrw_results *results = report->results;
    if (!report->def->results) {
        return;
    }
    if (fault) {
        results->cases[results->case_count++] =
            (mrw_case_result){.suite = "marrow",
                              .name = "second opinion",
                              .suite_file = "",
                              .model = "",
                              .golden = "",
                              .backend = "gl",
                              .driver = report->def->driver,
                              .outcome = MRW_FAILED,
                              .message = fault,
                              .mode = "pixel",
                              .pixel_version = MRW_PIXEL_VERSION,
                              .golden_pixel_version = MRW_PIXEL_VERSION,
                              .scene_hash = "",
                              .golden_scene_hash = ""};
        results->counts[MRW_FAILED]++;
    }
    results->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - report->start;
}
