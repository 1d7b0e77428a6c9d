/* opinion_report.c: a second opinion as results, for the reports of tests: software's pictures are
 * what is expected, the other renderer's what was drawn. */
#include "cli.h"

#include <marrow/codecs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

/* Zeroed; NULL when there is none. It is freed with the report. */
static void *keep(cli_opinion_report *report, size_t count, size_t size)
{
    void **grown = realloc(report->memory, (report->memory_count + 1) * sizeof *grown);
    void *block = grown ? calloc(count > 0 ? count : 1, size) : NULL;
    report->memory = grown ? grown : report->memory;
    if (block) {
        report->memory[report->memory_count++] = block;
    }
    return block;
}

static const char *keep_text(cli_opinion_report *report, const char *format, ...) MRW_PRINTF(2, 3);
static const char *keep_text(cli_opinion_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : keep(report, (size_t)length + 1, 1);
    if (text) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

void cli_opinion_report_free(cli_opinion_report *report)
{
    if (report->temporary[0]) {
        cli_remove_temporary(report->temporary);
    }
    for (size_t i = 0; i < report->memory_count; i++) {
        free(report->memory[i]);
    }
    free(report->memory);
    *report = (cli_opinion_report){0};
}

/* ---- the report ------------------------------------------------------------------------------ */

/* Where pictures go: --out, or for as long as reports are made. */
static mrw_status choose_folder(cli_opinion_report *report, mrw_error *error)
{
    const mrw_settings *settings = report->settings;
    if (settings->reports.results) {
        snprintf(report->folder, sizeof report->folder, "%s", settings->reports.results);
        return mrw_make_folder(report->folder, NULL, error);
    }
    if (!settings->reports.folder && !settings->reports.page) {
        return MRW_OK;
    }
    const mrw_status status = cli_make_temporary("opinion", report->temporary, error);
    memcpy(report->folder, report->temporary, sizeof report->folder);
    return status;
}

mrw_status cli_opinion_report_begin(const mrw_settings *settings, size_t case_count,
                                    const char *driver, cli_opinion_report *out, mrw_error *error)
{
    *out = (cli_opinion_report){.settings = settings,
                                .start = mrw_clock_seconds(MRW_CLOCK_WALL),
                                .wanted = settings->reports.folder || settings->reports.page ||
                                          settings->reports.junit || settings->reports.tap ||
                                          settings->reports.results};
    if (!out->wanted) {
        return MRW_OK;
    }
    mrw_results *results = &out->results;
    const mrw_status status = choose_folder(out, error);
    *results = (mrw_results){
        .shard_index = settings->run.shard_count > 1 ? settings->run.shard_index : 1,
        .shard_count = settings->run.shard_count > 1 ? settings->run.shard_count : 1,
        .title = keep_text(out, "a second opinion: %s compared with software", driver),
        .against = "software",
        .folder = out->folder[0] ? out->folder : ".",
        /* and what tells that the opinion is worth nothing */
        .cases = keep(out, case_count + 1, sizeof *results->cases)};
    return status != MRW_OK                   ? status
           : results->title && results->cases ? MRW_OK
                                              : cli_fail_memory(error);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static mrw_case_result *current_case(cli_opinion_report *report)
{
    return &report->results.cases[report->results.case_count - 1];
}

/* Begins the case. What belongs to it is its own, which lasts as long. */
mrw_status cli_opinion_report_case(cli_opinion_report *report, const mrw_case *c, uint32_t pictures,
                                   mrw_error *error)
{
    if (!report->wanted) {
        return MRW_OK;
    }
    mrw_case_result *result = &report->results.cases[report->results.case_count++];
    report->case_start = mrw_clock_seconds(MRW_CLOCK_WALL);
    *result = (mrw_case_result){.suite = c->suite,
                                .name = c->name,
                                .suite_file = c->suite_file,
                                .line = c->line,
                                .model = c->model,
                                .golden = "",
                                .backend = "gl",
                                .driver = cli_backend_driver(),
                                .message = "",
                                .mode = "pixel",
                                .tags = c->tags,
                                .tag_count = c->tag_count,
                                .pixel_version = MRW_PIXEL_VERSION,
                                .golden_pixel_version = MRW_PIXEL_VERSION,
                                .scene_hash = "",
                                .golden_scene_hash = "",
                                .frames = keep(report, pictures, sizeof *result->frames),
                                .runs = 1};
    return result->frames ? MRW_OK : cli_fail_memory(error);
}

/* Pictures of 16 bits become those of 8, which are compared. The subject is borrowed. */
static mrw_status to_bytes(const mrw_image *image, mrw_image *out, mrw_error *error)
{
    const size_t count = (size_t)image->width * image->height * image->channels;
    const mrw_status status = mrw_image_create_as(MRW_FORMAT_U8, image->width, image->height,
                                                  image->channels, out, error);
    for (size_t i = 0; i < count && status == MRW_OK; i++) {
        out->pixels[i] = image->format == MRW_FORMAT_U16
                             ? (uint8_t)((((const uint16_t *)image->pixels)[i] + 128) / 257)
                             : ((const uint8_t *)image->pixels)[i];
    }
    out->subject = image->subject;
    return status;
}

/* *out: its path below the folder. */
static mrw_status write_picture(cli_opinion_report *report, const char *name, const char *ending,
                                const mrw_image *image, const char **out, mrw_error *error)
{
    const mrw_case_result *c = current_case(report);
    mrw_bytes bytes = {0};
    *out = keep_text(report, "%s/%s/%s%s", c->suite, c->name, name, ending);
    const char *path = *out ? keep_text(report, "%s/%s", report->folder, *out) : NULL;
    mrw_status status = path ? mrw_make_folder_of(path, "--out", error) : cli_fail_memory(error);
    if (status == MRW_OK) {
        status = mrw_png_encode(image, &bytes, error);
    }
    if (status == MRW_OK) {
        status = mrw_file_write(path, bytes.data, bytes.size, error);
    }
    mrw_bytes_free(&bytes);
    return status;
}

static mrw_status write_pictures(cli_opinion_report *report, const cli_opinion_picture *picture,
                                 mrw_frame_result *frame, mrw_error *error)
{
    mrw_image both[2] = {{0}}, diff = {0};
    mrw_compare_def def = mrw_compare_def_default();
    def.mode = MRW_COMPARE_PIXEL;
    def.max_delta = picture->levels;
    mrw_status status = to_bytes(picture->expected, &both[0], error);
    if (status == MRW_OK) {
        status = to_bytes(picture->actual, &both[1], error);
    }
    if (status == MRW_OK) {
        status = mrw_compare(&both[0], &both[1], &def, true, &frame->metrics, error);
        frame->compared = status == MRW_OK;
    }
    if (status == MRW_OK && report->folder[0]) {
        status =
            write_picture(report, frame->name, ".expected.png", &both[0], &frame->expected, error);
    }
    if (status == MRW_OK && report->folder[0] && !frame->metrics.identical) {
        status = write_picture(report, frame->name, ".png", &both[1], &frame->actual, error);
        if (status == MRW_OK) {
            status = mrw_compare_picture(&both[0], &both[1], &def, &diff, error);
        }
        if (status == MRW_OK) {
            status = write_picture(report, frame->name, ".diff.png", &diff, &frame->diff, error);
        }
    }
    for (int k = 0; k < 2; k++) {
        both[k].subject = NULL;
        mrw_image_free(&both[k]);
    }
    mrw_image_free(&diff);
    return status;
}

mrw_status cli_opinion_report_picture(cli_opinion_report *report,
                                      const cli_opinion_picture *picture, mrw_error *error)
{
    char safe[201];
    if (!report->wanted) {
        return MRW_OK;
    }
    mrw_case_result *result = current_case(report);
    mrw_frame_result *frame = &result->frames[result->frame_count++];
    mrw_safe_file_name(picture->clip, safe, sizeof safe);
    *frame = (mrw_frame_result){
        .name = keep_text(report, "%s_%04llu", safe, (unsigned long long)picture->frame),
        .clip = keep_text(report, "%s", picture->clip),
        .frame = picture->frame,
        .time = picture->time,
        .passed = picture->agrees,
        .why = picture->agrees ? 0 : MRW_WHY_PIXELS,
        .message = picture->agrees ? "" : keep_text(report, "%s", picture->message),
        .pose = {.scale = 1.0}};
    result->bad_frames += !picture->agrees;
    return frame->name && frame->clip && frame->message
               ? write_pictures(report, picture, frame, error)
               : cli_fail_memory(error);
}

mrw_status cli_opinion_report_outcome(cli_opinion_report *report, mrw_outcome outcome,
                                      const char *message, const char *reason, mrw_error *error)
{
    if (!report->wanted) {
        return MRW_OK;
    }
    mrw_case_result *result = current_case(report);
    result->outcome = outcome;
    result->reason = reason ? keep_text(report, "%s", reason) : NULL;
    result->message = reason ? "" : keep_text(report, "%s", message);
    result->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - report->case_start;
    report->results.counts[outcome]++;
    return result->message && (result->reason || !reason) ? MRW_OK : cli_fail_memory(error);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* With --json the answer is the opinion's own. */
mrw_status cli_opinion_report_write(cli_opinion_report *report, const char *fault, mrw_error *error)
{
    mrw_settings settings = *report->settings; /* borrowed */
    mrw_results *results = &report->results;
    if (!report->wanted) {
        return MRW_OK;
    }
    settings.output.json = NULL;
    if (fault) {
        results->cases[results->case_count++] =
            (mrw_case_result){.suite = "marrow",
                              .name = "second opinion",
                              .suite_file = "",
                              .model = "",
                              .golden = "",
                              .backend = "gl",
                              .driver = cli_backend_driver(),
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
    return cli_write_reports(&settings, results, error);
}
