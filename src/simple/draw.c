/* draw.c: pictures of jobs, as pixels and as files in memory. */
#include "marrow/plan.h"
#include "simple/internal.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

mrw_status mrwi_simple_take_crew(mrw_job *job, int threads, mrw_error *error)
{
    if (job->crew && job->crew_threads == threads) {
        return MRW_OK;
    }
    mrw_crew_free(job->crew);
    job->crew = NULL;
    job->crew_threads = threads;
    return mrw_crew_create(mrw_backend_software(), threads, &job->crew, error);
}

/* ---- one picture ----------------------------------------------------------------------------- */

/* Copies a picture: the crew's own is drawn over. */
static mrw_status keep_picture(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    mrw_image *kept = user;
    const mrw_image *image = frame->image;
    const size_t size = (size_t)image->width * image->height * image->channels;
    if (kept->width != image->width || kept->height != image->height ||
        kept->channels != image->channels) {
        mrw_image_free(kept);
        const mrw_status status =
            mrw_image_create(image->width, image->height, image->channels, kept, error);
        if (status) {
            return status;
        }
    }
    memcpy(kept->pixels, image->pixels, size);
    return MRW_OK;
}

/* Draws the picture of a session that has begun. */
static mrw_status perform(mrwi_simple_call *call, mrw_session *session,
                          const mrw_picture_list *list, mrw_error *error)
{
    mrw_job *job = call->job;
    const mrw_session_sink sink = {
        .user = &job->results.image, .put = keep_picture, .host = &call->host};
    session->cache = job->engine->cache;
    mrw_status status = mrw_session_prepare(session, &call->host, error);
    if (status) {
        return status;
    }
    status = mrwi_simple_take_crew(job, session->threads, error);
    return status ? status
                  : mrw_session_perform(session, list->items, list->count, job->crew, &sink, error);
}

static mrw_status draw(mrwi_simple_call *call, mrw_error *error)
{
    const char *name = call->job->source.name;
    mrw_session_model model = {0};
    mrw_session session = {0};
    mrw_picture_list list = {0};
    mrw_status status = mrwi_simple_load(call, error);
    if (status) {
        goto out;
    }
    status = call->settings.passes.count > 0 || call->settings.picture.bits == 16
                 ? mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "a view of pixels has 8 bits and no passes; call mrw_job_encode")
                 : MRW_OK;
    if (status) {
        goto out;
    }
    status = mrw_session_model_init(name, call->job->loaded.scene, &call->settings, &model, error);
    if (status) {
        goto out;
    }
    const bool sequence = mrw_session_wants_sequence(&call->settings);
    status = mrw_session_pictures(&model, sequence, &list, error);
    if (status) {
        goto out;
    }
    if (list.count != 1) {
        status = mrwi_base_fail(error, MRW_ERROR_USAGE,
                                "the options ask for %u pictures, not for one; choose one by "
                                "\"time\", or call mrw_job_encode",
                                list.count);
        goto out;
    }
    status = mrw_session_begin(&session, &model, sequence, error);
    if (status) {
        goto out;
    }
    status = perform(call, &session, &list, error);
out:
    mrw_session_free(&session);
    mrw_picture_list_free(&list);
    mrw_session_model_free(&model);
    return status;
}

int mrw_job_draw(mrw_job *job, mrw_picture_view *out)
{
    mrwi_simple_call call;
    mrw_error error = {MRW_OK, ""};
    *out = (mrw_picture_view){.pixels = NULL};
    mrw_status status = mrwi_simple_begin(&call, job, MRW_COMMAND_RENDER, NULL, &error);
    if (!status) {
        status = draw(&call, &error);
    }
    if (!status) {
        const mrw_image *image = &job->results.image;
        *out = (mrw_picture_view){.pixels = image->pixels,
                                  .width = image->width,
                                  .height = image->height,
                                  .channels = image->channels,
                                  .stride = (size_t)image->width * image->channels};
    }
    return mrwi_simple_end(&call, status, &error);
}

/* ---- files ----------------------------------------------------------------------------------- */

static mrw_status take(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    mrwi_simple_files *files = user;
    const uint32_t i = frame->index, same_as = frame->same_as;
    if (files->hashes && i == same_as) {
        mrw_image_hash(frame->image, files->hashes[i]);
    } else if (files->hashes) {
        memcpy(files->hashes[i], files->hashes[same_as], sizeof *files->hashes);
    }
    return mrw_plan_output_put(&files->output, 0, frame, error);
}

