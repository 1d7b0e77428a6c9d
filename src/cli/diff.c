/* diff.c: `marrow diff`: two pictures, two folders, two models: the same, or how not. */
#include "cli.h"

#include <marrow/diff.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The place for pictures of differences. */
typedef struct place {
    char path[4096];      /* file or folder; "": none is written */
    char temporary[4096]; /* folder to remove at the end, or "" */
} place;

/* ---- where pictures go ----------------------------------------------------------------------- */

/* Chooses the place: that of -o, or a temporary one. Reports contain the pictures, and without -o
 * they are not kept. */
static mrw_status choose_place(const mrw_settings *settings, mrw_diff_kind kind, place *where,
                               mrw_error *error)
{
    const char *output = settings->output.path;
    char safe[512];
    if (!output && (settings->reports.folder || settings->reports.page)) {
        const mrw_status status = host_make_temporary("diff", where->temporary, error);
        if (status) {
            return status;
        }
        snprintf(where->path, sizeof where->path, "%.4000s%s", where->temporary,
                 kind == MRW_DIFF_PICTURES ? "/diff.png" : "");
        return MRW_OK;
    }
    if (!output) {
        return MRW_OK;
    }
    if (kind == MRW_DIFF_PICTURES && !mrw_output_ends_with(output, ".png")) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "-o %s: the name of a difference picture must end in .png",
                        mrw_escape_text(output, safe, sizeof safe));
    }
    if (kind != MRW_DIFF_PICTURES &&
        (strcmp(output, "-") == 0 || mrw_output_ends_with(output, ".png"))) {
        return mrw_fail(error, MRW_ERROR_USAGE, "-o %s: several pictures need a folder",
                        mrw_escape_text(output, safe, sizeof safe));
    }
    snprintf(where->path, sizeof where->path, "%s", output);
    size_t length = strlen(where->path);
    while (length > 1 && where->path[length - 1] == '/') {
        where->path[--length] = '\0';
    }
    return MRW_OK;
}

/* Removes the temporary folder, and the paths of its files from the results. */
static void remove_temporary(const place *where, mrw_results *results)
{
    const size_t length = strlen(where->temporary);
    if (length == 0) {
        return;
    }
    host_remove_temporary(where->temporary);
    for (size_t i = 0; i < results->case_count; i++) {
        for (size_t f = 0; f < results->cases[i].frame_count; f++) {
            mrw_frame_result *frame = &results->cases[i].frames[f];
            const char **pictures[] = {&frame->expected, &frame->actual, &frame->diff};
            for (int k = 0; k < 3; k++) {
                if (*pictures[k] && strncmp(*pictures[k], where->temporary, length) == 0) {
                    *pictures[k] = NULL;
                }
            }
        }
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void put_number(mrw_text *text, const char *before, double value, int decimals)
{
    mrw_text_add(text, "%s", before);
    mrw_text_fixed(text, value, decimals);
}

/* Adds every metric, one per line, for --verbose. */
static void say_metrics(const mrw_compare_result *m, mrw_text *text)
{
    if (!m->same_size) {
        return;
    }
    mrw_text_add(text, "subject: %s, %llu pixels", mrw_subject_name(m->subject),
                 (unsigned long long)m->subject_pixels);
    if (m->masked_pixels > 0) {
        mrw_text_add(text, "; %llu are masked", (unsigned long long)m->masked_pixels);
    }
    mrw_text_add(text, "\ndiffering: %llu pixels", (unsigned long long)m->differing);
    put_number(text, ", ", m->ratio * 100.0, 4);
    mrw_text_add(text, " %%");
    if (m->antialiased > 0) {
        mrw_text_add(text, "; %llu on anti-aliased edges ignored",
                     (unsigned long long)m->antialiased);
    }
    mrw_text_add(text, "\nlargest: red %u, green %u, blue %u, alpha %u", m->largest[0],
                 m->largest[1], m->largest[2], m->largest[3]);
    if (m->box[2] > 0) {
        mrw_text_add(text, "\nwithin: %ux%u at %u,%u", m->box[2], m->box[3], m->box[0], m->box[1]);
    }
    put_number(text, "\nmean: ", m->mean, 6);
    put_number(text, "\nPSNR: ", m->psnr, 3);
    put_number(text, " dB\nFLIP: ", m->flip, 6);
    put_number(text, ", at most ", m->flip_largest, 6);
    mrw_text_add(text, "\n");
}

static void json_metrics(const mrw_compare_result *m, mrw_json *json)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"ratio", m->ratio},
                   {"mean", m->mean},
                   {"psnr", m->psnr},
                   {"flip", m->flip},
                   {"flip_largest", m->flip_largest}};
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"subject_pixels", m->subject_pixels},
                  {"masked_pixels", m->masked_pixels},
                  {"differing", m->differing},
                  {"antialiased", m->antialiased}};
    mrw_json_string(mrw_json_key(json, "subject"), mrw_subject_name(m->subject));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        mrw_json_uint(mrw_json_key(json, counts[i].key), counts[i].value);
    }
    mrw_json_uints(mrw_json_key(json, "largest"), m->largest, 4);
    mrw_json_uints(mrw_json_key(json, "box"), m->box, 4);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        mrw_json_double(mrw_json_key(json, numbers[i].key), numbers[i].value);
    }
}

