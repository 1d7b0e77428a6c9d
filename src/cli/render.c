/* render.c: `marrow render`: models to PNG files, animations, sheets. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_output_kinds render_kinds = {.endings = {".png", ".jpg", ".jpeg", ".tga", ".bmp",
                                                          ".qoi", ".pam", ".apng", ".gif", ".webp",
                                                          ".mp4", ".webm", ".mov"}};

/* One model on its way to files. */
typedef struct job {
    const cli_drawing *how;
    const mrw_settings *settings; /* its model's own */
    const mrw_session_model *model;
    cli_plan plan;
    mrw_session session;
    mrw_output *output; /* of pictures; NULL where there are passes */
    uint32_t first;     /* place of its first picture in the output, which several may share */
    cli_pass_files passes;
    mrw_rate *rates;                /* of animations, one a file */
    cli_labels labels;              /* of sheets */
    cli_sprites sprites;            /* of sprite sheets: of all jobs */
    mrw_output_sprite *own_sprites; /* those of this one's pictures */
    uint32_t pivot;                 /* a node, or MRW_NONE */
    uint8_t (*hashes)[32];          /* one a picture, with --json */
    _Atomic uint32_t repeats;       /* pictures that were drawn for another one already */
} job;

/* ---- drawing --------------------------------------------------------------------------------- */

