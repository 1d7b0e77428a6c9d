/* hdr.c: decodes Radiance pictures (.hdr) to linear floats: flat ones, and both kinds of run
 * lengths (Ward, "Real Pixels", Graphics Gems II, 1991; Radiance, "File Formats", 4.2).
 *
 * stb_image is not used: it takes the older run lengths for pixels, and reads a truncated flat
 * picture as black. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "image/file.h"
#include "marrow/codecs.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Widths of rows that may use the newer run lengths. */
#define LEAST_NEW 8
#define MOST_NEW  32767

#define LONGEST_LINE 512

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

/* Reads byte k of each pixel of a row: runs of equal bytes, and plain bytes (newer run lengths). */
static mrw_status read_bytes(reader *r, uint8_t (*pixels)[4], int32_t width, int k)
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
        for (int32_t i = 0; i < count; i++) {
            pixels[x++][k] = r->at[run ? 1 : 1 + i];
        }
        r->at += 1 + (run ? 1 : count);
    }
    return MRW_OK;
}

/* Reads whole pixels (flat, or older run lengths). 1, 1, 1, n repeats the last pixel n times; if
 * several follow each other, each counts 256 times the one before. */
static mrw_status read_pixels(reader *r, uint8_t (*pixels)[4], int32_t width)
{
    static const uint8_t ones[3] = {1, 1, 1};
    int shift = 0;
    for (int32_t x = 0; x < width; r->at += 4) {
        if (r->end - r->at < 4) {
            return fail_cut_off(r);
        }
        if (memcmp(r->at, ones, sizeof ones) != 0) {
            memcpy(pixels[x++], r->at, sizeof *pixels);
            shift = 0;
            continue;
        }
        const int64_t count = shift < 24 ? (int64_t)r->at[3] << shift : INT64_MAX;
        if (x == 0 || count > width - x) {
            return fail(r, "a run of pixels extends beyond its row: it is damaged");
        }
        for (int64_t i = 0; i < count; i++, x++) {
            memcpy(pixels[x], pixels[x - 1], sizeof *pixels);
        }
        shift += 8;
    }
    return MRW_OK;
}

static mrw_status read_row(reader *r, uint8_t (*pixels)[4], int32_t width)
{
    if (width < LEAST_NEW || width > MOST_NEW || r->end - r->at < 4 || r->at[0] != 2 ||
        r->at[1] != 2 || r->at[2] > 127) {
        return read_pixels(r, pixels, width);
    }
    if (r->at[2] * 256 + r->at[3] != width) {
        return fail(r, "a row does not have the picture's width: it is damaged");
    }
    r->at += 4;
    for (int k = 0; k < 4; k++) {
        mrw_status status = read_bytes(r, pixels, width, k);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Converts three bytes with a common exponent to floats, exactly. */
static void to_floats(uint8_t (*pixels)[4], int32_t width, float *out)
{
    for (int32_t x = 0; x < width; x++, out += 3) {
        const float unit = pixels[x][3] == 0 ? 0.0f : ldexpf(1.0f, pixels[x][3] - 136);
        for (int k = 0; k < 3; k++) {
            out[k] = (float)pixels[x][k] * unit;
        }
    }
}

static mrw_status read_rows(reader *r, const mrw_image *out)
{
    const int32_t width = (int32_t)out->width;
    uint8_t(*pixels)[4] = mrwi_base_alloc(out->width, sizeof *pixels);
    mrw_status status = MRW_OK;
    if (!pixels) {
        return mrwi_base_fail_memory(r->error, 0);
    }
    for (uint32_t y = 0; y < out->height; y++) {
        status = read_row(r, pixels, width);
        if (status) {
            break;
        }
        to_floats(pixels, width, (float *)(void *)out->pixels + (size_t)y * out->width * 3);
    }
    mrwi_base_free(pixels);
    return status;
}

/* ---- the picture ----------------------------------------------------------------------------- */

mrw_status mrw_image_decode_hdr(const void *data, size_t size, uint64_t max_pixels,
                                const char *name, mrw_image *out, mrw_error *error)
{
    char shown[512];
    int32_t width = 0, height = 0;
    const uint8_t *bytes = data;
    reader r = {bytes, bytes + size, mrwi_base_escape(name, shown, sizeof shown), error};
    const uint64_t all = (uint64_t)MRW_IMAGE_MAX_SIDE * MRW_IMAGE_MAX_SIDE;
    mrwi_base_fp fp = mrwi_base_fp_enter();
    *out = (mrw_image){.width = 0};
    mrw_status status = read_header(&r, &width, &height);
    if (status) {
        goto out;
    }
    status = check_sides(&r, width, height, max_pixels == 0 ? all : max_pixels);
    if (status) {
        goto out;
    }
    status = mrw_image_create_as(MRW_FORMAT_F32, (uint32_t)width, (uint32_t)height, 3, out, error);
    if (status) {
        goto out;
    }
    status = read_rows(&r, out);
    if (status) {
        mrw_image_free(out);
    }
out:
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_image_read_hdr(const char *path, uint64_t max_pixels, mrw_image *out,
                              mrw_error *error)
{
    return mrwi_image_read_by(mrw_image_decode_hdr, path, max_pixels, out, error);
}
