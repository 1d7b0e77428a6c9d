/* render.c: `marrow render`: models to PNG files, animations, sheets. */
#include "render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const mrw_plan_kinds render_kinds = {.pictures = true};

/* ---- drawing --------------------------------------------------------------------------------- */

/* Takes a drawn picture: hashes it for --json and hands it to its file. */
static mrw_status receive(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    cli_job *j = user;
    const uint32_t i = frame->index, same_as = frame->same_as;
    if (j->hashes && i == same_as) {
        mrw_image_hash(frame->image, j->hashes[i]);
    } else if (j->hashes) {
        memcpy(j->hashes[i], j->hashes[same_as], sizeof *j->hashes);
    }
    const mrw_status status = mrw_plan_output_put(j->files, j->index, frame, error);
    if (status) {
        return status;
    }
    j->repeats += i != same_as;
    host_progress_step();
    return MRW_OK;
}

static mrw_status count_mode(void *unused, const mrw_sequence_frame *frame, mrw_error *error)
{
    (void)unused, (void)frame, (void)error;
    host_progress_step();
    return MRW_OK;
}

/* ---- one model ------------------------------------------------------------------------------- */

static mrw_status prepare(cli_job *j, mrw_error *error)
{
    mrw_session *session = &j->session;
    if (mrw_output_describe(j->plan.format)->in_order) {
        session->frame.every = true;
        session->frame.ahead = 2 * (uint32_t)session->threads;
    }
    if (j->settings->output.json && !j->files->passes.plan) {
        j->hashes = calloc((size_t)j->plan.pictures.count + 1, sizeof *j->hashes);
        if (!j->hashes) {
            return host_fail_memory(error);
        }
    }
    /* the next model may need all levels of a texture in the cache */
    session->fewest_levels = (!session->cache || j->settings->arguments.count == 1) &&
                             mrw_plan_passes_modes(&j->plan.passes) == 0;
    mrw_status status = mrw_session_prepare(session, &host_callbacks, error);
    if (status) {
        return status;
    }
    if (j->files->passes.plan) {
        status = mrw_pass_files_look(&j->files->passes, session, error);
        if (status) {
            return status;
        }
    }
    /* after preparing, which loads the models of --add */
    status = host_check_opened(j->settings, &j->plan.files, error);
    if (status) {
        return status;
    }
    const mrw_isa isa = session->frame.isa == MRW_ISA_AUTO ? mrw_isa_best() : session->frame.isa;
    char reason[128];
    host_detail("kernels %s, %d thread%s (%s), pixel version %d", mrw_isa_name(isa),
                session->threads, session->threads == 1 ? "" : "s",
                j->settings->run.threads > 0 ? "as requested"
                                             : host_thread_reason(reason, sizeof reason),
                MRW_PIXEL_VERSION);
    return MRW_OK;
}

/* Warns if a scene has no triangles: its pictures are not an error, but rarely wanted. */
static void warn_when_empty(const mrw_session_model *model)
{
    char text[700];
    for (uint32_t d = 0; d < model->scene->draws_count; d++) {
        if (model->scene->meshes[model->scene->draws[d].mesh].triangle_count > 0) {
            return;
        }
    }
    snprintf(text, sizeof text,
             "%.500s: there are no triangles; pictures show only the background%s", model->path,
             model->scene->clips_count > 0 ? " (to play its clips on a model: MODEL --anim THIS)"
                                           : "");
    host_warn(text);
}

/* Opens the files of all jobs, and says how their pictures get there. */
static mrw_status open_files(cli_job *jobs, uint32_t count, mrw_error *error)
{
    const cli_job *first = &jobs[0];
    const mrw_output_files *files = &first->plan.files;
    mrw_plan_output *out = first->files;
    uint32_t drawn = 0;
    while (drawn + 1 < count && jobs[drawn].failure) {
        drawn++;
    }
    mrw_status status = mrw_plan_output_open(out, &jobs[drawn].session, error);
    if (status) {
        return status;
    }
    const uint64_t left_out = out->output ? mrw_output_left_out(out->output) : 0;
    if (left_out > 0) {
        host_say("%s: a GIF plays at most 50 pictures per second; %llu of %u are left out",
                 first->model->name, (unsigned long long)left_out, files->picture_count);
    }
    status = mrw_plan_prepare_files(first->settings, &first->plan, error);
    if (status) {
        return status;
    }
    for (uint32_t f = 0; out->output && f < files->count; f++) {
        mrw_text line = {0};
        mrw_output_line(out->output, f, &line); /* empty unless a program makes the file */
        if (line.size > 0 && !line.failed) {
            host_detail("runs %s", line.data);
        }
        mrw_text_free(&line);
    }
    return MRW_OK;
}

