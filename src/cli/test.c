/* test.c: `marrow test`: runs the cases of suites and prints the results. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_UNUSED 20 /* unused goldens that are listed; more are counted */

/* ---- which cases ----------------------------------------------------------------------------- */

/* Refuses to update in CI, where it would make every run pass. */
static mrw_status check_update(const mrw_settings *settings, mrw_error *error)
{
    if (settings->output.force || !host_in_ci()) {
        return MRW_OK;
    }
    if (settings->goldens.update != MRW_UPDATE_NONE) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--update: CI is set, and a run that writes its own goldens tests nothing; "
                        "update on your own machine, or use --force");
    }
    if (settings->goldens.prune) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--prune: CI is set, but files removed in CI stay in the repository; prune "
                        "on your own machine, or use --force");
    }
    return MRW_OK;
}

/* Refuses reports that would overwrite an input of a case or lie among goldens. */
static mrw_status check_reports(const mrw_settings *settings, const mrw_case_list *cases,
                                mrw_error *error)
{
    host_guard guard = {.folders = "goldens"};
    /* A second opinion writes pictures to --out without a check; a test checks that itself. */
    const char *pictures = settings->cases.against_backend != 0 ? settings->reports.results : NULL;
    if (!settings->reports.folder && !settings->reports.page && !settings->reports.junit &&
        !settings->output.json && !pictures) {
        return MRW_OK;
    }
    for (size_t i = 0; i < cases->count; i++) {
        const mrw_case *c = &cases->items[i];
        host_guard_file(&guard, c->suite_file);
        host_guard_file(&guard, c->model);
        host_guard_inputs(&guard, &c->settings);
        host_guard_parent(&guard, c->golden); /* the golden folder of its suite */
    }
    mrw_status status = host_guard_reports(&guard, settings, error);
    if (status || !pictures) {
        goto out;
    }
    status = host_guard_check(&guard, "--out", pictures, error);
    if (status) {
        goto out;
    }
    for (size_t i = 0; i < cases->count; i++) {
        status = host_guard_outside(&guard, "--out", cases->items[i].golden, pictures, error);
        if (status) {
            goto out;
        }
    }

out:
    host_guard_free(&guard);
    return status;
}

mrw_status cli_check_names(bool forced, const char *what, const mrw_case_list *cases,
                           mrw_error *error)
{
    mrw_text text = {0};
    mrw_status status = forced ? MRW_OK : mrw_find_misnamed_suites(cases, &text, error);
    if (!status && text.size > 0) {
        status = mrw_fail(error, MRW_ERROR_USAGE, "%s: %.*s; --force writes new goldens", what,
                          (int)strcspn(text.data, "\n"), text.data);
    }
    mrw_text_free(&text);
    return status;
}

/* Makes patterns of -k: a word matches anywhere in SUITE/CASE. Each must match a case. The caller
 * frees the texts that are set, also after a failure. */
static mrw_status make_globs(const mrw_text_list *given, const mrw_case_list *cases, mrw_text *out,
                             mrw_error *error)
{
    char safe[300];
    for (size_t i = 0; i < given->count; i++) {
        const bool word = !strpbrk(given->items[i], "*?[");
        bool found = false;
        mrw_text_add(&out[i], word ? "*%s*" : "%s", given->items[i]);
        if (out[i].failed) {
            return host_fail_memory(error);
        }
        for (size_t c = 0; c < cases->count && !found; c++) {
            mrw_status status = mrw_case_matches(&cases->items[c], out[i].data, &found, error);
            if (status) {
                return status;
            }
        }
        if (!found && cases->count > 0) {
            return mrw_fail(error, MRW_ERROR_USAGE,
                            "no case matches -k %s; marrow test --list shows all cases",
                            mrw_escape_text(given->items[i], safe, sizeof safe));
        }
    }
    return MRW_OK;
}

