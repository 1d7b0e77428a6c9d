/* run.c: running all cases of a list: results folders, workers, results.json. Of the room, in the
 * order of the flow:
 *
 *   choose.c    the cases of a list that are to run
 *   changed.c   those of them whose goldens were made of other inputs
 *   run.c       all of them: workers, results folders, results.json
 *   lock.c      one run at a time in a results folder
 *   scenes.c    their models, each loaded once
 *   case.c      one case: from its settings to its result, its goldens where they are updated
 *   found.c     its goldens as they would be now, and what of models and the suite has changed
 *   pictures.c  its pictures: which they are, drawn one after the other or several at once
 *   frame.c     one frame: drawn, masked, compared, its files
 *
 *   expected.c  what a case is compared with: goldens; store.c: their text files, lines.c: in lines
 *   view.c, options.c, parts.c  what golden.txt says of cameras, of the suite, of models;
 *               parts_words.c: how models differ, in words; scene_files.c: a model's parts in a
 *               file that all cases share
 *   against.c   or what another marrow draws; against_read.c: what it says
 *   promote.c   results to goldens; accept.c: afterwards, from a results folder
 *   unused.c    goldens that no case uses; old results
 *   misnamed.c  suites whose goldens lie under another name
 */
#include "base/file.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "golden/against.h"
#include "golden/case.h"
#include "golden/changed.h"
#include "golden/failure.h"
#include "golden/lock.h"
#include "golden/names.h"
#include "golden/scene_files.h"
#include "report/results.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a run is made of; cases see of it what is theirs (mrwi_golden_job). */
typedef struct run_plan {
    const mrw_case_list *cases;
    const mrw_test_def *def;
    mrwi_golden_drawer drawer;
    mrw_case *drawn; /* the cases as it has them */
    mrwi_golden_reference source;
    const mrw_session_host *host;
    const char **roots; /* results folder of each case */
    bool *left_out;     /* of each case; NULL: none */
    mrwi_golden_scenes *scenes;
    mrwi_golden_unused *unused;
    mrwi_golden_parts_kept *parts;
    mrwi_golden_clips *clips;
    mrw_results *results; /* a result for each case, and their memory */
} run_plan;

/* How far a run is, and what it says on the way. Cases come here from any thread. */
typedef struct progress {
    const mrw_test_def *def;
    atomic_bool stop;     /* start no case any more */
    atomic_bool bad;      /* a case has failed */
    pthread_mutex_t lock; /* of what follows, and while functions of def are called */
    size_t done;
    char told[1024];             /* the machine's warning before */
    mrwi_golden_failure failure; /* of the cases whose error ends the run, the first one's */
} progress;

/* Who runs the cases: one of several who take the next case each, or one alone who has all
 * threads. */
typedef struct crew {
    const run_plan *plan;
    mrwi_golden_workers *members;
    int size;
    progress *progress;
} crew;

mrw_test_def mrw_test_def_default(void)
{
    return (mrw_test_def){.against_seconds = 120.0, .threads = 1};
}

/* ---- results folders ------------------------------------------------------------------------- */

/* The results folder of a case: --out, or what is left of RESULTS/SUITE/CASE. */
static const char *root_of(const char *out, const mrw_case *c, mrw_results *memory)
{
    char root[4096];
    snprintf(root, sizeof root, "%s", out ? out : c->results);
    if (!out) {
        mrwi_base_cut_parts(root, 2);
    }
    size_t length = strlen(root);
    while (length > 1 && root[length - 1] == '/') {
        root[--length] = '\0';
    }
    return mrwi_report_text(memory, root);
}

