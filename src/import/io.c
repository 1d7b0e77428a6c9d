/* io.c: the files that assimp sees: the model in memory, and files that the reader's job may read.
 *
 * assimp tests whether a file exists by opening it, so everything that was read is kept until the
 * end. */
#include "import/io.h"

#include "base/memory.h"
#include "base/text.h"
#include "import/dae.h"
#include "import/fbx_bytes.h"
#include "load/files_local.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_FILES 256 /* most other files of a model */

typedef struct part {
    char *path;
    uint8_t *data; /* NULL if it is not readable */
    size_t size;
    mrwi_base_read_result result;
} part;

/* The model's own file. */
typedef struct model_file {
    char name[320];       /* the name under which it is opened */
    const uint8_t *bytes; /* the job's bytes, or `mended` */
    size_t size;
    uint8_t *mended;    /* repaired bytes, or NULL */
    uint32_t unpainted; /* see mrwi_import_fbx_mend */
} model_file;

typedef struct mrwi_import_files {
    const mrwi_load_read_job *job;
    struct aiFileIO io;
    model_file model;
    mrwi_import_extras extras;
    bool out_of_memory; /* true if extras.mtl is not complete */
    part parts[MAX_FILES];
    size_t part_count;
} mrwi_import_files;

/* One open file. */
typedef struct stream {
    struct aiFile file;
    const uint8_t *data;
    size_t size;
    size_t at;
} stream;

/* ---- one file -------------------------------------------------------------------------------- */

static stream *stream_of(struct aiFile *file)
{
    return (stream *)(void *)file->UserData;
}

/* Reads like fread: only whole elements, and returns their number. */
static size_t stream_read(struct aiFile *file, char *out, size_t size, size_t count)
{
    stream *s = stream_of(file);
    size_t left = s->size - s->at;
    size_t whole = size > 0 ? left / size : 0;
    whole = count < whole ? count : whole;
    if (whole > 0) {
        memcpy(out, s->data + s->at, whole * size);
        s->at += whole * size;
    }
    return whole;
}

static size_t stream_write(struct aiFile *file, const char *data, size_t size, size_t count)
{
    (void)file, (void)data, (void)size, (void)count;
    return 0;
}

static size_t stream_tell(struct aiFile *file)
{
    return stream_of(file)->at;
}

static size_t stream_size(struct aiFile *file)
{
    return stream_of(file)->size;
}

static void stream_flush(struct aiFile *file)
{
    (void)file;
}

/* Moves within the file. Offsets from the current place or the end may be negative numbers in a
 * size_t. */
static enum aiReturn stream_seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    stream *s = stream_of(file);
    size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? s->at : s->size;
    size_t at = base + offset;
    if (at > s->size) {
        return aiReturn_FAILURE;
    }
    s->at = at;
    return aiReturn_SUCCESS;
}

static struct aiFile *open_stream(const uint8_t *data, size_t size)
{
    stream *s = mrwi_base_alloc_zero(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->file = (struct aiFile){stream_read, stream_write, stream_tell,          stream_size,
                              stream_seek, stream_flush, (aiUserData)(void *)s};
    s->data = data;
    s->size = size;
    return &s->file;
}

/* ---- the folder ------------------------------------------------------------------------------ */

static const part *find_part(const mrwi_import_files *files, const char *path)
{
    for (size_t i = 0; i < files->part_count; i++) {
        if (strcmp(files->parts[i].path, path) == 0) {
            return &files->parts[i];
        }
    }
    return NULL;
}

static const part *add_part(mrwi_import_files *files, const char *path)
{
    size_t size = strlen(path) + 1;
    char *copy = files->part_count < MAX_FILES ? mrwi_base_alloc(size, 1) : NULL;
    if (!copy) {
        return NULL;
    }
    memcpy(copy, path, size);
    part *p = &files->parts[files->part_count++];
    *p = (part){copy, NULL, 0, MRWI_BASE_READ_MISSING};
    const mrwi_sandbox_files *from = files->job->files;
    p->result = from->read(from->user, MRWI_SANDBOX_FILE_PART, path, &p->data, &p->size);
    if (p->result != MRWI_BASE_READ_OK) {
        p->data = NULL;
    } else if (strcmp(files->job->format, "obj") == 0 &&
               !mrwi_import_mtl_read((char *)p->data, p->size, &files->extras.mtl)) {
        files->out_of_memory = true;
    }
    return p;
}

static const char *skip_here(const char *path)
{
    while (path[0] == '.' && (path[1] == '/' || path[1] == '\\')) {
        path += 2;
        while (path[0] == '/' || path[0] == '\\') {
            path++;
        }
    }
    return path;
}

static struct aiFile *open_file(struct aiFileIO *io, const char *path, const char *mode)
{
    mrwi_import_files *files = (mrwi_import_files *)(void *)io->UserData;
    if (!path || !mode || mode[0] != 'r') {
        return NULL;
    }
    path = skip_here(path);
    if (strcmp(path, skip_here(files->model.name)) == 0) {
        return open_stream(files->model.bytes, files->model.size);
    }
    const part *p = find_part(files, path);
    p = p ? p : add_part(files, path);
    return p && p->data ? open_stream(p->data, p->size) : NULL;
}

static void close_file(struct aiFileIO *io, struct aiFile *file)
{
    (void)io;
    if (file) {
        mrwi_base_free(stream_of(file));
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const endings[][4] = {
    {"fbx", ".fbx"},   {"collada", ".dae"},
    {"b3d", ".b3d"},   {"bvh", ".bvh"},
    {"ms3d", ".ms3d"}, {"smd", ".smd", ".vta"},
    {"obj", ".obj"},   {"stl", ".stl"},
    {"3ds", ".3ds"},   {"md5", ".md5mesh", ".md5anim"},
    {"x", ".x"},       {"ogre", ".mesh", ".mesh.xml"},
    {"mdl", ".mdl"},
};

static bool ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), e = strlen(ending);
    return n > e && strcasecmp(name + n - e, ending) == 0;
}

/* Returns the usual ending of the format's files, or "" if the name already has it. */
static const char *missing_ending(const char *format, const char *name, const char **usual)
{
    *usual = "";
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (strcmp(endings[i][0], format) == 0) {
            *usual = endings[i][1];
            for (size_t k = 1; k < 4 && endings[i][k]; k++) {
                if (ends_in(name, endings[i][k])) {
                    return "";
                }
            }
        }
    }
    return *usual;
}

