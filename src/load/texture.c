/* texture.c: finding and decoding the images a model names. */
#include "load/texture.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/decode.h"
#include "load/uri.h"
#include "marrow/image.h"

#include <string.h>
#include <unistd.h>

typedef struct search {
    const mrw_load_def *def;
    uint64_t max_size;
    uint8_t *data;
    size_t size;
    mrwi_read_result result; /* the first that says more than "does not exist" */
} search;

/* True when the file was read, or looking further makes no sense. */
static bool look(search *s, int folder_fd, const char *path)
{
    mrwi_read_result result = mrwi_read_beneath(folder_fd, path, s->max_size, &s->data, &s->size);
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

mrwi_texture_budget mrwi_texture_budget_of(const mrw_load_def *def)
{
    bool fits = def->max_texture_size <= UINT64_MAX / 2;
    return (mrwi_texture_budget){def->max_file_size, fits ? 2 * def->max_texture_size : UINT64_MAX};
}

static mrw_status decode_within(const mrw_load_def *def, const mrwi_texture_source *in,
                                const uint8_t *bytes, size_t size, mrwi_texture_budget *left,
                                mrw_image *image, mrw_error *error)
{
    uint64_t max = left->pixels < def->max_texture_size ? left->pixels : def->max_texture_size;
    if (max == 0 || size > left->bytes) {
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: the images of the file are too large together: scale them down",
                         in->where);
    }
    uint64_t pixels = mrwi_image_pixels(bytes, size);
    left->bytes -= size;
    left->pixels -= pixels <= max ? pixels : 0; /* larger ones are refused unseen */
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
static mrw_status read_texture(mrwi_builder *builder, const mrw_load_def *def, int folder_fd,
                               const mrwi_texture_source *in, uint64_t max_size, search *found)
{
    memset(found, 0, sizeof *found);
    found->def = def;
    found->max_size = max_size;
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
                             const mrwi_texture_source *in, mrwi_texture_budget *left,
                             uint32_t *index, mrw_error *error)
{
    search found;
    memset(&found, 0, sizeof found);
    mrw_image image;
    memset(&image, 0, sizeof image);
    mrw_status status = MRW_OK;
    if (in->path != NULL) {
        status = read_texture(builder, def, folder_fd, in, left->bytes, &found);
    }
    const uint8_t *bytes = in->path != NULL ? found.data : in->bytes;
    if (status == MRW_OK && bytes != NULL) {
        size_t size = in->path != NULL ? found.size : in->size;
        status = decode(builder, def, in, bytes, size, left, &image);
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
