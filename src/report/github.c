/* github.c: writes results for GitHub Actions: annotations and the summary of a job's step. */
#include "report/results.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* ---- annotations ----------------------------------------------------------------------------- */

/* Escapes what the runner unescapes in the text of a command. Line ends are escaped before. */
static void put_data(mrw_text *text, const char *character)
{
    mrw_text_puts(text, *character == '%' ? "%25" : character);
}

/* Escapes what the runner unescapes in the properties of a command: ':' and ',' as well. */
static void put_property(mrw_text *text, const char *character)
{
    mrw_text_puts(text, *character == ':'   ? "%3A"
                        : *character == ',' ? "%2C"
                        : *character == '%' ? "%25"
                                            : character);
}

static void put_place(mrw_text *text, const mrw_case_result *result)
{
    mrw_text_puts(text, "::error ");
    if (mrwi_report_plain_path(result->suite_file)[0] != '\0') {
        mrw_text_puts(text, "file=");
        mrwi_report_escaped(text, mrwi_report_plain_path(result->suite_file), put_property);
        mrw_text_add(text, ",line=%" PRIu32 ",", result->line);
    }
    mrw_text_puts(text, "title=");
}

static void put_annotation(mrw_text *text, const mrw_case_result *result)
{
    const mrw_frame_result *frame = mrwi_report_first_bad_frame(result);
    put_place(text, result);
    mrwi_report_escaped(text, result->suite, put_property);
    mrw_text_puts(text, "/");
    mrwi_report_escaped(text, result->name, put_property);
    mrw_text_puts(text, "::");
    mrwi_report_escaped(text, mrwi_report_case_message(result), put_data);
    if (frame) {
        mrw_text_add(text, "%%0A%" PRIu32 " of %zu frames failed; the first is ",
                     result->bad_frames, result->frame_count);
        mrwi_report_escaped(text, frame->name, put_data);
        size_t before = text->size;
        mrw_text_puts(text, ": ");
        mrwi_report_figures(text, frame, put_data);
        text->size = text->size == before + 2 ? before : text->size;
    }
    mrw_text_puts(text, "\n");
}

/* Most cases that are named below one cause; GitHub cuts long messages. */
#define MOST_CASES 20

/* Writes one annotation for all cases of a model that changed, at the first of them, because GitHub
 * shows only a few annotations per step. */
static void put_cause(mrw_text *text, const mrw_results *results, const size_t *order, size_t count)
{
    const mrw_case_result *first = &results->cases[order[0]];
    put_place(text, first);
    mrw_text_add(text, "%zu cases", count);
    mrw_text_puts(text, "::");
    mrwi_report_escaped(text, first->model_change, put_data);
    for (size_t i = 0; i < count && i < MOST_CASES; i++) {
        const mrw_case_result *result = &results->cases[order[i]];
        mrw_text_puts(text, "%0A");
        mrwi_report_escaped(text, result->suite, put_data);
        mrw_text_puts(text, "/");
        mrwi_report_escaped(text, result->name, put_data);
        mrw_text_puts(text, mrw_case_detail(result)[0] != '\0' ? ": " : "");
        mrwi_report_escaped(text, mrw_case_detail(result), put_data);
    }
    if (count > MOST_CASES) {
        mrw_text_add(text, "%%0Aand %zu more", count - MOST_CASES);
    }
    mrw_text_puts(text, "\n");
}

mrw_status mrw_report_annotations(const mrw_results *results, mrw_bytes *out, mrw_error *error)
{
    mrw_text text = {0};
    size_t *order;
    mrw_status status = mrwi_report_results_order(results, &order, error);
    if (status) {
        return status;
    }
    for (size_t i = 0, run; i < results->case_count; i += run) {
        const mrw_case_result *result = &results->cases[order[i]];
        run = mrw_results_run(results, order, i);
        if (run > 1) {
            put_cause(&text, results, order + i, run);
        } else if (mrw_outcome_is_bad(result->outcome)) {
            put_annotation(&text, result);
        }
    }
    mrwi_base_free(order);
    return mrw_text_take(&text, out, error);
}

/* ---- the summary ----------------------------------------------------------------------------- */

#define MOST_BYTES ((size_t)1 << 20)
#define TAIL_BYTES ((size_t)512) /* kept for what follows the table */

/* Escapes text for a cell of a table. Character references mean neither Markdown nor HTML
 * (CommonMark 0.31, section 2.5), so every character that might is written as one. */
static void put_markdown(mrw_text *text, const char *character)
{
    for (const char *p = character; *p != '\0'; p++) {
        unsigned char c = (unsigned char)*p;
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter || c >= 0x80 || strchr(" -/%(),;", c)) {
            mrw_text_put(text, p, 1);
        } else {
            mrw_text_add(text, "&#%u;", c);
        }
    }
}

