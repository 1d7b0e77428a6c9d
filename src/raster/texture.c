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
typedef uint16_t narrow_texel __attribute__((vector_size(8)));
typedef uint32_t texel_sum __attribute__((vector_size(16)));

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
    if (side == 1) {
        return 1;
    }
    return side % 2 == 0 ? 2 : side;
}

static box_taps taps_of(uint32_t side, uint32_t i)
{
    uint32_t half = side / 2;
    if (side == 1) {
        return (box_taps){0, 1, {1, 0, 0}};
    }
    if (side % 2 == 0) {
        return (box_taps){2 * i, 2, {1, 1, 0}};
    }
    return (box_taps){2 * i, 3, {half - i, half, i + 1}};
}

/* Copies the first texel of a row behind its last: see texture.h. */
static void pad_row(texel *row, uint32_t width)
{
    memcpy(row[width], row[0], sizeof(texel));
}

/* What a byte of colour becomes. */
static void make_curve(bool raw, uint16_t curve[256])
{
    for (uint32_t b = 0; b < 256; b++) {
        curve[b] = raw ? (uint16_t)(b * 257) : mrwi_image_srgb_to_linear16[b];
    }
}

static void fill_row(const uint8_t *rgba, uint32_t width, const uint16_t curve[256], texel *row)
{
    for (uint32_t x = 0; x < width; x++, rgba += 4) {
        const texel made = {curve[rgba[0]], curve[rgba[1]], curve[rgba[2]],
                            (uint16_t)(rgba[3] * 257)};
        memcpy(row[x], made, sizeof made);
    }
    pad_row(row, width);
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
            for (int c = 0; c < 4; c++) {
                sum[c] += weight * row[i][c];
            }
        }
    }
    for (int c = 0; c < 4; c++) {
        out[c] = (uint16_t)((sum[c] + total / 2) / total);
    }
}

static texel_sum sum_of(const texel in)
{
    narrow_texel narrow;
    memcpy(&narrow, in, sizeof narrow);
    return __builtin_convertvector(narrow, texel_sum);
}

/* The same for even sides, which nearly all textures have. */
static void reduce_even_row(const texel *upper, const texel *lower, uint32_t count, texel *out)
{
    for (uint32_t x = 0; x < count; x++, upper += 2, lower += 2) {
        const texel_sum sum =
            sum_of(upper[0]) + sum_of(upper[1]) + sum_of(lower[0]) + sum_of(lower[1]);
        const narrow_texel mean = __builtin_convertvector((sum + 2) / 4, narrow_texel);
        memcpy(out[x], &mean, sizeof mean);
    }
}

/* Row y of the next level. */
static void reduce_row(const texel *from, uint32_t width, uint32_t height, uint32_t y, texel *to)
{
    size_t stride = (size_t)width + 1;
    uint32_t half_width = half_of(width);
    uint64_t total = (uint64_t)taps_total(width) * taps_total(height);
    box_taps down = taps_of(height, y);
    const texel *row = from + down.first * stride;
    if (down.count == 2 && width % 2 == 0) {
        reduce_even_row(row, row + stride, half_width, to);
    } else {
        for (uint32_t x = 0; x < half_width; x++) {
            box_taps across = taps_of(width, x);
            reduce_texel(from, stride, &across, &down, total, to[x]);
        }
    }
    pad_row(to, half_width);
}

/* Lays the levels out one behind the other; returns the number of texels. */
static size_t lay_out_levels(mrw_raster_texture *texture, uint32_t width, uint32_t height)
{
    size_t total = 0;
    for (;;) {
        texture->levels[texture->level_count++] = (mrwi_raster_texture_level){
            (int32_t)total, (int32_t)width + 1, (float)width, (float)height};
        total += ((size_t)width + 1) * ((size_t)height + 1);
        if (width == 1 && height == 1) {
            return total;
        }
        width = half_of(width);
        height = half_of(height);
    }
}

static texel *row_of(const mrwi_raster_texture_level *level, texel *texels, uint32_t y)
{
    return texels + level->first + (size_t)y * (size_t)level->stride;
}

/* Rows of each level that are made. */
typedef uint32_t rows_made[MRWI_RASTER_TEXTURE_MAX_LEVELS];

/* Makes what rows of the coarser levels can be made of those made so far. */
static void fill_coarser(const mrw_raster_texture *texture, texel *texels, rows_made made)
{
    for (uint32_t i = 0; i + 1 < texture->level_count; i++) {
        const mrwi_raster_texture_level *from = &texture->levels[i], *to = &texture->levels[i + 1];
        for (; made[i + 1] < (uint32_t)to->height; made[i + 1]++) {
            box_taps down = taps_of((uint32_t)from->height, made[i + 1]);
            if (down.first + down.count > made[i]) {
                break;
            }
            reduce_row(texels + from->first, (uint32_t)from->width, (uint32_t)from->height,
                       made[i + 1], row_of(to, texels, made[i + 1]));
        }
    }
}

/* Row by row through all levels, so that what a level is made of is still in the cache. */
static void fill_levels(const mrw_raster_texture *texture, const uint8_t *rgba, bool raw,
                        texel *texels)
{
    uint16_t curve[256];
    rows_made made = {0};
    const mrwi_raster_texture_level *finest = &texture->levels[0];
    const uint32_t width = (uint32_t)finest->width, height = (uint32_t)finest->height;
    make_curve(raw, curve);
    for (uint32_t y = 0; y < height; y++) {
        fill_row(rgba + (size_t)y * width * 4, width, curve, row_of(finest, texels, y));
        made[0] = y + 1;
        fill_coarser(texture, texels, made);
    }
    for (uint32_t i = 0; i < texture->level_count; i++) { /* the row below the last */
        const mrwi_raster_texture_level *level = &texture->levels[i];
        memcpy(row_of(level, texels, (uint32_t)level->height), row_of(level, texels, 0),
               (size_t)level->stride * sizeof(texel));
    }
}

mrw_status mrw_raster_texture_create(const uint8_t *rgba, uint32_t width, uint32_t height, bool raw,
                                     mrw_raster_texture **out, mrw_error *error)
{
    *out = NULL;
    if (width == 0 || height == 0 || width > MRWI_RASTER_TEXTURE_MAX_SIDE ||
        height > MRWI_RASTER_TEXTURE_MAX_SIDE) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "a texture is %" PRIu32 "x%" PRIu32 " texels: sides must be 1 to %d",
                              width, height, MRWI_RASTER_TEXTURE_MAX_SIDE);
    }
    mrw_raster_texture *texture = mrwi_base_alloc_zero(1, sizeof *texture);
    if (!texture) {
        return mrwi_base_fail_memory(error, sizeof *texture);
    }
    size_t count = lay_out_levels(texture, width, height);
    texel *texels = mrwi_base_alloc(count, sizeof(texel));
    if (!texels) {
        mrwi_base_free(texture);
        return mrwi_base_fail_memory(error, count * sizeof(texel));
    }
    fill_levels(texture, rgba, raw, texels);
    texture->texels = texels[0];
    *out = texture;
    return MRW_OK;
}

void mrw_raster_texture_free(mrw_raster_texture *texture)
{
    if (!texture) {
        return;
    }
    mrwi_base_free((void *)(uintptr_t)texture->texels);
    mrwi_base_free(texture);
}