/* Names the model. assimp chooses its reader by the extension; ours was detected by content.
 * Without a folder before the name some readers look for other files in "/". */
static void name_model(const mrwi_load_read_job *job, model_file *model)
{
    const char *base = mrwi_base_basename(job->name), *usual;
    const char *ending = missing_ending(job->format, base, &usual);
    bool fits = base[0] != '\0' && strlen(base) + strlen(ending) + 3 <= sizeof model->name;
    snprintf(model->name, sizeof model->name, "./%s%s", fits ? base : "model",
             fits ? ending : usual);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Finds the bytes that assimp reads, and the extras that are in them. */
static bool mend_model(const mrwi_load_read_job *job, model_file *model, mrwi_import_extras *extras)
{
    const char *format = job->format;
    size_t size = 0;
    bool good = true;
    model->bytes = job->bytes;
    model->size = job->size;
    if (strcmp(format, "fbx") == 0) {
        good = mrwi_import_fbx_mend(job->bytes, job->size, job->def->fbx_curves, &extras->sliders,
                                    &extras->beyond, &model->unpainted, &model->mended, &size);
    } else if (strcmp(format, "collada") == 0) {
        extras->dae_tags = mrwi_import_dae_find_tags((const char *)job->bytes, job->size);
        good = mrwi_import_dae_mend(job->bytes, job->size, extras->dae_tags, &extras->beyond,
                                    &model->mended, &size);
    }
    if (model->mended) {
        model->bytes = model->mended;
        model->size = size;
    }
    if (good && strcmp(format, "fbx") == 0) {
        good = mrwi_import_fbx_read_visibility(model->bytes, model->size, &extras->visibility);
    } else if (good && strcmp(format, "collada") == 0) {
        good = mrwi_import_dae_read_visibility(model->bytes, model->size, extras->dae_tags,
                                               &extras->visibility);
    }
    return good;
}

void mrwi_import_extras_free(mrwi_import_extras *extras)
{
    mrwi_import_fbx_sliders_free(&extras->sliders);
    mrwi_import_beyond_free(&extras->beyond);
    mrwi_import_visibility_free(&extras->visibility);
    mrwi_import_mtl_free(&extras->mtl);
}

mrwi_import_files *mrwi_import_files_open(const mrwi_load_read_job *job)
{
    mrwi_import_files *files = mrwi_base_alloc_zero(1, sizeof *files);
    if (!files) {
        return NULL;
    }
    files->job = job;
    files->io = (struct aiFileIO){open_file, close_file, (aiUserData)(void *)files};
    name_model(job, &files->model);
    if (!mend_model(job, &files->model, &files->extras)) {
        mrwi_import_files_close(files);
        return NULL;
    }
    return files;
}

void mrwi_import_files_close(mrwi_import_files *files)
{
    if (!files) {
        return;
    }
    for (size_t i = 0; i < files->part_count; i++) {
        mrwi_base_free(files->parts[i].path);
        mrwi_base_free(files->parts[i].data);
    }
    mrwi_base_free(files->model.mended);
    mrwi_import_extras_free(&files->extras);
    mrwi_base_free(files);
}

bool mrwi_import_files_take_extras(mrwi_import_files *files, mrwi_import_extras *out)
{
    *out = files->extras;
    files->extras = (mrwi_import_extras){.sliders = {NULL, 0}};
    mrwi_import_mtl_sort(&out->mtl);
    return !files->out_of_memory;
}

const char *mrwi_import_files_model(const mrwi_import_files *files)
{
    return files->model.name;
}

struct aiFileIO *mrwi_import_files_io(mrwi_import_files *files)
{
    return &files->io;
}

/* Returns true for files whose absence shows. assimp looks for many files that need not exist; only
 * a material library matters. */
static bool worth_a_warning(const part *p)
{
    return p->result != MRWI_BASE_READ_OK &&
           (p->result != MRWI_BASE_READ_MISSING || ends_in(p->path, ".mtl"));
}

void mrwi_import_files_report(const mrwi_import_files *files, mrwi_scene_builder *builder)
{
    for (size_t i = 0; i < files->part_count; i++) {
        const part *p = &files->parts[i];
        char path[200];
        if (worth_a_warning(p)) {
            mrwi_scene_builder_warn(builder, "the file \"%s\" that it refers to %s; %s",
                                    mrwi_base_escape(p->path, path, sizeof path),
                                    mrwi_base_read_reason(p->result),
                                    mrwi_load_read_remedy(p->result, MRWI_SANDBOX_FILE_PART));
        }
    }
    if (files->model.unpainted > 0) {
        mrwi_scene_builder_warn(builder,
                                "%u geometries are shared by models with different materials, and "
                                "some of these models get the materials of another one; export a "
                                "geometry for each model",
                                files->model.unpainted);
    }
    if (files->part_count == MAX_FILES) {
        mrwi_scene_builder_warn(
            builder, "it refers to more than %d other files; the rest are ignored", MAX_FILES);
    }
}
