/* texture_alpha.c: levels of a texture whose alpha counts: colours of invisible texels, and equal
 * coverage of masks on all levels.
 *
 * A texel without alpha has some colour that is not meant to be seen, often black. Filtering mixes
 * it into the edges of visible texels. So it takes the colour of the texel over it in the next
 * level, which is the mean of the visible ones around it; if that has no alpha either, the colour
 * of the level after that (as Gortler et al., "The Lumigraph", 1996, 3.4.2, fill holes:
 * "pull-push").
 *
 * On each level of a mask, the largest alphas should reach the cutoff, in the same share of texels
 * as on the first level (Castano, "Computing Alpha Mipmaps", 2010). This is a matter of ranks: a
 * count of each alpha says between which two the cutoff must lie, and all alphas are scaled so that
 * the middle of those two reaches it. Castano searches for the scale by trial.
 */
#include "shade/texture.h"

#include "base/memory.h"

#include <string.h>

void mrwi_shade_texture_fill_holes(const mrwi_shade_texture_layout *layout, uint16_t *texels)
{
    for (uint32_t i = layout->level_count - 1; i-- > layout->finest;) {
        const mrwi_shade_texture_level *level = &layout->levels[i], *next = level + 1;
        const size_t width = (size_t)level->width, height = (size_t)level->height;
        const size_t last_x = (size_t)next->width - 1, last_y = (size_t)next->height - 1;
        for (size_t y = 0; y < height; y++) {
            uint16_t *row = texels + 4 * ((size_t)level->first + y * (size_t)level->stride);
            const size_t from_y = y / 2 < last_y ? y / 2 : last_y;
            const uint16_t *from =
                texels + 4 * ((size_t)next->first + from_y * (size_t)next->stride);
            for (size_t x = 0; x < width; x++) {
                if (row[4 * x + 3] == 0) {
                    memcpy(row + 4 * x, from + 4 * (x / 2 < last_x ? x / 2 : last_x),
                           3 * sizeof *row);
                }
            }
            memcpy(row + 4 * width, row, 4 * sizeof *row); /* behind the last row: see texture.h */
        }
    }
}

/* ---- masks ----------------------------------------------------------------------------------- */

#define ALPHAS 65536u

/* Counts how often each alpha of a level is read: at four places per texel, a quarter of a texel
 * off its centre, where four texels are mixed. With counts at the centres alone, coarse levels
 * would show less than the first: a mixture is seldom as large as its largest part. */
static void count_alphas(const uint16_t *texels, const mrwi_shade_texture_level *level,
                         uint32_t counts[ALPHAS])
{
    const size_t width = (size_t)level->width, height = (size_t)level->height;
    const uint16_t *alpha = texels + 4 * (size_t)level->first + 3;
    memset(counts, 0, ALPHAS * sizeof counts[0]);
    for (size_t y = 0; y < height; y++) {
        const uint16_t *row = alpha + 4 * y * (size_t)level->stride;
        for (uint32_t side = 0; side < 4; side++) {
            const size_t near_y = (y + (side / 2 ? 1 : height - 1)) % height;
            const uint16_t *near = alpha + 4 * near_y * (size_t)level->stride;
            for (size_t x = 0; x < width; x++) {
                const size_t near_x = side % 2 ? (x + 1 < width ? x + 1 : 0) : (x ? x : width) - 1;
                counts[(9u * row[4 * x] + 3u * row[4 * near_x] + 3u * near[4 * x] +
                        near[4 * near_x] + 8u) /
                       16u]++;
            }
        }
    }
}

static uint64_t count_from(const uint32_t counts[ALPHAS], uint32_t alpha)
{
    uint64_t sum = 0;
    for (; alpha < ALPHAS; alpha++) {
        sum += counts[alpha];
    }
    return sum;
}

/* Returns the largest alpha below `alpha` that is read, or 0. */
static uint32_t next_below(const uint32_t counts[ALPHAS], uint32_t alpha)
{
    do {
        alpha--;
    } while (alpha > 0 && counts[alpha] == 0);
    return alpha;
}

/* Returns the alpha that should become the cutoff, such that the number of places that reach it is
 * as near to `wanted` as possible, and the larger one of two equally near numbers. Returns ALPHAS
 * if there is none. */
static uint32_t threshold_for(const uint32_t counts[ALPHAS], uint64_t wanted)
{
    uint32_t alpha = ALPHAS;
    uint64_t reach = 0;
    while (reach < wanted) {
        const uint32_t next = next_below(counts, alpha);
        const uint64_t with = reach + counts[next];
        if (next == 0 || (with > wanted && with - wanted > wanted - reach)) {
            break; /* texels without alpha cannot reach a cutoff */
        }
        alpha = next;
        reach = with;
    }
    return alpha == ALPHAS ? ALPHAS : (alpha + next_below(counts, alpha) + 1) / 2;
}

static void scale_alphas(uint16_t *texels, const mrwi_shade_texture_level *level, uint32_t from,
                         uint32_t to)
{
    const size_t count = (size_t)level->stride * (size_t)level->height;
    uint16_t *alpha = texels + 4 * (size_t)level->first + 3;
    for (size_t i = 0; i < count; i++, alpha += 4) {
        const uint64_t scaled = (uint64_t)*alpha * to / from;
        *alpha = (uint16_t)(scaled < ALPHAS ? scaled : ALPHAS - 1);
    }
}

bool mrwi_shade_texture_keep_coverage(const mrwi_shade_texture_layout *layout, uint16_t cutoff,
                                      uint64_t seen, uint16_t *texels)
{
    const uint64_t total = (uint64_t)layout->width * (uint64_t)layout->height;
    uint32_t *counts = mrwi_base_alloc(ALPHAS, sizeof *counts);
    if (!counts) {
        return false;
    }
    for (uint32_t i = layout->finest > 0 ? layout->finest : 1; i < layout->level_count; i++) {
        const mrwi_shade_texture_level *level = &layout->levels[i];
        const uint64_t places = 4 * (uint64_t)level->width * (uint64_t)level->height;
        const uint64_t wanted = (seen * places + total / 2) / total;
        count_alphas(texels, level, counts);
        if (count_from(counts, cutoff) != wanted) {
            scale_alphas(texels, level, threshold_for(counts, wanted), cutoff);
        }
    }
    mrwi_base_free(counts);
    return true;
}
