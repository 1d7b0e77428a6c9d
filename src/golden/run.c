/* run.c: runs all cases of a list: workers, results.json. The files of this room, in the order of
 * the flow:
 *
 *   choose.c           chooses the cases of a list that are to run
 *   changed_cases.c    finds those of them whose goldens were made of other inputs
 *   run.c              runs all of them: workers, results.json
 *   results_folders.c  makes, checks and clears the results folders
 *   lock.c             lets one run at a time use a results folder
 *   scenes.c           loads each model once for all cases
 *   run_case.c         runs one case: from its settings to its result; updates its goldens
 *   actual.c           computes golden texts as they would be now, and how models and suite changed
 *   pictures.c         lists and draws the pictures of a case, one or several at once
 *   frame.c            handles one frame: draws, masks and compares it, writes its files
 *
 *   expected.c         reads what a case is compared with
 *   store.c, lines.c   read and write goldens' text files, and their lines
 *   view.c, options.c, parts.c    read and compare cameras, the suite and models in golden.txt
 *   scene_files.c      keeps a model's parts in a file that all cases share
 *   against.c          lets another marrow draw what a case is compared with
 *   against_read.c     reads the output of another marrow
 *   promote.c          makes results goldens
 *   accept.c           makes results goldens afterwards, from a results folder
 *   unused_files.c     finds goldens that no case uses, and removes old results
 *   misnamed.c         finds suites whose goldens lie under another name
 *   opinion.c, opinion_report.c   compare what two backends draw of all cases
 */
#include "base/file.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "golden/against.h"
#include "golden/changed_cases.h"
#include "golden/failure.h"
#include "golden/links.h"
#include "golden/names.h"
#include "golden/results_folders.h"
#include "golden/run_case.h"
#include "golden/scene_files.h"
#include "report/results.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Inputs and shared members of a run. A case sees only its own part (mrwi_golden_job). */
typedef struct run_plan {
    const mrw_case_list *cases;
    const mrw_test_def *def;
    mrwi_golden_drawer drawer;
    mrw_case *drawn; /* The cases as the drawer has them */
    mrwi_golden_reference source;
    const mrw_session_host *host;
    const char **roots; /* Root of the results folder of each case */
    bool *left_out;     /* Per case: --changed leaves it out; NULL when none is. */
    mrwi_golden_scenes *scenes;
    mrwi_golden_unused *unused;
    mrwi_golden_parts_kept *parts;
    mrwi_golden_clips *clips;
    mrw_results *results; /* Result of each case, and their memory */
} run_plan;

/* Progress of a run, and its messages. Cases use it from any thread. */
typedef struct progress {
    const mrw_test_def *def;
    atomic_bool stop;     /* No further case is started. */
    atomic_bool bad;      /* A case has failed. */
    pthread_mutex_t lock; /* Guards the members below, and calls of functions of `def`. */
    size_t done;
    char told[1024];             /* Machine's previous warning */
    mrwi_golden_failure failure; /* Error that ends the run: that of the first such case */
} progress;

/* Members that run the cases: several that take the next case each, or one that has all threads. */
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

/* Finds the cases that --changed leaves out. It needs the results of the last run. */
static mrw_status find_left_out(const run_plan *plan, bool **out, mrw_error *error)
{
    const size_t count = plan->cases->count;
    bool *failed = mrwi_base_alloc(count, sizeof *failed);
    *out = mrwi_report_alloc(plan->results, count, sizeof **out);
    mrw_status status;
    if (!failed || !*out) {
        status = mrwi_base_fail_memory(error, 2 * count);
        goto out;
    }
    status = mrwi_golden_failed_last(plan->cases, plan->def->out, failed, error);
    if (status) {
        goto out;
    }
    const mrwi_golden_search search = {plan->cases,   plan->drawn, plan->def,
                                       &plan->source, failed,      *out};
    status = mrwi_golden_find_unchanged(&search, error);
out:
    mrwi_base_free(failed);
    return status;
}

