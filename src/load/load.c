/* load.c: loads files into scenes: finds the bytes, detects their format, calls its reader. */
#include "marrow/load.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/work.h"
#include "load/compiled.h"
#include "load/demo.h"
#include "load/format.h"
#include "load/gltf.h"
#include "load/importer.h"
#include "load/opened.h"
#include "scene/first_key.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEMO_PREFIX "demo:"

mrw_load_def mrw_load_def_default(void)
{
    mrw_load_def def;
    memset(&def, 0, sizeof def);
    def.max_file_size = UINT64_C(2) << 30;
    def.max_texture_size = UINT64_C(16384) * 16384;
    def.texture_memory = UINT64_C(1) << 30;
    def.max_elements = 100000000;
    def.max_vertices = 20000000;
    def.max_joints = 65535;
    def.max_keys = 50000000;
    def.import_seconds = 10.0;
    def.import_memory = UINT64_C(2) << 30;
    def.fbx_curves = true;
    def.threads = 1;
    def.maps = MRW_MAPS_ALL;
    return def;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static mrw_status fail_read(mrw_error *error, const char *path, mrwi_base_read_result result,
                            uint64_t max)
{
    char name[300];
    mrwi_base_escape(path, name, sizeof name);
    switch (result) {
    case MRWI_BASE_READ_MEMORY:
        return mrwi_base_fail_memory(error, 0);
    case MRWI_BASE_READ_LFS:
    case MRWI_BASE_READ_PAGE:
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: this %s", name,
                              mrwi_base_read_reason(result));
    case MRWI_BASE_READ_MISSING:
        if (strstr(path, "://")) {
            return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                  "%s: marrow reads files; download it first", name);
        }
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: there is no such file; check the path (demo:NAME means a built-in "
            "model)",
            name);
    case MRWI_BASE_READ_DENIED:
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: permission denied; make it readable (chmod +r)", name);
    case MRWI_BASE_READ_FOLDER:
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: this is a folder; give the model file in it", name);
    case MRWI_BASE_READ_SPECIAL:
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: this is not a regular file; copy the model to one", name);
    case MRWI_BASE_READ_LARGE:
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the file has more than %" PRIu64 " bytes; allow more with "
                              "--max-file-size",
                              name, max);
    default:
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the file could not be read; check the disk and try again", name);
    }
}

/* ---- loading --------------------------------------------------------------------------------- */

static mrw_status import(const mrwi_load_read_job *job, mrwi_load_local_files *files,
                         mrw_scene **out, mrw_error *error)
{
    return job->def->no_sandbox ? mrwi_load_import_in_process(job, out, error)
                                : mrwi_load_import_in_helper(job, files, out, error);
}

/* Checks scene and variant. Only glTF files can have several; all other files have just scene 0. */
static mrw_status check_choices(const mrwi_load_format *format, const mrwi_load_read_job *job,
                                mrw_error *error)
{
    const char *scene = job->def->scene, *variant = job->def->variant;
    char name[300], wanted[100];
    if (format->reader == MRWI_LOAD_READER_GLTF) {
        return MRW_OK;
    }
    if (scene && strcmp(scene, "0") != 0) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: there is no scene \"%s\": only glTF files have named scenes; omit --scene",
            mrwi_base_escape(job->name, name, sizeof name),
            mrwi_base_escape(scene, wanted, sizeof wanted));
    }
    return !variant ? MRW_OK
                    : mrwi_base_fail(error, MRW_ERROR_INPUT,
                                     "%s: there is no variant \"%s\": only glTF files have "
                                     "variants; omit --variant",
                                     mrwi_base_escape(job->name, name, sizeof name),
                                     mrwi_base_escape(variant, wanted, sizeof wanted));
}

static mrw_status call_reader(const mrwi_load_format *format, const mrwi_load_read_job *job,
                              mrwi_load_local_files *files, mrw_scene **out, mrw_error *error)
{
    char name[300];
    switch (format->reader) {
    case MRWI_LOAD_READER_GLTF:
        return mrwi_load_gltf_read(job, out, error);
    case MRWI_LOAD_READER_M3D:
        return mrwi_load_m3d_read(job, out, error);
    case MRWI_LOAD_READER_IQM:
        return mrwi_load_iqm_read(job, out, error);
    case MRWI_LOAD_READER_MARROW:
        return mrwi_load_compiled_read(job, out, error);
    case MRWI_LOAD_READER_ASSIMP:
        return import(job, files, out, error);
    default:
        return mrwi_base_fail(error, MRW_ERROR_UNSUPPORTED, "%s: this build has no reader for %s",
                              mrwi_base_escape(job->name, name, sizeof name), format->title);
    }
}