/* Keeps the cases that match, then those of the shard: an empty shard is not a mistake. */
static mrw_status choose_with(const mrw_settings *settings, const char *const *globs,
                              mrw_case_list *cases, mrw_error *error)
{
    const bool none = cases->count == 0;
    const mrw_text_list *given = &settings->cases.matches;
    mrw_case_choice choice = {.globs = globs,
                              .glob_count = given->count,
                              .tag = settings->cases.tag,
                              .last_failed = settings->cases.last_failed,
                              .out = settings->reports.results};
    const mrw_case_choice shard = {.out = settings->reports.results,
                                   .shard_index = settings->run.shard_index,
                                   .shard_count = settings->run.shard_count};
    char glob[300] = "", tag[300] = "";
    mrw_status status = mrw_cases_choose(cases, &choice, error);
    if (status) {
        return status;
    }
    if (cases->count == 0 && !none && (given->count > 0 || settings->cases.tag)) {
        return mrw_fail(
            error, MRW_ERROR_USAGE,
            "no case matches%s%s%s%s%s%s; marrow test --list shows all cases",
            given->count > 0 ? " -k " : "",
            given->count > 0 ? mrw_escape_text(given->items[0], glob, sizeof glob) : "",
            given->count > 1 ? " or another -k" : "", settings->cases.tag ? " --tag " : "",
            settings->cases.tag ? mrw_escape_text(settings->cases.tag, tag, sizeof tag) : "",
            settings->cases.last_failed ? " among those that failed last" : "");
    }
    return mrw_cases_choose(cases, &shard, error);
}

static mrw_status choose_cases(const mrw_settings *settings, mrw_case_list *cases, mrw_error *error)
{
    const size_t count = settings->cases.matches.count;
    mrw_text *texts = calloc(count + 1, sizeof *texts);
    const char **globs = calloc(count + 1, sizeof *globs);
    mrw_status status = MRW_OK;
    if (!texts || !globs) {
        status = host_fail_memory(error);
        goto out;
    }
    status = make_globs(&settings->cases.matches, cases, texts, error);
    if (status) {
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        globs[i] = texts[i].data;
    }
    status = choose_with(settings, globs, cases, error);

out:
    for (size_t i = 0; i < count && texts; i++) {
        mrw_text_free(&texts[i]);
    }
    free(texts);
    free(globs);
    return status;
}

/* Loads, checks and chooses the cases. Sets *any if there are cases to choose from, and adds a line
 * to `misnamed` for each suite whose goldens lie under another name. */
static mrw_status choose(const mrw_settings *settings, mrw_case_list *cases, bool *any,
                         mrw_text *misnamed, mrw_error *error)
{
    static const char *const here[] = {"."};
    const mrw_text_list *given = &settings->arguments;
    mrw_status status = check_update(settings, error);
    if (status) {
        return status;
    }
    status = given->count > 0 ? mrw_cases_load(given->items, given->count, cases, error)
                              : mrw_cases_load(here, 1, cases, error);
    if (status) {
        return status;
    }
    *any = cases->count > 0;
    status = check_reports(settings, cases, error);
    if (status) {
        return status;
    }
    if (settings->goldens.update != MRW_UPDATE_NONE) {
        status = cli_check_names(settings->output.force, "--update", cases, error);
    } else if (!settings->cases.against) {
        status = mrw_find_misnamed_suites(cases, misnamed, error);
    }
    return status ? status : choose_cases(settings, cases, error);
}

/* ---- --list ---------------------------------------------------------------------------------- */

static void list_json(const mrw_case *c, mrw_json *json)
{
    mrw_json_open(json, '{');
    mrw_json_string(mrw_json_key(json, "suite"), c->suite);
    mrw_json_string(mrw_json_key(json, "case"), c->name);
    mrw_json_string(mrw_json_key(json, "file"), c->suite_file);
    mrw_json_uint(mrw_json_key(json, "line"), c->line);
    mrw_json_string(mrw_json_key(json, "model"), c->model);
    mrw_json_open(mrw_json_key(json, "tags"), '[');
    for (size_t t = 0; t < c->tag_count; t++) {
        mrw_json_string(json, c->tags[t]);
    }
    mrw_json_close(json, ']');
    mrw_json_string(mrw_json_key(json, "skip"), c->skip);
    mrw_json_string(mrw_json_key(json, "xfail"), c->xfail);
    mrw_json_close(json, '}');
}

