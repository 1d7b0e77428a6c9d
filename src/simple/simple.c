/* simple.c: engines, jobs, and what jobs are given. */
#include "simple/internal.h"

#include "base/text.h"
#include "options/table.h"
#include "session/internal.h"

#include <assert.h>
#include <string.h>

uint32_t mrw_abi_version(void)
{
    return MRW_ABI_VERSION;
}

/* ---- engines --------------------------------------------------------------------------------- */

mrw_engine *mrw_engine_create(uint64_t cache_bytes)
{
    mrw_engine *engine = mrwi_base_alloc_zero(1, sizeof *engine);
    if (engine && mrw_session_cache_create(&engine->cache, NULL)) {
        mrwi_base_free(engine);
        return NULL;
    }
    if (engine) {
        mrw_session_cache_limit(engine->cache, cache_bytes);
    }
    return engine;
}

void mrw_engine_free(mrw_engine *engine)
{
    if (engine) {
        mrw_session_cache_free(engine->cache);
        mrwi_base_free(engine);
    }
}

/* ---- jobs ------------------------------------------------------------------------------------ */

mrw_job *mrw_job_create(mrw_engine *engine)
{
    mrw_job *job = mrwi_base_alloc_zero(1, sizeof *job);
    assert(engine);
    if (job) {
        job->engine = engine;
    }
    return job;
}

/* Gives the loaded model back. */
static void unload(mrw_job *job)
{
    mrw_session_cache_release(job->loaded.scene ? job->engine->cache : NULL, job->loaded.scene);
    job->loaded = (mrwi_simple_loaded){NULL, 0};
}

static void forget_files(mrwi_simple_source *source)
{
    for (size_t i = 0; i < source->file_count; i++) {
        mrwi_base_free(source->files[i].name);
    }
    mrwi_base_free(source->files);
    source->files = NULL;
    source->file_count = 0;
}

static void forget_options(mrwi_simple_options *options)
{
    for (size_t i = 0; i < options->count; i++) {
        mrwi_base_free(options->items[i].value);
    }
    mrwi_base_free(options->items);
    *options = (mrwi_simple_options){NULL, 0};
}

void mrw_job_free(mrw_job *job)
{
    if (!job) {
        return;
    }
    unload(job);
    forget_files(&job->source);
    mrwi_base_free(job->source.name);
    forget_options(&job->options);
    mrw_crew_free(job->crew);
    mrw_image_free(&job->results.image);
    mrw_bytes_free(&job->results.bytes);
    mrw_text_free(&job->results.text);
    mrw_text_free(&job->results.warnings);
    mrwi_base_free(job);
}

const char *mrw_job_error(const mrw_job *job)
{
    return job->results.error.text;
}

void mrw_job_cancel(mrw_job *job)
{
    mrw_cancel_request(&job->cancel, MRW_ERROR_CANCELLED);
}

/* Keeps the message of a failure. */
static int keep(mrw_job *job, mrw_status status, const mrw_error *error)
{
    job->results.error = status ? *error : (mrw_error){MRW_OK, ""};
    return (int)status;
}

/* ---- what a job is given --------------------------------------------------------------------- */

