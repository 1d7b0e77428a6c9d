/* png_match.h: what repeats itself in the filtered rows of a picture, away from the byte before. */
#ifndef MRWI_IMAGE_PNG_MATCH_H
#define MRWI_IMAGE_PNG_MATCH_H

#include "image/deflate.h"
#include "image/png_encoder.h"

/* Bytes as they are, then a match; the last one has no match: length 0. */
typedef struct mrwi_image_png_step {
    uint32_t literals;
    uint16_t length;
    uint16_t distance; /* less 1 */
} mrwi_image_png_step;

/* A stream in the making. */
typedef struct mrwi_image_png_matches {
    const uint8_t *bytes; /* what is packed */
    size_t count;
    const mrwi_image_png_step *steps;
    size_t step_count;
    uint8_t lengths[MRWI_IMAGE_SYMBOLS];     /* of the codes of literals and lengths, */
    uint8_t distances[MRWI_IMAGE_DISTANCES]; /* and of distances */
    size_t size;                             /* of the deflate stream, at the most */
} mrwi_image_png_matches;

/* Finds matches in count bytes, and codes for them and what is between. Uses the encoder's room for
 * matches; bytes, and what is found, must last until it is put. */
mrw_status mrwi_image_png_match(mrw_png_encoder *encoder, const uint8_t *bytes, size_t count,
                                mrwi_image_png_matches *out, mrw_error *error);

/* Searches more places, and weighs by the codes that the first search led to: it saves a few
 * hundredths, and takes several times as long. */
void mrwi_image_png_match_again(mrw_png_encoder *encoder, mrwi_image_png_matches *matches);

/* Writes what was found as one deflate block, the last. */
void mrwi_image_png_put_matches(const mrwi_image_png_matches *matches, mrwi_image_bits *bits);

#endif