/* Adds a line: SUITE/CASE, tags in brackets, the reason for skipping or for expecting failure. */
static void list_line(const mrw_case *c, mrw_text *text)
{
    mrw_text_add(text, "%s/%s", c->suite, c->name);
    for (size_t t = 0; t < c->tag_count; t++) {
        mrw_text_add(text, "%s%s%s", t == 0 ? "  [" : ", ", c->tags[t],
                     t + 1 == c->tag_count ? "]" : "");
    }
    if (c->skip || c->xfail) {
        mrw_text_add(text, c->skip ? "  skip: " : "  xfail: ");
        mrw_text_escaped(text, c->skip ? c->skip : c->xfail);
    }
    mrw_text_add(text, "\n");
}

static mrw_status list(const mrw_case_list *cases, bool as_json, mrw_error *error)
{
    mrw_json json = {0};
    mrw_text text = {0};
    mrw_json_open(&json, '[');
    for (size_t i = 0; i < cases->count; i++) {
        list_json(&cases->items[i], &json);
        list_line(&cases->items[i], &text);
    }
    mrw_json_close(&json, ']');
    mrw_json_line(&json);
    mrw_status status =
        as_json ? host_answer_as_it_is(&json.text, error) : host_print(&text, error);
    mrw_text_free(&json.text);
    mrw_text_free(&text);
    return status;
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void say_case(const mrw_settings *settings, const mrw_case_result *c, const char *before,
                     const char *message, mrw_text *text)
{
    mrw_text_add(text, "%s%s %s/%s", before, mrw_outcome_name(c->outcome), c->suite, c->name);
    if (message[0]) {
        mrw_text_add(text, ": %s", message); /* escaped */
    }
    if (settings->run.verbose) {
        mrw_text_add(text, " (%zu frame%s, ", c->frame_count, c->frame_count == 1 ? "" : "s");
        mrw_text_fixed(text, c->seconds, 2);
        mrw_text_add(text, " s)");
    }
    mrw_text_add(text, "\n");
}

/* Returns the largest share of pixels that differ in a frame of the case; a frame that was not
 * compared counts as all. */
static double worst_ratio(const mrw_case_result *c)
{
    double worst = 0.0;
    for (size_t f = 0; f < c->frame_count; f++) {
        const mrw_frame_result *frame = &c->frames[f];
        const double ratio = frame->passed ? 0.0 : frame->compared ? frame->metrics.ratio : 1.0;
        worst = ratio > worst ? ratio : worst;
    }
    return worst;
}

/* Says a cause once for its cases, then all of them with --verbose, else their number and the worst
 * one. */
static void say_cause(const mrw_settings *settings, const mrw_results *results, const size_t *order,
                      size_t count, mrw_text *text)
{
    const mrw_case_result *worst = &results->cases[order[0]];
    mrw_text_add(text, "%s", worst->model_change); /* escaped */
    if (settings->run.verbose) {
        mrw_text_puts(text, "\n");
    } else {
        mrw_text_add(text, " (%zu cases; -v lists them; the worst one:)\n", count);
    }
    for (size_t k = 0; k < count; k++) {
        const mrw_case_result *c = &results->cases[order[k]];
        if (settings->run.verbose) {
            say_case(settings, c, "  ", mrw_case_detail(c), text);
        }
        worst = worst_ratio(c) > worst_ratio(worst) ? c : worst;
    }
    if (!settings->run.verbose) {
        say_case(settings, worst, "  ", mrw_case_detail(worst), text);
    }
}

/* Returns true if the case fails only because it has no goldens yet. */
static bool lacks_goldens(const mrw_case_result *c)
{
    for (size_t f = 0; f < c->frame_count; f++) {
        if (c->frames[f].why != MRW_WHY_MISSING) {
            return false;
        }
    }
    return c->outcome == MRW_FAILED && c->frame_count > 0;
}

/* Says all failures, and all cases with --verbose. A cause that cases share is said once: a changed
 * model, or goldens that do not exist yet. */
static mrw_status say_cases(const mrw_settings *settings, const mrw_results *results,
                            mrw_text *text, mrw_error *error)
{
    size_t *order = malloc((results->case_count + 1) * sizeof *order);
    size_t lacking = 0;
    mrw_status status = order ? mrw_results_order(results, order, error) : host_fail_memory(error);
    if (status) {
        free(order);
        return status;
    }
    for (size_t i = 0, run; i < results->case_count; i += run) {
        const mrw_case_result *c = &results->cases[order[i]];
        bool bad = mrw_outcome_is_bad(c->outcome);
        bool told = c->outcome == MRW_UPDATED && !settings->run.quiet;
        run = mrw_results_run(results, order, i);
        if (run > 1) {
            say_cause(settings, results, order + i, run, text);
        } else if (lacks_goldens(c) && lacking++ > 0 && !settings->run.verbose) {
            continue;
        } else if (bad || told || settings->run.verbose) {
            say_case(settings, c, "", c->message, text);
        }
    }
    if (lacking > 1 && !settings->run.verbose) {
        mrw_text_add(text, "%zu more case%s no goldens yet; -v lists them\n", lacking - 1,
                     lacking == 2 ? " has" : "s have");
    }
    free(order);
    return MRW_OK;
}

static void say_old_names(const mrw_settings *settings, const mrw_results *results, mrw_text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        count += results->cases[i].old_names;
    }
    if (count == 0) {
        return;
    }
    mrw_text_add(text, "%zu case%s had goldens with names of an earlier marrow%s", count,
                 count == 1 ? "" : "s",
                 settings->goldens.rename ? "; they are renamed\n"
                                          : ": rename them with marrow test --update --rename");
    for (size_t i = 0; i < settings->arguments.count && !settings->goldens.rename; i++) {
        mrw_text_puts(text, " ");
        host_put_argument(settings->arguments.items[i], text);
    }
    mrw_text_puts(text, settings->goldens.rename ? "" : "\n");
}

