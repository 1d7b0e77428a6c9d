/* render.c: `marrow render`: models to PNG files, animations, sheets. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cli_output_kinds kinds = {{".png", ".apng"}};

/* What a thread has of its own. */
typedef struct worker {
    mrw_png_encoder *encoder; /* made for its first picture */
    mrw_bytes png;            /* the file encoded last; the encoder's */
    uint32_t repeats;         /* pictures that were drawn for another file already */
} worker;

/* One model on its way to files. */
typedef struct job {
    const mrw_settings *settings;
    const mrw_session_model *model;
    cli_plan plan;
    mrw_session session;
    uint8_t (*hashes)[32];        /* one a picture, with --json */
    cli_collections *collections; /* when several pictures go to a file */
    worker *workers;              /* one a thread */
    mrw_bytes stdout_bytes;
} job;

/* ---- receiving pictures ---------------------------------------------------------------------- */

/* A picture that was drawn for several files is encoded for the first of them. */
static mrw_status write_picture(job *j, uint32_t i, bool again, worker *own, const mrw_image *image,
                                mrw_error *error)
{
    const mrw_png_def def = {(mrw_png_effort)j->settings->output.png, j->settings->run.isa};
    mrw_status status = MRW_OK;
    if (j->plan.to_stdout) {
        return mrw_png_encode_as(image, &def, &j->stdout_bytes, error);
    }
    if (!again) {
        status = mrw_png_encoder_encode(own->encoder, image, &def, &own->png, error);
    }
    return status == MRW_OK ? mrw_file_write(j->plan.files[j->plan.file_of[i]], own->png.data,
                                             own->png.size, error)
                            : status;
}

static mrw_status receive(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    job *j = user;
    worker *own = &j->workers[frame->worker];
    const uint32_t i = frame->index, same_as = frame->same_as;
    mrw_status status = MRW_OK;
    if (!own->encoder) {
        status = mrw_png_encoder_create(&own->encoder, error);
    }
    if (j->hashes && i == same_as) {
        mrw_image_hash(frame->image, j->hashes[i]);
    } else if (j->hashes) {
        memcpy(j->hashes[i], j->hashes[same_as], sizeof *j->hashes);
    }
    if (status == MRW_OK && j->collections) {
        status = cli_collections_put(j->collections, i, same_as, frame->image, own->encoder, error);
    } else if (status == MRW_OK) {
        status = write_picture(j, i, i != same_as, own, frame->image, error);
    }
    if (status == MRW_OK) {
        own->repeats += i != same_as;
        cli_progress_step();
    }
    return status;
}

