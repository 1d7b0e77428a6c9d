/* texture.c: finds and decodes the images that a model names. */
#include "load/texture.h"

#include "image/ktx2.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "image/decode.h"
#include "image/jpeg.h"
#include "load/files_local.h"
#include "marrow/codecs.h"
#include "scene/blob.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

mrwi_load_texture_budget mrwi_load_texture_budget_of(const mrw_load_def *def)
{
    bool fits = def->max_texture_size <= UINT64_MAX / 2;
    return (mrwi_load_texture_budget){.bytes = def->max_file_size,
                                      .pixels = fits ? 2 * def->max_texture_size : UINT64_MAX,
                                      .memory = def->texture_memory};
}

mrw_status mrwi_load_texture_name(mrwi_scene_builder *builder, const mrwi_load_texture_source *in,
                                  uint32_t *index, mrw_error *error)
{
    mrwi_scene_image_input input = {.name = in->name, .path = in->path, .unseen = true};
    return mrwi_scene_builder_image(builder, &input, index, error);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Reads the file of an image that is not embedded; warns if there is none. */
static mrw_status read_texture(const mrwi_sandbox_files *files, const mrwi_load_texture_source *in,
                               mrwi_load_texture_job *job)
{
    mrwi_base_read_result result =
        files->read(files->user, MRWI_SANDBOX_FILE_TEXTURE, in->path, &job->owned, &job->size);
    if (result == MRWI_BASE_READ_MEMORY) {
        return MRW_ERROR_MEMORY;
    }
    if (result != MRWI_BASE_READ_OK) {
        char path[200];
        job->owned = NULL;
        snprintf(job->warning, sizeof job->warning,
                 "%s: texture \"%s\" %s; base colours use a checker pattern instead (%s)",
                 job->where, mrwi_base_escape(in->path, path, sizeof path),
                 mrwi_base_read_reason(result),
                 mrwi_load_read_remedy(result, MRWI_SANDBOX_FILE_TEXTURE));
    }
    job->bytes = job->owned;
    return MRW_OK;
}

void mrwi_load_texture_over(char *out, size_t size, const char *where, const char *name,
                            uint32_t width, uint32_t height, uint64_t left)
{
    char shown[300];
    const bool named = name && name[0] != '\0';
    snprintf(out, size,
             "%s%s%s%s: %" PRIu32 "x%" PRIu32 " texels take %" PRIu64
             " bytes for drawing, mip levels included, but only %" PRIu64
             " are left: scale it down, or allow more with --texture-memory; base colours use a "
             "checker pattern instead",
             where, named ? " \"" : "", named ? mrwi_base_escape(name, shown, sizeof shown) : "",
             named ? "\"" : "", width, height, mrw_image_memory(width, height), left);
}

/* Returns whether an image may have alpha: JPEG has none, PNG says so by its colour type or a
 * chunk, whose name may also occur elsewhere; of other formats it is unknown. */
static bool may_have_alpha(const uint8_t *bytes, size_t size)
{
    static const uint8_t png[] = "\x89PNG\r\n\x1a\n";
    if (size > 2 && bytes[0] == 0xff && bytes[1] == 0xd8) {
        return false;
    }
    if (size < 26 || memcmp(bytes, png, 8) != 0 || (bytes[25] & 4u) != 0) {
        return true;
    }
    return memmem(bytes, size, "tRNS", 4);
}

/* Chooses how to treat an image that fits: it is decoded if a map that shows it is read. If only
 * alpha is asked for, the bytes may already say that it is opaque. */
static void choose(const mrw_load_def *def, uint32_t width, uint32_t height,
                   mrwi_load_texture_job *job)
{
    const bool alpha = may_have_alpha(job->bytes, job->size);
    const bool kept = (job->asked & ~MRW_MAPS_ALPHA) != 0 || (job->asked != 0 && alpha);
    if (!kept && !(job->over && def->maps != 0)) {
        job->texels = (mrwi_scene_texels){
            .width = width, .height = height, .undecoded = true, .alpha = alpha};
    }
    const bool decoded = !job->over && (kept || (job->opacity && alpha));
    job->pixels = decoded ? (uint64_t)width * height : 0;
    job->later = job->later && decoded && job->size <= UINT32_MAX &&
                 mrwi_image_jpeg_streams(job->bytes, job->size);
    if (job->later) {
        job->texels = (mrwi_scene_texels){.width = width, .height = height};
    }
}

/* Subtracts a job's image from *left. */
static mrw_status charge(const mrw_load_def *def, const char *name, mrwi_load_texture_budget *left,
                         mrwi_load_texture_job *job)
{
    mrw_error why = {0};
    uint32_t width = 0, height = 0;
    const uint64_t most =
        left->pixels < def->max_texture_size ? left->pixels : def->max_texture_size;
    if (most == 0 || job->size > left->bytes) {
        snprintf(job->warning, sizeof job->warning,
                 "%s: the images of the file are too large together: scale them down, or allow "
                 "more with %s; base colours use a checker pattern instead",
                 job->where, most == 0 ? "--max-texture-size" : "--max-file-size");
        return MRW_OK;
    }
    left->bytes -= job->size;
    mrw_status status =
        mrwi_image_size(job->bytes, job->size, most, job->label, &width, &height, &why);
    if (status) {
        snprintf(job->warning, sizeof job->warning,
                 "%s; base colours use a checker pattern instead", why.text);
        return status == MRW_ERROR_MEMORY ? status : MRW_OK;
    }
    left->pixels -= (uint64_t)width * height;
    const uint64_t memory = mrw_image_memory(width, height);
    if (memory > left->memory) {
        mrwi_load_texture_over(job->warning, sizeof job->warning, job->where, name, width, height,
                               left->memory);
        job->over = true;
    }
    left->memory -= job->over ? 0 : memory;
    job->most_pixels = most;
    choose(def, width, height, job);
    return MRW_OK;
}

mrw_status mrwi_load_texture_open(const mrw_load_def *def, const mrwi_sandbox_files *files,
                                  const mrwi_load_texture_source *in, uint32_t image,
                                  mrwi_load_texture_budget *left, mrwi_load_texture_job *out,
                                  mrw_error *error)
{
    memset(out, 0, sizeof *out);
    out->image = image;
    out->bytes = in->bytes;
    out->size = in->size;
    out->owned = in->owned;
    out->opacity = in->opacity;
    out->heights = (in->maps & MRW_MAP_BIT(MRW_MAP_DISPLACEMENT)) != 0;
    out->asked = in->maps & def->maps;
    out->later =
        def->later_jpegs &&
        (in->maps & (MRW_MAP_BIT(MRW_MAP_HEIGHT) | MRW_MAP_BIT(MRW_MAP_DISPLACEMENT))) == 0;
    const char *name = in->path ? in->path : in->name ? in->name : "";
    snprintf(out->where, sizeof out->where, "%s", in->where);
    snprintf(out->label, sizeof out->label, name[0] != '\0' ? "%s \"%s\"" : "%s", in->where, name);
    if (in->problem) {
        snprintf(out->warning, sizeof out->warning,
                 "%s%s; base colours use a checker pattern instead", in->where, in->problem);
    }
    if (in->path && read_texture(files, in, out)) {
        return mrwi_base_fail_memory(error, 0);
    }
    if (out->bytes && charge(def, in->path ? in->path : in->name, left, out)) {
        mrwi_load_texture_drop(out);
        return mrwi_base_fail_memory(error, 0);
    }
    return MRW_OK;
}

/* ---- decoding, closing ----------------------------------------------------------------------- */

static void hash_bytes(const uint8_t *bytes, size_t size, uint8_t out[32])
{
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, bytes, size);
    mrwi_base_sha256_end(&hash, out);
}

