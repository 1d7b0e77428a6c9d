/* render.c: `marrow render`: models to PNG files, animations, sheets. */
#include "render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const mrw_plan_kinds render_kinds = {.pictures = true};

/* ---- drawing --------------------------------------------------------------------------------- */

static mrw_status receive(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    cli_job *j = user;
    const uint32_t i = frame->index, same_as = frame->same_as;
    if (j->passes.plan) {
        const mrw_status status = mrw_pass_files_put(&j->passes, frame, error);
        j->repeats += status == MRW_OK && i != same_as;
        cli_progress_step();
        return status;
    }
    if (j->hashes && i == same_as) {
        mrw_image_hash(frame->image, j->hashes[i]);
    } else if (j->hashes) {
        memcpy(j->hashes[i], j->hashes[same_as], sizeof *j->hashes);
    }
    mrw_status status = MRW_OK;
    if (j->own_sprites && j->pivot != MRW_NONE) {
        status = mrw_plan_sprites_put_pivot(j->own_sprites, j->pivot, frame, error);
    }
    if (status == MRW_OK) {
        status = mrw_output_put(j->output, frame->worker, j->first + i, j->first + same_as,
                                frame->image, error);
    }
    if (status == MRW_OK) {
        j->repeats += i != same_as;
        cli_progress_step();
    }
    return status;
}

static mrw_status count_mode(void *unused, const mrw_sequence_frame *frame, mrw_error *error)
{
    (void)unused, (void)frame, (void)error;
    cli_progress_step();
    return MRW_OK;
}

static mrw_status draw_all(cli_job *j, mrw_error *error)
{
    const mrw_session_sink sink = {
        .user = j, .put = receive, .go_on = cli_go_on, .host = &cli_host};
    mrw_crew *crew = NULL;
    cli_signals_hold();
    cli_progress_begin(j->settings->run.quiet ? 0
                                              : (uint64_t)j->plan.pictures.count *
                                                    (1 + mrw_plan_passes_modes(&j->plan.passes)),
                       "frame");
    const mrw_backend *backend;
    mrw_status status = cli_backend(j->settings, &backend, error);
    if (!mrw_plan_passes_show_picture(&j->plan.passes)) {
        backend = mrw_backend_none();
    }
    if (cli_backend_driver()) {
        cli_detail("drawn with %s", cli_backend_driver());
    }
    if (status == MRW_OK) { /* a device has one queue */
        status = mrw_crew_create(backend, j->settings->run.backend == 1 ? 1 : j->session.threads,
                                 &crew, error);
    }
    if (status == MRW_OK) {
        status = mrw_session_perform(&j->session, j->plan.pictures.items, j->plan.pictures.count,
                                     crew, &sink, error);
    }
    if (status == MRW_OK && j->passes.plan) {
        const mrw_session_sink modes = {.put = count_mode, .go_on = cli_go_on};
        status = mrw_pass_files_draw_modes(&j->passes, &j->session, &modes, error);
    }
    mrw_crew_free(crew);
    cli_progress_end();
    cli_backend_tell();
    return status == MRW_OK ? cli_check_signal(error) : status;
}

/* ---- one model ------------------------------------------------------------------------------- */