static mrw_status receive(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    job *j = user;
    const uint32_t i = frame->index, same_as = frame->same_as;
    if (j->passes.plan) {
        const mrw_status status = cli_pass_files_put(&j->passes, frame, error);
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
        status = cli_sprites_put_pivot(j->own_sprites, j->pivot, frame, error);
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

static mrw_status draw_all(job *j, mrw_error *error)
{
    const mrw_session_sink sink = {
        .user = j, .put = receive, .go_on = cli_go_on, .host = &cli_host};
    mrw_crew *crew = NULL;
    cli_signals_hold();
    cli_progress_begin(j->settings->run.quiet ? 0
                                              : (uint64_t)j->plan.pictures.count *
                                                    (1 + cli_passes_modes(&j->plan.passes)),
                       "frame");
    const mrw_backend *backend;
    mrw_status status = cli_backend(j->settings, &backend, error);
    if (!cli_passes_show_picture(&j->plan.passes)) {
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
        status = cli_pass_files_draw_modes(&j->passes, &j->session, error);
    }
    mrw_crew_free(crew);
    cli_progress_end();
    cli_backend_tell();
    return status == MRW_OK ? cli_check_signal(error) : status;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* null: a camera of the file, or --eye. */
static void put_azimuth(const mrw_session_view *view, mrw_json *json)
{
    if (view->scene_camera != MRW_NONE || view->view.has_eye) {
        mrw_json_null(json);
    } else {
        mrw_json_double(json, (double)view->view.azimuth_degrees);
    }
}

static void picture_json(const job *j, uint32_t i, mrw_json *json)
{
    const mrw_picture *picture = &j->plan.pictures.items[i];
    mrw_json_open(json, '{');
    if (!j->plan.passes.each) {
        char name[MRW_OUTPUT_PATH_SIZE];
        const char *path = j->plan.files.paths[j->plan.files.of[i]];
        const bool paged = j->plan.format == MRW_OUTPUT_SPRITES && j->output &&
                           mrw_output_page_path(path, mrw_output_page_of(j->output, j->first + i),
                                                name, sizeof name, NULL) == MRW_OK;
        mrw_json_key(json, "file");
        mrw_json_string(json, paged ? name : path);
    }
    mrw_json_key(json, "clip");
    mrw_json_string(
        json, picture->clip == MRW_NONE ? NULL : mrw_session_clip_name(j->model, picture->clip));
    mrw_json_key(json, "view");
    mrw_json_string(json, j->plan.views[picture->view].name);
    if (j->plan.views[picture->view].direction) {
        mrw_json_key(json, "dir");
        mrw_json_string(json, j->plan.views[picture->view].direction);
    }
    mrw_json_key(json, "azimuth");
    put_azimuth(&j->plan.views[picture->view], json);
    mrw_json_key(json, "frame");
    mrw_json_uint(json, picture->frame);
    mrw_json_key(json, "time");
    mrw_json_double(json, picture->time);
    if (j->hashes) {
        char text[65];
        for (int k = 0; k < 32; k++) {
            snprintf(text + 2 * k, 3, "%02x", j->hashes[i][k]);
        }
        mrw_json_key(json, "pixel_hash");
        mrw_json_string(json, text);
    }
    if (j->plan.passes.count > 0) {
        cli_pass_files_json(j->passes.plan ? &j->passes : NULL, &j->plan, i, json);
    }
    mrw_json_close(json, '}');
}

/* One object: what was drawn, or would be. */
static mrw_status print_json(const job *j, mrw_error *error)
{
    mrw_json json = {0};
    char hash[65];
    mrw_scene_hash_text(j->model->scene, hash);
    mrw_json_open(&json, '{');
    mrw_json_key(&json, "schema");
    mrw_json_uint(&json, 1);
    mrw_json_key(&json, "model");
    mrw_json_string(&json, j->model->path);
    mrw_json_key(&json, "pixel_version");
    mrw_json_uint(&json, MRW_PIXEL_VERSION);
    mrw_json_key(&json, "scene_hash");
    mrw_json_string(&json, hash);
    mrw_json_key(&json, "scene_formula");
    mrw_json_uint(&json, MRW_SCENE_FORMULA);
    mrw_json_key(&json, "width");
    mrw_json_uint(&json, j->settings->picture.width);
    mrw_json_key(&json, "height");
    mrw_json_uint(&json, j->settings->picture.height);
    if (cli_backend_driver()) {
        mrw_json_key(&json, "gl_driver");
        mrw_json_string(&json, cli_backend_driver());
    }
    mrw_json_key(&json, "written");
    mrw_json_bool(&json, !j->settings->output.dry_run);
    if (j->passes.plan) {
        mrw_json_key(&json, "legend");
        cli_legend_json(&j->session, &json);
    }
    mrw_json_key(&json, "pictures");
    mrw_json_open(&json, '[');
    for (uint32_t i = 0; i < j->plan.pictures.count; i++) {
        picture_json(j, i, &json);
    }
    mrw_json_close(&json, ']');
    mrw_json_close(&json, '}');
    mrw_json_line(&json);
    mrw_status status = cli_answer(&json.text, error);
    mrw_text_free(&json.text);
    return status;
}

/* For --dry-run: one line a file of a picture: file, clip, frame, time, view where there are
 * several. */
static mrw_status print_plan(const job *j, mrw_error *error)
{
    mrw_text text = {0};
    const uint32_t each = cli_passes_files(&j->plan.passes);
    for (uint32_t i = 0; i < j->plan.pictures.count * each; i++) {
        const mrw_picture *picture = &j->plan.pictures.items[i / each];
        mrw_text_escaped(&text, j->plan.files.paths[j->plan.files.of[i]]);
        mrw_text_add(&text, "\t");
        mrw_text_escaped(&text, mrw_session_clip_name(j->model, picture->clip));
        mrw_text_add(&text, "\tframe %llu\t", (unsigned long long)picture->frame);
        mrw_text_double(&text, picture->time);
        mrw_text_add(&text, " s");
        if (j->plan.view_count > 1) {
            mrw_text_add(&text, "\t");
            mrw_text_escaped(&text, j->plan.views[picture->view].name);
        }
        mrw_text_add(&text, "\n");
    }
    mrw_status status = cli_print(&text, error);
    mrw_text_free(&text);
    return status;
}

/* "24 per second", "24000/1001 per second". */
static void put_rate(mrw_rate rate, mrw_text *out)
{
    mrw_text_add(out, "%u", rate.num);
    if (rate.den != 1) {
        mrw_text_add(out, "/%u", rate.den);
    }
    mrw_text_add(out, " per second");
}

/* "clip Walk: ", or "3 clips: ". Nothing if the pictures are of a pose. */
static void put_clips(const job *j, mrw_text *out)
{
    const mrw_picture_list *list = &j->plan.pictures;
    uint32_t changes = 0;
    for (uint32_t i = 1; i < list->count; i++) {
        const mrw_picture *picture = &list->items[i];
        changes += picture->clip != picture[-1].clip && picture->view == list->items[0].view;
    }
    if (changes > 0) {
        mrw_text_add(out, "%u clips: ", changes + 1);
    } else if (list->count > 0 && list->items[0].clip != MRW_NONE) {
        mrw_text_add(out, "clip ");
        mrw_text_escaped(out, mrw_session_clip_name(j->model, list->items[0].clip));
        mrw_text_add(out, ": ");
    }
}

/* "60 pictures, 512x512", "3 passes of 60 pictures, 512x512", or "60 pictures of 64x64 in a sheet
 * of 684x412". */
static void put_what(const job *j, uint32_t count, mrw_text *out)
{
    const mrw_output_info *info = mrw_output_describe(j->plan.format);
    const mrw_frame_def *frame = &j->settings->picture;
    const uint32_t files = j->plan.files.count;
    uint32_t width, height;
    if (j->plan.passes.count > 0) {
        mrw_text_add(out, "%u pass%s of ", j->plan.passes.count,
                     j->plan.passes.count == 1 ? "" : "es");
    }
    mrw_text_add(out, "%u %s%s%ux%u", count, count == 1 ? "picture" : "pictures",
                 info->collects ? " of " : ", ", frame->width, frame->height);
    if (j->plan.format == MRW_OUTPUT_SHEET && files == 1) {
        mrw_output_size(j->output, 0, &width, &height);
        mrw_text_add(out, " in a sheet of %ux%u", width, height);
    } else if (j->plan.format == MRW_OUTPUT_SPRITES && files == 1) {
        const uint32_t pages = mrw_output_pages(j->output, 0);
        mrw_output_size(j->output, 0, &width, &height);
        if (pages > 1) {
            mrw_text_add(out, " in a sprite sheet of %u pages", pages);
        } else {
            mrw_text_add(out, " in a sprite sheet of %ux%u", width, height);
        }
    } else if (j->plan.format == MRW_OUTPUT_SPRITES) {
        mrw_text_add(out, " in %u sprite sheets", files);
    } else if (j->plan.format == MRW_OUTPUT_SHEET) {
        mrw_text_add(out, " in %u sheets", files);
    } else if (info->streams) {
        mrw_text_add(out, " in a stream, ");
        put_rate(j->rates[0], out);
    } else if (info->collects) {
        mrw_text_add(out, files == 1 ? " in an animation" : " in %u animations", files);
    }
}

static void tell_written(const job *j, const char *path, uint32_t page)
{
    char name[MRW_OUTPUT_PATH_SIZE], safe[300];
    const bool paged = j->plan.format == MRW_OUTPUT_SPRITES &&
                       mrw_output_page_path(path, page, name, sizeof name, NULL) == MRW_OK;
    cli_detail("wrote %s", mrw_escape_text(paged ? name : path, safe, sizeof safe));
}

/* count: of all pictures in the files. */
static void summarize(const job *j, uint32_t count, double seconds)
{
    const mrw_output_files *files = &j->plan.files;
    char time[32], pace[64], first[300], last[300];
    mrw_text what = {0};
    if (count == 0) {
        cli_say("%s: no pictures in this shard", j->model->name);
        return;
    }
    put_clips(j, &what);
    put_what(j, count, &what);
    mrw_format_fixed(seconds, 2, time);
    mrw_escape_text(mrw_output_is_stdout(files->paths[0]) ? "standard output" : files->paths[0],
                    first, sizeof first);
    mrw_escape_text(files->paths[files->count - 1], last, sizeof last);
    cli_say("%s, to %s%s%s in %s s (%s)", what.failed ? "pictures" : what.data, first,
            files->count > 1 ? " ... " : "", files->count > 1 ? last : "", time,
            cli_pace(count, seconds, "picture", pace));
    mrw_text_free(&what);
    if (j->repeats > 0) {
        cli_detail("%u of the pictures are identical to others, and were not drawn again",
                   j->repeats);
    }
    for (uint32_t f = 0; f < files->count; f++) {
        const uint32_t pages = j->output ? mrw_output_pages(j->output, f) : 1;
        for (uint32_t p = 0; p < pages; p++) {
            tell_written(j, files->paths[f], p);
        }
        for (uint32_t p = 0; p < pages && f < j->plan.atlases.count; p++) {
            tell_written(j, j->plan.atlases.paths[f], p);
        }
    }
}

/* ---- one model ------------------------------------------------------------------------------- */

mrw_rate cli_animation_rate(const mrw_session_model *model, const mrw_picture *pictures,
                            uint32_t count)
{
    const mrw_settings *settings = model->settings;
    mrw_rate rate = mrw_session_clip_rate(model, pictures[0].clip);
    const mrw_rate speed = settings->animation.speed;
    const double duration =
        mrw_session_clip_duration(model, pictures[0].clip) * (double)speed.den / (double)speed.num;
    const uint64_t step = count > 1 ? pictures[1].frame - pictures[0].frame : 1;
    /* of a clip: a file may have several, and a picture of each */
    const uint32_t spans = settings->animation.count - (settings->animation.loop ? 0 : 1);
    if (settings->animation.count > 1 && !mrw_settings_given(settings, "fps") && duration > 0.0) {
        double rounded = (double)spans * 1000.0 / duration + 0.5;
        return (mrw_rate){rounded < 1.0 ? 1 : rounded > 60000.0 ? 60000 : (uint32_t)rounded, 1000};
    }
    for (uint32_t i = 1; i < count; i++) {
        if (pictures[i].frame - pictures[i - 1].frame != step ||
            pictures[i].clip != pictures[0].clip) {
            return rate;
        }
    }
    if (step > 1 && step < 1000) {
        rate.den *= (uint32_t)step;
    }
    return rate;
}

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
static mrw_status make_rates(job *jobs, uint32_t count, mrw_rate **out, mrw_error *error)
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
                (*out)[f] = lowest_terms(cli_animation_rate(jobs[j].model, pictures, found));
            }
        }
    }
    free(pictures);
    return status;
}

