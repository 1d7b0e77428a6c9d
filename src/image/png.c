/* png.c: PNG, with the subject where there is one, and animated PNG. stb_image_write filters and
 * packs, libdeflate compresses. */
#include "base/memory.h"
#include "base/text.h"
#include "image/subject.h"
#include "marrow/image.h"

#include <assert.h>
#include <libdeflate.h>
#include <pthread.h>
#include <string.h>

/* A shaded 1280x720 frame on one core, milliseconds and kilobytes: every filter tried on each row
 * with level 6 of 12 takes 24.8 ms for 213 KB; the filter "up" alone 13.5 ms for 211 KB at level 6,
 * 9.8 ms for 217 KB at level 4 and 8.7 ms for 219 KB at level 2. */
#define DEFLATE_LEVEL 4
#define FILTER_UP     2

/* What compress_zlib returned last on this thread: stb_image_write loses it when the allocation
 * that follows fails. */
static _Thread_local unsigned char *last_packed;

/* For stb_image_write: a zlib stream in a block of mrwi_alloc, NULL when out of memory. */
static unsigned char *compress_zlib(const unsigned char *data, int size, int *out_size)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(DEFLATE_LEVEL);
    if (compressor == NULL) {
        return NULL;
    }
    size_t bound = libdeflate_zlib_compress_bound(compressor, (size_t)size);
    unsigned char *out = mrwi_alloc(bound, 1);
    size_t used = 0;
    if (out != NULL) {
        used = libdeflate_zlib_compress(compressor, data, (size_t)size, out, bound);
        assert(used != 0);
    }
    libdeflate_free_compressor(compressor);
    *out_size = (int)used;
    last_packed = out;
    return out;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC /* an importer in the same process may hold its own copy */
#define STBIW_MALLOC(size)     mrwi_alloc((size_t)(size), 1)
#define STBIW_REALLOC_SIZED(block, old_size, new_size)                                             \
    mrwi_realloc(block, (size_t)(old_size), (size_t)(new_size), 1)
#define STBIW_FREE(block)                                  mrwi_free(block)
#define STBIW_ZLIB_COMPRESS(data, size, out_size, quality) compress_zlib(data, size, out_size)
#include "stb_image_write.h"
#pragma GCC diagnostic pop

/* ---- PNG ------------------------------------------------------------------------------------- */

/* The header's variable is private to this file and written once, before it is first read. */
static void choose_filter(void)
{
    stbi_write_force_png_filter = FILTER_UP;
}