/* Draws all pictures of a model, and its passes that shading modes draw. Signals are held
 * meanwhile.
 */
static mrw_status draw_model(cli_job *j, mrw_error *error)
{
    const mrw_session_sink sink = {
        .user = j, .put = receive, .go_on = host_go_on, .host = &host_callbacks};
    const mrw_session_sink modes = {.put = count_mode, .go_on = host_go_on};
    const uint32_t draws = 1 + mrw_plan_passes_modes(&j->plan.passes); /* per picture */
    const uint64_t total = (uint64_t)j->plan.pictures.count * draws;
    const mrw_backend *backend;
    mrw_crew *crew = NULL;
    mrw_status status = prepare(j, error);
    if (status) {
        return status;
    }
    warn_when_empty(j->model);
    host_signals_hold();
    host_progress_begin(j->settings->run.quiet ? 0 : total, "frame");
    status = host_backend(j->settings, &backend, error);
    if (host_backend_driver()) {
        host_detail("drawn with %s", host_backend_driver());
    }
    if (status) {
        goto out;
    }
    if (!mrw_plan_passes_show_picture(&j->plan.passes)) {
        backend = mrw_backend_none();
    }
    /* one worker for OpenGL, since a device has one queue */
    status = mrw_crew_create(backend, j->settings->run.backend == 1 ? 1 : j->session.threads, &crew,
                             error);
    if (status) {
        goto out;
    }
    status = mrw_session_perform(&j->session, j->plan.pictures.items, j->plan.pictures.count, crew,
                                 &sink, error);
    if (!status && j->files->passes.plan) {
        status = mrw_pass_files_draw_modes(&j->files->passes, &j->session, &modes, error);
    }
out:
    mrw_crew_free(crew);
    host_progress_end();
    host_backend_tell();
    if (!status) {
        status = host_check_signal(error);
    }
    host_signals_release();
    return status;
}

/* Draws `count` models one after the other to the files of all, and says so. */
static mrw_status work(cli_job *jobs, uint32_t count, mrw_error *error)
{
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    cli_job *first = &jobs[0];
    mrw_bytes bytes = {0};
    uint32_t pictures = 0;
    mrw_status status = open_files(jobs, count, error);
    for (uint32_t i = 0; i < count && !status; i++) {
        host_answer_about(jobs[i].model->path);
        status = jobs[i].failure ? mrw_plan_output_put_note(first->files, i, error)
                                 : draw_model(&jobs[i], error);
        pictures += jobs[i].plan.pictures.count;
        if (count > 1) {
            mrw_session_free(&jobs[i].session);
            first->repeats += i > 0 ? jobs[i].repeats : 0;
        }
    }
    if (!status) {
        status = mrw_plan_output_finish(first->files, &bytes, error);
    }
    host_note_written(&first->plan.files); /* some of them after a failure */
    host_note_written(&first->plan.atlases);
    if (status) {
        goto out;
    }
    if (bytes.size > 0) {
        status = host_write_stdout(bytes.data, bytes.size, error);
        if (status) {
            goto out;
        }
    }
    for (uint32_t i = 0; i < count && first->settings->output.json; i++) {
        status = jobs[i].failure ? MRW_OK : cli_job_print_json(&jobs[i], error);
        if (status) {
            goto out;
        }
    }
    cli_job_summarize(first, pictures, mrw_clock_seconds(MRW_CLOCK_WALL) - start);
out:
    mrw_bytes_free(&bytes);
    return status;
}

/* ---- several models -------------------------------------------------------------------------- */

/* A model of a job, with settings of its own. */
typedef struct source {
    const mrw_scene *scene;
    mrw_settings settings; /* borrows the lists of those given */
    mrw_session_model model;
} source;

/* Begins the job of a model. cache: the source of models, or NULL. */
static mrw_status begin_job(const mrw_settings *settings, const cli_drawing *how, const char *path,
                            const mrw_plan_before *before, mrw_session_cache *cache, source *from,
                            cli_job *out, mrw_error *error)
{
    out->settings = &from->settings;
    out->model = &from->model;
    from->settings = *settings;
    mrw_status status =
        mrw_session_cache_load(cache, path, settings, &host_callbacks, &from->scene, error);
    /* also after a failure, whose cause may be that this command has written the file */
    const mrw_status damage = host_check_written(path, error);
    if (damage || status) {
        return damage ? damage : status;
    }
    if (how->suit) {
        how->suit(from->scene, &from->settings);
    }
    status = mrw_session_model_init(path, from->scene, &from->settings, &from->model, error);
    if (status) {
        return status;
    }
    status = mrw_plan_make(&from->model, how->kinds, before, &out->plan, error);
    if (status) {
        return status;
    }
    status = host_check_plan(settings, &out->plan, error);
    if (status) {
        return status;
    }
    status = mrw_plan_share(&from->settings, before, &out->plan, error);
    if (status) {
        return status;
    }
    status = mrw_session_begin(&out->session, &from->model, out->plan.sequence, error);
    out->session.cache = cache;
    return status;
}

