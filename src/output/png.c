/* png.c: a PNG a picture. */
#include "base/memory.h"
#include "base/text.h"
#include "output/writer.h"

typedef struct png_file {
    const mrwi_output_target *target;
    mrw_bytes bytes; /* for standard output */
} png_file;

static mrw_status open(const mrwi_output_target *target, void **out, mrw_error *error)
{
    png_file *file = mrwi_base_alloc_zero(1, sizeof *file);
    *out = file;
    if (!file) {
        return mrwi_base_fail_memory(error, sizeof *file);
    }
    file->target = target;
    return MRW_OK;
}

/* What the worker has encoded last. A picture of several files is encoded for the first of them. */
static mrw_status repeat(void *self, const mrwi_output_item *item, uint32_t as, mrw_error *error)
{
    const png_file *file = self;
    const mrw_bytes *png = &item->worker->png;
    (void)as;
    return file->target->path ? mrw_file_write(file->target->path, png->data, png->size, error)
                              : MRW_OK;
}

static mrw_status put(void *self, const mrwi_output_item *item, mrw_error *error)
{
    png_file *file = self;
    const mrw_png_def *def = &file->target->def->png;
    if (!file->target->path) {
        return mrw_png_encode_as(item->image, def, &file->bytes, error);
    }
    mrw_status status =
        mrw_png_encoder_encode(item->worker->encoder, item->image, def, &item->worker->png, error);
    return status == MRW_OK ? repeat(self, item, item->place, error) : status;
}

static mrw_status finish(void *self, mrw_bytes *stdout_bytes, mrw_error *error)
{
    png_file *file = self;
    (void)error;
    if (!file->target->path) {
        *stdout_bytes = file->bytes;
        file->bytes = (mrw_bytes){0};
    }
    return MRW_OK;
}

static void free_file(void *self)
{
    png_file *file = self;
    mrw_bytes_free(&file->bytes);
    mrwi_base_free(file);
}

const mrwi_output_writer mrwi_output_png = {.info = {.name = "png", .ending = ".png"},
                                            .open = open,
                                            .put = put,
                                            .repeat = repeat,
                                            .finish = finish,
                                            .free = free_file};
