/* run.c: running all cases of a list: results folders, workers, results.json. */
#include "golden/run.h"

#include "base/file.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "golden/against.h"
#include "golden/case.h"
#include "golden/unused.h"
#include "report/results.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

mrw_test_def mrw_test_def_default(void)
{
    return (mrw_test_def){.repeat = 1, .against_seconds = 120.0, .threads = 1};
}

/* ---- results folders ------------------------------------------------------------------------- */

/* The results folder of a case: --out, or what is left of RESULTS/SUITE/CASE. */
static const char *root_of(mrwi_golden_run *run, const mrw_case *c)
{
    char root[4096];
    snprintf(root, sizeof root, "%s", run->def->out ? run->def->out : c->results);
    for (int i = 0; i < 2 && !run->def->out; i++) {
        char *slash = strrchr(root, '/');
        if (!slash) {
            return mrwi_report_text(run->results, ".");
        }
        *slash = '\0';
    }
    size_t length = strlen(root);
    while (length > 1 && root[length - 1] == '/') {
        root[--length] = '\0';
    }
    return mrwi_report_text(run->results, root);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Suites of one name may have different goldens, but not one results folder. */
static mrw_status check_folders(mrwi_golden_run *run, mrw_error *error)
{
    const size_t count = run->cases->count;
    const char **folders = mrwi_base_alloc(count, sizeof *folders);
    mrwi_base_arena arena = {0};
    char safe[600];
    mrw_status status = folders ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *folders);
    for (size_t i = 0; i < count && status == MRW_OK; i++) {
        const mrw_case *c = &run->cases->items[i];
        folders[i] = mrwi_base_format(&arena, "%s/%s/%s", run->roots[i], c->suite, c->name);
        status = folders[i] ? MRW_OK : mrwi_base_fail_memory(error, 0);
    }
    if (status == MRW_OK) {
        qsort(folders, count, sizeof *folders, by_text);
    }
    for (size_t i = 1; i < count && status == MRW_OK; i++) {
        if (strcmp(folders[i - 1], folders[i]) == 0) {
            status =
                mrwi_base_fail(error, MRW_ERROR_USAGE,
                               "two cases would leave their results in %s; run their suites with "
                               "an --out each, or give one another name",
                               mrwi_base_escape(folders[i], safe, sizeof safe));
        }
    }
    mrwi_base_arena_free(&arena);
    mrwi_base_free(folders);
    return status;
}

/* Results are nothing to commit. A folder that was there is somebody's own. */
static mrw_status hide_from_git(const char *root, bool made, mrw_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/.gitignore", root);
    return made ? mrw_file_write(path, "*\n", 2, error) : MRW_OK;
}

