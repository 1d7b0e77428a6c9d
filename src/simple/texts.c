/* texts.c: what jobs say in JSON. */
#include "marrow/explain.h"
#include "marrow/plan.h"
#include "simple/internal.h"

#include "base/text.h"

#include <string.h>

/* Takes a text as the job's result. Returns it, or NULL if memory ran out. */
static mrw_status keep_text(mrw_job *job, mrw_text *text, mrw_error *error)
{
    mrw_text_free(&job->results.text);
    if (text->failed || !text->data) {
        mrw_text_free(text);
        return mrwi_base_fail_memory(error, 0);
    }
    job->results.text = *text;
    return MRW_OK;
}

/* ---- info ------------------------------------------------------------------------------------ */

/* Hears the variants of a file, besides what the job's host hears. */
typedef struct ears {
    mrw_job *job;
    mrw_text variants; /* NUL-terminated, one after the other */
    uint32_t variant_count;
} ears;

static void hear_variant(void *user, const char *name)
{
    ears *e = user;
    mrw_text_put(&e->variants, name, strlen(name) + 1);
    e->variant_count++;
}

static bool find_file(void *user, const char *name, const void **bytes, size_t *size)
{
    const mrw_session_host host = mrwi_simple_host(((ears *)user)->job);
    return host.find_file(host.user, name, bytes, size);
}

static mrw_status describe(const mrwi_simple_call *call, const mrw_scene *scene, const ears *e,
                           mrw_error *error)
{
    mrw_bake_measure rest;
    mrw_json json = {0};
    mrw_status status = mrw_bake_measure_rest(scene, call->settings.model.show_hidden,
                                              mrw_session_threads(&call->settings), &rest, error);
    if (status) {
        return status;
    }
    float box[2][3];
    memcpy(box[0], rest.aabb_min, sizeof box[0]);
    memcpy(box[1], rest.aabb_max, sizeof box[1]);
    const mrw_scene_origin origin = {.path = call->job->source.name,
                                     .variants = e->variants.data,
                                     .variant_count = e->variant_count,
                                     .rest_box = rest.any ? box[0] : NULL};
    mrw_json_open(&json, '{');
    mrw_scene_describe_json(scene, &origin, &json);
    mrw_json_open(mrw_json_key(&json, "warnings"), '[');
    for (uint32_t i = 0; i < scene->warnings_count; i++) {
        mrw_json_string(&json, mrw_scene_string(scene, scene->warnings[i]));
    }
    mrw_json_close(&json, ']');
    mrw_json_close(&json, '}');
    return keep_text(call->job, &json.text, error);
}

