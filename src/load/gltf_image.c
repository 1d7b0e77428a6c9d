/* gltf_image.c: images of a glTF file.
 *
 * An image is taken when the first texture that a material shows needs it. With several threads the
 * next ones are then decoded, too, as many as fit a bound: they wait in image_ahead until they are
 * asked for, in the same order and with the same warnings as if each had been decoded then.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "image/decode.h"
#include "load/gltf.h"
#include "load/texture.h"
#include "load/uri.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Texels that may be decoded and not yet in the scene: 64 MB. */
#define MOST_AHEAD (UINT64_C(16) << 20)

/* ---- taking one -------------------------------------------------------------------------------*/

static bool push_image_source(mrwi_gltf *g, uint32_t index, mrwi_texture_source *source)
{
    source->ahead = &g->image_ahead[index];
    return mrwi_json_ok(&g->json,
                        mrwi_texture_push(g->builder, g->def, g->files, source, &g->textures_left,
                                          &g->image_index[index], g->json.error));
}

static bool push_data_image(mrwi_gltf *g, uint32_t index, const char *uri,
                            mrwi_texture_source *source)
{
    uint8_t *data = NULL;
    size_t size = 0;
    mrwi_read_result result = mrwi_uri_data(uri, &data, &size);
    if (result == MRWI_READ_MEMORY) {
        mrwi_json_fail_memory(&g->json, strlen(uri));
        return false;
    }
    if (result != MRWI_READ_OK) {
        mrwi_builder_warn(g->builder, "%s: its data: URI is malformed; a checker stands in",
                          source->where);
    }
    source->bytes = data;
    source->size = size;
    bool good = push_image_source(g, index, source);
    mrwi_free(data);
    return good;
}

static bool push_uri_image(mrwi_gltf *g, uint32_t index, const char *uri,
                           mrwi_texture_source *source)
{
    char path[MRWI_PATH_MAX];
    if (mrwi_uri_is_data(uri)) {
        return push_data_image(g, index, uri, source);
    }
    if (!mrwi_uri_decode(uri, path, sizeof path)) {
        path[0] = '\0';
    }
    source->path = path;
    return push_image_source(g, index, source);
}

static bool push_view_image(mrwi_gltf *g, uint32_t index, uint32_t view,
                            mrwi_texture_source *source)
{
    const mrwi_gltf_view *bytes = view != MRW_NONE ? mrwi_gltf_view_open(g, view) : NULL;
    if (!mrwi_gltf_good(g)) {
        return false;
    }
    if (bytes == NULL) {
        mrwi_builder_warn(g->builder, "%s has neither uri nor bufferView; a checker stands in",
                          source->where);
    } else {
        source->bytes = bytes->data;
        source->size = (size_t)bytes->size;
    }
    return push_image_source(g, index, source);
}

static bool push_image(mrwi_gltf *g, uint32_t index)
{
    char where[32];
    snprintf(where, sizeof where, "image %" PRIu32, index);
    size_t mark = mrwi_json_enter(&g->json, "%s", where);
    const cJSON *entry = g->images.items[index];
    mrwi_texture_source source = {.name = mrwi_json_string(&g->json, entry, "name"),
                                  .where = where};
    const char *uri = mrwi_json_string(&g->json, entry, "uri");
    uint32_t view = mrwi_json_index(&g->json, entry, "bufferView", g->views.count, "buffer views");
    bool good = mrwi_gltf_good(g) && (uri != NULL ? push_uri_image(g, index, uri, &source)
                                                  : push_view_image(g, index, view, &source));
    mrwi_json_leave(&g->json, mark);
    return good;
}

/* ---- which come next --------------------------------------------------------------------------*/

/* What follows looks at a file that may be malformed in any way, and says nothing: whoever takes
 * the image will. A wrong guess costs time only. */

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

static const cJSON *extension_of(const cJSON *object, const char *name)
{
    return member(member(object, "extensions"), name);
}

/* A whole number below limit, or MRW_NONE. */
static uint32_t number(const cJSON *object, const char *key, uint32_t limit)
{
    const cJSON *item = member(object, key);
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
    return value >= 0.0 && value < (double)limit && value == (double)(uint32_t)value
               ? (uint32_t)value
               : MRW_NONE;
}

/* The image that a material shows. */
static uint32_t image_of(const mrwi_gltf *g, const cJSON *material)
{
    const cJSON *gloss = extension_of(material, "KHR_materials_pbrSpecularGlossiness");
    const cJSON *shown = gloss != NULL
                             ? member(gloss, "diffuseTexture")
                             : member(member(material, "pbrMetallicRoughness"), "baseColorTexture");
    uint32_t texture = number(shown, "index", g->textures.count);
    return texture != MRW_NONE ? number(g->textures.items[texture], "source", g->images.count)
                               : MRW_NONE;
}

