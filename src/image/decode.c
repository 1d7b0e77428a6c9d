/* decode.c: decodes BMP, TGA and unusual PNGs to 8-bit RGB or RGBA by stb_image, with a memory
 * limit; ordinary PNGs by png_read.c, JPEG by jpeg.c, DDS by dds.c, KTX2 by ktx2.c, WebP by
 * webp_read.c. libdeflate decompresses PNG's data, in a third of stb_image's time. */
#include "image/decode.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/work.h"
#include "image/dds.h"
#include "image/jpeg.h"
#include "image/ktx2.h"
#include "image/limited.h"
#include "image/png_palette.h"
#include "image/png_read.h"
#include "image/subject.h"
#include "image/webp_read.h"
#include "marrow/codecs.h"

#include <assert.h>
#include <libdeflate.h>
#include <limits.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
/* Damaged files overflow its signed arithmetic: let it wrap. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("undefined"))), apply_to = function)
#else
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC optimize("wrapv")
#endif
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC /* an importer in the same process may hold its own copy */
#define STBI_ONLY_PNG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_LINEAR
#define STBI_NO_GIF
#define STBI_NO_ZLIB
/* Declared by the header under a name that it does not define. */
#define stbi_set_unpremultiply_on_load_thread stbi__unpremultiply_on_load_thread
#define STBI_FAILURE_USERMSG
/* A damaged file can break stb_image's assertions, which is not a bug of the program. */
#define STBI_ASSERT(condition) ((void)0)
#define STBI_MALLOC(size)      mrwi_image_limited_alloc((size_t)(size), true)
#define STBI_REALLOC_SIZED(block, old_size, new_size)                                              \
    mrwi_image_limited_realloc(block, (size_t)(old_size), (size_t)(new_size))
#define STBI_FREE(block) mrwi_base_free(block)
#include "stb_image.h"

/* Decompresses the DEFLATE data at `in` to a block that grows as far as the limit. Returns NULL on
 * failure, and sets stb_image's reason. */
static char *inflate(struct libdeflate_decompressor *tool, const uint8_t *in, size_t in_size,
                     size_t room, size_t *out_size)
{
    for (;; room *= 2) {
        char *out = mrwi_image_limited_alloc(room, false);
        enum libdeflate_result result = LIBDEFLATE_BAD_DATA;
        if (!out) {
            stbi__err("outofmem", "Out of memory");
            return NULL;
        }
        result = libdeflate_deflate_decompress(tool, in, in_size, out, room, out_size);
        if (result == LIBDEFLATE_SUCCESS) {
            return out;
        }
        mrwi_base_free(out);
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
            stbi__err("bad codes", "Corrupt PNG");
            return NULL;
        }
    }
}

/* Replaces stb_image's function for the data of a PNG. Like that one it ignores the checksum. */
STBIDEF char *stbi_zlib_decode_malloc_guesssize_headerflag(const char *buffer, int size, int guess,
                                                           int *out_size, int has_header)
{
    const uint8_t *in = (const uint8_t *)buffer;
    const size_t head = has_header ? 2 : 0;
    if (size < (int)head || guess <= 0 ||
        (has_header &&
         ((in[0] * 256 + in[1]) % 31 != 0 || (in[0] & 15) != 8 || (in[1] & 32) != 0))) {
        stbi__err("bad zlib header", "Corrupt PNG");
        return NULL;
    }
    struct libdeflate_decompressor *tool = libdeflate_alloc_decompressor();
    size_t unpacked = 0;
    char *out = NULL;
    if (!tool) {
        stbi__err("outofmem", "Out of memory");
    } else {
        out = inflate(tool, in + head, (size_t)size - head, (size_t)guess, &unpacked);
    }
    libdeflate_free_decompressor(tool);
    *out_size = (int)unpacked;
    return out;
}
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#pragma GCC diagnostic pop
/* The header declares a decompressor that it does not define; gcc warns about it at the file's end.
 */
#pragma GCC diagnostic ignored "-Wunused-function"

/* Returns the largest block that an undamaged picture needs: 16-bit RGBA rows with their filter
 * bytes, or the file's own compressed bytes; each may have been doubled while it grew. */
static size_t honest_limit(uint64_t pixels, size_t file_size)
{
    return (size_t)(pixels * 20) + 2 * file_size + ((size_t)4 << 20);
}

static mrw_status fail_decode(const char *name, mrw_error *error)
{
    if (mrwi_image_limited_passed()) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the image unpacks to more than its size allows: it is damaged "
                              "or hostile; export it again",
                              name);
    }
    const char *reason = stbi_failure_reason();
    if (mrwi_image_limited_ended() || (reason && strcmp(reason, "Out of memory") == 0)) {
        return mrwi_base_fail_memory(error, 0);
    }
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "%s: not a PNG, JPEG, BMP, TGA, DDS, KTX2 or WebP image that can be read "
                          "(%s): convert it to PNG or export it again",
                          name, reason ? reason : "unknown reason");
}

