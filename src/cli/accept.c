/* accept.c: `marrow accept`: makes goldens of the pictures of the last test run. */
#include "cli.h"

#include <stdio.h>

/* Refuses to accept in CI, where nobody has looked at the pictures. */
static mrw_status check_place(bool meant, mrw_error *error)
{
    if (meant || !host_in_ci()) {
        return MRW_OK;
    }
    return mrw_fail(error, MRW_ERROR_USAGE,
                    "CI is set, and nobody has looked at goldens accepted in CI; accept on your "
                    "own machine (--from reads CI's results), or use --force");
}

/* Loads the cases below the current folder and keeps those that the arguments name. */
static mrw_status load_cases(const mrw_settings *settings, mrw_case_list *out, mrw_error *error)
{
    static const char *const here[] = {"."};
    const mrw_text_list *globs = &settings->arguments;
    const mrw_case_choice choice = {.globs = globs->items, .glob_count = globs->count};
    char safe[300];
    mrw_status status = mrw_cases_load(here, 1, out, error);
    if (status) {
        return status;
    }
    if (out->count == 0) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "there are no suites here; go to the folder where marrow test was run");
    }
    status =
        cli_check_names(settings->output.force || settings->output.dry_run, "accept", out, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < globs->count; i++) {
        bool found = false; /* each must match: one of several may be mistyped */
        for (size_t c = 0; c < out->count && !found; c++) {
            status = mrw_case_matches(&out->items[c], globs->items[i], &found, error);
            if (status) {
                return status;
            }
        }
        if (!found) {
            return mrw_fail(error, MRW_ERROR_USAGE,
                            "no case matches '%s'; marrow test --list shows all cases",
                            mrw_escape_text(globs->items[i], safe, sizeof safe));
        }
    }
    return mrw_cases_choose(out, &choice, error);
}

/* Prints one line per golden: its name and how it changes. */
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
    mrw_status status = host_print(&text, error);
    mrw_text_free(&text);
    return status;
}

/* Counts changes that are not accepted: empty pictures, and with --framing those where more than
 * the framing differs. */
static size_t count_refused(const mrw_changes *changes)
{
    size_t count = 0;
    for (size_t i = 0; i < changes->count; i++) {
        count += changes->items[i].refused || changes->items[i].left;
    }
    return count;
}

static void summarize(const mrw_settings *settings, const mrw_changes *changes)
{
    const size_t refused = count_refused(changes), taken = changes->count - refused;
    bool empty = false;
    for (size_t i = 0; i < changes->count; i++) {
        empty |= changes->items[i].refused;
    }
    if (changes->count == 0) {
        host_say("nothing to accept: no case %s in the last run",
                 settings->goldens.framing ? "would be framed differently" : "failed");
        return;
    }
    host_say("%zu golden%s %s%s", taken, taken == 1 ? "" : "s",
             settings->output.dry_run ? "would be written" : "written",
             empty         ? "; empty pictures are not accepted"
             : refused > 0 ? "; cases where more than the framing differs are not accepted"
                           : "");
}

/* Prints all changes, then makes them. */
static mrw_status accept(const mrw_accept_def *def, const mrw_case_list *cases,
                         mrw_changes *changes, mrw_error *error)
{
    mrw_accept_def own = *def;
    own.dry_run = true;
    mrw_status status = mrw_accept(cases, &own, changes, error);
    if (status) {
        return status;
    }
    status = say_changes(changes, error);
    if (status || def->dry_run || count_refused(changes) == changes->count) {
        return status;
    }
    mrw_changes_free(changes);
    return mrw_accept(cases, def, changes, error);
}

mrw_status cli_accept_case(const char *suite_file, const char *suite, const char *name,
                           const char *from, uint32_t *written, mrw_error *error)
{
    mrw_case_list cases = {0};
    mrw_changes changes = {0};
    mrw_text glob = {0};
    mrw_text_add(&glob, "%s/%s", suite, name);
    const mrw_case_choice choice = {.globs = (const char *const[]){glob.data}, .glob_count = 1};
    *written = 0;
    mrw_status status = glob.failed ? host_fail_memory(error) : check_place(false, error);
    if (status) {
        goto out;
    }
    status = mrw_cases_load(&suite_file, 1, &cases, error);
    if (status) {
        goto out;
    }
    status = cli_check_names(false, "accept", &cases, error);
    if (status) {
        goto out;
    }
    status = mrw_cases_choose(&cases, &choice, error);
    if (status) {
        goto out;
    }
    status = accept(&(mrw_accept_def){.from = from}, &cases, &changes, error);
    *written = (uint32_t)(changes.count - count_refused(&changes));
    if (!status && *written == 0) {
        status = mrw_fail(error, MRW_ERROR_INPUT, "%s",
                          changes.count == 0
                              ? "there is nothing to accept"
                              : "the picture is empty; marrow accept --allow-blank accepts it");
    }

out:
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
    const mrw_accept_def def = {.from = settings->goldens.from,
                                .allow_blank = settings->goldens.allow_blank,
                                .framing = settings->goldens.framing,
                                .dry_run = settings->output.dry_run};
    int answer = HOST_DONE;
    mrw_status status = check_place(settings->output.dry_run || settings->output.force, &error);
    if (status) {
        goto out;
    }
    status = load_cases(settings, &cases, &error);
    if (status) {
        goto out;
    }
    status = accept(&def, &cases, &changes, &error);
    if (status) {
        goto out;
    }
    summarize(settings, &changes);
    answer = count_refused(&changes) > 0 ? HOST_MISMATCH : HOST_DONE;

out:
    if (status) {
        host_complain(&error);
        answer = host_exit_status(status);
    }
    mrw_changes_free(&changes);
    mrw_cases_free(&cases);
    return answer;
}
