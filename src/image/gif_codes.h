/* gif_codes.h: which of two indices a pixel gets, so that LZW packs them best. */
#ifndef MRWI_IMAGE_GIF_CODES_H
#define MRWI_IMAGE_GIF_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MRWI_IMAGE_GIF_CODES 4095 /* of giflib's encoder, which then starts anew */

/* The dictionary of an encoder, followed step by step. Zero-initialise. */
typedef struct mrwi_image_gif_codes {
    uint16_t next[MRWI_IMAGE_GIF_CODES][256]; /* of a string and a pixel; 0: it has none */
    uint16_t parent[MRWI_IMAGE_GIF_CODES];
    uint8_t last[MRWI_IMAGE_GIF_CODES];
    uint16_t found[2][MRWI_IMAGE_GIF_CODES]; /* strings that fit so far */
} mrwi_image_gif_codes;

/* Each pixel is `drawn`, or, where optional[i] is not 0, may be 0 instead. pixels: what it becomes,
 * so that each code stands for the longest string the dictionary has. bits: of a pixel, 2 ... 8.
 * How long strings are that are followed for nothing is bounded by the dictionary: each of its
 * codes is looked at once for a pixel at the most. */
void mrwi_image_gif_choose_pixels(mrwi_image_gif_codes *codes, const uint8_t *drawn,
                                  const uint8_t *optional, size_t count, int bits, uint8_t *pixels);

#endif