/* The bytes of a model, from any source. */
typedef struct model_bytes {
    const uint8_t *data; /* 64 readable bytes follow */
    size_t size;
    const char *name;   /* for messages */
    const char *folder; /* its folder, or NULL */
    uint8_t *owned;     /* the data if it must be freed, or NULL */
    bool releasable;    /* see mrwi_load_read_job */
    char folder_text[MRWI_BASE_PATH_MAX];
} model_bytes;

static void hash_model(const model_bytes *model, const mrwi_load_format *format, uint8_t out[32])
{
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    if (format && format->reader == MRWI_LOAD_READER_ASSIMP) {
        const char *base = mrwi_base_basename(model->name);
        mrwi_base_sha256_add(&hash, base, strlen(base) + 1);
    }
    if (format && format->name) {
        mrwi_base_sha256_add(&hash, format->name, strlen(format->name) + 1);
    }
    mrwi_base_sha256_add(&hash, model->data, model->size);
    mrwi_base_sha256_end(&hash, out);
}

/* Fails if another file stands in for one of the model's files, whatever else the result is:
 * without this, a wrong model would look right. */
static mrw_status refuse_stand_in(const mrwi_load_local_files *files, const char *name,
                                  mrw_status status, mrw_scene **out, mrw_error *error)
{
    char shown[300];
    if (files->stand_in[0] == '\0' || status == MRW_ERROR_MEMORY) {
        return status;
    }
    if (!status) {
        mrw_scene_free(*out);
        *out = NULL;
    }
    return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: %s",
                          mrwi_base_escape(name, shown, sizeof shown), files->stand_in);
}

/* Loads a model; opened may be NULL. */
static mrw_status load_bytes(const model_bytes *model, const mrw_load_def *def,
                             mrwi_load_opened *opened, mrw_scene **out, mrw_error *error)
{
    mrwi_load_local_files files;
    const mrwi_base_read_result stand_in = mrwi_base_stand_in(model->data, model->size);
    if (stand_in != MRWI_BASE_READ_OK) { /* standard input or memory */
        return fail_read(error, model->name, stand_in, 0);
    }
    const mrwi_load_format *format =
        mrwi_load_format_tell(model->data, model->size, model->name, def);
    mrw_status status =
        mrwi_load_format_check(format, model->data, model->size, model->name, def, error);
    if (opened) { /* also for a refused file */
        hash_model(model, format, opened->model);
        opened->whole = true;
    }
    if (status) {
        return status;
    }
    status = mrwi_load_local_files_open(&files, model->folder, def, error);
    if (status) {
        return status;
    }
    files.opened = opened;
    files.model = model->name;
    const mrwi_sandbox_files reader = mrwi_load_local_files_reader(&files);
    const mrwi_load_read_job job = {model->data, model->size, model->name,      format->name,
                                    def,         &reader,     model->releasable};
    status = check_choices(format, &job, error);
    if (status) {
        goto out;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = call_reader(format, &job, &files, out, error);
    if (!status && def->from_first_key) {
        mrwi_scene_begin_at_first_keys(*out);
    }
    mrwi_base_fp_leave(fp);
    if (!status) { /* a cancelled load may lack pictures */
        status = mrwi_base_work_check(model->name, error);
        if (status) {
            mrw_scene_free(*out);
            *out = NULL;
        }
    }
out:
    mrwi_load_local_files_close(&files);
    return refuse_stand_in(&files, model->name, status, out, error);
}

static mrw_status fail_demo(mrw_error *error, const char *name)
{
    char list[256] = "", escaped[100];
    for (size_t i = 0; i < mrwi_load_demo_count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                 mrwi_load_demo_at(i).name);
    }
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          DEMO_PREFIX "%s: unknown built-in model; expected one of %s",
                          mrwi_base_escape(name, escaped, sizeof escaped), list);
}

