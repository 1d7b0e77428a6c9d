/* texture_mask.c: levels of a texture that masks show as much as the first (Castano, "Computing
 * Alpha Mipmaps", The Witness, 2010).
 *
 * Of a level's alphas the largest are to reach the cutoff, as many as the first level's share of
 * its texels is. That is a matter of ranks: a count of each alpha says between which two the cutoff
 * must lie, and all are scaled by what takes the middle of those to it. Castano searches for the
 * scale by trial.
 */
#include "raster/texture.h"

#include "base/memory.h"

#include <string.h>

#define ALPHAS 65536u

/* Of a level, how many texels have each alpha. */
static void count_alphas(const uint16_t *texels, const mrwi_raster_texture_level *level,
                         uint32_t counts[ALPHAS])
{
    const size_t width = (size_t)level->width, height = (size_t)level->height;
    memset(counts, 0, ALPHAS * sizeof counts[0]);
    for (size_t y = 0; y < height; y++) {
        const uint16_t *row = texels + 4 * ((size_t)level->first + y * (size_t)level->stride);
        for (size_t x = 0; x < width; x++) {
            counts[row[4 * x + 3]]++;
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

/* The largest alpha below `alpha` that a texel has, or 0. */
static uint32_t next_below(const uint32_t counts[ALPHAS], uint32_t alpha)
{
    do {
        alpha--;
    } while (alpha > 0 && counts[alpha] == 0);
    return alpha;
}

/* What is to become the cutoff, such that as near to `wanted` texels as can be reach it, and more
 * rather than fewer of two as near; ALPHAS where that is none. */
static uint32_t threshold_for(const uint32_t counts[ALPHAS], uint64_t wanted)
{
    uint32_t alpha = ALPHAS;
    uint64_t reach = 0;
    while (reach < wanted) {
        const uint32_t next = next_below(counts, alpha);
        const uint64_t with = reach + counts[next];
        if (next == 0 || (with > wanted && with - wanted > wanted - reach)) {
            break; /* what has no alpha can't reach a cutoff */
        }
        alpha = next;
        reach = with;
    }
    return alpha == ALPHAS ? ALPHAS : (alpha + next_below(counts, alpha) + 1) / 2;
}

static void scale_alphas(uint16_t *texels, const mrwi_raster_texture_level *level, uint32_t from,
                         uint32_t to)
{
    const size_t count = (size_t)level->stride * (size_t)level->height;
    uint16_t *alpha = texels + 4 * (size_t)level->first + 3;
    for (size_t i = 0; i < count; i++, alpha += 4) {
        const uint64_t scaled = (uint64_t)*alpha * to / from;
        *alpha = (uint16_t)(scaled < ALPHAS ? scaled : ALPHAS - 1);
    }
}

bool mrwi_raster_texture_keep_coverage(mrw_raster_texture *texture, uint64_t seen)
{
    const uint64_t total = (uint64_t)texture->width * (uint64_t)texture->height;
    uint16_t *texels = (void *)(uintptr_t)texture->texels;
    uint32_t *counts = mrwi_base_alloc(ALPHAS, sizeof *counts);
    if (!counts) {
        return false;
    }
    for (uint32_t i = texture->finest > 0 ? texture->finest : 1; i < texture->level_count; i++) {
        const mrwi_raster_texture_level *level = &texture->levels[i];
        const uint64_t texel_count = (uint64_t)level->width * (uint64_t)level->height;
        const uint64_t wanted = (seen * texel_count + total / 2) / total;
        count_alphas(texels, level, counts);
        if (count_from(counts, texture->cutoff) != wanted) {
            scale_alphas(texels, level, threshold_for(counts, wanted), texture->cutoff);
        }
    }
    mrwi_base_free(counts);
    return true;
}