static mrw_rate lowest_terms(mrw_rate rate)
{
    uint32_t a = rate.num, b = rate.den;
    while (b > 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return (mrw_rate){rate.num / a, rate.den / a};
}

/* Of a file to which several models go the rate is that of the first one in it. */
static mrw_status make_rates(cli_job *jobs, uint32_t count, mrw_rate **out, mrw_error *error)
{
    const uint32_t files = jobs[0].plan.files.count;
    const mrw_output_files *all = &jobs[0].plan.files;
    mrw_picture *pictures = calloc((size_t)all->picture_count + 1, sizeof *pictures);
    *out = calloc((size_t)files + 1, sizeof **out);
    mrw_status status = pictures && *out ? MRW_OK : cli_fail_memory(error);
    for (uint32_t f = 0; f < files && status == MRW_OK; f++) {
        uint32_t found = 0;
        for (uint32_t j = 0; j < count && found == 0; j++) {
            for (uint32_t i = 0; i < jobs[j].plan.pictures.count; i++) {
                if (all->of[jobs[j].first + i] == f) {
                    pictures[found++] = jobs[j].plan.pictures.items[i];
                }
            }
            if (found > 0) {
                (*out)[f] = lowest_terms(mrw_plan_rate(jobs[j].model, pictures, found));
            }
        }
    }
    free(pictures);
    return status;
}

/* What a sprite sheet of `count` jobs is to be; the first job has what it is told of pictures. */
static mrw_status make_sprites(cli_job *jobs, uint32_t count, mrw_sprites_def *out,
                               mrw_error *error)
{
    const mrw_settings *settings = jobs[0].settings;
    mrw_plan_sprites *sprites = &jobs[0].sprites;
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        status = mrw_plan_sprites_add(sprites, jobs[i].model, &jobs[i].plan, count > 1, error);
    }
    if (status == MRW_OK) {
        status = mrw_plan_sprites_name(sprites, error);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        jobs[i].own_sprites = sprites->items + jobs[i].first;
        status = mrw_plan_sprites_find_pivot(jobs[i].model, &jobs[i].pivot, error);
    }
    *out = (mrw_sprites_def){.labels = sprites->items,
                             .json_paths = (const char *const *)jobs[0].plan.atlases.paths,
                             .numbered = settings->output.atlas_numbers,
                             .godot = settings->output.atlas_format == 1,
                             .loops = settings->animation.loop,
                             .page_size = settings->output.page_size,
                             .power_of_two = settings->output.power_of_two,
                             .extrude = settings->output.extrude,
                             .bleed = settings->output.bleed,
                             .trim = (mrw_sprite_trim)settings->output.trim};
    return status;
}

/* Lays out the sheets of `count` jobs. */
static mrw_status lay_out_sheets(cli_job *jobs, uint32_t count, mrw_error *error)
{
    const mrw_settings *settings = jobs[0].settings;
    mrw_plan_layout_source *sources =
        settings->output.sheet > 0 ? calloc(count, sizeof *sources) : NULL;
    if (settings->output.sheet == 0) {
        return MRW_OK;
    }
    for (uint32_t i = 0; i < count && sources; i++) {
        sources[i] = (mrw_plan_layout_source){&jobs[i].plan, &jobs[0].plan.files, jobs[i].first};
    }
    const mrw_status status =
        sources ? mrw_plan_layout_make(settings, sources, count, &jobs[0].layout, error)
                : cli_fail_memory(error);
    free(sources);
    return status;
}

/* Labels the sheets of `count` jobs, and hands over their layout. */
static mrw_status prepare_sheet(cli_job *jobs, uint32_t count, mrw_output_def *out,
                                mrw_error *error)
{
    const mrw_settings *settings = jobs[0].settings;
    cli_job *first = &jobs[0];
    bool labels = settings->output.labels;
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < count; i++) {
        labels = labels || jobs[i].failure;
    }
    if (settings->output.sheet > 0) {
        out->columns = first->layout.columns;
        out->cells = first->layout.cells;
    }
    for (uint32_t i = 0; i < count && status == MRW_OK && labels; i++) {
        status = jobs[i].failure ? mrw_plan_labels_add_note(&first->labels, jobs[i].model->path,
                                                            jobs[i].failure, error)
                                 : mrw_plan_labels_add(&first->labels, jobs[i].model, &jobs[i].plan,
                                                       count > 1, error);
    }
    if (!settings->output.labels) {
        mrw_plan_labels_keep_notes(&first->labels);
    }
    out->labels = first->labels.items;
    return status;
}

/* The first job that has pictures; else the first one. */
static cli_job *find_drawn(cli_job *jobs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!jobs[i].failure) {
            return &jobs[i];
        }
    }
    return &jobs[0];
}

static bool is_deep(const mrw_output_info *info, uint32_t unused)
{
    (void)unused;
    return info->deep;
}

static mrw_status refuse_deep(mrw_error *error)
{
    mrw_text list = {0};
    mrw_output_endings(is_deep, 0, &list);
    const mrw_status status =
        list.failed ? cli_fail_memory(error)
                    : mrw_fail(error, MRW_ERROR_USAGE,
                               "--bits 16: only %s can have 16 bits per channel; use -o NAME.png",
                               list.data);
    mrw_text_free(&list);
    return status;
}