static mrw_status draw_all(job *j, mrw_error *error)
{
    const mrw_session_sink sink = {.user = j, .put = receive, .go_on = cli_go_on};
    mrw_crew *crew = NULL;
    cli_signals_hold();
    cli_progress_begin(j->settings->run.quiet ? 0 : j->plan.pictures.count, "frame");
    mrw_status status = mrw_crew_create(mrw_backend_software(), j->session.threads, &crew, error);
    if (status == MRW_OK) {
        status = mrw_session_perform(&j->session, j->plan.pictures.items, j->plan.pictures.count,
                                     crew, &sink, error);
    }
    mrw_crew_free(crew);
    cli_progress_end();
    return status == MRW_OK ? cli_check_signal(error) : status;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void picture_json(const job *j, uint32_t i, mrw_json *json)
{
    const mrw_picture *picture = &j->plan.pictures.items[i];
    mrw_json_open(json, '{');
    mrw_json_key(json, "file");
    mrw_json_string(json, j->plan.files[j->plan.file_of[i]]);
    mrw_json_key(json, "clip");
    mrw_json_string(
        json, picture->clip == MRW_NONE ? NULL : mrw_session_clip_name(j->model, picture->clip));
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
    mrw_json_uint(&json, j->session.frame.width);
    mrw_json_key(&json, "height");
    mrw_json_uint(&json, j->session.frame.height);
    mrw_json_key(&json, "written");
    mrw_json_bool(&json, !j->settings->output.dry_run);
    mrw_json_key(&json, "pictures");
    mrw_json_open(&json, '[');
    for (uint32_t i = 0; i < j->plan.pictures.count; i++) {
        picture_json(j, i, &json);
    }
    mrw_json_close(&json, ']');
    mrw_json_close(&json, '}');
    mrw_json_line(&json);
    mrw_status status = cli_print(&json.text, error);
    mrw_text_free(&json.text);
    return status;
}

/* For --dry-run: one line a picture: file, clip, frame, time. */
static mrw_status print_plan(const job *j, mrw_error *error)
{
    mrw_text text = {0};
    for (uint32_t i = 0; i < j->plan.pictures.count; i++) {
        const mrw_picture *picture = &j->plan.pictures.items[i];
        mrw_text_escaped(&text, j->plan.files[j->plan.file_of[i]]);
        mrw_text_add(&text, "\t");
        mrw_text_escaped(&text, mrw_session_clip_name(j->model, picture->clip));
        mrw_text_add(&text, "\tframe %llu\t", (unsigned long long)picture->frame);
        mrw_text_double(&text, picture->time);
        mrw_text_add(&text, " s\n");
    }
    mrw_status status = cli_print(&text, error);
    mrw_text_free(&text);
    return status;
}

static void summarize(const job *j, double seconds)
{
    const cli_plan *plan = &j->plan;
    char time[32], pace[64], first[300], last[300];
    if (plan->pictures.count == 0) {
        cli_say("%s: no pictures in this shard", j->model->name);
        return;
    }
    mrw_format_fixed(seconds, 2, time);
    mrw_escape_text(plan->to_stdout ? "standard output" : plan->files[0], first, sizeof first);
    mrw_escape_text(plan->files[plan->file_count - 1], last, sizeof last);
    cli_say("%u %s, %ux%u, to %s%s%s in %s s (%s)", plan->pictures.count,
            plan->pictures.count == 1 ? "picture" : "pictures", j->session.frame.width,
            j->session.frame.height, first, plan->file_count > 1 ? " ... " : "",
            plan->file_count > 1 ? last : "", time,
            cli_pace(plan->pictures.count, seconds, "picture", pace));
    uint32_t repeats = 0;
    for (int i = 0; i < j->session.threads; i++) {
        repeats += j->workers[i].repeats;
    }
    if (repeats > 0) {
        cli_detail("%u of the pictures show what others show, and were not drawn again", repeats);
    }
    for (uint32_t f = 0; f < plan->file_count; f++) {
        cli_detail("wrote %s", mrw_escape_text(plan->files[f], last, sizeof last));
    }
}

/* ---- one model ------------------------------------------------------------------------------- */

static mrw_status prepare(job *j, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (j->plan.collected) {
        status =
            cli_collections_create(&j->plan, &j->session, &j->stdout_bytes, &j->collections, error);
    }
    if (status == MRW_OK) {
        status = cli_plan_prepare_files(&j->plan, j->settings, error);
    }
    if (status == MRW_OK) {
        j->workers = calloc((size_t)j->session.threads, sizeof *j->workers);
        status = j->workers ? MRW_OK : cli_fail_memory(error);
    }
    if (status == MRW_OK && j->settings->output.json) {
        j->hashes = calloc(j->plan.pictures.count + 1, sizeof *j->hashes);
        status = j->hashes ? MRW_OK : cli_fail_memory(error);
    }
    if (status == MRW_OK) {
        /* what the cache holds may be wanted again by the next model */
        j->session.fewest_levels = !j->session.cache || j->settings->arguments.count == 1;
        status = mrw_session_prepare(&j->session, &cli_host, error);
    }
    if (status == MRW_OK) {
        mrw_isa isa = j->session.frame.isa == MRW_ISA_AUTO ? mrw_isa_best() : j->session.frame.isa;
        char reason[128];
        cli_detail("kernels %s, %d thread%s (%s), pixel version %d", mrw_isa_name(isa),
                   j->session.threads, j->session.threads == 1 ? "" : "s",
                   j->settings->run.threads > 0 ? "as asked for"
                                                : cli_thread_reason(reason, sizeof reason),
                   MRW_PIXEL_VERSION);
    }
    return status;
}

/* Pictures of nothing are no error, but nobody wants them unknowingly. */
static void warn_when_empty(const mrw_session_model *model)
{
    char text[600];
    for (uint32_t d = 0; d < model->scene->draws_count; d++) {
        if (model->scene->meshes[model->scene->draws[d].mesh].triangle_count > 0) {
            return;
        }
    }
    snprintf(text, sizeof text, "%.500s: there are no triangles; pictures show the background",
             model->path);
    cli_warn(text);
}

static mrw_status work(job *j, mrw_error *error)
{
    double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    mrw_status status = prepare(j, error);
    if (status != MRW_OK) {
        return status;
    }
    warn_when_empty(j->model);
    status = draw_all(j, error);
    cli_signals_release();
    if (status == MRW_OK && j->plan.to_stdout) {
        status = cli_write_stdout(j->stdout_bytes.data, j->stdout_bytes.size, error);
    } else if (status == MRW_OK && j->settings->output.json) {
        status = print_json(j, error);
    }
    if (status == MRW_OK) {
        summarize(j, mrw_clock_seconds(MRW_CLOCK_WALL) - start);
    }
    return status;
}

static void free_job(job *j)
{
    for (int i = 0; j->workers && i < j->session.threads; i++) {
        mrw_png_encoder_free(j->workers[i].encoder);
    }
    free(j->workers);
    cli_collections_free(j->collections);
    free(j->hashes);
    mrw_bytes_free(&j->stdout_bytes);
    mrw_session_free(&j->session);
    cli_plan_free(&j->plan);
}

/* cache: where models come from, or NULL. */
static mrw_status render_model(const mrw_settings *settings, const char *path,
                               mrw_session_cache *cache, mrw_error *error)
{
    const mrw_scene *scene = NULL;
    mrw_session_model model = {0};
    job j = {.settings = settings, .model = &model};
    mrw_status status = mrw_session_cache_load(cache, path, settings, &cli_host, &scene, error);
    if (status == MRW_OK) {
        status = mrw_session_model_init(path, scene, settings, &model, error);
    }
    if (status == MRW_OK) {
        status = cli_plan_make(&model, &kinds, &j.plan, error);
    }
    if (status == MRW_OK) {
        status = mrw_session_begin(&j.session, &model, j.plan.sequence, error);
        j.session.cache = cache;
    }
    if (status == MRW_OK && settings->output.dry_run) {
        status = settings->output.json ? print_json(&j, error) : print_plan(&j, error);
    } else if (status == MRW_OK) {
        status = work(&j, error);
    }
    free_job(&j);
    mrw_session_model_free(&model);
    mrw_session_cache_release(cache, scene);
    return status;
}

int cli_render(const mrw_settings *settings)
{
    mrw_error error;
    int result = CLI_DONE;
    mrw_session_cache *cache = NULL;
    mrw_status status = cli_check_output(settings, &kinds, &error);
    if (status == MRW_OK && settings->output.json && settings->output.path &&
        strcmp(settings->output.path, "-") == 0) {
        status = cli_fail(&error, MRW_ERROR_USAGE,
                          "--json and -o - both want standard output; leave one out");
    }
    if (status == MRW_OK && settings->model.added.count > 0) {
        status = mrw_session_cache_create(&cache, &error);
    }
    if (status != MRW_OK) {
        cli_complain(&error);
        return cli_exit_status(status);
    }
    for (size_t i = 0; i < settings->arguments.count; i++) {
        status = render_model(settings, settings->arguments.items[i], cache, &error);
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
