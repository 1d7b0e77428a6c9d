/* importer.c: gets scenes from marrow-import. A helper process imports a model, and its scene is
 * accepted only after every byte was checked. Where no helper can run, it imports in this
 * process. */
#include "load/importer.h"

#include "base/memory.h"
#include "base/text.h"
#include "load/draco.h"
#include "load/opened.h"
#include "sandbox/process.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ---- in a helper ----------------------------------------------------------------------------- */

/* The data for callbacks of the sandbox. */
typedef struct service {
    const mrwi_load_read_job *job;
    mrwi_load_local_files *files;
    char refused[512]; /* the first file that the helper was refused, and why */
} service;

static mrwi_base_read_result open_file(void *user, mrwi_sandbox_file_kind kind, const char *path,
                                       int *fd, uint64_t *size)
{
    service *s = user;
    mrwi_base_read_result result = mrwi_load_local_files_find(s->files, kind, path, fd, size);
    if (result != MRWI_BASE_READ_OK && s->refused[0] == '\0' && kind == MRWI_SANDBOX_FILE_PART) {
        char name[200];
        snprintf(s->refused, sizeof s->refused, "its file \"%s\" %s; %s",
                 mrwi_base_escape(path, name, sizeof name), mrwi_base_read_reason(result),
                 mrwi_load_read_remedy(result, kind));
    }
    if (result == MRWI_BASE_READ_OK) {
        mrwi_load_opened_note_fd(s->files->opened, kind, path, *fd);
    } else {
        mrwi_load_opened_note_failure(s->files->opened, kind, path, result);
    }
    return result;
}

static void pass_warning(void *user, const char *text)
{
    const mrw_load_def *def = ((const service *)user)->job->def;
    if (def->machine_warning) {
        def->machine_warning(def->machine_warning_user, text);
    }
}

static void pass_detail(void *user, const char *text)
{
    const mrw_load_def *def = ((const service *)user)->job->def;
    if (def->detail) {
        def->detail(def->detail_user, text);
    }
}

/* Fails with the helper's message and the file that it was refused, which is the most likely cause.
 * If this machine cannot do something, that is not the file's fault. All other failures are the
 * file's, whatever a helper that it misled reports. */
static mrw_status fail_said(const service *s, const mrwi_sandbox_answer *answer, mrw_error *error)
{
    char name[300];
    mrwi_base_escape(s->job->name, name, sizeof name);
    bool named = strncmp(answer->text, name, strlen(name)) == 0;
    bool told = s->refused[0] == '\0' || strstr(answer->text, s->refused);
    const bool lacks = answer->said == MRW_ERROR_UNSUPPORTED || answer->said == MRW_ERROR_TOOL;
    return mrwi_base_fail(error, lacks ? (mrw_status)answer->said : MRW_ERROR_INPUT, "%s%s%s%s%s%s",
                          named ? "" : name, named ? "" : ": ", answer->text, told ? "" : " (",
                          told ? "" : s->refused, told ? "" : ")");
}

/* Makes a scene of the blob, or frees the blob. The helper has its own limits, which a hostile one
 * does not respect. */
static mrw_status take_scene(const mrwi_load_read_job *job, uint8_t *blob, size_t size,
                             mrw_scene **out, mrw_error *error)
{
    mrw_error why = {MRW_OK, ""};
    mrw_status status = mrwi_scene_from_blob(blob, size, job->name, out, &why);
    if (status) {
        mrwi_base_free(blob);
        return mrwi_base_fail(error, status, "%s%s", why.text,
                              status == MRW_ERROR_INPUT ? " (in the data from the importer)" : "");
    }
    status = mrwi_load_job_check_scene(job, *out, error);
    if (status) {
        mrw_scene_free(*out);
        *out = NULL;
    }
    return status;
}

/* Returns the details of a job's def that are not limits of the sandbox. */
static mrwi_load_import_details details_of(const mrw_load_def *def, const char *format)
{
    mrwi_load_import_details details = {.max_texture_size = def->max_texture_size,
                                        .max_elements = def->max_elements,
                                        .max_vertices = def->max_vertices,
                                        .max_joints = def->max_joints,
                                        .max_keys = def->max_keys,
                                        .fbx_curves = def->fbx_curves,
                                        .material_colors = def->material_colors,
                                        .flip_v = def->flip_v,
                                        .flip_winding = def->flip_winding,
                                        .clips_only = def->clips_only,
                                        .later_jpegs = def->later_jpegs,
                                        .texture_memory = def->texture_memory,
                                        .maps = def->maps};
    snprintf(details.format, sizeof details.format, "%s", format);
    return details;
}