/* Of the pictures of `count` jobs, whose files are those of the first. */
static mrw_status open_output(cli_job *jobs, uint32_t count, mrw_error *error)
{
    cli_job *j = &jobs[0], *drawn = find_drawn(jobs, count);
    const mrw_frame_def *frame = &drawn->session.frame;
    const mrw_settings *settings = j->settings;
    mrw_output_def def = {.format = j->plan.format,
                          .files = &j->plan.files,
                          .width = frame->width,
                          .height = frame->height,
                          .channels = frame->transparent ? 4 : 3,
                          .png = {(mrw_png_effort)settings->output.png, settings->run.isa},
                          .workers = drawn->session.threads,
                          .columns = settings->output.sheet,
                          .gap = settings->output.gap,
                          .stream = STDOUT_FILENO,
                          .quality = settings->output.quality,
                          .has_matte = settings->output.has_matte,
                          .dither = settings->output.dither};
    if (j->plan.passes.count > 0) {
        mrw_status begun =
            mrw_pass_files_begin(settings, &j->plan, &drawn->session.frame, &j->passes, error);
        if (begun != MRW_OK || j->plan.format == MRW_OUTPUT_PNG) {
            return begun;
        }
    }
    if (frame->bits == 16 && !mrw_output_describe(j->plan.format)->deep) {
        return refuse_deep(error);
    }
    mrw_status status = MRW_OK;
    if (mrw_output_describe(j->plan.format)->animates) {
        status = make_rates(jobs, count, &j->rates, error);
    }
    if (j->plan.format == MRW_OUTPUT_SPRITES) {
        status = make_sprites(jobs, count, &def.sprites, error);
    }
    def.rates = j->rates;
    if (status == MRW_OK) {
        status = prepare_sheet(jobs, count, &def, error);
    }
    memcpy(def.matte, settings->output.matte, sizeof def.matte);
    if (!frame->transparent) {
        memcpy(def.background, frame->background, sizeof def.background);
    }
    status = status == MRW_OK ? mrw_output_open(&def, &j->output, error) : status;
    j->passes.output = j->output;
    const uint64_t left_out = status == MRW_OK ? mrw_output_left_out(j->output) : 0;
    if (left_out > 0) {
        cli_say("%s: a GIF plays at most 50 pictures per second; %llu of %u are left out",
                j->model->name, (unsigned long long)left_out, j->plan.files.picture_count);
    }
    return status;
}

/* Opens what the pictures of `count` jobs go to. */
static mrw_status prepare_files(cli_job *jobs, uint32_t count, mrw_error *error)
{
    const mrw_settings *settings = jobs[0].settings;
    mrw_status status = open_output(jobs, count, error);
    if (status == MRW_OK) {
        status = mrw_output_files_prepare(&jobs[0].plan.files,
                                          settings->output.path || settings->output.force, error);
    }
    const mrw_output_files *atlases = &jobs[0].plan.atlases;
    const bool overwrite = settings->command != MRW_COMMAND_SPRITES || settings->output.path ||
                           settings->output.force; /* render's --atlas is always chosen */
    if (status == MRW_OK) {
        status = mrw_output_files_prepare(atlases, overwrite, error);
    }
    for (uint32_t i = 0;
         i < atlases->count && settings->output.atlas_format == 1 && status == MRW_OK; i++) {
        char path[MRW_OUTPUT_PATH_SIZE], *paths[] = {path};
        const mrw_output_files one = {.paths = paths, .count = 1};
        mrw_output_godot_path(atlases->paths[i], path, sizeof path);
        status = mrw_output_files_prepare(&one, overwrite, error);
    }
    return status;
}

static mrw_status prepare(cli_job *j, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (mrw_output_describe(j->plan.format)->in_order) {
        j->session.frame.every = true;
        j->session.frame.ahead = 2 * (uint32_t)j->session.threads;
    }
    if (j->settings->output.json && !j->passes.plan) {
        j->hashes = calloc((size_t)j->plan.pictures.count + 1, sizeof *j->hashes);
        status = j->hashes ? MRW_OK : cli_fail_memory(error);
    }
    if (status == MRW_OK) {
        /* what the cache holds may be wanted again by the next model */
        j->session.fewest_levels = (!j->session.cache || j->settings->arguments.count == 1) &&
                                   mrw_plan_passes_modes(&j->plan.passes) == 0;
        status = mrw_session_prepare(&j->session, &cli_host, error);
    }
    if (status == MRW_OK && j->passes.plan) {
        status = mrw_pass_files_look(&j->passes, &j->session, error);
    }
    if (status == MRW_OK) { /* it has loaded what is added */
        status = cli_check_opened(j->settings, &j->plan.files, error);
    }
    if (status == MRW_OK) {
        mrw_isa isa = j->session.frame.isa == MRW_ISA_AUTO ? mrw_isa_best() : j->session.frame.isa;
        char reason[128];
        cli_detail("kernels %s, %d thread%s (%s), pixel version %d", mrw_isa_name(isa),
                   j->session.threads, j->session.threads == 1 ? "" : "s",
                   j->settings->run.threads > 0 ? "as requested"
                                                : cli_thread_reason(reason, sizeof reason),
                   MRW_PIXEL_VERSION);
    }
    return status;
}

