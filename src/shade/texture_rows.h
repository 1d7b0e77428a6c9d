/* texture_rows.h: rows of texels: from bytes to 16 bits, to half the sides, and back to bytes.
 *
 * These are the loops over nearly all texels of textures. They use vectors of 16 bytes, which every
 * 64-bit CPU has; all of it but the sums of normals is in integers. Decoding a picture takes ten
 * times as long, so wider registers would gain little. */
#ifndef MRWI_SHADE_TEXTURE_ROWS_H
#define MRWI_SHADE_TEXTURE_ROWS_H

#include "marrow/raster.h"

/* RGBA, 0 ... 65535. */
typedef uint16_t mrwi_shade_texel[4];

/* For a texel of normals, the means of products of the first level's normals: xx, xy, yy, zz. */
typedef float mrwi_shade_spread __attribute__((vector_size(16)));

/* Tables from the bytes of each channel to a texel that is 0 in the other channels, and those
 * of colours to a number of which four can be added: 18 bits for each of red, green and blue. */
typedef struct mrwi_shade_curves {
    uint64_t channel[4][256];
    uint64_t part[3][256];
} mrwi_shade_curves;
void mrwi_shade_curves_make(mrw_encoding encoding, mrwi_shade_curves *out);

/* Converts `count` texels. */
void mrwi_shade_row_from_bytes(const uint8_t *rgba, uint32_t count, const mrwi_shade_curves *curves,
                               mrwi_shade_texel *out);

/* Rounds `count` texels to bytes, to nearest. */
void mrwi_shade_row_to_bytes(const mrwi_shade_texel *from, size_t count, uint8_t *out);

/* Computes `count` texels of the next level: means of 2 x 2 texels, rounded to nearest, halves up.
 * The second variant reads bytes of MRW_ENCODING_DATA, whose 16 bits are 257 times the byte; the
 * third reads bytes of any encoding. */
void mrwi_shade_row_halve(const mrwi_shade_texel *upper, const mrwi_shade_texel *lower,
                          uint32_t count, mrwi_shade_texel *out);
void mrwi_shade_row_halve_bytes(const uint8_t *upper, const uint8_t *lower, uint32_t count,
                                mrwi_shade_texel *out);
void mrwi_shade_row_halve_curves(const uint8_t *upper, const uint8_t *lower, uint32_t count,
                                 const mrwi_shade_curves *curves, mrwi_shade_texel *out);

/* Returns the products of the normal that a texel of the first level holds. */
mrwi_shade_spread mrwi_shade_spread_of(const mrwi_shade_texel normal);

/* Computes the products for `count` texels of the next level: the sum of 2 x 2, upper row first,
 * divided by 4. The second variant reads the bytes of the first level. */
void mrwi_shade_spread_halve(const mrwi_shade_spread *upper, const mrwi_shade_spread *lower,
                             uint32_t count, mrwi_shade_spread *out);
void mrwi_shade_spread_halve_bytes(const uint8_t *upper, const uint8_t *lower, uint32_t count,
                                   mrwi_shade_spread *out);

/* Writes the alpha of `count` texels of normals: see MRW_TEXTURE_ALPHA_SPREAD. */
void mrwi_shade_spread_to_alpha(const mrwi_shade_texel *normals, const mrwi_shade_spread *means,
                                uint32_t count, uint8_t *rgba);

#endif
