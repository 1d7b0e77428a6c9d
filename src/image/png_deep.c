/* png_deep.c: PNGs of 16 bits per channel. Rows are filtered as the specification advises (12.8:
 * the filter with the smallest sum of absolute differences), and compressed by libdeflate. This is
 * simpler and slower than for 8 bits. Pixels are the same everywhere; bytes change with
 * libdeflate's version. */
#include "image/png_encoder.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/png_chunks.h"
#include "marrow/codecs.h"

#include <libdeflate.h>
#include <string.h>

#define LEVEL   6
#define FILTERS 5

static uint8_t paeth(int left, int up, int corner)
{
    const int p = left + up - corner;
    const int a = p > left ? p - left : left - p, b = p > up ? p - up : up - p;
    const int c = p > corner ? p - corner : corner - p;
    return (uint8_t)(a <= b && a <= c ? left : b <= c ? up : corner);
}

static uint8_t guess(int filter, int left, int up, int corner)
{
    switch (filter) {
    case 1:
        return (uint8_t)left;
    case 2:
        return (uint8_t)up;
    case 3:
        return (uint8_t)((left + up) / 2);
    case 4:
        return paeth(left, up, corner);
    default:
        return 0;
    }
}

/* Copies a row in big-endian order. */
static void swap_row(const mrw_image *image, uint32_t y, uint8_t *out)
{
    const size_t count = (size_t)image->width * image->channels;
    for (size_t i = 0; i < count; i++) {
        uint16_t value;
        memcpy(&value, image->pixels + 2 * (y * count + i), sizeof value);
        mrwi_image_store_u16(out + 2 * i, value);
    }
}

/* Filters a row into out. Returns the sum of the magnitudes of its bytes, taken as signed. */
static uint64_t filter_row(int filter, const uint8_t *row, const uint8_t *above, size_t size,
                           size_t step, uint8_t *out)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        const int left = i >= step ? row[i - step] : 0, corner = i >= step ? above[i - step] : 0;
        out[i] = (uint8_t)(row[i] - guess(filter, left, above[i], corner));
        sum += out[i] < 128 ? out[i] : 256u - out[i];
    }
    return sum;
}

/* Filters all rows, each behind the number of its filter. work: memory for three rows. */
static void filter_rows(const mrw_image *image, uint8_t *work, uint8_t *out)
{
    const size_t step = (size_t)image->channels * 2, size = image->width * step;
    uint8_t *row = work, *above = work + size, *trial = work + 2 * size;
    memset(above, 0, size);
    for (uint32_t y = 0; y < image->height; y++, out += 1 + size) {
        uint64_t least = UINT64_MAX;
        swap_row(image, y, row);
        for (int filter = 0; filter < FILTERS; filter++) {
            const uint64_t sum = filter_row(filter, row, above, size, step, trial);
            if (sum < least) {
                least = sum;
                out[0] = (uint8_t)filter;
                memcpy(out + 1, trial, size);
            }
        }
        uint8_t *swap = row;
        row = above;
        above = swap;
    }
}

mrw_status mrwi_image_png_deep(mrw_png_encoder *encoder, const mrw_image *image, mrw_bytes *out,
                               mrw_error *error)
{
    const size_t row = (size_t)image->width * image->channels * 2;
    const size_t size = (row + 1) * image->height;
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
    const size_t most = compressor ? libdeflate_zlib_compress_bound(compressor, size) : 0;
    if (!compressor || !mrwi_image_room_reserve(&encoder->work, 3 * row) ||
        !mrwi_image_room_reserve(&encoder->rows, size) ||
        !mrwi_image_room_reserve(&encoder->file,
                                 MRWI_IMAGE_PNG_HEADER + 2 * MRWI_IMAGE_CHUNK_AROUND + most)) {
        libdeflate_free_compressor(compressor);
        return mrwi_base_fail_memory(error, size + most);
    }
    filter_rows(image, encoder->work.data, encoder->rows.data);
    uint8_t *at = mrwi_image_png_store_header(encoder->file.data, image->width, image->height,
                                              image->channels, 16);
    const size_t packed = libdeflate_zlib_compress(compressor, encoder->rows.data, size,
                                                   at + MRWI_IMAGE_CHUNK_START, most);
    libdeflate_free_compressor(compressor);
    at = mrwi_image_chunk_seal(at, "IDAT", packed);
    at = mrwi_image_chunk_seal(at, "IEND", 0);
    *out = (mrw_bytes){encoder->file.data, (size_t)(at - encoder->file.data)};
    return MRW_OK;
}