/* Loads the model apart from the engine: a kept one has forgotten its variants. */
static mrw_status make_info(mrwi_simple_call *call, mrw_error *error)
{
    mrw_job *job = call->job;
    ears e = {.job = job};
    const mrw_scene *scene = NULL;
    const mrw_session_host host = {.user = &e,
                                   .find_file = call->host.find_file ? find_file : NULL,
                                   .variant_found = hear_variant,
                                   .no_texels = true};
    mrw_status status =
        job->source.bytes
            ? mrw_session_cache_load_memory(NULL, job->source.bytes, job->source.size,
                                            job->source.name, &call->settings, &host, &scene, error)
            : mrw_session_cache_load(NULL, job->source.name, &call->settings, &host, &scene, error);
    if (!status) {
        status =
            e.variants.failed ? mrwi_base_fail_memory(error, 0) : describe(call, scene, &e, error);
    }
    mrw_session_cache_release(NULL, scene);
    mrw_text_free(&e.variants);
    return status;
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* The pictures, whose joints come in any order. */
typedef struct posing {
    mrw_session_model model;
    mrw_plan plan;
    mrw_session session;
    mrw_text *lines; /* [picture] */
} posing;

static mrw_status pose(void *user, const mrw_sequence_frame *shown, mrw_error *error)
{
    posing *p = user;
    const mrw_posed_instance *posed = NULL;
    mrw_bake_joints joints;
    mrw_json json = {0};
    mrw_bake_joints_job work = mrw_bake_joints_job_default();
    mrw_status status = mrw_pose_instances(shown->renderer, shown->instances, shown->instance_count,
                                           shown->def->isa, &posed, error);
    if (status) {
        return status;
    }
    work.instances = shown->instances;
    work.instance_count = shown->instance_count;
    work.posed = posed;
    work.frame = shown->def;
    status = mrw_bake_joints_find(&work, &joints, error);
    if (status) {
        return status;
    }
    mrw_plan_joints_json(&p->session, &p->plan, &p->plan.pictures.items[shown->index], &joints,
                         &json);
    mrw_bake_joints_free(&joints);
    p->lines[shown->index] = json.text;
    return MRW_OK;
}

static mrw_status join_lines(mrw_job *job, const posing *p, mrw_error *error)
{
    mrw_text all = {0};
    mrw_text_puts(&all, "[");
    for (uint32_t i = 0; i < p->plan.pictures.count; i++) {
        const mrw_text *line = &p->lines[i];
        const size_t size = line->size > 0 ? line->size - 1 : 0; /* without the newline */
        mrw_text_puts(&all, i > 0 ? ",\n" : "");
        mrw_text_put(&all, line->data ? line->data : "", size);
        all.failed = all.failed || line->failed || !line->data;
    }
    mrw_text_puts(&all, "]");
    return keep_text(job, &all, error);
}

static mrw_status perform(mrwi_simple_call *call, posing *p, mrw_error *error)
{
    const mrw_session_sink sink = {.user = p, .put = pose};
    mrw_crew *crew = NULL;
    p->session.cache = call->job->engine->cache;
    p->session.frame.every = true;
    p->session.frame.shading = MRW_SHADING_RAW;
    mrw_status status = mrw_session_prepare(&p->session, &call->host, error);
    if (status) {
        return status;
    }
    p->lines = mrwi_base_alloc_zero((size_t)p->plan.pictures.count + 1, sizeof *p->lines);
    if (!p->lines) {
        return mrwi_base_fail_memory(error, sizeof *p->lines);
    }
    status = mrw_crew_create(mrw_backend_none(), p->session.threads, &crew, error);
    if (status) {
        return status;
    }
    status = mrw_session_perform(&p->session, p->plan.pictures.items, p->plan.pictures.count, crew,
                                 &sink, error);
    mrw_crew_free(crew);
    return status ? status : join_lines(call->job, p, error);
}

static mrw_status begin(mrwi_simple_call *call, posing *p, mrw_error *error)
{
    static const mrw_plan_kinds kinds = {.endings = {".obj", ".ply"}};
    mrw_status status = mrwi_simple_load(call, error);
    if (status) {
        return status;
    }
    status = mrw_session_model_init(call->job->source.name, call->job->loaded.scene,
                                    &call->settings, &p->model, error);
    if (status) {
        return status;
    }
    status = mrw_plan_make(&p->model, &kinds, NULL, &p->plan, error);
    if (status) {
        return status;
    }
    return mrw_session_begin(&p->session, &p->model, p->plan.sequence, error);
}

static mrw_status make_joints(mrwi_simple_call *call, mrw_error *error)
{
    posing p = {.lines = NULL};
    mrw_status status = begin(call, &p, error);
    if (!status) {
        status = perform(call, &p, error);
    }
    for (uint32_t i = 0; i < p.plan.pictures.count && p.lines; i++) {
        mrw_text_free(&p.lines[i]);
    }
    mrwi_base_free(p.lines);
    mrw_session_free(&p.session);
    mrw_plan_free(&p.plan);
    mrw_session_model_free(&p.model);
    return status;
}

/* ---- the others ------------------------------------------------------------------------------ */

static mrw_status list_passes(mrw_job *job, mrw_error *error)
{
    mrw_json json = {0};
    mrw_json_open(&json, '[');
    for (int i = 0; i < MRW_AOV_COUNT; i++) {
        mrw_json_string(&json, mrw_aov_info_of((mrw_aov)i)->name);
    }
    mrw_json_close(&json, ']');
    return keep_text(job, &json.text, error);
}

static mrw_status list_warnings(mrw_job *job, mrw_error *error)
{
    mrw_text text = {0};
    mrw_text_puts(&text, "[");
    mrw_text_put(&text, job->results.warnings.data ? job->results.warnings.data : "",
                 job->results.warnings.size);
    mrw_text_puts(&text, "]");
    return keep_text(job, &text, error);
}

const char *mrw_job_text(mrw_job *job, const char *what)
{
    const bool info = strcmp(what, "info") == 0, joints = strcmp(what, "joints") == 0;
    mrw_error error = {MRW_OK, ""};
    mrw_status status;
    if (info || joints) {
        mrwi_simple_call call;
        status =
            mrwi_simple_begin(&call, job, info ? MRW_COMMAND_INFO : MRW_COMMAND_BAKE, NULL, &error);
        if (!status) {
            status = info ? make_info(&call, &error) : make_joints(&call, &error);
        }
        mrwi_simple_end(&call, status, &error);
    } else if (strcmp(what, "warnings") == 0) {
        status = list_warnings(job, &error);
    } else {
        char shown[100];
        status = strcmp(what, "passes") == 0
                     ? list_passes(job, &error)
                     : mrwi_base_fail(&error, MRW_ERROR_USAGE,
                                      "unknown text '%s': expected info, joints, passes or "
                                      "warnings",
                                      mrwi_base_escape(what, shown, sizeof shown));
        job->results.error = status ? error : (mrw_error){MRW_OK, ""};
    }
    return status ? NULL : job->results.text.data;
}
