/* shadow_level.h: where the levels of a shadow map lie, and which texels they show.
 *
 * Texel (i, j) of level k, counted with its border, shows the depth of texel ((i - border) * 2^k +
 * shift(j), (j - border) * 2^k + shift(i)), where shift(n) is 3 (5 n modulo (2^k + 2) / 3). Shifted
 * like this, thin casters along rows or columns are met in proportion to their width, not as a
 * whole or not at all. Shifts are multiples of 3, so that the pattern of blended casters, which
 * repeats after 3 texels, stays even. Depths are not averaged: a mean of two surfaces is a place
 * where there is none. The border, and texels outside the map, have depth 1.
 */
#ifndef MRWI_LIGHT_SHADOW_LEVEL_H
#define MRWI_LIGHT_SHADOW_LEVEL_H

#include "marrow/light.h"

/* Widest square of a lookup in texels of its level; it then touches 8 of them. */
#define MRWI_LIGHT_SHADOW_WINDOW 7.0
#define MRWI_LIGHT_SHADOW_TAPS   8
#define MRWI_LIGHT_SHADOW_BORDER 8

typedef struct mrwi_light_shadow_level {
    size_t first;    /* its first float */
    uint32_t side;   /* texels per side, with the border */
    uint32_t stride; /* floats from row to row */
    uint32_t border; /* texels on each side; 0 in level 0, the map itself */
} mrwi_light_shadow_level;

/* Returns the place of a level, 0 ... map->levels. */
mrwi_light_shadow_level mrwi_light_shadow_level_of(const mrw_shadow_map *map, uint32_t level);

#endif
