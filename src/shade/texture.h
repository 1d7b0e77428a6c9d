/* texture.h: the layout of a mip pyramid, which the shading kernels read directly. */
#ifndef MRWI_SHADE_TEXTURE_H
#define MRWI_SHADE_TEXTURE_H

#include "marrow/raster.h"

#define MRWI_SHADE_TEXTURE_MAX_SIDE   16384
#define MRWI_SHADE_TEXTURE_MAX_LEVELS 15

/* One level, 16 bytes: a kernel loads it whole. Rows have one texel more than width, a copy of the
 * row's first, and behind the last row stands a copy of the first row. So the texels to the right
 * of, below, and below right of any texel are in memory, and are the ones that repeating needs;
 * clamping and mirroring give them the weight 0. */
typedef struct mrwi_shade_texture_level {
    int32_t first;  /* index of the top left texel */
    int32_t stride; /* texels per row: width + 1 */
    float width;
    float height;
} mrwi_shade_texture_level;

/* The levels of a texture. Levels that are not kept are copies of the finest kept level's entry. */
typedef struct mrwi_shade_texture_layout {
    float width, height;  /* size of level 0, kept or not */
    uint32_t level_count; /* halved, rounded down, to 1x1 */
    uint32_t finest;      /* the first level that is kept */
    mrwi_shade_texture_level levels[MRWI_SHADE_TEXTURE_MAX_LEVELS];
} mrwi_shade_texture_layout;

/* A texture. Texels are RGBA, straight alpha, 16 bits per channel: 0 ... 65535; those of
 * MRW_ENCODING_DATA 8 bits: 0 ... 255. */
struct mrw_raster_texture {
    uint64_t id;
    const uint16_t *texels; /* 4 per texel; NULL: not yet filled, or data */
    const uint8_t *data;    /* texels of MRW_ENCODING_DATA, else NULL */
    mrw_encoding encoding;
    mrw_texture_alpha alpha; /* use of the alpha channel */
    uint16_t cutoff;         /* MASKS: the least visible alpha; 0: no level is scaled */
    uint64_t memory;         /* bytes of texels */
    mrwi_shade_texture_layout layout;
};

/* Fills a texture row by row, from the top, as mrw_raster_texture_fill does: levels finer than
 * `finest` are not kept and take a few rows of memory while the texture is filled. The texture must
 * not be filled yet. Ending it frees *out; before the last row it leaves the texture as it was. */
typedef struct mrwi_shade_texture_filling mrwi_shade_texture_filling;
mrw_status mrwi_shade_texture_begin(mrw_raster_texture *texture, uint32_t finest,
                                    mrwi_shade_texture_filling **out, mrw_error *error);
/* Takes the next `count` rows of RGBA texels of 8 bits. Does not keep them. */
void mrwi_shade_texture_rows(mrwi_shade_texture_filling *filling, const uint8_t *rgba,
                             uint32_t count);
mrw_status mrwi_shade_texture_end(mrwi_shade_texture_filling *filling, mrw_error *error);

/* texture_alpha.c: gives texels without alpha a colour from nearby. For textures whose alpha
 * covers. texels: those of all kept levels, one after the other. */
void mrwi_shade_texture_fill_holes(const mrwi_shade_texture_layout *layout, uint16_t *texels);

/* texture_alpha.c: scales the alpha of the kept levels after the first as MRW_TEXTURE_ALPHA_MASKS
 * says. seen: the number of texels of level 0 that reach the cutoff. Returns false when out of
 * memory. */
bool mrwi_shade_texture_keep_coverage(const mrwi_shade_texture_layout *layout, uint16_t cutoff,
                                      uint64_t seen, uint16_t *texels);

/* The following read mrw_raster_map.minify, an mrw_minify of scene.h, which this room must not
 * include. Returns true if a minified map shows the nearest texel. */
static inline bool mrwi_shade_minify_snaps(const mrw_raster_map *map)
{
    return (map->minify & 1u) != 0;
}
/* Returns true if a minified map shows the nearest level. */
static inline bool mrwi_shade_minify_rounds(const mrw_raster_map *map)
{
    return map->minify == 2 || map->minify == 3;
}
/* Returns true if a minified map shows the finest level. */
static inline bool mrwi_shade_minify_stays(const mrw_raster_map *map)
{
    return map->minify >= 4;
}

#endif
