/* hdr.c: decodes Radiance pictures (.hdr) to linear floats: flat ones, and both kinds of run
 * lengths (Ward, "Real Pixels", Graphics Gems II, 1991; Radiance, "File Formats", 4.2).
 *
 * stb_image is not used: it takes the older run lengths for pixels, and reads a truncated flat
 * picture as black. */
#include "image/hdr.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/f4.h"
#include "base/text.h"
#include "base/work.h"
#include "image/decode.h"
#include "image/file.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Widths of rows that may use the newer run lengths. */
#define LEAST_NEW 8
#define MOST_NEW  32767

#define LONGEST_LINE 512

/* Patterns of 16 bytes: the start of a run in each of four pixels, and the bytes that are compared
 * with it. */
static const uint8_t ONES[16] = {1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0};
static const uint8_t MASKS[16] = {255, 255, 255, 0, 255, 255, 255, 0,
                                  255, 255, 255, 0, 255, 255, 255, 0};

/* Bytes, or pairs of bytes, from a and b in turn: of their first half, and of their second. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
#define LOWER(a, b)                                                                                \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define UPPER(a, b)                                                                                \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOWER_PAIRS(a, b)                                                                          \
    __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
#define UPPER_PAIRS(a, b)                                                                          \
    __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)

typedef struct reader {
    const uint8_t *at;
    const uint8_t *end;
    const char *name; /* escaped */
    mrw_error *error;
} reader;

static mrw_status fail(const reader *r, const char *what)
{
    return mrwi_base_fail(r->error, MRW_ERROR_INPUT, "%s: %s: export it again, as a Radiance .hdr",
                          r->name, what);
}

static mrw_status fail_cut_off(const reader *r)
{
    return fail(r, "the picture is cut off");
}

/* ---- header ---------------------------------------------------------------------------------- */

/* Reads the next line, without its end. Returns false if there is none, or if it's too long. */
static bool read_line(reader *r, char line[LONGEST_LINE])
{
    const size_t left = (size_t)(r->end - r->at);
    const uint8_t *end = memchr(r->at, '\n', left < LONGEST_LINE ? left : LONGEST_LINE);
    if (!end) {
        return false;
    }
    const size_t length = (size_t)(end - r->at);
    memcpy(line, r->at, length);
    line[length > 0 && line[length - 1] == '\r' ? length - 1 : length] = '\0';
    r->at = end + 1;
    return true;
}

/* Reads at most six digits and moves *at behind them. Returns -1 if there are none. */
static int32_t read_side(const char **at)
{
    int32_t side = **at >= '0' && **at <= '9' ? 0 : -1;
    for (int i = 0; i < 6 && **at >= '0' && **at <= '9'; i++, ++*at) {
        side = 10 * side + (**at - '0');
    }
    return side;
}

/* Reads "-Y height +X width", which means rows from the top and pixels from left to right. */
static mrw_status read_sides(const reader *r, const char *line, int32_t *width, int32_t *height)
{
    char shown[96];
    const char *at = line + 3;
    *width = *height = -1;
    if (strncmp(line, "-Y ", 3) == 0) {
        *height = read_side(&at);
        if (strncmp(at, " +X ", 4) == 0) {
            at += 4;
            *width = read_side(&at);
        }
    }
    if (*width < 0 || *height < 0 || *at != '\0') {
        return mrwi_base_fail(r->error, MRW_ERROR_INPUT,
                              "%s: the picture's size and order are \"%s\", not \"-Y height +X "
                              "width\": export it again, upright",
                              r->name, mrwi_base_escape(line, shown, sizeof shown));
    }
    return MRW_OK;
}

static mrw_status check_sides(const reader *r, int32_t width, int32_t height, uint64_t max_pixels)
{
    if (width == 0 || height == 0) {
        return fail(r, "the picture has no pixels");
    }
    if (width > MRW_IMAGE_MAX_SIDE || height > MRW_IMAGE_MAX_SIDE ||
        (uint64_t)width * (uint64_t)height > max_pixels) {
        return mrwi_base_fail(r->error, MRW_ERROR_INPUT,
                              "%s: a picture of %d x %d pixels is larger than allowed (%d per "
                              "side, %ju in total): scale it down",
                              r->name, width, height, MRW_IMAGE_MAX_SIDE, (uintmax_t)max_pixels);
    }
    return MRW_OK;
}

