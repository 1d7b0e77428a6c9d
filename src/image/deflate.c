/* deflate.c: prefix codes and block headers of deflate streams (RFC 1951). */
#include "image/deflate.h"

#include <assert.h>

void mrwi_image_bits_append(mrwi_image_bits *bits, const uint8_t *from,
                            const mrwi_image_bits *written)
{
    for (; written->to - from >= 6; from += 6) {
        uint64_t bytes = 0;
        memcpy(&bytes, from, 6);
        mrwi_image_bits_put(bits, bytes, 48);
        mrwi_image_bits_flush(bits);
    }
    for (; from < written->to; from++) {
        mrwi_image_bits_put(bits, *from, 8);
        mrwi_image_bits_flush(bits);
    }
    mrwi_image_bits_put(bits, written->held, written->count);
    mrwi_image_bits_flush(bits);
}

/* ---- the best lengths ------------------------------------------------------------------------ */

#define MOST_LIMIT  15
#define SYMBOL_BITS 9
#define SYMBOL_MASK ((1u << SYMBOL_BITS) - 1)

/* Moves numbers[at] down the heap until none below it is greater. */
static void sink(uint64_t *numbers, size_t count, size_t at)
{
    const uint64_t number = numbers[at];
    for (size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        below += below + 1 < count && numbers[below + 1] > numbers[below];
        if (numbers[below] <= number) {
            break;
        }
        numbers[at] = numbers[below];
        at = below;
    }
    numbers[at] = number;
}

/* Sorts by heapsort (Williams 1964), because the C library's qsort may allocate. */
static void sort_numbers(uint64_t *numbers, size_t count)
{
    for (size_t i = count / 2; i > 0; i--) {
        sink(numbers, count, i - 1);
    }
    for (size_t end = count; end > 1; end--) {
        const uint64_t greatest = numbers[0];
        numbers[0] = numbers[end - 1];
        numbers[end - 1] = greatest;
        sink(numbers, end - 1, 0);
    }
}

/* Lists the symbols that occur, rarest first: occurrences << SYMBOL_BITS | symbol. */
static size_t sort_symbols(const uint64_t *occurrences, size_t count, uint64_t *sorted)
{
    size_t used = 0;
    for (size_t s = 0; s < count; s++) {
        if (occurrences[s] > 0) {
            sorted[used++] = occurrences[s] << SYMBOL_BITS | s;
        }
    }
    sort_numbers(sorted, used);
    return used;
}

/* Makes the list for one more bit: the symbols, merged with the pairs of the previous list. Returns
 * its length; is_symbol tells symbols from pairs. */
static size_t merge_list(const uint64_t *sorted, size_t used, const uint64_t *before,
                         size_t before_count, uint64_t *weights, uint8_t *is_symbol)
{
    size_t symbol = 0, pair = 0, pairs = before_count / 2, n = 0;
    while (symbol < used || pair < pairs) {
        uint64_t single = symbol < used ? sorted[symbol] >> SYMBOL_BITS : UINT64_MAX;
        uint64_t both = pair < pairs ? before[2 * pair] + before[2 * pair + 1] : UINT64_MAX;
        is_symbol[n] = single <= both;
        weights[n] = is_symbol[n] ? single : both;
        symbol += is_symbol[n];
        pair += !is_symbol[n++];
    }
    return n;
}