/* Makes a result for each case, and prepares the results folders. */
static mrw_status begin(run_plan *plan, mrwi_golden_locks *locks, mrw_error *error)
{
    const mrw_case_list *cases = plan->cases;
    mrw_results *results = plan->results;
    results->cases = mrwi_report_alloc(results, cases->count, sizeof *results->cases);
    plan->roots = mrwi_report_alloc(results, cases->count, sizeof *plan->roots);
    plan->drawn = mrwi_report_alloc(results, cases->count, sizeof *plan->drawn);
    if (!results->cases || !plan->roots || !plan->drawn) {
        return mrwi_base_fail_memory(error, cases->count);
    }
    results->case_count = cases->count;
    mrw_status status;
    for (size_t i = 0; i < cases->count; i++) {
        mrw_case *c = &plan->drawn[i];
        status = mrwi_golden_case_of(&cases->items[i], &plan->drawer,
                                     mrwi_report_results_arena(results), c, error);
        if (status) {
            return status;
        }
        plan->roots[i] = mrwi_golden_results_root(plan->def->out, &cases->items[i], results);
        if (!plan->roots[i]) {
            return mrwi_base_fail_memory(error, 0);
        }
        status = begin_result(plan, c, &results->cases[i], error);
        if (status) {
            return status;
        }
    }
    status = mrwi_golden_results_take(cases, plan->def, plan->roots, locks, error);
    if (status) {
        return status;
    }
    if (plan->def->changed) { /* before the results of the last run are removed */
        status = find_left_out(plan, &plan->left_out, error);
        if (status) {
            return status;
        }
    }
    return mrwi_golden_results_clear(cases, plan->drawn, plan->def->out, plan->roots, error);
}