/* Where the bytes of an embedded image are; false when they are elsewhere or there is any doubt. */
static bool find_embedded(const mrwi_gltf *g, const cJSON *image, const uint8_t **bytes,
                          size_t *size)
{
    uint32_t index = number(image, "bufferView", g->views.count);
    const cJSON *view = index != MRW_NONE ? g->views.items[index] : NULL;
    uint32_t buffer = number(view, "buffer", g->buffers.count);
    uint32_t length = number(view, "byteLength", MRW_NONE);
    uint32_t offset = member(view, "byteOffset") ? number(view, "byteOffset", MRW_NONE) : 0;
    if (g->glb.bin == NULL || buffer == MRW_NONE || length == MRW_NONE || offset == MRW_NONE ||
        member(image, "uri") != NULL || member(g->buffers.items[buffer], "uri") != NULL ||
        member(view, "extensions") != NULL || (uint64_t)offset + length > g->glb.bin_size) {
        return false;
    }
    *bytes = g->glb.bin + offset;
    *size = length;
    return true;
}

/* Reads the file of an image that has one. */
static bool read_file(const mrwi_gltf *g, const cJSON *image, mrwi_texture_ahead *ahead)
{
    char path[MRWI_PATH_MAX];
    const cJSON *uri = member(image, "uri");
    return cJSON_IsString(uri) && !mrwi_uri_is_data(uri->valuestring) &&
           mrwi_uri_decode(uri->valuestring, path, sizeof path) &&
           g->files->read(g->files->user, MRWI_FILE_TEXTURE, path, &ahead->data, &ahead->size) ==
               MRWI_READ_OK;
}

/* ---- decoding several -------------------------------------------------------------------------*/

typedef struct ahead_job {
    const uint8_t *bytes;
    size_t size;
    mrwi_texture_ahead *ahead;
} ahead_job;

typedef struct ahead_jobs {
    const mrwi_gltf *g;
    ahead_job *items;
} ahead_jobs;

static void decode_one(void *user, int64_t index, int worker)
{
    const ahead_jobs *jobs = user;
    const ahead_job *job = &jobs->items[index];
    (void)worker;
    /* What fails here fails again where it is asked for, and is reported there. */
    if (mrw_image_decode(job->bytes, job->size, 4, jobs->g->def->max_texture_size, "",
                         &job->ahead->image, NULL) != MRW_OK) {
        memset(&job->ahead->image, 0, sizeof job->ahead->image);
    }
}

/* Makes a job of an image; false when there is nothing to do. *cost grows by its texels, and those
 * that its file would fill. */
static bool make_job(mrwi_gltf *g, uint32_t index, ahead_job *job, uint64_t *cost)
{
    mrwi_texture_ahead *ahead = &g->image_ahead[index];
    const cJSON *entry = g->images.items[index];
    *job = (ahead_job){NULL, 0, ahead};
    ahead->looked_at = true;
    if (!find_embedded(g, entry, &job->bytes, &job->size)) {
        if (!read_file(g, entry, ahead)) {
            return false;
        }
        job->bytes = ahead->data;
        job->size = ahead->size;
        *cost += ahead->size / 4;
    }
    uint64_t texels = mrwi_image_pixels(job->bytes, job->size);
    if (texels == 0 || texels > g->def->max_texture_size) {
        mrwi_free(ahead->data);
        ahead->data = NULL;
        return false;
    }
    *cost += texels;
    return true;
}

/* Decodes the images of material `first` and of the next ones, up to the bound. */
static void decode_ahead(mrwi_gltf *g, uint32_t first)
{
    uint64_t cost = 0;
    ahead_jobs jobs = {g, mrwi_alloc(g->images.count, sizeof *jobs.items)};
    int64_t count = 0;
    g->ahead_end = first;
    for (; g->ahead_end < g->materials.count && cost < MOST_AHEAD; g->ahead_end++) {
        uint32_t image = image_of(g, g->materials.items[g->ahead_end]);
        if (jobs.items != NULL && image != MRW_NONE && !g->image_ahead[image].looked_at) {
            count += make_job(g, image, &jobs.items[count], &cost);
        }
    }
    if (count > 1) {
        mrwi_parallel_for(g->def->threads, count, decode_one, &jobs);
    }
    mrwi_free(jobs.items);
}

bool mrwi_gltf_push_image(mrwi_gltf *g, uint32_t index, uint32_t material)
{
    if (g->def->threads > 1 && material >= g->ahead_end) {
        decode_ahead(g, material);
    }
    return push_image(g, index);
}

void mrwi_gltf_images_free(mrwi_gltf *g)
{
    for (uint32_t i = 0; g->image_ahead != NULL && i < g->images.count; i++) {
        mrw_image_free(&g->image_ahead[i].image);
        mrwi_free(g->image_ahead[i].data);
    }
}
