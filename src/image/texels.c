/* texels.c: decodes the texels of DDS and KTX2: blocks of BC1 to BC5, and bytes per channel.
 *
 * Blocks follow the "Direct3D 11.3 Functional Specification", 19.5 (block compressed formats). A
 * colour is the exact value of the specification's formula, rounded to 8 bits: endpoints are n/31
 * or n/63, mixtures are thirds. All of it is computed in integers. */
#include "image/texels.h"

#include "base/math.h"
#include "base/work.h"

#include <string.h>

static uint32_t u16_at(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t u32_at(const uint8_t *at)
{
    return u16_at(at) | u16_at(at + 2) << 16;
}

mrwi_image_texels mrwi_image_texels_of_blocks(mrwi_image_texels_kind kind)
{
    const bool small = kind == MRWI_IMAGE_TEXELS_BC1 || kind == MRWI_IMAGE_TEXELS_BC4;
    return (mrwi_image_texels){.kind = kind, .bytes = small ? 8 : 16};
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Returns the mixture (w0 a + w1 b) / (w0 + w1) of two values in 0 ... top, as a rounded byte. */
static uint8_t mix(uint32_t a, uint32_t b, uint32_t w0, uint32_t w1, uint32_t top)
{
    uint32_t scale = (w0 + w1) * top;
    return (uint8_t)((2 * 255 * (w0 * a + w1 * b) + scale) / (2 * scale));
}

/* Decodes a colour block to sixteen RGBA texels. three: c0 <= c1 means three colours and
 * transparent black (BC1). */
static void decode_color(const uint8_t *block, bool three, uint8_t out[64])
{
    uint32_t c0 = u16_at(block), c1 = u16_at(block + 2), indices = u32_at(block + 4);
    const uint32_t ends[2][3] = {{c0 >> 11, c0 >> 5 & 63, c0 & 31},
                                 {c1 >> 11, c1 >> 5 & 63, c1 & 31}};
    three = three && c0 <= c1;
    uint8_t palette[4][4];
    for (int i = 0; i < 3; i++) {
        uint32_t a = ends[0][i], b = ends[1][i], top = i == 1 ? 63 : 31;
        palette[0][i] = mix(a, b, 1, 0, top);
        palette[1][i] = mix(a, b, 0, 1, top);
        palette[2][i] = three ? mix(a, b, 1, 1, top) : mix(a, b, 2, 1, top);
        palette[3][i] = three ? 0 : mix(a, b, 1, 2, top);
    }
    palette[0][3] = palette[1][3] = palette[2][3] = 255;
    palette[3][3] = three ? 0 : 255;
    for (int i = 0; i < 16; i++) {
        memcpy(out + 4 * i, palette[indices >> (2 * i) & 3], 4);
    }
}

/* Decodes a channel (BC3's alpha, BC4, BC5): two ends and 16 indices of three bits. */
static void decode_channel(const uint8_t *block, uint8_t *out)
{
    uint32_t a = block[0], b = block[1];
    uint8_t palette[8] = {block[0], block[1], 0, 0, 0, 0, 0, 255};
    uint32_t steps = a > b ? 7 : 5;
    for (uint32_t i = 1; i < steps; i++) {
        palette[i + 1] = mix(a, b, steps - i, i, 255);
    }
    for (int half = 0; half < 2; half++) {
        const uint8_t *at = block + 2 + 3 * half;
        uint32_t indices = u16_at(at) | (uint32_t)at[2] << 16;
        for (int i = 0; i < 8; i++) {
            out[4 * (8 * half + i)] = palette[indices >> (3 * i) & 7];
        }
    }
}

static void decode_bc2_alpha(const uint8_t *block, uint8_t *out)
{
    for (int i = 0; i < 16; i++) {
        out[4 * i] = (uint8_t)((block[i / 2] >> (4 * (i & 1)) & 15) * 17);
    }
}

/* Returns the blue byte of a BC5 texel. BC5 holds normals: blue is the z of the unit vector with
 * the given x and y. */
static uint8_t third_of_normal(uint8_t red, uint8_t green)
{
    double x = red / 127.5 - 1.0, y = green / 127.5 - 1.0;
    double square = 1.0 - x * x - y * y;
    double z = square > 0.0 ? sqrt(square) : 0.0;
    return (uint8_t)mrwi_base_round_to_int(z * 127.5 + 127.5, 0, 255);
}

static void decode_block(mrwi_image_texels_kind kind, const uint8_t *block, uint8_t out[64])
{
    switch (kind) {
    case MRWI_IMAGE_TEXELS_BC1:
        decode_color(block, true, out);
        return;
    case MRWI_IMAGE_TEXELS_BC2:
        decode_color(block + 8, false, out);
        decode_bc2_alpha(block, out + 3);
        return;
    case MRWI_IMAGE_TEXELS_BC3:
        decode_color(block + 8, false, out);
        decode_channel(block, out + 3);
        return;
    default:
        break;
    }
    decode_channel(block, out);
    if (kind == MRWI_IMAGE_TEXELS_BC5) {
        decode_channel(block + 8, out + 1);
    }
    for (int i = 0; i < 16; i++) {
        uint8_t *texel = out + 4 * i;
        texel[1] = kind == MRWI_IMAGE_TEXELS_BC5 ? texel[1] : texel[0];
        texel[2] = kind == MRWI_IMAGE_TEXELS_BC5 ? third_of_normal(texel[0], texel[1]) : texel[0];
        texel[3] = 255;
    }
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void decode_blocks(const mrwi_image_texels *l, const uint8_t *at, mrw_image *out)
{
    for (uint32_t y = 0; y < out->height && mrwi_base_work_goes_on(); y += 4) {
        for (uint32_t x = 0; x < out->width; x += 4, at += l->bytes) {
            uint8_t texels[64];
            decode_block(l->kind, at, texels);
            for (uint32_t i = 0; i < 16; i++) {
                uint32_t column = x + i % 4, row = y + i / 4;
                if (column < out->width && row < out->height) {
                    memcpy(out->pixels + ((size_t)row * out->width + column) * out->channels,
                           texels + 4 * i, out->channels);
                }
            }
        }
    }
}

static void decode_rgb(const mrwi_image_texels *l, const uint8_t *at, mrw_image *out)
{
    uint32_t shift[4];
    for (int i = 0; i < 4; i++) {
        shift[i] = 0;
        while (l->masks[i] != 0 && (l->masks[i] >> shift[i] & 1) == 0) {
            shift[i] += 8;
        }
    }
    size_t count = (size_t)out->width * out->height;
    for (size_t p = 0; p < count; p++, at += l->bytes) {
        uint32_t value = 0;
        for (uint32_t i = 0; i < l->bytes; i++) {
            value |= (uint32_t)at[i] << (8 * i);
        }
        for (uint32_t i = 0; i < out->channels; i++) {
            bool given = l->masks[i] != 0;
            out->pixels[p * out->channels + i] = (uint8_t)(given ? value >> shift[i] : 255);
        }
    }
}

uint64_t mrwi_image_texels_size(const mrwi_image_texels *l, uint32_t width, uint32_t height)
{
    if (l->kind == MRWI_IMAGE_TEXELS_RGB) {
        return (uint64_t)width * height * l->bytes;
    }
    return (((uint64_t)width + 3) / 4) * (((uint64_t)height + 3) / 4) * l->bytes;
}

mrw_status mrwi_image_texels_decode(const mrwi_image_texels *l, const uint8_t *data, uint32_t width,
                                    uint32_t height, uint32_t channels, mrw_image *out,
                                    mrw_error *error)
{
    if (channels == 0) {
        const bool alpha = (l->kind <= MRWI_IMAGE_TEXELS_BC3 && !l->opaque) ||
                           (l->kind == MRWI_IMAGE_TEXELS_RGB && l->masks[3] != 0);
        channels = alpha ? 4 : 3;
    }
    mrw_status status = mrw_image_create(width, height, channels, out, error);
    if (status) {
        return status;
    }
    if (l->kind == MRWI_IMAGE_TEXELS_RGB) {
        decode_rgb(l, data, out);
    } else {
        decode_blocks(l, data, out);
    }
    const size_t bytes = (size_t)width * height * channels;
    for (size_t i = 3; channels == 4 && l->opaque && i < bytes; i += 4) {
        out->pixels[i] = 255;
    }
    return MRW_OK;
}
