/* picture.c: formats of one picture per file. To add one, write its encoder and a row at the end.
 */
#include "base/memory.h"
#include "base/text.h"
#include "marrow/codecs.h"
#include "output/writer.h"

/* Quality of a JPEG without --quality. Up to 90 colours have half the resolution, which is
 * visible at edges. */
#define QUALITY 92

/* ---- pictures to bytes ----------------------------------------------------------------------- */

mrw_status mrwi_output_flatten(const mrw_image *image, const uint8_t matte[3], mrw_image *out,
                               mrw_error *error)
{
    const mrw_status status = mrw_image_create(image->width, image->height, 3, out, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < (size_t)image->width * image->height; i++) {
        const uint8_t *from = image->pixels + 4 * i;
        for (size_t c = 0; c < 3; c++) {
            out->pixels[3 * i + c] =
                (uint8_t)((from[c] * from[3] + matte[c] * (255 - from[3]) + 127) / 255);
        }
    }
    return MRW_OK;
}

static mrw_status encode_png(const mrw_output_def *def, const mrw_image *image, mrw_bytes *out,
                             mrw_error *error)
{
    return mrw_png_encode_as(image, &def->png, out, error);
}

static mrw_status encode_jpeg(const mrw_output_def *def, const mrw_image *image, mrw_bytes *out,
                              mrw_error *error)
{
    return mrw_jpeg_encode(image, def->quality > 0 ? def->quality : QUALITY, out, error);
}

/* Defines an encoder that takes no options. */
#define PLAIN(name)                                                                                \
    static mrw_status encode_##name(const mrw_output_def *def, const mrw_image *image,             \
                                    mrw_bytes *out, mrw_error *error)                              \
    {                                                                                              \
        (void)def;                                                                                 \
        return mrw_##name##_encode(image, out, error);                                             \
    }

PLAIN(tga)
PLAIN(bmp)
PLAIN(qoi)
PLAIN(pam)

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct picture_file {
    const mrwi_output_target *target;
    mrw_bytes bytes; /* for standard output */
} picture_file;

static mrw_status check(const mrwi_output_target *target, mrw_error *error)
{
    return mrwi_output_check_picture(target->def->format, target->def, error);
}

static mrw_status open(const mrwi_output_target *target, void **out, mrw_error *error)
{
    picture_file *file = mrwi_base_alloc_zero(1, sizeof *file);
    *out = file;
    if (!file) {
        return mrwi_base_fail_memory(error, sizeof *file);
    }
    file->target = target;
    return MRW_OK;
}

/* Writes the worker's last encoded picture. A picture of several files is encoded once, for the
 * first of them. */
static mrw_status repeat(void *self, const mrwi_output_item *item, uint32_t as, mrw_error *error)
{
    const picture_file *file = self;
    const mrw_bytes *last = &item->worker->last;
    (void)as;
    return file->target->path ? mrw_file_write(file->target->path, last->data, last->size, error)
                              : MRW_OK;
}

static mrw_status put(void *self, const mrwi_output_item *item, mrw_error *error)
{
    picture_file *file = self;
    const mrw_output_def *def = file->target->def;
    mrwi_output_worker *worker = item->worker;
    mrw_status status;
    if (!file->target->path) {
        return mrwi_output_encode(def->format, def, item->image, &file->bytes, error);
    }
    if (def->format == MRW_OUTPUT_PNG) {
        status =
            mrw_png_encoder_encode(worker->encoder, item->image, &def->png, &worker->last, error);
    } else {
        mrw_bytes_free(&worker->own);
        status = mrwi_output_encode(def->format, def, item->image, &worker->own, error);
        worker->last = worker->own;
    }
    if (status) {
        return status;
    }
    return repeat(self, item, item->place, error);
}

static mrw_status finish(void *self, mrw_bytes *stdout_bytes, mrw_error *error)
{
    picture_file *file = self;
    (void)error;
    if (!file->target->path) {
        *stdout_bytes = file->bytes;
        file->bytes = (mrw_bytes){0};
    }
    return MRW_OK;
}

static void free_file(void *self)
{
    picture_file *file = self;
    mrw_bytes_free(&file->bytes);
    mrwi_base_free(file);
}

#define PICTURE(encoder, ...)                                                                      \
    {                                                                                              \
        .info = {__VA_ARGS__}, .encode = encoder, .check = check, .open = open, .put = put,        \
        .repeat = repeat, .finish = finish, .free = free_file                                      \
    }

/* clang-format off */
const mrwi_output_writer mrwi_output_png =
    PICTURE(encode_png, .name = "png", .endings = {".png"}, .alpha = true, .deep = true);
const mrwi_output_writer mrwi_output_jpeg =
    PICTURE(encode_jpeg, .name = "jpeg", .endings = {".jpg", ".jpeg"},
            .takes = MRW_TAKES_QUALITY | MRW_TAKES_MATTE);
const mrwi_output_writer mrwi_output_tga =
    PICTURE(encode_tga, .name = "tga", .endings = {".tga"}, .alpha = true);
const mrwi_output_writer mrwi_output_bmp =
    PICTURE(encode_bmp, .name = "bmp", .endings = {".bmp"}, .alpha = true);
const mrwi_output_writer mrwi_output_qoi =
    PICTURE(encode_qoi, .name = "qoi", .endings = {".qoi"}, .alpha = true);
const mrwi_output_writer mrwi_output_pam =
    PICTURE(encode_pam, .name = "pam", .endings = {".pam"}, .alpha = true, .deep = true);
/* clang-format on */