static char *copy_of(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = mrwi_base_alloc(size, 1);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

int mrw_job_model(mrw_job *job, const char *name, const void *bytes, size_t size)
{
    mrw_error error = {MRW_OK, ""};
    char *copy = copy_of(name);
    if (!copy) {
        return keep(job, mrwi_base_fail_memory(&error, strlen(name)), &error);
    }
    unload(job);
    forget_files(&job->source);
    mrwi_base_free(job->source.name);
    job->source = (mrwi_simple_source){.name = copy, .bytes = bytes, .size = size};
    return keep(job, MRW_OK, &error);
}

int mrw_job_file(mrw_job *job, const char *name, const void *bytes, size_t size)
{
    mrwi_simple_source *source = &job->source;
    mrw_error error = {MRW_OK, ""};
    const mrwi_simple_file file = {copy_of(name), size > 0 ? bytes : "", size};
    mrwi_simple_file *grown =
        file.name ? mrwi_base_realloc(source->files, source->file_count * sizeof file,
                                      source->file_count + 1, sizeof file)
                  : NULL;
    if (!grown) {
        mrwi_base_free(file.name);
        return keep(job, mrwi_base_fail_memory(&error, sizeof file), &error);
    }
    unload(job);
    source->files = grown;
    source->files[source->file_count++] = file;
    return keep(job, MRW_OK, &error);
}

int mrw_job_find(mrw_job *job, mrw_job_finder *find, void *user)
{
    unload(job);
    job->source.find = find;
    job->source.find_user = user;
    return keep(job, MRW_OK, NULL);
}

/* Options of the command and of its process. */
static bool is_of_command(const char *name)
{
    static const char *const names[] = {
        "output",    "atlas", "stream",  "force",   "dry-run", "json", "shard", "backend", "strict",
        "gl-device", "quiet", "verbose", "timeout", "memory",  "help", "all",   "version"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found = found || strcmp(names[i], name) == 0;
    }
    return found;
}

/* Checks an option's name and value. *out becomes the name in the table. */
static mrw_status check_option(const char *name, const char *value, const char **out,
                               mrw_error *error)
{
    mrw_settings settings;
    mrw_settings_init(&settings);
    const mrw_status status = mrw_settings_set(&settings, name, value, error);
    if (!status) {
        *out = mrwi_options_option_find(name, strlen(name))->shown.name;
    }
    mrw_settings_free(&settings);
    return status ? status
           : is_of_command(*out)
               ? mrwi_base_fail(error, MRW_ERROR_USAGE,
                                "'%s' is an option of the command, not of a job", *out)
               : MRW_OK;
}

static mrw_status add_option(mrw_job *job, const char *name, const char *value, mrw_error *error)
{
    mrwi_simple_options *options = &job->options;
    mrwi_simple_option option = {NULL, NULL};
    const mrw_status status = check_option(name, value, &option.name, error);
    if (status) {
        return status;
    }
    option.value = value ? copy_of(value) : NULL;
    mrwi_simple_option *grown =
        value && !option.value ? NULL
                               : mrwi_base_realloc(options->items, options->count * sizeof option,
                                                   options->count + 1, sizeof option);
    if (!grown) {
        mrwi_base_free(option.value);
        return mrwi_base_fail_memory(error, sizeof option);
    }
    options->items = grown;
    options->items[options->count++] = option;
    const mrwi_options_option *row = mrwi_options_option_find(option.name, strlen(option.name));
    if ((row->roles & MRWI_OPTIONS_LOADS) != 0) {
        unload(job);
    }
    return MRW_OK;
}

int mrw_job_set(mrw_job *job, const char *name, const char *value)
{
    mrw_error error = {MRW_OK, ""};
    if (!name) {
        unload(job);
        forget_options(&job->options);
        return keep(job, MRW_OK, &error);
    }
    return keep(job, add_option(job, name, value, &error), &error);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void hear_warning(void *user, const char *text)
{
    mrw_text *warnings = &((mrw_job *)user)->results.warnings;
    mrw_text_puts(warnings, warnings->size > 0 ? ", " : "");
    mrw_json_quote(warnings, text);
}

static bool find_file(void *user, const char *name, const void **bytes, size_t *size)
{
    const mrwi_simple_source *source = &((const mrw_job *)user)->source;
    for (size_t i = 0; i < source->file_count; i++) {
        if (strcmp(source->files[i].name, name) == 0) {
            *bytes = source->files[i].bytes;
            *size = source->files[i].size;
            return true;
        }
    }
    return source->find && source->find(source->find_user, name, bytes, size) != 0;
}

mrw_session_host mrwi_simple_host(mrw_job *job)
{
    const bool has_files = job->source.file_count > 0 || job->source.find;
    return (mrw_session_host){.user = job,
                              .warning = hear_warning,
                              .machine_warning = hear_warning,
                              .find_file = has_files ? find_file : NULL,
                              .warn_again = true};
}

static mrw_status set_options(mrwi_simple_call *call, mrw_command command, mrw_error *error)
{
    const mrwi_simple_options *options = &call->job->options;
    for (size_t i = 0; i < options->count; i++) {
        const mrwi_simple_option *o = &options->items[i];
        const mrwi_options_option *row = mrwi_options_option_find(o->name, strlen(o->name));
        const mrw_status status =
            mrw_option_belongs(&row->shown, command)
                ? mrwi_options_option_set(&call->settings, row, o->value, error)
                : MRW_OK;
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

mrw_status mrwi_simple_begin(mrwi_simple_call *call, mrw_job *job, mrw_command command,
                             const mrwi_simple_request *request, mrw_error *error)
{
    *call = (mrwi_simple_call){.job = job, .host = mrwi_simple_host(job)};
    call->cancel_before = mrw_cancel_enter(&job->cancel);
    mrw_settings_init(&call->settings);
    call->work_before = mrw_work_limit(0);
    mrw_text_free(&job->results.warnings);
    if (!job->source.name) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "the job has no model; call mrw_job_model first");
    }
    mrw_status status = set_options(call, command, error);
    call->settings.command = command;
    for (size_t i = 0; request && i < request->count && !status; i++) {
        status = mrw_settings_set_request(&call->settings, request->items[i].name,
                                          request->items[i].value, error);
    }
    if (!status && request && request->output) {
        status = mrw_settings_set(&call->settings, "output", request->output, error);
    }
    if (!status) {
        status = mrw_settings_check(&call->settings, command, error);
    }
    if (!status) {
        status = mrw_session_check_isa(&call->settings, error);
    }
    mrw_work_limit(call->settings.run.max_work);
    return status;
}

int mrwi_simple_end(mrwi_simple_call *call, mrw_status status, const mrw_error *error)
{
    mrw_work_limit(call->work_before);
    mrw_cancel_enter(call->cancel_before);
    if (status == MRW_ERROR_CANCELLED) {
        mrw_cancel_reset(&call->job->cancel);
    }
    mrw_settings_free(&call->settings);
    return keep(call->job, status, error);
}

mrw_status mrwi_simple_load(mrwi_simple_call *call, mrw_error *error)
{
    mrw_job *job = call->job;
    const mrwi_simple_source *source = &job->source;
    const uint32_t maps = mrwi_session_maps(&call->settings, &call->host);
    if (job->loaded.scene && (maps & ~job->loaded.maps) == 0) {
        mrwi_session_pass_warnings(&call->host, job->loaded.scene, source->name);
        return MRW_OK;
    }
    unload(job);
    const mrw_status status =
        source->bytes ? mrw_session_cache_load_memory(job->engine->cache, source->bytes,
                                                      source->size, source->name, &call->settings,
                                                      &call->host, &job->loaded.scene, error)
                      : mrw_session_cache_load(job->engine->cache, source->name, &call->settings,
                                               &call->host, &job->loaded.scene, error);
    job->loaded.maps = maps;
    return status;
}