/* Pictures of nothing are no error, but nobody wants them unknowingly. */
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
    cli_warn(text);
}

/* Of other programs that make files. */
static void tell_lines(const cli_job *j)
{
    for (uint32_t f = 0; j->output && f < j->plan.files.count; f++) {
        mrw_text line = {0};
        mrw_output_line(j->output, f, &line);
        if (line.size > 0 && !line.failed) {
            cli_detail("runs %s", line.data);
        }
        mrw_text_free(&line);
    }
}

/* Fills the cell of a model that could not be read. The note of its label says why. */
static mrw_status put_failure(cli_job *j, mrw_error *error)
{
    const mrw_frame_def *frame = &j->settings->picture;
    mrw_image image = {0};
    const mrw_status made =
        mrw_image_create(frame->width, frame->height, frame->transparent ? 4 : 3, &image, error);
    if (made != MRW_OK) {
        return made;
    }
    for (size_t i = 0; i < (size_t)image.width * image.height && !frame->transparent; i++) {
        memcpy(image.pixels + i * image.channels, frame->background, image.channels);
    }
    const mrw_status status = mrw_output_put(j->output, 0, j->first, j->first, &image, error);
    mrw_image_free(&image);
    return status;
}

/* Draws the pictures of one model. */
static mrw_status draw_model(cli_job *j, mrw_error *error)
{
    if (j->failure) {
        return put_failure(j, error);
    }
    mrw_status status = prepare(j, error);
    if (status == MRW_OK) {
        warn_when_empty(j->model);
        status = draw_all(j, error);
        cli_signals_release();
    }
    return status;
}

/* Draws `count` models, whose files are those of the first. */
static mrw_status work(cli_job *jobs, uint32_t count, mrw_error *error)
{
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    cli_job *first = &jobs[0];
    mrw_bytes bytes = {0};
    uint32_t pictures = 0;
    mrw_status status = prepare_files(jobs, count, error);
    if (status == MRW_OK) {
        tell_lines(first);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        jobs[i].output = first->output;
        cli_answer_about(jobs[i].model->path);
        status = draw_model(&jobs[i], error);
        pictures += jobs[i].plan.pictures.count;
        if (count > 1) {
            mrw_session_free(&jobs[i].session);
            first->repeats += i > 0 ? jobs[i].repeats : 0;
        }
    }
    if (status == MRW_OK && first->output) {
        status = mrw_output_finish(first->output, &bytes, error);
    } else if (status == MRW_OK) {
        bytes = first->passes.stdout_bytes;
        first->passes.stdout_bytes = (mrw_bytes){0};
    }
    cli_note_written(&first->plan.files); /* some of them, where it failed */
    cli_note_written(&first->plan.atlases);
    if (status == MRW_OK && bytes.size > 0) {
        status = cli_write_stdout(bytes.data, bytes.size, error);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK && first->settings->output.json; i++) {
        status = jobs[i].failure ? MRW_OK : cli_job_print_json(&jobs[i], error);
    }
    mrw_bytes_free(&bytes);
    if (status == MRW_OK) {
        cli_job_summarize(first, pictures, mrw_clock_seconds(MRW_CLOCK_WALL) - start);
        cli_job_tell_leftovers(first);
    }
    return status;
}

/* ---- several models -------------------------------------------------------------------------- */

/* A model on its way, and where it is from. */
typedef struct source {
    const mrw_scene *scene;
    mrw_settings settings; /* borrows the lists of those given */
    mrw_session_model model;
} source;

