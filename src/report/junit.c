/* junit.c: writes results as JUnit XML.
 *
 * There is no standard. The attributes are those of the schema that Jenkins' xUnit plugin had when
 * it knew file and line (junit-10.xsd); GitLab reads name, classname, time and file of a testcase,
 * the texts of failure and system-out, and one [[ATTACHMENT|path]] of the latter.
 */
#include "report/results.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Most frames that are named for a case; the report has the rest. */
#define MOST_FRAMES 10

static void attribute(mrw_text *text, const char *name, const char *value)
{
    mrw_text_add(text, " %s=\"", name);
    mrwi_report_escaped(text, value, mrwi_report_xml);
    mrw_text_puts(text, "\"");
}

static void attribute_count(mrw_text *text, const char *name, size_t value)
{
    mrw_text_add(text, " %s=\"%zu\"", name, value);
}

static void attribute_seconds(mrw_text *text, double seconds)
{
    mrw_text_puts(text, " time=\"");
    mrw_text_fixed(text, seconds, 3);
    mrw_text_puts(text, "\"");
}

/* ---- a case ---------------------------------------------------------------------------------- */

static const char *failure_type(const mrw_case_result *result)
{
    const mrw_frame_result *frame = mrwi_report_first_bad_frame(result);
    for (uint32_t bit = 1; frame && bit != 0; bit <<= 1) {
        if ((frame->why & bit) != 0 && mrwi_report_why_name(bit)) {
            return mrwi_report_why_name(bit);
        }
    }
    return !frame && result->framing ? "framing" : mrw_outcome_name(result->outcome);
}

/* Returns true if the message of a case is that of its first bad frame, which follows anyway. */
static bool is_of_frame(const char *message, const mrw_frame_result *frame)
{
    size_t length = frame && frame->name ? strlen(frame->name) : 0;
    return length > 0 && strncmp(message, frame->name, length) == 0 && message[length] == ':';
}

static void put_frame(mrw_text *text, const mrw_frame_result *frame)
{
    mrwi_report_escaped(text, frame->name, mrwi_report_xml);
    mrw_text_puts(text, ": ");
    mrwi_report_escaped(text, frame->message, mrwi_report_xml);
    mrw_text figures = {0};
    mrwi_report_figures(&figures, frame, mrwi_report_xml);
    if (figures.size > 0) {
        mrw_text_puts(text, "\n    ");
        mrw_text_put(text, figures.data, figures.size);
    }
    mrw_text_puts(text, "\n");
    text->failed = text->failed || figures.failed;
    mrw_text_free(&figures);
}

static void put_failure(mrw_text *text, const mrw_case_result *result)
{
    mrw_text_puts(text, "      <failure");
    attribute(text, "type", failure_type(result));
    attribute(text, "message", mrwi_report_case_message(result));
    mrw_text_puts(text, ">");
    size_t shown = 0;
    if (!is_of_frame(mrwi_report_case_message(result), mrwi_report_first_bad_frame(result))) {
        mrwi_report_escaped(text, mrwi_report_case_message(result), mrwi_report_xml);
        mrw_text_puts(text, "\n");
    }
    for (size_t i = 0; i < result->frame_count && shown < MOST_FRAMES; i++) {
        if (!result->frames[i].passed) {
            put_frame(text, &result->frames[i]);
            shown++;
        }
    }
    if (result->bad_frames > shown) {
        mrw_text_add(text, "and %zu more of %zu frames\n", result->bad_frames - shown,
                     result->frame_count);
    }
    mrw_text_puts(text, "</failure>\n");
}

static bool counts_as_skipped(const mrw_case_result *result)
{
    return result->outcome == MRW_SKIPPED || result->outcome == MRW_XFAILED ||
           result->outcome == MRW_LEFT_OUT;
}

static void put_skipped(mrw_text *text, const mrw_case_result *result)
{
    const bool reasoned = result->reason && result->outcome != MRW_LEFT_OUT;
    mrw_text_add(text, "      <skipped type=\"%s\" message=\"%s", mrw_outcome_name(result->outcome),
                 result->outcome == MRW_XFAILED ? "expected to fail: " : "");
    mrwi_report_escaped(text, reasoned ? result->reason : result->message, mrwi_report_xml);
    mrw_text_puts(text, "\"/>\n");
}

/* ---- its pictures ---------------------------------------------------------------------------- */

static void put_picture(mrw_text *text, const mrw_results *results, const char *label,
                        const char *picture)
{
    mrw_text path = {0};
    if (picture) {
        mrwi_report_picture_path(&path, results, picture);
        mrw_text_puts(text, label);
        mrwi_report_escaped(text, path.data, mrwi_report_xml);
        mrw_text_puts(text, "\n");
    }
    text->failed = text->failed || path.failed;
    mrw_text_free(&path);
}

/* Writes the attachment of a frame. GitLab shows the first of a case, and accepts none whose path
 * has brackets. */
static bool put_attachment(mrw_text *text, const mrw_results *results,
                           const mrw_frame_result *frame)
{
    const char *picture = frame->diff ? frame->diff : frame->actual;
    mrw_text path = {0};
    if (picture) {
        mrwi_report_picture_path(&path, results, picture);
    }
    bool fit = path.size > 0 && !path.failed && !strpbrk(path.data, "[]|");
    if (fit) {
        mrw_text_puts(text, "[[ATTACHMENT|");
        mrwi_report_escaped(text, mrwi_report_plain_path(path.data), mrwi_report_xml);
        mrw_text_puts(text, "]]\n");
    }
    text->failed = text->failed || path.failed;
    mrw_text_free(&path);
    return fit;
}

