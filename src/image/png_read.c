/* png_read.c: reads the common kind of PNG (third edition).
 *
 * The rows are inflated to the end of the block that becomes the picture, and unfiltered from there
 * to its start: a row is never written over bytes that are still to be read, for the row that a
 * pixel comes from has at most one byte of filter type more than what it becomes, or is shorter.
 * Pixels are words of four bytes, of which a mask keeps those that the file has.
 */
#include "image/png_read.h"

#include "base/memory.h"
#include "base/text.h"

#include <libdeflate.h>
#include <string.h>

#define CHUNK_HEAD ((size_t)8) /* length and type */
#define CHUNK_TAIL ((size_t)4) /* CRC, which nobody checks: the stream has a sum of its own */
#define SLACK      ((size_t)64)

static uint32_t load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* ---- chunks ---------------------------------------------------------------------------------- */

typedef struct source {
    const uint8_t *data;
    size_t size;
    uint32_t width, height;
    size_t pixel;   /* bytes of one in the file: 3 or 4 */
    size_t packed;  /* bytes of all IDAT chunks */
    size_t first;   /* position of the first IDAT */
    bool scattered; /* there are several */
} source;

static bool read_header(source *s)
{
    static const uint8_t start[16] = {137, 'P', 'N', 'G', 13,  10,  26,  10,
                                      0,   0,   0,   13,  'I', 'H', 'D', 'R'};
    if (s->size < 33 || memcmp(s->data, start, sizeof start) != 0) {
        return false;
    }
    const uint8_t *header = s->data + 16;
    s->width = load_u32(header);
    s->height = load_u32(header + 4);
    s->pixel = header[9] == 6 ? 4 : 3;
    return header[8] == 8 && (header[9] == 2 || header[9] == 6) && header[10] == 0 &&
           header[11] == 0 && header[12] == 0 && s->width > 0 && s->height > 0;
}

static bool is(const uint8_t *chunk, const char type[4])
{
    return memcmp(chunk + 4, type, 4) == 0;
}

/* Position behind a chunk; 0 when it reaches past the end. */
static size_t behind(const source *s, size_t at)
{
    size_t left = s->size - at;
    if (left < CHUNK_HEAD + CHUNK_TAIL || load_u32(s->data + at) > left - CHUNK_HEAD - CHUNK_TAIL) {
        return 0;
    }
    return at + CHUNK_HEAD + load_u32(s->data + at) + CHUNK_TAIL;
}

/* Finds the IDAT chunks. False when there is a chunk that changes what pixels mean. */
static bool find_data(source *s)
{
    size_t at = 33, next = 0;
    for (; (next = behind(s, at)) != 0 && !is(s->data + at, "IEND"); at = next) {
        const uint8_t *chunk = s->data + at;
        if (is(chunk, "IDAT")) {
            s->scattered = s->first != 0;
            s->first = s->first != 0 ? s->first : at;
            s->packed += load_u32(chunk);
        } else if ((chunk[4] & 0x20) == 0 || is(chunk, "tRNS")) {
            return false;
        }
    }
    return next != 0 && s->first != 0;
}

static void gather(const source *s, uint8_t *out)
{
    for (size_t at = s->first; !is(s->data + at, "IEND"); at = behind(s, at)) {
        if (is(s->data + at, "IDAT")) {
            size_t count = load_u32(s->data + at);
            memcpy(out, s->data + at + CHUNK_HEAD, count);
            out += count;
        }
    }
}

/* Inflates exactly `wanted` bytes. */
static mrw_status inflate(const source *s, uint8_t *out, size_t wanted, bool *good,
                          mrw_error *error)
{
    uint8_t *gathered = s->scattered ? mrwi_alloc(s->packed, 1) : NULL;
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    mrw_status status = MRW_OK;
    if (inflater == NULL || (s->scattered && gathered == NULL)) {
        status = mrwi_fail_memory(error, s->packed);
    } else {
        if (s->scattered) {
            gather(s, gathered);
        }
        const uint8_t *packed = s->scattered ? gathered : s->data + s->first + CHUNK_HEAD;
        *good = libdeflate_zlib_decompress(inflater, packed, s->packed, out, wanted, NULL) ==
                LIBDEFLATE_SUCCESS;
    }
    libdeflate_free_decompressor(inflater);
    mrwi_free(gathered);
    return status;
}

/* ---- filters --------------------------------------------------------------------------------- */

typedef uint8_t eight_bytes __attribute__((vector_size(8)));
typedef int16_t eight_shorts __attribute__((vector_size(16)));

static inline uint32_t load_pixel(const uint8_t *p, uint32_t mask)
{
    uint32_t pixel;
    memcpy(&pixel, p, sizeof pixel);
    return pixel & mask;
}

static inline uint32_t add_bytes(uint32_t a, uint32_t b)
{
    return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
}

static inline eight_shorts widen(uint32_t pixel)
{
    const uint64_t both = pixel;
    eight_bytes bytes;
    memcpy(&bytes, &both, sizeof bytes);
    return __builtin_convertvector(bytes, eight_shorts);
}

static inline uint32_t narrow(eight_shorts v)
{
    const eight_bytes bytes = __builtin_convertvector(v, eight_bytes);
    uint32_t pixel;
    memcpy(&pixel, &bytes, sizeof pixel);
    return pixel;
}