/* Keeps the alpha of texels separately. Returns false when out of memory. */
static bool keep_alpha(mrwi_scene_texels *texels)
{
    const size_t count = (size_t)texels->width * texels->height;
    texels->opacity = mrwi_base_alloc(count, 1);
    for (size_t i = 0; i < count && texels->opacity; i++) {
        texels->opacity[i] = texels->rgba[4 * i + 3];
    }
    return texels->opacity;
}

bool mrwi_load_texture_settle(uint32_t asked, bool opacity, mrwi_scene_texels *texels)
{
    if ((asked & ~MRW_MAPS_ALPHA) != 0 || (asked != 0 && texels->alpha)) {
        return true;
    }
    const bool good = !opacity || !texels->alpha || keep_alpha(texels);
    mrwi_base_free(texels->rgba);
    texels->rgba = NULL;
    texels->deep = false;
    texels->undecoded = true;
    return good;
}

/* Tries to rescue an image that a decoder refused: a damaged JPEG may show something. */
static mrw_status rescue(mrwi_load_texture_job *job, mrw_image *image, mrw_status refused,
                         mrw_error *why)
{
    bool found = false;
    mrw_error lost = {0};
    mrw_status status = refused;
    if (refused == MRW_ERROR_INPUT) {
        status = mrwi_image_rescue(job->bytes, job->size, job->most_pixels, job->label, image,
                                   &found, &lost);
    }
    if (found) {
        char label[500];
        snprintf(job->warning, sizeof job->warning, "%s: " MRWI_IMAGE_JPEG_DAMAGED,
                 mrwi_base_escape(job->label, label, sizeof label));
        return MRW_OK;
    }
    if (status || lost.text[0] != '\0') {
        *why = lost;
    }
    return status ? status : refused;
}

