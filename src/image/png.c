/* png.c: the chunks of PNG, with the subject where there is one, and of animated PNG. */
#include "base/cpu.h"
#include "base/memory.h"
#include "base/text.h"
#include "image/png_pack.h"
#include "image/subject.h"
#include "marrow/image.h"

#include <assert.h>
#include <libdeflate.h>
#include <string.h>

mrw_png_def mrw_png_def_default(void)
{
    return (mrw_png_def){MRW_PNG_FAST, MRW_ISA_AUTO};
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Where the parts of a PNG lie: signature and IHDR, one IDAT chunk, IEND. */
#define HEADER_BYTES   33
#define CHUNK_START    8 /* length and type */
#define CHUNK_OVERHEAD 12
#define END_BYTES      CHUNK_OVERHEAD

static void store_u16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static void store_u32(uint8_t *to, uint32_t value)
{
    store_u16(to, value >> 16);
    store_u16(to + 2, value);
}

/* Makes room for `size` more bytes and returns where they go, NULL when out of memory. */
static uint8_t *extend(mrw_bytes *bytes, size_t *capacity, size_t size)
{
    if (size > *capacity - bytes->size) {
        size_t wanted = bytes->size + size + *capacity;
        uint8_t *grown = mrwi_realloc(bytes->data, bytes->size, wanted, 1);
        if (grown == NULL) {
            return NULL;
        }
        bytes->data = grown;
        *capacity = wanted;
    }
    uint8_t *end = bytes->data + bytes->size;
    bytes->size += size;
    return end;
}

/* Puts length, type and checksum around data that are there; returns what is behind. */
static uint8_t *seal_chunk(uint8_t *to, const char type[4], size_t size)
{
    store_u32(to, (uint32_t)size);
    memcpy(to + 4, type, 4);
    store_u32(to + CHUNK_START + size, libdeflate_crc32(0, to + 4, size + 4));
    return to + CHUNK_OVERHEAD + size;
}

/* Lays out a chunk whose data are two parts, either of which may be empty. */
static uint8_t *store_chunk(uint8_t *to, const char type[4], const uint8_t *first,
                            size_t first_size, const uint8_t *second, size_t second_size)
{
    memcpy(to + CHUNK_START, first, first_size);
    memcpy(to + CHUNK_START + first_size, second, second_size);
    return seal_chunk(to, type, first_size + second_size);
}

/* Signature and IHDR: 8 bits, RGB or RGBA, deflate, filters, not interlaced. */
static uint8_t *store_header(uint8_t *to, const mrw_image *image)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    uint8_t data[13] = {[8] = 8, [9] = image->channels == 4 ? 6 : 2};
    memcpy(to, signature, sizeof signature);
    store_u32(data, image->width);
    store_u32(data + 4, image->height);
    return store_chunk(to + sizeof signature, "IHDR", data, sizeof data, data, 0);
}

static mrw_status check_image(const mrw_image *image, const mrw_png_def *def, mrw_error *error)
{
    assert(image->width >= 1 && image->width <= MRW_IMAGE_MAX_SIDE && image->height >= 1 &&
           image->height <= MRW_IMAGE_MAX_SIDE && (image->channels == 3 || image->channels == 4));
    (void)image;
    return mrwi_isa_check(def->isa, error);
}

/* ---- PNG ------------------------------------------------------------------------------------- */

static mrw_status encode(const mrw_image *image, const mrw_png_def *def, const mrw_bytes *subject,
                         mrw_bytes *out, mrw_error *error)
{
    size_t subject_bytes = subject->data != NULL ? subject->size + CHUNK_OVERHEAD : 0, size = 0;
    size_t before = HEADER_BYTES + subject_bytes;
    uint8_t *file = NULL;
    mrw_status status =
        mrwi_png_pack(image, def, before + CHUNK_START, CHUNK_OVERHEAD - CHUNK_START + END_BYTES,
                      &file, &size, error);
    if (status != MRW_OK) {
        return status;
    }
    uint8_t *at = store_header(file, image);
    if (subject->data != NULL) {
        at = store_chunk(at, MRWI_SUBJECT_CHUNK, subject->data, subject->size, at, 0);
    }
    at = seal_chunk(at, "IDAT", size);
    at = seal_chunk(at, "IEND", 0);
    *out = (mrw_bytes){file, (size_t)(at - file)};
    return MRW_OK;
}

mrw_status mrw_png_encode_as(const mrw_image *image, const mrw_png_def *def, mrw_bytes *out,
                             mrw_error *error)
{
    const mrw_png_def preset = mrw_png_def_default();
    mrw_bytes subject = {0};
    def = def != NULL ? def : &preset;
    mrw_status status = check_image(image, def, error);
    if (status == MRW_OK && image->subject != NULL) {
        status = mrwi_subject_pack(image, &subject, error);
    }
    if (status == MRW_OK) {
        status = encode(image, def, &subject, out, error);
    }
    mrw_bytes_free(&subject);
    return status;
}

mrw_status mrw_png_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    return mrw_png_encode_as(image, NULL, out, error);
}