void mrwi_image_code_lengths(const uint64_t *occurrences, size_t count, uint32_t limit,
                             uint8_t *lengths)
{
    uint64_t sorted[MRWI_IMAGE_SYMBOLS], weights[2][2 * MRWI_IMAGE_SYMBOLS];
    uint8_t is_symbol[MOST_LIMIT][2 * MRWI_IMAGE_SYMBOLS];
    assert(count <= MRWI_IMAGE_SYMBOLS && limit <= MOST_LIMIT);
    memset(lengths, 0, count);
    size_t used = sort_symbols(occurrences, count, sorted), listed = 0;
    assert(used <= (size_t)1 << limit);
    for (uint32_t bit = 0; bit < limit; bit++) {
        listed = merge_list(sorted, used, weights[(bit + 1) % 2], listed, weights[bit % 2],
                            is_symbol[bit]);
    }
    size_t taken = used == 1 ? 1 : used == 0 ? 0 : 2 * used - 2;
    for (uint32_t bit = limit; bit-- > 0 && taken > 0;) {
        size_t symbols = 0;
        for (size_t i = 0; i < taken; i++) {
            symbols += is_symbol[bit][i];
        }
        for (size_t i = 0; i < symbols; i++) {
            lengths[sorted[i] & SYMBOL_MASK]++;
        }
        taken = 2 * (taken - symbols);
    }
}

/* ---- codes ----------------------------------------------------------------------------------- */

static uint32_t reversed(uint32_t value, uint32_t count)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < count; i++) {
        out |= (value >> i & 1) << (count - 1 - i);
    }
    return out;
}

void mrwi_image_codes_assign(const uint8_t *lengths, size_t count, mrwi_image_code *codes)
{
    uint32_t of_length[MOST_LIMIT + 1] = {0}, next[MOST_LIMIT + 1] = {0};
    for (size_t s = 0; s < count; s++) {
        of_length[lengths[s]]++;
    }
    of_length[0] = 0;
    for (uint32_t n = 1; n <= MOST_LIMIT; n++) {
        next[n] = (next[n - 1] + of_length[n - 1]) << 1;
    }
    for (size_t s = 0; s < count; s++) {
        uint32_t n = lengths[s];
        codes[s] = n == 0 ? 0 : reversed(next[n]++, n) << 8 | n;
    }
}

/* Finds the symbol of a length (RFC 1951, 3.2.5): from 11 on, four symbols share a number of extra
 * bits; 258 has its own. */
mrwi_image_length mrwi_image_length_of(uint32_t match)
{
    assert(match >= MRWI_IMAGE_LEAST_MATCH && match <= MRWI_IMAGE_MOST_MATCH);
    uint32_t above = match - MRWI_IMAGE_LEAST_MATCH, extra_count = 0;
    if (match == MRWI_IMAGE_MOST_MATCH) {
        return (mrwi_image_length){MRWI_IMAGE_SYMBOLS - 1, 0, 0};
    }
    while (above >> extra_count >= 8) {
        extra_count++;
    }
    uint32_t symbol = MRWI_IMAGE_END_OF_BLOCK + 1 + 4 * extra_count + (above >> extra_count);
    return (mrwi_image_length){(uint16_t)symbol, (uint8_t)extra_count,
                               (uint8_t)(above & ((1u << extra_count) - 1))};
}

/* Finds the symbol of a distance (RFC 1951, 3.2.5): from 5 on, two symbols share a number of extra
 * bits. */
mrwi_image_distance mrwi_image_distance_of(uint32_t distance)
{
    assert(distance >= 1 && distance <= 32768);
    const uint32_t above = distance - 1;
    const uint32_t extra_count = above < 4 ? 0 : 30u - (uint32_t)__builtin_clz(above);
    return (mrwi_image_distance){(uint8_t)(2 * extra_count + (above >> extra_count)),
                                 (uint8_t)extra_count,
                                 (uint16_t)(above & ((1u << extra_count) - 1))};
}

/* ---- the header of a block (RFC 1951, 3.2.7) ------------------------------------------------- */

#define KINDS       19
#define KIND_LIMIT  7
#define REPEAT      16 /* repeats the previous length 3 to 6 times */
#define ZEROS       17 /* 3 to 10 zeros */
#define MANY_ZEROS  18 /* 11 to 138 zeros */
#define MOST_TOKENS (MRWI_IMAGE_SYMBOLS + MRWI_IMAGE_DISTANCES)

