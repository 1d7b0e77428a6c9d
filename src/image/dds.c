/* dds.c: DDS textures: BC1 to BC5 (unsigned) and uncompressed 24 and 32 bit.
 *
 * Layout: Microsoft's "Programming Guide for DDS". Blocks: "Direct3D 11.3 Functional
 * Specification", 19.5 (block compressed formats). A colour is the exact value of the
 * specification's formula, rounded to 8 bits: endpoints are n/31 or n/63, their mixtures thirds;
 * all of it in integers.
 */
#include "image/dds.h"

#include "base/math.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEADER_SIZE 128u /* with the letters "DDS " */
#define DX10_SIZE   20u
#define AT_HEIGHT   12u
#define AT_WIDTH    16u
#define AT_FLAGS    80u
#define AT_FOURCC   84u
#define AT_BITS     88u
#define AT_MASKS    92u
#define HAS_ALPHA   0x1u
#define HAS_FOURCC  0x4u
#define HAS_RGB     0x40u
#define FOURCC(letters)                                                                            \
    ((uint32_t)(letters)[0] | (uint32_t)(letters)[1] << 8 | (uint32_t)(letters)[2] << 16 |         \
     (uint32_t)(letters)[3] << 24)

typedef enum kind { KIND_NONE, KIND_BC1, KIND_BC2, KIND_BC3, KIND_BC4, KIND_BC5, KIND_RGB } kind;

typedef struct layout {
    kind kind;
    uint32_t offset;   /* of the pixels */
    uint32_t bytes;    /* of a block, or of a pixel */
    uint32_t masks[4]; /* of KIND_RGB: red, green, blue, alpha; alpha 0: opaque */
    char name[32];     /* for messages when it is none of ours */
} layout;

static uint32_t u16_at(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t u32_at(const uint8_t *at)
{
    return u16_at(at) | u16_at(at + 2) << 16;
}

/* ---- header ---------------------------------------------------------------------------------- */

bool mrwi_image_dds_is(const uint8_t *data, size_t size)
{
    return size >= 4 && memcmp(data, "DDS ", 4) == 0;
}

bool mrwi_image_dds_size(const uint8_t *data, size_t size, uint32_t *width, uint32_t *height)
{
    if (size < HEADER_SIZE) {
        return false;
    }
    *width = u32_at(data + AT_WIDTH);
    *height = u32_at(data + AT_HEIGHT);
    return true;
}

static void set_block(layout *out, kind block)
{
    out->kind = block;
    out->bytes = block == KIND_BC1 || block == KIND_BC4 ? 8 : 16;
}

static void set_rgb(layout *out, uint32_t bits, uint32_t red, uint32_t blue, uint32_t alpha)
{
    out->kind = KIND_RGB;
    out->bytes = bits / 8;
    out->masks[0] = red;
    out->masks[1] = 0xff00;
    out->masks[2] = blue;
    out->masks[3] = alpha;
}

/* DXGI_FORMAT; those that differ in sRGB only hold the same bytes. */
static void read_dxgi(uint32_t format, layout *out)
{
    switch (format) {
    case 71:
    case 72:
        set_block(out, KIND_BC1);
        break;
    case 74:
    case 75:
        set_block(out, KIND_BC2);
        break;
    case 77:
    case 78:
        set_block(out, KIND_BC3);
        break;
    case 80:
        set_block(out, KIND_BC4);
        break;
    case 83:
        set_block(out, KIND_BC5);
        break;
    case 28:
    case 29:
        set_rgb(out, 32, 0xff, 0xff0000, 0xff000000);
        break;
    case 87:
    case 91:
        set_rgb(out, 32, 0xff0000, 0xff, 0xff000000);
        break;
    case 88:
    case 93:
        set_rgb(out, 32, 0xff0000, 0xff, 0);
        break;
    default:
        snprintf(out->name, sizeof out->name, "DXGI format %" PRIu32, format);
    }
}

static void read_fourcc(const uint8_t *data, size_t size, layout *out)
{
    static const struct {
        char letters[5];
        kind kind;
    } codes[] = {{"DXT1", KIND_BC1}, {"DXT3", KIND_BC2}, {"DXT5", KIND_BC3}, {"ATI1", KIND_BC4},
                 {"BC4U", KIND_BC4}, {"ATI2", KIND_BC5}, {"BC5U", KIND_BC5}};
    uint32_t code = u32_at(data + AT_FOURCC);
    char letters[5] = "";
    if (code == FOURCC("DX10") && size >= HEADER_SIZE + DX10_SIZE) {
        out->offset = HEADER_SIZE + DX10_SIZE;
        read_dxgi(u32_at(data + HEADER_SIZE), out);
        return;
    }
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (code == FOURCC(codes[i].letters)) {
            set_block(out, codes[i].kind);
            return;
        }
    }
    memcpy(letters, data + AT_FOURCC, 4);
    mrwi_base_escape(letters, out->name, sizeof out->name);
}

static bool is_byte_mask(uint32_t mask)
{
    return mask == 0xff || mask == 0xff00 || mask == 0xff0000 || mask == 0xff000000;
}

