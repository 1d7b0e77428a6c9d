/* png_read.c: decodes ordinary PNGs. libdeflate decompresses all rows at once, and kernels remove
 * the filters. Everything unusual or damaged is left to stb_image. */
#include "image/png_read.h"

#include "base/memory.h"
#include "base/work.h"
#include "image/limited.h"
#include "image/png_chunks.h"
#include "image/png_rows.h"

#include <libdeflate.h>
#include <string.h>

#define CHUNKS_START  33 /* behind the signature and IHDR */
#define COLOR_INDEXED 3

typedef struct source {
    uint32_t width;
    uint32_t height;
    size_t pixel;        /* bytes per pixel in the file */
    size_t entries;      /* colours in the palette; 0 before PLTE */
    bool indexed;        /* pixels are indices into the palette */
    bool has_alpha;      /* the file has alpha, in its pixels or its palette */
    const uint8_t *data; /* zlib data of all IDAT chunks; NULL before the first */
    size_t size;
    uint8_t *joined; /* memory of several chunks' data */
    uint8_t palette[256][4];
} source;

/* ---- chunks ---------------------------------------------------------------------------------- */

static bool read_header(const uint8_t *file, size_t size, source *s)
{
    static const uint8_t start[16] = {137, 'P', 'N', 'G', 13,  10,  26,  10,
                                      0,   0,   0,   13,  'I', 'H', 'D', 'R'};
    static const uint8_t bytes[7] = {1, 0, 3, 1, 2, 0, 4};
    if (size < CHUNKS_START || memcmp(file, start, sizeof start) != 0) {
        return false;
    }
    const uint8_t depth = file[24], color = file[25];
    s->width = mrwi_image_load_u32(file + 16);
    s->height = mrwi_image_load_u32(file + 20);
    s->pixel = color < sizeof bytes ? bytes[color] : 0;
    s->indexed = color == COLOR_INDEXED;
    s->has_alpha = s->pixel % 2 == 0;
    return depth == 8 && s->pixel != 0 && file[26] == 0 && file[27] == 0 && file[28] == 0;
}

/* Reads the palette. Indices without an entry show black, as png_palette.h says. */
static bool read_palette(const uint8_t *data, size_t length, source *s)
{
    if (!s->indexed) {
        return length % 3 == 0 && length <= 3 * 256;
    }
    if (s->entries != 0 || s->data || length == 0 || length % 3 != 0 || length > 3 * 256) {
        return false;
    }
    s->entries = length / 3;
    for (size_t i = 0; i < 256; i++) {
        if (i < s->entries) {
            memcpy(s->palette[i], data + 3 * i, 3);
        }
        s->palette[i][3] = 255;
    }
    return true;
}

static bool read_palette_alpha(const uint8_t *data, size_t length, source *s)
{
    if (!s->indexed || s->has_alpha || s->data || length > s->entries) {
        return false;
    }
    s->has_alpha = true;
    for (size_t i = 0; i < length; i++) {
        s->palette[i][3] = data[i];
    }
    return s->entries != 0;
}

/* Adds a chunk's data; `most` is enough for all of them. */
static bool add_data(const uint8_t *data, size_t length, size_t most, source *s)
{
    if (!s->data) {
        s->data = data;
        s->size = length;
        return !s->indexed || s->entries != 0;
    }
    if (!s->joined) {
        s->joined = mrwi_image_limited_alloc(most, false);
        if (!s->joined) {
            return false;
        }
        memcpy(s->joined, s->data, s->size);
        s->data = s->joined;
    }
    memcpy(s->joined + s->size, data, length);
    s->size += length;
    return true;
}

/* Reads all chunks up to IEND. Ignores checksums, as stb_image does. */
static bool read_chunks(const uint8_t *file, size_t size, source *s)
{
    size_t length = 0;
    for (size_t at = CHUNKS_START; size - at >= MRWI_IMAGE_CHUNK_AROUND;
         at += MRWI_IMAGE_CHUNK_AROUND + length) {
        const uint8_t *type = file + at + 4, *data = file + at + MRWI_IMAGE_CHUNK_START;
        bool fine = (type[0] & 32) != 0; /* a chunk that readers may skip */
        length = mrwi_image_load_u32(file + at);
        if (length > size - at - MRWI_IMAGE_CHUNK_AROUND) {
            return false;
        }
        if (memcmp(type, "IEND", 4) == 0) {
            return s->data;
        }
        if (memcmp(type, "IDAT", 4) == 0) {
            fine = add_data(data, length, size, s);
        } else if (memcmp(type, "PLTE", 4) == 0) {
            fine = read_palette(data, length, s);
        } else if (memcmp(type, "tRNS", 4) == 0) {
            fine = read_palette_alpha(data, length, s);
        }
        if (!fine) {
            return false;
        }
    }
    return false;
}