typedef struct token {
    uint8_t kind; /* a length, or one of the above */
    uint8_t extra;
} token;

static size_t run_at(const uint8_t *lengths, size_t count, size_t at)
{
    size_t end = at + 1;
    while (end < count && lengths[end] == lengths[at]) {
        end++;
    }
    return end - at;
}

static size_t find_tokens(const uint8_t *lengths, size_t count, token *tokens)
{
    size_t n = 0, at = 0;
    while (at < count) {
        size_t run = run_at(lengths, count, at);
        if (lengths[at] == 0 && run >= 11) {
            run = run < 138 ? run : 138;
            tokens[n++] = (token){MANY_ZEROS, (uint8_t)(run - 11)};
        } else if (lengths[at] == 0 && run >= 3) {
            tokens[n++] = (token){ZEROS, (uint8_t)(run - 3)};
        } else if (at > 0 && lengths[at] == lengths[at - 1] && run >= 3) {
            run = run < 6 ? run : 6;
            tokens[n++] = (token){REPEAT, (uint8_t)(run - 3)};
        } else {
            run = 1;
            tokens[n++] = (token){lengths[at], 0};
        }
        at += run;
    }
    return n;
}

static void put_tokens(mrwi_image_bits *bits, const token *tokens, size_t count,
                       const mrwi_image_code *codes)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t kind = tokens[i].kind;
        mrwi_image_put_code(bits, codes[kind]);
        mrwi_image_bits_put(bits, tokens[i].extra,
                            kind == REPEAT       ? 2
                            : kind == ZEROS      ? 3
                            : kind == MANY_ZEROS ? 7
                                                 : 0);
        mrwi_image_bits_flush(bits);
    }
}

/* Returns the number of lengths without the zeros at the end, but at least `least`. */
static size_t count_used(const uint8_t *lengths, size_t count, size_t least)
{
    while (count > least && lengths[count - 1] == 0) {
        count--;
    }
    return count;
}

void mrwi_image_put_block_header(mrwi_image_bits *bits, const uint8_t lengths[MRWI_IMAGE_SYMBOLS],
                                 const uint8_t distances[MRWI_IMAGE_DISTANCES], bool last)
{
    static const uint8_t order[KINDS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                         11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t all[MOST_TOKENS], kind_lengths[KINDS];
    uint64_t kinds[KINDS] = {0};
    token tokens[MOST_TOKENS];
    mrwi_image_code codes[KINDS];
    const size_t count = count_used(lengths, MRWI_IMAGE_SYMBOLS, MRWI_IMAGE_END_OF_BLOCK + 1);
    const size_t distance_count = count_used(distances, MRWI_IMAGE_DISTANCES, 1);
    size_t written = KINDS;
    memcpy(all, lengths, count);
    memcpy(all + count, distances, distance_count);
    size_t token_count = find_tokens(all, count + distance_count, tokens);
    for (size_t i = 0; i < token_count; i++) {
        kinds[tokens[i].kind]++;
    }
    mrwi_image_code_lengths(kinds, KINDS, KIND_LIMIT, kind_lengths);
    mrwi_image_codes_assign(kind_lengths, KINDS, codes);
    while (written > 4 && kind_lengths[order[written - 1]] == 0) {
        written--;
    }
    mrwi_image_bits_put(bits, (last ? 1u : 0u) | 2 << 1, 3); /* dynamic codes */
    mrwi_image_bits_put(bits, count - (MRWI_IMAGE_END_OF_BLOCK + 1), 5);
    mrwi_image_bits_put(bits, distance_count - 1, 5);
    mrwi_image_bits_put(bits, written - 4, 4);
    mrwi_image_bits_flush(bits);
    for (size_t i = 0; i < written; i++) {
        mrwi_image_bits_put(bits, kind_lengths[order[i]], 3);
        mrwi_image_bits_flush(bits);
    }
    put_tokens(bits, tokens, token_count, codes);
}