mrw_status mrwi_image_check_sides(int width, int height, uint64_t max_pixels, const char *name,
                                  mrw_error *error)
{
    max_pixels = max_pixels == 0 ? (uint64_t)MRW_IMAGE_MAX_SIDE * MRW_IMAGE_MAX_SIDE : max_pixels;
    if (width < 1 || height < 1) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the image has no pixels: it is damaged; export it again", name);
    }
    if (width > MRW_IMAGE_MAX_SIDE || height > MRW_IMAGE_MAX_SIDE ||
        (uint64_t)width * (uint64_t)height > max_pixels) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: an image of %d x %d pixels is larger than allowed (%d per side, "
                              "%ju in total): scale it down",
                              name, width, height, MRW_IMAGE_MAX_SIDE, (uintmax_t)max_pixels);
    }
    return MRW_OK;
}

mrw_status mrwi_image_ask(const char *name, uint32_t width, uint32_t height, uint32_t per_pixel,
                          mrw_error *error)
{
    const uint64_t needed = (uint64_t)width * height * per_pixel, left = mrwi_base_memory_left();
    return needed <= left
               ? MRW_OK
               : mrwi_base_fail(error, MRW_ERROR_MEMORY,
                                "%s: out of memory: an image of %ju x %ju pixels takes %ju bytes "
                                "or more to decode, but --memory leaves %ju: scale it down, or "
                                "allow more",
                                name, (uintmax_t)width, (uintmax_t)height, (uintmax_t)needed,
                                (uintmax_t)left);
}

/* Reads the size in a PNG's header: stb_image forgets why it refuses a very large one. */
static bool peek_png_size(const uint8_t *data, size_t size, int *width, int *height)
{
    static const uint8_t start[16] = {137, 'P', 'N', 'G', 13,  10,  26,  10,
                                      0,   0,   0,   13,  'I', 'H', 'D', 'R'};
    if (size < 24 || memcmp(data, start, sizeof start) != 0) {
        return false;
    }
    uint32_t sides[2] = {0, 0};
    for (int i = 0; i < 8; i++) {
        sides[i / 4] = sides[i / 4] << 8 | data[16 + i];
    }
    *width = sides[0] < INT_MAX ? (int)sides[0] : INT_MAX;
    *height = sides[1] < INT_MAX ? (int)sides[1] : INT_MAX;
    return true;
}

/* Expands grey to RGB, or grey and alpha to RGBA. */
static mrw_status expand_grey(const uint8_t *grey, uint32_t width, uint32_t height, int components,
                              mrw_image *out, mrw_error *error)
{
    uint32_t channels = components == 2 ? 4 : 3;
    mrw_status status = mrw_image_create(width, height, channels, out, error);
    if (status) {
        return status;
    }
    uint8_t *pixel = out->pixels;
    for (size_t left = (size_t)width * height; left > 0; left--) {
        pixel[0] = pixel[1] = pixel[2] = grey[0];
        if (components == 2) {
            pixel[3] = grey[1];
        }
        pixel += channels;
        grey += components;
    }
    return MRW_OK;
}

/* Returns true for a PNG with 16 bits per channel. The bit depth follows both sides (PNG third
 * edition, 11.2.1). */
static bool has_16_bits(const uint8_t *data, size_t size)
{
    int width, height;
    return size > 24 && peek_png_size(data, size, &width, &height) && data[24] == 16;
}

/* Decodes like stbi_load_from_memory, but without a leak: that one loses its pixels if memory runs
 * out while it converts 16 bits to 8. */
static uint8_t *load(const uint8_t *data, size_t size, int *width, int *height, int *components,
                     int channels)
{
    if (!has_16_bits(data, size)) {
        return stbi_load_from_memory(data, (int)size, width, height, components, channels);
    }
    uint16_t *deep = stbi_load_16_from_memory(data, (int)size, width, height, components, channels);
    uint8_t *pixels = (uint8_t *)deep;
    const size_t values =
        deep ? (size_t)*width * (size_t)*height * (size_t)(channels ? channels : *components) : 0;
    for (size_t i = 0; i < values; i++) {
        uint16_t value;
        memcpy(&value, pixels + 2 * i, sizeof value);
        pixels[i] = (uint8_t)(value >> 8);
    }
    return pixels;
}