/* ---- pixels ---------------------------------------------------------------------------------- */

/* Decompresses exactly `size` bytes. */
static bool inflate(const source *s, uint8_t *out, size_t size)
{
    const uint8_t *in = s->data;
    size_t unpacked = 0;
    if (s->size < 2 || (in[0] * 256 + in[1]) % 31 != 0 || (in[0] & 15) != 8 || (in[1] & 32) != 0) {
        return false;
    }
    struct libdeflate_decompressor *tool = libdeflate_alloc_decompressor();
    if (!tool) {
        return false;
    }
    const enum libdeflate_result result =
        libdeflate_deflate_decompress(tool, in + 2, s->size - 2, out, size, &unpacked);
    libdeflate_free_decompressor(tool);
    return result == LIBDEFLATE_SUCCESS && unpacked == size;
}

/* Expands a row of the file to `channels`: grey to three channels, no alpha to 255. */
static inline __attribute__((always_inline)) void
expand_as(const source *s, const uint8_t *from, size_t pixel, uint32_t channels, uint8_t *to)
{
    const size_t green = pixel > 2 ? 1 : 0, blue = 2 * green;
    for (uint32_t x = 0; x < s->width; x++, from += pixel, to += channels) {
        if (s->indexed) {
            memcpy(to, s->palette[from[0]], channels);
            continue;
        }
        to[0] = from[0];
        to[1] = from[green];
        to[2] = from[blue];
        if (channels == 4) {
            to[3] = pixel % 2 == 0 ? from[pixel - 1] : 255;
        }
    }
}

static void expand(const source *s, const uint8_t *from, uint32_t channels, uint8_t *to)
{
    if (channels == 3) {
        expand_as(s, from, s->pixel, 3, to);
    } else if (s->pixel == 3) {
        expand_as(s, from, 3, 4, to);
    } else {
        expand_as(s, from, s->pixel, 4, to);
    }
}

/* Removes the filters of the rows at `raw` and writes the pixels, until the work must end. With
 * `same`, these are the file's and `pixels` is `raw`: each row moves to the front by the number of
 * filters before it. */
static bool restore(const source *s, uint8_t *raw, bool same, uint32_t channels, uint8_t *pixels)
{
    const mrwi_image_png_rows_kernels *kernels = mrwi_image_png_rows_kernels_for(MRW_ISA_AUTO);
    const size_t stride = s->width * s->pixel;
    uint8_t *zeros = mrwi_image_limited_alloc(stride, true);
    const uint8_t *above = zeros;
    bool fine = zeros;
    for (uint32_t y = 0; fine && y < s->height && mrwi_base_work_goes_on();
         y++, raw += stride + 1) {
        const uint8_t filter = raw[0];
        uint8_t *row = same ? pixels : raw + 1;
        if (filter >= MRWI_IMAGE_PNG_FILTERS) {
            fine = false;
            break;
        }
        kernels->unfilter(raw + 1, above, stride, s->pixel, (mrwi_image_png_filter)filter, row);
        if (!same) {
            expand(s, row, channels, pixels);
        }
        above = row;
        pixels += (size_t)s->width * channels;
    }
    mrwi_base_free(zeros);
    return fine;
}

bool mrwi_image_png_read(const uint8_t *file, size_t size, uint32_t channels, mrw_image *out)
{
    source s = {.width = 0};
    uint8_t *raw = NULL, *pixels = NULL;
    bool done = false;
    if (!read_header(file, size, &s) || !read_chunks(file, size, &s)) {
        goto out;
    }
    channels = channels != 0 ? channels : s.has_alpha ? 4 : 3;
    const bool same = channels == s.pixel;
    const size_t raw_size = (s.width * s.pixel + 1) * s.height;
    raw = mrwi_image_limited_alloc(raw_size, false);
    if (!raw || !inflate(&s, raw, raw_size)) {
        goto out;
    }
    pixels = same ? raw : mrwi_image_limited_alloc((size_t)s.width * s.height * channels, false);
    done = pixels && restore(&s, raw, same, channels, pixels);
out:
    if (done) {
        *out = (mrw_image){s.width, s.height, channels, MRW_FORMAT_U8, pixels, NULL};
    }
    if (raw != pixels) {
        mrwi_base_free(raw);
    }
    if (!done) {
        mrwi_base_free(pixels);
    }
    mrwi_base_free(s.joined);
    return done;
}