/* Writes the row of a case. message: what is wrong, without what a row above says. */
static void put_row(mrw_text *text, const mrw_case_result *result, const char *message)
{
    const mrw_frame_result *frame = mrwi_report_first_bad_frame(result);
    mrw_frame_result worst = mrwi_report_worst_frame(result);
    mrw_text_puts(text, "| ");
    mrwi_report_escaped(text, result->suite, put_markdown);
    mrw_text_puts(text, "/");
    mrwi_report_escaped(text, result->name, put_markdown);
    mrw_text_puts(text, " | ");
    mrwi_report_escaped(text, message, put_markdown);
    mrw_text_puts(text, " | ");
    if (frame) {
        mrwi_report_escaped(text, frame->name, put_markdown);
        mrw_text_add(text, " (%" PRIu32 " of %zu)", result->bad_frames, result->frame_count);
    }
    mrw_text_puts(text, " | ");
    mrwi_report_figures(text, &worst, put_markdown);
    mrw_text_puts(text, " |\n");
}

static void put_counts(mrw_text *text, const mrw_results *results, size_t bad)
{
    /* the last column appears only if it has a count */
    const int outcomes = results->counts[MRW_LEFT_OUT] > 0 ? MRW_OUTCOME_COUNT : MRW_LEFT_OUT;
    mrw_text_puts(text, "### ");
    mrwi_report_escaped(text, results->title, put_markdown);
    if (results->case_count == 0) {
        mrw_text_puts(text, ": no cases\n");
        return;
    }
    if (bad > 0) {
        mrw_text_add(text, ": %zu bad of %zu cases\n\n|", bad, results->case_count);
    } else {
        mrw_text_add(text, ": %zu cases, none bad\n\n|", results->case_count);
    }
    for (int i = 0; i < outcomes; i++) {
        mrw_text_add(text, " %s |", mrw_outcome_name((mrw_outcome)i));
    }
    mrw_text_puts(text, " seconds |\n|");
    for (int i = 0; i <= outcomes; i++) {
        mrw_text_puts(text, " --: |");
    }
    mrw_text_puts(text, "\n|");
    for (int i = 0; i < outcomes; i++) {
        mrw_text_add(text, " %" PRIu32 " |", results->counts[i]);
    }
    mrw_text_puts(text, " ");
    mrw_text_fixed(text, results->seconds, 1);
    mrw_text_puts(text, " |\n");
}

/* Writes rows in `order` while there is room. Returns how many cases were written. A model that
 * changed has a row of its own above its cases. */
static size_t put_rows(mrw_text *text, const mrw_results *results, const size_t *order)
{
    size_t rows = 0;
    mrw_text_puts(text, "\n| case | what is wrong | first bad frame | largest difference |\n| :-- "
                        "| :-- | :-- | :-- |\n");
    for (size_t i = 0, end = 0; i < results->case_count; i++) {
        const mrw_case_result *result = &results->cases[order[i]];
        const size_t before = text->size;
        if (!mrw_outcome_is_bad(result->outcome)) {
            continue;
        }
        const size_t run = i >= end ? mrw_results_run(results, order, i) : 0;
        if (run > 1) {
            end = i + run;
            mrw_text_add(text, "| %zu cases | ", run);
            mrwi_report_escaped(text, result->model_change, put_markdown);
            mrw_text_puts(text, " | | |\n");
        }
        put_row(text, result, i < end ? mrw_case_detail(result) : mrwi_report_case_message(result));
        if (text->failed || text->size + TAIL_BYTES > MOST_BYTES) {
            text->size = before;
            break;
        }
        rows++;
    }
    return rows;
}

mrw_status mrw_report_summary(const mrw_results *results, mrw_bytes *out, mrw_error *error)
{
    mrw_text text = {0};
    size_t bad = 0;
    size_t *order;
    mrw_status status = mrwi_report_results_order(results, &order, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < results->case_count; i++) {
        bad += mrw_outcome_is_bad(results->cases[i].outcome);
    }
    put_counts(&text, results, bad);
    size_t rows = bad > 0 ? put_rows(&text, results, order) : 0;
    mrwi_base_free(order);
    if (results->unused_count > 0) {
        mrw_text_add(&text,
                     "\n%zu file%s in the golden folders but used by no case; `--prune` removes "
                     "such files.\n",
                     results->unused_count, results->unused_count == 1 ? " is" : "s are");
    }
    if (rows < bad) {
        mrw_text_add(&text, "\n%zu more bad cases are left out: GitHub accepts at most 1 MiB.\n",
                     bad - rows);
    }
    return mrw_text_take(&text, out, error);
}
