/* deflate.h: parts of a writer of deflate streams (RFC 1951): bits, prefix codes, block headers.
 *
 * Codes are at most MRWI_IMAGE_CODE_LIMIT bits, so that two literals fit into an entry of a table
 * and four into one flush of the bit writer.
 */
#ifndef MRWI_IMAGE_DEFLATE_H
#define MRWI_IMAGE_DEFLATE_H

#include "marrow/base.h"

#include <string.h>

#define MRWI_IMAGE_SYMBOLS      286 /* literals, end of block, 29 lengths */
#define MRWI_IMAGE_DISTANCES    30
#define MRWI_IMAGE_END_OF_BLOCK 256
#define MRWI_IMAGE_CODE_LIMIT   12
#define MRWI_IMAGE_LEAST_MATCH  3
#define MRWI_IMAGE_MOST_MATCH   258
/* The size of the longest block header: 17 bits, 19 lengths, and for each symbol a code of 7 bits
 * and 7 more. */
#define MRWI_IMAGE_MOST_HEADER_BYTES                                                               \
    ((17 + 19 * 3 + (MRWI_IMAGE_SYMBOLS + MRWI_IMAGE_DISTANCES) * 14) / 8 + 8)

/* A writer of bits, lowest first. It stores 8 bytes at a time, so the memory must be 8 bytes longer
 * than the stream. */
typedef struct mrwi_image_bits {
    uint8_t *to;
    uint64_t held;
    uint32_t count; /* held bits: below 8 after a flush */
} mrwi_image_bits;

/* Adds bits; at most 56 between two flushes. */
static inline void mrwi_image_bits_put(mrwi_image_bits *bits, uint64_t value, uint32_t count)
{
    bits->held |= value << bits->count;
    bits->count += count;
}

static inline void mrwi_image_bits_flush(mrwi_image_bits *bits)
{
    memcpy(bits->to, &bits->held, sizeof bits->held); /* little-endian, as all of marrow */
    bits->to += bits->count / 8;
    bits->held >>= bits->count & ~7u;
    bits->count &= 7;
}

/* Fills the last byte with zeros. */
static inline void mrwi_image_bits_end(mrwi_image_bits *bits)
{
    mrwi_image_bits_flush(bits);
    bits->to += bits->count != 0;
    bits->held = bits->count = 0;
}

/* Appends the bits that another writer, which began at `from` without held bits and was flushed
 * last, has written. */
void mrwi_image_bits_append(mrwi_image_bits *bits, const uint8_t *from,
                            const mrwi_image_bits *written);

/* A code: its number of bits in the low byte, the bits above. */
typedef uint32_t mrwi_image_code;

static inline uint32_t mrwi_image_code_size(mrwi_image_code code)
{
    return code & 255;
}

static inline void mrwi_image_put_code(mrwi_image_bits *bits, mrwi_image_code code)
{
    mrwi_image_bits_put(bits, code >> 8, mrwi_image_code_size(code));
}

/* b after a; together at most 24 bits. */
static inline mrwi_image_code mrwi_image_code_join(mrwi_image_code a, mrwi_image_code b)
{
    return a + ((b >> 8) << (mrwi_image_code_size(a) + 8)) + mrwi_image_code_size(b);
}

/* The lengths of the best prefix code of at most `limit` (up to 15) bits: package-merge (Larmore,
 * Hirschberg 1990). Symbols that don't occur get 0; a symbol alone gets 1. count <=
 * MRWI_IMAGE_SYMBOLS, occurrences add up to less than 2^48. */
void mrwi_image_code_lengths(const uint64_t *occurrences, size_t count, uint32_t limit,
                             uint8_t *lengths);

/* The canonical codes of these lengths (RFC 1951, 3.2.2), first bit lowest. */
void mrwi_image_codes_assign(const uint8_t *lengths, size_t count, mrwi_image_code *codes);

/* The symbol of a match's length, 3 ... 258, and the bits that follow it. */
typedef struct mrwi_image_length {
    uint16_t symbol;
    uint8_t extra_count;
    uint8_t extra;
} mrwi_image_length;

mrwi_image_length mrwi_image_length_of(uint32_t match);

/* The symbol of a match's distance, 1 ... 32768, and the bits that follow it. */
typedef struct mrwi_image_distance {
    uint8_t symbol;
    uint8_t extra_count;
    uint16_t extra;
} mrwi_image_distance;

mrwi_image_distance mrwi_image_distance_of(uint32_t distance);

/* Writes the header of a block, the last one of its stream or not, with the code lengths of
 * literals and match lengths, and of distances. */
void mrwi_image_put_block_header(mrwi_image_bits *bits, const uint8_t lengths[MRWI_IMAGE_SYMBOLS],
                                 const uint8_t distances[MRWI_IMAGE_DISTANCES], bool last);

#endif
