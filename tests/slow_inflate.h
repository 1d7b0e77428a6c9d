/* slow_inflate.h: RFC 1951 read bit by bit, for tests that want to see the symbols. */
#ifndef MARROW_SLOW_INFLATE_H
#define MARROW_SLOW_INFLATE_H

#include "test.h"

#include <stdint.h>

/* A literal (length 0) or a match. */
typedef struct slow_token {
    uint8_t literal;
    uint16_t length;
    uint16_t distance;
} slow_token;

typedef struct slow_inflate {
    const uint8_t *data;
    size_t size, bit;
    uint8_t *out; /* room for most bytes */
    size_t out_size, most;
    slow_token *tokens; /* room for as many, or NULL */
    size_t token_count;
} slow_inflate;

/* Lengths of codes; a code is found by counting through them in order. */
typedef struct slow_code {
    uint8_t lengths[320];
    int count;
} slow_code;

static inline uint32_t slow_bits(slow_inflate *s, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++, s->bit++) {
        if (s->bit / 8 >= s->size) { /* a ck_assert for each bit takes seconds */
            ck_abort_msg("the stream is cut off");
        }
        value |= (uint32_t)(s->data[s->bit / 8] >> (s->bit % 8) & 1) << i;
    }
    return value;
}

/* 3.2.2: codes of one length are consecutive, in the order of their symbols; shorter ones come
 * first. */
static inline int slow_symbol(slow_inflate *s, const slow_code *code)
{
    int value = 0, first = 0;
    for (int length = 1; length <= 15; length++) {
        int of_length = 0;
        value = value << 1 | (int)slow_bits(s, 1);
        first <<= 1;
        for (int i = 0; i < code->count; i++) {
            if (code->lengths[i] == length && first + of_length++ == value) {
                return i;
            }
        }
        first += of_length;
    }
    ck_abort_msg("no such code");
    return -1;
}

static inline void slow_put(slow_inflate *s, uint8_t byte)
{
    if (s->out_size >= s->most) {
        ck_abort_msg("too many bytes");
    }
    s->out[s->out_size++] = byte;
}

static inline void slow_token_add(slow_inflate *s, slow_token token)
{
    if (s->tokens) {
        s->tokens[s->token_count] = token;
    }
    s->token_count++;
}

/* 3.2.7 */
static inline void slow_read_codes(slow_inflate *s, slow_code *literals, slow_code *distances)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    slow_code kinds = {{0}, 19};
    uint8_t all[320] = {0};
    literals->count = (int)slow_bits(s, 5) + 257;
    distances->count = (int)slow_bits(s, 5) + 1;
    ck_assert_int_le(literals->count, 286);
    int kind_count = (int)slow_bits(s, 4) + 4, at = 0, end = literals->count + distances->count;
    for (int i = 0; i < kind_count; i++) {
        kinds.lengths[order[i]] = (uint8_t)slow_bits(s, 3);
    }
    while (at < end) {
        int kind = slow_symbol(s, &kinds), times = 1;
        uint8_t length = kind < 16 ? (uint8_t)kind : 0;
        if (kind == 16) {
            ck_assert_int_gt(at, 0);
            length = all[at - 1];
            times = 3 + (int)slow_bits(s, 2);
        } else if (kind == 17) {
            times = 3 + (int)slow_bits(s, 3);
        } else if (kind == 18) {
            times = 11 + (int)slow_bits(s, 7);
        }
        ck_assert_int_le(at + times, end);
        while (times-- > 0) {
            all[at++] = length;
        }
    }
    memcpy(literals->lengths, all, (size_t)literals->count);
    memcpy(distances->lengths, all + literals->count, (size_t)distances->count);
}

/* 3.2.5 */
static inline void slow_read_match(slow_inflate *s, int symbol, const slow_code *distances)
{
    static const uint16_t lengths[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                      2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t starts[30] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    ck_assert_int_le(symbol, 285);
    uint32_t length = lengths[symbol - 257] + slow_bits(s, extra[symbol - 257]);
    const int far = slow_symbol(s, distances);
    ck_assert_int_lt(far, 30);
    const uint32_t distance = starts[far] + slow_bits(s, far < 4 ? 0 : far / 2 - 1);
    ck_assert_uint_ge(s->out_size, distance);
    slow_token_add(s, (slow_token){0, (uint16_t)length, (uint16_t)distance});
    while (length-- > 0) {
        slow_put(s, s->out[s->out_size - distance]);
    }
}

/* Reads one block; true after the last. */
static inline bool slow_read_block(slow_inflate *s)
{
    bool last = slow_bits(s, 1) != 0;
    uint32_t type = slow_bits(s, 2);
    slow_code literals = {{0}, 0}, distances = {{0}, 0};
    if (type == 0) {
        s->bit = (s->bit + 7) / 8 * 8;
        uint32_t size = slow_bits(s, 16);
        ck_assert_uint_eq(slow_bits(s, 16), size ^ 0xFFFF);
        while (size-- > 0) {
            slow_put(s, (uint8_t)slow_bits(s, 8));
        }
        return last;
    }
    ck_assert_uint_eq(type, 2);
    slow_read_codes(s, &literals, &distances);
    for (;;) {
        int symbol = slow_symbol(s, &literals);
        if (symbol == 256) {
            return last;
        }
        if (symbol > 256) {
            slow_read_match(s, symbol, &distances);
            continue;
        }
        slow_token_add(s, (slow_token){(uint8_t)symbol, 0, 0});
        slow_put(s, (uint8_t)symbol);
    }
}

/* A zlib stream (RFC 1950) of just this size. */
static inline void slow_zlib(slow_inflate *s)
{
    uint32_t low = 1, high = 0;
    ck_assert_uint_eq(slow_bits(s, 4), 8);
    ck_assert_uint_eq(slow_bits(s, 4), 7);
    ck_assert_uint_eq((s->data[0] * 256u + s->data[1]) % 31, 0);
    ck_assert_uint_eq(s->data[1] & 32, 0);
    s->bit = 16;
    while (!slow_read_block(s)) {
    }
    for (size_t i = 0; i < s->out_size; i++) {
        low = (low + s->out[i]) % 65521;
        high = (high + low) % 65521;
    }
    size_t at = (s->bit + 7) / 8;
    ck_assert_uint_eq(at + 4, s->size);
    const uint8_t expected[4] = {(uint8_t)(high >> 8), (uint8_t)high, (uint8_t)(low >> 8),
                                 (uint8_t)low};
    ck_assert_mem_eq(s->data + at, expected, 4);
}

#endif