/* Reads a model's file, or finds the built-in one. The caller frees out->owned. */
static mrw_status find_model(const char *path, uint64_t max, model_bytes *out, mrw_error *error)
{
    *out = (model_bytes){.name = path};
    if (strncmp(path, DEMO_PREFIX, strlen(DEMO_PREFIX)) == 0) {
        const char *name = path + strlen(DEMO_PREFIX);
        for (size_t i = 0; i < mrwi_load_demo_count; i++) {
            mrwi_load_demo demo = mrwi_load_demo_at(i);
            if (strcmp(name, demo.name) == 0) {
                out->data = demo.data;
                out->size = demo.size;
                return MRW_OK;
            }
        }
        return fail_demo(error, name);
    }
    out->folder = mrwi_load_folder_of(path, out->folder_text);
    mrwi_base_read_result result = out->folder
                                       ? mrwi_base_read_path(path, max, &out->owned, &out->size)
                                       : MRWI_BASE_READ_MISSING;
    out->data = out->owned;
    out->releasable = true;
    return result == MRWI_BASE_READ_OK ? MRW_OK : fail_read(error, path, result, max);
}

mrw_status mrwi_load_file_noting(const char *path, const mrw_load_def *def,
                                 mrwi_load_opened *opened, mrw_scene **out, mrw_error *error)
{
    model_bytes model;
    *out = NULL;
    mrw_status status = find_model(path, def->max_file_size, &model, error);
    if (status) {
        return status;
    }
    status = load_bytes(&model, def, opened, out, error);
    mrwi_base_free(model.owned);
    return status;
}

bool mrwi_load_model_hash(const char *path, const mrw_load_def *def, uint8_t hash[32])
{
    model_bytes model;
    if (find_model(path, def->max_file_size, &model, NULL)) {
        return false;
    }
    hash_model(&model, mrwi_load_format_tell(model.data, model.size, path, def), hash);
    mrwi_base_free(model.owned);
    return true;
}

mrw_status mrw_load_file(const char *path, const mrw_load_def *def, mrw_scene **out,
                         mrw_error *error)
{
    const mrw_load_def fallback = mrw_load_def_default();
    assert(path && out);
    return mrwi_load_file_noting(path, def ? def : &fallback, NULL, out, error);
}

static mrw_status load_memory(const void *bytes, size_t size, const char *name, const char *folder,
                              const mrw_load_def *def, mrwi_load_opened *opened, mrw_scene **out,
                              mrw_error *error)
{
    *out = NULL;
    /* a copy, since readers may look at bytes after the end */
    uint8_t *copy = mrwi_base_alloc(size, 1);
    if (!copy) {
        return mrwi_base_fail_memory(error, size);
    }
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    const model_bytes model = {
        .data = copy, .size = size, .name = name, .folder = folder, .releasable = true};
    mrw_status status = load_bytes(&model, def, opened, out, error);
    mrwi_base_free(copy);
    return status;
}

mrw_status mrw_load_memory(const void *bytes, size_t size, const char *name, const char *folder,
                           const mrw_load_def *def, mrw_scene **out, mrw_error *error)
{
    const mrw_load_def fallback = mrw_load_def_default();
    assert((bytes || size == 0) && out);
    return load_memory(bytes, size, name ? name : "model", folder, def ? def : &fallback, NULL, out,
                       error);
}

mrw_status mrwi_load_memory_noting(const void *bytes, size_t size, const char *name,
                                   const mrw_load_def *def, mrwi_load_opened *opened,
                                   mrw_scene **out, mrw_error *error)
{
    *out = NULL;
    return size > def->max_file_size
               ? fail_read(error, name, MRWI_BASE_READ_LARGE, def->max_file_size)
               : load_memory(bytes, size, name, NULL, def, opened, out, error);
}

void mrwi_load_memory_hash(const void *bytes, size_t size, const char *name,
                           const mrw_load_def *def, uint8_t hash[32])
{
    const model_bytes model = {.data = bytes, .size = size, .name = name};
    hash_model(&model, mrwi_load_format_tell(bytes, size, name, def), hash);
}