static mrw_status make_workers(const mrw_backend *backend, int count, mrwi_golden_workers *out,
                               mrw_error *error)
{
    mrw_status status = backend
                            ? mrw_crew_create(backend, 1, &out->drawing, error)
                            : mrw_crew_create(mrw_backend_software(), count, &out->drawing, error);
    if (status) {
        return status;
    }
    status = mrw_crew_create(mrw_backend_none(), count, &out->posing, error);
    if (status) {
        return status;
    }
    out->count = count;
    out->items = mrwi_base_alloc_zero((size_t)count, sizeof *out->items);
    return out->items ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

static bool is_left_out(const run_plan *plan, size_t index)
{
    return plan->left_out && plan->left_out[index];
}

/* Makes the crew. With at least as many cases as threads, each case has one thread. Fewer cases get
 * all threads, one after the other; so do cases that another backend draws. */
static mrw_status make_crew(const run_plan *plan, crew *out, mrw_error *error)
{
    const int threads = plan->def->threads > 1 ? plan->def->threads : 1;
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
    for (int i = 0; i < out->size; i++) {
        mrw_status status =
            make_workers(plan->def->backend, apart ? 1 : threads, &out->members[i], error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

static void free_crew(crew *c)
{
    for (int i = 0; c->members && i < c->size; i++) {
        const mrwi_golden_workers *workers = &c->members[i];
        for (int k = 0; workers->items && k < workers->count; k++) {
            mrw_image_free(&workers->items[k].expected);
            mrwi_base_free(workers->items[k].mask);
        }
        mrwi_base_free(workers->items);
        mrw_crew_free(workers->drawing);
        mrw_crew_free(workers->posing);
    }
    mrwi_base_free(c->members);
}

/* ---- warnings of models ---------------------------------------------------------------------- */

static void pass_warning(void *user, const char *text)
{
    progress *p = user;
    pthread_mutex_lock(&p->lock);
    if (p->def->warning) {
        p->def->warning(p->def->user, text);
    }
    pthread_mutex_unlock(&p->lock);
}

/* Passes a warning about the machine once, though each import gives it. */
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

/* Returns true when a failed case keeps others from running. */
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
    if (left_out) { /* even after another case has failed */
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
    if (!status && !atomic_load(&p->stop)) {
        pthread_mutex_lock(&p->lock);
        p->done++;
        if (p->def->progress) {
            status =
                p->def->progress(p->def->user, job.result, p->done, plan->cases->count, &error);
        }
        pthread_mutex_unlock(&p->lock);
    }
    if (status) {
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

/* Prefixes the paths of a case's pictures with its root, so they lead from the current folder. */
static mrw_status lift_pictures(const char *root, mrw_case_result *result, mrw_results *memory,
                                mrw_error *error)
{
    for (size_t i = 0; i < result->frame_count; i++) {
        const char **pictures[3] = {&result->frames[i].expected, &result->frames[i].actual,
                                    &result->frames[i].diff};
        for (int k = 0; k < 3; k++) {
            char path[4096];
            if (!*pictures[k]) {
                continue;
            }
            snprintf(path, sizeof path, "%s/%s", root, *pictures[k]);
            *pictures[k] = mrwi_report_text(memory, path);
            if (!*pictures[k]) {
                return mrwi_base_fail_memory(error, sizeof path);
            }
        }
    }
    return MRW_OK;
}

/* Removes the folders of suites without results. Running cases make these folders, so call it after
 * them. */
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

/* Writes results.json of each root. `out`: the results folder of --out, or NULL. */
static mrw_status write_results(mrw_results *results, const char *const *roots, const char *out,
                                mrw_error *error)
{
    const size_t count = results->case_count;
    size_t root_count = 0;
    mrw_status status;
    for (size_t i = 0; i < count; i++) {
        if (!is_first_of_root(roots, i)) {
            continue;
        }
        root_count++;
        status = write_root(results, roots, i, error);
        if (status) {
            return status;
        }
    }
    const char *root = root_count == 0 ? out : roots[0];
    results->folder = root_count > 1 || !root ? "." : mrwi_report_text(results, root);
    if (!results->folder) {
        return mrwi_base_fail_memory(error, 0);
    }
    if (root_count == 0 && out) {
        return mrw_results_write(results, error);
    }
    for (size_t i = 0; i < count && root_count > 1; i++) {
        status = lift_pictures(roots[i], &results->cases[i], results, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Data that lives as long as the cases run. */
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
    if (status) {
        return status;
    }
    return make_crew(plan, &w->crew, error);
}

/* Does what only a run without errors may do: lists unused goldens and clips, renames goldens, and
 * removes files of models. */
static mrw_status finish_goldens(const run_plan *plan, work *w, mrw_error *error)
{
    const mrw_test_def *def = plan->def;
    mrw_status status;
    if (def->full && !has_failed_fast(&w->progress)) {
        status = mrwi_golden_unused_finish(&w->unused, plan->cases, def->prune, error);
        if (status) {
            return status;
        }
        status = mrwi_golden_clips_finish(&w->clips, plan->results, error);
        if (status) {
            return status;
        }
    }
    if (def->rename) {
        status = mrwi_golden_names_move_cases(plan->cases, error);
        if (status) {
            return status;
        }
    }
    if (def->update != MRW_UPDATE_NONE || def->prune) {
        return mrwi_golden_scene_files_sweep(plan->cases, error);
    }
    return MRW_OK;
}

/* Frees what the cases used, and writes the results. `status` is that of begin_work. */
static mrw_status end_work(const run_plan *plan, work *w, double start, mrw_status status,
                           mrw_error *error)
{
    mrw_results *results = plan->results;
    mrw_error why;
    free_crew(&w->crew);
    mrwi_golden_scenes_free(&w->scenes);
    mrwi_golden_parts_end(&w->parts);
    const mrw_status failed = mrwi_golden_failure_end(&w->progress.failure, &why);
    if (!status && !failed) {
        status = finish_goldens(plan, w, error);
    }
    pthread_mutex_destroy(&w->clips.lock);
    pthread_mutex_destroy(&w->progress.lock);
    pthread_mutex_destroy(&w->unused.lock);
    results->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    mrwi_report_results_count(results);
    if (!status) {
        remove_empty_folders(plan->cases, plan->roots);
        status = write_results(results, plan->roots, plan->def->out, error);
    }
    return failed ? mrwi_base_fail(error, failed, "%s", why.text) : status;
}

/* Names the drawer as goldens and reports do. */
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
    own.full = def->full && !def->changed; /* cases that are left out use goldens, too */
    run_plan plan = {.cases = cases, .def = &own, .results = out};
    mrwi_golden_locks locks = {0};
    *out = (mrw_results){.shard_index = def->shard_count > 1 ? def->shard_index : 1,
                         .shard_count = def->shard_count > 1 ? def->shard_count : 1,
                         .title = "marrow test"};
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status) {
        return status;
    }
    status = name_drawer(def, &plan.drawer, out, error);
    if (status) {
        goto out;
    }
    status = mrwi_golden_refuse_links(cases, def->out, error);
    if (status) {
        goto out;
    }
    plan.source = mrwi_golden_source(&plan.drawer);
    if (def->against) {
        own.full = own.prune = false;
        own.changed = own.rename = false;
        own.update = MRW_UPDATE_NONE;
        plan.source = mrwi_golden_against_source(&own);
        status = mrwi_golden_against_begin(&own, out, error);
        if (status) {
            goto out;
        }
    }
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    status = begin(&plan, &locks, error);
    if (status) {
        goto out;
    }
    work w;
    status = begin_work(&plan, &w, error);
    if (!status) {
        mrwi_base_parallel_for(w.crew.size, (int64_t)cases->count, run_one, &w.crew);
    }
    status = end_work(&plan, &w, start, status, error);
out:
    mrwi_golden_unlock_roots(&locks);
    if (status) {
        mrw_results_free(out);
    }
    return status;
}
