/* texture.c: finding and decoding the images a model names. */
#include "load/texture.h"

#include "base/memory.h"
#include "base/text.h"
#include "load/uri.h"
#include "marrow/image.h"

#include <string.h>
#include <unistd.h>

typedef struct search {
    const mrw_load_def *def;
    uint8_t *data;
    size_t size;
    mrwi_read_result result; /* the first that says more than "does not exist" */
} search;

/* True when the file was read, or looking further makes no sense. */
static bool look(search *s, int folder_fd, const char *path)
{
    mrwi_read_result result =
        mrwi_read_beneath(folder_fd, path, s->def->max_file_size, &s->data, &s->size);
    if (result == MRWI_READ_OK || result == MRWI_READ_MEMORY) {
        s->result = result;
        return true;
    }
    if (s->result == MRWI_READ_MISSING) {
        s->result = result;
    }
    return false;
}

static bool look_in(search *s, int folder_fd, const char *path)
{
    const char *base = mrwi_basename(path);
    return look(s, folder_fd, path) || (base != path && look(s, folder_fd, base));
}

static void find_texture(search *s, int folder_fd, const char *path)
{
    if (look_in(s, folder_fd, path)) {
        return;
    }
    for (size_t i = 0; i < s->def->texture_dir_count; i++) {
        int fd = mrwi_open_folder(s->def->texture_dirs[i]);
        bool done = fd >= 0 && look_in(s, fd, path);
        if (fd >= 0) {
            close(fd);
        }
        if (done) {
            return;
        }
    }
}

/* Decodes to *image; leaves it empty, with a warning, when the bytes are no picture we read. */
static mrw_status decode(mrwi_builder *builder, const mrwi_texture_source *in, const uint8_t *bytes,
                         size_t size, uint64_t max_pixels, mrw_image *image)
{
    mrw_error why;
    memset(&why, 0, sizeof why);
    mrw_status status =
        max_pixels > 0
            ? mrw_image_decode(bytes, size, 4, max_pixels, in->where, image, &why)
            : mrwi_fail(&why, MRW_ERROR_INPUT, "%s: the file has too many pixels", in->where);
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
static mrw_status read_texture(mrwi_builder *builder, const mrw_load_def *def, int folder_fd,
                               const mrwi_texture_source *in, search *found)
{
    memset(found, 0, sizeof *found);
    found->def = def;
    found->result = MRWI_READ_MISSING;
    find_texture(found, folder_fd, in->path);
    if (found->result == MRWI_READ_MEMORY) {
        return MRW_ERROR_MEMORY;
    }
    if (found->data == NULL) {
        char path[200];
        mrwi_builder_warn(builder,
                          "%s: texture \"%s\" %s; a checker stands in (put it beside the model, or "
                          "name its folder with --texture-dir)",
                          in->where, mrwi_escape(in->path, path, sizeof path),
                          mrwi_read_reason(found->result));
    }
    return MRW_OK;
}

mrw_status mrwi_texture_push(mrwi_builder *builder, const mrw_load_def *def, int folder_fd,
                             const mrwi_texture_source *in, uint64_t *pixels_left, uint32_t *index,
                             mrw_error *error)
{
    uint64_t max_pixels = def->max_texture_size;
    max_pixels = *pixels_left < max_pixels ? *pixels_left : max_pixels;
    search found = {def, NULL, 0, MRWI_READ_OK};
    mrw_image image;
    memset(&image, 0, sizeof image);
    mrw_status status = MRW_OK;
    if (in->path != NULL) {
        status = read_texture(builder, def, folder_fd, in, &found);
    }
    const uint8_t *bytes = in->path != NULL ? found.data : in->bytes;
    if (status == MRW_OK && bytes != NULL) {
        status = decode(builder, in, bytes, in->path != NULL ? found.size : in->size, max_pixels,
                        &image);
        *pixels_left -= (uint64_t)image.width * image.height;
    }
    if (status == MRW_OK) {
        mrwi_image_input input = {in->name, in->path, image.width, image.height, image.pixels};
        status = mrwi_builder_image(builder, &input, index, error);
    } else {
        status = mrwi_fail_memory(error, 0);
    }
    mrw_image_free(&image);
    mrwi_free(found.data);
    return status;
}