static mrw_status read_header(reader *r, int32_t *width, int32_t *height)
{
    char line[LONGEST_LINE + 1];
    if ((size_t)(r->end - r->at) < 2 || memcmp(r->at, "#?", 2) != 0) {
        return fail(r, "not a Radiance picture");
    }
    do {
        if (!read_line(r, line)) {
            return fail_cut_off(r);
        }
        if (strncmp(line, "FORMAT=", 7) == 0 && strcmp(line + 7, "32-bit_rle_rgbe") != 0) {
            char shown[96];
            return mrwi_base_fail(r->error, MRW_ERROR_INPUT,
                                  "%s: its pixels are %s, not 32-bit_rle_rgbe: convert it to RGBE",
                                  r->name, mrwi_base_escape(line + 7, shown, sizeof shown));
        }
    } while (line[0] != '\0');
    return read_line(r, line) ? read_sides(r, line, width, height) : fail_cut_off(r);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Reads one byte of each pixel of a row: runs of equal bytes, and plain bytes (newer run lengths).
 * Only checks them if `to` is NULL. */
static mrw_status read_bytes(reader *r, uint8_t *to, int32_t width)
{
    for (int32_t x = 0; x < width;) {
        if (r->end - r->at < 2) {
            return fail_cut_off(r);
        }
        const bool run = r->at[0] > 128;
        const int32_t count = run ? r->at[0] - 128 : r->at[0];
        if (count == 0 || count > width - x) {
            return fail(r, "a run of pixels extends beyond its row: it is damaged");
        }
        if (r->end - r->at < 1 + (run ? 1 : count)) {
            return fail_cut_off(r);
        }
        if (to && run) {
            memset(to + x, r->at[1], (size_t)count);
        } else if (to) {
            memcpy(to + x, r->at + 1, (size_t)count);
        }
        x += count;
        r->at += 1 + (run ? 1 : count);
    }
    return MRW_OK;
}

/* Returns true if `count` pixels are there and none of them is the start of a run (1, 1, 1, n). */
static bool are_flat(const reader *r, int32_t count)
{
    const mrwi_base_i4 one = mrwi_base_i4_load(ONES), mask = mrwi_base_i4_load(MASKS);
    mrwi_base_i4 found = mrwi_base_i4_set(0);
    int32_t x = 0;
    if ((r->end - r->at) / 4 < count) {
        return false;
    }
    for (; x + 4 <= count; x += 4) {
        found |= (mrwi_base_i4_load(r->at + 4 * (size_t)x) & mask) == one;
    }
    bool any = (found[0] | found[1] | found[2] | found[3]) != 0;
    for (; x < count; x++) {
        any = any || memcmp(r->at + 4 * (size_t)x, ONES, 3) == 0;
    }
    return !any;
}

/* Reads whole pixels (flat, or older run lengths). 1, 1, 1, n repeats the last pixel n times; if
 * several follow each other, each counts 256 times the one before. Only checks them if `to` is
 * NULL. */
static mrw_status read_pixels(reader *r, uint8_t *to, int32_t width)
{
    const uint8_t *last = NULL;
    int shift = 0;
    if (are_flat(r, width)) {
        if (to) {
            memcpy(to, r->at, 4 * (size_t)width);
        }
        r->at += 4 * (size_t)width;
        return MRW_OK;
    }
    for (int32_t x = 0; x < width; r->at += 4) {
        if (r->end - r->at < 4) {
            return fail_cut_off(r);
        }
        const bool run = memcmp(r->at, ONES, 3) == 0;
        const int64_t count = !run ? 1 : shift < 24 ? (int64_t)r->at[3] << shift : INT64_MAX;
        last = run ? last : r->at;
        if (!last || count > width - x) {
            return fail(r, "a run of pixels extends beyond its row: it is damaged");
        }
        for (int64_t i = 0; i < count && to; i++) {
            memcpy(to + 4 * (x + i), last, 4);
        }
        x += (int32_t)count;
        shift = run ? shift + 8 : 0;
    }
    return MRW_OK;
}

/* Makes pixels of four bytes from the four bytes' planes, 16 at a time. All arrays have room for a
 * multiple of 16 pixels. */
static void join_planes(const uint8_t *planes, size_t stride, uint8_t *to)
{
    for (size_t x = 0; x < stride; x += 16, to += 64) {
        bytes16 plane[4];
        for (size_t k = 0; k < 4; k++) {
            memcpy(&plane[k], planes + k * stride + x, 16);
        }
        const bytes16 rg[2] = {LOWER(plane[0], plane[1]), UPPER(plane[0], plane[1])};
        const bytes16 be[2] = {LOWER(plane[2], plane[3]), UPPER(plane[2], plane[3])};
        for (size_t i = 0; i < 2; i++) {
            const bytes16 pixels[2] = {LOWER_PAIRS(rg[i], be[i]), UPPER_PAIRS(rg[i], be[i])};
            memcpy(to + 32 * i, pixels, sizeof pixels);
        }
    }
}

static size_t padded(int32_t width)
{
    return ((size_t)width + 15) / 16 * 16;
}

/* Reads a row to pixels of four bytes, at the start of `work`, or only checks it without `work`. */
static mrw_status read_row(reader *r, uint8_t *work, int32_t width)
{
    const size_t stride = padded(width);
    if (width < LEAST_NEW || width > MOST_NEW || r->end - r->at < 4 || r->at[0] != 2 ||
        r->at[1] != 2 || r->at[2] > 127) {
        return read_pixels(r, work, width);
    }
    if (r->at[2] * 256 + r->at[3] != width) {
        return fail(r, "a row does not have the picture's width: it is damaged");
    }
    r->at += 4;
    for (size_t k = 0; k < 4; k++) {
        mrw_status status = read_bytes(r, work ? work + (4 + k) * stride : NULL, width);
        if (status) {
            return status;
        }
    }
    if (work) {
        join_planes(work + 4 * stride, stride, work);
    }
    return MRW_OK;
}

/* Converts three bytes with a common exponent to floats, exactly. Writes four floats per pixel, of
 * which the next pixel replaces one, and three for the last. */
static void to_floats(const uint8_t *pixels, int32_t width, const float units[256], float *out)
{
    for (int32_t x = 0; x < width; x++, pixels += 4, out += 3) {
        const mrwi_base_i4 bytes = {pixels[0], pixels[1], pixels[2], 0};
        const mrwi_base_f4 value = __builtin_convertvector(bytes, mrwi_base_f4) * units[pixels[3]];
        memcpy(out, &value, x + 1 < width ? sizeof value : 3 * sizeof *out);
    }
}

static mrw_status find_rows(reader *r, mrwi_image_hdr *out)
{
    out->rows = mrwi_base_alloc((size_t)out->height + 1, sizeof *out->rows);
    if (!out->rows) {
        return mrwi_base_fail_memory(r->error, 0);
    }
    out->units[0] = 0.0f;
    for (int i = 1; i < 256; i++) {
        out->units[i] = ldexpf(1.0f, i - 136);
    }
    for (uint32_t y = 0; y < out->height; y++) {
        out->rows[y] = r->at;
        mrw_status status = mrwi_base_work_check(NULL, r->error);
        status = status ? status : read_row(r, NULL, (int32_t)out->width);
        if (status) {
            mrwi_image_hdr_close(out);
            return status;
        }
    }
    out->rows[out->height] = r->at;
    return MRW_OK;
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* per_pixel: bytes per pixel that the caller will take. */
static mrw_status open_hdr(const void *data, size_t size, uint64_t max_pixels, const char *name,
                           uint32_t per_pixel, mrwi_image_hdr *out, mrw_error *error)
{
    char shown[512];
    int32_t width = 0, height = 0;
    const uint8_t *bytes = data;
    reader r = {bytes, bytes + size, mrwi_base_escape(name, shown, sizeof shown), error};
    const uint64_t all = (uint64_t)MRW_IMAGE_MAX_SIDE * MRW_IMAGE_MAX_SIDE;
    *out = (mrwi_image_hdr){.rows = NULL};
    mrw_status status = read_header(&r, &width, &height);
    if (status) {
        return status;
    }
    status = check_sides(&r, width, height, max_pixels == 0 ? all : max_pixels);
    if (status) {
        return status;
    }
    out->width = (uint32_t)width;
    out->height = (uint32_t)height;
    status = mrwi_image_ask(r.name, out->width, out->height, per_pixel, error);
    return status ? status : find_rows(&r, out);
}

mrw_status mrwi_image_hdr_open(const void *data, size_t size, uint64_t max_pixels, const char *name,
                               mrwi_image_hdr *out, mrw_error *error)
{
    return open_hdr(data, size, max_pixels, name, 0, out, error);
}

void mrwi_image_hdr_close(mrwi_image_hdr *picture)
{
    mrwi_base_free(picture->rows);
    picture->rows = NULL;
}

size_t mrwi_image_hdr_work_size(const mrwi_image_hdr *picture)
{
    return 8 * padded((int32_t)picture->width);
}

void mrwi_image_hdr_read(const mrwi_image_hdr *picture, uint32_t y, uint8_t *work, float *out)
{
    reader r = {picture->rows[y], picture->rows[y + 1], "", NULL};
    const mrw_status status = read_row(&r, work, (int32_t)picture->width);
    assert(!status);
    (void)status;
    to_floats(work, (int32_t)picture->width, picture->units, out);
}

mrw_status mrw_image_decode_hdr(const void *data, size_t size, uint64_t max_pixels,
                                const char *name, mrw_image *out, mrw_error *error)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrwi_image_hdr hdr;
    uint8_t *work = NULL;
    *out = (mrw_image){.width = 0};
    mrw_status status = open_hdr(data, size, max_pixels, name, 3 * sizeof(float), &hdr, error);
    if (status) {
        goto out;
    }
    status = mrw_image_create_as(MRW_FORMAT_F32, hdr.width, hdr.height, 3, out, error);
    if (status) {
        goto out;
    }
    work = mrwi_base_alloc(mrwi_image_hdr_work_size(&hdr), 1);
    if (!work) {
        mrw_image_free(out);
        status = mrwi_base_fail_memory(error, mrwi_image_hdr_work_size(&hdr));
        goto out;
    }
    for (uint32_t y = 0; y < hdr.height && mrwi_base_work_goes_on(); y++) {
        mrwi_image_hdr_read(&hdr, y, work,
                            (float *)(void *)out->pixels + (size_t)y * hdr.width * 3);
    }
    status = mrwi_base_work_check(NULL, error);
    if (status) {
        mrw_image_free(out);
    }
out:
    mrwi_base_free(work);
    mrwi_image_hdr_close(&hdr);
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_image_read_hdr(const char *path, uint64_t max_pixels, mrw_image *out,
                              mrw_error *error)
{
    return mrwi_image_read_by(mrw_image_decode_hdr, path, max_pixels, out, error);
}
