/* accept.c: `marrow accept`: what the last test run drew becomes the goldens. */
#include "cli.h"

#include <stdio.h>

/* What CI has drawn nobody has looked at. */
static mrw_status check_place(bool meant, mrw_error *error)
{
    return meant || !cli_in_ci()
               ? MRW_OK
               : mrw_fail(error, MRW_ERROR_USAGE,
                          "CI is set, and nobody has looked at goldens accepted in CI; accept on "
                          "your own machine (--from reads CI's results), or use --force");
}

/* A name that was mistyped must not pass among others. */
static mrw_status check_glob(const char *glob, const mrw_case_list *cases, mrw_error *error)
{
    char safe[300];
    bool found = false;
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < cases->count && !found && status == MRW_OK; i++) {
        status = mrw_case_matches(&cases->items[i], glob, &found, error);
    }
    return found || status != MRW_OK
               ? status
               : mrw_fail(error, MRW_ERROR_USAGE,
                          "no case matches '%s'; marrow test --list shows all cases",
                          mrw_escape_text(glob, safe, sizeof safe));
}

static mrw_status load_cases(const mrw_settings *settings, mrw_case_list *out, mrw_error *error)
{
    static const char *const here[] = {"."};
    const mrw_text_list *globs = &settings->arguments;
    const mrw_case_choice choice = {.globs = globs->items, .glob_count = globs->count};
    mrw_status status = mrw_cases_load(here, 1, out, error);
    if (status == MRW_OK && out->count == 0) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "there are no suites here; go to the folder where marrow test was run");
    }
    if (status == MRW_OK) {
        status = cli_check_names(settings->output.force || settings->output.dry_run, "accept", out,
                                 error);
    }
    for (size_t i = 0; i < globs->count && status == MRW_OK; i++) {
        status = check_glob(globs->items[i], out, error);
    }
    return status == MRW_OK ? mrw_cases_choose(out, &choice, error) : status;
}

/* One line a golden: what it is, and how it changes. */
static mrw_status say_changes(const mrw_changes *changes, mrw_error *error)
{
    mrw_text text = {0};
    for (size_t i = 0; i < changes->count; i++) {
        const mrw_change *c = &changes->items[i];
        mrw_text_add(&text, "%s%s/%s",
                     c->refused ? "refused "
                     : c->left  ? "left "
                                : "",
                     c->suite, c->name);
        if (c->frame) {
            mrw_text_add(&text, "/%s", c->frame);
        }
        mrw_text_add(&text, ": %s%s\n", c->text, /* escaped */
                     c->refused ? " (--allow-blank accepts it)"
                     : c->left  ? " (without --framing both changes are accepted)"
                                : "");
    }
    mrw_status status = text.failed      ? cli_fail_memory(error)
                        : text.size == 0 ? MRW_OK
                                         : cli_print(&text, error);
    mrw_text_free(&text);
    return status;
}

/* What is not taken: empty pictures; with --framing what more differs of. */
static size_t count_refused(const mrw_changes *changes)
{
    size_t count = 0;
    for (size_t i = 0; i < changes->count; i++) {
        count += changes->items[i].refused || changes->items[i].left;
    }
    return count;
}

static bool is_any_empty(const mrw_changes *changes)
{
    bool any = false;
    for (size_t i = 0; i < changes->count; i++) {
        any |= changes->items[i].refused;
    }
    return any;
}

static void summarize(const mrw_settings *settings, const mrw_changes *changes)
{
    size_t refused = count_refused(changes), taken = changes->count - refused;
    if (changes->count == 0) {
        cli_say("nothing to accept: no case %s in the last run",
                settings->goldens.framing ? "would be framed differently" : "failed");
        return;
    }
    cli_say("%zu golden%s %s%s", taken, taken == 1 ? "" : "s",
            settings->output.dry_run ? "would be written" : "written",
            is_any_empty(changes) ? "; empty pictures are not accepted"
            : refused > 0         ? "; cases where more than the framing differs are not accepted"
                                  : "");
}

/* Says everything first, then does it. */
static mrw_status accept(const mrw_accept_def *def, const mrw_case_list *cases,
                         mrw_changes *changes, mrw_error *error)
{
    mrw_accept_def own = *def;
    own.dry_run = true;
    mrw_status status = mrw_accept(cases, &own, changes, error);
    if (status == MRW_OK) {
        status = say_changes(changes, error);
    }
    if (status == MRW_OK && !def->dry_run && count_refused(changes) < changes->count) {
        mrw_changes_free(changes);
        status = mrw_accept(cases, def, changes, error);
    }
    return status;
}

mrw_status cli_accept_case(const char *suite_file, const char *suite, const char *name,
                           const char *from, uint32_t *written, mrw_error *error)
{
    mrw_case_list cases = {0};
    mrw_changes changes = {0};
    mrw_text glob = {0};
    mrw_text_add(&glob, "%s/%s", suite, name);
    const mrw_case_choice choice = {.globs = (const char *const[]){glob.data}, .glob_count = 1};
    mrw_status status = glob.failed ? cli_fail_memory(error) : check_place(false, error);
    if (status == MRW_OK) {
        status = mrw_cases_load(&suite_file, 1, &cases, error);
    }
    if (status == MRW_OK) {
        status = cli_check_names(false, "accept", &cases, error);
    }
    if (status == MRW_OK) {
        status = mrw_cases_choose(&cases, &choice, error);
    }
    if (status == MRW_OK) {
        status = accept(&(mrw_accept_def){.from = from}, &cases, &changes, error);
    }
    *written = (uint32_t)(changes.count - count_refused(&changes));
    if (status == MRW_OK && *written == 0) {
        status = mrw_fail(error, MRW_ERROR_INPUT, "%s",
                          changes.count == 0
                              ? "there is nothing to accept"
                              : "the picture is empty; marrow accept --allow-blank accepts it");
    }
    mrw_changes_free(&changes);
    mrw_cases_free(&cases);
    mrw_text_free(&glob);
    return status;
}

int cli_accept(const mrw_settings *settings)
{
    mrw_error error;
    mrw_case_list cases = {0};
    mrw_changes changes = {0};
    mrw_status status = check_place(settings->output.dry_run || settings->output.force, &error);
    if (status == MRW_OK) {
        status = load_cases(settings, &cases, &error);
    }
    if (status == MRW_OK) {
        const mrw_accept_def def = {.from = settings->goldens.from,
                                    .allow_blank = settings->goldens.allow_blank,
                                    .framing = settings->goldens.framing,
                                    .dry_run = settings->output.dry_run};
        status = accept(&def, &cases, &changes, &error);
    }
    int answer = cli_exit_status(status);
    if (status != MRW_OK) {
        cli_complain(&error);
    } else {
        summarize(settings, &changes);
        answer = count_refused(&changes) > 0 ? CLI_MISMATCH : CLI_DONE;
    }
    mrw_changes_free(&changes);
    mrw_cases_free(&cases);
    return answer;
}
