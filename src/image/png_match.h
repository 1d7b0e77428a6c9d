/* png_match.h: finds repeated bytes in the filtered rows of a picture (LZ77, RFC 1951, 2). */
#ifndef MRWI_IMAGE_PNG_MATCH_H
#define MRWI_IMAGE_PNG_MATCH_H

#include "image/deflate.h"
#include "image/png_encoder.h"
#include "marrow/codecs.h"

/* Literals, then a match. The last step has no match: its length is 0. */
typedef struct mrwi_image_png_step {
    uint32_t literals;
    uint16_t length;
    uint16_t distance; /* distance less 1 */
} mrwi_image_png_step;

/* The bytes to search. */
typedef struct mrwi_image_png_window {
    const uint8_t *bytes;
    size_t count;
    size_t begin; /* bytes before this one are history: matches refer to them */
    size_t row;   /* bytes of a row: a distance that often matches */
    bool
        careful; /* look at eight times as many candidates: about twice the time, 5 % fewer bytes */
    bool deep;   /* values of 16 or 32 bits, whose low bytes hardly repeat */
} mrwi_image_png_window;

/* A deflate block that has been found but not written. */
typedef struct mrwi_image_png_matches {
    const uint8_t *bytes; /* the bytes to pack */
    const mrwi_image_png_step *steps;
    size_t step_count;
    uint8_t lengths[MRWI_IMAGE_SYMBOLS];     /* code lengths of literals and match lengths */
    uint8_t distances[MRWI_IMAGE_DISTANCES]; /* code lengths of distances */
    uint64_t bits;                           /* size of the block */
} mrwi_image_png_matches;

/* Finds matches and the codes to write them with. Uses the encoder's memory: the bytes and the
 * result must stay until the block is written. */
mrw_status mrwi_image_png_match(mrw_png_encoder *encoder, const mrwi_image_png_window *window,
                                mrwi_image_png_matches *out, mrw_error *error);

/* Writes the block: at most bits / 8 + 8 bytes. */
void mrwi_image_png_put_matches(const mrwi_image_png_matches *matches, bool last,
                                mrwi_image_bits *bits);

#endif