static mrw_status plan(mrwi_simple_call *call, mrwi_simple_files *files, mrw_error *error)
{
    static const mrw_plan_kinds kinds = {.pictures = true};
    mrw_status status = mrw_plan_check(&call->settings, &kinds, error);
    if (status) {
        return status;
    }
    status = mrwi_simple_load(call, error);
    if (status) {
        return status;
    }
    status = mrw_session_model_init(call->job->source.name, call->job->loaded.scene,
                                    &call->settings, &files->model, error);
    if (status) {
        return status;
    }
    status = mrw_plan_make(&files->model, &kinds, NULL, &files->plan, error);
    if (status) {
        return status;
    }
    return mrw_session_begin(&files->session, &files->model, files->plan.sequence, error);
}

static mrw_status open(mrwi_simple_call *call, mrwi_simple_files *files, mrw_error *error)
{
    mrw_session *session = &files->session;
    const uint32_t count = files->plan.pictures.count;
    files->part = (mrw_plan_part){&files->model, &files->plan, 0, NULL};
    session->cache = call->job->engine->cache;
    mrw_status status =
        mrw_plan_output_begin(&call->settings, &files->part, 1, &files->output, error);
    if (status) {
        return status;
    }
    status = mrw_plan_output_open(&files->output, session, error);
    if (status) {
        return status;
    }
    status = mrw_plan_prepare_files(&call->settings, &files->plan, error);
    if (status) {
        return status;
    }
    if (files->hashed && !files->output.passes.plan) {
        files->hashes = mrwi_base_alloc_zero((size_t)count + 1, sizeof *files->hashes);
        if (!files->hashes) {
            return mrwi_base_fail_memory(error, count * sizeof *files->hashes);
        }
    }
    return MRW_OK;
}

static mrw_status write_pictures(mrwi_simple_call *call, mrwi_simple_files *files, mrw_bytes *out,
                                 mrw_error *error)
{
    mrw_job *job = call->job;
    mrw_session *session = &files->session;
    const mrw_session_sink sink = {.user = files, .put = take, .host = &call->host};
    const mrw_session_sink modes = {.user = NULL};
    if (mrw_output_describe(files->plan.format)->in_order) {
        session->frame.every = true;
        session->frame.ahead = 2 * (uint32_t)session->threads;
    }
    mrw_status status = mrw_session_prepare(session, &call->host, error);
    if (!status && files->output.passes.plan) {
        status = mrw_pass_files_look(&files->output.passes, session, error);
    }
    if (!status) {
        status = mrwi_simple_take_crew(job, session->threads, error);
    }
    if (!status) {
        status = mrw_session_perform(session, files->plan.pictures.items,
                                     files->plan.pictures.count, job->crew, &sink, error);
    }
    if (!status && files->output.passes.plan) {
        status = mrw_pass_files_draw_modes(&files->output.passes, session, &modes, error);
    }
    return status ? status : mrw_plan_output_finish(&files->output, out, error);
}

mrw_status mrwi_simple_make_files(mrwi_simple_call *call, mrwi_simple_files *files, mrw_bytes *out,
                                  mrw_error *error)
{
    mrw_status status = plan(call, files, error);
    if (!status) {
        status = open(call, files, error);
    }
    mrw_bytes_free(out);
    return status ? status : write_pictures(call, files, out, error);
}

void mrwi_simple_free_files(mrwi_simple_files *files)
{
    mrw_plan_output_free(&files->output);
    mrw_session_free(&files->session);
    mrw_plan_free(&files->plan);
    mrw_session_model_free(&files->model);
    mrwi_base_free(files->hashes);
}

int mrw_job_encode(mrw_job *job, const char *format, const void **bytes, size_t *size)
{
    mrwi_simple_call call;
    mrwi_simple_files files = {.hashed = false};
    mrw_error error = {MRW_OK, ""};
    char path[32];
    *bytes = NULL;
    *size = 0;
    snprintf(path, sizeof path, "-.%s", format); /* a name that is cut is not a format */
    const mrwi_simple_request request = {.output = path};
    mrw_status status = mrwi_simple_begin(&call, job, MRW_COMMAND_RENDER, &request, &error);
    if (!status) {
        status = mrwi_simple_make_files(&call, &files, &job->results.bytes, &error);
    }
    if (!status) {
        *bytes = job->results.bytes.data;
        *size = job->results.bytes.size;
    }
    mrwi_simple_free_files(&files);
    return mrwi_simple_end(&call, status, &error);
}