static void free_job(cli_job *j)
{
    free(j->hashes);
    free(j->failure);
    mrw_session_free(&j->session);
    mrw_plan_free(&j->plan);
}

/* Returns true if a sheet of several models can say in a cell that one of them cannot be read. */
static bool shows_failures(const mrw_settings *settings, uint32_t count)
{
    mrw_output_format format;
    uint32_t fields = 0;
    const char *path = settings->output.path;
    return count > 1 && !mrw_plan_format(settings, &format, NULL) && format == MRW_OUTPUT_SHEET &&
           (mrw_output_is_stdout(path) ||
            (!mrw_template_check(path, &fields, NULL) && fields == 0));
}

/* Replaces the pictures of a model that cannot be read by one that is never drawn. */
static mrw_status begin_failure(cli_job *j, const char *path, const mrw_error *why,
                                mrw_error *error)
{
    const bool headed = j->settings->output.labels; /* the heading names the model */
    const char *reason = headed && strncmp(why->text, path, strlen(path)) == 0
                             ? why->text + strlen(path)
                             : why->text;
    mrw_plan_free(&j->plan);
    mrw_session_free(&j->session);
    reason += strspn(reason, ": ");
    j->failure = strdup(reason);
    return j->failure ? mrw_plan_make_note(j->settings, &j->plan, error) : host_fail_memory(error);
}

/* Begins the jobs of models that share files. *failed receives the error of a model that a cell
 * shows. */