/* Whether `path` is `folder` or below it; both without links. */
static bool is_within(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* The folder that a path stands in. */
static void parent_of(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    snprintf(out, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

/* Old results are removed by name, and goldens have the same names. */
static mrw_status keep_apart(const mrwi_golden_run *run, const char *root, mrw_error *error)
{
    char real_root[PATH_MAX], real[PATH_MAX], suite[PATH_MAX], golden[PATH_MAX];
    char before[PATH_MAX] = "", safe[600];
    if (!realpath(root, real_root)) {
        return MRW_OK; /* writing there says why */
    }
    for (size_t i = 0; i < run->cases->count; i++) {
        parent_of(run->cases->items[i].golden, suite); /* of GOLDEN/SUITE/CASE */
        parent_of(suite, golden);
        if (strcmp(suite, before) == 0) {
            continue;
        }
        if ((realpath(golden, real) && strcmp(real, real_root) == 0) ||
            (realpath(suite, real) && is_within(real_root, real))) {
            return mrwi_base_fail(
                error, MRW_ERROR_USAGE,
                "%s: results never go among the goldens; choose another folder for "
                "them, or for the goldens",
                mrwi_base_escape(root, safe, sizeof safe));
        }
        memcpy(before, suite, sizeof before);
    }
    return MRW_OK;
}

static mrw_status make_root(const mrwi_golden_run *run, const char *root, mrw_error *error)
{
    char safe[600];
    bool made = false;
    mrw_status status = mrw_make_folder(root, &made, error);
    if (status == MRW_OK) {
        status = keep_apart(run, root, error);
    }
    if (status == MRW_OK && access(root, W_OK) != 0) {
        status =
            mrwi_base_fail(error, MRW_ERROR_OUTPUT,
                           "%s: results can't be written there; change its permissions, or choose "
                           "another folder with --out",
                           mrwi_base_escape(root, safe, sizeof safe));
    }
    return status == MRW_OK ? hide_from_git(root, made, error) : status;
}

/* results.json goes first, so that nobody takes what a killed run leaves for results. */
static mrw_status clear_root(const char *root, mrw_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/results.json", root);
    return mrwi_base_remove_file(path, error);
}

/* A link may lead to one from the other. */
static mrw_status refuse_same(const char *results, const char *golden, mrw_error *error)
{
    struct stat a, b;
    char safe[600];
    bool same = stat(results, &a) == 0 && stat(golden, &b) == 0 && a.st_ino == b.st_ino &&
                a.st_dev == b.st_dev;
    return same ? mrwi_base_fail(
                      error, MRW_ERROR_USAGE,
                      "%s: this is the folder of its goldens, too; results never go among "
                      "the goldens",
                      mrwi_base_escape(results, safe, sizeof safe))
                : MRW_OK;
}

/* From here on they are this run's alone. */
static mrw_status take_roots(mrwi_golden_run *run, mrw_error *error)
{
    const bool none = run->cases->count == 0 && run->def->out;
    const char *const *roots = none ? &run->def->out : run->roots;
    const size_t count = none ? 1 : run->cases->count;
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < count && status == MRW_OK; i++) {
        if (i == 0 || strcmp(roots[i - 1], roots[i]) != 0) {
            status = make_root(run, roots[i], error);
        }
    }
    return status == MRW_OK ? mrwi_golden_lock_roots(run, roots, count, error) : status;
}

static mrw_status clear_results(mrwi_golden_run *run, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (run->cases->count == 0 && run->def->out) {
        status = clear_root(run->def->out, error);
    }
    for (size_t i = 0; i < run->cases->count && status == MRW_OK; i++) {
        const mrw_case *c = &run->cases->items[i];
        char folder[4096];
        if (i == 0 || strcmp(run->roots[i - 1], run->roots[i]) != 0) {
            status = clear_root(run->roots[i], error);
        }
        snprintf(folder, sizeof folder, "%s/%s/%s", run->roots[i], c->suite, c->name);
        if (status == MRW_OK) {
            status = refuse_same(folder, c->golden, error);
        }
        if (status == MRW_OK) {
            status = mrwi_golden_remove_results(folder, error);
        }
    }
    return status;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static mrw_status begin_result(mrwi_golden_run *run, size_t index, mrw_error *error)
{
    static const char *const modes[] = {"exact", "pixel", "perceptual"};
    const mrw_case *c = &run->cases->items[index];
    mrw_case_result *result = &run->results->cases[index];
    const char **tags = mrwi_report_alloc(run->results, c->tag_count, sizeof *tags);
    const char *reason = c->skip ? c->skip : c->xfail;
    *result = (mrw_case_result){
        .suite = mrwi_report_text(run->results, c->suite),
        .name = mrwi_report_text(run->results, c->name),
        .suite_file = mrwi_report_text(run->results, c->suite_file),
        .line = c->line,
        .model = mrwi_report_text(run->results, c->model),
        .golden = mrwi_report_text(run->results, c->golden),
        .outcome = MRW_SKIPPED,
        .message = "",
        .reason = reason ? mrwi_report_text(run->results, reason) : NULL,
        .mode = modes[c->settings.compare],
        .tags = tags,
        .tag_count = c->tag_count,
        .pixel_version = MRW_PIXEL_VERSION,
        .scene_hash = "",
        .golden_scene_hash = "",
    };
    bool made = result->suite && result->name && result->suite_file && result->model &&
                result->golden && tags && (!reason || result->reason);
    for (size_t t = 0; t < c->tag_count && made; t++) {
        tags[t] = mrwi_report_text(run->results, c->tags[t]);
        made = tags[t];
    }
    return made ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

static mrw_status begin(mrwi_golden_run *run, mrw_error *error)
{
    const size_t count = run->cases->count;
    run->results->cases = mrwi_report_alloc(run->results, count, sizeof *run->results->cases);
    run->roots = mrwi_report_alloc(run->results, count, sizeof *run->roots);
    mrw_status status =
        run->results->cases && run->roots ? MRW_OK : mrwi_base_fail_memory(error, count);
    run->results->case_count = count;
    for (size_t i = 0; i < count && status == MRW_OK; i++) {
        run->roots[i] = root_of(run, &run->cases->items[i]);
        status = run->roots[i] ? begin_result(run, i, error) : mrwi_base_fail_memory(error, 0);
    }
    if (status == MRW_OK) {
        status = check_folders(run, error);
    }
    if (status == MRW_OK) {
        status = take_roots(run, error);
    }
    return status == MRW_OK ? clear_results(run, error) : status;
}

/* With as many cases as threads each case has one; few cases get all threads, one after the other.
 */
static mrw_status make_workers(mrwi_golden_run *run, mrw_error *error)
{
    size_t work = 0;
    for (size_t i = 0; i < run->cases->count; i++) {
        work += !run->cases->items[i].skip;
    }
    run->worker_count = run->def->threads > 1 ? run->def->threads : 1;
    run->inner_threads = work >= (size_t)run->worker_count ? 1 : run->worker_count;
    run->workers = mrwi_base_alloc_zero((size_t)run->worker_count, sizeof *run->workers);
    return run->workers ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

static void free_workers(mrwi_golden_run *run)
{
    for (int i = 0; run->workers && i < run->worker_count; i++) {
        mrwi_golden_worker *worker = &run->workers[i];
        mrw_renderer_free(worker->renderer);
        mrw_image_free(&worker->image);
        mrw_image_free(&worker->expected);
        mrwi_base_free(worker->mask);
        mrwi_base_free(worker->instances);
    }
    mrwi_base_free(run->workers);
}

/* ---- what models have to say ----------------------------------------------------------------- */

static void pass_warning(void *user, const char *text)
{
    mrwi_golden_run *run = user;
    pthread_mutex_lock(&run->lock);
    if (run->def->warning) {
        run->def->warning(run->def->user, text);
    }
    pthread_mutex_unlock(&run->lock);
}

/* Each import says it; once is enough. */
static void pass_machine_warning(void *user, const char *text)
{
    mrwi_golden_run *run = user;
    pthread_mutex_lock(&run->lock);
    if (run->def->machine_warning && strncmp(text, run->told, sizeof run->told - 1) != 0) {
        snprintf(run->told, sizeof run->told, "%s", text);
        run->def->machine_warning(run->def->user, text);
    }
    pthread_mutex_unlock(&run->lock);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Of several failures the first case's is told, whichever came first. */
static void note_failure(mrwi_golden_run *run, size_t index, mrw_status status,
                         const mrw_error *error)
{
    pthread_mutex_lock(&run->lock);
    if (index < run->failed_at) {
        run->failed_at = index;
        run->failure = *error;
        run->failure.status = status;
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->stop, true);
}

static mrw_status report_progress(mrwi_golden_run *run, size_t index, mrw_error *error)
{
    pthread_mutex_lock(&run->lock);
    run->done++;
    mrw_status status = MRW_OK;
    if (run->def->progress) {
        status = run->def->progress(run->def->user, &run->results->cases[index], run->done,
                                    run->cases->count, error);
    }
    pthread_mutex_unlock(&run->lock);
    return status;
}

static mrw_status skip_case(mrwi_golden_run *run, size_t index, mrw_error *error)
{
    const char *reason = run->cases->items[index].skip;
    char text[1200];
    snprintf(text, sizeof text, "%s", "not run: the run was ended before");
    if (reason) {
        mrwi_base_escape(reason, text, sizeof text);
    } else if (run->def->fail_fast && atomic_load(&run->bad)) {
        snprintf(text, sizeof text, "not run: another case failed before (--fail-fast)");
    }
    const char *message = mrwi_report_text(run->results, text);
    if (message) {
        run->results->cases[index].message = message;
    }
    return message ? MRW_OK : mrwi_base_fail_memory(error, sizeof text);
}

static void run_one(void *user, int64_t number, int worker)
{
    mrwi_golden_run *run = user;
    size_t index = (size_t)number;
    mrw_error error = {0};
    mrw_status status;
    bool left_out = atomic_load(&run->stop) || (run->def->fail_fast && atomic_load(&run->bad));
    if (left_out || run->cases->items[index].skip) {
        status = skip_case(run, index, &error);
    } else {
        mrwi_golden_worker *own = run->inner_threads > 1 ? run->workers : &run->workers[worker];
        status = mrwi_golden_case_run_all(run, index, own, &error);
        if (mrw_outcome_is_bad(run->results->cases[index].outcome)) {
            atomic_store(&run->bad, true);
        }
    }
    mrwi_golden_scenes_give(&run->scenes, index);
    if (status == MRW_OK && !atomic_load(&run->stop)) {
        status = report_progress(run, index, &error);
    }
    if (status != MRW_OK) {
        note_failure(run, index, status, &error);
    }
}

/* ---- results.json ---------------------------------------------------------------------------- */

static mrw_status write_root(mrwi_golden_run *run, size_t first, mrw_error *error)
{
    const size_t count = run->cases->count;
    const char *root = run->roots[first];
    mrw_results part = *run->results;
    part.cases = mrwi_base_alloc(count, sizeof *part.cases);
    part.case_count = 0;
    part.folder = root;
    if (!part.cases) {
        return mrwi_base_fail_memory(error, count * sizeof *part.cases);
    }
    for (size_t i = first; i < count; i++) {
        if (strcmp(run->roots[i], root) == 0) {
            part.cases[part.case_count++] = run->results->cases[i];
        }
    }
    mrwi_report_results_count(&part);
    mrw_status status = mrw_results_write(&part, error);
    mrwi_base_free(part.cases);
    return status;
}

static bool is_first_of_root(const mrwi_golden_run *run, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(run->roots[i], run->roots[index]) == 0) {
            return false;
        }
    }
    return true;
}

/* A path from the current folder in place of one below the root. */
static mrw_status lift(mrwi_golden_run *run, const char *root, const char **picture,
                       mrw_error *error)
{
    char path[4096];
    if (!*picture) {
        return MRW_OK;
    }
    snprintf(path, sizeof path, "%s/%s", root, *picture);
    *picture = mrwi_report_text(run->results, path);
    return *picture ? MRW_OK : mrwi_base_fail_memory(error, sizeof path);
}

static mrw_status lift_case(mrwi_golden_run *run, size_t index, mrw_error *error)
{
    mrw_case_result *result = &run->results->cases[index];
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < result->frame_count && status == MRW_OK; i++) {
        const char **pictures[3] = {&result->frames[i].expected, &result->frames[i].actual,
                                    &result->frames[i].diff};
        for (int k = 0; k < 3 && status == MRW_OK; k++) {
            status = lift(run, run->roots[index], pictures[k], error);
        }
    }
    return status;
}

/* Suites that left nothing. Not while cases run, which make these folders. */
static void remove_empty_folders(const mrwi_golden_run *run)
{
    for (size_t i = 0; i < run->cases->count; i++) {
        char folder[4096];
        const char *suite = run->cases->items[i].suite;
        int length = snprintf(folder, sizeof folder, "%s/%s", run->roots[i], suite);
        if (length < (int)sizeof folder) {
            rmdir(folder);
        }
    }
}

static mrw_status write_results(mrwi_golden_run *run, mrw_error *error)
{
    const size_t count = run->cases->count;
    size_t roots = 0;
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < count && status == MRW_OK; i++) {
        if (is_first_of_root(run, i)) {
            roots++;
            status = write_root(run, i, error);
        }
    }
    const char *root = roots == 0 ? run->def->out : run->roots[0];
    run->results->folder = roots > 1 || !root ? "." : mrwi_report_text(run->results, root);
    if (status == MRW_OK && !run->results->folder) {
        status = mrwi_base_fail_memory(error, 0);
    }
    if (status == MRW_OK && roots == 0 && run->def->out) {
        status = mrw_results_write(run->results, error);
    }
    for (size_t i = 0; i < count && roots > 1 && status == MRW_OK; i++) {
        status = lift_case(run, i, error);
    }
    return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

static mrw_status run_cases(mrwi_golden_run *run, mrw_error *error)
{
    mrw_status status = mrwi_golden_scenes_make(run->cases, &run->scenes, error);
    if (status == MRW_OK) {
        status = make_workers(run, error);
    }
    if (status == MRW_OK) {
        int outer = run->inner_threads > 1 ? 1 : run->worker_count;
        mrwi_base_parallel_for(outer, (int64_t)run->cases->count, run_one, run);
    }
    free_workers(run);
    mrwi_golden_scenes_free(&run->scenes);
    return status;
}

static mrw_status run_all(mrwi_golden_run *run, mrw_error *error)
{
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    mrw_status status = begin(run, error);
    if (status != MRW_OK) {
        return status;
    }
    status = run_cases(run, error);
    bool whole = status == MRW_OK && run->failed_at == SIZE_MAX;
    if (whole && run->def->full && !(run->def->fail_fast && atomic_load(&run->bad))) {
        status = mrwi_golden_unused_finish(run, error);
    }
    run->results->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    mrwi_report_results_count(run->results);
    if (status == MRW_OK) {
        remove_empty_folders(run);
        status = write_results(run, error);
    }
    if (run->failed_at != SIZE_MAX) {
        status = mrwi_base_fail(error, run->failure.status, "%s", run->failure.text);
    }
    return status;
}

mrw_status mrw_test_run(const mrw_case_list *cases, const mrw_test_def *def, mrw_results *out,
                        mrw_error *error)
{
    mrw_test_def own = *def;
    mrwi_golden_run run = {.cases = cases,
                           .def = &own,
                           .source = mrwi_golden_source(),
                           .results = out,
                           .failed_at = SIZE_MAX};
    run.host = (mrw_stage_host){
        .user = &run, .warning = pass_warning, .machine_warning = pass_machine_warning};
    *out = (mrw_results){.shard_index = def->shard_count > 1 ? def->shard_index : 1,
                         .shard_count = def->shard_count > 1 ? def->shard_count : 1,
                         .title = "marrow test"};
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status != MRW_OK) {
        return status;
    }
    pthread_mutex_init(&run.lock, NULL);
    if (def->against) {
        own.full = own.prune = false;
        own.update = MRW_UPDATE_NONE;
        run.source = mrwi_golden_against_source(&run);
        status = mrwi_golden_against_begin(&run, error);
    }
    if (status == MRW_OK) {
        status = run_all(&run, error);
    }
    mrwi_golden_unlock_roots(&run);
    pthread_mutex_destroy(&run.lock);
    if (status != MRW_OK) {
        mrw_results_free(out);
    }
    return status;
}