/* ---- animated PNG (PNG third edition, 11.3.7) ------------------------------------------------ */

#define FRAME_CONTROL_BYTES 26

/* The delay is den / num of a rate, in two 16-bit numbers. */
static void store_frame_control(uint8_t data[FRAME_CONTROL_BYTES], uint32_t sequence,
                                const mrw_image *image, mrw_rate rate)
{
    while (rate.num > UINT16_MAX || rate.den > UINT16_MAX) {
        rate.num = rate.num > 1 ? rate.num / 2 : 1;
        rate.den = rate.den > 1 ? rate.den / 2 : 1;
    }
    memset(data, 0, FRAME_CONTROL_BYTES); /* no offset, dispose none, blend source */
    store_u32(data, sequence);
    store_u32(data + 4, image->width);
    store_u32(data + 8, image->height);
    store_u16(data + 20, rate.den);
    store_u16(data + 22, rate.num);
}

/* Appends one frame: fcTL, then its IDAT (the first) or fdAT. */
static bool append_frame(mrw_bytes *out, size_t *capacity, const mrw_bytes *packed,
                         const mrw_image *image, uint32_t index, mrw_rate rate)
{
    uint32_t sequence = index == 0 ? 0 : 2 * index - 1;
    uint8_t control[FRAME_CONTROL_BYTES], number[4];
    store_frame_control(control, sequence, image, rate);
    store_u32(number, sequence + 1);
    size_t number_size = index == 0 ? 0 : sizeof number;
    uint8_t *to =
        extend(out, capacity, sizeof control + number_size + packed->size + 2 * CHUNK_OVERHEAD);
    if (to == NULL) {
        return false;
    }
    to = store_chunk(to, "fcTL", control, sizeof control, control, 0);
    store_chunk(to, index == 0 ? "IDAT" : "fdAT", number, number_size, packed->data, packed->size);
    return true;
}

/* Appends signature, IHDR and acTL. */
static bool append_header(mrw_bytes *out, size_t *capacity, const mrw_image *image, uint32_t count)
{
    uint8_t control[8] = {0}; /* plays without end */
    store_u32(control, count);
    uint8_t *to = extend(out, capacity, HEADER_BYTES + CHUNK_OVERHEAD + sizeof control);
    if (to == NULL) {
        return false;
    }
    store_chunk(store_header(to, image), "acTL", control, sizeof control, control, 0);
    return true;
}

static bool append_end(mrw_bytes *out, size_t *capacity)
{
    uint8_t *to = extend(out, capacity, END_BYTES);
    if (to != NULL) {
        seal_chunk(to, "IEND", 0);
    }
    return to != NULL;
}

static mrw_status check_frame(const mrw_image *images, uint32_t index, mrw_error *error)
{
    if (images[index].width == images->width && images[index].height == images->height &&
        images[index].channels == images->channels) {
        return MRW_OK;
    }
    return mrwi_fail(error, MRW_ERROR_USAGE,
                     "the frames of an animation must be alike: the first has %u x %u pixels of "
                     "%u channels, frame %u has %u x %u of %u",
                     images->width, images->height, images->channels, index + 1,
                     images[index].width, images[index].height, images[index].channels);
}

static mrw_status add_frame(mrw_bytes *out, size_t *capacity, const mrw_image *images,
                            uint32_t index, mrw_rate rate, const mrw_png_def *def, mrw_error *error)
{
    mrw_bytes packed = {0};
    mrw_status status = check_frame(images, index, error);
    if (status == MRW_OK) {
        status = mrwi_png_pack(&images[index], def, 0, 0, &packed.data, &packed.size, error);
    }
    if (status == MRW_OK && !append_frame(out, capacity, &packed, &images[index], index, rate)) {
        status = mrwi_fail_memory(error, out->size + packed.size);
    }
    mrw_bytes_free(&packed);
    return status;
}

mrw_status mrw_apng_encode_as(const mrw_image *images, uint32_t count, mrw_rate rate,
                              const mrw_png_def *def, mrw_bytes *out, mrw_error *error)
{
    assert(count > 0 && count <= INT32_MAX / 2 && rate.num > 0 && rate.den > 0);
    const mrw_png_def preset = mrw_png_def_default();
    mrw_bytes result = {0};
    size_t capacity = 0;
    def = def != NULL ? def : &preset;
    mrw_status status = check_image(images, def, error);
    if (status == MRW_OK && !append_header(&result, &capacity, images, count)) {
        status = mrwi_fail_memory(error, HEADER_BYTES);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        status = add_frame(&result, &capacity, images, i, rate, def, error);
    }
    if (status == MRW_OK && !append_end(&result, &capacity)) {
        status = mrwi_fail_memory(error, result.size);
    }
    if (status != MRW_OK) {
        mrw_bytes_free(&result);
        return status;
    }
    *out = result;
    return MRW_OK;
}

mrw_status mrw_apng_encode(const mrw_image *images, uint32_t count, mrw_rate rate, mrw_bytes *out,
                           mrw_error *error)
{
    return mrw_apng_encode_as(images, count, rate, NULL, out, error);
}