/* cache: where models come from, or NULL. */
static mrw_status begin_job(const mrw_settings *settings, const cli_drawing *how, const char *path,
                            const mrw_plan_before *before, mrw_session_cache *cache, source *from,
                            cli_job *out, mrw_error *error)
{
    *out = (cli_job){.how = how, .settings = &from->settings, .model = &from->model};
    from->settings = *settings;
    mrw_status status =
        mrw_session_cache_load(cache, path, settings, &cli_host, &from->scene, error);
    const mrw_status damage = cli_check_written(path, error); /* which it may have failed for */
    status = damage != MRW_OK ? damage : status;
    if (status == MRW_OK) {
        if (how->suit) {
            how->suit(from->scene, &from->settings);
        }
        status = mrw_session_model_init(path, from->scene, &from->settings, &from->model, error);
    }
    if (status == MRW_OK) {
        status = mrw_plan_make(&from->model, how->kinds, before, &out->plan, error);
    }
    if (status == MRW_OK) {
        status = cli_check_plan(settings, &out->plan, error);
    }
    if (status == MRW_OK) {
        status = mrw_session_begin(&out->session, &from->model, out->plan.sequence, error);
        out->session.cache = cache;
    }
    return status;
}

static void free_job(cli_job *j)
{
    mrw_output_free(j->output);
    mrw_pass_files_free(&j->passes);
    free(j->rates);
    mrw_plan_labels_free(&j->labels);
    mrw_plan_sprites_free(&j->sprites);
    free(j->hashes);
    free(j->failure);
    mrw_plan_layout_free(&j->layout);
    mrw_session_free(&j->session);
    mrw_plan_free(&j->plan);
}

/* Returns true if a sheet of several models can say in a cell that one of them cannot be read. */
static bool shows_failures(const mrw_settings *settings, uint32_t count)
{
    mrw_output_format format;
    uint32_t fields = 0;
    const char *path = settings->output.path;
    return count > 1 && mrw_plan_format(settings, &format, NULL) == MRW_OK &&
           format == MRW_OUTPUT_SHEET &&
           (mrw_output_is_stdout(path) ||
            (mrw_template_check(path, &fields, NULL) == MRW_OK && fields == 0));
}

/* Replaces the pictures of a model that cannot be read by one that is never drawn. */
static mrw_status begin_failure(cli_job *j, const char *path, const mrw_error *why,
                                mrw_error *error)
{
    const bool headed = j->settings->output.labels; /* the heading names the model */
    const char *reason = headed && strncmp(why->text, path, strlen(path)) == 0
                             ? why->text + strlen(path)
                             : why->text;
    const mrw_output_names names = {.path = j->settings->output.path,
                                    .ending = ".png",
                                    .model = "",
                                    .collected = true,
                                    .clip_count = 1,
                                    .most_frames = 1,
                                    .view_count = 1};
    const mrw_output_picture picture = {.clip = MRW_NONE, .clip_name = "", .view_name = ""};
    mrw_plan_free(&j->plan);
    mrw_session_free(&j->session);
    reason += strspn(reason, ": ");
    j->failure = strdup(reason);
    j->plan.format = MRW_OUTPUT_SHEET;
    j->plan.pictures = (mrw_picture_list){.items = calloc(1, sizeof(mrw_picture)),
                                          .count = 1,
                                          .clip_count = 1,
                                          .most_frames = 1,
                                          .view_count = 1};
    if (!j->failure || !j->plan.pictures.items) {
        return cli_fail_memory(error);
    }
    j->plan.pictures.items[0].clip = MRW_NONE;
    return mrw_output_files_make(&names, &picture, 1, &j->plan.files, error);
}

/* Begins the jobs of models that share files. *failed: that of a model which a cell tells of. */
static mrw_status begin_jobs(const mrw_settings *settings, const cli_drawing *how,
                             const char *const *paths, uint32_t count, mrw_session_cache *cache,
                             source *sources, cli_job *jobs, mrw_status *failed, mrw_error *error)
{
    const bool shown = shows_failures(settings, count);
    mrw_plan_before before = how->before;
    uint32_t failures = 0;
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        cli_answer_about(paths[i]);
        status = begin_job(settings, how, paths[i], &before, cache, &sources[i], &jobs[i], error);
        before.pictures += status == MRW_OK ? jobs[i].plan.planned : 0;
        const bool told = cli_exit_status(status) == CLI_INPUT ||
                          (cli_exit_status(status) == CLI_IMPOSSIBLE && status != MRW_ERROR_MEMORY);
        if (shown && told && failures + 1 < count) {
            const mrw_error why = *error;
            cli_complain(&why);
            *failed = *failed == MRW_OK ? status : *failed;
            failures++;
            sources[i].model.path = paths[i];
            status = begin_failure(&jobs[i], paths[i], &why, error);
        }
        if (status == MRW_OK && i > 0) {
            jobs[i].first = jobs[0].plan.files.picture_count;
            status = mrw_output_files_append(&jobs[0].plan.files, &jobs[i].plan.files, error);
            if (status == MRW_OK && settings->output.atlas) {
                status =
                    mrw_output_files_append(&jobs[0].plan.atlases, &jobs[i].plan.atlases, error);
            }
        }
    }
    return status;
}

