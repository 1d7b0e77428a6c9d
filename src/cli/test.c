/* test.c: `marrow test`: runs the cases of suites and says what came of it. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_UNUSED 20 /* that are listed one by one */

/* ---- which cases ----------------------------------------------------------------------------- */

static mrw_status load_cases(const mrw_settings *settings, mrw_case_list *out, mrw_error *error)
{
    static const char *const here[] = {"."};
    const mrw_text_list *given = &settings->arguments;
    return given->count > 0 ? mrw_cases_load(given->items, given->count, out, error)
                            : mrw_cases_load(here, 1, out, error);
}

/* Updating in CI would make every run pass. */
static mrw_status check_update(const mrw_settings *settings, mrw_error *error)
{
    if (settings->output.force || !cli_in_ci()) {
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

/* Reports must not take the place of what the cases are made of. */
static mrw_status check_reports(const mrw_settings *settings, const mrw_case_list *cases,
                                mrw_error *error)
{
    cli_guard guard = {.folders = "goldens"};
    /* a second opinion writes pictures there and asks nobody; a test sees to it by itself */
    const char *pictures = settings->cases.against_backend != 0 ? settings->reports.results : NULL;
    if (!settings->reports.folder && !settings->reports.page && !settings->reports.junit &&
        !settings->output.json && !pictures) {
        return MRW_OK;
    }
    for (size_t i = 0; i < cases->count; i++) {
        const mrw_case *c = &cases->items[i];
        cli_guard_file(&guard, c->suite_file);
        cli_guard_file(&guard, c->model);
        cli_guard_inputs(&guard, &c->settings);
        cli_guard_parent(&guard, c->golden); /* the folder of its suite's */
    }
    mrw_status status = cli_guard_reports(&guard, settings, error);
    if (status == MRW_OK && pictures) {
        status = cli_guard_check(&guard, "--out", pictures, error);
    }
    for (size_t i = 0; i < cases->count && status == MRW_OK && pictures; i++) {
        status = cli_guard_outside(&guard, "--out", cases->items[i].golden, pictures, error);
    }
    cli_guard_free(&guard);
    return status;
}

/* Goldens are not written beside those of the same cases under another name. */
mrw_status cli_check_names(bool forced, const char *what, const mrw_case_list *cases,
                           mrw_error *error)
{
    mrw_text text = {0};
    mrw_status status = forced ? MRW_OK : mrw_find_misnamed_suites(cases, &text, error);
    if (status == MRW_OK && text.size > 0) {
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
        mrw_status status = MRW_OK;
        mrw_text_add(&out[i], word ? "*%s*" : "%s", given->items[i]);
        if (out[i].failed) {
            return cli_fail_memory(error);
        }
        for (size_t c = 0; c < cases->count && !found && status == MRW_OK; c++) {
            status = mrw_case_matches(&cases->items[c], out[i].data, &found, error);
        }
        if (status == MRW_OK && !found && cases->count > 0) {
            return mrw_fail(error, MRW_ERROR_USAGE,
                            "no case matches -k %s; marrow test --list shows all cases",
                            mrw_escape_text(given->items[i], safe, sizeof safe));
        }
        if (status != MRW_OK) {
            return status;
        }
    }
    return MRW_OK;
}

/* Takes a shard last: that one shard has nothing to do is no mistake. */
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
    if (status == MRW_OK && cases->count == 0 && !none &&
        (given->count > 0 || settings->cases.tag)) {
        return mrw_fail(
            error, MRW_ERROR_USAGE,
            "no case matches%s%s%s%s%s%s; marrow test --list shows all cases",
            given->count > 0 ? " -k " : "",
            given->count > 0 ? mrw_escape_text(given->items[0], glob, sizeof glob) : "",
            given->count > 1 ? " or another -k" : "", settings->cases.tag ? " --tag " : "",
            settings->cases.tag ? mrw_escape_text(settings->cases.tag, tag, sizeof tag) : "",
            settings->cases.last_failed ? " among those that failed last" : "");
    }
    return status == MRW_OK ? mrw_cases_choose(cases, &shard, error) : status;
}

static mrw_status choose_cases(const mrw_settings *settings, mrw_case_list *cases, mrw_error *error)
{
    const size_t count = settings->cases.matches.count;
    mrw_text *texts = calloc(count + 1, sizeof *texts);
    const char **globs = calloc(count + 1, sizeof *globs);
    mrw_status status = texts && globs ? MRW_OK : cli_fail_memory(error);
    if (status == MRW_OK) {
        status = make_globs(&settings->cases.matches, cases, texts, error);
    }
    for (size_t i = 0; i < count && status == MRW_OK; i++) {
        globs[i] = texts[i].data;
    }
    if (status == MRW_OK) {
        status = choose_with(settings, globs, cases, error);
    }
    for (size_t i = 0; i < count && texts; i++) {
        mrw_text_free(&texts[i]);
    }
    free(texts);
    free(globs);
    return status;
}

static bool is_full(const mrw_settings *settings)
{
    return settings->cases.matches.count == 0 && !settings->cases.tag &&
           !settings->cases.last_failed && settings->run.shard_count <= 1 &&
           !settings->cases.changed;
}

/* ---- --list ---------------------------------------------------------------------------------- */

static void list_json(const mrw_case *c, mrw_json *json)
{
    mrw_json_open(json, '{');
    mrw_json_key(json, "suite");
    mrw_json_string(json, c->suite);
    mrw_json_key(json, "case");
    mrw_json_string(json, c->name);
    mrw_json_key(json, "file");
    mrw_json_string(json, c->suite_file);
    mrw_json_key(json, "line");
    mrw_json_uint(json, c->line);
    mrw_json_key(json, "model");
    mrw_json_string(json, c->model);
    mrw_json_key(json, "tags");
    mrw_json_open(json, '[');
    for (size_t t = 0; t < c->tag_count; t++) {
        mrw_json_string(json, c->tags[t]);
    }
    mrw_json_close(json, ']');
    mrw_json_key(json, "skip");
    mrw_json_string(json, c->skip);
    mrw_json_key(json, "xfail");
    mrw_json_string(json, c->xfail);
    mrw_json_close(json, '}');
}

/* One line a case: SUITE/CASE, its tags in brackets, its reason not to run. */
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

static int list(const mrw_case_list *cases, bool as_json)
{
    mrw_json json = {0};
    mrw_text text = {0};
    mrw_error error;
    mrw_json_open(&json, '[');
    for (size_t i = 0; i < cases->count; i++) {
        list_json(&cases->items[i], &json);
        list_line(&cases->items[i], &text);
    }
    mrw_json_close(&json, ']');
    mrw_json_line(&json);
    mrw_status status =
        as_json ? cli_answer_as_it_is(&json.text, &error) : cli_print(&text, &error);
    mrw_text_free(&json.text);
    mrw_text_free(&text);
    if (status != MRW_OK) {
        cli_complain(&error);
    }
    return cli_exit_status(status);
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* With --json or --tap standard output is theirs. */
static bool is_quiet_on_stdout(const mrw_settings *settings)
{
    return cli_answers_to_stdout() || settings->reports.tap;
}

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

/* Says a cause once for its cases: all of them with --verbose, else how many, and the worst one. */
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
    bool lacks = c->outcome == MRW_FAILED && c->frame_count > 0;
    for (size_t f = 0; f < c->frame_count && lacks; f++) {
        lacks = c->frames[f].why == MRW_WHY_MISSING;
    }
    return lacks;
}

/* Says failures always, and all cases with --verbose. A cause that cases share is said once: a
 * model that changed, or goldens that do not exist yet. */
static mrw_status say_cases(const mrw_settings *settings, const mrw_results *results,
                            mrw_text *text, mrw_error *error)
{
    size_t *order = malloc((results->case_count + 1) * sizeof *order);
    mrw_status status = order ? mrw_results_order(results, order, error) : cli_fail_memory(error);
    size_t lacking = 0;
    for (size_t i = 0, run; i < results->case_count && status == MRW_OK; i += run) {
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
    return status;
}

static void say_undrawn(const mrw_results *results, mrw_text *text)
{
    for (size_t i = 0; i < results->undrawn_count; i++) {
        mrw_text_add(text, "note: %s\n", results->undrawn[i]);
    }
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
        cli_put_argument(settings->arguments.items[i], text);
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

/* Always says what --changed left out: "3 of 120 cases; 117 left out: ...". */
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

/* "12 cases: 10 passed, 1 failed, 1 skipped in 0.4 s". */
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

/* Goldens of older marrows hold no camera: told once, not a case. */
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

/* `marrow accept` looks for suites below the current folder. */
static bool is_below(const char *path)
{
    return path[0] != '/' && strncmp(path, "../", 3) != 0;
}

/* Where to look, and what makes it right if it is. */
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
            below &= is_below(c->suite_file);
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
    mrw_text_put(&text, misnamed->data, misnamed->size);
    if (!settings->run.quiet) {
        if (settings->cases.changed) {
            say_left_out(results, &text);
        }
        say_summary(results, &text);
        say_unused(settings, results, &text);
        say_old_names(settings, results, &text);
        say_undrawn(results, &text);
        say_refitted(results, &text);
        say_what_next(settings, results, &text);
    }
    if (status != MRW_OK) {
        mrw_text_free(&text);
        return status;
    }
    if (text.failed) {
        status = cli_fail_memory(error);
    } else if (text.size > 0 && is_quiet_on_stdout(settings)) {
        fwrite(text.data, 1, text.size, stderr);
    } else if (text.size > 0) {
        status = cli_print(&text, error);
    }
    mrw_text_free(&text);
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct job {
    const mrw_settings *settings;
    bool told; /* that another run is waited for */
} job;

static mrw_status step(void *user, const mrw_case_result *result, size_t done, size_t count,
                       mrw_error *error)
{
    const job *j = user;
    (void)result;
    (void)done;
    (void)count;
    cli_progress_step();
    const mrw_status status = cli_check_opened(j->settings, NULL, error);
    return status == MRW_OK ? cli_check_signal(error) : status;
}

/* Another marrow test is at work in the results folder. */
static mrw_status wait_for_other(void *user, const char *folder, mrw_error *error)
{
    job *j = user;
    char safe[512];
    if (!j->told) {
        cli_progress_clear();
        cli_say("%s: another run is writing its results here; waiting for it to end (--out chooses "
                "another folder)",
                mrw_escape_text(folder, safe, sizeof safe));
    }
    j->told = true;
    return cli_check_signal(error);
}

static void warn(void *unused, const char *text)
{
    (void)unused;
    cli_warn(text);
}

static mrw_test_def test_def(job *j, const mrw_backend *backend)
{
    const mrw_settings *settings = j->settings;
    mrw_test_def def = mrw_test_def_default();
    def.update = settings->goldens.rename ? MRW_UPDATE_NONE : (mrw_update)settings->goldens.update;
    def.allow_blank = settings->goldens.allow_blank;
    def.fail_fast = settings->cases.fail_fast;
    def.changed = settings->cases.changed;
    def.full = is_full(settings);
    def.prune = settings->goldens.prune;
    def.rename = settings->goldens.rename;
    def.repeat = settings->cases.repeat;
    def.out = settings->reports.results;
    def.against = settings->cases.against;
    def.backend = settings->run.backend != 0 ? backend : NULL;
    def.driver = cli_backend_driver();
    def.shard_index = settings->run.shard_index;
    def.shard_count = settings->run.shard_count;
    def.threads = mrw_session_threads(settings);
    def.isa = settings->run.isa;
    def.progress = step;
    def.go_on = cli_go_on;
    def.waiting = wait_for_other;
    def.warning = warn;
    def.machine_warning = cli_warn_machine;
    def.file_opened = cli_note_opened;
    def.user = j;
    return def;
}

/* Nothing to run is a failure, but not where the last run left nothing to do, or the other shards
 * do it. */
static int answer_nothing(const mrw_settings *settings, const mrw_case_list *cases, bool any)
{
    mrw_error error;
    if (cases->count > 0 || any) {
        if (cases->count == 0 && settings->cases.last_failed) {
            cli_say("no case failed in the last run");
            return CLI_DONE;
        }
        return -1;
    }
    mrw_fail(&error, MRW_ERROR_INPUT,
             "there are no cases; a suite is a file called suite.ini or NAME.suite.ini with one "
             "section per case; marrow init MODEL writes one");
    cli_complain_as(&error, CLI_MISMATCH);
    return CLI_MISMATCH;
}

/* status: of the run. */
static int report(const mrw_settings *settings, const mrw_text *misnamed, mrw_status status,
                  mrw_results *results, mrw_error *error)
{
    if (status != MRW_OK) {
        cli_complain(error);
        return cli_exit_status(status);
    }
    int answer = mrw_results_exit_status(results);
    status = say(settings, misnamed, results, error);
    if (status == MRW_OK) {
        status = cli_write_reports(settings, results, error);
    }
    if (status != MRW_OK) {
        cli_complain(error);
        answer = cli_exit_status(status);
    }
    mrw_results_free(results);
    return answer;
}

/* Does all until there is nothing left but to run; else *answer is the command's. misnamed: lines
 * about suites whose goldens lie under another name. */
static bool choose(const mrw_settings *settings, mrw_case_list *cases, mrw_text *misnamed,
                   int *answer)
{
    mrw_error error;
    bool any = false;
    mrw_status status = check_update(settings, &error);
    if (status == MRW_OK) {
        status = load_cases(settings, cases, &error);
        any = status == MRW_OK && cases->count > 0;
    }
    if (status == MRW_OK) {
        status = check_reports(settings, cases, &error);
    }
    /* Before cases are chosen. */
    if (status == MRW_OK && settings->goldens.update != MRW_UPDATE_NONE) {
        status = cli_check_names(settings->output.force, "--update", cases, &error);
    } else if (status == MRW_OK && !settings->cases.against) {
        status = mrw_find_misnamed_suites(cases, misnamed, &error);
    }
    if (status == MRW_OK) {
        status = choose_cases(settings, cases, &error);
    }
    *answer = cli_exit_status(status);
    if (status != MRW_OK) {
        cli_complain(&error);
    } else if (settings->cases.list) {
        *answer = list(cases, settings->output.json);
    } else {
        *answer = answer_nothing(settings, cases, any);
        return *answer < 0;
    }
    return false;
}

static mrw_status find_backend(const mrw_settings *settings, const mrw_backend **out,
                               mrw_error *error)
{
    if (settings->run.backend != 0 && settings->cases.against) {
        return mrw_fail(
            error, MRW_ERROR_USAGE,
            "--against: another marrow draws with its own rasterizer; leave out --backend gl");
    }
    const mrw_status status = cli_backend(settings, out, error);
    if (status == MRW_OK && cli_backend_driver()) {
        cli_detail("drawn with %s", cli_backend_driver());
    }
    return status;
}

static int run(const mrw_settings *settings, const mrw_case_list *cases, const mrw_text *misnamed)
{
    mrw_error error;
    mrw_results results;
    job j = {.settings = settings};
    const mrw_backend *backend;
    mrw_status status = find_backend(settings, &backend, &error);
    if (status == MRW_OK) {
        const mrw_test_def def = test_def(&j, backend);
        cli_signals_hold();
        cli_progress_begin(settings->run.quiet ? 0 : cases->count, "case");
        status = mrw_test_run(cases, &def, &results, &error);
        cli_progress_end();
        cli_backend_tell();
        cli_signals_release();
    }
    return report(settings, misnamed, status, &results, &error);
}

int cli_test(const mrw_settings *settings)
{
    mrw_case_list cases = {0};
    mrw_text misnamed = {0};
    int answer;
    if (choose(settings, &cases, &misnamed, &answer)) {
        answer = settings->cases.against_backend != 0 ? cli_second_opinion(settings, &cases)
                                                      : run(settings, &cases, &misnamed);
    }
    mrw_text_free(&misnamed);
    mrw_cases_free(&cases);
    return answer;
}