/* Prints the comparison of two pictures as one object, without metrics if their sizes differ. */
static mrw_status print_picture_json(const mrw_results *results, mrw_error *error)
{
    const mrw_case_result *c = &results->cases[0];
    const mrw_compare_result *m = &c->frames[0].metrics;
    mrw_json json = {0};
    mrw_json_open(&json, '{');
    mrw_json_uint(mrw_json_key(&json, "schema"), 1);
    mrw_json_string(mrw_json_key(&json, "before"), c->golden);
    mrw_json_string(mrw_json_key(&json, "after"), c->model);
    mrw_json_string(mrw_json_key(&json, "compare"), c->mode);
    mrw_json_bool(mrw_json_key(&json, "passed"), m->passed);
    mrw_json_bool(mrw_json_key(&json, "identical"), m->same_size && m->identical);
    mrw_json_bool(mrw_json_key(&json, "same_size"), m->same_size);
    mrw_json_string(mrw_json_key(&json, "text"), c->message);
    if (m->same_size) {
        json_metrics(m, &json);
    }
    mrw_json_close(&json, '}');
    mrw_json_line(&json);
    mrw_status status = host_answer(&json.text, error);
    mrw_text_free(&json.text);
    return status;
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void say_pictures(const mrw_settings *settings, const mrw_results *results, mrw_text *text)
{
    const mrw_case_result *c = &results->cases[0];
    const mrw_compare_result *m = &c->frames[0].metrics;
    bool tolerated = m->passed && !m->identical;
    mrw_text_add(text, "%s%s\n", c->message, tolerated ? "; within the limits" : "");
    if (settings->run.verbose) {
        say_metrics(m, text);
    }
}

static void say_folders(const mrw_settings *settings, const mrw_results *results, mrw_text *text)
{
    size_t same = 0, tolerated = 0, missing = 0, differing = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        const mrw_case_result *c = &results->cases[i];
        const mrw_frame_result *frame = &c->frames[0];
        bool bad = mrw_outcome_is_bad(c->outcome);
        missing += (frame->why & MRW_WHY_MISSING) != 0;
        differing += bad && (frame->why & MRW_WHY_MISSING) == 0;
        same += !bad && frame->metrics.identical;
        tolerated += !bad && !frame->metrics.identical;
        if (bad || settings->run.verbose) {
            mrw_text_add(text, "%s: %s\n", c->name, c->message); /* both are escaped */
        }
    }
    mrw_text_add(text, "%zu picture%s", results->case_count, results->case_count == 1 ? "" : "s");
    const struct {
        size_t count;
        const char *what;
    } parts[] = {{same, "identical"},
                 {tolerated, "within the limits"},
                 {differing, "different"},
                 {missing, "on one side only"}};
    for (size_t i = 0, said = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].count > 0) {
            mrw_text_add(text, "%s%zu %s", said++ > 0 ? ", " : ": ", parts[i].count, parts[i].what);
        }
    }
    mrw_text_add(text, "\n");
}