static mrw_status decode(const uint8_t *data, size_t size, uint32_t channels, const char *name,
                         mrw_image *out, mrw_error *error)
{
    int width = 0, height = 0, components = 0;
    mrw_bytes filled = {0};
    if (mrwi_image_png_read(data, size, channels, out)) {
        return MRW_OK;
    }
    if (mrwi_image_limited_ended()) {
        return mrwi_base_fail_memory(error, 0);
    }
    mrw_status status = mrwi_image_png_palette_fill(data, size, &filled, error);
    if (status) {
        return status;
    }
    if (filled.data) {
        data = filled.data;
        size = filled.size;
    }
    uint8_t *pixels = load(data, size, &width, &height, &components, (int)channels);
    mrw_bytes_free(&filled);
    if (!pixels) {
        return fail_decode(name, error);
    }
    if (channels == 0 && components < 3) {
        status = expand_grey(pixels, (uint32_t)width, (uint32_t)height, components, out, error);
        mrwi_base_free(pixels);
        return status;
    }
    if (channels == 0) {
        channels = (uint32_t)components;
    }
    *out = (mrw_image){(uint32_t)width, (uint32_t)height, channels, MRW_FORMAT_U8, pixels, NULL};
    return MRW_OK;
}

/* Reads the sides in a header, and fails if they are not within the limits. name is escaped. */
static mrw_status check_header(const uint8_t *data, size_t size, uint64_t max_pixels,
                               const char *name, int *width, int *height, mrw_error *error)
{
    uint32_t sides[2] = {0, 0};
    int components = 0;
    if (size == 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: the image is empty", name);
    }
    if (size > INT_MAX - MRWI_IMAGE_PNG_PALETTE_ADDED) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: an image of %zu bytes is too large: scale it down", name, size);
    }
    if (mrwi_image_dds_is(data, size) || mrwi_image_ktx2_is(data, size)) {
        const bool known = mrwi_image_dds_is(data, size)
                               ? mrwi_image_dds_size(data, size, &sides[0], &sides[1])
                               : mrwi_image_ktx2_size(data, size, &sides[0], &sides[1]);
        if (!known) {
            *width = *height = 0; /* the decoder fails, and says why */
            return MRW_OK;
        }
        *width = sides[0] < INT_MAX ? (int)sides[0] : INT_MAX;
        *height = sides[1] < INT_MAX ? (int)sides[1] : INT_MAX;
        return mrwi_image_check_sides(*width, *height, max_pixels, name, error);
    }
    if (mrwi_image_webp_is(data, size)) {
        mrw_status status = mrwi_image_webp_size(data, size, name, width, height, error);
        if (status) {
            return status;
        }
        return mrwi_image_check_sides(*width, *height, max_pixels, name, error);
    }
    if (mrwi_image_jpeg_is(data, size)) {
        mrwi_image_jpeg_header header;
        mrw_status status = mrwi_image_jpeg_read_header(data, size, name, &header, error);
        if (status) {
            return status;
        }
        *width = (int)header.width;
        *height = (int)header.height;
        return mrwi_image_check_sides(*width, *height, max_pixels, name, error);
    }
    mrwi_image_limited_begin(honest_limit(0, size));
    if (!peek_png_size(data, size, width, height) &&
        !stbi_info_from_memory(data, (int)size, width, height, &components)) {
        return fail_decode(name, error);
    }
    return mrwi_image_check_sides(*width, *height, max_pixels, name, error);
}

mrw_status mrwi_image_size(const void *data, size_t size, uint64_t max_pixels, const char *name,
                           uint32_t *width, uint32_t *height, mrw_error *error)
{
    char shown[512];
    int sides[2] = {0, 0};
    name = mrwi_base_escape(name, shown, sizeof shown);
    mrw_status status = check_header(data, size, max_pixels, name, &sides[0], &sides[1], error);
    if (status) {
        return status;
    }
    if (sides[0] == 0) {
        mrw_image ignored;
        return (mrwi_image_dds_is(data, size) ? mrwi_image_dds_decode : mrwi_image_ktx2_decode)(
            data, size, 4, name, &ignored, error);
    }
    *width = (uint32_t)sides[0];
    *height = (uint32_t)sides[1];
    return MRW_OK;
}

/* Returns the bytes per pixel that decoding takes at least, by the header: the pixels, and those of
 * a PNG before they are converted (PNG third edition, 11.2.1: depth, colour type, interlacing). */
static uint32_t cost_of(const uint8_t *data, size_t size, uint32_t channels)
{
    static const uint8_t values[7] = {[0] = 1, [2] = 3, [3] = 1, [4] = 2, [6] = 4};
    int width, height;
    if (size < 29 || !peek_png_size(data, size, &width, &height) || data[25] > 6) {
        return channels != 0 ? channels : 3;
    }
    const uint32_t filed = values[data[25]] * (data[24] == 16 ? 2u : data[24] == 8 ? 1u : 0u);
    const uint32_t made = channels != 0 ? channels : values[data[25]] % 2 == 0 ? 4 : 3;
    const bool as_filed = filed == made && data[24] == 8 && data[28] == 0;
    return as_filed ? filed : filed + made * (data[24] == 16 ? 2 : 1);
}