static void read_masks(const uint8_t *data, uint32_t flags, layout *out)
{
    uint32_t bits = u32_at(data + AT_BITS), masks[4];
    for (uint32_t i = 0; i < 4; i++) {
        masks[i] = u32_at(data + AT_MASKS + 4 * i);
    }
    masks[3] = (flags & HAS_ALPHA) != 0 ? masks[3] : 0;
    bool good = (bits == 24 || bits == 32) && is_byte_mask(masks[0]) && is_byte_mask(masks[1]) &&
                is_byte_mask(masks[2]) && (masks[3] == 0 || is_byte_mask(masks[3]));
    uint32_t all = masks[0] | masks[1] | masks[2] | masks[3];
    if ((flags & HAS_RGB) == 0 || !good || (bits == 24 && (all >> 24) != 0)) {
        snprintf(out->name, sizeof out->name, "%" PRIu32 " bits per pixel", bits);
        return;
    }
    out->kind = KIND_RGB;
    out->bytes = bits / 8;
    memcpy(out->masks, masks, sizeof masks);
}

static layout read_layout(const uint8_t *data, size_t size)
{
    layout out;
    memset(&out, 0, sizeof out);
    out.offset = HEADER_SIZE;
    uint32_t flags = u32_at(data + AT_FLAGS);
    if ((flags & HAS_FOURCC) != 0) {
        read_fourcc(data, size, &out);
    } else {
        read_masks(data, flags, &out);
    }
    return out;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The mixture (w0 a + w1 b) / (w0 + w1) of two values of 0 ... top as a byte, rounded. */
static uint8_t mix(uint32_t a, uint32_t b, uint32_t w0, uint32_t w1, uint32_t top)
{
    uint32_t scale = (w0 + w1) * top;
    return (uint8_t)((2 * 255 * (w0 * a + w1 * b) + scale) / (2 * scale));
}

/* Sixteen RGB texels (of four bytes each) from a colour block. three: c0 <= c1 means three colours
 * and transparent black (BC1). */
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

/* One channel (of BC3's alpha, BC4, BC5): two ends and 16 indices of three bits. */
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

/* BC5 is for normal maps: z of the unit vector that x and y leave becomes blue. */
static uint8_t third_of_normal(uint8_t red, uint8_t green)
{
    double x = red / 127.5 - 1.0, y = green / 127.5 - 1.0;
    double square = 1.0 - x * x - y * y;
    double z = square > 0.0 ? sqrt(square) : 0.0;
    return (uint8_t)mrwi_base_round_to_int(z * 127.5 + 127.5, 0, 255);
}

static void decode_block(kind block_kind, const uint8_t *block, uint8_t out[64])
{
    switch (block_kind) {
    case KIND_BC1:
        decode_color(block, true, out);
        return;
    case KIND_BC2:
        decode_color(block + 8, false, out);
        decode_bc2_alpha(block, out + 3);
        return;
    case KIND_BC3:
        decode_color(block + 8, false, out);
        decode_channel(block, out + 3);
        return;
    default:
        break;
    }
    decode_channel(block, out);
    if (block_kind == KIND_BC5) {
        decode_channel(block + 8, out + 1);
    }
    for (int i = 0; i < 16; i++) {
        uint8_t *texel = out + 4 * i;
        texel[1] = block_kind == KIND_BC5 ? texel[1] : texel[0];
        texel[2] = block_kind == KIND_BC5 ? third_of_normal(texel[0], texel[1]) : texel[0];
        texel[3] = 255;
    }
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void decode_blocks(const layout *l, const uint8_t *at, mrw_image *out)
{
    for (uint32_t y = 0; y < out->height; y += 4) {
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

static void decode_rgb(const layout *l, const uint8_t *at, mrw_image *out)
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
        uint32_t value = u16_at(at) | (uint32_t)at[2] << 16;
        value |= l->bytes == 4 ? (uint32_t)at[3] << 24 : 0;
        for (uint32_t i = 0; i < out->channels; i++) {
            bool given = l->masks[i] != 0;
            out->pixels[p * out->channels + i] = (uint8_t)(given ? value >> shift[i] : 255);
        }
    }
}

static uint64_t bytes_needed(const layout *l, uint32_t width, uint32_t height)
{
    if (l->kind == KIND_RGB) {
        return (uint64_t)width * height * l->bytes;
    }
    return (((uint64_t)width + 3) / 4) * (((uint64_t)height + 3) / 4) * l->bytes;
}

mrw_status mrwi_image_dds_decode(const uint8_t *data, size_t size, uint32_t channels,
                                 const char *name, mrw_image *out, mrw_error *error)
{
    uint32_t width = 0, height = 0;
    if (!mrwi_image_dds_size(data, size, &width, &height)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the DDS texture is cut off: export it again", name);
    }
    layout l = read_layout(data, size);
    if (l.kind == KIND_NONE) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: a DDS texture of the kind \"%s\", which marrow cannot read (it reads BC1 to BC5 "
            "and 24 or 32 bits): convert it to PNG, for instance with: magick in.dds out.png",
            name, l.name);
    }
    if (size < l.offset || size - l.offset < bytes_needed(&l, width, height)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the DDS texture is cut off: export it again", name);
    }
    if (channels == 0) {
        bool alpha = l.kind <= KIND_BC3 || (l.kind == KIND_RGB && l.masks[3] != 0);
        channels = alpha ? 4 : 3;
    }
    mrw_status status = mrw_image_create(width, height, channels, out, error);
    if (status == MRW_OK && l.kind == KIND_RGB) {
        decode_rgb(&l, data + l.offset, out);
    } else if (status == MRW_OK) {
        decode_blocks(&l, data + l.offset, out);
    }
    return status;
}
