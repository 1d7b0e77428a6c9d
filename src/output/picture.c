/* picture.c: a file a picture: PNG, JPEG, TGA, BMP, QOI, PAM. */
#include "base/memory.h"
#include "base/text.h"
#include "output/writer.h"

/* JPEG without --quality: up to 90 stb halves the resolution of colours, which edges show. */
#define QUALITY 92

/* ---- pictures to bytes ----------------------------------------------------------------------- */

mrw_status mrwi_output_check_picture(mrw_output_format format, const mrw_output_def *def,
                                     mrw_error *error)
{
    return format == MRW_OUTPUT_JPEG && def->channels == 4 && !def->has_matte
               ? mrwi_base_fail(error, MRW_ERROR_USAGE,
                                "a JPEG has no alpha; lay it over a colour with --matte COLOR, "
                                "give --background COLOR, or write .png")
               : MRW_OK;
}

static mrw_status encode_jpeg(const mrw_output_def *def, const mrw_image *image, mrw_bytes *out,
                              mrw_error *error)
{
    const uint32_t quality = def->quality > 0 ? def->quality : QUALITY;
    mrw_image flat = {0};
    if (image->channels == 3) {
        return mrw_jpeg_encode(image, quality, out, error);
    }
    mrw_status status = mrw_image_create(image->width, image->height, 3, &flat, error);
    for (size_t i = 0; status == MRW_OK && i < (size_t)image->width * image->height; i++) {
        const uint8_t *from = image->pixels + 4 * i;
        for (size_t c = 0; c < 3; c++) {
            flat.pixels[3 * i + c] =
                (uint8_t)((from[c] * from[3] + def->matte[c] * (255 - from[3]) + 127) / 255);
        }
    }
    if (status == MRW_OK) {
        status = mrw_jpeg_encode(&flat, quality, out, error);
    }
    mrw_image_free(&flat);
    return status;
}

mrw_status mrwi_output_encode(mrw_output_format format, const mrw_output_def *def,
                              const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    switch (format) {
    case MRW_OUTPUT_JPEG:
        return encode_jpeg(def, image, out, error);
    case MRW_OUTPUT_TGA:
        return mrw_tga_encode(image, out, error);
    case MRW_OUTPUT_BMP:
        return mrw_bmp_encode(image, out, error);
    case MRW_OUTPUT_QOI:
        return mrw_qoi_encode(image, out, error);
    case MRW_OUTPUT_PAM:
        return mrw_pam_encode(image, out, error);
    default:
        return mrw_png_encode_as(image, &def->png, out, error);
    }
}

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

/* What the worker has encoded last. A picture of several files is encoded for the first of them. */
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
    return status == MRW_OK ? repeat(self, item, item->place, error) : status;
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

#define PICTURE(label, extension, other)                                                           \
    {                                                                                              \
        .info = {.name = label, .ending = extension, .other_ending = other}, .check = check,       \
        .open = open, .put = put, .repeat = repeat, .finish = finish, .free = free_file            \
    }

const mrwi_output_writer mrwi_output_png = PICTURE("png", ".png", NULL);
const mrwi_output_writer mrwi_output_jpeg = PICTURE("jpeg", ".jpg", ".jpeg");
const mrwi_output_writer mrwi_output_tga = PICTURE("tga", ".tga", NULL);
const mrwi_output_writer mrwi_output_bmp = PICTURE("bmp", ".bmp", NULL);
const mrwi_output_writer mrwi_output_qoi = PICTURE("qoi", ".qoi", NULL);
const mrwi_output_writer mrwi_output_pam = PICTURE("pam", ".pam", NULL);
