/* ktx2.c: KTX 2.0 textures (Khronos, "KTX File Format Specification", version 2.0). libzstd
 * decompresses Zstandard (supercompression scheme 2) and libdeflate zlib (scheme 3). Textures of
 * Basis Universal need a transcoder, which Debian 12 does not have.
 */
#include "image/ktx2.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/texels.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <string.h>
#include <zstd.h>

#define HEADER_SIZE 80u /* with the identifier and the index of the other parts */
#define LEVEL_SIZE  24u /* an entry of the level index that follows */
#define AT_FORMAT   12u
#define AT_WIDTH    20u
#define AT_HEIGHT   24u
#define AT_SCHEME   44u

enum { PLAIN, BASIS_LZ, ZSTANDARD, ZLIB };

static uint32_t u32_at(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t u64_at(const uint8_t *at)
{
    return u32_at(at) | (uint64_t)u32_at(at + 4) << 32;
}

bool mrwi_image_ktx2_is(const uint8_t *data, size_t size)
{
    static const uint8_t identifier[12] = {0xab, 'K',  'T',  'X',  ' ',  '2',
                                           '0',  0xbb, '\r', '\n', 0x1a, '\n'};
    return size >= sizeof identifier && memcmp(data, identifier, sizeof identifier) == 0;
}

bool mrwi_image_ktx2_size(const uint8_t *data, size_t size, uint32_t *width, uint32_t *height)
{
    if (size < HEADER_SIZE + LEVEL_SIZE) {
        return false;
    }
    *width = u32_at(data + AT_WIDTH);
    *height = u32_at(data + AT_HEIGHT);
    *height = *height > 0 ? *height : 1; /* a 1D texture */
    return true;
}

/* Returns the layout of a VkFormat. The sRGB variant of a format has the same bytes. */
static mrwi_image_texels texels_of(uint32_t format)
{
    static const struct {
        uint32_t unorm, srgb;
        mrwi_image_texels texels;
    } formats[] = {
        {9, 15, {MRWI_IMAGE_TEXELS_RGB, 1, {0xff, 0xff, 0xff, 0}, false}},
        {23, 29, {MRWI_IMAGE_TEXELS_RGB, 3, {0xff, 0xff00, 0xff0000, 0}, false}},
        {30, 36, {MRWI_IMAGE_TEXELS_RGB, 3, {0xff0000, 0xff00, 0xff, 0}, false}},
        {37, 43, {MRWI_IMAGE_TEXELS_RGB, 4, {0xff, 0xff00, 0xff0000, 0xff000000}, false}},
        {44, 50, {MRWI_IMAGE_TEXELS_RGB, 4, {0xff0000, 0xff00, 0xff, 0xff000000}, false}},
        {131, 132, {MRWI_IMAGE_TEXELS_BC1, 8, {0}, true}},
        {133, 134, {MRWI_IMAGE_TEXELS_BC1, 8, {0}, false}},
        {135, 136, {MRWI_IMAGE_TEXELS_BC2, 16, {0}, false}},
        {137, 138, {MRWI_IMAGE_TEXELS_BC3, 16, {0}, false}},
        {139, 139, {MRWI_IMAGE_TEXELS_BC4, 8, {0}, false}},
        {141, 141, {MRWI_IMAGE_TEXELS_BC5, 16, {0}, false}}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (format == formats[i].unorm || format == formats[i].srgb) {
            return formats[i].texels;
        }
    }
    return (mrwi_image_texels){.kind = MRWI_IMAGE_TEXELS_NONE};
}

static mrw_status fail_damaged(const char *name, mrw_error *error)
{
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "%s: the KTX2 texture is damaged or cut off: export it again", name);
}

