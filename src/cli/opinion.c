/* opinion.c: `marrow test --backend gl --against-backend soft`: says how far two renderers agree.
 */
#include "cli.h"

#include <marrow/frame.h>
#include <stdio.h>
#include <string.h>

typedef struct job {
    const mrw_settings *settings;
    mrw_json json; /* the answer, while its cases are added */
} job;

/* Returns the stream for people: standard output is for programs with --json or --tap. */
static FILE *lines(const mrw_settings *settings)
{
    return host_answers_to_stdout() || settings->reports.tap ? stderr : stdout;
}

static void put_text(mrw_json *json, const char *key, const char *text)
{
    mrw_json_string(mrw_json_key(json, key), text);
}

static void put_case(mrw_json *json, const mrw_case *c, const mrw_opinion_case *v)
{
    mrw_json_open(json, '{');
    put_text(json, "suite", c->suite);
    put_text(json, "case", c->name);
    put_text(json, "outcome", mrw_outcome_name(v->outcome));
    if (v->drawn) {
        mrw_json_double(mrw_json_key(json, "ratio"), v->ratio);
        mrw_json_double(mrw_json_key(json, "wanted"), v->wanted);
        mrw_json_uint(mrw_json_key(json, "pixels"), v->pixels);
        mrw_json_uint(mrw_json_key(json, "group"), v->group);
        put_text(json, "parts", v->cause[0] ? v->cause : NULL);
        put_text(json, "gl_reason", c->gl_reason);
    } else {
        put_text(json, "message", v->reason);
    }
    mrw_json_close(json, '}');
}

static void take_case(void *user, const mrw_case *c, const mrw_opinion_case *v)
{
    job *j = user;
    const bool passed = v->outcome == MRW_PASSED;
    const char *outcome = mrw_outcome_name(v->outcome);
    FILE *out = lines(j->settings);
    char safe[600];
    if (!v->drawn) {
        fprintf(out, "%s %s/%s: %s\n", outcome, c->suite, c->name,
                mrw_escape_text(v->reason, safe, sizeof safe));
    } else if (!passed || j->settings->run.verbose) {
        fprintf(out, "%s %s/%s: %s%s%s\n", outcome, c->suite, c->name, v->text, passed ? "" : ": ",
                v->cause);
    }
    if (v->drawn && c->gl_reason) {
        fprintf(out, "  gl-ratio of %s/%s: %s\n", c->suite, c->name,
                mrw_escape_text(c->gl_reason, safe, sizeof safe));
    }
    fflush(out);
    put_case(&j->json, c, v);
    host_progress_step();
}

static bool lacks(void *unused)
{
    (void)unused;
    return host_backend_lacks();
}

/* Finds a folder for pictures, "" if no report shows any: that of --out, or a temporary one that is
 * removed after the reports are written. */
static mrw_status choose_folder(const mrw_settings *settings, char folder[4096],
                                char temporary[4096], mrw_error *error)
{
    if (settings->reports.results) {
        snprintf(folder, 4096, "%s", settings->reports.results);
        return mrw_make_folder(folder, NULL, error);
    }
    if (!settings->reports.folder && !settings->reports.page) {
        return MRW_OK;
    }
    const mrw_status status = host_make_temporary("opinion", temporary, error);
    memcpy(folder, temporary, 4096);
    return status;
}

/* Finds the backend and the folder, and begins the answer. */
static mrw_status begin(job *j, mrw_opinion_def *def, char folder[4096], char temporary[4096],
                        mrw_error *error)
{
    mrw_status status = host_backend(j->settings, &def->backend, error);
    if (status) {
        return status;
    }
    def->driver = host_backend_driver();
    host_detail("drawn with %s", def->driver);
    mrw_json_open(&j->json, '{');
    mrw_json_uint(mrw_json_key(&j->json, "schema"), 1);
    put_text(&j->json, "backend", def->backend->name);
    put_text(&j->json, "against_backend", mrw_backend_software()->name);
    put_text(&j->json, "gl_driver", def->driver);
    mrw_json_open(mrw_json_key(&j->json, "cases"), '[');
    status = choose_folder(j->settings, folder, temporary, error);
    def->folder = folder[0] ? folder : NULL;
    return status;
}

/* Writes the reports and the answer of --json, which is the opinion's own, not that of results. */
static mrw_status report(job *j, const mrw_opinion *opinion, bool passed, mrw_error *error)
{
    mrw_settings settings = *j->settings; /* borrowed */
    mrw_json *json = &j->json;
    mrw_status status = MRW_OK;
    settings.output.json = NULL;
    if (opinion->results.cases) {
        status = host_write_reports(&settings, &opinion->results, error);
    }
    if (!status && j->settings->output.json) {
        mrw_json_close(json, ']');
        mrw_json_uint(mrw_json_key(json, "compared"), opinion->compared);
        mrw_json_uint(mrw_json_key(json, "skipped"), opinion->skipped);
        mrw_json_uint(mrw_json_key(json, "failed"), opinion->failed);
        mrw_json_bool(mrw_json_key(json, "passed"), passed);
        mrw_json_close(json, '}');
        mrw_json_line(json);
        status = host_answer(&json->text, error);
    }
    fprintf(lines(j->settings), "%u compared, %u skipped\n", opinion->compared, opinion->skipped);
    return status;
}

int cli_second_opinion(const mrw_settings *settings, const mrw_case_list *cases)
{
    job j = {.settings = settings};
    mrw_opinion opinion = {.compared = 0};
    char folder[4096] = "", temporary[4096] = "";
    bool passed = false;
    const mrw_report_settings *reports = &settings->reports;
    mrw_opinion_def def = {.lacks = lacks,
                           .host = &host_callbacks,
                           .threads = mrw_session_threads(settings),
                           .results = reports->folder || reports->page || reports->junit ||
                                      reports->tap || reports->results,
                           .shard_index = settings->run.shard_index,
                           .shard_count = settings->run.shard_count,
                           .progress = take_case,
                           .go_on = host_go_on,
                           .user = &j};
    mrw_error error;
    mrw_status status = begin(&j, &def, folder, temporary, &error);
    host_signals_hold();
    host_progress_begin(settings->run.quiet ? 0 : cases->count, "case");
    if (!status) {
        status = mrw_second_opinion(cases, &def, &opinion, &error);
    }
    host_progress_end();
    host_backend_tell();
    host_signals_release();
    if (!status) {
        passed = opinion.failed == 0 && !opinion.fault;
        status = report(&j, &opinion, passed, &error);
    }
    if (status) {
        host_complain(&error);
    }
    if (temporary[0]) {
        host_remove_temporary(temporary);
    }
    mrw_opinion_free(&opinion);
    mrw_text_free(&j.json.text);
    return status ? host_exit_status(status) : passed ? HOST_DONE : HOST_MISMATCH;
}