static mrw_status begin_jobs(const mrw_settings *settings, const cli_drawing *how,
                             const char *const *paths, uint32_t count, mrw_session_cache *cache,
                             source *sources, cli_job *jobs, mrw_status *failed, mrw_error *error)
{
    const bool shown = shows_failures(settings, count);
    mrw_plan_before before = how->before;
    mrw_plan *all = &jobs[0].plan; /* its files are those of all jobs */
    uint32_t failures = 0;
    for (uint32_t i = 0; i < count; i++) {
        host_answer_about(paths[i]);
        mrw_status status =
            begin_job(settings, how, paths[i], &before, cache, &sources[i], &jobs[i], error);
        before.pictures += status ? 0 : jobs[i].plan.planned;
        const int result = host_exit_status(status);
        const bool told =
            result == HOST_INPUT || (result == HOST_IMPOSSIBLE && status != MRW_ERROR_MEMORY);
        if (shown && told && failures + 1 < count) {
            const mrw_error why = *error;
            host_complain(&why);
            *failed = *failed ? *failed : status;
            failures++;
            sources[i].model.path = paths[i];
            status = begin_failure(&jobs[i], paths[i], &why, error);
        }
        if (status) {
            return status;
        }
        if (i == 0) {
            continue;
        }
        jobs[i].first = all->files.picture_count;
        status = mrw_output_files_append(&all->files, &jobs[i].plan.files, error);
        if (!status && settings->output.atlas) {
            status = mrw_output_files_append(&all->atlases, &jobs[i].plan.atlases, error);
        }
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Prints what would be drawn. */
static mrw_status print_plans(const cli_job *jobs, uint32_t count, mrw_error *error)
{
    const bool as_json = jobs[0].settings->output.json;
    for (uint32_t i = 0; i < count; i++) {
        const mrw_status status = jobs[i].failure ? MRW_OK
                                  : as_json       ? cli_job_print_json(&jobs[i], error)
                                                  : cli_job_print_plan(&jobs[i], error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Draws models whose pictures go to the same files: one, or all. *pictures receives how many are
 * planned, over all shards, if a model can be read. *failed: see begin_jobs. */
static mrw_status draw_models(const mrw_settings *settings, const cli_drawing *how,
                              const char *const *paths, uint32_t count, mrw_session_cache *cache,
                              uint64_t *pictures, mrw_status *failed, mrw_error *error)
{
    cli_job *jobs = calloc(count, sizeof *jobs);
    source *sources = calloc(count, sizeof *sources);
    mrw_plan_part *parts = calloc(count, sizeof *parts);
    mrw_plan_output files = {0};
    mrw_status status;
    if (!jobs || !sources || !parts) {
        status = host_fail_memory(error);
        goto out;
    }
    status = begin_jobs(settings, how, paths, count, cache, sources, jobs, failed, error);
    for (uint32_t i = 0; i < count; i++) {
        *pictures += jobs[i].plan.planned;
    }
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = (mrw_plan_part){jobs[i].model, &jobs[i].plan, jobs[i].first, jobs[i].failure};
        jobs[i].files = &files;
        jobs[i].index = i;
    }
    status = mrw_plan_output_begin(jobs[0].settings, parts, count, &files, error);
    if (status) {
        goto out;
    }
    status = settings->output.dry_run ? print_plans(jobs, count, error) : work(jobs, count, error);
out:
    mrw_plan_output_free(&files);
    for (uint32_t i = 0; i < count && jobs && sources; i++) {
        free_job(&jobs[i]);
        mrw_session_model_free(&sources[i].model);
        mrw_session_cache_release(cache, sources[i].scene);
    }
    free(jobs);
    free(sources);
    free(parts);
    return status;
}

/* Returns true if this shard draws some of the `count` times that follow the first `before` ones.
 */
static bool has_share(const mrw_run_settings *run, uint64_t before, uint64_t count)
{
    const uint64_t skip =
        (run->shard_index - 1 + run->shard_count - before % run->shard_count) % run->shard_count;
    return skip < count;
}

/* Checks the options before a model is read, and creates the cache of --add. */
static mrw_status begin(const mrw_settings *settings, const mrw_plan_kinds *kinds,
                        mrw_session_cache **cache, mrw_error *error)
{
    const mrw_status status = mrw_plan_check(settings, kinds, error);
    if (status) {
        return status;
    }
    const bool to_stdout = mrw_output_is_stdout(settings->output.path);
    if (to_stdout && isatty(STDOUT_FILENO) && !settings->output.dry_run) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "-o - would write a picture to the terminal; redirect it to a file");
    }
    if (to_stdout && host_answers_to_stdout()) {
        return mrw_fail(
            error, MRW_ERROR_USAGE,
            "--json and -o - would both write to standard output; give --json=FILE, or -o a name");
    }
    /* Sessions of these settings keep the fewest levels, and each scene has one session. */
    const bool one_session = settings->model.added.count == 0 || settings->arguments.count == 1;
    host_callbacks.later_jpegs =
        one_session && settings->passes.count == 0 && !settings->output.dry_run;
    return settings->model.added.count > 0 ? mrw_session_cache_create(cache, error) : MRW_OK;
}

int cli_draw(const mrw_settings *settings, const cli_drawing *drawing)
{
    mrw_error error;
    int result = HOST_DONE;
    mrw_session_cache *cache = NULL;
    cli_drawing how = *drawing;
    mrw_status status = begin(settings, how.kinds, &cache, &error);
    if (status) {
        host_complain(&error);
        return host_exit_status(status);
    }
    const size_t each = mrw_plan_shares_files(settings) ? settings->arguments.count : 1;
    for (size_t i = 0; i < settings->arguments.count; i += each) {
        mrw_status failed = MRW_OK;
        const char *const *paths = settings->arguments.items + i;
        const bool sharded = settings->run.shard_count > 1 && strcmp(paths[0], "-") != 0;
        mrw_plan_before count =
            sharded ? mrw_plan_count(paths[0], settings) : (mrw_plan_before){0, 0};
        if (count.times > 0 && !has_share(&settings->run, how.before.times, count.times)) {
            char safe[300];
            host_say("%s: no pictures in this shard", mrw_escape_text(paths[0], safe, sizeof safe));
            status = MRW_OK;
        } else {
            uint64_t planned = 0;
            status = draw_models(settings, &how, paths, (uint32_t)each, cache, &planned, &failed,
                                 &error);
            count.pictures = sharded ? count.pictures : planned;
        }
        how.before.times += count.times;
        how.before.pictures += count.pictures;
        if (status) {
            host_complain(&error);
        }
        if (result == HOST_DONE) {
            result = host_exit_status(failed ? failed : status);
        }
        if (status == MRW_ERROR_CANCELLED || status == MRW_ERROR_USAGE || host_signal() != 0) {
            break;
        }
    }
    mrw_session_cache_free(cache);
    return result;
}

int cli_render(const mrw_settings *settings)
{
    const cli_drawing how = {.kinds = &render_kinds};
    return cli_draw(settings, &how);
}