/* What a sprite sheet of `count` jobs is to be; the first job has what it is told of pictures. */
static mrw_status make_sprites(job *jobs, uint32_t count, mrw_sprites_def *out, mrw_error *error)
{
    const mrw_settings *settings = jobs[0].settings;
    cli_sprites *sprites = &jobs[0].sprites;
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        status = cli_sprites_add(sprites, jobs[i].model, &jobs[i].plan, count > 1, error);
    }
    if (status == MRW_OK) {
        status = cli_sprites_name(sprites, error);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        jobs[i].own_sprites = sprites->items + jobs[i].first;
        status = cli_sprites_find_pivot(jobs[i].model, &jobs[i].pivot, error);
    }
    *out = (mrw_sprites_def){.labels = sprites->items,
                             .json_paths = (const char *const *)jobs[0].plan.atlases.paths,
                             .numbered = settings->output.atlas_numbers,
                             .page_size = settings->output.page_size,
                             .power_of_two = settings->output.power_of_two,
                             .extrude = settings->output.extrude,
                             .bleed = settings->output.bleed,
                             .trim = (mrw_sprite_trim)settings->output.trim};
    return status;
}

/* Of the pictures of `count` jobs, whose files are those of the first. */
static mrw_status open_output(job *jobs, uint32_t count, mrw_error *error)
{
    job *j = &jobs[0];
    const mrw_frame_def *frame = &j->session.frame;
    const mrw_settings *settings = j->settings;
    mrw_output_def def = {.format = j->plan.format,
                          .files = &j->plan.files,
                          .width = frame->width,
                          .height = frame->height,
                          .channels = frame->transparent ? 4 : 3,
                          .png = {(mrw_png_effort)settings->output.png, settings->run.isa},
                          .workers = j->session.threads,
                          .columns = settings->output.sheet,
                          .gap = settings->output.gap,
                          .stream = STDOUT_FILENO,
                          .quality = settings->output.quality,
                          .has_matte = settings->output.has_matte,
                          .dither = settings->output.dither};
    if (j->plan.passes.count > 0) {
        mrw_status begun =
            cli_pass_files_begin(settings, &j->plan, &j->session.frame, &j->passes, error);
        if (begun != MRW_OK || j->plan.format == MRW_OUTPUT_PNG) {
            return begun;
        }
    }
    if (frame->bits == 16 && j->plan.format != MRW_OUTPUT_PNG && j->plan.format != MRW_OUTPUT_PAM &&
        j->plan.format != MRW_OUTPUT_STREAM_PNG) {
        return cli_fail(
            error, MRW_ERROR_USAGE,
            "--bits 16: only PNGs and PAMs can have 16 bits per channel; use -o NAME.png");
    }
    mrw_status status = MRW_OK;
    if (mrw_output_describe(j->plan.format)->animates) {
        status = make_rates(jobs, count, &j->rates, error);
    }
    if (j->plan.format == MRW_OUTPUT_SPRITES) {
        status = make_sprites(jobs, count, &def.sprites, error);
    }
    def.rates = j->rates;
    for (uint32_t i = 0; i < count && status == MRW_OK && settings->output.labels; i++) {
        status = cli_labels_add(&j->labels, jobs[i].model, &jobs[i].plan, count > 1, error);
    }
    def.labels = j->labels.items;
    if (status == MRW_OK && j->how->lay_out) {
        j->how->lay_out(settings, &j->labels, &def);
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
static mrw_status prepare_files(job *jobs, uint32_t count, mrw_error *error)
{
    const mrw_settings *settings = jobs[0].settings;
    mrw_status status = open_output(jobs, count, error);
    if (status == MRW_OK) {
        status = mrw_output_files_prepare(&jobs[0].plan.files,
                                          settings->output.path || settings->output.force, error);
    }
    if (status == MRW_OK) { /* its names are always chosen */
        status = mrw_output_files_prepare(&jobs[0].plan.atlases, true, error);
    }
    return status;
}

static mrw_status prepare(job *j, mrw_error *error)
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
                                   cli_passes_modes(&j->plan.passes) == 0;
        status = mrw_session_prepare(&j->session, &cli_host, error);
    }
    if (status == MRW_OK && j->passes.plan) {
        status = cli_pass_files_look(&j->passes, &j->session, error);
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
static void tell_lines(const job *j)
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

/* Draws the pictures of one model. */
static mrw_status draw_model(job *j, mrw_error *error)
{
    mrw_status status = prepare(j, error);
    if (status == MRW_OK) {
        warn_when_empty(j->model);
        status = draw_all(j, error);
        cli_signals_release();
    }
    return status;
}

/* Draws `count` models, whose files are those of the first. */
static mrw_status work(job *jobs, uint32_t count, mrw_error *error)
{
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    job *first = &jobs[0];
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
        status = print_json(&jobs[i], error);
    }
    mrw_bytes_free(&bytes);
    if (status == MRW_OK) {
        summarize(first, pictures, mrw_clock_seconds(MRW_CLOCK_WALL) - start);
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
                            mrw_session_cache *cache, source *from, job *out, mrw_error *error)
{
    *out = (job){.how = how, .settings = &from->settings, .model = &from->model};
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
        status = cli_plan_make(&from->model, how->kinds, &out->plan, error);
    }
    if (status == MRW_OK) {
        status = mrw_session_begin(&out->session, &from->model, out->plan.sequence, error);
        out->session.cache = cache;
    }
    return status;
}

static void free_job(job *j)
{
    mrw_output_free(j->output);
    cli_pass_files_free(&j->passes);
    free(j->rates);
    cli_labels_free(&j->labels);
    cli_sprites_free(&j->sprites);
    free(j->hashes);
    mrw_session_free(&j->session);
    cli_plan_free(&j->plan);
}

/* Models whose pictures go to the same files: one, or all. */
static mrw_status draw_models(const mrw_settings *settings, const cli_drawing *how,
                              const char *const *paths, uint32_t count, mrw_session_cache *cache,
                              mrw_error *error)
{
    job *jobs = calloc(count, sizeof *jobs);
    source *sources = calloc(count, sizeof *sources);
    mrw_status status = jobs && sources ? MRW_OK : cli_fail_memory(error);
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        cli_answer_about(paths[i]);
        status = begin_job(settings, how, paths[i], cache, &sources[i], &jobs[i], error);
        if (status == MRW_OK && i > 0) {
            jobs[i].first = jobs[0].plan.files.picture_count;
            status = mrw_output_files_append(&jobs[0].plan.files, &jobs[i].plan.files, error);
            if (status == MRW_OK && settings->output.atlas) {
                status =
                    mrw_output_files_append(&jobs[0].plan.atlases, &jobs[i].plan.atlases, error);
            }
        }
    }
    if (status == MRW_OK && settings->output.atlas) {
        status = cli_plan_check_atlases(&jobs[0].plan, error);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK && settings->output.dry_run; i++) {
        status = settings->output.json ? print_json(&jobs[i], error) : print_plan(&jobs[i], error);
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

int cli_draw(const mrw_settings *settings, const cli_drawing *how)
{
    mrw_error error;
    int result = CLI_DONE;
    mrw_session_cache *cache = NULL;
    mrw_status status = cli_check_output(settings, how->kinds, &error);
    if (status == MRW_OK && cli_answers_to_stdout() &&
        mrw_output_is_stdout(settings->output.path)) {
        status = cli_fail(
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
    const size_t each = cli_models_share_files(settings) ? settings->arguments.count : 1;
    for (size_t i = 0; i < settings->arguments.count; i += each) {
        status = draw_models(settings, how, settings->arguments.items + i, (uint32_t)each, cache,
                             &error);
        if (status == MRW_OK) {
            continue;
        }
        cli_complain(&error);
        result = result == CLI_DONE ? cli_exit_status(status) : result;
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
