/* png_chunks.c: the chunks that PNG and animated PNG have in common. */
#include "image/png_chunks.h"

#include <libdeflate.h>
#include <string.h>

void mrwi_image_store_u16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

void mrwi_image_store_u32(uint8_t *to, uint32_t value)
{
    mrwi_image_store_u16(to, value >> 16);
    mrwi_image_store_u16(to + 2, value);
}

uint32_t mrwi_image_load_u32(const uint8_t *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

uint8_t *mrwi_image_chunk_seal(uint8_t *to, const char type[4], size_t size)
{
    mrwi_image_store_u32(to, (uint32_t)size);
    memcpy(to + 4, type, 4);
    mrwi_image_store_u32(to + MRWI_IMAGE_CHUNK_START + size, libdeflate_crc32(0, to + 4, size + 4));
    return to + MRWI_IMAGE_CHUNK_AROUND + size;
}

uint8_t *mrwi_image_chunk_store(uint8_t *to, const char type[4], const uint8_t *first,
                                size_t first_size, const uint8_t *second, size_t second_size)
{
    memcpy(to + MRWI_IMAGE_CHUNK_START, first, first_size);
    memcpy(to + MRWI_IMAGE_CHUNK_START + first_size, second, second_size);
    return mrwi_image_chunk_seal(to, type, first_size + second_size);
}

uint8_t *mrwi_image_png_store_header(uint8_t *to, uint32_t width, uint32_t height,
                                     uint32_t channels, uint32_t bits)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    uint8_t data[13] = {[8] = (uint8_t)bits, [9] = channels == 4 ? 6 : channels == 3 ? 2 : 0};
    memcpy(to, signature, sizeof signature);
    mrwi_image_store_u32(data, width);
    mrwi_image_store_u32(data + 4, height);
    return mrwi_image_chunk_store(to + sizeof signature, "IHDR", data, sizeof data, data, 0);
}