static mrw_status encode_pixels(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    static pthread_once_t filter_chosen = PTHREAD_ONCE_INIT;
    assert(image->channels == 3 || image->channels == 4);
    pthread_once(&filter_chosen, choose_filter);
    int size = 0;
    last_packed = NULL;
    unsigned char *data = stbi_write_png_to_mem(image->pixels, 0, (int)image->width,
                                                (int)image->height, (int)image->channels, &size);
    if (data == NULL) {
        mrwi_free(last_packed);
        return mrwi_fail_memory(error, 0);
    }
    *out = (mrw_bytes){data, (size_t)size};
    return MRW_OK;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Where the parts of an encoded PNG lie: signature and IHDR, one IDAT chunk, IEND. */
#define HEADER_BYTES   33
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

/* Lays out a chunk whose data are two parts, either of which may be empty. */
static void store_chunk(uint8_t *to, const char type[4], const uint8_t *first, size_t first_size,
                        const uint8_t *second, size_t second_size)
{
    size_t size = first_size + second_size;
    store_u32(to, (uint32_t)size);
    memcpy(to + 4, type, 4);
    memcpy(to + 8, first, first_size);
    memcpy(to + 8 + first_size, second, second_size);
    store_u32(to + 8 + size, libdeflate_crc32(0, to + 4, size + 4));
}

/* Inserts the subject between the header and the pixels. */
static mrw_status insert_subject(const mrw_image *image, mrw_bytes *png, mrw_error *error)
{
    mrw_bytes packed;
    mrw_status status = mrwi_subject_pack(image, &packed, error);
    if (status != MRW_OK) {
        return status;
    }
    size_t added = packed.size + CHUNK_OVERHEAD;
    uint8_t *grown = mrwi_realloc(png->data, png->size, png->size + added, 1);
    if (grown != NULL) {
        memmove(grown + HEADER_BYTES + added, grown + HEADER_BYTES, png->size - HEADER_BYTES);
        store_chunk(grown + HEADER_BYTES, MRWI_SUBJECT_CHUNK, packed.data, packed.size, packed.data,
                    0);
        *png = (mrw_bytes){grown, png->size + added};
    } else {
        status = mrwi_fail_memory(error, png->size + added);
    }
    mrw_bytes_free(&packed);
    return status;
}

mrw_status mrw_png_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    mrw_bytes png = {0};
    mrw_status status = encode_pixels(image, &png, error);
    if (status == MRW_OK && image->subject != NULL) {
        status = insert_subject(image, &png, error);
    }
    if (status != MRW_OK) {
        mrw_bytes_free(&png);
        return status;
    }
    *out = png;
    return MRW_OK;
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
static bool append_frame(mrw_bytes *out, size_t *capacity, const mrw_bytes *png,
                         const mrw_image *image, uint32_t index, mrw_rate rate)
{
    const uint8_t *packed = png->data + HEADER_BYTES + 8;
    size_t packed_size = png->size - HEADER_BYTES - CHUNK_OVERHEAD - END_BYTES;
    uint32_t sequence = index == 0 ? 0 : 2 * index - 1;
    uint8_t control[FRAME_CONTROL_BYTES], number[4];
    store_frame_control(control, sequence, image, rate);
    store_u32(number, sequence + 1);
    size_t number_size = index == 0 ? 0 : sizeof number;
    uint8_t *to =
        extend(out, capacity, sizeof control + number_size + packed_size + 2 * CHUNK_OVERHEAD);
    if (to == NULL) {
        return false;
    }
    store_chunk(to, "fcTL", control, sizeof control, control, 0);
    store_chunk(to + sizeof control + CHUNK_OVERHEAD, index == 0 ? "IDAT" : "fdAT", number,
                number_size, packed, packed_size);
    return true;
}

/* Appends signature, IHDR and acTL. */
static bool append_header(mrw_bytes *out, size_t *capacity, const mrw_bytes *png, uint32_t count)
{
    uint8_t control[8] = {0}; /* plays without end */
    store_u32(control, count);
    uint8_t *to = extend(out, capacity, HEADER_BYTES + CHUNK_OVERHEAD + sizeof control);
    if (to == NULL) {
        return false;
    }
    memcpy(to, png->data, HEADER_BYTES);
    store_chunk(to + HEADER_BYTES, "acTL", control, sizeof control, control, 0);
    return true;
}

static bool append_end(mrw_bytes *out, size_t *capacity)
{
    uint8_t *to = extend(out, capacity, END_BYTES);
    if (to != NULL) {
        store_chunk(to, "IEND", to, 0, to, 0);
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

mrw_status mrw_apng_encode(const mrw_image *images, uint32_t count, mrw_rate rate, mrw_bytes *out,
                           mrw_error *error)
{
    assert(count > 0 && count <= INT32_MAX / 2 && rate.num > 0 && rate.den > 0);
    mrw_bytes result = {0}, png = {0};
    size_t capacity = 0;
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        status = check_frame(images, i, error);
        if (status == MRW_OK) {
            status = encode_pixels(&images[i], &png, error);
        }
        if (status == MRW_OK && ((i == 0 && !append_header(&result, &capacity, &png, count)) ||
                                 !append_frame(&result, &capacity, &png, &images[i], i, rate))) {
            status = mrwi_fail_memory(error, result.size);
        }
        mrw_bytes_free(&png);
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
