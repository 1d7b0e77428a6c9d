/* stream.c: writes pictures one after another to a descriptor, for another program to read: as
 * PNGs, YUV4MPEG2 or bare RGBA. */
#include "base/memory.h"
#include "base/text.h"
#include "base/work.h"
#include "marrow/codecs.h"
#include "output/queue.h"
#include "output/raw.h"

#include <errno.h>
#include <string.h>

typedef struct stream_file {
    const mrwi_output_target *target;
    mrwi_output_queue *queue;
} stream_file;

static mrw_status check(const mrwi_output_target *target, mrw_error *error)
{
    return target->def->format != MRW_OUTPUT_STREAM_Y4M || target->def->channels == 3
               ? MRW_OK
               : mrwi_base_fail(error, MRW_ERROR_USAGE,
                                "--stream y4m: the format has no transparency; leave out "
                                "--background none, or use --stream rgba");
}

static void free_file(void *self)
{
    stream_file *file = self;
    mrwi_output_queue_free(file->queue);
    mrwi_base_free(file);
}

static mrw_status open(const mrwi_output_target *target, void **out, mrw_error *error)
{
    stream_file *file = mrwi_base_alloc_zero(1, sizeof *file);
    *out = NULL;
    if (!file) {
        return mrwi_base_fail_memory(error, sizeof *file);
    }
    file->target = target;
    file->queue = mrwi_output_queue_create(target->count, target->def->stream, false);
    if (!file->queue) {
        free_file(file);
        return mrwi_base_fail_memory(error, target->count * sizeof(mrw_bytes));
    }
    *out = file;
    return MRW_OK;
}

/* Encodes a picture and copies it, because the encoder owns its result. */
static mrw_status copy_png(const mrwi_output_item *item, const mrw_png_def *def, mrw_bytes *out,
                           mrw_error *error)
{
    mrw_bytes *png = &item->worker->last;
    mrw_status status = mrw_png_encoder_encode(item->worker->encoder, item->image, def, png, error);
    if (status) {
        return status;
    }
    *out = (mrw_bytes){mrwi_base_alloc(png->size, 1), png->size};
    if (!out->data) {
        return mrwi_base_fail_memory(error, png->size);
    }
    memcpy(out->data, png->data, png->size);
    return MRW_OK;
}

static mrw_status encode(const mrwi_output_target *target, const mrwi_output_item *item,
                         mrw_bytes *out, mrw_error *error)
{
    switch (target->def->format) {
    case MRW_OUTPUT_STREAM_Y4M:
        return mrwi_output_y4m(target, item, out, error);
    case MRW_OUTPUT_STREAM_RGBA:
        return mrwi_output_rgba(item->image, out, error);
    default:
        return copy_png(item, &target->def->png, out, error);
    }
}

/* Writes a picture. After a failure the stream stays cut off: bytes that were read cannot be taken
 * back. */
static mrw_status put(void *self, const mrwi_output_item *item, mrw_error *error)
{
    stream_file *file = self;
    mrw_bytes block;
    char text[128];
    mrw_status status = encode(file->target, item, &block, error);
    if (status) {
        return status;
    }
    const int code = mrwi_output_queue_put(file->queue, item->place, &block);
    status = mrwi_base_work_check(NULL, error);
    if (status) {
        return status;
    }
    if (code == EPIPE) {
        return mrwi_base_fail(
            error, MRW_ERROR_OUTPUT,
            "the stream was closed before its last picture: the program that reads it has exited");
    }
    return code == 0 ? MRW_OK
                     : mrwi_base_fail(error, MRW_ERROR_OUTPUT,
                                      "the stream could not be written completely: %s",
                                      mrwi_base_error_text(code, text, sizeof text));
}

static mrw_status repeat(void *self, const mrwi_output_item *item, uint32_t as, mrw_error *error)
{
    (void)as;
    return put(self, item, error);
}

static mrw_status finish(void *self, mrw_bytes *stdout_bytes, mrw_error *error)
{
    (void)self;
    (void)stdout_bytes;
    (void)error;
    return MRW_OK;
}

#define STREAM(label, extension, ...)                                                              \
    {                                                                                              \
        .info = {.name = label,                                                                    \
                 .endings = {extension},                                                           \
                 .collects = true,                                                                 \
                 .animates = true,                                                                 \
                 .in_order = true,                                                                 \
                 .option = "--stream",                                                             \
                 .streams = true,                                                                  \
                 __VA_ARGS__},                                                                     \
        .check = check, .open = open, .put = put, .repeat = repeat, .finish = finish,              \
        .free = free_file                                                                          \
    }

const mrwi_output_writer mrwi_output_stream_png =
    STREAM("png", ".png", .alpha = true, .deep = true);
const mrwi_output_writer mrwi_output_stream_y4m = STREAM("y4m", ".y4m", .alpha = false);
const mrwi_output_writer mrwi_output_stream_rgba = STREAM("rgba", ".rgba", .alpha = true);
