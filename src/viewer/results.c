/* results.c: shows a folder of results of `marrow test`: goes from failure to failure, shows each
 * the way its case draws it, and compares it with its golden. */
#include "internal.h"

#include <limits.h>
#include <marrow/codecs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool viewer_results_are(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* ---- the list -------------------------------------------------------------------------------- */

static mrw_status add(viewer_results *results, size_t index, size_t frame, mrw_error *error)
{
    viewer_failure *grown =
        realloc(results->failures, (results->count + 1) * sizeof *results->failures);
    if (!grown) {
        return viewer_fail_memory(error);
    }
    results->failures = grown;
    grown[results->count++] = (viewer_failure){.index = index, .frame = frame};
    return MRW_OK;
}

/* Lists the failed frames of bad cases. A bad case without a failed frame gives its first frame. */
static mrw_status list_failures(viewer_results *results, mrw_error *error)
{
    for (size_t c = 0; c < results->read.case_count; c++) {
        const mrw_case_result *one = &results->read.cases[c];
        const size_t before = results->count;
        if (!mrw_outcome_is_bad(one->outcome)) {
            continue;
        }
        for (size_t f = 0; f < one->frame_count; f++) {
            mrw_status status = one->frames[f].passed ? MRW_OK : add(results, c, f, error);
            if (status) {
                return status;
            }
        }
        mrw_status status = results->count == before ? add(results, c, 0, error) : MRW_OK;
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

static const mrw_case_result *case_of(const viewer_results *results, size_t at)
{
    return &results->read.cases[results->failures[at].index];
}

/* Returns the frame of a failure; NULL if the case drew none. */
static const mrw_frame_result *frame_of(const viewer_results *results, size_t at)
{
    const mrw_case_result *one = case_of(results, at);
    const size_t frame = results->failures[at].frame;
    return frame < one->frame_count ? &one->frames[frame] : NULL;
}

mrw_status viewer_results_open(viewer_results *results, const char *folder, mrw_error *error)
{
    char safe[300];
    results->folder = viewer_copy(folder);
    if (!results->folder) {
        return viewer_fail_memory(error);
    }
    mrw_status status = mrw_results_read(folder, &results->read, error);
    if (status) {
        return status;
    }
    status = list_failures(results, error);
    if (status) {
        return status;
    }
    return results->count > 0
               ? MRW_OK
               : mrw_fail(error, MRW_ERROR_INPUT, "%s: no case failed; there is nothing to see",
                          mrw_escape_text(folder, safe, sizeof safe));
}

void viewer_results_free(viewer_results *results)
{
    mrw_image_free(&results->golden);
    mrw_results_free(&results->read);
    free(results->failures);
    free(results->folder);
    *results = (viewer_results){0};
}

/* ---- a case ---------------------------------------------------------------------------------- */

/* Finds the suite file: where the run found it, or else beside the folder of results. */
static bool find_suite(const viewer_results *results, const char *file, char out[PATH_MAX])
{
    const char *slash = strrchr(file, '/');
    snprintf(out, PATH_MAX, "%s", file);
    if (access(out, R_OK) == 0) {
        return true;
    }
    snprintf(out, PATH_MAX, "%s/../%s", results->folder, slash ? slash + 1 : file);
    return access(out, R_OK) == 0;
}

static mrw_status read_case(const viewer_results *results, size_t at, mrw_case_list *list,
                            const mrw_case **out, mrw_error *error)
{
    const mrw_case_result *wanted = case_of(results, at);
    char file[PATH_MAX], safe[300], name[200];
    const char *const path = file;
    *out = NULL;
    if (!find_suite(results, wanted->suite_file, file)) {
        return mrw_fail(error, MRW_ERROR_INPUT,
                        "%s: the suite was not found; go to the folder where marrow test was run",
                        mrw_escape_text(wanted->suite_file, safe, sizeof safe));
    }
    mrw_status status = mrw_cases_load(&path, 1, list, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < list->count; i++) {
        const mrw_case *one = &list->items[i];
        if (strcmp(one->suite, wanted->suite) == 0 && strcmp(one->name, wanted->name) == 0) {
            *out = one;
            return MRW_OK;
        }
    }
    return mrw_fail(error, MRW_ERROR_INPUT, "%s: it no longer contains the case %s",
                    mrw_escape_text(file, safe, sizeof safe),
                    mrw_escape_text(wanted->name, name, sizeof name));
}

/* Returns true for an option of a case that `view` takes. make_base writes clip, time and size
 * itself. */
static bool is_taken(const char *text)
{
    static const char *const not_taken[] = {"clip", "times", "frames", "size", "output"};
    const size_t length = strcspn(text + 2, "=");
    for (size_t i = 0; i < sizeof not_taken / sizeof *not_taken; i++) {
        if (strlen(not_taken[i]) == length && memcmp(text + 2, not_taken[i], length) == 0) {
            return false;
        }
    }
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        if (strlen(option->name) == length && memcmp(text + 2, option->name, length) == 0) {
            return mrw_option_belongs(option, MRW_COMMAND_VIEW);
        }
    }
    return false;
}

/* Writes clip and time of a frame. */
static void put_clip(const mrw_case *one, const mrw_frame_result *frame, viewer_words *words)
{
    const mrw_animation_settings *animation = &one->settings.animation;
    const bool poses = animation->pose != MRW_POSE_CLIP;
    const bool mixes = animation->blend_count > 0 || animation->together;
    for (size_t i = 0; i < animation->clips.count && mixes; i++) {
        viewer_words_option(words, "clip", animation->clips.items[i]);
    }
    if (frame && !poses && !mixes && frame->clip[0] != '\0' && strcmp(frame->clip, "rest") != 0 &&
        strcmp(frame->clip, "bind") != 0) {
        viewer_words_option(words, "clip", frame->clip);
    }
    if (frame && !poses) {
        char time[40];
        mrw_format_double(frame->time, time);
        viewer_words_option(words, "times", time);
    }
}

/* Makes the command line that shows a frame the way its case draws it. */
static mrw_status make_base(const mrw_case *one, const mrw_frame_result *frame, viewer_base **out,
                            mrw_error *error)
{
    viewer_words words = {0};
    char size[40];
    viewer_words_add(&words, "view");
    viewer_words_add(&words, one->model);
    for (size_t i = 0; i < one->option_count; i++) {
        if (is_taken(one->options[i])) {
            viewer_words_add(&words, one->options[i]);
        }
    }
    put_clip(one, frame, &words);
    snprintf(size, sizeof size, "%ux%u", one->settings.picture.width, one->settings.picture.height);
    viewer_words_option(&words, "size", size);
    if (!mrw_settings_given(&one->settings, "fit") &&
        mrw_session_fit(&one->settings, mrw_session_wants_sequence(&one->settings)) ==
            MRW_FIT_FRAME &&
        one->settings.camera.names.count == 0 && !one->settings.camera.view.has_eye) {
        viewer_words_option(&words, "fit", "frame"); /* `render` frames a still, `view` the clip */
    }
    mrw_status status =
        words.failed
            ? viewer_fail_memory(error)
            : viewer_base_read((int)words.count, (const char *const *)words.items, out, error);
    viewer_words_free(&words);
    return status;
}

mrw_status viewer_results_base(const viewer_results *results, size_t at, viewer_base **out,
                               mrw_error *error)
{
    mrw_case_list list = {0};
    const mrw_case *one;
    *out = NULL;
    mrw_status status = read_case(results, at, &list, &one, error);
    if (!status) {
        status = make_base(one, frame_of(results, at), out, error);
    }
    mrw_cases_free(&list);
    return status;
}

/* ---- going from one to the next -------------------------------------------------------------- */

mrw_status viewer_results_go(viewer *v, int step, mrw_error *error)
{
    viewer_results *results = &v->results;
    viewer_base *base = NULL;
    /* `at` moves even if that failure cannot be shown, so that the next key goes on from there */
    results->at =
        (results->at + results->count + (size_t)(step + (int)results->count)) % results->count;
    mrw_status status = viewer_results_base(results, results->at, &base, error);
    if (status) {
        return status;
    }
    status = viewer_load(v, base->arguments.models[0], false, base, error);
    if (status) {
        viewer_base_free(base);
        return status;
    }
    v->loaded.loading.failure = results->at + 1;
    return MRW_OK;
}

void viewer_results_take_up(viewer *v, size_t failure)
{
    viewer_results *results = &v->results;
    mrw_image_free(&results->golden);
    results->looked = false;
    results->shown = failure > 0;
    viewer_decide_window(&v->window, &v->state, results->shown);
    if (failure > 0) {
        results->at = failure - 1;
        v->pair.source = VIEWER_GOLDEN;
        v->pair.layout = v->pair.layout == VIEWER_ALONE ? VIEWER_SWIPE : v->pair.layout;
        v->pair.border = (int)v->state.width / 2;
    } else if (v->pair.source == VIEWER_GOLDEN) {
        v->pair.source = VIEWER_BESIDE;
        v->pair.layout = VIEWER_ALONE;
    }
}

mrw_status viewer_results_golden(viewer_results *results, uint32_t channels, mrw_error *error)
{
    const mrw_frame_result *frame = results->shown ? frame_of(results, results->at) : NULL;
    char path[PATH_MAX];
    if (results->looked) {
        return MRW_OK;
    }
    results->looked = true;
    if (!frame || !frame->expected) {
        return MRW_OK;
    }
    snprintf(path, sizeof path, "%s/%s", results->folder, frame->expected);
    return mrw_image_read(path, channels, &results->golden, error);
}

const char *viewer_results_lack(const viewer *v, char *out, size_t size)
{
    const viewer_results *results = &v->results;
    const mrw_image *golden = &results->golden, *now = &v->drawing.last.picture;
    if (!results->looked || viewer_pair_image(v) || v->pair.layout == VIEWER_ALONE) {
        return NULL;
    }
    if (golden->pixels && (golden->width != now->width || golden->height != now->height)) {
        snprintf(out, size,
                 "its golden has %ux%u pixels, the picture %ux%u: only the picture is shown",
                 golden->width, golden->height, now->width, now->height);
        return out;
    }
    snprintf(out, size, "%s", "there is no golden picture");
    return out;
}

void viewer_results_describe(const viewer *v, char *out, size_t size)
{
    const viewer_results *results = &v->results;
    out[0] = '\0';
    if (results->shown) {
        const mrw_case_result *one = case_of(results, results->at);
        const mrw_frame_result *frame = frame_of(results, results->at);
        char suite[80], name[120], picture[120];
        snprintf(out, size, "failure %zu of %zu: %s/%s%s%s: %.300s%s", results->at + 1,
                 results->count, mrw_escape_text(one->suite, suite, sizeof suite),
                 mrw_escape_text(one->name, name, sizeof name), frame ? " " : "",
                 frame ? mrw_escape_text(frame->name, picture, sizeof picture) : "",
                 frame && frame->message[0] != '\0' ? frame->message : one->message,
                 results->failures[results->at].accepted ? " - accepted" : "");
        const size_t used = strlen(out);
        const char *lacks = viewer_results_lack(v, name, sizeof name);
        if (lacks) {
            snprintf(out + used, size - used, " (%s)", lacks);
        }
    }
}

/* ---- accepting ------------------------------------------------------------------------------- */

mrw_status viewer_results_accept(viewer *v, int value, mrw_error *error)
{
    viewer_results *results = &v->results;
    char file[PATH_MAX], safe[200];
    uint32_t written = 0;
    (void)value;
    if (!results->shown) {
        return mrw_fail(error, MRW_ERROR_USAGE, "no failure is shown, so there is none to accept");
    }
    const mrw_case_result *one = case_of(results, results->at);
    const viewer_goldens goldens = {file, one->suite, one->name, results->folder};
    if (!v->def.accept || !find_suite(results, one->suite_file, file)) {
        return mrw_fail(error, MRW_ERROR_INPUT, "the suite was not found");
    }
    mrw_status status = v->def.accept(v->def.user, &goldens, &written, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < results->count; i++) {
        results->failures[i].accepted |= case_of(results, i) == one;
    }
    viewer_tell(v, false, "accepted %s: %u golden%s written",
                mrw_escape_text(one->name, safe, sizeof safe), written, written == 1 ? "" : "s");
    return MRW_OK;
}
