/* texture.c: from bytes to a mip pyramid of 16-bit linear texels.
 *
 * Level n + 1 has half the sides of level n, rounded down. A side of even length averages pairs;
 * one of odd length 2m + 1 is cut into m equal pieces, each of which covers three texels in part:
 * the weights of piece i are m - i, m and i + 1 of 2m + 1. All in integers, rounded to nearest.
 */
#include "raster/texture.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/color.h"

#include <inttypes.h>
#include <string.h>

typedef uint16_t texel[4];

/* The up to three texels of one axis that make texel i of the next level. */
typedef struct box_taps {
    uint32_t first;
    uint32_t count;
    uint32_t weight[3];
} box_taps;

static uint32_t half_of(uint32_t side)
{
    return side > 1 ? side / 2 : 1;
}

static uint32_t taps_total(uint32_t side)
{
    if (side == 1)
        return 1;
    return side % 2 == 0 ? 2 : side;
}

static box_taps taps_of(uint32_t side, uint32_t i)
{
    uint32_t half = side / 2;
    if (side == 1)
        return (box_taps){0, 1, {1, 0, 0}};
    if (side % 2 == 0)
        return (box_taps){2 * i, 2, {1, 1, 0}};
    return (box_taps){2 * i, 3, {half - i, half, i + 1}};
}

/* Copies the first column behind the last and the first row below the last: see texture.h. */
static void pad_level(texel *texels, uint32_t width, uint32_t height)
{
    size_t stride = (size_t)width + 1;
    for (uint32_t y = 0; y < height; y++)
        memcpy(texels[y * stride + width], texels[y * stride], sizeof(texel));
    memcpy(texels[height * stride], texels[0], stride * sizeof(texel));
}

static void fill_finest(const uint8_t *rgba, uint32_t width, uint32_t height, bool raw,
                        texel *texels)
{
    for (uint32_t y = 0; y < height; y++) {
        texel *row = texels + (size_t)y * (width + 1);
        for (uint32_t x = 0; x < width; x++, rgba += 4) {
            for (int c = 0; c < 3; c++)
                row[x][c] = raw ? (uint16_t)(rgba[c] * 257) : mrwi_srgb_to_linear16[rgba[c]];
            row[x][3] = (uint16_t)(rgba[3] * 257);
        }
    }
    pad_level(texels, width, height);
}

/* One texel of the next level: the weighted mean of up to 3 x 3 of this one. */
static void reduce_texel(const texel *texels, size_t stride, const box_taps *across,
                         const box_taps *down, uint64_t total, texel out)
{
    uint64_t sum[4] = {0, 0, 0, 0};
    for (uint32_t j = 0; j < down->count; j++) {
        const texel *row = texels + (down->first + j) * stride + across->first;
        for (uint32_t i = 0; i < across->count; i++) {
            uint64_t weight = (uint64_t)down->weight[j] * across->weight[i];
            for (int c = 0; c < 4; c++)
                sum[c] += weight * row[i][c];
        }
    }
    for (int c = 0; c < 4; c++)
        out[c] = (uint16_t)((sum[c] + total / 2) / total);
}

/* The same for even sides, which nearly all textures have. */
static void reduce_even_texel(const texel *texels, size_t stride, texel out)
{
    for (int c = 0; c < 4; c++) {
        uint32_t sum =
            (uint32_t)texels[0][c] + texels[1][c] + texels[stride][c] + texels[stride + 1][c];
        out[c] = (uint16_t)((sum + 2) / 4);
    }
}

static void reduce_level(const texel *from, uint32_t width, uint32_t height, texel *to)
{
    size_t stride = (size_t)width + 1;
    uint32_t half_width = half_of(width), half_height = half_of(height);
    uint64_t total = (uint64_t)taps_total(width) * taps_total(height);
    for (uint32_t y = 0; y < half_height; y++) {
        box_taps down = taps_of(height, y);
        texel *row = to + (size_t)y * (half_width + 1);
        for (uint32_t x = 0; x < half_width; x++) {
            box_taps across = taps_of(width, x);
            if (across.count == 2 && down.count == 2)
                reduce_even_texel(from + down.first * stride + across.first, stride, row[x]);
            else
                reduce_texel(from, stride, &across, &down, total, row[x]);
        }
    }
    pad_level(to, half_width, half_height);
}

/* Lays the levels out one behind the other; returns the number of texels. */
static size_t lay_out_levels(mrw_raster_texture *texture, uint32_t width, uint32_t height)
{
    size_t total = 0;
    for (;;) {
        texture->levels[texture->level_count++] =
            (mrwi_texture_level){(int32_t)total, (int32_t)width + 1, (float)width, (float)height};
        total += ((size_t)width + 1) * ((size_t)height + 1);
        if (width == 1 && height == 1)
            return total;
        width = half_of(width);
        height = half_of(height);
    }
}

static void fill_coarser(const mrw_raster_texture *texture, texel *texels)
{
    for (uint32_t i = 0; i + 1 < texture->level_count; i++) {
        const mrwi_texture_level *from = &texture->levels[i], *to = &texture->levels[i + 1];
        reduce_level(texels + from->first, (uint32_t)from->width, (uint32_t)from->height,
                     texels + to->first);
    }
}

mrw_status mrw_raster_texture_create(const uint8_t *rgba, uint32_t width, uint32_t height, bool raw,
                                     mrw_raster_texture **out, mrw_error *error)
{
    *out = NULL;
    if (width == 0 || height == 0 || width > MRWI_TEXTURE_MAX_SIDE ||
        height > MRWI_TEXTURE_MAX_SIDE)
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "a texture is %" PRIu32 "x%" PRIu32 " texels: sides must be 1 to %d",
                         width, height, MRWI_TEXTURE_MAX_SIDE);
    mrw_raster_texture *texture = mrwi_alloc_zero(1, sizeof *texture);
    if (!texture)
        return mrwi_fail_memory(error, sizeof *texture);
    size_t count = lay_out_levels(texture, width, height);
    texel *texels = mrwi_alloc(count, sizeof(texel));
    if (!texels) {
        mrwi_free(texture);
        return mrwi_fail_memory(error, count * sizeof(texel));
    }
    fill_finest(rgba, width, height, raw, texels);
    texture->texels = texels[0];
    fill_coarser(texture, texels);
    *out = texture;
    return MRW_OK;
}

void mrw_raster_texture_free(mrw_raster_texture *texture)
{
    if (!texture)
        return;
    mrwi_free((void *)(uintptr_t)texture->texels);
    mrwi_free(texture);
}