/* Suites of one name may have different goldens, but not one results folder. */
static mrw_status check_folders(const mrw_case_list *cases, const char *const *roots,
                                mrw_error *error)
{
    const size_t count = cases->count;
    const char **folders = mrwi_base_alloc(count, sizeof *folders);
    mrwi_base_arena arena = {0};
    char safe[600];
    mrw_status status = folders ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *folders);
    for (size_t i = 0; i < count && status == MRW_OK; i++) {
        const mrw_case *c = &cases->items[i];
        folders[i] = mrwi_base_format(&arena, "%s/%s/%s", roots[i], c->suite, c->name);
        status = folders[i] ? MRW_OK : mrwi_base_fail_memory(error, 0);
    }
    if (status == MRW_OK) {
        qsort(folders, count, sizeof *folders, mrwi_base_compare_texts);
    }
    for (size_t i = 1; i < count && status == MRW_OK; i++) {
        if (strcmp(folders[i - 1], folders[i]) == 0) {
            status = mrwi_base_fail(error, MRW_ERROR_USAGE,
                                    "two cases would write their results to %s; run their suites "
                                    "with separate --out folders, or rename one case",
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
static mrw_status keep_apart(const mrw_case_list *cases, const char *root, mrw_error *error)
{
    char real_root[PATH_MAX], real[PATH_MAX], suite[PATH_MAX], golden[PATH_MAX];
    char before[PATH_MAX] = "", safe[600];
    if (!realpath(root, real_root)) {
        return MRW_OK; /* writing there says why */
    }
    for (size_t i = 0; i < cases->count; i++) {
        parent_of(cases->items[i].golden, suite); /* of GOLDEN/SUITE/CASE */
        parent_of(suite, golden);
        if (strcmp(suite, before) == 0) {
            continue;
        }
        if ((realpath(golden, real) && strcmp(real, real_root) == 0) ||
            (realpath(suite, real) && is_within(real_root, real))) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "%s: results must not go among the goldens; choose another "
                                  "folder for the results or for the goldens",
                                  mrwi_base_escape(root, safe, sizeof safe));
        }
        memcpy(before, suite, sizeof before);
    }
    return MRW_OK;
}

static mrw_status make_root(const mrw_case_list *cases, const char *root, mrw_error *error)
{
    char safe[600];
    bool made = false;
    mrw_status status = mrw_make_folder(root, &made, error);
    if (status == MRW_OK) {
        status = keep_apart(cases, root, error);
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
    return same ? mrwi_base_fail(error, MRW_ERROR_USAGE,
                                 "%s: this is also the folder of its goldens; results must not go "
                                 "among the goldens",
                                 mrwi_base_escape(results, safe, sizeof safe))
                : MRW_OK;
}

/* Before the results of the last run go. */
static mrw_status leave_out(run_plan *plan, mrw_error *error)
{
    const size_t count = plan->cases->count;
    bool *failed = mrwi_base_alloc(count, sizeof *failed);
    plan->left_out = mrwi_report_alloc(plan->results, count, sizeof *plan->left_out);
    mrw_status status = failed && plan->left_out ? MRW_OK : mrwi_base_fail_memory(error, 2 * count);
    if (status == MRW_OK) {
        status = mrwi_golden_failed_last(plan->cases, plan->def->out, failed, error);
    }
    if (status == MRW_OK) {
        const mrwi_golden_search search = {plan->cases,   plan->drawn, plan->def,
                                           &plan->source, failed,      plan->left_out};
        status = mrwi_golden_find_unchanged(&search, error);
    }
    mrwi_base_free(failed);
    return status;
}

/* From here on they are this run's alone. */
static mrw_status take_roots(const run_plan *plan, mrwi_golden_locks *locks, mrw_error *error)
{
    const mrw_case_list *cases = plan->cases;
    const bool none = cases->count == 0 && plan->def->out;
    const char *const *roots = none ? &plan->def->out : plan->roots;
    const size_t count = none ? 1 : cases->count;
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < count && status == MRW_OK; i++) {
        if (i == 0 || strcmp(roots[i - 1], roots[i]) != 0) {
            status = make_root(cases, roots[i], error);
        }
    }
    return status == MRW_OK ? mrwi_golden_lock_roots(locks, plan->def, roots, count, error)
                            : status;
}

static mrw_status clear_results(const run_plan *plan, mrw_error *error)
{
    const mrw_case_list *cases = plan->cases;
    const char *const *roots = plan->roots;
    mrw_status status = MRW_OK;
    if (cases->count == 0 && plan->def->out) {
        status = clear_root(plan->def->out, error);
    }
    for (size_t i = 0; i < cases->count && status == MRW_OK; i++) {
        const mrw_case *c = &cases->items[i];
        char folder[4096];
        if (i == 0 || strcmp(roots[i - 1], roots[i]) != 0) {
            status = clear_root(roots[i], error);
        }
        snprintf(folder, sizeof folder, "%s/%s/%s", roots[i], c->suite, c->name);
        if (status == MRW_OK) {
            status = refuse_same(folder, plan->drawn[i].golden, error);
        }
        if (status == MRW_OK) {
            status = mrwi_golden_remove_results(folder, error);
        }
    }
    return status;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static mrw_status begin_result(const run_plan *plan, const mrw_case *c, mrw_case_result *result,
                               mrw_error *error)
{
    mrw_results *memory = plan->results;
    const mrwi_golden_drawer *drawer = &plan->drawer;
    static const char *const modes[] = {"exact", "pixel", "perceptual"};
    const char **tags = mrwi_report_alloc(memory, c->tag_count, sizeof *tags);
    const char *reason = c->skip ? c->skip : c->xfail;
    *result = (mrw_case_result){
        .suite = mrwi_report_text(memory, c->suite),
        .name = mrwi_report_text(memory, c->name),
        .suite_file = mrwi_report_text(memory, c->suite_file),
        .line = c->line,
        .model = mrwi_report_text(memory, c->model),
        .golden = mrwi_report_text(memory, c->golden),
        .backend = drawer->backend ? mrwi_report_text(memory, drawer->backend) : NULL,
        .driver = drawer->driver,
        .outcome = MRW_SKIPPED,
        .message = "",
        .reason = reason ? mrwi_report_text(memory, reason) : NULL,
        .mode = modes[c->settings.compare.pictures.mode],
        .tags = tags,
        .tag_count = c->tag_count,
        .pixel_version = MRW_PIXEL_VERSION,
        .scene_hash = "",
        .golden_scene_hash = "",
    };
    bool made = result->suite && result->name && result->suite_file && result->model &&
                result->golden && tags && (!reason || result->reason) &&
                !drawer->backend == !result->backend;
    for (size_t t = 0; t < c->tag_count && made; t++) {
        tags[t] = mrwi_report_text(memory, c->tags[t]);
        made = tags[t];
    }
    return made ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

/* Makes a result of each case, and its results folders ready. */
static mrw_status begin(run_plan *plan, mrwi_golden_locks *locks, mrw_error *error)
{
    const mrw_case_list *cases = plan->cases;
    mrw_results *results = plan->results;
    results->cases = mrwi_report_alloc(results, cases->count, sizeof *results->cases);
    plan->roots = mrwi_report_alloc(results, cases->count, sizeof *plan->roots);
    plan->drawn = mrwi_report_alloc(results, cases->count, sizeof *plan->drawn);
    mrw_status status = results->cases && plan->roots && plan->drawn
                            ? MRW_OK
                            : mrwi_base_fail_memory(error, cases->count);
    results->case_count = cases->count;
    for (size_t i = 0; i < cases->count && status == MRW_OK; i++) {
        mrw_case *c = &plan->drawn[i];
        status = mrwi_golden_case_of(&cases->items[i], &plan->drawer,
                                     mrwi_report_results_arena(results), c, error);
        plan->roots[i] = root_of(plan->def->out, &cases->items[i], results);
        if (status == MRW_OK) {
            status = plan->roots[i] ? begin_result(plan, c, &results->cases[i], error)
                                    : mrwi_base_fail_memory(error, 0);
        }
    }
    if (status == MRW_OK) {
        status = check_folders(cases, plan->roots, error);
    }
    if (status == MRW_OK) {
        status = take_roots(plan, locks, error);
    }
    if (status == MRW_OK && plan->def->changed) {
        status = leave_out(plan, error);
    }
    return status == MRW_OK ? clear_results(plan, error) : status;
}

static mrw_status make_workers(const mrw_backend *backend, int count, mrwi_golden_workers *out,
                               mrw_error *error)
{
    mrw_status status = backend
                            ? mrw_crew_create(backend, 1, &out->drawing, error)
                            : mrw_crew_create(mrw_backend_software(), count, &out->drawing, error);
    if (status == MRW_OK) {
        status = mrw_crew_create(mrw_backend_none(), count, &out->posing, error);
    }
    if (status == MRW_OK) {
        out->count = count;
        out->items = mrwi_base_alloc_zero((size_t)count, sizeof *out->items);
        status = out->items ? MRW_OK : mrwi_base_fail_memory(error, 0);
    }
    return status;
}

static void free_workers(const mrwi_golden_workers *workers)
{
    for (int i = 0; workers->items && i < workers->count; i++) {
        mrw_image_free(&workers->items[i].expected);
        mrwi_base_free(workers->items[i].mask);
    }
    mrwi_base_free(workers->items);
    mrw_crew_free(workers->drawing);
    mrw_crew_free(workers->posing);
}

static bool is_left_out(const run_plan *plan, size_t index)
{
    return plan->left_out && plan->left_out[index];
}

/* With as many cases as threads each case has one; few cases get all threads, one after the other;
 * so do those that another backend draws. */
static mrw_status make_crew(const run_plan *plan, crew *out, mrw_error *error)
{
    const int threads = plan->def->threads > 1 ? plan->def->threads : 1;
    mrw_status status = MRW_OK;
    size_t work = 0;
    for (size_t i = 0; i < plan->cases->count; i++) {
        work += !plan->drawn[i].skip && !is_left_out(plan, i);
    }
    const bool apart = work >= (size_t)threads && !plan->def->backend;
    out->size = apart ? threads : 1;
    out->members = mrwi_base_alloc_zero((size_t)out->size, sizeof *out->members);
    if (!out->members) {
        return mrwi_base_fail_memory(error, 0);
    }
    for (int i = 0; i < out->size && status == MRW_OK; i++) {
        status = make_workers(plan->def->backend, apart ? 1 : threads, &out->members[i], error);
    }
    return status;
}

static void free_crew(crew *c)
{
    for (int i = 0; c->members && i < c->size; i++) {
        free_workers(&c->members[i]);
    }
    mrwi_base_free(c->members);
}

/* ---- what models have to say ----------------------------------------------------------------- */

static void pass_warning(void *user, const char *text)
{
    progress *p = user;
    pthread_mutex_lock(&p->lock);
    if (p->def->warning) {
        p->def->warning(p->def->user, text);
    }
    pthread_mutex_unlock(&p->lock);
}

/* Each import says it; once is enough. */
static void pass_machine_warning(void *user, const char *text)
{
    progress *p = user;
    pthread_mutex_lock(&p->lock);
    if (p->def->machine_warning && strncmp(text, p->told, sizeof p->told - 1) != 0) {
        snprintf(p->told, sizeof p->told, "%s", text);
        p->def->machine_warning(p->def->user, text);
    }
    pthread_mutex_unlock(&p->lock);
}

static void pass_file_opened(void *user, int fd)
{
    progress *p = user;
    pthread_mutex_lock(&p->lock);
    if (p->def->file_opened) {
        p->def->file_opened(p->def->user, fd);
    }
    pthread_mutex_unlock(&p->lock);
}

/* ---- running --------------------------------------------------------------------------------- */

static mrw_status report_progress(progress *p, const mrw_case_result *result, size_t count,
                                  mrw_error *error)
{
    pthread_mutex_lock(&p->lock);
    p->done++;
    mrw_status status = MRW_OK;
    if (p->def->progress) {
        status = p->def->progress(p->def->user, result, p->done, count, error);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* Whether a failed case keeps others from running. */
static bool has_failed_fast(progress *p)
{
    return p->def->fail_fast && atomic_load(&p->bad);
}

static mrw_status skip_case(const char *reason, bool failed_fast, mrw_case_result *result,
                            mrw_results *memory, mrw_error *error)
{
    char text[1200];
    snprintf(text, sizeof text, "%s", "not run: the run was stopped earlier");
    if (reason) {
        mrwi_base_escape(reason, text, sizeof text);
    } else if (failed_fast) {
        snprintf(text, sizeof text, "not run: another case failed earlier (--fail-fast)");
    }
    const char *message = mrwi_report_text(memory, text);
    if (message) {
        result->message = message;
    }
    return message ? MRW_OK : mrwi_base_fail_memory(error, sizeof text);
}

static void run_one(void *user, int64_t number, int worker)
{
    const crew *own = user;
    const run_plan *plan = own->plan;
    progress *p = own->progress;
    const size_t index = (size_t)number;
    mrwi_golden_scenes *scenes = plan->scenes;
    const mrwi_golden_job job = {.c = &plan->drawn[index],
                                 .root = plan->roots[index],
                                 .result = &plan->results->cases[index],
                                 .memory = plan->results,
                                 .def = plan->def,
                                 .source = &plan->source,
                                 .host = plan->host,
                                 .shared = &scenes->items[scenes->of_case[index]],
                                 .parts = plan->parts,
                                 .clips = plan->def->full ? plan->clips : NULL,
                                 .unused = plan->def->full ? plan->unused : NULL};
    const char *skip = job.c->skip;
    const bool left_out = is_left_out(plan, index);
    mrw_error error = {0};
    mrw_status status;
    if (left_out) { /* also when others have failed */
        job.result->outcome = MRW_LEFT_OUT;
        job.result->message = "left out: its inputs have not changed since its goldens were made";
        status = MRW_OK;
    } else if (atomic_load(&p->stop) || has_failed_fast(p) || skip) {
        status = skip_case(skip, has_failed_fast(p), job.result, job.memory, &error);
    } else {
        status = mrwi_golden_case_run(&job, &own->members[worker], &error);
        if (mrw_outcome_is_bad(job.result->outcome)) {
            atomic_store(&p->bad, true);
        }
    }
    mrwi_golden_scene_give(job.shared);
    if (status == MRW_OK && !atomic_load(&p->stop)) {
        status = report_progress(p, job.result, plan->cases->count, &error);
    }
    if (status != MRW_OK) {
        mrwi_golden_failure_note(&p->failure, index, status, &error);
        atomic_store(&p->stop, true);
    }
}

/* ---- results.json ---------------------------------------------------------------------------- */

static mrw_status write_root(const mrw_results *results, const char *const *roots, size_t first,
                             mrw_error *error)
{
    const size_t count = results->case_count;
    const char *root = roots[first];
    mrw_results part = *results;
    part.cases = mrwi_base_alloc(count, sizeof *part.cases);
    part.case_count = 0;
    part.folder = root;
    if (!part.cases) {
        return mrwi_base_fail_memory(error, count * sizeof *part.cases);
    }
    for (size_t i = first; i < count; i++) {
        if (strcmp(roots[i], root) == 0) {
            part.cases[part.case_count++] = results->cases[i];
        }
    }
    mrwi_report_results_count(&part);
    mrw_status status = mrw_results_write(&part, error);
    mrwi_base_free(part.cases);
    return status;
}

static bool is_first_of_root(const char *const *roots, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(roots[i], roots[index]) == 0) {
            return false;
        }
    }
    return true;
}

/* A path from the current folder in place of one below the root. */
static mrw_status lift(const char *root, const char **picture, mrw_results *memory,
                       mrw_error *error)
{
    char path[4096];
    if (!*picture) {
        return MRW_OK;
    }
    snprintf(path, sizeof path, "%s/%s", root, *picture);
    *picture = mrwi_report_text(memory, path);
    return *picture ? MRW_OK : mrwi_base_fail_memory(error, sizeof path);
}

static mrw_status lift_case(const char *root, mrw_case_result *result, mrw_results *memory,
                            mrw_error *error)
{
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < result->frame_count && status == MRW_OK; i++) {
        const char **pictures[3] = {&result->frames[i].expected, &result->frames[i].actual,
                                    &result->frames[i].diff};
        for (int k = 0; k < 3 && status == MRW_OK; k++) {
            status = lift(root, pictures[k], memory, error);
        }
    }
    return status;
}

/* Suites that left nothing. Not while cases run, which make these folders. */
static void remove_empty_folders(const mrw_case_list *cases, const char *const *roots)
{
    for (size_t i = 0; i < cases->count; i++) {
        char folder[4096];
        int length = snprintf(folder, sizeof folder, "%s/%s", roots[i], cases->items[i].suite);
        if (length < (int)sizeof folder) {
            rmdir(folder);
        }
    }
}

/* `out`: the results folder of --out, or NULL. */
static mrw_status write_results(mrw_results *results, const char *const *roots, const char *out,
                                mrw_error *error)
{
    const size_t count = results->case_count;
    size_t root_count = 0;
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < count && status == MRW_OK; i++) {
        if (is_first_of_root(roots, i)) {
            root_count++;
            status = write_root(results, roots, i, error);
        }
    }
    const char *root = root_count == 0 ? out : roots[0];
    results->folder = root_count > 1 || !root ? "." : mrwi_report_text(results, root);
    if (status == MRW_OK && !results->folder) {
        status = mrwi_base_fail_memory(error, 0);
    }
    if (status == MRW_OK && root_count == 0 && out) {
        status = mrw_results_write(results, error);
    }
    for (size_t i = 0; i < count && root_count > 1 && status == MRW_OK; i++) {
        status = lift_case(roots[i], &results->cases[i], results, error);
    }
    return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* What lives as long as the cases run. */
typedef struct work {
    progress progress;
    mrw_session_host host;
    mrwi_golden_scenes scenes;
    mrwi_golden_unused unused;
    mrwi_golden_clips clips;
    mrwi_golden_parts_kept parts;
    crew crew;
} work;

static mrw_status begin_work(run_plan *plan, work *w, mrw_error *error)
{
    *w = (work){.progress = {.def = plan->def},
                .host = {.user = &w->progress,
                         .warning = pass_warning,
                         .machine_warning = pass_machine_warning,
                         .file_opened = pass_file_opened},
                .unused = {.results = plan->results},
                .crew = {.plan = plan, .progress = &w->progress}};
    plan->host = &w->host;
    plan->scenes = &w->scenes;
    plan->unused = &w->unused;
    plan->parts = &w->parts;
    plan->clips = &w->clips;
    pthread_mutex_init(&w->clips.lock, NULL);
    mrwi_golden_parts_begin(&w->parts);
    pthread_mutex_init(&w->unused.lock, NULL);
    pthread_mutex_init(&w->progress.lock, NULL);
    mrwi_golden_failure_begin(&w->progress.failure);
    mrw_status status = mrwi_golden_scenes_make(plan->cases, plan->def->cache, plan->scenes, error);
    return status == MRW_OK ? make_crew(plan, &w->crew, error) : status;
}

/* From results in memory to results that are written. status: of what came before. */
static mrw_status end_work(const run_plan *plan, work *w, double start, mrw_status status,
                           mrw_error *error)
{
    mrw_results *results = plan->results;
    mrw_error why;
    free_crew(&w->crew);
    mrwi_golden_scenes_free(&w->scenes);
    mrwi_golden_parts_end(&w->parts);
    const mrw_status failed = mrwi_golden_failure_end(&w->progress.failure, &why);
    const bool whole = status == MRW_OK && failed == MRW_OK;
    if (whole && plan->def->full && !has_failed_fast(&w->progress)) {
        status = mrwi_golden_unused_finish(&w->unused, plan->cases, plan->def->prune, error);
    }
    if (whole && status == MRW_OK && plan->def->full && !has_failed_fast(&w->progress)) {
        status = mrwi_golden_clips_finish(&w->clips, results, error);
    }
    pthread_mutex_destroy(&w->clips.lock);
    if (whole && status == MRW_OK && plan->def->rename) {
        status = mrwi_golden_names_move_cases(plan->cases, error);
    }
    if (whole && status == MRW_OK && (plan->def->update != MRW_UPDATE_NONE || plan->def->prune)) {
        status = mrwi_golden_scene_files_sweep(plan->cases, error);
    }
    pthread_mutex_destroy(&w->progress.lock);
    pthread_mutex_destroy(&w->unused.lock);
    results->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    mrwi_report_results_count(results);
    if (status == MRW_OK) {
        remove_empty_folders(plan->cases, plan->roots);
        status = write_results(results, plan->roots, plan->def->out, error);
    }
    return failed == MRW_OK ? status : mrwi_base_fail(error, failed, "%s", why.text);
}

/* Who draws, as goldens and reports name it. */
static mrw_status name_drawer(const mrw_test_def *def, mrwi_golden_drawer *drawer,
                              mrw_results *results, mrw_error *error)
{
    char text[1400], safe[1200];
    if (!def->backend) {
        return MRW_OK;
    }
    mrwi_base_escape(def->driver, safe, sizeof safe);
    snprintf(text, sizeof text, "marrow test --backend %s (%s)", def->backend->name, safe);
    *drawer = (mrwi_golden_drawer){def->backend->name, mrwi_report_text(results, safe)};
    results->title = mrwi_report_text(results, text);
    return results->title && drawer->driver ? MRW_OK : mrwi_base_fail_memory(error, sizeof text);
}

mrw_status mrw_test_run(const mrw_case_list *cases, const mrw_test_def *def, mrw_results *out,
                        mrw_error *error)
{
    mrw_test_def own = *def;
    own.full = def->full && !def->changed; /* what is left out uses goldens, too */
    run_plan plan = {.cases = cases, .def = &own, .results = out};
    mrwi_golden_locks locks = {0};
    *out = (mrw_results){.shard_index = def->shard_count > 1 ? def->shard_index : 1,
                         .shard_count = def->shard_count > 1 ? def->shard_count : 1,
                         .title = "marrow test"};
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status != MRW_OK) {
        return status;
    }
    status = name_drawer(def, &plan.drawer, out, error);
    plan.source = mrwi_golden_source(&plan.drawer);
    if (status == MRW_OK && def->against) {
        own.full = own.prune = false;
        own.changed = own.rename = false;
        own.update = MRW_UPDATE_NONE;
        plan.source = mrwi_golden_against_source(&own);
        status = mrwi_golden_against_begin(&own, out, error);
    }
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    if (status == MRW_OK) {
        status = begin(&plan, &locks, error);
    }
    if (status == MRW_OK) {
        work w;
        status = begin_work(&plan, &w, error);
        if (status == MRW_OK) {
            mrwi_base_parallel_for(w.crew.size, (int64_t)cases->count, run_one, &w.crew);
        }
        status = end_work(&plan, &w, start, status, error);
    }
    mrwi_golden_unlock_roots(&locks);
    if (status != MRW_OK) {
        mrw_results_free(out);
    }
    return status;
}