/* Decompresses the largest level, whose size is known, into *out, for mrwi_base_free. */
static mrw_status decompress(uint32_t scheme, const uint8_t *packed, size_t packed_size,
                             size_t size, const char *name, uint8_t **out, mrw_error *error)
{
    bool good = false;
    *out = mrwi_base_alloc(size, 1);
    if (!*out) {
        return mrwi_base_fail_memory(error, size);
    }
    if (scheme == ZSTANDARD) {
        good = ZSTD_decompress(*out, size, packed, packed_size) == size;
    } else {
        struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
        size_t written = 0;
        if (!inflater) {
            mrwi_base_free(*out);
            *out = NULL;
            return mrwi_base_fail_memory(error, size);
        }
        good = libdeflate_zlib_decompress(inflater, packed, packed_size, *out, size, &written) ==
                   LIBDEFLATE_SUCCESS &&
               written == size;
        libdeflate_free_decompressor(inflater);
    }
    if (!good) {
        mrwi_base_free(*out);
        *out = NULL;
        return fail_damaged(name, error);
    }
    return MRW_OK;
}

bool mrwi_image_ktx2_is_basis(const uint8_t *data, size_t size)
{
    return mrwi_image_ktx2_is(data, size) && size >= HEADER_SIZE &&
           (u32_at(data + AT_SCHEME) == BASIS_LZ || u32_at(data + AT_FORMAT) == 0);
}

/* Fails if the format is not one that is read, or if the file is too short for its first level. */
static mrw_status check(const uint8_t *data, size_t size, const mrwi_image_texels *texels,
                        const char *name, mrw_error *error)
{
    const uint32_t format = u32_at(data + AT_FORMAT), scheme = u32_at(data + AT_SCHEME);
    if (mrwi_image_ktx2_is_basis(data, size)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: it is one of the " MRWI_IMAGE_KTX2_BASIS,
                              name);
    }
    if (texels->kind == MRWI_IMAGE_TEXELS_NONE || scheme > ZLIB) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: a KTX2 texture of the format %" PRIu32
                              " (a VkFormat) and supercompression %" PRIu32
                              ", which marrow cannot read (it reads BC1 to BC5 and 8 bits per "
                              "channel, plain or by Zstandard or zlib): convert it to PNG, for "
                              "instance with: ktx extract in.ktx2 out.png",
                              name, format, scheme);
    }
    const uint64_t offset = u64_at(data + HEADER_SIZE), length = u64_at(data + HEADER_SIZE + 8);
    return offset > size || length > size - offset ? fail_damaged(name, error) : MRW_OK;
}

mrw_status mrwi_image_ktx2_decode(const uint8_t *data, size_t size, uint32_t channels,
                                  const char *name, mrw_image *out, mrw_error *error)
{
    uint32_t width, height;
    if (!mrwi_image_ktx2_size(data, size, &width, &height)) {
        return fail_damaged(name, error);
    }
    const mrwi_image_texels texels = texels_of(u32_at(data + AT_FORMAT));
    mrw_status status = check(data, size, &texels, name, error);
    if (status) {
        return status;
    }
    const uint32_t scheme = u32_at(data + AT_SCHEME);
    const uint64_t offset = u64_at(data + HEADER_SIZE), length = u64_at(data + HEADER_SIZE + 8);
    const uint64_t whole = u64_at(data + HEADER_SIZE + 16);
    const uint64_t needed = mrwi_image_texels_size(&texels, width, height);
    const uint8_t *pixels = data + offset;
    uint8_t *owned = NULL;
    /* A plain level may hold further slices, faces and layers; the first one comes first. */
    if (scheme == PLAIN ? length < needed : whole < needed) {
        return fail_damaged(name, error);
    }
    if (scheme != PLAIN && whole != needed) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: a compressed KTX2 texture of several pictures (a cube, an array or "
            "a volume), which marrow cannot read: export one picture",
            name);
    }
    if (scheme != PLAIN) {
        status = decompress(scheme, pixels, (size_t)length, (size_t)needed, name, &owned, error);
        if (status) {
            return status;
        }
        pixels = owned;
    }
    status = mrwi_image_texels_decode(&texels, pixels, width, height, channels, out, error);
    mrwi_base_free(owned);
    return status;
}