/* Draws models whose pictures go to the same files: one, or all. *pictures: how many are planned,
 * over all shards, if a model can be read. *failed: see begin_jobs. */
static mrw_status draw_models(const mrw_settings *settings, const cli_drawing *how,
                              const char *const *paths, uint32_t count, mrw_session_cache *cache,
                              uint64_t *pictures, mrw_status *failed, mrw_error *error)
{
    cli_job *jobs = calloc(count, sizeof *jobs);
    source *sources = calloc(count, sizeof *sources);
    mrw_status status = jobs && sources ? MRW_OK : cli_fail_memory(error);
    if (status == MRW_OK) {
        status = begin_jobs(settings, how, paths, count, cache, sources, jobs, failed, error);
    }
    if (status == MRW_OK && settings->output.atlas) {
        status = mrw_plan_check_atlases(&jobs[0].plan, error);
    }
    if (status == MRW_OK) {
        status = lay_out_sheets(jobs, count, error);
    }
    for (uint32_t i = 0; i < count && jobs; i++) {
        *pictures += jobs[i].plan.planned;
    }
    for (uint32_t i = 0; i < count && status == MRW_OK && settings->output.dry_run; i++) {
        status = jobs[i].failure         ? MRW_OK
                 : settings->output.json ? cli_job_print_json(&jobs[i], error)
                                         : cli_job_print_plan(&jobs[i], error);
    }
    if (status == MRW_OK && !settings->output.dry_run) {
        status = work(jobs, count, error);
    }
    for (uint32_t i = 0; i < count && jobs && sources; i++) {
        jobs[i].output = i > 0 ? NULL : jobs[i].output; /* all have that of the first */
        free_job(&jobs[i]);
        mrw_session_model_free(&sources[i].model);
        mrw_session_cache_release(cache, sources[i].scene);
    }
    free(jobs);
    free(sources);
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

int cli_draw(const mrw_settings *settings, const cli_drawing *drawing)
{
    mrw_error error;
    int result = CLI_DONE;
    mrw_session_cache *cache = NULL;
    cli_drawing own = *drawing, *how = &own;
    mrw_status status = mrw_plan_check(settings, how->kinds, &error);
    if (status == MRW_OK && cli_answers_to_stdout() &&
        mrw_output_is_stdout(settings->output.path)) {
        status = mrw_fail(
            &error, MRW_ERROR_USAGE,
            "--json and -o - would both write to standard output; give --json=FILE, or -o a name");
    }
    if (status == MRW_OK && settings->model.added.count > 0) {
        status = mrw_session_cache_create(&cache, &error);
    }
    if (status != MRW_OK) {
        cli_complain(&error);
        return cli_exit_status(status);
    }
    const size_t each = mrw_plan_shares_files(settings) ? settings->arguments.count : 1;
    for (size_t i = 0; i < settings->arguments.count; i += each) {
        mrw_status failed = MRW_OK;
        const char *const *paths = settings->arguments.items + i;
        const bool sharded = settings->run.shard_count > 1 && strcmp(paths[0], "-") != 0;
        mrw_plan_before count =
            sharded ? mrw_plan_count(paths[0], settings) : (mrw_plan_before){0, 0};
        status = MRW_OK;
        if (count.times > 0 && !has_share(&settings->run, how->before.times, count.times)) {
            char safe[300];
            cli_say("%s: no pictures in this shard", mrw_escape_text(paths[0], safe, sizeof safe));
        } else {
            uint64_t planned = 0;
            status =
                draw_models(settings, how, paths, (uint32_t)each, cache, &planned, &failed, &error);
            count.pictures = sharded ? count.pictures : planned;
        }
        how->before.times += count.times;
        how->before.pictures += count.pictures;
        if (status == MRW_OK) {
            result = result == CLI_DONE ? cli_exit_status(failed) : result;
            continue;
        }
        cli_complain(&error);
        result = result == CLI_DONE ? cli_exit_status(failed != MRW_OK ? failed : status) : result;
        if (status == MRW_ERROR_CANCELLED || status == MRW_ERROR_USAGE) {
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
