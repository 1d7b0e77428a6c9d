/* dds.c: DDS textures: BC1 to BC5 (unsigned) and uncompressed 24 and 32 bit.
 *
 * Layout: Microsoft's "Programming Guide for DDS".
 */
#include "image/dds.h"

#include "base/text.h"
#include "image/texels.h"

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

typedef struct layout {
    mrwi_image_texels texels;
    uint32_t offset; /* position of the pixels in the file */
    char name[32];   /* name of the format, for messages about unsupported ones */
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

static void set_block(layout *out, mrwi_image_texels_kind block)
{
    out->texels = mrwi_image_texels_of_blocks(block);
}

static void set_rgb(layout *out, uint32_t bits, uint32_t red, uint32_t blue, uint32_t alpha)
{
    out->texels = (mrwi_image_texels){
        .kind = MRWI_IMAGE_TEXELS_RGB, .bytes = bits / 8, .masks = {red, 0xff00, blue, alpha}};
}

/* Reads a DXGI_FORMAT. The sRGB variant of a format has the same bytes. */
static void read_dxgi(uint32_t format, layout *out)
{
    switch (format) {
    case 71:
    case 72:
        set_block(out, MRWI_IMAGE_TEXELS_BC1);
        break;
    case 74:
    case 75:
        set_block(out, MRWI_IMAGE_TEXELS_BC2);
        break;
    case 77:
    case 78:
        set_block(out, MRWI_IMAGE_TEXELS_BC3);
        break;
    case 80:
        set_block(out, MRWI_IMAGE_TEXELS_BC4);
        break;
    case 83:
        set_block(out, MRWI_IMAGE_TEXELS_BC5);
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
        mrwi_image_texels_kind kind;
    } codes[] = {{"DXT1", MRWI_IMAGE_TEXELS_BC1}, {"DXT3", MRWI_IMAGE_TEXELS_BC2},
                 {"DXT5", MRWI_IMAGE_TEXELS_BC3}, {"ATI1", MRWI_IMAGE_TEXELS_BC4},
                 {"BC4U", MRWI_IMAGE_TEXELS_BC4}, {"ATI2", MRWI_IMAGE_TEXELS_BC5},
                 {"BC5U", MRWI_IMAGE_TEXELS_BC5}};
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
    set_rgb(out, bits, masks[0], masks[2], masks[3]);
    out->texels.masks[1] = masks[1];
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

/* ---- pictures -------------------------------------------------------------------------------- */

mrw_status mrwi_image_dds_decode(const uint8_t *data, size_t size, uint32_t channels,
                                 const char *name, mrw_image *out, mrw_error *error)
{
    uint32_t width = 0, height = 0;
    if (!mrwi_image_dds_size(data, size, &width, &height)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the DDS texture is cut off: export it again", name);
    }
    layout l = read_layout(data, size);
    if (l.texels.kind == MRWI_IMAGE_TEXELS_NONE) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: a DDS texture of the kind \"%s\", which marrow cannot read (it reads BC1 to BC5 "
            "and 24 or 32 bits): convert it to PNG, for instance with: magick in.dds out.png",
            name, l.name);
    }
    if (size < l.offset || size - l.offset < mrwi_image_texels_size(&l.texels, width, height)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the DDS texture is cut off: export it again", name);
    }
    return mrwi_image_texels_decode(&l.texels, data + l.offset, width, height, channels, out,
                                    error);
}
