/* texture.c: finding and decoding the images a model names. */
#include "load/texture.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/decode.h"
#include "marrow/image.h"

#include <string.h>

mrwi_texture_budget mrwi_texture_budget_of(const mrw_load_def *def)
{
    bool fits = def->max_texture_size <= UINT64_MAX / 2;
    return (mrwi_texture_budget){def->max_file_size, fits ? 2 * def->max_texture_size : UINT64_MAX};
}

static uint64_t most_pixels(const mrw_load_def *def, const mrwi_texture_budget *left)
{
    return left->pixels < def->max_texture_size ? left->pixels : def->max_texture_size;
}

bool mrwi_texture_charge(const mrw_load_def *def, size_t size, uint64_t pixels,
                         mrwi_texture_budget *left)
{
    uint64_t max = most_pixels(def, left);
    if (max == 0 || size > left->bytes) {
        return false;
    }
    left->bytes -= size;
    left->pixels -= pixels <= max ? pixels : 0; /* larger ones are refused unseen */
    return pixels <= max;
}

void mrwi_texture_ahead_free(mrwi_texture_ahead *ahead)
{
    mrw_image_free(&ahead->image);
    mrwi_free(ahead->data);
    ahead->data = NULL;
    ahead->bytes = NULL;
}

static mrw_status decode_within(const mrw_load_def *def, const mrwi_texture_source *in,
                                const uint8_t *bytes, size_t size, mrwi_texture_budget *left,
                                mrw_image *image, mrw_error *error)
{
    uint64_t max = most_pixels(def, left);
    if (max == 0 || size > left->bytes) {
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: the images of the file are too large together: scale them down, or "
                         "allow more with %s",
                         in->where, max == 0 ? "--max-texture-size" : "--max-file-size");
    }
    bool fits = mrwi_texture_charge(def, size, mrwi_image_pixels(bytes, size), left);
    if (fits && in->ahead != NULL && in->ahead->image.pixels != NULL) {
        *image = in->ahead->image;
        memset(&in->ahead->image, 0, sizeof in->ahead->image);
        return MRW_OK;
    }
    return mrw_image_decode(bytes, size, 4, max, in->where, image, error);
}

/* Decodes to *image; leaves it empty, with a warning, when the bytes are no picture we read. */
static mrw_status decode(mrwi_builder *builder, const mrw_load_def *def,
                         const mrwi_texture_source *in, const uint8_t *bytes, size_t size,
                         mrwi_texture_budget *left, mrw_image *image)
{
    mrw_error why;
    memset(&why, 0, sizeof why);
    mrw_status status = decode_within(def, in, bytes, size, left, image, &why);
    if (status == MRW_ERROR_MEMORY) {
        return status;
    }
    if (status != MRW_OK) {
        mrwi_builder_warn(builder, "%s; a checker stands in", why.text);
        memset(image, 0, sizeof *image);
    }
    return MRW_OK;
}

/* Reads the file of an image that is not embedded; a warning when there is none. */
static mrw_status read_texture(mrwi_builder *builder, const mrwi_files *files,
                               const mrwi_texture_source *in, uint8_t **data, size_t *size)
{
    mrwi_read_result result = files->read(files->user, MRWI_FILE_TEXTURE, in->path, data, size);
    if (result == MRWI_READ_MEMORY) {
        return MRW_ERROR_MEMORY;
    }
    if (result != MRWI_READ_OK) {
        char path[200];
        mrwi_builder_warn(builder, "%s: texture \"%s\" %s; a checker stands in (%s)", in->where,
                          mrwi_escape(in->path, path, sizeof path), mrwi_read_reason(result),
                          mrwi_read_remedy(result, MRWI_FILE_TEXTURE));
    }
    return MRW_OK;
}

mrw_status mrwi_texture_push(mrwi_builder *builder, const mrw_load_def *def,
                             const mrwi_files *files, const mrwi_texture_source *in,
                             mrwi_texture_budget *left, uint32_t *index, mrw_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0;
    mrw_image image;
    memset(&image, 0, sizeof image);
    mrw_status status = MRW_OK;
    if (in->path != NULL && in->ahead != NULL && in->ahead->data != NULL) {
        data = in->ahead->data;
        size = in->ahead->size;
        in->ahead->data = NULL;
    } else if (in->path != NULL) {
        status = read_texture(builder, files, in, &data, &size);
    }
    const uint8_t *bytes = in->path != NULL ? data : in->bytes;
    if (status == MRW_OK && bytes != NULL) {
        status = decode(builder, def, in, bytes, in->path != NULL ? size : in->size, left, &image);
    }
    if (status == MRW_OK) {
        mrwi_image_input input = {.name = in->name,
                                  .path = in->path,
                                  .width = image.width,
                                  .height = image.height,
                                  .given = image.pixels};
        image.pixels = NULL;
        status = mrwi_builder_image(builder, &input, index, error);
    } else {
        status = mrwi_fail_memory(error, 0);
    }
    mrw_image_free(&image);
    mrwi_free(data);
    if (in->ahead != NULL) {
        mrwi_texture_ahead_free(in->ahead);
    }
    return status;
}
