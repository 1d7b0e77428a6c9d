/* png.c: PNG: the chunks of a picture, and of its subject if it has one; and the encoder. */
#include "image/png_encoder.h"

#include "base/memory.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "image/image.h"
#include "image/png_chunks.h"
#include "image/png_pack.h"
#include "image/subject.h"
#include "marrow/codecs.h"

#include <assert.h>
#include <libdeflate.h>

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

static mrw_status encode(mrw_png_encoder *encoder, const mrw_image *image, const mrw_png_def *def,
                         size_t subject_size, mrw_bytes *out, mrw_error *error)
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
    uint8_t *at =
        mrwi_image_png_store_header(file, image->width, image->height, image->channels, 8);
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
    size_t subject_size = 0;
    def = def ? def : &preset;
    assert(image->width >= 1 && image->width <= MRW_IMAGE_MAX_SIDE && image->height >= 1 &&
           image->height <= MRW_IMAGE_MAX_SIDE);
    if (mrwi_image_is_deep(image)) {
        return mrwi_image_png_deep(encoder, image, out, error);
    }
    assert(mrwi_image_is_picture(image));
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status) {
        return status;
    }
    if (image->subject) {
        status = mrwi_image_subject_pack(image, &encoder->subject, &subject_size, error);
        if (status) {
            return status;
        }
    }
    return encode(encoder, image, def, subject_size, out, error);
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
