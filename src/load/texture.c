/* texture.c: finding and decoding the images a model names. */
#include "load/texture.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/image.h"

#include <string.h>

/* Decodes to *image; leaves it empty, with a warning, when the bytes are no picture we read. */
static mrw_status decode(mrwi_builder *builder, const mrwi_texture_source *in, const uint8_t *bytes,
                         size_t size, uint64_t max_pixels, mrw_image *image)
{
    mrw_error why;
    memset(&why, 0, sizeof why);
    mrw_status status =
        max_pixels > 0
            ? mrw_image_decode(bytes, size, 4, max_pixels, in->where, image, &why)
            : mrwi_fail(&why, MRW_ERROR_INPUT,
                        "%s: the textures of the file have too many pixels (allow more with "
                        "--max-texture-size)",
                        in->where);
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

uint64_t mrwi_texture_budget(const mrw_load_def *def)
{
    return def->max_texture_size <= UINT64_MAX / 2 ? 2 * def->max_texture_size : UINT64_MAX;
}

mrw_status mrwi_texture_push(mrwi_builder *builder, const mrw_load_def *def,
                             const mrwi_files *files, const mrwi_texture_source *in,
                             uint64_t *pixels_left, uint32_t *index, mrw_error *error)
{
    uint64_t max_pixels = def->max_texture_size;
    max_pixels = *pixels_left < max_pixels ? *pixels_left : max_pixels;
    uint8_t *data = NULL;
    size_t size = 0;
    mrw_image image;
    memset(&image, 0, sizeof image);
    mrw_status status = MRW_OK;
    if (in->path != NULL) {
        status = read_texture(builder, files, in, &data, &size);
    }
    const uint8_t *bytes = in->path != NULL ? data : in->bytes;
    if (status == MRW_OK && bytes != NULL) {
        status = decode(builder, in, bytes, in->path != NULL ? size : in->size, max_pixels, &image);
        *pixels_left -= (uint64_t)image.width * image.height;
    }
    if (status == MRW_OK) {
        mrwi_image_input input = {in->name, in->path, image.width, image.height, image.pixels};
        status = mrwi_builder_image(builder, &input, index, error);
    } else {
        status = mrwi_fail_memory(error, 0);
    }
    mrw_image_free(&image);
    mrwi_free(data);
    return status;
}