/* Returns true if only joints and bounds differ, and by no more than rounding can explain. */
static bool is_rounding(const mrw_results *results)
{
    const double most_degrees = 0.01, most_distance = 1e-4;
    bool any = false;
    for (size_t i = 0; i < results->case_count; i++) {
        const mrw_case_result *c = &results->cases[i];
        if (mrw_outcome_is_bad(c->outcome) && c->bad_frames == 0) {
            return false;
        }
        for (size_t f = 0; f < c->frame_count; f++) {
            const mrw_frame_result *frame = &c->frames[f];
            if ((frame->why & MRW_WHY_PIXELS) != 0 || frame->pose.degrees > most_degrees ||
                frame->pose.distance > most_distance || frame->bounds > most_distance) {
                return false;
            }
            any |= frame->why != 0;
        }
    }
    return any;
}

static void say_models(const mrw_settings *settings, const mrw_results *results, mrw_text *text)
{
    const mrw_case_result *first = &results->cases[0];
    bool same = results->case_count > 0 && strcmp(first->scene_hash, first->golden_scene_hash) == 0;
    for (size_t i = 0; i < results->case_count && (!same || settings->run.verbose); i++) {
        mrw_text_add(text, "%s: %s\n", results->cases[i].name, results->cases[i].message);
    }
    if (same) {
        mrw_text_add(text, "the same scene\n");
    } else if (mrw_results_exit_status(results) == 0) {
        mrw_text_add(text, "the files differ, but nothing that was compared differs\n");
    } else if (is_rounding(results)) {
        mrw_text_add(
            text,
            "this may be rounding; --max-degrees 0.01 --max-distance 0.0001 would tolerate it\n");
    }
}

