/* png.c: PNG: the chunks of a picture, and of its subject if it has one; and the encoder. */
#include "image/png_encoder.h"

#include "base/memory.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "image/image.h"
#include "image/png_chunks.h"
#include "image/png_pack.h"
#include "image/png_rows.h"
#include "image/subject.h"
#include "marrow/codecs.h"

#include <assert.h>
#include <libdeflate.h>
#include <string.h>

mrw_png_def mrw_png_def_default(void)
{
    return (mrw_png_def){MRW_PNG_FAST, MRW_ISA_AUTO, 1};
}

/* ---- encoders -------------------------------------------------------------------------------- */

/* Rooms are whole pages. A room that grows again gets an eighth more than needed, because subjects
 * of successive frames differ by a few bytes. */
#define ROOM_STEP ((size_t)4096)

bool mrwi_image_room_reserve(mrwi_image_room *room, size_t size)
{
    if (room->data && size <= room->size) {
        return true;
    }
    size += room->data ? size / 8 : 0;
    size = (size + ROOM_STEP - 1) / ROOM_STEP * ROOM_STEP;
    mrwi_base_free(room->data);
    *room = (mrwi_image_room){mrwi_base_alloc(size, 1), size};
    return room->data;
}

void mrwi_image_png_encoder_clear(mrw_png_encoder *encoder)
{
    mrwi_base_free(encoder->work.data);
    mrwi_base_free(encoder->pairs.data);
    mrwi_base_free(encoder->file.data);
    mrwi_base_free(encoder->subject.data);
    mrwi_base_free(encoder->rows.data);
    mrwi_base_free(encoder->matches.data);
    mrwi_base_free(encoder->trial.data);
    mrwi_base_free(encoder->swapped.data);
    for (int i = 0; i < 2; i++) {
        if (encoder->compressors[i]) {
            libdeflate_free_compressor(encoder->compressors[i]);
        }
    }
    *encoder = (mrw_png_encoder){0};
}

mrw_status mrw_png_encoder_create(mrw_png_encoder **out, mrw_error *error)
{
    *out = mrwi_base_alloc_zero(1, sizeof **out);
    return *out ? MRW_OK : mrwi_base_fail_memory(error, sizeof **out);
}

void mrw_png_encoder_free(mrw_png_encoder *encoder)
{
    if (encoder) {
        mrwi_image_png_encoder_clear(encoder);
        mrwi_base_free(encoder);
    }
}

/* ---- PNG ------------------------------------------------------------------------------------- */

typedef uint16_t values __attribute__((vector_size(16)));

/* Sets *bytes to the rows of a picture of 16 bits per channel in the order of PNG, big-endian: a
 * picture of twice as many channels. Its pixels are the encoder's. */
static mrw_status swap_bytes(mrw_png_encoder *encoder, const mrw_image *image, mrw_image *bytes,
                             mrw_error *error)
{
    const size_t count = (size_t)image->width * image->height * image->channels;
    const size_t size = 2 * count + MRWI_IMAGE_PNG_BLOCK; /* kernels read behind the last row */
    if (!mrwi_image_room_reserve(&encoder->swapped, size)) {
        return mrwi_base_fail_memory(error, size);
    }
    size_t done = 0;
    for (; done + sizeof(values) <= 2 * count; done += sizeof(values)) {
        values v;
        memcpy(&v, image->pixels + done, sizeof v);
        v = v << 8 | v >> 8;
        memcpy(encoder->swapped.data + done, &v, sizeof v);
    }
    for (; done < 2 * count; done += 2) {
        encoder->swapped.data[done] = image->pixels[done + 1];
        encoder->swapped.data[done + 1] = image->pixels[done];
    }
    *bytes = (mrw_image){.width = image->width,
                         .height = image->height,
                         .channels = 2 * image->channels,
                         .pixels = encoder->swapped.data};
    return MRW_OK;
}

/* Encodes a picture whose rows are in the order of PNG. */
static mrw_status encode(mrw_png_encoder *encoder, const mrw_image *image, uint32_t bits,
                         const mrw_png_def *def, size_t subject_size, mrw_bytes *out,
                         mrw_error *error)
{
    size_t subject_bytes = subject_size > 0 ? subject_size + MRWI_IMAGE_CHUNK_AROUND : 0, size = 0;
    size_t before = MRWI_IMAGE_PNG_HEADER + subject_bytes;
    uint8_t *file = NULL;
    mrw_status status = mrwi_image_png_pack(
        encoder, image, def, false, before + MRWI_IMAGE_CHUNK_START,
        2 * MRWI_IMAGE_CHUNK_AROUND - MRWI_IMAGE_CHUNK_START, &file, &size, error);
    if (status) {
        return status;
    }
    uint8_t *at = mrwi_image_png_store_header(file, image->width, image->height,
                                              image->channels * 8 / bits, bits);
    if (subject_size > 0) {
        at = mrwi_image_chunk_store(at, MRWI_IMAGE_SUBJECT_CHUNK, encoder->subject.data,
                                    subject_size, at, 0);
    }
    at = mrwi_image_chunk_seal(at, "IDAT", size);
    at = mrwi_image_chunk_seal(at, "IEND", 0);
    *out = (mrw_bytes){file, (size_t)(at - file)};
    return MRW_OK;
}

mrw_status mrw_png_encoder_encode(mrw_png_encoder *encoder, const mrw_image *image,
                                  const mrw_png_def *def, mrw_bytes *out, mrw_error *error)
{
    const mrw_png_def preset = mrw_png_def_default();
    const bool deep = mrwi_image_is_deep(image);
    mrw_image bytes = *image;
    size_t subject_size = 0;
    def = def ? def : &preset;
    assert(image->width >= 1 && image->width <= MRW_IMAGE_MAX_SIDE && image->height >= 1 &&
           image->height <= MRW_IMAGE_MAX_SIDE);
    assert(deep || mrwi_image_is_picture(image));
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status) {
        return status;
    }
    if (deep) {
        status = swap_bytes(encoder, image, &bytes, error);
    } else if (image->subject) {
        status = mrwi_image_subject_pack(image, &encoder->subject, &subject_size, error);
    }
    return status ? status : encode(encoder, &bytes, deep ? 16 : 8, def, subject_size, out, error);
}

mrw_status mrw_png_encode_as(const mrw_image *image, const mrw_png_def *def, mrw_bytes *out,
                             mrw_error *error)
{
    mrw_png_encoder encoder = {0};
    mrw_bytes bytes = {0};
    mrw_status status = mrw_png_encoder_encode(&encoder, image, def, &bytes, error);
    if (status) {
        goto out;
    }
    *out = bytes;
    encoder.file = (mrwi_image_room){0}; /* the caller owns it now */
out:
    mrwi_image_png_encoder_clear(&encoder);
    return status;
}

mrw_status mrw_png_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    return mrw_png_encode_as(image, NULL, out, error);
}
