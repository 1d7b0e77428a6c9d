/* texture.c: from bytes to a mip pyramid.
 *
 * Level n + 1 has half the sides of level n, rounded down. A side of even length averages pairs. A
 * side of odd length 2m + 1 is cut into m equal pieces, each of which covers three texels in part:
 * the weights of piece i are m - i, m and i + 1 of 2m + 1. All levels are computed in 16-bit
 * integers, rounded to nearest, whichever levels are kept and in however many bits.
 *
 * If alpha covers, each texel's weight is multiplied by its alpha for the three colours. A sum of
 * weights is below 2^28, so sums of products with two 16-bit numbers stay below 2^60.
 */
#include "shade/texture.h"

#include "base/memory.h"
#include "base/text.h"
#include "shade/texture_rows.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef mrwi_shade_texel texel;

/* The up to three texels of one axis that make up texel i of the next level. */
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

/* Computes one texel of the next level: the weighted mean of up to 3 x 3 texels of this one. */
static void reduce_texel(const texel *const rows[3], const box_taps *across, const box_taps *down,
                         uint64_t total, texel out)
{
    uint64_t sum[4] = {0, 0, 0, 0};
    for (uint32_t j = 0; j < down->count; j++) {
        const texel *row = rows[j] + across->first;
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

/* Computes the colour of a texel of the next level if alpha covers, to replace that of
 * reduce_texel. Texels that are fully invisible keep that. */
static void reduce_covering_color(const texel *const rows[3], const box_taps *across,
                                  const box_taps *down, texel out)
{
    uint64_t sum[4] = {0, 0, 0, 0};
    for (uint32_t j = 0; j < down->count; j++) {
        const texel *row = rows[j] + across->first;
        for (uint32_t i = 0; i < across->count; i++) {
            const uint64_t weight = (uint64_t)down->weight[j] * across->weight[i] * row[i][3];
            for (int c = 0; c < 3; c++) {
                sum[c] += weight * row[i][c];
            }
            sum[3] += weight;
        }
    }
    for (int c = 0; c < 3 && sum[3] > 0; c++) {
        out[c] = (uint16_t)((sum[c] + sum[3] / 2) / sum[3]);
    }
}

/* Corrects the plain means of a row. If all alphas of a texel are equal, the means are the same to
 * the bit. */
static void reduce_covering_row(const texel *const rows[3], uint32_t width, const box_taps *down,
                                texel *to)
{
    const uint32_t half_width = half_of(width);
    for (uint32_t x = 0; x < half_width; x++) {
        const box_taps across = taps_of(width, x);
        const uint16_t first = rows[0][across.first][3];
        bool differ = false;
        for (uint32_t j = 0; j < down->count; j++) {
            for (uint32_t i = 0; i < across.count; i++) {
                differ = differ || rows[j][across.first + i][3] != first;
            }
        }
        if (differ) {
            reduce_covering_color(rows, &across, down, to[x]);
        }
    }
}

/* Computes a row of the next level, from the rows of this level that `down` names. */
static void reduce_row(const texel *const rows[3], uint32_t width, uint32_t height,
                       const box_taps *down, bool covering, texel *to)
{
    uint32_t half_width = half_of(width);
    uint64_t total = (uint64_t)taps_total(width) * taps_total(height);
    if (down->count == 2 && width % 2 == 0) {
        mrwi_shade_row_halve(rows[0], rows[1], half_width, to);
    } else {
        for (uint32_t x = 0; x < half_width; x++) {
            box_taps across = taps_of(width, x);
            reduce_texel(rows, &across, down, total, to[x]);
        }
    }
    if (covering) {
        reduce_covering_row(rows, width, down, to);
    }
    pad_row(to, half_width);
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* Lays out the levels from `finest` on one behind the other. Returns the number of texels. */
static size_t lay_out_levels(mrwi_shade_texture_layout *layout, uint32_t finest)
{
    uint32_t width = (uint32_t)layout->width, height = (uint32_t)layout->height;
    size_t total = 0;
    layout->finest = finest;
    for (layout->level_count = 0;; width = half_of(width), height = half_of(height)) {
        mrwi_shade_texture_level *level = &layout->levels[layout->level_count++];
        *level = (mrwi_shade_texture_level){(int32_t)total, (int32_t)width + 1, (float)width,
                                            (float)height};
        if (layout->level_count > finest) {
            total += ((size_t)width + 1) * ((size_t)height + 1);
        }
        if (width == 1 && height == 1) {
            break;
        }
    }
    for (uint32_t i = 0; i < finest; i++) {
        layout->levels[i] = layout->levels[finest];
    }
    return total;
}

/* The number of last rows that are held of a level that is not kept: one row of the next level
 * needs three. */
#define WINDOW 4

/* A pyramid under construction: rows of 16 bits, made in order. */
struct mrwi_shade_texture_filling {
    mrw_raster_texture *texture;
    uint32_t width[MRWI_SHADE_TEXTURE_MAX_LEVELS], height[MRWI_SHADE_TEXTURE_MAX_LEVELS];
    uint32_t made[MRWI_SHADE_TEXTURE_MAX_LEVELS];  /* number of rows made */
    texel *windows[MRWI_SHADE_TEXTURE_MAX_LEVELS]; /* WINDOW rows, or NULL: see row_of */
    /* The products of normals in the same way, except for level 0. */
    mrwi_shade_spread *spreads[MRWI_SHADE_TEXTURE_MAX_LEVELS];
    /* Memory for a row of bytes if level 1 is made of bytes, and level 0 has no rows of 16 bits;
     * else NULL. `rows` are then the last even and the last odd row. */
    uint8_t *bytes;
    const uint8_t *rows[2];
    uint64_t seen; /* texels of level 0 that reach the cutoff */
    mrwi_shade_curves curves;
};
typedef mrwi_shade_texture_filling pyramid;

static texel *kept_row(const mrw_raster_texture *texture, uint32_t i, uint32_t y)
{
    const mrwi_shade_texture_level *level = &texture->layout.levels[i];
    texel *texels = (void *)(uintptr_t)texture->texels;
    return texels + level->first + (size_t)y * (size_t)level->stride;
}

/* Returns the memory of row y of a level. */
static texel *row_of(const pyramid *p, uint32_t i, uint32_t y)
{
    return p->windows[i] ? p->windows[i] + (size_t)(y % WINDOW) * (p->width[i] + 1)
                         : kept_row(p->texture, i, y);
}

/* ---- normals --------------------------------------------------------------------------------- */

static mrwi_shade_spread *spreads_row(const pyramid *p, uint32_t i, uint32_t y)
{
    return p->spreads[i] + (size_t)(y % WINDOW) * p->width[i];
}

/* Computes the products of row `y` of level i + 1, from those of the rows of level i that it is
 * made of. */
static void reduce_spreads(const pyramid *p, uint32_t i, const box_taps *down, uint32_t y)
{
    const uint32_t width = p->width[i];
    const float share = 1.0f / ((float)taps_total(width) * (float)taps_total(p->height[i]));
    mrwi_shade_spread *out = spreads_row(p, i + 1, y);
    if (i > 0 && width % 2 == 0 && down->count == 2) {
        mrwi_shade_spread_halve(spreads_row(p, i, down->first), spreads_row(p, i, down->first + 1),
                                p->width[i + 1], out);
        return;
    }
    for (uint32_t x = 0; x < p->width[i + 1]; x++) {
        const box_taps across = taps_of(width, x);
        mrwi_shade_spread total = {0, 0, 0, 0};
        for (uint32_t k = 0; k < down->count * across.count; k++) {
            const uint32_t row = down->first + k / across.count,
                           at = across.first + k % across.count;
            const float weight =
                (float)down->weight[k / across.count] * (float)across.weight[k % across.count];
            total += weight * (i == 0 ? mrwi_shade_spread_of(row_of(p, 0, row)[at])
                                      : spreads_row(p, i, row)[at]);
        }
        out[x] = total * share;
    }
}

/* Keeps a finished row of data: rounds to 8 bits. */
static void keep_data_row(const pyramid *p, uint32_t i, uint32_t y)
{
    const mrwi_shade_texture_level *level = &p->texture->layout.levels[i];
    const uint32_t width = p->width[i];
    uint8_t *out = (uint8_t *)(uintptr_t)p->texture->data +
                   4 * ((size_t)level->first + (size_t)y * (size_t)level->stride);
    if (i == 0 && p->bytes) {
        memcpy(out, p->rows[y % 2], 4 * (size_t)width);
    } else {
        mrwi_shade_row_to_bytes(row_of(p, i, y), width, out);
    }
    if (p->texture->alpha == MRW_TEXTURE_ALPHA_SPREAD && i > 0) {
        mrwi_shade_spread_to_alpha(row_of(p, i, y), spreads_row(p, i, y), width, out);
    } else if (p->texture->alpha == MRW_TEXTURE_ALPHA_SPREAD) {
        for (uint32_t x = 0; x < width; x++) {
            out[4 * x + 3] = 0;
        }
    }
    memcpy(out + 4 * (size_t)width, out, 4);
}

static void row_is_made(pyramid *p, uint32_t i)
{
    if (p->texture->data && i >= p->texture->layout.finest) {
        keep_data_row(p, i, p->made[i]);
    }
    p->made[i]++;
}

static bool is_covering(const mrw_raster_texture *texture)
{
    return texture->alpha != MRW_TEXTURE_ALPHA_PLAIN && texture->encoding == MRW_ENCODING_COLOR;
}

/* Makes the next row of level 1 of two rows of bytes. */
static void halve_bytes(pyramid *p)
{
    const uint32_t y = p->made[1];
    const uint8_t *upper = p->rows[0], *lower = p->rows[1];
    texel *out = row_of(p, 1, y);
    if (p->texture->data) {
        mrwi_shade_row_halve_bytes(upper, lower, p->width[1], out);
    } else {
        mrwi_shade_row_halve_curves(upper, lower, p->width[1], &p->curves, out);
    }
    pad_row(out, p->width[1]);
    if (p->spreads[1]) {
        mrwi_shade_spread_halve_bytes(upper, lower, p->width[1], spreads_row(p, 1, y));
    }
    row_is_made(p, 1);
}

/* Makes all rows of coarser levels that are possible with the rows made so far. */
static void fill_coarser(pyramid *p)
{
    const bool covering = is_covering(p->texture);
    if (p->bytes && p->made[0] % 2 == 0) {
        halve_bytes(p);
    }
    for (uint32_t i = p->bytes ? 1 : 0; i + 1 < p->texture->layout.level_count; i++) {
        while (p->made[i + 1] < p->height[i + 1]) {
            const box_taps down = taps_of(p->height[i], p->made[i + 1]);
            const texel *rows[3];
            if (down.first + down.count > p->made[i]) {
                break;
            }
            for (uint32_t j = 0; j < 3; j++) {
                rows[j] = row_of(p, i, down.first + (j < down.count ? j : 0));
            }
            reduce_row(rows, p->width[i], p->height[i], &down, covering,
                       row_of(p, i + 1, p->made[i + 1]));
            if (p->spreads[i + 1]) {
                reduce_spreads(p, i, &down, p->made[i + 1]);
            }
            row_is_made(p, i + 1);
        }
    }
}

static uint64_t count_seen(const texel *row, uint32_t width, uint16_t cutoff)
{
    uint64_t count = 0;
    for (uint32_t x = 0; x < width; x++) {
        count += row[x][3] >= cutoff;
    }
    return count;
}

/* Takes a row, which must stay until the next one is taken. */
static void take_row(pyramid *p, const uint8_t *rgba)
{
    const uint32_t y = p->made[0], width = p->width[0];
    if (p->bytes) {
        p->rows[y % 2] = rgba;
    } else {
        texel *row = row_of(p, 0, y);
        mrwi_shade_row_from_bytes(rgba, width, &p->curves, row);
        pad_row(row, width);
        if (p->texture->cutoff > 0) {
            p->seen += count_seen(row, width, p->texture->cutoff);
        }
    }
    row_is_made(p, 0);
    fill_coarser(p);
}

void mrwi_shade_texture_rows(mrwi_shade_texture_filling *p, const uint8_t *rgba, uint32_t count)
{
    const size_t size = 4 * (size_t)p->width[0];
    assert(count <= p->height[0] - p->made[0]);
    for (uint32_t y = 0; y < count; y++) {
        take_row(p, rgba + y * size);
    }
    if (p->bytes && p->made[0] % 2 == 1) {
        memcpy(p->bytes, p->rows[0], size);
        p->rows[0] = p->bytes;
    }
}

/* Copies the first row of each kept level behind the last. */
static void pad_levels(const pyramid *p)
{
    for (uint32_t i = p->texture->layout.finest; i < p->texture->layout.level_count; i++) {
        const mrwi_shade_texture_level *level = &p->texture->layout.levels[i];
        const size_t count = (size_t)level->stride, rows = (size_t)level->height * count;
        if (p->texture->data) {
            uint8_t *first = (uint8_t *)(uintptr_t)p->texture->data + 4 * (size_t)level->first;
            memcpy(first + 4 * rows, first, 4 * count);
        } else {
            memcpy(kept_row(p->texture, i, p->height[i]), kept_row(p->texture, i, 0),
                   count * sizeof(texel));
        }
    }
}

static void drop_levels(mrw_raster_texture *texture)
{
    mrwi_base_free((void *)(uintptr_t)texture->texels);
    mrwi_base_free((void *)(uintptr_t)texture->data);
    texture->texels = NULL;
    texture->data = NULL;
    texture->memory = 0;
}

/* Returns true if no row of 16 bits of level 0 is needed: level 1 has plain means of bytes. */
static bool starts_with_bytes(const mrw_raster_texture *texture)
{
    const uint32_t width = (uint32_t)texture->layout.width;
    const uint32_t height = (uint32_t)texture->layout.height;
    const bool plain = texture->layout.finest > 0 && !is_covering(texture) && texture->cutoff == 0;
    return width % 2 == 0 && height % 2 == 0 && (texture->data || plain);
}

/* Returns true if rows of 16 bits of a level need memory of their own. */
static bool needs_window(const mrw_raster_texture *texture, uint32_t i)
{
    return (i < texture->layout.finest || texture->data) && (i > 0 || !starts_with_bytes(texture));
}

/* Finds the sides of the levels, and makes a pyramid with memory for rows that the texture does not
 * keep. Returns NULL when out of memory. */
static pyramid *make_pyramid(mrw_raster_texture *texture)
{
    const bool spreads = texture->alpha == MRW_TEXTURE_ALPHA_SPREAD;
    pyramid made = {.texture = texture};
    size_t count = 0, means = 0;
    uint32_t width = (uint32_t)texture->layout.width, height = (uint32_t)texture->layout.height;
    for (uint32_t i = 0; i < texture->layout.level_count; i++) {
        made.width[i] = width;
        made.height[i] = height;
        count += needs_window(texture, i) ? WINDOW * ((size_t)width + 1) : 0;
        means += spreads && i > 0 ? WINDOW * (size_t)width : 0;
        width = half_of(width);
        height = half_of(height);
    }
    const bool bytes = starts_with_bytes(texture);
    count += bytes ? made.width[0] / 2 : 0; /* a row of 4 bytes per texel */
    count += count % 2;                     /* means are 16 bytes */
    const size_t head = (sizeof made + 15) / 16 * 16;
    char *memory = mrwi_base_alloc(head + count * sizeof(texel) + means * 16, 1);
    if (!memory) {
        return NULL;
    }
    texel *next = (void *)(memory + head);
    mrwi_shade_spread *next_means = (void *)(memory + head + count * sizeof(texel));
    for (uint32_t i = 0; i < texture->layout.level_count; i++) {
        if (needs_window(texture, i)) {
            made.windows[i] = next;
            next += WINDOW * ((size_t)made.width[i] + 1);
        }
        if (spreads && i > 0) {
            made.spreads[i] = next_means;
            next_means += WINDOW * (size_t)made.width[i];
        }
    }
    made.bytes = bytes ? (uint8_t *)next : NULL;
    pyramid *p = (void *)memory;
    memcpy(p, &made, sizeof made);
    mrwi_shade_curves_make(texture->encoding, &p->curves);
    return p;
}

mrw_status mrw_raster_texture_create(const uint8_t *rgba, uint32_t width, uint32_t height,
                                     mrw_encoding encoding, mrw_raster_texture **out,
                                     mrw_error *error)
{
    *out = NULL;
    if (width == 0 || height == 0 || width > MRWI_SHADE_TEXTURE_MAX_SIDE ||
        height > MRWI_SHADE_TEXTURE_MAX_SIDE) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "a texture is %" PRIu32 "x%" PRIu32 " texels: sides must be 1 to %d",
                              width, height, MRWI_SHADE_TEXTURE_MAX_SIDE);
    }
    static _Atomic uint64_t last;
    mrw_raster_texture *texture = mrwi_base_alloc_zero(1, sizeof *texture);
    if (!texture) {
        return mrwi_base_fail_memory(error, sizeof *texture);
    }
    texture->id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    texture->encoding = encoding;
    texture->layout.width = (float)width;
    texture->layout.height = (float)height;
    lay_out_levels(&texture->layout, 0);
    mrw_status status = rgba ? mrw_raster_texture_fill(texture, rgba, 0, error) : MRW_OK;
    if (status) {
        mrw_raster_texture_free(texture);
        return status;
    }
    *out = texture;
    return MRW_OK;
}

void mrw_raster_texture_set_alpha(mrw_raster_texture *texture, mrw_texture_alpha alpha,
                                  float cutoff)
{
    const double least = ceil((double)cutoff * 65535.0);
    const bool data = texture->encoding == MRW_ENCODING_DATA;
    assert(data == (alpha == MRW_TEXTURE_ALPHA_SPREAD) && !texture->texels && !texture->data);
    (void)data;
    texture->alpha = alpha;
    texture->cutoff = 0;
    if (alpha == MRW_TEXTURE_ALPHA_MASKS && least > 0.0 && least <= 65535.0) {
        texture->cutoff = (uint16_t)least;
    }
}

mrw_status mrwi_shade_texture_begin(mrw_raster_texture *texture, uint32_t finest,
                                    mrwi_shade_texture_filling **out, mrw_error *error)
{
    const bool data = texture->encoding == MRW_ENCODING_DATA;
    const uint32_t last = texture->layout.level_count - 1;
    assert(!texture->texels && !texture->data);
    const size_t count = lay_out_levels(&texture->layout, finest < last ? finest : last);
    const size_t size = data ? sizeof(uint8_t[4]) : sizeof(texel);
    void *kept = mrwi_base_alloc(count, size);
    if (!kept) {
        return mrwi_base_fail_memory(error, count * size);
    }
    texture->texels = data ? NULL : kept;
    texture->data = data ? kept : NULL;
    texture->memory = count * size;
    *out = make_pyramid(texture);
    if (!*out) {
        drop_levels(texture);
        return mrwi_base_fail_memory(error, 0);
    }
    return MRW_OK;
}

mrw_status mrwi_shade_texture_end(mrwi_shade_texture_filling *p, mrw_error *error)
{
    mrw_raster_texture *texture = p->texture;
    uint16_t *texels = (void *)(uintptr_t)texture->texels;
    mrw_status status = MRW_OK;
    if (p->made[0] < p->height[0]) {
        drop_levels(texture);
        goto out;
    }
    if (texture->cutoff > 0 &&
        !mrwi_shade_texture_keep_coverage(&texture->layout, texture->cutoff, p->seen, texels)) {
        drop_levels(texture);
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    if (is_covering(texture)) {
        mrwi_shade_texture_fill_holes(&texture->layout, texels);
    }
    pad_levels(p);
out:
    mrwi_base_free(p);
    return status;
}

mrw_status mrw_raster_texture_fill(mrw_raster_texture *texture, const uint8_t *rgba,
                                   uint32_t finest, mrw_error *error)
{
    mrwi_shade_texture_filling *filling;
    mrw_status status = mrwi_shade_texture_begin(texture, finest, &filling, error);
    if (status) {
        return status;
    }
    mrwi_shade_texture_rows(filling, rgba, filling->height[0]);
    return mrwi_shade_texture_end(filling, error);
}

mrw_raster_texture_info mrw_raster_texture_look(const mrw_raster_texture *texture)
{
    mrw_raster_texture_info out = {.id = texture->id,
                                   .encoding = texture->encoding,
                                   .alpha = texture->alpha,
                                   .width = (uint32_t)texture->layout.width,
                                   .height = (uint32_t)texture->layout.height,
                                   .level_count = texture->layout.level_count,
                                   .finest = texture->layout.finest};
    assert(texture->texels || texture->data);
    for (uint32_t i = texture->layout.finest; i < texture->layout.level_count; i++) {
        const mrwi_shade_texture_level *level = &texture->layout.levels[i];
        const size_t first = 4 * (size_t)level->first;
        out.levels[i] = (mrw_raster_texture_level){
            (uint32_t)level->width, (uint32_t)level->height, (uint32_t)level->stride,
            texture->data ? (const void *)(texture->data + first)
                          : (const void *)(texture->texels + first)};
    }
    return out;
}

uint64_t mrw_raster_texture_memory(const mrw_raster_texture *texture)
{
    return texture->memory;
}

void mrw_raster_texture_free(mrw_raster_texture *texture)
{
    if (!texture) {
        return;
    }
    drop_levels(texture);
    mrwi_base_free(texture);
}