static inline eight_shorts magnitude(eight_shorts v)
{
    const eight_shorts sign = v >> 15;
    return (v ^ sign) - sign;
}

/* Whichever of left, above and above left is nearest to left + above - above left. */
static inline eight_shorts paeth(eight_shorts left, eight_shorts above, eight_shorts corner)
{
    const eight_shorts to_left = magnitude(above - corner), to_above = magnitude(left - corner);
    const eight_shorts to_corner = magnitude(left + above - corner - corner);
    const eight_shorts is_left = (to_left <= to_above) & (to_left <= to_corner);
    const eight_shorts is_above = ~is_left & (to_above <= to_corner);
    return (left & is_left) | (above & is_above) | (corner & ~is_left & ~is_above);
}

/* How pixels lie in the file and in the picture, in bytes; which of the four bytes the file has,
 * and what the others are. */
typedef struct shape {
    size_t from, to;
    uint32_t mask, alpha;
} shape;

/* A row of count pixels. above is the row that the picture has above it; at the top of the picture
 * it is four zeros, which are there again and again when above_step is 0. Pixels are written as
 * four bytes, the fourth of which may be the next one's. */
static inline __attribute__((always_inline)) void unfilter(const shape s, int filter,
                                                           const uint8_t *row, size_t count,
                                                           const uint8_t *above, size_t above_step,
                                                           uint8_t *out)
{
    uint32_t left = 0;
    eight_shorts wide_left = {0}, corner = {0};
    for (size_t i = 0; i < count; i++, row += s.from, above += above_step, out += s.to) {
        const uint32_t raw = load_pixel(row, s.mask);
        const uint32_t up = load_pixel(above, s.mask);
        if (filter == 0) {
            left = raw;
        } else if (filter == 1) {
            left = add_bytes(raw, left);
        } else if (filter == 2) {
            left = add_bytes(raw, up);
        } else if (filter == 3) {
            left = add_bytes(raw, (left & up) + (((left ^ up) & 0xfefefefeu) >> 1));
        } else {
            const eight_shorts wide_up = widen(up);
            wide_left = (widen(raw) + paeth(wide_left, wide_up, corner)) & 255;
            corner = wide_up;
            left = narrow(wide_left);
        }
        const uint32_t made = left | s.alpha;
        memcpy(out, &made, sizeof made);
    }
}

static inline __attribute__((always_inline)) bool
unfilter_rows(const shape s, const uint8_t *rows, size_t width, size_t height, uint8_t *out)
{
    static const uint8_t zeros[4];
    const uint8_t *above = zeros;
    size_t above_step = 0;
    for (size_t y = 0; y < height; y++) {
        const int filter = *rows++;
        switch (filter) {
        case 0:
            unfilter(s, 0, rows, width, above, above_step, out);
            break;
        case 1:
            unfilter(s, 1, rows, width, above, above_step, out);
            break;
        case 2:
            unfilter(s, 2, rows, width, above, above_step, out);
            break;
        case 3:
            unfilter(s, 3, rows, width, above, above_step, out);
            break;
        case 4:
            unfilter(s, 4, rows, width, above, above_step, out);
            break;
        default:
            return false;
        }
        above = out;
        above_step = s.to;
        rows += width * s.from;
        out += width * s.to;
    }
    return true;
}

static bool unfilter_picture(const source *s, const uint8_t *rows, uint32_t channels, uint8_t *out)
{
    const uint32_t three = 0x00ffffffu, four = 0xffffffffu;
    if (s->pixel == 4) {
        return channels == 4
                   ? unfilter_rows((shape){4, 4, four, 0}, rows, s->width, s->height, out)
                   : unfilter_rows((shape){4, 3, three, 0}, rows, s->width, s->height, out);
    }
    return channels == 4
               ? unfilter_rows((shape){3, 4, three, ~three}, rows, s->width, s->height, out)
               : unfilter_rows((shape){3, 3, three, 0}, rows, s->width, s->height, out);
}

/* ---- pictures -------------------------------------------------------------------------------- */

mrw_status mrwi_png_read(const uint8_t *data, size_t size, uint32_t channels, mrw_image *out,
                         mrw_error *error)
{
    source s = {.data = data, .size = size};
    *out = (mrw_image){0};
    if (!read_header(&s) || !find_data(&s)) {
        return MRW_OK;
    }
    channels = channels == 0 ? (uint32_t)s.pixel : channels;
    const size_t raw = (s.pixel * s.width + 1) * s.height;
    const size_t final = (size_t)channels * s.width * s.height;
    const size_t room = (raw > final ? raw : final) + SLACK;
    uint8_t *block = mrwi_alloc(room, 1);
    if (block == NULL) {
        return mrwi_fail_memory(error, room);
    }
    bool good = false;
    uint8_t *rows = block + room - raw;
    mrw_status status = inflate(&s, rows, raw, &good, error);
    if (status != MRW_OK || !good || !unfilter_picture(&s, rows, channels, block)) {
        mrwi_free(block);
        return status;
    }
    *out = (mrw_image){s.width, s.height, channels, block, NULL};
    return MRW_OK;
}