static void say_unused(const mrw_settings *settings, const mrw_results *results, mrw_text *text)
{
    if (results->unused_count == 0) {
        return;
    }
    mrw_text_add(text, "%zu unused golden%s%s:\n", results->unused_count,
                 results->unused_count == 1 ? "" : "s",
                 settings->goldens.prune ? " removed" : "; --prune removes them");
    for (size_t i = 0; i < results->unused_count; i++) {
        if (i == MOST_UNUSED && results->unused_count > MOST_UNUSED + 1) {
            mrw_text_add(text, "  ... and %zu more\n", results->unused_count - i);
            break;
        }
        mrw_text_add(text, "  ");
        mrw_text_escaped(text, results->unused[i]);
        mrw_text_add(text, "\n");
    }
}

/* Says how many cases --changed left out: "3 of 120 cases; 117 left out: ...". */
static void say_left_out(const mrw_results *results, mrw_text *text)
{
    const size_t count = results->case_count, left = results->counts[MRW_LEFT_OUT];
    mrw_text_add(text, "%zu of %zu case%s", count - left, count, count == 1 ? "" : "s");
    if (left > 0) {
        mrw_text_add(text, "; %zu left out: %s inputs have not changed since %s goldens were made",
                     left, left == 1 ? "its" : "their", left == 1 ? "its" : "their");
    }
    mrw_text_add(text, "\n");
}

/* Adds a line such as "12 cases: 10 passed, 1 failed, 1 skipped in 0.4 s". */
static void say_summary(const mrw_results *results, mrw_text *text)
{
    static const mrw_outcome order[] = {MRW_PASSED,  MRW_UPDATED, MRW_FAILED,
                                        MRW_XFAILED, MRW_XPASSED, MRW_SKIPPED};
    const char *before = ": ";
    const size_t ran = results->case_count - results->counts[MRW_LEFT_OUT];
    mrw_text_add(text, "%zu case%s", ran, ran == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint32_t count = results->counts[order[i]];
        if (count > 0) {
            mrw_text_add(text, "%s%u %s", before, count, mrw_outcome_name(order[i]));
            before = ", ";
        }
    }
    mrw_text_add(text, " in ");
    mrw_text_fixed(text, results->seconds, results->seconds < 10.0 ? 2 : 0);
    mrw_text_add(text, " s\n");
}

