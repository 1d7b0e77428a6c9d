/* subject.c: packs and reads the chunk that tells which pixels of a PNG were drawn. */
#include "image/subject.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/png_chunks.h"

#include <libdeflate.h>
#include <string.h>

#define VERSION 1

/* ---- packing --------------------------------------------------------------------------------- */

/* Bytes of the longest number: 16384 * 16384 has 29 bits, and a byte holds 7. */
#define NUMBER_BYTES 5

static size_t store_number(uint8_t *to, size_t value)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7) {
        to[n++] = (uint8_t)(value | 0x80);
    }
    to[n++] = (uint8_t)value;
    return n;
}

/* Doubles the room and keeps its content. */
static bool grow(mrwi_image_room *room, size_t used)
{
    uint8_t *grown = mrwi_base_realloc(room->data, used, 2 * room->size, 1);
    if (!grown) {
        return false;
    }
    *room = (mrwi_image_room){grown, 2 * room->size};
    return true;
}

mrw_status mrwi_image_subject_pack(const mrw_image *image, mrwi_image_room *out, size_t *size,
                                   mrw_error *error)
{
    const uint8_t *at = image->subject;
    size_t left = (size_t)image->width * image->height, used = 0;
    if (!mrwi_image_room_reserve(out, 4096)) {
        return mrwi_base_fail_memory(error, 4096);
    }
    out->data[used++] = VERSION;
    for (int value = 0; left > 0; value = !value) {
        const uint8_t *end = memchr(at, !value, left);
        size_t run = end ? (size_t)(end - at) : left;
        if (out->size - used < NUMBER_BYTES && !grow(out, used)) {
            return mrwi_base_fail_memory(error, 2 * out->size);
        }
        used += store_number(out->data + used, run);
        at += run;
        left -= run;
    }
    *size = used;
    return MRW_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A part of the file that has not been read yet. */
typedef struct reader {
    const uint8_t *at;
    size_t left;
} reader;

/* Reads a number up to `most`. Returns false if it's larger, longer than necessary, or truncated.
 */
static bool take_number(reader *from, size_t most, size_t *out)
{
    size_t value = 0;
    for (unsigned shift = 0; shift < 7 * NUMBER_BYTES && from->left > 0; shift += 7) {
        uint8_t byte = *from->at++;
        from->left--;
        value |= (size_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return value <= most && (byte != 0 || shift == 0);
        }
    }
    return false;
}

/* Unpacks the runs. Returns false unless they add up to the picture exactly and none but the first
 * is empty. */
static bool unpack(reader from, uint8_t *subject, size_t pixels)
{
    if (from.left == 0 || *from.at != VERSION) {
        return false;
    }
    from.at++;
    from.left--;
    size_t done = 0;
    for (size_t i = 0; from.left > 0; i++) {
        size_t run = 0;
        if (!take_number(&from, pixels - done, &run) || (run == 0 && i > 0)) {
            return false;
        }
        memset(subject + done, (int)(i & 1), run);
        done += run;
    }
    return done == pixels;
}

#define SIGNATURE_BYTES 8
#define CHUNK_OVERHEAD  12

/* Finds the data of our chunk before the pixels. Returns false if there is none or more than one,
 * or if its checksum is wrong. */
static bool find_chunk(const uint8_t *png, size_t size, reader *out)
{
    bool found = false;
    size_t length = 0;
    for (size_t at = SIGNATURE_BYTES; at < size && size - at >= CHUNK_OVERHEAD;
         at += CHUNK_OVERHEAD + length) {
        const uint8_t *type = png + at + 4;
        length = mrwi_image_load_u32(png + at);
        if (length > size - at - CHUNK_OVERHEAD) {
            return false;
        }
        if (memcmp(type, "IDAT", 4) == 0) {
            return found;
        }
        if (memcmp(type, MRWI_IMAGE_SUBJECT_CHUNK, 4) == 0) {
            if (found ||
                libdeflate_crc32(0, type, length + 4) != mrwi_image_load_u32(type + 4 + length)) {
                return false;
            }
            found = true;
            *out = (reader){type + 4, length};
        }
    }
    return false;
}

mrw_status mrwi_image_subject_read(const uint8_t *png, size_t size, uint32_t width, uint32_t height,
                                   uint8_t **out, mrw_error *error)
{
    const size_t pixels = (size_t)width * height;
    reader packed;
    *out = NULL;
    if (!find_chunk(png, size, &packed)) {
        return MRW_OK;
    }
    uint8_t *subject = mrwi_base_alloc(pixels, 1);
    if (!subject) {
        return mrwi_base_fail_memory(error, pixels);
    }
    if (unpack(packed, subject, pixels)) {
        *out = subject;
    } else {
        mrwi_base_free(subject);
    }
    return MRW_OK;
}
