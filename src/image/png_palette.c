/* png_palette.c: completes the palette of an indexed PNG before stb_image reads it. */
#include "image/png_palette.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/png_chunks.h"

#include <string.h>

#define SIGNATURE_BYTES 8
#define HEADER_DEPTH    8 /* positions of bit depth and colour type in IHDR */
#define HEADER_COLOR    9
#define COLOR_INDEXED   3

/* Returns the start of an indexed PNG's PLTE chunk if it has fewer entries than pixels can have
 * values; else 0. Ignores checksums, as stb_image does. */
static size_t find_short_palette(const uint8_t *file, size_t size)
{
    size_t length = 0, needed = 0;
    for (size_t at = SIGNATURE_BYTES; at < size && size - at >= MRWI_IMAGE_CHUNK_AROUND;
         at += MRWI_IMAGE_CHUNK_AROUND + length) {
        const uint8_t *type = file + at + 4, *data = file + at + MRWI_IMAGE_CHUNK_START;
        length = mrwi_image_load_u32(file + at);
        if (length > size - at - MRWI_IMAGE_CHUNK_AROUND || memcmp(type, "IDAT", 4) == 0) {
            return 0;
        }
        if (memcmp(type, "IHDR", 4) == 0) {
            if (length != 13 || data[HEADER_COLOR] != COLOR_INDEXED || data[HEADER_DEPTH] > 8) {
                return 0;
            }
            needed = (size_t)3 << data[HEADER_DEPTH];
        }
        if (memcmp(type, "PLTE", 4) == 0) {
            return length < needed ? at : 0;
        }
    }
    return 0;
}

/* Inserts a full black PLTE chunk before that of the file. stb_image accepts several PLTE chunks,
 * each of which replaces the first entries. The file's chunk stays the last one, so the number of
 * entries, by which stb_image checks tRNS, stays that of the file. */
mrw_status mrwi_image_png_palette_fill(const uint8_t *file, size_t size, mrw_bytes *out,
                                       mrw_error *error)
{
    static const uint8_t signature[SIGNATURE_BYTES] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    *out = (mrw_bytes){0};
    if (size < SIGNATURE_BYTES || memcmp(file, signature, SIGNATURE_BYTES) != 0) {
        return MRW_OK;
    }
    const size_t at = find_short_palette(file, size);
    if (at == 0) {
        return MRW_OK;
    }
    uint8_t *copy = mrwi_base_alloc(size + MRWI_IMAGE_PNG_PALETTE_ADDED, 1);
    if (!copy) {
        return mrwi_base_fail_memory(error, size + MRWI_IMAGE_PNG_PALETTE_ADDED);
    }
    memcpy(copy, file, at);
    memset(copy + at + MRWI_IMAGE_CHUNK_START, 0, 3 * 256);
    memcpy(mrwi_image_chunk_seal(copy + at, "PLTE", 3 * 256), file + at, size - at);
    *out = (mrw_bytes){copy, size + MRWI_IMAGE_PNG_PALETTE_ADDED};
    return MRW_OK;
}