/* Decodes a picture of any format, which lacks pixels if the work must end. name is escaped. */
static mrw_status decode_any(const void *data, size_t size, uint32_t channels, uint64_t max_pixels,
                             const char *name, mrw_image *out, mrw_error *error)
{
    int width = 0, height = 0;
    if (mrwi_image_jpeg_is(data, size)) {
        return mrwi_image_jpeg_decode(data, size, channels != 0 ? channels : 3, max_pixels, name,
                                      out, NULL, error);
    }
    mrw_status status = check_header(data, size, max_pixels, name, &width, &height, error);
    if (status) {
        return status;
    }
    status = mrwi_image_ask(name, (uint32_t)width, (uint32_t)height, cost_of(data, size, channels),
                            error);
    if (status) {
        return status;
    }
    if (mrwi_image_dds_is(data, size)) {
        return mrwi_image_dds_decode(data, size, channels, name, out, error);
    }
    if (mrwi_image_ktx2_is(data, size)) {
        return mrwi_image_ktx2_decode(data, size, channels, name, out, error);
    }
    if (mrwi_image_webp_is(data, size)) {
        return mrwi_image_webp_decode(data, size, channels, name, out, error);
    }
    mrwi_image_limited_set(honest_limit((uint64_t)width * (uint64_t)height, size));
    status = decode(data, size, channels, name, out, error);
    if (status || !peek_png_size(data, size, &width, &height)) {
        return status;
    }
    status = mrwi_image_subject_read(data, size, out->width, out->height, &out->subject, error);
    if (status) {
        mrw_image_free(out);
    }
    return status;
}

mrw_status mrw_image_decode(const void *data, size_t size, uint32_t channels, uint64_t max_pixels,
                            const char *name, mrw_image *out, mrw_error *error)
{
    assert(channels == 0 || channels == 3 || channels == 4);
    char shown[512];
    name = mrwi_base_escape(name, shown, sizeof shown);
    const mrw_status status = decode_any(data, size, channels, max_pixels, name, out, error);
    const mrw_status stopped = mrwi_base_work_check(name, error);
    if (stopped && !status) {
        mrw_image_free(out);
    }
    return stopped ? stopped : status;
}

/* ---- damaged JPEGs --------------------------------------------------------------------------- */

mrw_status mrwi_image_rescue(const void *data, size_t size, uint64_t max_pixels, const char *name,
                             mrw_image *out, bool *found, mrw_error *error)
{
    char shown[512];
    mrw_error why = {0};
    bool damaged = false;
    *found = false;
    if (!mrwi_image_jpeg_is(data, size)) {
        return MRW_OK;
    }
    name = mrwi_base_escape(name, shown, sizeof shown);
    const mrw_status status =
        mrwi_image_jpeg_decode(data, size, 4, max_pixels, name, out, &damaged, &why);
    *found = !status;
    if (error) {
        *error = why;
    }
    return status == MRW_ERROR_MEMORY ? mrwi_base_fail_memory(error, 0) : MRW_OK;
}

/* ---- heights --------------------------------------------------------------------------------- */

/* Appends the low bytes of red to the pixels. With one or two channels, grey counts as red. */
static mrw_status append_low_bytes(const uint8_t *data, size_t size, const char *name,
                                   mrw_image *image, mrw_error *error)
{
    const size_t count = (size_t)image->width * image->height, packed = (count + 3) / 4;
    int width, height, channels;
    uint16_t *red = stbi_load_16_from_memory(data, (int)size, &width, &height, &channels, 0);
    if (!red) {
        return fail_decode(name, error);
    }
    uint8_t *grown = mrwi_base_realloc(image->pixels, count * 4, count + packed, 4);
    if (!grown) {
        mrwi_base_free(red);
        return mrwi_base_fail_memory(error, (count + packed) * 4);
    }
    memset(grown + (count + packed - 1) * 4, 0, 4);
    for (size_t i = 0; i < count; i++) {
        grown[count * 4 + i] = (uint8_t)(red[i * (size_t)channels] & 0xff);
    }
    image->pixels = grown;
    mrwi_base_free(red);
    return MRW_OK;
}

mrw_status mrwi_image_decode_heights(const void *data, size_t size, uint64_t max_pixels,
                                     const char *name, mrw_image *out, bool *deep, mrw_error *error)
{
    char shown[512];
    *deep = false;
    mrw_status status = mrw_image_decode(data, size, 4, max_pixels, name, out, error);
    if (status || !has_16_bits(data, size)) {
        return status;
    }
    *deep = true;
    status = append_low_bytes(data, size, mrwi_base_escape(name, shown, sizeof shown), out, error);
    if (status) {
        mrw_image_free(out);
    }
    return status;
}
