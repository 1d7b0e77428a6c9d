/* html.c: writes the HTML report.
 *
 * It is one page with the data as JSON, and pictures beside it or in it. It works as a local file:
 * the page fetches nothing. The page names its scripts and styles to the browser by their hashes,
 * so that no others run, whatever the texts from files hold. */
#include "report/html.h"

#include "base/links.h"
#include "base/sha256.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- the page -------------------------------------------------------------------------------- */

static void put_text_hash(mrw_text *out, const char *begin, const char *end)
{
    uint8_t digest[32];
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, begin, (size_t)(end - begin));
    mrwi_base_sha256_end(&hash, digest);
    mrw_text_puts(out, "'sha256-");
    mrw_text_base64(out, digest, sizeof digest);
    mrw_text_puts(out, "'");
}

/* Writes the Content Security Policy, level 3. For a page that is a file, 'self' does not include
 * the files beside it, so file: is named, too; on a site, file: means nothing. */
static void put_policy(const mrwi_report *report, mrw_text *out)
{
    bool inlined = !report->folder;
    mrw_text_puts(out, "default-src 'none'; base-uri 'none'; form-action 'none'; style-src ");
    put_text_hash(out, mrwi_report_css, mrwi_report_css_end);
    mrw_text_puts(out, "; script-src ");
    put_text_hash(out, mrwi_report_js, mrwi_report_js_end);
    mrw_text_puts(out, inlined ? "; img-src data:" : " 'self' file:; img-src 'self' file: data:");
}

static void put_html(mrw_text *out, const char *foreign)
{
    mrwi_report_escaped(out, foreign, mrwi_report_xml);
}

static void put_title(const mrwi_report *report, mrw_text *out)
{
    mrwi_report_verdict(report->results, out);
    if (report->results->title && report->results->title[0] != '\0') {
        mrw_text_puts(out, " \xC2\xB7 ");
        put_html(out, report->results->title);
    }
}

/* Escapes a character for a pattern of `marrow accept` within quotes of the shell, as HTML. */
static void put_quoted(mrw_text *out, const char *character)
{
    if (character[1] == '\0' && strchr("\\*?[]", character[0])) {
        mrw_text_puts(out, "\\");
    }
    if (strcmp(character, "'") == 0) {
        mrw_text_puts(out, "&#39;\\&#39;");
    }
    mrwi_report_xml(out, character);
}

/* Writes the command that accepts a case, if `marrow accept` can; see isAcceptable in
 * page_model.js. */
static void put_accept(const mrw_results *results, const mrw_case_result *result, mrw_text *out)
{
    const char *file = result->suite_file ? result->suite_file : "";
    const size_t length = strlen(file);
    const bool suite = length > 4 && strcmp(file + length - 4, ".ini") == 0;
    if (result->outcome != MRW_FAILED || result->frame_count == 0 || !suite || results->against) {
        return;
    }
    mrw_text_puts(out, "<br><code>marrow accept &#39;");
    mrwi_report_escaped(out, result->suite, put_quoted);
    mrw_text_puts(out, "/");
    mrwi_report_escaped(out, result->name, put_quoted);
    mrw_text_puts(out, "&#39;</code>");
}

/* Writes the failures as text, for browsers without JavaScript. */
static void put_plain(const mrwi_report *report, mrw_text *out)
{
    const mrw_results *results = report->results;
    size_t shown = 0;
    mrw_text_puts(out, "<h1>");
    put_title(report, out);
    mrw_text_puts(out, "</h1>\n<p>The pictures of this report need JavaScript.</p>\n<ul>\n");
    for (size_t i = 0; i < results->case_count && shown < 100; i++) {
        const mrw_case_result *result = &results->cases[i];
        if (mrw_outcome_is_bad(result->outcome)) {
            mrw_text_puts(out, "<li>");
            put_html(out, result->suite);
            mrw_text_puts(out, "/");
            put_html(out, result->name);
            mrw_text_puts(out, ": ");
            put_html(out, result->message);
            put_accept(results, result, out);
            mrw_text_puts(out, "</li>\n");
            shown++;
        }
    }
    mrw_text_puts(out, "</ul>");
}

static void put_css(const mrwi_report *report, mrw_text *out)
{
    (void)report;
    mrw_text_put(out, mrwi_report_css, (size_t)(mrwi_report_css_end - mrwi_report_css));
}

static void put_js(const mrwi_report *report, mrw_text *out)
{
    (void)report;
    mrw_text_put(out, mrwi_report_js, (size_t)(mrwi_report_js_end - mrwi_report_js));
}

/* Parts that replace {{NAME}} in page.html. */
static const struct part {
    const char *name;
    void (*put)(const mrwi_report *report, mrw_text *out);
} parts[] = {
    {"policy", put_policy}, {"title", put_title},       {"plain", put_plain},
    {"style", put_css},     {"data", mrwi_report_data}, {"script", put_js},
};

static mrw_status make_page(const mrwi_report *report, mrw_bytes *out, mrw_error *error)
{
    mrw_text page = {0};
    const char *at = mrwi_report_html, *mark = NULL;
    while ((mark = strstr(at, "{{"))) {
        const char *name = mark + 2, *end = strstr(mark, "}}");
        const size_t length = (size_t)(end - name);
        mrw_text_put(&page, at, (size_t)(mark - at));
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0) {
                parts[i].put(report, &page);
            }
        }
        at = end + 2;
    }
    mrw_text_puts(&page, at);
    return mrw_text_take(&page, out, error);
}

/* ---- public ---------------------------------------------------------------------------------- */

/* Refuses links in place of the page, of the folder of pictures and of files there. */
static mrw_status refuse_links(const char *folder, const char *page, mrw_error *error)
{
    char pictures[PATH_MAX];
    mrw_status status = mrwi_base_links_on_way(page, strlen(folder), error);
    if (status || snprintf(pictures, sizeof pictures, "%s/" MRWI_REPORT_PICTURES, folder) >=
                      (int)sizeof pictures) {
        return status;
    }
    status = mrwi_base_links_on_way(pictures, strlen(folder), error);
    return status ? status : mrwi_base_links_below(pictures, error);
}

mrw_status mrw_report_html(const mrw_results *results, const char *folder, mrw_error *error)
{
    mrwi_report report = {results, folder, .values_left = MRWI_REPORT_VALUES};
    mrw_text text = {0};
    mrw_bytes path = {0}, page = {0};
    mrw_text_add(&text, "%s/index.html", folder);
    mrw_status status = mrw_text_take(&text, &path, error);
    if (status) {
        goto out;
    }
    status = refuse_links(folder, (const char *)path.data, error);
    if (status) {
        goto out;
    }
    status = mrwi_report_take_pictures(&report, error);
    if (status) {
        goto out;
    }
    status = make_page(&report, &page, error);
    if (status) {
        goto out;
    }
    status = mrw_file_write((const char *)path.data, page.data, page.size, error);
    if (status) {
        goto out;
    }
    mrwi_report_remove_old(&report);
out:
    mrw_bytes_free(&page);
    mrw_bytes_free(&path);
    mrwi_report_free(&report);
    return status;
}

mrw_status mrw_report_inline(const mrw_results *results, mrw_bytes *out, mrw_error *error)
{
    mrwi_report report = {results, NULL, .inline_left = MRWI_REPORT_INLINE};
    mrw_status status = mrwi_report_take_pictures(&report, error);
    if (status) {
        goto out;
    }
    status = make_page(&report, out, error);
out:
    mrwi_report_free(&report);
    return status;
}
