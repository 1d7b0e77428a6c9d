/* apng.c: animated PNG (PNG third edition, 11.3.7), put together frame by frame.
 *
 * Frames come in any order, from several threads. Each is packed at once and only what it packs to
 * is kept, so that memory follows the file, not the pictures.
 */
#include "base/cpu.h"
#include "base/memory.h"
#include "base/text.h"
#include "image/png_chunks.h"
#include "image/png_encoder.h"
#include "image/png_pack.h"

#include <assert.h>
#include <string.h>

typedef struct piece {
    mrw_bytes packed; /* or, without data, */
    uint32_t same_as; /* another piece; MRW_NONE: nothing was put here yet */
    bool shared;      /* others are the same as this one */
} piece;

struct mrw_apng {
    mrw_apng_def def;
    piece *pieces;
};

mrw_status mrw_apng_create(const mrw_apng_def *def, mrw_apng **out, mrw_error *error)
{
    assert(def->count > 0 && def->count <= INT32_MAX / 2 && def->rate.num > 0 && def->rate.den > 0);
    mrw_status status = mrwi_isa_check(def->png.isa, error);
    if (status != MRW_OK) {
        return status;
    }
    mrw_apng *apng = mrwi_alloc_zero(1, sizeof *apng);
    piece *pieces = mrwi_alloc_zero(def->count, sizeof *pieces);
    if (apng == NULL || pieces == NULL) {
        mrwi_free(apng);
        mrwi_free(pieces);
        return mrwi_fail_memory(error, def->count * sizeof *pieces);
    }
    for (uint32_t i = 0; i < def->count; i++) {
        pieces[i].same_as = MRW_NONE;
    }
    *apng = (mrw_apng){*def, pieces};
    *out = apng;
    return MRW_OK;
}

void mrw_apng_free(mrw_apng *apng)
{
    for (uint32_t i = 0; apng != NULL && i < apng->def.count; i++) {
        mrw_bytes_free(&apng->pieces[i].packed);
    }
    if (apng != NULL) {
        mrwi_free(apng->pieces);
        mrwi_free(apng);
    }
}

/* ---- frames ---------------------------------------------------------------------------------- */

static mrw_status check_frame(const mrw_apng_def *def, uint32_t index, const mrw_image *image,
                              mrw_error *error)
{
    if (image->width == def->width && image->height == def->height &&
        image->channels == def->channels) {
        return MRW_OK;
    }
    return mrwi_fail(error, MRW_ERROR_USAGE,
                     "the frames of an animation must be alike: it has %u x %u pixels of %u "
                     "channels, frame %u has %u x %u of %u",
                     def->width, def->height, def->channels, index + 1, image->width, image->height,
                     image->channels);
}

/* Keeps what was packed. */
static mrw_status keep(mrw_apng *apng, uint32_t index, const uint8_t *packed, size_t size,
                       mrw_error *error)
{
    uint8_t *copy = mrwi_alloc(size, 1);
    if (copy == NULL) {
        return mrwi_fail_memory(error, size);
    }
    memcpy(copy, packed, size);
    apng->pieces[index].packed = (mrw_bytes){copy, size};
    return MRW_OK;
}

mrw_status mrw_apng_put(mrw_apng *apng, uint32_t index, const mrw_image *image,
                        mrw_png_encoder *encoder, mrw_error *error)
{
    mrw_png_encoder own = {0};
    uint8_t *packed = NULL;
    size_t size = 0;
    assert(index < apng->def.count && apng->pieces[index].packed.data == NULL);
    mrw_status status = check_frame(&apng->def, index, image, error);
    if (status == MRW_OK) {
        status = mrwi_png_pack(encoder != NULL ? encoder : &own, image, &apng->def.png, 0, 0,
                               &packed, &size, error);
    }
    if (status == MRW_OK) {
        status = keep(apng, index, packed, size, error);
    }
    mrwi_png_encoder_clear(&own);
    return status;
}

void mrw_apng_repeat(mrw_apng *apng, uint32_t index, uint32_t as)
{
    assert(index < apng->def.count && as < apng->def.count && index != as);
    apng->pieces[index].same_as = as;
}

/* ---- the file -------------------------------------------------------------------------------- */

#define CONTROL_BYTES       8
#define FRAME_CONTROL_BYTES 26
#define NUMBER_BYTES        4 /* before the data of all frames but the first */