/* Says once for all cases that goldens of older marrows contain no camera. */
static void say_refitted(const mrw_results *results, mrw_text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        const mrw_case_result *c = &results->cases[i];
        count += c->golden_version > 0 && c->golden_version < 3 && c->outcome != MRW_UPDATED;
    }
    if (count > 0) {
        mrw_text_add(
            text,
            "note: %zu case%s framed again: golden.txt is from an older marrow and contains no "
            "camera; marrow test --update adds it\n",
            count, count == 1 ? " was" : "s were");
    }
}

/* Says where the results are, and how to accept them. `marrow accept` only finds suites below the
 * current folder. */
static void say_what_next(const mrw_settings *settings, const mrw_results *results, mrw_text *text)
{
    const mrw_case_result *failed = NULL;
    size_t count = 0;
    bool below = true;
    for (size_t i = 0; i < results->case_count; i++) {
        const mrw_case_result *c = &results->cases[i];
        if (c->outcome == MRW_FAILED && c->frame_count > 0) {
            failed = c;
            count++;
            below &= c->suite_file[0] != '/' && strncmp(c->suite_file, "../", 3) != 0;
        }
    }
    if (count == 0) {
        return;
    }
    mrw_text_add(text, "results are in ");
    if (strcmp(results->folder, ".") == 0) {
        mrw_text_add(text, "the results folder of each suite");
    } else {
        mrw_text_escaped(text, results->folder);
    }
    if (!settings->reports.folder && !settings->reports.page) {
        mrw_text_add(text, "; --report DIR shows them");
    }
    if (below && !settings->cases.against) {
        mrw_text_add(text, "; if they are right, run: marrow accept");
        if (count == 1) {
            mrw_text_add(text, " '%s/%s'", failed->suite, failed->name);
        }
        if (settings->reports.results) {
            mrw_text_add(text, " --from ");
            mrw_text_escaped(text, settings->reports.results);
        }
    }
    mrw_text_add(text, "\n");
}