mrw_status mrwi_load_import_in_helper(const mrwi_load_read_job *job, mrwi_load_local_files *files,
                                      mrw_scene **out, mrw_error *error)
{
    *out = NULL;
    char program[MRWI_BASE_PATH_MAX];
    mrw_status status = mrwi_load_importer_find(MRWI_LOAD_IMPORTER_PROGRAM, program, error);
    if (status) {
        return status;
    }
    const mrw_load_def *def = job->def;
    const mrwi_load_import_details details = details_of(def, job->format);
    service s = {job, files, ""};
    const mrwi_sandbox_job task = {.program = program,
                                   .name = job->name,
                                   .bytes = job->bytes,
                                   .size = job->size,
                                   .seconds = def->import_seconds,
                                   .memory = def->import_memory,
                                   .max_file_size = def->max_file_size,
                                   .details = &details,
                                   .details_size = sizeof details,
                                   .open = open_file,
                                   .warn = pass_warning,
                                   .detail = pass_detail,
                                   .user = &s};
    mrwi_sandbox_answer answer;
    status = mrwi_sandbox_run(&task, &answer, error);
    if (status) {
        return status;
    }
    return answer.output ? take_scene(job, answer.output, answer.output_size, out, error)
                         : fail_said(&s, &answer, error);
}

/* ---- in this process ------------------------------------------------------------------------- */

static void warn_no_sandbox(const mrw_load_def *def)
{
    if (def->machine_warning) {
        def->machine_warning(def->machine_warning_user,
                             "imported without a sandbox (--no-sandbox): a damaged file can crash "
                             "this program, and a hostile one can take it over");
    }
}

mrw_status mrwi_load_import_in_process(const mrwi_load_read_job *job, mrw_scene **out,
                                       mrw_error *error)
{
    *out = NULL;
    void *symbol = NULL;
    mrwi_load_import_module *module;
    mrw_status status = mrwi_load_module_open(MRWI_LOAD_IMPORT_MODULE_SYMBOL, &symbol, error);
    if (status) {
        return status;
    }
    memcpy(&module, &symbol, sizeof symbol); /* ISO C has no cast from data to function */
    warn_no_sandbox(job->def);
    return module(MRWI_SANDBOX_CHANNEL_VERSION, job, out, error);
}

/* ---- Draco meshes ---------------------------------------------------------------------------- */

/* Refuses all files. A request is complete, so its helper has nothing to ask for. */
static mrwi_base_read_result open_nothing(void *user, mrwi_sandbox_file_kind kind, const char *path,
                                          int *fd, uint64_t *size)
{
    (void)user, (void)kind, (void)path, (void)fd, (void)size;
    return MRWI_BASE_READ_OUTSIDE;
}

static mrw_status decode_in_helper(const mrwi_load_read_job *job, const uint8_t *request,
                                   size_t size, uint8_t **answer, size_t *answer_size,
                                   mrw_error *error)
{
    char program[MRWI_BASE_PATH_MAX];
    mrw_status status = mrwi_load_importer_find(MRWI_LOAD_IMPORTER_PROGRAM, program, error);
    if (status) {
        return status;
    }
    const mrw_load_def *def = job->def;
    const mrwi_load_import_details details = details_of(def, MRWI_LOAD_DRACO_FORMAT);
    service s = {job, NULL, ""};
    const mrwi_sandbox_job task = {.program = program,
                                   .name = job->name,
                                   .bytes = request,
                                   .size = size,
                                   .seconds = def->import_seconds,
                                   .memory = def->import_memory,
                                   .max_file_size = def->max_file_size,
                                   .details = &details,
                                   .details_size = sizeof details,
                                   .open = open_nothing,
                                   .warn = pass_warning,
                                   .user = &s};
    mrwi_sandbox_answer said;
    status = mrwi_sandbox_run(&task, &said, error);
    if (status) {
        return status;
    }
    if (!said.output) {
        return fail_said(&s, &said, error);
    }
    *answer = said.output;
    *answer_size = said.output_size;
    return MRW_OK;
}

mrw_status mrwi_load_draco_decode(const mrwi_load_read_job *job, const uint8_t *request,
                                  size_t size, uint8_t **answer, size_t *answer_size,
                                  mrw_error *error)
{
    if (!job->def->no_sandbox) {
        return decode_in_helper(job, request, size, answer, answer_size, error);
    }
    void *symbol = NULL;
    mrwi_load_draco_module *module;
    mrw_status status = mrwi_load_module_open(MRWI_LOAD_DRACO_MODULE_SYMBOL, &symbol, error);
    if (status) {
        return status;
    }
    memcpy(&module, &symbol, sizeof symbol);
    warn_no_sandbox(job->def);
    return module(MRWI_SANDBOX_CHANNEL_VERSION, request, size, job->def->max_elements, answer,
                  answer_size, error);
}
