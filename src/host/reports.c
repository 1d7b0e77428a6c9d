/* reports.c: results of tests as files, on standard output, and for GitHub Actions. */
#include "host.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pictures that only reports need --------------------------------------------------------- */

mrw_status host_make_temporary(const char *name, char out[4096], mrw_error *error)
{
    const char *folder = getenv("TMPDIR");
    char safe[512];
    snprintf(out, 4096, "%s/marrow-%s-XXXXXX", folder && folder[0] ? folder : "/tmp", name);
    if (mkdtemp(out)) {
        return MRW_OK;
    }
    const mrw_status status = mrw_fail(error, MRW_ERROR_OUTPUT, "%s: cannot create this folder: %s",
                                       mrw_escape_text(out, safe, sizeof safe), strerror(errno));
    out[0] = '\0';
    return status;
}

static int remove_entry(const char *path, const struct stat *info, int flag, struct FTW *walk)
{
    (void)info;
    (void)flag;
    (void)walk;
    remove(path);
    return 0;
}

void host_remove_temporary(const char *folder)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef mrw_status make_report(const mrw_results *results, mrw_bytes *out, mrw_error *error);

static mrw_status write_file(const char *path, const char *option, make_report *make,
                             const mrw_results *results, mrw_error *error)
{
    mrw_bytes bytes = {0};
    mrw_status status = mrw_make_folder_of(path, option, error);
    if (status) {
        return status;
    }
    status = make(results, &bytes, error);
    if (status) {
        return status;
    }
    status = mrw_file_write(path, bytes.data, bytes.size, error);
    mrw_bytes_free(&bytes);
    return status;
}

static mrw_status print_tap(const mrw_results *results, mrw_error *error)
{
    mrw_bytes bytes = {0};
    mrw_status status = mrw_report_tap(results, &bytes, error);
    if (status) {
        return status;
    }
    status = host_write_stdout(bytes.data, bytes.size, error);
    mrw_bytes_free(&bytes);
    return status;
}

/* Puts JSON of several lines on one, since an answer is a line. Strings have no newlines. */
static void put_on_a_line(const mrw_bytes *json, mrw_text *out)
{
    const char *at = (const char *)json->data, *const end = at + json->size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        mrw_text_put(out, at, (size_t)((stop ? stop : end) - at));
        if (stop && stop > at && stop[-1] == ',') {
            mrw_text_put(out, " ", 1);
        }
        for (at = stop ? stop + 1 : end; at < end && *at == ' ';) {
            at++;
        }
    }
    mrw_text_put(out, "\n", 1);
}

static mrw_status answer(const mrw_results *results, mrw_error *error)
{
    mrw_bytes bytes = {0};
    mrw_text text = {0};
    mrw_status status = mrw_results_json(results, &bytes, error);
    if (status) {
        return status;
    }
    put_on_a_line(&bytes, &text);
    status = host_answer(&text, error);
    mrw_text_free(&text);
    mrw_bytes_free(&bytes);
    return status;
}

/* ---- GitHub Actions -------------------------------------------------------------------------- */

/* Appends to a file. It belongs to the step, and other programs may have written to it. */
static bool append(const char *path, const mrw_bytes *bytes)
{
    FILE *file = fopen(path, "ab");
    if (!file) {
        return false;
    }
    bool fine = fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
    return fclose(file) == 0 && fine;
}

/* Writes annotations and the summary of a step. Annotations go to standard error: the runner looks
 * for commands in both streams, and standard output may hold JSON. */
static mrw_status tell_github(const mrw_results *results, mrw_error *error)
{
    const char *there = getenv("GITHUB_ACTIONS"), *path = getenv("GITHUB_STEP_SUMMARY");
    mrw_bytes bytes = {0};
    if (!there || strcmp(there, "true") != 0) {
        return MRW_OK;
    }
    mrw_status status = mrw_report_annotations(results, &bytes, error);
    if (status) {
        return status;
    }
    if (bytes.size > 0) {
        fwrite(bytes.data, 1, bytes.size, stderr);
    }
    mrw_bytes_free(&bytes);
    if (!path || path[0] == '\0') {
        return MRW_OK;
    }
    status = mrw_report_summary(results, &bytes, error);
    if (status) {
        return status;
    }
    if (!append(path, &bytes)) {
        char safe[400], text[512];
        snprintf(text, sizeof text, "%s: the step's summary could not be written: %s",
                 mrw_escape_text(path, safe, sizeof safe), strerror(errno));
        host_warn_machine(NULL, text);
    }
    mrw_bytes_free(&bytes);
    return MRW_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Keeps the first failure. */
static void note(mrw_status *first, mrw_error *error, mrw_status status, const mrw_error *failure)
{
    if (!*first && status) {
        *first = status;
        *error = *failure;
    }
}

mrw_status host_write_pages(const mrw_settings *settings, const mrw_results *results,
                            mrw_error *error)
{
    mrw_status first = MRW_OK;
    mrw_error e;
    if (settings->reports.folder) {
        note(&first, error, mrw_report_html(results, settings->reports.folder, &e), &e);
    }
    if (settings->reports.page) {
        note(&first, error,
             write_file(settings->reports.page, "--report-inline", mrw_report_inline, results, &e),
             &e);
    }
    return first;
}

mrw_status host_write_reports(const mrw_settings *settings, const mrw_results *results,
                              mrw_error *error)
{
    mrw_error e;
    mrw_status first = host_write_pages(settings, results, error);
    if (settings->reports.junit) {
        note(&first, error,
             write_file(settings->reports.junit, "--junit", mrw_report_junit, results, &e), &e);
    }
    if (settings->reports.tap) {
        note(&first, error, print_tap(results, &e), &e);
    }
    if (settings->output.json) {
        note(&first, error, answer(results, &e), &e);
    }
    note(&first, error, tell_github(results, &e), &e);
    return first;
}