/* The delay is den / num of a rate, in two 16-bit numbers. */
static void store_frame_control(const mrw_apng_def *def, uint32_t sequence,
                                uint8_t data[FRAME_CONTROL_BYTES])
{
    mrw_rate rate = def->rate;
    while (rate.num > UINT16_MAX || rate.den > UINT16_MAX) {
        rate.num = rate.num > 1 ? rate.num / 2 : 1;
        rate.den = rate.den > 1 ? rate.den / 2 : 1;
    }
    memset(data, 0, FRAME_CONTROL_BYTES); /* no offset, dispose none, blend source */
    mrwi_store_u32(data, sequence);
    mrwi_store_u32(data + 4, def->width);
    mrwi_store_u32(data + 8, def->height);
    mrwi_store_u16(data + 20, rate.den);
    mrwi_store_u16(data + 22, rate.num);
}

/* One frame: fcTL, then its IDAT (the first) or fdAT. */
static uint8_t *store_frame(const mrw_apng_def *def, uint32_t index, const mrw_bytes *packed,
                            uint8_t *to)
{
    uint32_t sequence = index == 0 ? 0 : 2 * index - 1;
    uint8_t control[FRAME_CONTROL_BYTES], number[NUMBER_BYTES];
    store_frame_control(def, sequence, control);
    mrwi_store_u32(number, sequence + 1);
    to = mrwi_chunk_store(to, "fcTL", control, sizeof control, control, 0);
    return mrwi_chunk_store(to, index == 0 ? "IDAT" : "fdAT", number, index == 0 ? 0 : NUMBER_BYTES,
                            packed->data, packed->size);
}

static piece *piece_of(const mrw_apng *apng, uint32_t index)
{
    piece *p = &apng->pieces[index];
    if (p->packed.data == NULL) {
        assert(p->same_as != MRW_NONE);
        p = &apng->pieces[p->same_as];
        p->shared = true;
    }
    assert(p->packed.data != NULL);
    return p;
}

static size_t file_size(const mrw_apng *apng)
{
    size_t size = MRWI_PNG_HEADER + (MRWI_CHUNK_AROUND + CONTROL_BYTES) + MRWI_CHUNK_AROUND;
    for (uint32_t i = 0; i < apng->def.count; i++) {
        size += MRWI_CHUNK_AROUND + FRAME_CONTROL_BYTES + MRWI_CHUNK_AROUND;
        size += piece_of(apng, i)->packed.size + (i > 0 ? NUMBER_BYTES : 0);
    }
    return size;
}

mrw_status mrw_apng_finish(mrw_apng *apng, mrw_bytes *out, mrw_error *error)
{
    uint8_t control[CONTROL_BYTES] = {0}; /* plays without end */
    const mrw_apng_def *def = &apng->def;
    const size_t size = file_size(apng);
    uint8_t *file = mrwi_alloc(size, 1), *at;
    if (file == NULL) {
        return mrwi_fail_memory(error, size);
    }
    mrwi_store_u32(control, def->count);
    at = mrwi_png_store_header(file, def->width, def->height, def->channels);
    at = mrwi_chunk_store(at, "acTL", control, sizeof control, control, 0);
    for (uint32_t i = 0; i < def->count; i++) {
        piece *p = piece_of(apng, i);
        at = store_frame(def, i, &p->packed, at);
        if (!p->shared) { /* pages of the file come as it is filled: no frame is there twice */
            mrw_bytes_free(&p->packed);
        }
    }
    at = mrwi_chunk_seal(at, "IEND", 0);
    assert((size_t)(at - file) == size);
    *out = (mrw_bytes){file, (size_t)(at - file)};
    return MRW_OK;
}

/* ---- all at once ----------------------------------------------------------------------------- */

mrw_status mrw_apng_encode_as(const mrw_image *images, uint32_t count, mrw_rate rate,
                              const mrw_png_def *def, mrw_bytes *out, mrw_error *error)
{
    mrw_png_encoder encoder = {0};
    mrw_apng *apng = NULL;
    mrw_status status =
        mrw_apng_create(&(mrw_apng_def){.width = images->width,
                                        .height = images->height,
                                        .channels = images->channels,
                                        .count = count,
                                        .rate = rate,
                                        .png = def != NULL ? *def : mrw_png_def_default()},
                        &apng, error);
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        status = mrw_apng_put(apng, i, &images[i], &encoder, error);
    }
    if (status == MRW_OK) {
        status = mrw_apng_finish(apng, out, error);
    }
    mrwi_png_encoder_clear(&encoder);
    mrw_apng_free(apng);
    return status;
}

mrw_status mrw_apng_encode(const mrw_image *images, uint32_t count, mrw_rate rate, mrw_bytes *out,
                           mrw_error *error)
{
    return mrw_apng_encode_as(images, count, rate, NULL, out, error);
}
