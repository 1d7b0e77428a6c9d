/* gltf_image.c: images of a glTF file.
 *
 * An image is named when the first texture needs it, and opened when the first material that is
 * drawn shows it. Idle threads decode it while the meshes and clips are read: see load/texture.h.
 * Only some images wait for the builder at a time, in the order in which they were opened. */
#include "base/memory.h"
#include "base/parallel.h"
#include "load/gltf.h"
#include "load/uri.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Limits for waiting images and their texels (64 MB). With more, equal images would take memory
 * until they are merged. */
#define MOST_JOBS   32
#define MOST_TEXELS (UINT64_C(16) << 20)

/* Decoding fewer texels, or hashing fewer bytes, takes less time than waking a thread. */
#define FEW_TEXELS 1024u
#define FEW_BYTES  65536u

/* ---- naming ---------------------------------------------------------------------------------- */

/* Returns the URI of an image that has its own file, else NULL. */
static const char *file_uri(mrwi_load_json *json, const cJSON *entry)
{
    const char *uri = mrwi_load_json_string(json, entry, "uri");
    return uri && !mrwi_load_uri_is_data(uri) ? uri : NULL;
}

/* Finds name and path. The path is written to `path`. */
static mrwi_load_texture_source source_of(mrwi_load_json *json, const cJSON *entry,
                                          char path[MRWI_BASE_PATH_MAX])
{
    mrwi_load_texture_source source = {.name = mrwi_load_json_string(json, entry, "name")};
    const char *uri = file_uri(json, entry);
    if (uri) {
        if (!mrwi_load_uri_decode(uri, path, MRWI_BASE_PATH_MAX)) {
            path[0] = '\0';
        }
        source.path = path;
    }
    return source;
}

bool mrwi_load_gltf_name_image(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                               mrwi_load_gltf_images *images, mrwi_scene_builder *builder,
                               uint32_t index)
{
    char path[MRWI_BASE_PATH_MAX];
    size_t mark = mrwi_load_json_enter(json, "image %" PRIu32, index);
    mrwi_load_texture_source source = source_of(json, document->images.items[index], path);
    bool good = mrwi_load_json_good(json) &&
                mrwi_load_json_ok(json, mrwi_load_texture_name(builder, &source,
                                                               &images->index[index], json->error));
    mrwi_load_json_leave(json, mark);
    return good;
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool find_data(mrwi_load_json *json, const char *uri, mrwi_load_texture_source *source)
{
    mrwi_base_read_result result = mrwi_load_uri_data(uri, &source->owned, &source->size);
    if (result == MRWI_BASE_READ_MEMORY) {
        mrwi_load_json_fail_memory(json, strlen(uri));
        return false;
    }
    if (result != MRWI_BASE_READ_OK) {
        source->owned = NULL;
        source->problem = ": its data: URI is malformed";
    }
    source->bytes = source->owned;
    return true;
}

static bool find_view(mrwi_load_gltf_file *file, const cJSON *entry,
                      mrwi_load_texture_source *source)
{
    uint32_t view = mrwi_load_json_index(&file->json, entry, "bufferView",
                                         file->document->views.count, "buffer views");
    const mrwi_load_gltf_view *bytes =
        view != MRW_NONE ? mrwi_load_gltf_view_open(file, view) : NULL;
    if (!mrwi_load_json_good(&file->json)) {
        return false;
    }
    if (!bytes) {
        source->problem = " has neither uri nor bufferView";
    } else {
        source->bytes = bytes->data;
        source->size = (size_t)bytes->size;
    }
    return true;
}

/* Finds the bytes of an image. */
static bool find_bytes(mrwi_load_gltf_file *file, const cJSON *entry,
                       mrwi_load_texture_source *source)
{
    mrwi_load_json *json = &file->json;
    const char *uri = mrwi_load_json_string(json, entry, "uri");
    if (!mrwi_load_json_good(json) || source->path) {
        return mrwi_load_json_good(json);
    }
    return uri ? find_data(json, uri, source) : find_view(file, entry, source);
}

/* Opens an image and starts decoding it. */
static bool start_job(mrwi_load_json *json, mrwi_load_gltf_images *images, uint32_t index,
                      const mrwi_load_texture_source *source)
{
    mrwi_load_texture_job *job = &images->jobs[images->job_count++];
    mrw_status status = mrwi_load_texture_open(
        images->def, images->files, source, images->index[index], &images->left, job, json->error);
    if (!mrwi_load_json_ok(json, status)) {
        return false;
    }
    job->progress = images->progress;
    images->job_texels += job->later ? 0 : job->pixels;
    if (job->pixels >= FEW_TEXELS || (job->bytes && job->size >= FEW_BYTES)) {
        mrwi_base_tasks_add(mrwi_load_texture_decode, job);
    } else {
        mrwi_load_texture_decode(job);
    }
    return true;
}

bool mrwi_load_gltf_show_image(mrwi_load_gltf_file *file, mrwi_load_gltf_images *images,
                               mrwi_scene_builder *builder, uint32_t index)
{
    mrwi_load_json *json = &file->json;
    char path[MRWI_BASE_PATH_MAX], where[32];
    if (images->shown[index] || !mrwi_load_json_good(json)) {
        return mrwi_load_json_good(json);
    }
    if ((images->job_count == MOST_JOBS || images->job_texels >= MOST_TEXELS) &&
        !mrwi_load_gltf_take_images(json, images, builder)) {
        return false;
    }
    snprintf(where, sizeof where, "image %" PRIu32, index);
    size_t mark = mrwi_load_json_enter(json, "%s", where);
    const cJSON *entry = file->document->images.items[index];
    mrwi_load_texture_source source = source_of(json, entry, path);
    source.where = where;
    source.maps = images->maps[index];
    bool good = find_bytes(file, entry, &source) && start_job(json, images, index, &source);
    images->shown[index] = good; /* else the next map that shows it fails, too */
    mrwi_load_json_leave(json, mark);
    return good;
}

/* ---- what was decoded ------------------------------------------------------------------------ */

bool mrwi_load_gltf_take_images(mrwi_load_json *json, mrwi_load_gltf_images *images,
                                mrwi_scene_builder *builder)
{
    mrwi_base_tasks_wait();
    for (uint32_t i = 0; i < images->job_count && mrwi_load_json_good(json); i++) {
        mrwi_load_json_ok(json, mrwi_load_texture_close(builder, &images->jobs[i], json->error));
    }
    mrwi_load_gltf_images_free(images);
    return mrwi_load_json_good(json);
}

void mrwi_load_gltf_images_free(mrwi_load_gltf_images *images)
{
    while (images->job_count > 0) {
        mrwi_load_texture_drop(&images->jobs[--images->job_count]);
    }
    images->job_texels = 0;
}

bool mrwi_load_gltf_start_images(mrwi_load_json *json, mrwi_base_arena *keep,
                                 const mrwi_load_read_job *job, uint32_t count,
                                 mrwi_load_gltf_images *out)
{
    memset(out, 0, sizeof *out);
    out->def = job->def;
    out->files = job->files;
    out->left = mrwi_load_texture_budget_of(job->def);
    out->index = mrwi_load_json_alloc_none(json, keep, count);
    out->shown = mrwi_load_json_alloc_zero(json, keep, count, sizeof *out->shown);
    out->maps = mrwi_load_json_alloc_zero(json, keep, count, sizeof *out->maps);
    out->jobs =
        count > 0 ? mrwi_load_json_alloc_zero(json, keep, MOST_JOBS, sizeof *out->jobs) : NULL;
    return mrwi_load_json_good(json);
}
