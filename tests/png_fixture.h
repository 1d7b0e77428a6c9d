/* png_fixture.h: a PNG reader and writer that share nothing with the code under test but inflate.
 */
#ifndef MARROW_PNG_FIXTURE_H
#define MARROW_PNG_FIXTURE_H

#include "test.h"

#include "marrow/image.h"

#include <libdeflate.h>

/* PNG third edition, annex D: the CRC of a chunk's type and data, bit by bit. */
static inline uint32_t slow_crc(const uint8_t *data, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 1) != 0 ? UINT32_C(0xEDB88320) ^ (crc >> 1) : crc >> 1;
        }
    }
    return ~crc;
}

static inline uint32_t load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void store_u32(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

typedef struct chunk {
    char type[5];
    const uint8_t *data;
    uint32_t size;
} chunk;

/* Takes a file apart and checks signature and every CRC; returns the number of chunks. */
static inline int read_chunks(const mrw_bytes *file, chunk *to, int most)
{
    static const uint8_t signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    ck_assert_uint_gt(file->size, 8);
    ck_assert_mem_eq(file->data, signature, 8);
    size_t at = 8;
    int count = 0;
    while (at < file->size) {
        ck_assert_uint_le(at + 12, file->size);
        const uint8_t *p = file->data + at;
        uint32_t size = load_u32(p);
        ck_assert_uint_le(size, file->size - at - 12);
        ck_assert_uint_eq(load_u32(p + 8 + size), slow_crc(p + 4, size + 4));
        ck_assert_int_lt(count, most);
        memcpy(to[count].type, p + 4, 4);
        to[count].type[4] = '\0';
        to[count].data = p + 8;
        to[count++].size = size;
        at += 12 + size;
    }
    return count;
}

static inline int paeth(int a, int b, int c)
{
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return pa <= pb && pa <= pc ? a : (pb <= pc ? b : c);
}

/* Undoes the filters of PNG 9.2 on rows of a filter byte and `stride` bytes, in place. */
static inline void unfilter(uint8_t *rows, size_t stride, size_t height, size_t pixel)
{
    for (size_t y = 0; y < height; y++) {
        uint8_t *row = rows + y * (stride + 1) + 1;
        const uint8_t *above = row - stride - 1;
        ck_assert_int_lt(row[-1], 5);
        for (size_t x = 0; x < stride; x++) {
            int a = x < pixel ? 0 : row[x - pixel], b = y == 0 ? 0 : above[x];
            int c = x < pixel || y == 0 ? 0 : above[x - pixel];
            int predictions[5] = {0, a, b, (a + b) / 2, paeth(a, b, c)};
            row[x] = (uint8_t)(row[x] + predictions[row[-1]]);
        }
    }
}

/* Checks that packed image data hold exactly these pixels. */
static inline void check_packed(const uint8_t *packed, size_t packed_size, const mrw_image *image)
{
    size_t stride = (size_t)image->width * image->channels;
    size_t expected = (stride + 1) * image->height, size = 0;
    uint8_t *rows = malloc(expected);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    ck_assert_int_eq(libdeflate_zlib_decompress(d, packed, packed_size, rows, expected, &size),
                     LIBDEFLATE_SUCCESS);
    ck_assert_uint_eq(size, expected);
    libdeflate_free_decompressor(d);
    unfilter(rows, stride, image->height, image->channels);
    for (size_t y = 0; y < image->height; y++) {
        ck_assert_mem_eq(rows + y * (stride + 1) + 1, image->pixels + y * stride, stride);
    }
    free(rows);
}

static inline void check_header(const chunk *header, const mrw_image *image)
{
    uint8_t expected[13] = {0};
    store_u32(expected, image->width);
    store_u32(expected + 4, image->height);
    expected[8] = 8;
    expected[9] = image->channels == 4 ? 6 : 2;
    ck_assert_str_eq(header->type, "IHDR");
    ck_assert_uint_eq(header->size, 13);
    ck_assert_mem_eq(header->data, expected, 13);
}

static inline size_t put_chunk(uint8_t *to, const char *type, const uint8_t *data, size_t size)
{
    store_u32(to, (uint32_t)size);
    memcpy(to + 4, type, 4);
    if (size != 0) {
        memcpy(to + 8, data, size);
    }
    store_u32(to + 8 + size, slow_crc(to + 4, size + 4));
    return size + 12;
}

typedef struct png_source {
    uint32_t width, height;
    uint8_t depth, color_type;
    const uint8_t *rows; /* with their filter bytes */
    size_t rows_size;
    const char *palette; /* PLTE, or NULL */
    size_t palette_size;
    const char *transparency; /* tRNS, or NULL */
    size_t transparency_size;
} png_source;

/* Writes any PNG; the caller frees it. */
static inline mrw_bytes make_png(const png_source *source)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(9);
    size_t bound = libdeflate_zlib_compress_bound(c, source->rows_size);
    uint8_t *packed = malloc(bound), *to = malloc(bound + 2048), header[13] = {0};
    size_t packed_size =
        libdeflate_zlib_compress(c, source->rows, source->rows_size, packed, bound);
    libdeflate_free_compressor(c);
    memcpy(to, "\x89PNG\r\n\x1A\n", 8);
    store_u32(header, source->width);
    store_u32(header + 4, source->height);
    header[8] = source->depth;
    header[9] = source->color_type;
    size_t used = 8;
    used += put_chunk(to + used, "IHDR", header, 13);
    if (source->palette) {
        used +=
            put_chunk(to + used, "PLTE", (const uint8_t *)source->palette, source->palette_size);
    }
    if (source->transparency) {
        used += put_chunk(to + used, "tRNS", (const uint8_t *)source->transparency,
                          source->transparency_size);
    }
    used += put_chunk(to + used, "IDAT", packed, packed_size);
    used += put_chunk(to + used, "IEND", NULL, 0);
    free(packed);
    return (mrw_bytes){to, used};
}

#endif