static void put_pictures(mrw_text *text, const mrw_results *results, const mrw_case_result *result)
{
    size_t shown = 0;
    bool attached = false;
    for (size_t i = 0; i < result->frame_count && shown < MOST_FRAMES; i++) {
        const mrw_frame_result *frame = &result->frames[i];
        if (frame->passed || !(frame->expected || frame->actual || frame->diff)) {
            continue;
        }
        mrw_text_puts(text, shown++ == 0 ? "      <system-out>" : "");
        attached = attached || put_attachment(text, results, frame);
        put_picture(text, results, "expected: ", frame->expected);
        put_picture(text, results, "actual: ", frame->actual);
        put_picture(text, results, "diff: ", frame->diff);
    }
    mrw_text_puts(text, shown > 0 ? "</system-out>\n" : "");
}

static void put_case(mrw_text *text, const mrw_results *results, const mrw_case_result *result)
{
    mrw_text_puts(text, "    <testcase");
    attribute(text, "classname", result->suite);
    attribute(text, "name", result->name);
    if (mrwi_report_plain_path(result->suite_file)[0] != '\0') {
        attribute(text, "file", mrwi_report_plain_path(result->suite_file));
        attribute_count(text, "line", result->line);
    }
    attribute_seconds(text, result->seconds);
    if (mrw_outcome_is_bad(result->outcome)) {
        mrw_text_puts(text, ">\n");
        put_failure(text, result);
        put_pictures(text, results, result);
        mrw_text_puts(text, "    </testcase>\n");
    } else if (counts_as_skipped(result)) {
        mrw_text_puts(text, ">\n");
        put_skipped(text, result);
        mrw_text_puts(text, "    </testcase>\n");
    } else {
        mrw_text_puts(text, "/>\n");
    }
}

/* ---- suites ---------------------------------------------------------------------------------- */

typedef struct tally {
    size_t bad;
    size_t skipped;
    double seconds;
} tally;

static tally count(const mrw_case_result *cases, size_t size)
{
    tally sum = {0};
    for (size_t i = 0; i < size; i++) {
        sum.bad += mrw_outcome_is_bad(cases[i].outcome);
        sum.skipped += counts_as_skipped(&cases[i]);
        sum.seconds += cases[i].seconds;
    }
    return sum;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Returns how many cases, from the first on, are of the same suite. */
static size_t suite_size(const mrw_case_result *cases, size_t left)
{
    size_t size = 1;
    while (size < left && same_text(cases[size].suite, cases[0].suite) &&
           same_text(cases[size].suite_file, cases[0].suite_file)) {
        size++;
    }
    return size;
}

/* Writes one line per model that changed, with its cases below, for the `size` cases of a suite
 * from `first` on. order: the order of all cases. */
static void put_causes(mrw_text *text, const mrw_results *results, const size_t *order,
                       size_t first, size_t size)
{
    size_t shown = 0;
    for (size_t i = 0, run; i < results->case_count; i += run) {
        bool told = false;
        run = mrw_results_run(results, order, i);
        for (size_t k = i; k < i + run && run > 1; k++) {
            const mrw_case_result *result = &results->cases[order[k]];
            if (order[k] < first || order[k] >= first + size) {
                continue;
            }
            mrw_text_puts(text, shown++ == 0 ? "    <system-out>" : "");
            if (!told) {
                mrwi_report_escaped(text, result->model_change, mrwi_report_xml);
                mrw_text_puts(text, "\n");
            }
            told = true;
            mrw_text_puts(text, "  ");
            mrwi_report_escaped(text, result->name, mrwi_report_xml);
            mrw_text_puts(text, "\n");
        }
    }
    mrw_text_puts(text, shown > 0 ? "</system-out>\n" : "");
}

/* Writes a suite. The element is named after the suite's file, because suites of several folders
 * may share a name, and GitLab drops a case whose names it has met. */
static void put_suite(mrw_text *text, const mrw_results *results, const size_t *order, size_t first,
                      size_t size)
{
    const mrw_case_result *cases = results->cases + first;
    tally sum = count(cases, size);
    const char *file = mrwi_report_plain_path(cases[0].suite_file);
    mrw_text_puts(text, "  <testsuite");
    attribute(text, "name", file[0] != '\0' ? file : cases[0].suite);
    attribute_count(text, "tests", size);
    attribute_count(text, "failures", sum.bad);
    attribute_count(text, "errors", 0);
    attribute_count(text, "skipped", sum.skipped);
    attribute_seconds(text, sum.seconds);
    mrw_text_puts(text, ">\n");
    for (size_t i = 0; i < size; i++) {
        put_case(text, results, &cases[i]);
    }
    put_causes(text, results, order, first, size);
    mrw_text_puts(text, "  </testsuite>\n");
}

mrw_status mrw_report_junit(const mrw_results *results, mrw_bytes *out, mrw_error *error)
{
    mrw_text text = {0};
    tally sum = count(results->cases, results->case_count);
    size_t *order;
    mrw_status status = mrwi_report_results_order(results, &order, error);
    if (status) {
        return status;
    }
    mrw_text_puts(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    attribute(&text, "name", results->title);
    attribute_count(&text, "tests", results->case_count);
    attribute_count(&text, "failures", sum.bad);
    attribute_count(&text, "errors", 0);
    attribute_seconds(&text, results->seconds);
    mrw_text_puts(&text, ">\n");
    for (size_t i = 0, size; i < results->case_count; i += size) {
        size = suite_size(results->cases + i, results->case_count - i);
        put_suite(&text, results, order, i, size);
    }
    mrwi_base_free(order);
    mrw_text_puts(&text, "</testsuites>\n");
    return mrw_text_take(&text, out, error);
}