static mrw_status say(const mrw_settings *settings, mrw_diff_kind kind, const mrw_results *results,
                      mrw_error *error)
{
    mrw_text text = {0};
    if (settings->run.quiet || host_answers_to_stdout() || settings->reports.tap) {
        return MRW_OK;
    }
    if (kind == MRW_DIFF_PICTURES) {
        say_pictures(settings, results, &text);
    } else if (kind == MRW_DIFF_FOLDERS) {
        say_folders(settings, results, &text);
    } else {
        say_models(settings, results, &text);
    }
    mrw_status status = host_print(&text, error);
    mrw_text_free(&text);
    return status;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Refuses to write to a file or folder that is compared. */
static mrw_status check_targets(const mrw_settings *settings, mrw_diff_kind kind, mrw_error *error)
{
    host_guard guard = {.folders = "compared pictures"};
    host_guard_inputs(&guard, settings);
    for (size_t i = 0; i < 2 && kind == MRW_DIFF_FOLDERS; i++) {
        host_guard_folder(&guard, settings->arguments.items[i]);
    }
    mrw_status status = host_guard_check(&guard, "-o", settings->output.path, error);
    if (status) {
        goto out;
    }
    for (size_t i = 0; i < 2 && kind == MRW_DIFF_FOLDERS; i++) {
        status = host_guard_outside(&guard, "-o", settings->arguments.items[i],
                                    settings->output.path, error);
        if (status) {
            goto out;
        }
    }
    status = host_guard_reports(&guard, settings, error);
out:
    host_guard_free(&guard);
    return status;
}

static mrw_status step(void *user, size_t done, size_t count, mrw_error *error)
{
    bool *begun = user;
    if (!*begun && done < count) {
        host_progress_begin(count, "picture");
        *begun = true;
    }
    if (*begun) {
        host_progress_step();
    }
    return host_check_signal(error);
}

static mrw_status compare(const mrw_settings *settings, const place *where, mrw_results *out,
                          mrw_error *error)
{
    bool begun = settings->run.quiet;
    mrw_diff_def def = mrw_diff_def_default(settings);
    def.host = &host_callbacks;
    def.all_metrics = settings->run.verbose || settings->output.json;
    def.out = where->path[0] ? where->path : NULL;
    def.threads = mrw_session_threads(settings);
    def.isa = settings->run.isa;
    def.progress = step;
    def.go_on = host_go_on;
    def.user = &begun;
    mrw_status status =
        mrw_diff(settings->arguments.items[0], settings->arguments.items[1], &def, out, error);
    host_progress_end();
    return status;
}

/* Writes the reports: pages first, since they contain the pictures of the temporary folder. */
static mrw_status report(const mrw_settings *settings, mrw_diff_kind kind, const place *where,
                         mrw_results *results, mrw_error *error)
{
    mrw_settings others = *settings;
    mrw_error second;
    bool object = settings->output.json && kind == MRW_DIFF_PICTURES;
    others.reports.folder = others.reports.page = NULL;
    others.output.json = object ? NULL : settings->output.json;
    const mrw_status first = host_write_pages(settings, results, error);
    remove_temporary(where, results);
    mrw_status status = object ? print_picture_json(results, &second) : MRW_OK;
    if (!status) {
        status = host_write_reports(&others, results, &second);
    }
    if (!first && status) {
        *error = second;
        return status;
    }
    return first;
}

/* Finds the model that an error is about: the message begins with its name. */
static void answer_about_model(const mrw_settings *settings, const mrw_error *error)
{
    char safe[512];
    for (size_t i = 0; i < 2; i++) {
        mrw_escape_text(settings->arguments.items[i], safe, sizeof safe);
        const size_t length = strlen(safe);
        if (strncmp(error->text, safe, length) == 0 && error->text[length] == ':') {
            host_answer_about(settings->arguments.items[i]);
        }
    }
}

/* Compares, and says how the two differ. */
static mrw_status compare_and_say(const mrw_settings *settings, mrw_diff_kind kind, place *where,
                                  mrw_results *results, mrw_error *error)
{
    mrw_status status = check_targets(settings, kind, error);
    if (status) {
        return status;
    }
    status = choose_place(settings, kind, where, error);
    if (status) {
        return status;
    }
    status = compare(settings, where, results, error);
    if (status) {
        return status;
    }
    status = host_check_opened(settings, NULL, error);
    return status ? status : say(settings, kind, results, error);
}

static mrw_status run(const mrw_settings *settings, int *result, mrw_error *error)
{
    const mrw_text_list *paths = &settings->arguments;
    place where = {{0}, {0}};
    mrw_diff_kind kind;
    mrw_results results = {0};
    mrw_status status = mrw_diff_kind_of(paths->items[0], paths->items[1], &kind, error);
    if (status) {
        goto out;
    }
    status = compare_and_say(settings, kind, &where, &results, error);
    if (status) {
        remove_temporary(&where, &results);
        goto out;
    }
    *result = mrw_results_exit_status(&results);
    status = report(settings, kind, &where, &results, error);
out:
    if (status && kind == MRW_DIFF_MODELS) {
        answer_about_model(settings, error);
    }
    mrw_results_free(&results);
    return status;
}

int cli_diff(const mrw_settings *settings)
{
    mrw_error error;
    int result = HOST_DONE;
    host_signals_hold(); /* a temporary folder is removed in any case */
    const mrw_status status = run(settings, &result, &error);
    host_signals_release();
    if (status) {
        host_complain(&error);
        return host_exit_status(status);
    }
    return result;
}