static mrw_status say(const mrw_settings *settings, const mrw_text *misnamed,
                      const mrw_results *results, mrw_error *error)
{
    mrw_text text = {0};
    mrw_status status = say_cases(settings, results, &text, error);
    if (status) {
        goto out;
    }
    mrw_text_put(&text, misnamed->data, misnamed->size);
    if (!settings->run.quiet) {
        if (settings->cases.changed) {
            say_left_out(results, &text);
        }
        say_summary(results, &text);
        say_unused(settings, results, &text);
        say_old_names(settings, results, &text);
        for (size_t i = 0; i < results->undrawn_count; i++) {
            mrw_text_add(&text, "note: %s\n", results->undrawn[i]);
        }
        say_refitted(results, &text);
        say_what_next(settings, results, &text);
    }
    /* With --json or --tap standard output is theirs alone. */
    if (text.size > 0 && !text.failed && (host_answers_to_stdout() || settings->reports.tap)) {
        fwrite(text.data, 1, text.size, stderr);
    } else {
        status = host_print(&text, error);
    }

out:
    mrw_text_free(&text);
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct job {
    const mrw_settings *settings;
    bool told; /* the user knows that this run waits for another one */
} job;

static mrw_status step(void *user, const mrw_case_result *result, size_t done, size_t count,
                       mrw_error *error)
{
    const job *j = user;
    (void)result;
    (void)done;
    (void)count;
    host_progress_step();
    mrw_status status = host_check_opened(j->settings, NULL, error);
    return status ? status : host_check_signal(error);
}

/* Is called again and again while another `marrow test` uses the results folder. */
static mrw_status wait_for_other(void *user, const char *folder, mrw_error *error)
{
    job *j = user;
    char safe[512];
    if (!j->told) {
        host_progress_clear();
        host_say(
            "%s: another run is writing its results here; waiting for it to end (--out chooses "
            "another folder)",
            mrw_escape_text(folder, safe, sizeof safe));
    }
    j->told = true;
    return host_check_signal(error);
}

static void warn(void *unused, const char *text)
{
    (void)unused;
    host_warn(text);
}

static mrw_test_def test_def(job *j, const mrw_backend *backend)
{
    const mrw_settings *settings = j->settings;
    mrw_test_def def = mrw_test_def_default();
    def.update = settings->goldens.rename ? MRW_UPDATE_NONE : (mrw_update)settings->goldens.update;
    def.allow_blank = settings->goldens.allow_blank;
    def.fail_fast = settings->cases.fail_fast;
    def.changed = settings->cases.changed;
    def.full = settings->cases.matches.count == 0 && !settings->cases.tag &&
               !settings->cases.last_failed && settings->run.shard_count <= 1 &&
               !settings->cases.changed;
    def.prune = settings->goldens.prune;
    def.rename = settings->goldens.rename;
    def.repeat = settings->cases.repeat;
    def.out = settings->reports.results;
    def.against = settings->cases.against;
    def.backend = settings->run.backend != 0 ? backend : NULL;
    def.driver = host_backend_driver();
    def.shard_index = settings->run.shard_index;
    def.shard_count = settings->run.shard_count;
    def.threads = mrw_session_threads(settings);
    def.isa = settings->run.isa;
    def.progress = step;
    def.go_on = host_go_on;
    def.waiting = wait_for_other;
    def.warning = warn;
    def.machine_warning = host_warn_machine;
    def.file_opened = host_note_opened;
    def.user = j;
    return def;
}

/* Runs the cases and sets *answer to the exit status. */
static mrw_status run(const mrw_settings *settings, const mrw_case_list *cases,
                      const mrw_text *misnamed, int *answer, mrw_error *error)
{
    mrw_results results;
    job j = {.settings = settings};
    const mrw_backend *backend;
    if (settings->run.backend != 0 && settings->cases.against) {
        return mrw_fail(
            error, MRW_ERROR_USAGE,
            "--against: another marrow draws with its own rasterizer; leave out --backend gl");
    }
    mrw_status status = host_backend(settings, &backend, error);
    if (status) {
        return status;
    }
    if (host_backend_driver()) {
        host_detail("drawn with %s", host_backend_driver());
    }
    const mrw_test_def def = test_def(&j, backend);
    host_signals_hold();
    host_progress_begin(settings->run.quiet ? 0 : cases->count, "case");
    status = mrw_test_run(cases, &def, &results, error);
    host_progress_end();
    host_backend_tell();
    host_signals_release();
    if (status) {
        return status;
    }
    *answer = mrw_results_exit_status(&results);
    status = say(settings, misnamed, &results, error);
    if (!status) {
        status = host_write_reports(settings, &results, error);
    }
    mrw_results_free(&results);
    return status;
}

int cli_test(const mrw_settings *settings)
{
    mrw_case_list cases = {0};
    mrw_text misnamed = {0};
    mrw_error error;
    bool any = false;
    int answer = HOST_DONE;
    mrw_status status = choose(settings, &cases, &any, &misnamed, &error);
    if (status) {
        goto out;
    }
    if (settings->cases.list) {
        status = list(&cases, settings->output.json, &error);
    } else if (!any) {
        answer = HOST_MISMATCH;
        mrw_fail(&error, MRW_ERROR_INPUT,
                 "there are no cases; a suite is a file called suite.ini or NAME.suite.ini with "
                 "one section per case; marrow init MODEL writes one");
        host_complain_as(&error, answer);
    } else if (cases.count == 0 && settings->cases.last_failed) {
        host_say("no case failed in the last run");
    } else if (settings->cases.against_backend != 0) {
        answer = cli_second_opinion(settings, &cases);
    } else {
        status = run(settings, &cases, &misnamed, &answer, &error);
    }

out:
    if (status) {
        host_complain(&error);
        answer = host_exit_status(status);
    }
    mrw_text_free(&misnamed);
    mrw_cases_free(&cases);
    return answer;
}