/* Keeps the file's bytes in place of texels (MRW_IMAGE_ENCODED). */
static void keep_encoded(mrwi_load_texture_job *job)
{
    const uint32_t size = (uint32_t)job->size;
    const uint64_t room = mrwi_scene_encoded_texels(size);
    job->texels.rgba = mrwi_base_alloc(room, 4);
    if (!job->texels.rgba) {
        job->out_of_memory = true;
        return;
    }
    memset(job->texels.rgba + 4 * (room - 1), 0, 4);
    memcpy(job->texels.rgba, &size, sizeof size);
    memcpy(job->texels.rgba + sizeof size, job->bytes, size);
    job->texels.encoded = true;
}

static void decode(mrwi_load_texture_job *job)
{
    mrw_error why = {0};
    mrw_image image;
    if (!job->bytes) {
        return;
    }
    hash_bytes(job->bytes, job->size, job->texels.hash);
    if (job->pixels == 0) {
        return;
    }
    if (job->later) {
        keep_encoded(job);
        return;
    }
    bool deep = false;
    mrw_status status = job->heights
                            ? mrwi_image_decode_heights(job->bytes, job->size, job->most_pixels,
                                                        job->label, &image, &deep, &why)
                            : mrw_image_decode(job->bytes, job->size, 4, job->most_pixels,
                                               job->label, &image, &why);
    if (status && !job->texels.undecoded) {
        status = rescue(job, &image, status, &why);
    }
    if (status) {
        job->out_of_memory = status == MRW_ERROR_MEMORY;
        if (job->texels.undecoded) {
            return; /* its texels are not needed */
        }
        /* a text without the image's name is kept once per model */
        const bool basis = mrwi_image_ktx2_is_basis(job->bytes, job->size);
        snprintf(job->warning, sizeof job->warning,
                 "%s; base colours use a checker pattern instead",
                 basis ? "the model has " MRWI_IMAGE_KTX2_BASIS : why.text);
        return;
    }
    job->texels.width = image.width;
    job->texels.height = image.height;
    job->texels.rgba = image.pixels;
    job->texels.deep = deep;
    image.pixels = NULL;
    mrw_image_free(&image);
    mrwi_scene_texels_find(&job->texels);
    job->out_of_memory = !mrwi_load_texture_settle(job->asked, job->opacity, &job->texels);
}

void mrwi_load_texture_decode(void *user)
{
    mrwi_load_texture_job *job = user;
    decode(job);
    mrwi_load_progress_add(job->progress, 1);
}

mrw_status mrwi_load_texture_close(mrwi_scene_builder *builder, mrwi_load_texture_job *job,
                                   mrw_error *error)
{
    mrw_status status = job->out_of_memory ? mrwi_base_fail_memory(error, 0) : MRW_OK;
    if (!status) {
        status = mrwi_scene_builder_texels(builder, job->image, &job->texels, error);
    }
    /* An image that does not fit may equal one that did. */
    if (!status && job->warning[0] != '\0' && !(job->over && job->texels.joined)) {
        mrwi_scene_builder_warn(builder, "%s", job->warning);
    }
    mrwi_load_texture_drop(job);
    return status;
}

void mrwi_load_texture_drop(mrwi_load_texture_job *job)
{
    mrwi_base_free(job->texels.rgba);
    mrwi_base_free(job->texels.opacity);
    mrwi_base_free(job->owned);
    job->texels.rgba = job->texels.opacity = NULL;
    job->owned = NULL;
}

mrw_status mrwi_load_texture_show(mrwi_scene_builder *builder, const mrw_load_def *def,
                                  const mrwi_sandbox_files *files,
                                  const mrwi_load_texture_source *in, uint32_t image,
                                  mrwi_load_texture_budget *left, mrw_error *error)
{
    mrwi_load_texture_job job;
    mrw_status status = mrwi_load_texture_open(def, files, in, image, left, &job, error);
    if (status) {
        return status;
    }
    mrwi_load_texture_decode(&job);
    return mrwi_load_texture_close(builder, &job, error);
}
