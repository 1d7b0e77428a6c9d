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
 * the image will. It stops where it cannot tell what an image will take: a picture that is decoded
 * here and refused there would be work for nothing, as often as the file likes. */

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

/* True for a texture that is left out for want of its coordinates. */
static bool is_left_out(const cJSON *shown)
{
    const cJSON *transform = extension_of(shown, "KHR_texture_transform");
    const cJSON *from = member(transform, "texCoord") != NULL ? transform : shown;
    return member(from, "texCoord") != NULL && number(from, "texCoord", 2) == MRW_NONE;
}

/* The image that a material shows, or MRW_NONE; *sure becomes false where it may yet show one. */
static uint32_t image_of(const mrwi_gltf *g, const cJSON *material, bool *sure)
{
    const cJSON *gloss = extension_of(material, "KHR_materials_pbrSpecularGlossiness");
    const cJSON *shown = gloss != NULL
                             ? member(gloss, "diffuseTexture")
                             : member(member(material, "pbrMetallicRoughness"), "baseColorTexture");
    if (shown == NULL || is_left_out(shown)) {
        return MRW_NONE;
    }
    uint32_t texture = number(shown, "index", g->textures.count);
    uint32_t image = texture != MRW_NONE
                         ? number(g->textures.items[texture], "source", g->images.count)
                         : MRW_NONE;
    *sure = *sure && image != MRW_NONE;
    return image;
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

static bool has_file(const cJSON *image)
{
    const cJSON *uri = member(image, "uri");
    return cJSON_IsString(uri) && !mrwi_uri_is_data(uri->valuestring);
}

/* Reads the file of an image that has one. */
static bool read_file(const mrwi_gltf *g, const cJSON *image, mrwi_texture_ahead *ahead)
{
    char path[MRWI_PATH_MAX];
    return mrwi_uri_decode(member(image, "uri")->valuestring, path, sizeof path) &&
           g->files->read(g->files->user, MRWI_FILE_TEXTURE, path, &ahead->data, &ahead->size) ==
               MRWI_READ_OK;
}

/* ---- decoding several -------------------------------------------------------------------------*/

typedef struct ahead_jobs {
    mrwi_gltf *g;
    int64_t count;            /* pictures worth decoding among those of g->ahead */
    uint64_t cost;            /* texels, and those that the files of images would fill */
    mrwi_texture_budget left; /* when all these will have been taken */
    bool sure;                /* that is what will be left */
} ahead_jobs;

static void decode_one(void *user, int64_t index, int worker)
{
    const ahead_jobs *jobs = user;
    mrwi_texture_ahead *ahead = &jobs->g->image_ahead[jobs->g->ahead[index]];
    (void)worker;
    /* What fails here fails again where it is asked for, and is reported there. */
    if (ahead->bytes != NULL &&
        mrw_image_decode(ahead->bytes, ahead->size, 4, jobs->g->def->max_texture_size, "",
                         &ahead->image, NULL) != MRW_OK) {
        memset(&ahead->image, 0, sizeof ahead->image);
    }
}

/* Finds the bytes of an image; false when there are none. */
static bool find_bytes(mrwi_gltf *g, uint32_t index, ahead_jobs *jobs)
{
    const cJSON *entry = g->images.items[index];
    mrwi_texture_ahead *ahead = &g->image_ahead[index];
    if (find_embedded(g, entry, &ahead->bytes, &ahead->size)) {
        return true;
    }
    jobs->sure = jobs->sure && has_file(entry);
    if (!jobs->sure || !read_file(g, entry, ahead)) {
        return false;
    }
    ahead->bytes = ahead->data;
    jobs->cost += ahead->size / 4;
    return true;
}

/* Adds an image to those that wait. */
static void add_job(mrwi_gltf *g, uint32_t index, ahead_jobs *jobs)
{
    mrwi_texture_ahead *ahead = &g->image_ahead[index];
    ahead->looked_at = true;
    g->ahead[g->ahead_count++] = index;
    if (find_bytes(g, index, jobs)) {
        uint64_t texels = mrwi_image_pixels(ahead->bytes, ahead->size);
        if (mrwi_texture_charge(g->def, ahead->size, texels, &jobs->left) && texels > 0) {
            jobs->cost += texels;
            jobs->count++;
        } else {
            ahead->bytes = NULL;
        }
    }
}

/* Forgets what was decoded and nobody asked for. */
void mrwi_gltf_images_free(mrwi_gltf *g)
{
    while (g->ahead_count > 0) {
        mrwi_texture_ahead_free(&g->image_ahead[g->ahead[--g->ahead_count]]);
    }
}

/* Decodes the images of material `first` and of the next ones, as far as bounds and the budget of
 * textures reach. */
static void decode_ahead(mrwi_gltf *g, uint32_t first)
{
    ahead_jobs jobs = {.g = g, .left = g->textures_left, .sure = true};
    mrwi_gltf_images_free(g);
    for (g->ahead_end = first; g->ahead_end < g->materials.count && jobs.cost < MOST_AHEAD &&
                               jobs.left.pixels > 0 && jobs.sure;
         g->ahead_end++) {
        uint32_t image = image_of(g, g->materials.items[g->ahead_end], &jobs.sure);
        if (image != MRW_NONE && g->image_index[image] == MRW_NONE &&
            !g->image_ahead[image].looked_at) {
            add_job(g, image, &jobs);
        }
    }
    if (jobs.count > 1) {
        mrwi_parallel_for(g->def->threads, g->ahead_count, decode_one, &jobs);
    }
}

bool mrwi_gltf_push_image(mrwi_gltf *g, uint32_t index, uint32_t material)
{
    if (g->def->threads > 1 && material >= g->ahead_end) {
        decode_ahead(g, material);
    }
    return push_image(g, index);
}
